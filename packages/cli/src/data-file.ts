/**
 * Data files: tables (CSV, TSV, JSON) as named columns of numbers, and arrays (CSV, TSV, JSON) as
 * one vector or matrix. Strict: a ragged row, an unclosed quote, a cell that is not a number, a
 * column that does not exist is an E-FILE error that says where, never a guess.
 *
 * A table's first row names its columns. A JSON table is an object of equally long arrays of
 * numbers, or an array of objects. Empty cells and the words nan and na are NaN.
 */

import { extname } from "node:path";
import { mat, nearest, own, type TensorInput, vec } from "@ndvm/core";
import {
  DASH_HELP,
  EMPTY_HELP,
  fileError,
  hasDash,
  type Row,
  splitRows,
  TWICE_HELP,
} from "./delimited.js";
import { readTextFile } from "./text-file.js";

export interface Table {
  readonly file: string;
  /** Column names in the order of the file. */
  readonly names: readonly string[];
  readonly rowCount: number;
  /** The column's numbers; an E-FILE error for a name the table does not have. */
  column(name: string): Float64Array;
}

const MISSING = /^(|na|n\/a|nan)$/i;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const INFINITE = /^([+-]?)inf(inity)?$/i;

/** The number a cell of text stands for, or undefined if it stands for none. */
export function parseNumber(text: string): number | undefined {
  const trimmed = text.trim();
  if (NUMBER.test(trimmed)) return Number(trimmed);
  if (MISSING.test(trimmed)) return Number.NaN;
  const infinite = INFINITE.exec(trimmed);
  if (infinite) return infinite[1] === "-" ? -Infinity : Infinity;
  return undefined;
}

function requireEqualWidths(file: string, rows: readonly Row[]): void {
  const first = rows[0];
  for (const row of rows) {
    if (first && row.cells.length !== first.cells.length) {
      throw fileError(
        file,
        `not a table: line ${row.line} has ${row.cells.length} cells, ` +
          `line ${first.line} has ${first.cells.length}`,
      );
    }
  }
}

function numberAt(file: string, row: Row, index: number, column: string): number {
  const cell = row.cells[index] ?? "";
  const value = parseNumber(cell);
  if (value === undefined) {
    throw fileError(
      file,
      `line ${row.line}, column ${column}: "${cell}" is not a number`,
      hasDash(cell)
        ? DASH_HELP
        : "write numbers as 1234.5; an empty cell, na or nan is a missing value",
    );
  }
  return value;
}

function tableOf(file: string, names: readonly string[], rowCount: number): Omit<Table, "column"> {
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw fileError(file, `two columns are called ${twice}`, TWICE_HELP);
  return { file, names, rowCount };
}

function pickColumn(file: string, names: readonly string[], name: string): number {
  const index = names.indexOf(name);
  if (index >= 0) return index;
  const near = nearest(name, names);
  const columns = names.slice(0, 12).join(", ") + (names.length > 12 ? ", …" : "");
  const help = near === undefined ? `its columns are ${columns}` : `did you mean ${near}?`;
  throw fileError(file, `there is no column ${name}`, help);
}

function delimitedTable(file: string, text: string): Table {
  const [head, ...rows] = splitRows(file, text);
  if (head === undefined) throw fileError(file, "not a table: the file is empty", EMPTY_HELP);
  requireEqualWidths(file, [head, ...rows]);
  const names = head.cells.map((cell) => cell.trim());
  if (names.every((name) => parseNumber(name) !== undefined)) {
    throw fileError(
      file,
      "not a table: the first row holds numbers, not column names",
      "add a first row that names the columns",
    );
  }
  if (rows.length === 0) throw fileError(file, "the table has no rows", EMPTY_HELP);
  return {
    ...tableOf(file, names, rows.length),
    column(name) {
      const index = pickColumn(file, names, name);
      return Float64Array.from(rows, (row) => numberAt(file, row, index, name));
    },
  };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

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
  throw fileError(file, `${where}: ${JSON.stringify(value)} is not a number`);
}

function jsonTable(file: string, text: string): Table {
  const value = parseJson(file, text);
  if (Array.isArray(value) && value.length > 0 && value.every(isObject)) {
    const names = [...new Set(value.flatMap((row) => Object.keys(row)))];
    return {
      ...tableOf(file, names, value.length),
      column(name) {
        pickColumn(file, names, name);
        return Float64Array.from(value, (row, index) =>
          jsonNumber(file, `row ${index}, ${name}`, own(row, name) ?? null),
        );
      },
    };
  }
  if (isObject(value) && Object.keys(value).length > 0) return jsonColumns(file, value);
  throw fileError(
    file,
    "not a table: columns need an object of arrays or an array of objects",
    "for a whole vector or matrix leave the column name out: @file.json",
  );
}

function jsonColumns(file: string, value: Record<string, unknown>): Table {
  const names = Object.keys(value);
  const columns = names.map((name) => {
    const column = own(value, name);
    if (!Array.isArray(column)) throw fileError(file, `not a table: ${name} is not an array`);
    return column as unknown[];
  });
  const rowCount = columns[0]?.length ?? 0;
  names.forEach((name, index) => {
    const length = columns[index]?.length ?? 0;
    if (length === rowCount) return;
    throw fileError(file, `not a table: ${names[0]} has ${rowCount} rows, ${name} has ${length}`);
  });
  return {
    ...tableOf(file, names, rowCount),
    column(name) {
      const column = columns[pickColumn(file, names, name)] ?? [];
      return Float64Array.from(column, (cell, row) => jsonNumber(file, `${name}[${row}]`, cell));
    },
  };
}

const isJson = (file: string): boolean => extname(file).toLowerCase() === ".json";

/** Named columns of a CSV, TSV or JSON file. */
export async function readTable(file: string): Promise<Table> {
  const text = await readTextFile(file);
  return isJson(file) ? jsonTable(file, text) : delimitedTable(file, text);
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
  const text = await readTextFile(file);
  if (isJson(file)) return tensorOfJson(file, parseJson(file, text));
  let rows = splitRows(file, text);
  if (rows[0]?.cells.every((cell) => parseNumber(cell) === undefined)) rows = rows.slice(1);
  const first = rows[0];
  if (first === undefined) throw fileError(file, "not a matrix: the file holds no numbers");
  requireEqualWidths(file, rows);
  const numbers = rows.map((row) =>
    row.cells.map((_, index) => numberAt(file, row, index, String(index + 1))),
  );
  return first.cells.length === 1 ? vec(numbers.map((row) => row[0] ?? Number.NaN)) : mat(numbers);
}
