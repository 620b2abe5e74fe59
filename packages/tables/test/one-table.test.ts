/**
 * One table, however it is written: random cells as delimited text, JSON and sheets, cut into pieces
 * anywhere, are the columns that a plain reader of cells makes of them.
 */

import fc from "fast-check";
import { strToU8, unzipSync, zipSync } from "fflate";
import { describe, expect, test } from "vitest";
import { type ReadOptions, readTable, type Table } from "../src/index.js";

const { SEED } = process.env;
const seed = SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(SEED);
console.info(`one table: SEED=${seed}`);

const DAY = 86_400_000;

/** What a cell is: its text, and what it stands for. */
type Meaning = { readonly number: number } | { readonly day: number } | "missing" | "word";
interface Cell {
  readonly text: string;
  readonly means: Meaning;
}

const numbers = fc.oneof(
  fc.integer({ min: -1000, max: 1000 }).map((n) => ({ text: String(n), means: { number: n } })),
  fc
    .double({ min: -1e6, max: 1e6, noNaN: true })
    .map((n) => ({ text: String(n), means: { number: Number(String(n)) } })),
  fc.constantFrom<Cell>(
    { text: "007", means: { number: 7 } },
    { text: "1e-3", means: { number: 0.001 } },
    { text: "-.5", means: { number: -0.5 } },
    { text: "5.", means: { number: 5 } },
    { text: "+3", means: { number: 3 } },
    { text: "TRUE", means: { number: 1 } },
    { text: "false", means: { number: 0 } },
    { text: "-inf", means: { number: Number.NEGATIVE_INFINITY } },
    { text: "1234567890123456", means: { number: 1234567890123456 } },
    { text: "0.1234567890123456", means: { number: 0.1234567890123456 } },
  ),
);
const dates = fc.integer({ min: -20_000, max: 40_000 }).map((day): Cell => {
  return { text: new Date(day * DAY).toISOString().slice(0, 10), means: { day } };
});
const missing = fc.constantFrom("", "NA", "null", ".", "--").map((text): Cell => {
  return { text, means: "missing" };
});
const words = fc
  .constantFrom(
    "one",
    "two words",
    "x,y",
    'say "hi"',
    "naïve",
    "12 kg",
    "2024-13-01",
    "a;b",
    "l1\nl2",
  )
  .map((text): Cell => ({ text, means: "word" }));
/** Most columns are of one kind, some are mixed. */
const columnCells = (rows: number): fc.Arbitrary<readonly Cell[]> =>
  fc
    .constantFrom(
      fc.oneof(numbers, missing),
      fc.oneof(dates, missing),
      fc.oneof(words, numbers),
      fc.oneof(dates, numbers, missing),
      fc.oneof(numbers, numbers, numbers, words, dates, missing),
    )
    .chain((cell) => fc.array(cell, { minLength: rows, maxLength: rows }));
const table = fc
  .tuple(fc.integer({ min: 1, max: 7 }), fc.integer({ min: 2, max: 4 }))
  .chain(([rows, columns]) =>
    fc.array(columnCells(rows), { minLength: columns, maxLength: columns }),
  );

/** What a column of cells is, by looking at all of them. */
interface Expected {
  readonly numbers: readonly number[] | undefined;
  readonly texts: readonly string[];
  readonly firstWord: number;
  readonly words: number;
  readonly isDates: boolean;
}

function expectedOf(cells: readonly Cell[]): Expected {
  const kindOf = ({ means }: Cell): string =>
    means === "missing" ? "missing" : means === "word" ? "word" : "day" in means ? "day" : "number";
  const kinds = cells.map(kindOf);
  const first = kinds.find((kind) => kind !== "missing");
  const odd = kinds.findIndex((kind) => kind !== "missing" && (kind === "word" || kind !== first));
  const texts = cells.map(({ text, means }) => (means === "missing" ? "" : text));
  if (odd < 0)
    return {
      numbers: cells.map(({ means }) =>
        typeof means === "string" ? Number.NaN : "day" in means ? means.day : means.number,
      ),
      ...{ texts, firstWord: -1, words: 0, isDates: first === "day" },
    };
  const later = kinds.slice(odd + 1).filter((kind) => kind === "word").length;
  return { numbers: undefined, texts, firstWord: odd, words: 1 + later, isDates: false };
}

const nameOf = (index: number): string => `c${index}`;

function check(read: Table, columns: readonly (readonly Cell[])[], hasTexts = true): void {
  expect(read.names).toEqual(columns.map((_, index) => nameOf(index)));
  expect(read.rowCount).toBe(columns[0]?.length);
  for (const [index, cells] of columns.entries()) {
    const name = nameOf(index);
    const want = expectedOf(cells);
    expect(read.isNumeric(name)).toBe(want.numbers !== undefined);
    expect(read.units.has(name)).toBe(want.isDates);
    if (want.numbers !== undefined) {
      expect([...read.numbers(name)]).toEqual(want.numbers);
      continue;
    }
    if (hasTexts) expect(read.texts(name)).toEqual(want.texts);
    const more = want.words - 1;
    const tail = more === 0 ? "" : `, nor ${more === 1 ? "is 1" : `are ${more}`} more of its cells`;
    expect(() => read.numbers(name)).toThrow(
      tail === "" ? /is not a (number|date[^,]*, as.*)$/ : tail,
    );
    expect(() => read.numbers(name)).toThrow(`row ${want.firstWord + 1}`);
  }
}

async function* cut(text: string | Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
  for (let at = 0; at < bytes.length; at += size) yield bytes.slice(at, at + size);
}

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;

/** The cells as delimited text; only what must be is quoted, or all of it. */
function delimited(
  columns: readonly (readonly Cell[])[],
  mark: string,
  end: string,
  isQuoted: boolean,
): string {
  const plain = (text: string): string =>
    isQuoted || /["\n\r]/.test(text) || text.includes(mark) ? quoted(text) : text;
  const rows = (columns[0] ?? []).map((_, row) =>
    columns.map((cells) => plain(cells[row]?.text ?? "")).join(mark),
  );
  return [columns.map((_, index) => nameOf(index)).join(mark), ...rows].join(end) + end;
}

const options = (more: ReadOptions = {}): ReadOptions => ({
  name: "t",
  format: "delimited",
  ...more,
});

describe("delimited text", () => {
  test("is its cells, whatever the marks, quotes, line ends and pieces are", async () => {
    const marks = fc.constantFrom(",", "\t", "|", " ", ":");
    const ends = fc.constantFrom("\n", "\r\n", "\r");
    const settings = fc.tuple(marks, ends, fc.boolean(), fc.integer({ min: 1, max: 40 }));
    await fc.assert(
      fc.asyncProperty(table, settings, async (columns, [mark, end, isQuoted, size]) => {
        const text = delimited(columns, mark, end, isQuoted);
        const given = options({ delimiter: mark });
        check(await readTable(cut(text, size), given), columns);
        check(await readTable(text, { ...given, texts: new Set(["c0"]) }), columns, false);
      }),
      { seed, numRuns: 150 },
    );
  });

  test("is the same after many rows, where numbers are read in place", async () => {
    await fc.assert(
      fc.asyncProperty(table, fc.integer({ min: 60, max: 5000 }), async (columns, size) => {
        const lead: Cell = { text: "2", means: { number: 2 } };
        const day: Cell = { text: "1970-01-03", means: { day: 2 } };
        const long = columns.map((cells) => {
          const isDates = expectedOf(cells).isDates;
          return [...Array<Cell>(1100).fill(isDates ? day : lead), ...cells];
        });
        const read = await readTable(cut(delimited(long, ",", "\n", false), size), options());
        for (const [index, cells] of long.entries()) {
          const { numbers: want, firstWord } = expectedOf(cells);
          if (want !== undefined) expect([...read.numbers(nameOf(index))]).toEqual(want);
          else expect(() => read.numbers(nameOf(index))).toThrow(`row ${firstWord + 1}`);
        }
        const rows = long[0]?.length ?? 0;
        expect(read.rowCount).toBe(rows);
      }),
      { seed, numRuns: 25 },
    );
  });

  test("numbers every row by the line it begins on", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(2), fc.nat(2)), { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 1, max: 30 }),
        async (rows, size) => {
          let text = "a,b\n";
          let line = 2;
          const lines: number[] = [];
          for (const [blank, inside] of rows) {
            text += "\n".repeat(blank);
            line += blank;
            lines.push(line);
            text += `1,"x${"\n".repeat(inside)}"\n`;
            line += 1 + inside;
          }
          const read = await readTable(cut(text, size), options());
          expect([...read.rowNumbers]).toEqual(lines);
        },
      ),
      { seed },
    );
  });
});

describe("JSON", () => {
  const json = ({ text, means }: Cell): unknown =>
    means === "missing"
      ? null
      : typeof means === "object" && "number" in means && String(means.number) === text
        ? means.number
        : text;

  test("is its cells as rows, as columns and as lines", async () => {
    await fc.assert(
      fc.asyncProperty(table, fc.integer({ min: 1, max: 50 }), async (columns, size) => {
        const count = columns[0]?.length ?? 0;
        const rows = Array.from({ length: count }, (_, row) =>
          Object.fromEntries(
            columns.map((cells, index) => [nameOf(index), json(cells[row] as Cell)]),
          ),
        );
        const sides = Object.fromEntries(
          columns.map((cells, index) => [nameOf(index), cells.map(json)]),
        );
        const lines = rows.map((row) => JSON.stringify(row)).join("\n");
        const of = (text: string, format: "json" | "json-lines") =>
          readTable(cut(text, size), { name: "t", format });
        check(await of(JSON.stringify(rows), "json"), columns);
        check(await of(JSON.stringify(sides), "json"), columns);
        check(await of(lines, "json-lines"), columns);
      }),
      { seed, numRuns: 60 },
    );
  });
});

describe("a sheet", () => {
  const letters = (index: number): string =>
    index < 26
      ? String.fromCharCode(65 + index)
      : letters(Math.floor(index / 26) - 1) + String.fromCharCode(65 + (index % 26));
  const escaped = (text: string): string =>
    text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
  const book = (sheet: string, others: Readonly<Record<string, string>> = {}): Uint8Array =>
    zipSync(
      Object.fromEntries(
        Object.entries({
          "xl/workbook.xml":
            '<workbook xmlns:r="r"><workbookPr/><sheets><sheet name="one" r:id="a"/></sheets></workbook>',
          "xl/_rels/workbook.xml.rels":
            '<Relationships><Relationship Id="a" Target="./worksheets/s.xml"/></Relationships>',
          "xl/worksheets/s.xml": `<worksheet><sheetData>${sheet}</sheetData></worksheet>`,
          ...others,
        }).map(([name, text]) => [name, strToU8(text)]),
      ),
    );
  const inline = (at: string, text: string): string =>
    `<c r="${at}" t="inlineStr"><is><t>${escaped(text)}</t></is></c>`;

  test("is its cells, wherever the table begins and however cells are written", async () => {
    const place = fc.tuple(fc.integer({ min: 0, max: 800 }), fc.integer({ min: 1, max: 9 }));
    // Between elements there may be blanks, which are no part of a cell.
    const ways = fc.record({ isShared: fc.boolean(), gap: fc.constantFrom("", "\n  ") });
    await fc.assert(
      fc.asyncProperty(table, place, ways, async (columns, [left, top], { isShared, gap }) => {
        const strings: string[] = [];
        const inline = (at: string, text: string): string =>
          `<c r="${at}" t="inlineStr">${gap}<is>${gap}<t>${escaped(text)}</t>${gap}<rPh><t>no</t></rPh>${gap}</is>${gap}</c>`;
        const stored = (at: string, type: string, value: string | number): string =>
          `<c r="${at}"${type}>${gap}<f>A1*2</f>${gap}<v>${value}</v>${gap}</c>`;
        const cellText = ({ text, means }: Cell, at: string): string => {
          if (means === "missing") return "";
          if (typeof means === "object" && "number" in means && String(means.number) === text)
            return stored(at, "", text);
          if (text === "TRUE" || text === "false")
            return stored(at, ' t="b"', isShared ? Number(text === "TRUE") : text.toLowerCase());
          if (!isShared) return inline(at, text);
          strings.push(text);
          return stored(at, ' t="s"', strings.length - 1);
        };
        const head = columns
          .map((_, index) => inline(`${letters(left + index)}${top}`, nameOf(index)))
          .join("");
        const rows = (columns[0] ?? []).map((_, row) => {
          const number = top + 1 + row;
          const cells = columns.map((column, index) =>
            cellText(column[row] as Cell, `${letters(left + index)}${number}`),
          );
          return { number, text: cells.join("") };
        });
        // A row in which nothing is written is no row of a sheet's table.
        const kept = rows.flatMap(({ text }, row) => (text === "" ? [] : [row]));
        if (kept.length === 0) return;
        const body = rows.map(({ number, text }) => `<row r="${number}">${text}</row>`).join("");
        const shared = `<sst>${strings
          .map((text) => {
            const half = Math.floor(text.length / 2);
            const runs = [text.slice(0, half), text.slice(half)].map(
              (part) => `<r>${gap}<t>${escaped(part)}</t>${gap}</r>${gap}`,
            );
            return `<si>${gap}${runs.join("")}<rPh>${gap}<t>no</t>${gap}</rPh>${gap}</si>`;
          })
          .join(gap)}</sst>`;
        const bytes = book(`<row r="${top}">${head}</row>${body}`, {
          "xl/sharedStrings.xml": shared,
        });
        const read = await readTable(bytes, { name: "t" });
        const asRead = columns.map((cells) =>
          kept.map((row): Cell => {
            const cell = cells[row] as Cell;
            return cell.text === "TRUE" ? { ...cell, text: "true" } : cell;
          }),
        );
        check(read, asRead);
        expect([...read.rowNumbers]).toEqual(kept.map((row) => top + 1 + row));
      }),
      { seed, numRuns: 60 },
    );
  });

  const styled = async (formats: readonly string[], serial: number, properties = "") => {
    const styles = `<styleSheet><numFmts>${formats
      .map((code, id) => `<numFmt numFmtId="${200 + id}" formatCode="${escaped(code)}"/>`)
      .join("")}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs>${[
      ...Array.from({ length: 60 }, (_, id) => id),
      ...formats.map((_, id) => 200 + id),
    ]
      .map((id) => `<xf numFmtId="${id}"/>`)
      .join("")}</cellXfs><dxfs><xf numFmtId="14"/></dxfs></styleSheet>`;
    // The last cell has a style that is not among those of cells.
    const count = 60 + formats.length + 1;
    const head = Array.from({ length: count }, (_, at) => inline(`${letters(at)}1`, `s${at}`));
    const row = Array.from(
      { length: count },
      (_, at) => `<c r="${letters(at)}2" s="${at}"><v>${serial}</v></c>`,
    );
    return readTable(
      book(`<row r="1">${head.join("")}</row><row r="2">${row.join("")}</row>`, {
        "xl/styles.xml": styles,
        "xl/workbook.xml": `<workbook xmlns:r="r">${properties}<sheets><sheet name="one" r:id="a"/></sheets></workbook>`,
      }),
    );
  };

  test("tells dates by the format's number or its code", async () => {
    const formats = [
      "yyyy-mm-dd",
      "d.m.",
      "0.00",
      '"day" 0',
      "[red]0",
      "hh:mm",
      "0;d",
      "\\d0",
      "dd#",
      "General;yyyy",
      "yyyy;0",
    ];
    const read = await styled(formats, 45_352);
    const isDate = (style: number): boolean => read.units.has(`s${style}`);
    const found = Array.from({ length: 60 }, (_, style) => style).filter(isDate);
    const range = (from: number, to: number): number[] =>
      Array.from({ length: to - from + 1 }, (_, i) => from + i);
    expect(found).toEqual([...range(14, 17), 22, ...range(27, 36), ...range(50, 58)]);
    expect(formats.map((_, at) => isDate(60 + at))).toEqual([
      ...[true, true, false, false, false, false, false, false, false, false, true],
    ]);
    expect(isDate(60 + formats.length)).toBe(false);
    expect(read.numbers("s14")[0]).toBe(Date.UTC(2024, 2, 1) / DAY);
    expect(read.numbers("s0")[0]).toBe(45_352);
  });

  test.each([
    [59, false, Date.UTC(1900, 1, 28)],
    [61, false, Date.UTC(1900, 2, 1)],
    [1, false, Date.UTC(1900, 0, 1)],
    [60, false, Date.UTC(1900, 1, 28)],
    [0, true, Date.UTC(1904, 0, 1)],
    [1.25, true, Date.UTC(1904, 0, 2, 6)],
  ])("day %s, of 1904: %s", async (serial, is1904, milliseconds) => {
    const said = is1904 ? ["1", "true"] : ["0", "false", "11", ""];
    const ways = said.map((word) => `<workbookPr date1904="${word}"/>`);
    for (const properties of is1904 ? ways : [...ways, "<workbookPr/>", ""]) {
      const read = await styled([], serial, properties);
      expect(read.numbers("s14")[0], properties).toBe(milliseconds / DAY);
    }
  });

  test("rows and cells without a place follow the one before", async () => {
    const cell = (value: number): string => `<c><v>${value}</v></c>`;
    const rows = `<row>${inline("A1", "a")}${inline("B1", "b")}</row>
      <row>${cell(1)}${cell(2)}</row><row r="0">${cell(3)}${cell(4)}</row>
      <row r="9">${cell(5)}<c r="B9"><v>6</v></c></row><row r="x">${cell(7)}${cell(8)}</row>`;
    const read = await readTable(book(rows));
    expect([...read.numbers("a")]).toEqual([1, 3, 5, 7]);
    expect([...read.numbers("b")]).toEqual([2, 4, 6, 8]);
    expect([...read.rowNumbers]).toEqual([2, 3, 9, 10]);
  });

  test("the last column is XFD, and what lies beside the table is named", async () => {
    const rows = (at: string) =>
      `<row r="1">${inline("B1", "b")}</row><row r="2"><c r="B2"><v>1</v></c>${inline(at, "odd")}</row>`;
    for (const at of ["A2", "C2", "AA2", "ZZ2", "AAA2", "XFD2"])
      await expect(readTable(book(rows(at)))).rejects.toThrow(`cell ${at} ("odd")`);
    // No cell is called so: it follows the one before.
    await expect(readTable(book(rows("XFE2")))).rejects.toThrow('cell C2 ("odd")');
  });

  test("bytes that are no UTF-8 make no table", async () => {
    const parts = unzipSync(book(`<row r="1">${inline("A1", "x@")}</row>`));
    const sheet = parts["xl/worksheets/s.xml"] as Uint8Array;
    sheet[sheet.indexOf("@".charCodeAt(0))] = 0xff;
    await expect(readTable(zipSync(parts))).rejects.toMatchObject({
      facts: { reason: "foreign", expected: "xlsx" },
    });
  });

  test("a cell of numbers that holds none is a word, and so is an error", async () => {
    const rows = `<row r="1">${inline("A1", "a")}${inline("B1", "b")}</row>
      <row r="2"><c r="A2"><v>abc</v></c><c r="B2" t="e"><v>#DIV/0!</v></c></row>
      <row r="3"><c r="A3" t="n"><v>1e3</v></c><c r="B3" t="str"><v>12</v></c></row>`;
    const read = await readTable(book(rows));
    expect(read.texts("a")).toEqual(["abc", "1000"]);
    expect(read.texts("b")).toEqual(["#DIV/0!", "12"]);
    expect(() => read.numbers("a")).toThrow('"abc" is not a number');
  });

  test("text may stand in sections of its own, shared or not", async () => {
    const rows = `<row r="1"><c r="A1" t="inlineStr"><is><t>a <![CDATA[<&>]]> b</t></is></c></row>
      <row r="2"><c r="A2" t="s"><v>0</v></c></row><row r="3"><c r="A3"><v><![CDATA[7]]></v></c></row>`;
    const shared = "<sst><si><r><t>one </t></r><r><t><![CDATA[& two]]></t></r></si></sst>";
    const read = await readTable(book(rows, { "xl/sharedStrings.xml": shared }));
    expect(read.names).toEqual(["a <&> b"]);
    expect(read.texts("a <&> b")).toEqual(["one & two", "7"]);
  });

  test("may unpack to as many bytes as it may, all its parts together, and to none more", async () => {
    const shared = `<sst><si><t>x</t></si></sst>${" ".repeat(3000)}`;
    const styles = `<styleSheet/>${" ".repeat(3000)}`;
    const rows = `<row r="1"><c r="A1" t="s"><v>0</v></c></row><row r="2"><c r="A2"><v>1</v></c></row>`;
    const parts = { "xl/sharedStrings.xml": shared, "xl/styles.xml": styles };
    const bytes = book(rows + " ".repeat(3000), { ...parts, "xl/media/i.png": "x".repeat(1e5) });
    const unpacked = Object.entries(unzipSync(bytes))
      .filter(([name]) => name !== "xl/media/i.png")
      .reduce((sum, [, part]) => sum + part.length, 0);
    expect((await readTable(bytes, { bytesMax: unpacked })).names).toEqual(["x"]);
    for (const bytesMax of [unpacked - 1, unpacked - 2000])
      await expect(readTable(bytes, { bytesMax })).rejects.toMatchObject({
        facts: { reason: "size", limit: bytesMax },
      });
  });

  test("a column may be called by a date, a truth value or a number beside a word", async () => {
    const styles =
      '<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>';
    const rows = `<row r="1"><c r="A1" s="1"><v>45352.5</v></c><c r="B1" t="b"><v>1</v></c>
      <c r="C1"><v>7</v></c>${inline("D1", " d ")}<c r="F1" t="str"><v>f</v></c></row>
      <row r="2"><c r="A2"><v>1</v></c><c r="F2"><v>2</v></c></row>`;
    const read = await readTable(book(rows, { "xl/styles.xml": styles }));
    expect(read.names).toEqual(["2024-03-01", "true", "7", "d", "column5", "f"]);
    expect(read.names.map((name) => read.numbers(name)[0])).toEqual([
      ...[1, Number.NaN, Number.NaN, Number.NaN, Number.NaN, 2],
    ]);
    const twice = `<row r="1">${inline("A1", "a")}${inline("B1", "a")}</row>`;
    await expect(readTable(book(twice))).rejects.toMatchObject({ facts: { column: "a" } });
  });

  test("a head of numbers is none, unless none is needed", async () => {
    const rows = '<row r="3"><c r="A3"><v>1</v></c><c r="B3"><v>2</v></c></row>';
    await expect(readTable(book(rows))).rejects.toMatchObject({
      facts: { reason: "head", value: 3 },
    });
    const read = await readTable(book(rows), { head: "optional" });
    expect(read.names).toEqual(["column1", "column2"]);
    expect([...read.numbers("column2")]).toEqual([2]);
    await expect(readTable(book(""))).rejects.toMatchObject({ facts: { reason: "empty" } });
  });
});
