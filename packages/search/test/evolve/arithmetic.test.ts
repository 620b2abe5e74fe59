/**
 * Functions in plain arithmetic against those of JavaScript, which are right to the last bit or two.
 */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { functions } from "../../src/evolve/arithmetic.js";

const seed = Number(process.env["SEED"] ?? 20261116);
const of = (name: string) => functions.get(name) as (x: number, y: number) => number;

const pairs: readonly (readonly [string, (x: number) => number, number, number])[] = [
  ["exp", Math.exp, -745, 709],
  ["log", Math.log, 1e-320, 1e300],
  ["sin", Math.sin, -1e4, 1e4],
  ["cos", Math.cos, -1e4, 1e4],
  ["tanh", Math.tanh, -30, 30],
  ["sinh", Math.sinh, -700, 700],
  ["cosh", Math.cosh, -700, 700],
  ["asin", Math.asin, -1, 1],
  ["acos", Math.acos, -1, 1],
  ["atan", Math.atan, -1e6, 1e6],
  ["log1p", Math.log1p, -0.999, 1e6],
  ["expm1", Math.expm1, -40, 40],
  ["sigmoid", (x) => 1 / (1 + Math.exp(-x)), -700, 700],
];

describe(`arithmetic (SEED=${seed})`, () => {
  test.each(pairs)("%s is right to 13 digits", (name, wanted, min, max) => {
    const near = fc.oneof(fc.double({ min: -2, max: 2 }), fc.double({ min, max }));
    fc.assert(
      fc.property(near, (x) => {
        fc.pre(Number.isFinite(x) && x >= min && x <= max);
        const right = wanted(x);
        const size = Math.max(Math.abs(right), /sin|cos|log|tanh/.test(name) ? 1e-3 : 1e-300);
        expect(Math.abs(of(name)(x, 0) - right)).toBeLessThanOrEqual(1e-13 * size + 1e-320);
      }),
      { seed, numRuns: 500 },
    );
  });

  test("corners are what they are in the language", () => {
    expect(of("exp")(-1000, 0)).toBe(0);
    expect(of("exp")(1000, 0)).toBe(Number.POSITIVE_INFINITY);
    expect(of("log")(0, 0)).toBe(Number.NEGATIVE_INFINITY);
    expect(of("log")(-1, 0)).toBeNaN();
    expect(of("asin")(2, 0)).toBeNaN();
    expect(of("sin")(1e300, 0)).toBeNaN();
    for (const name of ["exp", "log", "sin", "cos", "tanh"])
      expect(of(name)(Number.NaN, 0)).toBeNaN();
  });

  test("whole powers are products, others agree", () => {
    expect(of("expt")(3, 5)).toBe(243);
    expect(of("expt")(-2, -3)).toBe(-0.125);
    expect(of("expt")(0, 0)).toBe(1);
    expect(of("pow")(2, 0.5)).toBeCloseTo(Math.SQRT2, 13);
    expect(of("pow")(-2, 0.5)).toBeNaN();
  });
});
