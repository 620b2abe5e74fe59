/** Waves that have no constant for their phase, on lattices from which the phase moves by whole turns. */

import { expect, test } from "vitest";
import { foldRates } from "../../src/choice/aliases.js";

test.each([
  ["sin", 2],
  ["cos", 2],
  ["tan", 1],
] as const)(
  "the rate of a %s is folded to its lowest alias wherever the lattice begins, on either side of rounding",
  (name, halves) => {
    const turn = halves * Math.PI;
    const sides = new Set<number>();
    for (const step of [0.1, 0.25, 0.7, 1 / 3, 1 / 60, 12.5])
      for (const first of [-13, -3, -1, 0, 1, 2, 7, 24])
        for (const turns of [-30, -7, -1, 1, 2, 3, 11, 29])
          for (const share of [0.03, 0.21, 0.44]) {
            const origin = first * step;
            const low = (share * turn) / step;
            const w = low + (turns * turn) / step;
            const lattices = new Map([["t", { origin, step }]]);
            const label = `origin ${first} of ${step}, ${turns} turns, ${share}`;
            const folded = foldRates(`(${name} (* w t))`, { w }, ["t"], lattices);
            expect(folded?.["w"], label).toBeDefined();
            expect((folded?.["w"] as number) / low, label).toBeCloseTo(1, 9);
            const shift = (turns * turn * origin) / step / turn;
            sides.add(Math.sign(shift - Math.round(shift)));
            // From half a step off, the phase would have to move by half a turn at odd ones.
            const off = new Map([["t", { origin: origin + step / 2, step }]]);
            const isWhole = turns % 2 === 0;
            const moved = foldRates(`(${name} (* w t))`, { w }, ["t"], off);
            expect(moved !== undefined, label).toBe(isWhole);
          }
    expect(sides).toEqual(new Set([-1, 0, 1]));
  },
);
