/**
 * Objective fits whose data are matrices and vectors, against the same fits row by row: the sum of squares of a linear
 * model is one number of a program, or the loss of a table. Shapes are all sorts, so that rows are not taken for
 * columns.
 */

import { describe, expect, test } from "vitest";
import { Random } from "../../src/fit/math/random.js";
import { type FitOptions, fit, fitFromJSON, mat, NdvmError, vec } from "../../src/index.js";
import { machine } from "./support.js";

const seed = Number(process.env["SEED"] ?? Math.floor(Math.random() * 2 ** 31));
console.info(`matrices: SEED=${seed}`);
const random = new Random(seed, 0);
const uniform = (): number => 2 * random.uniform() - 1;

const shapes = [
  [1, 1],
  [1, 3],
  [4, 1],
  [2, 5],
  [5, 2],
  [3, 3],
  [6, 4],
] as const;

const matrixOf = (rows: number, cols: number): number[][] =>
  Array.from({ length: rows }, () => Array.from({ length: cols }, uniform));

async function refusalOf(source: string, options: FitOptions): Promise<NdvmError> {
  const program = machine.load(source);
  try {
    await fit(program, options);
  } catch (error) {
    if (error instanceof NdvmError) return error;
    throw error;
  } finally {
    program.dispose();
  }
  throw new Error("it was fitted");
}

describe.each(shapes)("a matrix of %d × %d", (rows, cols) => {
  const holding = (value: number, row: number, col: number): number[][] => {
    const matrix = matrixOf(rows, cols);
    (matrix[row] as number[])[col] = value;
    return matrix;
  };

  test("tells the row of a number that is none, wherever it stands", async () => {
    for (let row = 0; row < rows; row++)
      for (let col = 0; col < cols; col++)
        for (const value of [Number.NaN, Infinity, -Infinity]) {
          const data = { m: mat(holding(value, row, col)) };
          const { code, facts, message } = await refusalOf(
            "(+ (square k) (* 0 (ref (ref m 0) 0)))",
            {
              data,
            },
          );
          expect(code).toBe("E-INPUT");
          expect(facts).toMatchObject({ column: "m", rows: [row] });
          expect(message).toContain(`row ${row + 1}`);
        }
  });

  test("may be a vector of its numbers, which tells theirs", async () => {
    for (let at = 0; at < rows * cols; at++) {
      const numbers = Array.from({ length: rows * cols }, uniform);
      numbers[at] = Number.NaN;
      for (const v of [numbers, Float64Array.from(numbers), vec(numbers)]) {
        const { facts } = await refusalOf("(+ (square k) (* 0 (vsum v)))", { data: { v } });
        expect(facts).toMatchObject({ column: "v", rows: [at] });
      }
    }
  });

  /** A table with a row for each parameter more than the matrix has, and the same as one number of a program. */
  function twoWays(loss: string) {
    const data = [...matrixOf(rows, cols), ...matrixOf(cols, cols)];
    const names = Array.from({ length: cols }, (_, j) => `p${j}`);
    const terms = names.map((name, j) => `(* ${name} x${j})`).join(" ");
    const columns = names.map((_, j) => [`x${j}`, data.map((row) => row[j] as number)]);
    return {
      names,
      table: machine.load(`(+ ${terms} 0)`),
      columns: Object.fromEntries(columns) as Record<string, number[]>,
      whole: machine.load(`(let ((r (- y (matvec m (vec ${names.join(" ")}))))) ${loss})`),
      data: { m: mat(data) },
      y: data.map(() => 3 * uniform()),
      params: Object.fromEntries(names.map((name) => [name, 0.5])),
    };
  }

  test("is fitted as the table of its rows", async () => {
    const { names, table, columns, whole, data, y, params } = twoWays("(dot r r)");
    const wanted = await fit(table, { data: { ...columns, y }, target: "y", params });
    const { condition = Infinity } = wanted.identifiability ?? {};
    for (const optimiser of ["lbfgs", "auto"] as const) {
      const options: FitOptions = { data: { ...data, y }, params, optimiser, restarts: 2 };
      const result = await fit(whole, options);
      expect(result.best.loss).toBeCloseTo(wanted.best.loss, 6);
      expect(result.parameters).toEqual(wanted.parameters);
      for (const name of condition < 100 ? names : [])
        expect(result.best.params[name], name).toBeCloseTo(wanted.best.params[name] as number, 3);
      const scores = await fit(whole, { ...options, detail: "scores" });
      expect(scores.best).toEqual(result.best);
      const back = fitFromJSON(whole, JSON.parse(JSON.stringify(result)));
      expect(back.toJSON()).toEqual(result.toJSON());
      const again = await fit(whole, { ...options, resume: result.toJSON() });
      expect(again.best).toEqual(result.best);
      const few = await fit(whole, { ...options, steps: 2 });
      const alone = await fit(whole, { ...options, steps: 2, together: 1, chunk: 4 });
      expect(alone.best).toEqual(few.best);
    }
    table.dispose();
    whole.dispose();
  });

  test("gives a likelihood the errors that least squares have", async () => {
    const { names, table, columns, whole, data, y, params } = twoWays("(/ (dot r r) 2)");
    const sigma = y.map(() => 1);
    const wanted = await fit(table, { data: { ...columns, y }, target: "y", params, sigma });
    const result = await fit(whole, {
      ...{ data: { ...data, y }, params, isNegativeLogLikelihood: true },
    });
    const { condition = Infinity } = wanted.identifiability ?? {};
    for (const name of condition < 30 ? names : []) {
      const error = wanted.standardErrors[name] as number;
      expect((result.standardErrors[name] as number) / error, name).toBeCloseTo(1, 3);
      const off = (result.best.params[name] as number) - (wanted.best.params[name] as number);
      expect(Math.abs(off), name).toBeLessThan(2e-3 * error);
    }
    table.dispose();
    whole.dispose();
  });
});
