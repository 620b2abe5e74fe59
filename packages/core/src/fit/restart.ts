/**
 * One restart of an optimiser: a state that asks for the value at a trial point and takes it.
 *
 * The optimiser moves unlimited numbers `u`; `x` are the same in the user's units. After `take` the
 * restart has either proposed the next trial in `x` or set `reason`.
 */

import type { Batch } from "./batch.js";
import type { Free } from "./parameters.js";
import type { RestartOutcome, StopReason } from "./types.js";

export interface Limits {
  readonly steps: number;
  readonly gradient: number;
  readonly step: number;
  readonly loss: number;
}

export abstract class Restart<B extends Batch = Batch> {
  readonly index: number;
  readonly start: Float64Array;
  readonly free: readonly Free[];
  /** The trial point in the user's units: what is evaluated next. */
  readonly x: Float64Array;
  /** The best point so far, unlimited and in the user's units, and its loss. */
  readonly u: Float64Array;
  readonly best: Float64Array;
  loss = Number.NaN;
  steps = 0;
  evaluations = 0;
  reason: StopReason | undefined;
  protected readonly trial: Float64Array;
  protected readonly slopes: Float64Array;
  protected readonly limits: Limits;

  constructor(index: number, start: Float64Array, free: readonly Free[], limits: Limits) {
    this.index = index;
    this.start = start;
    this.free = free;
    this.limits = limits;
    const size = free.length;
    this.x = new Float64Array(size);
    this.best = new Float64Array(size);
    this.u = new Float64Array(size);
    this.trial = new Float64Array(size);
    this.slopes = new Float64Array(size);
    for (let j = 0; j < size; j++) {
      const x = start[j] as number;
      const u = (free[j] as Free).transform.toFree(x);
      this.best[j] = x;
      this.u[j] = u;
      this.trial[j] = u;
    }
    this.moveTrial();
  }

  /** Takes the evaluation of `x` in a slot. */
  abstract take(batch: B, slot: number): void;

  /**
   * Advances the restarts of all slots by as many rounds as the machine can take by itself; how
   * many it took. 0: the next round is to be run and taken one by one.
   */
  leap(_batch: B, _slots: readonly (Restart<B> | undefined)[]): number {
    return 0;
  }

  /** Everything needed to go on later, as numbers. */
  abstract save(): number[];
  abstract load(numbers: readonly number[]): void;

  /** Takes over how the restart ended in an earlier fit; `load` has brought its numbers. */
  restore(outcome: RestartOutcome): void {
    this.reason = outcome.reason;
    this.loss = outcome.loss;
    this.steps = outcome.steps;
    this.evaluations = outcome.evaluations;
    this.best.set(this.free.map(({ label }) => outcome.params[label] as number));
  }

  /** Brings `x` and `slopes` to the trial point. */
  protected moveTrial(): void {
    for (let j = 0; j < this.x.length; j++) {
      const { transform } = this.free[j] as Free;
      this.x[j] = transform.toUser(this.trial[j] as number);
      this.slopes[j] = transform.slope(this.trial[j] as number);
    }
  }

  protected acceptTrial(loss: number): void {
    this.u.set(this.trial);
    this.best.set(this.x);
    this.loss = loss;
  }

  /** Turns a gradient in the user's units into one by the unlimited numbers. */
  protected chain(gradient: Float64Array): void {
    for (let j = 0; j < gradient.length; j++)
      gradient[j] = (gradient[j] as number) * (this.slopes[j] as number);
  }
}

export const isFiniteArray = (numbers: Float64Array): boolean => {
  for (let j = 0; j < numbers.length; j++) if (!Number.isFinite(numbers[j] as number)) return false;
  return true;
};
