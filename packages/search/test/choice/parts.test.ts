/** The choice's parts at their edges: twins by themselves, words of ties, who is weighed, what literals cost. */

import { describe, expect, test } from "vitest";
import { whyChosen } from "../../src/choice/choose.js";
import { literalBits } from "../../src/choice/simple-numbers.js";
import { type Likeness, twinsAmong } from "../../src/choice/twins.js";
import { Scales } from "../../src/choice/weigh.js";
import { weighFront } from "../../src/choice/weigh-front.js";
import { yardstickOf } from "../../src/choice/yardstick.js";
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

describe("weighing", () => {
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
