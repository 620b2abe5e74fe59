/**
 * Parts: what a pool sends to its workers and gets back. Where memory is shared, a message asks for
 * blocks of a call (shared.ts), and their numbers are not in it.
 *
 * A part is a run of neighbouring lanes of a larger batch. Numbers travel as typed arrays; the text
 * of a program travels once per worker, errors once per kind and not once per lane.
 */

import type { PackedError } from "../../errors.js";
import { recordOf } from "../../records.js";
import type { BoundInput, PartInput } from "../inputs/inputs.js";
import type { PackedMixture, ResultArrays } from "../results/results.js";
import {
  FailedLanes,
  type LaneFault,
  NonFiniteLanes,
  type PackedFailures,
  type PackedNonFinite,
} from "../results/troubles.js";
import type { GradientOptions, Inputs, LoadOptions, MachineOptions, RunStats } from "../types.js";
import type { Blocks, SharedInput } from "./shared.js";

/** The first message to a worker. */
export interface Start {
  readonly kind: "start";
  readonly module: WebAssembly.Module;
  readonly options: MachineOptions;
  /** Whether the pool has other workers. */
  readonly hasOthers: boolean;
}

/** Runs a part. `load` comes with the first part of a program. */
export interface PartRequest {
  readonly kind: "part";
  readonly program: number;
  readonly load: { readonly source: string; readonly options: LoadOptions } | undefined;
  readonly inputs: Inputs;
  readonly options: GradientOptions;
  readonly isGradient: boolean;
}

/** Runs blocks of a call whose numbers lie in shared memory, until none is free. */
export interface BlocksRequest {
  readonly kind: "blocks";
  /** The worker's own place in the pool. */
  readonly place: number;
  readonly program: number;
  readonly load: PartRequest["load"];
  readonly lanes: number;
  readonly inputs: readonly SharedInput[];
  /** Of all lanes. */
  readonly options: GradientOptions;
  readonly isGradient: boolean;
  readonly blocks: Blocks;
  readonly results: ResultArrays;
}

/** Forgets a program. */
export interface DropRequest {
  readonly kind: "drop";
  readonly program: number;
}

export type ToWorker = Start | PartRequest | BlocksRequest | DropRequest;

export interface Part {
  readonly lanes: number;
  /** Of numbers of one shape; otherwise there is a `mixture`, unless every lane failed. */
  readonly shape: readonly number[] | undefined;
  readonly values: Float64Array | undefined;
  /** Whether the values are where the pool wanted them, and did not travel. */
  readonly isPlaced: boolean;
  readonly mixture: PackedMixture | undefined;
  /** Why there are no values. */
  readonly refusal: PackedError | undefined;
  readonly gradients: Readonly<Record<string, Float64Array>>;
  readonly inactive: readonly string[];
  /** Errors once per kind, and the lanes that failed, by their number in the part. */
  readonly faults: readonly LaneFault<PackedError>[];
  readonly failures: PackedFailures;
  readonly nonFinite: PackedNonFinite;
  readonly stats: RunStats | undefined;
}

/** A block of a call. */
export interface BlockReport {
  readonly block: number;
  readonly part: Part;
}

/**
 * What a worker says: a part is done, blocks are done, or a part was refused as a whole. Blocks that
 * are like the first one in all but their lanes are `plain`.
 */
export type FromWorker =
  | { readonly kind: "done"; readonly part: Part }
  | { readonly kind: "blocks"; readonly reports: BlockReport[]; readonly plain: readonly number[] }
  | { readonly kind: "refused"; readonly error: PackedError };

export const NONE_FAILED = new FailedLanes(0).pack();
export const NONE_NON_FINITE = new NonFiniteLanes(0).pack();

/** A part whose worker died: every lane of it failed. */
export function deadPart(lanes: number): Part {
  const error: PackedError = {
    code: "E-WORKER",
    message: "the worker that ran this lane ended, and so did the one that tried again",
    span: undefined,
    help: "it may have run out of memory: use fewer workers or run fewer lanes at a time",
    facts: { reason: "crash", attempts: 2 },
  };
  return {
    lanes,
    shape: undefined,
    values: undefined,
    isPlaced: false,
    mixture: undefined,
    refusal: undefined,
    gradients: {},
    inactive: [],
    faults: [{ error, own: [] }],
    failures: {
      lanes: Uint32Array.from({ length: lanes }, (_, lane) => lane),
      faults: new Uint32Array(lanes),
      places: new Uint32Array(lanes),
    },
    nonFinite: NONE_NON_FINITE,
    stats: undefined,
  };
}

type Numbers = Float64Array | Float32Array;

const isNumbers = (values: unknown): values is Numbers => ArrayBuffer.isView(values);

/** The inputs of lanes from … below to, and the arrays that were made for them alone. */
export function partInputs(
  bound: readonly BoundInput[],
  from: number,
  to: number,
): { readonly inputs: Inputs; readonly transfer: ArrayBuffer[] } {
  const transfer: ArrayBuffer[] = [];
  const inputs = bound.map((input) => {
    const value = partInput(input, from, to, copyOf);
    if (isNumbers(value)) transfer.push(value.buffer as ArrayBuffer);
    return [input.name, value] as const;
  });
  return { inputs: recordOf(inputs) as unknown as Inputs, transfer };
}

/** The inputs of lanes from … below to, without a copy. */
export const blockInputs = (bound: readonly BoundInput[], from: number, to: number): Inputs =>
  recordOf(
    bound.map((input) => [input.name, partInput(input, from, to, viewOf)] as const),
  ) as unknown as Inputs;

type Cut = (numbers: Numbers | readonly number[], from: number, to: number) => Numbers;

const copyOf: Cut = (numbers, from, to) =>
  isNumbers(numbers) ? numbers.slice(from, to) : Float64Array.from(numbers.slice(from, to));
const viewOf: Cut = (numbers, from, to) =>
  isNumbers(numbers) ? numbers.subarray(from, to) : copyOf(numbers, from, to);

function partInput(
  input: BoundInput,
  from: number,
  to: number,
  cut: Cut,
): Inputs[string] | PartInput {
  const { kind, value, rank, rows, cols, shared, perLane, tensors, stride } = input;
  if (kind === "int") return { kind, value };
  const values = perLane ?? tensors;
  if (values !== undefined && stride !== undefined) {
    const { terms, offset } = stride;
    return { kind: "part", lanes: to - from, stride: { terms, offset: offset + from }, values };
  }
  if (perLane !== undefined) return cut(perLane, from, to);
  if (tensors !== undefined) return tensors.slice(from, to);
  if (shared === undefined) return value;
  return { kind: "tensor", rank: rank as 1 | 2, rows, cols, data: shared };
}
