/**
 * The plain case of a walk: all lanes at once, of which none fails or leaves, and the trace that
 * comes of it. This is how a session begins. Whatever else may happen is for `execute.ts`, which
 * then begins anew.
 */

import {
  RECORD_BYTES,
  RECORD_VARYING,
  REPORT_ACTIVE_MADE,
  REPORT_ADJOINT_BYTES,
  REPORT_COMPACTIONS,
  REPORT_HEAP_BYTES,
  REPORT_LINKED_BYTES,
  REPORT_MIXED,
  REPORT_OBJECTS,
  REPORT_PAYLOADS,
  REPORT_PRIMAL_BYTES,
  REPORT_RESULT_DATA,
  REPORT_STEPS,
  REPORT_STRAYS,
  REPORT_TAPE_ACTIVE,
  REPORT_TAPE_BYTES,
  REPORT_UNIFORM_MADE,
  TAG_REAL,
} from "../../program/layout.js";
import type { RunOptions } from "../types.js";
import { type Bindings, beginWalk } from "./chunk-walk.js";
import { isThin, type Trace, type WalkCounters } from "./traces.js";

export interface WholeWalk extends Bindings {
  readonly lanes: number;
  readonly options: RunOptions;
  readonly signature: string;
}

/** Walks that take longer look at the clock on the way. */
const STEPS_MOST = 100_000;
const LANES_MOST = 1024;
/** Primals and adjoints should stay in a core's second-level cache; wider chunks are narrowed. */
const CACHE_BYTES = 1536 * 1024;

/** Walks all lanes and keeps the trace; undefined where the case is not so plain. */
export function walkWhole(job: WholeWalk): Trace | undefined {
  const { machine, program, lanes, options } = job;
  const { replay, timeMax, chunk, stepsMax = STEPS_MOST } = options;
  const isPlain = replay !== false && timeMax === undefined && chunk === undefined;
  if (!isPlain || lanes > LANES_MOST || machine.mechanisms.replay === false) return undefined;
  const { exports } = machine;
  machine.parking.useWalk();
  const limits = {
    level: RECORD_VARYING,
    tapeBytesMax: Math.min(options.tapeBytesMax ?? machine.memoryMax, machine.memoryMax),
    isOptional: false,
    stepsMax,
    strays: 0,
  };
  if (!beginWalk(job, { from: 0, to: lanes }, limits)) return undefined;
  const slice = Math.min(stepsMax, STEPS_MOST);
  const at = exports.walkWhole(slice, job.wanted.includes(true) ? 1 : 0, CACHE_BYTES);
  if (at === 0) return undefined;
  const { doubles } = machine.views;
  const said = (field: number): number => doubles[(at + field) / 8] as number;
  const counters = countersOf(said);
  const trace = program.traces.keep({
    signature: job.signature,
    width: lanes,
    result: { tag: TAG_REAL, data: said(REPORT_RESULT_DATA) },
    isMixed: said(REPORT_MIXED) !== 0,
    steps: said(REPORT_STEPS),
    recordedBytes: counters.primalBytes + said(REPORT_ADJOINT_BYTES) + counters.tapeBytes,
    counters,
    isThin: isThin(said(REPORT_STRAYS), lanes),
  });
  if (trace !== undefined) program.traces.took(trace, lanes);
  return trace;
}

function countersOf(said: (field: number) => number): WalkCounters {
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
