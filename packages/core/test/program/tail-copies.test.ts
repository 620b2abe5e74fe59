/**
 * Which operands of tail calls are copied: those in a position where the tail calls of one branch tree
 * do not all pass the same variable. Tail calls of any number of operands stand side by side.
 */

import fc from "fast-check";
import { expect, test } from "vitest";
import { Analysis, COPIED } from "../../src/program/analyse.js";
import type { CallNode, Core } from "../../src/syntax/core.js";
import { expand } from "../../src/syntax/expand.js";
import { read } from "../../src/syntax/read.js";

const { SEED } = process.env;
const seed = SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(SEED);

/** Operands: variables, an input, numbers, and calls that give an old number or a new one. */
const OPERANDS = ["x", "y", "z", "t", "1", "(* x 2)", "(+ x)", "(car l)", "(cons x y)"] as const;
const OLDER: ReadonlySet<string> = new Set(["x", "y", "z", "t", "(+ x)", "(car l)"]);
const VARIABLES: ReadonlySet<string> = new Set(["x", "y", "z"]);

const calls = fc.array(fc.array(fc.constantFrom(...OPERANDS), { maxLength: 4 }), {
  minLength: 1,
  maxLength: 4,
});

/** Tail calls on the ways of one tree of branches; p, a parameter, is what they call. */
function programOf(all: readonly (readonly string[])[]): string {
  const [first = [], ...others] = all;
  const tree = others.reduce(
    (rest, operands) => `(if (< x y) (p ${operands.join(" ")}) ${rest})`,
    `(p ${first.join(" ")})`,
  );
  return `(lambda (p x y z l) (if (< y z) 1 ${tree}))`;
}

const textIn =
  (source: string) =>
  ({ span }: Core): string =>
    source.slice(span?.start, span?.end);

/** Whether operand k of one of some calls is copied. */
function isWanted(all: readonly (readonly string[])[], text: string, k: number): boolean {
  const isSame = VARIABLES.has(text) && all.every((one) => one[k] === undefined || one[k] === text);
  return all.length > 1 && !isSame && OLDER.has(text);
}

test(`operands of tail calls are copied where others pass something else, SEED=${seed}`, () => {
  let copies = 0;
  fc.assert(
    fc.property(calls, (all) => {
      const source = programOf(all);
      const expansion = expand(read(source));
      const analysis = new Analysis();
      analysis.read(expansion, false);
      const { nodes } = expansion;
      const isCopied = (node: Core) => ((analysis.flags[nodes.indexOf(node)] ?? 0) & COPIED) !== 0;
      const tailCalls = nodes.filter(
        (node): node is CallNode =>
          node.kind === "call" &&
          node.operator.kind === "ref" &&
          node.operator.variable.name === "p",
      );
      const operands = new Set(tailCalls.flatMap((call) => call.operands));
      const textOf = textIn(source);
      for (const call of tailCalls)
        for (const [k, operand] of call.operands.entries()) {
          const wanted = isWanted(all, textOf(operand), k);
          expect(isCopied(operand), `${textOf(operand)} at ${k} in ${source}`).toBe(wanted);
          if (wanted) copies += 1;
        }
      const odd = nodes.filter((node) => isCopied(node) && !operands.has(node));
      expect(odd.map(textOf), source).toEqual([]);
    }),
    { seed, numRuns: 300 },
  );
  expect(copies).toBeGreaterThan(100);
});

/** A loop in which recur stands so often, over the variables x and y. */
function loopOf(all: readonly (readonly string[])[]): string {
  const body = all.reduce(
    (rest, operands) => `(if (< x y) (recur ${operands.join(" ")}) ${rest})`,
    "(* x 2)",
  );
  return `(loop ((x 1) (y z)) ${body})`;
}

const pairs = fc.array(fc.tuple(fc.constantFrom(...OPERANDS), fc.constantFrom(...OPERANDS)), {
  minLength: 1,
  maxLength: 3,
});

test(`loops that are operands do not hear of each other, SEED=${seed}`, () => {
  fc.assert(
    fc.property(pairs, pairs, fc.boolean(), (first, second, isFirstLine) => {
      const both = `(+ ${loopOf(first)} ${loopOf(second)})`;
      const source = `(lambda (z l) ${isFirstLine ? `(if (< z 1) 2 ${both})` : both})`;
      const expansion = expand(read(source));
      const analysis = new Analysis();
      analysis.read(expansion, false);
      const { nodes } = expansion;
      const textOf = textIn(source);
      const loops = nodes.filter((node) => node.kind === "loop");
      expect(loops).toHaveLength(2);
      for (const node of nodes) {
        if (node.kind !== "recur") continue;
        const all = node.loop === loops[0]?.loop ? first : second;
        for (const [k, operand] of node.operands.entries()) {
          const isCopied = ((analysis.flags[nodes.indexOf(operand)] ?? 0) & COPIED) !== 0;
          const text = textOf(operand);
          expect(isCopied, `${text} at ${k} in ${source}`).toBe(isWanted(all, text, k));
        }
      }
    }),
    { seed, numRuns: 200 },
  );
});
