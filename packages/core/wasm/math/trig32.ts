/**
 * sin, cos and tan in f32x4.
 *
 * sin and cos, |x| <= 2^13: x = k π/2 + r in single precision. The first three parts of π/2 are
 * short, their products with k <= 5215 exact; x less the first two is exact as well, since it is a
 * multiple of 2^-24. What the third difference loses and k times the fourth part make `low`; r +
 * low errs by 0.06 of a unit at most next to the zeros. Other lanes, and tan, take the f64x2
 * halves.
 *
 * In halves: up to |x| = 2^20 π/2 by two parts of π/2 in double (the first has 33 bits, its
 * product with k is exact; r keeps a relative error below 2^-35 next to the zeros too); beyond,
 * `reduceHuge` does the lane.
 *
 * The polynomials on |r| <= π/4 are our own minimax fits (Remez in 113-bit arithmetic or more):
 * sin r = r + r³ S(r²), degree 2, error 2^-28 of r; cos r = 1 - r²/2 + r⁴ C(r²), degree 2, error
 * 2^-33. tan takes S of degree 3, error 2^-37.
 *
 * Bounds (ULP): sin 1, cos 1, tan 0.6; over all finite arguments.
 */
import {
  absF,
  c2,
  c4,
  HALF,
  HALF_F,
  highHalf,
  join,
  lowHalf,
  marginF,
  ONE,
  pick,
  ROUND,
  ROUND_F,
  SIGN,
  SIGN_F,
  stepD,
  stepF,
  zero,
} from "./lanes";
import { reduceHuge } from "./reduce";

const NEAR_MAX: usize = memory.data<f32>([8192]);
const TWO_OVER_PI_F: usize = memory.data<f32>([0.636619772]);
const PIO2_1: usize = memory.data<f32>([1.57080078125]); // 3217/2^11
const PIO2_2: usize = memory.data<f32>([-4.470348358154297e-6]); // -75/2^24
const PIO2_3: usize = memory.data<f32>([1.5890691429376602e-8]); // 273/2^34
const PIO2_4: usize = memory.data<f32>([2.5633440682570896e-12]);
const ROUND_NEXT: usize = memory.data<f32>([12582913]); // ROUND_F + 1
const UNIT: usize = memory.data<u32>([1]);
const QUARTER: usize = memory.data<f32>([0.25]);
const THREE_QUARTERS: usize = memory.data<f32>([0.75]);

const SIN_F: usize = memory.data<f32>([-0.00019516978, 0.008332176, -0.16666655]);

const COS_F: usize = memory.data<f32>([2.4438092e-5, -0.0013887364, 0.041666646]);

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

/** In f64x2 halves. kind 0: sin, 1: cos, 2: tan; a constant at every call. */
// @ts-ignore: decorator
@inline function wide(x: v128, kind: i32): v128 {
  let result = join(half(lowHalf(x), kind), half(highHalf(x), kind));
  if (v128.any_true(f32x4.gt(absF(x), c4(FAST_MAX)))) return patchHuge(x, result, kind);
  return result;
}

/** a - k π/2 by the first two parts of π/2, exactly. */
// @ts-ignore: decorator
@inline function beforeOf(a: v128, k: v128): v128 {
  return f32x4.sub(f32x4.sub(a, f32x4.mul(k, c4(PIO2_1))), f32x4.mul(k, c4(PIO2_2)));
}

/** What r = before - step lost, and the fourth part. */
// @ts-ignore: decorator
@inline function lowOf(before: v128, r: v128, step: v128, k: v128): v128 {
  return f32x4.sub(f32x4.sub(f32x4.sub(before, r), step), f32x4.mul(k, c4(PIO2_4)));
}

/** sin (r + low), z = r². */
// @ts-ignore: decorator
@inline function sineOf(r: v128, low: v128, z: v128): v128 {
  let p = stepF(stepF(c4(SIN_F), z, SIN_F + 4), z, SIN_F + 8);
  return f32x4.add(r, f32x4.add(f32x4.mul(f32x4.mul(r, z), p), low));
}

/** cos (r + low), summed as 3/4 plus a small number: 1 - r²/2 would lose half a unit. */
// @ts-ignore: decorator
@inline function cosineOf(r: v128, low: v128, z: v128): v128 {
  let zz = f32x4.mul(z, z);
  let q = f32x4.add(f32x4.mul(c4(COS_F), zz), stepF(c4(COS_F + 4), z, COS_F + 8));
  let rest = f32x4.sub(f32x4.sub(c4(QUARTER), f32x4.mul(z, c4(HALF_F))), f32x4.mul(r, low));
  return f32x4.add(c4(THREE_QUARTERS), f32x4.add(rest, f32x4.mul(zz, q)));
}

/** All ones where the number of quarter turns is odd. */
// @ts-ignore: decorator
@inline function oddOf(turns: v128): v128 {
  return i32x4.sub(zero(), v128.and(turns, c4(UNIT)));
}

/**
 * In single precision, for |x| <= 2^13. kind 0: sin, 1: cos, the sine of a quarter turn more.
 *
 * It works on |x|, and sin flips the sign at the end: so sin -0 is -0.
 */
// @ts-ignore: decorator
@inline function near(x: v128, kind: i32): v128 {
  let round = kind == 0 ? ROUND_F : ROUND_NEXT;
  let a = absF(x);
  let turns = f32x4.add(f32x4.mul(a, c4(TWO_OVER_PI_F)), c4(round));
  let k = f32x4.sub(turns, c4(round));
  let before = beforeOf(a, k);
  let step = f32x4.mul(k, c4(PIO2_3));
  let r = f32x4.sub(before, step);
  let low = lowOf(before, r, step, k);
  let z = f32x4.mul(r, r);
  let sign = i32x4.shl(turns, 30);
  if (kind == 0) sign = v128.xor(sign, x);
  let result = pick(oddOf(turns), cosineOf(r, low, z), sineOf(r, low, z));
  return v128.xor(result, v128.and(sign, c4(SIGN_F)));
}

function storeApart(x: v128, sineAt: usize, cosineAt: usize): void {
  v128.store(sineAt, sinF(x));
  v128.store(cosineAt, cosF(x));
}

/**
 * sin x and cos x to two places, with the bits they have alone. Both are parts of one reduction,
 * except where x lies between two multiples of π/2: there each takes the even one of its own count.
 */
// @ts-ignore: decorator
@inline export function storeSinCosF(x: v128, sineAt: usize, cosineAt: usize): void {
  let a = absF(x);
  let quarters = f32x4.mul(a, c4(TWO_OVER_PI_F));
  let turns = f32x4.add(quarters, c4(ROUND_F));
  let next = i32x4.add(turns, c4(UNIT));
  let isApart = i32x4.ne(next, f32x4.add(quarters, c4(ROUND_NEXT)));
  if (i32x4.bitmask(v128.or(marginF(x, NEAR_MAX), isApart))) {
    storeApart(x, sineAt, cosineAt);
    return;
  }
  let k = f32x4.sub(turns, c4(ROUND_F));
  let before = beforeOf(a, k);
  let step = f32x4.mul(k, c4(PIO2_3));
  let r = f32x4.sub(before, step);
  let low = lowOf(before, r, step, k);
  let z = f32x4.mul(r, r);
  let sine = sineOf(r, low, z);
  let cosine = cosineOf(r, low, z);
  let odd = oddOf(turns);
  let sineSign = v128.and(v128.xor(i32x4.shl(turns, 30), x), c4(SIGN_F));
  let cosineSign = v128.and(i32x4.shl(next, 30), c4(SIGN_F));
  v128.store(sineAt, v128.xor(pick(odd, cosine, sine), sineSign));
  v128.store(cosineAt, v128.xor(pick(odd, sine, cosine), cosineSign));
}

/** Each lane by its own magnitude; at least one is out of reach of `near`. */
// @ts-ignore: decorator
@inline function byMagnitude(x: v128, kind: i32): v128 {
  let margin = marginF(x, NEAR_MAX);
  let result = wide(x, kind);
  if (i32x4.bitmask(margin) == 15) return result;
  return pick(i32x4.shr_s(margin, 31), result, near(x, kind));
}

function sinByMagnitude(x: v128): v128 {
  return byMagnitude(x, 0);
}

function cosByMagnitude(x: v128): v128 {
  return byMagnitude(x, 1);
}

// @ts-ignore: decorator
@inline export function sinF(x: v128): v128 {
  return i32x4.bitmask(marginF(x, NEAR_MAX)) ? sinByMagnitude(x) : near(x, 0);
}

// @ts-ignore: decorator
@inline export function cosF(x: v128): v128 {
  return i32x4.bitmask(marginF(x, NEAR_MAX)) ? cosByMagnitude(x) : near(x, 1);
}

export function tanF(x: v128): v128 {
  return pick(f32x4.lt(absF(x), c4(TINY)), x, wide(x, 2));
}
