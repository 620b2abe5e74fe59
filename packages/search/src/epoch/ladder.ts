/**
 * The ladder of fits, inside one epoch.
 *
 * Rung 0 fits every candidate that has a fit coming. The most promising climb to rung 1, and so on:
 * successive halving among neighbours, so that who is promoted depends on the epoch alone. Promising
 * is a low training loss compared with what the front has at that complexity, the front being as the
 * epoch knows it.
 */

import type { TaskResult } from "../pipeline/task.js";
import type { Recipe, Rung } from "../types.js";
import type { LossFront } from "./knowledge.js";

/** A candidate on the ladder. */
export interface Climber {
  readonly index: number;
  readonly complexity: number;
  results: readonly TaskResult[];
}

/** Those who go on to a rung, in their order. */
export function promoted<T extends Climber>(
  climbing: readonly T[],
  rung: Rung,
  front: LossFront,
): readonly T[] {
  const able = climbing.filter((each) => each.results.at(-1)?.failure === undefined);
  const ranked = able
    .filter((each) => hasParameters(bestResult(each.results)))
    .map((each) => ({ each, margin: marginOf(each, front) }))
    .sort((a, b) => a.margin - b.margin || a.each.index - b.each.index);
  return ranked
    .slice(0, Math.ceil(rung.share * able.length))
    .map(({ each }) => each)
    .sort((a, b) => a.index - b.index);
}

function hasParameters(result: TaskResult | undefined): boolean {
  for (const _ in result?.params) return true;
  return false;
}

/** How many times the loss is the front's. */
function marginOf({ results, complexity }: Climber, front: LossFront): number {
  const loss = bestResult(results)?.loss ?? Number.POSITIVE_INFINITY;
  const known = front.lossAt(complexity);
  if (!Number.isFinite(known)) return loss;
  return known > 0 ? loss / known : loss > 0 ? Number.POSITIVE_INFINITY : 1;
}

/** Most fits of so many candidates of one epoch. */
export function fitsAtMost(recipe: Recipe, candidates: number): number {
  let fits = 0;
  let left = candidates;
  for (const { share, restarts } of recipe.rungs) {
    left = Math.ceil(share * left);
    fits += left * restarts;
  }
  return fits;
}

/** The result with the smallest training loss; the earlier of two alike. */
export function bestResult(results: readonly TaskResult[]): TaskResult | undefined {
  let best: TaskResult | undefined;
  for (const result of results) {
    if (result.failure !== undefined) continue;
    if (best === undefined || result.loss < best.loss) best = result;
  }
  return best;
}
