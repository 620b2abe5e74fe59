/**
 * Values: what the evaluator holds in a slot. 8 bytes, tag in the low word, data in the high word
 * (layout.ts lists the tags). Structure only: numbers that differ or may be differentiated are
 * payload ids, small integers are immediates.
 */

import {
  TAG_BOOL,
  TAG_FAIL,
  TAG_INT,
  TAG_NIL,
  TAG_REAL,
  TAG_UNINITIALISED,
  TAG_UNSPECIFIED,
} from "../../src/program/layout";

// @ts-ignore: decorator
@inline export function valueOf(tag: i32, data: i32): u64 {
  return ((<u64>(<u32>data)) << 32) | <u64>tag;
}

// @ts-ignore: decorator
@inline export function tagOf(value: u64): i32 {
  return <i32>value;
}

// @ts-ignore: decorator
@inline export function dataOf(value: u64): i32 {
  return <i32>(value >> 32);
}

// @ts-ignore: decorator
@inline export const VALUE_FALSE: u64 = <u64>TAG_BOOL;
// @ts-ignore: decorator
@inline export const VALUE_TRUE: u64 = ((<u64>1) << 32) | <u64>TAG_BOOL;
// @ts-ignore: decorator
@inline export const VALUE_NIL: u64 = <u64>TAG_NIL;
// @ts-ignore: decorator
@inline export const VALUE_UNSPECIFIED: u64 = <u64>TAG_UNSPECIFIED;
// @ts-ignore: decorator
@inline export const VALUE_UNINITIALISED: u64 = <u64>TAG_UNINITIALISED;
// @ts-ignore: decorator
@inline export const VALUE_FAIL: u64 = <u64>TAG_FAIL;

// @ts-ignore: decorator
@inline export function booleanValue(truth: bool): u64 {
  return truth ? VALUE_TRUE : VALUE_FALSE;
}

// @ts-ignore: decorator
@inline export function integerValue(n: i32): u64 {
  return valueOf(TAG_INT, n);
}

// @ts-ignore: decorator
@inline export function realValue(payload: i32): u64 {
  return valueOf(TAG_REAL, payload);
}

// @ts-ignore: decorator
@inline export function isNumber(value: u64): bool {
  const tag = tagOf(value);
  return tag == TAG_INT || tag == TAG_REAL;
}

/** Integers leave their range where the real type no longer holds every integer exactly. */
// @ts-ignore: decorator
@inline export const INTEGER_MAX: i64 = sizeof<real>() == 4 ? 1 << 24 : 0x7fffffff;
