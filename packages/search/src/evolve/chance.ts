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
    for (let i = 0; i < entries.length; i++) total += weightAt(entries, i);
    let at = this.uniform() * total;
    let last = 0;
    for (let i = 0; i < entries.length; i++) {
      const weight = weightAt(entries, i);
      at -= weight;
      if (weight > 0) last = i;
      if (at < 0) return (entries[i] as readonly [T, number])[0];
    }
    return (entries[last] as readonly [T, number])[0];
  }

  /** Positive, its logarithm uniform between those of the limits. */
  logUniform(low: number, high: number): number {
    return low * exp(this.uniform() * log(high / low));
  }
}

const weightAt = (entries: readonly (readonly [unknown, number])[], i: number): number =>
  (entries[i] as readonly [unknown, number])[1];
