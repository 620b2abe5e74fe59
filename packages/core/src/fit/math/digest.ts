/**
 * Digests of numbers and texts, by which those that differ are told apart: two sums of 32 bits, in plain
 * arithmetic, the same on every platform. They guard against mistakes, not against forgers.
 */

/** What the two sums are multiplied by. */
const LOW = 0x01000193;
const HIGH = 0x85ebca6b;

/** A number, and the same as two words. */
const view = new DataView(new ArrayBuffer(8));

export class Digest {
  #low = 0x811c9dc5 | 0;
  #high = 0x9e3779b9 | 0;

  /** Every bit counts: 0 and −0 differ. */
  add(number: number): void {
    view.setFloat64(0, number, true);
    this.#addWord(view.getInt32(0, true));
    this.#addWord(view.getInt32(4, true));
  }

  /** A list, with its length, so that numbers of one list are not taken for those of the next. */
  addAll(numbers: ArrayLike<number>, count = numbers.length): void {
    this.add(count);
    let [low, high] = [this.#low, this.#high];
    for (let i = 0; i < count; i++) {
      view.setFloat64(0, numbers[i] as number, true);
      const [first, second] = [view.getInt32(0, true), view.getInt32(4, true)];
      low = mixed(mixed(low ^ first, LOW) ^ second, LOW);
      high = mixed((mixed((high + first) | 0, HIGH) + second) | 0, HIGH);
    }
    this.#low = low;
    this.#high = high;
  }

  addText(text: string): void {
    this.#addWord(text.length);
    for (let i = 0; i < text.length; i++) this.#addWord(text.charCodeAt(i));
  }

  get text(): string {
    return [this.#high, this.#low].map((sum) => (sum >>> 0).toString(16)).join(".");
  }

  #addWord(word: number): void {
    this.#low = mixed(this.#low ^ word, LOW);
    this.#high = mixed((this.#high + word) | 0, HIGH);
  }
}

/** Every bit of a sum, spread over all of them. */
function mixed(sum: number, factor: number): number {
  const product = Math.imul(sum, factor);
  return Math.imul(product ^ (product >>> 15), 0x2c1b3c6d) ^ (product >>> 12);
}
