/**
 * Pages that differ from one another in one thing each: what the difference adds to the page and what
 * it takes away. Every count is tried on both sides of the place where the page changes. Renew with
 * `npx vitest run --project report -u` after a change that means to change them, and read the difference.
 */

import { endedNote, type Prediction } from "@ndvm/core";
import { beforeAll, describe, expect, test } from "vitest";
import { estimateText, intervalText } from "../src/fit/summary.js";
import {
  fitFigures,
  fitReport,
  ModelCurves,
  searchFigures,
  shortText,
  studyReport,
  warningsOf,
} from "../src/index.js";
import { figuresIn, figureText, pageText } from "./figures.js";
import {
  chosen,
  heldScore,
  line,
  member,
  residualsOf,
  restart,
  richProblem,
  richResult,
  richStory,
  x,
  y,
} from "./made-up.js";

const fitPage = async (more: object = {}): Promise<readonly string[]> =>
  pageText(
    await fitReport({
      ...{ result: richResult, problem: richProblem, scores: [], x: undefined },
      ...{ command: "ndvm fit line.scm", maker: "ndvm 1.2.3" },
      ...more,
    }),
  ).split("\n");
const studyPage = async (more: object = {}): Promise<readonly string[]> =>
  pageText(await studyReport({ ...richStory, ...more })).split("\n");

/** Lines that one page has and the other has not. */
function difference(before: readonly string[], after: readonly string[]): string {
  const missing = (some: readonly string[], others: readonly string[], mark: string) =>
    some.filter((each) => !others.includes(each)).map((each) => `${mark} ${each}`);
  return [...missing(before, after, "-"), ...missing(after, before, "+")].join("\n");
}

let fit: readonly string[] = [];
let study: readonly string[] = [];
beforeAll(async () => {
  fit = await fitPage();
  study = await studyPage();
});

test("an estimate far from 0 and its interval have the digits of its error: it lay outside of 1000000 to 1000000", () => {
  for (const [estimate, error, shown, low, high] of [
    [1000003.9663, 0.022469, "1000003.966", "1000003.89", "1000004.04"],
    [-1000003.9663, 0.022469, "-1000003.966", "-1000004.04", "-1000003.89"],
    [2.015384615, 0.0168, "2.015385", "1.9616", "2.0691"],
    [1000003.9663e-12, 0.022469e-12, "0.000001000003966", "1.00000389e-6", "1.00000404e-6"],
  ] as const) {
    const [lower, upper] = [estimate - 3.2 * error, estimate + 3.2 * error];
    const row = { name: "c", estimate, error, lower, upper, remark: "" };
    expect(Number(estimateText(row))).toBe(Number(shown));
    const [from, to] = intervalText(row).split(" to ").map(Number) as [number, number];
    expect([from, to]).toEqual([Number(low), Number(high)]);
    expect(from).toBeLessThan(estimate);
    expect(to).toBeGreaterThan(estimate);
  }
});

test("a band that is not drawn is not explained: counts have none for new observations", async () => {
  const none = (prediction: Prediction): Prediction => {
    const targets = Object.entries(prediction.targets).map(([name, target]) => {
      const nothing = target.values.map(() => Number.NaN);
      return [name, { ...target, observationLower: nothing, observationUpper: nothing }];
    });
    return { ...prediction, targets: Object.fromEntries(targets) };
  };
  const result = {
    ...richResult,
    predict: (data: never) => none(richResult.predict(data)),
  };
  const text = (await fitPage({ result })).join("\n");
  expect(text).toContain("Band: where the mean lies, at 95 %.");
  expect(text).not.toContain("light band");
});

const many = (rows: number) => {
  const wide = Float64Array.from({ length: rows }, (_, row) => row / 100);
  const observed = wide.map((at, row) => line(at) + (row % 3) / 10);
  const residuals = {
    ...residualsOf(y),
    residuals: observed.map((value, row) => value - line(wide[row] as number)),
  };
  return {
    problem: { ...richProblem, data: { x: wide, y: observed } },
    result: { ...richResult, residuals },
  };
};
const grouped = (names: (row: number) => string, more: object = {}) => ({
  problem: {
    ...richProblem,
    data: { x, y, cell: Array.from(x, (_, row) => names(row)) },
    options: { groups: { by: "cell" } },
    ...more,
  },
});
const diagnosed = (diagnostics: object) => ({
  result: { ...richResult, diagnostics: { ...richResult.diagnostics, ...diagnostics } },
});
const identified = (more: object) => ({
  result: {
    ...richResult,
    identifiability: { ...(richResult.identifiability as object), ...more } as never,
  },
});
const covaried = (count: number) => {
  const names = Array.from({ length: count }, (_, at) => `n${at}`);
  const matrix = Float64Array.from({ length: count * count }, (_, at) => {
    const [i, j] = [Math.floor(at / count), at % count];
    return i === j ? (i + 1) ** 2 : 0.1 * (i + 1) * (j + 1) * (i < j ? 1 : -1);
  });
  return { result: { ...richResult, covariance: { names, matrix } } };
};
const restarted = (...losses: readonly number[]) => ({
  result: {
    ...richResult,
    restarts: losses.map((loss, index) =>
      restart(index, loss, "gradient", index !== 1, Math.min(...losses)),
    ),
  },
});

describe("the page of a fit", () => {
  test.each<[string, object]>([
    [
      "held-out rows of the one target",
      {
        scores: [heldScore],
        problem: {
          ...richProblem,
          heldOut: { x: Float64Array.of(4, 5, 6), y: heldScore.observed },
        },
      },
    ],
    ["no table", { problem: { ...richProblem, table: undefined, rows: undefined } }],
    ["no file", { problem: { ...richProblem, source: { text: "(* a x)\n\n" } } }],
    [
      "another column across",
      {
        problem: { ...richProblem, data: { x, y, w: x.map((at) => -at) }, columns: ["x", "w"] },
        x: "w",
      },
    ],
    [
      "the column of most values",
      { problem: { ...richProblem, data: { x: x.map(Math.round), y, w: x }, columns: ["x", "w"] } },
    ],
    [
      "the first of two columns alike",
      { problem: { ...richProblem, data: { x, y, w: x }, columns: ["w", "x"] } },
    ],
    ["no column", { problem: { ...richProblem, columns: [] } }],
    ["a column of one value", { problem: { ...richProblem, data: { x: x.map(() => 2), y } } }],
    ["one group", grouped(() => "u")],
    [
      "two groups and held-out rows",
      {
        ...grouped((row) => (row % 2 ? "u" : "v"), {
          heldOut: { x: Float64Array.of(4, 5, 6), y: heldScore.observed, cell: ["u", "v", "v"] },
        }),
        scores: [heldScore],
      },
    ],
    [
      "two of every diagnosis",
      diagnosed({
        branches: [
          { text: "(if (< x 1) a b)", taken: 1, notTaken: 0 },
          { text: "(if (< x 2) a b)", taken: 0, notTaken: 2345 },
          { text: "(if (< x 3) a b)", taken: 4, notTaken: 1 },
        ],
        clamped: [
          { text: "(sqrt c)", rows: 3 },
          { text: "(log d)", rows: 1 },
        ],
        flips: [
          { text: "(if (> c 0) 1 2)", rows: 1 },
          { text: `(if (> c ${"1".repeat(100)}) 1 2)`, rows: 2222 },
        ],
        nonFinite: richResult.diagnostics.nonFinite.slice(0, 1),
      }),
    ],
    [
      "no diagnosis",
      {
        result: {
          ...richResult,
          covariance: undefined,
          identifiability: undefined,
          diagnostics: {
            ...richResult.diagnostics,
            branches: [],
            clamped: [],
            flips: [],
            nonFinite: [],
          },
        },
      },
    ],
    [
      "two directions that are open",
      identified({
        undetermined: [
          { direction: { c: 1 }, words: "c can be anything" },
          { direction: { a: 1, b: -1 }, words: "a and b go together" },
        ],
        correlated: [
          ["a", "b", 0.99543],
          ["b", "c", -0.99],
        ],
      }),
    ],
    ["a correlation of one estimate", covaried(1)],
    ["correlations of two", covaried(2)],
    ["correlations of twelve", covaried(12)],
    ["correlations of thirteen", covaried(13)],
    [
      "no standard errors of a loss",
      { result: { ...richResult, loss: "huber", standardErrors: {} } },
    ],
    ["two restarts", restarted(1, 2)],
    ["a single restart", restarted(1)],
    ["restarts alike", restarted(3, 3, 3)],
    ["restarts just alike", restarted(1, 1.000001)],
    ["restarts not alike", restarted(1, 1.0000011)],
    ["restarts of loss 0", restarted(0, 0)],
    ["restarts below 0", restarted(-2, -2)],
    ["restarts on both sides of 0", restarted(2, -2)],
    ["restarts of a ratio of 50", restarted(1, 50)],
    ["restarts of a larger ratio", restarted(1, 51)],
    ["no restart that ended", restarted(Number.NaN, Infinity)],
    [
      "reasons of every kind",
      {
        result: {
          ...richResult,
          restarts: (
            ["step", "loss", "damping", "steps", "time", "aborted", "not finite", "other"] as const
          ).flatMap((reason, at) =>
            Array.from({ length: 1 + (at % 3) }, () => restart(at, at, reason as never, true)),
          ),
        },
      },
    ],
    [
      "two targets",
      {
        problem: {
          ...richProblem,
          targets: ["y", "z"],
          data: { x, y, z: y.map((value) => value + 10) },
        },
        result: {
          ...richResult,
          targets: [
            { name: "y", r2: 0.9, sigma: 0.111, scale: 1, residuals: residualsOf(y) },
            { name: "z", r2: 0.8, sigma: Number.NaN, scale: 2, residuals: undefined },
          ],
        },
      },
    ],
    [
      "trials of one number",
      {
        problem: { ...richProblem, options: { trials: [20] } },
        result: { ...richResult, loss: "binomial" },
      },
    ],
  ])("with %s", async (_, more) => {
    expect(difference(fit, await fitPage(more))).toMatchSnapshot();
  });

  test.each([200, 201, 600, 601, 800, 801, 2000, 2001])("of %i rows", async (rows) => {
    const { problem, result } = many(rows);
    const told = figuresIn(await fitFigures(result, problem)).map(({ marks, caption }) => [
      caption,
      ...marks.map(({ kind, look, points, titles }) => [kind, look, points.length, titles.length]),
    ]);
    expect(told).toMatchSnapshot();
  });

  test.each([
    ["aborted", "interrupted with Ctrl-C: this is the best so far"],
    ["time", "the time of --time is over: this is the best so far"],
  ] as const)("that was %s says so in the command's words", (stopped, words) => {
    const note = endedNote(stopped) as string;
    const notes = ["before", note, "after"];
    const result = {
      ...richResult,
      ...{ stopped, assumed: [], identifiability: undefined },
      diagnostics: { ...richResult.diagnostics, notes },
    };
    expect(warningsOf(result, richProblem)).toEqual(["before", words, "after"]);
    expect(warningsOf({ ...result, stopped: "done" }, richProblem)).toEqual(notes);
  });
});

describe("figures without a page", () => {
  const textOf = (page: string) => figuresIn(page).map(figureText).join("\n");
  test("of a fit, of an objective, of nothing", async () => {
    expect(textOf(await fitFigures(richResult, richProblem))).toMatchSnapshot();
    const objective = { ...richProblem, targets: [] };
    expect(textOf(await fitFigures(richResult, objective))).toMatchSnapshot();
    const single = { ...richResult, restarts: richResult.restarts.slice(0, 1) };
    expect(await fitFigures(single, objective)).toBe("");
  });
  test("of a fit of two targets are those of both, in their order", async () => {
    const z = Float64Array.from(richProblem.data["y"] as Float64Array, (value) => 3 * value);
    const both = { ...richProblem, targets: ["y", "z"], data: { ...richProblem.data, z } };
    const labels = figuresIn(await fitFigures(richResult, both)).map(({ label }) => label);
    const ofOne = (name: string): string[] => [
      `${name} over x: data and fit`,
      "Residuals over x",
      "Residuals over prediction",
      "Histogram of the residuals",
      `${name} against its prediction`,
    ];
    expect(labels).toEqual([...ofOne("y"), ...ofOne("z")]);
  });
  test("of a search with a choice, without one, without a front", async () => {
    expect(textOf(await searchFigures(richStory, richStory.front, chosen))).toMatchSnapshot();
    const alone = await searchFigures(richStory, richStory.front, undefined);
    expect(figuresIn(alone).map(({ label }) => label)).toMatchSnapshot();
    const model = await searchFigures(richStory, [], chosen);
    expect(figuresIn(model).map(({ label }) => label)).toMatchSnapshot();
  });
});

const plain = { params: {}, intervals: {}, simple: [], undetermined: [] };
describe("the page of a study", () => {
  test.each<[string, object]>([
    ["no choice", { chosen: undefined }],
    ["no front", { front: [], chosen: undefined }],
    ["no candidates", { counts: { ...richStory.counts, visits: 0 } }],
    ["no discoveries", { discoveries: [] }],
    ["a discovery after the end", { discoveries: [{ seconds: 9, fits: 3, r2: 1 }] }],
    ["no held-out rows", { heldOut: {} }],
    [
      "two inputs",
      {
        inputs: ["x", "z"],
        train: { x: x.slice(0, 8), z: y.slice(0, 8), y: y.slice(0, 8) },
        heldOut: { x: x.slice(8), z: y.slice(8), y: y.slice(8) },
      },
    ],
    [
      "a model that leaves the data and comes back",
      { chosen: member(7, { ...plain, source: "(* 40 (sin (* 9 x)))" }) },
    ],
    [
      "a model with a gap",
      { chosen: member(7, { ...plain, source: "(+ (* 2 x) (log (- (abs (- x 2)) 0.3)))" }) },
    ],
    [
      "a constant model and constant rows",
      {
        chosen: member(7, { ...plain, source: "7" }),
        train: { x: x.slice(0, 8), y: y.slice(0, 8).fill(7) },
        heldOut: { x: x.slice(8), y: y.slice(8).fill(7) },
      },
    ],
    [
      "rows of 0",
      {
        chosen: member(7, { ...plain, source: "0" }),
        train: { x: x.slice(0, 8), y: new Float64Array(8) },
        heldOut: {},
      },
    ],
    [
      "intervals that are open",
      {
        chosen: member(7, {
          intervals: { b: [Number.NaN, 2] } as never,
          simple: [],
          undetermined: ["b"],
        }),
      },
    ],
    [
      "members of equal loss and size",
      {
        front: [
          member(1, { complexity: 5, loss: 2 }),
          member(2, { complexity: 5, loss: 2, trainR2: 0.5 }),
          member(3, { complexity: 6, loss: 2, trainR2: 0.4 }),
          member(4, { complexity: 7, loss: 1, trainR2: 1 }),
        ],
      },
    ],
    ["forty-one ancestors", { lineage: richStory.lineage.slice(1) }],
    ["one ancestor", { lineage: richStory.lineage.slice(0, 1) }],
    [
      "two commands",
      {
        runs: richStory.runs.map((run) => ({
          ...run,
          command: `ndvm ${run.run}`,
          resumedFrom: run.run - 1,
        })),
      },
    ],
    [
      "long failures",
      {
        failures: [
          { code: "E-A", count: 1, source: "s".repeat(161), message: "m" },
          { code: "E-B", count: 2, source: "s".repeat(160), message: "n" },
        ],
      },
    ],
    ["no time", { counts: { ...richStory.counts, seconds: 0 } }],
  ])("with %s", async (_, more) => {
    expect(difference(study, await studyPage(more))).toMatchSnapshot();
  });
});

test("curves that are disposed of draw no more", async () => {
  const curves = await ModelCurves.create({ data: { x, y }, inputs: ["x"] }, "y", "ieee");
  expect(curves.predictions(member(1, {}), { x: Float64Array.of(1) })).toHaveLength(1);
  curves.dispose();
  expect(() => curves.predictions(member(1, {}), { x: Float64Array.of(1) })).toThrow();
});

test("numbers that are none stay words at any length", () => {
  for (const digits of [1, 3, 7])
    expect(
      [Number.NaN, Infinity, -Infinity, 0, -0].map((value) => shortText(value, digits)),
    ).toEqual(["NaN", "Infinity", "-Infinity", "0", "0"]);
});
