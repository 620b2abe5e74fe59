/**
 * Parameters without a best value: the loss stays the same however far they go on in the direction
 * they went (a logit at −37), alone or together with others, or it falls on and on, or they have come to
 * the edge of where the program is defined (a variance at 1e-11). Rank and condition do not show them,
 * since they are free of units.
 */

import { isConverged, type Restart } from "../optimise/restart.js";
import type { Free } from "../parameters/parameters.js";
import { listed } from "../quality/identify.js";
import { measureLoss } from "../quality/loss-at.js";
import type { Finished } from "../result/result.js";
import { edgeWords } from "./edge.js";
import { findFlat } from "./flat.js";
import { type Compare, changeAt, comparisonWith, type Moved, type Way, wayOf } from "./way.js";

export { lossOf } from "../quality/loss-at.js";

/** More points than this, all parameters together, are not looked at. */
const POINTS_MOST = 4_000_000;
/** Share of its way by which a parameter may move without a change if it is left loose. */
const LOOSE = 0.25;
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

/** What is said of a parameter. */
interface Found {
  readonly j: number;
  readonly kind: Runaway["kind"];
  readonly words: string;
}

/**
 * `used` are the parameters that are not at a bound, `known` those that are known to be undetermined, as
 * far as the fit has an estimate of errors that tells them.
 */
export function findRunaways(
  finished: Finished,
  winner: Restart,
  used: readonly number[],
  known: ReadonlySet<string> | undefined,
): Runaway[] {
  const { parameters, table, driven } = finished;
  const { free } = parameters;
  // A fit that was ended early has no time for more, and elsewhere its program may run without end.
  if (driven.stopped !== "done") return [];
  if (!isLookedAt(table?.points ?? 1, free.length)) return [];
  const measure = measureLoss(finished, winner, (table?.points ?? 0) - used.length);
  const compare = comparisonWith(measure, winner);
  const ways = used.map((j) => wayOf(free[j] as Free, j, winner));
  const found = findFar(ways, known ?? new Set(), winner, compare);
  const all = known === undefined ? [...found, ...openOnes(finished, winner, used, found)] : found;
  return all.map(({ j, kind, words }) => ({
    name: (free[j] as Free).label,
    value: winner.best[j] as number,
    kind,
    words,
  }));
}

/** Those that went far: alone, or together. */
function findFar(
  ways: readonly Way[],
  known: ReadonlySet<string>,
  winner: Restart,
  compare: Compare,
): readonly Found[] {
  const closed = ways.filter(({ label }) => !known.has(label));
  const alone = ways.flatMap((way) => runsOff(way, known.has(way.label), winner, compare) ?? []);
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
  used: readonly number[],
  found: readonly Found[],
): readonly Found[] {
  const told = new Set(found.map(({ j }) => j));
  return findFlat(finished, winner, used).flatMap(({ members, words }) => {
    if (members.some((j) => found.some((other) => other.j === j))) return [];
    const untold = members.filter((j) => !told.has(j));
    for (const j of untold) told.add(j);
    return untold.map((j) => ({ j, kind: "not determined" as const, words }));
  });
}

/** `isKnown`: that it is undetermined is said already, and only whether it ran off is asked. */
function runsOff(way: Way, isKnown: boolean, winner: Restart, compare: Compare): Found | undefined {
  const { j, label, u, from, side, hasMoved, toUser } = way;
  const shown = (winner.best[j] as number).toPrecision(3);
  const ranOff = (words: string): Found => ({ j, kind: "ran off", words });
  const further = changeAt(way, side, compare);
  const behind = () => changeAt(way, -side, compare).change;
  const isSameAtStart = () => compare([[j, toUser(from)]]) === "same";
  if (further.change === "same") {
    const isSameBehind = behind() === "same";
    if (isSameBehind && (!hasMoved || isSameAtStart())) {
      if (isKnown) return undefined;
      const words = `the loss does not depend on ${label} here, so that its value (${shown}) means nothing`;
      return { j, kind: "not determined", words };
    }
    if (!hasMoved) return undefined;
    return ranOff(
      `${label} ran off to ${shown}: the loss is the same however much further it goes`,
    );
  }
  if (hasMoved && further.change === "unclear") {
    const back = toUser(u - (side * way.length) / 4);
    if (compare([[j, back]]) === "same" && !isSameAtStart())
      return ranOff(
        `${label} ran off to ${shown}: the loss is the same from ${back.toPrecision(3)} on`,
      );
  }
  if (hasMoved && !isKnown && further.change === "lower" && falls(way, further.distance, compare))
    return ranOff(`${label} was still on its way at ${shown}: the loss is lower further on`);
  const words = edgeWords(way, shown, isConverged(winner.reason), compare);
  return words === undefined ? undefined : ranOff(words);
}

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
    if (isTold(j) || length <= 1 || ends.some((x) => compare([[j, x]]) !== "same")) return [];
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
  const isFalling = further === "lower";
  if (isFalling && ON_THE_WAY.some((share) => compare(movedBy(share)) === "higher")) return [];
  const names = listed(moving.map(({ label }) => label));
  const values = listed(moving.map(({ j }) => (winner.best[j] as number).toPrecision(3)));
  const words = isFalling
    ? `${names} were still on their way together at ${values}: the loss is lower further on`
    : `${names} ran off together to ${values}: the loss is the same however much further they go`;
  return moving.map(({ j }) => ({ j, kind: "ran off" as const, words }));
}
