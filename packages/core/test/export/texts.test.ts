/**
 * Exported texts, whole: programs of every form in every format, every primitive with every count of
 * operands, and what is refused. The other test files run such texts; this one sees that none of them
 * changes unnoticed.
 */

import { describe, expect, test } from "vitest";
import {
  type ExportFormat,
  type ExportOptions,
  exportFormats,
  exportModel,
  Machine,
  type ModelSource,
  NdvmError,
} from "../../src/index.js";
import { primitiveByName } from "../../src/primitives/index.js";
import { schemePrograms } from "../program/programs.js";

const machine = await Machine.create({ precision: "f64" });

/** A text, or why there is none. */
function told(model: ModelSource, format: ExportFormat, options: ExportOptions = {}): string {
  try {
    return exportModel(model, format, options);
  } catch (error) {
    if (!(error instanceof NdvmError)) throw error;
    const { code, message, help, span } = error;
    return `${code} ${message} | ${help} | ${span?.start}-${span?.end}`;
  }
}

/** JavaScript without the texts of its helpers: their names do. Those are run by the other test files. */
function brief(text: string): string {
  const at = Math.max(0, text.search(/^(export )?function /m));
  const head = text.slice(0, at).split("\n");
  const helpers = head.flatMap((line) => /^(?:const|class) (\w+)/.exec(line)?.[1] ?? []);
  const made = head.filter(
    (line) => line.includes("= procedure(") && !line.includes("least, most"),
  );
  return [`helpers: ${helpers.join(" ")}`, ...made, text.slice(at).trimEnd()].join("\n");
}

/** What a JavaScript function returns. */
const returned = (text: string): string =>
  text
    .split("\n")
    .findLast((line) => /^\s*return /.test(line))
    ?.trim() ?? text;

const formulas: Readonly<Record<string, string>> = {
  numbers: "(vec 0 -0.0 1 -1 99 100 -99 0.1 1e-7 1e21 1.5e300 1e6 123456.789 -2.5 1e5)",
  "constants in products":
    "(+ (* 2 a) (* -2 a) (* a 3 b -1) (/ 2 a) (/ a -2) (- 3) (- (- a)) (* 1 a) (+ 0 a))",
  "sums of signs":
    "(+ a (- b) (* -1 c) (- a b c) (- (+ a b)) (- (* a b)) (- a (- b c)) (- a (+ b c)))",
  quotients: "(/ (/ a b) (/ c d) (* a (/ b c)) (/ (* a b) (+ c d)) (/ (- a)))",
  powers:
    "(+ (expt a 2) (expt a -1) (expt a 0.5) (expt (+ a b) c) (expt a (expt b c)) (expt (expt a b) c) (- (expt a 2)) (expt -2 a) (expt 2 (- a)) (square (+ a b)) (expt (* a b) 2) (expt (sin a) 2) (sqrt (expt a 3)))",
  "branches in branches":
    "(if (< a 1) (if (> b 2) a (* 2 b)) (if (= a b) 1 (+ a (if (<= b 3) 2 c))))",
  chains: "(if (< 0 a b 1) (if (>= a b c) 1 2) (if (= a b c) 3 4))",
  "and, or, not":
    "(if (and (< a 1) (or (> b 2) (not (= c 3))) (not (and (< a 2) (> b 1)))) 1 (if (or) 2 (if (and) 3 4)))",
  "booleans as values": "(list (< a b) (not (< a b)) #t #f (and (< a b) (> b 0)) (or #f (< a b)))",
  "tests that are decided":
    "(+ (if (< 1 2) a 0) (if (< 2 2) 5 b) (if (> 2 1) a 0) (if (> 1 2) 5 c) (if (<= 2 2) a 0) (if (>= 1 2) 5 d) (if (= 1 1) a 0) (if (= 1 2) 5 b) (if (not (> 2 1)) 5 c) (if (and (< 1 2) (< a b)) 1 2) (if (or (< 1 2) (< a b)) a 2) (if (and (> 1 2) (< a b)) 1 c))",
  exponents:
    "(+ (expt a 99) (expt a 100) (expt a 10) (expt a 0) (expt a 1) (expt a 2.0) (expt a -2) (expt 2 10) (expt a 1234567890123))",
  "operations on none and one":
    "(list (+) (*) (- a) (/ a) (+ a) (* a) (- 4) (/ 4) (/ 1) (+ 0 a) (+ a 0) (- a 0) (- 0 a) (* 1 a) (* a 1) (/ a 1) (/ 1 a) (+ 2 3) (* 2 3.5) (- 9007199254740991 -1) (atan 1 2) (min 3 2) (max 3 2))",
  "names that other languages use":
    "(+ in exp1 alpha beta_1 theta_in E pi I x_12_y e1 Delta epsilon class return)",
  "names of letters with marks": "(+ gain! is-it? a->b x* δ k/m)",
  "loops that unroll": "(loop ((i 0) (s a)) (if (= i 4) s (recur (+ i 1) (+ (* s b) i))))",
  "sums over lists": "(fold-left + 0 (map (lambda (p) (* p (expt a p))) (list 1 2 3)))",
  polynomials:
    "(define (poly c x) (if (null? c) 0 (+ (car c) (* x (poly (cdr c) x))))) (poly (list 1 2 a) b)",
  vectors: "(dot [a b 3] (* 2 [b c a]))",
  matrices: "(matmul (mat [a b] [c d]) (transpose (mat [1 2] [3 4])))",
  "min, max, abs": "(+ (min a b c) (max a b) (abs (- a)) (min a) (max 1 2))",
  "case and quotation":
    "(define (f k v) (case k ((up down) (* 2 v)) ((#t) v) (else (/ v 2)))) (+ (f 'up a) (f 3 b))",
  "clamped domain": "(+ (sqrt a) (log b))",
  "list operations": "(length (append (list a b) (reverse (list c d)) (list-tail (list a b c) 1)))",
  "assoc and member": "(+ (cadr (assq 'b '((a 1) (b 2)))) (if (memq 'c '(a b c)) a b))",
  "a closure as the value": "(lambda (x) (* a x))",
  "a symbol as the value": "'done",
  "nothing as the value": "(if (< a 0) #t)",
  integers:
    "(+ (quotient a b) (remainder a b) (modulo a b) (floor a) (ceiling b) (round c) (truncate d) (gcd 12 18) (lcm 4 6) (gcd) (lcm))",
};

const calls: Readonly<Record<string, string>> = {
  "three procedures in a circle":
    "(define (f n) (begin 1 (g (- n 1)))) (define (g n) (let ((m n)) (if (< m 0) m (h m)))) (define (h n) ((lambda (k) (f k)) (- n 2))) (f a)",
  "a procedure with a rest that calls itself":
    "(define (f n . r) (if (= n 0) r (f (- n 1) n))) (f 3)",
  "tail calls of a parameter":
    "(define (f g n) (if (= n 0) (g n) (begin 1 (f g (- n 1))))) (f (lambda (x) x) 3)",
  "apply in a tail": "(define (f n) (if (< n 1) (apply f (list (+ n 1))) n)) (f a)",
  "one that leads into a circle":
    "(define (e n) (f n)) (define (f n) (if (= n 0) 0 (g (- n 1)))) (define (g n) (f n)) (list (e 3) (e 4))",
  "choices in choices, and a loop after them":
    "(+ (if (< a 1) (if (< b 1) 1 2) 3) (loop ((i 0) (s 0)) (if (= i 3) s (recur (+ i 1) (+ s c)))))",
};

const cases = [schemePrograms, formulas, calls]
  .flatMap((all) => Object.entries(all))
  .filter(([, source]) => source.length < 600);

describe("a program in every format", () => {
  test.each(cases)("%s", (name, source) => {
    const domain = name.startsWith("clamped") ? "clamp" : "ieee";
    const program = machine.load(source, { domain });
    const params: Record<string, number> = program.inputs.includes("b") ? { b: -1.25 } : {};
    const texts = exportFormats.map((format) => {
      const text = told({ program, params }, format);
      return `${format}: ${format === "javascript" ? brief(text) : text}`;
    });
    expect(texts.join("\n")).toMatchSnapshot();
    const isSymbolic = true;
    const plain = (["math", "latex", "scheme"] as const).map((format) =>
      told({ program, params }, format, { isSymbolic, digits: 3, constants: "define" }),
    );
    expect(plain.join("\n")).toMatchSnapshot("symbolic");
    program.dispose();
  });
});

test("values of every input, written into the text or before it", () => {
  const values = [2, -0.5, 1e21, -3, 0, 0.1, Number.POSITIVE_INFINITY, Number.NaN, -0];
  const texts = cases.flatMap(([name, source]) => {
    const program = machine.load(source);
    const params = Object.fromEntries(
      program.inputs.map((input, i) => [input, values[i % values.length] as number]),
    );
    const inline = told({ program, params }, "scheme");
    // What was written in is read back as the same program with those inputs.
    expect(machine.load(inline).inputs, name).toEqual([]);
    return [inline, told({ program, params }, "scheme", { constants: "define" })];
  });
  expect(texts.join("\n")).toMatchSnapshot();
});

describe("every primitive", () => {
  const operandSets = [
    ["a", "b", "c"],
    ["[a b]", "[c 2]", "1"],
    ["(list a b)", "(list c)", "0"],
    ["(mat [a 1] [2 b])", "(mat [c 0] [0 1])", "[1 2]"],
  ];

  test.each([...primitiveByName])("%s", (name, { arity }) => {
    const lines: string[] = [];
    for (let count = arity.min; count <= Math.min(arity.max, 3); count++)
      for (const set of count === 0 ? [[]] : operandSets) {
        const source = `(${[name, ...set.slice(0, count)].join(" ")})`;
        lines.push(source, `  ${returned(told({ program: source }, "javascript"))}`);
        const texts = (["numpy", "sympy", "latex", "math"] as const).map(
          (format) => told({ program: source }, format).trimEnd().split("\n").at(-1) ?? "",
        );
        for (const text of new Set(texts)) lines.push(`  ${text.trim()}`);
      }
    // As a value: a procedure of the language that is handed on.
    const made = brief(told({ program: `(list ${name})` }, "javascript")).split("\n");
    expect([...lines, ...made.slice(0, 2)].join("\n")).toMatchSnapshot();
  });
});

describe("options", () => {
  const program = "(* a (exp (- (* 0.123456789 t))))";
  test.each([1, 2, 6, 17])("%d digits", (digits) => {
    for (const format of ["math", "latex", "numpy"] as const)
      expect(told({ program, params: { a: 2 / 3 } }, format, { digits })).toMatchSnapshot(format);
  });

  test("names, modules, numbers and tensors", () => {
    const loaded = machine.load("(+ x (* a y))");
    const texts = [
      brief(told({ program: loaded }, "javascript", { name: "f_1", isModule: true })),
      brief(told({ program: loaded, numbers: ["x", "y"] }, "javascript")),
      brief(told({ program: loaded, tensors: ["x"] }, "javascript")),
      brief(told({ program: loaded, params: { a: 2 }, numbers: ["x", "y"] }, "javascript")),
      told({ program: loaded }, "numpy", { name: "f_1" }),
      told(
        { program: loaded, about: { who: "me", at: [1, Number.NaN], f: Float64Array.of(1) } },
        "json",
      ),
    ];
    expect(texts.join("\n")).toMatchSnapshot();
  });

  test("what is refused", () => {
    const model = { program };
    const odd = (value: unknown) => value as never;
    const lines = [
      told(model, odd("latx")),
      told(model, odd("word")),
      ...["1x", "a b", "", "_", "a-b", "x1"].map((name) =>
        told(model, "numpy", { name }).slice(0, 60),
      ),
      ...[0, 1.5, 18, Number.NaN].map((digits) => told(model, "math", { digits })),
      told({ program, params: { q: 1 } }, "math"),
      told({ program, params: { a: odd("1") } }, "math"),
      told({ program: "(* a" }, "math"),
      told({ program: machine.load("PUSH 1", { language: "bytecode" }) }, "math"),
      told({ program: "(let loop ((i 0)) (loop (+ i 1)))" }, "math"),
      told({ program: "(define (f x) (if (< x a) x (f (- x 1)))) (f b)" }, "math"),
      told({ program: "(if (< (if (< a 1) 2 'x) 1) 1 2)" }, "sympy"),
    ];
    expect(lines.join("\n")).toMatchSnapshot();
  });
});
