/**
 * Whole pages, word for word and point for point, of results that nobody fitted: nothing on a page
 * changes unseen. Renew with `npx vitest run --project report -u` after a change that means to change
 * them, and read the difference.
 */

import { describe, expect, test } from "vitest";
import { fitReport, parameterRows, studyReport, summaryText, warningsOf } from "../src/index.js";
import { pageText } from "./figures.js";
import {
  heldScore,
  residualsOf,
  restart,
  richProblem,
  richResult,
  richStory,
  x,
  y,
} from "./made-up.js";

const page = async (more: object = {}): Promise<string> =>
  pageText(
    await fitReport({
      ...{ result: richResult, problem: richProblem, scores: [], x: undefined },
      ...{ command: "ndvm fit line.scm", maker: "ndvm 1.2.3" },
      ...more,
    }),
  );

const heldOut = { x: Float64Array.of(4, 5, 6), y: heldScore.observed };

describe("the page of a fit", () => {
  test("with something of everything", async () => {
    expect(await page()).toMatchSnapshot();
  });

  test("of two targets with held-out rows", async () => {
    const z = y.map((value) => value + 10);
    const result = {
      ...richResult,
      residuals: undefined,
      targets: [
        { name: "y", r2: 0.9, sigma: 0.111, scale: 1, residuals: residualsOf(y) },
        { name: "z", r2: Number.NaN, sigma: 0.222, scale: 2, residuals: residualsOf(z, 10) },
      ],
    };
    const problem = {
      ...richProblem,
      targets: ["y", "z"],
      data: { x, y, z },
      heldOut: { ...heldOut, z: Float64Array.of(1, 2, 3) },
      rows: {
        ...richProblem.rows,
        taken: { length: 12 },
        heldOut: { length: 3 },
        filtered: 0,
        missing: 0,
      },
      readMilliseconds: 499,
    };
    const scores = [heldScore, { ...heldScore, target: "z", rows: 1, r2: Number.NaN }];
    expect(await page({ result, problem, scores })).toMatchSnapshot();
    expect(summaryText(result, problem, scores)).toMatchSnapshot();
  });

  test("of an objective", async () => {
    const result = {
      ...richResult,
      mode: "objective" as const,
      loss: "objective",
      sigma: Number.NaN,
      best: { ...richResult.best, r2: Number.NaN, deviance: Number.NaN, logLikelihood: Number.NaN },
      standardErrors: { a: Number.NaN },
      covariance: undefined,
      identifiability: undefined,
      residuals: undefined,
      restarts: [restart(0, 0.0456, "damping", false)],
      diagnostics: {
        ...richResult.diagnostics,
        branches: [],
        clamped: [],
        flips: [],
        nonFinite: [],
      },
      export: () => "x".repeat(121),
    };
    const problem = { ...richProblem, targets: [], table: undefined, rows: undefined };
    expect(await page({ result, problem })).toMatchSnapshot();
    expect(summaryText(result, problem, [])).toMatchSnapshot();
  });

  test("of counts", async () => {
    const counts = y.map(Math.round);
    const problem = { ...richProblem, data: { x, y: counts }, heldOut };
    for (const loss of ["poisson", "binomial"]) {
      const result = { ...richResult, loss, fixed: {}, assumed: ["c", "d"] };
      expect(summaryText(result, problem, [heldScore])).toMatchSnapshot();
    }
  });
});

describe("a summary", () => {
  test("with something of everything", () => {
    expect(summaryText(richResult, richProblem, [])).toMatchSnapshot();
    const style = { bold: (text: string) => `**${text}**`, dim: (text: string) => `_${text}_` };
    expect(summaryText(richResult, richProblem, [heldScore], style)).toMatchSnapshot();
  });

  test.each([
    [60, 61],
    [61, 12],
  ])("of %s parameters has a table of %s lines", (count, lines) => {
    const names = Array.from({ length: count }, (_, at) => `p${at}`);
    const params = Object.fromEntries(names.map((name, at) => [name, at + 0.5]));
    const result = {
      ...richResult,
      ...{ parameters: names, fixed: {}, standardErrors: {}, intervals: {} },
      identifiability: undefined,
      best: { ...richResult.best, params },
    };
    const text = summaryText(result, richProblem, []);
    expect(text.split("\n").findIndex((line) => !/^(parameter|p\d|…)/.test(line))).toBe(lines);
  });

  test("remarks on parameters: at a bound before run off before open", () => {
    const names = ["a", "b", "c", "d"];
    const result = {
      ...richResult,
      parameters: names,
      standardErrors: { a: 1, b: 1, c: Number.NaN, d: 1 },
      identifiability: {
        ...(richResult.identifiability as NonNullable<typeof richResult.identifiability>),
        atBounds: ["b"],
        undetermined: [{ direction: { a: 1, b: 1, c: 1, d: 1 }, words: "all" }],
      },
      diagnostics: {
        ...richResult.diagnostics,
        runaways: ["b", "d"].map((name) => ({
          name,
          value: 1e9,
          kind: "ran off" as const,
          words: "it ran off",
        })),
      },
    };
    expect(parameterRows(result).map(({ name, remark }) => `${name} ${remark}`)).toEqual([
      "a ",
      "b at a bound",
      "c not determined",
      "d ran off",
      "g fixed",
    ]);
  });

  test("warnings: how it ended, what goes together, what is assumed, what is not read", () => {
    const correlated = richResult;
    expect(warningsOf(correlated, richProblem)).toMatchSnapshot();
    const none = {
      ...richResult,
      freedom: 0,
      assumed: ["c", "d"],
      identifiability: undefined,
    };
    expect(warningsOf(none, { ...richProblem, columns: [] })).toMatchSnapshot();
    const names = Array.from({ length: 13 }, (_, at) => `n${at}`);
    const table = { name: "wide.csv", rowCount: 1, names };
    expect(warningsOf(none, { ...richProblem, columns: [], table })).toMatchSnapshot();
    const twelve = { ...table, names: names.slice(1) };
    expect(warningsOf(none, { ...richProblem, columns: [], table: twelve })).toMatchSnapshot();
    const objective = { ...none, mode: "objective" as const, assumed: [] };
    expect(warningsOf(objective, richProblem)).toEqual(["mind the gap"]);
    expect(warningsOf({ ...none, freedom: 1, assumed: [] }, richProblem)).toEqual(["mind the gap"]);
  });

  test.each([
    [[0.5, 0.5000004, 0.50001], "3 of 3 restarts converged, 2 to the best loss"],
    [[0, 0, 1e-17], "3 of 3 restarts converged, 2 to the best loss"],
    [[-2, -2.000001, -3], "3 of 3 restarts converged, 2 to the best loss"],
  ])("restarts of losses %j: %s", (losses, words) => {
    const restarts = losses.map((loss, index) => restart(index, loss, "gradient", true, losses[0]));
    const best = { ...richResult.best, loss: losses[0] as number };
    expect(summaryText({ ...richResult, restarts, best }, richProblem, [])).toContain(words);
  });

  test("a single restart converged or did not", () => {
    for (const [hasConverged, words] of [
      [true, "lm, converged, "],
      [false, "lm, did not converge, "],
    ] as const) {
      const restarts = [restart(0, 1, "steps", hasConverged)];
      expect(summaryText({ ...richResult, restarts }, richProblem, [])).toContain(words);
    }
  });
});

describe("the page of a study", () => {
  test("with something of everything", async () => {
    expect(pageText(await studyReport(richStory))).toMatchSnapshot();
  });

  test("without warnings, commands, failures and constants", async () => {
    const story = {
      ...richStory,
      warnings: [],
      failures: [],
      why: undefined,
      runs: richStory.runs.slice(1),
      lineage: richStory.lineage.slice(0, 40),
      chosen: richStory.front[0],
      discoveries: richStory.discoveries.slice(0, 1),
      counts: { ...richStory.counts, seconds: 0.0001 },
    };
    expect(pageText(await studyReport(story))).toMatchSnapshot();
  });
});
