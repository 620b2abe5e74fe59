/**
 * What changes a program's text and not its function: reading and writing trees, simplifying, and
 * variations that start at their parent. The machine says what a text's values are.
 */

import { Machine } from "@ndvm/core";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { complexityOf } from "../../src/complexity.js";
import { Chance } from "../../src/evolve/chance.js";
import { Draft } from "../../src/evolve/draft.js";
import { Grammar } from "../../src/evolve/grammar.js";
import { Dead, evaluate, simplify } from "../../src/evolve/simplify.js";
import { readTree, writeTree } from "../../src/evolve/text.js";
import { call, paramsOf, sitesOf, sizeOf, type Tree } from "../../src/evolve/tree.js";
import { type Trial, variations } from "../../src/evolve/vary.js";
import { OPERATORS } from "../../src/study.js";
import { briefOf } from "./brief.js";
import { almostLoop, closed, expression, inputs, loop, values, valuesOf } from "./programs.js";

const names = { inputs: new Set(["x"]) };
const { SEED } = process.env;
const seed = SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(SEED);

let machine: Machine;
beforeAll(async () => {
  machine = await Machine.create();
});
afterAll(() => machine.dispose());

/** A tree's text, and the values that its parameters have in a draft. */
function written(tree: Tree, draft: Draft) {
  const { source, params } = writeTree(tree, names);
  const starts: Record<string, number> = {};
  for (const [own, name] of params) starts[name] = draft.valueOf(own);
  return { source, starts };
}

function simplifiedOrDead(tree: Tree, draft: Draft): Tree | undefined {
  try {
    return simplify(tree, draft);
  } catch (error) {
    if (error instanceof Dead) return undefined;
    throw error;
  }
}

/** How many inputs were compared, so that a property cannot pass by comparing nothing. */
function expectSame(
  before: readonly (number | undefined)[],
  after: readonly (number | undefined)[],
  words: string,
): number {
  let compared = 0;
  before.forEach((value, i) => {
    if (value === undefined) return;
    compared += 1;
    const wanted = expect.closeTo(value, 6 - Math.ceil(Math.log10(Math.max(1, Math.abs(value)))));
    expect(after[i], `${words} at x = ${inputs[i]}`).toEqual(wanted);
  });
  return compared;
}

/** Runs a property on many texts and makes sure that most of them could be compared. */
function onPrograms(
  texts: fc.Arbitrary<string>,
  numRuns: number,
  compare: (source: string) => number,
): void {
  let compared = 0;
  fc.assert(
    fc.property(texts, (text) => {
      compared += compare(closed(text));
    }),
    { seed, numRuns },
  );
  expect(compared).toBeGreaterThan(3 * numRuns);
}

describe(`a program with loops, lets and branches, seed ${seed}`, () => {
  const programs = fc.oneof({ weight: 2, arbitrary: loop }, { weight: 1, arbitrary: expression });

  it("has the same values after it is read into a tree and written again", () => {
    console.info(`same values: SEED=${seed}`);
    onPrograms(programs, 400, (source) => {
      const draft = new Draft(true);
      const tree = draft.adopt(readTree(source, names) as Tree, values);
      const again = written(tree, draft);
      expect(sizeOf(tree), source).toBe(complexityOf(again.source, ["x"]));
      const before = valuesOf(machine, source, values);
      return expectSame(before, valuesOf(machine, again.source, again.starts), source);
    });
  });

  it("is taken for a loop of a fixed number of turns only if it is one", () => {
    let taken = 0;
    fc.assert(
      fc.property(almostLoop, (source) => {
        const tree = readTree(source, names);
        if (tree === undefined) return;
        taken += 1;
        const again = writeTree(tree, names).source;
        expectSame(valuesOf(machine, source, {}), valuesOf(machine, again, {}), source);
      }),
      { seed, numRuns: 2000 },
    );
    expect(taken).toBeGreaterThan(20);
  });

  it("has the same values for the proposer as on the machine", () => {
    onPrograms(programs, 300, (source) => {
      const draft = new Draft(true);
      const tree = draft.adopt(readTree(source, names) as Tree, values);
      const own = inputs.map((x) => evaluate(tree, draft, new Map([["x", x]])));
      return expectSame(valuesOf(machine, source, values), own, source);
    });
  });

  it("has the same values after it is simplified, and hardly a new parameter", () => {
    onPrograms(programs, 600, (source) => {
      const draft = new Draft(true);
      const tree = draft.adopt(readTree(source, names) as Tree, values);
      const before = written(tree, draft);
      const simple = simplifiedOrDead(tree, draft);
      if (simple === undefined) return 0;
      const after = written(simple, draft);
      // A number that is no small integer may become one, and a recurrence two.
      const countOf = (kind: string) => sitesOf(tree).filter((at) => at.tree.kind === kind).length;
      const most = paramsOf(tree).length + countOf("number") + 2 * countOf("loop");
      expect(paramsOf(simple).length, before.source).toBeLessThanOrEqual(most);
      const words = `${before.source}\nas ${after.source}\nwith ${JSON.stringify(after.starts)}`;
      return expectSame(
        valuesOf(machine, before.source, before.starts),
        valuesOf(machine, after.source, after.starts),
        words,
      );
    });
  });

  it("has the same values after it is simplified, whatever sums a fraction has and with which signs", () => {
    const terms = ["c", "x", "(* c x)", "(* b x)", "(/ b x)", "(* 2 x)", "(* a (sin x))"];
    const sums = [
      ...terms.flatMap((term) => [term, `(- ${term})`]),
      ...terms.flatMap((term) => [`(+ b ${term})`, `(- b ${term})`, `(- ${term} b)`]),
      ..."(+ b (* c x) (* a x x))|(- b (* c x) (* a x x))|(- (* c x) b (* a x x))".split("|"),
      ..."(+ (* b x) (* -3 (cos x)))|(- (* 2 x) (* a (cos x)))|(- (- (* c x)) (* a (cos x)))".split(
        "|",
      ),
    ];
    let compared = 0;
    for (const over of ["a", "(- a)", "x", "(- (* a x))", "1", ...sums.slice(14)])
      for (const under of sums)
        for (const source of [`(/ ${over} ${under})`, `(* a (/ ${over} ${under}))`]) {
          const draft = new Draft(true);
          const tree = draft.adopt(readTree(source, names) as Tree, values);
          const simple = simplifiedOrDead(tree, draft);
          if (simple === undefined) continue;
          const before = written(tree, draft);
          const after = written(simple, draft);
          compared += expectSame(
            valuesOf(machine, before.source, before.starts),
            valuesOf(machine, after.source, after.starts),
            `${source}\nas ${after.source}\nwith ${JSON.stringify(after.starts)}`,
          );
        }
    expect(compared).toBeGreaterThan(5000);
  });

  it.each([
    ["(loop ((s x) (k 0)) (if (= k 3) (sin s) (recur s (+ k 1))))", "(sin x)"],
    ["(loop ((s x) (k 0)) (if (= k 3) (sin s) (recur (cos x) (+ k 1))))", "(sin (cos x))"],
    ["(loop ((s x) (k 0)) (if (= k 3) (sin s) (recur (- s) (+ k 1))))", undefined],
    ["(loop ((s x) (k 0)) (if (= k 3) (sin s) (recur (max s x) (+ k 1))))", undefined],
    ["(sin (min x x))", undefined],
    ["(exp (log x))", undefined],
  ])(
    "%s gets no operator that a study without sums and products does not have",
    (source, wanted) => {
      const draft = new Draft(false);
      const tree = draft.adopt(readTree(source, names) as Tree, values);
      const simple = writeTree(simplify(tree, draft), names).source;
      expect(simple).toBe(wanted ?? writeTree(tree, names).source);
    },
  );
});

/** Names of variables that a tree reads and nothing around them binds. */
function freeNames(tree: Tree): string[] {
  return sitesOf(tree)
    .filter(({ tree: at, scope }) => at.kind === "variable" && !scope.includes(at.name))
    .map(({ tree: at }) => at.name);
}

const grammar = new Grammar(briefOf({ operators: [...OPERATORS] }), new Chance(seed));

/** A random program; half of them twice in one program, with a factor that is almost 1. */
function parent(draft: Draft, index: number): Tree {
  const tree = grammar.program(draft);
  if (index % 2 === 0) return tree;
  return call("*", draft.add(1.01), call("-", tree, call("cos", tree)));
}

/** Random programs and what a variation makes of them. */
function* children(name: string, count: number): Generator<{ trial: Trial; child: Tree }> {
  const [, vary] = variations.find(([other]) => other === name) as (typeof variations)[number];
  for (let i = 0; i < count; i++) {
    const draft = new Draft(true);
    const trial = { draft, grammar, tree: parent(draft, i) };
    const child = vary(trial);
    if (child !== undefined) yield { trial, child };
  }
}

describe(`variations, seed ${seed}`, () => {
  const allowed = new Set<string>([...OPERATORS, "neg", "<", ">", "<=", ">="]);

  it.each(variations.map(([name]) => name))("%s makes whole programs", (name) => {
    let made = 0;
    for (const { trial, child } of children(name, 300)) {
      made += 1;
      const { source } = written(child, trial.draft);
      expect(
        freeNames(child).filter((free) => free !== "x"),
        source,
      ).toEqual([]);
      for (const { tree: at } of sitesOf(child)) {
        if (at.kind === "call" || at.kind === "test") expect([...allowed]).toContain(at.name);
        if (at.kind === "loop") expect(at.value, source).toBeGreaterThanOrEqual(2);
      }
      for (const param of paramsOf(child)) expect(trial.draft.starts.has(param)).toBe(true);
      expect(readTree(source, names), source).toBeDefined();
    }
    expect(made).toBeGreaterThan(20);
  });

  // Those that add something and start from the parent's function.
  it.each(["add-term", "add-parameter", "loosen", "release", "share"])(
    "%s begins with the values of the program it came from",
    (name) => {
      let compared = 0;
      for (const { trial, child } of children(name, 300)) {
        const { draft, tree } = trial;
        for (const x of inputs) {
          const bound = new Map([["x", x]]);
          const [before, after] = [evaluate(tree, draft, bound), evaluate(child, draft, bound)];
          // A new term may be infinite where the program is not, and nothing times it is NaN.
          if (!(Math.abs(before) < 1e9) || Number.isNaN(after)) continue;
          compared += 1;
          const error = Math.abs(after - before) / Math.max(1, Math.abs(before));
          expect(error, written(child, draft).source).toBeLessThan(1e-9);
        }
      }
      expect(compared).toBeGreaterThan(50);
    },
  );
});
