/** Who becomes a parent: members of the epoch's island, and a share of the best of all islands. */

import { describe, expect, test } from "vitest";
import { Reader } from "../../src/epoch/reading.js";
import { Breeder } from "../../src/evolve/breeder.js";
import type { Member, PopulationView } from "../../src/evolve/population.js";
import { LIMITS } from "../../src/study.js";
import { briefOf } from "./brief.js";

const perIsland = 10;
const islands = 3;
const brief = briefOf({ operators: ["+", "*", "sin", "exp"], islands });

const member = (id: number): Member => ({
  id,
  source: `(+ p0 (* p1 (sin (* ${id + 2} x))))`,
  params: { p0: 1, p1: 0.5 },
  rest: 0.5,
  complexity: 8,
});

/** Members whose ids say where they live: tens are islands, those of the best are 100 and more. */
const view: PopulationView = {
  islands: Array.from({ length: islands }, (_, at) =>
    Array.from({ length: perIsland }, (_, i) => member(at * perIsland + i)),
  ),
  best: [member(100), member(101)],
  count: islands * perIsland,
};

/** How many parents of an epoch for island 1 come from each island; "10" stands for the best. */
function homesOf(options: { bestShare?: number }): Map<number, number> {
  const reader = new Reader({
    target: "y",
    inputs: ["x"],
    limits: LIMITS,
    complexityMax: undefined,
  });
  const bred = new Breeder({ ...options, draws: 0 }, brief).breed(
    view,
    { seed: 3, count: 600, before: 1000, island: 1 },
    { read: (source) => reader.read(source), isSeen: () => false, see: () => {} },
  );
  const homes = new Map<number, number>();
  for (const { proposal } of bred)
    for (const id of proposal.parents) {
      const home = Math.floor(id / perIsland);
      homes.set(home, (homes.get(home) ?? 0) + 1);
    }
  return homes;
}

describe("parents", () => {
  test("are the island's own where none may be one of the best, and never another island's", () => {
    expect([...homesOf({ bestShare: 0 }).keys()]).toEqual([1]);
    expect([...homesOf({ bestShare: 1 }).keys()]).toEqual([10]);
  });

  test("are one of the best in a fifth of the cases, where nobody says another share", () => {
    const homes = homesOf({});
    const best = homes.get(10) ?? 0;
    const share = best / (best + (homes.get(1) ?? 0));
    expect([...homes.keys()].sort()).toEqual([1, 10]);
    expect(share).toBeGreaterThan(0.15);
    expect(share).toBeLessThan(0.25);
  });
});
