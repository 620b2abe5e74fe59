/**
 * Chance, with a seed: xoshiro128** by Blackman and Vigna, its four words filled by splitmix32.
 *
 * Every restart draws from a stream of its own, numbered by the restart, so that a restart starts
 * from the same place however many others there are and in whatever order they run.
 */

/** Steps a 32-bit counter and scrambles it. */
function splitmix32(state: number): number {
  let z = (state + 0x9e3779b9) | 0;
  z = Math.imul(z ^ (z >>> 16), 0x21f0aaad);
  z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
  return z ^ (z >>> 15);
}

const rotate = (word: number, by: number): number => (word << by) | (word >>> (32 - by));

/** A seed, and the same as two words. */
const wholeSeed = new Float64Array(1);
const seedHalves = new Int32Array(wholeSeed.buffer);

export class Random {
  readonly #words = new Int32Array(4);

  /** `seed` may be any finite number: both halves of its double count. */
  constructor(seed: number, stream = 0) {
    wholeSeed[0] = seed;
    let state = splitmix32(seedHalves[0] as number) ^ splitmix32(~(seedHalves[1] as number));
    state = splitmix32(state) ^ splitmix32(Math.imul(stream, 0x632be5ab) ^ 0x1b873593);
    for (let i = 0; i < 4; i++) {
      state = (state + 0x9e3779b9) | 0;
      this.#words[i] = splitmix32(state);
    }
    const s = this.#words;
    if (s[0] === 0 && s[1] === 0 && s[2] === 0 && s[3] === 0) s[0] = 1;
  }

  #next(): number {
    const s = this.#words;
    const a = s[0] as number;
    const b = s[1] as number;
    const c = s[2] as number;
    const d = s[3] as number;
    const result = Math.imul(rotate(Math.imul(b, 5), 7), 9);
    const third = c ^ a;
    const fourth = d ^ b;
    s[1] = b ^ third;
    s[0] = a ^ fourth;
    s[2] = third ^ (b << 9);
    s[3] = rotate(fourth, 11);
    return result >>> 0;
  }

  /** A number in [0, 1), of 53 random bits. */
  uniform(): number {
    const high = this.#next() >>> 5;
    const low = this.#next() >>> 6;
    return (high * 67108864 + low) / 9007199254740992;
  }
}
