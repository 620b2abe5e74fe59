/**
 * How parameters move, as src/fit/transforms.ts has it, bit for bit: smooth maps from a number
 * without limits to the parameter in the user's units, and their slopes.
 */

import {
  MAP_A,
  MAP_ABOVE,
  MAP_B,
  MAP_BELOW,
  MAP_FREE,
  MAP_IS_LOG,
  MAP_KIND,
  MAP_LOG_LOWER,
  MAP_LOG_UPPER,
  MAP_LOWER,
  MAP_UPPER,
} from "../src/program/layout";
import { expOf } from "./elementary";

/** (u + √(u² + 4s²)) / 2 without cancellation. */
function softPlus(u: f64, s: f64): f64 {
  const root = Math.sqrt(u * u + 4 * s * s);
  return u >= 0 ? (u + root) / 2 : (2 * s * s) / (root - u);
}

/** The map without its logarithm. */
function innerOf(map: usize, u: f64): f64 {
  const kind = <i32>load<f64>(map, MAP_KIND);
  const a = load<f64>(map, MAP_A);
  const b = load<f64>(map, MAP_B);
  if (kind == MAP_FREE) return u;
  if (kind == MAP_ABOVE) return a + softPlus(u, b);
  if (kind == MAP_BELOW) return -(-a + softPlus(-u, b));
  const x = a + (b * u) / Math.sqrt(1 + u * u);
  return min(max(x, load<f64>(map, MAP_LOWER)), load<f64>(map, MAP_UPPER));
}

function innerSlope(map: usize, u: f64): f64 {
  const kind = <i32>load<f64>(map, MAP_KIND);
  const b = load<f64>(map, MAP_B);
  if (kind == MAP_FREE) return 1;
  if (kind == MAP_ABOVE) return softPlus(u, b) / Math.sqrt(u * u + 4 * b * b);
  if (kind == MAP_BELOW) return softPlus(-u, b) / Math.sqrt(u * u + 4 * b * b);
  return b / ((1 + u * u) * Math.sqrt(1 + u * u));
}

/** Whether the parameter is the number itself. */
// @ts-ignore: decorator
@inline export function isFree(map: usize): bool {
  return load<f64>(map, MAP_KIND) == <f64>MAP_FREE && load<f64>(map, MAP_IS_LOG) == 0;
}

/** The parameter for an unlimited number. */
export function toUser(map: usize, u: f64): f64 {
  const x = innerOf(map, u);
  if (load<f64>(map, MAP_IS_LOG) == 0) return x;
  return min(max(expOf(x), load<f64>(map, MAP_LOG_LOWER)), load<f64>(map, MAP_LOG_UPPER));
}

/** The derivative of `toUser`. */
export function slopeOf(map: usize, u: f64): f64 {
  const slope = innerSlope(map, u);
  return load<f64>(map, MAP_IS_LOG) == 0 ? slope : slope * expOf(innerOf(map, u));
}
