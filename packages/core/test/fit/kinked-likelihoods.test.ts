/**
 * Likelihoods and losses with kinks: they have no second derivatives there, so no standard error comes of them, and
 * what is said of the fit is true. Smooth ones have errors as they had, whatever kinks are elsewhere.
 */

import { describe, expect, test } from "vitest";
import { Random } from "../../src/fit/math/random.js";
import { nearestToZero } from "../../src/fit/optimise/bundle.js";
import { type FitOptions, type FitResult, fit, Machine } from "../../src/index.js";
import { fitText } from "./support.js";

const seed = Number(process.env["SEED"] ?? Math.floor(Math.random() * 2 ** 31));
console.info(`kinked likelihoods: SEED=${seed}`);
const random = new Random(seed, 0);
const uniform = (from: number, to: number): number => from + (to - from) * random.uniform();
const whole = (from: number, to: number): number => Math.floor(uniform(from, to + 1));
const heavy = (): number => uniform(-0.5, 0.5) / Math.max(0.05, random.uniform());
const of = <T>(list: ArrayLike<T>, i: number): T => list[i] as T;

const sum = (all: readonly number[]): number => all.reduce((a, b) => a + b, 0);
const median = (all: readonly number[]): readonly [number, number] => {
  const sorted = [...all].sort((a, b) => a - b);
  return [of(sorted, (all.length - 1) >> 1), of(sorted, all.length >> 1)];
};

/** That nothing false is said: no error of a kinked parameter, and nothing of data that leave it open. */
function expectNoErrors(
  { standardErrors, intervals, covariance, diagnostics, identifiability }: FitResult,
  names: readonly string[],
) {
  const size = covariance?.names.length ?? 0;
  for (const name of names) {
    expect(standardErrors[name], name).toBeNaN();
    expect(intervals[name], name).toEqual([Number.NaN, Number.NaN]);
    const at = covariance?.names.indexOf(name) ?? 0;
    for (let j = 0; j < size; j++) expect(covariance?.matrix[at * size + j]).toBeNaN();
  }
  const notes = diagnostics.notes.join("; ");
  expect(notes).toContain("no standard error: the likelihood has a kink near");
  expect(notes).not.toMatch(/not determined|rounding|did not converge|lower/);
  expect(identifiability?.undetermined).toEqual([]);
}

const likelihood = { isNegativeLogLikelihood: true } as const;

describe("errors of a hundredth of the right ones, and that nothing is determined, were told of", () => {
  test("medians of 3 to 30 numbers, by a loss of each row", async () => {
    for (let turn = 0; turn < 30; turn++) {
      const y = Array.from({ length: whole(3, 30) }, () => uniform(-1, 9) + heavy());
      const loss = "(+ (abs (- pred y)) (log 2))";
      const result = await fitText("mu", { ...likelihood, data: { y }, target: "y", loss });
      const [low, high] = median(y);
      expect(result.best.params["mu"]).toBeGreaterThan(low - 1e-9);
      expect(result.best.params["mu"]).toBeLessThan(high + 1e-9);
      expect(result.restarts[0]?.hasConverged).toBe(true);
      expectNoErrors(result, ["mu"]);
    }
  });

  test("medians and mean deviations, by a program that is the likelihood", async () => {
    let arrived = 0;
    for (let turn = 0; turn < 30; turn++) {
      const count = 2 * whole(2, 12) + 1;
      const y = Array.from({ length: count }, () => uniform(-1, 9) + heavy());
      const result = await fitText(`(+ (/ (vsum (abs (- y mu))) s) (* ${count} (log (* 2 s))))`, {
        ...{ ...likelihood, data: { y }, params: { mu: 1, s: { start: 1, scale: "log" } } },
      });
      const [middle] = median(y);
      const deviation = sum(y.map((each) => Math.abs(each - middle))) / count;
      expect(result.best.params["mu"]).toBeCloseTo(middle, 2);
      if (result.restarts[0]?.hasConverged !== true) continue;
      arrived += 1;
      expect(result.best.params["mu"]).toBeCloseTo(middle, 5);
      expect((result.best.params["s"] as number) / deviation).toBeCloseTo(1, 5);
      expectNoErrors(result, ["mu"]);
      // The deviation's own error, beside a median that is held.
      expect((result.standardErrors["s"] as number) / (deviation / Math.sqrt(count))).toBeCloseTo(
        1,
        5,
      );
    }
    expect(arrived).toBeGreaterThan(24);
  });

  test("Laplace regressions, as a loss of each row and as a program", async () => {
    let arrived = 0;
    for (let turn = 0; turn < 20; turn++) {
      const x = Array.from({ length: whole(6, 18) }, () => uniform(0, 8));
      const y = x.map((at) => 1 + 0.4 * at + heavy());
      const n = x.length;
      let least = Infinity;
      for (let i = 0; i < n; i++)
        for (let j = 0; j < i; j++) {
          const b = (of(y, i) - of(y, j)) / (of(x, i) - of(x, j));
          const away = x.map((at, k) => Math.abs(of(y, k) - of(y, i) - b * (at - of(x, i))));
          least = Math.min(least, sum(away));
        }
      const rows = await fitText("(+ a (* b x))", {
        ...{ ...likelihood, data: { x, y }, target: "y", loss: "(+ (abs (- pred y)) (log 2))" },
      });
      expect(rows.best.loss).toBeCloseTo(least + n * Math.log(2), 8);
      expect(rows.restarts[0]?.hasConverged).toBe(true);
      expectNoErrors(rows, ["a", "b"]);
      expect(rows.predict({ x: [1] }).standardErrors?.[0]).toBeNaN();
      const program = `(+ (/ (vsum (abs (- y (+ a (* b x))))) s) (* ${n} (log (* 2 s))))`;
      const all = await fitText(program, {
        ...{ ...likelihood, data: { x, y }, params: { a: 1, b: 1, s: { start: 1, scale: "log" } } },
      });
      const exact = n + n * Math.log((2 * least) / n);
      // Nobody promises that every program arrives, only that it says so.
      const hasArrived = all.restarts[0]?.hasConverged === true;
      arrived += Number(hasArrived);
      expect(all.best.loss).toBeLessThan(exact + (hasArrived ? 1e-6 : 1e-2));
      if (hasArrived) expectNoErrors(all, ["a", "b"]);
    }
    expect(arrived).toBeGreaterThan(15);
  });
});

test("in single precision, errors by the jump of a slope were told of lines that kinks hold", async () => {
  const single = await Machine.create({ precision: "f32" });
  const loss = "(let ((d (- pred y))) (+ (abs d) (* 0.1 (pow d 2))))";
  let told = 0;
  for (let turn = 0; turn < 30; turn++) {
    const x = Array.from({ length: whole(5, 8) }, () => uniform(0, 4));
    const y = x.map((at) => 3 + 2 * at + uniform(-0.15, 0.15));
    const { standardErrors } = await fit(single.load("(+ a (* b x))"), {
      ...{ ...likelihood, data: { x, y }, target: "y", loss, params: { a: 0.5, b: 0.5 } },
    });
    told += Number(Object.values(standardErrors).some(Number.isFinite));
  }
  // Rounding may hide a kink now and then.
  expect(told).toBeLessThan(4);
  single.dispose();
});

test("smooth likelihoods have the errors that they have without kinks far away", async () => {
  for (let turn = 0; turn < 20; turn++) {
    const count = whole(5, 20);
    const y = Array.from({ length: count }, () => uniform(-1, 1));
    const far = uniform(2, 9);
    const params: FitOptions["params"] = { mu: 0.3, s: { start: 1, scale: "log" } };
    const smooth = `(+ (/ (vsum (square (- y mu))) (* 2 s s)) (* ${count} (log s)))`;
    const alone = await fitText(smooth, { ...likelihood, data: { y }, params });
    const beside = `(+ ${smooth} (max 0 (- mu ${far})) (abs (max 0 (- s ${far}))))`;
    const kinks = await fitText(beside, { ...likelihood, data: { y }, params });
    expect(kinks.standardErrors).toEqual(alone.standardErrors);
    expect(kinks.diagnostics.notes).toEqual(alone.diagnostics.notes);
    expect(Object.values(alone.standardErrors).every(Number.isFinite)).toBe(true);
  }
});

describe("a program as the loss ended at a kink short of its minimum and was called converged:", () => {
  const check = (share: number) => `(max (* ${share} d) (* ${share - 1} d))`;

  test("check losses of lines, at every quantile", async () => {
    for (let turn = 0; turn < 30; turn++) {
      const share = uniform(0.1, 0.9);
      const x = Array.from({ length: whole(5, 20) }, () => uniform(0, 8));
      const y = x.map((at) => 1 + 0.4 * at + heavy());
      let least = Infinity;
      for (let i = 0; i < x.length; i++)
        for (let j = 0; j < i; j++) {
          const b = (of(y, i) - of(y, j)) / (of(x, i) - of(x, j));
          const away = x.map((at, k) => of(y, k) - of(y, i) - b * (at - of(x, i)));
          least = Math.min(least, sum(away.map((d) => Math.max(share * d, (share - 1) * d))));
        }
      const program = `(vsum (let ((d (- y (+ a (* b x))))) ${check(share)}))`;
      const { best, restarts } = await fitText(program, { data: { x, y } });
      expect(best.loss / least).toBeGreaterThan(1 - 1e-9);
      if (restarts[0]?.hasConverged) expect(best.loss / least).toBeLessThan(1 + 1e-6);
      expect(best.loss / least).toBeLessThan(1.01);
    }
  });

  test("beside another kink within the distance at which slopes are compared", async () => {
    const x = [
      -0.7958431243896484, -0.3923853635787964, 1.3759534358978271, 0.923405647277832,
      1.0902032852172852, 1.3863801956176758, 1.230210304260254, 1.3073015213012695,
      2.5676660537719727, 2.4063844680786133, 1.8559885025024414,
    ];
    const y = [
      -1.0776393413543701, 0.20374539121985435, 3.309650182723999, 3.25302055478096,
      3.49919855594635, 3.7688342332839966, 3.3068281412124634, 3.4230176210403442,
      5.721704125404358, 5.7631522715091705, 4.866800308227539,
    ];
    const params = { a: 0.5, b: 0.5 };
    const loss = "(abs (- (abs pred) y))";
    const { best } = await fitText("(+ a (* b x))", { data: { x, y }, target: "y", loss, params });
    // The line on which row 0 is at 0 and row 5 at its target.
    const b = of(y, 5) / (of(x, 5) - of(x, 0));
    const least = sum(x.map((at, i) => Math.abs(Math.abs(b * (at - of(x, 0))) - of(y, i))));
    expect(best.loss).toBeGreaterThan(least - 1e-9);
    expect(best.loss).toBeLessThan(least + 1e-8);
  });

  test("where it cannot be followed down, it says so", async () => {
    // A valley whose floor is a thousand times less steep than its walls, and bent.
    const source = "(+ (abs (- (* a b) 3)) (* 1e-3 (abs (- a 2))))";
    const { best, restarts, diagnostics } = await fitText(source, {});
    if (best.loss < 1e-9) return;
    expect(restarts[0]?.hasConverged).toBe(false);
    expect(diagnostics.notes.join()).toContain("ended at a kink of the loss");
  });

  test("in single precision", async () => {
    const single = await Machine.create({ precision: "f32" });
    const { best, restarts } = await fit(single.load("(+ (abs (- a 3)) (* 2 (abs (- b a))))"), {});
    expect(best.params["a"]).toBeCloseTo(3, 2);
    expect(best.params["b"]).toBeCloseTo(3, 2);
    expect(restarts[0]?.hasConverged).toBe(true);
    single.dispose();
  });
});

test("the mixture of vectors that is nearest to 0 lies before all of them", () => {
  for (let turn = 0; turn < 500; turn++) {
    const size = whole(1, 6);
    const off = turn % 2 === 0 ? 0 : 2;
    const vectors = Array.from({ length: whole(1, 20) }, () =>
      Float64Array.from({ length: size }, () => off + uniform(-1, 1)),
    );
    const nearest = nearestToZero(vectors);
    const along = (vector: Float64Array) =>
      sum([...nearest].map((each, j) => each * of(vector, j)));
    for (const vector of vectors) expect(along(vector)).toBeGreaterThan(along(nearest) - 1e-9);
  }
});

test("a parameter at a kink was said not to be determined by the data", async () => {
  const valley = "(+ (abs (- 1 a)) (* 100 (abs (- b (* a a)))))";
  for (const start of [
    { a: -1.2, b: 1 },
    { a: 0.5, b: 0.1 },
    { a: 2, b: -3 },
  ]) {
    const { diagnostics, best } = await fitText(valley, { params: start });
    expect(diagnostics.notes.join("; ")).not.toContain("determined");
    const { a = 0, b = 0 } = best.params;
    // Which it is: the loss rises by about 1 for a hundredth of b.
    expect(100 * Math.abs(b + 0.01 - a * a)).toBeGreaterThan(0.5);
  }
  const beside = await fitText("(+ (abs (- a 2)) (* 0 b))", { params: { a: 1, b: 1 } });
  expect(beside.diagnostics.notes.join()).toContain("the loss does not depend on b");
  const flat = await fitText("(square (square (- a 2)))", { params: { a: 1 } });
  expect(flat.diagnostics.notes.join("; ")).not.toContain("determined");
});
