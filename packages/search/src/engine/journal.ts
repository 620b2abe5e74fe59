/**
 * A journal: where a study's progress goes before anybody hears of it.
 *
 * An entry is all that happened since the one before, with the state that belongs to it; it is kept
 * as a whole or not at all.
 */

import type { EpochJob } from "../epoch/job.js";
import type { SavedVersion } from "../epoch/knowledge.js";
import type { Json, Outcome, Proposal, SearchEvent, Spending, Weighing } from "../types.js";
import type { SeenCandidate, Visit } from "./fold.js";
import type { Front } from "./front.js";
import type { OutcomeCounts } from "./progress.js";

/** What the engine needs to go on, besides candidates and outcomes. */
export interface EngineState {
  /** Seconds of all runs so far. */
  readonly seconds: number;
  readonly nextVisit: number;
  /** Rounds that proposers have heard of. */
  readonly observed: number;
  readonly nextRound: number;
  readonly emptyRounds: number;
  readonly exhausted: readonly boolean[];
  /** Whether there are proposers that hear of outcomes. */
  readonly hasListeners: boolean;
  readonly spending: Spending;
  readonly counts: OutcomeCounts;
  /** Visits of the members of the front. */
  readonly front: readonly number[];
  readonly versions: readonly SavedVersion[];
  /** Rounds that are under way. */
  readonly rounds: readonly SavedRound[];
  readonly proposers: readonly Json[];
}

/** A round under way: a run that resumes computes what is not folded in again. */
export interface SavedRound {
  readonly round: number;
  readonly version: number;
  /** Proposers that have had their turn, and whether all have. */
  readonly places: number;
  readonly isLaunched: boolean;
  /** Epochs that are folded in: the first ones. */
  readonly folded: number;
  readonly epochs: readonly SavedEpoch[];
}

export interface SavedEpoch {
  readonly slot: number;
  readonly place: number;
  readonly size: number;
  /** Whether a proposer that does not travel has said what it holds. */
  readonly isGiven: boolean;
  /** What it has said: nobody asks it twice. Kept by itself. */
  readonly proposals?: readonly Proposal[] | undefined;
}

/** An epoch that is folded in. */
export interface SettledEpoch {
  readonly round: number;
  readonly slot: number;
  readonly proposer: string;
  readonly firstVisit: number;
  readonly visits: readonly Visit[];
  readonly outcomes: readonly Outcome[];
  /** The front with these outcomes taken in. */
  readonly front: Front;
  /** Visits of the members of the front that promotions were measured against. */
  readonly frontBefore: readonly number[];
  readonly fitsMost: number;
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
  /** Notes what an earlier run left that comes and goes, by round and slot. */
  restore(pending: readonly (readonly [round: number, slot: number])[]): void;
  /** Notes what belongs to the next entry: what a proposer has said, what became of an epoch. */
  propose(job: EpochJob): void;
  settle(settled: SettledEpoch): void;
  commit(entry: JournalEntry): Promise<void>;
  close(): Promise<void>;
}

/** What an earlier run left. */
export interface Resumption {
  readonly state: EngineState;
  /** Candidates that are no duplicates, in order. */
  seen(): Iterable<SeenCandidate>;
  outcomes(visits: readonly number[]): readonly Outcome[];
  /** Outcomes of a round, in order, as far as it was folded in. */
  round(round: number): readonly Outcome[];
  /**
   * Gives a proposer its state, or the population of one that breeds. Throws that the archive is damaged
   * where it cannot be gone on from.
   */
  restore(place: number, isBred: boolean, take: (state: Json) => void): void;
  /** Epochs whose contents or outcomes the archive keeps for the time being. */
  readonly pending: readonly (readonly [round: number, slot: number])[];
}
