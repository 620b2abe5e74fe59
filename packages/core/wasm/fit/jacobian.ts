/**
 * Least squares over the lanes of a chunk: weighted residuals and their derivatives by the
 * unlimited parameters become rows, and full blocks of rows go into the slot's factor.
 *
 * Lanes come slot after slot and row after row, so one block serves all slots.
 */

import { ARRAY_SLOPES, SUMS_FACTOR } from "../../src/fit/layout";
import { arrayOf, partOf, rowGroupsAt, slopesOf, stateOf } from "./block";
import { addRows, isFactorFinite, strideOf } from "./factor";
import { fitAt, partAt, sumsAt } from "./layout";

/**
 * Takes rows of a slot. Their values lie at `values` and their derivatives from byte `lane` on,
 * `step` bytes apart: none where all rows have one lane.
 */
export function addResiduals(
  fit: usize,
  slot: i32,
  row: i32,
  rows: i32,
  values: usize,
  valueStep: usize,
  lane: usize,
  step: usize,
  sums: usize,
): void {
  const most = fitAt(fit).blockRows;
  const params = fitAt(fit).params;
  const block = fit + fitAt(fit).blockAt;
  const stride = strideOf(params);
  for (let done = 0; done < rows; ) {
    const from = (row + done) % most;
    const count = min(rows - done, most - from);
    const to = block + <usize>from * stride;
    fillResiduals(fit, row + done, count, values, valueStep, to, sums);
    for (let j = 0; j < params; j++) {
      const slope = load<f64>(
        arrayOf(stateOf(fit, slot), params, ARRAY_SLOPES) + ((<usize>j) << 3),
      );
      const own = slopesOf(fit, j) + lane;
      fillColumn(fit, row + done, count, own, step, to + ((<usize>j) << 3), slope);
      const group = partAt(partOf(fit, j)).group;
      if (group >= 0) clearOthers(fit, group, row + done, count, to + ((<usize>j) << 3));
    }
    done += count;
    values += <usize>count * valueStep;
    lane += <usize>count * step;
    if (from + count < most && row + done < fitAt(fit).points) continue;
    addRows(sums + SUMS_FACTOR, params, block, from + count);
    sumsAt(sums).loss = sumsAt(sums).loss + sumsAt(sums).part;
    sumsAt(sums).part = 0;
  }
}

/** The sum of squares; NaN where a residual or derivative was not finite. */
export function squaresLoss(fit: usize, sums: usize): f64 {
  const loss = sumsAt(sums).loss;
  const isGood = isFinite<f64>(loss) && isFactorFinite(sums + SUMS_FACTOR, fitAt(fit).params);
  return isGood ? loss : NaN;
}

/**
 * Weighted residuals into the column after the last. A row that does not count may be no number.
 */
function fillResiduals(
  fit: usize,
  row: i32,
  count: i32,
  values: usize,
  step: usize,
  to: usize,
  sums: usize,
): void {
  const params = fitAt(fit).params;
  const stride = strideOf(params);
  const rootsAt = fitAt(fit).rootsAt;
  let roots = fit + rootsAt + ((<usize>row) << 3);
  let target = fit + fitAt(fit).targetAt + ((<usize>row) << 3);
  let sum = sumsAt(sums).part;
  to += (<usize>params) << 3;
  for (const end = to + <usize>count * stride; to < end; to += stride) {
    const off = <f64>load<real>(values) - load<f64>(target);
    const residual = rootsAt == 0 ? off : weighted(load<f64>(roots), off);
    store<f64>(to, residual);
    sum += residual * residual;
    values += step;
    target += 8;
    roots += 8;
  }
  sumsAt(sums).part = sum;
}

// @ts-ignore: decorator
@inline function weighted(root: f64, number: f64): f64 {
  return root == 0 ? 0 : root * number;
}

/** Weighted derivatives by one parameter. */
function fillColumn(
  fit: usize,
  row: i32,
  count: i32,
  derivatives: usize,
  step: usize,
  to: usize,
  slope: f64,
): void {
  const stride = strideOf(fitAt(fit).params);
  const end = to + <usize>count * stride;
  const rootsAt = fitAt(fit).rootsAt;
  let roots = fit + rootsAt + ((<usize>row) << 3);
  for (; to < end; to += stride) {
    const derivative = <f64>load<real>(derivatives);
    if (rootsAt == 0) store<f64>(to, slope * derivative);
    else {
      const root = load<f64>(roots);
      store<f64>(to, root == 0 ? 0 : root * slope * derivative);
    }
    derivatives += step;
    roots += 8;
  }
}

/** Clears the rows that are not of a group. */
function clearOthers(fit: usize, group: i32, row: i32, count: i32, to: usize): void {
  const stride = strideOf(fitAt(fit).params);
  for (let i = 0; i < count; i++)
    if (load<i32>(rowGroupsAt(fit, row + i)) != group) store<f64>(to + <usize>i * stride, 0);
}
