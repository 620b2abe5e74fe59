/**
 * exp, log, arctangent and the quantiles of the normal and Student's distributions, made of
 * + − × ÷ and square root only, so that a fit has the same bits in every JavaScript engine.
 *
 * exp and log are within 3 units in the last place, atan within 6, the quantiles good to 9 digits
 * (test/fit/elementary.test.ts).
 */

const LN2_HIGH = 0.6931471803691238;
const LN2_LOW = 1.9082149292705877e-10;

const reals = new Float64Array(1);
const words = new Uint32Array(reals.buffer);
/** Which of the two words has the exponent. */
const HIGH = new Uint8Array(new Float64Array([1]).buffer)[7] === 0x3f ? 1 : 0;

/** 2ⁿ for whole n from −1022 to 1023, exactly. */
function powerOfTwo(n: number): number {
  words[1 - HIGH] = 0;
  words[HIGH] = (n + 1023) << 20;
  return reals[0] as number;
}

export function exp(x: number): number {
  if (Number.isNaN(x)) return x;
  if (x > 709.8) return Infinity;
  if (x < -745.2) return 0;
  const k = Math.round(x / Math.LN2);
  const r = x - k * LN2_HIGH - k * LN2_LOW;
  let sum = 1;
  for (let n = 15; n >= 1; n--) sum = 1 + (r * sum) / n;
  const half = Math.trunc(k / 2);
  return sum * powerOfTwo(half) * powerOfTwo(k - half);
}

export function log(x: number): number {
  if (Number.isNaN(x) || x < 0) return Number.NaN;
  if (x === 0) return -Infinity;
  if (x === Infinity) return x;
  // Numbers below 2⁻¹⁰²² have no exponent of their own.
  const isTiny = x < 2.2250738585072014e-308;
  reals[0] = isTiny ? x * 18014398509481984 : x;
  let k = ((words[HIGH] as number) >>> 20) - (isTiny ? 1077 : 1023);
  words[HIGH] = ((words[HIGH] as number) & 0xfffff) | 0x3ff00000;
  let m = reals[0] as number;
  if (m > Math.SQRT2) {
    m /= 2;
    k += 1;
  }
  const f = m - 1;
  const s = f / (m + 1);
  const square = s * s;
  let sum = 0;
  for (let n = 25; n >= 3; n -= 2) sum = square * (1 / n + sum);
  // log m = 2s + 2s·sum, and 2s = f − s·f keeps the digits of f.
  return k * LN2_HIGH + (f - s * (f - 2 * sum) + k * LN2_LOW);
}

export const LOG_TWO_PI = 1.8378770664093456;

/** log Γ(x) for x > 0: Stirling's series after moving up. */
export function logGamma(x: number): number {
  let shift = 0;
  let z = x;
  while (z < 20) {
    shift += log(z);
    z += 1;
  }
  const s = 1 / (z * z);
  const series = (1 / 12 - s * (1 / 360 - s * (1 / 1260 - s / 1680))) / z;
  return (z - 0.5) * log(z) - z + LOG_TWO_PI / 2 + series - shift;
}

export function atan(x: number): number {
  if (x === Infinity) return 1.5707963267948966;
  if (x < 0) return -atan(-x);
  let t = x;
  for (let i = 0; i < 4; i++) t = t / (1 + Math.sqrt(1 + t * t));
  const square = t * t;
  let sum = 0;
  for (let n = 21; n >= 1; n -= 2) sum = 1 / n - square * sum;
  return 16 * t * sum;
}

/** The probability that a standard normal number lies within ±z. */
function normalWithin(z: number): number {
  let term = z;
  let sum = z;
  for (let k = 1; Math.abs(term) > 1e-18 * Math.abs(sum) && k < 2000; k++) {
    term = (term * z * z) / (2 * k + 1);
    sum += term;
  }
  return 2 * 0.3989422804014327 * exp((-z * z) / 2) * sum;
}

/** The probability that Student's t with whole degrees of freedom lies within ±t. */
export function studentWithin(t: number, freedom: number): number {
  const y = 1 / (1 + (t * t) / freedom);
  const sine = t / Math.sqrt(freedom + t * t);
  const isEven = freedom % 2 === 0;
  let term = isEven ? 1 : Math.sqrt(y);
  let sum = freedom === 1 ? 0 : term;
  for (let j = isEven ? 2 : 3; j <= freedom - 2 && term > 1e-18 * sum; j += 2) {
    term *= (y * (j - 1)) / j;
    sum += term;
  }
  if (isEven) return sine * sum;
  return (atan(t / Math.sqrt(freedom)) + sine * sum) * 0.6366197723675814;
}

/** The t with `within(t)` = level, by bisection: monotone functions need no more. */
function bisect(within: (t: number) => number, level: number): number {
  let low = 0;
  let high = 1;
  while (within(high) < level && high < 1e12) high *= 2;
  for (let i = 0; i < 80; i++) {
    const middle = (low + high) / 2;
    if (within(middle) < level) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** How many standard errors a two-sided interval of this level reaches to each side. */
export function studentReach(level: number, freedom: number): number {
  if (freedom < 1) return Number.NaN;
  if (freedom <= 2000) return bisect((t) => studentWithin(t, freedom), level);
  const z = normalReach(level);
  // Cornish and Fisher's expansion about the normal quantile.
  const z2 = z * z;
  const first = (z * (z2 + 1)) / 4;
  const second = (z * ((5 * z2 + 16) * z2 + 3)) / 96;
  const third = (z * (((3 * z2 + 19) * z2 + 17) * z2 - 15)) / 384;
  return z + (first + (second + third / freedom) / freedom) / freedom;
}

/** As `studentReach`, for known variances. */
export const normalReach = (level: number): number => bisect(normalWithin, level);
