/**
 * Archives against what their tables say when they are asked in plain SQL, checksums against their
 * definition, and rows that are well made and do not belong there.
 */

import type { NdvmError } from "@ndvm/core";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { checksumOf, crcByTable } from "../../src/archive/checksum.js";
import { openDatabase, type Value } from "../../src/archive/driver.js";
import { COLUMNS, TABLES, type Table } from "../../src/archive/schema.js";
import { checkArchive, evolve, replay, salvageArchive } from "../../src/index.js";
import { line } from "../engine/data.js";
import { Echo, exported, freshFile, list, run } from "../engine/support.js";
import { copyOf, reading, rungs, sql } from "./support.js";

const base = { data: line, target: "y", workers: 0, epoch: 8, seed: 5, recipe: { rungs } };
const proposers = () => [
  list(["(nothing x)", "(* a x)", "(* x b)", "(+ a (* b x))"]),
  replay(
    ["(* a x)", "(* x a)", "(car x)", "(* c x)"].map((source) => ({ source })),
    { cycles: 8 },
  ),
  new Echo(),
];

let whole = "";
let single = "";
beforeAll(async () => {
  whole = freshFile();
  const study = { ...base, archive: whole, command: "ndvm search" };
  await run({ ...study, proposers: proposers(), budget: { candidates: 24 } });
  await run({ ...study, proposers: proposers(), budget: { candidates: 48 }, resume: true });
  single = freshFile();
  const one = { ...base, archive: single, proposers: [list(["(* a x)"])] };
  await run({ ...one, budget: { candidates: 1 } });
});

function factsOf(act: () => unknown): NdvmError["facts"] | undefined {
  try {
    act();
  } catch (error) {
    return (error as NdvmError).facts;
  }
  return undefined;
}

describe("an archive tells what its tables say", () => {
  test("of every run: from where, with how many workers, for what budget", () => {
    const rows = sql(whole, "SELECT run, resumed_from, workers FROM runs ORDER BY run");
    expect(rows).toEqual([
      [1, 0, 0],
      [2, 24, 0],
    ]);
    const runs = reading(whole, (archive) => archive.runs());
    expect(runs.map((each) => [each.run, each.resumedFrom, each.workers])).toEqual(rows);
    expect(runs.map((each) => each.budget)).toMatchObject([{ candidates: 24 }, { candidates: 48 }]);
    expect(runs.map((each) => each.command)).toEqual(["ndvm search", "ndvm search"]);
  });

  test("of failures: each code with its count, in the order of the codes", () => {
    const rows = sql(whole, "SELECT visit, CAST(code AS BLOB) FROM failures");
    const counts = new Map<string, number>();
    for (const [, code] of rows) counts.set(String(code), (counts.get(String(code)) ?? 0) + 1);
    expect([...counts.keys()]).not.toEqual([...counts.keys()].sort());
    const { failures } = reading(whole, (archive) => archive.summary());
    expect(Object.entries(failures)).toEqual([...counts].sort(([a], [b]) => (a < b ? -1 : 1)));
  });

  test("of candidates: which proposals allowed that they are visited again", () => {
    const rows = sql(whole, "SELECT id, CAST(proposer AS BLOB), is_revisit FROM candidates");
    const allowed = new Set(rows.filter(([, , may]) => may === 1).map(([, by]) => String(by)));
    const others = new Set(rows.filter(([, , may]) => may === 0).map(([, by]) => String(by)));
    expect([...others]).toContain("list");
    expect([...allowed]).not.toContain("list");
  });
});

/** Values of a row that is well made: keys as given, empty JSON, and numbers. */
function inventedRow(table: Table, key: number): Value[] {
  const keys: readonly string[] = TABLES[table].key;
  return COLUMNS[table].map(({ name, isText, mayBeNull }) => {
    if (keys[0] === name) return key;
    if (mayBeNull) return null;
    if (!isText) return 0;
    return name === "parents" ? "[]" : "{}";
  });
}

function insertInvented(file: string, table: Table, key: number): void {
  const row = inventedRow(table, key);
  const database = openDatabase(file);
  const marks = [...row, 0].map(() => "?").join(", ");
  const names = [...COLUMNS[table].map(({ name }) => name), "checksum"].join(", ");
  database
    .prepare(`INSERT INTO ${table} (${names}) VALUES (${marks})`)
    .run([...row, checksumOf(table, row)]);
  database.close();
}

describe("a row that nothing else speaks of", () => {
  const bulk = ["candidates", "revisits", "fits", "failures"] as const;
  test.each(bulk)("of %s is refused, after the last visit and far beyond it", (table) => {
    for (const [file, visits] of [
      [single, 1],
      [whole, 48],
    ] as const)
      for (const key of [visits, visits + 1, 10_000]) {
        const copy = copyOf(file);
        insertInvented(copy, table, key);
        expect(factsOf(() => exported(copy))).toMatchObject({ reason: "rows", column: table });
        expect(checkArchive(copy).isIntact).toBe(false);
      }
  });
});

describe("JSON of another kind than belongs there", () => {
  const wrong: [string, string][] = [
    ["parts", "[]"],
    ["parts", '{"data":"x"}'],
    ["params", '{"a":"x"}'],
    ["params", "7"],
    ["intervals", '{"a":[1]}'],
    ["intervals", '{"a":["x",1]}'],
    ["intervals", "[]"],
    ["undetermined", "[1]"],
    ["undetermined", '["a",null]'],
    ["undetermined", "{}"],
  ];
  test.each(wrong)("is refused where a member's %s is %s", (column, json) => {
    const file = copyOf(whole);
    const names = COLUMNS.members.map(({ name }) => name);
    const texts = COLUMNS.members.map(({ name, isText }) =>
      isText ? `CAST(${name} AS BLOB)` : name,
    );
    const rows = sql(file, `SELECT ${texts.join(", ")} FROM members`);
    const database = openDatabase(file);
    const sets = [...names, "checksum"].map((name) => `${name} = ?`).join(", ");
    for (const row of rows) {
      const values = row.map((cell, i): Value => {
        if (names[i] === column) return json;
        return cell instanceof Uint8Array ? Buffer.from(cell).toString() : (cell as Value);
      });
      database
        .prepare(`UPDATE members SET ${sets} WHERE visit = ?`)
        .run([...values, checksumOf("members", values), row[0] as number]);
    }
    database.close();
    expect(rows.length).toBeGreaterThan(0);
    expect(factsOf(() => reading(file, (archive) => [...archive.members()]))).toMatchObject({
      reason: "json",
      column: "members",
    });
  });
});

test("whichever visit is damaged, what is salvaged is intact and as it was", async () => {
  // Epochs of one moment meet the same programs, so that there are duplicates on which fits were spent.
  const file = freshFile();
  const study = { ...base, epoch: 4, slots: 2, archive: file, budget: { candidates: 40 } };
  await run({ ...study, proposers: [...proposers(), evolve({ draws: 16, islandSize: 4 })] });
  const before = reading(file, (archive) => [...archive.outcomes()]);
  expect(before.some(({ status, fits }) => status === "duplicate" && fits > 0)).toBe(true);
  expect(before.some(({ visit, id }) => visit !== id)).toBe(true);
  for (const { visit, fits, failure } of before) {
    if (fits === 0 && failure === undefined) continue;
    const copy = copyOf(file);
    const database = openDatabase(copy);
    for (const table of ["fits", "failures"])
      database.exec(`UPDATE ${table} SET checksum = checksum + 1 WHERE visit = ${visit}`);
    database.close();
    const out = freshFile();
    const { visits, visitsLost } = salvageArchive(copy, out);
    expect(checkArchive(out).problems, `visit ${visit}`).toEqual([]);
    const kept = reading(out, (archive) => [...archive.outcomes()]);
    expect(kept).toHaveLength(visits);
    expect(visits + visitsLost).toBe(before.length);
    expect(kept.map((outcome) => outcome.visit)).not.toContain(visit);
    for (const outcome of kept) expect(outcome).toEqual(before[outcome.visit]);
  }
});

/** The definition of docs/design/0017, as bytes that are put together one value after the other. */
function definedChecksum(table: Table, values: readonly Value[]): number {
  const parts = values.map((value) => {
    if (value === null) return Buffer.from([0]);
    if (typeof value === "number")
      return Buffer.concat([Buffer.from([1]), Buffer.from(Float64Array.of(value).buffer)]);
    const text = Buffer.from(value, "utf8");
    const head = Buffer.alloc(5);
    head[0] = 2;
    head.writeUInt32LE(text.length, 1);
    return Buffer.concat([head, text]);
  });
  return crcByTable(Buffer.concat([Buffer.from(`${table}\0`), ...parts]), 0);
}

test("a checksum is the one defined, also where a value ends at the end of the memory for it", async () => {
  const memory = 2 ** 16;
  for (const last of [null, 1.5, "", "é", "text"] as const)
    for (let short = 0; short <= 12; short++)
      for (const more of [[], [null], [2, "é"]]) {
        // Memory grows and stays; a new copy of the module begins with as little as a new process.
        vi.resetModules();
        const fresh = await import("../../src/archive/checksum.js");
        const text = "x".repeat(memory - 5 - short);
        const wanted = definedChecksum("fits", [text, last, ...more]);
        const story = `${short} bytes before the end, ${last}, ${more}`;
        const written = [text, last, ...more];
        const read = written.map((cell) => (typeof cell === "string" ? Buffer.from(cell) : cell));
        expect(fresh.checksumOf("fits", read), story).toBe(wanted);
        expect(fresh.checksumOf("fits", written), story).toBe(wanted);
      }
});
