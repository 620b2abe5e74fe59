/**
 * A session: one program, one set of input shapes, run again and again with new numbers.
 *
 * `program.evaluate` and `program.gradient` check their inputs and make new results each time. A
 * session has done that once: setting numbers writes into arrays it owns, a run is one call into
 * WebAssembly per chunk, and the results are the same arrays every time, valid until the next run.
 * This is what an optimiser's inner loop uses.
 */

import { NdvmError } from "../../errors.js";
import { own, smallRecord } from "../../records.js";
import type { Machine } from "../machine.js";
import { describe, isNumberList } from "../options.js";
import { isUniform } from "../results/payloads.js";
import { Results } from "../results/results.js";
import type { Axis, LaneFailure } from "../types.js";
import { InsideTraces } from "./inside.js";
import { isReplaying, type Job, type NumberInput } from "./job.js";
import { Port } from "./port.js";
import { Scheduler } from "./schedule.js";
import { jobOf, makeBuffers, type Numbers, type SessionBuffers } from "./session-layout.js";
import { SessionPort, writeTensors } from "./session-port.js";
import type { Trace } from "./traces.js";
import { Walker } from "./walker.js";

export type { Numbers } from "./session-layout.js";

/** Counters over all runs of a session. */
export interface SessionStats {
  readonly runs: number;
  /** Walks, and chunks that ran on a kept trace instead. */
  readonly walks: number;
  readonly replays: number;
  /** Walks that sorted lanes by path. */
  readonly sortings: number;
}

/** The machine with a session's trace as its current one. */
export interface Entered {
  readonly machine: Machine;
  readonly trace: Trace;
}

const NO_FAILURES: readonly LaneFailure[] = [];
const REPEATED = { isRepeated: true } as const;

/** What a session has once somebody asks for its numbers: an optimiser inside the machine does not. */
interface Made {
  readonly job: Job;
  readonly buffers: SessionBuffers;
  readonly port: SessionPort;
  readonly scheduler: Scheduler;
  readonly inside: InsideTraces;
}

export class Session {
  readonly lanes: number;
  /** What the lanes are: the product of these axes, row-major. */
  readonly axes: readonly Axis[];
  readonly #job: Job;
  #made: Made | undefined;
  /** Finds traces for work inside the machine as long as the session has no numbers of its own. */
  #inside: InsideTraces | undefined;
  #inputs: Readonly<Record<string, Numbers>> | undefined;
  /** What the latest run came to where it took the general way. */
  #results: Results | undefined;
  #runs = 0;

  /** Made by `program.session`. @internal */
  constructor(job: Job) {
    this.#job = job;
    this.lanes = job.lanes;
    this.axes = job.axes;
  }

  #hold(): Made {
    this.#made ??= this.#make();
    return this.#made;
  }

  #make(): Made {
    const buffers = makeBuffers(this.#job);
    const job = jobOf(this.#job, buffers);
    const port = new SessionPort(job, buffers);
    const scheduler = new Scheduler(job, port, REPEATED);
    const inside = new InsideTraces(job, scheduler.walker);
    return { job, buffers, port, scheduler, inside };
  }

  /** The result of the latest run, one number per lane. */
  get values(): Numbers {
    return this.#hold().buffers.values;
  }

  /** Gradients of the latest run: lane after lane of the input's elements. */
  get gradients(): Readonly<Record<string, Numbers>> {
    return this.#hold().buffers.gradients;
  }

  /** The numbers the next run takes: write into them, or use `set`. */
  get inputs(): Readonly<Record<string, Numbers>> {
    this.#inputs ??= inputsOf(this.#hold().buffers);
    return this.#inputs;
  }

  /** @internal */
  get machine(): Machine {
    return this.#job.machine;
  }

  /** Whether the machine works in f32. @internal */
  get isSingle(): boolean {
    return this.#job.machine.precision === "f32";
  }

  /** What all runs so far did. */
  get stats(): SessionStats {
    const made = this.#made?.scheduler.counters;
    return {
      runs: this.#runs,
      walks: (this.#inside?.walks ?? 0) + (made?.walks ?? 0),
      replays: made?.replays ?? 0,
      sortings: made?.sortings ?? 0,
    };
  }

  /** Lanes of the latest run that failed: their values and gradients are NaN. */
  get failures(): readonly LaneFailure[] {
    return this.#results?.failures ?? NO_FAILURES;
  }

  /** Sets an input: a number for all of its lanes, or one per lane. */
  set(name: string, value: number | ArrayLike<number>): void {
    const numbers = own(this.inputs, name);
    if (numbers === undefined)
      throw new NdvmError("E-INPUT", `the session has no number input ${name}`, {
        help: `it has ${Object.keys(this.inputs).join(", ")}`,
      });
    if (typeof value === "number") numbers.fill(value);
    else if (!isNumberList(value))
      throw new NdvmError("E-INPUT", `${name} is set to ${describe(value)}, not to numbers`, {
        help: "give one number for all lanes, or an array or typed array with one for each",
      });
    else if (value.length === numbers.length) numbers.set(value);
    else
      throw new NdvmError("E-INPUT", `${name} has ${value.length} numbers, not ${numbers.length}`, {
        help: "a session keeps its lanes: give one number for each, or one for all",
        facts: { names: [name], value: value.length, limit: numbers.length },
      });
  }

  /** Runs the program for the numbers set; `values` and `gradients` then hold the results. */
  run(): void {
    if (this.begin()) return;
    for (const _pause of this.#complete(false));
  }

  /** Whether an evaluation that pauses has the machine, so that no run can begin. @internal */
  get isBlocked(): boolean {
    return this.#job.machine.isOccupied;
  }

  /**
   * Begins a run and does what one chunk on a kept trace can; true where that was all. `isLong`
   * leaves even that to `finish`, which pauses.
   * @internal
   */
  begin(isLong = false): boolean {
    const { port, scheduler } = this.#hold();
    this.#job.machine.beginRun();
    this.#runs += 1;
    this.#results = undefined;
    port.begin();
    return scheduler.begin(isLong);
  }

  /**
   * The rest of a run that has begun. Yields where a walk pauses and keeps the machine till then.
   * @internal
   */
  *finish(): Generator<void> {
    const { machine, program } = this.#job;
    const release = machine.occupy(program);
    try {
      yield* this.#complete(true);
    } finally {
      release();
    }
  }

  *#complete(isAsync: boolean): Generator<void> {
    const { port, scheduler } = this.#hold();
    yield* scheduler.finish(isAsync);
    this.#results = port.results;
    port.clearFailed();
  }

  /** Payload of a number input. @internal */
  payloadOf(name: string): number {
    const found = this.#job.numbers.find(({ input }) => input.name === name);
    if (found === undefined) throw new Error(`the session has no input ${name}`);
    return found.payload;
  }

  /**
   * Makes a trace that takes all lanes the machine's current one, with what is the same in every
   * lane written into it: for work inside the machine that binds the rest. Walks where there is
   * none yet. Undefined where one trace does not do.
   * @internal
   */
  enter(): Entered | undefined {
    const { machine } = this.#job;
    const walks = this.#finding().walks;
    const trace = this.#enterTrace();
    if (trace === undefined) return undefined;
    // A trace that has just been walked has all numbers.
    if (this.#finding().walks === walks) this.#writeShared();
    return { machine, trace };
  }

  /** What finds a trace: that of the session's own numbers, where it has some. */
  #finding(): InsideTraces {
    if (this.#made !== undefined) return this.#made.inside;
    const job = this.#job;
    this.#inside ??= new InsideTraces(job, new Walker(job, noPort(job), isReplaying(job)));
    return this.#inside;
  }

  /** As `enter`, without what is the same in every lane. */
  #enterTrace(): Trace | undefined {
    this.#job.machine.beginRun();
    const walks = this.#finding().walks;
    const trace = this.#finding().enter();
    if (trace === undefined) return undefined;
    const owner = this.#made?.port ?? this;
    if (this.#finding().walks > walks) trace.owner = owner;
    else if (trace.owner !== owner) writeTensors(this.#job, trace, owner);
    return trace;
  }

  /**
   * Values for other lanes than the session's, on the trace that `enter` finds: inputs by lane, and
   * names with one number for all lanes. Undefined where the trace does not take them.
   * @internal
   */
  evaluateOther(
    columns: Readonly<Record<string, Float64Array>>,
    names: readonly string[],
    numbers: Float64Array,
    lanes: number,
  ): Float64Array | undefined {
    const trace = this.#enterTrace();
    if (trace === undefined) return undefined;
    const { machine } = this.#job;
    const { exports, reals } = machine;
    const isShared = isUniform(machine, trace.result.data);
    const values = new Float64Array(lanes);
    for (let from = 0; from < lanes; from += trace.width) {
      const count = Math.min(trace.width, lanes - from);
      this.#writeOther(columns, names, numbers, from, count);
      if (exports.replayGradient(count, trace.result.data, -1, 0) !== count) return undefined;
      const at = exports.primalAddress(trace.result.data) / reals.bytes;
      const view = reals.view();
      for (let i = 0; i < count; i++) values[from + i] = view[at + (isShared ? 0 : i)] as number;
    }
    return values;
  }

  /** Writes numbers of other lanes into the current trace, and those that all lanes share. */
  #writeOther(
    columns: Readonly<Record<string, Float64Array>>,
    names: readonly string[],
    numbers: Float64Array,
    from: number,
    count: number,
  ): void {
    const { machine, numbers: inputs } = this.#job;
    const { exports, reals } = machine;
    const view = reals.view();
    const vector = 16 / reals.bytes;
    for (const each of inputs) {
      const { input, payload } = each;
      if (input.rank > 0) continue;
      const at = exports.primalAddress(payload) / reals.bytes;
      const which = names.indexOf(input.name);
      const isShared = input.perLane === undefined;
      if (which >= 0 || isShared) {
        const value = which >= 0 ? (numbers[which] as number) : this.#sharedValue(each);
        const length = isShared ? vector : count;
        for (let i = 0; i < length; i++) view[at + i] = value;
      } else {
        const column = own(columns, input.name) as Float64Array;
        for (let i = 0; i < count; i++) view[at + i] = column[from + i] as number;
      }
    }
  }

  #sharedValue({ input: { name, value } }: NumberInput): number {
    return this.#made === undefined ? value : (own(this.inputs, name)?.[0] as number);
  }

  /** Writes the numbers that all lanes share into the current trace: those of the only lane as well. */
  #writeShared(): void {
    const { machine, numbers, lanes } = this.#job;
    const { exports, reals } = machine;
    const view = reals.view();
    const vector = 16 / reals.bytes;
    for (const each of numbers) {
      const { input, payload } = each;
      const isShared = input.perLane === undefined;
      if (input.rank > 0 || !(isShared || lanes === 1)) continue;
      const at = exports.primalAddress(payload) / reals.bytes;
      const value = this.#sharedValue(each);
      const length = isShared ? vector : 1;
      for (let i = 0; i < length; i++) view[at + i] = value;
    }
  }
}

function inputsOf({ slots }: SessionBuffers): Readonly<Record<string, Numbers>> {
  const inputs = smallRecord<Numbers>();
  for (const { name, numbers } of slots) inputs[name] = numbers;
  return inputs;
}

/** For walks whose results nobody takes. */
function noPort(job: Job): Port {
  const { program, lanes, machine } = job;
  const make = () => new Results(program, lanes, [], undefined, machine.memoryMax);
  return new Port(job, make, undefined);
}
