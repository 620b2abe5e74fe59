/** Models that are not finite on a row: what they hide elsewhere costs what it would cost anyway. */

import { expect, test } from "vitest";
import { gapsOf, swingsOf } from "../../src/choice/gaps.js";

const rows = 9;
const x = Float64Array.from({ length: rows }, (_, i) => i);
const y = x.map((at) => 2 * at + Math.cos(3 * at));

test("a model that is infinite on some rows pays 32 bits beside each, and for its other swings", () => {
  const gaps = gapsOf({ x, y }, ["x"], "y");
  const at = gaps.places["x"] as Float64Array;
  const each = gaps.placeCount / gaps.count;
  /** It goes through the law on every row, and swings between any two. */
  const swinging = (size: number) => at.map((here) => 2 * here + size * Math.sin(Math.PI * here));
  for (const size of [20, 300, 1e6])
    for (const bad of [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN])
      for (const broken of [[], [0], [4], [rows - 1], [2, 6], [3, 4], [...x.keys()]]) {
        const values = swinging(size).map((value, i) =>
          broken.includes(at[i] as number) ? bad : value,
        );
        const changes: number[] = [];
        const prices: (number | undefined)[] = [];
        for (let gap = 0; gap < gaps.count; gap++) {
          const own = [...values.subarray(gap * each, (gap + 1) * each)];
          const net = Math.abs((own.at(-1) as number) - (own[0] as number));
          const path = own
            .slice(1)
            .reduce((sum, to, i) => sum + Math.abs(to - (own[i] as number)), 0);
          const data = gaps.steps[gap] as number;
          changes.push(Number.isFinite(net) ? Math.max(net, data) : data);
          prices.push(Number.isFinite(path) ? path - net : undefined);
        }
        const ordinary = changes.reduce((sum, one) => sum + one, 0) / gaps.count;
        const bits = prices.map((hidden) =>
          hidden === undefined ? 32 : Math.min(32, Math.max(0, Math.log2(hidden / ordinary))),
        );
        const label = `${size}, ${bad} on rows ${broken}`;
        const swings = swingsOf(gaps, values);
        expect(swings.share, label).toBe(1);
        expect(swings.bits, label).toBeCloseTo(
          bits.reduce((sum, one) => sum + one, 0),
          6,
        );
        expect(swings.bits, label).toBeGreaterThanOrEqual(swingsOf(gaps, swinging(size)).bits);
      }
});
