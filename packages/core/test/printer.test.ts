import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Machine } from "../src/index.js";
import type { Datum } from "../src/syntax/datum.js";
import { expand } from "../src/syntax/expand.js";
import { print } from "../src/syntax/print.js";
import { printCore } from "../src/syntax/print-core.js";
import { read } from "../src/syntax/read.js";

const span = { start: 0, end: 0 };

/** A datum without its spans. */
function bare(datum: Datum): unknown {
  if (datum.kind === "list") {
    const { items, tail } = datum;
    return { kind: "list", items: items.map(bare), tail: tail && bare(tail) };
  }
  if (datum.kind === "bracket") return { kind: "bracket", items: datum.items.map(bare) };
  const { span: _, ...rest } = datum;
  return rest;
}

const readBack = (datum: Datum) => read(print(datum)).map(bare);

const numbers: fc.Arbitrary<Datum> = fc.oneof(
  fc.double().map((value) => ({ kind: "number" as const, value, exact: false, span })),
  fc.maxSafeInteger().map((value) => ({ kind: "number" as const, value, exact: true, span })),
);
const symbols: fc.Arbitrary<Datum> = fc
  .oneof(
    fc.constantFrom(
      "quote",
      "unquote",
      "unquote-splicing",
      "@",
      ".",
      "...",
      "",
      "+",
      "1+",
      "|",
      "\\",
    ),
    fc.string({ unit: "grapheme" }),
    fc.string({ unit: "binary" }),
  )
  .map((name) => ({ kind: "symbol", name, span }));
const booleans: fc.Arbitrary<Datum> = fc
  .boolean()
  .map((value) => ({ kind: "boolean", value, span }));

const { datum: datums } = fc.letrec<{ datum: Datum; atom: Datum }>((tie) => ({
  atom: fc.oneof(numbers, symbols, booleans),
  datum: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    tie("atom"),
    fc
      .array(tie("datum"), { maxLength: 4 })
      .map((items) => ({ kind: "list" as const, items, span })),
    fc
      .tuple(fc.array(tie("datum"), { minLength: 1, maxLength: 3 }), tie("atom"))
      .map(([items, tail]) => ({ kind: "list" as const, items, tail, span })),
    fc
      .array(tie("datum"), { maxLength: 4 })
      .map((items) => ({ kind: "bracket" as const, items, span })),
  ),
}));

describe("print", () => {
  test("a whole number above 2⁵³ had a point in a list and none alone", async () => {
    const machine = await Machine.create();
    const print = (source: string) =>
      machine
        .load(source)
        .evaluate({ x: 2 ** 53 })
        .print();
    expect([print("(list x)"), print("x"), print("[x]")]).toEqual([
      "(9007199254740992)",
      "9007199254740992",
      "[9007199254740992]",
    ]);
    expect([print("(list (* x 1e6))"), print("(list (* -1 0. x))")]).toEqual([
      "(9.007199254740992e+21)",
      "(-0.0)",
    ]);
    machine.dispose();
  });

  test("a symbol that looks like the mark of a procedure was printed as one", async () => {
    const machine = await Machine.create();
    const text = "(|\\x0;procedure car| #<procedure car> #<procedure |f\\>)";
    const source = "(define (|\\|f\\\\| x) x) (list '|\\x0;procedure car| car |\\|f\\\\|)";
    expect(machine.load(source).evaluate().print()).toBe(text);
    machine.dispose();
  });

  test("what is printed reads back as the same datum", () => {
    fc.assert(
      fc.property(datums, (datum) => {
        expect(readBack(datum)).toEqual([bare(datum)]);
      }),
      { numRuns: 1000, verbose: 1 },
    );
  });

  test.each([
    [0, true, "0"],
    [-3, true, "-3"],
    [3, false, "3.0"],
    [-0, false, "-0.0"],
    [0.1, false, "0.1"],
    [1e21, true, "1000000000000000000000"],
    [1e21, false, "1e+21"],
    [Number.MAX_VALUE, false, "1.7976931348623157e+308"],
    [5e-324, false, "5e-324"],
    [Infinity, false, "+inf.0"],
    [-Infinity, false, "-inf.0"],
    [NaN, false, "+nan.0"],
  ])("the number %d (exact: %s) prints as %s", (value, exact, text) => {
    const datum: Datum = { kind: "number", value, exact, span };
    expect(print(datum)).toBe(text);
    expect(readBack(datum)).toEqual([bare(datum)]);
  });

  test("a datum nested 100,000 deep prints", () => {
    const source = `${"(a ".repeat(100_000)}x${")".repeat(100_000)}`;
    expect(print(read(source)[0] as Datum)).toBe(source);
    const quoted = `${"'".repeat(100_000)}x`;
    expect(print(read(quoted)[0] as Datum)).toBe(quoted);
  });
});

const listing = (source: string) => printCore(expand(read(source)));

describe("printCore", () => {
  test("lists core forms, each name told apart", () => {
    expect(listing("(define (f x) (let ((x (* x 2))) (or x y))) (f 'a)")).toMatchInlineSnapshot(`
      "(define f
        (lambda (x) (let ((x.2 (* x 2))) (let ((or-test x.2)) (if or-test or-test y)))))
      (f 'a)"
    `);
  });

  test("breaks long forms over lines", () => {
    const source = `
      (define (step state gain) (if (< state 0) (recur-free state) (* gain (- state 1))))
      (define (recur-free s) (case s ((1 2) 'low) (else (list s '(1 . 2) #t -0.0))))
      (loop ((x x0) (k 0)) (if (= k 16) x (recur (step x (exp (* rate (+ k 1)))) (+ k 1))))`;
    expect(listing(source)).toMatchInlineSnapshot(`
      "(define step
        (lambda (state gain) (if (< state 0) (recur-free state) (* gain (- state 1)))))
      (define recur-free
        (lambda (s)
          (let ((case-key s))
            (if (if (eqv? case-key 1) #t (eqv? case-key 2))
              'low
              (list s '(1 . 2) #t -0.0)))))
      (loop ((x x0)
             (k 0))
        (if (= k 16) x (recur (step x (exp (* rate (+ k 1)))) (+ k 1))))"
    `);
  });

  test("variables named like primitives, inputs or suffixed names stay apart", () => {
    expect(listing("(lambda (list x x.2) (lambda (x) (vec list x y [x])))")).toMatchInlineSnapshot(
      `"(lambda (list x x.2) (lambda (x.3) (vec list x.3 y (vec x.3))))"`,
    );
    expect(listing("(let ((y y)) (lambda args (when y)))")).toMatchInlineSnapshot(
      `"(let ((y.2 y)) (lambda args (if y.2 (unspecified) (unspecified))))"`,
    );
  });

  test("a program nested 100,000 deep has a listing of linear size", () => {
    const source = `${"(+ 1 ".repeat(100_000)}x${")".repeat(100_000)}`;
    expect(listing(source).length).toBeLessThan(100 * 100_000);
  });

  test("a call of 200,000 operands prints", () => {
    expect(listing(`(+ ${"1 ".repeat(200_000)})`)).toContain("(+");
  });
});
