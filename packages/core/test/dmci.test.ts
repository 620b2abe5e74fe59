/**
 * An evaluator written in the language itself (examples/metacircular.scm), as the paper's DMCI is:
 * the five programs of the paper as quoted data, run by that evaluator on the machine, give the
 * values and gradients of running them directly.
 *
 * The inner program's numbers go through the same primitives in the same order, so values agree to
 * the last bit. Adjoints of a name that is used several times are summed in the order of lookups
 * rather than of uses, so gradients agree to rounding.
 */

import { expect, test } from "vitest";
import type { Inputs } from "../src/machine/types.js";
import { describeCorpus, readCorpus, readExample } from "./corpus/corpus.js";
import { expectClose, matrixOf, withProgram } from "./corpus/support.js";

const evaluator = readExample("metacircular.scm").split("; Example:")[0] ?? "";

/** The text of a program that runs the forms of `source` inside the evaluator. */
function nested(source: string, inputs: readonly string[]): string {
  const bindings = inputs.map((name) => `(cons '${name} ${name})`).join(" ");
  return `${evaluator}\n(run '(${source}) (append (list ${bindings}) primitives))`;
}

interface Outcome {
  readonly value: number;
  readonly gradients: Readonly<Record<string, number>>;
}

async function differentiate(
  precision: "f32" | "f64",
  source: string,
  inputs: Inputs,
  wrt: readonly string[],
): Promise<Outcome> {
  const options = { domain: "clamp", inputs: Object.keys(inputs) } as const;
  return withProgram(precision, source, options, (program) => {
    const result = program.gradient(inputs, { wrt });
    const gradients = wrt.map((name) => [name, result.gradients[name]?.[0] ?? Number.NaN]);
    return { value: result.values[0] ?? Number.NaN, gradients: Object.fromEntries(gradients) };
  });
}

async function expectSame(
  precision: "f32" | "f64",
  source: string,
  inputs: Inputs,
  wrt: readonly string[],
): Promise<void> {
  const direct = await differentiate(precision, source, inputs, wrt);
  const inner = await differentiate(precision, nested(source, Object.keys(inputs)), inputs, wrt);
  expect(inner.value).toBe(direct.value);
  const relative = precision === "f64" ? 1e-12 : 1e-4;
  for (const name of wrt) {
    const expected = direct.gradients[name] ?? Number.NaN;
    expectClose(inner.gradients[name], expected, { relative, absolute: 1e-15 }, `by ${name}`);
  }
}

interface FiveProgram {
  readonly name: string;
  readonly src: string;
  readonly scalars: Readonly<Record<string, number>>;
  readonly matrices: Readonly<
    Record<string, { readonly rows: number; readonly cols: number; readonly data: number[] }>
  >;
}

describeCorpus("the paper's five programs inside a meta-circular evaluator", () => {
  const programs = readCorpus<readonly FiveProgram[]>("reference/five_programs.json");
  const cases = programs.flatMap((program) => [
    { ...program, precision: "f64" as const },
    { ...program, precision: "f32" as const },
  ]);

  test.each(cases)("$name in $precision", async ({ src, scalars, matrices, precision }) => {
    const tensors = Object.entries(matrices).map(([name, { rows, cols, data }]) => [
      name,
      matrixOf(rows, cols, data),
    ]);
    const inputs: Inputs = { ...scalars, ...Object.fromEntries(tensors) };
    await expectSame(precision, src, inputs, Object.keys(scalars));
  });
});

test.each([
  [
    "the example of the file",
    "(loop ((x x0) (k 0)) (if (= k 16) x (recur (* r (* x (- 1.0 x))) (+ k 1))))",
  ],
  [
    "definitions",
    `(define (step x) (* r x))
     (define y (step x0))
     (define (twice f) (lambda (x) (f (f x))))
     ((twice step) y)`,
  ],
  [
    "mutual recursion",
    `(define (a n x) (if (= n 0) x (b (- n 1) (* r x))))
     (define (b n x) (if (= n 0) (- x) (a (- n 1) (+ x 1))))
     (a 7 x0)`,
  ],
  [
    "letrec",
    "(letrec ((power (lambda (x n) (if (= n 0) 1 (* x (power x (- n 1))))))) (power (+ r x0) 5))",
  ],
  ["a named let", "(let again ((n 5) (x x0)) (if (= n 0) x (again (- n 1) (sin (* r x)))))"],
  [
    "let is parallel, let* is not",
    "(let ((x r)) (let ((x x0) (y x)) (let* ((z (* x y)) (w (* z z))) (+ w x))))",
  ],
  [
    "cond, and, or, when, unless",
    `(cond ((and (> r 0) (or #f (< x0 0))) 0)
           ((when (> r 0) (unless #f x0)) => (lambda (x) (* x r)))
           (else 1))`,
  ],
  [
    "rest arguments and lists",
    `(define (total . all) (apply + (map (lambda (x) (* x r)) all)))
     (total x0 r (car (cdr (list 1 x0))))`,
  ],
  ["begin and quoted data", "(begin (+ r 1) (* (car '(2 3)) x0 r))"],
])("inside the evaluator: %s", async (_, source) => {
  await expectSame("f64", source, { r: 3.2, x0: 0.4 }, ["r", "x0"]);
});

test("eight lanes inside the evaluator have the bits of eight runs", async () => {
  const loop = "(loop ((x x0) (k 0)) (if (= k 16) x (recur (* r (* x (- 1.0 x))) (+ k 1))))";
  const r = Array.from({ length: 8 }, (_, lane) => 3.2 + 0.04 * lane);
  await withProgram("f64", nested(loop, ["r", "x0"]), {}, (program) => {
    const together = program.gradient({ r, x0: 0.4 });
    r.forEach((rate, lane) => {
      const alone = program.gradient({ r: rate, x0: 0.4 });
      expect(together.values[lane]).toBe(alone.values[0]);
      expect(together.gradients["r"]?.[lane]).toBe(alone.gradients["r"]?.[0]);
      expect(together.gradients["x0"]?.[lane]).toBe(alone.gradients["x0"]?.[0]);
    });
  });
});

test("the example of the file runs as it stands", async () => {
  const source = readExample("metacircular.scm");
  const loop = "(loop ((x x0) (k 0)) (if (= k 16) x (recur (* r (* x (- 1.0 x))) (+ k 1))))";
  const inputs = { r: 3.2, x0: 0.4 };
  const direct = await differentiate("f64", loop, inputs, ["r", "x0"]);
  const inner = await differentiate("f64", source, inputs, ["r", "x0"]);
  expect(inner.value).toBe(direct.value);
  expectClose(inner.gradients["r"], direct.gradients["r"] ?? Number.NaN, { relative: 1e-12 }, "r");
});

test("the evaluator runs itself: two levels give the same value and gradient", async () => {
  const source = "(* a (* (exp (- 0 (* b t))) (cos (* omega t))))";
  const inputs = { a: 1.5, b: 0.3, omega: 2, t: 1.5 };
  const names = Object.keys(inputs);
  const withoutList = evaluator.slice(0, evaluator.indexOf("(define primitives"));
  const bindings = names.map((name) => `(cons '${name} ${name})`).join(" ");
  const inner = `${withoutList} (define (run forms environment) (evaluate-body forms environment))
    (run '(${source}) (append (list ${bindings}) primitives))`;
  const outer = `${evaluator}
    (run '(${inner})
         (append (list (cons 'primitives primitives) ${bindings}) primitives))`;
  const direct = await differentiate("f64", source, inputs, names);
  const twice = await differentiate("f64", outer, inputs, names);
  expect(twice.value).toBe(direct.value);
  for (const name of names) {
    const expected = direct.gradients[name] ?? Number.NaN;
    expectClose(twice.gradients[name], expected, { relative: 1e-12 }, `by ${name}`);
  }
});

test("structure leaves no record: the tape holds the inner program's operations only", async () => {
  const source = "(+ (* a x) b)";
  const inputs = { a: 2, x: 1.5, b: 1 };
  const records = async (text: string): Promise<number> =>
    withProgram("f64", text, {}, (program) => program.gradient(inputs).stats.tapeRecords);
  // What a branch of the evaluator hands on gets an identity record, so that lanes which take
  // different branches add their adjoints in the same order; nothing else is recorded.
  const direct = await records(source);
  const inner = await records(nested(source, Object.keys(inputs)));
  expect(direct).toBe(2);
  expect(inner).toBeLessThan(60);
});
