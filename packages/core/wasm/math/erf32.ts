/**
 * The error function in f32x4.
 *
 * |x| < 1: x + x Q(x²), Q of degree 6, error 2^-29. From 1 to 4: 1 - e^(-x²) P(u), u = (x -
 * 2.5)/(x + 2.5), P of degree 5 fitted to erfc(x) e^(x²), error 2^-27; beyond 4 the result rounds
 * to 1. Both are our own minimax fits (Remez in 113-bit arithmetic).
 *
 * Bound: 1.5 ULP.
 */

import { expF } from "./exp32";
import { absF, c4, copySignF, ONE_F, pick, stepF } from "./lanes";

const MIDDLE: usize = memory.data<f32>([2.5]);
const LAST: usize = memory.data<f32>([4]);

const CENTRAL: usize = memory.data<f32>([
  7.92029023e-5, -0.000803074916, 0.00519073335, -0.026855126, 0.112836182, -0.376126289,
  0.128379166,
]);

const OUTER: usize = memory.data<f32>([
  0.0010326769, 0.0431125276, -0.124068625, 0.251856953, -0.371727467, 0.210806519,
]);

export function erfF(x: v128): v128 {
  let a = f32x4.pmin(absF(x), c4(LAST));
  let z = f32x4.mul(a, a);
  let p = c4(CENTRAL);
  p = stepF(p, z, CENTRAL + 4);
  p = stepF(p, z, CENTRAL + 8);
  p = stepF(p, z, CENTRAL + 12);
  p = stepF(p, z, CENTRAL + 16);
  p = stepF(p, z, CENTRAL + 20);
  p = stepF(p, z, CENTRAL + 24);
  let near = f32x4.add(a, f32x4.mul(a, p));
  let u = f32x4.div(f32x4.sub(a, c4(MIDDLE)), f32x4.add(a, c4(MIDDLE)));
  let q = c4(OUTER);
  q = stepF(q, u, OUTER + 4);
  q = stepF(q, u, OUTER + 8);
  q = stepF(q, u, OUTER + 12);
  q = stepF(q, u, OUTER + 16);
  q = stepF(q, u, OUTER + 20);
  let far = f32x4.sub(c4(ONE_F), f32x4.mul(expF(f32x4.neg(z)), q));
  return copySignF(pick(f32x4.lt(a, c4(ONE_F)), near, far), x);
}
