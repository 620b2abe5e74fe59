/** The small parts of breeding, each by itself: weights, scales, bound names, and how large programs may be. */

import { describe, expect, test, vi } from "vitest";
import { complexityOf } from "../../src/complexity.js";
import { power } from "../../src/evolve/arithmetic.js";
import { isMigrationDue, populationOptions } from "../../src/evolve/breeder.js";
import { Chance } from "../../src/evolve/chance.js";
import { evolve } from "../../src/evolve/evolve.js";
import { drawStart, type Scale, scalesOf } from "../../src/evolve/scales.js";
import { readTree } from "../../src/evolve/text.js";
import {
  bind,
  branch,
  call,
  isEqual,
  isFixed,
  keyOf,
  loop,
  mentions,
  number,
  param,
  paramsOf,
  replaceAt,
  seesBinds,
  sitesOf,
  sizeOf,
  substitute,
  type Tree,
  test as treeTest,
  variable,
} from "../../src/evolve/tree.js";
import { briefOf } from "./brief.js";

const names = { inputs: new Set(["x", "z"]) };
const treeOf = (source: string): Tree => readTree(source, names) as Tree;

/** Chance whose draws are given. */
function chanceOf(...draws: readonly number[]): Chance {
  const chance = new Chance(1);
  let at = 0;
  vi.spyOn(chance, "uniform").mockImplementation(() => {
    const draw = draws[at] ?? Number.NaN;
    at += 1;
    return draw;
  });
  return chance;
}

describe("chance", () => {
  test("takes an entry by its weight, and never one that has none", () => {
    const entries = [
      ["none", 0],
      ["one", 1],
      ["no", 0],
      ["three", 3],
      ["nil", 0],
    ] as const;
    const at = (draw: number) => chanceOf(draw).weighted(entries);
    expect([0, 0.2499, 0.25, 0.9999].map(at)).toEqual(["one", "one", "three", "three"]);
    // A draw that rounding leaves behind the last entry is the last that has a weight.
    expect(at(1)).toBe("three");
    expect(() => new Chance(1).pick([])).toThrow("nothing to pick from");
  });

  test("is even in the logarithm between the limits", () => {
    expect([0, 0.5, 1].map((draw) => chanceOf(draw).logUniform(0.1, 10))).toEqual([
      0.1,
      expect.closeTo(1, 12),
      expect.closeTo(10, 12),
    ]);
  });
});

test.each([
  [2, 0, 1],
  [0, 0, 1],
  [2, 3, 8],
  [2, -3, 0.125],
  [-2, 3, -8],
  [2, 1024, Infinity],
  [1.5, 2, 2.25],
  [0, 0.5, 0],
  [0, -0.5, Infinity],
  [0, -1, Infinity],
  [4, 0.5, 2],
  [-4, 0.5, Number.NaN],
])("%f to the power of %f is %f", (x, y, wanted) => {
  if (Number.isFinite(wanted) && !Number.isInteger(y)) expect(power(x, y)).toBeCloseTo(wanted, 12);
  else expect(power(x, y)).toBe(wanted);
});

describe("scales", () => {
  const target = { name: "y", min: -1, max: 3, mean: 1, deviation: 0.8 };
  const inputs = [
    { name: "x", min: 1, max: 5, mean: 2.5, deviation: 1.4 },
    { name: "z", min: -20, max: 10, mean: 0, deviation: 6 },
  ];
  const x: Scale = { size: 5, between: [1, 5] };
  const z: Scale = { size: 20, between: [-20, 10] };
  test.each<[string, Record<string, Partial<Scale>>]>([
    ["a", { a: { size: 3 } }],
    ["(* a x)", { a: { size: 3 / 5 } }],
    ["(* x a)", { a: { size: 3 / 5 } }],
    ["(/ a x)", { a: { size: 15 } }],
    ["(/ x a)", { a: { size: 5 / 3 } }],
    ["(* a b)", { a: { size: 3 }, b: { size: 1 } }],
    ["(/ a b)", { a: { size: 3 }, b: { size: 1 } }],
    ["(+ a x)", { a: x }],
    ["(- z a)", { a: z }],
    ["(+ a (* 2 x))", { a: { size: 10 } }],
    ["(+ a (sin x))", { a: { size: 1 } }],
    ["(+ a b)", { a: { size: 3 }, b: { size: 3 } }],
    ["(+ (+ a x) (+ a z))", { a: x }],
    ["(* 4 (sin (* a x)))", { a: { size: 3 / 5 } }],
    ["(* a (exp (* b z)))", { a: { size: 3 }, b: { size: 3 / 20 } }],
    ["(asin (* a x))", { a: { size: 0.5 / 5 } }],
    ["(log (+ a x))", { a: x }],
    ["(square a)", { a: { size: Math.sqrt(3) } }],
    ["(sqrt a)", { a: { size: 9 } }],
    ["(* a (square z))", { a: { size: 3 / 400 } }],
    ["(* a (sqrt z))", { a: { size: 3 / Math.sqrt(20) } }],
    ["(* a (* x z))", { a: { size: 3 / 100 } }],
    ["(* a (/ x z))", { a: { size: 3 / 0.25 } }],
    ["(* a (+ x z))", { a: { size: 3 / 20 } }],
    ["(* a (expt x 2))", { a: { size: 3 / 5 } }],
    ["(expt a b)", { a: { size: 3 }, b: { size: 2 } }],
    // What is raised to a power of a known size has that size.
    ["(* x (expt (+ a b) z))", { a: { size: 20 }, b: { size: 20 } }],
    ["(/ x (expt (+ a b) z))", { a: { size: 20 }, b: { size: 20 } }],
    ["(abs a)", { a: { size: 3 } }],
    ["(min a x)", { a: x }],
    ["(if (< x a) b z)", { a: { size: 3 }, b: { size: 3 } }],
    ["(let ((u (* a x))) u)", { a: { size: 3 / 5 } }],
    ["(* a 0)", { a: { size: 3 } }],
  ])("of %s", (source, wanted) => {
    const found = scalesOf(treeOf(source), target, inputs);
    const rounded = Object.fromEntries(
      [...found].map(([name, { size, between }]) => [
        name,
        { size: expect.closeTo(size, 9), ...(between && { between }) },
      ]),
    );
    expect(Object.keys(rounded)).toEqual(Object.keys(wanted));
    expect(wanted).toEqual(rounded);
  });

  test("that no number can have are 1", () => {
    const huge = { ...target, max: 1e308 };
    const tiny = { ...inputs[0], min: 0, max: 1e-10 } as (typeof inputs)[0];
    expect(scalesOf(treeOf("(* a x)"), huge, [tiny]).get("a")).toEqual({ size: 1 });
    const flat = { ...target, min: 0, max: 0 };
    expect(scalesOf(treeOf("a"), flat, inputs).get("a")).toEqual({ size: 1 });
  });

  test("are where starts are drawn, of either sign", () => {
    const near = (value: number) => expect.closeTo(value, 9);
    expect(drawStart({ size: 5 }, chanceOf(0.4, 0))).toEqual(near(0.5));
    expect(drawStart({ size: 5 }, chanceOf(0.399, 0.5))).toEqual(near(-5));
    expect(drawStart({ size: 5, between: [1, 5] }, chanceOf(0.4, 0.799, 0.25))).toBe(2);
    expect(drawStart({ size: 5, between: [1, 5] }, chanceOf(0.1, 0.799, 0.25))).toBe(-2);
    expect(drawStart({ size: 5, between: [1, 5] }, chanceOf(0.4, 0.8, 1))).toEqual(near(50));
  });
});

describe("bound names", () => {
  const [x, z, a] = [variable("x"), variable("z"), param("a")];
  // What is read from text has a name for each binding; trees that are put together may not.
  const shadowed = bind("x", call("+", x, a), call("*", x, z));
  const looping = (start: Tree) =>
    loop({
      ...{ turns: 4, states: ["x"], counter: "k", starts: [start] },
      ...{ nexts: [call("cos", x)], result: call("*", a, x) },
    });

  test("hide what is called the same, where they are seen", () => {
    const cases: readonly (readonly [Tree, string, boolean])[] = [
      [shadowed, "x", true],
      [bind("x", a, call("*", x, z)), "x", false],
      [bind("x", a, call("*", x, z)), "z", true],
      [bind("u", x, z), "u", false],
      [looping(call("*", x, z)), "x", true],
      [looping(z), "x", false],
      [looping(z), "z", true],
      [looping(z), "k", false],
      [branch(treeTest("<", x, a), a, z), "x", true],
      [a, "a", false],
    ];
    for (const [tree, name, wanted] of cases)
      expect([keyOf(tree), name, mentions(tree, name)]).toEqual([keyOf(tree), name, wanted]);
  });

  test("are not replaced, what is free is", () => {
    const five = number(5);
    const put = (tree: Tree, name: string) => keyOf(substitute(tree, name, five));
    expect(put(shadowed, "x")).toBe(keyOf(bind("x", call("+", five, a), call("*", x, z))));
    expect(put(shadowed, "z")).toBe(keyOf(bind("x", call("+", x, a), call("*", x, five))));
    expect(put(looping(x), "x")).toBe(keyOf(looping(five)));
    expect(put(looping(z), "k")).toBe(keyOf(looping(z)));
    expect(substitute(shadowed, "u", five)).toBe(shadowed);
  });

  test("are seen by the body of a let, and by all of a loop but its starts", () => {
    const b = looping(x);
    expect([0, 1].map((at) => seesBinds(shadowed, at))).toEqual([false, true]);
    expect(b.args.map((_, at) => seesBinds(b, at))).toEqual([false, true, true]);
    const scopes = sitesOf(shadowed).map(({ tree, scope, path, isRoot }) => [
      ...[keyOf(tree), scope.join(), path.join(), isRoot],
    ]);
    expect(scopes).toEqual([
      [keyOf(shadowed), "", "", true],
      ["(call+0 x a)", "", "0", false],
      ["x", "", "0,0", false],
      ["a", "", "0,1", false],
      ["(call*0 x z)", "x", "1", false],
      ["x", "x", "1,0", false],
      ["z", "x", "1,1", false],
    ]);
    for (const { tree, path, parent } of sitesOf(shadowed)) {
      expect(isEqual(replaceAt(shadowed, path, tree), shadowed)).toBe(true);
      expect(parent === undefined).toBe(path.length === 0);
      expect(isEqual(replaceAt(shadowed, path, number(77)), shadowed)).toBe(false);
    }
  });

  test("trees that differ in one thing are not equal: a name, a number, a bind, how many there are", () => {
    const x = variable("x");
    const states = (...names: string[]) => ({
      ...{ turns: 3, states: names, counter: "k", result: x },
      ...{ starts: names.map(() => x), nexts: names.map(() => x) },
    });
    const one = states("s");
    const trees = [
      ...[x, variable("z"), param("x"), number(1), number(2), call("sin", x), call("cos", x)],
      ...[call("+", x, x), call("+", x, number(1)), bind("u", x, x), bind("v", x, x)],
      ...[loop(one), loop({ ...one, turns: 4 }), loop({ ...one, counter: "j" })],
      ...[loop(states("t")), loop(states("s", "t")), loop(states("s", "t", "u"))],
    ];
    for (const [i, a] of trees.entries())
      for (const [j, b] of trees.entries()) {
        expect(isEqual(a, b), `${keyOf(a)} ${keyOf(b)}`).toBe(i === j);
        expect(isEqual(a, structuredClone(b)), `${keyOf(a)} ${keyOf(b)}`).toBe(i === j);
      }
  });

  test("sizes are those of the text, parameters are in order, and what is fixed reads nothing", () => {
    const sources = [
      "(let ((u (+ x a))) (* u z))",
      "(loop ((s x) (k 0)) (if (= k 4) (* a s) (recur (cos (* b s)) (+ k 1))))",
    ];
    for (const source of [...sources, "x", "(if (< x 1) a z)", "(+ 1 (* b a))"])
      expect(sizeOf(treeOf(source))).toBe(complexityOf(source, ["x", "z"]));
    expect(paramsOf(treeOf("(+ (* b x) (+ a (* b c)))"))).toEqual(["b", "a", "c"]);
    expect(
      ["(+ a 1)", "x", "(* a x)", "(let ((u 1)) 2)"].map((each) => isFixed(treeOf(each))),
    ).toEqual([...[true, false, false, false]]);
    expect(isEqual(treeOf("(let ((u 1)) (+ u 2))"), treeOf("(let ((v 1)) (+ v 2))"))).toBe(false);
  });
});

describe("a breeder", () => {
  test.each([2, 3, 4, 5, 7])(
    "of %i rows makes no program of more than half as many parameters",
    async (rows) => {
      const proposer = evolve({ draws: 120 });
      proposer.begin(briefOf({ rows }));
      const { proposals } = await proposer.propose(120, new AbortController().signal);
      const counts = proposals.map(({ params }) => Object.keys(params ?? {}).length);
      expect(Math.max(...counts)).toBe(Math.floor(rows / 2));
    },
  );

  test.each([3, 6, 9])(
    "makes no program larger than %i, and some of that size",
    async (complexityMax) => {
      const proposer = evolve({ draws: 120 });
      proposer.begin(briefOf({ complexityMax }));
      const { proposals } = await proposer.propose(120, new AbortController().signal);
      const sizes = proposals.map(({ source }) => complexityOf(source, ["x"]));
      expect(Math.max(...sizes)).toBe(complexityMax);
    },
  );

  test("migrates when so many candidates are folded in, and has an island for loops where there are several", () => {
    const due = (migrateEvery: number | undefined) =>
      Array.from({ length: 401 }, (_, count) => count).filter((count) =>
        isMigrationDue(migrateEvery === undefined ? {} : { migrateEvery }, count),
      );
    expect([due(undefined), due(150), due(0)]).toEqual([[0, 200, 400], [0, 150, 300], []]);
    const options = (islands: number | undefined, operators: string[], given = {}) =>
      populationOptions({ ...given, ...(islands && { islands }) }, { operators, islands: 4 });
    expect(options(undefined, ["loop"])).toEqual({
      islands: 4,
      islandSize: 40,
      hasLoopIsland: true,
    });
    expect(options(2, ["+"], { islandSize: 7 })).toEqual({
      islands: 2,
      islandSize: 7,
      hasLoopIsland: false,
    });
    expect(options(1, ["loop"]).hasLoopIsland).toBe(false);
    expect(options(2, ["loop"]).hasLoopIsland).toBe(true);
  });
});
