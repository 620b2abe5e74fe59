/** Fits in any units: the same answer, and no optimum where there is none. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { residualUnit } from "../../src/fit/data/unit.js";
import { type FitOptions, fit, Machine } from "../../src/index.js";

let machine: Machine;
beforeAll(async () => {
  machine = await Machine.create({ precision: "f64" });
});
afterAll(() => machine.dispose());

const t = Array.from({ length: 20 }, (_, row) => row / 5);
const decay = (unit: number) =>
  t.map((v, row) => unit * (2 * Math.exp(-0.5 * v) + 0.01 * Math.sin(77 * row)));
/** The optimum in units of 1. */
const A = 2.002236054591661;
const K = -0.500918587353544;

const fitted = async (options: FitOptions) => {
  const program = machine.load("(* a (exp (* k t)))");
  const result = await fit(program, { target: "y", seed: 1, ...options });
  const [first] = result.restarts;
  program.dispose();
  return { ...result.best.params, first, notes: result.diagnostics.notes } as {
    readonly a: number;
    readonly k: number;
    readonly first: typeof first;
    readonly notes: readonly string[];
  };
};

describe("lm stayed at its start and said that it had converged", () => {
  test.each([1e-60, 1e-30, 1e-18, 1e-12, 1e-6, 1, 1e6, 1e12, 1e18, 1e60])(
    "where the target is about %d",
    async (unit) => {
      const { a, k, first } = await fitted({
        data: { t, y: decay(unit) },
        params: { a: { start: unit }, k: { start: -1 } },
      });
      expect(a / unit).toBeCloseTo(A, 9);
      expect(k).toBeCloseTo(K, 9);
      expect(first?.hasConverged).toBe(true);
    },
  );

  test.each([1e-15, 1e-9, 1e9, 1e15])("where times are about %d", async (unit) => {
    const { a, k, first } = await fitted({
      data: { t: t.map((v) => v * unit), y: decay(1) },
      params: { a: { start: 1 }, k: { start: -1 / unit } },
    });
    expect(a).toBeCloseTo(A, 8);
    expect(k * unit).toBeCloseTo(K, 8);
    expect(first?.hasConverged).toBe(true);
  });

  test.each([1e-100, 1e-28, 1e-12, 1e12, 1e28, 1e100])("where all weights are %d", async (w) => {
    const { a, k, first } = await fitted({
      data: { t, y: decay(1) },
      params: { a: 1, k: -1 },
      weights: t.map(() => w),
    });
    expect(a).toBeCloseTo(A, 9);
    expect(k).toBeCloseTo(K, 9);
    expect(first?.hasConverged).toBe(true);
  });

  test("where errors of measurement are large", async () => {
    const { a, first } = await fitted({
      data: { t, y: decay(1e15) },
      params: { a: 1e15, k: -1 },
      sigma: t.map(() => 5e13),
    });
    expect(a / 1e15).toBeCloseTo(A, 8);
    expect(first?.hasConverged).toBe(true);
  });
});

describe("the unit of residuals", () => {
  const unitOf = (y: number, x: number, root?: number, start?: number, reach = 1) =>
    residualUnit(
      {
        target: Float64Array.of(0, -y),
        columns: { x: Float64Array.of(x, Number.NaN, 0) },
        rootWeights: root === undefined ? undefined : Float64Array.of(root, root),
      },
      [
        { start: 1, range: [0, 1] },
        { start, range: [-reach, 1] },
      ],
    );

  test.each([
    [1, 1, undefined, 1],
    [0, 0, undefined, 1],
    [2 ** 20, 2 ** 20, undefined, 1],
    [2 ** 21 - 1, 1, undefined, 1],
    [2 ** 21, 1, undefined, 2 ** (21 - 60)],
    [2 ** -20, 2 ** -20, undefined, 1],
    [2 ** -21, 1, undefined, 2 ** (-21 - 60)],
    [3, 2 ** 21, undefined, 2 ** (1 - 60)],
    [3, 2 ** -21, undefined, 2 ** (1 - 60)],
    [3, 1, 2 ** 19, 1],
    [3, 1, 2 ** 20, 2 ** (21 - 60)],
    [2 ** 30, 1, 2 ** -30, 1],
    [1e-300, 1, undefined, 2 ** -500],
    [1e300, 1, undefined, 1],
    [2 ** 59, 1, undefined, 2 ** -1],
    [2 ** 60, 1, undefined, 1],
  ])("of a target up to %d, a column up to %d and root weights %s is %d", (y, x, root, unit) =>
    expect(unitOf(y, x, root)).toBe(unit),
  );

  test.each([
    [2 ** 20, 1, 1],
    [-(2 ** 21), 1, 2 ** (1 - 21 - 60)],
    [2 ** -40, 2 ** 30, 1],
    [undefined, 2 ** 20, 1],
    [undefined, 2 ** 22, 2 ** (1 - 22 - 60)],
  ])("of a parameter from %s, else within %d, is %d", (start, reach, unit) =>
    expect(unitOf(3, 1, undefined, start, reach)).toBe(unit),
  );
});

describe("a parameter that is short of its best value", () => {
  test.each([1e-18, 1e12])("is brought there by second derivatives (target %d)", async (unit) => {
    const {
      a,
      k: rate,
      first,
      notes,
    } = await fitted({
      data: { t, y: decay(unit) },
      params: { a: { start: unit }, k: { start: -1 } },
      optimiser: "lbfgs",
    });
    expect(first?.hasConverged).toBe(true);
    expect(notes).toEqual([]);
    expect(a / unit).toBeCloseTo(A, 8);
    expect(rate).toBeCloseTo(K, 8);
  });

  test("is none where the loss has a kink, or a bound is near", async () => {
    const y = [1, 2, 4, 8, 9];
    const program = machine.load("(max 0.1 (* 1 a))");
    const kink = await fit(program, {
      data: { y },
      target: "y",
      params: { a: { start: 3 } },
      loss: "absolute",
      optimiser: "lbfgs",
    });
    expect(kink.best.params["a"]).toBeCloseTo(4, 6);
    expect(kink.diagnostics.notes.join()).not.toContain("short of");
    const { notes } = await fitted({
      data: { t, y: decay(1) },
      params: { a: { start: 1, bounds: [0, 1.995] }, k: -1 },
    });
    expect(notes.join()).not.toContain("short of");
    program.dispose();
  });
});
