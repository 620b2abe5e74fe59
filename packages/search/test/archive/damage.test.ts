/**
 * Archives that are damaged in ways one can name: each is an E-ARCHIVE that says which row it is, and
 * never the end of the process or another export. fuzz.test.ts damages them by chance.
 */

import { copyFileSync, existsSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { NdvmError, seedFor } from "@ndvm/core";
import { beforeAll, describe, expect, test } from "vitest";
import { checksumOf, crcByTable } from "../../src/archive/checksum.js";
import { packDigests, unpackDigests } from "../../src/archive/digests.js";
import { openDatabase } from "../../src/archive/driver.js";
import { readResumption } from "../../src/archive/reader.js";
import { COLUMNS, STATEMENTS, type Table } from "../../src/archive/schema.js";
import {
  type Archive,
  checkArchive,
  openArchive,
  replay,
  salvageArchive,
} from "../../src/index.js";
import { SEED_FIT } from "../../src/study.js";
import { line } from "../engine/data.js";
import { Echo, exported, freshFile, list, run } from "../engine/support.js";
import { copyOf, reading, rungs } from "./support.js";

const base = {
  data: line,
  target: "y",
  workers: 0,
  epoch: 8,
  slots: 1,
  seed: 5,
  recipe: { rungs },
};
const PROMPTED = { source: "(+ a (* b (tanh x)))", parents: [0], origin: "answer", prompt: "try!" };
const proposers = () => [
  list(["(* a x)", "(car x)", "(* x b)", "(+ a (* b x))", "(* b", PROMPTED]),
  new Echo(),
  replay([{ source: "(* a x)" }, { source: "(* x a)" }], { cycles: 8 }),
];
const budget = { candidates: 48 };

let whole = "";
beforeAll(async () => {
  whole = freshFile();
  await run({ ...base, archive: whole, proposers: proposers(), budget });
});

/** A copy of the intact archive, changed by SQL that knows nothing of checksums, or not. */
function damaged(...statements: readonly string[]): string {
  const file = copyOf(whole);
  const database = openDatabase(file);
  for (const statement of statements) database.exec(statement);
  database.close();
  return file;
}

/** A copy in which a row is changed and given the checksum that belongs to it: a forged row. */
function forged(
  table: Table,
  where: string,
  change: Readonly<Record<string, string | number | null>>,
) {
  const file = copyOf(whole);
  const database = openDatabase(file);
  const names = COLUMNS[table].map(({ name }) => name);
  const [cells] = database.all(`SELECT ${names.join(", ")} FROM ${table} WHERE ${where}`);
  const values = names.map(
    (name, i) => (Object.hasOwn(change, name) ? change[name] : cells?.[i]) ?? null,
  );
  const sets = [...names, "checksum"].map((name) => `${name} = ?`).join(", ");
  const plain = values as (string | number | null)[];
  database
    .prepare(`UPDATE ${table} SET ${sets} WHERE ${where}`)
    .run([...plain, checksumOf(table, plain)]);
  database.close();
  return file;
}

function refusalOf(act: () => unknown): NdvmError {
  try {
    act();
  } catch (error) {
    expect(error).toBeInstanceOf(NdvmError);
    expect((error as NdvmError).code).toBe("E-ARCHIVE");
    return error as NdvmError;
  }
  throw new Error("it was not refused");
}

describe("a row that is not as it was written", () => {
  test.each<[string, string, object]>([
    [
      "text that is no UTF-8",
      "UPDATE candidates SET source = CAST(x'28ff80' AS TEXT) WHERE id = 3",
      { reason: "checksum", column: "candidates", rows: [3] },
    ],
    [
      "broken JSON",
      "UPDATE fits SET params = '{\"a\":' WHERE visit = 3 AND rung = 0",
      { reason: "checksum", column: "fits", rows: [3, 0] },
    ],
    [
      "a number that is another",
      "UPDATE fits SET r2 = r2 + 1e-12 WHERE visit = 3 AND rung = 0",
      { reason: "checksum", column: "fits", rows: [3, 0] },
    ],
    [
      "a number that is words",
      "UPDATE failures SET fits = CAST(x'ff' AS TEXT) WHERE visit = 1",
      { reason: "checksum", column: "failures", rows: [1] },
    ],
    [
      "words that are a number",
      "UPDATE candidates SET origin = x'01' WHERE id = 3",
      { reason: "checksum", column: "candidates", rows: [3] },
    ],
    [
      "a checksum that is none",
      "UPDATE failures SET checksum = 'x' WHERE visit = 1",
      { reason: "checksum", column: "failures", rows: [1] },
    ],
    [
      "a row of an epoch that is gone",
      "DELETE FROM failures WHERE visit = 1",
      { reason: "rows", column: "epochs", rows: [0, 0] },
    ],
    [
      "a rung that is gone",
      "DELETE FROM fits WHERE visit_fits IS NULL AND visit = (SELECT max(visit) FROM fits WHERE visit_rung = 1)",
      { reason: "rows", column: "epochs" },
    ],
    [
      "a wording of a revisit that is gone",
      "DELETE FROM revisits WHERE visit = (SELECT min(visit) FROM revisits)",
      { reason: "rows", column: "epochs" },
    ],
    [
      "a candidate that is gone",
      "DELETE FROM candidates WHERE id = 0",
      { reason: "rows", column: "candidates", rows: [0] },
    ],
    [
      "an epoch that is gone",
      "DELETE FROM epochs WHERE round = 2",
      { reason: "rows", column: "epochs", rows: [3, 1] },
    ],
    [
      "the last epoch that is gone",
      "DELETE FROM epochs WHERE round = (SELECT max(round) FROM epochs)",
      { reason: "rows", column: "epochs" },
    ],
    [
      "a row that is too many",
      "INSERT INTO failures SELECT 99, candidate, fits, stage, code, message, facts, checksum FROM failures WHERE visit = 1",
      { reason: "checksum", column: "failures", rows: [99] },
    ],
    [
      "an option that is gone",
      "DELETE FROM study WHERE key = 'description'",
      { reason: "rows", column: "study" },
    ],
    [
      "the state that is gone",
      "DELETE FROM state WHERE one = 1",
      { reason: "rows", column: "epochs" },
    ],
    [
      "the counts of rows that are gone",
      "DELETE FROM state WHERE one = 2",
      { reason: "rows", column: "state", rows: [2] },
    ],
  ])("%s: refused with the row named, and found by check", (_what, sql, facts) => {
    const file = damaged(sql);
    const error = refusalOf(() => exported(file));
    expect(error.facts).toMatchObject(facts);
    expect(error.message).toContain(`${file} is damaged`);
    expect(error.help).toContain(`ndvm archive check ${file}`);
    const check = checkArchive(file);
    expect(check.isIntact).toBe(false);
    expect(check.canResume).toBe(false);
    expect(check.problems.map((problem) => problem.facts)).toContainEqual(
      expect.objectContaining(facts),
    );
  });

  test.each<[string, Table, string, Readonly<Record<string, string | number | null>>, string]>([
    ["parents", "candidates", "id = 0", { parents: "[1" }, "json"],
    ["parents that are no ids", "candidates", "id = 0", { parents: '["a"]' }, "json"],
    ["params", "fits", "visit = 0 AND rung = 0", { params: '{"a":"b"}' }, "json"],
    ["counts", "epochs", "round = 0 AND slot = 0", { counts: "{}" }, "json"],
    ["ids", "epochs", "round = 0 AND slot = 0", { candidates: "[0,1]" }, "rows"],
    ["state", "state", "one = 1", { state: "[]" }, "json"],
    ["a whole number that is none", "candidates", "id = 0", { complexity: 2.5 }, "kind"],
    ["a missing value", "failures", "visit = 1", { fits: null }, "kind"],
  ])("forged %s: refused", (_what, table, where, change, reason) => {
    const isNull = Object.values(change).includes(null);
    // A table that is not allowed to hold null does not hold it even here.
    if (isNull) expect(() => forged(table, where, change)).toThrow(/NOT NULL/);
    else {
      const file = forged(table, where, change);
      expect(refusalOf(() => exported(file)).facts).toMatchObject({ reason, column: table });
      expect(checkArchive(file).isIntact).toBe(false);
    }
  });

  test("what is not concerned can still be read", () => {
    const file = damaged("UPDATE fits SET r2 = 1 WHERE visit = 3 AND rung = 0");
    const { target, outcome, seeds, events } = reading(file, (archive) => ({
      target: archive.study()["target"],
      outcome: archive.outcome(12),
      seeds: archive.seeds(),
      events: [...archive.events()].length,
    }));
    const before = reading(whole, (archive) => ({
      target: archive.study()["target"],
      outcome: archive.outcome(12),
      seeds: archive.seeds(),
      events: [...archive.events()].length,
    }));
    expect({ target, outcome, seeds, events }).toEqual(before);
    const { tables, epochs } = checkArchive(file);
    expect(tables["fits"]?.damaged).toBe(1);
    expect(tables["candidates"]?.damaged).toBe(0);
    const all = checkArchive(whole).epochs;
    expect(epochs.intact).toBe(all.intact - 1);
    expect(epochs).toMatchObject({ damaged: 1, visits: all.visits - 6 });
  });

  test.each<[string, (archive: Archive) => unknown]>([
    ["seeds", (archive) => archive.seeds()],
    ["runs", (archive) => archive.runs()],
    ["versions", (archive) => archive.runs()],
    ["timings", (archive) => archive.timings()],
    ["timings", (archive) => archive.throughput()],
    ["members", (archive) => archive.front()],
    ["events", (archive) => [...archive.events()]],
    ["prompts", (archive) => archive.prompt(5)],
    ["epochs", (archive) => archive.summary()],
    ["epochs", (archive) => archive.outcome(0)],
    ["epochs", (archive) => archive.discoveries()],
    ["fits", (archive) => archive.visitsOf(0)],
  ])("a row of %s that is gone is noticed by whoever reads the table", (table, read) => {
    const file = damaged(`DELETE FROM ${table} WHERE (SELECT count(*) FROM ${table}) > 0
      AND checksum = (SELECT min(checksum) FROM ${table})`);
    if (table === "epochs" || table === "prompts")
      expect(refusalOf(() => reading(damaged(`DELETE FROM ${table}`), read)).facts.reason).toBe(
        "rows",
      );
    else expect(refusalOf(() => reading(file, read)).facts).toMatchObject({ reason: "rows" });
    expect(checkArchive(file).isIntact).toBe(false);
  });
});

describe("a file that is not as it was written", () => {
  test("one that is cut off is refused, and salvaged as far as it goes", () => {
    const file = damaged();
    const { length } = readFileSync(file);
    truncateSync(file, length - 8192);
    expect(refusalOf(() => exported(file)).facts).toMatchObject({ reason: "header" });
    const out = freshFile();
    const { visits, visitsLost } = salvageArchive(file, out);
    expect(visits + visitsLost).toBe(48);
    expect(checkArchive(out).isIntact).toBe(true);
  });

  test.each([
    ["the size of its pages", 16, 0x03],
    ["how it is written", 18, 0x07],
    ["SQLite's own numbers", 21, 0x41],
    ["the encoding of its texts", 59, 0x02],
    ["how many pages there are", 31, 0xfe],
    ["a letter of its tables", 8192 - 40, 0x7a],
  ])("a head that is wrong about %s is refused and mended by salvage", (_what, at, byte) => {
    const file = damaged();
    const bytes = readFileSync(file);
    bytes[at] = byte;
    writeFileSync(file, bytes);
    expect(["header", "schema", "page"]).toContain(refusalOf(() => exported(file)).facts.reason);
    const out = freshFile();
    expect(salvageArchive(file, out)).toMatchObject({ visits: 48, visitsLost: 0, rowsLost: 0 });
    expect(exported(out)).toBe(exported(whole));
  });

  test("other tables, views and triggers are refused", () => {
    const view = damaged("DROP TABLE events", "CREATE VIEW events AS SELECT 1 AS event");
    expect(refusalOf(() => openArchive(view)).facts.reason).toBe("schema");
    const trigger = damaged(
      "CREATE TRIGGER t AFTER INSERT ON fits BEGIN DELETE FROM candidates; END",
    );
    expect(refusalOf(() => openArchive(trigger)).facts.reason).toBe("schema");
    const foreign = freshFile();
    const database = openDatabase(foreign);
    database.exec("CREATE TABLE notes (text)");
    database.close();
    expect(refusalOf(() => openArchive(foreign)).facts.reason).toBe("foreign");
  });

  test("a damaged study is not gone on with, and not touched", async () => {
    const options = { ...base, resume: true, budget: { candidates: 64 } };
    for (const sql of [
      "UPDATE state SET state = '{}' WHERE one = 1",
      "UPDATE proposers SET state = '9' WHERE place = 0",
      "UPDATE study SET value = '7' WHERE key = 'seed'",
      "DELETE FROM pending",
      "DELETE FROM events WHERE event = 1",
      "DELETE FROM timings",
      "UPDATE epochs SET digests = 'AAAA' WHERE round = 1",
    ]) {
      const file = damaged(sql);
      const before = readFileSync(file);
      await expect(
        run({ ...options, archive: file, proposers: proposers() }),
      ).rejects.toMatchObject({
        code: "E-ARCHIVE",
      });
      expect(readFileSync(file).equals(before), sql).toBe(true);
      for (const end of ["-lock", "-wal", "-shm"]) expect(existsSync(file + end)).toBe(false);
    }
  });

  test("a candidate that no longer looks like one to remember is not forgotten in silence", () => {
    const ids = reading(whole, (archive) => [...archive.outcomes()])
      .filter(({ id, visit }) => id === visit)
      .map(({ id }) => id);
    expect(ids.length).toBeGreaterThan(5);
    for (const id of ids) {
      const file = damaged(`UPDATE candidates SET origin = 'x', is_revisit = 0 WHERE id = ${id}`);
      const facts = { reason: "checksum", column: "candidates", rows: [id] };
      expect(refusalOf(() => readResumption(file)).facts).toMatchObject(facts);
    }
  });

  test("another study is not gone on with, and not touched", async () => {
    const file = damaged();
    const before = readFileSync(file);
    const other = { ...base, seed: 6, resume: true, budget, archive: file, proposers: proposers() };
    await expect(run(other)).rejects.toMatchObject({ facts: { reason: "study", option: "seed" } });
    expect(readFileSync(file).equals(before)).toBe(true);
  });
});

describe("salvage", () => {
  test("of a intact archive keeps all of it, to be resumed", async () => {
    const out = freshFile();
    expect(salvageArchive(whole, out)).toEqual({
      file: out,
      visits: 48,
      visitsLost: 0,
      rowsLost: 0,
      optionsLost: [],
      canResume: true,
    });
    expect(exported(out)).toBe(exported(whole));
    const more = { ...base, resume: true, budget: { candidates: 64 } };
    await run({ ...more, archive: out, proposers: proposers() });
    const copy = damaged();
    await run({ ...more, archive: copy, proposers: proposers() });
    expect(exported(out)).toBe(exported(copy));
  });

  test("leaves out the visits that are damaged, and nothing else", async () => {
    const front = reading(whole, (archive) => archive.front().map((member) => member.visit));
    const scored = reading(whole, (archive) => [...archive.outcomes()]).filter(
      (outcome) => outcome.status === "scored" && !front.includes(outcome.visit),
    );
    const visit = scored[0]?.visit as number;
    const file = damaged(`UPDATE fits SET r2 = 1 WHERE visit = ${visit}`);
    const out = freshFile();
    const salvaged = salvageArchive(file, out);
    const before = reading(whole, (archive) => [...archive.outcomes()]);
    const after = reading(out, (archive) => [...archive.outcomes()]);
    expect(after.length).toBe(before.length - salvaged.visitsLost);
    expect(
      before
        .filter((outcome) => !after.some((kept) => kept.visit === outcome.visit))
        .map((o) => o.visit),
    ).toContain(visit);
    for (const outcome of after) expect(outcome).toEqual(before[outcome.visit]);
    expect(salvaged.canResume).toBe(false);
    expect(checkArchive(out)).toMatchObject({ isIntact: true, canResume: false });
    expect(reading(out, (archive) => archive.summary().visits)).toBe(48);
    const bytes = readFileSync(out);
    const more = { ...base, resume: true, budget: { candidates: 64 }, proposers: proposers() };
    for (const _twice of [1, 2])
      await expect(run({ ...more, archive: out })).rejects.toMatchObject({
        facts: { reason: "salvaged" },
      });
    expect(readFileSync(out).equals(bytes)).toBe(true);
  });

  test("fills in for epochs and for a state that are lost, and says that nobody can go on", async () => {
    const file = damaged(
      "UPDATE epochs SET proposer = 'x' WHERE round IN (0, 2)",
      "UPDATE state SET state = '[]' WHERE one = 1",
      "UPDATE prompts SET text = 'x'",
      "UPDATE study SET value = '[]' WHERE key = 'train'",
    );
    const out = freshFile();
    const salvaged = salvageArchive(file, out);
    expect(salvaged).toMatchObject({ canResume: false, optionsLost: ["train"] });
    expect(salvaged.visits + salvaged.visitsLost).toBe(48);
    expect(salvaged.visitsLost).toBeGreaterThanOrEqual(16);
    expect(checkArchive(out).isIntact).toBe(true);
    const missing = { reason: "rows", column: "study", names: ["train"] };
    expect(refusalOf(() => reading(out, (archive) => archive.front())).facts).toEqual(missing);
    expect(reading(out, (archive) => [...archive.export()].at(-1))).toMatch(/front":\[\d/);
    const resumed = run({ ...base, archive: out, resume: true, proposers: proposers(), budget });
    await expect(resumed).rejects.toMatchObject({ code: "E-ARCHIVE" });
  });

  test("writes over nothing, and leaves nothing where there is nothing to keep", () => {
    expect(refusalOf(() => salvageArchive(whole, whole)).facts.reason).toBe("exists");
    const text = freshFile();
    writeFileSync(text, "not an archive");
    const out = freshFile();
    expect(refusalOf(() => salvageArchive(text, out)).facts.reason).toBe("header");
    expect(existsSync(out)).toBe(false);
    expect(existsSync(`${out}-salvage`)).toBe(false);
  });
});

describe("an archive of format 2", () => {
  const here = (name: string) => fileURLToPath(new URL(`./fixtures/${name}`, import.meta.url));
  const copy = () => {
    const file = freshFile();
    copyFileSync(here("format-2.db"), file);
    return file;
  };

  test("reads as the version that wrote it did", () => {
    const wanted = JSON.parse(readFileSync(here("format-2.json"), "utf8"));
    const found = reading(copy(), (archive) => ({
      format: archive.format,
      export: [...archive.export()].slice(1),
      front: archive.front(),
      summary: archive.summary(),
      runs: archive.runs().length,
      prompt: archive.prompt(3),
      discoveries: archive.discoveries().map(({ visit, fits, r2 }) => ({ visit, fits, r2 })),
    }));
    // What is known of members has grown since, and the score is made in another way.
    const kept = wanted.front.map(({ score: _score, ...member }: { score: number }) => member);
    expect(found.front).toMatchObject(kept);
    const { front } = found;
    const lines = wanted.export
      .slice(1)
      .map((text: string) => text.replace(/"batch":(\d+)/, '"round":$1,"slot":0'));
    expect(found).toEqual({ ...wanted, front, format: 2, export: lines });
    expect(checkArchive(copy())).toMatchObject({ isIntact: true, canResume: false, format: 2 });
  });

  test("has one beginning of chance for each visit and rung of its study", () => {
    const file = copy();
    const seed = 4711;
    const database = openDatabase(file);
    database.exec(`UPDATE study SET value = '${seed}' WHERE key = 'seed'`);
    database.close();
    const lines = reading(file, (archive) => [...archive.export()].slice(1, -1));
    const rungs = lines.flatMap((text) => {
      const { visit, rungs } = JSON.parse(text);
      return rungs.map((each: { rung: number; seed: number }) => ({ ...each, visit }));
    });
    expect(rungs.length).toBeGreaterThan(10);
    for (const { visit, rung, seed: found } of rungs)
      expect(found).toBe(seedFor(seed, SEED_FIT, visit, rung, 0));
  });

  test("is not resumed, not salvaged, and not touched", async () => {
    const file = copy();
    const before = readFileSync(file);
    const options = { ...base, archive: file, resume: true, proposers: proposers() };
    await expect(run(options)).rejects.toMatchObject({
      code: "E-ARCHIVE",
      message: `${file} was written by an earlier version of this program: it can be read, not resumed`,
      facts: { reason: "format", value: 2, limit: 3 },
    });
    expect(refusalOf(() => salvageArchive(file, freshFile())).facts.reason).toBe("format");
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  test("that is damaged is refused with the row named, where it can be told", () => {
    const file = copy();
    const database = openDatabase(file);
    database.exec("UPDATE candidates SET source = CAST(x'ff' AS TEXT) WHERE id = 3");
    database.close();
    const other = copy();
    const second = openDatabase(other);
    second.exec("UPDATE fits SET params = '{' WHERE visit = 0");
    second.close();
    expect(refusalOf(() => exported(other)).facts).toMatchObject({
      reason: "json",
      column: "fits",
    });
    const text = { reason: "text", column: "candidates", rows: [3] };
    expect(refusalOf(() => reading(file, (archive) => archive.outcome(3))).facts).toMatchObject(
      text,
    );
    expect(checkArchive(file).problems.map(({ facts }) => facts)).toContainEqual(text);
  });
});

describe("the parts", () => {
  test("a checksum depends on the table, on every value, on its kind and its place", () => {
    const row = [1, "ab", null, 2.5, "é"];
    const sums = [
      checksumOf("fits", row),
      checksumOf("failures", row),
      checksumOf("fits", [1, "a", "b", 2.5, "é"]),
      checksumOf("fits", [1, "ab", null, 2.5, "e"]),
      checksumOf("fits", [1, null, "ab", 2.5, "é"]),
      checksumOf("fits", [1, "ab", "", 2.5, "é"]),
      checksumOf("fits", [1, "ab", 0, 2.5, "é"]),
      checksumOf("fits", [1, "ab", null, 2.5000000000000004, "é"]),
      checksumOf("fits", [...row, null]),
    ];
    expect(new Set(sums).size).toBe(sums.length);
    const bytes = row.map((value) => (typeof value === "string" ? Buffer.from(value) : value));
    expect(checksumOf("fits", bytes)).toBe(sums[0]);
    expect(checksumOf("fits", ["x", ...row, "y"], 1, row.length)).toBe(sums[0]);
    const long = "ü".repeat(100_000);
    expect(checksumOf("fits", [long, 1])).toBe(checksumOf("fits", [Buffer.from(long), 1]));
  });

  test("CRC-32 is the one of zip files, with and without Node's own", () => {
    const text = Buffer.from("123456789");
    expect(crcByTable(text, 0)).toBe(0xcbf43926);
    expect(crcByTable(text.subarray(4), crcByTable(text.subarray(0, 4), 0))).toBe(0xcbf43926);
    // The definition of docs/design/0017, written out.
    const packed = Buffer.concat([
      Buffer.from("events\0"),
      Buffer.from([1, ...Buffer.from(Float64Array.of(7).buffer)]),
      Buffer.from([2, 2, 0, 0, 0]),
      Buffer.from("hé").subarray(0, 2),
      Buffer.from([0]),
    ]);
    expect(crcByTable(packed, 0)).toBe(
      checksumOf("events", [7, Buffer.from("hé").subarray(0, 2), null]),
    );
  });

  test("digests come back, also after long steps, and nothing else is taken for them", () => {
    const digests = [
      { id: 10, high: 0, low: 1 },
      { id: 11, high: 2 ** 32 - 1, low: 2 ** 32 - 1 },
      { id: 65_546, high: 2 ** 31, low: 0 },
      { id: 65_546 + 65_535, high: 0, low: 5 },
      { id: 300_000, high: 7, low: 2 ** 32 - 1 },
    ];
    const text = packDigests(digests, 10);
    expect(unpackDigests(text, 10, 299_991)).toEqual(digests);
    expect(unpackDigests(text, 10, 299_990)).toBeUndefined();
    expect(unpackDigests(text.slice(4), 10, 299_991)).toBeUndefined();
    expect(unpackDigests("?", 10, 299_991)).toBeUndefined();
    expect(unpackDigests("", 10, 0)).toEqual([]);
  });

  test("every table is in the first page of a file, so that salvage can mend it", () => {
    const file = copyOf(whole);
    const bytes = readFileSync(file);
    expect(bytes[100]).toBe(0x0d);
    for (const statement of STATEMENTS)
      expect(bytes.subarray(0, 8192).includes(statement)).toBe(true);
    // Root pages follow each other in the order of the tables.
    const database = openDatabase(file);
    const roots = database.all("SELECT rootpage FROM sqlite_schema ORDER BY rowid");
    database.close();
    expect(roots.map(([root]) => root)).toEqual(STATEMENTS.map((_, i) => i + 2));
  });

  test("odd numbers and texts come back as they were, or as JSON would have them", async () => {
    const file = freshFile();
    const odd = "\ud800 a\0b \u{1f600} ü";
    const well = "\ufffd a\0b \u{1f600} ü";
    const proposal = { source: odd, parents: [], origin: well, prompt: `${odd}?` };
    const { outcomes } = await run({
      ...base,
      archive: file,
      proposers: [list([proposal, "(* a x)"])],
    });
    expect(checkArchive(file).problems).toEqual([]);
    const kept = reading(file, (archive) => [...archive.outcomes()]);
    expect(kept[0]?.source).toBe(well);
    expect(kept[0]?.origin).toBe(well);
    expect(kept[1]).toEqual(outcomes[1]);
  });
});
