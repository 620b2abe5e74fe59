/** Numeric results as JavaScript values, as datums and as text in the language's own notation. */

import type { Datum } from "../../syntax/datum.js";
import { print } from "../../syntax/print.js";
import type { DatumValue } from "../types.js";
import type { ByteBudget } from "./byte-budget.js";

/** What a number of a vector or matrix takes as a datum that is then printed. */
const DATUM_BYTES = 256;

/** A result is not part of a program's text. */
export const NOWHERE = { start: 0, end: 0 };

/** Integers from here on have an exponent. */
const INTEGER_MAX = 1e21;

/** Whole numbers print without a point, however the machine holds them: lanes agree on the text. */
const isInteger = (value: number): boolean =>
  Number.isInteger(value) && Math.abs(value) < INTEGER_MAX && !Object.is(value, -0);

export const numberDatum = (value: number): Datum => ({
  kind: "number",
  value,
  exact: isInteger(value),
  span: NOWHERE,
});

/** Numbers as a datum: a number, [a b c], (mat [..] …), or (zeros r c) where none is left. */
export function numericDatum(numbers: Float64Array, shape: readonly number[]): Datum {
  const bracket = (values: Float64Array): Datum => ({
    kind: "bracket",
    items: Array.from(values, numberDatum),
    span: NOWHERE,
  });
  if (shape.length === 0) return numberDatum(numbers[0] as number);
  if (shape.length === 1) return bracket(numbers);
  const [rows, cols] = shape as [number, number];
  const symbol = (name: string): Datum => ({ kind: "symbol", name, span: NOWHERE });
  const size = (value: number): Datum => ({ kind: "number", value, exact: true, span: NOWHERE });
  if (rows * cols === 0)
    return { kind: "list", items: [symbol("zeros"), size(rows), size(cols)], span: NOWHERE };
  const parts = Array.from({ length: rows }, (_, r) =>
    bracket(numbers.slice(r * cols, (r + 1) * cols)),
  );
  return { kind: "list", items: [symbol("mat"), ...parts], span: NOWHERE };
}

/** Numbers as a JavaScript value: a number, an array, or an array of rows. */
export function numericValue(numbers: Float64Array, shape: readonly number[]): DatumValue {
  if (shape.length === 0) return numbers[0] as number;
  if (shape.length === 1) return numbers;
  const [rows, cols] = shape as [number, number];
  return Array.from({ length: rows }, (_, r) => numbers.slice(r * cols, (r + 1) * cols));
}

/** Numbers as text, within a budget. */
export function printNumbers(
  numbers: Float64Array,
  shape: readonly number[],
  budget: ByteBudget,
): string {
  if (numbers.length > 1) budget.take(numbers.length * DATUM_BYTES);
  return print(numericDatum(numbers, shape));
}
