/** The choice's parts at their edges: twins by themselves, words of ties, who is weighed, what literals cost. */

import { squaresLeft } from "@ndvm/core";
import { describe, expect, test } from "vitest";
import { foldRates } from "../../src/choice/aliases.js";
import { whyChosen } from "../../src/choice/choose.js";
import { literalBits } from "../../src/choice/simple-numbers.js";
import { tidied } from "../../src/choice/tidy.js";
import { type Likeness, twinsAmong } from "../../src/choice/twins.js";
import { joined, Scales } from "../../src/choice/weigh.js";
import { weighFront } from "../../src/choice/weigh-front.js";
import { roughLength, totalOf, yardstickOf } from "../../src/choice/yardstick.js";
import { complexityOf } from "../../src/complexity.js";
import type { FrontMember, Outcome, Weighing } from "../../src/index.js";
import { makeStudy } from "../../src/study.js";

const x = Array.from({ length: 24 }, (_, i) => i / 3);
const study = makeStudy({
  data: { x, y: x.map((at) => 1 + 2.37 * at + Math.sin(9 * at) / 50) },
  target: "y",
});

const member = (visit: number, source: string, params = {}): Outcome => ({
  ...{
    id: visit,
    visit,
    round: 0,
    slot: 0,
    proposer: "t",
    origin: "t",
    parents: [],
    source,
    params,
  },
  ...{ skeleton: source, complexity: complexityOf(source, ["x"]), status: "scored", rung: 0 },
  ...{ fits: 1, loss: 1, trainR2: 0.9, r2: 0.9, bic: 0 },
});

describe("twins", () => {
  const like = (
    visit: number,
    length: number,
    complexity: number,
    values: readonly number[],
    shown = values,
  ): Likeness => ({
    visit,
    weighing: { length, complexity } as Weighing,
    values: Float64Array.from(values),
    shown: Float64Array.from(shown),
    variance: 1,
  });
  const twins = (...list: readonly Likeness[]) =>
    [...twinsAmong(list, { rows: 100, leastSquare: 1e-12 })].sort(([a], [b]) => a - b);
  const flat = [1, 2, 3];

  test("are those of the shortest, of equals the smallest, of these the first", () => {
    const [a, b, c, d] = [
      like(3, 10, 5, flat),
      like(1, 10.5, 1, flat),
      like(2, 10, 4, flat),
      like(0, 10, 4, flat),
    ] as const;
    for (const order of [
      [a, b, c, d],
      [d, c, b, a],
      [b, d, a, c],
    ])
      expect(twins(...order)).toEqual([
        [1, 0],
        [2, 0],
        [3, 0],
      ]);
    expect(twins(like(0, 10.4, 9, flat), like(1, 10, 9, flat))).toEqual([[0, 1]]);
    expect(twins(like(0, 11, 1, flat), like(1, 10, 9, flat))).toEqual([[0, 1]]);
  });

  test("differ by a hundredth of the variance of a mean, as fitted or as shown", () => {
    const moved = (by: number) => flat.map((value) => value + by);
    // 0.01 · 1 / 100 is the square of 0.01.
    expect(twins(like(0, 1, 1, flat), like(1, 2, 1, moved(0.0099)))).toEqual([[1, 0]]);
    expect(twins(like(0, 1, 1, flat), like(1, 2, 1, moved(0.0101)))).toEqual([]);
    expect(twins(like(0, 1, 1, flat), like(1, 2, 1, moved(1), flat))).toEqual([[1, 0]]);
    expect(twins(like(0, 1, 1, flat), like(1, 2, 1, flat, moved(1)))).toEqual([[1, 0]]);
    expect(twins(like(0, 1, 1, flat), like(1, 2, 1, moved(1), moved(1)))).toEqual([]);
  });

  test("have numbers in the same places, and at least one", () => {
    // Also where only one of them has a hole, whichever is the first.
    for (const [a, b] of [
      [
        [1, 2, 3],
        [1, NaN, 3],
      ],
      [
        [1, NaN, 3],
        [1, 2, 3],
      ],
    ] as const)
      expect(twins(like(0, 1, 1, a), like(1, 2, 1, b))).toEqual([]);
    const [hole, other, none] = [
      [1, NaN, 3],
      [NaN, 2, 3],
      [NaN, NaN, NaN],
    ];
    expect(twins(like(0, 1, 1, hole as number[]), like(1, 2, 1, hole as number[]))).toEqual([
      [1, 0],
    ]);
    expect(twins(like(0, 1, 1, hole as number[]), like(1, 2, 1, other as number[]))).toEqual([]);
    expect(twins(like(0, 1, 1, none as number[]), like(1, 2, 1, none as number[]))).toEqual([]);
  });
});

describe("why", () => {
  const weighed = (id: number, data: number, own: number): FrontMember =>
    ({
      ...{ id, visit: id, complexity: id, length: data + own, isWeighed: true, loss: 1, r2: 1 },
      parts: { data, constants: own, symbols: 0, gaps: 0 },
    }) as unknown as FrontMember;

  test.each([
    [10, 8, "explains the rows worse by 0.0 bits and is itself longer by 3.0"],
    [9, 9, "explains the rows better by 1.0 bits and is itself longer by 4.0"],
    [13, 5, "explains the rows worse by 3.0 bits and is itself longer by 0.0"],
    [15, 4, "explains the rows worse by 5.0 bits and is itself shorter by 1.0"],
  ])("a next best of %d and %d bits %s", (data, own, words) => {
    expect(whyChosen([weighed(1, 10, 5), weighed(2, data, own)])).toContain(words);
  });
});

test.each([
  [6.63, true],
  [6.64, false],
])("a margin of %d bits leaves doubt: %s", (margin, isDoubtful) => {
  const of = (id: number, length: number) =>
    ({
      ...{ id, visit: id, complexity: id, length, isWeighed: true },
      parts: { data: 0, constants: length, symbols: 0, gaps: 0 },
    }) as unknown as FrontMember;
  const why = whyChosen([of(1, 0), of(2, margin)]);
  expect(why?.includes("hardly tell the two apart")).toBe(isDoubtful);
});

describe("rates", () => {
  const lattices = new Map([
    ["t", { origin: 0.1, step: 0.25 }],
    ["s", { origin: 0.3, step: 0.5 }],
  ]);
  const [fast, slow] = [(2 * Math.PI) / 0.25, (2 * Math.PI) / 0.5];

  test("of several waves are all folded", () => {
    const source = "(+ (cos (+ p (* a t))) (+ (sin (+ q (* b t))) (tan (+ r (* c t)))))";
    const params = { a: 3 + fast, b: 2 + fast, c: 1 + fast, p: 0, q: 0, r: 0 };
    const folded = foldRates(source, params, ["t"], lattices) ?? {};
    expect([folded["a"], folded["b"], folded["c"]]).toEqual(
      [3, 2, 1].map((at) => expect.closeTo(at, 9)),
    );
  });

  test("of several inputs in one wave are folded, and the phase keeps the values on both lattices", () => {
    const source = "(sin (+ p (+ (* a t) (* b s))))";
    const params = { a: 3 + fast, b: -1 - slow, p: 0.7 };
    const folded = foldRates(source, params, ["t", "s"], lattices) ?? {};
    expect([folded["a"], folded["b"]]).toEqual([3, -1].map((at) => expect.closeTo(at, 9)));
    const at = (all: Readonly<Record<string, number>>, t: number, s: number) =>
      Math.sin((all["p"] ?? 0) + (all["a"] ?? 0) * t + (all["b"] ?? 0) * s);
    for (const [i, j] of [
      [0, 0],
      [1, 0],
      [0, 1],
      [3, 5],
    ] as const) {
      const [t, s] = [0.1 + 0.25 * i, 0.3 + 0.5 * j];
      expect(at(folded, t, s)).toBeCloseTo(at(params, t, s), 9);
    }
  });
});

describe("a program that is written out", () => {
  const of = (
    source: string,
    params: Readonly<Record<string, number>>,
    as: readonly [string, number][],
  ) =>
    tidied(source, params, new Map(as), {
      inputs: ["x"],
      target: "y",
      operators: ["+", "-", "*", "/", "sin"],
    });

  test("is one only if it is smaller", () => {
    expect(of("(+ a x)", { a: 1 }, [["a", 1]])).toBeUndefined();
    expect(of("(+ a x)", { a: 0 }, [["a", 0]])).toEqual({ source: "x", params: {}, complexity: 1 });
    expect(of("(* a (sin (* b x)))", { a: 2, b: 1 }, [["b", 1]])).toEqual({
      ...{ source: "(* p0 (sin x))", params: { p0: 2 }, complexity: 4 },
    });
  });
});

describe("weighing", () => {
  test("begins with the shortest, of two alike with the first", async () => {
    const sources = ["(* a x)", "(+ a (* 2 x))", "(+ a x)", "(+ 1 (* a x))", "(* 3 (+ a x))"];
    const front = [4, 1, 3, 0, 2].map((visit) => member(visit, sources[visit] as string, { a: 1 }));
    const rule = yardstickOf(study);
    const rough = (visit: number) =>
      totalOf(roughLength(front.find((one) => one.visit === visit) as Outcome, rule));
    const wanted = [0, 1, 2, 3, 4].sort((a, b) => rough(a) - rough(b) || a - b);
    expect(wanted).toEqual([0, 2, 1, 3, 4]);
    expect([...(await weighFront(study, front)).keys()]).toEqual(wanted);
  });

  test("says the variance that is left, by the rows that constants leave free", async () => {
    const scales = await Scales.create(study);
    const weighing = (await scales.weigh(member(0, "(+ a (* b x))", { a: 1, b: 2 }))) as Weighing;
    const { variance, values } = await scales.predict({ ...weighing, params: { a: 1, b: 2 } });
    const columns = joined(study);
    const target = columns["y"] as Float64Array;
    const loss = squaresLeft(target, values.subarray(0, 24));
    expect(variance).toBeCloseTo(loss / 22, 12);
    scales.dispose();
  });

  test("takes 0 for a constant that nothing determines, and no number that costs more than it", async () => {
    const scales = await Scales.create(study);
    const of = (source: string) => scales.weigh(member(0, source, { a: 0.3, b: 2 }));
    const zero = await of("(* b (* (+ 1 x) (if (< a 7) 1 0)))");
    // At 0 the branch is decided, and the program becomes smaller by it.
    expect(zero?.source).toBe("(* p0 (+ 1 x))");
    const none = await of("(* b (* (+ 1 x) (if (< a 0.1) 0 1)))");
    expect([none?.params["a"], none?.simple.includes("a")]).toEqual([0.3, false]);
    expect(none?.undetermined).toEqual(["a"]);
    scales.dispose();
  });

  test("is of every member of a small table, also of more than twelve", async () => {
    const sources = Array.from({ length: 14 }, (_, i) => `(+ a (* b x) (* 0 ${i + 2}))`);
    const front = sources.map((source, visit) => member(visit, source, { a: 1, b: 2 }));
    expect((await weighFront(study, front)).size).toBe(14);
  });

  test("leaves out a program that is none", async () => {
    const front = [member(0, "(* a x)", { a: 2 }), member(1, "(car x)")];
    expect([...(await weighFront(study, front)).keys()]).toEqual([0]);
  });

  test("every number in a program costs its digits", async () => {
    const scales = await Scales.create(study);
    const symbols = async (source: string) =>
      (await scales.weigh({ visit: 0, source, params: { a: 1 }, complexity: 3 }))?.parts.symbols ??
      0;
    const plain = 3 * yardstickOf(study).symbolBits;
    const most = 1 + Math.log2(24);
    const price = (value: number) => literalBits(value, most);
    expect(await symbols("(* a (+ 3 (* 7 x)))")).toBeCloseTo(plain + price(3) + price(7), 9);
    expect(await symbols("(* a (+ 3 (* 7 (+ 2.5 x))))")).toBeCloseTo(
      plain + price(3) + price(7) + price(2.5),
      9,
    );
    scales.dispose();
  });
});
