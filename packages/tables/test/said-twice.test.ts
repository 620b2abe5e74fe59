/** The same column said twice: as numbers and as texts, and in formats that say less than they seem to. */

import fc from "fast-check";
import { strToU8, zipSync } from "fflate";
import { expect, test } from "vitest";
import { readTable } from "../src/index.js";

const seed = Number(process.env["SEED"] ?? 20261118);

test(`the texts of a column are its numbers again, and nothing where one is missing (SEED=${seed})`, async () => {
  const cell = fc.oneof(
    fc.constantFrom("", "NA", "nan", "-", "?"),
    fc.integer({ min: -1e6, max: 1e6 }).map(String),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
    fc.constantFrom("007", "1e-3", "-.5", "TRUE", "false", "inf", "-inf"),
  );
  const column = fc.array(cell, { minLength: 5, maxLength: 5 });
  const kept = fc.constantFrom<ReadonlySet<string> | "all" | undefined>(
    ...[new Set<string>(), new Set(["a"]), "all" as const, undefined],
  );
  let missing = 0;
  await fc.assert(
    fc.asyncProperty(column, column, kept, async (a, b, texts) => {
      const text = `a,b,row\n${a.map((one, i) => `${one},${b[i]},${i}`).join("\n")}\n`;
      const table = await readTable(text, {
        name: "t",
        format: "delimited",
        ...(texts && { texts }),
      });
      for (const [name, cells] of [
        ["a", a],
        ["b", b],
      ] as const) {
        if (!table.isNumeric(name)) continue;
        const numbers = table.numbers(name);
        const said = table.texts(name);
        expect(said).toHaveLength(cells.length);
        for (const [i, word] of said.entries()) {
          const number = numbers[i] as number;
          if (Number.isNaN(number)) expect([name, i, word]).toEqual([name, i, ""]);
          // A text that was kept is that of the file; another one is the number's.
          else if (word !== cells[i]) expect(word).toBe(String(number));
          missing += Number(Number.isNaN(number));
        }
      }
    }),
    { seed, numRuns: 200 },
  );
  expect(missing).toBeGreaterThan(50);
});

test("colours, countries, words and marks of a number format make no date of a number, nor a number of a date", async () => {
  const around: readonly ((code: string) => string)[] = [
    (code) => code,
    ...["Red", "red", "Yellow", "Color 10", "$-409", "$-F800", "<100", "DBNum1", "$USD-409"].map(
      (word) => (code: string) => `[${word}]${code}`,
    ),
    (code) => `[Red][>=9]${code}`,
    (code) => `${code}[Yellow]`,
    ...['"day "', '"d"', "\\d", "\\y", "_d", "_)"].map((mark) => (code: string) => mark + code),
    ...['" days"', "\\d", "_y"].map((mark) => (code: string) => code + mark),
    (code) => `${code};[Red]-${code}`,
    (code) => `[Yellow]"dated "${code}\\d_y`,
  ];
  const codes = {
    number: ["General", "0", "0.00", "#,##0", "0%", "@", "hh:mm", "[h]:mm"],
    date: ["yyyy-mm-dd", "d.m.", "dddd", "m/d/yy", "yyyy", "d mmm"],
  };
  const cases = Object.entries(codes).flatMap(([kind, bare]) =>
    bare.flatMap((code) => around.map((make) => ({ kind, code: make(code) }))),
  );
  const escaped = (text: string): string =>
    text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
  const letters = (index: number): string =>
    index < 26
      ? String.fromCharCode(65 + index)
      : letters(Math.floor(index / 26) - 1) + String.fromCharCode(65 + (index % 26));
  const each = (make: (code: string, at: number) => string): string =>
    cases.map(({ code }, at) => make(code, at)).join("");
  const parts = {
    "xl/workbook.xml":
      '<workbook xmlns:r="r"><workbookPr/><sheets><sheet name="one" r:id="a"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels":
      '<Relationships><Relationship Id="a" Target="./worksheets/s.xml"/></Relationships>',
    "xl/styles.xml":
      `<styleSheet><numFmts>${each((code, at) => `<numFmt numFmtId="${200 + at}" formatCode="${escaped(code)}"/>`)}` +
      `</numFmts><cellXfs>${each((_, at) => `<xf numFmtId="${200 + at}"/>`)}</cellXfs></styleSheet>`,
    "xl/worksheets/s.xml":
      `<worksheet><sheetData><row r="1">${each((_, at) => `<c r="${letters(at)}1" t="inlineStr"><is><t>s${at}</t></is></c>`)}</row>` +
      `<row r="2">${each((_, at) => `<c r="${letters(at)}2" s="${at}"><v>45352</v></c>`)}</row></sheetData></worksheet>`,
  };
  const zip = zipSync(
    Object.fromEntries(Object.entries(parts).map(([name, text]) => [name, strToU8(text)])),
  );
  const read = await readTable(zip, { name: "book.xlsx" });
  for (const [at, { kind, code }] of cases.entries()) {
    expect([code, read.units.has(`s${at}`)]).toEqual([code, kind === "date"]);
    expect(read.numbers(`s${at}`)[0]).toBe(
      kind === "date" ? Date.UTC(2024, 2, 1) / 86_400_000 : 45_352,
    );
  }
});
