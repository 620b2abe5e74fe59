/**
 * A session: one program, one set of input shapes, run again and again with new numbers.
 *
 * `program.evaluate` and `program.gradient` check their inputs and make new results each time. A
 * session has done that once: setting numbers writes into arrays it owns, a run is one call into
 * WebAssembly per chunk, and the results are the same arrays every time, valid until the next run.
 * This is what an optimiser's inner loop uses.
 */

import { NdvmError } from "../../errors.js";
import { TAG_REAL } from "../../program/layout.js";
import { own, recordOf } from "../../records.js";
import { type Bound, selectLanes } from "../inputs/inputs.js";
import type { Machine } from "../machine.js";
import type { Program } from "../program.js";
import { isUniform } from "../results/payloads.js";
import type { Results } from "../results/results.js";
import type { Axis, GradientOptions, LaneFailure } from "../types.js";
import { gradientChunk } from "./backward.js";
import { type LaneSet, laneAt, laneCount, splitLanes, writeChunk } from "./chunk.js";
import { type Chunk, Execution } from "./execute.js";
import { type Holdings, Layout, makeHoldings, type Numbers } from "./session-layout.js";
import {
  isMiss,
  isSurveyDue,
  isThin,
  isWidthFitting,
  MISSES_MAX,
  preferred,
  signatureOf,
  type Trace,
  wantsSorting,
} from "./traces.js";
import { walkWhole } from "./whole-walk.js";

export type { Numbers } from "./session-layout.js";

/** What a session needs of its program. */
export interface SessionSetup {
  readonly machine: Machine;
  readonly program: Program;
  readonly inputs: readonly Bound[];
  readonly lanes: number;
  readonly axes: readonly Axis[];
  /** Of each input, whether gradients are taken by it. */
  readonly wanted: readonly boolean[];
  readonly options: Omit<GradientOptions, "seed">;
}

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
const NO_LANES: LaneSet = { from: 0, to: 0 };

export class Session {
  readonly lanes: number;
  /** What the lanes are: the product of these axes, row-major. */
  readonly axes: readonly Axis[];
  readonly #setup: SessionSetup;
  readonly #signature: string;
  readonly #all: LaneSet;
  /** Made when somebody asks for them: an optimiser inside the machine does not. */
  #made: Holdings | undefined;
  #inputs: Readonly<Record<string, Numbers>> | undefined;
  /** Kept traces that suit the session, those that took most lanes first. */
  #layouts: Layout[] = [];
  /** The trace of the whole walk that a session begins with. */
  #first: Trace | undefined;
  /** Whether that walk was tried: where it failed, the general way is next. */
  #hasBegun = false;
  /** The layout that took most lanes in the latest run. */
  #latest: Layout | undefined;
  #failures: readonly LaneFailure[] = NO_FAILURES;
  /** Lanes that the run under way has not done. */
  #rest: LaneSet = NO_LANES;
  readonly #stats = { runs: 0, walks: 0, replays: 0, sortings: 0 };

  /** Made by `program.session`. */
  constructor(setup: SessionSetup) {
    this.#setup = setup;
    this.lanes = setup.lanes;
    this.axes = setup.axes;
    this.#signature = signatureOf(setup.inputs, setup.wanted);
    this.#all = { from: 0, to: setup.lanes };
  }

  #hold(): Holdings {
    this.#made ??= makeHoldings(this.#setup);
    return this.#made;
  }

  /** The result of the latest run, one number per lane. */
  get values(): Numbers {
    return this.#hold().values;
  }

  /** Gradients of the latest run: lane after lane of the input's elements. */
  get gradients(): Readonly<Record<string, Numbers>> {
    return this.#hold().gradients;
  }

  /** The numbers the next run takes: write into them, or use `set`. */
  get inputs(): Readonly<Record<string, Numbers>> {
    this.#inputs ??= recordOf(this.#hold().slots.map(({ name, numbers }) => [name, numbers]));
    return this.#inputs;
  }

  get machine(): Machine {
    return this.#setup.machine;
  }

  /** Whether the machine works in f32. */
  get isSingle(): boolean {
    return this.#setup.machine.precision === "f32";
  }

  /** What all runs so far did. */
  get stats(): SessionStats {
    return { ...this.#stats };
  }

  /** Lanes of the latest run that failed: their values and gradients are NaN. */
  get failures(): readonly LaneFailure[] {
    return this.#failures;
  }

  /** Sets an input: a number for all of its lanes, or one per lane. */
  set(name: string, value: number | ArrayLike<number>): void {
    const numbers = own(this.inputs, name);
    if (numbers === undefined)
      throw new NdvmError("E-INPUT", `the session has no number input ${name}`, {
        help: `it has ${Object.keys(this.inputs).join(", ")}`,
      });
    if (typeof value === "number") numbers.fill(value);
    else numbers.set(value);
  }

  /** Runs the program for the numbers set; `values` and `gradients` then hold the results. */
  run(): void {
    if (this.begin()) return;
    for (const _pause of this.#complete(false));
  }

  /** Whether an evaluation that pauses has the machine, so that no run can begin. */
  get isBlocked(): boolean {
    return this.#setup.machine.isOccupied;
  }

  /**
   * Begins a run and does what kept traces can; true where that was all. `isLong` leaves even that
   * to `finish`, which pauses.
   */
  begin(isLong = false): boolean {
    const { machine, program } = this.#setup;
    machine.beginRun();
    program.traces.beginRun();
    this.#stats.runs += 1;
    this.#failures = NO_FAILURES;
    if (this.#stats.runs === 1 && !isLong) {
      if (!this.#hasBegun && program.traces.count === 0) this.#walkWhole();
      this.#findLayouts();
    }
    this.#rest = isLong ? this.#all : this.#replay();
    return laneCount(this.#rest) === 0;
  }

  /** The rest of a run that has begun. Yields where a walk pauses and keeps the machine till then. */
  *finish(): Generator<void> {
    const { machine, program } = this.#setup;
    const release = machine.occupy(program);
    try {
      yield* this.#complete(true);
    } finally {
      release();
    }
  }

  *#complete(isAsync: boolean): Generator<void> {
    yield* this.#walk(this.#rest, isAsync);
    this.#findLayouts();
    this.#latest = undefined;
  }

  /** Payload of a number input. */
  payloadOf(name: string): number {
    let payload = this.#setup.program.firstInputPayload;
    for (const input of this.#setup.inputs) {
      if (input.name === name) return payload;
      if (input.kind !== "int") payload += 1;
    }
    throw new Error(`the session has no input ${name}`);
  }

  /**
   * Makes a trace that takes all lanes the machine's current one, with what is the same in every
   * lane written into it: for work inside the machine that binds the rest. Walks where there is
   * none yet. Undefined where one trace does not do.
   */
  enter(): Entered | undefined {
    const { machine } = this.#setup;
    const walks = this.#stats.walks;
    const trace = this.#enterTrace();
    if (trace === undefined) return undefined;
    // A trace that has just been walked has all numbers.
    if (this.#stats.walks === walks) this.#writeShared();
    return { machine, trace };
  }

  /** As `enter`, without what is the same in every lane. */
  #enterTrace(): Trace | undefined {
    const { machine, program } = this.#setup;
    machine.beginRun();
    if (!this.#hasBegun && this.#stats.runs === 0 && this.#layouts.length === 0) {
      // A narrower batch of the same program goes on where a wider one was.
      if (program.traces.count > 0) this.#findLayouts();
      else this.#walkWhole();
    }
    const trace = this.#likely()?.trace ?? this.#first;
    if (!trace?.isKept || trace.taken < this.lanes) return undefined;
    machine.parking.use(trace.handle);
    if (trace.owner !== this) this.#writeFixed(trace);
    return trace;
  }

  /**
   * Values for other lanes than the session's, on the trace that `enter` finds: inputs by lane, and
   * names with one number for all lanes. Undefined where the trace does not take them.
   */
  evaluateOther(
    columns: Readonly<Record<string, Float64Array>>,
    names: readonly string[],
    numbers: Float64Array,
    lanes: number,
  ): Float64Array | undefined {
    const trace = this.#enterTrace();
    if (trace === undefined) return undefined;
    const { machine } = this.#setup;
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
    const { machine, program, inputs } = this.#setup;
    const { exports, reals } = machine;
    const view = reals.view();
    const vector = 16 / reals.bytes;
    let payload = program.firstInputPayload - 1;
    for (let k = 0; k < inputs.length; k++) {
      const input = inputs[k] as Bound;
      if (input.kind === "int") continue;
      payload += 1;
      if (input.rank > 0) continue;
      const at = exports.primalAddress(payload) / reals.bytes;
      const which = names.indexOf(input.name);
      const isShared = input.perLane === undefined;
      if (which >= 0 || isShared) {
        const value = which >= 0 ? (numbers[which] as number) : this.#sharedValue(input);
        const length = isShared ? vector : count;
        for (let i = 0; i < length; i++) view[at + i] = value;
      } else {
        const column = own(columns, input.name) as Float64Array;
        for (let i = 0; i < count; i++) view[at + i] = column[from + i] as number;
      }
    }
  }

  #sharedValue({ name, value }: Bound): number {
    return this.#made === undefined ? value : (own(this.inputs, name)?.[0] as number);
  }

  /** The plain way to begin: all lanes in one walk. */
  #walkWhole(): void {
    this.#hasBegun = true;
    const inputs = this.#made === undefined ? this.#setup.inputs : this.#boundInputs();
    const { machine, program, lanes, wanted, options } = this.#setup;
    const signature = this.#signature;
    this.#first = walkWhole({ machine, program, inputs, lanes, wanted, options, signature });
    if (this.#first === undefined) return;
    this.#first.owner = this;
    this.#stats.walks += 1;
  }

  /** Writes the numbers that all lanes share into the current trace. */
  #writeShared(): void {
    const { machine, program, inputs } = this.#setup;
    const { exports, reals } = machine;
    const view = reals.view();
    const vector = 16 / reals.bytes;
    let payload = program.firstInputPayload;
    for (const input of inputs) {
      if (input.kind === "int") continue;
      if (input.rank === 0 && input.perLane === undefined) {
        const at = exports.primalAddress(payload) / reals.bytes;
        const own = this.#sharedValue(input);
        for (let i = 0; i < vector; i++) view[at + i] = own;
      }
      payload += 1;
    }
  }

  /** Runs all lanes on kept traces, one after the other; returns the lanes that none took. */
  #replay(): LaneSet {
    const likely = this.#likely();
    let rest = this.#all;
    if (likely !== undefined && this.#canRun(likely, this.lanes)) {
      if (this.#isToBeSorted(likely)) return rest;
      rest = this.#replayOn(likely, rest);
      if (rest === NO_LANES) {
        this.#follow(likely);
        return rest;
      }
    }
    let misses = rest === this.#all ? 0 : 1;
    for (const layout of this.#layouts) {
      const tried = laneCount(rest);
      if (misses === MISSES_MAX || tried === 0) break;
      if (layout === likely || !this.#canRun(layout, tried)) continue;
      if (rest === this.#all && this.#isToBeSorted(layout)) return rest;
      rest = this.#replayOn(layout, rest);
      if (isMiss(tried, tried - laneCount(rest))) misses += 1;
    }
    this.#layouts.sort((a, b) => preferred(a.trace, b.trace));
    this.#follow(this.#layouts[0]);
    return rest;
  }

  /** The layout to try first: what followed on the latest one twice, else the latest one. */
  #likely(): Layout | undefined {
    const latest = this.#latest;
    return latest !== undefined && latest.nextSeen > 1 ? latest.next : this.#layouts[0];
  }

  #follow(layout: Layout | undefined): void {
    const latest = this.#latest;
    this.#latest = layout;
    if (latest === undefined) return;
    latest.nextSeen = latest.next === layout ? latest.nextSeen + 1 : 1;
    latest.next = layout;
  }

  #canRun({ trace }: Layout, lanes: number): boolean {
    return trace.isKept && isWidthFitting(trace, lanes);
  }

  /** Whether the general way must sort lanes first that go on this trace. */
  #isToBeSorted({ trace }: Layout): boolean {
    return wantsSorting(trace) && this.#setup.machine.mechanisms.sorting !== false;
  }

  #replayOn(layout: Layout, lanes: LaneSet): LaneSet {
    const { machine, program } = this.#setup;
    const { trace } = layout;
    machine.parking.use(trace.handle);
    if (trace.owner !== this) this.#writeFixed(trace);
    const isSurvey = isSurveyDue(trace);
    if (isSurvey) machine.exports.beginSurvey();
    const refused = lanes === this.#all ? this.#replayAll(layout) : this.#replaySome(layout, lanes);
    const taken = laneCount(lanes) - (refused?.length ?? 0);
    if (isSurvey) trace.isThin = isThin(machine.exports.endSurvey(), taken);
    program.traces.took(trace, taken);
    if (refused === undefined) return NO_LANES;
    return taken === 0 ? lanes : { list: refused };
  }

  /** Runs all lanes in chunks of neighbours; returns those that failed a guard. */
  #replayAll(layout: Layout): number[] | undefined {
    let refused: number[] | undefined;
    const { chunks } = layout;
    for (let i = 0; i < chunks; i++) {
      const count = layout.writeChunk(i);
      const passed = this.#replayGradient(layout.trace, count);
      if (passed > 0) layout.readChunk(i);
      if (passed !== count) refused = this.#addRefused(layout.lanesOf(i), passed, refused ?? []);
    }
    return refused;
  }

  /** Runs any lanes; returns those that failed a guard. */
  #replaySome(layout: Layout, lanes: LaneSet): number[] | undefined {
    let refused: number[] | undefined;
    let rest = lanes;
    while (laneCount(rest) > 0) {
      const [set, others] = splitLanes(rest, layout.trace.width);
      rest = others;
      layout.writeLanes(set);
      const passed = this.#replayGradient(layout.trace, laneCount(set));
      if (passed > 0) layout.readLanes(set);
      if (passed !== laneCount(set)) refused = this.#addRefused(set, passed, refused ?? []);
    }
    return refused;
  }

  #replayGradient(trace: Trace, count: number): number {
    const { machine } = this.#setup;
    this.#stats.replays += 1;
    const result = this.#hold().wrt.length > 0 ? trace.result.data : -1;
    return machine.exports.replayGradient(count, trace.result.data, result, trace.isMixed ? 1 : 0);
  }

  /** Adds the lanes that did not pass, or all of them after a fault. */
  #addRefused(set: LaneSet, passed: number, refused: number[]): number[] {
    const { machine } = this.#setup;
    const count = laneCount(set);
    if (passed <= 0) {
      for (let i = 0; i < count; i++) refused.push(laneAt(set, i));
      return refused;
    }
    const at = machine.laneBuffer(4 * count);
    const found = machine.exports.writeRefused(at, count);
    const places = new Int32Array(machine.exports.memory.buffer, at, found);
    for (const place of places) refused.push(laneAt(set, place));
    return refused;
  }

  /** Writes vectors and matrices, which stay in a trace while nobody else uses it. */
  #writeFixed(trace: Trace): void {
    const { machine, program, inputs } = this.#setup;
    const { exports, reals } = machine;
    let payload = program.firstInputPayload;
    for (const input of inputs) {
      if (input.kind === "int") continue;
      const lanes = { from: 0, to: Math.min(trace.width, this.lanes) };
      if (input.rank > 0)
        writeChunk(reals, input, exports.primalAddress(payload), exports.runBytes(), lanes);
      payload += 1;
    }
    trace.owner = this;
  }

  /** The general way for lanes that no trace took: walks, guards, buckets. */
  *#walk(lanes: LaneSet, isAsync: boolean): Generator<void> {
    const { wrt } = this.#hold();
    const { machine, program, wanted, axes, options } = this.#setup;
    const isAll = lanes === this.#all;
    const list = isAll
      ? undefined
      : Array.from({ length: laneCount(lanes) }, (_, i) => laneAt(lanes, i));
    const bound = this.#boundInputs();
    const inputs = list === undefined ? bound : bound.map((input) => selectLanes(input, list));
    const backward = (chunk: Chunk) =>
      gradientChunk(machine, program, wrt, chunk, undefined, new Set());
    const execution = new Execution({
      machine,
      program,
      inputs,
      lanes: laneCount(lanes),
      axes: isAll ? axes : [],
      wrt,
      wanted,
      options,
      isPart: !isAll,
      isRepeated: true,
      isAsync,
      backward: wrt.length > 0 ? backward : undefined,
    });
    yield* execution.run();
    const { walks, replays, sortings } = execution.stats();
    this.#stats.walks += walks;
    this.#stats.replays += replays;
    this.#stats.sortings += sortings;
    this.#take(execution.results, lanes);
  }

  /** The program's inputs with the session's numbers. */
  #boundInputs(): Bound[] {
    const slots = new Map(this.#hold().slots.map((slot) => [slot.name, slot]));
    return this.#setup.inputs.map((input) => {
      const slot = slots.get(input.name);
      if (slot === undefined) return input;
      return slot.isShared
        ? { ...input, value: slot.numbers[0] as number }
        : { ...input, perLane: slot.numbers };
    });
  }

  #take(results: Results, lanes: LaneSet): void {
    this.#failures = results.failures.map(({ lane, error }) => ({
      lane: laneAt(lanes, lane),
      error,
    }));
    const count = laneCount(lanes);
    const hasValues = this.#failures.length < count;
    if (hasValues && results.shape !== undefined && results.shape.length > 0)
      throw new NdvmError("E-RESULT", "a session takes programs whose value is one number", {
        help: "use program.run or program.jacobian for vectors and matrices",
      });
    const values = hasValues ? results.values : new Float64Array(count).fill(Number.NaN);
    for (let i = 0; i < count; i++) this.values[laneAt(lanes, i)] = values[i] as number;
    for (const { name, count: elements } of this.#hold().wrt) {
      const from = own(results.gradients, name) as Float64Array;
      const into = own(this.gradients, name) as Numbers;
      for (let i = 0; i < count; i++)
        for (let e = 0; e < elements; e++)
          into[laneAt(lanes, i) * elements + e] = from[i * elements + e] as number;
    }
  }

  /** The traces that the next run can replay, with the places of the session's numbers in them. */
  #findLayouts(): void {
    const { machine, program, options, inputs } = this.#setup;
    const isSplit = inputs.some(({ tensors }) => tensors !== undefined);
    if (isSplit || options.timeMax !== undefined || options.replay === false) return;
    const known = new Map(this.#layouts.map((layout) => [layout.trace, layout]));
    this.#layouts = program.traces
      .matching(this.#signature)
      .filter((trace) => this.#isUsable(trace))
      .map((trace) => {
        program.traces.use(trace);
        return known.get(trace) ?? new Layout(machine, trace, this.#hold());
      });
  }

  #isUsable({ result, steps, recordedBytes }: Trace): boolean {
    const { options, wanted } = this.#setup;
    const { stepsMax = Number.POSITIVE_INFINITY, tapeBytesMax = Number.POSITIVE_INFINITY } =
      options;
    const isWithinTape = !wanted.includes(true) || recordedBytes <= tapeBytesMax;
    return result.tag === TAG_REAL && steps <= stepsMax && isWithinTape;
  }
}
