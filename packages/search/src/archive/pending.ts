/**
 * Epochs that are under way: proposals that are not settled, and outcomes that proposers have not
 * heard of. They are where the study stands, so their rows come and go. An epoch that is over before
 * the next entry of the journal never gets one.
 */

import type { Batch } from "../engine/batch.js";
import type { PendingVisit, SettledBatch } from "../engine/journal.js";
import type { Json } from "../types.js";
import type { EpochKey } from "./messages.js";
import type { PendingBody } from "./reader.js";

interface Changes {
  readonly dropped: readonly EpochKey[];
  readonly pending: readonly (readonly [...EpochKey, body: string])[];
}

export class PendingEpochs {
  readonly #proposed = new Map<number, Batch>();
  readonly #settled = new Map<number, SettledBatch>();
  /** Epochs that have a row. */
  readonly #written = new Set<number>();

  /** Epochs that an earlier run left. */
  restore(indices: readonly number[]): void {
    for (const index of indices) this.#written.add(index);
  }

  propose(batch: Batch): void {
    this.#proposed.set(batch.index, batch);
  }

  settle(settled: SettledBatch): void {
    this.#proposed.delete(settled.batch.index);
    this.#settled.set(settled.batch.index, settled);
  }

  /** What changes where proposers have heard of all epochs before `observed`. */
  changes(observed: number): Changes {
    const pending: [number, number, string][] = [];
    for (const [index, settled] of this.#settled)
      if (index >= observed) pending.push([index, 0, JSON.stringify(settledBody(settled))]);
    for (const [index, batch] of this.#proposed)
      pending.push([index, 0, JSON.stringify(proposedBody(batch))]);
    // Each is written once: as a proposal until it is settled, then as an outcome until it is heard.
    this.#settled.clear();
    this.#proposed.clear();
    const dropped: EpochKey[] = [];
    for (const index of this.#written) {
      if (index >= observed) continue;
      dropped.push([index, 0]);
      this.#written.delete(index);
    }
    for (const [index] of pending) this.#written.add(index);
    return { dropped, pending };
  }
}

const settledBody = ({ batch, outcomes }: SettledBatch): PendingBody => ({
  kind: "settled",
  outcomes: outcomes as unknown as readonly Json[],
  fitsMost: batch.fitsMost,
});

const proposedBody = ({ proposer, slots, frontVisits }: Batch): PendingBody => ({
  kind: "proposed",
  proposer,
  front: frontVisits,
  visits: slots.map(
    ({ visit, id, proposal, skeleton, complexity, duplicateOf, failure }): PendingVisit => ({
      visit,
      id,
      source: proposal.source,
      origin: proposal.origin,
      parents: proposal.parents,
      prompt: proposal.prompt,
      params: proposal.params === undefined ? undefined : JSON.stringify(proposal.params),
      isRevisit: proposal.isRevisit === true,
      skeleton,
      complexity,
      duplicateOf,
      failure,
    }),
  ),
});
