/**
 * The first programs of `evolve`: the user's, the constant, and the user's again from other starts.
 *
 *   0 … n − 1          the n programs of the user's, from where the recipe starts them
 *   n                  the constant: what a table without a law comes to
 *   n + 1 …            the user's programs again and again, as revisits: 24 starts each
 *
 * A fit of one program gets its restarts; here they are visits of their own, numbered and archived,
 * from starts in the scales of the columns.
 */

import { type ParameterSpec, recordOf } from "@ndvm/core";
import type { Proposal, StudyBrief } from "../types.js";
import type { Chance } from "./chance.js";
import { drawStart, scalesOf } from "./scales.js";
import { type Names, readTree, writeTree } from "./text.js";
import { param } from "./tree.js";

/** Starts of a program of the user's, its first one included. */
const STARTS = 24;

/** How many programs come first. */
export const firstCount = (programs: readonly string[]): number => STARTS * programs.length + 1;

/** The program at a place among the first ones; undefined after them. */
export function firstProgram(
  index: number,
  programs: readonly string[],
  brief: StudyBrief,
  names: Names,
  chance: Chance,
): Proposal | undefined {
  const known = programs[index];
  if (known !== undefined) return { source: known, parents: [], origin: "seed" };
  if (index === programs.length) return constantProgram(brief, names);
  if (index >= firstCount(programs)) return undefined;
  const source = programs[(index - programs.length - 1) % programs.length] as string;
  const params = startsFor(source, brief, names, chance);
  const again = { source, parents: [], origin: "seed", isRevisit: true } as const;
  return params === undefined ? again : { ...again, params };
}

function constantProgram({ target }: StudyBrief, names: Names): Proposal {
  const { source } = writeTree(param("constant"), names);
  return {
    source,
    parents: [],
    origin: "draw",
    params: recordOf([[source, { start: target.mean }]]),
  };
}

/** Undefined for programs that are no trees: they start where the recipe says. */
function startsFor(
  source: string,
  { target, inputs }: StudyBrief,
  names: Names,
  chance: Chance,
): Readonly<Record<string, ParameterSpec>> | undefined {
  const tree = readTree(source, names);
  if (tree === undefined) return undefined;
  const starts = Object.create(null) as Record<string, ParameterSpec>;
  for (const [name, scale] of scalesOf(tree, target, inputs)) {
    const reach = 10 * scale.size;
    starts[name] = { start: drawStart(scale, chance), range: [-reach, reach] };
  }
  return { ...starts };
}
