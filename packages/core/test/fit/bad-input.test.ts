/**
 * Bad input of a fit: each is a typed error that names the user's thing, or works and says so.
 */

import { describe, expect, test } from "vitest";
import {
  type FitOptions,
  fit,
  formatError,
  Machine,
  mat,
  type NdvmError,
} from "../../src/index.js";
import { caughtLater } from "../machine/support.js";
import { fitText, refusal, steps } from "./support.js";

const t = steps(0, 5, 6);
const y = [2.9, 1.6, 0.8, 0.4, 0.2, 0.1];
const model = "(* a (exp (- (* k t))))";
const data = { t, y };

const cases: readonly (readonly [what: string, source: string, options: object])[] = [
  ["a target that is not there", model, { data, target: "z" }],
  ["a column that is not there", "(* a presure)", { data: { pressure: t, y }, target: "y" }],
  ["text in a column", model, { data: { t: [0, 1, "n/a", 3, 4, 5], y }, target: "y" }],
  ["a missing value", model, { data: { t, y: [2, null, 1, 1, 1, 1] }, target: "y" }],
  [
    "a number that is not finite",
    model,
    { data: { t, y: [2, Number.NaN, 1, 1, 1, 1] }, target: "y" },
  ],
  ["columns of other lengths", model, { data: { t: [1, 2], y }, target: "y" }],
  ["no rows", model, { data: { t: [], y: [] }, target: "y" }],
  ["too few points", model, { data: { t: [1], y: [2] }, target: "y" }],
  ["too few points that count", model, { data, target: "y", weights: [1, 0, 0, 0, 0, 0] }],
  ["a parameter never used", model, { data, target: "y", params: { a: 1, k: 1, b: 2 } }],
  [
    "a start outside its bounds",
    model,
    { data, target: "y", params: { k: { start: 9, bounds: [0, 2] } } },
  ],
  ["contradictory bounds", model, { data, target: "y", params: { k: { bounds: [2, 0] } } }],
  ["equal bounds", model, { data, target: "y", params: { k: { bounds: [2, 2] } } }],
  [
    "a range outside the bounds",
    model,
    { data, target: "y", params: { k: { range: [-1, 1], bounds: [0, null] } } },
  ],
  ["a program that errors on some rows", "(* a (list-ref '(1 2 3) t))", { data, target: "y" }],
  ["a program that errors on all rows", "(* a (car t))", { data, target: "y" }],
  ["a prediction that is not finite", "(* a (log (- t 2)))", { data, target: "y" }],
  ["a loss that is not finite", "(/ 1 (- a a))", {}],
  ["a loss that is not a number", "(list a)", {}],
  ["no parameter", "(* 2 t)", { data, target: "y" }],
  ["an option that is none", model, { data, target: "y", restart: 3 }],
  ["no restarts", model, { data, target: "y", restarts: 0 }],
  ["negative deviations", model, { data, target: "y", sigma: [1, 1, 1, -1, 1, 1] }],
  ["counts below 0", model, { data: { t, y: [1, 2, -3, 1, 1, 1] }, target: "y", loss: "poisson" }],
  ["a chunk of nothing", model, { data, target: "y", chunk: 0 }],
];

test("is told by name", async () => {
  const told: string[] = [];
  for (const [what, source, options] of cases) {
    const error = (await fitText(source, options as FitOptions).then(
      () => new Error("it was taken"),
      (reason: unknown) => reason,
    )) as NdvmError;
    expect(error.name, what).toBe("NdvmError");
    told.push(`${what}\n${formatError(error)}`);
  }
  expect(`${told.join("\n\n")}\n`).toMatchSnapshot();
});

test("columns of big integers, or of bytes without a type, were a TypeError", async () => {
  const bytes = new DataView(new ArrayBuffer(48));
  const whole = BigInt64Array.from(t, (_, row) => BigInt(row));
  const refused = async (options: object) => {
    const asked = fitText(model, { data, target: "y", ...options } as FitOptions);
    const { code, message } = await caughtLater(asked);
    return `${code}: ${message}`;
  };
  const first = "in row 1, which is not a number";
  expect(await refused({ data: { t: whole, y } })).toBe(`E-INPUT: column t holds 0n ${first}`);
  expect(await refused({ weights: [...whole] })).toBe(`E-INPUT: column weights holds 0n ${first}`);
  expect(await refused({ groups: { by: [1n] } })).toMatch(/^E-OPTION: .*"1n"/);
  expect(await refused({ weights: bytes })).toBe("E-INPUT: weights is not a list of numbers");
  expect(await refused({ data: { t: bytes, y } })).toBe("E-INPUT: input t has no value");
  const result = await fitText(model, { data, target: "y" });
  for (const column of [whole, bytes])
    expect(() => result.predict({ t: column as unknown as number[] })).toThrow(
      expect.objectContaining({ code: "E-INPUT" }),
    );
});

test("a constant target works and says that R² is not defined", async () => {
  const result = await fitText("(+ a (* b t))", { data: { t, y: t.map(() => 3) }, target: "y" });
  expect(result.best.r2).toBeNaN();
  expect(result.best.params["a"]).toBeCloseTo(3, 12);
  expect(result.diagnostics.notes[0]).toBe("the target is constant, so R² is not defined");
});

test("a million rows take no more of the machine's memory than ten thousand", async () => {
  const memory = async (rows: number): Promise<number> => {
    const machine = await Machine.create();
    const program = machine.load("(+ a (* b x))");
    const x = Float64Array.from({ length: rows }, (_, i) => i / rows);
    const target = x.map((v, i) => 1 + 2 * v + 0.1 * Math.sin(i));
    const result = await fit(program, { data: { x, y: target }, target: "y", steps: 3 });
    expect(result.best.params["b"]).toBeCloseTo(2, 1);
    expect(result.points).toBe(rows);
    const { memoryBytes } = program.evaluate({ a: 1, b: 1, x: 1 }).stats;
    machine.dispose();
    return memoryBytes;
  };
  expect(await memory(1_000_000)).toBeLessThanOrEqual(await memory(10_000));
});

describe("a number that is not finite is refused wherever a fit reads it", () => {
  const bad = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  const objective = "(let ((r (- (matvec m b) v))) (+ (dot r r) (* k k)))";
  const matrix = (at: number, value: number) => {
    const data = Float64Array.of(1, 0, 0, 1, 1, 1);
    if (at >= 0) data[at] = value;
    return { kind: "tensor", rank: 2, rows: 3, cols: 2, data } as const;
  };
  const good = { m: matrix(-1, 0), b: [1, 2], v: [1, 2, 3] };
  const params = { k: {} };

  test.each(bad)("in vectors and matrices of a loss: %s", async (value) => {
    const fine = good;
    expect((await fitText(objective, { data: fine, params })).best.loss).toBeCloseTo(0, 9);
    for (const at of [0, 3, 5]) {
      const told = await refusal(objective, { data: { ...fine, m: matrix(at, value) }, params });
      expect(told).toContain("m");
    }
    for (const at of [0, 2]) {
      const v = good.v.map((each, i) => (i === at ? value : each));
      expect(await refusal(objective, { data: { ...fine, v }, params })).toContain("v");
      const typed = Float64Array.from(v);
      expect(await refusal(objective, { data: { ...fine, v: typed }, params })).toContain("v");
    }
    const scalar = "(* (- k s) (- k s))";
    expect(await refusal(scalar, { data: { s: value }, params })).toContain("s");
  });

  test.each(bad)("in columns, weights, deviations and trials: %s", async (value) => {
    const x = [1, 2, 3, 4];
    const odd = [1, 2, value, 4];
    const base = { target: "y" } as const;
    const y = [1, 3, 2, 5];
    expect(await refusal("(* a x)", { ...base, data: { x: odd, y } })).toContain("x");
    expect(await refusal("(* a x)", { ...base, data: { x, y: odd } })).toContain("y");
    expect(await refusal("(* a x)", { ...base, data: { x, y }, weights: odd })).toContain(
      "weights",
    );
    expect(await refusal("(* a x)", { ...base, data: { x, y }, sigma: odd })).toContain("sigma");
    const share = "(/ 1 (+ 1 (exp (- 0 (* a x)))))";
    const binomial = {
      ...base,
      data: { x, y: [1, 1, 0, 1] },
      loss: "binomial",
      trials: odd,
    } as const;
    expect(await refusal(share, binomial)).toContain("trials");
    // Columns that nobody reads may hold anything.
    const unread = await fitText("(* a x)", { ...base, data: { x, y, z: odd } });
    expect(Number.isFinite(unread.best.loss)).toBe(true);
    for (const spec of [{ start: value }, { bounds: [value, 1] }, { fixed: value }] as const) {
      if (!Number.isNaN(value) && "bounds" in spec) continue;
      const told = refusal("(* a x)", { ...base, data: { x, y }, params: { a: spec as never } });
      await expect(told).resolves.toContain("a");
    }
  });
});

test("a group without a name is refused by its row: NaN became the group a[NaN]", async () => {
  const of = (g: unknown[]) =>
    refusal("(* a x)", {
      data: { x: [1, 2, 3], y: [1, 2, 3], g: g as number[] },
      ...{ target: "y", groups: { by: "g", params: ["a"] } },
    });
  expect(await of([1, Number.NaN, 2])).toContain("column g has no value in row 2");
  expect(await of([1, 2, null])).toContain("column g has no value in row 3");
  expect(await of([1, 2, Infinity])).toContain("column g holds Infinity in row 3");
});

test("a NaN in a matrix is told with its row: only the matrix was named, as an input", async () => {
  const of = (rows: number[][]) =>
    refusal("(* a (vsum (matvec M (vec 1 2))))", { data: { M: mat(rows) } });
  expect(
    await of([
      [1, 2],
      [3, Number.NaN],
    ]),
  ).toContain("column M has no value in row 2");
  expect(
    await of([
      [1, -Infinity],
      [3, 4],
    ]),
  ).toContain("column M holds -Infinity in row 1");
});
