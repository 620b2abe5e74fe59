/**
 * Least squares over the lanes of a chunk: weighted residuals and their derivatives by the
 * unlimited parameters become rows, and full blocks of rows go into the slot's factor.
 *
 * Lanes come slot after slot and row after row, so one block serves all slots.
 */

import {
  ARRAY_SLOPES,
  FIT_BLOCK_AT,
  FIT_BLOCK_ROWS,
  FIT_PARAMS,
  FIT_POINTS,
  FIT_ROOTS_AT,
  FIT_TARGET_AT,
  PART_GROUP,
  SUMS_FACTOR,
  SUMS_LOSS,
  SUMS_PART,
} from "../../src/program/layout";
import { addRows, isFactorFinite, strideOf } from "./factor";
import { arrayOf, partOf, rowGroupsAt, slopesOf, stateOf } from "./block";

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
  const most = load<i32>(fit, FIT_BLOCK_ROWS);
  const params = load<i32>(fit, FIT_PARAMS);
  const block = fit + load<u32>(fit, FIT_BLOCK_AT);
  const stride = strideOf(params);
  for (let done = 0; done < rows; ) {
    const from = (row + done) % most;
    const count = min(rows - done, most - from);
    const to = block + <usize>from * stride;
    fillResiduals(fit, row + done, count, values, valueStep, to, sums);
    for (let j = 0; j < params; j++) {
      const slope = load<f64>(arrayOf(stateOf(fit, slot), params, ARRAY_SLOPES) + (<usize>j << 3));
      const own = slopesOf(fit, j) + lane;
      fillColumn(fit, row + done, count, own, step, to + (<usize>j << 3), slope);
      const group = load<i32>(partOf(fit, j), PART_GROUP);
      if (group >= 0) clearOthers(fit, group, row + done, count, to + (<usize>j << 3));
    }
    done += count;
    values += <usize>count * valueStep;
    lane += <usize>count * step;
    if (from + count < most && row + done < load<i32>(fit, FIT_POINTS)) continue;
    addRows(sums + SUMS_FACTOR, params, block, from + count);
    store<f64>(sums, load<f64>(sums, SUMS_LOSS) + load<f64>(sums, SUMS_PART), SUMS_LOSS);
    store<f64>(sums, 0, SUMS_PART);
  }
}

/** The sum of squares; NaN where a residual or derivative was not finite. */
export function squaresLoss(fit: usize, sums: usize): f64 {
  const loss = load<f64>(sums, SUMS_LOSS);
  const isGood = isFinite<f64>(loss) && isFactorFinite(sums + SUMS_FACTOR, load<i32>(fit, FIT_PARAMS));
  return isGood ? loss : NaN;
}

/** Weighted residuals into the column after the last. A row that does not count may be no number. */
function fillResiduals(
  fit: usize,
  row: i32,
  count: i32,
  values: usize,
  step: usize,
  to: usize,
  sums: usize,
): void {
  const params = load<i32>(fit, FIT_PARAMS);
  const stride = strideOf(params);
  const rootsAt = load<u32>(fit, FIT_ROOTS_AT);
  let roots = fit + rootsAt + (<usize>row << 3);
  let target = fit + load<u32>(fit, FIT_TARGET_AT) + (<usize>row << 3);
  let sum = load<f64>(sums, SUMS_PART);
  to += <usize>params << 3;
  for (const end = to + <usize>count * stride; to < end; to += stride) {
    const off = <f64>load<real>(values) - load<f64>(target);
    const residual = rootsAt == 0 ? off : weighted(load<f64>(roots), off);
    store<f64>(to, residual);
    sum += residual * residual;
    values += step;
    target += 8;
    roots += 8;
  }
  store<f64>(sums, sum, SUMS_PART);
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
  const stride = strideOf(load<i32>(fit, FIT_PARAMS));
  const end = to + <usize>count * stride;
  const rootsAt = load<u32>(fit, FIT_ROOTS_AT);
  let roots = fit + rootsAt + (<usize>row << 3);
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
  const stride = strideOf(load<i32>(fit, FIT_PARAMS));
  for (let i = 0; i < count; i++)
    if (load<i32>(rowGroupsAt(fit, row + i)) != group) store<f64>(to + <usize>i * stride, 0);
}
