/**
 * Predictions of rows together and one by one, by full results, by scores and by results that were stored, and
 * between other uses of the same program: always the same numbers, each in the place of its row.
 */

import { describe, expect, test } from "vitest";
import {
  type FitOptions,
  type FitResult,
  fit,
  fitFromJSON,
  type Prediction,
} from "../../src/index.js";
import { machine, noise, steps } from "./support.js";

const x = steps(-2, 3, 18);
const wobble = noise(18, 0.6);
const y = x.map((at, i) => 1.5 + 0.5 * at + (wobble[i] as number));
const z = x.map((at, i) => 200 - 70 * at + 90 * (wobble[17 - i] as number));
const u = x.map((_, i) => ((i * 5) % 7) / 3);
const g = x.map((_, i) => ["north", "south", "east"][i % 3] as string);
const data = { x, y, z, u, g };

const rows = {
  x: [0.5, -1, 7, 2, 2, 0, -3, 0.25, 1, 5, 4],
  u: [1, 0, 2, 0.5, 3, 3, 0, 1, 1, 2, 0.1],
  g: [
    "south",
    "south",
    "north",
    "east",
    "north",
    "south",
    "east",
    "east",
    "north",
    "south",
    "east",
  ],
};

interface Given {
  readonly name: string;
  readonly source: string;
  readonly options: FitOptions;
}

const one = { data, target: "y" } as const;
const two = { data, target: ["y", "z"] } as const;
const byG = { by: "g", params: ["a"] } as const;
const given: readonly Given[] = [
  { name: "a line", source: "(+ a (* b x))", options: one },
  { name: "two columns", source: "(+ a (* b x) (* c u u))", options: one },
  { name: "a column that no parameter meets", source: "(+ a (* b x) (sin u))", options: one },
  { name: "no column", source: "(+ a (* 0 b))", options: { ...one, params: { b: { fixed: 2 } } } },
  { name: "branches", source: "(if (< x 1) (+ a (* b x)) (+ a (* c u)))", options: one },
  {
    name: "a loop by row",
    source: "(loop ((i 0) (s a)) (if (< i u) (recur (+ i 1) (+ s (* b x))) s))",
    options: one,
  },
  { name: "groups", source: "(+ a (* b x))", options: { ...one, groups: byG } },
  { name: "groups alone", source: "(+ a 1)", options: { ...one, groups: byG } },
  {
    name: "groups of all",
    source: "(+ a (* b x))",
    options: { ...one, groups: { by: "g", params: ["b", "a"] } },
  },
  { name: "two targets", source: "[(+ a (* b x)) (+ c (* d u x))]", options: two },
  {
    name: "two targets in groups",
    source: "[(+ a (* b x)) (* 100 (+ a (* d u)))]",
    options: { ...two, groups: byG },
  },
  {
    name: "deviations",
    source: "(+ a (* b x))",
    options: { ...one, sigma: x.map((_, i) => 0.3 + 0.1 * (i % 3)) },
  },
  {
    name: "huber, bounds and a fixed number",
    source: "(+ a (* b x) (* c u))",
    options: {
      ...one,
      loss: "huber",
      params: { b: { bounds: [0.6, 2], start: 1 }, c: { fixed: 0.25 } },
    },
  },
  {
    name: "counts",
    source: "(exp (+ a (* b x)))",
    options: {
      data: { ...data, y: y.map((v) => Math.round(Math.abs(4 * v))) },
      target: "y",
      loss: "poisson",
    },
  },
];

const KEYS = [
  "values",
  "standardErrors",
  "lower",
  "upper",
  "observationLower",
  "observationUpper",
] as const;
const count = rows.x.length;

const pick = (chosen: readonly number[]) => ({
  x: chosen.map((row) => rows.x[row] as number),
  u: chosen.map((row) => rows.u[row] as number),
  g: chosen.map((row) => rows.g[row] as string),
});

/** Every number of a prediction, by target and row. */
function numbersOf(prediction: Prediction, targets: readonly string[]): Record<string, number[]> {
  const all: Record<string, number[]> = {};
  for (const [t, name] of targets.entries())
    for (const key of KEYS) {
      const part = prediction.targets[name]?.[key] as Float64Array;
      all[`${name} ${key}`] = [...part];
      // Those of a target are its part of all of them.
      expect([...prediction[key].subarray(t * part.length, (t + 1) * part.length)]).toEqual([
        ...part,
      ]);
    }
  return all;
}

describe("predictions are the same", () => {
  test.each(given)("of $name", async ({ source, options }) => {
    const program = machine.load(source);
    const targets = [options.target].flat() as string[];
    const full = await fit(program, options);
    const scores = await fit(program, { ...options, detail: "scores" });
    const stored = fitFromJSON(program, JSON.parse(JSON.stringify(full)));
    const together = numbersOf(full.predict(rows), targets);
    const hasRows = /[xu]/.test(source.replace("exp", "")) || options.groups !== undefined;
    const lengths = new Set(Object.values(together).map(({ length }) => length));
    expect([...lengths]).toEqual([hasRows ? count : 1]);
    if (!hasRows) return;
    const order = steps(0, count - 1, count);
    const expectAll = (result: FitResult, keys: readonly string[], what: string) => {
      for (const chosen of [
        order,
        order.toReversed(),
        ...order.map((row) => [row]),
        [3, 3, 0],
        [1, 9],
      ]) {
        const got = numbersOf(result.predict(pick(chosen)), targets);
        for (const key of Object.keys(together)) {
          const isKnown = keys.some((one) => key.endsWith(one));
          for (const [at, row] of chosen.entries()) {
            const wanted = isKnown ? (together[key]?.[row] as number) : Number.NaN;
            expect(got[key]?.[at], `${what}, ${key} of row ${row} among ${chosen}`).toBe(wanted);
          }
        }
      }
    };
    const hasErrors = full.covariance !== undefined;
    expectAll(full, hasErrors ? KEYS : ["values"], "full");
    expectAll(stored, hasErrors ? KEYS : ["values"], "stored");
    expectAll(scores, ["values"], "scores");
    // Other uses of the program and of its machine in between change nothing.
    await fit(program, { ...options, steps: 1, restarts: 3, seed: 7 });
    expectAll(scores, ["values"], "scores after another fit");
    const other = machine.load("(* 7 x)");
    other.evaluate({ x: 3 });
    other.dispose();
    expectAll(full, hasErrors ? KEYS : ["values"], "full after another program");
    // What is wrong with some rows leaves the next ones as they were.
    const bad = [...rows.x.slice(1), Number.NaN];
    expect(() => full.predict({ x: bad, u: bad, g: bad.map(() => "west") })).toThrow();
    expectAll(full, hasErrors ? KEYS : ["values"], "full after a refusal");
    program.dispose();
  });

  test.each(given)("as by hand, with bands around them, of $name", async ({ source, options }) => {
    const program = machine.load(source);
    const targets = [options.target].flat() as string[];
    const result = await fit(program, options);
    const { values } = result.predict(rows);
    const isGrouped = options.groups?.params ?? [];
    const length = values.length / targets.length;
    for (let row = 0; row < length; row++) {
      const inputs: Record<string, number> = {};
      for (const name of program.inputs) {
        const own = isGrouped.includes(name) ? `${name}[${rows.g[row]}]` : name;
        inputs[name] = (result.best.params[own] ?? rows[name as "x"][row]) as number;
      }
      const by = program.evaluate(inputs).values;
      for (const t of targets.keys()) expect(values[t * length + row]).toBe(by[t]);
    }
    if (result.covariance === undefined) return;
    for (const name of targets) {
      const part = result.predict(rows).targets[name] as Prediction;
      const narrow = result.predict(rows, { level: 0.5 }).targets[name] as Prediction;
      for (let row = 0; row < length; row++) {
        const at = (prediction: Prediction, key: (typeof KEYS)[number]) =>
          prediction[key][row] as number;
        const value = at(part, "values");
        for (const [low, high] of [
          ["lower", "upper"],
          ["observationLower", "observationUpper"],
        ] as const) {
          // The noise of other rows may not be known.
          if (Number.isNaN(at(part, low))) continue;
          expect(value - at(part, low)).toBeCloseTo(at(part, high) - value, 9);
          expect(at(narrow, high) - value).toBeLessThanOrEqual(at(part, high) - value);
          expect(at(narrow, "values")).toBe(value);
          expect(at(narrow, "standardErrors")).toBe(at(part, "standardErrors"));
        }
        expect(Number.isFinite(at(part, "lower"))).toBe(true);
        if (!Number.isNaN(at(part, "observationUpper")))
          expect(at(part, "observationUpper")).toBeGreaterThan(at(part, "upper"));
      }
    }
    program.dispose();
  });
});
