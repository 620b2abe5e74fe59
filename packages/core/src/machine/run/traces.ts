/**
 * Kept traces: a program's linked tapes, ready to run forward for new inputs.
 *
 * The machine has one current trace; the others lie parked in its memory. A trace belongs to its
 * program and to one signature: the shapes of the inputs, which of them vary by lane, the integers
 * and the inputs gradients are taken by. Nothing is keyed by source text.
 */

import { TAG_INT } from "../../program/layout.js";
import type { Exports } from "../instance.js";
import { type MachineValue, payloadOf } from "../results/payloads.js";
import type { RunStats } from "../types.js";
import { type Fork, Habit, hasForks, leavePaths } from "./paths.js";

export interface Trace {
  /** Whether the machine still holds it. */
  isKept: boolean;
  /** The session whose vectors and matrices lie in it. */
  owner: object | undefined;
  readonly handle: number;
  readonly signature: string;
  readonly width: number;
  /** What its replays come to. */
  readonly result: MachineValue;
  readonly hasMerges: boolean;
  /** Bytes of primals and adjoints that one lane takes. */
  readonly bytesPerLane: number;
  readonly steps: number;
  /** Bytes of tape, primals and adjoints that the walk recorded. */
  readonly recordedBytes: number;
  readonly counters: WalkCounters;
  /** The latest run that tried it, and how many lanes it took there. */
  usedIn: number;
  taken: number;
  /** Whether so few lanes go their own way on it that they had better run by themselves. */
  isThin: boolean;
  /** How often it was tried; its branches are surveyed now and then. */
  tries: number;
  /** Lanes are sorted by path only from so many tries on. */
  sortFrom: number;
  /** The trace that took all lanes in the run after this one's, and how often in a row. */
  next: Trace | undefined;
  nextSeen: number;
  /** The trace that it parts from, and the record of the guard where it does. */
  parent: Trace | undefined;
  partsAt: number;
  /** Where others part from it, by the guard's record. */
  forks: Map<number, Fork> | undefined;
}

/** What one walk did. */
export type WalkCounters = Pick<
  RunStats,
  | "payloads"
  | "uniformPayloads"
  | "activePayloads"
  | "tapeRecords"
  | "traceRecords"
  | "heapObjects"
  | "primalBytes"
  | "adjointBytes"
  | "tapeBytes"
  | "heapBytes"
  | "compactions"
>;

/** What is known of a trace before it is kept: what its walk tells. */
interface Known extends Pick<Trace, "hasMerges" | "steps" | "recordedBytes" | "counters"> {
  readonly value: MachineValue;
}

/**
 * Traces a program keeps; the one that was not used for longest goes first. A few are kept whatever
 * they take, more while they are small: a small program's paths are many and cheap to keep.
 */
const TRACES_LEAST = 8;
const TRACES_MAX = 32;
const BYTES_MAX = 2 ** 24;

/** The traces of one signature. */
export class TraceGroup {
  readonly signature: string;
  readonly traces: Trace[] = [];
  /** Whether runs of one lane find their traces; made when one runs. */
  #habit: Habit | undefined;
  /** The trace that took all lanes of the latest run. */
  #latest: Trace | undefined;

  constructor(signature: string) {
    this.signature = signature;
  }

  get habit(): Habit {
    this.#habit ??= new Habit();
    return this.#habit;
  }

  /** The trace to try first: what followed on the latest one twice, else the latest one. */
  likely(): Trace | undefined {
    const latest = this.#latest;
    if (latest === undefined) return this.traces[0];
    return latest.nextSeen > 1 ? latest.next : latest;
  }

  /** Whether a trace is the first to try, and a run looks for one. */
  expects(trace: Trace | undefined): boolean {
    if (trace === undefined || this.#latest !== trace || !trace.isKept) return false;
    if (trace.nextSeen > 1 && trace.next !== trace) return false;
    return this.#habit?.isResting !== true;
  }

  /** A run ended that went on one trace, or began with this one. */
  follow(trace: Trace | undefined): void {
    const latest = this.#latest;
    this.#latest = trace;
    if (latest === undefined) return;
    latest.nextSeen = latest.next === trace ? latest.nextSeen + 1 : 1;
    latest.next = trace;
  }

  /** A run ended that went on several traces, or that was walked in part. */
  settle(isWalked: boolean): void {
    if (this.traces.length > 1) this.traces.sort(preferred);
    if (isWalked) this.#latest = undefined;
    else this.follow(this.traces[0]);
  }

  drop(trace: Trace): void {
    leavePaths(trace);
    if (this.traces.at(-1) === trace) this.traces.pop();
    else this.traces.splice(this.traces.indexOf(trace), 1);
    if (this.#latest === trace) this.#latest = undefined;
    for (const other of this.traces) if (other.next === trace) other.next = undefined;
  }
}

export class Traces {
  readonly #list: Trace[] = [];
  /** Most programs have one group, which needs no map; the others are in it. */
  #group: TraceGroup | undefined;
  #groups: Map<string, TraceGroup> | undefined;
  readonly #traceSlots: TraceSlots;
  #run = 0;

  constructor(traceSlots: TraceSlots) {
    this.#traceSlots = traceSlots;
  }

  get count(): number {
    return this.#list.length;
  }

  /** A run begins: what its traces take decides which are tried first in the next. */
  beginRun(): void {
    this.#run += 1;
  }

  /** A trace took lanes in the run under way, perhaps none. */
  took(trace: Trace, lanes: number): void {
    if (trace.usedIn !== this.#run) {
      // A trace that took nothing was of no use.
      if (lanes === 0) return;
      trace.usedIn = this.#run;
      trace.taken = 0;
    }
    trace.taken += lanes;
  }

  /** The traces of a signature, where there are any. */
  group(signature: string): TraceGroup | undefined {
    if (this.#group?.signature === signature) return this.#group;
    return this.#groups?.get(signature);
  }

  /** Traces of a signature: the latest run's first, by lanes they took. */
  matching(signature: string): Trace[] {
    return [...(this.group(signature)?.traces ?? [])].sort(preferred);
  }

  /** Keeps the machine's current trace. Undefined where memory is short or it cannot replay. */
  keep(
    { value: result, hasMerges, counters, steps, recordedBytes }: Known,
    signature: string,
    width: number,
    isThin: boolean,
  ): Trace | undefined {
    const isNumeric = result.tag === TAG_INT || payloadOf(result) >= 0;
    if (!isNumeric) return undefined;
    const bytesPerLane = (counters.primalBytes + counters.adjointBytes) / width;
    const handle = this.#traceSlots.park();
    if (handle === 0) return undefined;
    const trace: Trace = {
      isKept: true,
      owner: undefined,
      signature,
      width,
      steps,
      recordedBytes,
      counters,
      isThin: isThin && hasMerges,
      handle,
      result,
      hasMerges,
      bytesPerLane,
      usedIn: this.#run,
      taken: 0,
      tries: 0,
      sortFrom: 0,
      next: undefined,
      nextSeen: 0,
      parent: undefined,
      partsAt: -1,
      forks: undefined,
    };
    this.#list.push(trace);
    this.#join(trace);
    this.#makeRoom(trace);
    return trace;
  }

  #join(trace: Trace): void {
    const { signature } = trace;
    const group = this.group(signature) ?? this.#addGroup(new TraceGroup(signature));
    group.traces.push(trace);
  }

  #addGroup(group: TraceGroup): TraceGroup {
    if (this.#group === undefined) this.#group = group;
    else {
      this.#groups ??= new Map();
      this.#groups.set(group.signature, group);
    }
    return group;
  }

  #makeRoom(kept: Trace): void {
    if (this.#list.length <= TRACES_LEAST) return;
    let bytes = this.#list.reduce((sum, { recordedBytes }) => sum + recordedBytes, 0);
    const isFull = () => {
      const { length } = this.#list;
      return length > TRACES_MAX || (length > TRACES_LEAST && bytes > BYTES_MAX);
    };
    while (isFull()) {
      const last = this.#list
        .filter((trace) => trace !== kept && !hasForks(trace))
        .sort(preferred)
        .at(-1);
      if (last === undefined) return;
      bytes -= last.recordedBytes;
      this.#drop(last);
    }
  }

  /** Makes a trace the machine's current one. */
  use(trace: Trace): void {
    this.#traceSlots.use(trace.handle);
  }

  /** Whether there are traces, and all of them hold something while they are current. */
  every(holds: () => boolean): boolean {
    return (
      this.#list.length > 0 &&
      this.#list.every((trace) => {
        this.use(trace);
        return holds();
      })
    );
  }

  #drop(trace: Trace): void {
    this.#list.splice(this.#list.indexOf(trace), 1);
    this.#free(trace);
  }

  #free(trace: Trace): void {
    trace.isKept = false;
    const group = this.group(trace.signature);
    group?.drop(trace);
    if (group?.traces.length === 0) this.#dropGroup(group);
    this.#traceSlots.free(trace.handle);
  }

  #dropGroup(group: TraceGroup): void {
    if (this.#group === group) this.#group = undefined;
    else this.#groups?.delete(group.signature);
  }

  drop(trace: Trace): void {
    if (this.#list.includes(trace)) this.#drop(trace);
  }

  clear(): void {
    for (let last = this.#list.pop(); last !== undefined; last = this.#list.pop()) this.#free(last);
  }
}

/** Order of trying: traces of the latest run first, those that took most lanes before others. */
export const preferred = (a: Trace, b: Trace): number => b.usedIn - a.usedIn || b.taken - a.taken;

// ─── Which lanes a trace is for ─────────────────────────────────────────────

/** A replay of so few lanes costs little more than one of a single lane. */
const WIDTH_LEAST = 32;
/** Lanes below which few that go their own way cost less than a replay of their own. */
const SORT_LEAST = 64;
/** Lanes are few where this many times as many go together. */
const FEW = 3;
/** Trying the next trace pays where the one before took more than one in so many. */
const MISS = 8;
/** Every so many tries of a trace its branches are surveyed. */
const SURVEY_EVERY = 16;
/** Tries before lanes are sorted by path again. */
const SORT_AGAIN = 64;

/** Whether replaying lanes at the trace's width beats walking them. */
export const isWidthFitting = ({ width }: Trace, lanes: number): boolean =>
  width <= Math.max(WIDTH_LEAST, 4 * lanes) && width * 8 >= lanes;

/** How many of the lanes that are walked may leave for being with few others. */
export const straysAllowed = (lanes: number): number => Math.floor(lanes / FEW);

/** Whether strays are few enough to run by themselves; where there are none, both sides run idly. */
export const isThin = (strays: number, lanes: number): boolean =>
  strays === 0 || (lanes >= SORT_LEAST && strays <= straysAllowed(lanes));

/** Counts a try of a trace; whether its branches are to be surveyed on the way. */
export function isSurveyDue(trace: Trace): boolean {
  trace.tries += 1;
  return trace.hasMerges && trace.tries % SURVEY_EVERY === 0;
}

export const wantsSorting = (trace: Trace): boolean =>
  trace.isThin && trace.tries >= trace.sortFrom;

/** Lanes of the trace have been sorted: not again until it was used as often as before. */
export function delaySorting(trace: Trace): void {
  trace.sortFrom = trace.tries + Math.max(SORT_AGAIN, trace.tries);
}

/** Traces that take few of many lanes and are tried in one run before the rest is walked. */
export const MISSES_MAX = 4;

/** Whether a trace took so few of many lanes that trying the next one may not pay. */
export const isMiss = (tried: number, taken: number): boolean =>
  tried > MISS && taken > 0 && taken * MISS < tried;

// ─── Arenas ─────────────────────────────────────────────────────────────────

/** Which trace's arenas the machine works on. The walk has arenas of its own. */
export class TraceSlots {
  readonly #exports: Exports;
  /** Where the walk's arenas are parked while a kept trace is current. */
  readonly #walkHandle: number;
  #current: number;

  constructor(exports: Exports) {
    this.#exports = exports;
    this.#walkHandle = exports.keepTrace();
    this.#current = this.#walkHandle;
  }

  use(handle: number): void {
    if (handle === this.#current) return;
    this.#exports.switchTrace(this.#current, handle);
    this.#current = handle;
  }

  useWalk(): void {
    this.use(this.#walkHandle);
  }

  /** Gives the walk's arenas to a trace of their own, which stays current; 0 after a failure. */
  park(): number {
    this.useWalk();
    const handle = this.#exports.parkTrace(this.#walkHandle);
    if (handle === 0) return 0;
    this.#current = handle;
    return handle;
  }

  free(handle: number): void {
    this.#exports.freeTrace(handle, this.#walkHandle, this.#current);
    if (handle === this.#current) this.#current = this.#walkHandle;
  }
}
