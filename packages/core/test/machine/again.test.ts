/**
 * Calls of one lane that come again have ways of their own: the first of a program, and those after many
 * like it. On all of them every option counts, whatever came before, and every wrong input is told.
 */

import { describe, expect, test } from "vitest";
import {
  type GradientOptions,
  type Inputs,
  Machine,
  type NdvmError,
  type Program,
  vec,
} from "../../src/index.js";
import { caught } from "./support.js";

const source = "(if (< x 1) (* a x) (loop ((i 0) (s a)) (if (= i 40) s (recur (+ i 1) (* s x)))))";
const inputs = { a: 3, x: 0.5 };

/** A program that has been called so often. */
async function called(times: number, text = source, given: Inputs = inputs): Promise<Program> {
  const machine = await Machine.create();
  const program = machine.load(text);
  for (let i = 0; i < times; i++) program.gradient(given);
  return program;
}

const whole = ({ code, message, help, facts }: NdvmError) => ({ code, message, help, facts });

describe.each([0, 1, 2, 3, 4, 12])("after %d calls", (times) => {
  test("options count", async () => {
    const program = await called(times);
    const gradient = (options: GradientOptions, given: Inputs = inputs) =>
      program.gradient(given, options);
    const long = { a: 3, x: 1.01 };
    expect(caught(() => gradient({ stepsMax: 20 }, long)).code).toBe("E-STEPS");
    expect(caught(() => gradient({ tapeBytesMax: 200 }, long)).code).toBe("E-TAPE");
    expect([...gradient({ lanes: 3 }).values]).toEqual([1.5, 1.5, 1.5]);
    expect([...(gradient({ seed: 2 }).gradients["a"] ?? [])]).toEqual([1]);
    expect(gradient({ reduce: true }).reduced?.nanLanes).toEqual({ a: 0, x: 0 });
    expect(gradient({ reduce: false }).reduced).toBeUndefined();
    for (let i = 0; i < 3; i++)
      expect(gradient({ replay: false }).stats).toMatchObject({ walks: 1, replays: 0 });
    expect(gradient({ chunk: 1 }).values[0]).toBe(1.5);
    expect(gradient({ timeMax: 1e6 }).values[0]).toBe(1.5);
    expect(caught(() => gradient({ timeMax: -1 })).code).toBe("E-OPTION");
    expect(Object.keys(gradient({ wrt: ["x"] }).gradients)).toEqual(["x"]);
    expect(Object.keys(gradient({ wrt: ["x", "a"] }).gradients).sort()).toEqual(["a", "x"]);
    expect(Object.keys(gradient({ wrt: [] }).gradients)).toEqual([]);
    expect(caught(() => gradient({ wrt: ["q"] })).code).toBe("E-INPUT");
    expect([...gradient({}).values]).toEqual([1.5]);
  });

  test("inputs are looked at", async () => {
    const told: unknown[] = [];
    for (const wrong of [
      { a: 3 },
      { a: 3, x: 0.5, y: 1 },
      { a: 3, y: 1 },
      { a: 3, x: "0.5" },
      { a: 3, x: undefined },
      null,
      5,
    ]) {
      const program = await called(times);
      told.push(whole(caught(() => program.gradient(wrong as never))));
      expect(program.gradient(inputs).values[0]).toBe(1.5);
    }
    // The same whatever came before.
    expect(told).toMatchSnapshot("inputs");
  });

  test("other kinds of inputs and results are taken, and numbers again after them", async () => {
    const program = await called(times, "(* a x)");
    expect([...program.gradient({ a: 2, x: [1, 2, 3] }).values]).toEqual([2, 4, 6]);
    expect([...program.gradient({ a: 2, x: vec([1, 2]) }, { seed: [1, 1] }).values]).toEqual([
      2, 4,
    ]);
    for (const x of [5, 0.25, Number.NaN, Number.POSITIVE_INFINITY, 1e308]) {
      const { values, gradients, nonFinite, failures, inactive } = program.gradient({ a: 2, x });
      expect([values[0], gradients["a"]?.[0], gradients["x"]?.[0]]).toEqual([2 * x, x, 2]);
      expect([nonFinite.length, failures, inactive]).toEqual([
        Number.isFinite(2 * x) ? 0 : 1,
        [],
        [],
      ]);
    }
    // Each result keeps its own numbers.
    const [one, other] = [program.gradient({ a: 1, x: 2 }), program.gradient({ a: 3, x: 4 })];
    expect([one.values[0], one.gradients["a"]?.[0], other.values[0]]).toEqual([2, 2, 12]);
  });

  test("what a path does not depend on is inactive there, and only there", async () => {
    const program = await called(times, "(if (< x 1) (* a a) (if (< x 2) (* b x) 7))", {
      ...{ a: 3, b: 2, x: 0.5 },
    });
    const at = (x: number) => {
      const { inactive, values, gradients } = program.gradient({ a: 3, b: 2, x });
      return [inactive, values[0], ["a", "b", "x"].map((name) => gradients[name]?.[0])];
    };
    for (let turn = 0; turn < 3; turn++) {
      expect(at(0.5)).toEqual([["x", "b"], 9, [6, 0, 0]]);
      expect(at(1.5)).toEqual([["a"], 3, [0, 1.5, 2]]);
      expect(at(2.5)).toEqual([["x", "a", "b"], 7, [0, 0, 0]]);
    }
  });

  test("failures are told as at first, and leave nothing behind", async () => {
    const program = await called(times, "(if (< x 1) (* a x) (car x))");
    for (let turn = 0; turn < 3; turn++) {
      expect(caught(() => program.gradient({ a: 3, x: 2 })).message).toBe(
        "car needs a pair, got x = 2",
      );
      expect(program.gradient(inputs).values[0]).toBe(1.5);
    }
    const mixed = await called(times, "(if (< x 1) (* a x) (vec a x))");
    for (let turn = 0; turn < 3; turn++) {
      expect([...mixed.evaluate({ a: 3, x: 2 }).values]).toEqual([3, 2]);
      expect([...mixed.gradient({ a: 3, x: 2 }, { seed: [1, 0] }).values]).toEqual([3, 2]);
      expect(caught(() => mixed.gradient({ a: 3, x: 2 })).code).toBe("E-RESULT");
      expect(mixed.gradient(inputs).values[0]).toBe(1.5);
    }
  });
});
