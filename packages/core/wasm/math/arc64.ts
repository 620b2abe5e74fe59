/**
 * The inverse circular functions in f64x2: atan, atan2, asin, acos.
 *
 * atan: |x| is moved to |t| <= 7/16 by atan x = atan c + atan((x - c)/(1 + c x)) with c = 0, 1/2, 1, 3/2 or
 * infinity (fdlibm's intervals), atan c in two parts. asin and acos: x + x³ P(x²) up to 1/2, above by
 * asin x = π/2 - 2 asin sqrt((1 - x)/2) with the square root in two parts. The polynomials are our own minimax
 * fits (Remez in 113-bit arithmetic): atan of degree 10 in t², error 2^-57; asin of degree 12, error 2^-59.
 *
 * Bounds (ULP): atan 1, asin 1, acos 1, atan2 2.
 */
import { absD, copySignD, d2, isNanD, pick, stepD } from "./lanes";

const PIO2_HIGH: f64 = 1.5707963267948966;
const PIO2_LOW: f64 = 6.123233995736766e-17;
const PI_HIGH: f64 = 3.1415926535897931;
const PI_LOW: f64 = 1.2246467991473532e-16;
const PIO4_HIGH: f64 = 0.78539816339744828;
const PIO4_LOW: f64 = 3.061616997868383e-17;

/** (atan t - t)/t, given z = t². */
// @ts-ignore: decorator
@inline function atanTail(z: v128): v128 {
  let p = d2(-0.01627108694691862);
  p = stepD(p, z, 0.036516766648446511);
  p = stepD(p, z, -0.049762369302982258);
  p = stepD(p, z, 0.058334136764654723);
  p = stepD(p, z, -0.066610494945092052);
  p = stepD(p, z, 0.076918739174633516);
  p = stepD(p, z, -0.090908869918501681);
  p = stepD(p, z, 0.11111110400027314);
  p = stepD(p, z, -0.14285714272382752);
  p = stepD(p, z, 0.19999999999875134);
  p = stepD(p, z, -0.33333333333332926);
  return f64x2.mul(p, z);
}

export function atanD(x: v128): v128 {
  let a = absD(x);
  let first = f64x2.ge(a, d2(0.4375));
  let second = f64x2.ge(a, d2(0.6875));
  let third = f64x2.ge(a, d2(1.1875));
  let fourth = f64x2.ge(a, d2(2.4375));
  let half = d2(0.5);
  let c = f64x2.add(v128.and(first, half), f64x2.add(v128.and(second, half), v128.and(third, half)));
  let top = pick(fourth, d2(-1), f64x2.sub(a, c));
  let bottom = pick(fourth, a, f64x2.add(d2(1), f64x2.mul(c, a)));
  let t = f64x2.div(top, bottom);
  let high = v128.and(first, d2(0.46364760900080609));
  high = pick(second, d2(PIO4_HIGH), high);
  high = pick(third, d2(0.98279372324732905), high);
  high = pick(fourth, d2(PIO2_HIGH), high);
  let low = v128.and(first, d2(2.2698777452961687e-17));
  low = pick(second, d2(PIO4_LOW), low);
  low = pick(third, d2(1.3903311031230998e-17), low);
  low = pick(fourth, d2(PIO2_LOW), low);
  let rest = f64x2.add(f64x2.mul(t, atanTail(f64x2.mul(t, t))), low);
  return copySignD(f64x2.add(high, f64x2.add(t, rest)), x);
}

export function atan2D(y: v128, x: v128): v128 {
  let a = absD(x);
  let b = absD(y);
  let steep = f64x2.gt(b, a);
  let small = f64x2.min(a, b);
  let large = f64x2.max(a, b);
  let t = f64x2.div(small, large);
  t = pick(f64x2.eq(large, d2(0)), d2(0), t);
  t = pick(f64x2.eq(small, d2(Infinity)), d2(1), t);
  let angle = atanD(t);
  angle = pick(steep, f64x2.sub(d2(PIO2_HIGH), f64x2.sub(angle, d2(PIO2_LOW))), angle);
  let left = i64x2.lt_s(x, i64x2.splat(0)); // the sign bit: -0 lies to the left
  angle = pick(left, f64x2.sub(d2(PI_HIGH), f64x2.sub(angle, d2(PI_LOW))), angle);
  return pick(v128.or(isNanD(x), isNanD(y)), d2(NaN), copySignD(angle, y));
}

/** (asin x - x)/x, given z = x². */
// @ts-ignore: decorator
@inline function asinTail(z: v128): v128 {
  let p = d2(0.032702325411197948);
  p = stepD(p, z, -0.021117021406964812);
  p = stepD(p, z, 0.021790893856142086);
  p = stepD(p, z, 0.0036720679091593687);
  p = stepD(p, z, 0.010789357004131608);
  p = stepD(p, z, 0.011397285657732261);
  p = stepD(p, z, 0.013981019577348097);
  p = stepD(p, z, 0.017351595400318203);
  p = stepD(p, z, 0.022372215912230781);
  p = stepD(p, z, 0.030381942675026963);
  p = stepD(p, z, 0.044642857175291872);
  p = stepD(p, z, 0.074999999999700917);
  p = stepD(p, z, 0.16666666666666763);
  return f64x2.mul(p, z);
}

/** sqrt z = high + low, high with 26 bits: low, given z, its root and high. */
// @ts-ignore: decorator
@inline function rootLow(z: v128, root: v128, high: v128): v128 {
  let sum = f64x2.max(f64x2.add(root, high), d2(1e-300));
  return f64x2.div(f64x2.sub(z, f64x2.mul(high, high)), sum);
}

// @ts-ignore: decorator
@inline function upper26(x: v128): v128 {
  return v128.and(x, i64x2.splat(0xfffffffff8000000));
}

export function asinD(x: v128): v128 {
  let a = absD(x);
  let outer = f64x2.ge(a, d2(0.5));
  let z = pick(outer, f64x2.mul(f64x2.sub(d2(1), a), d2(0.5)), f64x2.mul(a, a));
  let tail = asinTail(z);
  let near = f64x2.add(a, f64x2.mul(a, tail));
  let root = f64x2.sqrt(z);
  let high = upper26(root);
  let low = rootLow(z, root, high);
  // π/4 - ((2 root tail - (π/2)low + 2 low) - (π/4 - 2 high))
  let twice = f64x2.mul(d2(2), f64x2.add(f64x2.mul(root, tail), low));
  let p = f64x2.sub(twice, d2(PIO2_LOW));
  let q = f64x2.sub(d2(PIO4_HIGH), f64x2.add(high, high));
  let far = f64x2.sub(d2(PIO4_HIGH), f64x2.sub(p, q));
  return copySignD(pick(outer, far, near), x);
}

export function acosD(x: v128): v128 {
  let a = absD(x);
  let outer = f64x2.ge(a, d2(0.5));
  let z = pick(outer, f64x2.mul(f64x2.sub(d2(1), a), d2(0.5)), f64x2.mul(a, a));
  let tail = asinTail(z);
  let inner = f64x2.sub(x, f64x2.sub(d2(PIO2_LOW), f64x2.mul(x, tail)));
  inner = f64x2.sub(d2(PIO2_HIGH), inner);
  let root = f64x2.sqrt(z);
  let bent = f64x2.mul(root, tail);
  let high = upper26(root);
  let right = f64x2.add(high, f64x2.add(bent, rootLow(z, root, high)));
  let left = f64x2.sub(d2(PIO2_HIGH), f64x2.add(root, f64x2.sub(bent, d2(PIO2_LOW))));
  let far = pick(f64x2.lt(x, d2(0)), left, right);
  return pick(outer, f64x2.add(far, far), inner);
}
