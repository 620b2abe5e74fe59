/**
 * How sure a fit is, worked out a second time: checks of residuals, singular values, covariances
 * and the words for what the data leave open.
 */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Factor, factorNumbers, factorStride, singularValues } from "../../src/fit/math/linear.js";
import { Random } from "../../src/fit/math/random.js";
import { checkResiduals } from "../../src/fit/quality/checks.js";
import {
  type CovarianceEstimate,
  covarianceOfFactor,
  covarianceOfHessian,
} from "../../src/fit/quality/covariance.js";
import { describeUndetermined, listed } from "../../src/fit/quality/identify.js";
import { fitFromJSON } from "../../src/index.js";
import { fitText, machine, noise, steps } from "./support.js";

const SEED = Number(process.env["SEED"] ?? Date.now() % 2 ** 31);
console.log(`quality: SEED=${SEED}`);
const check = { seed: SEED, numRuns: 60 };

const numbers = (min: number, max: number) =>
  fc.array(fc.integer({ min: -9, max: 9 }), { minLength: min, maxLength: max });

describe("checks of residuals", () => {
  const together =
    "neighbouring residuals go together: the model misses a pattern in the rows' order";
  const alternate = "neighbouring residuals alternate in sign: the model misses a pattern";

  test("agree with their definitions, weights included", () => {
    fc.assert(
      fc.property(numbers(2, 24), fc.boolean(), (values, isWeighted) => {
        const roots = isWeighted
          ? Float64Array.from(values, (_, i) => [1, 0.5, 2, 0][i % 4] as number)
          : undefined;
        const z = values
          .map((value, i) => value * (roots?.[i] ?? 1))
          .filter((_, i) => roots?.[i] !== 0);
        const sum = (list: readonly number[]): number => list.reduce((a, b) => a + b, 0);
        const signs = z.filter((value) => value !== 0).map(Math.sign);
        const above = signs.filter((sign) => sign > 0).length;
        const below = signs.length - above;
        const runs = signs.filter((sign, i) => i === 0 || sign !== signs[i - 1]).length;
        const n = signs.length;
        const expected = (2 * above * below) / n + 1;
        const variance = ((expected - 1) * (expected - 2)) / (n - 1);
        const residuals = Float64Array.from(values);
        const found = checkResiduals(residuals, roots);
        expect(found.residuals).toBe(residuals);
        expect(found.mean).toBeCloseTo(sum(z) / z.length, 10);
        const jumps = z.slice(1).map((value, i) => (value - (z[i] as number)) ** 2);
        const squares = sum(z.map((value) => value * value));
        same(found.durbinWatson, sum(jumps) / squares);
        expect(found.runs).toBe(runs);
        same(found.runsExpected, expected);
        if (variance > 1e-9) same(found.runsScore, (runs - expected) / Math.sqrt(variance));
        const wanted: string[] = [];
        if (z.length >= 10 && found.durbinWatson < 1) wanted.push(together);
        if (z.length >= 10 && found.durbinWatson > 3) wanted.push(alternate);
        if (z.length >= 10 && found.runsScore < -3)
          wanted.push("the residuals change sign too seldom for noise");
        if (z.length >= 10 && found.runsScore > 3)
          wanted.push("the residuals change sign too often for noise");
        expect(found.words).toEqual(wanted);
      }),
      check,
    );
  });

  test("a row of weight 0 that has no prediction left no mean and counted as a run", () => {
    const [roots, without] = [Float64Array.of(1, 2, 0, 1), Float64Array.of(1, 2, 1)];
    const { residuals, ...checks } = checkResiduals(Float64Array.of(1, -3, Number.NaN, 2), roots);
    const { residuals: _, ...wanted } = checkResiduals(Float64Array.of(1, -3, 2), without);
    expect(checks).toEqual(wanted);
    expect(residuals[2]).toBeNaN();
  });

  test("rows of weight 0 between others hid that neighbours go together", () => {
    const residuals = Float64Array.from({ length: 30 }, (_, i) => (i < 15 ? 1 : -1));
    const roots = residuals.map((_, i) => i % 2);
    expect(checkResiduals(residuals, roots).words).toContain(together);
  });

  test("residuals that need not lie around 0 were said to go together: those of a quantile's loss", async () => {
    const random = new Random(5);
    const off = Array.from({ length: 60 }, () => -Math.log(1 - random.uniform()));
    const x = off.map((_, i) => ((i * 7) % 60) / 60);
    const y = x.map((at, i) => 1 + 2 * at + 0.3 * (off[i] as number));
    const loss = "(max (* 0.9 (- y pred)) (* -0.1 (- y pred)))";
    const { residuals } = await fitText("(+ a (* b x))", { data: { x, y }, target: "y", loss });
    expect(residuals?.words).toEqual([]);
    const z = [...(residuals?.residuals ?? [])];
    const mean = z.reduce((a, b) => a + b, 0) / 60;
    expect(residuals?.mean).toBeCloseTo(mean, 12);
    const squares = (list: readonly number[]) => list.reduce((sum, one) => sum + one * one, 0);
    const jumps = squares(z.slice(1).map((one, i) => one - (z[i] as number)));
    expect(residuals?.durbinWatson).toBeCloseTo(jumps / squares(z.map((one) => one - mean)), 9);
    // About 0 it is below 1, as of neighbours that go together.
    expect(jumps / squares(z)).toBeLessThan(1);
  });

  test("of several targets are in each target's own unit: their mean was in deviations of the target", async () => {
    const x = steps(0, 2.9, 30);
    const wobble = noise(30, 1);
    const y = x.map((at, i) => 100 * at * at + 10 * (wobble[i] as number));
    const z = x.map((at, i) => 0.1 * at + 0.01 * (wobble[29 - i] as number));
    const { targets } = await fitText("(vec (* a x) (* b x))", {
      ...{ data: { x, y, z }, target: ["y", "z"], params: { a: 1, b: 1 } },
    });
    for (const { residuals } of targets) {
      const left = residuals?.residuals ?? new Float64Array(0);
      expect(left).toHaveLength(30);
      expect(residuals?.mean).toBeCloseTo(left.reduce((a, b) => a + b, 0) / 30, 9);
    }
    expect(targets[0]?.residuals?.mean).not.toBeCloseTo(0, 0);
  });

  test("a residual that is not a number counted as a negative run", () => {
    const { runs, runsExpected, runsScore } = checkResiduals(
      Float64Array.of(1, Number.NaN, 1),
      undefined,
    );
    expect([runs, runsExpected, runsScore]).toEqual([Number.NaN, Number.NaN, Number.NaN]);
  });

  test("speak from ten rows on, and not at the very limits", () => {
    const pattern = (count: number, value: (i: number) => number): readonly string[] =>
      checkResiduals(
        Float64Array.from({ length: count }, (_, i) => value(i)),
        undefined,
      ).words;
    const halves = (count: number) => (i: number) => (i < count / 2 ? 1 : -1);
    expect(pattern(9, halves(9))).toEqual([]);
    expect(pattern(10, halves(10))).toEqual([together]);
    expect(pattern(30, halves(30))).toEqual([
      together,
      "the residuals change sign too seldom for noise",
    ]);
    expect(pattern(9, (i) => (-1) ** i)).toEqual([]);
    expect(pattern(10, (i) => (-1) ** i)).toEqual([alternate]);
    expect(pattern(16, (i) => (-1) ** i)).toEqual([
      alternate,
      "the residuals change sign too often for noise",
    ]);
    // Durbin and Watson's number is 1 and 3 exactly: 16 rows of ±1 with 4 and 12 jumps.
    const jumps = (at: readonly number[]) => (i: number) => (-1) ** at.filter((j) => j <= i).length;
    expect(pattern(16, jumps([2, 5, 9, 12]))).toEqual([]);
    expect(pattern(16, jumps([1, 2, 3, 5, 6, 7, 9, 10, 11, 13, 14, 15]))).toEqual([]);
  });
});

describe("the band of the mean", () => {
  const x = [0, 1, 2, 3, 4, 5, 6];
  const y = [0, 0, 1, 1, 3, 4, 5];
  const trials = x.map(() => 5);
  const params = { a: -2, b: 1 };

  test("of a probability was above 1 and below 0, and that of a count below 0", async () => {
    const source = "(sigmoid (+ a (* b x)))";
    const chance = await fitText(source, {
      data: { x, y },
      target: "y",
      loss: "binomial",
      trials,
      params,
    });
    const rate = await fitText("(exp (+ a (* b x)))", {
      data: { x, y },
      target: "y",
      loss: "poisson",
      params,
    });
    const reach = 1.959963984540054;
    for (const [result, most] of [
      [chance, 1],
      [rate, Infinity],
    ] as const) {
      const again = fitFromJSON(
        machine.load(result === chance ? source : "(exp (+ a (* b x)))"),
        result.toJSON(),
      );
      for (const one of [result, again]) {
        const { values, standardErrors, lower, upper } = one.predict(
          { x: [-1, 0, 3, 6, 7] },
          { level: 0.95 },
        );
        for (const [row, value] of values.entries()) {
          const half = reach * (standardErrors[row] ?? 0);
          expect(lower[row]).toBeCloseTo(Math.max(0, value - half), 6);
          expect(upper[row]).toBeCloseTo(Math.min(most, value + half), 6);
        }
        expect(lower.includes(0)).toBe(true);
        expect(upper.includes(1)).toBe(most === 1);
      }
    }
  });

  test("goes on where nothing limits what is expected", async () => {
    const { predict } = await fitText("(+ a (* b x))", { data: { x, y }, target: "y", params });
    expect(predict({ x: [0] }).lower[0]).toBeLessThan(0);
  });
});

describe("χ² of counts", () => {
  test("counts a row of weight 3 as three rows, and rows without trials not at all", async () => {
    const x = [0, 1, 2, 3, 4, 5];
    const [n, y, w] = [
      [8, 9, 0, 7, 6, 9],
      [1, 2, 0, 4, 5, 7],
      [1, 3, 2, 1, 0, 2],
    ];
    const options = {
      target: "y",
      loss: "binomial",
      trials: "n",
      params: { a: -2, b: 1 },
    } as const;
    const source = "(sigmoid (+ a (* b x)))";
    const weighted = await fitText(source, { ...options, data: { x, n, y, w }, weights: "w" });
    const rows = x.flatMap((_, i) => (n[i] === 0 ? [] : Array<number>(w[i] ?? 0).fill(i)));
    const repeated = (list: readonly number[]) => rows.map((i) => list[i] ?? 0);
    const data = { x: repeated(x), n: repeated(n), y: repeated(y) };
    const each = await fitText(source, { ...options, data });
    expect(weighted.reducedChi).toBeCloseTo(each.reducedChi ?? 0, 9);
    const { a = 0, b = 0 } = each.best.params;
    let chi = 0;
    for (const i of rows) {
      const f = 1 / (1 + Math.exp(-a - b * (x[i] ?? 0)));
      chi += ((y[i] ?? 0) - (n[i] ?? 0) * f) ** 2 / ((n[i] ?? 0) * f * (1 - f));
    }
    expect(each.reducedChi).toBeCloseTo(Math.sqrt(chi / (rows.length - 2)), 6);
  });

  test("is not there without degrees of freedom, or of another loss", async () => {
    const data = { x: [1, 2], y: [3, 4] };
    const line = { data, target: "y", params: { a: 1, b: 1 } };
    const full = await fitText("(exp (+ a (* b x)))", { ...line, loss: "poisson" });
    expect(full.reducedChi).toBeUndefined();
    expect((await fitText("(* a x)", { ...line, params: { a: 1 } })).reducedChi).toBeUndefined();
  });
});

function same(one: number, other: number): void {
  if (Number.isNaN(other)) expect(one).toBeNaN();
  else if (Number.isFinite(other)) expect(one).toBeCloseTo(other, 9);
  else expect(one).toBe(other);
}

const columnsArbitrary = fc
  .tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 0, max: 4 }))
  .chain(([count, more]) =>
    fc.array(
      fc.array(fc.integer({ min: -6, max: 6 }), {
        minLength: count + more,
        maxLength: count + more,
      }),
      { minLength: count, maxLength: count },
    ),
  );

/** JᵀJ for columns. */
const gram = (columns: readonly (readonly number[])[]): number[][] =>
  columns.map((a) => columns.map((b) => a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0)));

/** By Gauss and Jordan, with pivots; undefined where there is none. */
function inverse(matrix: readonly (readonly number[])[]): number[][] | undefined {
  const n = matrix.length;
  const rows = matrix.map((row, i) => [...row, ...row.map((_, j) => (i === j ? 1 : 0))]);
  for (let k = 0; k < n; k++) {
    const at = rows.slice(k).reduce((best, row, i, all) => {
      return Math.abs(row[k] as number) > Math.abs(all[best]?.[k] as number) ? i : best;
    }, 0);
    const [pivot] = rows.splice(k + at, 1);
    if (pivot === undefined || Math.abs(pivot[k] as number) < 1e-6) return undefined;
    const scaled = pivot.map((value) => value / (pivot[k] as number));
    rows.splice(k, 0, scaled);
    for (const [i, row] of rows.entries())
      if (i !== k)
        rows[i] = row.map((value, j) => value - (row[k] as number) * (scaled[j] as number));
  }
  return rows.map((row) => row.slice(n));
}

describe("singular values", () => {
  test("of columns without length are zero, each with a vector of its own", () => {
    const column = (...numbers: number[]) => Float64Array.of(...numbers);
    const { values, vectors } = singularValues([column(0, 0), column(0, 0), column(3, 4)]);
    expect([...values]).toEqual([5, 0, 0]);
    expect(vectors.map((vector) => [...vector])).toEqual([
      [0, 0, 1],
      [1, 0, 0],
      [0, 1, 0],
    ]);
  });

  test("are the lengths of A·v for right vectors at right angles, largest first", () => {
    fc.assert(
      fc.property(columnsArbitrary, (given) => {
        const columns = given.map((column) => Float64Array.from(column));
        const { values, vectors } = singularValues(columns);
        expect(columns.map((column) => [...column])).toEqual(given);
        expect([...values]).toEqual([...values].sort((a, b) => b - a));
        const rows = given[0]?.length ?? 0;
        const images = vectors.map((v) =>
          Array.from({ length: rows }, (_, i) =>
            given.reduce((sum, column, j) => sum + (column[i] as number) * (v[j] as number), 0),
          ),
        );
        for (const [k, image] of images.entries()) {
          expect(Math.hypot(...image)).toBeCloseTo(values[k] as number, 9);
          expect(Math.hypot(...(vectors[k] as Float64Array))).toBeCloseTo(1, 12);
          for (const other of images.slice(k + 1))
            expect(image.reduce((sum, value, i) => sum + value * (other[i] ?? 0), 0)).toBeCloseTo(
              0,
            );
        }
      }),
      check,
    );
  });

  test("a factor is read from rows that are padded to groups of four", () => {
    for (const [size, stride] of [
      [1, 4],
      [3, 4],
      [4, 8],
      [7, 8],
      [8, 12],
    ] as const) {
      expect(factorStride(size)).toBe(stride);
      expect(factorNumbers(size)).toBe(size * stride);
      const factor = new Factor(size);
      const whole = Float64Array.from({ length: 5 + size * stride }, (_, i) => i);
      factor.read(whole, 5);
      const wanted = Array.from({ length: size * size }, (_, at) => {
        const [i, j] = [Math.floor(at / size), at % size];
        return j < i ? 0 : 5 + i * stride + j;
      });
      expect([...factor.r]).toEqual(wanted);
      expect(factor.size).toBe(size);
    }
  });
});

/** R of a matrix by columns, as Cholesky's factor of JᵀJ. */
function factorOf(square: readonly (readonly number[])[]): Factor {
  const size = square.length;
  const factor = new Factor(size);
  const { r } = factor;
  const at = (i: number, j: number): number => r[i * size + j] as number;
  for (let i = 0; i < size; i++)
    for (let j = i; j < size; j++) {
      let sum = square[i]?.[j] as number;
      for (let k = 0; k < i; k++) sum -= at(k, i) * at(k, j);
      r[i * size + j] = i === j ? Math.sqrt(sum) : sum / at(i, i);
    }
  return factor;
}

describe("covariances", () => {
  test("are inverses: of JᵀJ times the variance, and of a Hessian", () => {
    fc.assert(
      fc.property(columnsArbitrary, fc.integer({ min: 1, max: 9 }), (columns, variance) => {
        const square = gram(columns);
        const wanted = inverse(square);
        fc.pre(wanted !== undefined);
        const size = columns.length;
        const used = columns.map((_, j) => j);
        const hessian = Float64Array.from(square.flat());
        const ofHessian = covarianceOfHessian(hessian, used, size, 1e-12);
        const ofFactor = covarianceOfFactor(factorOf(square), used, variance, 1e-12);
        for (const [found, times] of [
          [ofFactor, variance],
          [ofHessian, 1],
        ] as const) {
          expect(found.used).toEqual(used);
          expect(found.rank).toBe(size);
          expect(found.nullDirections).toEqual([]);
          for (const [at, value] of found.covariance.entries()) {
            const w = times * (wanted?.[Math.floor(at / size)]?.[at % size] as number);
            expect(Math.abs(value - w)).toBeLessThan(1e-6 * (1 + Math.abs(w)) * size * 20);
          }
        }
      }),
      check,
    );
  });

  test("parameters at a bound take no part", () => {
    const square = gram([
      [1, 2, 3, 1],
      [0, 1, -1, 4],
      [2, 0, 1, 1],
    ]);
    const two = inverse(
      gram([
        [1, 2, 3, 1],
        [2, 0, 1, 1],
      ]),
    ) as number[][];
    const found = covarianceOfHessian(Float64Array.from(square.flat()), [0, 2], 3, 1e-10);
    expect(found.rank).toBe(2);
    const wanted = [two[0]?.[0], 0, two[0]?.[1], 0, 0, 0, two[1]?.[0], 0, two[1]?.[1]];
    for (const [at, value] of wanted.entries())
      expect(found.covariance[at]).toBeCloseTo(value as number, 10);
  });

  test("a direction that changes nothing leaves its parameters without errors, and others with theirs", () => {
    // a and b enter as 2a + b; c stands alone.
    const square = [
      [4, 2, 0],
      [2, 1, 0],
      [0, 0, 16],
    ];
    const found = covarianceOfHessian(Float64Array.from(square.flat()), [0, 1, 2], 3, 1e-8);
    expect(found.rank).toBe(2);
    expect(found.nullDirections).toHaveLength(1);
    const [direction] = found.nullDirections as [Float64Array];
    expect((direction[0] as number) / (direction[1] as number)).toBeCloseTo(-0.5, 6);
    expect(direction[2]).toBeCloseTo(0, 9);
    const { NaN: none } = Number;
    const wanted = [none, none, none, none, none, none, none, none, 1 / 16];
    for (const [at, value] of wanted.entries()) same(found.covariance[at] as number, value);
  });

  test("a straight line has one condition by squares and as a likelihood, which had its square", async () => {
    const data = { x: [1, 2, 3, 4, 5, 6], y: [2.1, 3.9, 6.2, 7.8, 10.1, 12.4] };
    const squares = await fitText("(+ a (* b x))", { data, target: "y" });
    const likelihood = await fitText("(vsum (square (- y (+ a (* b x)))))", {
      ...{ data, isNegativeLogLikelihood: true },
    });
    expect(squares.identifiability?.condition).toBeCloseTo(4.3297, 4);
    expect(likelihood.identifiability?.condition).toBeCloseTo(4.3297, 4);
  });

  test("rank and condition do not depend on units", () => {
    const columns = [
      [1, 2, 3, 4],
      [2, -1, 0.5, 1],
    ];
    const scaled = [columns[0] as number[], (columns[1] as number[]).map((value) => 1e6 * value)];
    const [one, other] = [columns, scaled].map((given) =>
      covarianceOfFactor(factorOf(gram(given)), [0, 1], 1, 1e-10),
    ) as [CovarianceEstimate, CovarianceEstimate];
    expect(other.condition).toBeCloseTo(one.condition, 6);
    // Of two columns of unit length at an angle: (1 + cos) / (1 − cos) is the square.
    const cosine = 5.5 / Math.sqrt(30 * 6.25);
    expect(one.condition).toBeCloseTo(Math.sqrt((1 + cosine) / (1 - cosine)), 9);
    expect(one.rank).toBe(2);
  });

  test("a column of zeros is open, and a Hessian without parameters is nothing", () => {
    const factor = new Factor(2);
    factor.r[0] = 2;
    const found = covarianceOfFactor(factor, [0, 1], 3, 1e-10);
    expect(found.rank).toBe(1);
    expect(found.condition).toBe(Infinity);
    expect([...(found.nullDirections[0] as Float64Array)]).toEqual([0, 1]);
    expect([...found.covariance]).toEqual([0.75, Number.NaN, Number.NaN, Number.NaN]);
    expect(covarianceOfHessian(new Float64Array(0), [], 0, 1e-8)).toEqual({
      ...{ used: [], rank: 0, condition: 0, nullDirections: [], flattest: [] },
      covariance: new Float64Array(0),
    });
  });
});

describe("words for what is open", () => {
  const rows = [1, 2, 3, 5];
  type At = readonly number[];
  /** What is said of a model by its null directions, over parameters called a, b, c … */
  const told = (
    model: (p: At, x: number) => number,
    best: readonly number[],
    nullDirections: readonly (readonly number[])[],
    seen: "predictions" | "loss" = "predictions",
  ) =>
    describeUndetermined(
      {
        nullDirections: nullDirections.map((direction) => Float64Array.from(direction)),
        used: best.map((_, j) => j),
      } as unknown as CovarianceEstimate,
      best.map((_, j) => String.fromCharCode(97 + j)),
      Float64Array.from(best),
      (x) => Float64Array.from(rows, (row) => model([...x], row)),
      seen,
    );
  const at = (p: At, j: number): number => p[j] as number;

  test("nothing open, nothing said", () => {
    expect(told((p, x) => at(p, 0) * x, [2], [])).toEqual([]);
  });

  test("one that does nothing, in predictions or in the loss", () => {
    const model = (p: At, x: number): number => at(p, 0) * x;
    expect(told(model, [2, 7], [[0, 3]])).toEqual([
      { direction: { b: 1 }, words: "b does not change the predictions" },
    ]);
    expect(told(model, [2, 0], [[0, -0.5]], "loss")).toEqual([
      { direction: { b: 1 }, words: "b does not change the loss" },
    ]);
  });

  test.each([
    ["·", (p: At, x: number) => at(p, 0) * at(p, 1) * x, [2, 3], [2, -3]],
    ["/", (p: At, x: number) => (at(p, 0) / at(p, 1)) * x, [2, 3], [2, 3]],
    [" + ", (p: At, x: number) => (at(p, 0) + at(p, 1)) * x, [2, 3], [1, -1]],
    [" − ", (p: At, x: number) => (at(p, 0) - at(p, 1)) * x, [2, 3], [1, 1]],
    [" + ", (p: At, x: number) => (at(p, 0) + at(p, 1)) * x + 1, [0, 0], [1, -1]],
  ] as const)("two that only enter as a%sb", (sign, model, best, direction) => {
    const [left, right] = direction;
    const largest = Math.abs(left) > Math.abs(right) || left === -right ? left : right;
    const by = Math.abs(left) >= Math.abs(right) ? left : largest;
    expect(told(model, best, [direction])).toEqual([
      { direction: { a: left / by, b: right / by }, words: `a and b only enter as a${sign}b` },
    ]);
  });

  test("three of a product, and two pairs beside each other", () => {
    const product = told(
      (p, x) => at(p, 0) * at(p, 1) * at(p, 2) * x,
      [2, 3, 4],
      [
        [2, -3, 0],
        [2, 0, -4],
      ],
    );
    expect(product).toEqual([
      { direction: { a: -2 / 3, b: 1 }, words: "a, b and c only enter as a·b·c" },
      { direction: { a: -0.5, c: 1 }, words: "a, b and c only enter as a·b·c" },
    ]);
    const pairs = told(
      (p, x) => (at(p, 0) / at(p, 1)) * x + (at(p, 2) - at(p, 3)) * x * x,
      [2, 3, 4, 5],
      [
        [2, 3, 0, 0],
        [0, 0, 1, 1],
      ],
    );
    expect(pairs.map(({ words }) => words)).toEqual([
      "a and b only enter as a/b",
      "c and d only enter as c − d",
    ]);
  });

  test("terms that are alike", () => {
    const model = (p: At, x: number): number =>
      at(p, 0) / (x + at(p, 1)) + at(p, 2) / (x + at(p, 3));
    const found = told(
      model,
      [1, 2, 3, 2],
      [
        [1, 0, -1, 0],
        [0, 3, 0, -1],
      ],
    );
    expect(found.map(({ words }) => words)).toEqual([
      "a and c only enter as a + c",
      "the terms of a, b and of c, d are alike, and b equals d: one of them is enough",
    ]);
    // At different rates they are two terms.
    expect(told(model, [1, 2, 3, 2.5], [[1, 1, 1, 1]])[0]?.words).toContain("can move together");
  });

  test("directions without a usual reason, and parameters that hardly move", () => {
    const model = (p: At, x: number): number => (at(p, 0) + 2 * at(p, 1)) * x + at(p, 2);
    expect(told(model, [1, 1, 1], [[2, -1, 1e-5]])).toEqual([
      {
        direction: { a: 1, b: -0.5 },
        words: "a and b can move together without changing the predictions: a by 1.00, b by -0.500",
      },
    ]);
    expect(told((p, x) => at(p, 0) ** 2 * x, [1e-3], [[4]], "loss")).toEqual([
      { direction: { a: 1 }, words: "a is not determined by the data" },
    ]);
    const { NaN: none } = Number;
    expect(told(() => none, [none, none], [[none, none]])).toEqual([]);
  });

  test("pairs of more than twelve are not tried", () => {
    const sum = (p: At, x: number): number => p.reduce((a, b) => a + b, 0) * x;
    const of = (count: number) =>
      told(
        sum,
        Array.from({ length: count }, (_, j) => j + 1),
        [Array.from({ length: count }, (_, j) => (j === 0 ? 1 : -1 / (count - 1)))],
      )[0]?.words;
    expect(of(12)).toMatch(/^a, b, .* and l only enter as a \+ b \+/);
    expect(of(13)).toMatch(/^a, b, .* and m can move together/);
  });

  test("lists of names", () => {
    expect([listed([]), listed(["a"]), listed(["a", "b"]), listed(["a", "b", "c"])]).toEqual([
      ...["", "a", "a and b", "a, b and c"],
    ]);
  });
});
