/**
 * Bad programs: each gets a typed error with a code, the exact text it is about, a way out, and
 * words that name the user's thing. The machine that refused one evaluates the next correctly.
 */

import { beforeAll, describe, expect, test } from "vitest";
import { type Inputs, Machine } from "../../src/index.js";
import { caught, covered, expectUsable } from "./support.js";

interface Bad {
  readonly source: string;
  readonly code: string;
  /** The text that the error points at. */
  readonly covers: string;
  readonly message: string;
  /** The exact help, or a pattern where any way out will do. */
  readonly help?: string | RegExp;
  readonly inputs?: Inputs;
}

const someHelp = /\S+ \S+/;

let machine: Machine;
beforeAll(async () => {
  machine = await Machine.create();
});

function suite(title: string, cases: readonly Bad[]): void {
  describe(title, () => {
    test.each(cases)("$source", ({ source, code, covers, message, help, inputs }) => {
      const error = caught(() => machine.load(source).evaluate(inputs));
      expect(error.code).toBe(code);
      expect(error.message).toBe(message);
      expect(covered(error)).toBe(covers);
      expect(error.source).toBe(source);
      if (typeof help === "string") expect(error.help).toBe(help);
      else expect(error.help).toMatch(help ?? someHelp);
      expectUsable(machine);
    });
  });
}

suite("text that is not a program", [
  {
    source: "",
    code: "E-SYNTAX",
    covers: "",
    message: "the program is empty",
    help: "write an expression, such as (* a (exp (* k t)))",
  },
  {
    source: " \n ; nothing",
    code: "E-SYNTAX",
    covers: " \n ; nothing",
    message: "the program is empty",
  },
  { source: "(", code: "E-SYNTAX", covers: "(", message: "this ( is never closed" },
  {
    source: "(+ 1\n  (* 2 3)",
    code: "E-SYNTAX",
    covers: "(",
    message: "this ( is never closed",
    help: ") missing before the end",
  },
  {
    source: "(+ 1 2))",
    code: "E-SYNTAX",
    covers: ")",
    message: "nothing is open that this ) could close",
    help: "delete it",
  },
  {
    source: "(vsum [1 2)",
    code: "E-SYNTAX",
    covers: ")",
    message: "the [ at line 1, column 7 is closed by )",
    help: "write ] here, or close what is open inside first",
  },
  { source: "(+ 1 #z)", code: "E-SYNTAX", covers: "#z", message: "#z has no meaning" },
  {
    source: '(+ 1 "one")',
    code: "E-REFUSED",
    covers: '"one"',
    message: "strings are left out of this language",
    help: "a symbol can stand for a text: 'name",
  },
  {
    source: "(+ 1 \u0000)",
    code: "E-SYNTAX",
    covers: "\u0000",
    message: "the source is not UTF-8 text: it holds U+0000",
    help: "save the program as plain UTF-8 text",
  },
  {
    source: "(+ a \ufffd)",
    code: "E-SYNTAX",
    covers: "\ufffd",
    message: "the source is not UTF-8 text: it holds U+FFFD",
  },
  {
    source: "(+ a \ud800)",
    code: "E-SYNTAX",
    covers: "\ud800",
    message: "the source is not UTF-8 text: it holds U+D800",
  },
]);

suite("names and forms", [
  {
    source: "(* 2 (sinn x))",
    code: "E-UNBOUND",
    covers: "sinn",
    message: "nothing called sinn is defined",
    help: "did you mean sin?",
  },
  {
    source: "(define (decay t) (exp (- t))) (deacy 1)",
    code: "E-UNBOUND",
    covers: "deacy",
    message: "nothing called deacy is defined",
    help: "did you mean decay?",
  },
  {
    source: "(frobnicate 1)",
    code: "E-UNBOUND",
    covers: "frobnicate",
    message: "nothing called frobnicate is defined",
    help: "define it: (define (frobnicate …) …)",
  },
  {
    source: "(begin (set! x 1) x)",
    code: "E-REFUSED",
    covers: "(set! x 1)",
    message: "set! is left out of this language",
    help: "variables are never changed; carry the new value in a loop: (loop ((x x0)) … (recur next))",
  },
  ...["call/cc", "display", "delay", "vector-ref", "define-syntax", "values", "random"].map(
    (name): Bad => ({
      source: `(${name} x)`,
      code: "E-REFUSED",
      covers: `(${name} x)`,
      message: `${name} is left out of this language`,
    }),
  ),
  {
    source: "(let ([x 1]) x)",
    code: "E-FORM",
    covers: "[x 1]",
    message: "let: brackets make vectors here; a binding needs parentheses",
    help: "write (x 1) instead of [x 1]",
  },
  {
    source: "(loop ((i 0)) (+ 1 (recur i)))",
    code: "E-FORM",
    covers: "(recur i)",
    message: "recur is not in tail position of its loop",
    help: "nothing may be left to do after recur; carry the rest in a loop variable",
  },
  {
    source: "(loop ((i 0) (x 1)) (recur i))",
    code: "E-ARITY",
    covers: "(recur i)",
    message: "recur takes 2 values, got 1",
    help: "its loop has the variables (i x)",
  },
  {
    source: "(recur 1)",
    code: "E-FORM",
    covers: "(recur 1)",
    message: "recur stands outside a loop",
  },
  {
    source: "(letrec ((a (+ b 1)) (b 1)) a)",
    code: "E-UNINITIALISED",
    covers: "b",
    message: "b is used before its definition has run",
    help: "move the definition of b before this use",
  },
]);

const fewer = "count the arguments of the call; the last ones may be left out";
const exactly = "count the arguments of the call; (apply f list) passes one for each element";

/** The innermost call at the end of the source is what the error is about. */
const anyNumberOf = (source: string, message: string): Bad => ({
  source,
  code: "E-ARITY",
  covers: /\([^()]*\)(?=\)*$)/.exec(source)?.[0] ?? "",
  message,
  help: source.includes("angle") ? fewer : source.startsWith("(atan") ? someHelp : exactly,
});

suite("wrong number of arguments", [
  anyNumberOf("(sin)", "sin takes 1 argument, got 0"),
  anyNumberOf("(cons 1)", "cons takes 2 arguments, got 1"),
  anyNumberOf("(atan 1 2 3)", "atan takes 1 or 2 arguments, got 3"),
  anyNumberOf("(let ((angle atan)) (angle 1 2 3))", "atan takes 1 or 2 arguments, got 3"),
  anyNumberOf("(-)", "- takes at least 1 argument, got 0"),
  anyNumberOf("(let ((less -)) (less))", "- takes at least 1 argument, got 0"),
  anyNumberOf("(let ((angle atan)) (angle))", "atan takes 1 or 2 arguments, got 0"),
  anyNumberOf("(define (f x y) x) (f 1)", "f takes 2 arguments, got 1"),
  anyNumberOf("(define (f x . more) x) (f)", "f takes at least 1 argument, got 0"),
  anyNumberOf("(let ((g car)) (g 1 2))", "car takes 1 argument, got 2"),
  anyNumberOf(
    "(define (pick k) (if k car (lambda () 1))) (let ((g (pick #f))) (g 1))",
    "this procedure takes 0 arguments, got 1",
  ),
  {
    ...anyNumberOf("(apply car '(1 2))", "car takes 1 argument, got 2"),
    covers: "(apply car '(1 2))",
  },
  {
    ...anyNumberOf("(apply (lambda (x) x) '(1 2))", "this procedure takes 1 argument, got 2"),
    covers: "(apply (lambda (x) x) '(1 2))",
  },
  {
    ...anyNumberOf("(map (lambda (x y) x) '(1 2))", "this procedure takes 2 arguments, got 1"),
    covers: "(map (lambda (x y) x) '(1 2))",
  },
  anyNumberOf("(let walk ((i 0)) (walk))", "walk takes 1 argument, got 0"),
]);

const whole = (source: string, code: string, message: string, help?: string): Bad => ({
  source,
  code,
  covers: source,
  message,
  ...(help === undefined ? {} : { help }),
});

const callHelp = "parentheses call: (f x) calls f; write a plain value without them";

suite("calling what is not a procedure", [
  whole("(5 3)", "E-CALL", "5 is not a procedure and cannot be called", callHelp),
  whole("('f 3)", "E-CALL", "the symbol f is not a procedure and cannot be called", callHelp),
  whole("([1 2] 0)", "E-CALL", "vector[2] is not a procedure and cannot be called", callHelp),
  {
    ...whole("(let ((k 3)) (k 1))", "E-CALL", "k = 3 is not a procedure and cannot be called"),
    covers: "(k 1)",
  },
  whole("(apply 5 '(1))", "E-CALL", "5 is not a procedure and cannot be called", callHelp),
  whole("(map 5 '(1 2))", "E-CALL", "5 is not a procedure and cannot be called", callHelp),
  whole("(filter #t '(1 2))", "E-CALL", "#t is not a procedure and cannot be called", callHelp),
]);

suite("structure of the wrong kind", [
  whole("(car 5)", "E-TYPE", "car needs a pair, got 5"),
  whole("(cdr 'a)", "E-TYPE", "cdr needs a pair, got the symbol a"),
  whole(
    "(car '())",
    "E-TYPE",
    "car needs a pair, got the empty list",
    "the list is empty here; test with null? first",
  ),
  whole("(cadr '(1))", "E-TYPE", "car needs a pair, got the empty list"),
  {
    ...whole(
      "(define (f items) (car items)) (* 2 (f 7))",
      "E-TYPE",
      "car needs a pair, got items = 7",
    ),
    covers: "(car items)",
  },
  whole("(length 5)", "E-TYPE", "length needs a list, got 5"),
  whole("(length '(1 . 2))", "E-TYPE", "length needs a list, got a pair that does not end in ()"),
  whole("(reverse car)", "E-TYPE", "reverse needs a list, got car = the procedure car"),
  whole("(append 5 '(1))", "E-TYPE", "append needs a list, got 5"),
  whole("(apply + 1)", "E-TYPE", "apply needs a list, got 1"),
  whole("(memq 'a 5)", "E-TYPE", "memq needs a list, got 5"),
  whole("(assq 'a '(1 2))", "E-TYPE", "assq needs a list of pairs, but an element is 1"),
  whole("(map car 5)", "E-TYPE", "map needs a list, got 5"),
  whole("(fold-left + 0 5)", "E-TYPE", "fold-left needs a list, got 5"),
  whole("(map car '(1 2))", "E-TYPE", "car needs a pair, got 1"),
]);

suite("numbers of the wrong kind", [
  whole("(+ 1 'a)", "E-TYPE", "+ needs a number, got the symbol a"),
  whole("(* 2 #t)", "E-TYPE", "* needs a number, got #t"),
  whole(
    "(+ 1 (list 1 2))",
    "E-TYPE",
    "+ needs a number, got a list",
    "to add up a list write (fold-left + 0 items) or (apply + items)",
  ),
  whole("(sin car)", "E-TYPE", "sin needs a number, got car = the procedure car"),
  whole("(expt 'a 2)", "E-TYPE", "expt needs a number, got the symbol a"),
  whole("(< 1 2 'a)", "E-TYPE", "< needs a number, got the symbol a"),
  whole("(zero? 'a)", "E-TYPE", "zero? needs a number, got the symbol a"),
  {
    ...whole("(let ((b 2) (c 'x)) (+ 1 b c))", "E-TYPE", "+ needs a number, got c = the symbol x"),
    covers: "(+ 1 b c)",
  },
  {
    ...whole(
      "(let ((x 1) (b 'q)) (log x b))",
      "E-TYPE",
      "log needs a number, got b = the symbol q",
    ),
    covers: "(log x b)",
  },
  {
    ...whole(
      "(let ((x 'q)) (apply sin (list x)))",
      "E-TYPE",
      "sin needs a number, got the symbol q",
    ),
    covers: "(apply sin (list x))",
  },
  {
    ...whole("(even? x)", "E-TYPE", "even? needs a whole number, got x = 1.5"),
    inputs: { x: 1.5 },
  },
  {
    ...whole("(even? x)", "E-TYPE", "even? needs a whole number, got x = 1.5"),
    inputs: { x: [1.5, 2.5] },
  },
]);
