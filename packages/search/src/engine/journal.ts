/**
 * A journal: where a study's progress goes before anybody hears of it.
 *
 * An entry is all that happened since the one before, with the state that belongs to it; it is kept
 * as a whole or not at all.
 */

import type { TaskResult } from "../pipeline/task.js";
import type { Json, Outcome, SearchEvent, Spending, Weighing } from "../types.js";
import type { Batch } from "./batch.js";
import type { Front } from "./front.js";
import type { SeenCandidate } from "./intake.js";
import type { TallyCounts } from "./tally.js";

/** What the engine needs to go on, besides candidates and outcomes. */
export interface EngineState {
  /** The next batch and visit to be proposed, and whose turn it is. */
  /** Seconds of all runs so far. */
  readonly seconds: number;
  readonly nextBatch: number;
  readonly nextVisit: number;
  readonly turn: number;
  /** Batches that are complete, and those that proposers have heard of. */
  readonly settled: number;
  readonly observed: number;
  readonly exhausted: readonly boolean[];
  readonly spending: Spending;
  readonly counts: TallyCounts;
  readonly countsObserved: TallyCounts;
  /** Visits of the members of both fronts. */
  readonly front: readonly number[];
  readonly frontObserved: readonly number[];
  readonly proposers: readonly Json[];
}

export interface SettledBatch {
  readonly batch: Batch;
  readonly outcomes: readonly Outcome[];
  /** The front with these outcomes taken in. */
  readonly front: Front;
  /** Seconds of all runs until then. */
  readonly seconds: number;
}

/** What is known of a member of the front besides its outcome; older archives know less. */
export type MemberFacts = Partial<Weighing>;

export interface JournalEntry {
  readonly events: readonly SearchEvent[];
  /** By visit. Facts are never changed: what is new is a new object. */
  readonly members: ReadonlyMap<number, MemberFacts>;
  readonly state: EngineState;
}

export interface Journal {
  /** Notes the batches that an earlier run left under way, or that proposers have not heard of. */
  restore(pending: readonly number[]): void;
  /** Notes what belongs to the next entry. */
  propose(batch: Batch): void;
  settle(settled: SettledBatch): void;
  commit(entry: JournalEntry): Promise<void>;
  close(): Promise<void>;
}

/** A batch that was proposed and not settled, as the archive has it. */
export interface PendingBatch {
  readonly index: number;
  readonly proposer: string;
  readonly visits: readonly PendingVisit[];
  readonly front: readonly Outcome[];
}

export interface PendingVisit {
  readonly visit: number;
  readonly id: number;
  readonly source: string;
  readonly origin: string;
  readonly parents: readonly number[];
  readonly prompt: string | undefined;
  readonly params: string | undefined;
  readonly isRevisit: boolean;
  readonly skeleton: string;
  readonly complexity: number;
  readonly duplicateOf: number | undefined;
  readonly failure: TaskResult["failure"];
}

/** A settled batch that proposers have not heard of. */
export interface Unobserved {
  readonly outcomes: readonly Outcome[];
  readonly fitsMost: number;
}

/** What an earlier run left. */
export interface Resumption {
  readonly state: EngineState;
  /** Candidates that are no duplicates, in order. */
  seen(): Iterable<SeenCandidate>;
  outcomes(visits: readonly number[]): readonly Outcome[];
  settledBatch(index: number): Unobserved;
  readonly pending: readonly PendingBatch[];
}
