/**
 * Outcomes that proposers have not heard of, by round. A round is held from the time it is folded in until it
 * is told: a long search would keep every outcome otherwise.
 */

import type { Outcome } from "../types.js";

export class Unheard {
  readonly #rounds = new Map<number, Outcome[]>();

  /** Rounds that are held. */
  get size(): number {
    return this.#rounds.size;
  }

  add(round: number, outcomes: Iterable<Outcome>): void {
    const unheard = this.#rounds.get(round) ?? [];
    this.#rounds.set(round, unheard);
    for (const outcome of outcomes) unheard.push(outcome);
  }

  /** The outcomes of a round, in order. They are told now, and held no longer. */
  take(round: number): readonly Outcome[] {
    const outcomes = this.#rounds.get(round) ?? [];
    this.#rounds.delete(round);
    return outcomes;
  }
}
