/**
 * How far the loss stays the same: without end where a parameter runs off, or as far as a plateau goes, as between
 * the two middle ones of an even count of numbers, all of which are medians. Beyond a plateau the loss rises again.
 */

import { log } from "../math/elementary.js";
import type { Change, Compare, Moved, Way } from "./way.js";

/**
 * The first place that is looked at, as a share of a way, how many times further the next is, and how many are: a
 * program that loops as often as a parameter says takes so much longer there.
 */
const FIRST = 1 / 16;
const TIMES = 4;
const PLACES = 5;
const HALVINGS = 40;
/** How many times as far parameters that move together are looked at. */
const TOGETHER = [4, 16] as const;
/** Digits that are told of an end, beyond those that both ends share. */
const DIGITS = 4;

type Moves = (share: number) => readonly Moved[];

/** Whether the loss is higher beyond where it is the same, as far as anyone looks. */
export const risesBeyond = (moves: Moves, compare: Compare): boolean =>
  endOf(moves, compare)?.change === "higher";

/** The same of several that move together, so far as their direction is exact enough to stay the same. */
export const riseTogether = (moves: Moves, compare: Compare): boolean =>
  TOGETHER.some((share) => compare(moves(share), undefined, true) === "higher");

/** What to say of a parameter on a plateau whose ends are seen; undefined of any other. */
export function plateauWords(way: Way, compare: Compare): string | undefined {
  const shares = [-1, 1].map((side) => {
    const end = endOf(movesOf(way, side), compare);
    return end?.change === "higher" ? side * end.share : undefined;
  });
  const [below, above] = shares;
  if (below === undefined || above === undefined || below === above) return undefined;
  const ends = [below, above].map((share) => placeOn(way, share));
  const range = shown(ends as [number, number]).join(" to ");
  return `any value of ${way.label} from ${range} is as good: the loss is the same there`;
}

function shown(ends: readonly [number, number]): readonly number[] {
  const size = Math.max(...ends.map(Math.abs));
  const shared = Math.max(0, Math.ceil(log(size / Math.abs(ends[1] - ends[0])) / log(10)));
  return ends.map((end) => Number(end.toPrecision(Math.min(17, DIGITS + shared))));
}

const placeOn = ({ u, length, unit, toUser }: Way, share: number): number =>
  toUser(u + share * Math.max(length, unit));

/** The moves of one parameter to a side, by shares of its way. */
export const movesOf =
  (way: Way, side: number): Moves =>
  (share) => [[way.j, placeOn(way, side * share)]];

/** The last share at which the loss is the same, and what it does beyond. Undefined where it stays the same. */
function endOf(
  moves: Moves,
  compare: Compare,
): { readonly share: number; readonly change: Change } | undefined {
  // Far off, a rise may be rounding.
  const changeOf = (share: number): Change => {
    const change = compare(moves(share));
    return change === "higher" ? compare(moves(share), undefined, true) : change;
  };
  let same = 0;
  for (let turn = 0, share = FIRST; turn < PLACES; turn++, share *= TIMES) {
    const change = changeOf(share);
    if (change !== "same") return { share: lastSame(same, share, changeOf), change };
    same = share;
  }
  return undefined;
}

function lastSame(from: number, to: number, changeOf: (share: number) => Change): number {
  let [same, other] = [from, to];
  for (let turn = 0; turn < HALVINGS; turn++) {
    const middle = (same + other) / 2;
    if (changeOf(middle) === "same") same = middle;
    else other = middle;
  }
  return same;
}
