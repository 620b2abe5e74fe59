/**
 * Adam inside the machine: rounds of bind → replay → loss → backward → step over the current trace,
 * for all restarts of a fit at once. One call takes many rounds.
 *
 * The caller writes a block (FIT_* in layout.ts) with the data, the settings and a state for every
 * slot, and reads the states back. A round that a lane refuses by a guard is not begun: the caller
 * walks it, and may then go on here. All arithmetic is that of src/fit/adam.ts in the same order,
 * so a fit has the same bits here and there.
 */

import {
  FIT_BETA1,
  FIT_BETA2,
  FIT_COLUMNS,
  FIT_COLUMNS_AT,
  FIT_DIVISOR,
  FIT_EPSILON,
  FIT_IDS_AT,
  FIT_LANES,
  FIT_LOSS,
  FIT_MAPS_AT,
  FIT_MIXED,
  FIT_OBJECTIVE,
  FIT_PARAMS,
  FIT_POINTS,
  FIT_RATE,
  FIT_RESULT,
  FIT_ROUNDS,
  FIT_SLOTS,
  FIT_STATES_AT,
  FIT_STEPS,
  FIT_WIDTH,
  MAP_BYTES,
  REASON_NONE,
  REASON_NOT_FINITE,
  REASON_STEPS,
  ROUNDS_DONE,
  ROUNDS_ENDED,
  ROUNDS_REFUSED,
  STATE_ARRAY_COUNT,
  STATE_ARRAYS,
  STATE_EVALUATIONS,
  STATE_LOSS,
  STATE_POWER1,
  STATE_POWER2,
  STATE_REASON,
  STATE_STEPS,
} from "../src/program/layout";
import { slopeOf, toUser } from "./bounds";
import { addChunk, clearSums, sumsOf, treeOf } from "./loss";
import { isUniform, primalOf } from "./payload";
import { replayWhole } from "./replay";

/** Takes up to `most` rounds. Returns ROUNDS_*; FIT_ROUNDS then says how many were taken. */
export function adamRounds(fit: usize, most: i32): i32 {
  let taken = 0;
  let ended = ROUNDS_DONE;
  while (taken < most && ended == ROUNDS_DONE) {
    if (!evaluate(fit, taken == 0)) {
      ended = ROUNDS_REFUSED;
      break;
    }
    if (takeAll(fit)) ended = ROUNDS_ENDED;
    taken += 1;
  }
  store<i32>(fit, taken, FIT_ROUNDS);
  return ended;
}

/** Payload of parameter j; columns follow the parameters. */
export function idOfParameter(fit: usize, j: i32): i32 {
  return load<i32>(fit + load<u32>(fit, FIT_IDS_AT) + (<usize>j << 2));
}

// ─── Evaluation ─────────────────────────────────────────────────────────────

/** Loss and slopes of all slots into the partial sums; false where a lane failed a guard. */
function evaluate(fit: usize, isFirst: bool): bool {
  const lanes = load<i32>(fit, FIT_LANES);
  const width = load<i32>(fit, FIT_WIDTH);
  const result = load<i32>(fit, FIT_RESULT);
  const mixed = load<i32>(fit, FIT_MIXED) != 0;
  clearSums(fit);
  for (let from = 0; from < lanes; from += width) {
    const count = min(width, lanes - from);
    bindParameters(fit, from, count);
    // The data of a single chunk stay where they are.
    if (isFirst || lanes > width) bindColumns(fit, from, count);
    if (!replayWhole(count, result, mixed)) return false;
    addChunk(fit, from, count);
  }
  return true;
}

/** Array `k` of a slot's state: trial, x, slopes, first, second, u, best. */
// @ts-ignore: decorator
@inline function arrayOf(state: usize, params: i32, k: i32): usize {
  return state + STATE_ARRAYS + (<usize>(k * params) << 3);
}

// @ts-ignore: decorator
@inline function stateOf(fit: usize, slot: i32): usize {
  const numbers = STATE_ARRAYS / 8 + STATE_ARRAY_COUNT * load<i32>(fit, FIT_PARAMS);
  return fit + load<u32>(fit, FIT_STATES_AT) + (<usize>(slot * numbers) << 3);
}

/** Writes the parameters of the chunk's slots, each into the lanes of its slot. */
function bindParameters(fit: usize, from: i32, count: i32): void {
  const params = load<i32>(fit, FIT_PARAMS);
  const perSlot = load<i32>(fit, FIT_LANES) / load<i32>(fit, FIT_SLOTS);
  let slot = from / perSlot;
  let end = (slot + 1) * perSlot - from;
  for (let lane = 0; lane < count; slot++) {
    end = min(end, count);
    const x = arrayOf(stateOf(fit, slot), params, 1);
    for (let j = 0; j < params; j++) {
      const id = idOfParameter(fit, j);
      const number = <real>load<f64>(x + (<usize>j << 3));
      if (!isUniform(id)) fillReals(primalOf(id) + <usize>lane * sizeof<real>(), number, end - lane);
      else if (slot == 0) v128.store(primalOf(id), v128.splat<real>(number));
    }
    lane = end;
    end += perSlot;
  }
}

// @ts-ignore: decorator
@inline function fillReals(to: usize, number: real, count: i32): void {
  const vector = v128.splat<real>(number);
  const end = to + <usize>count * sizeof<real>();
  for (; to + 64 <= end; to += 64) {
    v128.store(to, vector);
    v128.store(to, vector, 16);
    v128.store(to, vector, 32);
    v128.store(to, vector, 48);
  }
  for (; to + 16 <= end; to += 16) v128.store(to, vector);
  for (; to < end; to += sizeof<real>()) store<real>(to, number);
}

function bindColumns(fit: usize, from: i32, count: i32): void {
  const params = load<i32>(fit, FIT_PARAMS);
  const columns = load<i32>(fit, FIT_COLUMNS);
  const points = load<i32>(fit, FIT_POINTS);
  const bytes = <usize>points * sizeof<real>();
  for (let k = 0; k < columns; k++) {
    const column = fit + load<u32>(fit, FIT_COLUMNS_AT) + <usize>k * bytes;
    let to = primalOf(idOfParameter(fit, params + k));
    for (let lane = from; lane < from + count; ) {
      const row = lane % points;
      const rows = min(points - row, from + count - lane);
      memory.copy(to, column + <usize>row * sizeof<real>(), <usize>rows * sizeof<real>());
      to += <usize>rows * sizeof<real>();
      lane += rows;
    }
  }
}

// ─── Steps ──────────────────────────────────────────────────────────────────

/** Gives every slot its evaluation; whether any ended by it. */
function takeAll(fit: usize): bool {
  const slots = load<i32>(fit, FIT_SLOTS);
  let ended = false;
  for (let slot = 0; slot < slots; slot++) {
    const state = stateOf(fit, slot);
    const reason = take(fit, state, sumsOf(fit, slot));
    store<f64>(state, reason, STATE_REASON);
    if (reason != REASON_NONE) ended = true;
  }
  return ended;
}

function take(fit: usize, state: usize, sums: usize): i32 {
  const params = load<i32>(fit, FIT_PARAMS);
  const isSum = load<i32>(fit, FIT_LOSS) != FIT_OBJECTIVE;
  store<f64>(state, load<f64>(state, STATE_EVALUATIONS) + 1, STATE_EVALUATIONS);
  const loss = isSum ? treeOf(sums) : load<f64>(sums);
  let isFiniteAll = isFinite<f64>(loss);
  const slopes = arrayOf(state, params, 2);
  // The gradient by the unlimited numbers takes the place of its first partial sum.
  for (let j = 0; j < params; j++) {
    const own = sums + (<usize>(j + 1) << 6);
    const g = (isSum ? treeOf(own) : load<f64>(own)) * load<f64>(slopes + (<usize>j << 3));
    store<f64>(own, g);
    if (!isFinite<f64>(g)) isFiniteAll = false;
  }
  if (!isFiniteAll) return REASON_NOT_FINITE;
  if (!(loss >= load<f64>(state, STATE_LOSS))) {
    const bytes = <usize>params << 3;
    copyDoubles(arrayOf(state, params, 5), arrayOf(state, params, 0), bytes);
    copyDoubles(arrayOf(state, params, 6), arrayOf(state, params, 1), bytes);
    store<f64>(state, loss, STATE_LOSS);
  }
  if (load<f64>(state, STATE_STEPS) >= <f64>load<i32>(fit, FIT_STEPS)) return REASON_STEPS;
  move(fit, state, sums);
  return REASON_NONE;
}

function copyDoubles(to: usize, from: usize, bytes: usize): void {
  for (let b: usize = 0; b < bytes; b += 8) store<f64>(to + b, load<f64>(from + b));
}

/** One step of Adam from the gradient in the partial sums. */
function move(fit: usize, state: usize, sums: usize): void {
  const params = load<i32>(fit, FIT_PARAMS);
  const rate = load<f64>(fit, FIT_RATE);
  const beta1 = load<f64>(fit, FIT_BETA1);
  const beta2 = load<f64>(fit, FIT_BETA2);
  const epsilon = load<f64>(fit, FIT_EPSILON);
  const divisor = load<f64>(fit, FIT_DIVISOR);
  const power1 = load<f64>(state, STATE_POWER1) * beta1;
  const power2 = load<f64>(state, STATE_POWER2) * beta2;
  store<f64>(state, power1, STATE_POWER1);
  store<f64>(state, power2, STATE_POWER2);
  store<f64>(state, load<f64>(state, STATE_STEPS) + 1, STATE_STEPS);
  for (let j = 0; j < params; j++) {
    const at = <usize>j << 3;
    const trialAt = arrayOf(state, params, 0) + at;
    const firstAt = arrayOf(state, params, 3) + at;
    const secondAt = arrayOf(state, params, 4) + at;
    const g = load<f64>(sums + (<usize>(j + 1) << 6)) / divisor;
    const first = beta1 * load<f64>(firstAt) + (1 - beta1) * g;
    const second = beta2 * load<f64>(secondAt) + (1 - beta2) * g * g;
    store<f64>(firstAt, first);
    store<f64>(secondAt, second);
    const mean = first / (1 - power1);
    const size = Math.sqrt(second / (1 - power2));
    const trial = load<f64>(trialAt) - (rate * mean) / (size + epsilon);
    const map = fit + load<u32>(fit, FIT_MAPS_AT) + <usize>j * MAP_BYTES;
    store<f64>(trialAt, trial);
    store<f64>(arrayOf(state, params, 1) + at, toUser(map, trial));
    store<f64>(arrayOf(state, params, 2) + at, slopeOf(map, trial));
  }
}
