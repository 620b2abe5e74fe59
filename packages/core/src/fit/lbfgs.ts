/**
 * L-BFGS: a quasi-Newton method that remembers the latest steps, with a line search that meets the
 * strong Wolfe conditions (Nocedal and Wright, algorithms 7.4, 3.5 and 3.6).
 *
 * The line search is written as a state that takes one evaluation at a time: it first widens the
 * bracket, then narrows it by cubic interpolation with safeguards. A trial that is not finite
 * counts as too far.
 */

import type { Batch } from "./batch.js";
import type { Free } from "./parameters.js";
import { isFiniteArray, type Limits, Restart } from "./restart.js";

const MEMORY = 10;
/** One place more than pairs: the next pair is written before it is known to be of use. */
const PLACES = MEMORY + 1;
/** Constants of the two conditions: enough fall, and a slope that has flattened enough. */
const FALL = 1e-4;
const FLAT = 0.9;
const TRIALS_MOST = 40;

/** A place on the line: distance, value and slope there. */
interface Place {
  at: number;
  value: number;
  slope: number;
}

export class LbfgsRestart extends Restart {
  readonly #gradient: Float64Array;
  readonly #trialGradient: Float64Array;
  readonly #direction: Float64Array;
  /** The latest pairs: changes of place and of gradient, and their product; oldest at `#first`. */
  readonly #steps: readonly Float64Array[];
  readonly #turns: readonly Float64Array[];
  readonly #curvatures = new Float64Array(PLACES);
  readonly #weights = new Float64Array(PLACES);
  #first = 0;
  #pairs = 0;
  readonly #low: Place = { at: 0, value: 0, slope: 0 };
  readonly #high: Place = { at: Number.NaN, value: 0, slope: 0 };
  #slope = 0;
  #distance = 0;
  #trials = 0;
  #isFirst = true;

  constructor(index: number, start: Float64Array, free: readonly Free[], limits: Limits) {
    super(index, start, free, limits);
    const size = free.length;
    this.#gradient = new Float64Array(size);
    this.#trialGradient = new Float64Array(size);
    this.#direction = new Float64Array(size);
    this.#steps = Array.from({ length: PLACES }, () => new Float64Array(size));
    this.#turns = Array.from({ length: PLACES }, () => new Float64Array(size));
  }

  /** Where pair k is kept, the oldest being 0. */
  #at(k: number): number {
    return (this.#first + k) % PLACES;
  }

  take(batch: Batch, slot: number): void {
    this.evaluations += 1;
    const loss = batch.gradientInto(slot, this.#trialGradient);
    this.chain(this.#trialGradient);
    const isGood = Number.isFinite(loss) && isFiniteArray(this.#trialGradient);
    if (this.#isFirst) this.#begin(loss, isGood);
    else this.#search(isGood ? loss : Infinity);
  }

  #begin(loss: number, isGood: boolean): void {
    this.#isFirst = false;
    if (!isGood) {
      this.reason = "not finite";
      return;
    }
    this.acceptTrial(loss);
    this.#gradient.set(this.#trialGradient);
    if (this.#isFlat()) this.reason = "gradient";
    else this.#startLine();
  }

  /** Whether changing a number by its size, or by 1, would hardly change the loss. */
  #isFlat(): boolean {
    const size = Math.max(1e-300, Math.abs(this.loss));
    for (let j = 0; j < this.u.length; j++) {
      const scale = Math.max(1, Math.abs(this.u[j] as number));
      if (Math.abs(this.#gradient[j] as number) * scale > this.limits.gradient * size) return false;
    }
    return true;
  }

  /** Chooses a direction by the two-loop recursion and makes the first trial along it. */
  #startLine(): void {
    const direction = this.#direction;
    for (let j = 0; j < direction.length; j++) direction[j] = -(this.#gradient[j] as number);
    for (let k = this.#pairs - 1; k >= 0; k--) {
      const at = this.#at(k);
      const step = this.#steps[at] as Float64Array;
      const weight = inner(step, direction) / (this.#curvatures[at] as number);
      this.#weights[at] = weight;
      addScaled(direction, -weight, this.#turns[at] as Float64Array);
    }
    if (this.#pairs > 0) {
      const at = this.#at(this.#pairs - 1);
      const turn = this.#turns[at] as Float64Array;
      const gain = (this.#curvatures[at] as number) / inner(turn, turn);
      for (let j = 0; j < direction.length; j++) direction[j] = (direction[j] as number) * gain;
    }
    for (let k = 0; k < this.#pairs; k++) {
      const at = this.#at(k);
      const turn = this.#turns[at] as Float64Array;
      const weight = inner(turn, direction) / (this.#curvatures[at] as number);
      const left = (this.#weights[at] as number) - weight;
      addScaled(direction, left, this.#steps[at] as Float64Array);
    }
    this.#slope = inner(direction, this.#gradient);
    if (!(this.#slope < 0)) {
      this.#forget();
      if (this.reason === undefined) this.#startLine();
      return;
    }
    set(this.#low, 0, this.loss, this.#slope);
    this.#high.at = Number.NaN;
    this.#trials = 0;
    this.#try(this.#pairs > 0 ? 1 : this.#firstDistance());
  }

  /** Without memory the first step changes no number by more than its size. */
  #firstDistance(): number {
    let most = 0;
    for (let j = 0; j < this.u.length; j++) {
      const size = Math.max(0.1, Math.abs(this.u[j] as number));
      most = Math.max(most, Math.abs(this.#direction[j] as number) / size);
    }
    return Math.min(1, 0.1 / most);
  }

  #forget(): void {
    if (this.#pairs === 0) this.reason = "damping";
    this.#pairs = 0;
  }

  #try(distance: number): void {
    this.#distance = distance;
    this.#trials += 1;
    for (let j = 0; j < this.u.length; j++)
      this.trial[j] = (this.u[j] as number) + distance * (this.#direction[j] as number);
    this.moveTrial();
  }

  #search(value: number): void {
    const at = this.#distance;
    const slope = value === Infinity ? Number.NaN : inner(this.#direction, this.#trialGradient);
    const isFalling = value <= this.loss + FALL * at * this.#slope;
    const isBracketed = !Number.isNaN(this.#high.at);
    if (isFalling && Math.abs(slope) <= -FLAT * this.#slope) {
      this.#finishLine(value);
      return;
    }
    if (this.#trials >= TRIALS_MOST || at < 1e-20) {
      this.#giveUp(value);
      return;
    }
    if (!isFalling || (value >= this.#low.value && (isBracketed || this.#trials > 1))) {
      set(this.#high, at, value, slope);
      this.#narrow();
      return;
    }
    if (!isBracketed && slope < 0) {
      set(this.#low, at, value, slope);
      this.#try(at * 2.5);
      return;
    }
    if (!isBracketed) set(this.#high, this.#low.at, this.#low.value, this.#low.slope);
    else if (slope * (this.#high.at - this.#low.at) >= 0)
      set(this.#high, this.#low.at, this.#low.value, this.#low.slope);
    set(this.#low, at, value, slope);
    this.#narrow();
  }

  /** Tries inside the bracket: where a cubic has its minimum, kept off the ends. */
  #narrow(): void {
    const { at: a, value: fa, slope: sa } = this.#low;
    const { at: b, value: fb, slope: sb } = this.#high;
    const width = b - a;
    let t = 0.5;
    if (Number.isFinite(fb) && Number.isFinite(sb)) {
      const d1 = sa + sb - (3 * (fa - fb)) / (a - b);
      const root = Math.sqrt(Math.max(0, d1 * d1 - sa * sb)) * (width > 0 ? 1 : -1);
      t = 1 - (sb + root - d1) / (sb - sa + 2 * root);
    } else if (!Number.isFinite(fb)) t = 0.1;
    if (!(t > 0.1)) t = 0.1;
    if (t > 0.9) t = 0.9;
    if (Math.abs(width) < 1e-16 * Math.abs(a)) this.#trials = TRIALS_MOST;
    this.#try(a + t * width);
  }

  /** The line gives no more: the best of it is taken if it is better, else memory is dropped. */
  #giveUp(value: number): void {
    if (value < this.loss) {
      this.#finishLine(value);
      return;
    }
    this.#trialGradient.set(this.#gradient);
    if (this.#pairs === 0) this.reason = "loss";
    else {
      this.#forget();
      this.#startLine();
    }
  }

  #finishLine(value: number): void {
    this.steps += 1;
    const before = this.loss;
    const isSmall = this.#remember();
    this.acceptTrial(value);
    this.#gradient.set(this.#trialGradient);
    if (this.#isFlat()) this.reason = "gradient";
    else if (before - value <= this.limits.loss * Math.abs(value)) this.reason = "loss";
    else if (isSmall) this.reason = "step";
    else if (this.steps >= this.limits.steps) this.reason = "steps";
    else this.#startLine();
  }

  /** Keeps the change to the trial, if it curves upwards; whether the step is small. */
  #remember(): boolean {
    const at = this.#at(this.#pairs);
    const step = this.#steps[at] as Float64Array;
    const turn = this.#turns[at] as Float64Array;
    let isSmall = true;
    for (let j = 0; j < step.length; j++) {
      const by = (this.trial[j] as number) - (this.u[j] as number);
      step[j] = by;
      turn[j] = (this.#trialGradient[j] as number) - (this.#gradient[j] as number);
      if (!(Math.abs(by) <= this.limits.step * Math.abs(this.u[j] as number))) isSmall = false;
    }
    const curvature = inner(step, turn);
    if (curvature > 1e-16 * inner(turn, turn)) this.#keep(at, curvature);
    return isSmall;
  }

  /** Takes the pair that was written after the others; the oldest goes where there are enough. */
  #keep(at: number, curvature: number): void {
    this.#curvatures[at] = curvature;
    if (this.#pairs < MEMORY) this.#pairs += 1;
    else this.#first = (this.#first + 1) % PLACES;
  }

  /** The point and what is remembered; a line search that was under way begins again. */
  save(): number[] {
    const pairs: number[] = [];
    for (let k = 0; k < this.#pairs; k++) {
      const at = this.#at(k);
      pairs.push(...(this.#steps[at] as Float64Array), ...(this.#turns[at] as Float64Array));
    }
    return [this.steps, this.evaluations, ...this.u, ...pairs];
  }

  load(numbers: readonly number[]): void {
    const size = this.u.length;
    this.steps = numbers[0] as number;
    this.evaluations = Math.max(0, (numbers[1] as number) - 1);
    this.trial.set(numbers.slice(2, 2 + size));
    this.u.set(this.trial);
    for (let from = 2 + size; from + 2 * size <= numbers.length; from += 2 * size) {
      const at = this.#at(this.#pairs);
      const step = this.#steps[at] as Float64Array;
      const turn = this.#turns[at] as Float64Array;
      step.set(numbers.slice(from, from + size));
      turn.set(numbers.slice(from + size, from + 2 * size));
      this.#keep(at, inner(step, turn));
    }
    this.moveTrial();
  }
}

function set(place: Place, at: number, value: number, slope: number): void {
  place.at = at;
  place.value = value;
  place.slope = slope;
}

function inner(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let j = 0; j < a.length; j++) sum += (a[j] as number) * (b[j] as number);
  return sum;
}

function addScaled(into: Float64Array, by: number, other: Float64Array): void {
  for (let j = 0; j < into.length; j++) into[j] = (into[j] as number) + by * (other[j] as number);
}
