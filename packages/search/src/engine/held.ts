/**
 * Epochs that an earlier run has begun and not folded in. The budget of this run may be smaller: each is
 * held back until there is room for all of it, and no later one goes before it. What there is no room
 * for stays in the state, as it was, for a run with a larger budget. So neither the budget nor the order
 * in which workers come back has a say in what the study becomes.
 */

import type { EpochJob } from "../epoch/job.js";
import type { Study } from "../study.js";
import type { Budget, StopCause } from "../types.js";
import { isLimited, limitInTheWay, roomBeside } from "./budget.js";
import type { OutcomeCounts } from "./progress.js";
import type { Round } from "./rounds.js";

export class HeldEpochs {
  readonly #study: Pick<Study, "recipe" | "epoch">;
  readonly #budget: Budget;
  readonly #rounds: readonly Round[];
  /** In order. */
  readonly #held: EpochJob[];

  /** `rounds` are those under way, as they come to be: no other is begun while epochs are held. */
  constructor(study: Pick<Study, "recipe" | "epoch">, budget: Budget, rounds: readonly Round[]) {
    this.#study = study;
    this.#budget = budget;
    this.#rounds = rounds;
    this.#held = unfolded(rounds);
  }

  get isEmpty(): boolean {
    return this.#held.length === 0;
  }

  /** Candidates at most. */
  get size(): number {
    return this.#held.reduce((sum, { size }) => sum + size, 0);
  }

  /** Whether epochs that were let go are not folded in yet. */
  get isWaiting(): boolean {
    return unfolded(this.#rounds).length > this.#held.length;
  }

  /** The limit that leaves no room for the next one. */
  limit(counts: OutcomeCounts): StopCause {
    const size = this.#held[0]?.size ?? 0;
    return limitInTheWay(size, [], this.#budget, counts, this.#study);
  }

  /** Lets go of those that a study with these counts has room for. */
  take(counts: OutcomeCounts): readonly EpochJob[] {
    if (!isLimited(this.#budget)) return this.#held.splice(0);
    const begun = unfolded(this.#rounds).map(({ size }) => size);
    begun.length -= this.#held.length;
    let count = 0;
    for (const { size } of this.#held) {
      if (roomBeside(begun, this.#budget, counts, this.#study) < size) break;
      begun.push(size);
      count += 1;
    }
    return this.#held.splice(0, count);
  }
}

/** What is told of candidates that are still held at the end. */
export const heldWarning = (candidates: number): string =>
  `an earlier run has begun ${candidates} more candidate${candidates === 1 ? "" : "s"} than this ` +
  "budget has room for: the archive keeps them for a run with a larger one";

const unfolded = (rounds: readonly Round[]): EpochJob[] =>
  rounds.flatMap(({ jobs, folded }) => jobs.slice(folded));
