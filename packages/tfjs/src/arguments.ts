/**
 * Tensors as a program's inputs: the kind of each input decides which axis of a tensor is the lanes.
 *
 * A lane axis of length 1 beside longer ones is shared, as broadcasting has it elsewhere.
 */

import { type Input, int, mat, NdvmError, type TensorInput, vec } from "@ndvm/core";
import { Tensor } from "@tensorflow/tfjs-core";
import type { InputKind, OperationInput, OperationInputs } from "./types.js";

const RANKS = { number: 0, integer: 0, vector: 1, matrix: 2 } as const;

/** One tensor of a call: its numbers are read once. */
export interface Argument {
  readonly name: string;
  readonly tensor: Tensor;
  readonly kind: InputKind;
  /** Length of the axis in front, of a tensor that has one. */
  readonly lanes: number | undefined;
  /** Whether gradients can be asked for. */
  readonly isFloat: boolean;
}

export interface Call {
  readonly arguments: readonly Argument[];
  /** Inputs that are no tensors. */
  readonly plain: ReadonlyMap<string, Input>;
  /** Undefined: no input has a lane axis, so the result has none either. */
  readonly lanes: number | undefined;
}

const refuse = (message: string, help: string): NdvmError =>
  new NdvmError("E-INPUT", message, { help });

const written = ({ dtype, shape }: Tensor): string => `${dtype}[${shape.join(", ")}]`;

/** Sorts the inputs of a call and checks ranks, dtypes and lanes. */
export function readCall(
  inputs: OperationInputs,
  kindOf: (name: string) => InputKind,
  names: readonly string[],
): Call {
  if (typeof inputs !== "object" || inputs === null || inputs instanceof Tensor)
    throw refuse("an operation takes its inputs by name", "call it as op({ a, k, t })");
  const found: Argument[] = [];
  const plain = new Map<string, Input>();
  for (const [name, input] of Object.entries(inputs)) {
    if (!names.includes(name))
      throw refuse(
        `the program has no input ${name}`,
        `its inputs are ${names.join(", ") || "none"}`,
      );
    if (input instanceof Tensor) found.push(argumentOf(name, input, kindOf(name)));
    else plain.set(name, plainInput(name, input));
  }
  return { arguments: found, plain, lanes: lanesOf(found, plain) };
}

function plainInput(name: string, input: OperationInput): Input {
  const isTensorLike = typeof input === "object" && input !== null && "dataSync" in input;
  if (!isTensorLike) return input as Input;
  throw refuse(
    `input ${name} is a tensor of another copy of TensorFlow.js`,
    "let all packages share one @tensorflow/tfjs-core",
  );
}

function argumentOf(name: string, tensor: Tensor, kind: InputKind): Argument {
  const isFloat = tensor.dtype === "float32";
  if (!isFloat && tensor.dtype !== "int32")
    throw refuse(
      `input ${name} is ${written(tensor)}; programs take float32 and int32 tensors`,
      `convert it: ${name}.cast("float32")`,
    );
  const extra = tensor.rank - RANKS[kind];
  const isShared = extra === 0;
  if (!isShared && (extra !== 1 || kind === "integer"))
    throw refuse(
      `input ${name} is ${written(tensor)}, but it is declared as ${kind === "integer" ? "an" : "a"} ${kind}`,
      rankHelp(name, kind),
    );
  return { name, tensor, kind, isFloat, lanes: isShared ? undefined : tensor.shape[0] };
}

function rankHelp(name: string, kind: InputKind): string {
  if (kind === "integer") return "an integer is one number for all lanes: a tensor of rank 0";
  const rank = RANKS[kind];
  const declare =
    kind === "number" ? `; declare others: { inputs: { ${name}: "vector" } } or "matrix"` : "";
  return `give rank ${rank} to share it, rank ${rank + 1} for one ${kind} a lane${declare}`;
}

/** Length of a plain input's lane axis: an array has one value for each lane. */
const plainLanes = (input: Input): number | undefined =>
  Array.isArray(input) || input instanceof Float64Array || input instanceof Float32Array
    ? input.length
    : undefined;

function lanesOf(
  tensors: readonly Argument[],
  plain: ReadonlyMap<string, Input>,
): number | undefined {
  const all = [
    ...tensors.map(({ name, lanes }) => ({ name, lanes })),
    ...[...plain].map(([name, input]) => ({ name, lanes: plainLanes(input) })),
  ].filter((one) => one.lanes !== undefined);
  const widest = all.find(({ lanes }) => lanes !== 1) ?? all[0];
  for (const { name, lanes } of all)
    if (lanes !== 1 && lanes !== widest?.lanes)
      throw refuse(
        `input ${name} has ${lanes} lanes, but ${widest?.name} has ${widest?.lanes}`,
        "tensors with a lane axis must agree in it; use a tensor without one to share a value",
      );
  return widest?.lanes;
}

/** The numbers of a tensor as the program takes them. */
export function inputOf({ tensor, kind, lanes, name }: Argument, all: number | undefined): Input {
  const data = tensor.dataSync() as Float32Array | Int32Array;
  const numbers = data instanceof Float32Array ? data : Float64Array.from(data);
  if (kind === "integer") return integerOf(name, numbers[0] as number);
  const isShared = lanes === undefined || (lanes === 1 && all !== 1);
  const [rows = 1] = tensor.shape.slice(tensor.rank - RANKS[kind]);
  if (kind === "number") return isShared ? (numbers[0] as number) : numbers;
  if (isShared) return cellOf(kind, numbers, rows);
  const size = numbers.length / lanes;
  return Array.from({ length: lanes }, (_, lane) =>
    cellOf(kind, numbers.subarray(lane * size, (lane + 1) * size), rows),
  );
}

function integerOf(name: string, value: number): Input {
  if (Number.isInteger(value)) return int(value);
  throw refuse(
    `input ${name} is ${value}, but it is declared as an integer`,
    "give a whole number",
  );
}

const cellOf = (
  kind: "vector" | "matrix",
  numbers: Float32Array | Float64Array,
  rows: number,
): TensorInput => (kind === "vector" ? vec(numbers) : mat(numbers, rows));
