/**
 * The tape: one record per differentiable operation, in the order they ran.
 *
 *   byte  0    4     8     12    16    20     24
 *         | op | out | in0 | in1 | aux | mask |
 *
 * Structural work (lookup, cons, dispatch) leaves no record, nor does arithmetic that no
 * differentiated input reaches.
 * Invariant: every input id is smaller than the record's output id, except that `place` fills
 * parts of one output by several records in a row.
 */

import {
  BLOCK_AUX,
  BLOCK_COLS,
  BLOCK_COUNT,
  BLOCK_INNER,
  BLOCK_ROWS,
  BLOCK_SCRATCH,
  FAULT_MEMORY,
  FAULT_NONE,
  FAULT_TAPE,
  PAYLOAD_ADJOINT,
  RECORD_AUX,
  RECORD_BYTES,
  RECORD_IN0,
  RECORD_IN1,
  RECORD_MASK,
  RECORD_OP,
  RECORD_OUT,
} from "../src/program/layout";
import {
  adjointBase,
  adjointTop,
  primalTop,
  recordedBytesMax,
  reserveAdjoint,
  reserveScratch,
  reserveTape,
  scratchBase,
  setTapeTop,
  tapeBase,
  tapeTop,
} from "./arena";
import { fail, faultCode } from "./fault";
import { adjointElementwise } from "./generated/elementwise";
import { OP_PICK, OP_PLACE, OP_STRUCTURED_UNARY_FIRST } from "./generated/ops";
import { adjointStructured } from "./generated/structured";
import {
  dimCols,
  dimInner,
  dimRows,
  structuredScratchBytes,
  structuredShape,
} from "./linalg/shapes";
import {
  block,
  colsOf,
  countOf,
  entryOf,
  fillBlock,
  isActive,
  rankOf,
  rowsOf,
  run,
} from "./payload";

/** Appends a record; false and a fault where the budget does not allow it. */
export function record(op: i32, out: i32, in0: i32, in1: i32, aux: i32): bool {
  if (tapeTop + primalTop + adjointTop > recordedBytesMax) {
    fail(FAULT_TAPE);
    return false;
  }
  if (!reserveTape(RECORD_BYTES)) {
    fail(FAULT_MEMORY);
    return false;
  }
  const at = tapeBase + tapeTop;
  store<i32>(at, op, RECORD_OP);
  store<i32>(at, out, RECORD_OUT);
  store<i32>(at, in0, RECORD_IN0);
  store<i32>(at, in1, RECORD_IN1);
  store<i32>(at, aux, RECORD_AUX);
  store<i32>(at, 0, RECORD_MASK);
  setTapeTop(tapeTop + RECORD_BYTES);
  return true;
}

/** Shape code 0 when op fits its operands; the dimensions are then in linalg/shapes. */
export function shapeFor(op: i32, x: i32, y: i32): i32 {
  return y < 0
    ? structuredShape(op, rankOf(x), rowsOf(x), colsOf(x), -1, 0, 0)
    : structuredShape(op, rankOf(x), rowsOf(x), colsOf(x), rankOf(y), rowsOf(y), colsOf(y));
}

/** Fills the block for a structured kernel whose shapes were just checked by `shapeFor`. */
export function fillStructured(op: i32, z: i32, x: i32, y: i32): bool {
  const scratch = structuredScratchBytes(op, dimRows, dimInner, dimCols, <u32>run);
  if (!reserveScratch(scratch)) {
    fail(FAULT_MEMORY);
    return false;
  }
  fillBlock(z, x, y);
  store<i32>(block, dimRows, BLOCK_ROWS);
  store<i32>(block, dimInner, BLOCK_INNER);
  store<i32>(block, dimCols, BLOCK_COLS);
  store<usize>(block, scratchBase, BLOCK_SCRATCH);
  return true;
}

function adjointOfRecord(at: usize): bool {
  const op = load<i32>(at, RECORD_OP);
  const out = load<i32>(at, RECORD_OUT);
  const in0 = load<i32>(at, RECORD_IN0);
  const in1 = load<i32>(at, RECORD_IN1);
  if (op < OP_STRUCTURED_UNARY_FIRST) {
    fillBlock(out, in0, in1);
    adjointElementwise(op, block);
    return true;
  }
  if (op == OP_PLACE || op == OP_PICK) {
    fillBlock(out, in0, -1);
    store<i32>(block, op == OP_PLACE ? countOf(in0) : countOf(out), BLOCK_COUNT);
    store<i32>(block, load<i32>(at, RECORD_AUX), BLOCK_AUX);
  } else {
    shapeFor(op, in0, in1);
    if (!fillStructured(op, out, in0, in1)) return false;
  }
  adjointStructured(op, block);
  return true;
}

/** Clears all adjoints. False and a fault where memory does not allow them. */
export function beginBackward(): bool {
  if (!reserveAdjoint(adjointTop)) {
    fail(FAULT_MEMORY);
    return false;
  }
  memory.fill(adjointBase, 0, adjointTop);
  return true;
}

/** Address of a payload's adjoint, 0 where it has none. Valid until the next walk. */
export function adjointAddress(id: i32): usize {
  return isActive(id) ? adjointBase + <usize>load<u32>(entryOf(id), PAYLOAD_ADJOINT) : 0;
}

/** Replays the tape in reverse. Returns the fault code. */
export function backward(): i32 {
  let at = tapeBase + tapeTop;
  while (at > tapeBase) {
    at -= RECORD_BYTES;
    if (!adjointOfRecord(at)) return faultCode;
  }
  return FAULT_NONE;
}
