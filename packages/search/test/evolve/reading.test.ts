/** Which programs are trees that can be bred from, case by case: the limits of what `readTree` takes. */

import { describe, expect, test } from "vitest";
import { readTree, writeTree } from "../../src/evolve/text.js";

const names = { inputs: new Set(["x", "tan"]) };
const read = (source: string) => {
  const tree = readTree(source, names);
  return tree && writeTree(tree, names).source;
};
const nested = (depth: number) => `${"(sin ".repeat(depth)}x${")".repeat(depth)}`;
const loop = (turns: string) =>
  `(loop ((s0 x) (k0 0)) (if (= k0 ${turns}) s0 (recur (cos s0) (+ k0 1))))`;

describe("a program", () => {
  test.each([
    nested(200),
    loop("0"),
    loop("1000"),
    "(let ((u0 x)) (let ((u1 (sin u0))) (* u0 u1)))",
    "(loop ((s0 x) (s1 1) (k0 0)) (if (= k0 3) s1 (recur (+ s0 k0) (* s0 s1) (+ k0 1))))",
    "(if (<= x 1) tan (- x))",
    "(+ p0 (* p1 x))",
  ])("is a tree: %s", (source) => {
    expect(read(source)).toBe(source);
  });

  test.each([
    nested(201),
    loop("-1"),
    loop("1001"),
    loop("2.5"),
    loop("x"),
    // What is called must be a function of the language.
    "(tan x)",
    "(let ((sin x)) (sin 2))",
    "((sin) x)",
    "(sin x 1)",
    "(sin)",
    "(expt x 2 3)",
    "(f x)",
    // Tests stand in branches alone, between two numbers.
    "(< x 1)",
    "(+ 1 (< x 1))",
    "(if (< x 1) 2)",
    "(if (< x 1 2) 3 4)",
    "(if (= x 1) 3 4)",
    "(if (< x) 3 4)",
    "(if (< x 1) 2 3 4)",
    // Lists that do not end, and no program or two.
    "(+ x . 1)",
    "(if (< x 1 . 2) 3 4)",
    "",
    "x x",
    '"x"',
    "#t",
    "()",
    // Bindings.
    "(let () x)",
    "(let ((u x)) u u)",
    "(let ((u x 1)) u)",
    "(let ((1 x)) x)",
    "(let (u) x)",
    // Loops that do not count from 0 by 1 to a number.
    "(loop ((k 0)) (if (= k 3) x (recur (+ k 1))))",
    "(loop ((s x) (k 1)) (if (= k 3) s (recur (cos s) (+ k 1))))",
    "(loop ((s x) (k x)) (if (= k 3) s (recur (cos s) (+ k 1))))",
    "(loop ((s x) (k 0)) (if (= s 3) s (recur (cos s) (+ k 1))))",
    "(loop ((s x) (k 0)) (if (= k 3) s (recur (cos s) (+ s 1))))",
    "(loop ((s x) (k 0)) (if (= k 3) s (recur (cos s) (+ k 2))))",
    "(loop ((s x) (k 0)) (if (= k 3) s (recur (cos s) (- k 1))))",
    "(loop ((s x) (k 0)) (if (= k 3) s (recur (cos s) (+ k x))))",
    "(loop ((s x) (k 0)) (if (= k 3) s (recur (+ k 1))))",
    "(loop ((s x) (k 0)) (if (= k 3) s (sin (cos s) (+ k 1))))",
    "(loop ((s x) (k 0)) (if (< k 3) s (recur (cos s) (+ k 1))))",
    "(loop ((s x) (k 0)) s)",
    "(loop ((s x) (k 0)) (if (= k 3) s (recur (cos s) (+ k 1))) x)",
  ])("is none: %s", (source) => {
    expect(read(source)).toBeUndefined();
  });

  test.each([
    ["(- x)", "(- x)"],
    ["(/ x)", "(/ 1 x)"],
    ["(+ x)", "x"],
    ["(* x)", "x"],
    ["(- x 1 2)", "(- (- x 1) 2)"],
    ["(+ x 1 2)", "(+ x 1 2)"],
    ["(+ x (+ 1 2))", "(+ x 1 2)"],
    ["(- x (- 1 2))", "(- x (- 1 2))"],
    ["(min x 1 2)", "(min (min x 1) 2)"],
    // The bindings of one let do not see each other.
    ["(let ((u x) (v 2)) (* u v))", "(let ((u0 x)) (let ((u1 2)) (* u0 u1)))"],
    ["(let ((x 2)) (let ((x (+ x 1))) x))", "(let ((u0 2)) (let ((u1 (+ u0 1))) u1))"],
    ["(let ((u 2)) (+ (let ((u 3)) u) u))", "(let ((u0 2)) (+ (let ((u1 3)) u1) u0))"],
  ])("%s is %s", (source, wanted) => {
    expect(read(source)).toBe(wanted);
  });
});
