/**
 * The algebra in which element-wise primitives are written. A declaration says `k.mul(g, k.cos(x))`
 * once; what comes out depends on the algebra `k` it is given:
 *
 *   numbers     plain JavaScript numbers: a readable reference (see numbers.ts)
 *   graph       a node graph, from which come AssemblyScript SIMD text (simd.ts) and the formulas of
 *               the manual (formula.ts)
 *
 * Invariant: `Operation` names every operation once. Each reading is a `Record<Operation, …>` or an
 * `Algebra`, so an operation without a reading does not compile.
 */

/** Values are `V`, truth values (a mask per lane in SIMD text) are `M`. */
export interface Algebra<V, M> {
  /** A constant. */
  num(value: number): V;
  add(a: V, b: V): V;
  sub(a: V, b: V): V;
  mul(a: V, b: V): V;
  div(a: V, b: V): V;
  neg(a: V): V;
  abs(a: V): V;
  sqrt(a: V): V;
  /** The smaller one; NaN if either is NaN; −0 is smaller than +0. */
  min(a: V, b: V): V;
  /** The larger one; NaN if either is NaN; +0 is larger than −0. */
  max(a: V, b: V): V;
  /** The value, or the bound where the value is less; NaN stays NaN. One instruction, where max is ten. */
  atLeast(a: V, bound: V): V;
  floor(a: V): V;
  ceil(a: V): V;
  trunc(a: V): V;
  /** Nearest integer, ties to even. */
  nearest(a: V): V;
  exp(a: V): V;
  expm1(a: V): V;
  log(a: V): V;
  log1p(a: V): V;
  sin(a: V): V;
  cos(a: V): V;
  tan(a: V): V;
  asin(a: V): V;
  acos(a: V): V;
  atan(a: V): V;
  sinh(a: V): V;
  cosh(a: V): V;
  tanh(a: V): V;
  sigmoid(a: V): V;
  softplus(a: V): V;
  erf(a: V): V;
  lgamma(a: V): V;
  digamma(a: V): V;
  /** The angle of the point (x, y). */
  atan2(y: V, x: V): V;
  pow(base: V, exponent: V): V;
  gcd(a: V, b: V): V;
  /** What a division that is truncated to an integer leaves, exactly; it has the sign of a. */
  rem(a: V, b: V): V;
  lt(a: V, b: V): M;
  le(a: V, b: V): M;
  gt(a: V, b: V): M;
  ge(a: V, b: V): M;
  eq(a: V, b: V): M;
  ne(a: V, b: V): M;
  and(a: M, b: M): M;
  or(a: M, b: M): M;
  not(a: M): M;
  select(test: M, yes: V, no: V): V;
  /** The value where the mask holds and +0 elsewhere, whatever the value was (NaN too). */
  andMask(value: V, mask: M): V;
}

/** Everything but constants. */
export type Operation = Exclude<keyof Algebra<unknown, unknown>, "num">;
