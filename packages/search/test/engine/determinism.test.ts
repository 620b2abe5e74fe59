/**
 * One seed, one study: whatever the number of workers, whatever the timing.
 */

import { describe, expect, test } from "vitest";
import { evolve, paperRecipe, replay, type SearchOptions } from "../../src/index.js";
import { InlineRunner } from "../../src/pool/inline.js";
import type { RunnerEvents } from "../../src/pool/runner.js";
import type { SearchHooks } from "../../src/search.js";
import { Draws } from "../../src/seeds.js";
import { oscillation } from "./data.js";
import { Echo, expectSame, exported, freshFile, run } from "./support.js";

const seed = Number(process.env["SEED"] ?? 20261115);

/** Results come late and in another order, by chance. */
function disordered(chance: Draws): SearchHooks {
  return {
    startRunner(study, _workers, events) {
      const held: Parameters<RunnerEvents["results"]>[0][number][] = [];
      let isWaiting = false;
      const release = () => {
        isWaiting = false;
        const order = chance.shuffled(held.length);
        const some = order.slice(0, 1 + Math.floor(chance.uniform() * order.length));
        const given = some.map((i) => held[i] as (typeof held)[number]);
        for (const i of some.sort((a, b) => b - a)) held.splice(i, 1);
        if (held.length > 0) wait();
        events.results(given);
      };
      const wait = () => {
        isWaiting = true;
        setTimeout(release, chance.uniform() * 5);
      };
      return InlineRunner.create(study, {
        ...events,
        results: (results) => {
          held.push(...results);
          if (!isWaiting) wait();
        },
      });
    },
  };
}

async function exportOf(options: Partial<SearchOptions>, hooks: SearchHooks = {}) {
  const archive = freshFile();
  await run(
    {
      data: oscillation,
      target: "y",
      seed: 7,
      proposers: [new Echo()],
      budget: { candidates: 160 },
      batch: 16,
      archive,
      ...options,
    },
    hooks,
  );
  return exported(archive);
}

describe(`the canonical export (SEED=${seed})`, () => {
  test("has the same bytes for 0, 1, 2 and 5 workers", async () => {
    const one = await exportOf({ workers: 0 });
    expect(one.split("\n")).toHaveLength(162);
    for (const workers of [1, 2, 5]) expectSame(await exportOf({ workers }), one);
  });

  test("has the same bytes when results come late and in any order", async () => {
    const one = await exportOf({ workers: 0, recipe: paperRecipe });
    const chance = new Draws(seed);
    for (let i = 0; i < 3; i++)
      expectSame(await exportOf({ workers: 0, recipe: paperRecipe }, disordered(chance)), one);
  });

  test("has the same bytes for evolve, which lives on what it hears", async () => {
    const bred = (workers: number) =>
      exportOf({
        workers,
        proposers: [evolve({ draws: 60 })],
        budget: { candidates: 200 },
        batch: 20,
      });
    expectSame(await bred(2), await bred(0));
  });

  test("has the same bytes for a budget in fits, and for one of accuracy", async () => {
    for (const budget of [{ fits: 222 }, { r2: 0.5, candidates: 1000 }]) {
      const one = await exportOf({ workers: 0, budget });
      expectSame(await exportOf({ workers: 2, budget }), one);
      expectSame(await exportOf({ workers: 0, budget }, disordered(new Draws(seed))), one);
    }
  });

  test("has the same bytes where it depends on the start whether a program passes the screen", async () => {
    const programs = [1000, 1500, 2000, 3000].map((turns) => ({
      source: `(loop ((s x) (k 0)) (if (> k (* ${turns} (abs a))) s (recur (+ s b) (+ k 1))))`,
    }));
    const options = () => ({
      workers: 0,
      recipe: paperRecipe,
      batch: 3,
      proposers: [replay(programs, { cycles: 4 })],
    });
    const one = await exportOf(options());
    expect(one).toContain("E-STEPS");
    expect(one).toContain('"status":"scored"');
    expectSame(await exportOf(options(), disordered(new Draws(seed))), one);
    expectSame(await exportOf({ ...options(), workers: 2 }), one);
  });

  test("differs for another seed, batch or lag", async () => {
    const one = await exportOf({ workers: 0 });
    for (const change of [{ seed: 8 }, { batch: 15 }, { lag: 1 }])
      expect((await exportOf({ workers: 0, ...change })).split("\n").slice(1)).not.toEqual(
        one.split("\n").slice(1),
      );
  });
});
