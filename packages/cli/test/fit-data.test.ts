/** How tables are read: pieces, quotes, types, missing values. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { RowSplitter, splitRows } from "../src/delimited.js";
import { type DataTable, readDataTable, type TableOptions } from "../src/fit/table.js";
import { folder, writeFile } from "./run.js";

const { SEED } = process.env;
const seed = SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(SEED);
console.info(`fit-data: SEED=${seed}`);

async function tableOf(
  content: string | Uint8Array,
  name = "table.csv",
  options: TableOptions = {},
): Promise<DataTable> {
  writeFile(name, content);
  return readDataTable(`${folder}/${name}`, options);
}

const columns = (table: DataTable): Record<string, number[]> =>
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
    const lines = splitRows("text", 'a,b\n"x\ny",1\n\n2,3\r\n4,5').map(({ line }) => line);
    expect(lines).toEqual([1, 2, 5, 6]);
  });

  test("may end in a carriage return alone, and have blanks around quotes", () => {
    const rows = splitRows("text", '"a" , "b,c"\r1,2\r').map(({ cells }) => cells);
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
});
