/**
 * Whether the best restart of lm has arrived, where the columns of its Jacobian nearly depend on each other.
 *
 * Damping takes each column as it is. Columns that differ by a millionth of their size, such as 1 and a year's days
 * as Julian days, ask for steps that damping forbids, and what the damped steps promise is small far from the
 * least loss. Singular values of the columns, all brought to length 1, see what is left. Where that is more than
 * rounding hides, undamped steps go on from there.
 */

import { NdvmError } from "../../errors.js";
import type { Problem } from "../fit.js";
import { exp } from "../math/elementary.js";
import { dot, singularValues } from "../math/linear.js";
import type { Free } from "../parameters/parameters.js";
import type { Settings } from "../settings.js";
import type { Batch } from "./batch.js";
import { LevenbergRestart } from "./levenberg.js";
import type { Restart } from "./restart.js";

/** More parameters, and more points of all of them together, are not looked at. */
const PARAMETERS_MOST = 50;
const POINTS_MOST = 4_000_000;
const TURNS_MOST = 30;
/** How often a step that does not lower the loss is shortened, and to which part. */
const CUTS_MOST = 6;
const CUT = 0.25;
/** A step is taken if the loss falls by this share of the promise. */
const FALL_LEAST = 1e-4;

/** Columns depend on each other nearly if a singular value is below this share of the largest. */
const DEPENDENT = 1e-4;

/** What counts as arrived, in both precisions. */
interface Limits {
  /** Of the loss, divided by the variance, that is still to be gained: shares of a standard error, squared. */
  readonly gain: number;
  /** Share of the loss that rounding hides. */
  readonly hidden: number;
  /** Singular values below this share of the largest are rounding, for each parameter. */
  readonly rank: number;
  /** The unit of rounding. */
  readonly grain: number;
}

const SINGLE: Limits = { gain: 1e-3, hidden: 1e-5, rank: 1e-8, grain: 2 ** -24 };
const DOUBLE: Limits = { gain: 1e-6, hidden: 1e-12, rank: 1e-15, grain: 2 ** -53 };
/** So many times as much as rounding of the predictions' terms makes of the loss can be rounding. */
const ROUNDING = 100;
/** Predictions whose rounding is more than this share of what the target varies by tell nothing. */
const BLUNT = 1e-2;

/** `hidden`: more is to be gained, and rounding of the predictions hides it. */
type Verdict = "arrived" | "hidden" | "time" | "aborted";
type Ended = () => "time" | "aborted" | undefined;

/** A place with what lm sees there. */
interface Place {
  readonly x: Float64Array;
  readonly loss: number;
  readonly columns: readonly Float64Array[];
  readonly residuals: Float64Array;
}

/** Steps of the parameters, of logarithms where they are on a log scale. */
interface Step {
  readonly by: Float64Array;
  readonly gain: number;
  /** What of it lies in directions in which columns nearly cancel out. */
  readonly dependent: number;
}

/** Looks for what is left for lm, and goes there. Undefined where nothing was to be done. */
export function arriveByColumns(
  problem: Problem,
  settings: Settings,
  restart: Restart,
  ended: Ended,
): Verdict | undefined {
  const { table, parameters } = problem;
  const { length } = parameters.free;
  if (settings.optimiser !== "lm" || table === undefined || !(restart.loss > 0)) return undefined;
  if (length < 2 || length > PARAMETERS_MOST || table.points * length > POINTS_MOST)
    return undefined;
  try {
    return new ColumnSteps(problem, restart, ended).run();
  } catch (error) {
    if (error instanceof NdvmError && error.code === "E-MEMORY") return undefined;
    throw error;
  }
}

class ColumnSteps {
  readonly #restart: Restart;
  readonly #free: readonly Free[];
  readonly #batch: Batch;
  readonly #limits: Limits;
  readonly #freedom: number;
  /** What the target varies by around its mean, and its size: sums of squares. */
  readonly #target: { readonly variation: number; readonly size: number };
  readonly #ended: Ended;
  #place: Place;
  #evaluations = 0;

  constructor({ batches, parameters, table }: Problem, restart: Restart, ended: Ended) {
    this.#restart = restart;
    this.#free = parameters.free;
    this.#batch = batches.of(1);
    this.#limits = this.#batch.isSingle ? SINGLE : DOUBLE;
    this.#freedom = Math.max(1, (table?.points ?? 1) - this.#free.length);
    this.#target = variationOf(table?.target ?? [], table?.rootWeights);
    this.#ended = ended;
    this.#place = this.#look(restart.best);
    // The place of the restart was counted when it came there.
    this.#evaluations = 0;
  }

  run(): Verdict | undefined {
    if (this.#isArrived()) return this.#isBlunt() ? "hidden" : undefined;
    for (let turn = 0; turn < TURNS_MOST; turn++) {
      const ended = this.#ended();
      if (ended !== undefined) return ended;
      const next = this.#next();
      if (next === undefined) break;
      this.#place = next;
    }
    const { x, loss } = this.#place;
    const u = x.map((each, j) => (this.#free[j] as Free).transform.toFree(each));
    const hasMoved = loss < this.#restart.loss;
    if (hasMoved) this.#restart.moveTo(u, loss, this.#evaluations);
    else this.#restart.countEvaluations(this.#evaluations);
    // Far from a line, the Jacobian may promise what the loss does not do.
    if (!hasMoved && !this.#isBlunt()) return undefined;
    return this.#isArrived() && !this.#isBlunt() ? "arrived" : "hidden";
  }

  /** Whether no more is left than rounding makes, or than counts beside the standard errors. */
  #isArrived(): boolean {
    const { gain, hidden } = this.#limits;
    const { loss } = this.#place;
    const left = this.#step(false).dependent;
    return !(left > Math.max(gain / this.#freedom, hidden) * loss && left > this.#rounding());
  }

  /** What rounding makes of the loss, by the sizes of the terms that predictions are sums of. */
  #rounding(): number {
    let size = Math.sqrt(this.#target.size);
    for (const [j, column] of this.#place.columns.entries()) {
      const one = (this.#free[j] as Free).isLog ? 1 : Math.abs(this.#place.x[j] as number);
      size += Math.sqrt(dot(column, column)) * one;
    }
    return ROUNDING * squared(this.#limits.grain * size);
  }

  /** Whether rounding of the predictions is as large as what is to be predicted. */
  #isBlunt(): boolean {
    const { variation, size } = this.#target;
    if (!(variation > ROUNDING * this.#limits.grain * size)) return false;
    const { loss } = this.#place;
    return loss > BLUNT * variation && this.#rounding() > ROUNDING * BLUNT * variation;
  }

  /** The best place that an undamped step leads to; undefined where none lowers the loss. */
  #next(): Place | undefined {
    let best: Place | undefined;
    for (const isShrinking of [false, true]) {
      const found = this.#follow(this.#step(isShrinking));
      if (found !== undefined && !(found.loss >= (best ?? this.#place).loss)) best = found;
    }
    return best;
  }

  #follow({ by, gain }: Step): Place | undefined {
    const { x, loss } = this.#place;
    for (let part = 1, cut = 0; cut < CUTS_MOST; cut++, part *= CUT) {
      const moved = x.map((each, j) =>
        movedBy(this.#free[j] as Free, each, part * (by[j] as number)),
      );
      if (!moved.every((each, j) => isInside(this.#free[j] as Free, each))) continue;
      const there = this.#look(moved);
      const least = Math.max(FALL_LEAST * part * gain, this.#limits.hidden * loss);
      if (there.loss < loss - least) return there;
    }
    return undefined;
  }

  /**
   * The step to the least of the linear model in all directions that numbers tell from none. One that shrinks also
   * goes back to 0 in the others: large parameters that cancel out leave their rounding in the predictions.
   */
  #step(isShrinking: boolean): Step {
    const { x, columns, residuals } = this.#place;
    const scales = columns.map((column) => 1 / (Math.sqrt(dot(column, column)) || 1));
    const scaled = columns.map((column, j) => column.map((each) => each * (scales[j] as number)));
    const { values, vectors } = singularValues(scaled);
    const least = this.#limits.rank * columns.length * (values[0] ?? 0);
    const by = new Float64Array(x.length);
    let [gain, dependent] = [0, 0];
    for (const [k, vector] of vectors.entries()) {
      const value = values[k] as number;
      const along = value > least ? -this.#promiseAlong(scaled, vector, residuals) / value : 0;
      gain += squared(along * value);
      if (value < DEPENDENT * (values[0] ?? 0)) dependent += squared(along * value);
      const back = value > least || !isShrinking ? 0 : -this.#sizeAlong(vector, scales);
      for (const [j, part] of vector.entries())
        by[j] = (by[j] as number) + (along + back) * part * (scales[j] as number);
    }
    return { by, gain, dependent };
  }

  /** The residuals' part in the direction that a step along a vector changes them. */
  #promiseAlong(
    scaled: readonly Float64Array[],
    vector: Float64Array,
    residuals: Float64Array,
  ): number {
    const image = residuals.map((_, i) => {
      let sum = 0;
      for (const [j, column] of scaled.entries())
        sum += (column[i] as number) * (vector[j] as number);
      return sum;
    });
    return dot(image, residuals) / Math.sqrt(dot(image, image));
  }

  /** How far the parameters are from 0 along a vector. */
  #sizeAlong(vector: Float64Array, scales: readonly number[]): number {
    let sum = 0;
    for (const [j, part] of vector.entries()) {
      const { isLog } = this.#free[j] as Free;
      if (!isLog) sum += (part * (this.#place.x[j] as number)) / (scales[j] as number);
    }
    return sum;
  }

  #look(x: Float64Array): Place {
    const there = new LevenbergRestart(0, x, this.#free, this.#restart.limits);
    this.#batch.x.set(x);
    this.#batch.run();
    this.#batch.take([there]);
    this.#evaluations += 1;
    const { columns, residuals } = there.factor();
    // A parameter at its bound stays there, and one that is pressed against it as well.
    const held = columns.map((column, j) =>
      isPressed(this.#free[j] as Free, x[j] as number) ? column.map(() => 0) : column,
    );
    return { x, loss: there.loss, columns: held, residuals };
  }
}

const squared = (x: number): number => x * x;

const movedBy = ({ isLog }: Free, x: number, by: number): number => (isLog ? x * exp(by) : x + by);

const isInside = ({ lower, upper }: Free, x: number): boolean =>
  Number.isFinite(x) && x > lower && x < upper;

function isPressed({ transform }: Free, x: number): boolean {
  const u = transform.toFree(x);
  return transform.reach(u, true) > 0 || transform.reach(u, false) > 0 || !Number.isFinite(u);
}

function variationOf(
  target: ArrayLike<number>,
  roots: Float64Array | undefined,
): { readonly variation: number; readonly size: number } {
  let [weight, sum] = [0, 0];
  for (let i = 0; i < target.length; i++) {
    const each = squared(roots?.[i] ?? 1);
    weight += each;
    sum += each * (target[i] as number);
  }
  const mean = sum / weight;
  let [variation, size] = [0, 0];
  for (let i = 0; i < target.length; i++) {
    const each = squared(roots?.[i] ?? 1);
    variation += each * squared((target[i] as number) - mean);
    size += each * squared(target[i] as number);
  }
  return { variation, size };
}
