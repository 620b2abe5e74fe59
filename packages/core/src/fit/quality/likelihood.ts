/**
 * The log-likelihood of a fit, from its loss.
 */

import type { Table } from "../data/columns.js";
import { losses } from "../loss/loss-table.js";
import { LOG_TWO_PI, log } from "../math/elementary.js";
import type { LossName } from "../types.js";
import { likelihoodConstant, normalLogLikelihood } from "./scores.js";
import { sidesOf } from "./targets.js";

/** NaN for losses that are no negative log-likelihood. */
export function logLikelihoodOf(name: LossName | "program", loss: number, table: Table): number {
  const { points, rootWeights, target } = table;
  const counts = name === "program" ? undefined : losses[name].counts;
  if (counts !== undefined) return likelihoodConstant(counts, target, sidesOf(table)) - loss;
  if (name !== "squares") return Number.NaN;
  let logRoots = 0;
  let count = rootWeights === undefined ? points : 0;
  for (const root of rootWeights ?? []) {
    if (root === 0) continue;
    count += 1;
    logRoots += log(root);
  }
  if (table.hasSigma) return -0.5 * (loss + count * LOG_TWO_PI) + logRoots;
  return normalLogLikelihood(loss, count) + logRoots;
}
