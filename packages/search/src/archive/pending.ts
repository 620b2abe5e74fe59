/**
 * Epochs that are under way: what proposers that do not travel have said, and outcomes that they have
 * not heard of. They are where the study stands, so their rows come and go. An epoch that is over
 * before the next entry of the journal never gets one. Epochs that are bred need none.
 */

import type { SettledEpoch } from "../engine/journal.js";
import type { EpochJob } from "../epoch/job.js";
import type { Json } from "../types.js";
import type { EpochKey } from "./messages.js";
import { proposalsText } from "./proposals-json.js";

/** What the table `pending` says of an epoch. */
export type PendingBody =
  | { readonly kind: "proposed"; readonly proposals: string }
  | { readonly kind: "settled"; readonly outcomes: readonly Json[] };

interface Changes {
  readonly dropped: readonly EpochKey[];
  readonly pending: readonly (readonly [...EpochKey, body: string])[];
}

const keyOf = ({ round, slot }: { readonly round: number; readonly slot: number }): string =>
  `${round}/${slot}`;

export class PendingEpochs {
  readonly #proposed = new Map<string, EpochJob>();
  readonly #settled = new Map<string, SettledEpoch>();
  /** Epochs that have a row. */
  readonly #written = new Map<string, EpochKey>();
  readonly #hasListeners: boolean;

  /** `hasListeners`: there are proposers that hear of outcomes. */
  constructor(hasListeners: boolean) {
    this.#hasListeners = hasListeners;
  }

  /** Epochs that an earlier run left. */
  restore(epochs: readonly EpochKey[]): void {
    for (const [round, slot] of epochs) this.#written.set(keyOf({ round, slot }), [round, slot]);
  }

  propose(job: EpochJob): void {
    this.#proposed.set(keyOf(job), job);
  }

  settle(settled: SettledEpoch): void {
    this.#proposed.delete(keyOf(settled));
    if (this.#hasListeners) this.#settled.set(keyOf(settled), settled);
  }

  /** What changes where proposers have heard of all rounds before `observed`. */
  changes(observed: number): Changes {
    const pending: [number, number, string][] = [];
    for (const { round, slot, outcomes } of this.#settled.values())
      if (round >= observed) pending.push([round, slot, settledBody(outcomes)]);
    for (const { round, slot, proposals } of this.#proposed.values())
      pending.push([round, slot, proposedBody(proposals ?? [])]);
    // Each is written once: as a proposal until it is settled, then as an outcome until it is heard.
    this.#settled.clear();
    this.#proposed.clear();
    const dropped: EpochKey[] = [];
    for (const [key, epoch] of this.#written) {
      if (epoch[0] >= observed) continue;
      dropped.push(epoch);
      this.#written.delete(key);
    }
    for (const [round, slot] of pending) this.#written.set(keyOf({ round, slot }), [round, slot]);
    return { dropped, pending };
  }
}

const settledBody = (outcomes: SettledEpoch["outcomes"]): string =>
  JSON.stringify({ kind: "settled", outcomes } as unknown as PendingBody);

const proposedBody = (proposals: NonNullable<EpochJob["proposals"]>): string =>
  JSON.stringify({ kind: "proposed", proposals: proposalsText(proposals) } satisfies PendingBody);
