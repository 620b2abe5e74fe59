/**
 * Budgets: checked, reached, and how much room they leave.
 */

import { checkNames, namesOf } from "@ndvm/core";
import { fitsAtMost } from "../epoch/ladder.js";
import { checkInteger, positive, refuseOption, type Study } from "../study.js";
import type { Budget, Spending, StopCause } from "../types.js";
import type { OutcomeCounts } from "./progress.js";

const NAMES = namesOf<Budget>({ seconds: 1, candidates: 1, fits: 1, tokens: 1, r2: 1 });

export function checkBudget(budget: Budget = {}): Budget {
  checkNames("budget", budget, NAMES);
  const { seconds, candidates, fits, tokens, r2 } = budget;
  if (seconds !== undefined) positive("budget.seconds", seconds);
  for (const [name, value] of Object.entries({ candidates, fits, tokens }))
    if (value !== undefined) checkInteger(`budget.${name}`, value, 1, Number.MAX_SAFE_INTEGER);
  if (r2 !== undefined && !(typeof r2 === "number" && r2 <= 1))
    throw refuseOption("budget.r2", r2, "it is a number up to 1");
  return budget;
}

/** Whether the number of candidates or of fits is limited. */
export const isLimited = ({ candidates, fits }: Budget): boolean =>
  candidates !== undefined || fits !== undefined;

/** The limit that a study with these counts and this front has reached. */
export function reachedLimit(
  { candidates, fits, tokens, r2 }: Budget,
  counts: OutcomeCounts,
  { inputTokens, outputTokens }: Spending,
  front: readonly { readonly r2: number }[],
): StopCause | undefined {
  if (candidates !== undefined && counts.candidates >= candidates) return "candidates";
  if (fits !== undefined && counts.fits >= fits) return "fits";
  if (tokens !== undefined && inputTokens + outputTokens >= tokens) return "tokens";
  if (r2 !== undefined && front.some((member) => member.r2 >= r2)) return "r2";
  return undefined;
}

/** How many candidates an epoch may have beside epochs of these sizes: budgets count on the worst. */
export function roomBeside(
  underWay: readonly number[],
  { candidates, fits }: Budget,
  counts: OutcomeCounts,
  { recipe, epoch }: Pick<Study, "recipe" | "epoch">,
): number {
  let room = epoch;
  if (candidates !== undefined) {
    const begun = underWay.reduce((sum, size) => sum + size, 0);
    room = Math.min(room, candidates - counts.candidates - begun);
  }
  if (fits === undefined) return Math.max(0, room);
  let left = fits - counts.fits;
  for (const size of underWay) left -= fitsAtMost(recipe, size);
  while (room > 0 && fitsAtMost(recipe, room) > left) room -= 1;
  return Math.max(0, room);
}

/** Which limit leaves no room for an epoch of some size. */
export function limitInTheWay(
  size: number,
  underWay: readonly number[],
  { candidates }: Budget,
  counts: OutcomeCounts,
  study: Pick<Study, "recipe" | "epoch">,
): StopCause {
  const room = roomBeside(underWay, candidates === undefined ? {} : { candidates }, counts, study);
  return room < size ? "candidates" : "fits";
}
