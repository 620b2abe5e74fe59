/**
 * Where recur may stand: at the end of every form that ends in its last part, alone and inside each
 * other, and in no other place of any form.
 */

import { expect, test } from "vitest";
import { expand } from "../../src/syntax/expand.js";
import { read } from "../../src/syntax/read.js";

/** Places that are the last thing their form does. */
const LAST = [
  "#",
  "(if x # 1)",
  "(if x 1 #)",
  "(begin #)",
  "(begin 1 2 #)",
  "(let () #)",
  "(let ((y 1)) 2 #)",
  "(let* () #)",
  "(let* ((y 1) (z y)) 2 #)",
  "(letrec ((f (lambda (a) a))) 2 #)",
  "(letrec* ((f (lambda (a) a))) 2 #)",
  "(cond (x 1 #) (else 2))",
  "(cond (x 1) (else 2 #))",
  "(case x ((1) 2 #) (else 3))",
  "(case x ((1) 2) (else 3 #))",
  "(and 1 #)",
  "(or 1 #)",
  "(when x 1 #)",
  "(unless x 1 #)",
] as const;

/** Places after which their form goes on. */
const EARLIER = [
  "(if # 1 2)",
  "(begin # 1)",
  "(begin 1 # 2)",
  "(let ((y #)) y)",
  "(let ((y 1) (z #)) y)",
  "(let ((y 1)) # y)",
  "(let* ((y #)) y)",
  "(let* ((y 1) (z #)) z)",
  "(let* ((y 1)) # y)",
  "(letrec ((y #)) y)",
  "(letrec ((y 1)) # y)",
  "(letrec* ((y #)) y)",
  "(letrec* ((y 1) (z #)) y)",
  "(letrec* ((y 1)) # y)",
  "(let go ((y #)) y)",
  "(loop ((y #)) y)",
  "(cond (# 1) (else 2))",
  "(cond (x # 1) (else 2))",
  "(cond (x 1) (# 2) (else 3))",
  "(cond (#) (else 2))",
  "(cond (x 1) (else # 2))",
  "(case # ((1) 2) (else 3))",
  "(case x ((1) # 2) (else 3))",
  "(case x ((1) 2) (else # 3))",
  "(and # 1)",
  "(and 1 # 2)",
  "(or # 1)",
  "(or 1 # 2)",
  "(when # 1)",
  "(when x # 1)",
  "(unless # 1)",
  "(unless x # 1)",
  "(do ((y # (+ y 1))) ((= y 3) y))",
  "(do ((y 0 #)) ((= y 3) y))",
  "(do ((y 0 (+ y 1))) (# y))",
  "(do ((y 0 (+ y 1))) ((= y 3) # y))",
  "(do ((y 0 (+ y 1))) ((= y 3) y) #)",
  "(+ # 1)",
  "(+ 1 #)",
  "(# 1)",
  "(x 1 #)",
  "((lambda (y) y) #)",
  "`(1 ,#)",
  "`(1 ,@#)",
  "(recur #)",
] as const;

/** Bodies that recur never reaches: they belong to a procedure. */
const INSIDE = ["(lambda () #)", "(let go ((y 1)) #)", "(let () (define (f) #) f)"] as const;

const loopOf = (place: string): string => `(loop ((x 1)) ${place.replace("#", "(recur 2)")})`;
const expanded = (source: string): string => {
  try {
    expand(read(source));
    return "accepted";
  } catch (error) {
    return (error as Error).message;
  }
};

test("recur may stand last in every form, however deep", () => {
  for (const outer of LAST)
    for (const inner of LAST) {
      const source = loopOf(outer.replace("#", inner));
      expect(expanded(source), source).toBe("accepted");
    }
});

/** What is wrong in one of the earlier places: a do goes round by itself. */
const refusalIn = (place: string): string =>
  place.startsWith("(do ") && !place.includes("(y #")
    ? "recur cannot continue a do"
    : "recur is not in tail position of its loop";

test("recur may stand nowhere else in a form, wherever that form stands", () => {
  for (const last of LAST)
    for (const earlier of EARLIER) {
      const outside = loopOf(last.replace("#", earlier));
      expect(expanded(outside), outside).toBe(refusalIn(earlier));
      const inside = loopOf(earlier.replace("#", last));
      expect(expanded(inside), inside).toBe(refusalIn(earlier));
    }
});

test("recur does not reach out of a procedure", () => {
  for (const outer of [...LAST, ...EARLIER])
    for (const inner of INSIDE) {
      const source = loopOf(outer.replace("#", inner));
      expect(expanded(source), source).toBe("recur stands outside a loop");
    }
});
