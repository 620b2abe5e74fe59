/**
 * lgamma and its derivative digamma in f64x2.
 *
 * lgamma, |x| < 8: lgamma(2 + d) = d Q(d) on |d| <= 1/2 (Q of degree 18) and the recurrence, as
 * one logarithm of a product; a fit of degree 12 on [1.23, 1.5), around the minimum; from 8 on
 * Stirling's series with a fitted tail of degree 6 in 1/x²; x <= -1/2 by reflection, log(π / |x
 * sin πx|) - lgamma(-x).
 *
 * digamma: ψ(t) = (t - t0) P(t) on [1, 2.25], t0 its zero in two parts, the recurrence as one
 * fraction, the asymptotic series from 5 on with a fitted tail of degree 8, and
 * ψ(1 - x) - π cot πx for x < 0.
 *
 * All polynomials are our own minimax fits (Remez in 113-bit arithmetic), errors below 2^-54.
 *
 * Bounds: lgamma 4 ULP for x > -1/2 and digamma 4 ULP for x > 0, zeros included. On the rest of
 * the negative axis, where both have a zero between any two poles, 6 ULP of the sum of the
 * magnitudes of the two terms of the reflection.
 */
import {
  absD,
  c2,
  copySignD,
  HALF,
  INFINITE,
  MINUS_ONE,
  NOT_A_NUMBER,
  ONE,
  pick,
  SIGN,
  stepD,
  TWO,
  zero,
} from "./lanes";
import { logD } from "./log64";
import { sinD, tanD } from "./trig64";

const MINUS_HALF: usize = memory.data<f64>([-0.5]);
const STIRLING: usize = memory.data<f64>([0.41893853320467273]); // (log 2π - 1)/2
const MIDDLE_LESS_1: usize = memory.data<f64>([0.625]);
const MIDDLE: usize = memory.data<f64>([1.625]);
const FIVE_QUARTERS: usize = memory.data<f64>([1.25]);
const THREE_HALVES: usize = memory.data<f64>([1.5]);
const FIVE: usize = memory.data<f64>([5]);
const EIGHT: usize = memory.data<f64>([8]);
const ELEVEN_EIGHTHS: usize = memory.data<f64>([1.375]);
const MIDDLE_MIN: usize = memory.data<f64>([1.23]);
const MINIMUM_HIGH: usize = memory.data<f64>([-0.11775527074107878]); // lgamma 1.375
const MINIMUM_LOW: usize = memory.data<f64>([2.4457640569437476e-18]);
const QUARTER: usize = memory.data<f64>([0.25]);
const PI: usize = memory.data<f64>([3.141592653589793]);

const AROUND_TWO: usize = memory.data<f64>([
  -1.361597367216871e-7, 2.7883160559340875e-7, -4.2807063272434188e-7, 9.1995835974687873e-7,
  -2.0459912317346592e-6, 4.3847448165260257e-6, -9.4381880041036317e-6, 2.0505581585298507e-5,
  -4.492639097989925e-5, 9.9457674742536821e-5, -0.00022315474729493382, 0.00050966951532484641,
  -0.0011927539121687149, 0.0028905103310376302, -0.0073855510286640709, 0.020580808427780321,
  -0.067352301053198171, 0.32246703342411326, 0.42278433509846713,
]);

/** lgamma(2 + d)/d on |d| <= 1/2. */
// @ts-ignore: decorator
@inline function aroundTwo(d: v128): v128 {
  let p = c2(AROUND_TWO);
  p = stepD(p, d, AROUND_TWO + 8);
  p = stepD(p, d, AROUND_TWO + 16);
  p = stepD(p, d, AROUND_TWO + 24);
  p = stepD(p, d, AROUND_TWO + 32);
  p = stepD(p, d, AROUND_TWO + 40);
  p = stepD(p, d, AROUND_TWO + 48);
  p = stepD(p, d, AROUND_TWO + 56);
  p = stepD(p, d, AROUND_TWO + 64);
  p = stepD(p, d, AROUND_TWO + 72);
  p = stepD(p, d, AROUND_TWO + 80);
  p = stepD(p, d, AROUND_TWO + 88);
  p = stepD(p, d, AROUND_TWO + 96);
  p = stepD(p, d, AROUND_TWO + 104);
  p = stepD(p, d, AROUND_TWO + 112);
  p = stepD(p, d, AROUND_TWO + 120);
  p = stepD(p, d, AROUND_TWO + 128);
  p = stepD(p, d, AROUND_TWO + 136);
  return stepD(p, d, AROUND_TWO + 144);
}

const AROUND_MINIMUM: usize = memory.data<f64>([
  -0.0013944617687146716, 0.001872476750287312, -0.0027360784661291139, 0.0041568543211358677,
  -0.006373149727782767, 0.0099154658013662182, -0.015743978201898965, 0.025738974231438089,
  -0.04400652443434, 0.081111985581269669, -0.17269876185135774, 0.52533326082519827,
  -0.087332382478472914,
]);

/** lgamma(1.375 + d) for 1.375 + d in [1.23, 1.5), where the recurrence would cancel. */
function aroundMinimum(d: v128): v128 {
  let p = c2(AROUND_MINIMUM);
  p = stepD(p, d, AROUND_MINIMUM + 8);
  p = stepD(p, d, AROUND_MINIMUM + 16);
  p = stepD(p, d, AROUND_MINIMUM + 24);
  p = stepD(p, d, AROUND_MINIMUM + 32);
  p = stepD(p, d, AROUND_MINIMUM + 40);
  p = stepD(p, d, AROUND_MINIMUM + 48);
  p = stepD(p, d, AROUND_MINIMUM + 56);
  p = stepD(p, d, AROUND_MINIMUM + 64);
  p = stepD(p, d, AROUND_MINIMUM + 72);
  p = stepD(p, d, AROUND_MINIMUM + 80);
  p = stepD(p, d, AROUND_MINIMUM + 88);
  p = stepD(p, d, AROUND_MINIMUM + 96);
  return f64x2.add(c2(MINIMUM_HIGH), f64x2.add(f64x2.mul(d, p), c2(MINIMUM_LOW)));
}

const STIRLING_TAIL: usize = memory.data<f64>([
  0.004987712950377551, -0.0018864059497194783, 0.00084139225948639, -0.0005952358531713741,
  0.0007936507864096476, -0.0027777777777674342, 0.083333333333333329,
]);

/** x (lgamma x - (x - 1/2)(log x - 1) - (log 2π - 1)/2), given z = 1/x² <= 1/64. */
// @ts-ignore: decorator
@inline function stirlingTail(z: v128): v128 {
  let p = c2(STIRLING_TAIL);
  p = stepD(p, z, STIRLING_TAIL + 8);
  p = stepD(p, z, STIRLING_TAIL + 16);
  p = stepD(p, z, STIRLING_TAIL + 24);
  p = stepD(p, z, STIRLING_TAIL + 32);
  p = stepD(p, z, STIRLING_TAIL + 40);
  return stepD(p, z, STIRLING_TAIL + 48);
}

const COUNTS: usize = memory.data<f64>([1, 2, 3, 4, 5, 6]);

/** product·(a - j) where steps >= j, the number at `count`. */
// @ts-ignore: decorator
@inline function times(product: v128, a: v128, steps: v128, count: usize): v128 {
  let on = f64x2.ge(steps, c2(count));
  return pick(on, f64x2.mul(product, f64x2.sub(a, c2(count))), product);
}

/** lgamma of `a` = |x|, except that |x| < 1/2 keeps its sign: `x` itself. */
function lgammaPositive(x: v128, a: v128): v128 {
  let tiny = f64x2.lt(a, c2(HALF));
  let belowTwo = f64x2.lt(a, c2(THREE_HALVES));
  let big = f64x2.ge(a, c2(EIGHT));
  // steps >= 1: factors to multiply from 2.5 on; 0 around 2.
  let steps = f64x2.floor(f64x2.sub(a, c2(THREE_HALVES)));
  let d = f64x2.sub(f64x2.sub(a, c2(TWO)), f64x2.pmax(steps, zero()));
  d = pick(belowTwo, f64x2.sub(a, c2(ONE)), d);
  d = pick(tiny, x, d);
  let product = c2(ONE);
  product = times(product, a, steps, COUNTS);
  product = times(product, a, steps, COUNTS + 8);
  product = times(product, a, steps, COUNTS + 16);
  product = times(product, a, steps, COUNTS + 24);
  product = times(product, a, steps, COUNTS + 32);
  product = times(product, a, steps, COUNTS + 40);
  product = pick(belowTwo, a, product);
  product = pick(tiny, f64x2.mul(a, f64x2.add(x, c2(ONE))), product);
  let log = logD(pick(big, a, product));
  let signed = v128.xor(log, v128.and(belowTwo, c2(SIGN)));
  let small = f64x2.add(f64x2.mul(d, aroundTwo(d)), signed);
  let middle = v128.and(f64x2.ge(a, c2(MIDDLE_MIN)), belowTwo);
  if (v128.any_true(middle)) {
    small = pick(middle, aroundMinimum(f64x2.sub(a, c2(ELEVEN_EIGHTHS))), small);
  }
  let inverse = f64x2.div(c2(ONE), a);
  let tail = f64x2.mul(inverse, stirlingTail(f64x2.mul(inverse, inverse)));
  let main = f64x2.mul(f64x2.sub(a, c2(HALF)), f64x2.sub(log, c2(ONE)));
  let large = f64x2.add(main, f64x2.add(c2(STIRLING), tail));
  return pick(big, large, small);
}

export function lgammaD(x: v128): v128 {
  let a = absD(x);
  let result = lgammaPositive(x, a);
  let reflected = f64x2.le(x, c2(MINUS_HALF));
  if (v128.any_true(reflected)) {
    let r = absD(f64x2.sub(x, f64x2.nearest(x)));
    let sine = sinD(f64x2.mul(r, c2(PI)));
    let mirror = f64x2.sub(logD(f64x2.div(c2(PI), f64x2.mul(a, sine))), result);
    // Poles, and -infinity, whose distance to an integer is NaN.
    mirror = pick(f64x2.gt(r, zero()), mirror, c2(INFINITE));
    result = pick(reflected, mirror, result);
  }
  return result;
}

const AROUND_ZERO: usize = memory.data<f64>([
  1.0599117068556351e-5, -1.5898594150393286e-5, -8.4448523657990659e-9, -3.0927673297777209e-6,
  3.2748221291666163e-5, -5.0030252996948688e-5, 6.4100363580013941e-5, -0.00010604491621738285,
  0.00017916132120011647, -0.00029046629494385896, 0.00047027864374361882, -0.00076458815804686018,
  0.0012433402220472884, -0.0020218777450139117, 0.0032894273833981584, -0.0053557290565848141,
  0.008730867881845239, -0.014262521427211419, 0.023380439929843365, -0.03855782679360107,
  0.064262517433713112, -0.10919698588599223, 0.19272012460146146, -0.36977496445741076,
  0.90159251582821576,
]);

/** ψ(t)/(t - t0) with d = t - 1.625, t in [1, 2.25]. */
// @ts-ignore: decorator
@inline function aroundZero(d: v128): v128 {
  let p = c2(AROUND_ZERO);
  p = stepD(p, d, AROUND_ZERO + 8);
  p = stepD(p, d, AROUND_ZERO + 16);
  p = stepD(p, d, AROUND_ZERO + 24);
  p = stepD(p, d, AROUND_ZERO + 32);
  p = stepD(p, d, AROUND_ZERO + 40);
  p = stepD(p, d, AROUND_ZERO + 48);
  p = stepD(p, d, AROUND_ZERO + 56);
  p = stepD(p, d, AROUND_ZERO + 64);
  p = stepD(p, d, AROUND_ZERO + 72);
  p = stepD(p, d, AROUND_ZERO + 80);
  p = stepD(p, d, AROUND_ZERO + 88);
  p = stepD(p, d, AROUND_ZERO + 96);
  p = stepD(p, d, AROUND_ZERO + 104);
  p = stepD(p, d, AROUND_ZERO + 112);
  p = stepD(p, d, AROUND_ZERO + 120);
  p = stepD(p, d, AROUND_ZERO + 128);
  p = stepD(p, d, AROUND_ZERO + 136);
  p = stepD(p, d, AROUND_ZERO + 144);
  p = stepD(p, d, AROUND_ZERO + 152);
  p = stepD(p, d, AROUND_ZERO + 160);
  p = stepD(p, d, AROUND_ZERO + 168);
  p = stepD(p, d, AROUND_ZERO + 176);
  p = stepD(p, d, AROUND_ZERO + 184);
  return stepD(p, d, AROUND_ZERO + 192);
}

const DIGAMMA_TAIL: usize = memory.data<f64>([
  0.80898899950548986, -0.30931204590739875, 0.078094676799177906, -0.020960225414289674,
  0.0075736180754251946, -0.0041666454208226797, 0.0039682538476272051, -0.0083333333329954871,
  0.08333333333333301,
]);

/** (log x - 1/(2x) - ψ(x)) x², given z = 1/x² <= 1/25. */
// @ts-ignore: decorator
@inline function digammaTail(z: v128): v128 {
  let p = c2(DIGAMMA_TAIL);
  p = stepD(p, z, DIGAMMA_TAIL + 8);
  p = stepD(p, z, DIGAMMA_TAIL + 16);
  p = stepD(p, z, DIGAMMA_TAIL + 24);
  p = stepD(p, z, DIGAMMA_TAIL + 32);
  p = stepD(p, z, DIGAMMA_TAIL + 40);
  p = stepD(p, z, DIGAMMA_TAIL + 48);
  p = stepD(p, z, DIGAMMA_TAIL + 56);
  return stepD(p, z, DIGAMMA_TAIL + 64);
}

const ZERO_HIGH: usize = memory.data<f64>([1.4616321449683622]);
const ZERO_HIGH_LESS_1: usize = memory.data<f64>([0.46163214496836225]);
const ZERO_LOW: usize = memory.data<f64>([9.5499954299656974e-17]);

/** ψ(w + rest) for w >= 0 and for -0; rest is below the last place of w. */
function digammaPositive(w: v128, rest: v128): v128 {
  let below = f64x2.lt(w, c2(ONE));
  let steps = f64x2.pmax(f64x2.floor(f64x2.sub(w, c2(FIVE_QUARTERS))), zero());
  let t = f64x2.sub(w, steps);
  let base = f64x2.sub(t, pick(below, c2(ZERO_HIGH_LESS_1), c2(ZERO_HIGH)));
  base = f64x2.add(base, f64x2.sub(rest, c2(ZERO_LOW)));
  let d = f64x2.sub(t, pick(below, c2(MIDDLE_LESS_1), c2(MIDDLE)));
  // The sum of 1/(w - j), j = 1 … steps, as top/bottom; -1/w below 1.
  let top = zero();
  let bottom = c2(ONE);
  for (let j: f64 = 1; j <= 3; j++) {
    let on = f64x2.ge(steps, f64x2.splat(j));
    let factor = f64x2.sub(w, f64x2.splat(j));
    top = pick(on, f64x2.add(f64x2.mul(top, factor), bottom), top);
    bottom = pick(on, f64x2.mul(bottom, factor), bottom);
  }
  top = pick(below, c2(MINUS_ONE), top);
  bottom = pick(below, w, bottom);
  let small = f64x2.add(f64x2.mul(base, aroundZero(d)), f64x2.div(top, bottom));
  let inverse = f64x2.div(c2(ONE), w);
  let z = f64x2.mul(inverse, inverse);
  let tail = f64x2.add(f64x2.mul(inverse, c2(HALF)), f64x2.mul(z, digammaTail(z)));
  return pick(f64x2.ge(w, c2(FIVE)), f64x2.sub(logD(w), tail), small);
}

export function digammaD(x: v128): v128 {
  let negative = f64x2.lt(x, zero());
  let mirrored = f64x2.sub(c2(ONE), x);
  let rest = v128.and(negative, f64x2.sub(f64x2.sub(c2(ONE), mirrored), x));
  let result = digammaPositive(pick(negative, mirrored, x), rest);
  if (v128.any_true(negative)) {
    let r = f64x2.sub(x, f64x2.nearest(x));
    // π cot πr = π / tan πr, and π tan π(1/2 - r) beyond 1/4: both tangents of small angles.
    let a = absD(r);
    let steep = f64x2.gt(a, c2(QUARTER));
    let tangent = tanD(f64x2.mul(pick(steep, f64x2.sub(c2(HALF), a), a), c2(PI)));
    let cotangent = pick(steep, f64x2.mul(c2(PI), tangent), f64x2.div(c2(PI), tangent));
    let mirror = f64x2.sub(result, copySignD(cotangent, r));
    mirror = pick(f64x2.eq(r, zero()), c2(NOT_A_NUMBER), mirror);
    result = pick(negative, mirror, result);
  }
  return result;
}
