/** How text is read as a table: pieces, quotes, numbers, dates, missing values. */

import type { NdvmError } from "@ndvm/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { RowSplitter } from "../src/delimited.js";
import { type ReadOptions, readTable, type Table } from "../src/index.js";

const { SEED } = process.env;
const seed = SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(SEED);
console.info(`text: SEED=${seed}`);

async function tableOf(
  content: string | Uint8Array,
  name = "table.csv",
  options: ReadOptions = {},
): Promise<Table> {
  return readTable(content, { name, ...options });
}

/** All rows of a text. */
function splitRows(text: string): { readonly line: number; readonly cells: readonly string[] }[] {
  const rows: { readonly line: number; readonly cells: readonly string[] }[] = [];
  const splitter = new RowSplitter("text", (row) => rows.push(row));
  splitter.push(text);
  splitter.end();
  return rows;
}

const columns = (table: Table): Record<string, number[]> =>
  Object.fromEntries(table.names.map((name) => [name, [...table.numbers(name)]]));

const cell = fc.string({
  unit: fc.constantFrom("a", "1", '"', ",", "\n", "\r\n", " x", "é"),
  maxLength: 6,
});
const quote = (text: string): string => `"${text.replaceAll('"', '""')}"`;

describe("rows of delimited text", () => {
  test("are the cells that were written, however the text is cut into pieces", () => {
    const rows = fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 6 });
    const cuts = fc.array(fc.nat({ max: 60 }), { maxLength: 5 });
    fc.assert(
      fc.property(rows, cuts, fc.constantFrom("\n", "\r\n"), (written, places, end) => {
        const text = ["h1,h2,h3", ...written.map((row) => row.map(quote).join(","))].join(end);
        const read: (readonly string[])[] = [];
        const splitter = new RowSplitter("text", ({ cells }) => read.push(cells));
        let from = 0;
        for (const place of [...places].sort((a, b) => a - b)) {
          splitter.push(text.slice(from, Math.max(from, place)));
          from = Math.max(from, place);
        }
        splitter.push(text.slice(from));
        splitter.end();
        expect(read).toEqual([["h1", "h2", "h3"], ...written]);
      }),
      { seed },
    );
  });

  test("know the line they start on", () => {
    const lines = splitRows('a,b\n"x\ny",1\n\n2,3\r\n4,5').map(({ line }) => line);
    expect(lines).toEqual([1, 2, 5, 6]);
  });

  test("are counted on after a quoted cell whose lines end in carriage returns alone", () => {
    const lines = splitRows('a,b\r"x\ry",1\r2,"3\r\n4"\r5,6').map(({ line }) => line);
    expect(lines).toEqual([1, 2, 4, 6]);
  });

  test("may end in a carriage return alone, and have blanks around quotes", () => {
    const rows = splitRows('"a" , "b,c"\r1,2\r').map(({ cells }) => cells);
    expect(rows).toEqual([
      ["a", "b,c"],
      ["1", "2"],
    ]);
  });
});

describe("tables", () => {
  test.each([
    ["commas", "x,y\n1,2\n3,4\n"],
    ["tabs", "x\ty\n1\t2\n3\t4\n"],
    ["semicolons", "x;y\n1;2\n3;4\n"],
    ["bars", "x|y\n1|2\n3|4\n"],
    ["quotes", '"x","y"\n"1","2"\n"3","4"\n'],
    ["a byte order mark", "\ufeffx,y\n1,2\n3,4\n"],
    ["comments before the head", "# made by hand\n#\nx,y\n1,2\n3,4\n"],
    ["the head in a comment", "# x,y\n1,2\n3,4\n"],
    ["blank lines", "\nx,y\n\n1,2\n\n3,4\n\n"],
    ["no line break at the end", "x,y\n1,2\n3,4"],
    ["Windows line breaks", "x,y\r\n1,2\r\n3,4\r\n"],
  ])("with %s", async (_, content) => {
    expect(columns(await tableOf(content))).toEqual({ x: [1, 3], y: [2, 4] });
  });

  test("in UTF-16, as spreadsheets write it", async () => {
    const bytes = Buffer.from("\ufeffx\ty\n1\t2\n3\t4\n", "utf16le");
    expect(columns(await tableOf(bytes))).toEqual({ x: [1, 3], y: [2, 4] });
  });

  test.each([
    ["rows", "a.json", '[{"x": 1, "y": 2}, {"y": 4, "x": 3}]'],
    ["columns", "b.json", '{"x": [1, 3], "y": [2, 4]}'],
    ["text", "c.json", '[{"x": "1", "y": "2"}, {"x": "3", "y": "4"}]'],
    ["lines", "d.jsonl", '{"x": 1, "y": 2}\n\n{"x": 3, "y": 4}\n'],
  ])("in JSON, as %s", async (_, file, content) => {
    expect(columns(await tableOf(content, file))).toEqual({ x: [1, 3], y: [2, 4] });
  });

  test("a key that comes late is missing before", async () => {
    const table = await tableOf('[{"x": 1}, {"x": 2, "y": 5}]', "late.json");
    expect(columns(table)).toEqual({ x: [1, 2], y: [Number.NaN, 5] });
  });

  test("numbers as people write them", async () => {
    const table = await tableOf("x\n1\n-2.5\n+3\n.5\n4.\n1e3\n-1E-2\n 7 \ninf\n-Infinity\n");
    expect(columns(table)["x"]).toEqual([1, -2.5, 3, 0.5, 4, 1000, -0.01, 7, Infinity, -Infinity]);
  });

  test("decimal commas where semicolons part the cells", async () => {
    expect(columns(await tableOf("x;y\n1,5;-2,25\n3;4,0\n"))).toEqual({
      x: [1.5, 3],
      y: [-2.25, 4],
    });
  });

  test("truth values are 1 and 0", async () => {
    expect(columns(await tableOf("x\ntrue\nFALSE\n"))["x"]).toEqual([1, 0]);
    expect(columns(await tableOf('[{"x": true}, {"x": false}]', "e.json"))["x"]).toEqual([1, 0]);
  });

  test.each(["", "NA", "n/a", "NaN", "null", "None", ".", "?", "-", "#N/A", "<NA>"])(
    "%j is a missing value",
    async (word) => {
      expect(columns(await tableOf(`x,y\n1,2\n${word},3\n`))["x"]).toEqual([1, Number.NaN]);
    },
  );

  test("further words and numbers can be missing values", async () => {
    const table = await tableOf("x\n1\n-999\n-999.0\nbad\n", "na.csv", {
      missing: ["-999", "bad"],
    });
    expect(columns(table)["x"]).toEqual([1, Number.NaN, Number.NaN, Number.NaN]);
  });

  test("words are an error only in a column that is asked for numbers", async () => {
    const table = await tableOf("x,name\n1,one\n2,two\n");
    expect(table.numbers("x")).toEqual(Float64Array.of(1, 2));
    expect(table.isNumeric("name")).toBe(false);
    expect(() => table.numbers("name")).toThrow('row 1 (line 2), column name: "one"');
  });

  test("the text of a column is kept where it is asked for", async () => {
    const table = await tableOf("x\n01\n1\nNA\n", "ids.csv", { texts: new Set(["x"]) });
    expect(table.texts("x")).toEqual(["01", "1", ""]);
  });

  test("a column without a name gets one", async () => {
    expect((await tableOf(",y\n0,1\n1,2\n")).names).toEqual(["column1", "y"]);
  });

  test("a long file is read in pieces", async () => {
    const rows = 200_000;
    const lines = Array.from({ length: rows }, (_, row) => `${row},"${row % 7}",some words\n`);
    const table = await tableOf(`x,y,text\n${lines.join("")}`);
    const sum = table.numbers("x").reduce((total, value) => total + value, 0);
    expect(table.rowCount).toBe(rows);
    expect(sum).toBe((rows * (rows - 1)) / 2);
    expect(table.rowsInWords([rows - 1])).toBe(`row ${rows} (line ${rows + 1})`);
  });

  test("numbers that cannot be read are told with their row, line, column and text", async () => {
    const table = await tableOf("x,y\n1,2\n\n3,4 kg\n5,6 kg\n");
    let error: NdvmError | undefined;
    try {
      table.numbers("y");
    } catch (cause) {
      error = cause as NdvmError;
    }
    expect(error?.message).toBe(
      'table.csv: row 2 (line 4), column y: "4 kg" is not a number, nor is 1 more of its cells',
    );
    expect(error?.facts).toEqual({
      reason: "word",
      rows: [1],
      rowsMore: 1,
      column: "y",
      expected: "number",
      actual: "4 kg",
    });
    expect(error?.help).toBe("leave out units and signs after the number");
  });
});

const DAY = 86_400_000;

describe("dates", () => {
  test.each([
    ["2024-03-01", Date.UTC(2024, 2, 1)],
    ["2024/3/1", Date.UTC(2024, 2, 1)],
    ["01.03.2024", Date.UTC(2024, 2, 1)],
    ["2024-03-01T12:30", Date.UTC(2024, 2, 1, 12, 30)],
    ["2024-03-01 12:30:15.5Z", Date.UTC(2024, 2, 1, 12, 30, 15, 500)],
    ["2024-03-01T00:00:00+02:00", Date.UTC(2024, 1, 29, 22)],
    ["1903-12-31", Date.UTC(1903, 11, 31)],
    ["0044-03-15", new Date("0044-03-15T00:00:00Z").getTime()],
  ])("%s", async (text, milliseconds) => {
    const table = await tableOf(`when,y\n${text},1\n`);
    expect(table.numbers("when")[0]).toBe(milliseconds / DAY);
    expect(table.units.get("when")).toBe("days since 1970-01-01");
  });

  test.each(["03/04/2024", "2024-02-30", "2024-13-01", "2024-03", "2024-03-01T25:00"])(
    "%s is a word",
    async (text) => {
      const table = await tableOf(`when,y\n${text},1\n`);
      expect(table.isNumeric("when")).toBe(false);
      expect(() => table.numbers("when")).toThrow(`"${text}" is not a number`);
    },
  );

  test("count in the unit that was asked for, or stay words", async () => {
    const text = "when\n1970-01-03\n\n1970-01-02\n";
    const hours = await tableOf(text, "d.csv", { dates: "hours" });
    expect([...hours.numbers("when")]).toEqual([48, Number.NaN, 24]);
    expect(hours.units.get("when")).toBe("hours since 1970-01-01");
    const words = await tableOf(text, "d.csv", { dates: "words" });
    expect(words.columns.get("when")).toEqual(["1970-01-03", "", "1970-01-02"]);
  });

  test("a number among dates, or a date among numbers, makes a column of words", async () => {
    const table = await tableOf("a,b\n2024-03-01,1\n5,2024-03-02\n");
    expect(() => table.numbers("a")).toThrow('"5" is not a date, as the cells above it are');
    expect(() => table.numbers("b")).toThrow('"2024-03-02" is not a number');
    expect(table.columns.get("a")).toEqual(["2024-03-01", "5"]);
  });
});

describe("columns of words", () => {
  const late = `x\n${Array.from({ length: 3000 }, (_, row) => `0${row}\n`).join("")}end\n`;

  test("keep their text word for word where it is asked for", async () => {
    const table = await tableOf(late, "l.csv", { texts: new Set(["x"]) });
    expect(table.columns.get("x")?.slice(-2)).toEqual(["02999", "end"]);
  });

  test("that turn out late have earlier numbers written anew", async () => {
    expect((await tableOf(late)).columns.get("x")?.slice(-2)).toEqual(["2999", "end"]);
    const early = await tableOf("x\n01\nend\n");
    expect(early.columns.get("x")).toEqual(["01", "end"]);
  });

  test("are not kept where only others are asked for, and say so", async () => {
    const table = await tableOf("x,y\none,1\n", "k.csv", { texts: new Set() });
    expect([...table.columns.keys()]).toEqual(["y"]);
    expect(table.names).toEqual(["x", "y"]);
    expect(() => table.texts("x")).toThrow('column x: "one" is not a number');
  });
});

describe("numbers in long columns", () => {
  test("are those that JavaScript reads, digit for digit", async () => {
    const number = fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
      fc.tuple(fc.integer(), fc.nat(6)).map(([n, d]) => (n / 10 ** d).toFixed(d)),
      fc.constantFrom("-0", "-.5", "5.", "+3", "1e5", "0.1", "123456789012345678", "-999"),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(number, { minLength: 1 }), async (texts) => {
        // The first rows of a column are read with their text; these come after them.
        const lines = [
          ...Array<string>(1100).fill("1;2"),
          ...texts.map((text) => `${text};${text}`),
        ];
        const table = await tableOf(`x;y\n${lines.join("\n")}`);
        const expected = texts.map(Number);
        expect([...table.numbers("x").slice(1100)]).toEqual(expected);
        expect([...table.numbers("y").slice(1100)]).toEqual(expected);
      }),
      { seed, numRuns: 50 },
    );
  });

  test.each([
    ["a missing cell", "1,,3", [1, Number.NaN, 3]],
    ["blanks", " 1 , 2,3 ", [1, 2, 3]],
    ["quotes", '1,"2",3', [1, 2, 3]],
    ["an empty cell at the end", "1,2,", [1, 2, Number.NaN]],
  ])("%s", async (_, line, expected) => {
    const head = `a,b,c\n${"9,9,9\n".repeat(1100)}`;
    const table = await tableOf(`${head}${line}\n7,8,9\n`);
    expect(table.names.map((name) => table.numbers(name)[1100])).toEqual(expected);
    expect(table.names.map((name) => table.numbers(name)[1101])).toEqual([7, 8, 9]);
  });

  test.each(["1,2", "1,2,3,4", "1,2,3,"])("%s is a ragged row", async (line) => {
    const text = `a,b,c\n${"9,9,9\n".repeat(1100)}${line}\n`;
    await expect(tableOf(text)).rejects.toThrow("line 1102 has");
  });
});

describe("text that is no table", () => {
  async function factsOf(text: string | Uint8Array, options: ReadOptions = {}): Promise<unknown> {
    return tableOf(text, "bad.csv", options).then(
      () => "it was read",
      (error: NdvmError) => error.facts,
    );
  }

  test.each([
    ["", { reason: "empty" }],
    ["x,y\n", { reason: "empty" }],
    ["x,y\n1,2\n1\n", { reason: "ragged", rows: [1], limit: 2, value: 1, actual: "1" }],
    ["1,2\n3,4\n", { reason: "head", value: 1 }],
    ["x,x\n1,2\n", { reason: "twice", column: "x" }],
    ['x\n"1\n', { reason: "quote", value: 2 }],
    ['x,y\n"1"2,3\n', { reason: "quote", value: 2 }],
  ])("%j", async (text, facts) => {
    expect(await factsOf(text)).toEqual(facts);
  });

  test("bytes that are not UTF-8", async () => {
    const latin = Uint8Array.from([0x78, 0x0a, 0xe9, 0x0a]);
    expect(await factsOf(latin)).toEqual({ reason: "text", expected: "utf-8" });
    expect(await factsOf(latin, { encoding: "windows-1252" })).toBe("it was read");
    expect(await factsOf("x\n1\n", { encoding: "morse" })).toMatchObject({ option: "encoding" });
  });

  test("more than may be read", async () => {
    const rows = "1\n".repeat(70_000);
    expect(await factsOf(`x\n${rows}`, { bytesMax: 1000 })).toMatchObject({
      reason: "size",
      limit: 1000,
    });
  });

  test("a column to rename that is not there", async () => {
    const renamed = new Map([["y", "heigt"]]);
    expect(await factsOf("height\n1\n", { renamed })).toEqual({
      reason: "column",
      column: "heigt",
      names: ["height"],
    });
  });

  test("a head is not needed where it is optional", async () => {
    const table = await tableOf("1,2\n3,4\n", "m.csv", { head: "optional" });
    expect(columns(table)).toEqual({ column1: [1, 3], column2: [2, 4] });
  });
});
