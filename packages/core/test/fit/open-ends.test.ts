/**
 * Fits whose optimiser does not say how they ended: a line search that rounding stopped, Adam, bounds that are far
 * apart or close together, and parameters that run off only if the others follow.
 */

import { describe, expect, test } from "vitest";
import { type FitOptions, type FitResult, fit, Machine } from "../../src/index.js";
import { fitText, machine, steps } from "./support.js";

const single = await Machine.create({ precision: "f32" });
const likelihood = { isNegativeLogLikelihood: true } as const;
const x = [1, 2, 3, 4, 5, 6];
const counts: FitOptions = { data: { x, y: [1, 2, 2, 5, 7, 11] }, target: "y", loss: "poisson" };

const hasConverged = ({ restarts, best }: FitResult) => restarts[best.restart]?.hasConverged;
const namesOf = ({ diagnostics }: FitResult) => diagnostics.runaways.map(({ name }) => name).sort();

describe("a deviation that runs to 0 beside a line that is met exactly was not named", () => {
  const y = x.map((each) => 2 * each + 1);
  const normal = (s: string, of = "y", a = "a") =>
    `(vsum (+ (log ${s}) (* 0.5 (square (/ (- ${of} (+ ${a} (* b x))) ${s})))))`;

  test.each([
    ["s", { start: 1, scale: "log" }],
    ["(exp s)", 0],
    ["(sqrt s)", { start: 1, scale: "log" }],
    ["(exp (* 0.5 s))", 0],
  ] as const)("%s", async (deviation, s) => {
    for (const kind of [{}, likelihood]) {
      const found = await fitText(normal(deviation), {
        ...{ data: { x, y }, params: { a: 0, b: 0, s }, ...kind },
      });
      expect(hasConverged(found)).toBe(false);
      expect(namesOf(found)).toEqual(["s"]);
      expect(found.diagnostics.notes.join()).toMatch(
        /s was still on its way at \S+: the loss is lower further on, with the others fitted again there/,
      );
    }
  });

  test("one of two, and both", async () => {
    const wobble = [0.3, -0.4, 0.2, 0.4, -0.6, 0.1];
    const source = `(+ ${normal("(exp s)")} ${normal("(exp t)", "z", "c")})`;
    for (const size of [0, 1]) {
      const z = y.map((each, i) => each + size * (wobble[i] as number));
      const params = { a: 0, b: 0, c: 0, s: 0, t: 0 };
      const found = await fitText(source, { data: { x, y, z }, params, ...likelihood });
      expect(hasConverged(found)).toBe(false);
      expect(namesOf(found)).toEqual(size === 0 ? ["s", "t"] : ["s"]);
    }
  });

  test("and no parameter of a fit that was only ended early", async () => {
    const wobble = [0.3, -0.4, 0.2, 0.4, -0.6, 0.1];
    const data = { x, y: y.map((each, i) => each + (wobble[i] as number)) };
    const params = { a: 0, b: 0, s: 0 };
    for (const most of [10, 20, 30]) {
      const found = await fitText(normal("(exp s)"), { data, params, steps: most });
      expect(found.diagnostics.notes.join(), `${most} steps`).not.toContain("fitted again there");
    }
  });
});

describe("a line search that rounding ended", () => {
  const wide = (bound: number) => ({
    a: { start: 0, bounds: [-bound, bound] as const },
    b: { start: 0, bounds: [-bound, bound] as const },
  });
  const curve = "(+ c (* a (exp (* (- 0 k) x))))";
  const at = steps(0, 6, 16);
  const y = at.map((each, i) => 2 * Math.exp(-0.6 * each) + 0.7 + 0.05 * Math.sin(7 * i));
  const far = (bound: number) => ({
    a: { start: 1, bounds: [-bound, bound] as const },
    c: { start: 0.3, bounds: [-bound, bound] as const },
    k: { start: 0.8, bounds: [-bound, bound] as const },
  });

  test.each([
    ["f64", machine, 1e9, 4],
    ["f32", single, 1e4, 2],
  ] as const)(
    "had not converged at its optimum between bounds far apart (%s)",
    async (_, on, bound, digits) => {
      for (const optimiser of ["lbfgs", "lm"] as const) {
        const of = { data: { x: at, y }, target: "y", optimiser } as const;
        const free = await fit(on.load(curve), { ...of, params: { a: 1, c: 0.3, k: 0.8 } });
        const found = await fit(on.load(curve), { ...of, params: far(bound) });
        expect(hasConverged(found), optimiser).toBe(true);
        expect(found.best.params["k"]).toBeCloseTo(free.best.params["k"] as number, digits);
      }
      const model = on.load("(exp (+ a (* b x)))");
      const free = await fit(model, { ...counts, params: { a: 0, b: 0 } });
      const found = await fit(model, { ...counts, params: wide(bound) });
      expect(hasConverged(found)).toBe(true);
      expect(found.best.params["b"]).toBeCloseTo(free.best.params["b"] as number, digits);
    },
  );

  test("had converged at its start, which is small beside the bounds", async () => {
    const far = [-90, -55, -30, 5, 20, 45, 70, 95];
    const y = [0, 1, 1, 0, 2, 3, 2, 4];
    const source = "(let ((e (+ a (* b x)))) (vsum (- (exp e) (* y e))))";
    const free = await fitText(source, { data: { x: far, y }, params: { a: 0, b: 0 } });
    const found = await fitText(source, { data: { x: far, y }, params: wide(1e9) });
    expect(hasConverged(free)).toBe(true);
    expect(found.best.loss).toBeCloseTo(free.best.loss, 6);
    expect(hasConverged(found)).toBe(true);
  });

  test.each([
    ["falls for ever", "(+ (square (- m 3)) (- (log (- 1 k))))", { params: { m: 1, k: -1 } }],
    ["falls along a − b", "(+ (square (- (+ a b) 3)) (* 1e-6 (exp (- b a))))", {}],
  ] as const)("has not converged where the loss %s", async (_, source, options) => {
    for (const kind of [{}, likelihood]) {
      const found = await fitText(source, { ...options, ...kind, optimiser: "lbfgs" });
      if (found.restarts[0]?.reason === "damping") expect(hasConverged(found)).toBe(false);
      const told = [...found.diagnostics.runaways, ...(found.identifiability?.undetermined ?? [])];
      expect(told.length).toBeGreaterThan(0);
    }
  });
});

describe("counts that are all 0, or all that there are", () => {
  const t = [1, 2, 3, 4];

  test.each([
    ["f64", machine, 12],
    ["f32", single, 6],
  ] as const)("had not converged at the bound of their rate (%s)", async (_, on, digits) => {
    for (const [loss, model, seen, upper, best] of [
      ["poisson", "(* r t)", 0, null, 0],
      ["poisson", "(* r t)", 0, 10, 0],
      ["binomial", "(+ r (* 0 t))", 0, 1, 0],
      ["binomial", "(+ r (* 0 t))", 1, 1, 1],
    ] as const) {
      const found = await fit(on.load(model), {
        ...{ data: { t, y: t.map(() => seen) }, target: "y", loss },
        params: { r: { start: 0.4, bounds: [0, upper] } },
      });
      expect(hasConverged(found), model).toBe(true);
      expect(found.best.params["r"]).toBeCloseTo(best, digits);
      expect(found.identifiability?.atBounds).toEqual(["r"]);
    }
  });

  test("have not converged without a bound", async () => {
    const data = { t, y: [0, 0, 0, 0] };
    const found = await fitText("(* r t)", { data, target: "y", loss: "poisson" });
    expect(hasConverged(found)).toBe(false);
    expect(namesOf(found)).toEqual(["r"]);
  });
});

describe("bounds", () => {
  test("that are close together made a parameter run off", async () => {
    for (const centre of [0, 1, -3, 100])
      for (const width of [1e-2, 1e-3, 1e-5, 1e-7]) {
        const half = (width * (Math.abs(centre) || 1)) / 2;
        const found = await fitText(`(sigmoid (+ a (* b x ${1 / (Math.abs(centre) || 1)})))`, {
          ...{ data: { x, y: [0, 0, 1, 0, 1, 1] }, target: "y", loss: "binomial" },
          params: { a: 0, b: { start: centre, bounds: [centre - half, centre + half] } },
        });
        expect(found.diagnostics.notes.join(), `${centre}, ${width}`).not.toMatch(
          /ran off|on its way/,
        );
      }
  });

  test("that a parameter ran to, where the loss stays the same long before, do not silence it", async () => {
    const found = await fitText("(sigmoid (* b (- x a)))", {
      ...{ data: { x, y: [1, 1, 0, 0, 0, 0] }, target: "y", loss: "binomial" },
      params: { a: 3, b: { start: -1, bounds: [-40, 0.5] } },
    });
    expect(found.diagnostics.notes.join()).toMatch(/b ran off to \S+: the loss is the same from/);
    expect(found.standardErrors["b"]).toBeNaN();
  });
});

describe("adam", () => {
  const y = [1.2, 1.9, 3.2, 3.8, 5.1, 6.3];
  const line: FitOptions = { data: { x, y }, target: "y", params: { a: 0, b: 0 } };
  const adam = { ...line, optimiser: "adam", adam: { rate: 0.05 } } as const;

  test("never said that it had converged", async () => {
    const best = await fitText("(+ a (* b x))", line);
    const found = await fitText("(+ a (* b x))", { ...adam, steps: 4000 });
    expect(hasConverged(found)).toBe(true);
    expect(found.best.params["b"]).toBeCloseTo(best.best.params["b"] as number, 5);
    const scores = await fitText("(+ a (* b x))", { ...adam, steps: 4000, detail: "scores" });
    expect(hasConverged(scores)).toBe(true);
    expect(scores.best.params).toEqual(found.best.params);
    const attempt = await fitText("(+ a (* b x))", { ...adam, steps: 4000, detail: "attempt" });
    expect(attempt.restarts[0]).toMatchObject({ reason: "steps", evaluations: 4001 });
    expect(attempt.best.params).toEqual(found.best.params);
  });

  test("does not say so on its way, nor where there is no minimum", async () => {
    const short = await fitText("(+ a (* b x))", { ...adam, steps: 60 });
    expect(hasConverged(short)).toBe(false);
    for (const source of ["(+ (square (- a 1)) (exp (- 0 b)))", "(square (- (+ a b) 1))"]) {
      const found = await fitText(source, { optimiser: "adam", steps: 3000 });
      expect(hasConverged(found), source).toBe(false);
    }
  });

  test("goes on from where it had converged if it is given more steps", async () => {
    const program = machine.load("(+ a (* b x))");
    const part = await fit(program, { ...adam, steps: 4000 });
    const resume = JSON.parse(JSON.stringify(part));
    expect(await fit(program, { ...adam, steps: 4000, resume })).toMatchObject({
      ...{ best: part.best, restarts: part.restarts },
    });
    const whole = await fit(program, { ...adam, steps: 4200 });
    const resumed = await fit(program, { ...adam, steps: 4200, resume });
    expect(resumed.best).toEqual(whole.best);
    expect(resumed.restarts).toEqual(whole.restarts);
  });
});
