/**
 * Recovery: a search on a problem's data until a program has the truth's values at a size of at most
 * twice the truth's, with a loop or a branch where the truth needs one.
 *
 * The held-out rows are the problem's test rows, without noise. Evolve never sees them: it is told
 * the training rows' summary and the training scores.
 */

import { evolve } from "../../src/evolve/evolve.js";
import { search } from "../../src/search.js";
import type { Budget, Outcome, SearchData } from "../../src/types.js";
import type { Problem } from "./problems.js";

export interface Recovery {
  /** The first program that passed; undefined where none did. */
  readonly found: Outcome | undefined;
  /** Of the best program that is small enough. */
  readonly bestR2: number;
  readonly best: Outcome | undefined;
  readonly candidates: number;
}

const R2_RECOVERED = 0.999;

/** Where the truth needs a branch or a loop, the program must have one, too. */
function isRecovered(problem: Problem, { complexity, r2, source }: Outcome): boolean {
  const isSmall = complexity <= 2 * problem.complexity;
  return isSmall && r2 > R2_RECOVERED && source.includes(problem.needs);
}

export interface RecoverOptions {
  readonly seed: number;
  readonly budget: Budget;
  readonly workers: number;
  /** Ends the search; asked after every candidate. */
  readonly isOver?: () => boolean;
}

/** Training and test rows in one table, and which rows are which. */
function tableOf({ train, test }: Problem): { data: SearchData; holdOut: readonly number[] } {
  const data: Record<string, number[]> = {};
  const names = Object.keys(train);
  for (const name of names)
    data[name] = [...(train[name] ?? []), ...(test[name] ?? [])] as number[];
  const from = train["y"]?.length ?? 0;
  const holdOut = Array.from({ length: test["y"]?.length ?? 0 }, (_, i) => from + i);
  return { data, holdOut };
}

export async function recover(problem: Problem, options: RecoverOptions): Promise<Recovery> {
  const { seed, budget, workers, isOver } = options;
  const { data, holdOut } = tableOf(problem);
  let best: Outcome | undefined;
  let candidates = 0;
  const events = search({
    data,
    target: "y",
    holdOut,
    proposers: [evolve()],
    budget,
    workers,
    seed,
  });
  for await (const event of events) {
    if (event.type !== "candidate") continue;
    const { outcome } = event;
    candidates += 1;
    if (isOver?.()) break;
    if (outcome.status !== "scored") continue;
    if (isRecovered(problem, outcome)) {
      return { found: outcome, bestR2: outcome.r2, best: outcome, candidates };
    }
    const isSmall = outcome.complexity <= 2 * problem.complexity;
    if (isSmall && outcome.r2 > (best?.r2 ?? -Infinity)) best = outcome;
  }
  return { found: undefined, bestR2: best?.r2 ?? Number.NaN, best, candidates };
}
