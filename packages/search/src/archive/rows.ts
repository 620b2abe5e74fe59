/**
 * Rows on their way to the writer: numbers of all columns in one array, texts in another, row after
 * row. A number that is not finite stands for null.
 */

import { checksumOf } from "./checksum.js";
import type { Value } from "./driver.js";
import { type BulkTable, COLUMNS } from "./schema.js";

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

/** A number as SQLite gives it back: it knows neither NaN nor infinities nor the sign of zero. */
export const storable = (value: number): number | null =>
  Number.isFinite(value) ? value + 0 : null;

/**
 * Gives the values of packed rows, each row with its checksum, to `take`, so many rows at once in one
 * flat list, the last list shorter. A list is good until the next: there is only one of each length.
 * Gives back how many rows there were.
 */
export function unpackRows(
  table: BulkTable,
  { numbers, texts }: PackedRows,
  rowsAtOnce: number,
  take: (values: readonly Value[], rows: number) => void,
): number {
  const isText = COLUMNS[table].map((column) => column.isText);
  const width = isText.length;
  const total = (numbers.length + texts.length) / width;
  let number = 0;
  let text = 0;
  let values: Value[] = [];
  for (let row = 0; row < total; row += rowsAtOnce) {
    const count = Math.min(rowsAtOnce, total - row);
    if (values.length !== count * (width + 1)) values = new Array(count * (width + 1)).fill(null);
    for (let start = 0; start < values.length; start += width + 1) {
      for (let column = 0; column < width; column++)
        values[start + column] = isText[column]
          ? (texts[text++] as string | null)
          : storable(numbers[number++] as number);
      values[start + width] = checksumOf(table, values, start, width);
    }
    take(values, count);
  }
  return total;
}
