/**
 * Levenberg and Marquardt's method for least squares.
 *
 * A step makes ‖J d + r‖² + Σ (m_j d_j)² / radius least, where m_j is the norm of column j of the
 * Jacobian (Marquardt's scaling), kept within limits in units of the first Jacobian. The radius
 * follows Nielsen: a step as good as the linear model promised lets it grow, a bad one shrinks it
 * faster and faster. A trial where the program fails or is not finite counts as a bad step.
 *
 * A good step that leaves a parameter almost without influence (an exponential that has died out)
 * is taken back a few times all the same: from there it would never return.
 *
 * Steps come from orthogonal factors, so that nearly dependent columns cost no more digits than
 * they must; a column of zeros gets no step.
 */

import type { SquaresBatch } from "./batch.js";
import { DampedSolver, Factor } from "./linear.js";
import type { Free } from "./parameters.js";
import { isFiniteArray, type Limits, Restart } from "./restart.js";

const RADIUS_START = 1e4;
const RADIUS_MOST = 1e16;
const RADIUS_LEAST = 1e-32;
/** Limits of the squared scaled column norms. */
const SCALE_LEAST = 1e-6;
const SCALE_MOST = 1e32;
/** A step is taken if the loss falls by this share of the promise. */
const FALL_LEAST = 1e-3;
/** Where the loss can no longer tell points apart, the gradient does. */
const ROUNDING = 1e-13;
/** Relative rounding of a loss: smaller falls cannot be told from none. */
const NOISE = { f64: 1e-15, f32: 1e-6 } as const;
/** A column's norm that falls to this share has lost its influence. */
const INFLUENCE_LEAST = 1e-4;
/** How many steps in a row may be taken back for that. */
const VETOES_MOST = 12;

export class LevenbergRestart extends Restart<SquaresBatch> {
  #factor: Factor;
  #trialFactor: Factor;
  readonly #solver: DampedSolver;
  readonly #scale: Float64Array;
  readonly #damping: Float64Array;
  readonly #step: Float64Array;
  #radius = RADIUS_START;
  #shrink = 2;
  #predicted = 0;
  #noise = 0;
  #vetoes = 0;
  #isFirst = true;

  constructor(index: number, start: Float64Array, free: readonly Free[], limits: Limits) {
    super(index, start, free, limits);
    const size = free.length;
    this.#factor = new Factor(size);
    this.#trialFactor = new Factor(size);
    this.#solver = new DampedSolver(size);
    this.#scale = new Float64Array(size);
    this.#damping = new Float64Array(size);
    this.#step = new Float64Array(size);
  }

  take(batch: SquaresBatch, slot: number): void {
    this.evaluations += 1;
    this.#noise = batch.isSingle ? NOISE.f32 : NOISE.f64;
    const loss = batch.factorInto(slot, this.slopes, this.#trialFactor);
    if (this.#isFirst) this.#begin(loss);
    else this.#judge(loss);
    if (this.reason === undefined && this.steps >= this.limits.steps) this.reason = "steps";
    if (this.reason === undefined) this.#propose();
  }

  #begin(loss: number): void {
    this.#isFirst = false;
    if (!Number.isFinite(loss)) {
      this.reason = "not finite";
      return;
    }
    this.#accept(loss);
    if (this.#scale[0] === 0)
      for (let j = 0; j < this.#scale.length; j++)
        this.#scale[j] = 1 / (1 + this.#factor.columnNorm(j));
    this.#checkGradient();
  }

  #judge(loss: number): void {
    this.steps += 1;
    const before = this.loss;
    const fall = (before - loss) / 2;
    const ratio = fall / this.#predicted;
    if (Number.isFinite(loss) && ratio > FALL_LEAST && !this.#isVetoed()) {
      this.#vetoes = 0;
      this.#accept(loss);
      const swing = 2 * ratio - 1;
      const factor = Math.max(1 / 3, 1 - swing * swing * swing);
      this.#radius = Math.min(RADIUS_MOST, this.#radius / factor);
      this.#shrink = 2;
      this.#checkGradient();
      if (this.reason !== undefined) return;
      const least = this.limits.loss * before;
      if (2 * fall <= least && 2 * this.#predicted <= least) this.reason = "loss";
      else if (this.#isStepSmall()) this.reason = "step";
      return;
    }
    if (this.#isPolish(loss)) {
      this.#accept(loss);
      this.#checkGradient();
      return;
    }
    if (2 * this.#predicted <= this.#noise * before) this.reason = "loss";
    else if (Number.isFinite(loss) && this.#isStepSmall()) this.reason = "step";
    this.#radius /= this.#shrink;
    this.#shrink *= 2;
    if (this.#radius < RADIUS_LEAST) this.reason ??= "damping";
  }

  #accept(loss: number): void {
    this.acceptTrial(loss);
    const factor = this.#factor;
    this.#factor = this.#trialFactor;
    this.#trialFactor = factor;
  }

  /** Whether a parameter has lost its influence in one step. */
  #isVetoed(): boolean {
    if (this.#vetoes >= VETOES_MOST) return false;
    for (let j = 0; j < this.u.length; j++)
      if (this.#trialFactor.columnNorm(j) < INFLUENCE_LEAST * this.#factor.columnNorm(j)) {
        this.#vetoes += 1;
        return true;
      }
    return false;
  }

  /** Whether the loss is the same to rounding and the gradient smaller. */
  #isPolish(loss: number): boolean {
    if (!(loss <= this.loss * (1 + ROUNDING))) return false;
    if (2 * this.#predicted > 10 * ROUNDING * this.loss) return false;
    return cosine(this.#trialFactor, loss) < 0.5 * cosine(this.#factor, this.loss);
  }

  #checkGradient(): void {
    if (this.loss === 0 || cosine(this.#factor, this.loss) <= this.limits.gradient)
      this.reason = "gradient";
  }

  #isStepSmall(): boolean {
    for (let j = 0; j < this.u.length; j++)
      if (Math.abs(this.#step[j] as number) > this.limits.step * Math.abs(this.u[j] as number))
        return false;
    return true;
  }

  #propose(): void {
    const factor = this.#factor;
    for (;;) {
      for (let j = 0; j < this.u.length; j++) {
        const scale = this.#scale[j] as number;
        const norm = factor.columnNorm(j) * scale;
        const square = Math.min(SCALE_MOST, Math.max(SCALE_LEAST, norm * norm));
        this.#damping[j] = Math.sqrt(square / this.#radius) / scale;
      }
      this.#solver.solve(factor, this.#damping, this.#step);
      for (let j = 0; j < this.u.length; j++)
        this.trial[j] = (this.u[j] as number) + (this.#step[j] as number);
      this.#predicted = factor.predictedFall(this.#step);
      this.moveTrial();
      if (isFiniteArray(this.x) && Number.isFinite(this.#predicted)) break;
      this.#radius /= this.#shrink;
      this.#shrink *= 2;
      if (this.#radius >= RADIUS_LEAST) continue;
      this.reason = "damping";
      return;
    }
    if (!(this.#predicted > 0)) this.reason = "gradient";
  }

  save(): number[] {
    const { steps, evaluations } = this;
    const state = [this.#radius, this.#shrink, this.#vetoes];
    return [steps, evaluations, ...state, ...this.u, ...this.#scale];
  }

  load(numbers: readonly number[]): void {
    const size = this.u.length;
    [this.steps, this.evaluations, this.#radius, this.#shrink, this.#vetoes] = numbers as [
      number,
      number,
      number,
      number,
      number,
    ];
    this.evaluations = Math.max(0, this.evaluations - 1);
    this.trial.set(numbers.slice(5, 5 + size));
    this.u.set(this.trial);
    this.#scale.set(numbers.slice(5 + size));
    this.moveTrial();
  }
}

/** Largest cosine of the angle between the residuals and a column of the Jacobian. */
function cosine(factor: Factor, loss: number): number {
  let most = 0;
  for (let j = 0; j < factor.size; j++) {
    const norm = factor.columnNorm(j);
    if (norm > 0) most = Math.max(most, Math.abs(factor.gradient(j)) / (norm * Math.sqrt(loss)));
  }
  return most;
}
