/**
 * A parameter at a bound takes nothing from the others: wherever it stands among them, they have the errors,
 * correlations and undetermined directions of a fit in which the bound is written as a number.
 */

import { describe, expect, test } from "vitest";
import { type FitOptions, fit } from "../../src/index.js";
import { machine, noise, steps } from "./support.js";

const x = steps(-2, 3, 15);
const off = noise(15, 0.8);
const y = x.map((at, i) => 3 * at + 0.4 + (off[i] as number));
const counts = x.map((at, i) =>
  Math.round(Math.exp(0.3 * at + 0.5) + 2 * ((off[i] as number) + 0.4)),
);
const z = { start: 1.5, bounds: [1, 3] } as const;

/** Texts in which $ is the parameter at its bound of 1, first, in the middle and last. */
const PLACES = {
  "a line and a curve": [
    "(+ $ (* a x) (* c x x))",
    "(+ (* a x) $ (* c x x))",
    "(+ (* a x) (* c x x) $)",
  ],
  "a direction that changes nothing": [
    "(+ $ (* (+ a (* 2 b)) x))",
    "(+ (* a x) $ (* 2 b x))",
    "(+ (* (+ a (* 2 b)) x) $)",
  ],
} as const;

type Told = Record<string, unknown>;
const near = (value: unknown): unknown =>
  typeof value === "number" && Number.isFinite(value)
    ? expect.closeTo(value, 5)
    : Array.isArray(value)
      ? value.map(near)
      : typeof value === "object" && value !== null
        ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, near(one)]))
        : value;

async function told(text: string, options: FitOptions): Promise<Told> {
  const program = machine.load(text);
  const result = await fit(program, options);
  const { standardErrors, intervals, identifiability } = result;
  program.dispose();
  const own = (record: object): object =>
    Object.fromEntries(Object.entries(record).filter(([name]) => name !== "z"));
  const { undetermined = [], correlated, rank } = identifiability ?? {};
  return {
    ...{ errors: own(standardErrors), intervals: own(intervals), rank, correlated },
    loss: result.best.loss,
    directions: undetermined.map(({ direction }) => ({ ...direction })),
    words: undetermined.map(({ words }) => words),
  };
}

const WAYS: Readonly<Record<string, (text: string) => [string, FitOptions]>> = {
  squares: (text) => [text, { data: { x, y }, target: "y" }],
  "counts by their mean": (text) => [
    text.replace("(+", "(exp (+").replace(/$/, ")"),
    { data: { x, counts }, target: "counts", loss: "poisson" },
  ],
  "a program's own likelihood": (text) => [
    `(vsum (square (- (vec ${y.join(" ")}) (vec ${x
      .map((at) => text.replaceAll(/\bx\b/g, String(at)))
      .join(" ")}))))`,
    { isNegativeLogLikelihood: true },
  ],
};

describe.each(Object.keys(WAYS))("by %s", (way) => {
  test.each(Object.entries(PLACES))("%s", async (_, texts) => {
    const names = ["a", "b", "c"].filter((name) => new RegExp(`\\b${name}\\b`).test(texts[0]));
    const params = Object.fromEntries(names.map((name) => [name, 0.1]));
    for (const text of texts) {
      const make = WAYS[way] as (text: string) => [string, FitOptions];
      const [alone, options] = make(text.replace("$", "1"));
      const wanted = await told(alone, { ...options, params });
      const [beside] = make(text.replace("$", "z"));
      const got = await told(beside, { ...options, params: { ...params, z } });
      expect(got, text).toEqual(near(wanted));
    }
  });
});

test("each of several directions changes nothing, beside a bound as well", async () => {
  for (const text of [
    "(+ 1 (* (+ a (* 2 b) (* -4 c)) x))",
    "(+ z (* (+ a (* 2 b) (* -4 c)) x))",
    "(+ (* a x) z (* 2 b x) (* -4 c x))",
    "(+ (* (+ a (* 2 b) (* -4 c)) x) z)",
  ]) {
    const params = { a: 0.1, b: 0.1, c: 0.1, ...(text.includes("z") ? { z } : {}) };
    const result = await fit(machine.load(text), { data: { x, y }, target: "y", params });
    const { undetermined } = result.identifiability ?? {};
    expect(undetermined, text).toHaveLength(2);
    for (const { direction } of undetermined ?? []) {
      const { a = 0, b = 0, c = 0 } = direction;
      expect(a + 2 * b - 4 * c, text).toBeCloseTo(0, 6);
      expect(Math.max(...[a, b, c].map(Math.abs)), text).toBe(1);
    }
  }
});
