/**
 * Scores, residuals and likelihoods belong to the loss: checked against their definitions written
 * out, and against what must hold whatever the loss is.
 */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  deviance,
  devianceAbout,
  explainedShare,
  type FitOptions,
  type LossName,
  type Optimiser,
  responses,
  rSquared,
  scoreRows,
} from "../../src/index.js";
import { fitText, noise, steps } from "./support.js";

const SEED = Number(process.env["SEED"] ?? Date.now() % 2 ** 31);
console.log(`scores: SEED=${SEED}`);
const check = { seed: SEED, numRuns: 25 };

const x = steps(-2, 2, 15);
const wobble = noise(15, 0.3);
const line = x.map((at, i) => 1.5 + 0.5 * at + (wobble[i] as number));
const counts = x.map((at, i) =>
  Math.max(0, Math.round(Math.exp(1 + 0.5 * at) + 4 * (wobble[i] as number))),
);
const trials = x.map((_, i) => 5 + (i % 4) * 7);
const hits = x.map((at, i) => {
  const share = 1 / (1 + Math.exp(-(0.3 + 1.2 * at))) + (wobble[i] as number) / 2;
  return Math.min(trials[i] as number, Math.max(0, Math.round(share * (trials[i] as number))));
});

interface Case {
  readonly source: string;
  readonly y: readonly number[];
  readonly options: Partial<FitOptions>;
}
const logistic = "(/ 1 (+ 1 (exp (- 0 (+ a (* b x))))))";
const cases: Readonly<Record<LossName, Case>> = {
  squares: { source: "(+ a (* b x))", y: line, options: {} },
  absolute: { source: "(+ a (* b x))", y: line, options: {} },
  huber: { source: "(+ a (* b x))", y: line, options: { huberWidth: 0.1 } },
  poisson: { source: "(exp (+ a (* b x)))", y: counts, options: {} },
  binomial: { source: logistic, y: hits, options: { trials: "n" } },
};

const optimisersOf = (loss: LossName): Optimiser[] =>
  loss === "squares" ? ["lm", "lbfgs", "adam"] : ["lbfgs", "adam"];

const all = (Object.keys(cases) as LossName[]).flatMap((loss) =>
  optimisersOf(loss).map((optimiser) => [loss, optimiser] as const),
);

describe("a weight is as many rows", () => {
  test.each(all)("%s by %s", async (loss, optimiser) => {
    const { source, y, options } = cases[loss];
    const weights = x.map((_, i) => (i * 7) % 4);
    const rows = weights.flatMap((weight, i) => Array<number>(weight).fill(i));
    const at = (column: readonly number[]): number[] => rows.map((row) => column[row] as number);
    const settings = { target: "y", loss, optimiser, ...options, seed: 3, steps: 300 };
    const data = { x, y, n: trials, w: weights };
    const weighted = await fitText(source, { ...settings, data, weights: "w" });
    const repeated = await fitText(source, {
      ...settings,
      data: { x: at(x), y: at(y), n: at(trials) },
    });
    expect(weighted.best.loss).toBeCloseTo(repeated.best.loss, 6);
    for (const name of ["a", "b"]) {
      const [one, other] = [weighted.best.params[name], repeated.best.params[name]];
      // The absolute loss is flat around its best: what it comes to is the same, not where.
      if (loss !== "absolute") expect(one).toBeCloseTo(other as number, 4);
    }
    expect(weighted.best.r2).toBeCloseTo(repeated.best.r2, loss === "absolute" ? 1 : 6);
    if (loss !== "poisson" && loss !== "binomial") return;
    for (const score of ["logLikelihood", "deviance", "aic", "bic"] as const)
      expect(weighted.best[score]).toBeCloseTo(repeated.best[score], 4);
    for (const name of ["a", "b"])
      expect(weighted.standardErrors[name]).toBeCloseTo(repeated.standardErrors[name] as number, 4);
  });
});

describe("rows without trials show nothing", () => {
  const binomial = { target: "y", loss: "binomial", trials: "n", weights: "w" } as const;
  const weights = x.map((_, i) => [0.5, 3, 1, 8][i % 4] as number);

  test.each([[[0]], [[4]], [[14]], [[1, 2, 7]], [[0, 5, 14]]])(
    "of weighted rows, %j might not be there",
    async (empty) => {
      const without = (column: readonly number[]) => column.filter((_, i) => !empty.includes(i));
      const cleared = (column: readonly number[]) =>
        column.map((each, i) => (empty.includes(i) ? 0 : each));
      const some = await fitText(logistic, {
        ...binomial,
        data: { x, y: cleared(hits), n: cleared(trials), w: weights },
      });
      const none = await fitText(logistic, {
        ...binomial,
        data: { x: without(x), y: without(hits), n: without(trials), w: without(weights) },
      });
      for (const name of ["a", "b"]) {
        expect(some.best.params[name]).toBeCloseTo(none.best.params[name] as number, 6);
        expect(some.standardErrors[name]).toBeCloseTo(none.standardErrors[name] as number, 6);
      }
      expect(some.best.deviance).toBeCloseTo(none.best.deviance, 8);
      for (const score of ["logLikelihood", "aic", "bic"] as const)
        expect(some.best[score]).toBeCloseTo(none.best[score], 8);
      expect(some.freedom).toBe(none.freedom);
    },
  );
});

describe("counts", () => {
  test("right estimates of a binomial are not called worse than the mean", async () => {
    const result = await fitText(logistic, {
      data: { x, y: hits, n: trials },
      target: "y",
      loss: "binomial",
      trials: "n",
    });
    const { best, residuals, diagnostics } = result;
    const predicted = [...result.predict({ x }).values];
    const share = hits.map((y, i) => y / (trials[i] as number));
    expect(best.r2).toBeGreaterThan(0.8);
    expect(diagnostics.notes.join()).not.toContain("worse than");
    expect([...(residuals?.residuals ?? [])]).toEqual(
      share.map((seen, i) => expect.closeTo(seen - (predicted[i] as number), 9)),
    );
    const part = (y: number, f: number) => (y === 0 ? 0 : y * Math.log(y / f));
    const expected = hits.map((y, i) => {
      const [m, f] = [trials[i] as number, predicted[i] as number];
      return 2 * (part(y, m * f) + part(m - y, m * (1 - f)));
    });
    expect(best.deviance).toBeCloseTo(
      expected.reduce((a, b) => a + b),
      8,
    );
    expect(result.targets[0]?.r2).toBeCloseTo(best.r2, 10);
  });

  test("Poisson's deviance is what the textbook says", async () => {
    const result = await fitText("(exp (+ a (* b x)))", {
      data: { x, y: counts },
      target: "y",
      loss: "poisson",
    });
    const predicted = result.predict({ x }).values;
    const mean = counts.reduce((a, b) => a + b) / counts.length;
    const from = (f: (i: number) => number) =>
      counts.reduce(
        (sum, y, i) => sum + 2 * ((y === 0 ? 0 : y * Math.log(y / f(i))) - y + f(i)),
        0,
      );
    const left = from((i) => predicted[i] as number);
    expect(result.best.deviance).toBeCloseTo(left, 8);
    expect(result.best.r2).toBeCloseTo(1 - left / from(() => mean), 8);
    const logFactorial = (n: number): number => (n < 2 ? 0 : Math.log(n) + logFactorial(n - 1));
    const likelihood = counts.reduce((sum, y, i) => {
      const f = predicted[i] as number;
      return sum + y * Math.log(f) - f - logFactorial(y);
    }, 0);
    expect(result.best.logLikelihood).toBeCloseTo(likelihood, 8);
  });

  test("one trial each: hits and misses", async () => {
    const y = x.map((at, i) => (at + 4 * (wobble[i] as number) > 0.2 ? 1 : 0));
    const result = await fitText(logistic, { data: { x, y }, target: "y", loss: "binomial" });
    // Every prediction of a hit or a miss can be perfect: the deviance is twice the loss.
    expect(result.best.deviance).toBeCloseTo(2 * result.best.loss, 9);
    expect(result.best.r2).toBeGreaterThan(0);
  });
});

describe("definitions", () => {
  const numbers = fc.array(fc.double({ min: -50, max: 50, noNaN: true }), {
    minLength: 3,
    maxLength: 20,
  });

  test("R² of the mean is 0, of the observations 1, and a constant has none", () => {
    fc.assert(
      fc.property(numbers, (y) => {
        fc.pre(new Set(y).size > 1 && Math.max(...y) - Math.min(...y) > 1e-3);
        const mean = y.reduce((a, b) => a + b) / y.length;
        expect(rSquared(y, y)).toBe(1);
        expect(
          rSquared(
            y,
            y.map(() => mean),
          ),
        ).toBeCloseTo(0, 8);
        expect(
          rSquared(
            y.map(() => 3),
            y,
          ),
        ).toBeNaN();
      }),
      check,
    );
  });

  test("the share of the deviance is 0 for the best constant and 1 for a perfect prediction", () => {
    const rows = fc.array(fc.tuple(fc.nat(20), fc.integer({ min: 1, max: 30 }), fc.nat(3)), {
      minLength: 3,
      maxLength: 20,
    });
    fc.assert(
      fc.property(rows, fc.constantFrom("poisson" as const, "binomial" as const), (given, loss) => {
        const y = given.map(([hit, n]) => (loss === "binomial" ? Math.min(hit, n) : hit));
        const sides = { trials: given.map(([, n]) => n), weights: given.map(([, , w]) => w + 1) };
        const seen = responses(loss, y, sides.trials);
        fc.pre(new Set(seen).size > 1);
        const all = y.reduce((sum, one, i) => sum + (sides.weights[i] as number) * one, 0);
        const of = y.reduce((sum, _, i) => {
          const n = loss === "binomial" ? (sides.trials[i] as number) : 1;
          return sum + (sides.weights[i] as number) * n;
        }, 0);
        const constant = y.map(() => all / of);
        expect(deviance(loss, y, seen, sides)).toBeCloseTo(0, 8);
        expect(explainedShare(loss, y, seen, sides)).toBeCloseTo(1, 8);
        expect(explainedShare(loss, y, constant, sides)).toBeCloseTo(0, 8);
        expect(devianceAbout(loss, y, sides)).toBeCloseTo(deviance(loss, y, constant, sides), 8);
      }),
      check,
    );
  });

  test("a score of rows has the loss's own mean and errors of the shares", () => {
    const score = scoreRows("binomial", [1, 3], [0.5, 0.5], { trials: [2, 4] });
    expect(score.rmse).toBeCloseTo(Math.sqrt(0.0625 / 2), 12);
    expect(score.mae).toBeCloseTo(0.125, 12);
    expect(score.loss).toBeCloseTo((6 * Math.log(2)) / 2, 12);
    expect(scoreRows("huber", [0, 0], [0.5, 3], { huberWidth: 1 }).loss).toBeCloseTo(
      (0.125 + 2.5) / 2,
    );
  });
});

describe("rows of weight 0", () => {
  const names: readonly LossName[] = ["squares", "absolute", "huber", "poisson", "binomial"];
  const scoresOf = (
    name: LossName,
    rows: readonly (readonly [y: number, f: number, trials: number, weight: number])[],
  ) => {
    const [observed, predicted, all, weights] = [0, 1, 2, 3].map((at) =>
      rows.map((row) => row[at] as number),
    ) as [number[], number[], number[], number[]];
    const sides = { weights, ...(name === "binomial" ? { trials: all } : {}) };
    const { rows: _all, ...score } = scoreRows(name, observed, predicted, sides);
    return {
      score,
      share: explainedShare(name, observed, predicted, sides),
      r2: rSquared(observed, predicted, weights),
      deviance: deviance(name, observed, predicted, sides),
      about: devianceAbout(name, observed, sides),
    };
  };

  test("change no score, wherever they stand and whatever they hold", () => {
    const row = fc.tuple(
      fc.integer({ min: 0, max: 6 }),
      fc.double({ min: 0.05, max: 0.95, noNaN: true }),
      fc.integer({ min: 7, max: 9 }),
      fc.integer({ min: 1, max: 3 }),
    );
    const empty = row.map(([y, f, trials]) => [y, f, trials, 0] as const);
    fc.assert(
      fc.property(
        fc.array(row, { minLength: 1, maxLength: 6 }),
        fc.array(fc.tuple(fc.nat(6), empty), { maxLength: 4 }),
        (rows, more) => {
          const mixed: (readonly [number, number, number, number])[] = [...rows];
          for (const [at, each] of more) mixed.splice(at, 0, each);
          for (const name of names) expect(scoresOf(name, mixed)).toEqual(scoresOf(name, rows));
          // Rows without trials show nothing either, whatever they weigh.
          const tried: (readonly [number, number, number, number])[] = [...rows];
          for (const [at, [, f]] of more) tried.splice(at, 0, [0, f, 0, 1 + (at % 3)]);
          const { r2: _all, ...found } = scoresOf("binomial", tried);
          const { r2: _some, ...alone } = scoresOf("binomial", rows);
          expect(found).toEqual(alone);
        },
      ),
      { ...check, numRuns: 200 },
    );
  });

  test("are not what there is to explain: R² of a constant with an unweighed outlier was -Infinity", () => {
    const rows = [[2, 0.5, 9, 1], [2, 0.4, 9, 3], [5, 0.1, 9, 0]] as const; // biome-ignore format: rows
    for (const name of names) expect(scoresOf(name, rows).r2).toBeNaN();
    expect(scoresOf("poisson", rows).share).toBeNaN();
  });
});
