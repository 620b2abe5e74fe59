/**
 * A program as a TensorFlow.js operation.
 *
 * A call reads each tensor once, runs the program for all lanes, and gives one tensor. While
 * TensorFlow.js records a gradient, the run gives values and derivatives together, and the backward
 * pass multiplies them with the result's adjoint and sums those of inputs that lanes share. A call
 * whose gradient nobody asks for only evaluates.
 */

import {
  checkNames,
  type GradientResult,
  type Input,
  NdvmError,
  namesOf,
  own,
  type Program,
  sumOver,
} from "@ndvm/core";
import { customGrad, engine, type GradSaveFunc, type Tensor, tensor } from "@tensorflow/tfjs-core";
import { type Argument, type Call, inputOf, readCall } from "./arguments.js";
import type { InputKind, Operation, OperationInputs, OperationOptions } from "./types.js";

/** The gradients of the tensors that have some, in the order of a call. */
type Backward = (adjoint: Tensor) => Tensor[];

type Limits = Omit<OperationOptions, "wrt" | "inputs">;

/** What an operation learnt from earlier calls; it saves time and decides nothing. */
interface Memory {
  hasSeveralNumbers: boolean;
}

const KINDS: ReadonlySet<string> = new Set(["number", "vector", "matrix", "integer"]);

const OPTION_NAMES = namesOf<OperationOptions>({
  wrt: 1,
  inputs: 1,
  chunk: 1,
  replay: 1,
  stepsMax: 1,
  timeMax: 1,
  tapeBytesMax: 1,
});

/** Makes an operation of a program. The program must live as long as the operation is used. */
export function operation(program: Program, options: OperationOptions = {}): Operation {
  checkNames("operation", options, OPTION_NAMES);
  const { wrt, inputs: declared = {}, ...limits } = options;
  const kinds = readKinds(program, declared);
  const kindOf = (name: string): InputKind => kinds.get(name) ?? "number";
  if (wrt !== undefined) checkWrt(program, wrt, kindOf);
  const wanted = wrt === undefined ? undefined : new Set(wrt);
  const memory: Memory = { hasSeveralNumbers: false };
  const call = (inputs: OperationInputs): Tensor => {
    const given = readCall(inputs, kindOf, program.inputs);
    const differentiated = given.arguments.filter((one) => isDifferentiated(one, wanted));
    return run(program, given, differentiated, limits, memory);
  };
  return Object.assign(call, { program });
}

function readKinds(
  program: Program,
  declared: Readonly<Record<string, InputKind>>,
): ReadonlyMap<string, InputKind> {
  const kinds = new Map(Object.entries(declared));
  for (const [name, kind] of kinds) {
    if (!program.inputs.includes(name)) throw noInput(program, name);
    if (!KINDS.has(kind))
      throw new NdvmError("E-OPTION", `the kind of input ${name} is ${String(kind)}`, {
        help: "kinds are number, vector, matrix and integer",
      });
  }
  return kinds;
}

function checkWrt(
  program: Program,
  wrt: readonly string[],
  kindOf: (name: string) => InputKind,
): void {
  // A text would be taken for its letters.
  if (!Array.isArray(wrt))
    throw new NdvmError("E-OPTION", `wrt must be an array of input names, got ${String(wrt)}`, {
      help: `write wrt: [${JSON.stringify(typeof wrt === "string" ? wrt : "a")}]`,
    });
  for (const name of wrt) {
    if (!program.inputs.includes(name)) throw noInput(program, name);
    if (kindOf(name) === "integer")
      throw new NdvmError("E-OPTION", `cannot differentiate by ${name}: it is an integer`, {
        help: "leave it out of wrt, or declare it as a number",
      });
  }
}

const noInput = (program: Program, name: string): NdvmError =>
  new NdvmError("E-OPTION", `the program has no input ${name}`, {
    help: `its inputs are ${program.inputs.join(", ") || "none"}`,
  });

function isDifferentiated(
  { name, isFloat, kind, tensor: given }: Argument,
  wanted: ReadonlySet<string> | undefined,
): boolean {
  if (wanted === undefined) return isFloat && kind !== "integer";
  if (!wanted.has(name)) return false;
  if (isFloat) return true;
  throw new NdvmError("E-INPUT", `cannot differentiate by ${name}: it is ${given.dtype}`, {
    help: `convert it: ${name}.cast("float32")`,
  });
}

function run(
  program: Program,
  call: Call,
  differentiated: readonly Argument[],
  limits: Limits,
  memory: Memory,
): Tensor {
  if (call.lanes === 0) return tensor([], [0], "float32");
  const inputs = inputsOf(call);
  if (differentiated.length === 0 || !engine().isTapeOn())
    return resultOf(program.evaluate(inputs, limits), call);
  const job = { program, call, inputs, differentiated, limits, memory };
  const { value, backward } = withUnitAdjoints(job) ?? withSeeds(job);
  const differentiable = customGrad((..._given: (Tensor | GradSaveFunc)[]) => ({
    value: value(),
    gradFunc: backward,
  }));
  return differentiable(...differentiated.map((one) => one.tensor));
}

/** One call whose gradients are wanted. */
interface Job {
  readonly program: Program;
  readonly call: Call;
  readonly inputs: Readonly<Record<string, Input>>;
  readonly differentiated: readonly Argument[];
  readonly limits: Limits;
  readonly memory: Memory;
}

interface Differentiable {
  value(): Tensor;
  readonly backward: Backward;
}

/**
 * Where each lane has one number, value and derivatives come from one pass, and the backward pass
 * only multiplies. Undefined where the result has several numbers.
 */
function withUnitAdjoints(job: Job): Differentiable | undefined {
  const { program, call, inputs, differentiated, limits } = job;
  const wrt = differentiated.map(({ name }) => name);
  if (job.memory.hasSeveralNumbers) return undefined;
  let result: GradientResult;
  try {
    result = program.gradient(inputs, { ...limits, wrt });
  } catch (error) {
    if (!(error instanceof NdvmError && error.code === "E-RESULT")) throw error;
    job.memory.hasSeveralNumbers = true;
    return undefined;
  }
  const backward: Backward = (adjoint) => {
    const seeds = adjoint.dataSync() as Float32Array;
    return differentiated.map((one) =>
      gradientOf(one, scaled(own(result.gradients, one.name) as Float64Array, seeds), call),
    );
  };
  return { value: () => resultOf(result, call), backward };
}
/** Where a lane has several numbers, the backward pass runs the program again with their adjoints. */
function withSeeds({ program, call, inputs, differentiated, limits }: Job): Differentiable {
  const wrt = differentiated.map(({ name }) => name);
  const backward: Backward = (adjoint) => {
    const seed = adjoint.dataSync() as Float32Array;
    const { gradients } = program.gradient(inputs, { ...limits, wrt, seed });
    return differentiated.map((one) =>
      gradientOf(one, own(gradients, one.name) as Float64Array, call),
    );
  };
  return { value: () => resultOf(program.evaluate(inputs, limits), call), backward };
}

/** Derivatives of each lane, times the adjoint of its number. */
function scaled(derivatives: Float64Array, seeds: Float32Array): Float64Array {
  const each = derivatives.length / seeds.length;
  return derivatives.map((slope, i) => slope * (seeds[Math.floor(i / each)] as number));
}

/** The gradient of one input: summed over the lanes, in core's fixed order, if they share it. */
function gradientOf({ tensor: given, lanes }: Argument, perLane: Float64Array, call: Call): Tensor {
  const isShared = lanes === undefined || lanes !== call.lanes;
  const axis = { name: "lane", size: call.lanes ?? 1 };
  const numbers = isShared ? sumOver(perLane, [axis], axis.name).values : perLane;
  return tensor(Float32Array.from(numbers), given.shape, "float32");
}

/** A record without a prototype: inputs may be called anything. */
function inputsOf(call: Call): Record<string, Input> {
  const inputs = Object.create(null) as Record<string, Input>;
  for (const [name, input] of call.plain) inputs[name] = input;
  for (const one of call.arguments) inputs[one.name] = inputOf(one, call.lanes);
  return inputs;
}

function resultOf(
  {
    values,
    shape,
  }: { readonly values: Float64Array; readonly shape: readonly number[] | undefined },
  { lanes }: Call,
): Tensor {
  const numbers = Float32Array.from(values);
  const cell = shape ?? [];
  return tensor(numbers, lanes === undefined ? [...cell] : [lanes, ...cell], "float32");
}
