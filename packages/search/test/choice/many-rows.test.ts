/** Gaps of tables that are too large for every row to be compared with every other one. */

import { Random } from "@ndvm/core";
import { expect, test } from "vitest";
import { gapsOf } from "../../src/choice/gaps.js";

test.each([8192, 8193, 10_000])(
  "of %i rows and two inputs, 256 rows are looked at beside the nearest of 8192",
  (rows) => {
    const draws = new Random(3);
    const column = (size: number) =>
      Float64Array.from({ length: rows }, () => size * draws.uniform());
    const [x, z, y] = [column(1), column(70), column(1)] as [
      ...[Float64Array, Float64Array, Float64Array],
    ];
    const { places, count, share } = gapsOf({ x, z, y }, ["x", "z"], "y");
    expect([count, share]).toEqual([256, rows / 256]);
    const few = (list: readonly number[], most: number) =>
      list.length <= most
        ? list
        : Array.from(
            { length: most },
            (_, i) => list[Math.floor((i * list.length) / most)] as number,
          );
    const others = few(
      Array.from({ length: rows }, (_, row) => row),
      8192,
    );
    const width = (of: Float64Array) => Math.max(...of) - Math.min(...of);
    const [wide, high] = [width(x), width(z)];
    const at = (of: Float64Array, row: number) => of[row] as number;
    for (const [i, row] of few(others, 256).entries()) {
      if (i % 16 !== 0) continue;
      let nearest = -1;
      let least = Number.POSITIVE_INFINITY;
      for (const other of others) {
        const far = Math.hypot(
          (at(x, row) - at(x, other)) / wide,
          (at(z, row) - at(z, other)) / high,
        );
        if (other === row || far >= least) continue;
        [nearest, least] = [other, far];
      }
      const ends = [places["x"]?.[9 * i], places["x"]?.[9 * i + 8]];
      expect(ends).toEqual([at(x, row), at(x, nearest)]);
    }
  },
);
