/**
 * What can be wrong with a cluster is told in words, without passwords, and nothing is lost.
 */

import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Machine, NdvmError, vec } from "@ndvm/core";
import { search } from "@ndvm/search";
import { Queue } from "bullmq";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { decode, encode, parse, textOf } from "../src/codec.js";
import { openCluster } from "../src/index.js";
import { WIRE_VERSION } from "../src/wire.js";
import { clusterAt, exportOf, freePort, RedisServer, study, WorkerProcess } from "./support.js";

const refusalOf = async (work: Promise<unknown>): Promise<NdvmError> => {
  const error = await work.then(
    () => undefined,
    (caught: unknown) => caught,
  );
  if (error instanceof NdvmError) return error;
  throw new Error(`not refused: ${String(error)}`);
};

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "ndvm-cluster-bad-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A Redis that answers INFO as it is told, and everything else with OK. */
async function pretender(info: string): Promise<{ url: string; server: Server }> {
  const port = await freePort();
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", (data) => {
      const body = `${info}\r\n`;
      for (const command of data.toString().split(/(?=\*\d+\r\n)/)) {
        const isInfo = /\r\ninfo\r\n/i.test(command);
        socket.write(isInfo ? `$${body.length}\r\n${body}\r\n` : "+OK\r\n");
      }
    });
  });
  await new Promise<void>((ready) => server.listen(port, "127.0.0.1", ready));
  return { url: `redis://127.0.0.1:${port}`, server };
}

describe("addresses", () => {
  test.each([
    ["nothing at all", { url: "" }, "address"],
    ["another kind of server", { url: "http://host:6379" }, "address"],
    ["no address", { url: "host port" }, "address"],
    ["a namespace that keys cannot have", { url: "redis://host", namespace: "a:b" }, "namespace"],
  ])("%s is refused", (_, options, reason) => {
    const saved = process.env["NDVM_CLUSTER"];
    delete process.env["NDVM_CLUSTER"];
    try {
      openCluster(options);
      throw new Error("not refused");
    } catch (error) {
      expect(error).toMatchObject({ code: "E-CLUSTER", facts: { reason } });
    } finally {
      if (saved !== undefined) process.env["NDVM_CLUSTER"] = saved;
    }
  });

  test("nobody there is told with the address and without the password", async () => {
    const url = `redis://:s3cret@127.0.0.1:${await freePort()}`;
    const error = await refusalOf(openCluster({ url }).status());
    expect(error).toMatchObject({ code: "E-CLUSTER", facts: { reason: "unreachable" } });
    expect(JSON.stringify([error.message, error.help])).not.toContain("s3cret");
    expect(openCluster({ url }).address).not.toContain("s3cret");
  });

  test("a wrong password and a missing one are told", async () => {
    const server = await RedisServer.start("--requirepass", "right");
    try {
      for (const given of ["", ":wrong@"]) {
        const url = `redis://${given}127.0.0.1:${server.port}`;
        const error = await refusalOf(openCluster({ url }).status());
        expect(error.facts.reason).toBe("password");
        expect(error.message).not.toContain("wrong");
      }
      const url = `redis://:right@127.0.0.1:${server.port}`;
      expect((await openCluster({ url }).status()).workers).toEqual([]);
    } finally {
      await server.dispose();
    }
  });

  test("a Redis that is too old is told, with its version", async () => {
    const { url, server } = await pretender("redis_version:5.0.14");
    const error = await refusalOf(openCluster({ url }).status());
    expect(error.facts).toMatchObject({ reason: "old", actual: "5.0.14" });
    server.close();
  });

  const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;
  const name = "a Redis behind TLS is reached with its certificate, and refused without";
  test.skipIf(!hasOpenssl)(hasOpenssl ? name : `${name} [not run: no openssl here]`, async () => {
    const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
    const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
    const files = ["-keyout", key, "-out", cert, "-days", "2"];
    execFileSync(
      "openssl",
      ["req", "-x509", "-newkey", "rsa:2048", "-nodes", ...files, ...subject],
      {
        stdio: "ignore",
      },
    );
    const port = await freePort();
    const server = await RedisServer.start(
      ...["--tls-port", String(port), "--tls-cert-file", cert, "--tls-key-file", key],
      ...["--tls-ca-cert-file", cert, "--tls-auth-clients", "no"],
    );
    try {
      const url = `rediss://localhost:${port}`;
      const refused = await refusalOf(openCluster({ url }).status());
      expect(refused.facts.reason).toBe("unreachable");
      const tls = { ca: readFileSync(cert), servername: "localhost" };
      expect((await openCluster({ url, tls }).status()).address).toBe(url);
    } finally {
      await server.dispose();
    }
  });

  test("a Redis that throws keys away when it is full is refused", async () => {
    const server = await RedisServer.start(
      "--maxmemory",
      "100mb",
      "--maxmemory-policy",
      "allkeys-lru",
    );
    try {
      const error = await refusalOf(clusterAt(server.url).status());
      expect(error.facts).toMatchObject({ reason: "eviction", actual: "allkeys-lru" });
    } finally {
      await server.dispose();
    }
  });
});

describe("a cluster in trouble", () => {
  test("a full Redis is waited for, and nothing is lost", async () => {
    const server = await RedisServer.start();
    const admin = new Redis(server.port, "127.0.0.1");
    const worker = new WorkerProcess(server.url);
    try {
      const file = join(folder, "full.db");
      const warnings: string[] = [];
      let isFull = false;
      for await (const event of search(study(file, 300), clusterAt(server.url).hooks())) {
        if (event.type === "warning") {
          warnings.push(event.message);
          if (event.message.includes("is full")) await admin.config("SET", "maxmemory", "0");
        }
        if (event.type === "candidate" && !isFull) {
          isFull = true;
          await admin.config("SET", "maxmemory", "1");
          setTimeout(() => void admin.config("SET", "maxmemory", "0"), 1500);
        }
      }
      const alone = join(folder, "full-alone.db");
      for await (const _event of search({ ...study(alone, 300), workers: 0 }));
      expect(exportOf(file)).toBe(exportOf(alone));
    } finally {
      admin.disconnect();
      await worker.end();
      await server.dispose();
    }
  });

  test("a study of another version is refused by workers, in words", async () => {
    const server = await RedisServer.start();
    const redis = new Redis(server.port, "127.0.0.1");
    try {
      const entry = { wire: "9.9.9/9", fence: 1, host: "elsewhere", target: "y" };
      await redis.hset("ndvm:studies", "0123456789abcdef", JSON.stringify(entry));
      const told: string[] = [];
      const worker = await clusterAt(server.url).worker({ tell: (message) => told.push(message) });
      await worker.close();
      expect(told.join("\n")).toContain("refused study 01234567 of elsewhere");
      expect(told.join("\n")).toContain("9.9.9/9");
    } finally {
      redis.disconnect();
      await server.dispose();
    }
  });

  test("a study that cannot be read is told, and keeps no worker from the others", async () => {
    const server = await RedisServer.start();
    const redis = new Redis(server.port, "127.0.0.1");
    try {
      const entry = { wire: WIRE_VERSION, fence: 1, host: "elsewhere", target: "y" };
      await redis.hset("ndvm:studies", "0123456789abcdef", JSON.stringify(entry));
      await redis.set("ndvm:study:0123456789abcdef", "not packed");
      const told: string[] = [];
      const cluster = clusterAt(server.url);
      const worker = await cluster.worker({ tell: (message) => told.push(message) });
      const file = join(folder, "beside-broken.db");
      for await (const _event of search(study(file, 64), cluster.hooks()));
      await worker.close();
      expect(told.filter((each) => each.startsWith("could not join study 01234567"))).toHaveLength(
        1,
      );
      expect(told.some((each) => each.startsWith("joined study"))).toBe(true);
    } finally {
      redis.disconnect();
      await server.dispose();
    }
  });

  test("a job that is not ours is refused, and the study ends as it should", async () => {
    const server = await RedisServer.start();
    const worker = new WorkerProcess(server.url);
    try {
      const file = join(folder, "foreign.db");
      let isPlanted = false;
      for await (const event of search(study(file, 300), clusterAt(server.url).hooks())) {
        if (event.type !== "candidate" || isPlanted) continue;
        isPlanted = true;
        const [digest = ""] = (await clusterAt(server.url).status()).studies.map((s) => s.digest);
        const connection = { host: "127.0.0.1", port: server.port };
        const queue = new Queue(digest, { prefix: "ndvm:q", connection });
        await queue.add("epoch", { hello: "world" });
        await queue.close();
      }
      const alone = join(folder, "foreign-alone.db");
      for await (const _event of search({ ...study(alone, 300), workers: 0 }));
      expect(exportOf(file)).toBe(exportOf(alone));
      expect(isPlanted).toBe(true);
    } finally {
      await worker.end();
      await server.dispose();
    }
  });
});

describe("populations", () => {
  test("have the bits of one machine, and errors come back", async () => {
    const server = await RedisServer.start();
    const workers = [new WorkerProcess(server.url), new WorkerProcess(server.url)];
    const machine = await Machine.create({ precision: "f32" });
    try {
      const cluster = clusterAt(server.url);
      const program = machine.load("(* a (exp (* k (dot v v))))");
      const a = Float64Array.from({ length: 20_000 }, (_, i) => 1 + i / 7);
      const inputs = { a, k: -0.25, v: vec([1, 2]) };
      const ours = await cluster.gradient(program, inputs, { wrt: ["a", "k"] });
      const alone = program.gradient(inputs, { wrt: ["a", "k"] });
      expect(ours.values).toEqual(alone.values);
      expect(ours.gradients["k"]).toEqual(alone.gradients["k"]);
      const wrong = await refusalOf(cluster.gradient(program, { a, k: 1 }));
      expect(wrong.code).toBe("E-INPUT");
    } finally {
      machine.dispose();
      for (const worker of workers) await worker.end();
      await server.dispose();
    }
  });
});

describe("the codec", () => {
  test("gives back numbers of every kind, and names of every kind", () => {
    const value = {
      numbers: Float64Array.of(0, -0, Number.NaN, Infinity, 5e-324),
      words: Uint32Array.of(0, 2 ** 32 - 1),
      plain: [Number.NaN, -Infinity, 1, "x", null, true],
      ["__proto__x"]: { $f64: { $f64: "not base64 of ours" } },
    };
    expect(decode(encode(value))).toEqual(value);
    expect(Object.is((decode(encode(value)) as typeof value).numbers[1], -0)).toBe(true);
    expect(parse(textOf({ a: 1 }))).toEqual({ a: 1 });
    // JSON loses the sign of a zero that stands by itself, such as a constant of a model.
    expect(Object.is((decode(encode({ p0: -0 })) as { p0: number }).p0, -0)).toBe(true);
  });
});
