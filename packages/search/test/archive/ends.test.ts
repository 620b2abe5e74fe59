/**
 * However a process ends, short of SIGKILL and crashes, its archive is one file afterwards: no lock, no log.
 */

import { spawn } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { basename, dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { takeLock } from "../../src/archive/lock.js";
import { checkArchive, openArchive } from "../../src/index.js";
import { freshFile } from "../engine/support.js";

const script = fileURLToPath(new URL("./ends.mjs", import.meta.url));

interface End {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** Starts a search and, once it has written something, does what ends it. */
function end(file: string, how: string): Promise<End> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [script, file, how], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    child.stdout.once("data", () => {
      if (how.startsWith("SIG")) child.kill(how as NodeJS.Signals);
      else if (how === "listener") child.kill("SIGTERM");
      else if (how === "pipe") {
        child.kill("SIGPIPE");
        child.stdout.destroy();
      }
    });
    child.on("exit", (code, signal) => resolve({ code, signal }));
  });
}

test.each([
  ["SIGTERM", { code: null, signal: "SIGTERM" }],
  ["SIGHUP", { code: null, signal: "SIGHUP" }],
  ["SIGINT", { code: null, signal: "SIGINT" }],
  ["SIGQUIT", { code: null, signal: "SIGQUIT" }],
  ["SIGUSR2", { code: null, signal: "SIGUSR2" }],
  ["SIGALRM", { code: null, signal: "SIGALRM" }],
  ["SIGXCPU", { code: null, signal: "SIGXCPU" }],
  ["listener", { code: 3, signal: null }],
  // SIGPIPE itself is ignored by Node: whoever writes hears of EPIPE.
  ["pipe", { code: 1, signal: null }],
  ["exit", { code: 3, signal: null }],
  ["throw", { code: 1, signal: null }],
  ["late", { code: 1, signal: null }],
  ["return", { code: 0, signal: null }],
])("no lock file stays behind after %s", async (how, wanted) => {
  const file = freshFile();
  expect(await end(file, how)).toEqual(wanted);
  const name = basename(file);
  expect(readdirSync(dirname(file)).filter((each) => each.startsWith(name))).toEqual([name]);
  expect(checkArchive(file)).toMatchObject({ isIntact: true, canResume: true });
  const archive = openArchive(file);
  expect(archive.summary().visits).toBeGreaterThanOrEqual(64);
  archive.close();
});

test.each(["SIGKILL", "SIGABRT"])(
  "the lock file of a process that %s ended stops nobody",
  async (how) => {
    const file = freshFile();
    expect(await end(file, how)).toEqual({ code: null, signal: how });
    expect(existsSync(`${file}-lock`)).toBe(true);
    const lock = takeLock(file);
    lock.release();
    expect(existsSync(`${file}-lock`)).toBe(false);
    const archive = openArchive(file);
    expect(archive.summary().visits).toBeGreaterThanOrEqual(64);
    archive.close();
  },
);
