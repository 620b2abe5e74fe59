/**
 * What happens to a coordinator while it waits for something else: results that come while their epoch is
 * given up, epochs that still need what newer ones do not, a stop in the middle of a command.
 */

import type { EpochJob, EpochSetting, RunnerEvents, Update } from "@ndvm/search/epochs";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { decode, encode, textOf } from "../src/codec.js";
import { addressOf } from "../src/connection.js";
import { ClusterRunner, digestOf } from "../src/coordinator.js";
import { FakeQueue, FakeRedis, newServer, server } from "./fakes.js";

vi.mock("ioredis", async () => ({ Redis: (await import("./fakes.js")).FakeRedis }));
vi.mock("bullmq", async () => ({ Queue: (await import("./fakes.js")).FakeQueue }));
/** The most bytes that messages may unpack to. */
const limits: unknown[] = [];
vi.mock("node:zlib", async (original) => {
  const zlib = await original<typeof import("node:zlib")>();
  return {
    ...zlib,
    inflateRawSync: (...given: Parameters<typeof zlib.inflateRawSync>) => {
      limits.push(given[1]?.maxOutputLength);
      return zlib.inflateRawSync(...given);
    },
  };
});
/** What happens while an epoch is worked out here. */
let meanwhile = async (): Promise<void> => {};
/** Runners of epochs that were made here, and let go of. */
const runners: string[] = [];
vi.mock("@ndvm/search/epochs", async (original) => ({
  ...(await original<object>()),
  packEpoch: (result: unknown) => result,
  EpochRunner: {
    create: async () => ({
      number: runners.push("made"),
      version: -1,
      take() {},
      run: async () => {
        await meanwhile();
        return "worked out here";
      },
      dispose: () => void runners.push("disposed"),
    }),
  },
}));

const SETTING = { study: { target: "y" }, breedings: [null] } as unknown as EpochSetting;
const DIGEST = digestOf(textOf(SETTING));
const RESULTS = `ndvm:results:${DIGEST}:1`;
const address = addressOf({ url: "redis://host" });
const job = (round: number, version: number): EpochJob => ({
  ...{ round, slot: 0, place: 0, version, size: 5, proposals: undefined, lost: [] },
});
const result = (round: number) =>
  encode({ id: `1-${round}-0`, packed: `of ${round}`, worker: "w" });
const soon = () => vi.advanceTimersByTimeAsync(0);

/** A coordinator; each delta of what it says has so many bytes. */
async function begin(bytes = 0) {
  const said: unknown[] = [];
  const update = (from: number, version: number): Update => {
    // Not to be packed: every byte differs from those around it.
    const length = from < 0 ? 0 : bytes / 4;
    const digests = Uint32Array.from({ length }, (_, i) => Math.imul(i, 2654435761));
    return { from, version, text: "", digests };
  };
  const events: RunnerEvents = {
    updates: (from, to) =>
      from < 0
        ? [update(-1, to)]
        : Array.from({ length: to - from }, (_, i) => update(from + i, from + i + 1)),
    done: (packed) => said.push(packed),
    replaced: () => said.push("replaced"),
    problem: (message) => said.push(message.slice(0, 30)),
    broken: (error) => said.push(["broken", error.message]),
  };
  const runner = await ClusterRunner.start(address, SETTING, events, { lookMilliseconds: 300 });
  return { runner, said };
}

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 });
  newServer();
  meanwhile = async () => {};
  runners.length = 0;
  server.hashes.set("ndvm:workers", new Map([["someone", Buffer.from("{}")]]));
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

test("a message that would unpack to more than two gigabytes is not unpacked", () => {
  expect(decode(encode({ a: 1 }))).toEqual({ a: 1 });
  expect(limits.at(-1)).toBe(2 ** 31);
});

test("a result that comes while its epoch is given up is the one that counts", async () => {
  const { runner, said } = await begin();
  runner.run([job(4, 0)]);
  await soon();
  for (const one of server.jobs(`ndvm:q:${DIGEST}`)) one.isFailed = true;
  let isOver = false;
  meanwhile = async () => {
    server.push(RESULTS, result(4));
    await Promise.resolve();
    isOver = true;
  };
  await vi.advanceTimersByTimeAsync(300);
  for (let turn = 0; turn < 20; turn++) await soon();
  expect(isOver).toBe(true);
  expect(said).toEqual(["of 4"]);
  await runner.stop();
});

test("epochs that are given up are worked out by one runner, which goes with the search", async () => {
  const { runner, said } = await begin();
  for (const round of [0, 1, 2]) {
    runner.run([job(round, 0)]);
    await soon();
    for (const one of server.jobs(`ndvm:q:${DIGEST}`)) one.isFailed = true;
    await vi.advanceTimersByTimeAsync(300);
    for (let turn = 0; turn < 20; turn++) await soon();
  }
  expect(said.filter((each) => each === "worked out here")).toHaveLength(3);
  expect(runners).toEqual(["made"]);
  await runner.stop();
  expect(runners).toEqual(["made", "disposed"]);
});

test("what an open epoch has to know stays until that epoch is done, however old it is", async () => {
  const { runner } = await begin(1_400_000);
  const fields = () => [...(server.hashes.get(`ndvm:known:${DIGEST}:1`)?.keys() ?? [])].sort();
  runner.run([job(0, 0)]);
  await soon();
  runner.run([job(1, 1)]);
  await soon();
  // More than a megabyte of deltas: the next version is a snapshot as well.
  runner.run([job(2, 2)]);
  await soon();
  expect(fields()).toEqual(["s 1", "s 2", "w 0", "w 2"]);
  server.push(RESULTS, result(0));
  server.push(RESULTS, result(1));
  await soon();
  // A snapshot begins the count of deltas anew.
  runner.run([job(3, 3)]);
  await soon();
  expect(fields()).toEqual(["s 3", "w 2"]);
  await runner.stop();
});

test("a command that fails after the search has stopped is nobody's concern", async () => {
  const { runner, said } = await begin();
  let fail = (): void => {};
  vi.spyOn(FakeRedis.prototype, "hset").mockImplementationOnce(
    () =>
      new Promise((_, reject) => {
        fail = () => reject(new Error("Connection is closed."));
      }),
  );
  runner.run([job(0, 0)]);
  await soon();
  const stopping = runner.stop();
  fail();
  await stopping;
  await soon();
  expect(said).toEqual([]);
});

test("jobs are not looked for while Redis is away", async () => {
  const { runner, said } = await begin();
  runner.run([job(0, 0)]);
  await soon();
  const looks = vi.spyOn(FakeQueue.prototype, "getJob");
  server.clients[0]?.emit("close");
  server.queues.clear();
  await vi.advanceTimersByTimeAsync(3000);
  expect(looks).not.toHaveBeenCalled();
  expect(server.jobs(`ndvm:q:${DIGEST}`)).toEqual([]);
  server.clients[0]?.emit("ready");
  await vi.advanceTimersByTimeAsync(900);
  expect(looks).toHaveBeenCalledTimes(3);
  expect(server.jobs(`ndvm:q:${DIGEST}`).map(({ id }) => id)).toEqual(["1-0-0"]);
  expect(said.filter((each) => Array.isArray(each))).toEqual([]);
  await runner.stop();
});

test("a result that comes while its job is looked for is not asked for again", async () => {
  const { runner, said } = await begin();
  runner.run([job(0, 0), job(1, 0)]);
  await soon();
  const added = () => server.log.filter((each) => each.startsWith("add"));
  server.queues.clear();
  await vi.advanceTimersByTimeAsync(600);
  // At the third look both are missed, but the first one comes back just then.
  const look = FakeQueue.prototype.getJob;
  vi.spyOn(FakeQueue.prototype, "getJob").mockImplementation(async function (this: FakeQueue, id) {
    if (id === "1-0-0") server.push(RESULTS, result(0));
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    return look.call(this, id);
  });
  await vi.advanceTimersByTimeAsync(300);
  for (let turn = 0; turn < 20; turn++) await soon();
  expect(said).toEqual(["of 0"]);
  expect(added()).toEqual(["add 1-0-0 1-1-0", "add 1-1-0"]);
  await runner.stop();
});

test("a look that fails after the search has stopped is nobody's concern", async () => {
  const { runner, said } = await begin();
  runner.run([job(0, 0)]);
  await soon();
  let fail = (): void => {};
  vi.spyOn(FakeQueue.prototype, "getJob").mockImplementationOnce(
    () =>
      new Promise((_, reject) => {
        fail = () => reject(new Error("Connection is closed."));
      }),
  );
  await vi.advanceTimersByTimeAsync(300);
  const stopping = runner.stop();
  fail();
  await stopping;
  await soon();
  expect(said).toEqual([]);
});

/** What a command waits for that a test holds up. */
function held() {
  let release = (): void => {};
  const until = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { until, release: () => release() };
}

test.each([
  ["its lock is renewed", (key: string) => key.startsWith("ndvm:lock:")],
  ["it is listed again", (key: string) => key.startsWith("ndvm:study:")],
])("a search that stops while %s is not listed afterwards", async (_, isHeld) => {
  const { runner } = await begin();
  const { until, release } = held();
  const set = FakeRedis.prototype.set;
  vi.spyOn(FakeRedis.prototype, "set").mockImplementation(async function (
    this: FakeRedis,
    key,
    ...rest
  ) {
    const done = await set.call(this, key, ...rest);
    if (isHeld(key)) await until;
    return done;
  });
  // Somebody has emptied Redis, which the next renewal would mend.
  server.hashes.delete("ndvm:studies");
  await vi.advanceTimersByTimeAsync(20_000);
  const stopping = runner.stop();
  for (let turn = 0; turn < 20; turn++) await soon();
  release();
  await stopping;
  for (let turn = 0; turn < 20; turn++) await soon();
  expect(server.keys().filter((key) => key !== "ndvm:fence" && key !== "ndvm:workers")).toEqual([]);
});
