/**
 * Rows of bits: one set of small numbers per row, for the verifier's data flow.
 */

export class BitRows {
  readonly #words: Uint32Array;
  readonly #width: number;
  readonly size: number;

  constructor(rows: number, size: number) {
    this.size = size;
    this.#width = Math.ceil(size / 32);
    this.#words = new Uint32Array(rows * this.#width);
  }

  fill(): void {
    this.#words.fill(0xffffffff);
  }

  #at(row: number, bit: number): number {
    return row * this.#width + (bit >>> 5);
  }

  has(row: number, bit: number): boolean {
    return (((this.#words[this.#at(row, bit)] as number) >>> (bit & 31)) & 1) === 1;
  }

  add(row: number, bit: number): void {
    const at = this.#at(row, bit);
    this.#words[at] = (this.#words[at] as number) | (1 << (bit & 31));
  }

  remove(row: number, bit: number): void {
    const at = this.#at(row, bit);
    this.#words[at] = (this.#words[at] as number) & ~(1 << (bit & 31));
  }

  clearRow(row: number): void {
    this.#words.fill(0, row * this.#width, (row + 1) * this.#width);
  }

  copyRow(row: number, from: BitRows, fromRow: number): void {
    this.clearRow(row);
    this.addRow(row, from, fromRow);
  }

  /** Adds all of another row; whether that changed anything. */
  addRow(row: number, from: BitRows, fromRow: number): boolean {
    return this.#combine(row, from, fromRow, (mine, theirs) => mine | theirs);
  }

  /** Drops what is not in another row; whether that changed anything. */
  keepOnly(row: number, from: BitRows, fromRow: number): boolean {
    return this.#combine(row, from, fromRow, (mine, theirs) => mine & theirs);
  }

  #combine(
    row: number,
    from: BitRows,
    fromRow: number,
    combine: (mine: number, theirs: number) => number,
  ): boolean {
    let changed = false;
    for (let i = 0; i < this.#width; i++) {
      const at = row * this.#width + i;
      const mine = this.#words[at] as number;
      const both = combine(mine, from.#words[fromRow * this.#width + i] as number) >>> 0;
      if (both === mine) continue;
      this.#words[at] = both;
      changed = true;
    }
    return changed;
  }
}
