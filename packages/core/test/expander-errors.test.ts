import { describe, expect, test } from "vitest";
import { NdvmError } from "../src/errors.js";
import { expand } from "../src/syntax/expand.js";
import { read } from "../src/syntax/read.js";

function errorOf(source: string, inputs?: string[]): NdvmError {
  try {
    expand(read(source), { inputs });
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
    // A form is looked at as a whole before its parts are.
    ["(cond ((f) =>))", form, "cond: one procedure follows =>", "((f) =>)"],
    ["(let* ((a (f)) (b)) a)", form, "let*: a binding is a name and one value", "(b)"],
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
    ["(let () (defn f 1) (define x 1) x)", "write (define (name parameter …) body …)"],
    ["(vector-rf 1)", "define it: (define (vector-rf …) …)"],
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
