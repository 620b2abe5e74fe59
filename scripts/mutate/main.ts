/**
 * Plants small bugs one at a time and lists those that no test notices:
 *
 *   npm run mutate -- ROOM [--count N] [--seed S] [--files a,b] [--changed REV] [--jobs J]
 *   npm run mutate -- ROOM --from bugs.json
 *
 * Bugs are planted in copies of the repository, never in the working tree. The same seed plants the same
 * bugs. docs/design/0024-mutation.md says why it is our own.
 */
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { UsageError, usage, type Wish, wishOf } from "./arguments.js";
import { bugsByHand } from "./by-hand.js";
import { changedLines } from "./changes.js";
import { readEquivalents, staleAmong } from "./equivalent.js";
import type { Job } from "./job.js";
import { described, type Mutant } from "./mutant.js";
import { testsOf } from "./rooms.js";
import { candidatesOf, type RoomReport, runRoom } from "./run.js";

const root = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");
const open = new Set<Job>();
const print = (line: string): void => console.log(line);

/** Whether a mutant is asked for, by its file and line. */
function coverage({ files, changed }: Wish): (mutant: Mutant) => boolean {
  const lines = changed === undefined ? undefined : changedLines(root, changed);
  return ({ file, line }) =>
    (files.length === 0 || files.some((part) => file.includes(part))) &&
    (lines === undefined || lines.get(file)?.has(line) === true);
}

async function work(wish: Wish): Promise<RoomReport[]> {
  const equivalents = readEquivalents(root);
  const stale = staleAmong(root, equivalents);
  for (const { file, before, lineText } of stale) {
    console.error(`equivalent.json: ${file} has no such mutant any more: ${before} in ${lineText}`);
  }
  if (stale.length > 0) throw new Error("take the stale entries out of equivalent.json");
  const byHand = wish.from === undefined ? undefined : bugsByHand(root, wish.from);
  const settings = { root, equivalents, covers: coverage(wish), byHand };
  const until = performance.now() + wish.seconds * 1000;
  const { count, seed, jobs } = wish;
  const reports: RoomReport[] = [];
  const rooms = wish.rooms.map((room) => ({
    room,
    candidates: candidatesOf({ ...settings, room, seed }),
  }));
  for (const mutant of byHand ?? [])
    if (!rooms.some(({ candidates }) => candidates.includes(mutant)))
      print(`left out, in none of these rooms: ${described(mutant)}`);
  const asked =
    rooms.length === 1 ? rooms : rooms.filter(({ candidates }) => candidates.length > 0);
  for (const [index, { room, candidates }] of asked.entries()) {
    const order = byHand ? "by hand" : `seed ${seed}`;
    print(`${room.name}: ${candidates.length} places for a bug, ${order}`);
    if (wish.list) for (const mutant of candidates.slice(0, count)) print(described(mutant));
    else {
      const tests = testsOf(root, room).filter(
        (file) => wish.tests.length === 0 || wish.tests.some((part) => file.includes(part)),
      );
      // Every room has its share of the time that is left.
      const now = performance.now();
      const share = now + (until - now) / (asked.length - index);
      const more = { count, seed, jobs, until: share, print, open };
      reports.push(await runRoom({ ...settings, room, tests, ...more }));
    }
  }
  return reports;
}

function tell(reports: readonly RoomReport[]): void {
  for (const { room, planted, caught, share, survivors } of reports) {
    const part = planted === 0 ? "none was finished" : `${(100 * share).toFixed(0)} %`;
    print(`\n${room}: ${caught} of ${planted} caught, ${part}`);
    for (const mutant of survivors) print(`  ${described(mutant)}\n      ${mutant.lineText}`);
  }
}

function closeAll(): void {
  for (const job of open) job.close();
}

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => {
    closeAll();
    process.exit(130);
  });
}

try {
  const wish = wishOf(process.argv.slice(2));
  const reports = await work(wish);
  tell(reports);
  if (wish.json !== undefined) writeFileSync(wish.json, `${JSON.stringify(reports, null, 2)}\n`);
  process.exitCode = reports.some(({ share }) => share < wish.least) ? 1 : 0;
} catch (error) {
  closeAll();
  console.error(error instanceof UsageError ? `${error.message}\n\n${usage}` : error);
  process.exitCode = 2;
}
