/** Characters that nobody sees in names: two names looked like one, and text was turned around. */

import { describe, expect, test } from "vitest";
import { Machine, print, read } from "../../src/index.js";
import { hasUnseen, inOneLine, visible } from "../../src/syntax/seen.js";

const UNSEEN = [
  ..."\0\x07\x08\x0b\r\x1b\x7f\x85\x9b\xad\u034f\u061c\u115f\u180e\u200b\u200c\u200d\u200e\u2028\u2029",
  ..."\u202e\u2060\u2066\u206f\u3164\ufe0f\ufeff\uffa0\ufff9\u{e0041}\u{e0100}",
];

const isControl = (mark: string): boolean => /[\p{Cc}\ufeff\u2028\u2029]/u.test(mark);

describe.each(UNSEEN)("%j", (mark) => {
  test("is written as escapes of JSON, alone and between letters", () => {
    expect(hasUnseen(`a${mark}b`)).toBe(true);
    const shown = visible(`a${mark}b`);
    expect(shown).toMatch(/^a(?:\\u[0-9a-f]{4})+b$/);
    expect(JSON.parse(`"${shown}"`)).toBe(`a${mark}b`);
  });

  test("in a name is printed so that it can be seen and reads back", () => {
    const name = `a${mark}b`;
    const text = print({ kind: "symbol", name, span: { start: 0, end: 0 } });
    expect(text).toMatch(/^\|a\\x[0-9a-f]+;b\|$/);
    if (mark !== "\0") expect(read(text)[0]).toMatchObject({ kind: "symbol", name });
    if (!isControl(mark)) expect(print(read(`(f ${name})`)[0] as never)).toBe(`(f ${text})`);
  });
});

test("names keep what can be seen: letters, accents, blanks inside and pictures of several characters", () => {
  for (const name of ["x", "größe", "e\u0301", "温度", "T°", "👩‍🔬", "👩🏽‍🔬", "☀️", "❤️‍🔥", "میز"]) {
    expect(hasUnseen(name), name).toBe(false);
    expect(visible(`${name}\t${name}\n`)).toBe(`${name}\t${name}\n`);
    expect(print({ kind: "symbol", name, span: { start: 0, end: 0 } })).toBe(name);
  }
});

test("a joiner or a style without a picture is not seen", () => {
  for (const text of ["a\u200d👩", "a\ufe0f", "👩\ufe0f\ufe0f", "\u200d"])
    expect(hasUnseen(text), JSON.stringify(text)).toBe(true);
});

test("halves of characters are escapes, whole ones are not", () => {
  expect(visible("a\ud83d")).toBe("a\\ud83d");
  expect(visible("\ude00a")).toBe("\\ude00a");
  expect(visible("😀")).toBe("😀");
});

test("a name of two lines is one in a line, in a result and in a formula", async () => {
  expect(inOneLine("a\nb\tc")).toBe("a\\nb\\tc");
  const machine = await Machine.create();
  expect(machine.load("'|a\\nb\\tc|").evaluate().print()).toBe("|a\\xa;b\\x9;c|");
  machine.dispose();
});
