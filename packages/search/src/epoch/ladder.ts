/**
 * The ladder of fits, inside one epoch.
 *
 * Rung 0 fits every candidate that has a fit coming. The most promising climb to rung 1, and so on:
 * successive halving among neighbours, so that who is promoted depends on the epoch alone. Promising
 * is a low training loss compared with what the front has at that complexity, the front being as the
 * epoch knows it.
 *
 * A share of an epoch is seldom a whole number of candidates. Programs that someone has given are
 * rounded up: each may be the one. Of bred ones there are many epochs, so each epoch rounds up or down,
 * in a fixed pattern over the epochs that comes to the share.
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

/** How many candidates a share of them is. */
export interface Rounding {
  countOf(share: number): number;
}

/** To the next whole number. */
export const roundUp: Rounding = { countOf: (share) => Math.ceil(share) };

/** The fractional part of the golden ratio: its multiples fill the unit interval most evenly. */
const GOLDEN = 0.6180339887498949;

/**
 * Up or down, so that over epochs of any number in a row the counts come to the shares. The part of
 * the interval in which an epoch's number has fallen is stretched to the whole of it for the next rung.
 */
export function roundEvenly(epoch: number): Rounding {
  const turns = (epoch + 0.5) * GOLDEN;
  let at = turns - Math.floor(turns);
  return {
    countOf(share) {
      const floor = Math.floor(share);
      const rest = share - floor;
      if (rest === 0) return floor;
      const isUp = at < rest;
      at = isUp ? at / rest : (at - rest) / (1 - rest);
      return isUp ? floor + 1 : floor;
    },
  };
}

/** Those who go on to a rung, in their order. */
export function promoted<T extends Climber>(
  climbing: readonly T[],
  rung: Rung,
  front: LossFront,
  rounding: Rounding,
): readonly T[] {
  const able = climbing.filter((each) => each.results.at(-1)?.failure === undefined);
  const ranked = able
    .filter((each) => hasParameters(bestResult(each.results)))
    .map((each) => ({ each, margin: marginOf(each, front) }))
    // Of two alike the earlier stays first.
    .sort((a, b) => a.margin - b.margin);
  return ranked
    .slice(0, rounding.countOf(rung.share * able.length))
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

/** Most fits of so many candidates of one epoch, however shares are rounded. */
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
