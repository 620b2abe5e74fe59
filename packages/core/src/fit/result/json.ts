/**
 * Results as plain JSON and back. Numbers that are not finite are written as the words "NaN",
 * "Infinity" and "-Infinity", typed arrays as lists.
 */

import { recordOf } from "../../records.js";
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

/** The words back to numbers. */
export function fromPlain(value: unknown): unknown {
  const number = WORDS.get(value);
  if (number !== undefined) return number;
  if (Array.isArray(value)) return value.map(fromPlain);
  if (typeof value !== "object" || value === null) return value;
  return recordOf(Object.entries(value).map(([key, one]) => [key, fromPlain(one)]));
}
