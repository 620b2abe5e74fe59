/**
 * Skeletons and complexity: what is the same program, and how large it is.
 */

import { Machine, read } from "@ndvm/core";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { complexityOf } from "../../src/complexity.js";
import { Chance } from "../../src/evolve/chance.js";
import { skeletonOf } from "../../src/skeleton.js";
import { closed, loop, expression as looped, values, valuesOf } from "./programs.js";

const { SEED } = process.env;
const seed = SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(SEED);

const same = (a: string, b: string) =>
  expect(skeletonOf(a, ["x", "y"])).toBe(skeletonOf(b, ["x", "y"]));
const different = (a: string, b: string) =>
  expect(skeletonOf(a, ["x", "y"])).not.toBe(skeletonOf(b, ["x", "y"]));

describe("skeletonOf", () => {
  it("numbers parameters by first use and keeps inputs and numbers", () => {
    expect(skeletonOf("(- (expt (/ b x) 2) (/ a b))", ["x"])).toBe(
      "(- (expt (/ P0 x) 2) (/ P1 P0))",
    );
  });

  it("puts smaller operands first", () => {
    expect(skeletonOf("(+ (sin (* a x)) (* b x) 1)", ["x"])).toBe("(+ 1 (* x P0) (sin (* x P1)))");
    expect(skeletonOf("(* (+ x 1 2) (+ x 1) x)", ["x"])).toMatch(
      /^\(\* x \(\+ . .\) \(\+ . . .\)\)$/,
    );
  });

  it("orders operands of one size as it always did: archives know candidates by it", () => {
    const texts = [
      "(+ x y a 1 -2 0.5)",
      "(+ (sin x) (sin a) (cos x) (cos a) (exp x) (exp a) (square x) (square a) (- x))",
      "(* (if (< x 1) x 2) (let ((u x)) (- u y)) (- (/ x 3) y) (max x (min y 2)))",
      "(= (loop ((s x) (k 0)) (if (= k 3) s (recur (* s a) (+ k 1)))) (list x 1 2 3 4))",
      "(+ (car (map sin x)) (car (map cos x)))",
    ];
    expect(texts.map((text) => skeletonOf(text, ["x", "y"]))).toEqual([
      "(+ x y 0.5 -2 1 P0)",
      "(+ (exp P0) (exp x) (cos P0) (cos x) (- x) (sin P0) (square x) (square P0) (sin x))",
      "(* (let ((v0 x)) (- v0 y)) (- (/ x 3) y) (max x (min y 2)) (if (< x 1) x 2))",
      "(= (list x 1 2 3 4) (loop ((v0 x)(v1 0)) (if (= v1 3) v0 (recur (* v0 P0) (+ v1 1)))))",
      "(+ (car (map cos x)) (car (map sin x)))",
    ]);
  });

  it("keeps every free name where the inputs are not known", () => {
    expect(skeletonOf("(- a x)")).toBe("(- a x)");
    expect(skeletonOf("(- P0 v1)")).toBe("(- |P0| |v1|)");
  });

  it("does not see names, order of operands, grouping or derived forms", () => {
    same("(+ (* a x) b)", "(+ q (* x p))");
    same("(+ (sin x) (cos x) a)", "(+ a (+ (cos x) (sin x)))");
    same("(* a (* b (* x y)))", "(* (* (* y b) x) a)");
    same("(let ((u (* a x))) (+ u 1))", "(let ((w (* x b))) (+ 1 w))");
    same(
      "(let f ((k 0) (s x)) (if (= k 3) s (f (+ k 1) (* s a))))",
      "(let g ((n 0) (z x)) (if (= 3 n) z (g (+ 1 n) (* b z))))",
    );
    same(
      "(loop ((k 0) (s x)) (if (= k 3) s (recur (+ k 1) (* s a))))",
      "(do ((k 0 (+ k 1)) (s x (* s a))) ((= k 3) s))",
    );
    same("(if (< x 1) (if (< y 2) a b) #f)", "(and (< x 1.0) (cond ((< y 2) c) (else d)))");
    same("(define (f u) (* a u)) (f x)", "(define (g z) (* z b)) (g x)");
  });

  it("sees structure, numbers, inputs and shared parameters", () => {
    different("(- a x)", "(- x a)");
    different("(expt x 2)", "(expt x 3)");
    different("(if (< x 0.25) a b)", "(if (< x 0.26) a b)");
    different("(+ x a)", "(+ y a)");
    different("(+ (* a x) (* a y))", "(+ (* a x) (* b y))");
    different("(let ((u x) (v y)) (- u v))", "(let ((u x) (v y)) (- v u))");
    different("(min x a)", "(max x a)");
    different("(lambda (u . v) u)", "(lambda (u v) u)");
    different("`(a ,x)", "`(a ,y)");
    different("(map sin '(1 2))", "(map sin '(1 3))");
  });

  it("lets a column have the name of a primitive", () => {
    expect(skeletonOf("(- scale a)", ["scale"])).toBe("(- scale P0)");
    expect(complexityOf("(- scale a)", ["scale"])).toBe(3);
  });

  it("reads back as a program with the same skeleton", () => {
    console.info(`skeleton: SEED=${seed}`);
    fc.assert(
      fc.property(expression, (text) => {
        const skeleton = skeletonOf(text, ["x", "y"]);
        expect(read(skeleton)).toHaveLength(1);
        expect(skeletonOf(skeleton, ["x", "y"])).toBe(skeleton);
        expect(complexityOf(skeleton)).toBe(complexityOf(text));
      }),
      { seed, numRuns: 300 },
    );
  });
});

/** Sums and products of inputs and numbers, as a list of an operator and its operands. */
type Sum = string | readonly [name: string, operands: readonly Sum[]];
const { sum } = fc.letrec<{ sum: Sum }>((tie) => ({
  sum: fc.oneof(
    { maxDepth: 4, depthSize: "small" },
    fc.constantFrom("x", "y", "1", "2", "-0.5"),
    fc
      .tuple(
        fc.constantFrom("+", "*", "min", "max"),
        fc.array(tie("sum"), { minLength: 2, maxLength: 4 }),
      )
      .map(([name, operands]): Sum => [name, operands]),
    fc.tuple(fc.constantFrom("-", "/", "<", "="), fc.tuple(tie("sum"), tie("sum"))),
    fc.tuple(fc.constantFrom("sin", "-"), fc.tuple(tie("sum"))),
  ),
}));

/** One of many spellings: operands without an order in any order, and grouped in any way. */
function spelt(tree: Sum, chance: Chance): string {
  if (typeof tree === "string") return tree;
  const [name, rest] = tree;
  const operands = rest.map((operand) => spelt(operand, chance));
  if (name === "=" && chance.happens(0.5)) operands.reverse();
  if (!["+", "*", "min", "max"].includes(name)) return `(${name} ${operands.join(" ")})`;
  operands.sort(() => chance.uniform() - 0.5);
  while (operands.length > 2 && chance.happens(0.7)) {
    const at = chance.below(operands.length - 1);
    operands.splice(at, 2, `(${name} ${operands[at]} ${operands[at + 1]})`);
  }
  return `(${name} ${operands.join(" ")})`;
}

describe("any spelling", () => {
  it(`has the skeleton of its order-free sums and products, seed ${seed}`, () => {
    fc.assert(
      fc.property(sum, fc.nat(), (tree, first) => {
        const [one, other] = [new Chance(first), new Chance(first + 1)];
        same(spelt(tree, one), spelt(tree, other));
      }),
      { seed, numRuns: 500 },
    );
  });

  let machine: Machine;
  beforeAll(async () => {
    machine = await Machine.create();
  });
  afterAll(() => machine.dispose());

  it(`has a skeleton with its values, parameters in some order, seed ${seed}`, () => {
    let compared = 0;
    const orders = ["abc", "acb", "bac", "bca", "cab", "cba"];
    fc.assert(
      fc.property(fc.oneof(loop, looped), (text) => {
        const source = closed(text);
        const wanted = valuesOf(machine, source, values);
        const skeleton = skeletonOf(source, ["x"]);
        const isSame = orders.some((order) => {
          const params = [...order].map((name, i) => [`P${i}`, values[name]]);
          const got = valuesOf(machine, skeleton, Object.fromEntries(params));
          return wanted.every((value, i) => {
            if (value === undefined) return true;
            return Math.abs((got[i] ?? Infinity) - value) < 1e-6 * Math.max(1, Math.abs(value));
          });
        });
        compared += wanted.filter((value) => value !== undefined).length;
        expect(isSame, `${source}\nas ${skeleton}`).toBe(true);
      }),
      { seed, numRuns: 300 },
    );
    expect(compared).toBeGreaterThan(900);
  });
});

/** Random programs with shared parameters, lets and branches. */
const { expression } = fc.letrec<{ expression: string }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 5, depthSize: "small" },
    fc.constantFrom("x", "y", "a", "b", "c", "1", "2", "0.5", "-3"),
    fc
      .tuple(
        fc.constantFrom("+", "*", "-", "/", "min", "max"),
        tie("expression"),
        tie("expression"),
      )
      .map(([name, u, v]) => `(${name} ${u} ${v})`),
    fc.tuple(fc.constantFrom("sin", "exp"), tie("expression")).map(([name, u]) => `(${name} ${u})`),
    fc
      .tuple(tie("expression"), tie("expression"), tie("expression"))
      .map(([u, v, w]) => `(if (< ${u} 1) ${v} ${w})`),
    fc
      .tuple(fc.constantFrom("a", "u"), tie("expression"), tie("expression"))
      .map(([name, u, v]) => `(let ((${name} ${u})) (+ ${name} ${v}))`),
  ),
}));

describe("complexityOf", () => {
  it.each([
    ["x", 1],
    ["(* a (exp (* k t)))", 6],
    ["(+ a b c)", 5],
    ["(- x)", 2],
    ["(if (< x 1) a b)", 6],
    ["(let ((u (* a x))) (+ u u))", 7],
    ["(begin x)", 1],
    ["(loop ((s x) (k 0)) (if (= k 10) s (recur (* a s (- 1 s)) (+ k 1))))", 19],
    ["(map sin '(1 2))", 4],
    ["'()", 1],
  ])("counts %s as %d", (source, count) => {
    expect(complexityOf(source)).toBe(count);
  });

  it("counts a derived form as what it stands for", () => {
    expect(complexityOf("(do ((k 0 (+ k 1)) (s x (* s a))) ((= k 3) s))")).toBe(
      complexityOf("(loop ((k 0) (s x)) (if (= k 3) s (recur (+ k 1) (* s a))))"),
    );
  });
});

describe("large programs", () => {
  const deep = 100_000;
  const nested = (open: string) => `${open.repeat(deep)}x${")".repeat(deep)}`;

  it.each(["(sin ", "(+ a ", "(let ((u a)) "])("%s nested 100,000 deep", (open) => {
    const source = nested(open);
    expect(skeletonOf(source, ["x"]).length).toBeGreaterThan(deep);
    expect(complexityOf(source)).toBeGreaterThan(deep);
  });

  it("a megabyte of operands, of quoted data and of variables", () => {
    const wide = `(+ ${"x a ".repeat(250_000)})`;
    expect(complexityOf(wide)).toBe(999_999);
    expect(skeletonOf(wide, ["x"])).toHaveLength(wide.length - 1 + "P0".length * 250_000 - 250_000);
    expect(complexityOf(`'(${"x ".repeat(500_000)})`)).toBe(500_000);
    const names = Array.from({ length: 50_000 }, (_, i) => `n${i}`).join(" ");
    expect(skeletonOf(`(lambda (${names}) x)`, ["x"])).toContain("v49999");
  });
});

it("spells the items of a program in their order, with a blank between them", () => {
  const one = skeletonOf("(define (f t) (* a t)) (f x)", ["x"]);
  expect(one).toMatch(/^\(define .*\) \(.* x\)$/);
});
