/**
 * The walk of one chunk, step by step: inputs in, lanes out. What is asked of the machine and read
 * from it; what follows from it is `walker.ts`'s to decide.
 */

import { FAULT_NONE, RECORD_BYTES } from "../../program/layout.js";
import { WalkReport as ReportFields } from "../../program/structures.js";
import type { Machine } from "../machine.js";
import { laneFault } from "../reports/sites.js";
import type { MachineValue } from "../results/payloads.js";
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
  const at = machine.laneBuffer;
  machine.exports.writeLive(at, count);
  return new Uint8Array(machine.exports.memory.buffer, at, count).slice();
}

/** The lanes of the context, one byte each. */
export function contextLanes(machine: Machine, count: number): Uint8Array {
  const at = machine.laneBuffer;
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
  const at = machine.laneBuffer;
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
  results.failEach(set, lanes, laneFault(machine, program, lanes.length));
}

/** What a walk that has ended tells of itself. */
export interface WalkReport {
  readonly value: MachineValue;
  readonly hasMerges: boolean;
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

/** Reads the report at an address. @internal */
export function readReport({ views }: Machine, at: number): WalkReport {
  const report = new ReportFields(views, at);
  const counters = countersAt(report);
  return {
    value: { tag: report.resultTag, data: report.resultData },
    hasMerges: report.hasMerges !== 0,
    steps: report.steps,
    strays: report.strays,
    recording: report.recording,
    recordedBytes: counters.primalBytes + report.adjointBytes + counters.tapeBytes,
    linked: report.link,
    counters,
  };
}

/** Of the report at an address, what counts. @internal */
export const readCounters = ({ views }: Machine, at: number): WalkCounters =>
  countersAt(new ReportFields(views, at));

function countersAt(report: ReportFields): WalkCounters {
  return {
    payloads: report.payloads,
    uniformPayloads: report.uniformMade,
    activePayloads: report.activeMade,
    tapeRecords: report.tapeActive,
    traceRecords: report.tapeBytes / RECORD_BYTES,
    heapObjects: report.objects,
    primalBytes: report.primalBytes,
    adjointBytes: report.linkedBytes,
    tapeBytes: report.tapeBytes,
    heapBytes: report.heapBytes,
    compactions: report.compactions,
  };
}
