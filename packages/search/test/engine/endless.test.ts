/**
 * Programs whose text shows that they never give a value, and those of which nobody can say so.
 */

import { expand, Machine, NdvmError, read } from "@ndvm/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { endlessnessOf } from "../../src/endless.js";

const { SEED } = process.env;
const seed = SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(SEED);

const wordsFor = (source: string) => endlessnessOf(expand(read(source), { inputs: ["x"] }));

const LOOP = "a loop never ends: every way through it comes to recur";
const procedure = (name: string) =>
  `${name} never returns: every way through it calls a procedure that never returns`;

describe("a program is endless", () => {
  test.each([
    ["(loop ((s x)) (recur (+ s 1)))", LOOP],
    ["(loop ((s x)) (if (> s 1) (recur (- s 1)) (recur (+ s 1))))", LOOP],
    ["(loop ((s x)) (let ((t (* s s))) (recur (cond ((> t 1) 0) (else t)))))", LOOP],
    ["(* a (loop ((s x)) (begin (sin s) (recur s))))", LOOP],
    ["(let again ((s x)) (again (+ s 1)))", procedure("again")],
    ["(do ((i 0 (+ i 1))) (#f i) (sin i))", LOOP],
    ["(loop ((s x)) (if #t (recur (+ s 1)) s))", LOOP],
    ["(define (f n) (f (+ n 1))) (f x)", procedure("f")],
    ["(define (f n) (+ 1 (f (+ n 1)))) (f x)", procedure("f")],
    ["(define (f n) (if (> n 0) (f 1) (* 2 (f 2)))) (* a (f x))", procedure("f")],
    ["(define (f n) (g n)) (define (g n) (f n)) (g x)", procedure("g")],
    ["(define (f n) (loop ((s n)) (recur s))) (f x)", procedure("f")],
    ["(define (f n) (if (f n) 1 2)) (f x)", procedure("f")],
    ["(letrec ((f (lambda (n) (f n)))) (f x))", procedure("f")],
    ["((lambda (y) (loop ((s y)) (recur s))) x)", LOOP],
    ["(define (f n) (f n)) (define (g n) n) (+ (g x) (f x))", procedure("f")],
    ["(if (loop ((s x)) (recur s)) 1 2)", LOOP],
  ])("%s: %s", (source, words) => {
    expect(wordsFor(source)).toBe(words);
  });

  test.each([
    "(* a x)",
    "(loop ((s x)) (if (> s 1e9) s (recur (+ s 1))))",
    "(loop ((s x)) s)",
    "(loop ((s x)) (if #f (recur (+ s 1)) s))",
    "(loop ((s x)) (if '() s (recur (+ s 1))))",
    "(define (f n) (if (< n 1) 0 (+ 1 (f (- n 1))))) (f x)",
    "(define (f n) (g n)) (define (g n) (if (> n 1) (f n) n)) (f x)",
    // Never called, or maybe not.
    "(define (f n) (f n)) (* a x)",
    "(if (> x 100) (loop ((s x)) (recur s)) x)",
    "(and (> x 100) (loop ((s x)) (recur s)))",
    "(lambda (y) (loop ((s y)) (recur s)))",
    // Another f than the one that never returns.
    "(define (f n) (f n)) (let ((f (lambda (n) n))) (f x))",
    "(define (f n) (f n)) ((lambda (f) (f x)) sin)",
    "(loop ((f (lambda (n) n)) (k 0)) (if (= k 3) (f x) (recur (lambda (n) (f n)) (+ k 1))))",
    // Procedures that are values are not followed.
    "((lambda (f) (f f x)) (lambda (f n) (f f n)))",
    "(define (f n) (f n)) (map f '())",
  ])("nobody can say so of %s", (source) => {
    expect(wordsFor(source)).toBeUndefined();
  });

  test("a long chain of procedures is given up rather than gone through again and again", () => {
    const chain = Array.from({ length: 400 }, (_, i) => `(define (f${i} n) (f${i + 1} n))`);
    const source = `${chain.join(" ")} (define (f400 n) n) (f0 x)`;
    expect(wordsFor(source)).toBeUndefined();
  });
});

/** Expressions over x, the procedures f and g, branches and loops. */
const { tail } = fc.letrec<{ tail: string; value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: "small" },
    fc.constantFrom("x", "1", "-2"),
    fc.tuple(tie("value"), tie("value")).map(([a, b]) => `(+ ${a} ${b})`),
    tie("value").map((a) => `(f ${a})`),
    tie("value").map((a) => `(g ${a})`),
    fc.tuple(tie("value"), tie("tail")).map(([a, b]) => `(loop ((x ${a})) ${b})`),
  ),
  tail: fc.oneof(
    { maxDepth: 4, depthSize: "small" },
    tie("value"),
    tie("value").map((a) => `(recur ${a})`),
    fc
      .tuple(tie("value"), tie("tail"), tie("tail"))
      .map(([a, b, c]) => `(if (> ${a} 0) ${b} ${c})`),
    fc.tuple(tie("value"), tie("tail")).map(([a, b]) => `(let ((x ${a})) ${b})`),
  ),
}));

test(`no program that is called endless gives a value, seed ${seed}`, async () => {
  console.info(`endless: SEED=${seed}`);
  const machine = await Machine.create();
  let called = 0;
  const body = tail.map((text) => `(loop ((x x)) ${text})`);
  fc.assert(
    fc.property(body, body, body, (f, g, main) => {
      const source = `(define (f x) ${f}) (define (g x) ${g}) ${main}`;
      if (wordsFor(source) === undefined) return;
      called += 1;
      const program = machine.load(source, { inputs: ["x"] });
      try {
        for (const x of [-1.5, 0, 2])
          expect(() => program.evaluate({ x }, { stepsMax: 2000 })).toThrow(NdvmError);
      } finally {
        program.dispose();
      }
    }),
    { seed, numRuns: 1000 },
  );
  machine.dispose();
  expect(called).toBeGreaterThan(50);
});
