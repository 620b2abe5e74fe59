/** Promotions where the front has a fit with nothing left: all trios of candidates, in every order. */

import { expect, test } from "vitest";
import { LossFront } from "../../src/epoch/knowledge.js";
import { promoted, roundUp } from "../../src/epoch/ladder.js";
import { emptyResult } from "../../src/pipeline/task.js";

interface Candidate {
  readonly complexity: number;
  readonly loss: number;
}

/** Nothing of size 1, a loss of 4 from size 2 and one of 0 from size 3. */
const front = new LossFront([2, 4, 3, 0]);

/**
 * Classes of merit, the best first: what is below the front, what equals it, what is above it by a
 * factor, and what is worse than an exact fit, by which no factor leads. Inside a class less is better.
 */
function merit({ complexity, loss }: Candidate): number {
  if (complexity >= 3) return loss === 0 ? 1 : Number.MAX_VALUE;
  return complexity === 2 ? loss / 4 : loss;
}

test("an exact fit beside an exact one goes before whatever is above the front, and after what is below", () => {
  const candidates: Candidate[] = [1, 2, 3, 4].flatMap((complexity) =>
    [0, 0.5, 1, 2, 4, 8].map((loss) => ({ complexity, loss })),
  );
  for (const a of candidates)
    for (const b of candidates)
      for (const c of candidates) {
        const trio = [a, b, c];
        const climbing = trio.map(({ complexity, loss }, index) => {
          const result = { ...emptyResult({ visit: index, rung: 0 }), loss, params: { a: 1 } };
          return { index, complexity, results: [result] };
        });
        const order = [0, 1, 2].toSorted(
          (i, j) => merit(trio[i] as Candidate) - merit(trio[j] as Candidate) || i - j,
        );
        for (const count of [1, 2]) {
          const rung = { restarts: 1, steps: 1, share: count / 3 };
          const found = promoted(climbing, rung, front, roundUp).map(({ index }) => index);
          if (found.join() === order.slice(0, count).toSorted().join()) continue;
          expect.fail(`${JSON.stringify(trio)}: ${count} of ${order} are not ${found}`);
        }
      }
});
