/** A restart of Adam: what it begins with and keeps. Its steps are in wasm/fit/adam.ts. */

import {
  ARRAY_BEST,
  ARRAY_FIRST,
  ARRAY_SECOND,
  ARRAY_TRIAL,
  ARRAY_U,
  ARRAY_X,
  FIT_ADAM,
} from "../layout.js";
import type { Free } from "../parameters/parameters.js";
import { AdamState, type FitBlock } from "../structures.js";
import type { AdamOptions } from "../types.js";
import { type Limits, Restart } from "./restart.js";

/** Numbers that are saved before the arrays. */
const SAVED = ["steps", "evaluations", "loss", "power1", "power2"] as const;

export class AdamRestart extends Restart {
  readonly #options: Required<AdamOptions>;
  readonly #points: number;
  readonly #state: AdamState;

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
    this.#state = new AdamState({ doubles: this.state }, 0);
    this.#state.power1 = 1;
    this.#state.power2 = 1;
  }

  override writeSettings(into: FitBlock): void {
    const { rate, beta1, beta2, epsilon } = this.#options;
    into.rate = rate;
    into.beta1 = beta1;
    into.beta2 = beta2;
    into.epsilon = epsilon;
    into.divisor = this.#points;
  }

  /** A trial after which no step was left is evaluated again, which is not counted twice. */
  save(): number[] {
    const isLast = (this.ended ?? this.reason) === "steps";
    const again = (name: string) => (isLast && name === "evaluations" ? 1 : 0);
    const counts = SAVED.map((name) => this.#state[name] - again(name));
    const arrays = [ARRAY_U, ARRAY_TRIAL, ARRAY_FIRST, ARRAY_SECOND];
    return [...counts, ...arrays.flatMap((k) => [...this.array(k)])];
  }

  load(numbers: readonly number[]): void {
    const size = this.free.length;
    for (const [i, name] of SAVED.entries()) this.#state[name] = numbers[i] as number;
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
