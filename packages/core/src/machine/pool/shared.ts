/**
 * Calls whose numbers lie in memory that all workers share.
 *
 * The caller's numbers are written there once, workers read them there and write their results to
 * where the caller will read them. Lanes are cut into blocks of neighbours; a worker takes the next
 * free one by itself:
 *
 *   words   0      1         2 …
 *           | stop | owner of block 0 | owner of block 1 | …
 *
 * An owner is 0 while a block is free, a worker's mark (its place + 1) while that worker runs it, −mark
 * once it is done, and LOST once it has cost too many workers. What else is known of a block comes with
 * the worker's message at its end, so a worker that dies before it leaves all of its blocks to others.
 *
 * Blocks become smaller towards the end: each round of them is half of what is left, one block a
 * worker, so that workers of unequal speed end at nearly the same time.
 */

import { recordOf } from "../../records.js";
import type { BoundInput } from "../inputs/inputs.js";
import type { ResultArrays } from "../results/results.js";
import type { GradientOptions, Seed, TensorInput } from "../types.js";

type Numbers = Float64Array | Float32Array;

/** An input as it is sent: as bound, its numbers in shared memory, those of tensors in one row. */
export interface SharedInput extends Omit<BoundInput, "tensors" | "perLane"> {
  readonly perLane: Numbers | undefined;
  readonly packed: Numbers | undefined;
  readonly tensorCount: number;
}

/** Who runs which lanes. */
export interface Blocks {
  /** The first lane of each block, and the number of lanes. */
  readonly starts: Int32Array;
  /** As drawn above. */
  readonly words: Int32Array;
}

const STOP = 0;
const FIRST_OWNER = 1;
const FREE = 0;
/** Nobody's mark: nobody runs the block again, and no later death gives it up a second time. */
const LOST = -(2 ** 31);

/** Equal shares start at whole vectors of lanes, in either precision. */
const SHARE_STEP = 8;
/** Blocks are whole chunks of most programs, and large beside what starting one costs. */
const BLOCK_STEP = 128;
/** Bytes of an input buffer that are kept for the next call. */
const SPARE_BYTES_MAX = 2 ** 26;

/** The first lane of each block, and the number of lanes. */
export function planBlocks(lanes: number, workers: number): number[] {
  const starts = [0];
  const add = (size: number): void => {
    starts.push(Math.min(lanes, (starts.at(-1) as number) + size));
  };
  const left = (): number => lanes - (starts.at(-1) as number);
  const isSmall = lanes < 2 * workers * BLOCK_STEP;
  const share = roundUp(Math.ceil(lanes / workers), SHARE_STEP);
  while (isSmall && left() > 0) add(share);
  while (left() > 0) {
    const size = roundUp(Math.ceil(left() / (2 * workers)), BLOCK_STEP);
    for (let worker = 0; worker < workers && left() > 0; worker++) add(size);
  }
  return starts;
}

const roundUp = (value: number, step: number): number => Math.ceil(value / step) * step;

/** The blocks of one call, as the pool sees them. */
export class BlockTable {
  readonly blocks: Blocks;
  readonly count: number;
  /** How many workers each block has cost. */
  readonly #deaths: Uint8Array;

  constructor(lanes: number, workers: number) {
    const starts = planBlocks(lanes, workers);
    this.count = starts.length - 1;
    const words = starts.length + FIRST_OWNER + this.count;
    const buffer = new SharedArrayBuffer(words * Int32Array.BYTES_PER_ELEMENT);
    this.blocks = {
      starts: new Int32Array(buffer, 0, starts.length),
      words: new Int32Array(buffer, starts.length * Int32Array.BYTES_PER_ELEMENT),
    };
    this.blocks.starts.set(starts);
    this.#deaths = new Uint8Array(this.count);
  }

  lanesOf(block: number): readonly [from: number, to: number] {
    const { starts } = this.blocks;
    return [starts[block] as number, starts[block + 1] as number];
  }

  hasFree(): boolean {
    for (let block = 0; block < this.count; block++) if (this.#owner(block) === FREE) return true;
    return false;
  }

  /** Ends a call before its time: no worker begins another block. */
  stop(): void {
    Atomics.store(this.blocks.words, STOP, 1);
  }

  /**
   * Takes back the blocks of a worker that died. The one it was at has cost a worker; if it was never
   * ready, so have all that wait for one. Returns the blocks that have cost as many as they may:
   * nobody will run them again.
   */
  release(place: number, wasReady: boolean, deathsMax: number): number[] {
    const mark = place + 1;
    const lost: number[] = [];
    for (let block = 0; block < this.count; block++) {
      const owner = this.#owner(block);
      const isBlamed = owner === mark || (!wasReady && owner === FREE);
      if (!isBlamed && owner !== -mark) continue;
      if (isBlamed) this.#deaths[block] = (this.#deaths[block] as number) + 1;
      const isLost = (this.#deaths[block] as number) >= deathsMax;
      if (isLost) lost.push(block);
      Atomics.store(this.blocks.words, FIRST_OWNER + block, isLost ? LOST : FREE);
    }
    return lost;
  }

  #owner(block: number): number {
    return Atomics.load(this.blocks.words, FIRST_OWNER + block);
  }
}

/** Takes a free block from `from` on; −1 where there is none, or the call is over. */
export function takeBlock({ starts, words }: Blocks, from: number, place: number): number {
  for (let block = from; block < starts.length - 1; block++) {
    if (Atomics.load(words, STOP) !== 0) return -1;
    if (Atomics.compareExchange(words, FIRST_OWNER + block, FREE, place + 1) === FREE) return block;
  }
  return -1;
}

export function endBlock({ words }: Blocks, block: number, place: number): void {
  Atomics.store(words, FIRST_OWNER + block, -(place + 1));
}

const isShared = (values: Numbers): boolean =>
  typeof SharedArrayBuffer === "function" && values.buffer instanceof SharedArrayBuffer;

/** Memory for the inputs of calls. A buffer is used again by a later call that it is large enough for. */
export class InputRoom {
  #spare: SharedArrayBuffer | undefined;

  take(bytes: number): SharedArrayBuffer {
    const spare = this.#spare;
    if (spare === undefined || spare.byteLength < bytes) return new SharedArrayBuffer(bytes);
    this.#spare = undefined;
    return spare;
  }

  giveBack(buffer: SharedArrayBuffer): void {
    const isLarger = buffer.byteLength > (this.#spare?.byteLength ?? 0);
    if (isLarger && buffer.byteLength <= SPARE_BYTES_MAX) this.#spare = buffer;
  }
}

/** Numbers on their way into shared memory: where they are now, and how many. */
interface Load {
  readonly count: number;
  readonly bytes: number;
  write(into: Numbers): void;
}

/**
 * Inputs in shared memory, and the buffer that was taken for them. Numbers that lie in shared memory
 * already stay where they are; the others are written there once.
 */
export function shareInputs(
  bound: readonly BoundInput[],
  seed: Seed | undefined,
  room: InputRoom,
): {
  readonly inputs: readonly SharedInput[];
  readonly seed: Seed | undefined;
  readonly buffer: SharedArrayBuffer;
} {
  const bytes = bound.reduce((sum, input) => sum + bytesOf(input), 0) + seedBytes(seed);
  const buffer = room.take(bytes);
  let at = 0;
  const place = ({ count, bytes: each, write }: Load): Numbers => {
    const isSingle = each === Float32Array.BYTES_PER_ELEMENT;
    const view = isSingle
      ? new Float32Array(buffer, at, count)
      : new Float64Array(buffer, at, count);
    at += roundUp(count * each, Float64Array.BYTES_PER_ELEMENT);
    write(view);
    return view;
  };
  const inputs = bound.map((input) => shareInput(input, place));
  const isArray = seed !== undefined && typeof seed !== "number";
  return { inputs, seed: isArray ? numbersIn(seed, place) : seed, buffer };
}

function shareInput(input: BoundInput, place: (load: Load) => Numbers): SharedInput {
  const { tensors, perLane, shared, ...rest } = input;
  return {
    ...rest,
    shared: shared && numbersIn(shared, place),
    perLane: perLane && numbersIn(perLane, place),
    packed: tensors && place(tensorLoad(tensors, input.rows * input.cols)),
    tensorCount: tensors?.length ?? 0,
  };
}

function numbersIn(values: Numbers | readonly number[], place: (load: Load) => Numbers): Numbers {
  if (ArrayBuffer.isView(values) && isShared(values)) return values;
  const count = values.length;
  return place({ count, bytes: elementBytes(values), write: (into) => into.set(values) });
}

const tensorLoad = (tensors: readonly TensorInput[], size: number): Load => ({
  count: tensors.length * size,
  bytes: Float64Array.BYTES_PER_ELEMENT,
  write: (into) => {
    for (const [i, { data }] of tensors.entries()) into.set(data, i * size);
  },
});

const elementBytes = (values: Numbers | readonly number[]): number =>
  ArrayBuffer.isView(values) ? values.BYTES_PER_ELEMENT : Float64Array.BYTES_PER_ELEMENT;

const spanOf = (values: Numbers | readonly number[] | undefined): number => {
  if (values === undefined || (ArrayBuffer.isView(values) && isShared(values))) return 0;
  return roundUp(values.length * elementBytes(values), Float64Array.BYTES_PER_ELEMENT);
};

const bytesOf = ({ shared, perLane, tensors, rows, cols }: BoundInput): number =>
  spanOf(shared) +
  spanOf(perLane) +
  (tensors?.length ?? 0) * rows * cols * Float64Array.BYTES_PER_ELEMENT;

const seedBytes = (seed: Seed | undefined): number =>
  seed === undefined || typeof seed === "number" ? 0 : spanOf(seed);

/** Inputs as a worker binds them: tensors are views of the row that they came in. */
export const openInputs = (inputs: readonly SharedInput[]): readonly BoundInput[] =>
  inputs.map((input) => ({ ...input, tensors: tensorsOf(input) }));

function tensorsOf(input: SharedInput): readonly TensorInput[] | undefined {
  const { packed, tensorCount, rank, rows, cols } = input;
  if (packed === undefined) return undefined;
  const size = rows * cols;
  return Array.from({ length: tensorCount }, (_, i) => ({
    kind: "tensor",
    rank: rank as 1 | 2,
    rows,
    cols,
    data: packed.subarray(i * size, (i + 1) * size),
  }));
}

/** Room for the results of all lanes. */
export function makeResultArrays(
  lanes: number,
  count: number,
  gradients: readonly { readonly name: string; readonly count: number }[],
): ResultArrays {
  const doubles = (length: number): Float64Array =>
    new Float64Array(new SharedArrayBuffer(length * Float64Array.BYTES_PER_ELEMENT));
  return {
    count,
    values: doubles(lanes * count),
    gradients: recordOf(gradients.map((each) => [each.name, doubles(lanes * each.count)])),
  };
}

/** The room of some lanes. */
export function resultsAt(
  all: ResultArrays,
  lanes: number,
  from: number,
  to: number,
): ResultArrays {
  const cut = (array: Float64Array): Float64Array => {
    const count = array.length / lanes;
    return array.subarray(from * count, to * count);
  };
  const gradients = Object.entries(all.gradients).map(
    ([name, array]) => [name, cut(array)] as const,
  );
  return { count: all.count, values: cut(all.values), gradients: recordOf(gradients) };
}

/** No lane has a result until it is written. */
export function clearResults({ values, gradients }: ResultArrays): void {
  values.fill(Number.NaN);
  for (const array of Object.values(gradients)) array.fill(Number.NaN);
}

/** The options of a run for some of its lanes. */
export function laneOptions(
  options: GradientOptions,
  lanes: number,
  from: number,
  to: number,
): GradientOptions {
  const { seed } = options;
  const own = { ...options, lanes: to - from };
  if (seed === undefined || typeof seed === "number") return own;
  const count = seed.length / lanes;
  const cut = ArrayBuffer.isView(seed)
    ? (seed as Numbers).subarray(from * count, to * count)
    : seed.slice(from * count, to * count);
  return { ...own, seed: cut };
}
