/**
 * Histograms: every finite value is counted once, in the bin that holds it.
 */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { binsOf } from "../src/index.js";

const { SEED } = process.env;
const seed = SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(SEED);
console.info(`histogram: SEED=${seed}`);

const rangeOf = (values: readonly number[]): number => Math.max(...values) - Math.min(...values);

describe("a histogram", () => {
  test("counts every finite value once, in the bin that holds it", () => {
    const values = fc.array(fc.double({ min: -50, max: 50, noNaN: true }), { minLength: 2 });
    fc.assert(
      fc.property(values, (list) => {
        const bins = binsOf([...list, Number.NaN, Number.POSITIVE_INFINITY]);
        const [low, high] = [Math.min(...list), Math.max(...list)];
        if (low === high) {
          expect(bins).toEqual([{ from: low - 0.5, to: low + 0.5, count: list.length }]);
          return;
        }
        // -0 and 0 are one place on an axis.
        expect(bins[0]?.from === low, `from ${bins[0]?.from}, not ${low}`).toBe(true);
        expect(bins.at(-1)?.to).toBeCloseTo(high, 9);
        for (const [at, { from, to, count }] of bins.entries()) {
          if (at > 0) expect(from).toBe(bins[at - 1]?.to);
          const slack = 1e-9 * (high - low);
          const inside = (edge: number) =>
            list.filter((value) => value >= from - edge && value < to + edge).length;
          const last = at === bins.length - 1 ? list.filter((value) => value === high).length : 0;
          expect(count).toBeGreaterThanOrEqual(inside(-slack));
          expect(count).toBeLessThanOrEqual(inside(slack) + last);
        }
        const sturges = Math.ceil(Math.log2(list.length)) + 1;
        expect(bins.length).toBeGreaterThanOrEqual(Math.min(60, sturges));
        expect(bins.length).toBeLessThanOrEqual(60);
      }),
      { seed },
    );
  });

  test("counted a value in the bin beside its own where bins are as narrow as rounding", () => {
    for (const list of [
      [-1.5e-323, -1e-323],
      [0, 5e-324, 1e-323],
    ]) {
      const bins = binsOf(list);
      for (const [at, { from, to, count }] of bins.entries()) {
        const isLast = at === bins.length - 1;
        const inside = list.filter((value) => value >= from && (value < to || isLast));
        expect(count, `${from} to ${to}`).toBe(inside.length);
      }
    }
  });

  test("of one value is one bin around it, and of none there is none", () => {
    expect(binsOf([2, 2, Number.NaN, 2])).toEqual([{ from: 1.5, to: 2.5, count: 3 }]);
    expect(binsOf([Number.NaN])).toEqual([]);
  });

  test("has bins of Freedman and Diaconis's width where that is finer than Sturges's", () => {
    const values = Array.from({ length: 1000 }, (_, at) => Math.cos(at) ** 3);
    const sorted = [...values].sort((a, b) => a - b);
    const spread = (sorted[749] as number) - (sorted[249] as number);
    const wanted = Math.ceil(rangeOf(values) / ((2 * spread) / 10));
    expect(wanted).toBeGreaterThan(11);
    expect(binsOf(values)).toHaveLength(wanted);
  });
});
