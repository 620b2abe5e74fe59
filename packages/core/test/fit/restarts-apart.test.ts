/**
 * Several restarts of a fit are as many fits that each begin at one of the places: what is told of each restart, and
 * of all together, follows from theirs. Some restarts begin where the program has no number, first, last or between.
 */

import { describe, expect, test } from "vitest";
import { type FitOptions, type FitResult, fit, NdvmError } from "../../src/index.js";
import { machine, noise, steps } from "./support.js";

const x = steps(0, 10, 21);
const off = noise(21, 0.2);
const y = x.map((at, i) => Math.min(6, 1.5 * at) + (off[i] as number));
/** Rows go the other way where a·x reaches 6; no number below 0. */
const text = "(+ (* 0 (sqrt a)) (let ((f (* a x))) (if (< f 6) f (+ 6 (* 0 b)))))";

const cases: Readonly<Record<string, FitOptions>> = {
  lm: {},
  lbfgs: { optimiser: "lbfgs" },
  "adam of a few steps": { optimiser: "adam", steps: 15 },
  huber: { loss: "huber", huberWidth: 0.3 },
  "a few steps": { steps: 2 },
  "one at a time": { together: 1 },
  "two at a time": { together: 2, chunk: 8 },
  weights: { weights: x.map((_, i) => 1 + (i % 3)) },
};

/** Fits of one restart each, where those of another fit began; undefined where there is no number. */
async function alone(whole: FitResult, options: FitOptions): Promise<(FitResult | undefined)[]> {
  const program = machine.load(text);
  const results: (FitResult | undefined)[] = [];
  for (const { start } of whole.restarts)
    try {
      results.push(await fit(program, { ...options, params: start, restarts: 1 }));
    } catch (error) {
      if (!(error instanceof NdvmError)) throw error;
      results.push(undefined);
    }
  program.dispose();
  return results;
}

describe.each(Object.entries(cases))("restarts by %s", (_, more) => {
  const options: FitOptions = { data: { x, y }, target: "y", ...more };
  /** Whether second derivatives move the best restart on, as they do not move the others. */
  const isMovedOn = more.optimiser === "lbfgs" || more.loss !== undefined;

  test("are as fits of their own, in what is told of each and of all", async () => {
    const program = machine.load(text);
    let lost = 0;
    for (const [restarts, seed] of [
      [2, 1],
      [3, 2],
      [4, 3],
      [5, 4],
      [6, 8],
      [7, 9],
    ] as const) {
      const params = { a: { range: [-0.6, 1.4] as const }, b: { range: [0, 1] as const } };
      const how = { ...options, params, restarts, seed };
      const whole = await fit(program, how);
      const each = await alone(whole, options);
      const lows = each.map((one) => one?.best.loss ?? Infinity);
      expect(whole.best.loss).toBe(Math.min(...lows));
      expect(whole.best.restart).toBe(lows.indexOf(Math.min(...lows)));
      const { diagnostics, counters } = whole;
      for (const [i, one] of each.entries()) {
        const { index, evaluations, ...told } = whole.restarts[i] as FitResult["restarts"][number];
        expect(index).toBe(i);
        if (one === undefined) {
          expect(told).toMatchObject({ reason: "not finite", hasConverged: false });
          continue;
        }
        const {
          index: _,
          evaluations: own,
          ...wanted
        } = one.restarts[0] as typeof told & {
          index: number;
          evaluations: number;
        };
        if (whole.best.restart === i) {
          expect(told).toEqual(wanted);
          expect(evaluations).toBe(own);
          expect(diagnostics.flips).toEqual(one.diagnostics.flips);
          expect(diagnostics.branches).toEqual(one.diagnostics.branches);
        } else if (!isMovedOn) {
          // Nobody looks whether the others are short of their best values; alone each has the best loss.
          const { hasConverged, hasBestLoss } = wanted;
          expect({ ...told, hasConverged, hasBestLoss }).toEqual(wanted);
        }
        const log = diagnostics.flipLog.filter(({ restart }) => restart === i);
        const ownLog = one.diagnostics.flipLog.map((flip) => ({ ...flip, restart: i }));
        if (whole.best.restart === i || !isMovedOn) expect(log).toEqual(ownLog);
      }
      const finite = each.filter((one) => one !== undefined);
      lost += each.length - finite.length;
      const mean =
        finite.reduce((sum, one) => sum + one.diagnostics.instability, 0) / finite.length;
      if (!isMovedOn) expect(diagnostics.instability).toBeCloseTo(mean, 12);
      expect(diagnostics.nonFinite.map(({ restart }) => restart)).toEqual(
        each.flatMap((one, i) => (one === undefined ? [i] : [])),
      );
      const note = `${each.length - finite.length} of ${restarts} restarts began where`;
      expect(diagnostics.notes.join().includes(note)).toBe(finite.length < restarts);
      expect(counters.evaluations).toBe(
        whole.restarts.reduce((sum, { evaluations }) => sum + evaluations, 0),
      );
    }
    expect(lost).toBeGreaterThan(2);
    program.dispose();
  });
});
