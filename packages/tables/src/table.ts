/**
 * A table that has been read: columns by name, and where each row stood in its file.
 */

import { type NdvmError, nearest } from "@ndvm/core";
import { nearNumber } from "./cells.js";
import type { StoredColumn, Word } from "./column.js";
import { type DateUnit, unitText } from "./dates.js";
import { shortened, tableError } from "./errors.js";

/** What `rowNumbers` count: lines of a text, rows of a sheet, or rows of the table. */
export type RowPlace = "line" | "sheet row" | "row";

export interface TableParts {
  readonly name: string;
  readonly columns: ReadonlyMap<string, StoredColumn>;
  readonly rowCount: number;
  readonly rowNumbers: Uint32Array;
  readonly rowPlace: RowPlace;
  readonly dates: DateUnit | undefined;
}

/** Rows that a message names. */
const ROWS_SHOWN = 8;

export class Table {
  /** What messages call the table: its file. */
  readonly name: string;
  /** Column names in the order of the file. */
  readonly names: readonly string[];
  /**
   * Numbers, NaN where they are missing, or texts, "" where they are missing. A column of words whose
   * text was not wanted is not here; `isNumeric` and `numbers` tell.
   */
  readonly columns: ReadonlyMap<string, Float64Array | readonly string[]>;
  readonly rowCount: number;
  /** Where each row stood in the file, counted from 1. */
  readonly rowNumbers: Uint32Array;
  readonly rowPlace: RowPlace;
  /** What the numbers of columns of dates count: "days since 1970-01-01". */
  readonly units: ReadonlyMap<string, string>;
  readonly #stored: ReadonlyMap<string, StoredColumn>;

  constructor({ name, columns, rowCount, rowNumbers, rowPlace, dates }: TableParts) {
    this.name = name;
    this.names = [...columns.keys()];
    this.rowCount = rowCount;
    this.rowNumbers = rowNumbers;
    this.rowPlace = rowPlace;
    this.#stored = columns;
    const plain = new Map<string, Float64Array | readonly string[]>();
    const units = new Map<string, string>();
    for (const [column, { texts, numbers, isDates }] of columns) {
      const values = texts ?? numbers;
      if (values !== undefined) plain.set(column, values);
      if (isDates && dates !== undefined) units.set(column, unitText(dates));
    }
    this.columns = plain;
    this.units = units;
  }

  has(column: string): boolean {
    return this.#stored.has(column);
  }

  /** Whether every cell is a number, a date or missing. */
  isNumeric(column: string): boolean {
    return this.#column(column, "").numbers !== undefined;
  }

  /** The column's numbers, NaN where one is missing. `role` says in messages what it is for. */
  numbers(column: string, role = ""): Float64Array {
    const { numbers, firstWord, words } = this.#column(column, role);
    if (numbers !== undefined) return numbers;
    throw this.#notNumber(column, firstWord as Word, words);
  }

  /** The column's text, "" where it is missing. */
  texts(column: string, role = ""): readonly string[] {
    const { texts, numbers, firstWord, words } = this.#column(column, role);
    if (texts !== undefined) return texts;
    if (numbers === undefined) throw this.#notNumber(column, firstWord as Word, words);
    return Array.from(numbers, (value) => (Number.isNaN(value) ? "" : String(value)));
  }

  /**
   * How messages call some rows (counted from 0) and `unnamed` more: numbers and lines of the first
   * few.
   */
  rowsInWords(rows: readonly number[], unnamed = 0): string {
    const shown = rows.slice(0, ROWS_SHOWN);
    const count = rows.length + unnamed;
    const more = count > shown.length ? ` and ${count - shown.length} more` : "";
    const plural = count === 1 ? "" : "s";
    const counted = shown.map((row) => row + 1).join(", ");
    const words = `row${plural} ${counted}${more}`;
    if (this.rowPlace === "row") return words;
    const places = shown.map((row) => this.rowNumbers[row] ?? 0).join(", ");
    return `${words} (${this.rowPlace}${plural} ${places}${more === "" ? "" : ", …"})`;
  }

  /** Names of the columns for a message, not more than fit into it. */
  someNames(): string {
    return this.names.slice(0, 12).join(", ") + (this.names.length > 12 ? ", …" : "");
  }

  #column(name: string, role: string): StoredColumn {
    const column = this.#stored.get(name);
    if (column !== undefined) return column;
    const near = nearest(name, this.names);
    throw tableError(
      this.name,
      `there is no column ${name}${role}`,
      { reason: "column", column: name, names: near === undefined ? [] : [near] },
      `${near === undefined ? "" : `did you mean ${near}? `}its columns are ${this.someNames()}`,
    );
  }

  #notNumber(column: string, { row, text, isAmongDates }: Word, words: number): NdvmError {
    const others = words - 1;
    const more =
      others > 0 ? `, nor ${others === 1 ? "is" : "are"} ${others} more of its cells` : "";
    const what = isAmongDates ? "a date, as the cells above it are" : "a number";
    return tableError(
      this.name,
      `${this.rowsInWords([row])}, column ${column}: "${shortened(text)}" is not ${what}${more}`,
      {
        reason: words === this.rowCount ? "words" : "word",
        rows: [row],
        rowsMore: others,
        column,
        expected: isAmongDates ? "date" : "number",
        actual: text,
      },
      nearNumber(text) ?? "correct it, leave the row out, or count it as missing",
    );
  }
}
