/**
 * x^y in f64x2.
 *
 * Lanes with an integral |y| <= 1024 multiply (binary powering, then the reciprocal if y < 0). The
 * others take e^(y log |x|) with the logarithm as a sum of two doubles: log m = 2s + s³ (2/3 + z
 * Q(z)), s = (m-1)/(m+1), z = s², where s, s³, 2/3 and their product are carried in pairs
 * (Dekker's products, no fused multiply) and Q is our own minimax fit of degree 6 (Remez in
 * 113-bit arithmetic, error 2^-65); y log |x| stays a pair up to the exponential. A lane whose
 * power left the normal range before the reciprocal also takes this way. x^(1/2) is the square
 * root. Edges follow C99 (Annex F).
 *
 * Bounds: 1 ULP for the exponential way, (|y| + 3)/2 ULP for integral |y| <= 1024 (each product
 * rounds once).
 */

import { expShiftedD } from "./exp64";
import {
  absD,
  c2,
  HALF,
  INFINITE,
  isNanD,
  NOT_A_NUMBER,
  ONE,
  pick,
  SIGN,
  stepD,
  TWO,
  zero,
} from "./lanes";
import { exponentBits, exponentOf, mantissaOf } from "./log64";

const LEAST_Y: usize = memory.data<f64>([-1180591620717411303424.0]);
const MOST_Y: usize = memory.data<f64>([1180591620717411303424.0]); // 2^70
const LARGEST: usize = memory.data<f64>([1.7976931348623157e308]);
const COUNT_MAX: usize = memory.data<f64>([1024]);
const SPLIT: usize = memory.data<f64>([134217729.0]); // 2^27 + 1
const TWO_54: usize = memory.data<f64>([18014398509481984.0]);
const NORMAL_MIN: usize = memory.data<f64>([2.2250738585072014e-308]);
const TWO_52: usize = memory.data<f64>([4503599627370496.0]);
const FIFTY_FOUR: usize = memory.data<f64>([54]);
const SMALLEST: usize = memory.data<f64>([5e-324]);
const EXP_MAX: usize = memory.data<f64>([800]);
const LN2_HIGH: usize = memory.data<f64>([0.69314718055989033]); // 42 bits
const LN2_MIDDLE: usize = memory.data<f64>([5.49792301870721e-14]); // 42 bits
const LN2_LOW: usize = memory.data<f64>([1.1612227236370671e-26]);
const TWO_THIRDS_HIGH: usize = memory.data<f64>([0.66666666666666663]);
const TWO_THIRDS_LOW: usize = memory.data<f64>([3.7007434154171883e-17]);

/** The upper 26 bits of x as a double, for exact products. */
// @ts-ignore: decorator
@inline function upper(x: v128): v128 {
  let c = f64x2.mul(x, c2(SPLIT));
  return f64x2.sub(c, f64x2.sub(c, x));
}

/** a·b - product exactly, where product is a·b rounded. */
// @ts-ignore: decorator
@inline function productError(a: v128, b: v128, product: v128): v128 {
  let aHigh = upper(a);
  let bHigh = upper(b);
  let aLow = f64x2.sub(a, aHigh);
  let bLow = f64x2.sub(b, bHigh);
  let e = f64x2.sub(f64x2.mul(aHigh, bHigh), product);
  e = f64x2.add(e, f64x2.mul(aHigh, bLow));
  e = f64x2.add(e, f64x2.mul(aLow, bHigh));
  return f64x2.add(e, f64x2.mul(aLow, bLow));
}

const LOG_TAIL: usize = memory.data<f64>([
  0.13196522471500913, 0.13256797201025403, 0.15386758199458081, 0.18181784348573121,
  0.22222222520131651, 0.28571428570098423, 0.40000000000002256,
]);

// @ts-ignore: decorator
@inline function logTail(z: v128): v128 {
  let p = c2(LOG_TAIL);
  p = stepD(p, z, LOG_TAIL + 8);
  p = stepD(p, z, LOG_TAIL + 16);
  p = stepD(p, z, LOG_TAIL + 24);
  p = stepD(p, z, LOG_TAIL + 32);
  p = stepD(p, z, LOG_TAIL + 40);
  p = stepD(p, z, LOG_TAIL + 48);
  return f64x2.mul(p, z);
}

/** e^(y log x) for finite x > 0 and any y but NaN. */
function powPositive(x: v128, y: v128): v128 {
  let tiny = f64x2.lt(x, c2(NORMAL_MIN));
  let bits = exponentBits(pick(tiny, f64x2.mul(x, c2(TWO_54)), x));
  let k = f64x2.sub(exponentOf(bits), v128.and(tiny, c2(FIFTY_FOUR)));
  let f = f64x2.sub(mantissaOf(bits), c2(ONE));
  // s = f/(2 + f) as sHigh + sLow
  let sum = f64x2.add(c2(TWO), f);
  let sumLow = f64x2.sub(f, f64x2.sub(sum, c2(TWO)));
  let sHigh = f64x2.div(f, sum);
  let back = f64x2.mul(sHigh, sum);
  let rest = f64x2.sub(f64x2.sub(f, back), productError(sHigh, sum, back));
  let sLow = f64x2.div(f64x2.sub(rest, f64x2.mul(sHigh, sumLow)), sum);
  // z = s², cube = s³, u = 2/3 + z Q(z), v = s³ u
  let z = f64x2.mul(sHigh, sHigh);
  let twice = f64x2.add(sHigh, sHigh);
  let zLow = f64x2.add(productError(sHigh, sHigh, z), f64x2.mul(twice, sLow));
  let cube = f64x2.mul(sHigh, z);
  let cubeLow = f64x2.add(f64x2.mul(sHigh, zLow), f64x2.mul(sLow, z));
  cubeLow = f64x2.add(productError(sHigh, z, cube), cubeLow);
  let tail = logTail(z);
  let u = f64x2.add(c2(TWO_THIRDS_HIGH), tail);
  let uLow = f64x2.sub(tail, f64x2.sub(u, c2(TWO_THIRDS_HIGH)));
  uLow = f64x2.add(uLow, c2(TWO_THIRDS_LOW));
  let v = f64x2.mul(cube, u);
  let vLow = f64x2.add(f64x2.mul(cube, uLow), f64x2.mul(cubeLow, u));
  vLow = f64x2.add(productError(cube, u, v), vLow);
  // k ln 2 + 2s + v, largest first
  let main = f64x2.mul(k, c2(LN2_HIGH));
  let first = f64x2.add(main, twice);
  let low = f64x2.sub(twice, f64x2.sub(first, main));
  let second = f64x2.add(first, v);
  low = f64x2.add(low, f64x2.sub(v, f64x2.sub(second, first)));
  let fine = f64x2.add(f64x2.add(f64x2.add(sLow, sLow), vLow), f64x2.mul(k, c2(LN2_LOW)));
  low = f64x2.add(f64x2.add(low, fine), f64x2.mul(k, c2(LN2_MIDDLE)));
  let log = f64x2.add(second, low);
  low = f64x2.sub(low, f64x2.sub(log, second));
  return expProduct(log, low, y);
}

/** e^(y (log + low)). */
// @ts-ignore: decorator
@inline function expProduct(log: v128, low: v128, y: v128): v128 {
  // Beyond 2^70 every power of x other than 1 has left the range already.
  y = f64x2.pmax(f64x2.pmin(y, c2(MOST_Y)), c2(LEAST_Y));
  let product = f64x2.mul(y, log);
  let rest = f64x2.add(productError(y, log, product), f64x2.mul(y, low));
  rest = v128.and(rest, f64x2.lt(absD(product), c2(EXP_MAX)));
  return expShiftedD(product, rest, 0);
}

/** x^n by repeated multiplication for the integral lanes n >= 0 of `count`, at most 2^11 - 1. */
// @ts-ignore: decorator
@inline function multiply(x: v128, count: v128): v128 {
  let n = v128.and(f64x2.add(count, c2(TWO_52)), i64x2.splat(0x7ff));
  let result = c2(ONE);
  while (v128.any_true(n)) {
    let odd = i64x2.neg(v128.and(n, i64x2.splat(1)));
    result = pick(odd, f64x2.mul(result, x), result);
    x = f64x2.mul(x, x);
    n = i64x2.shr_u(n, 1);
  }
  return result;
}

export function powD(x: v128, y: v128): v128 {
  // By far the most frequent power; the same bits as below.
  if (i64x2.all_true(f64x2.eq(y, c2(TWO)))) return f64x2.mul(x, x);
  let count = absD(y);
  let integral = f64x2.eq(f64x2.floor(y), y);
  let few = v128.and(integral, f64x2.le(count, c2(COUNT_MAX)));
  let result = multiply(x, v128.and(count, few));
  let inverted = f64x2.lt(y, zero());
  let size = absD(result);
  let lost = v128.or(f64x2.lt(size, c2(NORMAL_MIN)), f64x2.eq(size, c2(INFINITE)));
  let a = absD(x);
  let inside = v128.and(f64x2.gt(a, zero()), f64x2.lt(a, c2(INFINITE)));
  few = v128.andnot(few, v128.and(v128.and(lost, inverted), inside));
  result = pick(inverted, f64x2.div(c2(ONE), result), result);
  if (i64x2.all_true(few)) return result;
  return pick(few, result, powEdges(x, y, integral));
}

/** The lanes that do not multiply, with the edges of C99. */
function powEdges(x: v128, y: v128, integral: v128): v128 {
  let a = absD(x);
  // Where a power of 0 or infinity grows.
  let up = v128.xor(f64x2.gt(a, c2(ONE)), f64x2.lt(y, zero()));
  let result = powPositive(f64x2.pmax(f64x2.pmin(a, c2(LARGEST)), c2(SMALLEST)), y);
  result = pick(f64x2.eq(y, c2(HALF)), f64x2.sqrt(a), result);
  let outside = v128.or(f64x2.eq(a, zero()), f64x2.eq(a, c2(INFINITE)));
  result = pick(outside, v128.and(up, c2(INFINITE)), result);
  let halved = f64x2.mul(y, c2(HALF));
  let odd = v128.andnot(integral, f64x2.eq(f64x2.floor(halved), halved));
  result = v128.xor(result, v128.and(odd, v128.and(x, c2(SIGN))));
  let impossible = v128.andnot(v128.andnot(f64x2.lt(x, zero()), integral), outside);
  result = pick(v128.or(impossible, v128.or(isNanD(x), isNanD(y))), c2(NOT_A_NUMBER), result);
  return pick(f64x2.eq(x, c2(ONE)), c2(ONE), result);
}
