/**
 * The logarithm family in f32x4: log, log1p, softplus.
 *
 * The scheme of log64.ts: x = 2^k m, f = m - 1, s = f/(2 + f), log m = f - (f²/2 - s (f²/2 + z
 * P(z))), z = s². P is our own minimax fit (Remez in 113-bit arithmetic) of (2 atanh(s) - 2s)/s³
 * in z, degree 2, error 2^-29.
 *
 * Bounds (ULP): log 1, log1p 1, softplus 2.
 */

import { expF } from "./exp32";
import { absF, c4, HALF_F, ONE_F, pick, stepF, TWO_F, zero } from "./lanes";

const LN2_HIGH: usize = memory.data<f32>([0.693145752]); // 16 bits: k·LN2_HIGH is exact
const LN2_LOW: usize = memory.data<f32>([1.42860677e-6]);
const SQRT_HALF: usize = memory.data<u32>([0x3f3504f3]);
const FRACTION: usize = memory.data<u32>([0x007fffff]);
const NORMAL_MIN: usize = memory.data<f32>([1.17549435e-38]);
const TWO_25: usize = memory.data<f32>([33554432]);
const TWENTY_FIVE: usize = memory.data<f32>([25]);
const TINY: usize = memory.data<f32>([1e-9]);
const INFINITE: usize = memory.data<f32>([Infinity]);
const MINUS_INFINITE: usize = memory.data<f32>([-Infinity]);
const NOT_A_NUMBER: usize = memory.data<f32>([NaN]);

const SERIES: usize = memory.data<f32>([0.298719972, 0.399775326, 0.666667759]);

/** m of x = 2^k m, given the bits of x less those of sqrt 1/2. */
// @ts-ignore: decorator
@inline function mantissaOf(bits: v128): v128 {
  return i32x4.add(v128.and(bits, c4(FRACTION)), c4(SQRT_HALF));
}

/** k of x = 2^k m, given the same. */
// @ts-ignore: decorator
@inline function exponentOf(bits: v128): v128 {
  return f32x4.convert_i32x4_s(i32x4.shr_s(bits, 23));
}

/** k ln 2 + log(1 + f) + c, for f in [sqrt 1/2 - 1, sqrt 2 - 1) and a small correction c. */
// @ts-ignore: decorator
@inline function assemble(k: v128, f: v128, c: v128): v128 {
  let s = f32x4.div(f, f32x4.add(c4(TWO_F), f));
  let half = f32x4.mul(f32x4.mul(f, f), c4(HALF_F));
  let z = f32x4.mul(s, s);
  let p = c4(SERIES);
  p = stepF(p, z, SERIES + 4);
  p = stepF(p, z, SERIES + 8);
  let r = f32x4.mul(s, f32x4.add(half, f32x4.mul(p, z)));
  let low = f32x4.add(f32x4.mul(k, c4(LN2_LOW)), c);
  let inner = f32x4.sub(half, f32x4.add(r, low));
  return f32x4.add(f32x4.mul(k, c4(LN2_HIGH)), f32x4.sub(f, inner));
}

/** The results for x <= 0, infinity and NaN in place of those of the polynomial. */
// @ts-ignore: decorator
@inline function logEdges(x: v128, result: v128): v128 {
  result = pick(f32x4.lt(x, c4(INFINITE)), result, x); // infinity and NaN
  result = pick(f32x4.lt(x, zero()), c4(NOT_A_NUMBER), result);
  return pick(f32x4.eq(x, zero()), c4(MINUS_INFINITE), result);
}

/** Whether every lane is a positive normal number. */
// @ts-ignore: decorator
@inline function allNormal(x: v128): bool {
  // Less the bits of the least normal number, those of all others are too large unsigned.
  let offset = i32x4.sub(x, c4(NORMAL_MIN));
  return !v128.any_true(i32x4.gt_u(offset, i32x4.splat(0x7effffff)));
}

export function logF(x: v128): v128 {
  if (allNormal(x)) {
    let bits = i32x4.sub(x, c4(SQRT_HALF));
    return assemble(exponentOf(bits), f32x4.sub(mantissaOf(bits), c4(ONE_F)), zero());
  }
  let tiny = f32x4.lt(x, c4(NORMAL_MIN));
  let bits = i32x4.sub(pick(tiny, f32x4.mul(x, c4(TWO_25)), x), c4(SQRT_HALF));
  let k = f32x4.sub(exponentOf(bits), v128.and(tiny, c4(TWENTY_FIVE)));
  return logEdges(x, assemble(k, f32x4.sub(mantissaOf(bits), c4(ONE_F)), zero()));
}

/** log(1 + x): u = 1 + x rounded, and its rounding error as a correction of relative size c/u. */
export function log1pF(x: v128): v128 {
  let u = f32x4.add(c4(ONE_F), x);
  let back = f32x4.sub(u, c4(ONE_F));
  let wide = f32x4.sub(c4(ONE_F), f32x4.sub(u, x));
  let lost = pick(f32x4.lt(absF(x), c4(ONE_F)), f32x4.sub(x, back), wide);
  let bits = i32x4.sub(u, c4(SQRT_HALF));
  let k = exponentOf(bits);
  let near = f32x4.eq(k, zero());
  let f = pick(near, x, f32x4.sub(mantissaOf(bits), c4(ONE_F)));
  let result = assemble(k, f, v128.andnot(f32x4.div(lost, u), near));
  if (!allNormal(u)) result = logEdges(u, result);
  return pick(f32x4.lt(absF(x), c4(TINY)), x, result);
}

/** log(1 + e^x) = max(x, 0) + log1p(e^-|x|). */
export function softplusF(x: v128): v128 {
  let rest = log1pF(expF(f32x4.neg(absF(x))));
  return f32x4.add(f32x4.pmax(x, zero()), rest);
}
