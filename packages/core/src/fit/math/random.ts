/**
 * Chance, with a seed: xoshiro128** by Blackman and Vigna, its four words filled by splitmix32. All
 * packages draw from this generator and from no other.
 *
 * Every restart draws from a stream of its own, numbered by the restart, so that a restart starts
 * from the same place however many others there are and in whatever order they run. `seedFor` gives
 * a seed to any other place that has numbers.
 */

import { log } from "./elementary.js";

/** What splitmix32 counts by. */
const STEP = 0x9e3779b9;

/** Steps a 32-bit counter and scrambles it. */
function splitmix32(state: number): number {
  let z = (state + STEP) | 0;
  z = Math.imul(z ^ (z >>> 16), 0x21f0aaad);
  z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
  return z ^ (z >>> 15);
}

const TWO_32 = 4294967296;

/** A seed from 0 to 2³² − 1 for a place. Parts are whole numbers up to 2⁵³. */
export function seedFor(...parts: readonly number[]): number {
  let state = 0x243f6a88;
  for (const part of parts) {
    state = splitmix32(state ^ (part | 0));
    state = splitmix32(state ^ Math.floor(part / TWO_32));
  }
  return state >>> 0;
}

const rotate = (word: number, by: number): number => (word << by) | (word >>> (32 - by));

/** A seed, and the same as two words. */
const seedDouble = new Float64Array(1);
const seedHalves = new Int32Array(seedDouble.buffer);

export class Random {
  // The four words.
  #a = 0;
  #b = 0;
  #c = 0;
  #d = 0;

  /** `seed` may be any finite number: both halves of its double count. */
  constructor(seed: number, stream = 0) {
    this.begin(seed, stream);
  }

  /** Begins again, from another seed. */
  begin(seed: number, stream = 0): void {
    seedDouble[0] = seed;
    const halves = splitmix32(seedHalves[0] as number) ^ splitmix32(~(seedHalves[1] as number));
    const state = splitmix32(halves) ^ splitmix32(Math.imul(stream, 0x632be5ab) ^ 0x1b873593);
    this.#a = splitmix32((state + STEP) | 0);
    this.#b = splitmix32((state + 2 * STEP) | 0);
    this.#c = splitmix32((state + 3 * STEP) | 0);
    this.#d = splitmix32((state + 4 * STEP) | 0);
    if ((this.#a | this.#b | this.#c | this.#d) === 0) this.#a = 1;
  }

  #next(): number {
    const b = this.#b;
    const result = Math.imul(rotate(Math.imul(b, 5), 7), 9);
    const third = this.#c ^ this.#a;
    const fourth = this.#d ^ b;
    this.#b = b ^ third;
    this.#a = this.#a ^ fourth;
    this.#c = third ^ (b << 9);
    this.#d = rotate(fourth, 11);
    return result >>> 0;
  }

  /** A number in [0, 1), of 53 random bits. */
  uniform(): number {
    const high = this.#next() >>> 5;
    const low = this.#next() >>> 6;
    return (high * 67108864 + low) / 9007199254740992;
  }

  /** A whole number from 0 to count − 1. */
  below(count: number): number {
    return Math.floor(this.uniform() * count);
  }

  /** Of the normal distribution with mean 0 and deviation 1, by Marsaglia's polar method. */
  normal(): number {
    for (;;) {
      const u = 2 * this.uniform() - 1;
      const v = 2 * this.uniform() - 1;
      const s = u * u + v * v;
      if (s > 0 && s < 1) return u * Math.sqrt((-2 * log(s)) / s);
    }
  }

  /** The numbers below `count`, in random order. */
  shuffled(count: number): number[] {
    const order = Array.from({ length: count }, (_, i) => i);
    for (let i = count - 1; i > 0; i--) {
      const j = this.below(i + 1);
      const kept = order[i] as number;
      order[i] = order[j] as number;
      order[j] = kept;
    }
    return order;
  }
}
