/**
 * What the text of a program shows, worked out a second time from how the text was made: its complexity,
 * one skeleton whatever its variables are called, another one for every other constant, and whether it
 * never gives a value, through every binding and in every place.
 */

import { expand, read } from "@ndvm/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { complexityOf } from "../src/complexity.js";
import { endlessnessOf } from "../src/endless.js";
import { skeletonOf } from "../src/skeleton.js";

const seed = Number(process.env["SEED"] ?? 20261118);
const inputs = ["x", "y"];

/** A text in a scope of names, and its complexity. `fresh` makes up a name. */
type Made = readonly [text: string, count: number];
type Maker = (scope: readonly string[], fresh: () => string) => Made;

const joined = (parts: readonly Made[]): Made => [
  parts.map(([text]) => text).join(" "),
  parts.reduce((sum, [, count]) => sum + count, 0),
];
const atom = (text: string): Maker => {
  return () => [text, 1];
};

/** Quoted data, with dots: an atom counts 1, and all of it 1 at least. */
const datum: fc.Arbitrary<Made> = fc.letrec<{ datum: Made }>((tie) => {
  const items = (minLength: number) =>
    fc.array(tie("datum"), { minLength, maxLength: 3 }).map(joined);
  return {
    datum: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom("1", "-0.5", "a", "#t").map((text): Made => [text, 1]),
      items(0).map(([text, count]): Made => [`(${text})`, count]),
      fc
        .tuple(items(1), tie("datum"))
        .map(([[text, count], [tail, more]]): Made => [`(${text} . ${tail})`, count + more]),
    ),
  };
}).datum;

const { maker } = fc.letrec<{ maker: Maker }>((tie) => {
  const some = (minLength: number, maxLength: number) =>
    fc.array(tie("maker"), { minLength, maxLength });
  const call = (name: string, own: (count: number) => number) => (args: readonly Maker[]) => {
    return ((scope, fresh) => {
      const [text, count] = joined(args.map((make) => make(scope, fresh)));
      return [`(${name} ${text})`, own(args.length) + count];
    }) satisfies Maker;
  };
  const folding = fc
    .tuple(fc.constantFrom("+", "*", "min", "max", "-", "/", "="), some(2, 4))
    .map(([name, args]) => call(name, (count) => count - 1)(args));
  const bound: Maker = (scope) => [scope.at(-1) ?? "x", 1];
  const outer = fc.nat(7).map(
    (at): Maker =>
      (scope) => [scope[at % Math.max(1, scope.length)] ?? "y", 1],
  );
  return {
    maker: fc.oneof(
      { maxDepth: 4, depthSize: "small" },
      fc.constantFrom("x", "y", "p", "q", "2", "-0.0", "#f").map(atom),
      fc.constant(bound),
      outer,
      datum.map(
        ([text, count]): Maker =>
          () => [`'${text}`, Math.max(1, count)],
      ),
      folding,
      some(1, 1).map(call("sin", () => 1)),
      some(0, 3).map(call("list", () => 1)),
      some(3, 3).map(call("if", () => 1)),
      some(1, 3).map(call("begin", () => 0)),
      // let, letrec with a procedure, and a loop of one state.
      fc.tuple(some(1, 3), tie("maker")).map(
        ([inits, body]): Maker =>
          (scope, fresh) => {
            const values = inits.map((make) => make(scope, fresh));
            const names = inits.map(fresh);
            const pairs = values.map(([text], i) => `(${names[i]} ${text})`).join(" ");
            const [text, count] = body([...scope, ...names], fresh);
            return [`(let (${pairs}) ${text})`, 1 + joined(values)[1] + count];
          },
      ),
      fc.tuple(tie("maker"), tie("maker")).map(
        ([init, body]): Maker =>
          (scope, fresh) => {
            const [f, n] = [fresh(), fresh()];
            const [value, count] = init([...scope, f, n], fresh);
            const [text, more] = body([...scope, f], fresh);
            return [`(letrec ((${f} (lambda (${n}) ${value}))) ${text})`, 2 + count + more];
          },
      ),
      some(3, 3).map(
        (parts): Maker =>
          (scope, fresh) => {
            const [start, next, result] = parts as [Maker, Maker, Maker];
            const first = start(scope, fresh);
            const inner = [...scope, fresh()];
            const all = [first, next(inner, fresh), result(inner, fresh)] as const;
            const [[a], [b], [c]] = all;
            const state = inner.at(-1);
            const text = `(loop ((${state} ${a})) (if (< ${state} 9) (recur ${b}) ${c}))`;
            return [text, 6 + joined(all)[1]];
          },
      ),
      // A procedure of some names and of all that is left, called.
      fc.tuple(some(0, 2), some(0, 2), fc.boolean(), tie("maker")).map(
        ([args, rest, hasRest, body]): Maker =>
          (scope, fresh) => {
            const values = [...args, ...(hasRest ? rest : [])].map((make) => make(scope, fresh));
            const names = args.map(fresh);
            const more = hasRest ? [fresh()] : [];
            const [text, count] = body([...scope, ...names, ...more], fresh);
            const formals = hasRest
              ? names.length === 0
                ? more[0]
                : `(${names.join(" ")} . ${more[0]})`
              : `(${names.join(" ")})`;
            const [given, own] = joined(values);
            return [`((lambda ${formals} ${text}) ${given})`, 1 + count + own];
          },
      ),
    ),
  };
});

/** A program: definitions and a body. Names are made up one after the other. */
const program = fc
  .tuple(fc.array(fc.tuple(maker, fc.boolean()), { maxLength: 2 }), maker)
  .map(([defines, body]) => (name: (index: number) => string): Made => {
    let made = 0;
    const fresh = () => name(made++);
    const scope: string[] = [];
    const items: Made[] = [];
    for (const [make, hasRest] of defines) {
      const [f, n, more] = [fresh(), fresh(), fresh()];
      const [text, count] = make([...scope, n, ...(hasRest ? [more] : [])], fresh);
      items.push([`(define (${f} ${n}${hasRest ? ` . ${more}` : ""}) ${text})`, 2 + count]);
      scope.push(f);
    }
    return joined([...items, body(scope, fresh)]);
  });

describe(`programs of every form (SEED=${seed})`, () => {
  test("count an operator, constant, name and form as 1 each, and each atom of quoted data", () => {
    fc.assert(
      fc.property(program, (make) => {
        const [text, count] = make((i) => `w${i}`);
        expect(complexityOf(text, inputs), text).toBe(count);
      }),
      { seed, numRuns: 400 },
    );
  });

  test("have one skeleton whatever their variables are called", () => {
    const forwards = (i: number) => `w${i}`;
    const others = (i: number) => `u${(7 * i + 3) % 97}`;
    fc.assert(
      fc.property(program, (make) => {
        const [text] = make(forwards);
        expect(skeletonOf(make(others)[0], inputs), text).toBe(skeletonOf(text, inputs));
      }),
      { seed, numRuns: 400 },
    );
  });
});

test("two constants have two skeletons, in place and in quoted data, and one however they are spelt", () => {
  const numbers = ["0", "-0.0", "1", "-1", "0.5", "1e300", "1e-300", "2", "12"];
  const data = ["a", "b", "()", "(1)", "(a)", "(1 2)", "(1 . 2)", "(1 (2))", "(() ())"];
  const values = [
    ...numbers,
    ...["#t", "#f"],
    ...data.map((text) => `'${text}`),
    ...numbers.map((text) => `'(${text})`),
    ...numbers.map((text) => `'(a . ${text})`),
  ];
  for (const around of [(text: string) => text, (text: string) => `(list x ${text} y)`]) {
    // '(1) is among the data and among the numbers.
    const skeletons = [...new Set(values)].map((text) => skeletonOf(around(text), inputs));
    expect(skeletons.filter((skeleton, i) => skeletons.indexOf(skeleton) !== i)).toEqual([]);
  }
  for (const [a, b] of [
    ["-0.0", "-0e5"],
    ["0", "0.0"],
    ["1", "1.0"],
    ["0.5", ".5"],
    ["100", "1e2"],
  ] as const)
    expect(skeletonOf(`(/ a ${a})`, inputs), b).toBe(skeletonOf(`(/ a ${b})`, inputs));
});

describe("a procedure that never returns is followed", () => {
  type Binder = (name: string, calls: string, use: string) => string;
  const lambda = (calls: string) => `(lambda (n) (${calls} n))`;
  const binders: Readonly<Record<string, Binder>> = {
    let: (name, calls, use) => `(let ((${name} ${lambda(calls)})) ${use})`,
    "let, first of two": (name, calls, use) => `(let ((${name} ${lambda(calls)}) (o 1)) ${use})`,
    "let, second of two": (name, calls, use) => `(let ((o 1) (${name} ${lambda(calls)})) ${use})`,
    "let*": (name, calls, use) => `(let* ((o 1) (${name} ${lambda(calls)})) ${use})`,
    letrec: (name, calls, use) => `(letrec ((${name} ${lambda(calls)})) ${use})`,
    "letrec, second of two": (name, calls, use) =>
      `(letrec ((o (lambda (n) n)) (${name} ${lambda(calls)})) ${use})`,
    "inner define": (name, calls, use) => `(let () (define (${name} n) (${calls} n)) ${use})`,
  };
  const named = Object.entries(binders);
  const uses = [
    "(h x)",
    "(+ 1 (h x))",
    "(+ (h x) 1)",
    "(if (h x) 1 2)",
    "(if (> x 0) (h x) (h 1))",
    "(if #t (h x) 1)",
    "(if #f 1 (h x))",
    "(begin (h x) 1)",
    "(begin 1 (h x))",
    "(let ((u (h x))) 1)",
    "(let ((u 1)) (h u))",
    "(letrec ((u (h x))) 1)",
    "(loop ((u (h x))) u)",
    "(loop ((u x)) (if (> u 0) (h u) (recur (h u))))",
    "((h x) 1)",
    "((lambda (q) (h q)) x)",
    "(sin (h x))",
  ];
  const harmless = [
    "x",
    "(if (> x 0) (h x) 1)",
    "(if (> x 0) 1 (h x))",
    "(if #f (h x) 1)",
    "(lambda (q) (h q))",
    "(list h)",
    "(let ((h sin)) (h x))",
  ];
  const isEndless = (source: string) =>
    endlessnessOf(expand(read(source), { inputs })) !== undefined;
  const ENDLESS = "(define (f n) (f n))";

  test.each(named)("through %s, on every way to a call", (_, bind) => {
    for (const [, before] of named) {
      const of = (start: string, use: string) =>
        `${start} ${before("g", "f", bind("h", "g", use))}`;
      for (const use of uses) {
        expect(isEndless(of(ENDLESS, use)), of(ENDLESS, use)).toBe(true);
        expect(isEndless(of("(define (f n) n)", use)), use).toBe(false);
      }
      for (const use of harmless) expect(isEndless(of(ENDLESS, use)), of(ENDLESS, use)).toBe(false);
    }
  });

  test("through definitions, also of a name for a lambda and without operands", () => {
    for (const use of uses) {
      const source = `${ENDLESS} (define g ${lambda("f")}) (define (h n) (g n)) ${use}`;
      expect(isEndless(source), source).toBe(true);
    }
    for (const source of [
      "(define (f) (f)) (let ((g (lambda () (f)))) (g))",
      "(define (f) (f)) (define z (f)) x",
      "(letrec ((f (lambda () (g))) (g (lambda () (f)))) (f))",
    ])
      expect(isEndless(source), source).toBe(true);
  });
});
