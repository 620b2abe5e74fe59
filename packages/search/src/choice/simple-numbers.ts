/**
 * Simple numbers: what a constant may turn out to be, and what each costs to write.
 *
 * Whole numbers cost one and a half times the logarithm of their size; a fraction costs its
 * two parts, a multiple of π two bits more than its factor.
 */

import { log2 } from "./bits.js";

export interface SimpleNumber {
  readonly value: number;
  readonly bits: number;
}

const DENOMINATOR_MOST = 6;
const INTEGER_MOST = 1000;
const PI_BITS = 2;

const integerBits = (n: number): number => 0.5 + 1.5 * log2(1 + Math.abs(n));

/** Simple numbers within `reach` of a value, the cheapest first. */
export function simpleNear(value: number, reach: number): readonly SimpleNumber[] {
  const found: SimpleNumber[] = [];
  const add = (near: number, bits: number): void => {
    if (Math.abs(near - value) <= reach) found.push({ value: near, bits });
  };
  add(0, integerBits(0));
  for (let q = 1; q <= DENOMINATOR_MOST; q++) {
    for (const [unit, price] of [
      [1, 0],
      [Math.PI, PI_BITS],
    ] as const) {
      const p = Math.round((value * q) / unit);
      const isLowest = divisor(Math.abs(p), q) === 1;
      if (p === 0 || Math.abs(p) > INTEGER_MOST || !isLowest) continue;
      add((p * unit) / q, integerBits(p) + 1.5 * log2(q) + price);
    }
  }
  return found.sort((a, b) => a.bits - b.bits || a.value - b.value);
}

function divisor(a: number, b: number): number {
  let [x, y] = [a, b];
  while (y > 0) [x, y] = [y, x % y];
  return x;
}

/** Price of a number that is written in a program, in so many bits at most. */
export function literalBits(value: number, most: number): number {
  if (Number.isInteger(value)) return Math.min(integerBits(value), most);
  const digits =
    value
      .toExponential()
      .split("e")[0]
      ?.replace(/[^0-9]/g, "").length ?? 1;
  return Math.min(1 + digits * log2(10), most);
}
