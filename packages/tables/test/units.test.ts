/**
 * The small parts of reading, each by itself: what a text stands for, numbers read in place, columns
 * against a plain model of one, and sources that are let go of.
 */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CellRules, hasDash, isNumber, nearNumber, parseNumber } from "../src/cells.js";
import { ColumnBuilder, type KeepText } from "../src/column.js";
import { type DateUnit, dateText, inUnit, parseDate, unitText } from "../src/dates.js";
import { delimiterOf } from "../src/delimited.js";
import { readTable } from "../src/index.js";
import { PlainNumber } from "../src/plain-number.js";

const seed = Number(process.env["SEED"] ?? 20261116);

describe("a cell", () => {
  const plain = new CellRules({});
  const commas = new CellRules({});
  commas.hasDecimalCommas = true;
  const holes = new CellRules({ missing: ["-99", " none given ", "x", "1e3"] });

  test.each<[string, number | undefined, number | undefined, number | undefined]>([
    ["1", 1, 1, 1],
    ["+1.", 1, 1, 1],
    [".5e-1", 0.05, 0.05, 0.05],
    ["1e400", Infinity, Infinity, Infinity],
    ["1,5", undefined, 1.5, undefined],
    [",5", undefined, 0.5, undefined],
    ["1,5,5", undefined, undefined, undefined],
    ["-1,5e1", undefined, -15, undefined],
    ["", Number.NaN, Number.NaN, Number.NaN],
    ["---", Number.NaN, Number.NaN, Number.NaN],
    ["Missing", Number.NaN, Number.NaN, Number.NaN],
    ["-99", -99, -99, Number.NaN],
    ["-99.0", -99, -99, Number.NaN],
    ["1000", 1000, 1000, Number.NaN],
    ["99", 99, 99, 99],
    ["x", undefined, undefined, Number.NaN],
    ["none given", undefined, undefined, Number.NaN],
    ["TRUE", 1, 1, 1],
    ["false", 0, 0, 0],
    ["true ", undefined, undefined, undefined],
    ["-Infinity", -Infinity, -Infinity, -Infinity],
    ["+inf", Infinity, Infinity, Infinity],
    ["infinit", undefined, undefined, undefined],
    ["2024-03-01", undefined, undefined, undefined],
  ])("%j is a number, with decimal commas, with more that is missing", (text, ...wanted) => {
    expect([plain, commas, holes].map((rules) => rules.numberOf(text))).toEqual(wanted);
  });

  test("knows which numbers are missing", () => {
    expect([plain, holes].map(({ hasMissingNumbers }) => hasMissingNumbers)).toEqual([false, true]);
    expect(new CellRules({ missing: ["x"] }).hasMissingNumbers).toBe(false);
    expect([-99, 1000, Number.NaN, 99].map((value) => holes.isMissingNumber(value))).toEqual([
      ...[true, true, true, false],
    ]);
    expect([-99, Number.NaN].map((value) => plain.isMissingNumber(value))).toEqual([false, true]);
  });

  test("is trimmed of all that is blank, and of nothing else", () => {
    const marks = fc.constantFrom(" ", "\t", "\u00a0", "\ufeff", "\u2003", "a", "é", "1", "\u0001");
    fc.assert(
      fc.property(fc.array(marks, { maxLength: 5 }), (parts) => {
        const text = parts.join("");
        expect(plain.trim(text)).toBe(text.trim());
        expect(isNumber(text)).toBe(/^1+$/.test(text.trim()));
      }),
      { seed },
    );
    expect([" 7 ", "na", " -inf", "word", ""].map(parseNumber)).toEqual([
      ...[7, Number.NaN, -Infinity, undefined, Number.NaN],
    ]);
  });

  test.each([
    ["2024-3-1", /write dates/],
    ["1.2.3", /write dates/],
    ["\u22125", /minus is a dash/],
    [" \u2013.5", /minus is a dash/],
    ["1'000.5", /without other marks/],
    ["+1 000", /without other marks/],
    ["12 kg", /leave out units/],
    ["-1.5%", /leave out units/],
  ])("%j is nearly a number, and the help says how to write it", (text, help) => {
    expect(nearNumber(text)).toMatch(help);
  });

  test("that is a word is told as one", () => {
    for (const text of ["word", "a1", "--", "kg 5"]) expect(nearNumber(text)).toBeUndefined();
    expect([hasDash("\u20105"), hasDash("\u2014 5"), hasDash("-5")]).toEqual([true, false, false]);
  });
});

describe("a date", () => {
  const noon = Date.UTC(2024, 2, 1, 12);
  test.each<[string, number | undefined]>([
    ["2024-03-01T12:00", noon],
    ["2024/3/1 12:00", noon],
    ["1.3.2024 12:00:00", noon],
    ["2024-03-01T12:00Z", noon],
    ["2024-03-01T12:00z", noon],
    ["2024-03-01T12:00UTC", noon],
    ["2024-03-01T12:00 utc", noon],
    ["2024-03-01T12:00+02", noon - 7_200_000],
    ["2024-03-01T12:00-0230", noon + 9_000_000],
    ["2024-03-01T12:00+02:30", noon - 9_000_000],
    ["2024-03-01T12:00:60", noon + 60_000],
    ["2024-03-01T12:00:61", undefined],
    ["2024-03-01T12:60", undefined],
    ["2024-03-01T24:00", noon + 43_200_000],
    ["2024-03-01T25:00", undefined],
    ["2024-03-01T12:00:00.25", noon + 250],
    ["2024-03-01T12:00:00,125", noon + 125],
    ["2024-02-29", Date.UTC(2024, 1, 29)],
    ["2023-02-29", undefined],
    ["2024-00-10", undefined],
    ["2024-1-1", Date.UTC(2024, 0, 1)],
    ["0099-01-01", new Date("0099-01-01T00:00:00Z").getTime()],
    ["2024-03/01", undefined],
    ["x024-03-01", undefined],
    ["2024-3-", undefined],
    ["1.1.202", undefined],
    ["2024-03-01 ", undefined],
  ])("%j", (text, wanted) => {
    expect(parseDate(text)).toBe(wanted);
  });

  test("in a unit, and back as text", () => {
    const units: Record<DateUnit, number> = {
      years: noon / (365.25 * 86_400_000),
      days: noon / 86_400_000,
      hours: noon / 3_600_000,
      minutes: noon / 60_000,
      seconds: noon / 1000,
      milliseconds: noon,
    };
    for (const [unit, value] of Object.entries(units) as [DateUnit, number][]) {
      expect(inUnit(noon, unit)).toBe(value);
      expect(dateText(value, unit)).toBe("2024-03-01T12:00:00.000Z");
      expect(unitText(unit)).toBe(
        unit === "years" ? "years of 365.25 days since 1970-01-01" : `${unit} since 1970-01-01`,
      );
    }
    expect([dateText(0, "days"), dateText(1e300, "days")]).toEqual(["1970-01-01", "1e+300"]);
  });
});

describe("a number in place", () => {
  const comma = ",".charCodeAt(0);
  test("is the one that JavaScript reads, up to the mark or the end, or none", () => {
    const digits = fc.stringMatching(/^-?\d{0,17}(\.\d{0,9})?$/);
    const odd = fc.constantFrom("", "-", ".", "-.", "1.2.3", "1e5", "+1", " 1", "--1", "1-", "x");
    const before = fc.constantFrom("", "7,", "x");
    fc.assert(
      fc.property(
        before,
        fc.oneof(digits, odd),
        fc.constantFrom("", ",", ",8", ";", "9"),
        (...all) => {
          const [head, text, tail] = all;
          const whole = head + text + tail;
          const to = tail === "9" ? whole.length - 1 : whole.length;
          const reader = new PlainNumber();
          reader.end = -7;
          const value = reader.read(whole, head.length, to, comma);
          const count = text.replace(/[-.]/g, "").length;
          const isPlain = /^-?(\d+\.?\d*|\.\d+)$/.test(text) && count <= 15 && tail !== ";";
          expect(value).toBe(isPlain ? Number(text) : Number.NaN);
          expect(reader.end).toBe(isPlain ? head.length + text.length : -7);
        },
      ),
      { seed, numRuns: 500 },
    );
  });

  test("has fifteen digits at most", () => {
    const reader = new PlainNumber();
    expect(reader.read("123456789012345", 0, 15, comma)).toBe(123456789012345);
    expect(reader.read("1234567890.12345", 0, 16, comma)).toBe(1234567890.12345);
    expect(reader.read("1234567890123456", 0, 16, comma)).toBeNaN();
    expect(Object.is(reader.read("-0", 0, 2, comma), -0)).toBe(true);
    expect(reader.read("0.000000000000001", 0, 17, comma)).toBeNaN();
    expect(reader.read(".000000000000001", 0, 16, comma)).toBe(1e-15);
  });
});

describe("a column", () => {
  type Step =
    | { readonly add: "text"; readonly text: string }
    | { readonly add: "word"; readonly text: string }
    | { readonly add: "number"; readonly value: number }
    | { readonly add: "date"; readonly value: number }
    | { readonly add: "truth"; readonly value: boolean }
    | { readonly add: "missing" };
  const text = fc.constantFrom("1", "2.50", "", "na", "w", "a longer word than 13", "true");
  const date = fc.constantFrom("2024-03-01", "1.3.2024");
  const numbers = fc.constantFrom(0, 1.5, -99, Number.NaN);
  const steps = (some: readonly fc.Arbitrary<Step>[]) =>
    fc.array(fc.oneof(...some), { maxLength: 12 });
  const step = {
    text: text.map((each): Step => ({ add: "text", text: each })),
    dateText: date.map((each): Step => ({ add: "text", text: each })),
    number: numbers.map((value): Step => ({ add: "number", value })),
    date: fc.constantFrom(0, 86_400_000).map((value): Step => ({ add: "date", value })),
    truth: fc.boolean().map((value): Step => ({ add: "truth", value })),
    missing: fc.constant<Step>({ add: "missing" }),
    word: fc.constantFrom("w", "v").map((each): Step => ({ add: "word", text: each })),
  };

  /** What each step is by itself: its kind, its number and its text. */
  function plainCell(each: Step, rules: CellRules) {
    const missing = { kind: "missing", value: Number.NaN, text: "" } as const;
    const number = (value: number, shown = String(value)) =>
      rules.isMissingNumber(value) ? missing : ({ kind: "numbers", value, text: shown } as const);
    if (each.add === "missing") return missing;
    if (each.add === "number") return number(each.value);
    if (each.add === "truth")
      return { kind: "numbers", value: Number(each.value), text: String(each.value) } as const;
    if (each.add === "word") return { kind: "words", value: Number.NaN, text: each.text } as const;
    if (each.add === "date") {
      const shown = new Date(each.value).toISOString().slice(0, 10);
      return rules.dates === undefined
        ? ({ kind: "words", value: Number.NaN, text: shown } as const)
        : ({ kind: "dates", value: each.value / 86_400_000, text: shown } as const);
    }
    const value = rules.numberOf(each.text);
    if (value !== undefined) return Number.isNaN(value) ? missing : number(value, each.text);
    const day = rules.dateOf(each.text);
    return day === undefined
      ? ({ kind: "words", value: Number.NaN, text: each.text } as const)
      : ({ kind: "dates", value: day, text: each.text } as const);
  }

  function model(list: readonly Step[], rules: CellRules, keep: KeepText) {
    const cells = list.map((each) => plainCell(each, rules));
    const first = cells.find(({ kind }) => kind !== "missing")?.kind;
    const at = cells.findIndex(({ kind }) => kind !== "missing" && kind !== first);
    const word = first === "words" ? cells.findIndex(({ kind }) => kind === "words") : at;
    const isWords = word >= 0;
    const texts = cells.map((cell) => cell.text);
    const odd = cells.filter(({ kind }, row) => {
      if (!isWords || row < word || kind === "missing") return false;
      return row === word || kind === "words";
    });
    return {
      numbers: isWords ? undefined : Float64Array.from(cells, ({ value }) => value),
      texts: keep === "always" || (keep === "words" && isWords) ? texts : undefined,
      words: odd.length,
      firstWord: isWords
        ? { row: word, text: texts[word], isAmongDates: first === "dates" }
        : undefined,
      isDates: !isWords && first === "dates",
    };
  }

  function built(list: readonly Step[], rules: CellRules, keep: KeepText) {
    const column = new ColumnBuilder(rules, keep);
    for (const each of list) {
      if (each.add === "text") column.addText(each.text);
      else if (each.add === "word") column.addWord(each.text);
      else if (each.add === "number") {
        const isPlain = column.takesPlain && !Number.isNaN(each.value);
        if (isPlain) column.addPlain(each.value);
        else column.addNumber(each.value);
      } else if (each.add === "date") column.addDate(each.value);
      else if (each.add === "truth") column.addTruth(each.value);
      else column.addMissing();
    }
    return column.finish();
  }

  test(`is what a plain model of it is, cell by cell (SEED=${seed})`, () => {
    const mixes = [
      steps([step.number, step.missing, step.truth]),
      steps([step.dateText, step.date, step.missing]),
      steps([step.word, step.text, step.missing]),
      steps(Object.values(step)),
    ];
    const rules = fc.record({
      missing: fc.constantFrom<readonly string[]>([], ["-99"], ["w"]),
      dates: fc.constantFrom<DateUnit | undefined>("days", undefined),
    });
    const keeps = fc.constantFrom<KeepText>("always", "words", "never");
    fc.assert(
      fc.property(fc.oneof(...mixes), rules, keeps, (list, options, keep) => {
        const own = new CellRules(options);
        expect(built(list, own, keep)).toEqual(model(list, own, keep));
      }),
      { seed, numRuns: 600 },
    );
  });

  test.each([255, 256, 257, 768, 769, 1024, 1025, 1100])(
    "of %i cells and a word after them",
    (count) => {
      const rules = new CellRules({ dates: "days" });
      const list: Step[] = Array.from({ length: count }, (_, row) =>
        row % 7 === 3 ? { add: "missing" } : { add: "number", value: row / 4 },
      );
      for (const keep of ["always", "words", "never"] as const) {
        expect(built(list, rules, keep)).toEqual(model(list, rules, keep));
        const more: Step[] = [...list, { add: "text", text: "w" }, { add: "number", value: 2 }];
        expect(built(more, rules, keep)).toEqual(model(more, rules, keep));
      }
    },
  );

  test("takes numbers without their text as long as nobody may ask for it", () => {
    const takes = (keep: KeepText, ...list: readonly Step[]) => {
      const column = new ColumnBuilder(new CellRules({ dates: "days" }), keep);
      for (const each of list) {
        if (each.add === "date") column.addDate(each.value);
        else if (each.add === "word") column.addWord(each.text);
        else column.addNumber(1);
      }
      return column.takesPlain;
    };
    expect(takes("never")).toBe(true);
    expect(takes("never", { add: "number", value: 1 })).toBe(true);
    expect(takes("always")).toBe(false);
    expect(takes("words")).toBe(false);
    expect(takes("never", { add: "date", value: 0 })).toBe(false);
    expect(takes("never", { add: "word", text: "w" })).toBe(false);
    expect(new ColumnBuilder(new CellRules({ missing: ["3"] }), "never").takesPlain).toBe(false);
    const long = Array.from({ length: 1024 }, (): Step => ({ add: "number", value: 1 }));
    expect(takes("words", ...long)).toBe(false);
    expect(takes("words", ...long, { add: "number", value: 1 })).toBe(true);
  });
});

test.each([
  ["a,b;c", ";"],
  ["a;b;c,d", ";"],
  ["a\tb", "\t"],
  ["a|b|c;d", "|"],
  ["a", ","],
  ['"a;b;c",d', ","],
])("cells of %j are parted by %j", (line, mark) => {
  expect(delimiterOf(line)).toBe(mark);
});

test("a stream that is too long, and one that is read, is let go of", async () => {
  const open = (pieces: number) => {
    const state = { given: 0, isCancelled: false };
    const stream = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          state.given += 1;
          if (state.given > pieces) controller.close();
          else controller.enqueue(new TextEncoder().encode(state.given === 1 ? "x\n" : "1\n"));
        },
        cancel() {
          state.isCancelled = true;
        },
      },
      { highWaterMark: 0 },
    );
    return { state, stream };
  };
  const endless = open(Number.POSITIVE_INFINITY);
  await expect(readTable(endless.stream, { name: "a.csv", bytesMax: 64 })).rejects.toThrow(
    "too large",
  );
  expect(endless.state.isCancelled).toBe(true);
  const short = open(3);
  expect([...(await readTable(short.stream, { name: "a.csv" })).numbers("x")]).toEqual([1, 1]);
  expect(short.stream.locked).toBe(false);
});
