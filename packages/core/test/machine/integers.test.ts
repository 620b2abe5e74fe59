/**
 * Integers are a representation, never a type: whatever a program computes, it gets the bits that
 * reals would give, signs of zero included, below and beyond the range of integers.
 */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { int, type Machine, type Precision } from "../../src/index.js";
import { bitsOf, machinesOf, numberFrom, precisions } from "./support.js";

let machines: Readonly<Record<Precision, Machine>>;
beforeAll(async () => {
  machines = await machinesOf();
});
afterAll(() => {
  machines.f32.dispose();
  machines.f64.dispose();
});

const unary = "- abs square floor ceiling round truncate exact inexact sqrt exp".split(" ");
const binary = "+ - * / min max expt quotient remainder modulo gcd lcm = < > <= >=".split(" ");
const limit = { f32: 2 ** 24, f64: 2 ** 31 - 1 } as const;

describe.each(precisions)("in %s", (precision) => {
  const integers = [0, 1, -1, 2, -2, 3, -3, 7, -12, 64, 1000, limit[precision], -limit[precision]];

  test.each(unary)("(%s n) is the same for integers and reals", (op) => {
    const machine = machines[precision];
    const program = machine.load(`(${op} x)`);
    for (const x of integers) {
      const real = bitsOf(program.evaluate({ x }).values);
      expect(bitsOf(machine.load(`(${op} ${x})`).evaluate().values), `(${op} ${x})`).toEqual(real);
      if (Math.abs(x) <= 2 ** 24)
        expect(bitsOf(program.evaluate({ x: int(x) }).values), `int ${x}`).toEqual(real);
    }
    program.dispose();
  });

  test.each(binary)("(%s m n) is the same for integers and reals", (op) => {
    const machine = machines[precision];
    const program = machine.load(`(${op} x y)`);
    for (const x of integers) {
      for (const y of integers) {
        const real = program.evaluate({ x, y });
        const literal = machine.load(`(${op} ${x} ${y})`);
        const exact = literal.evaluate();
        literal.dispose();
        const what = `(${op} ${x} ${y})`;
        if (real.shape === undefined) expect(exact.datum(), what).toBe(real.datum());
        else expect(bitsOf(exact.values), what).toEqual(bitsOf(real.values));
      }
    }
    program.dispose();
  });

  test.each([
    ["(- 0)", -0],
    ["(* 0 -1)", -0],
    ["(* -3 0)", -0],
    ["(* -1 (- 5 5))", -0],
    ["(/ 0 -5)", -0],
    ["(/ -0.0 5)", -0],
    ["(- 0 0)", 0],
    ["(+ (- 0) 0)", 0],
    ["(+ (- 0) (- 0))", -0],
    ["(abs (- 0))", 0],
    ["(/ 1 (- 0))", Number.NEGATIVE_INFINITY],
    ["(/ -1 (* 0 -1))", Number.POSITIVE_INFINITY],
    ["(truncate -0.5)", -0],
    ["(round -0.4)", -0],
    ["(- n)", -0],
    ["(* n -1)", -0],
  ])("%s keeps the sign of zero", (source, expected) => {
    const program = machines[precision].load(source);
    const inputs = program.inputs.length === 0 ? {} : { n: int(0) };
    expect(bitsOf(program.evaluate(inputs).values)).toEqual(bitsOf([expected]));
    const real = program.inputs.length === 0 ? {} : { n: 0 };
    expect(bitsOf(program.evaluate(real).values)).toEqual(bitsOf([expected]));
  });

  test("integers that leave their range go on as reals", () => {
    const machine = machines[precision];
    const rounded = precision === "f32" ? Math.fround : (x: number): number => x;
    const most = limit[precision];
    expect(numberFrom(machine, `(+ ${most} 1)`)).toBe(rounded(most + 1));
    expect(numberFrom(machine, `(+ ${most} 3)`)).toBe(rounded(most + 3));
    expect(numberFrom(machine, `(- (- ${most}) 2)`)).toBe(rounded(-most - 2));
    expect(numberFrom(machine, `(* ${most} ${most})`)).toBe(rounded(most * most));
    expect(numberFrom(machine, "(square 70000)")).toBe(rounded(4.9e9));
    expect(numberFrom(machine, "(expt 2 62)")).toBe(2 ** 62);
    expect(numberFrom(machine, "(expt 10 20)")).toBe(rounded(1e20));
    const factorial = "(define (f n) (if (= n 0) 1 (* n (f (- n 1))))) (f 20)";
    expect(numberFrom(machine, factorial)).toBeCloseTo(2432902008176640000, -13);
    const up = `(loop ((i 0) (n ${most - 3})) (if (= i 3) n (recur (+ i 1) (+ n 1))))`;
    expect(numberFrom(machine, up)).toBe(most);
  });

  test("a literal beyond the range is the real it rounds to", () => {
    const rounded = precision === "f32" ? Math.fround : (x: number): number => x;
    for (const n of [2 ** 24 + 1, 2 ** 31 - 1, 2 ** 31, 2 ** 53 - 1, -(2 ** 31)])
      expect(numberFrom(machines[precision], `${n}`)).toBe(rounded(n));
  });

  test("comparisons and equality are by value", () => {
    const source = `(list (= 2 x) (eqv? 2 x) (equal? '(1 2) (list 1 x)) (eq? 2 x)
      (memv 2 (list 1 x)) (assv x '((1 a) (2 b))) (case x ((1) 'one) ((2) 'two) (else 'other)))`;
    const result = machines[precision].load(source).evaluate({ x: 2 });
    expect(result.print()).toBe("(#t #t #t #t (2) (2 b) two)");
  });

  test("gradients do not see the representation", () => {
    const machine = machines[precision];
    const literal = machine.load("(+ (* 3 x) (/ x 4) (expt x 3) (- 7 x))").gradient({ x: [2, -5] });
    const reals = machine
      .load("(+ (* a x) (/ x b) (expt x c) (- d x))")
      .gradient({ x: [2, -5], a: 3, b: 4, c: 3, d: 7 }, { wrt: ["x"] });
    expect(bitsOf(literal.values)).toEqual(bitsOf(reals.values));
    expect(bitsOf(literal.gradients["x"] ?? [])).toEqual(bitsOf(reals.gradients["x"] ?? []));
  });

  test("integer exponents multiply", () => {
    const machine = machines[precision];
    const rounded = precision === "f32" ? Math.fround : (x: number): number => x;
    for (const x of [1.1, -0.7, 3]) {
      const at = rounded(x);
      expect(numberFrom(machine, "(expt x 2)", { x })).toBe(rounded(at * at));
      expect(numberFrom(machine, "(expt x 1)", { x })).toBe(at);
      expect(numberFrom(machine, "(expt x 0)", { x })).toBe(1);
      expect(numberFrom(machine, "(- (expt x 3) (* x x x))", { x })).toBe(0);
      expect(numberFrom(machine, "(- (expt x -1) (/ 1 x))", { x })).toBe(0);
    }
    expect(numberFrom(machine, "(expt -2.0 3)")).toBe(-8);
    expect(numberFrom(machine, "(expt -2.0 0.5)")).toBeNaN();
    expect(numberFrom(machine, "(expt 0 0)")).toBe(1);
    expect(numberFrom(machine, "(expt 0.0 -1)")).toBe(Number.POSITIVE_INFINITY);
    expect(numberFrom(machine, "(expt 2 -1)")).toBe(0.5);
    expect(numberFrom(machine, "(expt 2 0.5)")).toBeCloseTo(Math.SQRT2, 6);
  });

  test("division is exact where it can be and real otherwise", () => {
    const machine = machines[precision];
    expect(machine.load("(list (/ 6 3) (/ 1 2) (/ 4) (/ -7 2))").evaluate().print()).toBe(
      "(2 0.5 0.25 -3.5)",
    );
    const signs =
      "(list (modulo 7 -2) (modulo -7 2) (remainder -7 2) (remainder 7 -2) (quotient -7 2))";
    expect(machine.load(signs).evaluate().print()).toBe("(-1 1 -1 1 -3)");
    expect(numberFrom(machine, "(modulo 7 0)")).toBeNaN();
    expect(numberFrom(machine, "(quotient 7 0)")).not.toBeLessThan(Number.POSITIVE_INFINITY);
  });
});
