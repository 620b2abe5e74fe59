/**
 * Scores, residuals and words belong to the loss. What a prediction means to a loss of the user's own is found out, and
 * nothing is said of differences between things that are not alike.
 */

import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { losses } from "../../src/fit/loss/loss-table.js";
import { huberCentre, medianOf } from "../../src/fit/quality/centres.js";
import { explainedShare, fit, fitFromJSON, type LossName, Machine } from "../../src/index.js";
import { fitText, machine, noise, steps } from "./support.js";

const SEED = Number(process.env["SEED"] ?? Date.now() % 2 ** 31);
console.log(`own losses: SEED=${SEED}`);
const check = { seed: SEED, numRuns: 100 };

const x = steps(0, 9, 10);
const line = "(+ a (* b x))";
const chances = "(sigmoid (+ a (* b x)))";
const z = [0, 0, 0, 1, 0, 1, 0, 1, 1, 1];
const counts = [1, 2, 1, 4, 5, 9, 12, 20, 30, 44];
const outliers = [1, 1.1, 0.9, 1, 1.05, 30, 0.95, 1, 1.1, 30];
const likelihood = { isNegativeLogLikelihood: true } as const;

describe("a prediction that is not on the target's scale", () => {
  test.each([
    ["logits", "(- (softplus pred) (* y pred))", z, chances, "binomial"],
    ["logarithms of rates", "(- (exp pred) (* y pred))", counts, "(exp (+ a (* b x)))", "poisson"],
  ])("%s: right estimates were called worse than the mean", async (_, loss, y, mean, name) => {
    const settings = { data: { x, y }, target: "y", params: { a: 0.5, b: 0.1 } };
    const written = await fitText(line, { ...settings, loss, ...likelihood });
    const named = await fitText(mean, { ...settings, loss: name });
    for (const key of ["a", "b"]) {
      expect(written.best.params[key]).toBeCloseTo(named.best.params[key] as number, 5);
      expect(written.standardErrors[key]).toBeCloseTo(named.standardErrors[key] as number, 4);
    }
    expect([written.predictsTarget, named.predictsTarget]).toEqual([false, true]);
    expect(written.best.r2).toBeNaN();
    expect(written.targets[0]?.r2).toBeNaN();
    expect(written.residuals).toBeUndefined();
    expect(written.diagnostics.notes).toEqual([]);
    const again = fitFromJSON(machine.load(line), written.toJSON());
    expect([again.predictsTarget, again.residuals]).toEqual([false, undefined]);
  });

  test("a quantile was called worse than the mean", async () => {
    const y = x.map((at, i) => 2 + at / 2 + (noise(10, 8)[i] as number));
    const loss = "(max (* 0.9 (- y pred)) (* -0.1 (- y pred)))";
    const result = await fitText(line, { data: { x, y }, target: "y", loss });
    expect(result.predictsTarget).toBe(true);
    expect(result.best.r2).toBeNaN();
    expect(result.diagnostics.notes.join()).not.toContain("worse than");
    const predicted = result.predict({ x }).values;
    const left = y.map((one, i) => one - (predicted[i] as number));
    expect([...(result.residuals?.residuals ?? [])]).toEqual(left);
  });

  test("a loss of the user's own that a constant would lower says so", async () => {
    const y = x.map((at) => 100 + at);
    const result = await fitText("(* a x)", {
      ...{ data: { x, y }, target: "y", loss: "(square (- pred y))" },
    });
    expect(result.diagnostics.notes).toContain(
      "y is predicted worse than by a constant: start nearer, take more restarts",
    );
  });
});

describe("what a prediction means to a loss", () => {
  const numbers = fc.array(fc.integer({ min: -30, max: 30 }), { minLength: 4, maxLength: 12 });
  const positive = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 4, maxLength: 12 });
  const bits = fc.array(fc.integer({ min: 0, max: 1 }), { minLength: 4, maxLength: 12 });
  const whole = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 4, maxLength: 12 });
  const unit = fc.constantFrom(1e-9, 1e-3, 1, 1e6);
  const one = fc.constant(1);
  const machines = [machine, Machine.create({ precision: "f32" })];

  const alike = [
    ["squares", "(square (- pred y))", numbers, unit],
    ["absolute deviations", "(abs (- pred target))", numbers, unit],
    ["a quantile", "(max (* 0.9 (- y pred)) (* -0.1 (- y pred)))", numbers, unit],
    ["squares beside a column", "(* w (square (- pred y)))", numbers, unit],
    ["Student's t", "(+ 3 (* 2.5 (log (+ 1 (/ (square (- pred y)) 4)))))", numbers, one],
    ["a hinge around the target", "(max 0 (- (abs (- pred y)) 0.5))", numbers, one],
    ["relative errors", "(square (/ (- pred y) y))", positive, unit],
    ["errors of logarithms", "(square (- (log pred) (log y)))", positive, unit],
    ["counts over their mean", "(- pred (* y (log pred)))", whole, one],
    ["a gamma distribution", "(+ (/ y pred) (log pred))", positive, unit],
    ["a chance", "(- (- 0 (* y (log pred))) (* (- 1 y) (log (- 1 pred))))", bits, one],
  ] as const;
  const unlike = [
    ["a logit", "(- (softplus pred) (* y pred))", bits, one],
    ["the logarithm of a rate", "(- (exp pred) (* y pred))", whole, one],
    ["half of it", "(square (- (* 2 pred) y))", positive, unit],
    ["its logarithm", "(square (- (exp pred) y))", positive, one],
    ["what it exceeds", "(square (- (+ pred 7) y))", numbers, one],
    ["one end of an interval", "(- pred (* y 0))", positive, unit],
    ["nothing", "(* 0 pred)", positive, unit],
  ] as const;

  const predictsTarget = async (loss: string, y: number[], isSingle: boolean) => {
    const on = await machines[isSingle ? 1 : 0];
    const data = { x: y.map((_, i) => i), y, w: y.map((_, i) => (i % 3) + 1) };
    const size = Math.max(...y.map(Math.abs), 1e-300);
    const params = { a: { start: 0.5 * size, bounds: [0.1 * size, 0.9 * size] as const } };
    const options = { data, target: "y", loss, params, steps: 1, detail: "scores" } as const;
    return (await fit((on as Machine).load("a"), options)).predictsTarget;
  };

  test.each([
    ...alike.map((one) => [...one, true] as const),
    ...unlike.map((one) => [...one, false] as const),
  ])("%s", async (_, loss, rows, units, isAlike) => {
    await fc.assert(
      fc.asyncProperty(rows, units, fc.boolean(), async (y, size, isSingle) => {
        fc.pre(new Set(y).size > 1);
        const told = predictsTarget(
          loss,
          y.map((each) => each * size),
          isSingle,
        );
        expect(await told).toBe(isAlike);
      }),
      { ...check, numRuns: 25 },
    );
  });

  test("several targets", async () => {
    const data = { x, y: x.map((at) => 3 * at), v: x.map((at) => 1000 - at * at) };
    const source = "(vec (* a x) (+ b (* c x)))";
    const told = async (loss: string) =>
      (await fitText(source, { data, target: ["y", "v"], loss })).predictsTarget;
    expect(await told("(abs (- pred target))")).toBe(true);
    expect(await told("(abs (- (+ pred x) target))")).toBe(false);
  });

  test("rows of weight 0 do not matter", async () => {
    const weights = x.map((_, i) => (i === 4 ? 0 : 1));
    const loss = "(abs (- (+ pred (if (= x 4) 5 0)) y))";
    const settings = { data: { x, y: counts }, target: "y", loss };
    expect((await fitText(line, { ...settings, weights })).predictsTarget).toBe(true);
    expect((await fitText(line, settings)).predictsTarget).toBe(false);
  });
});

describe("the share that distances explain", () => {
  test.each(["absolute", "huber"] as const)(
    "the least sum beside outliers was called worse than the mean (%s)",
    async (loss) => {
      const settings = { data: { x, y: outliers }, target: "y", loss };
      const { best, targets, diagnostics } = await fitText(line, settings);
      expect(best.r2).toBeGreaterThan(0);
      expect(best.r2).toBeLessThan(0.1);
      expect(targets[0]?.r2).toBe(best.r2);
      expect(diagnostics.notes.join()).not.toContain("worse than");
    },
  );

  const row = fc.tuple(fc.integer({ min: -50, max: 50 }), fc.integer({ min: 0, max: 4 }));
  const rows = fc.array(row, { minLength: 2, maxLength: 14 });

  test.each(["absolute", "huber"] as const)(
    "%s: 1 of the target, 0 of the best constant, and no constant is above 0",
    (name: LossName) => {
      fc.assert(
        fc.property(rows, fc.double({ min: 0.01, max: 200, noNaN: true }), (given, huberWidth) => {
          const y = given.map(([one]) => one);
          const weights = given.map(([, weight]) => weight);
          fc.pre(new Set(y.filter((_, i) => weights[i] !== 0)).size > 1);
          const sides = { weights, huberWidth };
          const of = (constant: number) =>
            explainedShare(name, y, new Float64Array(y.length).fill(constant), sides);
          expect(explainedShare(name, y, y, sides)).toBe(1);
          const centre =
            name === "huber" ? huberCentre(y, huberWidth, weights) : medianOf(y, weights);
          expect(of(centre)).toBeCloseTo(0, 12);
          for (const constant of [...y, ...steps(-50, 50, 301)])
            expect(of(constant)).toBeLessThan(1e-12);
        }),
        check,
      );
    },
  );

  test("Huber's centre is the mean where all are near, and the median where none is", () => {
    fc.assert(
      fc.property(rows, (given) => {
        const y = given.map(([one]) => one);
        const weights = given.map(([, weight]) => weight + 1);
        const total = weights.reduce((a, b) => a + b);
        const mean = y.reduce((sum, one, i) => sum + one * (weights[i] as number), 0) / total;
        expect(huberCentre(y, 1e3, weights)).toBeCloseTo(mean, 9);
        const sumAt = (c: number) =>
          y.reduce(
            (sum, one, i) => sum + (weights[i] as number) * losses.absolute.point(one, c, 1, 1),
            0,
          );
        const median = medianOf(y, weights);
        expect(sumAt(huberCentre(y, 1e-9, weights))).toBeCloseTo(sumAt(median), 6);
      }),
      check,
    );
  });
});

test("weights of a declared likelihood enter its BIC as repeated rows do", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 10, maxLength: 10 }),
      async (weights) => {
        const repeated = (column: readonly number[]) =>
          column.flatMap((one, i) => Array<number>(weights[i] as number).fill(one));
        const settings = {
          ...{ target: "y", loss: "(- (exp pred) (* y pred))", params: { a: 0, b: 0.1 } },
          ...likelihood,
        };
        const weighted = await fitText(line, { ...settings, data: { x, y: counts }, weights });
        const data = { x: repeated(x), y: repeated(counts) };
        const plain = await fitText(line, { ...settings, data });
        for (const score of ["loss", "logLikelihood", "aic", "bic"] as const)
          expect(weighted.best[score]).toBeCloseTo(plain.best[score], 5);
      },
    ),
    { ...check, numRuns: 10 },
  );
});

describe("what a loss means to the target was found out for each of a search's fits", () => {
  const how = { data: { x, y: counts }, target: "y", params: { a: 0, b: 0.1 } } as const;
  const own = "(log (cosh (- pred y)))";
  const logit = "(- (log (+ 1 (exp pred))) (* pred y))";

  test.each(["scores", "attempt"] as const)("by %s nobody asks for it", async (detail) => {
    const loss = machine.load(own, { inputs: ["y"] });
    const evaluate = vi.spyOn(loss, "evaluate");
    const told = await fitText(line, { ...how, loss, detail });
    expect(evaluate).not.toHaveBeenCalled();
    expect(told.predictsTarget).toBe(true);
    expect(evaluate).toHaveBeenCalled();
    const calls = evaluate.mock.calls.length;
    expect([told.predictsTarget, told.diagnostics.notes]).toEqual([true, []]);
    expect(evaluate.mock.calls.length).toBe(calls);
  });

  test.each([own, logit])("and is told as by the whole result: %s", async (loss) => {
    const all = { ...how, data: { x, y: z }, loss };
    const whole = await fitText(line, all);
    for (const detail of ["scores", "attempt"] as const) {
      const told = await fitText(line, { ...all, detail });
      expect(told.predictsTarget).toBe(whole.predictsTarget);
      expect(told.toJSON()["predictsTarget"]).toBe(whole.predictsTarget);
    }
  });

  test("of a loss that is gone nothing false is told", async () => {
    const loss = machine.load(own);
    const told = await fitText(line, { ...how, loss, detail: "scores" });
    const whole = await fitText(line, { ...how, loss });
    loss.dispose();
    expect(() => told.predictsTarget).toThrow(expect.objectContaining({ code: "E-DISPOSED" }));
    expect(whole.predictsTarget).toBe(true);
  });
});
