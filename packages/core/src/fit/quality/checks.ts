/**
 * Checks of the residuals: is what the model leaves over noise, or has it a pattern?
 */

import type { ResidualChecks } from "../types.js";

/**
 * `residuals` are target minus prediction by row, `roots` the square roots of their weights, `rounding` is as much
 * of each residual as may be rounding. Rows of weight 0 do not count, whatever is predicted there: the rows
 * around one are neighbours. Rounding has patterns too, and nothing is said of them. Residuals of a loss that need not
 * lie around 0, as of a quantile, are compared with their neighbours about their mean.
 */
export function checkResiduals(
  residuals: Float64Array,
  roots: Float64Array | undefined,
  rounding?: Float64Array,
  isAboutMean = false,
): ResidualChecks {
  const weighted = weightedBy(residuals, roots);
  const count = weighted.length;
  const mean = sumOf(weighted) / count;
  const squares = squaresOf(weighted);
  let jumps = 0;
  for (let row = 1; row < count; row++) {
    const jump = (weighted[row] as number) - (weighted[row - 1] as number);
    jumps += jump * jump;
  }
  const around = isAboutMean ? squaresOf(weighted.map((value) => value - mean)) : squares;
  const durbinWatson = jumps / around;
  const { runs, expected, score } = countRuns(weighted);
  const isTold = count >= 10 && squares > squaresOf(rounding && weightedBy(rounding, roots));
  return {
    residuals,
    mean,
    durbinWatson,
    runs,
    runsExpected: expected,
    runsScore: score,
    words: isTold ? wordsOf(durbinWatson, score) : [],
  };
}

function wordsOf(durbinWatson: number, score: number): string[] {
  const words: string[] = [];
  if (durbinWatson < 1)
    words.push("neighbouring residuals go together: the model misses a pattern in the rows' order");
  if (durbinWatson > 3)
    words.push("neighbouring residuals alternate in sign: the model misses a pattern");
  if (Math.abs(score) > 3)
    words.push(`the residuals change sign ${score < 0 ? "too seldom" : "too often"} for noise`);
  return words;
}

const sumOf = (numbers: Float64Array): number => numbers.reduce((sum, value) => sum + value, 0);

const squaresOf = (numbers: Float64Array | undefined): number =>
  numbers?.reduce((sum, value) => sum + value * value, 0) ?? 0;

function weightedBy(residuals: Float64Array, roots: Float64Array | undefined): Float64Array {
  if (roots === undefined) return residuals;
  return residuals
    .map((value, row) => value * (roots[row] as number))
    .filter((_, row) => roots[row] !== 0);
}

const UNKNOWN_RUNS = { runs: Number.NaN, expected: Number.NaN, score: Number.NaN };

/** Wald and Wolfowitz's runs; residuals of zero are left out. */
function countRuns(values: Float64Array) {
  if (values.some(Number.isNaN)) return UNKNOWN_RUNS;
  let above = 0;
  let below = 0;
  let runs = 0;
  let last = 0;
  for (const value of values) {
    if (value === 0) continue;
    const sign = value > 0 ? 1 : -1;
    if (sign > 0) above += 1;
    else below += 1;
    if (sign !== last) runs += 1;
    last = sign;
  }
  const total = above + below;
  const both = 2 * above * below;
  const expected = both / total + 1;
  const variance = (both * (both - total)) / (total * total * (total - 1));
  return { runs, expected, score: (runs - expected) / Math.sqrt(variance) };
}
