/**
 * How well each target is predicted.
 */

import type { ResidualBatch } from "./batch.js";
import { checkResiduals } from "./checks.js";
import type { Table, Target } from "./columns.js";
import type { TargetFit } from "./types.js";

/** The names of the targets; none in objective mode. */
export const targetNames = (target: string | readonly string[] | undefined): readonly string[] =>
  target === undefined ? [] : typeof target === "string" ? [target] : target;

/** Target minus prediction of every point. */
export function residualsOf({ target }: Table, batch: ResidualBatch): Float64Array {
  return target.map((value, point) => value - batch.prediction(0, point));
}

export function describeTargets(
  table: Table,
  residuals: Float64Array,
  sigma: number,
  isFull: boolean,
): TargetFit[] {
  return table.targets.map(({ name, scale }: Target, t) => {
    const [from, to] = [t * table.rows, (t + 1) * table.rows];
    return {
      name,
      r2: isConstant(table.target, from, to) ? Number.NaN : rSquared(table, residuals, [t]),
      sigma: sigma * scale,
      scale,
      residuals: isFull
        ? checkResiduals(residuals.slice(from, to), table.rootWeights?.slice(from, to))
        : undefined,
    };
  });
}

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

/**
 * 1 − the weighted squares of the residuals over those about the targets' weighted means. NaN where
 * every target is constant.
 */
export function rSquared(
  table: Table,
  residuals: Float64Array,
  which: readonly number[] = table.targets.map((_, t) => t),
): number {
  if (constantTargets(table).length === table.targets.length) return Number.NaN;
  let left = 0;
  let all = 0;
  for (const t of which) {
    const [from, to] = [t * table.rows, (t + 1) * table.rows];
    const mean = meanOf(table, from, to);
    for (let point = from; point < to; point++) {
      const weight = weightOf(table, point);
      const residual = residuals[point] as number;
      const off = (table.target[point] as number) - mean;
      // A point that does not count may have a prediction that is not finite.
      if (weight > 0) left += weight * residual * residual;
      all += weight * off * off;
    }
  }
  return 1 - left / all;
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
  if (constantTargets(table).length === table.targets.length) return Number.NaN;
  let all = 0;
  for (let t = 0; t < table.targets.length; t++) {
    const [from, to] = [t * table.rows, (t + 1) * table.rows];
    const mean = meanOf(table, from, to);
    for (let point = from; point < to; point++) {
      const off = (table.target[point] as number) - mean;
      all += weightOf(table, point) * off * off;
    }
  }
  return all;
}

const weightOf = ({ rootWeights }: Table, point: number): number =>
  rootWeights === undefined ? 1 : (rootWeights[point] as number) * (rootWeights[point] as number);

function meanOf(table: Table, from: number, to: number): number {
  let total = 0;
  let sum = 0;
  for (let point = from; point < to; point++) {
    const weight = weightOf(table, point);
    total += weight;
    sum += weight * (table.target[point] as number);
  }
  return sum / total;
}
