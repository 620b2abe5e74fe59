/**
 * Journals and logs of SQLite beside an archive. A reader applied another study's journal to an intact
 * archive, which ended it; and another study's log made an intact archive look damaged.
 */

import { copyFileSync, existsSync, readFileSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import { openDatabase } from "../../src/archive/driver.js";
import { PAGE_BYTES } from "../../src/archive/tables.js";
import { checkArchive, openArchive, salvageArchive } from "../../src/index.js";
import { line } from "../engine/data.js";
import { exported, freshFile, list, run } from "../engine/support.js";
import { copyOf, rungs } from "./support.js";

const PROGRAMS = ["(* a x)", "(car x)", "(+ a (* b x))"];
const study = {
  data: line,
  target: "y",
  workers: 0,
  epoch: 4,
  slots: 1,
  seed: 5,
  recipe: { rungs },
};
const resumed = (archive: string) =>
  run({ ...study, archive, resume: true, proposers: [list(PROGRAMS)] });

let whole = "";
beforeAll(async () => {
  whole = freshFile();
  await run({ ...study, archive: whole, proposers: [list(PROGRAMS)] });
});

/** A database in the midst of a transaction that has been written over some of its pages. */
function inTransaction(file: string, prepare: readonly string[], change: string): () => void {
  const database = openDatabase(file);
  for (const statement of prepare) database.exec(statement);
  database.exec("PRAGMA cache_size = 1");
  database.exec("BEGIN");
  database.exec(change);
  expect(existsSync(`${file}-journal`)).toBe(true);
  return () => {
    database.exec("ROLLBACK");
    database.close();
  };
}

const FILLED = [
  `PRAGMA page_size = ${PAGE_BYTES}`,
  "CREATE TABLE other (id INTEGER PRIMARY KEY, text TEXT)",
  `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
   INSERT INTO other SELECT i, hex(randomblob(2000)) FROM n`,
];

/** A copy of the archive beside which another database left its journal. */
function withForeignJournal(): string {
  const file = copyOf(whole);
  const other = freshFile();
  const end = inTransaction(other, FILLED, "UPDATE other SET text = hex(randomblob(2000))");
  copyFileSync(`${other}-journal`, `${file}-journal`);
  end();
  return file;
}

/** A copy of the archive beside which another database left its log. */
function withForeignLog(): string {
  const file = copyOf(whole);
  const other = freshFile();
  const database = openDatabase(other);
  database.exec(FILLED[0] as string);
  database.exec("PRAGMA journal_mode = WAL");
  for (const statement of FILLED.slice(1)) database.exec(statement);
  copyFileSync(`${other}-wal`, `${file}-wal`);
  database.close();
  return file;
}

test("another study's journal is not applied to an archive by whoever reads it", async () => {
  const file = withForeignJournal();
  const before = readFileSync(`${file}-journal`);
  checkArchive(file);
  try {
    openArchive(file).close();
  } catch (error) {
    expect(error).toMatchObject({ code: "E-ARCHIVE" });
  }
  await expect(resumed(file)).rejects.toMatchObject({ code: "E-ARCHIVE" });
  expect(readFileSync(file).equals(readFileSync(whole))).toBe(true);
  expect(readFileSync(`${file}-journal`).equals(before)).toBe(true);
  const out = freshFile();
  expect(salvageArchive(file, out)).toMatchObject({ visits: 3, visitsLost: 0, canResume: true });
  expect(exported(out)).toBe(exported(whole));
});

test("another study's log does not make an archive look damaged, and is not written into it", async () => {
  const file = withForeignLog();
  expect(checkArchive(file)).toMatchObject({ isIntact: true, canResume: true });
  expect(exported(file)).toBe(exported(whole));
  await expect(resumed(file)).rejects.toThrow(/-wal is the log of another file/);
  expect(readFileSync(file).equals(readFileSync(whole))).toBe(true);
  expect(salvageArchive(file, freshFile())).toMatchObject({ visits: 3, canResume: true });
});

test("an archive's own journal is applied to what a reader reads, and to the file by a search", async () => {
  const source = copyOf(whole);
  const file = freshFile();
  const change = "UPDATE candidates SET source = hex(randomblob(40000))";
  const end = inTransaction(source, [], change);
  copyFileSync(source, file);
  copyFileSync(`${source}-journal`, `${file}-journal`);
  end();
  const before = readFileSync(file);
  expect(checkArchive(file)).toMatchObject({ isIntact: true, canResume: true });
  expect(exported(file)).toBe(exported(whole));
  expect(readFileSync(file).equals(before)).toBe(true);
  await resumed(file);
  expect(exported(file)).toBe(exported(whole));
  expect(existsSync(`${file}-journal`)).toBe(false);
});
