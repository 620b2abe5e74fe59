/**
 * The yardstick and the gaps of a study do not depend on which rows are held out: all of them are moved
 * from one part to the other, and only the number of rows to train on changes.
 */

import { Random } from "@ndvm/core";
import { describe, expect, test } from "vitest";
import { gapsOf } from "../../src/choice/gaps.js";
import { joined } from "../../src/choice/weigh.js";
import { decimalStep, latticeOf, type Measured, yardstickOf } from "../../src/choice/yardstick.js";

const seed = Number(process.env["SEED"] ?? 20261119);

/** Columns of which single rows decide: the last digit, the size, the step, what is off a lattice. */
const columns = {
  x: [0, 1, 2, 3, 4.5, 5, 6, 7, 8, 9],
  scattered: [0, 10, 20, 30, 40, 50, 60, 70, 80, 87.3],
  whole: [0, 2, 4, 6, 8, 10, 12, 14, 16, 17],
};
const targets = {
  "its last digit in one row": [100, 200, 300, 400, 500, 600, 700, 800, 2.5, 900],
  "all digits in one row": [1, 2, 3, 4, 5, 6, 7, 8, 9, Math.PI],
  "its size in one row": [1, 2, 3, 4, 5, 6, 7, 8, 9, 1e9 + Math.E],
  "no digits anywhere": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((value) => Math.sqrt(value)),
  "a large number in one row": [0.5, 0.25, 0, 0, 0, 0, 0, 0, 0, 4000],
};

function studyOf(
  y: readonly number[],
  held: readonly number[],
  precision: "f32" | "f64",
): Measured {
  const all: Record<string, readonly number[]> = { ...columns, y };
  const part = (isHeld: boolean) =>
    Object.fromEntries(
      Object.entries(all).map(([name, values]) => [
        name,
        Float64Array.from(values.filter((_, row) => held.includes(row) === isHeld)),
      ]),
    );
  const inputs = Object.keys(columns);
  return {
    ...{ target: "y", inputs, operators: ["+", "sin"], precision },
    ...{ train: part(false), heldOut: part(true) },
  };
}

/** Which rows are held out: each alone with the first, all but two, and some at random. */
function choices(): readonly (readonly number[])[] {
  const draws = new Random(seed);
  const rows = columns.x.map((_, row) => row);
  return [
    [],
    ...rows.map((row) => [row]),
    ...rows.map((row) => rows.filter((other) => other !== row)),
    ...Array.from({ length: 10 }, () => rows.filter(() => draws.uniform() < 0.5)),
  ];
}

describe.each(Object.entries(targets))(`rows of a target with %s (SEED=${seed})`, (_, y) => {
  test.each(["f32", "f64"] as const)("count alike, held out or not, in %s", (precision) => {
    const { trainRows, ...wanted } = yardstickOf(studyOf(y, [], precision));
    expect(trainRows).toBe(10);
    expect([...wanted.lattices.keys()]).toEqual(
      ["x", "scattered", "whole"].filter((name) => latticeOf([columns[name as "x"]]) !== undefined),
    );
    const step = decimalStep([y]);
    const size = Math.sqrt(y.reduce((sum, value) => sum + value * value, 0) / 10);
    const rounding = size * (precision === "f64" ? 2 ** -46 : 2 ** -18);
    expect(wanted.resolution / Math.max(step, rounding)).toBeCloseTo(1, 9);
    for (const held of choices()) {
      const { trainRows: own, ...found } = yardstickOf(studyOf(y, held, precision));
      expect(own).toBe(10 - held.length);
      for (const name of ["resolution", "leastSquare"] as const)
        expect(found[name] / wanted[name], `${held}`).toBeCloseTo(1, 9);
      expect(found.resolutionBits).toBeCloseTo(wanted.resolutionBits, 9);
      for (const name of ["rows", "symbolBits", "roughConstantBits", "inputs", "lattices"] as const)
        expect(found[name], `${name} with ${held}`).toEqual(wanted[name]);
    }
  });
});

test("gaps are between all rows, held out or not", () => {
  const y = targets["no digits anywhere"];
  for (const inputs of [["x"], ["x", "scattered"]])
    for (const held of choices()) {
      const study = { ...studyOf(y, held, "f64"), inputs };
      const { count, share, steps, places } = gapsOf(
        joined(study as unknown as Parameters<typeof joined>[0]),
        inputs,
        "y",
      );
      expect([count, share]).toEqual([inputs.length === 1 ? 9 : 10, 1]);
      const ends = (at: number) =>
        new Set(Array.from({ length: count }, (_, i) => places["x"]?.[9 * i + at]));
      expect(ends(0).size).toBe(count);
      if (inputs.length === 1) {
        expect([...ends(0), 9]).toEqual(columns.x);
        expect([...steps]).toEqual(
          y.slice(1).map((value, i) => Math.abs(value - (y[i] as number))),
        );
      }
    }
});
