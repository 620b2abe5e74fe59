/**
 * How parameters move: the maps of src/fit/maps.ts, which TypeScript has too, for the parameters of
 * a restart, one or two at a time.
 */

import { MAP_ABOVE, MAP_BELOW, MAP_BETWEEN, MAP_BYTES, MAP_FREE } from "../../src/fit/layout";
import {
  aboveOf,
  aboveSlope,
  belowOf,
  belowSlope,
  betweenOf,
  betweenSlope,
  clamped,
} from "../../src/fit/maps";
import { expOf } from "./elementary";
import { mapAt, ParameterMap } from "./layout";

/** The map without its logarithm. */
function innerOf(map: usize, u: f64): f64 {
  const kind = <i32>mapAt(map).kind;
  const a = mapAt(map).a;
  const b = mapAt(map).b;
  if (kind == MAP_FREE) return u;
  if (kind == MAP_ABOVE) return aboveOf(a, b, u);
  if (kind == MAP_BELOW) return belowOf(a, b, u);
  return betweenOf(a, b, mapAt(map).lower, mapAt(map).upper, u);
}

function innerSlope(map: usize, u: f64): f64 {
  const kind = <i32>mapAt(map).kind;
  const b = mapAt(map).b;
  if (kind == MAP_FREE) return 1;
  if (kind == MAP_ABOVE) return aboveSlope(b, u);
  if (kind == MAP_BELOW) return belowSlope(b, u);
  return betweenSlope(b, u);
}

/** The parameter for an unlimited number. */
function toUser(map: usize, u: f64): f64 {
  const x = innerOf(map, u);
  if (mapAt(map).isLog == 0) return x;
  return clamped(expOf(x), mapAt(map).logLower, mapAt(map).logUpper);
}

/** The derivative of `toUser`. */
function slopeOf(map: usize, u: f64): f64 {
  const slope = innerSlope(map, u);
  return mapAt(map).isLog == 0 ? slope : slope * expOf(innerOf(map, u));
}

/** Two numbers, the second `next` bytes after the first; 0 bytes: the first alone. */
// @ts-ignore: decorator
@inline export function twoAt(at: usize, next: usize): v128 {
  return v128.load64_lane(at + next, v128.load64_zero(at), 1);
}

// @ts-ignore: decorator
@inline export function storeTwo(at: usize, next: usize, two: v128): void {
  v128.store64_lane(at + next, two, 1);
  v128.store64_lane(at, two, 0);
}

/**
 * The parameters at `users` and their slopes for the unlimited numbers at `trials`. They go by two:
 * divisions and roots take long, and two of them no longer than one.
 */
export function placeAll(
  maps: usize,
  trials: usize,
  users: usize,
  slopes: usize,
  count: i32,
): void {
  const bytes = (<usize>count) << 3;
  for (let at: usize = 0; at < bytes; at += 16) {
    const next: usize = at + 8 < bytes ? 8 : 0;
    const map = maps + (at >> 3) * MAP_BYTES;
    const nextMap = map + next * (MAP_BYTES >> 3);
    if (isPlain(map, MAP_FREE) && isPlain(nextMap, MAP_FREE)) {
      storeTwo(users + at, next, twoAt(trials + at, next));
      storeTwo(slopes + at, next, f64x2.splat(1));
    } else if (isPlain(map, MAP_BETWEEN) && isPlain(nextMap, MAP_BETWEEN)) {
      placeTwo(map, next, trials + at, users + at, slopes + at);
    } else {
      placeOne(map, trials + at, users + at, slopes + at);
      if (next != 0) placeOne(nextMap, trials + at + 8, users + at + 8, slopes + at + 8);
    }
  }
}

/** Whether a map is of one kind, without a logarithm. */
// @ts-ignore: decorator
@inline function isPlain(map: usize, kind: i32): bool {
  return mapAt(map).kind == <f64>kind && mapAt(map).isLog == 0;
}

function placeOne(map: usize, trial: usize, user: usize, slope: usize): void {
  const u = load<f64>(trial);
  store<f64>(user, toUser(map, u));
  store<f64>(slope, slopeOf(map, u));
}

/** `betweenOf` and `betweenSlope` for two parameters at once: the same operations on vectors. */
// @ts-ignore: decorator
@inline function placeTwo(map: usize, next: usize, trial: usize, user: usize, slope: usize): void {
  const nextMap = next * (MAP_BYTES >> 3);
  const u = twoAt(trial, next);
  const b = twoAt(map + offsetof<ParameterMap>("b"), nextMap);
  const square = f64x2.add(f64x2.splat(1), f64x2.mul(u, u));
  const root = f64x2.sqrt(square);
  const lower = twoAt(map + offsetof<ParameterMap>("lower"), nextMap);
  const upper = twoAt(map + offsetof<ParameterMap>("upper"), nextMap);
  let x = f64x2.add(
    twoAt(map + offsetof<ParameterMap>("a"), nextMap),
    f64x2.div(f64x2.mul(b, u), root),
  );
  if (!i64x2.all_true(v128.and(f64x2.lt(lower, x), f64x2.lt(x, upper))))
    x = f64x2.min(f64x2.max(x, lower), upper);
  storeTwo(user, next, x);
  storeTwo(slope, next, f64x2.div(b, f64x2.mul(square, root)));
}
