/**
 * Tables of every format, the same cases in Node and in a browser. The fixtures were written by
 * other systems (test/fixtures/README.md).
 */

import type { NdvmError } from "@ndvm/core";
import { strToU8, zipSync } from "fflate";
import { describe, expect, test } from "vitest";
import { type ReadOptions, readTable, type Table, type TableSource } from "../src/index.js";

const DAY = 86_400_000;
const dayOf = (year: number, month: number, day: number): number =>
  Date.UTC(year, month - 1, day) / DAY;

async function errorOf(source: TableSource, options: ReadOptions = {}): Promise<NdvmError> {
  return readTable(source, options).then(
    () => {
      throw new Error("it was read");
    },
    (error: NdvmError) => error,
  );
}

/** What every one of the polars fixtures holds. */
function expectPolars(table: Table): void {
  const rows = Array.from({ length: 60 }, (_, row) => row);
  expect(table.rowCount).toBe(60);
  expect(table.names).toEqual(["t", "count", "big", "flag", "group", "day", "when", "small"]);
  expect([...table.numbers("t")]).toEqual(rows.map((row) => row / 4));
  expect([...table.numbers("count")]).toEqual(
    rows.map((row) => (row % 7 === 3 ? Number.NaN : row * 10)),
  );
  expect(table.columns.get("big")).toEqual(rows.map((row) => String(2n ** 60n + BigInt(row))));
  expect([...table.numbers("flag")]).toEqual(rows.map((row) => (row + 1) % 2));
  const groups = ["01", "b", "", "naïve"];
  expect(table.columns.get("group")).toEqual(
    rows.map((row) => (row % 5 === 4 ? "" : groups[row % 4])),
  );
  expect([...table.numbers("day")]).toEqual(rows.map((row) => dayOf(2024, 2, 1) + row));
  expect(table.units.get("day")).toBe("days since 1970-01-01");
  for (const row of rows) {
    expect(table.numbers("when")[row]).toBeCloseTo(dayOf(2024, 2, 1) + (row + 6) / 24, 9);
  }
  expect([...table.numbers("small")]).toEqual(rows.map((row) => row - 30));
}

const PARQUET = ["uncompressed", "snappy", "gzip", "brotli", "zstd", "lz4"];
const ARROW = ["uncompressed", "lz4", "zstd", "stream"];

type Load = (file: string) => Promise<Uint8Array>;

function packedTests(load: Load): void {
  test.each(PARQUET)("Parquet, %s", async (packing) => {
    expectPolars(await readTable(await load(`polars-${packing}.parquet`)));
  });

  test.each(ARROW)("Arrow, %s", async (packing) => {
    expectPolars(await readTable(await load(`polars-${packing}.arrow`)));
  });

  test.each(["polars-groups.parquet", "polars-kinds.arrow"])(
    "%s: groups of rows, decimals, times of three units, categories",
    async (file) => {
      const table = await readTable(await load(file));
      const rows = Array.from({ length: 10 }, (_, row) => row);
      expect([...table.rowNumbers]).toEqual(rows.map((row) => row + 1));
      expect([...table.numbers("i")]).toEqual(rows);
      expect([...table.numbers("price")]).toEqual(
        rows.map((row) => Number((row * 1.1 - 3).toFixed(2))),
      );
      const kinds = rows.map((row) => ["a", "b", ""][row % 3]);
      expect(table.texts("kind")).toEqual(kinds);
      expect(table.texts("group")).toEqual(kinds);
      const start = Date.UTC(2024, 1, 28, 6);
      for (const row of rows) {
        const days = row === 4 ? Number.NaN : (start + row * 3_600_250) / DAY;
        for (const name of ["at", "micro", "nano"])
          if (row === 4) expect(table.numbers(name)[row], name).toBeNaN();
          else expect(table.numbers(name)[row], name).toBeCloseTo(days, 9);
        expect(table.numbers("day")[row]).toBe(row === 4 ? Number.NaN : Math.floor(days));
      }
    },
  );

  test("a page that says it unpacks to more than may be read is refused before it is", async () => {
    const bytes = (await load("polars-zstd.parquet")).slice();
    // The head of a page: its kind, then how many bytes it unpacks to, as numbers of two bytes.
    const at = bytes.findIndex(
      (byte, index) =>
        byte === 0x15 &&
        bytes[index + 2] === 0x15 &&
        (bytes[index + 3] ?? 0) >= 0x80 &&
        (bytes[index + 4] ?? 0x80) < 0x80 &&
        bytes[index + 5] === 0x15,
    );
    expect(at).toBeGreaterThan(0);
    bytes.set([0xfe, 0x7f], at + 3);
    const { facts } = await errorOf(bytes, { bytesMax: 5000 });
    expect(facts).toMatchObject({ reason: "size", limit: 5000 });
    expect(facts.value).toBeGreaterThan(8000);
  });

  test.each(["polars-zstd.parquet", "polars-lz4.arrow", "openpyxl.xlsx"])(
    "%s from a blob and from a stream, as from bytes",
    async (file) => {
      const bytes = await load(file);
      const whole = await readTable(bytes);
      const blob = new Blob([bytes as Uint8Array<ArrayBuffer>]);
      for (const source of [blob, blob.stream(), pieces(bytes, 100)]) {
        expect((await readTable(source)).columns).toEqual(whole.columns);
      }
    },
  );

  test.each(["polars-zstd.parquet", "polars-lz4.arrow", "openpyxl.xlsx"])(
    "%s that is cut off or altered is an error of ours, never a crash",
    async (file) => {
      const bytes = await load(file);
      for (const length of [8, 100, bytes.length >> 1, bytes.length - 9]) {
        const error = await errorOf(bytes.slice(0, length));
        expect([error.code, error.facts.reason]).toEqual(["E-FILE", "foreign"]);
      }
      for (let at = 9; at < bytes.length; at += 97) {
        const altered = bytes.slice();
        altered[at] = (altered[at] ?? 0) ^ 0xff;
        await readTable(altered, { bytesMax: 2 ** 26 }).catch((error: NdvmError) =>
          expect(error.code).toBe("E-FILE"),
        );
      }
    },
  );

  test.each(["polars-zstd.parquet", "polars-lz4.arrow", "openpyxl.xlsx"])(
    "%s is refused where it takes more than it may",
    async (file) => {
      const error = await errorOf(await load(file), { bytesMax: 1000 });
      expect(error.facts).toMatchObject({ reason: "size", limit: 1000 });
    },
  );
}

async function* pieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.slice(at, at + size);
}

/** The least that a workbook needs. */
function workbook(sheet: string, others: Readonly<Record<string, string>> = {}): Uint8Array {
  const parts = {
    "xl/workbook.xml":
      '<workbook xmlns:r="r"><sheets><sheet name="one" r:id="a"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels":
      '<Relationships><Relationship Id="a" Target="worksheets/s.xml"/></Relationships>',
    "xl/worksheets/s.xml": `<worksheet><sheetData>${sheet}</sheetData></worksheet>`,
    ...others,
  };
  return zipSync(
    Object.fromEntries(Object.entries(parts).map(([name, text]) => [name, strToU8(text)])),
  );
}

const inline = (cell: string, text: string): string =>
  `<c r="${cell}" t="inlineStr"><is><t>${text}</t></is></c>`;

function workbookTests(load: Load): void {
  test("a sheet of openpyxl: texts, dates, truth, a formula that was never computed", async () => {
    const table = await readTable(await load("openpyxl.xlsx"));
    expect(table.names).toEqual(["t", "y", "group", "day", "note"]);
    expect([...table.numbers("t").slice(0, 3)]).toEqual([0, 0.25, 0.5]);
    // Row 4 holds =1+2 without a value, row 7 is empty.
    expect([...table.numbers("y").slice(0, 6)]).toEqual([
      -1.5,
      1.5,
      Number.NaN,
      7.5,
      10.5,
      Number.NaN,
    ]);
    expect(table.columns.get("group")?.slice(0, 4)).toEqual(["01", "b & c", "naïve", "01"]);
    expect(table.numbers("day")[2]).toBe(dayOf(2024, 3, 1));
    expect([...table.numbers("note")]).toEqual(Array(12).fill(1));
    expect(table.rowsInWords([1])).toBe("row 2 (sheet row 3)");
  });

  test("sheets by name and by number", async () => {
    const bytes = await load("openpyxl.xlsx");
    for (const sheet of ["other", 2]) {
      expect([...(await readTable(bytes, { sheet })).numbers("a")]).toEqual([7]);
    }
    const error = await errorOf(bytes, { sheet: "mine", name: "book.xlsx" });
    expect(error.message).toBe("book.xlsx: there is no sheet mine");
    expect(error.facts.names).toEqual(["Messung", "other"]);
  });

  test("dates that count from 1904, a table that does not start at A1, empty rows", async () => {
    const table = await readTable(await load("xlsxwriter-1904.xlsx"));
    expect(table.names).toEqual(["x", "when", "cost"]);
    expect([...table.numbers("when")]).toEqual(
      [0, 1, 2, 3, 4].map((d) => dayOf(2024, 3, 1) + d + 0.5),
    );
    expect([...table.numbers("cost")]).toEqual([0, 1.5, 3, 4.5, 6]);
    expect([...table.rowNumbers]).toEqual([4, 5, 6, 8, 9]);
  });

  test("a cell that is not a number is named with its row, column and text", async () => {
    const rows = `<row r="1">${inline("A1", "x")}</row><row r="5"><c r="A5"><v>1</v></c></row>
      <row r="6">${inline("A6", "12 mm")}</row>`;
    const table = await readTable(workbook(rows), { name: "b.xlsx" });
    expect(() => table.numbers("x")).toThrow(
      'b.xlsx: row 2 (sheet row 6), column x: "12 mm" is not a number',
    );
    const aside = workbook(
      `<row r="1">${inline("A1", "x")}</row><row r="2">${inline("C2", "?!")}</row>`,
    );
    expect((await errorOf(aside, { name: "b.xlsx" })).message).toBe(
      'b.xlsx: cell C2 ("?!") stands in a column that has no name',
    );
  });

  test("cells of blanks are empty: above a table, beside it and between its rows", async () => {
    const blanks = (row: number) => `${inline(`A${row}`, " ")}${inline(`D${row}`, "  ")}`;
    const number = (cell: string, value: number) => `<c r="${cell}"><v>${value}</v></c>`;
    const rows = `<row r="1">${blanks(1)}</row>
      <row r="3">${inline("A3", " ")}${inline("B3", "x")}${inline("C3", "y")}${inline("D3", " ")}</row>
      <row r="4">${number("B4", 1)}${number("C4", 2)}${inline("D4", " ")}</row>
      <row r="5">${blanks(5)}</row>
      <row r="6">${inline("A6", " ")}${number("B6", 3)}${number("C6", 4)}</row>`;
    const table = await readTable(workbook(rows));
    expect(table.names).toEqual(["x", "y"]);
    expect([...table.numbers("x"), ...table.numbers("y")]).toEqual([1, 3, 2, 4]);
    expect([...table.rowNumbers]).toEqual([4, 6]);
  });

  test("entities, external files and names of prototypes do nothing", async () => {
    const bomb = `<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;"><!ENTITY c SYSTEM "file:///etc/passwd">]>`;
    const book = workbook("", {
      "xl/worksheets/s.xml": `${bomb}<worksheet><sheetData><row r="1">${inline("A1", "&b;&c;")}</row></sheetData></worksheet>`,
    });
    expect((await errorOf(book)).facts.reason).toBe("foreign");
    const names = `<row r="1">${inline("A1", "__proto__")}${inline("B1", "constructor")}</row>
      <row r="2"><c r="A2"><v>1</v></c><c r="B2"><v>2</v></c></row>`;
    const table = await readTable(workbook(names));
    expect([...table.numbers("__proto__")]).toEqual([1]);
    expect(() => table.numbers("toString")).toThrow("there is no column toString");
    expect(({} as Record<string, unknown>)["1"]).toBeUndefined();
  });

  test("a sheet that unpacks to very much is refused before it is unpacked", async () => {
    const error = await errorOf(workbook(`<!--${" ".repeat(2 ** 24)}-->`), { bytesMax: 2 ** 20 });
    expect(error.facts).toMatchObject({ reason: "size", limit: 2 ** 20 });
  });

  test("a ZIP64 entry without its field ends (CVE-2026-45820)", async () => {
    const book = workbook(`<row r="1">${inline("A1", "x")}</row>`);
    const view = new DataView(book.buffer, book.byteOffset, book.byteLength);
    for (let at = 0; at + 4 <= book.length; at++) {
      // The packed size of every entry of the directory says: see the field that is not there.
      if (view.getUint32(at, true) === 0x02014b50) view.setUint32(at + 20, 0xffffffff, true);
    }
    expect((await errorOf(book)).code).toBe("E-FILE");
  });

  test("an archive that is no workbook", async () => {
    const error = await errorOf(zipSync({ "a.csv": strToU8("x\n1\n") }));
    expect(error.facts).toEqual({ reason: "foreign", expected: "xlsx" });
  });
}

export function formatTests(load: Load): void {
  describe("packed formats", () => packedTests(load));
  describe("workbooks", () => workbookTests(load));

  test.each([
    ["an old workbook", [0xd0, 0xcf, 0x11, 0xe0]],
    ["Feather of version 1", [0x46, 0x45, 0x41, 0x31]],
    ["gzip", [0x1f, 0x8b, 8, 0]],
  ])("%s is refused by its name", async (_, bytes) => {
    const error = await errorOf(Uint8Array.from(bytes));
    expect(error.message).toContain("which is not read");
    expect(error.help).toBeDefined();
  });

  test.each([
    ["delimited", "delimited text"],
    ["json", "JSON"],
    ["json-lines", "JSON lines"],
    ["parquet", "Parquet"],
    ["arrow", "Arrow"],
    ["xlsx", "XLSX"],
  ] as const)("a source of %s that fails on the way is told as %s", async (format, words) => {
    async function* failing(): AsyncGenerator<Uint8Array> {
      yield strToU8(" ".repeat(600));
      throw new Error("the line is dead");
    }
    const error = await errorOf(failing(), { format, name: "t" });
    expect(error.message).toBe(`t: not a readable ${words} file: the line is dead`);
    expect(error.facts).toEqual({ reason: "foreign", expected: format });
    expect(error.help).toBe("the file may be damaged or cut off; write it again");
  });

  test("text without a name is told from JSON by how it begins", async () => {
    const rows = '{"x": 1}\n{"x": 2}\n';
    for (const text of ["x\n1\n2\n", '[{"x": 1}, {"x": 2}]', '{"x": [1, 2]}', rows]) {
      expect([...(await readTable(text)).numbers("x")]).toEqual([1, 2]);
    }
  });
}
