/**
 * Rounds under way: which epochs each has, and what has come back.
 */

import type { EpochJob } from "../epoch/job.js";
import type { Arrival } from "../epoch/pack.js";
import type { Proposal } from "../types.js";
import type { SavedEpoch, SavedRound } from "./journal.js";

export class Round {
  readonly index: number;
  readonly version: number;
  /** In the order of their slots; slots without candidates have none. */
  readonly jobs: EpochJob[] = [];
  /** Proposers that have had their turn. */
  places = 0;
  isLaunched = false;
  /** Epochs that are folded in. */
  folded = 0;
  readonly #arrived = new Map<number, readonly Arrival[]>();

  constructor(index: number, version: number) {
    this.index = index;
    this.version = version;
  }

  static restore(saved: SavedRound): Round {
    const round = new Round(saved.round, saved.version);
    round.places = saved.places;
    round.isLaunched = saved.isLaunched;
    round.folded = saved.folded;
    for (const { slot, place, size, proposals } of saved.epochs)
      round.add(slot, place, size, proposals);
    return round;
  }

  save(): SavedRound {
    const { index, version, places, isLaunched, folded, jobs } = this;
    const epochs = savedEpochs(jobs);
    return { round: index, version, places, isLaunched, folded, epochs };
  }

  add(
    slot: number,
    place: number,
    size: number,
    proposals: readonly Proposal[] | undefined,
  ): EpochJob {
    const { index: round, version } = this;
    const job: EpochJob = { round, slot, place, version, size, proposals, lost: [] };
    this.jobs.push(job);
    return job;
  }

  /** Candidates at most. */
  get size(): number {
    return this.jobs.reduce((sum, { size }) => sum + size, 0);
  }

  arrive(slot: number, arrivals: readonly Arrival[]): void {
    this.#arrived.set(slot, arrivals);
  }

  /** The next epoch to be folded in, if it has come back. */
  takeNext(): { readonly job: EpochJob; readonly arrivals: readonly Arrival[] } | undefined {
    const job = this.jobs[this.folded];
    const arrivals = job === undefined ? undefined : this.#arrived.get(job.slot);
    if (job === undefined || arrivals === undefined) return undefined;
    this.#arrived.delete(job.slot);
    this.folded += 1;
    return { job, arrivals };
  }

  get isDone(): boolean {
    return this.isLaunched && this.folded === this.jobs.length;
  }
}

/** Epochs of a round as a state has them. */
export const savedEpochs = (jobs: readonly EpochJob[]): readonly SavedEpoch[] =>
  jobs.map(({ slot, place, size, proposals }) => ({
    slot,
    place,
    size,
    isGiven: proposals !== undefined,
  }));

/** Rounds that are folded in and not observed, as a state has them. */
export const savedDone = (
  done: ReadonlyMap<number, readonly SavedEpoch[]>,
  places: number,
): readonly SavedRound[] =>
  [...done].map(([round, epochs]) => {
    const { length: folded } = epochs;
    return { round, version: 0, places, isLaunched: true, folded, epochs };
  });
