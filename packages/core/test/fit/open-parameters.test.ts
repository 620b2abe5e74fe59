/**
 * Parameters that the data leave open, or that are at a bound, beside others that are determined: what is
 * told of the others is what a fit without the open ones tells.
 */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { digitsNeeded } from "../../src/fit/result/digits.js";
import { type FitOptions, type FitResult, fitFromJSON } from "../../src/index.js";
import { fitText, machine, noise, steps } from "./support.js";

const SEED = Number(process.env["SEED"] ?? Date.now() % 2 ** 31);
console.log(`open parameters: SEED=${SEED}`);

const number = fc.integer({ min: -40, max: 40 }).map((n) => n / 8);

describe("digits", () => {
  test("are those of the parameters with errors alone, in their places", () => {
    const problem = fc.record({
      rows: fc.array(fc.array(number, { minLength: 5, maxLength: 5 }), {
        minLength: 7,
        maxLength: 7,
      }),
      values: fc.array(fc.integer({ min: 1, max: 9e12 }), { minLength: 5, maxLength: 5 }),
      open: fc.subarray([0, 1, 2, 3, 4]),
      of: fc.constantFrom(Number.NaN, 0),
      r2: fc.constantFrom(0.5, 1 - 1e-9, Number.NaN),
    });
    fc.assert(
      fc.property(problem, ({ rows, values, open, of, r2 }) => {
        const known = [0, 1, 2, 3, 4].filter((j) => !open.includes(j));
        const element = (i: number, j: number) =>
          rows.reduce((sum, row) => sum + (row[i] as number) * (row[j] as number), 0) +
          (i === j ? 1 : 0);
        const size = 5;
        const all = new Float64Array(size * size).fill(of);
        const alone = new Float64Array(known.length ** 2);
        for (const [a, i] of known.entries())
          for (const [b, j] of known.entries())
            all[i * size + j] = alone[a * known.length + b] = element(i, j);
        const at = Float64Array.from(values, (value, i) => value / 10 ** (3 * i));
        const wanted = digitsNeeded(
          Float64Array.from(known, (j) => at[j] as number),
          alone,
          r2,
        );
        const told = digitsNeeded(at, all, r2);
        expect(known.map((j) => told[j])).toEqual(wanted);
        for (const j of open) expect(told[j]).toBeUndefined();
        for (const count of wanted) {
          expect(count).toBeGreaterThanOrEqual(6);
          expect(count).toBeLessThanOrEqual(15);
        }
      }),
      { seed: SEED, numRuns: 100 },
    );
    expect(digitsNeeded(Float64Array.of(1, 2), undefined, 0.5)).toEqual([undefined, undefined]);
  });

  test("keep half of the last one below a part of what a parameter may move alone", () => {
    for (const error of [1e-9, 1e-4, 0.02, 3])
      for (const value of [1000003.952, 0.00123, -45, 7e9]) {
        const [count] = digitsNeeded(Float64Array.of(value), Float64Array.of(error ** 2), 0.5);
        const half = 0.5 * 10 ** (Math.floor(Math.log10(Math.abs(value))) + 1 - (count as number));
        if (count !== 15) expect(half).toBeLessThanOrEqual(0.05 * error);
        // One digit less would not do, unless six are the least that is written.
        if (count !== 6) expect(half * 100).toBeGreaterThan(0.05 * error);
      }
  });
});

const x = steps(-2, 3, 14);
const wobble = noise(14, 0.6);
const y = x.map((at, i) => 1.5 + 0.5 * at + (wobble[i] as number));
const curve = x.map((at, i) => 2 - at + 0.75 * at * at + (wobble[i] as number));

/** What is told of some parameters: values, errors, intervals, and covariances among them. */
function toldOf(result: FitResult, names: readonly string[]) {
  const { covariance, standardErrors, intervals, best } = result;
  const size = covariance?.names.length ?? 0;
  const at = (name: string) => covariance?.names.indexOf(name) ?? -1;
  return names.flatMap((name) => [
    best.params[name] as number,
    standardErrors[name] as number,
    ...(intervals[name] as readonly number[]),
    ...names.map((other) => covariance?.matrix[at(name) * size + at(other)] as number),
  ]);
}

const bandsOf = (result: FitResult, rows: FitOptions["data"] & object) => {
  const { values, standardErrors, lower, upper, observationLower, observationUpper } =
    result.predict(rows);
  return [values, standardErrors, lower, upper, observationLower, observationUpper].map((one) => [
    ...one,
  ]);
};

interface Pair {
  readonly name: string;
  readonly source: string;
  readonly options: FitOptions;
  /** The same without what is open. */
  readonly plain: readonly [source: string, options: FitOptions];
  readonly open: readonly string[];
  readonly isAtBound?: boolean;
}

const squares: FitOptions = { data: { x, y }, target: "y" };
const counts: FitOptions = {
  data: { x, y: x.map((at, i) => Math.round(3 + at + Math.abs(wobble[i] as number) * 4)) },
  ...{ target: "y", loss: "poisson", params: { a: 3, b: 0.5 } },
};

const pairs: readonly Pair[] = [
  {
    name: "one that does nothing, named before the others",
    source: "(+ (* 0 z) a (* b x))",
    options: squares,
    plain: ["(+ a (* b x))", squares],
    open: ["z"],
  },
  {
    name: "one that does nothing, named after the others",
    source: "(+ a (* b x) (* 0 z))",
    options: squares,
    plain: ["(+ a (* b x))", squares],
    open: ["z"],
  },
  {
    name: "a product",
    source: "(+ (* p q x) (* c x x) a)",
    options: { ...squares, data: { x, y: curve }, params: { p: 2, q: -0.5 } },
    plain: ["(+ (* b x) (* c x x) a)", { ...squares, data: { x, y: curve } }],
    open: ["p", "q"],
  },
  {
    name: "one at its bound",
    source: "(+ (* k x x) a (* b x))",
    options: { ...squares, params: { k: { bounds: [0.5, 4], start: 1 } } },
    plain: ["(+ (* k x x) a (* b x))", { ...squares, params: { k: { fixed: 0.5 } } }],
    open: ["k"],
    isAtBound: true,
  },
  {
    name: "one of counts that does nothing",
    source: "(+ a (* b x) (* 0 z))",
    options: counts,
    plain: ["(+ a (* b x))", counts],
    open: ["z"],
  },
];

describe("beside what is open, the others are told as without it", () => {
  test.each(pairs)("$name", async ({ source, options, plain, open, isAtBound = false }) => {
    const [result, alone] = [await fitText(source, options), await fitText(...plain)];
    const names = alone.parameters.filter((name) => result.parameters.includes(name));
    expect(names.length).toBeGreaterThan(1);
    // A parameter that is open takes a degree of freedom, and its part of the noise, with it.
    const isCounted = options.loss === "poisson";
    const share = isCounted || isAtBound ? 1 : result.sigma / alone.sigma;
    const got = toldOf(result, names);
    if (share === 1)
      for (const [k, want] of toldOf(alone, names).entries())
        expect(Math.abs((got[k] as number) - want) / (1e-9 + Math.abs(want))).toBeLessThan(2e-4);
    for (const name of names)
      expect((result.standardErrors[name] as number) / share).toBeCloseTo(
        alone.standardErrors[name] as number,
        5,
      );
    for (const name of open) {
      expect(result.standardErrors[name]).toBeNaN();
      const size = result.parameters.length;
      const j = result.parameters.indexOf(name);
      for (let i = 0; i < size; i++)
        for (const k of [i * size + j, j * size + i])
          if (isAtBound) expect(result.covariance?.matrix[k]).toBe(0);
          else expect(result.covariance?.matrix[k]).toBeNaN();
    }
    const rows = { x: [-1, 0.5, 4] };
    const [values, errors] = bandsOf(result, rows) as [number[], number[]];
    const [wantValues, wantErrors] = bandsOf(alone, rows) as [number[], number[]];
    for (const [row, want] of wantValues.entries()) expect(values[row]).toBeCloseTo(want, 5);
    // What a product leaves open moves every row; what does nothing, or is kept, none.
    for (const [row, want] of wantErrors.entries())
      if (open.length === 1) expect((errors[row] as number) / share).toBeCloseTo(want, 4);
    const back = fitFromJSON(machine.load(source), JSON.parse(JSON.stringify(result)));
    expect(bandsOf(back, rows)).toEqual(bandsOf(result, rows));
  });

  test("a slope that no row of its group shows leaves the errors of the other rows as they are", async () => {
    const g = x.map((_, i) => (i % 3 === 0 ? "dark" : i % 3 === 1 ? "dim" : "light"));
    const seen = x.map((at, i) => (g[i] === "dim" ? 0 : at));
    const options: FitOptions = {
      data: { x: seen, y, g },
      ...{ target: "y", groups: { by: "g", params: ["b"] } },
    };
    const result = await fitText("(+ a (* b x))", options);
    expect(result.standardErrors["b[dim]"]).toBeNaN();
    const rows = { x: [2, 0, 1, 0, 1, 2], g: ["dark", "dark", "light", "dim", "dim", "light"] };
    const all = bandsOf(result, rows);
    for (const numbers of all.slice(1))
      expect(numbers.map((one) => Number.isNaN(one))).toEqual([
        ...[false, false, false, false, true, false],
      ]);
    // The variance of a sum of two numbers, by their covariances.
    const { names = [], matrix = new Float64Array(0) } = result.covariance ?? {};
    const at = (p: string, q: string) =>
      matrix[names.indexOf(p) * names.length + names.indexOf(q)] as number;
    for (const [row, at0] of rows.x.entries()) {
      if (row === 4) continue;
      const b = `b[${rows.g[row]}]`;
      const variance = at("a", "a") + (at0 === 0 ? 0 : 2 * at0 * at("a", b) + at0 * at0 * at(b, b));
      expect(all[1]?.[row]).toBeCloseTo(Math.sqrt(variance), 12);
    }
  });

  test("a formula has the digits of each parameter, not of its neighbour", async () => {
    const place = 1000003.952;
    const far = x.map((at) => place + at);
    const peak = "(+ (* 0 z) (/ h (+ 1 (square (- x c)))))";
    const high = x.map((at, i) => 20 / (1 + at * at) + 0.01 * (wobble[i] as number));
    const options: FitOptions = {
      data: { x: far, y: high },
      ...{ target: "y", params: { h: 18, c: place } },
    };
    const result = await fitText(peak, options);
    const alone = await fitText("(/ h (+ 1 (square (- x c))))", options);
    const numbersOf = (text: string) => text.match(/\d+\.\d+/g);
    const wanted = numbersOf(alone.export("latex"));
    expect(wanted?.some((one) => one.startsWith("10000"))).toBe(true);
    const own = numbersOf(result.export("latex")) ?? [];
    for (const one of wanted ?? []) expect(own).toContain(one);
  });
});
