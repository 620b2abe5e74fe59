/**
 * `detail: "scores"` is told by other ways through the code than the whole result, and tells the same numbers
 * wherever both tell them: every loss, with one, two and three targets, with all sides that rows may have, groups
 * and optimisers. Shares that are explained are computed a third time, from the predictions.
 */

import { describe, expect, test } from "vitest";
import { losses } from "../../src/fit/loss/loss-table.js";
import {
  explainedShare,
  type FitOptions,
  type FitResult,
  fit,
  fitFromJSON,
  type LossName,
  Machine,
  rSquared,
} from "../../src/index.js";
import { machine, noise, steps } from "./support.js";

const ROWS = 18;
const x = steps(-2, 3, ROWS);
const wobble = noise(3 * ROWS, 0.6);
const off = (i: number, t: number): number => wobble[i + t * ROWS] as number;
const groups = x.map((_, i) => "pq"[i % 2] as string);
const trials = x.map((_, i) => 4 + (i % 3) * 6);
const three = [0, 1, 2];
const names = ["y", "z", "u"];

/** Targets of very different kinds, so that one is not taken for another. */
const numbers = three.map((t) => x.map((at, i) => 10 ** t * (1.5 + (t - 0.5) * at + off(i, t))));
const counts = three.map((t) =>
  x.map((at, i) => Math.max(0, Math.round(3 + 5 * t + (1 - t) * at + 4 * off(i, t)))),
);
const hits = three.map((t) =>
  x.map((at, i) => {
    const share = 0.3 + 0.1 * t + (0.05 + 0.04 * t) * at + off(i, t) / 3;
    return Math.min(trials[i] as number, Math.max(0, Math.round(share * (trials[i] as number))));
  }),
);
const weights = three.map((t) => x.map((_, i) => [1, 2.5, 0, 0.5, 3][(i + t) % 5] as number));
const deviations = three.map((t) => x.map((_, i) => 10 ** t * (0.2 + 0.05 * ((i + t) % 5))));

const kinds = {
  squares: { link: (line: string) => line, columns: numbers },
  absolute: { link: (line: string) => line, columns: numbers },
  huber: { link: (line: string) => line, columns: numbers },
  poisson: { link: (line: string) => `(exp ${line})`, columns: counts },
  binomial: { link: (line: string) => `(/ 1 (+ 1 (exp (- ${line}))))`, columns: hits },
  "(log (+ 1 (square (- pred target))))": { link: (line: string) => line, columns: numbers },
};
type Kind = keyof typeof kinds;

const byName = <T>(lists: readonly T[], count: number): Record<string, T> =>
  Object.fromEntries(names.slice(0, count).map((name, t) => [name, lists[t] as T]));

/** What rows may have beside them, for so many targets. */
const sides: Readonly<Record<string, (count: number) => FitOptions>> = {
  "nothing beside": () => ({}),
  "one column of weights": () => ({ weights: "w" }),
  "weights as numbers": () => ({ weights: weights[0] as number[] }),
  "weights of each target": (count) => ({ weights: byName(weights, count) }),
  "weights of the last target": (count) => ({
    weights: { [names[count - 1] as string]: weights[1] as number[] },
  }),
  "deviations of each target": (count) => ({ sigma: byName(deviations, count) }),
  "deviations that are all the same": () => ({ sigma: x.map(() => 0.5) }),
};

const shared = { by: "g", params: ["a0"] };
const optimisers = ["auto", "lbfgs", "adam"] as const;

interface Case {
  readonly name: string;
  readonly source: string;
  readonly options: FitOptions;
  readonly kind: Kind;
  readonly count: number;
}

function caseOf(kind: Kind, count: number, side: string, index: number): Case {
  const { link, columns } = kinds[kind];
  const lines = three.slice(0, count).map((t) => link(`(+ a${t} (* b${t} x))`));
  const optimiser = optimisers[index % 3] ?? "auto";
  const hasGroups = index % 2 === 1;
  return {
    name: `${kind}, ${count} targets, ${side}, by ${optimiser}${hasGroups ? ", groups" : ""}`,
    source: count === 1 ? (lines[0] as string) : `(vec ${lines.join(" ")})`,
    options: {
      data: { x, w: weights[0] as number[], n: trials, g: groups, ...byName(columns, count) },
      target: count === 1 ? "y" : names.slice(0, count),
      ...{
        loss: kind,
        optimiser,
        steps: optimiser === "adam" ? 25 : 200,
        restarts: 2,
        seed: index,
      },
      params: { a0: { range: [0.1, 2] }, b0: 0.1 },
      ...(sides[side] as (count: number) => FitOptions)(count),
      ...(kind === "binomial" ? { trials: "n" } : {}),
      ...(kind === "huber" ? { huberWidth: 0.7 } : {}),
      ...(hasGroups ? { groups: shared } : {}),
    },
    kind,
    count,
  };
}

const cases = (Object.keys(kinds) as Kind[]).flatMap((kind, k) =>
  [1, 2, 3].flatMap((count) =>
    Object.keys(sides).map((side, s) => caseOf(kind, count, side, k + count + 2 * s)),
  ),
);

/** As `toEqual`, but numbers may differ in their last digits. */
function expectClose(got: unknown, wanted: unknown, where: string): void {
  if (typeof got === "number" && typeof wanted === "number") {
    if (Object.is(got, wanted) || Math.abs(got - wanted) <= 1e-9 * Math.max(1, Math.abs(wanted)))
      return;
    expect(got, where).toBe(wanted);
  } else if (typeof got === "object" && got !== null) {
    expect(Object.keys(got), where).toEqual(Object.keys(wanted as object));
    for (const [key, one] of Object.entries(got))
      expectClose(one, (wanted as Record<string, unknown>)[key], `${where}.${key}`);
  } else expect(got, where).toBe(wanted);
}

const SLACK = "short of its best value";

/** All that both results tell, and what each leaves out. */
function expectSame(scores: FitResult, full: FitResult): void {
  const same = ["mode", "optimiser", "loss", "seed", "points", "freedom", "parameters"] as const;
  for (const key of [...same, "assumed", "fixed", "best", "sigma", "reducedChi"] as const)
    expectClose(scores[key], full[key], key);
  for (const key of ["level", "stopped"] as const) expect(scores[key], key).toBe(full[key]);
  const numbersOf = ({ targets }: FitResult) => targets.map(({ residuals: _, ...rest }) => rest);
  expectClose(numbersOf(scores), numbersOf(full), "targets");
  expect(scores.targets.every(({ residuals }) => residuals === undefined)).toBe(true);
  // Whether a parameter is short of its best value only a whole result looks.
  const isShort = full.diagnostics.notes.some((note) => note.includes(SLACK));
  for (const [i, one] of full.restarts.entries()) {
    const denied = isShort && i === full.best.restart;
    const wanted = denied ? { ...one, hasConverged: scores.restarts[i]?.hasConverged } : one;
    expect(scores.restarts[i]).toEqual(wanted);
  }
  for (const note of scores.diagnostics.notes)
    if (!isShort) expect(full.diagnostics.notes).toContain(note);
  expect({ ...scores.counters, milliseconds: 0 }).toEqual({ ...full.counters, milliseconds: 0 });
  for (const key of ["covariance", "identifiability", "residuals"] as const)
    expect(scores[key], key).toBe(undefined);
  expect(Object.values(scores.standardErrors).every(Number.isNaN)).toBe(true);
  expect(Object.keys(scores.standardErrors)).toEqual(Object.keys(full.standardErrors));
}

/** The share of each target that is explained, by its predictions. */
function expectShares(result: FitResult, { kind, count, options }: Case): void {
  const data = options.data as Record<string, number[]>;
  const predicted = result.predict({ x, g: groups });
  for (const { name, r2 } of result.targets) {
    const weights = sidesOf(options, name);
    const f = predicted.targets[name]?.values as Float64Array;
    const seen = data[name] as number[];
    const beside = {
      ...{ weights, trials: kind === "binomial" ? trials : undefined },
      huberWidth: options.huberWidth,
    };
    const loss = Object.hasOwn(losses, kind) ? (kind as LossName) : "program";
    const share =
      loss === "squares" ? rSquared(seen, f, weights) : explainedShare(loss, seen, f, beside);
    expectClose(r2, share, `R² of ${name}`);
    if (count === 1) expectClose(result.best.r2, share, "R²");
  }
}

function sidesOf({ weights: given, sigma }: FitOptions, name: string) {
  const told = (sigma ?? given) as string | number[] | Record<string, number[]> | undefined;
  const ofAll = told === "w" ? weights[0] : Array.isArray(told) ? told : undefined;
  const own = ofAll ?? (told as Record<string, number[]> | undefined)?.[name];
  return own?.map((one) => (sigma === undefined ? one : 1 / one ** 2));
}

describe("scores are those of the whole result and of its predictions", () => {
  test.each(cases)("$name", async (one) => {
    const program = machine.load(one.source);
    const full = await fit(program, one.options);
    const scores = await fit(program, { ...one.options, detail: "scores" });
    expectSame(scores, full);
    expectShares(full, one);
    expectShares(scores, one);
    const rows = { x: [-1, 0.5, 7], g: ["q", "p", "q"] };
    const wanted = full.predict(rows);
    const back = fitFromJSON(program, JSON.parse(JSON.stringify(scores)));
    for (const plain of [scores.predict(rows), back.predict(rows)]) {
      expect(plain.values).toEqual(wanted.values);
      for (const { name } of full.targets)
        expect(plain.targets[name]?.values).toEqual(wanted.targets[name]?.values);
      expect(plain.observationUpper.every(Number.isNaN)).toBe(true);
    }
    program.dispose();
  });
});

describe("a fit that has not arrived was called converged where only its scores were asked for:", () => {
  const both = async (source: string, options: FitOptions, on: Machine = machine) => {
    const program = on.load(source);
    const full = await fit(program, { ...options, detail: "full" });
    const scores = await fit(program, { ...options, detail: "scores" });
    program.dispose();
    expect(full.restarts[0]?.hasConverged).toBe(false);
    expect(scores.restarts[0]?.hasConverged).toBe(false);
    return scores.diagnostics.notes.join();
  };

  test("too large to look", async () => {
    const g = Array.from({ length: 402 }, (_, i) => `g${i % 201}`);
    const options: FitOptions = {
      ...{ data: { y: noise(402, 3), g }, target: "y", loss: "absolute" },
      ...{ groups: { by: "g", params: ["a"] }, params: { a: 0.1 } },
    };
    expect(await both("(+ a 0)", options)).toContain("too large to see whether");
  });

  test("rounding hides the rest", async () => {
    const single = await Machine.create({ precision: "f32" });
    const at = steps(1e7, 1e7 + 40, 21);
    const away = noise(21, 2);
    const data = { x: at, y: at.map((one, i) => 1 + 2 * one + (away[i] as number)) };
    const notes = await both("(+ a (* b x))", { data, target: "y", loss: "absolute" }, single);
    expect(notes).toContain("rounding keeps the fit from following it");
    single.dispose();
  });

  test("still on its way", async () => {
    const data = {
      x: [2.3306867415085435, 2.1496602008119226, 3.7697698548436165, 1.7065822621807456],
      y: [0.7289973113598438, 0.8418492736131942, 1.0060814698791216, 1.1478966504339563],
    };
    const params = {
      ...{ a: { start: 2.6325557004945055 }, k: { start: 2.3513576501328375 } },
      c: { start: 1.0557231456798832, bounds: [0, null] as const },
    };
    const options: FitOptions = { data, target: "y", loss: "absolute", params };
    expect(await both("(+ c (* a (exp (- (* k x)))))", options)).toContain("still falls here");
  });
});
