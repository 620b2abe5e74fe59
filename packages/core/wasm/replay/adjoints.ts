/**
 * Places for adjoints. A payload's adjoint is needed only from the record that first adds to it in
 * the backward pass to the record that made the payload, so places are used again and the adjoints
 * of a long trace stay in the first-level cache. Inputs keep theirs: they are what is asked for.
 *
 * Where an adjoint is just that of a result (`+`, `-`), and nothing was added to it before, it
 * takes over the result's place and no number moves. The other operand of `+` may read it there.
 *
 * Found once, when a trace is linked, by going through it backward as the pass will: this also
 * finds the records that the result does not depend on, which have no part in the pass.
 */

import {
  PAYLOAD_ACTIVE,
  PAYLOAD_BORROWS,
  PAYLOAD_REACHED,
  PLACE_BYTES,
  RECORD_ACTIVE,
  RECORD_BYTES,
  RECORD_CODE,
  TRACE_GATHER,
} from "../../src/program/layout";
import { OP_ADD, OP_COPY, OP_SUB } from "../generated/ops";
import { reserveWork, setAdjointTop, tapeBase, tapeTop, workBase } from "../memory/arena";
import { payloadAt, placeAt, recordAt } from "../memory/layout";
import { adjointReuse } from "../memory/switches";
import { entryOf, run } from "../tape/payload";
import { activeRecords, isMerging } from "../tape/recording";
import { pinnedPayloads } from "../walk/collect";

/** Bytes at the start of the arena that are cleared before each pass: inputs and the result. */
export let standingBytes: usize = 0;

/** Marks in a record's op word: the pass clears this operand's adjoint before it adds to it. */
// @ts-ignore: decorator
@inline export const FRESH_X: i32 = 1 << 17;
// @ts-ignore: decorator
@inline export const FRESH_Y: i32 = 1 << 18;

/** And: this operand's adjoint has taken over the place of the result's, with the sum in it. */
// @ts-ignore: decorator
@inline export const PASSED_X: i32 = 1 << 19;
// @ts-ignore: decorator
@inline export const PASSED_Y: i32 = 1 << 20;

/** How many records an adjoint may be borrowed for. */
const BORROWED: i32 = 16;

/** How far back a place of the right size is looked for. */
const SEARCH: usize = 32;

// @ts-ignore: decorator
@inline function isStanding(entry: usize): bool {
  return payloadAt(entry).origin < 0;
}

/**
 * Which operands' adjoints are just the result's: bit 0 for x, bit 1 for y. One of them can take
 * over the result's place if this is the first addition to it. That gives the same bits: no sum
 * that was begun from 0 is ever -0, so adding it to 0 changes nothing.
 */
function passes(code: i32): i32 {
  if (code == OP_ADD) return 3;
  return code == OP_SUB || code == OP_COPY ? 1 : 0;
}

/**
 * Whether nothing is added to the adjoints of x and y between the record at `at` and the one that
 * made y. Then both are in one place until y's has been read; y only borrows it.
 */
function isUntouched(at: usize, x: i32, y: i32): bool {
  for (let left = BORROWED; at > tapeBase && left > 0; left--) {
    at -= RECORD_BYTES;
    const out = recordAt(at).out;
    const in0 = recordAt(at).in0;
    const in1 = recordAt(at).in1;
    // Where x is made, its place is free or another's.
    if (out == x || in0 == x || in0 == y || in1 == x || in1 == y) return false;
    if (out == y) return true;
  }
  return false;
}

/**
 * Lets an operand's adjoint, to which nothing was added before, take over the place of the result
 * of the record at `at`, or borrow it; the mark of what it did, 0 where it needs its own place.
 */
function takeOver(at: usize, op: i32, operand: i32, passing: i32): i32 {
  const x = recordAt(at).in0;
  const id = operand == 0 ? x : recordAt(at).in1;
  const entry = entryOf(id);
  const made = entryOf(recordAt(at).out);
  if (((passing >> operand) & 1) == 0 || isStanding(entry)) return 0;
  if (payloadAt(entry).count != payloadAt(made).count) return 0;
  if ((op & PASSED_X) != 0) {
    if (!isUntouched(at, x, id)) return 0;
    payloadAt(entry).flags = payloadAt(entry).flags | PAYLOAD_BORROWS;
  }
  payloadAt(entry).adjoint = payloadAt(made).adjoint;
  return operand == 0 ? PASSED_X : PASSED_Y;
}

/** Gives every input, and the result, a place of its own; how many bytes they take. */
function placeStanding(result: i32): usize {
  let top: usize = 0;
  const inputs = pinnedPayloads();
  for (let id = 0; id < inputs; id++) top = placeOne(entryOf(id), top);
  return result < inputs ? top : placeOne(entryOf(result), top);
}

function placeOne(entry: usize, top: usize): usize {
  if ((payloadAt(entry).flags & PAYLOAD_ACTIVE) == 0) return top;
  payloadAt(entry).adjoint = <u32>top;
  return top + <usize>(<u32>payloadAt(entry).count) * run;
}

/**
 * Goes through the tape as the pass will. `result` < 0: there is nothing to differentiate. Free
 * places are pairs of element count and offset on the work stack, newest last. All in one function:
 * what changes with every record stays in registers.
 */
export function placeAdjoints(result: i32): bool {
  // No more places are given back than records have a result.
  if (!reserveWork(0, (<usize>activeRecords) << 3)) return false;
  let top = placeStanding(result);
  standingBytes = top;
  if (result >= 0) {
    const entry = entryOf(result);
    payloadAt(entry).flags = payloadAt(entry).flags | PAYLOAD_REACHED;
  }
  const first = tapeBase;
  const work = workBase;
  const step = run;
  let free: usize = 0;
  for (let at = first + tapeTop; at > first; ) {
    at -= RECORD_BYTES;
    let op = recordAt(at).op;
    if ((op & RECORD_ACTIVE) == 0) continue;
    const out = recordAt(at).out;
    const made = entryOf(out);
    if ((payloadAt(made).flags & PAYLOAD_REACHED) == 0) {
      recordAt(at).op = op & ~RECORD_ACTIVE;
      continue;
    }
    // Lanes that merge begin their sums one by one.
    const isLent = (payloadAt(made).flags & PAYLOAD_BORROWS) != 0;
    const mayPass = adjointReuse && !isMerging && !isLent && out != result && !isStanding(made);
    const passing = mayPass ? passes(op & RECORD_CODE) : 0;
    // The index of a gather is a decision: nothing is passed to it.
    const second = (op & RECORD_CODE) == TRACE_GATHER ? -1 : recordAt(at).in1;
    for (let operand = 0; operand < 2; operand++) {
      const id = operand == 0 ? recordAt(at).in0 : second;
      if (id < 0) continue;
      const entry = entryOf(id);
      const flags = payloadAt(entry).flags;
      if ((flags & (PAYLOAD_ACTIVE | PAYLOAD_REACHED)) != PAYLOAD_ACTIVE) continue;
      payloadAt(entry).flags = flags | PAYLOAD_REACHED;
      const taken = passing == 0 ? 0 : takeOver(at, op, operand, passing);
      if (taken != 0) {
        op |= taken;
        continue;
      }
      op |= FRESH_X << operand;
      if (isStanding(entry)) continue;
      const count = <u32>payloadAt(entry).count;
      const found = findPlace(work, free, count);
      if (found == 0) {
        payloadAt(entry).adjoint = <u32>top;
        top += <usize>count * step;
        continue;
      }
      payloadAt(entry).adjoint = placeAt(found).adjoint;
      free -= PLACE_BYTES;
      store<u64>(found, load<u64>(work + free));
    }
    recordAt(at).op = op;
    // A vector is placed element by element, in records that follow each other.
    const isFirst = at == first || recordAt(at - RECORD_BYTES).out != out;
    const isPassed = (op & (PASSED_X | PASSED_Y)) != 0;
    if (!isFirst || isPassed || isLent || out == result || !adjointReuse) continue;
    placeAt(work + free).count = payloadAt(made).count;
    placeAt(work + free).adjoint = payloadAt(made).adjoint;
    free += PLACE_BYTES;
  }
  setAdjointTop(top);
  return true;
}

/** Where the newest free place for `count` elements is noted; 0 where there is none. */
// @ts-ignore: decorator
@inline function findPlace(work: usize, free: usize, count: u32): usize {
  const least: usize = free > SEARCH << 3 ? free - (SEARCH << 3) : 0;
  for (let at = free; at > least; ) {
    at -= PLACE_BYTES;
    if (placeAt(work + at).count == count) return work + at;
  }
  return 0;
}
