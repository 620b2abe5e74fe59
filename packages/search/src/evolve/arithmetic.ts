/**
 * Functions of real numbers in plain arithmetic: + − × ÷, square roots and bits of numbers.
 *
 * JavaScript leaves the last bits of Math.exp and its kind to the engine, and a study must be the same
 * study everywhere. So breeding and simplifying use these. They are right to about 10⁻¹⁵ of the
 * result (of 1 for waves), which is far more than a start of a parameter needs. exp, log and atan are
 * core's.
 */

import { atan, exp, log } from "@ndvm/core";

const HALF_PI_HIGH = 1.5707963267341256;
const HALF_PI_MIDDLE = 6.077100506303966e-11;
const HALF_PI_LOW = 2.0222662487959506e-21;
const TERMS_EXP = 14;
const TERMS_WAVE = 9;
/** Beyond it, a wave's angle has no digits left. */
const ANGLE_MAX = 1e9;

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
function integerPower(x: number, n: number): number {
  let power = 1;
  for (let square = x, left = n; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) power *= square;
    square *= square;
  }
  return power;
}

export function power(x: number, y: number): number {
  if (Number.isInteger(y) && Math.abs(y) <= 1024)
    return y < 0 ? 1 / integerPower(x, -y) : integerPower(x, y);
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
    // Twice half the angle, which loses no digits near 1.
    acos: (x: number) => 2 * atan(Math.sqrt((1 - x) / (1 + x))),
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
