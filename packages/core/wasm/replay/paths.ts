/**
 * Paths: what two kept traces have in common, up to the guard at which they part.
 */

import { PAYLOAD_BYTES, RECORD_BYTES, RECORD_CODE } from "../../src/program/layout";
import { tapeBase, tapeTop } from "../memory/arena";
import { payloadAt, recordAt, traceAt } from "../memory/layout";
import { countOf, entryOf, isUniform, run } from "../tape/payload";
import { mayKeepSlope } from "./replay";

/**
 * Bytes of primals that a replay of the current trace can take over from one of the trace at
 * `other`, which has refused all lanes at a record; 0 where it must begin anew, -1 where the two
 * are not the same up to there.
 */
export function sharedPrimals(other: usize, record: i32): i32 {
  const tape = traceAt(other).tapeBase;
  const table = traceAt(other).tableBase;
  const last = <usize>record * RECORD_BYTES;
  if (last >= tapeTop) return -1;
  let end: usize = 0;
  let hasSlope = false;
  for (let at: usize = 0; at < last; at += RECORD_BYTES) {
    const mine = tapeBase + at;
    if (!isSameOperation(mine, tape + at) || recordAt(mine).aux != recordAt(tape + at).aux)
      return -1;
    const out = recordAt(mine).out;
    if (out < 0) continue;
    const offset = payloadAt(entryOf(out)).primal;
    if (offset != payloadAt(table + <usize>out * PAYLOAD_BYTES).primal) return -1;
    end = max(end, <usize>offset + <usize>countOf(out) * (isUniform(out) ? 16 : run));
    // Forward leaves slopes at places of each trace's own.
    if (mayKeepSlope(recordAt(mine).op & RECORD_CODE)) hasSlope = true;
  }
  // Of the guard, what it looks at must be the same; what it finds there is not.
  if (!isSameOperation(tapeBase + last, tape + last)) return -1;
  return hasSlope ? 0 : <i32>end;
}

function isSameOperation(a: usize, b: usize): bool {
  return (
    ((recordAt(a).op ^ recordAt(b).op) & RECORD_CODE) == 0 &&
    recordAt(a).out == recordAt(b).out &&
    recordAt(a).in0 == recordAt(b).in0 &&
    recordAt(a).in1 == recordAt(b).in1 &&
    recordAt(a).mask == recordAt(b).mask
  );
}
