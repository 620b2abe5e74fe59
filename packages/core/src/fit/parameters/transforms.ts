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
  aboveOf,
  aboveSlope,
  belowOf,
  belowSlope,
  betweenOf,
  betweenSlope,
  clamped,
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
  numbers: numbersOf({ kind: MAP_FREE }),
};

/** The inverse of `aboveOf`. */
const freeAbove = (lower: number, s: number, x: number): number =>
  x - lower - (s * s) / (x - lower);

function above(lower: number, s: number): Transform {
  return {
    toUser: (u) => aboveOf(lower, s, u),
    toFree: (x) => freeAbove(lower, s, x),
    slope: (u) => aboveSlope(s, u),
    numbers: numbersOf({ kind: MAP_ABOVE, a: lower, b: s }),
  };
}

function below(upper: number, s: number): Transform {
  return {
    toUser: (u) => belowOf(upper, s, u),
    toFree: (x) => -freeAbove(-upper, s, -x),
    slope: (u) => belowSlope(s, u),
    numbers: numbersOf({ kind: MAP_BELOW, a: upper, b: s }),
  };
}

function between(lower: number, upper: number): Transform {
  const middle = lower / 2 + upper / 2;
  const half = upper / 2 - lower / 2;
  return {
    toUser: (u) => betweenOf(middle, half, lower, upper, u),
    toFree: (x) => {
      const v = (x - middle) / half;
      return v / Math.sqrt((1 - v) * (1 + v));
    },
    slope: (u) => betweenSlope(half, u),
    numbers: numbersOf({ kind: MAP_BETWEEN, a: middle, b: half, lower, upper }),
  };
}

function linear(lower: number, upper: number, start: number): Transform {
  if (lower === -Infinity && upper === Infinity) return identity;
  if (upper === Infinity) return above(lower, start - lower);
  if (lower === -Infinity) return below(upper, upper - start);
  return between(lower, upper);
}

/** The map for bounds (infinite where there are none) and a start strictly inside. */
export function makeTransform(
  lower: number,
  upper: number,
  start: number,
  isLog: boolean,
): Transform {
  if (!isLog) return linear(lower, upper, start);
  const inner = linear(lower <= 0 ? -Infinity : log(lower), log(upper), log(start));
  return {
    toUser: (u) => clamped(exp(inner.toUser(u)), lower, upper),
    toFree: (x) => inner.toFree(log(x)),
    slope: (u) => inner.slope(u) * exp(inner.toUser(u)),
    numbers: numbersOf({ isLog: 1, logLower: lower, logUpper: upper }, inner.numbers),
  };
}
