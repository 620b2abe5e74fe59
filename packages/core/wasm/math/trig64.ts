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
import { absD, c2, HALF, ONE, pick, ROUND, SIGN, stepD, zero } from "./lanes";
import { reduceHuge } from "./reduce";

const UNIT: usize = memory.data<u64>([1]);
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

/** What rounding took from x - y, exactly, where x is a multiple of the last bit of y. */
// @ts-ignore: decorator
@inline function lostOf(x: v128, y: v128, difference: v128): v128 {
  return f64x2.sub(f64x2.sub(x, difference), y);
}

/** All ones where the number of quarter turns is odd. */
// @ts-ignore: decorator
@inline function oddOf(turns: v128): v128 {
  return i64x2.sub(zero(), v128.and(turns, c2(UNIT)));
}

/** The sine `turns` quarter turns further on. */
// @ts-ignore: decorator
@inline function turned(turns: v128, sine: v128, cosine: v128): v128 {
  return v128.xor(pick(oddOf(turns), cosine, sine), v128.and(i64x2.shl(turns, 62), c2(SIGN)));
}

/**
 * kind 0: sin, 1: cos, 2: tan, 3: sin, and cos to `cosineAt`; a constant at every call.
 *
 * Where k is not 0, x - k A is a multiple of 2^-53, and less k B it is one of 2^-66: multiples of
 * the last bits of k B and k C, however much of x is left.
 */
// @ts-ignore: decorator
@inline function trig(x: v128, kind: i32, cosineAt: usize): v128 {
  let turns = f64x2.add(f64x2.mul(x, c2(TWO_OVER_PI)), c2(ROUND));
  let k = f64x2.sub(turns, c2(ROUND));
  let a = f64x2.sub(x, f64x2.mul(k, c2(PIO2_A)));
  let b = f64x2.mul(k, c2(PIO2_B));
  let c = f64x2.mul(k, c2(PIO2_C));
  let first = f64x2.sub(a, b);
  let second = f64x2.sub(first, c);
  let low = f64x2.add(lostOf(a, b, first), lostOf(first, c, second));
  low = f64x2.sub(low, f64x2.mul(k, c2(PIO2_D)));
  let r = f64x2.add(second, low);
  let tail = f64x2.add(f64x2.sub(second, r), low);
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
  let isTiny = f64x2.lt(absD(x), c2(TINY));
  if (kind == 2) {
    let odd = oddOf(turns);
    let quotient = f64x2.div(pick(odd, cosine, sine), pick(odd, sine, cosine));
    return pick(isTiny, x, v128.xor(quotient, v128.and(odd, c2(SIGN))));
  }
  let next = i64x2.add(turns, c2(UNIT));
  if (kind == 1) return turned(next, sine, cosine);
  if (kind == 3) v128.store(cosineAt, turned(next, sine, cosine));
  return pick(isTiny, x, turned(turns, sine, cosine));
}

export function sinD(x: v128): v128 {
  return trig(x, 0, 0);
}

export function cosD(x: v128): v128 {
  return trig(x, 1, 0);
}

export function tanD(x: v128): v128 {
  return trig(x, 2, 0);
}

/** sin x and cos x to two places, with the bits they have alone. */
export function storeSinCosD(x: v128, sineAt: usize, cosineAt: usize): void {
  v128.store(sineAt, trig(x, 3, cosineAt));
}
