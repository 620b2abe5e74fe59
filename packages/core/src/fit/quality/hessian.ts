/**
 * Second derivatives of the loss: central differences of exact gradients, all points in one batch.
 *
 * A difference must be far enough for rounding and near enough for the third derivative. A share of the
 * parameter's size is both for most. It is neither for a parameter near 0, nor for a place far away, so
 * where the loss is a log-likelihood the distance is measured by what the parameter does to it: a small
 * share of its standard error, were the others known.
 */

import type { Batch } from "../optimise/batch.js";
import type { Free } from "../parameters/parameters.js";
import type { Finished } from "../result/result.js";
import { isOfCounts } from "./scores.js";

export interface Curvature {
  /** Row-major, in the user's units. */
  readonly hessian: Float64Array;
  readonly isSingle: boolean;
}

/** Distances as shares: of the parameter, and of its standard error with what may pass. */
interface Reach {
  readonly ofSize: number;
  readonly ofError: number;
  readonly least: number;
  readonly most: number;
}

// The cube root of the unit of rounding balances truncation and rounding.
const SINGLE: Reach = { ofSize: 5e-3, ofError: 3e-2, least: 3e-3, most: 0.3 };
const DOUBLE: Reach = { ofSize: 6e-6, ofError: 1e-3, least: 1e-6, most: 1e-2 };

/** Share of the start that is as good as 0. */
const VANISHED = 1e-10;
/** How often distances are chosen again, and by how much one may change each time. */
const TURNS_MOST = 12;
const CHANGE = 1000;

/** `start` tells how large a parameter that is near 0 used to be. */
export function hessianAt(
  problem: Pick<Finished, "batches" | "parameters" | "options" | "settings">,
  best: Float64Array,
  start: Float64Array = best,
): Curvature {
  const { free } = problem.parameters;
  const batch: Batch = problem.batches.of(2 * free.length);
  const reach = batch.isSingle ? SINGLE : DOUBLE;
  const isLikelihood = isNegativeLogLikelihood(problem);
  const within = (j: number, wanted: number): number => {
    const { lower, upper } = free[j] as Free;
    const x = best[j] as number;
    return Math.min(wanted, (x - lower) / 2, (upper - x) / 2);
  };
  let steps = best.map((x, j) => within(j, reach.ofSize * sizeOf(x, start[j] as number)));
  let hessian = differences(batch, best, steps);
  for (let turn = 0; turn < TURNS_MOST; turn++) {
    const again = steps.map((step, j) => {
      const second = hessian[j * steps.length + j] as number;
      return within(j, isLikelihood ? measured(step, second, reach) : seen(step, second));
    });
    if (again.every((step, j) => step === steps[j])) break;
    steps = again;
    hessian = differences(batch, best, steps);
  }
  return { hessian: symmetric(hessian, free.length), isSingle: batch.isSingle };
}

/** Whether a change of the loss by 1 means the same for every fit. */
export const isNegativeLogLikelihood = ({
  settings,
  options,
}: Pick<Finished, "settings" | "options">): boolean =>
  isOfCounts(settings.lossName) || options.isNegativeLogLikelihood === true;

/** How large a parameter is; one that is as good as 0 is as large as it was at the start. */
function sizeOf(x: number, start: number): number {
  const [now, before] = [Math.abs(x), Math.abs(start)];
  return (now > VANISHED * before ? now : before) || 1;
}

/** A distance by the standard error, where the present one is far from it. One that is very far misleads. */
function measured(step: number, second: number, reach: Reach): number {
  if (!Number.isFinite(second)) return seen(step, second);
  const error = 1 / Math.sqrt(Math.abs(second));
  if (step >= reach.least * error && step <= reach.most * error) return step;
  return Math.min(step * CHANGE, Math.max(step / CHANGE, reach.ofError * error));
}

/** The same distance, or a nearer one if there is no number that far away. */
const seen = (step: number, second: number): number =>
  Number.isFinite(second) ? step : step / CHANGE;

function differences(batch: Batch, best: Float64Array, steps: Float64Array): Float64Array {
  const size = best.length;
  for (let slot = 0; slot < 2 * size; slot++) batch.x.set(best, slot * size);
  for (let j = 0; j < size; j++) {
    const step = steps[j] as number;
    batch.x[2 * j * size + j] = (best[j] as number) + step;
    batch.x[(2 * j + 1) * size + j] = (best[j] as number) - step;
  }
  batch.run();
  const gradients = batch.gradients();
  const hessian = new Float64Array(size * size);
  for (let j = 0; j < size; j++) {
    const above = 2 * j * size;
    const below = above + size;
    for (let i = 0; i < size; i++)
      hessian[i * size + j] =
        ((gradients[above + i] as number) - (gradients[below + i] as number)) /
        (2 * (steps[j] as number));
  }
  return hessian;
}

/** The mean of a matrix and itself with rows for columns. */
function symmetric(matrix: Float64Array, size: number): Float64Array {
  for (let i = 0; i < size; i++)
    for (let j = 0; j < i; j++) {
      const mean = ((matrix[i * size + j] as number) + (matrix[j * size + i] as number)) / 2;
      matrix[i * size + j] = mean;
      matrix[j * size + i] = mean;
    }
  return matrix;
}
