/**
 * Calls with one number for each input go a quick way once they have come a few times, and no others do:
 * nobody would see it in a result, only in the time that it takes.
 */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type GradientOptions, type Inputs, int, Machine, over, vec } from "../../src/index.js";
import { OneResult } from "../../src/machine/run/one-call.js";

let machine: Machine;
beforeAll(async () => {
  machine = await Machine.create();
});
afterAll(() => machine.dispose());

/** Whether the calls went the quick way, one after the other. */
function ways(
  kind: "evaluate" | "gradient",
  source: string,
  inputs: Inputs,
  options: GradientOptions,
): boolean[] {
  const program = machine.load(source);
  const found = Array.from({ length: 7 }, () => program[kind](inputs, options));
  program.dispose();
  return found.map((each) => each instanceof OneResult);
}

/** Whether the seventh of such calls went the quick way. */
function isQuick(
  kind: "evaluate" | "gradient",
  source: string,
  inputs: Inputs,
  options: GradientOptions,
): boolean {
  return ways(kind, source, inputs, options).at(-1) as boolean;
}

describe.each(["evaluate", "gradient"] as const)("%s", (kind) => {
  test.each<[Inputs, GradientOptions]>([
    [{ a: 2, x: 3 }, {}],
    [{ a: 2, x: 3 }, { wrt: ["x"] }],
    [{ x: 3, a: 2 }, { wrt: ["x", "a"] }],
    [{ a: 2, x: 3 }, { replay: true }],
    [{ a: 2, x: 3 }, { replay: false }],
  ])("%j with %j goes the quick way", (inputs, options) => {
    expect(isQuick(kind, "(* a (sin x))", inputs, options)).toBe(true);
  });

  test.each<[Inputs, GradientOptions]>([
    [{ a: [2], x: 3 }, {}],
    [{ a: 2, x: over("place", [3]) }, {}],
    [{ a: int(2), x: 3 }, {}],
    [{ a: vec([1, 2]), x: 3 }, { seed: 1 }],
    [{ a: 2, x: 3 }, { stepsMax: 1000 }],
    [{ a: 2, x: 3 }, { tapeBytesMax: 1e6 }],
    [{ a: 2, x: 3 }, { timeMax: 1e6 }],
    [{ a: 2, x: 3 }, { chunk: 8 }],
    [{ a: 2, x: 3 }, { lanes: 1 }],
    [{ a: 2, x: 3 }, { seed: 1 }],
    [{ a: 2, x: 3 }, { reduce: true }],
  ])("%j with %j goes the general way", (inputs, options) => {
    expect(isQuick(kind, "(* a (sin x))", inputs, options)).toBe(false);
  });

  test("a value that is not one finite number goes the general way", () => {
    expect(isQuick(kind, "(vec a x)", { a: 1, x: 2 }, { seed: 1 })).toBe(false);
    expect(isQuick(kind, "(/ a x)", { a: 1, x: 0 }, {})).toBe(false);
  });
});

test("evaluations go the quick way after three calls, and gradients do but for the third", () => {
  const [source, inputs] = ["(* a (sin x))", { a: 2, x: 3 }];
  expect(ways("evaluate", source, inputs, {})).toEqual([
    false,
    false,
    false,
    true,
    true,
    true,
    true,
  ]);
  expect(ways("gradient", source, inputs, {})).toEqual([true, true, false, true, true, true, true]);
});

test("a program has four quick ways at a time, each by its own names", () => {
  const program = machine.load("(* a (+ b (* c (+ d e))))");
  const inputs = { a: 1, b: 2, c: 3, d: 4, e: 5 };
  const quick: string[] = [];
  for (const name of ["a", "b", "c", "d", "e"])
    for (let turn = 0; turn < 7; turn++) {
      const found = program.gradient(inputs, { wrt: [name] });
      expect(Object.keys(found.gradients)).toEqual([name]);
      if (turn === 6 && found instanceof OneResult) quick.push(name);
    }
  expect(quick).toEqual(["a", "b", "c", "d"]);
  program.dispose();
});

test("names that the caller writes over are those of the next call", () => {
  const program = machine.load("(* a a x)");
  const wrt = ["a"];
  for (let turn = 0; turn < 14; turn++) {
    if (turn === 7) wrt[0] = "x";
    const { gradients } = program.gradient({ a: 3, x: 2 }, { wrt });
    expect({ ...gradients }).toEqual(
      turn < 7 ? { a: Float64Array.of(12) } : { x: Float64Array.of(9) },
    );
  }
  program.dispose();
});
