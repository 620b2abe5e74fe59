/**
 * What fits take of a machine they give back, however they end: programs and losses that cannot be fitted, fits
 * that are refused or ended, results that were stored and predicted with.
 */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type FitOptions,
  fit,
  fitFromJSON,
  fitMany,
  Machine,
  type Program,
} from "../../src/index.js";
import { noise, steps } from "./support.js";

let machine: Machine;
beforeAll(async () => {
  machine = await Machine.create();
});
afterAll(() => machine.dispose());

const x = steps(1, 6, 12);
const y = x.map((at, i) => 2 * at + (noise(12, 0.5)[i] as number));
const g = x.map((_, i) => i % 2);
const data = { x, y, g, z: y.map((one) => one - 3) };

/** A text that takes room: whatever keeps a few of it shows in the machine's memory. */
const long = (text: string): string =>
  `(+ ${text} (* 0 (+ ${Array.from({ length: 250 }, (_, i) => `(* ${i % 7} x)`).join(" ")})))`;
const one: FitOptions = { data, target: "y", steps: 3 };
const two: FitOptions = { data, target: ["y", "z"], steps: 3 };
const worded: FitOptions = { ...one, data: { ...data, g: x.map(() => "dark") } };
const own = (text: string): string =>
  `(+ ${text} (* 0 (+ ${Array.from({ length: 250 }, (_, i) => `(* ${i % 7} y)`).join(" ")})))`;

function bytes(): number {
  const probe = machine.load("1");
  const { memoryBytes } = probe.evaluate().stats;
  probe.dispose();
  return memoryBytes;
}

/** Memory does not grow however often something is done. */
async function isGivenBack(act: () => Promise<unknown>): Promise<void> {
  for (let turn = 0; turn < 6; turn++) await act();
  const before = bytes();
  for (let turn = 0; turn < 25; turn++) await act();
  expect(bytes()).toBe(before);
}

/** How something ended: its error's code, or that it was done. */
const ended = (act: Promise<unknown>): Promise<string> =>
  act.then(
    () => "done",
    (error: { code: string }) => error.code,
  );

describe("texts that are fitted one after the other are given back", () => {
  const texts: readonly (readonly [
    name: string,
    text: string,
    options: FitOptions,
    code: string,
  ])[] = [
    ["a good one", long("(* a x)"), one, "fitted"],
    ["no such column", long("(* a x)"), { ...one, target: "q" }, "E-INPUT"],
    ["not finite at the start", long("(* a (log (- x 20)))"), one, "E-INPUT"],
    [
      "not finite, as an attempt",
      long("(* a (log (- x 20)))"),
      { ...one, detail: "attempt" },
      "E-INPUT",
    ],
    ["failing", long("(car a)"), one, "E-TYPE"],
    ["no number", `(list ${long("(* a x)")})`, one, "E-RESULT"],
    ["no parameter", long("(* 2 x)"), one, "E-INPUT"],
    ["an option that is none", long("(* a x)"), { ...one, restarts: 0 }, "E-OPTION"],
    ["two targets", `[${long("(* a x)")} b]`, two, "fitted"],
    ["two targets of one number", long("(* a x)"), two, "E-RESULT"],
    ["a loss of its own", long("(* a x)"), { ...one, loss: "(square (- pred y))" }, "fitted"],
  ];

  test.each(texts)("%s", async (_, text, options, code) => {
    await isGivenBack(async () => {
      const [result] = await fitMany(machine, [text], options);
      expect(result?.status === "failed" ? result.error.code : result?.status).toBe(code);
    });
  });
});

describe("losses that are text are given back", () => {
  const good = own("(square (- pred y))");
  const losses: readonly (readonly [
    name: string,
    text: string,
    options: FitOptions,
    code: string,
  ])[] = [
    ["a good one", good, one, "done"],
    ["a good one, for scores", good, { ...one, detail: "scores" }, "done"],
    ["of a name that is no column", own("(square (- pred q))"), one, "E-INPUT"],
    ["of a column without numbers", own("(square (- pred g))"), worded, "E-INPUT"],
    ["without the prediction", own("(square y)"), one, "E-INPUT"],
    ["not finite", own("(log (- pred 1e9))"), one, "E-INPUT"],
    ["failing", own("(car pred)"), one, "E-TYPE"],
    ["no number", `(list ${own("pred")})`, one, "E-RESULT"],
    ["a time that is over", good, { ...one, timeMax: 0 }, "done"],
    ["a signal", good, { ...one, signal: AbortSignal.abort() }, "done"],
    ["another fit's result to resume", good, { ...one, resume: {} as never }, "E-OPTION"],
    ["weights of too few rows", good, { ...one, weights: [1] }, "E-INPUT"],
    ["bounds that are none", good, { ...one, params: { a: { bounds: [2, 1] } } }, "E-INPUT"],
  ];

  test.each(losses)("%s", async (_, loss, options, code) => {
    const program = machine.load("(* a x)");
    await isGivenBack(async () => {
      expect(await ended(fit(program, { ...options, loss }))).toBe(code);
    });
    program.dispose();
  });

  test("a program that is the loss stays its owner's", async () => {
    const program = machine.load("(* a x)");
    const loss = machine.load("(square (- pred y))");
    for (const options of [one, { ...one, target: "q" }, { ...one, detail: "attempt" }] as const)
      await ended(fit(program, { ...options, loss }));
    expect([...loss.evaluate({ pred: 1, y: 3 }).values]).toEqual([4]);
    loss.dispose();
    program.dispose();
  });
});

describe("results are given back with their programs", () => {
  const used = async (program: Program, options: FitOptions) => {
    const result = await fit(program, options);
    result.predict({ x: [1, 2, 3], g: [0, 1, 0] });
    const back = fitFromJSON(program, JSON.parse(JSON.stringify(result)));
    back.predict({ x: [1, 2, 3, 4], g: [0, 1, 0, 0] }, { level: 0.5 });
    back.export("scheme", options.groups === undefined ? {} : { group: 0 });
  };

  test.each([
    ["one target", long("(* a x)"), one],
    ["scores", long("(* a x)"), { ...one, detail: "scores" }],
    ["two targets", `[${long("(* a x)")} b]`, two],
    ["groups", long("(* a x)"), { ...one, groups: { by: "g", params: ["a"] } }],
    ["absolute deviations", long("(* a x)"), { ...one, loss: "absolute" }],
    ["restarts", long("(* a x)"), { ...one, restarts: 5, together: 2 }],
  ] as readonly (readonly [string, string, FitOptions])[])("%s", async (_, text, options) => {
    await isGivenBack(async () => {
      const program = machine.load(text);
      await used(program, options);
      program.dispose();
    });
  });
});
