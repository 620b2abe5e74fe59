/**
 * Lane arithmetic shared by the transcendental kernels: short names for the f32x4 and f64x2
 * operations they are written in, polynomial steps, exponent surgery, and the bridge between one
 * f32x4 vector and the two f64x2 vectors of its halves.
 *
 * Everything here is lane-wise: the bits of a lane depend on that lane alone.
 */

// ---- f64x2 -----------------------------------------------------------------------------------

// @ts-ignore: decorator
@inline export function d2(c: f64): v128 { return f64x2.splat(c); }

// @ts-ignore: decorator
@inline export function absD(x: v128): v128 { return f64x2.abs(x); }

/** p·x + c, one Horner step (two roundings: WebAssembly has no exact fused form). */
// @ts-ignore: decorator
@inline export function stepD(p: v128, x: v128, c: f64): v128 {
  return f64x2.add(f64x2.mul(p, x), f64x2.splat(c));
}

/** The bits of `yes` where `mask` is set, those of `no` elsewhere. */
// @ts-ignore: decorator
@inline export function pick(mask: v128, yes: v128, no: v128): v128 {
  return v128.bitselect(yes, no, mask);
}

// @ts-ignore: decorator
@inline export function signBitsD(x: v128): v128 {
  return v128.and(x, i64x2.splat(0x8000000000000000));
}

/** |magnitude| with the sign of `sign`. */
// @ts-ignore: decorator
@inline export function copySignD(magnitude: v128, sign: v128): v128 {
  return pick(i64x2.splat(0x8000000000000000), sign, magnitude);
}

// @ts-ignore: decorator
@inline export function isNanD(x: v128): v128 { return f64x2.ne(x, x); }

/** 2^k for integral lanes k in [-1022, 1023], given as f64. */
// @ts-ignore: decorator
@inline export function pow2D(k: v128): v128 {
  // 2^52 + 2^51 + k + 1023 has k + 1023 in its low bits; the shift drops everything else.
  return i64x2.shl(f64x2.add(k, f64x2.splat(6755399441055744.0 + 1023.0)), 52);
}

/** x·2^k for integral lanes |k| <= 2044, rounded once. */
// @ts-ignore: decorator
@inline export function scaleD(x: v128, k: v128): v128 {
  let half = f64x2.floor(f64x2.mul(k, d2(0.5)));
  return f64x2.mul(f64x2.mul(x, pow2D(half)), pow2D(f64x2.sub(k, half)));
}

// ---- f32x4 -----------------------------------------------------------------------------------

// @ts-ignore: decorator
@inline export function d4(c: f32): v128 { return f32x4.splat(c); }

// @ts-ignore: decorator
@inline export function absF(x: v128): v128 { return f32x4.abs(x); }

// @ts-ignore: decorator
@inline export function stepF(p: v128, x: v128, c: f32): v128 {
  return f32x4.add(f32x4.mul(p, x), f32x4.splat(c));
}

/** |magnitude| with the sign of `sign`. */
// @ts-ignore: decorator
@inline export function copySignF(magnitude: v128, sign: v128): v128 {
  return pick(i32x4.splat(0x80000000), sign, magnitude);
}

/** 2^k for lanes k in [-126, 127], given as i32. */
// @ts-ignore: decorator
@inline export function pow2F(k: v128): v128 {
  return i32x4.shl(i32x4.add(k, i32x4.splat(127)), 23);
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
  return i64x2.shuffle(
    f32x4.demote_f64x2_zero(low),
    f32x4.demote_f64x2_zero(high),
    0,
    2,
  );
}
