/**
 * A parameter at its bound counts as fixed: errors, intervals, bands and the noise are those of the model
 * with that parameter fixed there, whatever the loss and the optimiser are.
 */

import { describe, expect, test } from "vitest";
import type { FitOptions, FitResult } from "../../src/index.js";
import { Random } from "../fuzz/random.js";
import { fitText, noise, steps } from "./support.js";

const { SEED } = process.env;
const seed = SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(SEED);
console.info(`at-bounds: SEED=${seed}`);

const x = steps(-2, 2, 25);
const wobble = noise(25, 0.4);
const line = x.map((at, i) => 1.5 + 0.5 * at + (wobble[i] as number));
const counts = x.map((at, i) =>
  Math.max(0, Math.round(Math.exp(1 + 0.5 * at) + 3 * (wobble[i] as number))),
);
const trials = x.map((_, i) => 8 + (i % 4) * 7);
const hits = x.map((at, i) =>
  Math.round((trials[i] as number) / (1 + Math.exp(-(0.3 + 1.2 * at + (wobble[i] as number))))),
);
const logistic = "(/ 1 (+ 1 (exp (- 0 (+ a (* b x) (* c x x))))))";
const curve = "(+ a (* b x) (* c x x))";
const likelihood =
  "(let ((r (- y (+ a (* b x) (* c x x)))) (s (exp q))) (+ (* 25 (log s)) (/ (dot r r) (* 2 s s))))";

const cases: readonly (readonly [string, string, FitOptions])[] = [
  ["squares by lm", curve, { data: { x, y: line }, target: "y", optimiser: "lm" }],
  ["squares by lbfgs", curve, { data: { x, y: line }, target: "y", optimiser: "lbfgs" }],
  [
    "weighted squares",
    curve,
    { data: { x, y: line }, target: "y", weights: x.map((_, i) => 1 + (i % 3)) },
  ],
  ["known deviations", curve, { data: { x, y: line }, target: "y", sigma: x.map(() => 0.2) }],
  ["poisson", `(exp ${curve})`, { data: { x, y: counts }, target: "y", loss: "poisson" }],
  [
    "binomial",
    logistic,
    { data: { x, y: hits, n: trials }, target: "y", loss: "binomial", trials: "n" },
  ],
  ["a likelihood", likelihood, { data: { x, y: line }, isNegativeLogLikelihood: true }],
];

const others = (result: FitResult): string[] => result.parameters.filter((name) => name !== "c");

describe("a parameter at its bound", () => {
  test.each(cases)("%s", async (_, source, options) => {
    // Both bounds keep c away from where it would go: it ends at the nearer one.
    for (const bounds of [
      [0.4, 2],
      [null, -0.5],
      [-3, -0.5],
    ] as const) {
      const edge = bounds[0] === 0.4 ? 0.4 : -0.5;
      const start = edge > 0 ? 1 : -1;
      const held = await fitText(source, { ...options, params: { c: { bounds, start } } });
      const fixed = await fitText(source, { ...options, params: { c: { fixed: edge } } });
      expect(held.best.params["c"]).toBeCloseTo(edge, 4);
      expect(held.identifiability?.atBounds).toEqual(["c"]);
      expect(held.standardErrors["c"]).toBeNaN();
      // Where a loss has no noise of its own there is none in both.
      if (Number.isNaN(fixed.sigma)) expect(held.sigma).toBeNaN();
      else expect(held.sigma).toBeCloseTo(fixed.sigma, 4);
      expect(held.freedom).toBe(fixed.freedom);
      for (const name of others(held)) {
        const near = (one: number | undefined, other: number | undefined): void =>
          expect((one as number) / (other as number), name).toBeCloseTo(1, 3);
        expect(held.best.params[name]).toBeCloseTo(fixed.best.params[name] as number, 4);
        near(held.standardErrors[name], fixed.standardErrors[name]);
        for (const side of [0, 1] as const)
          expect(held.intervals[name]?.[side]).toBeCloseTo(
            fixed.intervals[name]?.[side] as number,
            3,
          );
      }
      if (options.target === undefined) continue;
      const [one, other] = [held, fixed].map((result) => result.predict({ x: [-3, 0.5, 4] }));
      for (const band of ["standardErrors", "lower", "upper", "observationLower"] as const)
        for (const [at, value] of (one as NonNullable<typeof one>)[band].entries())
          if (!Number.isNaN(other?.[band][at] as number))
            expect(value, band).toBeCloseTo(other?.[band][at] as number, 3);
          else expect(value, band).toBeNaN();
    }
  });

  test("near it but not at it counts as any other", async () => {
    const free = await fitText(curve, { data: { x, y: line }, target: "y" });
    const c = free.best.params["c"] as number;
    const near = await fitText(curve, {
      ...{ data: { x, y: line }, target: "y" },
      params: { c: { bounds: [c - 0.05, 9], start: 1 } },
    });
    expect(near.identifiability?.atBounds).toEqual([]);
    for (const name of ["a", "b", "c"])
      expect(near.standardErrors[name]).toBeCloseTo(free.standardErrors[name] as number, 6);
    expect(near.freedom).toBe(free.freedom);
  });

  test.each([1e-9, 1e-3, 1, 1e6, 1e12])(
    "an estimate far from wide bounds was said to be at one (units of %s)",
    async (unit) => {
      const [at, near] = [
        [1, 2, 3, 4, 5, 6],
        [2.1, 3.9, 6.2, 7.8, 10.1, 12.2],
      ];
      const y = near.map((value) => value * unit);
      const of = (k: object) =>
        fitText("(* k x)", { data: { x: at, y }, target: "y", params: { k } });
      const start = unit;
      const wide = [
        { bounds: [0, 1e9 * unit], start },
        { bounds: [1e-9 * unit, 1e9 * unit], start, scale: "log" },
        { bounds: [1e-12 * unit, null], start, scale: "log" },
        { bounds: [0, null], start },
        { bounds: [-1e6 * unit, 1e7 * unit], start },
        { bounds: [1e-12, null], scale: "log" },
      ];
      for (const k of wide) {
        const r = await of(k);
        expect(r.identifiability?.atBounds, JSON.stringify(k)).toEqual([]);
        expect(r.freedom).toBe(5);
        expect((r.best.params["k"] as number) / unit).toBeCloseTo(2.015385, 5);
        expect((r.standardErrors["k"] as number) / unit).toBeCloseTo(0.0168028, 6);
      }
      const tight = [
        { bounds: [3 * unit, 1e3 * unit], start: 5 * unit },
        { bounds: [3 * unit, 1e3 * unit], start: 5 * unit, scale: "log" },
        { bounds: [3 * unit, null], start: 1e3 * unit },
        { bounds: [0, unit], start: unit / 2 },
        { bounds: [null, unit], start: unit / 2 },
      ];
      for (const k of tight) {
        const r = await of(k);
        expect(r.identifiability?.atBounds, JSON.stringify(k)).toEqual(["k"]);
        expect(r.freedom).toBe(6);
      }
    },
  );

  test("one that may lie anywhere is not at the bound that it is near to", async () => {
    const r = await fitText("(+ (square (- a 3)) (* 0 k))", {
      params: { a: 1, k: { start: 2000, bounds: [0, 1e9] } },
      isNegativeLogLikelihood: true,
    });
    expect(r.identifiability?.atBounds).toEqual([]);
  });

  test("a deviation that is small in its units is not at 0, where its likelihood is not defined", async () => {
    for (const unit of [1e-12, 1e-6, 1]) {
      const r = await fitText("(+ (* 25 (log s)) (/ (dot y y) (* 2 s s)))", {
        data: { y: noise(25, 2 * unit) },
        isNegativeLogLikelihood: true,
        params: { s: { start: unit, bounds: [0, 1e3] } },
      });
      if (r.restarts[0]?.hasConverged) expect(r.identifiability?.atBounds).toEqual([]);
    }
  });
});

describe("a bound on one side", () => {
  const random = new Random(seed, 5);
  const model = "(+ a (* b x) (* c (square x)))";
  const x = Array.from({ length: 9 }, (_, i) => i / 4 - 1);

  const within = (most: number): number => most * (2 * random.unit() - 1);

  /**
   * A drawn parabola with one bound or two, some of which its best value lies beyond. `lm` knows no units; other
   * optimisers want numbers of ordinary size.
   */
  function draw(optimiser: "lm" | "lbfgs") {
    const unit = 10 ** (optimiser === "lm" ? random.between(-6, 7) : random.between(-2, 3));
    const [a, b, c] = [within(2), within(2), within(2)];
    const y = x.map((each) => unit * (a + b * each + c * each * each + within(0.3)));
    const bound = unit * within(2);
    const away = unit * random.pick([0.01, 1, 100]);
    const isLower = random.chance(0.5);
    const other = random.chance(0.3) ? (isLower ? 1e3 : -1e3) * unit : null;
    const start = isLower ? bound + away : bound - away;
    const bounds = isLower ? ([bound, other] as const) : ([other, bound] as const);
    return { y, unit, bound, isLower, b: { bounds, start } };
  }

  test.each(["lm", "lbfgs"] as const)("%s went on for ever beside it", async (optimiser) => {
    for (let round = 0; round < 60; round++) {
      const { y, unit, bound, isLower, b } = draw(optimiser);
      const how = { data: { x, y }, target: "y", optimiser };
      const free = await fitText(model, { ...how, params: { a: 0, b: 0, c: 0 } });
      const own = free.best.params["b"] as number;
      // So near to it that nobody can tell on which side.
      if (Math.abs(own - bound) < 0.01 * unit) continue;
      const isActive = isLower ? own < bound : own > bound;
      const params = { a: 0, b: { fixed: bound }, c: 0 };
      const best = isActive ? await fitText(model, { ...how, params }) : free;
      const found = await fitText(model, { ...how, params: { a: 0, b, c: 0 } });
      const drawn = JSON.stringify({ y, b });
      expect(found.restarts[0]?.hasConverged, drawn).toBe(true);
      expect(found.best.loss / best.best.loss, drawn).toBeCloseTo(1, 9);
      expect(found.identifiability?.atBounds, drawn).toEqual(isActive ? ["b"] : []);
      expect(found.freedom, drawn).toBe(best.freedom);
    }
  });

  test.each(["lm", "lbfgs"] as const)(
    "%s leaves it where the best value is inside",
    async (way) => {
      // The first steps lead to the bound, since the other parameters are far off.
      const y = x.map((each) => 40 - 30 * each + 0.5 * each * each);
      for (const start of [1e-9, 1e-3, 1])
        for (const upper of [null, 1e6]) {
          const params = { a: -1000, b: 1000, c: { bounds: [0, upper] as const, start } };
          const r = await fitText(model, { data: { x, y }, target: "y", params, optimiser: way });
          expect(r.best.params["c"]).toBeCloseTo(0.5, 6);
          expect(r.restarts[0]?.hasConverged).toBe(true);
        }
    },
  );
});

describe("an estimate at a bound of 0 was 1e-18 beside it, in its formula too", () => {
  const rising = { x: [1, 2, 3, 4, 5], y: [1, 2, 3, 4, 6] };
  const bent: readonly (readonly [string, number, NonNullable<FitOptions["params"]>])[] = [
    ["(* a (exp (* b x)))", 0, { b: { bounds: [null, 0] } }],
    ["(* a (exp (* (- 0 b) x)))", 0, { b: { bounds: [0, null] } }],
    ["(* a (exp (* b x)))", 0, { b: { bounds: [-3, 0] } }],
    ["(* a (exp (* b x)))", -1e-9, { b: { bounds: [null, -1e-9] } }],
    ["(* a (exp (* (- 0 b) x)))", 0.1, { b: { bounds: [0.1, null], scale: "log" } }],
  ];

  test.each(["lm", "lbfgs", "adam"] as const)("by %s", async (optimiser) => {
    for (const [source, bound, params] of bent) {
      const result = await fitText(source, { data: rising, target: "y", params, optimiser });
      if (result.identifiability?.atBounds.includes("b") !== true) {
        expect(optimiser).toBe("adam");
        continue;
      }
      expect(result.best.params["b"]).toBe(bound);
      expect(result.restarts[0]?.params["b"]).toBe(bound);
      const { values } = result.predict({ x: rising.x });
      const sum = rising.y.reduce((all, y, i) => all + (y - (values[i] as number)) ** 2, 0);
      expect(result.best.loss / sum).toBeCloseTo(1, 12);
      const scored = await fitText(source, {
        ...{ data: rising, target: "y", params, optimiser, detail: "scores" },
      });
      expect(scored.best).toEqual(result.best);
    }
  });

  test("but where the program is not defined at it, next to it", async () => {
    const { best } = await fitText("(+ (square (- a 3)) (* -1e-9 (log b)) b)", {
      params: { b: { bounds: [0, null], start: 1 } },
    });
    expect(best.params["b"]).toBeGreaterThan(0);
    expect(best.loss).not.toBe(Infinity);
  });
});
