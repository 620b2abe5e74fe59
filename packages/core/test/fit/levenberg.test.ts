/**
 * Levenberg and Marquardt's method against the same method written plainly: the way it takes, what it counts
 * and why it ends, on problems that need damping, vetoes and retreats.
 */

import { describe, expect, test } from "vitest";
import { expectSameWay, type Problem } from "./plain-levenberg.js";
import { noise, steps as spaced } from "./support.js";

const x = spaced(0.1, 4, 24);
const wobble = noise(24, 0.05);
const noisy = (f: (x: number) => number): number[] =>
  x.map((at, i) => f(at) + (wobble[i] as number));

const problems: Readonly<Record<string, Problem>> = {
  "a line": {
    source: "(+ a (* b x))",
    data: { x, y: noisy((t) => 1 + 2 * t) },
    start: { a: 1, b: 1 },
  },
  "a decay": {
    source: "(* a (exp (- (* k x))))",
    data: { x, y: noisy((t) => 3 * Math.exp(-0.8 * t)) },
    start: { a: 1, k: 1 },
  },
  "a decay from far away": {
    source: "(+ c (* a (exp (- (* k x)))))",
    data: { x, y: noisy((t) => 0.5 + 3 * Math.exp(-0.8 * t)) },
    start: { a: 20, k: 5, c: -4 },
  },
  weights: {
    source: "(/ (* v x) (+ m x))",
    data: { x, y: noisy((t) => (2 * t) / (0.7 + t)) },
    start: { v: 1, m: 5 },
    weights: x.map((_, i) => (i % 4) / 2),
  },
  waves: {
    source: "(* a (sin (+ (* w x) p)))",
    data: { x, y: noisy((t) => 2 * Math.sin(1.7 * t + 0.4)) },
    start: { a: 1, w: 2.4, p: -0.5 },
  },
  "a factor that all but vanishes": {
    source: "(* a (exp (- (* k x))))",
    data: { x, y: x.map((t, i) => 1e-5 * (Math.exp(-t) + (wobble[i] as number))) },
    start: { a: 10, k: 0.1 },
  },
  "a peak that would slip between the rows": {
    source: "(+ a (exp (- (* 50 (square (- x c))))))",
    data: { x: [0, 1, 2, 3, 4, 5], y: [0.01, 0.02, 0.015, 0.01, 0.02, 0.03] },
    start: { a: 0.1, c: 1.98 },
  },
  "an influence that grows": {
    source: "(+ a (* b (exp (* k x x x))))",
    data: { x, y: noisy((t) => 1 + 0.2 * Math.exp(0.05 * t * t * t)) },
    start: { a: 0, b: 1, k: 0.3 },
  },
  "an edge": {
    source: "(* a (log (- x b)))",
    data: { x, y: noisy((t) => 2 * Math.log(t + 0.01)) },
    start: { a: 1, b: -3 },
  },
  "a parameter that does nothing": {
    source: "(+ a (* 0 b) (* c x))",
    data: { x, y: noisy((t) => 1 + t) },
    start: { a: 5, b: 2, c: -1 },
  },
  "units far apart": {
    source: "(+ (* 1e6 a) (* 1e-6 b x) (* c x x))",
    data: { x, y: noisy((t) => 1 + t - 0.5 * t * t) },
    start: { a: 1, b: 1, c: 1 },
  },
  "nothing at the start": {
    source: "(* a (log b) x)",
    data: { x, y: noisy((t) => t) },
    start: { a: 1, b: -1 },
  },
};

const all = new Set<string>();

// Wide enough that rounding decides nothing.
const tolerances = { gradient: 1e-6, step: 1e-6, loss: 1e-8 };

describe.each(Object.entries(problems))("%s", (_, problem) => {
  test.each([1, 2, 3, 5, 8, 100])("in %d steps", async (steps) => {
    const { plain } = await expectSameWay(problem, { steps, tolerances });
    for (const one of plain.seen) all.add(one);
  });
});

test("steps were good, bad, vetoed and not finite", () => {
  expect([...all].sort()).toEqual(["bad", "good", "not finite", "vetoed"]);
});
