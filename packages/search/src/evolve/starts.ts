/**
 * Where parameters start that no fit has seen yet: what they do decides.
 *
 * A rate inside a wave starts anywhere between half a turn over the input's width and many turns; a
 * rate inside an exponential or the like starts at a few over the input's width.
 */

import type { Draft } from "./draft.js";
import type { Grammar } from "./grammar.js";
import type { Tree } from "./tree.js";

const rates: ReadonlySet<string> = new Set(["exp", "tanh", "sigmoid", "erf", "atan", "softplus"]);

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
