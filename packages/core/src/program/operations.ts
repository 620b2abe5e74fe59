/**
 * What the encoders of formulas and of core nodes both know of operations and numbers.
 */

import { Op, primitiveByName } from "../primitives/registry.js";

const double = new Float64Array(1);
/** A number of 64 bits and its two words. */
const halves = { double, words: new Int32Array(double.buffer) };

/** The operation of a primitive, where some clamp their input and where none does. */
export function opOf(name: string, clamps: boolean): number {
  const op = primitiveByName.get(name)?.op;
  if (op === undefined) throw new Error(`no primitive ${name}`);
  if (!clamps) return op;
  if (op === Op.sqrt) return Op.sqrtClamp;
  return op === Op.log ? Op.logClamp : op;
}

/** Writes a number as two words, and returns the place after it. */
export function writeReal(words: Int32Array, at: number, real: number): number {
  halves.double[0] = real;
  words[at] = halves.words[0] as number;
  words[at + 1] = halves.words[1] as number;
  return at + 2;
}

/** Whether a primitive's result can be one of so many operands itself, or a part of one. */
export function mayPassOn(primitive: string, operands: number): boolean {
  const op = primitiveByName.get(primitive);
  if (op === undefined) return false;
  const isFoldOfOne = operands === 1 && op.kind === "binary";
  return isFoldOfOne || op.name === "car" || op.name === "cdr" || op.name === "listRef";
}
