/**
 * Primitives on values whose numbers are formulas: tests, lists, and vectors of known length.
 */

import { primitiveByName } from "../primitives/index.js";
import { own } from "../records.js";
import type { CallNode } from "../syntax/core.js";
import { type Comparison, type Formula, numberFormula, type Test } from "./formula.js";
import {
  apply,
  decide,
  elementAt,
  foldLeft,
  indexFrom,
  isFormula,
  isPair,
  isTest,
  isVector,
  itemsOf,
  listOf,
  nil,
  notNumbers,
  pairFrom,
  refusal,
  SIZE_MAX,
  type Value,
  vectorFrom,
} from "./symbolic-values.js";

const COMPARISONS: ReadonlySet<string> = new Set(["=", "<", ">", "<=", ">="]);

export function compare(
  name: string,
  operands: readonly Value[],
  node: CallNode,
): Value | undefined {
  const zero = numberFormula(0, true);
  const signs: Readonly<Record<string, Comparison>> = {
    "zero?": "=",
    "positive?": ">",
    "negative?": "<",
  };
  const sign = own(signs, name);
  if (!COMPARISONS.has(name) && sign === undefined) return undefined;
  if (!operands.every(isFormula)) throw notNumbers(name, operands, node);
  const sides = sign === undefined ? operands : [operands[0] as Formula, zero];
  const op = sign ?? (name as Comparison);
  const tests = sides
    .slice(1)
    .map((right, i): Test => ({ kind: "compare", op, left: sides[i] as Formula, right }));
  if (tests.length === 0) return true;
  const test: Test = tests.length === 1 ? (tests[0] as Test) : { kind: "all", tests };
  return decide(test) ?? test;
}

const sum = (terms: readonly Formula[]): Formula => foldLeft("+", terms);

/** Lists, tests of kind, and vectors of known length. */
export function structural(
  name: string,
  operands: readonly Value[],
  node: CallNode,
): Value | undefined {
  const [x, y] = operands as [Value, Value];
  switch (name) {
    case "cons":
      return { kind: "pair", car: x, cdr: y };
    case "car":
      return pairFrom(x, node).car;
    case "cdr":
      return pairFrom(x, node).cdr;
    case "list":
      return listOf(operands);
    case "length":
      return numberFormula(itemsOf(x, node).length, true);
    case "reverse":
      return listOf(itemsOf(x, node).reverse());
    case "append": {
      const front = operands.slice(0, -1).flatMap((list) => itemsOf(list, node));
      checkLength("list", front.length, node);
      return listOf(front, operands.at(-1) ?? nil);
    }
    case "list-ref":
      return elementAt(itemsOf(x, node), indexFrom(y, node), node);
    case "list-tail":
      return tailOf(x, indexFrom(y, node), node);
    case "null?":
      return typeof x !== "boolean" && x.kind === "nil";
    case "pair?":
      return isPair(x);
    case "number?":
    case "real?":
      return isFormula(x);
    case "eq?":
    case "eqv?":
      return isSame(x, y, node);
    case "not":
      return isTest(x) ? { kind: "not", test: x } : x === false;
    default:
      return vectorPrimitive(name, operands, node);
  }
}

/** The list itself from an element on, so that it is still the same list. */
function tailOf(list: Value, index: number, node: CallNode): Value {
  if (index < 0) throw refusal(`there is no element ${index}`, node.span);
  let rest = list;
  for (let i = 0; i < index; i++) rest = pairFrom(rest, node).cdr;
  return rest;
}

/** Numbers and vectors compare by value, which may depend on the inputs; other things as themselves. */
function isSame(x: Value, y: Value, node: CallNode): Value {
  if (isFormula(x) && isFormula(y)) return compare("=", [x, y], node) as Value;
  if (isVector(x) && isVector(y)) return haveSameItems(x.items, y.items, node);
  if (isTest(x) || isTest(y)) throw refusal("it compares the outcomes of tests", node.span);
  if (typeof x === "boolean" || typeof y === "boolean") return x === y;
  if (x.kind === "symbol" && y.kind === "symbol") return x.name === y.name;
  if (x.kind === "primitive" && y.kind === "primitive")
    return primitiveByName.get(x.name) === primitiveByName.get(y.name);
  const isOnlyOne = x.kind === "nil" || x.kind === "unspecified";
  return x === y || (isOnlyOne && x.kind === y.kind);
}

function haveSameItems(xs: readonly Formula[], ys: readonly Formula[], node: CallNode): Value {
  if (xs.length !== ys.length) return false;
  const answers = xs.map((x, i) => compare("=", [x, ys[i] as Formula], node) as Test | boolean);
  if (answers.includes(false)) return false;
  const tests = answers.filter((answer) => answer !== true) as Test[];
  return tests.length < 2 ? (tests[0] ?? true) : { kind: "all", tests };
}

/** Longer ones would take memory before their parts are counted. */
function checkLength(what: string, length: number, node: CallNode): void {
  if (length > SIZE_MAX)
    throw refusal(`it has a ${what} of ${length} elements, more than ${SIZE_MAX}`, node.span);
}

/** A vector of as many times the same number. */
function filled(size: Value, number: number, node: CallNode): Value {
  const length = indexFrom(size, node);
  if (length < 0) throw refusal(`${length} is not a size`, node.span);
  checkLength("vector", length, node);
  return { kind: "vector", items: Array(length).fill(numberFormula(number, true)) };
}

function vectorPrimitive(
  name: string,
  operands: readonly Value[],
  node: CallNode,
): Value | undefined {
  const [x, y] = operands as [Value, Value];
  const product = (a: Formula, b: Formula) => foldLeft("*", [a, b]);
  switch (name) {
    case "vec":
      if (!operands.every(isFormula)) throw notNumbers(name, operands, node);
      return { kind: "vector", items: operands };
    case "zeros":
    case "ones":
      return operands.length > 1 ? undefined : filled(x, name === "ones" ? 1 : 0, node);
    case "ref":
      if (operands.length > 2) return undefined;
      return elementAt(vectorFrom(x, node), indexFrom(y, node), node);
    case "vlen":
      return numberFormula(vectorFrom(x, node).length, true);
    case "vsum":
      return sum(vectorFrom(x, node));
    case "dot": {
      const [a, b] = [vectorFrom(x, node), vectorFrom(y, node)];
      if (a.length !== b.length) throw refusal("vectors differ in length", node.span);
      return sum(a.map((item, i) => product(item, b[i] as Formula)));
    }
    case "norm":
      return apply("sqrt", sum(vectorFrom(x, node).map((item) => product(item, item))));
    default:
      return undefined;
  }
}
