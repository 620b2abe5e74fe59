/**
 * Whether the best restart has arrived, by second derivatives.
 *
 * L-BFGS judges by falls of the loss and by steps. Both can be small far from an optimum: where one
 * parameter is a million times as large as another, or beside a large constant. A Newton step knows no
 * units and says what is still to be gained. Where that is more than rounding can hide, Newton's steps go
 * on from there. Where the loss bends downwards there is no minimum, and the step leaves the saddle.
 */

import { NdvmError } from "../../errors.js";
import type { Problem } from "../fit.js";
import { type Singular, singularValues } from "../math/linear.js";
import type { Free } from "../parameters/parameters.js";
import { type Curvature, hessianAt, isNegativeLogLikelihood } from "../quality/hessian.js";
import type { Finished } from "../result/result.js";
import type { Settings } from "../settings.js";
import type { Batch } from "./batch.js";
import { LbfgsRestart } from "./lbfgs.js";
import { isConverged, type Restart } from "./restart.js";

/** More points than this, all parameters together, are not looked at; nor are more parameters. */
const POINTS_MOST = 4_000_000;
const PARAMETERS_MOST = 200;
const TURNS_MOST = 30;
/** Share of what may be left that is still worth a step to those who have set out. */
const WAY = 1e-6;
/** How often a step that does not lower the loss is shortened, and to which part. */
const CUTS_MOST = 12;
const CUT = 0.25;

/** What counts as arrived, in both precisions. */
interface Limits {
  /** Share of the loss that rounding hides. */
  readonly hidden: number;
  /** Of a log-likelihood that is still to be gained, twice: errors of a thousandth of a standard error. */
  readonly gain: number;
  /** Share of a parameter by which it would still move, for other losses. */
  readonly move: number;
  /** Share of the strongest bend below which a direction counts as flat. */
  readonly flat: number;
}

const SINGLE: Limits = { hidden: 1e-5, gain: 1e-3, move: 1e-2, flat: 1e-3 };
const DOUBLE: Limits = { hidden: 1e-13, gain: 1e-6, move: 1e-5, flat: 1e-8 };

export interface Arrival {
  /**
   * `short`: the loss still falls, and rounding hides it. `unknown`: second derivatives are no numbers, or
   * say what the loss does not do, as at a kink.
   */
  readonly verdict: "arrived" | "short" | "unknown";
  /** At the point where the restart is now. */
  readonly curvature: Curvature;
}

type Asked = Pick<Finished, "batches" | "parameters" | "options" | "settings">;

/**
 * Looks whether a restart that says so has arrived, and brings it there if it has not. Undefined where
 * nothing was looked at. `lm` needs it only beside a saddle, where some slopes are 0. The loss `absolute`
 * has no second derivatives, Adam promises no minimum, and large fits would take long.
 */
export function arrive(
  problem: Problem,
  settings: Settings,
  restart: Restart,
  millisecondsMax: number,
): Arrival | undefined {
  const { batches, parameters, options, table } = problem;
  const { optimiser, lossName, isAttempt } = settings;
  // A line search that failed may have failed for lack of a sense of units.
  const isDone = isConverged(restart.reason) || restart.reason === "damping";
  if (lossName === "absolute" || isAttempt || !isDone) return undefined;
  if (optimiser === "adam" || (optimiser === "lm" && !hasStayed(restart))) return undefined;
  const { length } = parameters.free;
  if (length > PARAMETERS_MOST || (table?.points ?? 1) * length > POINTS_MOST) return undefined;
  try {
    const asked = { batches, parameters, options, settings };
    return new Arriving(asked, restart, performance.now() + millisecondsMax).run();
  } catch (error) {
    // Many lanes at once take more memory than the fit itself did.
    if (error instanceof NdvmError && error.code === "E-MEMORY") return undefined;
    throw error;
  }
}

/** Whether some parameter did not move at all. */
const hasStayed = ({ best, start }: Restart): boolean => best.some((x, j) => x === start[j]);

/** A place with what the optimiser sees there. */
interface Place {
  readonly u: Float64Array;
  readonly loss: number;
  readonly gradient: Float64Array;
}

/** A step in the optimiser's numbers, and twice what it promises. */
interface Step {
  readonly by: Float64Array;
  readonly gain: number;
  /** A direction in which the loss bends downwards. */
  readonly down: Float64Array | undefined;
}

class Arriving {
  readonly #problem: Asked;
  readonly #restart: Restart;
  readonly #free: readonly Free[];
  readonly #batch: Batch;
  readonly #limits: Limits;
  readonly #isLikelihood: boolean;
  readonly #until: number;
  #place: Place;
  #evaluations = 0;
  #hasMoved = false;

  constructor(problem: Asked, restart: Restart, until: number) {
    this.#until = until;
    this.#problem = problem;
    this.#restart = restart;
    this.#free = problem.parameters.free;
    this.#batch = problem.batches.of(1);
    this.#limits = this.#batch.isSingle ? SINGLE : DOUBLE;
    this.#isLikelihood = isNegativeLogLikelihood(problem);
    const u = Float64Array.from(this.#free, (_, j) => restart.uAt(j));
    this.#place = seenBy(restart, u) ?? this.#look(u);
  }

  run(): Arrival {
    for (let turn = 0; ; turn++) {
      const curvature = this.#curvature();
      const step = this.#stepBy(curvature);
      // Who has set out goes all the way.
      const isThere = this.#isNear(step, turn === 0 ? 1 : WAY);
      const isSaddle = isThere && step.down !== undefined;
      const isEnd = turn === TURNS_MOST || (isThere && !isSaddle) || this.#isOver();
      const by = isSaddle ? (step.down as Float64Array) : step.by;
      const next = isEnd ? undefined : this.#follow({ ...step, by }, isSaddle);
      if (next === undefined) return this.#end(verdictOf(this.#isNear(step, 1), step), curvature);
      this.#place = next;
      this.#restart.moveTo(next.u, next.loss, this.#evaluations);
      this.#evaluations = 0;
      this.#hasMoved = true;
    }
  }

  /** Whether nobody waits for more. */
  #isOver(): boolean {
    const { signal } = this.#problem.options;
    return signal?.aborted === true || performance.now() >= this.#until;
  }

  #end(verdict: Arrival["verdict"], curvature: Curvature): Arrival {
    if (verdict === "arrived" && this.#hasMoved) this.#restart.reason = "gradient";
    return { verdict, curvature };
  }

  /** Evaluates the loss as the optimiser does. */
  #look(u: Float64Array): Place {
    const x = u.map((each, j) => (this.#free[j] as Free).transform.toUser(each));
    const there = new LbfgsRestart(0, x, this.#free, this.#restart.limits);
    this.#batch.x.set(x);
    this.#batch.run();
    this.#batch.take([there]);
    this.#evaluations += 1;
    return { u, loss: there.loss, gradient: there.gradient };
  }

  #curvature(): Curvature {
    const { best, start } = this.#restart;
    this.#evaluations += 2 * best.length;
    return hessianAt(this.#problem, best, start);
  }

  /** Newton's step, upwards bends taken as they are and downward ones turned round. */
  #stepBy({ hessian }: Curvature): Step {
    const { u, gradient } = this.#place;
    const size = u.length;
    const bend = (i: number, j: number): number => {
      const [first, second] = [this.#slopeAt(i, u[i] as number), this.#slopeAt(j, u[j] as number)];
      const own = i === j ? this.#turnOf(i, u[i] as number, gradient[i] as number, first) : 0;
      return (hessian[i * size + j] as number) * first * second + own;
    };
    const scales = u.map((_, j) => 1 / Math.sqrt(Math.abs(bend(j, j)) || 1));
    const columns = Array.from(u, (_, j) =>
      u.map((_, i) => bend(i, j) * (scales[i] as number) * (scales[j] as number)),
    );
    return newtonStep(singularValues(columns), columns, gradient, scales, this.#limits.flat);
  }

  #slopeAt = (j: number, u: number): number => (this.#free[j] as Free).transform.slope(u);

  /** What the bend of a parameter's own map adds. */
  #turnOf(j: number, u: number, gradient: number, slope: number): number {
    const step = 1e-6 * Math.max(1, Math.abs(u));
    const turn = (this.#slopeAt(j, u + step) - this.#slopeAt(j, u - step)) / (2 * step);
    return turn === 0 ? 0 : (gradient / slope) * turn;
  }

  /** Whether nothing is left that rounding does not hide, or a share of what may be left. */
  #isNear({ by, gain }: Step, share: number): boolean {
    const { hidden, gain: least, move } = this.#limits;
    if (!(gain > share * hidden * Math.abs(this.#place.loss))) return true;
    if (this.#isLikelihood) return gain <= share * least;
    return by.every((each, j) => Math.abs(each) <= share * move * this.#sizeOf(j));
  }

  #sizeOf(j: number): number {
    const { transform } = this.#free[j] as Free;
    const from = transform.toFree(this.#restart.start[j] as number);
    return Math.max(Math.abs(this.#place.u[j] as number), Math.abs(from)) || 1;
  }

  /**
   * The place that a step leads to, cut where the loss is not lower: undefined where no part of it is.
   * Near the end rounding hides falls of the loss; then the slope along the step has to flatten. A step off a saddle
   * is tried on both sides.
   */
  #follow({ by, gain }: Step, isSaddle: boolean): Place | undefined {
    const { u, loss } = this.#place;
    const hidden = this.#limits.hidden * Math.abs(loss);
    const slopeHere = inner(this.#place.gradient, by);
    for (let part = 1, cut = 0; cut < CUTS_MOST; cut++, part *= CUT)
      for (const side of isSaddle ? [1, -1] : [1]) {
        const there = this.#look(u.map((each, j) => each + side * part * (by[j] as number)));
        if (there.loss < loss - Math.max(hidden, isSaddle ? 0 : 1e-4 * part * gain)) return there;
        const isFlatter = Math.abs(inner(there.gradient, by)) < Math.abs(slopeHere) / 2;
        if (!isSaddle && isFlatter && there.loss <= loss + hidden) return there;
      }
    return undefined;
  }
}

/** What a restart of L-BFGS has seen at its best point; one that was resumed has seen nothing yet. */
function seenBy(restart: Restart, u: Float64Array): Place | undefined {
  if (!(restart instanceof LbfgsRestart)) return undefined;
  const { gradient, loss } = restart;
  return gradient.some((slope) => slope !== 0) ? { u, loss, gradient } : undefined;
}

function verdictOf(isNear: boolean, { down, gain }: Step): Arrival["verdict"] {
  if (Number.isNaN(gain) || (isNear && down !== undefined)) return "unknown";
  return isNear ? "arrived" : "short";
}

function newtonStep(
  { values, vectors }: Singular,
  columns: readonly Float64Array[],
  gradient: Float64Array,
  scales: Float64Array,
  flat: number,
): Step {
  const by = new Float64Array(gradient.length);
  const isKnown = columns.every((column) => column.every(Number.isFinite));
  if (!isKnown) return { by, gain: Number.NaN, down: undefined };
  const scaled = gradient.map((each, j) => each * (scales[j] as number));
  const least = flat * (values[0] ?? 0);
  let gain = 0;
  let down: Float64Array | undefined;
  for (const [k, vector] of vectors.entries()) {
    // What the loss hardly bends by may still have a slope.
    const value = Math.max(values[k] as number, least);
    if (!(value > 0)) continue;
    const along = inner(scaled, vector);
    gain += (along * along) / value;
    for (const [j, part] of vector.entries())
      by[j] = (by[j] as number) - (along / value) * part * (scales[j] as number);
    if (bendOf(columns, vector) < -least)
      down = vector.map((part, j) => (part * (scales[j] as number)) / Math.sqrt(value));
  }
  return { by, gain, down };
}

function bendOf(columns: readonly Float64Array[], vector: Float64Array): number {
  let sum = 0;
  for (const [j, column] of columns.entries()) sum += (vector[j] as number) * inner(column, vector);
  return sum;
}

function inner(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let j = 0; j < a.length; j++) sum += (a[j] as number) * (b[j] as number);
  return sum;
}
