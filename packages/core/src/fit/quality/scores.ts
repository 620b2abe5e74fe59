/**
 * Quantities that say how good predictions are. Each is defined here and nowhere else; fits, searches,
 * the command line and reports all use these.
 *
 *   R²             1 − Σ w (y − f)² / Σ w (y − ȳ)²          ȳ: the weighted mean
 *   deviance       of counts twice the log-likelihood that is missing to a perfect prediction of every
 *                  row; of least squares Σ w (y − f)²
 *   share of the   1 − deviance / deviance of the best constant: for least squares the same as R²
 *   deviance
 *   share of the   of absolute deviations and Huber's loss: 1 − loss / loss of the best constant, which is the
 *   loss           weighted median, or Huber's location
 *   L of least     −n/2 (log(2π S/n) + 1), S being the squares left of n points: normal noise of the
 *   squares        deviation that suits best, which counts as one of the parameters k below
 *   AIC, BIC       2k − 2L and k log n − 2L, of k parameters, n points and the log-likelihood L
 *
 * Rows of weight 0, and rows of a binomial without trials, do not count, whatever is predicted there.
 */

import { type Loss, losses } from "../loss/loss-table.js";
import { LOG_TWO_PI, log } from "../math/elementary.js";
import type { LossName } from "../types.js";
import { huberCentre, medianOf } from "./centres.js";

type Numbers = ArrayLike<number>;

/** What belongs to the rows beside observations and predictions. */
export interface RowSides {
  readonly weights?: Numbers | undefined;
  /** Of the binomial loss; default 1. */
  readonly trials?: Numbers | undefined;
  /** Where Huber's loss turns; default 1. */
  readonly huberWidth?: number | undefined;
}

const NO_SIDES: RowSides = {};

/** The log-likelihood of least squares, where nothing is known of the noise. */
export const normalLogLikelihood = (squares: number, points: number): number =>
  -0.5 * points * (LOG_TWO_PI + log(squares / points) + 1);

export const aic = (logLikelihood: number, parameters: number): number =>
  2 * parameters - 2 * logLikelihood;

export const bic = (logLikelihood: number, parameters: number, points: number): number =>
  parameters * log(points) - 2 * logLikelihood;

/** What is left of a whole, as the share that is explained. */
export const shareExplained = (left: number, all: number): number => 1 - left / all;

/** Whether all numbers that count are the same. */
function isConstant(numbers: Numbers, weights?: Numbers): boolean {
  let first: number | undefined;
  for (let i = 0; i < numbers.length; i++) {
    if (weights?.[i] === 0) continue;
    first ??= numbers[i];
    if (numbers[i] !== first) return false;
  }
  return true;
}

/** Squares about the mean; NaN of numbers that are all the same. */
export function squaresAbout(observed: Numbers, weights?: Numbers): number {
  if (isConstant(observed, weights)) return Number.NaN;
  const mean = meanOf(observed, weights);
  let squares = 0;
  for (let i = 0; i < observed.length; i++) {
    const off = (observed[i] as number) - mean;
    squares += (weights?.[i] ?? 1) * off * off;
  }
  return squares;
}

/** The weighted mean. */
export function meanOf(observed: Numbers, weights?: Numbers): number {
  let total = 0;
  let sum = 0;
  for (let i = 0; i < observed.length; i++) {
    const weight = weights?.[i] ?? 1;
    total += weight;
    sum += weight * (observed[i] as number);
  }
  return sum / total;
}

/** Squares of what predictions miss observations by. */
export function squaresLeft(observed: Numbers, predicted: Numbers, weights?: Numbers): number {
  let squares = 0;
  for (let i = 0; i < observed.length; i++) {
    const weight = weights?.[i] ?? 1;
    const off = (observed[i] as number) - (predicted[i] as number);
    if (weight > 0) squares += weight * off * off;
  }
  return squares;
}

/** NaN where all observations are the same. */
export const rSquared = (observed: Numbers, predicted: Numbers, weights?: Numbers): number =>
  shareExplained(squaresLeft(observed, predicted, weights), squaresAbout(observed, weights));

/** The loss added up over the rows. */
export function totalLoss(
  name: LossName,
  observed: Numbers,
  predicted: Numbers,
  { weights, trials, huberWidth = 1 }: RowSides = NO_SIDES,
): number {
  const { point } = losses[name];
  let sum = 0;
  for (let i = 0; i < observed.length; i++) {
    const weight = weights?.[i] ?? 1;
    if (weight === 0) continue;
    const [y, f] = [observed[i] as number, predicted[i] as number];
    sum += weight * point(y, f, trials?.[i] ?? 1, huberWidth);
  }
  return sum;
}

/** NaN for losses that have none: those that are not likelihoods. */
export function deviance(
  name: LossName,
  observed: Numbers,
  predicted: Numbers,
  sides: RowSides = NO_SIDES,
): number {
  const { counts } = losses[name];
  if (counts === undefined)
    return name === "squares" ? squaresLeft(observed, predicted, sides.weights) : Number.NaN;
  return 2 * (totalLoss(name, observed, predicted, sides) - leastLoss(counts, observed, sides));
}

/** The deviance of the best constant: what there is to explain. NaN where nothing is. */
export function devianceAbout(
  name: LossName,
  observed: Numbers,
  sides: RowSides = NO_SIDES,
): number {
  const { weights, trials } = sides;
  const { counts } = losses[name];
  if (counts === undefined)
    return name === "squares" ? squaresAbout(observed, weights) : Number.NaN;
  const counting = weightsThatCount(name, observed.length, sides);
  if (isConstant(responses(name, observed, trials), counting)) return Number.NaN;
  let [hits, all] = [0, 0];
  for (let i = 0; i < observed.length; i++) {
    const weight = weights?.[i] ?? 1;
    hits += weight * (observed[i] as number);
    all += weight * (name === "binomial" ? (trials?.[i] ?? 1) : 1);
  }
  return deviance(name, observed, new Float64Array(observed.length).fill(hits / all), sides);
}

const isOfDistances = (name: string): boolean => name === "absolute" || name === "huber";

/** What predictions leave to explain, in the loss's own terms. */
export const lossLeft = (
  name: LossName,
  observed: Numbers,
  predicted: Numbers,
  sides: RowSides = NO_SIDES,
): number =>
  isOfDistances(name)
    ? totalLoss(name, observed, predicted, sides)
    : deviance(name, observed, predicted, sides);

/** What the best constant leaves: all there is to explain. NaN where nothing varies. */
export function lossAbout(name: LossName, observed: Numbers, sides: RowSides = NO_SIDES): number {
  if (!isOfDistances(name)) return devianceAbout(name, observed, sides);
  const { weights, huberWidth = 1 } = sides;
  if (isConstant(observed, weights)) return Number.NaN;
  const centre =
    name === "huber" ? huberCentre(observed, huberWidth, weights) : medianOf(observed, weights);
  return totalLoss(name, observed, new Float64Array(observed.length).fill(centre), sides);
}

/**
 * How much of what there is to explain is explained: R², of counts the share of the deviance, of distances the
 * share of the loss. Each is 1 at best, 0 for the best constant, and below 0 for worse; NaN where nothing varies,
 * and of a loss that is a program, since nobody knows what it is at best.
 */
export const explainedShare = (
  name: LossName | "program",
  observed: Numbers,
  predicted: Numbers,
  sides: RowSides = NO_SIDES,
): number =>
  name === "program"
    ? Number.NaN
    : shareExplained(lossLeft(name, observed, predicted, sides), lossAbout(name, observed, sides));

/** What `explainedShare` is called. */
export function shareName(name: string): string {
  if (isOfDistances(name)) return "share of the loss";
  return isOfCounts(name) ? "share of the deviance" : "R²";
}

/** Whether a loss is the likelihood of counts. */
export const isOfCounts = (name: string): name is "poisson" | "binomial" =>
  Object.hasOwn(losses, name) && losses[name as LossName].counts !== undefined;

/** Observations as predictions are compared with them: of binomials the shares of the trials. */
export function responses(
  name: LossName | "program",
  observed: Numbers,
  trials?: Numbers,
): Float64Array {
  const { response }: Pick<Loss, "response"> = name === "program" ? losses.squares : losses[name];
  return Float64Array.from(observed, (y, i) => response(y, trials?.[i] ?? 1));
}

/**
 * What residuals are multiplied by, so that all of them are equally noisy: the roots of their weights, of counts over
 * the deviation that the loss expects at the prediction. Undefined where nothing tells residuals apart.
 */
export function residualRoots(
  name: LossName | "program",
  predicted: Numbers,
  { weights, trials }: RowSides = NO_SIDES,
): Float64Array | undefined {
  const roots = weights === undefined ? undefined : Float64Array.from(weights, Math.sqrt);
  if (!isOfCounts(name)) return roots;
  const { deviation } = losses[name];
  return Float64Array.from(predicted, (f, row) => {
    const size = deviation(f, trials?.[row] ?? 1);
    return size > 0 ? (roots?.[row] ?? 1) / size : 0;
  });
}

/** The weights of rows, 0 where a binomial has no trials: such a row shows nothing. */
function weightsThatCount(
  name: LossName | "program",
  rows: number,
  { weights, trials }: RowSides,
): Numbers | undefined {
  if (name !== "binomial" || trials === undefined) return weights;
  return Float64Array.from({ length: rows }, (_, i) => (trials[i] === 0 ? 0 : (weights?.[i] ?? 1)));
}

/**
 * How well rows are predicted that a fit did not see. Means are weighted, so that a row of weight 2
 * counts as two rows do.
 */
export interface RowScore {
  readonly rows: number;
  /** Root of the mean squared error of the responses, and the mean absolute one. */
  readonly rmse: number;
  readonly mae: number;
  /** As `explainedShare`. */
  readonly r2: number;
  /** NaN where the loss has none. */
  readonly deviance: number;
  /** A row's mean; NaN where the loss is a program. */
  readonly loss: number;
}

export function scoreRows(
  name: LossName | "program",
  observed: Numbers,
  predicted: Numbers,
  sides: RowSides = NO_SIDES,
): RowScore {
  const seen = responses(name, observed, sides.trials);
  const rows = observed.length;
  const weights = weightsThatCount(name, rows, sides);
  let [absolute, total] = [0, 0];
  for (let i = 0; i < rows; i++) {
    const weight = weights?.[i] ?? 1;
    total += weight;
    if (weight > 0) absolute += weight * Math.abs((seen[i] as number) - (predicted[i] as number));
  }
  const isProgram = name === "program";
  return {
    rows,
    rmse: Math.sqrt(squaresLeft(seen, predicted, weights) / total),
    mae: absolute / total,
    r2: explainedShare(name, observed, predicted, sides),
    deviance: isProgram ? Number.NaN : deviance(name, observed, predicted, sides),
    loss: isProgram ? Number.NaN : totalLoss(name, observed, predicted, sides) / total,
  };
}

/** What the log-likelihood of counts has beside minus the loss. */
export function likelihoodConstant(
  { constant }: NonNullable<Loss["counts"]>,
  observed: Numbers,
  sides: RowSides,
): number {
  return addUp(constant, observed, sides);
}

export const leastLoss = (
  { least }: NonNullable<Loss["counts"]>,
  observed: Numbers,
  sides: RowSides,
): number => addUp(least, observed, sides);

function addUp(
  of: (y: number, trials: number) => number,
  observed: Numbers,
  { weights, trials }: RowSides,
): number {
  let sum = 0;
  for (let i = 0; i < observed.length; i++)
    sum += (weights?.[i] ?? 1) * of(observed[i] as number, trials?.[i] ?? 1);
  return sum;
}
