/**
 * Trees: the programs that `evolve` breeds.
 *
 *   number    value                                   a number that is not fitted
 *   param     name                                    a number that is fitted
 *   variable  name                                    an input, or what a let or loop binds
 *   call      name, args                              "neg" is (- x); all others by their name
 *   test      name, args: 2 reals                     < > <= >=, a truth value
 *   if        args: test, then, else
 *   let       binds: [name], args: value, body        the body sees the name
 *   loop      binds: states and the counter,          value: how many turns
 *             args: starts …, nexts …, result         nexts and result see states and counter
 *
 * Calls have one or two arguments. A loop runs a fixed number of turns, so every tree ends. Trees
 * are never changed; they are small (a study's greatest complexity), so functions here recurse.
 */

export type Kind = "number" | "param" | "variable" | "call" | "test" | "if" | "let" | "loop";

export interface Tree {
  readonly kind: Kind;
  readonly name: string;
  readonly value: number;
  readonly binds: readonly string[];
  readonly args: readonly Tree[];
}

const nothing: readonly never[] = [];

export const number = (value: number): Tree => ({
  kind: "number",
  name: "",
  value,
  binds: nothing,
  args: nothing,
});

export const param = (name: string): Tree => ({
  kind: "param",
  name,
  value: 0,
  binds: nothing,
  args: nothing,
});

export const variable = (name: string): Tree => ({
  kind: "variable",
  name,
  value: 0,
  binds: nothing,
  args: nothing,
});

export const call = (name: string, ...args: readonly Tree[]): Tree => ({
  kind: "call",
  name,
  value: 0,
  binds: nothing,
  args,
});

export const test = (name: string, left: Tree, right: Tree): Tree => ({
  kind: "test",
  name,
  value: 0,
  binds: nothing,
  args: [left, right],
});

export const branch = (condition: Tree, then: Tree, otherwise: Tree): Tree => ({
  kind: "if",
  name: "",
  value: 0,
  binds: nothing,
  args: [condition, then, otherwise],
});

export const bind = (name: string, value: Tree, body: Tree): Tree => ({
  kind: "let",
  name: "",
  value: 0,
  binds: [name],
  args: [value, body],
});

export interface LoopParts {
  readonly turns: number;
  readonly states: readonly string[];
  readonly counter: string;
  readonly starts: readonly Tree[];
  readonly nexts: readonly Tree[];
  readonly result: Tree;
}

export const loop = ({ turns, states, counter, starts, nexts, result }: LoopParts): Tree => ({
  kind: "loop",
  name: "",
  value: turns,
  binds: [...states, counter],
  args: [...starts, ...nexts, result],
});

export function loopParts(tree: Tree): LoopParts {
  const count = tree.binds.length - 1;
  return {
    turns: tree.value,
    states: tree.binds.slice(0, count),
    counter: tree.binds[count] as string,
    starts: tree.args.slice(0, count),
    nexts: tree.args.slice(count, 2 * count),
    result: tree.args[2 * count] as Tree,
  };
}

/** The tree itself where the arguments are its own. All fields by name: spreading takes longer. */
export function withArgs(tree: Tree, args: readonly Tree[]): Tree {
  if (isSameList(args, tree.args)) return tree;
  const { kind, name, value, binds } = tree;
  return { kind, name, value, binds, args };
}

function isSameList(some: readonly Tree[], others: readonly Tree[]): boolean {
  if (some.length !== others.length) return false;
  for (let i = 0; i < some.length; i++) if (some[i] !== others[i]) return false;
  return true;
}

/** Whether two trees are equal, names included. */
export function isEqual(a: Tree, b: Tree): boolean {
  if (a === b) return true;
  if (a.kind !== b.kind || a.name !== b.name || a.value !== b.value) return false;
  if (a.args.length !== b.args.length || a.binds.length !== b.binds.length) return false;
  for (let i = 0; i < a.binds.length; i++) if (a.binds[i] !== b.binds[i]) return false;
  for (let i = 0; i < a.args.length; i++)
    if (!isEqual(a.args[i] as Tree, b.args[i] as Tree)) return false;
  return true;
}

/** Whether argument `at` of a tree sees the names that the tree binds. */
export function seesBinds(tree: Tree, at: number): boolean {
  if (tree.kind === "let") return at === 1;
  return tree.kind === "loop" && at >= tree.binds.length - 1;
}

/** As `complexityOf` counts the tree's text. */
export function sizeOf(tree: Tree): number {
  let size = tree.kind === "loop" ? 10 : 1;
  for (const arg of tree.args) size += sizeOf(arg);
  return size;
}

export const isConstant = (tree: Tree): boolean => tree.kind === "number" || tree.kind === "param";

/** Whether no input and no bound name is read: numbers and parameters only. */
export function isFixed(tree: Tree): boolean {
  if (tree.kind === "variable") return false;
  if (tree.kind === "let" || tree.kind === "loop") return false;
  return tree.args.every(isFixed);
}

export function mentions(tree: Tree, name: string): boolean {
  if (tree.kind === "variable") return tree.name === name;
  return tree.args.some((arg, i) => {
    const isHidden = seesBinds(tree, i) && tree.binds.includes(name);
    return !isHidden && mentions(arg, name);
  });
}

/** The same tree with names of variables replaced where they are free. */
export function substitute(tree: Tree, name: string, by: Tree): Tree {
  if (tree.kind === "variable") return tree.name === name ? by : tree;
  if (tree.args.length === 0) return tree;
  const args = tree.args.map((arg, i) =>
    seesBinds(tree, i) && tree.binds.includes(name) ? arg : substitute(arg, name, by),
  );
  return withArgs(tree, args);
}

export function mapLeaves(tree: Tree, change: (leaf: Tree) => Tree): Tree {
  if (tree.args.length === 0) return change(tree);
  return withArgs(
    tree,
    tree.args.map((arg) => mapLeaves(arg, change)),
  );
}

/** Names of the parameters in the order in which they appear. */
export function paramsOf(tree: Tree): string[] {
  const names = new Set<string>();
  const visit = (at: Tree): void => {
    if (at.kind === "param") names.add(at.name);
    for (const arg of at.args) visit(arg);
  };
  visit(tree);
  return [...names];
}

/** A place in a tree: the way to it, what is there, and the bound names that it sees. */
export interface Site {
  readonly path: readonly number[];
  readonly tree: Tree;
  readonly scope: readonly string[];
  /** The tree around it, undefined at the root. */
  readonly parent: Tree | undefined;
}

/** Every place of a tree, the root first. */
export function sitesOf(root: Tree): Site[] {
  const sites: Site[] = [];
  const visit = (
    tree: Tree,
    path: readonly number[],
    scope: readonly string[],
    parent: Tree | undefined,
  ): void => {
    sites.push({ path, tree, scope, parent });
    tree.args.forEach((arg, i) => {
      visit(arg, [...path, i], seesBinds(tree, i) ? [...scope, ...tree.binds] : scope, tree);
    });
  };
  visit(root, [], [], undefined);
  return sites;
}

/** The tree with another one at a place. */
export function replaceAt(root: Tree, path: readonly number[], by: Tree, from = 0): Tree {
  if (from === path.length) return by;
  const at = path[from] as number;
  const args = [...root.args];
  args[at] = replaceAt(root.args[at] as Tree, path, by, from + 1);
  return withArgs(root, args);
}

/** Texts that are equal for equal trees. */
export function keyOf(tree: Tree): string {
  if (tree.args.length === 0) return tree.kind === "number" ? `${tree.value}` : tree.name;
  const head = `${tree.kind}${tree.name}${tree.value}${tree.binds.join()}`;
  return `(${head} ${tree.args.map(keyOf).join(" ")})`;
}
