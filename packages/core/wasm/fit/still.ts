/**
 * Records that no parameter reaches. What they make of the data is the same in every round, so they
 * run in the first round of a call and rest in the others: a record whose run has no bytes does
 * nothing. They are woken when the call ends, since other data may come with the next. Lanes have
 * data of their own, so none of these records has a result that all lanes share.
 */

import {
  BLOCK_BYTES,
  PAYLOAD_BYTES,
  PAYLOAD_STILL,
  PAYLOAD_VARYING,
  RECORD_BYTES,
  RECORD_CODE,
} from "../../src/program/layout";
import { OP_PREDICATE_LAST } from "../generated/ops";
import { blocksBase, blocksTop, tableBase, tableTop, tapeBase } from "../memory/arena";
import { blockAt, payloadAt, recordAt } from "../memory/layout";
import { entryOf, flagsOf } from "../tape/payload";
import { idOfInput } from "./block";
import { fitAt } from "./layout";

/** Mark in a block's op word: it rests. */
// @ts-ignore: decorator
@inline const RESTS: i32 = 1 << 30;

/** Lets the records of the current trace rest that only data reach. */
export function restStill(fit: usize): void {
  const inputs = fitAt(fit).inputs;
  const columns = fitAt(fit).columns;
  for (let k = 0; k < columns; k++) markStill(idOfInput(fit, inputs + k));
  let record = tapeBase;
  for (let at = blocksBase; at < blocksBase + blocksTop; at += BLOCK_BYTES) {
    if (isStillRecord(record)) {
      markStill(recordAt(record).out);
      rest(at);
    }
    record += RECORD_BYTES;
  }
}

/** Element-wise operations and tests whose operands are still. Control always runs. */
// @ts-ignore: decorator
@inline function isStillRecord(record: usize): bool {
  if ((recordAt(record).op & RECORD_CODE) > OP_PREDICATE_LAST) return false;
  const in1 = recordAt(record).in1;
  return isStill(recordAt(record).in0) && (in1 < 0 || isStill(in1));
}

// @ts-ignore: decorator
@inline function markStill(id: i32): void {
  payloadAt(entryOf(id)).flags = flagsOf(id) | PAYLOAD_STILL;
}

/** Constants, data, and what still records made of them. */
// @ts-ignore: decorator
@inline function isStill(id: i32): bool {
  return (flagsOf(id) & (PAYLOAD_VARYING | PAYLOAD_STILL)) != PAYLOAD_VARYING;
}

// @ts-ignore: decorator
@inline function rest(at: usize): void {
  if (blockAt(at).zRun == 0) return;
  blockAt(at).op = blockAt(at).op | RESTS;
  blockAt(at).zRun = 0;
}

/** Wakes what `restStill` let rest. */
export function wakeStill(): void {
  for (let at = blocksBase; at < blocksBase + blocksTop; at += BLOCK_BYTES) {
    const op = blockAt(at).op;
    if ((op & RESTS) == 0) continue;
    blockAt(at).op = op & ~RESTS;
    blockAt(at).zRun = blockAt(at).run;
  }
  for (let at = tableBase; at < tableBase + tableTop; at += PAYLOAD_BYTES)
    payloadAt(at).flags = payloadAt(at).flags & ~PAYLOAD_STILL;
}
