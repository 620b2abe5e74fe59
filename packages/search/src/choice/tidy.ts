/**
 * A program with some of its constants written out as 0, 1 or −1, and what follows taken away:
 * 0·f goes, 1·f is f, and constants that are left alone become one.
 */

import { recordOf } from "@ndvm/core";
import { complexityOf } from "../complexity.js";
import { Draft } from "../evolve/draft.js";
import { Dead, simplify } from "../evolve/simplify.js";
import { readTree, writeTree } from "../evolve/text.js";
import { mapLeaves, number } from "../evolve/tree.js";

export interface Tidied {
  readonly source: string;
  readonly params: Readonly<Record<string, number>>;
  readonly complexity: number;
}

const ALGEBRA = ["+", "-", "*", "/"];

/** Undefined where nothing can be taken away. `numbers` are the constants to be written out. */
export function tidied(
  source: string,
  params: Readonly<Record<string, number>>,
  numbers: ReadonlyMap<string, number>,
  study: { readonly inputs: readonly string[]; readonly operators: readonly string[] },
): Tidied | undefined {
  const { inputs, operators } = study;
  const names = { inputs: new Set(inputs) };
  const tree = readTree(source, names);
  if (tree === undefined || numbers.size === 0) return undefined;
  const draft = new Draft(ALGEBRA.every((name) => operators.includes(name)));
  const written = mapLeaves(tree, (leaf) => {
    const value = leaf.kind === "param" ? numbers.get(leaf.name) : undefined;
    return value === undefined ? leaf : number(value);
  });
  try {
    const simple = simplify(draft.adopt(written, params), draft);
    const { source: text, params: given } = writeTree(simple, names);
    const complexity = complexityOf(text, inputs);
    if (complexity >= complexityOf(source, inputs)) return undefined;
    const values = [...given].map(([name, own]) => [own, draft.valueOf(name)] as const);
    return { source: text, params: recordOf(values), complexity };
  } catch (error) {
    if (error instanceof Dead) return undefined;
    throw error;
  }
}
