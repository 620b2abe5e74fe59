/**
 * Optimisers inside the machine: rounds of bind → replay → loss → backward → step over the current
 * trace, for all restarts of a fit at once. One call takes many rounds.
 *
 * The caller writes a block (FIT_* in layout.ts) with the data, the settings and a state for every
 * slot, and reads the states back. A round that a lane refuses by a guard is not begun: the caller
 * walks it, and may then go on here. A slot that has ended, or has no restart, keeps its lanes and
 * takes no steps.
 */

import {
  ARRAY_X,
  FIT_LBFGS,
  FIT_LEVENBERG,
  REASON_NONE,
  ROUNDS_DONE,
  ROUNDS_ENDED,
  ROUNDS_REFUSED,
} from "../../src/fit/layout";
import { adjointAddress, replayAllLanes, seedOnes } from "../replay/replay";
import { isUniform, primalOf } from "../tape/payload";
import { takeAdam } from "./adam";
import { arrayOf, idOfInput, isRunning, partOf, rowGroupsAt, stateOf, sumsOf } from "./block";
import { fitAt, partAt, stateAt } from "./layout";
import { takeLbfgs } from "./lbfgs";
import { takeLevenberg } from "./levenberg";
import { addChunk, addRowsOf, clearSums, gradientOf } from "./loss";
import { restStill, wakeStill } from "./still";

/** Takes up to `most` rounds. Returns ROUNDS_*; `rounds` then says how many were taken. */
export function fitRounds(fit: usize, most: i32): i32 {
  let taken = 0;
  let ended = ROUNDS_DONE;
  findParts(fit);
  // Nothing adds to the adjoint of the value, so it is seeded for all rounds.
  seedOnes(fitAt(fit).result);
  // The data of a single chunk stay where they are, and so does what is made of them alone.
  const isOneChunk = fitAt(fit).lanes <= fitAt(fit).width;
  while (taken < most && ended == ROUNDS_DONE) {
    if (!evaluate(fit, taken == 0 || !isOneChunk)) {
      ended = ROUNDS_REFUSED;
      break;
    }
    if (takeAll(fit) < fitAt(fit).runningLeast) ended = ROUNDS_ENDED;
    if (taken == 0 && isOneChunk) restStill(fit);
    taken += 1;
  }
  if (isOneChunk) wakeStill();
  fitAt(fit).rounds = taken;
  return ended;
}

// A round that was evaluated elsewhere: `fitBegin`, `fitAdd` for all rows of all slots in pieces
// that lie in the block as if there were no others, then `fitTake`, or `fitSum` for the sums alone.
// Pieces but the last are whole blocks of rows, so that no sum is told where they begin.

export function fitBegin(fit: usize): void {
  clearSums(fit);
}

export function fitAdd(fit: usize, slot: i32): void {
  findGiven(fit);
  addRowsOf(fit, slot, 0, fitAt(fit).lanes, 0);
}

export function fitTake(fit: usize): void {
  takeAll(fit);
}

/** Leaves gradients where partial sums were; factors are what they are. */
export function fitSum(fit: usize): void {
  if (fitAt(fit).optimiser == FIT_LEVENBERG) return;
  for (let slot = 0; slot < fitAt(fit).slots; slot++)
    gradientOf(fit, stateOf(fit, slot), sumsOf(fit, slot));
}

/** Looks up once for all rounds what the parts of the parameters are in the trace. */
function findParts(fit: usize): void {
  for (let j = 0; j < fitAt(fit).params; j++) {
    const part = partOf(fit, j);
    const id = idOfInput(fit, partAt(part).input);
    partAt(part).primal = primalOf(id);
    partAt(part).isUniform = isUniform(id) ? 1 : 0;
    partAt(part).slopes = adjointAddress(id);
  }
}

/** The slopes that the caller has given, by input after the values. */
function findGiven(fit: usize): void {
  const given = fit + fitAt(fit).givenAt;
  const bytes = fitAt(fit).lanes * sizeof<real>();
  for (let j = 0; j < fitAt(fit).params; j++) {
    const part = partOf(fit, j);
    partAt(part).slopes = given + <usize>((partAt(part).input + 1) * bytes);
  }
}

// ─── Evaluation ─────────────────────────────────────────────────────────────

/** Loss and slopes of all slots into the partial sums; false where a lane failed a guard. */
function evaluate(fit: usize, bindsData: bool): bool {
  const lanes = fitAt(fit).lanes;
  const width = fitAt(fit).width;
  const slotLanes = fitAt(fit).slotLanes;
  const result = fitAt(fit).result;
  const hasMerges = fitAt(fit).hasMerges != 0;
  clearSums(fit);
  // The slot of the chunk's first lane, and the lane's place in it.
  let slot = 0;
  let row = 0;
  for (let from = 0; from < lanes; from += width) {
    const count = min(width, lanes - from);
    bindParameters(fit, slot, row, count);
    if (bindsData) bindColumns(fit, from, count);
    if (!replayAllLanes(count, result, hasMerges)) return false;
    addChunk(fit, slot, row, count);
    for (row += count; row >= slotLanes; row -= slotLanes) slot++;
  }
  return true;
}

/** Writes the parameters of the chunk's slots, each into the lanes of its slot. */
function bindParameters(fit: usize, slot: i32, row: i32, count: i32): void {
  const params = fitAt(fit).params;
  const slotLanes = fitAt(fit).slotLanes;
  for (let lane = 0; lane < count; slot++) {
    const rows = min(slotLanes - row, count - lane);
    const x = arrayOf(stateOf(fit, slot), params, ARRAY_X);
    for (let j = 0; j < params; j++) {
      const part = partOf(fit, j);
      const to = partAt(part).primal;
      const place = to + <usize>lane * sizeof<real>();
      const number = <real>load<f64>(x + ((<usize>j) << 3));
      const group = partAt(part).group;
      if (group >= 0) fillGroup(fit, group, row, place, number, rows);
      else if (partAt(part).isUniform == 0) fillReals(place, number, rows);
      else if (slot == 0) v128.store(to, v128.splat<real>(number));
    }
    lane += rows;
    row = 0;
  }
}

/** As `fillReals`, where the rows from `row` on are of a group. */
function fillGroup(fit: usize, group: i32, row: i32, to: usize, number: real, count: i32): void {
  for (let i = 0; i < count; i++)
    if (load<i32>(rowGroupsAt(fit, row + i)) == group)
      store<real>(to + <usize>i * sizeof<real>(), number);
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
  const inputs = fitAt(fit).inputs;
  const columns = fitAt(fit).columns;
  const points = fitAt(fit).points;
  const bytes = <usize>points * sizeof<real>();
  for (let k = 0; k < columns; k++) {
    const column = fit + fitAt(fit).columnsAt + <usize>k * bytes;
    let to = primalOf(idOfInput(fit, inputs + k));
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

/** Gives every slot that goes on its evaluation; how many go on after it. */
function takeAll(fit: usize): i32 {
  const slots = fitAt(fit).slots;
  const optimiser = fitAt(fit).optimiser;
  let running = 0;
  for (let slot = 0; slot < slots; slot++) {
    if (!isRunning(fit, slot)) continue;
    const state = stateOf(fit, slot);
    const sums = sumsOf(fit, slot);
    stateAt(state).evaluations = stateAt(state).evaluations + 1;
    const reason = take(optimiser, fit, state, sums);
    stateAt(state).reason = reason;
    if (reason == REASON_NONE) running += 1;
  }
  return running;
}

// @ts-ignore: decorator
@inline function take(optimiser: i32, fit: usize, state: usize, sums: usize): i32 {
  if (optimiser == FIT_LEVENBERG) return takeLevenberg(fit, state, sums);
  if (optimiser == FIT_LBFGS) return takeLbfgs(fit, state, sums);
  return takeAdam(fit, state, sums);
}
