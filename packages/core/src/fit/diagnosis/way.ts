/**
 * What the loss does where parameters have other values, and how far to look from the best ones: as far
 * again as a parameter went, and as it is large.
 */

import type { Restart } from "../optimise/restart.js";
import type { Free } from "../parameters/parameters.js";
import type { LossMeasure } from "../quality/loss-at.js";

/** `unclear`: rounding of the loss hides what it does. */
export type Change = "same" | "lower" | "higher" | "not finite" | "unclear";
/** A parameter and its value. */
export type Moved = readonly [j: number, x: number];
export interface Compare {
  /** `clear`: how much rounding may hide; `isDoubted`: whether even a large change may be rounding. */
  (moved: readonly Moved[], clear?: number, isDoubted?: boolean): Change;
  /** How far the loss is from the best one. */
  readonly change: (moved: readonly Moved[]) => number;
  /** What rounding makes of the loss. */
  readonly rounding: (moved: readonly Moved[]) => number;
  /** More rounding than this hides what the loss does. */
  readonly clear: number;
}

/** Shares so small that a loss changes by its rounding only where parameters are moved by them. */
const TINY = [-7.3e-13, -3.1e-13, -1.1e-13, 1.7e-13, 4.7e-13, 8.9e-13];
/** So many times as large in single precision. */
const SINGLE = 1e6;
/** Up to this share of the loss a change may be rounding. */
const MAY_BE_ROUNDING = 1e-3;
/** How many times the smallest change that counts rounding may be without hiding everything. */
const CLEAR = 300;
/** The same as a share of what a parameter's way from its start changed. */
const CLEAR_OF_WAY = 1e-3;
/** A short part of a parameter's way, and what a change there is less than of one far off to be doubted. */
const SHORT = 1 / 16;
const MUCH_LESS = 1e-3;
/** Parts of a parameter's way at which the loss is looked at until rounding hides it. */
const PARTS = [1 / 16, 1 / 4, 1 / 2, 1];
/** By which a distance is shortened where there are no numbers, and the least that is looked at. */
const NEARER = 1 / 16;
const LEAST = 1e-6;
/** Parts of a way of which no mirror and no period takes all: an even loss is the same at u and −u. */
const BETWEEN = [1 / 64, 0.3679, 0.8284];

export function comparisonWith(
  { lossAt, best, within, isSingle }: LossMeasure,
  winner: Restart,
): Compare {
  const tiny = isSingle ? TINY.map((share) => SINGLE * share) : TINY;
  const scatterAt = (at: Float64Array, moved: readonly Moved[]): number =>
    scatter(lossAt, at, moved, tiny);
  const moveTo = (moved: readonly Moved[]): Float64Array => {
    const at = winner.best.slice();
    for (const [j, x] of moved) at[j] = x;
    return at;
  };
  const compare = (moved: readonly Moved[], clear = CLEAR * within, isDoubted = false): Change => {
    const at = moveTo(moved);
    const loss = lossAt(at);
    if (!Number.isFinite(loss)) return "not finite";
    const change = loss - best;
    if (Math.abs(change) <= within) return "same";
    if (isDoubted || Math.abs(change) <= MAY_BE_ROUNDING * Math.abs(best)) {
      const rounding = 2 * (scatterAt(at, moved) + scatterAt(winner.best, moved));
      if (rounding > clear) return "unclear";
      if (Math.abs(change) <= within + rounding) return "same";
    }
    return change < 0 ? "lower" : "higher";
  };
  return Object.assign(compare, {
    change: (moved: readonly Moved[]) => lossAt(moveTo(moved)) - best,
    rounding: (moved: readonly Moved[]) => scatterAt(moveTo(moved), moved),
    clear: CLEAR * within,
  });
}

/** By how much the loss differs where parameters hardly do. */
function scatter(
  lossAt: LossMeasure["lossAt"],
  at: Float64Array,
  moved: readonly Moved[],
  tiny: readonly number[],
): number {
  const losses = tiny.map((share) => {
    const near = at.slice();
    for (const [j] of moved) near[j] = (near[j] as number) * (1 + share);
    return lossAt(near);
  });
  return Math.max(...losses) - Math.min(...losses);
}

/** How a parameter came to where it is, as the optimiser moves it. */
export interface Way {
  readonly j: number;
  readonly label: string;
  readonly u: number;
  readonly from: number;
  /** 1 or −1: the direction it went; without one, away from 0. */
  readonly side: number;
  /** Its size, or the way it went if that is longer. */
  readonly length: number;
  /** By how much it moves where the parameter changes by 1, or by less. */
  readonly unit: number;
  readonly hasMoved: boolean;
  /** How much the parameter in the user's units changes with it. */
  readonly slope: number;
  /** The parameter in the user's units. */
  readonly toUser: (u: number) => number;
}

export function wayOf({ label, transform, isLog }: Free, j: number, winner: Restart): Way {
  const u = winner.uAt(j);
  const from = transform.toFree(winner.start[j] as number);
  // A parameter that the optimiser did not touch may have other last digits by its map.
  const slope = transform.slope(u);
  const hasMoved = Math.abs(u - from) > 1e-12 * Math.max(Math.abs(u), Math.abs(from));
  return {
    ...{ j, label, u, from, hasMoved },
    side: hasMoved ? Math.sign(u - from) : Math.sign(u) || 1,
    length: Math.max(Math.abs(u), Math.abs(u - from)),
    unit: isLog ? 1 : Math.min(1, 1 / slope),
    slope,
    toUser: (at) => transform.toUser(at),
  };
}

/**
 * The first part of a way at which the loss clearly is not what it is at the best point. Undefined where it is the same
 * all along, as far as rounding shows.
 */
export function differenceOn(
  moved: (share: number) => readonly Moved[],
  compare: Compare,
): { readonly change: "lower" | "higher"; readonly share: number } | undefined {
  for (const share of BETWEEN) {
    const change = compare(moved(share));
    if (change === "lower" || change === "higher") return { change, share };
  }
  return undefined;
}

/** What the loss does at a distance. */
export interface Seen {
  readonly change: Change;
  readonly distance: number;
}

/**
 * What the loss does further on: as far again as the parameter went, and by 1 if that is longer, or by less where the
 * program does not allow that. Nearer only where rounding hides what the loss does there, or where it is the same there and
 * not on the way.
 */
export function changeAt(way: Way, side: number, compare: Compare): Seen {
  const seen = changeFar(way, side, compare);
  if (seen.change !== "same") return seen;
  const { distance } = seen;
  const moved = (share: number): Moved[] => [[way.j, way.toUser(way.u + side * share * distance)]];
  const other = differenceOn(moved, compare);
  return other === undefined ? seen : { change: other.change, distance: other.share * distance };
}

function changeFar(way: Way, side: number, compare: Compare): Seen {
  const moved = (distance: number): Moved[] => [[way.j, way.toUser(way.u + side * distance)]];
  const at = (distance: number) => ({ change: compare(moved(distance)), distance });
  // The farthest place that tells: a short way says little of a parameter that ended near 0.
  const least = LEAST * way.unit;
  for (let distance = way.unit; distance > Math.max(way.length, least); distance *= NEARER) {
    const far = at(distance);
    if (far.change !== "not finite" && far.change !== "unclear") return far;
  }
  if (way.length === 0) return at(least);
  const own = at(way.length);
  if (own.change === "same" || own.change === "not finite") return own;
  const change = (distance: number) => Math.abs(compare.change(moved(distance)));
  // A loss that rises or falls does so from the beginning; rounding may only grow.
  const isDoubted = change(SHORT * way.length) <= MUCH_LESS * change(way.length);
  if (own.change !== "unclear" && !isDoubted) return own;
  const clear = CLEAR_OF_WAY * Math.abs(compare.change([[way.j, way.toUser(way.from)]]));
  let last: Seen = { change: "unclear", distance: way.length };
  for (const part of PARTS) {
    const change = compare(moved(part * way.length), clear, true);
    if (change === "unclear") break;
    last = { change, distance: part * way.length };
  }
  return last;
}
