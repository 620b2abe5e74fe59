/**
 * Memory that runs short, and lanes that fail each in its own way: what a lane gets never depends
 * on what ran before, on what is kept for later, or on its neighbours.
 */

import { beforeAll, describe, expect, test } from "vitest";
import { int, Machine } from "../../src/index.js";
import { caught, covered } from "./support.js";

const MEBIBYTE = 2 ** 20;

describe("memory that runs short", () => {
  const source = "(loop ((i 0) (x a)) (if (= i n) x (recur (+ i 1) (* x 1.0))))";

  test("a gradient without room to link its tape is right all the same", async () => {
    const machine = await Machine.create({ memoryMax: 64 * MEBIBYTE });
    for (const n of [100_000, 300_000, 400_000]) {
      const { gradients } = machine.load(source).gradient({ a: [1, 2, 3], n: int(n) });
      expect([...(gradients["a"] ?? [])]).toEqual([1, 1, 1]);
    }
    machine.dispose();
  });

  test("traces of other programs go before a run fails", async () => {
    const machine = await Machine.create({ memoryMax: 16 * MEBIBYTE });
    for (let i = 0; i < 12; i++) {
      const kept = machine.load(`(+ ${i} ${source})`);
      expect(kept.gradient({ a: 1, n: int(8000) }).values[0]).toBe(i + 1);
    }
    const list = "(define (build n l) (if (= n 0) l (build (- n 1) (cons n l))))";
    expect(machine.load(`${list} (length (build 150000 '()))`).evaluate().values[0]).toBe(150000);
    machine.dispose();
  });

  test("an endless evaluation is not ended by what is recorded for replay", async () => {
    const machine = await Machine.create({ memoryMax: 8 * MEBIBYTE });
    const program = machine.load("(loop ((x a)) (recur (+ x 1.0)))");
    for (let i = 0; i < 2; i++) {
      const error = caught(() => program.evaluate({ a: [1, 2] }, { stepsMax: 500_000 }));
      expect(error.code).toBe("E-STEPS");
    }
    machine.dispose();
  });

  test("a lane that fails before its chunk is narrowed is reported once", async () => {
    const machine = await Machine.create({ memoryMax: 8 * MEBIBYTE });
    const text = "(if (< x 0) (car x) (vsum (* x (ones 300 300))))";
    const { values, failures } = machine.load(text).evaluate({ x: [-1, 1, 2, 3, 4, 5] });
    expect(failures.map(({ lane }) => lane)).toEqual([0]);
    expect([...values]).toEqual([Number.NaN, 9e4, 18e4, 27e4, 36e4, 45e4]);
    machine.dispose();
  });
});

describe("lanes that fail each in its own way", () => {
  let machine: Machine;
  beforeAll(async () => {
    machine = await Machine.create();
  });

  const messages = (source: string, x: readonly number[]): string[] => {
    const program = machine.load(source);
    const { failures } = program.evaluate({ x: [...x] });
    return failures.map(({ lane, error }) => `${lane}: ${error.message}`);
  };

  test("each is told its own number", () => {
    expect(messages("(even? x)", [2, 1.5, 2.5, 4])).toEqual([
      "1: even? needs a whole number, got x = 1.5",
      "2: even? needs a whole number, got x = 2.5",
    ]);
    expect(messages("(ref [10 20] x)", [Number.NaN, 1, 0.5])).toEqual([
      "0: ref needs a whole number, got x = NaN",
      "2: ref needs a whole number, got x = 0.5",
    ]);
    expect(messages("(list-ref (list 1 2 3) x)", [3, 1, 7])).toEqual([
      "0: list-ref: index 3 is out of range for a list",
      "2: list-ref: index 7 is out of range for a list",
    ]);
  });

  test("indices that are not numbers in any lane end the run", () => {
    const program = machine.load("(ref [10 20] x)");
    const error = caught(() => program.evaluate({ x: [Number.NaN, Number.NaN] }));
    expect(error.message).toBe("ref needs a whole number, got x = NaN");
  });

  test("what the user's procedure does wrong inside map is told of that procedure", () => {
    const error = caught(() => machine.load("(+ 1 (length (map car '(1 2))))").evaluate());
    expect(error.message).toBe("car needs a pair, got 1");
    expect(covered(error)).toBe("(map car '(1 2))");
  });
});
