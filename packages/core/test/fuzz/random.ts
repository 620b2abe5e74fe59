/**
 * The fuzzer's own random numbers: sfc32, seeded by two integers, the same on every machine.
 */

export class Random {
  private readonly state: Uint32Array;

  constructor(seed: number, stream = 0) {
    this.state = Uint32Array.of(seed >>> 0, Math.floor(seed / 2 ** 32), stream, 1);
    for (let i = 0; i < 15; i++) this.next();
  }

  private next(): number {
    const s = this.state;
    const [a, b, c, d] = s as unknown as [number, number, number, number];
    const sum = (a + b + d) >>> 0;
    s[3] = d + 1;
    s[0] = b ^ (b >>> 9);
    s[1] = c + (c << 3);
    s[2] = ((c << 21) | (c >>> 11)) + sum;
    return sum;
  }

  /** In [0, 1). */
  unit(): number {
    return this.next() / 2 ** 32;
  }

  /** An integer from 0 to count − 1. */
  below(count: number): number {
    return Math.floor(this.unit() * count);
  }

  /** An integer from least to most. */
  between(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }

  chance(probability: number): boolean {
    return this.unit() < probability;
  }

  pick<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)] as T;
  }

  /** A choice that prefers the end of the list: what came into scope last. */
  recent<T>(choices: readonly T[]): T {
    const back = Math.floor(this.unit() ** 2 * choices.length);
    return choices[choices.length - 1 - back] as T;
  }

  /** A choice by weight; weights of zero are never chosen. */
  weighted<T>(choices: readonly (readonly [weight: number, choice: T])[]): T {
    const total = choices.reduce((sum, [weight]) => sum + weight, 0);
    let left = this.unit() * total;
    for (const [weight, choice] of choices) {
      left -= weight;
      if (left < 0 && weight > 0) return choice;
    }
    const positive = choices.filter(([weight]) => weight > 0);
    return (positive[positive.length - 1] as readonly [number, T])[1];
  }

  /** A length of a vector or a side of a matrix: mostly 2 or 3, so that shapes often fit. */
  size(): number {
    return this.pick([1, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 4, 5]);
  }

  /** A number in [least, most] with few digits, so that programs stay readable. */
  decimal(least: number, most: number): number {
    return Math.round((least + this.unit() * (most - least)) * 1000) / 1000;
  }
}
