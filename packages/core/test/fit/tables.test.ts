/**
 * The data of a fit, by themselves: copies of columns, weights, groups and several targets against plain
 * definitions, sizes that a fit can work with on both sides of every limit, and how much is diagnosed.
 */

import { describe, expect, test } from "vitest";
import {
  columnOf,
  countPoints,
  groupsOfRows,
  joined,
  numbersNow,
  numbersOf,
  readTable,
  repeated,
  repeatedGroups,
  SELECTOR,
  selectorOf,
} from "../../src/fit/data/columns.js";
import {
  inputScaleProblem,
  largestOf,
  targetScaleProblem,
  unitOf,
} from "../../src/fit/data/scale.js";
import type { Data, FitOptions, NdvmError } from "../../src/index.js";
import { caught } from "../machine/support.js";
import { fitText, steps } from "./support.js";

const whole = ({ code, message, help, facts }: NdvmError) => ({ code, message, help, facts });

describe("copies of columns", () => {
  test("are one for the same numbers, and another as soon as one of them has changed", () => {
    for (const column of [[1, 2, 0], Float64Array.of(1, 2, 0), Float32Array.of(1, 2, 0)]) {
      const first = numbersOf("x", column);
      expect([...first]).toEqual([1, 2, 0]);
      expect(first).not.toBe(column);
      expect(numbersOf("x", column)).toBe(first);
      for (const [at, value] of [
        [0, 7],
        [1, 2.5],
        [2, -0],
        [2, 0],
        [1, 0],
        [0, -0],
      ] as const) {
        // biome-ignore format: pairs
        const before = numbersOf("x", column);
        column[at] = value;
        const now = numbersOf("x", column);
        expect(now).not.toBe(before);
        expect([...now].every((number, i) => Object.is(number, column[i]))).toBe(true);
      }
    }
    const grown = [1, 2];
    const before = numbersOf("x", grown);
    grown.push(3);
    expect([...numbersOf("x", grown)]).toEqual([1, 2, 3]);
    grown.length = 1;
    expect([...numbersOf("x", grown)]).toEqual([1]);
    expect([...before]).toEqual([1, 2]);
  });

  test("are kept up to 4096 numbers", () => {
    for (const [length, isKept] of [
      [4096, true],
      [4097, false],
    ] as const) {
      const column = new Float64Array(length).fill(2);
      const first = numbersOf("x", column);
      expect(numbersOf("x", column) === first).toBe(isKept);
    }
  });

  test("are not made where the numbers are needed for a moment only", () => {
    const good = Float64Array.of(1, 2);
    expect(numbersNow("x", good)).toBe(good);
    expect([...numbersNow("x", [1, 2])]).toEqual([1, 2]);
    expect(caught(() => numbersNow("x", Float64Array.of(1, Number.NaN))).facts.reason).toBe(
      "missing",
    );
  });

  test("have a number in every row, or the first that has none is told", () => {
    const cases: [unknown, string, object][] = [
      [[1, "2", null], "cell", { rows: [1], actual: '"2"' }],
      [[1, undefined], "cell", { rows: [1], actual: "undefined" }],
      [[null], "cell", { rows: [0], actual: "null" }],
      [[1, 2, Number.NaN], "missing", { rows: [2] }],
      [Float64Array.of(1, Number.NaN), "missing", { rows: [1] }],
      [[1, Number.POSITIVE_INFINITY], "infinite", { rows: [1], actual: "Infinity" }],
      [Float32Array.of(Number.NEGATIVE_INFINITY), "infinite", { rows: [0], actual: "-Infinity" }],
    ];
    const told = cases.map(([column, reason, facts]) => {
      const error = caught(() => numbersOf("x", column));
      expect(error.facts).toEqual({ reason, column: "x", ...facts });
      return whole(error);
    });
    for (const column of [5, "1 2", {}, null, undefined])
      told.push(whole(caught(() => numbersOf("x", column))));
    expect(told).toMatchSnapshot();
  });

  test("a column that is not there is told with those that are", () => {
    const data = { height: [1], weight: [2], toString: [3], n: 5 } as unknown as Data;
    expect(columnOf(data, "weight", "")).toEqual([2]);
    expect(
      ["heigt", "zzzzzz", "constructor", "n"].map((name) =>
        whole(caught(() => columnOf(data, name, ", which is asked for"))),
      ),
    ).toMatchSnapshot();
    expect(caught(() => columnOf({}, "x", "")).help).toBe("the columns are none");
  });
});

describe("points", () => {
  test("of several targets lie target after target", () => {
    const [a, b] = [Float64Array.of(1, 2, 3), Float64Array.of(4, 5, 6)];
    expect([...joined([a, b])]).toEqual([1, 2, 3, 4, 5, 6]);
    expect([joined([a]), repeated(a, 1), joined([]).length]).toEqual([a, a, 0]);
    expect([...repeated(a, 2)]).toEqual([1, 2, 3, 1, 2, 3]);
    expect([...selectorOf(3, 2)]).toEqual([0, 0, 0, 1, 1, 1]);
    const groups = Int32Array.of(2, 0, 1);
    expect(repeatedGroups(groups, 1)).toBe(groups);
    expect([...repeatedGroups(groups, 2)]).toEqual([2, 0, 1, 2, 0, 1]);
  });

  const data = {
    x: [1, 2, 3, 4],
    y: [2, 4, 6, 9],
    z: [10, 10, 30, 30],
    k: [5, 5, 5, 5],
    w: [0, 1, 4, 9],
    s: [1, 2, 4, 0.5],
    n: [3, 4, 5, 6],
    g: ["v", "u", "v", "t"],
  };
  const table = (names: string[], options: Partial<FitOptions> = {}, loss = "squares") =>
    readTable(["a", "x"], Object.keys(data), names, { data, ...options } as FitOptions, loss);
  const roots = (...all: Parameters<typeof table>) => {
    const { rootWeights } = table(...all);
    return rootWeights && [...rootWeights];
  };
  const spread = (column: number[]) => {
    const mean = column.reduce((sum, one) => sum + one, 0) / column.length;
    return Math.sqrt(column.reduce((sum, one) => sum + (one - mean) ** 2, 0) / column.length);
  };

  test("of one target have the columns that the program reads, and no weights", () => {
    const one = table(["y"]);
    expect(one).toMatchObject({ points: 4, rows: 4, rootWeights: undefined, hasSigma: false });
    expect(one.targets).toEqual([{ name: "y", scale: 1 }]);
    expect(Object.keys(one.columns)).toEqual(["x"]);
    expect([[...one.target], one.groups, one.trials]).toEqual([data.y, [], undefined]);
    expect(countPoints(one)).toBe(4);
  });

  test("of several have a selector, and count alike by their own deviation", () => {
    const two = table(["y", "z"]);
    expect([two.points, two.rows, [...two.target]]).toEqual([8, 4, [...data.y, ...data.z]]);
    expect([...(two.columns["x"] as Float64Array)]).toEqual([...data.x, ...data.x]);
    expect([...(two.columns[SELECTOR] as Float64Array)]).toEqual([0, 0, 0, 0, 1, 1, 1, 1]);
    expect(two.targets).toEqual([
      { name: "y", scale: spread(data.y) },
      { name: "z", scale: 10 },
    ]);
    expect(roots(["y", "z"])).toEqual([
      ...data.y.map(() => 1 / spread(data.y)),
      ...data.z.map(() => 1 / 10),
    ]);
    // Huber and likelihoods have no unit, absolute differences the root of one, a constant none.
    expect(roots(["y", "z"], {}, "huber")).toBeUndefined();
    expect(roots(["z", "k"], {}, "absolute")).toEqual([
      ...data.z.map(() => 1 / Math.sqrt(10)),
      ...[1, 1, 1, 1],
    ]);
    expect(table(["z", "k"], {}, "absolute").targets.map(({ scale }) => scale)).toEqual([1, 1]);
    expect(table(["z", "k"]).targets.map(({ scale }) => scale)).toEqual([10, 1]);
  });

  test("are weighed by weights, deviations, or both by target", () => {
    expect(roots(["y"], { weights: "w" })).toEqual([0, 1, 2, 3]);
    expect(roots(["y"], { weights: data.w })).toEqual([0, 1, 2, 3]);
    expect(countPoints(table(["y"], { weights: "w" }))).toBe(3);
    expect(roots(["y"], { sigma: "s" })).toEqual([1, 0.5, 0.25, 2]);
    expect([
      table(["y"], { sigma: "s" }).hasSigma,
      table(["y"], { weights: "w" }).hasSigma,
    ]).toEqual([...[true, false]]);
    expect(roots(["y", "z"], { weights: { z: "w" } })).toEqual([1, 1, 1, 1, 0, 1, 2, 3]);
    expect(roots(["y", "z"], { weights: "w" })).toEqual([0, 1, 2, 3, 0, 1, 2, 3]);
    expect(roots(["y", "z"], { sigma: { z: "s", y: [1, 1, 1, 2] } })).toEqual([
      ...[1, 1, 1, 0.5, 1, 0.5, 0.25, 2],
    ]);
    expect(table(["y", "z"], { weights: "w" }).targets.map(({ scale }) => scale)).toEqual([1, 1]);
    expect([...(table(["y", "z"], { trials: "n" }).trials ?? [])]).toEqual([...data.n, ...data.n]);
  });

  test("groups are counted as they appear, and predictions find theirs", () => {
    const grouped = table(["y", "z"], { groups: { by: "g", params: ["a"] } });
    expect([grouped.groups, [...grouped.rowGroups]]).toEqual([
      ["v", "u", "t"],
      [0, 1, 0, 2, 0, 1, 0, 2],
    ]);
    expect([...groupsOfRows(data, "g", ["t", "u", "v"])]).toEqual([2, 1, 2, 0]);
    expect(whole(caught(() => groupsOfRows(data, "g", ["u", "v"])))).toMatchObject({
      facts: { reason: "group", rows: [3], actual: "t", names: ["u", "v"] },
      help: "its groups are u, v",
    });
    const numbered = { ...data, g: [3, 1, 3, 2] };
    const { groups } = table(["y"], { data: numbered, groups: { by: "g", params: ["a"] } });
    expect(groups).toEqual(["3", "1", "2"]);
  });

  test("what is wrong with them is told whole", () => {
    const wrong: [string[], object][] = [
      [["q"], {}],
      [["x"], {}],
      [["y"], { data: { ...data, y: [] } }],
      [["y"], { data: { ...data, x: [1, 2] } }],
      [["y"], { data: { ...data, w: [1, 2] } }],
      [["y"], { weights: [1, 2] }],
      [["y"], { weights: [1, 2, 3, 4, 5] }],
      [["y"], { weights: [1, -1e-300, 1, 1] }],
      [["y"], { weights: [0, 0, 0, 0] }],
      [["y"], { weights: "w", sigma: "s" }],
      [["y"], { sigma: [1, 1, 0, 1] }],
      [["y"], { sigma: "q" }],
      [["y", "z"], { sigma: { z: "s" } }],
      [["y", "z"], { weights: { q: "w" } }],
      [["y"], { trials: [1, 2, 3] }],
      [["y"], { groups: { by: "q", params: ["a"] } }],
    ];
    const told = wrong.map(([names, options]) => {
      const given = { data, ...options } as FitOptions;
      return whole(
        caught(() => readTable(["a", "x"], Object.keys(given.data ?? {}), names, given, "squares")),
      );
    });
    expect(told).toMatchSnapshot();
  });
});

describe("sizes of numbers", () => {
  const reaching = (largest: number) => Float64Array.of(0, -largest, largest / 2);

  test("are taken between their limits, and refused right beyond them", () => {
    const problem = (largest: number, precision: "f32" | "f64", hasSquares: boolean) =>
      targetScaleProblem("y", reaching(largest), precision, hasSquares) !== undefined;
    const up = (x: number) => x * (1 + 2 ** -52);
    const down = (x: number) => x * (1 - 2 ** -52);
    const single = Math.fround(3.4e38);
    for (const [largest, isWrong] of [
      ...[[1e150, false], [up(1e150), true], [1e-145, false], [down(1e-145), true], [0, false]], // biome-ignore format: pairs
    ] as [number, boolean][]) {
      expect(problem(largest, "f64", true), String(largest)).toBe(isWrong);
      expect(problem(largest, "f64", false), String(largest)).toBe(false);
    }
    for (const [largest, isWrong] of [
      ...[[single, false], [up(single), true], [1e-31, false], [down(1e-31), true], [0, false]], // biome-ignore format: pairs
    ] as [number, boolean][])
      for (const hasSquares of [true, false])
        expect(problem(largest, "f32", hasSquares), String(largest)).toBe(isWrong);
    const input = (largest: number, precision: "f32" | "f64") =>
      inputScaleProblem("x", reaching(largest), precision) !== undefined;
    expect([input(single, "f32"), input(up(single), "f32"), input(1e300, "f64")]).toEqual([
      ...[false, true, false],
    ]);
    expect(input(1e-300, "f32")).toBe(false);
  });

  test("are told by their power of ten", () => {
    expect([1, 9.99, 10, 0.5, 1e-7, 123456, 1e300].map(unitOf)).toEqual([
      ...["1e0", "1e0", "1e1", "1e-1", "1e-7", "1e5", "1e300"],
    ]);
    const column = Float64Array.of(-3, 2);
    expect([largestOf(column), largestOf(column), largestOf(new Float64Array(0))]).toEqual([
      3, 3, 0,
    ]);
    const told = [
      targetScaleProblem("y", reaching(1e200), "f64", true),
      targetScaleProblem("y", reaching(1e-200), "f64", true),
      targetScaleProblem("y", reaching(1e200), "f32", true),
      targetScaleProblem("y", reaching(1e40), "f32", true),
      targetScaleProblem("y", reaching(1e-40), "f32", false),
      targetScaleProblem("y", reaching(1e-200), "f32", false),
      inputScaleProblem("x", reaching(1e40), "f32"),
    ].map((error) => error && whole(error));
    expect(told).toMatchSnapshot();
  });
});

describe("how much is diagnosed", () => {
  const source = "(if (< x c) (* a x) (+ b x))";
  const fitted = (rows: number, others: Partial<FitOptions> = {}) => {
    const x = steps(0, 10, rows);
    return fitText(source, {
      data: { x, y: x.map((v) => (v < 5 ? 2 * v : 1 + v)) },
      target: "y",
      params: { a: 1, b: 0, c: { fixed: 5 } },
      steps: 2,
      ...others,
    });
  };

  test("branches of up to 20 000 rows", async () => {
    const { diagnostics } = await fitted(20_000);
    expect(diagnostics.branches).toEqual([{ text: source, taken: 10_000, notTaken: 10_000 }]);
    expect((await fitted(20_001)).diagnostics.branches).toEqual([]);
  });

  test("flips and failed starts of up to eight restarts, the best first", async () => {
    const x = steps(0, 10, 11);
    const many = await fitText("(let ((f (* a x))) (if (< f 6) f 6))", {
      data: { x, y: x.map((v) => Math.min(6, 1.5 * v)) },
      target: "y",
      params: { a: { range: [0.7, 1.1] } },
      restarts: 12,
      seed: 5,
    });
    const { flipLog, flips, instability } = many.diagnostics;
    const order = [...new Set(flipLog.map(({ restart }) => restart))];
    const best = many.restarts.toSorted((p, q) => p.loss - q.loss || p.index - q.index)[0];
    expect(order).toHaveLength(8);
    expect(order[0]).toBe(best?.index);
    const first = flipLog.filter(({ restart }) => restart === order[0]);
    expect(flips).toEqual(first.map(({ text, rows }) => ({ text, rows: rows.length })));
    const all = flipLog.reduce((sum, { rows }) => sum + rows.length, 0);
    expect(instability).toBe(all / (8 * 11));
    const failing = await fitText("(* a (sqrt (- x b)))", {
      data: { x, y: x.map((v) => 2 * Math.sqrt(v + 1)) },
      target: "y",
      params: { a: 1, b: { start: -0.5, range: [1, 8], bounds: [-5, 9] } },
      restarts: 12,
      seed: 2,
    });
    const failed = failing.restarts.filter(({ reason }) => reason === "not finite");
    expect(failed.length).toBeGreaterThan(8);
    const told = failing.diagnostics.nonFinite;
    expect(told.map(({ restart }) => restart)).toEqual(
      failed
        .map(({ index }) => index)
        .sort((p, q) => p - q)
        .slice(0, 8),
    );
    // Their first row is told, and where the number comes from.
    for (const one of told)
      expect(one).toMatchObject({
        row: 1,
        text: "(sqrt (- x b))",
        message: "it is NaN, first made so by (sqrt (- x b))",
      });
  });

  test("flips of up to 200 000 branches of all rows and restarts together", async () => {
    // Each row turns 49 times and leaves: 50 branches, and one more for the test on x.
    const turning = (turns: number) =>
      `(loop ((i 0) (s a)) (if (= i ${turns}) (if (< (* a x) 3) (* a x) 3) (recur (+ i 1) (+ s x))))`;
    const run = (turns: number, rows: number) => {
      const x = steps(0, 10, rows);
      return fitText(turning(turns), {
        data: { x, y: x.map((v) => Math.min(3, 1.5 * v)) },
        target: "y",
        params: { a: 1 },
      });
    };
    // 1000 rows of 200 branches are as many as are compared; one turn more is too much.
    expect((await run(198, 1000)).diagnostics.flips).toHaveLength(1);
    expect((await run(199, 1000)).diagnostics.flips).toEqual([]);
  });
});
