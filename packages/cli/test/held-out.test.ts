/**
 * Scores of held-out rows: each target by its own column, deviation, weight and trials, written out a second
 * time, for every loss and every way to say how much a row counts.
 */

import { type FitOptions, type FitResult, type LossName, Machine, scoreRows } from "@ndvm/core";
import { afterAll, describe, expect, test } from "vitest";
import { repeated, scoreHeldOut } from "../src/fit/held-out.js";
import type { FitProblem } from "../src/fit/problem.js";

const machine = await Machine.create();
afterAll(() => machine.dispose());

const ROWS = 5;
const of = (...numbers: number[]) => Float64Array.from(numbers);
/** Rows held out: two targets, and a column of each kind that may stand beside them. */
const heldOut = {
  y: of(1, 2, 4, 3, 0),
  v: of(2, 0, 1, 5, 3),
  s: of(0.5, 2, 1, 4, 0.25),
  w: of(1, 3, 0, 2, 5),
  n: of(6, 7, 8, 9, 10),
};
/** Shares, so that every loss takes them. */
const predicted = { y: of(0.5, 0.25, 0.4, 0.3, 0.2), v: of(0.1, 0.2, 0.3, 0.4, 0.6) };
const TARGETS = ["y", "v"] as const;
const result = {
  predictsTarget: true,
  predict: (data: unknown) => {
    expect(data).toBe(heldOut);
    return { targets: { y: { values: predicted.y }, v: { values: predicted.v } } };
  },
} as unknown as FitResult;

const scoresOf = (options: FitOptions, targets: readonly string[] = TARGETS) =>
  scoreHeldOut(result, { heldOut, targets, heldOutOptions: options } as unknown as FitProblem);

const filled = (value: number) => new Float64Array(ROWS).fill(value);
const squared = (deviations: Float64Array) => deviations.map((one) => 1 / (one * one));

/** Ways to say how much rows count, and the weights of each target that they mean. */
const WAYS: readonly [
  string,
  Pick<FitOptions, "sigma" | "weights">,
  Partial<Record<"y" | "v", Float64Array>>,
][] = [
  ["none", {}, {}],
  ["a column of deviations", { sigma: "s" }, { y: squared(heldOut.s), v: squared(heldOut.s) }],
  ["one deviation", { sigma: filled(4) }, { y: filled(1 / 16), v: filled(1 / 16) }],
  [
    "a deviation of each target",
    { sigma: { y: "s", v: filled(0.5) } },
    { y: squared(heldOut.s), v: filled(4) },
  ],
  ["a deviation of one target", { sigma: { v: "s" } }, { v: squared(heldOut.s) }],
  ["a column of weights", { weights: "w" }, { y: heldOut.w, v: heldOut.w }],
  ["one weight", { weights: filled(3) }, { y: filled(3), v: filled(3) }],
  [
    "a weight of each target",
    { weights: { y: filled(2), v: "w" } },
    { y: filled(2), v: heldOut.w },
  ],
  ["a weight of one target", { weights: { y: "w" } }, { y: heldOut.w }],
];

describe.each(WAYS)("rows that count by %s", (_, sides, weights) => {
  test.each<[LossName, FitOptions, { huberWidth?: number; trials?: Float64Array }]>([
    ["squares", {}, {}],
    ["absolute", { loss: "absolute" }, {}],
    ["huber", { loss: "huber", huberWidth: 0.3 }, { huberWidth: 0.3 }],
    ["poisson", { loss: "poisson" }, {}],
    ["binomial", { loss: "binomial", trials: "n" }, { trials: heldOut.n }],
    ["binomial", { loss: "binomial", trials: filled(20) }, { trials: filled(20) }],
  ])("are scored by %s, target by target", (name, options, more) => {
    const scores = scoresOf({ ...options, ...sides });
    expect(scores.map(({ target }) => target)).toEqual([...TARGETS]);
    for (const [at, target] of TARGETS.entries()) {
      const plain = scoreRows(name, heldOut[target], predicted[target], {
        ...{ weights: weights[target], trials: more.trials, huberWidth: more.huberWidth },
      });
      expect(scores[at]).toMatchObject({ ...plain, target, rows: ROWS });
      // What predictions are drawn beside: shares where there are trials.
      const drawn = heldOut[target].map((seen, row) => seen / (more.trials?.[row] ?? 1));
      expect([...(scores[at]?.observed ?? [])]).toEqual([...drawn]);
    }
  });

  test.each([
    ["(* n (abs (- target pred)))", ["y", "v"]],
    ["(* n (abs (- y pred)))", ["y"]],
    ["(* n (abs (- v pred)))", ["v"]],
  ] as const)("have the mean of a loss of one's own: %s", (source, targets) => {
    const loss = machine.load(source);
    const scores = scoresOf({ loss, ...sides }, targets);
    for (const [at, target] of targets.entries()) {
      let [sum, total] = [0, 0];
      for (let row = 0; row < ROWS; row++) {
        const weight = weights[target]?.[row] ?? 1;
        const missed = (heldOut[target][row] as number) - (predicted[target][row] as number);
        sum += weight * (heldOut.n[row] as number) * Math.abs(missed);
        total += weight;
      }
      expect(scores[at]?.loss).toBeCloseTo(sum / total, 12);
      expect(scores[at]?.deviance).toBeNaN();
    }
    loss.dispose();
  });
});

test("a row of weight zero does not spoil the mean of a loss that has no value there", () => {
  const loss = machine.load("(log (- pred (* 10 (- y 2))))");
  const weights = of(1, 2, 0, 0, 4);
  const data = { ...heldOut, y: of(1, 2, 4, 3, 0), weights };
  const alone = {
    predictsTarget: true,
    predict: () => ({ targets: { y: { values: predicted.y } } }),
  };
  const [score] = scoreHeldOut(
    alone as unknown as FitResult,
    {
      heldOut: data,
      targets: ["y"],
      heldOutOptions: { loss, weights: "weights" },
    } as unknown as FitProblem,
  );
  const at = (row: number) =>
    Math.log((predicted.y[row] as number) - 10 * ((data.y[row] as number) - 2));
  expect(score?.loss).toBeCloseTo((at(0) + 2 * at(1) + 4 * at(4)) / 7, 12);
});

test("rows without a finite prediction are counted, but not those that do not count", () => {
  const holes = {
    predictsTarget: true,
    predict: () => ({
      targets: { y: { values: of(0.5, Number.NaN, -Infinity, 0.2, Number.NaN) } },
    }),
  } as unknown as FitResult;
  const lost = (heldOutOptions: FitOptions) =>
    scoreHeldOut(holes, { heldOut, targets: ["y"], heldOutOptions } as unknown as FitProblem)[0]
      ?.unpredicted;
  expect(lost({})).toBe(3);
  expect(lost({ weights: "w" })).toBe(2);
  expect(lost({ loss: "binomial", trials: of(6, 0, 8, 9, 0) })).toBe(1);
  expect(scoresOf({}).map(({ unpredicted }) => unpredicted)).toEqual([0, 0]);
});

test("one prediction or one loss for all rows is that of each", () => {
  const flat = {
    predictsTarget: true,
    predict: () => ({ targets: { y: { values: of(0.5) } } }),
  } as unknown as FitResult;
  const given = (options: FitOptions) =>
    scoreHeldOut(flat, {
      heldOut,
      targets: ["y"],
      heldOutOptions: options,
    } as unknown as FitProblem)[0];
  expect(given({})).toMatchObject(scoreRows("squares", heldOut.y, filled(0.5), {}));
  const loss = machine.load("(* 3 pred)");
  const flatLoss = given({ loss, weights: "w" });
  expect(flatLoss?.loss).toBeCloseTo(1.5, 12);
  expect([...repeated(of(2), 3)]).toEqual([2, 2, 2]);
  expect([...repeated(of(1, 2), 2)]).toEqual([1, 2]);
  expect([...repeated(of(), 2)]).toEqual([Number.NaN, Number.NaN]);
});
