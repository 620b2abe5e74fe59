/**
 * Parameters without a best value: the loss stays the same however far they go on in the direction
 * they went (a logit at −37), alone or together with others, or they have come to the edge of where the
 * program is defined (a variance at 1e-11). Rank and condition do not show them, since they are free of
 * units.
 */

import { isConverged, type Restart } from "../optimise/restart.js";
import type { Free } from "../parameters/parameters.js";
import { listed } from "../quality/identify.js";
import { isOfCounts, totalLoss } from "../quality/scores.js";
import { sidesOf } from "../quality/targets.js";
import type { Finished } from "../result/result.js";

/** More points than this, all parameters together, are not looked at. */
const POINTS_MOST = 4_000_000;
/** What a log-likelihood changes by where nothing is known, and the same for other losses. */
const SAME_LIKELIHOOD = 1e-5;
const SAME_LOSS = 1e-7;

/** A parameter that is this much smaller than its start is on its way to 0. */
const SHRUNK = 1e-6;
/** Share of its way by which a parameter may move without a change if it is left loose. */
const LOOSE = 0.25;

/** Whether so many points and parameters are few enough for another few evaluations of each. @internal */
export const isLookedAt = (points: number, parameters: number): boolean =>
  points * parameters <= POINTS_MOST;

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
  if (!isLookedAt(table?.points ?? 1, free.length)) return [];
  const compare = comparisonWith(finished, winner, (table?.points ?? 0) - used.length);
  const isOpen = (j: number) => open.has((free[j] as Free).label);
  const closed = used.filter((j) => !isOpen(j));
  const alone = used.flatMap((j) => {
    const one = free[j] as Free;
    const words = isOpen(j)
      ? runsOffForGood(one, j, winner, compare)
      : runsOff(one, j, winner, compare);
    return words === undefined ? [] : [{ j, words }];
  });
  const found =
    alone.length > 0
      ? [...alone, ...leftLoose(free, closed, alone, winner, compare)]
      : runTogether(free, closed, winner, compare);
  return found.map(({ j, words }) => ({
    name: (free[j] as Free).label,
    value: winner.best[j] as number,
    words,
  }));
}

/** What the loss does where some parameters have other values. */
type Compare = (moved: readonly (readonly [j: number, x: number])[]) => Change;
type Change = "same" | "lower" | "higher" | "not finite";

/** Where a parameter is, how far it would go on, and the same in the direction that it came. */
function headingOf({ transform }: Free, j: number, winner: Restart) {
  const u = winner.uAt(j);
  const from = transform.toFree(winner.start[j] as number);
  const way = u === from ? Math.sign(u) || 1 : Math.sign(u - from);
  const reach = Math.max(Math.abs(u), Math.abs(u - from), 1);
  return { u, reach, ahead: way * reach };
}

/** For a parameter that is known to be undetermined: whether it ran off, not only why it may. */
function runsOffForGood(
  one: Free,
  j: number,
  winner: Restart,
  compare: Compare,
): string | undefined {
  const { label, transform } = one;
  const { u, ahead } = headingOf(one, j, winner);
  const goes = (by: number) => compare([[j, transform.toUser(u + by * ahead)]]);
  if (goes(1) !== "same" || goes(-1) === "same") return undefined;
  return `${label} ran off to ${(winner.best[j] as number).toPrecision(3)}: the loss is the same however much further it goes`;
}

function runsOff(one: Free, j: number, winner: Restart, compare: Compare): string | undefined {
  const { label, transform } = one;
  const { u, ahead } = headingOf(one, j, winner);
  const x = winner.best[j] as number;
  const shown = x.toPrecision(3);
  const further = compare([[j, transform.toUser(u + ahead)]]);
  if (further === "same") {
    return compare([[j, transform.toUser(u - ahead)]]) === "same"
      ? `the loss does not depend on ${label} here, so that its value (${shown}) means nothing`
      : `${label} ran off to ${shown}: the loss is the same however much further it goes`;
  }
  // Beyond a minimum the loss rises at first.
  const falls = (share: number) => compare([[j, transform.toUser(u + share * ahead)]]) !== "higher";
  if (further === "lower" && falls(1 / 64) && falls(1 / 8))
    return `${label} was still on its way at ${shown}: the loss is lower further on`;
  if (x === 0 || compare([[j, -x]]) !== "not finite") return undefined;
  if (compare([[j, 10 * x]]) === "same")
    return `${label} ran off to ${shown}, where it is as good as 0: give it bounds or a log scale`;
  const hasShrunk = Math.abs(x) <= SHRUNK * Math.abs(winner.start[j] as number);
  return hasShrunk && !isConverged(winner.reason)
    ? `${label} was still on its way to 0 at ${shown}, the edge of where the program is defined: give it bounds or a log scale`
    : undefined;
}

/**
 * Parameters that those which ran off have left without a value: the line between two kinds of points
 * that are separate may lie anywhere between them.
 */
function leftLoose(
  free: readonly Free[],
  closed: readonly number[],
  alone: readonly { readonly j: number }[],
  winner: Restart,
  compare: Compare,
): { readonly j: number; readonly words: string }[] {
  const beside = listed(alone.map(({ j }) => (free[j] as Free).label));
  return closed.flatMap((j) => {
    const one = free[j] as Free;
    const { u, reach } = headingOf(one, j, winner);
    const ends = [-1, 1].map((side) => one.transform.toUser(u + side * LOOSE * reach));
    if (alone.some((other) => other.j === j)) return [];
    if (reach === 1 || ends.some((x) => compare([[j, x]]) !== "same")) return [];
    const range = ends.map((x) => x.toPrecision(3)).join(" to ");
    const words = `${one.label} is not determined beside ${beside}: the loss is the same from ${range}`;
    return [{ j, words }];
  });
}

/**
 * Parameters that can go on without end only together: the logits of two kinds of points that a line
 * separates grow in step.
 */
function runTogether(
  free: readonly Free[],
  closed: readonly number[],
  winner: Restart,
  compare: Compare,
): { readonly j: number; readonly words: string }[] {
  const moves = closed.flatMap((j) => {
    const { transform } = free[j] as Free;
    const u = winner.uAt(j);
    const by = u - transform.toFree(winner.start[j] as number);
    return by === 0 ? [] : [{ j, u, by, share: Math.abs(by) / Math.max(1, Math.abs(u)) }];
  });
  if (moves.length < 2) return [];
  // One of them at least goes as far again as it is from 0.
  const times = Math.max(1, 1 / Math.max(...moves.map(({ share }) => share)));
  const moved = moves.map(({ j, u, by }) => {
    const { transform } = free[j] as Free;
    return [j, transform.toUser(u + times * by)] as const;
  });
  if (compare(moved) !== "same") return [];
  const names = listed(moves.map(({ j }) => (free[j] as Free).label));
  const values = listed(moves.map(({ j }) => (winner.best[j] as number).toPrecision(3)));
  const words = `${names} ran off together to ${values}: the loss is the same however much further they go`;
  return moves.map(({ j }) => ({ j, words }));
}

function comparisonWith(finished: Finished, winner: Restart, freedom: number): Compare {
  const lossAt = lossOf(finished);
  const { settings, options } = finished;
  const isLikelihood = isOfCounts(settings.lossName) || options.isNegativeLogLikelihood === true;
  const best = lossAt(winner.best);
  const within = isLikelihood
    ? SAME_LIKELIHOOD
    : settings.lossName === "squares" && freedom > 0
      ? (2 * SAME_LIKELIHOOD * best) / freedom
      : SAME_LOSS * Math.abs(best);
  return (moved) => {
    const at = winner.best.slice();
    for (const [j, x] of moved) at[j] = x;
    const loss = lossAt(at);
    if (!Number.isFinite(loss)) return "not finite";
    if (Math.abs(loss - best) <= within) return "same";
    return loss < best ? "lower" : "higher";
  };
}

/** The loss at some parameters. @internal */
export function lossOf({
  batches,
  table,
  settings,
  options,
}: Finished): (x: Float64Array) => number {
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
