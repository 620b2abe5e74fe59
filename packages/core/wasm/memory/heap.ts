/**
 * The heap: pairs, closures and boxes, written once and reset in O(1) between walks.
 *
 *   word 0   | field count u32 | a word of the client's own u32 |
 *   word 1…  fields, values of 8 bytes
 *
 * Objects are named by the index of their header word. The quoted structure of the program lies
 * first and is never moved.
 */

import { FAULT_MEMORY, PAIR_FIELDS, TAG_PAIR } from "../../src/program/layout";
import { heapBase, heapTop, reserveHeap, setHeapTop } from "./arena";
import { fail } from "./fault";
import { objectAt } from "./layout";
import { dataOf, tagOf, VALUE_FAIL, valueOf } from "./value";

export let objectsMade: f64 = 0;

export function beginHeap(): void {
  setHeapTop(0);
  objectsMade = 0;
}

/** A new object with uninitialised fields; -1 and a fault where memory does not allow it. */
export function newObject(fields: i32, own: i32): i32 {
  const bytes = (<usize>fields + 1) << 3;
  if (!reserveHeap(bytes)) {
    fail(FAULT_MEMORY);
    return -1;
  }
  const index = <i32>(heapTop >> 3);
  objectAt(heapBase + heapTop).fields = fields;
  objectAt(heapBase + heapTop).own = own;
  setHeapTop(heapTop + bytes);
  objectsMade += 1;
  return index;
}

// @ts-ignore: decorator
@inline export function fieldAddress(object: i32, field: i32): usize {
  return heapBase + ((<usize>object + 1 + <usize>field) << 3);
}

// @ts-ignore: decorator
@inline export function getField(object: i32, field: i32): u64 {
  return load<u64>(fieldAddress(object, field));
}

// @ts-ignore: decorator
@inline export function setField(object: i32, field: i32, value: u64): void {
  store<u64>(fieldAddress(object, field), value);
}

/** The client's own word: for a closure, where its code is. */
// @ts-ignore: decorator
@inline export function wordOf(object: i32): i32 {
  return objectAt(heapBase + ((<usize>object) << 3)).own;
}

export function cons(head: u64, tail: u64): u64 {
  const pair = newObject(PAIR_FIELDS, 0);
  if (pair < 0) return VALUE_FAIL;
  setField(pair, 0, head);
  setField(pair, 1, tail);
  return valueOf(TAG_PAIR, pair);
}

// @ts-ignore: decorator
@inline export function isPair(value: u64): bool {
  return tagOf(value) == TAG_PAIR;
}

// @ts-ignore: decorator
@inline export function head(pair: u64): u64 {
  return getField(dataOf(pair), 0);
}

// @ts-ignore: decorator
@inline export function tail(pair: u64): u64 {
  return getField(dataOf(pair), 1);
}
