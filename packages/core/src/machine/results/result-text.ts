/**
 * Results as datums and text: numbers, vectors and matrices in the language's own notation, and
 * things without a reading as #<…>.
 */

import type { Datum } from "../../syntax/datum.js";
import { print } from "../../syntax/print.js";

/** Starts the name of a symbol datum that stands for a thing without a reading. */
export const UNREADABLE = "\u0000";

/** Text of a datum in which things without a reading are written #<…>. */
export function printResult(datum: Datum): string {
  // The printer puts a name with a control character between bars and escapes the character.
  return print(datum).replaceAll(
    /\|\\x0;((?:[^|\\]|\\.)*)\|/g,
    (_, name: string) => `#<${unescaped(name)}>`,
  );
}

const unescaped = (name: string): string => name.replaceAll(/\\([|\\])/g, "$1");

/** A result is not part of a program's text. */
export const NOWHERE = { start: 0, end: 0 };

/** Whole numbers print without a point, however the machine holds them: lanes agree on the text. */
const isInteger = (value: number): boolean => Number.isSafeInteger(value) && !Object.is(value, -0);

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
