/**
 * A coordinator with a clock, a Redis and a queue of the test's own: what it writes, when, what it does
 * with results, and how it comes through everything that can be lost.
 */

import type { EpochJob, EpochSetting, RunnerEvents, Update } from "@ndvm/search/epochs";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { encode, parse, textOf } from "../src/codec.js";
import { addressOf } from "../src/connection.js";
import { ATTEMPTS, ClusterRunner, digestOf } from "../src/coordinator.js";
import { WIRE_VERSION } from "../src/wire.js";
import { newServer, server } from "./fakes.js";

vi.mock("ioredis", async () => ({ Redis: (await import("./fakes.js")).FakeRedis }));
vi.mock("bullmq", async () => ({ Queue: (await import("./fakes.js")).FakeQueue }));
/** Epochs that were run here, because nobody else could. */
const here: unknown[] = [];
vi.mock("@ndvm/search/epochs", async (original) => ({
  ...(await original<object>()),
  packEpoch: (result: unknown, job: unknown) => ({ result, job }),
  EpochRunner: {
    create: async (setting: unknown) => ({
      version: -1,
      take(update: Update) {
        here.push(["take", update.from, update.version]);
        this.version = update.version;
      },
      run: async (job: EpochJob) => {
        here.push(["run", job.round, job.slot, job.lost.length]);
        return { of: setting === SETTING };
      },
      dispose: () => here.push("dispose"),
    }),
  },
}));

const SETTING = { study: { target: "y" }, breedings: [null] } as unknown as EpochSetting;
const TEXT = textOf(SETTING);
const DIGEST = digestOf(TEXT);
const QUEUE = `ndvm:q:${DIGEST}`;
const LOCK = `ndvm:lock:${DIGEST}`;
const SETTINGS = { lockMilliseconds: 3000, lookMilliseconds: 300 };
const address = addressOf({ url: "redis://:secret@host:1234/2" });

const job = (round: number, slot: number, version: number): EpochJob => ({
  ...{ round, slot, place: 0, version, size: 5, proposals: undefined, lost: [] },
});

/** A coordinator and everything that it said. */
async function begin(settings: object = SETTINGS) {
  const said: unknown[] = [];
  const events: RunnerEvents = {
    updates: (from, to) =>
      from < 0
        ? [{ from: -1, version: to, text: "all", digests: new Uint32Array() }]
        : Array.from({ length: to - from }, (_, i) => ({
            ...{ from: from + i, version: from + i + 1, text: "", digests: new Uint32Array() },
          })),
    done: (packed, of, worker) => said.push(["done", packed, of, worker]),
    replaced: () => said.push("replaced"),
    problem: (message) => said.push(message),
    broken: (error) => said.push(["broken", error]),
  };
  const runner = await ClusterRunner.start(address, SETTING, events, settings);
  return { runner, said };
}

const result = (id: string, worker = "w") => encode({ id, packed: { of: id }, worker });
const soon = () => vi.advanceTimersByTimeAsync(0);

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 });
  newServer();
  here.length = 0;
  server.hashes.set("ndvm:workers", new Map([["someone", Buffer.from("{}")]]));
});
afterEach(() => {
  vi.useRealTimers();
});

describe("a study", () => {
  test("is put where workers find it, and what runs before left is swept away", async () => {
    for (const old of ["known", "results"])
      for (const fence of [1, 2]) server.lists.set(`ndvm:${old}:${DIGEST}:${fence}`, []);
    server.lists.set("ndvm:known:another:1", []);
    server.queues.set(
      QUEUE,
      new Map([["1-0-0", { id: "1-0-0", data: 0, opts: {}, isFailed: true }]]),
    );
    const { runner } = await begin();
    expect(server.keys()).toEqual([
      ...["ndvm:fence", "ndvm:known:another:1", LOCK, "ndvm:studies", `ndvm:study:${DIGEST}`],
      "ndvm:workers",
    ]);
    expect(server.strings.get(`ndvm:study:${DIGEST}`)?.value).toEqual(encode(TEXT));
    const entry = JSON.parse(server.hashes.get("ndvm:studies")?.get(DIGEST)?.toString() ?? "");
    expect(entry).toMatchObject({
      wire: WIRE_VERSION,
      fence: 1,
      target: "y",
      process: process.pid,
    });
    expect(entry.started).toBe(new Date(1_000_000).toISOString());
    expect(server.text(LOCK)).toMatch(/^1 [0-9a-f-]{36}$/);
    expect(server.log.filter((each) => each.startsWith("set"))).toEqual([
      `set ${LOCK} PX 3000 NX at 1000000`,
    ]);
    const connection = { host: "host", port: 1234, password: "secret", db: 2 };
    expect(server.options.at(-1)).toMatchObject({
      ...{ prefix: "ndvm:q", skipVersionCheck: true, connection },
    });
    await runner.stop();
  });

  test("leaves nothing behind when it ends, and its connections are closed", async () => {
    const { runner, said } = await begin();
    runner.run([job(0, 0, 0)]);
    await soon();
    server.push(`ndvm:results:${DIGEST}:9`, result("9-0-0"));
    await runner.stop();
    await runner.stop();
    expect(server.keys()).toEqual(["ndvm:fence", "ndvm:workers"]);
    expect(server.clients.map(({ isEnded }) => isEnded)).toEqual([true, true]);
    expect(server.log.filter((each) => each.startsWith("close"))).toEqual([`close ${QUEUE}`]);
    server.log.length = 0;
    await vi.advanceTimersByTimeAsync(20_000);
    expect([said, server.log, vi.getTimerCount()]).toEqual([[], [], 0]);
  });

  test("whose lock is another's is left alone", async () => {
    const { runner } = await begin();
    server.strings.set(LOCK, { value: Buffer.from("2 other"), until: undefined });
    await runner.stop();
    expect(server.hashes.has("ndvm:studies")).toBe(true);
    expect(server.text(LOCK)).toBe("2 other");
  });

  test("that cannot begin lets its connection go", async () => {
    server.refusals.push(new Error("READONLY You can't write"));
    await expect(begin()).rejects.toThrow("READONLY");
    expect(server.clients[0]?.isEnded).toBe(true);
  });
});

describe("the lock", () => {
  test.each([
    [3000, [0, 300, 600, 900, 1200, 1500, 1800]],
    [30_000, [0, 500, 1000, 1500, 2000]],
  ])(
    "of %i ms that nobody renews is taken once it goes, and that is told once",
    async (lasts, tries) => {
      server.strings.set(LOCK, { value: Buffer.from("0 dead"), until: 1_000_000 + 1650 });
      const starting = begin({ ...SETTINGS, lockMilliseconds: lasts });
      await vi.advanceTimersByTimeAsync(3000);
      const { runner, said } = await starting;
      const taken = server.log.filter((each) => each.includes("NX"));
      expect(taken).toEqual(
        tries.map((after) => `set ${LOCK} PX ${lasts} NX at ${1_000_000 + after}`),
      );
      expect(said).toEqual([
        "this study was coordinated a moment ago: if nobody renews its lock, it is taken over in 2 s",
      ]);
      expect(server.text(LOCK)).toMatch(/^1 /);
      await runner.stop();
    },
  );

  test("that somebody renews is refused", async () => {
    server.strings.set(LOCK, { value: Buffer.from("0 alive"), until: 1_000_000 + 900 });
    const starting = begin();
    starting.catch(() => {});
    await vi.advanceTimersByTimeAsync(450);
    server.strings.set(LOCK, { value: Buffer.from("0 alive"), until: Date.now() + 900 });
    await vi.advanceTimersByTimeAsync(450);
    await expect(starting).rejects.toMatchObject({
      code: "E-CLUSTER",
      message: "another process coordinates this study at redis://host:1234/2",
      facts: { reason: "coordinator" },
    });
    expect(server.clients[0]?.isEnded).toBe(true);
    expect(server.text(LOCK)).toBe("0 alive");
  });

  test("is renewed three times in its time, and somebody else's ends the run", async () => {
    const { runner, said } = await begin();
    await vi.advanceTimersByTimeAsync(2000);
    expect(server.log.filter((each) => each.startsWith("set")).slice(1)).toEqual([
      `set ${LOCK} PX 3000 at 1001000`,
      `set ${LOCK} PX 3000 at 1002000`,
    ]);
    server.strings.delete(LOCK);
    await vi.advanceTimersByTimeAsync(1000);
    expect(server.text(LOCK)).toMatch(/^1 /);
    server.strings.set(LOCK, { value: Buffer.from("2 other"), until: undefined });
    await vi.advanceTimersByTimeAsync(1000);
    expect(said).toMatchObject([
      ["broken", { code: "E-CLUSTER", facts: { reason: "coordinator" } }],
    ]);
    expect(server.text(LOCK)).toBe("2 other");
    await runner.stop();
  });
});

describe("epochs", () => {
  test("are jobs with what they have to know, at once", async () => {
    const { runner } = await begin();
    runner.run([job(0, 0, 0), job(0, 1, 0)]);
    runner.run([job(3, 1, 2)]);
    await soon();
    expect(server.log.filter((each) => each.startsWith("add"))).toEqual([
      "add 1-0-0 1-0-1",
      "add 1-3-1",
    ]);
    const [first, , last] = server.jobs(QUEUE);
    expect(first).toMatchObject({
      data: { wire: WIRE_VERSION, fence: 1, version: 0 },
      opts: {
        ...{ jobId: "1-0-0", attempts: ATTEMPTS, removeOnComplete: true, removeOnFail: false },
        backoff: { type: "exponential", delay: 1000 },
      },
    });
    expect(parse((last?.data as { readonly job: string } | undefined)?.job ?? "")).toEqual(
      parse(textOf(job(3, 1, 2))),
    );
    expect([...(server.hashes.get(`ndvm:known:${DIGEST}:1`)?.keys() ?? [])]).toEqual([
      ...["w 0", "s 1", "s 2"],
    ]);
    await runner.stop();
  });

  test("come back once each, with the number of their worker", async () => {
    const { runner, said } = await begin();
    const jobs = [job(0, 0, 0), job(0, 1, 0), job(1, 0, 0)];
    runner.run(jobs);
    await soon();
    for (const [id, worker] of [
      ...([
        ["1-0-1", "b"],
        ["1-0-1", "c"],
        ["2-0-0", "d"],
        ["1-0-0", "a"],
      ] as const),
      ...([["1-1-0", "b"]] as const),
    ]) {
      server.push(`ndvm:results:${DIGEST}:1`, result(id, worker));
      await soon();
    }
    // A wait that brings nothing is followed by another.
    expect(said).toEqual([
      ["done", { of: "1-0-1" }, jobs[1], 0],
      ["done", { of: "1-0-0" }, jobs[0], 1],
      ["done", { of: "1-1-0" }, jobs[2], 0],
    ]);
    runner.run([job(2, 0, 0)]);
    await vi.advanceTimersByTimeAsync(2500);
    server.push(`ndvm:results:${DIGEST}:1`, result("1-2-0", "a"));
    await soon();
    expect(said).toHaveLength(4);
    await runner.stop();
  });

  test("that are done while a send waits are not sent", async () => {
    const { runner } = await begin();
    server.refusals.push(new Error("OOM command not allowed"));
    runner.run([job(0, 0, 0), job(0, 1, 0)]);
    await soon();
    server.push(`ndvm:results:${DIGEST}:1`, result("1-0-0"));
    await vi.advanceTimersByTimeAsync(100);
    expect(server.jobs(QUEUE).map(({ id }) => id)).toEqual(["1-0-1"]);
    await runner.stop();
  });

  test("wait while Redis is full, longer each time, and that is told once a command", async () => {
    const { runner, said } = await begin({ ...SETTINGS, lookMilliseconds: 1e9 });
    const full = () => new Error("OOM command not allowed when used memory > 'maxmemory'.");
    server.refusals.push(full(), full(), full());
    runner.run([job(0, 0, 0)]);
    await vi.advanceTimersByTimeAsync(699);
    expect(server.jobs(QUEUE)).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(server.jobs(QUEUE)).toHaveLength(1);
    expect(said).toEqual([
      "the Redis at redis://host:1234/2 is full: the search waits until it has room",
    ]);
    server.refusals.push(...Array.from({ length: 9 }, full));
    runner.run([job(1, 0, 0)]);
    // 100 + 200 + … + 3200 and then 5000 each.
    await vi.advanceTimersByTimeAsync(6300 + 3 * 5000 - 1);
    expect(server.jobs(QUEUE)).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(server.jobs(QUEUE)).toHaveLength(2);
    server.refusals.push(new Error("ERR something else"));
    runner.run([job(2, 0, 0)]);
    await soon();
    expect(said.at(-1)).toMatchObject(["broken", { message: "ERR something else" }]);
    await runner.stop();
  });

  test("that Redis has lost are sent again at every third look", async () => {
    const { runner } = await begin();
    runner.run([job(0, 0, 0)]);
    await soon();
    const added: number[] = [];
    for (let look = 1; look <= 9; look++) {
      server.queues.delete(QUEUE);
      const before = server.log.filter((each) => each.startsWith("add")).length;
      await vi.advanceTimersByTimeAsync(300);
      if (server.log.filter((each) => each.startsWith("add")).length > before) added.push(look);
    }
    expect(added).toEqual([3, 6, 9]);
    await runner.stop();
  });

  test("that are there at one look are not missed before three more", async () => {
    const { runner } = await begin();
    runner.run([job(0, 0, 0)]);
    await soon();
    const jobs = server.queues.get(QUEUE) as NonNullable<ReturnType<typeof server.queues.get>>;
    const adds = () => server.log.filter((each) => each.startsWith("add")).length;
    for (const isThere of [false, false, true, false, false]) {
      if (isThere) server.queues.set(QUEUE, jobs);
      else server.queues.delete(QUEUE);
      await vi.advanceTimersByTimeAsync(300);
    }
    expect(adds()).toBe(1);
    server.queues.delete(QUEUE);
    await vi.advanceTimersByTimeAsync(300);
    expect(adds()).toBe(2);
    await runner.stop();
  });

  test("that failed for good count as failed, worked out here", async () => {
    const { runner, said } = await begin();
    const lost = job(2, 1, 3);
    runner.run([job(1, 0, 1), lost]);
    await soon();
    const failed = server.jobs(QUEUE).find(({ id }) => id === "1-2-1");
    if (failed !== undefined) failed.isFailed = true;
    await vi.advanceTimersByTimeAsync(300);
    expect(said).toEqual([
      "an epoch was begun 8 times and never ended: its 5 candidates count as failed, and the study " +
        "is not reproducible",
      ["done", { result: { of: true }, job: lost }, lost, -1],
    ]);
    expect(here).toEqual([
      ["take", -1, 3],
      ["run", 2, 1, 5],
    ]);
    expect(server.jobs(QUEUE).map(({ id }) => id)).toEqual(["1-1-0"]);
    // Its result, should there be one, comes too late.
    server.push(`ndvm:results:${DIGEST}:1`, result("1-2-1"));
    await vi.advanceTimersByTimeAsync(900);
    expect(said).toHaveLength(2);
    await runner.stop();
    expect(here.at(-1)).toBe("dispose");
  });

  test("that nobody works for are told once", async () => {
    server.hashes.delete("ndvm:workers");
    const { runner, said } = await begin();
    await vi.advanceTimersByTimeAsync(299);
    expect(said).toEqual([]);
    await vi.advanceTimersByTimeAsync(2000);
    expect(said).toEqual([
      "no worker has joined redis://host:1234/2 yet: start some with ndvm worker --cluster",
    ]);
    await runner.stop();
  });
});

describe("a Redis that goes away", () => {
  test("is waited for; what it lost is sent again, oldest knowledge first", async () => {
    const { runner, said } = await begin();
    runner.run([job(5, 0, 4), job(3, 0, 2)]);
    await soon();
    const [redis] = server.clients;
    redis?.emit("ready");
    redis?.emit("close");
    redis?.emit("close");
    const away = "the Redis at redis://host:1234/2 does not answer: the search waits for it";
    expect(said).toEqual([away]);
    server.log.length = 0;
    await vi.advanceTimersByTimeAsync(5000);
    expect(server.log).toEqual([]);
    for (const kept of [server.strings, server.hashes, server.lists, server.queues]) kept.clear();
    redis?.emit("ready");
    await soon();
    expect(said).toEqual([away, "the Redis at redis://host:1234/2 answers again"]);
    expect(server.log.filter((each) => each.startsWith("add"))).toEqual(["add 1-3-0 1-5-0"]);
    expect([...(server.hashes.get(`ndvm:known:${DIGEST}:1`)?.keys() ?? [])]).toEqual([
      ...["w 2", "s 3", "s 4"],
    ]);
    expect(server.hashes.get("ndvm:studies")?.has(DIGEST)).toBe(true);
    expect(server.text(LOCK)).toMatch(/^1 /);
    await runner.stop();
  });

  test.each([true, false])(
    "again while what it lost is sent ends the run only if it answers: away %s",
    async (isAway) => {
      const { runner, said } = await begin();
      runner.run([job(0, 0, 0)]);
      await soon();
      const [redis] = server.clients;
      redis?.emit("close");
      for (const kept of [server.strings, server.hashes, server.lists, server.queues]) kept.clear();
      // The study is registered again; what its epochs must know is not.
      server.refusals.push(undefined as never, new Error("Connection is closed."));
      redis?.emit("ready");
      if (isAway) redis?.emit("close");
      await soon();
      const broken = said.filter((each) => Array.isArray(each) && each[0] === "broken");
      expect(broken.length).toBe(isAway ? 0 : 1);
      expect(server.jobs(QUEUE)).toEqual([]);
      if (isAway) {
        redis?.emit("ready");
        runner.run([job(1, 0, 0)]);
        await soon();
        expect(server.jobs(QUEUE).map(({ id }) => id)).toEqual(["1-1-0"]);
        await vi.advanceTimersByTimeAsync(900);
        expect(server.jobs(QUEUE).map(({ id }) => id)).toEqual(["1-1-0", "1-0-0"]);
        expect(said.filter((each) => Array.isArray(each))).toEqual([]);
      }
      await runner.stop();
    },
  );

  test("while knowledge is on its way to it has a snapshot again", async () => {
    const { runner } = await begin();
    runner.run([job(0, 0, 0)]);
    await soon();
    const [redis] = server.clients;
    const hset = redis?.hset.bind(redis) as NonNullable<typeof redis>["hset"];
    let arrive = () => {};
    const arrived = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    // A command without an answer is repeated once the connection is there again.
    if (redis !== undefined)
      redis.hset = async (key, ...pairs) => {
        if (pairs.includes("s 1")) await arrived;
        return hset(key, ...pairs);
      };
    runner.run([job(1, 0, 1)]);
    await soon();
    redis?.emit("close");
    for (const kept of [server.strings, server.hashes, server.lists, server.queues]) kept.clear();
    redis?.emit("ready");
    await soon();
    arrive();
    await soon();
    const known = [...(server.hashes.get(`ndvm:known:${DIGEST}:1`)?.keys() ?? [])];
    expect(known.toSorted()).toEqual(["s 1", "w 0"]);
    expect(server.jobs(QUEUE).map(({ id }) => id)).toEqual(["1-1-0", "1-0-0"]);
    await runner.stop();
  });

  test("and comes back with everything is only told", async () => {
    const { runner, said } = await begin();
    runner.run([job(0, 0, 0)]);
    await soon();
    server.log.length = 0;
    server.clients[0]?.emit("close");
    server.clients[0]?.emit("ready");
    await soon();
    expect(said).toHaveLength(2);
    expect(server.log).toEqual([`set ${LOCK} PX 3000 at 1000000`]);
    await runner.stop();
  });

  test("keeps what is there when a search stops meanwhile", async () => {
    const { runner } = await begin();
    server.clients[0]?.emit("close");
    await runner.stop();
    expect(server.hashes.has("ndvm:studies")).toBe(true);
    expect(server.clients.every(({ isEnded }) => isEnded)).toBe(true);
  });

  test("breaks the run where it answers with something that is no result", async () => {
    const { runner, said } = await begin();
    server.push(`ndvm:results:${DIGEST}:1`, Buffer.from("not packed"));
    await soon();
    expect(said).toMatchObject([["broken", expect.any(Error)]]);
    await runner.stop();
  });
});
