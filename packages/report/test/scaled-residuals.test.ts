/** Pages of fits whose rows differ in noise: residuals are judged by what the loss and the weights expect of them. */

import { type FitOptions, fit, Machine } from "@ndvm/core";
import { expect, test } from "vitest";
import { fitReport, picturesOf } from "../src/index.js";
import { pageText } from "./figures.js";
import { richProblem } from "./made-up.js";

const machine = await Machine.create();
const ROWS = 24;
const x = Float64Array.from({ length: ROWS }, (_, i) => i / 6);
const off = Array.from(x, (_, i) => ((i * 0.6180339887498949) % 1) - 0.5);
const counts = x.map((at, i) =>
  Math.round(Math.exp(1 + at) + 2 * Math.exp(at / 2) * (off[i] ?? 0)),
);
const n = x.map((_, i) => 10 + (i % 5));
const hits = x.map((at, i) =>
  Math.round((n[i] ?? 0) / (1 + Math.exp(2 - at + 0.4 * (off[i] ?? 0)))),
);
const s = x.map((at) => 0.1 + at);
const w = x.map((_, i) => i % 4);
const y = x.map((at, i) => 1 + 2 * at + (s[i] ?? 0) * (off[i] ?? 0));
const data = { x, counts, n, hits, s, w, y };

async function told(source: string, options: FitOptions) {
  const result = await fit(machine.load(source), { data, ...options });
  const given = options.data ?? data;
  const problem = {
    ...{ ...richProblem, table: undefined, rows: undefined, columns: ["x"], heldOut: undefined },
    ...{ targets: [String(options.target)], data: given, options: options as object },
  };
  const page = await fitReport({
    ...{ result, problem, scores: [], x: undefined },
    ...{ command: "ndvm fit", maker: "ndvm" },
  });
  return { result, page: pageText(page), picture: picturesOf(result, problem, [], undefined)[0] };
}

const UNEVEN = "The same over the prediction: a funnel means uneven noise.";
const params = { a: 0.5, b: 0.5 };

test.each<[string, string, FitOptions, string, (f: number, row: number) => number]>([
  [
    "counts",
    "(exp (+ a (* b x)))",
    { target: "counts", loss: "poisson", params },
    "Residuals over the deviations that the loss expects, over the prediction: a funnel means other noise than it expects.",
    (f) => 1 / Math.sqrt(f),
  ],
  [
    "shares of trials",
    "(sigmoid (+ a (* b x)))",
    { target: "hits", loss: "binomial", trials: "n", params },
    "Residuals over the deviations that the loss expects, over the prediction: a funnel means other noise than it expects.",
    (f, row) => Math.sqrt((n[row] ?? 0) / (f * (1 - f))),
  ],
  [
    "known deviations",
    "(+ a (* b x))",
    { target: "y", sigma: "s", params },
    "Residuals over their deviations, over the prediction: a funnel means that the deviations are not right.",
    (_, row) => 1 / (s[row] ?? 0),
  ],
  [
    "weights",
    "(+ a (* b x))",
    { target: "y", weights: "w", params },
    "Residuals times the roots of their weights, over the prediction: a funnel means that the weights are not right.",
    (_, row) => Math.sqrt(w[row] ?? 0),
  ],
])(
  "a funnel of %s, which is as it should be, was called uneven noise",
  async (_, source, options, words, rootOf) => {
    const { result, page, picture } = await told(source, options);
    expect(page).toContain(words);
    expect(page).not.toContain(UNEVEN);
    expect(page).toContain("How the scaled residuals are spread.");
    // The mean that was told did not lie among the residuals that were drawn.
    expect(page).toContain("check of the scaled residuals | value");
    const { observed = x, predicted = x, scaling } = picture ?? {};
    const scaled = observed.map((seen, row) => {
      const f = predicted[row] ?? 0;
      expect(scaling?.roots[row]).toBeCloseTo(rootOf(f, row), 9);
      return (seen - f) * rootOf(f, row);
    });
    const rows = scaled.filter((__, row) => scaling?.roots[row] !== 0);
    const mean = rows.reduce((sum, one) => sum + one, 0) / rows.length;
    expect(result.residuals?.mean).toBeCloseTo(mean, 9);
    // Rows of weight 0 are not among them.
    expect(page).toMatch(new RegExp(`dot, var\\(--series-1\\), 3, ${rows.length} points`));
  },
);

test("rows that are alike have residuals as they are", async () => {
  const { page, picture } = await told("(+ a (* b x))", { target: "y", params });
  expect(picture?.scaling).toBeUndefined();
  expect(page).toContain(UNEVEN);
  expect(page).toContain("check | value");
  expect(page).not.toContain("scaled");
});

test("hits that a line separates were said to have no likelihood, deviations, and NaN deviations off", async () => {
  const split = { x: Float64Array.of(1, 2, 3, 4, 5, 6), z: Float64Array.of(0, 0, 0, 1, 1, 1) };
  const options: FitOptions = {
    data: split,
    target: "z",
    loss: "binomial",
    params: { a: 0, b: 0 },
  };
  const result = await fit(machine.load("(sigmoid (+ a (* b x)))"), options);
  const problem = {
    ...{ ...richProblem, table: undefined, rows: undefined, columns: ["x"], heldOut: undefined },
    ...{ targets: ["z"], data: split, options: {} },
  };
  const text = pageText(
    await fitReport({
      ...{ result, problem, scores: [], x: undefined },
      ...{ command: "ndvm fit", maker: "ndvm" },
    }),
  );
  expect(text).toContain("No standard errors: the data leave the parameters open");
  expect(text).toContain("No band where the data do not determine the prediction.");
  expect(text).not.toContain("the table tells");
  expect(text).not.toContain("NaN");
  expect(text).not.toContain("95 % interval");
});

test.each<[string, FitOptions, string]>([
  ["absolute", { loss: "absolute" }, "a sum of absolute deviations has no second derivatives"],
  ["huber", { loss: "huber" }, "the loss was not declared to be a negative log-likelihood"],
  ["a text", { loss: "(abs (- y pred))" }, "the loss was not declared to be a negative"],
])("a fit by %s says why it has no errors", async (_, options, words) => {
  const { page } = await told("(+ a (* b x))", { target: "y", params, ...options });
  expect(page).toContain(`No standard errors: ${words}`);
});

test("a fit of as many points as parameters says that they are too few for errors", async () => {
  const few = { x: x.slice(0, 2), y: y.slice(0, 2) };
  const { page } = await told("(+ a (* b x))", { data: few, target: "y", params });
  expect(page).toContain("No standard errors: there are no more points than parameters");
});

test("counts that vary more than Poisson's had errors that nobody said are too small", async () => {
  const spread = x.map((at, i) => Math.round(Math.exp(2 + at / 2) * (i % 2 === 0 ? 0.4 : 1.6)));
  const tame = x.map((at) => Math.round(Math.exp(2 + at / 2)));
  const options: FitOptions = { target: "counts", loss: "poisson", params };
  const wild = await told("(exp (+ a (* b x)))", { ...options, data: { x, counts: spread } });
  const { a = 0, b = 0 } = wild.result.best.params;
  let chi = 0;
  for (const [i, seen] of spread.entries()) {
    const f = Math.exp(a + b * (x[i] ?? 0));
    chi += (seen - f) ** 2 / f;
  }
  expect(wild.result.reducedChi).toBeCloseTo(Math.sqrt(chi / (ROWS - 2)), 9);
  const words = wild.result.reducedChi?.toPrecision(3);
  expect(wild.page).toContain(`multiply the errors by ${words}, the root of χ²`);
  expect(wild.page).toContain("dt: root of χ² per degree of freedom");
  const calm = await told("(exp (+ a (* b x)))", { ...options, data: { x, counts: tame } });
  expect(calm.result.reducedChi).toBeLessThan(1);
  expect(calm.page).not.toContain("multiply the errors");
});
