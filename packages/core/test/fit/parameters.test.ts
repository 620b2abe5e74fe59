/**
 * Parameters and data of a fit: what is taken, what is refused and in which words.
 */

import { describe, expect, test } from "vitest";
import { fitText, refusal, steps } from "./support.js";

const t = steps(0, 4, 21);
const decay = t.map((x) => 3 * Math.exp(-0.7 * x));
const model = "(* a (exp (- (* k t))))";

describe("parameters", () => {
  test("free names that are no columns are parameters, and listed as assumed", async () => {
    const result = await fitText(model, { data: { t, y: decay }, target: "y", params: { a: 2 } });
    expect(result.assumed).toEqual(["k"]);
    expect(result.best.params["a"]).toBeCloseTo(3, 9);
    expect(result.best.params["k"]).toBeCloseTo(0.7, 9);
    expect(result.best.r2).toBeCloseTo(1, 12);
  });

  test("a fixed parameter keeps its value and is not counted", async () => {
    const result = await fitText(model, {
      data: { t, y: decay },
      target: "y",
      params: { a: { fixed: 3 }, k: { start: 0.1 } },
    });
    expect(result.parameters).toEqual(["k"]);
    expect(result.best.params["a"]).toBe(3);
    expect(result.best.params["k"]).toBeCloseTo(0.7, 9);
    expect(result.freedom).toBe(20);
  });

  test.each([
    [{ bounds: [0, 2] as const }],
    [{ bounds: [0, null] as const }],
    [{ bounds: [null, 2] as const }],
    [{ scale: "log" as const, start: 20 }],
    [{ scale: "log" as const, bounds: [0.01, 10] as const, start: 9 }],
  ])("bounds and scales %j do not move an optimum inside", async (spec) => {
    const data = { t, y: decay };
    const result = await fitText(model, { data, target: "y", params: { a: 2, k: spec } });
    expect(result.best.params["k"]).toBeCloseTo(0.7, 8);
    const [low, high] = result.intervals["k"] as readonly [number, number];
    expect(low).toBeLessThanOrEqual(0.7 + 1e-8);
    expect(high).toBeGreaterThanOrEqual(0.7 - 1e-8);
  });

  test("an optimum outside ends at the bound, which is said", async () => {
    const result = await fitText(model, {
      data: { t, y: decay },
      target: "y",
      params: { a: 2, k: { bounds: [0, 0.5] } },
    });
    expect(result.best.params["k"]).toBeGreaterThan(0.4999);
    expect(result.best.params["k"]).toBeLessThanOrEqual(0.5);
    expect(result.identifiability?.atBounds).toEqual(["k"]);
    expect(result.diagnostics.notes).toContain("k is at a bound");
  });

  test("restarts begin inside the range, each at its own place whatever their number", async () => {
    const options = { data: { t, y: decay }, target: "y", seed: 3 };
    const params = { a: { range: [1, 5] as const }, k: { range: [0.1, 2] as const } };
    const few = await fitText(model, { ...options, params, restarts: 3 });
    const many = await fitText(model, { ...options, params, restarts: 9 });
    for (const { start } of many.restarts) {
      expect(start["a"]).toBeGreaterThanOrEqual(1);
      expect(start["a"]).toBeLessThan(5);
    }
    expect(new Set(many.restarts.map(({ start }) => start["k"])).size).toBe(9);
    expect(many.restarts.slice(0, 3)).toEqual(few.restarts);
    const other = await fitText(model, { ...options, params, restarts: 3, seed: 4 });
    expect(other.restarts[0]?.start).not.toEqual(few.restarts[0]?.start);
  });
});

describe("refusals of parameters", () => {
  const data = { time: t, y: decay };
  const target = "y";
  test.each([
    ["(* a (exp (* k tiem)))", {}, "did you mean the column time?"],
    [
      "(* alpha (exp (* alhpa time)))",
      { params: { alpha: 1 } },
      "did you mean the parameter alpha?",
    ],
    ["(* sqaure (exp time))", {}, "did you mean the procedure square?"],
    ["(* a time)", { params: { a: 1, rate: 2 } }, "never uses the parameter rate"],
    [
      "(* a time)",
      { params: { a: { start: 3, bounds: [0, 2] as const } } },
      "outside its bounds 0 to 2",
    ],
    ["(* a time)", { params: { a: { bounds: [2, 1] as const } } }, "contradict each other"],
    ["(* a time)", { params: { a: { bounds: [1, 1] as const } } }, "{ fixed: 1 }"],
    ["(* a time)", { params: { a: { range: [2, 1] as const } } }, "is empty"],
    [
      "(* a time)",
      { params: { a: { range: [0, 1] as const, bounds: [0.5, 1] as const } } },
      "leaves its bounds",
    ],
    ["(* a time)", { params: { a: { start: -1, scale: "log" as const } } }, "outside its bounds 0"],
    ["(* a time)", { params: { a: { start: Number.NaN } } }, "finite number"],
    ["(* a time)", { params: { a: { fixed: 1 } } }, "no parameter to fit"],
    ["(* a time)", { params: { time: 1, a: 1 } }, "both a parameter and a column"],
  ])("%s with %j", async (source, options, words) => {
    expect(await refusal(source, { data, target, ...options })).toContain(words);
  });

  test("names that only differ in their number or ending are no slips", async () => {
    const result = await fitText("(+ beta1 (* beta2 time) (* tau (* time time)))", {
      data,
      target,
      params: { beta1: 1 },
    });
    expect(result.assumed).toEqual(["beta2", "tau"]);
  });
});

describe("refusals of data", () => {
  test.each([
    [{ data: { t, y: decay }, target: "z" }, "no column z, which is to be the target"],
    [{ data: { t: [1, 2], y: [1, 2, 3] }, target: "y" }, "has 2 rows, but the target y has 3"],
    [{ data: { t: [1], y: [1] }, target: "y" }, "1 point for 2 parameters"],
    [{ data: { t: [], y: [] }, target: "y" }, "no rows"],
    [
      { data: { t: [1, Number.NaN, 3], y: [1, 2, 3] }, target: "y" },
      "column t has no value in row 2",
    ],
    [{ data: { t: ["1", "x", "3"], y: [1, 2, 3] }, target: "y" }, 'column t holds "1" in row 1'],
    [{ data: { t, y: decay, k: t, a: t }, target: "y" }, "no parameter to fit"],
    [{ data: { t, y: decay }, target: "y", sigma: "s" }, "no column s, which is to hold the sigma"],
    [{ data: { t, y: decay }, target: "y", weights: [1] }, "there are 1 weights for 21 points"],
    [{ data: { t, y: decay }, target: "y", sigma: t }, "sigma is 0 in row 1"],
  ])("%#", async (options, words) => {
    expect(await refusal(model, options)).toContain(words);
  });

  test("a program that reads its own target is refused", async () => {
    const told = await refusal("(* a y)", { data: { y: decay }, target: "y" });
    expect(told).toContain("reads the target y itself");
  });

  test("a loss that is not finite at the start is told with its rows and cause", async () => {
    const told = await refusal("(log (- a t))", {
      data: { t, y: decay },
      target: "y",
      params: { a: 3.9 },
    });
    expect(told).toContain("not finite on row 21");
    expect(told).toContain("a = 3.9");
  });

  test("an attempt tells that its start is not finite, and not where", async () => {
    const told = await refusal("(log (- a t))", {
      data: { t, y: decay },
      target: "y",
      params: { a: 3.9 },
      detail: "attempt",
    });
    expect(told).toContain("the program is not finite at the start");
    expect(told).not.toContain("row");
  });

  test("an attempt that fails on some rows is told with the rows", async () => {
    const told = await refusal(
      "(if (> t 3.7) (car a) (* a t))",
      { data: { t, y: decay }, target: "y", detail: "attempt" },
      "E-TYPE",
    );
    expect(told).toContain("fails on rows 20, 21");
  });

  test("a program that errors on some rows is told with the rows", async () => {
    const told = await refusal(
      "(if (> t 3.7) (car a) (* a t))",
      { data: { t, y: decay }, target: "y" },
      "E-TYPE",
    );
    expect(told).toContain("fails on rows 20, 21");
  });

  test("a program whose value is a vector is refused", async () => {
    const told = await refusal("[a t]", { data: { t, y: decay }, target: "y" }, "E-RESULT");
    expect(told).toContain("the program's value is a vector");
  });

  test("a constant target is fitted, and R² is reported as undefined", async () => {
    const result = await fitText("(+ a (* b t))", { data: { t, y: t.map(() => 5) }, target: "y" });
    expect(result.best.params["a"]).toBeCloseTo(5, 9);
    expect(result.best.r2).toBeNaN();
    expect(result.diagnostics.notes).toContain("the target is constant, so R² is not defined");
  });
});

describe("refusals of options", () => {
  test.each([
    [{ restarts: 0 }, "the option restarts is 0"],
    [{ steps: 1.5 }, "the option steps is 1.5"],
    [{ level: 1 }, "the option level is 1"],
    [{ optimiser: "sgd" as "adam" }, "the optimisers are lm, lbfgs, adam"],
    [{ loss: "cube" as "squares" }, "the losses are squares"],
    [{ optimiser: "lm" as const, loss: "huber" as const }, "lm is for least squares"],
    [{ restart: 3 } as object, "did you mean restarts?"],
    [{ weights: t, sigma: t }, "weights and sigma are both given"],
  ])("%j", async (extra, words) => {
    const options = { data: { t, y: decay }, target: "y", ...extra };
    expect(await refusal(model, options, "E-OPTION")).toContain(words);
  });
});
