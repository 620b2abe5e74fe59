/**
 * Steps: every evaluated cell costs one, heavy primitives cost more. The walk runs until its slice
 * is used up and then pauses; the caller decides whether it goes on.
 */

import { FAULT_STEPS } from "../src/program/layout";
import { fail } from "./fault";

/** Steps left in this slice; below zero the walk pauses. */
export let fuel: i64 = 0;
/** Steps this run may still take, this slice included. */
let stepsLeft: i64 = 0;
let slice: i64 = 0;

export function beginSlice(steps: f64, left: f64): void {
  slice = <i64>steps;
  fuel = slice;
  stepsLeft = <i64>left;
}

/** Steps taken in this slice. */
export function stepsTaken(): f64 {
  return <f64>(slice - fuel);
}

// @ts-ignore: decorator
@inline export function step(): bool {
  return --fuel >= 0;
}

/** Gives back the step of a cell that has not run because the slice ended. */
export function unstep(): void {
  fuel += 1;
}

/** Charges a primitive for its work; false and a fault where that alone passes the budget. */
export function spend(work: i64): bool {
  fuel -= work;
  if (slice - fuel <= stepsLeft) return true;
  fail(FAULT_STEPS);
  return false;
}
