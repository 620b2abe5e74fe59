/**
 * What the element-wise primitives compute, said a second time and independently of their
 * declarations: values by JavaScript's Math or by a different method, slopes by textbook formulas
 * in x and y alone, or by differences.
 */
import type { PrimitiveName } from "../../src/primitives/index.js";
import { exactFloor, exactModulo, exactQuotient, exactRemainder } from "./exact.js";

type Value = (x: number, y: number) => number;

export interface Oracle {
  readonly value: Value;
  /** Slopes in x and y; undefined: the primitive passes no gradient. */
  readonly slopes?: readonly Value[];
  /** The machine must reproduce the value to the last bit. */
  readonly isExact?: true;
  /** How far x or y must move to where the slope jumps. */
  readonly kink?: Value;
  /** Inputs are multiples of this, which keeps x/y away from rounding to an integer. */
  readonly grid?: number;
}

/** Central differences, extrapolated twice; error about (h/scale)⁶ and 1e-16/h. */
export function slopeOf(f: (x: number) => number, x: number): number {
  const difference = (h: number) => (f(x + h) - f(x - h)) / (2 * h);
  const step = 2e-3;
  const [d1, d2, d3] = [difference(step), difference(step / 2), difference(step / 4)];
  const [e1, e2] = [(4 * d2 - d1) / 3, (4 * d3 - d2) / 3];
  return (16 * e2 - e1) / 15;
}

/** ∫ exp(−t²) by Simpson's rule. */
function erfByIntegration(x: number): number {
  if (Math.abs(x) > 7) return Math.sign(x);
  const panels = 2000;
  const h = x / panels;
  let sum = 1 + Math.exp(-x * x);
  for (let i = 1; i < panels; i++) sum += (i % 2 === 0 ? 2 : 4) * Math.exp(-((i * h) ** 2));
  return (((2 / Math.sqrt(Math.PI)) * h) / 3) * sum;
}

/** Lanczos' approximation, g = 7, nine terms. */
function lgammaByLanczos(x: number): number {
  if (x === Number.POSITIVE_INFINITY) return x;
  const c = [
    676.5203681218851, -1259.1392167224028, 771.3234287776531, -176.6150291621406,
    12.507343278686905, -0.13857109526572012, 9.984369578019572e-6, 1.5056327351493116e-7,
  ];
  const sum = c.reduce((s, ci, i) => s + ci / (x + i), 0.9999999999998099);
  const t = x + 6.5;
  return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(t) - t + Math.log(sum);
}

function roundToEven(x: number): number {
  const rounded = Math.round(x);
  const isTie = Math.abs(x - Math.trunc(x)) === 0.5;
  return isTie && rounded % 2 !== 0 ? rounded - 1 : rounded;
}

function gcdByCounting(x: number, y: number): number {
  const [a, b] = [Math.abs(x), Math.abs(y)];
  if (a === 0 || b === 0) return a + b;
  let d = Math.min(a, b);
  while (a % d !== 0 || b % d !== 0) d--;
  return d;
}

const identity: Oracle = { value: (x) => x, slopes: [() => 1], isExact: true };
const toInteger: Value = (x, y) =>
  Math.abs(x / y - Math.round(x / y)) * Math.min(Math.abs(y), (y * y) / Math.abs(x));
const tie: Value = (x, y) => Math.abs(x - y);

export const oracles: Readonly<Partial<Record<PrimitiveName, Oracle>>> = {
  neg: { value: (x) => -x, slopes: [() => -1], isExact: true },
  abs: { value: Math.abs, slopes: [(x) => Math.sign(x)], isExact: true, kink: Math.abs },
  floor: { value: Math.floor, isExact: true },
  ceiling: { value: Math.ceil, isExact: true },
  round: { value: roundToEven, isExact: true },
  truncate: { value: Math.trunc, isExact: true },
  square: { value: (x) => x * x, slopes: [(x) => 2 * x], isExact: true },
  sqrt: { value: Math.sqrt, slopes: [(x) => 0.5 * x ** -0.5], isExact: true },
  exp: { value: Math.exp, slopes: [Math.exp] },
  log: { value: Math.log, slopes: [(x) => 1 / x] },
  sin: { value: Math.sin, slopes: [Math.cos] },
  cos: { value: Math.cos, slopes: [(x) => -Math.sin(x)] },
  tan: { value: Math.tan, slopes: [(x) => 1 / Math.cos(x) ** 2] },
  asin: { value: Math.asin, slopes: [(x) => (1 - x * x) ** -0.5] },
  acos: { value: Math.acos, slopes: [(x) => -((1 - x * x) ** -0.5)] },
  atan: { value: (x) => Math.atan(x), slopes: [(x) => 1 / (1 + x * x)] },
  sinh: { value: Math.sinh, slopes: [Math.cosh] },
  cosh: { value: Math.cosh, slopes: [Math.sinh] },
  tanh: { value: Math.tanh, slopes: [(x) => 1 / Math.cosh(x) ** 2] },
  log1p: { value: Math.log1p, slopes: [(x) => 1 / (1 + x)] },
  expm1: { value: Math.expm1, slopes: [Math.exp] },
  sigmoid: {
    value: (x) => (1 + Math.tanh(x / 2)) / 2,
    slopes: [(x) => 0.25 / Math.cosh(x / 2) ** 2],
  },
  softplus: {
    value: (x) => (x > 700 ? x : Math.log1p(Math.exp(x))),
    slopes: [(x) => (1 + Math.tanh(x / 2)) / 2],
  },
  erf: { value: erfByIntegration, slopes: [(x) => slopeOf(erfByIntegration, x)] },
  lgamma: { value: lgammaByLanczos, slopes: [(x) => slopeOf(lgammaByLanczos, x)] },
  exact: identity,
  inexact: identity,
  copy: identity,
  sqrtClamp: {
    value: (x) => Math.max(x, 1e-8) ** 0.5,
    slopes: [(x) => (x < 1e-8 ? 0 : 0.5 * x ** -0.5)],
  },
  logClamp: {
    value: (x) => Math.log2(Math.max(x, 1e-8)) * Math.LN2,
    slopes: [(x) => (x < 1e-8 ? 0 : 1 / x)],
  },
  add: { value: (x, y) => x + y, slopes: [() => 1, () => 1], isExact: true },
  sub: { value: (x, y) => x - y, slopes: [() => 1, () => -1], isExact: true },
  mul: { value: (x, y) => x * y, slopes: [(_, y) => y, (x) => x], isExact: true },
  div: {
    value: (x, y) => x / y,
    slopes: [(_, y) => 1 / y, (x, y) => -x / (y * y)],
    isExact: true,
  },
  min: {
    value: Math.min,
    slopes: [(x, y) => (x <= y ? 1 : 0), (x, y) => (x <= y ? 0 : 1)],
    isExact: true,
    kink: tie,
  },
  max: {
    value: Math.max,
    slopes: [(x, y) => (x >= y ? 1 : 0), (x, y) => (x >= y ? 0 : 1)],
    isExact: true,
    kink: tie,
  },
  pow: {
    value: Math.pow,
    slopes: [(x, y) => (y * x ** y) / x, (x, y) => Math.log(x) * x ** y],
  },
  atan2: {
    value: Math.atan2,
    slopes: [(x, y) => y / (x * x + y * y), (x, y) => -x / (x * x + y * y)],
  },
  quotient: { value: (x, y) => (x - (x % y)) / y, isExact: true, grid: 0.25 },
  remainder: {
    value: (x, y) => exactRemainder(x, y),
    slopes: [() => 1, (x, y) => -exactQuotient(x, y)],
    isExact: true,
    kink: toInteger,
    grid: 0.25,
  },
  modulo: {
    value: (x, y) => exactModulo(x, y),
    slopes: [() => 1, (x, y) => -exactFloor(x, y)],
    isExact: true,
    kink: toInteger,
    grid: 0.25,
  },
  gcd: { value: gcdByCounting, isExact: true, grid: 1 },
  lcm: {
    value: (x, y) => (x === 0 || y === 0 ? 0 : Math.abs(x * y) / gcdByCounting(x, y)),
    isExact: true,
    grid: 1,
  },
};

const isWhole = (x: number) => Number.isInteger(x);

/** Tests of numbers, as booleans. */
export const testOracles: Readonly<
  Partial<Record<PrimitiveName, (x: number, y: number) => boolean>>
> = {
  isZero: (x) => x === 0,
  isPositive: (x) => x > 0,
  isNegative: (x) => x < 0,
  isFinite: (x) => Number.isFinite(x),
  isInfinite: (x) => x === Number.POSITIVE_INFINITY || x === Number.NEGATIVE_INFINITY,
  isNan: (x) => Number.isNaN(x),
  isInteger: isWhole,
  isEven: (x) => isWhole(x) && Math.abs(x % 2) === 0,
  isOdd: (x) => isWhole(x) && Math.abs(x % 2) === 1,
  numEqual: (x, y) => x === y,
  less: (x, y) => x < y,
  greater: (x, y) => x > y,
  lessEqual: (x, y) => x <= y,
  greaterEqual: (x, y) => x >= y,
};
