/**
 * The exponential family in f32x4: exp, expm1, sinh, cosh, tanh, sigmoid.
 *
 * exp: k = nearest(x / ln 2), r = x - k ln 2 in two parts (the high part has 16 bits, so k·high is
 * exact), e^r = 1 + (r + r² P(r)), then 2^k: added to the exponent while every lane stays normal,
 * else in two factors so that subnormal results are rounded once (same bits where both apply). P
 * is our own minimax fit (Remez in 113-bit arithmetic) of (e^r - 1 - r)/r² on |r| <= ln 2 / 2:
 * degree 4 for exp, error 2^-27; degree 5 for expm1, error relative to r 2^-28. sinh
 * below 1: x + x³ S(x²), S of degree 3, error 2^-27; tanh below 5/8: x + x³ T(x²), T of degree 4,
 * error 2^-27; both fitted alike.
 *
 * Bounds (ULP): exp 1, expm1 1.5, tanh 1.5, cosh 1.5, sigmoid 1.5, sinh 2.
 */
import {
  absF,
  c4,
  copySignF,
  HALF_F,
  marginF,
  ONE_F,
  pick,
  ROUND_F,
  scaleF,
  stepF,
  zero,
} from "./lanes";

const LN2_HIGH: usize = memory.data<f32>([0.693145752]); // 16 bits
const MINUS_LN2_LOW: usize = memory.data<f32>([-1.42860677e-6]);
const INV_LN2: usize = memory.data<f32>([1.44269504]);
const QUARTER: usize = memory.data<f32>([0.25]);
const TINY: usize = memory.data<f32>([1e-9]);
const UPPER: usize = memory.data<f32>([90]); // e^90 has overflown
const LOWER: usize = memory.data<f32>([-106]); // e^-106 is 0
const LOWER_M1: usize = memory.data<f32>([-25]); // e^-25 - 1 is -1
const NORMAL_MAX: usize = memory.data<f32>([87]); // e^±87 and what it is made of are normal
const MINUS_NORMAL_MAX: usize = memory.data<f32>([-87]);
const NORMAL_MAX_M1: usize = memory.data<f32>([20]);
const TANH_NEAR: usize = memory.data<f32>([0.625]);
const TANH_FAR: usize = memory.data<f32>([10]); // tanh 10 rounds to 1
const K_MAX: usize = memory.data<f32>([100]);

const EXP_TAIL: usize = memory.data<f32>([
  0.00139504939, 0.00836888887, 0.041666206, 0.166665182, 0.5,
]);

const EXPM1_TAIL: usize = memory.data<f32>([
  0.000199142305, 0.00139410084, 0.00833327323, 0.041666355, 0.166666672, 0.5,
]);

const SINH_TAIL: usize = memory.data<f32>([
  2.81750204e-6, 0.000198360562, 0.00833335053, 0.166666672,
]);

const TANH_TAIL: usize = memory.data<f32>([
  -0.00571628474, 0.0206499379, -0.0537433103, 0.133314893, -0.333332837,
]);

/**
 * e^(high + low) - 1, good beside 1, for |high| <= ln 2 / 2 and a small low. The polynomial takes
 * the rounded sum, the result the parts.
 */
// @ts-ignore: decorator
@inline function expm1Near(high: v128, low: v128): v128 {
  let r = f32x4.add(high, low);
  let z = f32x4.mul(r, r);
  let p = stepF(c4(EXP_TAIL), r, EXP_TAIL + 4);
  p = f32x4.add(f32x4.mul(p, z), stepF(c4(EXP_TAIL + 8), r, EXP_TAIL + 12));
  p = stepF(p, r, EXP_TAIL + 16);
  let q = f32x4.add(f32x4.mul(z, p), low);
  return f32x4.add(high, q);
}

/** e^(high + low) for |high| <= ln 2 / 2 and a small low. */
// @ts-ignore: decorator
@inline function expNear(high: v128, low: v128): v128 {
  return f32x4.add(c4(ONE_F), expm1Near(high, low));
}

/** 2^shift · e^x, rounded once also where it is subnormal. */
function expShiftedF(x: v128, shift: i32): v128 {
  x = f32x4.pmax(f32x4.pmin(x, c4(UPPER)), c4(LOWER));
  let k = f32x4.nearest(f32x4.mul(x, c4(INV_LN2)));
  let high = f32x4.sub(x, f32x4.mul(k, c4(LN2_HIGH)));
  let y = expNear(high, f32x4.mul(k, c4(MINUS_LN2_LOW)));
  return scaleF(y, i32x4.add(i32x4.trunc_sat_f32x4_s(k), i32x4.splat(shift)));
}

/** Whether a lane's magnitude passes the positive number at `limit`, or is NaN. */
// @ts-ignore: decorator
@inline function anyBeyond(x: v128, limit: usize): bool {
  return i32x4.bitmask(marginF(x, limit)) != 0;
}

// @ts-ignore: decorator
@inline export function expF(x: v128): v128 {
  if (anyBeyond(x, NORMAL_MAX)) return expShiftedF(x, 0);
  let turns = f32x4.add(f32x4.mul(x, c4(INV_LN2)), c4(ROUND_F));
  let k = f32x4.sub(turns, c4(ROUND_F));
  let high = f32x4.sub(x, f32x4.mul(k, c4(LN2_HIGH)));
  let y = expNear(high, f32x4.mul(k, c4(MINUS_LN2_LOW)));
  return i32x4.add(y, i32x4.shl(turns, 23));
}

/** (1 - 2^-k) + r + q, largest first; `inverse` is 2^-k. */
// @ts-ignore: decorator
@inline function expm1Scaled(inverse: v128, r: v128, q: v128): v128 {
  let unit = f32x4.sub(c4(ONE_F), inverse);
  let lost = f32x4.sub(f32x4.sub(c4(ONE_F), unit), inverse);
  let sum = f32x4.add(unit, r);
  let error = f32x4.add(lost, f32x4.sub(r, f32x4.sub(sum, unit)));
  return f32x4.add(sum, f32x4.add(q, error));
}

export function expm1F(x: v128): v128 {
  let ordinary = !anyBeyond(x, NORMAL_MAX_M1);
  let inside = x;
  if (!ordinary) inside = f32x4.pmax(f32x4.pmin(x, c4(UPPER)), c4(LOWER_M1));
  let turns = f32x4.add(f32x4.mul(inside, c4(INV_LN2)), c4(ROUND_F));
  let k = f32x4.sub(turns, c4(ROUND_F));
  let high = f32x4.sub(inside, f32x4.mul(k, c4(LN2_HIGH)));
  let low = f32x4.mul(k, c4(MINUS_LN2_LOW));
  let r = f32x4.add(high, low);
  low = f32x4.add(f32x4.sub(high, r), low);
  let p = c4(EXPM1_TAIL);
  p = stepF(p, r, EXPM1_TAIL + 4);
  p = stepF(p, r, EXPM1_TAIL + 8);
  p = stepF(p, r, EXPM1_TAIL + 12);
  p = stepF(p, r, EXPM1_TAIL + 16);
  p = stepF(p, r, EXPM1_TAIL + 20);
  // q = e^(r + low) - 1 - r
  let q = f32x4.add(f32x4.mul(f32x4.mul(r, r), p), f32x4.add(low, f32x4.mul(r, low)));
  let far: v128;
  if (ordinary) {
    let shift = i32x4.shl(turns, 23);
    far = i32x4.add(expm1Scaled(i32x4.sub(c4(ONE_F), shift), r, q), shift);
  } else {
    // Beyond 2^-100 the inverse power no longer matters.
    let power = i32x4.trunc_sat_f32x4_s(f32x4.pmin(k, c4(K_MAX)));
    let inverse = i32x4.sub(c4(ONE_F), i32x4.shl(power, 23));
    far = scaleF(expm1Scaled(inverse, r, q), i32x4.trunc_sat_f32x4_s(k));
  }
  let result = pick(f32x4.eq(k, zero()), f32x4.add(r, q), far);
  return pick(f32x4.lt(absF(x), c4(TINY)), x, result);
}

/** x + x³ S(x²) below 1; e^|x|/2 - e^-|x|/2 above. */
export function sinhF(x: v128): v128 {
  let a = absF(x);
  let half = expShiftedF(a, -1);
  let far = f32x4.sub(half, f32x4.div(c4(QUARTER), half));
  let z = f32x4.mul(a, a);
  let p = c4(SINH_TAIL);
  p = stepF(p, z, SINH_TAIL + 4);
  p = stepF(p, z, SINH_TAIL + 8);
  p = stepF(p, z, SINH_TAIL + 12);
  let near = f32x4.add(a, f32x4.mul(f32x4.mul(a, z), p));
  return copySignF(pick(f32x4.lt(a, c4(ONE_F)), near, far), x);
}

export function coshF(x: v128): v128 {
  let half = expShiftedF(absF(x), -1);
  return f32x4.add(half, f32x4.div(c4(QUARTER), half));
}

/** A polynomial up to 5/8; 1 - 2/(e^(2|x|) + 1) above. */
export function tanhF(x: v128): v128 {
  let a = f32x4.pmin(absF(x), c4(TANH_FAR));
  let z = f32x4.mul(a, a);
  let p = c4(TANH_TAIL);
  p = stepF(p, z, TANH_TAIL + 4);
  p = stepF(p, z, TANH_TAIL + 8);
  p = stepF(p, z, TANH_TAIL + 12);
  p = stepF(p, z, TANH_TAIL + 16);
  let near = f32x4.add(a, f32x4.mul(f32x4.mul(a, z), p));
  // e^(2a)/2 + 1/2 has the inverse 2/(e^(2a) + 1)
  let e = expF(f32x4.add(a, a));
  let half = f32x4.add(f32x4.mul(e, c4(HALF_F)), c4(HALF_F));
  let far = f32x4.sub(c4(ONE_F), f32x4.div(c4(ONE_F), half));
  return copySignF(pick(f32x4.lt(a, c4(TANH_NEAR)), near, far), x);
}

/**
 * e/(1 + e) or 1/(1 + e) with e = e^-|x| in two parts: the quotient of the leading parts, corrected
 * by what they lost. The inverse of the denominator is the quotient itself or 1 less it.
 */
export function sigmoidF(x: v128): v128 {
  let negative = f32x4.lt(x, zero());
  let inside = f32x4.pmax(f32x4.neg(absF(x)), c4(MINUS_NORMAL_MAX));
  let turns = f32x4.add(f32x4.mul(inside, c4(INV_LN2)), c4(ROUND_F));
  let k = f32x4.sub(turns, c4(ROUND_F));
  let power = i32x4.add(i32x4.shl(turns, 23), c4(ONE_F));
  let high = f32x4.sub(inside, f32x4.mul(k, c4(LN2_HIGH)));
  let part = expm1Near(high, f32x4.mul(k, c4(MINUS_LN2_LOW)));
  let unit = f32x4.add(c4(ONE_F), part);
  let e = f32x4.mul(unit, power);
  let low = f32x4.mul(f32x4.sub(part, f32x4.sub(unit, c4(ONE_F))), power);
  let sum = f32x4.add(c4(ONE_F), e);
  let lost = f32x4.add(f32x4.sub(e, f32x4.sub(sum, c4(ONE_F))), low);
  let q = f32x4.div(pick(negative, e, c4(ONE_F)), sum);
  let error = f32x4.sub(v128.and(negative, low), f32x4.mul(q, lost));
  let inverse = pick(negative, f32x4.sub(c4(ONE_F), q), q);
  let result = f32x4.add(q, f32x4.mul(error, inverse));
  let far = f32x4.lt(x, c4(MINUS_NORMAL_MAX));
  return v128.any_true(far) ? pick(far, expShiftedF(x, 0), result) : result;
}
