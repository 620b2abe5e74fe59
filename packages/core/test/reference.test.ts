/**
 * The oracle is held against cases nobody here wrote, and against its own finite differences, so
 * that a disagreement with the machine is the machine's until shown otherwise.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { evaluate, type RefInput } from "./reference/evaluate.js";
import { quoted } from "./reference/forms.js";
import { equal } from "./reference/lists.js";
import { read, type Syntax } from "./reference/read.js";
import { digamma, erf, lgamma } from "./reference/special.js";
import type { RefError } from "./reference/values.js";

const { NDVM_CORPUS: corpus } = process.env;

/** A file of the corpus; Python wrote some, and spells infinity in its own way. */
function load<T>(path: string): T {
  const text = readFileSync(join(corpus as string, path), "utf8");
  return JSON.parse(text.replace(/: Infinity/g, ": 1e999")) as T;
}

function expectClose(got: number, want: number, relative: number, what: string): void {
  const near = Math.abs(got - want) <= relative * Math.max(1, Math.abs(want));
  expect(near || Object.is(got, want), `${what}: got ${got}, want ${want}`).toBe(true);
}

const gradientOf = (source: string, inputs: Record<string, RefInput>, name: string): number =>
  evaluate(source, inputs).gradient[name]?.[0] as number;

describe("the oracle's rules", () => {
  test.each([
    ["(max p p)", 1, 1],
    ["(max p 1)", 1, 1],
    ["(max 1 p)", 1, 0],
    ["(min p 1)", 1, 1],
    ["(abs p)", 0, 0],
    ["(norm (vec p p))", 0, 0],
    ["(pow p 3)", 0, 0],
    ["(pow p 1)", 0, 1],
    ["(expt p -2)", 2, -0.25],
    ["(modulo p 2)", 3.5, 1],
    ["(floor p)", 3.5, 0],
    ["(if (< p 0) (- p) (* 2 p))", 3, 2],
    ["(let ((f (lambda (x . rest) (fold-left + x rest)))) (f p p 1 2))", 3, 2],
    ["(loop ((k 0) (x p)) (if (= k 100000) x (recur (+ k 1) x)))", 3, 1],
    ["(reduce - 0 (list p 2 3 4))", 1, -1],
    ["(fold-right - 0 (list p 2 3 4))", 1, 1],
    ["(fold-left - 0 (list p 2 3 4))", 1, -1],
    ["`(1 ,@(list p) . ,p)", 1, undefined],
  ] as const)("%s at %d has slope %d", (source, p, slope) => {
    expect(gradientOf(source, { p }, "p")).toBe(slope);
  });

  test("the domain rule of the paper clamps and passes no gradient", () => {
    const clamped = evaluate("(+ (sqrt p) (log p))", { p: -1 }, { domain: "clamp" });
    expect(clamped.numbers[0]).toBeCloseTo(1e-4 + Math.log(1e-8), 12);
    expect(clamped.gradient).toEqual({ p: [0] });
    expect(evaluate("(sqrt p)", { p: -1 }).numbers[0]).toBeNaN();
  });

  test.each([
    ["(f 1)", "E-UNBOUND"],
    ["(1 2)", "E-CALL"],
    ["((lambda (x) x))", "E-ARITY"],
    ["(car 5)", "E-TYPE"],
    ["(dot (vec 1 2) (vec 1 2 3))", "E-SHAPE"],
    ["(ref (vec 1 2) 2)", "E-RANGE"],
    ["(letrec ((a b) (b 1)) a)", "E-UNINITIALISED"],
    ["(set! x 1)", "E-REFUSED"],
    ["(let ((x)) x)", "E-FORM"],
    ["(+ 1", "E-SYNTAX"],
  ] as const)("%s is refused with %s", (source, code) => {
    expect(() => evaluate(source, {})).toThrow(expect.objectContaining({ code }) as RefError);
  });
});

describe("the oracle's special functions", () => {
  // Digits from Abramowitz & Stegun's tables and closed forms.
  test("erf, lgamma and digamma meet their tables", () => {
    expectClose(erf(0.5), 0.5204998778130465, 1e-15, "erf 0.5");
    expectClose(erf(-1), -0.8427007929497149, 1e-15, "erf -1");
    expectClose(erf(2), 0.9953222650189527, 1e-15, "erf 2");
    expectClose(erf(5.9), 1, 1e-15, "erf 5.9");
    expectClose(lgamma(0.5), 0.5 * Math.log(Math.PI), 1e-14, "lgamma 1/2");
    expectClose(lgamma(10), Math.log(362880), 1e-14, "lgamma 10");
    expectClose(lgamma(-0.5), Math.log(2 * Math.sqrt(Math.PI)), 1e-14, "lgamma -1/2");
    expect([lgamma(1), lgamma(2)]).toEqual([0, 0]);
    // Near its zeros lgamma is accurate relative to its own size.
    for (const e of [2 ** -20, -(2 ** -20)]) {
      const taylor =
        e * ((Math.PI ** 2 / 12) * e - 0.5772156649015329 - 0.4006856343865314 * e * e);
      expect(Math.abs(lgamma(1 + e) / taylor - 1)).toBeLessThan(1e-14);
    }
    expectClose(lgamma(1.25), lgamma(2.25) - Math.log(1.25), 1e-15, "lgamma across its ranges");
    expectClose(lgamma(1.2500001), -0.09827185916716019, 1e-14, "lgamma past the series");
    expectClose(digamma(1), -0.5772156649015329, 1e-15, "digamma 1");
    expectClose(digamma(0.5), -0.5772156649015329 - 2 * Math.log(2), 1e-15, "digamma 1/2");
    expectClose(digamma(-0.5), digamma(1.5), 1e-14, "digamma reflected");
  });
});

/** Every smooth procedure with points inside its domain, as vector maths of two parameters. */
const smoothExpressions = [
  ...["square", "sqrt", "exp", "log", "sin", "cos", "tan", "asin", "acos", "atan", "sinh"],
  ...["cosh", "tanh", "log1p", "expm1", "sigmoid", "softplus", "erf", "lgamma", "abs"],
]
  .map((name) => `(${name} p)`)
  .concat([
    "(atan p q)",
    "(atan q (- p))",
    "(pow p q)",
    "(expt p 5)",
    "(log p q)",
    "(/ p q)",
    "(- (/ p) (- q))",
    "(remainder 7.5 p)",
    "(modulo -7.5 q)",
    "(vsum (/ (vec p q 2) q))",
    "(norm (mat (vec p q) (vec q 1)))",
    "(ref (normalize (vec p q)) 0)",
    "(vsum (cross (vec p q 1) (vec q 2 p)))",
    "(det (mat (vec p q 1) (vec q 3 p) (vec 1 p p)))",
    "(logdet (mat (vec 3 p) (vec q 3)))",
    "(vsum (inv (mat (vec p q) (vec q 3))))",
    "(vsum (solve (mat (vec p q) (vec q 3)) (vec q p)))",
    "(vsum (solve (mat (vec 0 q) (vec p 3)) (mat (vec q p) (vec 1 q))))",
    "(vsum (cholesky (mat (vec 3 p) (vec p (+ 3 q)))))",
    "(trace (matmul (outer (vec p q) (vec q 1)) (transpose (mat (vec p 1) (vec 2 q)))))",
    "(dot (matvec (mat (vec p q)) (vec q p)) (vec p))",
    "(vsum (scale p (+ (eye 2) (* q (ones 2 2)))))",
    "(apply + (map * (list p q) (list q q)))",
  ]);

test.each(smoothExpressions)("slopes of %s agree with its differences", (source) => {
  const at = { p: 0.6, q: 0.85 };
  for (const name of ["p", "q"] as const) {
    const h = 1e-4;
    const shifted = (by: number): number =>
      evaluate(source, { ...at, [name]: at[name] + by }).numbers[0] as number;
    const slope = (shifted(-2 * h) - 8 * shifted(-h) + 8 * shifted(h) - shifted(2 * h)) / (12 * h);
    expectClose(gradientOf(source, at, name), slope, 1e-9, name);
  }
});

interface SchemeCase {
  readonly id: string;
  readonly tier: string;
  readonly defs: readonly string[];
  readonly expr: string;
  readonly expected: string;
}

/** The text's value, taking what cannot be evaluated (a bare symbol) as data. */
function expectedValue(text: string) {
  const datum = read(text)[0] as Syntax;
  return text.startsWith("'") ? evaluate(text, {}).value : quoted(datum);
}

const roundTo12 = (text: string): string =>
  text.replace(/-?\d+\.\d+(e[+-]?\d+)?/g, (digits) =>
    String(Number(Number(digits).toPrecision(12))),
  );

describe.skipIf(!corpus)("the oracle against the corpus", () => {
  test("every core case of R7RS", () => {
    const wrong: string[] = [];
    for (const { id, tier, defs, expr, expected } of load<SchemeCase[]>(
      "r7rs_subset/r7rs_cases.json",
    )) {
      const source = `(let () ${defs.join(" ")} ${expr})`;
      try {
        const { value, text } = evaluate(source, {});
        const want = evaluate(`(quote ${expected.replace(/^'/, "")})`, {});
        if (equal(value, want.value) || roundTo12(text) === roundTo12(want.text)) continue;
        wrong.push(`${id} ${source} gave ${text}, not ${expected}`);
      } catch (error) {
        if (tier === "core") wrong.push(`${id} ${source}: ${error}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  test("tail calls and recursion", () => {
    interface TailCase {
      readonly defs: string;
      readonly expr: string;
      readonly guile_prints: string;
    }
    const { cases } = load<{ cases: TailCase[] }>("r7rs_subset/tail_and_recursion.json");
    for (const { defs, expr, guile_prints } of cases) {
      if (expr === "(run 1000000)") continue; // the oracle is slow; the machine runs this one
      const { value } = evaluate(`${defs} ${expr}`, {});
      expect(equal(value, expectedValue(guile_prints)), expr).toBe(true);
    }
  });

  test("the paper's random programs in f64, with gradients", () => {
    interface Program {
      readonly src: string;
      readonly scalars: Record<string, number>;
    }
    interface Exact {
      readonly value: number;
      readonly grad: Record<string, number>;
    }
    const programs = load<Program[]>("reference/fuzz_seed1234_200.json");
    const exact = load<{ seed1234_n200: Exact[] }>("reference/float64_values.json").seed1234_n200;
    programs.forEach(({ src, scalars }, i) => {
      const { value, grad } = exact[i] as Exact;
      const got = evaluate(src, scalars, { domain: "clamp" });
      expectClose(got.numbers[0] as number, value, 1e-10, `${i} value`);
      for (const [name, slope] of Object.entries(grad)) {
        expectClose(got.gradient[name]?.[0] as number, slope, 1e-10, `${i} d${name}`);
      }
    });
  });

  test("the Kalman likelihood and the 34 conformance programs", () => {
    interface Matrix {
      readonly rows: number;
      readonly cols: number;
      readonly data: readonly number[];
    }
    interface Conformance {
      readonly name: string;
      readonly src: string;
      readonly scalars: Record<string, number>;
      readonly matrices: Record<string, Matrix>;
      readonly torch212: { value: number | null; grads: Record<string, number>; error: unknown };
    }
    for (const item of load<Conformance[]>("reference/oracle_refs_34.json")) {
      const { name, src, scalars, matrices, torch212 } = item;
      if (torch212.error !== null || torch212.value === null) continue;
      const inputs: Record<string, RefInput> = { ...scalars };
      for (const [key, { rows, cols, data }] of Object.entries(matrices)) {
        inputs[key] = Array.from({ length: rows }, (_, i) => data.slice(i * cols, (i + 1) * cols));
      }
      const wrt = Object.keys(scalars);
      const got = evaluate(src, inputs, { domain: "clamp", wrt });
      expectClose(got.numbers[0] as number, torch212.value, 1e-5, name);
      // Their modulo and remainder are swapped; the sum has the same value and slopes.
      for (const [key, slope] of Object.entries(torch212.grads ?? {})) {
        if (wrt.includes(key)) expectClose(got.gradient[key]?.[0] as number, slope, 1e-4, name);
      }
    }
  });

  test("adjoints of matrices in exact arithmetic", () => {
    interface MatrixCase {
      readonly id: string;
      readonly A: number[][];
      readonly b: number[];
      readonly W: number[][];
      readonly det: number;
      readonly ddet_dA: number[][];
      readonly dlogdet_dA: number[][];
      readonly d_trace_Wt_inv_dA: number[][];
      readonly d_quad_dA: number[][];
      readonly d_quad_db: number[];
    }
    const { cases } = load<{ cases: MatrixCase[] }>("autodiff_refs/matrix_adjoints.json");
    for (const item of cases) {
      const inputs = { A: item.A, b: item.b, W: item.W };
      const check = (source: string, name: string, want: number[]): void => {
        const largest = Math.max(...want.map(Math.abs));
        evaluate(source, inputs).gradient[name]?.forEach((slope, i) => {
          expectClose(slope / largest, (want[i] as number) / largest, 1e-10, item.id + source);
        });
      };
      check("(det A)", "A", item.ddet_dA.flat());
      check("(logdet A)", "A", item.dlogdet_dA.flat());
      check("(vsum (* W (inv A)))", "A", item.d_trace_Wt_inv_dA.flat());
      check("(dot b (solve A b))", "A", item.d_quad_dA.flat());
      check("(dot b (matvec (inv A) b))", "b", item.d_quad_db);
    }
  });
});
