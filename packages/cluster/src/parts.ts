/**
 * Parts of a population: how its lanes are cut, what is sent of each part, and how results are put
 * together in the order of their lanes.
 *
 * A lane's bits do not depend on who runs beside it, and sums over lanes are made here, of all lanes
 * in one fixed order, so cutting does not show in the result.
 */

import {
  type GradientOptions,
  gradientPart,
  type Input,
  type Inputs,
  type LaneFailure,
  type MachineOptions,
  makeError,
  NdvmError,
  type PackedError,
  type Program,
  packError,
  type Reduced,
  recordOf,
  reduceGradients,
  type TensorInput,
  unpackError,
} from "@ndvm/core";

/** Lanes of a part: some hundred milliseconds of a program of middling size. */
export const PART_LANES = 8192;
/** Most lanes of one run, as of one machine. */
const LANES_MAX = 2 ** 24;
/** What a machine calls the axis of inputs that have one value for each lane. */
const LANE_AXIS = "lane";

/** Values and gradients of a population, lane after lane. */
export interface Population {
  readonly lanes: number;
  readonly shape: readonly number[];
  readonly values: Float64Array;
  /** Per lane, or summed where `reduce` says so. */
  readonly gradients: Readonly<Record<string, Float64Array>>;
  /** What `reduce` did. Undefined without it. */
  readonly reduced: Reduced | undefined;
  /** Lanes that failed: their values and gradients are NaN. */
  readonly failures: readonly LaneFailure[];
}

export interface PartJob {
  readonly machine: MachineOptions;
  readonly source: string;
  readonly load: object;
  readonly inputs: readonly (readonly [string, PartInput])[];
  readonly options: GradientOptions;
}

/** Numbers of lanes as one array; what all lanes share as it is. */
type PartInput =
  | { readonly lanes: Float64Array }
  | { readonly tensors: readonly TensorInput[] }
  | { readonly shared: Input };

/** What a part came to, or why the call is refused. */
export type PartResult = { readonly index: number } & (
  | { readonly refusal: PackedError }
  | FinishedPart
);

interface FinishedPart {
  readonly lanes: number;
  /** Undefined where every lane failed; then there are no values either. */
  readonly shape: readonly number[] | undefined;
  readonly values: Float64Array | undefined;
  readonly gradients: readonly (readonly [string, Float64Array])[];
  readonly errors: readonly PackedError[];
  /** Lanes that failed, by their number in the part, and which of the errors each has. */
  readonly failures: readonly (readonly [lane: number, error: number])[];
}

type ArrayInput = readonly number[] | Float64Array | Float32Array | readonly TensorInput[];

const isArray = (input: Input): input is ArrayInput =>
  Array.isArray(input) || input instanceof Float64Array || input instanceof Float32Array;

/** How many lanes a population has; undefined where neither an input nor an option says it. */
export function lanesOf(inputs: Inputs, wanted: number | undefined): number | undefined {
  if (typeof inputs !== "object" || inputs === null)
    throw new NdvmError("E-INPUT", "the inputs are not an object", {
      help: "give them by name: { a: 1, x: [1, 2, 3] }",
    });
  if (wanted !== undefined) checkLanes(wanted);
  let lanes = wanted;
  for (const [name, input] of Object.entries(inputs)) {
    if (typeof input === "object" && "kind" in input && input.kind === "over")
      throw new NdvmError("E-INPUT", `input ${name} varies over axes`, {
        help: "a cluster takes populations of plain lanes; write the product out, or use a pool",
        facts: { names: [name] },
      });
    if (!isArray(input)) continue;
    if (lanes !== undefined && input.length !== lanes)
      throw new NdvmError("E-INPUT", `input ${name} has ${input.length} lanes, not ${lanes}`, {
        help: "arrays have one value for each lane",
        facts: { names: [name], limit: lanes, value: input.length },
      });
    lanes = input.length;
  }
  return lanes;
}

function checkLanes(lanes: unknown): void {
  if (Number.isInteger(lanes) && (lanes as number) >= 1 && (lanes as number) <= LANES_MAX) return;
  throw makeError("E-OPTION", {
    ...{ reason: "setting", option: "lanes", actual: String(lanes) },
    expected: `a whole number from 1 to ${LANES_MAX}`,
  });
}

/** The job of lanes `from` to before `to`. Parts give gradients by lane: sums need all lanes. */
export function jobOf(
  program: Program,
  inputs: Inputs,
  { reduce: _reduce, lanes, ...options }: GradientOptions,
  from: number,
  to: number,
): PartJob {
  return {
    machine: { precision: program.precision },
    source: program.source,
    load: program.loadOptions,
    inputs: Object.entries(inputs).map(([name, input]) => [name, partOf(input, from, to)]),
    options: lanes === undefined ? options : { ...options, lanes: to - from },
  };
}

function partOf(input: Input, from: number, to: number): PartInput {
  if (!isArray(input)) return { shared: input };
  if (typeof input[0] === "object")
    return { tensors: (input as readonly TensorInput[]).slice(from, to) };
  return { lanes: Float64Array.from((input as readonly number[]).slice(from, to)) };
}

/** Runs a part on the machine of a worker. */
export function runPart(program: Program, part: PartJob, index: number): PartResult {
  const inputs = recordOf(part.inputs.map(([name, input]) => [name, inputOf(input)]));
  const { lanes, failures, results } = gradientPart(program, inputs, part.options);
  const hasValues = failures.length < lanes;
  const errors = [...new Set(failures.map(({ error }) => error))];
  return {
    index,
    lanes,
    shape: hasValues ? (results.shape ?? []) : undefined,
    values: hasValues ? results.values : undefined,
    gradients: Object.entries(results.gradients),
    errors: errors.map(packError),
    failures: failures.map(({ lane, error }) => [lane, errors.indexOf(error)]),
  };
}

function inputOf(input: PartInput): Input {
  if ("lanes" in input) return input.lanes;
  return "tensors" in input ? input.tensors : input.shared;
}

/** The results of all parts, in their order, as one machine gives them. Throws where it would. */
export function joinParts(
  results: readonly PartResult[],
  program: Program,
  inputs: Inputs,
  { reduce = false, lanes: wanted }: GradientOptions,
): Population {
  const parts = results.map((result) => {
    if ("refusal" in result) throw unpackError(result.refusal, program.source, program.file);
    return result;
  });
  const lanes = parts.reduce((sum, part) => sum + part.lanes, 0);
  const failures = joinFailures(parts, program);
  if (failures.length === lanes) throw (failures[0] as LaneFailure).error;
  const shape = commonShape(parts, program);
  const numbers = shape.reduce((product, size) => product * size, 1);
  const perLane = joinGradients(parts);
  const hasLanes = wanted !== undefined || Object.values(inputs).some(isArray);
  const axes = hasLanes ? [{ name: LANE_AXIS, size: lanes }] : [];
  const reduced =
    reduce === false ? undefined : reduceGradients(perLane, axes, axesOf(inputs), reduce);
  return {
    lanes,
    shape,
    values: joined(parts.map((part) => part.values ?? nothing(part.lanes * numbers))),
    gradients: reduced?.gradients ?? perLane,
    reduced,
    failures,
  };
}

const axesOf = (inputs: Inputs) =>
  Object.entries(inputs).map(([name, input]) => ({
    name,
    axes: isArray(input) ? [LANE_AXIS] : [],
  }));

const nothing = (count: number): Float64Array => new Float64Array(count).fill(Number.NaN);

function joinGradients(parts: readonly FinishedPart[]): Readonly<Record<string, Float64Array>> {
  const names = (parts[0]?.gradients ?? []).map(([name]) => name);
  return recordOf(
    names.map((name, i) => [
      name,
      joined(parts.map(({ gradients }) => gradients[i]?.[1] ?? new Float64Array())),
    ]),
  );
}

function joined(pieces: readonly Float64Array[]): Float64Array {
  const all = new Float64Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

function joinFailures(parts: readonly FinishedPart[], program: Program): LaneFailure[] {
  const all: LaneFailure[] = [];
  let from = 0;
  for (const { lanes, errors, failures } of parts) {
    const told = errors.map((error) => unpackError(error, program.source, program.file));
    for (const [lane, error] of failures)
      all.push({ lane: from + lane, error: told[error] as NdvmError });
    from += lanes;
  }
  return all.sort((a, b) => a.lane - b.lane);
}

/** The shape of all parts that have values. */
function commonShape(parts: readonly FinishedPart[], program: Program): readonly number[] {
  const shapes = parts.map(({ shape }) => shape).filter((shape) => shape !== undefined);
  const [first = []] = shapes;
  if (shapes.every((shape) => String(shape) === String(first) && shape.length === first.length))
    return first;
  throw new NdvmError(
    "E-RESULT",
    "the program returned different things in different lanes, not numbers of one shape",
    {
      facts: { reason: "structure", actual: "different things" },
      help: "only numbers, vectors and matrices of one shape have gradients",
      source: program.source,
      file: program.file,
    },
  );
}
