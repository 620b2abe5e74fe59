/**
 * Twins: members that are one function, though they are written in two ways.
 *
 * Two members are compared where the data are and where they are not: on all rows, and between
 * neighbouring rows. They are one where they differ by less than the rows could ever tell: by a tenth of
 * the error that the noise leaves in a mean of all rows, or by rounding. That is asked twice: with all
 * constants fitted as real numbers, so that two ways to write one formula meet whatever simple numbers
 * each was given, and with the constants that users see, so that a 3 in a program and a constant that
 * is taken as 3 meet. So x·x and x², 1·f and f, and p·sin(x/1000) and a line are one, and an alias is no
 * twin of the wave that it meets on the rows.
 */

import type { Weighing } from "../types.js";
import type { Yardstick } from "./yardstick.js";

/** What a member predicts on all rows and between them, and the variance of what it leaves. */
export interface Likeness {
  readonly visit: number;
  readonly weighing: Weighing;
  /** With all constants as real numbers. */
  readonly values: Float64Array;
  /** With the constants that users see. */
  readonly shown: Float64Array;
  readonly variance: number;
}

/** Share of the variance of a mean of all rows that the mean square of a difference may have. */
const TWIN_SHARE = 0.01;

/** By the visit of each member that is the same function as a shorter one: that one's visit. */
export function twinsAmong(
  likenesses: readonly Likeness[],
  { rows, leastSquare }: Pick<Yardstick, "rows" | "leastSquare">,
): ReadonlyMap<number, number> {
  const twins = new Map<number, number>();
  const single: Likeness[] = [];
  for (const one of [...likenesses].sort(byLength)) {
    const twin = single.find(({ values, shown, variance }) => {
      const least = Math.max((TWIN_SHARE * variance) / rows, leastSquare);
      return (
        meanSquareBetween(one.values, values) <= least ||
        meanSquareBetween(one.shown, shown) <= least
      );
    });
    if (twin === undefined) single.push(one);
    else twins.set(one.visit, twin.visit);
  }
  return twins;
}

const byLength = (a: Likeness, b: Likeness): number =>
  a.weighing.length - b.weighing.length ||
  a.weighing.complexity - b.weighing.complexity ||
  a.visit - b.visit;

/** Infinite where one has a number and the other has none. */
function meanSquareBetween(a: Float64Array, b: Float64Array): number {
  let squares = 0;
  let count = 0;
  for (let i = 0; i < a.length; i++) {
    const [x, y] = [a[i] as number, b[i] as number];
    if (Number.isFinite(x) !== Number.isFinite(y)) return Number.POSITIVE_INFINITY;
    if (!Number.isFinite(x)) continue;
    squares += (x - y) * (x - y);
    count += 1;
  }
  return count === 0 ? Number.POSITIVE_INFINITY : squares / count;
}
