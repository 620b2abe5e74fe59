/** When a restart is said to have converged, and what is said of names that the language knows. */

import { describe, expect, test } from "vitest";
import { fitText, machine, refusal, steps } from "./support.js";

describe("line searches", () => {
  const jump = (cost: string): string => `(+ (* 240 a) (if (< a 1) ${cost} 0))`;

  test.each([
    ["a jump", jump("1e6")],
    ["a high jump", jump("1e12")],
    ["numbers that are none", jump("(log -1)")],
  ])("one that fails at %s is not called converged", async (_, source) => {
    const { restarts, diagnostics } = await fitText(source, { optimiser: "lbfgs" });
    expect(restarts[0]).toMatchObject({ steps: 0, reason: "damping", hasConverged: false });
    expect(diagnostics.notes.join()).toContain("did not converge");
  });

  test("one that rounding or a kink ends has converged", async () => {
    const valley = "(+ 1e3 (* 100 (square (- b (square a)))) (square (- 1 a)))";
    const kink = "(+ 1 (abs (- a 3)))";
    for (const source of [valley, kink, "(+ 1e9 (square (- a 3)))"]) {
      const { restarts } = await fitText(source, { optimiser: "lbfgs", params: { a: -1.2 } });
      expect(restarts[0]?.hasConverged).toBe(true);
    }
  });

  test("one that a kink ends short of the optimum was called converged", async () => {
    const kinks = "(+ (abs (- a 3)) (abs (- b 4)) (* 0.1 (abs (- a b))))";
    const { best, restarts, diagnostics } = await fitText(kinks, {
      optimiser: "lbfgs",
      params: { a: -1.2 },
    });
    expect(restarts[0]).toMatchObject({ reason: "loss", hasConverged: true });
    expect(best.params["a"]).toBeCloseTo(3, 8);
    expect(best.params["b"]).toBeCloseTo(4, 8);
    expect(diagnostics.notes).toEqual([]);
  });
});

describe("parameters without a best value are named", () => {
  const x = [-2, -1, -0.5, 0.5, 1, 2, 3, 4];
  const logit = (name: string): string => `(/ 1 (+ 1 (exp (- 0 ${name}))))`;

  test("a logit that runs to minus infinity, beside one that does not", async () => {
    const { diagnostics, identifiability, best } = await fitText(
      `(if (> x 0) ${logit("a")} ${logit("b")})`,
      { data: { x, y: [0, 0, 0, 1, 0, 1, 1, 0] }, target: "y", loss: "binomial" },
    );
    expect(best.params["b"]).toBeLessThan(-10);
    expect(identifiability?.rank).toBe(2);
    expect(diagnostics.runaways.map(({ name }) => name)).toEqual(["b"]);
    expect(diagnostics.notes.join()).toContain("b ran off to");
  });

  test("in objective mode too: a rate that grows without end, a name that does nothing", async () => {
    const { diagnostics } = await fitText("(+ (square (- m 3)) (exp (- 0 k)) (* 0 q))", {});
    expect(diagnostics.runaways.map(({ name }) => name).sort()).toEqual(["k", "q"]);
  });

  test("a parameter that is known to do nothing is not left loose by one that ran off", async () => {
    const at = [1, 2, 3, 4, 5, 6];
    const { diagnostics } = await fitText("(+ c (exp (- (* k x))) (* 0 d))", {
      data: { x: at, y: at.map((_, i) => 2 + 0.01 * (i % 3)) },
      target: "y",
      params: { c: 1, k: 1, d: 5 },
    });
    expect(diagnostics.runaways.map(({ name }) => name)).toEqual(["k"]);
    expect(diagnostics.notes).toEqual([
      "d does not change the predictions",
      "k ran off to 34.5: the loss is the same however much further it goes",
    ]);
  });

  test("a parameter that does nothing where all predictions are 0", async () => {
    const { diagnostics } = await fitText("(+ (* a x) (* 0 d))", {
      data: { x: [1, 2, 3], y: [0, 0, 0] },
      target: "y",
      params: { a: 0, d: 5 },
    });
    expect(diagnostics.notes).toContain("d does not change the predictions");
    expect(diagnostics.notes).not.toContain("a does not change the predictions");
  });

  test.each([
    ["at once", "(if (< q 0.9) -1 (square (- q 1)))"],
    ["a little later", "(if (> q 0.95) (square (max 0 (- q 1))) (if (> q 0.8) 1 -1))"],
  ])("a minimum beyond which the loss rises %s is no way to a lower one", async (_, source) => {
    const { diagnostics, best } = await fitText(`(let ((q (/ p 10))) ${source})`, {
      params: { p: 20 },
    });
    expect(best.params["p"]).toBeCloseTo(10, 3);
    expect(diagnostics.runaways).toEqual([]);
  });

  test("a variance that shrinks to nothing at the edge of its domain", async () => {
    const source = "(+ (* 10 (log (+ v 2))) (square (- m 3)) (* 0 (log v)))";
    const { diagnostics, restarts } = await fitText(source, {});
    expect(restarts[0]).toMatchObject({ reason: "damping", hasConverged: false });
    expect(diagnostics.runaways.map(({ name }) => name)).toEqual(["v"]);
  });

  test("logits that grow without end in step, where a line separates hits and misses", async () => {
    const { diagnostics } = await fitText(logit("(+ a (* b x))"), {
      data: { x, y: x.map((at) => (at > 0.7 ? 1 : 0)) },
      ...{ target: "y", loss: "binomial" },
    });
    expect(diagnostics.runaways.map(({ name }) => name)).toEqual(["a", "b"]);
    expect(diagnostics.notes.join()).toMatch(
      /a and b ran off together to \S+ and \S+: the loss is/,
    );
  });

  const fine = Array.from({ length: 40 }, (_, i) => i / 8 - 2.5);
  const parted = fine.map((at) => (at > 0 ? 1 : 0));

  test("the place of a line that separates hits and misses, beside its slope", async () => {
    const { diagnostics, restarts } = await fitText("(sigmoid (+ a (* b x)))", {
      data: { x: fine, y: parted },
      ...{ target: "y", loss: "binomial", params: { a: 0, b: 0 } },
    });
    expect(restarts[0]?.hasConverged).toBe(false);
    expect(diagnostics.runaways.map(({ name }) => name).sort()).toEqual(["a", "b"]);
    expect(diagnostics.notes.join()).toMatch(
      /a is not determined beside b: the loss is the same from \S+ to \S+/,
    );
  });

  test("once: one that is known to do nothing is not told again beside one that runs off", async () => {
    const { diagnostics, identifiability } = await fitText("(+ (sigmoid b) (* 0 c))", {
      data: { x, y: x.map(() => 1) },
      ...{ target: "y", loss: "binomial", params: { b: 0, c: 5 } },
    });
    expect(
      identifiability?.undetermined.flatMap(({ direction }) => Object.keys(direction)),
    ).toContain("c");
    expect(diagnostics.runaways.map(({ name }) => name)).toEqual(["b"]);
  });

  test("in groups, each of them, also those that are known to be undetermined", async () => {
    const group = fine.map((_, i) => (i % 2 === 0 ? "left" : "right"));
    const { diagnostics } = await fitText("(sigmoid (+ a (* b x)))", {
      data: { x: fine, y: parted, group },
      ...{
        target: "y",
        loss: "binomial",
        params: { a: 0, b: 0 },
        groups: { by: "group", params: ["a", "b"] },
      },
    });
    const named = diagnostics.notes.join();
    for (const name of ["a[left]", "a[right]", "b[left]", "b[right]"])
      expect(named).toContain(name);
  });

  test("a variance that a likelihood without a bound drives to 0, not yet as good as 0", async () => {
    const source = "(+ (* 20 (log s)) (/ (square m) (* 2 s)))";
    const { diagnostics, restarts } = await fitText(source, { isNegativeLogLikelihood: true });
    expect(restarts[0]?.hasConverged).toBe(false);
    expect(diagnostics.runaways.map(({ name }) => name)).toContain("s");
    expect(diagnostics.notes.join()).toMatch(/s was still on its way to 0 at \S+, the edge/);
  });

  test("a loss that is still falling is not said to stay the same", async () => {
    const { diagnostics } = await fitText("(- (square (- a 1)) (* 3 b))", { steps: 20 });
    expect(diagnostics.runaways.map(({ name }) => name)).toContain("b");
    expect(diagnostics.notes.join()).toMatch(
      /b was still on its way at \S+: the loss is lower further/,
    );
    // A wave has a lower valley further on, and this one is a minimum all the same.
    const { diagnostics: ofWave } = await fitText("(- (cos a) (* 0.1 a))", { params: { a: 3 } });
    expect(ofWave.runaways).toEqual([]);
  });

  test("one at a bound, in objective mode", async () => {
    const options = { params: { v: { bounds: [0, null] } } } as const;
    const { diagnostics } = await fitText("(+ (square (- m 3)) v)", options);
    expect(diagnostics.notes).toContain("v is at a bound");
  });

  test("estimates near 0, weak ones and perfect fits are no runaways", async () => {
    const of = (y: number[]) => fitText("(+ a (* b x))", { data: { x, y }, target: "y" });
    for (const y of [x.map((at) => 2 * at), x.map((_, i) => Math.sin(7 * i)), x.map(() => 1)])
      expect((await of(y)).diagnostics.runaways).toEqual([]);
  });
});

describe("a model that explains nothing", () => {
  test("is not called worse than the mean for its rounding", async () => {
    const y = [1, 3, 2, 4, 1, 2, 3, 1];
    const { best, diagnostics } = await fitText("(+ a (* 0 x))", {
      ...{ data: { x: [-2, -1, -0.5, 0.5, 1, 2, 3, 4], y }, target: "y" },
    });
    expect(Math.abs(best.r2)).toBeLessThan(1e-12);
    expect(diagnostics.notes.join()).not.toContain("worse than");
  });
});

describe("names of the language", () => {
  const t = steps(0.1, 1, 12);
  const y = t.map((at) => Math.sin(2 * Math.PI * at) * 1.7);

  test("pi is a number and never fitted", async () => {
    const result = await fitText("(* a (sin (* 2 pi t)))", { data: { t, y }, target: "y" });
    expect(result.parameters).toEqual(["a"]);
    expect(result.best.params["a"]).toBeCloseTo(1.7, 9);
  });

  test("pi is what the caller declares it to be", async () => {
    const source = "(* pi t)";
    const twice = t.map((at) => 2 * at);
    const result = await fitText(source, { data: { t, y: twice }, target: "y" }, ["pi"]);
    expect(result.best.params["pi"]).toBeCloseTo(2, 9);
    expect(machine.load("(let ((pi 3)) (* 2 pi))").evaluate({}).values[0]).toBe(6);
    expect(machine.load("(* 2 pi)", { inputs: ["pi"] }).evaluate({ pi: 3 }).values[0]).toBe(6);
    expect(() => machine.load("(* 2 pi)").evaluate({ pi: 3 })).toThrow("pi is a constant");
  });

  test("a parameter, a column or a free name that the language knows is told as such", async () => {
    const data = { t, y };
    const said = "means something in the language";
    expect(await refusal("(* a pi t)", { data, target: "y", params: { pi: 3 } })).toContain(said);
    expect(await refusal("(* a pi t)", { data: { ...data, pi: t }, target: "y" })).toContain(said);
    expect(await refusal("(* scale t)", { data, target: "y" })).toContain(`scale ${said}`);
    const declared = await refusal("(* norm t)", { data, target: "y", params: { norm: 1 } });
    expect(declared).toContain('load the program with inputs: ["norm"]');
    const among = await refusal("(* a scale t)", { data, target: "y" }, "E-TYPE");
    expect(among).toContain('rename it, or declare it: load the program with inputs: ["scale"]');
  });
});
