/**
 * One restart of an optimiser: its state, which the machine advances (wasm/fit/optimise.ts).
 *
 * The optimiser moves unlimited numbers `u`; `x` are the same in the user's units. The state is a
 * row of numbers as the machine has them (`SlotState` and arrays, fit/layout.ts), which is
 * copied there and back. After a round the restart has either the next trial in `x` or a `reason`.
 */

import {
  ARRAY_AVERAGES_END,
  ARRAY_BEST,
  ARRAY_FACTOR,
  ARRAY_PAIRS_END,
  ARRAY_SLOPES,
  ARRAY_TRIAL,
  ARRAY_U,
  ARRAY_X,
  FIT_ADAM,
  FIT_LEVENBERG,
  PAIR_PLACES,
  REASON_DAMPING,
  REASON_GRADIENT,
  REASON_LOSS,
  REASON_NOT_FINITE,
  REASON_STEP,
  REASON_STEPS,
  STATE_ARRAYS,
} from "../layout.js";
import { factorNumbers } from "../math/linear.js";
import type { Free } from "../parameters/parameters.js";
import type { Transform } from "../parameters/transforms.js";
import { type FitBlock, SlotState } from "../structures.js";
import type { RestartLeft, RestartState, StopReason } from "../types.js";

export interface Limits {
  readonly steps: number;
  readonly gradient: number;
  readonly step: number;
  readonly loss: number;
}

const REASONS: readonly (StopReason | undefined)[] = (() => {
  const names: (StopReason | undefined)[] = [];
  names[REASON_STEPS] = "steps";
  names[REASON_NOT_FINITE] = "not finite";
  names[REASON_GRADIENT] = "gradient";
  names[REASON_LOSS] = "loss";
  names[REASON_STEP] = "step";
  names[REASON_DAMPING] = "damping";
  return names;
})();

const CONVERGED: readonly string[] = ["gradient", "step", "loss"];

/** Whether a restart that ended for this reason has come to a minimum. */
export const isConverged = (reason: string | undefined): boolean =>
  CONVERGED.includes(reason ?? "");

/** The restart with the lowest loss. */
export function bestOf(restarts: readonly Restart[]): Restart {
  let best = restarts[0] as Restart;
  for (const restart of restarts)
    if (restart.loss < best.loss || !Number.isFinite(best.loss)) best = restart;
  return best;
}

/** How many numbers the state of an optimiser (FIT_ADAM, …) has. */
export function stateNumbers(optimiser: number, size: number): number {
  const numbers = STATE_ARRAYS / 8;
  if (optimiser === FIT_ADAM) return numbers + ARRAY_AVERAGES_END * size;
  if (optimiser === FIT_LEVENBERG) return numbers + ARRAY_FACTOR * size + factorNumbers(size);
  return numbers + ARRAY_PAIRS_END * size + 2 * PAIR_PLACES;
}

export abstract class Restart {
  readonly index: number;
  readonly start: Float64Array;
  readonly free: readonly Free[];
  readonly limits: Limits;
  reason: StopReason | undefined;
  /** How the optimiser ended, where time or a signal then cut the last look at its end. */
  ended: StopReason | undefined;
  /** FIT_ADAM, … */
  readonly optimiser: number;
  protected readonly state: number[];
  readonly #fields: SlotState;
  #kept:
    | { readonly state: number[]; readonly evaluations: number; readonly reason: Restart["reason"] }
    | undefined;

  constructor(
    index: number,
    start: Float64Array,
    free: readonly Free[],
    limits: Limits,
    optimiser: number,
  ) {
    this.index = index;
    this.start = start;
    this.free = free;
    this.limits = limits;
    this.optimiser = optimiser;
    // Plain arrays of doubles cost less to make than typed ones of this size, and a loop less than
    // `fill`, which finds out first that there are doubles in it.
    const state = new Array<number>(stateNumbers(optimiser, free.length));
    state[0] = Number.NaN;
    for (let k = 1; k < state.length; k++) state[k] = 0;
    this.state = state;
    this.#fields = new SlotState({ doubles: state }, 0);
    this.#fields.loss = Number.NaN;
    const best = this.at(ARRAY_BEST);
    const u = this.at(ARRAY_U);
    const trial = this.at(ARRAY_TRIAL);
    for (let j = 0; j < start.length; j++) {
      const x = start[j] as number;
      const free = this.free[j] as Free;
      state[best + j] = x;
      state[u + j] = state[trial + j] = free.transform.toFree(x);
    }
    this.moveTrial();
  }

  /** Where array `k` of the state (ARRAY_*) begins. */
  protected at(k: number): number {
    return STATE_ARRAYS / 8 + k * this.free.length;
  }

  protected array(k: number): Float64Array {
    const from = this.at(k);
    const numbers = new Float64Array(this.free.length);
    for (let j = 0; j < numbers.length; j++) numbers[j] = this.state[from + j] as number;
    return numbers;
  }

  protected setArray(k: number, numbers: ArrayLike<number>, from = 0): void {
    const to = this.at(k);
    for (let j = 0; j < this.free.length; j++) this.state[to + j] = numbers[from + j] as number;
  }

  /** Number j of the best point so far, as the optimiser moves it. */
  uAt(j: number): number {
    return this.state[this.at(ARRAY_U) + j] as number;
  }

  /** The best point so far in the user's units, and its loss. */
  get best(): Float64Array {
    return this.array(ARRAY_BEST);
  }

  get loss(): number {
    return this.#fields.loss;
  }

  get steps(): number {
    return this.#fields.steps;
  }

  get evaluations(): number {
    return this.#fields.evaluations;
  }

  /** Writes the trial point in the user's units: what is evaluated next. */
  writeTrial(into: Float64Array, to: number): void {
    const from = this.at(ARRAY_X);
    for (let j = 0; j < this.free.length; j++) into[to + j] = this.state[from + j] as number;
  }

  /** Writes what the machine needs to know of the settings, which all restarts of a fit share. */
  writeSettings(into: FitBlock): void {
    into.gradientLimit = this.limits.gradient;
    into.stepLimit = this.limits.step;
    into.lossLimit = this.limits.loss;
  }

  pack(into: Float64Array, at: number): void {
    const { state } = this;
    for (let k = 0; k < state.length; k++) into[at + k] = state[k] as number;
  }

  /** Takes the state over that the machine left. */
  unpack(from: Float64Array, at: number): void {
    const { state } = this;
    for (let k = 0; k < state.length; k++) state[k] = from[at + k] as number;
    this.reason = REASONS[this.#fields.reason];
  }

  /** Everything needed to go on later, as numbers. */
  abstract save(): number[];
  abstract load(numbers: readonly number[]): void;

  /** Keeps where the restart is now, before a last look that may move it; what brings it back. */
  remember(): () => void {
    const { evaluations, reason } = this;
    const kept = { state: this.state.slice(), evaluations, reason };
    this.#kept = kept;
    return () => this.#put(kept.state);
  }

  #put(state: readonly number[]): void {
    for (let k = 0; k < state.length; k++) this.state[k] = state[k] as number;
  }

  /** What another fit goes on from. What a last look has changed since is to be looked at again. */
  toState(): RestartState {
    const { index, start, ended } = this;
    const kept = this.#kept;
    const plain = { index, start: [...start] };
    if (kept === undefined || kept.evaluations === this.evaluations)
      return { ...plain, numbers: this.save(), ...(ended === undefined ? {} : { ended }) };
    const now = { state: this.state.slice(), reason: this.reason };
    this.#put(kept.state);
    this.reason = kept.reason;
    const { loss, evaluations, reason = "steps" } = this;
    const left = { params: [...this.best], loss, evaluations, reason };
    const numbers = this.save();
    this.#put(now.state);
    this.reason = now.reason;
    return { ...plain, numbers, left };
  }

  /** Goes to a better point that was found elsewhere, by so many evaluations. */
  moveTo(u: Float64Array, loss: number, evaluations: number): void {
    this.setArray(ARRAY_U, u);
    this.setArray(
      ARRAY_BEST,
      u.map((each, j) => (this.free[j] as Free).transform.toUser(each)),
    );
    this.#fields.loss = loss;
    this.countEvaluations(evaluations);
  }

  /** Tells another best point, which the optimiser's own numbers need not tell apart from theirs. */
  putAt(best: Float64Array, loss: number): void {
    this.setArray(ARRAY_BEST, best);
    this.#fields.loss = loss;
  }

  /** Counts evaluations that were made elsewhere. */
  countEvaluations(count: number): void {
    this.#fields.evaluations += count;
  }

  /** Takes over how the restart ended in an earlier fit; `load` has brought its numbers. */
  restore(left: RestartLeft, steps: number): void {
    this.reason = left.reason;
    this.#fields.loss = left.loss;
    this.#fields.steps = steps;
    this.#fields.evaluations = left.evaluations;
    this.setArray(ARRAY_BEST, left.params);
  }

  /** Brings the trial in the user's units, and its slopes, to the trial. */
  protected moveTrial(): void {
    const { state } = this;
    const trial = this.at(ARRAY_TRIAL);
    const x = this.at(ARRAY_X);
    const slopes = this.at(ARRAY_SLOPES);
    for (let j = 0; j < this.free.length; j++) {
      const { transform } = this.free[j] as Free;
      state[x + j] = transform.toUser(state[trial + j] as number);
      state[slopes + j] = this.slopeOf(transform, state[trial + j] as number);
    }
  }

  /** The derivative of a parameter by the number that the optimiser moves. */
  protected slopeOf(transform: Transform, u: number): number {
    return transform.slope(u);
  }
}
