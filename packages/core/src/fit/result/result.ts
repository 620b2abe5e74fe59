/**
 * What a fit found, from its restarts: the best, how sure it is, and what to be wary of.
 */

import { exportModel } from "../../export/model.js";
import { own } from "../../records.js";
import { countPoints, SELECTOR, type Table } from "../data/columns.js";
import { setField } from "../data/fields.js";
import { diagnose, type Found, lookCloser } from "../diagnosis/diagnosis.js";
import { findRunaways, type Runaway } from "../diagnosis/runaway.js";
import { arrivalWords, findSlack } from "../diagnosis/slack.js";
import type { Problem } from "../fit.js";
import { losses } from "../loss/loss-table.js";
import { normalReach, studentReach } from "../math/elementary.js";
import { Factor } from "../math/linear.js";
import type { Arrival } from "../optimise/arrival.js";
import { limited, type ResidualBatch } from "../optimise/batch.js";
import type { Driven } from "../optimise/drive.js";
import { bestOf, isConverged, type Restart } from "../optimise/restart.js";
import type { Free } from "../parameters/parameters.js";
import { insideBounds } from "../quality/bounds.js";
import {
  type CovarianceEstimate,
  covarianceOfFactor,
  covarianceOfHessian,
  intervalOf,
  RANK_TOLERANCE,
} from "../quality/covariance.js";
import { hessianAt } from "../quality/hessian.js";
import { describeUndetermined, predictorOf } from "../quality/identify.js";
import { logLikelihoodOf } from "../quality/likelihood.js";
import { aic, bic, isOfCounts, leastLoss, shareExplained } from "../quality/scores.js";
import {
  describeTargets,
  explainedOf,
  residualsOf,
  sidesOf,
  squaresAround,
} from "../quality/targets.js";
import type { Settings } from "../settings.js";
import type {
  BestFit,
  Covariance,
  FitCounters,
  FitDiagnostics,
  FitJson,
  FitResult,
  Identifiability,
  Intervals,
  Named,
  ResidualChecks,
  RestartOutcome,
  RestartState,
  TargetFit,
} from "../types.js";
import { sourceOf } from "./fitted-model.js";
import { toPlain } from "./json.js";
import { type Fitted, predictWith } from "./predict.js";

/** A fit whose restarts have ended. */
export interface Finished extends Problem {
  readonly settings: Settings;
  readonly restarts: readonly Restart[];
  readonly driven: Driven;
  /** What second derivatives say of the best restart; undefined where they were not asked. */
  readonly arrival: Arrival | undefined;
}

/**
 * The result of a fit. That of a full one is a plain object, every field its own; of scores alone
 * nobody may want more than the best, so that the rest is told when it is asked for.
 */
export function describeFit(finished: Finished): FitResult {
  const described = new Description(finished);
  if (!finished.settings.isFull) return described;
  return withMethods(bodyOf(described), described.fitted, () => described.states());
}

/** All that a fit found; what needs the machine is found at once. */
class Description implements FitResult {
  readonly best: BestFit;
  readonly freedom: number;
  readonly sigma: number;
  readonly identifiability: Identifiability | undefined;
  readonly parameters: readonly string[];
  readonly #finished: Finished;
  readonly #winner: Restart;
  readonly #point: Float64Array;
  readonly #estimate: CovarianceEstimate | undefined;
  readonly #residuals: Float64Array | undefined;
  readonly #closer: Found | undefined;
  #runaways: readonly Runaway[] = [];
  #atBounds: readonly string[] = [];
  #slack: readonly string[] = [];
  // Made when they are asked for.
  #fitted: Fitted | undefined;
  #targets: readonly TargetFit[] | undefined;
  #errors: Readonly<Record<string, number>> | undefined;
  #restarts: readonly RestartOutcome[] | undefined;
  #diagnostics: FitDiagnostics | undefined;

  constructor(finished: Finished) {
    const { settings, restarts, parameters, table } = finished;
    const { free } = parameters;
    const winner = bestOf(restarts);
    const point = winner.best;
    const used = insideBounds(finished, winner);
    const points = table === undefined ? 0 : countPoints(table);
    this.#finished = finished;
    this.#winner = winner;
    this.#point = point;
    this.parameters = free.map(({ label }) => label);
    this.freedom = table === undefined ? 0 : points - used.length;
    const batch = needsResiduals(finished) ? batchAt(finished, point) : undefined;
    const variance = noiseOf(finished, winner.loss, this.freedom);
    this.sigma = Math.sqrt(variance);
    this.#residuals =
      table === undefined || batch === undefined
        ? undefined
        : residualsOf(table, batch, settings.lossName);
    this.best = bestFit(finished, winner, named(this.parameters, point), this.#residuals, points);
    if (!settings.isFull) return;
    this.#estimate = covarianceEstimateOf(finished, winner, used, batch, variance);
    this.identifiability = identify(finished, winner, this.#estimate, this.parameters, used);
    this.#atBounds = this.parameters.filter((_, j) => !used.includes(j));
    const undetermined = this.identifiability?.undetermined ?? [];
    const open = new Set(undetermined.flatMap(({ direction }) => Object.keys(direction)));
    const known = this.identifiability === undefined ? undefined : open;
    this.#runaways = findRunaways(finished, winner, used, known);
    const slack = findSlack(finished, winner, used);
    this.#slack = slack.length > 0 ? slack : arrivalWords(finished.arrival);
    this.#closer = lookCloser(finished, restarts, winner);
  }

  get mode() {
    return this.#finished.settings.mode;
  }

  get optimiser() {
    return this.#finished.settings.optimiser;
  }

  get loss(): string {
    return this.#finished.settings.lossName;
  }

  get seed(): number {
    return this.#finished.settings.seed;
  }

  get points(): number {
    return this.#finished.table?.rows ?? 0;
  }

  get assumed(): readonly string[] {
    return this.#finished.parameters.assumed;
  }

  get fixed(): Named {
    return this.#finished.parameters.fixed;
  }

  get level(): number {
    return this.#finished.settings.level;
  }

  get covariance(): Covariance | undefined {
    const estimate = this.#estimate;
    return estimate && { names: this.parameters, matrix: estimate.covariance };
  }

  get standardErrors(): Named {
    this.#errors ??= standardErrors(this.#finished.parameters.free, this.#estimate);
    return this.#errors;
  }

  get intervals(): Intervals {
    return intervalsOf(this.fitted, this.#winner, this.standardErrors);
  }

  get residuals(): ResidualChecks | undefined {
    return this.targets.length === 1 ? this.targets[0]?.residuals : undefined;
  }

  get targets(): readonly TargetFit[] {
    this.#targets ??= targetsOf(this.#finished, this.best, this.#residuals, this.sigma);
    return this.#targets;
  }

  get restarts(): readonly RestartOutcome[] {
    this.#restarts ??= this.#finished.restarts.map((one) =>
      outcomeOf(one, this.parameters, one === this.#winner && this.#slack.length > 0),
    );
    return this.#restarts;
  }

  get stopped() {
    return this.#finished.driven.stopped;
  }

  get diagnostics(): FitDiagnostics {
    this.#diagnostics ??= diagnose(this.#finished, this.#winner, this.#closer, {
      identifiability: this.identifiability,
      targets: this.targets,
      hasConverged: isConverged(this.#winner.reason) && this.#slack.length === 0,
      slack: this.#slack,
      runaways: this.#runaways,
      atBounds: this.#atBounds,
    });
    return this.#diagnostics;
  }

  get counters(): FitCounters {
    const { restarts, driven } = this.#finished;
    return {
      rounds: driven.rounds,
      evaluations: restarts.reduce((sum, { evaluations }) => sum + evaluations, 0),
      milliseconds: driven.milliseconds,
    };
  }

  /** What predictions need. */
  get fitted(): Fitted {
    this.#fitted ??= fittedOf(
      this.#finished,
      this.#point,
      this.#estimate,
      this.sigma,
      this.freedom,
    );
    return this.#fitted;
  }

  /** Functions of their own, so that they can be taken off the result. */
  get predict(): FitResult["predict"] {
    return predictor(this.fitted);
  }

  get export(): FitResult["export"] {
    return exporter(this, this.fitted);
  }

  get toJSON(): FitResult["toJSON"] {
    return () => jsonOf(bodyOf(this), this.fitted, this.states());
  }

  /** Of restarts that can go on. */
  states(): RestartState[] {
    return this.#finished.restarts.map((restart) => ({
      index: restart.index,
      start: [...restart.start],
      numbers: restart.save(),
    }));
  }
}

type Body = Omit<FitResult, "predict" | "toJSON" | "export">;

/** What a result tells, without its methods. */
const bodyOf = (told: Body): Body => ({
  mode: told.mode,
  optimiser: told.optimiser,
  loss: told.loss,
  seed: told.seed,
  points: told.points,
  freedom: told.freedom,
  parameters: told.parameters,
  assumed: told.assumed,
  fixed: told.fixed,
  best: told.best,
  sigma: told.sigma,
  level: told.level,
  covariance: told.covariance,
  standardErrors: told.standardErrors,
  intervals: told.intervals,
  identifiability: told.identifiability,
  residuals: told.residuals,
  targets: told.targets,
  restarts: told.restarts,
  stopped: told.stopped,
  diagnostics: told.diagnostics,
  counters: told.counters,
});

/**
 * Adds the methods to a body, which becomes the result. None is written where it is assigned to a
 * property (`result.predict = () => …`): V8 puts such functions among its old objects, and all that
 * they hold with them, so that every fit would be kept until the next full collection.
 */
export function withMethods(body: Body, fitted: Fitted, states: () => unknown): FitResult {
  const toJSON = () => jsonOf(bodyOf(body), fitted, states());
  return Object.assign(body, {
    predict: predictor(fitted),
    export: exporter(body, fitted),
    toJSON,
  });
}

const predictor =
  (fitted: Fitted): FitResult["predict"] =>
  (data, how = {}) =>
    predictWith(fitted, data, how.level);

const exporter =
  (told: Body, fitted: Fitted): FitResult["export"] =>
  (format, options = {}) =>
    exportModel(sourceOf(told, fitted, options.group), format, options);

function jsonOf(body: Body, fitted: Fitted, states: unknown): FitJson {
  const { program: _program, source: _source, batch: _batch, ...stored } = fitted;
  const { parameters, limits: _limits, ...model } = stored;
  const specs = parameters.free.map(({ transform: _transform, ...spec }) => spec);
  const plain = toPlain({ ...body, states, model: { ...model, free: specs } });
  return { version: 1, ...(plain as object) } as FitJson;
}

/** Whether more than the loss must be known of the best point. */
const needsResiduals = ({ table, settings }: Finished): boolean =>
  table !== undefined &&
  (settings.isFull || settings.lossName !== "squares" || table.targets.length > 1);

function batchAt({ batches }: Finished, best: Float64Array): ResidualBatch {
  const batch = batches.of(1) as ResidualBatch;
  batch.x.set(best);
  batch.run();
  return batch;
}

function targetsOf(
  { table, settings }: Finished,
  { r2 }: BestFit,
  residuals: Float64Array | undefined,
  sigma: number,
): TargetFit[] {
  if (table === undefined) return [];
  if (residuals !== undefined) {
    const { lossName, isFull } = settings;
    return describeTargets(table, residuals, { lossName, sigma, isFull });
  }
  return table.targets.map(({ name, scale }) => ({
    name,
    r2,
    sigma: sigma * scale,
    scale,
    residuals: undefined,
  }));
}

/** What predictions need. */
function fittedOf(
  { program, source, parameters, table, options, settings, batches }: Finished,
  best: Float64Array,
  estimate: CovarianceEstimate | undefined,
  sigma: number,
  freedom: number,
): Fitted {
  return {
    program,
    source,
    parameters,
    best,
    batch: table === undefined ? undefined : (batches.latest as ResidualBatch),
    limits: limited(options),
    columns: table === undefined ? [] : readColumns(table),
    targets: table?.targets ?? [],
    groups: table?.groups ?? [],
    groupsBy: options.groups?.by,
    covariance: estimate?.covariance,
    sigma,
    freedom,
    hasKnownVariance: table === undefined || table.hasSigma || settings.lossName !== "squares",
    level: settings.level,
  };
}

/** Columns that the user's program reads. */
function readColumns({ columns }: Table): string[] {
  const names = Object.keys(columns);
  return names.includes(SELECTOR) ? names.filter((name) => name !== SELECTOR) : names;
}

/** The variance of one point, as least squares tell it. */
function noiseOf({ table, settings }: Finished, loss: number, freedom: number): number {
  const isKnown = table !== undefined && settings.lossName === "squares" && freedom > 0;
  return isKnown ? loss / freedom : Number.NaN;
}

function covarianceEstimateOf(
  finished: Finished,
  winner: Restart,
  used: readonly number[],
  batch: ResidualBatch | undefined,
  variance: number,
): CovarianceEstimate | undefined {
  const { settings, options, parameters, table } = finished;
  const size = parameters.free.length;
  if (settings.lossName === "squares" && batch !== undefined) {
    const factor = new Factor(size);
    batch.factorInto(factor);
    const tolerance = batch.isSingle ? RANK_TOLERANCE.f32 : RANK_TOLERANCE.f64;
    return covarianceOfFactor(factor, used, table?.hasSigma ? 1 : variance, tolerance);
  }
  if (!isOfCounts(settings.lossName) && options.isNegativeLogLikelihood !== true) return undefined;
  const { hessian, isSingle } =
    finished.arrival?.curvature ?? hessianAt(finished, winner.best, winner.start);
  const tolerance = isSingle ? 1e-3 : 1e-8;
  return covarianceOfHessian(hessian, used, size, tolerance);
}

function named(labels: readonly string[], values: Float64Array): Record<string, number> {
  const record: Record<string, number> = {};
  for (let j = 0; j < labels.length; j++)
    setField(record, labels[j] as string, values[j] as number);
  return record;
}

function outcomeOf(restart: Restart, labels: readonly string[], hasSlack: boolean): RestartOutcome {
  const reason = restart.reason ?? "steps";
  return {
    index: restart.index,
    start: named(labels, restart.start),
    params: named(labels, restart.best),
    loss: restart.loss,
    steps: restart.steps,
    evaluations: restart.evaluations,
    reason,
    hasConverged: isConverged(reason) && !hasSlack,
  };
}

function bestFit(
  { parameters, table, settings, options }: Finished,
  winner: Restart,
  params: Record<string, number>,
  residuals: Float64Array | undefined,
  points: number,
): BestFit {
  const { free, fixed } = parameters;
  const isLikelihood = settings.lossName === "program" && options.isNegativeLogLikelihood === true;
  const logLikelihood =
    table === undefined || isLikelihood
      ? isLikelihood
        ? -winner.loss
        : Number.NaN
      : logLikelihoodOf(settings.lossName, winner.loss, table);
  const hasNoise = settings.lossName === "squares" && table?.hasSigma === false;
  const count = free.length + (hasNoise ? 1 : 0);
  for (const name in fixed) setField(params, name, own(fixed, name) as number);
  return {
    params,
    loss: winner.loss,
    r2: explained(table, settings.lossName, winner.loss, residuals),
    logLikelihood,
    deviance: devianceOf(table, settings.lossName, winner.loss),
    aic: aic(logLikelihood, count),
    bic:
      table === undefined
        ? Number.NaN
        : bic(logLikelihood, count, counted(table, points, settings)),
    restart: winner.index,
  };
}

/** The share that is explained; of least squares the loss itself is what is left. */
function explained(
  table: Table | undefined,
  lossName: Settings["lossName"],
  loss: number,
  residuals: Float64Array | undefined,
): number {
  if (table === undefined) return Number.NaN;
  if (lossName === "squares") return shareExplained(loss, squaresAround(table));
  return residuals === undefined ? Number.NaN : explainedOf(table, residuals, lossName);
}

/** The deviance; of least squares it is the loss. */
function devianceOf(
  table: Table | undefined,
  lossName: Settings["lossName"],
  loss: number,
): number {
  if (table === undefined || lossName === "program") return Number.NaN;
  const { counts } = losses[lossName];
  if (counts === undefined) return lossName === "squares" ? loss : Number.NaN;
  return 2 * (loss - leastLoss(counts, table.target, sidesOf(table)));
}

/** How many points there are: of counts a weight says how often a row was seen. */
function counted(table: Table, points: number, { lossName }: Settings): number {
  if (!isOfCounts(lossName) || table.rootWeights === undefined) return points;
  return table.rootWeights.reduce((sum, root) => sum + root * root, 0);
}

function standardErrors(
  free: readonly Free[],
  estimate: CovarianceEstimate | undefined,
): Record<string, number> {
  const errors: Record<string, number> = {};
  for (let j = 0; j < free.length; j++) {
    const isUsed = estimate?.used.includes(j) ?? false;
    const variance = isUsed ? estimate?.covariance[j * free.length + j] : Number.NaN;
    setField(errors, (free[j] as Free).label, Math.sqrt(variance ?? Number.NaN));
  }
  return errors;
}

function intervalsOf(
  { parameters, best, hasKnownVariance, level, freedom }: Fitted,
  winner: Restart,
  errors: Readonly<Record<string, number>>,
): Record<string, [number, number]> {
  const { free } = parameters;
  const hasErrors = free.some(({ label }) => !Number.isNaN(own(errors, label) as number));
  const wanted = hasKnownVariance ? normalReach : (share: number) => studentReach(share, freedom);
  const reach = hasErrors ? wanted(level) : Number.NaN;
  const intervals: Record<string, [number, number]> = {};
  for (let j = 0; j < free.length; j++) {
    const one = free[j] as Free;
    const x = best[j] as number;
    const error = own(errors, one.label) as number;
    setField(intervals, one.label, intervalOf(one, x, winner.uAt(j), error, reach));
  }
  return intervals;
}

function identify(
  finished: Finished,
  winner: Restart,
  estimate: CovarianceEstimate | undefined,
  labels: readonly string[],
  used: readonly number[],
): Identifiability | undefined {
  if (estimate === undefined) return undefined;
  const { table } = finished;
  const size = labels.length;
  const correlated: [string, string, number][] = [];
  for (const i of used)
    for (const j of used) {
      if (j <= i) continue;
      const at = (a: number, b: number) => estimate.covariance[a * size + b] as number;
      const correlation = at(i, j) / Math.sqrt(at(i, i) * at(j, j));
      if (Math.abs(correlation) > 0.99)
        correlated.push([labels[i] as string, labels[j] as string, correlation]);
    }
  return {
    parameters: used.length,
    rank: estimate.rank,
    condition: estimate.condition,
    undetermined: describeUndetermined(
      estimate,
      labels,
      winner.best,
      predictorOf(finished),
      table === undefined ? "loss" : "predictions",
      { start: winner.start, isSingle: finished.batches.of(1).isSingle },
    ),
    atBounds: labels.filter((_, j) => !used.includes(j)),
    correlated,
  };
}
