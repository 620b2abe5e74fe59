/**
 * Linear models of one parameter to thirteen, against the normal equations solved here: estimates, errors and
 * what is left, by every optimiser, with weights, bounds that do not bind, and more rows than are taken at once.
 */

import { describe, expect, test } from "vitest";
import { type FitOptions, fit, Machine, Random } from "../../src/index.js";
import { machine } from "./support.js";

const single = await Machine.create({ precision: "f32" });

/** Solves A z = b and gives the inverse of A, by Gauss and Jordan. */
function solved(matrix: readonly (readonly number[])[], right: readonly number[]) {
  const size = right.length;
  const rows = matrix.map((row, i) => [
    ...row,
    ...row.map((_, j) => (i === j ? 1 : 0)),
    right[i] as number,
  ]);
  for (let k = 0; k < size; k++) {
    let best = k;
    for (let i = k; i < size; i++)
      if (Math.abs(rows[i]?.[k] as number) > Math.abs(rows[best]?.[k] as number)) best = i;
    [rows[k], rows[best]] = [rows[best] as number[], rows[k] as number[]];
    const own = rows[k] as number[];
    const pivot = own[k] as number;
    for (let c = 0; c < own.length; c++) own[c] = (own[c] as number) / pivot;
    for (const row of rows) {
      const factor = row[k] as number;
      if (row === own) continue;
      for (let c = 0; c < row.length; c++)
        row[c] = (row[c] as number) - factor * (own[c] as number);
    }
  }
  return {
    at: rows.map((row) => row.at(-1) as number),
    inverse: rows.map((row) => row.slice(size, 2 * size)),
  };
}

function linear(size: number, rows: number, seed: number) {
  const random = new Random(seed);
  const column = () => Array.from({ length: rows }, () => 2 * random.uniform() - 1);
  const columns = Array.from({ length: size }, column);
  const wanted = columns.map(() => 6 * random.uniform() - 3);
  const y = column().map((noise, row) =>
    wanted.reduce((sum, by, j) => sum + by * (columns[j]?.[row] as number), 0.3 * noise),
  );
  const weights = column().map((at) => (at < -0.8 ? 0 : 1 + at));
  const names = columns.map((_, j) => "abcdefghijklm"[j] as string);
  const source = `(+ 0 ${names.map((name, j) => `(* ${name} x${j})`).join(" ")})`;
  const data = Object.fromEntries([["y", y], ...columns.map((one, j) => [`x${j}`, one] as const)]);
  const leastOf = (weight: readonly number[]) => {
    const sum = (of: (row: number) => number) =>
      y.reduce((all, _, row) => all + (weight[row] as number) * of(row), 0);
    const at = (j: number, row: number) => columns[j]?.[row] as number;
    const matrix = columns.map((_, i) =>
      columns.map((_c, j) => sum((row) => at(i, row) * at(j, row))),
    );
    const result = solved(
      matrix,
      columns.map((_, i) => sum((row) => at(i, row) * (y[row] as number))),
    );
    const loss = sum(
      (row) =>
        ((y[row] as number) - result.at.reduce((all, by, j) => all + by * at(j, row), 0)) ** 2,
    );
    return { ...result, loss, points: weight.filter((one) => one > 0).length };
  };
  return { names, source, data, weights, ones: weights.map(() => 1), leastOf };
}

const sizes = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13];

describe("a linear model", () => {
  test.each(sizes)("of %i parameters is solved as its normal equations are", async (size) => {
    for (const rows of [size + 3, 4 * size + 5, ...(size % 5 === 2 ? [4096, 4101] : [])]) {
      const { names, source, data, weights, ones, leastOf } = linear(size, rows, 31 * size + rows);
      const program = machine.load(source);
      for (const [weight, given] of [
        [ones, {}],
        [weights, { weights }],
      ] as const) {
        const least = leastOf(weight);
        if (least.points < size + 2) continue;
        const bounds = Object.fromEntries(
          names.map((name, j) => [name, j % 2 === 0 ? { bounds: [-90, 70] as const } : 1]),
        );
        const all: readonly (readonly [name: string, FitOptions, digits: number])[] = [
          ["lm", {}, 9],
          ["lm within bounds", { params: bounds }, 6],
          ["lbfgs", { optimiser: "lbfgs", detail: "scores" }, 4],
        ];
        for (const [name, how, digits] of all) {
          if (rows > 4000 && name !== "lm") continue;
          const options: FitOptions = { data, target: "y", ...given, ...how };
          const result = await fit(program, options);
          const what = `${name} of ${size} in ${rows} rows ${Object.keys(given)}`;
          expect(Math.abs(result.best.loss / least.loss - 1), what).toBeLessThan(10 ** -digits);
          for (const [j, one] of names.entries())
            expect(result.best.params[one], `${one} by ${what}`).toBeCloseTo(
              least.at[j] as number,
              digits - 2,
            );
          if (how.detail === "scores") continue;
          const variance = least.loss / (least.points - size);
          for (const [i, one] of names.entries()) {
            const error = Math.sqrt(variance * (least.inverse[i]?.[i] as number));
            expect((result.standardErrors[one] as number) / error, what).toBeCloseTo(1, 5);
            for (const j of names.keys())
              expect(
                (result.covariance?.matrix[i * size + j] as number) / variance,
                `${what}, ${i} and ${j}`,
              ).toBeCloseTo(least.inverse[i]?.[j] as number, 6);
          }
        }
      }
      program.dispose();
    }
  });

  test.each([1, 2, 5, 8])("of %i parameters in f32, to its digits", async (size) => {
    const { names, source, data, ones, leastOf } = linear(size, 6 * size, size);
    const program = single.load(source);
    const least = leastOf(ones);
    const { best } = await fit(program, { data, target: "y" });
    for (const [j, one] of names.entries())
      expect(best.params[one]).toBeCloseTo(least.at[j] as number, 3);
    program.dispose();
  });

  test("as the loss of a program, of counts of one parameter to nine", async () => {
    for (const size of [1, 2, 3, 4, 7, 9]) {
      const { names, source, data, leastOf, ones } = linear(size, 5 * size, 7 + size);
      const least = leastOf(ones);
      const program = machine.load(source);
      const own = await fit(program, {
        ...{ data, target: "y", loss: "(square (- pred y))" },
        detail: "scores",
      });
      for (const [j, one] of names.entries())
        expect(own.best.params[one]).toBeCloseTo(least.at[j] as number, 3);
      program.dispose();
    }
  });
});
