/**
 * Places for adjoints. A payload's adjoint is needed only from the record that first adds to it in
 * the backward pass to the record that made the payload, so places are used again and the adjoints
 * of a long trace stay in the first-level cache. Inputs keep theirs: they are what is asked for.
 *
 * Found once, when a trace is linked, by going through it backward as the pass will: this also
 * finds the records that the result does not depend on, which have no part in the pass.
 */

import {
  PAYLOAD_ACTIVE,
  PAYLOAD_ADJOINT,
  PAYLOAD_COUNT,
  PAYLOAD_FLAGS,
  PAYLOAD_ORIGIN,
  PAYLOAD_REACHED,
  RECORD_ACTIVE,
  RECORD_BYTES,
  RECORD_IN0,
  RECORD_IN1,
  RECORD_OP,
  RECORD_OUT,
} from "../src/program/layout";
import { reserveWork, setAdjointTop, tapeBase, tapeTop, workBase } from "./arena";
import { entryOf, payloadCount, run } from "./payload";
import { adjointReuse } from "./switches";

/** Bytes at the start of the arena that are cleared before each pass: inputs and the result. */
export let standingBytes: usize = 0;

/** Marks in a record's op word: the pass clears this operand's adjoint before it adds to it. */
// @ts-ignore: decorator
@inline export const FRESH_X: i32 = 1 << 17;
// @ts-ignore: decorator
@inline export const FRESH_Y: i32 = 1 << 18;

// Free places: pairs of element count and offset, newest last.
let freeTop: usize = 0;
let top: usize = 0;

/** How far back a place of the right size is looked for. */
const SEARCH: usize = 32;

function takePlace(count: u32): usize {
  const least: usize = freeTop > SEARCH << 3 ? freeTop - (SEARCH << 3) : 0;
  for (let at = freeTop; at > least; ) {
    at -= 8;
    if (load<u32>(workBase + at) != count) continue;
    const place = <usize>load<u32>(workBase + at, 4);
    freeTop -= 8;
    store<u64>(workBase + at, load<u64>(workBase + freeTop));
    return place;
  }
  const place = top;
  top += <usize>count * run;
  return place;
}

function givePlace(count: u32, place: usize): bool {
  if (!adjointReuse) return true;
  if (!reserveWork(freeTop, freeTop + 8)) return false;
  store<u32>(workBase + freeTop, count);
  store<u32>(workBase + freeTop, <u32>place, 4);
  freeTop += 8;
  return true;
}

/** Reaches a payload; true where this is the first time and it has an adjoint. */
function reach(id: i32): bool {
  if (id < 0) return false;
  const entry = entryOf(id);
  const flags = load<i32>(entry, PAYLOAD_FLAGS);
  if ((flags & PAYLOAD_ACTIVE) == 0) return false;
  store<i32>(entry, flags | PAYLOAD_REACHED, PAYLOAD_FLAGS);
  if ((flags & PAYLOAD_REACHED) != 0) return false;
  if (isStanding(entry)) return true;
  store<u32>(entry, <u32>takePlace(load<u32>(entry, PAYLOAD_COUNT)), PAYLOAD_ADJOINT);
  return true;
}

// @ts-ignore: decorator
@inline function isStanding(entry: usize): bool {
  return load<i32>(entry, PAYLOAD_ORIGIN) < 0;
}

/** Gives every input, and the result, a place of its own. */
function placeStanding(result: i32): void {
  const count = payloadCount();
  for (let id = 0; id < count; id++) {
    const entry = entryOf(id);
    const flags = load<i32>(entry, PAYLOAD_FLAGS) & ~PAYLOAD_REACHED;
    store<i32>(entry, flags, PAYLOAD_FLAGS);
    if ((flags & PAYLOAD_ACTIVE) == 0 || (!isStanding(entry) && id != result)) continue;
    store<u32>(entry, <u32>top, PAYLOAD_ADJOINT);
    top += <usize>load<u32>(entry, PAYLOAD_COUNT) * run;
  }
}

/** Goes through the tape as the pass will. `result` < 0: there is nothing to differentiate. */
export function placeAdjoints(result: i32): bool {
  top = 0;
  freeTop = 0;
  placeStanding(result);
  standingBytes = top;
  if (result >= 0) {
    const entry = entryOf(result);
    store<i32>(entry, load<i32>(entry, PAYLOAD_FLAGS) | PAYLOAD_REACHED, PAYLOAD_FLAGS);
  }
  for (let at = tapeBase + tapeTop; at > tapeBase; ) {
    at -= RECORD_BYTES;
    if (!placeRecord(at, result)) return false;
  }
  setAdjointTop(top);
  return true;
}

function placeRecord(at: usize, result: i32): bool {
  let op = load<i32>(at, RECORD_OP) & ~(FRESH_X | FRESH_Y);
  const out = load<i32>(at, RECORD_OUT);
  if ((op & RECORD_ACTIVE) == 0) return true;
  const entry = entryOf(out);
  if ((load<i32>(entry, PAYLOAD_FLAGS) & PAYLOAD_REACHED) == 0) {
    store<i32>(at, op & ~RECORD_ACTIVE, RECORD_OP);
    return true;
  }
  if (reach(load<i32>(at, RECORD_IN0))) op |= FRESH_X;
  if (reach(load<i32>(at, RECORD_IN1))) op |= FRESH_Y;
  store<i32>(at, op, RECORD_OP);
  // A vector is placed element by element, in records that follow each other.
  const isFirst = at == tapeBase || load<i32>(at - RECORD_BYTES, RECORD_OUT) != out;
  if (!isFirst || out == result) return true;
  return givePlace(load<u32>(entry, PAYLOAD_COUNT), <usize>load<u32>(entry, PAYLOAD_ADJOINT));
}
