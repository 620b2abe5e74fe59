/**
 * Where recur may stand: at the end of every form that ends in its last part, alone and inside each
 * other, and in no other place of any form. Every form with a body has one of each kind: bodies may open
 * with definitions.
 */

import { expect, test } from "vitest";
import type { Core } from "../../src/syntax/core.js";
import { expand } from "../../src/syntax/expand.js";
import { read } from "../../src/syntax/read.js";
import { Random } from "../fuzz/random.js";
import { partsOf } from "./invariants.js";

const { SEED } = process.env;
const seed = SEED === undefined ? Math.floor(Math.random() * 2 ** 32) : Number(SEED);

/** Forms around a body that stands in the loop. */
const AROUND_BODY = [
  "(let () #)",
  "(let ((y 1)) #)",
  "(let* () #)",
  "(let* ((y 1) (z y)) #)",
  "(letrec () #)",
  "(letrec ((f (lambda (a) a))) #)",
  "(letrec* ((f (lambda (a) a))) #)",
] as const;

/** Forms around a body that a procedure runs. */
const AROUND_PROCEDURE = [
  "(lambda () #)",
  "(lambda rest #)",
  "(let go () #)",
  "(let go ((y 1)) #)",
  "(let () (define (g a) #) g)",
  "(let ((y 1)) (define (g . rest) #) (g y))",
] as const;

const LAST_OF_BODY = [
  "#",
  "2 #",
  "(define n 5) #",
  "(define n 5) 2 #",
  "(define (n a) a) (define m 1) #",
  "(define (n a) a) (begin 2 #)",
  "(begin (define n 5)) #",
  "(begin (define n 5) 2 #)",
  "(begin) #",
] as const;

const EARLIER_IN_BODY = [
  "# 2",
  "(begin #) 2",
  "(define n #) n",
  "(define n 5) (define m #) m",
  "(begin (define n #)) n",
  "(define n 5) # n",
  "(define n 5) (begin # n)",
  "(begin (define n 5) #) n",
] as const;

const inEach = (forms: readonly string[], bodies: readonly string[]): string[] =>
  forms.flatMap((form) => bodies.map((body) => form.replace("#", body)));

/** The last place of forms that do something before it. */
const AFTER = (first: string): string[] => [
  `(begin ${first} #)`,
  `(let ((y ${first})) #)`,
  `(if ${first} # 1)`,
  `(cond (${first} #))`,
];

/** Places that are the last thing their form does. */
const LAST = [
  "#",
  "(if x # 1)",
  "(if x 1 #)",
  "(begin #)",
  "(begin 1 2 #)",
  "(cond (x 1 #) (else 2))",
  "(cond (x 1) (else 2 #))",
  "(cond (x) (else #))",
  "(cond (x => vsum) (else #))",
  "(case x ((1) 2 #) (else 3))",
  "(case x ((1) 2) (else 3 #))",
  "(case x ((1) => vsum) ((2) 3 #))",
  "(and 1 #)",
  "(or 1 #)",
  "(when x 1 #)",
  "(unless x 1 #)",
  // A procedure has no loop of its own, and gives the one around it back.
  ...["(lambda () 1)", "(lambda rest 1)", "(lambda (y) y)"].flatMap(AFTER),
  ...["(let go () 1)", "(let go ((y 1)) y)", "(loop () 1)", "(loop ((y 1)) y)"].flatMap(AFTER),
  ...inEach(AROUND_BODY, LAST_OF_BODY),
];

/** Places after which their form goes on. */
const EARLIER = [
  "(if # 1 2)",
  "(begin # 1)",
  "(begin 1 # 2)",
  "(let ((y #)) y)",
  "(let ((y 1) (z #)) y)",
  "(let* ((y #)) y)",
  "(let* ((y 1) (z #)) z)",
  "(letrec ((y #)) y)",
  "(letrec* ((y #)) y)",
  "(letrec* ((y 1) (z #)) y)",
  "(let go ((y #)) y)",
  "(loop ((y #)) y)",
  "(cond (# 1) (else 2))",
  "(cond (x # 1) (else 2))",
  "(cond (x 1) (# 2) (else 3))",
  "(cond (#) (else 2))",
  "(cond (x => #) (else 2))",
  "(cond (# => vsum) (else 2))",
  "(cond (x 1) (else # 2))",
  "(case # ((1) 2) (else 3))",
  "(case x ((1) # 2) (else 3))",
  "(case x ((1) 2) (else # 3))",
  "(case x ((1) => #) (else 2))",
  "(case x ((1) 2) (else => #))",
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
  "[1 #]",
  ...inEach(AROUND_BODY, EARLIER_IN_BODY),
];

/** Bodies that recur never reaches: they belong to a procedure. */
const INSIDE = inEach(AROUND_PROCEDURE, [...LAST_OF_BODY, ...EARLIER_IN_BODY]);

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

/** Bodies of a loop of their own, to which a recur in them belongs. */
const OWN = inEach(["(loop ((y 1)) #)"], [...LAST_OF_BODY, ...EARLIER_IN_BODY]);

/** What core forms say of a place: whether anything of its loop is left to do behind it. */
function judged(source: string): string {
  const { nodes } = expand(read(source));
  const around = new Map(nodes.flatMap((node) => partsOf(node).map((part) => [part, node])));
  const isMark = (node: Core) => node.kind === "const" && node.value.kind === "symbol";
  let isLast = true;
  let inner = nodes.find(isMark) as Core;
  for (let node = around.get(inner); node !== undefined; node = around.get(inner)) {
    const parts = partsOf(node);
    if (node.kind === "lambda") return "recur stands outside a loop";
    if (node.kind === "loop" && node.body === inner) {
      if (source.startsWith("(do ", node.span.start)) return "recur cannot continue a do";
      return isLast ? "accepted" : "recur is not in tail position of its loop";
    }
    const isEnd = inner === parts.at(-1) || (node.kind === "if" && inner !== node.test);
    if (!isEnd || node.kind === "call" || node.kind === "recur") isLast = false;
    inner = node;
  }
  return "recur stands outside a loop";
}

test(`recur may stand where core forms leave nothing to do, four forms deep, SEED=${seed}`, () => {
  // A recur around another is itself refused in most places.
  const all = [...LAST, ...EARLIER, ...INSIDE, ...OWN].filter((one) => one !== "(recur #)");
  const random = new Random(seed, 0);
  const seen = new Map<string, number>();
  for (let turn = 0; turn < 6000; turn++) {
    let place = "(loop ((x 1)) #)";
    // Mostly last places: a single earlier one decides.
    for (let depth = random.between(1, 4); depth > 0; depth--)
      place = place.replace("#", random.pick(random.chance(0.6) ? LAST : all));
    const expected = judged(place.replace("#", "'here"));
    expect(expanded(place.replace("#", "(recur 2)")), place).toBe(expected);
    seen.set(expected, (seen.get(expected) ?? 0) + 1);
  }
  expect(seen.size).toBe(4);
});
