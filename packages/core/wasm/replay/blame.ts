/**
 * Which operation first made a lane's result infinite or NaN.
 *
 * Goes back over the tape from the result, through operands that are not finite in that lane: the
 * oldest payload on the way had finite operands. Numbers that do not lead to the result, such as a
 * limit that is only compared with, are never met. Where the tape does not tell where a payload
 * comes from, the answer is only given if no older payload could be the cause.
 */

import {
  PAYLOAD_MASK,
  RECORD_BYTES,
  RECORD_CODE,
  TRACE_FIRST,
  TRACE_GATHER,
  TRACE_MERGE,
} from "../../src/program/layout";
import { reachBase, reserveReach, tapeBase, tapeTop } from "../memory/arena";
import { payloadAt, recordAt } from "../memory/layout";
import { countOf, entryOf, flagsOf, isUniform, payloadCount, primalOf, run } from "../tape/payload";
import { compactions } from "../walk/collect";

const SEEN: u8 = 1;
const RECORDED: u8 = 2;

/** Whether a mask payload holds in a lane. */
// @ts-ignore: decorator
@inline function holds(mask: i32, lane: i32): bool {
  return load<u8>(primalOf(mask) + (isUniform(mask) ? 0 : <usize>lane * sizeof<real>())) != 0;
}

/** Whether a payload means anything in a lane: it may belong to a side the lane did not take. */
function isComputedFor(id: i32, lane: i32): bool {
  const mask = payloadAt(entryOf(id)).context;
  return mask < 0 || holds(mask, lane);
}

function isFiniteIn(id: i32, lane: i32): bool {
  const step: usize = isUniform(id) ? 16 : run;
  const offset: usize = isUniform(id) ? 0 : <usize>lane * sizeof<real>();
  const elements = countOf(id);
  const from = primalOf(id) + offset;
  for (let e = 0; e < elements; e++) {
    if (!isFinite<real>(load<real>(from + <usize>e * step))) return false;
  }
  return true;
}

// Payloads that hold numbers of their own, oldest first and so in the order of their places: they
// follow the marks in the reach arena.
let owners: usize = 0;
let ownerCount: i32 = 0;

/** Payloads looked at since the machine began: what a search costs. */
export let payloadsBlamed: f64 = 0;

// @ts-ignore: decorator
@inline function ownerAt(index: i32): i32 {
  return load<i32>(owners + ((<usize>index) << 2));
}

// @ts-ignore: decorator
@inline function endOf(id: i32): usize {
  return primalOf(id) + <usize>countOf(id) * (isUniform(id) ? 16 : run);
}

/** Lists the owners. A part begins where numbers already lie; an owner begins behind them all. */
function listOwners(from: usize, constants: i32, count: i32): void {
  owners = from;
  ownerCount = 0;
  let end: usize = 0;
  for (let id = constants; id < count; id++) {
    if (primalOf(id) < end) continue;
    store<i32>(owners + ((<usize>ownerCount) << 2), id);
    ownerCount += 1;
    end = endOf(id);
  }
  payloadsBlamed += <f64>(count - constants);
}

/** The payload whose numbers a part of it shares, or the payload itself. */
function ownerOf(id: i32): i32 {
  const at = primalOf(id);
  let low = 0;
  let high = ownerCount;
  while (low < high) {
    const middle = (low + high) >>> 1;
    payloadsBlamed += 1;
    if (endOf(ownerAt(middle)) <= at) low = middle + 1;
    else high = middle;
  }
  if (low == ownerCount) return id;
  const owner = ownerAt(low);
  return primalOf(owner) <= at ? owner : id;
}

let oldest: i32 = 0;

/** Follows an operand that is not finite in the lane. Constants of the program are no cause. */
function follow(id: i32, lane: i32, constants: i32): void {
  if (id < constants || (flagsOf(id) & PAYLOAD_MASK) != 0) return;
  const mark = reachBase + <usize>id;
  if (load<u8>(mark) != 0 || isFiniteIn(id, lane)) return;
  store<u8>(mark, SEEN);
  oldest = min(oldest, id);
  const owner = ownerOf(id);
  if (owner == id) return;
  store<u8>(mark, SEEN | RECORDED);
  store<u8>(reachBase + <usize>owner, load<u8>(reachBase + <usize>owner) | SEEN);
  oldest = min(oldest, owner);
}

function followRecord(at: usize, lane: i32, constants: i32): void {
  const code = recordAt(at).op & RECORD_CODE;
  if (code >= TRACE_FIRST && code != TRACE_MERGE && code != TRACE_GATHER) return;
  const mark = reachBase + <usize>recordAt(at).out;
  if (load<u8>(mark) == 0) return;
  store<u8>(mark, SEEN | RECORDED);
  const in0 = recordAt(at).in0;
  const in1 = recordAt(at).in1;
  if (code == TRACE_MERGE) {
    follow(holds(recordAt(at).mask, lane) ? in0 : in1, lane, constants);
    return;
  }
  follow(in0, lane, constants);
  if (in1 >= 0) follow(in1, lane, constants);
}

/** Whether a payload older than `id` could have made it so, as far as anybody can tell. */
function mayHaveCause(id: i32, lane: i32, constants: i32): bool {
  if (compactions > 0) return true;
  for (let older = constants; older < id; older++) {
    if ((flagsOf(older) & PAYLOAD_MASK) != 0 || !isComputedFor(older, lane)) continue;
    if (!isFiniteIn(older, lane)) return true;
  }
  return false;
}

/**
 * The payload that first made `result` not finite in `lane`; -1 where that cannot be told. The
 * program's constants are the first payloads.
 */
export function firstNonFinite(lane: i32, result: i32, constants: i32): i32 {
  const count = payloadCount();
  const marks = (<usize>count + 3) & ~3;
  if (result < constants || !reserveReach(marks + ((<usize>count) << 2))) return -1;
  memory.fill(reachBase, 0, marks);
  listOwners(reachBase + marks, constants, count);
  oldest = result;
  follow(result, lane, constants);
  for (let at = tapeTop; at > 0; ) {
    at -= RECORD_BYTES;
    followRecord(tapeBase + at, lane, constants);
  }
  const isInput = payloadAt(entryOf(oldest)).origin < 0;
  if (isInput || (load<u8>(reachBase + <usize>oldest) & RECORDED) != 0) return oldest;
  return mayHaveCause(oldest, lane, constants) ? -1 : oldest;
}
