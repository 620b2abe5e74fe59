/**
 * Numeric application: takes values, checks shapes, runs the kernel, records what replay and the
 * backward pass need. The one place where payload operations start.
 */

import {
  FAULT_NOT_INTEGER,
  FAULT_NOT_NUMBER,
  FAULT_NOT_SCALAR,
  FAULT_NOT_TENSOR,
  FAULT_SHAPE,
  FAULT_SHAPES_DIFFER,
  PAYLOAD_ACTIVE,
  PAYLOAD_MASK,
  PAYLOAD_PASSED,
  PAYLOAD_RANK,
  PAYLOAD_UNIFORM,
  PAYLOAD_VARYING,
  RECORD_NOTHING,
  RECORD_VARYING,
  TAG_BOOL,
  TAG_INT,
  TAG_MASK,
  TAG_REAL,
  TAG_TENSOR,
  TRACE_EQUAL,
  TRACE_GATHER,
  TRACE_MERGE,
} from "../../src/program/layout";
import { forwardElementwise, forwardPredicate } from "../generated/elementwise";
import {
  OP_COPY,
  OP_IS_EVEN,
  OP_IS_INTEGER,
  OP_IS_ODD,
  OP_MUL,
  OP_PICK,
  OP_PLACE,
  opDifferentiable,
} from "../generated/ops";
import { forwardStructured } from "../generated/structured";
import { equalForward, gatherForward, mergeForward } from "../kernels/merge";
import { fitsTogether, spendOnElements } from "../lanes/budget";
import {
  agreed,
  allEqual,
  countMerge,
  decide,
  dropIntegers,
  firstCounting,
  guardInteger,
  keepEqual,
} from "../lanes/lanes";
import { shapeCols, shapeRank, shapeRows, structuredWork } from "../linalg/shapes";
import { primalTop } from "../memory/arena";
import { failOperand, failPair } from "../memory/fault";
import { blockAt, payloadAt } from "../memory/layout";
import {
  booleanValue,
  dataOf,
  isNumber,
  realValue,
  tagOf,
  VALUE_FAIL,
  VALUE_FALSE,
  VALUE_TRUE,
  valueOf,
} from "../memory/value";
import {
  block,
  colsOf,
  countOf,
  dropNewest,
  entryOf,
  fillBlock,
  fillScalars,
  flagsOf,
  integerPayload,
  isActive,
  isUniform,
  newPayload,
  newScalar,
  payloadValue,
  primalOf,
  rankOf,
  rowsOf,
} from "../tape/payload";
import { recording, recordsConstants } from "../tape/recording";
import {
  fillStructured,
  nextBlock,
  noteContext,
  record,
  recordScalars,
  shapeFor,
} from "../tape/tape";
import { integerBinary, integerCompare, integerUnary, NOT_INTEGER } from "./integer";

/** Payload of a number, vector or matrix; -1 and a fault for anything else. */
export function toPayload(value: u64, operand: i32): i32 {
  const tag = tagOf(value);
  if (tag == TAG_REAL || tag == TAG_TENSOR) return dataOf(value);
  if (tag == TAG_INT) return integerPayload(dataOf(value));
  failOperand(FAULT_NOT_NUMBER, operand, value);
  return -1;
}

/** Flags of a result whose operands have `flags` together: varying, and active where it can be. */
// @ts-ignore: decorator
@inline function reached(op: i32, flags: i32): i32 {
  const varying = flags & PAYLOAD_VARYING;
  if ((flags & PAYLOAD_ACTIVE) == 0) return varying;
  return opDifferentiable(op) != 0 ? varying | PAYLOAD_ACTIVE : varying;
}

/** Whether an operation whose result has `flags` is recorded in this run. */
// @ts-ignore: decorator
@inline export function isRecorded(flags: i32): bool {
  if (recording == RECORD_NOTHING) return false;
  if (recordsConstants) return true;
  const wanted = recording == RECORD_VARYING ? PAYLOAD_VARYING : PAYLOAD_ACTIVE;
  return (flags & wanted) != 0;
}

export function applyUnary(op: i32, a: u64): u64 {
  if (tagOf(a) == TAG_INT) {
    const exact = integerUnary(op, dataOf(a));
    if (exact != NOT_INTEGER) return exact;
  }
  const x = toPayload(a, 0);
  if (x < 0) return VALUE_FAIL;
  const flags = flagsOf(x);
  if ((flags & PAYLOAD_RANK) == 0) return applyScalars(op, x, -1, flags, flags & PAYLOAD_UNIFORM);
  const known = reached(op, flags);
  const z = newPayload(rowsOf(x), colsOf(x), (flags & (PAYLOAD_RANK | PAYLOAD_UNIFORM)) | known);
  if (z < 0) return VALUE_FAIL;
  fillBlock(z, x, -1);
  forwardElementwise(op, block);
  if (isRecorded(known) && !record(op, z, x, -1, 0, noteContext())) return VALUE_FAIL;
  return payloadValue(z);
}

/** The plain case of an element-wise operation: scalars, whose flags together are `flags`. */
function applyScalars(op: i32, x: i32, y: i32, flags: i32, uniform: i32): u64 {
  const known = reached(op, flags);
  const z = newScalar(uniform | known);
  if (z < 0) return VALUE_FAIL;
  const isKept = isRecorded(known);
  const at = isKept ? nextBlock() : block;
  fillScalars(at, z, x, y);
  forwardElementwise(op, at);
  if (isKept && !recordScalars(op, known, z, x, y, at)) return VALUE_FAIL;
  return realValue(z);
}

export function applyBinary(op: i32, a: u64, b: u64): u64 {
  if (tagOf(a) == TAG_REAL && tagOf(b) == TAG_REAL) {
    const x = dataOf(a);
    const y = dataOf(b);
    const xFlags = flagsOf(x);
    const yFlags = flagsOf(y);
    return applyScalars(op, x, y, xFlags | yFlags, xFlags & yFlags & PAYLOAD_UNIFORM);
  }
  if (tagOf(a) == TAG_INT && tagOf(b) == TAG_INT) {
    const exact = integerBinary(op, dataOf(a), dataOf(b));
    if (exact != NOT_INTEGER) return exact;
  }
  const x = toPayload(a, 0);
  if (x < 0) return VALUE_FAIL;
  const y = toPayload(b, 1);
  if (y < 0) return VALUE_FAIL;
  const xFlags = flagsOf(x);
  const yFlags = flagsOf(y);
  if (((xFlags | yFlags) & PAYLOAD_RANK) == 0)
    return applyScalars(op, x, y, xFlags | yFlags, xFlags & yFlags & PAYLOAD_UNIFORM);
  const xRank = xFlags & PAYLOAD_RANK;
  const yRank = yFlags & PAYLOAD_RANK;
  const shaped = xRank != 0 ? x : y;
  if (xRank != 0 && yRank != 0) {
    if (xRank != yRank || rowsOf(x) != rowsOf(y) || colsOf(x) != colsOf(y))
      return failPair(FAULT_SHAPES_DIFFER, a, b);
  }
  const known = reached(op, xFlags | yFlags);
  const z = newPayload(
    rowsOf(shaped),
    colsOf(shaped),
    (flagsOf(shaped) & PAYLOAD_RANK) | (xFlags & yFlags & PAYLOAD_UNIFORM) | known,
  );
  if (z < 0) return VALUE_FAIL;
  fillBlock(z, x, y);
  forwardElementwise(op, block);
  if (isRecorded(known) && !record(op, z, x, y, 0)) return VALUE_FAIL;
  return payloadValue(z);
}

/** A number or tensor with an identity record of its own, where an input reaches it. */
export function copyLeaving(value: u64): u64 {
  if (recording == RECORD_NOTHING) return value;
  const tag = tagOf(value);
  if ((tag != TAG_REAL && tag != TAG_TENSOR) || !isActive(dataOf(value))) return value;
  const copy = applyUnary(OP_COPY, value);
  if (copy != VALUE_FAIL) payloadAt(entryOf(dataOf(copy))).flags |= PAYLOAD_PASSED;
  return copy;
}

/** Structured primitive of one operand (b unused, unary true) or two. */
export function applyStructured(op: i32, a: u64, b: u64, unary: bool): u64 {
  const x = toPayload(a, 0);
  if (x < 0) return VALUE_FAIL;
  const y = unary ? -1 : toPayload(b, 1);
  if (y < 0 && !unary) return VALUE_FAIL;
  const wrong = shapeFor(op, x, y);
  if (wrong != 0) return failPair(FAULT_SHAPE, a, b, wrong);
  const work = structuredWork(op);
  if (!spendOnElements(work)) return VALUE_FAIL;
  const xFlags = flagsOf(x);
  const yFlags = unary ? PAYLOAD_UNIFORM : flagsOf(y);
  if ((xFlags & yFlags & PAYLOAD_UNIFORM) == 0)
    if (!fitsTogether(work, recording != RECORD_NOTHING)) return VALUE_FAIL;
  const known = reached(op, unary ? xFlags : xFlags | yFlags);
  const z = newPayload(
    shapeRows,
    shapeCols,
    shapeRank | (xFlags & yFlags & PAYLOAD_UNIFORM) | known,
  );
  if (z < 0) return VALUE_FAIL;
  if (!fillStructured(op, z, x, y)) return VALUE_FAIL;
  forwardStructured(op, block);
  if (isRecorded(known) && !record(op, z, x, y, 0)) return VALUE_FAIL;
  return payloadValue(z);
}

/** (scale s v): a scalar times a vector or matrix. */
export function applyScale(a: u64, b: u64): u64 {
  if (tagOf(a) == TAG_TENSOR) return failOperand(FAULT_NOT_SCALAR, 0, a);
  if (tagOf(b) == TAG_INT || tagOf(b) == TAG_REAL) return failOperand(FAULT_NOT_TENSOR, 1, b);
  return applyBinary(OP_MUL, a, b);
}

/** Copies payload x into z from element `element` on, with its record. */
export function place(z: i32, x: i32, element: i32): bool {
  fillBlock(z, x, -1);
  blockAt(block).count = countOf(x);
  blockAt(block).aux = element;
  forwardStructured(OP_PLACE, block);
  return !isRecorded(flagsOf(x)) || record(OP_PLACE, z, x, -1, element);
}

/** Elements of x from `element` on, as a payload of its own. */
export function pick(x: i32, element: i32, rows: i32, cols: i32, rank: i32): i32 {
  const z = newPayload(rows, cols, (flagsOf(x) & ~(PAYLOAD_RANK | PAYLOAD_PASSED)) | rank);
  if (z < 0) return -1;
  fillBlock(z, x, -1);
  blockAt(block).aux = element;
  forwardStructured(OP_PICK, block);
  return record(OP_PICK, z, x, -1, element) ? z : -1;
}

/** One test of the payloads x and y (y < 0: none). */
function predicate(op: i32, x: i32, y: i32): u64 {
  const flags = flagsOf(x) | (y < 0 ? 0 : flagsOf(y));
  const both = flagsOf(x) & (y < 0 ? PAYLOAD_UNIFORM : flagsOf(y)) & PAYLOAD_UNIFORM;
  const before = primalTop;
  const varying = flags & PAYLOAD_VARYING;
  const z = newPayload(1, 1, both | PAYLOAD_MASK | varying);
  if (z < 0) return VALUE_FAIL;
  fillBlock(z, x, y);
  forwardPredicate(op, block);
  return concluded(op, z, x, y, before);
}

/** Records a test and asks the lanes; the mask is kept only where something refers to it. */
function concluded(op: i32, z: i32, x: i32, y: i32, before: usize): u64 {
  const isTraced = recording == RECORD_VARYING && (flagsOf(z) & PAYLOAD_VARYING) != 0;
  if (isTraced && !record(op, z, x, y, 0)) return VALUE_FAIL;
  const truth = agreed(z);
  if (!isTraced && tagOf(truth) == TAG_BOOL) dropNewest(before);
  return truth;
}

/** Payload of a scalar; -1 and a fault for anything else. */
export function toScalar(value: u64, operand: i32): i32 {
  if (tagOf(value) == TAG_TENSOR) {
    failOperand(FAULT_NOT_SCALAR, operand, value);
    return -1;
  }
  return toPayload(value, operand);
}

/** zero? positive? … of one number. */
export function applyPredicate(op: i32, a: u64): u64 {
  const x = toScalar(a, 0);
  if (x < 0) return VALUE_FAIL;
  if (op == OP_IS_EVEN || op == OP_IS_ODD) {
    const integral = decide(predicate(OP_IS_INTEGER, x, -1));
    if (integral == VALUE_FAIL) return integral;
    if (integral != VALUE_TRUE) return failOperand(FAULT_NOT_INTEGER, 0, a);
  }
  return predicate(op, x, -1);
}

/** One comparison of two numbers. */
export function compare(op: i32, a: u64, b: u64, operand: i32): u64 {
  if (tagOf(a) == TAG_INT && tagOf(b) == TAG_INT)
    return booleanValue(integerCompare(op, dataOf(a), dataOf(b)));
  const x = toScalar(a, operand);
  if (x < 0) return VALUE_FAIL;
  const y = toScalar(b, operand + 1);
  if (y < 0) return VALUE_FAIL;
  return predicate(op, x, y);
}

/** Equality of two tensors of one shape, element by element; a boolean, maybe lane-varying. */
export function tensorsEqual(x: i32, y: i32): u64 {
  if (rankOf(x) != rankOf(y) || rowsOf(x) != rowsOf(y) || colsOf(x) != colsOf(y))
    return VALUE_FALSE;
  if (countOf(x) == 0) return VALUE_TRUE;
  if (!spendOnElements(countOf(x))) return VALUE_FAIL;
  const before = primalTop;
  const varying = (flagsOf(x) | flagsOf(y)) & PAYLOAD_VARYING;
  const each = newPayload(rowsOf(x), colsOf(x), PAYLOAD_MASK | varying | rankOf(x));
  if (each < 0) return VALUE_FAIL;
  fillBlock(each, x, y);
  equalForward(block);
  return concluded(TRACE_EQUAL, each, x, y, before);
}

/** No integer: a fault is set. */
// @ts-ignore: decorator
@inline export const INTEGER_NONE: i32 = i32.MIN_VALUE;

/** Whether lanes that count have different numbers. */
export function isSplit(payload: i32): bool {
  if (isUniform(payload)) return false;
  const lane = firstCounting();
  if (lane < 0) return false;
  return !allEqual(payload, load<real>(primalOf(payload) + <usize>lane * sizeof<real>()));
}

/**
 * A structural integer out of a number: index, size or count. Lanes that want another one than
 * the first leave the walk. INTEGER_NONE and a fault where it is not a whole number.
 */
export function toInteger(value: u64, operand: i32): i32 {
  const tag = tagOf(value);
  if (tag == TAG_INT) return dataOf(value);
  if (tag != TAG_REAL) {
    failOperand(FAULT_NOT_INTEGER, operand, value);
    return INTEGER_NONE;
  }
  const payload = dataOf(value);
  const lane = isUniform(payload) ? 0 : max(firstCounting(), 0);
  const number = load<real>(primalOf(payload) + <usize>lane * sizeof<real>());
  const limit: real = 2147483000.0;
  if (!(number >= -limit && number <= limit) || trunc(number) != number) {
    dropIntegers(payload, limit);
    failOperand(FAULT_NOT_INTEGER, operand, value);
    return INTEGER_NONE;
  }
  keepEqual(payload, number);
  return guardInteger(payload, <i32>number) ? <i32>number : INTEGER_NONE;
}

/** x in the lanes of the mask, y in the others: one payload. */
function mergePayloads(x: i32, y: i32, mask: i32): u64 {
  const flags = flagsOf(x) | flagsOf(y) | flagsOf(mask);
  const known = (flags & (PAYLOAD_ACTIVE | PAYLOAD_VARYING)) | (flagsOf(x) & PAYLOAD_MASK);
  const z = newPayload(rowsOf(x), colsOf(x), rankOf(x) | known | PAYLOAD_PASSED);
  if (z < 0) return VALUE_FAIL;
  fillBlock(z, x, y);
  blockAt(block).mask = primalOf(mask);
  mergeForward(block);
  countMerge();
  if (isRecorded(known) && !record(TRACE_MERGE, z, x, y, 0, mask)) return VALUE_FAIL;
  return (known & PAYLOAD_MASK) != 0 ? valueOf(TAG_MASK, z) : payloadValue(z);
}

/** The payload of a boolean: all bits set, or none. */
function booleanPayload(value: u64): i32 {
  if (tagOf(value) == TAG_MASK) return dataOf(value);
  const z = newPayload(1, 1, PAYLOAD_UNIFORM | PAYLOAD_MASK);
  if (z >= 0) v128.store(primalOf(z), i8x16.splat(value == VALUE_FALSE ? 0 : -1));
  return z;
}

// @ts-ignore: decorator
@inline function isBoolean(value: u64): bool {
  return tagOf(value) == TAG_BOOL || tagOf(value) == TAG_MASK;
}

/** Whether two values that are not the same can become one value that differs between lanes. */
export function canMerge(a: u64, b: u64): bool {
  if (a == b || (isNumber(a) && isNumber(b)) || (isBoolean(a) && isBoolean(b))) return true;
  if (tagOf(a) != TAG_TENSOR || tagOf(b) != TAG_TENSOR) return false;
  const x = dataOf(a);
  const y = dataOf(b);
  return rankOf(x) == rankOf(y) && rowsOf(x) == rowsOf(y) && colsOf(x) == colsOf(y);
}

/** a in the lanes of the mask, b in the others. They can merge. */
export function mergeValues(a: u64, b: u64, mask: i32): u64 {
  if (a == b) return a;
  const isTruth = isBoolean(a);
  const x = isTruth ? booleanPayload(a) : toPayload(a, 0);
  if (x < 0) return VALUE_FAIL;
  const y = isTruth ? booleanPayload(b) : toPayload(b, 0);
  return y < 0 ? VALUE_FAIL : mergePayloads(x, y, mask);
}

/** Row `index` of x, each lane its own index; the lanes that count have been checked. */
export function gather(x: i32, index: i32, rows: i32, stride: i32, rank: i32): u64 {
  const known = (flagsOf(x) & PAYLOAD_ACTIVE) | ((flagsOf(x) | flagsOf(index)) & PAYLOAD_VARYING);
  const z = newPayload(rows, 1, known | rank);
  if (z < 0) return VALUE_FAIL;
  fillBlock(z, x, index);
  blockAt(block).rows = rowsOf(x);
  blockAt(block).aux = stride;
  gatherForward(block);
  if (isRecorded(known) && !record(TRACE_GATHER, z, x, index, stride)) return VALUE_FAIL;
  return payloadValue(z);
}
