/**
 * Functions that JavaScript's Math lacks, in plain numbers: known values, both sides of every change of
 * method, and what the machine's own kernels give at the edges.
 */

import { afterAll, describe, expect, test } from "vitest";
import { Machine } from "../../src/index.js";
import { newGraph, nodesOf } from "../../src/primitives/graph.js";
import { numbers } from "../../src/primitives/numbers.js";
import { simdText } from "../../src/primitives/simd.js";
import { digamma, erf, gcd, lgamma, nearest, power } from "../../src/primitives/special.js";

const { NaN: none } = Number;
const machine = await Machine.create({ precision: "f64" });
afterAll(() => machine.dispose());

describe("nearest", () => {
  const table: readonly (readonly [number, number])[] = [
    ...[-2, -1, -0, 0, 1, 2 ** 53, Infinity, -Infinity, none].map((x) => [x, x] as const),
    ...([0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 0.4, -0.4, 0.6, -0.6, 3.49, -3.51] as const).map(
      (x, i) => [x, [0, -0, 2, -2, 2, -2, 0, -0, 1, -1, 3, -4][i] as number] as const,
    ),
    [0.49999999999999994, 0],
  ];
  test.each(table)("of %d is %d", (x, wanted) => {
    expect(nearest(x)).toBe(wanted);
    expect(machine.load("(round x)").evaluate({ x }).values[0]).toBe(wanted);
  });
});

describe("gcd", () => {
  test.each([
    [12, 18, 6],
    [18, 12, 6],
    [-12, 18, 6],
    [12, -18, 6],
    [0, 5, 5],
    [5, 0, 5],
    [0, 0, 0],
    [7, 7, 7],
    [1, 9, 1],
    [none, 4, none],
    [4, none, none],
  ])("of %d and %d is %d", (a, b, wanted) => expect(gcd(a, b)).toBe(wanted));
});

test("plain numbers took 1 to the power NaN for NaN, where the machine and C say 1", () => {
  const values = [0, 0.5, 1, 2, 3, 2 ** 53 - 1, 2 ** 53, Infinity].flatMap((x) => [x, -x]);
  const pairs = [...values, none].flatMap((x) => [...values, none].map((y) => [x, y] as const));
  const found = machine
    .load("(expt x y)")
    .evaluate({ x: pairs.map(([x]) => x), y: pairs.map(([, y]) => y) });
  for (const [i, [x, y]] of pairs.entries())
    expect(power(x, y), `${x} to the power ${y}`).toBe(found.values[i]);
});

/** Values to 16 digits from tables. */
const known: readonly (readonly [string, (x: number) => number, number, number])[] = [
  ["erf", erf, 0, 0],
  ["erf", erf, 1e-9, 1.128379167095512e-9],
  ["erf", erf, 0.5, 0.5204998778130465],
  ["erf", erf, 1, 0.8427007929497149],
  ["erf", erf, -1, -0.8427007929497149],
  ["erf", erf, 2.4999, 0.9995928300996666],
  ["erf", erf, 2.5, 0.999593047982555],
  ["erf", erf, 3, 0.9999779095030014],
  ["erf", erf, -3, -0.9999779095030014],
  ["erf", erf, 5.9, 1],
  ["erf", erf, 6.1, 1],
  ["erf", erf, -7, -1],
  ["erf", erf, Infinity, 1],
  ["erf", erf, -Infinity, -1],
  ["lgamma", lgamma, 0.5, 0.5723649429247001],
  ["lgamma", lgamma, 1, 0],
  ["lgamma", lgamma, 2, 0],
  ["lgamma", lgamma, 3, Math.LN2],
  ["lgamma", lgamma, 9.5, 11.689333420797269],
  ["lgamma", lgamma, 10, 12.801827480081469],
  ["lgamma", lgamma, 10.5, 13.940625219403763],
  ["lgamma", lgamma, 100, 359.1342053695754],
  ["lgamma", lgamma, -0.5, 1.2655121234846454],
  ["lgamma", lgamma, -2.5, -0.05624371649767405],
  ["lgamma", lgamma, -1e-320, 736.8272408909739],
  ["lgamma", lgamma, 0, Infinity],
  ["lgamma", lgamma, -3, Infinity],
  ["lgamma", lgamma, Infinity, Infinity],
  ["lgamma", lgamma, -Infinity, Infinity],
  ["digamma", digamma, 1, -0.5772156649015329],
  ["digamma", digamma, 0.5, -1.9635100260214235],
  ["digamma", digamma, 2, 0.4227843350984671],
  ["digamma", digamma, 10, 2.251752589066721],
  ["digamma", digamma, 9.999, 2.2516474172057355],
  ["digamma", digamma, 100, 4.600161852738087],
  ["digamma", digamma, -0.5, 0.03648997397857652],
  ["digamma", digamma, -1.25, 3.714139120213528],
  ["digamma", digamma, 0, -Infinity],
  ["digamma", digamma, -0, Infinity],
  ["digamma", digamma, -1, none],
  ["digamma", digamma, -7, none],
  ["digamma", digamma, Infinity, Infinity],
  ["digamma", digamma, -Infinity, none],
];

describe("known values", () => {
  test.each(known)("%s", (name, f, x, wanted) => {
    const got = f(x);
    // The machine's kernels are another implementation; digamma is the slope of lgamma.
    const run = machine
      .load(`(${name === "digamma" ? "lgamma" : name} x)`)
      .gradient({ x }, { wrt: ["x"] });
    const other = (name === "digamma" ? run.gradients["x"]?.[0] : run.values[0]) as number;
    for (const value of [got, other]) {
      if (Number.isFinite(wanted))
        expect(Math.abs(value - wanted), `${value}`).toBeLessThan(
          2e-13 * Math.max(1, Math.abs(wanted)),
        );
      else expect(value).toBe(wanted);
    }
  });

  test.each([erf, lgamma, digamma])("NaN stays NaN: %s", (f) => expect(f(none)).toBeNaN());

  test("erf of the smallest numbers keeps their digits and signs", () => {
    expect(erf(1e-300)).toBeCloseTo(1.128379167095512e-300, 310);
    expect(erf(-0)).toBe(-0);
  });
});

describe("the algebra over numbers", () => {
  const at = (x: number): readonly number[] => [numbers.sigmoid(x), numbers.softplus(x)];

  test("sigmoid and softplus do not overflow on either side", () => {
    expect(at(0)).toEqual([0.5, Math.LN2]);
    expect(at(800)).toEqual([1, 800]);
    expect(at(-800)).toEqual([0, 0]);
    expect(at(-40)[0]).toBeCloseTo(Math.exp(-40), 30);
    expect(at(2)[0]).toBeCloseTo(1 / (1 + Math.exp(-2)), 15);
    expect(at(2)[1]).toBeCloseTo(Math.log(1 + Math.exp(2)), 14);
    expect(at(-2)[1]).toBeCloseTo(Math.log(1 + Math.exp(-2)), 15);
  });

  test("masks, choices and powers", () => {
    const { andMask, select, pow, rem, min, max, num } = numbers;
    expect([andMask(none, false), andMask(3, true)]).toEqual([0, 3]);
    expect([select(true, 1, 2), select(false, 1, 2)]).toEqual([1, 2]);
    expect([pow(2, 10), rem(-7, 3), num(4)]).toEqual([1024, -1, 4]);
    expect([min(-0, 0), max(-0, 0), min(none, 1)]).toEqual([-0, 0, none]);
  });
});

describe("graphs", () => {
  test("equal expressions are one node, and operands come before their users", () => {
    const { k, leaves } = newGraph();
    const sum = k.add(leaves.x, leaves.y);
    expect(k.add(leaves.x, leaves.y)).toBe(sum);
    expect(k.add(leaves.y, leaves.x)).not.toBe(sum);
    expect(k.num(0)).not.toBe(k.num(-0));
    expect(k.num(2)).toBe(k.num(2));
    const root = k.mul(sum, k.sin(sum));
    const order = nodesOf([root]);
    expect(order).toEqual([leaves.x, leaves.y, sum, k.sin(sum), root]);
    expect(() => (k.add as (...args: unknown[]) => unknown)(leaves.x)).toThrow("add takes 2");
  });

  test("texts bind what is used twice or long, and name their kernels once", () => {
    const { k, leaves } = newGraph();
    const twice = k.sin(leaves.x);
    expect(simdText([k.mul(twice, twice)])).toEqual({
      bindings: ["const t0 = sinV(xv);"],
      results: ["v128.mul<real>(t0, t0)"],
      imports: ["sinV"],
    });
    const masked = k.andMask(leaves.g, k.not(k.lt(leaves.x, k.num(0.5))));
    expect(simdText([masked])).toEqual({
      bindings: ["const t0 = v128.lt<real>(xv, v128.splat<real>(0.5));"],
      results: ["v128.andnot(gv, t0)"],
      imports: [],
    });
    const choice = k.select(k.gt(leaves.x, leaves.y), leaves.x, leaves.z);
    expect(simdText([choice]).bindings).toEqual([
      "const t0 = v128.bitselect(xv, zv, v128.gt<real>(xv, yv));",
    ]);
  });
});
