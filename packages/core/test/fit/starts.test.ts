/**
 * Where a parameter begins, for every combination of scale, bounds, start and range: inside its bounds, where it was
 * told to begin, and at the same place whichever of several ways that mean the same it was told.
 */

import { describe, expect, test } from "vitest";
import { type FitOptions, fit, type ParameterOptions } from "../../src/index.js";
import { machine } from "./support.js";

const program = machine.load("(square (- k 0.37))");
const outer = { lbfgs: {}, adam: { optimiser: "adam" } } as const;

/** Where each restart of a fit begins. */
async function startsOf(spec: ParameterOptions, more: FitOptions = {}): Promise<number[]> {
  const { restarts } = await fit(program, {
    ...{ params: { k: spec }, steps: 1, detail: "scores" },
    ...more,
  });
  return restarts.map(({ start }) => start["k"] as number);
}

type Limit = number | null;
const scales = ["linear", "log"] as const;
const lowers: readonly Limit[] = [null, -1e6, -5, -1e-6, 0, 1e-300, 1e-9, 0.2, 1, 40, 1e6];
const uppers: readonly Limit[] = [null, 1e7, 60, 1, 0.5, 1e-8, 0, -0.1, -40];

/** All bounds that a parameter of a scale may have. */
const cases = scales.flatMap((scale) =>
  lowers.flatMap((lower) =>
    uppers.flatMap((upper) => {
      const isEmpty = (lower ?? -Infinity) >= (upper ?? Infinity);
      if (isEmpty || (scale === "log" && upper !== null && upper <= 0)) return [];
      return [{ scale, bounds: [lower, upper] as const }];
    }),
  ),
);

const endsOf = ({ scale, bounds: [lower, upper] }: (typeof cases)[number]) => {
  const least = lower ?? Number.NEGATIVE_INFINITY;
  return {
    lower: scale === "log" ? Math.max(0, least) : least,
    upper: upper ?? Number.POSITIVE_INFINITY,
  };
};

/** Places between two bounds, also very near to them. */
function placesIn(lower: number, upper: number): number[] {
  const low = Number.isFinite(lower) ? lower : Math.min(-3, upper - 3);
  const high = Number.isFinite(upper) ? upper : Math.max(3, lower + 3);
  const shares = [1e-12, 1e-7, 1e-5, 0.01, 0.5, 0.9, 0.99999, 1 - 1e-9];
  const near = lower === 0 ? [1e-100, 1e-20, 1e-8] : [];
  return [...near, ...shares.map((share) => low + share * (high - low))].filter(
    (at) => at > lower && at < upper,
  );
}

describe.each(cases)("$scale, bounds $bounds", (one) => {
  const { lower, upper } = endsOf(one);
  const width = upper - lower;

  test("nothing said: inside, at 1 where that may be, in the middle of two bounds", async () => {
    const [start = Number.NaN] = await startsOf(one);
    expect(start).toBeGreaterThan(lower);
    expect(start).toBeLessThan(upper);
    if (lower < 1 && upper > 1) {
      const isFar = one.scale === "log" || width < 1e3;
      if (isFar || !Number.isFinite(width)) expect(start).toBe(1);
    } else if (Number.isFinite(width)) {
      const middle =
        one.scale === "log" && lower > 0
          ? Math.sqrt(lower) * Math.sqrt(upper)
          : (lower + upper) / 2;
      expect(start / middle).toBeCloseTo(1, 9);
    }
  });

  test("a start is kept, unless it is next to a bound that it can reach", async () => {
    for (const at of placesIn(lower, upper)) {
      const [start = Number.NaN] = await startsOf({ ...one, start: at });
      // On a log scale distances are those of logarithms, and 0 is infinitely far.
      const on = one.scale === "log" ? Math.log : (each: number) => each;
      const [low, here, high] = [on(lower), on(at), on(upper)];
      const left = Math.min(here - low, high - here);
      // Between two bounds a millionth of their distance; beside one its last digits.
      const unit = one.scale === "log" ? 1 : Math.max(1e-110, Math.abs(at));
      const isNear = left <= 2e-6 * (Number.isFinite(high - low) ? high - low : unit);
      if (!isNear) expect(start, `${at}`).toBe(at);
      expect(start, `${at}`).toBeGreaterThan(lower);
      expect(start, `${at}`).toBeLessThan(upper);
      const most = Number.isFinite(high - low) ? high - low : Math.max(1, unit);
      expect(Math.abs(on(start) - here), `${at}`).toBeLessThanOrEqual(1.001e-3 * most);
    }
  });

  test("restarts begin inside their range or, without one, around the start", async () => {
    for (const restarts of [2, 5]) {
      const all = await startsOf(one, { restarts, seed: 3 });
      for (const start of all) {
        expect(start).toBeGreaterThan(lower);
        expect(start).toBeLessThan(upper);
      }
      expect(new Set(all).size).toBe(restarts);
    }
    const low = Number.isFinite(lower) ? lower : Math.min(upper, 0) - 4;
    const high = Number.isFinite(upper) ? upper : 10 * Math.max(low, 0) + 4;
    const range = [low + 0.25 * (high - low), low + 0.75 * (high - low)] as const;
    if (one.scale === "log" && range[0] <= 0) return;
    const all = await startsOf({ ...one, range }, { restarts: 6, seed: 3 });
    for (const start of all) {
      expect(start).toBeGreaterThanOrEqual(range[0]);
      expect(start).toBeLessThanOrEqual(range[1]);
    }
    const kept = await startsOf({ ...one, range, start: range[0] }, { restarts: 6, seed: 3 });
    expect(kept).toEqual([range[0], ...all.slice(1)]);
  });

  test("optimisers and ways to say the same begin alike", async () => {
    const wanted = await startsOf(one, { restarts: 3 });
    for (const how of Object.values(outer))
      expect(await startsOf(one, { restarts: 3, ...how })).toEqual(wanted);
    const [low, high] = one.bounds;
    const infinite = [low ?? -Infinity, high ?? Infinity] as const;
    expect(await startsOf({ ...one, bounds: infinite }, { restarts: 3 })).toEqual(wanted);
    // On a log scale a bound at or below 0 is none.
    if (one.scale === "log" && (low ?? -1) <= 0)
      for (const least of [null, 0, -1e-9, -7])
        expect(await startsOf({ ...one, bounds: [least, high] }, { restarts: 3 })).toEqual(wanted);
    if (one.scale === "linear")
      expect(await startsOf({ bounds: one.bounds }, { restarts: 3 })).toEqual(wanted);
  });

  test("restarts were all moved to one place, off a bound that they were not near to", async () => {
    const all = await startsOf(one, { restarts: 8, seed: 5 });
    expect(new Set(all).size).toBeGreaterThan(6);
    if (one.scale === "linear" || !(lower > 0 && width < Infinity)) return;
    // Drawn evenly from all magnitudes.
    const wide = await startsOf({ ...one, range: [lower, upper] }, { restarts: 40, seed: 5 });
    const magnitude = Math.log(upper / lower);
    const shares = wide.map((each) => Math.log(each / lower) / magnitude);
    expect(shares.filter((share) => share < 0.5).length).toBeGreaterThan(8);
    expect(shares.filter((share) => share > 0.5).length).toBeGreaterThan(8);
  });

  test("a parameter of the other sign begins at minus the place", async () => {
    if (one.scale === "log") return;
    const [low, high] = one.bounds;
    const bounds = [high === null ? null : -high, low === null ? null : -low] as const;
    for (const at of placesIn(lower, upper)) {
      const [start = Number.NaN] = await startsOf({ bounds: one.bounds, start: at });
      const [mirrored = Number.NaN] = await startsOf({ bounds, start: -at });
      expect(mirrored, `${at}`).toBeCloseTo(-start, 12);
    }
  });
});
