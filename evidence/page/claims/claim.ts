/**
 * What became of the paper's quantitative claims. A verdict is computed from the figure and a range
 * that stands here, so it changes with the measurement and not with our mood.
 *
 *   inside the range            confirmed
 *   beyond it, on the good side surpassed
 *   beyond it, on the other     contradicted
 *   no figure                   not testable here
 *
 * Ranges: what the paper prints as a range, else half to twice its figure; shares by their
 * neighbourhood in per cent; counts and statements of fact exactly, or as the claim says. Claims about
 * the paper's baseline are judged by that baseline (DMCI, from the author's checkout), never by
 * interpreters of ours.
 */

import type { Cell, Quote } from "../quote.js";

export type Verdict = "confirmed" | "surpassed" | "contradicted" | "not testable here";

export interface Claim {
  readonly label: string;
  readonly words: string;
  /** As the paper prints it. */
  readonly paper: string;
  readonly figure: (quote: Quote) => Cell;
  /** Figures in it confirm the claim. */
  readonly range: readonly [number, number];
  /** Which side of the range is better; none: either side contradicts. */
  readonly better?: "higher" | "lower";
  /** What our figure is, and why it may differ. */
  readonly reason: string;
}

export interface CheckedClaim {
  readonly claim: Claim;
  readonly cell: Cell;
  readonly verdict: Verdict;
}

export function checkClaim(quote: Quote, claim: Claim): CheckedClaim {
  const cell = claim.figure(quote);
  const { value } = cell;
  const [low, high] = claim.range;
  const verdict = (): Verdict => {
    if (value === undefined) return "not testable here";
    if (value >= low && value <= high) return "confirmed";
    const isBetter = value > high ? claim.better === "higher" : claim.better === "lower";
    return isBetter ? "surpassed" : "contradicted";
  };
  return { claim, cell, verdict: verdict() };
}
