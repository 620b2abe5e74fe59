/** Errors carry facts: plain data that travel with every copy, and make the sentence anew. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fit, Machine, makeError, NdvmError, type Speech, wordsFor } from "../src/index.js";
import { caughtLater } from "./machine/support.js";

let machine: Machine;
beforeAll(async () => {
  machine = await Machine.create();
});
afterAll(() => machine.dispose());

const caught = (work: () => unknown): NdvmError => {
  try {
    work();
  } catch (error) {
    if (error instanceof NdvmError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
};

/** Names that no sentence of JavaScript has. */
const foreign: Speech = {
  option: (name) => `<${name}>`,
  declaring: (name) => `<${name}>`,
  rows: (rows, more) => `lines ${rows.map((row) => row + 10)}+${more}`,
};

describe("copies", () => {
  const facts = { reason: "budget", option: "stepsMax", limit: 5 } as const;

  test("an error told where its text comes from keeps its facts", () => {
    const error = new NdvmError("E-STEPS", "too long", { facts }).in("(a)", "a.scm");
    expect(error.facts).toEqual(facts);
    expect(error.with({ message: "much too long" }).facts).toEqual(facts);
    expect(error.with({ message: "much too long" })).toMatchObject({
      message: "much too long",
      source: "(a)",
      file: "a.scm",
    });
  });

  test("an error without facts has an empty object of them", () => {
    expect(new NdvmError("E-FILE", "gone").facts).toEqual({});
  });

  test("a pool's lanes fail with the facts of a machine's", async () => {
    const endless = "(loop ((i 0)) (if (< i n) (recur (+ i 1)) i))";
    const inputs = { n: [10, 1e9, 3, 1e9] };
    const alone = machine.load(endless).evaluate(inputs, { stepsMax: 1000 });
    const pool = await machine.pool({ workers: 2 });
    try {
      const parts = await pool.evaluate(machine.load(endless), inputs, { stepsMax: 1000 });
      const factsOf = (out: typeof alone) =>
        out.failures.map(({ lane, error }) => [lane, error.facts]);
      expect(factsOf(parts)).toEqual([1, 3].map((lane) => [lane, { ...facts, limit: 1000 }]));
      expect(factsOf(parts)).toEqual(factsOf(alone));
    } finally {
      await pool.dispose();
    }
  });
});

describe("sentences", () => {
  const column = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];
  const fitOf = (source: string, options: Parameters<typeof fit>[1]) =>
    caughtLater(fit(machine.load(source), options));

  test("rows that fail are facts, the first of them and how many more", async () => {
    const error = await fitOf("(* a (sqrt (- 0 x)))", {
      data: { x: column, y: column },
      target: "y",
    });
    expect(error.facts).toMatchObject({
      reason: "prediction",
      rows: [0, 1, 2, 3, 4, 5, 6, 7],
      rowsMore: 4,
      names: ["a"],
      values: [1],
    });
    expect(wordsFor(error.facts, foreign).message).toContain(
      "on lines 10,11,12,13,14,15,16,17+4 at a = 1",
    );
  });

  test("a limit reached inside a fit is told in the reader's words, also as a cause", async () => {
    const error = await fitOf("(loop ((i 0)) (if (< i (* x x x x 10)) (recur (+ i 1)) (* a i)))", {
      data: { x: column, y: column },
      target: "y",
      stepsMax: 5000,
    });
    expect(error.code).toBe("E-STEPS");
    expect(error.help).toBe("check that every loop ends, or raise stepsMax");
    expect(error.facts.cause?.facts).toMatchObject({ reason: "budget", option: "stepsMax" });
    const { message, help } = wordsFor(error.facts, foreign);
    expect(message).toContain("the program fails on lines 13,14,15");
    expect(help).toBe("check that every loop ends, or raise <stepsMax>");
    const silent = wordsFor(error.facts, { ...foreign, option: () => undefined });
    expect(silent.help).toBe("check that every loop ends");
  });

  test.each([
    [
      { reason: "option", option: "restarts", actual: "0", expected: "from 1" },
      "the option restarts is 0",
    ],
    [{ reason: "missing", column: "y", rows: [2] }, "column y has no value in row 3"],
    [
      { reason: "weight", value: -1, rows: [0, 4], rowsMore: 2 },
      "the weight of rows 1, 5 and 2 more is -1",
    ],
    [{ reason: "first", option: "timeMax" }, "the first evaluation took longer than timeMax"],
    [
      { reason: "setting", option: "replay", expected: "true or false", actual: "3" },
      "replay must be true or false, got 3",
    ],
  ] as const)("%o", (facts, message) => {
    expect(makeError("E-OPTION", facts).message).toBe(message);
  });

  test("facts are JSON: what is written reads back the same", async () => {
    const errors = [
      await fitOf("(* a x)", { data: { x: [1, Number.NaN], y: [1, 2] }, target: "y" }),
      await fitOf("(* a x)", { data: { x: [1, 2], y: [1, 2] }, target: "y", restarts: 0 }),
      await fitOf("(* a x)", {
        data: { x: [1, 2], y: [1, 2] },
        target: "y",
        params: { a: { bounds: [2, 1] } },
      }),
      caught(() => machine.load("(+ a b)").evaluate({ a: 1 })),
      caught(() => machine.load("(+ a b)").evaluate({ a: [1, 2], b: [1, 2, 3] })),
      caught(() => machine.load("(list a)").evaluate({ a: 1 }).values),
      caught(() => machine.load("(vec a a)").gradient({ a: 1 })),
    ];
    const reasons = ["missing", "option", "bounds", "input", "lanes", "structure", "seed"];
    expect(errors.map(({ facts }) => facts.reason)).toEqual(reasons);
    for (const { facts } of errors) expect(JSON.parse(JSON.stringify(facts))).toEqual(facts);
  });
});
