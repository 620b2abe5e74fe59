/**
 * The fit's own arithmetic: functions against the engine's to the stated bounds, quantiles and
 * random numbers against published ones.
 */

import { describe, expect, test } from "vitest";
import { atan, exp, log, normalReach, studentReach } from "../../src/fit/math/elementary.js";
import { Random } from "../../src/fit/math/random.js";
import { makeTransform } from "../../src/fit/parameters/transforms.js";

/** Distance in units of the last place. */
function ulps(a: number, b: number): number {
  if (a === b) return 0;
  const unit = 2 ** (Math.floor(Math.log2(Math.abs(b))) - 52);
  return Math.abs(a - b) / Math.max(unit, 2 ** -1074);
}

describe("elementary functions", () => {
  test("exp and log stay within 3 units, atan within 6, in the last place", () => {
    const random = new Random(5);
    for (let i = 0; i < 20_000; i++) {
      const x = (random.uniform() - 0.5) * 1400;
      expect(ulps(exp(x), Math.exp(x))).toBeLessThanOrEqual(3);
      const small = (random.uniform() - 0.5) * 4;
      expect(ulps(exp(small), Math.exp(small))).toBeLessThanOrEqual(3);
      const positive = Math.exp(x);
      if (positive > 0) expect(ulps(log(positive), Math.log(positive))).toBeLessThanOrEqual(3);
      const near = 1 + small / 8;
      expect(ulps(log(near), Math.log(near))).toBeLessThanOrEqual(3);
      expect(ulps(atan(x), Math.atan(x))).toBeLessThanOrEqual(6);
    }
  });

  test("the ends of the range are as they should be", () => {
    expect([exp(-800), exp(710), exp(0), exp(-Infinity)]).toEqual([0, Infinity, 1, 0]);
    expect([log(0), log(1), log(Infinity)]).toEqual([-Infinity, 0, Infinity]);
    expect([log(-1), exp(Number.NaN)]).toEqual([Number.NaN, Number.NaN]);
    expect(ulps(log(5e-324), Math.log(5e-324))).toBeLessThanOrEqual(3);
  });

  test("quantiles are those of the tables", () => {
    expect(normalReach(0.95)).toBeCloseTo(1.959963984540054, 12);
    expect(normalReach(0.999)).toBeCloseTo(3.290526731491926, 11);
    expect(studentReach(0.95, 1)).toBeCloseTo(12.706204736174694, 9);
    expect(studentReach(0.95, 2)).toBeCloseTo(4.302652729749464, 11);
    expect(studentReach(0.95, 3)).toBeCloseTo(3.182446305283708, 11);
    expect(studentReach(0.99, 30)).toBeCloseTo(2.749995653567231, 11);
    expect(studentReach(0.95, 100)).toBeCloseTo(1.983971518523552, 11);
    expect(studentReach(0.95, 0)).toBeNaN();
  });

  test.each([0.5, 0.95, 0.999])("quantiles at %d go on smoothly beyond 2,000", (level) => {
    // Neville's scheme in 1/freedom, through quantiles that are found by bisection.
    const through = [1400, 1600, 1800, 2000];
    for (const freedom of [2001, 2050]) {
      const values = through.map((one) => studentReach(level, one));
      for (let width = 1; width < through.length; width++)
        for (let i = 0; i + width < through.length; i++) {
          const [a, b] = [1 / (through[i] as number), 1 / (through[i + width] as number)];
          const share = (1 / freedom - a) / (b - a);
          values[i] = (values[i] as number) * (1 - share) + (values[i + 1] as number) * share;
        }
      expect(Math.abs(studentReach(level, freedom) - (values[0] as number))).toBeLessThan(5e-12);
    }
  });
});

test("random numbers are uniform, and streams differ", () => {
  const random = new Random(1);
  let sum = 0;
  let squares = 0;
  for (let i = 0; i < 100_000; i++) {
    const u = random.uniform();
    sum += u;
    squares += u * u;
  }
  expect(sum / 1e5).toBeCloseTo(0.5, 2);
  expect(squares / 1e5).toBeCloseTo(1 / 3, 2);
  const first = Array.from({ length: 1000 }, (_, stream) => new Random(1, stream).uniform());
  expect(new Set(first).size).toBe(1000);
  expect(new Random(0.5).uniform()).not.toBe(new Random(0.25).uniform());
});

test.each([
  [-Infinity, Infinity, 1, false],
  [2, Infinity, 3, false],
  [-Infinity, -2, -5, false],
  [-1, 4, 0, false],
  [0, Infinity, 0.5, true],
  [0.1, 100, 7, true],
])(
  "the map for bounds %d and %d goes there and back, with its slope",
  (lower, upper, start, isLog) => {
    const map = makeTransform(lower, upper, start, isLog);
    expect(map.toUser(map.toFree(start))).toBeCloseTo(start, 12);
    for (let u = -8; u <= 8; u += 0.37) {
      const x = map.toUser(u);
      expect(x).toBeGreaterThan(lower);
      expect(x).toBeLessThan(upper);
      expect(map.toFree(x)).toBeCloseTo(u, 6);
      const slope = (map.toUser(u + 1e-5) - map.toUser(u - 1e-5)) / 2e-5;
      expect(map.slope(u) / slope).toBeCloseTo(1, 5);
    }
  },
);
