/**
 * Whether the best restart has arrived, by second derivatives.
 *
 * L-BFGS judges by falls of the loss and by steps. Both can be small far from an optimum: where one
 * parameter is a million times as large as another, or beside a large constant. A Newton step knows no
 * units and says what is still to be gained. Where that is more than rounding can hide, Newton's steps go
 * on from there. Where the loss bends downwards there is no minimum, and the step leaves the saddle. At a kink it
 * has no second derivatives, and slopes from around it lead on (bundle.ts).
 */

import { NdvmError } from "../../errors.js";
import type { Problem } from "../fit.js";
import { BEYOND, GRAIN_DOUBLE, GRAIN_SINGLE } from "../maps.js";
import { symmetricValues } from "../math/linear.js";
import { inwardsOf } from "../parameters/inwards.js";
import type { Free } from "../parameters/parameters.js";
import { type Curvature, hessianAt, isNegativeLogLikelihood } from "../quality/hessian.js";
import type { Finished } from "../result/result.js";
import type { Settings } from "../settings.js";
import type { Batch } from "./batch.js";
import { type Descent, descend, type Seen } from "./bundle.js";
import { arriveByColumns } from "./columns-arrival.js";
import { LbfgsRestart } from "./lbfgs.js";
import { type Bends, bendOf, inner, newtonStep, type Step } from "./newton.js";
import { isConverged, type Restart } from "./restart.js";

/** More points than this, all parameters together, are not looked at; nor are more parameters. */
const POINTS_MOST = 4_000_000;
const PARAMETERS_MOST = 200;
const TURNS_MOST = 30;
/** Share of what may be left that is still worth a step to those who have set out. */
const WAY = 1e-6;
/** How often slopes lead down from kinks. */
const DESCENTS_MOST = 4;
/** How often a step that does not lower the loss is shortened, and to which part. */
const CUTS_MOST = 12;
const CUT = 0.25;
/** How far along an axis a rise is looked for: by so many times what rounding hides. */
const SEEN = 1000;
/** The share of what a bend promises that the loss has to rise by: near a kink it rises by less. */
const RISE = 0.01;

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
  /** Share of a number that is no more told apart. */
  readonly grain: number;
}

const SINGLE: Limits = { hidden: 1e-5, gain: 1e-3, move: 1e-2, flat: 1e-3, grain: GRAIN_SINGLE };
const DOUBLE: Limits = { hidden: 1e-13, gain: 1e-6, move: 1e-5, flat: 1e-8, grain: GRAIN_DOUBLE };

export interface Arrival {
  /**
   * `short`: the loss still falls, and rounding hides it. `time`, `aborted`: it still falls, and the fit was
   * ended. `hidden`: rounding of the predictions hides what is left. `kink`: it has a kink here, and slopes around it do not tell whether it is the least. `unknown`: second
   * derivatives are no numbers, or say what the loss does not do.
   */
  readonly verdict: "arrived" | "short" | "hidden" | "kink" | "time" | "aborted" | "unknown";
  /** At the point where the restart is now; undefined where nobody needed it. */
  readonly curvature: Curvature | undefined;
}

/** An arrival by second derivatives. */
type Bent = Arrival & { readonly curvature: Curvature };

type Asked = Pick<Finished, "batches" | "parameters" | "options" | "settings">;

/**
 * Looks whether a restart that says so has arrived, and brings it there if it has not. Undefined where
 * nothing was looked at. `lm` needs it only beside a saddle, where some slopes are 0. The loss `absolute`
 * has no second derivatives, and large fits would take long. Adam's place is only looked at, and stays as it is.
 */
export function arrive(
  problem: Problem,
  settings: Settings,
  restart: Restart,
  millisecondsMax: number,
): Arrival | undefined {
  const { batches, parameters, options, table } = problem;
  const { optimiser, lossName, isAttempt } = settings;
  const isAdam = optimiser === "adam";
  // A line search that failed may have failed for lack of a sense of units. Adam takes all its steps, and says nothing.
  const isDone =
    isConverged(restart.reason) ||
    restart.reason === "damping" ||
    (isAdam && restart.reason === "steps");
  if (lossName === "absolute" || isAttempt || !isDone) return undefined;
  const until = performance.now() + millisecondsMax;
  const verdict = arriveByColumns(problem, settings, restart, () => endedAt(options, until));
  const byColumns = verdict && { verdict, curvature: undefined };
  const isToGoOn = verdict === undefined || verdict === "arrived";
  if (!isToGoOn || (optimiser === "lm" && !hasStayed(restart))) return byColumns;
  const { length } = parameters.free;
  if (length > PARAMETERS_MOST || (table?.points ?? 1) * length > POINTS_MOST) return byColumns;
  try {
    const asked = { batches, parameters, options, settings };
    const arriving = new Arriving(asked, restart, until);
    return isAdam ? arriving.assess() : arriving.run();
  } catch (error) {
    // Many lanes at once take more memory than the fit itself did.
    if (error instanceof NdvmError && error.code === "E-MEMORY") return undefined;
    throw error;
  }
}

/** Whether some parameter did not move at all. */
const hasStayed = ({ best, start }: Restart): boolean => best.some((x, j) => x === start[j]);

/** What ended a fit that has time until then. */
function endedAt({ signal }: Asked["options"], until: number): "time" | "aborted" | undefined {
  if (signal?.aborted === true) return "aborted";
  return performance.now() >= until ? "time" : undefined;
}

/** A place with what the optimiser sees there. */
interface Place {
  readonly u: Float64Array;
  readonly loss: number;
  readonly gradient: Float64Array;
}

/** A step of a parameter that is pressed against a bound. */
interface Push {
  readonly by: number;
  readonly fall: number;
}

/** Newton's step in the optimiser's numbers from where a restart is; undefined where second derivatives are no numbers. */
export function newtonStepAt(
  problem: Asked,
  { best, free, limits }: Restart,
): Float64Array | undefined {
  const there = new LbfgsRestart(0, best, free, limits);
  return new Arriving(problem, there, Number.POSITIVE_INFINITY).step();
}

/** Whether Newton's steps of the others lead from where a restart is to a minimum, while some are held. */
export function leadsToMinimum(
  problem: Asked,
  { best, free, limits }: Restart,
  held: readonly number[],
  until: number,
): boolean {
  const there = new LbfgsRestart(0, best, free, limits);
  new Arriving(problem, there, until, held).run();
  return isConverged(there.reason);
}

/** The loss that Newton's steps of the other parameters lead to, while some are held where they are. */
export function lossBeside(
  problem: Asked,
  x: Float64Array,
  { free, limits }: Restart,
  held: readonly number[],
  until: number,
): number {
  const arriving = new Arriving(problem, new LbfgsRestart(0, x, free, limits), until, held);
  arriving.run();
  return arriving.loss;
}

const STAYS: Push = { by: 0, fall: 0 };

class Arriving {
  readonly #problem: Asked;
  readonly #restart: Restart;
  readonly #free: readonly Free[];
  readonly #batch: Batch;
  readonly #limits: Limits;
  readonly #isLikelihood: boolean;
  readonly #until: number;
  /** Whether the restart itself does not say that it has arrived. */
  readonly #isOpen: boolean;
  /** Parameters that stay where they are. */
  readonly #held: readonly number[];
  #place: Place;
  #evaluations = 0;
  #hasMoved = false;
  #descents = 0;
  /** Parameters at the latest kink. */
  #kinked: readonly number[] = [];

  constructor(problem: Asked, restart: Restart, until: number, held: readonly number[] = []) {
    this.#until = until;
    this.#held = held;
    this.#problem = problem;
    this.#restart = restart;
    this.#isOpen = !isConverged(restart.reason);
    this.#free = problem.parameters.free;
    this.#batch = problem.batches.of(1);
    this.#limits = this.#batch.isSingle ? SINGLE : DOUBLE;
    this.#isLikelihood = isNegativeLogLikelihood(problem);
    const u = Float64Array.from(this.#free, (_, j) => restart.uAt(j));
    this.#place = seenBy(restart, u) ?? this.#look(u);
    // What a restart saw before it was resumed is looked at again, and not counted twice.
    if (restart instanceof LbfgsRestart) this.#evaluations = 0;
  }

  get loss(): number {
    return this.#place.loss;
  }

  step(): Float64Array | undefined {
    const { by, gain } = this.#stepBy(this.#curvature());
    return Number.isNaN(gain) ? undefined : by;
  }

  /** Whether the restart has arrived where it is. */
  assess(): Bent {
    const curvature = this.#curvature();
    const step = this.#stepBy(curvature);
    const isThere = curvature.kinked.length === 0 && step.down === undefined;
    if (isThere && this.#isNear(step, 1)) return this.#end(step, curvature);
    return { verdict: "unknown", curvature };
  }

  run(): Bent {
    for (let turn = 0; ; turn++) {
      const { curvature, verdict } = this.#pastKinks(this.#curvature());
      if (verdict !== undefined) return { verdict, curvature };
      const step = this.#stepBy(curvature);
      // Who has set out goes all the way.
      const isThere = this.#isNear(step, turn === 0 ? 1 : WAY);
      if (isThere && turn < TURNS_MOST && this.#ended() === undefined && this.#letGo()) continue;
      const isSaddle = isThere && step.down !== undefined;
      if (isThere && !isSaddle) return this.#end(step, curvature);
      const ended = this.#ended();
      if (ended !== undefined) return this.#end(step, curvature, ended);
      const by = isSaddle ? (step.down as Float64Array) : step.by;
      const next = turn < TURNS_MOST ? this.#follow({ ...step, by }, isSaddle) : undefined;
      if (next === undefined) {
        if (turn < TURNS_MOST && this.#letGo()) continue;
        return this.#end(step, curvature);
      }
      this.#moveTo(next);
    }
  }

  /**
   * At a kink, follows slopes down from it. The parameters whose slopes jump at its end are level then, and Newton's
   * steps go on with the others; if they are not, there is a verdict. Those that are pressed against a bound stay.
   */
  #pastKinks(curvature: Curvature): Pick<Bent, "curvature"> & Partial<Bent> {
    const pressed = this.#pressed(curvature);
    const kinked = curvature.kinked.filter((j) => !pressed.has(j));
    if (kinked.length === 0 && !this.#isStraight(curvature)) return { curvature };
    this.#kinked = kinked;
    const before = this.#place.loss;
    const { left, least, ended } = this.#descend(pressed);
    if (ended !== undefined) return { curvature, verdict: ended };
    const now = this.#curvature();
    const isLevel = left.every(
      (slope, j) => Math.abs(slope) <= least || !(now.kinked.includes(j) || this.#isStraight(now)),
    );
    if (this.#place.loss < before) this.#descents += 1;
    const isSeen = isLevel && !this.#isHidden(now);
    if (isSeen && this.#descents <= DESCENTS_MOST) return { curvature: now };
    return { curvature: { ...now, kinked: this.#kinked }, verdict: "kink" };
  }

  /**
   * Whether the loss falls without any bend, as between kinks, though the optimiser says it has arrived. Of parameters
   * that are pressed against a bound the way that is left may be too short for any bend to show.
   */
  #isStraight(curvature: Curvature): boolean {
    if (!isConverged(this.#restart.reason) || curvature.hessian.some((bend) => bend !== 0))
      return false;
    const pressed = this.#pressed(curvature);
    return this.#place.gradient.some((slope, j) => slope !== 0 && !pressed.has(j));
  }

  /**
   * Whether parameters share a kink that leads to a bound. Close to it the map of one is so flat that no slope along
   * the kink shows.
   */
  #isHidden(curvature: Curvature): boolean {
    const pressed = this.#pressed(curvature);
    const kinked = curvature.kinked.filter((j) => !pressed.has(j));
    const isNear = (j: number): boolean => {
      const { transform } = this.#free[j] as Free;
      return [true, false].some(
        (isDown) => transform.reach(this.#place.u[j] as number, isDown) > 0,
      );
    };
    return kinked.length > 1 && kinked.some(isNear);
  }

  /** Parameters that are pressed against a bound, or at it, and those that are held. */
  #pressed({ hessian }: Curvature): ReadonlySet<number> {
    const { length } = this.#free;
    const all = [...this.#free.keys()];
    const bendOf = (j: number): number => hessian[j * length + j] as number;
    return new Set(
      all.filter((j) => this.#held.includes(j) || this.#pushAt(j, bendOf(j)) !== undefined),
    );
  }

  /** Follows slopes down from a kink, or finds that none leads down. Parameters that are held stay. */
  #descend(held: ReadonlySet<number>): Descent {
    const sizes = this.#place.u.map((_, j) => this.#sizeOf(j));
    const seenAt = ({ u, loss, gradient }: Place): Seen => ({
      at: u.map((each, j) => each / (sizes[j] as number)),
      loss,
      slope: gradient.map((each, j) => (held.has(j) ? 0 : each * (sizes[j] as number))),
    });
    const placeOf = (at: Float64Array): Float64Array =>
      at.map((each, j) => each * (sizes[j] as number));
    const look = (at: Float64Array): Seen => ({ ...seenAt(this.#look(placeOf(at))), at });
    const start = seenAt(this.#place);
    const found = descend(start, look, this.#batch.isSingle, () => this.#ended());
    if (found.best.loss < start.loss) this.#moveTo(this.#look(placeOf(found.best.at)));
    return found;
  }

  #moveTo(next: Place): void {
    this.#place = next;
    this.#restart.moveTo(next.u, next.loss, this.#evaluations);
    this.#evaluations = 0;
    this.#hasMoved = true;
  }

  /** Takes parameters off bounds from which the loss falls inwards; whether there were any. */
  #letGo(): boolean {
    let hasLetGo = false;
    for (const [j, one] of this.#free.entries()) {
      if (this.#held.includes(j)) continue;
      const start = this.#restart.start[j] as number;
      const x = one.transform.toUser(this.#place.u[j] as number);
      const places = inwardsOf(one, x, start).map((each) => {
        const u = this.#place.u.slice();
        u[j] = one.transform.toFree(each);
        return this.#look(u);
      });
      const best = places.reduce(
        (least, each) => (each.loss < least.loss ? each : least),
        this.#place,
      );
      const hidden = this.#limits.hidden * Math.abs(this.#place.loss);
      if (!(best.loss < this.#place.loss - hidden)) continue;
      this.#moveTo(best);
      hasLetGo = true;
    }
    return hasLetGo;
  }

  /** What ended the fit, if nobody waits for more. */
  #ended(): "time" | "aborted" | undefined {
    return endedAt(this.#problem.options, this.#until);
  }

  #end(step: Step, curvature: Curvature, ended?: "time" | "aborted"): Bent {
    const known = verdictOf(this.#isNear(step, 1), step);
    const verdict = known === "short" && ended !== undefined ? ended : known;
    // It has come from a kink, and may be too near for second derivatives to mean anything.
    if (verdict === "short" && this.#kinked.length > 0)
      return { verdict: "kink", curvature: { ...curvature, kinked: this.#kinked } };
    const isKink = curvature.kinked.length > 0;
    if (verdict === "arrived" && isKink) this.#restart.reason = "loss";
    else if (verdict === "arrived" && this.#isOpen) this.#close(curvature);
    else if (verdict === "arrived" && this.#hasMoved) this.#restart.reason = "gradient";
    return { verdict, curvature };
  }

  /** Lets a restart that did not say so have arrived, if this is a minimum. */
  #close(curvature: Curvature): void {
    if (this.#isMinimum(curvature)) this.#restart.reason = "gradient";
    this.#restart.countEvaluations(this.#evaluations);
    this.#evaluations = 0;
  }

  /**
   * Whether the loss rises both ways along each axis of its bends, as they promise. It does not where parameters change
   * nothing together, nor where bends vanish further on, as those of logits do that grow without end.
   */
  #isMinimum(curvature: Curvature): boolean {
    const { u, loss } = this.#place;
    const { columns, scales, moving } = this.#bends(curvature, this.#pressed(curvature));
    const { values, vectors } = symmetricValues(columns);
    const least = this.#limits.flat * (values[0] ?? 0);
    const seen = SEEN * this.#limits.hidden * Math.abs(loss);
    const rise = this.#isLikelihood ? Math.max(seen, this.#limits.gain) : seen;
    return vectors.every((vector) => {
      const bend = bendOf(columns, vector);
      if (!(bend > least)) return false;
      const axis = new Float64Array(u.length);
      for (const [a, j] of moving.entries())
        axis[j] = (vector[a] as number) * (scales[a] as number);
      const shares = moving.map(
        (j) => (Math.abs(u[j] as number) || this.#sizeOf(j)) / Math.abs(axis[j] as number),
      );
      const by = Math.max(Math.sqrt((2 * rise) / bend), this.#limits.move * Math.min(...shares));
      return [by, -by].every((distance) => {
        const there = this.#look(u.map((each, j) => each + distance * (axis[j] as number)));
        return there.loss - loss >= (RISE * bend * by * by) / 2;
      });
    });
  }

  /** Bends by the optimiser's numbers of the parameters that are not held, brought to 1 on the diagonal. */
  #bends({ hessian }: Curvature, held: ReadonlySet<number>): Bends {
    const { u, gradient } = this.#place;
    const moving = [...u.keys()].filter((j) => !held.has(j));
    const slopes = u.map((each, j) => this.#slopeAt(j, each));
    const bend = (i: number, j: number): number => {
      const [first, second] = [slopes[i] as number, slopes[j] as number];
      const own = i === j ? this.#turnOf(i, u[i] as number, gradient[i] as number, first) : 0;
      return (hessian[i * u.length + j] as number) * first * second + own;
    };
    const scales = moving.map((j) => 1 / Math.sqrt(Math.abs(bend(j, j)) || 1));
    const columns = moving.map((j, b) =>
      Float64Array.from(
        moving,
        (i, a) => bend(i, j) * (scales[a] as number) * (scales[b] as number),
      ),
    );
    return { columns, scales, moving };
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
    this.#evaluations += 2 * this.#free.length;
    return hessianAt(this.#problem, this.#restart);
  }

  /**
   * Newton's step, upwards bends taken as they are and downward ones turned round. Parameters that are pressed
   * against a bound are left out of it and take steps of their own, where that is worth anything. Those at a kink stay.
   */
  #stepBy(curvature: Curvature): Step {
    const { hessian, kinked } = curvature;
    const size = this.#free.length;
    const pushes = this.#free.map((_, j) =>
      this.#held.includes(j) ? STAYS : this.#pushAt(j, hessian[j * size + j] as number),
    );
    const held = pushes.flatMap((push, j) => (push || kinked.includes(j) ? [j] : []));
    const bends = this.#bends(curvature, new Set(held));
    const step = newtonStep(bends, this.#place.gradient, this.#limits.flat);
    const nothing = this.#limits.hidden * Math.abs(this.#place.loss);
    let { gain } = step;
    for (const [j, { by, fall } = { by: 0, fall: 0 }] of pushes.entries()) {
      if (by === 0 || !(2 * fall > WAY * nothing)) continue;
      gain += 2 * fall;
      step.by[j] = by;
    }
    return { ...step, gain };
  }

  /**
   * The step of parameter j towards the bound that it is pressed against, and what the loss would fall by on the
   * way. Undefined where it moves as the others do.
   */
  #pushAt(j: number, second: number): Push | undefined {
    const { transform } = this.#free[j] as Free;
    const [u, slope] = [this.#place.u[j] as number, this.#place.gradient[j] as number];
    const by = transform.push(u, this.#limits.grain);
    const reach = transform.reach(u, slope > 0);
    const fall = Math.abs(slope) * reach;
    // At its bound nothing is known of the bend.
    if (by === undefined || (slope !== 0 && reach === 0)) return undefined;
    const perStep = transform.slope(u);
    const bend = second * perStep * perStep;
    return by === 0 || Math.abs(slope) > BEYOND * bend * reach ? { by, fall } : undefined;
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

  /** How large a number of the optimiser is. Between bounds that are far apart a small one is a large parameter. */
  #sizeOf(j: number): number {
    const { transform, isLog } = this.#free[j] as Free;
    const [u, start] = [this.#place.u[j] as number, this.#restart.start[j] as number];
    const size = Math.max(Math.abs(u), Math.abs(transform.toFree(start))) || 1;
    if (isLog) return size;
    const own = Math.max(Math.abs(transform.toUser(u)), Math.abs(start)) || 1;
    return Math.min(size, own / transform.slope(u));
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
