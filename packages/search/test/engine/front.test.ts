/**
 * The front and the choices on it, against a definition that looks at all pairs.
 */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { advance, choiceOf, describeFront, emptyFront, lossAt } from "../../src/engine/front.js";
import type { Outcome } from "../../src/index.js";

const outcome = (change: Partial<Outcome>): Outcome => ({
  id: 0,
  visit: 0,
  batch: 0,
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
  outcomes.reduce((front, each) => advance(front, each), emptyFront);

const some = fc.array(
  fc.record({
    complexity: fc.integer({ min: 1, max: 12 }),
    r2: fc.oneof(
      fc.constantFrom(0, 0.25, 0.5, 0.75, 1, 1 - 1e-12, 1 - 1e-9, Number.NaN),
      fc.double({ min: -2, max: 1, noNaN: true }),
    ),
    trainR2: fc.constantFrom(1, 1, 0.6, -1, Number.NaN),
    status: fc.constantFrom("scored" as const, "scored" as const, "failed" as const),
  }),
  { maxLength: 40 },
);
const seed = Number(process.env["SEED"] ?? 20261115);

describe(`the front (SEED=${seed})`, () => {
  test("has exactly the candidates that none is as accurate and no larger than", () => {
    fc.assert(
      fc.property(some, (drawn) => {
        const outcomes = drawn.map((each, visit) => outcome({ ...each, visit, id: visit }));
        const scored = outcomes.filter(
          ({ status, r2, trainR2 }) => status === "scored" && !Number.isNaN(r2 + trainR2),
        );
        const left = ({ r2, trainR2 }: Outcome) => Math.max(1 - r2, 1 - trainR2, 1e-10);
        const isFirst = (a: Outcome, b: Outcome) =>
          a.complexity < b.complexity || a.visit < b.visit;
        const beats = (a: Outcome, b: Outcome) =>
          a !== b &&
          a.complexity <= b.complexity &&
          (left(a) < left(b) || (left(a) === left(b) && isFirst(a, b)));
        const wanted = scored
          .filter((b) => !scored.some((a) => beats(a, b)))
          .sort((a, b) => a.complexity - b.complexity);
        expect(frontOf(outcomes).members.map(({ visit }) => visit)).toEqual(
          wanted.map(({ visit }) => visit),
        );
      }),
      { seed },
    );
  });

  test("takes the simplest of those that leave nothing but rounding", () => {
    const front = frontOf([
      outcome({ visit: 1, complexity: 9, r2: 1 }),
      outcome({ visit: 2, complexity: 7, r2: 1 - 1e-13 }),
      outcome({ visit: 3, complexity: 8, r2: 1 - 1e-15 }),
      outcome({ visit: 4, complexity: 3, r2: 0.9 }),
    ]);
    expect(front.members.map(({ visit }) => visit)).toEqual([4, 2]);
  });

  test("is not for those that match the held-out rows alone", () => {
    const truth = outcome({ visit: 1, complexity: 9, r2: 0.96, trainR2: 0.98 });
    const fluke = outcome({ visit: 2, complexity: 8, r2: 0.99, trainR2: 0.9 });
    const members = describeFront(frontOf([truth, fluke]), new Map());
    expect(members.map(({ visit }) => visit)).toEqual([2, 1]);
    expect(choiceOf(members)?.visit).toBe(1);
  });

  test("does not change a front that someone holds", () => {
    const before = frontOf([outcome({ visit: 1, complexity: 5, r2: 0.5 })]);
    const after = advance(before, outcome({ visit: 2, complexity: 4, r2: 0.9 }));
    expect(before.members.map(({ visit }) => visit)).toEqual([1]);
    expect(after.members.map(({ visit }) => visit)).toEqual([2]);
  });
});

describe("scores", () => {
  const front = frontOf([
    outcome({ visit: 1, complexity: 1, r2: 0, loss: 10 }),
    outcome({ visit: 2, complexity: 5, r2: 1 - Math.exp(-4), loss: 0.2 }),
    outcome({ visit: 3, complexity: 7, r2: 1 - Math.exp(-4.2), loss: 0.3 }),
  ]);

  test("are the fall of the logarithm of the loss per unit of complexity", () => {
    const scores = describeFront(front, new Map()).map(({ score }) => score);
    expect(scores[0]).toBe(0);
    expect(scores[1]).toBeCloseTo(1, 12);
    expect(scores[2]).toBeCloseTo(0.1, 12);
  });

  test("choose the highest among the members near the best", () => {
    expect(choiceOf(describeFront(front, new Map()))?.visit).toBe(2);
    expect(choiceOf([])).toBeUndefined();
  });

  test("compare a loss with the best of what is no larger", () => {
    expect(lossAt(front, 0)).toBe(Number.POSITIVE_INFINITY);
    expect(lossAt(front, 4)).toBe(10);
    expect(lossAt(front, 9)).toBe(0.2);
  });
});
