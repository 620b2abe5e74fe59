/**
 * sin, cos and tan in f32x4, computed on the two f64x2 halves.
 *
 * x = k π/2 + r. Up to |x| = 2^20 π/2 by two parts of π/2 in double (the first has 33 bits, its
 * product with k is exact; r keeps a relative error below 2^-35 next to the zeros too); beyond,
 * `reduceHuge` does the lane. The polynomials on |r| <= π/4 are our own minimax fits (Remez in
 * 113-bit arithmetic): sin r = r + r³ S(r²), degree 2, error 2^-28 of r; cos r = 1 - r²/2 + r⁴
 * C(r²), degree 2, error 2^-33. tan takes S of degree 3, error 2^-37.
 *
 * Bounds (ULP): sin 0.6, cos 0.6, tan 0.6; over all finite arguments.
 */
import {
  absF, c2, c4, HALF, highHalf, join, lowHalf, ONE, pick, ROUND, SIGN, stepD,
} from "./lanes";
import { reduceHuge } from "./reduce";

const TWO_OVER_PI: usize = memory.data<f64>([0.63661977236758138]);
const PIO2_HIGH: usize = memory.data<f64>([1.5707963267341256]); // 33 bits
const PIO2_LOW: usize = memory.data<f64>([6.0771005065061922e-11]);
const FAST_MAX: usize = memory.data<f32>([1647099]); // below 2^20 π/2
const TINY: usize = memory.data<f32>([1e-5]);

const SIN: usize = memory.data<f64>([
  -0.0001951723446313241, 0.0083321776855606756, -0.16666654936712136,
]);

const SIN_FINE: usize = memory.data<f64>([
  2.7183041754279518e-6, -0.00019839334076951975, 0.0083333293835632666, -0.16666666641606909,
]);

const COS: usize = memory.data<f64>([
  2.4438399717745891e-5, -0.0013887367099842762, 0.04166664685844363,
]);

/** sin, cos or tan of r plus `turns` quarter turns (in the low bits). */
// @ts-ignore: decorator
@inline function finish(r: v128, turns: v128, kind: i32): v128 {
  let z = f64x2.mul(r, r);
  let p: v128;
  if (kind == 2) {
    p = stepD(stepD(c2(SIN_FINE), z, SIN_FINE + 8), z, SIN_FINE + 16);
    p = stepD(p, z, SIN_FINE + 24);
  } else {
    p = stepD(stepD(c2(SIN), z, SIN + 8), z, SIN + 16);
  }
  let sine = f64x2.add(r, f64x2.mul(f64x2.mul(r, z), p));
  let q = stepD(stepD(c2(COS), z, COS + 8), z, COS + 16);
  q = f64x2.sub(f64x2.mul(q, z), c2(HALF));
  let cosine = f64x2.add(f64x2.mul(q, z), c2(ONE));
  if (kind == 1) turns = i64x2.add(turns, i64x2.splat(1));
  // Bit 0 of the turns, spread over the lane by its sign: the blend below looks at whole lanes.
  let odd = i64x2.sub(i64x2(0, 0), v128.and(turns, i64x2.splat(1)));
  if (kind == 2) {
    let quotient = f64x2.div(pick(odd, cosine, sine), pick(odd, sine, cosine));
    return v128.xor(quotient, v128.and(odd, c2(SIGN)));
  }
  return v128.xor(pick(odd, cosine, sine), v128.and(i64x2.shl(turns, 62), c2(SIGN)));
}

// @ts-ignore: decorator
@inline function half(x: v128, kind: i32): v128 {
  let turns = f64x2.add(f64x2.mul(x, c2(TWO_OVER_PI)), c2(ROUND));
  let k = f64x2.sub(turns, c2(ROUND));
  let r = f64x2.sub(x, f64x2.mul(k, c2(PIO2_HIGH)));
  return finish(f64x2.sub(r, f64x2.mul(k, c2(PIO2_LOW))), turns, kind);
}

/** One lane beyond the fast range, an infinity included. */
function hugeLane(x: f64, kind: i32): f32 {
  let packed = reduceHuge(x);
  let turns = i64x2.shuffle(packed, packed, 1, 1);
  if (kind == 0) return <f32>f64x2.extract_lane(finish(packed, turns, 0), 0);
  if (kind == 1) return <f32>f64x2.extract_lane(finish(packed, turns, 1), 0);
  return <f32>f64x2.extract_lane(finish(packed, turns, 2), 0);
}

/** `result` with the lanes of huge x done again. */
function patchHuge(x: v128, result: v128, kind: i32): v128 {
  let a = f32x4.extract_lane(x, 0);
  let b = f32x4.extract_lane(x, 1);
  let c = f32x4.extract_lane(x, 2);
  let d = f32x4.extract_lane(x, 3);
  let limit = load<f32>(FAST_MAX);
  if (abs(a) > limit) result = f32x4.replace_lane(result, 0, hugeLane(a, kind));
  if (abs(b) > limit) result = f32x4.replace_lane(result, 1, hugeLane(b, kind));
  if (abs(c) > limit) result = f32x4.replace_lane(result, 2, hugeLane(c, kind));
  if (abs(d) > limit) result = f32x4.replace_lane(result, 3, hugeLane(d, kind));
  return result;
}

/** kind 0: sin, 1: cos, 2: tan; a constant at every call. */
// @ts-ignore: decorator
@inline function trig(x: v128, kind: i32): v128 {
  let result = join(half(lowHalf(x), kind), half(highHalf(x), kind));
  let a = absF(x);
  if (v128.any_true(f32x4.gt(a, c4(FAST_MAX)))) result = patchHuge(x, result, kind);
  if (kind == 1) return result;
  return pick(f32x4.lt(a, c4(TINY)), x, result);
}

export function sinF(x: v128): v128 {
  return trig(x, 0);
}

export function cosF(x: v128): v128 {
  return trig(x, 1);
}

export function tanF(x: v128): v128 {
  return trig(x, 2);
}
