/**
 * Parts: what a pool sends to its workers and gets back.
 *
 * A part is a run of neighbouring lanes of a larger batch. Numbers travel as typed arrays; the text
 * of a program travels once per worker, errors once per kind and not once per lane.
 */

import { type ErrorCode, type ErrorFacts, NdvmError, type Span } from "../../errors.js";
import { recordOf } from "../../records.js";
import type { Bound, PartInput } from "../inputs/inputs.js";
import type {
  DatumValue,
  GradientOptions,
  Inputs,
  LoadOptions,
  MachineOptions,
  NonFinite,
  RunStats,
} from "../types.js";

/** The first message to a worker. */
export interface Start {
  readonly kind: "start";
  readonly module: WebAssembly.Module;
  readonly options: MachineOptions;
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

/** Forgets a program. */
export interface DropRequest {
  readonly kind: "drop";
  readonly program: number;
}

export type ToWorker = Start | PartRequest | DropRequest;

export interface PartError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly span: Span | undefined;
  readonly help: string | undefined;
  readonly facts: ErrorFacts;
}

export interface Part {
  readonly lanes: number;
  /** Of numbers of one shape; otherwise `datums` and `texts` have one entry per lane. */
  readonly shape: readonly number[] | undefined;
  readonly values: Float64Array | undefined;
  readonly datums: readonly DatumValue[] | undefined;
  readonly texts: readonly string[] | undefined;
  /** Why there are no values. */
  readonly refusal: PartError | undefined;
  readonly gradients: Readonly<Record<string, Float64Array>>;
  readonly inactive: readonly string[];
  readonly errors: readonly PartError[];
  /** Lanes that failed, by their number in the part, and which of the errors each has. */
  readonly failures: readonly { readonly lane: number; readonly error: number }[];
  readonly nonFinite: readonly NonFinite[];
  readonly stats: RunStats | undefined;
}

/** What a worker says: it is ready, a part is done, or a part was refused as a whole. */
export type FromWorker =
  | { readonly kind: "ready" }
  | { readonly kind: "done"; readonly part: Part }
  | { readonly kind: "refused"; readonly error: PartError };

export const packError = ({ code, message, span, help, facts }: NdvmError): PartError => ({
  code,
  message,
  span,
  help,
  facts,
});

export const unpackError = (error: PartError, source: string, file?: string): NdvmError =>
  new NdvmError(error.code, error.message, { ...error, source, file });

/** A part whose worker died: every lane of it failed. */
export function deadPart(lanes: number): Part {
  const error: PartError = {
    code: "E-WORKER",
    message: "the worker that ran this lane ended, and so did the one that tried again",
    span: undefined,
    help: "it may have run out of memory: use fewer workers or run fewer lanes at a time",
    facts: { attempts: 2 },
  };
  return {
    lanes,
    shape: undefined,
    values: undefined,
    datums: undefined,
    texts: undefined,
    refusal: undefined,
    gradients: {},
    inactive: [],
    errors: [error],
    failures: Array.from({ length: lanes }, (_, lane) => ({ lane, error: 0 })),
    nonFinite: [],
    stats: undefined,
  };
}

type Numbers = Float64Array | Float32Array;

const isNumbers = (values: unknown): values is Numbers => ArrayBuffer.isView(values);

/** The inputs of lanes from … below to, and the arrays that were made for them alone. */
export function partInputs(
  bound: readonly Bound[],
  from: number,
  to: number,
): { readonly inputs: Inputs; readonly transfer: ArrayBuffer[] } {
  const transfer: ArrayBuffer[] = [];
  const inputs = bound.map((input) => {
    const value = partInput(input, from, to);
    if (isNumbers(value)) transfer.push(value.buffer as ArrayBuffer);
    return [input.name, value] as const;
  });
  return { inputs: recordOf(inputs) as unknown as Inputs, transfer };
}

function partInput(input: Bound, from: number, to: number): Inputs[string] | PartInput {
  const { kind, value, rank, rows, cols, shared, perLane, tensors, stride } = input;
  if (kind === "int") return { kind, value };
  const values = perLane ?? tensors;
  if (values !== undefined && stride !== undefined) {
    const { terms, offset } = stride;
    return { kind: "part", lanes: to - from, stride: { terms, offset: offset + from }, values };
  }
  if (perLane !== undefined)
    return isNumbers(perLane)
      ? perLane.slice(from, to)
      : Float64Array.from(perLane.slice(from, to));
  if (tensors !== undefined) return tensors.slice(from, to);
  if (shared === undefined) return value;
  return { kind: "tensor", rank: rank as 1 | 2, rows, cols, data: shared };
}
