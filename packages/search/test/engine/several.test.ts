/**
 * Several proposers that travel, in one study: each population is what it would be if it were folded by
 * itself, whoever else breeds, and whenever members migrate.
 */

import { seedFor } from "@ndvm/core";
import { describe, expect, test } from "vitest";
import { Fold } from "../../src/engine/fold.js";
import type { EpochJob } from "../../src/epoch/job.js";
import type { Arrival } from "../../src/epoch/pack.js";
import { type EvolveOptions, populationOptions } from "../../src/evolve/breeder.js";
import { Chance } from "../../src/evolve/chance.js";
import { Population } from "../../src/evolve/population.js";
import { emptyResult } from "../../src/pipeline/task.js";
import { briefFor, makeStudy, SEED_FOLD, type Study } from "../../src/study.js";
import type { Outcome } from "../../src/types.js";
import { line } from "./data.js";

const seed = Number(process.env["SEED"] ?? 20261118);

/** Sources that children can be made of, and one that has none. */
const SOURCES = ["(* p0 x)", "(sin (* a x))", "(+ x 2)", "(car x)"];

function arrivalOf(chance: Chance, at: number): Arrival {
  const score = chance.uniform();
  const skeleton = `(s ${chance.below(40)})`;
  const result = {
    ...emptyResult({ visit: 0, rung: 0 }),
    ...{ fits: 1, params: { p0: at }, loss: 1 - score, trainR2: score, r2: score, bic: 0 },
  };
  return {
    source: chance.pick(SOURCES),
    origin: chance.happens(0.2) ? "seed" : "draw",
    parents: chance.happens(0.5) ? [1] : [],
    ...{ prompt: undefined, starts: null, isRevisit: false, skeleton },
    // Some have the skeleton of an earlier one: duplicates.
    ...{ high: 1, low: chance.happens(0.2) ? chance.below(50) : 1000 + at },
    complexity: 1 + chance.below(14),
    ...{ failure: undefined, isDuplicate: false },
    results: chance.happens(0.1) ? [] : [result],
  };
}

/** One population, told of every outcome of the study in order. */
class Alone {
  readonly population: Population;
  readonly #complexityMax: number;

  constructor(
    private readonly study: Study,
    private readonly place: number,
    private readonly options: EvolveOptions,
  ) {
    const brief = briefFor(study, place);
    this.#complexityMax = brief.complexityMax;
    this.population = new Population(populationOptions(options, brief));
  }

  take(job: EpochJob, outcomes: readonly Outcome[]): void {
    const { study, place } = this;
    const chance = new Chance(seedFor(study.seed, SEED_FOLD, job.round, job.slot, place));
    const isOwn = job.place === place;
    const islands = this.options.islands ?? study.islands;
    const island = (job.round * study.slots + (job.slot - place * study.slots)) % islands;
    for (const outcome of outcomes) {
      const isBred = isOwn && outcome.origin !== "seed";
      const canBreed = isBred || outcome.source !== "(car x)";
      if (outcome.status === "scored" && outcome.complexity <= this.#complexityMax && canBreed)
        this.population.add(outcome, isOwn ? island : undefined, chance);
      const { migrateEvery = 200 } = this.options;
      if (migrateEvery > 0 && (outcome.visit + 1) % migrateEvery === 0)
        this.population.migrate(chance);
    }
  }
}

describe("several breeders of one study", () => {
  const choices: readonly (readonly (EvolveOptions | null)[])[] = [
    [
      { islands: 2, islandSize: 4, migrateEvery: 3 },
      { islands: 3, islandSize: 5, migrateEvery: 7 },
    ],
    [null, { islands: 3, islandSize: 4, migrateEvery: 0 }, { islands: 2, islandSize: 3 }],
    [{ islands: 2, islandSize: 3, migrateEvery: 4 }, null, { islandSize: 4, migrateEvery: 4 }],
  ];
  test.each(choices.map((options) => ({ options })))(
    "fill their populations as each would alone: $options",
    ({ options }) => {
      const study = makeStudy({ data: line, target: "y", seed: 3, slots: 3, complexityMax: 10 });
      const fold = new Fold(
        { study, breedings: options },
        options.map((_, place) => `p${place}`),
      );
      const alone = options.map((each, place) => each && new Alone(study, place, each));
      const chance = new Chance(seed);
      let count = 0;
      for (let round = 0; round < 12; round++)
        for (let place = 0; place < options.length; place++)
          for (let k = 0; k < 3; k++) {
            const slot = place * 3 + k;
            const job = { round, slot, place, version: 0, size: 9, proposals: undefined, lost: [] };
            const arrivals = Array.from({ length: chance.below(10) }, () => {
              count += 1;
              return arrivalOf(chance, count);
            });
            const { outcomes } = fold.take(job, arrivals);
            expect(outcomes.map(({ visit }) => visit)).toEqual(
              outcomes.map((_, i) => count - outcomes.length + i),
            );
            for (const [at, each] of alone.entries()) {
              each?.take(job, outcomes);
              expect(fold.populationAt(at)?.save()).toEqual(each?.population.save());
            }
          }
      expect(fold.nextVisit).toBe(count);
      fold.endRound(1);
      expect(fold.history.at(1).populations).toEqual(
        alone.map((each) => each?.population.view() ?? null),
      );
    },
  );
});
