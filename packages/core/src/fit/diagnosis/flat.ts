/**
 * Combinations of parameters that change nothing, for losses without standard errors: where the
 * predictions stay the same, so does any loss of them. Where the program's value is the loss, its second
 * derivatives tell, and a long way along each direction confirms it. Where the loss has a kink it has none,
 * and pairs of parameters are tried.
 */

import { Factor } from "../math/linear.js";
import type { ResidualBatch } from "../optimise/batch.js";
import type { Restart } from "../optimise/restart.js";
import {
  type CovarianceEstimate,
  covarianceOfFactor,
  covarianceOfHessian,
  RANK_TOLERANCE,
} from "../quality/covariance.js";
import { type Curvature, hessianAt } from "../quality/hessian.js";
import {
  describeUndetermined,
  findCombinations,
  type Predictor,
  predictorOf,
} from "../quality/identify.js";
import type { Finished } from "../result/result.js";

/** How far a loss is moved to see whether it has a kink, as a share of a parameter. */
const MOVED = 1e-3;
/** A kink makes second derivatives this many times larger than what a move shows of them. */
const KINK = 10;

/** What is said of parameters that change nothing, or nothing together. */
export interface Flat {
  readonly members: readonly number[];
  readonly words: string;
}

export function findFlat(
  finished: Finished,
  winner: Restart,
  used: readonly number[],
): readonly Flat[] {
  const { table, parameters, batches } = finished;
  const labels = parameters.free.map(({ label }) => label);
  const see = predictorOf(finished);
  const { isSingle } = batches.of(1);
  const elsewhere = { start: winner.start, isSingle, isCertain: true };
  const describe = (estimate: CovarianceEstimate, seen: "predictions" | "loss"): Flat[] =>
    describeUndetermined(estimate, labels, winner.best, see, seen, elsewhere).map(
      ({ direction, words }) => ({
        members: used.filter((j) => Object.hasOwn(direction, labels[j] as string)),
        words,
      }),
    );
  if (table !== undefined)
    return describe(estimateOfPredictions(finished, winner, used), "predictions");
  const curvature = finished.arrival?.curvature ?? hessianAt(finished, winner);
  const isKinked = (j: number): boolean =>
    curvature.kinked.includes(j) || hasKink(curvature, j, winner, see);
  const kinked = used.filter(isKinked);
  if (kinked.length > 1) return findCombinations(kinked, labels, winner.best, see, elsewhere);
  const tolerance = curvature.isSingle ? 1e-3 : 1e-8;
  const smooth = used.filter((j) => !kinked.includes(j));
  return describe(covarianceOfHessian(curvature.hessian, smooth, labels.length, tolerance), "loss");
}

/** Whether the loss bends at the best value of a parameter so sharply that it has no second derivative. */
function hasKink({ hessian }: Curvature, j: number, { best }: Restart, see: Predictor): boolean {
  const step = MOVED * (Math.abs(best[j] as number) || 1);
  const lossAt = (by: number): number => {
    const x = best.slice();
    x[j] = (x[j] as number) + by;
    return see(x)[0] as number;
  };
  const bend = lossAt(step) + lossAt(-step) - 2 * lossAt(0);
  return (hessian[j * best.length + j] as number) * step * step > KINK * Math.abs(bend);
}

function estimateOfPredictions(
  { batches, parameters }: Finished,
  winner: Restart,
  used: readonly number[],
): CovarianceEstimate {
  const batch = batches.of(1) as ResidualBatch;
  batch.x.set(winner.best);
  batch.run();
  const factor = new Factor(parameters.free.length);
  batch.factorInto(factor);
  return covarianceOfFactor(factor, used, 1, RANK_TOLERANCE[batch.isSingle ? "f32" : "f64"]);
}
