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
  BLOCK_AUX,
  BLOCK_BYTES,
  BLOCK_COLS,
  BLOCK_COUNT,
  BLOCK_IN0,
  BLOCK_IN1,
  BLOCK_INNER,
  BLOCK_MASK,
  BLOCK_OP,
  BLOCK_OUT,
  BLOCK_ROWS,
  BLOCK_SCRATCH,
  BLOCK_SLOPE,
  BLOCK_X_CLEAR,
  BLOCK_X_KEPT,
  BLOCK_Y_CLEAR,
  BLOCK_Y_KEPT,
  FAULT_MEMORY,
  FAULT_TAPE,
  PAYLOAD_ACTIVE,
  RECORD_ACTIVE,
  RECORD_AUX,
  RECORD_BYTES,
  RECORD_CODE,
  RECORD_IN0,
  RECORD_IN1,
  RECORD_MASK,
  RECORD_OP,
  RECORD_OUT,
  RECORD_VARYING,
  TRACE_FIRST,
  TRACE_GATHER,
  TRACE_MERGE,
} from "../../src/program/layout";
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
import { OP_PICK, OP_PLACE, OP_STRUCTURED_FIRST } from "../generated/ops";
import {
  dimCols,
  dimInner,
  dimRows,
  structuredScratchBytes,
  structuredShape,
} from "../linalg/shapes";
import {
  block,
  colsOf,
  countOf,
  fillBlockAt,
  flagsOf,
  primalOf,
  rankOf,
  rowsOf,
  run,
} from "./payload";
import { countRecord, giveUpRecording, laidTop, noteControl, recording } from "./recording";

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
  writeRecord(tapeBase + tapeTop, isActive ? op | RECORD_ACTIVE : op, out, in0, in1, 0, -1);
  setTapeTop(tapeTop + RECORD_BYTES);
  countRecord(isActive);
  store<i32>(at, out, BLOCK_OUT);
  store<i32>(at, in0, BLOCK_IN0);
  store<i32>(at, in1, BLOCK_IN1);
  store<i32>(at, 0, BLOCK_AUX);
  store<usize>(at, 0, BLOCK_MASK);
  return true;
}

// @ts-ignore: decorator
@inline function writeRecord(at: usize, op: i32, out: i32, in0: i32, in1: i32, aux: i32, mask: i32): void {
  store<i32>(at, op, RECORD_OP);
  store<i32>(at, out, RECORD_OUT);
  store<i32>(at, in0, RECORD_IN0);
  store<i32>(at, in1, RECORD_IN1);
  store<i32>(at, aux, RECORD_AUX);
  store<i32>(at, mask, RECORD_MASK);
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
  if (laidTop + BLOCK_BYTES <= blocksBytes) store<i32>(blocksBase + laidTop, -1, BLOCK_OUT);
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
export function recordTrace(
  kind: i32,
  out: i32,
  in0: i32,
  in1: i32,
  aux: i32,
  mask: i32,
): bool {
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
  store<i32>(at, dimRows, BLOCK_ROWS);
  store<i32>(at, dimInner, BLOCK_INNER);
  store<i32>(at, dimCols, BLOCK_COLS);
  store<usize>(at, scratch, BLOCK_SCRATCH);
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
  const op = load<i32>(from, RECORD_OP);
  const code = op & RECORD_CODE;
  const out = load<i32>(from, RECORD_OUT);
  const in0 = load<i32>(from, RECORD_IN0);
  const in1 = load<i32>(from, RECORD_IN1);
  const aux = load<i32>(from, RECORD_AUX);
  const mask = load<i32>(from, RECORD_MASK);
  fillBlockAt(at, out < 0 ? in0 : out, in0, in1);
  store<i32>(at, op, BLOCK_OP);
  store<i32>(at, out, BLOCK_OUT);
  store<i32>(at, in0, BLOCK_IN0);
  store<i32>(at, in1, BLOCK_IN1);
  store<i32>(at, aux, BLOCK_AUX);
  store<u32>(at, 0, BLOCK_X_CLEAR);
  store<u32>(at, 0, BLOCK_Y_CLEAR);
  store<usize>(at, 0, BLOCK_SLOPE);
  store<i32>(at, -1, BLOCK_X_KEPT);
  store<i32>(at, -1, BLOCK_Y_KEPT);
  store<usize>(at, mask < 0 ? 0 : primalOf(mask), BLOCK_MASK);
  if (code == OP_PLACE) store<i32>(at, countOf(in0), BLOCK_COUNT);
  if (code == TRACE_GATHER) store<i32>(at, rowsOf(in0), BLOCK_ROWS);
  if (code < OP_STRUCTURED_FIRST || code == OP_PLACE || code == OP_PICK || code >= TRACE_FIRST)
    return;
  shapeFor(code, in0, in1);
  fillDimensions(at, scratch);
}

/** Scratch bytes that the record at `from` needs. */
export function scratchOfRecord(from: usize): usize {
  const code = load<i32>(from, RECORD_OP) & RECORD_CODE;
  if (code < OP_STRUCTURED_FIRST || code == OP_PLACE || code == OP_PICK || code >= TRACE_FIRST)
    return 0;
  shapeFor(code, load<i32>(from, RECORD_IN0), load<i32>(from, RECORD_IN1));
  return scratchFor(code);
}
