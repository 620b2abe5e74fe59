/** A restart of L-BFGS: what it begins with and keeps. Its steps are in wasm/fit/lbfgs.ts. */

import {
  ARRAY_GRADIENT,
  ARRAY_PAIR_STEPS,
  ARRAY_PAIR_TURNS,
  ARRAY_PAIRS_END,
  ARRAY_TRIAL,
  ARRAY_U,
  FIT_LBFGS,
  PAIR_PLACES,
} from "../layout.js";
import { dot } from "../math/linear.js";
import type { Free } from "../parameters/parameters.js";
import { LbfgsState } from "../structures.js";
import { type Limits, Restart } from "./restart.js";

export class LbfgsRestart extends Restart {
  readonly #state: LbfgsState;

  constructor(index: number, start: Float64Array, free: readonly Free[], limits: Limits) {
    super(index, start, free, limits, FIT_LBFGS);
    this.#state = new LbfgsState({ doubles: this.state }, 0);
  }

  /** Of the loss by the numbers that the optimiser moves, at the best point so far. */
  get gradient(): Float64Array {
    return this.array(ARRAY_GRADIENT);
  }

  /** The point and what is remembered; a line search that was under way begins again. */
  save(): number[] {
    const pairs: number[] = [];
    for (let k = 0; k < this.#state.pairs; k++) {
      const place = (this.#state.firstPair + k) % PAIR_PLACES;
      pairs.push(...this.array(ARRAY_PAIR_STEPS + place), ...this.array(ARRAY_PAIR_TURNS + place));
    }
    return [this.steps, this.evaluations, ...this.array(ARRAY_U), ...pairs];
  }

  load(numbers: readonly number[]): void {
    const size = this.free.length;
    this.#state.steps = numbers[0] as number;
    this.#state.evaluations = Math.max(0, (numbers[1] as number) - 1);
    this.setArray(ARRAY_TRIAL, numbers, 2);
    this.setArray(ARRAY_U, numbers, 2);
    let pairs = 0;
    for (let from = 2 + size; from + 2 * size <= numbers.length; from += 2 * size) {
      this.setArray(ARRAY_PAIR_STEPS + pairs, numbers, from);
      this.setArray(ARRAY_PAIR_TURNS + pairs, numbers, from + size);
      const step = this.array(ARRAY_PAIR_STEPS + pairs);
      this.state[this.at(ARRAY_PAIRS_END) + pairs] = dot(
        step,
        this.array(ARRAY_PAIR_TURNS + pairs),
      );
      pairs += 1;
    }
    this.#state.pairs = pairs;
    this.moveTrial();
  }
}
