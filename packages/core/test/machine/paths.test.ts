/**
 * One lane: traces are found by what they decide, programs whose paths never come again are walked,
 * and calls with plain numbers are short. None of it changes a bit.
 */

import { describe, expect, test } from "vitest";
import {
  type GradientResult,
  type Inputs,
  Machine,
  NdvmError,
  type Precision,
  type Program,
  type RunStats,
} from "../../src/index.js";
import { machineInputs } from "../fuzz/check.js";
import { sourceOf } from "../fuzz/program.js";
import { Random } from "../fuzz/random.js";
import { laneProgram } from "../lanes/run.js";
import { bitsOf, caught } from "./support.js";

const { SEED, PATHS_PROGRAMS = "120" } = process.env;
const programs = Number(PATHS_PROGRAMS);
const seed = SEED === undefined ? Math.floor(Math.random() * 2 ** 32) : Number(SEED);

const tent = `(loop ((x x0) (k 0))
  (if (= k 16) x
    (if (< x 0.5) (recur (* r x) (+ k 1)) (recur (* r (- 1.0 x)) (+ k 1)))))`;
/** Sines leave slopes in single precision, which belong to one trace alone. */
const waves = `(loop ((x x0) (k 0))
  (if (= k 8) x
    (if (< x 0.5) (recur (sin (* r (+ x 0.3))) (+ k 1)) (recur (* 0.5 r (cos x)) (+ k 1)))))`;
/** A number is taken for an integer: as many ways at one guard as there are elements. */
const chosen = "(* r (ref [1 2 3 4 5 6 7] (floor (* 7 x0))) (if (< x0 0.4) x0 (exp x0)))";
const start = (turn: number): number => (turn * 0.618034) % 1;

/** The outcome of one call as text: bits of its numbers, or the code of its error. */
function told(program: Program, inputs: Inputs, replay?: boolean): string {
  try {
    const options = replay === undefined ? {} : { replay };
    const { values, gradients, inactive, nonFinite } = program.gradient(inputs, options);
    const numbers = [values, ...program.inputs.map((name) => gradients[name] ?? [])];
    return JSON.stringify([numbers.map((list) => bitsOf(list)), inactive, nonFinite]);
  } catch (error) {
    if (error instanceof NdvmError) return error.code;
    throw error;
  }
}

/** Without causes: a walk that nobody replays records less, and tells them less closely. */
const numbersTold = (text: string): string =>
  text.startsWith("[") ? JSON.stringify(JSON.parse(text).slice(0, 2)) : text;

describe.each(["f32", "f64"] as Precision[])("in %s", (precision) => {
  test.each([tent, waves, chosen])("every call has the bits of a walk: %s", async (source) => {
    const on = await Machine.create({ precision });
    const off = await Machine.create({ precision, mechanisms: { paths: false } });
    const [mine, theirs, walked] = [on.load(source), off.load(source), on.load(source)];
    const session = mine.session({ r: 1.9, x0: 0.3 }, { wrt: ["r", "x0"] });
    for (let turn = 0; turn < 400; turn++) {
      // New ways, then ways that come again, some at once and some later.
      const x0 = start(turn < 200 ? turn : (turn * turn) % 24);
      const inputs = { r: 1.9, x0 };
      const wanted = told(walked, inputs, false);
      expect(told(mine, inputs)).toBe(wanted);
      expect(told(theirs, inputs)).toBe(wanted);
      session.set("x0", x0);
      session.run();
      const direct = walked.gradient(inputs, { replay: false });
      expect(bitsOf(session.values)).toEqual(bitsOf(direct.values));
      expect(bitsOf(session.gradients["x0"] ?? [])).toEqual(bitsOf(direct.gradients["x0"] ?? []));
    }
    on.dispose();
    off.dispose();
  });

  test(`generated programs tell the same lane by lane, seed ${seed}`, async () => {
    console.info(`paths: ${programs} programs, SEED=${seed}`);
    const on = await Machine.create({ precision });
    const off = await Machine.create({ precision, mechanisms: { paths: false } });
    for (let index = 0; index < programs; index++) {
      const program = laneProgram(seed, index);
      const source = sourceOf(program);
      const [mine, theirs, walked] = [on.load(source), off.load(source), on.load(source)];
      const lanes = program.inputs.find(({ kind }) => kind !== "int");
      const count = lanes !== undefined && "lanes" in lanes ? lanes.lanes.length : 1;
      for (let turn = 0; turn < 3 * count; turn++) {
        const inputs = alone(machineInputs(mine, program, [turn % count]));
        const what = `program ${index} of seed ${seed}, turn ${turn}: ${sourceOf(program)}`;
        const wanted = told(theirs, inputs);
        expect(told(mine, inputs), what).toBe(wanted);
        expect(numbersTold(told(walked, inputs, false)), what).toBe(numbersTold(wanted));
      }
      walked.dispose();
      mine.dispose();
      theirs.dispose();
    }
    on.dispose();
    off.dispose();
  });

  test("a lane finds its trace by its decisions, not by trying all", async () => {
    const machine = await Machine.create({ precision });
    const program = machine.load(tent);
    const at = (turn: number) => program.gradient({ r: 1.9, x0: start(turn % 24) }).stats;
    for (let turn = 0; turn < 48; turn++) at(turn);
    let tries = 0;
    for (let turn = 0; turn < 200; turn++) {
      const { walks, replays } = at(turn * turn);
      expect(walks).toBe(0);
      tries += replays;
    }
    // 24 paths: a tree of them is about five decisions deep.
    expect(tries / 200).toBeLessThan(6);
    machine.dispose();
  });

  test("which names matter is that of the call, whether its path rests, is found or is new", async () => {
    const machine = await Machine.create({ precision });
    const source = `(loop ((x x0) (k 0))
      (if (= k 12) (if (< x 0.4) (* p x0) (if (< x 0.7) (* q p) s))
        (if (< x 0.5) (recur (* 1.9 x) (+ k 1)) (recur (* 1.9 (- 1.0 x)) (+ k 1)))))`;
    const [mine, walked] = [machine.load(source), machine.load(source)];
    const other = machine.load("(* a c)", { inputs: ["a", "b", "c", "d"] });
    const [found, ways] = [new Set<string>(), new Set<string>()];
    let turn = 0;
    // New paths until they rest, then three that come again: walked at rest, then kept, then found.
    const phases = [60, 90, 20, 140, 60, 300];
    for (const [phase, length] of phases.entries())
      for (let i = 0; i < length; i++, turn++) {
        const x0 = start(phase % 2 === 0 ? turn : i % 3);
        const inputs = { p: 2, q: 3, s: 5, x0 };
        const { stats, inactive, values, gradients } = mine.gradient(inputs);
        const wanted = walked.gradient(inputs, { replay: false });
        expect(inactive, `turn ${turn}`).toEqual(wanted.inactive);
        expect(bitsOf(values), `turn ${turn}`).toEqual(bitsOf(wanted.values));
        expect(Object.values(gradients).map(bitsOf), `turn ${turn}`).toEqual(
          Object.values(wanted.gradients).map(bitsOf),
        );
        found.add(`${stats.walks} ${stats.replays > 0} ${stats.traceRecords > stats.tapeRecords}`);
        ways.add(inactive.join());
        if (turn % 2 === 0) other.gradient({ a: 1, b: 2, c: 3, d: turn }, { replay: false });
      }
    expect(found.size).toBeGreaterThan(2);
    expect(ways.size).toBe(3);
    machine.dispose();
  });

  test("a call that is replayed has the counters of its own path, whoever ran before", async () => {
    const machine = await Machine.create({ precision });
    // Ways of other lengths, with other payloads, records and active names.
    const source = `(if (< x 1) (* a x) (if (< x 2) (loop ((k 0) (s a)) (if (= k 6) s (recur (+ k 1) (* s x))))
      (if (< x 3) (vsum (* a (ones 5))) (+ x (* 2 (sin (* b x)))))))`;
    const places = [0.5, 1.5, 2.5, 3.5];
    const counters = ({ stats }: { readonly stats: RunStats }) => {
      const { payloads, uniformPayloads, activePayloads, tapeRecords, traceRecords } = stats;
      const { heapObjects, primalBytes, adjointBytes, tapeBytes, heapBytes } = stats;
      return [
        ...[payloads, uniformPayloads, activePayloads, tapeRecords, traceRecords],
        ...[heapObjects, primalBytes, adjointBytes, tapeBytes, heapBytes],
      ];
    };
    const kinds: readonly ((program: Program, inputs: Inputs) => GradientResult)[] = [
      (program, inputs) => program.gradient(inputs),
      (program, inputs) => program.gradient(inputs, { wrt: program.inputs }),
      (program, inputs) => program.gradient(inputs, { wrt: ["a"] }),
    ];
    const inputsAt = (x: number): Inputs => ({ a: 3, b: 2, x });
    const own = new Map<string, readonly number[]>();
    for (const [kind, call] of kinds.entries())
      for (const x of places) {
        const program = machine.load(source);
        call(program, inputsAt(x));
        own.set(`${kind} ${x}`, counters(call(program, inputsAt(x))));
        program.dispose();
      }
    expect(new Set([...own.values()].map(String)).size).toBeGreaterThan(5);
    const program = machine.load(source);
    const random = new Random(seed, 11);
    let replayed = 0;
    for (let turn = 0; turn < 600; turn++) {
      const kind = random.pick([0, 0, 1, 1, 2]);
      const x = random.pick(places);
      const result = (kinds[kind] as (typeof kinds)[number])(program, inputsAt(x));
      if (result.stats.walks > 0) continue;
      replayed += 1;
      expect(counters(result), `turn ${turn} of SEED=${seed}`).toEqual(own.get(`${kind} ${x}`));
    }
    expect(replayed).toBeGreaterThan(500);
    machine.dispose();
  });

  test("a program whose paths never come again stops keeping them, and begins anew", async () => {
    const machine = await Machine.create({ precision });
    const program = machine.load(tent);
    const call = (x0: number) => program.gradient({ r: 1.9, x0 }).stats;
    for (let turn = 0; turn < 100; turn++) call(start(turn));
    const { walks, replays, traceRecords, tapeRecords } = call(start(100));
    expect({ walks, replays }).toEqual({ walks: 1, replays: 0 });
    // Nothing but what the gradient needs: no guards.
    expect(traceRecords).toBe(tapeRecords);
    // One that lets the event loop in does not look for a trace either.
    const pausing = (await program.gradientAsync({ r: 1.9, x0: start(101) })).stats;
    expect({ walks: pausing.walks, replays: pausing.replays }).toEqual({ walks: 1, replays: 0 });
    const later = Array.from({ length: 600 }, () => call(0.3).replays);
    expect(later.at(-1)).toBe(1);
    machine.dispose();
  });
});

/** One number per lane, of one lane, as plain numbers. */
function alone(inputs: Inputs): Inputs {
  const entries = Object.entries(inputs).map(([name, input]) => {
    const isOne = (Array.isArray(input) || ArrayBuffer.isView(input)) && input.length === 1;
    const first = isOne ? (input as readonly unknown[])[0] : input;
    return [name, typeof first === "number" ? first : input];
  });
  return Object.fromEntries(entries) as Inputs;
}

describe("a call with plain numbers", () => {
  test("refuses what it refused the first time", async () => {
    const machine = await Machine.create();
    const program = machine.load("(* a (log x))");
    for (let turn = 0; turn < 8; turn++) program.gradient({ a: 2, x: 1 + turn });
    expect(caught(() => program.gradient({ a: 2 })).code).toBe("E-INPUT");
    expect(caught(() => program.gradient({ a: 2, x: 1, z: 3 })).code).toBe("E-INPUT");
    expect(caught(() => program.gradient({ a: 2, x: "1" as unknown as number })).code).toBe(
      "E-INPUT",
    );
    expect(caught(() => program.gradient({ a: 2, x: 1 }, { wrt: ["z"] })).code).toBe("E-INPUT");
    expect(caught(() => program.evaluate(null as unknown as Inputs)).code).toBe("E-INPUT");
    expect(program.gradient({ a: 2, x: 0 }).nonFinite[0]?.message).toContain("(log x)");
    expect([...program.gradient({ a: [1, 2], x: 1 }).values]).toEqual([0, 0]);
    program.dispose();
    expect(caught(() => program.gradient({ a: 2, x: 1 })).code).toBe("E-DISPOSED");
    machine.dispose();
  });

  test("has the result of the first one in every field", async () => {
    const machine = await Machine.create();
    const first = machine.load("(+ (* a x) (if (< b 1) 1 2))");
    const program = machine.load("(+ (* a x) (if (< b 1) 1 2))");
    const inputs = { a: 2, x: 3, b: 0.5 };
    for (let turn = 0; turn < 8; turn++) program.gradient(inputs);
    const wanted = first.gradient(inputs);
    const result = program.gradient(inputs);
    for (const field of ["lanes", "axes", "shape", "failures", "nonFinite", "reduced"] as const)
      expect(result[field], field).toEqual(wanted[field]);
    expect(result.inactive).toEqual(["b"]);
    expect(result.inactive).toEqual(wanted.inactive);
    expect([...result.values]).toEqual([...wanted.values]);
    expect({ ...result.gradients }).toEqual({ ...wanted.gradients });
    expect([result.datum(), result.print(), result.lane({}), result.at({})]).toEqual([
      7,
      "7",
      0,
      7,
    ]);
    expect(Object.keys(result.stats).sort()).toEqual(Object.keys(wanted.stats).sort());
    expect(caught(() => result.datum(1)).code).toBe("E-OPTION");
    machine.dispose();
  });

  test("gives results that later calls do not change", async () => {
    const machine = await Machine.create();
    const program = machine.load("(* a x)");
    const kept = Array.from({ length: 10 }, (_, turn) => program.gradient({ a: turn, x: 2 }));
    expect(kept.map(({ values }) => values[0])).toEqual(kept.map((_, turn) => 2 * turn));
    expect(kept.map(({ gradients }) => gradients["x"]?.[0])).toEqual(kept.map((_, turn) => turn));
    machine.dispose();
  });

  test("tells a vector where a branch comes to one", async () => {
    const machine = await Machine.create();
    const program = machine.load("(if (< x 1) (* 2 x) [x 1])");
    for (let turn = 0; turn < 8; turn++) program.evaluate({ x: 0.1 * turn });
    expect([...program.evaluate({ x: 3 }).values]).toEqual([3, 1]);
    expect(caught(() => program.gradient({ x: 3 })).code).toBe("E-RESULT");
    expect([...program.evaluate({ x: 0.5 }).values]).toEqual([1]);
    machine.dispose();
  });

  test("knows any name", async () => {
    const machine = await Machine.create();
    const program = machine.load("(* constructor toString __proto__)");
    const inputs = Object.fromEntries([
      ["constructor", 2],
      ["toString", 3],
      ["__proto__", 5],
    ]);
    for (let turn = 0; turn < 8; turn++) {
      const { values, gradients } = program.gradient(inputs);
      expect(values[0]).toBe(30);
      expect(Object.entries(gradients).map(([name, [slope]]) => [name, slope])).toEqual([
        ["constructor", 15],
        ["toString", 10],
        ["__proto__", 6],
      ]);
    }
    expect(caught(() => program.gradient({})).code).toBe("E-INPUT");
    machine.dispose();
  });
});

test("a path is found in as few tries behind an operation that leaves slopes as behind any other", async () => {
  const tries: string[] = [];
  for (const precision of ["f32", "f64"] as const) {
    const machine = await Machine.create({ precision });
    for (const operation of ["(* x x)", "(sin x)", "(exp x)"]) {
      const chain = (k: number): string =>
        k === 12 ? "y" : `(if (< x ${k + 1}) (* y ${k}) ${chain(k + 1)})`;
      const program = machine.load(`(let ((y ${operation})) ${chain(0)})`);
      const session = program.session({ x: 0.5 }, { wrt: ["x"] });
      const counts: string[] = [];
      for (let turn = 0; turn < 36; turn++) {
        session.set("x", ((turn * turn * 7 + 5 * Math.floor(turn / 12)) % 12) + 0.5);
        const before = session.stats;
        session.run();
        const { walks, replays } = session.stats;
        counts.push(`${walks - before.walks}/${replays - before.replays}`);
      }
      tries.push(counts.join(" "));
    }
    machine.dispose();
  }
  expect(new Set(tries).size).toBe(1);
  // No more of the last twelve than four each, though eight paths or more are known by then.
  expect(tries[0]?.split(" ").slice(24).join(" ")).toBe(
    "1/3 0/3 1/1 1/1 0/3 0/3 0/4 0/3 0/3 0/3 0/3 0/3",
  );
});
