/**
 * Fits of every kind: losses, optimisers, parameters, data and the ways in which a fit can go wrong.
 *
 * All data are made by + − × ÷, so that they have the same bits everywhere.
 */

import type { FitOptions } from "../../src/index.js";
import { noise, steps } from "./support.js";

export interface WholeCase {
  readonly name: string;
  readonly source: string;
  readonly options: FitOptions;
  /** Rows to predict afterwards. */
  readonly rows?: FitOptions["data"];
  readonly load?: { readonly domain?: "clamp"; readonly inputs?: string[] };
  readonly precision?: "f32";
}

const x = steps(-2, 3, 14);
const wobble = noise(14, 0.6);
const off = (i: number): number => wobble[i] as number;
const line = x.map((at, i) => 1.5 + 0.5 * at + off(i));
const curve = x.map((at, i) => 2 - at + 0.75 * at * at + off(i));
const bent = x.map((at, i) => 6 / (1 + 0.5 * (at + 2)) + 0.2 * off(i));
const counts = x.map((at, i) => Math.max(0, Math.round(3 + at * (1 + at) + 4 * off(i))));
const trials = x.map((_, i) => 4 + (i % 3) * 6);
const hits = x.map((at, i) => {
  const share = 0.15 + 0.14 * (at + 2) + off(i) / 3;
  return Math.min(trials[i] as number, Math.max(0, Math.round(share * (trials[i] as number))));
});
const words = x.map((_, i) => ["north", "south", "east"][i % 3] as string);
const grouped = x.map((at, i) => (1 + (i % 3)) * at + 0.3 * off(i));
const weights = x.map((_, i) => [1, 0, 2.5, 0.5][i % 4] as number);
const deviations = x.map((_, i) => 0.2 + 0.05 * (i % 5));
const logistic = "(/ 1 (+ 1 (exp (- 0 (+ a (* b x))))))";
const linear = "(+ a (* b x))";
const ofLine = { data: { x, y: line }, target: "y" } as const;
const nll =
  "(let ((r (- y (+ a (* b x)))) (s (exp q))) (+ (* 14 (log s)) (/ (dot r r) (* 2 s s))))";

const ordinary: readonly WholeCase[] = [
  { name: "a line", source: linear, options: ofLine, rows: { x: [0, 1.5, 40] } },
  { name: "by lbfgs", source: linear, options: { ...ofLine, optimiser: "lbfgs" } },
  {
    name: "by adam",
    source: linear,
    options: { ...ofLine, optimiser: "adam", steps: 40, restarts: 2 },
  },
  {
    name: "adam with rates of its own",
    source: linear,
    options: {
      ...ofLine,
      optimiser: "adam",
      steps: 25,
      adam: { rate: 0.2, beta1: 0.8, beta2: 0.95, epsilon: 1e-3 },
    },
  },
  {
    name: "restarts from ranges, bounds and a log scale",
    source: "(/ a (+ 1 (* k (+ x 2))))",
    options: {
      ...{ data: { x, y: bent }, target: "y", restarts: 6, seed: 11, level: 0.8 },
      params: {
        a: { start: 4, range: [1, 9], bounds: [0, null] },
        k: { range: [0.05, 3], bounds: [0.01, 50], scale: "log" },
      },
    },
    rows: { x: [-2, 7] },
  },
  {
    name: "weights, some of them 0",
    source: linear,
    options: { ...ofLine, data: { x, y: line, w: weights }, weights: "w" },
    rows: { x: [2] },
  },
  {
    name: "known deviations",
    source: "(+ a (* b x) (* c x x))",
    options: { data: { x, y: curve, s: deviations }, target: "y", sigma: "s", level: 0.9 },
    rows: { x: [2, 5] },
  },
  {
    name: "huber",
    source: linear,
    options: { ...ofLine, loss: "huber", huberWidth: 0.1, weights },
    rows: { x: [2] },
  },
  { name: "absolute", source: linear, options: { ...ofLine, loss: "absolute", restarts: 2 } },
  {
    name: "poisson",
    source: "(exp (+ a (* b x)))",
    options: { data: { x, y: counts }, target: "y", loss: "poisson", restarts: 2 },
    rows: { x: [1, 4] },
  },
  {
    name: "poisson with weights",
    source: "(exp (+ a (* b x)))",
    options: { data: { x, y: counts }, target: "y", loss: "poisson", weights },
  },
  {
    name: "binomial",
    source: logistic,
    options: { data: { x, y: hits, n: trials }, target: "y", loss: "binomial", trials: "n" },
    rows: { x: [1, 4] },
  },
  {
    name: "binomial with weights, by adam",
    source: logistic,
    options: {
      ...{ data: { x, y: hits }, target: "y", loss: "binomial", trials, weights },
      ...{ optimiser: "adam", steps: 60 },
    },
  },
  {
    name: "groups of words",
    source: "(+ a (* b x))",
    options: {
      ...{ data: { x, y: grouped, cell: words }, target: "y", params: { b: { range: [0, 4] } } },
      ...{ groups: { by: "cell", params: ["b"] }, restarts: 3, seed: 5 },
    },
    rows: { x: [1, 2, 3], cell: ["south", "east", "north"] },
  },
  {
    name: "groups of numbers, by lbfgs",
    source: "(+ a (* b x))",
    options: {
      data: { x, y: grouped, cell: x.map((_, i) => i % 3) },
      ...{ target: "y", groups: { by: "cell", params: ["a", "b"] }, optimiser: "lbfgs" },
    },
  },
  {
    name: "two targets",
    source: "(vec (+ a (* b x)) (* 100 (+ c (* b x x))))",
    options: {
      data: { x, y: line, z: curve.map((value) => 100 * value) },
      ...{ target: ["y", "z"], weights: { y: weights, z: x.map(() => 2) } },
    },
    rows: { x: [0, 2] },
  },
  {
    name: "two targets with deviations",
    source: "(vec (+ a (* b x)) (+ c (* b x x)))",
    options: { data: { x, y: line, z: curve, s: deviations }, target: ["y", "z"], sigma: "s" },
    rows: { x: [0, 2] },
  },
];

const objectives: readonly WholeCase[] = [
  {
    name: "an objective",
    source: "(+ (square (- 1 a)) (* 20 (square (- b (* a a)))))",
    options: { params: { a: -1, b: 1 } },
  },
  {
    name: "an objective by adam, restarted",
    source: "(+ (square (- 1 a)) (* 3 (square (- b (* a a)))))",
    options: {
      params: { a: { range: [-2, 2] }, b: { range: [-2, 2], bounds: [-3, 3] } },
      ...{ optimiser: "adam", restarts: 3, seed: 9, steps: 50 },
    },
  },
  {
    name: "a negative log-likelihood",
    source: nll,
    options: { data: { x, y: line }, isNegativeLogLikelihood: true },
  },
  {
    name: "a loss as text",
    source: linear,
    options: { ...ofLine, loss: "(let ((r (- pred y))) (* r r (+ 1 (* 0.1 x x))))", restarts: 2 },
    rows: { x: [2] },
  },
  {
    name: "a loss of the target",
    source: linear,
    options: { ...ofLine, loss: "(sqrt (+ 1 (square (- pred target))))", weights },
  },
  {
    name: "f32",
    source: "(/ a (+ 1 (* k (+ x 2))))",
    options: { data: { x, y: bent }, target: "y", params: { k: 1 } },
    rows: { x: [3] },
    precision: "f32",
  },
  {
    name: "a likelihood in f32",
    source: nll,
    options: { data: { x, y: line }, isNegativeLogLikelihood: true },
    precision: "f32",
  },
  {
    name: "tolerances",
    source: "(/ a (+ 1 (* k (+ x 2))))",
    options: {
      ...{ data: { x, y: bent }, target: "y", params: { k: 1 }, restarts: 3, seed: 4 },
      tolerances: { gradient: 1e-2, step: 1e-2, loss: 1e-3 },
    },
  },
  {
    name: "few steps",
    source: "(/ a (+ 1 (* k (+ x 2))))",
    options: { data: { x, y: bent }, target: "y", params: { k: 1 }, restarts: 5, steps: 2 },
  },
  {
    name: "two restarts at once, in narrow chunks",
    source: linear,
    options: { ...ofLine, restarts: 5, seed: 8, together: 2, chunk: 3 },
  },
  {
    name: "many rows",
    source: "(/ a (+ 1 (* k (+ x 2))))",
    options: {
      data: {
        x: Array.from({ length: 2500 }, (_, i) => x[i % 14] as number),
        y: Array.from({ length: 2500 }, (_, i) => (bent[i % 14] as number) + 0.001 * (i % 17)),
      },
      ...{ target: "y", params: { k: 1 }, restarts: 2, detail: "scores" },
    },
  },
];

const doubtful: readonly WholeCase[] = [
  {
    name: "a parameter at its bound",
    source: "(+ a (* b x) (* c x x))",
    options: { ...ofLine, params: { c: { bounds: [0.5, 3], start: 1 }, a: { fixed: 1.25 } } },
    rows: { x: [2] },
  },
  {
    name: "a product, a quotient, a silent one and a sum",
    source: "(+ (* a b x) (* (/ c d) x x) (+ e f) (* 0 g))",
    options: {
      ...{ data: { x, y: curve }, target: "y" },
      params: { a: 2, b: 0.5, c: 3, d: 2, e: 1, f: 2, g: 1 },
    },
  },
  {
    name: "three of a product and a difference",
    source: "(+ (* a b c x) (- d e))",
    options: { ...ofLine, params: { a: 2, b: 1, c: 0.5, d: 3, e: 1 } },
  },
  {
    name: "terms that are alike",
    source: "(+ (/ a (+ 3 (* k x))) (/ b (+ 3 (* m x))))",
    options: {
      ...{ data: { x, y: x.map((at) => 2 / (3 + at)) }, target: "y" },
      params: { a: 1, b: 1, k: 1, m: 1 },
    },
  },
  {
    name: "directions without a usual reason",
    source: "(+ (* (+ a (* 2 b)) x) (* c c d))",
    options: { ...ofLine, params: { a: 1, b: 2, c: 1, d: 2 } },
  },
  {
    name: "a likelihood that leaves a product open",
    source: "(* 0.5 (vsum (square (/ (- y (* a b x)) 0.3))))",
    options: { data: { x, y: line }, params: { a: 2, b: 3 }, isNegativeLogLikelihood: true },
  },
  {
    name: "estimates that go together",
    source: "(+ a (* b (+ 1000 x)) (* c x x))",
    options: { data: { x, y: curve }, target: "y" },
  },
  {
    name: "a constant target",
    source: linear,
    options: { data: { x, y: x.map(() => 3) }, target: "y" },
  },
  {
    name: "one of two targets is constant",
    source: "(vec (+ a (* b x)) (* c x))",
    options: { data: { x, y: line, z: x.map(() => 3) }, target: ["y", "z"] },
  },
  {
    name: "a logit that runs off",
    source: logistic,
    options: {
      data: { x: [1, 2, 3, 4, 5, 6], y: [0, 0, 0, 1, 1, 1] },
      ...{ target: "y", loss: "binomial", params: { a: -3, b: 1 } },
    },
  },
  {
    name: "a target of zeros",
    source: linear,
    options: { data: { x, y: x.map(() => 0) }, target: "y", restarts: 2 },
  },
  {
    name: "a row without trials",
    source: logistic,
    options: {
      data: { x, y: hits.map((y, i) => (i === 3 ? 0 : y)) },
      ...{ target: "y", loss: "binomial", trials: trials.map((n, i) => (i === 3 ? 0 : n)) },
    },
  },
  {
    name: "starts at which the program fails",
    source: "(+ (* a x) (if (< b 0.5) (car '()) b))",
    options: { ...ofLine, params: { b: { start: 1, range: [0, 2] } }, restarts: 5, seed: 1 },
  },
  {
    name: "a parameter at the edge of its domain",
    source: "(+ (* 10 (log (+ v 2))) (square (- m 3)) (* 0 (log v)))",
    options: {},
  },
  {
    name: "a rate that runs off",
    source: "(* a (- 1 (exp (- 0 (* k (+ x 3))))))",
    options: { data: { x, y: x.map((_, i) => 5 + off(i)) }, target: "y", params: { a: 4, k: 2 } },
  },
  {
    name: "a loss that falls without end",
    source: "(- (square (- a 1)) (* 3 b))",
    options: { params: { a: 0, b: 1 }, steps: 30 },
  },
  {
    name: "a variance at the edge",
    source: "(+ (* 5 (log v)) (/ 1e-24 v) (square (- a 2)))",
    options: { params: { a: 1.5, v: 1 }, isNegativeLogLikelihood: true },
  },
  {
    name: "a variance that runs to 0",
    source: "(+ (log v) (/ (square (- a 2)) v) (* 1e-9 (square a)))",
    options: { params: { a: 1.5, v: 1 }, isNegativeLogLikelihood: true, steps: 60 },
  },
  {
    name: "a parameter that changes nothing far out",
    source: "(+ (* a x) (/ 1 (+ 1 (exp (* 50 (+ b 9))))))",
    options: { ...ofLine, params: { b: 1 } },
  },
  {
    name: "starts that are not finite",
    source: "(* a (sqrt (- x b)))",
    options: {
      ...{ data: { x, y: x.map((at) => 1 + 0.4 * at) }, target: "y", restarts: 9, seed: 2 },
      params: { a: 1, b: { start: -2.5, range: [-6, 6], bounds: [-7, 9] } },
    },
  },
  {
    name: "branches that rows change",
    source: "(let ((f (* a (+ x 2)))) (if (< f c) (+ f b) (+ c b)))",
    options: {
      data: { x, y: x.map((at, i) => Math.min(5, 2 * (at + 2)) + 0.1 * off(i)) },
      ...{ target: "y", params: { a: { range: [0.8, 3] }, c: 4, b: 0 }, restarts: 4, seed: 3 },
    },
  },
  {
    name: "a test without a gradient",
    source: "(+ b (if (< x c) (* a x) (* 2 a x)))",
    options: { ...ofLine, params: { c: 0.5 } },
  },
  {
    name: "clamped inputs",
    source: "(+ b (* a (log (- x c))))",
    options: { ...ofLine, params: { c: { fixed: -1.3 } } },
    load: { domain: "clamp" },
  },
  {
    name: "worse than the mean, far from the target's unit",
    source: "(* a (exp (* b x)))",
    options: {
      data: { x, y: line.map((value) => 1e-7 * value) },
      ...{ target: "y", params: { a: 3, b: { start: 2, bounds: [1.5, 3] } }, steps: 2 },
    },
  },
  {
    name: "residuals with a pattern",
    source: linear,
    options: { data: { x, y: x.map((at) => at * at) }, target: "y" },
  },
  {
    name: "residuals that alternate",
    source: linear,
    options: { data: { x, y: x.map((at, i) => at + (i % 2 === 0 ? 1 : -1)) }, target: "y" },
  },
  {
    name: "as many parameters as points",
    source: linear,
    options: { data: { x: [1, 2], y: [3, 5] }, target: "y" },
    rows: { x: [3] },
  },
  {
    name: "a limit of steps that some starts pass",
    source: "(let loop ((i 0) (s 0)) (if (< i n) (loop (+ i 1) (+ s a)) (+ s (* b x))))",
    options: {
      ...ofLine,
      ...{ params: { n: { range: [1, 60] }, b: 1 }, restarts: 4, seed: 6, stepsMax: 300 },
    },
  },
];

export const wholeCases: readonly WholeCase[] = [...ordinary, ...objectives, ...doubtful];
