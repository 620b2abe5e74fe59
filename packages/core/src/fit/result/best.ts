/** The best restart of a fit: its parameters and what they score. */

import { own } from "../../records.js";
import type { Table } from "../data/columns.js";
import { setField } from "../data/fields.js";
import { losses } from "../loss/loss-table.js";
import type { Restart } from "../optimise/restart.js";
import { logLikelihoodOf } from "../quality/likelihood.js";
import { aic, bic, isOfCounts, leastLoss, shareExplained } from "../quality/scores.js";
import { explainedOf, sidesOf, squaresAround } from "../quality/targets.js";
import type { Settings } from "../settings.js";
import type { BestFit, FitOptions } from "../types.js";
import type { Finished } from "./result.js";

export function bestFit(
  { parameters, table, settings, options }: Finished,
  winner: Restart,
  params: Record<string, number>,
  residuals: Float64Array | undefined,
  points: number,
): BestFit {
  const { free, fixed } = parameters;
  const isLikelihood = isDeclared(settings, options);
  const logLikelihood =
    table === undefined || isLikelihood
      ? isLikelihood
        ? -winner.loss
        : Number.NaN
      : logLikelihoodOf(settings.lossName, winner.loss, table);
  const hasNoise = settings.lossName === "squares" && table?.hasSigma === false;
  const count = free.length + (hasNoise ? 1 : 0);
  for (const name in fixed) setField(params, name, own(fixed, name) as number);
  return {
    params,
    loss: winner.loss,
    r2: explained(table, settings.lossName, winner.loss, residuals, options.huberWidth),
    logLikelihood,
    deviance: devianceOf(table, settings.lossName, winner.loss),
    aic: aic(logLikelihood, count),
    bic:
      table === undefined
        ? Number.NaN
        : bic(logLikelihood, count, counted(table, points, settings, options)),
    restart: winner.index,
  };
}

/** The share that is explained; of least squares the loss itself is what is left. */
function explained(
  table: Table | undefined,
  lossName: Settings["lossName"],
  loss: number,
  residuals: Float64Array | undefined,
  huberWidth: number | undefined,
): number {
  if (table === undefined || lossName === "program") return Number.NaN;
  if (lossName === "squares") return shareExplained(loss, squaresAround(table));
  return residuals === undefined ? Number.NaN : explainedOf(table, residuals, lossName, huberWidth);
}

/** The deviance; of least squares it is the loss. */
function devianceOf(
  table: Table | undefined,
  lossName: Settings["lossName"],
  loss: number,
): number {
  if (table === undefined || lossName === "program") return Number.NaN;
  const { counts } = losses[lossName];
  if (counts === undefined) return lossName === "squares" ? loss : Number.NaN;
  return 2 * (loss - leastLoss(counts, table.target, sidesOf(table)));
}

/** Whether a loss that need not be one was said to be a negative log-likelihood. */
const isDeclared = ({ lossName }: Settings, options: FitOptions): boolean =>
  (lossName === "program" || lossName === "huber") && options.isNegativeLogLikelihood === true;

/** How many points there are: a weight that multiplies a likelihood says how often a row was seen. */
export function counted(
  table: Table,
  points: number,
  settings: Settings,
  options: FitOptions,
): number {
  const isMultiplied = isOfCounts(settings.lossName) || isDeclared(settings, options);
  if (!isMultiplied || table.rootWeights === undefined) return points;
  return table.rootWeights.reduce((sum, root) => sum + root * root, 0);
}
