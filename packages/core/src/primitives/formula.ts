/**
 * Formula reading: a node graph as a line of mathematics for the manual, with as few parentheses as
 * precedence allows.
 */
import type { Operation } from "./algebra.js";
import type { Node } from "./graph.js";

// Precedence, loosest first.
const CHOICE = 0;
const OR = 1;
const AND = 2;
const COMPARE = 3;
const SUM = 4;
const PRODUCT = 5;
const POWER = 6;
const ATOM = 7;

type Part = (least: number) => string;
interface Rule {
  readonly level: number;
  write(...args: Part[]): string;
}

const call = (name: string): Rule => ({
  level: ATOM,
  write: (...args) => `${name}(${args.map((arg) => arg(CHOICE)).join(", ")})`,
});
const infix = (level: number, sign: string): Rule => ({
  level,
  write: (a, b) => `${a?.(level)}${sign}${b?.(level + 1)}`,
});
const around = (left: string, right: string): Rule => ({
  level: ATOM,
  write: (a) => `${left}${a?.(CHOICE)}${right}`,
});

const RULES: Readonly<Record<Operation, Rule>> = {
  add: infix(SUM, " + "),
  sub: infix(SUM, " − "),
  mul: infix(PRODUCT, "·"),
  div: infix(PRODUCT, "/"),
  neg: { level: SUM, write: (a) => `−${a?.(PRODUCT)}` },
  abs: around("|", "|"),
  sqrt: { level: ATOM, write: (a) => `√${a?.(ATOM)}` },
  min: call("min"),
  max: call("max"),
  atLeast: call("max"),
  floor: around("⌊", "⌋"),
  ceil: around("⌈", "⌉"),
  trunc: call("trunc"),
  nearest: call("nearest"),
  exp: call("exp"),
  expm1: call("expm1"),
  log: call("log"),
  log1p: call("log1p"),
  sin: call("sin"),
  cos: call("cos"),
  tan: call("tan"),
  asin: call("asin"),
  acos: call("acos"),
  atan: call("atan"),
  sinh: call("sinh"),
  cosh: call("cosh"),
  tanh: call("tanh"),
  sigmoid: call("sigmoid"),
  softplus: call("softplus"),
  erf: call("erf"),
  lgamma: call("lgamma"),
  digamma: call("digamma"),
  atan2: call("atan2"),
  pow: { level: POWER, write: (a, b) => `${a?.(ATOM)}^${b?.(ATOM)}` },
  gcd: call("gcd"),
  rem: call("rem"),
  lt: infix(COMPARE, " < "),
  le: infix(COMPARE, " ≤ "),
  gt: infix(COMPARE, " > "),
  ge: infix(COMPARE, " ≥ "),
  eq: infix(COMPARE, " = "),
  ne: infix(COMPARE, " ≠ "),
  and: infix(AND, " and "),
  or: infix(OR, " or "),
  not: { level: ATOM, write: (a) => `not (${a?.(CHOICE)})` },
  select: {
    level: CHOICE,
    write: (test, yes, no) => `${yes?.(OR)} if ${test?.(OR)}, else ${no?.(CHOICE)}`,
  },
  andMask: {
    level: CHOICE,
    write: (value, mask) => `${value?.(OR)} if ${mask?.(OR)}, else 0`,
  },
};

const NUMBERS: ReadonlyMap<number, string> = new Map([
  [0.5, "½"],
  [2 / Math.sqrt(Math.PI), "2/√π"],
  [Number.POSITIVE_INFINITY, "∞"],
]);

function isSquare(node: Node & { kind: "apply" }): boolean {
  return node.op === "mul" && node.args[0] === node.args[1] && node.args[0]?.kind === "leaf";
}

/** x + x reads 2·x, x·x reads x². */
function write(node: Node, least: number): string {
  if (node.kind === "leaf") return node.name;
  if (node.kind === "num") {
    const text = NUMBERS.get(node.value) ?? `${node.value}`;
    return text.includes("/") && least > PRODUCT ? `(${text})` : text;
  }
  const [a, b] = node.args;
  if (isSquare(node) && a) return `${write(a, ATOM)}²`;
  const isDouble = node.op === "add" && a !== undefined && a === b;
  const level = isDouble ? PRODUCT : RULES[node.op].level;
  const text = isDouble
    ? `2·${write(a, PRODUCT)}`
    : RULES[node.op].write(...node.args.map((arg) => (to: number) => write(arg, to)));
  return level < least ? `(${text})` : text;
}

export const formulaText = (node: Node): string => write(node, CHOICE);
