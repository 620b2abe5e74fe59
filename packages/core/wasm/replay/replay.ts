/**
 * Running the tape: forward for new inputs, backward for gradients.
 *
 * While control stays the same the tape is a straight-line program over payloads. Replay runs it
 * for the inputs that lie in the input payloads now; a guard stands wherever a number decided
 * something, and a lane that fails one is no longer live: the caller walks it again. Nothing is
 * generated; the records are data, linked once into operand blocks.
 *
 * Backward runs only records that the result depends on, lane by lane: 0 · ∞ from a number that
 * did not matter in a lane must not reach that lane's gradient. Where the trace merges lanes, each
 * payload has a mask of the lanes it was reached in; elsewhere one mark for all lanes does.
 */

import {
  BLOCK_BYTES,
  FAULT_MEMORY,
  FAULT_NONE,
  LINK_DONE,
  LINK_REFUSED,
  LINK_SPOILED,
  PAYLOAD_REACHED,
  RECORD_ACTIVE,
  RECORD_BYTES,
  RECORD_CODE,
  TRACE_BYTES,
  TRACE_GATHER,
  TRACE_GUARD,
  TRACE_MERGE,
} from "../../src/program/layout";
import {
  adjointElementwise,
  adjointsWritten,
  forwardElementwise,
  forwardPredicate,
  leavesSlope,
} from "../generated/elementwise";
import { OP_ELEMENTWISE_LAST, OP_PREDICATE_LAST } from "../generated/ops";
import { adjointStructured, forwardStructured } from "../generated/structured";
import { TILE_ANY, TILE_FIRST } from "../generated/tiles";
import { adjointAnyTile, forwardAnyTile } from "../generated/tiles-any";
import { adjointFullTile, forwardFullTile } from "../generated/tiles-full";
import { gatherAdjoint, mergeAdjoint } from "../kernels/merge";
import { isSurveying, live, liveLanes, reviveLanes, surveyStrays } from "../lanes/lanes";
import { structuredWritten } from "../linalg/shapes";
import {
  adjointBase,
  adjointTop,
  blocksBase,
  blocksTop,
  forgetBlocks,
  freeArenas,
  handArenas,
  loadArenas,
  primalBase,
  reachBase,
  reserveAdjoint,
  reserveBlocks,
  reserveReach,
  saveArenas,
  scratchBase,
  setAdjointTop,
  tapeBase,
  tapeTop,
} from "../memory/arena";
import { clearFault, fail, faultCode } from "../memory/fault";
import { blockAt, payloadAt, recordAt, traceAt } from "../memory/layout";
import { allocate, free } from "../memory/memory";
import {
  block,
  countOf,
  entryOf,
  fillAdjoints,
  flagsOf,
  isActive,
  isUniform,
  lanes,
  payloadCount,
  primalOf,
  run,
  setLanes,
} from "../tape/payload";
import { hasLaid, isGuarded, isMerging } from "../tape/recording";
import { fillFromRecord } from "../tape/tape";
import { FRESH_X, FRESH_Y, PASSED_X, PASSED_Y, placeAdjoints, standingBytes } from "./adjoints";
import { beginGuards, forwardTrace, isForsaken } from "./guards";
import { propagateReach, REACHED_ALL, REACHED_NONE, reachedLanes, reachOf } from "./reach";
import { beginRepeats, repeatsEarlier } from "./repeats";
import { linkTiles } from "./tiles";

/**
 * Links the tape: finds places for adjoints and fills one block a record. `result` is the payload
 * to differentiate, -1 for none. Returns LINK_REFUSED where memory does not allow it, and
 * LINK_SPOILED with a fault where there is not even room for adjoints: their places are no longer
 * those of the walk, so nothing can be differentiated.
 */
export function link(result: i32): i32 {
  const records = tapeTop / RECORD_BYTES;
  const areLaid = hasLaid();
  // The walk has made room for the scratch of every kernel.
  if (!reserveBlocks(records * BLOCK_BYTES)) {
    forgetBlocks();
    return LINK_REFUSED;
  }
  if (!placed(result) || !reserveAdjoint(adjointTop)) {
    forgetBlocks();
    fail(FAULT_MEMORY);
    return LINK_SPOILED;
  }
  // Inputs that the result does not depend on keep these zeros.
  clear(adjointBase, standing);
  hasControl = isGuarded;
  beginRepeats();
  let slope = adjointBase + slopesAt;
  for (let i: usize = 0; i < records; i++) {
    const at = blocksBase + i * BLOCK_BYTES;
    const record = tapeBase + i * RECORD_BYTES;
    let isDone = false;
    if (areLaid && blockAt(at).out >= 0) linkLaid(at, recordAt(record).op);
    else {
      isDone = repeatsEarlier(record);
      fillFromRecord(at, record, scratchBase);
    }
    linkFresh(at, isMerging);
    linkPassed(at);
    linkRow(at);
    if (isDone) blockAt(at).zRun = 0;
    if (!keepsSlope(record)) continue;
    blockAt(at).slope = slope | 1;
    slope += run;
  }
  if (!isMerging) linkTiles();
  return LINK_DONE;
}

/** Completes a block that the walk has laid; placing the adjoints has marked its record's op. */
// @ts-ignore: decorator
@inline function linkLaid(at: usize, op: i32): void {
  blockAt(at).op = op;
  if ((op & RECORD_ACTIVE) == 0) return;
  const out = blockAt(at).out;
  fillAdjoints(at, out, blockAt(at).in0, blockAt(at).in1);
}

/**
 * How the record at `at` begins the adjoints that it is the first to add to. Element-wise kernels
 * and those of 2 × 2 matrices do it on the way; others, and those that a lane may skip, find them
 * cleared.
 */
function linkFresh(at: usize, hasMerges: bool): void {
  const op = blockAt(at).op;
  const code = op & RECORD_CODE;
  const written = hasMerges ? 0 : writtenBy(at, code);
  const isFreshX = (op & FRESH_X) != 0;
  const isFreshY = (op & FRESH_Y) != 0;
  const writesX = isFreshX && (written & 1) != 0;
  const writesY = isFreshY && (written & 2) != 0;
  blockAt(at).xClear = isFreshX ? clearBytes(blockAt(at).in0) : 0;
  blockAt(at).yClear = isFreshY ? clearBytes(blockAt(at).in1) : 0;
  blockAt(at).xKept = writesX ? 0 : -1;
  blockAt(at).yKept = writesY ? 0 : -1;
  blockAt(at).op = op & ~((writesX ? FRESH_X : 0) | (writesY ? FRESH_Y : 0));
}

/** Adjoints that have taken over the result's place, or read it, need no work. */
// @ts-ignore: decorator
@inline function linkPassed(at: usize): void {
  const op = blockAt(at).op;
  if ((op & (PASSED_X | PASSED_Y)) == 0) return;
  if ((op & PASSED_X) != 0) blockAt(at).gx = 0;
  if ((op & PASSED_Y) != 0) blockAt(at).gy = 0;
  if (blockAt(at).gx == 0 && (blockAt(at).in1 < 0 || blockAt(at).gy == 0))
    blockAt(at).op = op & ~RECORD_ACTIVE;
}

/**
 * An element-wise operation on tensors that have numbers of their own in each lane is one on a
 * single row of numbers: elements follow each other.
 */
// @ts-ignore: decorator
@inline function linkRow(at: usize): void {
  const count = blockAt(at).count;
  if (count < 2 || (blockAt(at).op & RECORD_CODE) > OP_ELEMENTWISE_LAST) return;
  const isUnary = blockAt(at).in1 < 0;
  const masks = blockAt(at).zMask & blockAt(at).xMask & (isUnary ? <usize>-1 : blockAt(at).yMask);
  const step = blockAt(at).zRun;
  if (masks == 0 || blockAt(at).xStep != step || !(isUnary || blockAt(at).yStep == step)) return;
  blockAt(at).count = 1;
  blockAt(at).run = <usize>count * step;
  blockAt(at).zRun = <usize>count * step;
}

/** Which adjoints the kernel of a record can begin: bit 0 for x, bit 1 for y. */
function writtenBy(at: usize, code: i32): i32 {
  if (code <= OP_ELEMENTWISE_LAST) return adjointsWritten(code);
  if (code <= OP_PREDICATE_LAST || code >= TRACE_GUARD) return 0;
  return structuredWritten(code, blockAt(at).rows, blockAt(at).inner, blockAt(at).cols);
}

function placed(result: i32): bool {
  if (!placeAdjoints(result)) return false;
  standing = standingBytes;
  slopesAt = adjointTop;
  for (let at = tapeBase; at < tapeBase + tapeTop; at += RECORD_BYTES)
    if (keepsSlope(at)) setAdjointTop(adjointTop + run);
  return true;
}

/** Where the slopes that forward leaves begin: behind the adjoints. */
let slopesAt: usize = 0;

/**
 * Whether forward may leave slopes of an op in the current trace. One vector of doubles does not:
 * it is often a single lane, whose traces hand over what they share, and slopes cannot be.
 */
export function mayKeepSlope(code: i32): bool {
  return (sizeof<real>() == 4 || run > 16) && leavesSlope(code);
}

/** Whether forward leaves a record's slope for the adjoint. */
function keepsSlope(record: usize): bool {
  const op = recordAt(record).op;
  if ((op & RECORD_ACTIVE) == 0 || !mayKeepSlope(op & RECORD_CODE)) return false;
  const in0 = recordAt(record).in0;
  return countOf(in0) == 1 && !isUniform(in0);
}

function clearBytes(id: i32): u32 {
  return <u32>countOf(id) * <u32>run;
}

// ─── Traces that are kept ───────────────────────────────────────────────────

/** Bytes of adjoints that are cleared before a pass over the current trace. */
let standing: usize = 0;
/** Whether the current trace has guards, masks or merges. */
let hasControl: bool = true;

/** How many traces there are: the walk's own, and those that are kept. */
let traceCount: i32 = 0;

/** Whether no trace is kept. */
export function hasWalkOnly(): bool {
  return traceCount <= 1;
}

/** Gives the current trace, with its lanes, a block of its own; 0 where memory is short. */
export function keepTrace(): usize {
  const trace = allocate(<usize>TRACE_BYTES);
  if (trace == 0) return 0;
  traceCount += 1;
  saveTrace(trace);
  return trace;
}

/** As `keepTrace` for the walk's arenas, which are no longer those of `walk`. */
export function parkTrace(walk: usize): usize {
  const trace = keepTrace();
  if (trace == 0) return 0;
  for (let b: usize = 0; b < <usize>TRACE_BYTES; b += 4) store<u32>(walk + b, 0);
  return trace;
}

function saveTrace(trace: usize): void {
  saveArenas(trace);
  traceAt(trace).lanes = lanes;
  traceAt(trace).run = run;
  traceAt(trace).standing = standing;
  traceAt(trace).hasControl = hasControl ? 1 : 0;
}

function useTrace(trace: usize): void {
  loadArenas(trace);
  setLanes(traceAt(trace).lanes, traceAt(trace).run);
  standing = traceAt(trace).standing;
  hasControl = traceAt(trace).hasControl != 0;
}

/** Makes the trace `to` the current one in the place of `from`. */
export function switchTrace(from: usize, to: usize): void {
  saveTrace(from);
  formerPrimals = primalBase;
  useTrace(to);
}

/**
 * Frees a trace; where it was the `current` one, `walk` is that now. The walk takes its arenas
 * where it has none: so programs that come and go one after the other all run in the same memory.
 */
export function freeTrace(trace: usize, walk: usize, current: usize): void {
  saveTrace(current);
  if (!handArenas(trace, walk)) freeArenas(trace);
  free(trace);
  traceCount -= 1;
  useTrace(current == trace ? walk : current);
}

// ─── Forward ────────────────────────────────────────────────────────────────

/** The record whose guard refused the last lane, in the latest replay that had one. */
export let forsakenAt: i32 = -1;
/** The block that the next replay begins at, as an offset. */
let resumedAt: usize = 0;
/** Primals of the trace that was current before this one. */
let formerPrimals: usize = 0;

/**
 * Lets the next replay of the current trace begin at a record. What comes before it is what the
 * trace that was current before has just computed: the first `bytes` of its primals.
 */
export function resumeAt(record: i32, bytes: usize): void {
  memory.copy(primalBase, formerPrimals, bytes);
  resumedAt = <usize>record * BLOCK_BYTES;
}

/**
 * Runs the linked trace forward for `count` lanes of new inputs, as far as any lane goes. Returns
 * how many passed all guards.
 */
export function replay(count: i32): i32 {
  reviveLanes(count, run);
  beginGuards();
  forward();
  if (isForsaken) return 0;
  if (isSurveying) surveyStrays();
  return hasControl ? liveLanes() : count;
}

/** As `replay`; how many lanes passed all guards. Without guards nobody asks which lanes live. */
// @ts-ignore: decorator
@inline function replayLanes(count: i32): i32 {
  if (hasControl) return replay(count);
  forward();
  return count;
}

function forward(): void {
  const end = blocksBase + blocksTop;
  const from = blocksBase + resumedAt;
  resumedAt = 0;
  for (let at = from; at < end; at += BLOCK_BYTES) {
    const code = blockAt(at).op & RECORD_CODE;
    if (code <= OP_ELEMENTWISE_LAST) forwardElementwise(code, at);
    else if (code <= OP_PREDICATE_LAST) forwardPredicate(code, at);
    else if (code < TILE_FIRST) forwardStructured(code, at);
    else if (code < TILE_FIRST + TILE_ANY) forwardFullTile(code, at);
    else if (code < TRACE_GUARD) forwardAnyTile(code - TILE_ANY, at);
    else {
      forwardTrace(at, code);
      if (!isForsaken) continue;
      forsakenAt = <i32>((at - blocksBase) / BLOCK_BYTES);
      return;
    }
  }
}

// ─── Backward ───────────────────────────────────────────────────────────────

// @ts-ignore: decorator
@inline function adjointOf(at: usize, code: i32): void {
  if (code <= OP_ELEMENTWISE_LAST) adjointElementwise(code, at);
  else if (code < TILE_FIRST) adjointStructured(code, at);
  else if (code == TRACE_MERGE) mergeAdjoint(at);
  else if (code == TRACE_GATHER) gatherAdjoint(at);
  else if (code < TILE_FIRST + TILE_ANY) adjointFullTile(code, at);
  else adjointAnyTile(code - TILE_ANY, at);
}

/** Makes the adjoints ready for a pass. False and a fault where memory does not allow them. */
export function beginBackward(): bool {
  if (!reserveAdjoint(adjointTop)) {
    fail(FAULT_MEMORY);
    return false;
  }
  // Linked records clear what they are the first to add to.
  wipe(adjointBase, blocksTop != 0 ? standing : adjointTop);
  return true;
}

// @ts-ignore: decorator
@inline function clear(at: usize, bytes: usize): void {
  for (let b: usize = 0; b < bytes; b += 16) v128.store(at + b, i8x16.splat(0));
}

/** Up to so many bytes a loop is faster than a block operation, which leaves WebAssembly. */
const LOOP_BYTES_MAX: usize = 512;

/** Clears at least so many bytes of an arena, and no more than its last 16 begin before. */
function wipe(at: usize, bytes: usize): void {
  if (bytes <= LOOP_BYTES_MAX) clear(at, bytes);
  else memory.fill(at, 0, bytes);
}

// @ts-ignore: decorator
@inline function clearFresh(at: usize, op: i32): void {
  if ((op & FRESH_X) != 0) clear(blockAt(at).gx, blockAt(at).xClear);
  if ((op & FRESH_Y) != 0) clear(blockAt(at).gy, blockAt(at).yClear);
}

/** Address of a payload's adjoint, 0 where it has none. Valid until the next walk. */
export function adjointAddress(id: i32): usize {
  return isActive(id) ? adjointBase + <usize>payloadAt(entryOf(id)).adjoint : 0;
}

/** The block of record i, filled now where the tape is not linked. */
// @ts-ignore: decorator
@inline function blockOf(i: usize): usize {
  if (blocksTop != 0) return blocksBase + i * BLOCK_BYTES;
  fillFromRecord(block, tapeBase + i * RECORD_BYTES, scratchBase);
  return block;
}

/** As `blockOf` for a tape that is not linked; `areLaid`: scalars have theirs from the walk. */
// @ts-ignore: decorator
@inline function blockToPass(i: usize, areLaid: bool): usize {
  const at = blocksBase + i * BLOCK_BYTES;
  if (!areLaid || blockAt(at).out < 0) return blockOf(i);
  blockAt(at).op = recordAt(tapeBase + i * RECORD_BYTES).op;
  fillAdjoints(at, blockAt(at).out, blockAt(at).in0, blockAt(at).in1);
  blockAt(at).xKept = -1;
  blockAt(at).yKept = -1;
  return at;
}

// @ts-ignore: decorator
@inline function reachNeeded(hasMerges: bool): usize {
  return hasMerges ? <usize>payloadCount() * run : <usize>payloadCount();
}

/** Bytes of the adjoints that the widest record adds to. */
function keptNeeded(): usize {
  let most: usize = 0;
  for (let at = tapeBase; at < tapeBase + tapeTop; at += RECORD_BYTES) {
    if ((recordAt(at).op & RECORD_ACTIVE) == 0) continue;
    const in1 = recordAt(at).in1;
    const elements = countOf(recordAt(at).in0) + (in1 < 0 ? 0 : countOf(in1));
    most = max(most, <usize>elements * run);
  }
  return most;
}

/**
 * Makes room for all that passes over the current tape need besides adjoints, so that they cannot
 * fail later. False and a fault where memory does not allow it.
 */
export function reserveBackward(hasMerges: bool): bool {
  // The walk has made room for the scratch of every kernel.
  const hasRoom = reserveReach(reachNeeded(hasMerges)) && (!hasMerges || reserveKept(keptNeeded()));
  if (!hasRoom) fail(FAULT_MEMORY);
  return hasRoom;
}

/** Replays the tape in reverse from the result's payload. Returns the fault code. */
export function backward(result: i32, hasMerges: bool): i32 {
  if (!hasMerges && blocksTop != 0) {
    clearFault();
    backwardLinked();
    return faultCode;
  }
  const size = reachNeeded(hasMerges);
  if (!reserveReach(size)) {
    fail(FAULT_MEMORY);
    return faultCode;
  }
  clearFault();
  wipe(reachBase, size);
  if (hasMerges) backwardByLane(result);
  else backwardTogether(result);
  return faultCode;
}

/** The pass over linked records: those without a part in it are marked. */
function backwardLinked(): void {
  for (let at = blocksBase + blocksTop; at > blocksBase; ) {
    at -= BLOCK_BYTES;
    const op = blockAt(at).op;
    if ((op & RECORD_ACTIVE) == 0) continue;
    clearFresh(at, op);
    adjointOf(at, op & RECORD_CODE);
  }
}

function backwardTogether(result: i32): void {
  store<u8>(reachBase + <usize>result, 1);
  const areLaid = hasLaid();
  for (let i = tapeTop / RECORD_BYTES; i > 0; ) {
    i -= 1;
    const from = tapeBase + i * RECORD_BYTES;
    const op = recordAt(from).op;
    if ((op & RECORD_ACTIVE) == 0) continue;
    if (load<u8>(reachBase + <usize>(<u32>recordAt(from).out)) == 0) continue;
    const at = blockToPass(i, areLaid);
    adjointOf(at, op & RECORD_CODE);
    store<u8>(reachBase + <usize>(<u32>blockAt(at).in0), 1);
    const in1 = blockAt(at).in1;
    if (in1 >= 0 && (op & RECORD_CODE) != TRACE_GATHER) store<u8>(reachBase + <usize>in1, 1);
  }
}

function backwardByLane(result: i32): void {
  memory.copy(reachOf(result), live, run);
  for (let i = tapeTop / RECORD_BYTES; i > 0; ) {
    i -= 1;
    if ((recordAt(tapeBase + i * RECORD_BYTES).op & RECORD_ACTIVE) == 0) continue;
    const at = blockOf(i);
    const op = blockAt(at).op;
    clearFresh(at, op);
    const code = op & RECORD_CODE;
    const out = reachOf(blockAt(at).out);
    const reached = reachedLanes(out);
    if (reached == REACHED_NONE) continue;
    if (reached == REACHED_ALL) adjointOf(at, code);
    else adjointInLanes(at, code, out);
    propagateReach(at, code, out);
  }
}

/** Whether the latest backward pass came to a payload, in any live lane. */
export function isReached(id: i32, hasMerges: bool): bool {
  if (!hasMerges && blocksTop != 0) return (flagsOf(id) & PAYLOAD_REACHED) != 0;
  if (!hasMerges) return load<u8>(reachBase + <usize>id) != 0;
  return reachedLanes(reachOf(id)) != REACHED_NONE;
}

let keptBase: usize = 0;
let keptBytes: usize = 0;

function reserveKept(bytes: usize): bool {
  if (bytes <= keptBytes) return true;
  free(keptBase);
  keptBase = allocate(bytes);
  keptBytes = keptBase == 0 ? 0 : bytes;
  return keptBase != 0;
}

/** Gives the room for adjoints that are put back. */
export function releaseKept(): void {
  free(keptBase);
  keptBase = keptBytes = 0;
}

/** Runs an adjoint and then puts the lanes outside the mark back as they were. */
function adjointInLanes(at: usize, code: i32, mark: usize): void {
  const gx = blockAt(at).gx;
  const gy: usize = blockAt(at).in1 < 0 ? 0 : blockAt(at).gy;
  const xBytes: usize = gx == 0 ? 0 : <usize>countOf(blockAt(at).in0) * run;
  const yBytes: usize = gy == 0 ? 0 : <usize>countOf(blockAt(at).in1) * run;
  if (!reserveKept(xBytes + yBytes)) {
    fail(FAULT_MEMORY);
    return;
  }
  memory.copy(keptBase, gx, xBytes);
  memory.copy(keptBase + xBytes, gy, yBytes);
  adjointOf(at, code);
  blend(gx, keptBase, xBytes, mark);
  blend(gy, keptBase + xBytes, yBytes, mark);
}

function blend(target: usize, kept: usize, bytes: usize, mark: usize): void {
  for (let from: usize = 0; from < bytes; from += run) {
    for (let b: usize = 0; b < run; b += 16) {
      const fresh = v128.load(target + from + b);
      const old = v128.load(kept + from + b);
      v128.store(target + from + b, v128.bitselect(fresh, old, v128.load(mark + b)));
    }
  }
}

/**
 * Replays the linked trace, whose value is the scalar payload `value`, for `count` lanes and, with
 * a `result` to differentiate, runs it back from an adjoint of one in every lane. Returns how many
 * lanes passed all guards: numbers are valid in those only. -1 after a fault: then nothing is.
 */
export function replayGradient(count: i32, value: i32, result: i32, hasMerges: bool): i32 {
  const passed = replayLanes(count);
  if (passed == 0) return 0;
  canonicalise(primalOf(value), isUniform(value) ? 16 : run);
  if (result < 0) return passed;
  seedOnes(result);
  if (adjointAddress(result) != 0 && backward(result, hasMerges) != FAULT_NONE) return -1;
  canonicalise(adjointBase, standing);
  return passed;
}

/**
 * As `replayGradient` for lanes that must all pass, from a result that is seeded, NaNs left as they
 * come; whether they did.
 */
export function replayAllLanes(count: i32, result: i32, hasMerges: bool): bool {
  if (replayLanes(count) != count) return false;
  return adjointAddress(result) == 0 || backward(result, hasMerges) == FAULT_NONE;
}

/** An adjoint of one in every lane for the result, where it has one. */
export function seedOnes(result: i32): void {
  const seed = adjointAddress(result);
  if (seed == 0) return;
  const one = v128.splat<real>(1);
  for (let b: usize = 0; b < run; b += 16) v128.store(seed + b, one);
}

/** Gives every NaN the same bits. */
function canonicalise(at: usize, bytes: usize): void {
  const nan = v128.splat<real>(<real>NaN);
  for (let b: usize = 0; b < bytes; b += 16) {
    const numbers = v128.load(at + b);
    v128.store(at + b, v128.bitselect(numbers, nan, v128.eq<real>(numbers, numbers)));
  }
}
