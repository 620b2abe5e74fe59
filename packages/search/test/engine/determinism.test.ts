/**
 * One seed, one study: whatever the number of workers, whatever the timing.
 */

import { Random } from "@ndvm/core";
import { describe, expect, test } from "vitest";
import { evolve, paperRecipe, replay, type SearchOptions } from "../../src/index.js";
import { InlineRunner } from "../../src/pool/inline.js";
import type { RunnerEvents } from "../../src/pool/runner.js";
import type { SearchHooks } from "../../src/search.js";
import { oscillation } from "./data.js";
import { Echo, expectSame, exported, freshFile, run } from "./support.js";

const seed = Number(process.env["SEED"] ?? 20261115);

/** Epochs come back late and in another order, by chance. */
function disordered(chance: Random): SearchHooks {
  return {
    startRunner(setting, _workers, events) {
      const held: Parameters<RunnerEvents["done"]>[] = [];
      let isWaiting = false;
      const release = () => {
        isWaiting = false;
        const order = chance.shuffled(held.length);
        const some = order.slice(0, 1 + Math.floor(chance.uniform() * order.length));
        const given = some.map((i) => held[i] as (typeof held)[number]);
        for (const i of some.sort((a, b) => b - a)) held.splice(i, 1);
        if (held.length > 0) wait();
        for (const each of given) events.done(...each);
      };
      const wait = () => {
        isWaiting = true;
        setTimeout(release, chance.uniform() * 5);
      };
      return InlineRunner.create(setting, {
        ...events,
        done: (...epoch) => {
          held.push(epoch);
          if (!isWaiting) wait();
        },
      });
    },
  };
}

const quick = { rungs: [{ restarts: 1, steps: 3, share: 1 }] };

async function exportOf(options: Partial<SearchOptions>, hooks: SearchHooks = {}) {
  const archive = freshFile();
  await run(
    {
      data: oscillation,
      target: "y",
      seed: 7,
      proposers: [new Echo()],
      budget: { candidates: 160 },
      epoch: 4,
      slots: 4,
      archive,
      ...options,
    },
    hooks,
  );
  return exported(archive);
}

describe(`the canonical export (SEED=${seed})`, () => {
  test("has the same bytes for 0, 1, 2, 5 and 7 workers", async () => {
    const one = await exportOf({ workers: 0 });
    expect(one.split("\n")).toHaveLength(162);
    for (const workers of [1, 2, 5, 7]) expectSame(await exportOf({ workers }), one);
  });

  test("has the same bytes when results come late and in any order", async () => {
    const one = await exportOf({ workers: 0, recipe: paperRecipe });
    const chance = new Random(seed);
    for (let i = 0; i < 3; i++)
      expectSame(await exportOf({ workers: 0, recipe: paperRecipe }, disordered(chance)), one);
  });

  test("has the same bytes for evolve, which lives on what it hears", async () => {
    const bred = (workers: number) =>
      exportOf({
        workers,
        proposers: [evolve({ draws: 60 })],
        budget: { candidates: 200 },
      });
    const one = await bred(0);
    for (const workers of [1, 2, 5, 16]) expectSame(await bred(workers), one);
  });

  test.each([16, 64, 1024])("has the same bytes for evolve in epochs of %i", async (epoch) => {
    const bred = (workers: number, hooks: SearchHooks = {}) => {
      const budget = { candidates: 260 };
      const proposers = [evolve({ draws: 60 })];
      return exportOf({ workers, proposers, budget, epoch, slots: 3, recipe: quick }, hooks);
    };
    const one = await bred(0);
    expectSame(await bred(2), one);
    expectSame(await bred(0, disordered(new Random(seed))), one);
  });

  test("has the same bytes for a budget in fits, and for one of accuracy", async () => {
    for (const budget of [{ fits: 222 }, { r2: 0.5, candidates: 1000 }]) {
      const one = await exportOf({ workers: 0, budget });
      expectSame(await exportOf({ workers: 2, budget }), one);
      expectSame(await exportOf({ workers: 0, budget }, disordered(new Random(seed))), one);
    }
  });

  test("has the same bytes where it depends on the start whether a program passes the screen", async () => {
    const programs = [1000, 1500, 2000, 3000].map((turns) => ({
      source: `(loop ((s x) (k 0)) (if (> k (* ${turns} (abs a))) s (recur (+ s b) (+ k 1))))`,
    }));
    const options = () => ({
      workers: 0,
      recipe: paperRecipe,
      epoch: 3,
      slots: 2,
      proposers: [replay(programs, { cycles: 4 })],
    });
    const one = await exportOf(options());
    expect(one).toContain("E-STEPS");
    expect(one).toContain('"status":"scored"');
    expectSame(await exportOf(options(), disordered(new Random(seed))), one);
    expectSame(await exportOf({ ...options(), workers: 2 }), one);
  });

  test("differs for another seed, epoch, number of slots or lag", async () => {
    const one = await exportOf({ workers: 0 });
    for (const change of [{ seed: 8 }, { epoch: 5 }, { slots: 3 }, { lag: 1 }])
      expect((await exportOf({ workers: 0, ...change })).split("\n").slice(1)).not.toEqual(
        one.split("\n").slice(1),
      );
  });
});
