/**
 * Nothing depends on what ran before: a machine that has run, failed, loaded and disposed in any
 * order gives the bits and the errors that a fresh machine gives.
 */

import { describe, expect, test } from "vitest";
import {
  type GradientOptions,
  type Inputs,
  int,
  Machine,
  mat,
  NdvmError,
  type Program,
  vec,
} from "../../src/index.js";
import { bitsOf, precisions } from "./support.js";

interface Case {
  readonly source: string;
  readonly inputs?: Inputs;
  readonly options?: GradientOptions;
}

const lanes = (count: number): number[] => Array.from({ length: count }, (_, i) => 0.3 + i / 7);
const A = mat([
  [4, 1, 0.5],
  [1, 3, 0.25],
  [0.5, 0.25, 2],
]);

const cases: readonly Case[] = [
  { source: "(* a (exp (* k t)))", inputs: { a: 2, k: -0.5, t: lanes(5) } },
  { source: "(* a (exp (* k t)))", inputs: { a: lanes(1), k: lanes(1), t: 0.5 } },
  { source: "(+ (logdet A) (dot v (solve A v)))", inputs: { A, v: vec([1, 2, 3]) } },
  { source: "(vsum (matmul A (outer v v)))", inputs: { A, v: [vec([1, 2, 3]), vec([0, 1, 0])] } },
  {
    source: "(loop ((i 0) (x a)) (if (= i n) x (recur (+ i 1) (* r x (- 1 x)))))",
    inputs: { a: lanes(3), r: 2.5, n: int(50) },
  },
  {
    source: "(define (f n) (if (= n 0) a (+ 0.5 (* 0.5 (f (- n 1)))))) (f 2000)",
    inputs: { a: lanes(2) },
  },
  {
    source: "(fold-left + 0 (map (lambda (x) (* x x)) (list a 1 (* 2 a))))",
    inputs: { a: lanes(9) },
  },
  { source: "(list a (list 'b [a 1]) #t)", inputs: { a: lanes(2) } },
  { source: "'(a (b . c) 1.5 |odd name|)" },
  { source: "(+ 1 2)" },
  { source: "(let ((f (lambda (x) (lambda (y) (+ x y a))))) ((f 1) 2))", inputs: { a: 3 } },
  { source: "(sqrt a)", inputs: { a: [4, -1, 9] } },
  { source: "(car a)", inputs: { a: 1 } },
  { source: "(dot [1 2] v)", inputs: { v: vec([1, 2, 3]) } },
  { source: "(f 1 2) (define (f x) x)" },
  { source: "(define (f x) (f (+ x 1))) (f a)", inputs: { a: 0 }, options: { stepsMax: 5000 } },
  {
    source: "(loop ((x a)) (recur (sin x)))",
    inputs: { a: 1 },
    options: { tapeBytesMax: 20_000 },
  },
  { source: "(let ([x 1]) x)" },
  { source: "(ref v i)", inputs: { v: vec([1, 2]), i: 5 } },
  { source: "(* a b)", inputs: { a: [1, 2], b: [1, 2, 3] } },
  {
    source:
      "(length (let build ((n 20000) (l '())) (if (= n 0) l (build (- n 1) (cons (* a n) l)))))",
    inputs: { a: 1 },
  },
];

/** Everything a caller can see of one use, as text. */
function outcome(work: () => Program, { inputs, options }: Case): string {
  try {
    const program = work();
    const run = program.run(inputs, options);
    const numbers = run.shape === undefined ? [run.print()] : bitsOf(run.values);
    const gradients = run.shape?.length === 0 ? run.backward() : {};
    const slopes = Object.entries(gradients).map(([name, of]) => [name, ...bitsOf(of)]);
    return JSON.stringify([numbers, slopes, run.nonFinite]);
  } catch (error) {
    if (!(error instanceof NdvmError)) throw error;
    return JSON.stringify([error.code, error.message, error.span, error.help]);
  }
}

describe.each(precisions)("in %s", (precision) => {
  test("a thousand uses in any order are as on a fresh machine", async () => {
    const expected: string[] = [];
    for (const use of cases) {
      const fresh = await Machine.create({ precision });
      expected.push(outcome(() => fresh.load(use.source), use));
      fresh.dispose();
    }
    const machine = await Machine.create({ precision });
    const loaded = new Map<number, Program>();
    let state = 17;
    const next = (below: number): number => {
      state = (state * 1103 + 12347) % 65521;
      return state % below;
    };
    for (let i = 0; i < 1000; i++) {
      const index = next(cases.length);
      const use = cases[index] as Case;
      const load = (): Program => {
        const known = loaded.get(index);
        if (known !== undefined) return known;
        const program = machine.load(use.source);
        loaded.set(index, program);
        return program;
      };
      expect(outcome(load, use), `use ${i}: ${use.source}`).toBe(expected[index]);
      if (next(3) === 0) {
        loaded.get(index)?.dispose();
        loaded.delete(index);
      }
    }
    machine.dispose();
  });
});

test("the first gradient of a formula told the compactions of the run before", async () => {
  const machine = await Machine.create();
  const long = machine.load("(loop ((i 0) (l a)) (if (= i 300000) l (recur (+ i 1) (* l 0.5))))");
  expect(long.evaluate({ a: 1 }, { replay: false }).stats.compactions).toBeGreaterThan(0);
  const options = { wrt: ["x"] } as const;
  expect(machine.load("(* x x)").gradient({ x: 3 }, options).stats.compactions).toBe(0);
  machine.dispose();
});
