/**
 * Closed forms as NumPy, SymPy, LaTeX and mathematics: what the texts look like, that they compute
 * what the machine does, and what has no closed form.
 */

import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import {
  type ExportFormat,
  exportModel,
  Machine,
  NdvmError,
  type Program,
} from "../../src/index.js";
import { expectClose } from "../corpus/support.js";
import { machineInputs } from "../fuzz/check.js";
import { isTame, opinionOf, refInputs } from "../fuzz/oracle.js";
import { type FuzzProgram, sourceOf } from "../fuzz/program.js";
import { programAt } from "../fuzz/run.js";
import { RefError } from "../reference/values.js";
import { evaluatePython } from "./python.js";
import { isSameValue, pythonBinary } from "./support.js";

const machine = await Machine.create({ precision: "f64" });
const seed = Number(process.env["SEED"] ?? 20_260_101);

/** Closed forms, each a function of t, x and k at the places below. */
const closed = [
  "(* 2.5 (exp (- (* k t))) (cos (* 3 t)))",
  "(+ t (- x) (* -2 k) (/ -1 t))",
  "(- t (- x k) (+ x k))",
  "(/ t (/ x k) (* x k))",
  "(expt (- t x) 2)",
  "(- (expt t 2))",
  "(expt 2 (- t))",
  "(expt (expt t 2) k)",
  "(let* ((a (* t x)) (b (+ a 1))) (/ a b))",
  "(if (< t 1) (* k t) (if (>= x 0.5) (sqrt x) (log k)))",
  "(if (and (> t 0) (or (< x 0.2) (not (= k 1)))) t x)",
  "(min t x k)",
  "(+ (max t x) (abs (- x 3)) (square k))",
  "(define (hill x n) (/ (expt x n) (+ 1 (expt x n)))) (* k (hill t 2.5))",
  "(fold-left + 0 (map (lambda (p) (* p t)) (list 1 2 k)))",
  "(let loop ((i 0) (sum 0)) (if (= i 4) sum (loop (+ i 1) (+ sum (expt t i)))))",
  "(loop ((i 0) (y x)) (if (= i 3) y (recur (+ i 1) (+ y (* 0.1 (- k y))))))",
  "(dot [t x 2] [k 1 x])",
  "(norm (vec t x))",
  "(+ (sigmoid t) (softplus x) (log1p t) (expm1 x) (tanh k))",
  "(+ (asin (/ t 10)) (acos (/ x 10)) (atan t) (atan t x) (sinh x) (cosh x) (tan k) (sin t))",
  "(+ (floor (* 3 t)) (ceiling (* 3 x)) (modulo t x))",
  "(log t 10)",
  "(case (floor x) ((0) t) ((1 2) (* 2 t)) (else k))",
  "(define (f kind v) (case kind ((up) (* 2 v)) (else (/ v 2)))) (+ (f 'up t) (f 'down x))",
  "(* 1e-7 t 1e21)",
];

const places = [
  { t: 0.7, x: 1.3, k: 0.4 },
  { t: 2.1, x: 0.15, k: 1 },
  { t: 1.5, x: 0.6, k: 2.2 },
];

/** The expression behind the last = or return of a Python text. */
const expressionOf = (text: string): string =>
  (text.trimEnd().split("\n").at(-1) as string).replace(/^\s*(return |\w+ = )/, "");

describe.each(closed)("%s", (source) => {
  const program = machine.load(source);
  for (const format of ["numpy", "sympy"] as const)
    test(format, () => {
      const text = exportModel({ program }, format);
      for (const place of places) {
        const used = program.inputs.map((name) => [name, place[name as keyof typeof place]]);
        const inputs = Object.fromEntries(used) as Record<string, number>;
        const want = program.evaluate(inputs).values[0] as number;
        const got = evaluatePython(expressionOf(text), inputs) as number;
        expectClose(got, want, { relative: 1e-12, absolute: 1e-13 }, text);
      }
    });
  test("values of parameters are written in", () => {
    const params = program.inputs.includes("k") ? { k: 1.75 } : {};
    const text = exportModel({ program, params }, "numpy");
    expect(text).not.toMatch(/\bk\b/);
    const inputs = Object.fromEntries(
      program.inputs.map((name) => [name, name === "k" ? 1.75 : 0.8]),
    );
    const want = program.evaluate(inputs).values[0] as number;
    const got = evaluatePython(expressionOf(text), inputs) as number;
    expectClose(got, want, { relative: 1e-12, absolute: 1e-13 }, text);
  });
});

test("mathematics and LaTeX", () => {
  const lines = closed.map((program) =>
    [program, exportModel({ program }, "math"), exportModel({ program }, "latex")].join("\n    "),
  );
  expect(`${lines.join("\n")}\n`).toMatchSnapshot();
});

test("whole texts", () => {
  const model = { program: "(if (< t k) (* a t) (exp (/ t rate_1)))", params: { a: 2, k: 0.25 } };
  const formats: ExportFormat[] = ["numpy", "sympy", "latex", "math", "scheme", "javascript"];
  for (const format of formats) expect(exportModel(model, format)).toMatchSnapshot(format);
  expect(exportModel(model, "math", { isSymbolic: true })).toBe("a·t if t < k else exp(t/rate_1)");
  expect(exportModel(model, "scheme", { constants: "define" })).toMatchSnapshot("defined");
  expect(exportModel({ program: "(vec (* a t) (exp t))" }, "math")).toBe("[a·t, exp(t)]");
  expect(exportModel({ program: "(vec (* a t) (exp t))" }, "latex")).toBe(
    "\\begin{pmatrix} a \\, t \\\\ e^{t} \\end{pmatrix}",
  );
});

function refusalOf(program: string, format: ExportFormat): string {
  try {
    exportModel({ program }, format);
  } catch (error) {
    if (!(error instanceof NdvmError)) throw error;
    const { code, message, span, help } = error;
    const place = span === undefined ? "" : ` at ${program.slice(span.start, span.end)}`;
    return `${code}: ${message}${place} (${help})`;
  }
  return "no refusal";
}

test("what has no closed form is refused with its place", () => {
  const refused = [
    "(let loop ((i 0) (y x)) (if (> i t) y (loop (+ i 1) (* y k))))",
    "(loop ((y x)) (if (< y 1) y (recur (/ y 2))))",
    "(list t x)",
    "(inv (mat [t x] [x t]))",
    "(if (< t 1) '(1 2) '())",
    "(ref [1 2 3] t)",
    "(gcd t 4)",
    "(let loop ((i 0) (y x)) (if (= i 9999) y (loop (+ i 1) (* y k))))",
    "(let ((a (+ x x))) (let* ((b (* a a)) (c (* b b)) (d (* c c)) (e (* d d)) (f (* e e)) (g (* f f)) (h (* g g)) (i (* h h)) (j (* i i)) (l (* j j)) (m (* l l)) (n (* m m))) n))",
  ];
  const told = refused.map((program) => `${program}\n    ${refusalOf(program, "latex")}`);
  expect(`${told.join("\n")}\n`).toMatchSnapshot();
  expect(refusalOf("(round t)", "sympy")).toContain("E-REFUSED: the program has no closed form");
});

test("formats, names and parameters are checked", () => {
  const model = { program: "(* a t)" };
  expect(() => exportModel(model, "latx" as never)).toThrowError(
    expect.objectContaining({ code: "E-OPTION", help: "did you mean latex?" }),
  );
  expect(() => exportModel(model, "numpy", { name: "a b" })).toThrowError(/name of a function/);
  expect(() => exportModel(model, "math", { digits: 0 })).toThrowError(/digits is 0/);
  expect(() => exportModel({ ...model, params: { b: 1 } }, "math")).toThrowError(/no parameter b/);
  expect(() => exportModel({ program: "(* a" }, "math")).toThrowError(
    expect.objectContaining({ code: "E-SYNTAX", source: "(* a" }),
  );
});

test(`random programs that have a closed form (SEED=${seed})`, () => {
  let compared = 0;
  for (let index = 0; index < 1500; index++) {
    const program = programAt(seed, index);
    if (program.inputs.some(({ kind }) => kind === "vector" || kind === "matrix")) continue;
    const source = sourceOf(program);
    const loaded = machine.load(source, { domain: program.domain });
    const texts = textsOf(loaded);
    if (texts !== undefined && isJudged(program)) {
      const run = loaded.evaluate(machineInputs(loaded, program, [0]), { lanes: 1 });
      const want = run.datum(0);
      for (const text of texts) {
        const got = evaluatePython(expressionOf(text), refInputs(program, 0) as never);
        expect(isSameValue(got, want), `program ${index}: ${source}\n${text}\ngave ${got}`).toBe(
          true,
        );
      }
      compared += 1;
    }
    loaded.dispose();
  }
  expect(compared).toBeGreaterThan(60);
});

/** NumPy and SymPy texts of a program whose value is a number; undefined where it has none. */
function textsOf(program: Program): string[] | undefined {
  try {
    const texts = [exportModel({ program }, "numpy"), exportModel({ program }, "sympy")];
    return texts.some((text) => /stack|Matrix|vectorize|sympy.(erf|loggamma)/.test(text))
      ? undefined
      : texts;
  } catch (error) {
    if (error instanceof NdvmError && error.code === "E-REFUSED") return undefined;
    throw error;
  }
}

function isJudged(program: FuzzProgram): boolean {
  try {
    return isTame(opinionOf(program, 0));
  } catch (error) {
    if (error instanceof RefError || error instanceof RangeError) return false;
    throw error;
  }
}

const python = spawnSync(pythonBinary, ["-c", "import numpy, sympy"], { encoding: "utf8" });

test.runIf(python.status === 0)("Python itself gives the machine's values", () => {
  const lines = ["import json", "results = []"];
  const wanted: number[] = [];
  for (const source of closed) {
    const program = machine.load(source);
    for (const place of places) {
      const inputs = Object.fromEntries(
        program.inputs.map((name) => [name, place[name as keyof typeof place]]),
      );
      const values = Object.entries(inputs).map(([name, value]) => `${name}=${value}`);
      wanted.push(program.evaluate(inputs).values[0] as number);
      lines.push(exportModel({ program }, "numpy"));
      lines.push(`results.append(float(model(${values.join(", ")})))`);
      wanted.push(wanted.at(-1) as number);
      lines.push(exportModel({ program }, "sympy"));
      const symbols = Object.entries(inputs).map(([name, value]) => `${name}: ${value}`);
      lines.push(`results.append(float(model.subs({${symbols.join(", ")}})))`);
    }
  }
  lines.push("print(json.dumps(results))");
  const run = spawnSync(pythonBinary, ["-"], { input: lines.join("\n"), encoding: "utf8" });
  expect(run.stderr).toBe("");
  const got = JSON.parse(run.stdout) as number[];
  for (const [i, want] of wanted.entries())
    expectClose(
      got[i],
      want,
      { relative: 1e-11, absolute: 1e-12 },
      closed[Math.floor(i / 6)] ?? "",
    );
});

test("a decay below a fraction line is written as a factor, for people alone", () => {
  const decay = { program: "(/ (cos t) (exp (* -0.25 (- 1.6 t))))" };
  expect(exportModel(decay, "math")).toBe("cos(t)·exp(0.25·(1.6 − t))");
  expect(exportModel(decay, "latex")).not.toContain("\\frac");
  expect(exportModel(decay, "numpy")).toContain("/");
  expect(exportModel({ program: "(/ 1 (exp (- t)))" }, "math")).toBe("exp(t)");
  expect(exportModel({ program: "(/ a (exp (* 2 t)))" }, "math")).toBe("a/exp(2·t)");
  expect(exportModel({ program: "(/ a (sinh (* -2 t)))" }, "math")).toBe("a/sinh(−2·t)");
  expect(exportModel({ program: "(* a (exp (* -2 t)))" }, "math")).toBe("a·exp(−2·t)");
});

test("a sum begins with a term that has no sign, for people alone", () => {
  expect(exportModel({ program: "(+ -2 (* a t))" }, "math")).toBe("a·t − 2");
  expect(exportModel({ program: "(+ (- a) (* 3 t))" }, "latex")).toBe("3 \\, t - a");
  expect(exportModel({ program: "(square (+ -2 t))" }, "math")).toBe("(t − 2)²");
  expect(exportModel({ program: "(+ -2 (- t))" }, "math")).toBe("−2 − t");
  expect(exportModel({ program: "(+ (* -2 t) 3)" }, "math")).toBe("3 − 2·t");
  expect(exportModel({ program: "(- -2 t)" }, "math")).toBe("−2 − t");
  expect(exportModel({ program: "(+ -2 (+ t a))" }, "math")).toBe("t + a − 2");
  expect(exportModel({ program: "(+ -2 t)" }, "numpy")).toContain("-2");
});

test("things that are not numbers, nor vectors of them, are the same only as themselves", () => {
  const math = (source: string): string => exportModel({ program: source }, "math").trim();
  const choice = (x: string, y: string): string =>
    math(`(let* ((p (cons a b)) (q (cons a b)) (v [1 2])) (if (eq? ${x} ${y}) (+ a 1) (* 2 b)))`);
  const [same, other] = [math("(+ a 1)"), math("(* 2 b)")];
  for (const [x, y, wanted] of [
    ["p", "p", same],
    ["v", "v", same],
    ["p", "q", other],
    ["p", "v", other],
    ["'()", "'()", same],
    ["'()", "p", other],
    ["'s", "'s", same],
    ["'s", "'t", other],
    ["#t", "#t", same],
    ["#t", "#f", other],
    ["#t", "p", other],
  ] as const)
    expect(choice(x, y), `${x} and ${y}`).toBe(wanted);
});

/** The value of a program, and that of its closed form. */
function bothValues(program: string): readonly unknown[] {
  const inputs = { a: 5, b: 7 };
  const run = machine.load(program, { inputs: ["a", "b"] }).evaluate(inputs);
  const text = exportModel({ program }, "numpy");
  return [run.values[0], evaluatePython(expressionOf(text), inputs)];
}

test.each([
  ["(eq? car car)", true],
  ["(eq? car cdr)", false],
  ["(eq? expt pow)", true],
  ["(let ((f car)) (eqv? f car))", true],
  ["(eq? (if #f #f) (if #f #f))", true],
  ["(let ((l (list 1 2 3))) (eq? (list-tail l 1) (cdr l)))", true],
  ["(let ((f (lambda () '(x y)))) (eq? (f) (f)))", true],
  ["(eq? '(x) '(x))", false],
  ["(eqv? [1 2] [1 2])", true],
  ["(eq? [a 2] [5 2])", true],
  ["(eqv? [a 2] [5 b])", false],
  ["(eqv? [1] [1 2])", false],
  ["(let ((v [a b])) (eqv? (+ v 0) v))", true],
])("closed forms took one thing for two: %s", (program, isSame) => {
  expect(bothValues(`(if ${program} a b)`)).toEqual(isSame ? [5, 5] : [7, 7]);
});

test.each([
  ["(car (list-tail '(1 2 . 3) 1))", 2],
  ["(+ a (list-tail '(1 2 . 3) 2))", 8],
  ["(car (list-tail (list b a) 0))", 7],
  ["(if (null? (list-tail (list a b) 2)) a b)", 5],
])("%s is the rest of the list", (program, value) => {
  expect(bothValues(program)).toEqual([value, value]);
});

test("the closed form of list-tail took elements from the end, or none", () => {
  expect(refusalOf("(car (list-tail (list a b) -1))", "math")).toContain("no element -1");
  expect(refusalOf("(if (null? (list-tail (list a b) 3)) a b)", "math")).toContain("E-REFUSED");
});

test("closed forms of vectors of odd sizes ended in a RangeError, or took all memory", () => {
  for (const program of [
    "(vsum (zeros -1))",
    "(+ a (vlen (ones 1e12)))",
    "(+ a (vlen (zeros 1000000000)))",
    "(vsum (* a (+ b (ones 20000))))",
    "(loop ((i 0) (l (list a))) (if (= i 40) (car l) (recur (+ i 1) (append l l))))",
  ])
    expect(refusalOf(program, "math")).toContain("E-REFUSED: the program has no closed form: ");
  expect(refusalOf("(vsum (zeros -1))", "math")).toContain("-1 is not a size at (zeros -1)");
  expect(exportModel({ program: "(+ a (vlen (zeros 4000)))" }, "math")).toBe("a + 4000");
});

test("the closed form of a loop that turns often ended in a RangeError", () => {
  const turns = (count: number, body: string) =>
    `(loop ((i 0) (s a)) (if (= i ${count}) s (recur (+ i 1) ${body})))`;
  for (const format of ["latex", "math", "numpy", "sympy"] as const)
    expect(refusalOf(turns(1000, "(vsum (+ s (ones 300)))"), format)).toMatch(
      /^E-REFUSED: the program has no closed form: /,
    );
  expect(exportModel({ program: turns(100, "(sin (cos (exp s)))") }, "math")).toContain("exp(a)");
});

test.each([
  ["(modulo (+ a b) c)", "\\left(a + b\\right) \\bmod c"],
  ["(modulo a (+ b c))", "a \\bmod \\left(b + c\\right)"],
  ["(modulo (* 2 a) (- b))", "\\left(2 \\, a\\right) \\bmod \\left(-b\\right)"],
  ["(modulo a (modulo b c))", "a \\bmod \\left(b \\bmod c\\right)"],
  ["(modulo (expt a 2) (sin b))", "a^{2} \\bmod \\sin\\left(b\\right)"],
  ["(log1p (modulo a b))", "\\ln\\left(1 + \\left(a \\bmod b\\right)\\right)"],
])("the LaTeX of %s lacked parentheses", (program, text) => {
  expect(exportModel({ program }, "latex")).toBe(text);
});

test("a procedure that is passed on and gets a wrong number of operands has no formula", () => {
  for (const call of ["(g a b)", "(g)"])
    expect(() =>
      exportModel({ program: `(define (f g) (+ a b ${call})) (f sin)` }, "math"),
    ).toThrow("sin gets a wrong number of operands");
});
