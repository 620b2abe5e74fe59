/**
 * Chance with a seed: all that breeding draws, it draws here.
 */

import { uniformFloat64 } from "pure-rand/distribution/uniformFloat64";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";
import { exp, log } from "./arithmetic.js";

export class Chance {
  #generator = xoroshiro128plus(0);

  constructor(seed: number) {
    this.#generator = xoroshiro128plus(seed);
  }

  /** Begins again, from another seed. */
  begin(seed: number): void {
    this.#generator = xoroshiro128plus(seed);
  }

  /** In [0, 1). */
  uniform(): number {
    return uniformFloat64(this.#generator);
  }

  /** A whole number from 0 to count − 1. */
  below(count: number): number {
    return Math.floor(this.uniform() * count);
  }

  /** True with this probability. */
  happens(probability: number): boolean {
    return this.uniform() < probability;
  }

  pick<T>(list: readonly T[]): T {
    if (list.length === 0) throw new Error("nothing to pick from");
    return list[this.below(list.length)] as T;
  }

  /** One of the entries, by weight; at least one weight is positive. */
  weighted<T>(entries: readonly (readonly [T, number])[]): T {
    let total = 0;
    for (const [, weight] of entries) total += weight;
    let at = this.uniform() * total;
    for (const [entry, weight] of entries) {
      at -= weight;
      if (at < 0) return entry;
    }
    return (entries.findLast(([, weight]) => weight > 0) as readonly [T, number])[0];
  }

  /** Nearly normal, of mean 0 and deviation 1: the sum of twelve uniform numbers less 6. */
  normal(): number {
    let sum = -6;
    for (let i = 0; i < 12; i++) sum += this.uniform();
    return sum;
  }

  /** Positive, its logarithm uniform between those of the limits. */
  logUniform(low: number, high: number): number {
    return low * exp(this.uniform() * log(high / low));
  }
}
