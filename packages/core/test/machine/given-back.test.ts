/**
 * Whatever a machine did, its memory is whole again once its programs are gone: after calls of every kind,
 * calls that fail, programs of one element, sessions, fits and pauses that end early. Memory that somebody
 * keeps shows when the same is done again: there is less that is free.
 */

import { describe, expect, test } from "vitest";
import {
  type FitOptions,
  fit,
  type Inputs,
  Machine,
  NdvmError,
  type Program,
} from "../../src/index.js";

const memoryMax = 4 * 2 ** 20;

/** Bytes that are free once nothing of any run is left, in blocks of any place. */
function freeBytes(machine: Machine): number {
  machine.clearMemory();
  const { exports } = machine;
  const taken: number[] = [];
  let total = 0;
  for (let bytes = machine.memoryMax; bytes >= 64; ) {
    const address = exports.allocate(bytes);
    if (address === 0) bytes = Math.floor(bytes / 32) * 16;
    else {
      taken.push(address);
      total += bytes;
    }
  }
  for (const address of taken) exports.free(address);
  return total;
}

const attempt = async (work: () => unknown): Promise<void> => {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof NdvmError)) throw error;
  }
};

const numbers = (lanes: number): number[] => Array.from({ length: lanes }, (_, i) => i / 7 - 1);

/** Things that are done with a program of the inputs a and x. */
const deeds: Readonly<Record<string, (program: Program, inputs: Inputs) => unknown>> = {
  evaluate: (program, inputs) => program.evaluate(inputs),
  gradient: (program, inputs) => program.gradient(inputs),
  "gradient again": (program, inputs) => {
    for (let turn = 0; turn < 5; turn++) program.gradient(inputs);
  },
  jacobian: (program, inputs) => program.jacobian(inputs),
  "run and backward": (program, inputs) => program.run(inputs).backward(1),
  session: (program, inputs) => {
    const session = program.session(inputs, { wrt: ["a"] });
    for (let turn = 0; turn < 3; turn++) session.run();
    session.enter();
  },
  diagnose: (program, inputs) => program.diagnose(inputs),
  explain: (program, inputs) => program.explain(inputs),
  "too few steps": (program, inputs) => program.evaluate(inputs, { stepsMax: 3 }),
  "too small a tape": (program, inputs) => program.gradient(inputs, { tapeBytesMax: 50 }),
  "with pauses": (program, inputs) => program.gradientAsync(inputs),
  "ended early": (program, inputs) => {
    const abort = new AbortController();
    setTimeout(() => abort.abort());
    return program.evaluateAsync(inputs, { signal: abort.signal });
  },
  "one element": (program, inputs) => {
    for (const name of ["i", "j", "j"])
      program.elementBy(name).gradient({ ...inputs, [name]: [0, 1] as never }, { wrt: ["a"] });
  },
  "a program beside": (program) => program.loadBeside("(* 2 x)").dispose(),
};

const sources = [
  "(* a (sin x))",
  "(if (< x 0) (* a x) (loop ((i 0) (s a)) (if (= i 60) s (recur (+ i 1) (* s x)))))",
  "(vec (* a x) (+ a x))",
  "(list a (vec x x))",
  "(if (> x 0) (car x) a)",
  "(define (f n) (if (< n 1) x (+ a (f (- n 1))))) (f (if (> x 5) 1e9 9))",
];

describe("memory is given back", () => {
  test.each(Object.entries(deeds))("after: %s", async (_, deed) => {
    const machine = await Machine.create({ memoryMax });
    const passes: number[] = [];
    for (let pass = 0; pass < 3; pass++) {
      for (const source of sources)
        for (const lanes of [1, 3, 40]) {
          const program = machine.load(source);
          const x = numbers(lanes);
          await attempt(() => deed(program, { a: 2, x: lanes === 1 ? 0.5 : x }));
          await attempt(() => deed(program, { a: 2, x: lanes === 1 ? -0.5 : x }));
          program.dispose();
          expect(machine.traceCount()).toBe(0);
        }
      passes.push(freeBytes(machine));
    }
    expect(passes).toEqual(passes.map(() => passes[0]));
    expect(passes[0]).toBeGreaterThan(memoryMax / 2);
    machine.dispose();
  });

  test("after fits of one target and of several", async () => {
    const machine = await Machine.create({ memoryMax: 2 ** 24 });
    const data = { x: numbers(12), y: numbers(12), z: numbers(12).map((one) => 2 * one + 1) };
    const passes: number[] = [];
    for (let pass = 0; pass < 3; pass++) {
      for (const target of [["y", "z"], "z"]) {
        const several = "(vec (* a x) (+ b (* a x)))";
        const program = machine.load(target === "z" ? "(+ b (* a x))" : several);
        const { x, y, z } = data;
        const own = target === "z" ? { x, z } : { x, y, z };
        await fit(program, { data: own, target, params: { a: 1, b: 2 } } as FitOptions);
        program.dispose();
        expect(machine.traceCount()).toBe(0);
      }
      passes.push(freeBytes(machine));
    }
    expect(passes).toEqual(passes.map(() => passes[0]));
    machine.dispose();
  });
});

test("room for a fit grows in place of the old, and none is lost", async () => {
  const machine = await Machine.create({ memoryMax });
  const before = freeBytes(machine);
  for (const bytes of [64, 4096, 100, 65_536, 2 ** 17]) {
    expect(machine.fitBuffer(bytes)).not.toBe(0);
    expect(machine.hasFitBuffer).toBe(true);
  }
  // That of a fit goes with everything that runs leave behind.
  expect(freeBytes(machine)).toBe(before);
  expect(machine.hasFitBuffer).toBe(false);
  const at = machine.fitBuffer(1024);
  expect([at !== 0, machine.fitBuffer(512)]).toEqual([true, at]);
  // Too much room is no room, and the next request is looked at anew.
  expect(machine.fitBuffer(2 * memoryMax)).toBe(0);
  expect([machine.hasFitBuffer, machine.fitBuffer(512) !== 0]).toEqual([false, true]);
  machine.dispose();
});

test("lanes that all live are as many as asked for, whatever was asked before", async () => {
  const machine = await Machine.create({ memoryMax });
  for (const count of [3, 8, 8, 1, 0, 5])
    expect([...machine.allLanes(count)]).toEqual(Array(count).fill(1));
  machine.dispose();
});

test("a program of one element is the one asked for, and goes with its owner", async () => {
  const machine = await Machine.create({ memoryMax });
  const program = machine.load("(vec (* 2 x) (* 3 x))");
  const first = program.elementBy("i");
  expect(program.elementBy("i")).toBe(first);
  expect([...first.evaluate({ x: 5, i: [0, 1] }).values]).toEqual([10, 15]);
  const second = program.elementBy("k");
  expect([...second.evaluate({ x: 5, k: [1, 0] }).values]).toEqual([15, 10]);
  expect(() => first.evaluate({ x: 5, i: 0 })).toThrow("this program has been disposed");
  expect(second.inputs).toContain("k");
  program.dispose();
  program.dispose();
  expect(() => second.evaluate({ x: 5, k: 0 })).toThrow("this program has been disposed");
  expect(() => program.elementBy("k")).toThrow("this program has been disposed");
  machine.dispose();
});
