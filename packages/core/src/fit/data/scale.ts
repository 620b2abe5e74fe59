/**
 * Whether the numbers of the data are of a size that a fit can work with: their squares must be
 * numbers too, and f32 must hold them. What is not is told before anything is fitted, because all
 * that would show later is a loss of 0 or one that is not finite.
 */

import { NdvmError } from "../../errors.js";
import type { Precision } from "../../machine/types.js";
import { own } from "../../records.js";
import type { Table, Target } from "./columns.js";

interface Range {
  readonly least: number;
  readonly most: number;
}

/** Sums of squares of residuals, which are in f64, keep their digits for numbers in here. */
const SQUARES: Range = { least: 1e-145, most: 1e150 };
/** Numbers that f32 holds with all their digits, small differences of them too. */
const SINGLE: Range = { least: 1e-31, most: Number(Math.fround(3.4e38)) };

/** The largest absolute values of columns that were looked at: many fits have the same data. */
const known = new WeakMap<Float64Array, number>();

export function largestOf(column: Float64Array): number {
  const before = known.get(column);
  if (before !== undefined) return before;
  let largest = 0;
  for (let i = 0; i < column.length; i++)
    largest = Math.max(largest, Math.abs(column[i] as number));
  known.set(column, largest);
  return largest;
}

const isOutside = (largest: number, { least, most }: Range): boolean =>
  largest > most || (largest > 0 && largest < least);

/** The power of ten that brings a number to order 1. */
export const unitOf = (largest: number): string =>
  `1e${largest.toExponential().split("e")[1]?.replace("+", "")}`;

/**
 * What is wrong with the size of a target's numbers; nothing where all is well. `hasSquares` says
 * whether the loss squares residuals.
 */
export function targetScaleProblem(
  name: string,
  column: Float64Array,
  precision: Precision,
  hasSquares: boolean,
): NdvmError | undefined {
  const largest = largestOf(column);
  const isSingleOutside = precision === "f32" && isOutside(largest, SINGLE);
  const isSquareOutside = hasSquares && isOutside(largest, SQUARES);
  if (!isSingleOutside && !isSquareOutside) return undefined;
  const rescale = `divide ${name} by ${unitOf(largest)} and multiply predictions by it`;
  if (isSingleOutside)
    return new NdvmError("E-INPUT", beyondSingle(name, largest), {
      help: isOutside(largest, SQUARES) ? rescale : `${rescale}, or fit in f64`,
    });
  const end = largest > SQUARES.most ? "too large" : "too small";
  return new NdvmError(
    "E-INPUT",
    `column ${name} reaches ${largest.toPrecision(3)}: the squares of its residuals are ${end} for a number`,
    { help: rescale },
  );
}

/** The same for a column that the program reads. */
export function inputScaleProblem(
  name: string,
  column: Float64Array,
  precision: Precision,
): NdvmError | undefined {
  const largest = precision === "f32" ? largestOf(column) : 0;
  if (largest <= SINGLE.most) return undefined;
  return new NdvmError("E-INPUT", beyondSingle(name, largest), {
    help: `divide ${name} by ${unitOf(largest)}, or use f64`,
  });
}

const beyondSingle = (name: string, largest: number): string =>
  `column ${name} reaches ${largest.toPrecision(3)}, ` +
  (largest > SINGLE.most ? "more than f32 can hold" : "too little for f32 to keep its digits");

/** Throws where the numbers of a fit are too large or too small. */
export function checkScales(table: Table, precision: Precision, lossName: string): void {
  const { target, targets, rows, columns } = table;
  const hasSquares = lossName === "squares";
  for (let t = 0; t < targets.length; t++) {
    const own = targets.length === 1 ? target : target.subarray(t * rows, (t + 1) * rows);
    const { name } = targets[t] as Target;
    const problem = targetScaleProblem(name, own, precision, hasSquares);
    if (problem !== undefined) throw problem;
  }
  if (precision === "f64") return;
  for (const name of Object.keys(columns)) {
    const problem = inputScaleProblem(name, own(columns, name) as Float64Array, precision);
    if (problem !== undefined) throw problem;
  }
}
