/**
 * The logarithm family in f64x2: log, log1p, softplus.
 *
 * x = 2^k m with m in [sqrt 1/2, sqrt 2), f = m - 1 (exact), s = f/(2 + f), and log m = f - (f²/2
 * - s (f²/2 + R)), R = z P(z) with z = s²: the classical arrangement that keeps the error of the
 * quotient away from the leading term (as in Sun's fdlibm, whose scheme this is). P is our own
 * minimax fit (Remez in 113-bit arithmetic) of (2 atanh(s) - 2s)/s³ in z, degree 6, error of log m
 * below 2^-57.
 *
 * Bounds (ULP): log 1, log1p 1, softplus 2.
 */

import { expD } from "./exp64";
import { absD, c2, HALF, INFINITE, NOT_A_NUMBER, ONE, pick, stepD, TWO, zero } from "./lanes";

const MINUS_INFINITE: usize = memory.data<f64>([-Infinity]);
const TWO_54: usize = memory.data<f64>([18014398509481984.0]);
const TINY: usize = memory.data<f64>([1e-17]);
const NORMAL_MIN: usize = memory.data<f64>([2.2250738585072014e-308]);
const FIFTY_FOUR: usize = memory.data<f64>([54]);
const LN2_HIGH: usize = memory.data<f64>([0.69314718055989033]); // 42 bits: k·LN2_HIGH is exact
const LN2_LOW: usize = memory.data<f64>([5.4979230187083712e-14]);
const SQRT_HALF_BITS: i64 = 0x3fe6a09e667f3bcd;

const SERIES: usize = memory.data<f64>([
  0.14796264353141417, 0.1531402076964595, 0.18183565422201522, 0.22222198553472985,
  0.28571428742565358, 0.39999999999413949, 0.6666666666666734,
]);

/** z P(z), the part of 2 atanh(s) beyond 2s, divided by s. */
// @ts-ignore: decorator
@inline function series(z: v128): v128 {
  let p = c2(SERIES);
  p = stepD(p, z, SERIES + 8);
  p = stepD(p, z, SERIES + 16);
  p = stepD(p, z, SERIES + 24);
  p = stepD(p, z, SERIES + 32);
  p = stepD(p, z, SERIES + 40);
  p = stepD(p, z, SERIES + 48);
  return f64x2.mul(p, z);
}

/** The exponent part of positive normal x as i64: x = 2^k m, m in [sqrt 1/2, sqrt 2). */
// @ts-ignore: decorator
@inline export function exponentBits(x: v128): v128 {
  return i64x2.sub(x, i64x2.splat(SQRT_HALF_BITS));
}

/** k of `exponentBits` as f64. */
// @ts-ignore: decorator
@inline export function exponentOf(bits: v128): v128 {
  // An arithmetic shift by 52, done on the high words: their low words hold no exponent bits.
  let k = i32x4.shr_s(bits, 20);
  return f64x2.convert_low_i32x4_s(i32x4.shuffle(k, k, 1, 3, 1, 3));
}

/** m of `exponentBits`. */
// @ts-ignore: decorator
@inline export function mantissaOf(bits: v128): v128 {
  return i64x2.add(v128.and(bits, i64x2.splat(0x000fffffffffffff)), i64x2.splat(SQRT_HALF_BITS));
}

/** k ln 2 + log(1 + f) + c, for f in [sqrt 1/2 - 1, sqrt 2 - 1) and a small correction c. */
// @ts-ignore: decorator
@inline function assemble(k: v128, f: v128, c: v128): v128 {
  let s = f64x2.div(f, f64x2.add(c2(TWO), f));
  let half = f64x2.mul(f64x2.mul(f, f), c2(HALF));
  let r = f64x2.mul(s, f64x2.add(half, series(f64x2.mul(s, s))));
  let low = f64x2.add(f64x2.mul(k, c2(LN2_LOW)), c);
  let inner = f64x2.sub(half, f64x2.add(r, low));
  return f64x2.add(f64x2.mul(k, c2(LN2_HIGH)), f64x2.sub(f, inner));
}

export function logD(x: v128): v128 {
  let normal = v128.and(f64x2.ge(x, c2(NORMAL_MIN)), f64x2.lt(x, c2(INFINITE)));
  if (i64x2.all_true(normal)) {
    let bits = exponentBits(x);
    return assemble(exponentOf(bits), f64x2.sub(mantissaOf(bits), c2(ONE)), zero());
  }
  let tiny = f64x2.lt(x, c2(NORMAL_MIN));
  let scaled = pick(tiny, f64x2.mul(x, c2(TWO_54)), x); // 2^54
  let bits = exponentBits(scaled);
  let k = f64x2.sub(exponentOf(bits), v128.and(tiny, c2(FIFTY_FOUR)));
  let result = assemble(k, f64x2.sub(mantissaOf(bits), c2(ONE)), zero());
  return logEdges(x, result);
}

/** The results for x <= 0, infinity and NaN in place of those of the polynomial. */
// @ts-ignore: decorator
@inline export function logEdges(x: v128, result: v128): v128 {
  result = pick(f64x2.lt(x, c2(INFINITE)), result, x); // infinity and NaN
  result = pick(f64x2.lt(x, zero()), c2(NOT_A_NUMBER), result);
  return pick(f64x2.eq(x, zero()), c2(MINUS_INFINITE), result);
}

/** log(1 + x): u = 1 + x rounded, and its rounding error as a correction of relative size c/u. */
export function log1pD(x: v128): v128 {
  let u = f64x2.add(c2(ONE), x);
  let back = f64x2.sub(u, c2(ONE));
  let wide = f64x2.sub(c2(ONE), f64x2.sub(u, x));
  let lost = pick(f64x2.lt(absD(x), c2(ONE)), f64x2.sub(x, back), wide);
  let bits = exponentBits(u);
  let k = exponentOf(bits);
  let near = f64x2.eq(k, zero());
  let f = pick(near, x, f64x2.sub(mantissaOf(bits), c2(ONE)));
  let result = assemble(k, f, v128.andnot(f64x2.div(lost, u), near));
  result = logEdges(u, result);
  return pick(f64x2.lt(absD(x), c2(TINY)), x, result);
}

/** log(1 + e^x) = max(x, 0) + log1p(e^-|x|). */
export function softplusD(x: v128): v128 {
  let rest = log1pD(expD(f64x2.neg(absD(x))));
  return f64x2.add(f64x2.pmax(x, zero()), rest);
}
