/**
 * Description length: what each part costs, and what must not change it.
 */

import { logGamma } from "@ndvm/core";
import { describe, expect, test } from "vitest";
import { log2 } from "../../src/choice/bits.js";
import { lengthOf } from "../../src/choice/length.js";
import { likelihoodOf } from "../../src/choice/losses.js";
import { literalBits, simpleNear } from "../../src/choice/simple-numbers.js";
import { decimalStep, latticeOf, yardstickOf } from "../../src/choice/yardstick.js";

const normal = likelihoodOf("squares");

function yardstickFor(rows: number, scale = 1) {
  const y = Float64Array.from({ length: rows }, (_, i) => scale * Math.sin(i * 1.7));
  return yardstickOf({
    target: "y",
    inputs: ["x"],
    operators: ["+", "*"],
    precision: "f64",
    train: { x: y, y },
    heldOut: { x: [], y: [] },
  });
}

const column = (rows: number, of: (i: number) => number) =>
  Float64Array.from({ length: rows }, (_, i) => of(i));

describe("logarithms", () => {
  test("of gamma are those of factorials", () => {
    for (const [n, product] of [
      [1, 1],
      [2, 1],
      [5, 24],
      [11, 3628800],
    ] as const)
      expect(logGamma(n)).toBeCloseTo(Math.log(product), 10);
    expect(logGamma(0.5)).toBeCloseTo(0.5 * Math.log(Math.PI), 10);
    expect(log2(8)).toBeCloseTo(3, 12);
  });
});

describe("the target's resolution", () => {
  test("is its last digit", () => {
    expect(decimalStep([[1.25, 3.5, 10]])).toBe(0.01);
    expect(decimalStep([[100, 3200]])).toBe(100);
    expect(decimalStep([[1.602e-19, 3.1e-19]])).toBe(1e-22);
    expect(decimalStep([[0.1 + 0.2, 0.25]])).toBe(0.01);
  });

  test("is rounding where all digits are there", () => {
    expect(decimalStep([[Math.PI, Math.E]])).toBe(0);
    const { resolution } = yardstickFor(50);
    expect(resolution).toBeGreaterThan(0);
    expect(resolution).toBeLessThan(1e-12);
  });
});

describe("lattices", () => {
  test("are found where rows are missing, and where they do not begin at 0", () => {
    const lattice = latticeOf([
      [1, 1.25, 2, 2.5],
      [1.75, 3],
    ]);
    expect(lattice?.step).toBeCloseTo(0.25, 12);
    expect(lattice?.origin).toBe(1);
    expect(latticeOf([[0, 0.1667, 0.3333, 0.5, 0.6667, 0.8333]])?.step).toBeCloseTo(1 / 6, 4);
  });

  test("are not found where rows are scattered", () => {
    expect(latticeOf([column(40, (i) => Math.sqrt(i))])).toBeUndefined();
    expect(latticeOf([column(40, (i) => (i * 0.618034) % 1)])).toBeUndefined();
  });
});

describe("a length", () => {
  const rows = 100;
  const given = (change: object, scale = 1) => {
    const slope = column(rows, (i) => i / rows);
    const base = { loss: rows * 0.01 * scale * scale, values: [2], slopes: [slope] };
    const weighted = { ...base, simpleBits: 0, symbols: 20, gaps: 0, ...change };
    return lengthOf(weighted, yardstickFor(rows, scale), normal);
  };

  test("is the sum of its parts", () => {
    const { length, parts } = given({ gaps: 3 });
    expect(length).toBeCloseTo(parts.data + parts.constants + parts.symbols + parts.gaps, 9);
    expect(parts.symbols).toBe(20);
    expect(parts.gaps).toBe(3);
  });

  test("falls by half a bit a row where the squares are halved", () => {
    const fall = given({}).parts.data - given({ loss: rows * 0.005 }).parts.data;
    expect(fall).toBeCloseTo(0.5 * rows - 0, 0);
  });

  test("does not depend on units", () => {
    const slope = column(rows, (i) => (1e9 * i) / rows);
    const far = given({ values: [2e-18], slopes: [slope.map((s) => s * 1e9)] }, 1e9);
    const near = given({ slopes: [slope.map((s) => s / 1e9)] });
    const fine = given({ values: [2e-18], slopes: [slope.map((s) => s * 1e9)] });
    expect(fine.parts.constants).toBeCloseTo(near.parts.constants, 6);
    expect(far.length).toBeLessThan(near.length + 200);
  });

  test("does not charge twice for constants that do the same", () => {
    const slope = column(rows, (i) => i / rows);
    const almost = slope.map((s, i) => s + 1e-4 * Math.sin(i));
    const other = column(rows, (i) => Math.cos(i));
    const same = given({ values: [2, 2], slopes: [slope, almost] });
    const two = given({ values: [2, 2], slopes: [slope, other] });
    expect(same.parts.constants).toBeLessThan(two.parts.constants - 4);
  });

  test("tells constants of which the data know nothing, and takes little for them", () => {
    const { parts, errors } = given({ values: [5], slopes: [new Float64Array(rows)] });
    expect(errors).toEqual([Number.POSITIVE_INFINITY]);
    expect(parts.constants).toBeLessThan(3);
  });

  test("knows nothing of constants whose slopes are the same up to a millionth part", () => {
    const slope = column(rows, (i) => i / rows);
    const beside = (apart: number) => {
      const almost = slope.map((s, i) => s + apart * Math.sin(i));
      return given({ values: [2, 2, 1], slopes: [slope, almost, new Float64Array(rows)] }).errors;
    };
    expect(beside(1e-7)).toEqual(Array(3).fill(Number.POSITIVE_INFINITY));
    const [a = 0, b = 0, none] = beside(1e-4);
    expect([a > 100, a < 1e4, Math.abs(a / b - 1) < 1e-3, none]).toEqual([
      ...[true, true, true, Number.POSITIVE_INFINITY],
    ]);
    // A column of nothing beside it takes a row's freedom, and no more.
    const [alone = 0] = given({}).errors;
    const [beside0 = 0] = given({ values: [2, 1], slopes: [slope, new Float64Array(rows)] }).errors;
    expect(beside0 / alone).toBeCloseTo(Math.sqrt(99 / 98), 12);
  });

  test("is infinite where there are as many constants as rows", () => {
    const slopes = Array.from({ length: 3 }, () => Float64Array.from([1, 2, 3]));
    const weighted = { loss: 0, values: [1, 1, 1], slopes, simpleBits: 0, symbols: 1, gaps: 0 };
    expect(lengthOf(weighted, yardstickFor(3), normal).length).toBe(Number.POSITIVE_INFINITY);
  });

  test("with few rows gains nothing by constants that eat the residuals", () => {
    const few = yardstickFor(8);
    const slopes = [column(8, () => 1), column(8, (i) => i), column(8, (i) => i * i)];
    const line = lengthOf(
      {
        loss: 0.08,
        values: [1, 1],
        slopes: slopes.slice(0, 2),
        simpleBits: 0,
        symbols: 20,
        gaps: 0,
      },
      few,
      normal,
    );
    const curve = lengthOf(
      { loss: 0.06, values: [1, 1, 0.1], slopes, simpleBits: 0, symbols: 28, gaps: 0 },
      few,
      normal,
    );
    expect(line.length).toBeLessThan(curve.length);
  });
});

describe("simple numbers", () => {
  const names = (value: number, reach: number) => simpleNear(value, reach).map((n) => n.value);

  test("are whole numbers, fractions and multiples of π within reach, the cheapest first", () => {
    expect(names(1.98, 0.05)).toEqual([2]);
    expect(names(0.49, 0.02)).toEqual([0.5]);
    expect(names(3.1, 0.11)).toEqual(
      [3, Math.PI, (5 * Math.PI) / 5].slice(0, 2).concat(names(3.1, 0.11).slice(2)),
    );
    expect(names(0.01, 0.02)).toContain(0);
    expect(names(7.123, 0.001)).toEqual([]);
  });

  test("cost less than digits", () => {
    expect(literalBits(2, 100)).toBeLessThan(literalBits(17, 100));
    expect(literalBits(17, 100)).toBeLessThan(literalBits(0.1234, 100));
    expect(literalBits(0.1234, 5)).toBe(5);
  });
});
