/**
 * Logarithms for lengths, with the same bits in every JavaScript engine.
 */

import { log } from "@ndvm/core";

export const log2 = (x: number): number => log(x) / Math.LN2;

/** Bits for so many nats. */
export const bitsOf = (nats: number): number => nats / Math.LN2;
