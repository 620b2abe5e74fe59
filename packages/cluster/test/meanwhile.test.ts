/**
 * What happens to a coordinator while it waits for something else: results that come while their epoch is
 * given up, epochs that still need what newer ones do not, a stop in the middle of a command.
 */

import type { EpochJob, EpochSetting, RunnerEvents, Update } from "@ndvm/search/epochs";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { decode, encode, textOf } from "../src/codec.js";
import { addressOf } from "../src/connection.js";
import { ClusterRunner, digestOf } from "../src/coordinator.js";
import { FakeRedis, newServer, server } from "./fakes.js";

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
vi.mock("@ndvm/search/epochs", async (original) => ({
  ...(await original<object>()),
  packEpoch: (result: unknown) => result,
  EpochRunner: {
    create: async () => ({
      version: -1,
      take() {},
      run: async () => {
        await meanwhile();
        return "worked out here";
      },
      dispose() {},
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
