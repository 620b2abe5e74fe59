/**
 * Application of a primitive to values that lie side by side on the stack.
 */

import {
  TAG_BOOL,
  TAG_CLOSURE,
  TAG_MASK,
  TAG_PRIMITIVE,
  TAG_SYMBOL,
  TAG_TENSOR,
} from "../../src/program/layout";
import {
  OP_APPEND,
  OP_ASSOC,
  OP_ASSQ,
  OP_ASSV,
  OP_ATAN,
  OP_ATAN2,
  OP_BINARY_LAST,
  OP_BINARY_PREDICATE_LAST,
  OP_CAR,
  OP_CDR,
  OP_COLS,
  OP_CONS,
  OP_DIV,
  OP_EYE,
  OP_GCD,
  OP_IS_BOOLEAN,
  OP_IS_EQ,
  OP_IS_EQUAL,
  OP_IS_EQV,
  OP_IS_INTEGER,
  OP_IS_LIST,
  OP_IS_NULL,
  OP_IS_PAIR,
  OP_IS_PROCEDURE,
  OP_IS_SYMBOL,
  OP_LCM,
  OP_LENGTH,
  OP_LIST,
  OP_LIST_COPY,
  OP_LIST_REF,
  OP_LIST_TAIL,
  OP_MAT,
  OP_MEMBER,
  OP_MEMQ,
  OP_MEMV,
  OP_MUL,
  OP_NEG,
  OP_NOT,
  OP_ONES,
  OP_REF,
  OP_REVERSE,
  OP_ROWS,
  OP_SCALE,
  OP_STRUCTURED_BINARY_LAST,
  OP_STRUCTURED_UNARY_LAST,
  OP_SUB,
  OP_UNARY_LAST,
  OP_UNARY_PREDICATE_LAST,
  OP_VEC,
  OP_VLEN,
  OP_ZEROS,
} from "../generated/ops";
import { beginPrimitive, spendOnElements } from "../lanes/budget";
import { conjunction, negation } from "../lanes/lanes";
import { renumberOperands, setFaultOp } from "../memory/fault";
import { cons, isPair } from "../memory/heap";
import {
  booleanValue,
  dataOf,
  integerValue,
  isNumber,
  tagOf,
  VALUE_FAIL,
  VALUE_FALSE,
  VALUE_NIL,
  VALUE_TRUE,
} from "../memory/value";
import { countOf } from "../tape/payload";
import { identical, structurallyEqual } from "./equality";
import {
  append,
  associationOf,
  car,
  cdr,
  isList,
  length,
  listCopy,
  listFrom,
  listRef,
  listTail,
  memberOf,
  reverse,
} from "./lists";
import {
  applyBinary,
  applyPredicate,
  applyScale,
  applyStructured,
  applyUnary,
  compare,
  toPayload,
  toScalar,
} from "./numeric";
import { filled, identity, makeMatrix, makeVector, reference, sizeOf } from "./tensors";

// @ts-ignore: decorator
@inline function at(from: usize, i: i32): u64 {
  return load<u64>(from + ((<usize>i) << 3));
}

/** A number or tensor as it is; a fault for anything else. */
function numberOnly(value: u64): u64 {
  return toPayload(value, 0) < 0 ? VALUE_FAIL : value;
}

/** (op), (op x) and the fold from the left of more operands. */
function applyFold(op: i32, from: usize, count: i32): u64 {
  if (count == 0) return integerValue(op == OP_MUL || op == OP_LCM ? 1 : 0);
  const first = at(from, 0);
  if (count == 1) {
    if (op == OP_SUB) return applyUnary(OP_NEG, first);
    if (op == OP_DIV) {
      const inverse = applyBinary(OP_DIV, integerValue(1), first);
      if (inverse == VALUE_FAIL) renumberOperands(-1, 0);
      return inverse;
    }
    if (op == OP_GCD || op == OP_LCM) return applyBinary(op, first, first);
    return numberOnly(first);
  }
  let result = applyBinary(op, first, at(from, 1));
  for (let i = 2; i < count && result != VALUE_FAIL; i++) {
    result = applyBinary(op, result, at(from, i));
    if (result == VALUE_FAIL) renumberOperands(-1, i);
  }
  return result;
}

/** (log x), (log x base), (atan y), (atan y x) and the other functions of one number. */
function applyFunction(op: i32, from: usize, count: i32): u64 {
  if (count == 1) return applyUnary(op, at(from, 0));
  if (op == OP_ATAN) return applyBinary(OP_ATAN2, at(from, 0), at(from, 1));
  const numerator = applyUnary(op, at(from, 0));
  if (numerator == VALUE_FAIL) return numerator;
  const denominator = applyUnary(op, at(from, 1));
  if (denominator == VALUE_FAIL) {
    renumberOperands(1, -1);
    return denominator;
  }
  return applyBinary(OP_DIV, numerator, denominator);
}

function applyComparison(op: i32, from: usize, count: i32): u64 {
  if (count == 1) return toScalar(at(from, 0), 0) < 0 ? VALUE_FAIL : VALUE_TRUE;
  let result = VALUE_TRUE;
  for (let i = 1; i < count; i++) {
    const here = compare(op, at(from, i - 1), at(from, i), i - 1);
    if (here == VALUE_FAIL) return here;
    result = conjunction(result, here);
    if (result == VALUE_FAIL) return result;
  }
  return result;
}

/** Charges an element-wise operation, or a fold of one, for the elements it will go through. */
function affordable(from: usize, count: i32): bool {
  let elements: i64 = 1;
  for (let i = 0; i < count; i++) {
    const value = at(from, i);
    if (tagOf(value) == TAG_TENSOR) elements = max(elements, <i64>countOf(dataOf(value)));
  }
  return elements == 1 || spendOnElements(elements * max(count - 1, 1));
}

function isOfKind(op: i32, value: u64): bool {
  const tag = tagOf(value);
  switch (op) {
    case OP_IS_NULL:
      return value == VALUE_NIL;
    case OP_IS_PAIR:
      return isPair(value);
    case OP_IS_SYMBOL:
      return tag == TAG_SYMBOL;
    case OP_IS_BOOLEAN:
      return tag == TAG_BOOL || tag == TAG_MASK;
    case OP_IS_PROCEDURE:
      return tag == TAG_CLOSURE || tag == TAG_PRIMITIVE;
    default:
      return isNumber(value);
  }
}

function applyStructural(op: i32, from: usize, count: i32): u64 {
  const first = count > 0 ? at(from, 0) : VALUE_NIL;
  const second = count > 1 ? at(from, 1) : VALUE_NIL;
  switch (op) {
    case OP_CAR:
      return car(first);
    case OP_CDR:
      return cdr(first);
    case OP_CONS:
      return cons(first, second);
    case OP_VEC:
      return makeVector(from, count);
    case OP_MAT:
      return makeMatrix(from, count);
    case OP_REF:
      return reference(from, count);
    case OP_VLEN:
      return sizeOf(first, 0);
    case OP_ROWS:
      return sizeOf(first, 1);
    case OP_COLS:
      return sizeOf(first, 2);
    case OP_EYE:
      return identity(first);
    case OP_ZEROS:
      return filled(from, count, 0);
    case OP_ONES:
      return filled(from, count, 1);
    case OP_LIST:
      return listFrom(from, count);
    case OP_IS_LIST:
      return isList(first);
    case OP_LENGTH:
      return length(first);
    case OP_APPEND:
      return append(from, count);
    case OP_REVERSE:
      return reverse(first);
    case OP_LIST_REF:
      return listRef(first, second);
    case OP_LIST_TAIL:
      return listTail(first, second);
    case OP_LIST_COPY:
      return listCopy(first);
    case OP_MEMQ:
    case OP_MEMV:
      return memberOf(first, second, false);
    case OP_MEMBER:
      return memberOf(first, second, true);
    case OP_ASSQ:
    case OP_ASSV:
      return associationOf(first, second, false);
    case OP_ASSOC:
      return associationOf(first, second, true);
    case OP_NOT:
      return tagOf(first) == TAG_MASK ? negation(first) : booleanValue(first == VALUE_FALSE);
    case OP_IS_EQ:
    case OP_IS_EQV:
      return identical(first, second);
    case OP_IS_EQUAL:
      return structurallyEqual(first, second);
    default:
      return booleanValue(isOfKind(op, first));
  }
}

/** Applies `op` to the `count` values from address `from` on. The arity has been checked. */
export function applyPrimitive(op: i32, from: usize, count: i32): u64 {
  setFaultOp(op);
  beginPrimitive();
  if (count == 2 && op > OP_UNARY_LAST && op <= OP_BINARY_PREDICATE_LAST) {
    const a = at(from, 0);
    const b = at(from, 1);
    // Only tensors are charged for.
    if (tagOf(a) != TAG_TENSOR && tagOf(b) != TAG_TENSOR) {
      if (op <= OP_BINARY_LAST) return applyBinary(op, a, b);
      if (op > OP_UNARY_PREDICATE_LAST) return compare(op, a, b, 0);
    }
  }
  if (op <= OP_UNARY_LAST) {
    return affordable(from, count) ? applyFunction(op, from, count) : VALUE_FAIL;
  }
  if (op <= OP_BINARY_LAST) {
    if (!affordable(from, count)) return VALUE_FAIL;
    return count == 2 ? applyBinary(op, at(from, 0), at(from, 1)) : applyFold(op, from, count);
  }
  if (op <= OP_UNARY_PREDICATE_LAST) {
    if (op == OP_IS_INTEGER && !isNumber(at(from, 0))) return VALUE_FALSE;
    return applyPredicate(op, at(from, 0));
  }
  if (op <= OP_BINARY_PREDICATE_LAST) return applyComparison(op, from, count);
  if (op <= OP_STRUCTURED_BINARY_LAST) {
    if (op == OP_SCALE)
      return affordable(from, count) ? applyScale(at(from, 0), at(from, 1)) : VALUE_FAIL;
    const unary = op <= OP_STRUCTURED_UNARY_LAST;
    return applyStructured(op, at(from, 0), unary ? VALUE_NIL : at(from, 1), unary);
  }
  return applyStructural(op, from, count);
}
