/** Which member is chosen, what is said of it, and what weighing finds, worked out a second time. */

import { Random } from "@ndvm/core";
import { describe, expect, test, vi } from "vitest";
import {
  bestOf,
  choiceOf,
  choiceWarnings,
  heldOutWarning,
  nextBestOf,
  whyChosen,
} from "../../src/choice/choose.js";
import { lengthOf } from "../../src/choice/length.js";
import { likelihoodOf } from "../../src/choice/losses.js";
import { literalBits } from "../../src/choice/simple-numbers.js";
import { Scales } from "../../src/choice/weigh.js";
import { weighFront } from "../../src/choice/weigh-front.js";
import { type Yardstick, yardstickOf } from "../../src/choice/yardstick.js";
import { makeStudy } from "../../src/study.js";
import type { FrontMember, Outcome } from "../../src/types.js";

const normal = likelihoodOf("squares");

const yardstick: Yardstick = {
  ...{ rows: 12, trainRows: 9, symbolBits: 2, resolution: 0.01, leastSquare: 0.01 ** 2 / 12 },
  ...{ resolutionBits: 2 * Math.log2(0.01), roughConstantBits: 0.5 * Math.log2(12) + 1 },
  ...{ inputs: ["x"], lattices: new Map() },
};

const member = (visit: number, more: Partial<FrontMember>): FrontMember =>
  ({
    ...{ id: visit, visit, source: "(* a x)", params: { a: 1, b: 2 }, complexity: visit },
    ...{ loss: 8, r2: 0.9, trainR2: 0.9, undetermined: [], hidden: 0, isWeighed: true },
    ...{ length: 50, parts: { data: 30, constants: 10, symbols: 9.96, gaps: 0.04 } },
    ...more,
  }) as FrontMember;

describe("the choice", () => {
  const short = member(3, { length: 50, loss: 8 });
  const close = member(5, {
    ...{ length: 56.63, loss: 2 },
    parts: { data: 20, constants: 20, symbols: 16.58, gaps: 0.05 },
  });

  test("is the shortest of those that were weighed, the first of two alike", () => {
    const rough = member(9, { length: 1, isWeighed: false });
    expect(choiceOf([close, short, rough])).toBe(short);
    expect(choiceOf([rough, { ...rough, length: 0.5 }])?.length).toBe(0.5);
    expect(choiceOf([short, { ...short, visit: 4 }])).toBe(short);
    expect(nextBestOf([close, short, rough])).toBe(close);
    expect(nextBestOf([short])).toBeUndefined();
    expect(bestOf([short, close])).toBe(close);
    expect([bestOf([]), choiceOf([]), whyChosen([])]).toEqual([undefined, undefined, undefined]);
  });

  test("and the next best are the first two of all, whatever else members have in common", () => {
    const random = new Random(5);
    const below = (most: number): number => random.below(most);
    for (let turn = 0; turn < 500; turn++) {
      const front = Array.from({ length: below(7) }, (_, i) =>
        member(i, {
          ...{ complexity: 3 + below(3), length: 50 + below(5), loss: below(4) },
          ...{ isWeighed: below(4) > 0, source: ["(* a x)", "(+ a x)"][below(2)] as string },
        }),
      );
      const inOrder = [...front].sort(
        (one, other) =>
          Number(other.isWeighed) - Number(one.isWeighed) ||
          one.length - other.length ||
          one.visit - other.visit,
      );
      expect(choiceOf(front)).toBe(inOrder[0]);
      expect(nextBestOf(front)).toBe(inOrder[1]);
      const [first, second] = inOrder;
      if (first === undefined || second === undefined) continue;
      const margin = (second.length - first.length).toFixed(1);
      expect(whyChosen(front, ({ visit }) => `no. ${visit}`)).toContain(
        `the next best, no. ${second.visit}, takes ${margin} more`,
      );
    }
  });

  test("tells why, what the next best would be, and how sure it is", () => {
    expect(whyChosen([short, close])).toBe(
      "it takes the fewest bits to write the data down with it: 50.0 (data 30.0, constants 10.0, " +
        "symbols 10.0); the next best, the model of size 5, takes 6.6 more, so the data hardly tell " +
        "the two apart: it explains the rows better by 10.0 bits and is itself longer by 16.6",
    );
    const clear = { ...close, length: 56.64 };
    expect(whyChosen([short, clear], () => "that one")).toContain(
      "the next best, that one, takes 6.6 more: it",
    );
    expect(whyChosen([short])).toMatch(/; there is no other member$/);
    expect(whyChosen([{ ...short, parts: { ...short.parts, gaps: 0.05 } }])).toContain(
      ", gaps 0.1)",
    );
    const worse = { ...close, parts: { ...close.parts, data: 40, constants: 0 } };
    expect(whyChosen([short, worse])).toContain(
      "it explains the rows worse by 10.0 bits and is itself shorter by 3.4",
    );
  });

  test("is wary of few held-out rows: eleven, not twelve", () => {
    expect(heldOutWarning(12)).toBeUndefined();
    expect(heldOutWarning(11)).toContain("only 11 rows are held out");
    expect(heldOutWarning(1)).toMatch(/^only 1 row is held out: it can hardly show /);
    expect(heldOutWarning(2)).toMatch(/^only 2 rows are held out: they can hardly show /);
  });

  test("is wary of held-out rows that are missed by more than chance", () => {
    const rule: Yardstick = { ...yardstick, trainRows: 10, leastSquare: 1e-9 };
    const of = (r2: number, rows: number) =>
      choiceWarnings(member(1, { r2 }), { rows, squares: 100 }, rule);
    // Trained: 8 / (10 − 2) = 1 a row. Missed: (1 − r2)·100 / rows.
    const evidence = (ratio: number, rows: number): number =>
      0.5 * rows * ((ratio - 1) / Math.LN2 - Math.log2(ratio));
    let told = 0;
    for (let rows = 1; rows <= 60; rows++)
      for (let r2 = -1; r2 < 1; r2 += 0.02) {
        const ratio = ((1 - r2) * 100) / rows;
        const isTold = ratio > 2 && evidence(ratio, rows) > 10;
        expect(of(r2, rows), `${r2} ${rows}`).toHaveLength(isTold ? 1 : 0);
        told += Number(isTold);
      }
    expect(told).toBeGreaterThan(100);
    // Just twice as much is not yet worse, whatever speaks for it.
    expect(evidence(2, 50)).toBeGreaterThan(10);
    expect([of(0, 50), of(-1e-9, 50).length]).toEqual([[], 1]);
    expect(of(0.1, 10)[0]).toBe(
      "on the held-out rows the chosen model misses by 3.0 times as much as on the rows that it was fitted to",
    );
    expect(choiceWarnings(undefined, { rows: 9, squares: 1 }, rule)).toEqual([]);
    // Residuals below what a digit shows are equal on both sides.
    const exact = member(1, { loss: 0, r2: 1 });
    expect(choiceWarnings(exact, { rows: 50, squares: 100 }, rule)).toEqual([]);
  });

  test("is wary of what the data leave open, and of swings that no row shows", () => {
    const of = (more: Partial<FrontMember>) =>
      choiceWarnings(member(1, more), { rows: 20, squares: 1 }, yardstick);
    expect(of({ undetermined: ["a"] })[0]).toMatch(/^a is not determined by the data/);
    expect(of({ undetermined: ["a", "b"] })[0]).toMatch(/^a, b are not determined by the data/);
    expect(of({ undetermined: ["a", "b"], intervals: { b: [-1, 2] } })).toEqual([
      expect.stringMatching(/^a is not determined by the data/),
      expect.stringMatching(/^0 lies in the 95 % interval of b:/),
    ]);
    expect(of({ hidden: 0.0123 })[0]).toMatch(/^between 1.2 % of neighbouring rows/);
  });
});

describe("weighing", () => {
  const draws = new Random(11);
  const x = Array.from({ length: 40 }, (_, i) => i / 4);
  const y = x.map((at) => 2.6183 * at + 0.7361 + 0.05 * draws.normal());
  const study = makeStudy({ data: { x, y }, target: "y", seed: 3 });

  test("of a line are least squares over all rows: constants, intervals and length", async () => {
    const scales = await Scales.create(study);
    const given = { visit: 0, source: "(+ a (* b x))", params: { a: 0, b: 1 }, complexity: 5 };
    const found = await scales.weigh(given);
    scales.dispose();
    const n = x.length;
    const [mx, my] = [x, y].map((v) => v.reduce((s, u) => s + u, 0) / n) as [number, number];
    const sxx = x.reduce((sum, at) => sum + (at - mx) ** 2, 0);
    const b = x.reduce((sum, at, i) => sum + (at - mx) * ((y[i] as number) - my), 0) / sxx;
    const a = my - b * mx;
    const rss = x.reduce((sum, at, i) => sum + ((y[i] as number) - a - b * at) ** 2, 0);
    const sigma = Math.sqrt(rss / (n - 2));
    expect(found?.params["b"]).toBeCloseTo(b, 8);
    expect(found?.params["a"]).toBeCloseTo(a, 8);
    // Student's t with 38 degrees of freedom.
    const half = 2.0243941639119702 * (sigma / Math.sqrt(sxx));
    expect(found?.intervals["b"]?.[0]).toBeCloseTo(b - half, 8);
    expect(found?.intervals["b"]?.[1]).toBeCloseTo(b + half, 8);
    const rule = yardstickOf(study);
    const wanted = lengthOf(
      {
        ...{
          loss: rss,
          values: [a, b],
          slopes: [Float64Array.from(x, () => 1), Float64Array.from(x)],
        },
        ...{ simpleBits: 0, symbols: 5 * rule.symbolBits, gaps: 0 },
      },
      rule,
      normal,
    );
    expect(found?.length).toBeCloseTo(wanted.length, 6);
    expect(found).toMatchObject({ simple: [], undetermined: [], hidden: 0 });
  });

  test("of a line are the same in any unit", async () => {
    const constants: number[][] = [];
    for (const unit of [1, 1e-6, 1e6, 1e-12, 1e12]) {
      const scaled = makeStudy({
        data: { x, y: y.map((each) => each * unit) },
        ...{ target: "y", seed: 3 },
      });
      const scales = await Scales.create(scaled);
      const params = { a: 0.1 * unit, b: 5 * unit };
      const given = { visit: 0, source: "(+ a (* b x))", params, complexity: 5 };
      const found = await scales.weigh(given);
      constants.push(["a", "b"].map((name) => (found?.params[name] as number) / unit));
      scales.dispose();
    }
    for (const [a, b] of constants) {
      expect(a).toBeCloseTo(constants[0]?.[0] as number, 6);
      expect(b).toBeCloseTo(constants[0]?.[1] as number, 6);
    }
  });

  test.each([1e-140, 1e-60, 1e-30, 1e30, 1e60])(
    "of a mean that is given as 1 finds it in units of %f",
    async (unit) => {
      const data = { x, y: y.map((each) => each * unit) };
      const scales = await Scales.create(makeStudy({ data, target: "y", seed: 3 }));
      const given = { visit: 0, source: "a", params: { a: 1 }, complexity: 1 };
      const found = await scales.weigh(given);
      scales.dispose();
      const mean = y.reduce((sum, each) => sum + each, 0) / y.length;
      expect((found?.params["a"] as number) / unit).toBeCloseTo(mean, 6);
    },
  );

  test("numbers in a program cost their digits, at most what tells a row from another", async () => {
    const scales = await Scales.create(study);
    const of = async (source: string) =>
      (await scales.weigh({ visit: 0, source, params: paramsOf(source), complexity: 3 }))?.parts
        .symbols ?? 0;
    const paramsOf = (source: string): Record<string, number> =>
      source.includes("a") ? { a: 1 } : {};
    const plain = 3 * yardstickOf(study).symbolBits;
    expect(await of("(* a x)")).toBeCloseTo(plain, 9);
    expect(await of("(* a (+ 3 x))")).toBeCloseTo(plain + literalBits(3, 99), 9);
    expect(await of("(* a (+ 3.14159 x))")).toBeCloseTo(plain + 1 + Math.log2(40), 9);
    // A program may be nothing but a number.
    expect(await of("7")).toBeCloseTo(plain + literalBits(7, 99), 9);
    scales.dispose();
  });

  test("a member that fails on all rows is left out, and the shortest go first", async () => {
    const outcome = (visit: number, source: string, loss: number): Outcome =>
      ({ visit, source, params: { a: 1 }, complexity: 3, loss }) as unknown as Outcome;
    const held = study.heldOut["x"]?.[0] as number;
    const front = [
      outcome(1, "(* a x)", 10),
      outcome(2, `(* a (if (= x ${held}) (car x) x))`, 5),
      outcome(3, "(+ a x)", 20),
    ];
    expect([...(await weighFront(study, front)).keys()]).toEqual([1, 3]);
    expect((await weighFront(study, [])).size).toBe(0);
  });

  test("leave no machine behind, whatever becomes of the members", async () => {
    const dispose = vi.spyOn(Scales.prototype, "dispose");
    const outcome = { visit: 1, source: "(* a x)", params: { a: 1 }, complexity: 3, loss: 1 };
    await weighFront(study, [outcome as unknown as Outcome]);
    expect(dispose).toHaveBeenCalledTimes(1);
    dispose.mockRestore();
  });

  test("each constant is tried by its own error, also after another has become simple", async () => {
    // Errors of a, b and c are about 2e-5, 0.05 and 2e-5, so only b's own reaches from 3.02 to 3.
    const noise = new Random(17);
    const column = (size: number) =>
      Array.from({ length: 60 }, () => size * (2 * noise.uniform() - 1));
    const [u, v, w] = [column(1000), column(0.5), column(1000)] as [number[], number[], number[]];
    const sums = u.map(
      (at, i) =>
        2 * at + 3 * (v[i] as number) + 0.736142857 * (w[i] as number) + 0.1 * noise.normal(),
    );
    const three = makeStudy({ data: { u, v, w, y: sums }, target: "y", seed: 3 });
    const scales = await Scales.create(three);
    const source = "(+ (* a u) (* b v) (* c w))";
    const given = { visit: 0, source, params: { a: 1, b: 1, c: 1 }, complexity: 11 };
    const found = await scales.weigh(given);
    scales.dispose();
    expect(found?.simple).toEqual(["a", "b"]);
    expect(found?.params).toMatchObject({ a: 2, b: 3 });
    // Each has the interval of the real constant that it stands for.
    expect(Object.keys(found?.intervals ?? {}).sort()).toEqual(["a", "b", "c"]);
    for (const [name, value] of [
      ["a", 2],
      ["b", 3],
    ] as const) {
      const [low = 0, high = 0] = found?.intervals[name] ?? [];
      expect([low < value, value < high, high - low > 0]).toEqual([true, true, true]);
    }
  });

  test("a wave is unwound where its rate is hidden, on rows that say no more than their digits", async () => {
    const t = Array.from({ length: 60 }, (_, i) => i);
    const rounded = t.map((at) => Math.round(1000 * Math.sin(0.4137 * at)) / 1000);
    const waves = makeStudy({ data: { t, y: rounded }, target: "y", seed: 3 });
    const scales = await Scales.create(waves);
    const source = "(sin (log (exp (* r t))))";
    const given = { visit: 0, source, params: { r: 0.4137 + 2 * Math.PI }, complexity: 6 };
    const found = await scales.weigh(given);
    scales.dispose();
    expect(found?.params["r"]).toBeCloseTo(0.4137, 3);
  });
});
