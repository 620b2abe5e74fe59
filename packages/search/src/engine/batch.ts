/**
 * A batch: proposals of one turn on their way up the ladder of fits.
 *
 * Rung 0 fits every proposal that has a fit coming. When the last of them is back, the most
 * promising climb to rung 1, and so on: successive halving among neighbours of one batch, so that
 * who is promoted depends on the batch alone. Promising is a low training loss compared with what
 * the front, as it was known when the batch was proposed, has at that complexity.
 */

import type { Task, TaskResult } from "../pipeline/task.js";
import type { Failure, Outcome, Proposal, Recipe, Rung } from "../types.js";
import { type Front, lossAt } from "./front.js";

/** A proposal that was taken. */
export interface Slot {
  readonly visit: number;
  readonly id: number;
  readonly proposal: Proposal;
  readonly skeleton: string;
  readonly complexity: number;
  /** It needs no fit: it is no program, or one that was seen. */
  readonly failure: Failure | undefined;
  readonly duplicateOf: number | undefined;
  readonly isScreened: boolean;
  /** False: a visit to a candidate whose first proposal said the same. */
  readonly isNews: boolean;
  /** Results of its rungs. */
  results: readonly TaskResult[];
}

/** The results of a slot that has none yet. */
export const NO_RESULTS: readonly TaskResult[] = [];

export class Batch {
  readonly index: number;
  readonly proposer: string;
  readonly slots: readonly Slot[];
  readonly #recipe: Recipe;
  readonly #front: Front;
  /** The first visit: those of a batch follow each other. */
  readonly #first: number;
  /** The most fits that this batch can ask for, whatever becomes of its candidates. */
  readonly fitsMost: number;
  #rung = 0;
  #awaited = 0;
  #climbing: Slot[];

  constructor(
    index: number,
    proposer: string,
    slots: readonly Slot[],
    recipe: Recipe,
    front: Front,
  ) {
    this.index = index;
    this.proposer = proposer;
    this.slots = slots;
    this.#recipe = recipe;
    this.#front = front;
    this.#first = slots[0]?.visit ?? 0;
    this.#climbing = slots.filter((slot) => needsFit(slot));
    this.fitsMost = fitsAtMost(recipe, this.#climbing.length);
  }

  /** Visits of the members of the front that promotions are measured against. */
  get frontVisits(): readonly number[] {
    return this.#front.members.map(({ visit }) => visit);
  }

  get isDone(): boolean {
    return this.#awaited === 0 && this.#climbing.length === 0;
  }

  /** Tasks of the present rung. */
  begin(): readonly Task[] {
    this.#awaited = this.#climbing.length;
    const rung = this.#rung;
    return this.#climbing.map(({ visit, id, proposal, isScreened, results }): Task => {
      const best = bestResult(results);
      return {
        visit,
        id,
        rung,
        source: proposal.source,
        params: proposal.params,
        from: best?.params,
        isScreened: isScreened || rung > 0,
      };
    });
  }

  /** Whether a visit is one of these. */
  has(visit: number): boolean {
    return visit >= this.#first && visit < this.#first + this.slots.length;
  }

  /** Takes a result. True: the rung is complete. */
  take(result: TaskResult): boolean {
    const slot = this.slots[result.visit - this.#first] as Slot;
    // Most slots have one result, and an array that grows takes room for many.
    slot.results = slot.results.length === 0 ? [result] : [...slot.results, result];
    this.#awaited -= 1;
    return this.#awaited === 0;
  }

  /** Chooses who goes on and gives the tasks of the next rung; none where the batch is done. */
  climb(): readonly Task[] {
    this.#rung += 1;
    const rung: Rung | undefined = this.#recipe.rungs[this.#rung];
    const able = this.#climbing.filter((slot) => slot.results.at(-1)?.failure === undefined);
    if (rung === undefined || able.length === 0) {
      this.#climbing = [];
      return [];
    }
    const ranked = able
      .filter((slot) => Object.keys(bestResult(slot.results)?.params ?? {}).length > 0)
      .map((slot) => ({ slot, margin: this.#margin(slot) }))
      .sort((a, b) => a.margin - b.margin || a.slot.visit - b.slot.visit);
    const count = Math.ceil(rung.share * able.length);
    this.#climbing = ranked
      .slice(0, count)
      .map(({ slot }) => slot)
      .sort((a, b) => a.visit - b.visit);
    return this.begin();
  }

  /** How far the logarithm of the loss is above the front's. */
  #margin(slot: Slot): number {
    const loss = bestResult(slot.results)?.loss ?? Number.POSITIVE_INFINITY;
    const known = lossAt(this.#front, slot.complexity);
    return Math.log(loss) - (Number.isFinite(known) ? Math.log(known) : 0);
  }

  outcomes(): readonly Outcome[] {
    return this.slots.map((slot) => outcomeOf(slot, this.index, this.proposer));
  }
}

const needsFit = ({ failure, duplicateOf }: Slot): boolean =>
  failure === undefined && duplicateOf === undefined;

/** Most fits of so many candidates of one batch. */
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

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

const NOTHING = {
  params: {},
  loss: Number.NaN,
  trainR2: Number.NaN,
  r2: Number.NaN,
  bic: Number.NaN,
};

function outcomeOf(slot: Slot, batch: number, proposer: string): Outcome {
  const { id, visit, proposal, skeleton, complexity, results, duplicateOf } = slot;
  const best = bestResult(results);
  const failure = slot.failure ?? results[0]?.failure;
  let fits = 0;
  for (const result of results) fits += result.fits;
  const { params, loss, trainR2, r2, bic } = best ?? NOTHING;
  const outcome: Mutable<Outcome> = {
    id,
    visit,
    batch,
    proposer,
    origin: proposal.origin,
    source: proposal.source,
    parents: proposal.parents,
    skeleton,
    complexity,
    status: best !== undefined ? "scored" : duplicateOf !== undefined ? "duplicate" : "failed",
    rung: Math.max(0, results.length - 1),
    fits,
    params,
    loss,
    trainR2,
    r2,
    bic,
  };
  if (best === undefined && failure !== undefined) outcome.failure = failure;
  if (duplicateOf !== undefined) outcome.duplicateOf = duplicateOf;
  return outcome;
}
