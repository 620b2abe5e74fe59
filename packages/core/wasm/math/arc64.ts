/**
 * The inverse circular functions in f64x2: atan, atan2, asin, acos.
 *
 * atan: |x| is moved to |t| <= 7/16 by atan x = atan c + atan((x - c)/(1 + c x)) with c = 0, 1/2,
 * 1, 3/2 or infinity (fdlibm's intervals), atan c in two parts. asin and acos: x + x³ P(x²) up to
 * 1/2, above by asin x = π/2 - 2 asin sqrt((1 - x)/2) with the square root in two parts. The
 * polynomials are our own minimax fits (Remez in 113-bit arithmetic): atan of degree 10 in t²,
 * error 2^-57; asin of degree 12, error 2^-59.
 *
 * Bounds (ULP): atan 1, asin 1, acos 1, atan2 2.
 */
import {
  absD,
  c2,
  copySignD,
  HALF,
  INFINITE,
  isNanD,
  MINUS_ONE,
  NOT_A_NUMBER,
  ONE,
  pick,
  SIGN,
  stepD,
  TWO,
  zero,
} from "./lanes";

const BOUND_1: usize = memory.data<f64>([0.4375]);
const BOUND_2: usize = memory.data<f64>([0.6875]);
const BOUND_3: usize = memory.data<f64>([1.1875]);
const BOUND_4: usize = memory.data<f64>([2.4375]);
const ATAN_HALF_HIGH: usize = memory.data<f64>([0.46364760900080609]);
const ATAN_HALF_LOW: usize = memory.data<f64>([2.2698777452961687e-17]);
const ATAN_3_2_HIGH: usize = memory.data<f64>([0.98279372324732905]);
const ATAN_3_2_LOW: usize = memory.data<f64>([1.3903311031230998e-17]);
const SMALLEST: usize = memory.data<f64>([1e-300]);
const PIO2_HIGH: usize = memory.data<f64>([1.5707963267948966]);
const PIO2_LOW: usize = memory.data<f64>([6.123233995736766e-17]);
const PI_HIGH: usize = memory.data<f64>([3.1415926535897931]);
const PI_LOW: usize = memory.data<f64>([1.2246467991473532e-16]);
const PIO4_HIGH: usize = memory.data<f64>([0.78539816339744828]);
const PIO4_LOW: usize = memory.data<f64>([3.061616997868383e-17]);

const ATAN_TAIL: usize = memory.data<f64>([
  -0.01627108694691862, 0.036516766648446511, -0.049762369302982258, 0.058334136764654723,
  -0.066610494945092052, 0.076918739174633516, -0.090908869918501681, 0.11111110400027314,
  -0.14285714272382752, 0.19999999999875134, -0.33333333333332926,
]);

/** (atan t - t)/t, given z = t². */
// @ts-ignore: decorator
@inline function atanTail(z: v128): v128 {
  let p = c2(ATAN_TAIL);
  p = stepD(p, z, ATAN_TAIL + 8);
  p = stepD(p, z, ATAN_TAIL + 16);
  p = stepD(p, z, ATAN_TAIL + 24);
  p = stepD(p, z, ATAN_TAIL + 32);
  p = stepD(p, z, ATAN_TAIL + 40);
  p = stepD(p, z, ATAN_TAIL + 48);
  p = stepD(p, z, ATAN_TAIL + 56);
  p = stepD(p, z, ATAN_TAIL + 64);
  p = stepD(p, z, ATAN_TAIL + 72);
  p = stepD(p, z, ATAN_TAIL + 80);
  return f64x2.mul(p, z);
}

export function atanD(x: v128): v128 {
  let a = absD(x);
  let first = f64x2.ge(a, c2(BOUND_1));
  let second = f64x2.ge(a, c2(BOUND_2));
  let third = f64x2.ge(a, c2(BOUND_3));
  let fourth = f64x2.ge(a, c2(BOUND_4));
  let half = c2(HALF);
  let c = f64x2.add(v128.and(first, half), v128.and(second, half));
  c = f64x2.add(c, v128.and(third, half));
  let top = pick(fourth, c2(MINUS_ONE), f64x2.sub(a, c));
  let bottom = pick(fourth, a, f64x2.add(c2(ONE), f64x2.mul(c, a)));
  let t = f64x2.div(top, bottom);
  let high = v128.and(first, c2(ATAN_HALF_HIGH));
  high = pick(second, c2(PIO4_HIGH), high);
  high = pick(third, c2(ATAN_3_2_HIGH), high);
  high = pick(fourth, c2(PIO2_HIGH), high);
  let low = v128.and(first, c2(ATAN_HALF_LOW));
  low = pick(second, c2(PIO4_LOW), low);
  low = pick(third, c2(ATAN_3_2_LOW), low);
  low = pick(fourth, c2(PIO2_LOW), low);
  let rest = f64x2.add(f64x2.mul(t, atanTail(f64x2.mul(t, t))), low);
  return copySignD(f64x2.add(high, f64x2.add(t, rest)), x);
}

export function atan2D(y: v128, x: v128): v128 {
  let a = absD(x);
  let b = absD(y);
  let steep = f64x2.gt(b, a);
  let small = f64x2.pmin(a, b);
  let large = f64x2.pmax(a, b);
  let t = f64x2.div(small, large);
  t = pick(f64x2.eq(large, zero()), zero(), t);
  t = pick(f64x2.eq(small, c2(INFINITE)), c2(ONE), t);
  let angle = atanD(t);
  let left = i64x2.lt_s(x, zero()); // the sign bit: -0 lies to the left
  // 0 + angle, π/2 - angle, π/2 + angle or π - angle, going around.
  angle = v128.xor(angle, v128.and(v128.xor(steep, left), c2(SIGN)));
  let high = pick(steep, c2(PIO2_HIGH), v128.and(left, c2(PI_HIGH)));
  let low = pick(steep, c2(PIO2_LOW), v128.and(left, c2(PI_LOW)));
  angle = f64x2.add(high, f64x2.add(angle, low));
  return pick(v128.or(isNanD(x), isNanD(y)), c2(NOT_A_NUMBER), copySignD(angle, y));
}

const ASIN_TAIL: usize = memory.data<f64>([
  0.032702325411197948, -0.021117021406964812, 0.021790893856142086, 0.0036720679091593687,
  0.010789357004131608, 0.011397285657732261, 0.013981019577348097, 0.017351595400318203,
  0.022372215912230781, 0.030381942675026963, 0.044642857175291872, 0.074999999999700917,
  0.16666666666666763,
]);

/** (asin x - x)/x, given z = x². */
// @ts-ignore: decorator
@inline function asinTail(z: v128): v128 {
  let p = c2(ASIN_TAIL);
  p = stepD(p, z, ASIN_TAIL + 8);
  p = stepD(p, z, ASIN_TAIL + 16);
  p = stepD(p, z, ASIN_TAIL + 24);
  p = stepD(p, z, ASIN_TAIL + 32);
  p = stepD(p, z, ASIN_TAIL + 40);
  p = stepD(p, z, ASIN_TAIL + 48);
  p = stepD(p, z, ASIN_TAIL + 56);
  p = stepD(p, z, ASIN_TAIL + 64);
  p = stepD(p, z, ASIN_TAIL + 72);
  p = stepD(p, z, ASIN_TAIL + 80);
  p = stepD(p, z, ASIN_TAIL + 88);
  p = stepD(p, z, ASIN_TAIL + 96);
  return f64x2.mul(p, z);
}

/** sqrt z = high + low, high with 26 bits: low, given z, its root and high. */
// @ts-ignore: decorator
@inline function rootLow(z: v128, root: v128, high: v128): v128 {
  let sum = f64x2.pmax(f64x2.add(root, high), c2(SMALLEST));
  return f64x2.div(f64x2.sub(z, f64x2.mul(high, high)), sum);
}

// @ts-ignore: decorator
@inline function upper26(x: v128): v128 {
  return v128.and(x, i64x2.splat(0xfffffffff8000000));
}

export function asinD(x: v128): v128 {
  let a = absD(x);
  let outer = f64x2.ge(a, c2(HALF));
  let z = pick(outer, f64x2.mul(f64x2.sub(c2(ONE), a), c2(HALF)), f64x2.mul(a, a));
  let tail = asinTail(z);
  let near = f64x2.add(a, f64x2.mul(a, tail));
  let root = f64x2.sqrt(z);
  let high = upper26(root);
  let low = rootLow(z, root, high);
  // π/4 - ((2 root tail - (π/2)low + 2 low) - (π/4 - 2 high))
  let twice = f64x2.mul(c2(TWO), f64x2.add(f64x2.mul(root, tail), low));
  let p = f64x2.sub(twice, c2(PIO2_LOW));
  let q = f64x2.sub(c2(PIO4_HIGH), f64x2.add(high, high));
  let far = f64x2.sub(c2(PIO4_HIGH), f64x2.sub(p, q));
  return copySignD(pick(outer, far, near), x);
}

export function acosD(x: v128): v128 {
  let a = absD(x);
  let outer = f64x2.ge(a, c2(HALF));
  let z = pick(outer, f64x2.mul(f64x2.sub(c2(ONE), a), c2(HALF)), f64x2.mul(a, a));
  let tail = asinTail(z);
  let inner = f64x2.sub(x, f64x2.sub(c2(PIO2_LOW), f64x2.mul(x, tail)));
  inner = f64x2.sub(c2(PIO2_HIGH), inner);
  let root = f64x2.sqrt(z);
  let bent = f64x2.mul(root, tail);
  let high = upper26(root);
  let right = f64x2.add(high, f64x2.add(bent, rootLow(z, root, high)));
  let left = f64x2.sub(c2(PIO2_HIGH), f64x2.add(root, f64x2.sub(bent, c2(PIO2_LOW))));
  let far = pick(f64x2.lt(x, zero()), left, right);
  return pick(outer, f64x2.add(far, far), inner);
}
