/**
 * Kills a search with SIGKILL, at moments of chance, again and again. Whatever it had told is in the
 * archive, and the study ends as if nothing had happened.
 *
 *   NDVM_CRASHES=50 SEED=1 npx vitest run packages/search/test/archive/crash.test.ts
 */

import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { Random } from "@ndvm/core";
import { expect, test } from "vitest";
import { openArchive } from "../../src/index.js";
import { expectSame, exported, freshFile } from "../engine/support.js";

const seed = Number(process.env["SEED"] ?? 20261115);
const crashes = Number(process.env["NDVM_CRASHES"] ?? 4);
const candidates = 36 * crashes;
const child = fileURLToPath(new URL("./child.mjs", import.meta.url));

interface Life {
  readonly told: readonly number[];
  readonly isDone: boolean;
}

/** Runs the child until it is done, or kills it some time after it has told so many visits. */
function live(file: string, workers: number, visits: number, delay: number): Promise<Life> {
  return new Promise((resolve, reject) => {
    const process_ = spawn(process.execPath, [child, file, String(candidates), String(workers)], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    let out = "";
    let wrong = "";
    let isDoomed = false;
    const doom = () => {
      if (isDoomed) return;
      isDoomed = true;
      setTimeout(() => process_.kill("SIGKILL"), delay);
    };
    if (visits === 0) doom();
    process_.stderr.on("data", (data: Buffer) => {
      wrong += data.toString();
    });
    process_.stdout.on("data", (data: Buffer) => {
      out += data.toString();
      if (out.split("\n").length > visits) doom();
    });
    process_.on("close", (code, signal) => {
      const lines = out.split("\n").slice(0, -1);
      if (code !== 0 && signal !== "SIGKILL") reject(new Error(`the child failed: ${wrong}`));
      resolve({
        told: lines.filter((text) => text !== "done").map(Number),
        isDone: lines.includes("done"),
      });
    });
  });
}

test(`nothing told is lost and nothing comes twice (SEED=${seed}, NDVM_CRASHES=${crashes})`, async () => {
  const quiet = freshFile();
  const whole = await live(quiet, 0, Number.POSITIVE_INFINITY, 0);
  expect(whole.isDone).toBe(true);
  expect(whole.told).toEqual(Array.from({ length: candidates }, (_, i) => i));

  const chance = new Random(seed);
  let file = freshFile();
  const told: number[] = [];
  let killed = 0;
  for (;;) {
    const isLast = killed === crashes;
    const visits = isLast ? Number.POSITIVE_INFINITY : Math.floor(chance.uniform() * 40);
    const delay = Math.floor(chance.uniform() * (visits === 0 ? 1500 : 40));
    const workers = Math.floor(chance.uniform() * 3);
    const { told: now, isDone } = await live(file, workers, visits, delay);
    told.push(...now);
    if (isDone && killed > 0) break;
    if (isDone) {
      // It was faster than its end: another study.
      file = freshFile();
      told.length = 0;
      continue;
    }
    killed += 1;
    if (told.length === 0) continue;
    const archive = openArchive(file);
    const kept = new Set([...archive.outcomes()].map(({ visit }) => visit));
    archive.close();
    expect(told.filter((visit) => !kept.has(visit))).toEqual([]);
    expect(kept.size).toBe(Math.max(...kept) + 1);
  }
  expect(killed).toBeGreaterThan(0);
  // A visit that was kept but not told before the process died is never told again.
  expect(new Set(told).size).toBe(told.length);
  expect([...told].sort((a, b) => a - b)).toEqual(told);
  expectSame(exported(file), exported(quiet));
  const archive = openArchive(file);
  expect(archive.runs().length).toBeGreaterThan(1);
  archive.close();
});
