/**
 * Inputs: the caller's numbers, checked and laid into the machine's memory.
 */

import { NdvmError } from "../errors.js";
import { nearest } from "../syntax/suggest.js";
import type { Exports } from "./instance.js";
import type { Input, Inputs, IntInput, TensorInput } from "./types.js";

/** A vector input shared by all lanes. */
export function vec(values: readonly number[] | Float64Array | Float32Array): TensorInput {
  return { kind: "tensor", rank: 1, rows: values.length, cols: 1, data: numbersOf(values) };
}

/** A matrix input shared by all lanes, from its rows, or from row-major numbers and row count. */
export function mat(
  rows: readonly (readonly number[] | Float64Array | Float32Array)[],
): TensorInput;
export function mat(values: Float64Array | Float32Array, rows: number): TensorInput;
export function mat(
  values:
    | readonly (readonly number[] | Float64Array | Float32Array)[]
    | Float64Array
    | Float32Array,
  rowCount?: number,
): TensorInput {
  if (values instanceof Float64Array || values instanceof Float32Array) {
    const rows = rowCount ?? 1;
    if (!Number.isInteger(rows) || rows < 1 || values.length % rows !== 0)
      throw new NdvmError("E-INPUT", `${values.length} numbers do not make ${rows} equal rows`);
    return { kind: "tensor", rank: 2, rows, cols: values.length / rows, data: values };
  }
  const cols = values[0]?.length ?? 0;
  const data = new Float64Array(values.length * cols);
  values.forEach((row, i) => {
    if (row.length !== cols)
      throw new NdvmError(
        "E-INPUT",
        `row ${i} of a matrix has ${row.length} numbers, row 0 has ${cols}`,
      );
    data.set(numbersOf(row), i * cols);
  });
  return { kind: "tensor", rank: 2, rows: values.length, cols, data };
}

const INT_MAX = 2 ** 24;

/** A structural integer: a step count or a size, the same in every lane, never differentiated. */
export function int(value: number): IntInput {
  if (!Number.isInteger(value) || Math.abs(value) > INT_MAX)
    throw new NdvmError("E-INPUT", `int takes a whole number up to 2^24, got ${value}`);
  return { kind: "int", value };
}

type Numbers = Float64Array | Float32Array;

function numbersOf(values: readonly number[] | Numbers): Numbers {
  if (values instanceof Float64Array || values instanceof Float32Array) return values;
  for (let i = 0; i < values.length; i++) {
    if (typeof values[i] !== "number")
      throw new NdvmError("E-INPUT", `element ${i} is ${describe(values[i])}, not a number`);
  }
  return Float64Array.from(values);
}

const describe = (value: unknown): string =>
  value === null ? "null" : Array.isArray(value) ? "an array" : `a ${typeof value}`;

/** An input as the machine takes it. */
export interface Bound {
  readonly name: string;
  readonly kind: "int" | "numbers";
  readonly value: number;
  readonly rank: number;
  readonly rows: number;
  readonly cols: number;
  /** One entry: shared. Otherwise one per lane: a number array, or a tensor each. */
  readonly shared: Numbers | undefined;
  readonly perLane: Numbers | readonly number[] | undefined;
  readonly tensors: readonly TensorInput[] | undefined;
}

const boundInt = (name: string, value: number): Bound => ({
  name,
  kind: "int",
  value,
  rank: 0,
  rows: 1,
  cols: 1,
  shared: undefined,
  perLane: undefined,
  tensors: undefined,
});

const boundNumbers = (
  name: string,
  { rank, rows, cols }: { rank: number; rows: number; cols: number },
  source: {
    value?: number;
    shared?: Numbers;
    perLane?: Bound["perLane"];
    tensors?: Bound["tensors"];
  },
): Bound => ({
  name,
  kind: "numbers",
  value: source.value ?? 0,
  rank,
  rows,
  cols,
  shared: source.shared,
  perLane: source.perLane,
  tensors: source.tensors,
});

const SCALAR = { rank: 0, rows: 1, cols: 1 };

function isTensor(value: unknown): value is TensorInput {
  return typeof value === "object" && value !== null && (value as TensorInput).kind === "tensor";
}

function bindOne(name: string, input: Input): Bound {
  if (typeof input === "number") return boundNumbers(name, SCALAR, { value: input });
  if (input instanceof Float64Array || input instanceof Float32Array)
    return boundNumbers(name, SCALAR, { perLane: input });
  if (Array.isArray(input)) return bindArray(name, input);
  if (isTensor(input)) return boundNumbers(name, input, { shared: input.data });
  if (typeof input === "object" && input !== null && (input as IntInput).kind === "int")
    return boundInt(name, (input as IntInput).value);
  throw new NdvmError("E-INPUT", `input ${name} is ${describe(input)}, not a number`, {
    help: "give a number, an array of numbers (one per lane), vec(…), mat(…) or int(…)",
  });
}

function bindArray(name: string, input: readonly unknown[]): Bound {
  if (!isTensor(input[0])) {
    input.forEach((value, lane) => {
      if (typeof value === "number") return;
      const help = Array.isArray(value) ? "wrap a vector as vec([…])" : undefined;
      const message = `input ${name} in lane ${lane} is ${describe(value)}, not a number`;
      throw new NdvmError("E-INPUT", message, { help });
    });
    return boundNumbers(name, SCALAR, { perLane: input as readonly number[] });
  }
  const first = input[0];
  input.forEach((value, lane) => {
    const fits =
      isTensor(value) &&
      value.rank === first.rank &&
      value.rows === first.rows &&
      value.cols === first.cols;
    if (fits) return;
    throw new NdvmError(
      "E-INPUT",
      `input ${name} has another shape in lane ${lane} than in lane 0`,
    );
  });
  return boundNumbers(name, first, { tensors: input as readonly TensorInput[] });
}

const laneCount = (bound: Bound): number | undefined =>
  bound.perLane?.length ?? bound.tensors?.length;

export interface BoundInputs {
  readonly inputs: readonly Bound[];
  readonly lanes: number;
}

/** Checks the caller's inputs against the program's and settles the number of lanes. */
export function bindInputs(
  names: readonly string[],
  inputs: Inputs,
  lanesWanted: number | undefined,
): BoundInputs {
  for (const name of Object.keys(inputs)) {
    if (!names.includes(name)) throw unknownInput(name, names);
  }
  let lanes = lanesWanted;
  let laneSource = "the option lanes";
  const bound = names.map((name) => {
    const input = inputs[name];
    if (input === undefined) throw missingInput(name, names);
    const one = bindOne(name, input);
    const count = laneCount(one);
    if (count === 0) throw new NdvmError("E-INPUT", `input ${name} is an empty array: no lanes`);
    if (count !== undefined && lanes !== undefined && count !== lanes)
      throw unequalLanes(name, count, laneSource, lanes);
    if (count !== undefined && lanes === undefined) {
      lanes = count;
      laneSource = name;
    }
    return one;
  });
  if (lanes !== undefined && (!Number.isInteger(lanes) || lanes < 1))
    throw new NdvmError("E-OPTION", `lanes must be a whole number from 1, got ${lanes}`);
  return { inputs: bound, lanes: lanes ?? 1 };
}

function unknownInput(name: string, names: readonly string[]): NdvmError {
  const known = names.length === 0 ? "it has none" : `its inputs are ${names.join(", ")}`;
  const close = nearest(name, names);
  return new NdvmError("E-INPUT", `the program has no input ${name}: ${known}`, {
    help: close === undefined ? undefined : `did you mean ${close}?`,
  });
}

function missingInput(name: string, names: readonly string[]): NdvmError {
  return new NdvmError("E-INPUT", `input ${name} has no value`, {
    help: `the program's inputs are its free names: ${names.join(", ")}`,
  });
}

function unequalLanes(name: string, count: number, other: string, lanes: number): NdvmError {
  return new NdvmError("E-INPUT", `input ${name} has ${count} lanes, but ${other} has ${lanes}`, {
    help: "arrays are one value per lane; use vec(…) for a vector that all lanes share",
  });
}

/** Views of the machine's memory as reals, taken fresh when it has grown. */
export class Reals {
  readonly bytes: 4 | 8;
  readonly #exports: Exports;
  #view: Numbers;

  constructor(exports: Exports, bytes: 4 | 8) {
    this.#exports = exports;
    this.bytes = bytes;
    this.#view = this.#fresh();
  }

  #fresh(): Numbers {
    const { buffer } = this.#exports.memory;
    return this.bytes === 4 ? new Float32Array(buffer) : new Float64Array(buffer);
  }

  /** All of memory as numbers; valid until the machine is called again. */
  view(): Numbers {
    if (this.#view.buffer !== this.#exports.memory.buffer) this.#view = this.#fresh();
    return this.#view;
  }
}
