/**
 * Where a parameter that is close to a bound may go instead: places inside, further and further away from
 * the bound, by shares of the way from it to the start or to the other bound.
 *
 * Close to a bound the map of a parameter is so flat that neither steps nor falls of the loss show a slope
 * that leads inwards, so whoever says that a parameter is at its bound looks at these places. So does whoever says
 * that one on a log scale has arrived far below its start: as it runs to 0, its slope by the logarithm vanishes too.
 */

import { exp, log } from "../math/elementary.js";
import type { Free } from "./parameters.js";

/** Shares of the way: small ones for a loss that soon rises again, large ones where rounding hides short ways. */
const SHARES = [1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1];

/** A parameter is close to a bound up to this share of the way. */
const CLOSE = 1e-3;

/** Shares of its start that a parameter on a log scale may be instead of 0. */
const UP = [1e-12, 1e-9, 1e-6, 1e-4, 1e-3, 1e-2, 1e-1, 1];

/** Values inside of a bound that x is close to, the nearest first; none elsewhere. */
export function inwardsOf(one: Free, x: number, start: number): readonly number[] {
  const { lower, upper, isLog } = one;
  if (isLog && lower <= 0 && x <= CLOSE * start)
    return UP.filter((each) => each * start > 2 * x).map((each) => each * start);
  const to = isLog ? log : (value: number): number => value;
  const back = isLog ? exp : (value: number): number => value;
  return [lower, upper].flatMap((bound, at) => {
    if (!Number.isFinite(bound) || (isLog && bound <= 0)) return [];
    const other = at === 0 ? upper : lower;
    const ways = [other, start]
      .filter((end) => Number.isFinite(end) && end !== bound && !(isLog && end <= 0))
      .map((end) => to(end) - to(bound));
    const way = ways.reduce((least, each) => (Math.abs(each) < Math.abs(least) ? each : least));
    const share = (to(x) - to(bound)) / way;
    if (!(share <= CLOSE)) return [];
    return SHARES.filter((each) => each > 2 * share).map((each) => back(to(bound) + each * way));
  });
}
