/**
 * Vectors and matrices as structure: making them from numbers and rows, taking parts, sizes.
 */

import {
  FAULT_INDEX,
  FAULT_NOT_SCALAR,
  FAULT_NOT_TENSOR,
  FAULT_ROWS_DIFFER,
  FAULT_SHAPE,
  FAULT_SIZE,
  PAYLOAD_ACTIVE,
  PAYLOAD_UNIFORM,
  PAYLOAD_VARYING,
  SHAPE_NEEDS_MATRIX,
  SHAPE_NEEDS_VECTOR,
  TAG_REAL,
  TAG_TENSOR,
} from "../../src/program/layout";
import { spendOnElements } from "../lanes/budget";
import { guardRange, keepIndices } from "../lanes/lanes";
import { failOperand, failPair } from "../memory/fault";
import { dataOf, integerValue, tagOf, VALUE_FAIL, VALUE_NIL } from "../memory/value";
import {
  colsOf,
  countOf,
  flagsOf,
  isActive,
  keepIdentity,
  knownIdentity,
  newPayload,
  payloadValue,
  primalOf,
  rankOf,
  rowsOf,
  viewPayload,
} from "../tape/payload";
import { gather, INTEGER_NONE, isSplit, pick, place, toInteger, toPayload } from "./numeric";

const SIZE_MAX: i32 = 1 << 24;
/** Elements of 16 bytes that fill all the memory there can be. */
const ELEMENTS_MAX: i64 = 1 << 28;

// @ts-ignore: decorator
@inline function operandAt(from: usize, i: i32): u64 {
  return load<u64>(from + ((<usize>i) << 3));
}

/** Flags all operands share (uniform) or any has (active). -1 and a fault for a non-number. */
function combinedFlags(from: usize, count: i32): i32 {
  let flags = PAYLOAD_UNIFORM;
  for (let i = 0; i < count; i++) {
    const value = operandAt(from, i);
    const x = toPayload(value, i);
    if (x < 0) return -1;
    const own = flagsOf(x);
    if ((own & PAYLOAD_UNIFORM) == 0) flags &= ~PAYLOAD_UNIFORM;
    flags |= own & (PAYLOAD_ACTIVE | PAYLOAD_VARYING);
  }
  return flags;
}

/** (vec a b …) of numbers. */
export function makeVector(from: usize, count: i32): u64 {
  for (let i = 0; i < count; i++) {
    const value = operandAt(from, i);
    if (tagOf(value) == TAG_TENSOR) return failOperand(FAULT_NOT_SCALAR, i, value);
  }
  const flags = combinedFlags(from, count);
  if (flags < 0) return VALUE_FAIL;
  const z = newPayload(count, 1, flags | 1);
  if (z < 0) return VALUE_FAIL;
  for (let i = 0; i < count; i++) {
    if (!place(z, toPayload(operandAt(from, i), i), i)) return VALUE_FAIL;
  }
  return payloadValue(z);
}

/** (mat row row …) of vectors of one length. */
export function makeMatrix(from: usize, count: i32): u64 {
  let cols = 0;
  for (let i = 0; i < count; i++) {
    const value = operandAt(from, i);
    if (tagOf(value) != TAG_TENSOR) return failOperand(FAULT_NOT_TENSOR, i, value);
    const row = dataOf(value);
    if (rankOf(row) != 1) return failPair(FAULT_SHAPE, value, value, SHAPE_NEEDS_VECTOR, i);
    if (i == 0) cols = countOf(row);
    else if (countOf(row) != cols)
      return failPair(FAULT_ROWS_DIFFER, operandAt(from, 0), value, 0, 0, i);
  }
  if (!spendOnElements(<i64>count * <i64>cols)) return VALUE_FAIL;
  const z = newPayload(count, cols, combinedFlags(from, count) | 2);
  if (z < 0) return VALUE_FAIL;
  for (let i = 0; i < count; i++) {
    if (!place(z, dataOf(operandAt(from, i)), i * cols)) return VALUE_FAIL;
  }
  return payloadValue(z);
}

function part(x: i32, element: i32, rows: i32, rank: i32): u64 {
  const z = isActive(x) ? pick(x, element, rows, 1, rank) : viewPayload(x, element, rows, 1, rank);
  return z < 0 ? VALUE_FAIL : payloadValue(z);
}

function indexWithin(tensor: u64, index: u64, operand: i32, size: i32): i32 {
  const i = toInteger(index, operand);
  if (i == INTEGER_NONE) return -1;
  if (i >= 0 && i < size) return i;
  failPair(FAULT_INDEX, index, tensor, i);
  return -1;
}

/** Whether lanes ask for different rows, so that each must be given its own. */
function isGathered(index: u64): bool {
  return tagOf(index) == TAG_REAL && isSplit(dataOf(index));
}

/** Row `index` of the tensor where lanes disagree about it; VALUE_NIL: let them part instead. */
function gathered(x: i32, index: i32, rank: i32): u64 {
  if (!keepIndices(index, rowsOf(x))) return VALUE_NIL;
  if (!guardRange(index, rowsOf(x))) return VALUE_FAIL;
  const cols = colsOf(x);
  if (!spendOnElements(cols)) return VALUE_FAIL;
  return rank == 1 ? gather(x, index, 1, 1, 0) : gather(x, index, cols, cols, 1);
}

/** (ref v i), (ref M i) row i, (ref M i j). */
export function reference(from: usize, count: i32): u64 {
  const tensor = operandAt(from, 0);
  if (tagOf(tensor) != TAG_TENSOR) return failOperand(FAULT_NOT_TENSOR, 0, tensor);
  const x = dataOf(tensor);
  if (count == 2 && isGathered(operandAt(from, 1))) {
    const row = gathered(x, dataOf(operandAt(from, 1)), rankOf(x));
    if (row != VALUE_NIL) return row;
  }
  const row = indexWithin(tensor, operandAt(from, 1), 1, rowsOf(x));
  if (row < 0) return VALUE_FAIL;
  const rank = rankOf(x);
  const cols = colsOf(x);
  if (count == 2 && !spendOnElements(cols)) return VALUE_FAIL;
  if (count == 2) return rank == 1 ? part(x, row, 1, 0) : part(x, row * cols, cols, 1);
  if (rank != 2) return failPair(FAULT_SHAPE, tensor, tensor, SHAPE_NEEDS_MATRIX);
  const col = indexWithin(tensor, operandAt(from, 2), 2, cols);
  return col < 0 ? VALUE_FAIL : part(x, row * cols + col, 1, 0);
}

/** vlen (dimension 0): elements of a vector. rows, cols (1, 2): of a matrix. */
export function sizeOf(value: u64, dimension: i32): u64 {
  if (tagOf(value) != TAG_TENSOR) return failOperand(FAULT_NOT_TENSOR, 0, value);
  const x = dataOf(value);
  const isVector = rankOf(x) == 1;
  if (isVector != (dimension == 0))
    return failPair(FAULT_SHAPE, value, value, isVector ? SHAPE_NEEDS_MATRIX : SHAPE_NEEDS_VECTOR);
  return integerValue(dimension == 2 ? colsOf(x) : rowsOf(x));
}

function sizeArgument(value: u64, operand: i32): i32 {
  const size = toInteger(value, operand);
  if (size == INTEGER_NONE) return -1;
  if (size >= 0 && size <= SIZE_MAX) return size;
  failOperand(FAULT_SIZE, operand, value, size);
  return -1;
}

/**
 * A new uniform tensor, charged for first; what no memory can hold is left to the memory budget.
 */
function newFilled(rows: i32, cols: i32, rank: i32): i32 {
  const elements = <i64>rows * <i64>cols;
  if (elements <= ELEMENTS_MAX && !spendOnElements(elements)) return -1;
  return newPayload(rows, cols, PAYLOAD_UNIFORM | rank);
}

/** (zeros n) (zeros r c) (ones …): filled with one number. */
export function filled(from: usize, count: i32, number: real): u64 {
  const rows = sizeArgument(operandAt(from, 0), 0);
  if (rows < 0) return VALUE_FAIL;
  const cols = count == 2 ? sizeArgument(operandAt(from, 1), 1) : 1;
  if (cols < 0) return VALUE_FAIL;
  const z = newFilled(rows, cols, count);
  if (z < 0) return VALUE_FAIL;
  const at = primalOf(z);
  const bytes = (<usize>countOf(z)) << 4;
  for (let i: usize = 0; i < bytes; i += 16) v128.store(at + i, v128.splat<real>(number));
  return payloadValue(z);
}

/** (eye n). One payload serves all of a size; each is charged for. */
export function identity(value: u64): u64 {
  const size = sizeArgument(value, 0);
  if (size < 0) return VALUE_FAIL;
  const known = knownIdentity(size);
  if (known >= 0) {
    return spendOnElements(<i64>size * <i64>size) ? payloadValue(known) : VALUE_FAIL;
  }
  const z = newFilled(size, size, 2);
  if (z < 0) return VALUE_FAIL;
  const at = primalOf(z);
  memory.fill(at, 0, (<usize>countOf(z)) << 4);
  for (let i = 0; i < size; i++)
    v128.store(at + ((<usize>(i * size + i)) << 4), v128.splat<real>(1));
  keepIdentity(size, z);
  return payloadValue(z);
}
