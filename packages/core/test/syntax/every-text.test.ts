/**
 * Every short text over a few letters: what is read from it, or the whole error. Numbers are held against
 * the grammar written as patterns, nesting against a reader of ten lines, and the cells of a terminal
 * against the ends of all ranges.
 */

import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { NdvmError } from "../../src/errors.js";
import type { Datum } from "../../src/syntax/datum.js";
import { formatError } from "../../src/syntax/format-error.js";
import { formatNumber, parseNumber, startsNumber } from "../../src/syntax/number-text.js";
import { read } from "../../src/syntax/read.js";

/** All texts of so many letters. */
function textsOf(letters: readonly string[], length: number): string[] {
  if (length === 0) return [""];
  return textsOf(letters, length - 1).flatMap((text) => letters.map((letter) => text + letter));
}

const upTo = (letters: readonly string[], length: number): string[] =>
  Array.from({ length: length + 1 }, (_, i) => textsOf(letters, i)).flat();

/** A datum with its places. */
function shown(datum: Datum): string {
  const at = `@${datum.span.start}-${datum.span.end}`;
  switch (datum.kind) {
    case "number":
      return `${formatNumber(datum.value, datum.exact)}${datum.exact ? "" : "~"}${at}`;
    case "boolean":
      return `#${datum.value}${at}`;
    case "symbol":
      return `${JSON.stringify(datum.name)}${at}`;
    default: {
      const tail = datum.kind === "list" && datum.tail ? ` . ${shown(datum.tail)}` : "";
      return `${datum.kind[0]}(${datum.items.map(shown).join(" ")}${tail})${at}`;
    }
  }
}

function told(text: string, nestingMax?: number): string {
  try {
    return read(text, undefined, nestingMax).map(shown).join(" ");
  } catch (error) {
    if (!(error instanceof NdvmError)) throw error;
    const { code, message, help, span, facts } = error;
    return `${code} ${message} | ${help} | ${span?.start}-${span?.end} ${JSON.stringify(facts)}`;
  }
}

describe("every text of few marks", () => {
  const marks = [..."()[].'`,@;|\"#a1 \n\\", "#;", "#|", "|#", "#t", "λ", "\u0007"];

  test("one or two, whole", () => {
    const lines = upTo(marks, 2).map((text) => `${JSON.stringify(text)}: ${told(text)}`);
    expect(lines.join("\n")).toMatchSnapshot();
  });

  test("three and four, by what they begin with", () => {
    const lines = marks.map((first) => {
      const all = [
        ...textsOf(marks, 2),
        ...textsOf(["(", ")", ".", "'", " ", "a", "#;", "|"], 3),
      ].map((rest) => told(first + rest));
      const isError = (line: string) => line.startsWith("E-");
      const digest = createHash("sha256").update(all.join("\n")).digest("hex").slice(0, 16);
      return `${JSON.stringify(first)}: ${all.filter(isError).length} errors, ${digest}`;
    });
    expect(lines.join("\n")).toMatchSnapshot();
  });

  test("lists nest as in a reader of ten lines", () => {
    const plainly = (text: string): string | undefined => {
      let at = 0;
      const many = (closer: string): string | undefined => {
        let out = "";
        for (; text[at] !== closer; at++) {
          const [open, isBracket] = [text[at], text[at] === "["];
          if (open === undefined || ")]".includes(open)) return undefined;
          if (open === "a") out += "a";
          else if (open !== " ") {
            at += 1;
            const inner = many(isBracket ? "]" : ")");
            if (inner === undefined) return undefined;
            out += isBracket ? `[${inner}]` : `(${inner})`;
          }
        }
        return out;
      };
      text += "$";
      return many("$");
    };
    const bare = (datum: Datum): string => {
      if (datum.kind === "symbol") return datum.name.replaceAll(/[^a]/g, "?");
      if (datum.kind !== "list" && datum.kind !== "bracket") return "?";
      const inner = datum.items.map(bare).join("");
      return datum.kind === "list" ? `(${inner})` : `[${inner}]`;
    };
    for (const text of upTo([..."()[]", "a "], 6).filter((one) => one.trim() !== "")) {
      const want = plainly(text);
      if (want === undefined) expect(told(text), text).toMatch(/^E-SYNTAX/);
      else expect(read(text).map(bare).join(""), text).toBe(want);
    }
  });

  test("block comments nest as in a reader of ten lines, and are as good as blanks", () => {
    /** Where the comment that opens a text ends; marks are taken from the left, each once. */
    const endOf = (text: string): number | undefined => {
      for (let at = 2, depth = 1; at < text.length; ) {
        const pair = text.slice(at, at + 2);
        if (pair === "|#") depth--;
        if (pair === "#|") depth++;
        at += pair === "|#" || pair === "#|" ? 2 : 1;
        if (depth === 0) return at;
      }
      return undefined;
    };
    for (const inside of upTo([..."#|x"], 8)) {
      const text = `#|${inside} 5`;
      const end = endOf(text);
      if (end === undefined) expect(told(text), text).toMatch(/^E-SYNTAX .*never closed.*\| 0-2 /);
      else expect(told(text), text).toBe(told(" ".repeat(end) + text.slice(end)));
    }
  });

  test("nesting is refused right beyond its limit", () => {
    for (const [open, close] of ["()", "[]"] as const) {
      const nested = (depth: number) => `${open?.repeat(depth)}1${close?.repeat(depth)}`;
      expect(told(nested(4), 4)).not.toContain("E-");
      expect(told(nested(5), 4)).toBe(
        "E-SYNTAX this is nested deeper than 4 | give parts of it names, with let or define | 4-5 {}",
      );
    }
    expect(told("'''(a)", 4)).not.toContain("E-");
    expect(told("''''(a)", 4)).toContain("deeper than 4");
  });
});

describe("characters by code", () => {
  const edges = [
    ...[0, 8, 9, 10, 11, 12, 13, 14, 31, 32, 33, 126, 127, 128, 0x9f, 0xa0, 0xa1, 0x167f, 0x1680],
    ...[0x1681, 0x1fff, 0x2000, 0x200a, 0x200b, 0x2027, 0x2028, 0x2029, 0x202a, 0x202e, 0x202f],
    ...[0x2030, 0x205e, 0x205f, 0x2060, 0x2fff, 0x3000, 0x3001, 0xd7ff, 0xe000, 0xfefe, 0xfeff],
    ...[0xff00, 0xfffc, 0xfffd, 0xfffe, 0x10000, 0x10ffff],
  ];
  const spaces = new Set([
    ...[9, 10, 12, 13, 32, 0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfeff],
    ...Array.from({ length: 11 }, (_, i) => 0x2000 + i),
  ]);
  const isControl = (code: number): boolean =>
    (code < 32 && !spaces.has(code)) || (code >= 127 && code < 0xa0) || code === 0xfffd;

  test.each(edges)("%i between two letters", (code) => {
    const text = `a${String.fromCodePoint(code)}b`;
    const { length } = text;
    if (isControl(code)) expect(told(text)).toMatch(/^E-SYNTAX .*\| 1-2 /);
    else if (spaces.has(code)) expect(told(text)).toBe(`"a"@0-1 "b"@${length - 1}-${length}`);
    else if (code === 33 || code === 126 || code > 127) expect(read(text)).toHaveLength(1);
    for (const [before, after] of [
      [";", "\n1"],
      ["#|", "|#1"],
      ["|", "|"],
    ] as const) {
      const inside = told(`${before}${String.fromCodePoint(code)}${after}`);
      expect(inside.startsWith("E-SYNTAX"), `${before} ${code}`).toBe(isControl(code));
    }
  });

  test.each([0, 0x41, 0xd7ff, 0xd800, 0xdbff, 0xdc00, 0xdfff, 0xe000, 0x10ffff, 0x110000])(
    "the escape of %i",
    (code) => {
      const text = `|\\x${code.toString(16)};|`;
      const isCharacter = code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
      if (isCharacter) expect(read(text)).toMatchObject([{ name: String.fromCodePoint(code) }]);
      else
        expect(told(text)).toBe("E-SYNTAX \\x is not an escape | write \\x41; for a code | 1-3 {}");
    },
  );

  test.each(["41 ", "41\n", "41\t", "41\u00a0", " 41", "", "+41", "-0", "0x41", "4_1", "4.0", "g"])(
    "an escape took blanks for digits: %j",
    (digits) => {
      expect(told(`|\\x${digits};|`)).toMatch(/^E-SYNTAX .*not an escape/);
    },
  );

  test("escapes have digits of either case, and zeros before them", () => {
    expect(read("|\\x3bB;\\x00000000000041;|")).toMatchObject([{ name: "λA" }]);
  });

  test("escapes of one letter", () => {
    const letters = Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i));
    const known = letters.filter((letter) => !told(`|\\${letter}|`).startsWith("E-"));
    expect(known.join("")).toBe("\\anrt|");
    expect(told("|\\||")).toBe('"|"@0-4');
    expect(read("|a\\t\\n\\r\\a\\\\\\|\\x3bb;b|")).toMatchObject([{ name: "a\t\n\r\x07\\|λb" }]);
  });
});

describe("every text of signs and digits", () => {
  const integer = /^[+-]?\d+$/;
  const ratio = /^[+-]?\d+\/\d+$/;
  const decimal = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

  test("is the number that the grammar says, or none", () => {
    for (const text of upTo([..."+-.1e0/E"], 5)) {
      const got = parseNumber(text);
      const isNumber = integer.test(text) || ratio.test(text) || decimal.test(text);
      const [above, below] = text.split("/").map(Number) as [number, number];
      const value = ratio.test(text) ? above / below : Number(text);
      if (!isNumber || Number.isNaN(value)) expect(got, text).toBeUndefined();
      else {
        const exact = integer.test(text) || (ratio.test(text) && Number.isInteger(value));
        expect(got, text).toEqual({ value: exact ? value + 0 : value, exact });
      }
      if (/^[+-]?\.?\d/.test(text)) expect(startsNumber(text), text).toBe(true);
      if (/^[+-]?[e/]|^[+-]?$|^\.$/i.test(text)) expect(startsNumber(text), text).toBe(false);
    }
  });

  test("a number written is read back", () => {
    const numbers = [
      0,
      -0,
      1,
      -1,
      0.1,
      1e20,
      1e21,
      -1e21,
      1e22,
      2 ** 53,
      1.5e300,
      5e-324,
      123456.5,
    ];
    for (const value of numbers)
      for (const exact of Number.isInteger(value) && !Object.is(value, -0)
        ? [true, false]
        : [false])
        expect(parseNumber(formatNumber(value, exact)), String(value)).toEqual({ value, exact });
    for (const named of ["+inf.0", "-inf.0", "+nan.0"])
      expect(formatNumber(parseNumber(named)?.value as number, false)).toBe(named);
  });
});

describe("cells of a terminal", () => {
  /** Blanks before the underline of a span behind this character. */
  function cellsOf(code: number): number {
    const source = `${String.fromCodePoint(code)}x`;
    const start = source.length - 1;
    const error = new NdvmError("E-TYPE", "m", { span: { start, end: start + 1 } }).in(source, "f");
    const line = formatError(error).split("\n")[2] as string;
    return line.indexOf("^") - line.indexOf("|") - 2;
  }
  const none = [
    [0x300, 0x36f],
    [0x200b, 0x200f],
    [0xfe00, 0xfe0f],
  ] as const;
  const wide = [
    ...([
      [0x1100, 0x115f],
      [0x2e80, 0x303e],
      [0x3041, 0xa4cf],
      [0xac00, 0xd7a3],
      [0xf900, 0xfaff],
      [0xfe30, 0xfe6f],
    ] as const),
    ...([
      [0xff00, 0xff60],
      [0xffe0, 0xffe6],
      [0x1f300, 0x1faff],
      [0x20000, 0x3fffd],
    ] as const),
  ];

  test.each([...none, ...wide])("of %i to %i, and of their neighbours", (first, last) => {
    const isIn = (code: number, ranges: readonly (readonly [number, number])[]) =>
      ranges.some(([from, to]) => code >= from && code <= to);
    for (const code of [first - 1, first, first + 1, last - 1, last, last + 1])
      expect(cellsOf(code), code.toString(16)).toBe(
        isIn(code, none) ? 0 : isIn(code, wide) ? 2 : 1,
      );
  });

  test("characters that would not show as themselves", () => {
    const lines = [0, 7, 8, 27, 31, 32, 126, 127, 128, 155, 159, 160].map((code) => {
      const source = `${String.fromCharCode(code)}x`;
      const error = new NdvmError("E-TYPE", "m", { span: { start: 1, end: 2 } }).in(source, "f");
      return formatError(error).split("\n")[1]?.slice(6, 7).codePointAt(0);
    });
    const hidden = 0xfffd;
    expect(lines).toEqual([...Array(5).fill(hidden), 32, 126, ...Array(4).fill(hidden), 160]);
  });

  test("long lines are cut on both sides of the span, at every place of it", () => {
    const line = Array.from({ length: 300 }, (_, i) => String.fromCharCode(97 + (i % 26))).join("");
    const texts: string[] = [];
    for (const length of [1, 57, 58, 120])
      for (const start of [0, 1, 19, 20, 22, 23, 24, 60, 150, 240, 280, 299]) {
        const end = Math.min(300, start + length);
        const error = new NdvmError("E-TYPE", "m", { span: { start, end } }).in(line, "f");
        const [, excerpt = "", carets = ""] = formatError(error).split("\n");
        expect(excerpt.length).toBeLessThanOrEqual(6 + 96 + 1);
        const at = carets.indexOf("^");
        expect(excerpt[at]).toBe(line[start]);
        texts.push(`${start}+${length}: ${excerpt.slice(6)} ${at - 6}+${carets.length - at}`);
      }
    expect(texts.join("\n")).toMatchSnapshot();
  });
});
