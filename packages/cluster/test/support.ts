/**
 * A redis-server of one's own, worker processes, and a small study, for the suites.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { openArchive, type SearchOptions, search } from "@ndvm/search";
import { Redis } from "ioredis";
import { type Cluster, openCluster } from "../src/index.js";

/** Shorter than by default, so that deaths are noticed soon. */
export const SETTINGS = {
  lockMilliseconds: 3000,
  lookMilliseconds: 300,
  stalledMilliseconds: 1500,
  pollMilliseconds: 100,
};

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const { port } = server.address() as { port: number };
  await new Promise<void>((closed) => server.close(() => closed()));
  return port;
}

export class RedisServer {
  #child: ChildProcess | undefined;

  private constructor(
    readonly port: number,
    private readonly folder: string,
    private readonly args: readonly string[],
  ) {}

  static async start(...args: string[]): Promise<RedisServer> {
    const folder = mkdtempSync(join(tmpdir(), "ndvm-redis-"));
    const server = new RedisServer(await freePort(), folder, args);
    await server.begin();
    return server;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** Starts with nothing in it. */
  async begin(): Promise<void> {
    const fixed = ["--port", String(this.port), "--bind", "127.0.0.1", "--dir", this.folder];
    this.#child = spawn(
      process.env["REDIS_SERVER"] ?? "redis-server",
      [...fixed, "--save", "", "--appendonly", "no", ...this.args],
      { stdio: ["ignore", "pipe", "inherit"] },
    );
    const { stdout } = this.#child;
    await new Promise<void>((ready, failed) => {
      stdout?.on("data", (chunk: Buffer) => {
        if (chunk.toString().includes("Ready to accept connections")) ready();
      });
      this.#child?.on("error", failed);
    });
  }

  async end(): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null) return;
    const gone = new Promise((closed) => child.on("close", closed));
    child.kill("SIGKILL");
    await gone;
  }

  async dispose(): Promise<void> {
    await this.end();
    rmSync(this.folder, { recursive: true, force: true });
  }

  async keys(): Promise<readonly string[]> {
    const redis = new Redis(this.port, "127.0.0.1");
    try {
      return (await redis.keys("*")).sort();
    } finally {
      redis.disconnect();
    }
  }
}

/** A worker in a process of its own. */
export class WorkerProcess {
  readonly child: ChildProcess;
  readonly said: string[] = [];

  constructor(url: string) {
    const script = resolve(import.meta.dirname, "worker.mjs");
    const env = { ...process.env, WORKER_URL: url, WORKER_SETTINGS: JSON.stringify(SETTINGS) };
    this.child = spawn(process.execPath, [script], { env, stdio: ["ignore", "pipe", "inherit"] });
    this.child.stdout?.on("data", (chunk: Buffer) => this.said.push(chunk.toString()));
  }

  async end(signal: NodeJS.Signals = "SIGKILL"): Promise<number | null> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return this.child.exitCode;
    const gone = new Promise((closed) => this.child.on("close", closed));
    this.child.kill(signal);
    await gone;
    return this.child.exitCode;
  }
}

export function study(archive: string, candidates: number): SearchOptions {
  const x = Array.from({ length: 40 }, (_, i) => i / 10);
  return {
    data: { x, y: x.map((each) => 2 * Math.sin(1.3 * each) + each) },
    target: "y",
    seed: 5,
    archive,
    budget: { candidates },
    epoch: 32,
  };
}

export function exportOf(file: string): string {
  const archive = openArchive(file);
  try {
    return [...archive.export()].join("\n");
  } finally {
    archive.close();
  }
}

/** The study's export when one thread runs it. */
export async function aloneExport(folder: string, candidates: number): Promise<string> {
  const file = join(folder, "alone.db");
  for await (const _event of search({ ...study(file, candidates), workers: 0 }));
  return exportOf(file);
}

export const clusterAt = (url: string, namespace?: string): Cluster =>
  openCluster({ url, ...(namespace === undefined ? {} : { namespace }) }, SETTINGS);
