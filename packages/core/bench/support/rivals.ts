/**
 * What stands beside `fit`: the same curves for ml-levenberg-marquardt (a JavaScript function,
 * differences for derivatives, f64) and for a loop of TensorFlow.js (tensors, its own gradients and
 * Adam, CPU backend, f32). Both are dependencies of the benchmark only.
 */

import { createRequire } from "node:module";
import type { Scalar, Tensor, Variable } from "@tensorflow/tfjs";
import { levenbergMarquardt } from "ml-levenberg-marquardt";
import { normals } from "./normals.js";

/** The package's ES modules do not load in Node without a bundler. */
const tf = createRequire(import.meta.url)("@tensorflow/tfjs") as typeof import("@tensorflow/tfjs");
tf.enableProdMode();
await tf.setBackend("cpu");

export interface Curve {
  readonly name: string;
  readonly source: string;
  /** Starts, in the order of the functions' parameters. */
  readonly start: Readonly<Record<string, number>>;
  readonly x: Float64Array;
  readonly y: Float64Array;
  value(p: readonly number[], x: number): number;
  tensor(p: readonly Variable[], x: Tensor): Tensor;
}

const count = (n: number, f: (i: number) => number) =>
  Float64Array.from({ length: n }, (_, i) => f(i));

/** Rates of cells treated with puromycin, in hundreds (see examples/enzyme-kinetics). */
const concentrations = [0.02, 0.02, 0.06, 0.06, 0.11, 0.11, 0.22, 0.22, 0.56, 0.56, 1.1, 1.1];
const rates = [0.76, 0.47, 0.97, 1.07, 1.23, 1.39, 1.59, 1.52, 1.91, 2.01, 2.07, 2];

const oscillate = (x: number, [a = 0, k = 0, w = 0]: readonly number[]) =>
  a * Math.exp(-k * x) * Math.cos(w * x);
const grow = (x: number, [a = 0, b = 0, c = 0]: readonly number[]) =>
  a * Math.exp(b * x) * Math.sin(c * x);

function noisy(n: number, from: number, to: number, f: (x: number) => number, seed: number) {
  const normal = normals(seed);
  const x = count(n, (i) => from + ((to - from) * i) / (n - 1));
  return { x, y: x.map((each) => f(each) + 0.05 * normal()) };
}

export const curves: readonly Curve[] = [
  {
    name: "Michaelis-Menten, 12 points",
    source: "(/ (* Vm x) (+ K x))",
    start: { Vm: 2, K: 0.1 },
    x: Float64Array.from(concentrations),
    y: Float64Array.from(rates),
    value: ([Vm = 0, K = 0], x) => (Vm * x) / (K + x),
    tensor: ([Vm, K], x) => (Vm as Variable).mul(x).div((K as Variable).add(x)),
  },
  {
    name: "damped oscillator, 61 points",
    source: "(* a (* (exp (- (* k x))) (cos (* w x))))",
    start: { a: 1, k: 0.1, w: 2.7 },
    ...noisy(61, 0, 5, (x) => oscillate(x, [1.5, 0.25, 3]), 1),
    value: (p, x) => oscillate(x, p),
    tensor: ([a, k, w], x) =>
      (a as Variable).mul((k as Variable).mul(x).neg().exp()).mul((w as Variable).mul(x).cos()),
  },
  {
    name: "a·exp(b·x)·sin(c·x), 44 points",
    source: "(* a (* (exp (* b x)) (sin (* c x))))",
    start: { a: 0.3, b: 0.1, c: 1 },
    ...noisy(44, -2, 2, (x) => grow(x, [0.8, -0.4, 1.5]), 2),
    value: (p, x) => grow(x, p),
    tensor: ([a, b, c], x) =>
      (a as Variable).mul((b as Variable).mul(x).exp()).mul((c as Variable).mul(x).sin()),
  },
];

/** Sum of squares of a curve. */
export function squares({ x, y, value }: Curve, p: readonly number[]): number {
  return x.reduce((sum, each, i) => sum + (value(p, each) - (y[i] as number)) ** 2, 0);
}

/** Parameters by so many iterations of ml-levenberg-marquardt. */
export function fitByMl(curve: Curve, iterations: number): number[] {
  const { x, y, start, value } = curve;
  const { parameterValues } = levenbergMarquardt(
    { x, y },
    (p: ArrayLike<number>) => (at: number) => value(p as readonly number[], at),
    {
      initialValues: Object.values(start),
      gradientDifference: 1e-6,
      maxIterations: iterations,
      // Also the least improvement it keeps.
      errorTolerance: 1e-12,
    },
  );
  return [...parameterValues];
}

/** Parameters by so many Adam steps of TensorFlow.js on the mean of the squares. */
export function fitByTensors(curve: Curve, rate: number, steps: number): number[] {
  const variables = Object.values(curve.start).map((value) => tf.variable(tf.scalar(value)));
  const x = tf.tensor1d(Float32Array.from(curve.x));
  const y = tf.tensor1d(Float32Array.from(curve.y));
  const optimiser = tf.train.adam(rate);
  for (let step = 0; step < steps; step++)
    optimiser.minimize(() => curve.tensor(variables, x).sub(y).square().mean() as Scalar);
  const found = variables.map((variable) => variable.dataSync()[0] as number);
  for (const each of [...variables, x, y]) each.dispose();
  optimiser.dispose();
  return found;
}

/** The paper's Kalman likelihood with TensorFlow.js: 2×2 matrices, inverse and determinant in ops. */
function kalmanLoss(positions: Tensor, q: Variable, r: Variable): Scalar {
  const eye = tf.eye(2);
  const Q = eye.mul(q.maximum(1e-4));
  const R = eye.mul(r.maximum(1e-4));
  let x: Tensor = tf.zeros([2, 1]);
  let P: Tensor = eye;
  let total: Tensor = tf.scalar(0);
  for (const position of tf.unstack(positions)) {
    const predicted = P.add(Q);
    const e = position.reshape([2, 1]).sub(x);
    const S = predicted.add(R);
    const [[a, b], [c, d]] = S.unstack().map((row) => row.unstack()) as [
      [Tensor, Tensor],
      [Tensor, Tensor],
    ];
    const determinant = a.mul(d).sub(b.mul(c));
    const adjugate = tf.stack([tf.stack([d, b.neg()]), tf.stack([c.neg(), a])]);
    const inverse = adjugate.div(determinant);
    const gain = predicted.matMul(inverse);
    x = x.add(gain.matMul(e));
    P = eye.sub(gain).matMul(predicted);
    total = total.add(determinant.log()).add(e.mul(inverse.matMul(e)).sum());
  }
  return total as Scalar;
}

/** Both variances at the least loss that so many Adam steps of TensorFlow.js come by. */
export function kalmanByTensors(positions: number[][], rate: number, steps: number): number[] {
  const variables = [0.3, 0.3].map((value) => tf.variable(tf.scalar(value)));
  const [q, r] = variables as [Variable, Variable];
  const rows = tf.tensor2d(positions);
  const optimiser = tf.train.adam(rate);
  let best = { loss: Infinity, at: [0.3, 0.3] };
  const judge = (at: number[], loss: number) => {
    if (loss < best.loss) best = { loss, at };
  };
  const now = () => variables.map((variable) => variable.dataSync()[0] as number);
  for (let step = 0; step < steps; step++) {
    const at = now();
    const cost = optimiser.minimize(() => kalmanLoss(rows, q, r), true) as Scalar;
    judge(at, cost.dataSync()[0] as number);
    cost.dispose();
  }
  judge(
    now(),
    tf.tidy(() => kalmanLoss(rows, q, r).dataSync()[0] as number),
  );
  for (const each of [...variables, rows]) each.dispose();
  optimiser.dispose();
  return best.at;
}
