/**
 * The inverse circular functions in f32x4: atan in f32, asin, acos and atan2 on the two f64x2
 * halves.
 *
 * atan has the intervals of arc64.ts: |x| is moved to |t| <= 7/16 by atan x = atan c + atan((x -
 * c)/(1 + c x)), c = 0, 1/2, 1, 3/2 or infinity, atan c in two parts. asin and acos: x + x³ P(x²)
 * up to 1/2, above by asin x = π/2 - 2 asin sqrt((1 - x)/2), in double. atan2 divides in double
 * and takes atan there, without the intervals around 1/2 and 3/2. The polynomials are our own
 * minimax fits (Remez in 113-bit arithmetic): atan of degree 4 in t², error 2^-28; asin of degree
 * 5, error 2^-31.
 *
 * Bounds (ULP): atan 1, asin 0.6, acos 0.6, atan2 0.6.
 */
import {
  absD,
  absF,
  c2,
  c4,
  copySignD,
  copySignF,
  HALF,
  HALF_F,
  highHalf,
  INFINITE,
  isNanD,
  join,
  lowHalf,
  NOT_A_NUMBER,
  ONE,
  ONE_F,
  pick,
  SIGN,
  stepD,
  stepF,
  zero,
} from "./lanes";

const BOUND_1: usize = memory.data<f32>([0.4375]);
const BOUND_2: usize = memory.data<f32>([0.6875]);
const BOUND_3: usize = memory.data<f32>([1.1875]);
const BOUND_4: usize = memory.data<f32>([2.4375]);
const MINUS_ONE_F: usize = memory.data<f32>([-1]);
const ATAN_HALF_HIGH: usize = memory.data<f32>([0.463647604]);
const ATAN_HALF_LOW: usize = memory.data<f32>([5.01215869e-9]);
const PIO4_HIGH: usize = memory.data<f32>([0.785398185]);
const PIO4_LOW: usize = memory.data<f32>([-2.18556941e-8]);
const ATAN_3_2_HIGH: usize = memory.data<f32>([0.982793748]);
const ATAN_3_2_LOW: usize = memory.data<f32>([-2.51314241e-8]);
const PIO2_HIGH: usize = memory.data<f32>([1.57079637]);
const PIO2_LOW: usize = memory.data<f32>([-4.37113883e-8]);
const TAN_PIO8: usize = memory.data<f64>([0.41421356237309503]);
const PIO4: usize = memory.data<f64>([0.78539816339744828]);
const PIO2: usize = memory.data<f64>([1.5707963267948966]);
const PI: usize = memory.data<f64>([3.1415926535897931]);

const ATAN: usize = memory.data<f32>([
  -0.0582301877, 0.104927413, -0.142299101, 0.199977592, -0.333333045,
]);

const ATAN_FINE: usize = memory.data<f64>([
  -0.058230189383123902, 0.10492741162940127, -0.14229910005407792, 0.19997759883544317,
  -0.33333303894444388,
]);

const ASIN: usize = memory.data<f64>([
  0.037578284492936771, 0.014393709494508113, 0.031819845632206863, 0.044515467937068266,
  0.075005121457875551, 0.1666665985288821,
]);

export function atanF(x: v128): v128 {
  let a = absF(x);
  let first = f32x4.ge(a, c4(BOUND_1));
  let second = f32x4.ge(a, c4(BOUND_2));
  let third = f32x4.ge(a, c4(BOUND_3));
  let fourth = f32x4.ge(a, c4(BOUND_4));
  let half = c4(HALF_F);
  let c = f32x4.add(v128.and(first, half), v128.and(second, half));
  c = f32x4.add(c, v128.and(third, half));
  let top = pick(fourth, c4(MINUS_ONE_F), f32x4.sub(a, c));
  let bottom = pick(fourth, a, f32x4.add(c4(ONE_F), f32x4.mul(c, a)));
  let t = f32x4.div(top, bottom);
  let high = v128.and(first, c4(ATAN_HALF_HIGH));
  high = pick(second, c4(PIO4_HIGH), high);
  high = pick(third, c4(ATAN_3_2_HIGH), high);
  high = pick(fourth, c4(PIO2_HIGH), high);
  let low = v128.and(first, c4(ATAN_HALF_LOW));
  low = pick(second, c4(PIO4_LOW), low);
  low = pick(third, c4(ATAN_3_2_LOW), low);
  low = pick(fourth, c4(PIO2_LOW), low);
  let z = f32x4.mul(t, t);
  let p = c4(ATAN);
  p = stepF(p, z, ATAN + 4);
  p = stepF(p, z, ATAN + 8);
  p = stepF(p, z, ATAN + 12);
  p = stepF(p, z, ATAN + 16);
  let rest = f32x4.add(f32x4.mul(t, f32x4.mul(p, z)), low);
  return copySignF(f32x4.add(high, f32x4.add(t, rest)), x);
}

/** atan2 of two doubles that were floats. */
// @ts-ignore: decorator
@inline function atan2Half(y: v128, x: v128): v128 {
  let a = absD(x);
  let b = absD(y);
  let large = f64x2.pmax(a, b);
  let small = f64x2.pmin(a, b);
  // small/large is at most 1; above tan π/8 take (small - large)/(small + large) and add π/4.
  let infinite = f64x2.eq(small, c2(INFINITE));
  let outer = v128.or(f64x2.gt(small, f64x2.mul(large, c2(TAN_PIO8))), infinite);
  let top = f64x2.sub(small, v128.and(outer, large));
  let t = f64x2.div(top, f64x2.add(large, v128.and(outer, small)));
  t = v128.andnot(t, v128.or(f64x2.eq(large, zero()), infinite));
  let z = f64x2.mul(t, t);
  let p = c2(ATAN_FINE);
  p = stepD(p, z, ATAN_FINE + 8);
  p = stepD(p, z, ATAN_FINE + 16);
  p = stepD(p, z, ATAN_FINE + 24);
  p = stepD(p, z, ATAN_FINE + 32);
  let angle = f64x2.add(t, f64x2.mul(t, f64x2.mul(p, z)));
  angle = f64x2.add(angle, v128.and(outer, c2(PIO4)));
  let steep = f64x2.gt(b, a);
  let left = i64x2.lt_s(x, zero()); // the sign bit: -0 lies to the left
  // 0 + angle, π/2 - angle, π/2 + angle or π - angle, going around.
  angle = v128.xor(angle, v128.and(v128.xor(steep, left), c2(SIGN)));
  angle = f64x2.add(pick(steep, c2(PIO2), v128.and(left, c2(PI))), angle);
  return pick(v128.or(isNanD(x), isNanD(y)), c2(NOT_A_NUMBER), copySignD(angle, y));
}

export function atan2F(y: v128, x: v128): v128 {
  return join(atan2Half(lowHalf(y), lowHalf(x)), atan2Half(highHalf(y), highHalf(x)));
}

/** x + x³ P(x²) with z = x², for |x| <= 1/2. */
// @ts-ignore: decorator
@inline function asinNear(x: v128, z: v128): v128 {
  let p = c2(ASIN);
  p = stepD(p, z, ASIN + 8);
  p = stepD(p, z, ASIN + 16);
  p = stepD(p, z, ASIN + 24);
  p = stepD(p, z, ASIN + 32);
  p = stepD(p, z, ASIN + 40);
  return f64x2.add(x, f64x2.mul(f64x2.mul(x, z), p));
}

// @ts-ignore: decorator
@inline function asinHalf(x: v128): v128 {
  let a = absD(x);
  let outer = f64x2.gt(a, c2(HALF));
  let folded = f64x2.mul(f64x2.sub(c2(ONE), a), c2(HALF));
  let z = pick(outer, folded, f64x2.mul(a, a));
  let near = asinNear(pick(outer, f64x2.sqrt(folded), a), z);
  let far = f64x2.sub(c2(PIO2), f64x2.add(near, near));
  return copySignD(pick(outer, far, near), x);
}

// @ts-ignore: decorator
@inline function acosHalf(x: v128): v128 {
  let a = absD(x);
  let outer = f64x2.gt(a, c2(HALF));
  let folded = f64x2.mul(f64x2.sub(c2(ONE), a), c2(HALF));
  let z = pick(outer, folded, f64x2.mul(a, a));
  let near = asinNear(pick(outer, f64x2.sqrt(folded), x), z);
  let far = f64x2.add(near, near);
  far = pick(f64x2.lt(x, zero()), f64x2.sub(c2(PI), far), far);
  return pick(outer, far, f64x2.sub(c2(PIO2), near));
}

export function asinF(x: v128): v128 {
  return join(asinHalf(lowHalf(x)), asinHalf(highHalf(x)));
}

export function acosF(x: v128): v128 {
  return join(acosHalf(lowHalf(x)), acosHalf(highHalf(x)));
}
