/**
 * Programs as operations: shapes, gradients beside those of TensorFlow.js' own operations, optimisers,
 * layers, memory, and what is refused.
 */

import { int, NdvmError, vec } from "@ndvm/core";
import type { Scalar, Tensor, Tensor1D, Variable } from "@tensorflow/tfjs";
import fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";
import { operation } from "../src/index.js";
import { bitsOf, machine, tf } from "./support.js";

const decay = machine.load("(* a (exp (* k t)))");

const refusal = (call: () => unknown): NdvmError => {
  try {
    call();
  } catch (error) {
    if (error instanceof NdvmError) return error;
    throw error;
  }
  throw new Error("nothing was refused");
};

describe("adjoints that differ from lane to lane", () => {
  const weights = [2, -3, 5];
  const v = [
    [1, 2],
    [3, -4],
    [0.5, 6],
  ];
  const weighted = (out: Tensor): Scalar => out.mul(tf.tensor1d(weights)).sum() as Scalar;

  test("scale each lane's own vector, and sum over lanes what they share", () => {
    const program = machine.load("(* k (dot v w))");
    const op = operation(program, { inputs: { v: "vector", w: "vector" } });
    const [k, w] = [4, [7, 0.25]];
    const gradients = tf.grads((...[a, b, c]: Tensor[]) =>
      weighted(op({ v: a as Tensor, w: b as Tensor, k: c as Tensor })),
    )([tf.tensor2d(v), tf.tensor1d(w), tf.scalar(k)]);
    expect([...(gradients[0] as Tensor).dataSync()]).toEqual(
      v.flatMap((_, lane) => w.map((each) => (weights[lane] as number) * k * each)),
    );
    const shared = w.map((_, i) =>
      v.reduce((sum, row, lane) => sum + (weights[lane] as number) * k * (row[i] as number), 0),
    );
    expect([...(gradients[1] as Tensor).dataSync()]).toEqual(shared);
    const dots = v.map((row) => row.reduce((sum, each, i) => sum + each * (w[i] as number), 0));
    expect((gradients[2] as Tensor).dataSync()[0]).toBeCloseTo(
      dots.reduce((sum, dot, lane) => sum + (weights[lane] as number) * dot, 0),
      4,
    );
    program.dispose();
  });

  test("sum over lanes what has one lane beside others", () => {
    const inputs = { a: tf.tensor1d([2]), k: tf.tensor1d([0.5]), t: tf.tensor1d([0, 1, 2]) };
    const op = operation(decay);
    const [da, dk, dt] = tf.grads((...[a, k, t]: Tensor[]) =>
      weighted(op({ a: a as Tensor, k: k as Tensor, t: t as Tensor })),
    )([inputs.a, inputs.k, inputs.t]) as [Tensor, Tensor, Tensor];
    expect([da.shape, dk.shape, dt.shape]).toEqual([[1], [1], [3]]);
    const powers = [0, 1, 2].map((t) => Math.exp(0.5 * t));
    const sum = (of: (t: number) => number) =>
      weights.reduce((all, weight, t) => all + weight * of(t), 0);
    expect(da.dataSync()[0]).toBeCloseTo(
      sum((t) => powers[t] as number),
      4,
    );
    expect(dk.dataSync()[0]).toBeCloseTo(
      sum((t) => 2 * t * (powers[t] as number)),
      4,
    );
  });

  test("reach no integer, though its tensor is of floats", () => {
    const program = machine.load("(loop ((i 0) (s 0)) (if (= i n) s (recur (+ i 1) (+ s x))))");
    const op = operation(program, { inputs: { n: "integer" } });
    const n = tf.scalar(3);
    expect(
      tf
        .grad((x: Tensor) => op({ x, n }))(tf.scalar(2))
        .dataSync()[0],
    ).toBe(3);
    program.dispose();
  });

  test("scale each lane's own matrix", () => {
    const program = machine.load("(vsum (* M M))");
    const op = operation(program, { inputs: { M: "matrix" } });
    const M = tf.tensor3d([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12], [3, 2, 2]);
    const gradient = tf.grad((m: Tensor) => weighted(op({ M: m })))(M);
    expect([...gradient.dataSync()]).toEqual(
      [...M.dataSync()].map((each, i) => 2 * each * (weights[Math.trunc(i / 4)] as number)),
    );
    program.dispose();
  });
});

describe("results", () => {
  test("a call without lanes gives a scalar, one with lanes a vector of them", () => {
    const op = operation(decay);
    expect(op({ a: tf.scalar(2), k: tf.scalar(0), t: tf.scalar(1) }).shape).toEqual([]);
    const out = op({ a: tf.scalar(2), k: tf.scalar(-0.5), t: tf.tensor1d([0, 1, 2]) });
    expect(out.shape).toEqual([3]);
    const core = decay.evaluate({ a: 2, k: -0.5, t: [0, 1, 2] });
    expect(bitsOf(out.dataSync())).toEqual(bitsOf(core.values));
  });

  test("vectors and matrices are shared, or have one value for each lane", () => {
    const program = machine.load("(matvec M x)");
    const op = operation(program, { inputs: { M: "matrix", x: "vector" } });
    const M = tf.tensor2d([
      [1, 2],
      [3, 4],
      [5, 6],
    ]);
    const x = tf.tensor1d([1, -1]);
    expect(op({ M, x }).shape).toEqual([3]);
    expect([...op({ M, x }).dataSync()]).toEqual([-1, -1, -1]);
    const lanes = op({ M, x: tf.tensor2d([1, -1, 2, 0], [2, 2]) });
    expect(lanes.shape).toEqual([2, 3]);
    expect([...lanes.dataSync()]).toEqual([-1, -1, -1, 2, 6, 10]);
    const both = op({ M: tf.stack([M, M.mul(2)]), x });
    expect([...both.dataSync()]).toEqual([-1, -1, -1, -2, -2, -2]);
  });

  test("a lane axis of length 1 is shared beside longer ones, and is one lane by itself", () => {
    const op = operation(decay);
    const a = tf.tensor1d([2]);
    const k = tf.scalar(0);
    expect(op({ a, k, t: tf.tensor1d([0, 1, 2]) }).shape).toEqual([3]);
    expect(op({ a, k, t: tf.scalar(0) }).shape).toEqual([1]);
  });

  test("integers and what is no tensor go to the program as they are", () => {
    const program = machine.load(
      "(loop ((i 0) (s 0)) (if (= i n) s (recur (+ i 1) (+ s x (ref v 0)))))",
    );
    const op = operation(program, { inputs: { n: "integer" } });
    const out = op({ n: tf.scalar(3, "int32"), x: tf.scalar(2), v: vec([10, 20]) });
    expect(out.dataSync()[0]).toBe(36);
    expect(op({ n: int(2), x: 1, v: vec([1]) }).dataSync()[0]).toBe(4);
  });

  test("no lanes give no results", () => {
    const out = operation(decay)({ a: tf.scalar(1), k: tf.scalar(1), t: tf.tensor1d([]) });
    expect(out.shape).toEqual([0]);
  });

  test("inputs may have any name", () => {
    const program = machine.load("(+ constructor __proto__)", {
      inputs: ["constructor", "__proto__"],
    });
    const inputs = Object.fromEntries([
      ["constructor", tf.scalar(1)],
      ["__proto__", tf.scalar(2)],
    ]);
    expect(operation(program)(inputs).dataSync()[0]).toBe(3);
  });
});

describe("gradients", () => {
  const number = fc.double({ min: -2, max: 2, noNaN: true });

  test("are those of TensorFlow.js' own operations", () => {
    fc.assert(
      fc.property(number, number, fc.array(number, { minLength: 1, maxLength: 9 }), (a, k, t) => {
        tf.tidy(() => {
          const at = [tf.scalar(a), tf.scalar(k), tf.tensor1d(t)] as const;
          const op = operation(decay);
          const ours = tf.grads(
            (a, k, t) =>
              op({ a, k, t } as never)
                .square()
                .sum() as Scalar,
          );
          const theirs = tf.grads(
            (a, k, t) =>
              (a as Tensor)
                .mul((k as Tensor).mul(t as Tensor).exp())
                .square()
                .sum() as Scalar,
          );
          const expected = theirs([...at]);
          for (const [i, gradient] of ours([...at]).entries()) {
            expect(gradient.shape).toEqual(expected[i]?.shape);
            const wanted = (expected[i] as Tensor).dataSync() as Float32Array;
            const got = gradient.dataSync();
            for (const [j, one] of got.entries()) {
              const size = 1 + wanted.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
              expect(Math.abs(one - (wanted[j] as number)) / size).toBeLessThan(1e-5);
            }
          }
        });
      }),
    );
  });

  test("of shared inputs are core's sums over the lanes, bit for bit", () => {
    const t = Float32Array.from({ length: 1000 }, (_, i) => i / 500);
    const op = operation(decay, { wrt: ["a", "k"] });
    const [a, k] = tf.grads((a, k) => op({ a, k, t: tf.tensor1d(t) } as never).sum() as Scalar)([
      tf.scalar(2),
      tf.scalar(-0.5),
    ]) as [Tensor, Tensor];
    const core = decay.gradient({ a: 2, k: -0.5, t }, { wrt: ["a", "k"], reduce: true });
    expect(bitsOf(a.dataSync())).toEqual(bitsOf(core.gradients["a"] as Float64Array));
    expect(bitsOf(k.dataSync())).toEqual(bitsOf(core.gradients["k"] as Float64Array));
  });

  test("by a text are refused: it was taken for the names of its letters", () => {
    expect(() => operation(decay, { wrt: "ak" as never })).toThrow(/^wrt must be an array/);
  });

  test("of vectors and matrices have the shapes of what was given", () => {
    const program = machine.load("(matvec M x)");
    const op = operation(program, { inputs: { M: "matrix", x: "vector" } });
    const M = tf.tensor2d([1, 2, 3, 4], [2, 2]);
    const x = tf.tensor2d([1, 2, 3, 4, 5, 6], [3, 2]);
    const [ofM, ofX] = tf.grads((M, x) => op({ M, x } as never).sum() as Scalar)([
      M,
      x,
    ]) as Tensor[];
    expect(ofM?.shape).toEqual([2, 2]);
    expect([...(ofM as Tensor).dataSync()]).toEqual([9, 12, 9, 12]);
    expect(ofX?.shape).toEqual([3, 2]);
    expect([...(ofX as Tensor).dataSync()]).toEqual([4, 6, 4, 6, 4, 6]);
  });

  test("inputs that are not named have none", () => {
    const op = operation(decay, { wrt: ["a"] });
    const by = (name: "a" | "k") =>
      tf.grad((x: Tensor) => op({ a: tf.scalar(1), k: tf.scalar(1), t: tf.scalar(1), [name]: x }));
    expect(by("a")(tf.scalar(1)).dataSync()[0]).toBeCloseTo(Math.E, 5);
    expect(() => by("k")(tf.scalar(1))).toThrow(/gradient/);
  });
});

describe("inside TensorFlow.js", () => {
  test("variables, losses and optimisers find a model's constants", () => {
    const t = tf.linspace(0, 4, 30);
    const y = operation(decay)({ a: 2, k: -0.7, t });
    const a = tf.variable(tf.scalar(1));
    const k = tf.variable(tf.scalar(-0.1));
    const op = operation(decay, { wrt: ["a", "k"] });
    const optimiser = tf.train.adam(0.05);
    for (let i = 0; i < 400; i++)
      optimiser.minimize(() => tf.losses.meanSquaredError(y, op({ a, k, t })) as Scalar);
    expect(a.dataSync()[0]).toBeCloseTo(2, 2);
    expect(k.dataSync()[0]).toBeCloseTo(-0.7, 2);
    const { grads } = tf.variableGrads(() => op({ a, k, t }).sum() as Scalar);
    expect(Object.keys(grads)).toHaveLength(2);
    tf.dispose([t, y, a, k, grads]);
  });

  test("tf.tidy leaves nothing behind", () => {
    const a: Variable = tf.variable(tf.scalar(1));
    const op = operation(decay, { wrt: ["a"] });
    const before = tf.memory().numTensors;
    for (let i = 0; i < 10; i++)
      tf.tidy(() => {
        tf.grad((x: Tensor) => op({ a: x, k: -0.5, t: tf.tensor1d([0, 1]) }).sum())(a);
      });
    expect(tf.memory().numTensors).toBe(before);
    a.dispose();
  });

  test("a layer of tf.layers trains by it", async () => {
    class Decay extends tf.layers.Layer {
      static className = "Decay";
      readonly op = operation(decay, { wrt: ["a", "k"] });
      override build(): void {
        const ones = tf.initializers.ones();
        this.addWeight("a", [], "float32", ones);
        this.addWeight("k", [], "float32", tf.initializers.zeros());
      }
      override call(inputs: Tensor | Tensor[]): Tensor {
        const input = (Array.isArray(inputs) ? inputs[0] : inputs) as Tensor;
        const [a, k] = this.weights.map((weight) => weight.read());
        const t = input.reshape([-1]) as Tensor1D;
        return this.op({ a: a as Tensor, k: k as Tensor, t }).reshape([-1, 1]);
      }
    }
    const model = tf.sequential();
    model.add(new Decay({ inputShape: [1] }));
    model.compile({ optimizer: tf.train.adam(0.05), loss: "meanSquaredError" });
    const x = tf.linspace(0, 3, 32).reshape([32, 1]);
    const y = x.mul(-0.5).exp().mul(3);
    await model.fit(x, y, { epochs: 300, batchSize: 32, verbose: 0, shuffle: false });
    const [a, k] = (model.layers[0] as Decay).getWeights().map((weight) => weight.dataSync()[0]);
    expect(a).toBeCloseTo(3, 1);
    expect(k).toBeCloseTo(-0.5, 1);
  });

  test("each tensor is read once for a call, gradients included", () => {
    const op = operation(decay, { wrt: ["a"] });
    const t = tf.tensor1d([1, 2, 3]);
    let reads = 0;
    const read = t.dataSync.bind(t);
    t.dataSync = ((...given: []) => {
      reads += 1;
      return read(...given);
    }) as typeof t.dataSync;
    tf.grad((a: Tensor) => op({ a, k: -1, t }).sum())(tf.scalar(1));
    expect(reads).toBe(1);
  });
});

describe("a program runs as often as it must", () => {
  const pair = machine.load("(vec a (* a k))");
  const limits = { stepsMax: 1000 };

  /** The runs that a call asks for: what each is, and its options. */
  function runsOf(program: typeof decay, call: () => unknown) {
    const runs: unknown[] = [];
    for (const kind of ["evaluate", "gradient"] as const) {
      const original = program[kind].bind(program) as (...given: unknown[]) => unknown;
      vi.spyOn(program, kind).mockImplementation(((inputs: unknown, options: object) => {
        const { seed, ...others } = options as { readonly seed?: Float32Array };
        runs.push([kind, others, ...(seed === undefined ? [] : [[...seed]])]);
        return original(inputs, options);
      }) as never);
    }
    call();
    vi.restoreAllMocks();
    return runs;
  }
  afterEach(() => vi.restoreAllMocks());

  test("once to evaluate where nobody records, and where nothing is differentiated", () => {
    const op = operation(decay, limits);
    const inputs = { a: tf.scalar(1), k: tf.scalar(2), t: tf.tensor1d([0, 1]) };
    expect(runsOf(decay, () => op(inputs))).toEqual([["evaluate", limits]]);
    const none = operation(decay, { ...limits, wrt: [] });
    const ofA = () =>
      tf.grad((a: Tensor) =>
        none({ ...inputs, a: 1 })
          .sum()
          .add(a.sum()),
      )(inputs.a);
    expect(runsOf(decay, ofA)).toEqual([["evaluate", limits]]);
    expect(runsOf(decay, () => op({ ...inputs, t: tf.tensor1d([]) }))).toEqual([]);
  });

  test("once for a number and its gradient", () => {
    const op = operation(decay, { ...limits, wrt: ["a", "k"] });
    const both = () =>
      tf.grads((a, k) => op({ a: a as Tensor, k: k as Tensor, t: 1 }).sum() as Scalar)([
        tf.scalar(1),
        tf.scalar(2),
      ]);
    const once = [["gradient", { ...limits, wrt: ["a", "k"] }]];
    expect(runsOf(decay, both)).toEqual(once);
    expect(runsOf(decay, both)).toEqual(once);
  });

  test("twice for several numbers, which an operation tries as one number only once", () => {
    const op = operation(pair, { ...limits, wrt: ["a"] });
    const ofA = () =>
      tf.grad((a: Tensor) =>
        op({ a, k: 3 })
          .mul(tf.tensor1d([1, 2]))
          .sum(),
      )(tf.scalar(1));
    const twice = [
      ["evaluate", limits],
      ["gradient", { ...limits, wrt: ["a"] }, [1, 2]],
    ];
    expect(runsOf(pair, ofA)).toEqual([["gradient", { ...limits, wrt: ["a"] }], ...twice]);
    expect(runsOf(pair, ofA)).toEqual(twice);
  });

  test("and a failure is told at once, and teaches the operation nothing", () => {
    const loop = machine.load("(loop ((i 0) (s a)) (if (= i n) s (recur (+ i 1) (+ s a))))");
    const op = operation(loop, { ...limits, inputs: { n: "integer" } });
    const slope = (n: number) => tf.grad((a: Tensor) => op({ a, n: int(n) }))(tf.scalar(2));
    const once = [["gradient", { ...limits, wrt: ["a"] }]];
    const failing = () => expect(refusal(() => slope(5000)).code).toBe("E-STEPS");
    expect(runsOf(loop, failing)).toEqual(once);
    expect(runsOf(loop, () => expect(slope(2).dataSync()[0]).toBe(3))).toEqual(once);
  });
});

describe("what is refused names the input", () => {
  const op = operation(decay);
  const good = { a: tf.scalar(1), k: tf.scalar(1), t: tf.tensor1d([0, 1]) };
  const cases: readonly [string, () => unknown, RegExp][] = [
    [
      "a rank that fits no kind",
      () => op({ ...good, t: tf.zeros([2, 2, 2]) }),
      /input t is float32\[2, 2, 2\]/,
    ],
    ["booleans", () => op({ ...good, t: tf.tensor1d([true, false]) }), /input t is bool/],
    [
      "lanes that differ",
      () => op({ ...good, a: tf.tensor1d([1, 2, 3]) }),
      /input t has 2 lanes, but a has 3/,
    ],
    ["an input that the program does not have", () => op({ ...good, b: 1 }), /no input b/],
    ["an input that is missing", () => op({ a: good.a, k: good.k }), /input t has no value/],
    [
      "a kind that there is not",
      () => operation(decay, { inputs: { t: "scalar" as never } }),
      /kind of input t/,
    ],
    ["a name in wrt that is not an input", () => operation(decay, { wrt: ["b"] }), /no input b/],
    ["one that comes later", () => operation(decay, { wrt: ["a", "k", "b"] }), /no input b/],
    [
      "an integer in wrt, behind a number",
      () => operation(decay, { wrt: ["a", "t"], inputs: { t: "integer" } }),
      /cannot differentiate by t: it is an integer/,
    ],
    [
      "a kind of an input that there is not",
      () => operation(decay, { inputs: { t: "number", b: "number" } }),
      /no input b/,
    ],
    [
      "a gradient by integers",
      () => operation(decay, { wrt: ["t"] })({ ...good, t: tf.tensor1d([0, 1], "int32") }),
      /cannot differentiate by t: it is int32/,
    ],
    [
      "a fraction where an integer is declared",
      () => operation(decay, { inputs: { t: "integer" } })({ ...good, t: tf.scalar(1.5) }),
      /input t is 1.5/,
    ],
    ["a call by position", () => op(tf.scalar(1) as never), /by name/],
  ];
  test.each(cases)("%s", (_, call, message) => {
    const error = refusal(call);
    expect(error.message).toMatch(message);
    expect(error.help ?? "").not.toBe("");
  });

  test("a result that is not a number", () => {
    const list = operation(machine.load("(list a a)"));
    expect(refusal(() => list({ a: tf.scalar(1) })).code).toBe("E-RESULT");
  });
});
