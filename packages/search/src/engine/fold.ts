/**
 * The fold: outcomes of epochs, in the order (round, slot, index), become the study.
 *
 * Candidates get their numbers here. Of those with the same skeleton the first one wins: a later twin,
 * which an epoch of the same time could not know of, is a duplicate, and what was spent on its fit
 * counts as spent. The front advances, and populations take in who is good enough. All of it follows
 * from the epochs alone; whoever folds the same epochs has the same study.
 */

import { seedFor } from "@ndvm/core";
import { type Yardstick, yardstickOf } from "../choice/yardstick.js";
import { DigestTable } from "../digest.js";
import { type EpochSetting, islandOf } from "../epoch/epoch.js";
import type { EpochJob } from "../epoch/job.js";
import { History } from "../epoch/knowledge.js";
import { bestResult } from "../epoch/ladder.js";
import type { Arrival } from "../epoch/pack.js";
import { type EvolveOptions, isMigrationDue, populationOptions } from "../evolve/breeder.js";
import { Chance } from "../evolve/chance.js";
import { Population } from "../evolve/population.js";
import { readTree } from "../evolve/text.js";
import { briefFor, SEED_FOLD } from "../study.js";
import type { Failure, Outcome } from "../types.js";
import { StudyProgress } from "./progress.js";

/** The origin of programs that were read from a list. */
export const PLAIN_ORIGIN = "read";

/** Texts of which it is known whether children can be made of them, at most. */
const VARIABLE_MAX = 10_000;

/** A candidate of an epoch with its numbers. */
export interface Visit {
  readonly visit: number;
  readonly id: number;
  readonly arrival: Arrival;
  readonly failure: Failure | undefined;
  readonly duplicateOf: number | undefined;
  /** False: a visit to a candidate whose first proposal said the same. */
  readonly isNews: boolean;
}

/** A candidate of an earlier run. */
export interface SeenCandidate {
  readonly id: number;
  readonly high: number;
  readonly low: number;
  /** Its text, where its first proposal was that and nothing else. */
  readonly plain: string | undefined;
}

interface Breeding {
  readonly place: number;
  readonly options: EvolveOptions;
  readonly population: Population;
  readonly complexityMax: number;
}

/** A population that takes in an epoch. */
interface Host {
  readonly breeding: Breeding;
  /** The island that the epoch was bred for, if this proposer bred it. */
  readonly island: number | undefined;
  readonly chance: Chance;
}

export class Fold {
  readonly history = new History();
  readonly yardstick: Yardstick;
  readonly progress: StudyProgress;
  readonly #setting: EpochSetting;
  readonly #proposers: readonly string[];
  readonly #ids = new DigestTable(true);
  /** Candidates whose first proposal was plain text, to know a revisit that says nothing new. */
  readonly #plain = new Map<number, string>();
  readonly #breedings: readonly Breeding[];
  readonly #variable = new Map<string, boolean>();
  readonly #names: { readonly inputs: ReadonlySet<string> };
  nextVisit = 0;

  constructor(setting: EpochSetting, proposers: readonly string[]) {
    const { study, breedings } = setting;
    this.#setting = setting;
    this.yardstick = yardstickOf(study);
    this.progress = new StudyProgress(this.yardstick);
    this.#proposers = proposers;
    this.#names = { inputs: new Set(study.inputs) };
    this.#breedings = breedings.flatMap((options, place) => {
      if (options === null) return [];
      const brief = briefFor(study, place);
      const population = new Population(populationOptions(options, brief));
      return [{ place, options, population, complexityMax: brief.complexityMax }];
    });
  }

  /** The population of a proposer that travels. */
  populationAt(place: number): Population | undefined {
    return this.#breedings.find((each) => each.place === place)?.population;
  }

  /** Notes a candidate of an earlier run. They must come in order. */
  remember({ id, high, low, plain }: SeenCandidate): void {
    this.#ids.add(high, low, id);
    this.history.see({ high, low });
    if (plain !== undefined) this.#plain.set(id, plain);
  }

  /** Takes an epoch in. */
  take(job: EpochJob, arrivals: readonly Arrival[]): { visits: Visit[]; outcomes: Outcome[] } {
    const visits: Visit[] = [];
    const outcomes: Outcome[] = [];
    const hosts = this.#breedings.map((breeding) => this.#hostOf(breeding, job));
    for (const arrival of arrivals) {
      const visit = this.#number(arrival);
      const outcome = outcomeOf(visit, job, this.#proposers[job.place] as string);
      visits.push(visit);
      outcomes.push(outcome);
      this.progress.add(outcome);
      for (const { breeding, island, chance } of hosts) {
        if (this.#isParent(outcome, job, breeding))
          breeding.population.add(outcome, island, chance);
        if (isMigrationDue(breeding.options, this.nextVisit)) breeding.population.migrate(chance);
      }
    }
    return { visits, outcomes };
  }

  /** Notes that so many rounds are folded in. */
  endRound(version: number): void {
    const populations = this.#setting.breedings.map(
      (_, place) => this.populationAt(place)?.view() ?? null,
    );
    const { front } = this.progress;
    this.history.note(version, front, populations, this.progress.counts());
  }

  #number(arrival: Arrival): Visit {
    const visit = this.nextVisit;
    this.nextVisit += 1;
    const known = this.#ids.get(arrival);
    const isRevisit = known !== undefined && arrival.isRevisit;
    const isText = isPlain(arrival);
    const isNews = !isRevisit || !isText || this.#plain.get(known) !== arrival.source;
    if (known === undefined) {
      this.#ids.add(arrival.high, arrival.low, visit);
      this.history.see(arrival);
      if (isText) this.#plain.set(visit, arrival.source);
    }
    const isDuplicate = known !== undefined && !isRevisit;
    return {
      visit,
      id: isRevisit ? known : visit,
      arrival,
      failure: isDuplicate ? undefined : arrival.failure,
      duplicateOf: isDuplicate ? known : undefined,
      isNews,
    };
  }

  #hostOf(breeding: Breeding, { round, slot, place }: EpochJob): Host {
    const isOwn = breeding.place === place;
    const island = isOwn ? islandOf(this.#setting, place, round, slot) : undefined;
    const seed = seedFor(this.#setting.study.seed, SEED_FOLD, round, slot, breeding.place);
    return { breeding, island, chance: new Chance(seed) };
  }

  /** What was bred can be bred from; of other programs the text tells. */
  #isParent(outcome: Outcome, job: EpochJob, { place, complexityMax }: Breeding): boolean {
    const { status, complexity, origin, source } = outcome;
    if (status !== "scored" || complexity > complexityMax) return false;
    if (job.place === place && origin !== "seed") return true;
    const known = this.#variable.get(source);
    if (known !== undefined) return known;
    if (this.#variable.size >= VARIABLE_MAX) this.#variable.clear();
    const canVary = readTree(source, this.#names) !== undefined;
    this.#variable.set(source, canVary);
    return canVary;
  }
}

/** A text to be visited again and again, from nowhere in particular. */
const isPlain = ({ isRevisit, origin, parents, starts, prompt }: Arrival): boolean =>
  isRevisit &&
  origin === PLAIN_ORIGIN &&
  parents.length === 0 &&
  starts === null &&
  prompt === undefined;

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

const NOTHING = {
  params: {},
  loss: Number.NaN,
  trainR2: Number.NaN,
  r2: Number.NaN,
  bic: Number.NaN,
};

function outcomeOf(taken: Visit, { round, slot }: EpochJob, proposer: string): Outcome {
  const { id, visit, arrival, duplicateOf } = taken;
  const { origin, source, parents, skeleton, complexity, results } = arrival;
  const best = duplicateOf === undefined ? bestResult(results) : undefined;
  const failure = taken.failure ?? results[0]?.failure;
  let fits = 0;
  for (const result of results) fits += result.fits;
  const { params, loss, trainR2, r2, bic } = best ?? NOTHING;
  const outcome: Mutable<Outcome> = {
    id,
    visit,
    round,
    slot,
    proposer,
    origin,
    source,
    parents,
    skeleton,
    complexity,
    status: duplicateOf !== undefined ? "duplicate" : best !== undefined ? "scored" : "failed",
    rung: duplicateOf !== undefined ? 0 : Math.max(0, results.length - 1),
    fits,
    params,
    loss,
    trainR2,
    r2,
    bic,
  };
  if (outcome.status === "failed" && failure !== undefined) outcome.failure = failure;
  if (duplicateOf !== undefined) outcome.duplicateOf = duplicateOf;
  return outcome;
}
