/**
 * The walk of one chunk, step by step: inputs in, lanes out. What is asked of the machine and read
 * from it; what follows from it is `execute.ts`'s to decide.
 */

import { FAULT_NONE, RECORD_BYTES, TAG_REAL } from "../../program/layout.js";
import type { Bound } from "../inputs/inputs.js";
import type { Exports } from "../instance.js";
import type { Machine } from "../machine.js";
import { machineFault } from "../reports/sites.js";
import { isUniform } from "../results/payloads.js";
import type { Results } from "../results/results.js";
import { type LaneSet, laneAt, laneCount, writeChunk } from "./chunk.js";
import type { Job } from "./execute.js";
import type { WalkCounters } from "./traces.js";

/** What a walk may take and how much it records. */
export interface WalkLimits {
  readonly level: number;
  readonly tapeBytesMax: number;
  /** Whether a walk that passes its tape's limit goes on without recording. */
  readonly isOptional: boolean;
  readonly stepsMax: number;
  /** Lanes that may leave for being with few others at some branch. */
  readonly strays: number;
}

/** A program and what it is walked with. */
export type Bindings = Pick<Job, "machine" | "program" | "inputs" | "wanted">;

/** Begins a walk of a chunk and binds its inputs; false where memory is short. */
export function beginWalk(job: Bindings, set: LaneSet, limits: WalkLimits): boolean {
  const { machine, program, inputs, wanted } = job;
  const { exports, reals } = machine;
  const { level, tapeBytesMax, isOptional, stepsMax, strays } = limits;
  const begun = exports.begin(
    program.address,
    laneCount(set),
    level,
    Math.floor(tapeBytesMax),
    isOptional ? 1 : 0,
    stepsMax,
  );
  if (begun !== FAULT_NONE) return false;
  const run = exports.runBytes();
  for (let index = 0; index < inputs.length; index++) {
    const input = inputs[index] as Bound;
    if (input.kind === "int") {
      exports.bindInteger(index, input.value);
      continue;
    }
    const uniform = input.perLane === undefined && input.tensors === undefined ? 1 : 0;
    const { rank, rows, cols } = input;
    const active = wanted[index] ? 1 : 0;
    const at = exports.bindNumbers(index, rank, rows, cols, uniform, active);
    if (at === 0) return false;
    writeChunk(reals, input, at, run, set);
  }
  exports.bound();
  if (strays > 0) exports.allowStrays(strays);
  return true;
}

/** Writes the inputs of a chunk into the current trace. */
export function writeInputs({ machine, program, inputs }: Job, set: LaneSet): void {
  const { exports, reals } = machine;
  const run = exports.runBytes();
  let payload = program.firstInputPayload;
  for (const input of inputs) {
    if (input.kind === "int") continue;
    writeChunk(reals, input, exports.primalAddress(payload), run, set);
    payload += 1;
  }
}

/** The lanes that live, one byte each. */
export function liveLanes(machine: Machine, count: number): Uint8Array {
  const at = machine.laneBuffer(count);
  machine.exports.writeLive(at, count);
  return new Uint8Array(machine.exports.memory.buffer, at, count).slice();
}

/** The lanes of the context, one byte each. */
export function contextLanes(machine: Machine, count: number): Uint8Array {
  const at = machine.laneBuffer(count);
  machine.exports.writeCounting(at);
  return new Uint8Array(machine.exports.memory.buffer, at, count).slice();
}

/** Reports a fault in each of its lanes; where it is about a number, each has its own. */
export function failLanes(
  { machine, program }: Job,
  results: Results,
  set: LaneSet,
  lanes: Uint8Array,
): void {
  const value = machine.exports.faultValue.value as bigint;
  const isOwn =
    Number(BigInt.asUintN(8, value)) === TAG_REAL &&
    !isUniform(machine, Number(BigInt.asIntN(32, value >> 32n)));
  if (!isOwn) {
    results.fail(set, lanes, machineFault(machine, program));
    return;
  }
  lanes.forEach((one, i) => {
    if (one === 1) results.failOne(laneAt(set, i), machineFault(machine, program, i));
  });
}

/** Counters of the walk that has just ended. */
export function countWalk(exports: Exports, tapeRecords: number): WalkCounters {
  return {
    payloads: exports.payloadsMade.value as number,
    uniformPayloads: exports.uniformMade.value as number,
    activePayloads: exports.activeMade.value as number,
    tapeRecords,
    traceRecords: exports.tapeEnd() / RECORD_BYTES,
    heapObjects: exports.objectsMade.value as number,
    primalBytes: exports.bytesUsed(0),
    adjointBytes: exports.bytesUsed(1),
    tapeBytes: exports.bytesUsed(2),
    heapBytes: exports.bytesUsed(3),
    compactions: exports.compactions.value as number,
  };
}
