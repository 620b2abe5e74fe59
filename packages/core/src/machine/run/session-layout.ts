/**
 * Where a session's numbers lie in one kept trace, and how they get there and back: all lanes of a
 * session in chunks of neighbours, by views that are made once, or some of its lanes one by one.
 *
 * Places are indices of reals in the machine's memory. They hold while the trace is kept; views
 * hold until that memory grows.
 */

import { own, smallRecord } from "../../records.js";
import { type Stride, strideIndex, writeStrided } from "../inputs/axes.js";
import type { Machine } from "../machine.js";
import { isUniform } from "../results/payloads.js";
import type { RecordedInput } from "../results/results.js";
import { type LaneSet, laneAt, laneCount } from "./chunk.js";
import type { Job } from "./job.js";
import type { Trace } from "./traces.js";

/** Arrays of the machine's own precision, so that numbers move without conversion. */
export type Numbers = Float64Array | Float32Array;

/** A number input of a session. */
export interface Slot {
  readonly name: string;
  readonly payload: number;
  /** The session's own numbers: one for all lanes, one per lane, or one per place of its axes. */
  readonly numbers: Numbers;
  readonly isShared: boolean;
  readonly stride: Stride | undefined;
}

/** What a session moves to and from the machine. */
export interface SessionBuffers {
  readonly lanes: number;
  readonly slots: readonly Slot[];
  readonly values: Numbers;
  readonly gradients: Readonly<Record<string, Numbers>>;
  readonly wrt: readonly RecordedInput[];
}

export function makeBuffers(job: Job): SessionBuffers {
  const { machine, lanes, wrt } = job;
  const make = partsOf(machine.precision === "f32", countNumbers(job));
  const slots = makeSlots(job, make);
  const values = make(lanes);
  const gradients = smallRecord<Numbers>();
  for (const { name, count } of wrt) gradients[name] = make(lanes * count);
  return { lanes, slots, values, gradients, wrt };
}

/** Cuts one array into parts: memory of its own for each of many small ones costs far more. */
function partsOf(isSingle: boolean, total: number): (count: number) => Numbers {
  const bytes = isSingle ? 4 : 8;
  const buffer = new ArrayBuffer(total * bytes);
  let at = 0;
  return (count) => {
    const from = at;
    at += count * bytes;
    return isSingle ? new Float32Array(buffer, from, count) : new Float64Array(buffer, from, count);
  };
}

/** Numbers that a session owns. */
function countNumbers({ numbers, lanes, wrt }: Job): number {
  let total = lanes;
  for (const { count } of wrt) total += lanes * count;
  for (const { input } of numbers) if (input.rank === 0) total += input.perLane?.length ?? 1;
  return total;
}

function makeSlots({ numbers }: Job, make: (count: number) => Numbers): Slot[] {
  const slots: Slot[] = [];
  for (const { input, payload } of numbers) {
    const { name, rank, perLane, value, stride } = input;
    if (rank > 0) continue;
    const isShared = perLane === undefined;
    const own = make(perLane?.length ?? 1);
    if (perLane === undefined) own[0] = value;
    else own.set(perLane);
    slots.push({ name, payload, numbers: own, isShared, stride });
  }
  return slots;
}

/** A job whose inputs are the session's own numbers, as they are whenever it runs. */
export function jobOf(job: Job, { slots }: SessionBuffers): Job {
  const inputs = [...job.inputs];
  let k = 0;
  for (const { input, index } of job.numbers) {
    if (input.rank > 0) continue;
    // Slots are the inputs of rank 0, in their order.
    const { numbers, isShared } = slots[k++] as Slot;
    inputs[index] = isShared ? { ...input, shared: numbers } : { ...input, perLane: numbers };
  }
  return job.with(inputs);
}

/** A place in the machine's memory and the session's numbers that belong there. */
interface Pairing {
  readonly machine: Numbers;
  readonly session: Numbers;
}

/** Views of one chunk, made once: making them on each run would cost more than the numbers. */
interface ChunkViews {
  readonly from: number;
  readonly count: number;
  readonly shared: readonly Pairing[];
  readonly perLane: readonly Pairing[];
  readonly results: readonly Pairing[];
}

/** An input of a session and where it lies. */
interface Placed {
  readonly slot: Slot;
  readonly at: number;
}

interface Adjoint {
  readonly into: Numbers;
  readonly at: number;
  /** Elements of the input. */
  readonly count: number;
}

export class Layout {
  readonly trace: Trace;
  readonly #machine: Machine;
  readonly #buffers: SessionBuffers;
  readonly #slots: readonly Placed[];
  readonly #result: number;
  readonly #resultIsUniform: boolean;
  readonly #adjoints: readonly Adjoint[];
  /** Reals between two elements of a payload. */
  readonly #run: number;
  /** Whether all results are plain runs of numbers, which views move. */
  readonly #isNarrow: boolean;
  readonly #strided: readonly Placed[];
  readonly #isSmall: boolean;
  #inactive: readonly string[] | undefined;
  #views: readonly ChunkViews[] = [];
  /** The memory that the views look at. It has no length any more once it has moved. */
  #memory: Numbers | undefined;

  /** The trace must be the machine's current one. */
  constructor(machine: Machine, trace: Trace, buffers: SessionBuffers) {
    const { exports, reals } = machine;
    const index = (address: number) => address / reals.bytes;
    this.trace = trace;
    this.#machine = machine;
    this.#buffers = buffers;
    this.#slots = buffers.slots.map((slot) => ({
      slot,
      at: index(exports.primalAddress(slot.payload)),
    }));
    this.#isSmall = buffers.lanes < MOVE_LEAST;
    this.#strided = this.#slots.filter(({ slot }) => slot.stride !== undefined);
    this.#result = index(exports.primalAddress(trace.result.data));
    this.#resultIsUniform = isUniform(machine, trace.result.data);
    this.#adjoints = buffers.wrt.map(({ name, payload, count }) => ({
      into: own(buffers.gradients, name) as Numbers,
      at: index(exports.adjointAddress(payload)),
      count,
    }));
    this.#run = index(exports.runBytes());
    this.#isNarrow = !this.#resultIsUniform && this.#adjoints.every(({ count }) => count === 1);
  }

  /** Views of a chunk, made anew where memory has grown: it may whenever the machine runs. */
  #viewsOf(index: number): ChunkViews {
    if (this.#memory === undefined || this.#memory.length === 0) this.#makeViews();
    return this.#views[index] as ChunkViews;
  }

  #makeViews(): void {
    const memory = this.#machine.reals.view();
    const { lanes, values: results } = this.#buffers;
    const { width } = this.trace;
    const vector = 16 / memory.BYTES_PER_ELEMENT;
    const perLane = this.#slots.filter(({ slot }) => !slot.isShared && !slot.stride);
    const shared = this.#slots.filter(({ slot }) => slot.isShared);
    const scalars = this.#adjoints.filter((adjoint) => adjoint.count === 1);
    const chunks: ChunkViews[] = [];
    for (let from = 0; from < lanes; from += width) {
      const count = Math.min(width, lanes - from);
      const pairing = (at: number, numbers: Numbers): Pairing => ({
        machine: memory.subarray(at, at + count),
        session: numbers.subarray(from, from + count),
      });
      const values = this.#resultIsUniform ? [] : [pairing(this.#result, results)];
      chunks.push({
        from,
        count,
        shared: shared.map(({ slot, at }) => ({
          machine: memory.subarray(at, at + vector),
          session: slot.numbers,
        })),
        perLane: perLane.map(({ slot, at }) => pairing(at, slot.numbers)),
        results: [...values, ...scalars.map(({ at, into }) => pairing(at, into))],
      });
    }
    this.#memory = memory;
    this.#views = chunks;
  }

  /** Writes the numbers of a chunk of neighbours; returns how many lanes it has. */
  writeChunk(index: number): number {
    if (this.#isSmall) return this.#writeSmall(index);
    const { from, count, shared, perLane } = this.#viewsOf(index);
    for (const { machine, session } of shared) {
      const value = session[0] as number;
      for (let i = 0; i < machine.length; i++) machine[i] = value;
    }
    for (const { machine, session } of perLane) move(session, machine);
    for (const { slot, at } of this.#strided) {
      const view = this.#machine.reals.view();
      writeStrided(slot.numbers, slot.stride as Stride, { from, to: from + count }, view, at);
    }
    return count;
  }

  /** Reads the results of a chunk of neighbours: those of lanes that did not pass mean nothing. */
  readChunk(index: number): void {
    const { width } = this.trace;
    const from = index * width;
    const count = Math.min(width, this.#buffers.lanes - from);
    if (this.#isSmall) this.#readSmall(from, count);
    else for (const { machine, session } of this.#viewsOf(index).results) move(machine, session);
    if (this.#isNarrow) return;
    const view = this.#machine.reals.view();
    if (this.#resultIsUniform)
      this.#buffers.values.fill(view[this.#result] as number, from, from + count);
    for (const { into, at, count: elements } of this.#adjoints) {
      if (elements === 1) continue;
      for (let i = 0; i < count; i++)
        for (let e = 0; e < elements; e++)
          into[(from + i) * elements + e] = view[at + e * this.#run + i] as number;
    }
  }

  /** As `writeChunk`, for so few lanes that making views would cost more than it saves. */
  #writeSmall(index: number): number {
    const view = this.#machine.reals.view();
    const vector = 16 / view.BYTES_PER_ELEMENT;
    const from = index * this.trace.width;
    const count = Math.min(this.trace.width, this.#buffers.lanes - from);
    const slots = this.#slots;
    for (let k = 0; k < slots.length; k++) {
      const { slot, at } = slots[k] as Placed;
      const { numbers, stride, isShared } = slot;
      if (isShared) {
        const value = numbers[0] as number;
        for (let i = 0; i < vector; i++) view[at + i] = value;
      } else if (stride !== undefined)
        writeStrided(numbers, stride, { from, to: from + count }, view, at);
      else for (let i = 0; i < count; i++) view[at + i] = numbers[from + i] as number;
    }
    return count;
  }

  /** Reads the numbers that views would move. */
  #readSmall(from: number, count: number): void {
    const view = this.#machine.reals.view();
    const { values } = this.#buffers;
    if (!this.#resultIsUniform)
      for (let i = 0; i < count; i++) values[from + i] = view[this.#result + i] as number;
    for (let k = 0; k < this.#adjoints.length; k++) {
      const { into, at, count: elements } = this.#adjoints[k] as Adjoint;
      if (elements === 1) for (let i = 0; i < count; i++) into[from + i] = view[at + i] as number;
    }
  }

  /**
   * Inputs of `wrt` that the result of one lane does not depend on: the same whenever it goes on this
   * trace, since one lane has nothing to merge. The trace is the current one.
   */
  inactive(wrt: readonly RecordedInput[]): readonly string[] {
    this.#inactive ??= this.#findInactive(wrt);
    return this.#inactive;
  }

  #findInactive(wrt: readonly RecordedInput[]): readonly string[] {
    const { exports } = this.#machine;
    const { hasMerges, result } = this.trace;
    const isActive = exports.adjointAddress(result.data) !== 0;
    return wrt
      .filter(({ payload }) => !isActive || exports.isReached(payload, hasMerges) === 0)
      .map(({ name }) => name);
  }

  /** Which of the chunks of all the session's lanes a set is; −1 where it is none of them. */
  chunkOf(set: LaneSet): number {
    if ("list" in set) return -1;
    const { width } = this.trace;
    const { from, to } = set;
    const isChunk = from % width === 0 && to === Math.min(from + width, this.#buffers.lanes);
    return isChunk ? from / width : -1;
  }

  /** Writes the numbers of any lanes, at most as many as the trace is wide. */
  writeLanes(set: LaneSet): void {
    const view = this.#machine.reals.view();
    const vector = 16 / view.BYTES_PER_ELEMENT;
    const count = laneCount(set);
    for (const { slot, at } of this.#slots) {
      const { numbers, stride } = slot;
      if (slot.isShared) {
        view.fill(numbers[0] as number, at, at + vector);
        continue;
      }
      for (let i = 0; i < count; i++) {
        const lane = laneAt(set, i);
        view[at + i] = numbers[stride === undefined ? lane : strideIndex(stride, lane)] as number;
      }
    }
  }

  /** Reads the results of any lanes: those of lanes that did not pass mean nothing. */
  readLanes(set: LaneSet): void {
    const view = this.#machine.reals.view();
    const { values } = this.#buffers;
    const lanes = laneCount(set);
    for (let i = 0; i < lanes; i++) {
      const lane = laneAt(set, i);
      values[lane] = view[this.#result + (this.#resultIsUniform ? 0 : i)] as number;
      for (const { into, at, count } of this.#adjoints)
        for (let e = 0; e < count; e++)
          into[lane * count + e] = view[at + e * this.#run + i] as number;
    }
  }
}

/** Below this many numbers a loop is faster than a block move. */
const MOVE_LEAST = 32;

function move(from: Numbers, to: Numbers): void {
  const { length } = to;
  if (length >= MOVE_LEAST) to.set(from);
  else for (let i = 0; i < length; i++) to[i] = from[i] as number;
}
