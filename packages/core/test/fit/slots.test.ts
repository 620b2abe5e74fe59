/** How many restarts advance together: as many as one call of the machine takes, in even groups. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { slotsFor } from "../../src/fit/optimise/slots.js";
import { fit, Machine } from "../../src/index.js";

describe("restarts that advance together", () => {
  test.each([
    // [rows, restarts, together]
    [44, 1, 1],
    [44, 16, 16],
    [44, 23, 23],
    [44, 24, 8],
    [44, 100, 10],
    [1, 64, 64],
    [1, 65, 33],
    [16, 64, 64],
    [17, 64, 22],
    [150, 6, 6],
    [150, 8, 3],
    [512, 2, 2],
    [512, 3, 1],
    [1024, 1, 1],
    [1024, 8, 1],
    [1025, 8, 1],
    [1025, 30, 1],
    [16384, 4, 1],
    [100000, 3, 1],
  ])("of %i rows and %i restarts are %i", (points, restarts, together) =>
    expect(slotsFor(points, restarts)).toBe(together),
  );

  test("go in groups that differ by less than the number of groups", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 3000 }),
        fc.integer({ min: 1, max: 400 }),
        (points, restarts) => {
          const together = slotsFor(points, restarts);
          const groups = Math.ceil(restarts / together);
          expect(together).toBeGreaterThanOrEqual(1);
          expect(together).toBeLessThanOrEqual(Math.min(64, restarts));
          expect(groups * together - restarts).toBeLessThan(groups);
          if (points <= 1024) expect(together * points).toBeLessThanOrEqual(1024);
        },
      ),
    );
  });

  test("have the bits that they have by themselves and all at once", async () => {
    const machine = await Machine.create({ precision: "f64" });
    const wave = machine.load("(* a (exp (* b x)) (cos (+ c (* d x))))");
    const x = Array.from({ length: 200 }, (_, i) => 0.1 + i / 40);
    const y = x.map((t) => 2 * Math.exp(-0.3 * t) * Math.cos(1.7 * t + 0.4));
    const options = { data: { x, y }, target: "y", restarts: 8, steps: 30, seed: 3 };
    const alone = await fit(wave, { ...options, together: 1 });
    for (const together of [undefined, 2, 3, 8]) {
      const other = await fit(wave, together === undefined ? options : { ...options, together });
      expect(other.best.params).toEqual(alone.best.params);
      expect(other.restarts.map((each) => each.loss)).toEqual(
        alone.restarts.map((each) => each.loss),
      );
    }
    machine.dispose();
  });
});
