/**
 * Kept traces: a program's linked tapes, ready to run forward for new inputs.
 *
 * The machine has one current trace; the others lie parked in its memory. A trace belongs to its
 * program and to one signature: the shapes of the inputs, which of them vary by lane, the integers
 * and the inputs gradients are taken by. Nothing is keyed by source text.
 */

import { TAG_INT, TAG_REAL, TAG_TENSOR } from "../program/layout.js";
import type { Bound } from "./inputs.js";
import type { Exports } from "./instance.js";
import type { RunStats } from "./types.js";

export interface Trace {
  /** Whether the machine still holds it. */
  isKept: boolean;
  /** The session whose vectors and matrices lie in it. */
  owner: object | undefined;
  readonly handle: number;
  readonly signature: string;
  readonly width: number;
  readonly resultTag: number;
  readonly resultData: number;
  readonly isMixed: boolean;
  /** Bytes of primals and adjoints that one lane takes. */
  readonly bytesPerLane: number;
  readonly steps: number;
  /** Bytes of tape, primals and adjoints that the walk recorded. */
  readonly recordedBytes: number;
  readonly counters: WalkCounters;
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

/** What is known of a trace before it is kept. */
type Known = Pick<Trace, "signature" | "width" | "steps" | "recordedBytes" | "counters">;

/** Most traces a program keeps; the one that was not used for longest goes first. */
const TRACES_MAX = 8;

export class Traces {
  readonly #exports: Exports;
  readonly #list: Trace[] = [];
  readonly #parking: Parking;

  constructor(exports: Exports, parking: Parking) {
    this.#exports = exports;
    this.#parking = parking;
  }

  get count(): number {
    return this.#list.length;
  }

  /** Traces of a signature, most recently used first. */
  matching(signature: string): Trace[] {
    return this.#list.filter((trace) => trace.signature === signature);
  }

  /** Keeps the machine's current trace. Undefined where memory is short or it cannot replay. */
  keep(known: Known): Trace | undefined {
    const exports = this.#exports;
    const resultTag = exports.resultTag();
    const isNumeric = resultTag === TAG_INT || resultTag === TAG_REAL || resultTag === TAG_TENSOR;
    if (!isNumeric) return undefined;
    const resultData = exports.resultData();
    const bytesPerLane = (exports.bytesUsed(0) + exports.bytesUsed(1)) / known.width;
    const isMixed = exports.isMixed() !== 0;
    const handle = this.#parking.park();
    if (handle === 0) return undefined;
    const trace: Trace = {
      isKept: true,
      owner: undefined,
      ...known,
      handle,
      resultTag,
      resultData,
      isMixed,
      bytesPerLane,
    };
    this.#list.unshift(trace);
    while (this.#list.length > TRACES_MAX) this.#drop(this.#list.at(-1) as Trace);
    return trace;
  }

  /** Makes a trace the machine's current one. */
  use(trace: Trace): void {
    const at = this.#list.indexOf(trace);
    if (at > 0) {
      this.#list.splice(at, 1);
      this.#list.unshift(trace);
    }
    this.#parking.use(trace.handle);
  }

  #drop(trace: Trace): void {
    trace.isKept = false;
    this.#list.splice(this.#list.indexOf(trace), 1);
    this.#parking.free(trace.handle);
  }

  drop(trace: Trace): void {
    if (this.#list.includes(trace)) this.#drop(trace);
  }

  clear(): void {
    for (const trace of [...this.#list]) this.#drop(trace);
  }
}

/** Which trace's arenas the machine works on. The walk has arenas of its own. */
export class Parking {
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
    this.#exports.saveTrace(this.#current);
    this.#exports.useTrace(handle);
    this.#current = handle;
  }

  useWalk(): void {
    this.use(this.#walkHandle);
  }

  /** Gives the walk's arenas to a trace of their own, which stays current; 0 after a failure. */
  park(): number {
    this.useWalk();
    const handle = this.#exports.keepTrace();
    if (handle === 0) return 0;
    this.#exports.clearTrace(this.#walkHandle);
    this.#current = handle;
    return handle;
  }

  free(handle: number): void {
    if (handle === this.#current) this.useWalk();
    this.#exports.freeTrace(handle);
  }
}

/** What must be the same for a trace to fit: everything about the inputs but their numbers. */
export function signatureOf(inputs: readonly Bound[], wrt: ReadonlySet<string>): string {
  let text = "";
  for (const input of inputs) {
    if (input.kind === "int") {
      text += `i${input.value};`;
      continue;
    }
    const isShared = input.perLane === undefined && input.tensors === undefined;
    const active = wrt.has(input.name) ? "a" : "";
    const shape = input.rank === 0 ? "" : `${input.rank}x${input.rows}x${input.cols}`;
    text += `${isShared ? "s" : "l"}${active}${shape};`;
  }
  return text;
}
