/**
 * The losses, one row each: what a point costs, and what scores, residuals and likelihoods follow
 * from it. A new likelihood is a new row here (and its kernel in wasm/).
 *
 *   squares    (y − f)²
 *   absolute   |y − f|
 *   huber      (y − f)² / 2 up to the width w, then w |y − f| − w² / 2
 *   poisson    f − y log f                              f: expected count
 *   binomial   −y log f − (m − y) log(1 − f)            f: probability, m: trials
 *
 * The last two are negative log-likelihoods without the terms that no parameter changes.
 */

import { FIT_ABSOLUTE, FIT_BINOMIAL, FIT_HUBER, FIT_POISSON, FIT_SQUARES } from "../layout.js";
import { log, logGamma } from "../math/elementary.js";
import type { LossName } from "../types.js";

export interface Loss {
  /** Its code inside the machine. */
  readonly code: number;
  /** The loss of an observation y at the prediction f; `trials` of a binomial, `width` of Huber's. */
  point(y: number, f: number, trials: number, width: number): number;
  /** What a prediction is compared with: the observation itself, or its share of the trials. */
  response(y: number, trials: number): number;
  /** The standard deviation of a response at the prediction f, or 1 where the data tell it. */
  deviation(f: number, trials: number): number;
  /** What the one number is called that predicts all rows best. */
  readonly centre: string;
  /** Only for counts. */
  readonly counts?: Counts;
}

/** A loss whose variance follows from its mean: a negative log-likelihood of counts. */
export interface Counts {
  /** The least loss that any prediction could have: the deviance is twice what is above it. */
  least(y: number, trials: number): number;
  /** What minus the loss lacks of the log-likelihood. */
  constant(y: number, trials: number): number;
  /** The least and the largest that may be expected. */
  readonly range: readonly [number, number];
}

const itself = (y: number): number => y;
const one = (): number => 1;
const part = (count: number, chance: number): number => (count === 0 ? 0 : count * log(chance));

const poisson = (y: number, f: number): number => (y === 0 && f >= 0 ? f : f - y * log(f));
/** No number where f is no probability, unless the row has no trials. */
const binomial = (y: number, f: number, trials: number): number =>
  (f >= 0 && f <= 1) || trials === 0 ? -part(y, f) - part(trials - y, 1 - f) : Number.NaN;

export const losses: Readonly<Record<LossName, Loss>> = {
  squares: {
    code: FIT_SQUARES,
    point: (y, f) => (y - f) * (y - f),
    response: itself,
    deviation: one,
    centre: "its mean",
  },
  absolute: {
    code: FIT_ABSOLUTE,
    point: (y, f) => Math.abs(y - f),
    response: itself,
    deviation: one,
    centre: "its median",
  },
  huber: {
    code: FIT_HUBER,
    point: (y, f, _, width) => {
      const size = Math.abs(y - f);
      return size <= width ? (size * size) / 2 : width * size - (width * width) / 2;
    },
    response: itself,
    deviation: one,
    centre: "the best constant",
  },
  poisson: {
    code: FIT_POISSON,
    point: poisson,
    response: itself,
    deviation: (f) => Math.sqrt(f),
    centre: "its mean",
    counts: {
      least: (y) => poisson(y, y),
      constant: (y) => -logFactorial(y),
      range: [0, Infinity],
    },
  },
  binomial: {
    code: FIT_BINOMIAL,
    point: binomial,
    response: (y, trials) => y / trials,
    deviation: (f, trials) => Math.sqrt((f * (1 - f)) / trials),
    centre: "its mean",
    counts: {
      least: (y, trials) => (trials === 0 ? 0 : binomial(y, y / trials, trials)),
      constant: (y, trials) => logFactorial(trials) - logFactorial(y) - logFactorial(trials - y),
      range: [0, 1],
    },
  },
};

export const lossNames = Object.keys(losses) as readonly LossName[];

/** log n!, also between whole numbers. */
const logFactorial = (n: number): number => logGamma(n + 1);
