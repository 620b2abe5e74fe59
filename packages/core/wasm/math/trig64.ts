/**
 * sin, cos and tan in f64x2.
 *
 * x = k π/2 + r + tail. Up to |x| = 2^20 π/2 the multiple is taken off in four parts of π/2, three
 * of 33 bits (their products with k are exact) summed without loss, so r + tail is good to about
 * 2^-100 also next to the zeros; beyond, `reduceHuge` does the lane. The polynomials on |r| <= π/4
 * are our own minimax fits (Remez in 113-bit arithmetic): sin r = r + r³ S(r²), error below 2^-57
 * of r; cos r = 1 - r²/2 + r⁴ C(r²), error below 2^-59.
 *
 * Bounds (ULP): sin 1, cos 1, tan 3; over all finite arguments.
 */
import { absD, c2, HALF, ONE, pick, ROUND, stepD } from "./lanes";
import { reduceHuge } from "./reduce";

const TINY: usize = memory.data<f64>([1e-9]);
const TWO_OVER_PI: usize = memory.data<f64>([0.63661977236758138]);
const PIO2_A: usize = memory.data<f64>([1.5707963267341256]);
const PIO2_B: usize = memory.data<f64>([6.077100506303966e-11]);
const PIO2_C: usize = memory.data<f64>([2.0222662487111665e-21]);
const PIO2_D: usize = memory.data<f64>([8.4740917553038378e-32]);
const FAST_MAX: usize = memory.data<f64>([1647099.0]); // below 2^20 π/2

const SIN_PART: usize = memory.data<f64>([
  1.5896795580726224e-10, -2.5050758113821451e-8, 2.7557313691907763e-6, -0.00019841269829807781,
  0.0083333333333224131, -0.16666666666666632,
]);

// @ts-ignore: decorator
@inline function sinPart(r: v128, tail: v128, z: v128): v128 {
  let p = c2(SIN_PART);
  p = stepD(p, z, SIN_PART + 8);
  p = stepD(p, z, SIN_PART + 16);
  p = stepD(p, z, SIN_PART + 24);
  p = stepD(p, z, SIN_PART + 32);
  p = stepD(p, z, SIN_PART + 40);
  let cube = f64x2.mul(f64x2.mul(r, z), p);
  let slope = f64x2.sub(tail, f64x2.mul(f64x2.mul(tail, z), c2(HALF)));
  return f64x2.add(r, f64x2.add(cube, slope));
}

const COS_PART: usize = memory.data<f64>([
  -1.1359647782927891e-11, 2.0875723272948256e-9, -2.7557314352331738e-7, 2.4801587289482184e-5,
  -0.0013888888888874125, 0.041666666666666602,
]);

// @ts-ignore: decorator
@inline function cosPart(r: v128, tail: v128, z: v128): v128 {
  let p = c2(COS_PART);
  p = stepD(p, z, COS_PART + 8);
  p = stepD(p, z, COS_PART + 16);
  p = stepD(p, z, COS_PART + 24);
  p = stepD(p, z, COS_PART + 32);
  p = stepD(p, z, COS_PART + 40);
  let half = f64x2.mul(z, c2(HALF));
  let top = f64x2.sub(c2(ONE), half);
  let lost = f64x2.sub(f64x2.sub(c2(ONE), top), half);
  let rest = f64x2.sub(f64x2.mul(f64x2.mul(z, z), p), f64x2.mul(r, tail));
  return f64x2.add(top, f64x2.add(lost, rest));
}

/** kind 0: sin, 1: cos, 2: tan; a constant at every call. */
// @ts-ignore: decorator
@inline function trig(x: v128, kind: i32): v128 {
  let k = f64x2.nearest(f64x2.mul(x, c2(TWO_OVER_PI)));
  let a = f64x2.sub(x, f64x2.mul(k, c2(PIO2_A)));
  let b = f64x2.mul(k, c2(PIO2_B));
  let sum = f64x2.sub(a, b);
  let back = f64x2.sub(sum, a);
  let low = f64x2.sub(f64x2.sub(a, f64x2.sub(sum, back)), f64x2.add(b, back));
  let c = f64x2.mul(k, c2(PIO2_C));
  let next = f64x2.sub(sum, c);
  back = f64x2.sub(next, sum);
  low = f64x2.add(low, f64x2.sub(f64x2.sub(sum, f64x2.sub(next, back)), f64x2.add(c, back)));
  low = f64x2.sub(low, f64x2.mul(k, c2(PIO2_D)));
  let r = f64x2.add(next, low);
  let tail = f64x2.add(f64x2.sub(next, r), low);
  let turns = f64x2.add(k, c2(ROUND));
  let huge = f64x2.gt(absD(x), c2(FAST_MAX));
  if (v128.any_true(huge)) {
    if (i64x2.extract_lane(huge, 0)) {
      let packed = reduceHuge(f64x2.extract_lane(x, 0));
      r = f64x2.replace_lane(r, 0, f64x2.extract_lane(packed, 0));
      tail = f64x2.replace_lane(tail, 0, f64x2.extract_lane(packed, 1));
      turns = i64x2.replace_lane(turns, 0, i64x2.extract_lane(packed, 1));
    }
    if (i64x2.extract_lane(huge, 1)) {
      let packed = reduceHuge(f64x2.extract_lane(x, 1));
      r = f64x2.replace_lane(r, 1, f64x2.extract_lane(packed, 0));
      tail = f64x2.replace_lane(tail, 1, f64x2.extract_lane(packed, 1));
      turns = i64x2.replace_lane(turns, 1, i64x2.extract_lane(packed, 1));
    }
  }
  let z = f64x2.mul(r, r);
  let sine = sinPart(r, tail, z);
  let cosine = cosPart(r, tail, z);
  if (kind == 1) turns = i64x2.add(turns, i64x2.splat(1));
  let odd = i64x2.neg(v128.and(turns, i64x2.splat(1)));
  if (kind == 2) {
    let quotient = f64x2.div(pick(odd, cosine, sine), pick(odd, sine, cosine));
    quotient = v128.xor(quotient, i64x2.shl(odd, 63));
    return pick(f64x2.lt(absD(x), c2(TINY)), x, quotient);
  }
  let sign = i64x2.shl(v128.and(turns, i64x2.splat(2)), 62);
  let result = v128.xor(pick(odd, cosine, sine), sign);
  if (kind == 1) return result;
  return pick(f64x2.lt(absD(x), c2(TINY)), x, result);
}

export function sinD(x: v128): v128 {
  return trig(x, 0);
}

export function cosD(x: v128): v128 {
  return trig(x, 1);
}

export function tanD(x: v128): v128 {
  return trig(x, 2);
}
