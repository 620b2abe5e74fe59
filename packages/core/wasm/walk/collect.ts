/**
 * Compaction of heap and payloads, so that a loop without a tape runs in constant memory.
 *
 * Copies what the evaluation stack and open branches reach (precise roots) into fresh arenas and
 * frees the old ones. Constants, inputs and quoted structure lie first in every arena and keep
 * their places. Runs only between evaluations and only while nothing is recorded: records name
 * payloads.
 *
 * Forwarding marks: a moved heap object has field count -1 and its new index in the high word; a
 * moved payload has its new id + 1 in the adjoint field, which nothing else uses without a tape.
 */

import {
  FAULT_MEMORY,
  PAYLOAD_BYTES,
  TAG_BOX,
  TAG_CLOSURE,
  TAG_MASK,
  TAG_PAIR,
  TAG_REAL,
  TAG_TENSOR,
} from "../../src/program/layout";
import {
  heapBase,
  heapTop,
  primalBase,
  primalTop,
  replaceArenas,
  setHeapTop,
  setPrimalTop,
  setTableTop,
  stackBase,
  tableBase,
  tableTop,
} from "../memory/arena";
import { fail } from "../memory/fault";
import { objectAt, payloadAt } from "../memory/layout";
import { allocate, free } from "../memory/memory";
import { dataOf, tagOf, valueOf } from "../memory/value";
import { context, forgetSmallIntegers, setContext, stepOf } from "../tape/payload";
import {
  DIVERGENCE_VALUE_COUNT,
  divergenceEntries,
  divergenceEntryBytes,
  divergenceTop,
  savedValues,
  savedValuesEnd,
} from "./divergence";

const THRESHOLD_MIN: usize = 1 << 20;

export let compactions: i32 = 0;

let heapPinned: usize = 0;
let tablePinned: usize = 0;
let primalPinned: usize = 0;
let threshold: usize = THRESHOLD_MIN;

let toHeap: usize = 0;
let toHeapTop: usize = 0;
let toTable: usize = 0;
let toTableTop: usize = 0;
let toPrimal: usize = 0;
let toPrimalTop: usize = 0;
let toPrimalBytes: usize = 0;
let failed: bool = false;

/** What lies in the arenas now stays where it is. */
export function pin(): void {
  heapPinned = heapTop;
  tablePinned = tableTop;
  primalPinned = primalTop;
  threshold = THRESHOLD_MIN + heapTop + tableTop + primalTop;
  compactions = 0;
}

/** As `pin` for a run that collects nothing. */
export function pinNothing(): void {
  compactions = 0;
}

/** Payloads that were there before the walk: constants and inputs. */
export function pinnedPayloads(): i32 {
  return <i32>(tablePinned / PAYLOAD_BYTES);
}

// @ts-ignore: decorator
@inline export function wantsCollection(): bool {
  return heapTop + tableTop + primalTop > threshold;
}

function roomForPrimal(bytes: usize): bool {
  if (toPrimalTop + bytes <= toPrimalBytes) return true;
  const wanted = (<u64>toPrimalTop + <u64>bytes) * 2;
  const size = <usize>min<u64>(wanted, 0xc0000000);
  if (<u64>toPrimalTop + <u64>bytes > <u64>size) return false;
  const fresh = allocate(size);
  if (fresh == 0) return false;
  memory.copy(fresh, toPrimal, toPrimalTop);
  free(toPrimal);
  toPrimal = fresh;
  toPrimalBytes = size;
  return true;
}

function movePayload(id: i32): i32 {
  const entry = tableBase + <usize>id * PAYLOAD_BYTES;
  if (<usize>id * PAYLOAD_BYTES < tablePinned) return id;
  const mark = <i32>payloadAt(entry).adjoint;
  if (mark != 0) return mark - 1;
  const fresh = <i32>(toTableTop / PAYLOAD_BYTES);
  memory.copy(toTable + toTableTop, entry, PAYLOAD_BYTES);
  const primal = <usize>payloadAt(entry).primal;
  if (primal >= primalPinned) {
    const bytes = <usize>(<u32>payloadAt(entry).count) * stepOf(payloadAt(entry).flags);
    if (!roomForPrimal(bytes)) {
      failed = true;
      return id;
    }
    memory.copy(toPrimal + toPrimalTop, primalBase + primal, bytes);
    payloadAt(toTable + toTableTop).primal = <u32>toPrimalTop;
    toPrimalTop += bytes;
  }
  // The mask it was computed under may be gone by now.
  payloadAt(toTable + toTableTop).context = -1;
  payloadAt(entry).adjoint = fresh + 1;
  toTableTop += PAYLOAD_BYTES;
  return fresh;
}

function moveObject(index: i32): i32 {
  const offset = (<usize>index) << 3;
  if (offset < heapPinned) return index;
  const from = heapBase + offset;
  const fields = objectAt(from).fields;
  if (fields == -1) return objectAt(from).own;
  const fresh = <i32>(toHeapTop >> 3);
  const bytes = (<usize>fields + 1) << 3;
  memory.copy(toHeap + toHeapTop, from, bytes);
  objectAt(from).fields = -1;
  objectAt(from).own = fresh;
  toHeapTop += bytes;
  return fresh;
}

function moveValue(value: u64): u64 {
  const tag = tagOf(value);
  switch (tag) {
    case TAG_REAL:
    case TAG_TENSOR:
    case TAG_MASK:
      return valueOf(tag, movePayload(dataOf(value)));
    case TAG_PAIR:
    case TAG_CLOSURE:
    case TAG_BOX:
      return valueOf(tag, moveObject(dataOf(value)));
    default:
      return value;
  }
}

function moveRange(from: usize, to: usize): void {
  for (let at = from; at < to; at += 8) store<u64>(at, moveValue(load<u64>(at)));
}

function makeRoom(): bool {
  toHeap = allocate(max<usize>(heapTop, 16));
  toTable = allocate(max<usize>(tableTop, 16));
  toPrimalBytes = max<usize>(primalTop, 16);
  toPrimal = allocate(toPrimalBytes);
  if (toHeap != 0 && toTable != 0 && toPrimal != 0) return true;
  free(toHeap);
  free(toTable);
  free(toPrimal);
  return false;
}

/** Compacts; `stackTop` is the end of the live stack. False and a fault where memory is short. */
export function collect(stackTop: usize): bool {
  if (!makeRoom()) {
    fail(FAULT_MEMORY);
    return false;
  }
  memory.copy(toHeap, heapBase, heapPinned);
  memory.copy(toTable, tableBase, tablePinned);
  memory.copy(toPrimal, primalBase, primalPinned);
  toHeapTop = heapPinned;
  toTableTop = tablePinned;
  toPrimalTop = primalPinned;
  failed = false;
  moveRange(stackBase, stackTop);
  moveRange(savedValues(), savedValuesEnd());
  const divergences = divergenceEntries();
  for (let at: usize = 0; at < divergenceTop; at += divergenceEntryBytes())
    moveRange(divergences + at, divergences + at + ((<usize>DIVERGENCE_VALUE_COUNT) << 3));
  if (context >= 0) setContext(movePayload(context));
  let scanned = heapPinned;
  while (scanned < toHeapTop) {
    const end = scanned + ((<usize>load<u32>(toHeap + scanned) + 1) << 3);
    for (let at = scanned + 8; at < end; at += 8)
      store<u64>(toHeap + at, moveValue(load<u64>(toHeap + at)));
    scanned = end;
  }
  replaceArenas(toHeap, toTable, toPrimal);
  setHeapTop(toHeapTop);
  setTableTop(toTableTop);
  setPrimalTop(toPrimalTop);
  forgetSmallIntegers();
  compactions += 1;
  threshold = THRESHOLD_MIN + 2 * (toHeapTop + toTableTop + toPrimalTop);
  if (failed) fail(FAULT_MEMORY);
  return !failed;
}
