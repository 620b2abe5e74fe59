/**
 * Histories of programs: calls one after the other on one machine, with inputs of many kinds, batches of
 * many widths, branches that lanes take both ways, failures, budgets, and other programs in between.
 */

import {
  type GradientOptions,
  type Inputs,
  int,
  type LoadOptions,
  type Machine,
  mat,
  over,
  type RunOptions,
  vec,
} from "../../src/index.js";

export type Kind = "evaluate" | "gradient" | "jacobian" | "diagnose" | "explain";

export interface Call {
  readonly kind: Kind;
  readonly inputs: Inputs;
  readonly options?: GradientOptions & RunOptions;
}

export interface History {
  readonly name: string;
  readonly source: string;
  readonly load?: LoadOptions;
  readonly calls: readonly Call[];
}

/** Numbers without chance from one end to the other, out of order. */
export const spread = (count: number, from: number, to: number): number[] =>
  Array.from({ length: count }, (_, i) => from + ((to - from) * ((i * 37 + 11) % count)) / count);

const evaluate = (inputs: Inputs, options: RunOptions = {}): Call => ({
  kind: "evaluate",
  inputs,
  options,
});
const gradient = (inputs: Inputs, options: GradientOptions = {}): Call => ({
  kind: "gradient",
  inputs,
  options,
});
const as = (kind: Kind, inputs: Inputs, options: GradientOptions = {}): Call => ({
  kind,
  inputs,
  options,
});

const tent =
  "(loop ((i 0) (x x)) (if (= i 6) x (if (< x 0.5) (recur (+ i 1) (* mu x)) (recur (+ i 1) (* mu (- 1 x))))))";

const square = (values: readonly number[]) =>
  mat([
    [values[0] as number, values[1] as number],
    [values[2] as number, values[3] as number],
  ]);

const widths = (name: string, from: number, to: number, others: Inputs = {}): Call[] =>
  [1, 3, 4, 33, 64, 100, 300, 64, 3, 1].map((lanes) =>
    gradient({ ...others, [name]: lanes === 1 ? from : spread(lanes, from, to) }),
  );

const branching: readonly History[] = [
  {
    name: "a formula at many widths",
    source: "(* a (exp (* k t)))",
    calls: widths("t", 0.1, 3, { a: 2, k: -0.5 }),
  },
  {
    name: "a branch at many widths",
    source: "(if (< x 1) (* a x) (sin (* a x)))",
    calls: widths("x", 0.5, 1.5, { a: 2 }),
  },
  {
    name: "few lanes go another way",
    source: "(if (< x 0.02) (exp (* a x)) (* a x x))",
    calls: Array.from({ length: 6 }, (_, i) =>
      gradient({ a: 1 + i, x: spread(200 + 100 * (i % 2), 0, 1) }),
    ),
  },
  {
    name: "one lane, another path each time",
    source: tent,
    calls: Array.from({ length: 24 }, (_, i) =>
      gradient({ mu: 1.9, x: (0.13 + i * 0.37) % 1 }, { wrt: ["x"] }),
    ),
  },
  {
    name: "one lane, two paths in turn",
    source: tent,
    calls: Array.from({ length: 9 }, (_, i) => gradient({ mu: 1.7, x: i % 2 === 0 ? 0.2 : 0.7 })),
  },
  {
    name: "paths of many lanes",
    source: tent,
    calls: [64, 300, 300].map((n) => gradient({ mu: 1.9, x: spread(n, 0, 1) })),
  },
  {
    name: "lanes that leave a loop in turn",
    source: "(loop ((i 0) (s 0)) (if (> s limit) (+ i s) (recur (+ i 1) (+ s x))))",
    calls: [4, 40, 150].map((n) => gradient({ limit: 5, x: spread(n, 0.4, 2) })),
  },
  {
    name: "structure that lanes do not share",
    source: "(if (< x 1) (list x 'small) (if (< x 2) (vec x x) x))",
    calls: [evaluate({ x: 0.5 }), evaluate({ x: [0.5, 1.5, 2.5, 0.25] }), evaluate({ x: [3, 4] })],
  },
  {
    name: "recursion",
    source: "(define (f n) (if (< n 1) a (* n (f (- n 1))))) (f x)",
    calls: [gradient({ a: 2, x: 5 }), gradient({ a: 2, x: spread(20, 1, 9) })],
  },
  {
    name: "an index by lane",
    source: "(list-ref (list a (* a a) (exp a)) i)",
    calls: [
      gradient({ a: 0.5, i: 2 }),
      gradient({ a: [0.5, 1, 2], i: [0, 2, 1] }),
      gradient({ a: 1, i: [0, 0] }),
    ],
  },
];

const shapes: readonly History[] = [
  {
    name: "vectors and matrices of other shapes",
    source: "(vsum (* m 2))",
    calls: [
      gradient({
        m: mat([
          [1, 2, 3],
          [4, 5, 6],
        ]),
      }),
      gradient({
        m: mat([
          [1, 2],
          [3, 4],
          [5, 6],
        ]),
      }),
      gradient({ m: vec([1, 2, 3]) }),
      gradient({ m: [vec([1, 2]), vec([3, 4]), vec([5, 6])] }),
      gradient({ m: [mat([[1, 2]]), mat([[3, 4]])] }),
    ],
  },
  {
    name: "a vector result",
    source: "(* a [1 b 3])",
    calls: [
      evaluate({ a: 2, b: 5 }),
      as("jacobian", { a: 2, b: [5, 6] }),
      gradient({ a: [2, 3], b: 1 }, { seed: 2 }),
      gradient({ a: [2, 3], b: 1 }, { seed: [1, 0, 0, 0, 0, 1] }),
    ],
  },
  {
    name: "a matrix result",
    source: "(matmul m (transpose m))",
    calls: [
      evaluate({ m: square([1, 2, 3, 4]) }),
      as("jacobian", { m: [square([1, 0, 2, 1]), square([0.5, 1, 1, 3])] }),
    ],
  },
  {
    name: "solving",
    source: "(dot (solve m v) v)",
    calls: [3, 20].map((n) =>
      gradient({ m: spread(n, 1, 2).map((at) => square([2, at, 0.5, 3])), v: vec([1, 2]) }),
    ),
  },
  {
    name: "integers, and numbers that are none",
    source: "(loop ((i 0) (s a)) (if (= i n) s (recur (+ i 1) (+ (* s s) 0.1))))",
    calls: [
      gradient({ a: 0.5, n: int(3) }),
      gradient({ a: [0.5, 0.2], n: int(4) }),
      gradient({ a: 0.5, n: 3 }),
    ],
  },
  {
    name: "named axes",
    source: "(* a (exp (* k t)))",
    calls: [
      gradient({
        a: over("restart", [1, 2, 3]),
        k: over("restart", [0.1, 0.2, 0.3]),
        t: over("data", [0, 1]),
      }),
      gradient(
        { a: over("restart", [1, 2, 3]), k: 0.5, t: over("data", [0, 1]) },
        { reduce: true },
      ),
      gradient(
        { a: over("restart", [1, 2, 3]), k: 0.5, t: over("data", [0, 1]) },
        { reduce: ["a"] },
      ),
      gradient(
        {
          a: over(["u", "v"], [1, 2, 3, 4], { sizes: { u: 2, v: 2 } }),
          k: 1,
          t: over("v", [0, 1]),
        },
        { reduce: true },
      ),
    ],
  },
  {
    name: "sums over many lanes with failures among them",
    source: "(if (> t 0.95) (car t) (* a (log (- t 0.01))))",
    calls: [gradient({ a: 2, t: over("data", spread(60, 0, 1)) }, { reduce: true })],
  },
  {
    name: "lanes without an input",
    source: "(+ 1 2)",
    calls: [evaluate({}), evaluate({}, { lanes: 3 })],
  },
  {
    name: "every kind of result",
    source:
      "(list a (vec a 2) (mat [a 1] [2 3]) 'word '() #t '(1 . 2) sqrt (lambda (x) x) (zeros 2 0) (/ 0 0) (/ -1 0.0) -0.0 (if #f #f))",
    calls: [evaluate({ a: 1.5 }), evaluate({ a: [1, 2] })],
  },
];

const trouble: readonly History[] = [
  {
    name: "numbers that are not finite",
    source: "(+ (log x) (/ a (- x 2)))",
    calls: [
      gradient({ a: 1, x: [1, 0, 2, -1, 3] }),
      gradient({ a: 1, x: 0 }),
      gradient({ a: Infinity, x: 1 }),
    ],
  },
  {
    name: "clamped ones",
    source: "(+ (log x) (sqrt (- x 1)))",
    load: { domain: "clamp" },
    calls: [gradient({ x: [2, 0, 1, -1] }), as("diagnose", { x: [2, 0, 1, -1] })],
  },
  {
    name: "faults of every kind",
    source:
      "(cond ((= k 0) (car '())) ((= k 1) ((car (list k)) 1)) ((= k 2) (+ 'a 1)) ((= k 3) (ref [1 2] 5)) ((= k 4) (dot [1 2] [1 2 3])) ((= k 5) (apply sqrt '(1 2))) ((= k 6) (apply (lambda (x) x) '())) ((= k 7) (letrec ((a b) (b 1)) a)) ((= k 8) (list-ref '(1 2) 4)) ((= k 9) (+ [1 2] [1 2 3])) ((= k 10) (zeros -1)) ((= k 11) (mat [1 2] [1])) ((= k 12) (assq 'a '(1))) ((= k 13) (length 5)) ((= k 14) (vsum 3)) ((= k 15) (list-ref '(1) 0.5)) ((= k 16) (logdet (mat [1 2 3]))) ((= k 17) (map car 5)) (else k))",
    load: { file: "faults.scm" },
    calls: [
      evaluate({ k: Array.from({ length: 19 }, (_, i) => i) }),
      evaluate({ k: [18, 19] }),
      ...[0, 6, 12].map((k) => evaluate({ k: [k, 20] })),
    ],
  },
  {
    name: "budgets",
    source: "(loop ((i 0) (s a)) (if (= i n) s (recur (+ i 1) (+ s (sin s)))))",
    calls: [
      gradient({ a: 1, n: int(20) }),
      ...[50, 200, 300].map((stepsMax) => gradient({ a: [1, 2], n: int(20) }, { stepsMax })),
      ...[1000, 5000, 20_000].map((tapeBytesMax) =>
        gradient({ a: [1, 2], n: int(20) }, { tapeBytesMax }),
      ),
      gradient({ a: [1, 2], n: int(20) }),
    ],
  },
  {
    name: "chunks and replay",
    source: "(if (< x 0.3) (* a x) (+ a (exp x)))",
    calls: [
      ...[1, 5, 16, 1000].map((chunk) => gradient({ a: 1, x: spread(70, 0, 1) }, { chunk })),
      gradient({ a: 1, x: spread(70, 0, 1) }, { replay: false }),
      gradient({ a: 2, x: spread(70, 0, 1) }),
    ],
  },
  {
    name: "inputs that do not reach the result",
    source: "(if (> b 0) (* a 2) (begin c a))",
    calls: [
      gradient({ a: 1, b: 2, c: 3 }),
      gradient({ a: [1, 2], b: [1, -1], c: 3 }, { wrt: ["a", "b"] }),
      as("diagnose", { a: [1, 2], b: [1, -1], c: 3 }),
      as("explain", { a: 1, b: 2, c: 3 }),
      as("explain", { a: [1, 2], b: [1, -1], c: 3 }),
    ],
  },
  {
    name: "what a run did",
    source: "(define (f x) (if (< x 1) (* x x) (matvec (mat [x 1] [2 3]) [x 1]))) (vsum (f a))",
    calls: [
      as("explain", { a: 2 }),
      as("explain", { a: [2, 3] }),
      as("diagnose", { a: [2, 3] }),
      as("diagnose", { a: 2 }),
    ],
  },
  {
    name: "branches in loops",
    source: "(loop ((i 0) (x x)) (if (= i 3) x (recur (+ i 1) (if (< x c) (* 2 x) (- x 1)))))",
    calls: [
      as("diagnose", { x: [0.1, 0.6, 1.4], c: 1 }),
      as("diagnose", { x: 0.3, c: [0.2, 0.5, 2] }),
    ],
  },
  {
    name: "long lists",
    source:
      "(define (build n l) (if (= n 0) l (build (- n 1) (cons (* n a) l)))) (fold-left + 0 (build k '()))",
    calls: [
      gradient({ a: 0.5, k: int(200) }),
      gradient({ a: [0.5, 1], k: int(50) }),
      evaluate({ a: 1, k: int(3000) }),
    ],
  },
];

export const histories: readonly History[] = [...branching, ...shapes, ...trouble];

/** Takes one call, as a caller does. */
export const take = (
  program: ReturnType<Machine["load"]>,
  { kind, inputs, options = {} }: Call,
): unknown => program[kind](inputs, options);
