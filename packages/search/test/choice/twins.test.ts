/**
 * Members that are one function are one member, the shortest; those that only meet on the rows are not.
 */

import { Random } from "@ndvm/core";
import { describe, expect, test } from "vitest";
import { foldRates, lowestAlias } from "../../src/choice/aliases.js";
import { Scales } from "../../src/choice/weigh.js";
import { weighFront } from "../../src/choice/weigh-front.js";
import { complexityOf } from "../../src/complexity.js";
import { makeStudy } from "../../src/study.js";
import type { Outcome, SearchData } from "../../src/types.js";

type Params = Readonly<Record<string, number>>;

const member = (visit: number, source: string, params: Params): Outcome => ({
  ...{ id: visit, visit, round: 0, slot: 0, proposer: "test", origin: "test", parents: [] },
  ...{ source, params, skeleton: source, complexity: complexityOf(source, ["x"]) },
  ...{ status: "scored", rung: 0, fits: 1, loss: 1, trainR2: 0.9, r2: 0.9, bic: 0 },
});

/** Which of the members is a twin of which. */
async function twinsOf(data: SearchData, members: readonly (readonly [string, Params])[]) {
  const study = makeStudy({ data, target: "y" });
  const outcomes = members.map(([source, params], visit) => member(visit, source, params));
  const weighings = await weighFront(study, outcomes);
  return members.map((_, visit) => weighings.get(visit)?.twinOf);
}

function table(sigma: number, law: (x: number) => number): { x: number[]; y: number[] } {
  const random = new Random(17);
  const x = Array.from({ length: 60 }, (_, i) => 0.1 + i / 10);
  return { x, y: x.map((at) => law(at) + sigma * random.normal()) };
}

describe("twins", () => {
  test.each([0, 0.3])("x·x is x², and 1·f is f, with noise of %d", async (sigma) => {
    const data = table(sigma, (x) => 1.37 * x * x);
    const found = await twinsOf(data, [
      ["(* a x x)", { a: 1.3 }],
      ["(* a (square x))", { a: 1.4 }],
      ["(/ (square x) b)", { b: 0.7 }],
      ["(* a (sqrt x))", { a: 3 }],
    ]);
    expect(found.filter((twin) => twin === undefined)).toHaveLength(2);
    expect(found[1]).toBeUndefined();
    expect(found[3]).toBeUndefined();
    expect(found[0]).toBe(1);
    expect(found[2]).toBe(1);
  });

  test("the sine of a tiny argument is the line that noisy rows show", async () => {
    const data = table(0.2, (x) => 2.31 * x);
    const found = await twinsOf(data, [
      ["(* a (sin (* 0.001 x)))", { a: 2300 }],
      ["(* a x)", { a: 2.3 }],
    ]);
    expect(found).toEqual([1, undefined]);
  });

  test("two models that explain the rows equally well are two where they differ", async () => {
    const data = { x: [1, 2, 3, 4, 5, 6, 7, 8], y: [1.1, 2, 3, 4.2, 4.3, 3, 2.1, 1] };
    const found = await twinsOf(data, [
      ["(- 4 (abs (- x 4.5)))", {}],
      ["(+ 4 (- 0 (abs (- 4.5 x))))", {}],
      ["(* 3 (sin (* 0.3 x)))", {}],
      ["(* 3 (sin (* 0.3 (- 9 x))))", {}],
    ]);
    expect(found).toEqual([undefined, 0, undefined, undefined]);
  });

  test("a number in the program and a constant that is taken as it are one", async () => {
    // The rows would rather have 2.96, so that the two differ once all constants are real.
    const data = table(0.3, (x) => 2 * Math.cos(2.99 * x));
    const found = await twinsOf(data, [
      ["(* a (cos (* 3 x)))", { a: 2 }],
      ["(* a (cos (* b x)))", { a: 2, b: 3 }],
      ["(* a (cos (* 2.5 x)))", { a: 2 }],
    ]);
    expect(found.filter((twin) => twin !== undefined)).toHaveLength(1);
    expect(found[2]).toBeUndefined();
  });

  test("an alias is no twin of the wave that it meets on the rows", async () => {
    const x = Array.from({ length: 40 }, (_, i) => i / 4);
    const data = { x, y: x.map((at) => Math.cos(1.3 * at)) };
    const found = await twinsOf(data, [
      ["(cos (* 1.3 x))", {}],
      [`(cos (* ${1.3 + 8 * Math.PI} x))`, {}],
    ]);
    expect(found).toEqual([undefined, undefined]);
  });
});

describe("aliases inside loops", () => {
  const turn = 2 * Math.PI;

  test("of a rate that multiplies the counter are folded", () => {
    const source = "(loop ((s 0) (k 0)) (if (= k 5) s (recur (+ s (* x (cos (* w k)))) (+ k 1))))";
    expect(foldRates(source, { w: 0.7 + 3 * turn }, ["x"], new Map())?.["w"]).toBeCloseTo(0.7, 9);
    expect(foldRates(source, { w: 0.7 }, ["x"], new Map())).toBeUndefined();
  });

  test("the lowest alias is within half a turn a step", () => {
    expect(lowestAlias(3 + turn / 0.1, 0.1)).toBeCloseTo(3, 9);
    expect(lowestAlias(-3 - turn / 0.1, 0.1)).toBeCloseTo(-3, 9);
    expect(lowestAlias(3, 0.1)).toBeUndefined();
  });

  test("a rate up to a millionth beyond half a turn a step is the lowest itself", () => {
    for (const step of [1, 0.5, 4]) {
      const limit = (Math.PI * (1 + 1e-6)) / step;
      for (const sign of [1, -1]) {
        expect(lowestAlias(sign * limit, step)).toBeUndefined();
        const beyond = lowestAlias(sign * limit * (1 + 1e-15), step) as number;
        expect(beyond).toBeCloseTo(sign * (limit - turn / step), 9);
      }
    }
  });

  test("of a phase that a loop adds up are weighed at the lowest, a turn of the loop being one step", async () => {
    const random = new Random(5);
    const x = Array.from({ length: 50 }, (_, i) => Math.sqrt(i) + 0.1 * random.uniform());
    const sumAt = (at: number, a: number): number =>
      [0, 1, 2, 3, 4].reduce((sum, k) => sum + Math.cos(k * a + at), 0);
    for (const rate of [2.2, 0.9, 1.7]) {
      const y = x.map((at) => sumAt(at, rate) + 0.01 * random.normal());
      const scales = await Scales.create(makeStudy({ data: { x, y }, target: "y" }));
      const source =
        "(loop ((s 0) (t 0) (k 0)) (if (= k 5) s (recur (+ s (cos (+ t x))) (+ t a) (+ k 1))))";
      const params = { a: rate + turn };
      const complexity = complexityOf(source, ["x"]);
      const found = await scales.weigh({ visit: 0, source, params, complexity });
      expect(found?.params["a"]).toBeCloseTo(rate, 1);
      scales.dispose();
    }
  });

  test.each([
    ["a named let", "(let go ((k 0) (s 0)) (if (= k 3) s (go (+ k 1) (+ s (* a (cos (* w x)))))))"],
    ["a procedure", "(define (wave t) (cos (* w t)))\n(* 3 (* a (wave x)))"],
  ])("of a wave inside %s are weighed at the lowest rate", async (_, source) => {
    const random = new Random(3);
    const x = Array.from({ length: 60 }, (_, i) => i / 8);
    const y = x.map((at) => 1.5 * Math.cos(1.93 * at) + 0.05 * random.normal());
    const scales = await Scales.create(makeStudy({ data: { x, y }, target: "y" }));
    try {
      const params = { a: 0.5, w: 1.93 + 8 * turn };
      const complexity = complexityOf(source, ["x"]);
      const found = await scales.weigh({ visit: 0, source, params, complexity });
      expect(found?.params["w"]).toBeCloseTo(1.93, 1);
      expect(found?.parts.gaps).toBeLessThan(1);
    } finally {
      scales.dispose();
    }
  });
});
