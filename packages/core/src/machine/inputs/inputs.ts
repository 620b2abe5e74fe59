/**
 * Inputs: the caller's numbers, checked and laid into the machine's memory.
 */

import { NdvmError } from "../../errors.js";
import { nearest } from "../../nearest.js";
import type { ParsedProgram } from "../../program/parsed-program.js";
import { makeError } from "../../words.js";
import type { Exports } from "../instance.js";
import { describe, LANES_MAX, shown } from "../options.js";
import type { Axis, Input, Inputs, IntInput, OverInput, TensorInput } from "../types.js";
import {
  isOver,
  plainAxes,
  productOf,
  resolveAxes,
  type Stride,
  strideIndex,
  strideOf,
} from "./axes.js";

/** A vector input shared by all lanes. */
export function vec(values: readonly number[] | Float64Array | Float32Array): TensorInput {
  const data = numbersOf(values, "vec");
  return { kind: "tensor", rank: 1, rows: data.length, cols: 1, data };
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
    const isCount = Number.isInteger(rows) && rows >= 1;
    // Any number of rows divides no numbers.
    if (!isCount || rows > Math.max(values.length, INT_MAX) || values.length % rows !== 0)
      throw new NdvmError("E-INPUT", `${values.length} numbers do not make ${rows} equal rows`, {
        help: "mat(numbers, rows) takes a row count that divides the count of the numbers",
      });
    return { kind: "tensor", rank: 2, rows, cols: values.length / rows, data: values };
  }
  if (!Array.isArray(values))
    throw new NdvmError("E-INPUT", `mat takes an array of rows, got ${describe(values)}`, {
      help: "write mat([[1, 2], [3, 4]]), or mat(numbers, rows) with a Float64Array",
    });
  const rows = Array.from(values as readonly (readonly number[])[], (row) => numbersOf(row, "mat"));
  const cols = rows[0]?.length ?? 0;
  const data = new Float64Array(rows.length * cols);
  rows.forEach((row, i) => {
    if (row.length !== cols) throw unequalRows(i, row.length, cols);
    data.set(row, i * cols);
  });
  return { kind: "tensor", rank: 2, rows: rows.length, cols, data };
}

function unequalRows(row: number, length: number, cols: number): NdvmError {
  const message = `row ${row} of a matrix has ${length} numbers, row 0 has ${cols}`;
  return new NdvmError("E-INPUT", message, { help: "all rows of a matrix are of one length" });
}

const INT_MAX = 2 ** 24;

/** A structural integer: a step count or a size, the same in every lane, never differentiated. */
export function int(value: number): IntInput {
  if (!Number.isInteger(value) || Math.abs(value) > INT_MAX)
    throw new NdvmError("E-INPUT", `int takes a whole number up to 2^24, got ${shown(value)}`, {
      help: "pass a plain number where it may have a fraction",
    });
  return { kind: "int", value };
}

type Numbers = Float64Array | Float32Array;

function numbersOf(values: readonly number[] | Numbers, maker: "vec" | "mat"): Numbers {
  if (values instanceof Float64Array || values instanceof Float32Array) return values;
  const help = `${maker === "vec" ? "vec([1, 2])" : "mat([[1, 2], [3, 4]])"} takes arrays of numbers`;
  if (!Array.isArray(values))
    throw new NdvmError("E-INPUT", `${maker} got ${describe(values)} for an array`, { help });
  for (let i = 0; i < values.length; i++) {
    if (typeof values[i] !== "number")
      throw new NdvmError("E-INPUT", `element ${i} is ${describe(values[i])}, not a number`, {
        help,
      });
  }
  return Float64Array.from(values);
}

/** An input as the machine takes it. */
export interface BoundInput {
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
  /** Which of them a lane takes, where that is not simply its own number. */
  readonly stride: Stride | undefined;
  /** Names of the axes it varies along; none: shared. */
  readonly axes: readonly string[];
}

/**
 * A part of a larger batch, as a pool hands it to a worker: an input's own values, and where in the
 * batch these lanes lie.
 */
export interface PartInput {
  readonly kind: "part";
  readonly lanes: number;
  readonly stride: Stride;
  readonly values: OverInput["values"];
}

const bindInt = (name: string, value: number): BoundInput => ({
  name,
  kind: "int",
  value,
  rank: 0,
  rows: 1,
  cols: 1,
  shared: undefined,
  perLane: undefined,
  tensors: undefined,
  stride: undefined,
  axes: [],
});

const bindNumbers = (
  name: string,
  { rank, rows, cols }: { rank: number; rows: number; cols: number },
  source: {
    value?: number;
    shared?: Numbers;
    perLane?: BoundInput["perLane"];
    tensors?: BoundInput["tensors"];
  },
): BoundInput => ({
  name,
  kind: "numbers",
  value: source.value ?? 0,
  rank,
  rows,
  cols,
  shared: source.shared,
  perLane: source.perLane,
  tensors: source.tensors,
  stride: undefined,
  axes: source.perLane === undefined && source.tensors === undefined ? [] : ["lane"],
});

/** A number that all lanes share. */
export const bindShared = (name: string, value: number): BoundInput => ({
  name,
  kind: "numbers",
  value,
  rank: 0,
  rows: 1,
  cols: 1,
  shared: undefined,
  perLane: undefined,
  tensors: undefined,
  stride: undefined,
  axes: NO_AXES,
});

const NO_AXES: readonly string[] = [];

/** Numbers along some of the axes of a run. */
export const bindOver = (
  name: string,
  perLane: Numbers,
  axes: readonly Axis[],
  own: readonly string[],
): BoundInput => ({
  name,
  kind: "numbers",
  value: 0,
  rank: 0,
  rows: 1,
  cols: 1,
  shared: undefined,
  perLane,
  tensors: undefined,
  stride: strideOf(axes, own),
  axes: own,
});

const SCALAR = { rank: 0, rows: 1, cols: 1 };

function isTensor(value: unknown): value is TensorInput {
  return typeof value === "object" && value !== null && (value as TensorInput).kind === "tensor";
}

function bindOne(name: string, input: Input, axes: readonly Axis[]): BoundInput {
  if (isOver(input)) {
    const bound = bindValues(name, input.values);
    return { ...bound, axes: input.axes, stride: strideOf(axes, input.axes) };
  }
  if (isPart(input)) return { ...bindValues(name, input.values), stride: input.stride };
  if (typeof input === "number") return bindNumbers(name, SCALAR, { value: input });
  if (input instanceof Float64Array || input instanceof Float32Array)
    return bindNumbers(name, SCALAR, { perLane: input });
  if (Array.isArray(input)) return bindArray(name, input);
  if (isTensor(input)) return bindNumbers(name, input, { shared: input.data });
  if (typeof input === "object" && input !== null && (input as IntInput).kind === "int")
    return bindInt(name, (input as IntInput).value);
  throw new NdvmError("E-INPUT", `input ${name} is ${describe(input)}, not a number`, {
    help: "give a number, an array of numbers (one per lane), vec(…), mat(…) or int(…)",
  });
}

const ARRAY_HELP = "an array has one value per lane: numbers, or vec(…) or mat(…) of one shape";

function isPart(input: unknown): input is PartInput {
  return typeof input === "object" && input !== null && (input as PartInput).kind === "part";
}

const bindValues = (name: string, values: OverInput["values"]): BoundInput =>
  values instanceof Float64Array || values instanceof Float32Array
    ? bindNumbers(name, SCALAR, { perLane: values })
    : bindArray(name, values);

function bindArray(name: string, input: readonly unknown[]): BoundInput {
  const first = input[0];
  const isOfTensors = isTensor(first);
  // By index: an array with holes has lanes without a value.
  for (let lane = 0; lane < input.length; lane++) {
    const value = input[lane];
    if (isOfTensors ? sameForm(value, first) : typeof value === "number") continue;
    throw badLane(name, lane, value, isOfTensors);
  }
  return isOfTensors
    ? bindNumbers(name, first, { tensors: input as readonly TensorInput[] })
    : bindNumbers(name, SCALAR, { perLane: input as readonly number[] });
}

const sameForm = (value: unknown, first: TensorInput): boolean =>
  isTensor(value) &&
  value.rank === first.rank &&
  value.rows === first.rows &&
  value.cols === first.cols;

function badLane(name: string, lane: number, value: unknown, isOfTensors: boolean): NdvmError {
  if (isOfTensors && isTensor(value)) {
    const message = `input ${name} has another shape in lane ${lane} than in lane 0`;
    return new NdvmError("E-INPUT", message, { help: ARRAY_HELP });
  }
  const wanted = isOfTensors ? "a vector or matrix as in lane 0" : "a number";
  const message = `input ${name} in lane ${lane} is ${describe(value)}, not ${wanted}`;
  const help = Array.isArray(value) ? "wrap a vector as vec([…])" : ARRAY_HELP;
  return new NdvmError("E-INPUT", message, { help });
}

function laneCount(bound: BoundInput, input: Input, lanes: number | undefined): number | undefined {
  if (isOver(input)) return lanes;
  if (isPart(input)) return input.lanes;
  return bound.perLane?.length ?? bound.tensors?.length;
}

export interface BoundInputs {
  readonly inputs: readonly BoundInput[];
  readonly lanes: number;
  readonly axes: readonly Axis[];
}

/** What binding needs to know of a program. */
type Taker = Pick<ParsedProgram, "inputs" | "inputSpan" | "constants">;

/** Checks the caller's inputs against the program's and settles the number of lanes. */
export function bindInputs(
  program: Taker,
  inputs: Inputs,
  lanesWanted: number | undefined,
): BoundInputs {
  const names = program.inputs;
  if (typeof inputs !== "object" || inputs === null)
    throw new NdvmError("E-INPUT", `inputs are an object, got ${describe(inputs)}`, {
      help: "give them by name: { a: 1, b: [1, 2] }",
    });
  const plain = bindPlain(names, inputs, lanesWanted);
  if (plain !== undefined) return plain;
  const known = new Set(names);
  for (const name of Object.keys(inputs)) if (!known.has(name)) throw unknownInput(name, program);
  const axes = resolveAxes(inputs);
  const product = axes && productOf(axes);
  if (product !== undefined) checkProductLanes(product, lanesWanted);
  let lanes = lanesWanted;
  let laneSource = "the option lanes";
  const bound = names.map((name) => {
    const input = Object.hasOwn(inputs, name) ? inputs[name] : undefined;
    if (input === undefined) throw missingInput(name, program);
    const one = bindOne(name, input, axes ?? []);
    const count = laneCount(one, input, product);
    if (count !== undefined && (count === 0 || count > LANES_MAX)) throw badLaneCount(name, count);
    if (count !== undefined && lanes !== undefined && count !== lanes)
      throw unequalLanes(name, count, laneSource, lanes);
    if (count !== undefined && lanes === undefined) {
      lanes = count;
      laneSource = name;
    }
    return one;
  });
  return { inputs: bound, lanes: lanes ?? 1, axes: axes ?? plainAxes(lanes ?? 1, !!lanes) };
}

/** Numbers that all lanes share, one for each name and no others; undefined for all else. */
function bindPlain(
  names: readonly string[],
  inputs: Inputs,
  lanes: number | undefined,
): BoundInputs | undefined {
  let count = 0;
  for (const _name in inputs) count += 1;
  if (count !== names.length) return undefined;
  const bound: BoundInput[] = [];
  for (const name of names) {
    const value = Object.hasOwn(inputs, name) ? inputs[name] : undefined;
    if (typeof value !== "number") return undefined;
    bound.push(bindShared(name, value));
  }
  return { inputs: bound, lanes: lanes ?? 1, axes: plainAxes(lanes ?? 1, lanes !== undefined) };
}

/** An input for some of its lanes. */
export function selectLanes(input: BoundInput, lanes: readonly number[]): BoundInput {
  const { perLane, tensors, stride } = input;
  const places = stride === undefined ? lanes : lanes.map((lane) => strideIndex(stride, lane));
  return {
    ...input,
    perLane: perLane && places.map((place) => perLane[place] as number),
    tensors: tensors && places.map((place) => tensors[place] as TensorInput),
    stride: undefined,
  };
}

function checkProductLanes(product: number, wanted: number | undefined): void {
  if (product > LANES_MAX)
    throw new NdvmError("E-INPUT", `the axes make ${product} lanes, more than ${LANES_MAX}`, {
      help: "run the lanes in several parts",
    });
  if (wanted !== undefined && wanted !== product)
    throw new NdvmError("E-OPTION", `lanes is ${wanted}, but the axes make ${product}`, {
      help: "leave the option lanes out: the inputs' axes say it",
    });
}

/** A number that all lanes share as the number of the only one. */
export function ownNumber(input: BoundInput): BoundInput {
  const { kind, rank, perLane, value } = input;
  return kind === "int" || rank > 0 || perLane !== undefined
    ? input
    : { ...input, perLane: [value] };
}

/** An input whose numbers nobody else can change. */
export function copyNumbers(input: BoundInput): BoundInput {
  const { shared, perLane, tensors } = input;
  return {
    ...input,
    shared: shared?.slice(),
    perLane: perLane?.slice(),
    tensors: tensors?.map((tensor) => ({ ...tensor, data: tensor.data.slice() })),
  };
}

function badLaneCount(name: string, count: number): NdvmError {
  if (count > LANES_MAX)
    return new NdvmError("E-INPUT", `input ${name} has ${count} lanes, more than ${LANES_MAX}`, {
      help: "run the lanes in several parts",
    });
  return new NdvmError("E-INPUT", `input ${name} is an empty array: no lanes`, {
    help: ARRAY_HELP,
  });
}

function unknownInput(name: string, { inputs: names, constants }: Taker): NdvmError {
  if (constants.includes(name))
    return makeError(
      "E-INPUT",
      { reason: "builtin", names: [name] },
      { message: `${name} is a constant of the language here, not an input` },
    );
  const known = names.length === 0 ? "it has none" : `its inputs are ${names.join(", ")}`;
  const close = nearest(name, names);
  return new NdvmError("E-INPUT", `the program has no input ${name}: ${known}`, {
    help: close === undefined ? undefined : `did you mean ${close}?`,
  });
}

function missingInput(name: string, taker: Taker): NdvmError {
  return new NdvmError("E-INPUT", `input ${name} has no value`, {
    span: taker.inputSpan(name),
    facts: { reason: "input", names: [name], expected: taker.inputs.join(", ") },
    help: `the program's inputs are its free names: ${taker.inputs.join(", ")}`,
  });
}

function unequalLanes(name: string, count: number, other: string, lanes: number): NdvmError {
  return new NdvmError("E-INPUT", `input ${name} has ${count} lanes, but ${other} has ${lanes}`, {
    facts: { reason: "lanes", names: [name, other], value: count, limit: lanes },
    help: "arrays are one value per lane; use vec(…) for a vector that all lanes share",
  });
}

/**
 * Views of the machine's memory as reals, taken fresh when it has grown: then the old ones have no
 * length any more. Asking the memory for its buffer costs more than a small chunk's numbers.
 */
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
    if (this.#view.length === 0) this.#view = this.#fresh();
    return this.#view;
  }
}

/** All of memory as doubles and as words, taken fresh when it has grown. */
export class Views {
  readonly #exports: Exports;
  #doubles: Float64Array;
  #words: Int32Array;

  constructor(exports: Exports) {
    this.#exports = exports;
    this.#doubles = new Float64Array(exports.memory.buffer);
    this.#words = new Int32Array(exports.memory.buffer);
  }

  get doubles(): Float64Array {
    if (this.#doubles.length === 0) this.#doubles = new Float64Array(this.#exports.memory.buffer);
    return this.#doubles;
  }

  get words(): Int32Array {
    if (this.#words.length === 0) this.#words = new Int32Array(this.#exports.memory.buffer);
    return this.#words;
  }
}
