/**
 * lgamma and its derivative digamma in f64x2.
 *
 * lgamma, |x| < 8: lgamma(2 + d) = d Q(d) on |d| <= 1/2 (Q of degree 18) and the recurrence, as one logarithm of a
 * product; from 8 on Stirling's series with a fitted tail of degree 6 in 1/x²; x <= -1/2 by reflection,
 * log(π / |x sin πx|) - lgamma(-x). digamma: ψ(t) = (t - t0) P(t) on [1, 2.25], t0 its zero in two parts, the
 * recurrence as one fraction, the asymptotic series from 8 on, and ψ(1 - x) - π cot πx for x < 0. All
 * polynomials are our own minimax fits (Remez in 113-bit arithmetic), errors below 2^-55.
 *
 * Bounds: 4 ULP for x > -1/2 (lgamma) and x > 0 (digamma), zeros included. On the negative axis, where both have a
 * zero in every interval between poles, 8 ULP of max(|result|, log |x| + 2, |π cot πx|).
 */
import { absD, d2, pick, stepD } from "./lanes";
import { logD } from "./log64";
import { sinD, tanD } from "./trig64";

const PI: f64 = 3.141592653589793;

/** lgamma(2 + d)/d on |d| <= 1/2. */
// @ts-ignore: decorator
@inline function aroundTwo(d: v128): v128 {
  let p = d2(-1.361597367216871e-7);
  p = stepD(p, d, 2.7883160559340875e-7);
  p = stepD(p, d, -4.2807063272434188e-7);
  p = stepD(p, d, 9.1995835974687873e-7);
  p = stepD(p, d, -2.0459912317346592e-6);
  p = stepD(p, d, 4.3847448165260257e-6);
  p = stepD(p, d, -9.4381880041036317e-6);
  p = stepD(p, d, 2.0505581585298507e-5);
  p = stepD(p, d, -4.492639097989925e-5);
  p = stepD(p, d, 9.9457674742536821e-5);
  p = stepD(p, d, -0.00022315474729493382);
  p = stepD(p, d, 0.00050966951532484641);
  p = stepD(p, d, -0.0011927539121687149);
  p = stepD(p, d, 0.0028905103310376302);
  p = stepD(p, d, -0.0073855510286640709);
  p = stepD(p, d, 0.020580808427780321);
  p = stepD(p, d, -0.067352301053198171);
  p = stepD(p, d, 0.32246703342411326);
  return stepD(p, d, 0.42278433509846713);
}

/** x (lgamma x - (x - 1/2)(log x - 1) - (log 2π - 1)/2), given z = 1/x² <= 1/64. */
// @ts-ignore: decorator
@inline function stirlingTail(z: v128): v128 {
  let p = d2(0.004987712950377551);
  p = stepD(p, z, -0.0018864059497194783);
  p = stepD(p, z, 0.00084139225948639);
  p = stepD(p, z, -0.0005952358531713741);
  p = stepD(p, z, 0.0007936507864096476);
  p = stepD(p, z, -0.0027777777777674342);
  return stepD(p, z, 0.083333333333333329);
}

/** lgamma of `a` = |x|, except that |x| < 1/2 keeps its sign: `x` itself. */
function lgammaPositive(x: v128, a: v128): v128 {
  let tiny = f64x2.lt(a, d2(0.5));
  let belowTwo = f64x2.lt(a, d2(1.5));
  let big = f64x2.ge(a, d2(8));
  // steps >= 1: factors to multiply from 2.5 on; 0 around 2.
  let steps = f64x2.floor(f64x2.sub(a, d2(1.5)));
  let d = f64x2.sub(f64x2.sub(a, d2(2)), f64x2.max(steps, d2(0)));
  d = pick(belowTwo, f64x2.sub(a, d2(1)), d);
  d = pick(tiny, x, d);
  let product = d2(1);
  for (let j: f64 = 1; j <= 6; j++) {
    let on = f64x2.ge(steps, d2(j));
    product = pick(on, f64x2.mul(product, f64x2.sub(a, d2(j))), product);
  }
  product = pick(belowTwo, a, product);
  product = pick(tiny, f64x2.mul(a, f64x2.add(x, d2(1))), product);
  let log = logD(pick(big, a, product));
  let signed = v128.xor(log, v128.and(belowTwo, d2(-0.0)));
  let small = f64x2.add(f64x2.mul(d, aroundTwo(d)), signed);
  let inverse = f64x2.div(d2(1), a);
  let tail = f64x2.mul(inverse, stirlingTail(f64x2.mul(inverse, inverse)));
  let main = f64x2.mul(f64x2.sub(a, d2(0.5)), f64x2.sub(log, d2(1)));
  let large = f64x2.add(main, f64x2.add(d2(0.41893853320467273), tail));
  return pick(big, large, small);
}

export function lgammaD(x: v128): v128 {
  let a = absD(x);
  let result = lgammaPositive(x, a);
  let reflected = f64x2.le(x, d2(-0.5));
  if (v128.any_true(reflected)) {
    let r = absD(f64x2.sub(x, f64x2.nearest(x)));
    let sine = sinD(f64x2.mul(r, d2(PI)));
    let mirror = f64x2.sub(logD(f64x2.div(d2(PI), f64x2.mul(a, sine))), result);
    // Poles, and -infinity, whose distance to an integer is NaN.
    mirror = pick(f64x2.gt(r, d2(0)), mirror, d2(Infinity));
    result = pick(reflected, mirror, result);
  }
  return result;
}

/** ψ(t)/(t - t0) with d = t - 1.625, t in [1, 2.25]. */
// @ts-ignore: decorator
@inline function aroundZero(d: v128): v128 {
  let p = d2(1.0599117068556351e-5);
  p = stepD(p, d, -1.5898594150393286e-5);
  p = stepD(p, d, -8.4448523657990659e-9);
  p = stepD(p, d, -3.0927673297777209e-6);
  p = stepD(p, d, 3.2748221291666163e-5);
  p = stepD(p, d, -5.0030252996948688e-5);
  p = stepD(p, d, 6.4100363580013941e-5);
  p = stepD(p, d, -0.00010604491621738285);
  p = stepD(p, d, 0.00017916132120011647);
  p = stepD(p, d, -0.00029046629494385896);
  p = stepD(p, d, 0.00047027864374361882);
  p = stepD(p, d, -0.00076458815804686018);
  p = stepD(p, d, 0.0012433402220472884);
  p = stepD(p, d, -0.0020218777450139117);
  p = stepD(p, d, 0.0032894273833981584);
  p = stepD(p, d, -0.0053557290565848141);
  p = stepD(p, d, 0.008730867881845239);
  p = stepD(p, d, -0.014262521427211419);
  p = stepD(p, d, 0.023380439929843365);
  p = stepD(p, d, -0.03855782679360107);
  p = stepD(p, d, 0.064262517433713112);
  p = stepD(p, d, -0.10919698588599223);
  p = stepD(p, d, 0.19272012460146146);
  p = stepD(p, d, -0.36977496445741076);
  return stepD(p, d, 0.90159251582821576);
}

/** (log x - 1/(2x) - ψ(x)) x², given z = 1/x² <= 1/64. */
// @ts-ignore: decorator
@inline function digammaTail(z: v128): v128 {
  let p = d2(-0.28706396648521154);
  p = stepD(p, z, 0.079279663922791677);
  p = stepD(p, z, -0.021033038682584278);
  p = stepD(p, z, 0.0075752352477482477);
  p = stepD(p, z, -0.0041666639777906706);
  p = stepD(p, z, 0.0039682539605525183);
  p = stepD(p, z, -0.0083333333333226317);
  return stepD(p, z, 0.083333333333333329);
}

const ZERO_HIGH: f64 = 1.4616321449683622;
const ZERO_LOW: f64 = 9.5499954299656974e-17;

/** ψ(w) for w >= 0 and for -0. */
function digammaPositive(w: v128): v128 {
  let below = f64x2.lt(w, d2(1));
  let steps = f64x2.max(f64x2.floor(f64x2.sub(w, d2(1.25))), d2(0));
  let t = f64x2.sub(w, steps);
  let base = f64x2.sub(pick(below, f64x2.sub(w, d2(ZERO_HIGH - 1)), f64x2.sub(t, d2(ZERO_HIGH))), d2(ZERO_LOW));
  let d = f64x2.sub(t, pick(below, d2(0.625), d2(1.625)));
  // The sum of 1/(w - j), j = 1 … steps, as top/bottom; -1/w below 1.
  let top = d2(0);
  let bottom = d2(1);
  for (let j: f64 = 1; j <= 6; j++) {
    let on = f64x2.ge(steps, d2(j));
    let factor = f64x2.sub(w, d2(j));
    top = pick(on, f64x2.add(f64x2.mul(top, factor), bottom), top);
    bottom = pick(on, f64x2.mul(bottom, factor), bottom);
  }
  top = pick(below, d2(-1), top);
  bottom = pick(below, w, bottom);
  let small = f64x2.add(f64x2.mul(base, aroundZero(d)), f64x2.div(top, bottom));
  let inverse = f64x2.div(d2(1), w);
  let z = f64x2.mul(inverse, inverse);
  let tail = f64x2.add(f64x2.mul(inverse, d2(0.5)), f64x2.mul(z, digammaTail(z)));
  return pick(f64x2.ge(w, d2(8)), f64x2.sub(logD(w), tail), small);
}

export function digammaD(x: v128): v128 {
  let negative = f64x2.lt(x, d2(0));
  let result = digammaPositive(pick(negative, f64x2.sub(d2(1), x), x));
  if (v128.any_true(negative)) {
    let r = f64x2.sub(x, f64x2.nearest(x));
    let cotangent = f64x2.div(d2(PI), tanD(f64x2.mul(r, d2(PI))));
    let mirror = f64x2.sub(result, cotangent);
    mirror = pick(f64x2.eq(r, d2(0)), d2(NaN), mirror);
    result = pick(negative, mirror, result);
  }
  return result;
}
