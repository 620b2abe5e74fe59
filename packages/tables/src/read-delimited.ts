/** Delimited text as a table: the head names the columns, then each row is a line of cells. */

import type { TableBuilder } from "./builder.js";
import { isNumber } from "./cells.js";
import type { ColumnBuilder } from "./column.js";
import { delimiterOf, type Row, RowSplitter } from "./delimited.js";
import { EMPTY_HELP, tableError } from "./errors.js";
import { PlainNumber } from "./plain-number.js";
import type { Table } from "./table.js";
import type { ReadOptions } from "./types.js";

export async function readDelimited(
  builder: TableBuilder,
  pieces: AsyncIterable<string>,
  options: ReadOptions,
): Promise<Table> {
  const reader = new DelimitedReader(builder, options);
  for await (const piece of pieces) reader.push(piece);
  return reader.finish();
}

class DelimitedReader {
  readonly #builder: TableBuilder;
  readonly #options: ReadOptions;
  readonly #splitter: RowSplitter;
  #columns: ColumnBuilder[] = [];
  #head: Row | undefined;
  readonly #plain = new PlainNumber();

  constructor(builder: TableBuilder, options: ReadOptions) {
    this.#builder = builder;
    this.#options = options;
    this.#splitter = new RowSplitter(builder.name, (row) => this.#take(row), options.delimiter);
  }

  push(text: string): void {
    this.#splitter.push(text);
  }

  finish(): Table {
    this.#splitter.end();
    const { name } = this.#builder;
    if (this.#head === undefined)
      throw tableError(name, "not a table: the file is empty", { reason: "empty" }, EMPTY_HELP);
    return this.#builder.finish("line");
  }

  #take(row: Row): void {
    if (this.#head === undefined && !this.#takeHead(row)) return;
    const { cells, line } = row;
    const columns = this.#columns;
    if (cells.length !== columns.length) throw this.#ragged(row);
    for (let index = 0; index < cells.length; index++) {
      (columns[index] as ColumnBuilder).addText(cells[index] as string);
    }
    this.#builder.endRow(line);
  }

  /** A line without quotes: numbers are read where they stand, other cells are cut out. */
  #takeLine(text: string, from: number, to: number, line: number): void {
    const columns = this.#columns;
    const { delimiter } = this.#splitter;
    const mark = delimiter.charCodeAt(0);
    let at = from;
    let count = 0;
    for (; at <= to; count++) {
      const column = columns[count];
      if (column === undefined) break;
      const value = column.takesPlain ? this.#plain.read(text, at, to, mark) : Number.NaN;
      if (Number.isNaN(value)) {
        const next = text.indexOf(delimiter, at);
        const end = next < 0 || next > to ? to : next;
        column.addText(text.slice(at, end));
        at = end + 1;
      } else {
        column.addPlain(value);
        at = this.#plain.end + 1;
      }
    }
    if (count !== columns.length || at <= to)
      throw this.#ragged({ line, cells: text.slice(from, to).split(delimiter) });
    this.#builder.endRow(line);
  }

  /** Names the columns; whether the row holds data all the same. */
  #takeHead(row: Row): boolean {
    const { decimal, head } = this.#options;
    if (decimal === undefined)
      this.#builder.rules.hasDecimalCommas = this.#splitter.delimiter === ";";
    const isData =
      head === "optional" ? row.cells.some(isNumber) : row.cells.every((cell) => isNumber(cell));
    if (!isData) {
      this.#name(row);
      return false;
    }
    const { comment } = this.#splitter;
    const names = comment?.split(delimiterOf(comment));
    if (names !== undefined && names.length === row.cells.length && names.length > 1) {
      this.#name({ line: row.line - 1, cells: names });
      return true;
    }
    if (head === "optional") {
      this.#name({ line: row.line, cells: row.cells.map(() => "") });
      return true;
    }
    throw tableError(
      this.#builder.name,
      "not a table: the first row holds numbers, not column names",
      { reason: "head", value: row.line },
      "add a first row that names the columns",
    );
  }

  #name(head: Row): void {
    this.#head = head;
    this.#splitter.onPlainLine = (text, from, to, line) => this.#takeLine(text, from, to, line);
    this.#columns = head.cells.map((cell, index) =>
      this.#builder.make(cell.trim() || `column${index + 1}`),
    );
  }

  #ragged({ cells, line }: Row): Error {
    const head = this.#head as Row;
    const count = `${cells.length} ${cells.length === 1 ? "cell" : "cells"}`;
    return tableError(
      this.#builder.name,
      `not a table: line ${line} has ${count}, line ${head.line} has ${head.cells.length}`,
      {
        reason: "ragged",
        rows: [this.#builder.rowCount],
        limit: head.cells.length,
        value: cells.length,
        actual: cells.join(this.#splitter.delimiter),
      },
      "cells that hold the mark between cells stand in quotes",
    );
  }
}
