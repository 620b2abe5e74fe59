/** What an archive tells of a study that keeps little, and what is salvaged behind a page that is gone. */

import { readFileSync, writeFileSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import { Archive } from "../../src/archive/archive.js";
import { type Database, openDatabase } from "../../src/archive/driver.js";
import { openForReading } from "../../src/archive/reader.js";
import { PAGE_BYTES } from "../../src/archive/tables.js";
import { type Outcome, openArchive, replay, salvageArchive } from "../../src/index.js";
import { line } from "../engine/data.js";
import { freshFile, run } from "../engine/support.js";
import { copyOf, reading, rungs, sql } from "./support.js";

// One that is kept beside one that is not, which has fits as well, before another that is kept.
const texts = [
  "(* a x)",
  "(* a x x x)",
  "(car x)",
  "(sin (* a x))",
  "(+ a (* b x))",
  "(tanh (* a x))",
];

/** Studies of one seed that keep everything, or members of the front alone. */
let [whole, few] = ["", ""];
beforeAll(async () => {
  [whole, few] = [freshFile(), freshFile()];
  for (const [archive, keep] of [
    [whole, "all"],
    [few, "front"],
  ] as const)
    await run({
      ...{ data: line, target: "y", workers: 0, epoch: 2, slots: 1, seed: 5, recipe: { rungs } },
      proposers: [replay(texts.map((source) => ({ source })))],
      ...{ archive, keep },
    });
});

test("visits in each second are those of the first rung: who climbs is not counted again", () => {
  const rows = sql(whole, "SELECT rung, at, visits FROM timings") as readonly number[][];
  expect(rows.some(([rung]) => rung === 1)).toBe(true);
  const seconds = new Map<number, number>();
  for (const [rung, at = 0, visits = 0] of rows)
    if (rung === 0) seconds.set(Math.floor(at), (seconds.get(Math.floor(at)) ?? 0) + visits);
  const told = reading(whole, (archive) => archive.throughput());
  expect(told.map(({ second, visits }) => [second, visits])).toEqual(
    [...seconds].sort(([a], [b]) => a - b),
  );
});

test("a discovery counts the fits of epochs before it, also of visits that are not kept", () => {
  const archive = openArchive(few);
  const kept = [...archive.outcomes()];
  const found = archive.discoveries();
  archive.close();
  const epochs = sql(few, "SELECT first_visit, visits, CAST(counts AS BLOB) FROM epochs") as [
    ...[number, number, unknown],
  ][];
  const fitsOf = (counts: unknown) => (JSON.parse(String(counts)) as { fits: number }).fits;
  const all = epochs.reduce((sum, [, , counts]) => sum + fitsOf(counts), 0);
  expect(kept.reduce((sum, { fits }) => sum + fits, 0)).toBeLessThan(all);
  expect(found.length).toBeGreaterThan(1);
  for (const { visit, fits } of found) {
    const own = epochs.find(([first, count]) => first <= visit && visit < first + count);
    const [first = 0] = own ?? [];
    const before = epochs
      .filter(([each]) => each < first)
      .reduce((sum, [, , counts]) => sum + fitsOf(counts), 0);
    const inside = kept.filter((each) => each.visit >= first && each.visit <= visit);
    expect(fits, `visit ${visit}`).toBe(inside.reduce((sum, each) => sum + each.fits, before));
  }
});

/** Ruins a leaf in the middle of a table, and says how many rows were in it. */
function ruinLeaf(file: string, table: string): number {
  const database = openDatabase(file);
  const [[root] = []] = database.all(`SELECT rootpage FROM sqlite_schema WHERE name = '${table}'`);
  database.close();
  const bytes = readFileSync(file);
  const page = (number: number) => bytes.subarray((number - 1) * PAGE_BYTES, number * PAGE_BYTES);
  const inner = page(Number(root));
  // The root of a table of several pages, with or without numbers of rows: its cells name them, in order.
  expect([2, 5]).toContain(inner[0]);
  const leaves = Array.from({ length: inner.readUInt16BE(3) }, (_, i) =>
    inner.readUInt32BE(inner.readUInt16BE(12 + 2 * i)),
  );
  expect(leaves.length).toBeGreaterThan(2);
  const gone = page(leaves[leaves.length >> 1] as number);
  expect([10, 13]).toContain(gone[0]);
  const lost = gone.readUInt16BE(3);
  gone.fill(0xff);
  writeFileSync(file, bytes);
  return lost;
}

test.each([
  ["candidates", 600, 1],
  ["epochs", 4, 4],
])("visits around a page of %s that is gone are salvaged", async (table, epoch, visitsOfRow) => {
  const file = freshFile();
  const count = 600;
  // Texts that cannot be read: each is a candidate of its own, and costs nothing.
  const programs = Array.from({ length: count }, (_, i) => ({ source: `(+ ${i}` }));
  await run({
    ...{ data: line, target: "y", workers: 0, epoch, slots: 1, seed: 5, archive: file },
    ...{ recipe: { rungs: [{ restarts: 1, steps: 1, share: 1 }] } },
    proposers: [replay(programs)],
  });
  const copy = copyOf(file);
  const lost = ruinLeaf(copy, table);
  const { visits, visitsLost } = salvageArchive(copy, freshFile());
  expect(visits + visitsLost).toBe(count);
  // One row may lie above the page, where nobody comes by without it.
  expect([lost, lost + 1]).toContain(visitsLost / visitsOfRow);
});

test.each<[string, (archive: Archive) => unknown]>([
  ["study", (archive) => archive.study()],
  ["seeds", (archive) => archive.seeds()],
  ["runs", (archive) => archive.runs()],
  ["summary", (archive) => archive.summary()],
  ["outcomes", (archive) => [...archive.outcomes()]],
  ["outcome", (archive) => archive.outcome(0)],
  ["visitsOf", (archive) => archive.visitsOf(0)],
  ["prompt", (archive) => archive.prompt(0)],
  ["front", (archive) => archive.front()],
  ["members", (archive) => archive.members()],
  ["lineage", (archive) => archive.lineage(0)],
  ["discoveries", (archive) => archive.discoveries()],
  ["timings", (archive) => archive.timings()],
  ["throughput", (archive) => archive.throughput()],
  ["events", (archive) => [...archive.events()]],
  ["export", (archive) => [...archive.export()]],
])("%s is read inside a transaction, which ends with it: a search may be writing", (_, read) => {
  const { database, format } = openForReading(whole);
  let isOpen = false;
  const outside: string[] = [];
  let count = 0;
  const watched: Database = {
    ...database,
    exec(sql) {
      database.exec(sql);
      if (sql === "BEGIN") isOpen = true;
      if (sql === "COMMIT") isOpen = false;
    },
    *iterate(sql, ...values) {
      for (const row of database.iterate(sql, ...values)) {
        count += 1;
        if (!isOpen) outside.push(sql);
        yield row;
      }
    },
  };
  read(new Archive({ database: watched, format }));
  expect([isOpen, [...new Set(outside)]]).toEqual([false, []]);
  expect(count).toBeGreaterThan(0);
  database.close();
});

test("a front that is lost is made of what is left: members that nothing simpler matches", () => {
  const file = copyOf(whole);
  const database = openDatabase(file);
  database.exec("UPDATE state SET checksum = 0 WHERE one = 1");
  database.close();
  const out = freshFile();
  expect(salvageArchive(file, out)).toMatchObject({ visitsLost: 0, canResume: false });
  const outcomes = reading(out, (archive) =>
    [...archive.outcomes()].filter(({ status }) => status === "scored"),
  );
  const [[state] = []] = sql(out, "SELECT CAST(state AS BLOB) FROM state WHERE one = 1");
  const { front } = JSON.parse(String(state)) as { front: number[] };
  const accuracy = ({ r2, trainR2 }: Outcome) => Math.min(r2, trainR2);
  const isMatched = (one: Outcome) =>
    outcomes.some(
      (other) =>
        (other.complexity < one.complexity && accuracy(other) >= accuracy(one)) ||
        (other.complexity === one.complexity && accuracy(other) > accuracy(one)),
    );
  const members = outcomes.filter((one) => !isMatched(one)).map(({ visit }) => visit);
  expect(front.toSorted()).toEqual(members.toSorted());
  expect([members.length > 1, members.length < outcomes.length]).toEqual([true, true]);
});
