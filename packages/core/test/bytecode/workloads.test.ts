/**
 * The workloads W1 to W7 as stack code: values against plain numbers, gradients against the Scheme
 * program of the same mathematics, bit for bit, and against finite differences; a batch against its
 * lanes alone, replay against walks, and without each mechanism.
 */

import { describe, expect, test } from "vitest";
import { type GradientResult, type Inputs, Machine, type Mechanisms } from "../../src/index.js";
import { type Workload, workloads } from "./workloads.js";

const LANES = 5;
const f64 = await Machine.create();
const f32 = await Machine.create({ precision: "f32" });

const namesOf = ({ lanes }: Workload): string[] => Object.keys(lanes);
const laneOf = ({ lanes }: Workload, lane: number): Record<string, number> =>
  Object.fromEntries(Object.entries(lanes).map(([name, all]) => [name, all[lane] as number]));
const batchOf = (workload: Workload): Inputs => ({ ...workload.fixed, ...workload.lanes });

/** Every bit of a result: values, then gradients by name. */
function bitsOf({ values, gradients }: GradientResult, lane?: number): string[] {
  const named = Object.entries(gradients).sort(([a], [b]) => (a < b ? -1 : 1));
  return [["value", values] as const, ...named].flatMap(([name, numbers]) =>
    [...numbers]
      .filter((_, i) => lane === undefined || i === lane)
      .map((number) => `${name} ${Buffer.from(Float64Array.of(number).buffer).toString("hex")}`),
  );
}

const near = (got: number, expected: number, relative: number): void => {
  const size = Math.max(1, Math.abs(expected));
  expect(Math.abs(got - expected) / size).toBeLessThan(relative);
};

describe.each(workloads)("$file", (workload) => {
  const { source, scheme, oracle } = workload;
  const wrt = namesOf(workload);

  test("has the values of plain numbers", () => {
    const { values } = f64.loadBytecode(source).evaluate(batchOf(workload));
    for (let lane = 0; lane < LANES; lane++)
      near(values[lane] as number, oracle(laneOf(workload, lane)), 1e-9);
  });

  test.each([f64, f32])("has values and gradients of Scheme, bit for bit (%#)", (machine) => {
    const stack = machine.loadBytecode(source).gradient(batchOf(workload), { wrt });
    const tree = machine.load(scheme).gradient(batchOf(workload), { wrt });
    expect(bitsOf(stack)).toEqual(bitsOf(tree));
  });

  test("has the gradients of finite differences", () => {
    const { gradients } = f64.loadBytecode(source).gradient(batchOf(workload), { wrt });
    for (let lane = 0; lane < LANES; lane++) {
      for (const name of wrt) {
        const numbers = laneOf(workload, lane);
        const step = 1e-6 * Math.max(1, Math.abs(numbers[name] as number));
        const shifted = (by: number) =>
          oracle({ ...numbers, [name]: (numbers[name] as number) + by });
        // The two sides of a kink differ: there a difference says nothing.
        if (name === "x" && workload.file.startsWith("w3") && numbers["x"] === 2) continue;
        const slope = (shifted(step) - shifted(-step)) / (2 * step);
        near(gradients[name]?.[lane] as number, slope, 2e-5);
      }
    }
  });

  test.each([f64, f32])("gives a batch the bits of its lanes alone (%#)", (machine) => {
    const program = machine.loadBytecode(source);
    const batch = program.gradient(batchOf(workload), { wrt });
    const again = program.gradient(batchOf(workload), { wrt });
    expect(again.stats.replays).toBeGreaterThan(0);
    expect(bitsOf(again)).toEqual(bitsOf(batch));
    for (let lane = 0; lane < LANES; lane++) {
      const alone = machine.loadBytecode(source);
      const inputs = { ...workload.fixed, ...laneOf(workload, lane) };
      const one = alone.gradient(inputs, { wrt, replay: false, lanes: 1 });
      expect(bitsOf(batch, lane)).toEqual(bitsOf(one));
      alone.dispose();
    }
    program.dispose();
  });

  test("keeps its bits without each mechanism", async () => {
    const expected = bitsOf(f64.loadBytecode(source).gradient(batchOf(workload), { wrt }));
    const switches: Mechanisms[] = [
      { replay: false },
      { chunks: false },
      { loops: false },
      { smallShapes: false },
      { adjointReuse: false },
      { integerPool: false },
      { sorting: false },
    ];
    for (const mechanisms of switches) {
      const machine = await Machine.create({ mechanisms });
      const program = machine.loadBytecode(source);
      for (let turn = 0; turn < 2; turn++) {
        const got = program.gradient(batchOf(workload), { wrt });
        expect(bitsOf(got), Object.keys(mechanisms).join()).toEqual(expected);
      }
      machine.dispose();
    }
  });

  test("costs one walk for the same path, and no tape for structure", () => {
    const program = f64.loadBytecode(source);
    const { stats } = program.gradient(batchOf(workload), { wrt });
    expect(stats.walks).toBe(1);
    expect(stats.buckets).toBe(0);
    program.dispose();
  });
});

test("W7 runs branches both ways and merges", () => {
  const workload = workloads.find(({ file }) => file.startsWith("w7")) as Workload;
  const { stats } = f64.loadBytecode(workload.source).gradient(batchOf(workload));
  expect(stats.divergentBranches).toBeGreaterThan(3);
  expect(stats.merges).toBeGreaterThan(3);
});
