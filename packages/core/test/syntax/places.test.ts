/**
 * Places in a text: every short text of letters and line breaks at every offset, against lines that were
 * split; and the caret of an error stands below what it is about, in every line of a long program.
 */

import { describe, expect, test } from "vitest";
import { NdvmError } from "../../src/errors.js";
import { formatError } from "../../src/syntax/format-error.js";
import { lineEnd, positionOf } from "../../src/syntax/position.js";

/** All texts of up to so many of the letters. */
function textsOf(letters: readonly string[], length: number): string[] {
  if (length === 0) return [""];
  const shorter = textsOf(letters, length - 1);
  const longest = shorter.filter((text) => text.length === length - 1);
  return [...shorter, ...longest.flatMap((text) => letters.map((letter) => text + letter))];
}

/** Line, column and start of the line of every offset. */
function placesOf(text: string): { line: number; column: number; lineStart: number }[] {
  const starts = [
    0,
    ...[...text.matchAll(/\r\n|\r|\n/g)].map(({ index, 0: { length } }) => index + length),
  ];
  return Array.from({ length: text.length + 1 }, (_, offset) => {
    const line = starts.filter((start) => start <= offset).length;
    const lineStart = starts[line - 1] as number;
    return { line, column: offset - lineStart + 1, lineStart };
  });
}

describe("every text of letters and line breaks", () => {
  const texts = textsOf(["a", "\n", "\r"], 7);

  test("has the lines and columns that splitting it gives", () => {
    for (const text of texts) {
      const places = placesOf(text);
      const got = places.map((_, offset) => positionOf(text, offset));
      expect(got, JSON.stringify(text)).toEqual(places);
      expect(positionOf(text, text.length + 3)).toEqual(places.at(-1));
    }
  });

  test("has line ends before its line breaks", () => {
    for (const text of texts)
      for (let from = 0; from <= text.length; from++) {
        const rest = text.slice(from);
        const length = rest.search(/[\r\n]/);
        expect(lineEnd(text, from), JSON.stringify(text)).toBe(
          length < 0 ? text.length : from + length,
        );
      }
  });
});

describe("the carets of an error", () => {
  /** The part of the shown line that stands above the carets. */
  function marked(source: string, start: number, end: number): string {
    const error = new NdvmError("E-TYPE", "m", { span: { start, end } }).in(source, "f");
    const [head, shown, below] = formatError(error).split("\n") as [string, string, string];
    const before = source.slice(0, start).split(/\r\n|\r|\n/);
    const [line, column] = [before.length, (before.at(-1) as string).length + 1];
    expect(head).toBe(`f:${line}:${column}: error E-TYPE: m`);
    expect(shown.startsWith(`  ${line} | `), shown).toBe(true);
    expect(below).toMatch(/^ +\| *\^+$/);
    expect(below.indexOf("|")).toBe(shown.indexOf("|"));
    return shown.slice(below.indexOf("^"), below.lastIndexOf("^") + 1);
  }

  test.each(["\n", "\r\n", "\r"])("stand below what it is about, in every line (%j)", (end) => {
    const lines = Array.from({ length: 1002 }, (_, i) => "(+ ab c) ; d".slice(0, 4 + (i % 9)));
    const source = lines.join(end);
    let at = 0;
    for (const [i, line] of lines.entries()) {
      const isNearStep = [0, 1, 8, 9, 10, 98, 99, 100, 998, 999, 1000].includes(i);
      if (isNearStep)
        for (let from = 0; from < line.length; from++)
          for (let to = from + 1; to <= line.length; to++) {
            // What stands at the end of a line shows no blanks.
            const wanted = line.slice(from, to);
            expect(marked(source, at + from, at + to).padEnd(wanted.length)).toBe(wanted);
          }
      at += line.length + end.length;
    }
  });

  test("stand below the first line of what goes on in the next", () => {
    for (const before of [0, 7, 8, 97, 98]) {
      const head = "\n".repeat(before);
      expect(marked(`${head}  (ab\n c)`, before + 2, before + 8)).toBe("(ab");
    }
  });
});
