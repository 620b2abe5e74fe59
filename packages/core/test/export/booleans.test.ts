/**
 * Tests, and, or, not, if, cond, when and case in exported programs: random nests of them give in every
 * format what the machine gives, at places on both sides of every test and on the tests' own numbers.
 */

import fc from "fast-check";
import { expect, test } from "vitest";
import { exportModel, Machine, NdvmError, type Program } from "../../src/index.js";
import { evaluatePython } from "./python.js";
import { functionOf, isSameValue } from "./support.js";

const machine = await Machine.create({ precision: "f64" });
const { SEED } = process.env;
const seed = SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(SEED);
console.info(`booleans: SEED=${seed}`);

const NAMES = ["t", "x", "k"] as const;
const NUMBERS = ["-1", "0", "0.5", "1", "2"];

const { value } = fc.letrec<{ value: string; test: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, depthSize: "small" },
    fc.constantFrom(...NAMES, ...NUMBERS),
    fc.tuple(fc.constantFrom("+", "-", "*"), tie("value"), tie("value")).map(list),
    fc.tuple(fc.constant("if"), tie("test"), tie("value"), tie("value")).map(list),
    fc
      .tuple(tie("test"), tie("value"), tie("test"), tie("value"), tie("value"))
      .map(([p, a, q, b, c]) => `(cond (${p} ${a}) (${q} ${b}) (else ${c}))`),
    fc.tuple(tie("value"), tie("value")).map(([a, b]) => `(let ((u ${a})) (+ u ${b}))`),
    fc
      .tuple(tie("test"), tie("value"), tie("value"))
      .map(([p, a, b]) => `(if (not ${p}) ${a} ${b})`),
    // and, or of numbers: every number is true, so the last or the first of them comes.
    fc.tuple(tie("value"), tie("value")).map(([a, b]) => `(and ${a} ${b})`),
    fc.tuple(tie("value"), tie("value")).map(([a, b]) => `(or ${a} ${b})`),
    fc
      .tuple(tie("test"), tie("value"), tie("value"))
      .map(([p, a, b]) => `(or (and ${p} ${a}) ${b})`),
  ),
  test: fc.oneof(
    { maxDepth: 5, depthSize: "small" },
    fc.tuple(fc.constantFrom("<", "<=", ">", ">=", "="), tie("value")).map(list),
    fc.tuple(fc.constantFrom("<", "<=", ">", ">=", "="), tie("value"), tie("value")).map(list),
    fc
      .tuple(fc.constantFrom("<", "<=", ">", ">=", "="), tie("value"), tie("value"), tie("value"))
      .map(list),
    fc.tuple(fc.constantFrom("and", "or"), tie("test"), tie("test")).map(list),
    fc.tuple(fc.constantFrom("and", "or"), tie("test"), tie("test"), tie("test")).map(list),
    fc.tuple(fc.constantFrom("not"), tie("test")).map(list),
    fc.tuple(fc.constantFrom("if"), tie("test"), tie("test"), tie("test")).map(list),
    // A number as a test, 0 too, is true.
    fc.tuple(tie("value"), tie("test")).map(([a, p]) => `(and ${a} ${p})`),
    fc.tuple(tie("value"), tie("test"), tie("test")).map(([a, p, q]) => `(if ${a} ${p} ${q})`),
    fc.tuple(fc.constantFrom("positive?", "negative?", "zero?"), tie("value")).map(list),
    fc.constantFrom("#t", "#f"),
  ),
}));

function list(parts: readonly string[]): string {
  return `(${parts.join(" ")})`;
}

const places = [-1, 0, 0.5, 1, 2].flatMap((t) =>
  [-0.5, 0, 1].flatMap((x) => [0.5, 1].map((k) => ({ t, x, k }))),
);

/** The expression behind the last = or return of a Python text. */
const expressionOf = (text: string): string =>
  (text.trimEnd().split("\n").at(-1) as string).replace(/^\s*(return |\w+ = )/, "");

/** A text in a format; undefined where the program has none. */
function textIn(
  program: Program,
  format: "numpy" | "sympy" | "math" | "latex",
): string | undefined {
  try {
    return exportModel({ program }, format);
  } catch (error) {
    if (error instanceof NdvmError && error.code === "E-REFUSED") return undefined;
    throw error;
  }
}

test("random nests of tests are the machine's in every format", () => {
  const compared = { javascript: 0, numpy: 0, sympy: 0, scheme: 0 };
  fc.assert(
    fc.property(value, (source) => {
      const program = machine.load(source);
      const again = machine.load(exportModel({ program }, "scheme"));
      const call = functionOf(exportModel({ program }, "javascript"));
      const python = (["numpy", "sympy"] as const).map(
        (format) => [format, textIn(program, format)] as const,
      );
      for (const place of places) {
        const inputs = Object.fromEntries(
          program.inputs.map((name) => [name, place[name as keyof typeof place]]),
        );
        const want = program.evaluate(inputs).datum(0);
        const what = (format: string, text: string, got: unknown): string =>
          `${source} in ${format} at ${JSON.stringify(place)}: ${text}\ngave ${String(got)}, wanted ${String(want)}`;
        const got = call(inputs);
        expect(isSameValue(got, want), what("JavaScript", "", got)).toBe(true);
        compared.javascript += 1;
        const own = again.evaluate(inputs).datum(0);
        expect(isSameValue(own, want), what("Scheme", "", own)).toBe(true);
        compared.scheme += 1;
        if (typeof want !== "number") continue;
        for (const [format, text] of python) {
          if (text === undefined) continue;
          const found = evaluatePython(expressionOf(text), inputs);
          expect(isSameValue(found, want), what(format, text, found)).toBe(true);
          compared[format] += 1;
        }
      }
      again.dispose();
      program.dispose();
    }),
    { seed, numRuns: 300 },
  );
  for (const [format, count] of Object.entries(compared))
    expect(count, format).toBeGreaterThan(2000);
});

test.each([
  ["(if (and (< t 1) (> x 0)) t x)", "t if t < 1 and x > 0 else x"],
  ["(if (or (< t 1) (> x 0)) t x)", "t if t < 1 or x > 0 else x"],
  ["(if (not (< t 1)) t x)", "t if not t < 1 else x"],
])("%s reads %s", (program, text) => {
  expect(exportModel({ program }, "math")).toBe(text);
});

test.each([
  ["positive?", "x > 0"],
  ["negative?", "x < 0"],
  ["zero?", "x == 0"],
])("(%s x) is a test against a whole 0", (name, text) => {
  const program = `(if (${name} x) 1 2.0)`;
  const numpy = exportModel({ program }, "numpy");
  expect(numpy.trimEnd().split("\n").at(-1)?.trim()).toBe(
    `return np.where(${text}.0, 1.0, 2.0)[()]`,
  );
  expect(exportModel({ program }, "sympy")).not.toContain("0.0)");
});
