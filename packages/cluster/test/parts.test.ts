/** The parts of a cluster that need no Redis: the codec, keys, entries, and what epochs have to know. */

import { randomBytes } from "node:crypto";
import type { Update } from "@ndvm/search/epochs";
import fc from "fast-check";
import type { Redis } from "ioredis";
import { describe, expect, test } from "vitest";
import { decode, encode, parse, textOf } from "../src/codec.js";
import { keysOf } from "../src/keys.js";
import { KnowledgeWriter, readUpdates } from "../src/knowledge.js";
import { isJobData, readEntry } from "../src/wire.js";

const seed = Number(process.env["SEED"] ?? 20261116);

describe(`the codec (SEED=${seed})`, () => {
  test.each<[unknown, string]>([
    [{ a: [1, "x", null, true] }, '{"a":[1,"x",null,true]}'],
    [Number.NaN, '{"$number":"NaN"}'],
    [[Infinity, -Infinity], '[{"$number":"Infinity"},{"$number":"-Infinity"}]'],
    [Float64Array.of(1), '{"$f64":"AAAAAAAA8D8="}'],
    [Uint32Array.of(1, 2), '{"$u32":"AQAAAAIAAAA="}'],
    [{ $number: "5" }, '{"$plain":[["$number","5"]]}'],
    [{ $f64: [1] }, '{"$plain":[["$f64",[1]]]}'],
    [{ $plain: { $u32: "" } }, '{"$plain":[["$plain",{"$plain":[["$u32",""]]}]]}'],
    [{ $number: "5", other: 1 }, '{"$number":"5","other":1}'],
    [{ $other: "5" }, '{"$other":"5"}'],
    [{ $number: 5 }, '{"$plain":[["$number",5]]}'],
    [{}, "{}"],
  ])("writes %o as %s, and reads it back", (value, text) => {
    expect(textOf(value)).toBe(text);
    expect(parse(text)).toEqual(value);
    expect(decode(encode(value))).toEqual(value);
  });

  test("gives back whatever it was given, views into larger memory too", () => {
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { depthSize: "small" },
        fc.double(),
        fc.string(),
        fc.float64Array(),
        fc.uint32Array(),
        fc.array(tie("any")),
        fc.dictionary(fc.constantFrom("a", "$f64", "$number", "$plain", "b"), tie("any")),
      ),
    })).any;
    fc.assert(
      fc.property(value, (given) => {
        const written = JSON.parse(textOf(given)) as unknown;
        expect(textOf(decode(encode(given)))).toBe(JSON.stringify(written));
      }),
      { seed },
    );
    const view = new Float64Array(Float64Array.of(9, 1, 2, 9).buffer, 8, 2);
    expect(decode(encode(view))).toEqual(Float64Array.of(1, 2));
  });
});

test("keys are those of the namespace", () => {
  const keys = keysOf("ns");
  expect({
    ...{ studies: keys.studies, workers: keys.workers, fence: keys.fence, queues: keys.queues },
    ...{ study: keys.study("d"), lock: keys.lock("d"), known: keys.known("d", 3) },
    ...{ results: keys.results("d", 3), all: [keys.knownOfAll("d"), keys.resultsOfAll("d")] },
  }).toEqual({
    ...{ studies: "ns:studies", workers: "ns:workers", fence: "ns:fence", queues: "ns:q" },
    ...{ study: "ns:study:d", lock: "ns:lock:d", known: "ns:known:d:3" },
    ...{ results: "ns:results:d:3", all: ["ns:known:d:*", "ns:results:d:*"] },
  });
});

describe("what others have written", () => {
  const job = { wire: "1", fence: 2, version: 3, job: "{}" };
  test("is a job only with all its parts", () => {
    expect(isJobData(job)).toBe(true);
    for (const name of Object.keys(job)) {
      expect(isJobData({ ...job, [name]: undefined }), name).toBe(false);
      expect(isJobData({ ...job, [name]: [] }), name).toBe(false);
    }
    for (const other of [null, undefined, 5, "x"]) expect(isJobData(other)).toBe(false);
  });

  test("is an entry only with its version", () => {
    expect(readEntry('{"wire":"1","a":2}')).toEqual({ wire: "1", a: 2 });
    for (const text of ["", "{", "5", "null", "{}", '{"wire":1}'])
      expect(readEntry(text), text).toBeUndefined();
  });
});

/** A hash of a Redis. */
class FakeRedis {
  readonly fields = new Map<string, Buffer>();
  async hset(_key: string, ...pairs: (string | Buffer)[]) {
    for (let i = 0; i < pairs.length; i += 2)
      this.fields.set(pairs[i] as string, pairs[i + 1] as Buffer);
  }
  async hdel(_key: string, ...names: string[]) {
    for (const name of names) this.fields.delete(name);
  }
  async hkeys() {
    return [...this.fields.keys()];
  }
  async hgetBuffer(_key: string, name: string) {
    return this.fields.get(name) ?? null;
  }
  async hmgetBuffer(_key: string, ...names: string[]) {
    return names.map((name) => this.fields.get(name) ?? null);
  }
}

describe("what epochs have to know", () => {
  const update = (from: number, version: number, text = `${from} to ${version}`): Update => ({
    ...{ version, from, text, digests: new Uint32Array() },
  });
  const open = (text?: (version: number) => string, snapshot?: string) => {
    const fake = new FakeRedis();
    const redis = fake as unknown as Redis;
    const writer = new KnowledgeWriter(redis, "known", (from, to) =>
      from < 0
        ? [update(-1, to, snapshot)]
        : Array.from({ length: to - from }, (_, i) =>
            update(from + i, from + i + 1, text?.(from + i + 1)),
          ),
    );
    const steps = async (from: number, to: number) =>
      (await readUpdates(redis, "known", from, to)).map((each) => [each.from, each.version]);
    return { writer, steps, fields: () => [...fake.fields.keys()], fake };
  };

  test("is a snapshot, and then deltas, read from wherever a worker is", async () => {
    const { writer, steps, fields } = open();
    for (const version of [2, 3, 3, 5, 4]) await writer.publish(version);
    expect(fields()).toEqual(["w 2", "s 3", "s 4", "s 5"]);
    expect(await steps(-1, 2)).toEqual([[-1, 2]]);
    expect(await steps(-1, 4)).toEqual([
      [-1, 2],
      [2, 3],
      [3, 4],
    ]);
    expect(await steps(3, 5)).toEqual([
      [3, 4],
      [4, 5],
    ]);
    expect(await steps(4, 4)).toEqual([]);
    // Back, and from a version that is gone: by the snapshot.
    expect(await steps(5, 3)).toEqual([
      [-1, 2],
      [2, 3],
    ]);
    expect(await steps(0, 3)).toEqual([
      [-1, 2],
      [2, 3],
    ]);
    await expect(steps(-1, 1)).rejects.toMatchObject({ facts: { reason: "knowledge" } });
    await expect(steps(-1, 6)).rejects.toThrow("after 6 rounds is not in Redis any more");
  });

  test("is a new snapshot once deltas are a megabyte, and what is older goes when it may", async () => {
    // Noise does not pack: each delta is about 400 kB.
    let state = 1;
    const noise = () => {
      let text = "";
      for (let i = 0; i < 270_000; i++) {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        text += String.fromCharCode(33 + ((state >>> 16) % 90));
      }
      return text;
    };
    const { writer, steps, fields } = open(() => noise());
    for (let version = 0; version <= 8; version++) await writer.publish(version);
    const snapshots = fields().filter((field) => field.startsWith("w "));
    expect(snapshots[0]).toBe("w 0");
    expect(snapshots.length).toBeGreaterThan(1);
    const [first = 0, second = 0] = snapshots.map((field) => Number(field.slice(2)));
    expect([first, fields().includes(`s ${second}`)]).toEqual([0, true]);
    const before = fields();
    await writer.forgetBefore(second - 1);
    const latest = Number(snapshots.at(-1)?.slice(2));
    if (latest > second - 1) expect(fields()).toEqual(before);
    await writer.forgetBefore(latest);
    expect(fields()).toEqual(
      before.filter((field) => {
        const version = Number(field.slice(2));
        return field.startsWith("w ") ? version >= latest : version > latest;
      }),
    );
    expect(await steps(-1, latest)).toEqual([[-1, latest]]);
    const after = fields();
    await writer.forgetBefore(8);
    expect(fields()).toEqual(after);
  });

  test("is a new snapshot after more than a megabyte of deltas, not after one", async () => {
    const limit = 2 ** 20;
    let state = 7;
    let noise = "";
    for (let i = 0; i < 1_400_000; i++) {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      noise += String.fromCharCode(33 + ((state >>> 16) % 90));
    }
    const bytesOf = (length: number): number =>
      encode({ ...update(0, 1), text: noise.slice(0, length) }).length;
    let [low, high] = [0, noise.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (bytesOf(middle) <= limit) low = middle;
      else high = middle;
    }
    // Packing is not quite even, so the place is looked for around the one that was found.
    const around = Array.from({ length: 60 }, (_, i) => low + (i % 2 === 0 ? i / 2 : -(i + 1) / 2));
    const exact = around.find((length) => bytesOf(length) === limit) as number;
    for (const [length, isLong] of [
      [exact, false],
      [high + 40, true],
    ] as const) {
      const { writer, fields } = open((version) => (version === 1 ? noise.slice(0, length) : ""));
      for (const version of [0, 1, 2]) await writer.publish(version);
      expect([bytesOf(length) > limit, fields().includes("w 2")]).toEqual([isLong, isLong]);
    }
  });

  test("that a full Redis refused is written when it has room, snapshots too", async () => {
    // Deltas of random letters, which do not pack, so that a few of them are a megabyte.
    const long = (version: number) => randomBytes(400_000 + version).toString("base64");
    const { writer, steps, fake } = open(long);
    const hset = fake.hset.bind(fake);
    for (let version = 0; version < 12; version++) {
      fake.hset = async () => {
        throw new Error("OOM command not allowed when used memory > 'maxmemory'.");
      };
      for (let tries = 0; tries < version % 5; tries++)
        await expect(writer.publish(version)).rejects.toThrow("OOM");
      fake.hset = hset;
      await writer.publish(version);
      await writer.forgetBefore(version);
      // A worker that starts afresh finds its way.
      expect((await steps(-1, version)).at(-1)?.[1], `version ${version}`).toBe(version);
    }
    expect(fake.fields.size).toBeLessThan(8);
  });

  test("is written anew after Redis has lost it", async () => {
    const { writer, steps, fields, fake } = open();
    await writer.publish(1);
    await writer.publish(2);
    fake.fields.clear();
    writer.reset();
    await writer.publish(2);
    expect(fields()).toEqual(["w 2"]);
    expect(await steps(-1, 2)).toEqual([[-1, 2]]);
    await writer.publish(3);
    await writer.forgetBefore(3);
    expect(fields()).toEqual(["w 2", "s 3"]);
  });

  test("is a snapshot where deltas would begin from nothing", async () => {
    const fake = new FakeRedis();
    const writer = new KnowledgeWriter(fake as unknown as Redis, "k", (_, to) => [update(-1, to)]);
    await writer.publish(1);
    await writer.publish(2);
    expect([...fake.fields.keys()]).toEqual(["w 1", "w 2"]);
  });
});
