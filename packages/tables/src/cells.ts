/**
 * What a cell of text stands for: a number, a date, a missing value or a word. One rule for every
 * format and every command.
 */

import { type DateUnit, inUnit, parseDate } from "./dates.js";

const MISSING = /^(|na|n\/a|nan|null|none|nil|missing|\.|\?|-+|#n\/a|<na>)$/i;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const DECIMAL_COMMA = /^[+-]?\d*,\d+(e[+-]?\d+)?$/i;
const INFINITE = /^([+-]?)inf(inity)?$/i;
const TRUTH = /^(true|false)$/i;
const BLANK = 32;

/** `text.trim()`, which makes no new text where there is nothing to trim. */
function trimmed(text: string): string {
  const { length } = text;
  if (length === 0) return text;
  const first = text.charCodeAt(0);
  const last = text.charCodeAt(length - 1);
  const isPlain = first > BLANK && first < 128 && last > BLANK && last < 128;
  return isPlain ? text : text.trim();
}

/** Whether a text is a number but for a minus sign (U+2212) or a dash before it. */
export const hasDash = (text: string): boolean => /^\s*[\u2010-\u2015\u2212][\d.]/.test(text);

const DASH_HELP = "its minus is a dash: replace it by - in the whole file";

/** Help for a cell that is nearly a number; undefined for a plain word. */
export function nearNumber(text: string): string | undefined {
  if (/^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}/.test(text)) {
    return "write dates as 2024-03-01, all of them, or add a column that counts days or years";
  }
  if (hasDash(text)) return DASH_HELP;
  if (/^[+-]?[\d,. ']+$/.test(text)) return "write numbers as 1234.5, without other marks";
  if (/^[+-]?[\d.]+\s*\D+$/.test(text)) return "leave out units and signs after the number";
  return undefined;
}

/** Whether a text is written as a plain number. */
export const isNumber = (text: string): boolean => NUMBER.test(text.trim());

/** The number a text stands for (NaN: a missing value), or undefined if it stands for none. */
export function parseNumber(text: string): number | undefined {
  const plain = trimmed(text);
  if (NUMBER.test(plain)) return Number(plain);
  return MISSING.test(plain) ? Number.NaN : infinityOf(plain);
}

function infinityOf(text: string): number | undefined {
  const infinite = INFINITE.exec(text);
  if (infinite === null) return undefined;
  return infinite[1] === "-" ? -Infinity : Infinity;
}

export interface CellOptions {
  /** Further texts that mean a missing value; one that is a number means every way to write it. */
  readonly missing?: readonly string[] | undefined;
  /** What dates count; undefined: a date is a word. */
  readonly dates?: DateUnit | undefined;
}

export class CellRules {
  readonly dates: DateUnit | undefined;
  /** Whether 1,5 is a number. */
  hasDecimalCommas = false;
  readonly #missing: ReadonlySet<string>;
  readonly #missingNumbers: ReadonlySet<number>;

  constructor({ missing = [], dates }: CellOptions) {
    this.dates = dates;
    this.#missing = new Set(missing.map((word) => word.trim()));
    this.#missingNumbers = new Set(missing.filter(isNumber).map(Number));
  }

  get hasMissingNumbers(): boolean {
    return this.#missingNumbers.size > 0;
  }

  trim(cell: string): string {
    return trimmed(cell);
  }

  isMissingNumber(value: number): boolean {
    return Number.isNaN(value) || this.#missingNumbers.has(value);
  }

  /** NaN for a missing value; undefined for a date or a word. */
  numberOf(text: string): number | undefined {
    if (NUMBER.test(text)) return this.#present(Number(text));
    if (MISSING.test(text) || this.#missing.has(text)) return Number.NaN;
    if (this.hasDecimalCommas && DECIMAL_COMMA.test(text))
      return this.#present(Number(text.replace(",", ".")));
    if (TRUTH.test(text)) return text.length === 4 ? 1 : 0;
    return infinityOf(text);
  }

  /** The date in the unit of dates; undefined for a word. */
  dateOf(text: string): number | undefined {
    if (this.dates === undefined) return undefined;
    const date = parseDate(text);
    return date === undefined ? undefined : inUnit(date, this.dates);
  }

  #present(value: number): number {
    return this.#missingNumbers.has(value) ? Number.NaN : value;
  }
}
