/** Who climbs to the next rung, and how many fits that can be. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LossFront } from "../../src/epoch/knowledge.js";
import { bestResult, fitsAtMost, promoted, roundUp } from "../../src/epoch/ladder.js";
import { emptyResult, type TaskResult } from "../../src/pipeline/task.js";

const { SEED } = process.env;
const seed = SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(SEED);
console.info(`ladder: SEED=${seed}`);

const failure = { stage: "fit", code: "E-NOT-FINITE", message: "no" } as const;
const result = (loss: number, isFailed = false, params: TaskResult["params"] = { a: 1 }) => ({
  ...emptyResult({ visit: 0, rung: 0 }),
  ...{ loss: isFailed ? Number.NaN : loss, params, failure: isFailed ? failure : undefined },
});
const climber = (index: number, complexity: number, results: readonly TaskResult[]) => ({
  ...{ index, complexity, results },
});
const half = { restarts: 1, steps: 1, share: 0.5 };

describe("promotion", () => {
  const some = fc.array(
    fc.record({
      complexity: fc.integer({ min: 1, max: 6 }),
      losses: fc.array(fc.constantFrom(0, 0.5, 1, 2, 3, 5), { minLength: 1, maxLength: 2 }),
      isFailed: fc.boolean(),
      hasParameters: fc.boolean(),
    }),
    { maxLength: 12 },
  );

  test("takes the share whose loss is least beside the front's, the first of those alike", () => {
    fc.assert(
      fc.property(some, fc.constantFrom(0.1, 0.25, 0.5, 1), (list, share) => {
        const front = new LossFront([2, 4, 4, 1, 5, 0]);
        const climbing = list.map(({ complexity, losses, isFailed, hasParameters }, index) =>
          climber(
            index,
            complexity,
            losses.map((loss, at) =>
              result(loss, isFailed && at === losses.length - 1, hasParameters ? { a: 1 } : {}),
            ),
          ),
        );
        const able = climbing.filter(({ results }) => results.at(-1)?.failure === undefined);
        const merit = (each: (typeof climbing)[number]): number => {
          const loss = Math.min(...each.results.map((one) => one.loss));
          const known = each.complexity < 2 ? undefined : [4, 4, 1, 0, 0][each.complexity - 2];
          if (known === undefined) return loss;
          if (known === 0) return loss === 0 ? 1 : Number.POSITIVE_INFINITY;
          return loss / known;
        };
        const wanted = able
          .filter(({ results }) => Object.keys(results[0]?.params ?? {}).length > 0)
          .map((each) => ({ each, merit: merit(each) }))
          .sort((a, b) => (a.merit === b.merit ? a.each.index - b.each.index : a.merit - b.merit))
          .slice(0, Math.ceil(share * able.length))
          .map(({ each }) => each.index)
          .sort((a, b) => a - b);
        const found = promoted(climbing, { ...half, share }, front, roundUp);
        expect(found.map(({ index }) => index)).toEqual(wanted);
      }),
      { seed },
    );
  });

  test("has the least loss of a candidate's results, the earlier of two alike", () => {
    const [a, b, c] = [result(2), result(1), result(1)];
    expect(bestResult([a, b, c])).toBe(b);
    expect(bestResult([result(0, true), a])).toBe(a);
    expect(bestResult([result(0, true)])).toBeUndefined();
    expect(bestResult([])).toBeUndefined();
  });
});

describe("fits at most", () => {
  const recipe = (rungs: readonly (readonly [restarts: number, share: number])[]) => ({
    ...{ optimiser: "lm" as const, startDeviation: 1 },
    rungs: rungs.map(([restarts, share]) => ({ restarts, steps: 1, share })),
  });

  test.each([
    [1, 1 + 4 + 8],
    [4, 4 + 4 + 8],
    [5, 5 + 2 * 4 + 8],
    [16, 16 + 4 * 4 + 8],
    [17, 17 + 5 * 4 + 2 * 8],
    [0, 0],
  ])("%s candidates take %s", (candidates, fits) => {
    const rungs = [
      [1, 1],
      [4, 0.25],
      [8, 0.25],
    ] as const;
    expect(fitsAtMost(recipe(rungs), candidates)).toBe(fits);
  });
});
