/**
 * Exponentials and logarithms that optimisers take inside the machine, over all magnitudes: parameters
 * on a logarithmic scale, and losses that are logarithms, worked out by the engine's own functions.
 */

import { afterAll, describe, expect, test } from "vitest";
import { type FitOptions, fit, Machine, type ParameterOptions } from "../../src/index.js";

const machine = await Machine.create();
afterAll(() => machine.dispose());

const x = [1, 2, 3, 4, 5];
const exponents = Array.from({ length: 25 }, (_, i) => 3.7 * (i - 12));

describe.each(["lm", "lbfgs"] as const)("%s", (optimiser) => {
  test("finds a parameter of any size on a logarithmic scale", async () => {
    const program = machine.load("(* (/ a unit) x)", { inputs: ["a", "unit", "x"] });
    for (const exponent of exponents) {
      const a = 10 ** exponent;
      const { best } = await fit(program, {
        data: { x, unit: x.map(() => a), y: x },
        target: "y",
        params: { a: { start: 2 * a, scale: "log", range: [a / 4, 4 * a] } },
        optimiser,
        detail: "scores",
      });
      expect((best.params["a"] ?? 0) / a, `10 to ${exponent}`).toBeCloseTo(1, 6);
    }
    program.dispose();
  });

  test("keeps a parameter on a logarithmic scale between its bounds", async () => {
    const program = machine.load("(* (/ a unit) x)", { inputs: ["a", "unit", "x"] });
    for (const exponent of exponents) {
      const a = 10 ** exponent;
      for (const bounds of [
        [a / 8, a / 2],
        [2 * a, 8 * a],
      ] as const) {
        const start = Math.sqrt(bounds[0] * bounds[1]);
        const { best } = await fit(program, {
          data: { x, unit: x.map(() => a), y: x },
          target: "y",
          params: { a: { start, scale: "log", bounds } },
          optimiser,
          detail: "scores",
        });
        const nearest = bounds[0] > a ? bounds[0] : bounds[1];
        expect((best.params["a"] ?? 0) / nearest, `10 to ${exponent}`).toBeCloseTo(1, 3);
        expect(best.params["a"]).toBeGreaterThanOrEqual(bounds[0]);
        expect(best.params["a"]).toBeLessThanOrEqual(bounds[1]);
      }
    }
    program.dispose();
  });
});

/** The mean loss of rows with one prediction and one target; the parameter changes nothing. */
async function lossOf(
  f: number,
  y: number,
  options: Pick<FitOptions, "loss" | "trials">,
): Promise<number> {
  const program = machine.load("(+ f (* 0 a))", { inputs: ["a", "f"] });
  const { best } = await fit(program, {
    data: { f: x.map(() => f), y: x.map(() => y), m: x.map(() => 9) },
    target: "y",
    params: { a: { start: 1 } },
    optimiser: "lbfgs",
    detail: "scores",
    ...options,
  });
  program.dispose();
  return best.loss / x.length;
}

test("logarithms of counts and chances are those of the engine at every magnitude", async () => {
  for (const exponent of [-300, -151, -37, -9.3, -0.4, 0.2, 5.7, 18.1, 77, 255]) {
    const f = 10 ** exponent;
    const count = await lossOf(f, 3, { loss: "poisson" });
    expect(count / (f - 3 * Math.log(f)), `10 to ${exponent}`).toBeCloseTo(1, 12);
    if (f >= 1) continue;
    const hit = await lossOf(f, 2, { loss: "binomial", trials: "m" });
    const plain = -2 * Math.log(f) - 7 * Math.log(1 - f);
    expect(hit / plain, `10 to ${exponent}`).toBeCloseTo(1, 12);
  }
  // Numbers with fewer digits, that slopes of whole counts would leave.
  for (const f of [1.7e-308, 1.2e-308, 8e-309, 5e-309, 1e-309]) {
    const y = f > 2e-309 ? 0.5 : 0.1;
    const count = await lossOf(f, y, { loss: "poisson" });
    expect(count / (-y * Math.log(f)), `${f}`).toBeCloseTo(1, 12);
  }
});

/** A fit of one tiny step ends where it began. */
const begun = async (a: ParameterOptions) => {
  const program = machine.load("(* a x)", { inputs: ["a", "x"] });
  const { best } = await fit(program, {
    ...{ data: { x, y: x }, target: "y", params: { a }, optimiser: "adam", detail: "scores" },
    ...{ steps: 1, adam: { rate: 1e-9 * (Math.abs(a.start ?? 0) || 1) } },
  });
  program.dispose();
  return best.params["a"] as number;
};

describe("a small start was replaced by 0.001", () => {
  test.each([1e-100, 1e-40, 1e-7, 1e-6, 0.01])("%d above 0", async (start) => {
    for (const option of [{ bounds: [0, null] }, { scale: "log" }, { bounds: [-1e-200, null] }]) {
      expect((await begun({ start, ...option } as ParameterOptions)) / start).toBeCloseTo(1, 6);
    }
    expect((await begun({ start: -start, bounds: [null, 0] })) / start).toBeCloseTo(-1, 6);
  });

  test("though one at a bound, or between two and near one, is moved off it", async () => {
    expect(await begun({ start: 0, bounds: [0, null] })).toBeCloseTo(1e-3, 6);
    expect(await begun({ start: 5, bounds: [5, null] })).toBeCloseTo(5.005, 6);
    expect(await begun({ start: 5, bounds: [null, 5] })).toBeCloseTo(4.995, 6);
    expect(await begun({ start: 1e-7, bounds: [0, 2] })).toBeCloseTo(2e-3, 6);
    expect(await begun({ start: 2, bounds: [0, 2] })).toBeCloseTo(1.998, 6);
    expect(await begun({ start: 5, bounds: [5, null], scale: "log" })).toBeCloseTo(5.005, 5);
    expect(await begun({ start: 2, bounds: [0, 2], scale: "log" })).toBeCloseTo(1.998, 5);
  });
});
