/**
 * Lanes: which of them take part. `live` holds all bits of a lane's place while the walk or replay
 * speaks for that lane; padding lanes never live. The context (payload.ts) is the mask of the lanes
 * that evaluate now; the lanes that count are those of both.
 *
 * Where lanes must agree and do not, the smaller part leaves the walk: those lanes are no longer
 * live and are walked again by the caller, in a batch of their own. Lanes never touch each other's
 * numbers, so what a lane gets does not depend on who walks beside it.
 */

import {
  PAYLOAD_MASK,
  PAYLOAD_UNIFORM,
  PAYLOAD_VARYING,
  RECORD_VARYING,
  TAG_MASK,
  TRACE_AND,
  TRACE_AND_NOT,
  TRACE_GUARD,
  TRACE_GUARD_INTEGER,
  TRACE_GUARD_RANGE,
} from "../../src/program/layout";
import { allocate, free } from "../memory/memory";
import { booleanValue, dataOf, tagOf, VALUE_FAIL, VALUE_FALSE, valueOf } from "../memory/value";
import { context, flagsOf, isUniform, lanes, newPayload, primalOf, run } from "../tape/payload";
import { recording } from "../tape/recording";
import { recordTrace } from "../tape/tape";

export let live: usize = 0;
let liveBytes: usize = 0;
/** Lanes that were with the fewer at some branch that lanes took both ways. Beside `live`. */
let strays: usize = 0;
/** Room for the caller: a number of 32 bits for each lane. Beside `strays`. */
export let laneBuffer: usize = 0;

/** Makes room for `bytes` of live lanes; false where memory does not allow it. */
// @ts-ignore: decorator
@inline export function reserveLive(bytes: usize): bool {
  if (bytes <= liveBytes) return true;
  free(live);
  live = allocate(bytes * 3);
  liveBytes = live == 0 ? 0 : bytes;
  strays = live + liveBytes;
  laneBuffer = strays + liveBytes;
  return live != 0;
}

/** Gives the room for lanes back: no trace may be kept. */
export function releaseLive(): void {
  free(live);
  live = strays = laneBuffer = liveBytes = 0;
}

/** All of `count` lanes live, padding does not. Plain loops: a run is short. */
export function reviveLanes(count: i32, bytes: usize): void {
  for (let b: usize = 0; b < bytes; b += 16) {
    v128.store(live + b, i8x16.splat(-1));
    v128.store(strays + b, i8x16.splat(0));
  }
  for (let b = <usize>count * sizeof<real>(); b < bytes; b += sizeof<real>())
    store<real>(live + b, 0);
}

/** Mask vector of a mask payload at lane offset b. */
// @ts-ignore: decorator
@inline function maskAt(mask: i32, b: usize): v128 {
  return v128.load(primalOf(mask) + (isUniform(mask) ? 0 : b));
}

/** Lanes at offset b that count now. */
// @ts-ignore: decorator
@inline function counting(b: usize): v128 {
  const alive = v128.load(live + b);
  return context < 0 ? alive : v128.and(alive, maskAt(context, b));
}

/** How many lanes live. */
export function liveLanes(): i32 {
  let count = 0;
  for (let b: usize = 0; b < run; b += 16) count += popcnt<i32>(i8x16.bitmask(v128.load(live + b)));
  return count / sizeof<real>();
}

/** Whether a lane counts now. */
export function isCounting(lane: i32): bool {
  const b = <usize>lane * sizeof<real>();
  if (load<u8>(live + b) == 0) return false;
  return context < 0 || load<u8>(primalOf(context) + (isUniform(context) ? 0 : b)) != 0;
}

/** A lane leaves the walk. */
export function dropLane(lane: i32): void {
  memory.fill(live + <usize>lane * sizeof<real>(), 0, sizeof<real>());
}

/** How many lanes count now. */
export function countingLanes(): i32 {
  let count = 0;
  for (let b: usize = 0; b < run; b += 16) count += popcnt<i32>(i8x16.bitmask(counting(b)));
  return count / sizeof<real>();
}

/** Writes the lanes that count now as one byte each, 0 or 1. */
export function writeCounting(to: usize): void {
  for (let lane = 0; lane < lanes; lane++) store<u8>(to + <usize>lane, isCounting(lane) ? 1 : 0);
}

/**
 * Writes which of the first `count` lanes live, one byte each: a trace can be wider than its run.
 */
export function writeLive(to: usize, count: i32): void {
  for (let lane = 0; lane < count; lane++)
    store<u8>(to + <usize>lane, load<u8>(live + <usize>lane * sizeof<real>()) & 1);
}

/** Writes the numbers, 4 bytes each, of those of the first `count` lanes that do not live. */
export function writeRefused(to: usize, count: i32): i32 {
  const perVector: i32 = 16 / sizeof<real>();
  let found = 0;
  for (let first = 0; first < count; first += perVector) {
    if (v128.all_true<i32>(v128.load(live + <usize>first * sizeof<real>()))) continue;
    for (let lane = first; lane < min(first + perVector, count); lane++) {
      if (load<u8>(live + <usize>lane * sizeof<real>()) != 0) continue;
      store<i32>(to + ((<usize>found) << 2), lane);
      found += 1;
    }
  }
  return found;
}

/** Live lanes of a mask payload. */
export function lanesIn(mask: i32): i32 {
  let count = 0;
  for (let b: usize = 0; b < run; b += 16)
    count += popcnt<i32>(i8x16.bitmask(v128.and(v128.load(live + b), maskAt(mask, b))));
  return count / sizeof<real>();
}

/** The lanes that count now leave the walk; a replay refuses lanes that come here. */
export function dropCounting(): bool {
  for (let b: usize = 0; b < run; b += 16)
    v128.store(live + b, v128.andnot(v128.load(live + b), counting(b)));
  return context < 0 || recordTrace(TRACE_GUARD, -1, context, -1, 0, -1);
}

/** The lanes of a mask leave the walk: buckets. */
export function dropMask(mask: i32): bool {
  bucketsMade += 1;
  for (let b: usize = 0; b < run; b += 16)
    v128.store(live + b, v128.andnot(v128.load(live + b), maskAt(mask, b)));
  return recordTrace(TRACE_GUARD, -1, mask, -1, 0, -1);
}

/** Times lanes left the walk because they could not go on together. */
let bucketsMade: f64 = 0;
/** Branches that ran both sides. */
let branchesDiverged: f64 = 0;
let mergesMade: f64 = 0;

/** Of the walk under way: branches that ran both sides (0), merges (1), buckets (2). */
export function laneCount(which: i32): f64 {
  return which == 0 ? branchesDiverged : which == 1 ? mergesMade : bucketsMade;
}

export function beginLanes(): void {
  strayAllowance = 0;
  bucketsMade = 0;
  branchesDiverged = 0;
  mergesMade = 0;
}

export function countDiverged(): void {
  branchesDiverged += 1;
}

export function countMerge(): void {
  mergesMade += 1;
}

// ─── Lanes that few others go with ──────────────────────────────────────────

/** Lanes that may still leave the walk because few take their side of a branch. */
let strayAllowance: i32 = 0;

/** Lets up to `count` lanes leave the walk that begins, where few take their side of a branch. */
export function allowStrays(count: i32): void {
  strayAllowance = count;
}

/** Whether replays count strays. */
export let isSurveying: bool = false;
let straysFound: i32 = 0;

export function beginSurvey(): void {
  isSurveying = true;
  straysFound = 0;
}

/** Strays of all replays since the survey began. */
export function endSurvey(): i32 {
  isSurveying = false;
  return straysFound;
}

/** Adds the strays of the replay that has just ended. */
export function surveyStrays(): void {
  straysFound += strayLanes();
}

/** Live lanes that were with the fewer at some branch, since they were last revived. */
export function strayLanes(): i32 {
  let count = 0;
  for (let b: usize = 0; b < run; b += 16)
    count += popcnt<i32>(i8x16.bitmask(v128.and(v128.load(live + b), v128.load(strays + b))));
  return count / sizeof<real>();
}

/** Marks the fewer of the live lanes of a mask at `within` (0: of all), by the mask at `truth`. */
export function noteStrays(within: usize, truth: usize): void {
  let balance = 0;
  for (let b: usize = 0; b < run; b += 16) {
    const here = lanesAt(within, b);
    const tests = v128.load(truth + b);
    balance += popcnt<i32>(i8x16.bitmask(v128.and(here, tests)));
    balance -= popcnt<i32>(i8x16.bitmask(v128.andnot(here, tests)));
  }
  for (let b: usize = 0; b < run; b += 16) {
    const here = lanesAt(within, b);
    const tests = v128.load(truth + b);
    const fewer = balance < 0 ? v128.and(here, tests) : v128.andnot(here, tests);
    v128.store(strays + b, v128.or(v128.load(strays + b), fewer));
  }
}

// @ts-ignore: decorator
@inline function lanesAt(within: usize, b: usize): v128 {
  const alive = v128.load(live + b);
  return within == 0 ? alive : v128.and(alive, v128.load(within + b));
}

/** What the counting lanes say about a mask, as counts of bytes. */
let bytesTrue: i32 = 0;
let bytesFalse: i32 = 0;

function countSides(mask: i32): void {
  bytesTrue = 0;
  bytesFalse = 0;
  for (let b: usize = 0; b < run; b += 16) {
    const here = counting(b);
    const truth = maskAt(mask, b);
    bytesTrue += popcnt<i32>(i8x16.bitmask(v128.and(truth, here)));
    bytesFalse += popcnt<i32>(i8x16.bitmask(v128.andnot(here, truth)));
  }
}

/**
 * The test of a branch: as `agreed`, but where the walk may let lanes go and few take one side,
 * those leave.
 */
export function agreedAtBranch(mask: i32): u64 {
  const decision = agreed(mask);
  if (strayAllowance == 0 || tagOf(decision) != TAG_MASK) return decision;
  countSides(mask);
  const fewer = min(bytesTrue, bytesFalse) / sizeof<real>();
  if (fewer > strayAllowance) return decision;
  strayAllowance -= fewer;
  return decide(decision);
}

// What the counting lanes say about a mask.
const ALL_FALSE: i32 = 0;
const ALL_TRUE: i32 = 1;
const SOME_TRUE: i32 = 2;

function verdict(mask: i32): i32 {
  let some = i8x16.splat(0);
  let others = i8x16.splat(0);
  for (let b: usize = 0; b < run; b += 16) {
    const here = counting(b);
    const truth = maskAt(mask, b);
    some = v128.or(some, v128.and(truth, here));
    others = v128.or(others, v128.andnot(here, truth));
  }
  if (!v128.any_true(some)) return ALL_FALSE;
  return v128.any_true(others) ? SOME_TRUE : ALL_TRUE;
}

/**
 * A mask payload as a boolean: #t or #f, with a guard, where the counting lanes agree; otherwise
 * the lane-varying boolean itself.
 */
export function agreed(mask: i32): u64 {
  const decision = verdict(mask);
  if (decision == SOME_TRUE) return valueOf(TAG_MASK, mask);
  if (!guardTruth(mask, decision)) return VALUE_FAIL;
  return booleanValue(decision == ALL_TRUE);
}

function guardTruth(mask: i32, truth: i32): bool {
  if ((flagsOf(mask) & PAYLOAD_VARYING) == 0) return true;
  return recordTrace(TRACE_GUARD, -1, mask, -1, truth, context);
}

/** One boolean for all: lanes that say otherwise than most leave the walk. */
export function decide(value: u64): u64 {
  if (tagOf(value) != TAG_MASK) return value;
  const mask = dataOf(value);
  countSides(mask);
  const truth = bytesTrue >= bytesFalse;
  bucketsMade += 1;
  for (let b: usize = 0; b < run; b += 16) {
    const tests = maskAt(mask, b);
    const here = counting(b);
    const leaving = truth ? v128.andnot(here, tests) : v128.and(here, tests);
    v128.store(live + b, v128.andnot(v128.load(live + b), leaving));
  }
  if (!guardTruth(mask, truth ? 1 : 0)) return VALUE_FAIL;
  return booleanValue(truth);
}

/** The first lane that counts now, -1 where none does. */
export function firstCounting(): i32 {
  for (let lane = 0; lane < lanes; lane++) if (isCounting(lane)) return lane;
  return -1;
}

/** Lanes whose number differs from `number` leave the walk. */
export function keepEqual(payload: i32, number: real): void {
  if (isUniform(payload)) return;
  const at = primalOf(payload);
  const wanted = v128.splat<real>(number);
  let isSplit = false;
  for (let b: usize = 0; b < run; b += 16) {
    const others = v128.andnot(counting(b), v128.eq<real>(v128.load(at + b), wanted));
    if (!v128.any_true(others)) continue;
    isSplit = true;
    v128.store(live + b, v128.andnot(v128.load(live + b), others));
  }
  if (isSplit) bucketsMade += 1;
}

/** Lanes whose number is whole, and not beyond `limit`, leave the walk: the others fail. */
export function dropIntegers(payload: i32, limit: real): void {
  if (isUniform(payload)) return;
  const at = primalOf(payload);
  const most = v128.splat<real>(limit);
  let isSplit = false;
  for (let b: usize = 0; b < run; b += 16) {
    const x = v128.load(at + b);
    const isSmall = v128.le<real>(v128.abs<real>(x), most);
    const leaving = v128.and(counting(b), v128.and(isSmall, v128.eq<real>(v128.trunc<real>(x), x)));
    if (!v128.any_true(leaving)) continue;
    isSplit = true;
    v128.store(live + b, v128.andnot(v128.load(live + b), leaving));
  }
  if (isSplit) bucketsMade += 1;
}

/** Whether every lane that counts has `number`. */
export function allEqual(payload: i32, number: real): bool {
  const at = primalOf(payload);
  const wanted = v128.splat<real>(number);
  for (let b: usize = 0; b < run; b += 16) {
    const same = v128.eq<real>(v128.load(at + b), wanted);
    if (v128.any_true(v128.andnot(counting(b), same))) return false;
  }
  return true;
}

/** Lanes whose number is no index below `limit` leave the walk; false where none would stay. */
export function keepIndices(payload: i32, limit: i32): bool {
  const at = primalOf(payload);
  let some = i8x16.splat(0);
  for (let b: usize = 0; b < run; b += 16)
    some = v128.or(some, v128.and(counting(b), validIndices(v128.load(at + b), limit)));
  if (!v128.any_true(some)) return false;
  for (let b: usize = 0; b < run; b += 16) {
    const leaving = v128.andnot(counting(b), validIndices(v128.load(at + b), limit));
    v128.store(live + b, v128.andnot(v128.load(live + b), leaving));
  }
  return true;
}

/** Lanes that hold a whole number from 0 below `limit`. */
export function validIndices(numbers: v128, limit: i32): v128 {
  const integral = v128.eq<real>(v128.floor<real>(numbers), numbers);
  const above = v128.ge<real>(numbers, v128.splat<real>(0));
  return v128.and(integral, v128.and(above, v128.lt<real>(numbers, v128.splat<real>(<real>limit))));
}

/** Guards that a number is an index below `limit` in the counting lanes. */
export function guardRange(payload: i32, limit: i32): bool {
  if ((flagsOf(payload) & PAYLOAD_VARYING) == 0) return true;
  return recordTrace(TRACE_GUARD_RANGE, -1, payload, -1, limit, context);
}

/** Guards that a number is the integer `n` in the counting lanes. */
export function guardInteger(payload: i32, n: i32): bool {
  if ((flagsOf(payload) & PAYLOAD_VARYING) == 0) return true;
  return recordTrace(TRACE_GUARD_INTEGER, -1, payload, -1, n, context);
}

/** A new mask payload: a and b, or a and not b. `aux` is 1 where a branch parts lanes. */
export function combineMasks(kind: i32, a: i32, b: i32, aux: i32 = 0): i32 {
  const varying = (flagsOf(a) | flagsOf(b)) & PAYLOAD_VARYING;
  const z = newPayload(1, 1, PAYLOAD_MASK | varying | (flagsOf(a) & flagsOf(b) & PAYLOAD_UNIFORM));
  if (z < 0) return -1;
  const at = primalOf(z);
  const bytes: usize = isUniform(z) ? 16 : run;
  for (let lane: usize = 0; lane < bytes; lane += 16)
    v128.store(at + lane, combined(kind, maskAt(a, lane), maskAt(b, lane), a == b));
  if (varying != 0 && recording == RECORD_VARYING && !recordTrace(kind, z, a, b, aux, -1))
    return -1;
  return z;
}

// @ts-ignore: decorator
@inline function combined(kind: i32, a: v128, b: v128, same: bool): v128 {
  if (kind == TRACE_AND) return v128.and(a, b);
  return same ? v128.not(a) : v128.andnot(a, b);
}

/**
 * The lanes of the context in which the mask is true (or false). -1 after a fault. A branch asks
 * for both; the second, the false one, notes how lanes part there.
 */
export function contextWhere(mask: i32, truth: bool): i32 {
  if (truth) return context < 0 ? mask : combineMasks(TRACE_AND, context, mask);
  const z = combineMasks(TRACE_AND_NOT, context < 0 ? mask : context, mask, 1);
  if (z >= 0 && !isUniform(mask) && (context < 0 || !isUniform(context)))
    noteStrays(context < 0 ? 0 : primalOf(context), primalOf(mask));
  return z;
}

/** Logical not of a lane-varying boolean. */
export function negation(value: u64): u64 {
  const z = combineMasks(TRACE_AND_NOT, dataOf(value), dataOf(value));
  return z < 0 ? VALUE_FAIL : valueOf(TAG_MASK, z);
}

/** Logical and of two booleans, either of which can differ between lanes. */
export function conjunction(a: u64, b: u64): u64 {
  if (tagOf(a) != TAG_MASK) return a == VALUE_FALSE ? a : b;
  if (tagOf(b) != TAG_MASK) return b == VALUE_FALSE ? b : a;
  const z = combineMasks(TRACE_AND, dataOf(a), dataOf(b));
  return z < 0 ? VALUE_FAIL : agreed(z);
}
