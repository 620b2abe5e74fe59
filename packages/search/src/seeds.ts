/**
 * Chance in a search: numbers that follow from the study's seed and from what they are for.
 *
 * There is no generator that is passed around: whoever needs a number names its place, and gets
 * the same one in any order and on any worker.
 */

/** Scrambles 32 bits. */
function scramble(word: number): number {
  let z = (word + 0x9e3779b9) | 0;
  z = Math.imul(z ^ (z >>> 16), 0x21f0aaad);
  z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
  return z ^ (z >>> 15);
}

const TWO_32 = 4294967296;

/** A whole number from 0 to 2³² − 1 for a place. Parts are whole numbers up to 2⁵³. */
export function seedFor(...parts: readonly number[]): number {
  let state = 0x243f6a88;
  for (const part of parts) {
    state = scramble(state ^ (part | 0));
    state = scramble(state ^ Math.floor(part / TWO_32));
  }
  return state >>> 0;
}

/** A stream of numbers from one seed. */
export class Draws {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** In [0, 1), of 32 random bits. */
  uniform(): number {
    this.#state = (this.#state + 0x9e3779b9) | 0;
    return (scramble(scramble(this.#state)) >>> 0) / TWO_32;
  }

  /** Of the normal distribution, by Marsaglia's polar method. */
  normal(): number {
    for (;;) {
      const u = 2 * this.uniform() - 1;
      const v = 2 * this.uniform() - 1;
      const s = u * u + v * v;
      if (s > 0 && s < 1) return u * Math.sqrt((-2 * Math.log(s)) / s);
    }
  }

  /** The numbers below `count`, in random order. */
  shuffled(count: number): number[] {
    const order = Array.from({ length: count }, (_, i) => i);
    for (let i = count - 1; i > 0; i--) {
      const j = Math.floor(this.uniform() * (i + 1));
      const kept = order[i] as number;
      order[i] = order[j] as number;
      order[j] = kept;
    }
    return order;
  }
}

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
  return TWO_32 * (high & 0x1fffff) + (low >>> 0);
}
