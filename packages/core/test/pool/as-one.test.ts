/**
 * A pool is one machine to whoever asks: its workers have the machine's options, a worker's traces are
 * counted once, inputs that any lane depends on are not inactive, lanes that nobody could run have no
 * numbers, and programs that could not be loaded or are gone leave nothing behind.
 */

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Machine, NdvmError, type Pool } from "../../src/index.js";
import type { BoundInput } from "../../src/machine/inputs/inputs.js";
import { bindInputs } from "../../src/machine/inputs/inputs.js";
import type { BlocksRequest } from "../../src/machine/pool/parts.js";
import { InputRoom, resultsAt, takeBlock } from "../../src/machine/pool/shared.js";
import { SharedWork } from "../../src/machine/pool/shared-work.js";
import type { Mechanisms } from "../../src/machine/types.js";
import { Random } from "../fuzz/random.js";
import { caughtLater } from "../machine/support.js";
import { Crowd } from "./threads.js";

let crowd = new Crowd();
vi.mock("../../src/workers/host.js", async (original) => ({
  ...(await original<typeof import("../../src/workers/host.js")>()),
  hostStarter: async () => crowd.startHost,
}));
beforeEach(() => {
  crowd = new Crowd();
});
afterEach(() => vi.restoreAllMocks());

const { SEED } = process.env;
const seed = SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(SEED);

const poolOf = (machine: Machine, workers: number, sharedMemory: boolean): Promise<Pool> =>
  crowd.poolOf(machine, workers, sharedMemory);
const after = <T>(call: Promise<T>): Promise<T> => crowd.after(call);

const MECHANISMS = [
  ..."replay chunks loops smallShapes fusing sorting paths adjointReuse integerPool".split(" "),
] as (keyof Mechanisms)[];

describe("workers have the options of the machine", () => {
  test.each(MECHANISMS)("without %s", async (name) => {
    const machine = await Machine.create({ mechanisms: { [name]: false } });
    const pool = await poolOf(machine, 1, true);
    expect(crowd.threads[0]?.start?.options).toEqual({
      precision: "f64",
      memoryMax: machine.memoryMax,
      mechanisms: { [name]: false },
    });
    await pool.dispose();
    machine.dispose();
  });

  test("precision and memory", async () => {
    const machine = await Machine.create({ precision: "f32", memoryMax: 2 ** 25 });
    const pool = await poolOf(machine, 1, true);
    expect(crowd.threads[0]?.start?.options).toMatchObject({
      precision: "f32",
      memoryMax: 2 ** 25,
    });
    const { values } = await after(pool.evaluate("(* x x)", { x: [0.1] }));
    expect(values[0]).toBe(Math.fround(Math.fround(0.1) ** 2));
    await pool.dispose();
    machine.dispose();
  });

  test("so that counters say what was turned off", async () => {
    for (const mechanisms of [{}, { replay: false }, { chunks: false }, { paths: false }]) {
      crowd = new Crowd();
      const machine = await Machine.create({ mechanisms });
      const pool = await poolOf(machine, 1, true);
      const program = machine.load("(* x (sin x))");
      for (let turn = 0; turn < 3; turn++) {
        const inputs = { x: Float64Array.from({ length: 40 }, (_, i) => i + turn) };
        const { stats } = await after(pool.evaluate(program, inputs));
        const alone = program.evaluate(inputs).stats;
        const counted = ({ walks, replays, traces }: typeof stats) => ({ walks, replays, traces });
        expect(counted(stats), `${JSON.stringify(mechanisms)}, turn ${turn}`).toEqual(
          counted(alone),
        );
      }
      await pool.dispose();
      machine.dispose();
    }
  });
});

describe.each([true, false])("with shared memory: %s", (sharedMemory) => {
  test(`inputs are inactive where no lane of any part depends on them, SEED=${seed}`, async () => {
    const random = new Random(seed);
    const machine = await Machine.create();
    const pool = await poolOf(machine, 2, sharedMemory);
    const program = machine.load(
      "(if (< x 1) (* a x) (if (< x 2) (* b x) (if (< x 3) 5 (* c x))))",
    );
    for (let turn = 0; turn < 12; turn++) {
      // Sorted lanes: one path after the other, so that parts differ in what they depend on.
      const sides = [0.5, 1.5, 2.5, 3.5].filter(() => random.chance(0.6));
      const ends = [...sides, 2.5].map((side) => [side, random.between(1, 2000)] as const);
      const x = Float64Array.from(ends.flatMap(([side, count]) => Array(count).fill(side)));
      if (random.chance(0.5)) x.reverse();
      const inputs = { x, a: 2, b: 3, c: 4 };
      const got = await after(pool.gradient(program, inputs));
      const alone = program.gradient(inputs);
      expect([...got.inactive].sort()).toEqual([...alone.inactive].sort());
      expect(got.gradients).toEqual(alone.gradients);
    }
    await pool.dispose();
    machine.dispose();
  });

  test("a program that a worker could not load is sent to it again", async () => {
    const machine = await Machine.create();
    const pool = await poolOf(machine, 1, sharedMemory);
    const [program, other] = [machine.load("(* a x)"), machine.load("(+ a x)")];
    const inputs = { a: 2, x: [1, 2, 3] };
    const isFull = vi.spyOn(Machine.prototype, "load").mockImplementationOnce(() => {
      throw new NdvmError("E-MEMORY", "the program does not fit into the memory budget");
    });
    const refused = caughtLater(pool.evaluate(program, inputs));
    await crowd.drain();
    expect((await refused).code).toBe("E-MEMORY");
    isFull.mockRestore();
    expect([...(await after(pool.evaluate(other, inputs))).values]).toEqual([3, 4, 5]);
    for (let turn = 0; turn < 2; turn++)
      expect([...(await after(pool.evaluate(program, inputs))).values]).toEqual([2, 4, 6]);
    expect(crowd.mistakes).toEqual([]);
    expect(crowd.threads).toHaveLength(1);
    await pool.dispose();
    machine.dispose();
  });

  test("programs that are gone take no memory of a worker", async () => {
    const machine = await Machine.create({ memoryMax: 2 ** 26 });
    const pool = await poolOf(machine, 1, sharedMemory);
    const large = (turn: number) => `(+ x ${turn} ${"(* 0 x) ".repeat(4000)})`;
    const bytes: number[] = [];
    for (let turn = 0; turn < 60; turn++) {
      const { values, stats } = await after(pool.gradient(large(turn), { x: [1, 2] }));
      expect([...values]).toEqual([1 + turn, 2 + turn]);
      bytes.push(stats.memoryBytes);
    }
    expect(bytes.at(-1)).toBe(bytes[5]);
    // And of those that are kept there are 32 at most.
    const programs = Array.from({ length: 120 }, (_, turn) => machine.load(`(* x ${turn})`));
    for (const [turn, program] of programs.entries())
      expect((await after(pool.evaluate(program, { x: [2] }))).values[0]).toBe(2 * turn);
    expect(crowd.mistakes).toEqual([]);
    await pool.dispose();
    machine.dispose();
  });
});

test.each([1, 3])("no more traces are told of %i workers than they walked", async (workers) => {
  const machine = await Machine.create();
  const pool = await poolOf(machine, workers, true);
  const x = Float64Array.from({ length: 5000 }, (_, i) => ((i * 37) % 5000) / 5000);
  for (const source of ["(* x (sin x))", "(if (< x 0.5) x (* x x))"]) {
    const program = machine.load(source);
    const { stats: few } = await after(pool.gradient(program, { x: [0.2, 0.7] }));
    let walks = few.walks;
    for (let turn = 0; turn < 4; turn++) {
      const { stats } = await after(pool.gradient(program, { x }));
      walks += stats.walks;
      expect(stats.traces).toBeLessThanOrEqual(walks);
      expect(stats.traces).toBeGreaterThan(0);
      expect(stats.lanes).toBe(x.length);
      expect(stats.chunkWidth).toBeLessThanOrEqual(x.length);
      // A worker's memory is counted once, however many blocks it runs.
      expect(stats.memoryBytes).toBeGreaterThanOrEqual(few.memoryBytes);
      expect(stats.memoryBytes).toBeLessThan(2 * workers * few.memoryBytes);
    }
    program.dispose();
  }
  expect(crowd.mistakes).toEqual([]);
  await pool.dispose();
  machine.dispose();
});

test("a block that cost two workers keeps nothing of what they wrote, and its neighbours keep theirs", async () => {
  const machine = await Machine.create();
  const program = machine.load("(* a x)");
  const x = Float64Array.from({ length: 1500 }, (_, i) => i);
  const { inputs } = bindInputs(program.parsed, { a: 2, x }, undefined) as {
    inputs: readonly BoundInput[];
  };
  const lanes = x.length;
  const order = { program: 1, inputs, lanes, options: {}, isGradient: true };
  const work = new SharedWork(order, 2, 1, new InputRoom());
  for (const own of [work.allLanes.values, ...Object.values(work.allLanes.gradients)]) own.fill(1);
  const lost = 1;
  const asked = (place: number): BlocksRequest => {
    const request = work.request(place);
    if (request === undefined) throw new Error("nothing is left to do");
    return request.message as BlocksRequest;
  };
  for (const [place, mark] of [
    [0, 7],
    [1, 8],
  ] as const) {
    const { blocks, results } = asked(place);
    const { starts } = blocks;
    expect(takeBlock(blocks, lost, place)).toBe(lost);
    const into = resultsAt(results, lanes, starts[lost] as number, starts[lost + 1] as number);
    for (const own of [into.values, ...Object.values(into.gradients)]) own.fill(mark);
    work.bury(place, true);
  }
  const { starts } = asked(0).blocks;
  const isLost = (i: number) => i >= (starts[lost] as number) && i < (starts[lost + 1] as number);
  for (const own of [work.allLanes.values, ...Object.values(work.allLanes.gradients)])
    expect([...own]).toEqual([...own].map((_, i) => (isLost(i) ? Number.NaN : 1)));
  work.close();
  machine.dispose();
});
