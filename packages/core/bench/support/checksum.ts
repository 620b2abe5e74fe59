/**
 * A checksum of result bits, so that two ways to the same numbers can be seen to be two ways to the
 * same numbers (FNV-1a over the 32-bit words of the doubles; all NaNs count as one).
 */

export class Checksum {
  #hash = 0x811c9dc5;
  readonly #number = new Float64Array(1);
  readonly #words = new Uint32Array(this.#number.buffer);

  add(numbers: ArrayLike<number>): this {
    for (let i = 0; i < numbers.length; i++) {
      const value = numbers[i] as number;
      this.#number[0] = Number.isNaN(value) ? Number.NaN : value;
      this.#hash = Math.imul(this.#hash ^ (this.#words[0] as number), 0x01000193);
      this.#hash = Math.imul(this.#hash ^ (this.#words[1] as number), 0x01000193);
    }
    return this;
  }

  toString(): string {
    return (this.#hash >>> 0).toString(16).padStart(8, "0");
  }
}
