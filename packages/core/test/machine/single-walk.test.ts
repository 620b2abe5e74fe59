/**
 * Single walks: one lane of plain numbers is one call into the machine. Whatever is not plain on the
 * way is finished by the general way, and no bit depends on which of them it was.
 */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Machine, type Precision, type Program, type Session } from "../../src/index.js";
import { bitsOf, caught, precisions } from "./support.js";

const replay = false;

/** The numbers of one lane that is walked beside others, which is never a single walk. */
function beside(
  program: Program,
  inputs: Record<string, number>,
  wrt: readonly string[],
): string[] {
  const lanes = Object.entries(inputs).map(([name, value]) => [name, [value, value, value]]);
  const { values, gradients } = program.gradient(Object.fromEntries(lanes), { wrt, replay });
  return [values, ...wrt.map((name) => gradients[name] ?? [])].flatMap((all) =>
    bitsOf([all[1] ?? 0]),
  );
}

function bits(session: Session, wrt: readonly string[]): string[] {
  const lists = [session.values, ...wrt.map((name) => session.gradients[name] ?? [])];
  return lists.flatMap((list) => bitsOf(Float64Array.from(list)));
}

const programs: readonly (readonly [source: string, inputs: Record<string, number>])[] = [
  ["(+ (* a x) b)", { a: 1.5, x: 2, b: 0.25 }],
  ["(* A (* (exp (- 0 (* b t))) (cos (+ (* w t) p))))", { A: 2, b: 0.3, t: 1.7, w: 2.5, p: 0.1 }],
  ["(if (< a b) (* a b) (sin a))", { a: 1, b: 2 }],
  ["(loop ((z a) (k 0)) (if (= k 90) z (recur (* b (sin (+ z 1))) (+ k 1))))", { a: 1, b: 0.9 }],
  ["(logdet (mat [(+ 2 (* a a)) b] [b (+ 2 (* b b))]))", { a: 0.5, b: -0.75 }],
  ["(let ((f (lambda (u) (* u (ref [a b 3] 1))))) (apply + (map f (list a b 2))))", { a: 2, b: 3 }],
  ["(* 0.0 (/ a b))", { a: 1, b: 0 }],
  ["(- (log a) (log b))", { a: -1, b: 0 }],
  ["b", { a: 2, b: 3 }],
  ["(exp 0.5)", { a: 2 }],
];

describe.each(precisions)("in %s", (precision: Precision) => {
  test.each(programs)("%s has the bits of a lane beside others", async (source, inputs) => {
    const machine = await Machine.create({ precision });
    const names = Object.keys(inputs);
    const program = machine.load(source, { inputs: names });
    for (const wrt of [names, names.slice(0, 1)]) {
      const session = program.session(inputs, { wrt, replay });
      for (const turn of [0, 1, 2]) {
        const given = Object.fromEntries(names.map((name) => [name, (inputs[name] ?? 0) + turn]));
        for (const name of names) session.set(name, given[name] ?? 0);
        session.run();
        expect(bits(session, wrt)).toEqual(beside(program, given, wrt));
      }
      expect(session.stats).toMatchObject({ walks: 3, replays: 0 });
    }
    machine.dispose();
  });

  test("an evaluation without gradients is one, too", async () => {
    const machine = await Machine.create({ precision });
    const program = machine.load("(* a (exp b))");
    const session = program.session({ a: 2, b: 0.5 }, { replay });
    session.run();
    expect(bitsOf(Float64Array.from(session.values))).toEqual(
      bitsOf(program.evaluate({ a: [2, 2], b: [0.5, 0.5] }).values.slice(0, 1)),
    );
    machine.dispose();
  });

  test("calls that do not replay tell what they walked, and the names that do not matter", async () => {
    const machine = await Machine.create({ precision });
    const program = machine.load("(* a a)", { inputs: ["a", "b"] });
    const calls = Array.from({ length: 8 }, (_, turn) =>
      program.gradient({ a: turn, b: 1 }, { replay }),
    );
    calls.forEach(({ values, gradients, inactive, stats }, turn) => {
      expect([values[0], gradients["a"]?.[0], gradients["b"]?.[0]]).toEqual([
        turn ** 2,
        2 * turn,
        0,
      ]);
      expect(inactive).toEqual(["b"]);
      expect(stats).toMatchObject({
        walks: 1,
        replays: 0,
        traces: 0,
        tapeRecords: 1,
        chunkWidth: 1,
      });
      expect(stats.steps).toBe(calls[0]?.stats.steps);
    });
    machine.dispose();
  });
});

const { SEED, FORMULAS = "300" } = process.env;
const seed = Number(SEED ?? Math.floor(Math.random() * 2 ** 31));

/** Formulas, most of them straight; integers alone, `floor` and sums of three are not. */
const { formula } = fc.letrec<{ formula: string; operand: string }>((tie) => ({
  formula: fc
    .oneof(
      { depthSize: "medium" },
      fc.tuple(fc.constantFrom("exp", "sin", "cos", "sqrt", "log", "abs", "-"), tie("operand")),
      fc.tuple(fc.constantFrom("+", "-", "*", "/", "max", "expt"), tie("operand"), tie("operand")),
      fc.tuple(fc.constantFrom("+", "*"), tie("operand"), tie("operand"), tie("operand")),
      fc.tuple(fc.constant("floor"), tie("operand")),
    )
    .map((parts) => `(${parts.join(" ")})`),
  operand: fc.oneof(
    { depthSize: "medium", withCrossShrink: true },
    fc.constantFrom("a", "b", "c"),
    fc.constantFrom("0", "1", "2", "-3", "2", "0.5", "-1.25", "16777216"),
    tie("formula"),
  ),
}));

/** What a walk counts, whether or not its trace is linked and kept. */
const COUNTERS = [
  "payloads",
  "uniformPayloads",
  "activePayloads",
  "tapeRecords",
  "heapObjects",
  "primalBytes",
  "tapeBytes",
  "steps",
  "integerPoolHits",
] as const;

describe.each(precisions)("formulas in %s", (precision: Precision) => {
  test("have the bits and the counters of the way that all programs take", async () => {
    const machine = await Machine.create({ precision });
    const number = fc.constantFrom(0, -0, 1, -2, 0.75, 3.5, 1e-30, -1e30, Infinity, NaN);
    const wanted = fc.subarray(["a", "b", "c"], { minLength: 1 });
    fc.assert(
      fc.property(formula, fc.tuple(number, number, number), wanted, (source, [a, b, c], wrt) => {
        const given = { a, b, c };
        const program = machine.load(source, { inputs: ["a", "b", "c"] });
        const session = program.session(given, { wrt, replay });
        session.run();
        expect(bits(session, wrt), source).toEqual(beside(program, given, wrt));
        const [once, again] = [machine.load(source), machine.load(source)];
        const names = Object.fromEntries(once.inputs.map((name) => [name, 1.5]));
        again.gradient(names);
        const { stats, inactive, gradients } = once.gradient(names);
        const kept = again.gradient(names);
        expect(inactive).toEqual(kept.inactive);
        expect(gradients).toEqual(kept.gradients);
        // Replay needs more than a gradient does where something varies and passes no gradient.
        if (kept.stats.walks === 1 && !source.includes("floor"))
          for (const name of COUNTERS)
            expect([name, stats[name]]).toEqual([name, kept.stats[name]]);
        for (const each of [program, once, again]) each.dispose();
      }),
      { seed, numRuns: Number(FORMULAS) },
    );
    machine.dispose();
  });

  test("have their last step and their last byte of tape", async () => {
    const machine = await Machine.create({ precision });
    const program = machine.load("(* a (exp (* b (+ a 2))))");
    const given = { a: 1, b: 0.5 };
    const { steps, primalBytes, adjointBytes, tapeBytes } = program.gradient(given, {
      replay,
    }).stats;
    const run = (limits: { stepsMax?: number; tapeBytesMax?: number }) =>
      program.session(given, { wrt: ["a", "b"], replay, ...limits }).run();
    const bytes = primalBytes + adjointBytes + tapeBytes;
    run({ stepsMax: steps });
    expect(caught(() => run({ stepsMax: steps - 1 })).code).toBe("E-STEPS");
    run({ tapeBytesMax: bytes });
    expect(caught(() => run({ tapeBytesMax: bytes / 2 })).code).toBe("E-TAPE");
    machine.dispose();
  });
});

describe("what is not plain goes on the general way", () => {
  test("a walk of more steps than one slice", async () => {
    const machine = await Machine.create();
    const source = "(loop ((z a) (k 0)) (if (= k 60000) z (recur (* b z) (+ k 1))))";
    const session = machine.load(source).session({ a: 2, b: 1 }, { wrt: ["a", "b"], replay });
    session.run();
    expect([session.values[0], session.gradients["a"]?.[0]]).toEqual([2, 1]);
    expect(session.gradients["b"]?.[0]).toBe(120_000);
    expect(session.stats.walks).toBe(1);
    machine.dispose();
  });

  test("a fault, and the run after it", async () => {
    const machine = await Machine.create();
    const program = machine.load("(ref [1 2 a] (floor x))");
    const session = program.session({ a: 5, x: 2 }, { wrt: ["a"], replay });
    session.run();
    expect(session.gradients["a"]?.[0]).toBe(1);
    session.set("x", 7);
    expect(caught(() => session.run()).code).toBe("E-RANGE");
    session.set("x", 2);
    session.run();
    expect([session.values[0], session.gradients["a"]?.[0]]).toEqual([5, 1]);
    machine.dispose();
  });

  test("a budget of steps or of tape that is passed", async () => {
    const machine = await Machine.create();
    const program = machine.load("(loop ((z a) (k 0)) (if (= k 500) z (recur (sin z) (+ k 1))))");
    const limits = [{ stepsMax: 100 }, { tapeBytesMax: 1000 }];
    const codes = limits.map((limit) => {
      const session = program.session({ a: 1 }, { wrt: ["a"], replay, ...limit });
      return caught(() => session.run()).code;
    });
    expect(codes).toEqual(["E-STEPS", "E-TAPE"]);
    machine.dispose();
  });

  test("an integer, a vector, a list", async () => {
    const machine = await Machine.create();
    const run = (source: string) => {
      const session = machine.load(source).session({ a: 2 }, { wrt: ["a"], replay });
      session.run();
      return [session.values[0], session.gradients["a"]?.[0]];
    };
    expect(run("(begin a 7)")).toEqual([7, 0]);
    expect(caught(() => run("[a a]")).code).toBe("E-RESULT");
    expect(caught(() => run("(list a a)")).code).toBe("E-RESULT");
    machine.dispose();
  });

  test("more inputs than a single walk takes", async () => {
    const machine = await Machine.create();
    const names = Array.from({ length: 40 }, (_, i) => `x${i}`);
    const inputs = Object.fromEntries(names.map((name, i) => [name, i]));
    const program = machine.load(`(+ ${names.map((name) => `(* ${name} ${name})`).join(" ")})`);
    const session = program.session(inputs, { wrt: names, replay });
    session.run();
    expect(names.map((name) => session.gradients[name]?.[0])).toEqual(names.map((_, i) => 2 * i));
    expect(program.gradient(inputs).gradients["x39"]?.[0]).toBe(78);
    machine.dispose();
  });

  test("all 32 inputs that a single walk takes", async () => {
    const machine = await Machine.create();
    const names = Array.from({ length: 32 }, (_, i) => `x${i}`);
    const inputs = Object.fromEntries(names.map((name, i) => [name, i]));
    const source = `(+ ${names.map((name) => `(* ${name} ${name})`).join(" ")})`;
    const session = machine.load(source).session(inputs, { wrt: names, replay });
    session.run();
    expect(names.map((name) => session.gradients[name]?.[0])).toEqual(names.map((_, i) => 2 * i));
    const { gradients, inactive } = machine.load(source).gradient(inputs);
    expect(names.map((name) => gradients[name]?.[0])).toEqual(names.map((_, i) => 2 * i));
    expect(inactive).toEqual([]);
    machine.dispose();
  });
});

test("a program keeps a trace from its second call on", async () => {
  const machine = await Machine.create();
  const program = machine.load("(* a (sin b))");
  const call = (a: number) => {
    const { stats } = program.gradient({ a, b: 1 });
    return [stats.walks, stats.replays, stats.traces];
  };
  expect([1, 2, 3, 4, 5].map(call)).toEqual([
    [1, 0, 0],
    [1, 0, 1],
    [0, 1, 1],
    [0, 1, 1],
    [0, 1, 1],
  ]);
  machine.dispose();
});
