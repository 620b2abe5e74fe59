/**
 * The walk of one chunk, step by step: inputs in, lanes out. What is asked of the machine and read
 * from it; what follows from it is `walker.ts`'s to decide.
 */

import {
  FAULT_NONE,
  RECORD_BYTES,
  REPORT_ACTIVE_MADE,
  REPORT_ADJOINT_BYTES,
  REPORT_COMPACTIONS,
  REPORT_HEAP_BYTES,
  REPORT_LINK,
  REPORT_LINKED_BYTES,
  REPORT_MIXED,
  REPORT_OBJECTS,
  REPORT_PAYLOADS,
  REPORT_PRIMAL_BYTES,
  REPORT_RECORDING,
  REPORT_RESULT_DATA,
  REPORT_RESULT_TAG,
  REPORT_STEPS,
  REPORT_STRAYS,
  REPORT_TAPE_ACTIVE,
  REPORT_TAPE_BYTES,
  REPORT_UNIFORM_MADE,
  TAG_REAL,
} from "../../program/layout.js";
import type { Machine } from "../machine.js";
import { machineFault } from "../reports/sites.js";
import { isUniform, type MachineValue } from "../results/payloads.js";
import type { Results } from "../results/results.js";
import { type LaneSet, laneAt, laneCount, writeChunk } from "./chunk.js";
import type { Job } from "./job.js";
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

/** Begins a walk of a chunk and binds its inputs; false where memory is short. */
export function beginWalk(job: Job, set: LaneSet, limits: WalkLimits): boolean {
  const { machine, program, integers, numbers, wanted } = job;
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
  for (const { value, index } of integers) exports.bindInteger(index, value);
  for (const { input, index } of numbers) {
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

/** Adds the lanes of a replayed chunk that did not pass its guards, or all of them after a fault. */
export function addRefused(machine: Machine, set: LaneSet, passed: number, refused: number[]) {
  const count = laneCount(set);
  if (passed <= 0) {
    for (let i = 0; i < count; i++) refused.push(laneAt(set, i));
    return;
  }
  const at = machine.laneBuffer(4 * count);
  const found = machine.exports.writeRefused(at, count);
  const places = new Int32Array(machine.exports.memory.buffer, at, found);
  for (const place of places) refused.push(laneAt(set, place));
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

/** What a walk that has ended tells of itself. */
export interface WalkReport {
  readonly value: MachineValue;
  readonly isMixed: boolean;
  readonly steps: number;
  readonly strays: number;
  /** What it still recorded at its end. */
  readonly recording: number;
  /** Bytes of tape, primals and adjoints. */
  readonly recordedBytes: number;
  /** How linking its tape went. */
  readonly linked: number;
  readonly counters: WalkCounters;
}

/** Reads the report at an address. */
export function readReport({ views }: Machine, at: number): WalkReport {
  const { doubles } = views;
  const said = (field: number): number => doubles[(at + field) / 8] as number;
  const counters = countersAt(said);
  return {
    value: { tag: said(REPORT_RESULT_TAG), data: said(REPORT_RESULT_DATA) },
    isMixed: said(REPORT_MIXED) !== 0,
    steps: said(REPORT_STEPS),
    strays: said(REPORT_STRAYS),
    recording: said(REPORT_RECORDING),
    recordedBytes: counters.primalBytes + said(REPORT_ADJOINT_BYTES) + counters.tapeBytes,
    linked: said(REPORT_LINK),
    counters,
  };
}

function countersAt(said: (field: number) => number): WalkCounters {
  return {
    payloads: said(REPORT_PAYLOADS),
    uniformPayloads: said(REPORT_UNIFORM_MADE),
    activePayloads: said(REPORT_ACTIVE_MADE),
    tapeRecords: said(REPORT_TAPE_ACTIVE),
    traceRecords: said(REPORT_TAPE_BYTES) / RECORD_BYTES,
    heapObjects: said(REPORT_OBJECTS),
    primalBytes: said(REPORT_PRIMAL_BYTES),
    adjointBytes: said(REPORT_LINKED_BYTES),
    tapeBytes: said(REPORT_TAPE_BYTES),
    heapBytes: said(REPORT_HEAP_BYTES),
    compactions: said(REPORT_COMPACTIONS),
  };
}
