/**
 * Branches that lanes take both ways. One side runs for the lanes that want it, then the other,
 * each until it has an outcome: a value, or a pending jump or tail call that must not replace what
 * the other side still needs. Then the outcomes become one again:
 *
 *   value and value            merge by lane
 *   jump and jump, same target merge the operands, go on together
 *   call and call, same callee merge the arguments, go on together
 *   value and jump             the jump goes on alone, the value waits for its end
 *   anything and a call        the call runs to its value
 *   jumps to two targets       the inner one goes on, the outer one waits
 *
 * What cannot become one (structure that differs) parts: the smaller side leaves the walk and is
 * walked again by the caller. A side no lane is left in is dead and simply drops out.
 *
 * The client says where the sides begin, what room they need, from which slot on they may change
 * what lies below the branch, and where they meet; this file never looks at its program. A jump
 * names its target by the first slot that it replaces, as an offset on the stack.
 *
 * A mix (`Mix` of layout.ts) is one entry of a stack. Masks are kept as values, so that compaction
 * finds them; saved operands, and before them the slots as they were at the branch, lie in an arena
 * of their own. Only the newest mix intercepts: code outside it cannot run before it is over.
 */

import {
  FAULT_MEMORY,
  FAULT_RECURSION,
  FRAME_SIDE,
  MIX_BYTES,
  TAG_MASK,
} from "../../src/program/layout";
import { flushSteps, refuel } from "../lanes/budget";
import {
  contextWhere,
  countingLanes,
  countMixed,
  dropCounting,
  dropMask,
  lanesIn,
} from "../lanes/lanes";
import { controlBase, stackBase } from "../memory/arena";
import { fail } from "../memory/fault";
import { mixAt } from "../memory/layout";
import { allocate, free } from "../memory/memory";
import { dataOf, VALUE_FAIL, VALUE_NIL, valueOf } from "../memory/value";
import { canMerge, mergeValues } from "../primitives/numeric";
import { context, setContext } from "../tape/payload";
import {
  NEXT_CELL,
  NEXT_FAULT,
  NEXT_OVER,
  NEXT_PENDING_CALL,
  NEXT_PENDING_JUMP,
  NEXT_VALUE,
  push,
  pushFrame,
  reserve,
  Walk,
} from "./registers";

const NONE: i32 = 0;
const DEAD: i32 = 1;
const VALUE: i32 = 2;
const JUMP: i32 = 3;
const CALL: i32 = 4;

let mixBase: usize = 0;
let mixBytes: usize = 0;
export let mixTop: usize = 0;
let savedBase: usize = 0;
let savedBytes: usize = 0;
let savedTop: usize = 0;

/** Offsets below which a jump, and up to which a frame's tail call, is an outcome. 0: none. */
export let interceptSlots: usize = 0;
export let interceptFrames: usize = 0;
/** The place where the sides of the newest mix meet, and the offset of their frame. 0: none. */
export let interceptJoin: usize = 0;
export let interceptJoinFrame: usize = 0;

export function beginMix(): void {
  mixTop = 0;
  savedTop = 0;
  interceptSlots = 0;
  interceptFrames = 0;
  interceptJoin = 0;
  interceptJoinFrame = 0;
}

// @ts-ignore: decorator
@inline function newest(): usize {
  return mixBase + mixTop - MIX_BYTES;
}

// @ts-ignore: decorator
@inline function maskOf(mix: usize, side: i32): i32 {
  return dataOf(load<u64>(mixAt(mix).masksAt(side)));
}

// @ts-ignore: decorator
@inline function kindOfSide(mix: usize, side: i32): i32 {
  return load<i32>(mixAt(mix).kindsAt(side));
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

/**
 * Opens a mix: `mask` is the lane-varying test, `then` and `otherwise` are where the sides begin;
 * the then side runs first. Above the frame a side needs `slots` values, and `frames` control
 * frames. The sides may change what lies on the stack from `kept` on, and meet at `join`.
 */
export function openMix(
  mask: i32,
  then: usize,
  otherwise: usize,
  slots: usize,
  frames: usize,
  kept: usize = Walk.stackPtr,
  join: usize = 0,
): i32 {
  const yes = contextWhere(mask, true);
  const no = yes < 0 ? -1 : contextWhere(mask, false);
  if (no < 0) return NEXT_FAULT;
  const bytes = Walk.stackPtr - kept;
  if (!reserveMix() || !reserveSaved(bytes)) {
    fail(FAULT_MEMORY);
    return NEXT_FAULT;
  }
  countMixed();
  const mix = mixBase + mixTop;
  mixTop += MIX_BYTES;
  memory.fill(mix, 0, MIX_BYTES);
  mixAt(mix).context = maskValue(context);
  mixAt(mix).masks = maskValue(yes);
  mixAt(mix).masks1 = maskValue(no);
  mixAt(mix).values = VALUE_NIL;
  mixAt(mix).values1 = VALUE_NIL;
  mixAt(mix).starts = then;
  mixAt(mix).starts1 = otherwise;
  mixAt(mix).stack = Walk.stackPtr - stackBase;
  mixAt(mix).frame = Walk.framePtr - stackBase;
  mixAt(mix).control = Walk.controlPtr - controlBase;
  mixAt(mix).saved = savedTop;
  mixAt(mix).kept = kept - stackBase;
  mixAt(mix).roomSlots = slots;
  mixAt(mix).roomFrames = frames;
  mixAt(mix).join = join;
  memory.copy(savedBase + savedTop, kept, bytes);
  savedTop += bytes;
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
  mixAt(mix).side = side;
  if (!enter(maskOf(mix, side))) return outcome(DEAD);
  if (!backToBranch(mix)) return NEXT_FAULT;
  protect(mix, mixAt(mix).stack, mixAt(mix).frame);
  Walk.cell = load<usize>(mixAt(mix).startsAt(side));
  return NEXT_CELL;
}

/** Stacks as they were at the branch. */
function restore(mix: usize): void {
  Walk.stackPtr = stackBase + mixAt(mix).stack;
  Walk.framePtr = stackBase + mixAt(mix).frame;
  Walk.controlPtr = controlBase + mixAt(mix).control;
  const kept = stackBase + mixAt(mix).kept;
  memory.copy(kept, savedBase + mixAt(mix).saved, Walk.stackPtr - kept);
}

/** Stacks as they were at the branch, with the frame on top that receives a side's value. */
function backToBranch(mix: usize): bool {
  restore(mix);
  // The client's depths do not know of this frame, so the needs of its code are met again.
  const frames = mixAt(mix).roomFrames + 2;
  if (!reserve(mixAt(mix).roomSlots, frames)) {
    fail(FAULT_RECURSION);
    return false;
  }
  pushFrame(FRAME_SIDE, 0, 0, 0);
  return true;
}

function protect(mix: usize, slots: usize, frames: usize): void {
  mixAt(mix).slots = slots;
  mixAt(mix).frames = frames;
  interceptBy(mix);
}

/** What is an outcome while `mix` is the newest; 0: nothing is. */
function interceptBy(mix: usize): void {
  interceptSlots = mix == 0 ? 0 : mixAt(mix).slots;
  interceptFrames = mix == 0 ? 0 : mixAt(mix).frames;
  interceptJoin = mix == 0 ? 0 : mixAt(mix).join;
  interceptJoinFrame = mix == 0 ? 0 : mixAt(mix).frame;
}

/** The side that runs has come to its end. */
function outcome(kind: i32): i32 {
  flushSteps();
  const mix = newest();
  const side = mixAt(mix).side;
  store<i32>(mixAt(mix).kindsAt(side), kind);
  if (side == 0 && kindOfSide(mix, 1) == NONE) return runSide(mix, 1);
  return combine(mix);
}

/** A value came to the frame of the newest mix. */
export function sideValue(): i32 {
  const mix = newest();
  store<u64>(mixAt(mix).valuesAt(mixAt(mix).side), Walk.value);
  return outcome(VALUE);
}

/** The counting lanes are gone: what ran for them is dead. */
export function contextDied(): i32 {
  return mixTop == 0 ? NEXT_OVER : outcome(DEAD);
}

/** Goes on without the lanes that evaluate now: they have failed or must be walked alone. */
export function abandon(): bool {
  if (!dropCounting()) return false;
  Walk.next = contextDied();
  return true;
}

/** Goes on where no lane is left of those that evaluate now. */
export function skipDead(): void {
  Walk.next = contextDied();
}

/**
 * A jump at `at`, `count` operands on the stack, to the slots from offset `slots` on: an outcome.
 */
export function interceptJump(at: usize, count: i32, slots: usize): i32 {
  const mix = newest();
  store<usize>(mixAt(mix).jumpsAt(mixAt(mix).side), slots);
  return intercept(at, count, JUMP);
}

/** A tail call at `at`, callee and arguments on the stack, `count` in all, becomes an outcome. */
export function interceptCall(at: usize, count: i32): i32 {
  return intercept(at, count, CALL);
}

function intercept(at: usize, count: i32, kind: i32): i32 {
  const bytes = (<usize>count) << 3;
  if (!reserveSaved(bytes)) {
    fail(FAULT_MEMORY);
    return NEXT_FAULT;
  }
  const mix = newest();
  const side = mixAt(mix).side;
  memory.copy(savedBase + savedTop, Walk.stackPtr - bytes, bytes);
  store<usize>(mixAt(mix).operandsAt(side), savedTop);
  store<i32>(mixAt(mix).countsAt(side), count);
  store<usize>(mixAt(mix).placesAt(side), at);
  savedTop += bytes;
  return outcome(kind);
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
  const a = mixAt(mix).jumps;
  const b = mixAt(mix).jumps1;
  if (a == b) return combineOperands(mix);
  return goOn(mix, a > b ? 0 : 1);
}

function sameCallee(mix: usize): bool {
  if (mixAt(mix).counts != mixAt(mix).counts1) return false;
  const a = savedBase + mixAt(mix).operands;
  const b = savedBase + mixAt(mix).operands1;
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
  const a = mixAt(mix).values;
  const b = mixAt(mix).values1;
  if (!canMerge(a, b)) return part(mix);
  setContext(contextBefore(mix));
  const merged = mergeValues(a, b, maskOf(mix, 0));
  if (merged == VALUE_FAIL) return NEXT_FAULT;
  mixAt(mix).values = merged;
  return resolve(mix, 0);
}

/** Merges the operands of the second side into those of the first. */
function combineOperands(mix: usize): i32 {
  const count = mixAt(mix).counts;
  const a = mixAt(mix).operands;
  const b = mixAt(mix).operands1;
  for (let i = 0; i < count; i++) {
    const offset = (<usize>i) << 3;
    if (!canMerge(load<u64>(savedBase + a + offset), load<u64>(savedBase + b + offset)))
      return part(mix);
  }
  setContext(contextBefore(mix));
  for (let i = 0; i < count; i++) {
    const offset = (<usize>i) << 3;
    const mine = load<u64>(savedBase + a + offset);
    const merged = mergeValues(mine, load<u64>(savedBase + b + offset), maskOf(mix, 0));
    if (merged == VALUE_FAIL) return NEXT_FAULT;
    store<u64>(savedBase + a + offset, merged);
  }
  return resolve(mix, 0);
}

function contextBefore(mix: usize): i32 {
  const before = mixAt(mix).context;
  return before == VALUE_NIL ? -1 : dataOf(before);
}

/** Runs a pending call to its value, as a call that returns to this mix. */
function runCall(mix: usize, side: i32): i32 {
  mixAt(mix).side = side;
  if (!enter(maskOf(mix, side))) return outcome(DEAD);
  if (!backToBranch(mix) || !pushSaved(mix, side)) return NEXT_FAULT;
  pendingCell = load<usize>(mixAt(mix).placesAt(side));
  pendingCount = load<i32>(mixAt(mix).countsAt(side)) - 1;
  pendingTail = false;
  return NEXT_PENDING_CALL;
}

/** What the client performs when it gets NEXT_PENDING_CALL or NEXT_PENDING_JUMP. */
export let pendingCell: usize = 0;
export let pendingCount: i32 = 0;
export let pendingTail: bool = false;

function pushSaved(mix: usize, side: i32): bool {
  const count = load<i32>(mixAt(mix).countsAt(side));
  const slots = (Walk.stackPtr - Walk.framePtr) >> 3;
  if (!reserve(slots + <usize>count, 0)) {
    fail(FAULT_RECURSION);
    return false;
  }
  const from = savedBase + load<usize>(mixAt(mix).operandsAt(side));
  for (let i = 0; i < count; i++) push(load<u64>(from + ((<usize>i) << 3)));
  return true;
}

/** Lets a jump go on for real while the other side's outcome waits in the mix. */
function goOn(mix: usize, side: i32): i32 {
  const slots = load<usize>(mixAt(mix).jumpsAt(side));
  const outer: usize = mix == mixBase ? 0 : mix - MIX_BYTES;
  if (outer != 0 && slots < mixAt(outer).slots) return part(mix);
  mixAt(mix).side = side;
  if (!enter(maskOf(mix, side))) return outcome(DEAD);
  if (!backToBranch(mix) || !pushSaved(mix, side)) return NEXT_FAULT;
  const frame = mixAt(mix).frame;
  const isProtected = outer != 0 && frame <= mixAt(outer).frames;
  protect(mix, slots, isProtected ? frame : 0);
  pendingCell = load<usize>(mixAt(mix).placesAt(side));
  pendingCount = load<i32>(mixAt(mix).countsAt(side));
  return NEXT_PENDING_JUMP;
}

/** Closes the mix with the outcome of one side as the outcome of the branch. */
function resolve(mix: usize, side: i32): i32 {
  const isAlive = enter(contextBefore(mix));
  const kind = kindOfSide(mix, side);
  if (kind == DEAD || !isAlive) {
    closeMix(mix);
    return contextDied();
  }
  restore(mix);
  if (kind == VALUE) {
    Walk.value = load<u64>(mixAt(mix).valuesAt(side));
    closeMix(mix);
    return NEXT_VALUE;
  }
  if (!pushSaved(mix, side)) return NEXT_FAULT;
  pendingCell = load<usize>(mixAt(mix).placesAt(side));
  pendingCount = load<i32>(mixAt(mix).countsAt(side));
  closeMix(mix);
  if (kind == JUMP) return NEXT_PENDING_JUMP;
  pendingCount -= 1;
  pendingTail = true;
  return NEXT_PENDING_CALL;
}

function closeMix(mix: usize): void {
  savedTop = mixAt(mix).saved;
  mixTop -= MIX_BYTES;
  interceptBy(mixTop == 0 ? 0 : newest());
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
