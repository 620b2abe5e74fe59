/**
 * A session: one program, one set of input shapes, run again and again with new numbers.
 *
 * `program.evaluate` and `program.gradient` check their inputs and make new results each time. A
 * session has done that once: setting numbers writes into arrays it owns, a run is one call into
 * WebAssembly per chunk, and the results are the same arrays every time, valid until the next run.
 * This is what an optimiser's inner loop uses.
 */

import { NdvmError } from "../errors.js";
import { TAG_REAL } from "../program/layout.js";
import { isOver, type Stride, writeStrided } from "./axes.js";
import { writeChunk } from "./chunk.js";
import type { Bound } from "./inputs.js";
import type { Machine } from "./machine.js";
import type { Program } from "./program.js";
import type { RecordedInput } from "./results.js";
import { payloadInfo } from "./snapshot.js";
import { signatureOf, type Trace } from "./traces.js";
import type { Axis, Evaluation, GradientOptions, Input, Inputs, LaneFailure } from "./types.js";

/** What a session needs of its program. */
export interface SessionSetup {
  readonly machine: Machine;
  readonly program: Program;
  readonly inputs: readonly Bound[];
  readonly lanes: number;
  readonly axes: readonly Axis[];
  readonly wanted: ReadonlySet<string>;
  readonly wrt: readonly RecordedInput[];
  readonly options: Omit<GradientOptions, "seed">;
  /** The inputs as the caller gave them: what is no plain number stays as it is. */
  readonly given: Inputs;
}

interface Slot {
  readonly name: string;
  readonly payload: number;
  /** The session's own numbers: one for all lanes, one per lane, or one per place of its axes. */
  readonly numbers: Numbers;
  readonly isShared: boolean;
  readonly stride: Stride | undefined;
}

/** Arrays of the machine's own precision, so that numbers move without conversion. */
export type Numbers = Float64Array | Float32Array;

/** A place in the machine's memory and the session's numbers that belong there. */
interface Pairing {
  readonly machine: Numbers;
  readonly session: Numbers;
}

/** Views of one chunk, made once: making them on each run would cost more than the numbers. */
interface ChunkViews {
  readonly count: number;
  readonly shared: readonly Pairing[];
  readonly perLane: readonly Pairing[];
  readonly results: readonly Pairing[];
}

/** Places in the machine's memory, as indices of reals, while one trace is linked. */
interface Layout {
  readonly trace: Trace;
  readonly slots: readonly { readonly slot: Slot; readonly at: number }[];
  readonly result: number;
  readonly resultIsUniform: boolean;
  readonly adjoints: readonly {
    readonly into: Numbers;
    readonly at: number;
    /** Elements of the input. */
    readonly count: number;
  }[];
  /** Views of all chunks, and the memory they look at: made again when that has moved. */
  views: readonly ChunkViews[];
  memory: Numbers;
}

export class Session {
  readonly lanes: number;
  /** What the lanes are: the product of these axes, row-major. */
  readonly axes: readonly Axis[];
  /** The result of the latest run, one number per lane. */
  readonly values: Numbers;
  /** Gradients of the latest run: lane after lane of the input's elements. */
  readonly gradients: Readonly<Record<string, Numbers>>;
  /** The numbers the next run takes: write into them, or use `set`. */
  readonly inputs: Readonly<Record<string, Numbers>>;
  readonly #setup: SessionSetup;
  readonly #slots: readonly Slot[];
  readonly #signature: string;
  #layout: Layout | undefined;
  #failures: readonly LaneFailure[] = [];

  /** Made by `program.session`. */
  constructor(setup: SessionSetup) {
    this.#setup = setup;
    this.lanes = setup.lanes;
    this.axes = setup.axes;
    const make = (count: number): Numbers =>
      setup.machine.precision === "f32" ? new Float32Array(count) : new Float64Array(count);
    this.values = make(setup.lanes);
    this.#slots = makeSlots(setup, make);
    this.inputs = Object.fromEntries(this.#slots.map(({ name, numbers }) => [name, numbers]));
    this.gradients = Object.fromEntries(
      setup.wrt.map(({ name, count }) => [name, make(setup.lanes * count)]),
    );
    this.#signature = signatureOf(setup.inputs, setup.wanted);
  }

  /** Lanes of the latest run that failed: their values and gradients are NaN. */
  get failures(): readonly LaneFailure[] {
    return this.#failures;
  }

  /** Sets an input: a number for all of its lanes, or one per lane. */
  set(name: string, value: number | ArrayLike<number>): void {
    const numbers = this.inputs[name];
    if (numbers === undefined)
      throw new NdvmError("E-INPUT", `the session has no number input ${name}`, {
        help: `it has ${Object.keys(this.inputs).join(", ")}`,
      });
    if (typeof value === "number") numbers.fill(value);
    else numbers.set(value);
  }

  /** Runs the program for the numbers set; `values` and `gradients` then hold the results. */
  run(): void {
    const { machine } = this.#setup;
    machine.beginRun();
    const layout = this.#layout;
    if (layout?.trace.isKept && this.#replay(layout)) {
      this.#failures = [];
      return;
    }
    this.#runSlowly();
    this.#layout = this.#findLayout();
  }

  #replay(layout: Layout): boolean {
    const { machine, wrt } = this.#setup;
    const { exports } = machine;
    const { trace } = layout;
    machine.parking.use(trace.handle);
    if (trace.owner !== this) this.#writeFixed(trace);
    const result = wrt.length > 0 ? trace.resultData : -1;
    // A view of memory that has grown since has no length any more.
    if (layout.memory.length === 0) this.#makeViews(layout);
    for (let i = 0; i < layout.views.length; i++) {
      const views = layout.views[i] as ChunkViews;
      writeChunkViews(views);
      this.#writeStrided(layout, i * trace.width, views.count);
      if (exports.replayGradient(views.count, trace.resultData, result, trace.isMixed) === 0)
        return false;
      for (const { machine: from, session: to } of views.results) move(from, to);
      this.#readWide(layout, i * trace.width, views.count);
    }
    return true;
  }

  #makeViews(layout: Layout): void {
    const memory = this.#setup.machine.reals.view();
    const { width } = layout.trace;
    const vector = 16 / memory.BYTES_PER_ELEMENT;
    const chunks: ChunkViews[] = [];
    for (let from = 0; from < this.lanes; from += width) {
      const count = Math.min(width, this.lanes - from);
      const pairing = (at: number, numbers: Numbers): Pairing => ({
        machine: memory.subarray(at, at + count),
        session: numbers.subarray(from, from + count),
      });
      const perLane = layout.slots.filter(({ slot }) => !slot.isShared && !slot.stride);
      const shared = layout.slots.filter(({ slot }) => slot.isShared);
      const scalars = layout.adjoints.filter((adjoint) => adjoint.count === 1);
      const values = layout.resultIsUniform ? [] : [pairing(layout.result, this.values)];
      chunks.push({
        count,
        shared: shared.map(({ slot, at }) => ({
          machine: memory.subarray(at, at + vector),
          session: slot.numbers,
        })),
        perLane: perLane.map(({ slot, at }) => pairing(at, slot.numbers)),
        results: [...values, ...scalars.map(({ at, into }) => pairing(at, into))],
      });
    }
    layout.memory = memory;
    layout.views = chunks;
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

  /** Writes inputs that vary over some axes only. */
  #writeStrided(layout: Layout, from: number, count: number): void {
    for (const { slot, at } of layout.slots) {
      if (slot.stride === undefined) continue;
      const view = this.#setup.machine.reals.view();
      writeStrided(slot.numbers, slot.stride, { from, to: from + count }, view, at);
    }
  }

  /** Reads what is no run of plain numbers: a value that all lanes share, gradients of vectors. */
  #readWide(layout: Layout, from: number, count: number): void {
    const { exports, reals } = this.#setup.machine;
    if (layout.resultIsUniform)
      this.values.fill(reals.view()[layout.result] as number, from, from + count);
    for (const { into, at, count: elements } of layout.adjoints) {
      if (elements === 1) continue;
      const view = reals.view();
      const run = exports.runBytes() / reals.bytes;
      for (let i = 0; i < count; i++)
        for (let e = 0; e < elements; e++)
          into[(from + i) * elements + e] = view[at + e * run + i] as number;
    }
  }

  /** The general way: walks, guards, buckets. */
  #runSlowly(): void {
    const { program, options, wrt } = this.#setup;
    const { given } = this.#setup;
    const inputs: Record<string, Input> = {};
    for (const { name, numbers, isShared } of this.#slots) {
      const before = given[name];
      const values = isOver(before) ? { ...before, values: numbers } : numbers;
      inputs[name] = isShared ? (numbers[0] as number) : values;
    }
    const all: Inputs = { ...given, ...inputs };
    const runOptions = { ...options, lanes: this.lanes };
    if (wrt.length === 0) {
      this.#take(program.evaluate(all, runOptions));
      return;
    }
    const result = program.gradient(all, runOptions);
    this.#take(result);
    for (const { name } of wrt) this.gradients[name]?.set(result.gradients[name] as Float64Array);
  }

  #take(result: Evaluation): void {
    if (result.shape !== undefined && result.shape.length > 0)
      throw new NdvmError("E-RESULT", "a session takes programs whose value is one number", {
        help: "use program.run or program.jacobian for vectors and matrices",
      });
    this.values.set(result.values);
    this.#failures = result.failures;
  }

  /** Addresses of the trace that the next run will replay. */
  #findLayout(): Layout | undefined {
    const { machine, program, wrt } = this.#setup;
    const isSplit = this.#setup.inputs.some(({ tensors }) => tensors !== undefined);
    const [trace] = program.traces.matching(this.#signature);
    const { timeMax, stepsMax = Number.POSITIVE_INFINITY } = this.#setup.options;
    const isPlain = !isSplit && timeMax === undefined;
    if (trace === undefined || trace.resultTag !== TAG_REAL || !isPlain) return undefined;
    if (trace.steps > stepsMax) return undefined;
    program.traces.use(trace);
    const { exports, reals } = machine;
    const index = (address: number) => address / reals.bytes;
    const layout: Layout = {
      views: [],
      memory: reals.view(),
      trace,
      slots: this.#slots.map((slot) => ({
        slot,
        at: index(exports.primalAddress(slot.payload)),
      })),
      result: index(exports.primalAddress(trace.resultData)),
      resultIsUniform: payloadInfo(exports, trace.resultData).uniform,
      adjoints: wrt.map(({ name, payload, count }) => ({
        into: this.gradients[name] as Numbers,
        at: index(exports.adjointAddress(payload)),
        count,
      })),
    };
    this.#makeViews(layout);
    return layout;
  }
}

function makeSlots(
  { inputs, program, lanes }: SessionSetup,
  make: (count: number) => Numbers,
): Slot[] {
  const slots: Slot[] = [];
  let payload = program.firstInputPayload;
  for (const input of inputs) {
    if (input.kind === "int") continue;
    if (input.rank === 0) {
      const isShared = input.perLane === undefined;
      const { stride } = input;
      const numbers = make(isShared ? 1 : (input.perLane?.length ?? lanes));
      if (input.perLane === undefined) numbers[0] = input.value;
      else numbers.set(input.perLane);
      slots.push({ name: input.name, payload, numbers, isShared, stride });
    }
    payload += 1;
  }
  return slots;
}

/** Below this many numbers a loop is faster than a block move. */
const MOVE_LEAST = 32;

function move(from: Numbers, to: Numbers): void {
  const { length } = to;
  if (length >= MOVE_LEAST) to.set(from);
  else for (let i = 0; i < length; i++) to[i] = from[i] as number;
}

function writeChunkViews({ shared, perLane }: ChunkViews): void {
  for (const { machine, session } of shared) {
    const value = session[0] as number;
    for (let i = 0; i < machine.length; i++) machine[i] = value;
  }
  for (const { machine, session } of perLane) move(session, machine);
}
