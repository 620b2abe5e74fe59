/** What is near a bound, and intervals beside bounds, on plain and on log scales. */

import { describe, expect, test } from "vitest";
import type { Free } from "../../src/fit/parameters/parameters.js";
import { makeTransform } from "../../src/fit/parameters/transforms.js";
import { intervalOf, isNearBound } from "../../src/fit/quality/covariance.js";

const free = (lower: number, upper: number, isLog: boolean, origin: number): Free =>
  ({
    ...{ lower, upper, isLog },
    transform: makeTransform(lower, upper, origin, isLog),
  }) as unknown as Free;

describe("bounds and intervals", () => {
  test.each([
    [-Infinity, Infinity, false, 1e9, false],
    [0, 10, false, 5, false],
    [0, 10, false, 1e-3, false],
    [0, 10, false, 1e-6, true],
    [0, 10, false, 10 - 1e-6, true],
    [0, 10, false, 10 - 1e-3, false],
    [2, Infinity, false, 2 + 1e-9, true],
    [2, Infinity, false, 2.5, false],
    [2, Infinity, false, 1e9, false],
    [-Infinity, 2, false, 2 - 1e-9, true],
    [-Infinity, 2, false, -1e9, false],
    [0, Infinity, true, 1e-12, false],
    [-Infinity, Infinity, true, 1e-12, false],
    [0.5, Infinity, true, 0.5 + 1e-9, true],
    [0, 10, true, 10 - 1e-6, true],
    [0, 10, true, 5, false],
    [-Infinity, 10, true, 10 - 1e-9, true],
  ])("between %d and %d, log %s: %d is near a bound: %s", (lower, upper, isLog, x, wanted) => {
    const one = free(lower, upper, isLog, lower === -Infinity ? 1 : lower + 1);
    expect(isNearBound(one, x, one.transform.toFree(x), x)).toBe(wanted);
  });

  test("on a log scale what is near a bound does not depend on the unit", () => {
    const seen = new Set<boolean>();
    for (const share of [1e-9, 1e-7, 1e-5, 1e-4, 1e-3, 0.1, 0.5])
      for (const [lower, upper] of [
        [1, 1e3],
        [1, Infinity],
        [0, 1e3],
      ] as const) {
        const x = lower === 0 ? upper * (1 - share) : lower * (1 + share);
        const isNear = (unit: number): boolean => {
          const one = free(lower * unit, upper * unit, true, 30 * unit);
          const at = one.transform.toFree(x * unit);
          return isNearBound(one, one.transform.toUser(at), at, 30 * unit);
        };
        const here = isNear(1);
        seen.add(here);
        for (const unit of [1e-9, 1e-4, 1e5, 1e12])
          expect(isNear(unit), `${lower} to ${upper}, ${share}, in ${unit}`).toBe(here);
      }
    expect(seen.size).toBe(2);
  });

  test("an interval is symmetric in the parameter or its logarithm, and cut at the bounds", () => {
    const plain = free(-Infinity, Infinity, false, 1);
    expect(intervalOf(plain, 3, 0.5, 2)).toEqual([2, 4]);
    const log = free(0, Infinity, true, 1);
    const [low, high] = intervalOf(log, 3, 0.6, 2);
    expect(low).toBeCloseTo(3 * Math.exp(-0.4), 12);
    expect(high).toBeCloseTo(3 * Math.exp(0.4), 12);
    expect(intervalOf(plain, 3, Number.NaN, 2)).toEqual([Number.NaN, Number.NaN]);
    expect(intervalOf(plain, 3, 0, Number.POSITIVE_INFINITY)).toEqual([3, 3]);
    expect(intervalOf(plain, 3, 1, Number.POSITIVE_INFINITY)).toEqual([Number.NaN, Number.NaN]);
    expect(intervalOf(free(1, 2, false, 1.5), 1.9, 5, 2)).toEqual([1, 2]);
    expect(intervalOf(free(1, 2, false, 1.5), 1.9, 0.25, 2)).toEqual([1.4, 2]);
    const [least, most] = intervalOf(free(2.5, 4, true, 3), 3, 0.6, 2);
    expect(least).toBe(2.5);
    expect(most).toBe(4);
  });
});
