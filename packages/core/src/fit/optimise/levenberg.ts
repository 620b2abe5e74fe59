/**
 * A restart of Levenberg and Marquardt's method: what it begins with and keeps. Its steps are in
 * wasm/fit/levenberg.ts.
 */

import { ARRAY_SCALE, ARRAY_TRIAL, ARRAY_U, FIT_LEVENBERG } from "../layout.js";
import type { Free } from "../parameters/parameters.js";
import { LevenbergState } from "../structures.js";
import { type Limits, Restart } from "./restart.js";

const RADIUS_START = 1e4;

/** Numbers that are saved before the arrays. */
const SAVED = ["steps", "evaluations", "radius", "shrink", "vetoes"] as const;

export class LevenbergRestart extends Restart {
  readonly #state: LevenbergState;

  constructor(index: number, start: Float64Array, free: readonly Free[], limits: Limits) {
    super(index, start, free, limits, FIT_LEVENBERG);
    this.#state = new LevenbergState({ doubles: this.state }, 0);
    this.#state.radius = RADIUS_START;
    this.#state.shrink = 2;
  }

  save(): number[] {
    const counts = SAVED.map((name) => this.#state[name]);
    return [...counts, ...this.array(ARRAY_U), ...this.array(ARRAY_SCALE)];
  }

  /** The point is evaluated again, which is not counted twice. */
  load(numbers: readonly number[]): void {
    for (const [i, name] of SAVED.entries()) this.#state[name] = numbers[i] as number;
    this.#state.evaluations = Math.max(0, this.evaluations - 1);
    this.setArray(ARRAY_TRIAL, numbers, SAVED.length);
    this.setArray(ARRAY_U, numbers, SAVED.length);
    this.setArray(ARRAY_SCALE, numbers, SAVED.length + this.free.length);
    this.moveTrial();
  }
}
