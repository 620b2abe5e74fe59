/**
 * A draft: a tree in the making, with the numbers its parameters start from.
 *
 * Names of a draft's parameters and variables are its own; `writeTree` gives them the names that a
 * program has. What comes from another program is renamed on the way in, so nothing is captured.
 */

import { emptyRecord, own } from "@ndvm/core";
import type { Parameters } from "./simplify.js";
import { mapArgs, mapLeaves, param, seesBinds, type Tree, variable, withBinds } from "./tree.js";

/** Where a parameter starts, and where restarts begin: none for as far as its own size. */
export interface Start {
  readonly value: number;
  readonly range?: readonly [number, number];
}

const NO_NAMES: ReadonlyMap<string, string> = new Map();

export class Draft implements Parameters {
  readonly starts = new Map<string, Start>();
  #count = 0;

  constructor(readonly hasAlgebra: boolean) {}

  valueOf(name: string): number {
    return this.starts.get(name)?.value ?? 1;
  }

  add(value: number, range?: readonly [number, number]): Tree {
    const name = this.freshName("p");
    this.starts.set(name, range === undefined ? { value } : { value, range });
    return param(name);
  }

  freshName(prefix: string): string {
    return `\u0003${prefix}${this.#count++}`;
  }

  /** A tree of another program, its parameters with the values they have there. */
  adopt(tree: Tree, values: Readonly<Record<string, number>>): Tree {
    const params = new Map<string, Tree>();
    const renamed = this.#renameBinds(tree, NO_NAMES);
    return mapLeaves(renamed, (leaf) => {
      if (leaf.kind !== "param") return leaf;
      const known = params.get(leaf.name) ?? this.add(own(values, leaf.name) ?? 1);
      params.set(leaf.name, known);
      return known;
    });
  }

  /** The same tree with parameters and bound names of its own, the values as they are. */
  copy(tree: Tree): Tree {
    const values: Record<string, number> = emptyRecord();
    for (const [name, { value }] of this.starts) values[name] = value;
    return this.adopt(tree, values);
  }

  #renameBinds(tree: Tree, names: ReadonlyMap<string, string>): Tree {
    if (tree.kind === "variable") {
      const name = names.get(tree.name);
      return name === undefined ? tree : variable(name);
    }
    if (tree.binds.length === 0) return mapArgs(tree, (arg) => this.#renameBinds(arg, names));
    const inner = new Map(names);
    const binds: string[] = [];
    for (const [i, name] of tree.binds.entries()) {
      const isCounter = tree.kind === "loop" && i === tree.binds.length - 1;
      inner.set(name, this.freshName(isCounter ? "k" : "v"));
    }
    for (const name of tree.binds) binds.push(inner.get(name) as string);
    const args: Tree[] = [];
    for (const [i, arg] of tree.args.entries())
      args.push(this.#renameBinds(arg, seesBinds(tree, i) ? inner : names));
    return withBinds(tree, binds, args);
  }
}
