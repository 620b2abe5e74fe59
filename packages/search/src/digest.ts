/**
 * Digests: 64 bits that stand for a skeleton, and compact tables of them.
 *
 * A table has open addressing over two words a place; a digest of two zero words marks an empty
 * place, so no text has it. With 10⁶ digests two of them are equal by chance in one study of 37
 * million.
 */

/** The digest of a text, as two words. */
export interface Digest {
  readonly high: number;
  readonly low: number;
}

export function digestOf(text: string): Digest {
  let low = 0x9e3779b9;
  let high = 0x85ebca6b;
  for (let i = 0; i < text.length; i++) {
    const letter = text.charCodeAt(i);
    low = Math.imul(low ^ letter, 0x9e3779b1);
    high = Math.imul((high << 5) ^ (high >>> 27) ^ letter, 0x5f356495);
  }
  low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35);
  high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35);
  if (low === 0 && high === 0) low = 1;
  return { high: high >>> 0, low: low >>> 0 };
}

/** A whole number below 2⁵³ that stands for a digest: where chance is drawn for a program. */
export const digestNumber = ({ high, low }: Digest): number => (high & 0x1fffff) * 4294967296 + low;

/** 53 bits that stand for a text. */
export function hashText(text: string): number {
  let low = 0x9e3779b9;
  let high = 0x85ebca6b;
  for (let i = 0; i < text.length; i++) {
    const letter = text.charCodeAt(i);
    low = Math.imul(low ^ letter, 0x9e3779b1);
    high = Math.imul(high ^ letter, 0x5f356495);
  }
  low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35);
  high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35);
  return 4294967296 * (high & 0x1fffff) + (low >>> 0);
}

const PLACES_LEAST = 1024;

/** One generation of digests, each with a number where numbers are kept. */
class Generation {
  #words = new Uint32Array(2 * PLACES_LEAST);
  #values: Float64Array | undefined;
  size = 0;

  constructor(hasValues: boolean) {
    if (hasValues) this.#values = new Float64Array(PLACES_LEAST);
  }

  /** Where a digest is, or the empty place where it would be. */
  #placeOf(high: number, low: number): number {
    const words = this.#words;
    const mask = (words.length >>> 1) - 1;
    let place = (low ^ (high >>> 7)) & mask;
    for (;;) {
      const at = 2 * place;
      const isHere = words[at] === high && words[at + 1] === low;
      if (isHere || (words[at] === 0 && words[at + 1] === 0)) return place;
      place = (place + 1) & mask;
    }
  }

  has(high: number, low: number): boolean {
    const at = 2 * this.#placeOf(high, low);
    return this.#words[at] === high && this.#words[at + 1] === low;
  }

  get(high: number, low: number): number | undefined {
    const place = this.#placeOf(high, low);
    const isHere = this.#words[2 * place] === high && this.#words[2 * place + 1] === low;
    return isHere ? (this.#values?.[place] ?? 0) : undefined;
  }

  set(high: number, low: number, value: number): void {
    const place = this.#placeOf(high, low);
    this.#words[2 * place] = high;
    this.#words[2 * place + 1] = low;
    if (this.#values !== undefined) this.#values[place] = value;
    this.size += 1;
    if (this.size * 4 > this.#words.length) this.#grow();
  }

  #grow(): void {
    const words = this.#words;
    const values = this.#values;
    this.#words = new Uint32Array(2 * words.length);
    if (values !== undefined) this.#values = new Float64Array(2 * values.length);
    for (let at = 0; at < words.length; at += 2) {
      const [high, low] = [words[at] as number, words[at + 1] as number];
      if (high === 0 && low === 0) continue;
      const place = this.#placeOf(high, low);
      this.#words[2 * place] = high;
      this.#words[2 * place + 1] = low;
      if (values !== undefined) (this.#values as Float64Array)[place] = values[at / 2] as number;
    }
  }
}

/** Digests that a table remembers of late: between half of this many and all of them. */
export const DIGESTS_MAX = 2 ** 20;

/**
 * The latest digests, each with a number if wanted. Two generations take turns: when the younger
 * one is full it becomes the older, and the older one is forgotten as a whole. What is remembered
 * follows from the order in which digests were added, and from nothing else.
 */
export class DigestTable {
  readonly #half: number;
  readonly #hasValues: boolean;
  #young: Generation;
  #old: Generation;

  constructor(hasValues = false, most = DIGESTS_MAX) {
    this.#half = most / 2;
    this.#hasValues = hasValues;
    this.#young = new Generation(hasValues);
    this.#old = new Generation(hasValues);
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }

  has({ high, low }: Digest): boolean {
    return this.#young.has(high, low) || this.#old.has(high, low);
  }

  get({ high, low }: Digest): number | undefined {
    return this.#young.get(high, low) ?? this.#old.get(high, low);
  }

  /** Adds a digest that is not there. */
  add(high: number, low: number, value = 0): void {
    if (this.#young.size >= this.#half) {
      this.#old = this.#young;
      this.#young = new Generation(this.#hasValues);
    }
    this.#young.set(high, low, value);
  }
}

/**
 * The order in which digests were added, so that a table can be made as it was at some time. It
 * remembers as much as a table needs, and a generation more for times that are a little past.
 */
export class DigestLog {
  readonly #half: number;
  readonly #chunks = new Map<number, Uint32Array>();
  #count = 0;

  constructor(most = DIGESTS_MAX) {
    this.#half = most / 2;
  }

  /** Digests that were ever added. */
  get count(): number {
    return this.#count;
  }

  add({ high, low }: Digest): void {
    const index = Math.floor(this.#count / this.#half);
    const at = 2 * (this.#count % this.#half);
    let chunk = this.#chunks.get(index);
    if (chunk === undefined || at >= chunk.length) {
      const larger = new Uint32Array(Math.min(2 * this.#half, 2 * (chunk?.length ?? 2048)));
      if (chunk !== undefined) larger.set(chunk);
      this.#chunks.delete(index - 3);
      this.#chunks.set(index, larger);
      chunk = larger;
    }
    chunk[at] = high;
    chunk[at + 1] = low;
    this.#count += 1;
  }

  /** The digests from one count to another, two words each. */
  between(from: number, to: number): Uint32Array {
    const words = new Uint32Array(2 * (to - from));
    for (let count = from; count < to; ) {
      const index = Math.floor(count / this.#half);
      const end = Math.min(to, (index + 1) * this.#half);
      const chunk = this.#chunks.get(index);
      if (chunk === undefined) throw new Error("these digests were forgotten");
      const at = 2 * (count % this.#half);
      words.set(chunk.subarray(at, at + 2 * (end - count)), 2 * (count - from));
      count = end;
    }
    return words;
  }

  /** Where to begin so that a new table becomes what it was when so many had been added. */
  beginningFor(count: number): number {
    return Math.max(0, Math.ceil(count / this.#half) - 2) * this.#half;
  }
}

/** Adds digests as `between` gives them. */
export function addDigests(table: DigestTable, words: Uint32Array): void {
  for (let at = 0; at < words.length; at += 2)
    table.add(words[at] as number, words[at + 1] as number);
}
