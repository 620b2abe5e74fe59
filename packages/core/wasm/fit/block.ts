/**
 * Where the parts of a fit lie in its block (FIT_* in layout.ts), which the caller wrote.
 */

import {
  FIT_IDS_AT,
  FIT_PARTS_AT,
  FIT_ROW_GROUPS_AT,
  FIT_STATE_BYTES,
  FIT_STATES_AT,
  FIT_SUMS_AT,
  FIT_SUMS_BYTES,
  PART_BYTES,
  PART_SLOPES,
  REASON_NONE,
  STATE_ARRAYS,
  STATE_REASON,
} from "../../src/program/layout";

/** Payload of an input that parameters are bound to; columns follow them. */
export function idOfInput(fit: usize, input: i32): i32 {
  return load<i32>(fit + load<u32>(fit, FIT_IDS_AT) + (<usize>input << 2));
}

/** Where the numbers of parameter j lie: PART_*. */
// @ts-ignore: decorator
@inline export function partOf(fit: usize, j: i32): usize {
  return fit + load<u32>(fit, FIT_PARTS_AT) + <usize>(j * PART_BYTES);
}

/** Derivatives of the value by parameter j, by lane of the chunk. */
// @ts-ignore: decorator
@inline export function slopesOf(fit: usize, j: i32): usize {
  return load<usize>(partOf(fit, j), PART_SLOPES);
}

/** The groups of the rows from `row` on, i32. */
export function rowGroupsAt(fit: usize, row: i32): usize {
  return fit + load<u32>(fit, FIT_ROW_GROUPS_AT) + (<usize>row << 2);
}

/** Array `k` of a slot's state, ARRAY_*. */
// @ts-ignore: decorator
@inline export function arrayOf(state: usize, params: i32, k: i32): usize {
  return state + STATE_ARRAYS + (<usize>(k * params) << 3);
}

// @ts-ignore: decorator
@inline export function stateOf(fit: usize, slot: i32): usize {
  return fit + load<u32>(fit, FIT_STATES_AT) + <usize>slot * load<u32>(fit, FIT_STATE_BYTES);
}

/** Whether a slot's restart goes on. */
export function isRunning(fit: usize, slot: i32): bool {
  return load<f64>(stateOf(fit, slot), STATE_REASON) == REASON_NONE;
}

/** What a slot's evaluation comes to: partial sums of the loss, then of each slope; or SUMS_*. */
export function sumsOf(fit: usize, slot: i32): usize {
  return fit + load<u32>(fit, FIT_SUMS_AT) + <usize>slot * load<u32>(fit, FIT_SUMS_BYTES);
}
