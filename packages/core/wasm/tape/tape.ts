/**
 * The tape: one record per numeric operation that an input reaches, in the order they ran, with
 * the guards, masks and merges of control between them.
 *
 *   byte  0    4     8     12    16    20     24
 *         | op | out | in0 | in1 | aux | mask |
 *
 * Without replay only what a differentiated input reaches is recorded. Structural work (lookup,
 * cons, dispatch) leaves no record.
 * Invariant: every input id is smaller than the record's output id, except that `place` fills
 * parts of one output by several records in a row.
 */

import {
  BLOCK_BYTES,
  FAULT_MEMORY,
  FAULT_TAPE,
  PAYLOAD_ACTIVE,
  RECORD_ACTIVE,
  RECORD_BYTES,
  RECORD_CODE,
  RECORD_VARYING,
  TRACE_FIRST,
  TRACE_GATHER,
  TRACE_MERGE,
} from "../../src/program/layout";
import { OP_PICK, OP_PLACE, OP_STRUCTURED_FIRST } from "../generated/ops";
import {
  dimCols,
  dimInner,
  dimRows,
  structuredScratchBytes,
  structuredShape,
} from "../linalg/shapes";
import {
  adjointTop,
  blocksBase,
  blocksBytes,
  primalTop,
  recordedBytesMax,
  reserveScratch,
  reserveTape,
  scratchBase,
  setTapeTop,
  tapeBase,
  tapeTop,
} from "../memory/arena";
import { fail } from "../memory/fault";
import { blockAt, recordAt } from "../memory/layout";
import {
  block,
  colsOf,
  context,
  countOf,
  fillBlockAt,
  flagsOf,
  primalOf,
  rankOf,
  rowsOf,
  run,
} from "./payload";
import {
  countRecord,
  giveUpRecording,
  laidTop,
  noteControl,
  notesBranches,
  recording,
} from "./recording";

/** Where the block of the next record lies; the walk's own block where there is no room for it. */
// @ts-ignore: decorator
@inline export function nextBlock(): usize {
  return laidTop + BLOCK_BYTES <= blocksBytes ? blocksBase + laidTop : block;
}

/**
 * As `record` for scalars whose block is filled at `at`, to run forward. `known` are the flags of
 * `out`, which has just been made: so the record is within its budget.
 */
export function recordScalars(op: i32, known: i32, out: i32, in0: i32, in1: i32, at: usize): bool {
  if (!reserveTape(RECORD_BYTES)) {
    fail(FAULT_MEMORY);
    return false;
  }
  const isActive = (known & PAYLOAD_ACTIVE) != 0;
  const mask = noteContext();
  writeRecord(tapeBase + tapeTop, isActive ? op | RECORD_ACTIVE : op, out, in0, in1, 0, mask);
  setTapeTop(tapeTop + RECORD_BYTES);
  countRecord(isActive);
  blockAt(at).out = out;
  blockAt(at).in0 = in0;
  blockAt(at).in1 = in1;
  blockAt(at).aux = 0;
  blockAt(at).mask = 0;
  return true;
}

/** The lanes that an operation is for, where a report of the run asks; -1 stands for all. */
// @ts-ignore: decorator
@inline export function noteContext(): i32 {
  return notesBranches ? context : -1;
}

// @ts-ignore: decorator
@inline function writeRecord(
  at: usize,
  op: i32,
  out: i32,
  in0: i32,
  in1: i32,
  aux: i32,
  mask: i32,
): void {
  recordAt(at).op = op;
  recordAt(at).out = out;
  recordAt(at).in0 = in0;
  recordAt(at).in1 = in1;
  recordAt(at).aux = aux;
  recordAt(at).mask = mask;
}

function append(op: i32, out: i32, in0: i32, in1: i32, aux: i32, mask: i32): bool {
  if (tapeTop + primalTop + adjointTop > recordedBytesMax) {
    if (giveUpRecording()) return true;
    fail(FAULT_TAPE);
    return false;
  }
  if (!reserveTape(RECORD_BYTES)) {
    fail(FAULT_MEMORY);
    return false;
  }
  writeRecord(tapeBase + tapeTop, op, out, in0, in1, aux, mask);
  setTapeTop(tapeTop + RECORD_BYTES);
  if (laidTop + BLOCK_BYTES <= blocksBytes) blockAt(blocksBase + laidTop).out = -1;
  countRecord((op & RECORD_ACTIVE) != 0);
  if ((op & RECORD_CODE) >= TRACE_FIRST) noteControl((op & RECORD_CODE) == TRACE_MERGE);
  return true;
}

/** Appends the record of a numeric operation; false and a fault where the budget forbids it. */
export function record(op: i32, out: i32, in0: i32, in1: i32, aux: i32, mask: i32 = -1): bool {
  const active = (flagsOf(out) & PAYLOAD_ACTIVE) != 0 ? RECORD_ACTIVE : 0;
  return append(op | active, out, in0, in1, aux, mask);
}

/** Appends a record that only replay needs. */
export function recordTrace(kind: i32, out: i32, in0: i32, in1: i32, aux: i32, mask: i32): bool {
  return recording != RECORD_VARYING || append(kind, out, in0, in1, aux, mask);
}

/** Shape code 0 when op fits its operands; the dimensions are then in linalg/shapes. */
export function shapeFor(op: i32, x: i32, y: i32): i32 {
  return y < 0
    ? structuredShape(op, rankOf(x), rowsOf(x), colsOf(x), -1, 0, 0)
    : structuredShape(op, rankOf(x), rowsOf(x), colsOf(x), rankOf(y), rowsOf(y), colsOf(y));
}

/** Scratch bytes of a structured kernel whose shapes were just checked by `shapeFor`. */
export function scratchFor(op: i32): usize {
  return structuredScratchBytes(op, dimRows, dimInner, dimCols, <u32>run);
}

function fillDimensions(at: usize, scratch: usize): void {
  blockAt(at).rows = dimRows;
  blockAt(at).inner = dimInner;
  blockAt(at).cols = dimCols;
  blockAt(at).scratch = scratch;
}

/** Fills the walk's block for a structured kernel whose shapes were just checked. */
export function fillStructured(op: i32, z: i32, x: i32, y: i32): bool {
  if (!reserveScratch(scratchFor(op))) {
    fail(FAULT_MEMORY);
    return false;
  }
  fillBlockAt(block, z, x, y);
  fillDimensions(block, scratchBase);
  return true;
}

/** Fills the block at `at` from the record at `from`. Kernels get `scratch` to work in. */
export function fillFromRecord(at: usize, from: usize, scratch: usize): void {
  const op = recordAt(from).op;
  const code = op & RECORD_CODE;
  const out = recordAt(from).out;
  const in0 = recordAt(from).in0;
  const in1 = recordAt(from).in1;
  const aux = recordAt(from).aux;
  const mask = recordAt(from).mask;
  fillBlockAt(at, out < 0 ? in0 : out, in0, in1);
  blockAt(at).op = op;
  blockAt(at).out = out;
  blockAt(at).in0 = in0;
  blockAt(at).in1 = in1;
  blockAt(at).aux = aux;
  blockAt(at).xClear = 0;
  blockAt(at).yClear = 0;
  blockAt(at).slope = 0;
  blockAt(at).xKept = -1;
  blockAt(at).yKept = -1;
  blockAt(at).mask = mask < 0 ? 0 : primalOf(mask);
  if (code == OP_PLACE) blockAt(at).count = countOf(in0);
  if (code == TRACE_GATHER) blockAt(at).rows = rowsOf(in0);
  if (code < OP_STRUCTURED_FIRST || code == OP_PLACE || code == OP_PICK || code >= TRACE_FIRST)
    return;
  shapeFor(code, in0, in1);
  fillDimensions(at, scratch);
}
