/**
 * Arenas: the growing memories of one run. Each is one block; it grows by moving to a block twice
 * the size, so everything refers into it by offset from its base.
 *
 *   stack     values of the evaluator        (grows on procedure entry)
 *   control   continuation frames            (grows on procedure entry)
 *   heap      pairs, closures, boxes         (reset in O(1) between walks)
 *   table     payload entries
 *   primal    payload numbers
 *   tape      records
 *   adjoint   made anew for each backward pass, never moved
 *   blocks    operand blocks of the tape's records, once it is linked
 *   reach     which payloads the backward pass has reached
 *   scratch   working space of one kernel call
 *   work      a stack for primitives that walk nested structure
 *
 * `base + top` is the first free byte.
 */

import { ARENAS_BYTES, HEADER_BYTES } from "../../src/program/layout";
import { arenasAt, headerAt } from "./layout";
import { allocate, free, memoryMax } from "./memory";

export let stackBase: usize = 0;
export let stackBytes: usize = 0;
export let controlBase: usize = 0;
export let controlBytes: usize = 0;
export let heapBase: usize = 0;
export let heapBytes: usize = 0;
export let heapTop: usize = 0;
export let tableBase: usize = 0;
export let tableBytes: usize = 0;
export let tableTop: usize = 0;
export let primalBase: usize = 0;
export let primalBytes: usize = 0;
export let primalTop: usize = 0;
/** How often primals have moved: they may come back to where they were. */
export let primalMoves: u32 = 0;
export let tapeBase: usize = 0;
export let tapeBytes: usize = 0;
export let tapeTop: usize = 0;
export let adjointBase: usize = 0;
export let adjointBytes: usize = 0;
export let adjointTop: usize = 0;
export let scratchBase: usize = 0;
export let scratchBytes: usize = 0;
export let blocksBase: usize = 0;
export let blocksBytes: usize = 0;
export let blocksTop: usize = 0;
export let reachBase: usize = 0;
let reachBytes: usize = 0;
export let workBase: usize = 0;
let workBytes: usize = 0;

/** Most bytes of tape, primals and adjoints together. */
export let recordedBytesMax: usize = 1 << 30;
/** Whether a run that passes it goes on without recording, or fails. */
export let recordingIsOptional: bool = false;

export function setRecordedBytesMax(bytes: usize, isOptional: bool): void {
  recordedBytesMax = bytes;
  recordingIsOptional = isOptional;
}

/**
 * Moves `used` bytes into a block of at least `needed` bytes; 0 where memory does not allow it.
 * Growth stays geometric even where memory is short: growing by a little each time would copy the
 * whole arena again and again.
 */
function moved(base: usize, used: usize, have: usize, needed: usize): usize {
  let fresh: usize = 0;
  if (have < 0x60000000) fresh = allocate(max(needed, have * 2));
  if (fresh == 0) fresh = allocate(max(needed, have + (have >> 2)));
  if (fresh == 0) fresh = allocate(max(needed, have + (have >> 4)));
  if (fresh == 0) return 0;
  memory.copy(fresh, base, used);
  free(base);
  return fresh;
}

// @ts-ignore: decorator
@inline function sizeFor(fresh: usize): usize {
  return headerAt(fresh - HEADER_BYTES).bytes;
}

export function reserveStack(used: usize, needed: usize): bool {
  if (needed <= stackBytes) return true;
  const fresh = moved(stackBase, used, stackBytes, needed);
  if (fresh == 0) return false;
  stackBase = fresh;
  stackBytes = sizeFor(fresh);
  return true;
}

export function reserveControl(used: usize, needed: usize): bool {
  if (needed <= controlBytes) return true;
  const fresh = moved(controlBase, used, controlBytes, needed);
  if (fresh == 0) return false;
  controlBase = fresh;
  controlBytes = sizeFor(fresh);
  return true;
}

function growHeap(needed: usize): bool {
  const fresh = moved(heapBase, heapTop, heapBytes, needed);
  if (fresh == 0) return false;
  heapBase = fresh;
  heapBytes = sizeFor(fresh);
  return true;
}

// @ts-ignore: decorator
@inline export function reserveHeap(bytes: usize): bool {
  return heapTop + bytes <= heapBytes || growHeap(heapTop + bytes);
}

function growTable(needed: usize): bool {
  const fresh = moved(tableBase, tableTop, tableBytes, needed);
  if (fresh == 0) return false;
  tableBase = fresh;
  tableBytes = sizeFor(fresh);
  return true;
}

// @ts-ignore: decorator
@inline export function reserveTable(bytes: usize): bool {
  return tableTop + bytes <= tableBytes || growTable(tableTop + bytes);
}

function growPrimal(needed: usize): bool {
  const fresh = moved(primalBase, primalTop, primalBytes, needed);
  if (fresh == 0) return false;
  primalBase = fresh;
  primalBytes = sizeFor(fresh);
  primalMoves += 1;
  return true;
}

// @ts-ignore: decorator
@inline export function reservePrimal(bytes: usize): bool {
  // Sums of sizes can pass 32 bits.
  const needed = <u64>primalTop + <u64>bytes;
  return needed <= <u64>primalBytes || (needed <= 0xffffffff && growPrimal(<usize>needed));
}

function growTape(needed: usize): bool {
  const fresh = moved(tapeBase, tapeTop, tapeBytes, needed);
  if (fresh == 0) return false;
  tapeBase = fresh;
  tapeBytes = sizeFor(fresh);
  return true;
}

// @ts-ignore: decorator
@inline export function reserveTape(bytes: usize): bool {
  return tapeTop + bytes <= tapeBytes || growTape(tapeTop + bytes);
}

/** A block of `bytes`, and a quarter more where memory allows it; 0 where it allows neither. */
function roomyBlock(bytes: usize): usize {
  const roomy = bytes < 0x80000000 ? allocate(bytes + (bytes >> 2)) : 0;
  return roomy != 0 ? roomy : allocate(bytes);
}

/** Makes room for all adjoints of the run; what was in the arena is lost. */
export function reserveAdjoint(bytes: usize): bool {
  if (bytes <= adjointBytes) return true;
  free(adjointBase);
  adjointBase = roomyBlock(bytes);
  adjointBytes = adjointBase == 0 ? 0 : sizeFor(adjointBase);
  return adjointBase != 0;
}

/** Makes room for the blocks of the whole tape; what was in the arena is lost. */
export function reserveBlocks(bytes: usize): bool {
  blocksTop = 0;
  if (bytes > blocksBytes) {
    free(blocksBase);
    blocksBase = allocate(bytes);
    blocksBytes = blocksBase == 0 ? 0 : sizeFor(blocksBase);
    if (blocksBase == 0) return false;
  }
  blocksTop = bytes;
  return true;
}

/** Makes room for blocks that a walk may lay; it can do without. */
export function reserveFreeBlocks(bytes: usize): void {
  if (bytes > blocksBytes) reserveBlocks(bytes);
  blocksTop = 0;
}

export function forgetBlocks(): void {
  blocksTop = 0;
}

/** Makes room for the marks of one backward pass; what was in the arena is lost. */
export function reserveReach(bytes: usize): bool {
  if (bytes <= reachBytes) return true;
  free(reachBase);
  reachBase = roomyBlock(bytes);
  reachBytes = reachBase == 0 ? 0 : sizeFor(reachBase);
  return reachBase != 0;
}

/** Makes room for one kernel call; what was in the arena is lost. */
export function reserveScratch(bytes: usize): bool {
  if (bytes <= scratchBytes) return true;
  free(scratchBase);
  scratchBase = allocate(bytes);
  scratchBytes = scratchBase == 0 ? 0 : sizeFor(scratchBase);
  return scratchBase != 0;
}

export function reserveWork(used: usize, needed: usize): bool {
  if (needed <= workBytes) return true;
  const fresh = moved(workBase, used, workBytes, max<usize>(needed, 1024));
  if (fresh == 0) return false;
  workBase = fresh;
  workBytes = sizeFor(fresh);
  return true;
}

export function setHeapTop(top: usize): void {
  heapTop = top;
}

export function setTableTop(top: usize): void {
  tableTop = top;
}

export function setPrimalTop(top: usize): void {
  primalTop = top;
}

export function setTapeTop(top: usize): void {
  tapeTop = top;
}

export function setAdjointTop(top: usize): void {
  adjointTop = top;
}

function arenaBytes(): u64 {
  const ofWalk = <u64>stackBytes + <u64>controlBytes + <u64>heapBytes + <u64>workBytes;
  const ofTrace = <u64>tableBytes + <u64>primalBytes + <u64>tapeBytes + <u64>blocksBytes;
  return ofWalk + ofTrace + <u64>adjointBytes + <u64>scratchBytes + <u64>reachBytes;
}

/**
 * Gives the walk's arenas back, so that a program has all of memory whatever ran before it. Kept
 * traces have arenas of their own; none of them may be current.
 */
export function releaseArenas(): void {
  free(stackBase);
  free(controlBase);
  free(heapBase);
  free(workBase);
  free(reachBase);
  stackBase = controlBase = heapBase = workBase = reachBase = 0;
  stackBytes = controlBytes = heapBytes = workBytes = reachBytes = 0;
  free(tableBase);
  free(primalBase);
  free(tapeBase);
  free(adjointBase);
  free(blocksBase);
  free(scratchBase);
  tableBase = primalBase = tapeBase = adjointBase = blocksBase = scratchBase = 0;
  tableBytes = primalBytes = tapeBytes = adjointBytes = blocksBytes = scratchBytes = 0;
  heapTop = tableTop = primalTop = tapeTop = adjointTop = blocksTop = 0;
}

/**
 * Small arenas stay for the next run, large ones would take memory that it needs. Returns whether
 * there are none.
 */
export function beginArenas(): bool {
  const bytes = arenaBytes();
  const isLarge = bytes > <u64>(memoryMax >> 3);
  if (isLarge) releaseArenas();
  return isLarge || bytes == 0;
}

/** Puts compacted copies in the place of the old arenas (see collect.ts). */
export function replaceArenas(heap: usize, table: usize, primal: usize): void {
  free(heapBase);
  heapBase = heap;
  heapBytes = sizeFor(heap);
  free(tableBase);
  tableBase = table;
  tableBytes = sizeFor(table);
  free(primalBase);
  primalBase = primal;
  primalBytes = sizeFor(primal);
}

/** Writes the arenas of the current trace to `at`. */
export function saveArenas(at: usize): void {
  arenasAt(at).tableBase = tableBase;
  arenasAt(at).tableBytes = tableBytes;
  arenasAt(at).tableTop = tableTop;
  arenasAt(at).primalBase = primalBase;
  arenasAt(at).primalBytes = primalBytes;
  arenasAt(at).primalTop = primalTop;
  arenasAt(at).tapeBase = tapeBase;
  arenasAt(at).tapeBytes = tapeBytes;
  arenasAt(at).tapeTop = tapeTop;
  arenasAt(at).adjointBase = adjointBase;
  arenasAt(at).adjointBytes = adjointBytes;
  arenasAt(at).adjointTop = adjointTop;
  arenasAt(at).blocksBase = blocksBase;
  arenasAt(at).blocksBytes = blocksBytes;
  arenasAt(at).blocksTop = blocksTop;
  arenasAt(at).scratchBase = scratchBase;
  arenasAt(at).scratchBytes = scratchBytes;
}

/** Takes the arenas at `at` as those of the current trace. */
export function loadArenas(at: usize): void {
  tableBase = arenasAt(at).tableBase;
  tableBytes = arenasAt(at).tableBytes;
  tableTop = arenasAt(at).tableTop;
  primalBase = arenasAt(at).primalBase;
  primalBytes = arenasAt(at).primalBytes;
  primalTop = arenasAt(at).primalTop;
  tapeBase = arenasAt(at).tapeBase;
  tapeBytes = arenasAt(at).tapeBytes;
  tapeTop = arenasAt(at).tapeTop;
  adjointBase = arenasAt(at).adjointBase;
  adjointBytes = arenasAt(at).adjointBytes;
  adjointTop = arenasAt(at).adjointTop;
  blocksBase = arenasAt(at).blocksBase;
  blocksBytes = arenasAt(at).blocksBytes;
  blocksTop = arenasAt(at).blocksTop;
  scratchBase = arenasAt(at).scratchBase;
  scratchBytes = arenasAt(at).scratchBytes;
}

/** Arenas that are handed on: larger ones would stay with a trace that may be small. */
const HANDED_BYTES_MAX: u64 = 1 << 18;

function writtenBytes(at: usize): u64 {
  const ofValues =
    <u64>arenasAt(at).tableBytes + <u64>arenasAt(at).primalBytes + <u64>arenasAt(at).adjointBytes;
  return (
    ofValues +
    <u64>arenasAt(at).tapeBytes +
    <u64>arenasAt(at).blocksBytes +
    <u64>arenasAt(at).scratchBytes
  );
}

/**
 * Gives the arenas written at `at` to the set at `to`; false where that has some, or they are
 * large.
 */
export function handArenas(at: usize, to: usize): bool {
  if (writtenBytes(to) != 0 || writtenBytes(at) > HANDED_BYTES_MAX) return false;
  for (let b: usize = 0; b < <usize>ARENAS_BYTES; b += 4) store<u32>(to + b, load<u32>(at + b));
  return true;
}

/** Frees the arenas written at `at`. */
export function freeArenas(at: usize): void {
  free(arenasAt(at).tableBase);
  free(arenasAt(at).primalBase);
  free(arenasAt(at).tapeBase);
  free(arenasAt(at).adjointBase);
  free(arenasAt(at).blocksBase);
  free(arenasAt(at).scratchBase);
}
