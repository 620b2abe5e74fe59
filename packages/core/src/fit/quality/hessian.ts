/**
 * Second derivatives of the loss: central differences of exact gradients, all points in one batch.
 *
 * A difference must be far enough for rounding and near enough for the third derivative. A share of the
 * parameter's size is both for most. It is neither for a parameter near 0, nor for a place far away, so
 * where the loss is a log-likelihood the distance is measured by what the parameter does to it: a small
 * share of its standard error, were the others known. Far from where an exponential is all but 0 a second
 * difference explodes over such a distance. Who asks for steady ones has a distance that is not beyond that.
 *
 * At a kink a slope jumps: it changes by as much over a tenth of the distance, so that its difference divided by
 * the distance is no second derivative of anything. Parameters along which it does are told.
 */

import type { Batch } from "../optimise/batch.js";
import type { Restart } from "../optimise/restart.js";
import type { Free } from "../parameters/parameters.js";
import type { Finished } from "../result/result.js";
import { isOfCounts } from "./scores.js";

export interface Curvature {
  /** Row-major, in the user's units. */
  readonly hessian: Float64Array;
  /** Parameters along which the loss has a kink here, so that it has no second derivatives by them. */
  readonly kinked: readonly number[];
  readonly isSingle: boolean;
  /** Whether a second difference was of another order over a longer distance. */
  readonly hasExploded: boolean;
}

/** Distances as shares: of the parameter, and of its standard error with what may pass. */
interface Reach {
  readonly ofSize: number;
  readonly ofError: number;
  readonly least: number;
  readonly most: number;
  /** Share of the loss that rounding hides. */
  readonly hidden: number;
}

// The cube root of the unit of rounding balances truncation and rounding.
const SINGLE: Reach = { ofSize: 5e-3, ofError: 3e-2, least: 3e-3, most: 0.3, hidden: 1e-5 };
const DOUBLE: Reach = { ofSize: 6e-6, ofError: 1e-3, least: 1e-6, most: 1e-2, hidden: 1e-12 };

/** Share of the start that is as good as 0. */
const VANISHED = 1e-10;
/** How often distances are chosen again, and by how much one may change each time. */
const TURNS_MOST = 12;
const CHANGE = 1000;
/** How many times larger a second difference may be over a longer distance. */
const STEADY = 2;

/** Part of a distance at which a slope is looked at again, and shares of its change that are left at a kink. */
const PART = 0.1;
const JUMP = [0.5, 2] as const;
/** The share that is left at least beside other kinks. Where the slope is smooth, `PART` is. */
const ROUGH = 0.15;
/** How often a distance is shortened where a kink is not ruled out. */
const PARTS = 2;

/** At a restart's best point. Its start tells how large a parameter that is near 0 used to be. */
export function hessianAt(
  problem: Pick<Finished, "batches" | "parameters" | "options" | "settings">,
  { best, start, loss }: Pick<Restart, "best" | "start" | "loss">,
  isSteady = false,
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
  const secondOf = (j: number): number => hessian[j * steps.length + j] as number;
  const most = steps.map(() => Number.POSITIVE_INFINITY);
  let hasExploded = false;
  const chosen = (step: number, j: number): number => {
    const second = secondOf(j);
    const wanted = isLikelihood ? measured(step, second, reach) : seen(step, second);
    return step > (most[j] as number) ? (most[j] as number) : Math.min(most[j] as number, wanted);
  };
  for (let turn = 0; turn < TURNS_MOST; turn++) {
    const again = steps.map((step, j) => within(j, chosen(step, j)));
    if (again.every((step, j) => step === steps[j])) break;
    const before = steps.map((_, j) => secondOf(j));
    const last = steps;
    steps = again;
    hessian = differences(batch, best, steps);
    for (const [j, step] of last.entries()) {
      if ((steps[j] as number) <= step || !explodes(before[j] as number, secondOf(j))) continue;
      hasExploded = true;
      if (isSteady) most[j] = step;
    }
  }
  const hidden = reach.hidden * Math.abs(loss);
  const kinked = findKinks({ batch, best, steps, hessian, hidden });
  return {
    hessian: symmetric(hessian, free.length),
    kinked,
    isSingle: batch.isSingle,
    hasExploded,
  };
}

interface Differences {
  readonly batch: Batch;
  readonly best: Float64Array;
  readonly steps: Float64Array;
  readonly hessian: Float64Array;
  /** What rounding makes of the loss. */
  readonly hidden: number;
}

/**
 * Parameters whose slope jumps: over a part of a distance it changes by as much as over all of it. Where it changes
 * by less, but is not smooth, other kinks were within the distance, and the next part tells.
 */
function findKinks({ batch, best, steps, hessian, hidden }: Differences): readonly number[] {
  const size = best.length;
  const kinked: number[] = [];
  let asked = [...steps.keys()];
  let [far, shorter] = [hessian, steps];
  for (let turn = 0; turn < PARTS && asked.length > 0; turn++) {
    shorter = shorter.map((step) => PART * step);
    const near = differences(batch, best, shorter);
    const open: number[] = [];
    for (const j of asked) {
      const second = near[j * size + j] as number;
      const left = (PART * second) / (far[j * size + j] as number);
      const step = shorter[j] as number;
      const rise = Math.abs(second) * step * step;
      // Near a pole, a slope changes more over less.
      if (!(left > ROUGH && left < JUMP[1] && rise > hidden)) continue;
      (left > JUMP[0] ? kinked : open).push(j);
    }
    asked = open;
    far = near;
  }
  return kinked.sort((a, b) => a - b);
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

/** Whether a second difference is of another order over a longer distance. Where none showed, it may be. */
const explodes = (before: number, after: number): boolean =>
  before !== 0 && !(Math.abs(after) <= STEADY * Math.abs(before));

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
