/**
 * Parameters without a best value: the loss stays the same however far they go on in the direction
 * they went (a logit at −37), alone or together with others, or it falls on and on, or they have come to
 * the edge of where the program is defined (a variance at 1e-11). Rank and condition do not show them,
 * since they are free of units.
 */

import { exp, log } from "../math/elementary.js";
import { isConverged, type Restart } from "../optimise/restart.js";
import type { Free } from "../parameters/parameters.js";
import type { CovarianceEstimate } from "../quality/covariance.js";
import { isNegativeLogLikelihood } from "../quality/hessian.js";
import { listed } from "../quality/identify.js";
import { measureLoss } from "../quality/loss-at.js";
import type { Finished } from "../result/result.js";
import { edgeWords } from "./edge.js";
import { findFlat } from "./flat.js";
import { waysThatGoOn } from "./onwards.js";
import { movesOf, plateauWords, risesBeyond, riseTogether } from "./plateau.js";
import {
  type Compare,
  changeAt,
  comparisonWith,
  differenceOn,
  type Moved,
  type Way,
  wayOf,
} from "./way.js";

/** More points than this, all parameters together, are not looked at. */
const POINTS_MOST = 4_000_000;
/** Share of its way by which a parameter may move without a change if it is left loose. */
const LOOSE = 0.25;
/** A parameter takes part in a direction with this share of the largest part, each as a share of its way. */
const TAKES_PART = 1e-3;
/** A bound leaves a parameter no room if it is nearer than this share of its size. */
const ROOM = 1e-2;
/** Shares of a way back from where rounding hides the loss. */
const BEHIND = [1 / 4, 1 / 2] as const;
/** Shares of a way on which the loss does not rise if it is lower at its end for good. */
const ON_THE_WAY = [1 / 64, 1 / 8];

/** Whether so many points and parameters are few enough for another few evaluations of each. @internal */
export const isLookedAt = (points: number, parameters: number): boolean =>
  points * parameters <= POINTS_MOST;

export interface Runaway {
  readonly name: string;
  readonly value: number;
  /** Whether it ran off, or any value will do. */
  readonly kind: "ran off" | "not determined";
  readonly words: string;
}

/**
 * What is said of parameters, and which of them are where going on changes nothing, or at an edge of the program, so that
 * errors of theirs mean nothing.
 */
interface Runaways {
  readonly told: readonly Runaway[];
  readonly gone: readonly number[];
  /** Whether one at least goes on without end: not towards a bound, to 0 on a log scale or to an edge. */
  readonly isEndless: boolean;
}

/** What is said of a parameter. */
interface Found {
  readonly j: number;
  readonly kind: Runaway["kind"];
  readonly words: string;
  /** Whether it ran off to where the loss stays the same, or to an edge. */
  readonly isGone?: boolean;
  /** Whether it came to a place that it cannot pass: an edge, or a bound. */
  readonly isStopped?: boolean;
}

const NONE: Runaways = { told: [], gone: [], isEndless: false };

/**
 * `used` are the parameters that are not at a bound, `known` those that are known to be undetermined, and
 * whether alone, as far as the fit has an estimate of errors that tells them, `estimate`. Of a fit that has arrived nothing is asked that
 * only others have that are still on their way.
 */
export function findRunaways(
  finished: Finished,
  winner: Restart,
  used: readonly number[],
  known: ReadonlyMap<string, boolean> | undefined,
  estimate: CovarianceEstimate | undefined,
  hasArrived: boolean,
): Runaways {
  const { parameters, table, driven } = finished;
  const { free } = parameters;
  // A fit that was ended early has no time for more, and elsewhere its program may run without end.
  if (driven.stopped !== "done") return NONE;
  if (!isLookedAt(table?.points ?? 1, free.length)) return NONE;
  const measure = measureLoss(finished, winner, (table?.points ?? 0) - used.length);
  const compare = comparisonWith(measure, winner);
  const everyWay = used.map((j) => wayOf(free[j] as Free, j, winner));
  const canGoOn = ({ j, side }: Way) => hasRoom(free[j] as Free, side, winner.best[j] as number);
  const ways = everyWay.filter(canGoOn);
  const kept = everyWay.filter((way) => way.hasMoved && !canGoOn(way));
  const far = [
    ...findFar(ways, known ?? new Map(), winner, compare),
    ...kept.flatMap((way) => runsToBound(way, free[way.j] as Free, winner, compare) ?? []),
  ];
  const along =
    far.length > 0 || estimate === undefined || !isNegativeLogLikelihood(finished)
      ? far
      : runAlong(ways, estimate, winner, compare);
  const found = hasArrived
    ? along
    : [...along, ...stillFalling(finished, winner, ways, along, measure.within)];
  const isOpen = known === undefined;
  const all = isOpen ? [...found, ...openOnes(finished, winner, everyWay, found, compare)] : found;
  const told = all.map(({ j, kind, words }) => ({
    name: (free[j] as Free).label,
    value: winner.best[j] as number,
    kind,
    words,
  }));
  const isEndless = all.some(
    ({ j, kind, isStopped }) =>
      kind === "ran off" && !isStopped && !hasEnd(free[j] as Free, j, winner),
  );
  return { told, gone: all.flatMap(({ j, isGone }) => (isGone ? [j] : [])), isEndless };
}

/** Whether there is an end to the way that a parameter went: a bound, or 0 on a log scale. */
function hasEnd({ lower, upper, isLog }: Free, j: number, { best, start }: Restart): boolean {
  const isDown = (best[j] as number) < (start[j] as number);
  return isDown ? isLog || lower > Number.NEGATIVE_INFINITY : upper < Number.POSITIVE_INFINITY;
}

/** Whether a parameter can go on: between close bounds the loss is the same for lack of room, whatever it depends on. */
function hasRoom({ lower, upper }: Free, side: number, x: number): boolean {
  const bound = side > 0 ? upper : lower;
  return Math.abs(bound - x) > ROOM * Math.abs(x);
}

/** Those that went far: alone, or together. */
function findFar(
  ways: readonly Way[],
  known: ReadonlyMap<string, boolean>,
  winner: Restart,
  compare: Compare,
): readonly Found[] {
  const closed = ways.filter(({ label }) => !known.has(label));
  const alone = ways.flatMap((way) => runsOff(way, known.get(way.label), winner, compare) ?? []);
  if (alone.length > 0) return [...alone, ...leftLoose(closed, alone, ways, compare)];
  const open = ways.filter(({ label }) => known.has(label));
  const groups = [closed, open, ways].filter(
    (some, at) => some.length > 1 && (at < 2 || (open.length > 0 && closed.length > 0)),
  );
  for (const some of groups) {
    const together = runTogether(some, winner, compare);
    if (together.length > 0) return together;
  }
  return [];
}

/** Parameters that change nothing together, and of which nothing is said yet. */
function openOnes(
  finished: Finished,
  winner: Restart,
  ways: readonly Way[],
  found: readonly Found[],
  compare: Compare,
): readonly Found[] {
  const told = new Set(found.map(({ j }) => j));
  const used = ways.map(({ j }) => j);
  return findFlat(finished, winner, used).flatMap(({ members, words }) => {
    if (members.some((j) => found.some((other) => other.j === j))) return [];
    const untold = members.filter((j) => !told.has(j));
    for (const j of untold) told.add(j);
    const alone = members.length === 1 ? ways.find(({ j }) => j === members[0]) : undefined;
    const known = (alone && plateauWords(alone, compare)) ?? words;
    return untold.map((j) => ({ j, kind: "not determined" as const, words: known }));
  });
}

/** What is said of one that has gone as far as its bound allows, the last quarter of its way for nothing. */
function runsToBound(
  { j, label }: Way,
  { isLog }: Free,
  { best, start }: Restart,
  compare: Compare,
): Found | undefined {
  const [from, x] = [start[j] as number, best[j] as number];
  const backBy = (share: number): Moved[] => [
    [j, isLog ? x * exp((share / 4) * log(from / x)) : x + (share / 4) * (from - x)],
  ];
  if (!isSameUpTo(backBy, compare)) return undefined;
  // On a short way the loss is the same on a quarter of it, wherever it has led.
  if (!(Math.abs(compare.change([[j, from]])) > compare.clear)) return undefined;
  const [shown, since] = [x, (backBy(1)[0] as Moved)[1]].map((each) => each.toPrecision(3));
  const words = `${label} ran off to ${shown}: the loss is the same from ${since} on`;
  return { j, kind: "ran off", words, isGone: true, isStopped: true };
}

/** `isAlone`: known to be undetermined, by itself or only with others, and only whether it ran off is asked. */
function runsOff(
  way: Way,
  isAlone: boolean | undefined,
  winner: Restart,
  compare: Compare,
): Found | undefined {
  const isKnown = isAlone !== undefined;
  const { j, label, u, from, side, hasMoved, toUser } = way;
  const shown = (winner.best[j] as number).toPrecision(3);
  const ranOff = (words: string, isGone = true): Found => ({ j, kind: "ran off", words, isGone });
  const further = changeAt(way, side, compare);
  const behind = () => changeAt(way, -side, compare).change;
  const isSameAtStart = () => compare([[j, toUser(from)]]) === "same";
  const blurred = hasMoved && !isKnown ? blurredSince(way, winner, compare) : undefined;
  if (blurred !== undefined)
    return ranOff(
      `${label} ran off to ${shown}: rounding hides the loss here, and it is the same from ${blurred.toPrecision(3)} on`,
    );
  const isFlat = isAlone === true || (!isKnown && further.change === "same");
  const plateau = isFlat ? plateauWords(way, compare) : undefined;
  if (plateau !== undefined) return { j, kind: "not determined", words: plateau };
  if (further.change === "same") {
    const isSameBehind = behind() === "same";
    if (isSameBehind && (!hasMoved || isSameAtStart())) {
      if (isKnown) return undefined;
      const words = `the loss does not depend on ${label} here, so that its value (${shown}) means nothing`;
      return { j, kind: "not determined", words };
    }
    if (!hasMoved || risesBeyond(movesOf(way, side), compare)) return undefined;
    return ranOff(
      `${label} ran off to ${shown}: the loss is the same however much further it goes`,
    );
  }
  if (hasMoved && further.change === "unclear") {
    const backBy = (share: number): Moved[] => [[j, toUser(u - (side * share * way.length) / 4)]];
    const back = toUser(u - (side * way.length) / 4);
    if (isSameUpTo(backBy, compare) && !isSameAtStart())
      return ranOff(
        `${label} ran off to ${shown}: the loss is the same from ${back.toPrecision(3)} on`,
      );
  }
  if (hasMoved && !isKnown && further.change === "lower" && falls(way, further.distance, compare))
    return ranOff(`${label} was still on its way at ${shown}: the loss is lower further on`, false);
  const words = edgeWords(way, shown, isConverged(winner.reason), compare);
  return words === undefined ? undefined : { ...ranOff(words), isStopped: true };
}

/**
 * From where on the loss is the same, where rounding hides what it does at the best point, which is only the luckiest
 * of many. Undefined elsewhere, and where the loss differs on the way.
 */
function blurredSince(
  { j, u, from, side, length, toUser }: Way,
  winner: Restart,
  compare: Compare,
): number | undefined {
  if (compare.rounding([[j, winner.best[j] as number]]) <= compare.clear) return undefined;
  const seen = BEHIND.map((share) => {
    const moved: Moved[] = [[j, toUser(u - side * share * length)]];
    return { change: compare.change(moved), rounding: compare.rounding(moved) };
  });
  const [near, far] = seen as [(typeof seen)[0], (typeof seen)[0]];
  const rounding = near.rounding + far.rounding;
  const isSame = Math.abs(near.change - far.change) <= compare.clear && rounding <= compare.clear;
  const isOther = Math.abs(compare.change([[j, toUser(from)]]) - far.change) > compare.clear;
  return isSame && isOther ? toUser(u - side * BEHIND[1] * length) : undefined;
}

/** Whether the loss is the same at the end of a way and all along it. */
const isSameUpTo = (moved: (share: number) => readonly Moved[], compare: Compare): boolean =>
  compare(moved(1)) === "same" && differenceOn(moved, compare) === undefined;

/** Whether the loss does not rise first: beyond a minimum it does. */
const falls = ({ j, u, side, length, toUser }: Way, distance: number, compare: Compare): boolean =>
  [distance, Math.min(distance, length)].every((reach) =>
    ON_THE_WAY.every((share) => compare([[j, toUser(u + side * share * reach)]]) !== "higher"),
  );

/**
 * Parameters that those which ran off have left without a value: the line between two kinds of points
 * that are separate may lie anywhere between them.
 */
function leftLoose(
  closed: readonly Way[],
  alone: readonly Found[],
  ways: readonly Way[],
  compare: Compare,
): readonly Found[] {
  const isTold = (j: number) => alone.some((other) => other.j === j);
  const beside = listed(ways.filter(({ j }) => isTold(j)).map(({ label }) => label));
  return closed.flatMap(({ j, label, u, length, toUser }) => {
    const ends = [-1, 1].map((side) => toUser(u + side * LOOSE * length));
    if (isTold(j) || length <= 1) return [];
    const isLoose = [-1, 1].every((side) =>
      isSameUpTo((share) => [[j, toUser(u + side * share * LOOSE * length)]], compare),
    );
    if (!isLoose) return [];
    const range = ends.map((x) => x.toPrecision(3)).join(" to ");
    const words = `${label} is not determined beside ${beside}: the loss is the same from ${range}`;
    return [{ j, kind: "not determined" as const, words }];
  });
}

/**
 * Parameters that can go on without end only together: the logits of two kinds of points that a line
 * separates grow in step.
 */
function runTogether(ways: readonly Way[], winner: Restart, compare: Compare): readonly Found[] {
  const moving = ways.filter(({ hasMoved }) => hasMoved);
  if (moving.length < 2) return [];
  const shares = moving.map(({ u, from }) => Math.abs(u - from) / Math.max(1, Math.abs(u)));
  // One of them at least goes as far again as it is from 0.
  const times = Math.max(1, 1 / Math.max(...shares));
  const movedBy = (share: number): Moved[] =>
    moving.map(({ j, u, from, toUser }) => [j, toUser(u + share * times * (u - from))]);
  const further = compare(movedBy(1));
  if (further !== "same" && further !== "lower") return [];
  if (further === "same" && differenceOn(movedBy, compare) !== undefined) return [];
  if (further === "same" && riseTogether(movedBy, compare)) return [];
  const isFalling = further === "lower";
  if (isFalling && ON_THE_WAY.some((share) => compare(movedBy(share)) === "higher")) return [];
  return together(moving, isFalling, winner);
}

/** How far one goes to show what the loss does: one that ended near 0 further than its way was long. */
const reachOf = ({ length, unit }: Way): number => Math.max(length, unit);

/**
 * Parameters that can go on without end together, in another direction than the one from where they began: the line
 * of a rate that is 0 but at one point turns about that point. Backwards the loss changes, or they would only enter
 * as one.
 */
function runAlong(
  ways: readonly Way[],
  { flattest, used }: CovarianceEstimate,
  winner: Restart,
  compare: Compare,
): readonly Found[] {
  for (const direction of flattest) {
    const steps = ways.map((way) => (direction[used.indexOf(way.j)] ?? 0) / way.slope);
    const shares = steps.map((step, a) => Math.abs(step) / reachOf(ways[a] as Way));
    const most = Math.max(...shares);
    const members = ways.flatMap((way, a) =>
      (shares[a] as number) > TAKES_PART * most ? [{ way, step: (steps[a] as number) / most }] : [],
    );
    if (members.length < 2 || !members.every(({ way }) => way.hasMoved)) continue;
    const onwards = members.reduce(
      (sum, { way, step }) => sum + (step / way.length) * ((way.u - way.from) / way.length),
      0,
    );
    const side = Math.sign(onwards) || 1;
    const movedBy = (share: number): Moved[] =>
      members.map(({ way: { j, u, toUser }, step }) => [j, toUser(u + side * share * step)]);
    if (!isSameUpTo(movedBy, compare) || riseTogether(movedBy, compare)) continue;
    const back = compare(movedBy(-1));
    if (back !== "higher" && back !== "not finite") continue;
    return together(
      members.map(({ way }) => way),
      false,
      winner,
    );
  }
  return [];
}

/** Parameters that were still on their way, and could only go on if the others followed. */
function stillFalling(
  finished: Finished,
  winner: Restart,
  ways: readonly Way[],
  found: readonly Found[],
  within: number,
): readonly Found[] {
  const told = found.map(({ j }) => j);
  return waysThatGoOn(finished, winner, ways, told, within).map(({ j, label }) => ({
    ...{ j, kind: "ran off" },
    words: `${label} was still on its way at ${(winner.best[j] as number).toPrecision(3)}: the loss is lower further on, with the others fitted again there`,
  }));
}

function together(some: readonly Way[], isFalling: boolean, winner: Restart): readonly Found[] {
  const names = listed(some.map(({ label }) => label));
  const values = listed(some.map(({ j }) => (winner.best[j] as number).toPrecision(3)));
  const words = isFalling
    ? `${names} were still on their way together at ${values}: the loss is lower further on`
    : `${names} ran off together to ${values}: the loss is the same however much further they go`;
  return some.map(({ j }) => ({ j, kind: "ran off" as const, words, isGone: !isFalling }));
}
