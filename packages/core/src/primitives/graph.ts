/**
 * The algebra that builds a node graph instead of computing. Equal expressions become one node, so
 * a text that is written from the graph can bind what is used twice.
 *
 * Invariant: nodes of one graph are equal if and only if they are the same object.
 */
import { tableOf } from "../records.js";
import type { Algebra, Operation } from "./algebra.js";

/** s: what the forward kernel left for the adjoint. */
export type Leaf = "g" | "x" | "y" | "z" | "s";

export type Node =
  | { readonly kind: "leaf"; readonly name: Leaf }
  | { readonly kind: "num"; readonly value: number }
  | { readonly kind: "apply"; readonly op: Operation; readonly args: readonly Node[] };

export interface Graph {
  readonly k: Algebra<Node, Node>;
  readonly leaves: Readonly<Record<Leaf, Node>>;
}

const ARITIES: Readonly<Record<Operation, 1 | 2 | 3>> = {
  add: 2,
  sub: 2,
  mul: 2,
  div: 2,
  neg: 1,
  abs: 1,
  sqrt: 1,
  min: 2,
  max: 2,
  atLeast: 2,
  floor: 1,
  ceil: 1,
  trunc: 1,
  nearest: 1,
  exp: 1,
  expm1: 1,
  log: 1,
  log1p: 1,
  sin: 1,
  cos: 1,
  tan: 1,
  asin: 1,
  acos: 1,
  atan: 1,
  sinh: 1,
  cosh: 1,
  tanh: 1,
  sigmoid: 1,
  softplus: 1,
  erf: 1,
  lgamma: 1,
  digamma: 1,
  atan2: 2,
  pow: 2,
  gcd: 2,
  rem: 2,
  lt: 2,
  le: 2,
  gt: 2,
  ge: 2,
  eq: 2,
  ne: 2,
  and: 2,
  or: 2,
  not: 1,
  select: 3,
  andMask: 2,
};

/** A fresh graph: its algebra and its leaves. */
export function newGraph(): Graph {
  const known = new Map<string, Node>();
  const ids = new Map<Node, number>();
  const intern = (key: string, node: Node): Node => {
    const found = known.get(key);
    if (found) return found;
    known.set(key, node);
    ids.set(node, ids.size);
    return node;
  };
  const apply =
    (op: Operation) =>
    (...args: Node[]): Node => {
      if (args.length !== ARITIES[op]) throw new Error(`${op} takes ${ARITIES[op]} operands`);
      return intern(`${op} ${args.map((a) => ids.get(a)).join(" ")}`, { kind: "apply", op, args });
    };
  const leaf = (name: Leaf): Node => intern(name, { kind: "leaf", name });
  const operations = Object.keys(ARITIES).map((op) => [op, apply(op as Operation)] as const);
  const k = {
    ...tableOf(operations),
    num: (value: number): Node =>
      intern(Object.is(value, -0) ? "-0" : `${value}`, { kind: "num", value }),
  } as Algebra<Node, Node>;
  const leaves = { g: leaf("g"), x: leaf("x"), y: leaf("y"), z: leaf("z"), s: leaf("s") };
  return { k, leaves };
}

/** Every node below the roots, operands before their users. */
export function nodesOf(roots: readonly Node[]): Node[] {
  const seen = new Set<Node>();
  const visit = (node: Node): void => {
    if (seen.has(node)) return;
    if (node.kind === "apply") node.args.forEach(visit);
    seen.add(node);
  };
  roots.forEach(visit);
  return [...seen];
}

/** The leaves that the roots read. */
export function leavesOf(roots: readonly Node[]): Leaf[] {
  return nodesOf(roots).flatMap((node) => (node.kind === "leaf" ? [node.name] : []));
}
