import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { NdvmError } from "../src/errors.js";
import type { Core } from "../src/syntax/core.js";
import { expand } from "../src/syntax/expand.js";
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
    ["`(a `(b ,(c ,(+ 1 2))))", "(a (quasiquote (b (unquote (c 3)))))"],
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
  ])("%s… nested 100,000 deep expands", (open, middle, close) => {
    const expansion = expandText(open.repeat(depth) + middle + close.repeat(depth));
    expectPostOrder(expansion);
  });

  test("names mean the same however deep the program is when they are met", () => {
    for (let deep = 0; deep < 150; deep++) {
      const inner = "(let ((=> 1) (else 2) (if 3)) (+ => else if))";
      const clause = `(cond (${inner} => (lambda (x) (if (= x 6) (loop ((k 0)) (cond ((= k 2) x)
        (else (recur (+ k 1))))) 0))) (else 1))`;
      expect(run(`${"(+ 1 ".repeat(deep)}${clause}${")".repeat(deep)}`)).toBe(String(deep + 6));
    }
  });

  test("long forms expand: 20,000 operands, clauses, bindings, definitions", () => {
    const width = 20_000;
    const repeat = (text: (i: number) => string) =>
      Array.from({ length: width }, (_, i) => text(i)).join(" ");
    for (const source of [
      `(+ ${repeat(() => "1")})`,
      `(cond ${repeat(() => "(x 1)")})`,
      `(let (${repeat((i) => `(x${i} 1)`)}) x1)`,
      `(let* (${repeat(() => "(x 1)")}) x)`,
      `${repeat((i) => `(define (f${i}) (f${(i * 7) % width}))`)} (f1)`,
      `(or ${repeat(() => "x")})`,
      `(case x ((${repeat(String)}) 1))`,
      `\`(${repeat(() => ",x ,@y")})`,
    ]) {
      expectPostOrder(expandText(source));
    }
  });
});

const corpus = process.env["NDVM_CORPUS"];

describe.runIf(corpus !== undefined)("the external cases (they need NDVM_CORPUS)", () => {
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
