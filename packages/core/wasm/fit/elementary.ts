/** exp and log, as src/fit/math/elementary.ts has them, bit for bit. */

const LN2: f64 = 0.6931471805599453;
const LN2_HIGH: f64 = 0.6931471803691238;
const LN2_LOW: f64 = 1.9082149292705877e-10;

function powerOfTwo(k: f64): f64 {
  let result: f64 = 1;
  let base: f64 = k < 0 ? 0.5 : 2;
  for (let n = <i32>Math.abs(k); n > 0; n >>= 1) {
    if ((n & 1) != 0) result *= base;
    base *= base;
  }
  return result;
}

export function expOf(x: f64): f64 {
  if (x != x) return x;
  if (x > 709.8) return Infinity;
  if (x < -745.2) return 0;
  const k = Math.round(x / LN2);
  const r = x - k * LN2_HIGH - k * LN2_LOW;
  let sum: f64 = 1;
  for (let n: f64 = 15; n >= 1; n--) sum = 1 + (r * sum) / n;
  const half = Math.trunc(k / 2);
  return sum * powerOfTwo(half) * powerOfTwo(k - half);
}

export function logOf(x: f64): f64 {
  if (x != x || x < 0) return NaN;
  if (x == 0) return -Infinity;
  if (x == Infinity) return x;
  let m = x;
  let k: f64 = 0;
  for (let p = 512; p >= 1; p >>= 1) {
    const power = powerOfTwo(p);
    if (m >= power) {
      m /= power;
      k += p;
    } else if (m * power < 2) {
      m *= power;
      k -= p;
    }
  }
  while (m < 1) {
    m *= 2;
    k -= 1;
  }
  if (m > Math.SQRT2) {
    m /= 2;
    k += 1;
  }
  const f = m - 1;
  const s = f / (m + 1);
  const square = s * s;
  let sum: f64 = 0;
  for (let n: f64 = 25; n >= 3; n -= 2) sum = square * (1 / n + sum);
  // log m = 2s + 2s·sum, and 2s = f − s·f keeps the digits of f.
  return k * LN2_HIGH + (f - s * (f - 2 * sum) + k * LN2_LOW);
}
