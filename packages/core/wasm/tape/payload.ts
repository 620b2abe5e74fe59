/**
 * Payloads: the numbers of a run. An entry of the payload table names a place in the primal arena
 * and, where a differentiated input reaches the payload, one in the adjoint arena.
 *
 *   primal   | element 0: lane 0, lane 1, … padded to 16 bytes | element 1: … |   per lane
 *            | element 0, splatted over 16 bytes | element 1 |                    uniform
 *   adjoint  always one value per lane
 *
 * Structure of arrays: one element of every lane is contiguous, so every kernel vectorises over
 * lanes whatever the shape.
 */

import {
  BLOCK_BYTES,
  FAULT_MEMORY,
  FAULT_TAPE,
  PAYLOAD_ACTIVE,
  PAYLOAD_BYTES,
  PAYLOAD_PASSED,
  PAYLOAD_RANK,
  PAYLOAD_UNIFORM,
  RECORD_NOTHING,
  SMALL_BYTES,
  TAG_REAL,
  TAG_TENSOR,
} from "../../src/program/layout";
import {
  adjointBase,
  adjointTop,
  primalBase,
  primalBytes,
  primalTop,
  recordedBytesMax,
  reservePrimal,
  reserveTable,
  setAdjointTop,
  setPrimalTop,
  setTableTop,
  tableBase,
  tableBytes,
  tableTop,
  tapeTop,
} from "../memory/arena";
import { fail } from "../memory/fault";
import { blockAt, payloadAt, smallAt } from "../memory/layout";
import { countPoolHit, integerPool } from "../memory/switches";
import { valueOf } from "../memory/value";
import { beginRecording, giveUpRecording, recording } from "./recording";

/** Lanes of the run and bytes of one run of lanes. */
export let lanes: i32 = 1;
export let run: usize = 16;
/** Mask payload of the lanes that evaluate now, -1: all of them. */
export let context: i32 = -1;
/** The node whose evaluation makes payloads now. */
export let currentNode: i32 = 0;

export let payloadsMade: f64 = 0;
export let uniformMade: f64 = 0;
export let activeMade: f64 = 0;

/** The operand block that kernels called from here read. */
export const block: usize = memory.data(BLOCK_BYTES, 16);

// Payloads of small integers that met a real number, kept so that literals are stored once: the
// payload's id, and the generation it belongs to. To forget them all a new generation begins.
const SMALL_MIN: i32 = -64;
const SMALL_COUNT: i32 = 256;
const smallIntegers: usize = memory.data(SMALL_COUNT * SMALL_BYTES, 16);
let smallGeneration: u32 = 0;

// The same for identity matrices up to this size.
const IDENTITY_MAX: i32 = 8;
const identities: usize = memory.data((IDENTITY_MAX + 1) * SMALL_BYTES, 16);

export function setLanes(count: i32, bytes: usize): void {
  lanes = count;
  run = bytes;
}

export function setContext(mask: i32): void {
  context = mask;
}

export function beginPayloads(laneCount: i32, level: i32): void {
  lanes = laneCount;
  run = (<usize>laneCount * sizeof<real>() + 15) & ~15;
  beginRecording(level);
  context = -1;
  payloadsMade = 0;
  uniformMade = 0;
  activeMade = 0;
  setTableTop(0);
  setPrimalTop(0);
  setAdjointTop(0);
  forgetSmallIntegers();
}

export function forgetSmallIntegers(): void {
  smallGeneration += 1;
  if (smallGeneration != 0) return;
  memory.fill(smallIntegers, 0xff, SMALL_COUNT * SMALL_BYTES);
  memory.fill(identities, 0xff, (IDENTITY_MAX + 1) * SMALL_BYTES);
}

export function setCurrentNode(node: i32): void {
  currentNode = node;
}

// @ts-ignore: decorator
@inline export function entryOf(id: i32): usize {
  return tableBase + <usize>id * PAYLOAD_BYTES;
}

// @ts-ignore: decorator
@inline export function payloadCount(): i32 {
  return <i32>(tableTop / PAYLOAD_BYTES);
}

// @ts-ignore: decorator
@inline export function flagsOf(id: i32): i32 {
  return payloadAt(entryOf(id)).flags;
}

// @ts-ignore: decorator
@inline export function rankOf(id: i32): i32 {
  return flagsOf(id) & PAYLOAD_RANK;
}

// @ts-ignore: decorator
@inline export function isUniform(id: i32): bool {
  return (flagsOf(id) & PAYLOAD_UNIFORM) != 0;
}

// @ts-ignore: decorator
@inline export function isActive(id: i32): bool {
  return (flagsOf(id) & PAYLOAD_ACTIVE) != 0;
}

// @ts-ignore: decorator
@inline export function countOf(id: i32): i32 {
  return payloadAt(entryOf(id)).count;
}

// @ts-ignore: decorator
@inline export function rowsOf(id: i32): i32 {
  return payloadAt(entryOf(id)).rows;
}

// @ts-ignore: decorator
@inline export function colsOf(id: i32): i32 {
  return payloadAt(entryOf(id)).cols;
}

// @ts-ignore: decorator
@inline export function primalOf(id: i32): usize {
  return primalBase + <usize>payloadAt(entryOf(id)).primal;
}

/** Bytes from one element of the primal to the next. */
// @ts-ignore: decorator
@inline export function stepOf(flags: i32): usize {
  return (flags & PAYLOAD_UNIFORM) != 0 ? 16 : run;
}

// @ts-ignore: decorator
@inline export function payloadValue(id: i32): u64 {
  return valueOf(rankOf(id) == 0 ? TAG_REAL : TAG_TENSOR, id);
}

/** Adds an entry whose primal lies at `primal`; flags hold rank, uniform and active. */
function addEntry(rows: i32, cols: i32, flags: i32, primal: usize): i32 {
  if (!reserveTable(PAYLOAD_BYTES)) {
    fail(FAULT_MEMORY);
    return -1;
  }
  const entry = tableBase + tableTop;
  const id = payloadCount();
  setTableTop(tableTop + PAYLOAD_BYTES);
  const count = rows * cols;
  payloadAt(entry).primal = <u32>primal;
  payloadAt(entry).adjoint = 0;
  payloadAt(entry).rows = rows;
  payloadAt(entry).cols = cols;
  payloadAt(entry).count = count;
  payloadAt(entry).flags = flags;
  payloadAt(entry).origin = currentNode;
  payloadAt(entry).context = context;
  payloadsMade += 1;
  if ((flags & PAYLOAD_UNIFORM) != 0) uniformMade += 1;
  if ((flags & PAYLOAD_ACTIVE) != 0) {
    activeMade += 1;
    payloadAt(entry).adjoint = <u32>adjointTop;
    setAdjointTop(adjointTop + <usize>count * run);
  }
  return id;
}

/** A new payload with room for its numbers; -1 and a fault where memory does not allow it. */
export function newPayload(rows: i32, cols: i32, flags: i32): i32 {
  const bytes = <u64>rows * <u64>cols * <u64>stepOf(flags);
  const adjoint = (flags & PAYLOAD_ACTIVE) != 0 ? <u64>rows * <u64>cols * <u64>run : 0;
  const recorded = bytes + adjoint + <u64>primalTop + <u64>tapeTop + <u64>adjointTop;
  if (recording != RECORD_NOTHING && recorded > <u64>recordedBytesMax && !giveUpRecording()) {
    fail(FAULT_TAPE);
    return -1;
  }
  if (bytes > 0xc0000000 || !reservePrimal(<usize>bytes)) {
    fail(FAULT_MEMORY);
    return -1;
  }
  const id = addEntry(rows, cols, flags, primalTop);
  if (id >= 0) setPrimalTop(primalTop + <usize>bytes);
  return id;
}

/** As `newPayload` for one number; the plain case, where there is room, is decided here. */
export function newScalar(flags: i32): i32 {
  const bytes = stepOf(flags);
  const adjoint = (flags & PAYLOAD_ACTIVE) != 0 ? run : 0;
  const recorded = <u64>primalTop + <u64>tapeTop + <u64>adjointTop + <u64>(bytes + adjoint);
  const hasRoom =
    tableTop + PAYLOAD_BYTES <= tableBytes &&
    primalTop + bytes <= primalBytes &&
    recorded <= <u64>recordedBytesMax;
  if (!hasRoom) return newPayload(1, 1, flags);
  const entry = tableBase + tableTop;
  const id = payloadCount();
  setTableTop(tableTop + PAYLOAD_BYTES);
  payloadAt(entry).primal = <u32>primalTop;
  setPrimalTop(primalTop + bytes);
  payloadAt(entry).adjoint = adjoint != 0 ? <u32>adjointTop : 0;
  setAdjointTop(adjointTop + adjoint);
  payloadAt(entry).rows = 1;
  payloadAt(entry).cols = 1;
  payloadAt(entry).count = 1;
  payloadAt(entry).flags = flags;
  payloadAt(entry).origin = currentNode;
  payloadAt(entry).context = context;
  payloadsMade += 1;
  if ((flags & PAYLOAD_UNIFORM) != 0) uniformMade += 1;
  if (adjoint != 0) activeMade += 1;
  return id;
}

/** Counts numbers that somebody else has added to the table, all `made` in this run with them. */
// @ts-ignore: decorator
@inline export function countScalars(made: i32, uniform: i32, active: i32): void {
  payloadsMade = made;
  uniformMade += uniform;
  activeMade = active;
}

/** A payload that shares part of another's primal. Only for payloads that are not active. */
export function viewPayload(owner: i32, element: i32, rows: i32, cols: i32, rank: i32): i32 {
  const flags = flagsOf(owner);
  const primal = <usize>payloadAt(entryOf(owner)).primal + <usize>element * stepOf(flags);
  return addEntry(rows, cols, (flags & ~(PAYLOAD_RANK | PAYLOAD_PASSED)) | rank, primal);
}

/** Takes the newest payload back; it must not be referred to. */
export function dropNewest(primal: usize): void {
  setTableTop(tableTop - PAYLOAD_BYTES);
  setPrimalTop(primal);
}

/** A uniform scalar that no input reaches. */
export function constantPayload(number: real): i32 {
  const id = newPayload(1, 1, PAYLOAD_UNIFORM);
  if (id >= 0) v128.store(primalOf(id), v128.splat<real>(number));
  return id;
}

/** The payload of an integer that meets a real number. */
export function integerPayload(n: i32): i32 {
  const slot = <u32>(n - SMALL_MIN);
  if (slot >= <u32>SMALL_COUNT || !integerPool) return constantPayload(<real>n);
  const known = smallIntegers + <usize>slot * SMALL_BYTES;
  if (smallAt(known).generation == smallGeneration) {
    countPoolHit();
    return smallAt(known).id;
  }
  const id = constantPayload(<real>n);
  if (id < 0) return id;
  smallAt(known).id = id;
  smallAt(known).generation = smallGeneration;
  return id;
}

/** The payload of an identity matrix that was made before; -1 where there is none. */
export function knownIdentity(size: i32): i32 {
  if (size > IDENTITY_MAX || !integerPool) return -1;
  const known = identities + <usize>size * SMALL_BYTES;
  if (smallAt(known).generation != smallGeneration) return -1;
  countPoolHit();
  return smallAt(known).id;
}

/** Keeps the payload of an identity matrix for later ones of its size. */
export function keepIdentity(size: i32, id: i32): void {
  if (size > IDENTITY_MAX) return;
  const known = identities + <usize>size * SMALL_BYTES;
  smallAt(known).id = id;
  smallAt(known).generation = smallGeneration;
}

// @ts-ignore: decorator
@inline function adjointOf(entry: usize, flags: i32): usize {
  return (flags & PAYLOAD_ACTIVE) != 0 ? adjointBase + <usize>payloadAt(entry).adjoint : 0;
}

/** Fills the block at `at`: result z, operands x and y (y < 0: none). Scalars broadcast. */
export function fillBlockAt(at: usize, z: i32, x: i32, y: i32): void {
  fillPrimals(at, z, x, y);
  fillAdjoints(at, z, x, y);
}

/** What a kernel needs to run forward. */
function fillPrimals(at: usize, z: i32, x: i32, y: i32): void {
  fillResult(at, entryOf(z));
  const xEntry = entryOf(x);
  const xFlags = payloadAt(xEntry).flags;
  blockAt(at).x = primalAt(xEntry);
  blockAt(at).xStep = (xFlags & PAYLOAD_RANK) == 0 ? 0 : <u32>stepOf(xFlags);
  blockAt(at).xMask = laneMask(xFlags);
  if (y < 0) return;
  const yEntry = entryOf(y);
  const yFlags = payloadAt(yEntry).flags;
  blockAt(at).y = primalAt(yEntry);
  blockAt(at).yStep = (yFlags & PAYLOAD_RANK) == 0 ? 0 : <u32>stepOf(yFlags);
  blockAt(at).yMask = laneMask(yFlags);
}

// @ts-ignore: decorator
@inline function fillResult(at: usize, entry: usize): void {
  const flags = payloadAt(entry).flags;
  const bytes = <u32>stepOf(flags);
  blockAt(at).z = primalAt(entry);
  blockAt(at).zStep = bytes;
  blockAt(at).zMask = laneMask(flags);
  blockAt(at).zRun = bytes;
  blockAt(at).run = <u32>run;
  blockAt(at).count = <u32>payloadAt(entry).count;
}

// @ts-ignore: decorator
@inline function primalAt(entry: usize): usize {
  return primalBase + <usize>payloadAt(entry).primal;
}

// @ts-ignore: decorator
@inline function laneMask(flags: i32): u32 {
  return (flags & PAYLOAD_UNIFORM) != 0 ? 0 : -1;
}

/** What it needs besides to run back. */
export function fillAdjoints(at: usize, z: i32, x: i32, y: i32): void {
  const zEntry = entryOf(z);
  blockAt(at).gz = adjointOf(zEntry, payloadAt(zEntry).flags);
  const xEntry = entryOf(x);
  const xFlags = payloadAt(xEntry).flags;
  blockAt(at).gx = adjointOf(xEntry, xFlags);
  blockAt(at).gxStep = (xFlags & PAYLOAD_RANK) == 0 ? 0 : <u32>run;
  if (y < 0) return;
  const yEntry = entryOf(y);
  const yFlags = payloadAt(yEntry).flags;
  blockAt(at).gy = adjointOf(yEntry, yFlags);
  blockAt(at).gyStep = (yFlags & PAYLOAD_RANK) == 0 ? 0 : <u32>run;
}

/** Fills a block for scalars to run forward, where nothing is left for an adjoint. */
// @ts-ignore: decorator
@inline export function fillScalars(at: usize, z: i32, x: i32, y: i32): void {
  fillResult(at, entryOf(z));
  blockAt(at).slope = 0;
  const xEntry = entryOf(x);
  blockAt(at).x = primalAt(xEntry);
  blockAt(at).xStep = 0;
  blockAt(at).xMask = laneMask(payloadAt(xEntry).flags);
  if (y < 0) return;
  const yEntry = entryOf(y);
  blockAt(at).y = primalAt(yEntry);
  blockAt(at).yStep = 0;
  blockAt(at).yMask = laneMask(payloadAt(yEntry).flags);
}

/** Fills the block that kernels called during a walk read. */
// @ts-ignore: decorator
@inline export function fillBlock(z: i32, x: i32, y: i32): void {
  fillPrimals(block, z, x, y);
}
