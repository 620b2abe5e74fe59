/**
 * Branches that lanes take both ways. One side runs for the lanes that want it, then the other,
 * each until it has an outcome: a value, or a pending tail call or recur that must not replace a
 * frame the other side still needs. Then the outcomes become one again:
 *
 *   value and value            merge by lane
 *   recur and recur, same loop merge the operands, go on together
 *   call and call, same callee merge the arguments, go on together
 *   value and recur            the recur goes on alone, the value waits for its end
 *   anything and a call        the call runs to its value
 *   recurs of two loops        the inner one goes on, the outer one waits
 *
 * What cannot become one (structure that differs) parts: the smaller side leaves the walk and is
 * walked again by the caller. A side no lane is left in is dead and simply drops out.
 *
 * A mix is one entry of this stack:
 *
 *   byte 0 context before | 8 then-mask | 16 else-mask | 24, 32 values of the outcomes
 *        40 cell | 44 stack | 48 frame | 52 control (offsets at the branch)
 *        56, 60 kinds | 64, 68 cells | 72, 76 first operands | 80, 84 operand counts
 *        88 side that runs | 92 recurs to slots below this are outcomes
 *        96 tail calls from frames up to this are outcomes | 100 operands before | 104 bytes in all
 *
 * Masks are kept as values, so that compaction finds them; saved operands lie in an arena of
 * their own. Only the newest mix intercepts: code outside it cannot run before it is over.
 */

import {
  FAULT_MEMORY,
  FAULT_RECURSION,
  IMAGE_CONTROL,
  IMAGE_STACK,
  TAG_CLOSURE,
  TAG_MASK,
} from "../src/program/layout";
import { controlBase, stackBase } from "./arena";
import { flushSteps, refuel } from "./budget";
import { fail } from "./fault";
import { lambdaOf } from "./heap";
import { contextWhere, countingLanes, countMixed, dropMask, lanesIn } from "./lanes";
import { allocate, free } from "./memory";
import { canMerge, mergeValues } from "./numeric";
import { context, setContext } from "./payload";
import {
  cellAt,
  FRAME_BYTES,
  FRAME_SIDE,
  NEXT_CELL,
  NEXT_FAULT,
  NEXT_OVER,
  NEXT_VALUE,
  push,
  pushFrame,
  reserve,
  Walk,
  word,
} from "./registers";
import { dataOf, tagOf, VALUE_FAIL, VALUE_NIL, valueOf } from "./value";

const MIX_BYTES: usize = 104;
const MIX_CONTEXT: usize = 0;
const MIX_MASKS: usize = 8;
const MIX_VALUES: usize = 24;
const MIX_CELL: usize = 40;
const MIX_STACK: usize = 44;
const MIX_FRAME: usize = 48;
const MIX_CONTROL: usize = 52;
const MIX_KINDS: usize = 56;
const MIX_CELLS: usize = 64;
const MIX_OPERANDS: usize = 72;
const MIX_COUNTS: usize = 80;
const MIX_SIDE: usize = 88;
const MIX_SLOTS: usize = 92;
const MIX_FRAMES: usize = 96;
const MIX_SAVED: usize = 100;

const NONE: i32 = 0;
const DEAD: i32 = 1;
const VALUE: i32 = 2;
const RECUR: i32 = 3;
const CALL: i32 = 4;

let mixBase: usize = 0;
let mixBytes: usize = 0;
export let mixTop: usize = 0;
let savedBase: usize = 0;
let savedBytes: usize = 0;
let savedTop: usize = 0;

/** Offsets below which a recur, and up to which a frame's tail call, is an outcome. 0: none. */
export let interceptSlots: usize = 0;
export let interceptFrames: usize = 0;

export function beginMix(): void {
  mixTop = 0;
  savedTop = 0;
  interceptSlots = 0;
  interceptFrames = 0;
}

// @ts-ignore: decorator
@inline function newest(): usize {
  return mixBase + mixTop - MIX_BYTES;
}

/** A field of 4 bytes that exists for each side. */
// @ts-ignore: decorator
@inline function sided(mix: usize, field: usize, side: i32): usize {
  return mix + field + (<usize>side << 2);
}

// @ts-ignore: decorator
@inline function maskOf(mix: usize, side: i32): i32 {
  return dataOf(load<u64>(mix + MIX_MASKS + (<usize>side << 3)));
}

// @ts-ignore: decorator
@inline function kindOfSide(mix: usize, side: i32): i32 {
  return load<i32>(sided(mix, MIX_KINDS, side));
}

// @ts-ignore: decorator
@inline function maskValue(mask: i32): u64 {
  return mask < 0 ? VALUE_NIL : valueOf(TAG_MASK, mask);
}

function growTo(base: usize, used: usize, have: usize, needed: usize): usize {
  const fresh = allocate(max(needed, max<usize>(have * 2, 1024)));
  if (fresh == 0) return 0;
  memory.copy(fresh, base, used);
  free(base);
  return fresh;
}

function reserveMix(): bool {
  if (mixTop + MIX_BYTES <= mixBytes) return true;
  const fresh = growTo(mixBase, mixTop, mixBytes, mixTop + MIX_BYTES);
  if (fresh == 0) return false;
  mixBase = fresh;
  mixBytes = load<u32>(fresh - 16);
  return true;
}

function reserveSaved(bytes: usize): bool {
  if (savedTop + bytes <= savedBytes) return true;
  const fresh = growTo(savedBase, savedTop, savedBytes, savedTop + bytes);
  if (fresh == 0) return false;
  savedBase = fresh;
  savedBytes = load<u32>(fresh - 16);
  return true;
}

/** Opens a mix at the if cell `at`: the then side runs first. `mask` is the lane-varying test. */
export function openMix(at: usize, mask: i32): i32 {
  const then = contextWhere(mask, true);
  const otherwise = then < 0 ? -1 : contextWhere(mask, false);
  if (otherwise < 0) return NEXT_FAULT;
  if (!reserveMix()) {
    fail(FAULT_MEMORY);
    return NEXT_FAULT;
  }
  countMixed();
  const mix = mixBase + mixTop;
  mixTop += MIX_BYTES;
  memory.fill(mix, 0, MIX_BYTES);
  store<u64>(mix + MIX_CONTEXT, maskValue(context));
  store<u64>(mix + MIX_MASKS, maskValue(then));
  store<u64>(mix + MIX_MASKS + 8, maskValue(otherwise));
  store<u64>(mix + MIX_VALUES, VALUE_NIL);
  store<u64>(mix + MIX_VALUES + 8, VALUE_NIL);
  store<usize>(mix + MIX_CELL, at);
  store<usize>(mix + MIX_STACK, Walk.stackPtr - stackBase);
  store<usize>(mix + MIX_FRAME, Walk.framePtr - stackBase);
  store<usize>(mix + MIX_CONTROL, Walk.controlPtr - controlBase);
  store<usize>(mix + MIX_SAVED, savedTop);
  return runSide(mix, 0);
}

/** Goes on for the lanes of a mask; false where none is left. */
function enter(mask: i32): bool {
  flushSteps();
  setContext(mask);
  refuel();
  return countingLanes() != 0;
}

/** Starts a side of the newest mix at its branch. */
function runSide(mix: usize, side: i32): i32 {
  store<i32>(mix + MIX_SIDE, side);
  if (!enter(maskOf(mix, side))) return outcome(DEAD);
  if (!backToBranch(mix)) return NEXT_FAULT;
  protect(mix, load<usize>(mix + MIX_STACK), load<usize>(mix + MIX_STACK));
  Walk.cell = cellAt(word(load<usize>(mix + MIX_CELL), 3 + side));
  return NEXT_CELL;
}

/** Stacks as they were at the branch, with the frame on top that receives a side's value. */
function backToBranch(mix: usize): bool {
  Walk.stackPtr = stackBase + load<usize>(mix + MIX_STACK);
  Walk.framePtr = stackBase + load<usize>(mix + MIX_FRAME);
  Walk.controlPtr = controlBase + load<usize>(mix + MIX_CONTROL);
  // The encoder's depths do not know of this frame, so the procedure's needs are met again.
  const callee = load<u64>(Walk.framePtr - 8);
  const isProcedure = tagOf(callee) == TAG_CLOSURE;
  const lambda = isProcedure ? cellAt(lambdaOf(dataOf(callee))) : 0;
  const slots = isProcedure ? word(lambda, 5) : word(Walk.image, IMAGE_STACK);
  const frames = isProcedure ? word(lambda, 6) : word(Walk.image, IMAGE_CONTROL);
  if (!reserve(<usize>slots, <usize>frames + 2)) {
    fail(FAULT_RECURSION);
    return false;
  }
  pushFrame(FRAME_SIDE, 0, 0, 0);
  return true;
}

function protect(mix: usize, slots: usize, frames: usize): void {
  store<usize>(mix + MIX_SLOTS, slots);
  store<usize>(mix + MIX_FRAMES, frames);
  interceptSlots = slots;
  interceptFrames = frames;
}

/** The side that runs has come to its end. */
function outcome(kind: i32): i32 {
  flushSteps();
  const mix = newest();
  const side = load<i32>(mix + MIX_SIDE);
  store<i32>(sided(mix, MIX_KINDS, side), kind);
  if (side == 0 && kindOfSide(mix, 1) == NONE) return runSide(mix, 1);
  return combine(mix);
}

/** A value came to the frame of the newest mix. */
export function sideValue(): i32 {
  const mix = newest();
  store<u64>(mix + MIX_VALUES + (<usize>load<i32>(mix + MIX_SIDE) << 3), Walk.value);
  return outcome(VALUE);
}

/** The counting lanes are gone: what ran for them is dead. */
export function contextDied(): i32 {
  return mixTop == 0 ? NEXT_OVER : outcome(DEAD);
}

/** A recur (`count` operands) or tail call (callee and arguments) on the stack becomes an outcome. */
export function intercept(at: usize, count: i32, isRecur: bool): i32 {
  const bytes = <usize>count << 3;
  if (!reserveSaved(bytes)) {
    fail(FAULT_MEMORY);
    return NEXT_FAULT;
  }
  const mix = newest();
  const side = load<i32>(mix + MIX_SIDE);
  memory.copy(savedBase + savedTop, Walk.stackPtr - bytes, bytes);
  store<usize>(sided(mix, MIX_OPERANDS, side), savedTop);
  store<i32>(sided(mix, MIX_COUNTS, side), count);
  store<usize>(sided(mix, MIX_CELLS, side), at);
  savedTop += bytes;
  return outcome(isRecur ? RECUR : CALL);
}

/** First slot of the loop a recur belongs to, as an offset. */
function slotsOf(mix: usize, side: i32): usize {
  const at = load<usize>(sided(mix, MIX_CELLS, side));
  const depth = word(at, 4 + load<i32>(sided(mix, MIX_COUNTS, side)));
  return load<usize>(mix + MIX_FRAME) + (<usize>depth << 3);
}

/** Both sides have outcomes: one way to go on. */
function combine(mix: usize): i32 {
  const first = kindOfSide(mix, 0);
  const second = kindOfSide(mix, 1);
  if (first == DEAD || second == DEAD) return resolve(mix, first == DEAD ? 1 : 0);
  if (first == VALUE && second == VALUE) return combineValues(mix);
  if (first == CALL && second == CALL && sameCallee(mix)) return combineOperands(mix);
  if (first == CALL) return runCall(mix, 0);
  if (second == CALL) return runCall(mix, 1);
  if (first == VALUE) return goOn(mix, 1);
  if (second == VALUE) return goOn(mix, 0);
  const a = slotsOf(mix, 0);
  const b = slotsOf(mix, 1);
  if (a == b) return combineOperands(mix);
  return goOn(mix, a > b ? 0 : 1);
}

function sameCallee(mix: usize): bool {
  if (load<i32>(mix + MIX_COUNTS) != load<i32>(mix + MIX_COUNTS + 4)) return false;
  const a = savedBase + load<usize>(mix + MIX_OPERANDS);
  const b = savedBase + load<usize>(mix + MIX_OPERANDS + 4);
  return load<u64>(a) == load<u64>(b);
}

/** The smaller side leaves the walk; the other goes on alone. */
function part(mix: usize): i32 {
  const smaller = lanesIn(maskOf(mix, 0)) < lanesIn(maskOf(mix, 1)) ? 0 : 1;
  setContext(-1);
  if (!dropMask(maskOf(mix, smaller))) return NEXT_FAULT;
  return resolve(mix, 1 - smaller);
}

function combineValues(mix: usize): i32 {
  const a = load<u64>(mix + MIX_VALUES);
  const b = load<u64>(mix + MIX_VALUES + 8);
  if (!canMerge(a, b)) return part(mix);
  setContext(contextBefore(mix));
  const merged = mergeValues(a, b, maskOf(mix, 0));
  if (merged == VALUE_FAIL) return NEXT_FAULT;
  store<u64>(mix + MIX_VALUES, merged);
  return resolve(mix, 0);
}

/** Merges the operands of the second side into those of the first. */
function combineOperands(mix: usize): i32 {
  const count = load<i32>(mix + MIX_COUNTS);
  const a = load<usize>(mix + MIX_OPERANDS);
  const b = load<usize>(mix + MIX_OPERANDS + 4);
  for (let i = 0; i < count; i++) {
    const offset = <usize>i << 3;
    if (!canMerge(load<u64>(savedBase + a + offset), load<u64>(savedBase + b + offset)))
      return part(mix);
  }
  setContext(contextBefore(mix));
  for (let i = 0; i < count; i++) {
    const offset = <usize>i << 3;
    const mine = load<u64>(savedBase + a + offset);
    const merged = mergeValues(mine, load<u64>(savedBase + b + offset), maskOf(mix, 0));
    if (merged == VALUE_FAIL) return NEXT_FAULT;
    store<u64>(savedBase + a + offset, merged);
  }
  return resolve(mix, 0);
}

function contextBefore(mix: usize): i32 {
  const before = load<u64>(mix + MIX_CONTEXT);
  return before == VALUE_NIL ? -1 : dataOf(before);
}

/** Runs a pending call to its value, as a call that returns to this mix. */
function runCall(mix: usize, side: i32): i32 {
  store<i32>(mix + MIX_SIDE, side);
  if (!enter(maskOf(mix, side))) return outcome(DEAD);
  if (!backToBranch(mix) || !pushSaved(mix, side)) return NEXT_FAULT;
  pendingCell = load<usize>(sided(mix, MIX_CELLS, side));
  pendingCount = load<i32>(sided(mix, MIX_COUNTS, side)) - 1;
  pendingTail = false;
  return NEXT_PENDING_CALL;
}

/** The call that the walk performs when it gets NEXT_PENDING_CALL. */
export const NEXT_PENDING_CALL: i32 = 4;
export const NEXT_PENDING_RECUR: i32 = 5;
export let pendingCell: usize = 0;
export let pendingCount: i32 = 0;
export let pendingTail: bool = false;

function pushSaved(mix: usize, side: i32): bool {
  const count = load<i32>(sided(mix, MIX_COUNTS, side));
  const slots = (Walk.stackPtr - Walk.framePtr) >> 3;
  if (!reserve(slots + <usize>count, 0)) {
    fail(FAULT_RECURSION);
    return false;
  }
  const from = savedBase + load<usize>(sided(mix, MIX_OPERANDS, side));
  for (let i = 0; i < count; i++) push(load<u64>(from + (<usize>i << 3)));
  return true;
}

/** Lets a recur go on for real while the other side's outcome waits in the mix. */
function goOn(mix: usize, side: i32): i32 {
  const slots = slotsOf(mix, side);
  const outer: usize = mix == mixBase ? 0 : mix - MIX_BYTES;
  if (outer != 0 && slots < load<usize>(outer + MIX_SLOTS)) return part(mix);
  store<i32>(mix + MIX_SIDE, side);
  if (!enter(maskOf(mix, side))) return outcome(DEAD);
  if (!backToBranch(mix) || !pushSaved(mix, side)) return NEXT_FAULT;
  const frame = load<usize>(mix + MIX_FRAME);
  const isProtected = outer != 0 && frame <= load<usize>(outer + MIX_FRAMES);
  protect(mix, slots, isProtected ? load<usize>(mix + MIX_STACK) : 0);
  pendingCell = load<usize>(sided(mix, MIX_CELLS, side));
  pendingCount = load<i32>(sided(mix, MIX_COUNTS, side));
  return NEXT_PENDING_RECUR;
}

/** Closes the mix with the outcome of one side as the outcome of the branch. */
function resolve(mix: usize, side: i32): i32 {
  const isAlive = enter(contextBefore(mix));
  const kind = kindOfSide(mix, side);
  if (kind == DEAD || !isAlive) {
    closeMix(mix);
    return contextDied();
  }
  Walk.stackPtr = stackBase + load<usize>(mix + MIX_STACK);
  Walk.framePtr = stackBase + load<usize>(mix + MIX_FRAME);
  Walk.controlPtr = controlBase + load<usize>(mix + MIX_CONTROL);
  if (kind == VALUE) {
    Walk.value = load<u64>(mix + MIX_VALUES + (<usize>side << 3));
    closeMix(mix);
    return NEXT_VALUE;
  }
  if (!pushSaved(mix, side)) return NEXT_FAULT;
  pendingCell = load<usize>(sided(mix, MIX_CELLS, side));
  pendingCount = load<i32>(sided(mix, MIX_COUNTS, side));
  closeMix(mix);
  if (kind == RECUR) return NEXT_PENDING_RECUR;
  pendingCount -= 1;
  pendingTail = true;
  return NEXT_PENDING_CALL;
}

function closeMix(mix: usize): void {
  savedTop = load<usize>(mix + MIX_SAVED);
  mixTop -= MIX_BYTES;
  const outer: usize = mixTop == 0 ? 0 : newest();
  interceptSlots = outer == 0 ? 0 : load<usize>(outer + MIX_SLOTS);
  interceptFrames = outer == 0 ? 0 : load<usize>(outer + MIX_FRAMES);
}

/** Addresses of the values that the mixes hold, for compaction: from, and one past the last. */
export function savedValues(): usize {
  return savedBase;
}

export function savedValuesEnd(): usize {
  return savedBase + savedTop;
}

export function mixEntries(): usize {
  return mixBase;
}

export function mixEntryBytes(): usize {
  return MIX_BYTES;
}

/** Values at the start of a mix entry. */
export const MIX_VALUE_COUNT: i32 = 5;
