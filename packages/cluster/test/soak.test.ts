/**
 * Many candidates over Redis: its memory, the coordinator's and the workers' stay flat, nobody's keys
 * are left. 2,000 candidates here; NDVM_CLUSTER_CANDIDATES=1000000 for the long run.
 */

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { search } from "@ndvm/search";
import { Redis } from "ioredis";
import { expect, test } from "vitest";
import { clusterAt, RedisServer, study, WorkerProcess } from "./support.js";

const CANDIDATES = Number(process.env["NDVM_CLUSTER_CANDIDATES"] ?? "2000");
const WORKERS = Number(process.env["NDVM_CLUSTER_WORKERS"] ?? "2");

const residentBytes = (pid: number | "self"): number =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) * 1024;

test("memory of Redis, coordinator and workers stays flat, and the keys go", async () => {
  const folder = mkdtempSync(join(tmpdir(), "ndvm-cluster-soak-"));
  const server = await RedisServer.start();
  const redis = new Redis(server.port, "127.0.0.1");
  const workers = Array.from({ length: WORKERS }, () => new WorkerProcess(server.url));
  const usedByRedis = async (): Promise<number> =>
    Number(/^used_memory:(\d+)/m.exec(await redis.info("memory"))?.[1] ?? 0);
  const samples: { at: number; redis: number; coordinator: number; workers: number }[] = [];
  try {
    const options = {
      ...study(join(folder, "study.db"), CANDIDATES),
      epoch: CANDIDATES > 100_000 ? 1024 : 64,
      slots: 2 * WORKERS,
      keep: "front",
    } as const;
    let next = CANDIDATES / 10;
    for await (const event of search(options, clusterAt(server.url).hooks())) {
      if (event.type !== "progress" || event.counts.candidates < next) continue;
      next += CANDIDATES / 10;
      samples.push({
        at: event.counts.candidates,
        redis: await usedByRedis(),
        coordinator: residentBytes("self"),
        workers: Math.max(...workers.map(({ child }) => residentBytes(child.pid as number))),
      });
    }
    for (const { at, redis: bytes, coordinator, workers: most } of samples)
      console.log(
        `${at}: Redis ${bytes}, coordinator ${coordinator}, largest worker ${most} bytes`,
      );
    expect(samples.length).toBeGreaterThan(1);
    const half = samples[Math.floor(samples.length / 2)] ?? samples[0];
    const last = samples.at(-1);
    const grown = (key: "redis" | "coordinator" | "workers") =>
      (last?.[key] ?? 0) - (half?.[key] ?? 0);
    expect(grown("redis")).toBeLessThan(32e6);
    expect(grown("workers")).toBeLessThan(150e6);
    expect(grown("coordinator")).toBeLessThan(250e6);
    for (const worker of workers) await worker.end("SIGTERM");
    const left = (await server.keys()).filter((key) => !key.startsWith("ndvm:q:populations"));
    expect(left).toEqual(["ndvm:fence"]);
  } finally {
    redis.disconnect();
    for (const worker of workers) await worker.end();
    await server.dispose();
    rmSync(folder, { recursive: true, force: true });
  }
});
