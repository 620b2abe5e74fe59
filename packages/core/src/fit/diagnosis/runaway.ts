/**
 * Parameters without a best value: the loss stays the same however far they go on in the direction
 * they went (a logit at −37), or they have come to the edge of where the program is defined (a
 * variance at 1e-11). Rank and condition do not show them, since they are free of units.
 */

import type { Restart } from "../optimise/restart.js";
import type { Free } from "../parameters/parameters.js";
import { isOfCounts, totalLoss } from "../quality/scores.js";
import { sidesOf } from "../quality/targets.js";
import type { Finished } from "../result/result.js";

/** More points than this, all parameters together, are not looked at. */
const POINTS_MOST = 4_000_000;
/** What a log-likelihood changes by where nothing is known, and the same for other losses. */
const SAME_LIKELIHOOD = 1e-5;
const SAME_LOSS = 1e-7;

export interface Runaway {
  readonly name: string;
  readonly value: number;
  readonly words: string;
}

/** `used` are the parameters that are not at a bound, `open` those that are known to be undetermined. */
export function findRunaways(
  finished: Finished,
  winner: Restart,
  used: readonly number[],
  open: ReadonlySet<string>,
): Runaway[] {
  const { parameters, table, driven } = finished;
  const { free } = parameters;
  // A fit that was ended early has no time for more, and elsewhere its program may run without end.
  if (driven.stopped !== "done") return [];
  if ((table?.points ?? 1) * free.length > POINTS_MOST) return [];
  const isSame = sameAs(finished, winner, (table?.points ?? 0) - used.length);
  return used.flatMap((j) => {
    const one = free[j] as Free;
    if (open.has(one.label)) return [];
    const words = runsOff(one, j, winner, isSame);
    const value = winner.best[j] as number;
    return words === undefined ? [] : [{ name: one.label, value, words }];
  });
}

/** What the loss does where one parameter has another value. */
type Compare = (j: number, x: number) => "same" | "other" | "not finite";

function runsOff(one: Free, j: number, winner: Restart, compare: Compare): string | undefined {
  const { label, transform } = one;
  const u = winner.uAt(j);
  const x = winner.best[j] as number;
  const from = transform.toFree(winner.start[j] as number);
  const way = u === from ? Math.sign(u) || 1 : Math.sign(u - from);
  const reach = Math.max(Math.abs(u), Math.abs(u - from), 1);
  const shown = x.toPrecision(3);
  if (compare(j, transform.toUser(u + way * reach)) === "same") {
    return compare(j, transform.toUser(u - way * reach)) === "same"
      ? `the loss does not depend on ${label} here, so that its value (${shown}) means nothing`
      : `${label} ran off to ${shown}: the loss is the same however much further it goes`;
  }
  const isAtEdge = x !== 0 && compare(j, -x) === "not finite" && compare(j, 10 * x) === "same";
  return isAtEdge
    ? `${label} ran off to ${shown}, where it is as good as 0: give it bounds or a log scale`
    : undefined;
}

function sameAs(finished: Finished, winner: Restart, freedom: number): Compare {
  const lossAt = lossOf(finished);
  const { settings, options } = finished;
  const isLikelihood = isOfCounts(settings.lossName) || options.isNegativeLogLikelihood === true;
  const best = lossAt(winner.best);
  const within = isLikelihood
    ? SAME_LIKELIHOOD
    : settings.lossName === "squares" && freedom > 0
      ? (2 * SAME_LIKELIHOOD * best) / freedom
      : SAME_LOSS * Math.abs(best);
  return (j, x) => {
    const at = winner.best.slice();
    at[j] = x;
    const loss = lossAt(at);
    if (!Number.isFinite(loss)) return "not finite";
    return loss - best <= within ? "same" : "other";
  };
}

/** The loss at some parameters. */
function lossOf({ batches, table, settings, options }: Finished): (x: Float64Array) => number {
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
  // A loss of the user's own is judged by the squares of what it is about.
  const name = lossName === "program" ? "squares" : lossName;
  const sides = { ...sidesOf(table), huberWidth: options.huberWidth };
  return (x) => {
    run(x);
    if (batch.failure !== undefined) return Number.NaN;
    const predicted = table.target.map((_, point) => batch.prediction(0, point));
    return totalLoss(name, table.target, predicted, sides);
  };
}
