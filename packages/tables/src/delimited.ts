/**
 * Delimited text (CSV, TSV, semicolons, bars) as rows of cells, read piece by piece so that a long
 * file needs no single string.
 *
 * Quotes as in RFC 4180: doubled quotes and line breaks inside them; blanks around a quoted cell
 * are no part of it. Comment lines (#) may stand before the first row. Blank lines are no rows,
 * except between the rows of a table of one column, where they are missing values.
 */

import { tableError } from "./errors.js";
import { openTooLong, ROW_MOST, UnfinishedRow } from "./unfinished-row.js";

/** One row of cells with the line (counted from 1) that it starts on. */
export interface Row {
  readonly line: number;
  readonly cells: readonly string[];
}

const BLANK = 32;
const LINE_END = /\r\n|\r|\n/;
const DELIMITERS = ["\t", ";", "|", ","];

/** The delimiter that occurs most often in a line, outside quotes. */
export function delimiterOf(line: string): string {
  const bare = line.replace(/"[^"]*"/g, "");
  const counts = DELIMITERS.map((mark) => bare.split(mark).length - 1);
  const most = Math.max(...counts);
  return most === 0 ? "," : (DELIMITERS[counts.indexOf(most)] ?? ",");
}

export class RowSplitter {
  readonly #file: string;
  readonly #onRow: (row: Row) => void;
  readonly #given: string | undefined;
  readonly #unfinished: UnfinishedRow;
  #text = "";
  #at = 0;
  #line = 1;
  #delimiter: string | undefined;
  #width = 0;
  /** Lines of the blank rows since the last row, in a table of one column. */
  #blanks: number[] = [];
  /** Where the next carriage return and line feed are, to be looked up again once passed. */
  #returnAt = -1;
  #feedAt = -1;
  #quoteAt = -1;
  /** Lines of an unfinished row before its open quote. */
  #openLines: number | undefined;
  /** Takes lines without quotes as they stand, where it is given: text, start, end, line. */
  onPlainLine: ((text: string, from: number, to: number, line: number) => void) | undefined;
  /** The last comment line, without its mark: some files name their columns there. */
  comment: string | undefined;

  /** `delimiter` is found out from the first row where it is not given. */
  constructor(file: string, onRow: (row: Row) => void, delimiter?: string) {
    this.#file = file;
    this.#onRow = onRow;
    this.#given = delimiter;
    this.#unfinished = new UnfinishedRow(file);
  }

  /** The mark between cells; a comma before the first row is known. */
  get delimiter(): string {
    return this.#delimiter ?? ",";
  }

  push(piece: string): void {
    const text = this.#unfinished.add(piece);
    if (text === undefined) return;
    this.#look(text, false);
    const rest = this.#text.slice(this.#at);
    if (rest.length > ROW_MOST) this.#requireClosed();
    this.#unfinished.keep(rest, this.#line);
  }

  end(): void {
    this.#look(this.#unfinished.take(), true);
  }

  /** Tells of the quote that is open in a row that is too long, if there is one; it may close later. */
  #requireClosed(): void {
    this.#takeQuoted(false);
    if (this.#openLines !== undefined) throw openTooLong(this.#file, this.#line + this.#openLines);
  }

  #look(text: string, isLast: boolean): void {
    this.#text = text;
    this.#at = 0;
    this.#returnAt = -1;
    this.#feedAt = -1;
    this.#quoteAt = -1;
    this.#drain(isLast);
  }

  #drain(isLast: boolean): void {
    while (this.#at < this.#text.length) {
      const end = this.#lineEnd(isLast);
      if (end < 0) return;
      if (this.#isPlain(end)) {
        const from = this.#at;
        this.#passLine(end);
        this.onPlainLine?.(this.#text, from, end, this.#line - 1);
        continue;
      }
      const line = this.#text.slice(this.#at, end);
      if (this.#delimiter === undefined && this.#isBeforeFirst(line)) {
        this.#passLine(end);
        continue;
      }
      if (line.includes('"')) {
        if (!this.#takeQuoted(isLast)) return;
      } else {
        const start = this.#line;
        this.#passLine(end);
        this.#emit({ line: start, cells: line.split(this.delimiter) });
      }
    }
  }

  /**
   * Whether the line up to `end` can be taken as it stands: no quotes, nothing blank about it. A line
   * without a character begins with its end, which counts as blank.
   */
  #isPlain(end: number): boolean {
    if (this.onPlainLine === undefined || this.#blanks.length > 0) return false;
    if (this.#quoteAt < this.#at) this.#quoteAt = indexOrLength(this.#text, '"', this.#at);
    return this.#quoteAt >= end && this.#text.charCodeAt(this.#at) > BLANK;
  }

  /** Notes comments and the delimiter; whether the line is none of the table's. */
  #isBeforeFirst(line: string): boolean {
    if (line.trim() === "") return true;
    if (line.startsWith("#")) {
      this.comment = line.slice(1).trim();
      return true;
    }
    this.#delimiter = this.#given ?? delimiterOf(line);
    return false;
  }

  /** Where the line at the cursor ends, or −1 where that is not known yet. */
  #lineEnd(isLast: boolean): number {
    const text = this.#text;
    if (this.#feedAt < this.#at) this.#feedAt = indexOrLength(text, "\n", this.#at);
    if (this.#returnAt < this.#at) this.#returnAt = indexOrLength(text, "\r", this.#at);
    const end = Math.min(this.#feedAt, this.#returnAt);
    if (isLast || end < text.length - 1 || (end === this.#feedAt && end < text.length)) return end;
    return -1;
  }

  #passLine(end: number): void {
    const isPair = this.#text[end] === "\r" && this.#text[end + 1] === "\n";
    this.#at = end + (isPair ? 2 : 1);
    this.#line += 1;
  }

  /** Takes a row that has quotes; false where more text is needed to see its end. */
  #takeQuoted(isLast: boolean): boolean {
    const text = this.#text;
    const cells: string[] = [];
    this.#openLines = undefined;
    let lines = 0;
    let at = this.#at;
    for (;;) {
      const open = skipBlanks(text, at, this.delimiter);
      if (text[open] === '"') {
        const close = closingQuote(text, open);
        if (close < 0 || (close === text.length - 1 && !isLast)) {
          if (isLast) throw this.#quoteError(lines, "a quote is opened and never closed");
          if (close < 0) this.#openLines = lines;
          return false;
        }
        const cell = text.slice(open + 1, close).replaceAll('""', '"');
        lines += cell.split(LINE_END).length - 1;
        cells.push(cell);
        at = skipBlanks(text, close + 1, this.delimiter);
        if (at < text.length && !`${this.delimiter}\r\n`.includes(text[at] ?? "")) {
          throw this.#quoteError(lines, "text follows a closing quote");
        }
      } else {
        const end = endOfCell(text, at, this.delimiter);
        cells.push(text.slice(at, end));
        at = end;
      }
      if (text[at] !== this.delimiter) break;
      at += 1;
      if (at < text.length) continue;
      if (!isLast) return false;
      cells.push("");
      break;
    }
    if (!isLast && (at >= text.length || (text[at] === "\r" && at === text.length - 1)))
      return false;
    const start = this.#line;
    this.#line += lines;
    this.#passLine(at);
    this.#emit({ line: start, cells });
    return true;
  }

  #quoteError(lines: number, message: string): Error {
    const line = this.#line + lines;
    return tableError(this.#file, `line ${line}: ${message}`, { reason: "quote", value: line });
  }

  #emit(row: Row): void {
    const isBlank = row.cells.length === 1 && row.cells[0]?.trim() === "";
    if (isBlank && this.#width !== 1) return;
    if (isBlank) {
      this.#blanks.push(row.line);
      return;
    }
    if (this.#width === 0) this.#width = row.cells.length;
    for (const line of this.#blanks.splice(0)) this.#onRow({ line, cells: [""] });
    this.#onRow(row);
  }
}

function indexOrLength(text: string, mark: string, from: number): number {
  const index = text.indexOf(mark, from);
  return index < 0 ? text.length : index;
}

function skipBlanks(text: string, from: number, delimiter: string): number {
  let at = from;
  while (text[at] !== delimiter && (text[at] === " " || text[at] === "\t")) at += 1;
  return at;
}

function closingQuote(text: string, open: number): number {
  let at = text.indexOf('"', open + 1);
  while (at >= 0 && text[at + 1] === '"') at = text.indexOf('"', at + 2);
  return at;
}

function endOfCell(text: string, start: number, delimiter: string): number {
  let at = start;
  while (at < text.length) {
    const mark = text[at];
    if (mark === delimiter || mark === "\n" || mark === "\r") break;
    at += 1;
  }
  return at;
}
