/**
 * Text of which the end of a row is not known yet. Looking for it takes as long as the text is, so it is
 * looked for again once there is twice as much: all looks together take as long as the last two. A row
 * has no more than `ROW_MOST` characters, so that a file, a pipe or a device without line ends is
 * refused soon.
 */

import { tableError } from "./errors.js";

/** Most characters of a row. */
export const ROW_MOST = 2 ** 24;

export class UnfinishedRow {
  readonly #file: string;
  #pieces: string[] = [];
  #length = 0;
  #wanted = 0;

  constructor(file: string) {
    this.#file = file;
  }

  /** Adds a piece. Returns all text where it is worth a look, and undefined where more has to come. */
  add(piece: string): string | undefined {
    this.#pieces.push(piece);
    this.#length += piece.length;
    return this.#length < this.#wanted ? undefined : this.take();
  }

  /** All text, whatever its length. */
  take(): string {
    const text = this.#pieces.length === 1 ? this.#pieces[0] : this.#pieces.join("");
    this.#pieces = [];
    this.#length = 0;
    return text ?? "";
  }

  /** Keeps what a look has left, in which no row ends: E-FILE for too much of it. It begins on this line. */
  keep(rest: string, line: number): void {
    if (rest.length > ROW_MOST) throw tooLong(this.#file, line);
    this.#pieces = [rest];
    this.#length = rest.length;
    this.#wanted = Math.min(2 * rest.length, ROW_MOST + 1);
  }
}

/** A row that is too long because of the quote that is open there, on this line. */
export function openTooLong(file: string, line: number): Error {
  return tableError(
    file,
    `line ${line}: a quote is not closed within the first ${ROW_MOST} characters of its row`,
    { reason: "size", limit: ROW_MOST, value: line },
    "close it; a row has no more characters than that",
  );
}

function tooLong(file: string, line: number): Error {
  return tableError(
    file,
    `not a table: line ${line} begins a row of more than ${ROW_MOST} characters`,
    { reason: "size", limit: ROW_MOST, value: line },
    "check that it is the file you meant, and that it has line ends",
  );
}
