/**
 * Every short text of digits, marks, quotes, blanks and line ends, below a head of one column and of
 * two, whole and cut in every place: what is read is what a plain reader of whole texts reads, cell by
 * cell and line by line, and what is refused is refused for the same reason at the same line.
 */

import type { NdvmError } from "@ndvm/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { TableBuilder } from "../src/builder.js";
import { RowSplitter } from "../src/delimited.js";
import { shortened } from "../src/errors.js";
import { readTable } from "../src/index.js";
import { readDelimited } from "../src/read-delimited.js";
import { ROW_MOST } from "../src/unfinished-row.js";

const seed = Number(process.env["SEED"] ?? 20261118);
const ALPHABET = ["1", ",", '"', "\n", "\r", " "];

interface Read {
  readonly rows: readonly (readonly string[])[];
  readonly lines: readonly number[];
  /** Why reading ended, if it did before the end. */
  readonly refused?: object | undefined;
}

const linesIn = (text: string): number => text.split(/\r\n|\r|\n/).length - 1;

/** The row at the start of a text: its cells, what is left behind its line, or why there is no row. */
function rowOf(text: string): { cells: string[]; length: number } | { cells: string[] } {
  const cells: string[] = [];
  let at = 0;
  for (;;) {
    const rest = text.slice(at);
    const quoted = /^ *"((?:[^"]|"")*)"(?!") */.exec(rest);
    if (quoted === null && /^ *"/.test(rest)) return { cells };
    const plain = rest.split(/[,\r\n]/)[0] as string;
    cells.push(quoted?.[1]?.replaceAll('""', '"') ?? plain);
    at += (quoted?.[0] ?? plain).length;
    const end = /^(,|\r\n|\r|\n|$)/.exec(text.slice(at))?.[0];
    if (end === undefined) return { cells };
    at += end.length;
    if (end !== ",") return { cells, length: at };
  }
}

/** What a body below a head of so many columns holds, by looking at the whole of it. */
function plainly(body: string, width: number): Read {
  const [rows, lines, blanks]: [string[][], number[], number[]] = [[], [], []];
  let [rest, line] = [body, 2];
  while (rest !== "") {
    const row = rowOf(rest);
    const { cells } = row;
    if (!("length" in row)) {
      // A cell that is not closed is not among the cells; one with text behind it is.
      const value = line + cells.reduce((sum, cell) => sum + linesIn(cell), 0);
      return { rows, lines, refused: { reason: "quote", value } };
    }
    const isBlank = cells.length === 1 && cells[0]?.trim() === "";
    if (isBlank && width === 1) blanks.push(line);
    else if (!isBlank) {
      for (const blank of blanks.splice(0)) {
        rows.push([""]);
        lines.push(blank);
      }
      if (cells.length !== width) {
        const facts = { limit: width, value: cells.length, actual: cells.join(",") };
        return { rows, lines, refused: { reason: "ragged", rows: [rows.length], ...facts } };
      }
      rows.push(cells.map((cell) => cell.trim()));
      lines.push(line);
    }
    line +=
      linesIn(rest.slice(0, row.length)) + (/[\r\n]$/.test(rest.slice(0, row.length)) ? 0 : 1);
    rest = rest.slice(row.length);
  }
  return rows.length > 0 ? { rows, lines } : { rows, lines, refused: { reason: "empty" } };
}

async function* given(pieces: readonly string[]): AsyncGenerator<string> {
  yield* pieces;
}

/** What the reader makes of a head and the pieces behind it; texts are kept, or numbers read in place. */
async function reading(pieces: readonly string[], names: readonly string[], isText: boolean) {
  const options = { texts: new Set(isText ? names : []) };
  const builder = new TableBuilder("t", options);
  try {
    const table = await readDelimited(builder, given([`${names.join(",")}\n`, ...pieces]), options);
    const columns = names.map((name) =>
      isText ? table.texts(name) : table.isNumeric(name) ? [...table.numbers(name)] : "words",
    );
    return { columns, lines: [...table.rowNumbers] };
  } catch (error) {
    return { refused: (error as NdvmError).facts };
  }
}

/** The same of the plain reading. */
function wanted({ rows, lines, refused }: Read, width: number, isText: boolean) {
  if (refused !== undefined) return { refused };
  const columns = Array.from({ length: width }, (_, index) => {
    const texts = rows.map((row) => row[index] as string);
    if (isText) return texts;
    const isNumeric = texts.every((text) => /^1*$/.test(text));
    return isNumeric ? texts.map((text) => (text === "" ? Number.NaN : Number(text))) : "words";
  });
  return { columns, lines };
}

function textsOf(length: number): string[] {
  if (length === 0) return [""];
  return textsOf(length - 1).flatMap((text) => ALPHABET.map((mark) => text + mark));
}

async function check(body: string, ways: readonly (readonly string[])[]): Promise<void> {
  for (const names of [["a"], ["a", "b"]]) {
    const plain = plainly(body, names.length);
    for (const isText of [true, false]) {
      const want = wanted(plain, names.length, isText);
      for (const pieces of ways) {
        const read = await reading(pieces, names, isText);
        // Comparing by a matcher alone would take most of the time.
        if (JSON.stringify(read) !== JSON.stringify(want))
          expect(read, JSON.stringify(pieces)).toEqual(want);
      }
    }
  }
}

const cuts = (text: string): string[][] =>
  Array.from({ length: text.length }, (_, at) => [text.slice(0, at), text.slice(at)]);

describe("delimited text is read as a plain reader of whole texts reads it", () => {
  test.each([0, 1, 2, 3, 4])("every text of %i characters, cut in every place", async (length) => {
    for (const text of textsOf(length)) await check(text, [[...text], ...cuts(text)]);
  });

  test("every text of five characters, character by character", async () => {
    for (const text of textsOf(5)) await check(text, [[...text]]);
  });

  test(`longer ones, cut anywhere (SEED=${seed})`, async () => {
    const mark = fc.constantFrom(...ALPHABET, "1,1\n", '"1\n1",1\r\n', '""', "11");
    await fc.assert(
      fc.asyncProperty(fc.array(mark, { maxLength: 14 }), fc.nat(9), async (marks, size) => {
        const text = marks.join("");
        const pieces: string[] = [];
        for (let at = 0; at < text.length; at += size + 1)
          pieces.push(text.slice(at, at + size + 1));
        await check(text, [pieces, marks]);
      }),
      { seed, numRuns: 1000 },
    );
  });
});

test("a quote may stay open for as long as a row may be, and no longer", () => {
  const splitter = (length: number) => {
    const rows = new RowSplitter("t", () => {});
    rows.push(`a\n"\n${"x".repeat(length - 2)}`);
  };
  splitter(ROW_MOST);
  expect(() => splitter(ROW_MOST + 1)).toThrow(
    "line 2: a quote is not closed within the first 16777216 characters of its row",
  );
});

test("a message shows 40 characters of a cell, or 39 and that there are more", async () => {
  const text = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  expect(shortened(text.slice(0, 40))).toBe(text.slice(0, 40));
  expect(shortened(text.slice(0, 41))).toBe(`${text.slice(0, 39)}…`);
  const table = await readTable(`x\n${text}\n`, { name: "t.csv" });
  expect(() => table.numbers("x")).toThrow(`"${text.slice(0, 39)}…" is not a number`);
});
