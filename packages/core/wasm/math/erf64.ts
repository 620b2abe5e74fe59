/**
 * The error function in f64x2.
 *
 * |x| < 1: x + x Q(x²), Q of degree 13. From 1 to 6: 1 - e^(-x²) P(u), u = (x - 2.5)/(x + 2.5), P of degree 13
 * fitted to erfc(x) e^(x²); beyond 6 the result rounds to 1. Both are our own minimax fits (Remez in 113-bit
 * arithmetic), errors 2^-56 of the result.
 *
 * Bound: 1 ULP.
 */
import { absD, copySignD, d2, pick, stepD } from "./lanes";
import { expD } from "./exp64";

// @ts-ignore: decorator
@inline function central(z: v128): v128 {
  let p = d2(-4.2329376608080669e-12);
  p = stepD(p, z, 8.7103451018036761e-11);
  p = stepD(p, z, -1.2164935326785233e-9);
  p = stepD(p, z, 1.4792464283883087e-8);
  p = stepD(p, z, -1.6364648995420523e-7);
  p = stepD(p, z, 1.6462045941681265e-6);
  p = stepD(p, z, -1.4925647592635091e-5);
  p = stepD(p, z, 0.00012055332903751629);
  p = stepD(p, z, -0.00085483270219546912);
  p = stepD(p, z, 0.0052239776254235917);
  p = stepD(p, z, -0.026866170645129868);
  p = stepD(p, z, 0.11283791670955121);
  p = stepD(p, z, -0.37612638903183754);
  return stepD(p, z, 0.12837916709551259);
}

// @ts-ignore: decorator
@inline function outerScaled(u: v128): v128 {
  let p = d2(1.4238614175384194e-6);
  p = stepD(p, u, 1.1058065736173391e-5);
  p = stepD(p, u, 2.0459749494914958e-5);
  p = stepD(p, u, -3.3642295644511782e-5);
  p = stepD(p, u, -0.00012881496960139886);
  p = stepD(p, u, 0.00022836941433233214);
  p = stepD(p, u, 0.00087591066164623848);
  p = stepD(p, u, -0.0026423665085131649);
  p = stepD(p, u, -0.0039937011532840266);
  p = stepD(p, u, 0.039922539083255645);
  p = stepD(p, u, -0.12503305237834642);
  p = stepD(p, u, 0.25171319321744307);
  p = stepD(p, u, -0.3717367339489745);
  return stepD(p, u, 0.21080636406114356);
}

export function erfD(x: v128): v128 {
  let a = f64x2.min(absD(x), d2(6));
  let z = f64x2.mul(a, a);
  let near = f64x2.add(a, f64x2.mul(a, central(z)));
  let u = f64x2.div(f64x2.sub(a, d2(2.5)), f64x2.add(a, d2(2.5)));
  let far = f64x2.sub(d2(1), f64x2.mul(expD(f64x2.neg(z)), outerScaled(u)));
  return copySignD(pick(f64x2.lt(a, d2(1)), near, far), x);
}
