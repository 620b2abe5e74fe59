/**
 * Absolute deviations, and other losses that are straight but for corners, such as those of quantiles: the sum is
 * all kinks, and a line search can end at any of them. So where a fit by them has ended, it is settled. The predictions are taken for lines, whose least deviations are found exactly
 * (kinks.ts); a program that is no line is taken for one within a radius, which suits how well the last step
 * kept its promise (Fletcher). So a fit of curves stays near where the optimiser ended. Where fewer rows than
 * parameters are met, the loss is smooth in some directions, and Newton's steps along them follow the bends of
 * the predictions. What is promised at the end says whether the fit has arrived.
 */

import type { Table } from "../data/columns.js";
import type { Problem } from "../fit.js";
import type { Corners } from "../loss/corners.js";
import { log } from "../math/elementary.js";
import { solved } from "../math/linear.js";
import type { Free } from "../parameters/parameters.js";
import type { ResidualBatch } from "./batch.js";
import { LeastDeviations, type Lines, lossAfter } from "./kinks.js";
import { LbfgsRestart } from "./lbfgs.js";
import { isConverged, type Restart } from "./restart.js";

/** More points than this, all parameters together, are left as they are; so are more parameters. */
const POINTS_MOST = 1_000_000;
const PARAMETERS_MOST = 200;
const TURNS_MOST = 100;
/** Most smooth directions that are followed. */
const OPEN_MOST = 20;
/** Share of its promise that a step has to keep, and that it has to keep so that the next may be longer. */
const KEPT = 0.1;
const KEPT_WELL = 0.75;
/** By how much of its promise a step may miss it where the predictions are lines. */
const STRAIGHT = 1e-2;
/** How far a first step goes where they are not: no parameter by more than its size. */
const RADIUS_FIRST = 1;
/** Below this radius lines say what the loss does not do. */
const RADIUS_LEAST = 1e-12;
/** To which part a last step is shortened. */
const PART_LEAST = 1e-4;
/** Share of the targets' variation that is nothing. */
const NOTHING_BESIDE = 1e-4;
/** How far a parameter stays from a bound: as a share of its way there, and of the numbers of its map. */
const MARGIN = 1e-9;
const GRAINS = 2 ** -50;
/** Milliseconds for which others wait. */
const BREATH = 8;
/** An evaluation that took longer is made so that it can be ended half-way. */
const LONG = 20;

interface Limits {
  /** Share of the loss that is still worth a step. */
  readonly step: number;
  /** Share of the loss that may be left to one who has arrived, within a radius. */
  readonly gain: number;
  readonly radius: number;
  /** Share of predictions that rounding hides. */
  readonly hidden: number;
  /** Share of predictions and of the loss by which corners may miss the loss. */
  readonly same: number;
}

const SINGLE: Limits = { step: 1e-5, gain: 1e-3, radius: 1e-2, hidden: 2e-7, same: 1e-4 };
const DOUBLE: Limits = { step: 1e-11, gain: 1e-6, radius: 1e-3, hidden: 2e-15, same: 1e-9 };

/**
 * `short`: the loss still falls, and rounding hides it. `unfinished`: it still falls after many steps. `large`:
 * nobody looked, since it would take long. `time`, `aborted`: the fit was ended, and is as if nobody had looked.
 * `unknown`: the slopes of the predictions are no numbers, or say what the loss does not do, as at a jump.
 */
export type SettlingVerdict =
  | "arrived"
  | "short"
  | "unfinished"
  | "large"
  | "time"
  | "aborted"
  | "unknown";

/** Brings a restart to a lower loss where there is one. Undefined if the loss is not what the corners tell of it. */
export async function settleCorners(
  problem: Problem,
  corners: Corners,
  restart: Restart,
  millisecondsMax: number,
): Promise<SettlingVerdict | undefined> {
  const { table, parameters } = problem;
  const { length } = parameters.free;
  if (table === undefined || !Number.isFinite(restart.loss)) return "unknown";
  if (restart.loss === 0 && corners.leans === undefined) return "arrived";
  if (length > PARAMETERS_MOST || corners.at.length * length > POINTS_MOST) return "large";
  const until = performance.now() + millisecondsMax;
  const settling = new Settling(problem, table, corners, restart, until);
  const verdict = await settling.run();
  if (verdict === "time" || verdict === "aborted") return verdict;
  const { place, evaluations } = settling;
  if (verdict === undefined) {
    restart.countEvaluations(evaluations);
    return undefined;
  }
  const hasMoved = place !== undefined && place.loss < restart.loss;
  if (hasMoved) restart.moveTo(place.u, place.loss, evaluations);
  else restart.countEvaluations(evaluations);
  const wasDone = isConverged(restart.reason);
  if (verdict === "arrived" && !wasDone) restart.reason = "loss";
  return verdict;
}

/** A point, and the lines that the predictions are taken for around it. */
interface Place {
  readonly u: Float64Array;
  readonly x: Float64Array;
  readonly loss: number;
  /** What the corners tell of the loss: all of it but what no prediction changes. */
  readonly sum: number;
  /** By how much the predictions miss each corner, and how they grow there with each parameter. */
  readonly missed: Float64Array;
  readonly slopes: Float64Array;
}

/** A step, what the lines promise of it, and what holds it. */
interface Step {
  readonly lines: Lines;
  readonly best: LeastDeviations;
  readonly by: Float64Array;
  readonly gain: number;
}

class Settling {
  readonly #batch: ResidualBatch;
  readonly #corners: Corners;
  readonly #restart: Restart;
  readonly #free: readonly Free[];
  readonly #signal: AbortSignal | undefined;
  readonly #until: number;
  readonly #limits: Limits;
  /** The loss of each target's mean, or of 0 where targets are constant. */
  readonly #variation: number;
  /** The best point so far. */
  place: Place | undefined;
  evaluations = 0;
  #over: "time" | "aborted" | undefined;
  /** What the loss has beside the sum of the corners, the same everywhere; and whether it is not. */
  #rest: number | undefined;
  #isOther = false;
  #breath = performance.now();
  #isLong = false;

  constructor(
    { batches, parameters, options }: Problem,
    table: Table,
    corners: Corners,
    best: Restart,
    until: number,
  ) {
    this.#batch = batches.of(1) as ResidualBatch;
    this.#corners = corners;
    this.#restart = best;
    this.#free = parameters.free;
    this.#signal = options.signal;
    this.#until = until;
    this.#limits = this.#batch.isSingle ? SINGLE : DOUBLE;
    this.#variation = variationOf(table, corners);
  }

  /** Undefined if the loss is not what the corners tell of it. */
  async run(): Promise<SettlingVerdict | undefined> {
    const verdict = await this.#settle();
    if (this.#over === undefined && this.#isOther) return undefined;
    return this.#over ?? verdict;
  }

  async #settle(): Promise<SettlingVerdict> {
    this.place = await this.#look(this.#restart.best);
    let radius = Infinity;
    let isBent = false;
    for (let turn = 0; turn < TURNS_MOST; turn++) {
      const { place } = this;
      if (place === undefined || !isKnown(place)) return "unknown";
      if (this.#isAllRounding(place)) return "arrived";
      const step = await this.#stepWithin(place, radius);
      if (step === undefined) return "unknown";
      if (step.gain <= this.#limits.step * place.sum || radius < RADIUS_LEAST) {
        await this.#goToBounds(place, step);
        break;
      }
      const straight = await this.#look(this.#to(place, step.by));
      const bent = isBent ? await this.#lookAlongBends(place, step) : undefined;
      if (straight === undefined) return "unknown";
      const kept = (place.loss - straight.loss) / step.gain;
      if (radius === Infinity && !(Math.abs(kept - 1) <= STRAIGHT)) {
        radius = RADIUS_FIRST;
        if (this.#lengthOf(place, straight) > radius) continue;
      }
      const next = bent !== undefined && bent.loss < straight.loss ? bent : straight;
      const isLower = next.loss < place.loss;
      if (isLower) this.place = next;
      // Lines that promise too much do so at half the way, too, unless they are bent.
      isBent = !(kept > KEPT_WELL);
      const length = this.#lengthOf(place, isLower ? next : straight);
      if (next === bent && isLower) radius = Math.max(radius, 2 * length);
      else if (!(kept > KEPT)) radius = length / 4;
      else if (kept > KEPT_WELL) radius = Math.max(radius, 3 * length);
    }
    return this.#verdict();
  }

  /** A step that is worth little is taken if it ends at a bound: next to a bound, nobody would say that it is there. */
  async #goToBounds(place: Place, { by }: Step): Promise<void> {
    const isReached = by.some((each, j) => {
      const room = each < 0 ? this.#roomBelow(place.x, j) : this.#roomAbove(place.x, j);
      return each !== 0 && Math.abs(each) >= (1 - MARGIN) * Math.abs(room);
    });
    const there = isReached ? await this.#look(this.#to(place, by)) : undefined;
    if (there !== undefined && there.loss < place.loss) this.place = there;
  }

  /** Whether the fit has arrived, by what the lines promise near it. */
  async #verdict(): Promise<SettlingVerdict> {
    const { place } = this;
    const far = place && (await this.#stepWithin(place, Infinity));
    if (far === undefined || place === undefined) return "unknown";
    const most = this.#limits.gain * place.sum;
    if (far.gain <= most) return "arrived";
    if (far.gain <= 10 * this.#hiddenOf(place)) return "short";
    const step = await this.#stepWithin(place, this.#limits.radius);
    if (step === undefined) return "unknown";
    if (step.gain <= most) return "arrived";
    // At a kink of the program itself lines promise what no step keeps.
    for (let part = 1; part > PART_LEAST; part /= 4) {
      const there = await this.#look(
        this.#to(
          place,
          step.by.map((each) => part * each),
        ),
      );
      if (there === undefined) return "unknown";
      if (place.loss - there.loss > KEPT * part * step.gain) return "unfinished";
    }
    return "unknown";
  }

  /** What rounding of the predictions may do to the loss. */
  #hiddenOf = (place: Place): number => this.#limits.hidden * this.#extentOf(place);

  /** How large the numbers are that the sum of the corners is made of. */
  #extentOf({ missed }: Place): number {
    const { at, weights } = this.#corners;
    let sum = 0;
    for (let row = 0; row < missed.length; row++) {
      const size = Math.abs(at[row] as number) + Math.abs(missed[row] as number);
      if (weights[row] !== 0) sum += (weights[row] as number) * size;
    }
    return sum;
  }

  /** Whether the loss is, but for a constant, the sum of the corners. Absolute deviations always are. */
  #isSumOfCorners(place: Place): boolean {
    if (this.#corners.leans === undefined) return true;
    const rest = place.loss - place.sum;
    this.#rest ??= rest;
    const least = this.#limits.same * (Math.abs(place.loss) + this.#extentOf(place));
    return !(Math.abs(rest - this.#rest) > least);
  }

  /** Whether rounding is all that is left, and hardly anything beside how much the targets differ. */
  #isAllRounding = (place: Place): boolean =>
    place.sum <= Math.min(this.#hiddenOf(place), NOTHING_BESIDE * this.#variation);

  /** Whether time or a signal has ended the fit. Others have their turn from time to time. */
  async #isOver(isHeld = false): Promise<boolean> {
    const now = performance.now();
    // Only a signal needs the event loop while the machine is held.
    if (now - this.#breath >= BREATH && (!isHeld || this.#signal !== undefined)) {
      await new Promise((resolve) => setTimeout(resolve));
      this.#breath = performance.now();
    }
    if (this.#signal?.aborted === true) this.#over = "aborted";
    else if (performance.now() >= this.#until) this.#over = "time";
    return this.#over !== undefined;
  }

  /** Evaluates as the optimiser does; undefined if the fit was ended, or the loss is not what the corners tell. */
  async #look(x: Float64Array): Promise<Place | undefined> {
    const batch = this.#batch;
    do if (await this.#isOver()) return undefined;
    while (batch.isBlocked);
    const began = performance.now();
    batch.x.set(x);
    if (!batch.begin(this.#isLong))
      for (const _pause of batch.finish()) if (await this.#isOver(true)) return undefined;
    this.#isLong = performance.now() - began > LONG;
    this.evaluations += 1;
    const there = new LbfgsRestart(0, x, this.#free, this.#restart.limits);
    batch.take([there]);
    const u = Float64Array.from(x, (_, j) => there.uAt(j));
    const place = { u, x, loss: there.loss, ...this.#predictions(x.length) };
    this.#isOther ||= !this.#isSumOfCorners(place);
    return this.#isOther ? undefined : place;
  }

  /** What the latest evaluation says of the predictions at each corner. */
  #predictions(size: number): Pick<Place, "sum" | "missed" | "slopes"> {
    const { points, at, weights, leans } = this.#corners;
    const batch = this.#batch;
    const slopes = new Float64Array(at.length * size);
    const missed = new Float64Array(at.length);
    let sum = 0;
    for (const [row, point] of points.entries()) {
      // A point without weight may have no number.
      if (weights[row] === 0) continue;
      const miss = (at[row] as number) - batch.prediction(0, point);
      for (let j = 0; j < size; j++) slopes[row * size + j] = batch.derivative(0, point, j);
      missed[row] = miss;
      sum += (weights[row] as number) * Math.abs(miss) - (leans?.[row] ?? 0) * miss;
    }
    return { sum, missed, slopes };
  }

  /** The best step by the lines, in which no parameter moves by more than so much of its size. */
  async #stepWithin(place: Place, radius: number): Promise<Step | undefined> {
    const { x, missed, slopes } = place;
    const room = x.map((_, j) => radius * this.#sizeOf(place, j));
    const lines: Lines = {
      size: x.length,
      slopes,
      missed,
      weights: this.#corners.weights,
      leans: this.#corners.leans,
      lower: x.map((_, j) => Math.max(this.#roomBelow(x, j), -(room[j] as number))),
      upper: x.map((_, j) => Math.min(this.#roomAbove(x, j), room[j] as number)),
    };
    const best = new LeastDeviations(lines);
    while (best.next()) if (await this.#isOver()) return undefined;
    const { by } = best;
    const gain = lossAfter(lines, new Float64Array(x.length)) - lossAfter(lines, by);
    return Number.isFinite(gain) ? { lines, best, by, gain } : undefined;
  }

  #sizeOf({ x }: Place, j: number): number {
    return Math.max(Math.abs(x[j] as number), Math.abs(this.#restart.start[j] as number)) || 1;
  }

  /** Between which a parameter may be: not quite at its bounds, where maps have no slope. */
  #leastOf(x: Float64Array, j: number): number {
    const { lower, isLog } = this.#free[j] as Free;
    const at = x[j] as number;
    return isLog && lower <= 0 ? at / 1000 : lower + this.#marginOf(j, at, lower);
  }

  #mostOf(x: Float64Array, j: number): number {
    const { upper } = this.#free[j] as Free;
    return upper - this.#marginOf(j, x[j] as number, upper);
  }

  /** How far from a bound a parameter stays: a share of its way there, and so far that its map can tell them apart. */
  #marginOf(j: number, at: number, bound: number): number {
    if (!Number.isFinite(bound)) return 0;
    const one = this.#free[j] as Free;
    const start = this.#restart.start[j] as number;
    const way = Math.abs(at - bound) || Math.abs(start - bound);
    return Math.min((one.upper - one.lower) / 4, Math.max(MARGIN * way, grainOf(one, bound)));
  }

  /** How far a parameter may go down and up. */
  #roomBelow(x: Float64Array, j: number): number {
    return Math.min(0, this.#leastOf(x, j) - (x[j] as number));
  }

  #roomAbove(x: Float64Array, j: number): number {
    return Math.max(0, this.#mostOf(x, j) - (x[j] as number));
  }

  /** Where a step leads, as the parameters' maps can tell it. One that is at its bound moves off it. */
  #to({ x }: Place, by: Float64Array): Float64Array {
    return x.map((each, j) => {
      const { transform } = this.#free[j] as Free;
      const to = Math.max(this.#leastOf(x, j), each + (by[j] as number));
      return transform.toUser(transform.toFree(Math.min(this.#mostOf(x, j), to)));
    });
  }

  #lengthOf(from: Place, to: Place): number {
    const parts = from.x.map(
      (each, j) => Math.abs((to.x[j] as number) - each) / this.#sizeOf(from, j),
    );
    return parts.reduce((most, part) => Math.max(most, part), 0);
  }

  /** Newton's step in the directions in which no row and no bound holds: undefined where it has none. */
  async #lookAlongBends(place: Place, { lines, best, by }: Step): Promise<Place | undefined> {
    const isOpen = ({ parameter, isUpper }: { parameter: number; isUpper: boolean }): boolean =>
      isUpper
        ? (lines.upper[parameter] as number) < this.#roomAbove(place.x, parameter)
        : (lines.lower[parameter] as number) > this.#roomBelow(place.x, parameter);
    const ways = best.held
      .filter(({ row, bound }) => row === undefined && (bound === undefined || isOpen(bound)))
      .map(({ way }) => this.#unitWay(place, way));
    if (ways.length === 0 || ways.length > OPEN_MOST) return undefined;
    const { forces } = best;
    const bends: Float64Array[] = [];
    for (const way of ways) {
      const [back, forth] = [way.map((each) => -each), way];
      const before = await this.#look(this.#to(place, back));
      const after = before && (await this.#look(this.#to(place, forth)));
      if (before === undefined || after === undefined) return undefined;
      const [low, high] = [pulled(before, forces), pulled(after, forces)];
      bends.push(high.map((each, j) => (each - (low[j] as number)) / 2));
    }
    const slope = pulled(place, forces);
    const matrix = ways.map((way) => bends.map((bend) => inner(bend, way)));
    const aim = ways.map((way, a) => -inner(slope, way) - inner(bends[a] as Float64Array, by));
    const parts = solved(matrix, aim);
    if (parts === undefined) return undefined;
    const step = by.map((each, j) =>
      ways.reduce((sum, way, a) => sum + (parts[a] as number) * (way[j] as number), each),
    );
    return this.#look(this.#to(place, step));
  }

  /** A way so short that slopes along it tell bends. */
  #unitWay(place: Place, way: Float64Array): Float64Array {
    let most = 0;
    for (const [j, each] of way.entries())
      most = Math.max(most, Math.abs(each) / this.#sizeOf(place, j));
    return way.map((each) => (each / most) * this.#limits.radius);
  }
}

/** What the corners cost if all points of a target have the mean of its corners, or 0 where they are all there. */
function variationOf({ rows, points }: Table, { points: owners, at, weights }: Corners): number {
  let [variation, sizes] = [0, 0];
  for (let from = 0; from < points; from += rows) {
    const own = [...at.keys()].filter(
      (k) => Math.floor((owners[k] as number) / rows) * rows === from,
    );
    const mean = own.reduce((sum, k) => sum + (at[k] as number) / own.length, 0);
    for (const k of own) {
      variation += (weights[k] as number) * Math.abs((at[k] as number) - mean);
      sizes += (weights[k] as number) * Math.abs(at[k] as number);
    }
  }
  return variation > 1e-12 * sizes ? variation : sizes;
}

/** Whether all numbers of a point that count are numbers. */
const isKnown = ({ loss, missed, slopes }: Place): boolean =>
  Number.isFinite(loss) && missed.every(Number.isFinite) && slopes.every(Number.isFinite);

/** What rounding of a parameter's map leaves of numbers near a bound. On a log scale logarithms are rounded. */
function grainOf({ lower, upper, isLog }: Free, bound: number): number {
  const bounds = [lower, upper].filter((each) => Number.isFinite(each) && (!isLog || each > 0));
  const sizes = bounds.map((each) => Math.abs(isLog ? log(each) : each));
  const size = sizes.reduce((most, each) => Math.max(most, each), isLog ? 1 : 0);
  return GRAINS * size * (isLog ? Math.abs(bound) : 1);
}

/** The slope of the predictions' sum, each with its force. */
function pulled({ x, slopes }: Place, forces: Float64Array): Float64Array {
  const sum = new Float64Array(x.length);
  for (let row = 0; row < forces.length; row++)
    for (let j = 0; j < x.length; j++)
      sum[j] =
        (sum[j] as number) + (forces[row] as number) * (slopes[row * x.length + j] as number);
  return sum;
}

function inner(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let j = 0; j < a.length; j++) sum += (a[j] as number) * (b[j] as number);
  return sum;
}
