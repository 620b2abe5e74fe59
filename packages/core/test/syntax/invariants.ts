/**
 * What must hold for every expansion, checked by loops: post-order with contiguous subtrees, spans,
 * variables in scope, recurs that belong to a loop around them.
 */

import { expect } from "vitest";
import type { Core, Expansion } from "../../src/syntax/core.js";

/** The parts of a node in evaluation order. */
export function partsOf(node: Core): readonly Core[] {
  switch (node.kind) {
    case "if":
      return [node.test, node.then, node.else];
    case "lambda":
      return [node.body];
    case "call":
      return [node.operator, ...node.operands];
    case "let":
    case "letrec":
    case "loop":
      return [...node.inits, node.body];
    case "seq":
      return node.body;
    case "recur":
      return node.operands;
    case "define":
      return [node.init];
    default:
      return [];
  }
}

export function expectPostOrder({ nodes }: Expansion): void {
  const roots: Core[] = [];
  let isOrdered = true;
  for (const node of nodes) {
    const parts = partsOf(node);
    const expected = roots.splice(roots.length - parts.length, parts.length);
    if (!parts.every((part, i) => part === expected[i])) isOrdered = false;
    roots.push(node);
  }
  expect(isOrdered).toBe(true);
  expect(roots.length).toBe(1);
  expect(roots[0]?.kind).toBe("seq");
  expect(new Set(nodes).size).toBe(nodes.length);
}

export function expectResolved({ nodes, globals }: Expansion): void {
  const bound = new Set(globals);
  for (const node of nodes) {
    if (node.kind === "lambda") {
      for (const variable of node.params) bound.add(variable);
      if (node.rest) bound.add(node.rest);
    } else if (node.kind === "let" || node.kind === "letrec" || node.kind === "loop") {
      for (const variable of node.variables) bound.add(variable);
    }
  }
  const isBound = nodes.every((node) => node.kind !== "ref" || bound.has(node.variable));
  expect(isBound).toBe(true);
}

export function expectSpans({ nodes }: Expansion, source: string): void {
  const isInside = nodes.every(
    ({ span }) => span.start === -1 || (span.start < span.end && span.end <= source.length),
  );
  expect(isInside).toBe(true);
}
