/**
 * `evolve`: typed genetic programming over the language, as a proposer.
 *
 * A search does not ask it: epochs breed where they are fitted (breeder.ts), and the engine keeps the
 * population. Whoever asks it by hand gets the same, batch by batch: each is an epoch of its own, bred
 * from the population as it has heard of it.
 */

import { checkNames, namesOf, seedFor } from "@ndvm/core";
import { Reader } from "../epoch/reading.js";
import { checkInteger, LIMITS, refuseOption } from "../study.js";
import type { Json, Outcome, Proposals, Proposer, StudyBrief } from "../types.js";
import { Breeder, type EvolveOptions, isMigrationDue, populationOptions } from "./breeder.js";
import { Chance } from "./chance.js";
import { Population, type PopulationState } from "./population.js";
import { Seen } from "./seen.js";

export type { EvolveOptions } from "./breeder.js";

interface Saved {
  readonly seen: string;
  readonly population: PopulationState;
  readonly made: number;
  readonly epochs: number;
  readonly heard: number;
}

export function evolve(options: EvolveOptions = {}): Proposer {
  checkOptions(options);
  return new Evolve(options);
}

/** The most programs, islands or candidates that an option may name. */
const COUNT_MAX = 1_000_000;

const NAMES = namesOf<EvolveOptions>({
  name: 1,
  seeds: 1,
  islands: 1,
  islandSize: 1,
  draws: 1,
  migrateEvery: 1,
  bestShare: 1,
});

function checkOptions(options: EvolveOptions): void {
  checkNames("evolve", options, NAMES);
  const { islands = 1, islandSize = 1, draws = 0, migrateEvery = 0, bestShare = 0 } = options;
  checkInteger("islands", islands, 1, COUNT_MAX);
  checkInteger("islandSize", islandSize, 1, COUNT_MAX);
  checkInteger("draws", draws, 0, COUNT_MAX);
  checkInteger("migrateEvery", migrateEvery, 0, COUNT_MAX);
  if (!(typeof bestShare === "number" && bestShare >= 0 && bestShare <= 1))
    throw refuseOption("bestShare", bestShare, "it must be a number from 0 to 1");
}

class Evolve implements Proposer {
  readonly name: string;
  readonly breeding: EvolveOptions;
  #brief!: StudyBrief;
  #breeder!: Breeder;
  #reader!: Reader;
  #population!: Population;
  #islands = 1;
  readonly #seen = new Seen();
  #made = 0;
  #epochs = 0;
  #heard = 0;

  constructor(options: EvolveOptions) {
    this.name = options.name ?? "evolve";
    this.breeding = options;
  }

  begin(brief: StudyBrief): void {
    this.#brief = brief;
    this.#breeder = new Breeder(this.breeding, brief);
    this.#reader = new Reader({
      target: brief.target.name,
      inputs: brief.inputs.map(({ name }) => name),
      limits: LIMITS,
      complexityMax: undefined,
    });
    const shape = populationOptions(this.breeding, brief);
    this.#islands = shape.islands;
    this.#population = new Population(shape);
  }

  propose(count: number): Promise<Proposals> {
    const seen = this.#seen;
    const bred = this.#breeder.breed(
      this.#population.view(),
      {
        seed: seedFor(this.#brief.seed, this.#epochs),
        count,
        before: this.#made,
        island: this.#epochs % this.#islands,
      },
      {
        read: (source) => this.#reader.read(source),
        isSeen: ({ skeleton }) => seen.has(skeleton),
        see: ({ skeleton }) => seen.add(skeleton),
      },
    );
    this.#made += count;
    this.#epochs += 1;
    return Promise.resolve({ proposals: bred.map(({ proposal }) => proposal) });
  }

  observe(outcomes: readonly Outcome[]): void {
    const chance = new Chance(seedFor(this.#brief.seed, this.#heard, 1));
    for (const outcome of outcomes) {
      if (outcome.skeleton !== "") this.#seen.add(outcome.skeleton);
      if (this.#isParent(outcome)) this.#population.add(outcome, undefined, chance);
      this.#heard += 1;
      if (isMigrationDue(this.breeding, this.#heard)) this.#population.migrate(chance);
    }
  }

  #isParent({ status, complexity, source }: Outcome): boolean {
    const isFit = status === "scored" && complexity <= this.#brief.complexityMax;
    return isFit && this.#breeder.canVary(source);
  }

  save(): Json {
    const saved: Saved = {
      seen: this.#seen.save(),
      population: this.#population.save(),
      made: this.#made,
      epochs: this.#epochs,
      heard: this.#heard,
    };
    return saved as unknown as Json;
  }

  restore(state: Json): void {
    const saved = state as unknown as Saved;
    this.#seen.restore(saved.seen);
    this.#population.restore(saved.population);
    this.#made = saved.made;
    this.#epochs = saved.epochs;
    this.#heard = saved.heard;
  }
}
