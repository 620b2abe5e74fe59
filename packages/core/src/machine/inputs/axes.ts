/**
 * Axes: a batch as a product of named axes.
 *
 * An input made by `over` varies along some axes and is shared along the others. Axes come in the
 * order in which the caller's inputs first name them, and lanes are their product, row-major: the
 * last axis changes fastest. An input keeps its own values; a stride says which of them a lane
 * takes, so that the product is never laid out in memory.
 *
 *   axes restart (4), data (3)     lane     0  1  2  3  4  5 … 11
 *   over("restart", [a b c d])     value    a  a  a  b  b  b …  d     { repeat: 3, size: 4, step: 1 }
 *   over("data", [u v w])          value    u  v  w  u  v  w …  w     { repeat: 1, size: 3, step: 1 }
 *
 * Plain arrays are one value per lane: one axis called "lane".
 */

import { NdvmError } from "../../errors.js";
import { describe, isTypedArray } from "../options.js";
import type { Axis, AxisIndices, Inputs, OverInput, TensorInput } from "../types.js";

type Numbers = Float64Array | Float32Array;

/** The axis of plain arrays. */
const LANE_AXIS = "lane";

/**
 * An input that varies along named axes: one value per index, or, for several axes, row-major
 * values. `sizes` is needed only where the other inputs leave more than one size open.
 */
export function over(
  axes: string | readonly string[],
  values: readonly number[] | Numbers | readonly TensorInput[],
  options: { readonly sizes?: Readonly<Record<string, number>> } = {},
): OverInput {
  const names = typeof axes === "string" ? [axes] : [...axes];
  if (names.length === 0 || names.some((name) => typeof name !== "string" || name === ""))
    throw new NdvmError("E-INPUT", "over needs the name of an axis, or a list of names", {
      help: 'for example over("data", [1, 2, 3])',
    });
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined)
    throw new NdvmError("E-INPUT", `over names the axis ${twice} twice`, {
      help: "an input has every axis once",
    });
  if (!Array.isArray(values) && !isTypedArray(values))
    throw new NdvmError("E-INPUT", `the values over ${names.join(" × ")} are not an array`, {
      help: "give a list or a typed array, one value per index of the axis",
    });
  if (Array.isArray(values)) checkValues(names, values);
  return { kind: "over", axes: names, values, sizes: options.sizes };
}

/** Throws where a value is neither a number nor a tensor of the shape of the others. */
function checkValues(names: readonly string[], values: readonly unknown[]): void {
  const form = (value: unknown): string => {
    if (typeof value === "number") return "a number";
    const { kind, rank, rows, cols } = (value ?? {}) as Partial<TensorInput>;
    if (kind !== "tensor") return describe(value);
    return rank === 1 ? `a vector of ${rows}` : `a matrix of ${rows} × ${cols}`;
  };
  // By index: an array with holes has places without a value.
  for (let i = 0; i < values.length; i++) {
    const own = form(values[i]);
    const isKnown = typeof values[i] === "number" || /^a (vector|matrix) /.test(own);
    if (isKnown && own === form(values[0])) continue;
    const other = isKnown ? `value 0 is ${form(values[0])}` : "not a number, vector or matrix";
    throw new NdvmError("E-INPUT", `value ${i} over ${names.join(" × ")} is ${own}, ${other}`, {
      help: "values are numbers, or vec(…) or mat(…) of one shape",
    });
  }
}

export function isOver(input: unknown): input is OverInput {
  return typeof input === "object" && input !== null && (input as OverInput).kind === "over";
}

/** One axis of an input, or several neighbouring ones: lane → (lane / repeat) mod size, · step. */
export interface StrideTerm {
  readonly repeat: number;
  readonly size: number;
  readonly step: number;
}

/** Which of an input's own values a lane takes: the sum of its terms at lane + offset. */
export interface Stride {
  readonly terms: readonly StrideTerm[];
  /** Lanes of the whole batch that come before lane 0 of this run. */
  readonly offset: number;
}

/** The index of a lane's value among an input's own. */
export function strideIndex({ terms, offset }: Stride, lane: number): number {
  let index = 0;
  for (const { repeat, size, step } of terms)
    index += (Math.floor((lane + offset) / repeat) % size) * step;
  return index;
}

/**
 * Copies the values that lanes from … below to take into `into` at `at`. Values that stay the same
 * for several lanes in a row are filled, values that change with every lane are moved in blocks.
 */
export function writeStrided(
  values: Numbers | readonly number[],
  stride: Stride,
  lanes: { readonly from: number; readonly to: number },
  into: Numbers,
  at: number,
): void {
  const { from, to } = lanes;
  const last = stride.terms.at(-1);
  let lane = from;
  while (lane < to) {
    const index = strideIndex(stride, lane);
    const place = last === undefined ? 0 : (lane + stride.offset) % (last.repeat * last.size);
    if (last === undefined || last.repeat > 1) {
      const span = last === undefined ? to : lane + last.repeat - (place % last.repeat);
      const end = Math.min(to, span);
      into.fill(values[index] as number, at + lane - from, at + end - from);
      lane = end;
      continue;
    }
    const end = Math.min(to, lane + last.size - place);
    for (let i = 0; i < end - lane; i++)
      into[at + lane - from + i] = values[index + i * last.step] as number;
    lane = end;
  }
}

/** An axis whose size is known, and the input that told it. */
interface Known {
  readonly size: number;
  readonly source: string;
}

/**
 * The axes of a run, in the order the inputs first name them. Undefined where no input is over a
 * named axis.
 */
export function resolveAxes(inputs: Inputs): readonly Axis[] | undefined {
  const named = Object.entries(inputs).filter((entry): entry is [string, OverInput] =>
    isOver(entry[1]),
  );
  if (named.length === 0) return undefined;
  refusePlainArrays(inputs, named[0] as [string, OverInput]);
  const known = new Map<string, Known>();
  for (const [name, { axes, sizes = {} }] of named)
    for (const axis of axes) {
      const size = Object.hasOwn(sizes, axis) ? sizes[axis] : undefined;
      if (size !== undefined) learn(known, axis, checkSize(name, axis, size), name);
    }
  // Inputs over one axis know its size; what is left open follows from the others.
  const single = named.filter(([, { axes }]) => axes.length === 1);
  for (const [name, input] of single) inferSize(known, name, input);
  while (named.some(([name, input]) => inferSize(known, name, input)));
  for (const [name, input] of named) checkProduct(known, name, input);
  const order = new Set(named.flatMap(([, { axes }]) => axes));
  return [...order].map((name) => ({ name, size: (known.get(name) as Known).size }));
}

function refusePlainArrays(inputs: Inputs, [first, { axes }]: [string, OverInput]): void {
  for (const [name, input] of Object.entries(inputs)) {
    if (!Array.isArray(input) && !ArrayBuffer.isView(input)) continue;
    throw new NdvmError(
      "E-INPUT",
      `input ${name} is a plain array, but input ${first} is over the axis ${axes[0]}`,
      {
        help: `say which axis ${name} varies along: over("${axes[0]}", …); vec(…) is a vector`,
      },
    );
  }
}

function checkSize(input: string, axis: string, size: number): number {
  if (Number.isInteger(size) && size >= 1) return size;
  throw new NdvmError("E-INPUT", `input ${input} gives the axis ${axis} the size ${size}`, {
    help: "sizes are whole numbers from 1",
  });
}

function learn(known: Map<string, Known>, axis: string, size: number, source: string): void {
  const other = known.get(axis);
  if (other === undefined) known.set(axis, { size, source });
  else if (other.size !== size)
    throw new NdvmError(
      "E-INPUT",
      `the axis ${axis} has ${size} values in input ${source}, but ${other.size} in input ` +
        other.source,
      { help: "inputs over one axis have as many values; give another axis another name" },
    );
}

/** Learns the size of an input's only axis of unknown size; whether it did. */
function inferSize(known: Map<string, Known>, name: string, input: OverInput): boolean {
  const { axes, values } = input;
  if (values.length === 0)
    throw new NdvmError("E-INPUT", `input ${name} has no values over ${axes.join(" × ")}`, {
      help: "an axis has at least one value",
    });
  if (axes.length === 1) {
    const axis = axes[0] as string;
    const isNew = !known.has(axis);
    learn(known, axis, values.length, name);
    return isNew;
  }
  const open = axes.filter((axis) => !known.has(axis));
  if (open.length !== 1) return false;
  const others = axes.reduce((product, axis) => product * (known.get(axis)?.size ?? 1), 1);
  if (values.length % others !== 0) throw unequalProduct(known, name, input);
  learn(known, open[0] as string, values.length / others, name);
  return true;
}

function checkProduct(known: ReadonlyMap<string, Known>, name: string, input: OverInput): void {
  const open = input.axes.filter((axis) => !known.has(axis));
  if (open.length > 0)
    throw new NdvmError(
      "E-INPUT",
      `the sizes of the axes ${open.join(" and ")} of input ${name} are not known`,
      { help: `give one: over([…], values, { sizes: { ${open[0]}: … } })` },
    );
  const product = input.axes.reduce((so, axis) => so * (known.get(axis) as Known).size, 1);
  if (product !== input.values.length) throw unequalProduct(known, name, input);
}

function unequalProduct(
  known: ReadonlyMap<string, Known>,
  name: string,
  { axes, values }: OverInput,
): NdvmError {
  const sizes = axes.map((axis) => {
    const one = known.get(axis);
    return one === undefined ? axis : `${axis} (${one.size}, from ${one.source})`;
  });
  return new NdvmError(
    "E-INPUT",
    `input ${name} has ${values.length} values, which do not make ${sizes.join(" × ")}`,
    { help: "values over several axes are row-major: one for every combination of indices" },
  );
}

export const productOf = (axes: readonly Axis[]): number =>
  axes.reduce((product, { size }) => product * size, 1);

/**
 * How an input over `own` axes lies in the product of all axes. Undefined where it has a value per
 * lane in the order of the lanes.
 */
export function strideOf(all: readonly Axis[], own: readonly string[]): Stride | undefined {
  const lanes = productOf(all);
  // The usual case: an axis as long as the product, the others having one place.
  if (own.length === 1 && sizeOf(all, own[0] as string) === lanes) return undefined;
  const terms: StrideTerm[] = [];
  let repeat = lanes;
  for (const { name, size } of all) {
    repeat /= size;
    const at = own.indexOf(name);
    if (at < 0 || size === 1) continue;
    const step = own.slice(at + 1).reduce((so, axis) => so * sizeOf(all, axis), 1);
    const before = terms.at(-1);
    // Neighbours in the product that are neighbours in the input count as one long axis.
    if (before !== undefined && before.repeat === repeat * size && before.step === step * size)
      terms[terms.length - 1] = { repeat, size: before.size * size, step };
    else terms.push({ repeat, size, step });
  }
  const [only] = terms;
  const isPlain = lanes === 1 || (terms.length === 1 && only?.size === lanes && only.step === 1);
  return isPlain ? undefined : { terms, offset: 0 };
}

const sizeOf = (axes: readonly Axis[], name: string): number =>
  axes.find((axis) => axis.name === name)?.size ?? 1;

/** The axes of a run without named ones. */
export const plainAxes = (lanes: number, hasLanes: boolean): readonly Axis[] =>
  hasLanes ? [{ name: LANE_AXIS, size: lanes }] : NO_AXES;

const NO_AXES: readonly Axis[] = [];

/** The lane at an index along every axis. */
export function laneOf(axes: readonly Axis[], place: AxisIndices): number {
  for (const name of Object.keys(place)) {
    if (axes.some((axis) => axis.name === name)) continue;
    throw new NdvmError("E-OPTION", `the run has no axis ${name}`, { help: axesInWords(axes) });
  }
  let lane = 0;
  for (const { name, size } of axes) {
    const index = Object.hasOwn(place, name) ? place[name] : size === 1 ? 0 : undefined;
    if (index === undefined)
      throw new NdvmError("E-OPTION", `the place says nothing about the axis ${name}`, {
        help: axesInWords(axes),
      });
    if (!Number.isInteger(index) || index < 0 || index >= size)
      throw new NdvmError("E-OPTION", `the axis ${name} has no index ${index}`, {
        help: axesInWords(axes),
      });
    lane = lane * size + index;
  }
  return lane;
}

const axesInWords = (axes: readonly Axis[]): string =>
  axes.length === 0
    ? "nothing varies in this run: it has one lane and no axes"
    : `its axes are ${axes.map(({ name, size }) => `${name} (0 to ${size - 1})`).join(", ")}`;
