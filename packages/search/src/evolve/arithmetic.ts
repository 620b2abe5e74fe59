/**
 * Functions of real numbers in plain arithmetic: + − × ÷, square roots and bits of numbers.
 *
 * JavaScript leaves the last bits of Math.exp and its kind to the engine, and a study must be the same
 * study everywhere. So breeding and simplifying use these. They are right to about 10⁻¹⁵ of the
 * result (of 1 for waves), which is far more than a start of a parameter needs.
 */

const LN2_HIGH = 0.6931471803691238;
const LN2_LOW = 1.9082149292705877e-10;
const HALF_PI_HIGH = 1.5707963267341256;
const HALF_PI_MIDDLE = 6.077100506303966e-11;
const HALF_PI_LOW = 2.0222662487959506e-21;
const TERMS_EXP = 14;
const TERMS_WAVE = 9;
/** Beyond it, a wave's angle has no digits left. */
const ANGLE_MAX = 1e9;

const reals = new Float64Array(1);
const words = new Uint32Array(reals.buffer);
/** Which of the two words has the exponent. */
const HIGH = new Uint8Array(new Float64Array([1]).buffer)[7] === 0x3f ? 1 : 0;

/** 2ⁿ for whole n from −1022 to 1023. */
function powerOfTwo(n: number): number {
  words[1 - HIGH] = 0;
  words[HIGH] = (n + 1023) << 20;
  return reals[0] as number;
}

export function exp(x: number): number {
  if (Number.isNaN(x)) return x;
  if (x > 709.79) return Number.POSITIVE_INFINITY;
  if (x < -745.2) return 0;
  const n = Math.round(x / (LN2_HIGH + LN2_LOW));
  const r = x - n * LN2_HIGH - n * LN2_LOW;
  let sum = 1;
  for (let k = TERMS_EXP; k >= 1; k--) sum = 1 + (sum * r) / k;
  const half = n < 0 ? Math.ceil(n / 2) : Math.floor(n / 2);
  return sum * powerOfTwo(half) * powerOfTwo(n - half);
}

export function log(x: number): number {
  if (!(x >= 0)) return Number.NaN;
  if (x === 0) return Number.NEGATIVE_INFINITY;
  if (x === Number.POSITIVE_INFINITY) return x;
  if (x < 2.3e-308) return log(x * 18014398509481984) - 54 * (LN2_HIGH + LN2_LOW);
  reals[0] = x;
  let exponent = ((words[HIGH] as number) >>> 20) - 1023;
  words[HIGH] = ((words[HIGH] as number) & 0xfffff) | 0x3ff00000;
  let m = reals[0] as number;
  if (m > Math.SQRT2) {
    m /= 2;
    exponent += 1;
  }
  // log m = 2 artanh((m − 1) / (m + 1)), and the quotient is at most 0.172.
  const s = (m - 1) / (m + 1);
  const z = s * s;
  let sum = 0;
  for (let k = 21; k >= 3; k -= 2) sum = z * (1 / k + sum);
  return exponent * LN2_HIGH + (2 * s + 2 * s * sum + exponent * LN2_LOW);
}

/** sin(x + quarters · π/2). */
function wave(x: number, quarters: number): number {
  if (!(Math.abs(x) <= ANGLE_MAX)) return Number.NaN;
  const n = Math.round(x / HALF_PI_HIGH);
  const r = x - n * HALF_PI_HIGH - n * HALF_PI_MIDDLE - n * HALF_PI_LOW;
  const quarter = (((n + quarters) % 4) + 4) % 4;
  const z = r * r;
  let sum = 1;
  const isCosine = quarter % 2 === 1;
  for (let k = TERMS_WAVE; k >= 1; k--) {
    const below = isCosine ? (2 * k - 1) * 2 * k : 2 * k * (2 * k + 1);
    sum = 1 - (sum * z) / below;
  }
  const value = isCosine ? sum : r * sum;
  return quarter >= 2 ? -value : value;
}

export const sin = (x: number): number => wave(x, 0);
export const cos = (x: number): number => wave(x, 1);

export function atan(x: number): number {
  if (x < 0) return -atan(-x);
  if (x > 1) return HALF_PI_HIGH + HALF_PI_MIDDLE - atan(1 / x);
  // Twice half the angle, twice over: what is left is at most 0.2.
  let t = x;
  for (let i = 0; i < 2; i++) t /= 1 + Math.sqrt(1 + t * t);
  const z = t * t;
  let sum = 0;
  for (let k = 23; k >= 3; k -= 2) sum = -z * (1 / k + sum);
  return 4 * (t + t * sum);
}

const asin = (x: number): number => {
  const adjacent = Math.sqrt((1 - x) * (1 + x));
  return adjacent === 0 ? x * (HALF_PI_HIGH + HALF_PI_MIDDLE) : atan(x / adjacent);
};

/** x − 1 is exact near 1, so the quotient undoes the rounding of 1 + x. */
export function log1p(x: number): number {
  const u = 1 + x;
  if (u === 1 || u === Number.POSITIVE_INFINITY) return u === 1 ? x : u;
  return (log(u) * x) / (u - 1);
}

export function expm1(x: number): number {
  if (Math.abs(x) > 0.5) return exp(x) - 1;
  let sum = 1;
  for (let k = TERMS_EXP + 2; k >= 2; k--) sum = 1 + (sum * x) / k;
  return x * sum;
}

const sinh = (x: number): number => {
  const grown = expm1(Math.abs(x));
  const size =
    grown > 1e300
      ? (exp(Math.abs(x) / 2) / 2) * exp(Math.abs(x) / 2)
      : (grown + grown / (grown + 1)) / 2;
  return x < 0 ? -size : size;
};

const tanh = (x: number): number => {
  if (Math.abs(x) > 22) return x < 0 ? -1 : 1;
  const grown = expm1(2 * x);
  return grown / (grown + 2);
};

/** Whole powers by multiplication. */
function wholePower(x: number, n: number): number {
  let power = 1;
  for (let square = x, left = n; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) power *= square;
    square *= square;
  }
  return power;
}

export function power(x: number, y: number): number {
  if (Number.isInteger(y) && Math.abs(y) <= 1024)
    return y < 0 ? 1 / wholePower(x, -y) : wholePower(x, y);
  if (x === 0) return y > 0 ? 0 : Number.POSITIVE_INFINITY;
  return exp(y * log(x));
}

const sigmoid = (x: number): number => 1 / (1 + exp(-x));

/** Functions of programs by name. Some that are seldom bred are not among them. */
export const functions: ReadonlyMap<string, (x: number, y: number) => number> = new Map(
  Object.entries({
    "+": (x: number, y: number) => x + y,
    "-": (x: number, y: number) => x - y,
    "*": (x: number, y: number) => x * y,
    "/": (x: number, y: number) => x / y,
    neg: (x: number) => -x,
    min: Math.min,
    max: Math.max,
    expt: power,
    pow: power,
    abs: Math.abs,
    square: (x: number) => x * x,
    sqrt: Math.sqrt,
    exp,
    log,
    sin,
    cos,
    tan: (x: number) => sin(x) / cos(x),
    tanh,
    sinh,
    cosh: (x: number) => (exp(x) + exp(-x)) / 2,
    asin,
    acos: (x: number) => HALF_PI_HIGH + HALF_PI_MIDDLE - asin(x),
    atan,
    log1p,
    expm1,
    sigmoid,
    softplus: (x: number) => log1p(exp(-Math.abs(x))) + Math.max(x, 0),
    floor: Math.floor,
    ceiling: Math.ceil,
    truncate: Math.trunc,
  }),
);
