/**
 * Where the parts of a fit lie in its block (FIT_* in layout.ts), which the caller wrote.
 */

import { PART_BYTES, REASON_NONE, STATE_ARRAYS } from "../../src/fit/layout";
import { fitAt, partAt, stateAt } from "./layout";

/** Payload of an input that parameters are bound to; columns follow them. */
export function idOfInput(fit: usize, input: i32): i32 {
  return load<i32>(fit + fitAt(fit).idsAt + ((<usize>input) << 2));
}

/** Where the numbers of parameter j lie: PART_*. */
// @ts-ignore: decorator
@inline export function partOf(fit: usize, j: i32): usize {
  return fit + fitAt(fit).partsAt + <usize>(j * PART_BYTES);
}

/** Derivatives of the value by parameter j, by lane of the chunk. */
// @ts-ignore: decorator
@inline export function slopesOf(fit: usize, j: i32): usize {
  return partAt(partOf(fit, j)).slopes;
}

/** The groups of the rows from `row` on, i32. */
export function rowGroupsAt(fit: usize, row: i32): usize {
  return fit + fitAt(fit).rowGroupsAt + ((<usize>row) << 2);
}

/** Array `k` of a slot's state, ARRAY_*. */
// @ts-ignore: decorator
@inline export function arrayOf(state: usize, params: i32, k: i32): usize {
  return state + STATE_ARRAYS + ((<usize>(k * params)) << 3);
}

// @ts-ignore: decorator
@inline export function stateOf(fit: usize, slot: i32): usize {
  return fit + fitAt(fit).statesAt + <usize>slot * fitAt(fit).stateBytes;
}

/** Whether a slot's restart goes on. */
export function isRunning(fit: usize, slot: i32): bool {
  return stateAt(stateOf(fit, slot)).reason == REASON_NONE;
}

/** What a slot's evaluation comes to: partial sums of the loss, then of each slope; or SUMS_*. */
export function sumsOf(fit: usize, slot: i32): usize {
  return fit + fitAt(fit).sumsAt + <usize>slot * fitAt(fit).sumsBytes;
}
