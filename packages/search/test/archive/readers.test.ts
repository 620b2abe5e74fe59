/**
 * Readers of an archive that is being written. SQLite's last connection to a file takes its log away, and
 * knows the others by their locks. A process loses all its locks on a file when it closes any
 * descriptor of it: a search that looked at the head of its own archive would write to a log that is gone.
 */

import { spawnSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { openArchive, replay, search } from "../../src/index.js";
import { freshFile } from "../engine/support.js";

const reader = fileURLToPath(new URL("./reader.mjs", import.meta.url));
const x = Array.from({ length: 20 }, (_, i) => i / 4);
const data = { x, y: x.map((t) => 1 + 2 * t) };
const programs = ["(* a x)", "(+ a (* b x))", "(exp (* a x))"].map((source) => ({ source }));

/** Another process reads the archive and leaves. */
function readElsewhere(file: string): number {
  const { stdout, stderr, status } = spawnSync(process.execPath, [reader, file], {
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  expect(status).toBe(0);
  return Number(stdout);
}

/** Runs until `look` has had enough, and tells the last visit that was heard of. */
async function run(file: string, look: (visit: number) => boolean): Promise<number> {
  const stop = new AbortController();
  const options = {
    ...{ data, target: "y", archive: file, resume: true, workers: 0, epoch: 3, slots: 1 },
    proposers: [replay(programs, { cycles: Number.POSITIVE_INFINITY })],
    signal: stop.signal,
  };
  let last = -1;
  for await (const event of search(options)) {
    if (event.type !== "candidate") continue;
    last = event.outcome.visit;
    if (!stop.signal.aborted && look(last)) stop.abort();
  }
  return last;
}

test.each([
  ["a new study", false],
  ["a study that goes on", true],
])("%s keeps its log while others read it and leave", async (_, goesOn) => {
  const file = freshFile();
  if (goesOn) await run(file, () => true);
  let looks = 0;
  const last = await run(file, (visit) => {
    if (visit % 3 !== 0) return false;
    looks += 1;
    const log = statSync(`${file}-wal`).ino;
    // In this process, and in another one.
    const here = openArchive(file);
    expect(here.outcomes().next().done).toBe(false);
    here.close();
    expect(readElsewhere(file)).toBeGreaterThan(visit);
    expect(existsSync(`${file}-wal`)).toBe(true);
    expect(statSync(`${file}-wal`).ino).toBe(log);
    return looks === 3;
  });
  expect(looks).toBe(3);
  const archive = openArchive(file);
  const visits = [...archive.outcomes()].map(({ visit }) => visit);
  archive.close();
  expect(visits).toEqual(Array.from({ length: last + 1 }, (_, i) => i));
});
