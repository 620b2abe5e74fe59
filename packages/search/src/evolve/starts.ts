/**
 * Where parameters start that no fit has seen yet: what they do decides.
 *
 * A rate inside a wave starts anywhere between half a turn over the input's width and many turns; a
 * rate inside an exponential or the like starts at a few over the input's width.
 */

import type { StudyBrief } from "../types.js";
import type { Chance } from "./chance.js";
import type { Draft } from "./draft.js";
import type { Grammar } from "./grammar.js";
import { drawStart, scalesOf } from "./scales.js";
import type { Tree } from "./tree.js";

const rates: ReadonlySet<string> = new Set(["exp", "tanh", "sigmoid", "erf", "atan", "softplus"]);

/** Sizes of columns between these are met by the starts that the grammar draws. */
const ORDINARY = [0.01, 100] as const;

/** Whether a column is so large or so small that starts must be drawn in its units. */
export function hasOddUnits({ target, inputs }: StudyBrief): boolean {
  return [target, ...inputs].some(({ min, max }) => {
    const size = Math.max(Math.abs(min), Math.abs(max));
    return size > 0 && (size < ORDINARY[0] || size > ORDINARY[1]);
  });
}

/** Starts of parameters that no fit has seen yet, in the units of the columns. */
export function startInUnits(tree: Tree, draft: Draft, brief: StudyBrief, chance: Chance): void {
  for (const [name, scale] of scalesOf(tree, brief.target, brief.inputs)) {
    const known = draft.starts.get(name);
    if (known?.range === undefined || known.value === 0) continue;
    const reach = 10 * scale.size;
    draft.starts.set(name, { value: drawStart(scale, chance), range: [-reach, reach] });
  }
}

export function startParameters(tree: Tree, draft: Draft, grammar: Grammar): void {
  if (tree.kind === "call") {
    const isWave = grammar.isWave(tree.name);
    if (isWave || rates.has(tree.name)) startRates(tree.args[0] as Tree, isWave, draft, grammar);
  }
  for (const arg of tree.args) startParameters(arg, draft, grammar);
}

/** Parameters that are factors of an input in a sum. */
function startRates(tree: Tree, isWave: boolean, draft: Draft, grammar: Grammar): void {
  if (tree.kind !== "call") return;
  if (tree.name === "+" || tree.name === "-" || tree.name === "neg") {
    for (const arg of tree.args) startRates(arg, isWave, draft, grammar);
    return;
  }
  if (tree.name !== "*") return;
  const rate = tree.args.find(({ kind }) => kind === "param");
  const input = tree.args.find(({ kind }) => kind === "variable");
  const known = rate === undefined ? undefined : draft.starts.get(rate.name);
  if (rate === undefined || input === undefined || known?.range === undefined) return;
  if (known.value === 0) return;
  const { chance } = grammar;
  if (isWave) {
    const range = grammar.waveRange(input.name);
    draft.starts.set(rate.name, { value: chance.logUniform(range[0], range[1]), range });
    return;
  }
  const width = 8 / grammar.widthOf(input.name);
  const value = (chance.happens(0.5) ? 1 : -1) * chance.logUniform(0.05, 1) * width;
  draft.starts.set(rate.name, { value, range: [-width, width] });
}
