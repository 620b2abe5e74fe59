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
 * map would be flat.
 */

import { MAP_ABOVE, MAP_BELOW, MAP_BETWEEN, MAP_BYTES, MAP_FREE } from "../layout.js";
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

/** (u + √(u² + 4s²)) / 2 without cancellation. */
function softPlus(u: number, s: number): number {
  const root = Math.sqrt(u * u + 4 * s * s);
  return u >= 0 ? (u + root) / 2 : (2 * s * s) / (root - u);
}

function above(lower: number, s: number): Transform {
  return {
    toUser: (u) => lower + softPlus(u, s),
    toFree: (x) => x - lower - (s * s) / (x - lower),
    slope: (u) => softPlus(u, s) / Math.sqrt(u * u + 4 * s * s),
    numbers: numbersOf({ kind: MAP_ABOVE, a: lower, b: s }),
  };
}

function below(upper: number, s: number): Transform {
  const mirrored = above(-upper, s);
  return {
    toUser: (u) => -mirrored.toUser(-u),
    toFree: (x) => -mirrored.toFree(-x),
    slope: (u) => mirrored.slope(-u),
    numbers: numbersOf({ kind: MAP_BELOW, a: upper, b: s }),
  };
}

function between(lower: number, upper: number): Transform {
  const middle = lower / 2 + upper / 2;
  const half = upper / 2 - lower / 2;
  return {
    toUser: (u) => {
      const x = middle + (half * u) / Math.sqrt(1 + u * u);
      return Math.min(Math.max(x, lower), upper);
    },
    toFree: (x) => {
      const v = (x - middle) / half;
      return v / Math.sqrt((1 - v) * (1 + v));
    },
    slope: (u) => half / ((1 + u * u) * Math.sqrt(1 + u * u)),
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
    toUser: (u) => {
      const x = exp(inner.toUser(u));
      return Math.min(Math.max(x, lower), upper);
    },
    toFree: (x) => inner.toFree(log(x)),
    slope: (u) => inner.slope(u) * exp(inner.toUser(u)),
    numbers: numbersOf({ isLog: 1, logLower: lower, logUpper: upper }, inner.numbers),
  };
}
