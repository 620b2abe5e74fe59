/**
 * The pool against workers and a clock of the test's own: which epochs go to whom, in which bundles and
 * when; whom a death is blamed on; what is tried again, and when it is the end.
 */

import { type NdvmError, Random } from "@ndvm/core";
import { type HostEvents, READY, type WorkerEnd } from "@ndvm/core/workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { EpochSetting } from "../../src/epoch/epoch.js";
import type { EpochJob, Update } from "../../src/epoch/job.js";
import type { PackedEpoch } from "../../src/epoch/pack.js";
import {
  type Bundle,
  type FromWorker,
  Pool,
  PROGRESS_BEAT,
  PROGRESS_CANDIDATE,
  PROGRESS_EPOCH,
  type ToWorker,
  type WorkerStart,
} from "../../src/pool/pool.js";
import { STUCK_FAILURE, WORKER_FAILURE } from "../../src/pool/runner.js";

/** A worker that does what the test says. */
interface FakeWorker {
  readonly start: WorkerStart;
  readonly bundles: Bundle[];
  readonly events: HostEvents<FromWorker | typeof READY>;
  isEnded: boolean;
}

const world = vi.hoisted(() => ({ workers: [] as unknown[], isShared: true }));
vi.mock("@ndvm/core/workers", async (original) => ({
  ...(await original<typeof import("@ndvm/core/workers")>()),
  sharesMemory: () => world.isShared,
  hostStarter: async () => (events: FakeWorker["events"]) => {
    const worker = {
      start: undefined as unknown,
      bundles: [] as unknown[],
      events,
      isEnded: false,
    };
    world.workers.push(worker);
    return {
      post(message: ToWorker) {
        if ("setting" in message) worker.start = message;
        else worker.bundles.push(message);
      },
      hold() {},
      async end() {
        worker.isEnded = true;
      },
    };
  },
}));

const setting = { study: "a study" } as unknown as EpochSetting;
const job = (slot: number, version = 0): EpochJob => ({
  round: 3,
  slot,
  place: 0,
  version,
  size: 8,
  proposals: undefined,
  lost: [],
});
const jobs = (count: number, from = 0): EpochJob[] =>
  Array.from({ length: count }, (_, i) => job(from + i));

/** A pool with everything that it said. */
async function open(workers: number, versions: (job: EpochJob) => number = () => 0) {
  const done: (readonly [number, number])[] = [];
  const replaced: (readonly [number, string])[] = [];
  const asked: (readonly [number, number])[] = [];
  const broken: NdvmError[] = [];
  const pool = await Pool.start(setting, workers, {
    updates(from, to) {
      asked.push([from, to]);
      return [{ version: to, from, text: `${from} to ${to}`, digests: new Uint32Array() }];
    },
    done: (packed, { slot }, worker) => {
      expect(packed).toBe(`result of ${slot}`);
      done.push([slot, worker]);
    },
    replaced: (worker, message) => replaced.push([worker, message]),
    problem() {},
    broken: (error) => broken.push(error as NdvmError),
  });
  const hosts = world.workers as FakeWorker[];
  const ready = (...indices: readonly number[]) => {
    for (const index of indices) hosts[index]?.events.message(READY);
  };
  /** The worker answers its oldest bundle that is not answered. */
  const answered = new Map<number, number>();
  const answer = (index: number) => {
    const at = answered.get(index) ?? 0;
    answered.set(index, at + 1);
    const bundle = hosts[index]?.bundles[at] as Bundle;
    const { progress } = (hosts[index] as FakeWorker).start;
    Atomics.add(progress, PROGRESS_EPOCH, bundle.jobs.length);
    const results = bundle.jobs.map(({ slot }) => `result of ${slot}` as unknown as PackedEpoch);
    hosts[index]?.events.message(results);
  };
  const run = (list: readonly EpochJob[]) =>
    pool.run(list.map((each) => ({ ...each, version: versions(each) })));
  /** The worker dies over a candidate of an epoch of those it has; −1: over none. */
  const die = (index: number, epoch: number, candidate: number, end: WorkerEnd = CRASH) => {
    const { progress } = (hosts[index] as FakeWorker).start;
    Atomics.add(progress, PROGRESS_EPOCH, epoch);
    Atomics.store(progress, PROGRESS_CANDIDATE, candidate + 1);
    hosts[index]?.events.death(end);
  };
  /** Slots in the bundles of a worker. */
  const had = (index: number) =>
    (hosts[index] as FakeWorker).bundles.map((bundle) => bundle.jobs.map(({ slot }) => slot));
  return { pool, hosts, run, ready, answer, die, had, done, replaced, asked, broken };
}

const CRASH: WorkerEnd = { message: "it ended", facts: { reason: "crash", value: 3 } };

beforeEach(() => {
  vi.useFakeTimers();
  world.workers.length = 0;
  world.isShared = true;
});
afterEach(() => {
  vi.useRealTimers();
});

describe("epochs are dealt", () => {
  test("to workers as they get ready, one in work and one that waits for each", async () => {
    const { run, ready, had, hosts, asked } = await open(2);
    expect(hosts).toHaveLength(2);
    expect(hosts.map(({ start }) => start.setting)).toEqual([setting, setting]);
    expect(hosts[0]?.start.progress).not.toBe(hosts[1]?.start.progress);
    expect(hosts[0]?.start.progress.buffer).toBeInstanceOf(SharedArrayBuffer);
    expect([...(hosts[0]?.start.progress ?? [])]).toEqual([0, 0, 0]);
    run(jobs(6));
    expect([had(0), had(1), asked]).toEqual([[], [], []]);
    ready(1);
    expect([had(0), had(1)]).toEqual([[], [[0], [1]]]);
    ready(0);
    expect([had(0), had(1)]).toEqual([
      [[2], [3]],
      [[0], [1]],
    ]);
  });

  test("to every worker before anybody gets a second one, and none waits when few are left", async () => {
    const { run, ready, had } = await open(3);
    ready(0, 1, 2);
    run(jobs(5));
    expect([had(0), had(1), had(2)]).toEqual([[[0]], [[1]], [[2]]]);
    run(jobs(1, 5));
    expect([had(0), had(1), had(2)]).toEqual([
      [[0], [3]],
      [[1], [4]],
      [[2], [5]],
    ]);
  });

  test("in the order they came, with results for the epochs they are of", async () => {
    const { run, ready, answer, had, done } = await open(2);
    ready(0, 1);
    run(jobs(8));
    answer(1);
    answer(0);
    answer(0);
    expect(done).toEqual([
      [1, 1],
      [0, 0],
      [2, 0],
    ]);
    expect([had(0), had(1)]).toEqual([
      [[0], [2], [5], [6]],
      [[1], [3], [4]],
    ]);
  });

  test("after what became of earlier rounds, from what the worker knows", async () => {
    const { run, ready, hosts, asked, answer } = await open(1, ({ slot }) => slot >> 1);
    ready(0);
    run(jobs(4));
    answer(0);
    const updates = hosts[0]?.bundles.map((bundle) => bundle.updates) as Update[][][];
    expect(updates.flat(2).map(({ text }) => text)).toEqual(["-1 to 0", "0 to 0", "0 to 1"]);
    expect(asked).toEqual([
      [-1, 0],
      [0, 0],
      [0, 1],
    ]);
  });

  test("after updates from just what the worker has, also where an older epoch is tried again", async () => {
    let olderCount = 0;
    for (let seed = 1; seed <= 60; seed++) {
      world.workers.length = 0;
      const draws = new Random(seed);
      const { hosts, run, ready, answer, die } = await open(3, ({ slot }) => slot >> 2);
      run(jobs(24));
      ready(0, 1, 2);
      const alive = new Map([0, 1, 2].map((index) => [index, 0]));
      for (let turn = 0; turn < 40; turn++) {
        const busy = [...alive].filter(
          ([index, count]) => (hosts[index]?.bundles.length ?? 0) > count,
        );
        const [index, count] = busy[Math.floor(busy.length * draws.uniform())] ?? [-1, 0];
        if (index < 0) break;
        if (draws.uniform() < 0.7) {
          alive.set(index, count + 1);
          answer(index);
        } else {
          alive.delete(index);
          die(index, 0, turn % 3);
          alive.set(hosts.length - 1, 0);
          ready(hosts.length - 1);
        }
      }
      for (const { bundles } of hosts) {
        let known = -1;
        for (const bundle of bundles)
          for (const [i, { version }] of bundle.jobs.entries()) {
            expect(bundle.updates[i]?.map((each) => [each.from, each.version])).toEqual([
              [known, version],
            ]);
            olderCount += Number(version < known);
            known = version;
          }
      }
    }
    expect(olderCount).toBeGreaterThan(10);
  });

  /** Sizes of the bundles when epochs take as long as the test says. */
  async function sizes(workers: number, milliseconds: number, count: number, answers: number) {
    const { run, ready, answer, had } = await open(workers);
    ready(...Array.from({ length: workers }, (_, i) => i));
    run(jobs(count));
    for (let i = 0; i < answers; i++) {
      vi.advanceTimersByTime(milliseconds * (had(0)[i] as number[]).length);
      answer(0);
    }
    return had(0).map((slots) => slots.length);
  }

  test("in bundles of four milliseconds, by the pace of the latest ones", async () => {
    // Paces 4, 4 → 0.8 · pace + 0.2 · 0.01 each time; a bundle is round(4 / pace), at most 32.
    expect(await sizes(1, 0, 1000, 18)).toEqual([
      1, 1, 1, 2, 2, 2, 3, 4, 5, 6, 7, 9, 11, 14, 17, 22, 27, 32, 32, 32,
    ]);
  });

  test("in bundles whose time is shared by their epochs", async () => {
    // An epoch of one millisecond: the pace goes from 4 to 1, and bundles to four epochs.
    const found = await sizes(1, 1, 1000, 30);
    expect(found.slice(20)).toEqual(Array(found.length - 20).fill(4));
  });

  test("in bundles of one where an epoch takes longer", async () => {
    expect(await sizes(1, 4, 20, 4)).toEqual([1, 1, 1, 1, 1, 1]);
    world.workers.length = 0;
    expect(await sizes(1, 40, 20, 4)).toEqual([1, 1, 1, 1, 1, 1]);
  });

  test("in bundles that leave a fair share to the others", async () => {
    const { run, ready, answer, had } = await open(2);
    ready(0, 1);
    run(jobs(200));
    for (let i = 0; i < 30; i++) answer(0);
    const left = (at: number) => 200 - 2 - had(0).slice(0, at).flat().length;
    for (const [at, slots] of had(0).entries())
      if (at >= 20) expect(slots).toHaveLength(Math.min(32, Math.ceil((left(at) || 1) / 4)));
    expect(had(0).map((slots) => slots.length)).toContain(22);
  });

  test("and wait behind no long one while others could take them", async () => {
    // 4 + 0.2 · (24 − 4) is 8 milliseconds, which does not count as long yet.
    for (const [milliseconds, ahead] of [
      [24, [[0], [2], [4]]],
      [25, [[0], [2]]],
    ] as const) {
      world.workers.length = 0;
      const { run, ready, answer, had } = await open(2);
      ready(0, 1);
      run(jobs(12));
      vi.advanceTimersByTime(milliseconds);
      answer(0);
      expect(had(0), `${milliseconds} ms`).toEqual(ahead);
    }
  });

  test("and one that comes while another is in work does not make that one shorter", async () => {
    const { run, ready, answer, had } = await open(2);
    ready(0, 1);
    run(jobs(2));
    vi.advanceTimersByTime(13);
    run(jobs(2, 2));
    expect(had(0)).toEqual([[0], [2]]);
    vi.advanceTimersByTime(13);
    answer(0);
    // 4 + 0.2 · (26 − 4) is more than 8 milliseconds: nothing waits behind a long one.
    run(jobs(8, 4));
    expect(had(0)).toEqual([[0], [2]]);
  });

  test("without end to a worker that is alone, however long they take", async () => {
    const { run, ready, answer, had } = await open(1);
    ready(0);
    run(jobs(6));
    vi.advanceTimersByTime(1000);
    answer(0);
    expect(had(0)).toEqual([[0], [1], [2]]);
  });

  test("and a worker that was idle is not slow for it", async () => {
    const { run, ready, answer, had } = await open(2);
    ready(0, 1);
    run(jobs(2));
    answer(0);
    answer(1);
    vi.advanceTimersByTime(60_000);
    run(jobs(8, 2));
    answer(0);
    expect(had(0).length).toBe(4);
  });

  test("to nobody once the pool is stopped, and nothing is heard of it", async () => {
    const { pool, run, ready, had, hosts, done, replaced, broken, answer } = await open(2);
    ready(0);
    run(jobs(4));
    await pool.stop();
    expect(hosts.map(({ isEnded }) => isEnded)).toEqual([true, true]);
    run(jobs(1, 4));
    answer(0);
    hosts[1]?.events.death(CRASH);
    expect([had(0), had(1), done, replaced, broken]).toEqual([[[0], [1]], [], [], [], []]);
    expect(hosts).toHaveLength(2);
  });
});

describe("when a worker dies", () => {
  test("another takes its place, and its epochs go first, in their order", async () => {
    const { run, ready, die, had, replaced, hosts } = await open(2);
    ready(0, 1);
    run(jobs(6));
    expect([had(0), had(1)]).toEqual([
      [[0], [2]],
      [[1], [3]],
    ]);
    die(0, 0, -1);
    expect(replaced).toEqual([[0, "it ended"]]);
    expect(hosts).toHaveLength(3);
    expect([...(hosts[2]?.start.progress ?? [])]).toEqual([0, 0, 0]);
    ready(2);
    expect(had(2)).toEqual([[0], [2]]);
  });

  test("what it gets is told from nothing on", async () => {
    const { run, ready, die, hosts } = await open(1, () => 5);
    ready(0);
    run(jobs(1));
    die(0, 0, -1);
    ready(1);
    expect(hosts[1]?.bundles[0]?.updates[0]?.[0]).toMatchObject({ from: -1, version: 5 });
  });

  test("without anything to do, nobody is blamed", async () => {
    const { run, ready, die, had, answer, replaced } = await open(1);
    ready(0);
    run(jobs(1));
    answer(0);
    die(0, 0, -1);
    ready(1);
    run(jobs(1, 1));
    expect([had(1), replaced]).toEqual([[[1]], [[0, "it ended"]]]);
  });

  test("the epoch it was at is tried by itself, the others in bundles", async () => {
    const { run, ready, die, had, answer } = await open(1);
    ready(0);
    run(jobs(40));
    for (let i = 0; i < 7; i++) answer(0);
    // The bundles under way: 4 epochs and 5. It dies over the second candidate of the sixth of them.
    const [working, waiting] = had(0).slice(-2) as [number[], number[]];
    expect([working.length, waiting.length]).toEqual([4, 5]);
    const all = [...working, ...waiting];
    die(0, 5, 1);
    ready(1);
    const next = had(1);
    expect(next[0]).toEqual([all[5]]);
    expect(next[1]).toEqual([...all.slice(0, 5)]);
    answer(1);
    expect(had(1)[2]?.slice(0, 3)).toEqual(all.slice(6));
  });

  test("over one candidate twice, the candidate is lost, and the epoch runs without it", async () => {
    const { run, ready, die, hosts, replaced, broken } = await open(1);
    ready(0);
    run(jobs(1));
    die(0, 0, 2);
    ready(1);
    expect(hosts[1]?.bundles[0]?.jobs).toEqual([job(0)]);
    die(1, 0, 2);
    ready(2);
    const first = { ...job(0), lost: [[2, WORKER_FAILURE]] };
    expect(hosts[2]?.bundles[0]?.jobs).toEqual([first]);
    // Another candidate of the same epoch has two lives of its own.
    die(2, 0, 0);
    ready(3);
    expect(hosts[3]?.bundles[0]?.jobs).toEqual([first]);
    die(3, 0, 0);
    ready(4);
    expect(hosts[4]?.bundles[0]?.jobs).toEqual([
      { ...job(0), lost: [...first.lost, [0, WORKER_FAILURE]] },
    ]);
    expect(replaced).toEqual([0, 0, 0, 0].map((place) => [place, "it ended"]));
    expect(broken).toEqual([]);
  });

  test("over the same candidate of another epoch, each has two lives", async () => {
    const { run, ready, die, hosts } = await open(1);
    ready(0);
    run(jobs(2));
    die(0, 0, 2);
    ready(1);
    die(1, 1, 2);
    ready(2);
    expect(hosts[2]?.bundles.flatMap((bundle) => bundle.jobs.map(({ lost }) => lost))).toEqual([
      [],
      [],
    ]);
  });

  test("over no candidate, an epoch is tried eight times, and then it is the end", async () => {
    const { run, ready, die, broken, hosts, replaced } = await open(1);
    ready(0);
    run(jobs(1));
    for (let i = 0; i < 7; i++) {
      die(i, 0, -1);
      ready(i + 1);
      expect(hosts[i + 1]?.bundles[0]?.jobs, `death ${i + 1}`).toEqual([job(0)]);
    }
    expect(broken).toEqual([]);
    die(7, 0, -1);
    expect(hosts).toHaveLength(8);
    expect(replaced).toHaveLength(7);
    expect(
      broken.map(({ code, message, facts, help }) => ({ code, message, facts, help })),
    ).toEqual([
      {
        code: "E-WORKER",
        message: "workers died over one epoch again and again: it ended",
        facts: CRASH.facts,
        help: "give them more memory (limits.memory), or use fewer workers",
      },
    ]);
  });

  test.each([0, 1, 7])(
    "over no candidate seven times and then over candidate %d, its epoch goes on",
    async (index) => {
      const { run, ready, die, broken, hosts } = await open(1);
      ready(0);
      run(jobs(1));
      for (let i = 0; i < 8; i++) {
        die(i, 0, i < 7 ? -1 : index);
        ready(i + 1);
      }
      expect(broken).toEqual([]);
      expect(hosts[8]?.bundles[0]?.jobs).toEqual([job(0)]);
      die(8, 0, -1);
      expect(broken).toHaveLength(1);
    },
  );

  test("over candidates and none in turn, deaths over a lost candidate count no more", async () => {
    const { run, ready, die, broken, hosts } = await open(1);
    ready(0);
    run(jobs(1));
    let worker = 0;
    const next = (candidate: number) => {
      die(worker, 0, candidate);
      worker += 1;
      ready(worker);
    };
    for (let i = 0; i < 6; i++) next(-1);
    next(4);
    next(4);
    for (let i = 0; i < 7; i++) next(-1);
    expect(broken).toEqual([]);
    expect(hosts[worker]?.bundles[0]?.jobs[0]?.lost).toEqual([[4, WORKER_FAILURE]]);
    next(-1);
    expect(broken).toHaveLength(1);
  });

  test("before it is ready three times for each worker, it is the end", async () => {
    const { die, broken, hosts, replaced } = await open(2);
    for (let i = 0; i < 5; i++) {
      expect(hosts).toHaveLength(2 + i);
      die(i, 0, -1);
    }
    expect([broken, replaced.length]).toEqual([[], 5]);
    die(5, 0, -1);
    expect([hosts.length, replaced.length]).toEqual([7, 5]);
    expect(
      broken.map(({ code, message, facts, help }) => ({ code, message, facts, help })),
    ).toEqual([
      {
        code: "E-WORKER",
        message: "workers cannot be started: it ended",
        facts: CRASH.facts,
        help: "try workers: 0, which runs everything in this thread",
      },
    ]);
    expect(hosts[6]?.isEnded).toBe(true);
  });

  test("a kill counts, unless its candidate has cost a worker before", async () => {
    const { pool, run, ready, hosts, replaced, had } = await open(1);
    expect(pool.kill(0)).toBe(true);
    expect(replaced).toEqual([[0, "it was killed"]]);
    ready(1);
    run(jobs(1));
    const at = (index: number) => {
      Atomics.store((hosts[index] as FakeWorker).start.progress, PROGRESS_CANDIDATE, 1);
    };
    at(1);
    expect(pool.kill(0)).toBe(true);
    expect([hosts[1]?.isEnded, hosts.length]).toEqual([true, 3]);
    ready(2);
    at(2);
    expect(pool.kill(0)).toBe(false);
    expect([hosts[2]?.isEnded, had(2)]).toEqual([false, [[0]]]);
    await pool.stop();
    expect(pool.kill(0)).toBe(false);
  });
});

describe("a worker that gives no sign of life", () => {
  test("for two minutes is ended, and its candidate fails at once", async () => {
    const { run, ready, hosts, replaced } = await open(2);
    ready(0, 1);
    run(jobs(1));
    Atomics.store((hosts[0] as FakeWorker).start.progress, PROGRESS_CANDIDATE, 7);
    vi.advanceTimersByTime(120_999);
    expect(replaced).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(replaced).toEqual([[0, STUCK_FAILURE.message]]);
    expect(hosts.map(({ isEnded }) => isEnded)).toEqual([true, false, false]);
    // The other worker is idle, so the epoch goes there.
    expect(hosts[1]?.bundles[0]?.jobs).toEqual([{ ...job(0), lost: [[6, STUCK_FAILURE]] }]);
  });

  test("before any candidate is ended, and its epoch is tried again as it was", async () => {
    const { run, ready, hosts, replaced } = await open(2);
    ready(0, 1);
    run(jobs(1));
    vi.advanceTimersByTime(121_000);
    expect(replaced).toEqual([[0, STUCK_FAILURE.message]]);
    expect(hosts[1]?.bundles[0]?.jobs).toEqual([job(0)]);
  });

  test("but gets on, or has nothing to do, stays", async () => {
    const { run, ready, hosts, replaced } = await open(2);
    ready(0, 1);
    run(jobs(1));
    const { progress } = (hosts[0] as FakeWorker).start;
    for (let i = 0; i < 10; i++) {
      Atomics.add(progress, PROGRESS_BEAT, 1);
      vi.advanceTimersByTime(100_000);
    }
    expect(replaced).toEqual([]);
  });
});

describe("where memory cannot be shared", () => {
  test("a bundle is one epoch, and nobody watches", async () => {
    world.isShared = false;
    const { run, ready, answer, had, hosts, replaced } = await open(1);
    expect(hosts[0]?.start.progress.buffer).toBeInstanceOf(ArrayBuffer);
    ready(0);
    run(jobs(100));
    for (let i = 0; i < 30; i++) answer(0);
    expect(had(0)).toEqual(Array.from({ length: 32 }, (_, i) => [i]));
    vi.advanceTimersByTime(1_000_000);
    expect(replaced).toEqual([]);
  });

  test("the first epoch that it has is the one that a worker died over", async () => {
    world.isShared = false;
    const { run, ready, had, hosts, answer } = await open(1);
    ready(0);
    run(jobs(4));
    answer(0);
    Atomics.store((hosts[0] as FakeWorker).start.progress, PROGRESS_EPOCH, 0);
    hosts[0]?.events.death(CRASH);
    ready(1);
    expect(had(1)).toEqual([[1], [2]]);
  });
});
