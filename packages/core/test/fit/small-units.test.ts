/**
 * What is said of a fit does not depend on the unit of its target: which restarts came to the best loss, and whether
 * what is left over is more than rounding.
 */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkResiduals } from "../../src/fit/quality/checks.js";
import { type FitOptions, fit, Machine } from "../../src/index.js";
import { fitText, machine, noise, steps } from "./support.js";

const SEED = Number(process.env["SEED"] ?? Date.now() % 2 ** 31);
console.log(`small units: SEED=${SEED}`);

const single = await Machine.create({ precision: "f32" });
const UNITS = [1e-30, 1e-10, 1, 1e10, 1e30];

describe("restarts that came to the best loss", () => {
  const t = steps(0, 9.75, 40);
  const wobble = noise(40, 0.2);
  const wave = t.map((at, i) => 2 * Math.sin(3.1 * at + 0.4) + (wobble[i] as number));
  const source = "(* a (sin (+ (* w t) ph)))";

  const optionsIn = (unit: number, seed: number): FitOptions => ({
    ...{ data: { t, y: wave.map((y) => y * unit) }, target: "y", restarts: 12, seed },
    params: {
      a: { range: [0.5 * unit, 3 * unit] },
      w: { range: [1, 6] },
      ph: { range: [-1, 1] },
    },
  });

  test("all had, in small units: a loss below 1e-18 counted as the best", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(1000), async (seed) => {
        const told = await Promise.all(
          UNITS.map(async (unit) => {
            const { restarts, best } = await fitText(source, optionsIn(unit, seed));
            for (const { loss, hasBestLoss } of restarts)
              expect(hasBestLoss).toBe(Math.abs(loss / best.loss - 1) <= 1e-6);
            return restarts.map(({ hasBestLoss }) => hasBestLoss);
          }),
        );
        for (const one of told) expect(one).toEqual(told[0]);
      }),
      { seed: SEED, numRuns: 5 },
    );
  });

  test("have, whatever rounding leaves of a loss of 0", async () => {
    const line = t.map((at) => 3 + 2 * at);
    for (const unit of UNITS) {
      const { restarts, best } = await fitText("(+ (* a t) (/ b c))", {
        ...{ data: { t, y: line.map((y) => y * unit) }, target: "y", restarts: 8, seed: 3 },
        params: { a: { range: [0, 5 * unit] }, b: { range: [unit, 5 * unit] }, c: 1.5 },
      });
      expect(best.r2).toBeCloseTo(1, 12);
      expect(restarts.every(({ hasBestLoss }) => hasBestLoss)).toBe(true);
    }
  });

  test("of an objective are those at the same place, or with a loss as low", async () => {
    for (const unit of UNITS) {
      const source = `(* ${unit} (+ (square (- 1 a)) (* 100 (square (- b (square a))))))`;
      const { restarts } = await fitText(source, {
        ...{ params: { a: { range: [-1, 2] }, b: { range: [-1, 2] } }, restarts: 6, seed: 2 },
        tolerances: { gradient: 1e-8 * unit },
      });
      for (const { params, hasBestLoss } of restarts)
        if (Math.abs((params["a"] as number) - 1) > 1e-3) expect(hasBestLoss).toBe(false);
      expect(restarts.filter(({ hasBestLoss }) => hasBestLoss).length).toBeGreaterThan(0);
    }
  });

  test("of a likelihood have it to 1e-5, whatever constant it has", async () => {
    const told = [0, 1000, -1e6].map(async (constant) => {
      const { restarts } = await fitText(`(+ ${constant} (+ (* 0.1 (square a)) (cos (* 3 a))))`, {
        ...{ params: { a: { range: [-6, 6] } }, restarts: 10, seed: 5 },
        isNegativeLogLikelihood: true,
      });
      return restarts.map(({ hasBestLoss }) => hasBestLoss);
    });
    const [first, ...others] = await Promise.all(told);
    expect(new Set(first).size).toBe(2);
    for (const one of others) expect(one).toEqual(first);
  });
});

describe("rounding errors", () => {
  const t = Array.from({ length: 30 }, (_, i) => i * 0.37);
  const models: readonly [string, readonly number[], FitOptions["params"] & object][] = [
    ["(+ a (* b (square t)))", t.map((at) => 2 + 0.3 * at * at), {}],
    ["(* a (sin (+ ph (* w t))))", t.map((at) => 2 * Math.sin(0.3 + 0.7 * at)), { w: 0.65 }],
    ["(* a (exp (* k t)))", t.map((at) => 3 * Math.exp(-0.4 * at)), { k: -1 }],
  ];

  test.each(models)(
    "were called a pattern that the model misses: %s",
    async (source, y, params) => {
      const weights = t.map((_, i) => 1 + (i % 3));
      const losses: readonly Partial<FitOptions>[] = [
        {},
        { weights },
        { sigma: weights },
        { optimiser: "lbfgs" },
        { loss: "huber" },
        { loss: "absolute" },
        { loss: "(square (- pred y))" },
      ];
      for (const how of losses)
        for (const on of [machine, single]) {
          const settings = { data: { t, y }, target: "y", params, ...how };
          const { residuals, diagnostics } = await fit(on.load(source), settings);
          expect(residuals?.words).toEqual([]);
          expect(diagnostics.notes.join()).not.toContain("pattern");
        }
    },
  );

  test("hide no pattern that is larger, in any unit", async () => {
    for (const unit of [1e-9, 1, 1e9]) {
      const y = t.map((at) => unit * (2 + 0.3 * at + 1e-8 * at * at));
      const { residuals } = await fitText("(+ a (* b t))", {
        ...{ data: { t, y }, target: "y", params: { a: unit, b: unit } },
      });
      expect(residuals?.words.join()).toContain("the model misses a pattern");
    }
  });

  test("are compared with the residuals row by row as these are weighed", () => {
    const residuals = Float64Array.from({ length: 20 }, (_, i) => (i < 10 ? 1 : -1));
    const rounding = residuals.map((_, i) => (i === 0 ? 1e6 : 0.9));
    const roots = residuals.map((_, i) => (i === 0 ? 0 : 2));
    expect(checkResiduals(residuals, undefined, rounding).words).toEqual([]);
    expect(checkResiduals(residuals, roots, rounding).words).not.toEqual([]);
    expect(
      checkResiduals(
        residuals,
        roots,
        rounding.map(() => 1),
      ).words,
    ).toEqual([]);
  });
});
