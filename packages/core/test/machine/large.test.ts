/**
 * What is large or not finite is no error: long programs, deep recursion, long lists, nested
 * results, NaN and infinite inputs.
 */

import { beforeAll, describe, expect, test } from "vitest";
import { type Datum, Machine, print, read } from "../../src/index.js";
import { expectUsable } from "./support.js";

const DEEP = 100_000;

let machine: Machine;
beforeAll(async () => {
  machine = await Machine.create();
});

describe("size", () => {
  test("a program of one megabyte", () => {
    const definitions = Array.from({ length: 20_000 }, (_, i) => `(define v${i} (+ x ${i}.25))`);
    const body = `(+ ${definitions.map((_, i) => `v${i}`).join(" ")})`;
    const source = `; ${"filler ".repeat(50_000)}\n${definitions.join("\n")}\n${body}`;
    expect(source.length).toBeGreaterThan(1e6);
    const program = machine.load(source);
    const { values, gradients } = program.gradient({ x: 1 });
    expect(values[0]).toBe(20_000 * 1.25 + (20_000 * 19_999) / 2);
    expect(gradients["x"]?.[0]).toBe(20_000);
    program.dispose();
    expectUsable(machine);
  });

  test("recursion 10⁵ deep, with and without a tape", () => {
    const program = machine.load(
      "(define (sum n) (if (= n 0) 0 (+ x (sum (- n 1))))) (sum 100000)",
    );
    expect(program.evaluate({ x: 0.5 }).values[0]).toBe(50_000);
    const { gradients } = program.gradient({ x: [0.5, 2] });
    expect([...(gradients["x"] ?? [])]).toEqual([100_000, 100_000]);
    program.dispose();
  });

  test("mutual and higher-order recursion 10⁵ deep", () => {
    const source = `(define (even n) (if (= n 0) #t (not (odd n))))
      (define (odd n) (not (even (- n 1))))
      (define (build n) (if (= n 0) '() (cons n (build (- n 1)))))
      (list (even 100000) (fold-right + 0 (build 100000)) (length (map square (build 100000))))`;
    expect(machine.load(source).evaluate().print()).toBe("(#t 5000050000 100000)");
  });

  const names = Array.from({ length: 10_000 }, (_, i) => `v${i}`);
  const bindings = names.map((v, i) => `(${v} ${i})`).join(" ");
  const all = names.join(" ");
  const sum = (9999 * 10_000) / 2;

  test.each([
    [
      "parameters",
      `((lambda (${names.join(" ")}) (+ v0 v9999)) ${names.map((_, i) => i).join(" ")})`,
      9999,
    ],
    ["bindings", `(let (${bindings}) (+ ${all}))`, sum],
    ["bindings in sight of each other", `(letrec (${bindings}) (+ ${all}))`, sum],
    [
      "variables of a loop",
      `(loop (${bindings} (k 0)) (if (= k 1) (+ ${all}) (recur ${all} (+ k 1))))`,
      sum,
    ],
    [
      "variables of a looped procedure",
      `(let f (${bindings} (k 0)) (if (= k 1) (+ ${all}) (f ${all} (+ k 1))))`,
      sum,
    ],
    ["captured variables", `(let (${bindings}) ((lambda () (+ ${all}))))`, sum],
    [
      "definitions that call each other",
      `${names.map((v, i) => `(define (${v} x) ${i === 0 ? "x" : `(+ 1 (v${i - 1} x))`})`).join("\n")}
       (v9999 0)`,
      9999,
    ],
    ["elements", `(vsum [${names.map((_, i) => i).join(" ")}])`, sum],
  ])("10⁴ %s", (_, source, expected) => {
    const program = machine.load(source);
    expect(program.evaluate().values[0]).toBe(expected);
    program.dispose();
  });

  test("10⁴ inputs with their gradients", () => {
    const program = machine.load(`(+ ${names.map((v) => `(* 2 ${v})`).join(" ")})`);
    const { values, gradients } = program.gradient(Object.fromEntries(names.map((v, i) => [v, i])));
    expect(values[0]).toBe(2 * sum);
    expect(names.every((name) => gradients[name]?.[0] === 2)).toBe(true);
    program.dispose();
  });

  test("a list of 10⁶ elements comes back", () => {
    const source = `(define (build n items) (if (= n 0) items (build (- n 1) (cons n items))))
      (build 1000000 '())`;
    const result = machine.load(source).evaluate();
    const items = result.datum() as readonly number[];
    expect(items.length).toBe(1_000_000);
    expect([items[0], items[999_999]]).toEqual([1, 1_000_000]);
  });

  test("a procedure applied to 10⁶ arguments", () => {
    const source = `(define (build n items) (if (= n 0) items (build (- n 1) (cons x items))))
      (apply + (build 1000000 '()))`;
    expect(machine.load(source).evaluate({ x: 0.5 }).values[0]).toBe(500_000);
  });

  test("a result nested 10⁵ deep is printed and read back", () => {
    const source = "(loop ((i 0) (x '(a 1.5))) (if (= i 100000) x (recur (+ i 1) (list i x))))";
    const result = machine.load(source).evaluate();
    const text = result.print();
    const [datum] = read(text) as [Datum];
    expect(print(datum)).toBe(text);
    expect(machine.load(`'${text}`).evaluate().print()).toBe(text);
    let depth = 0;
    let value = result.datum() as readonly unknown[];
    while (Array.isArray(value[1])) {
      depth += 1;
      value = value[1];
    }
    expect(depth).toBe(DEEP);
    expect(value).toEqual(["a", 1.5]);
  });

  test("structure that is shared many times over is copied once", () => {
    const source = "(loop ((i 0) (x '(1))) (if (= i 60) (length x) (recur (+ i 1) (cons x x))))";
    expect(machine.load(source).evaluate().values[0]).toBe(61);
  });
});

describe("numbers that are not finite", () => {
  test("NaN and infinite inputs are reported where they reach the result", () => {
    const program = machine.load("(* a (+ b 1))");
    const inputs = { a: [1, Number.NaN, Number.POSITIVE_INFINITY, -2], b: 3 };
    const { values, nonFinite, failures } = program.evaluate(inputs);
    expect([...values]).toEqual([4, Number.NaN, Number.POSITIVE_INFINITY, -8]);
    expect(failures).toEqual([]);
    expect(nonFinite).toEqual([
      {
        lane: 1,
        value: Number.NaN,
        span: undefined,
        cause: "input a is not finite",
        message: "lane 1 is NaN: input a is not finite",
      },
      {
        lane: 2,
        value: Number.POSITIVE_INFINITY,
        span: undefined,
        cause: "input a is not finite",
        message: "lane 2 is Infinity: input a is not finite",
      },
    ]);
    program.dispose();
  });

  test("the first expression that made a lane so is named", () => {
    const source = "(+ 1 (* 2 (log (- x 3))))";
    const { nonFinite } = machine.load(source).evaluate({ x: [4, 3, 1] });
    expect(nonFinite.map(({ lane, value, message }) => [lane, value, message])).toEqual([
      [1, Number.NEGATIVE_INFINITY, "lane 1 is -Infinity: first made so by (log (- x 3))"],
      [2, Number.NaN, "lane 2 is NaN: first made so by (log (- x 3))"],
    ]);
    const spans = nonFinite.map(({ span }) => source.slice(span?.start, span?.end));
    expect(spans).toEqual(["(log (- x 3))", "(log (- x 3))"]);
  });

  test("division by zero is infinite and reported", () => {
    const { values, nonFinite } = machine.load("(/ 1 0)").evaluate();
    expect(values[0]).toBe(Number.POSITIVE_INFINITY);
    expect(nonFinite[0]?.message).toBe("lane 0 is Infinity: first made so by (/ 1 0)");
  });

  test("what does not reach the result is not blamed", () => {
    const unused = machine.load("(let ((u (/ 1 a))) (log b))").evaluate({ a: 0, b: -1 });
    expect(unused.nonFinite[0]?.message).toBe("lane 0 is NaN: first made so by (log b)");
    const limit = machine
      .load("(if (< x limit) (log x) 0)")
      .evaluate({ x: -1, limit: Number.POSITIVE_INFINITY });
    expect(limit.nonFinite[0]?.message).toBe("lane 0 is NaN: first made so by (log x)");
  });

  test("what is caught on the way is not reported", () => {
    const program = machine.load("(if (nan? x) 0 (min x 5))");
    expect(program.evaluate({ x: Number.NaN }).nonFinite).toEqual([]);
    const capped = program.evaluate({ x: Number.POSITIVE_INFINITY });
    expect(capped.values[0]).toBe(5);
    expect(capped.nonFinite).toEqual([]);
  });

  test("a lane that is not finite touches no other lane, in value or gradient", () => {
    const program = machine.load("(vsum (* (inv (mat [a b] [b c])) (mat [1 2] [3 4])))");
    const a = [2, 1, Number.NaN, 5, Number.POSITIVE_INFINITY];
    const many = program.gradient({ a, b: 1, c: 1 });
    a.forEach((value, lane) => {
      const one = program.gradient({ a: value, b: 1, c: 1 });
      expect(many.values[lane]).toBe(one.values[0]);
      for (const name of ["a", "b", "c"])
        expect(many.gradients[name]?.[lane]).toBe(one.gradients[name]?.[0]);
    });
    expect(many.nonFinite.map(({ lane }) => lane)).toContain(1);
    expect(many.nonFinite.map(({ lane }) => lane)).not.toContain(0);
  });

  test("a vector is reported once per lane", () => {
    const { nonFinite } = machine.load("(/ [1 -1 0] x)").evaluate({ x: [1, 0] });
    expect(nonFinite.map(({ lane }) => lane)).toEqual([1]);
  });
});
