/**
 * x^y in f32x4, computed on the two f64x2 halves.
 *
 * Lanes with an integral |y| <= 1024 multiply in double (binary powering, then the reciprocal if y
 * < 0): exact up to the last rounding for small powers, below 2^-42 always; a power that leaves
 * the range of double leaves that of float as well. The others take e^(y log |x|) in double with
 * the kernels of exp64.ts and log64.ts: the product is below 2^8 where the result is finite, so 45
 * good bits remain. Edges follow C99 (Annex F).
 *
 * Bound: 0.6 ULP.
 */
import {
  absF, c2, c4, HALF_F, highHalf, join, lowHalf, ONE, ONE_F, pick, SIGN_F, TWO_F, zero,
} from "./lanes";
import { expD } from "./exp64";
import { logD } from "./log64";

const TWO_52: usize = memory.data<f64>([4503599627370496.0]);
const COUNT_MAX: usize = memory.data<f32>([1024]);
const INFINITE_F: usize = memory.data<f32>([Infinity]);
const NOT_A_NUMBER_F: usize = memory.data<f32>([NaN]);

/** x^n by repeated multiplication for the integral lanes n >= 0 of `count`, at most 2^11 - 1. */
// @ts-ignore: decorator
@inline function multiply(x: v128, count: v128): v128 {
  let n = v128.and(f64x2.add(count, c2(TWO_52)), i64x2.splat(0x7ff));
  let result = c2(ONE);
  while (v128.any_true(n)) {
    let odd = i64x2.sub(zero(), v128.and(n, i64x2.splat(1)));
    result = pick(odd, f64x2.mul(result, x), result);
    x = f64x2.mul(x, x);
    n = i64x2.shr_u(n, 1);
  }
  return result;
}

// @ts-ignore: decorator
@inline function powerHalf(x: v128, count: v128, inverted: v128): v128 {
  let result = multiply(x, count);
  return pick(inverted, f64x2.div(c2(ONE), result), result);
}

export function powF(x: v128, y: v128): v128 {
  // x² needs no double, and is by far the most frequent power.
  if (i32x4.all_true(f32x4.eq(y, c4(TWO_F)))) return f32x4.mul(x, x);
  let count = absF(y);
  let whole = f32x4.eq(f32x4.floor(y), y);
  let few = v128.and(whole, f32x4.le(count, c4(COUNT_MAX)));
  let result = zero();
  if (v128.any_true(few)) {
    let n = v128.and(count, few);
    let inverted = f32x4.lt(y, zero());
    result = join(
      powerHalf(lowHalf(x), lowHalf(n), i32x4.shuffle(inverted, inverted, 0, 0, 1, 1)),
      powerHalf(highHalf(x), highHalf(n), i32x4.shuffle(inverted, inverted, 2, 2, 3, 3)),
    );
    if (i32x4.all_true(few)) return result;
  }
  return pick(few, result, powEdges(x, y, whole));
}

/** e^(y log x) for x >= 0. */
// @ts-ignore: decorator
@inline function expHalf(x: v128, y: v128): v128 {
  return expD(f64x2.mul(y, logD(x)));
}

/** The lanes that do not multiply, with the edges of C99. */
function powEdges(x: v128, y: v128, whole: v128): v128 {
  let a = absF(x);
  let result = join(expHalf(lowHalf(a), lowHalf(y)), expHalf(highHalf(a), highHalf(y)));
  result = pick(f32x4.eq(a, c4(ONE_F)), c4(ONE_F), result); // log 1 = 0, also times infinity
  let outside = v128.or(f32x4.eq(a, zero()), f32x4.eq(a, c4(INFINITE_F)));
  let halved = f32x4.mul(y, c4(HALF_F));
  let odd = v128.andnot(whole, f32x4.eq(f32x4.floor(halved), halved));
  result = v128.xor(result, v128.and(odd, v128.and(x, c4(SIGN_F))));
  let impossible = v128.andnot(v128.andnot(f32x4.lt(x, zero()), whole), outside);
  let invalid = v128.or(impossible, v128.or(f32x4.ne(x, x), f32x4.ne(y, y)));
  result = pick(invalid, c4(NOT_A_NUMBER_F), result);
  return pick(f32x4.eq(x, c4(ONE_F)), c4(ONE_F), result);
}
