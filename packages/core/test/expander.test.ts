import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { NdvmError } from "../src/errors.js";
import type { Core } from "../src/syntax/core.js";
import { expand } from "../src/syntax/expand.js";
import { formatError } from "../src/syntax/format-error.js";
import { printCore } from "../src/syntax/print-core.js";
import { read } from "../src/syntax/read.js";
import { run } from "./syntax/evaluate.js";
import { expectPostOrder, expectResolved, expectSpans } from "./syntax/invariants.js";

const expandText = (source: string, inputs?: string[]) => expand(read(source), { inputs });

function errorOf(source: string, inputs?: string[]): NdvmError {
  try {
    expandText(source, inputs);
  } catch (error) {
    if (error instanceof NdvmError) return error;
    throw error;
  }
  throw new Error(`${source} should not expand`);
}

/** The text an error points at. */
function pointedAt(source: string, { span }: NdvmError): string {
  return source.slice(span?.start, span?.end);
}

describe("values of forms", () => {
  test.each([
    ["1 2 3", "3"],
    ["(quote a)", "a"],
    ["'(1 . 2)", "(1 . 2)"],
    ["(if #f 1)", "unspecified"],
    ["(if '() 1 2)", "1"],
    ["(cond (#f 1) ((+ 1 1)) (else 3))", "2"],
    ["(cond ((assv 'b '((a 1) (b 2))) => cadr) (else 'none))", "2"],
    ["(cond (#f 1))", "unspecified"],
    ["(cond (1 2 3))", "3"],
    ["(case (* 2 3) ((2 3 5 7) 'prime) ((1 4 6 8 9) 'composite))", "composite"],
    ["(case 'x ((a b) 1) (else => (lambda (k) (list k))))", "(x)"],
    ["(case 5 ((1 5) => (lambda (k) (* k k))) (else 0))", "25"],
    ["(case 9 ((1) 1) (() 2))", "unspecified"],
    ["(list (and) (and 1) (and 1 2) (and #f 2) (and 1 #f 3))", "(#t 1 2 #f #f)"],
    ["(list (or) (or 1) (or #f 2) (or #f #f) (or #f #f 3 4))", "(#f 1 2 #f 3)"],
    [
      "(list (when 1 2 3) (when #f 2) (unless 1 2) (unless #f 2 3))",
      "(3 unspecified unspecified 3)",
    ],
    ["(when 1)", "unspecified"],
    ["(begin 1 2)", "2"],
    ["(let ((x 1) (y 2)) (let ((x y) (y x)) (list x y)))", "(2 1)"],
    ["(let () 5)", "5"],
    ["(let* ((x 1) (x (+ x 1)) (y (* x 10))) (list x y))", "(2 20)"],
    ["(let* () 5)", "5"],
    [
      "(letrec ((ev? (lambda (n) (if (= n 0) #t (od? (- n 1))))) (od? (lambda (n) (if (= n 0) #f (ev? (- n 1)))))) (ev? 9))",
      "#f",
    ],
    ["(letrec* ((a 1) (b (+ a 1))) (list a b))", "(1 2)"],
    ["(let loop ((i 0) (all '())) (if (= i 3) all (loop (+ i 1) (cons i all))))", "(2 1 0)"],
    ["(let ((f 10)) (let f ((n f)) (if (= n 0) 'done (f (- n 1)))))", "done"],
    ["(do ((i 0 (+ i 1)) (s 0 (+ s i)) (k 7)) ((= i 4) (list s k)))", "(6 7)"],
    ["(do ((i 0 (+ i 1))) ((= i 2)) (list i))", "unspecified"],
    ["(loop ((x 1) (k 0)) (if (= k 5) x (recur (* x 2) (+ k 1))))", "32"],
    [
      "(loop ((k 0)) (cond ((= k 3) (loop ((j 0)) (if (= j 2) (list k j) (recur (+ j 1))))) (else (recur (+ k 1)))))",
      "(3 2)",
    ],
    [
      "(loop ((k 0)) (let ((n (+ k 1))) (and #t (or #f (begin 0 (when #t (case n ((5) n) (else (recur n)))))))))",
      "5",
    ],
    ["((lambda (a . rest) (list a rest)) 1 2 3)", "(1 (2 3))"],
    ["((lambda all all) 1 2)", "(1 2)"],
    ["(define (f . all) all) (f 1 2)", "(1 2)"],
    ["(define (f a b . all) (list a b all)) (f 1 2 3 4)", "(1 2 (3 4))"],
    ["(define (f n) (if (= n 0) '() (cons n (g (- n 1))))) (define (g n) (f n)) (f 3)", "(3 2 1)"],
    ["(begin (define a 1) (begin (define b 2))) (+ a b)", "3"],
    ["(define (f x) (define y (* x 2)) (begin (define (g z) (+ y z))) (g 1)) (f 5)", "11"],
    ["(define x 1) (define (f) (define x 2) (define (g) x) (g)) (list x (f))", "(1 2)"],
    ["[1 (+ 1 1) 3]", "(vec 1 2 3)"],
    ["(let ((vec list)) [1 2])", "(vec 1 2)"],
    [
      "(list (caar '((1) 2)) (cadr '(1 2)) (cddr '(1 2 3)) (caddr '(1 2 3)) (cdddr '(1 2 3 4)) (cadddr '(1 2 3 4)) (cdadr '(1 (2 3))))",
      "(1 2 (3) 3 (4) 4 (3))",
    ],
  ])("%s is %s", (source, value) => {
    expect(run(source)).toBe(value);
  });

  test.each([
    ["`(1 2)", "(1 2)"],
    ["`x", "x"],
    ["`,(+ 1 2)", "3"],
    ["`(1 ,(+ 1 1) ,@(list 3 4) 5)", "(1 2 3 4 5)"],
    ["`(1 . ,(+ 1 1))", "(1 . 2)"],
    ["`(1 ,@'(2 3) . 4)", "(1 2 3 . 4)"],
    ["`(,@'(1 2) . ,(list 3))", "(1 2 3)"],
    ["`((foo ,(- 10 3)) ,@(cdr '(c)) . ,(car '(cons)))", "((foo 7) . cons)"],
    [
      "`(a `(b ,(c ,(+ 1 2))))",
      "(a (quasiquote (b (unquote (c (unquote (+ 1 2)))))))".replace("(unquote (+ 1 2))", "3"),
    ],
    ["`(a `(b ,(foo ,(+ 1 3) d) e) f)", "(a (quasiquote (b (unquote (foo 4 d)) e)) f)"],
    [
      "(let ((n1 'x) (n2 'y)) `(a `(b ,,n1 ,',n2 d) e))",
      "(a (quasiquote (b (unquote x) (unquote (quote y)) d)) e)",
    ],
    ["`(1 `,@(2 ,@(list 3 4)))", "(1 (quasiquote (unquote-splicing (2 3 4))))"],
    ["`(1 `(2 . ,(3 ,(+ 2 2))))", "(1 (quasiquote (2 unquote (3 4))))"],
    ["(let ((list 1) (cons 2) (append 3)) `(,list ,@'(5) . ,cons))", "(1 5 . 2)"],
    ["(quasiquote (list (unquote (+ 1 2)) 4))", "(list 3 4)"],
  ])("the template %s makes %s", (source, value) => {
    expect(run(source)).toBe(value);
  });
});

describe("the prelude", () => {
  test.each([
    ["(map square '(1 2 3))", "(1 4 9)"],
    ["(map + '(1 2 3) '(10 20))", "(11 22)"],
    ["(map list '(1 2) '(3 4) '(5 6))", "((1 3 5) (2 4 6))"],
    ["(map cadr '((1 2) (3 4)))", "(2 4)"],
    ["(map (lambda (f) (f 4)) (list square sqrt))", "(16 2)"],
    ["(apply map list '((1 2) (3 4)))", "((1 3) (2 4))"],
    ["(filter even? '(1 2 3 4))", "(2 4)"],
    ["(fold-left cons '() '(1 2 3))", "(((() . 1) . 2) . 3)"],
    ["(fold-right cons '() '(1 2 3))", "(1 2 3)"],
    ["(fold-left list 0 '(1 2) '(3 4))", "((0 1 3) 2 4)"],
    ["(fold-right list 0 '(1 2) '(3 4 5))", "(1 3 (2 4 0))"],
    ["(apply fold-left - 0 '((1 2 3)))", "-6"],
    ["(apply fold-right - 0 '((1 2 3)))", "2"],
    ["(reduce - 0 '(1 2 3 4))", "2"],
    ["(reduce + 0 '())", "0"],
    ["(reduce list 0 '(7))", "7"],
    ["(member 2.0 '(1 2 3) =)", "(2 3)"],
    ["(member '(1) '((1) 2))", "((1) 2)"],
    ["(assoc 2 '((1 a) (2 b)) =)", "(2 b)"],
    ["(assoc 5 '((1 a)) =)", "#f"],
    ["(let ((f member)) (list (f 1 '(1)) (f 1 '(2 3) <)))", "((1) (2 3))"],
    ["(let ((car cdr) (null? pair?) (reverse 1)) (map square '(1 2)))", "(1 4)"],
    ["(define (map f x) 'mine) (map 1 2)", "mine"],
    ["(define (%map) 'mine) (list (%map) (map square '(2)))", "(mine (4))"],
  ])("%s is %s", (source, value) => {
    expect(run(source)).toBe(value);
  });

  test("is left out of programs that do not use it, and comes before the program's own", () => {
    expect(expandText("(+ 1 2)").globals).toEqual([]);
    const { globals, nodes } = expandText("(define g 1) (fold-right + 0 '(1) '(2))");
    expect(globals.map(({ name }) => name).at(-1)).toBe("g");
    expect(globals.map(({ name }) => name)).toContain("fold-right");
    expect(globals.map(({ name }) => name)).toContain("map");
    const program = nodes.at(-1) as Core & { kind: "seq" };
    expect(program.body.map(({ kind }) => kind)).toEqual([...globals.map(() => "define"), "call"]);
  });

  test("points nowhere, so that errors point to the user's call", () => {
    const { nodes } = expandText("(map f-input '(1))");
    const define = nodes.find(({ kind }) => kind === "define");
    expect(define?.span).toEqual({ start: -1, end: -1 });
  });

  test("handles long lists", () => {
    const source = `(define (count n) (loop ((i n) (all '())) (if (= i 0) all (recur (- i 1) (cons i all)))))
      (define items (count 100000))
      (list (length (map square items)) (length (filter even? items))
            (fold-left + 0 items) (fold-right + 0 items) (reduce max 0 items))`;
    expect(run(source)).toBe("(100000 50000 5000050000 5000050000 100000)");
  });
});

describe("names", () => {
  test.each([
    ["(let ((if list)) (if 1 2 3))", "(1 2 3)"],
    ["(define (f list) (list 1)) (f square)", "1"],
    ["(let ((else #f)) (cond (else 1) (#t 2)))", "2"],
    ["(let ((=> 5)) (cond (1 => 7)))", "7"],
    ["(let ((define list)) (define 1 2))", "(1 2)"],
    ["(define (list . all) (length all)) (list 1 2)", "2"],
    ["(let ((or-test 5)) (or #f or-test))", "5"],
    ["(let ((case-key 5)) (case 1 ((1) case-key)))", "5"],
    ["(let ((cond-test 5)) (cond (#f 1) (cond-test)))", "5"],
    ["(let ((cond-test 5)) (cond (3 => (lambda (x) (+ x cond-test)))))", "8"],
    ["(let ((eqv? 1)) (case 2 ((2) 'yes)))", "yes"],
    ["(let ((x 'outer)) (let ((x 'inner) (y x)) (list x y)))", "(inner outer)"],
    ["(let loop ((loop 3)) loop)", "3"],
    ["(let ((recur list)) (recur 1))", "(1)"],
    ["(let ((quote -)) '5)", "-5"],
    ["(define if +) (if 1 2 3)", "6"],
    ["(let ((x 1)) (define x 2) x)", "2"],
    ["(lambda (x) x) (let ((set! list)) (set! 1))", "(1)"],
  ])("%s is %s: the nearest binding wins", (source, value) => {
    expect(run(source)).toBe(value);
  });

  test("free names are inputs, in order of first appearance in the text", () => {
    expect(expandText("(* a (exp (* k t)) a)").inputs).toEqual(["a", "k", "t"]);
    expect(expandText("(let f ((i first)) (if (= i second) third (f i)))").inputs).toEqual([
      "first",
      "second",
      "third",
    ]);
    expect(expandText("(do ((i a (+ i b))) ((= i c) d) (list e))").inputs).toEqual([
      "a",
      "b",
      "c",
      "d",
      "e",
    ]);
  });

  test("declared inputs shadow primitives and special forms, and unused ones are kept", () => {
    expect(run("(* scale if)", { scale: 3, if: 4 })).toBe("12");
    expect(expandText("(+ scale x)", ["unused", "scale"]).inputs).toEqual(["scale", "x", "unused"]);
    expect(expandText("(+ map x)", ["map"]).globals).toEqual([]);
  });

  test("a definition or a local variable shadows a declared input", () => {
    expect(run("(define x 1) (let ((y 2)) (+ x y))", { x: 10, y: 10 })).toBe("3");
  });

  test("plain words that Scheme uses for left-out procedures may be inputs", () => {
    expect(expandText("(* k delay error values)").inputs).toEqual([
      "k",
      "delay",
      "error",
      "values",
    ]);
    expect(errorOf("(map string-length '(a))").code).toBe("E-REFUSED");
  });

  test("lambdas carry the name they are bound to", () => {
    const source = `(define (a) 1) (define b (lambda () 1))
      (let ((c (lambda () 1))) (letrec ((d (lambda () 1))) (let* ((e (lambda () 1))) (define (f) 1)
      (let g ((x 1)) ((lambda () 1))))))`;
    const names = expandText(source).nodes.flatMap((node) =>
      node.kind === "lambda" ? [node.name] : [],
    );
    expect(names).toEqual(["a", "b", "c", "d", "e", "f", undefined, "g"]);
  });
});

describe("errors", () => {
  const form = "E-FORM";
  test.each([
    // source, code, message, text the span covers
    ["(if)", form, "if: needs a test and one or two branches, got 0 parts", "(if)"],
    ["(if 1 2 3 4)", form, "if: needs a test and one or two branches, got 4 parts", "(if 1 2 3 4)"],
    ["(+ 1 if)", form, "if is not a value", "if"],
    ["(else 1)", form, "else: stands where it means nothing", "(else 1)"],
    ["()", form, "() is not an expression", "()"],
    ["(+ 1 . 2)", form, "a dot has no place in +", "2"],
    ["(if 1 2 . 3)", form, "a dot has no place in if", "3"],
    ["(quote)", form, "quote: needs one datum, got 0", "(quote)"],
    ["'(1 [2])", form, "brackets make vectors and cannot be quoted", "[2]"],
    [
      "`(1 [,x])",
      form,
      "quasiquote: brackets make vectors here; a template needs parentheses",
      "[,x]",
    ],
    ["(+ 1 ,x)", form, "unquote stands outside a quasiquote", ",x"],
    ["`,@x", form, ",@ stands outside a list of its template", ",@x"],
    ["(cond)", form, "cond: there is no clause in it", "(cond)"],
    ["(cond 1)", form, "cond: a clause should be a list", "1"],
    ["(cond ())", form, "cond: a clause is empty", "()"],
    ["(cond (else 1) (2 3))", form, "cond: else is not the last clause", "(else 1)"],
    ["(cond (else))", form, "cond: else has no value", "(else)"],
    ["(cond (1 =>))", form, "cond: one procedure follows =>", "(1 =>)"],
    [
      "(cond [(< x 1) 2])",
      form,
      "cond: brackets make vectors here; a clause needs parentheses",
      "[(< x 1) 2]",
    ],
    ["(case)", form, "case: needs a key and a clause", "(case)"],
    ["(case 1 (2 3))", form, "case: the data of a clause should be a list", "2"],
    ["(case 1 ((2)))", form, "case: a clause has no value", "((2))"],
    ["(when)", form, "when: the test is missing", "(when)"],
    ["(begin)", form, "the program only defines things, so it has no value", "(begin)"],
    ["(+ (begin) 1)", form, "begin: there is no expression in it", "(begin)"],
    ["(let)", form, "let: the list of bindings is missing", "(let)"],
    ["(let x)", form, "let: the list of bindings is missing", "(let x)"],
    ["(let 5 1)", form, "let: the list of bindings should be a list", "5"],
    ["(let ((x 1)))", form, "let: the body is missing", "(let ((x 1)))"],
    ["(let ((x)) 1)", form, "let: a binding is a name and one value", "(x)"],
    ["(let (x) 1)", form, "let: a binding should be a list", "x"],
    ["(let ((1 2)) 1)", form, "let: 1 is not a name for a variable", "1"],
    ["(let ((x 1) (x 2)) 1)", form, "let: the variable x occurs twice", "x"],
    [
      "(let ([x 1]) x)",
      form,
      "let: brackets make vectors here; a binding needs parentheses",
      "[x 1]",
    ],
    [
      "(let [(x 1)] x)",
      form,
      "let: brackets make vectors here; the list of bindings needs parentheses",
      "[(x 1)]",
    ],
    [
      "(let* ([x 1]) x)",
      form,
      "let*: brackets make vectors here; a binding needs parentheses",
      "[x 1]",
    ],
    [
      "(loop ([x 1]) x)",
      form,
      "loop: brackets make vectors here; a binding needs parentheses",
      "[x 1]",
    ],
    ["(letrec ((x 1)))", form, "letrec: the body is missing", "(letrec ((x 1)))"],
    [
      "(do ((i 0 1 2)) (1))",
      form,
      "do: a binding is a name, a value and perhaps a step",
      "(i 0 1 2)",
    ],
    ["(do ((i 0)) ())", form, "do: the exit clause has no test", "()"],
    ["(do ((i 0)))", form, "do: the exit clause is missing", "(do ((i 0)))"],
    ["(lambda)", form, "lambda: the parameters are missing", "(lambda)"],
    ["(lambda (x))", form, "lambda: the body is missing", "(lambda (x))"],
    ["(lambda (x x) 1)", form, "lambda: the parameter x occurs twice", "x"],
    ["(lambda (x . x) 1)", form, "lambda: the parameter x occurs twice", "x"],
    [
      "(lambda [x] 1)",
      form,
      "lambda: brackets make vectors here; the parameter list needs parentheses",
      "[x]",
    ],
    ["(lambda (1) 1)", form, "lambda: 1 is not a name for a parameter", "1"],
    ["(define x)", form, "define: needs one value, got 0", "(define x)"],
    ["(define)", form, "define: a name is missing", "(define)"],
    ["(define (f x)) 1", form, "define: the body has no expression", "(define (f x))"],
    ["(define ((f a) b) 1) 1", form, "define: (f a) is not a name", "(f a)"],
    ["(define 5 1)", form, "define: 5 is not a name", "5"],
    ["(define x 1) (define x 2) x", form, "define: x is already defined here", "(define x 2)"],
    [
      "(let () (define x 1) (define x 2) x)",
      form,
      "define: x is already defined here",
      "(define x 2)",
    ],
    ["(let () (define x 1))", form, "let: the body has no expression", "(let () (define x 1))"],
    [
      "(let () 1 (define x 1) x)",
      form,
      "x is defined after an expression of the same body",
      "(define x 1)",
    ],
    ["(+ 1 (define x 2))", form, "define cannot stand where a value is needed", "(define x 2)"],
    ["(if 1 (define x 2))", form, "define cannot stand where a value is needed", "(define x 2)"],
    ["(define x 1)", form, "the program only defines things, so it has no value", "(define x 1)"],
    [
      "1 (define x 1)",
      form,
      "the program ends with a definition, so it has no value",
      "(define x 1)",
    ],
    ["(recur 1)", form, "recur stands outside a loop", "(recur 1)"],
    ["(loop ((x 1)) (lambda () (recur 1)))", form, "recur stands outside a loop", "(recur 1)"],
    ["(loop ((x 1)) (let f () (recur 1)))", form, "recur stands outside a loop", "(recur 1)"],
    [
      "(loop ((x 1)) (+ 1 (recur x)))",
      form,
      "recur is not in tail position of its loop",
      "(recur x)",
    ],
    [
      "(loop ((x 1)) (if (recur x) 1 2))",
      form,
      "recur is not in tail position of its loop",
      "(recur x)",
    ],
    [
      "(loop ((x 1)) (begin (recur x) 2))",
      form,
      "recur is not in tail position of its loop",
      "(recur x)",
    ],
    [
      "(loop ((x 1)) (let ((y (recur x))) y))",
      form,
      "recur is not in tail position of its loop",
      "(recur x)",
    ],
    [
      "(loop ((x 1)) (and (recur x) 2))",
      form,
      "recur is not in tail position of its loop",
      "(recur x)",
    ],
    [
      "(loop ((x 1)) (loop ((y (recur x))) y))",
      form,
      "recur is not in tail position of its loop",
      "(recur x)",
    ],
    ["(loop ((x 1)) (do () (1 (recur x))))", form, "recur cannot continue a do", "(recur x)"],
    ["(loop ((x 1) (y 2)) (recur x))", "E-ARITY", "recur takes 2 values, got 1", "(recur x)"],
    ["(sin)", "E-ARITY", "sin takes 1 argument, got 0", "(sin)"],
    ["(cons 1)", "E-ARITY", "cons takes 2 arguments, got 1", "(cons 1)"],
    ["(atan 1 2 3)", "E-ARITY", "atan takes 1 or 2 arguments, got 3", "(atan 1 2 3)"],
    ["(map car)", "E-ARITY", "map takes at least 2 arguments, got 1", "(map car)"],
    ["(filter car)", "E-ARITY", "filter takes 2 arguments, got 1", "(filter car)"],
    ["(cadr 1 2)", "E-ARITY", "cadr takes 1 argument, got 2", "(cadr 1 2)"],
    ["(member 1)", "E-ARITY", "member takes 2 or 3 arguments, got 1", "(member 1)"],
    ["(f 1)", "E-UNBOUND", "nothing called f is defined", "f"],
    ["(set! x 1)", "E-REFUSED", "set! is left out of this language", "(set! x 1)"],
    ["(call/cc f)", "E-REFUSED", "call/cc is left out of this language", "(call/cc f)"],
    ["(display x)", "E-REFUSED", "display is left out of this language", "(display x)"],
  ])("%s", (source, code, message, text) => {
    const error = errorOf(source);
    expect(error).toMatchObject({ code, message });
    expect(pointedAt(source, error)).toBe(text);
  });

  test.each([
    ["(squrt 2)", "did you mean sqrt?"],
    ["(lamda (x) x)", "did you mean lambda?"],
    ["(define (kalman x) x) (klaman 1)", "did you mean kalman?"],
    ["(defn f (x) x)", "write (define (name parameter …) body …)"],
    ["(fn (x) x)", "write (lambda (parameter …) body …)"],
    ["(** x 2)", "write (expt a b)"],
    ["(ln x)", "write log: it is the natural logarithm"],
    ["(arctan x)", "write atan"],
    ["(− x 1)", "write - (this is another sign that looks like it)"],
    ["(frobnicate x)", "define it: (define (frobnicate …) …)"],
    ["(let ([x (+ y 1)]) x)", "write (x (+ y 1)) instead of [x (+ y 1)]"],
    ["(loop ((x 1) (k 0)) (recur x))", "its loop has the variables (x k)"],
    ["(vector 1 2)", "use vec or a list: [a b c] or (list a b c)"],
    ["(define-syntax a b) 1", "there are no macros; write a procedure"],
  ])("%s gets the help: %s", (source, help) => {
    expect(errorOf(source).help).toBe(help);
  });

  const refused = `set! call/cc call-with-current-continuation dynamic-wind define-syntax let-syntax
    syntax-rules delay force string string-append string->symbol display newline read write vector
    make-vector vector-ref vector-length values call-with-values let-values let*-values define-values
    case-lambda define-record-type parameterize guard raise error assert exact-integer-sqrt for-each`;
  test.each(refused.split(/\s+/))("%s is refused with a way out", (name) => {
    const error = errorOf(`(${name} x)`);
    expect(error.code).toBe("E-REFUSED");
    expect(error.help).toBeTruthy();
  });
});

describe("invariants", () => {
  const samples = [
    "(define (f x #;y) (cond ((> x 1) => list) (x) (else (case x ((1 2) 3) (else 4))))) (map f (list 1 2))",
    "(do ((i 0 (+ i 1)) (v [1 2])) ((= i 3) v) (list i) (list v))",
    "`(1 ,(or a b) ,@(let* ((x 1) (y x)) (list x y)) . ,(and 1 2 3))",
    "(let f ((x 1) (y (caddr z))) (define (g) (f y x)) (begin (define h 1)) (when (g) 1 2) h)",
    "(letrec ((a (lambda x x)) (b 2)) (loop ((i 0)) (unless i (recur b))))",
    "(member 1 '(1) =) (fold-right + 0 '(1) '(2)) (assoc 1 2) cadr [1 [2]]",
  ];

  test.each(samples)("%s expands to nodes in post-order", (source) => {
    const expansion = expandText(source);
    expectPostOrder(expansion);
    expectResolved(expansion);
    expectSpans(expansion, source);
  });

  test("random programs expand in post-order or fail with an NdvmError that has a span", () => {
    const { program } = fc.letrec<{ program: string }>((tie) => {
      const p = tie("program");
      const shape = (template: string) =>
        fc
          .tuple(p, p, p)
          .map((parts) => template.replace(/[ABC]/g, (m) => parts["ABC".indexOf(m)] as string));
      const shapes = `(A B) (if A B C) (let ((x A) (y B)) C) (let* ((x A) (x B)) C) (lambda (x) A B)
        (let f ((x A)) B) (loop ((x A)) B) (recur A) (or A B C) (and A B) (cond (A) (B => C) (else x))
        (case A ((1 x) B) (else C)) (do ((x A B)) (C x) A) (begin A B) (quasiquote (A (unquote B) unquote C))
        (define x A) (let () (define x A) (define (y) B) C) [A B] (+ A B) (map A B) (list A B) (quote A)`
        .split(/(?<=[\])]) |\n/)
        .map((text) => shape(text.trim()));
      return {
        program: fc.oneof(
          { maxDepth: 4 },
          fc.constantFrom("x", "y", "1", "#f", "car", "map"),
          ...shapes,
        ),
      };
    });
    fc.assert(
      fc.property(program, (source) => {
        try {
          const expansion = expandText(source);
          expectPostOrder(expansion);
          expectResolved(expansion);
          expectSpans(expansion, source);
          expect(printCore(expansion)).toBeTruthy();
        } catch (error) {
          if (!(error instanceof NdvmError)) throw error;
          expect(pointedAt(source, error)).not.toBe("");
        }
      }),
      { numRuns: 1000 },
    );
  });

  test("the same program expands to the same listing twice", () => {
    const source = samples.join("\n");
    expect(printCore(expandText(source))).toBe(printCore(expandText(source)));
  });
});

describe("size", () => {
  const depth = 100_000;
  test.each([
    ["(+ 1 ", "x", ")"],
    ["(let ((x (+ x 1))) ", "x", ")"],
    ["(lambda (x) ", "x", ")"],
    ["(begin ", "x", ")"],
    ["(if a ", "b", " c)"],
    ["(cond (a ", "x", "))"],
    ["(let f ((x 1)) ", "x", ")"],
    ["(or a ", "b", ")"],
    ["(let () (define x 1) ", "x", ")"],
    ["(case x ((1) ", "2", "))"],
    ["`(a ,", "x", ")"],
    ["'(", "x", ")"],
    ["[", "1", "]"],
  ])("%s… nested 100,000 deep expands and lists", (open, middle, close) => {
    const expansion = expandText(open.repeat(depth) + middle + close.repeat(depth));
    expectPostOrder(expansion);
    expect(printCore(expansion).length).toBeGreaterThan(0);
  });

  test("long forms expand: 100,000 operands, clauses, bindings, definitions", () => {
    const repeat = (text: (i: number) => string) =>
      Array.from({ length: depth }, (_, i) => text(i)).join(" ");
    for (const source of [
      `(+ ${repeat(() => "1")})`,
      `(cond ${repeat(() => "(x 1)")})`,
      `(let (${repeat((i) => `(x${i} 1)`)}) x1)`,
      `(let* (${repeat(() => "(x 1)")}) x)`,
      `${repeat((i) => `(define (f${i}) (f${(i * 7) % depth}))`)} (f1)`,
      `(or ${repeat(() => "x")})`,
      `(case x ((${repeat(String)}) 1))`,
      `\`(${repeat(() => ",x ,@y")})`,
    ]) {
      expectPostOrder(expandText(source));
    }
  });
});

describe("formatError", () => {
  const format = (source: string, file?: string) => {
    try {
      expand(read(source, file));
    } catch (error) {
      return formatError((error as NdvmError).in(source, file));
    }
    return "no error";
  };

  test("shows the place, the line with an underline, and the help", () => {
    expect(
      format("(define (f x)\n  (let ([y x]) y))\n(f 1)", "filter.scm"),
    ).toMatchInlineSnapshot(`
      "filter.scm:2:9: error E-FORM: let: brackets make vectors here; a binding needs parentheses
        2 |   (let ([y x]) y))
          |         ^^^^^
        help: write (y x) instead of [y x]"
    `);
    expect(format("(+ 1 2")).toMatchInlineSnapshot(`
      "program:1:1: error E-SYNTAX: this ( is never closed
        1 | (+ 1 2
          | ^
        help: ) missing before the end"
    `);
  });

  test("underlines only the first line of a span over several", () => {
    expect(format("(if\n 1 2\n 3 4)")).toMatchInlineSnapshot(`
      "program:1:1: error E-FORM: if: needs a test and one or two branches, got 4 parts
        1 | (if
          | ^^^
        help: write (if test then else)"
    `);
  });

  test("cuts long lines around the span", () => {
    const text = format(`${"(+ 1 ".repeat(100)}(sqroot 2)${" 3)".repeat(100)}`);
    expect(text).toMatchInlineSnapshot(`
      "program:1:502: error E-UNBOUND: nothing called sqroot is defined
        1 | …1 (+ 1 (+ 1 (+ 1 (+ 1 (+ 1 (+ 1 (+ 1 (+ 1 (+ 1 (+ 1 (sqroot 2) 3) 3) 3) 3) 3) 3) 3) 3) 3) 3) 3…
          |                                                       ^^^^^^
        help: did you mean sqrt?"
    `);
    expect(format(`(if ${"1 ".repeat(1000)})`).split("\n")[2]?.length).toBeLessThan(110);
  });

  test("keeps the underline in place after tabs and wide characters", () => {
    expect(format("\t(list 温度 '温 (sqroot 1))")).toMatchInlineSnapshot(`
      "program:1:15: error E-UNBOUND: nothing called sqroot is defined
        1 |   (list 温度 '温 (sqroot 1))
          |                   ^^^^^^
        help: did you mean sqrt?"
    `);
  });

  test("counts lines by every kind of line break", () => {
    expect(format("1\r\n2\r3\n  (sqroot 1)").split("\n")[0]).toContain("program:4:4:");
  });

  test("colours on request", () => {
    const error = new NdvmError("E-INPUT", "x is missing", { help: "bind it" });
    expect(formatError(error)).toBe("error E-INPUT: x is missing\n  help: bind it");
    expect(formatError(error, { color: true })).toContain("\x1b[31merror E-INPUT\x1b[39m");
  });

  test("an error in the prelude or without source has no excerpt", () => {
    const error = new NdvmError("E-TYPE", "car needs a pair", { span: { start: -1, end: -1 } });
    expect(formatError(error.in("(map 1 2)", "a.scm"))).toBe(
      "a.scm: error E-TYPE: car needs a pair",
    );
  });
});

const corpus = process.env["NDVM_CORPUS"];

describe.runIf(corpus !== undefined && existsSync(corpus))("the external cases", () => {
  interface Case {
    readonly id: string;
    readonly tier: string;
    readonly defs: readonly string[];
    readonly expr: string;
    readonly guile_prints: string;
  }
  const load = () =>
    JSON.parse(
      readFileSync(join(corpus as string, "r7rs_subset/r7rs_cases.json"), "utf8"),
    ) as Case[];

  test("every core case of R7RS expands; the others expand or are refused", () => {
    for (const { tier, defs, expr } of load()) {
      const source = `(let () ${defs.join(" ")} ${expr})`;
      try {
        expectPostOrder(expandText(source));
      } catch (error) {
        expect((error as NdvmError).code, source).toBe("E-REFUSED");
        expect(tier).toBe("extended");
      }
    }
  });
});
