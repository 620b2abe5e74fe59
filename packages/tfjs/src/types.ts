/**
 * What `operation` takes and gives.
 */

import type { Input, Program, RunOptions } from "@ndvm/core";
import type { Tensor } from "@tensorflow/tfjs-core";

/**
 * What one lane sees of an input. A tensor of the kind's own rank (0, 1 or 2) is shared by all
 * lanes; a tensor with one more axis in front has one value for each lane.
 */
export type InputKind = "number" | "vector" | "matrix" | "integer";

export interface OperationOptions extends Omit<RunOptions, "lanes"> {
  /** Inputs that have gradients. Default: every input that a call gives as a float tensor. */
  readonly wrt?: readonly string[];
  /** Kinds of inputs that are not numbers: `{ x: "vector", P: "matrix" }`. */
  readonly inputs?: Readonly<Record<string, InputKind>>;
}

/** A tensor, or what `program.evaluate` takes: such an input has no gradient. */
export type OperationInput = Tensor | Input;
export type OperationInputs = Readonly<Record<string, OperationInput>>;

/** A program as an operation: tensors in, a tensor out, gradients as for any other operation. */
export interface Operation {
  (inputs: OperationInputs): Tensor;
  readonly program: Program;
}
