/**
 * Searches over a real redis-server: the same study as one thread's, byte for byte, whoever dies.
 */

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { type SearchDone, type SearchEvent, type SearchOptions, search } from "@ndvm/search";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ClusterWorker, openCluster } from "../src/index.js";
import {
  aloneExport,
  clusterAt,
  exportOf,
  RedisServer,
  SETTINGS,
  study,
  WorkerProcess,
} from "./support.js";

const CANDIDATES = 600;
const KILLS = Number(process.env["NDVM_CLUSTER_KILLS"] ?? "3");

let folder: string;
let expected: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "ndvm-cluster-"));
  expected = await aloneExport(folder, CANDIDATES);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function run(
  url: string,
  options: SearchOptions,
  listen: (event: SearchEvent) => void = () => {},
): Promise<SearchDone> {
  let done: SearchDone | undefined;
  for await (const event of search(options, clusterAt(url).hooks())) {
    listen(event);
    if (event.type === "done") done = event;
  }
  return done as SearchDone;
}

async function withServer(use: (server: RedisServer) => Promise<void>): Promise<void> {
  const server = await RedisServer.start();
  try {
    await use(server);
  } finally {
    await server.dispose();
  }
}

async function withWorkers(
  url: string,
  count: number,
  use: (workers: WorkerProcess[]) => Promise<void>,
): Promise<void> {
  const workers = Array.from({ length: count }, () => new WorkerProcess(url));
  try {
    await use(workers);
  } finally {
    for (const worker of workers) await worker.end();
  }
}

/** Runs a coordinator in a process of its own, and kills it when it has told of so many visits. */
async function runAndKill(url: string, file: string, visits: number): Promise<number> {
  const script = resolve(import.meta.dirname, "coordinator.mjs");
  const options = JSON.stringify({ ...study(file, CANDIDATES), resume: true });
  const env = { ...process.env, COORDINATOR: JSON.stringify({ url, settings: SETTINGS }) };
  const child = spawn(process.execPath, [script, options], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let told = 0;
  child.stdout.on("data", (chunk: Buffer) => {
    for (const line of chunk.toString().trim().split("\n")) told = Math.max(told, Number(line));
    if (told >= visits) child.kill("SIGKILL");
  });
  await new Promise((closed) => child.on("close", closed));
  return told;
}

/** Keys that are left when a study has ended and its workers, too: only the counter of runs. */
const isLeft = (key: string): boolean =>
  key !== "ndvm:fence" && !key.startsWith("ndvm:q:populations");

describe("a search on a cluster", () => {
  test.each([1, 3])("is the study of one thread with %i worker processes", async (count) => {
    await withServer(async (server) => {
      await withWorkers(server.url, count, async (workers) => {
        const file = join(folder, `workers-${count}.db`);
        await run(server.url, study(file, CANDIDATES));
        expect(exportOf(file)).toBe(expected);
        for (const worker of workers) expect(await worker.end("SIGTERM")).toBe(0);
        expect((await server.keys()).filter(isLeft)).toEqual([]);
      });
    });
  });

  test("a worker that looks for stalled jobs after the end leaves no key of the queue", async () => {
    await withServer(async (server) => {
      // It notices the end long after BullMQ made keys of the queue again.
      const settings = { ...SETTINGS, pollMilliseconds: 1e8 };
      const cluster = openCluster({ url: server.url }, settings);
      const queueKeys = async () =>
        (await server.keys()).filter((key) => /:q:[0-9a-f]+:/.test(key));
      let worker: ClusterWorker | undefined;
      for await (const event of search(study(join(folder, "late.db"), CANDIDATES), cluster.hooks()))
        if (event.type === "warning" && event.message.includes("no worker has joined"))
          worker ??= await cluster.worker();
      while ((await queueKeys()).length === 0) await setTimeout(10);
      await worker?.close();
      expect(await queueKeys()).toEqual([]);
    });
  });

  test("is the same study when workers are killed again and again", async () => {
    await withServer(async (server) => {
      await withWorkers(server.url, 2, async (workers) => {
        const file = join(folder, "killed.db");
        let kills = 0;
        let told = 0;
        await run(server.url, study(file, CANDIDATES), (event) => {
          if (event.type !== "candidate") return;
          told += 1;
          if (kills >= KILLS || told % Math.ceil(CANDIDATES / (KILLS + 2)) !== 0) return;
          kills += 1;
          void workers.shift()?.end();
          workers.push(new WorkerProcess(server.url));
        });
        expect(kills).toBe(KILLS);
        expect(exportOf(file)).toBe(expected);
      });
    });
  });

  test("goes on when Redis is restarted empty in the middle, and says so", async () => {
    await withServer(async (server) => {
      await withWorkers(server.url, 1, async () => {
        const file = join(folder, "restarted.db");
        const warnings: string[] = [];
        let restart: Promise<void> | undefined;
        await run(server.url, study(file, CANDIDATES), (event) => {
          if (event.type === "warning") warnings.push(event.message);
          if (event.type === "candidate" && restart === undefined)
            restart = server.end().then(() => server.begin());
        });
        await restart;
        expect(exportOf(file)).toBe(expected);
        expect(warnings.some((message) => message.includes("does not answer"))).toBe(true);
        expect(warnings.some((message) => message.includes("answers again"))).toBe(true);
      });
    });
  });

  test("is resumed after its coordinator has ended", async () => {
    await withServer(async (server) => {
      await withWorkers(server.url, 1, async () => {
        const file = join(folder, "resumed.db");
        const options = study(file, CANDIDATES);
        const ending = new AbortController();
        const first = await run(server.url, { ...options, signal: ending.signal }, (event) => {
          if (event.type === "candidate" && event.outcome.visit > 100) ending.abort();
        });
        expect(first.stopped).toBe("aborted");
        await run(server.url, { ...options, resume: true });
        expect(exportOf(file)).toBe(expected);
      });
    });
  });

  test("goes on after its coordinator was killed, as often as that happens", async () => {
    await withServer(async (server) => {
      await withWorkers(server.url, 1, async () => {
        const file = join(folder, "orphaned.db");
        let deaths = 0;
        for (let from = 0; deaths < KILLS; deaths++) {
          const visits = await runAndKill(server.url, file, from + 60);
          if (visits >= CANDIDATES) break;
          from = visits;
        }
        expect(deaths).toBeGreaterThan(0);
        await run(server.url, { ...study(file, CANDIDATES), resume: true });
        expect(exportOf(file)).toBe(expected);
        expect((await server.keys()).filter(isLeft)).toEqual(["ndvm:workers"]);
      });
    });
  });

  test("has one coordinator: a second one is refused", async () => {
    await withServer(async (server) => {
      const options = study(join(folder, "first.db"), CANDIDATES);
      const first = search(options, clusterAt(server.url).hooks());
      await first.next();
      const second = run(server.url, study(join(folder, "second.db"), CANDIDATES));
      await expect(second).rejects.toMatchObject({
        code: "E-CLUSTER",
        facts: { reason: "coordinator" },
      });
      await first.return(undefined as never);
      expect((await server.keys()).filter(isLeft)).toEqual([]);
    });
  });
});
