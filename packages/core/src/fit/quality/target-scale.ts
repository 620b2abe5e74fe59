/**
 * Whether the prediction is on the scale of the target, so that the difference of the two means something.
 *
 * Of losses with a name it is, or it is compared with the target's share of the trials. A loss that is a program may
 * take `pred` for anything: a logit, the logarithm of a rate. It is on the target's scale if the loss of every row
 * is least where `pred` equals the target, and never falls as `pred` moves away from there, on either side. So it is
 * of squares, absolute deviations, quantiles, Student's t and a likelihood of counts over their mean.
 */

import { NdvmError } from "../../errors.js";
import type { Program } from "../../machine/program.js";
import type { Table } from "../data/columns.js";
import { columnsOfLoss } from "../loss/loss-program.js";
import type { RunLimits } from "../optimise/batch.js";
import { medianOf } from "./centres.js";
import { LOSS_ROUNDING } from "./rounding.js";
import { meanOf, squaresAbout } from "./scores.js";

/** How far off the target the loss is looked at, in units of its deviation and of its own size. */
const OFFSETS = [0, 1 / 64, 1 / 4, 2];
/** Most evaluation steps of one look: what takes longer is not looked at. */
const STEPS_MOST = 1_000_000;

/** What is known of a loss that is a program. */
export interface OwnLoss {
  readonly isOnTargetScale: boolean;
  /** Its sum where each target is predicted by its mean or its median, whichever is less; NaN on another scale. */
  readonly ofConstants: number;
}

export function describeOwnLoss(
  loss: Program,
  table: Table,
  targetName: string,
  limits: RunLimits,
): OwnLoss {
  const columns = columnsOfLoss(loss, table, targetName);
  const within = LOSS_ROUNDING[loss.precision];
  const stepsMax = Math.min(STEPS_MOST, limits.stepsMax ?? STEPS_MOST);
  const lossAt: LossAt = (pred) => {
    const { values } = loss.evaluate({ ...columns, pred }, { ...limits, stepsMax });
    return values.length === 1 ? pred.map(() => values[0] as number) : values;
  };
  try {
    const seen = directionsOf(table).map((way) => changeAlong(way, table, lossAt, within));
    if (seen.includes("falls") || !seen.includes("rises")) return UNLIKE;
    const sums = [meanOf, medianOf].map((of) => sumOf(lossAt(constants(table, of)), table));
    return { isOnTargetScale: true, ofConstants: Math.min(...sums) };
  } catch (error) {
    // What the loss refuses, not that it is gone.
    if (error instanceof NdvmError && error.code !== "E-DISPOSED") return UNLIKE;
    throw error;
  }
}

type LossAt = (pred: Float64Array) => ArrayLike<number>;

const UNLIKE: OwnLoss = { isOnTargetScale: false, ofConstants: Number.NaN };

/** Each target predicted by one number. */
function constants(
  { target, targets, rows, rootWeights }: Table,
  of: (observed: Float64Array, weights?: Float64Array) => number,
): Float64Array {
  const pred = new Float64Array(target.length);
  for (let t = 0; t < targets.length; t++) {
    const weights = rootWeights?.subarray(t * rows, (t + 1) * rows).map((root) => root * root);
    pred.fill(of(target.subarray(t * rows, (t + 1) * rows), weights), t * rows, (t + 1) * rows);
  }
  return pred;
}

function sumOf(losses: ArrayLike<number>, { rootWeights }: Table): number {
  let sum = 0;
  for (let point = 0; point < losses.length; point++) {
    const root = rootWeights?.[point] ?? 1;
    if (root > 0) sum += root * root * (losses[point] as number);
  }
  return sum;
}

/** One step of each point away from its target: by the target's deviation and by its own size, up and down. */
function directionsOf({ target, targets, rows }: Table): Float64Array[] {
  const deviations = targets.map((_, t) => deviationOf(target.subarray(t * rows, (t + 1) * rows)));
  const deviation = target.map((_, point) => deviations[Math.floor(point / rows)] as number);
  const size = target.map((y, point) => Math.abs(y) || (deviation[point] as number));
  return [deviation, size].flatMap((way) => [way, way.map((step) => -step)]);
}

/** The standard deviation; of a constant column its size. */
function deviationOf(column: Float64Array): number {
  const squares = squaresAbout(column);
  const constant = Math.abs(column[0] as number) || 1;
  return Number.isNaN(squares) ? constant : Math.sqrt(squares / column.length);
}

/**
 * Whether some row's loss falls along a way, or none does and some row's rises. Where it is not a number, as the
 * logarithm of −1, it is not looked at.
 */
function changeAlong(
  way: Float64Array,
  { target, rootWeights }: Table,
  lossAt: LossAt,
  within: number,
): "rises" | "falls" | "same" {
  const before = new Float64Array(target.length).fill(Number.NaN);
  let hasRisen = false;
  for (const offset of OFFSETS) {
    const losses = lossAt(target.map((y, point) => y + offset * (way[point] as number)));
    for (let point = 0; point < target.length; point++) {
      const loss = losses[point] as number;
      if (Number.isNaN(loss) || rootWeights?.[point] === 0) continue;
      const last = before[point] as number;
      const rounding = within * (Math.abs(loss) + Math.abs(last));
      if (loss < last - rounding) return "falls";
      hasRisen ||= loss > last + rounding;
      before[point] = loss;
    }
  }
  return hasRisen ? "rises" : "same";
}
