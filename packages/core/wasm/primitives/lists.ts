/**
 * List primitives. Lists are immutable and finite, so plain loops do; long ones cost steps.
 */

import {
  FAULT_INDEX,
  FAULT_NOT_ALIST,
  FAULT_NOT_LIST,
  FAULT_NOT_PAIR,
} from "../../src/program/layout";
import { spend } from "../lanes/budget";
import { decide } from "../lanes/lanes";
import { failOperand, failPair } from "../memory/fault";
import { cons, head, isPair, setField, tail } from "../memory/heap";
import {
  booleanValue,
  dataOf,
  integerValue,
  VALUE_FAIL,
  VALUE_FALSE,
  VALUE_NIL,
} from "../memory/value";
import { identical, structurallyEqual } from "./equality";
import { INTEGER_NONE, toInteger } from "./numeric";

export function car(value: u64): u64 {
  return isPair(value) ? head(value) : failOperand(FAULT_NOT_PAIR, 0, value);
}

export function cdr(value: u64): u64 {
  return isPair(value) ? tail(value) : failOperand(FAULT_NOT_PAIR, 0, value);
}

/** Length of a proper list, -1 for anything else. */
export function properLength(value: u64): i32 {
  let count = 0;
  while (isPair(value)) {
    count += 1;
    value = tail(value);
  }
  return value == VALUE_NIL ? count : -1;
}

export function isList(value: u64): u64 {
  let count = 0;
  while (isPair(value)) {
    count += 1;
    value = tail(value);
  }
  return spend(count >> 3) ? booleanValue(value == VALUE_NIL) : VALUE_FAIL;
}

export function length(value: u64): u64 {
  const count = properLength(value);
  if (count < 0) return failOperand(FAULT_NOT_LIST, 0, value);
  return spend(count >> 3) ? integerValue(count) : VALUE_FAIL;
}

/** The values at `from`, `count` of them, as a list. */
export function listFrom(from: usize, count: i32): u64 {
  let list = VALUE_NIL;
  for (let i = count - 1; i >= 0; i--) {
    list = cons(load<u64>(from + ((<usize>i) << 3)), list);
    if (list == VALUE_FAIL) return list;
  }
  return list;
}

export function reverse(list: u64): u64 {
  if (properLength(list) < 0) return failOperand(FAULT_NOT_LIST, 0, list);
  let result = VALUE_NIL;
  while (isPair(list)) {
    if (!spend(1)) return VALUE_FAIL;
    result = cons(head(list), result);
    if (result == VALUE_FAIL) return result;
    list = tail(list);
  }
  return result;
}

/** A copy of the pairs of `list`, ending in `end` instead of what it ends in. */
function copyOnto(list: u64, end: u64): u64 {
  if (!isPair(list)) return end;
  const first = cons(head(list), end);
  if (first == VALUE_FAIL) return first;
  let last = first;
  list = tail(list);
  while (isPair(list)) {
    if (!spend(1)) return VALUE_FAIL;
    const next = cons(head(list), end);
    if (next == VALUE_FAIL) return next;
    setField(dataOf(last), 1, next);
    last = next;
    list = tail(list);
  }
  return first;
}

/** (append a b …): the last argument is shared, whatever it is. */
export function append(from: usize, count: i32): u64 {
  if (count == 0) return VALUE_NIL;
  let result = load<u64>(from + ((<usize>(count - 1)) << 3));
  for (let i = count - 2; i >= 0; i--) {
    const list = load<u64>(from + ((<usize>i) << 3));
    if (properLength(list) < 0) return failOperand(FAULT_NOT_LIST, i, list);
    result = copyOnto(list, result);
    if (result == VALUE_FAIL) return result;
  }
  return result;
}

/** (list-copy x): new pairs; a tail that is not a list stays, anything else is returned. */
export function listCopy(value: u64): u64 {
  let end = value;
  while (isPair(end)) end = tail(end);
  return copyOnto(value, end);
}

/** The index that `listTail` was last asked for. */
let indexAsked: i32 = 0;

export function listTail(list: u64, index: u64): u64 {
  const count = toInteger(index, 1);
  indexAsked = count;
  if (count == INTEGER_NONE) return VALUE_FAIL;
  let at = list;
  for (let i = 0; i < count; i++) {
    if (!isPair(at)) return failPair(FAULT_INDEX, index, list, count);
    at = tail(at);
  }
  if (count < 0) return failPair(FAULT_INDEX, index, list, count);
  return spend(count >> 3) ? at : VALUE_FAIL;
}

export function listRef(list: u64, index: u64): u64 {
  const at = listTail(list, index);
  if (at == VALUE_FAIL) return at;
  return isPair(at) ? head(at) : failPair(FAULT_INDEX, index, list, indexAsked);
}

/** Whether a key matches; lanes that say otherwise than most leave the walk. */
// @ts-ignore: decorator
@inline function matches(a: u64, b: u64, deep: bool): u64 {
  return decide(deep ? structurallyEqual(a, b) : identical(a, b));
}

/** memq, memv (deep false), member (deep true). */
export function memberOf(key: u64, list: u64, deep: bool): u64 {
  let at = list;
  while (isPair(at)) {
    const same = matches(key, head(at), deep);
    if (same == VALUE_FAIL) return same;
    if (same != VALUE_FALSE) return at;
    if (!spend(1)) return VALUE_FAIL;
    at = tail(at);
  }
  return at == VALUE_NIL ? VALUE_FALSE : failOperand(FAULT_NOT_LIST, 1, list);
}

/** assq, assv (deep false), assoc (deep true). */
export function associationOf(key: u64, list: u64, deep: bool): u64 {
  let at = list;
  while (isPair(at)) {
    const entry = head(at);
    if (!isPair(entry)) return failOperand(FAULT_NOT_ALIST, 1, entry);
    const same = matches(key, head(entry), deep);
    if (same == VALUE_FAIL) return same;
    if (same != VALUE_FALSE) return entry;
    if (!spend(1)) return VALUE_FAIL;
    at = tail(at);
  }
  return at == VALUE_NIL ? VALUE_FALSE : failOperand(FAULT_NOT_LIST, 1, list);
}
