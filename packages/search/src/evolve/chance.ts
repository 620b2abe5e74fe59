/**
 * Chance with a seed: all that breeding draws, it draws here.
 */

import { exp, log, Random } from "@ndvm/core";

export class Chance extends Random {
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

  /** Positive, its logarithm uniform between those of the limits. */
  logUniform(low: number, high: number): number {
    return low * exp(this.uniform() * log(high / low));
  }
}
