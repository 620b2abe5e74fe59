/**
 * The workloads of `examples/bytecode`: for each the same mathematics in Scheme, in the same order of
 * operations, and in plain numbers.
 */

import { readFileSync } from "node:fs";
import { type Inputs, mat } from "../../src/index.js";

export interface Workload {
  readonly file: string;
  /** Stack code. */
  readonly source: string;
  readonly scheme: string;
  /** Numbers that differ from lane to lane, and are differentiated. */
  readonly lanes: Readonly<Record<string, readonly number[]>>;
  readonly fixed: Inputs;
  oracle(numbers: Readonly<Record<string, number>>): number;
}

const folder = new URL("../../../../examples/bytecode/", import.meta.url);
const read = (file: string): string => readFileSync(new URL(file, folder), "utf8");

export const STEPS = 80;
export const observations = Float64Array.from(
  { length: 2 * STEPS },
  (_, i) => Math.sin(i * 0.37) + 0.3 * Math.cos(i * 1.91),
);

type Numbers = Readonly<Record<string, number>>;
const at = (numbers: Numbers, name: string): number => numbers[name] as number;

function kalmanOracle(q: number, r: number): number {
  let x: readonly [number, number] = [0, 0];
  let P: readonly [number, number, number, number] = [1, 0, 0, 1];
  let total = 0;
  for (let k = 0; k < STEPS; k++) {
    const M = [P[0] + q, P[1], P[2], P[3] + q] as const;
    const S = [M[0] + r, M[1], M[2], M[3] + r] as const;
    const det = S[0] * S[3] - S[1] * S[2];
    const I = [S[3] / det, -S[1] / det, -S[2] / det, S[0] / det] as const;
    const e = [
      (observations[2 * k] as number) - x[0],
      (observations[2 * k + 1] as number) - x[1],
    ] as const;
    const G = [
      M[0] * I[0] + M[1] * I[2],
      M[0] * I[1] + M[1] * I[3],
      M[2] * I[0] + M[3] * I[2],
      M[2] * I[1] + M[3] * I[3],
    ] as const;
    x = [x[0] + G[0] * e[0] + G[1] * e[1], x[1] + G[2] * e[0] + G[3] * e[1]];
    const L = [1 - G[0], -G[1], -G[2], 1 - G[3]] as const;
    P = [
      L[0] * M[0] + L[1] * M[2],
      L[0] * M[1] + L[1] * M[3],
      L[2] * M[0] + L[3] * M[2],
      L[2] * M[1] + L[3] * M[3],
    ];
    total += Math.log(det);
    total += e[0] * (I[0] * e[0] + I[1] * e[1]) + e[1] * (I[2] * e[0] + I[3] * e[1]);
  }
  return total;
}

export const workloads: readonly Workload[] = [
  {
    file: "w1-expression.ndasm",
    source: read("w1-expression.ndasm"),
    scheme: "(+ (* a (exp (* (- k) t))) (* (log (+ b (let ((s (sin t))) (* s s)))) (cos t)))",
    lanes: {
      a: [2, 1.5, -0.5, 3, 0.1],
      k: [0.5, 0.1, 2, -0.2, 1],
      b: [1.1, 0.7, 2, 5, 0.3],
      t: [0, 0.4, 1.3, 2.9, -1.7],
    },
    fixed: {},
    oracle: (n) =>
      at(n, "a") * Math.exp(-at(n, "k") * at(n, "t")) +
      Math.log(at(n, "b") + Math.sin(at(n, "t")) ** 2) * Math.cos(at(n, "t")),
  },
  {
    file: "w2-loop.ndasm",
    source: read("w2-loop.ndasm"),
    scheme: `(loop ((n 20) (x x0))
               (if (> n 0) (recur (- n 1) (+ x (* 0.05 (* k (- c x))))) x))`,
    lanes: { k: [0.5, 1, 2, 3.5, 0], c: [1, -1, 0.5, 2, 9], x0: [0, 1, 2, 3, 4] },
    fixed: {},
    oracle: (n) => {
      let x = at(n, "x0");
      for (let i = 0; i < 20; i++) x += 0.05 * (at(n, "k") * (at(n, "c") - x));
      return x;
    },
  },
  {
    file: "w3-branch.ndasm",
    source: read("w3-branch.ndasm"),
    scheme: "(if (< x 2.0) (* a x) (+ (* a 2.0) (* b (- x 2.0))))",
    lanes: { a: [2, 1.5, -0.5, 3, 0.1], b: [1, 2, 3, 4, 5], x: [0, 1.9, 2, 2.1, 7] },
    fixed: {},
    oracle: (n) =>
      at(n, "x") < 2 ? at(n, "a") * at(n, "x") : at(n, "a") * 2 + at(n, "b") * (at(n, "x") - 2),
  },
  {
    file: "w4-matrix.ndasm",
    source: read("w4-matrix.ndasm"),
    scheme: "(vsum (matvec (mat [1.0 2.0 0.5] [0.25 -1.0 3.0]) (vec a (* b t) 1.0)))",
    lanes: { a: [2, 1.5, -0.5, 3, 0.1], b: [1, 2, 3, 4, 5], t: [0, 1.9, 2, 2.1, 7] },
    fixed: {},
    oracle: (n) => 1.25 * at(n, "a") + at(n, "b") * at(n, "t") + 3.5,
  },
  {
    file: "w5-kalman.ndasm",
    source: read("w5-kalman.ndasm"),
    scheme: `
      (loop ((k 0) (x (vec 0.0 0.0)) (P (mat (vec 1.0 0.0) (vec 0.0 1.0))) (total 0.0))
        (if (= k ${STEPS})
            total
            (let* ((Q (scale q (eye 2)))
                   (R (scale r (eye 2)))
                   (predicted (+ P Q))
                   (e (- (ref obs k) x))
                   (S (+ predicted R))
                   (inverse (inv S))
                   (gain (matmul predicted inverse))
                   (next (+ x (matvec gain e)))
                   (left (matmul (- (eye 2) gain) predicted))
                   (cost (+ (log (det S)) (dot e (matvec inverse e)))))
              (recur (+ k 1) next left (+ total cost)))))`,
    lanes: { q: [0.05, 0.1, 0.5, 1, 0.01], r: [0.1, 0.2, 0.05, 0.7, 1.5] },
    fixed: { obs: mat(observations, STEPS) },
    oracle: (n) => kalmanOracle(at(n, "q"), at(n, "r")),
  },
  {
    file: "w6-fold.ndasm",
    source: read("w6-fold.ndasm"),
    scheme: "(fold-left (lambda (sum c) (+ (* sum x) c)) 0.0 (list a b c))",
    lanes: {
      a: [2, 1.5, -0.5, 3, 0.1],
      b: [1, 2, 3, 4, 5],
      c: [0, -1, 0.5, 2, 9],
      x: [0, 1.9, 2, 2.1, 7],
    },
    fixed: {},
    oracle: (n) => (at(n, "a") * at(n, "x") + at(n, "b")) * at(n, "x") + at(n, "c"),
  },
  {
    file: "w7-divergence.ndasm",
    source: read("w7-divergence.ndasm"),
    scheme: `
      (define (root guess)
        (if (<= (abs (- (* guess guess) a)) (* 1e-5 a))
            guess
            (root (* 0.5 (+ guess (/ a guess))))))
      (let ((s (root a)))
        (if (<= s 3.0) (* b s) (* b (+ 3.0 (* (* s (- s 3.0)) 0.1)))))`,
    lanes: { a: [2, 1, 100, 12345, 0.01], b: [1, 2, 3, 4, 5] },
    fixed: {},
    oracle: (n) => {
      let s = at(n, "a");
      while (Math.abs(s * s - at(n, "a")) > 1e-5 * at(n, "a")) s = 0.5 * (s + at(n, "a") / s);
      return at(n, "b") * (s <= 3 ? s : 3 + s * (s - 3) * 0.1);
    },
  },
];
