/** `checkArchive` on rows whose checksums are right and whose texts are not: what no reader could read is found. */

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import { checksumOf } from "../../src/archive/checksum.js";
import { openDatabase } from "../../src/archive/driver.js";
import { COLUMNS, TABLES, type Table } from "../../src/archive/schema.js";
import { PAGE_BYTES } from "../../src/archive/tables.js";
import { checkArchive } from "../../src/index.js";
import { line } from "../engine/data.js";
import { freshFile, list, run } from "../engine/support.js";
import { copyOf, reading, rungs } from "./support.js";

const study = (archive: string) => ({
  ...{ data: line, target: "y", workers: 0, epoch: 4, slots: 1, seed: 5, recipe: { rungs } },
  ...{ archive, proposers: [list(["(* a x)", "(car x)", "(+ a (* b x))"])] },
});
let whole = "";
beforeAll(async () => {
  whole = freshFile();
  await run(study(whole));
});

/** A copy whose first row of a table has other texts; a row is made where there is none. */
function forged(
  table: Table,
  change: Readonly<Record<string, string | number>>,
  of: string = whole,
): string {
  const file = copyOf(of);
  const database = openDatabase(file);
  const columns = COLUMNS[table];
  const names = columns.map(({ name }) => name);
  const [cells] = database.all(`SELECT ${names.join(", ")} FROM ${table}`);
  const values = columns.map(({ name, isText, mayBeNull }, i) => {
    if (Object.hasOwn(change, name)) return change[name] as string | number;
    return (cells?.[i] ?? (mayBeNull ? null : isText ? "[]" : 0)) as string | number | null;
  });
  const marks = [...names, "checksum"].map(() => "?").join(", ");
  database
    .prepare(
      `INSERT OR REPLACE INTO ${table} (${[...names, "checksum"].join(", ")}) VALUES (${marks})`,
    )
    .run([...values, checksumOf(table, values)]);
  database.close();
  return file;
}

/** Columns that hold JSON, with what is good JSON and belongs elsewhere. */
const JSON_COLUMNS: readonly [Table, string, readonly string[]][] = [
  ["study", "value", []],
  ["runs", "budget", []],
  ["epochs", "candidates", ["{}", "5", '["a"]', "[1.5]"]],
  ["epochs", "front", ["{}", "5", '["a"]', "[1.5]"]],
  ["candidates", "parents", ["{}", "5", '["a"]']],
  ["candidates", "params", ["[]", "5", "null"]],
  ["revisits", "parents", ["{}", "5", '["a"]']],
  ["revisits", "params", ["[]", "5"]],
  ["fits", "params", ["[]", "5", '{"a":"b"}']],
  ["failures", "facts", ["[]", "5"]],
  ["members", "parts", ["[]", "5", '{"data":1,"constants":2,"symbols":3}']],
  ["members", "params", ["[]", '{"a":"b"}']],
  ["members", "intervals", ["[]", '{"a":[1]}', '{"a":[1,"b"]}']],
  ["members", "undetermined", ["{}", "[1]"]],
  ["members", "simple", ["{}", "[1]"]],
  ["members", "scores", ["[]", '{"loss":1,"trainR2":1,"r2":1}']],
  ["events", "body", ["[]", "5", "{}"]],
  ["state", "state", ["[]", "5"]],
  ["proposers", "state", []],
  ["pending", "body", ["[]", "5"]],
];

test.each(JSON_COLUMNS)("the JSON of %s.%s is looked at", (table, column, others) => {
  for (const text of ["{", "", ...others]) {
    const { isIntact, problems, tables } = checkArchive(forged(table, { [column]: text }));
    expect(isIntact, text).toBe(false);
    const found = problems.filter(
      ({ facts, message }) =>
        facts.reason === "json" && facts.column === table && message.includes(`its ${column} is`),
    );
    expect(found, text).toHaveLength(1);
    expect(tables[table]?.damaged, text).toBe(1);
  }
});

test("a row that is as it was written is told intact, and its tables are counted", () => {
  const { isIntact, problems, tables } = checkArchive(copyOf(whole));
  expect([isIntact, problems]).toEqual([true, []]);
  for (const table of Object.keys(TABLES)) {
    const database = openDatabase(whole);
    const count = database.all(`SELECT count(*) FROM ${table}`)[0]?.[0];
    database.close();
    expect(tables[table], table).toEqual({ intact: count, damaged: 0 });
  }
});

test.each([
  ["parts", '{"data":1}'],
  ["intervals", '{"a":[1]}'],
  ["simple", "[1]"],
  ["undetermined", "{}"],
  ["scores", "{}"],
])("a member's %s that check finds damaged are refused to whoever reads them", (column, text) => {
  const file = forged("members", { [column]: text });
  expect(() => reading(file, (archive) => archive.members())).toThrow(`its ${column} is not`);
});

test("a row that names a prompt that is not there is told, of a first visit and of a later one", async () => {
  const file = freshFile();
  const told = [false, true].map((isRevisit) => ({
    ...{ source: "(+ a (* b x))", parents: [], origin: "told", isRevisit },
    prompt: "what fits?",
  }));
  await run({ ...study(file), proposers: [list(told)] });
  expect(checkArchive(file).isIntact).toBe(true);
  for (const table of ["candidates", "revisits"] as const) {
    const { isIntact, problems } = checkArchive(forged(table, { prompt: 99 }, file));
    expect(isIntact, table).toBe(false);
    const [{ facts, message } = { facts: {}, message: "" }] = problems;
    expect(facts).toMatchObject({ reason: "rows", column: "prompts", rows: [99] });
    expect(message).toMatch(new RegExp(`the prompt of row \\d+ of ${table} is missing`));
  }
});

test("each run of a study has versions of its own", async () => {
  const file = copyOf(whole);
  await run({ ...study(file), resume: true });
  const [, now] = reading(file, (archive) => archive.runs());
  const [name = ""] = Object.keys(now?.versions ?? {});
  const older = forged("versions", { version: "0.0.1" }, file);
  const runs = reading(older, (archive) => archive.runs());
  expect(runs.map(({ versions }) => versions)).toEqual([
    { ...now?.versions, [name]: "0.0.1" },
    now?.versions,
  ]);
});

test.each([
  ["one more", "INSERT INTO prompts VALUES (7, 'x', 0)", "prompts", "it had 0 rows and has 1"],
  ["one less", "DELETE FROM seeds WHERE name = 'split'", "seeds", "it had 3 rows and has 2"],
])(
  "a file with %s row than it says is not gone on with, and stays as it is",
  async (_, sql, table, said) => {
    const file = copyOf(whole);
    const database = openDatabase(file);
    database.exec(sql);
    database.close();
    const before = readFileSync(file);
    const going = run({ ...study(file), resume: true });
    await expect(going).rejects.toMatchObject({ facts: { reason: "rows", column: table } });
    await expect(going).rejects.toThrow(said);
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(existsSync(`${file}-lock`)).toBe(false);
  },
);

test("a file whose rows are all there and whose pages are not sound is not gone on with", async () => {
  const file = copyOf(whole);
  const database = openDatabase(file);
  const root = Number(
    database.all("SELECT rootpage FROM sqlite_schema WHERE name = 'candidates'")[0]?.[0],
  );
  database.close();
  const bytes = readFileSync(file);
  const page = bytes.subarray((root - 1) * PAGE_BYTES, root * PAGE_BYTES);
  // A leaf of a table: its first two rows change places.
  expect([page[0], page.readUInt16BE(3)]).toEqual([13, 3]);
  const [first, second] = [page.readUInt16BE(8), page.readUInt16BE(10)];
  page.writeUInt16BE(second, 8);
  page.writeUInt16BE(first, 10);
  writeFileSync(file, bytes);
  const going = run({ ...study(file), resume: true });
  await expect(going).rejects.toMatchObject({ code: "E-ARCHIVE", facts: { reason: "page" } });
  expect(readFileSync(file).equals(bytes)).toBe(true);
});

test("another study is told apart by what differs, sixty letters of it at most", async () => {
  const file = freshFile();
  const described = (length: number) => ({ ...study(file), description: "d".repeat(length) });
  await run(described(58));
  const refused = run({ ...described(59), resume: true });
  await expect(refused).rejects.toMatchObject({
    facts: { reason: "study", option: "description" },
  });
  // With its quotes the first has sixty letters, the second one more.
  const [before, now] = [`"${"d".repeat(58)}"`, `"${"d".repeat(59)} …`];
  await expect(refused).rejects.toThrow(`its description is ${before}, not ${now}`);
});
