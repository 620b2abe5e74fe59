/**
 * Between trees and program text.
 *
 * `writeTree` gives parameters the names p0, p1 … and bound variables u0 (let), s0 (loop state) and
 * k0 (counter), in order of appearance, so that equal trees have equal texts. `readTree` takes every
 * program that is made of what trees are made of, and gives up on all others.
 */

import { constants, type Datum, NdvmError, print, read } from "@ndvm/core";
import {
  bind,
  branch,
  call,
  loop,
  number,
  param,
  seesBinds,
  type Tree,
  test,
  variable,
} from "./tree.js";

/** Names that programs of a study must not bind: its inputs and its target. */
export interface Names {
  readonly inputs: ReadonlySet<string>;
  readonly target?: string;
}

export interface Written {
  readonly source: string;
  /** The name in the text of every parameter of the tree. */
  readonly params: ReadonlyMap<string, string>;
}

export function writeTree(root: Tree, { inputs, target }: Names): Written {
  const params = new Map<string, string>();
  const used = new Map<string, number>();
  const fresh = (prefix: string): string => {
    for (;;) {
      const count = used.get(prefix) ?? 0;
      used.set(prefix, count + 1);
      const name = `${prefix}${count}`;
      if (!inputs.has(name) && name !== target) return name;
    }
  };
  const withBinds = (tree: Tree, names: ReadonlyMap<string, string>): Map<string, string> => {
    const inner = new Map(names);
    tree.binds.forEach((name, i) => {
      const isCounter = tree.kind === "loop" && i === tree.binds.length - 1;
      inner.set(name, fresh(tree.kind === "let" ? "u" : isCounter ? "k" : "s"));
    });
    return inner;
  };
  const write = (tree: Tree, names: ReadonlyMap<string, string>): string => {
    if (tree.kind === "number") return numberText(tree.value);
    if (tree.kind === "variable") return names.get(tree.name) ?? symbolText(tree.name);
    if (tree.kind === "param") {
      const name = params.get(tree.name) ?? fresh("p");
      params.set(tree.name, name);
      return name;
    }
    if (tree.binds.length === 0) return `(${headOf(tree)}${operands(tree, tree, names)})`;
    const inner = withBinds(tree, names);
    const args: string[] = [];
    for (const [i, arg] of tree.args.entries())
      args.push(write(arg, seesBinds(tree, i) ? inner : names));
    return formText(tree, inner, args);
  };
  /** Arguments of a tree, each after a space; those of nested sums and products in one row. */
  const operands = (tree: Tree, run: Tree, names: ReadonlyMap<string, string>): string => {
    let text = "";
    for (const arg of tree.args)
      text += isPartOf(arg, run) ? operands(arg, run, names) : ` ${write(arg, names)}`;
    return text;
  };
  return { source: write(root, NO_NAMES), params };
}

const NO_NAMES: ReadonlyMap<string, string> = new Map();

const headOf = ({ kind, name }: Tree): string =>
  kind === "if" ? kind : name === "neg" ? "-" : name;

/** Whether an argument is a sum in a sum, or a product in a product. */
const isPartOf = (arg: Tree, { kind, name }: Tree): boolean =>
  arg.kind === "call" && kind === "call" && arg.name === name && (name === "+" || name === "*");

/** The text of a form that binds names. */
function formText(tree: Tree, names: ReadonlyMap<string, string>, args: readonly string[]): string {
  if (tree.kind === "let") {
    return `(let ((${names.get(tree.binds[0] as string)} ${args[0]})) ${args[1]})`;
  }
  const count = tree.binds.length - 1;
  const counter = names.get(tree.binds[count] as string);
  const starts = tree.binds
    .slice(0, count)
    .map((name, i) => `(${names.get(name)} ${args[i]})`)
    .join(" ");
  const nexts = args.slice(count, 2 * count).join(" ");
  const turn = `(recur ${nexts} (+ ${counter} 1))`;
  return `(loop (${starts} (${counter} 0)) (if (= ${counter} ${tree.value}) ${args[2 * count]} ${turn}))`;
}

function numberText(value: number): string {
  const span = { start: 0, end: 0 };
  return print({ kind: "number", value, exact: Number.isInteger(value), span });
}

function symbolText(name: string): string {
  return print({ kind: "symbol", name, span: { start: 0, end: 0 } });
}

const depthMax = 200;

/** A program's tree; undefined where it holds something that trees do not. */
export function readTree(source: string, names: Names): Tree | undefined {
  try {
    return treeOf(read(source), names);
  } catch (error) {
    if (error instanceof Unknown || error instanceof NdvmError) return undefined;
    throw error;
  }
}

class Unknown extends Error {}

export function treeOf(datums: readonly Datum[], { inputs }: Names): Tree {
  const [datum] = datums;
  if (datum === undefined || datums.length !== 1) throw new Unknown();
  return convert(datum, { inputs, bound: new Map(), depth: 0 });
}

interface Context {
  readonly inputs: ReadonlySet<string>;
  /** What a bound name is called in the tree. */
  readonly bound: ReadonlyMap<string, string>;
  readonly depth: number;
}

const deeper = (context: Context): Context => ({ ...context, depth: context.depth + 1 });

function withBound(context: Context, names: readonly string[]): Context {
  const bound = new Map(context.bound);
  for (const name of names) bound.set(name, `\u0001${name}.${context.depth}`);
  return { ...context, bound };
}

function convert(datum: Datum, context: Context): Tree {
  if (context.depth > depthMax) throw new Unknown();
  if (datum.kind === "number") return number(datum.value);
  if (datum.kind === "symbol") {
    const local = context.bound.get(datum.name);
    if (local !== undefined) return variable(local);
    if (context.inputs.has(datum.name)) return variable(datum.name);
    const value = constants.get(datum.name);
    return value === undefined ? param(datum.name) : number(value);
  }
  if (datum.kind !== "list" || datum.tail !== undefined) throw new Unknown();
  const [head, ...rest] = datum.items;
  if (head?.kind !== "symbol" || context.bound.has(head.name) || context.inputs.has(head.name)) {
    throw new Unknown();
  }
  const inner = deeper(context);
  if (head.name === "if") return convertIf(rest, inner);
  if (head.name === "let") return convertLet(rest, inner);
  if (head.name === "loop") return convertLoop(rest, inner);
  if (comparisons.has(head.name)) throw new Unknown();
  return convertCall(
    head.name,
    rest.map((item) => convert(item, inner)),
  );
}

export const comparisons: ReadonlySet<string> = new Set(["<", ">", "<=", ">="]);

/** Functions of real numbers that trees may call, by how many arguments they take. */
export const unary: ReadonlySet<string> = new Set(
  `abs square sqrt exp log sin cos tan asin acos atan sinh cosh tanh log1p expm1 sigmoid softplus
  erf lgamma floor ceiling round truncate`.split(/\s+/),
);
export const binary: ReadonlySet<string> = new Set([
  "+",
  "-",
  "*",
  "/",
  "min",
  "max",
  "expt",
  "pow",
]);

function convertCall(name: string, args: readonly Tree[]): Tree {
  const [first, ...rest] = args;
  if (first === undefined) throw new Unknown();
  if (rest.length === 0) {
    if (name === "-") return call("neg", first);
    if (name === "/") return call("/", number(1), first);
    if (name === "+" || name === "*") return first;
    if (unary.has(name)) return call(name, first);
    throw new Unknown();
  }
  const canFold = rest.length === 1 || (name !== "expt" && name !== "pow");
  if (!binary.has(name) || !canFold) throw new Unknown();
  return rest.reduce((left, right) => call(name, left, right), first);
}

function convertIf(items: readonly Datum[], context: Context): Tree {
  const [condition, then, otherwise] = items;
  if (items.length !== 3 || condition?.kind !== "list") throw new Unknown();
  const [head, left, right] = condition.items;
  const isTest = head?.kind === "symbol" && comparisons.has(head.name);
  if (!isTest || condition.items.length !== 3 || condition.tail !== undefined) throw new Unknown();
  return branch(
    test(head.name, convert(left as Datum, context), convert(right as Datum, context)),
    convert(then as Datum, context),
    convert(otherwise as Datum, context),
  );
}

/** Several bindings become nested lets: bound names are made unique, so nothing is captured. */
function convertLet(items: readonly Datum[], context: Context): Tree {
  const [list, body] = items;
  if (items.length !== 2 || list?.kind !== "list" || list.items.length === 0) throw new Unknown();
  const bindings = list.items.map((datum) => bindingOf(datum, context));
  const names = bindings.map(({ name }) => name);
  const inner = withBound(context, names);
  return bindings.reduceRight(
    (tree, { name, value }) => bind(inner.bound.get(name) as string, value, tree),
    convert(body as Datum, inner),
  );
}

function bindingOf(datum: Datum, context: Context): { name: string; value: Tree } {
  if (datum.kind !== "list" || datum.items.length !== 2) throw new Unknown();
  const [name, value] = datum.items as readonly [Datum, Datum];
  if (name.kind !== "symbol") throw new Unknown();
  return { name: name.name, value: convert(value, context) };
}

/** (loop ((s start) … (k 0)) (if (= k turns) result (recur next … (+ k 1)))) */
function convertLoop(items: readonly Datum[], context: Context): Tree {
  const [list, body] = items;
  if (items.length !== 2 || list?.kind !== "list" || list.items.length < 2) throw new Unknown();
  const bindings = list.items.map((datum) => bindingOf(datum, context));
  const names = bindings.map(({ name }) => name);
  const counter = names.at(-1) as string;
  const count = names.length - 1;
  if (bindings[count]?.value.kind !== "number" || bindings[count]?.value.value !== 0) {
    throw new Unknown();
  }
  const inner = withBound(context, names);
  const [exit, result, again] = partsOf(body, "if", 3);
  const [left, turns] = partsOf(exit, "=", 2);
  const nexts = partsOf(again, "recur", count + 1);
  const [step, one] = partsOf(nexts[count], "+", 2);
  const isCounted =
    isSymbol(left, counter) && isSymbol(step, counter) && one?.kind === "number" && one.value === 1;
  if (!isCounted || turns?.kind !== "number" || !isCount(turns.value)) throw new Unknown();
  return loop({
    turns: turns.value,
    states: names.slice(0, count).map((name) => inner.bound.get(name) as string),
    counter: inner.bound.get(counter) as string,
    starts: bindings.slice(0, count).map(({ value }) => value),
    nexts: nexts.slice(0, count).map((next) => convert(next, inner)),
    result: convert(result as Datum, inner),
  });
}

const isCount = (value: number): boolean => Number.isInteger(value) && value >= 0 && value <= 1000;

function partsOf(datum: Datum | undefined, head: string, count: number): readonly Datum[] {
  if (datum?.kind !== "list" || datum.items.length !== count + 1) throw new Unknown();
  if (!isSymbol(datum.items[0], head)) throw new Unknown();
  return datum.items.slice(1);
}

function isSymbol(datum: Datum | undefined, name: string): boolean {
  return datum?.kind === "symbol" && datum.name === name;
}
