/**
 * What the rows cost, given a model: a negative logarithm of the likelihood for each loss.
 *
 * Least squares is the normal distribution whose deviation is not known. The deviation is integrated
 * out, so that with few rows a model with nearly as many constants gains nothing by a small residual:
 *
 *   (m/2) log(π·RSS) − log Γ(m/2) + (k/2) log(2πe RSS/m),   m = rows − k
 *
 * The last term belongs to the k constants, whose precision `length.ts` counts in units of 2πe RSS/m.
 * A search with another likelihood is another row of the table.
 */

import { log, logGamma } from "@ndvm/core";
import { bitsOf, log2 } from "./bits.js";

export interface Likelihood {
  /** Bits of all rows' targets, written down to `resolution`. Infinite where too few rows are left. */
  dataBits(loss: number, rows: number, constants: number, resolution: number): number;
  /** Variance of one row: the unit in which constants are determined. */
  variance(loss: number, rows: number, constants: number): number;
}

const squares: Likelihood = {
  dataBits(loss, rows, constants, resolution) {
    const free = rows - constants;
    if (free < 1) return Number.POSITIVE_INFINITY;
    const variance = loss / free;
    const nats =
      0.5 * free * log(Math.PI * loss) -
      logGamma(free / 2) +
      0.5 * constants * log(2 * Math.PI * Math.E * variance);
    return bitsOf(nats) - rows * log2(resolution);
  },
  variance: (loss, rows, constants) => loss / Math.max(1, rows - constants),
};

/** By the name of the study's loss. */
export const losses: ReadonlyMap<string, Likelihood> = new Map([["squares", squares]]);

export const likelihoodOf = (name: string): Likelihood => {
  const found = losses.get(name);
  if (found === undefined) throw new Error(`no likelihood is known for the loss ${name}`);
  return found;
};
