/**
 * Operations on tensors that a trace repeats with the same operands, as `(scale q (eye 2))` in
 * every step of a filter. Forward the first one does the work, and the others read its numbers.
 * Backward each keeps its own adjoint and its own turn, so that sums have the same bits.
 *
 * Only tensors that gradients go through: others may have parts that share their numbers (`ref`).
 */

import {
  PAYLOAD_ACTIVE,
  PAYLOAD_REPEATS,
  RECORD_CODE,
  TRACE_FIRST,
} from "../../src/program/layout";
import { OP_PICK, OP_PLACE, OP_PREDICATE_FIRST, OP_PREDICATE_LAST } from "../generated/ops";
import { tapeBase } from "../memory/arena";
import { payloadAt, recordAt } from "../memory/layout";
import { fusing } from "../memory/switches";
import { entryOf } from "../tape/payload";

/** Offsets of the latest records by a hash of their operation; a newer one takes its place. */
const SLOTS: u32 = 64;
const slots: usize = memory.data(256, 16);
let isEmpty: bool = true;

/** The trace that is linked now has no operations yet. */
export function beginRepeats(): void {
  isEmpty = true;
}

/** Whether a record is one whose work may be left to an earlier one. */
// @ts-ignore: decorator
@inline function isCandidate(code: i32, out: i32): bool {
  if (code >= TRACE_FIRST || code == OP_PLACE || code == OP_PICK) return false;
  if (code >= OP_PREDICATE_FIRST && code <= OP_PREDICATE_LAST) return false;
  const entry = entryOf(out);
  return (payloadAt(entry).flags & PAYLOAD_ACTIVE) != 0 && payloadAt(entry).count > 1;
}

/** Whether two records, which have no more than operands, do the same with the same ones. */
function isSame(a: usize, b: usize): bool {
  return (
    ((recordAt(a).op ^ recordAt(b).op) & RECORD_CODE) == 0 &&
    recordAt(a).in0 == recordAt(b).in0 &&
    recordAt(a).in1 == recordAt(b).in1
  );
}

/**
 * Whether the record at `at` repeats an earlier one; its result then has its numbers in the earlier
 * one's place.
 */
export function repeatsEarlier(at: usize): bool {
  const code = recordAt(at).op & RECORD_CODE;
  const out = recordAt(at).out;
  if (!fusing || !isCandidate(code, out)) return false;
  if (isEmpty) memory.fill(slots, 0xff, SLOTS * 4);
  isEmpty = false;
  const hash = (code * 31 + recordAt(at).in0) * 31 + recordAt(at).in1;
  const slot = slots + ((<usize>(<u32>hash % SLOTS)) << 2);
  const earlier = load<u32>(slot);
  if (earlier != <u32>-1 && isSame(tapeBase + <usize>earlier, at)) {
    const first = recordAt(tapeBase + <usize>earlier).out;
    payloadAt(entryOf(out)).primal = payloadAt(entryOf(first)).primal;
    payloadAt(entryOf(out)).flags = payloadAt(entryOf(out)).flags | PAYLOAD_REPEATS;
    return true;
  }
  store<u32>(slot, <u32>(at - tapeBase));
  return false;
}
