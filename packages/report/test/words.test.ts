/** Numbers, lines and tables in words, at every place where they change their form. */

import { NdvmError } from "@ndvm/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formulaOf } from "../src/fit/formula.js";
import { trialsOf } from "../src/fit/problem.js";
import { formulaSide, intervalText } from "../src/fit/summary.js";
import {
  agreement,
  bytesText,
  countOf,
  countText,
  exactText,
  figure,
  formatGrid,
  formatTable,
  Html,
  list,
  ModelCurves,
  memberFormula,
  oneLine,
  page,
  section,
  seriesColor,
  shortText,
  sideBySide,
  table,
  timeText,
} from "../src/index.js";
import { member } from "./made-up.js";

const { SEED } = process.env;
const seed = SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(SEED);
console.info(`words: SEED=${seed}`);

describe("a fit in words", () => {
  test("has an interval only where both its ends are known", () => {
    const of = (lower: number, upper: number) => intervalText({ lower, upper } as never);
    expect(of(1.5, 2.25)).toBe("1.5 to 2.25");
    expect(of(-Infinity, 2)).toBe(`${shortText(-Infinity, 5)} to 2`);
    expect([of(Number.NaN, 2), of(1, Number.NaN), of(Number.NaN, Number.NaN)]).toEqual([
      "",
      "",
      "",
    ]);
  });

  test("says on the left what its formula gives", () => {
    const of = (loss: string, targets: readonly string[], trials?: unknown) =>
      formulaSide(
        { loss, predictsTarget: true } as never,
        { targets, options: { trials } } as never,
      );
    expect(of("squares", ["y"])).toBe("y");
    expect(of("squares", ["y", "z"])).toBe("y, z");
    expect([of("squares", []), of("poisson", []), of("binomial", [])]).toEqual(
      Array(3).fill("loss"),
    );
    expect(of("poisson", ["n"])).toBe("expected n");
    expect(of("binomial", ["k"])).toBe("probability of k");
    expect(of("binomial", ["k"], "n")).toBe("k / n");
    expect(of("binomial", ["k"], [12, 12])).toBe("k / 12");
    expect(of("binomial", ["k"], [12, 13])).toBe("k / trials");
    const logit = { loss: "program", predictsTarget: false } as never;
    expect(formulaSide(logit, { targets: ["k"], options: {} } as never)).toBe("pred");
  });
});

test("trials are a column's, one number for all, each fitted row's own, or not known", () => {
  const n = Float64Array.of(3, 4);
  const of = (trials: unknown, rows = 2) => trialsOf({ trials } as never, { n }, rows);
  expect(of(undefined)).toBeUndefined();
  expect(of("n")).toEqual(n);
  expect(of([5])).toEqual(Float64Array.of(5, 5));
  expect(of([5, 5], 3)).toEqual(Float64Array.of(5, 5, 5));
  expect(of([5, 6])).toEqual(Float64Array.of(5, 6));
  expect(of([5, 6], 3)).toEqual(new Float64Array(3).fill(Number.NaN));
});

describe("numbers", () => {
  test("exact texts read back to the same number, and none is longer than it must be", () => {
    const checkSingle = (value: number): void => {
      const text = exactText(value, "f32");
      expect(Math.fround(Number(text))).toBe(value);
      if (!Number.isFinite(value) || value === 0) return;
      const digits = (given: string): number =>
        given.replace(/e.*/, "").replace(/[-.]/g, "").replace(/^0+/, "").replace(/0+$/, "").length;
      for (let less = 1; less < digits(text); less++)
        expect(Math.fround(Number(value.toPrecision(less)))).not.toBe(value);
    };
    fc.assert(fc.property(fc.float({ noNaN: true }), checkSingle), { seed });
    // Just above a thousand there are more such numbers than decimals of eight digits.
    for (let i = 0; i < 100; i++) checkSingle(1000 + i * 2 ** -14);
    fc.assert(
      fc.property(fc.double({ noNaN: true }), (value) => {
        expect(Number(exactText(value, "f64"))).toBe(value);
      }),
      { seed },
    );
    expect([exactText(-0, "f64"), exactText(-0, "f32"), exactText(0.1, "f64")]).toEqual([
      "-0",
      "-0",
      "0.1",
    ]);
    expect(exactText(Math.fround(16777213), "f32")).toBe("16777213");
    expect(exactText(Math.fround(1.00000012), "f32")).toBe("1.0000001");
    expect(exactText(Math.fround(123456784), "f32")).toBe("123456780");
  });

  test.each([
    [0, "0"],
    [Number.NaN, "NaN"],
    [-Infinity, "-Infinity"],
    [1 / 3, "0.3333333"],
    [2 / 3, "0.6666667"],
    [1e-4, "0.0001"],
    [9.99e-5, "9.99e-5"],
    [999999900, "999999900"],
    [1e9, "1e9"],
    [-1.5e9, "-1.5e9"],
    [-0.00001, "-1e-5"],
    [123456.75, "123456.8"],
    // What rounding makes of it decides how it is written.
    [999999999.9, "1e9"],
    [-999999999.9, "-1e9"],
    [0.00009999999999, "0.0001"],
  ])("%s in short is %s", (value, text) => {
    expect(shortText(value)).toBe(text);
  });

  test("a count has its word, of one thing and of more", () => {
    expect([0, 1, 2, 1000].map((count) => countOf(count, "row"))).toEqual([
      ...["0 rows", "1 row", "2 rows", "1,000 rows"],
    ]);
    expect([1, 2].map((count) => countOf(count, "entry", "entries"))).toEqual([
      ...["1 entry", "2 entries"],
    ]);
  });

  test("as short as asked for", () => {
    expect(shortText(Math.PI, 3)).toBe("3.14");
    expect(countText(1234567)).toBe("1,234,567");
  });

  test.each([
    [0, "0 B"],
    [1023, "1023 B"],
    [1024, "1.0 KiB"],
    [10 * 1024 - 1, "10.0 KiB"],
    [10 * 1024, "10 KiB"],
    [2 ** 20 - 1, "1024 KiB"],
    [2 ** 20, "1.0 MiB"],
    [2 ** 30, "1.0 GiB"],
    [5000 * 2 ** 30, "5000 GiB"],
  ])("%s bytes are %s", (bytes, text) => {
    expect(bytesText(bytes)).toBe(text);
  });

  test.each([
    [0.0005, "500 ns"],
    [0.001, "1 µs"],
    [0.9994, "999 µs"],
    [1, "1 ms"],
    [999.4, "999 ms"],
    [1000, "1 s"],
    [12345, "12.3 s"],
  ])("%s milliseconds are %s", (milliseconds, text) => {
    expect(timeText(milliseconds)).toBe(text);
  });
});

describe("lines and tables", () => {
  test("a program on one line, without remarks, cut where it is too long", () => {
    const text = "(+ a ; the first\n   (* b  x)) ; end";
    expect(oneLine(text, 14)).toBe("(+ a (* b x))");
    expect(oneLine(text, 13)).toBe("(+ a (* b x))");
    expect(oneLine(text, 12)).toBe("(+ a (* b x…");
    expect(oneLine(text, 1)).toBe("(…");
  });

  const columns = [
    { title: "name", align: "left" as const, cell: (row: number) => "abc".slice(0, row % 4) },
    { title: "n", align: "right" as const, cell: (row: number) => String(row * 7) },
    { title: "long title", align: "left" as const, cell: () => "x" },
  ];

  test("words stand left, numbers right, nothing after the last", () => {
    expect(formatTable(columns, 4, "rows").split("\n")).toEqual([
      "name   n  long title",
      "       0  x",
      "a      7  x",
      "ab    14  x",
      "abc   21  x",
    ]);
  });

  test("twenty rows are shown whole, of more the first ten, unless all are asked for", () => {
    const lines = (rows: number, isWhole?: boolean): string[] =>
      formatTable(columns, rows, "things", isWhole).split("\n");
    expect(lines(20)).toHaveLength(21);
    expect(lines(21)).toHaveLength(12);
    expect(lines(21).at(-1)).toBe("… 11 more things");
    expect(lines(21, true)).toHaveLength(22);
    const style = { bold: (text: string) => `<${text}>`, dim: (text: string) => `(${text})` };
    const styled = formatTable(columns, 21, "things", false, style).split("\n");
    expect(styled[0]).toMatch(/^<name .*>$/);
    expect(styled.at(-1)).toBe("(… 11 more things)");
  });

  test("a grid has columns of one width", () => {
    expect(
      formatGrid([
        ["1", "-22", "3"],
        ["444", "5", "6"],
      ]),
    ).toBe("  1  -22  3\n444    5  6");
    expect(formatGrid([])).toBe("");
  });
});

describe("pieces of pages", () => {
  test("numbers stand right, words left, each cell in its row", () => {
    const made = table(
      [
        { title: "w", cell: (row: number) => `<${row}>` },
        { title: "n", isNumber: true, cell: (row: number) => row },
      ],
      [1, 2],
    ).text.replaceAll("\n", "");
    expect(made).toBe(
      '<div class="scroll"><table><thead><tr><th class="word">w</th><th class="number">n</th></tr>' +
        '</thead><tbody><tr><td class="word">&lt;1&gt;</td><td class="number">1</td></tr>' +
        '<tr><td class="word">&lt;2&gt;</td><td class="number">2</td></tr></tbody></table></div>',
    );
  });

  test("lists, sections, figures and their legends", () => {
    const svg = new Html("<svg></svg>");
    expect(list(["a", svg]).text).toBe("<ul><li>a</li><li><svg></svg></li></ul>");
    expect(section("<t>", "x").text).toBe("<section>\n<h2>&lt;t&gt;</h2>\nx\n</section>\n");
    expect(figure({ svg, caption: "c" }).text).toBe(
      "<figure><svg></svg><figcaption>c</figcaption></figure>",
    );
    expect(
      figure({ svg, caption: "c", legend: [{ label: "l", color: "red", mark: "dot" }] }).text,
    ).toContain('<div class="legend"><span><i class="dot" style="--mark: red"></i>l</span></div>');
    expect(sideBySide(svg, svg).text).toBe('<div class="side"><svg></svg><svg></svg></div>');
    expect(`${svg}`).toBe("<svg></svg>");
  });

  test("a page has a subtitle and a footer only where there are some", () => {
    expect(page({ title: "t", body: [] })).not.toMatch(/<footer>|class="subtitle"/);
    const whole = page({ title: "t", subtitle: "s", body: ["b"], footer: "f" });
    expect(whole).toContain('<p class="subtitle">s</p>');
    expect(whole).toContain("<footer>f</footer>");
  });

  test("eight colours come again", () => {
    expect([0, 7, 8].map(seriesColor)).toEqual([
      "var(--series-1)",
      "var(--series-8)",
      "var(--series-1)",
    ]);
  });
});

describe("models beside data", () => {
  const data = { x: Float64Array.of(1, 3, 2), y: Float64Array.of(10, 30, 20) };

  test("the line of agreement reaches over all finite numbers", () => {
    const points = agreement(Float64Array.of(1, Number.NaN, 4), Float64Array.of(-2, Infinity, 3));
    expect(points).toHaveLength(100);
    expect([points[0], points[99]]).toEqual([
      [-2, -2],
      [4, 4],
    ]);
    expect(points[33]?.[0]).toBeCloseTo(0, 12);
  });

  test("a curve over one input goes as far beyond the rows as asked", async () => {
    const curves = await ModelCurves.create({ data, inputs: ["x"] }, "y", "ieee");
    const { x, points, line } = curves.curve(member(1, {}), 5, 0.5);
    expect(x).toBe("x");
    expect(points).toEqual([
      [1, 10],
      [3, 30],
      [2, 20],
    ]);
    expect(line.map(([at]) => at)).toEqual([0, 1, 2, 3, 4]);
    expect(line.map(([, value]) => value)).toEqual(
      [0, 1, 2, 3, 4].map((at) => 1.01 + 2.00001 * at),
    );
    expect(curves.curve(member(1, {})).line).toHaveLength(160);
    const flat = member(2, { source: "c", params: { c: 4 } });
    expect(curves.curve(flat, 3).line.map(([, value]) => value)).toEqual([4, 4, 4]);
    // A name that is neither column nor parameter counts as 0.
    const open = member(3, { source: "(+ q x)", params: {} });
    expect([...curves.predictions(open, { x: data.x })]).toEqual([1, 3, 2]);
    curves.dispose();
  });

  test("the domain is that of the study", async () => {
    const source = member(1, { source: "(sqrt x)", params: {} });
    for (const [domain, value] of [
      ["ieee", Number.NaN],
      ["clamp", 1e-4],
    ] as const) {
      const curves = await ModelCurves.create({ data, inputs: ["x"] }, "y", domain);
      expect(curves.predictions(source, { x: Float64Array.of(-1) })[0]).toEqual(
        Number.isNaN(value) ? Number.NaN : expect.closeTo(value, 12),
      );
      curves.dispose();
    }
  });

  test("a formula has four digits, and a program that is none stays Scheme", () => {
    const params = { b: 2.123456, c: 1 };
    const study = { inputs: ["x"], domain: "ieee" } as const;
    expect(memberFormula({ source: "(+ c (* b x))", params }, study)).toBe("1 + 2.123·x");
    const loop = "(loop ((s x) (i 0)) (if (> s b) s (recur (* 2 s) (+ i 1))))";
    expect(memberFormula({ source: loop, params: { b: 2.5 } }, study)).toContain("(loop");
  });

  test("the formula of a fit is a line that is not too long, or none; what is broken says so", () => {
    const of = (write: () => string) =>
      formulaOf({ export: write } as unknown as Parameters<typeof formulaOf>[0]);
    expect(of(() => "y".repeat(120))).toBe("y".repeat(120));
    expect(of(() => "y".repeat(121))).toBeUndefined();
    expect(
      of(() => {
        throw new NdvmError("E-REFUSED", "a loop");
      }),
    ).toBeUndefined();
    expect(() =>
      of(() => {
        throw new TypeError("a bug");
      }),
    ).toThrow(TypeError);
  });

  test("a model of several inputs is drawn as what was observed over what it predicts", async () => {
    const more = { ...data, w: Float64Array.of(5, 7, 9) };
    const curves = await ModelCurves.create({ data: more, inputs: ["x", "w"] }, "y", "ieee");
    const sum = curves.curve(member(1, { source: "(+ x w)", params: {} }));
    expect(sum.x).toBe("predicted");
    expect(sum.points).toEqual([
      [6, 10],
      [10, 30],
      [11, 20],
    ]);
    const flat = curves.curve(member(2, { source: "c", params: { c: 4 } }));
    expect(flat.points.map(([at]) => at)).toEqual([4, 4, 4]);
    curves.dispose();
  });
});
