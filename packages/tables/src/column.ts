/**
 * A column while it is read: cells are added one by one, numbers go into chunks.
 *
 *   chunks   16, 32, … 65536, 65536 … numbers, so that a column never moves while it grows
 *
 * A column holds numbers, dates (numbers of a unit) or words. The first cell that does not go with
 * the ones before it makes it a column of words. Then its texts are what counts, and are kept if
 * anybody wants them; its numbers are let go.
 */

import type { CellRules } from "./cells.js";
import { dateText, inUnit } from "./dates.js";

/** Whether a column's text is kept: always, only if it holds words, or never. */
export type KeepText = "always" | "words" | "never";

/** The first cell of a column that is neither number nor missing. */
export interface Word {
  readonly row: number;
  readonly text: string;
  /** Whether dates stand above it. */
  readonly isAmongDates: boolean;
}

export interface StoredColumn {
  /** Undefined for a column of words. */
  readonly numbers: Float64Array | undefined;
  /** Undefined where they were not kept. */
  readonly texts: readonly string[] | undefined;
  /** How many cells are words, and the first of them. */
  readonly words: number;
  readonly firstWord: Word | undefined;
  readonly isDates: boolean;
}

const CHUNK_LEAST = 16;
const CHUNK_MOST = 65_536;
/** So many rows are kept as text until it is clear that a column holds numbers. */
const EXACT_ROWS = 1024;
/** Different words that are stored once each. */
const WORDS_SHARED = 4096;

/** The numbers of a column in chunks. */
class Chunks {
  readonly #full: (Float64Array | undefined)[] = [];
  #last = new Float64Array(CHUNK_LEAST);
  #used = 0;
  #count = 0;

  add(value: number): void {
    if (this.#used === this.#last.length) this.#next();
    this.#last[this.#used++] = value;
    this.#count += 1;
  }

  #next(): void {
    this.#full.push(this.#last);
    this.#last = new Float64Array(Math.min(CHUNK_MOST, this.#last.length * 2));
    this.#used = 0;
  }

  /** All numbers in one array. The chunks are let go on the way. */
  join(): Float64Array {
    const all = new Float64Array(this.#count);
    let at = 0;
    for (let index = 0; index < this.#full.length; index++) {
      const chunk = this.#full[index] as Float64Array;
      all.set(chunk, at);
      at += chunk.length;
      this.#full[index] = undefined;
    }
    all.set(this.#last.subarray(0, this.#used), at);
    return all;
  }
}

export class ColumnBuilder {
  readonly #rules: CellRules;
  readonly #keep: KeepText;
  #chunks: Chunks | undefined = new Chunks();
  #texts: string[] | undefined;
  #shared: Map<string, string> | undefined;
  /** Cells before the first word, which alone is named by its row. */
  #count = 0;
  #words = 0;
  #firstWord: Word | undefined;
  /** What the cells so far are: undefined while all of them are missing. */
  #kind: "numbers" | "dates" | "words" | undefined;

  constructor(rules: CellRules, keep: KeepText) {
    this.#rules = rules;
    this.#keep = keep;
    this.#texts = keep === "never" ? undefined : [];
  }

  /** A cell of text, whatever it stands for. */
  addText(cell: string): void {
    const text = this.#rules.trim(cell);
    const value = this.#rules.numberOf(text);
    if (value !== undefined) {
      if (Number.isNaN(value)) this.addMissing();
      else this.#put("numbers", value, text);
      return;
    }
    const date = this.#rules.dateOf(text);
    if (date === undefined) this.addWord(text);
    else this.#put("dates", date, text);
  }

  /** Whether `addPlain` may be used for the next cell: its text is not needed. */
  get takesPlain(): boolean {
    return (
      this.#texts === undefined &&
      this.#chunks !== undefined &&
      this.#kind !== "dates" &&
      !this.#rules.hasMissingNumbers
    );
  }

  /** A number whose text nobody needs. */
  addPlain(value: number): void {
    this.#kind ??= "numbers";
    this.#chunks?.add(value);
    this.#count += 1;
  }

  addNumber(value: number): void {
    if (this.#rules.isMissingNumber(value)) this.addMissing();
    else this.#put("numbers", value);
  }

  addTruth(value: boolean): void {
    this.#put("numbers", Number(value), String(value));
  }

  /** A date, in milliseconds since 1970-01-01. */
  addDate(milliseconds: number): void {
    const unit = this.#rules.dates;
    if (unit === undefined) this.addWord(dateText(milliseconds, "milliseconds"));
    else this.#put("dates", inUnit(milliseconds, unit));
  }

  addMissing(): void {
    this.#chunks?.add(Number.NaN);
    this.#keepText("");
    this.#count += 1;
  }

  addWord(text: string): void {
    const isAmongDates = this.#kind === "dates";
    this.#firstWord ??= { row: this.#count, text, isAmongDates };
    this.#words += 1;
    if (this.#kind !== "words") this.#becomeWords();
    this.#keepText(text);
  }

  #put(kind: "numbers" | "dates", value: number, text?: string): void {
    this.#kind ??= kind;
    if (this.#kind === kind) {
      this.#chunks?.add(value);
      if (this.#texts !== undefined) this.#keepText(text ?? this.#textOf(value));
      this.#count += 1;
    } else if (this.#kind === "words") {
      if (this.#texts !== undefined) this.#keepText(text ?? this.#textOf(value, kind));
    } else this.addWord(text ?? this.#textOf(value, kind));
  }

  #textOf(value: number, kind = this.#kind): string {
    const unit = this.#rules.dates;
    if (Number.isNaN(value)) return "";
    return kind === "dates" && unit !== undefined ? dateText(value, unit) : String(value);
  }

  #keepText(text: string): void {
    const texts = this.#texts;
    if (texts === undefined) return;
    texts.push(this.#share(text));
    const isUndecided = this.#keep === "words" && this.#kind !== "words";
    if (isUndecided && texts.length > EXACT_ROWS) this.#texts = undefined;
  }

  /** One copy of a word that comes again, which keeps nothing else of the file alive. */
  #share(text: string): string {
    if (text.length < 2) return text;
    this.#shared ??= new Map();
    const known = this.#shared.get(text);
    if (known !== undefined) return known;
    const own = text.length < 13 ? text : text.split("").join("");
    if (this.#shared.size < WORDS_SHARED) this.#shared.set(own, own);
    return own;
  }

  /** Texts of cells that were read as numbers long ago are written anew. */
  #becomeWords(): void {
    if (this.#keep !== "never" && this.#texts === undefined) {
      const numbers = this.#chunks?.join() ?? new Float64Array();
      this.#texts = Array.from(numbers, (value) => this.#textOf(value));
    }
    this.#chunks = undefined;
    this.#kind = "words";
  }

  finish(): StoredColumn {
    const numbers = this.#chunks?.join();
    this.#chunks = undefined;
    const isKept = this.#keep === "always" || this.#kind === "words";
    return {
      numbers,
      texts: isKept ? this.#texts : undefined,
      words: this.#words,
      firstWord: this.#firstWord,
      isDates: this.#kind === "dates",
    };
  }
}
