/**
 * Parameters that were left short of their best value by an optimiser that says it has arrived.
 *
 * Optimisers judge by steps and by falls of the loss, and both can be small far from an optimum, for
 * instance where one parameter is 10¹² times as large as another, or at a kink. So a parameter is moved by a
 * thousandth and by a hundredth of its size: where the loss falls all the way, there is no optimum.
 */

import type { Arrival } from "../optimise/arrival.js";
import { isConverged, type Restart } from "../optimise/restart.js";
import type { Free } from "../parameters/parameters.js";
import type { Finished } from "../result/result.js";
import { isLookedAt, lossOf } from "./runaway.js";

/** Shares of a parameter by which it is moved. */
const NEAR = 1e-3;
const FAR = 1e-2;
/** Share of the loss that a move has to save. Rounding in single precision saves less. */
const SAVED = 1e-4;

/** What to say of parameters for which the loss is lower nearby; empty where nobody says so. */
export function findSlack(
  finished: Finished,
  winner: Restart,
  used: readonly number[],
): readonly string[] {
  const { parameters, table, driven } = finished;
  const { free } = parameters;
  if (driven.stopped !== "done" || !isConverged(winner.reason)) return [];
  if (!isLookedAt(table?.points ?? 1, free.length)) return [];
  const lossAt = lossOf(finished);
  const best = lossAt(winner.best);
  /** Infinite beyond a bound. */
  const lossWith = (j: number, share: number): number => {
    const { lower, upper } = free[j] as Free;
    const at = winner.best.slice();
    const x = (at[j] as number) * (1 + share);
    at[j] = x;
    return x < lower || x > upper ? Number.POSITIVE_INFINITY : lossAt(at);
  };
  return used.flatMap((j) => {
    for (const side of [-1, 1]) {
      const near = lossWith(j, side * NEAR);
      if (!(near < best)) continue;
      const far = lossWith(j, side * FAR);
      if (!(far < near) || !(best - far > SAVED * Math.abs(best))) continue;
      return [wordsOf(free[j] as Free, (winner.best[j] as number) * (1 + side * FAR))];
    }
    return [];
  });
}

/** What to say where second derivatives contradict an optimiser that says it has arrived. */
export function arrivalWords(arrival: Arrival | undefined): readonly string[] {
  if (arrival?.verdict === "short")
    return [
      "the loss still falls here, and rounding keeps the fit from following it: start from these values, or in other units",
    ];
  return [];
}

const wordsOf = ({ label }: Free, better: number): string =>
  `${label} is short of its best value, the loss is lower at ${better.toPrecision(3)}: start from there, or take another optimiser`;
