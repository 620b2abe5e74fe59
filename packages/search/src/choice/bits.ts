/**
 * Logarithms for lengths, with the same bits in every JavaScript engine.
 */

import { log } from "@ndvm/core";

export const log2 = (x: number): number => log(x) / Math.LN2;

/** Bits for so many nats. */
export const bitsOf = (nats: number): number => nats / Math.LN2;

/** log Γ(x) for x > 0: Stirling's series after moving up. */
export function logGamma(x: number): number {
  let shift = 0;
  let z = x;
  while (z < 20) {
    shift += log(z);
    z += 1;
  }
  const s = 1 / (z * z);
  const series = (1 / 12 - s * (1 / 360 - s * (1 / 1260 - s / 1680))) / z;
  return (z - 0.5) * log(z) - z + 0.9189385332046727 + series - shift;
}
