/**
 * The lanes that a backward pass has reached, where the trace merges lanes: a mask over the lanes
 * for every payload.
 */

import { TRACE_GATHER, TRACE_MERGE } from "../../src/program/layout";
import { live } from "../lanes/lanes";
import { reachBase } from "../memory/arena";
import { blockAt } from "../memory/layout";
import { run } from "../tape/payload";

/** The mask of a payload. */
// @ts-ignore: decorator
@inline export function reachOf(id: i32): usize {
  return reachBase + <usize>id * run;
}

// @ts-ignore: decorator
@inline export const REACHED_NONE: i32 = 0;
// @ts-ignore: decorator
@inline export const REACHED_SOME: i32 = 1;
// @ts-ignore: decorator
@inline export const REACHED_ALL: i32 = 2;

/** How many of the live lanes a mark covers. Lanes that are not live do not matter. */
export function reachedLanes(mark: usize): i32 {
  let some = i8x16.splat(0);
  let missing = i8x16.splat(0);
  for (let b: usize = 0; b < run; b += 16) {
    const alive = v128.load(live + b);
    const here = v128.load(mark + b);
    some = v128.or(some, v128.and(alive, here));
    missing = v128.or(missing, v128.andnot(alive, here));
  }
  if (!v128.any_true(some)) return REACHED_NONE;
  return v128.any_true(missing) ? REACHED_SOME : REACHED_ALL;
}

/** Marks the operands of a record in the lanes that its result was reached in; no index is one. */
export function propagateReach(at: usize, code: i32, out: usize): void {
  const in0 = reachOf(blockAt(at).in0);
  const in1 = blockAt(at).in1;
  const second: usize = in1 < 0 || code == TRACE_GATHER ? 0 : reachOf(in1);
  const mask: usize = code == TRACE_MERGE ? blockAt(at).mask : 0;
  for (let b: usize = 0; b < run; b += 16) {
    const here = v128.load(out + b);
    const chosen = mask == 0 ? here : v128.and(here, v128.load(mask + b));
    v128.store(in0 + b, v128.or(v128.load(in0 + b), chosen));
    if (second == 0) continue;
    const other = mask == 0 ? here : v128.andnot(here, v128.load(mask + b));
    v128.store(second + b, v128.or(v128.load(second + b), other));
  }
}
