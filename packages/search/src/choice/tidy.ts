/**
 * A program with some of its constants written out as 0, 1 or −1, and what follows taken away:
 * 0·f goes, 1·f is f, and constants that are left alone become one.
 */

import { type Expansion, expand, NdvmError, read, recordOf } from "@ndvm/core";
import { complexityOf, complexityOfCore } from "../complexity.js";
import { Draft } from "../evolve/draft.js";
import { Dead, simplify } from "../evolve/simplify.js";
import { readTree, writeTree } from "../evolve/text.js";
import { mapLeaves, number } from "../evolve/tree.js";
import type { Study } from "../study.js";

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
  study: Pick<Study, "inputs" | "operators" | "target">,
): Tidied | undefined {
  const { inputs, operators, target } = study;
  const names = { inputs: new Set(inputs), target };
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
    const expansion = expand(read(text), { inputs });
    const complexity = complexityOfCore(expansion);
    if (callsInput(expansion)) return undefined;
    if (complexity >= complexityOf(source, inputs)) return undefined;
    const values = [...given].map(([name, own]) => [own, draft.valueOf(name)] as const);
    return { source: text, params: recordOf(values), complexity };
  } catch (error) {
    // A word of the text may be an input's name: then it cannot be read as it was meant.
    if (error instanceof Dead || error instanceof NdvmError) return undefined;
    throw error;
  }
}

/** Simplifying writes with operators that the program had not; one may be called as an input is. */
const callsInput = ({ nodes }: Expansion): boolean =>
  nodes.some((node) => node.kind === "call" && node.operator.kind === "input");
