/**
 * Faults: why the machine stopped. A primitive that fails sets the fault and returns VALUE_FAIL;
 * the lanes that evaluate then fail. JavaScript reads the fields and puts them into words.
 */

import { FAULT_NONE, FAULT_NOT_PROCEDURE } from "../../src/program/layout";
import { VALUE_FAIL, VALUE_UNSPECIFIED } from "./value";

export let faultCode: i32 = FAULT_NONE;
/** The value that was wrong, and where two do not fit, the other one. */
export let faultValue: u64 = 0;
export let faultOther: u64 = 0;
/** Which operand was wrong, counted from 0; -1 where it is not about one operand. */
export let faultOperand: i32 = -1;
/** Where two do not fit: which operand the other one is, -1 where it is none. */
export let faultOtherOperand: i32 = -1;
/** A number that belongs to the fault: an index, a count, a SHAPE_* code. */
export let faultDetail: i32 = 0;
/** Op code of the primitive that failed, -1 where none did. */
export let faultOp: i32 = -1;

export function clearFault(): void {
  faultCode = FAULT_NONE;
  faultValue = VALUE_UNSPECIFIED;
  faultOther = VALUE_UNSPECIFIED;
  faultOperand = -1;
  faultOtherOperand = -1;
  faultDetail = 0;
  faultOp = -1;
}

export function setFaultOp(op: i32): void {
  faultOp = op;
}

/** Sets a fault that concerns no single operand. */
export function fail(code: i32, detail: i32 = 0): u64 {
  return failOperand(code, -1, VALUE_UNSPECIFIED, detail);
}

/** Sets a fault about operand number `operand`, whose value is `value`. */
export function failOperand(code: i32, operand: i32, value: u64, detail: i32 = 0): u64 {
  faultCode = code;
  faultOperand = operand;
  faultOtherOperand = -1;
  faultValue = value;
  faultOther = VALUE_UNSPECIFIED;
  faultDetail = detail;
  return VALUE_FAIL;
}

/** Sets a fault about two values that do not fit; `first` and `second` are operand numbers. */
export function failPair(
  code: i32,
  value: u64,
  other: u64,
  detail: i32 = 0,
  first: i32 = 0,
  second: i32 = 1,
): u64 {
  failOperand(code, first, value, detail);
  faultOther = other;
  faultOtherOperand = second;
  return VALUE_FAIL;
}

/** The operation that failed took these operands of the call: -1 for what is none of them. */
export function renumberOperands(first: i32, second: i32): void {
  faultOperand = renumbered(faultOperand, first, second);
  faultOtherOperand = renumbered(faultOtherOperand, first, second);
}

function renumbered(operand: i32, first: i32, second: i32): i32 {
  if (operand == 0) return first;
  return operand == 1 ? second : -1;
}

/** The fault says more than its code. */
export function setFaultDetail(detail: i32): void {
  faultDetail = detail;
}

/** A call whose last operand is a list: what failed cannot be told by its place in the text. */
export function failApply(): void {
  renumberOperands(-1, -1);
  if (faultCode == FAULT_NOT_PROCEDURE) faultDetail = 1;
}
