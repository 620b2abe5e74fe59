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

/** The values of packed rows, one flat list for so many rows at once; the last may have fewer. */
export function* unpackRows(
  table: BulkTable,
  { numbers, texts }: PackedRows,
  rowsAtOnce: number,
): Generator<Value[]> {
  const isText = BULK[table].map((column) => TEXT_COLUMNS.has(column));
  const most = rowsAtOnce * isText.length;
  let values: Value[] = [];
  let number = 0;
  let text = 0;
  while (number < numbers.length || text < texts.length) {
    for (const is of isText) {
      const value = is ? (texts[text++] as string | null) : (numbers[number++] as number);
      values.push(typeof value === "number" && !Number.isFinite(value) ? null : value);
    }
    if (values.length < most) continue;
    yield values;
    values = [];
  }
  if (values.length > 0) yield values;
}
