/**
 * Which operation first made a lane's result infinite or NaN.
 *
 * Goes back over the tape from the result, through elements of operands that are not finite there:
 * the oldest payload on the way had finite operands. What does not lead to the result is never met,
 * such as a limit that is only compared with, or an element that nobody reads. Merges, copies and
 * constants of the program are passed through: alone, the lane would have had the number of its
 * side.
 *
 * The reach arena holds
 *
 *   | a byte per payload | owners of numbers | where each payload's elements begin |
 *   | a byte per element |
 *
 * where parts that share a payload's numbers share the bytes of its elements, too. What repeats an
 * earlier operation has bytes of its own: a lane may have evaluated one of the two only.
 *
 * The answer does not depend on what the run recorded. Where the tape does not tell where a payload
 * comes from, there is one only if no older payload could be the cause.
 */

import {
  BLAME_CONSTANT,
  BLAME_UNKNOWN,
  PAYLOAD_MASK,
  PAYLOAD_PASSED,
  PAYLOAD_REPEATS,
  PAYLOAD_VARYING,
  RECORD_BYTES,
  RECORD_CODE,
  TRACE_FIRST,
  TRACE_GATHER,
  TRACE_MERGE,
} from "../../src/program/layout";
import { OP_PICK, OP_PLACE, OP_STRUCTURED_FIRST, OP_STRUCTURED_LAST } from "../generated/ops";
import { reachBase, reserveReach, tapeBase, tapeTop } from "../memory/arena";
import { payloadAt, recordAt } from "../memory/layout";
import {
  countOf,
  entryOf,
  flagsOf,
  isUniform,
  payloadCount,
  primalOf,
  rankOf,
  run,
} from "../tape/payload";
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

// @ts-ignore: decorator
@inline function placeOf(id: i32, element: i32): usize {
  return primalOf(id) + <usize>element * (isUniform(id) ? 16 : run);
}

// @ts-ignore: decorator
@inline function isFiniteAt(id: i32, element: i32, lane: i32): bool {
  const offset: usize = isUniform(id) ? 0 : <usize>lane * sizeof<real>();
  return isFinite<real>(load<real>(placeOf(id, element) + offset));
}

function isFiniteIn(id: i32, lane: i32): bool {
  const elements = countOf(id);
  for (let e = 0; e < elements; e++) if (!isFiniteAt(id, e, lane)) return false;
  return true;
}

// Payloads that hold numbers of their own, oldest first and so in the order of their places.
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

/** Where the bytes of elements begin, and where the table is of each payload's first one. */
let elementsBase: usize = 0;
let firstElements: usize = 0;

/** The byte of an element of a payload that owns its numbers. */
// @ts-ignore: decorator
@inline function elementMark(id: i32, element: i32): usize {
  return elementsBase + <usize>(load<i32>(firstElements + ((<usize>id) << 2)) + element);
}

/** Elements of all payloads together. */
function elementsOf(count: i32): i32 {
  let elements = 0;
  for (let id = 0; id < count; id++) elements += countOf(id);
  return elements;
}

function placeElements(from: usize, constants: i32, count: i32): void {
  firstElements = from;
  elementsBase = from + ((<usize>count) << 2);
  let elements = 0;
  for (let id = constants; id < count; id++) {
    store<i32>(firstElements + ((<usize>id) << 2), elements);
    elements += countOf(id);
  }
  memory.fill(elementsBase, 0, elements);
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
  if ((flagsOf(id) & PAYLOAD_REPEATS) != 0) return id;
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

/** The oldest payload on the way that an operation or the caller made; `NONE_YET`: none. */
let oldest: i32 = 0;
/** Payloads on the way whose operands the tape has not told, and the flags of such payloads. */
let untold: i32 = 0;
let untoldFlags: i32 = 0;
/** Where the numbers of the program's constants end. */
let constantsEnd: usize = 0;

const NONE_YET: i32 = i32.MAX_VALUE;

// @ts-ignore: decorator
@inline function isInput(id: i32): bool {
  return payloadAt(entryOf(id)).origin < 0;
}

function candidate(id: i32): void {
  if ((flagsOf(id) & PAYLOAD_PASSED) == 0) oldest = min(oldest, id);
}

/** A payload that is not finite is on the way; it stays untold until its record is met. */
function mark(id: i32): void {
  const at = reachBase + <usize>id;
  if (load<u8>(at) != 0) return;
  candidate(id);
  const isTold = isInput(id) || primalOf(id) < constantsEnd;
  store<u8>(at, isTold ? SEEN | RECORDED : SEEN);
  if (!isTold) untold += 1;
}

/** The operands of a payload on the way are known now. */
function tell(id: i32): void {
  const at = reachBase + <usize>id;
  if ((load<u8>(at) & RECORDED) != 0) return;
  store<u8>(at, SEEN | RECORDED);
  untold -= 1;
}

/** Follows an element of an operand. Constants of the program are no cause. */
function follow(id: i32, element: i32, lane: i32, constants: i32): void {
  if (id < constants || (flagsOf(id) & PAYLOAD_MASK) != 0 || isFiniteAt(id, element, lane)) return;
  const owner = ownerOf(id);
  const offset = placeOf(id, element) - primalOf(owner);
  store<u8>(elementMark(owner, <i32>(offset / (isUniform(owner) ? 16 : run))), SEEN);
  mark(id);
  if (owner == id) return;
  tell(id);
  mark(owner);
}

function followAll(id: i32, lane: i32, constants: i32): void {
  const elements = countOf(id);
  for (let e = 0; e < elements; e++) follow(id, e, lane, constants);
}

/** Follows what element `e` of a record's result is made of, where that is an element of in0. */
function followElement(at: usize, code: i32, e: i32, lane: i32, constants: i32): void {
  const in0 = recordAt(at).in0;
  const in1 = recordAt(at).in1;
  if (code == TRACE_MERGE) {
    follow(holds(recordAt(at).mask, lane) ? in0 : in1, e, lane, constants);
  } else if (code == TRACE_GATHER) {
    const offset: usize = isUniform(in1) ? 0 : <usize>lane * sizeof<real>();
    const row = <i32>load<real>(primalOf(in1) + offset);
    follow(in0, row * recordAt(at).aux + e, lane, constants);
  } else if (code == OP_PICK) {
    follow(in0, recordAt(at).aux + e, lane, constants);
  } else {
    follow(in0, rankOf(in0) == 0 ? 0 : e, lane, constants);
    if (in1 >= 0) follow(in1, rankOf(in1) == 0 ? 0 : e, lane, constants);
  }
}

/**
 * One part of a vector or matrix. A part that is not recorded leaves the whole untold: the first
 * part comes last, and looks whether all have come.
 */
function followPart(at: usize, lane: i32, constants: i32): void {
  const out = recordAt(at).out;
  const part = recordAt(at).in0;
  const from = recordAt(at).aux;
  const elements = countOf(part);
  for (let e = 0; e < elements; e++) {
    const wanted = elementMark(out, from + e);
    if (load<u8>(wanted) == 0) continue;
    store<u8>(wanted, SEEN | RECORDED);
    follow(part, e, lane, constants);
  }
  if (from != 0) return;
  const all = countOf(out);
  for (let e = 0; e < all; e++) if (load<u8>(elementMark(out, e)) == SEEN) return;
  tell(out);
}

function followRecord(at: usize, lane: i32, constants: i32): void {
  const code = recordAt(at).op & RECORD_CODE;
  if (code >= TRACE_FIRST && code != TRACE_MERGE && code != TRACE_GATHER) return;
  const out = recordAt(at).out;
  if (load<u8>(reachBase + <usize>out) == 0) return;
  if (code == OP_PLACE) {
    followPart(at, lane, constants);
    return;
  }
  tell(out);
  if (code >= OP_STRUCTURED_FIRST && code <= OP_STRUCTURED_LAST) {
    followAll(recordAt(at).in0, lane, constants);
    if (recordAt(at).in1 >= 0) followAll(recordAt(at).in1, lane, constants);
    return;
  }
  const elements = countOf(out);
  for (let e = 0; e < elements; e++)
    if (load<u8>(elementMark(out, e)) != 0) followElement(at, code, e, lane, constants);
}

/** What the payloads whose operands the tape has not told have for flags together. */
function gatherUntold(constants: i32, count: i32): void {
  untoldFlags = 0;
  for (let id = constants; id < count; id++)
    if (load<u8>(reachBase + <usize>id) == SEEN) untoldFlags |= flagsOf(id);
}

/**
 * Whether a payload older than `id` could be an operand of one that the tape does not tell of: what
 * no input reaches is made of nothing that an input reaches.
 */
function mayHaveCause(id: i32, lane: i32, constants: i32): bool {
  if (compactions > 0) return true;
  for (let older = constants; older < id; older++) {
    const flags = flagsOf(older);
    if ((flags & (PAYLOAD_MASK | PAYLOAD_PASSED)) != 0 || !isComputedFor(older, lane)) continue;
    if ((flags & ~untoldFlags & PAYLOAD_VARYING) != 0) continue;
    if (!isFiniteIn(older, lane)) return true;
  }
  return false;
}

/**
 * The payload that first made `result` not finite in `lane`. The program's constants are the first
 * payloads: `BLAME_CONSTANT` where the number is one of them. `BLAME_UNKNOWN` where the tape does
 * not tell.
 */
export function firstNonFinite(lane: i32, result: i32, constants: i32): i32 {
  if (result < constants) return BLAME_CONSTANT;
  const count = payloadCount();
  const marks = (<usize>count + 3) & ~3;
  const tables = (<usize>count) << 2;
  if (!reserveReach(marks + 2 * tables + <usize>elementsOf(count))) return BLAME_UNKNOWN;
  memory.fill(reachBase, 0, marks);
  listOwners(reachBase + marks, constants, count);
  placeElements(reachBase + marks + tables, constants, count);
  constantsEnd = constants == 0 ? 0 : endOf(constants - 1);
  oldest = NONE_YET;
  untold = 0;
  followAll(result, lane, constants);
  for (let at = tapeTop; at > 0; ) {
    at -= RECORD_BYTES;
    followRecord(tapeBase + at, lane, constants);
  }
  if (untold > 0) {
    gatherUntold(constants, count);
    if (mayHaveCause(min(oldest, result), lane, constants)) return BLAME_UNKNOWN;
  }
  return oldest == NONE_YET ? BLAME_CONSTANT : oldest;
}
