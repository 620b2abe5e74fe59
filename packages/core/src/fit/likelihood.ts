/**
 * Log-likelihoods of the losses that have one, and what follows from them.
 */

import type { Table } from "./columns.js";
import { log } from "./elementary.js";
import type { LossName } from "./types.js";

const LOG_TWO_PI = 1.8378770664093456;

/** log n!, also between whole numbers: Stirling's series after moving up. */
function logFactorial(n: number): number {
  let shift = 0;
  let x = n + 1;
  while (x < 20) {
    shift += log(x);
    x += 1;
  }
  const s = 1 / (x * x);
  const series = (1 / 12 - s * (1 / 360 - s * (1 / 1260 - s / 1680))) / x;
  return (x - 0.5) * log(x) - x + LOG_TWO_PI / 2 + series - shift;
}

/** NaN for losses that are no negative log-likelihood. */
export function logLikelihoodOf(name: LossName | "program", loss: number, table: Table): number {
  const { points, rootWeights, target, trials } = table;
  if (name === "poisson") {
    let constant = 0;
    for (const count of target) constant += logFactorial(count);
    return -loss - constant;
  }
  if (name === "binomial") {
    let constant = 0;
    for (const [row, count] of target.entries()) {
      const all = trials?.[row] ?? 1;
      constant += logFactorial(all) - logFactorial(count) - logFactorial(all - count);
    }
    return constant - loss;
  }
  if (name !== "squares") return Number.NaN;
  let logRoots = 0;
  let count = rootWeights === undefined ? points : 0;
  for (const root of rootWeights ?? []) {
    if (root === 0) continue;
    count += 1;
    logRoots += log(root);
  }
  if (table.hasSigma) return -0.5 * (loss + count * LOG_TWO_PI) + logRoots;
  return -0.5 * count * (LOG_TWO_PI + log(loss / count) + 1) + logRoots;
}
