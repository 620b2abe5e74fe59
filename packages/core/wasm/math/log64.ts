/**
 * The logarithm family in f64x2: log, log1p, softplus.
 *
 * x = 2^k m with m in [sqrt 1/2, sqrt 2), f = m - 1 (exact), s = f/(2 + f), and
 * log m = f - (f²/2 - s (f²/2 + R)), R = z P(z) with z = s²: the classical arrangement that keeps the
 * error of the quotient away from the leading term (as in Sun's fdlibm, whose scheme this is).
 * P is our own minimax fit (Remez in 113-bit arithmetic) of (2 atanh(s) - 2s)/s³ in z, degree 6, error of
 * log m below 2^-57.
 *
 * Bounds (ULP): log 1, log1p 1.5, softplus 2.5.
 */
import { absD, d2, pick, stepD } from "./lanes";
import { expD } from "./exp64";

const LN2_HIGH: f64 = 0.69314718055989033; // 42 bits: k·LN2_HIGH is exact
const LN2_LOW: f64 = 5.4979230187083712e-14;
const SQRT_HALF_BITS: i64 = 0x3fe6a09e667f3bcd;

/** z P(z), the part of 2 atanh(s) beyond 2s, divided by s. */
// @ts-ignore: decorator
@inline function series(z: v128): v128 {
  let p = d2(0.14796264353141417);
  p = stepD(p, z, 0.1531402076964595);
  p = stepD(p, z, 0.18183565422201522);
  p = stepD(p, z, 0.22222198553472985);
  p = stepD(p, z, 0.28571428742565358);
  p = stepD(p, z, 0.39999999999413949);
  p = stepD(p, z, 0.6666666666666734);
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
  return i64x2.add(
    v128.and(bits, i64x2.splat(0x000fffffffffffff)),
    i64x2.splat(SQRT_HALF_BITS),
  );
}

/** k ln 2 + log(1 + f) + c, for f in [sqrt 1/2 - 1, sqrt 2 - 1) and a small correction c. */
// @ts-ignore: decorator
@inline function assemble(k: v128, f: v128, c: v128): v128 {
  let s = f64x2.div(f, f64x2.add(d2(2), f));
  let half = f64x2.mul(f64x2.mul(f, f), d2(0.5));
  let r = f64x2.mul(s, f64x2.add(half, series(f64x2.mul(s, s))));
  let low = f64x2.add(f64x2.mul(k, d2(LN2_LOW)), c);
  let inner = f64x2.sub(half, f64x2.add(r, low));
  return f64x2.add(f64x2.mul(k, d2(LN2_HIGH)), f64x2.sub(f, inner));
}

export function logD(x: v128): v128 {
  let tiny = f64x2.lt(x, d2(2.2250738585072014e-308));
  let scaled = pick(tiny, f64x2.mul(x, d2(18014398509481984.0)), x); // 2^54
  let bits = exponentBits(scaled);
  let k = f64x2.sub(exponentOf(bits), v128.and(tiny, d2(54)));
  let result = assemble(k, f64x2.sub(mantissaOf(bits), d2(1)), d2(0));
  return logEdges(x, result);
}

/** The results for x <= 0, infinity and NaN in place of those of the polynomial. */
// @ts-ignore: decorator
@inline export function logEdges(x: v128, result: v128): v128 {
  result = pick(f64x2.lt(x, d2(Infinity)), result, x); // infinity and NaN
  result = pick(f64x2.lt(x, d2(0)), d2(NaN), result);
  return pick(f64x2.eq(x, d2(0)), d2(-Infinity), result);
}

/** log(1 + x): u = 1 + x rounded, and its rounding error as a correction of relative size c/u. */
export function log1pD(x: v128): v128 {
  let u = f64x2.add(d2(1), x);
  let back = f64x2.sub(u, d2(1));
  let lost = pick(f64x2.lt(absD(x), d2(1)), f64x2.sub(x, back), f64x2.sub(d2(1), f64x2.sub(u, x)));
  let bits = exponentBits(u);
  let k = exponentOf(bits);
  let near = f64x2.eq(k, d2(0));
  let f = pick(near, x, f64x2.sub(mantissaOf(bits), d2(1)));
  let result = assemble(k, f, v128.andnot(f64x2.div(lost, u), near));
  result = logEdges(u, result);
  return pick(f64x2.lt(absD(x), d2(1e-17)), x, result);
}

/** log(1 + e^x) = max(x, 0) + log1p(e^-|x|). */
export function softplusD(x: v128): v128 {
  let rest = log1pD(expD(f64x2.neg(absD(x))));
  return f64x2.add(f64x2.max(x, d2(0)), rest);
}
