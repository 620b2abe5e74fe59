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
 * A divergence (`Divergence` of layout.ts) is one entry of a stack. Masks are kept as values, so
 * that compaction finds them. Saved operands, and before them the slots as they were at the branch,
 * lie in an arena of their own. Only the newest divergence intercepts: code outside it cannot run
 * before it is over.
 */

import {
  DIVERGENCE_BYTES,
  FAULT_MEMORY,
  FAULT_RECURSION,
  FRAME_SIDE,
  TAG_MASK,
} from "../../src/program/layout";
import { flushSteps, refuel } from "../lanes/budget";
import {
  contextWhere,
  countDiverged,
  countingLanes,
  dropCounting,
  dropMask,
  lanesIn,
} from "../lanes/lanes";
import { controlBase, stackBase } from "../memory/arena";
import { fail } from "../memory/fault";
import { divergenceAt } from "../memory/layout";
import { allocate, bytesAt, free } from "../memory/memory";
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

let divergenceBase: usize = 0;
let divergenceBytes: usize = 0;
export let divergenceTop: usize = 0;
let savedBase: usize = 0;
let savedBytes: usize = 0;
let savedTop: usize = 0;

/** Offsets below which a jump, and up to which a frame's tail call, is an outcome. 0: none. */
export let interceptSlots: usize = 0;
export let interceptFrames: usize = 0;
/** Where the sides of the newest divergence meet, and the offset of their frame. 0: none. */
export let interceptJoin: usize = 0;
export let interceptJoinFrame: usize = 0;

export function beginDivergence(): void {
  divergenceTop = 0;
  savedTop = 0;
  interceptSlots = 0;
  interceptFrames = 0;
  interceptJoin = 0;
  interceptJoinFrame = 0;
}

/** Gives the room for divergences back: none may be open. */
export function releaseDivergence(): void {
  free(divergenceBase);
  free(savedBase);
  divergenceBase = savedBase = divergenceBytes = savedBytes = 0;
}

// @ts-ignore: decorator
@inline function newest(): usize {
  return divergenceBase + divergenceTop - DIVERGENCE_BYTES;
}

// @ts-ignore: decorator
@inline function maskOf(divergence: usize, side: i32): i32 {
  return dataOf(load<u64>(divergenceAt(divergence).masksAt(side)));
}

// @ts-ignore: decorator
@inline function kindOfSide(divergence: usize, side: i32): i32 {
  return load<i32>(divergenceAt(divergence).kindsAt(side));
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

function reserveDivergence(): bool {
  if (divergenceTop + DIVERGENCE_BYTES <= divergenceBytes) return true;
  const fresh = growTo(
    divergenceBase,
    divergenceTop,
    divergenceBytes,
    divergenceTop + DIVERGENCE_BYTES,
  );
  if (fresh == 0) return false;
  divergenceBase = fresh;
  divergenceBytes = bytesAt(fresh);
  return true;
}

function reserveSaved(bytes: usize): bool {
  if (savedTop + bytes <= savedBytes) return true;
  const fresh = growTo(savedBase, savedTop, savedBytes, savedTop + bytes);
  if (fresh == 0) return false;
  savedBase = fresh;
  savedBytes = bytesAt(fresh);
  return true;
}

/**
 * Opens a divergence: `mask` is the lane-varying test, `then` and `otherwise` are where the sides
 * begin; the then side runs first. Above the frame a side needs `slots` values and `frames` control
 * frames. The sides may change what lies on the stack from `kept` on, and meet at `join`.
 */
export function openDivergence(
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
  if (!reserveDivergence() || !reserveSaved(bytes)) {
    fail(FAULT_MEMORY);
    return NEXT_FAULT;
  }
  countDiverged();
  const divergence = divergenceBase + divergenceTop;
  divergenceTop += DIVERGENCE_BYTES;
  memory.fill(divergence, 0, DIVERGENCE_BYTES);
  divergenceAt(divergence).context = maskValue(context);
  divergenceAt(divergence).masks = maskValue(yes);
  divergenceAt(divergence).masks1 = maskValue(no);
  divergenceAt(divergence).values = VALUE_NIL;
  divergenceAt(divergence).values1 = VALUE_NIL;
  divergenceAt(divergence).starts = then;
  divergenceAt(divergence).starts1 = otherwise;
  divergenceAt(divergence).stack = Walk.stackPtr - stackBase;
  divergenceAt(divergence).frame = Walk.framePtr - stackBase;
  divergenceAt(divergence).control = Walk.controlPtr - controlBase;
  divergenceAt(divergence).saved = savedTop;
  divergenceAt(divergence).kept = kept - stackBase;
  divergenceAt(divergence).roomSlots = slots;
  divergenceAt(divergence).roomFrames = frames;
  divergenceAt(divergence).join = join;
  memory.copy(savedBase + savedTop, kept, bytes);
  savedTop += bytes;
  return runSide(divergence, 0);
}

/** Goes on for the lanes of a mask; false where none is left. */
function enter(mask: i32): bool {
  flushSteps();
  setContext(mask);
  refuel();
  return countingLanes() != 0;
}

/** Starts a side of the newest divergence at its branch. */
function runSide(divergence: usize, side: i32): i32 {
  divergenceAt(divergence).side = side;
  if (!enter(maskOf(divergence, side))) return outcome(DEAD);
  if (!backToBranch(divergence)) return NEXT_FAULT;
  protect(divergence, divergenceAt(divergence).stack, divergenceAt(divergence).frame);
  Walk.cell = load<usize>(divergenceAt(divergence).startsAt(side));
  return NEXT_CELL;
}

/** Stacks as they were at the branch. */
function restore(divergence: usize): void {
  Walk.stackPtr = stackBase + divergenceAt(divergence).stack;
  Walk.framePtr = stackBase + divergenceAt(divergence).frame;
  Walk.controlPtr = controlBase + divergenceAt(divergence).control;
  const kept = stackBase + divergenceAt(divergence).kept;
  memory.copy(kept, savedBase + divergenceAt(divergence).saved, Walk.stackPtr - kept);
}

/** Stacks as they were at the branch, with the frame on top that receives a side's value. */
function backToBranch(divergence: usize): bool {
  restore(divergence);
  // The client's depths do not know of this frame, so the needs of its code are met again.
  const frames = divergenceAt(divergence).roomFrames + 2;
  if (!reserve(divergenceAt(divergence).roomSlots, frames)) {
    fail(FAULT_RECURSION);
    return false;
  }
  pushFrame(FRAME_SIDE, 0, 0, 0);
  return true;
}

function protect(divergence: usize, slots: usize, frames: usize): void {
  divergenceAt(divergence).slots = slots;
  divergenceAt(divergence).frames = frames;
  interceptBy(divergence);
}

/** What is an outcome while `divergence` is the newest; 0: nothing is. */
function interceptBy(divergence: usize): void {
  interceptSlots = divergence == 0 ? 0 : divergenceAt(divergence).slots;
  interceptFrames = divergence == 0 ? 0 : divergenceAt(divergence).frames;
  interceptJoin = divergence == 0 ? 0 : divergenceAt(divergence).join;
  interceptJoinFrame = divergence == 0 ? 0 : divergenceAt(divergence).frame;
}

/** The side that runs has come to its end. */
function outcome(kind: i32): i32 {
  flushSteps();
  const divergence = newest();
  const side = divergenceAt(divergence).side;
  store<i32>(divergenceAt(divergence).kindsAt(side), kind);
  if (side == 0 && kindOfSide(divergence, 1) == NONE) return runSide(divergence, 1);
  return combine(divergence);
}

/** A value came to the frame of the newest divergence. */
export function sideValue(): i32 {
  const divergence = newest();
  store<u64>(divergenceAt(divergence).valuesAt(divergenceAt(divergence).side), Walk.value);
  return outcome(VALUE);
}

/** The counting lanes are gone: what ran for them is dead. */
export function contextDied(): i32 {
  return divergenceTop == 0 ? NEXT_OVER : outcome(DEAD);
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
  const divergence = newest();
  store<usize>(divergenceAt(divergence).jumpsAt(divergenceAt(divergence).side), slots);
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
  const divergence = newest();
  const side = divergenceAt(divergence).side;
  memory.copy(savedBase + savedTop, Walk.stackPtr - bytes, bytes);
  store<usize>(divergenceAt(divergence).operandsAt(side), savedTop);
  store<i32>(divergenceAt(divergence).countsAt(side), count);
  store<usize>(divergenceAt(divergence).placesAt(side), at);
  savedTop += bytes;
  return outcome(kind);
}

/** Both sides have outcomes: one way to go on. */
function combine(divergence: usize): i32 {
  const first = kindOfSide(divergence, 0);
  const second = kindOfSide(divergence, 1);
  if (first == DEAD || second == DEAD) return resolve(divergence, first == DEAD ? 1 : 0);
  if (first == VALUE && second == VALUE) return combineValues(divergence);
  if (first == CALL && second == CALL && sameCallee(divergence)) return combineOperands(divergence);
  if (first == CALL) return runCall(divergence, 0);
  if (second == CALL) return runCall(divergence, 1);
  if (first == VALUE) return goOn(divergence, 1);
  if (second == VALUE) return goOn(divergence, 0);
  const a = divergenceAt(divergence).jumps;
  const b = divergenceAt(divergence).jumps1;
  if (a == b) return combineOperands(divergence);
  return goOn(divergence, a > b ? 0 : 1);
}

function sameCallee(divergence: usize): bool {
  if (divergenceAt(divergence).counts != divergenceAt(divergence).counts1) return false;
  const a = savedBase + divergenceAt(divergence).operands;
  const b = savedBase + divergenceAt(divergence).operands1;
  return load<u64>(a) == load<u64>(b);
}

/** The smaller side leaves the walk; the other goes on alone. */
function part(divergence: usize): i32 {
  const smaller = lanesIn(maskOf(divergence, 0)) < lanesIn(maskOf(divergence, 1)) ? 0 : 1;
  setContext(-1);
  if (!dropMask(maskOf(divergence, smaller))) return NEXT_FAULT;
  return resolve(divergence, 1 - smaller);
}

function combineValues(divergence: usize): i32 {
  const a = divergenceAt(divergence).values;
  const b = divergenceAt(divergence).values1;
  if (!canMerge(a, b)) return part(divergence);
  setContext(contextBefore(divergence));
  const merged = mergeValues(a, b, maskOf(divergence, 0));
  if (merged == VALUE_FAIL) return NEXT_FAULT;
  divergenceAt(divergence).values = merged;
  return resolve(divergence, 0);
}

/** Merges the operands of the second side into those of the first. */
function combineOperands(divergence: usize): i32 {
  const count = divergenceAt(divergence).counts;
  const a = divergenceAt(divergence).operands;
  const b = divergenceAt(divergence).operands1;
  for (let i = 0; i < count; i++) {
    const offset = (<usize>i) << 3;
    if (!canMerge(load<u64>(savedBase + a + offset), load<u64>(savedBase + b + offset)))
      return part(divergence);
  }
  setContext(contextBefore(divergence));
  for (let i = 0; i < count; i++) {
    const offset = (<usize>i) << 3;
    const mine = load<u64>(savedBase + a + offset);
    const merged = mergeValues(mine, load<u64>(savedBase + b + offset), maskOf(divergence, 0));
    if (merged == VALUE_FAIL) return NEXT_FAULT;
    store<u64>(savedBase + a + offset, merged);
  }
  return resolve(divergence, 0);
}

function contextBefore(divergence: usize): i32 {
  const before = divergenceAt(divergence).context;
  return before == VALUE_NIL ? -1 : dataOf(before);
}

/** Runs a pending call to its value, as a call that returns to this divergence. */
function runCall(divergence: usize, side: i32): i32 {
  divergenceAt(divergence).side = side;
  if (!enter(maskOf(divergence, side))) return outcome(DEAD);
  if (!backToBranch(divergence) || !pushSaved(divergence, side)) return NEXT_FAULT;
  pendingCell = load<usize>(divergenceAt(divergence).placesAt(side));
  pendingCount = load<i32>(divergenceAt(divergence).countsAt(side)) - 1;
  pendingTail = false;
  return NEXT_PENDING_CALL;
}

/** What the client performs when it gets NEXT_PENDING_CALL or NEXT_PENDING_JUMP. */
export let pendingCell: usize = 0;
export let pendingCount: i32 = 0;
export let pendingTail: bool = false;

function pushSaved(divergence: usize, side: i32): bool {
  const count = load<i32>(divergenceAt(divergence).countsAt(side));
  const slots = (Walk.stackPtr - Walk.framePtr) >> 3;
  if (!reserve(slots + <usize>count, 0)) {
    fail(FAULT_RECURSION);
    return false;
  }
  const from = savedBase + load<usize>(divergenceAt(divergence).operandsAt(side));
  for (let i = 0; i < count; i++) push(load<u64>(from + ((<usize>i) << 3)));
  return true;
}

/** Lets a jump go on for real while the other side's outcome waits in the divergence. */
function goOn(divergence: usize, side: i32): i32 {
  const slots = load<usize>(divergenceAt(divergence).jumpsAt(side));
  const outer: usize = divergence == divergenceBase ? 0 : divergence - DIVERGENCE_BYTES;
  if (outer != 0 && slots < divergenceAt(outer).slots) return part(divergence);
  divergenceAt(divergence).side = side;
  if (!enter(maskOf(divergence, side))) return outcome(DEAD);
  if (!backToBranch(divergence) || !pushSaved(divergence, side)) return NEXT_FAULT;
  const frame = divergenceAt(divergence).frame;
  const isProtected = outer != 0 && frame <= divergenceAt(outer).frames;
  protect(divergence, slots, isProtected ? frame : 0);
  pendingCell = load<usize>(divergenceAt(divergence).placesAt(side));
  pendingCount = load<i32>(divergenceAt(divergence).countsAt(side));
  return NEXT_PENDING_JUMP;
}

/** Closes the divergence with the outcome of one side as the outcome of the branch. */
function resolve(divergence: usize, side: i32): i32 {
  const isAlive = enter(contextBefore(divergence));
  const kind = kindOfSide(divergence, side);
  if (kind == DEAD || !isAlive) {
    closeDivergence(divergence);
    return contextDied();
  }
  restore(divergence);
  if (kind == VALUE) {
    Walk.value = load<u64>(divergenceAt(divergence).valuesAt(side));
    closeDivergence(divergence);
    return NEXT_VALUE;
  }
  if (!pushSaved(divergence, side)) return NEXT_FAULT;
  pendingCell = load<usize>(divergenceAt(divergence).placesAt(side));
  pendingCount = load<i32>(divergenceAt(divergence).countsAt(side));
  closeDivergence(divergence);
  if (kind == JUMP) return NEXT_PENDING_JUMP;
  pendingCount -= 1;
  pendingTail = true;
  return NEXT_PENDING_CALL;
}

function closeDivergence(divergence: usize): void {
  savedTop = divergenceAt(divergence).saved;
  divergenceTop -= DIVERGENCE_BYTES;
  interceptBy(divergenceTop == 0 ? 0 : newest());
}

/** Addresses of the values that divergences hold, for compaction: from, and one past the last. */
export function savedValues(): usize {
  return savedBase;
}

export function savedValuesEnd(): usize {
  return savedBase + savedTop;
}

export function divergenceEntries(): usize {
  return divergenceBase;
}

export function divergenceEntryBytes(): usize {
  return DIVERGENCE_BYTES;
}

/** Values at the start of a divergence entry. */
export const DIVERGENCE_VALUE_COUNT: i32 = 5;
