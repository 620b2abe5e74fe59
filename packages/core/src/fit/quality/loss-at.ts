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
import { LOSS_ROUNDING, ROUNDING } from "./rounding.js";
import { isOfCounts, totalLoss } from "./scores.js";
import { sidesOf } from "./targets.js";

/** What a log-likelihood changes by where nothing is known. */
const SAME_LIKELIHOOD = 1e-5;
/** Share of the best loss within which other restarts have found it too. */
const SAME_LOSS = 1e-6;
/** Share of a parameter that a minimum leaves open: half of its digits. */
const OPEN = { f64: 1e-8, f32: 3e-4 } as const;

export interface LossMeasure {
  readonly lossAt: (x: Float64Array) => number;
  readonly best: number;
  /** Changes up to this one are none. */
  readonly within: number;
  /** Whether the machine works in f32. */
  readonly isSingle: boolean;
}

/** `freedom`: points less parameters. */
export function measureLoss(finished: Finished, winner: Restart, freedom: number): LossMeasure {
  const lossAt = lossOf(finished);
  const best = lossAt(winner.best);
  const within = unitOf(finished, best, freedom) + roundingOf(finished, best);
  return { lossAt, best, within, isSingle: finished.source.precision === "f32" };
}

/**
 * How far from the best loss that of another restart may end and be the same. A likelihood has a unit; other losses
 * are compared by their own size, so that the unit of the target changes nothing. `open` is as much as `openLoss` says.
 */
export function sameLossWithin(finished: Finished, best: number, open: number): number {
  const within = isLikelihood(finished) ? SAME_LIKELIHOOD : SAME_LOSS * Math.abs(best);
  return within + roundingOf(finished, best) + open;
}

/**
 * How much a loss that no target measures changes within the digits of the parameters that a minimum leaves open: a
 * loss of 1e-20 beside one of 1e-28 is no other minimum. 0 of named losses, whose rounding the target tells.
 */
export function openLoss(finished: Finished, winner: Restart): number {
  const { table, settings, source } = finished;
  if (table !== undefined && settings.lossName !== "program") return 0;
  const lossAt = lossOf(finished);
  const best = lossAt(winner.best);
  const share = OPEN[source.precision];
  const changes = Array.from(winner.best, (x, j) => {
    const near = winner.best.slice();
    near[j] = x + share * (x || (winner.start[j] as number));
    return Math.abs(lossAt(near) - best);
  });
  return Math.max(0, ...changes.filter(Number.isFinite));
}

const isLikelihood = ({ settings, options }: Finished): boolean =>
  isOfCounts(settings.lossName) || options.isNegativeLogLikelihood === true;

/** What the data cannot tell from none. */
function unitOf(finished: Finished, best: number, freedom: number): number {
  const { settings, table } = finished;
  if (isLikelihood(finished)) return SAME_LIKELIHOOD;
  if (table === undefined) return 0;
  if (settings.lossName === "squares" && table.hasSigma) return 2 * SAME_LIKELIHOOD;
  return freedom > 0 ? (2 * SAME_LIKELIHOOD * Math.abs(best)) / freedom : 0;
}

/** How much of the loss may be rounding, of sums or of predictions. */
function roundingOf(finished: Finished, best: number): number {
  const { table, settings, options, source } = finished;
  const { lossName } = settings;
  const { precision } = source;
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
