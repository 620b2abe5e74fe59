/**
 * Every primitive on everything that a value can be: which words a fault gets, in which code, with which
 * help, and at which place. Each distinct one is recorded.
 */

import { afterAll, expect, test } from "vitest";
import { Machine, NdvmError } from "../../src/index.js";
import { nearestVisible } from "../../src/machine/reports/faults.js";
import { primitiveByName } from "../../src/primitives/index.js";
import type { ParsedProgram } from "../../src/program/parsed-program.js";

const machine = await Machine.create();
afterAll(() => machine.dispose());

const things: readonly string[] = [
  ...["5", "2.5", "-1", "#t", "'()", "'word", "'(1 . 2)", "'(1 2)", "'((a 1))", "[1 2]", "[1 2 3]"],
  ...["(mat [1 2] [3 4])", "(mat [1 2 3])", "(lambda (v) v)", "f", "sqrt", "(if #f #f)", "n", "q"],
];

/** Operands: each thing alone, beside a number and beside a list or vector. */
function* operandsOf(count: number): Generator<readonly string[]> {
  if (count === 0) yield [];
  if (count === 1) for (const one of things) yield [one];
  if (count === 2)
    for (const one of things)
      for (const other of ["1", "'(1 2)", "[1 2]", "n"])
        yield* [
          [one, other],
          [other, one],
        ];
  if (count === 3)
    for (const one of things)
      yield* [
        [one, "1", "2"],
        ["1", one, "2"],
        ["[1 2]", "0", one],
      ];
}

function told(source: string): string | undefined {
  try {
    const program = machine.load(`(define (f a b) a) ${source}`);
    program.evaluate({
      ...(program.inputs.includes("n") ? { n: 1.5 } : {}),
      ...(program.inputs.includes("q") ? { q: [1, 0] } : {}),
    });
    program.dispose();
    return undefined;
  } catch (error) {
    if (!(error instanceof NdvmError)) throw error;
    const { code, message, help, facts, span } = error;
    const at = (span?.start ?? 0) - "(define (f a b) a) ".length;
    return `${code} ${message} | ${help} | ${JSON.stringify(facts)} | ${at}`;
  }
}

test.each([...primitiveByName])("(%s …)", (name, { arity }) => {
  const words = new Map<string, string>();
  for (let count = arity.min; count <= Math.min(arity.max, 3); count++)
    for (const operands of operandsOf(count)) {
      const source = `(${[name, ...operands].join(" ")})`;
      const text = told(source);
      // The numbers of a message differ from case to case; the first of each kind will do.
      const kind = text?.replace(/got .* \| /, "");
      if (text !== undefined && kind !== undefined && !words.has(kind))
        words.set(kind, `${source}\n  ${text}`);
    }
  expect([...words.values()].join("\n")).toMatchSnapshot();
});

test.each(
  things.flatMap((thing) => [
    `(${thing})`,
    `(${thing} 1 2)`,
    `(apply ${thing} '(1 2 3))`,
    `(apply + 1 ${thing})`,
  ]),
)("%s", (call) => {
  expect(told(call) ?? "it can be called").toMatchSnapshot();
});

test("the place of a fault is the first of a node and its callers that the text has", () => {
  const seen = (...nodes: number[]) =>
    ({
      spanOf: (node: number) => (nodes.includes(node) ? { start: node, end: node + 1 } : undefined),
    }) as ParsedProgram;
  expect(nearestVisible(seen(3, 5), 3, [5])).toBe(3);
  expect(nearestVisible(seen(5, 7), 3, [4, 5, 7])).toBe(5);
  expect(nearestVisible(seen(0), 3, [0, 1])).toBe(0);
  expect(nearestVisible(seen(1), 3, [4, 5])).toBe(-1);
  expect(nearestVisible(seen(1), 3, [])).toBe(-1);
});
