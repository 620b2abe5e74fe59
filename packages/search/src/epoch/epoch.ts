/**
 * An epoch: breeds or takes programs, reads them, finds duplicates, screens and fits, and tells what
 * became of each. It is a pure function of the study, of what was known at the job's version, and of
 * the job; it runs where the machine is and knows no clock.
 *
 * Texts that come again and again (a stream) are read once and screened once: what is remembered of
 * them would be found again, so it saves time and decides nothing.
 */

import { seedFor } from "@ndvm/core";
import { digestNumber } from "../digest.js";
import { type Bred, Breeder, type EvolveOptions, populationOptions } from "../evolve/breeder.js";
import { CandidateRunner, type FitWatch } from "../pipeline/candidate-runner.js";
import { failedResult, type Task, type TaskResult } from "../pipeline/task.js";
import { briefFor, SEED_EPOCH, SEED_FIT, type Study } from "../study.js";
import type { Proposal, Rung } from "../types.js";
import type { EpochJob, EpochResult, Update } from "./job.js";
import { View } from "./knowledge.js";
import { bestResult, promoted, roundEvenly, roundUp } from "./ladder.js";
import { Reader, type Reading } from "./reading.js";

/** Texts that are known to have passed the screen, at most. */
const PASSED_MAX = 100_000;

/** What a study's epochs need besides the study: plain data, too. */
export interface EpochSetting {
  readonly study: Study;
  /** By place: how a proposer that travels breeds; null for one that does not. */
  readonly breedings: readonly (EvolveOptions | null)[];
}

/** Who watches an epoch. None of it has a say in what the epoch comes to. */
export interface EpochWatch {
  readonly signal?: AbortSignal | undefined;
  /** Before a candidate's fit: its index and its text. */
  onCandidate?(index: number, source: string): void;
  /** After it: the event loop may have its turn. */
  rest?(): Promise<void> | undefined;
}

/** An epoch that was ended: it comes to nothing. */
export class Cancelled extends Error {}

interface Entry {
  readonly index: number;
  readonly proposal: Proposal;
  readonly reading: Reading;
  readonly complexity: number;
  readonly isDuplicate: boolean;
  results: readonly TaskResult[];
}

const NO_RESULTS: readonly TaskResult[] = [];

export class EpochRunner {
  readonly #study: Study;
  readonly #runner: CandidateRunner;
  readonly #reader: Reader;
  readonly #view = new View();
  readonly #setting: EpochSetting;
  readonly #breeders = new Map<number, Breeder>();
  readonly #passed = new Set<string>();
  #reading = 0;

  static async create(setting: EpochSetting, watch: FitWatch = {}): Promise<EpochRunner> {
    return new EpochRunner(setting, await CandidateRunner.create(setting.study, watch));
  }

  private constructor(setting: EpochSetting, runner: CandidateRunner) {
    this.#setting = setting;
    this.#study = setting.study;
    this.#runner = runner;
    this.#reader = new Reader(setting.study);
  }

  dispose(): void {
    this.#runner.dispose();
  }

  /** The version that the next job must be of, unless updates come first. */
  get version(): number {
    return this.#view.version;
  }

  /** Hears of what became of earlier rounds. */
  take(update: Update): void {
    this.#view.take(update);
  }

  /** Runs an epoch to its end. Throws `Cancelled` where the signal ended it. */
  async run(job: EpochJob, watch: EpochWatch = {}): Promise<EpochResult> {
    if (job.version !== this.#view.version)
      throw new Error(`epoch of version ${job.version}, known is ${this.#view.version}`);
    const began = performance.now();
    this.#reading = 0;
    const entries = this.#entriesOf(job);
    const breeding = performance.now() - began - this.#reading;
    await this.#climb(entries, job, watch);
    return {
      round: job.round,
      slot: job.slot,
      candidates: entries.map(({ proposal, reading, isDuplicate, results }) => ({
        proposal:
          proposal.source === reading.source ? proposal : { ...proposal, source: reading.source },
        skeleton: reading.skeleton,
        high: reading.digest.high,
        low: reading.digest.low,
        complexity: reading.complexity,
        failure: isDuplicate ? undefined : reading.failure,
        isDuplicate,
        results,
      })),
      breeding: breeding / 1000,
      reading: this.#reading / 1000,
    };
  }

  #entriesOf(job: EpochJob): readonly Entry[] {
    const made = job.proposals === undefined ? this.#breed(job) : this.#readAll(job.proposals);
    const own = new Set<number>();
    return made.map(({ proposal, reading }, index) => {
      const key = digestNumber(reading.digest);
      const isKnown = own.has(key) || this.#view.seen.has(reading.digest);
      own.add(key);
      return {
        index,
        proposal,
        reading,
        complexity: reading.complexity,
        isDuplicate: isKnown && proposal.isRevisit !== true,
        results: NO_RESULTS,
      };
    });
  }

  #readAll(proposals: readonly Proposal[]): readonly Bred[] {
    const began = performance.now();
    const read = proposals.map((proposal) => ({
      proposal,
      reading:
        proposal.isRevisit === true
          ? this.#reader.readAgain(proposal.source)
          : this.#reader.read(proposal.source),
    }));
    this.#reading = performance.now() - began;
    return read;
  }

  #breed({ round, slot, place, size }: EpochJob): readonly Bred[] {
    const { epoch, seed } = this.#study;
    const population = this.#view.populations[place];
    const breeding = this.#setting.breedings[place];
    if (!population || !breeding) throw new Error("this proposer does not travel");
    const own = new Set<number>();
    return this.#breederOf(place, breeding).breed(
      population,
      {
        seed: seedFor(seed, SEED_EPOCH, round, slot),
        count: size,
        before: ordinalOf(this.#study, { round, slot }) * epoch,
        island: islandOf(this.#setting, place, round, slot) as number,
      },
      {
        read: (source) => {
          const began = performance.now();
          const reading = this.#reader.read(source);
          this.#reading += performance.now() - began;
          return reading;
        },
        isSeen: ({ digest }) => this.#view.seen.has(digest) || own.has(digestNumber(digest)),
        see: ({ digest }) => own.add(digestNumber(digest)),
      },
    );
  }

  #breederOf(place: number, options: EvolveOptions): Breeder {
    const known = this.#breeders.get(place) ?? new Breeder(options, briefFor(this.#study, place));
    this.#breeders.set(place, known);
    return known;
  }

  async #climb(entries: readonly Entry[], job: EpochJob, watch: EpochWatch): Promise<void> {
    const { rungs } = this.#study.recipe;
    const lost = new Map(job.lost);
    let climbing = entries.filter(
      ({ reading, isDuplicate }) => reading.failure === undefined && !isDuplicate,
    );
    const rounding =
      job.proposals === undefined ? roundEvenly(ordinalOf(this.#study, job)) : roundUp;
    for (const [number, rung] of rungs.entries()) {
      if (number > 0) climbing = [...promoted(climbing, rung as Rung, this.#view.front, rounding)];
      for (const entry of climbing) {
        const failure = lost.get(entry.index);
        const task = this.#taskOf(entry, number, job);
        if (failure === undefined) watch.onCandidate?.(entry.index, task.source);
        const result =
          failure === undefined ? await this.#runner.run(task) : failedResult(task, failure);
        if (watch.signal?.aborted) throw new Cancelled();
        // Most candidates have one result, and an array that grows takes room for many.
        entry.results = number === 0 ? [result] : [...entry.results, result];
        if (number === 0) this.#notePassed(entry, result);
        const rest = watch.rest?.();
        if (rest !== undefined) await rest;
        if (watch.signal?.aborted) throw new Cancelled();
      }
    }
  }

  #taskOf({ index, proposal, reading, results }: Entry, rung: number, job: EpochJob): Task {
    return {
      visit: index,
      id: digestNumber(reading.digest),
      seed: seedFor(this.#study.seed, SEED_FIT, job.round, job.slot, index),
      rung,
      source: reading.source,
      params: proposal.params,
      from: bestResult(results)?.params,
      isScreened: rung > 0 || reading.isStraight || this.#passed.has(passKey(proposal, reading)),
      hasOneWay: reading.hasOneWay,
    };
  }

  #notePassed({ proposal, reading }: Entry, { failure }: TaskResult): void {
    if (failure !== undefined || reading.isStraight || proposal.isRevisit !== true) return;
    const key = passKey(proposal, reading);
    if (key === "") return;
    if (this.#passed.size >= PASSED_MAX) this.#passed.clear();
    this.#passed.add(key);
  }
}

/** The text, where it says all of a candidate: the screen's starts follow from its skeleton then. */
const passKey = ({ params }: Proposal, { source }: Reading): string =>
  params === undefined ? source : "";

/** The island that an epoch breeds for; undefined where its proposer does not travel. */
export function islandOf(
  { study, breedings }: EpochSetting,
  place: number,
  round: number,
  slot: number,
): number | undefined {
  const breeding = breedings[place];
  if (!breeding) return undefined;
  const { islands } = populationOptions(breeding, study);
  return ordinalOf(study, { round, slot }) % islands;
}

/** The number of an epoch among those of its proposer. */
const ordinalOf = (
  { slots }: Pick<Study, "slots">,
  { round, slot }: Pick<EpochJob, "round" | "slot">,
): number => round * slots + (slot % slots);
