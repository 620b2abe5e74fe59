/**
 * x^y in f32x4, computed on the two f64x2 halves.
 *
 * Lanes with an integral |y| <= 1024 multiply in double (binary powering, then the reciprocal if y
 * < 0): exact up to the last rounding for small powers, below 2^-42 always; a power that leaves
 * the range of double leaves that of float as well. The others take e^(y log |x|) in double: log m
 * = 2s + s³ L(s²), s = (m - 1)/(m + 1), L of degree 4, error 2^-43; e^r = 1 + r + r² E(r), E of
 * degree 5, error 2^-34. Where the result is finite the product is below 2^7, so at least 33 good
 * bits remain. Both are our own minimax fits (Remez in 113-bit arithmetic). Edges follow C99
 * (Annex F).
 *
 * Bound: 0.6 ULP.
 */
import {
  absF,
  c2,
  c4,
  HALF_F,
  highHalf,
  join,
  lowHalf,
  ONE,
  ONE_F,
  pick,
  ROUND,
  SIGN_F,
  stepD,
  TWO,
  TWO_F,
  zero,
} from "./lanes";
import { exponentBits, exponentOf, mantissaOf } from "./log64";

const LN2: usize = memory.data<f64>([0.6931471805599453]);
const INV_LN2: usize = memory.data<f64>([1.4426950408889634]);
const PRODUCT_MAX: usize = memory.data<f64>([120]); // e^120 has overflown
const PRODUCT_MIN: usize = memory.data<f64>([-120]); // e^-120 is 0

const LOG: usize = memory.data<f64>([
  0.1958435253706183, 0.22176175104370008, 0.28572109475134277, 0.39999995618921913,
  0.66666666675809316,
]);

const EXP: usize = memory.data<f64>([
  0.00019918409666057124, 0.0013946072081992536, 0.0083332643076751839, 0.041666269964225226,
  0.16666666860914572, 0.50000000778958231,
]);

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
  let integral = f32x4.eq(f32x4.floor(y), y);
  let few = v128.and(integral, f32x4.le(count, c4(COUNT_MAX)));
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
  return pick(few, result, powEdges(x, y, integral));
}

/** e^(y log x) for doubles x > 0 that were floats; cut off where no float is left. */
// @ts-ignore: decorator
@inline function expHalf(x: v128, y: v128): v128 {
  let bits = exponentBits(x);
  let f = f64x2.sub(mantissaOf(bits), c2(ONE));
  let s = f64x2.div(f, f64x2.add(c2(TWO), f));
  let z = f64x2.mul(s, s);
  let l = stepD(stepD(c2(LOG), z, LOG + 8), z, LOG + 16);
  l = stepD(stepD(l, z, LOG + 24), z, LOG + 32);
  let m = f64x2.add(f64x2.add(s, s), f64x2.mul(f64x2.mul(s, z), l));
  let log = f64x2.add(f64x2.mul(exponentOf(bits), c2(LN2)), m);
  let product = f64x2.mul(y, log);
  product = f64x2.pmax(f64x2.pmin(product, c2(PRODUCT_MAX)), c2(PRODUCT_MIN));
  let turns = f64x2.add(f64x2.mul(product, c2(INV_LN2)), c2(ROUND));
  let r = f64x2.sub(product, f64x2.mul(f64x2.sub(turns, c2(ROUND)), c2(LN2)));
  let e = stepD(stepD(c2(EXP), r, EXP + 8), r, EXP + 16);
  e = stepD(stepD(stepD(e, r, EXP + 24), r, EXP + 32), r, EXP + 40);
  let power = f64x2.add(c2(ONE), f64x2.add(r, f64x2.mul(f64x2.mul(r, r), e)));
  return i64x2.add(power, i64x2.shl(turns, 52));
}

/** The lanes that do not multiply, with the edges of C99. */
function powEdges(x: v128, y: v128, integral: v128): v128 {
  let a = absF(x);
  let result = join(expHalf(lowHalf(a), lowHalf(y)), expHalf(highHalf(a), highHalf(y)));
  result = pick(f32x4.eq(a, c4(ONE_F)), c4(ONE_F), result); // log 1 = 0, also times infinity
  let outside = v128.or(f32x4.eq(a, zero()), f32x4.eq(a, c4(INFINITE_F)));
  // Where a power of 0 or infinity grows.
  let up = v128.xor(f32x4.gt(a, c4(ONE_F)), f32x4.lt(y, zero()));
  result = pick(outside, v128.and(up, c4(INFINITE_F)), result);
  let halved = f32x4.mul(y, c4(HALF_F));
  let odd = v128.andnot(integral, f32x4.eq(f32x4.floor(halved), halved));
  result = v128.xor(result, v128.and(odd, v128.and(x, c4(SIGN_F))));
  let impossible = v128.andnot(v128.andnot(f32x4.lt(x, zero()), integral), outside);
  let invalid = v128.or(impossible, v128.or(f32x4.ne(x, x), f32x4.ne(y, y)));
  result = pick(invalid, c4(NOT_A_NUMBER_F), result);
  return pick(f32x4.eq(x, c4(ONE_F)), c4(ONE_F), result);
}
