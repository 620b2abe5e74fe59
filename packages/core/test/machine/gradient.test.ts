/**
 * Gradients: per lane, for numbers, vectors and matrices, shared or not, against finite
 * differences; seeds, vector-Jacobian products, Jacobians; what is recorded and what is not.
 */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type Inputs,
  int,
  type Machine,
  mat,
  type Precision,
  type Program,
  type TensorInput,
  vec,
} from "../../src/index.js";
import { bitsOf, expectClose, machinesOf, precisions, slopes } from "./support.js";

let machines: Readonly<Record<Precision, Machine>>;
let machine: Machine;
beforeAll(async () => {
  machines = await machinesOf();
  machine = machines.f64;
});
afterAll(() => {
  machines.f32.dispose();
  machines.f64.dispose();
});

type Shaped = number | readonly number[] | TensorInput | readonly TensorInput[];

/** The same input with one element moved in every lane. */
function moved(input: Shaped, element: number, by: number): Shaped {
  if (typeof input === "number") return input + by;
  if (Array.isArray(input)) return input.map((one) => moved(one, element, by)) as Shaped;
  const { data, rows, rank } = input as TensorInput;
  const changed = Float64Array.from(data);
  changed[element] = (changed[element] ?? 0) + by;
  return rank === 1 ? vec(changed) : mat(changed, rows);
}

function elementsOf(input: Shaped): number {
  const one = Array.isArray(input) ? input[0] : input;
  return typeof one === "number" ? 1 : one.data.length;
}

/** Every gradient of a scalar program against central differences, all lanes at once. */
function expectSlopes(source: string, inputs: Readonly<Record<string, Shaped>>): void {
  const program = machine.load(source);
  const { gradients, lanes } = program.gradient(inputs as Inputs);
  for (const [name, input] of Object.entries(inputs)) {
    const count = elementsOf(input);
    for (let element = 0; element < count; element++) {
      const at = (shift: number): Inputs =>
        ({ ...inputs, [name]: moved(input, element, shift) }) as Inputs;
      const found = Array.from(
        { length: lanes },
        (_, lane) => gradients[name]?.[lane * count + element],
      );
      expectClose(found as number[], slopes(program, at), 2e-7);
    }
  }
  program.dispose();
}

const M = mat([
  [2, 0.5, 0.1],
  [0.4, 3, 0.2],
  [0.3, 0.1, 1.5],
]);
const N = mat([
  [1.1, 0.2, 0.3],
  [0.1, 2.2, -0.4],
  [-0.3, 0.2, 1.7],
]);

describe("against finite differences", () => {
  test.each<[string, string, Record<string, Shaped>]>([
    ["numbers", "(+ (* a (sin b)) (/ b a) (expt a b))", { a: [1.2, 0.7, 2], b: 1.4 }],
    ["a shared number used by all lanes", "(* k (exp (* k t)))", { k: 0.3, t: [0, 1, 2, 3, 4] }],
    ["a vector", "(+ (dot v v) (norm v) (ref v 1))", { v: vec([1, -2, 0.5]) }],
    ["a vector per lane", "(* (vsum v) (ref v 0))", { v: [vec([1, 2]), vec([3, -1])] }],
    ["a broadcast number", "(vsum (* a (+ v (/ a [1 2 3]))))", { a: [2, 0.5], v: vec([1, 2, 3]) }],
    [
      "a broadcast number on the right",
      "(vsum (- (/ v a) (* a v) a))",
      { a: 2, v: vec([1, 2, 3]) },
    ],
    ["a matrix", "(+ (logdet M) (trace (inv M)) (det M))", { M }],
    ["a matrix per lane", "(norm (matmul M M))", { M: [M, N] }],
    ["a solve", "(dot v (solve M v))", { M: [M, N], v: vec([1, 2, 3]) }],
    [
      "a shared matrix and lanes of vectors",
      "(vsum (matvec M v))",
      { M, v: [vec([1, 2, 3]), vec([0, 1, 5])] },
    ],
    [
      "a quadratic form",
      "(let ((S (matmul M (transpose M)))) (+ (vsum (cholesky S)) (vsum (outer v v))))",
      { M, v: vec([1, 2, 3]) },
    ],
    [
      "rows and elements",
      "(+ (* (ref M 0 1) (ref M 2 2)) (dot (ref M 1) (ref M 0)))",
      { M: [M, N] },
    ],
    ["built matrices", "(det (mat [a b] [b (* 2 a)]))", { a: [1, 2], b: 0.3 }],
    ["normalize and cross", "(vsum (cross (normalize v) [a 2 a]))", { a: 0.4, v: vec([1, 2, 3]) }],
    [
      "a loop",
      "(loop ((i 0) (x a)) (if (= i 12) x (recur (+ i 1) (* r x (- 1 x)))))",
      { a: [0.3, 0.4], r: 2.7 },
    ],
    [
      "recursion and closures",
      "(define (twice f) (lambda (x) (f (f x)))) (((lambda (g) (twice (twice g))) (lambda (x) (+ (sin x) a))) b)",
      { a: [0.1, 0.2], b: 0.5 },
    ],
    [
      "lists",
      "(fold-left + 0 (map (lambda (x) (* x x a)) (list a b (+ a b))))",
      { a: [1, 2], b: 3 },
    ],
    ["one value used many times", "(let ((y (* a a))) (+ y y (* y y) (- y)))", { a: [1.5, -0.5] }],
  ])("%s", (_, source, inputs) => {
    expectSlopes(source, inputs);
  });
});

describe("seeds", () => {
  const source = "[(* a x) (+ a (* x x))]";
  const inputs = { a: [2, 3], x: 5 };

  test("default to one, scale the gradient, and can differ by lane", () => {
    const program = machine.load("(* a x)");
    const at = (seed?: number | number[]) => [
      ...(program.gradient(inputs, seed === undefined ? {} : { seed }).gradients["x"] ?? []),
    ];
    expect(at()).toEqual([2, 3]);
    expect(at(10)).toEqual([20, 30]);
    expect(at([1, -1])).toEqual([2, -3]);
    expect(at(0)).toEqual([0, 0]);
  });

  test("of a vector result are lane after lane of elements", () => {
    const program = machine.load(source);
    const { gradients } = program.gradient(inputs, { seed: [1, 0, 0, 1] });
    expect([...(gradients["a"] ?? [])]).toEqual([5, 1]);
    expect([...(gradients["x"] ?? [])]).toEqual([2, 10]);
    const all = program.gradient(inputs, { seed: 1 });
    expect([...(all.gradients["a"] ?? [])]).toEqual([6, 6]);
  });

  test("backward is a vector-Jacobian product, as often as one likes", () => {
    const run = machine.load(source).run(inputs);
    const bits = (seed: number[]) => bitsOf(run.backward(seed)["a"] ?? []);
    const first = bits([1, 0, 0, 1]);
    const second = bits([0.3, 2, -1, 0.7]);
    expect(bits([1, 0, 0, 1])).toEqual(first);
    expect(bits([0.3, 2, -1, 0.7])).toEqual(second);
    expect([...run.values]).toEqual([10, 27, 15, 28]);
  });

  test("a Jacobian is its rows", () => {
    const program = machine.load("(* v (sin (* a (ref v 0))))");
    const inputs = { v: [vec([1, 2, 3]), vec([-1, 0.5, 2])], a: 0.4 };
    const { jacobians, values, lanes } = program.jacobian(inputs);
    expect([lanes, values.length]).toEqual([2, 6]);
    const run = program.run(inputs);
    for (let row = 0; row < 3; row++) {
      const seed = new Float64Array(6);
      seed[row] = 1;
      seed[3 + row] = 1;
      const { v, a } = run.backward(seed);
      for (let lane = 0; lane < 2; lane++) {
        const from = (lane * 3 + row) * 3;
        expect(jacobians["v"]?.slice(from, from + 3)).toEqual(v?.slice(lane * 3, lane * 3 + 3));
        expect(jacobians["a"]?.[lane * 3 + row]).toBe(a?.[lane]);
      }
    }
  });

  test("a Jacobian of a number is its gradient; of a matrix it is row-major", () => {
    const number = machine.load("(* a a)").jacobian({ a: [1, 2] });
    expect([...(number.jacobians["a"] ?? [])]).toEqual([2, 4]);
    const matrix = machine.load("(mat [a 0] [(* 2 a) (* 3 a)])").jacobian({ a: 1 });
    expect([...(matrix.jacobians["a"] ?? [])]).toEqual([1, 0, 2, 3]);
  });
});

describe("what is recorded", () => {
  const source = "(+ (* a (exp b)) (* (sin c) (cos c)))";
  const inputs = { a: [1, 2], b: 0.5, c: 0.25 };
  let program: Program;
  beforeAll(() => {
    program = machine.load(source);
  });

  test("nothing when evaluating, nothing for an empty wrt", () => {
    for (const { stats } of [program.evaluate(inputs), program.gradient(inputs, { wrt: [] })]) {
      expect([stats.tapeRecords, stats.activePayloads, stats.adjointBytes]).toEqual([0, 0, 0]);
    }
    expect(program.gradient(inputs, { wrt: [] }).gradients).toEqual({});
  });

  test.each([
    [["a"], 2, 3],
    [["b"], 3, 4],
    [["c"], 4, 5],
    [["a", "c"], 5, 7],
    [["a", "b", "c"], 6, 9],
  ])("only what %j reaches", (wrt, records, active) => {
    const all = program.gradient(inputs);
    const { stats, gradients } = program.gradient(inputs, { wrt });
    expect([stats.tapeRecords, stats.activePayloads]).toEqual([records, active]);
    for (const name of wrt)
      expect(bitsOf(gradients[name] ?? [])).toEqual(bitsOf(all.gradients[name] ?? []));
  });

  test("a program of constants records nothing", () => {
    const { stats } = machine.load("(vsum (matmul (eye 3) (ones 3 3)))").gradient({});
    expect([stats.tapeRecords, stats.activePayloads]).toEqual([0, 0]);
  });

  test("predicates, floors and integers pass no gradient and leave no record", () => {
    const steps = machine
      .load("(+ (floor x) (if (> x 1) 2 3) (quotient x 2))")
      .gradient({ x: 5.5 });
    expect(steps.gradients["x"]?.[0]).toBe(0);
    expect(steps.stats.tapeRecords).toBe(0);
    expect(steps.inactive).toEqual(["x"]);
  });

  test("inputs that reach the result by predicates only, or not at all, are listed", () => {
    const choice = machine.load("(if (> t 0) (* a 2) (* b 3))");
    const { gradients, inactive } = choice.gradient({ t: 1, a: 4, b: 5 });
    expect([gradients["t"]?.[0], gradients["a"]?.[0], gradients["b"]?.[0]]).toEqual([0, 2, 0]);
    expect(inactive).toEqual(["t", "b"]);
    expect(machine.load("(* 0 a)").gradient({ a: 4 }).inactive).toEqual([]);
    const unused = machine.load("(let ((u (exp a))) b)").gradient({ a: 1, b: 2 });
    expect(unused.inactive).toEqual(["a"]);
    expect(unused.gradients["b"]?.[0]).toBe(1);
  });

  test("an input that is the result", () => {
    const { gradients } = machine.load("x").gradient({ x: [1, 2] }, { seed: [3, 4] });
    expect([...(gradients["x"] ?? [])]).toEqual([3, 4]);
  });

  test("structural integers have no gradient", () => {
    const power = machine.load("(expt x n)").gradient({ x: 3, n: int(2) });
    expect(Object.keys(power.gradients)).toEqual(["x"]);
    expect(power.gradients["x"]?.[0]).toBe(6);
  });
});

describe("corners of the derivatives", () => {
  test.each([
    ["(min x y)", 2, 2, [1, 0]],
    ["(max x y)", 2, 2, [1, 0]],
    ["(min y x)", 2, 2, [0, 1]],
    ["(min x y)", 1, 2, [1, 0]],
    ["(max x y)", 1, 2, [0, 1]],
    ["(+ (abs x) (* 0 y))", 0, 1, [0, 0]],
    ["(+ (abs x) (* 0 y))", -2, 1, [-1, 0]],
    ["(expt x 2)", 0, 0, [0, undefined]],
    ["(expt x 3)", -2, 0, [12, undefined]],
    ["(expt x -1)", -2, 0, [-0.25, undefined]],
    ["(expt x 0)", 0, 0, [0, undefined]],
    ["(expt x y)", 0, 2, [0, 0]],
    ["(expt x y)", 2, 0, [0, Math.LN2]],
    ["(expt x y)", -2, 2, [-4, Number.NaN]],
    ["(norm [x y])", 0, 0, [0, 0]],
    ["(sqrt x)", 4, 0, [0.25, undefined]],
  ])("%s at %d, %d", (source, x, y, expected) => {
    for (const precision of precisions) {
      const program = machines[precision].load(source);
      const inputs = program.inputs.includes("y") ? { x, y } : { x };
      const { gradients } = program.gradient(inputs);
      const tolerance = precision === "f32" ? 1e-6 : 1e-14;
      ["x", "y"].forEach((name, i) => {
        const want = expected[i];
        if (want === undefined) expect(gradients[name]).toBeUndefined();
        else if (Number.isNaN(want)) expect(gradients[name]?.[0]).toBeNaN();
        else expectClose(gradients[name], [want], tolerance);
      });
      program.dispose();
    }
  });

  test("a branch not taken passes no gradient and no NaN", () => {
    const safe = machine.load("(if (> x 0) (log x) (* 2 x))");
    const { values, gradients } = safe.gradient({ x: [-1, -2] });
    expect([...values]).toEqual([-2, -4]);
    expect([...(gradients["x"] ?? [])]).toEqual([2, 2]);
  });

  test("no gradient is -0", () => {
    const { gradients } = machine.load("(* x -0.0)").gradient({ x: 3 });
    expect(bitsOf(gradients["x"] ?? [])).toEqual(bitsOf([0]));
  });
});
