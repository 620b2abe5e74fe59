/** Addresses of a Redis, connections to it and the times of a cluster, with a Redis of the test's own. */

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { addressOf, connect, connectionOptions, isFull } from "../src/connection.js";
import { openCluster } from "../src/index.js";
import { settingsOf } from "../src/settings.js";
import { newServer, server } from "./fakes.js";

vi.mock("ioredis", async () => ({ Redis: (await import("./fakes.js")).FakeRedis }));
vi.mock("bullmq", async () => {
  const { FakeQueue, FakeWorker } = await import("./fakes.js");
  return { Queue: FakeQueue, Worker: FakeWorker, UnrecoverableError: class extends Error {} };
});

const address = addressOf({ url: "redis://host" });
const SETTINGS = { pollMilliseconds: 100, stalledMilliseconds: 1500 };

beforeEach(() => {
  vi.useFakeTimers();
  newServer();
});
afterEach(() => {
  vi.useRealTimers();
});

test("times that nobody gives are those of the documentation", () => {
  expect(settingsOf({})).toEqual({
    ...{ lockMilliseconds: 30_000, lookMilliseconds: 5_000 },
    ...{ stalledMilliseconds: 30_000, pollMilliseconds: 500 },
  });
  expect(settingsOf(SETTINGS)).toMatchObject({ ...SETTINGS, lookMilliseconds: 5_000 });
});

describe("an address", () => {
  const plain = { host: "h", port: 6379 };
  test.each([
    ["redis://h", plain],
    ["redis://h/", plain],
    ["redis://h/0", plain],
    ["redis://h/3", { ...plain, db: 3 }],
    ["redis://h/x", plain],
    ["redis://h:7000/1", { host: "h", port: 7000, db: 1 }],
    ["redis://u%40:p%3A@h", { ...plain, username: "u@", password: "p:" }],
    ["redis://:p@h", { ...plain, password: "p" }],
    ["redis://[::1]:7", { host: "::1", port: 7 }],
    ["rediss://h", { ...plain, tls: {} }],
  ])("%s is a connection", (url, wanted) => {
    const { retryStrategy, maxRetriesPerRequest, ...found } = connectionOptions(addressOf({ url }));
    expect(found).toEqual(wanted);
    expect(maxRetriesPerRequest).toBeNull();
    const waits = [1, 2, 3, 6, 7, 10, 11, 2000].map((tries) => retryStrategy(tries));
    expect(waits).toEqual([100, 200, 400, 3200, 5000, 5000, 5000, 5000]);
  });

  test("is shown without a password, and taken from the environment", () => {
    expect(addressOf({ url: "redis://u:p@h:7/2" }).shown).toBe("redis://h:7/2");
    expect(addressOf({ url: "rediss://h/" }).shown).toBe("rediss://h");
    vi.stubEnv("NDVM_CLUSTER", "redis://there");
    expect(addressOf({}).shown).toBe("redis://there");
    expect(openCluster({ url: "redis://here", namespace: "n.-_9" }).address).toBe("redis://here");
    vi.unstubAllEnvs();
    const own = { ca: "mine" };
    expect(connectionOptions(addressOf({ url: "rediss://h", tls: own })).tls).toBe(own);
    for (const namespace of ["", "a b", "a:b"])
      expect(() => addressOf({ url: "redis://h", namespace })).toThrow("the namespace has letters");
    for (const url of ["h", "http://h", "redis://", "redis://me:1234/secret@h", "redis:me:p@h"])
      expect(() => addressOf({ url })).toThrow("not one of a Redis");
    vi.stubEnv("NDVM_CLUSTER", "");
    expect(() => addressOf({})).toThrow("there is no cluster to connect to");
    vi.unstubAllEnvs();
  });

  test("with a password that is not percent-encoded is refused, without telling it", () => {
    for (const url of ["redis://:50%off@h", "redis://50%off@h", "redis://:%ff@h"]) {
      const told = expect.objectContaining({
        code: "E-CLUSTER",
        message: expect.not.stringContaining("off"),
      });
      expect(() => addressOf({ url })).toThrow(told);
    }
  });

  test.each([
    ["6.2.0", undefined],
    ["6.10.1", undefined],
    ["7.0.0", undefined],
    ["10.0", undefined],
    ["6.1.9", "old"],
    ["5.9.9", "old"],
    ["", "old"],
  ])("of a Redis %s: %s", async (version, reason) => {
    server.info = `# Server\r\nredis_version:${version}\r\n`;
    const connecting = connect(address).then(
      () => undefined,
      ({ facts }) => facts.reason,
    );
    expect(await connecting).toBe(reason);
    expect(server.clients[0]?.isEnded).toBe(reason !== undefined);
  });

  test.each([
    ["0", "allkeys-lru", undefined],
    ["100", "noeviction", undefined],
    ["1", "volatile-ttl", "eviction"],
  ])("of a Redis with maxmemory %s and %s: %s", async (most, policy, reason) => {
    server.info = `redis_version:7.0\r\nmaxmemory:${most}\r\nmaxmemory_policy:${policy}\r\n`;
    const connecting = connect(address).then(
      () => undefined,
      ({ facts }) => facts.reason,
    );
    expect(await connecting).toBe(reason);
  });

  test.each([
    ["redis://h", "NOAUTH Authentication required.", undefined, "password", "does not let us in"],
    ["redis://:p@h", "WRONGPASS invalid", undefined, "password", "does not let us in"],
    ["redis://h", "NOPERM this user", undefined, "password", "does not let us in"],
    ["redis://:p@h", "ERR AUTH called without", undefined, "password", "refused the password"],
    ["redis://h", "ERR unknown", undefined, "unreachable", "the connection was closed"],
    ["redis://h", "connect ECONNREFUSED", "ECONNREFUSED", "unreachable", "ECONNREFUSED"],
  ])("%s that says %s is told as it is", async (url, said, code, reason, words) => {
    server.connecting = async () => {
      server.clients[0]?.emit("error", Object.assign(new Error(said), { code }));
      throw new Error("Connection is closed.");
    };
    await expect(connect(addressOf({ url }))).rejects.toMatchObject({
      ...{ message: expect.stringContaining(words), facts: { reason } },
    });
  });

  test("that nobody answers at is given up after ten seconds", async () => {
    server.connecting = () => new Promise(() => {});
    let told: unknown;
    connect(address).catch((error) => {
      told = error;
    });
    await vi.advanceTimersByTimeAsync(9999);
    expect(told).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    expect(told).toMatchObject({ facts: { reason: "unreachable" } });
    expect(server.clients[0]?.isEnded).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("of a full Redis: only the answer that says so", () => {
    expect(isFull(new Error("OOM command not allowed"))).toBe(true);
    for (const other of [new Error("OOM"), new Error("ERR OOM x"), "OOM x", undefined])
      expect(isFull(other)).toBe(false);
  });
});
