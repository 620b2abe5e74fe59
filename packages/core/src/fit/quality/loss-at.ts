/**
 * The loss at other parameters than the best ones, and what a change of it means.
 *
 * A change counts as none where it is far below what the data can tell: a small share of one unit of a
 * log-likelihood, or of the loss of one point. Losses without such a unit are compared as exactly as
 * they are computed. What rounding makes of the loss is none in any case.
 */

import { LbfgsRestart } from "../optimise/lbfgs.js";
import type { Restart } from "../optimise/restart.js";
import type { Finished } from "../result/result.js";
import { isOfCounts, totalLoss } from "./scores.js";
import { sidesOf } from "./targets.js";

/** What a log-likelihood changes by where nothing is known. */
const SAME_LIKELIHOOD = 1e-5;
/** Shares of predictions and of losses that rounding takes, in double and in single precision. */
const ROUNDING = { f64: 1e-11, f32: 1e-6 } as const;
const LOSS_ROUNDING = { f64: 1e-12, f32: 1e-5 } as const;

export interface LossMeasure {
  readonly lossAt: (x: Float64Array) => number;
  readonly best: number;
  /** Changes up to this one are none. */
  readonly within: number;
}

/** `freedom`: points less parameters. */
export function measureLoss(finished: Finished, winner: Restart, freedom: number): LossMeasure {
  const lossAt = lossOf(finished);
  const best = lossAt(winner.best);
  return { lossAt, best, within: unitOf(finished, best, freedom) + roundingOf(finished, best) };
}

/** What the data cannot tell from none. */
function unitOf({ settings, options, table }: Finished, best: number, freedom: number): number {
  if (isOfCounts(settings.lossName) || options.isNegativeLogLikelihood === true)
    return SAME_LIKELIHOOD;
  if (table === undefined) return 0;
  if (settings.lossName === "squares" && table.hasSigma) return 2 * SAME_LIKELIHOOD;
  return freedom > 0 ? (2 * SAME_LIKELIHOOD * Math.abs(best)) / freedom : 0;
}

/** How much of the loss may be rounding, of sums or of predictions. */
function roundingOf(finished: Finished, best: number): number {
  const { table, settings, options, batches } = finished;
  const { lossName } = settings;
  const precision = batches.of(1).isSingle ? "f32" : "f64";
  const ofSum = LOSS_ROUNDING[precision] * Math.abs(best);
  if (table === undefined || lossName === "program" || isOfCounts(lossName)) return ofSum;
  const moved = table.target.map((y) => y * (1 + ROUNDING[precision]));
  const sides = { ...sidesOf(table), huberWidth: options.huberWidth };
  return ofSum + totalLoss(lossName, table.target, moved, sides);
}

/** The loss at some parameters; NaN where the program fails. */
export function lossOf(finished: Finished): (x: Float64Array) => number {
  const { batches, table, settings, options } = finished;
  const batch = batches.of(1);
  const run = (x: Float64Array): void => {
    batch.x.set(x);
    batch.run();
  };
  if (table === undefined)
    return (x) => {
      run(x);
      return batch.failure === undefined ? batch.prediction(0, 0) : Number.NaN;
    };
  const { lossName } = settings;
  if (lossName === "program") return lossOfProgram(finished);
  const sides = { ...sidesOf(table), huberWidth: options.huberWidth };
  return (x) => {
    run(x);
    if (batch.failure !== undefined) return Number.NaN;
    const predicted = table.target.map((_, point) => batch.prediction(0, point));
    return totalLoss(lossName, table.target, predicted, sides);
  };
}

/** A loss of the user's own, as an optimiser sees it. */
function lossOfProgram({ batches, parameters, restarts }: Finished): (x: Float64Array) => number {
  const batch = batches.of(1);
  const { limits } = restarts[0] as Restart;
  return (x) => {
    const there = new LbfgsRestart(0, x, parameters.free, limits);
    batch.x.set(x);
    batch.run();
    batch.take([there]);
    return batch.failure === undefined ? there.loss : Number.NaN;
  };
}
