/**
 * Workers, populations and the status of a cluster, with a clock, a Redis and a queue of the test's own.
 */

import {
  type GradientOptions,
  type GradientResult,
  type Inputs,
  int,
  Machine,
  type NdvmError,
  vec,
} from "@ndvm/core";
import type { EpochJob, Update } from "@ndvm/search/epochs";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { decode, encode, textOf } from "../src/codec.js";
import { addressOf } from "../src/connection.js";
import { digestOf } from "../src/coordinator.js";
import { clusterGradient } from "../src/gradient.js";
import { clusterStatus } from "../src/status.js";
import { WIRE_VERSION, type WorkerEntry } from "../src/wire.js";
import { ClusterWorker } from "../src/worker.js";
import { type FakeRedis, newServer, server } from "./fakes.js";

vi.mock("ioredis", async () => ({ Redis: (await import("./fakes.js")).FakeRedis }));
vi.mock("bullmq", async () => {
  const { FakeQueue, FakeWorker } = await import("./fakes.js");
  return { Queue: FakeQueue, Worker: FakeWorker, UnrecoverableError: class extends Error {} };
});
/** What runners of epochs were asked. */
const asked: unknown[] = [];
vi.mock("@ndvm/search/epochs", async (original) => ({
  ...(await original<object>()),
  packEpoch: (result: unknown, job: EpochJob) => ({ result, round: job.round }),
  EpochRunner: {
    create: async (setting: unknown) => {
      asked.push(["create", setting]);
      return {
        version: -1,
        take(update: Update) {
          asked.push(["take", update.version]);
          this.version = update.version;
        },
        run: async (job: EpochJob, watch: { rest(): Promise<void> | undefined }) => {
          asked.push(["run", job.round, watch.rest() instanceof Promise]);
          // An epoch may come to fewer candidates than were asked for.
          return { candidates: Array(job.size - (job.slot ?? 0)).fill(0) };
        },
        dispose: () => asked.push("dispose"),
      };
    },
  },
}));

const address = addressOf({ url: "redis://host" });
const NOW = 1_700_000_000_000;
const SETTINGS = { pollMilliseconds: 100, stalledMilliseconds: 1500 };

beforeEach(() => {
  vi.useFakeTimers({ now: NOW });
  newServer();
  asked.length = 0;
});
afterEach(() => {
  vi.useRealTimers();
});

/** A study in Redis, as a coordinator writes it. */
function putStudy(target: string, fence = 1, wire = WIRE_VERSION): string {
  const text = textOf({ target });
  const digest = digestOf(text);
  server.strings.set(`ndvm:study:${digest}`, { value: encode(text), until: undefined });
  const entry = JSON.stringify({ wire, fence, host: "h", process: 1, target });
  const studies = server.hashes.get("ndvm:studies") ?? new Map<string, Buffer>();
  server.hashes.set("ndvm:studies", studies.set(digest, Buffer.from(entry)));
  return digest;
}

async function begin() {
  const told: string[] = [];
  const worker = await ClusterWorker.start(address, { tell: (each) => told.push(each) }, SETTINGS);
  const entry = (): WorkerEntry | undefined => {
    const text = server.hashes.get("ndvm:workers")?.get(worker.id)?.toString();
    return text === undefined ? undefined : JSON.parse(text);
  };
  return { worker, told, entry };
}

const queueOf = (digest: string) => `ndvm:q:${digest}`;
const open = () => server.workers.filter(({ isClosed }) => !isClosed).map(({ queue }) => queue);

describe("a worker", () => {
  test("joins every study there is, at the next look", async () => {
    const first = putStudy("a");
    const { worker, told, entry } = await begin();
    expect(told).toEqual([`joined study ${first.slice(0, 8)} of h (target a)`]);
    expect(asked).toEqual([["create", { target: "a" }]]);
    const second = putStudy("b");
    await vi.advanceTimersByTimeAsync(99);
    expect(told).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(told[1]).toBe(`joined study ${second.slice(0, 8)} of h (target b)`);
    expect(open()).toEqual(["ndvm:q:populations", queueOf(first), queueOf(second)]);
    expect(entry()).toMatchObject({
      wire: WIRE_VERSION,
      seen: NOW + 100,
      epochs: 0,
      candidates: 0,
    });
    expect(entry()?.studies).toEqual([first, second]);
    const times = { lockDuration: 1500, stalledInterval: 1500, maxStalledCount: 8 };
    for (const { options } of server.workers)
      expect(options).toMatchObject({ prefix: "ndvm:q", skipVersionCheck: true, ...times });
    expect(server.workers[1]?.options).toMatchObject({ concurrency: 1 });
    await worker.close();
  });

  test("runs epochs with what they have to know, and gives results to the run that asked", async () => {
    const digest = putStudy("a", 4);
    const update = (version: number, from: number) =>
      encode({ version, from, text: "", digests: new Uint32Array() });
    const fields = { "w 1": update(1, -1), "s 2": update(2, 1), "s 3": update(3, 2) };
    server.hashes.set(`ndvm:known:${digest}:4`, new Map(Object.entries(fields)));
    const { worker, entry } = await begin();
    asked.length = 0;
    const data = (round: number, version: number) => ({
      ...{ wire: WIRE_VERSION, fence: 4, version },
      job: textOf({ round, size: 5 }),
    });
    await server.deliver(queueOf(digest), "4-7-0", data(7, 2));
    await vi.advanceTimersByTimeAsync(20);
    await server.deliver(queueOf(digest), "4-8-0", data(8, 3));
    // The event loop had its turn just now.
    await vi.advanceTimersByTimeAsync(10);
    await server.deliver(queueOf(digest), "4-9-0", data(9, 3));
    expect(asked).toEqual([
      ...[
        ["take", 1],
        ["take", 2],
        ["run", 7, false],
      ],
      ...[
        ["take", 3],
        ["run", 8, true],
        ["run", 9, false],
      ],
    ]);
    const results = `ndvm:results:${digest}:4`;
    expect(server.lists.get(results)?.slice(0, 2).map(decode)).toEqual([
      {
        id: "4-7-0",
        packed: { result: { candidates: Array(5).fill(0) }, round: 7 },
        worker: worker.id,
      },
      {
        id: "4-8-0",
        packed: { result: { candidates: Array(5).fill(0) }, round: 8 },
        worker: worker.id,
      },
    ]);
    expect(server.log.filter((each) => each.startsWith("pexpire"))).toEqual(
      Array(3).fill(`pexpire ${results} 3600000`),
    );
    await vi.advanceTimersByTimeAsync(970);
    expect(entry()).toMatchObject({ epochs: 3, candidates: 15, rate: 15, seen: NOW + 1000 });
    await worker.close();
  });

  test("says how many candidates a second it runs, anew after more than four seconds", async () => {
    const digest = putStudy("a");
    const snapshot = encode({ version: 0, from: -1, text: "", digests: new Uint32Array() });
    server.hashes.set(`ndvm:known:${digest}:1`, new Map([["w 0", snapshot]]));
    const { worker, entry } = await begin();
    const data = { wire: WIRE_VERSION, fence: 1, version: 0, job: textOf({ round: 0, size: 8 }) };
    await server.deliver(queueOf(digest), "1-0-0", data);
    const rates: (number | undefined)[] = [];
    for (const wait of [1000, 1000, 2000, 100, 100]) {
      await vi.advanceTimersByTimeAsync(wait);
      rates.push(entry()?.rate);
    }
    expect(rates).toEqual([8, 4, 2, 8 / 4.1, 0]);
    const fewer = { ...data, job: textOf({ round: 0, slot: 2, size: 8 }) };
    await server.deliver(queueOf(digest), "1-0-1", fewer);
    await vi.advanceTimersByTimeAsync(1900);
    expect(entry()).toMatchObject({ rate: 3, candidates: 14, epochs: 2 });
    await worker.close();
  });

  test.each([
    ["another version", { wire: "0.0.1/1", fence: 1, version: 0, job: "{}" }],
    ["nothing of ours", { hello: "world" }],
    ["nothing at all", null],
  ])("refuses a job of %s", async (_, data) => {
    const digest = putStudy("a");
    const { worker, told } = await begin();
    await expect(server.deliver(queueOf(digest), "x", data)).rejects.toThrow(
      "not a job of this version",
    );
    expect(told[1]).toBe(`refused job x of study ${digest.slice(0, 8)}: it is not ours`);
    await expect(server.deliver("ndvm:q:populations", "x", data)).rejects.toThrow(
      "not a part of this version",
    );
    await worker.close();
  });

  test("refuses what it cannot run, each once, and joins the rest", async () => {
    const old = putStudy("old", 1, "0.0.1/1");
    const changed = putStudy("changed");
    server.strings.set(`ndvm:study:${changed}`, { value: encode("{}"), until: undefined });
    const broken = putStudy("broken");
    server.strings.set(`ndvm:study:${broken}`, { value: Buffer.from("x"), until: undefined });
    const gone = putStudy("gone");
    server.strings.delete(`ndvm:study:${gone}`);
    server.hashes.get("ndvm:studies")?.set("odd", Buffer.from("no entry"));
    const good = putStudy("good");
    const { worker, told } = await begin();
    await vi.advanceTimersByTimeAsync(500);
    expect(told).toHaveLength(4);
    expect(told[0]).toContain(`refused study ${old.slice(0, 8)} of h: it is of version 0.0.1/1`);
    expect(told[1]).toBe(
      `refused study ${changed.slice(0, 8)}: its options are not what they were`,
    );
    expect(told[2]).toMatch(`could not join study ${broken.slice(0, 8)}, and will try again: `);
    expect(told[3]).toBe(`joined study ${good.slice(0, 8)} of h (target good)`);
    // It appears after all.
    server.strings.set(`ndvm:study:${gone}`, {
      value: encode(textOf({ target: "gone" })),
      until: undefined,
    });
    await vi.advanceTimersByTimeAsync(100);
    expect(told[4]).toBe(`joined study ${gone.slice(0, 8)} of h (target gone)`);
    await worker.close();
  });

  test("leaves studies that have ended, and joins again under another coordinator", async () => {
    const ended = putStudy("ended");
    const taken = putStudy("taken");
    const { worker, told } = await begin();
    for (const name of ["meta", "stalled-check"]) server.lists.set(`${queueOf(ended)}:${name}`, []);
    server.lists.set(`${queueOf(taken)}:meta`, []);
    server.hashes.get("ndvm:studies")?.delete(ended);
    putStudy("taken", 2);
    await vi.advanceTimersByTimeAsync(100);
    expect(told.slice(2)).toEqual([
      `left study ${ended.slice(0, 8)}`,
      `left study ${taken.slice(0, 8)}`,
      `joined study ${taken.slice(0, 8)} of h (target taken)`,
    ]);
    expect(asked.filter((each) => each === "dispose")).toHaveLength(2);
    expect(server.keys().filter((key) => key.startsWith("ndvm:q"))).toEqual([
      `${queueOf(taken)}:meta`,
    ]);
    await worker.close();
  });

  test("has a name of its own, also beside another in the same process", async () => {
    const [one, other] = [await begin(), await begin()];
    expect(one.worker.id).toMatch(new RegExp(`-${process.pid}-[0-9a-f]{8}$`));
    expect(other.worker.id).not.toBe(one.worker.id);
    for (const { worker } of [one, other]) await worker.close();
  });

  test("that is closed leaves its studies, its entry and its connection, once", async () => {
    putStudy("a");
    const { worker, told, entry } = await begin();
    await worker.close();
    await worker.close();
    expect([entry(), open(), server.clients[0]?.isEnded]).toEqual([undefined, [], true]);
    // Nothing keeps the process from its end.
    expect(vi.getTimerCount()).toBe(0);
    expect(told).toHaveLength(2);
    expect(asked.at(-1)).toBe("dispose");
    server.hashes.clear();
    await vi.advanceTimersByTimeAsync(1000);
    expect(server.hashes.size).toBe(0);
  });

  test("that is closed while Redis is away asks nothing of it any more", async () => {
    putStudy("a");
    const { worker, told } = await begin();
    server.clients[0]?.emit("close");
    server.log.length = 0;
    const [...keys] = server.hashes.get("ndvm:workers")?.keys() ?? [];
    await worker.close();
    expect(server.log).toEqual([]);
    expect([...(server.hashes.get("ndvm:workers")?.keys() ?? [])]).toEqual(keys);
    expect([keys.length, told.length, open(), server.clients[0]?.isEnded]).toEqual([
      1,
      3,
      [],
      true,
    ]);
  });

  test("that is closed while it looks waits for the look, and joins nothing any more", async () => {
    const { worker, told } = await begin();
    putStudy("a");
    const [redis] = server.clients;
    const get = redis?.getBuffer.bind(redis) as FakeRedis["getBuffer"];
    let go = (): void => {};
    (redis as FakeRedis).getBuffer = async (key) => {
      await new Promise<void>((resolve) => {
        go = resolve;
      });
      return get(key);
    };
    await vi.advanceTimersByTimeAsync(100);
    let isClosed = false;
    const closing = worker.close().then(() => {
      isClosed = true;
    });
    await vi.advanceTimersByTimeAsync(10);
    expect([isClosed, redis?.isEnded]).toEqual([false, false]);
    go();
    await closing;
    expect([told, open(), server.hashes.has("ndvm:workers")]).toEqual([[], [], false]);
  });

  test("waits for a Redis that went away, and says so once each way", async () => {
    const digest = putStudy("a");
    const { worker, told } = await begin();
    const [redis] = server.clients;
    redis?.emit("ready");
    redis?.emit("close");
    redis?.emit("close");
    server.hashes.get("ndvm:studies")?.delete(digest);
    await vi.advanceTimersByTimeAsync(1000);
    expect(told.slice(1)).toEqual(["the Redis at redis://host does not answer: waiting for it"]);
    redis?.emit("ready");
    redis?.emit("ready");
    await vi.advanceTimersByTimeAsync(100);
    expect(told.slice(2)).toEqual([
      "the Redis at redis://host answers again",
      `left study ${digest.slice(0, 8)}`,
    ]);
    await worker.close();
  });

  test("tells a look that failed once, and goes on", async () => {
    const { worker, told, entry } = await begin();
    server.refusals.push(new Error("BUSY"), new Error("BUSY"));
    await vi.advanceTimersByTimeAsync(200);
    expect(told).toEqual(["could not look for studies, and will try again: BUSY"]);
    await vi.advanceTimersByTimeAsync(100);
    expect(entry()?.seen).toBe(NOW + 300);
    await worker.close();
  });
});

describe("a population", () => {
  /** Runs a call, its parts in the order that is asked for. */
  async function populate(lanes: number, order: (ids: string[]) => string[] = (ids) => ids) {
    vi.useRealTimers();
    const machine = await Machine.create();
    const { worker } = await begin();
    const program = machine.load("(vec (* a k n) (+ a (dot v w)))");
    const a = Float64Array.from({ length: lanes }, (_, i) => 1 + i);
    const w = Array.from({ length: lanes }, (_, i) => vec([i, 1]));
    const inputs = { a, k: -0.25, n: int(3), v: vec([1, 2]), w };
    const options = { wrt: ["a", "k", "w"], seed: 2 };
    const call = clusterGradient(address, program, inputs, options);
    for (let i = 0; i < 20; i++) await Promise.resolve();
    const parts = server.jobs("ndvm:q:populations");
    expect(parts.map(({ id }) => id.split("-").at(-1))).toEqual(
      Array.from({ length: Math.ceil(lanes / 8192) }, (_, index) => String(index)),
    );
    for (const { opts } of parts)
      expect(opts).toMatchObject({ attempts: 8, removeOnComplete: true, removeOnFail: true });
    // We have looked at the version of Redis ourselves, and in our own words.
    for (const given of server.options.filter((each) => "prefix" in each))
      expect(given).toMatchObject({ prefix: "ndvm:q", skipVersionCheck: true });
    for (const id of order(parts.map(({ id }) => id)))
      await server.deliver("ndvm:q:populations", id);
    const ours = await call;
    const alone = program.gradient(inputs, options);
    expect([ours.lanes, ours.shape]).toEqual([lanes, [2]]);
    expect(ours.values).toEqual(alone.values);
    for (const name of options.wrt) expect(ours.gradients[name]).toEqual(alone.gradients[name]);
    expect(server.keys()).toEqual(["ndvm:workers"]);
    await worker.close();
    machine.dispose();
  }

  test.each([1, 8191, 8192, 8193])("of %i lanes has the bits of one machine", (lanes) =>
    populate(lanes),
  );

  test("is put together in order, whoever was first", () =>
    populate(17_000, (ids) => ids.reverse()));

  test("runs on machines like its own, which are let go of with the worker, as programs are at once", async () => {
    vi.useRealTimers();
    const open = { machines: 0, programs: 0 };
    const watched = <T extends { dispose(): void }>(one: T, kind: keyof typeof open): T => {
      open[kind] += 1;
      const dispose = one.dispose.bind(one);
      one.dispose = () => {
        open[kind] -= 1;
        dispose();
      };
      return one;
    };
    const own = [await Machine.create(), await Machine.create({ precision: "f32" })] as const;
    const create = Machine.create.bind(Machine);
    const spy = vi.spyOn(Machine, "create").mockImplementation(async (...given) => {
      const machine = watched(await create(...given), "machines");
      const load = machine.load.bind(machine);
      machine.load = (...what) => watched(load(...what), "programs");
      return machine;
    });
    const { worker } = await begin();
    const programs = [
      own[0].load("(sqrt (/ a 3))"),
      own[1].load("(sqrt (/ a 3))"),
      own[0].load("(sqrt (/ a 3))", { domain: "clamp" }),
      own[1].load("(* a max)", { inputs: ["max"] }),
    ];
    for (const program of programs) {
      const inputs = { a: [2, -7], ...(program.inputs.includes("max") ? { max: 5 } : {}) };
      const call = clusterGradient(address, program, inputs, { wrt: ["a"] });
      for (let i = 0; i < 20; i++) await Promise.resolve();
      const [{ id = "" } = {}] = server.jobs("ndvm:q:populations");
      await server.deliver("ndvm:q:populations", id);
      const { values, gradients } = program.gradient(inputs, { wrt: ["a"] });
      expect(await call).toMatchObject({ values, gradients });
    }
    expect(open).toEqual({ machines: 2, programs: 0 });
    await worker.close();
    expect(open).toEqual({ machines: 0, programs: 0 });
    spy.mockRestore();
    for (const machine of own) machine.dispose();
  });

  /** What a call comes to on a worker, and what one machine makes of it. */
  async function compare(source: string, inputs: Inputs, options: GradientOptions) {
    vi.useRealTimers();
    const machine = await Machine.create();
    const { worker } = await begin();
    const program = machine.load(source, { file: "p.scm" });
    const settle = (work: Promise<Partial<GradientResult>>) =>
      work.catch((error: unknown) => error as NdvmError);
    const ours = settle(clusterGradient(address, program, inputs, options));
    for (let i = 0; i < 20; i++) await Promise.resolve();
    for (const { id } of server.jobs("ndvm:q:populations"))
      await server.deliver("ndvm:q:populations", id);
    const found = await ours;
    const alone = await settle((async () => program.gradient(inputs, options))());
    await worker.close();
    return { found, alone, dispose: () => machine.dispose() };
  }

  const many = (lanes: number) => Float64Array.from({ length: lanes }, (_, i) => Math.sin(i) / 3);

  test.each([true, ["k"], ["k", "v"]])(
    "whose gradients are to be summed (%j) had a sum of each part",
    async (reduce) => {
      const inputs = { a: many(20_000), k: 0.3, v: vec([1, 2]) };
      const source = "(* a (exp (* k (dot v v))))";
      const { found, alone, dispose } = await compare(source, inputs, { reduce });
      expect(found).toMatchObject({ gradients: (alone as GradientResult).gradients });
      expect(found).toMatchObject({ reduced: (alone as GradientResult).reduced });
      dispose();
    },
  );

  test.each([1, 3, 9000])("of %i lanes that share all inputs told of one lane", async (lanes) => {
    for (const reduce of [false, true]) {
      const { found, alone, dispose } = await compare("(* a b)", { a: 2, b: 3 }, { lanes, reduce });
      const { values, gradients } = alone as GradientResult;
      expect(found).toMatchObject({ lanes, values, gradients });
      dispose();
    }
  });

  test.each([
    ["fail in two parts", (lane: number) => lane === 5 || lane === 8192 || lane === 19_999],
    ["fail as a whole part", (lane: number) => lane >= 8192 && lane < 16_384],
    ["all fail", () => true],
  ])("did not tell of its lanes that %s", async (_, fails) => {
    const a = Float64Array.from({ length: 20_000 }, (_, lane) => (fails(lane) ? 9 : lane % 2));
    const source = "(if (> a 5) (list-ref (list k k) 7) (* k a))";
    const { found, alone, dispose } = await compare(source, { a, k: 3 }, { reduce: ["k"] });
    if (alone instanceof Error) {
      const { code, message, help, span, facts, file, text } = alone as NdvmError & {
        text: string;
      };
      expect(found).toMatchObject({ code, message, help, span, facts, file });
      expect(text).toBeUndefined();
    } else {
      const { values, shape, gradients, reduced, failures = [] } = alone;
      expect(found).toMatchObject({ lanes: 20_000, values, shape, gradients, reduced });
      const told = (all: GradientResult["failures"]) =>
        all.map(({ lane, error: { code, span, file } }) => ({ lane, code, span, file }));
      expect(failures.length).toBeGreaterThan(0);
      expect(told((found as GradientResult).failures)).toEqual(told(failures));
    }
    dispose();
  });

  test.each([
    ["first", (lane: number) => lane < 8192],
    ["middle", (lane: number) => lane >= 8192 && lane < 16_384],
    ["last", (lane: number) => lane >= 16_384],
  ])(
    "of vectors of which a whole part fails, the %s, keeps every lane in its place",
    async (_, fails) => {
      const a = Float64Array.from({ length: 20_000 }, (_, lane) => (fails(lane) ? -1 : 1 + lane));
      const source = "(if (< a 0) (car a) (vec a (* 2 a) (* a a)))";
      const { found, alone, dispose } = await compare(source, { a }, { seed: 1 });
      const { values, shape, gradients } = alone as GradientResult;
      expect(shape).toEqual([3]);
      expect(found).toMatchObject({ lanes: 20_000, values, shape, gradients });
      dispose();
    },
  );

  test("whose parts have other shapes had the first one's", async () => {
    const a = Float64Array.from({ length: 9000 }, (_, lane) => (lane < 8192 ? 1 : -1));
    const source = "(if (> a 0) (vec a a) (vec a a a))";
    const { found, alone, dispose } = await compare(source, { a }, { seed: 1 });
    expect(alone).toMatchObject({ code: "E-RESULT" });
    expect(found).toMatchObject({ code: "E-RESULT", facts: { reason: "structure" } });
    dispose();
  });

  test("of no lanes came to nothing", async () => {
    const { found, alone, dispose } = await compare("(* a a)", { a: [] }, {});
    const { code, message } = alone as NdvmError;
    expect(found).toMatchObject({ code, message });
    dispose();
  });

  test("is refused where it cannot be cut, before anything is asked of Redis", async () => {
    const machine = await Machine.create();
    const program = machine.load("(* a b)");
    const call = (inputs: object, options: object = {}) =>
      clusterGradient(address, program, inputs as never, options);
    await expect(call({ a: [1, 2], b: [1, 2, 3] })).rejects.toMatchObject({
      message: "input b has 3 lanes, not 2",
      facts: { names: ["b"], limit: 2, value: 3 },
    });
    await expect(call({ a: { kind: "over" }, b: 1 })).rejects.toMatchObject({
      message: "input a varies over axes",
      facts: { names: ["a"] },
    });
    await expect(call({ a: [1, 2], b: 1 }, { lanes: 3 })).rejects.toMatchObject({
      message: "input a has 2 lanes, not 3",
    });
    for (const lanes of [0, -1, 1.5, Number.NaN, 2 ** 24 + 1, "3"])
      await expect(call({ a: 1, b: 1 }, { lanes })).rejects.toMatchObject({
        ...{ code: "E-OPTION", facts: { option: "lanes" } },
      });
    await expect(call({ a: 1, b: 1 }, { seed: [1] })).rejects.toMatchObject({
      ...{ code: "E-OPTION", facts: { option: "seed" } },
    });
    expect(server.clients).toEqual([]);
    machine.dispose();
  });

  test("whose program fails tells its error, and takes back what waits", async () => {
    vi.useRealTimers();
    const machine = await Machine.create();
    const { worker } = await begin();
    const program = machine.load("(* a b)");
    const call = clusterGradient(address, program, { a: Float64Array.of(...Array(9000).fill(1)) });
    call.catch(() => {});
    for (let i = 0; i < 20; i++) await Promise.resolve();
    const [first] = server.jobs("ndvm:q:populations");
    expect(server.jobs("ndvm:q:populations")).toHaveLength(2);
    // Something that came twice, and is never taken.
    server.lists.set(`ndvm:population:${first?.id.slice(0, 36)}`, [encode({ index: 0 })]);
    await server.deliver("ndvm:q:populations", first?.id ?? "");
    const alone = (() => {
      try {
        program.gradient({ a: 1 } as never);
      } catch (error) {
        return error as { code: string; message: string; help: string };
      }
      throw new Error("it ran");
    })();
    const { code, message, help } = alone;
    await expect(call).rejects.toMatchObject({ code, message, help });
    expect(server.keys()).toEqual(["ndvm:workers"]);
    await worker.close();
    machine.dispose();
  });

  test("whose part was given up waited for ever", async () => {
    const machine = await Machine.create();
    const { worker } = await begin();
    const call = clusterGradient(address, machine.load("(* a a)"), { a: many(9000) });
    call.catch(() => {});
    await vi.advanceTimersByTimeAsync(10);
    const [first, second] = server.jobs("ndvm:q:populations");
    await vi.advanceTimersByTimeAsync(60_000);
    // A job that is there is waited for, and so is a result whose job has just gone.
    await server.deliver("ndvm:q:populations", first?.id ?? "");
    await vi.advanceTimersByTimeAsync(60_000);
    expect(server.jobs("ndvm:q:populations")).toHaveLength(1);
    server.queues.get("ndvm:q:populations")?.delete(second?.id ?? "");
    await vi.advanceTimersByTimeAsync(3000);
    await expect(call).rejects.toMatchObject({
      ...{ code: "E-WORKER", message: "nobody could run the lanes from 8192 on" },
      facts: { attempts: 8 },
    });
    await worker.close();
    expect(server.keys()).toEqual([]);
    machine.dispose();
  });

  test("that is aborted while it waits ends, and takes back what waits", async () => {
    const machine = await Machine.create();
    const aborter = new AbortController();
    const call = clusterGradient(
      address,
      machine.load("(* a a)"),
      { a: 1 },
      { signal: aborter.signal },
    );
    call.catch(() => {});
    await vi.advanceTimersByTimeAsync(1500);
    expect(server.jobs("ndvm:q:populations")).toHaveLength(1);
    aborter.abort();
    await vi.advanceTimersByTimeAsync(600);
    await expect(call).rejects.toMatchObject({ code: "E-ABORTED" });
    expect(server.keys()).toEqual([]);
    expect(server.clients.every(({ isEnded }) => isEnded)).toBe(true);
    machine.dispose();
  });
});

describe("the status", () => {
  test("names workers with a sign of life, studies and what waits for them", async () => {
    const digest = putStudy("a", 3);
    server.hashes.get("ndvm:studies")?.set("odd", Buffer.from("no entry"));
    const jobOf = (id: string, isFailed: boolean) =>
      [id, { id, data: 0, opts: {}, isFailed }] as const;
    server.queues.set(
      queueOf(digest),
      new Map([jobOf("1", false), jobOf("2", true), jobOf("3", false)]),
    );
    const entry = (seen: number, rate: number) =>
      Buffer.from(JSON.stringify({ wire: WIRE_VERSION, host: "h", seen, rate }));
    server.hashes.set(
      "ndvm:workers",
      new Map([
        ["now", entry(NOW - 2500, 3)],
        ["ahead", entry(NOW + 9000, 4)],
        ["last", entry(NOW - 30_000, 5)],
        ["gone", entry(NOW - 30_001, 6)],
        ["odd", Buffer.from("no entry")],
      ]),
    );
    const found = await clusterStatus(address);
    expect([found.address, found.namespace, found.rate]).toEqual(["redis://host", "ndvm", 12]);
    expect(found.workers.map(({ id, silent, rate }) => [id, silent, rate])).toEqual([
      ["now", 2.5, 3],
      ["ahead", 0, 4],
      ["last", 30, 5],
    ]);
    expect(found.studies).toMatchObject([
      { digest, target: "a", fence: 3, waiting: 2, failed: 1, active: 7, delayed: 0 },
    ]);
    expect([...(server.hashes.get("ndvm:workers")?.keys() ?? [])]).toEqual([
      "now",
      "ahead",
      "last",
    ]);
    expect(server.clients[0]?.isEnded).toBe(true);
    expect(server.options.at(-1)).toMatchObject({ skipVersionCheck: true, skipMetasUpdate: true });
    expect(server.log.at(-1)).toBe(`close ${queueOf(digest)}`);
  });
});
