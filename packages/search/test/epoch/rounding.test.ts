import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LossFront } from "../../src/epoch/knowledge.js";
import {
  type Climber,
  fitsAtMost,
  promoted,
  type Rounding,
  roundEvenly,
  roundUp,
} from "../../src/epoch/ladder.js";
import { emptyResult } from "../../src/pipeline/task.js";
import type { Rung } from "../../src/types.js";

const rungs: readonly Rung[] = [
  { restarts: 1, steps: 12, share: 1 },
  { restarts: 4, steps: 20, share: 0.25 },
  { restarts: 8, steps: 30, share: 0.25 },
  { restarts: 1, steps: 150, share: 0.5 },
];

/** Candidates on each rung of an epoch, if none fails. */
function climb(size: number, rounding: Rounding): number[] {
  let climbing: readonly Climber[] = Array.from({ length: size }, (_, index) => ({
    index,
    complexity: 3,
    results: [{ ...emptyResult({ visit: index, rung: 0 }), params: { a: 1 }, loss: index }],
  }));
  return rungs.map((rung, number) => {
    if (number > 0) climbing = promoted(climbing, rung, new LossFront([]), rounding);
    return climbing.length;
  });
}

describe("the ladder of fits", () => {
  test.each([4, 5, 13, 16])("over many bred epochs of %i the shares are met", (size) => {
    const epochs = 4096;
    const sums = rungs.map(() => 0);
    for (let epoch = 0; epoch < epochs; epoch++)
      for (const [number, count] of climb(size, roundEvenly(epoch)).entries())
        sums[number] = (sums[number] as number) + count;
    let wanted = size;
    for (const [number, { share }] of rungs.entries()) {
      wanted *= share;
      expect(Math.abs((sums[number] as number) / epochs - wanted)).toBeLessThan(0.01 * wanted);
    }
  });

  test("an epoch rounds up where its place in the interval is below the rest, and not at it", () => {
    const golden = (Math.sqrt(5) - 1) / 2;
    for (let epoch = 0; epoch < 200; epoch++) {
      const turns = (epoch + 0.5) * golden;
      const place = turns - Math.floor(turns);
      for (const whole of [0, 3]) {
        const countOf = (rest: number) => roundEvenly(epoch).countOf(whole + rest) - whole;
        expect([countOf(place + 1e-12), countOf(place - 1e-12)]).toEqual([1, 0]);
        if (whole === 0) expect(countOf(place)).toBe(0);
        expect(countOf(0)).toBe(0);
      }
    }
  });

  test("programs that were given are rounded up: a lone one climbs to the end", () => {
    expect(climb(1, roundUp)).toEqual([1, 1, 1, 1]);
    expect(climb(16, roundUp)).toEqual([16, 4, 1, 1]);
  });

  test("no epoch has more fits than a budget reserves for it", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 64 }), fc.nat(1e6), (size, epoch) => {
        const counts = climb(size, roundEvenly(epoch));
        const fits = counts.reduce((sum, n, i) => sum + n * (rungs[i] as Rung).restarts, 0);
        expect(fits).toBeLessThanOrEqual(
          fitsAtMost({ optimiser: "lm", rungs, startDeviation: 1 }, size),
        );
      }),
    );
  });
});
