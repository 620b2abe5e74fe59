/**
 * Dual numbers: a value and its derivatives with respect to every input element, in f64.
 *
 * Each rule is the calculus textbook's, written for this oracle alone. `tracer` notes every place
 * where a number decided something, so that a caller can tell two runs of one control path and
 * how close a decision was. `rounding` imitates a machine of lower precision.
 */

import { digamma, erf, lgamma } from "./special.js";

export class Dual {
  constructor(
    readonly v: number,
    readonly slope?: Float64Array,
  ) {}
}

export interface Tracer {
  /** Outcomes of all comparisons, kinks and steps so far, folded into one number. */
  path: number;
  /** The same for decisions about control: tests, indices, sizes. */
  control: number;
  /** The smallest relative distance of two numbers that were compared. */
  margin: number;
  /** Whether any number or slope on the way was not finite. */
  wild: boolean;
}

const untraced = (): Tracer => ({
  path: 0,
  control: 0,
  margin: Number.POSITIVE_INFINITY,
  wild: false,
});
let tracer = untraced();
let rounding = (x: number): number => x;

/** Runs `body` with a fresh tracer and, on request, with every result rounded to f32. */
export function traced<T>(single: boolean, body: () => T): { result: T; tracer: Tracer } {
  tracer = untraced();
  rounding = single ? Math.fround : (x) => x;
  try {
    return { result: body(), tracer };
  } finally {
    rounding = (x) => x;
  }
}

/** Notes that a decision between `a` and `b` came out as `outcome`. */
export function decide(outcome: number, a: Dual, b: Dual): void {
  tracer.path = fold(tracer.path, outcome);
  const structural = !a.slope && !b.slope && Number.isInteger(a.v) && Number.isInteger(b.v);
  if (structural) return;
  const distance = Math.abs(a.v - b.v) / (1 + Math.abs(a.v) + Math.abs(b.v));
  tracer.margin = Math.min(tracer.margin, distance);
}

/** Notes a decision about control: which way a test went, which element an index chose. */
export function steer(outcome: number | boolean): void {
  tracer.control = fold(tracer.control, Number(outcome));
}

function fold(path: number, outcome: number): number {
  return (Math.imul(path, 31) + outcome + 7) | 0;
}

export function constant(v: number): Dual {
  watch(v);
  return new Dual(rounding(v));
}

function watch(number: number): void {
  if (!Number.isFinite(number)) tracer.wild = true;
}

/** f(x) = v with slope f'(x) = dx. A slope of exactly zero silences infinities of x's own. */
export function chain(v: number, x: Dual, dx: number): Dual {
  if (!x.slope) return constant(v);
  watch(v);
  watch(dx);
  return new Dual(
    rounding(v),
    x.slope.map((s) => rounding(s === 0 ? 0 : dx * s)),
  );
}

/** f(x, y) = v with partial derivatives dx and dy. */
export function chain2(v: number, x: Dual, dx: number, y: Dual, dy: number): Dual {
  const { slope: sx } = x;
  const { slope: sy } = y;
  if (!sy) return chain(v, x, dx);
  if (!sx) return chain(v, y, dy);
  watch(v);
  watch(dx);
  watch(dy);
  const term = (d: number, s: number): number => (s === 0 ? 0 : d * s);
  return new Dual(
    rounding(v),
    sx.map((s, i) => rounding(term(dx, s) + term(dy, sy[i] as number))),
  );
}

export const add = (x: Dual, y: Dual): Dual => chain2(x.v + y.v, x, 1, y, 1);
export const sub = (x: Dual, y: Dual): Dual => chain2(x.v - y.v, x, 1, y, -1);
export const mul = (x: Dual, y: Dual): Dual => chain2(x.v * y.v, x, y.v, y, x.v);
export const div = (x: Dual, y: Dual): Dual => chain2(x.v / y.v, x, 1 / y.v, y, -x.v / (y.v * y.v));
export const negate = (x: Dual): Dual => chain(-x.v, x, -1);

/** The smaller of two; the first on a tie. */
export function min(x: Dual, y: Dual): Dual {
  const second = y.v < x.v || Number.isNaN(y.v);
  decide(second ? 1 : 0, x, y);
  return second ? y : x;
}

/** The larger of two; the first on a tie. */
export function max(x: Dual, y: Dual): Dual {
  const second = y.v > x.v || Number.isNaN(y.v);
  decide(second ? 1 : 0, x, y);
  return second ? y : x;
}

export function abs(x: Dual): Dual {
  decide(Math.sign(x.v), x, constant(0));
  return chain(Math.abs(x.v), x, Math.sign(x.v));
}

/** x^y by R7RS: x^0 is 1; an integer exponent is a product; its slope is y·x^(y−1). */
export function power(x: Dual, y: Dual): Dual {
  const v = Number.isInteger(y.v) && Math.abs(y.v) <= 64 ? product(x.v, y.v) : x.v ** y.v;
  const dx = y.v === 0 ? 0 : y.v * x.v ** (y.v - 1);
  if (!y.slope) return chain(v, x, dx);
  const dy = x.v === 0 && y.v > 0 ? 0 : v * Math.log(x.v);
  return chain2(v, x, dx, y, dy);
}

function product(base: number, exponent: number): number {
  let result = 1;
  for (let i = Math.abs(exponent); i > 0; i--) result *= base;
  return exponent < 0 ? 1 / result : result;
}

export function quotient(x: Dual, y: Dual): Dual {
  return step(Math.trunc(x.v / y.v), div(x, y));
}

/** x − y·trunc(x/y): the sign follows x. */
export function remainder(x: Dual, y: Dual): Dual {
  const r = x.v % y.v;
  const q = step(Math.round((x.v - r) / y.v), div(x, y)).v;
  return chain2(r, x, 1, y, -q);
}

/** x − y·floor(x/y): the sign follows y. */
export function modulo(x: Dual, y: Dual): Dual {
  const r = x.v % y.v;
  const isMoved = r !== 0 && r < 0 !== y.v < 0;
  const q = step(Math.round((x.v - r) / y.v) - (isMoved ? 1 : 0), div(x, y)).v;
  return chain2(isMoved ? r + y.v : r, x, 1, y, -q);
}

/** A step function of `x` has slope zero everywhere it has one. */
export function step(v: number, x: Dual): Dual {
  decide(v, x, constant(Math.round(x.v)));
  return constant(v);
}

/** To the nearest integer, halves to the even one. */
export function roundEven(x: number): number {
  const low = Math.floor(x);
  if (x - low !== 0.5) return Math.round(x);
  return low % 2 === 0 ? low : low + 1;
}

export function atan2(y: Dual, x: Dual): Dual {
  const square = x.v * x.v + y.v * y.v;
  return chain2(Math.atan2(y.v, x.v), y, x.v / square, x, -y.v / square);
}

/** log(1 + e^x) without overflow. */
function softplusOf(x: number): number {
  return x > 0 ? x + Math.log1p(Math.exp(-x)) : Math.log1p(Math.exp(x));
}

function sigmoidOf(x: number): number {
  if (x >= 0) return 1 / (1 + Math.exp(-x));
  const e = Math.exp(x);
  return e / (1 + e);
}

const smooth = (f: (x: number) => number, slope: (x: number, z: number) => number) => {
  return (x: Dual): Dual => {
    const z = f(x.v);
    return chain(z, x, x.slope ? slope(x.v, z) : 0);
  };
};

/** Unary functions: the function and its derivative in terms of x and z = f(x). */
export const unary = {
  square: smooth(
    (x) => x * x,
    (x) => 2 * x,
  ),
  sqrt: smooth(Math.sqrt, (_, z) => 0.5 / z),
  exp: smooth(Math.exp, (_, z) => z),
  log: smooth(Math.log, (x) => 1 / x),
  sin: smooth(Math.sin, Math.cos),
  cos: smooth(Math.cos, (x) => -Math.sin(x)),
  tan: smooth(Math.tan, (x) => 1 / Math.cos(x) ** 2),
  asin: smooth(Math.asin, (x) => 1 / Math.sqrt((1 - x) * (1 + x))),
  acos: smooth(Math.acos, (x) => -1 / Math.sqrt((1 - x) * (1 + x))),
  atan: smooth(Math.atan, (x) => 1 / (1 + x * x)),
  sinh: smooth(Math.sinh, Math.cosh),
  cosh: smooth(Math.cosh, Math.sinh),
  tanh: smooth(Math.tanh, (x) => 1 / Math.cosh(x) ** 2),
  log1p: smooth(Math.log1p, (x) => 1 / (1 + x)),
  expm1: smooth(Math.expm1, Math.exp),
  sigmoid: smooth(sigmoidOf, (x) => sigmoidOf(x) * sigmoidOf(-x)),
  softplus: smooth(softplusOf, sigmoidOf),
  erf: smooth(erf, (x) => (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x)),
  lgamma: smooth(lgamma, digamma),
  abs,
  floor: (x: Dual): Dual => step(Math.floor(x.v), x),
  ceiling: (x: Dual): Dual => step(Math.ceil(x.v), x),
  round: (x: Dual): Dual => step(roundEven(x.v), x),
  truncate: (x: Dual): Dual => step(Math.trunc(x.v), x),
};

/** Below it, the paper's domain rule holds sqrt and log constant. */
const domainLeast = 1e-8;

/** `sqrt` and `log` under the paper's rule: the input is clamped and passes no gradient there. */
export function clamped(f: (x: Dual) => Dual): (x: Dual) => Dual {
  return (x) => {
    const below = x.v < domainLeast;
    decide(below ? 1 : 0, x, constant(domainLeast));
    return f(below ? constant(domainLeast) : x);
  };
}
