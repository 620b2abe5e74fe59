/**
 * Outcomes as JSON, which has no NaN: numbers that are missing are null there. So is the BIC of a model
 * that leaves nothing to explain, −∞.
 */

import type { Outcome } from "../types.js";

const NUMBERS = ["loss", "trainR2", "r2", "bic"] as const;

/** What `JSON.stringify` makes of an outcome, back again. */
export function outcomeFromJson(kept: object): Outcome {
  const outcome = { ...(kept as unknown as Outcome) } as Record<string, unknown>;
  if (outcome["status"] === "scored") outcome["bic"] ??= Number.NEGATIVE_INFINITY;
  for (const name of NUMBERS) outcome[name] ??= Number.NaN;
  return outcome as unknown as Outcome;
}
