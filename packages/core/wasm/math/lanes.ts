/**
 * Lane arithmetic shared by the transcendental kernels: constants, polynomial steps, exponent
 * surgery, and the bridge between one f32x4 vector and the two f64x2 vectors of its halves.
 *
 * Names ending in D work on f64x2, those in F on f32x4. Everything here is lane-wise: the bits of
 * a lane depend on that lane alone.
 *
 * Constants lie in static memory and are loaded with a broadcast: engines build a constant vector
 * out of immediates in three instructions, a broadcasting load is one. So a named constant is an
 * address.
 */

export const ONE: usize = memory.data<f64>([1.0]);
export const TWO: usize = memory.data<f64>([2.0]);
export const HALF: usize = memory.data<f64>([0.5]);
export const MINUS_ONE: usize = memory.data<f64>([-1.0]);
export const INFINITE: usize = memory.data<f64>([Infinity]);
export const NOT_A_NUMBER: usize = memory.data<f64>([NaN]);
export const SIGN: usize = memory.data<u64>([0x8000000000000000]);
/** 2^52 + 2^51: added to an integral double, it leaves that integer in the low bits. */
export const ROUND: usize = memory.data<f64>([6755399441055744.0]);
const ROUND_BIASED: usize = memory.data<f64>([6755399441056767.0]); // ROUND + 1023

export const ONE_F: usize = memory.data<f32>([1.0]);
export const TWO_F: usize = memory.data<f32>([2.0]);
export const HALF_F: usize = memory.data<f32>([0.5]);
export const SIGN_F: usize = memory.data<u32>([0x80000000]);
const MAGNITUDE_F: usize = memory.data<u32>([0x7fffffff]);
/** 2^23 + 2^22. */
export const ROUND_F: usize = memory.data<f32>([12582912.0]);

/** A constant, given by its address, in both f64 lanes. */
// @ts-ignore: decorator
@inline export function c2(constant: usize): v128 {
  return v128.load64_splat(constant);
}

/** A constant, given by its address, in all four f32 lanes. */
// @ts-ignore: decorator
@inline export function c4(constant: usize): v128 {
  return v128.load32_splat(constant);
}

// @ts-ignore: decorator
@inline export function zero(): v128 {
  return i64x2(0, 0);
}

/** The bits of `yes` where `mask` is set, those of `no` elsewhere. */
// @ts-ignore: decorator
@inline export function pick(mask: v128, yes: v128, no: v128): v128 {
  return v128.bitselect(yes, no, mask);
}

// ---- f64x2 -----------------------------------------------------------------------------------

// @ts-ignore: decorator
@inline export function absD(x: v128): v128 {
  return f64x2.abs(x);
}

/** p·x + c, one Horner step; c is an address. (Two roundings: there is no exact fused form.) */
// @ts-ignore: decorator
@inline export function stepD(p: v128, x: v128, c: usize): v128 {
  return f64x2.add(f64x2.mul(p, x), c2(c));
}

/** |magnitude| with the sign of `sign`. */
// @ts-ignore: decorator
@inline export function copySignD(magnitude: v128, sign: v128): v128 {
  return v128.or(f64x2.abs(magnitude), v128.and(sign, c2(SIGN)));
}

// @ts-ignore: decorator
@inline export function isNanD(x: v128): v128 {
  return f64x2.ne(x, x);
}

/** 2^k for integral lanes k in [-1022, 1023], given as f64. */
// @ts-ignore: decorator
@inline export function pow2D(k: v128): v128 {
  // The sum has k + 1023 in its low bits; the shift drops everything else.
  return i64x2.shl(f64x2.add(k, c2(ROUND_BIASED)), 52);
}

/** x·2^k for integral lanes |k| <= 2044, rounded once. */
// @ts-ignore: decorator
@inline export function scaleD(x: v128, k: v128): v128 {
  let half = f64x2.floor(f64x2.mul(k, c2(HALF)));
  return f64x2.mul(f64x2.mul(x, pow2D(half)), pow2D(f64x2.sub(k, half)));
}

// ---- f32x4 -----------------------------------------------------------------------------------

// @ts-ignore: decorator
@inline export function absF(x: v128): v128 {
  return v128.and(x, c4(MAGNITUDE_F)); // engines build the mask of f32x4.abs anew each time
}

/** Negative, as an integer, in the lanes whose magnitude passes the number at `limit` or is NaN. */
// @ts-ignore: decorator
@inline export function marginF(x: v128, limit: usize): v128 {
  return i32x4.sub(c4(limit), absF(x));
}

// @ts-ignore: decorator
@inline export function stepF(p: v128, x: v128, c: usize): v128 {
  return f32x4.add(f32x4.mul(p, x), c4(c));
}

/** |magnitude| with the sign of `sign`. */
// @ts-ignore: decorator
@inline export function copySignF(magnitude: v128, sign: v128): v128 {
  return v128.or(absF(magnitude), v128.and(sign, c4(SIGN_F)));
}

/** x·2^k for i32 lanes |k| <= 252, rounded once. */
// @ts-ignore: decorator
@inline export function scaleF(x: v128, k: v128): v128 {
  let half = i32x4.shr_s(k, 1);
  let bias = i32x4.splat(127);
  let first = i32x4.shl(i32x4.add(half, bias), 23);
  let second = i32x4.shl(i32x4.add(i32x4.sub(k, half), bias), 23);
  return f32x4.mul(f32x4.mul(x, first), second);
}

// ---- between them ----------------------------------------------------------------------------

/** Lanes 0 and 1 of an f32x4 as f64x2, exactly. */
// @ts-ignore: decorator
@inline export function lowHalf(x: v128): v128 {
  return f64x2.promote_low_f32x4(x);
}

/** Lanes 2 and 3 of an f32x4 as f64x2, exactly. */
// @ts-ignore: decorator
@inline export function highHalf(x: v128): v128 {
  return f64x2.promote_low_f32x4(i64x2.shuffle(x, x, 1, 1));
}

/** Two f64x2 vectors rounded to one f32x4. */
// @ts-ignore: decorator
@inline export function join(low: v128, high: v128): v128 {
  return i64x2.shuffle(f32x4.demote_f64x2_zero(low), f32x4.demote_f64x2_zero(high), 0, 2);
}
