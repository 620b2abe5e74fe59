/** Options mean the same in every format: new names, kept texts, missing values, dates and limits. */

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type ReadOptions, readTable, type TableSource } from "../src/index.js";

const fixture = (file: string): Uint8Array =>
  new Uint8Array(readFileSync(new URL(`fixtures/${file}`, import.meta.url)));

/** One table of three rows in every format of text, and the fixtures of the others. */
const sources: readonly (readonly [string, TableSource])[] = [
  ["t.csv", "id,when,y\n01,2024-03-01,-9\n02,2024-03-02,x\n03,,5\n"],
  [
    "rows.json",
    '[{"id":"01","when":"2024-03-01","y":-9},{"id":"02","y":"x","when":"2024-03-02"},{"id":"03","y":5}]',
  ],
  [
    "columns.json",
    '{"id":["01","02","03"],"when":["2024-03-01","2024-03-02",null],"y":[-9,"x",5]}',
  ],
  [
    "t.jsonl",
    '{"id":"01","when":"2024-03-01","y":-9}\n\n{"id":"02","when":"2024-03-02","y":"x"}\n{"y":5,"id":"03"}',
  ],
  ...["openpyxl.xlsx", "polars-kinds.arrow", "polars-groups.parquet"].map(
    (file) => [file, fixture(file)] as const,
  ),
];

describe.each(sources)("%s", (name, source) => {
  const read = (options: ReadOptions = {}) => readTable(source, { name, ...options });

  test("columns with new names are the columns, and their texts are kept by the new name", async () => {
    const { names } = await read();
    const plain = await read({ texts: new Set(names) });
    // Each column gets the name of the next one, so that old and new names cannot be told apart by luck.
    const next = (at: number): string => `${names[(at + 1) % names.length]}`;
    const renamed = new Map(names.map((from, at) => [next(at), from]));
    for (const kept of names) {
      const table = await read({ renamed, texts: new Set([kept]) });
      expect(table.names).toEqual(names.map((_, at) => next(at)));
      expect(table.rowNumbers).toEqual(plain.rowNumbers);
      for (const [at, from] of names.entries()) {
        const to = next(at);
        expect(table.isNumeric(to)).toBe(plain.isNumeric(from));
        expect(table.units.get(to)).toBe(plain.units.get(from));
        if (to === kept) expect(table.texts(to)).toEqual(plain.texts(from));
        else expect(table.columns.has(to)).toBe(plain.isNumeric(from));
        if (plain.isNumeric(from)) expect(table.numbers(to)).toEqual(plain.numbers(from));
      }
    }
    const again = new Map([["new", names[0] as string]]);
    expect((await read({ renamed: again })).names).toEqual(["new", ...names.slice(1)]);
  });

  test("what is missing is missing wherever it stands", async () => {
    const plain = await read();
    for (const column of plain.names) {
      if (!plain.isNumeric(column) || plain.units.has(column)) continue;
      const numbers = plain.numbers(column);
      // Truth values are 0 and 1 and stay what they are.
      const gone = numbers.find((value) => Number.isFinite(value) && value !== 0 && value !== 1);
      if (gone === undefined) continue;
      const table = await read({ missing: [String(gone)] });
      expect(table.numbers(column)).toEqual(
        numbers.map((value) => (value === gone ? Number.NaN : value)),
      );
    }
  });

  test("dates count in the unit that is asked for, or are words", async () => {
    const days = await read();
    const [hours, words] = [await read({ dates: "hours" }), await read({ dates: "words" })];
    for (const column of days.names) {
      const isDates = days.units.has(column);
      expect(hours.units.has(column)).toBe(isDates);
      expect(words.units.has(column)).toBe(false);
      if (!isDates) continue;
      const wanted = [...days.numbers(column)].map((day) => day * 24);
      for (const [row, hour] of [...hours.numbers(column)].entries())
        expect(hour.toFixed(5)).toBe(wanted[row]?.toFixed(5));
      expect(words.isNumeric(column)).toBe(false);
    }
  });

  test("a table may take as many bytes as it takes", async () => {
    const { rowCount, names } = await read();
    const least = rowCount * names.length * 8;
    const refusal = { facts: { reason: "size" } };
    // Smaller tables of text are not looked at before 65,536 rows.
    if (typeof source === "string") expect((await read({ bytesMax: 1 })).rowCount).toBe(rowCount);
    else
      await expect(
        read({ bytesMax: Math.min(least, (source as Uint8Array).length) - 1 }),
      ).rejects.toMatchObject(refusal);
  });
});

test("a sheet is chosen by its name or counted from 1, and no other is there", async () => {
  const bytes = fixture("openpyxl.xlsx");
  const first = await readTable(bytes);
  expect((await readTable(bytes, { sheet: 1 })).columns).toEqual(first.columns);
  for (const sheet of [0, -1, 0.5, 99, "", "no such sheet"])
    await expect(readTable(bytes, { sheet })).rejects.toMatchObject({
      facts: { reason: "sheet", actual: String(sheet) },
    });
});

test("lines of JSON are numbered by where they stand, blank ones among them", async () => {
  const text = '\n{"x":1}\n\n  \n{"x":2}\r\n{"x":3}';
  expect([...(await readTable(text, { format: "json-lines" })).rowNumbers]).toEqual([2, 5, 6]);
});

test("rows without a single column take room as well", async () => {
  const rows = 65_536;
  const text = `[${"{},".repeat(rows - 1)}{}]`;
  expect((await readTable(text, { bytesMax: rows * 8 })).rowCount).toBe(rows);
  await expect(readTable(text, { bytesMax: rows * 8 - 1 })).rejects.toMatchObject({
    facts: { reason: "size", limit: rows * 8 - 1, value: rows * 8 },
  });
});

test("a column whose texts are wanted is its texts, though all of them are numbers", async () => {
  const table = await readTable("a,b,c\n01,1.50,x\n,2,y\n", { texts: new Set(["b", "a"]) });
  expect([...table.columns]).toEqual([
    ["a", ["01", ""]],
    ["b", ["1.50", "2"]],
  ]);
  expect([...table.numbers("a"), ...table.numbers("b")]).toEqual([1, Number.NaN, 1.5, 2]);
  expect(table.isNumeric("c")).toBe(false);
});

test.each(["::", "", "\u{1f4c8}", '"', "\n", "\r", "0", ".", "-"])(
  "the delimiter %j was taken and only half meant",
  async (delimiter) => {
    await expect(readTable("x,y\n1,2\n", { delimiter })).rejects.toMatchObject({
      code: "E-OPTION",
      message: `the delimiter cannot be ${JSON.stringify(delimiter)}`,
      facts: { reason: "option", option: "delimiter", actual: delimiter },
    });
  },
);

test("a blank between cells was passed over beside a quote", async () => {
  const table = await readTable('a b c\n"x y" 1 \n"z"  2\n', { delimiter: " " });
  expect([...table.columns.keys()]).toEqual(["a", "b", "c"]);
  expect([...table.numbers("b"), ...table.numbers("c")]).toEqual([1, Number.NaN, Number.NaN, 2]);
});
