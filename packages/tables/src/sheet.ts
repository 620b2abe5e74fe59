/**
 * One sheet of a workbook as a table. Its first row that is not empty names the columns; empty rows
 * are passed over, as blank lines are in text.
 */

import type { TableBuilder } from "./builder.js";
import type { ColumnBuilder } from "./column.js";
import { EMPTY_HELP, shortened, tableError } from "./errors.js";
import type { Table } from "./table.js";
import { readXml } from "./xml.js";

export interface SheetStyle {
  /** Whether dates count from 1904. */
  readonly is1904: boolean;
  readonly isDate: readonly boolean[];
  readonly strings: readonly string[];
}

type Cell = number | string | boolean | Date;
type OnRow = (number: number, cells: readonly (Cell | undefined)[]) => void;

/** The last column that a sheet can have: XFD. */
const COLUMNS_MAX = 16_384;
const DAY = 86_400_000;
/** Days from the sheet's day 0 to 1970-01-01. */
const EPOCH_1900 = 25_569;
const EPOCH_1904 = 24_107;

export function readSheet(
  builder: TableBuilder,
  bytes: Uint8Array,
  style: SheetStyle,
  isHeadOptional: boolean,
): Table {
  const rows = new RowReader(builder, isHeadOptional);
  const cells = new CellReader(style, (number, row) => rows.take(number, row));
  readXml(bytes, cells);
  return rows.finish();
}

/** A day of the sheet's count. Before March 1900 it counts a 29th of February that never was. */
function sheetDate(serial: number, is1904: boolean): Date {
  if (is1904) return new Date(Math.round((serial - EPOCH_1904) * DAY));
  return new Date(Math.round((serial - EPOCH_1900 + (serial < 60 ? 1 : 0)) * DAY));
}

/** The column of a cell such as B5, from 0; undefined for what is no cell's name. */
function columnOf(reference: string | undefined): number | undefined {
  const letters = /^([A-Z]{1,3})\d+$/.exec(reference ?? "")?.[1];
  if (letters === undefined) return undefined;
  let index = 0;
  for (const letter of letters) index = index * 26 + letter.charCodeAt(0) - 64;
  return index <= COLUMNS_MAX ? index - 1 : undefined;
}

function columnLetters(index: number): string {
  const rest = Math.floor(index / 26);
  return (rest > 0 ? columnLetters(rest - 1) : "") + String.fromCharCode(65 + (index % 26));
}

/** From XML to rows of cells. Readings of Asian words (rPh) are no part of a cell. */
class CellReader {
  readonly #style: SheetStyle;
  readonly #onRow: OnRow;
  #row: (Cell | undefined)[] = [];
  #number = 0;
  #column = -1;
  #type = "n";
  #isDate = false;
  #text = "";
  #isValue = false;
  #isReading = false;

  constructor(style: SheetStyle, onRow: OnRow) {
    this.#style = style;
    this.#onRow = onRow;
  }

  open(element: string, attribute: (name: string) => string | undefined): void {
    if (element === "row") {
      const number = Number(attribute("r"));
      this.#number = Number.isInteger(number) && number > 0 ? number : this.#number + 1;
      this.#row = [];
      this.#column = -1;
    } else if (element === "c") {
      this.#column = columnOf(attribute("r")) ?? this.#column + 1;
      this.#type = attribute("t") ?? "n";
      this.#isDate = this.#style.isDate[Number(attribute("s") ?? "-1")] === true;
      this.#text = "";
    } else {
      if (element === "rPh") this.#isReading = true;
      this.#isValue = element === "v" || (element === "t" && !this.#isReading);
    }
  }

  text(text: string): void {
    if (this.#isValue) this.#text += text;
  }

  close(element: string): void {
    if (element === "row") this.#onRow(this.#number, this.#row);
    if (element === "c" && this.#text !== "") this.#row[this.#column] = this.#cell();
    if (element === "rPh") this.#isReading = false;
    this.#isValue = false;
  }

  #cell(): Cell {
    const text = this.#text;
    if (this.#type === "s") {
      const string = this.#style.strings[Number(text)];
      if (string === undefined) throw new Error(`there is no shared text ${text}`);
      return string;
    }
    if (this.#type === "b") return text === "1" || text === "true";
    if (this.#type !== "n") return text;
    const number = Number(text);
    if (Number.isNaN(number)) return text;
    return this.#isDate ? sheetDate(number, this.#style.is1904) : number;
  }
}

const textOf = (cell: Cell | undefined): string =>
  cell instanceof Date ? cell.toISOString().slice(0, 10) : String(cell ?? "");

const isBlank = (cell: Cell | undefined): boolean => textOf(cell).trim() === "";

/** From rows of cells to columns. */
class RowReader {
  readonly #builder: TableBuilder;
  readonly #isHeadOptional: boolean;
  #columns: ColumnBuilder[] | undefined;
  /** The column of the sheet that is the table's first. */
  #from = 0;

  constructor(builder: TableBuilder, isHeadOptional: boolean) {
    this.#builder = builder;
    this.#isHeadOptional = isHeadOptional;
  }

  take(number: number, row: readonly (Cell | undefined)[]): void {
    const cells = Array.from(row);
    if (cells.every(isBlank)) return;
    if (this.#columns === undefined && !this.#takeHead(number, cells)) return;
    const columns = this.#columns as ColumnBuilder[];
    const to = this.#from + columns.length;
    const odd = cells.findIndex(
      (cell, index) => (index < this.#from || index >= to) && !isBlank(cell),
    );
    if (odd >= 0) throw this.#outside(number, odd, textOf(cells[odd]));
    for (const [index, column] of columns.entries()) {
      this.#builder.addValue(column, cells[this.#from + index]);
    }
    this.#builder.endRow(number);
  }

  /** Names the columns; whether the row holds data all the same. */
  #takeHead(number: number, cells: readonly (Cell | undefined)[]): boolean {
    this.#from = cells.findIndex((cell) => !isBlank(cell));
    const to = cells.findLastIndex((cell) => !isBlank(cell)) + 1;
    const head = cells.slice(this.#from, to);
    const isData = head.every((cell) => typeof cell === "number");
    if (isData && !this.#isHeadOptional) {
      throw tableError(
        this.#builder.name,
        "not a table: the first row holds numbers, not column names",
        { reason: "head", value: number },
        "add a first row that names the columns",
      );
    }
    this.#columns = head.map((cell, index) =>
      this.#builder.make((isData ? "" : textOf(cell).trim()) || `column${index + 1}`),
    );
    return isData;
  }

  #outside(number: number, column: number, text: string): Error {
    const cell = `${columnLetters(column)}${number}`;
    return tableError(
      this.#builder.name,
      `cell ${cell} ("${shortened(text)}") stands in a column that has no name`,
      { reason: "ragged", rows: [this.#builder.rowCount], column: cell, actual: text },
      "name the column in the first row, or empty the cell",
    );
  }

  finish(): Table {
    if (this.#columns === undefined) {
      const { name } = this.#builder;
      throw tableError(name, "not a table: the sheet is empty", { reason: "empty" }, EMPTY_HELP);
    }
    return this.#builder.finish("sheet row");
  }
}
