/**
 * For every rule a program that cannot do without it, with value and slope by x worked out by hand.
 * The proof in docs/semantics.md names the rule, and the rule its example.
 */

export interface Example {
  readonly rule: string;
  readonly source: string;
  readonly x: number;
  readonly value: number;
  readonly slope: number;
}

const example = (
  rule: string,
  source: string,
  x: number,
  value: number,
  slope: number,
): Example => ({ rule, source, x, value, slope });

export const examples: readonly Example[] = [
  example("Constant", "(* 3 x)", 2, 6, 3),
  example("Unspecified", "(begin (when (< x 0) 1) (* x x))", 3, 9, 6),
  example("Input", "x", 5, 5, 1),
  example("Variable", "(let ((a (* x x))) (+ a a))", 3, 18, 12),
  example("Primitive", "((if (< x 0) + *) x x)", 4, 16, 8),
  example("Lambda", "((lambda (a) (* a x)) x)", 4, 16, 8),
  example("If", "(if #t x 0)", 7, 7, 1),
  example("If-true", "(if (< x 2) (* x x) (* 5 x))", 1, 1, 2),
  example("If-false", "(if (< x 2) (* x x) (* 5 x))", 2, 10, 5),
  example("Sequence", "(begin (* 9 x) x)", 2, 2, 1),
  example("Sequence-next", "(begin (log (- x)) (* 4 x))", 0, 0, 4),
  example("First", "(- x 1)", 2, 1, 1),
  example("None", "(loop () (* 2 x))", 3, 6, 2),
  example("Next", "(/ 1 x)", 2, 0.5, -0.25),
  example("Last", "(- (* x x) x)", 3, 6, 5),
  example("Let", "(let ((x 2) (y x)) (* x y y))", 3, 18, 12),
  example("Letrec", "(letrec ((f (lambda (n) (if (= n 0) 1 (* x (f (- n 1))))))) (f 3))", 2, 8, 12),
  example("Letrec-next", "(letrec* ((a (* x x)) (b (* a x))) b)", 2, 8, 12),
  example("Letrec-body", "(letrec ((a x)) (* a a))", 4, 16, 8),
  example("Define", "(define a (* 2 x)) (* a a)", 1, 4, 8),
  example("Defined", "(define (f) (* a x)) (define a x) (f)", 3, 9, 6),
  example("Loop", "(loop ((a x)) (* a 2))", 3, 6, 2),
  example("Recur", "(loop ((i 0) (a 1)) (if (= i 4) a (recur (+ i 1) (* a x))))", 2, 16, 32),
  example("Call", "(define (f a b) (- a b)) (f (* x x) x)", 3, 6, 5),
  example("Call-rest", "((lambda (a . more) (* a (car more))) x x 1)", 3, 9, 6),
  example("Apply", "(apply * x (list x x))", 2, 8, 12),
  example("Variadic", "(- 10 x x x)", 2, 4, -3),
  example("Number", "(* x (* x x))", 2, 8, 12),
  example("Flat", "(* x (floor x))", 2.5, 5, 2),
  example("Element-wise", "(ref (* x (vec 1 x)) 1)", 3, 9, 6),
  example("Structured", "(dot (vec x 2) (vec x x))", 3, 15, 8),
  example("Test", "(if (< x 1 2) 0 (* 3 x))", 2, 6, 3),
  example("Structure", "(car (cons (* x x) '()))", 3, 9, 6),
];
