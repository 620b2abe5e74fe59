/**
 * A loss that is even or periodic in a parameter is the same at −u and a period further. That is no flat loss: what is
 * said of parameters that ran off must be true on the way there, too.
 */

import fc from "fast-check";
import { expect, test } from "vitest";
import { changeAt, comparisonWith, differenceOn, type Way } from "../../src/fit/diagnosis/way.js";
import type { Restart } from "../../src/fit/optimise/restart.js";
import { fitText, steps } from "./support.js";

const SEED = Number(process.env["SEED"] ?? Date.now() % 2 ** 31);
console.log(`mirrors: SEED=${SEED}`);
const check = { seed: SEED, numRuns: 200 };

/** The way of one parameter that came from `from` to `u`, and what a loss does along it. */
function lookAlong(lossAt: (u: number) => number, u: number, from: number) {
  const winner = { best: Float64Array.of(u) } as unknown as Restart;
  const best = lossAt(u);
  const measure = {
    ...{ within: 1e-12, isSingle: false },
    lossAt: (x: Float64Array) => lossAt(x[0] as number),
    best,
  };
  const way: Way = {
    ...{ j: 0, label: "u", u, from, side: Math.sign(u - from), hasMoved: true },
    length: Math.max(Math.abs(u), Math.abs(u - from)),
    ...{ slope: 1, unit: 1 },
    toUser: (at) => at,
  };
  return { way, compare: comparisonWith(measure, winner) };
}

/** Where a loss of u is the same in another place: at −u, or a period further. */
const mirrors: Readonly<Record<string, (u: number) => (at: number) => number>> = {
  "an even loss": (u) => (at) => ((at / u) ** 2 - 1) ** 2,
  "an even loss that is flat far off": (u) => (at) =>
    (Math.exp(-((at / u) ** 2)) - Math.exp(-1)) ** 2,
  "a periodic loss": (u) => (at) => 1 - Math.cos((2 * Math.PI * (at - u)) / (2 * Math.abs(u))),
};

test.each(Object.entries(mirrors))("%s is not the same however far u goes", (_, make) => {
  const size = fc.double({ min: 0.1, max: 50, noNaN: true });
  fc.assert(
    fc.property(
      size,
      fc.constantFrom(-1, 1),
      fc.integer({ min: 1, max: 40 }),
      (size, sign, far) => {
        const u = sign * size;
        // From here the way is as long as that to a mirror, or a whole number of periods.
        const { way, compare } = lookAlong(make(u), u, u + 2 * far * u);
        expect(compare([[0, -u]])).toBe("same");
        for (const side of [-1, 1]) expect(changeAt(way, side, compare).change).not.toBe("same");
        const back = (share: number) => [[0, u - 2 * share * u]] as const;
        expect(differenceOn(back, compare)).toBeDefined();
      },
    ),
    check,
  );
});

test("a loss that is flat further on is the same", () => {
  fc.assert(
    fc.property(fc.double({ min: 40, max: 500, noNaN: true }), (u) => {
      const { way, compare } = lookAlong((at) => Math.log1p(Math.exp(-at)), u, 1);
      expect(changeAt(way, 1, compare).change).toBe("same");
    }),
    check,
  );
});

const t = steps(0, 9, 10);
test.each([
  ["a frequency", "(cos (* w t))", t.map((at) => Math.cos(0.5 * at)), { w: 0.6 }],
  [
    "a width",
    "(* a (exp (- (square (/ t s)))))",
    t.map((at) => 2 * Math.exp(-at * at)),
    { a: 1, s: 3 },
  ],
  [
    "a phase",
    "(* a (sin (+ (* w t) ph)))",
    t.map((at) => 2 * Math.sin(0.7 * at)),
    { a: 1, w: 0.7, ph: 5.5 },
  ],
])("%s of a perfect fit was said to have run off", async (_, source, y, params) => {
  for (const how of [
    {},
    { optimiser: "lbfgs" },
    { loss: "absolute" },
    { loss: "huber" },
  ] as const) {
    const { best, diagnostics } = await fitText(source, {
      ...{ data: { t, y }, target: "y", params },
      ...how,
    });
    expect(best.r2).toBeCloseTo(1, 9);
    expect(diagnostics.runaways).toEqual([]);
    expect(diagnostics.notes).toEqual([]);
  }
});

test("two widths that go to their mirrors together were said to have run off together", async () => {
  const y = t.map((at) => Math.exp(-at * at) + Math.exp(-((at / 4) ** 2)));
  const source = "(+ (exp (- (square (/ t r)))) (exp (- (square (/ t s)))))";
  const { diagnostics, best } = await fitText(source, {
    ...{ data: { t, y }, target: "y", params: { r: 3, s: 12 } },
  });
  expect(best.r2).toBeCloseTo(1, 9);
  expect(diagnostics.notes.join()).not.toContain("ran off");
});
