/**
 * The exponential family in f64x2: exp, expm1, sinh, cosh, tanh, sigmoid.
 *
 * exp: k = nearest(x / ln 2), r = x - k ln 2 in two parts (the high part of ln 2 has 42 bits, so
 * k·high is exact), e^r = 1 + (r + r² P(r)) with P of degree 10, then 2^k: added to the exponent
 * while every lane stays normal, else in two factors so that subnormal results are rounded once
 * (same bits where both apply). P is our own minimax fit (Remez exchange in 113-bit arithmetic) of
 * (e^r - 1 - r)/r² on |r| <= ln 2 / 2, error relative to r below 2^-60.
 * sinh below 1: x + x³ S(x²), S of degree 6, error 2^-56; tanh below 5/8: x + x³ T(x²), T of degree
 * 11, error 2^-57; both fitted alike.
 *
 * Bounds (ULP): exp 1, expm1 1.5, cosh 1.5, tanh 1.5, sigmoid 1.5, sinh 2.
 */
import { absD, c2, copySignD, HALF, ONE, pick, pow2D, ROUND, scaleD, stepD, zero } from "./lanes";

const LN2_HIGH: usize = memory.data<f64>([0.69314718055989033]); // 42 bits
const MINUS_LN2_LOW: usize = memory.data<f64>([-5.4979230187083712e-14]);
const INV_LN2: usize = memory.data<f64>([1.4426950408889634]);
const QUARTER: usize = memory.data<f64>([0.25]);
const TINY: usize = memory.data<f64>([1e-17]);
const UPPER: usize = memory.data<f64>([712]); // e^712 has overflown
const LOWER: usize = memory.data<f64>([-750]); // e^-750 is 0
const LOWER_M1: usize = memory.data<f64>([-60]); // e^-60 - 1 is -1
const NORMAL_MAX: usize = memory.data<f64>([708]); // e^±708 and what it is made of are normal
const MINUS_NORMAL_MAX: usize = memory.data<f64>([-708]);
const NORMAL_MAX_M1: usize = memory.data<f64>([40]);
const TANH_NEAR: usize = memory.data<f64>([0.625]);
const TANH_FAR: usize = memory.data<f64>([22]); // tanh 22 rounds to 1
const K_MAX: usize = memory.data<f64>([1000]);

const TAIL: usize = memory.data<f64>([
  2.0924440627799846e-9, 2.5109045014648268e-8, 2.7557242767494575e-7, 2.7557244181565872e-6,
  2.4801587360548581e-5, 0.00019841269886158877, 0.0013888888888866841, 0.0083333333333216152,
  0.041666666666666699, 0.16666666666666677, 0.5,
]);

/** (e^r - 1 - r)/r² for |r| <= ln 2 / 2. */
// @ts-ignore: decorator
@inline function tail(r: v128): v128 {
  let p = c2(TAIL);
  p = stepD(p, r, TAIL + 8);
  p = stepD(p, r, TAIL + 16);
  p = stepD(p, r, TAIL + 24);
  p = stepD(p, r, TAIL + 32);
  p = stepD(p, r, TAIL + 40);
  p = stepD(p, r, TAIL + 48);
  p = stepD(p, r, TAIL + 56);
  p = stepD(p, r, TAIL + 64);
  p = stepD(p, r, TAIL + 72);
  return stepD(p, r, TAIL + 80);
}

/** e^(high + low) - 1, good beside 1, for |high| <= ln 2 / 2 and a small low. */
// @ts-ignore: decorator
@inline function expm1Near(high: v128, low: v128): v128 {
  let r = f64x2.add(high, low);
  low = f64x2.add(f64x2.sub(high, r), low);
  let q = f64x2.add(f64x2.mul(f64x2.mul(r, r), tail(r)), low);
  return f64x2.add(r, q);
}

/** e^(high + low) for |high| <= ln 2 / 2 and a small low. */
// @ts-ignore: decorator
@inline function expNear(high: v128, low: v128): v128 {
  return f64x2.add(c2(ONE), expm1Near(high, low));
}

/** 2^shift · e^(x + low), for |low| <= ulp(x); rounded once also where it is subnormal. */
export function expShiftedD(x: v128, low: v128, shift: f64): v128 {
  x = f64x2.pmax(f64x2.pmin(x, c2(UPPER)), c2(LOWER));
  let k = f64x2.nearest(f64x2.mul(x, c2(INV_LN2)));
  let high = f64x2.sub(x, f64x2.mul(k, c2(LN2_HIGH)));
  let y = expNear(high, f64x2.add(low, f64x2.mul(k, c2(MINUS_LN2_LOW))));
  return scaleD(y, f64x2.add(k, f64x2.splat(shift)));
}

/** Whether a lane's magnitude passes the positive double at `limit`, or is NaN. */
// @ts-ignore: decorator
@inline function anyBeyond(x: v128, limit: usize): bool {
  return v128.any_true(i64x2.gt_s(absD(x), c2(limit)));
}

export function expD(x: v128): v128 {
  if (anyBeyond(x, NORMAL_MAX)) return expShiftedD(x, zero(), 0);
  let turns = f64x2.add(f64x2.mul(x, c2(INV_LN2)), c2(ROUND));
  let k = f64x2.sub(turns, c2(ROUND));
  let high = f64x2.sub(x, f64x2.mul(k, c2(LN2_HIGH)));
  let y = expNear(high, f64x2.mul(k, c2(MINUS_LN2_LOW)));
  return i64x2.add(y, i64x2.shl(turns, 52));
}

/** (1 - 2^-k) + r + q, largest first; `inverse` is 2^-k. */
// @ts-ignore: decorator
@inline function expm1Scaled(inverse: v128, r: v128, q: v128): v128 {
  let unit = f64x2.sub(c2(ONE), inverse);
  let lost = f64x2.sub(f64x2.sub(c2(ONE), unit), inverse);
  let sum = f64x2.add(unit, r);
  let error = f64x2.add(lost, f64x2.sub(r, f64x2.sub(sum, unit)));
  return f64x2.add(sum, f64x2.add(q, error));
}

export function expm1D(x: v128): v128 {
  let ordinary = !anyBeyond(x, NORMAL_MAX_M1);
  let inside = x;
  if (!ordinary) inside = f64x2.pmax(f64x2.pmin(x, c2(UPPER)), c2(LOWER_M1));
  let turns = f64x2.add(f64x2.mul(inside, c2(INV_LN2)), c2(ROUND));
  let k = f64x2.sub(turns, c2(ROUND));
  let high = f64x2.sub(inside, f64x2.mul(k, c2(LN2_HIGH)));
  let low = f64x2.mul(k, c2(MINUS_LN2_LOW));
  let r = f64x2.add(high, low);
  low = f64x2.add(f64x2.sub(high, r), low);
  // q = e^(r + low) - 1 - r
  let q = f64x2.add(f64x2.mul(f64x2.mul(r, r), tail(r)), f64x2.add(low, f64x2.mul(r, low)));
  let far: v128;
  if (ordinary) {
    let shift = i64x2.shl(turns, 52);
    far = i64x2.add(expm1Scaled(i64x2.sub(c2(ONE), shift), r, q), shift);
  } else {
    // Beyond 2^-1000 the inverse power no longer matters.
    far = scaleD(expm1Scaled(pow2D(f64x2.neg(f64x2.pmin(k, c2(K_MAX)))), r, q), k);
  }
  let result = pick(f64x2.eq(k, zero()), f64x2.add(r, q), far);
  return pick(f64x2.lt(absD(x), c2(TINY)), x, result);
}

const SINH_TAIL: usize = memory.data<f64>([
  7.7594251618725579e-13, 1.6057236714551448e-10, 2.5052123443815728e-8, 2.7557319155060933e-6,
  0.00019841269841438524, 0.0083333333333331372, 0.16666666666666669,
]);

/** x + x³ S(x²) below 1; e^|x|/2 - e^-|x|/2 above. */
export function sinhD(x: v128): v128 {
  let a = absD(x);
  let half = expShiftedD(a, zero(), -1);
  let far = f64x2.sub(half, f64x2.div(c2(QUARTER), half));
  let z = f64x2.mul(a, a);
  let p = c2(SINH_TAIL);
  p = stepD(p, z, SINH_TAIL + 8);
  p = stepD(p, z, SINH_TAIL + 16);
  p = stepD(p, z, SINH_TAIL + 24);
  p = stepD(p, z, SINH_TAIL + 32);
  p = stepD(p, z, SINH_TAIL + 40);
  p = stepD(p, z, SINH_TAIL + 48);
  let near = f64x2.add(a, f64x2.mul(f64x2.mul(a, z), p));
  return copySignD(pick(f64x2.lt(a, c2(ONE)), near, far), x);
}

export function coshD(x: v128): v128 {
  let half = expShiftedD(absD(x), zero(), -1);
  return f64x2.add(half, f64x2.div(c2(QUARTER), half));
}

const TANH_TAIL: usize = memory.data<f64>([
  6.0538719726977054e-6, -3.0214029403978393e-5, 9.1585963058571189e-5, -0.00023702797810965979,
  0.00058945786661598843, -0.0014557274416445811, 0.0035921142443925071, -0.0088632343388059705,
  0.02186948847048463, -0.053968253966128261, 0.13333333333329878, -0.33333333333333315,
]);

/** x + x³ T(x²) below 5/8; 1 - 2/(e^(2|x|) + 1) above. */
export function tanhD(x: v128): v128 {
  let a = f64x2.pmin(absD(x), c2(TANH_FAR));
  let z = f64x2.mul(a, a);
  let p = c2(TANH_TAIL);
  p = stepD(p, z, TANH_TAIL + 8);
  p = stepD(p, z, TANH_TAIL + 16);
  p = stepD(p, z, TANH_TAIL + 24);
  p = stepD(p, z, TANH_TAIL + 32);
  p = stepD(p, z, TANH_TAIL + 40);
  p = stepD(p, z, TANH_TAIL + 48);
  p = stepD(p, z, TANH_TAIL + 56);
  p = stepD(p, z, TANH_TAIL + 64);
  p = stepD(p, z, TANH_TAIL + 72);
  p = stepD(p, z, TANH_TAIL + 80);
  p = stepD(p, z, TANH_TAIL + 88);
  let near = f64x2.add(a, f64x2.mul(f64x2.mul(a, z), p));
  // e^(2a)/2 + 1/2 has the inverse 2/(e^(2a) + 1)
  let half = f64x2.mul(f64x2.add(expD(f64x2.add(a, a)), c2(ONE)), c2(HALF));
  let far = f64x2.sub(c2(ONE), f64x2.div(c2(ONE), half));
  return copySignD(pick(f64x2.lt(a, c2(TANH_NEAR)), near, far), x);
}

/**
 * e/(1 + e) or 1/(1 + e) with e = e^-|x| in two parts: the quotient of the leading parts, corrected
 * by what they lost. The inverse of the denominator is the quotient itself or 1 less it.
 */
export function sigmoidD(x: v128): v128 {
  let negative = f64x2.lt(x, zero());
  let inside = f64x2.pmax(f64x2.neg(absD(x)), c2(MINUS_NORMAL_MAX));
  let turns = f64x2.add(f64x2.mul(inside, c2(INV_LN2)), c2(ROUND));
  let k = f64x2.sub(turns, c2(ROUND));
  let power = i64x2.add(i64x2.shl(turns, 52), c2(ONE));
  let high = f64x2.sub(inside, f64x2.mul(k, c2(LN2_HIGH)));
  let part = expm1Near(high, f64x2.mul(k, c2(MINUS_LN2_LOW)));
  let unit = f64x2.add(c2(ONE), part);
  let e = f64x2.mul(unit, power);
  let low = f64x2.mul(f64x2.sub(part, f64x2.sub(unit, c2(ONE))), power);
  let sum = f64x2.add(c2(ONE), e);
  let lost = f64x2.add(f64x2.sub(e, f64x2.sub(sum, c2(ONE))), low);
  let q = f64x2.div(pick(negative, e, c2(ONE)), sum);
  let error = f64x2.sub(v128.and(negative, low), f64x2.mul(q, lost));
  let inverse = pick(negative, f64x2.sub(c2(ONE), q), q);
  let result = f64x2.add(q, f64x2.mul(error, inverse));
  let far = f64x2.lt(x, c2(MINUS_NORMAL_MAX));
  return v128.any_true(far) ? pick(far, expShiftedD(x, zero(), 0), result) : result;
}
