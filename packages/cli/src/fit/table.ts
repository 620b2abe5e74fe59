/**
 * The table a program is fitted to: CSV, TSV or JSON, read in pieces into columns.
 *
 * A cell is a number, missing, or a word. Words are no error where they stand, only where a column
 * is asked for its numbers: a table may well have columns that a fit does not read. Columns whose
 * exact text matters (groups, filters by word) are named when the table is read.
 */

import { extname } from "node:path";
import { type NdvmError, nearest, own } from "@ndvm/core";
import {
  DASH_HELP,
  delimiterOf,
  EMPTY_HELP,
  fileError,
  hasDash,
  type Row,
  RowSplitter,
  TWICE_HELP,
} from "../delimited.js";
import { streamText } from "../text-file.js";

export interface TableOptions {
  /** Columns whose text is kept. */
  readonly texts?: ReadonlySet<string>;
  /** Further cells that mean a missing value. */
  readonly missing?: readonly string[];
  /** New names of columns: name → what the file calls it. */
  readonly renamed?: ReadonlyMap<string, string>;
}

const MISSING = /^(|na|n\/a|nan|null|none|nil|missing|\.|\?|-+|#n\/a|<na>)$/i;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const DECIMAL_COMMA = /^[+-]?\d*,\d+(e[+-]?\d+)?$/i;
const INFINITE = /^([+-]?)inf(inity)?$/i;
const TRUTH = /^(true|false)$/i;

/** The first cell of a column that is neither number nor missing. */
interface Word {
  readonly row: number;
  readonly text: string;
}

class Column {
  numbers = new Float64Array(1024);
  count = 0;
  words = 0;
  firstWord: Word | undefined;
  readonly texts: string[] | undefined;

  constructor(keepsText: boolean) {
    this.texts = keepsText ? [] : undefined;
  }

  add(value: number, text: string, isWord: boolean): void {
    if (this.count === this.numbers.length) {
      const wider = new Float64Array(this.count * 2);
      wider.set(this.numbers);
      this.numbers = wider;
    }
    if (isWord) {
      this.words += 1;
      this.firstWord ??= { row: this.count, text };
    }
    this.numbers[this.count] = value;
    this.texts?.push(text);
    this.count += 1;
  }
}

/** Rows that a message names. */
const ROWS_SHOWN = 8;

export class DataTable {
  readonly file: string;
  readonly names: readonly string[];
  readonly rowCount: number;
  readonly #columns: ReadonlyMap<string, Column>;
  /** The line of each row; undefined for JSON. */
  readonly #lines: Uint32Array | undefined;

  constructor(
    file: string,
    columns: ReadonlyMap<string, Column>,
    rowCount: number,
    lines?: Uint32Array,
  ) {
    this.file = file;
    this.names = [...columns.keys()];
    this.rowCount = rowCount;
    this.#columns = columns;
    this.#lines = lines;
  }

  has(name: string): boolean {
    return this.#columns.has(name);
  }

  /** Whether every cell is a number or missing. */
  isNumeric(name: string): boolean {
    return this.#column(name, "").words === 0;
  }

  /** The column's numbers, NaN where one is missing. `role` says in messages what it is for. */
  numbers(name: string, role = ""): Float64Array {
    const column = this.#column(name, role);
    if (column.firstWord !== undefined) throw this.#notNumber(name, column, column.firstWord);
    return column.numbers.subarray(0, this.rowCount);
  }

  /** The column's text, "" where it is missing. */
  texts(name: string, role = ""): readonly string[] {
    const column = this.#column(name, role);
    return (
      column.texts ??
      Array.from(column.numbers.subarray(0, this.rowCount), (value) =>
        Number.isNaN(value) ? "" : String(value),
      )
    );
  }

  /** How messages call some rows (counted from 0), and `unnamed` more: the first few' numbers, lines. */
  rowsInWords(rows: readonly number[], unnamed = 0): string {
    const shown = rows.slice(0, ROWS_SHOWN);
    const count = rows.length + unnamed;
    const more = count > shown.length ? ` and ${count - shown.length} more` : "";
    const one = count === 1;
    const counted = shown.map((row) => row + 1).join(", ");
    const words = `${one ? "row" : "rows"} ${counted}${more}`;
    if (this.#lines === undefined) return words;
    const lines = shown.map((row) => this.#lines?.[row] ?? 0).join(", ");
    return `${words} (${one ? "line" : "lines"} ${lines}${more === "" ? "" : ", …"})`;
  }

  /** Names of the columns for a message, not more than fit into it. */
  someNames(): string {
    return this.names.slice(0, 12).join(", ") + (this.names.length > 12 ? ", …" : "");
  }

  #column(name: string, role: string): Column {
    const column = this.#columns.get(name);
    if (column !== undefined) return column;
    const near = nearest(name, this.names);
    throw fileError(
      this.file,
      `there is no column ${name}${role}`,
      `${near === undefined ? "" : `did you mean ${near}? `}its columns are ${this.someNames()}`,
    );
  }

  #notNumber(name: string, column: Column, { row, text }: Word): NdvmError {
    const others = column.words - 1;
    const more =
      others > 0 ? `, nor ${others === 1 ? "is" : "are"} ${others} more of its cells` : "";
    const where = this.rowsInWords([row]);
    const shown = text.length > 40 ? `${text.slice(0, 39)}…` : text;
    return fileError(
      this.file,
      `${where}, column ${name}: "${shown}" is not a number${more}`,
      helpFor(name, text, column.words === this.rowCount),
    );
  }
}

/** Help for a cell that is nearly a number. */
function nearNumber(text: string): string | undefined {
  if (/^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}/.test(text)) {
    return "a date is not a number: add a column that counts days or years";
  }
  if (hasDash(text)) return DASH_HELP;
  if (/^[+-]?[\d,. ']+$/.test(text)) return "write numbers as 1234.5, without other marks";
  if (/^[+-]?[\d.]+\s*\D+$/.test(text)) return "leave out units and signs after the number";
  return undefined;
}

function helpFor(name: string, text: string, isAllWords: boolean): string {
  const near = nearNumber(text);
  if (near !== undefined) return near;
  if (isAllWords) {
    return (
      `the column holds words: --where ${name}=${quoted(text)} takes rows by them, ` +
      `--group ${name}:… makes groups of them`
    );
  }
  return `correct it, leave the row out with --where, or count it as missing: --na ${quoted(text)}`;
}

const quoted = (text: string): string => (/^\w+$/.test(text) ? text : `'${text}'`);

/** Reads a table; `file` is "-" for standard input. */
export async function readDataTable(file: string, options: TableOptions = {}): Promise<DataTable> {
  const name = file === "-" ? "standard input" : file;
  const builder = new TableBuilder(name, options);
  const extension = extname(file).toLowerCase();
  if (extension === ".json") {
    let text = "";
    for await (const piece of streamText(file)) text += piece;
    return builder.fromJson(text);
  }
  const isLines = extension === ".jsonl" || extension === ".ndjson";
  return isLines ? builder.fromJsonLines(streamText(file)) : builder.fromText(streamText(file));
}

class TableBuilder {
  readonly #file: string;
  readonly #options: TableOptions;
  readonly #missing: ReadonlySet<string>;
  readonly #missingNumbers: ReadonlySet<number>;
  readonly #columns = new Map<string, Column>();
  #order: Column[] = [];
  #head: Row | undefined;
  #hasDecimalCommas = false;
  #rowCount = 0;
  #lines = new Uint32Array(1024);

  constructor(file: string, options: TableOptions) {
    this.#file = file;
    this.#options = options;
    this.#missing = new Set(options.missing);
    const numbers = (options.missing ?? []).filter((word) => NUMBER.test(word)).map(Number);
    this.#missingNumbers = new Set(numbers);
  }

  async fromText(pieces: AsyncIterable<string>): Promise<DataTable> {
    const splitter = new RowSplitter(this.#file, (row) => this.#take(row, splitter));
    for await (const piece of pieces) splitter.push(piece);
    splitter.end();
    if (this.#head === undefined)
      throw fileError(this.#file, "not a table: the file is empty", EMPTY_HELP);
    return this.#finish(this.#lines.subarray(0, this.#rowCount));
  }

  #take(row: Row, splitter: RowSplitter): void {
    if (this.#head === undefined) {
      this.#hasDecimalCommas = splitter.delimiter === ";";
      if (!this.#takeHead(row, splitter.comment)) return;
    }
    const { cells, line } = row;
    const head = this.#head as unknown as Row;
    if (cells.length !== head.cells.length) {
      throw fileError(
        this.#file,
        `not a table: line ${line} has ${cells.length} ${cells.length === 1 ? "cell" : "cells"}, ` +
          `line ${head.line} has ${head.cells.length}`,
        "cells that hold the mark between cells stand in quotes",
      );
    }
    for (let index = 0; index < cells.length; index++) {
      this.#addCell(this.#order[index] as Column, cells[index] as string);
    }
    if (this.#rowCount === this.#lines.length) {
      const longer = new Uint32Array(this.#rowCount * 2);
      longer.set(this.#lines);
      this.#lines = longer;
    }
    this.#lines[this.#rowCount] = line;
    this.#rowCount += 1;
  }

  /** Names the columns; whether the row holds data all the same. */
  #takeHead(row: Row, comment: string | undefined): boolean {
    const isNumbers = row.cells.every((cell) => NUMBER.test(cell.trim()));
    if (!isNumbers) {
      this.#name(row);
      return false;
    }
    const names = comment?.split(delimiterOf(comment)).map((cell) => cell.trim());
    if (names === undefined || names.length !== row.cells.length || names.length === 1) {
      throw fileError(
        this.#file,
        "not a table: the first row holds numbers, not column names",
        "add a first row that names the columns",
      );
    }
    this.#name({ line: row.line - 1, cells: names });
    return true;
  }

  #name(head: Row): void {
    this.#head = head;
    const texts = head.cells.map((cell, index) => cell.trim() || `column${index + 1}`);
    for (const text of texts) this.#makeColumn(text);
    this.#order = texts.map((text) => this.#columns.get(this.#nameOf(text)) as Column);
  }

  #nameOf(text: string): string {
    for (const [name, column] of this.#options.renamed ?? []) if (column === text) return name;
    return text;
  }

  #makeColumn(text: string): Column {
    const name = this.#nameOf(text);
    if (this.#columns.has(name))
      throw fileError(this.#file, `two columns are called ${name}`, TWICE_HELP);
    const column = new Column(this.#options.texts?.has(name) ?? false);
    this.#columns.set(name, column);
    return column;
  }

  #addCell(column: Column, cell: string): void {
    const text = cell.trim();
    const value = this.#numberOf(text);
    if (value === undefined) column.add(Number.NaN, text, true);
    else column.add(value, Number.isNaN(value) ? "" : text, false);
  }

  /** NaN for a missing value, undefined for a word. */
  #numberOf(text: string): number | undefined {
    if (NUMBER.test(text)) {
      const value = Number(text);
      return this.#missingNumbers.has(value) ? Number.NaN : value;
    }
    if (MISSING.test(text) || this.#missing.has(text)) return Number.NaN;
    if (this.#hasDecimalCommas && DECIMAL_COMMA.test(text)) return Number(text.replace(",", "."));
    if (TRUTH.test(text)) return text.toLowerCase() === "true" ? 1 : 0;
    const infinite = INFINITE.exec(text);
    if (infinite) return infinite[1] === "-" ? -Infinity : Infinity;
    return undefined;
  }

  // ---- JSON -----------------------------------------------------------------------------------

  fromJson(text: string): DataTable {
    const value = this.#parse(text, "");
    if (Array.isArray(value) && value.length > 0 && value.every(isObject)) {
      for (const row of value) this.#takeObject(row);
      return this.#finish();
    }
    if (isObject(value) && Object.values(value).some(Array.isArray)) {
      return this.#fromColumns(value);
    }
    throw fileError(
      this.#file,
      "not a table",
      "a table in JSON is an object of arrays or an array of objects",
    );
  }

  async fromJsonLines(pieces: AsyncIterable<string>): Promise<DataTable> {
    let rest = "";
    let line = 0;
    const take = (text: string): void => {
      line += 1;
      if (text.trim() === "") return;
      const row = this.#parse(text, `line ${line}: `);
      if (!isObject(row)) throw fileError(this.#file, `not a table: line ${line} is no object`);
      this.#takeObject(row);
    };
    for await (const piece of pieces) {
      const lines = (rest + piece).split("\n");
      rest = lines.pop() ?? "";
      for (const one of lines) take(one);
    }
    take(rest);
    return this.#finish();
  }

  #parse(text: string, where: string): unknown {
    try {
      return JSON.parse(text);
    } catch (cause) {
      throw fileError(this.#file, `${where}not JSON: ${(cause as Error).message}`);
    }
  }

  #takeObject(row: Record<string, unknown>): void {
    for (const key of Object.keys(row)) {
      if (this.#columns.has(this.#nameOf(key))) continue;
      const column = this.#makeColumn(key);
      for (let index = 0; index < this.#rowCount; index++) column.add(Number.NaN, "", false);
      this.#order.push(column);
    }
    const names = [...this.#columns.keys()];
    for (const [index, column] of this.#order.entries()) {
      const name = names[index] as string;
      this.#addValue(column, own(row, this.#options.renamed?.get(name) ?? name));
    }
    this.#rowCount += 1;
  }

  #fromColumns(value: Record<string, unknown>): DataTable {
    const [first = ["", []]] = Object.entries(value);
    for (const [key, cells] of Object.entries(value)) {
      if (!Array.isArray(cells)) throw fileError(this.#file, `not a table: ${key} is not an array`);
      const length = (first[1] as unknown[]).length;
      if (cells.length !== length) {
        throw fileError(
          this.#file,
          `not a table: ${first[0]} has ${length} rows, ${key} has ${cells.length}`,
        );
      }
      const column = this.#makeColumn(key);
      for (const cell of cells) this.#addValue(column, cell);
      this.#rowCount = length;
    }
    return this.#finish();
  }

  #addValue(column: Column, value: unknown): void {
    if (typeof value === "number" && !this.#missingNumbers.has(value)) {
      column.add(value, String(value), false);
    } else if (value === null || value === undefined || typeof value === "number") {
      column.add(Number.NaN, "", false);
    } else if (typeof value === "boolean") {
      column.add(Number(value), String(value), false);
    } else if (typeof value === "string") this.#addCell(column, value);
    else column.add(Number.NaN, JSON.stringify(value), true);
  }

  #finish(lines?: Uint32Array): DataTable {
    if (this.#rowCount === 0) throw fileError(this.#file, "the table has no rows", EMPTY_HELP);
    for (const [name, text] of this.#options.renamed ?? []) {
      if (this.#columns.has(name)) continue;
      const near = nearest(text, [...this.#columns.keys()]);
      throw fileError(
        this.#file,
        `there is no column ${text} to call ${name}`,
        near === undefined ? undefined : `did you mean ${near}?`,
      );
    }
    return new DataTable(this.#file, this.#columns, this.#rowCount, lines);
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
