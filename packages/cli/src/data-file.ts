/**
 * Whole files as one vector or matrix: any table, or JSON's arrays of numbers.
 */

import { extname } from "node:path";
import { mat, type TensorInput, vec } from "@ndvm/core/machine";
import { parseNumber } from "@ndvm/tables/text";
import { fileError, readTextFile } from "./text-file.js";

function parseJson(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw fileError(file, `not JSON: ${(cause as Error).message}`);
  }
}

function jsonNumber(file: string, where: string, value: unknown): number {
  if (value === null) return Number.NaN;
  const number = typeof value === "string" ? parseNumber(value) : value;
  if (typeof number === "number") return number;
  throw fileError(file, `${where}: ${shown(value)} is not a number`);
}

/** What stands in the place of a number; arrays and objects may be nested deeper than can be written. */
function shown(value: unknown): string {
  if (typeof value !== "object") return JSON.stringify(value);
  return Array.isArray(value) ? "an array" : "an object";
}

/**
 * A JSON value as a number, vector (array of numbers) or matrix (array of equally long arrays).
 * `name` is how messages call it: a file or an option.
 */
export function tensorOfJson(name: string, value: unknown): number | TensorInput {
  if (!Array.isArray(value)) return jsonNumber(name, "value", value);
  if (value.length === 0) throw fileError(name, "the array is empty");
  if (!value.some(Array.isArray)) {
    return vec(value.map((item, index) => jsonNumber(name, `[${index}]`, item)));
  }
  const width = Array.isArray(value[0]) ? value[0].length : 0;
  return mat(
    value.map((row, index) => {
      if (!Array.isArray(row) || row.length !== width || width === 0) {
        throw fileError(name, `not a matrix: row ${index} is not like row 0`);
      }
      return row.map((item, column) => jsonNumber(name, `[${index},${column}]`, item));
    }),
  );
}

/**
 * The whole file as one vector or matrix. A first row of names is skipped; one column makes a
 * vector, more make a matrix.
 */
export async function readTensor(file: string): Promise<number | TensorInput> {
  if (extname(file).toLowerCase() === ".json") {
    return tensorOfJson(file, parseJson(file, await readTextFile(file)));
  }
  const { readTableFile } = await import("@ndvm/tables/node");
  const table = await readTableFile(file, { head: "optional", texts: new Set() });
  const columns = table.names.map((name) => table.numbers(name));
  const [first = new Float64Array()] = columns;
  if (columns.length === 1) return vec(first);
  const rows = Array.from(first, (_, row) => columns.map((column) => column[row] ?? Number.NaN));
  return mat(rows);
}
