/**
 * Parameters that were left short of their best value by an optimiser that says it has arrived.
 *
 * Optimisers judge by steps and by falls of the loss, and both can be small far from an optimum, for
 * instance where one parameter is 10¹² times as large as another, or at a kink. So a parameter is moved by a
 * thousandth and by a hundredth of its size, and of how far its start was from a bound: where the loss falls
 * all the way, there is no optimum. One that is close to a bound is moved inwards.
 */

import { isConverged, type Restart } from "../optimise/restart.js";
import type { Free } from "../parameters/parameters.js";
import { betterInside } from "../quality/bounds.js";
import { type LossMeasure, measureLoss } from "../quality/loss-at.js";
import type { Finished } from "../result/result.js";
import { isLookedAt } from "./runaway.js";

/** Shares of a size by which a parameter is moved. */
const NEAR = 1e-3;
const FAR = 1e-2;
/** Share of the loss that a move has to save. Rounding in single precision saves less. */
const SAVED = 1e-4;

/** What to say of parameters for which the loss is lower nearby; empty where nobody says so. */
export function findSlack(
  finished: Finished,
  winner: Restart,
  used: readonly number[],
): readonly string[] {
  const { parameters, table, driven } = finished;
  const { free } = parameters;
  if (driven.stopped !== "done" || !isConverged(winner.reason)) return [];
  if (!isLookedAt(table?.points ?? 1, free.length)) return [];
  const measure = measureLoss(finished, winner, (table?.points ?? 0) - used.length);
  return used.flatMap((j) => {
    const one = free[j] as Free;
    const better = betterNear(one, j, winner, measure) ?? betterInside(one, j, winner, measure);
    return better === undefined ? [] : [wordsOf(one, winner.best[j] as number, better)];
  });
}

/** A value of parameter j such that the loss falls all the way to it. */
function betterNear(
  { lower, upper }: Free,
  j: number,
  winner: Restart,
  { lossAt, best }: LossMeasure,
): number | undefined {
  const x = winner.best[j] as number;
  /** Infinite beyond a bound. */
  const lossWith = (value: number): number => {
    const at = winner.best.slice();
    at[j] = value;
    return value < lower || value > upper ? Number.POSITIVE_INFINITY : lossAt(at);
  };
  for (const size of sizesOf(lower, upper, x, winner.start[j] as number))
    for (const side of [-1, 1]) {
      const near = lossWith(x + side * NEAR * size);
      if (!(near < best)) continue;
      const far = lossWith(x + side * FAR * size);
      if (far < near && best - far > SAVED * Math.abs(best)) return x + side * FAR * size;
    }
  return undefined;
}

/** Sizes by shares of which a parameter is moved: its own, and how far its start was from a bound. */
function sizesOf(lower: number, upper: number, x: number, start: number): readonly number[] {
  const ways = [lower, upper].filter(Number.isFinite).map((bound) => Math.abs(start - bound));
  return [x, ...(ways.length > 0 ? [Math.min(...ways)] : [])];
}

/**
 * What to say where an optimiser says it has arrived, and another look denies it or sees nothing. Of a kink of
 * parameters that `ranOff` nothing is said: where the loss has all but vanished, rounding makes kinks.
 */
export function arrivalWords(
  { arrival, settling, settings, parameters }: Finished,
  ranOff: readonly string[] = [],
): string[] {
  const isAbsolute = settings.lossName === "absolute";
  const kinked = arrival?.curvature?.kinked.map((j) => parameters.free[j]?.label as string) ?? [];
  const isGone = ranOff.length > 0 && kinked.every((name) => ranOff.includes(name));
  if (settling === undefined && arrival?.verdict === "kink" && isGone) return [];
  const words =
    settling === undefined
      ? ARRIVAL[arrival?.verdict ?? ""]
      : SETTLING[settling]?.(isAbsolute ? "absolute deviations are" : "loss is");
  return words === undefined ? [] : [words];
}

const SHORT =
  "the loss still falls here, and rounding keeps the fit from following it: start from these values, or in other units";

const ARRIVAL: Readonly<Record<string, string | undefined>> = {
  short: SHORT,
  hidden:
    "the loss still falls here, and rounding hides the rest: measure columns from a point in the data, as (- x c) with one of its values for c",
  kink: "the fit ended at a kink of the loss, where nobody can see whether it is the least: it may be lower nearby",
};

/** By what may be lower. */
const SETTLING: Readonly<Record<string, ((what: string) => string) | undefined>> = {
  short: () => SHORT,
  unfinished: () =>
    "the loss still falls here, by steps that become small: start from these values",
  large: (what) => `the fit is too large to see whether its ${what} the least: ${maybe(what)}`,
  unknown: (what) =>
    `nobody can see whether the ${what} the least, since the predictions have a kink, a jump or no slope here: ${maybe(what)}`,
};

const maybe = (what: string): string =>
  `${what.endsWith("are") ? "they" : "it"} may be lower nearby`;

function wordsOf({ label }: Free, x: number, better: number): string {
  let digits = 3;
  while (digits < 17 && better.toPrecision(digits) === x.toPrecision(digits)) digits += 1;
  return `${label} is short of its best value, the loss is lower at ${better.toPrecision(digits)}: start from there, or take another optimiser`;
}
