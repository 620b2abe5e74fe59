/**
 * How well each target is predicted.
 */

import type { Precision } from "../../machine/types.js";
import type { Table, Target } from "../data/columns.js";
import type { ResidualBatch } from "../optimise/batch.js";
import type { LossName, TargetFit } from "../types.js";
import { checkResiduals } from "./checks.js";
import { deviationOfTarget } from "./deviations.js";
import { ROUNDING } from "./rounding.js";
import {
  explainedShare,
  isOfCounts,
  lossAbout,
  lossLeft,
  type RowSides,
  residualRoots,
  responses,
  shareExplained,
  squaresAbout,
} from "./scores.js";

/** The names of the targets; none in objective mode. */
export const targetNames = (target: string | readonly string[] | undefined): readonly string[] =>
  target === undefined ? [] : typeof target === "string" ? [target] : target;

/** What is observed less what is predicted, of every point: shares where the target counts successes. */
export function residualsOf(
  { target, trials }: Table,
  batch: ResidualBatch,
  lossName: LossName | "program",
): Float64Array {
  const seen = lossName === "binomial" ? responses(lossName, target, trials) : target;
  // A row without trials shows nothing, so that nothing is missed there.
  return seen.map((value, point) => (Number.isNaN(value) ? 0 : value - batch.prediction(0, point)));
}

export interface Fitting {
  readonly lossName: LossName | "program";
  readonly huberWidth: number | undefined;
  readonly sigma: number;
  readonly precision: Precision;
  readonly isFull: boolean;
}

export function describeTargets(
  table: Table,
  residuals: Float64Array,
  { lossName, huberWidth, sigma, precision, isFull }: Fitting,
): TargetFit[] {
  const share = ROUNDING[precision];
  return table.targets.map(({ name, scale }: Target, t) => {
    const own = partOf(table, t, huberWidth);
    const left = residuals.subarray(t * table.rows, (t + 1) * table.rows);
    const predicted = predictedBy(own, left, lossName);
    // Weights that nobody gave make targets count alike: their rows are.
    const hasRoots = table.told !== undefined || isOfCounts(lossName);
    return {
      name,
      r2: explainedShare(lossName, own.observed, predicted, own),
      sigma: deviationOfTarget(table, t, lossName, sigma),
      scale,
      residuals: isFull
        ? checkResiduals(
            left.slice(),
            hasRoots ? residualRoots(lossName, predicted, own) : undefined,
            predicted.map((f, row) => share * (Math.abs(f) + Math.abs(f + (left[row] as number)))),
            lossName === "program",
          )
        : undefined,
    };
  });
}

/**
 * The root of χ² per degree of freedom of counts: residuals over the deviations that the loss expects. Near 1 where
 * the counts vary as they should; the errors are too small where it is well above. Undefined of other losses.
 */
export function chiOfCounts(
  table: Table,
  residuals: Float64Array | undefined,
  lossName: LossName | "program",
  freedom: number,
): number | undefined {
  if (!isOfCounts(lossName) || residuals === undefined || freedom <= 0) return undefined;
  let chi = 0;
  for (let t = 0; t < table.targets.length; t++) {
    const own = partOf(table, t);
    const left = residuals.subarray(t * table.rows, (t + 1) * table.rows);
    const roots = residualRoots(lossName, predictedBy(own, left, lossName), own);
    for (let row = 0; row < table.rows; row++) {
      const root = roots?.[row] ?? 0;
      const scaled = root > 0 ? root * (left[row] as number) : 0;
      chi += scaled * scaled;
    }
  }
  return Math.sqrt(chi / freedom);
}

/** The rows of one target. */
interface Part extends RowSides {
  readonly observed: Float64Array;
}

function partOf(
  { target, rootWeights, trials, rows }: Table,
  t: number,
  huberWidth?: number,
): Part {
  const cut = (column: Float64Array): Float64Array => column.subarray(t * rows, (t + 1) * rows);
  return {
    observed: cut(target),
    weights: rootWeights && cut(rootWeights).map((root) => root * root),
    trials: trials && cut(trials),
    huberWidth,
  };
}

/** Weights and trials of all points. */
export const sidesOf = ({ rootWeights, trials }: Table): RowSides => ({
  weights: rootWeights?.map((root) => root * root),
  trials,
});

/** What was predicted, from what it missed. */
const predictedBy = (
  { observed, trials }: Part,
  residuals: Float64Array,
  lossName: LossName | "program",
): Float64Array =>
  responses(lossName, observed, trials).map((seen, row) => seen - (residuals[row] as number));

const isConstant = (target: Float64Array, from: number, to: number): boolean => {
  for (let point = from; point < to; point++) if (target[point] !== target[from]) return false;
  return true;
};

/** Names of targets that are the same in every row. */
export function constantTargets({ target, targets, rows }: Table): string[] {
  const names: string[] = [];
  for (let t = 0; t < targets.length; t++)
    if (isConstant(target, t * rows, (t + 1) * rows)) names.push((targets[t] as Target).name);
  return names;
}

/** The share that is explained of all targets together; NaN where every target is constant. */
export function explainedOf(
  table: Table,
  residuals: Float64Array,
  lossName: LossName,
  huberWidth: number | undefined,
): number {
  let [left, all] = [0, 0];
  for (let t = 0; t < table.targets.length; t++) {
    const own = partOf(table, t, huberWidth);
    const predicted = predictedBy(own, residuals.subarray(t * table.rows), lossName);
    const about = lossAbout(lossName, own.observed, own);
    if (!Number.isNaN(about)) all += about;
    left += lossLeft(lossName, own.observed, predicted, own);
  }
  return all === 0 ? Number.NaN : shareExplained(left, all);
}

/** Squares about their mean of targets without weights: many fits have the same one. */
const knownSquares = new WeakMap<Float64Array, number>();

/** The weighted squares of the targets about their means; NaN where every target is constant. */
export function squaresAround(table: Table): number {
  const { target, targets, rootWeights } = table;
  if (targets.length > 1 || rootWeights !== undefined) return addSquares(table);
  let squares = knownSquares.get(target);
  if (squares === undefined) {
    squares = addSquares(table);
    knownSquares.set(target, squares);
  }
  return squares;
}

function addSquares(table: Table): number {
  let all = Number.NaN;
  for (let t = 0; t < table.targets.length; t++) {
    const { observed, weights } = partOf(table, t);
    const squares = squaresAbout(observed, weights);
    if (!Number.isNaN(squares)) all = (Number.isNaN(all) ? 0 : all) + squares;
  }
  return all;
}
