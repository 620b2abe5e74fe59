/**
 * Breeding at its corners, worked out a second time: columns that stand still, columns of odd units in any
 * place, and templates whose named holes stand inside and outside of what binds names.
 */

import { expand, read } from "@ndvm/core";
import { describe, expect, test } from "vitest";
import { Chance } from "../../src/evolve/chance.js";
import { Draft } from "../../src/evolve/draft.js";
import { Grammar } from "../../src/evolve/grammar.js";
import { hasOddUnits, startParameters } from "../../src/evolve/starts.js";
import { fill, readSeeds } from "../../src/evolve/templates.js";
import { writeTree } from "../../src/evolve/text.js";
import { call, isEqual, sitesOf, type Tree, variable } from "../../src/evolve/tree.js";
import type { ColumnSummary } from "../../src/types.js";
import { briefOf } from "./brief.js";

const column = (name: string, min: number, max: number): ColumnSummary => ({
  ...{ name, min, max, mean: (min + max) / 2, deviation: (max - min) / 4 },
});

describe("starts over a column", () => {
  test.each([
    [0, 0],
    [3, 3],
    [-2, -2],
    [1e9, 1e9],
    [0, 5],
    [-7, -3],
    [-1e-6, 1e-6],
  ])("from %d to %d are finite, and of its width, which is 1 where it stands still", (min, max) => {
    const width = max > min ? max - min : 1;
    const brief = briefOf({
      ...{
        inputs: [column("z", 0, 5), column("x", min, max)],
        rows: 40,
        sample: [{ x: min, z: 1, y: 2 }],
      },
    });
    for (let seed = 1; seed <= 40; seed++) {
      const grammar = new Grammar(brief, new Chance(seed));
      expect(grammar.widthOf("x")).toBe(width);
      expect(grammar.waveRange("x")).toEqual([0.5 / width, 60 / width]);
      expect(Number.isFinite(grammar.inverseScale())).toBe(true);
      const threshold = grammar.threshold("x");
      expect(Math.abs(threshold - (min + max) / 2)).toBeLessThanOrEqual(
        (max - min) / 2 + 1e-2 * Math.max(Math.abs(min), Math.abs(max)),
      );
      for (const [name, least, most] of [
        ["sin", 0.5, 60],
        ["cos", 0.5, 60],
        ["exp", 0.4, 8],
        ["tanh", 0.4, 8],
      ] as const) {
        const draft = new Draft(true);
        const rate = draft.add(0.7, [-5, 5]);
        const tree: Tree = call("+", draft.add(1), call(name, call("*", rate, variable("x"))));
        startParameters(tree, draft, grammar);
        const start = draft.starts.get(rate.name);
        const size = Math.abs(start?.value ?? 0) * width;
        expect(size, `${name} ${seed}`).toBeGreaterThanOrEqual(least * (1 - 1e-9));
        expect(size, `${name} ${seed}`).toBeLessThanOrEqual(most * (1 + 1e-9));
        for (const end of start?.range ?? [Number.NaN]) expect(Number.isFinite(end)).toBe(true);
      }
    }
  });
});

test("units are odd where any column is larger than 100 or smaller than 0.01, the target too", () => {
  const ordinary = [
    column("a", -1, 3),
    column("b", 0, 100),
    column("c", -0.01, 0),
    column("d", 0, 0),
  ];
  const odd = [
    column("o", 0, 100.1),
    column("o", -1e7, 2),
    column("o", 0, 1e7),
    column("o", -0.0099, 0.001),
    column("o", 0, 1e-9),
    column("o", -1e-3, -1e-4),
  ];
  for (let at = 0; at < ordinary.length; at++) {
    const turned = [...ordinary.slice(at), ...ordinary.slice(0, at)];
    const [target, ...inputs] = turned as [ColumnSummary, ...ColumnSummary[]];
    expect(hasOddUnits(briefOf({ target, inputs }))).toBe(false);
    for (const one of odd)
      for (let place = 0; place < turned.length; place++) {
        const [first, ...rest] = turned.with(place, one) as [ColumnSummary, ...ColumnSummary[]];
        expect(hasOddUnits(briefOf({ target: first, inputs: rest })), `${one.max} ${place}`).toBe(
          true,
        );
      }
  }
});

describe("a template", () => {
  // Each has ?h inside and outside of what binds a name, in either order, and holes of their own.
  const templates = [
    "(+ (let ((u (sin x))) (* u ?h)) ?h)",
    "(+ ?h (let ((u (sin x))) (* u ?h)))",
    "(+ (let ((u ?h)) (* u _)) ?h)",
    "(+ (loop ((s x) (k 0)) (if (= k 3) s (recur (* s ?h) (+ k 1)))) ?h)",
    "(+ ?h (loop ((s x) (k 0)) (if (= k 3) s (recur (* s ?h) (+ k 1)))))",
    "(+ (loop ((s ?h) (k 0)) (if (= k 3) (* s ?h) (recur (* s _) (+ k 1)))) ?g)",
    "(* (let ((u (sin x))) (+ u ?h)) (let ((v (cos x))) (+ v ?h)))",
    "(* (let ((u (sin x))) (+ ?g ?h)) (let ((v ?g)) (+ v _ ?h)))",
  ];

  test.each(templates)(
    "%s is filled with names that are there, the same wherever ?h stands",
    (source) => {
      const names = { inputs: new Set(["x", "z"]) };
      const brief = briefOf({ inputs: [column("x", 0, 5), column("z", 1, 2)] });
      const { templates: read1 } = readSeeds([source], names);
      const template = read1[0] as Tree;
      const holes = sitesOf(template).filter(({ tree }) => /^[_?]/.test(tree.name));
      expect(holes.length).toBeGreaterThan(1);
      const seen = new Set<string>();
      for (let seed = 1; seed <= 200; seed++) {
        const draft = new Draft(true);
        const grammar = new Grammar(brief, new Chance(seed));
        const filled = fill(template, draft, grammar);
        const written = writeTree(filled, names);
        const text = written.source;
        expect(text, text).not.toMatch(/[?_]/);
        // What is free is an input or a parameter, p and a number.
        for (const node of expand(read(text), { inputs: ["x", "z"] }).nodes)
          if (node.kind === "input") expect(node.name, text).toMatch(/^(x|z|p\d+)$/);
        const drawn = holes.map(({ path }) => path.reduce((at, i) => at.args[i] as Tree, filled));
        for (const [i, hole] of holes.entries())
          for (const [j, other] of holes.entries())
            if (hole.tree.name === other.tree.name && hole.tree.name !== "_")
              expect(isEqual(drawn[i] as Tree, drawn[j] as Tree), text).toBe(true);
        seen.add(text);
      }
      expect(seen.size).toBeGreaterThan(100);
    },
  );
});
