/** Scheme programs that between them use every kind of cell, capture, tail call and copy. */

const many = "abcdefghijkl".split("");

/** A loop whose tail call lies so many lets below it. */
const deepLoop = (depth: number): string =>
  `(let f ((n 3) (s a)) (if (= n 0) s ${"(let ((t s)) ".repeat(depth)}(f (- n 1) (* t 2))${")".repeat(depth)}))`;

/** A let, whose slot is as deep as the stack is where it stands. */
const letOf = (name: string, operation = "*"): string => `(let ((q ${name})) (${operation} q q))`;

export const schemePrograms: Readonly<Record<string, string>> = {
  "one name": "a",
  "constants of every kind": "(list 1 -1 0 -0.0 2.5 1e10 16777216 16777217 #t #f 'a 'b 'a '() pi)",
  "integers at the limits": "(+ 2147483647 -2147483647 2147483648 4294967296)",
  "quoted structure": "'(1 (b . 2) #t (3 x) () (4 (5 . (6 7)) . c) 1.5)",
  "vectors and nested brackets": "(mat [a 1] [2 b])",
  "many inputs": `(+ ${many.join(" ")} (* ${[...many].reverse().join(" ")}))`,
  "a branch that numbers leave": "(if (< a b) a (if (> c 0) (+ a) (* a b)))",
  "lists that numbers leave":
    "(if (< a b) (car (list a b)) (if #t (cdr (list a)) (list-ref (list a b) 1)))",
  "a branch that is an operand": "(+ 1 (if (< a b) a b) (* 2 (if c (if d 1 a) 3)))",
  "lets in each other": "(let ((x (+ a 1)) (y 2)) (let ((z (* x y))) (+ x (let ((w z)) (* w y)))))",
  "let* and sequences": "(let* ((x a) (y (* x x))) (begin (+ x 1) (list x) (if (> y 1) x y)))",
  "closures three deep":
    "(let ((x a)) ((lambda (y) ((lambda (z) ((lambda (w) (+ x y z w)) 1)) 2)) 3))",
  "a closure kept":
    "(let* ((x (* a 2)) (f (lambda (y . rest) (if (null? rest) (+ x y) x)))) (+ (f 1) (f 1 2 3)))",
  "a procedure that calls itself": "(define (f n) (if (= n 0) 1 (* n (f (- n 1))))) (+ (f 4) a)",
  "two that call each other":
    "(letrec ((e? (lambda (n) (if (= n 0) #t (o? (- n 1))))) (o? (lambda (n) (if (= n 0) #f (e? (- n 1)))))) (e? 5))",
  "a box": "(letrec ((f (lambda () x)) (x (* a 2)) (g (lambda () (lambda () (+ x (f)))))) ((g)))",
  "a box inside its own init": "(letrec ((x (lambda () (y))) (y (lambda () a))) (list x y))",
  "a closure over itself": "(letrec ((f (lambda (n) (if (= n 0) (lambda () (f 1)) n)))) (f 0))",
  "a named loop": "(let loop ((i 0) (s a)) (if (< i 5) (loop (+ i 1) (* s b)) s))",
  "a named loop inside an operand":
    "(+ 1 (let loop ((i 0) (s a)) (if (< i 5) (loop (+ i 1) (* s b)) s)))",
  "a loop in a loop":
    "(let outer ((i 0) (s a)) (if (= i 3) s (let inner ((j 0) (t s)) (if (= j 2) (outer (+ i 1) t) (inner (+ j 1) (+ t b))))))",
  "loop and recur": "(loop ((i 0) (s a)) (if (< i 4) (recur (+ i 1) (+ s b)) s))",
  "recur in both branches":
    "(loop ((i 0) (s a) (k b)) (if (= i 4) s (if (< s 0.5) (recur (+ i 1) (* 2 s) k) (recur (+ i 1) s k))))",
  "a loop that is an operand": "(* 2 (loop ((i 0) (s a)) (if (< i 4) (recur (+ i 1) s) (+ s))))",
  "tail calls that pass the same and other things":
    "(define (f x y n) (if (= n 0) (+ x y) (if (< x 1) (f x y (- n 1)) (if (> y 2) (f x a (- n 1)) (f y x (- n 1)))))) (f a b 3)",
  "tail calls of different procedures":
    "(define (g x) x) (define (h x) (* 2 x)) (define (f x) (if (< x 0) (g x) (h x))) (f a)",
  "a name that is not only looped": "(let f ((n 3)) (if (= n 0) f (f (- n 1))))",
  "a name called outside its tail": "(let f ((n 3)) (if (= n 0) 0 (+ 1 (f (- n 1)))))",
  "a name called in a test": "(let f ((n 3)) (if (if (= n 0) #t (f (- n 1))) 1 2))",
  "a name called in an init": "(let f ((n 3)) (if (= n 0) 0 (let ((x (f (- n 1)))) x)))",
  "a name called early in a sequence": "(let f ((n 3)) (if (= n 0) 0 (begin (f (- n 1)) (f 0))))",
  "a name passed to itself": "(let f ((n 3) (g 0)) (if (= n 0) 0 (f (- n 1) f)))",
  "a name called inside another lambda": "(let f ((n 3)) (if (= n 0) 0 ((lambda () (f (- n 1))))))",
  "a loop with the wrong count": "(let f ((n 3) (m 1)) (if (= n 0) 0 (f (- n 1))))",
  "a letrec that is a loop": "(letrec ((f (lambda (n) (if (= n 0) a (f (- n 1)))))) (f 3))",
  "a letrec whose body calls another":
    "(let ((g (lambda (n) n))) (letrec ((f (lambda (n) (if (= n 0) a (f (- n 1)))))) (g 3)))",
  "a letrec entered with the wrong count":
    "(letrec ((f (lambda (n) (if (= n 0) a (f (- n 1)))))) (f 3 4))",
  "a letrec of a procedure with a rest":
    "(letrec ((f (lambda (n . r) (if (= n 0) a (f (- n 1)))))) (f 3))",
  "a letrec of two": "(letrec ((f (lambda (n) (if (= n 0) a (f (- n 1))))) (g 1)) (f 3))",
  "a procedure of the library": "(fold-left + 0 (map (lambda (x) (* x a)) (list 1 2 3)))",
  "a procedure of the library in tail position": "(define (f l) (map car l)) (f (list (list a b)))",
  apply: "(define (f l) (apply + a l)) (+ (f (list 1 2)) (apply f (list (list b))))",
  "a primitive as a value": "(map sqrt (list a b 4))",
  "clamped ones": "(+ (sqrt a) (log b) (exp (sqrt (log a))))",
  "definitions that see each other":
    "(define x (* a 2)) (define (f) (+ x y)) (define y (+ b 1)) (f)",
  "cond, case, and, or, when":
    "(cond ((and (> a 0) (or (< b 0) (> b 9))) => (lambda (x) 1)) ((= a 2) 3) (else (case b ((1 2) a) (else 0))))",
  do: "(do ((i 0 (+ i 1)) (s a (* s b))) ((= i 3) s))",
  quasiquotation: "`(1 ,a ,@(list b 2) (x ,(+ a b)))",
  "lets in a test and in branches": `(+ 1 (if ${letOf("a", ">")} ${letOf("b")} ${letOf("a")}))`,
  "lets in operands": `(define (f x y) (* x y)) (f ${letOf("a")} (apply + ${letOf("b")} (list ${letOf("a")})))`,
  "lets in a sequence": `(+ 1 (begin ${letOf("a")} ${letOf("b")}))`,
  "lets in the inits of a let": `(let ((x ${letOf("a")}) (y ${letOf("b")})) (* x y ${letOf("x")}))`,
  "lets in a loop": `(* 2 (loop ((i ${letOf("a")}) (s ${letOf("b")})) (if (< i 3) (recur ${letOf("i", "+ 1")} ${letOf("s")}) ${letOf("s")})))`,
  "lets in a named loop": `(* 2 (let f ((i ${letOf("a")}) (s ${letOf("b")})) (if (< i 3) (f ${letOf("i", "+ 1")} ${letOf("s")}) ${letOf("s")})))`,
  "lets in a letrec": `(* 2 (letrec ((f (lambda (n) ${letOf("n")})) (x ${letOf("a")})) (+ (f ${letOf("b")}) x)))`,
  "lets in definitions": `(define x ${letOf("a")}) (define (f n) (* 2 ${letOf("n")})) (+ x (f b))`,
  "a loop that climbs as far as it may": deepLoop(254),
  "a loop beyond that": deepLoop(255),
};
