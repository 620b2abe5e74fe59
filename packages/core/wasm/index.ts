/**
 * The machine's door: what JavaScript may call. WebAssembly never calls back.
 *
 * One run: begin → bind each input → walk (again while it pauses) → result; with a tape then
 * beginBackward → seed the result's adjoint → backward → read the inputs' adjoints.
 */

import {
  BLOCK_BYTES,
  CLIENT_STACK,
  FAULT_MEMORY,
  FAULT_NONE,
  LINK_DONE,
  LINK_REFUSED,
  PAYLOAD_ACTIVE,
  PAYLOAD_UNIFORM,
  PAYLOAD_VARYING,
  RECORD_ACTIVE_ONLY,
  RECORD_NOTHING,
  RECORD_VARYING,
  SINGLE_COUNT,
  SINGLE_DONE,
  SINGLE_GRADIENTS,
  SINGLE_INPUTS,
  SINGLE_OPEN,
  SINGLE_REACHED,
  SINGLE_REPORT,
  SINGLE_SHORT,
  SINGLE_STEPS,
  SINGLE_VALUE,
  SINGLE_WALKED,
  TAG_REAL,
  TAG_TENSOR,
  WALK_DONE,
} from "../src/program/layout";
import {
  inputsSeen,
  isStraight,
  passStraight,
  reserveStraight,
  walkStraight,
} from "./clients/scheme/straight";
import { walk as walkScheme } from "./clients/scheme/walk";
import { walk as walkStack } from "./clients/stack/walk";
import { beginSlice, beginSteps, releaseSteps, stepsTaken } from "./lanes/budget";
import { beginLanes, liveLanes, releaseLive, reserveLive, reviveLanes } from "./lanes/lanes";
import {
  adjointBase,
  adjointTop,
  beginArenas,
  forgetBlocks,
  heapBase,
  heapTop,
  primalTop,
  releaseArenas,
  reserveFreeBlocks,
  reserveHeap,
  reservePrimal,
  setHeapTop,
  setRecordedBytesMax,
  tableTop,
  tapeTop,
} from "./memory/arena";
import { clearFault, fail, faultCode } from "./memory/fault";
import { beginHeap } from "./memory/heap";
import { imageAt, payloadAt, reportAt } from "./memory/layout";
import { dataOf, integerValue, tagOf, valueOf } from "./memory/value";
import {
  adjointAddress,
  backward,
  beginBackward,
  hasWalkOnly,
  isReached,
  link,
  releaseKept,
  reserveBackward,
  seedOnes,
} from "./replay/replay";
import {
  beginPayloads,
  constantPayload,
  entryOf,
  lanes,
  newPayload,
  newScalar,
  payloadCount,
  payloadValue,
  primalOf,
  run,
  setCurrentNode,
} from "./tape/payload";
import { forgetTape, isMerging, laidTop, recording } from "./tape/recording";
import { pin, pinNothing } from "./walk/collect";
import { beginDivergence, releaseDivergence } from "./walk/divergence";
import { beginWalk, setGlobal, Walk } from "./walk/registers";
import { walkReport } from "./walk/report";

export { fitAdd, fitBegin, fitRounds, fitSum, fitTake } from "./fit/optimise";
export {
  adjointElementwise,
  adjointStructured,
  forwardElementwise,
  forwardPredicate,
  forwardStructured,
} from "./kernels/door";
export {
  allPassedBudget,
  beginSlice,
  exhaustedLanes,
  stepsTaken,
  timesTooWide,
  watchClock,
} from "./lanes/budget";
export {
  allowStrays,
  beginSurvey,
  countingLanes,
  endSurvey,
  firstCounting,
  laneBuffer,
  laneCount,
  strayLanes,
  writeCounting,
  writeLive,
  writeRefused,
} from "./lanes/lanes";
export { mathApply } from "./math/door";
export {
  controlBase,
  heapBase,
  primalBase,
  stackBase,
  tableBase,
  tapeBase,
} from "./memory/arena";
export {
  faultCode,
  faultDetail,
  faultOp,
  faultOperand,
  faultOther,
  faultOtherOperand,
  faultValue,
} from "./memory/fault";
export { objectsMade } from "./memory/heap";
export { allocate, free, memoryBytes, setMemoryMax } from "./memory/memory";
export {
  beginSwitchCounters,
  integerPoolHits,
  setSwitches,
  smallShapeCalls,
  switchCount,
} from "./memory/switches";
export { firstNonFinite, payloadsBlamed } from "./replay/blame";
export { guardFailures } from "./replay/guards";
export { sharedPrimals } from "./replay/paths";
export {
  adjointAddress,
  backward,
  beginBackward,
  forsakenAt,
  freeTrace,
  isReached,
  keepTrace,
  link,
  parkTrace,
  replay,
  replayGradient,
  reserveBackward,
  resumeAt,
  switchTrace,
} from "./replay/replay";
export { activeMade, currentNode, payloadsMade, uniformMade } from "./tape/payload";
export { activeRecords } from "./tape/recording";
export { compactions } from "./walk/collect";
export { abandon, skipDead } from "./walk/divergence";
export { runningNode } from "./walk/registers";

/** Copies the program's quoted structure to the start of the heap. */
function layQuotedStructure(program: usize): bool {
  const bytes = (<usize>imageAt(program).heap) << 3;
  if (bytes == 0) return true;
  if (!reserveHeap(bytes)) return false;
  memory.copy(heapBase, program + ((<usize>imageAt(program).heapAt) << 2), bytes);
  setHeapTop(bytes);
  return true;
}

// @ts-ignore: decorator
@inline function layConstants(program: usize): bool {
  const count = imageAt(program).constants;
  const from = program + ((<usize>imageAt(program).constantsAt) << 2);
  for (let i = 0; i < count; i++) {
    if (constantPayload(<real>load<f64>(from + ((<usize>i) << 3))) < 0) return false;
  }
  return true;
}

/** Forgets the numbers and the tape of the walk before. */
// @ts-ignore: decorator
@inline function beginNumbers(laneCount: i32, recordingLevel: i32): void {
  clearFault();
  beginHeap();
  beginPayloads(laneCount, recordingLevel);
  beginLanes();
  forgetTape();
  forgetBlocks();
  setCurrentNode(-1);
}

/** Whether the walk under way began with nothing left over from an earlier run. */
export let beganFresh: bool = false;

/** Gives back all that runs leave behind: no trace may be kept. */
export function releaseMemory(): void {
  releaseArenas();
  releaseLive();
  releaseSteps();
  releaseDivergence();
  releaseKept();
}

/** Starts a run of the image at `program`. Returns the fault code. */
export function begin(
  program: usize,
  laneCount: i32,
  recordingLevel: i32,
  recordedBytesMax: usize,
  isOptional: bool,
  stepsMax: f64,
): i32 {
  beganFresh = beginArenas() && hasWalkOnly();
  if (beganFresh) releaseMemory();
  beginNumbers(laneCount, recordingLevel);
  setRecordedBytesMax(recordedBytesMax, isOptional);
  // Even an empty vector has an address.
  const hasRoom =
    reservePrimal(16) &&
    reserveLive(run) &&
    layQuotedStructure(program) &&
    layConstants(program) &&
    beginWalk(program) &&
    beginSteps(stepsMax);
  if (!hasRoom) {
    fail(FAULT_MEMORY);
    return FAULT_MEMORY;
  }
  beginDivergence();
  reviveLanes(laneCount, run);
  return FAULT_NONE;
}

/** Runs the image's client until the program is done, its slice is used up, or something fails. */
export function walk(): i32 {
  return imageAt(Walk.image).client == CLIENT_STACK ? walkStack() : walkScheme();
}

/** What the latest slice of `walkSlice` came to: WALK_*. */
export let walkState: i32 = WALK_DONE;

/**
 * The first slice of a walk. Where that was all, and every lane got through it, ends the walk and
 * returns the report's address; 0 where more is to be done, as `walkState` says.
 */
export function walkSlice(steps: f64, isDifferentiated: bool, isKept: bool): usize {
  beginSlice(steps);
  walkState = walk();
  const isDone = walkState == WALK_DONE && faultCode == FAULT_NONE && liveLanes() == lanes;
  return isDone ? endWalk(isDifferentiated, isKept) : 0;
}

/**
 * Ends a walk: links its tape, where `isKept` asks for it and everything that varies is recorded,
 * and returns the address of its report.
 */
export function endWalk(isDifferentiated: bool, isKept: bool): usize {
  const report = walkReport();
  const value = Walk.value;
  const tag = tagOf(value);
  const result = isDifferentiated && (tag == TAG_REAL || tag == TAG_TENSOR) ? dataOf(value) : -1;
  const linked = isKept && recording == RECORD_VARYING ? link(result) : LINK_REFUSED;
  reportAt(report).link = linked;
  reportAt(report).linkedBytes = adjointTop;
  return report;
}

/** Whether the tape of the latest walk merges lanes, so that reaching is a matter of each lane. */
export function hasMerges(): bool {
  return isMerging;
}

/** Makes the payload of input `index` and returns the address for its numbers; 0 after a fault. */
export function bindNumbers(
  index: i32,
  rank: i32,
  rows: i32,
  cols: i32,
  uniform: bool,
  active: bool,
): usize {
  const kind = (uniform ? PAYLOAD_UNIFORM : 0) | (active ? PAYLOAD_ACTIVE : 0) | PAYLOAD_VARYING;
  const id = newPayload(rows, cols, rank | kind);
  if (id < 0) return 0;
  payloadAt(entryOf(id)).origin = -1 - index;
  setGlobal(index, payloadValue(id));
  return primalOf(id);
}

export function bindInteger(index: i32, n: i32): void {
  setGlobal(index, integerValue(n));
}

/** All inputs are bound: what lies in the arenas now stays for the whole run. */
export function bound(): void {
  pin();
}

// ─── One lane in one call ───────────────────────────────────────────────────

/** Room for blocks that a single walk lays: at least so much, and what the walk before needed. */
const SINGLE_BLOCKS_LEAST: usize = 32 * BLOCK_BYTES;
const SINGLE_BLOCKS_MOST: usize = 2048 * BLOCK_BYTES;

const singleNumbers: usize = memory.data(SINGLE_COUNT * 8, 16);

/** Address of the numbers of a single walk: see SINGLE_*. */
export function singlePlace(): usize {
  return singleNumbers;
}

// @ts-ignore: decorator
@inline function singleNumber(index: i32): f64 {
  return load<f64>(singleNumbers + ((<usize>index) << 3));
}

/** NaNs have the same bits wherever they come from. */
// @ts-ignore: decorator
@inline function setSingle(index: i32, number: f64): void {
  store<f64>(singleNumbers + ((<usize>index) << 3), number == number ? number : NaN);
}

/**
 * A whole run of one lane whose `count` inputs are numbers: begins it, binds them, walks at most
 * `steps`, links the tape where it `isKept`, and passes back to the inputs of the bits `wanted`.
 * The inputs of the bits `shared` are bound as those that all lanes share. Returns SINGLE_*.
 */
export function walkSingle(
  program: usize,
  recordingLevel: i32,
  recordedBytesMax: usize,
  isOptional: bool,
  stepsMax: f64,
  steps: f64,
  count: i32,
  wanted: u32,
  shared: u32,
  isKept: bool,
): i32 {
  const isPlain = !isKept && recordingLevel == (wanted == 0 ? RECORD_NOTHING : RECORD_ACTIVE_ONLY);
  if (
    isPlain &&
    isStraight(program) &&
    beginStraight(program, recordingLevel, recordedBytesMax, steps)
  )
    return walkFormula(program, wanted, shared);
  const blocks = min(max(laidTop, SINGLE_BLOCKS_LEAST), SINGLE_BLOCKS_MOST);
  if (begin(program, 1, recordingLevel, recordedBytesMax, isOptional, stepsMax) != FAULT_NONE)
    return SINGLE_SHORT;
  if (wanted != 0) reserveFreeBlocks(blocks);
  const first = payloadCount();
  if (!bindSingle(count, wanted, shared)) return SINGLE_SHORT;
  beginSlice(steps);
  walkState = walk();
  const isDone = walkState == WALK_DONE && faultCode == FAULT_NONE && liveLanes() == lanes;
  if (!isDone) return SINGLE_OPEN;
  const value = Walk.value;
  if (tagOf(value) != TAG_REAL || isMerging) return SINGLE_WALKED;
  setSingle(SINGLE_STEPS, stepsTaken());
  if (isKept) {
    const report = endWalk(wanted != 0, true);
    if (reportAt(report).link != LINK_DONE) return SINGLE_WALKED;
    setSingle(SINGLE_REPORT, <f64>report);
  }
  const result = dataOf(value);
  setSingle(SINGLE_VALUE, <f64>load<real>(primalOf(result)));
  return wanted == 0 || passBack(result, first, wanted) ? SINGLE_DONE : SINGLE_WALKED;
}

/** Begins the run of a straight formula; false where the way that all programs take must do it. */
function beginStraight(program: usize, level: i32, recordedBytesMax: usize, steps: f64): bool {
  beginNumbers(1, level);
  pinNothing();
  const hasRoom =
    reserveStraight(program, recordedBytesMax, steps) && reserveLive(run) && beginSteps(steps);
  if (!hasRoom) return false;
  setRecordedBytesMax(recordedBytesMax, false);
  reviveLanes(1, run);
  return layConstants(program);
}

/** As `walkSingle` for a straight formula whose run has begun. */
function walkFormula(program: usize, wanted: u32, shared: u32): i32 {
  const first = payloadCount();
  const given = singleNumbers + SINGLE_INPUTS * 8;
  const result = walkStraight(program, given, wanted, shared);
  walkState = WALK_DONE;
  setSingle(SINGLE_STEPS, stepsTaken());
  setSingle(SINGLE_VALUE, <f64>load<real>(primalOf(result)));
  if (wanted == 0) return SINGLE_DONE;
  passStraight();
  // Those that are wanted were made first, and their adjoints lie side by side.
  let at = adjointBase;
  for (let left = wanted; left != 0; left &= left - 1) {
    setSingle(SINGLE_GRADIENTS + <i32>ctz<u32>(left), <f64>load<real>(at));
    at += 16;
  }
  setSingle(SINGLE_REACHED, <f64>inputsSeen);
  return SINGLE_DONE;
}

/** Binds the inputs of a single walk; false where memory is short. */
// @ts-ignore: decorator
@inline function bindSingle(count: i32, wanted: u32, shared: u32): bool {
  for (let i = 0; i < count; i++) {
    const uniform = ((shared >> i) & 1) != 0 ? PAYLOAD_UNIFORM : 0;
    const active = ((wanted >> i) & 1) != 0 ? PAYLOAD_ACTIVE : 0;
    const id = newScalar(uniform | active | PAYLOAD_VARYING);
    if (id < 0) return false;
    payloadAt(entryOf(id)).origin = -1 - i;
    setGlobal(i, valueOf(TAG_REAL, id));
    v128.store(primalOf(id), v128.splat<real>(<real>singleNumber(SINGLE_INPUTS + i)));
  }
  bound();
  return true;
}

/** Writes the gradients by the inputs of the bits `wanted`; false after a fault. */
function passBack(result: i32, first: i32, wanted: u32): bool {
  if (!reserveBackward(false) || !beginBackward()) return false;
  const isActive = adjointAddress(result) != 0;
  seedOnes(result);
  if (isActive && backward(result, false) != FAULT_NONE) return false;
  let reached: u32 = 0;
  for (let left = wanted; left != 0; left &= left - 1) {
    const i = ctz<u32>(left);
    const id = first + <i32>i;
    setSingle(SINGLE_GRADIENTS + <i32>i, <f64>load<real>(adjointAddress(id)));
    if (isActive && isReached(id, false)) reached |= 1 << i;
  }
  setSingle(SINGLE_REACHED, <f64>reached);
  return true;
}

/** The program's value: its tag and its data. */
export function resultTag(): i32 {
  return tagOf(Walk.value);
}

export function resultData(): i32 {
  return dataOf(Walk.value);
}

export function runBytes(): usize {
  return run;
}

export function controlEnd(): usize {
  return Walk.controlPtr;
}

export function primalAddress(id: i32): usize {
  return primalOf(id);
}

export function entryAddress(id: i32): usize {
  return entryOf(id);
}

export function payloads(): i32 {
  return payloadCount();
}

export function tapeEnd(): usize {
  return tapeTop;
}

export function bytesUsed(which: i32): usize {
  switch (which) {
    case 0:
      return primalTop;
    case 1:
      return adjointTop;
    case 2:
      return tapeTop;
    case 3:
      return heapTop;
    default:
      return tableTop;
  }
}

/** What is recorded in the current run: 0 nothing, 1 what is active, 2 what varies. */
export function recordingLevel(): i32 {
  return recording;
}
