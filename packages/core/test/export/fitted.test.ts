/**
 * Exports of fitted models, tail calls of exported JavaScript, and programs of other people.
 */

import { describe, expect, test } from "vitest";
import { exportFormats, exportModel, type Input, NdvmError } from "../../src/index.js";
import { describeCorpus, readCorpus } from "../corpus/corpus.js";
import { matrixOf } from "../corpus/support.js";
import { fitText, machine, noise, steps } from "../fit/support.js";
import { functionOf, isSameValue } from "./support.js";

const t = steps(0, 4, 21);
const y = t.map((at, i) => 2.5 * Math.exp(-0.7 * at) + (noise(21, 0.02)[i] as number));

describe("a fitted model", async () => {
  const fitted = await fitText("(* a (exp (- (* k t))))", {
    data: { t, y },
    target: "y",
    params: { a: 1, k: 1 },
  });

  test("gives its predictions in JavaScript and Scheme", () => {
    const model = functionOf(fitted.export("javascript"));
    const again = machine.load(fitted.export("scheme"));
    expect(again.inputs).toEqual(["t"]);
    const { values } = fitted.predict({ t });
    for (const [i, at] of t.entries()) {
      expect(model({ t: at })).toBeCloseTo(values[i] as number, 12);
      expect(again.evaluate({ t: at }).values[0]).toBe(values[i]);
    }
    expect(model({ t: 0 }, { a: 10 })).toBe(10);
  });

  test("knows its uncertainty in JSON", () => {
    const model = JSON.parse(fitted.export("json"));
    expect(model).toMatchObject({
      format: "ndvm-model",
      version: 1,
      source: "(* a (exp (- (* k t))))",
      inputs: ["t"],
      params: fitted.best.params,
    });
    const { mode, loss, optimiser, seed, points, sigma, level } = fitted;
    const { loss: lossValue, r2, logLikelihood, aic, bic, params } = fitted.best;
    expect(model.fit).toEqual({
      ...{ mode, loss, optimiser, seed, points, sigma, level, targets: ["y"] },
      ...{ lossValue, r2, logLikelihood, aic, bic, params },
      standardErrors: fitted.standardErrors,
      covariance: { ...fitted.covariance, matrix: [...(fitted.covariance?.matrix ?? [])] },
      intervals: Object.fromEntries(
        Object.entries(fitted.intervals).map(([name, ends]) => [name, [...ends]]),
      ),
    });
    const distinct = new Set(Object.values(model.fit).map((one) => JSON.stringify(one)));
    expect(distinct.size, "no two could be exchanged unseen").toBe(Object.keys(model.fit).length);
    expect(model.scheme).toBe(fitted.export("scheme"));
  });

  test("has every format, by either way", () => {
    for (const format of exportFormats)
      expect(exportModel(fitted, format)).toBe(fitted.export(format));
    expect(fitted.export("math", { digits: 2 })).toBe("2.5·exp(−0.7·t)");
    expect(fitted.export("math", { isSymbolic: true })).toBe("a·exp(−k·t)");
  });

  test("a group is chosen by name", async () => {
    const cell = t.map((_, i) => (i % 2 === 0 ? "east" : "west"));
    const grouped = await fitText("(* a (exp (- (* k t))))", {
      data: { t, y, cell },
      target: "y",
      params: { a: 1, k: 1 },
      groups: { by: "cell", params: ["a"] },
    });
    const model = functionOf(grouped.export("javascript", { group: "west" }));
    expect(model({ t: 0 })).toBe(grouped.best.params["a[west]"]);
    expect(() => grouped.export("scheme")).toThrowError(
      expect.objectContaining({ code: "E-OPTION", help: "set group to one of east, west" }),
    );
    expect(() => grouped.export("scheme", { group: "north" })).toThrowError(/no group north/);
  });
});

describe("tail calls of exported JavaScript need no stack", () => {
  const count = 300_000;
  test.each([
    ["named let", `(let f ((i 0) (s 0)) (if (= i n) s (f (+ i 1) (+ s i))))`],
    ["loop", "(loop ((i 0) (s 0)) (if (= i n) s (recur (+ i 1) (+ s i))))"],
    ["itself", "(define (f i s) (if (= i n) s (f (+ i 1) (+ s i)))) (f 0 0)"],
    [
      "one another",
      `(define (f i s) (if (= i n) s (g (+ i 1) (+ s i))))
       (define (g i s) (if (= i n) s (f (+ i 1) (+ s i)))) (f 0 0)`,
    ],
    ["a parameter", "(define (f g i s) (if (= i n) s (g g (+ i 1) (+ s i)))) (f f 0 0)"],
    ["apply", "(define (f i s) (if (= i n) s (apply f (list (+ i 1) (+ s i))))) (f 0 0)"],
    [
      "rest parameters",
      "(define (f i . s) (if (= i n) (car s) (f (+ i 1) (+ (car s) i)))) (f 0 0)",
    ],
    [
      "through a loop",
      "(define (f i s) (let turn ((j 0)) (if (< j 2) (turn (+ j 1)) (if (= i n) s (f (+ i 1) (+ s i)))))) (f 0 0)",
    ],
  ])("%s", (_, program) => {
    const model = functionOf(exportModel({ program }, "javascript"));
    expect(model({ n: count })).toBe((count * (count - 1)) / 2);
  });
});

test("closures keep the variables of their own turn", () => {
  const program = machine.load(
    `(define (collect n)
       (let turn ((i 0) (made '()))
         (if (= i n) made (turn (+ i 1) (cons (lambda (x) (+ x (* 10 i))) made)))))
     (define (again i made) (if (= i 3) made (again (+ i 1) (cons (lambda () i) made))))
     (list (map (lambda (f) (f 1)) (collect 4)) (map (lambda (f) (f)) (again 0 '())))`,
  );
  const got = functionOf(exportModel({ program }, "javascript"))({});
  expect(got).toEqual([
    [31, 21, 11, 1],
    [2, 1, 0],
  ]);
  expect(isSameValue(got, program.evaluate().datum())).toBe(true);
});

test("exported JavaScript refuses what the machine refuses", () => {
  const wrong = [
    "(car t)",
    "((lambda (x) x) t t)",
    "(t)",
    "(+ 1 '())",
    "(vec '())",
    "(ref [1 2] 5)",
  ];
  for (const source of wrong) {
    const program = source === "(t)" ? "((car (list t)))" : source;
    const model = functionOf(exportModel({ program }, "javascript"));
    expect(() => model({ t: 1 }), program).toThrowError(TypeError);
  }
  const model = functionOf(exportModel({ program: "(* 2 t)" }, "javascript"));
  expect(() => model({ t: "1" })).toThrowError("t must be a number");
});

test("nesting deeper than JavaScript's readers take is refused", () => {
  const program = `${"(+ 1 ".repeat(500)}t${")".repeat(500)}`;
  expect(() => exportModel({ program }, "javascript")).toThrowError(
    expect.objectContaining({ code: "E-REFUSED" }),
  );
  expect(exportModel({ program, params: { t: 2 } }, "scheme")).toContain("(+ 1 2.0)");
});

interface OutsideProgram {
  readonly name?: string;
  readonly src: string;
  readonly scalars: Readonly<Record<string, number>>;
  readonly matrices?: Readonly<
    Record<string, { readonly rows: number; readonly cols: number; readonly data: number[] }>
  >;
}

describeCorpus("outside programs as JavaScript", () => {
  test.each([
    "reference/five_programs.json",
    "reference/oracle_refs_34.json",
    "reference/fuzz_seed1234_200.json",
  ])("%s", (path) => {
    const programs = readCorpus<OutsideProgram[]>(path);
    for (const { src, scalars, matrices = {} } of programs) {
      const program = machine.load(src, { domain: "clamp" });
      const tensors = Object.keys(matrices);
      const inputs: Record<string, Input> = { ...scalars };
      const given: Record<string, unknown> = { ...scalars };
      for (const [name, { rows, cols, data }] of Object.entries(matrices)) {
        inputs[name] = matrixOf(rows, cols, data);
        given[name] = Array.from({ length: rows }, (_, r) => data.slice(r * cols, (r + 1) * cols));
      }
      const known = Object.fromEntries(
        Object.entries(inputs).filter(([name]) => program.inputs.includes(name)),
      );
      const text = exportModel({ program, tensors }, "javascript");
      const want = program.evaluate(known).datum();
      const got = functionOf(text)(given);
      expect(isSameValue(got, want), `${src}\n${text}\n${got} is not ${String(want)}`).toBe(true);
      program.dispose();
    }
    expect(programs.length).toBeGreaterThan(4);
  });

  test("r7rs_subset", () => {
    interface SchemeCase {
      readonly defs: readonly string[] | string;
      readonly expr: string;
    }
    const cases = [
      ...readCorpus<SchemeCase[]>("r7rs_subset/r7rs_cases.json"),
      ...readCorpus<{ cases: SchemeCase[] }>("r7rs_subset/tail_and_recursion.json").cases,
    ];
    let compared = 0;
    for (const { defs, expr } of cases) {
      const source = [defs, expr].flat().join("\n");
      const want = machineValue(source);
      if (want === undefined) continue;
      const text = exportModel({ program: source }, "javascript");
      expect(isSameValue(functionOf(text)({}), want.value), `${source}\n${text}`).toBe(true);
      compared += 1;
    }
    expect(compared).toBeGreaterThan(200);
  });
});

/** What the machine makes of a program without inputs; undefined where it refuses it. */
function machineValue(source: string): { readonly value: unknown } | undefined {
  try {
    const program = machine.load(source);
    const value = program.evaluate().datum();
    program.dispose();
    return { value };
  } catch (error) {
    if (error instanceof NdvmError) return undefined;
    throw error;
  }
}
