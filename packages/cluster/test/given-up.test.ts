/**
 * An epoch that nobody can run: its candidates count as failed, the study goes on and says so.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openArchive, type SearchDone, search } from "@ndvm/search";
import { UnrecoverableError, Worker } from "bullmq";
import { expect, test } from "vitest";
import { clusterAt, RedisServer, study, WorkerProcess } from "./support.js";

test("an epoch that was given up fails its candidates, and the study says so", async () => {
  const folder = mkdtempSync(join(tmpdir(), "ndvm-given-up-"));
  const server = await RedisServer.start();
  const file = join(folder, "study.db");
  let spoiler: Worker<unknown, unknown> | undefined;
  let worker: WorkerProcess | undefined;
  let done: SearchDone | undefined;
  try {
    for await (const event of search(study(file, 300), clusterAt(server.url).hooks())) {
      if (event.type === "done") done = event;
      if (event.type !== "started") continue;
      const [digest = ""] = (await clusterAt(server.url).status()).studies.map((s) => s.digest);
      let isFirst = true;
      // It ends the first epoch for good, and hands the others over to a worker.
      spoiler = new Worker<unknown, unknown>(
        digest,
        async (): Promise<unknown> => {
          if (isFirst) worker = new WorkerProcess(server.url);
          isFirst = false;
          throw new UnrecoverableError("spoilt");
        },
        {
          prefix: "ndvm:q",
          connection: { host: "127.0.0.1", port: server.port },
          limiter: { max: 1, duration: 600_000 },
        },
      );
      spoiler.on("error", () => {});
    }
    expect(done?.counts.candidates).toBe(300);
    expect(done?.warnings.join("\n")).toContain("not reproducible");
    const archive = openArchive(file);
    const lost = [...archive.outcomes()].filter(({ failure }) => failure?.code === "E-WORKER");
    archive.close();
    expect(lost.length).toBeGreaterThan(0);
    expect(lost.length).toBeLessThanOrEqual(32);
    expect(new Set(lost.map(({ round, slot }) => `${round} ${slot}`)).size).toBe(1);
  } finally {
    await spoiler?.close(true);
    await worker?.end();
    await server.dispose();
    rmSync(folder, { recursive: true, force: true });
  }
});
