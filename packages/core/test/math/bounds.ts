/**
 * The error each kernel promises, in ULP: the one place where the tests read it. wasm/math states
 * the same numbers with the sources of the approximations, docs/accuracy.md the errors that were
 * measured.
 */
import type { Real, UnaryName } from "./door.js";

type ErrorBound = Record<Real, number>;

export const unaryBounds: Record<UnaryName, ErrorBound> = {
  exp: { f32: 1, f64: 1 },
  expm1: { f32: 1.5, f64: 1.5 },
  log: { f32: 1, f64: 1 },
  log1p: { f32: 1, f64: 1 },
  sin: { f32: 1, f64: 1 },
  cos: { f32: 1, f64: 1 },
  tan: { f32: 0.6, f64: 3 },
  asin: { f32: 0.6, f64: 1 },
  acos: { f32: 0.6, f64: 1 },
  atan: { f32: 1, f64: 1 },
  sinh: { f32: 2, f64: 2 },
  cosh: { f32: 1.5, f64: 1.5 },
  tanh: { f32: 1.5, f64: 1.5 },
  sigmoid: { f32: 1.5, f64: 1.5 },
  softplus: { f32: 2, f64: 2 },
  erf: { f32: 1.5, f64: 1.5 },
  lgamma: { f32: 1, f64: 4 },
  digamma: { f32: 1, f64: 4 },
};

/**
 * lgamma at x <= -1/2 and digamma at x < 0 in f64: in ULP of the sum of the magnitudes of the terms
 * of the reflection.
 */
export const reflectionBound = 6;

export const atan2Bound: ErrorBound = { f32: 0.6, f64: 2 };

/** x^y by the exponential way. */
export const powBound: ErrorBound = { f32: 0.6, f64: 1 };

/** x^n for integral |n| <= 1024: in f64 each of the products rounds, in f32 they are doubles. */
export const powerBound = (real: Real, n: number): number =>
  real === "f32" ? 0.6 : (Math.abs(n) + 3) / 2;
