/**
 * Programs that mean harm, by kind, each with the codes it may end as. A kind makes as many
 * programs as one likes, all of them different.
 */

export interface HostileKind {
  readonly name: string;
  readonly codes: readonly string[];
  /** The program that number `k`, a whole number from 1 on, stands for. */
  make(k: number): string;
}

const kind = (name: string, codes: string, make: (k: number) => string): HostileKind => ({
  name,
  codes: codes.split(" "),
  make,
});

export const nested = (count: number, before: string, inside: string, after: string): string =>
  before.repeat(count) + inside + after.repeat(count);

const numbered = (count: number, text: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => text(i)).join(" ");

const MEGABYTE = "1 ".repeat(500_000);

/** What the issue of hostile programs is about: endless loops, bombs, a long text, deep nesting. */
export const usual: readonly HostileKind[] = [
  kind("an endless loop", "E-ENDLESS", (k) => `(loop ((s x)) (recur (+ s ${k})))`),
  kind("endless recursion", "E-ENDLESS", (k) => `(define (f n) (+ 1 (f (+ n ${k})))) (f x)`),
  kind(
    "a loop that waits for a number",
    "E-STEPS",
    (k) => `(loop ((s x)) (if (> s ${k + 1e6}) (* a s) (recur (+ s 0.001))))`,
  ),
  kind(
    "a list that doubles",
    "E-STEPS",
    (k) => `(loop ((l (list 1 ${k})) (k 0)) (if (= k 60) (length l) (recur (append l l) (+ k 1))))`,
  ),
  kind("a large vector", "E-STEPS", (k) => `(vsum (* a (ones ${1_000_000 + k})))`),
  kind("a megabyte of text", "E-LENGTH", (k) => `(+ x ${k} ${MEGABYTE})`),
  kind("parentheses that never close", "E-SYNTAX", (k) => "(".repeat(9900 - (k % 900))),
];

/** Whatever else someone may think of. */
export const others: readonly HostileKind[] = [
  kind(
    "a loop of a thousand million turns",
    "E-STEPS",
    (k) => `(loop ((s x) (k 0)) (if (< k ${1e9 + k}) (recur (sin s) (+ k 1)) (* a s)))`,
  ),
  kind(
    "a loop whose lanes part",
    "E-ENDLESS",
    (k) => `(loop ((s x)) (if (> s 1) (recur (- s ${1 + k / 9})) (recur (+ s x))))`,
  ),
  kind("endless tail calls", "E-ENDLESS", (k) => `(define (f n) (f (+ n ${k}))) (f x)`),
  kind(
    "procedures that call each other",
    "E-ENDLESS",
    (k) => `(define (f n) (* 2 (g (+ n ${k})))) (define (g n) (f (* n 2))) (f x)`,
  ),
  kind(
    "a procedure that is given itself",
    "E-STEPS",
    (k) => `((lambda (f) (f f ${k})) (lambda (f n) (f f (+ n x))))`,
  ),
  kind(
    "exponential recursion",
    "E-STEPS",
    (k) => `(define (f n) (if (< n 2) n (+ (f (- n 1)) (f (- n 2))))) (* a (f ${40 + k}))`,
  ),
  kind(
    "Ackermann's function",
    "E-STEPS",
    (k) =>
      "(define (f m n) (if (= m 0) (+ n 1) (if (= n 0) (f (- m 1) 1) (f (- m 1) (f m (- n 1))))))" +
      ` (* a (f 3 ${20 + k}))`,
  ),
  kind("a list without end", "E-ENDLESS", (k) => `(loop ((l '(${k}))) (recur (cons x l)))`),
  kind(
    "a tree that shares its branches",
    "E-RESULT",
    (k) => `(loop ((l ${k}) (k 0)) (if (= k 60) l (recur (cons l l) (+ k 1))))`,
  ),
  kind(
    "a comparison of shared structure",
    "E-STEPS",
    (k) =>
      "(define (t k) (if (= k 0) '(1) (let ((s (t (- k 1)))) (list s s))))" +
      ` (if (equal? (t ${40 + (k % 100)}) (t ${40 + (k % 100)})) x a)`,
  ),
  kind("a large matrix", "E-STEPS", (k) => `(vsum (* a (zeros ${3000 + k} 3000)))`),
  kind(
    "large matrices that nobody reads",
    "E-STEPS",
    (k) => `(loop ((k 0)) (if (= k 500) (* a x) (begin (zeros 2000 ${k + 999}) (recur (+ k 1)))))`,
  ),
  kind("a long product", "E-STEPS", (k) => `(trace (matmul (eye ${900 + k}) (eye ${900 + k})))`),
  kind("a vector of a hundred million", "E-RANGE", (k) => `(vsum (zeros ${1e8 + k}))`),
  kind(
    "closures over closures",
    "E-STEPS",
    (k) =>
      `(loop ((f (lambda (z) z)) (k ${k})) (if (= k 1e8) (f x) (recur (lambda (z) (f z)) (+ k 1))))`,
  ),
  kind("a huge exponent", "E-NOT-FINITE", (k) => `(* a (expt (+ x ${k}) (expt 10 300)))`),
  kind(
    "work that doubles with each name",
    "E-STEPS",
    (k) =>
      `(let* ((f0 (lambda (y) (+ y ${k}))) ` +
      `${numbered(60, (i) => `(f${i + 1} (lambda (y) (f${i} (f${i} y))))`)}) (f60 x))`,
  ),
  kind(
    "a thousand parameters",
    "E-PARAMETERS",
    (k) => `(+ x ${numbered(1000, (i) => `p${i + k}`)})`,
  ),
  kind(
    "a call with a long list",
    "E-STEPS",
    (k) => `(define (f k) (if (= k 0) '() (cons x (f (- k 1))))) (apply + (f ${9999 + k}))`,
  ),
  kind("nothing but parentheses", "E-SYNTAX", (k) => nested(4900 - (k % 900), "(", "", ")")),
  kind("quotes of quotes", "E-SYNTAX", (k) => `${"'".repeat(9000)}${k}`),
  kind("a long quotation", "E-RESULT", (k) => `'(${numbered(1000, (i) => `${i + k}`)})`),
  kind("a name that nothing has", "E-UNBOUND", (k) => `(frobnicate-${k} x)`),
  kind("a number that is called", "E-CALL", (k) => `(* a (${k} x))`),
];
