/**
 * What a walk records, and how far it has come: the level, what the tape holds, and how many
 * operand blocks are laid. The records themselves are tape.ts's.
 */

import {
  BLOCK_BYTES,
  RECORD_ALL,
  RECORD_BRANCHES,
  RECORD_BYTES,
  RECORD_NOTHING,
  RECORD_VARYING,
} from "../../src/program/layout";
import { blocksBytes, primalMoves, recordingIsOptional, setTapeTop } from "../memory/arena";

/** What is recorded, at most RECORD_VARYING; what comes on top of that has a switch of its own. */
export let recording: i32 = RECORD_NOTHING;
export let notesBranches: bool = false;
/** Whether what no input reaches is recorded as well. */
export let recordsConstants: bool = false;

/**
 * Blocks of scalar operations are laid where the linked trace will have them, while the walk goes:
 * in the room that is there. They hold while primals do not move. A block that is not laid has no
 * payload for a result.
 */
export let laidTop: usize = 0;
let laidMoves: u32 = 0;

/** Records of the walk's tape with a part in a backward pass. */
export let activeRecords: i32 = 0;
/** Whether the walk's tape merges lanes, so that reaching is a matter of each lane. */
export let isMerging: bool = false;
/** Whether the walk's tape has guards, masks or merges. */
export let isGuarded: bool = false;

export function beginRecording(level: i32): void {
  recording = min(level, RECORD_VARYING);
  notesBranches = level == RECORD_BRANCHES;
  recordsConstants = level == RECORD_ALL;
}

/** The tape is empty again. */
export function forgetTape(): void {
  setTapeTop(0);
  activeRecords = 0;
  isMerging = false;
  isGuarded = false;
  laidTop = 0;
  laidMoves = primalMoves;
}

/** The tape is over its budget: true where the run can do without it and forgets it. */
export function giveUpRecording(): bool {
  if (!recordingIsOptional) return false;
  recording = RECORD_NOTHING;
  forgetTape();
  return true;
}

/** A record was appended: its block is laid, or its place left out. */
// @ts-ignore: decorator
@inline export function countRecord(isActive: bool): void {
  if (isActive) activeRecords += 1;
  laidTop += BLOCK_BYTES;
}

/** The tape has so many records, all active, whose blocks are laid. */
// @ts-ignore: decorator
@inline export function setRecords(count: i32): void {
  setTapeTop(<usize>count * RECORD_BYTES);
  activeRecords = count;
  laidTop = <usize>count * BLOCK_BYTES;
}

/** The record is one of control. */
// @ts-ignore: decorator
@inline export function noteControl(isMerge: bool): void {
  isGuarded = true;
  if (isMerge) isMerging = true;
}

/** Whether the blocks that were laid while the tape was recorded are those of the linked trace. */
export function hasLaid(): bool {
  return laidTop <= blocksBytes && primalMoves == laidMoves;
}
