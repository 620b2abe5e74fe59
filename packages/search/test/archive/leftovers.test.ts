/** What lies beside an archive after it was salvaged, or could not be: the new file, or nothing. */

import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { checksumOf } from "../../src/archive/checksum.js";
import { openDatabase } from "../../src/archive/driver.js";
import { checkArchive, salvageArchive } from "../../src/index.js";
import { line } from "../engine/data.js";
import { freshFile, list, run } from "../engine/support.js";
import { reading, rungs } from "./support.js";

let whole = "";
beforeAll(async () => {
  whole = freshFile();
  await run({
    ...{ data: line, target: "y", workers: 0, epoch: 4, slots: 1, seed: 5, recipe: { rungs } },
    ...{ archive: whole, proposers: [list(["(* a x)", "(car x)", "(+ a (* b x))"])] },
  });
});

let folder = "";
const at = (name: string) => join(folder, name);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ndvm-leftovers-"));
  copyFileSync(whole, at("a.db"));
});

test("a salvaged archive is alone beside the old one, which is as it was", () => {
  const { visits } = salvageArchive(at("a.db"), at("b.db"));
  expect(visits).toBe(3);
  expect(readdirSync(folder)).toEqual(["a.db", "b.db"]);
  expect(checkArchive(at("a.db")).isIntact).toBe(true);
});

test.each([
  ["a file that is none", () => writeFileSync(at("a.db"), "no archive"), "header"],
  [
    "a database of something else",
    () => {
      writeFileSync(at("a.db"), "");
      const database = openDatabase(at("a.db"));
      database.exec("CREATE TABLE other (x)");
      database.close();
    },
    undefined,
  ],
  [
    "an archive in which nothing is intact",
    () => {
      const database = openDatabase(at("a.db"));
      for (const table of ["study", "epochs", "state"])
        database.exec(`UPDATE ${table} SET checksum = 0`);
      database.close();
    },
    "rows",
  ],
])("%s leaves nothing behind", (_, spoil, reason) => {
  spoil();
  let error: unknown;
  try {
    salvageArchive(at("a.db"), at("b.db"));
  } catch (caught) {
    error = caught;
  }
  expect(error).toMatchObject({ code: "E-ARCHIVE" });
  if (reason !== undefined) expect(error).toMatchObject({ facts: { reason } });
  expect(readdirSync(folder)).toEqual(["a.db"]);
});

test("a folder that is not there is told as one that cannot be written", () => {
  expect(() => salvageArchive(at("a.db"), at("none/b.db"))).toThrow(
    /none\/b\.db cannot be written/,
  );
  expect(readdirSync(folder)).toEqual(["a.db"]);
  mkdirSync(at("none"));
  salvageArchive(at("a.db"), at("none/b.db"));
  expect(readdirSync(at("none"))).toEqual(["b.db"]);
});

test("what is in the log of a search that was killed is salvaged, and the log stays", () => {
  const database = openDatabase(at("a.db"));
  database.exec("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0");
  const row = [7, "a prompt of the last moment"];
  database
    .prepare("INSERT INTO prompts (prompt, text, checksum) VALUES (?, ?, ?)")
    .run([...row, checksumOf("prompts", row)]);
  mkdirSync(at("killed"));
  for (const name of ["a.db", "a.db-wal"]) copyFileSync(at(name), at(`killed/${name}`));
  database.close();
  expect(existsSync(at("killed/a.db-wal"))).toBe(true);
  salvageArchive(at("killed/a.db"), at("killed/b.db"));
  expect(readdirSync(at("killed"))).toEqual(["a.db", "a.db-wal", "b.db"]);
  const out = openDatabase(at("killed/b.db"));
  expect(out.all("SELECT prompt FROM prompts")).toEqual([[7]]);
  out.close();
  expect(reading(at("killed/b.db"), (archive) => archive.summary().visits)).toBe(3);
});

test("what a search leaves that is killed as it begins holds no study, and is gone on with", async () => {
  const killed = at("killed.db");
  const database = openDatabase(killed);
  database.exec("PRAGMA journal_mode = WAL");
  database.close();
  const [problem] = checkArchive(killed).problems;
  expect(problem?.message).toBe(`${killed} holds no study: it is a database without tables`);
  expect(problem?.facts).toEqual({ reason: "foreign" });
  await run({
    ...{ data: line, target: "y", workers: 0, epoch: 4, slots: 1, seed: 5, recipe: { rungs } },
    ...{ archive: killed, resume: true, proposers: [list(["(* a x)"])] },
  });
  expect(checkArchive(killed).isIntact).toBe(true);
});
