/**
 * Epochs on this thread, and behind a port as a worker runs them: the same results as a runner's own,
 * in order, with every step told to whoever watches.
 */

import { Random } from "@ndvm/core";
import { READY, type WorkerPort } from "@ndvm/core/workers";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { Fold } from "../../src/engine/fold.js";
import { EpochRunner } from "../../src/epoch/epoch.js";
import type { EpochJob } from "../../src/epoch/job.js";
import { type PackedEpoch, packEpoch, unpackEpoch } from "../../src/epoch/pack.js";
import { CandidateRunner } from "../../src/pipeline/candidate-runner.js";
import { InlineRunner } from "../../src/pool/inline.js";
import {
  type FromWorker,
  PROGRESS_BEAT,
  PROGRESS_CANDIDATE,
  PROGRESS_EPOCH,
  type ToWorker,
} from "../../src/pool/pool.js";
import { serveEpochs } from "../../src/pool/serve.js";
import { makeStudy } from "../../src/study.js";
import { line } from "../engine/data.js";

const { SEED } = process.env;
const seed = SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(SEED);

const rungs = [{ restarts: 1, steps: 6, share: 1 }];
const study = makeStudy({ data: line, target: "y", seed: 3, recipe: { rungs } });
const setting = { study, breedings: [{ draws: 60 }] };
const jobs: readonly EpochJob[] = Array.from({ length: 4 }, (_, slot) => ({
  round: slot >> 1,
  slot: slot & 1,
  place: 0,
  version: slot >> 1,
  size: 3,
  proposals: undefined,
  lost: [],
}));

/** What a study without outcomes knows after its rounds. */
function history() {
  const fold = new Fold(setting, ["evolve"]);
  fold.endRound(0);
  fold.endRound(1);
  return fold.history;
}

/** What became of an epoch's candidates, without the times it took. */
const seen = (packed: PackedEpoch, job: EpochJob) =>
  unpackEpoch(packed, job, 0).map(({ source, skeleton, results }) => ({
    source,
    skeleton,
    results: results.map(({ fits, loss, params }) => ({ fits, loss, params: { ...params } })),
  }));

let expected: readonly unknown[] = [];
beforeAll(async () => {
  const runner = await EpochRunner.create(setting);
  const all: unknown[] = [];
  for (const job of jobs) {
    for (const update of history().updates(runner.version, job.version)) runner.take(update);
    all.push(seen(packEpoch(await runner.run(job), job), job));
  }
  runner.dispose();
  expected = all;
  expect(expected.flat()).toHaveLength(12);
});
afterEach(() => {
  vi.restoreAllMocks();
});

async function inline(onDone: (count: number, runner: InlineRunner) => void) {
  const known = history();
  const done: unknown[] = [];
  const asked: (readonly number[])[] = [];
  const broken: Error[] = [];
  const runner: InlineRunner = await InlineRunner.create(setting, {
    updates(from, to) {
      asked.push([from, to]);
      return known.updates(from, to);
    },
    done(packed, job, worker) {
      expect(worker).toBe(0);
      done.push(seen(packed, job));
      onDone(done.length, runner);
    },
    replaced() {},
    problem() {},
    broken: (error) => broken.push(error),
  });
  return { runner, done, asked, broken };
}

/** Lets the event loop turn until nothing that it waits for is left. */
async function quiet(): Promise<void> {
  for (let i = 0; i < 200; i++) await new Promise((resolve) => setImmediate(resolve));
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setImmediate(resolve));
}

describe("on this thread", () => {
  test("epochs come back one after the other, also those given later", async () => {
    const dispose = vi.spyOn(EpochRunner.prototype, "dispose");
    const { runner, done, asked } = await inline((count, own) => {
      if (count === 1) own.run(jobs.slice(2, 3));
    });
    expect(runner.workers).toBe(0);
    runner.run(jobs.slice(0, 2));
    expect(done).toEqual([]);
    await until(() => done.length === 3);
    await quiet();
    runner.run(jobs.slice(3));
    await until(() => done.length === 4);
    expect(done).toEqual(expected);
    expect(asked).toEqual([
      [-1, 0],
      [0, 0],
      [0, 1],
      [1, 1],
    ]);
    await quiet();
    expect(dispose).not.toHaveBeenCalled();
    await runner.stop();
    expect(dispose).toHaveBeenCalledTimes(1);
  });

  test("nothing comes back after a stop, and the machine goes once its epoch has ended", async () => {
    const dispose = vi.spyOn(EpochRunner.prototype, "dispose");
    const { runner, done, broken } = await inline((_count, own) => {
      void own.stop();
      expect(dispose).not.toHaveBeenCalled();
    });
    runner.run(jobs);
    await until(() => done.length === 1);
    await quiet();
    expect([done.length, broken]).toEqual([1, []]);
    expect(dispose).toHaveBeenCalledTimes(1);
  });

  test("what goes wrong is told", async () => {
    const { runner, broken } = await inline(() => {
      throw new Error("the study is full");
    });
    runner.run(jobs);
    await until(() => broken.length > 0);
    expect(broken).toEqual([new Error("the study is full")]);
  });

  test("the event loop gets its turn when eight milliseconds have gone by, not before", async () => {
    const turns = async (step: number) => {
      let now = 0;
      vi.spyOn(performance, "now").mockImplementation(() => now);
      const { runner, done } = await inline(() => {
        now += step;
      });
      const rest = vi.spyOn(globalThis, "setImmediate");
      runner.run(jobs);
      while (done.length < jobs.length) await new Promise((resolve) => setTimeout(resolve, 1));
      const count = rest.mock.calls.length;
      vi.restoreAllMocks();
      await runner.stop();
      return count;
    };
    expect([await turns(0), await turns(7), await turns(8)]).toEqual([1, 3, 5]);
  });

  test(`between programs, too, and never eight milliseconds apart, SEED=${seed}`, async () => {
    const random = new Random(seed);
    for (const most of [0, 1, 4, 7, 8, 9, 30]) {
      let now = 0;
      let rested = 0;
      let expectedTurns = 1;
      let programs = 0;
      const pass = () => {
        now += Math.floor((most + 1) * random.uniform());
        // What has just ended, and then the loop's turn where it is due.
        if (now - rested < 8) return;
        rested = now;
        expectedTurns += 1;
      };
      vi.spyOn(performance, "now").mockImplementation(() => now);
      const { runner, done } = await inline(pass);
      const run = CandidateRunner.prototype.run;
      vi.spyOn(CandidateRunner.prototype, "run").mockImplementation(async function (
        this: CandidateRunner,
        task,
      ) {
        const result = await run.call(this, task);
        programs += 1;
        pass();
        return result;
      });
      const rest = vi.spyOn(globalThis, "setImmediate");
      runner.run(jobs);
      while (done.length < jobs.length) await new Promise((resolve) => setTimeout(resolve, 1));
      expect(rest.mock.calls.length, `up to ${most} ms`).toBe(expectedTurns);
      expect(programs).toBeGreaterThan(jobs.length);
      vi.restoreAllMocks();
      await runner.stop();
    }
  });

  test("a stop that the event loop brings ends an epoch before its next program", async () => {
    for (let last = 1; last <= 3; last++) {
      let now = 0;
      let programs = 0;
      vi.spyOn(performance, "now").mockImplementation(() => now);
      const { runner, done, broken } = await inline(() => {});
      const run = CandidateRunner.prototype.run;
      vi.spyOn(CandidateRunner.prototype, "run").mockImplementation(async function (
        this: CandidateRunner,
        task,
      ) {
        programs += 1;
        now += 8;
        if (programs === last) setImmediate(() => void runner.stop());
        return run.call(this, task);
      });
      runner.run(jobs);
      await quiet();
      expect([programs, broken]).toEqual([last, []]);
      expect(done.length).toBeLessThan(2);
      vi.restoreAllMocks();
    }
  });
});

test("behind a port epochs are run in the order of bundles, and each step is told", async () => {
  const known = history();
  const said: (FromWorker | typeof READY)[] = [];
  const candidates: string[] = [];
  let tell = (_message: ToWorker): void => {};
  const port: WorkerPort<ToWorker, FromWorker> = {
    listen(take) {
      tell = take;
    },
    post: (message) => said.push(message),
  };
  const progress = new Int32Array(new SharedArrayBuffer(12));
  const steps: string[] = [];
  serveEpochs(port, (source, own) => {
    expect(own).toBe(setting);
    candidates.push(source);
    steps.push(`${progress[PROGRESS_EPOCH]}.${progress[PROGRESS_CANDIDATE]}`);
  });
  tell({ setting, progress });
  tell({ updates: [known.updates(-1, 0), []], jobs: jobs.slice(0, 2) });
  tell({ updates: [known.updates(0, 1)], jobs: jobs.slice(2, 3) });
  tell({ updates: [[]], jobs: jobs.slice(3) });
  await until(() => said.length === 4);
  const [ready, ...answers] = said;
  expect(ready).toBe(READY);
  expect(
    (answers as FromWorker[]).flat().map((packed, i) => seen(packed, jobs[i] as EpochJob)),
  ).toEqual(expected);
  expect((answers as FromWorker[]).map(({ length }) => length)).toEqual([2, 1, 1]);
  const sources = (expected as { source: string }[][]).flat().map(({ source }) => source);
  for (const source of candidates) expect(sources).toContain(source);
  // Each candidate that is fitted, in order: its epoch, and its place from 1.
  expect(steps).toEqual([...steps].sort());
  expect(new Set(steps.map((step) => step.split(".")[0]))).toEqual(new Set(["0", "1", "2", "3"]));
  expect(steps.some((step) => step.endsWith(".3"))).toBe(true);
  expect(steps.every((step) => /\.[123]$/.test(step))).toBe(true);
  expect([progress[PROGRESS_EPOCH], progress[PROGRESS_CANDIDATE]]).toEqual([4, 0]);
  expect(progress[PROGRESS_BEAT]).toBeGreaterThan(0);
});
