/**
 * Seeds: programs of the user's to start from, and templates whose holes evolve fills.
 *
 *   _        a hole: an expression of its own at every place
 *   ?name    a hole with a name: the same expression wherever the name stands
 *
 * (+ (* a (exp (* b t))) _) is a decay and something else. A hole stands where a number is wanted;
 * one inside a loop or let sees the names that are bound there. A program without holes may be any
 * program; a template must be made of what evolve varies.
 */

import { causeOf, expand, makeError, NdvmError, read } from "@ndvm/core";
import type { Draft } from "./draft.js";
import type { Grammar } from "./grammar.js";
import { type Names, readTree } from "./text.js";
import { replaceAt, type Site, sitesOf, type Tree, variable } from "./tree.js";

export interface Seeds {
  /** Programs without holes, as they were written. */
  readonly programs: readonly string[];
  readonly templates: readonly Tree[];
  /** What they are made of: children may use it, too, whatever the study's operators are. */
  readonly operators: ReadonlySet<string>;
}

const isHole = ({ tree }: Site): boolean => tree.kind === "param" && /^(_|\?.+)$/.test(tree.name);

/** Sorts the seeds; refuses what is not a program and templates that cannot be filled. */
export function readSeeds(seeds: readonly string[], names: Names): Seeds {
  const programs: string[] = [];
  const templates: Tree[] = [];
  const operators = new Set<string>();
  for (const [index, source] of seeds.entries()) {
    check(source, index, names);
    const tree = readTree(source, names);
    if (tree !== undefined) for (const { tree: at } of sitesOf(tree)) operators.add(operatorOf(at));
    if (!/(^|[\s()])(_|\?[^\s()]+)(?=[\s()]|$)/.test(source)) {
      programs.push(source);
      continue;
    }
    if (tree === undefined) {
      throw new NdvmError("E-OPTION", `evolve cannot fill the holes of seed ${index + 1}`, {
        help: "a template is one expression of arithmetic, functions, if, let and counted loops",
      });
    }
    templates.push(tree);
  }
  return { programs, templates, operators };
}

/** What a study calls the operator of a tree; empty for leaves. */
export function operatorOf({ kind, name }: Tree): string {
  if (kind === "call") return name === "neg" ? "-" : name;
  return kind === "if" || kind === "let" || kind === "loop" ? kind : "";
}

function check(source: string, index: number, { inputs }: Names): void {
  try {
    expand(read(source), { inputs: [...inputs] });
  } catch (error) {
    if (!(error instanceof NdvmError)) throw error;
    const help = "every seed is a program of the language";
    const facts = { reason: "within", actual: `seed ${index + 1}`, cause: causeOf(error) } as const;
    throw makeError(error.code, facts, { help });
  }
}

const sizeMax = 7;

/** A template with drawn expressions in its holes. */
export function fill(template: Tree, draft: Draft, grammar: Grammar): Tree {
  const tree = draft.adopt(keepHoles(template), {});
  const named = new Map<string, Tree>();
  let filled = tree;
  for (const site of sitesOf(tree)) {
    const name = holeName(site.tree);
    if (name === undefined) continue;
    const size = 1 + grammar.chance.below(sizeMax);
    const drawn =
      name === "_"
        ? grammar.moving(draft, size, site.scope)
        : (named.get(name) ?? grammar.moving(draft, size, []));
    named.set(name, drawn);
    filled = replaceAt(filled, site.path, drawn);
  }
  return filled;
}

/** Holes look like parameters to a reader; as variables they keep their names. */
function keepHoles(tree: Tree): Tree {
  const holes = sitesOf(tree).filter(isHole);
  return holes.reduce(
    (at, { path, tree: hole }) => replaceAt(at, path, variable(`\u0004${hole.name}`)),
    tree,
  );
}

const holeName = (tree: Tree): string | undefined =>
  tree.kind === "variable" && tree.name.startsWith("\u0004") ? tree.name.slice(1) : undefined;
