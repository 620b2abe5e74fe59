/**
 * How a parameter moves: a smooth, monotone map from a number without limits, which the optimiser
 * changes, to the parameter in the user's units.
 *
 *   free        x = u
 *   lower l     x = l + (u + √(u² + 4s²)) / 2       s: distance of the start from the bound
 *   upper h     x = h − (−u + √(u² + 4s²)) / 2
 *   l and h     x = (l + h)/2 + (h − l)/2 · u / √(1 + u²)
 *   log         any of these for log x
 *
 * The maps are algebraic: the same bits everywhere, and no overflow far out, where an exponential
 * map would be flat. Values and slopes are those of `../maps.ts`, which the machine has too; the
 * inverses, which only the start of a fit needs, are here.
 */

import { MAP_ABOVE, MAP_BELOW, MAP_BETWEEN, MAP_BYTES, MAP_FREE } from "../layout.js";
import {
  aboveFree,
  aboveLeft,
  aboveOf,
  aboveReach,
  aboveSlope,
  belowOf,
  belowSlope,
  betweenFree,
  betweenLeft,
  betweenOf,
  betweenReach,
  betweenSlope,
  clamped,
  pushOf,
} from "../maps.js";
import { exp, log } from "../math/elementary.js";
import { ParameterMap } from "../structures.js";

export interface Transform {
  /** The parameter for an unlimited number. */
  toUser(u: number): number;
  /** The unlimited number for a parameter strictly inside its bounds. */
  toFree(x: number): number;
  /** dx/du. */
  slope(u: number): number;
  /** The derivative of x by the number that its bounds are told in: by itself, or by its logarithm. */
  boundedSlope(u: number): number;
  /**
   * How far u would have to move at its slope to reach the bound towards which it falls (`isDown`) or rises; 0
   * where there is none, or it is not near.
   */
  reach(u: number, isDown: boolean): number;
  /**
   * The step towards the nearer bound of a parameter that is pressed against it; 0 where it is there as far as
   * numbers of this grain tell, undefined where it has none.
   */
  push(u: number, grain: number): number | undefined;
  /** The same map for the machine: a `ParameterMap`. */
  readonly numbers: readonly number[];
}

/** A map's numbers as they lie in the machine; fields that are not named are zero. */
function numbersOf(fields: Partial<ParameterMap>, from: readonly number[] = NO_NUMBERS): number[] {
  const doubles = [...from];
  Object.assign(new ParameterMap({ doubles }, 0), fields);
  return doubles;
}

const NO_NUMBERS: readonly number[] = new Array(MAP_BYTES / 8).fill(0);

const identity: Transform = {
  toUser: (u) => u,
  toFree: (x) => x,
  slope: () => 1,
  boundedSlope: () => 1,
  reach: () => 0,
  push: () => undefined,
  numbers: numbersOf({ kind: MAP_FREE }),
};

/** The inverse of `aboveOf`. */
const freeAbove = (lower: number, s: number, x: number): number =>
  aboveFree(s, x - (lower + s), x - lower);

/** `least` is the size that the numbers of a map have at least: those of a logarithm come from its exponential. */
function above(lower: number, s: number, least: number): Transform {
  const size = Math.max(least, Math.abs(lower));
  return {
    toUser: (u) => aboveOf(lower, s, u),
    toFree: (x) => freeAbove(lower, s, x),
    slope: (u) => aboveSlope(s, u),
    boundedSlope: () => 1,
    reach: (u, isDown) => (isDown ? aboveReach(s, u) : 0),
    push: (u, grain) => pushOf(u, aboveLeft(s, u), size, grain),
    numbers: numbersOf({ kind: MAP_ABOVE, a: lower, b: s }),
  };
}

function below(upper: number, s: number, least: number): Transform {
  const size = Math.max(least, Math.abs(upper));
  return {
    toUser: (u) => belowOf(upper, s, u),
    toFree: (x) => -freeAbove(-upper, s, -x),
    slope: (u) => belowSlope(s, u),
    boundedSlope: () => 1,
    reach: (u, isDown) => (isDown ? 0 : aboveReach(s, -u)),
    push: (u, grain) => pushOf(u, aboveLeft(s, u), size, grain),
    numbers: numbersOf({ kind: MAP_BELOW, a: upper, b: s }),
  };
}

function between(lower: number, upper: number, least: number): Transform {
  const middle = lower / 2 + upper / 2;
  const half = upper / 2 - lower / 2;
  const size = Math.max(least, Math.abs(middle) + half);
  return {
    toUser: (u) => betweenOf(middle, half, lower, upper, u),
    toFree: (x) => betweenFree((x - middle) / half),
    slope: (u) => betweenSlope(half, u),
    boundedSlope: () => 1,
    reach: (u, isDown) => (isDown === u < 0 ? betweenReach(u) : 0),
    push: (u, grain) => pushOf(u, betweenLeft(half, u), size, grain),
    numbers: numbersOf({ kind: MAP_BETWEEN, a: middle, b: half, lower, upper }),
  };
}

function linear(lower: number, upper: number, start: number, least = 0): Transform {
  if (lower === -Infinity && upper === Infinity) return identity;
  if (upper === Infinity) return above(lower, start - lower, least);
  if (lower === -Infinity) return below(upper, upper - start, least);
  return between(lower, upper, least);
}

/** The map for bounds (infinite where there are none) and a start strictly inside. */
export function makeTransform(
  lower: number,
  upper: number,
  start: number,
  isLog: boolean,
): Transform {
  if (!isLog) return linear(lower, upper, start);
  const inner = linear(lower <= 0 ? -Infinity : log(lower), log(upper), log(start), 1);
  const toUser = (u: number): number => clamped(exp(inner.toUser(u)), lower, upper);
  const slope = (u: number): number => inner.slope(u) * exp(inner.toUser(u));
  return {
    toUser,
    toFree: (x) => inner.toFree(log(x)),
    slope,
    boundedSlope: inner === identity ? slope : toUser,
    reach: inner.reach,
    push: inner.push,
    numbers: numbersOf({ isLog: 1, logLower: lower, logUpper: upper }, inner.numbers),
  };
}
