/**
 * Which parameters have run into a bound. Such a parameter is close to its bound, came nearer to it, and
 * the loss is no higher there. Closeness alone says nothing: 2 is close to 0 for bounds of 0 and 10⁹, and
 * 10⁻⁹ is for any, and both may be estimates like any other.
 */

import type { Restart } from "../optimise/restart.js";
import type { Free } from "../parameters/parameters.js";
import type { Finished } from "../result/result.js";
import { isNearBound } from "./covariance.js";
import { type LossMeasure, measureLoss } from "./loss-at.js";

/** Where a bound is outside of where the program is defined, the share of the distance that is left. */
const NEARLY = 1 / 16;

/** Indices of the parameters that have not run into a bound. */
export function insideBounds(finished: Finished, winner: Restart): number[] {
  const { free } = finished.parameters;
  const { best } = winner;
  const inside: number[] = [];
  let measure: LossMeasure | undefined;
  for (let j = 0; j < free.length; j++) {
    const one = free[j] as Free;
    if (isNearBound(one, best[j] as number, winner.uAt(j), winner.start[j] as number)) {
      measure ??= measureLoss(finished, winner, (finished.table?.points ?? 0) - free.length);
      if (hasRunInto(one, j, winner, measure)) continue;
    }
    inside.push(j);
  }
  // Predictions go on from where the batch is.
  if (measure !== undefined) measure.lossAt(best);
  return inside;
}

function hasRunInto(one: Free, j: number, winner: Restart, measure: LossMeasure): boolean {
  const x = winner.best[j] as number;
  const bound = nearerBound(one, x);
  if (x === bound) return true;
  if (Math.abs(x - bound) >= Math.abs((winner.start[j] as number) - bound)) return false;
  const lossWith = (value: number): number => {
    const at = winner.best.slice();
    at[j] = value;
    return measure.lossAt(at);
  };
  const there = lossWith(bound);
  const loss = Number.isFinite(there) ? there : lossWith(bound + NEARLY * (x - bound));
  return !(loss > measure.best + measure.within);
}

/** On a log scale by ratios. */
function nearerBound({ lower, upper, isLog }: Free, x: number): number {
  const isLower = isLog && lower > 0 ? x / lower < upper / x : x - lower < upper - x;
  return isLower ? lower : upper;
}
