/**
 * Divergence: loops, recursion, calls and structure that differ from lane to lane give every lane
 * what it gets alone.
 */

import { describe, expect, test } from "vitest";
import { Machine } from "../../src/index.js";
import { checkBatch, spread } from "./support.js";

const x = spread(23).map((value) => 2 * value);
const y = spread(23, 2);

describe("loops", () => {
  test.each([
    [
      "a convergence loop",
      `(loop ((z (+ 1 (abs x))) (k 0))
         (let ((next (* 0.5 (+ z (/ (abs x) z)))))
           (if (< (abs (- next z)) 1e-4) (* next k) (recur next (+ k 1)))))`,
    ],
    [
      "recur in both branches",
      `(loop ((z (abs y)) (k 0))
         (if (= k 16) (* z x)
             (if (< z 0.5) (recur (* 1.9 z) (+ k 1)) (recur (* 1.9 (- 1 z)) (+ k 1)))))`,
    ],
    [
      "recur in three branches with other operands",
      `(loop ((z x) (w y) (k 0))
         (cond ((= k 9) (- z w))
               ((> z 1) (recur (* 0.3 z) (+ w z) (+ k 1)))
               ((< w 0) (recur (+ z 0.2) (* -0.9 w) (+ k 1)))
               (else (recur w z (+ k 1)))))`,
    ],
    [
      "an inner loop that ends by data, recur of the outer one inside",
      `(let outer ((i 0) (s 0))
         (if (= i 4) s
             (let inner ((t 0) (c 0))
               (if (> t (abs x))
                   (outer (+ i 1) (+ s (* c t y)))
                   (inner (+ t 0.3) (+ c 1))))))`,
    ],
    [
      "an inner loop as a value inside the outer test",
      `(loop ((i 0) (s x))
         (if (> (loop ((t s) (n 0)) (if (< (abs t) 0.25) n (recur (* 0.5 t) (+ n 1)))) 3)
             (* s i)
             (if (= i 6) s (recur (+ i 1) (+ s (* y (abs s)))))))`,
    ],
    [
      "trip counts by lane",
      `(loop ((k (floor (* 6 (abs y)))) (s x)) (if (= k 0) s (recur (- k 1) (+ (* s y) k))))`,
    ],
    [
      "nested trip counts by lane, both loops",
      `(do ((i 0 (+ i 1))
            (s 0 (do ((j 0 (+ j 1)) (t s (+ t (* x j)))) ((>= j (+ i (abs x))) t))))
           ((>= i (* 3 (abs y))) s))`,
    ],
    [
      "an exit from the middle of the inner loop to a value",
      `(loop ((i 0) (a x))
         (loop ((j 0) (b y))
           (cond ((> (+ a b) 2) (* a b i))
                 ((= (+ i j) 7) (- a b))
                 ((> b 0) (recur (+ j 1) (- b 0.4)))
                 (else (recur (+ j 1) (+ (abs b) (* 0.5 a)))))))`,
    ],
    [
      "a vector as state, merged by lane",
      `(loop ((v [x y 1]) (k 0))
         (if (or (> (norm v) 4) (= k 8)) (vsum v)
             (if (> (ref v 0) 0)
                 (recur (scale 1.4 v) (+ k 1))
                 (recur (+ v [0.3 y x]) (+ k 1)))))`,
    ],
    [
      "a list as state that grows in some lanes",
      `(loop ((l '()) (k 0))
         (if (= k 4) (+ x (apply + l)) (recur (if (> (* k x) 0.5) (cons (* k y) l) l) (+ k 1))))`,
    ],
    [
      "a closure as state",
      `(loop ((f (lambda (t) t)) (k 0))
         (if (= k 3) (f x)
             (recur (if (> x y) (lambda (t) (* 2 (f t))) (lambda (t) (+ y (f t)))) (+ k 1))))`,
    ],
  ])("%s", async (_, source) => {
    await checkBatch(source, { inputs: { x, y } });
  });
});

describe("calls", () => {
  test.each([
    [
      "tail calls to different procedures",
      `(define (f a n) (if (= n 0) a (if (> a 0) (g (* a 0.7) (- n 1)) (f (+ a 0.3) (- n 1)))))
       (define (g a n) (if (= n 0) (* a y) (if (> a 0.5) (f (- a 1) (- n 1)) (g (- y a) (- n 1)))))
       (f x 7)`,
    ],
    [
      "tail calls that come together again",
      `(define (finish a b) (* a b x))
       (define (low a) (finish (+ a 1) y))
       (define (high a) (finish y (* a a)))
       (if (> x 0) (high x) (low x))`,
    ],
    [
      "recursion to a depth by lane",
      `(define (f a) (if (< (abs a) 0.2) y (+ a (* 0.5 (f (* 0.6 a)))))) (f x)`,
    ],
    [
      "two recursions in one",
      `(define (fib n) (if (< n 2) (* n x) (+ (fib (- n 1)) (fib (- n 2)))))
       (fib (floor (* 8 (abs y))))`,
    ],
    [
      "mutual recursion, not in tail position",
      `(define (e a n) (if (or (= n 0) (> a 3)) a (* 0.9 (o (+ a 0.4) (- n 1)))))
       (define (o a n) (if (< a -1) y (- (e (* a 1.2) (- n 1)) x)))
       (e x 6)`,
    ],
    [
      "different closures",
      "((if (> x 0) (lambda (z) (* z x)) (lambda (z) (+ z y))) (if (> y 0) 3 x))",
    ],
    ["different primitives", "((if (> x 0) sin (if (> y 0) exp square)) (+ x y))"],
    [
      "rest arguments",
      "(define (f a . r) (if (null? r) a (* a (car r)))) (if (> x 0) (f x) (f y x 3))",
    ],
    [
      "rest arguments of one call",
      "(define (f a . r) (+ a (length r))) (apply f x (if (> y 0) (list 1 2) '()))",
    ],
    ["apply to lists by lane", "(apply + y (if (> x 0) (list x x) (if (> y 0) (list y) '())))"],
    ["apply of procedures by lane", "(apply (if (> x 0) + *) (list x y 2))"],
    [
      "apply to one number, which comes back as it is",
      "(define z (if (> x 0) (apply + (list y)) 1)) (tanh (sin (+ 2 (/ (* z z z) (* 3 y)))))",
    ],
    [
      "map, filter and folds",
      `(let ((l (list x y (* x y) 0.5)))
         (+ (apply + (filter (lambda (e) (> e 0)) l))
            (fold-left (lambda (a e) (if (> e a) e a)) -9 l)
            (fold-right (lambda (e a) (if (> e 0) (* e a) (+ e a))) 1 l)
            (apply + (map (lambda (e) (if (< e 0) (- e) (* 2 e))) l))
            (length (filter (lambda (e) (< e x)) l))))`,
    ],
  ])("%s", async (_, source) => {
    await checkBatch(source, { inputs: { x, y } });
  });
});

describe("forms", () => {
  test.each([
    ["and", "(if (and (> x 0) (< y 0) (> (* x y) -1)) x (* 2 y))"],
    ["or", "(if (or (> x 1) (< y -0.5) (> (* x y) 0)) x (* 2 y))"],
    ["and with a value", "(or (and (> x 0) (* x y)) (and (< y 0) y) 7)"],
    ["not", "(if (not (or (> x 0) (not (> y 0)))) x y)"],
    ["case", "(case (round x) ((0) y) ((1 2) (* x y)) ((-1) (- y)) (else (square y)))"],
    ["cond =>", "(cond ((memv (round x) '(0 1 2)) => (lambda (l) (* y (length l)))) (else x))"],
    [
      "cond => a number",
      "(cond ((and (> x 0) (* x x)) => (lambda (z) (+ z y))) ((> y 0) y) (else 3))",
    ],
    ["cond with a test only", "(cond ((and (> x 0) (+ x 1))) ((and (> y 0) y)) (else x))"],
    ["when and unless", "(begin (when (> x 0) (sqrt x)) (unless (> x 0) (log x)) (* x y))"],
    ["a test kept in a variable", "(let* ((p (> x 0)) (q (and p (< y 0)))) (if q x (if p y 3)))"],
    [
      "a test passed on",
      "(define (pick p a b) (if p a b)) (+ (pick (> x 0) x y) (pick (< y 0) 1 x))",
    ],
    [
      "tests in a list",
      "(let ((l (list (> x 0) (> y 0)))) (if (car l) (if (cadr l) x y) (if (cadr l) 2 3)))",
    ],
    [
      "equal? of numbers and lists",
      "(if (equal? (list (round x) 1) (list (round y) 1)) x (* 3 y))",
    ],
    ["symbols", "(if (eq? (if (> x 0) 'a 'b) (if (> y 0) 'a 'c)) x y)"],
    ["integers and reals", "(+ (if (> x 0) 1 x) (* (if (> y 0) 2 0.5) (if (> x y) 3 4)) x)"],
    ["integers as sizes", "(vsum (ones (if (> x 0) 2 3)))"],
    ["integers as indices", "(ref [x y 4] (+ (if (> x 0) 1 0) (if (> y 0) 1 0)))"],
    [
      "one side a list, the other a number",
      "(let ((v (if (> x 0) (list x) y))) (if (pair? v) (car v) v))",
    ],
    ["vectors of different length", "(vsum (if (> x 0) [x y] [x y 1]))"],
    ["matrices", "(det (if (> x 0) (mat [x 1] [0 y]) (if (> y 0) (mat [1 x] [y 2]) (eye 2))))"],
    ["a vector and its scaled self", "(let ((v [x y])) (dot v (if (> x 0) v (scale y v))))"],
    ["an input straight through", "(+ (* x y) (if (> x 0) x y) (if (> y 0) x 2))"],
    ["quasiquote", "(apply + `(1 ,x ,@(if (> y 0) (list y) '()) ,(if (> x 0) y 2)))"],
    [
      "letrec under a test",
      "(if (> x 0) (letrec ((f (lambda (n) (if (< n x) (f (+ n y 2)) n)))) (f 0)) y)",
    ],
    ["the result is a vector", "(if (> x 0) [x y] [(* x y) 2])"],
  ])("%s", async (_, source) => {
    await checkBatch(source, { inputs: { x, y } });
  });

  test("numbers merge, structure parts", async () => {
    const numbers = await checkBatch("(if (> x 0) (* x 2) (- x))", { inputs: { x } });
    expect(numbers.stats).toMatchObject({ walks: 1, merges: 1, buckets: 0 });
    const lists = await checkBatch("(car (if (> x 0) (list x) (list 1 x)))", { inputs: { x } });
    expect(lists.stats).toMatchObject({ walks: 2, merges: 0, buckets: 1 });
  });
});

describe("results that are structure", () => {
  test("differ from lane to lane", async () => {
    const machine = await Machine.create();
    const program = machine.load("(if (> x 1) (list x 'big) (if (> x 0) (cons x (> x 0.5)) x))");
    for (const options of [{}, {}, { replay: false }, { chunk: 1 }]) {
      const result = program.evaluate({ x: [2, 0.75, -1, 0.25, 3] }, options);
      const texts = [0, 1, 2, 3, 4].map((lane) => result.print(lane));
      expect(texts).toEqual(["(2 big)", "(0.75 . #t)", "-1", "(0.25 . #f)", "(3 big)"]);
    }
    machine.dispose();
  });
});

describe("failures", () => {
  test("a tail call that fails after the other side of its branch ran is told at the call", async () => {
    const machine = await Machine.create();
    const source =
      "(cond ((= k 1) (apply (lambda (x) x) '())) ((= k 2) ((car (list k)) 1)) (else (* 2 k)))";
    const program = machine.load(source);
    const { failures } = program.evaluate({ k: [1, 2, 3] });
    const texts = failures.map(({ error: { code, span } }) => [
      code,
      source.slice(span?.start, span?.end),
    ]);
    expect(texts).toEqual([
      ["E-ARITY", "(apply (lambda (x) x) '())"],
      ["E-CALL", "((car (list k)) 1)"],
    ]);
    machine.dispose();
  });
});
