/**
 * Adam (Kingma and Ba, algorithm 1): steps of a set size along averaged gradients, without a line
 * search. The loss may rise between steps; the best point of the way is kept.
 *
 * In residual mode the gradient is that of the mean over the points, as in the paper's recipe.
 */

import {
  REASON_NONE,
  REASON_STEPS,
  STATE_ARRAYS,
  STATE_EVALUATIONS,
  STATE_LOSS,
  STATE_POWER1,
  STATE_POWER2,
  STATE_REASON,
  STATE_STEPS,
} from "../program/layout.js";
import type { Batch } from "./batch.js";
import type { Free } from "./parameters.js";
import { isFiniteArray, type Limits, Restart } from "./restart.js";
import type { AdamOptions, StopReason } from "./types.js";

export class AdamRestart extends Restart {
  readonly #options: Required<AdamOptions>;
  readonly #points: number;
  readonly #gradient: Float64Array;
  readonly #first: Float64Array;
  readonly #second: Float64Array;
  /** Powers of the two decay rates. */
  #power1 = 1;
  #power2 = 1;

  constructor(
    index: number,
    start: Float64Array,
    free: readonly Free[],
    limits: Limits,
    options: Required<AdamOptions>,
    points: number,
  ) {
    super(index, start, free, limits);
    this.#options = options;
    this.#points = Math.max(1, points);
    this.#gradient = new Float64Array(free.length);
    this.#first = new Float64Array(free.length);
    this.#second = new Float64Array(free.length);
  }

  take(batch: Batch, slot: number): void {
    this.evaluations += 1;
    const loss = batch.gradientInto(slot, this.#gradient);
    this.chain(this.#gradient);
    if (!Number.isFinite(loss) || !isFiniteArray(this.#gradient)) {
      this.reason = this.#notFinite();
      return;
    }
    if (!(loss >= this.loss)) {
      this.acceptTrial(loss);
    }
    if (this.steps >= this.limits.steps) {
      this.reason = "steps";
      return;
    }
    this.#move();
  }

  #move(): void {
    const { rate, beta1, beta2, epsilon } = this.#options;
    this.steps += 1;
    this.#power1 *= beta1;
    this.#power2 *= beta2;
    for (let j = 0; j < this.trial.length; j++) {
      const g = (this.#gradient[j] as number) / this.#points;
      const first = beta1 * (this.#first[j] as number) + (1 - beta1) * g;
      const second = beta2 * (this.#second[j] as number) + (1 - beta2) * g * g;
      this.#first[j] = first;
      this.#second[j] = second;
      const mean = first / (1 - this.#power1);
      const size = Math.sqrt(second / (1 - this.#power2));
      this.trial[j] = (this.trial[j] as number) - (rate * mean) / (size + epsilon);
    }
    this.moveTrial();
  }

  override leap(batch: Batch, slots: readonly (Restart | undefined)[]): number {
    return batch.rounds?.advance(slots as readonly (AdamRestart | undefined)[], this) ?? 0;
  }

  /** What the machine needs to know of the settings, which all restarts of a fit share. */
  get options(): Required<AdamOptions> {
    return this.#options;
  }

  /** Steps at most. */
  get stepsMost(): number {
    return this.limits.steps;
  }

  /** What gradients are divided by. */
  get divisor(): number {
    return this.#points;
  }

  /** Writes the state as the machine has it (STATE_* of program/layout.ts). */
  pack(into: Float64Array, at: number): void {
    into[at + STATE_LOSS / 8] = this.loss;
    into[at + STATE_STEPS / 8] = this.steps;
    into[at + STATE_EVALUATIONS / 8] = this.evaluations;
    into[at + STATE_POWER1 / 8] = this.#power1;
    into[at + STATE_POWER2 / 8] = this.#power2;
    into[at + STATE_REASON / 8] = REASON_NONE;
    const arrays = this.#arrays;
    let to = at + STATE_ARRAYS / 8;
    for (let k = 0; k < arrays.length; k++) {
      const array = arrays[k] as Float64Array;
      for (let j = 0; j < array.length; j++) into[to++] = array[j] as number;
    }
  }

  /** Takes the state over that the machine left. */
  unpack(from: Float64Array, at: number): void {
    this.loss = from[at + STATE_LOSS / 8] as number;
    this.steps = from[at + STATE_STEPS / 8] as number;
    this.evaluations = from[at + STATE_EVALUATIONS / 8] as number;
    this.#power1 = from[at + STATE_POWER1 / 8] as number;
    this.#power2 = from[at + STATE_POWER2 / 8] as number;
    const arrays = this.#arrays;
    let start = at + STATE_ARRAYS / 8;
    for (let k = 0; k < arrays.length; k++) {
      const array = arrays[k] as Float64Array;
      for (let j = 0; j < array.length; j++) array[j] = from[start++] as number;
    }
    const reason = from[at + STATE_REASON / 8] as number;
    if (reason === REASON_STEPS) this.reason = "steps";
    else if (reason !== REASON_NONE) this.reason = this.#notFinite();
  }

  /** In the machine's order: trial, x, slopes, first, second, u, best. */
  get #arrays(): readonly Float64Array[] {
    return [this.trial, this.x, this.slopes, this.#first, this.#second, this.u, this.best];
  }

  /** A restart that cannot go on keeps the best point of its way, if there was any. */
  #notFinite(): StopReason {
    return Number.isFinite(this.loss) ? "damping" : "not finite";
  }

  save(): number[] {
    const counts = [this.steps, this.evaluations, this.loss, this.#power1, this.#power2];
    return [...counts, ...this.u, ...this.trial, ...this.#first, ...this.#second];
  }

  load(numbers: readonly number[]): void {
    const size = this.trial.length;
    [this.steps, this.evaluations, this.loss, this.#power1, this.#power2] = numbers as [
      number,
      number,
      number,
      number,
      number,
    ];
    const part = (k: number) => numbers.slice(5 + k * size, 5 + (k + 1) * size);
    this.trial.set(part(0));
    this.moveTrial();
    this.acceptTrial(this.loss);
    this.trial.set(part(1));
    this.#first.set(part(2));
    this.#second.set(part(3));
    this.moveTrial();
  }
}
