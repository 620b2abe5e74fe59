/**
 * What to tell someone who calls a name that does not exist: the word this language has for it, the
 * nearest name in sight, or how to define it.
 */

import { nearest } from "../nearest.js";

export { nearest };

/** Names from other languages and Schemes, with what to write here. */
const foreignNames: ReadonlyMap<string, string> = new Map([
  ["defn", "write (define (name parameter …) body …)"],
  ["defun", "write (define (name parameter …) body …)"],
  ["def", "write (define name value)"],
  ["fn", "write (lambda (parameter …) body …)"],
  ["function", "write (lambda (parameter …) body …)"],
  ["λ", "write lambda"],
  ["progn", "write begin"],
  ["do*", "write do"],
  ["elif", "write (cond (test value) … (else value))"],
  ["elseif", "write (cond (test value) … (else value))"],
  ["else-if", "write (cond (test value) … (else value))"],
  ["switch", "write (case key ((datum …) value) … (else value))"],
  ["while", "write a loop: (loop ((x x0)) (if test (recur next) x))"],
  ["for", "write (do ((i 0 (+ i 1))) ((= i n) result)) or a loop"],
  ["return", "the value of a body is its last expression"],
  ["setq", "variables are never changed; use loop and recur"],
  ["sum", "write (vsum v) for a vector, (fold-left + 0 items) for a list, (+ a b …) for numbers"],
  ["prod", "write (fold-left * 1 items)"],
  ["product", "write (fold-left * 1 items)"],
  ["mean", "write (/ (vsum v) (vlen v))"],
  ["**", "write (expt a b)"],
  ["^", "write (expt a b)"],
  ["power", "write (expt a b)"],
  ["ln", "write log: it is the natural logarithm"],
  ["log10", "write (/ (log x) (log 10))"],
  ["log2", "write (/ (log x) (log 2))"],
  ["arctan", "write atan"],
  ["arcsin", "write asin"],
  ["arccos", "write acos"],
  ["arctan2", "write (atan y x)"],
  ["atan2", "write (atan y x)"],
  ["cbrt", "write (expt x (/ 1 3))"],
  ["mod", "write modulo"],
  ["%", "write modulo"],
  ["rem", "write remainder"],
  ["div", "write quotient"],
  ["ceil", "write ceiling"],
  ["trunc", "write truncate"],
  ["fabs", "write abs"],
  ["sgn", "write (cond ((> x 0) 1) ((< x 0) -1) (else 0))"],
  ["sign", "write (cond ((> x 0) 1) ((< x 0) -1) (else 0))"],
  ["logistic", "write sigmoid"],
  ["relu", "write (max 0 x)"],
  ["gammaln", "write lgamma"],
  ["loggamma", "write lgamma"],
  ["==", "write ="],
  ["!=", "write (not (= a b))"],
  ["/=", "write (not (= a b))"],
  ["&&", "write and"],
  ["||", "write or"],
  ["!", "write not"],
  ["−", "write - (this is another sign that looks like it)"],
  ["×", "write *"],
  ["·", "write *"],
  ["÷", "write /"],
  ["add1", "write (+ x 1)"],
  ["sub1", "write (- x 1)"],
  ["inc", "write (+ x 1)"],
  ["dec", "write (- x 1)"],
  ["first", "write car"],
  ["second", "write cadr"],
  ["third", "write caddr"],
  ["rest", "write cdr"],
  ["last", "write (list-ref items (- (length items) 1))"],
  ["nth", "write (list-ref items k)"],
  ["len", "write length for a list, vlen for a vector"],
  ["size", "write length for a list, vlen for a vector"],
  ["empty?", "write null?"],
  ["foldl", "write (fold-left f init items): f takes the result so far first"],
  ["foldr", "write fold-right"],
  ["fold", "write (fold-left f init items): f takes the result so far first"],
  ["mapcar", "write map"],
  ["iota", "build the list with a loop"],
  ["range", "build the list with a loop"],
  ["array", "write [a b c] or (vec a b c)"],
  ["matrix", "write (mat row …)"],
  ["mul", "write * element by element, matmul for the matrix product"],
  ["mm", "write matmul"],
  ["@", "write matmul"],
  ["identity", "write eye for the matrix, (lambda (x) x) for the procedure"],
  ["inverse", "write inv"],
  ["pinv", "write solve or inv"],
]);

/** The help of an error about an unknown operator. */
export function suggest(name: string, known: readonly string[]): string {
  const foreign = foreignNames.get(name);
  if (foreign !== undefined) return foreign;
  const near = nearest(name, known);
  if (near !== undefined) return `did you mean ${near}?`;
  return `define it: (define (${name} …) …)`;
}

/**
 * A left-out procedure used as a value, as in (map string-length items), is refused like a call. A
 * plain word such as `error` or `delay` is more likely the name of an input.
 */
export function isRefusedAsValue(name: string): boolean {
  return /[-!?/*>=]/.test(name);
}
