/**
 * Errors in units in the last place: |got - want| over the spacing of the f32 or f64 numbers in the
 * binade of `want`, which is never below that of the subnormals.
 */
import { abs, type Big, exponentOf, fromNumber, one, sub, toNumber, twice } from "./big.js";
import type { Real } from "./door.js";

const formats = {
  f32: { digits: 24, least: -126, most: 128 },
  f64: { digits: 53, least: -1022, most: 1024 },
} as const;

/**
 * The error of a number; `size` replaces |want| where errors are measured against something else.
 */
export function ulpsBetween(real: Real, got: number, want: Big, size: Big = want): number {
  if (Number.isNaN(got)) return Number.POSITIVE_INFINITY;
  const { digits, least, most } = formats[real];
  const overflow = twice(one, most);
  if (Math.abs(got) === Number.POSITIVE_INFINITY) {
    // An infinity stands for the power of two that overflows first.
    if (got > 0 === want.m > 0n && exponentOf(want) >= most) return 0;
    const edge = got > 0 ? overflow : twice(fromNumber(-1), most);
    return toNumber(twice(abs(sub(edge, want)), digits - most));
  }
  const exponent = Math.min(Math.max(exponentOf(size), exponentOf(want), least), most - 1);
  return toNumber(twice(abs(sub(fromNumber(got), want)), digits - 1 - exponent));
}
