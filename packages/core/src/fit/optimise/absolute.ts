/**
 * Absolute deviations, whose loss is all kinks: a line search can end at any of them. So where a fit by
 * them has ended, it is tried again by weighted least squares, a row's weight being 1 over its deviation
 * (iteratively reweighted least squares). Deviations below a width, which becomes smaller and smaller, count
 * as that width; each fit begins where the one before has ended.
 */

import { NdvmError } from "../../errors.js";
import { recordOf } from "../../records.js";
import { ownField } from "../data/fields.js";
import type { Problem } from "../fit.js";
import type { Free } from "../parameters/parameters.js";
import type { FitOptions, FitResult } from "../types.js";
import { LbfgsRestart } from "./lbfgs.js";
import { isConverged, type Restart } from "./restart.js";

/** Widths as shares of the mean deviation. */
const WIDTHS = [0.3, 0.03, 3e-3, 3e-4, 3e-5, 3e-6];
const FITS_MOST = 100;
/** Share of the loss that a fit has to save for another one with its width. */
const GAIN = 1e-9;
/** Share of the loss that all together have to save. */
const SAVED = 1e-6;
/** More points than this, all parameters together, are left as they are. */
const POINTS_MOST = 200_000;

type Fit = (program: Problem["source"], options: FitOptions) => Promise<FitResult>;

/** Brings a restart to a lower loss where least squares lead there. `fit` is the function of that name. */
export async function settleAbsolute(
  fit: Fit,
  problem: Problem,
  restart: Restart,
  millisecondsMax: number,
): Promise<void> {
  const { table, parameters, options } = problem;
  const { free } = parameters;
  // Starts of groups have no names of their own, and weights are those of rows.
  const isPlain = table?.targets.length === 1 && free.every(({ group }) => group < 0);
  if (!isPlain || !(restart.loss > 0) || table.points * free.length > POINTS_MOST) return;
  const settling = new Settling(fit, problem, restart, performance.now() + millisecondsMax);
  if (rowsOf(options) !== table.points || !(await settling.run())) return;
  const { place, evaluations } = settling;
  if (!(place.loss < (1 - SAVED) * restart.loss)) return;
  restart.moveTo(
    Float64Array.from(free, (_, j) => place.uAt(j)),
    place.loss,
    evaluations,
  );
  if (!isConverged(restart.reason)) restart.reason = "loss";
}

/** Rows of the target as it was given: rows that were left out have no weights here. */
function rowsOf({ data, target }: FitOptions): number {
  const column = ownField(data ?? {}, String(target)) as { readonly length?: number } | undefined;
  return column?.length ?? 0;
}

class Settling {
  readonly #fit: Fit;
  readonly #problem: Problem;
  readonly #restart: Restart;
  readonly #until: number;
  /** The best point so far, which has been seen only once. */
  place: LbfgsRestart;
  evaluations = 0;

  constructor(fit: Fit, problem: Problem, restart: Restart, until: number) {
    this.#until = until;
    this.#fit = fit;
    this.#problem = problem;
    this.#restart = restart;
    this.place = this.#look(restart.best);
  }

  /** Whether every fit has come to its end. */
  async run(): Promise<boolean> {
    const { table } = this.#problem;
    const mean = this.#restart.loss / (table?.points ?? 1);
    for (const share of WIDTHS)
      for (let turn = 0; turn < FITS_MOST; turn++) {
        if (performance.now() >= this.#until) return false;
        const before = this.place.loss;
        const at = await this.#squares(share * mean);
        if (at === undefined) return false;
        const there = this.#look(at);
        if (!(there.loss < before)) break;
        this.place = there;
        if (before - there.loss <= GAIN * before) break;
      }
    return true;
  }

  #look(at: Float64Array): LbfgsRestart {
    const { batches, parameters } = this.#problem;
    const there = new LbfgsRestart(0, at, parameters.free, this.#restart.limits);
    const batch = batches.of(1);
    batch.x.set(at);
    batch.run();
    batch.take([there]);
    this.evaluations += 1;
    return there;
  }

  /** Where least squares end; undefined where they cannot begin, on a bound for instance. */
  async #squares(width: number): Promise<Float64Array | undefined> {
    const { source, parameters } = this.#problem;
    const { free } = parameters;
    try {
      const found = await this.#fit(source, this.#optionsFor(width));
      this.evaluations += found.counters.evaluations;
      return Float64Array.from(free, ({ label }) => ownField(found.best.params, label) as number);
    } catch (error) {
      if (error instanceof NdvmError) return undefined;
      throw error;
    }
  }

  #optionsFor(width: number): FitOptions {
    const { options, parameters, table } = this.#problem;
    const { onProgress, resume, tolerances, sigma, ...rest } = options;
    const { best } = this.place;
    const params = parameters.free.map((one, j) => [one.label, startAt(one, best[j] as number)]);
    return {
      ...rest,
      weights: this.#weights(width, table as NonNullable<typeof table>),
      loss: "squares",
      timeMax: Math.max(0, this.#until - performance.now()),
      params: { ...options.params, ...recordOf(params as [string, object][]) },
      restarts: 1,
      optimiser: "lm",
      detail: "scores",
    };
  }

  /** By the deviations at the best point. */
  #weights(width: number, { target, rootWeights }: NonNullable<Problem["table"]>): Float64Array {
    const batch = this.#problem.batches.of(1);
    batch.x.set(this.place.best);
    batch.run();
    return target.map((y, row) => {
      const root = rootWeights?.[row] ?? 1;
      return (root * root) / Math.max(width, Math.abs(y - batch.prediction(0, row)));
    });
  }
}

const startAt = ({ lower, upper, isLog }: Free, start: number) => ({
  start,
  bounds: [lower, upper] as const,
  ...(isLog ? { scale: "log" as const } : {}),
});
