/**
 * What a study has come to, candidate after candidate in order: counts, the front, the best.
 */

import { recordOf } from "@ndvm/core";
import type { Yardstick } from "../choice/yardstick.js";
import type { Counts, Outcome, Spending } from "../types.js";
import { advance, emptyFront, type Front } from "./front.js";

/** Counts of outcomes, as they are saved. */
export interface OutcomeCounts {
  readonly candidates: number;
  readonly revisits: number;
  readonly scored: number;
  readonly duplicates: number;
  readonly failed: number;
  readonly fits: number;
  readonly failures: Readonly<Record<string, number>>;
}

export class StudyProgress {
  readonly #yardstick: Yardstick;
  front: Front = emptyFront;
  #candidates = 0;
  #revisits = 0;
  #scored = 0;
  #duplicates = 0;
  #failed = 0;
  #fits = 0;
  readonly #failures = new Map<string, number>();

  constructor(yardstick: Yardstick) {
    this.#yardstick = yardstick;
  }

  add(outcome: Outcome): void {
    this.#candidates += 1;
    this.#fits += outcome.fits;
    if (outcome.visit !== outcome.id) this.#revisits += 1;
    if (outcome.status === "duplicate") this.#duplicates += 1;
    else if (outcome.status === "scored") {
      this.#scored += 1;
      this.front = advance(this.front, outcome, this.#yardstick);
    } else {
      this.#failed += 1;
      const code = outcome.failure?.code ?? "E-NONE";
      this.#failures.set(code, (this.#failures.get(code) ?? 0) + 1);
    }
  }

  counts(): OutcomeCounts {
    return {
      candidates: this.#candidates,
      revisits: this.#revisits,
      scored: this.#scored,
      duplicates: this.#duplicates,
      failed: this.#failed,
      fits: this.#fits,
      failures: recordOf(this.#failures),
    };
  }

  restore(counts: OutcomeCounts, front: Front): void {
    this.front = front;
    this.#candidates = counts.candidates;
    this.#revisits = counts.revisits;
    this.#scored = counts.scored;
    this.#duplicates = counts.duplicates;
    this.#failed = counts.failed;
    this.#fits = counts.fits;
    this.#failures.clear();
    for (const [code, count] of Object.entries(counts.failures)) this.#failures.set(code, count);
  }
}

export const countsOf = (
  progress: OutcomeCounts,
  workersReplaced: number,
  spending: Spending,
): Counts => ({ ...progress, workersReplaced, spending });
