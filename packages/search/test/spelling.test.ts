/**
 * Spellings of secrets, one by one: each way to write a character, each thing that may stand between
 * hexadecimal digits, escapes inside escapes, and exactly which letters of a text are hidden. What stands
 * around a secret stays, letter by letter.
 */

import { describe, expect, test } from "vitest";
import { HIDDEN, Redactor } from "../src/redact.js";

const SECRET = "sk-Zq7/é<w>~0\u{1f600}Kv";
const hidden = (text: string, secret = SECRET) =>
  new Redactor([secret]).clean(`they sent |${text}| to us`);
const ALL_HIDDEN = `they sent |${HIDDEN}| to us`;

const hex = (number: number): string => number.toString(16);
const points = (text: string): number[] =>
  [...text].map((character) => character.codePointAt(0) as number);
const units = (text: string): number[] =>
  Array.from({ length: text.length }, (_, i) => text.charCodeAt(i));
const bytes = (text: string): number[] => [...Buffer.from(text)];
const each =
  (parts: (text: string) => number[], write: (part: number) => string) =>
  (text: string): string =>
    parts(text).map(write).join("");
const isEven = (number: number) => number % 2 === 0;

/** Ways to write any text, each by itself. */
const WAYS: Readonly<Record<string, (text: string) => string>> = {
  "bytes of an address": each(bytes, (byte) => `%${hex(byte).padStart(2, "0")}`),
  "bytes of an address in capitals": each(
    bytes,
    (byte) => `%${hex(byte).padStart(2, "0").toUpperCase()}`,
  ),
  "bytes of an address twice": each(bytes, (byte) => `%25${hex(byte).padStart(2, "0")}`),
  "bytes of an address four times": each(bytes, (byte) => `%252525${hex(byte).padStart(2, "0")}`),
  "units of JSON": each(units, (unit) => `\\u${hex(unit).padStart(4, "0")}`),
  "units of JSON in capitals": each(
    units,
    (unit) => `\\U${hex(unit).padStart(4, "0").toUpperCase()}`,
  ),
  "units of JSON in JSON": each(units, (unit) => `\\\\u${hex(unit).padStart(4, "0")}`),
  "units of JSON in JSON in JSON": each(units, (unit) => `\\\\\\\\u${hex(unit).padStart(4, "0")}`),
  "points of JavaScript": each(points, (point) => `\\u{${hex(point)}}`),
  "points with noughts": each(points, (point) => `\\\\\\\\u{00000000${hex(point)}}`),
  "symbols of Scheme": each(points, (point) => `\\x${hex(point)};`),
  "symbols of Scheme with noughts": each(points, (point) => `\\\\\\\\x00000000${hex(point)};`),
  "bytes of C": each(bytes, (byte) => `\\x${hex(byte).padStart(2, "0")}`),
  "bytes of C in C": each(bytes, (byte) => `\\\\\\\\x${hex(byte).padStart(2, "0").toUpperCase()}`),
  "bytes in octal": each(bytes, (byte) => `\\${byte.toString(8).padStart(3, "0")}`),
  "bytes in octal in C": each(bytes, (byte) => `\\\\\\\\${byte.toString(8).padStart(3, "0")}`),
  "numbers of HTML": each(points, (point) => `&#${point};`),
  "numbers of HTML with noughts": each(points, (point) => `&amp;#00000000${point};`),
  "numbers of HTML in HTML": each(points, (point) => `&amp;amp;amp;#${point};`),
  "hexadecimal numbers of HTML": each(points, (point) => `&#x${hex(point)};`),
  "hexadecimal numbers in capitals": each(points, (point) => `&#X${hex(point).toUpperCase()};`),
  "hexadecimal numbers of HTML in HTML": each(
    points,
    (point) => `&AMP;amp;amp;#x00000000${hex(point)};`,
  ),
  "two ways in turn": each(points, (point) =>
    isEven(point) ? `&#${point};` : `\\u{${hex(point)}}`,
  ),
};
const named = Object.entries(WAYS);

describe("a secret is found, and nothing around it is hidden,", () => {
  test.each(named)("as %s", (_, write) => {
    expect(hidden(write(SECRET))).toBe(ALL_HIDDEN);
    // One character of it alone is written so.
    const all = [...SECRET];
    for (const at of all.keys()) {
      const text = all.map((one, i) => (i === at ? write(one) : one)).join("");
      expect(hidden(text), text).toBe(ALL_HIDDEN);
    }
  });

  test("as escapes of escapes, four deep", () => {
    const [percent, json, html] = [
      WAYS["bytes of an address"] as (text: string) => string,
      WAYS["units of JSON"] as (text: string) => string,
      WAYS["numbers of HTML"] as (text: string) => string,
    ];
    const secret = "Zq7kw";
    const ways = [percent, json, html, percent];
    let text = secret;
    for (const write of ways) {
      text = write(text);
      expect(hidden(text, secret)).toBe(ALL_HIDDEN);
    }
  });

  test("with blanks of any kind between its letters, also escaped ones, and the backslash of a line", () => {
    for (const between of [
      ...[" ", "\n", "\t", "\r\n", "\\\n   ", "\\n", "\\r", "\\t", "\\\\n", "\\\\\\\\t", "\\"],
      ...["%20", "+", "&#10;", "\\u000a", "\\x20;", "\\040", "\\\\"],
    ]) {
      const secret = "zqkwvgy";
      expect(hidden([...secret].join(between), secret), between).toBe(ALL_HIDDEN);
    }
  });
});

test("blanks of other widths and characters that nobody sees do not hide a secret", () => {
  const between = [
    ...["\0", "\x1b", "\x7f", "\u0085", "\u00a0", "\u00ad", "\u034f", "\u061c", "\u180e", "\u2003"],
    ...["\u200b", "\u200c", "\u200d", "\u2028", "\u202e", "\u202f", "\u2060", "\u2066", "\u206f"],
    ...["\u3000", "\u3164", "\ufe0f", "\ufeff", "\u{e0001}", "\u{e0100}", "&#8203;", "\\u00ad"],
    ...["%E2%80%8B"],
  ];
  for (const mark of between) {
    expect(hidden([...SECRET].join(mark)), JSON.stringify(mark)).toBe(ALL_HIDDEN);
    const digits = Buffer.from(SECRET).toString("base64");
    expect(hidden(digits.replace(/.{4}(?!$)/g, `$&${mark}`)), JSON.stringify(mark)).toBe(
      ALL_HIDDEN,
    );
    expect(hidden([...Buffer.from(SECRET).toString("hex")].join(mark))).toBe(ALL_HIDDEN);
  }
  // A text of UTF-16 that was read as UTF-8.
  expect(hidden(Buffer.from("sk-Zq7kwvgy", "utf16le").toString(), "sk-Zq7kwvgy")).toContain(HIDDEN);
});

const NAMES: Readonly<Record<string, string>> = {
  ...{ "!": "excl", '"': "quot", "#": "num", $: "dollar", "%": "percnt", "&": "amp", "'": "apos" },
  ...{ "(": "lpar", ")": "rpar", "*": "ast", "+": "plus", ",": "comma", ".": "period", "/": "sol" },
  ...{ ":": "colon", ";": "semi", "<": "lt", "=": "equals", ">": "gt", "?": "quest" },
  ...{ "@": "commat", "[": "lsqb lbrack", "\\": "bsol", "]": "rsqb rbrack", "^": "hat" },
  ...{ _: "lowbar", "`": "grave", "{": "lcub lbrace", "|": "verbar vert", "}": "rcub rbrace" },
};

test("every character that HTML has a name for is known by it, in any letters, three times escaped", () => {
  for (const [character, names] of Object.entries(NAMES))
    for (const name of names.split(" "))
      for (const written of [name, name.toUpperCase(), name[0]?.toUpperCase() + name.slice(1)])
        for (const amp of ["&", "&amp;", "&amp;AMP;amp;"]) {
          // A plus or a backslash does not count as a letter, so there must be enough without it.
          const secret = `zq7k${character}wvgy`;
          const text = `zq7k${amp}${written};wvgy`;
          expect(hidden(text, secret), text).toBe(ALL_HIDDEN);
        }
});

test("names and numbers that stand for no character are letters like others", () => {
  for (const odd of [
    "&zzz;",
    "&#1114112;",
    "&#x110000;",
    "\\u{110000}",
    "\\x110000;",
    "&#9999999;",
  ]) {
    expect(hidden(`${odd} ${SECRET}`)).toBe(`they sent |${odd} ${HIDDEN}| to us`);
    expect(hidden(`zqkw${odd}vgy`, `zqkw${odd}vgy`)).toBe(ALL_HIDDEN);
    expect(hidden("zqkwvgy", `zqkw${odd}vgy`), odd).toBe("they sent |zqkwvgy| to us");
  }
  const last = "zqkw\u{10ffff}vgy";
  for (const way of ["&#1114111;", "&#x10ffff;", "\\u{10ffff}", "\\x10FFFF;"])
    expect(hidden(`zqkw${way}vgy`, last)).toBe(ALL_HIDDEN);
});

describe("hexadecimal digits of a secret are found", () => {
  const digits = bytes(SECRET).map((byte) => hex(byte).padStart(2, "0"));
  test.each([
    ...["", " ", ":", "-", ",", ";", "_", "\n", "\t", ", ", " : ", " 0x", ", 0x", "::"],
    ...["\\n", "%20", "\\\n  ", "&#58;", "%3a", "\\u003A", ",\n\t0x"],
  ])("with %j between bytes", (between) => {
    for (const capitals of [false, true]) {
      const all = capitals ? digits.map((each) => each.toUpperCase()) : digits;
      expect(hidden(all.join(between))).toBe(ALL_HIDDEN);
      const words = all.join("").replace(/.{4}(?!$)/g, (four) => four + between);
      expect(hidden(words)).toBe(ALL_HIDDEN);
    }
  });
});

test("secrets that look like escapes or blanks are found as they are, in any letters, and in lines of base64", () => {
  for (const secret of ["+%41+a", "\\n%41+Q", "&gt;&lt;b"])
    for (const text of [secret, secret.toUpperCase(), secret.toLowerCase()])
      expect(hidden(text, secret), text).toBe(ALL_HIDDEN);
  const text = Buffer.from(SECRET).toString("base64");
  for (const between of ["\\\n", "\n  ", "\r\n", "\\n", "\\\\n", "%0a"])
    expect(hidden(text.replace(/.{6}/g, `$&${between}`)), between).toBe(ALL_HIDDEN);
});

describe("of the length of a secret depends", () => {
  // Every letter once, so that a piece stands in one place only.
  const LETTERS = "kz7wq9fmyc2hxbvrn4gtjdps1lu0eoa35i6";

  test("how much of it is hidden where it was cut off: twelve letters and three fifths", () => {
    for (let length = 4; length <= LETTERS.length; length++) {
      const secret = LETTERS.slice(0, length);
      const least = Math.min(length, Math.max(12, Math.ceil(0.6 * length)));
      for (let piece = 1; piece <= length; piece++)
        for (const start of new Set([0, length - piece, Math.floor((length - piece) / 2)])) {
          const text = secret.slice(start, start + piece);
          const shown = piece >= least ? HIDDEN : text;
          expect(new Redactor([secret]).clean(`<${text}>`), `${length}`).toBe(`<${shown}>`);
          expect(new Redactor([secret]).finds(`<${text}>`)).toBe(piece >= least);
        }
    }
  });

  test("whether it is looked for at all: from four letters on", () => {
    expect(new Redactor(["kz7"]).clean("kz7")).toBe("kz7");
    expect(new Redactor(["kz7w"]).clean("kz7w")).toBe(HIDDEN);
    expect(new Redactor([undefined, "", "kz7w"]).finds("a kz7w")).toBe(true);
    expect(new Redactor([undefined, "", "kz7"]).finds("a kz7")).toBe(false);
    // Four letters that count: the others may be left out of a text.
    expect(new Redactor(["k+z+7"]).clean("k z 7 kz7 k+z+7")).toBe(`k z 7 kz7 ${HIDDEN}`);
    expect(new Redactor(["k+z+7w"]).clean("k z 7 w")).toBe(HIDDEN);
  });
});

test("of a longer text in base64 the digits that hold a bit of the secret are hidden, and no more than one beside", () => {
  for (const length of [5, 6, 7, 8, 9, 12, 17])
    for (let before = 0; before <= 7; before++)
      for (let after = 0; after <= 5; after++)
        for (const encoding of ["base64", "base64url"] as const) {
          const secret = "S3cr?t>Passw0rd~/é".slice(0, length);
          const all = ["~?>~?>~?>".slice(0, before), secret, "?>~?>~".slice(0, after)];
          const text = Buffer.from(all.join("")).toString(encoding);
          const first = Math.floor((8 * before) / 6);
          const end = Math.ceil((8 * (before + bytes(secret).length)) / 6);
          const shown = new Redactor([secret]).clean(`<${text}>`);
          const [head = "", tail = "", ...more] = shown.slice(1, -1).split(HIDDEN);
          expect(more, text).toEqual([]);
          expect(shown).toContain(HIDDEN);
          expect(text.startsWith(head) && text.endsWith(tail), shown).toBe(true);
          expect(head.length, shown).toBeLessThanOrEqual(first);
          expect(head.length, shown).toBeGreaterThanOrEqual(first - 1);
          const padding = after === 0 ? 0 : (/=*$/.exec(text)?.[0].length ?? 0);
          const rest = text.replace(/=+$/, "").length - end;
          expect(tail.replace(/=+$/, "").length, shown).toBeLessThanOrEqual(rest);
          expect(tail.replace(/=+$/, "").length, shown).toBeGreaterThanOrEqual(rest - 1);
          if (after === 0) expect(tail).toBe("");
          else expect(tail.endsWith("=".repeat(padding)) || rest <= 1).toBe(true);
        }
});
