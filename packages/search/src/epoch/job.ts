/**
 * An epoch as data: what whoever runs it is given, and what comes back.
 *
 * Epoch (round, slot) is a pure function of the study, of what the study knew after the first
 * `version` rounds, and of the job below. Jobs, updates and results are plain data of a few
 * kilobytes, so that they can go to a thread or over a network.
 */

import type { Member } from "../evolve/population.js";
import type { TaskResult } from "../pipeline/task.js";
import type { Failure, Proposal } from "../types.js";

export interface EpochJob {
  readonly round: number;
  readonly slot: number;
  /** The proposer's place in the study. */
  readonly place: number;
  /** Rounds whose outcomes the epoch knows of. */
  readonly version: number;
  /** Candidates that are wanted. */
  readonly size: number;
  /** What a proposer that does not travel suggests; undefined: the epoch breeds. */
  readonly proposals: readonly Proposal[] | undefined;
  /** Candidates (by index) that cost their workers their lives, and what is said of them. */
  readonly lost: readonly (readonly [index: number, failure: Failure])[];
}

/** What an epoch has to know of the study besides the options, as of a version. */
export interface Update {
  readonly version: number;
  /** The version that this goes on from; −1: from nothing. */
  readonly from: number;
  /** A `Knowledge`, or what differs, as JSON: made once, read by every worker. */
  readonly text: string;
  /** Digests of skeletons seen since, two words each. */
  readonly digests: Uint32Array;
}

/** What `Update.text` says. */
export interface Knowledge {
  /** Complexities of the front's members and their losses, in turn; undefined: as before. */
  readonly front: readonly number[] | undefined;
  /** By place; null for proposers that do not travel. */
  readonly populations: readonly (PopulationUpdate | null)[];
}

export interface PopulationUpdate {
  /** Members that an island has at a place since. */
  readonly settled: readonly (readonly [island: number, place: number, member: Member])[];
  /** The best of every size of which none smaller is better; undefined: as before. */
  readonly best: readonly Member[] | undefined;
}

/** What became of one candidate of an epoch, before it has its number. */
export interface EpochCandidate {
  readonly proposal: Proposal;
  readonly skeleton: string;
  readonly high: number;
  readonly low: number;
  readonly complexity: number;
  /** It has no fit: it is not a program, or one that the epoch knew. */
  readonly failure: Failure | undefined;
  readonly isDuplicate: boolean;
  readonly results: readonly TaskResult[];
}

export interface EpochResult {
  readonly round: number;
  readonly slot: number;
  readonly candidates: readonly EpochCandidate[];
  /** Seconds that breeding took, and reading. */
  readonly breeding: number;
  readonly reading: number;
}
