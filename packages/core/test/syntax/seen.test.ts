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

test("ordinary words that need a joiner, a style or a variant to be written stay readable", () => {
  const names = {
    Arabic: "درجة الحرارة",
    Persian: "می\u200cخواهم",
    Urdu: "آب\u200cوہوا",
    Hebrew: "שָׁלוֹם",
    Hindi: "तापमान",
    Sanskrit: "क्\u200dष क्\u200cष",
    Bengali: "র\u200d্যাম",
    Sinhala: "ශ්\u200dරී",
    Malayalam: "ന്\u200d്റെ",
    Mongolian: "ᠮᠣᠩᠭᠣᠯ\u180eᠠ ᠠ\u180b",
    Japanese: "葛\u{e0100}城",
    Korean: "온도",
    keycap: "1\ufe0f\u20e3 dose",
    family: "👨\u200d👩\u200d👧",
    England: "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
    pair: "🧑🏽\u200d🤝\u200d🧑🏻 👁\ufe0f\u200d🗨\ufe0f 🇩🇪",
  };
  for (const [language, name] of Object.entries(names)) {
    expect(visible(name), language).toBe(name);
    const text = print({ kind: "symbol", name, span: { start: 0, end: 0 } });
    expect(text, language).toBe(name.includes(" ") ? `|${name}|` : name);
  }
});

test("a joiner at the end of a word, twice, or beside a letter of another script is not seen", () => {
  for (const text of [
    "می\u200c",
    "می\u200c\u200cخ",
    "می\u200ca",
    "\u200cمی",
    "葛a\u{e0100}",
    "👩\u200d",
  ])
    expect(hasUnseen(text), JSON.stringify(text)).toBe(true);
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
