/** A restart of Adam: what it begins with and keeps. Its steps are in wasm/fit/adam.ts. */

import {
  ARRAY_BEST,
  ARRAY_FIRST,
  ARRAY_SECOND,
  ARRAY_TRIAL,
  ARRAY_U,
  ARRAY_X,
  FIT_ADAM,
  FIT_BETA1,
  FIT_BETA2,
  FIT_DIVISOR,
  FIT_EPSILON,
  FIT_RATE,
  STATE_EVALUATIONS,
  STATE_LOSS,
  STATE_POWER1,
  STATE_POWER2,
  STATE_STEPS,
} from "../../program/layout.js";
import type { Free } from "../parameters/parameters.js";
import type { AdamOptions } from "../types.js";
import { type Limits, Restart } from "./restart.js";

/** Numbers that are saved before the arrays. */
const SAVED = [STATE_STEPS, STATE_EVALUATIONS, STATE_LOSS, STATE_POWER1, STATE_POWER2];

export class AdamRestart extends Restart {
  readonly #options: Required<AdamOptions>;
  readonly #points: number;

  constructor(
    index: number,
    start: Float64Array,
    free: readonly Free[],
    limits: Limits,
    options: Required<AdamOptions>,
    points: number,
  ) {
    super(index, start, free, limits, FIT_ADAM);
    this.#options = options;
    this.#points = Math.max(1, points);
    this.state[STATE_POWER1 / 8] = 1;
    this.state[STATE_POWER2 / 8] = 1;
  }

  override writeSettings(into: Float64Array, at: number): void {
    const { rate, beta1, beta2, epsilon } = this.#options;
    into[at + FIT_RATE / 8] = rate;
    into[at + FIT_BETA1 / 8] = beta1;
    into[at + FIT_BETA2 / 8] = beta2;
    into[at + FIT_EPSILON / 8] = epsilon;
    into[at + FIT_DIVISOR / 8] = this.#points;
  }

  save(): number[] {
    const counts = SAVED.map((at) => this.state[at / 8] as number);
    const arrays = [ARRAY_U, ARRAY_TRIAL, ARRAY_FIRST, ARRAY_SECOND];
    return [...counts, ...arrays.flatMap((k) => [...this.array(k)])];
  }

  load(numbers: readonly number[]): void {
    const size = this.free.length;
    for (const [i, at] of SAVED.entries()) this.state[at / 8] = numbers[i] as number;
    // The best point first, which is the trial's place for the moment.
    this.setArray(ARRAY_U, numbers, SAVED.length);
    this.setArray(ARRAY_TRIAL, numbers, SAVED.length);
    this.moveTrial();
    this.setArray(ARRAY_BEST, this.array(ARRAY_X));
    this.setArray(ARRAY_TRIAL, numbers, SAVED.length + size);
    this.setArray(ARRAY_FIRST, numbers, SAVED.length + 2 * size);
    this.setArray(ARRAY_SECOND, numbers, SAVED.length + 3 * size);
    this.moveTrial();
  }
}
