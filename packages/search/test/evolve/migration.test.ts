/** Migration: members go from island to island, and the best come to all of them. */

import { describe, expect, test } from "vitest";
import { isMigrationDue } from "../../src/evolve/breeder.js";
import { Chance } from "../../src/evolve/chance.js";
import { Population } from "../../src/evolve/population.js";
import type { Outcome } from "../../src/types.js";

const islands = 3;
const perIsland = 10;

/** A scored candidate: the later, the better. */
const candidate = (id: number): Outcome => ({
  id,
  visit: id,
  round: 0,
  slot: 0,
  proposer: "evolve",
  origin: "draw",
  source: `(* p0 x${id})`,
  parents: [],
  skeleton: `(* ? x${id})`,
  complexity: 3 + (id % 4),
  status: "scored",
  rung: 0,
  fits: 1,
  params: { p0: 1 },
  loss: 1 / (id + 1),
  trainR2: 1 - 1 / (id + 2),
  r2: 0,
  bic: 0,
});

function settled(): Population {
  const population = new Population({ islands, islandSize: 40, hasLoopIsland: false });
  const chance = new Chance(7);
  for (let id = 0; id < islands * perIsland; id++)
    population.add(candidate(id), id % islands, chance);
  return population;
}

/** Ids that live on more than one island. */
function shared(population: Population): number[] {
  const homes = new Map<number, number>();
  for (const island of population.view().islands)
    for (const { id } of island) homes.set(id, (homes.get(id) ?? 0) + 1);
  return [...homes].filter(([, count]) => count > 1).map(([id]) => id);
}

describe("islands", () => {
  test("keep to themselves until members migrate", () => {
    const population = settled();
    expect(shared(population)).toEqual([]);
    for (const [at, island] of population.view().islands.entries())
      expect(island.every(({ id }) => id % islands === at)).toBe(true);
  });

  test("get a member of the next island each, and one of the best of all sizes", () => {
    const population = settled();
    const before = population.view().islands.map((island) => new Set(island.map(({ id }) => id)));
    const best = new Set(population.view().best.map(({ id }) => id));
    population.migrate(new Chance(1));
    for (const [at, island] of population.view().islands.entries()) {
      const came = island.map(({ id }) => id).filter((id) => !before[at]?.has(id));
      const isFromNext = (id: number): boolean => id % islands === (at + 1) % islands;
      expect(came.length).toBeLessThanOrEqual(2);
      expect(came.every((id) => isFromNext(id) || best.has(id))).toBe(true);
    }
    expect(shared(population).length).toBeGreaterThan(0);
  });

  test("get members of the next island besides the best, and of no other island", () => {
    const came = Array.from({ length: islands }, () => new Set<number>());
    for (let seed = 0; seed < 30; seed++) {
      const population = settled();
      const before = population.view().islands.map((island) => new Set(island.map(({ id }) => id)));
      const best = new Set(population.view().best.map(({ id }) => id));
      population.migrate(new Chance(seed));
      for (const [at, island] of population.view().islands.entries())
        for (const { id } of island)
          if (!before[at]?.has(id) && !best.has(id)) came[at]?.add(id % islands);
    }
    expect(came.map((homes) => [...homes])).toEqual([[1], [2], [0]]);
  });

  test("migrate every 200 candidates, as often as asked, or never", () => {
    const due = (options: { migrateEvery?: number }): number[] =>
      Array.from({ length: 600 }, (_, i) => i + 1).filter((n) => isMigrationDue(options, n));
    expect(due({})).toEqual([200, 400, 600]);
    expect(due({ migrateEvery: 250 })).toEqual([250, 500]);
    expect(due({ migrateEvery: 0 })).toEqual([]);
  });
});
