/**
 * The exponential family in f64x2: exp, expm1, sinh, cosh, tanh, sigmoid.
 *
 * exp: k = nearest(x / ln 2), r = x - k ln 2 in two parts (the high part of ln 2 has 42 bits, so
 * k·high is exact), e^r = 1 + (r + r² P(r)) with P of degree 10, then 2^k in two factors so that
 * subnormal results are rounded once. P is our own minimax fit (Remez exchange in 113-bit arithmetic)
 * of (e^r - 1 - r)/r² on |r| <= ln 2 / 2, error relative to r below 2^-60.
 *
 * Bounds (ULP): exp 1, expm1 1.5, cosh 2, sinh 2.5, sigmoid 2.5, tanh 3.
 */
import { absD, copySignD, d2, pick, scaleD, stepD } from "./lanes";

const LN2_HIGH: f64 = 0.69314718055989033; // 42 bits
const LN2_LOW: f64 = 5.4979230187083712e-14;
const INV_LN2: f64 = 1.4426950408889634;

/** (e^r - 1 - r)/r² for |r| <= ln 2 / 2. */
function tail(r: v128): v128 {
  let p = d2(2.0924440627799846e-9);
  p = stepD(p, r, 2.5109045014648268e-8);
  p = stepD(p, r, 2.7557242767494575e-7);
  p = stepD(p, r, 2.7557244181565872e-6);
  p = stepD(p, r, 2.4801587360548581e-5);
  p = stepD(p, r, 0.00019841269886158877);
  p = stepD(p, r, 0.0013888888888866841);
  p = stepD(p, r, 0.0083333333333216152);
  p = stepD(p, r, 0.041666666666666699);
  p = stepD(p, r, 0.16666666666666677);
  return stepD(p, r, 0.5);
}

/** 2^shift · e^(x + low), for |low| <= ulp(x); rounded once also where it is subnormal. */
export function expShiftedD(x: v128, low: v128, shift: f64): v128 {
  x = f64x2.max(f64x2.min(x, d2(712)), d2(-750));
  let k = f64x2.nearest(f64x2.mul(x, d2(INV_LN2)));
  let high = f64x2.sub(x, f64x2.mul(k, d2(LN2_HIGH)));
  let rest = f64x2.sub(low, f64x2.mul(k, d2(LN2_LOW)));
  let r = f64x2.add(high, rest);
  rest = f64x2.add(f64x2.sub(high, r), rest);
  let q = f64x2.add(f64x2.mul(f64x2.mul(r, r), tail(r)), rest);
  return scaleD(f64x2.add(d2(1), f64x2.add(r, q)), f64x2.add(k, d2(shift)));
}

export function expD(x: v128): v128 {
  return expShiftedD(x, d2(0), 0);
}

export function expm1D(x: v128): v128 {
  let inside = f64x2.max(f64x2.min(x, d2(712)), d2(-60));
  let k = f64x2.nearest(f64x2.mul(inside, d2(INV_LN2)));
  let high = f64x2.sub(inside, f64x2.mul(k, d2(LN2_HIGH)));
  let low = f64x2.mul(k, d2(-LN2_LOW));
  let r = f64x2.add(high, low);
  low = f64x2.add(f64x2.sub(high, r), low);
  // q = e^(r + low) - 1 - r
  let q = f64x2.add(f64x2.mul(f64x2.mul(r, r), tail(r)), f64x2.add(low, f64x2.mul(r, low)));
  // e^x - 1 = 2^k ((1 - 2^-k) + r + q), the sum in the order of magnitude.
  let unit = f64x2.sub(d2(1), pow2Small(k));
  let sum = f64x2.add(unit, r);
  let error = f64x2.sub(r, f64x2.sub(sum, unit));
  let far = scaleD(f64x2.add(sum, f64x2.add(q, error)), k);
  let near = f64x2.add(r, q);
  let result = pick(f64x2.eq(k, d2(0)), near, far);
  return pick(f64x2.lt(absD(x), d2(1e-17)), x, result);
}

/** 2^-k for k in [-90, 1030], where values below 2^-60 may be 0. */
// @ts-ignore: decorator
@inline function pow2Small(k: v128): v128 {
  let clamped = f64x2.min(k, d2(1000));
  return i64x2.shl(f64x2.sub(d2(6755399441055744.0 + 1023.0), clamped), 52);
}

export function sinhD(x: v128): v128 {
  let a = absD(x);
  let t = expm1D(f64x2.min(a, d2(30)));
  let small = f64x2.mul(d2(0.5), f64x2.add(t, f64x2.div(t, f64x2.add(t, d2(1)))));
  let large = expShiftedD(a, d2(0), -1);
  return copySignD(pick(f64x2.gt(a, d2(22)), large, small), x);
}

export function coshD(x: v128): v128 {
  let half = expShiftedD(absD(x), d2(0), -1);
  return f64x2.add(half, f64x2.div(d2(0.25), half));
}

/** tanh x = t / (t + 2) with t = e^(2|x|) - 1. */
export function tanhD(x: v128): v128 {
  let a = f64x2.min(absD(x), d2(22));
  let t = expm1D(f64x2.add(a, a));
  return copySignD(f64x2.div(t, f64x2.add(t, d2(2))), x);
}

export function sigmoidD(x: v128): v128 {
  let e = expD(f64x2.neg(absD(x)));
  return f64x2.div(pick(f64x2.lt(x, d2(0)), e, d2(1)), f64x2.add(d2(1), e));
}
