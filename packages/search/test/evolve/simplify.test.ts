/**
 * Simplification keeps the function and spends fewer nodes; trees and texts say the same.
 */

import { Machine } from "@ndvm/core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { complexityOf } from "../../src/complexity.js";
import { Chance } from "../../src/evolve/chance.js";
import { Draft } from "../../src/evolve/draft.js";
import { Grammar } from "../../src/evolve/grammar.js";
import { Dead, evaluate, simplify } from "../../src/evolve/simplify.js";
import { binary, readTree, unary, writeTree } from "../../src/evolve/text.js";
import { sitesOf, sizeOf, type Tree } from "../../src/evolve/tree.js";
import { OPERATORS } from "../../src/study.js";
import { briefOf } from "./brief.js";

const names = { inputs: new Set(["x"]) };
const { SEED } = process.env;
const seed = SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(SEED);

let machine: Machine;
beforeAll(async () => {
  machine = await Machine.create();
});
afterAll(() => machine.dispose());

/** The simplified program and where its parameters start, from the values of the given ones. */
function simplified(source: string, values: Readonly<Record<string, number>> = {}) {
  const draft = new Draft(true);
  const tree = draft.adopt(readTree(source, names) as Tree, values);
  const simple = simplify(tree, draft);
  const written = writeTree(simple, names);
  const starts: Record<string, number> = {};
  for (const [own, name] of written.params) starts[name] = draft.valueOf(own);
  return { source: written.source, starts };
}

describe("simplify", () => {
  it.each([
    ["(+ x 0)", "x"],
    ["(* 1 (+ x x))", "(* 2 x)"],
    ["(- x x)", "0"],
    ["(/ (* x (sin x)) x)", "(sin x)"],
    ["(* 2 (* 3 x))", "(* 6 x)"],
    ["(* a (* b x))", "(* p0 x)"],
    ["(+ a (+ x b))", "(+ p0 x)"],
    ["(/ x a)", "(* p0 x)"],
    ["(+ (* a x) (* b x))", "(* p0 x)"],
    ["(* a (+ b (* c x)))", "(+ p0 (* p1 x))"],
    ["(/ (* a x) (+ b (* c x)))", "(/ (* p0 x) (+ p1 x))"],
    ["(exp (+ a x))", "(* p0 (exp x))"],
    ["(log (* a x))", "(+ p0 (log x))"],
    ["(sqrt (* 4 x))", "(* p0 (sqrt x))"],
    ["(sqrt (- (* 4 x)))", "(sqrt (* -4 x))"],
    ["(log (- (* 4 x)))", "(log (* -4 x))"],
    ["(sqrt (- (/ x 4)))", "(sqrt (* p0 x))"],
    ["(exp (log x))", "x"],
    ["(* 0.37 x)", "(* p0 x)"],
    ["(if (< x 1) x x)", "x"],
    ["(if (< 2 1) a x)", "x"],
    ["(if (< x a) b c)", "(if (< x 1) p0 p1)"],
    ["(let ((u (* a x))) (sin u))", "(sin (* p0 x))"],
    ["(loop ((s x) (k 0)) (if (= k 5) s (recur (* a s) (+ k 1))))", "(* p0 x)"],
    ["(loop ((s x) (k 0)) (if (= k 0) s (recur (cos s) (+ k 1))))", "x"],
    ["(loop ((s x) (k 0)) (if (= k 1) s (recur (cos s) (+ k 1))))", "(cos x)"],
    [
      "(* a (loop ((s x) (k 0)) (if (= k 4) (+ b s) (recur (cos s) (+ k 1)))))",
      "(loop ((s0 x) (k0 0)) (if (= k0 4) (* p0 (+ p1 s0)) (recur (cos s0) (+ k0 1))))",
    ],
  ])("makes %s into %s", (source, wanted) => {
    expect(simplified(source).source).toBe(wanted);
  });

  it("starts a merged parameter at the value that the others made", () => {
    expect(simplified("(* a (* b x))", { a: 2, b: 3 }).starts).toEqual({ p0: 6 });
    const ratio = simplified("(/ (* a x) (+ b (* c x)))", { a: 6, b: 4, c: 2 });
    expect(ratio.starts).toEqual({ p0: 3, p1: 2 });
  });

  it.each([
    ["(log (* a x))", "(log (* p0 x))"],
    ["(sqrt (* a x))", "(sqrt (* p0 x))"],
    ["(exp (+ x b))", "(exp (+ x p0))"],
    ["(exp (+ x c))", "(exp (+ x p0))"],
    ["(* a (+ b (* c x)))", "(* p0 (+ p1 (* p2 x)))"],
  ])("leaves %s, whose constants no other could stand for at their values", (source, wanted) => {
    const values = { a: 0, b: 800, c: -800 };
    const { source: written, starts } = simplified(source, values);
    expect(written).toBe(wanted);
    const names = [...new Set(source.match(/\b[abc]\b/g))] as (keyof typeof values)[];
    expect(Object.values(starts)).toEqual(names.map((name) => values[name]));
  });

  it("gives up on constants that are not finite", () => {
    expect(() => simplified("(+ x (/ 1 0))")).toThrow(Dead);
  });

  it("keeps the function of random programs, and never doubles them", () => {
    console.info(`simplify: SEED=${seed}`);
    const grammar = new Grammar(briefOf({ operators: [...OPERATORS] }), new Chance(seed));
    let compared = 0;
    for (let i = 0; i < 2000; i++) {
      const draft = new Draft(true);
      const tree = grammar.program(draft);
      // Thresholds are rounded, and a loop can make anything of a last digit.
      if (sitesOf(tree).some(({ tree: at }) => at.kind === "test" || at.kind === "loop")) continue;
      const simple = simplifyOrDie(tree, draft);
      if (simple === undefined) continue;
      // One spelling for all that mean the same can be a little longer than the one that was drawn.
      expect(sizeOf(simple)).toBeLessThan(2 * sizeOf(tree) + 1);
      for (const x of [0.3, 1.7, -0.8]) {
        const bound = new Map([["x", x]]);
        const [before, after] = [evaluate(tree, draft, bound), evaluate(simple, draft, bound)];
        const isPlain = [before, after].every((value) => Math.abs(value) < 1e6);
        // What divides by zero on the way has no function to keep.
        const parts = sitesOf(tree).map(({ tree: part }) => evaluate(part, draft, bound));
        if (!isPlain || parts.some((value) => Math.abs(value) > 1e12)) continue;
        compared += 1;
        const { source } = writeTree(tree, names);
        const wanted = Math.max(1, Math.abs(before));
        expect(Math.abs(after - before) / wanted, `${source} at ${x}`).toBeLessThan(1e-6);
      }
    }
    expect(compared).toBeGreaterThan(1000);
  });
});

function simplifyOrDie(tree: Tree, draft: Draft): Tree | undefined {
  try {
    return simplify(tree, draft);
  } catch (error) {
    if (error instanceof Dead) return undefined;
    throw error;
  }
}

describe("trees and texts", () => {
  it("reads back what it writes, with the size that complexityOf counts", () => {
    console.info(`text: SEED=${seed}`);
    const grammar = new Grammar(briefOf({ operators: [...OPERATORS] }), new Chance(seed));
    for (let i = 0; i < 500; i++) {
      const tree = grammar.program(new Draft(true));
      const { source } = writeTree(tree, names);
      const again = readTree(source, names) as Tree;
      expect(writeTree(again, names).source).toBe(source);
      expect(sizeOf(again)).toBe(complexityOf(source));
      expect(sizeOf(tree)).toBe(complexityOf(source));
    }
  });

  it("evaluates as the machine does", () => {
    const sources = [
      "(if (<= x 1) (* 2 x) (- x))",
      "(let ((u (+ x 1)) (v 2)) (* u v))",
      "(loop ((s x) (t 1) (k 0)) (if (= k 4) (+ s k) (recur (* s t) (- t x) (+ k 1))))",
      "(expt (square x) 3)",
    ];
    for (const source of sources) {
      const tree = readTree(source, names) as Tree;
      for (const x of [0.5, 1, 1.5]) {
        const value = evaluate(tree, { valueOf: () => 1 }, new Map([["x", x]]));
        const program = machine.load(source);
        expect(value).toBeCloseTo(program.evaluate({ x }).values[0] as number, 12);
        program.dispose();
      }
    }
  });

  it.each([...unary, ...binary])("evaluates %s as the machine does, where it knows it", (name) => {
    const isUnary = unary.has(name);
    const source = isUnary ? `(${name} x)` : `(${name} x 1.75)`;
    const tree = readTree(source, names) as Tree;
    const program = machine.load(source);
    for (const x of [-2.5, -0.4, 0, 0.3, 0.9, 2.5, 30]) {
      const value = evaluate(tree, { valueOf: () => 1 }, new Map([["x", x]]));
      const wanted = program.evaluate({ x }).values[0] as number;
      const isUnknown = ["erf", "lgamma", "round"].includes(name);
      if (isUnknown || Number.isNaN(wanted)) expect(value, `at ${x}`).toBeNaN();
      else if (!Number.isFinite(wanted)) expect(value, `at ${x}`).toBe(wanted);
      else
        expect(Math.abs(value - wanted), `at ${x}`).toBeLessThanOrEqual(1e-12 * Math.abs(wanted));
    }
    program.dispose();
  });

  it.each([
    "(lambda (u) u)",
    "(map sin '(1 2))",
    "(loop ((s x)) (if (< s 1) (recur (+ s 1)) s))",
    "(let loop ((s x)) s)",
    "(define a 1) (* a x)",
    "[1 2]",
    "(if x 1 2)",
    "(+ x",
  ])("gives up on %s", (source) => {
    expect(readTree(source, names)).toBeUndefined();
  });

  it("never takes the name of an input", () => {
    const inputs = new Set(["p0", "s0", "u0", "k0"]);
    const source = "(loop ((s p0) (k 0)) (if (= k 4) s (recur (* a (cos s)) (+ k 1))))";
    const tree = readTree(source, { inputs }) as Tree;
    expect(writeTree(tree, { inputs }).source).toBe(
      "(loop ((s1 p0) (k1 0)) (if (= k1 4) s1 (recur (* p1 (cos s1)) (+ k1 1))))",
    );
  });
});
