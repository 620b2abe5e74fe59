/**
 * Rows on their way to the writer: all numbers of a table in one array, all words in another, each
 * in the order of the table's columns, row after row. A number that is not finite stands for null.
 */

import type { Value } from "./driver.js";
import { BULK, type BulkTable, TEXT_COLUMNS } from "./schema.js";

export interface PackedRows {
  readonly numbers: Float64Array;
  readonly texts: readonly (string | null)[];
}

/** Takes the values of rows one by one. */
export class RowPacker {
  #numbers = new Float64Array(1024);
  #count = 0;
  #texts: (string | null)[] = [];

  number(value: number): void {
    if (this.#count === this.#numbers.length) {
      const larger = new Float64Array(2 * this.#count);
      larger.set(this.#numbers);
      this.#numbers = larger;
    }
    this.#numbers[this.#count] = value;
    this.#count += 1;
  }

  text(value: string | null): void {
    this.#texts.push(value);
  }

  /** What was taken since the last time. */
  empty(): PackedRows {
    const packed = { numbers: this.#numbers.slice(0, this.#count), texts: this.#texts };
    this.#count = 0;
    this.#texts = [];
    return packed;
  }
}

/**
 * Gives the values of packed rows to `take`, so many rows at once in one flat list, the last list
 * shorter. A list is good until the next: there is only one of each length.
 */
export function unpackRows(
  table: BulkTable,
  { numbers, texts }: PackedRows,
  rowsAtOnce: number,
  take: (values: readonly Value[], rows: number) => void,
): void {
  const isText = BULK[table].map((column) => TEXT_COLUMNS.has(column));
  const width = isText.length;
  const total = (numbers.length + texts.length) / width;
  let number = 0;
  let text = 0;
  let values: Value[] = [];
  for (let row = 0; row < total; row += rowsAtOnce) {
    const count = Math.min(rowsAtOnce, total - row);
    if (values.length !== count * width) values = new Array(count * width).fill(null);
    for (let at = 0, column = 0; at < values.length; at++) {
      const value = isText[column]
        ? (texts[text++] as string | null)
        : (numbers[number++] as number);
      values[at] = typeof value === "number" && !Number.isFinite(value) ? null : value;
      column = column + 1 === width ? 0 : column + 1;
    }
    take(values, count);
  }
}
