/**
 * Losses other than squares, groups, and programs whose value is the loss.
 */

import { describe, expect, test } from "vitest";
import { fit, mat } from "../../src/index.js";
import { fitText, machine, refusal, steps } from "./support.js";

const x = steps(0, 9, 10);

describe("losses", () => {
  const straight = x.map((v) => 1 + 2 * v);
  const spoilt = straight.map((v, i) => (i === 7 ? v + 50 : v));

  test("absolute and Huber's losses resist an outlier", async () => {
    const data = { x, y: spoilt };
    const squares = await fitText("(+ a (* b x))", { data, target: "y" });
    expect(Math.abs((squares.best.params["b"] as number) - 2)).toBeGreaterThan(0.5);
    const huber = await fitText("(+ a (* b x))", {
      data,
      target: "y",
      loss: "huber",
      huberWidth: 0.1,
    });
    expect(huber.best.params["b"]).toBeCloseTo(2, 1);
    const absolute = await fitText("(+ a (* b x))", {
      data,
      target: "y",
      loss: "absolute",
      restarts: 4,
    });
    expect(absolute.best.loss).toBeLessThan(50.5);
    expect(absolute.optimiser).toBe("lbfgs");
  });

  test("Poisson's loss of a constant gives the mean, its error and its likelihood", async () => {
    const y = [2, 0, 3, 1, 4, 2, 5, 1, 2, 0];
    const r = await fitText("m", { data: { y }, target: "y", loss: "poisson", params: { m: 1 } });
    expect(r.best.params["m"]).toBeCloseTo(2, 6);
    // The Fisher information of n counts of mean 2 is n/2.
    expect(r.standardErrors["m"]).toBeCloseTo(Math.sqrt(2 / 10), 5);
    const factorials = [2, 1, 6, 1, 24, 2, 120, 1, 2, 1];
    const expected = y.reduce(
      (s, k, i) => s + k * Math.log(2) - 2 - Math.log(factorials[i] as number),
      0,
    );
    expect(r.best.logLikelihood).toBeCloseTo(expected, 8);
    expect(await refusal("m", { data: { y: [-1, 2] }, target: "y", loss: "poisson" })).toContain(
      "the target is -1 in row 1",
    );
  });

  test("the binomial loss of a constant gives the share of successes", async () => {
    const data = { y: [3, 5, 2], n: [10, 10, 20] };
    const params = { p: { bounds: [0, 1] as const, start: 0.5 } };
    const r = await fitText("p", { data, target: "y", loss: "binomial", trials: "n", params });
    expect(r.best.params["p"]).toBeCloseTo(0.25, 6);
    expect(r.standardErrors["p"]).toBeCloseTo(Math.sqrt((0.25 * 0.75) / 40), 5);
    const [low, high] = r.intervals["p"] as readonly [number, number];
    expect(low).toBeGreaterThan(0);
    expect(high).toBeLessThan(1);
  });

  test("a loss can be a program over pred, the target and columns", async () => {
    const loss = machine.load("(* s (expt (- pred y) 2))");
    const s = x.map((_, i) => 1 + (i % 3));
    const y = x.map((v, i) => 1 + 2 * v + (i % 2));
    const data = { x, y, s };
    const params = { z: { fixed: 0 } };
    const source = "(+ a (* b x) (* z s))";
    const own = await fitText(source, { data, target: "y", loss, params });
    const weighted = await fitText(source, { data, target: "y", weights: "s", params });
    expect(own.best.params["b"]).toBeCloseTo(weighted.best.params["b"] as number, 6);
    expect(own.best.loss).toBeCloseTo(weighted.best.loss, 9);
    const strange = machine.load("(* q (- pred y))");
    await expect(fitText(source, { data, target: "y", loss: strange, params })).rejects.toThrow(
      "the loss uses q",
    );
  });
});

test.each(["lbfgs", "adam"] as const)("%s reaches what lm reaches", async (optimiser) => {
  const y = x.map((v, i) => 3 * Math.exp(-0.3 * v) + 0.02 * (i % 3));
  const options = { data: { x, y }, target: "y", params: { a: 2, k: 0.5 } };
  const lm = await fitText("(* a (exp (- (* k x))))", options);
  const other = await fitText("(* a (exp (- (* k x))))", {
    ...options,
    optimiser,
    ...(optimiser === "adam" ? { steps: 3000, adam: { rate: 0.02 } } : {}),
  });
  expect(other.best.params["k"]).toBeCloseTo(lm.best.params["k"] as number, 5);
  expect(other.standardErrors["k"]).toBeCloseTo(lm.standardErrors["k"] as number, 5);
});

describe("groups", () => {
  const cell = [...x.map(() => "A"), ...x.map(() => "B")];
  const xx = [...x, ...x];
  const y = xx.map((v, i) => (i < 10 ? 1 : 4) + 2 * v);

  test("some parameters are shared and some are each group's own", async () => {
    const r = await fitText("(+ a (* b x))", {
      data: { x: xx, y, cell },
      target: "y",
      groups: { by: "cell", params: ["a"] },
    });
    expect(r.parameters).toEqual(["a[A]", "a[B]", "b"]);
    expect(r.best.params["a[A]"]).toBeCloseTo(1, 9);
    expect(r.best.params["a[B]"]).toBeCloseTo(4, 9);
    expect(r.best.params["b"]).toBeCloseTo(2, 9);
    expect(r.freedom).toBe(17);
    expect([...r.predict({ x: [1, 1], cell: ["B", "A"] }).values].map((v) => v.toFixed(6))).toEqual(
      ["6.000000", "3.000000"],
    );
    expect(() => r.predict({ x: [1], cell: ["C"] })).toThrow("the group C");
  });

  test("groups without a column had one prediction for all rows", async () => {
    const groups = { by: "cell", params: ["a"] };
    const r = await fitText("a", { data: { y, cell }, target: "y", groups });
    const [a, b] = [r.best.params["a[A]"] as number, r.best.params["a[B]"] as number];
    expect(b - a).toBeCloseTo(3, 9);
    const { values, standardErrors } = r.predict({ cell: ["B", "A", "B"] });
    for (const [row, wanted] of [b, a, b].entries()) expect(values[row]).toBeCloseTo(wanted, 9);
    expect([...standardErrors].every((error) => error > 0)).toBe(true);
    const pair = { data: { y, z: y, cell }, target: ["y", "z"], groups };
    const { targets } = (await fitText("[a (* 2 a)]", pair)).predict({ cell: ["B", "A"] });
    expect(targets["y"]?.values).toHaveLength(2);
    expect(targets["z"]?.values).toHaveLength(2);
  });

  test("rows beyond a column of groups that is too short were predicted as NaN", async () => {
    const groups = { by: "cell", params: ["a"] };
    const r = await fitText("(+ a (* b x))", { data: { x: xx, y, cell }, target: "y", groups });
    for (const names of [["A"], ["A", "B", "A", "B"], []])
      expect(() => r.predict({ x: [1, 2, 3], cell: names })).toThrow(
        `column cell has ${names.length} rows, but x has 3`,
      );
  });

  test("a group column that is not there is refused", async () => {
    const options = { data: { x: xx, y, cell }, target: "y", groups: { by: "cel", params: ["a"] } };
    expect(await refusal("(+ a (* b x))", options)).toContain("did you mean cell?");
  });
});

describe("programs whose value is the loss", () => {
  test("Rosenbrock's valley is followed to its end", async () => {
    const source = "(+ (* 100 (expt (- b (* a a)) 2)) (expt (- 1 a) 2))";
    const r = await fitText(source, { params: { a: -1.2, b: 1 } });
    expect(r.mode).toBe("objective");
    expect(r.best.params["a"]).toBeCloseTo(1, 5);
    expect(r.best.params["b"]).toBeCloseTo(1, 5);
    expect(r.covariance).toBeUndefined();
  });

  test("a negative log-likelihood over a vector of data has standard errors", async () => {
    const data = { y: [4.1, 5.2, 3.9, 6.0, 5.5, 4.4, 4.9, 5.1] };
    const source = `
      (let ((d (- y mu)))
        (+ (* (vlen y) (+ (log s) 0.9189385332046727)) (/ (dot d d) (* 2 s s))))`;
    const r = await fitText(source, {
      data,
      params: { mu: 4, s: { start: 1, bounds: [0, null] } },
      isNegativeLogLikelihood: true,
    });
    const mean = data.y.reduce((sum, v) => sum + v, 0) / 8;
    const s = Math.sqrt(data.y.reduce((sum, v) => sum + (v - mean) ** 2, 0) / 8);
    expect(r.best.params["mu"]).toBeCloseTo(mean, 6);
    expect(r.best.params["s"]).toBeCloseTo(s, 6);
    expect(r.standardErrors["mu"]).toBeCloseTo(s / Math.sqrt(8), 5);
    expect(r.standardErrors["s"]).toBeCloseTo(s / Math.sqrt(16), 5);
    expect(r.best.aic).toBeCloseTo(4 + 2 * r.best.loss, 10);
  });

  test("matrices are data too, and options for residuals are refused", async () => {
    const program = machine.load("(let ((d (- (ref m 0) c))) (dot d d))");
    const r = await fit(program, { data: { m: mat([[1, 2, 6]]) }, params: { c: 0 } });
    expect(r.best.params["c"]).toBeCloseTo(3, 6);
    expect(await refusal("(* a a)", { weights: [1] }, "E-OPTION")).toContain("needs a target");
  });

  test("Adam takes the paper's steps", async () => {
    const r = await fitText("(* (- a 3) (- a 3))", {
      params: { a: 0 },
      optimiser: "adam",
      steps: 2,
      adam: { rate: 0.1 },
    });
    // By hand: the first step is the rate; the second is (0.1·0.9·6 + 0.1·5.8)/0.19 over its root.
    const second = (0.9 * 0.1 * -6 + 0.1 * -5.8) / 0.19;
    const size = Math.sqrt((0.999 * 0.001 * 36 + 0.001 * 5.8 * 5.8) / (1 - 0.999 * 0.999));
    expect(r.best.params["a"]).toBeCloseTo(0.1 - (0.1 * second) / size, 7);
  });
});
