/**
 * What a fit says about its result, against closed forms and known cases.
 */

import { describe, expect, test } from "vitest";
import { type FitJson, fit, fitFromJSON } from "../../src/index.js";
import { fitText, machine, noise, steps } from "./support.js";

const x = steps(0, 9, 10);
const y = [1.1, 2.9, 5.2, 7.1, 8.8, 11.3, 12.9, 15.2, 16.8, 19.1];
const line = "(+ a (* b x))";

/** Weighted straight line in closed form. */
function closedForm(weights: readonly number[]) {
  const sum = (f: (i: number) => number) =>
    x.reduce((so, _, i) => so + (weights[i] as number) * f(i), 0);
  const at = (list: readonly number[], i: number) => list[i] as number;
  const [s, sx, sy] = [sum(() => 1), sum((i) => at(x, i)), sum((i) => at(y, i))];
  const [sxx, sxy] = [sum((i) => at(x, i) ** 2), sum((i) => at(x, i) * at(y, i))];
  const d = s * sxx - sx * sx;
  const a = (sxx * sy - sx * sxy) / d;
  const b = (s * sxy - sx * sy) / d;
  const rss = sum((i) => (at(y, i) - a - b * at(x, i)) ** 2);
  return { a, b, rss, varA: sxx / d, varB: s / d, covAB: -sx / d };
}

describe("least squares of a straight line", () => {
  test("estimates, errors, intervals and criteria are the textbook's", async () => {
    const r = await fitText(line, { data: { x, y }, target: "y" });
    const expected = closedForm(x.map(() => 1));
    const s2 = expected.rss / 8;
    expect(r.best.params["a"]).toBeCloseTo(expected.a, 11);
    expect(r.best.params["b"]).toBeCloseTo(expected.b, 11);
    expect(r.best.loss).toBeCloseTo(expected.rss, 11);
    expect(r.sigma).toBeCloseTo(Math.sqrt(s2), 11);
    expect(r.standardErrors["a"]).toBeCloseTo(Math.sqrt(s2 * expected.varA), 11);
    expect(r.standardErrors["b"]).toBeCloseTo(Math.sqrt(s2 * expected.varB), 11);
    expect(r.covariance?.matrix[1]).toBeCloseTo(s2 * expected.covAB, 11);
    // Student's t of 8 degrees at 97.5 %: 2.306004135.
    const reach = 2.306004135033371 * Math.sqrt(s2 * expected.varB);
    expect(r.intervals["b"]?.[0]).toBeCloseTo(expected.b - reach, 10);
    expect(r.intervals["b"]?.[1]).toBeCloseTo(expected.b + reach, 10);
    const logLikelihood = -5 * (Math.log(2 * Math.PI) + Math.log(expected.rss / 10) + 1);
    expect(r.best.logLikelihood).toBeCloseTo(logLikelihood, 10);
    expect(r.best.aic).toBeCloseTo(6 - 2 * logLikelihood, 10);
    expect(r.best.bic).toBeCloseTo(3 * Math.log(10) - 2 * logLikelihood, 10);
    expect(r.identifiability).toMatchObject({ rank: 2, parameters: 2, undetermined: [] });
  });

  test("known deviations weigh the points and set the errors", async () => {
    const sigma = x.map((_, i) => 0.1 + 0.05 * i);
    const r = await fitText(line, { data: { x, y, s: sigma }, target: "y", sigma: "s" });
    const expected = closedForm(sigma.map((value) => 1 / value ** 2));
    expect(r.best.params["b"]).toBeCloseTo(expected.b, 10);
    expect(r.standardErrors["b"]).toBeCloseTo(Math.sqrt(expected.varB), 10);
    const weighted = await fitText(line, {
      data: { x, y },
      target: "y",
      weights: sigma.map((value) => 1 / value ** 2),
    });
    expect(weighted.best.params["b"]).toBeCloseTo(expected.b, 10);
    const s2 = expected.rss / 8;
    expect(weighted.standardErrors["b"]).toBeCloseTo(Math.sqrt(s2 * expected.varB), 10);
  });

  test("a weight of 0 leaves a point out, even where the program fails to be finite", async () => {
    const data = { x: [...x, -1], y: [...y, 7] };
    const weights = [...x.map(() => 1), 0];
    const r = await fitText("(+ a (* b (if (< x 0) (log x) x)))", { data, target: "y", weights });
    expect(r.best.params["b"]).toBeCloseTo(closedForm(x.map(() => 1)).b, 10);
  });

  test("predictions have bands, wider for observations", async () => {
    const r = await fitText(line, { data: { x, y }, target: "y" });
    const { a, b, rss, varA, varB, covAB } = closedForm(x.map(() => 1));
    const p = r.predict({ x: [4.5, 20] });
    expect(p.values[1]).toBeCloseTo(a + 20 * b, 9);
    const error = Math.sqrt((rss / 8) * (varA + 40 * covAB + 400 * varB));
    expect(p.standardErrors[1]).toBeCloseTo(error, 10);
    expect(p.upper[1]).toBeCloseTo(a + 20 * b + 2.306004135033371 * error, 9);
    expect(p.observationUpper[1]).toBeGreaterThan(p.upper[1] as number);
    expect(() => r.predict({ z: [1] })).toThrow("the data have no column x");
  });

  test("ten thousand rows, taken in blocks, give what a repeated table gives", async () => {
    const many = (column: readonly number[]) => Array.from({ length: 1000 }, () => column).flat();
    const r = await fitText(line, { data: { x: many(x), y: many(y) }, target: "y" });
    const { a, b, rss, varB } = closedForm(x.map(() => 1));
    expect(r.best.params["a"]).toBeCloseTo(a, 10);
    expect(r.best.params["b"]).toBeCloseTo(b, 10);
    expect(r.best.loss / (1000 * rss)).toBeCloseTo(1, 10);
    const error = Math.sqrt(((1000 * rss) / 9998) * (varB / 1000));
    expect(r.standardErrors["b"]).toBeCloseTo(error, 10);
  });

  test("a program without columns is fitted: the mean", async () => {
    const r = await fitText("m", { data: { y }, target: "y" });
    expect(r.best.params["m"]).toBeCloseTo(y.reduce((s, v) => s + v, 0) / 10, 12);
  });
});

describe("what the data do not determine", () => {
  const words = async (source: string, params = {}) => {
    const r = await fitText(source, { data: { x, y }, target: "y", params });
    return r.identifiability?.undetermined.map((one) => one.words);
  };

  test("a product, a quotient, a sum and a difference are told as such", async () => {
    expect(await words("(* a b x)", { a: 2, b: 3 })).toEqual(["a and b only enter as a·b"]);
    expect(await words("(* (/ a b) x)", { a: 2, b: 3 })).toEqual(["a and b only enter as a/b"]);
    expect(await words("(* (+ a b) x)")).toEqual(["a and b only enter as a + b"]);
    expect(await words("(+ 1 (* (- a b) x))", { a: 3, b: 1.5 })).toEqual([
      "a and b only enter as a − b",
    ]);
    expect(await words("(* a b c x)", { a: 2, b: 3, c: 1.5 })).toEqual([
      "a, b and c only enter as a·b·c",
      "a, b and c only enter as a·b·c",
    ]);
  });

  test("undetermined parameters have no errors, determined ones do", async () => {
    const r = await fitText("(+ c (* a b x))", {
      data: { x, y },
      target: "y",
      params: { a: 2, b: 3 },
    });
    expect(r.identifiability?.rank).toBe(2);
    expect(r.standardErrors["a"]).toBeNaN();
    expect(r.standardErrors["c"]).toBeCloseTo(0.13, 1);
  });

  test("a sum of two equal exponentials is not determined", async () => {
    const t = steps(0, 3, 16);
    const r = await fitText("(+ (* a (exp (- (* k t)))) (* b (exp (- (* m t)))))", {
      data: { t, y: t.map((v) => 2 * Math.exp(-v)) },
      target: "y",
      params: { a: 1, b: 1, k: 1, m: 1 },
    });
    expect(r.identifiability?.rank).toBe(2);
    expect(r.identifiability?.undetermined.map((one) => one.words)).toEqual([
      "a and b only enter as a + b",
      "the terms of a, k and of b, m are alike, and k equals m: one of them is enough",
    ]);
  });

  test("a likelihood's directions are told by its value", async () => {
    const r = await fitText("(* 0.5 (vsum (square (/ (- y (* a b x)) 0.1))))", {
      data: { x, y },
      params: { a: 2, b: 3 },
      isNegativeLogLikelihood: true,
    });
    expect(r.identifiability).toMatchObject({ rank: 1, parameters: 2 });
    expect(r.identifiability?.undetermined.map((one) => one.words)).toEqual([
      "a and b only enter as a·b",
    ]);
    expect(r.standardErrors["a"]).toBeNaN();
  });

  test("a parameter that only stands in a test is named", async () => {
    const r = await fitText("(if (< x c) (* a x) (* 2 a x))", {
      data: { x, y },
      target: "y",
      params: { c: 4 },
    });
    expect(r.diagnostics.predicateOnly).toEqual(["c"]);
    expect(r.best.params["c"]).toBe(4);
    expect(r.diagnostics.branches[0]).toMatchObject({ taken: 4, notTaken: 6 });
    expect(r.standardErrors["c"]).toBeNaN();
    expect(r.standardErrors["a"]).toBeGreaterThan(0);
  });
});

describe("checks of residuals", () => {
  test("a curve fitted by a line leaves a pattern, noise does not", async () => {
    const t = steps(0, 5, 40);
    const bent = await fitText("(+ a (* b t))", {
      data: { t, y: t.map((v) => v * v) },
      target: "y",
    });
    expect(bent.residuals?.durbinWatson).toBeLessThan(0.5);
    expect(bent.residuals?.words.length).toBeGreaterThan(0);
    expect(bent.residuals?.runs).toBe(3);
    const off = noise(40, 0.2);
    const fine = await fitText("(+ a (* b t))", {
      data: { t, y: t.map((v, i) => v + (off[(i * 7) % 40] as number)) },
      target: "y",
    });
    expect(fine.residuals?.mean).toBeCloseTo(0, 10);
  });
});

describe("scores alone", () => {
  const options = { data: { x, y }, target: "y", restarts: 3, seed: 5 } as const;

  test("a result of scores tells every field that a full one has, and the same of the best", async () => {
    const full = await fitText(line, options);
    const scores = await fitText(line, { ...options, detail: "scores" });
    for (const key of Object.keys(full)) expect(key in scores, key).toBe(true);
    const left = ["covariance", "identifiability", "residuals"];
    const stored = Object.keys(full.toJSON()).filter((key) => !left.includes(key));
    expect(Object.keys(scores.toJSON())).toEqual(stored);
    const { best, sigma, freedom, points, parameters, restarts, stopped, loss, fixed } = scores;
    const known = { best, sigma, freedom, points, parameters, restarts, stopped, loss, fixed };
    expect(full).toMatchObject(known);
    expect(scores.targets).toEqual([{ ...full.targets[0], r2: best.r2, residuals: undefined }]);
    expect(scores.counters).toMatchObject({ evaluations: full.counters.evaluations });
    expect(scores.identifiability).toBeUndefined();
    expect(scores.covariance).toBeUndefined();
    expect(scores.standardErrors).toEqual({ a: Number.NaN, b: Number.NaN });
    expect(scores.intervals["a"]).toEqual([Number.NaN, Number.NaN]);
    expect(scores.diagnostics.notes).toEqual([]);
  });

  test("its methods can be taken off it, and its numbers stay when the program is gone", async () => {
    const program = machine.load(line);
    const result = await fit(program, { ...options, detail: "scores" });
    const { predict, toJSON, export: exportAs } = result;
    expect(predict({ x: [1, 2] }).values).toEqual(result.predict({ x: [1, 2] }).values);
    const text = JSON.stringify(toJSON());
    expect(exportAs("scheme")).toBe(result.export("scheme"));
    program.dispose();
    expect(result.restarts.length).toBe(3);
    expect(JSON.stringify(result)).toBe(text);
  });
});

describe("JSON", () => {
  test("a result comes back with its numbers and its predictions", async () => {
    const program = machine.load("(* a (exp (- (* k x))))");
    const data = { x, y: x.map((v, i) => 3 * Math.exp(-0.3 * v) + 0.01 * (i % 3)) };
    const params = { k: { scale: "log" as const, bounds: [0.01, 10] as const } };
    const r = await fit(program, { data, target: "y", params, restarts: 2 });
    const text = JSON.stringify(r);
    const back = fitFromJSON(program, JSON.parse(text) as FitJson);
    expect(JSON.stringify(back)).toBe(text);
    expect(back.best).toEqual(r.best);
    expect(back.predict({ x: [1, 2] })).toEqual(r.predict({ x: [1, 2] }));
    expect(() => fitFromJSON(machine.load("(* q x)"), r.toJSON())).toThrow("no parameter a");
  });
});
