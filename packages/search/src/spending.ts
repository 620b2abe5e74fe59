/** What language models were asked and what that cost, added up. */

import type { Spending } from "./types.js";

export const NO_SPENDING: Spending = { requests: 0, inputTokens: 0, outputTokens: 0, cost: 0 };

export function addSpending(a: Spending, b: Spending = NO_SPENDING): Spending {
  return {
    requests: a.requests + b.requests,
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cost: a.cost + b.cost,
  };
}
