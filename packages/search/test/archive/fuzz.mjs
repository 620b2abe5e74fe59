/**
 * Damages archives by chance and reads them, in a process of its own, since a driver that aborts would
 * take the test with it: node fuzz.mjs SEED FILES FOLDER FIXTURE.
 *
 * Every read of a damaged file gives what the whole file gave, or an E-ARCHIVE. `checkArchive` finds
 * every change of a row. What is salvaged is intact, and nothing but what was there.
 *
 * The same seed damages the same bytes: no clock is left in the archives, and their pages are in order.
 */
import { createHash } from "node:crypto";
import { readFileSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { NdvmError } from "@ndvm/core";
import { checkArchive, evolve, openArchive, replay, salvageArchive, search } from "@ndvm/search";
import { readRows } from "../../dist/archive/checked-rows.js";
import { checksumOf } from "../../dist/archive/checksum.js";
import { openDatabase } from "../../dist/archive/driver.js";
import { openForReading, readResumption } from "../../dist/archive/reader.js";
import { TABLE_NAMES } from "../../dist/archive/schema.js";

const [seed, count, folder, fixture] = [
  Number(process.argv[2]),
  Number(process.argv[3]),
  process.argv[4],
  process.argv[5],
];
let state = seed | 0;
/** In [0, 1), by mulberry32. */
function random() {
  state = (state + 0x6d2b79f5) | 0;
  let z = Math.imul(state ^ (state >>> 15), 1 | state);
  z = (z + Math.imul(z ^ (z >>> 7), 61 | z)) ^ z;
  return ((z ^ (z >>> 14)) >>> 0) / 2 ** 32;
}
const below = (n) => Math.floor(random() * n);

// What an archive holds of times is what this says.
performance.now = () => 0;

/** An archive without the moment it was made at, its pages as if written at once. */
function withoutClock(file, out) {
  const database = openDatabase(file);
  const [run] = database.all("SELECT run, resumed_from, workers, budget, command FROM runs");
  const started = "2026-01-01T00:00:00.000Z";
  const checksum = checksumOf("runs", [run[0], started, ...run.slice(1)]);
  database
    .prepare("UPDATE runs SET started = ?, checksum = ? WHERE run = ?")
    .run([started, checksum, run[0]]);
  database.exec(`VACUUM INTO '${out}'`);
  database.close();
  return out;
}

async function makeStudy(keep) {
  const file = join(folder, `made-${keep}.db`);
  const x = Array.from({ length: 30 }, (_, i) => 0.1 + i / 6);
  const y = x.map((t) => 2 * Math.exp(-0.3 * t) * Math.cos(1.7 * t + 0.4));
  const sources = ["(* a x)", "(car x)", "(+ a (* b x))", "(* b", "(* x c)", "(cos (* a x))"];
  const programs = sources.map((source) => ({ source }));
  const proposers = [
    evolve({ draws: 20, islands: 2, islandSize: 8 }),
    replay(programs, { cycles: 9 }),
  ];
  const rungs = [
    { restarts: 1, steps: 5, share: 1 },
    { restarts: 2, steps: 8, share: 0.25 },
  ];
  const budget = { candidates: 96 };
  const options = {
    data: { x, y },
    target: "y",
    seed: 4,
    epoch: 8,
    slots: 1,
    workers: 0,
    keep,
    budget,
  };
  for await (const _event of search({ ...options, proposers, recipe: { rungs }, archive: file }));
  return withoutClock(file, join(folder, `${keep}.db`));
}

/** What can be asked of an archive, each as a function that gives JSON. */
const QUESTIONS = {
  study: (archive) => archive.study(),
  seeds: (archive) => archive.seeds(),
  runs: (archive) => archive.runs(),
  summary: (archive) => archive.summary(),
  outcomes: (archive) => [...archive.outcomes()],
  outcome: (archive) => [0, 17, 50, 95].map((visit) => archive.outcome(visit) ?? null),
  visitsOf: (archive) => [0, 8, 10].map((id) => archive.visitsOf(id)),
  prompt: (archive) => [0, 3, 9].map((id) => archive.prompt(id) ?? null),
  front: (archive) => archive.front(),
  members: (archive) => [...archive.members()],
  lineage: (archive) => [20, 60].map((id) => archive.lineage(id)),
  discoveries: (archive) => archive.discoveries(),
  timings: (archive) => archive.timings(),
  throughput: (archive) => archive.throughput(),
  events: (archive) => [...archive.events()],
  export: (archive) => [...archive.export()],
};

/** The answer as text, or undefined where it is refused as it should be. */
function ask(what, act) {
  try {
    return JSON.stringify(act()) ?? "nothing";
  } catch (error) {
    if (error instanceof NdvmError && error.code === "E-ARCHIVE") {
      if (error.facts.reason !== undefined) return undefined;
      throw new Error(`${what}: an error without a reason: ${error.message}`);
    }
    throw new Error(`${what}: ${error instanceof Error ? error.stack : error}`);
  }
}

function answers(file) {
  const found = {};
  const archive = ask("open", () => {
    const opened = openArchive(file);
    for (const [name, read] of Object.entries(QUESTIONS))
      found[name] = ask(name, () => read(opened));
    opened.close();
    return true;
  });
  found.rows = ask("rows", () => rowsOf(file));
  if (!file.includes("format")) found.resumption = ask("resumption", () => resumption(file));
  return archive === undefined ? { rows: found.rows } : found;
}

function rowsOf(file) {
  const source = openForReading(file);
  try {
    return TABLE_NAMES.map((table) => [...readRows(source, table)]);
  } finally {
    source.database.close();
  }
}

function resumption(file) {
  const { state, seen, pending } = readResumption(file);
  return { state, seen: seen(), pending };
}

const PAGE = 8192;
const pick = (list) => list[below(list.length)];
const DAMAGES = {
  flip(bytes) {
    for (let i = 1 + below(pick([1, 3, 20])); i > 0; i--)
      bytes[below(bytes.length)] ^= 1 << below(8);
    return bytes;
  },
  /** In the head and the tables of the first page, or in the head of a page. */
  flipHead(bytes) {
    const page = PAGE * below(Math.floor(bytes.length / PAGE));
    bytes[page + below(page === 0 ? 200 : 12)] ^= 1 << below(8);
    return bytes;
  },
  truncate: (bytes) => bytes.subarray(0, below(bytes.length)),
  noise(bytes) {
    const page = PAGE * below(Math.floor(bytes.length / PAGE));
    const end = Math.min(bytes.length, page + 1 + below(PAGE));
    for (let at = page; at < end; at++) bytes[at] = below(256);
    return bytes;
  },
  zero(bytes) {
    const page = PAGE * below(Math.floor(bytes.length / PAGE));
    return bytes.fill(0, page, page + PAGE);
  },
  copyPage(bytes) {
    const [from, to] = [0, 0].map(() => PAGE * below(Math.floor(bytes.length / PAGE)));
    bytes.copyWithin(to, from, from + PAGE);
    return bytes;
  },
  /** Words that are no UTF-8, where words stand. */
  text(bytes) {
    const at = bytes.indexOf(
      pick(["(* ", "[]", "{", "evolve", "read", "scored"]),
      below(bytes.length),
    );
    if (at >= 0) bytes[at] = pick([0xff, 0x80, 0xc3, 0x00]);
    return bytes;
  },
};

/** What came of it all, so that a fuzzer that never gets anywhere is noticed. */
const tally = { same: 0, refused: 0, intact: 0, salvaged: 0, salvagedWithLoss: 0, resumable: 0 };

function tryOne(number, original) {
  const kind = pick(Object.keys(DAMAGES));
  const bytes = DAMAGES[kind](Buffer.from(original.bytes));
  const file = join(folder, `damaged-${original.name}`);
  writeFileSync(file, bytes);
  // The parent shows the last line where this process dies.
  const mark = createHash("sha256").update(bytes).digest("hex").slice(0, 12);
  writeSync(1, `file ${number}: ${original.name}, ${kind}, ${mark}\n`);
  const found = answers(file);
  const isChecked = original.name !== "format-2.db";
  if (isChecked)
    for (const [name, answer] of Object.entries(found))
      if (answer !== undefined && answer !== original.answers[name])
        throw new Error(
          `${name} differs:\n${answer.slice(0, 300)}\n${original.answers[name].slice(0, 300)}`,
        );
  for (const answer of Object.values(found)) tally[answer === undefined ? "refused" : "same"] += 1;
  const check = checkArchive(file);
  if (check.isIntact) tally.intact += 1;
  if (isChecked && check.isIntact) {
    for (const [name, answer] of Object.entries(original.answers))
      if (found[name] !== answer) throw new Error(`check says it is intact, and ${name} is not`);
  }
  if (isChecked) trySalvage(file, original);
  for (const name of [file, `${file}-wal`, `${file}-shm`]) rmSync(name, { force: true });
}

function trySalvage(file, original) {
  const out = join(folder, "salvaged.db");
  rmSync(out, { force: true });
  const salvaged = ask("salvage", () => salvageArchive(file, out));
  if (salvaged === undefined) return;
  const check = checkArchive(out);
  if (!check.isIntact)
    throw new Error(`what was salvaged is not intact: ${check.problems[0].message}`);
  const archive = openArchive(out);
  const known = new Set(original.outcomes);
  const kept = [...archive.outcomes()].map((outcome) => JSON.stringify(outcome));
  ask("front", () => archive.front());
  archive.summary();
  archive.close();
  const strange = kept.find((outcome) => !known.has(outcome));
  if (strange !== undefined) throw new Error(`salvaged what was not there: ${strange}`);
  const { canResume, visitsLost, rowsLost } = JSON.parse(salvaged);
  tally.salvaged += 1;
  if (visitsLost > 0) tally.salvagedWithLoss += 1;
  if (canResume) tally.resumable += 1;
  if (canResume !== check.canResume) throw new Error("salvage and check do not agree on resuming");
  if (visitsLost === 0 && rowsLost === 0 && kept.length !== known.size)
    throw new Error("visits were lost in silence");
}

const files = [
  await makeStudy("all"),
  await makeStudy("scored"),
  await makeStudy("front"),
  fixture,
];
const originals = files.map((file) => {
  const bytes = readFileSync(file);
  const answers_ = answers(file);
  const missing = Object.entries(answers_).find(([, answer]) => answer === undefined);
  if (missing !== undefined) throw new Error(`the whole file ${file} refuses ${missing[0]}`);
  const archive = openArchive(file);
  const outcomes = [...archive.outcomes()].map((outcome) => JSON.stringify(outcome));
  archive.close();
  return { name: file.split("/").at(-1), bytes, answers: answers_, outcomes };
});
for (let number = 0; number < count; number++) tryOne(number, originals[number % originals.length]);
writeSync(1, `${JSON.stringify(tally)}\ndone\n`);
