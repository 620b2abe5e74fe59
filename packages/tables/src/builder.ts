/**
 * A table while it is read: named columns that cells are added to, and the place of each row.
 */

import { nearest } from "@ndvm/core";
import { CellRules } from "./cells.js";
import { ColumnBuilder } from "./column.js";
import { EMPTY_HELP, TWICE_HELP, tableError } from "./errors.js";
import { type RowPlace, Table } from "./table.js";
import type { ReadOptions } from "./types.js";

export const TABLE_BYTES_MAX = 2 ** 32;
const NUMBER_BYTES = 8;

/** Numbers of rows as runs of neighbours: most tables are one run. */
class RowNumbers {
  /** For each run: its first row, and that row's number. */
  readonly #starts: number[] = [];
  readonly #numbers: number[] = [];
  #next = 0;

  add(row: number, number: number): void {
    if (number !== this.#next) {
      this.#starts.push(row);
      this.#numbers.push(number);
    }
    this.#next = number + 1;
  }

  finish(rowCount: number): Uint32Array {
    const all = new Uint32Array(rowCount);
    let run = 0;
    let number = 0;
    for (let row = 0; row < rowCount; row++) {
      if (this.#starts[run] === row) number = this.#numbers[run++] as number;
      all[row] = number++;
    }
    return all;
  }
}

export class TableBuilder {
  readonly name: string;
  readonly rules: CellRules;
  readonly #options: ReadOptions;
  /** The new name of each renamed column, by what the file calls it. */
  readonly #newNames: ReadonlyMap<string, string>;
  /** By name, and by what the file calls it. */
  readonly #columns = new Map<string, ColumnBuilder>();
  readonly #byText = new Map<string, ColumnBuilder>();
  readonly #rowNumbers = new RowNumbers();
  readonly #bytesMax: number;
  #rowCount = 0;

  constructor(name: string, options: ReadOptions) {
    this.name = name;
    this.#options = options;
    const { missing, dates = "days" } = options;
    this.rules = new CellRules({ missing, dates: dates === "words" ? undefined : dates });
    this.rules.hasDecimalCommas = options.decimal === ",";
    this.#newNames = new Map([...(options.renamed ?? [])].map(([to, from]) => [from, to]));
    this.#bytesMax = options.bytesMax ?? TABLE_BYTES_MAX;
  }

  get rowCount(): number {
    return this.#rowCount;
  }

  /** The column that the file calls so, if it is there. */
  find(text: string): ColumnBuilder | undefined {
    return this.#byText.get(text);
  }

  /** The columns by what the file calls them, in its order. */
  columns(): Iterable<readonly [string, ColumnBuilder]> {
    return this.#byText;
  }

  /** A new column; rows that were read before have no value in it. */
  make(text: string): ColumnBuilder {
    const name = this.#newNames.get(text) ?? text;
    if (this.#columns.has(name)) {
      const message = `two columns are called ${name}`;
      throw tableError(this.name, message, { reason: "twice", column: name }, TWICE_HELP);
    }
    const { texts = "all" } = this.#options;
    const keep = texts === "all" ? "words" : texts.has(name) ? "always" : "never";
    const column = new ColumnBuilder(this.rules, keep);
    for (let row = 0; row < this.#rowCount; row++) column.addMissing();
    this.#columns.set(name, column);
    this.#byText.set(text, column);
    return column;
  }

  /** Ends a row; `number` is where it stood in the file, counted from 1. */
  endRow(number: number): void {
    this.#rowNumbers.add(this.#rowCount, number);
    this.#rowCount += 1;
    if ((this.#rowCount & 0xffff) === 0) this.requireRoom(this.#rowCount);
  }

  /** Ends many rows at once, whose numbers count on from 1. */
  endRows(count: number): void {
    for (let row = 0; row < count; row++) {
      this.#rowNumbers.add(this.#rowCount, this.#rowCount + 1);
      this.#rowCount += 1;
    }
  }

  /** Refuses a table that would take more memory than it may. */
  requireRoom(rows: number, columns = this.#columns.size): void {
    const bytes = rows * Math.max(1, columns) * NUMBER_BYTES;
    if (bytes <= this.#bytesMax) return;
    throw tableError(
      this.name,
      `the table is too large: ${rows} rows of ${columns} columns take ${bytes} bytes`,
      { reason: "size", limit: this.#bytesMax, value: bytes },
      `at most ${this.#bytesMax} bytes are read; take fewer rows or columns, or raise bytesMax`,
    );
  }

  /** A cell of a format that has types. */
  addValue(column: ColumnBuilder, value: unknown): void {
    if (typeof value === "number") column.addNumber(value);
    else if (value === null || value === undefined) column.addMissing();
    else if (typeof value === "string") column.addText(value);
    else if (typeof value === "boolean") column.addTruth(value);
    else if (typeof value === "bigint") addBigInteger(column, value);
    else if (value instanceof Date) column.addDate(value.getTime());
    else column.addWord(textOf(value));
  }

  finish(rowPlace: RowPlace): Table {
    if (this.#rowCount === 0)
      throw tableError(this.name, "the table has no rows", { reason: "empty" }, EMPTY_HELP);
    for (const [name, text] of this.#options.renamed ?? []) {
      if (this.#columns.has(name)) continue;
      const near = nearest(text, [...this.#columns.keys()]);
      throw tableError(
        this.name,
        `there is no column ${text} to call ${name}`,
        { reason: "column", column: text, names: near === undefined ? [] : [near] },
        near === undefined ? undefined : `did you mean ${near}?`,
      );
    }
    const columns = new Map([...this.#columns].map(([name, column]) => [name, column.finish()]));
    return new Table({
      name: this.name,
      columns,
      rowCount: this.#rowCount,
      rowNumbers: this.#rowNumbers.finish(this.#rowCount),
      rowPlace,
      dates: this.rules.dates,
    });
  }
}

/** Integers that a number cannot hold exactly are names of things, not amounts. */
function addBigInteger(column: ColumnBuilder, value: bigint): void {
  const number = Number(value);
  if (Number.isSafeInteger(number)) column.addNumber(number);
  else column.addWord(String(value));
}

function textOf(value: unknown): string {
  const plain = (_: string, part: unknown): unknown =>
    typeof part === "bigint" ? String(part) : part;
  return JSON.stringify(value, plain) ?? String(value);
}
