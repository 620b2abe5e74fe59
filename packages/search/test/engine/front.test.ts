/**
 * The front: who enters, who leaves, and how its members are described.
 */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bestOf, choiceOf } from "../../src/choice/choose.js";
import { roughLength, totalOf, yardstickOf } from "../../src/choice/yardstick.js";
import { advance, describeFront, emptyFront } from "../../src/engine/front.js";
import { LossFront, stepsOf } from "../../src/epoch/knowledge.js";
import type { Outcome, Weighing } from "../../src/index.js";

const x = Float64Array.from({ length: 30 }, (_, i) => Math.sqrt(i));
const yardstick = yardstickOf({
  target: "y",
  inputs: ["x"],
  operators: ["+", "*", "sin"],
  precision: "f64",
  train: { x: x.slice(0, 20), y: x.slice(0, 20).map((v) => v * 3.1) },
  heldOut: { x: x.slice(20), y: x.slice(20).map((v) => v * 3.1) },
});

const outcome = (change: Partial<Outcome>): Outcome => ({
  id: 0,
  visit: 0,
  round: 0,
  slot: 0,
  proposer: "list",
  origin: "given",
  source: "(* a x)",
  parents: [],
  skeleton: "(* P0 x)",
  complexity: 3,
  status: "scored",
  rung: 0,
  fits: 1,
  params: { a: 2 },
  loss: 1,
  trainR2: 1,
  r2: 0.5,
  bic: 0,
  ...change,
});

const frontOf = (outcomes: readonly Outcome[]) =>
  outcomes.reduce((front, each) => advance(front, each, yardstick), emptyFront);

const constants = [{}, { a: 1 }, { a: 1, b: 2 }, { a: 1, b: 2, c: 3 }];
const some = fc.array(
  fc.record({
    complexity: fc.integer({ min: 1, max: 8 }),
    loss: fc.oneof(
      fc.constantFrom(0, 1e-30, 0.25, 1, Number.NaN, Number.POSITIVE_INFINITY),
      fc.double({ min: 0, max: 3, noNaN: true }),
    ),
    params: fc.constantFrom(...constants),
    status: fc.constantFrom("scored" as const, "scored" as const, "failed" as const),
  }),
  { maxLength: 60, size: "max" },
);
const seed = Number(process.env["SEED"] ?? 20261116);

describe(`the front (SEED=${seed})`, () => {
  const squareOf = ({ loss }: Outcome) =>
    Math.max(loss / yardstick.trainRows, yardstick.leastSquare);
  const lengthOf = (each: Outcome) => totalOf(roughLength(each, yardstick));

  test("has the most accurate and the shortest of all candidates, and nothing that is beaten", () => {
    fc.assert(
      fc.property(some, (drawn) => {
        const outcomes = drawn.map((each, visit) => outcome({ ...each, visit, id: visit }));
        const scored = outcomes.filter(
          ({ status, loss }) => status === "scored" && Number.isFinite(loss),
        );
        const { members } = frontOf(outcomes);
        expect(members.length === 0).toBe(scored.length === 0);
        const least = (of: readonly Outcome[], by: (each: Outcome) => number) =>
          Math.min(...of.map(by));
        expect(least(members, squareOf)).toBe(least(scored, squareOf));
        expect(least(members, lengthOf)).toBe(least(scored, lengthOf));
        const places = members.map(({ complexity, loss }) => 10 * complexity + loss);
        expect(places).toEqual([...places].sort((a, b) => a - b));
        for (const member of members) {
          const isBeaten = members.some(
            (other) =>
              other !== member &&
              other.complexity <= member.complexity &&
              squareOf(other) <= squareOf(member) &&
              lengthOf(other) <= lengthOf(member),
          );
          expect(isBeaten).toBe(false);
          const rivals = members.filter(({ complexity }) => complexity === member.complexity);
          expect(rivals.length).toBeLessThanOrEqual(2);
        }
      }),
      { seed },
    );
  });

  test("takes the simplest of those that leave nothing but rounding", () => {
    const front = frontOf([
      outcome({ visit: 1, complexity: 9, loss: 0 }),
      outcome({ visit: 2, complexity: 7, loss: 1e-29 }),
      outcome({ visit: 3, complexity: 8, loss: 1e-31 }),
      outcome({ visit: 4, complexity: 3, loss: 2 }),
    ]);
    expect(front.members.map(({ visit }) => visit)).toEqual([4, 2]);
  });

  test("keeps a candidate that has a constant less, though it is a little less accurate", () => {
    const front = frontOf([
      outcome({ visit: 1, loss: 1, params: { a: 1, b: 2 } }),
      outcome({ visit: 2, loss: 1.01, params: { a: 1 } }),
      outcome({ visit: 3, loss: 1.02, params: { a: 1 } }),
    ]);
    expect(front.members.map(({ visit }) => visit)).toEqual([1, 2]);
  });

  test("is made by the training rows: held-out rows do not keep a candidate out", () => {
    const front = frontOf([
      outcome({ visit: 1, complexity: 9, loss: 1, r2: 0.9 }),
      outcome({ visit: 2, complexity: 9, loss: 0.5, r2: -3 }),
    ]);
    expect(front.members.map(({ visit }) => visit)).toEqual([2]);
  });

  test("prefers the lower of two aliases", () => {
    const even = yardstickOf({
      target: "y",
      inputs: ["x"],
      operators: ["*", "cos"],
      precision: "f64",
      train: { x: [0, 0.1, 0.2, 0.4, 0.5, 0.6], y: [1, 2, 3, 4, 5, 6] },
      heldOut: { x: [0.3, 0.7], y: [7, 8] },
    });
    const wave = (visit: number, rate: number, loss: number) =>
      outcome({ visit, source: "(cos (* a x))", params: { a: rate }, loss });
    const alias = wave(1, 3 + 20 * Math.PI, 1);
    const low = wave(2, 3, 1.0000001);
    for (const order of [
      [alias, low],
      [low, alias],
    ]) {
      const { members } = order.reduce((front, each) => advance(front, each, even), emptyFront);
      expect(members.map(({ visit }) => visit)).toEqual([2]);
    }
    // Nor does a larger one come in that is better by less than an alias seems to be.
    const small = outcome({ visit: 3, complexity: 2, loss: 1.0005 });
    const joined = (loss: number, rate: number) =>
      [small, { ...wave(4, rate, loss), complexity: 5 }]
        .reduce((front, each) => advance(front, each, even), emptyFront)
        .members.map(({ visit }) => visit);
    expect(joined(1, 3)).toEqual([3, 4]);
    expect(joined(1, 3 + 20 * Math.PI)).toEqual([3]);
    expect(joined(0.9, 3 + 20 * Math.PI)).toEqual([3, 4]);
  });

  test("does not change a front that someone holds", () => {
    const before = frontOf([outcome({ visit: 1, complexity: 5, loss: 2 })]);
    const after = advance(before, outcome({ visit: 2, complexity: 4, loss: 1 }), yardstick);
    expect(before.members.map(({ visit }) => visit)).toEqual([1]);
    expect(after.members.map(({ visit }) => visit)).toEqual([2]);
  });

  test("goes by the yardstick that it is asked with, not by one that it knows from before", () => {
    // By the coarse one all that leave less than a tenth are alike, so the smallest is enough.
    const coarse = { ...yardstick, leastSquare: 0.1 };
    const made = () => [
      outcome({ visit: 1, complexity: 2, loss: 1.5 }),
      outcome({ visit: 2, complexity: 4, loss: 1 }),
      outcome({ visit: 3, complexity: 6, loss: 0.5 }),
    ];
    const visits = (rule: typeof yardstick, [one, two, three] = made()) => {
      const first = advance(emptyFront, one as Outcome, rule);
      const seen = [first, advance(first, two as Outcome, rule)];
      return [...seen, advance(seen[1] as typeof first, three as Outcome, rule)].map(
        ({ members }) => members.map(({ visit }) => visit),
      );
    };
    const [fine, rough] = [visits(yardstick), visits(coarse)];
    expect([fine, rough]).toEqual([
      [[1], [1, 2], [1, 2, 3]],
      [[1], [1], [1]],
    ]);
    const known = made();
    for (const rule of [yardstick, coarse, yardstick])
      expect(visits(rule, known)).toEqual(rule === coarse ? rough : fine);
    // Nor where the front itself is the same one.
    const [one, two] = known as [Outcome, Outcome];
    const front = advance(emptyFront, one, yardstick);
    for (const [rule, count] of [
      [yardstick, 2],
      [coarse, 1],
      [yardstick, 2],
    ] as const)
      expect(advance(front, two, rule).members).toHaveLength(count);
  });
});

describe("members as users see them", () => {
  const weighing = (length: number, data: number): Partial<Weighing> => ({
    length,
    parts: { data, constants: 0, symbols: length - data, gaps: 0 },
    params: { a: 3 },
    intervals: { a: [2, 4] },
    simple: ["a"],
    undetermined: [],
    hidden: 0,
  });
  const front = frontOf([
    outcome({ visit: 1, complexity: 1, loss: 20 }),
    outcome({ visit: 2, complexity: 5, loss: 20 * Math.exp(-4) }),
    outcome({ visit: 3, complexity: 7, loss: 20 * Math.exp(-4.2) }),
  ]);

  test("have PySR's score: the fall of the logarithm of the loss per unit of complexity", () => {
    const scores = describeFront(front, new Map(), yardstick).map(({ score }) => score);
    expect(scores[0]).toBe(0);
    expect(scores[1]).toBeCloseTo(1, 6);
    expect(scores[2]).toBeCloseTo(0.1, 6);
  });

  test(`are those that none beats, from the smallest to the most accurate (SEED=${seed})`, () => {
    const weighings = fc.array(
      fc.option(
        fc.record({
          length: fc.constantFrom(40, 50, 60),
          complexity: fc.integer({ min: 1, max: 5 }),
          scores: fc.record({
            loss: fc.constantFrom(0, 0.25, 0.5, 1),
            ...{ r2: fc.double(), trainR2: fc.double(), bic: fc.double() },
          }),
          twinOf: fc.option(fc.nat(8), { nil: undefined, freq: 2 }),
        }),
        { nil: undefined },
      ),
      { minLength: 9, maxLength: 9 },
    );
    fc.assert(
      fc.property(some, weighings, (drawn, given) => {
        const members = drawn
          .slice(0, 9)
          .map((each, visit) => outcome({ ...each, loss: each.loss || 1, visit, id: visit + 20 }))
          .filter(({ loss }) => Number.isFinite(loss));
        const known = new Map(
          given.flatMap((each, visit) => (each === undefined ? [] : [[visit, each] as const])),
        );
        const there = members.map(({ visit }) => visit);
        const plain = members
          .filter(({ visit }) => !there.includes(known.get(visit)?.twinOf ?? -1))
          .map((member) => {
            const weighed = known.get(member.visit);
            const { loss, r2, trainR2, bic } = weighed?.scores ?? member;
            const complexity = weighed?.complexity ?? member.complexity;
            const length = weighed?.length ?? totalOf(roughLength(member, yardstick));
            const { id, visit } = member;
            return { id, visit, complexity, length, loss, r2, trainR2, bic };
          });
        const beats = (a: (typeof plain)[0], b: (typeof plain)[0]): boolean => {
          const more = [a.complexity - b.complexity, a.loss - b.loss, a.length - b.length];
          if (more.some((each) => each > 0)) return false;
          return more.some((each) => each < 0) || a.visit < b.visit;
        };
        const kept = plain.filter((one) => !plain.some((other) => beats(other, one)));
        const wanted = kept
          .map((one) => ({ ...one, isWeighed: known.has(one.visit) }))
          .sort((a, b) =>
            a.complexity === b.complexity ? b.loss - a.loss : a.complexity - b.complexity,
          );
        const described = describeFront(
          { members },
          known as unknown as ReadonlyMap<number, Partial<Weighing>>,
          yardstick,
        );
        expect(described).toMatchObject(wanted);
        expect(described).toHaveLength(wanted.length);
        for (const { complexity, loss, score } of described) {
          const squareAt = (of: number) =>
            Math.max(of / yardstick.trainRows, yardstick.leastSquare);
          const smaller = wanted.filter((one) => one.complexity < complexity);
          const least = Math.min(...smaller.map((one) => squareAt(one.loss)));
          // Of those that explain as much, the largest.
          const sizes = smaller.filter((one) => squareAt(one.loss) === least);
          const size = Math.max(...sizes.map((one) => one.complexity));
          const fall = Math.log(least) - Math.log(squareAt(loss));
          expect(score).toBeCloseTo(smaller.length === 0 ? 0 : fall / (complexity - size), 9);
        }
      }),
      { seed, numRuns: 300 },
    );
  });

  test("are chosen by length, and the most accurate is the best", () => {
    const weighings = new Map([
      [1, weighing(100, 90)],
      [2, weighing(60, 40)],
      [3, weighing(70, 39)],
    ]);
    const members = describeFront(front, weighings, yardstick);
    expect(choiceOf(members)?.visit).toBe(2);
    expect(choiceOf(members)).toMatchObject({ params: { a: 3 }, simple: ["a"], isWeighed: true });
    expect(bestOf(members)?.visit).toBe(3);
    expect(choiceOf([])).toBeUndefined();
  });

  test("go where a shorter one is the same function, as long as that one is there", () => {
    const weighings = new Map([
      [1, weighing(100, 90)],
      [2, { ...weighing(60, 40), twinOf: 3 }],
      [3, weighing(58, 40)],
    ]);
    const visitsOf = (members: readonly { readonly visit: number }[]) =>
      members.map(({ visit }) => visit);
    expect(visitsOf(describeFront(front, weighings, yardstick))).toEqual([1, 3]);
    const shrunk = { members: front.members.filter(({ visit }) => visit !== 3) };
    expect(visitsOf(describeFront(shrunk, weighings, yardstick))).toEqual([1, 2]);
  });

  test("that became equal by weighing are one: the first", () => {
    const members = [4, 2, 3].map((visit) =>
      outcome({ visit, id: visit, complexity: visit, loss: 1 / visit }),
    );
    const scores = { loss: 0.2, r2: 0.9, trainR2: 0.9, bic: 1 };
    const same = { source: "x", complexity: 1, length: 7, params: {}, scores };
    const weighings = new Map(members.map(({ visit }) => [visit, same as Partial<Weighing>]));
    const ids = (all: typeof weighings) =>
      describeFront({ members }, all, yardstick).map(({ visit }) => visit);
    expect(ids(weighings)).toEqual([2]);
    expect(ids(new Map(weighings).set(3, { ...same, length: 6.9 }))).toEqual([3]);
    expect(ids(new Map(weighings).set(4, { ...same, scores: { ...scores, loss: 0.1 } }))).toEqual([
      4,
    ]);
    const smaller = new Map(weighings).set(4, { ...same, length: 8, complexity: 0 });
    expect(ids(smaller)).toEqual([4, 2]);
  });

  test("compare a loss with the best of what is no larger", () => {
    const losses = new LossFront(stepsOf(front));
    expect(losses.lossAt(0)).toBe(Number.POSITIVE_INFINITY);
    expect(losses.lossAt(4)).toBe(20);
    expect(losses.lossAt(9)).toBe(20 * Math.exp(-4.2));
  });
});
