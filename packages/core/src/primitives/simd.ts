/**
 * SIMD reading: a node graph as AssemblyScript text over v128. Values are lanes of `real`, masks are
 * lanes of all ones or all zeros. Transcendentals call the kernels of wasm/math.
 */
import type { Operation } from "./algebra.js";
import { type Node, nodesOf } from "./graph.js";

type Text = (...args: string[]) => string;

const real =
  (name: string): Text =>
  (...args) =>
    `v128.${name}<real>(${args.join(", ")})`;
const bits =
  (name: string): Text =>
  (...args) =>
    `v128.${name}(${args.join(", ")})`;
const math =
  (name: string): Text =>
  (...args) =>
    `${name}V(${args.join(", ")})`;

const SIMD: Readonly<Record<Operation, Text>> = {
  add: real("add"),
  sub: real("sub"),
  mul: real("mul"),
  div: real("div"),
  neg: real("neg"),
  abs: real("abs"),
  sqrt: real("sqrt"),
  min: real("min"),
  max: real("max"),
  atLeast: real("pmax"),
  floor: real("floor"),
  ceil: real("ceil"),
  trunc: real("trunc"),
  nearest: real("nearest"),
  exp: math("exp"),
  expm1: math("expm1"),
  log: math("log"),
  log1p: math("log1p"),
  sin: math("sin"),
  cos: math("cos"),
  tan: math("tan"),
  asin: math("asin"),
  acos: math("acos"),
  atan: math("atan"),
  sinh: math("sinh"),
  cosh: math("cosh"),
  tanh: math("tanh"),
  sigmoid: math("sigmoid"),
  softplus: math("softplus"),
  erf: math("erf"),
  lgamma: math("lgamma"),
  digamma: math("digamma"),
  atan2: math("atan2"),
  pow: math("pow"),
  gcd: math("gcd"),
  rem: math("rem"),
  lt: real("lt"),
  le: real("le"),
  gt: real("gt"),
  ge: real("ge"),
  eq: real("eq"),
  ne: real("ne"),
  and: bits("and"),
  or: bits("or"),
  not: bits("not"),
  select: (test, yes, no) => `v128.bitselect(${yes}, ${no}, ${test})`,
  andMask: bits("and"),
};

/** Longer texts are bound to a local too, so that lines stay short. */
const INLINE_MAX = 36;

export interface SimdText {
  /** One line for each subexpression that is used more than once, or long. */
  readonly bindings: readonly string[];
  /** One expression for each root. */
  readonly results: readonly string[];
  /** The math kernels that are called. */
  readonly imports: readonly string[];
}

/** How often each node stands in the text of the roots, when shared nodes are written once. */
function countUses(roots: readonly Node[]): ReadonlyMap<Node, number> {
  const uses = new Map<Node, number>();
  const use = (node: Node): void => void uses.set(node, (uses.get(node) ?? 0) + 1);
  roots.forEach(use);
  for (const node of nodesOf(roots)) if (node.kind === "apply") node.args.forEach(use);
  return uses;
}

const isNot = (node: Node | undefined): node is Node & { kind: "apply" } =>
  node?.kind === "apply" && node.op === "not";

/** Writes the roots. Leaves are written as `gv`, `xv`, `yv`, `zv`, `sv`. */
export function simdText(roots: readonly Node[]): SimdText {
  const uses = countUses(roots);
  const names = new Map<Node, string>();
  const bindings: string[] = [];
  const write = (node: Node): string => names.get(node) ?? writeNew(node);
  const writeNew = (node: Node): string => {
    if (node.kind === "leaf") return `${node.name}v`;
    if (node.kind === "num") return `v128.splat<real>(${node.value})`;
    const [value, mask] = node.args;
    // A mask that is only negated to silence lanes needs no negation of its own.
    const text =
      node.op === "andMask" && value && isNot(mask)
        ? bits("andnot")(write(value), ...mask.args.map(write))
        : SIMD[node.op](...node.args.map(write));
    if ((uses.get(node) ?? 0) < 2 && text.length <= INLINE_MAX) return text;
    const name = `t${names.size}`;
    names.set(node, name);
    bindings.push(`const ${name} = ${text};`);
    return name;
  };
  const results = roots.map(write);
  const text = [...bindings, ...results].join(" ");
  const imports = [...new Set([...text.matchAll(/\b[a-z0-9]+V(?=\()/g)].map(([name]) => name))];
  return { bindings, results, imports };
}
