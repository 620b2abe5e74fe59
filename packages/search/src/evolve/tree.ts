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

/**
 * An empty list that engines treat as a list of objects, as all others here: an empty literal counts as
 * one of integers until something is put in.
 */
const nothing: readonly never[] = [{}].slice(1) as never[];

/**
 * All trees are made here. Objects of one literal have one hidden class, and lists that are filled in
 * order have one kind, so that the engine optimises each function of these rooms once: workers each
 * pay for that anew, and it was more than half of a worker's first second.
 */
const make = (
  kind: Kind,
  name: string,
  value: number,
  binds: readonly string[],
  args: readonly Tree[],
): Tree => ({ kind, name, value, binds, args });

export const number = (value: number): Tree => make("number", "", value, nothing, nothing);

export const param = (name: string): Tree => make("param", name, 0, nothing, nothing);

export const variable = (name: string): Tree => make("variable", name, 0, nothing, nothing);

export const call = (name: string, ...args: readonly Tree[]): Tree =>
  make("call", name, 0, nothing, args);

export const test = (name: string, left: Tree, right: Tree): Tree =>
  make("test", name, 0, nothing, [left, right]);

export const branch = (condition: Tree, then: Tree, otherwise: Tree): Tree =>
  make("if", "", 0, nothing, [condition, then, otherwise]);

export const bind = (name: string, value: Tree, body: Tree): Tree =>
  make("let", "", 0, [name], [value, body]);

export interface LoopParts {
  readonly turns: number;
  readonly states: readonly string[];
  readonly counter: string;
  readonly starts: readonly Tree[];
  readonly nexts: readonly Tree[];
  readonly result: Tree;
}

export const loop = ({ turns, states, counter, starts, nexts, result }: LoopParts): Tree =>
  make("loop", "", turns, [...states, counter], [...starts, ...nexts, result]);

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

/** The same with other arguments. */
export const withArgs = (tree: Tree, args: readonly Tree[]): Tree =>
  make(tree.kind, tree.name, tree.value, tree.binds, args);

/** The same with another name. */
export const withName = (tree: Tree, name: string): Tree =>
  make(tree.kind, name, tree.value, tree.binds, tree.args);

/** The same with another number: that of a loop is how many turns it takes. */
export const withValue = (tree: Tree, value: number): Tree =>
  make(tree.kind, tree.name, value, tree.binds, tree.args);

/** The same with other bound names, and arguments that use them. */
export const withBinds = (tree: Tree, binds: readonly string[], args: readonly Tree[]): Tree =>
  make(tree.kind, tree.name, tree.value, binds, args);

/** The tree with something else for each of its arguments, from the first to the last. */
export function mapArgs(tree: Tree, change: (arg: Tree, at: number) => Tree): Tree {
  const { args } = tree;
  let changed: Tree[] | undefined;
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] as Tree;
    const next = change(arg, i);
    if (changed === undefined && next !== arg) changed = args.slice(0, i);
    if (changed !== undefined) changed.push(next);
  }
  return changed === undefined ? tree : make(tree.kind, tree.name, tree.value, tree.binds, changed);
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
  for (const arg of tree.args) if (!isFixed(arg)) return false;
  return true;
}

export function mentions(tree: Tree, name: string): boolean {
  if (tree.kind === "variable") return tree.name === name;
  const { args, binds } = tree;
  for (let i = 0; i < args.length; i++) {
    const isHidden = binds.length > 0 && seesBinds(tree, i) && binds.includes(name);
    if (!isHidden && mentions(args[i] as Tree, name)) return true;
  }
  return false;
}

/** The same tree with names of variables replaced where they are free. */
export function substitute(tree: Tree, name: string, by: Tree): Tree {
  if (tree.kind === "variable") return tree.name === name ? by : tree;
  return mapArgs(tree, (arg, i) =>
    seesBinds(tree, i) && tree.binds.includes(name) ? arg : substitute(arg, name, by),
  );
}

export function mapLeaves(tree: Tree, change: (leaf: Tree) => Tree): Tree {
  if (tree.args.length === 0) return change(tree);
  return mapArgs(tree, (arg) => mapLeaves(arg, change));
}

/** Names of the parameters in the order in which they appear. */
export function paramsOf(tree: Tree): string[] {
  const names: string[] = [];
  gatherParams(tree, names);
  return names;
}

function gatherParams(tree: Tree, names: string[]): void {
  if (tree.kind === "param" && !names.includes(tree.name)) names.push(tree.name);
  for (const arg of tree.args) gatherParams(arg, names);
}

/** A place in a tree: what is there, the tree around it, and the bound names that it sees. */
export class Site {
  readonly tree: Tree;
  readonly scope: readonly string[];
  readonly #around: Site | undefined;
  readonly #at: number;

  constructor(tree: Tree, scope: readonly string[], around: Site | undefined, at: number) {
    this.tree = tree;
    this.scope = scope;
    this.#around = around;
    this.#at = at;
  }

  get isRoot(): boolean {
    return this.#around === undefined;
  }

  /** The tree around it, undefined at the root. */
  get parent(): Tree | undefined {
    return this.#around?.tree;
  }

  /** Which arguments lead to it from the root. Few places are gone to, so it is made when asked for. */
  get path(): readonly number[] {
    const path: number[] = [];
    for (let site: Site = this; site.#around !== undefined; site = site.#around)
      path.push(site.#at);
    return path.reverse();
  }
}

/** Every place of a tree, the root first. */
export function sitesOf(root: Tree): Site[] {
  const sites: Site[] = [];
  gatherSites(new Site(root, nothing, undefined, 0), sites);
  return sites;
}

function gatherSites(site: Site, sites: Site[]): void {
  sites.push(site);
  const { tree, scope } = site;
  const { args, binds } = tree;
  const inner = binds.length === 0 ? scope : [...scope, ...binds];
  for (let i = 0; i < args.length; i++)
    gatherSites(new Site(args[i] as Tree, seesBinds(tree, i) ? inner : scope, site, i), sites);
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
  let key = `(${tree.kind}${tree.name}${tree.value}${tree.binds.join()}`;
  for (const arg of tree.args) key += ` ${keyOf(arg)}`;
  return `${key})`;
}
