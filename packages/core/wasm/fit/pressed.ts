/**
 * Parameters with bounds, as Levenberg and Marquardt's method moves them: by steps in the user's
 * units, or in logarithms on a log scale, that end before the bound.
 *
 * The unlimited number of a parameter is only how its place is kept. By it a linear model is good
 * far from bounds alone; in the user's units the loss is as linear beside a bound as anywhere, and
 * a parameter that came near one goes back as easily as it came. Distances to bounds are computed
 * without cancellation, so that they hold where the parameter itself is its bound to all digits.
 * Far from bounds a step goes by the distance from where the number is 0, which has more digits.
 *
 * A step leaves a share of the way to a bound, so that the program is never evaluated at it; of a
 * parameter that is pressed, a small one. Where the way that is left is worth nothing any more, or
 * rounding hides it, the parameter stays.
 */

import { MAP_ABOVE, MAP_BELOW, MAP_BETWEEN, MAP_BYTES, MAP_FREE } from "../../src/fit/layout";
import {
  APPROACH,
  aboveDistance,
  aboveMoved,
  betweenLeft,
  betweenMoved,
  GRAIN_DOUBLE,
  GRAIN_SINGLE,
  isApart,
  NEAR,
  PUSH,
} from "../../src/fit/maps";
import { fitAt, mapAt } from "./layout";

const GRAIN: f64 = sizeof<real>() == 8 ? GRAIN_DOUBLE : GRAIN_SINGLE;

// @ts-ignore: decorator
@inline function mapOf(fit: usize, j: i32): usize {
  return fit + fitAt(fit).mapsAt + <usize>j * MAP_BYTES;
}

/** Whether parameter j has no bound. */
// @ts-ignore: decorator
@inline export function isFree(fit: usize, j: i32): bool {
  return <i32>mapAt(mapOf(fit, j)).kind == MAP_FREE;
}

/** The slope of parameter j, which is x, by the number that its bounds are told in. */
export function boundedSlope(fit: usize, j: i32, x: f64): f64 {
  return mapAt(mapOf(fit, j)).isLog == 0 ? 1 : x;
}

/** What a step of parameter j, which is x and has the number u, is small beside. */
export function sizeOf(fit: usize, j: i32, x: f64, u: f64): f64 {
  if (isFree(fit, j)) return Math.abs(u);
  return mapAt(mapOf(fit, j)).isLog == 0 ? Math.abs(x) : 1;
}

/** How far parameter j may go down, or up, until it is at its bound: Infinity without one. */
export function leftOf(fit: usize, j: i32, u: f64, isDown: bool): f64 {
  const map = mapOf(fit, j);
  const kind = <i32>mapAt(map).kind;
  const b = mapAt(map).b;
  if (kind == MAP_BETWEEN) {
    const nearer = betweenLeft(b, u);
    return isDown == u < 0 ? nearer : 2 * b - nearer;
  }
  if (kind == MAP_FREE || isDown != (kind == MAP_ABOVE)) return Infinity;
  return aboveDistance(b, isDown ? u : -u);
}

/** Whether a bound that is `left` away is near, by the map's own unit. */
export function isNear(fit: usize, j: i32, left: f64): bool {
  return left <= NEAR * mapAt(mapOf(fit, j)).b;
}

/** How far a step of parameter j may go to a bound that is `left` away; 0: numbers tell no more. */
export function roomOf(fit: usize, j: i32, u: f64, left: f64, isDown: bool): f64 {
  if (left == Infinity) return left;
  const map = mapOf(fit, j);
  const half = <i32>mapAt(map).kind == MAP_BETWEEN ? mapAt(map).b : 0;
  const middle = mapAt(map).a;
  // The map computes in double precision, the program in that of its numbers.
  const bound = Math.abs(isDown ? middle - half : middle + half);
  const hidden = GRAIN * max(bound, mapAt(map).isLog) + GRAIN_DOUBLE * (Math.abs(middle) + half);
  if (!isApart(u, left, 1, hidden)) return 0;
  return left * (1 - (isNear(fit, j, left) ? 1 / PUSH : APPROACH));
}

/** The unlimited number of parameter j after a step that stays within its bounds. */
export function movedBy(fit: usize, j: i32, u: f64, step: f64): f64 {
  const map = mapOf(fit, j);
  const kind = <i32>mapAt(map).kind;
  if (kind == MAP_FREE) return u + step;
  if (step == 0) return u;
  const b = mapAt(map).b;
  if (kind == MAP_ABOVE) return aboveMoved(b, u, step);
  return kind == MAP_BELOW ? -aboveMoved(b, -u, -step) : betweenMoved(b, u, step);
}
