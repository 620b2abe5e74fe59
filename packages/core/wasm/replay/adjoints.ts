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
  PAYLOAD_REACHED,
  PLACE_BYTES,
  RECORD_ACTIVE,
  RECORD_BYTES,
} from "../../src/program/layout";
import { reserveWork, setAdjointTop, tapeBase, tapeTop, workBase } from "../memory/arena";
import { payloadAt, placeAt, recordAt } from "../memory/layout";
import { adjointReuse } from "../memory/switches";
import { entryOf, run } from "../tape/payload";
import { activeRecords } from "../tape/recording";
import { pinnedPayloads } from "../walk/collect";

/** Bytes at the start of the arena that are cleared before each pass: inputs and the result. */
export let standingBytes: usize = 0;

/** Marks in a record's op word: the pass clears this operand's adjoint before it adds to it. */
// @ts-ignore: decorator
@inline export const FRESH_X: i32 = 1 << 17;
// @ts-ignore: decorator
@inline export const FRESH_Y: i32 = 1 << 18;

/** How far back a place of the right size is looked for. */
const SEARCH: usize = 32;

// @ts-ignore: decorator
@inline function isStanding(entry: usize): bool {
  return payloadAt(entry).origin < 0;
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
    for (let operand = 0; operand < 2; operand++) {
      const id = operand == 0 ? recordAt(at).in0 : recordAt(at).in1;
      if (id < 0) continue;
      const entry = entryOf(id);
      const flags = payloadAt(entry).flags;
      if ((flags & (PAYLOAD_ACTIVE | PAYLOAD_REACHED)) != PAYLOAD_ACTIVE) continue;
      payloadAt(entry).flags = flags | PAYLOAD_REACHED;
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
    if (!isFirst || out == result || !adjointReuse) continue;
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
