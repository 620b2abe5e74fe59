/**
 * The control of a trace: guards, masks and merges, run forward. A guard stands wherever a number
 * decided something; a lane that fails one is no longer live.
 */

import {
  TRACE_AND,
  TRACE_AND_NOT,
  TRACE_EQUAL,
  TRACE_GATHER,
  TRACE_GUARD,
  TRACE_GUARD_INTEGER,
  TRACE_MERGE,
} from "../../src/program/layout";
import { equalForward, gatherForward, mergeForward } from "../kernels/merge";
import { isSurveying, live, liveLanes, noteStrays, validIndices } from "../lanes/lanes";
import { blockAt } from "../memory/layout";
import { run } from "../tape/payload";

/** Guards that refused at least one lane, over all replays of this machine. */
let guardsFailed: f64 = 0;

export function guardFailures(): f64 {
  return guardsFailed;
}

/** Guards have refused every lane: the rest of the trace concerns nobody. */
export let isForsaken: bool = false;

export function beginGuards(): void {
  isForsaken = false;
}

/** Lanes that say otherwise than the guard leave. */
function guard(at: usize, code: i32): void {
  const x = blockAt(at).x;
  const xMask = blockAt(at).xMask;
  const mask = blockAt(at).mask;
  const aux = blockAt(at).aux;
  const number = v128.splat<real>(<real>aux);
  let refused = i8x16.splat(0);
  for (let b: usize = 0; b < run; b += 16) {
    const seen = v128.load(x + (b & xMask));
    let holds: v128;
    if (code == TRACE_GUARD) holds = aux != 0 ? seen : v128.not(seen);
    else if (code == TRACE_GUARD_INTEGER) holds = v128.eq<real>(seen, number);
    else holds = validIndices(seen, aux);
    const alive = v128.load(live + b);
    const asked = mask == 0 ? alive : v128.and(alive, v128.load(mask + b));
    const leaving = v128.andnot(asked, holds);
    refused = v128.or(refused, leaving);
    v128.store(live + b, v128.andnot(alive, leaving));
  }
  if (!v128.any_true(refused)) return;
  guardsFailed += 1;
  if (liveLanes() == 0) isForsaken = true;
}

/** z = x and y, x and not y, or not x, lane by lane. */
function combineForward(at: usize, code: i32): void {
  const x = blockAt(at).x;
  const y = blockAt(at).y;
  const z = blockAt(at).z;
  const xMask = blockAt(at).xMask;
  const yMask = blockAt(at).yMask;
  const bytes = blockAt(at).zRun;
  const isSame = blockAt(at).in0 == blockAt(at).in1;
  if (isSurveying && blockAt(at).aux == 1 && bytes == run) noteStrays(isSame ? 0 : x, y);
  for (let b: usize = 0; b < bytes; b += 16) {
    const mine = v128.load(x + (b & xMask));
    const other = v128.load(y + (b & yMask));
    const both = code == TRACE_AND ? v128.and(mine, other) : v128.andnot(mine, other);
    v128.store(z + b, isSame && code == TRACE_AND_NOT ? v128.not(mine) : both);
  }
}

/** Runs a record of control. */
export function forwardTrace(at: usize, code: i32): void {
  switch (code) {
    case TRACE_AND:
    case TRACE_AND_NOT:
      combineForward(at, code);
      return;
    case TRACE_MERGE:
      mergeForward(at);
      return;
    case TRACE_EQUAL:
      equalForward(at);
      return;
    case TRACE_GATHER:
      gatherForward(at);
      return;
    default:
      guard(at, code);
  }
}
