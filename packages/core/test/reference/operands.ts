/**
 * Operands of a procedure: each `…From` takes what it names out of a value or says what is wrong.
 */

import { Dual, steer } from "./dual.js";
import { columnsOf, isVector, rowsOf } from "./tensor.js";
import { type Call, RefError, Tensor, type Value } from "./values.js";

/** Adds a procedure that takes `least` to `most` operands. */
export type Define = (
  name: string,
  least: number,
  most: number,
  run: (operands: readonly Value[], call: Call) => Value,
) => void;

export function numberFrom(value: Value | undefined, who: string): Dual {
  if (value instanceof Dual) return value;
  throw new RefError("E-TYPE", `${who} needs a number`);
}

export function integerFrom(value: Value | undefined, who: string): number {
  const { v } = numberFrom(value, who);
  if (!Number.isInteger(v)) throw new RefError("E-TYPE", `${who} needs an integer`);
  steer(v);
  return v;
}

export function numericFrom(value: Value | undefined, who: string): Dual | Tensor {
  if (value instanceof Dual || value instanceof Tensor) return value;
  throw new RefError("E-TYPE", `${who} needs a number, vector or matrix`);
}

export function tensorFrom(value: Value | undefined, who: string): Tensor {
  if (value instanceof Tensor) return value;
  throw new RefError("E-TYPE", `${who} needs a vector or matrix`);
}

export function vectorFrom(value: Value | undefined, who: string): Tensor {
  const x = tensorFrom(value, who);
  if (!isVector(x)) throw new RefError("E-SHAPE", `${who} needs a vector`);
  return x;
}

export function matrixFrom(value: Value | undefined, who: string): Tensor {
  const x = tensorFrom(value, who);
  if (isVector(x)) throw new RefError("E-SHAPE", `${who} needs a matrix`);
  return x;
}

export function squareFrom(value: Value | undefined, who: string): Tensor {
  const x = matrixFrom(value, who);
  if (rowsOf(x) !== columnsOf(x)) throw new RefError("E-SHAPE", `${who} needs a square matrix`);
  return x;
}

export function needShape(fits: boolean, who: string): void {
  if (!fits) throw new RefError("E-SHAPE", `${who}: shapes do not fit`);
}
