/**
 * `ndvm search --cluster`, `ndvm worker` and `ndvm cluster` as processes.
 */

import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { exportOf, freePort, RedisServer } from "./support.js";

const ndvm = resolve(import.meta.dirname, "../../cli/bin/ndvm.js");

interface Said {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function run(args: readonly string[], env: Record<string, string> = {}): Promise<Said> {
  const options = { env: { ...process.env, ...env } };
  return new Promise((done) => {
    execFile(process.execPath, [ndvm, ...args], options, (error, stdout, stderr) => {
      done({ code: typeof error?.code === "number" ? error.code : 0, stdout, stderr });
    });
  });
}

let folder: string;
let server: RedisServer;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "ndvm-cluster-command-"));
  const rows = Array.from({ length: 30 }, (_, i) => `${i / 10},${3 * Math.sin(i / 10) + 1}`);
  writeFileSync(join(folder, "data.csv"), ["x,y", ...rows].join("\n"));
  server = await RedisServer.start("--requirepass", "s3cret");
});
afterAll(async () => {
  await server.dispose();
  rmSync(folder, { recursive: true, force: true });
});

const searchArgs = (out: string): string[] => [
  ...["search", "--data", join(folder, "data.csv"), "--target", "y", "--candidates", "300"],
  ...["--epoch", "32", "--seed", "4", "--quiet", "--out", out],
];

const urlWithPassword = () => `redis://:s3cret@127.0.0.1:${server.port}`;

async function ended(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null) await new Promise((closed) => child.on("close", closed));
  return child.exitCode;
}

describe("the commands of a cluster", () => {
  test("search over two worker processes as on this computer, and hide the password", async () => {
    const url = urlWithPassword();
    const workers = spawn(process.execPath, [ndvm, "worker", "--cluster", "--workers", "2"], {
      env: { ...process.env, NDVM_CLUSTER: url },
      stdio: ["ignore", "ignore", "pipe"],
    });
    let said = "";
    workers.stderr.on("data", (chunk: Buffer) => {
      said += chunk.toString();
    });
    const far = join(folder, "far.db");
    const near = join(folder, "near.db");
    // Without workers the search would wait for ever: that they ended is the failure then.
    const search = await Promise.race([
      run([...searchArgs(far), "--cluster", url]),
      ended(workers).then((code) => expect.fail(`the workers ended with ${code}: ${said}`)),
    ]);
    expect(search.stderr).not.toContain("s3cret");
    expect(search.code).toBe(0);
    expect((await run([...searchArgs(near), "--workers", "0"])).code).toBe(0);
    expect(exportOf(far)).toBe(exportOf(near));
    expect(readFileSync(far).includes("s3cret")).toBe(false);

    const shown = await run(["cluster", "--json"], { NDVM_CLUSTER: url });
    const status = JSON.parse(shown.stdout) as { workers: unknown[]; studies: unknown[] };
    expect(status.workers).toHaveLength(2);
    expect(status.studies).toEqual([]);
    const words = await run(["cluster"], { NDVM_CLUSTER: url });
    expect(words.stdout).toContain("2 workers, 0 studies");
    workers.kill("SIGTERM");
    expect(await ended(workers)).toBe(0);
    expect(said).toContain("joined study");
    expect(said).not.toContain("s3cret");
  });

  test("without a Redis there is an error that says so, and exit code 2", async () => {
    const url = `redis://127.0.0.1:${await freePort()}`;
    for (const args of [["worker"], ["cluster"], searchArgs(join(folder, "never.db"))]) {
      const { code, stderr } = await run([...args, "--cluster", url]);
      expect(stderr).toContain("E-CLUSTER");
      expect(stderr).toContain(url);
      expect(code).toBe(2);
    }
    const { stderr } = await run(["worker"], { NDVM_CLUSTER: "" });
    expect(stderr).toContain("NDVM_CLUSTER");
  });
});
