/**
 * Results of fits and studies that nobody fitted: plain data in which every number differs from every
 * other, so that whoever mixes two of them up shows it.
 */

import type { FitDiagnostics, FitResult, Prediction, RestartOutcome } from "@ndvm/core";
import type { FittedProblem, HeldOutScore, StudyMember, StudyStory } from "../src/index.js";

const NOTHING: FitDiagnostics = {
  predicateOnly: [],
  branches: [],
  clamped: [],
  flips: [],
  flipLog: [],
  instability: 0,
  nonFinite: [],
  runaways: [],
  notes: [],
};

export const x = Float64Array.from({ length: 12 }, (_, row) => 0.5 + row / 4);
export const y = x.map((at, row) => 2 * at + 1 + 0.1 * Math.cos(5 * row));
export const line = (at: number): number => 2 * at + 1;

/** What a line predicts, with bands whose four edges all differ. */
function predict(columns: Readonly<Record<string, unknown>>): Prediction {
  const at = columns["x"] as Float64Array;
  const moved = (by: number): Float64Array => at.map((place) => line(place) + by);
  const one = {
    values: moved(0),
    standardErrors: moved(0).fill(0.1),
    lower: moved(-0.2),
    upper: moved(0.3),
    observationLower: moved(-0.7),
    observationUpper: moved(0.9),
  };
  return { ...one, targets: { y: one, z: { ...one, values: moved(10) } } };
}

const residuals = (observed: Float64Array, start = 0): NonNullable<FitResult["residuals"]> => ({
  residuals: observed.map((value, row) => value - line(x[row] as number) - start),
  mean: 0.0123456,
  durbinWatson: 1.98765,
  runs: 7,
  runsExpected: 6.54321,
  runsScore: 0.43219,
  words: [],
});

export const restart = (
  index: number,
  loss: number,
  reason: RestartOutcome["reason"],
  hasConverged: boolean,
  best = 0.0456,
): RestartOutcome => ({
  ...{ index, start: {}, params: {}, loss, steps: 5, evaluations: 6, reason, hasConverged },
  hasBestLoss: Math.abs(loss - best) <= 1.000001e-6 * Math.abs(best),
});

const identifiability = {
  parameters: 3,
  rank: 2,
  condition: 123.456,
  undetermined: [{ direction: { c: 1 }, words: "c can be anything" }],
  atBounds: ["b"],
  correlated: [["a", "b", 0.99543]] as const,
};

/** A fit of a line with something of everything. */
export const richResult: FitResult = {
  mode: "residual",
  predictsTarget: true,
  optimiser: "lm",
  loss: "squares",
  seed: 42,
  points: 12,
  freedom: 9,
  parameters: ["a", "b", "c"],
  assumed: ["c"],
  fixed: { g: 9.81 },
  best: {
    params: { a: 1.2345678, b: 2.5, c: -3 },
    loss: 0.0456,
    r2: 0.98765432,
    deviance: 0.0456,
    logLikelihood: 13.5791,
    aic: -19.1582,
    bic: -17.2184,
    restart: 1,
  },
  sigma: 0.0711,
  level: 0.95,
  covariance: { names: ["a", "b", "c"], matrix: Float64Array.of(4, 1, 2, 1, 9, -3, 2, -3, 25) },
  standardErrors: { a: 0.0123456, b: 0.25, c: Number.NaN },
  intervals: { a: [1.2, 1.27], b: [2, 3], c: [Number.NaN, Number.NaN] },
  identifiability,
  residuals: residuals(y),
  targets: [],
  restarts: [
    restart(0, 0.0456, "gradient", true),
    restart(1, 0.0912, "steps", false),
    restart(2, 0.04560000001, "step", true),
    restart(3, Number.NaN, "not finite", false),
    restart(4, 0.06, "loss", true),
    restart(5, 0.0456, "gradient", true),
  ],
  stopped: "done",
  diagnostics: {
    ...NOTHING,
    branches: [{ text: "(if (< x 1) a b)", taken: 5, notTaken: 7 }],
    clamped: [{ text: "(sqrt c)", rows: 3 }],
    flips: [{ text: "(if (> c 0) 1 2)", rows: 1 }],
    nonFinite: Array.from({ length: 7 }, (_, at) => ({
      ...{ restart: at + 1, row: 10 * (at + 1), text: "(log c)", message: `log of ${-at}` },
    })),
    notes: ["mind the gap"],
  },
  counters: { rounds: 17, evaluations: 12345, milliseconds: 67.89 },
  predict,
  export: () => "1.235 + 2.5·x",
  toJSON: () => ({ version: 1 }),
};

export const richProblem: FittedProblem = {
  source: { text: "(+ a (* b x) (* c g))\n", file: "line.scm" },
  targets: ["y"],
  columns: ["x"],
  data: { x, y },
  heldOut: undefined,
  table: { name: "line.csv", rowCount: 2013, names: ["x", "y"] },
  rows: { taken: { length: 12 }, heldOut: { length: 0 }, filtered: 1999, missing: 2 },
  options: {},
  readMilliseconds: 1234,
};

export const heldScore: HeldOutScore = {
  target: "y",
  rows: 3,
  rmse: 0.123456,
  mae: 0.0987654,
  r2: 0.87654321,
  deviance: 4.5678,
  loss: 0.0152414,
  observed: Float64Array.of(8.1, 9.2, 10.3),
  residuals: Float64Array.of(0.1, 0.2, 0.3),
  unpredicted: 0,
} as HeldOutScore;

export const residualsOf = residuals;

export const member = (id: number, more: Partial<StudyMember>): StudyMember => ({
  id,
  source: "(+ c (* b x))",
  params: { b: 2.00001, c: 1.01 },
  intervals: { b: [1.9, 2.1], c: [-0.912345, 2.112345] },
  simple: ["b"],
  undetermined: ["c"],
  complexity: 5,
  loss: 0.25,
  r2: 0.9912345,
  trainR2: 0.9812345,
  bic: -12.34567,
  score: 0.51234,
  length: 40.56,
  parts: { data: 20.11, constants: 10.22, symbols: 9.33, gaps: 0.9 },
  ...more,
});

const small = member(3, {
  ...{ source: "(* 2 x)", params: {}, intervals: {}, simple: [], undetermined: [] },
  ...{ complexity: 3, loss: 12, r2: 0.71, trainR2: 0.7, bic: 3.21, score: 0, length: 61.5 },
  parts: { data: 50.1, constants: 0, symbols: 11.4, gaps: 0 },
});
const beside = member(9, { complexity: 7, loss: 0.3, trainR2: 1, r2: 0.95, length: 44 });
const large = member(11, { complexity: 9, loss: 0.1, trainR2: 0.995, r2: 0.992, length: 47 });
export const chosen = member(7, {});

export const richStory: StudyStory = {
  file: "study.db",
  target: "y",
  inputs: ["x"],
  domain: "ieee",
  train: { x: x.slice(0, 8), y: y.slice(0, 8) },
  heldOut: { x: x.slice(8), y: y.slice(8) },
  options: { seed: 5, keep: "all", description: "", nothing: null, limits: { steps: 7 } },
  front: [small, chosen, beside, large],
  chosen,
  why: "it is the shortest",
  warnings: ["few rows are held out"],
  counts: { visits: 12345, fits: 8640, seconds: 2.5, duplicates: 1234, failed: 321 },
  failures: [
    { code: "E-TYPE", count: 1300, source: `(car ${"x ".repeat(100)})`, message: "no pair" },
    { code: "E-STEPS", count: 20, source: "(loop ((s x)) (recur s))", message: "too long" },
  ],
  discoveries: [
    { seconds: 0.25, fits: 12, r2: 0.5 },
    { seconds: 0.75, fits: 120, r2: 0.9 },
    { seconds: 1.5, fits: 1200, r2: 0.99 },
  ],
  throughput: [
    { second: 0, visits: 50 },
    { second: 1, visits: 70 },
    { second: 2, visits: 30 },
  ],
  timings: { screen: 0.11, walk: 0.22, replay: 0.33, fit: 1.44, score: 0.55, fitShare: 0.876 },
  lineage: Array.from({ length: 42 }, (_, at) => ({
    id: 100 - at,
    proposer: "evolve",
    origin: at % 2 === 0 ? "grow" : "cross",
    parents: at === 41 ? [] : [99 - at, 1],
    r2: at === 1 ? Number.NaN : 0.99 - at / 100,
    source: `(+ c ${at})`,
  })),
  runs: [
    {
      ...{ run: 1, started: "on Monday", workers: 2, command: "ndvm search a", resumedFrom: 0 },
      versions: { ndvm: "0.1.0", node: "20" },
    },
    { run: 2, started: "on Tuesday", workers: 3, command: "", resumedFrom: 4321, versions: {} },
  ],
};
