/** Epochs that breed: each place has its own breeder, numbers its programs on, and tells its own seconds. */

import { Machine } from "@ndvm/core";
import { afterEach, expect, test, vi } from "vitest";
import { EpochRunner } from "../../src/epoch/epoch.js";
import type { EpochJob } from "../../src/epoch/job.js";
import type { EvolveOptions } from "../../src/evolve/breeder.js";
import { makeStudy } from "../../src/study.js";
import { line } from "../engine/data.js";

afterEach(() => {
  vi.restoreAllMocks();
});

async function runnerFor(breedings: readonly EvolveOptions[]): Promise<EpochRunner> {
  const recipe = { rungs: [{ restarts: 1, steps: 1, share: 1 }] };
  const study = makeStudy({ data: line, target: "y", seed: 5, epoch: 2, slots: 2, recipe });
  const runner = await EpochRunner.create({ study, breedings });
  const populations = breedings.map(() => ({ settled: [], best: [] }));
  const text = JSON.stringify({ front: [], populations });
  runner.take({ version: 0, from: -1, digests: new Uint32Array(), text });
  return runner;
}

const jobOf = (more: Partial<EpochJob>): EpochJob => ({
  ...{ round: 0, slot: 0, place: 0, version: 0, size: 2, proposals: undefined, lost: [] },
  ...more,
});

test("each place breeds by its own options, whichever came before", async () => {
  const runner = await runnerFor([{ seeds: ["(* a x)"] }, { seeds: ["(+ a x)", "(- a x)"] }]);
  const sources = async (job: Partial<EpochJob>) =>
    (await runner.run(jobOf(job))).candidates.map(({ proposal }) => proposal.source);
  expect(await sources({ place: 0 })).toEqual(["(* a x)", "p0"]);
  expect(await sources({ place: 1, slot: 2 })).toEqual(["(+ a x)", "(- a x)"]);
  expect(await sources({ place: 1, slot: 3 })).toEqual(["p0", "(+ a x)"]);
  expect(await sources({ place: 0 })).toEqual(["(* a x)", "p0"]);
  runner.dispose();
});

test("programs are numbered on from epoch to epoch, however few one has", async () => {
  const seeds = ["(* a x)", "(+ a x)", "(- a x)", "(/ a x)", "(exp (* a x))", "(sin (* a x))"];
  const runner = await runnerFor([{ seeds }]);
  const sources = async (job: Partial<EpochJob>) =>
    (await runner.run(jobOf(job))).candidates.map(({ proposal }) => proposal.source);
  // Two slots of two programs each: the epochs of a round come one after the other.
  expect(await sources({ round: 0, slot: 1, size: 1 })).toEqual(seeds.slice(2, 3));
  expect(await sources({ round: 1, slot: 0 })).toEqual(seeds.slice(4, 6));
  expect(await sources({ round: 0, slot: 0 })).toEqual(seeds.slice(0, 2));
  runner.dispose();
});

test("an epoch draws by its round and slot, and knows what it has proposed itself", async () => {
  const runner = await runnerFor([{ draws: 10 ** 6 }]);
  const drawn = async (round: number, slot: number) => {
    const { candidates } = await runner.run(jobOf({ round, slot, size: 40 }));
    expect(candidates.some(({ isDuplicate }) => isDuplicate)).toBe(false);
    const skeletons = candidates.map(({ skeleton }) => skeleton);
    expect(new Set(skeletons).size).toBe(skeletons.length);
    return skeletons.join("\n");
  };
  const all = [await drawn(3, 0), await drawn(3, 1), await drawn(4, 0)];
  expect(new Set(all).size).toBe(3);
  expect(await drawn(3, 0)).toBe(all[0]);
  runner.dispose();
});

test("seconds of breeding and reading are those of this epoch", async () => {
  const runner = await runnerFor([{ draws: 10 ** 6 }]);
  let now = 0;
  vi.spyOn(performance, "now").mockImplementation(() => {
    now += 1000;
    return now;
  });
  const first = await runner.run(jobOf({ round: 3, size: 9 }));
  const second = await runner.run(jobOf({ round: 3, size: 9 }));
  // Every look at the clock takes a second: two for each text that is read, and two around all.
  expect(first.reading).toBeGreaterThanOrEqual(9);
  expect([second.reading, second.breeding]).toEqual([first.reading, first.breeding]);
  expect(first.breeding).toBe(first.reading + 1);
  const given = [{ source: "(* a x)", parents: [], origin: "given" }];
  const last = await runner.run(jobOf({ proposals: given, size: 1 }));
  expect([last.reading, last.breeding]).toEqual([1, 2]);
  runner.dispose();
});

test("a runner that is let go of lets its machine go", async () => {
  const runner = await runnerFor([{}]);
  const dispose = vi.spyOn(Machine.prototype, "dispose");
  runner.dispose();
  expect(dispose).toHaveBeenCalledTimes(1);
});
