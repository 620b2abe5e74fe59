/**
 * How many digits of each parameter a formula needs to predict as the model does. What rounding one
 * parameter does to the predictions depends on how sure it is beside the others: a place of 1000003.966 ±
 * 0.02 needs ten digits. Its precision, were the others known, is on the diagonal of the inverse covariance.
 */

import { log } from "../math/elementary.js";

/** Part of its standard error by which rounding may move a parameter, all parameters together. */
const MOVED = 0.05;
/** The same of the deviation of what is predicted, where hardly any noise is left. */
const MOVED_OF_ALL = 1e-5;
const DIGITS_LEAST = 6;
const DIGITS_MOST = 15;

/** `covariance` is row-major; the digits of parameters without errors are undefined. */
export function digitsNeeded(
  values: Float64Array,
  covariance: Float64Array | undefined,
  r2: number,
): (number | undefined)[] {
  const size = values.length;
  const known = [...values.keys()].filter((j) => (covariance?.[j * size + j] ?? Number.NaN) > 0);
  const left = Math.sqrt(Math.max(0, 1 - r2));
  // In standard errors; without R² noise is all there is to compare with.
  const moved =
    Math.max(MOVED, Number.isNaN(left) ? 0 : MOVED_OF_ALL / left) / Math.sqrt(known.length);
  const precisions = covariance && precisionsOf(covariance, known, size);
  return Array.from(values, (value, j) => {
    const precision = precisions?.[known.indexOf(j)];
    if (precision === undefined || !(precision > 0)) return undefined;
    return digitsOf(value, moved / Math.sqrt(precision));
  });
}

/** Digits by which half of the last one is no more than `within`. */
function digitsOf(value: number, within: number): number {
  if (value === 0 || within === 0) return DIGITS_LEAST;
  const wanted = Math.ceil(log(Math.abs(value) / (2 * within)) / log(10)) + 1;
  return Math.min(DIGITS_MOST, Math.max(DIGITS_LEAST, wanted));
}

/** The diagonal of the inverse covariance of some parameters, by Gauss and Jordan on correlations. */
function precisionsOf(covariance: Float64Array, some: readonly number[], size: number): number[] {
  const scales = some.map((j) => Math.sqrt(covariance[j * size + j] as number));
  const rows = some.map((i, a) => [
    ...some.map(
      (j, b) =>
        (covariance[i * size + j] as number) / (scales[a] as number) / (scales[b] as number),
    ),
    ...some.map((_, b) => (a === b ? 1 : 0)),
  ]);
  const count = some.length;
  for (let k = 0; k < count; k++) {
    const pivotRow = rows[k] as number[];
    const pivot = pivotRow[k] as number;
    for (let c = 0; c < 2 * count; c++) pivotRow[c] = (pivotRow[c] as number) / pivot;
    for (const row of rows) {
      const factor = row[k] as number;
      if (row === pivotRow) continue;
      for (let c = 0; c < 2 * count; c++)
        row[c] = (row[c] as number) - factor * (pivotRow[c] as number);
    }
  }
  return scales.map((scale, a) => ((rows[a] as number[])[count + a] as number) / scale / scale);
}
