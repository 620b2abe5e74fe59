/** Small parts of a search, each by a table of all that it may meet: straight programs, what was spent, epochs that are lost. */

import { expand, read } from "@ndvm/core";
import { describe, expect, test } from "vitest";
import { type EpochJob, lostEpoch } from "../src/epochs.js";
import { addSpending, NO_SPENDING } from "../src/spending.js";
import { hasOneWay, isStraight } from "../src/straight.js";

const coreOf = (source: string) => expand(read(source), { inputs: ["x", "y"] });

describe("a program is straight", () => {
  const one = (
    "abs floor ceiling round truncate square sqrt exp log sin cos tan asin acos atan sinh cosh tanh " +
    "log1p expm1 sigmoid softplus erf lgamma zero? positive? negative? not - + * / min max"
  ).split(" ");
  const two = "+ - * / min max expt pow quotient remainder modulo = < > <= >= atan log".split(" ");

  test.each(one)("if it calls %s with a number", (name) => {
    expect(isStraight(coreOf(`(${name} (* a x))`))).toBe(true);
  });
  test.each(two)("if it calls %s with two numbers", (name) => {
    expect(isStraight(coreOf(`(${name} x (* a y))`))).toBe(true);
  });
  test.each([
    ...["x", "a", "1", "#t", "'(1 2)", "'a", "(if #f #f)", "sin", "(begin x y)"],
    ...["(let ((u x)) (+ u u))", "(let* ((u x) (v u)) (/ v u))", "(if (> x 0) a (sin x))"],
    ...["(cond ((> x 0) 1) ((< y 0) a) (else 2))", "(and (> x 0) (< y 0))"],
  ])("if it is %s", (source) => {
    expect(isStraight(coreOf(source))).toBe(true);
    expect(isStraight(coreOf(`(+ 1 ${source})`))).toBe(true);
  });

  test.each([
    ...["(loop ((s x)) s)", "(loop ((s x)) (if (> s 9) s (recur (* 2 s))))", "(lambda (u) u)"],
    ...["((lambda (u) u) x)", "(letrec ((f (lambda (u) u))) (f x))", "(define (f u) u) (f x)"],
    ...["(let ((f sin)) (f x))", "(x y)", "(map sin '(1 2))", "(reverse '(1 2))"],
    ...["(list x y)", "(vec x y)", "(cons x y)", "(car (list x))", "(length '(1))", "(gcd 4 6)"],
    ...["(let f ((k 0)) (if (> k 3) x (f (+ k 1))))", "(do ((k 0 (+ k 1))) ((> k 3) x))"],
    ...["(append '(1) '(2))", "(equal? x y)", "(define u x) u"],
  ])("but not if it is %s", (source) => {
    expect(isStraight(coreOf(source))).toBe(false);
    if (source.includes("(define")) return;
    for (const around of ["(+ 1 _)", "(let ((w _)) x)", "(let ((w x)) _)", "(if (> x 0) x _)"])
      expect(isStraight(coreOf(around.replace("_", source))), around).toBe(false);
    for (const around of ["(if (> x 0) _ x)", "(if _ 1 2)", "(begin _ x)", "(begin x _)"])
      expect(isStraight(coreOf(around.replace("_", source))), around).toBe(false);
  });

  test("which has one way through it if there is no test, wherever a test may be", () => {
    const tests = ["(if x 1 2)", "(and x y)", "(or x y)", "(cond (x 1) (else 2))", "(when x 1)"];
    for (const each of tests)
      for (const source of [
        ...[each, `(+ 1 ${each})`, `(let ((u ${each})) x)`, `(let ((u x)) ${each})`],
        ...[`(begin ${each} x)`, `(define (f u) ${each}) x`, `(lambda (u) ${each})`],
      ])
        expect(hasOneWay(coreOf(source)), source).toBe(false);
    for (const source of ["x", "(+ a (sin x))", "(let ((u x)) u)", "(begin x y)", "'(if x 1 2)"])
      expect(hasOneWay(coreOf(source)), source).toBe(true);
  });
});

test("what was spent is added up, each kind by itself", () => {
  const one = { requests: 1, inputTokens: 20, outputTokens: 300, cost: 0.5 };
  const other = { requests: 4, inputTokens: 50, outputTokens: 600, cost: 0.25 };
  expect(addSpending(one, other)).toEqual({
    ...{ requests: 5, inputTokens: 70, outputTokens: 900, cost: 0.75 },
  });
  expect(addSpending(one)).toEqual(one);
  expect(addSpending(NO_SPENDING, other)).toEqual(other);
  expect(Object.values(NO_SPENDING)).toEqual([0, 0, 0, 0]);
});

test("of an epoch that cannot be run every candidate is lost, and the rest stays as it was", () => {
  const job: EpochJob = {
    ...{ round: 3, slot: 5, place: 1, version: 2, size: 4, proposals: undefined },
    lost: [[0, { stage: "fit", code: "E-OTHER", message: "before" }]],
  };
  const { lost, ...rest } = lostEpoch(job);
  expect({ ...rest, lost: job.lost }).toEqual(job);
  expect(lost.map(([index]) => index)).toEqual([0, 1, 2, 3]);
  for (const [, failure] of lost) expect(failure.code).toBe("E-WORKER");
});
