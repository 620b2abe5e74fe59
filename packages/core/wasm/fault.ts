/**
 * Faults: why the machine stopped. A primitive that fails sets the fault and returns VALUE_FAIL;
 * the walk then ends. JavaScript reads the fields and puts them into words.
 */

import { FAULT_NONE } from "../src/program/layout";
import { VALUE_FAIL, VALUE_UNSPECIFIED } from "./value";

export let faultCode: i32 = FAULT_NONE;
/** The value that was wrong, and where two do not fit, the other one. */
export let faultValue: u64 = 0;
export let faultOther: u64 = 0;
/** Which operand was wrong, counted from 0; -1 where it is not about one operand. */
export let faultOperand: i32 = -1;
/** A number that belongs to the fault: an index, a count, a SHAPE_* or DIVERGENT_* code. */
export let faultDetail: i32 = 0;
/** Op code of the primitive that failed, -1 where none did. */
export let faultOp: i32 = -1;

export function clearFault(): void {
  faultCode = FAULT_NONE;
  faultValue = VALUE_UNSPECIFIED;
  faultOther = VALUE_UNSPECIFIED;
  faultOperand = -1;
  faultDetail = 0;
  faultOp = -1;
}

export function setFaultOp(op: i32): void {
  faultOp = op;
}

/** Sets a fault that concerns no single operand. */
export function fail(code: i32, detail: i32 = 0): u64 {
  faultCode = code;
  faultDetail = detail;
  return VALUE_FAIL;
}

/** Sets a fault about operand number `operand`, whose value is `value`. */
export function failOperand(code: i32, operand: i32, value: u64, detail: i32 = 0): u64 {
  faultCode = code;
  faultOperand = operand;
  faultValue = value;
  faultDetail = detail;
  return VALUE_FAIL;
}

/** Sets a fault about two values that do not fit. */
export function failPair(code: i32, value: u64, other: u64, detail: i32 = 0): u64 {
  faultCode = code;
  faultValue = value;
  faultOther = other;
  faultDetail = detail;
  return VALUE_FAIL;
}
