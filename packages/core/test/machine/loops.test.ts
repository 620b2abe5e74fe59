/**
 * Loops without a tape run in constant memory, whatever their state is made of, and what is live
 * survives compaction.
 */

import { describe, expect, test } from "vitest";
import { Machine } from "../../src/index.js";

describe("loops without a tape", () => {
  test("10⁷ iterations with real state run in constant memory", async () => {
    const machine = await Machine.create({ memoryMax: 8 * 2 ** 20 });
    const program = machine.load(
      "(loop ((i 0) (x a) (v 0.0)) (if (= i 10000000) x (recur (+ i 1) (+ x v) (- v (* 1e-14 x)))))",
    );
    const { values, stats } = program.evaluate({ a: 1 });
    expect(values[0]).toBeCloseTo(Math.cos(1), 6);
    expect(stats.memoryBytes).toBeLessThanOrEqual(8 * 2 ** 20);
    expect(stats.compactions).toBeGreaterThan(0);
    machine.dispose();
  });

  const state = 1_000_000;
  test.each([
    [
      "vectors",
      `(loop ((i 0) (v [a 1 2])) (if (= i ${state}) (ref v 0) (recur (+ i 1) (+ v [0.5 0 0]))))`,
    ],
    [
      "matrices",
      `(loop ((i 0) (m (mat [a 1] [0 1]))) (if (= i ${state}) (ref m 0 0) (recur (+ i 1) (+ m (mat [0.5 0] [0 0])))))`,
    ],
    [
      "lists",
      `(loop ((i 0) (l (list a 1 2))) (if (= i ${state}) (car l) (recur (+ i 1) (list (+ 0.5 (car l)) i (cadr l)))))`,
    ],
    [
      "closures",
      `(loop ((i 0) (f (lambda () a)))
         (if (= i ${state}) (f) (recur (+ i 1) (let ((x (+ 0.5 (f)))) (lambda () x)))))`,
    ],
    [
      "a named let with an accumulator procedure",
      `(define (add n) (lambda (x) (+ x n)))
       (let walk ((i 0) (x a)) (if (= i ${state}) x (walk (+ i 1) ((add 0.5) x))))`,
    ],
    [
      "mutual tail calls",
      `(define (ping i x) (if (= i ${state}) x (pong (+ i 1) (+ x 0.5))))
       (define (pong i x) (if (= i ${state}) x (ping (+ i 1) (+ x 0.5))))
       (ping 0 a)`,
    ],
    [
      "letrec inside the body",
      `(loop ((i 0) (x a))
         (if (= i ${state}) x (recur (+ i 1) (letrec ((f (lambda (k) (if (= k 0) x (+ 0.5 (f (- k 1))))))) (f 1)))))`,
    ],
    [
      "lane-varying booleans",
      `(loop ((i 0) (x a) (b #f)) (if (= i ${state}) x (recur (+ i 1) (+ x 0.5) (not (> x 3)))))`,
    ],
    [
      "rest arguments and apply",
      `(define (f . xs) (apply + xs))
       (loop ((i 0) (x a)) (if (= i ${state}) x (recur (+ i 1) (f x 0.25 0.25))))`,
    ],
  ])("10⁶ iterations whose state is %s", async (_, source) => {
    const machine = await Machine.create({ memoryMax: 8 * 2 ** 20 });
    const program = machine.load(source);
    const { values, stats } = program.evaluate({ a: [0, 7, -1] });
    expect([...values]).toEqual([500_000, 500_007, 499_999]);
    expect(stats.compactions).toBeGreaterThan(0);
    expect(stats.memoryBytes).toBeLessThanOrEqual(8 * 2 ** 20);
    machine.dispose();
  });

  test("what an outer frame holds survives compaction", async () => {
    const machine = await Machine.create({ memoryMax: 16 * 2 ** 20 });
    const source = `
      (define table '((a . 1.5) (b . 2.5)))
      (define (spin n x) (if (= n 0) x (spin (- n 1) (+ x 0.5))))
      (let* ((keep (list a [a 2 3] (lambda () (* 2 a)) 'name))
             (row (ref (mat [a 1] [2 3]) 1))
             (spun (+ (spin 300000 a) (spin 300000 a)))
             (again (cdr (assq 'b table))))
        (list spun (car keep) (cadr keep) ((caddr keep)) (cadddr keep) row again))`;
    const result = machine.load(source).evaluate({ a: [0.25, 4] });
    expect(result.stats.compactions).toBeGreaterThan(0);
    expect(result.print(0)).toBe("(300000.5 0.25 [0.25 2 3] 0.5 name [2 3] 2.5)");
    expect(result.print(1)).toBe("(300008 4 [4 2 3] 8 name [2 3] 2.5)");
    machine.dispose();
  });
});
