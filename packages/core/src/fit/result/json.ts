/**
 * Results as plain JSON and back. Numbers that are not finite are written as the words "NaN",
 * "Infinity" and "-Infinity", typed arrays as lists.
 */

import { NdvmError } from "../../errors.js";
import { own, recordOf } from "../../records.js";
import { setField } from "../data/fields.js";

/** A copy without typed arrays, functions and numbers that JSON has no word for. */
export function toPlain(value: unknown): unknown {
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (ArrayBuffer.isView(value)) return Array.from(value as Float64Array, toPlain);
  if (Array.isArray(value)) return value.map(toPlain);
  if (typeof value !== "object" || value === null) return value;
  const plain: Record<string, unknown> = {};
  for (const [key, one] of Object.entries(value))
    if (one !== undefined && typeof one !== "function") setField(plain, key, toPlain(one));
  return plain;
}

const WORDS: ReadonlyMap<unknown, number> = new Map([
  ["NaN", Number.NaN],
  ["Infinity", Infinity],
  ["-Infinity", -Infinity],
]);

/** Which fields below a value hold names, in lists too; `true` where the value is one itself. */
type Names = true | { readonly [field: string]: Names };

/**
 * Where the JSON of a fit holds names, which may be the words themselves: a group is called NaN where a
 * table says so. Anywhere else such a word stands for a number; forms and sentences are none.
 */
const NAMES_OF_A_FIT: Names = {
  parameters: true,
  assumed: true,
  covariance: { names: true },
  // The numbers among correlated names are finite.
  identifiability: { atBounds: true, correlated: true },
  targets: { name: true },
  diagnostics: { predicateOnly: true, runaways: { name: true } },
  model: {
    columns: true,
    targets: { name: true },
    groups: true,
    groupsBy: true,
    noise: { column: true },
    free: { label: true, input: true },
  },
};

/** The JSON of a fit with numbers in place of their words. */
export const fromPlain = (json: unknown): unknown => withNumbers(json, NAMES_OF_A_FIT, 0);

/** No result has lists and objects further inside one another, and what holds itself has no end of them. */
const DEPTH_MOST = 64;

function withNumbers(value: unknown, names: Names | undefined, depth: number): unknown {
  if (depth > DEPTH_MOST)
    throw new NdvmError("E-INPUT", "what should be the JSON of a fit has objects without end", {
      help: "give what toJSON() of a result made",
    });
  if (names === true) return value;
  const number = WORDS.get(value);
  if (number !== undefined) return number;
  if (Array.isArray(value)) return value.map((one) => withNumbers(one, names, depth + 1));
  if (typeof value !== "object" || value === null) return value;
  return recordOf(
    Object.entries(value).map(([key, one]) => [key, withNumbers(one, own(names, key), depth + 1)]),
  );
}
