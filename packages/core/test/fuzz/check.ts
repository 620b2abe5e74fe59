/**
 * The properties every program must have on the machine:
 *
 *   value, gradient   f64 agrees with the reference to 1e-9, plus what its conditioning explains
 *   single            f32 agrees loosely, within a multiple of what f32 steps do to the reference
 *   difference        gradients agree with differences of the machine's own values, off kinks
 *   lanes             a lane alone gives the same bits as in its batch, finite or not
 *   jacobian          the Jacobian of a vector or matrix agrees with the reference
 *   evaluate          a run without a tape gives the same bits as one with
 *   inputs            the machine finds the program's free names
 *   threw             the machine runs every program the reference runs
 *
 * A program the reference refuses says nothing and is passed over; of a lane with a number that is
 * not finite only the bits are compared.
 */

import { NdvmError } from "../../src/errors.js";
import { int, mat, vec } from "../../src/index.js";
import type {
  Evaluation,
  GradientOptions,
  GradientResult,
  Input,
  Inputs,
  JacobianResult,
  LoadOptions,
  RunOptions,
} from "../../src/machine/types.js";
import { evaluate } from "../reference/evaluate.js";
import { RefError } from "../reference/values.js";
import {
  differentiable,
  elementsIn,
  isTame,
  type Opinion,
  opinionOf,
  refInputs,
  rowsFrom,
  seededGradient,
  seedOf,
} from "./oracle.js";
import { type FuzzInput, type FuzzProgram, sourceOf } from "./program.js";

/** As much of a loaded program as the checks use. */
export interface LoadedProgram {
  readonly inputs: readonly string[];
  evaluate(inputs: Inputs, options?: RunOptions): Evaluation;
  gradient(inputs: Inputs, options?: GradientOptions): GradientResult;
  jacobian(inputs: Inputs, options?: GradientOptions): JacobianResult;
  dispose(): void;
}

export interface Loader {
  load(source: string, options: LoadOptions): LoadedProgram;
}

export interface Machines {
  readonly double: Loader;
  readonly single?: Loader;
}

export interface Failure {
  readonly check: string;
  readonly lane: number;
  /** What was compared: "value", "gradient of v[1]". */
  readonly what: string;
  readonly expected: number | string;
  readonly got: number | string;
}

export type Verdict =
  | { readonly kind: "pass" }
  | { readonly kind: "skip"; readonly why: string }
  | { readonly kind: "fail"; readonly failure: Failure };

export function checkProgram(machines: Machines, program: FuzzProgram): Failure | undefined {
  const verdict = verdictOn(machines, program);
  return verdict.kind === "fail" ? verdict.failure : undefined;
}

export function verdictOn(machines: Machines, program: FuzzProgram): Verdict {
  const opinions = opinionsOf(program);
  if (typeof opinions === "string") return { kind: "skip", why: opinions };
  const failure = disagreement(machines, program, opinions);
  return failure ? { kind: "fail", failure } : { kind: "pass" };
}

function opinionsOf(program: FuzzProgram): Opinion[] | string {
  try {
    const opinions = Array.from({ length: program.lanes }, (_, lane) => opinionOf(program, lane));
    const shapes = new Set(opinions.map(({ exact }) => String(exact.shape)));
    return shapes.size > 1 ? "shapes differ between lanes" : opinions;
  } catch (error) {
    if (error instanceof RefError) return error.code;
    if (error instanceof RangeError) return "depth";
    throw error;
  }
}

function disagreement(
  machines: Machines,
  program: FuzzProgram,
  opinions: readonly Opinion[],
): Failure | undefined {
  const loaded = new Map<Loader, LoadedProgram>();
  const load = (machine: Loader): LoadedProgram => {
    const { domain } = program;
    const known = loaded.get(machine) ?? machine.load(sourceOf(program), { domain });
    loaded.set(machine, known);
    return known;
  };
  try {
    const double = load(machines.double);
    return (
      checkInputs(double, program, opinions) ??
      checkDouble(double, program, opinions) ??
      checkJacobian(double, program, opinions[0] as Opinion) ??
      checkDifferences(double, program, opinions) ??
      (machines.single ? checkSingle(load(machines.single), program, opinions) : undefined)
    );
  } catch (error) {
    return { check: "threw", lane: 0, what: "run", expected: "a value", got: describe(error) };
  } finally {
    for (const known of loaded.values()) known.dispose();
  }
}

function describe(error: unknown): string {
  if (error instanceof NdvmError) return `${error.code}: ${error.message}`;
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

/** A name the machine does not report may only be one whose gradient is zero (it is shadowed). */
function checkInputs(
  loaded: LoadedProgram,
  program: FuzzProgram,
  opinions: readonly Opinion[],
): Failure | undefined {
  const names = program.inputs.map(({ name }) => name);
  const extra = loaded.inputs.find((name) => !names.includes(name));
  const missing = names.find(
    (name) =>
      !loaded.inputs.includes(name) &&
      opinions.some(({ exact }) => exact.gradient[name]?.some((slope) => slope !== 0)),
  );
  if (extra === undefined && missing === undefined) return undefined;
  const got = loaded.inputs.join(" ");
  return { check: "inputs", lane: 0, what: "free names", expected: names.join(" "), got };
}

function machineInput(input: FuzzInput, lanes: readonly number[]): Input {
  const { kind, rows, cols } = input;
  const only = elementsIn(input, 0)[0] as number;
  if (kind === "int") return int(only);
  if (kind === "shared") return only;
  if (kind === "scalar") return lanes.map((lane) => elementsIn(input, lane)[0] as number);
  return lanes.map((lane) => {
    const elements = elementsIn(input, lane);
    return kind === "vector" ? vec(elements) : mat(rowsFrom(elements, rows, cols));
  });
}

/** The inputs of some lanes, as far as the program reads them. */
export function machineInputs(
  loaded: LoadedProgram,
  program: FuzzProgram,
  lanes: readonly number[],
): Inputs {
  const read = program.inputs.filter(({ name }) => loaded.inputs.includes(name));
  return Object.fromEntries(read.map((input) => [input.name, machineInput(input, lanes)]));
}

/** Values and gradients of some lanes; the text of each result that is not numeric. */
interface Outcome {
  /** Elements per lane. */
  readonly width: number;
  readonly values: Float64Array;
  readonly gradients: Readonly<Record<string, Float64Array>>;
  readonly texts: readonly string[];
}

function outcomeOf(
  loaded: LoadedProgram,
  program: FuzzProgram,
  opinion: Opinion,
  lanes: readonly number[],
): Outcome {
  const inputs = machineInputs(loaded, program, lanes);
  const wrt = wrtOf(loaded, program);
  const { shape, numbers } = opinion.exact;
  const options = { lanes: lanes.length };
  if (shape === undefined || wrt.length === 0) {
    const result = loaded.evaluate(inputs, options);
    failIfLanesFailed(result);
    const texts = lanes.map((_, i) => (shape === undefined ? result.print(i) : ""));
    return { width: numbers.length, values: valuesOf(result, opinion), gradients: {}, texts };
  }
  const seed = lanes.flatMap(() => seedOf(numbers.length));
  const result = loaded.gradient(inputs, { ...options, wrt, seed });
  failIfLanesFailed(result);
  const { values, gradients } = result;
  return { width: numbers.length, values, gradients, texts: lanes.map(() => "") };
}

function wrtOf(loaded: LoadedProgram, program: FuzzProgram): string[] {
  return differentiable(program)
    .map(({ name }) => name)
    .filter((name) => loaded.inputs.includes(name));
}

function valuesOf(result: Evaluation, opinion: Opinion): Float64Array {
  return opinion.exact.shape === undefined ? new Float64Array() : result.values;
}

function failIfLanesFailed(result: Evaluation): void {
  const [first] = result.failures;
  if (first) throw first.error;
}

const everyLane = (program: FuzzProgram): number[] =>
  Array.from({ length: program.lanes }, (_, lane) => lane);

function checkDouble(
  loaded: LoadedProgram,
  program: FuzzProgram,
  opinions: readonly Opinion[],
): Failure | undefined {
  const batch = outcomeOf(loaded, program, opinions[0] as Opinion, everyLane(program));
  for (const lane of everyLane(program)) {
    const opinion = opinions[lane] as Opinion;
    const alone = outcomeOf(loaded, program, opinion, [lane]);
    const wrong =
      (isTame(opinion) ? compareWithReference(alone, opinion, lane, doubleTolerance) : undefined) ??
      compareBits(batch, alone, lane);
    if (wrong) return wrong;
  }
  return checkTapeless(loaded, program, opinions, batch);
}

/** f64: rounding noise of f32 scaled down by 2^-29, times a margin, explains a difference. */
export const doubleTolerance = { check: "", relative: 1e-9, least: 1e-3, noise: 2 ** -29 * 256 };
const singleTolerance = { check: "single ", relative: 5e-4, least: 0.1, noise: 64 };

type Tolerance = typeof doubleTolerance;

export function isClose(
  got: number,
  want: number,
  rounded: number | undefined,
  rule: Tolerance,
): boolean {
  const noise = rounded === undefined ? 0 : Math.abs(rounded - want) * rule.noise;
  const allowed = rule.relative * Math.max(rule.least, Math.abs(want)) + noise;
  return Math.abs(got - want) <= allowed;
}

/** Compares an outcome of one lane with the reference. */
function compareWithReference(
  outcome: Outcome,
  { exact, rounded }: Opinion,
  lane: number,
  rule: Tolerance,
): Failure | undefined {
  if (exact.shape === undefined) return compareTexts(outcome.texts[0] as string, exact.text, lane);
  const { check } = rule;
  for (const [i, want] of exact.numbers.entries()) {
    const got = outcome.values[i] ?? Number.NaN;
    if (isClose(got, want, rounded?.numbers[i], rule)) continue;
    return { check: `${check}value`, lane, what: `value[${i}]`, expected: want, got };
  }
  for (const [name, gradient] of Object.entries(outcome.gradients)) {
    const near = rounded && seededGradient(rounded, name);
    for (const [i, want] of seededGradient(exact, name).entries()) {
      const got = gradient[i] ?? Number.NaN;
      if (isClose(got, want, near?.[i], rule)) continue;
      const what = `gradient of ${name}[${i}]`;
      return { check: `${check}gradient`, lane, what, expected: want, got };
    }
  }
  return undefined;
}

/** Tokens of a printed result; a procedure's name is its own affair. */
function tokensOf(text: string): string[] {
  const anonymous = text.replace(/#<procedure[^>]*>/g, "#<procedure>");
  return anonymous.match(/[()[\]]|[^\s()[\]]+/g) ?? [];
}

/** Two printed results: numbers to 1e-9, everything else to the letter. */
export function compareTexts(got: string, expected: string, lane: number): Failure | undefined {
  const [a, b] = [tokensOf(got), tokensOf(expected)];
  const same =
    a.length === b.length &&
    a.every((token, i) => {
      const other = b[i] as string;
      const size = 1 + Math.abs(Number(other));
      return token === other || Math.abs(Number(token) - Number(other)) <= 1e-9 * size;
    });
  return same ? undefined : { check: "value", lane, what: "result", expected, got };
}

function compareBits(batch: Outcome, alone: Outcome, lane: number): Failure | undefined {
  const differs = (what: string, whole: Float64Array, part: Float64Array): Failure | undefined => {
    for (let i = 0; i < part.length; i++) {
      const expected = part[i] as number;
      const got = whole[lane * part.length + i] ?? Number.NaN;
      if (!Object.is(expected, got)) return { check: "lanes", lane, what, expected, got };
    }
    return undefined;
  };
  const [expected, got] = [alone.texts[0] as string, batch.texts[lane] as string];
  if (expected !== got) return { check: "lanes", lane, what: "result", expected, got };
  const wrong = differs("value", batch.values, alone.values);
  if (wrong) return wrong;
  for (const [name, gradient] of Object.entries(alone.gradients)) {
    const whole = batch.gradients[name] as Float64Array;
    const differing = differs(`gradient of ${name}`, whole, gradient);
    if (differing) return differing;
  }
  return undefined;
}

/** The first lane's Jacobian, where the result has several elements. */
function checkJacobian(
  loaded: LoadedProgram,
  program: FuzzProgram,
  opinion: Opinion,
): Failure | undefined {
  const { exact, rounded } = opinion;
  const wrt = wrtOf(loaded, program);
  const isTensor = exact.shape !== undefined && exact.shape.length > 0;
  if (!isTensor || wrt.length === 0 || !isTame(opinion)) return undefined;
  const inputs = machineInputs(loaded, program, [0]);
  const { jacobians } = loaded.jacobian(inputs, { lanes: 1, wrt });
  for (const name of wrt) {
    for (const [i, want] of (exact.gradient[name] ?? []).entries()) {
      const got = jacobians[name]?.[i] ?? Number.NaN;
      if (isClose(got, want, rounded?.gradient[name]?.[i], doubleTolerance)) continue;
      const what = `entry ${i} of the Jacobian by ${name}`;
      return { check: "jacobian", lane: 0, what, expected: want, got };
    }
  }
  return undefined;
}

/** A run that records nothing gives the bits of one that does. */
function checkTapeless(
  loaded: LoadedProgram,
  program: FuzzProgram,
  opinions: readonly Opinion[],
  batch: Outcome,
): Failure | undefined {
  const opinion = opinions[0] as Opinion;
  if (opinion.exact.shape === undefined) return undefined;
  const lanes = everyLane(program);
  const options = { lanes: lanes.length };
  const { values } = loaded.evaluate(machineInputs(loaded, program, lanes), options);
  for (const [i, got] of values.entries()) {
    const expected = batch.values[i] as number;
    const lane = Math.floor(i / batch.width);
    if (!Object.is(got, expected)) return { check: "evaluate", lane, what: "value", expected, got };
  }
  return undefined;
}

/** Where a decision was closer than this, f32 or a shifted input may decide otherwise. */
const marginLeast = 1e-3;
const shift = 1e-3;

/** The first lane's slope along one direction through all inputs, by four shifted runs. */
function checkDifferences(
  loaded: LoadedProgram,
  program: FuzzProgram,
  opinions: readonly Opinion[],
): Failure | undefined {
  const { exact } = opinions[0] as Opinion;
  const wrt = wrtOf(loaded, program);
  if (exact.shape === undefined || wrt.length === 0) return undefined;
  if (exact.tracer.margin < marginLeast || !isTame(opinions[0] as Opinion)) return undefined;
  const offsets = [-2, -1, 1, 2].map((step) => step * shift);
  const shifted = shiftedProgram(program, wrt, offsets);
  const source = sourceOf(program);
  for (const lane of offsets.keys()) {
    const options = { wrt: [], domain: program.domain };
    const { path, control, wild } = evaluate(source, refInputs(shifted, lane), options).tracer;
    const same = path === exact.tracer.path && control === exact.tracer.control;
    if (!same || wild) return undefined;
  }
  const inputs = machineInputs(loaded, shifted, [0, 1, 2, 3]);
  const { values } = loaded.evaluate(inputs, { lanes: 4 });
  const width = exact.numbers.length;
  const at = (lane: number): number =>
    seedOf(width).reduce(
      (sum, weight, i) => sum + weight * (values[lane * width + i] as number),
      0,
    );
  const slope = (at(0) - 8 * at(1) + 8 * at(2) - at(3)) / (12 * shift);
  const coarse = (at(2) - at(1)) / (2 * shift);
  const doubt = Math.abs(slope - coarse);
  return compareSlope(loaded, program, opinions[0] as Opinion, slope, doubt);
}

/** Four lanes that are the first lane with each element moved along `directionOf`. */
function shiftedProgram(
  program: FuzzProgram,
  wrt: readonly string[],
  offsets: readonly number[],
): FuzzProgram {
  const inputs = program.inputs.map((input): FuzzInput => {
    const elements = elementsIn(input, 0);
    const moved = wrt.includes(input.name) ? 1 : 0;
    const lanes = offsets.map((by) => elements.map((x, i) => x + moved * by * directionOf(i)));
    const kind = input.kind === "shared" ? "scalar" : input.kind;
    return { ...input, kind, lanes };
  });
  return { ...program, inputs, lanes: offsets.length };
}

const directionOf = (element: number): number => 1 - 0.25 * element;

/** `doubt` is how far a difference of lower order is from `slope`: where it curves, less is sure. */
function compareSlope(
  loaded: LoadedProgram,
  program: FuzzProgram,
  opinion: Opinion,
  slope: number,
  doubt: number,
): Failure | undefined {
  const { gradients } = outcomeOf(loaded, program, opinion, [0]);
  const terms = Object.values(gradients).flatMap((gradient) =>
    Array.from(gradient, (g, i) => g * directionOf(i)),
  );
  const along = terms.reduce((sum, term) => sum + term, 0);
  const size = terms.reduce((sum, term) => sum + Math.abs(term), 1 + Math.abs(slope));
  // A value that moves this far between the runs may have turned several times.
  if (size * shift > 0.1 || Math.abs(along - slope) <= 1e-5 * size + 2 * doubt) return undefined;
  return { check: "difference", lane: 0, what: "slope", expected: slope, got: along };
}

function checkSingle(
  loaded: LoadedProgram,
  program: FuzzProgram,
  opinions: readonly Opinion[],
): Failure | undefined {
  for (const lane of everyLane(program)) {
    const opinion = opinions[lane] as Opinion;
    const { exact, rounded } = opinion;
    const sure = rounded && !rounded.tracer.wild && exact.tracer.margin >= marginLeast;
    if (!sure || !isTame(opinion) || exact.shape === undefined) continue;
    const outcome = outcomeOf(loaded, program, opinion, [lane]);
    const wrong = compareWithReference(outcome, opinion, lane, singleTolerance);
    if (wrong) return wrong;
  }
  return undefined;
}
