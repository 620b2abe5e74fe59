/**
 * Epochs in Web Workers in Chromium: they come to what this thread comes to, also when a worker is
 * lost. Runs on a page that may share memory with workers, and on one that may not.
 */

import { expect, test } from "vitest";
import { Fold } from "../../src/engine/fold.js";
import { EpochRunner } from "../../src/epoch/epoch.js";
import type { EpochJob } from "../../src/epoch/job.js";
import { type PackedEpoch, packEpoch, unpackEpoch } from "../../src/epoch/pack.js";
import { Pool } from "../../src/pool/pool.js";
import { makeStudy } from "../../src/study.js";

const x = Array.from({ length: 40 }, (_, i) => i / 10);
const y = x.map((t) => 3 + 2 * Math.exp(-0.8 * t));
const rungs = [{ restarts: 1, steps: 6, share: 1 }];
const study = makeStudy({ data: { x, y }, target: "y", seed: 3, recipe: { rungs } });
const setting = { study, breedings: [{ draws: 60 }] };
const jobs: readonly EpochJob[] = Array.from({ length: 6 }, (_, slot) => ({
  round: 0,
  slot,
  place: 0,
  version: 0,
  size: 4,
  proposals: undefined,
  lost: [],
}));

function history() {
  const fold = new Fold(setting, ["evolve"]);
  fold.endRound(0);
  return fold.history;
}

/** What became of an epoch's candidates, without the times it took. */
const seen = (packed: PackedEpoch, job: EpochJob) =>
  unpackEpoch(packed, job, 0).map(({ source, skeleton, complexity, failure, results }) => ({
    source,
    skeleton,
    complexity,
    failure,
    results: results.map(({ rung, fits, loss, r2, params }) => ({
      rung,
      fits,
      loss,
      r2,
      params: { ...params },
    })),
  }));

async function here(): Promise<unknown[]> {
  const runner = await EpochRunner.create(setting);
  for (const update of history().updates(-1, 0)) runner.take(update);
  const all: unknown[] = [];
  for (const job of jobs) all.push(seen(packEpoch(await runner.run(job), job), job));
  runner.dispose();
  return all;
}

async function inWorkers(kills: boolean): Promise<{ all: unknown[]; replaced: number }> {
  const known = history();
  const all: unknown[] = [];
  let replaced = 0;
  let left = jobs.length;
  let pool: Pool | undefined;
  await new Promise<void>((resolve, reject) => {
    const events = {
      updates: (from: number, to: number) => known.updates(from, to),
      done: (packed: PackedEpoch, job: EpochJob) => {
        all[job.slot] = seen(packed, job);
        left -= 1;
        if (left === 3 && kills) for (const place of [0, 1]) pool?.kill(place);
        if (left === 0) resolve();
      },
      replaced: () => {
        replaced += 1;
      },
      problem: reject,
      broken: reject,
    };
    Pool.start(setting, 2, events).then((started) => {
      pool = started;
      started.run(jobs);
    }, reject);
  });
  await pool?.stop();
  return { all, replaced };
}

test("come to what this thread comes to, also when workers are lost", async () => {
  const expected = await here();
  expect(expected.flat()).toHaveLength(24);
  const quiet = await inWorkers(false);
  expect(quiet).toEqual({ all: expected, replaced: 0 });
  const noisy = await inWorkers(true);
  expect(noisy.all).toEqual(expected);
  expect(noisy.replaced).toBeGreaterThan(0);
});
