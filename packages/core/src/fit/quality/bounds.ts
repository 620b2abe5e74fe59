/**
 * Which parameters have run into a bound. Such a parameter is close to its bound, came nearer to it, and
 * the loss is no higher there, nor lower inside. Closeness alone says nothing: 2 is close to 0 for bounds of 0 and 10⁹, and
 * 10⁻⁹ is for any, and both may be estimates like any other.
 */

import { LbfgsRestart } from "../optimise/lbfgs.js";
import type { Restart } from "../optimise/restart.js";
import { inwardsOf } from "../parameters/inwards.js";
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

/**
 * Brings the parameters that have run into a bound to where it is: the smooth map of a parameter comes as near as
 * 1e-18 to a bound of 0, and no nearer. They stay where the program is not defined at the bound.
 */
export function putAtBounds(finished: Finished, winner: Restart, inside: readonly number[]): void {
  const { free } = finished.parameters;
  if (inside.length === free.length) return;
  const { best } = winner;
  const there = best.map((x, j) => {
    const bound = nearerBound(free[j] as Free, x);
    // The logarithm of a parameter has no value at 0.
    return inside.includes(j) || (bound <= 0 && (free[j] as Free).isLog) ? x : bound;
  });
  if (there.every((x, j) => x === best[j])) return;
  const batch = finished.batches.of(1);
  // At a bound a parameter has no unlimited number, so the probe has those of the start.
  const probe = new LbfgsRestart(0, winner.start, free, winner.limits);
  batch.x.set(there);
  batch.run();
  batch.take([probe]);
  const isThere = batch.failure === undefined && Number.isFinite(probe.loss);
  if (isThere) winner.putAt(there, probe.loss);
  // Predictions go on from where the batch is.
  batch.x.set(winner.best);
  batch.run();
}

function hasRunInto(one: Free, j: number, winner: Restart, measure: LossMeasure): boolean {
  const x = winner.best[j] as number;
  const bound = nearerBound(one, x);
  if (betterInside(one, j, winner, measure) !== undefined) return false;
  if (x === bound) return true;
  if (Math.abs(x - bound) >= Math.abs((winner.start[j] as number) - bound)) return false;
  const lossWith = (value: number): number => lossWithOne(j, value, winner, measure);
  const there = lossWith(bound);
  const loss = Number.isFinite(there) ? there : lossWith(bound + NEARLY * (x - bound));
  return !(loss > measure.best + measure.within);
}

/** A value of parameter j, which is close to a bound, inside of which the loss is lower; undefined without one. */
export function betterInside(
  one: Free,
  j: number,
  winner: Restart,
  measure: LossMeasure,
): number | undefined {
  const places = inwardsOf(one, winner.best[j] as number, winner.start[j] as number);
  return places.find(
    (value) => lossWithOne(j, value, winner, measure) < measure.best - measure.within,
  );
}

function lossWithOne(j: number, value: number, { best }: Restart, { lossAt }: LossMeasure): number {
  const at = best.slice();
  at[j] = value;
  return lossAt(at);
}

/** On a log scale by ratios. */
function nearerBound({ lower, upper, isLog }: Free, x: number): number {
  const isLower = isLog && lower > 0 ? x / lower < upper / x : x - lower < upper - x;
  return isLower ? lower : upper;
}
