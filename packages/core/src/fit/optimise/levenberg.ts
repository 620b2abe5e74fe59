/**
 * A restart of Levenberg and Marquardt's method: what it begins with and keeps. Its steps are in
 * wasm/fit/levenberg.ts.
 */

import { ARRAY_FACTOR, ARRAY_SCALE, ARRAY_TRIAL, ARRAY_U, FIT_LEVENBERG } from "../layout.js";
import { factorStride } from "../math/linear.js";
import type { Free } from "../parameters/parameters.js";
import type { Transform } from "../parameters/transforms.js";
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

  /** Parameters with bounds are moved in the user's units; the unlimited number only keeps their place. */
  protected override slopeOf(transform: Transform, u: number): number {
    return transform.boundedSlope(u);
  }

  /** What lm sees at its best point: R of the Jacobian by columns, and Qᵀr. */
  factor(): { readonly columns: readonly Float64Array[]; readonly residuals: Float64Array } {
    const { length } = this.free;
    const from = this.at(ARRAY_FACTOR);
    const column = (j: number): Float64Array =>
      Float64Array.from(
        this.free,
        (_, i) => this.state[from + i * factorStride(length) + j] as number,
      );
    return { columns: this.free.map((_, j) => column(j)), residuals: column(length) };
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
