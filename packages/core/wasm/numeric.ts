/**
 * Numeric application: takes values, checks shapes, runs the kernel, records where a differentiated
 * input reaches the result. The one place where payload operations start.
 */

import {
  BLOCK_AUX,
  BLOCK_COUNT,
  DIVERGENT_INDEX,
  FAULT_DIVERGENT,
  FAULT_NOT_INTEGER,
  FAULT_NOT_NUMBER,
  FAULT_NOT_SCALAR,
  FAULT_NOT_TENSOR,
  FAULT_SHAPE,
  FAULT_SHAPES_DIFFER,
  PAYLOAD_ACTIVE,
  PAYLOAD_MASK,
  PAYLOAD_RANK,
  PAYLOAD_UNIFORM,
  TAG_BOOL,
  TAG_INT,
  TAG_MASK,
  TAG_REAL,
  TAG_TENSOR,
} from "../src/program/layout";
import { primalTop } from "./arena";
import { failOperand, failPair } from "./fault";
import { forwardElementwise, forwardPredicate } from "./generated/elementwise";
import {
  OP_COPY,
  OP_IS_EVEN,
  OP_IS_INTEGER,
  OP_MUL,
  OP_IS_ODD,
  OP_PICK,
  OP_PLACE,
  opDifferentiable,
} from "./generated/ops";
import { forwardStructured } from "./generated/structured";
import { integerBinary, integerCompare, integerUnary, NOT_INTEGER } from "./integer";
import { shapeCols, shapeRank, shapeRows } from "./linalg/shapes";
import {
  block,
  colsOf,
  countOf,
  dropNewest,
  fillBlock,
  flagsOf,
  integerPayload,
  isActive,
  isUniform,
  lanes,
  newPayload,
  payloadValue,
  primalOf,
  rankOf,
  recording,
  rowsOf,
  run,
} from "./payload";
import { fillStructured, record, shapeFor } from "./tape";
import { booleanValue, dataOf, realValue, tagOf, VALUE_FAIL, valueOf } from "./value";

/** Payload of a number, vector or matrix; -1 and a fault for anything else. */
export function toPayload(value: u64, operand: i32): i32 {
  const tag = tagOf(value);
  if (tag == TAG_REAL || tag == TAG_TENSOR) return dataOf(value);
  if (tag == TAG_INT) return integerPayload(dataOf(value));
  failOperand(FAULT_NOT_NUMBER, operand, value);
  return -1;
}

// @ts-ignore: decorator
@inline function activity(op: i32, flags: i32): i32 {
  return recording && opDifferentiable(op) != 0 ? flags & PAYLOAD_ACTIVE : 0;
}

export function applyUnary(op: i32, a: u64): u64 {
  if (tagOf(a) == TAG_INT) {
    const exact = integerUnary(op, dataOf(a));
    if (exact != NOT_INTEGER) return exact;
  }
  const x = toPayload(a, 0);
  if (x < 0) return VALUE_FAIL;
  const flags = flagsOf(x);
  const active = activity(op, flags);
  const z = newPayload(
    rowsOf(x),
    colsOf(x),
    (flags & (PAYLOAD_RANK | PAYLOAD_UNIFORM)) | active,
  );
  if (z < 0) return VALUE_FAIL;
  fillBlock(z, x, -1);
  forwardElementwise(op, block);
  if (active != 0 && !record(op, z, x, -1, 0)) return VALUE_FAIL;
  return payloadValue(z);
}

export function applyBinary(op: i32, a: u64, b: u64): u64 {
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
  const xRank = xFlags & PAYLOAD_RANK;
  const yRank = yFlags & PAYLOAD_RANK;
  const shaped = xRank != 0 ? x : y;
  if (xRank != 0 && yRank != 0) {
    if (xRank != yRank || rowsOf(x) != rowsOf(y) || colsOf(x) != colsOf(y))
      return failPair(FAULT_SHAPES_DIFFER, a, b);
  }
  const active = activity(op, xFlags | yFlags);
  const z = newPayload(
    rowsOf(shaped),
    colsOf(shaped),
    (flagsOf(shaped) & PAYLOAD_RANK) | (xFlags & yFlags & PAYLOAD_UNIFORM) | active,
  );
  if (z < 0) return VALUE_FAIL;
  fillBlock(z, x, y);
  forwardElementwise(op, block);
  if (active != 0 && !record(op, z, x, y, 0)) return VALUE_FAIL;
  return payloadValue(z);
}

/** A number or tensor with an identity record of its own, where an input reaches it. */
export function copyLeaving(value: u64): u64 {
  if (!recording) return value;
  const tag = tagOf(value);
  if ((tag != TAG_REAL && tag != TAG_TENSOR) || !isActive(dataOf(value))) return value;
  return applyUnary(OP_COPY, value);
}

/** Structured primitive of one operand (b unused, unary true) or two. */
export function applyStructured(op: i32, a: u64, b: u64, unary: bool): u64 {
  const x = toPayload(a, 0);
  if (x < 0) return VALUE_FAIL;
  const y = unary ? -1 : toPayload(b, 1);
  if (y < 0 && !unary) return VALUE_FAIL;
  const wrong = shapeFor(op, x, y);
  if (wrong != 0) return failPair(FAULT_SHAPE, a, b, wrong);
  const xFlags = flagsOf(x);
  const yFlags = unary ? PAYLOAD_UNIFORM : flagsOf(y);
  const active = activity(op, unary ? xFlags : xFlags | yFlags);
  const z = newPayload(
    shapeRows,
    shapeCols,
    shapeRank | (xFlags & yFlags & PAYLOAD_UNIFORM) | active,
  );
  if (z < 0) return VALUE_FAIL;
  if (!fillStructured(op, z, x, y)) return VALUE_FAIL;
  forwardStructured(op, block);
  if (active != 0 && !record(op, z, x, y, 0)) return VALUE_FAIL;
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
  store<i32>(block, countOf(x), BLOCK_COUNT);
  store<i32>(block, element, BLOCK_AUX);
  forwardStructured(OP_PLACE, block);
  return !isActive(x) || record(OP_PLACE, z, x, -1, element);
}

/** Elements of x from `element` on, as a payload of its own. */
export function pick(x: i32, element: i32, rows: i32, cols: i32, rank: i32): i32 {
  const z = newPayload(rows, cols, (flagsOf(x) & ~PAYLOAD_RANK) | rank);
  if (z < 0) return -1;
  fillBlock(z, x, -1);
  store<i32>(block, element, BLOCK_AUX);
  forwardStructured(OP_PICK, block);
  return record(OP_PICK, z, x, -1, element) ? z : -1;
}

const REALS_PER_VECTOR: i32 = 16 / sizeof<real>();

/** Mask of the lanes of the last vector of a run that are real lanes, not padding. */
function lastVectorMask(): v128 {
  const used = lanes - ((<i32>run >> 4) - 1) * REALS_PER_VECTOR;
  const bytes = used * sizeof<real>();
  const index = i8x16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  return i8x16.lt_s(index, i8x16.splat(<i8>bytes));
}

/** A mask payload as a boolean: #t or #f where all lanes agree, else a lane-varying boolean. */
function agreedBoolean(mask: i32, primal: usize): u64 {
  const at = primalOf(mask);
  const bytes: usize = isUniform(mask) ? 16 : run;
  let some = i8x16.splat(0);
  let all = i8x16.splat(-1);
  const last = isUniform(mask) ? i8x16.splat(-1) : lastVectorMask();
  for (let lane: usize = 0; lane < bytes; lane += 16) {
    const used = lane + 16 == bytes ? last : i8x16.splat(-1);
    const lanesHere = v128.load(at + lane);
    some = v128.or(some, v128.and(lanesHere, used));
    all = v128.and(all, v128.or(lanesHere, v128.not(used)));
  }
  const anyTrue = v128.any_true(some);
  if (anyTrue && !i8x16.all_true(all)) return valueOf(TAG_MASK, mask);
  dropNewest(primal);
  return booleanValue(anyTrue);
}

function predicate(op: i32, x: i32, y: i32): u64 {
  const both = flagsOf(x) & (y < 0 ? PAYLOAD_UNIFORM : flagsOf(y));
  const before = primalTop;
  const z = newPayload(1, 1, (both & PAYLOAD_UNIFORM) | PAYLOAD_MASK);
  if (z < 0) return VALUE_FAIL;
  fillBlock(z, x, y);
  forwardPredicate(op, block);
  return agreedBoolean(z, before);
}

/** Payload of a scalar; -1 and a fault for anything else. */
function toScalar(value: u64, operand: i32): i32 {
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
    const integral = predicate(OP_IS_INTEGER, x, -1);
    if (integral != booleanValue(true)) return failOperand(FAULT_NOT_INTEGER, 0, a);
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

/** Logical and of two booleans, either of which can differ between lanes. */
export function conjunction(a: u64, b: u64): u64 {
  if (tagOf(a) == TAG_BOOL) return dataOf(a) == 0 ? a : b;
  if (tagOf(b) == TAG_BOOL) return dataOf(b) == 0 ? b : a;
  const before = primalTop;
  const z = newPayload(1, 1, PAYLOAD_MASK);
  if (z < 0) return VALUE_FAIL;
  const zAt = primalOf(z);
  const xAt = primalOf(dataOf(a));
  const yAt = primalOf(dataOf(b));
  for (let lane: usize = 0; lane < run; lane += 16)
    v128.store(zAt + lane, v128.and(v128.load(xAt + lane), v128.load(yAt + lane)));
  return agreedBoolean(z, before);
}

/** Logical not of a boolean that differs between lanes. */
export function negation(a: u64): u64 {
  const z = newPayload(1, 1, PAYLOAD_MASK);
  if (z < 0) return VALUE_FAIL;
  const zAt = primalOf(z);
  const xAt = primalOf(dataOf(a));
  for (let lane: usize = 0; lane < run; lane += 16)
    v128.store(zAt + lane, v128.not(v128.load(xAt + lane)));
  return valueOf(TAG_MASK, z);
}

/** Equality of two tensors of one shape, element by element; a boolean, maybe lane-varying. */
export function tensorsEqual(op: i32, x: i32, y: i32): u64 {
  if (rankOf(x) != rankOf(y) || rowsOf(x) != rowsOf(y) || colsOf(x) != colsOf(y))
    return booleanValue(false);
  if (countOf(x) == 0) return booleanValue(true);
  const before = primalTop;
  const each = newPayload(rowsOf(x), colsOf(x), PAYLOAD_MASK);
  if (each < 0) return VALUE_FAIL;
  fillBlock(each, x, y);
  forwardPredicate(op, block);
  const at = primalOf(each);
  const count = countOf(each);
  for (let element = 1; element < count; element++) {
    const from = at + <usize>element * run;
    for (let lane: usize = 0; lane < run; lane += 16)
      v128.store(at + lane, v128.and(v128.load(at + lane), v128.load(from + lane)));
  }
  return agreedBoolean(each, before);
}

/**
 * A structural integer out of a number: index, size or count. Fails where it is fractional or
 * where lanes disagree. INTEGER_NONE after a fault.
 */
export const INTEGER_NONE: i32 = i32.MIN_VALUE;

export function toInteger(value: u64, operand: i32): i32 {
  const tag = tagOf(value);
  if (tag == TAG_INT) return dataOf(value);
  if (tag != TAG_REAL) {
    failOperand(FAULT_NOT_INTEGER, operand, value);
    return INTEGER_NONE;
  }
  const at = primalOf(dataOf(value));
  const first = load<real>(at);
  if (!(first >= <real>-2147483000.0 && first <= <real>2147483000.0) || trunc(first) != first) {
    failOperand(FAULT_NOT_INTEGER, operand, value);
    return INTEGER_NONE;
  }
  if (!isUniform(dataOf(value))) {
    for (let lane = 1; lane < lanes; lane++) {
      if (load<real>(at + <usize>lane * sizeof<real>()) != first) {
        failOperand(FAULT_DIVERGENT, operand, value, DIVERGENT_INDEX);
        return INTEGER_NONE;
      }
    }
  }
  return <i32>first;
}

/** A uniform real result of structural work. */
export function realConstant(id: i32): u64 {
  return id < 0 ? VALUE_FAIL : realValue(id);
}
