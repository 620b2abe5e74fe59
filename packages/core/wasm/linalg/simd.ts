/**
 * Short names for the vector arithmetic of the linear algebra kernels. `real` is f32 or f64, so a
 * v128 holds four or two lanes; nothing here moves a number from one lane to another.
 */

// @ts-ignore: decorator
@inline export function add(a: v128, b: v128): v128 {
  return v128.add<real>(a, b);
}
// @ts-ignore: decorator
@inline export function sub(a: v128, b: v128): v128 {
  return v128.sub<real>(a, b);
}
// @ts-ignore: decorator
@inline export function mul(a: v128, b: v128): v128 {
  return v128.mul<real>(a, b);
}
// @ts-ignore: decorator
@inline export function div(a: v128, b: v128): v128 {
  return v128.div<real>(a, b);
}
// @ts-ignore: decorator
@inline export function neg(a: v128): v128 {
  return v128.neg<real>(a);
}
// @ts-ignore: decorator
@inline export function abs(a: v128): v128 {
  return v128.abs<real>(a);
}
// @ts-ignore: decorator
@inline export function zero(): v128 {
  return v128.splat<real>(0);
}
// @ts-ignore: decorator
@inline export function one(): v128 {
  return v128.splat<real>(1);
}

/**
 * The larger of two numbers, the first where they cannot be compared: one instruction, where `max`
 * takes ten to treat NaN and -0 as IEEE says.
 */
// @ts-ignore: decorator
@inline export function larger(a: v128, b: v128): v128 {
  return v128.pmax<real>(a, b);
}

/** All bits set in the lanes that hold 0 of either sign. */
// @ts-ignore: decorator
@inline export function isZero(a: v128): v128 {
  return v128.eq<real>(a, zero());
}

/** Adds `value` to the adjoint at `at`. */
// @ts-ignore: decorator
@inline export function accumulate(at: usize, value: v128): void {
  v128.store(at, add(v128.load(at), value));
}

/** Adds `value` to what is kept of the adjoint at `at`: all of it, or nothing to begin a sum. */
// @ts-ignore: decorator
@inline export function addTo(at: usize, kept: v128, value: v128): void {
  v128.store(at, add(v128.and(v128.load(at), kept), value));
}
