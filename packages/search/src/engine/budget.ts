/**
 * Budgets, checked.
 */

import { checkInteger, positive, refuseOption } from "../study.js";
import type { Budget } from "../types.js";

export function checkBudget(budget: Budget = {}): Budget {
  const { seconds, candidates, fits, tokens, r2 } = budget;
  if (seconds !== undefined) positive("budget.seconds", seconds);
  for (const [name, value] of Object.entries({ candidates, fits, tokens }))
    if (value !== undefined) checkInteger(`budget.${name}`, value, 1, Number.MAX_SAFE_INTEGER);
  if (r2 !== undefined && !(typeof r2 === "number" && r2 <= 1))
    throw refuseOption("budget.r2", r2, "it is a number up to 1");
  return budget;
}
