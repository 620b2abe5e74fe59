/** Every expression of a sequence is evaluated, in every form that has one, and the last is its value. */

import { describe, expect, test } from "vitest";
import { Machine, NdvmError } from "../../src/index.js";

const machine = await Machine.create({ precision: "f64" });

/** Forms with a sequence in the place of S, and whether the value of the form is that of its last part. */
const FORMS: readonly (readonly [string, boolean])[] = [
  ["(begin S)", true],
  ["(let ((u 1)) S)", true],
  ["(let* ((u 1) (v u)) S)", true],
  ["(letrec ((u (lambda (n) n))) S)", true],
  ["(let again ((k 0)) S)", true],
  ["((lambda (u) S) 1)", true],
  ["((lambda u S) 1)", true],
  ["(begin (define (f u) S) (f 1))", true],
  ["(cond ((= a 0) 9) ((= a 5) S) (else 8))", true],
  ["(cond ((= a 0) 9) (else S))", true],
  ["(case 3 ((1 2) 9) ((3 4) S) (else 8))", true],
  ["(case 3 ((1 2) 9) (else S))", true],
  ["(when (= a 5) S)", true],
  ["(unless (= a 0) S)", true],
  ["(do ((k 0 (+ k 1))) ((= k 2) S))", true],
  ["(do ((k 0 (+ k 1))) ((= k 2) 6) S)", false],
  ["(loop ((k 0)) S)", true],
];

const resultOf = (source: string): unknown => {
  const program = machine.load(source, { inputs: ["a"] });
  try {
    return program.evaluate(program.inputs.includes("a") ? { a: 5 } : {}).datum(0);
  } finally {
    program.dispose();
  }
};

describe.each(FORMS)("%s", (form, isValue) => {
  const filled = (parts: readonly string[]) => form.replace("S", parts.join(" "));

  test.each([1, 2, 3, 4])("with %i parts has the value of the last", (count) => {
    const parts = Array.from({ length: count }, (_, i) => `(+ a ${i})`);
    expect(resultOf(filled(parts))).toBe(isValue ? 5 + count - 1 : 6);
  });

  test.each([1, 2, 3, 4])("with %i parts fails wherever one of them does", (count) => {
    for (let at = 0; at < count; at++) {
      const parts = Array.from({ length: count }, (_, i) => (i === at ? "(car a)" : "a"));
      const source = filled(parts);
      expect(() => resultOf(source), source).toThrow(NdvmError);
    }
  });
});

test.each([1, 5, 6, 7, 8])(
  "brackets for parentheses around %i things are shown up to six",
  (count) => {
    const things = Array.from({ length: count }, (_, i) => `b${i}`).join(" ");
    let help: string | undefined;
    try {
      machine.load(`(let ([${things}]) 1)`);
    } catch (error) {
      help = (error as NdvmError).help;
    }
    const inside = count > 6 ? "…" : things;
    expect(help).toBe(`write (${inside}) instead of [${inside}]`);
  },
);
