/**
 * What a fit found, from its restarts: the best, how sure it is, and what to be wary of.
 */

import { exportModel } from "../export/model.js";
import { limited, type ResidualBatch } from "./batch.js";
import { SELECTOR, type Table } from "./columns.js";
import {
  intervalOf,
  isAtBound,
  RANK_TOLERANCE,
  type Spread,
  spreadOfFactor,
  spreadOfHessian,
} from "./covariance.js";
import { diagnose } from "./diagnosis.js";
import type { Driven } from "./drive.js";
import { log, normalReach, studentReach } from "./elementary.js";
import type { Problem } from "./fit.js";
import { sourceOf } from "./fitted-model.js";
import { hessianAt } from "./hessian.js";
import { describeUndetermined, type Predictor } from "./identify.js";
import { toPlain } from "./json.js";
import { logLikelihoodOf } from "./likelihood.js";
import { Factor } from "./linear.js";
import type { Free } from "./parameters.js";
import { type Fitted, predictWith } from "./predict.js";
import type { Restart } from "./restart.js";
import type { Settings } from "./settings.js";
import { describeTargets, residualsOf, rSquared, squaresAround } from "./targets.js";
import type {
  BestFit,
  FitJson,
  FitResult,
  Identifiability,
  RestartOutcome,
  TargetFit,
} from "./types.js";

/** A fit whose restarts have ended. */
export interface Finished extends Problem {
  readonly settings: Settings;
  readonly restarts: readonly Restart[];
  readonly driven: Driven;
}

const CONVERGED: readonly string[] = ["gradient", "step", "loss"];

export function describeFit(finished: Finished): FitResult {
  const { settings, restarts, parameters, table, driven } = finished;
  const { free } = parameters;
  const winner = bestOf(restarts);
  const used = insideBounds(free, winner);
  const points = countPoints(table);
  const freedom = table === undefined ? 0 : points - used.length;
  const batch = needsResiduals(finished) ? batchAt(finished, winner.best) : undefined;
  const variance = noiseOf(finished, winner.loss, freedom);
  const spread = settings.isFull
    ? spreadOf(finished, winner, used, batch, variance.forCovariance)
    : undefined;
  const labels = free.map(({ label }) => label);
  const residuals =
    table === undefined || batch === undefined ? undefined : residualsOf(table, batch);
  const identifiability = identify(finished, winner, spread, labels, used);
  const fitted = fittedOf(finished, winner, spread, variance.sigma, freedom);
  const errors = standardErrors(free, spread);
  const best = bestFit(finished, winner, labels, residuals, points);
  const targets = targetsOf(finished, best, residuals, variance.sigma);
  const body = {
    mode: settings.mode,
    optimiser: settings.optimiser,
    loss: settings.lossName,
    seed: settings.seed,
    points: table?.rows ?? 0,
    freedom,
    parameters: labels,
    assumed: parameters.assumed,
    fixed: parameters.fixed,
    best,
    sigma: variance.sigma,
    level: settings.level,
    covariance: spread === undefined ? undefined : { names: labels, matrix: spread.covariance },
    standardErrors: errors,
    intervals: intervalsOf(fitted, winner, errors),
    identifiability,
    residuals: targets.length === 1 ? targets[0]?.residuals : undefined,
    targets,
    restarts: restarts.map((restart) => outcomeOf(restart, labels)),
    stopped: driven.stopped,
    diagnostics: diagnose(finished, restarts, winner, {
      best,
      identifiability,
      targets,
      hasConverged: CONVERGED.includes(winner.reason ?? ""),
      stopped: driven.stopped,
      isFull: settings.isFull,
    }),
    counters: {
      rounds: driven.rounds,
      evaluations: restarts.reduce((sum, { evaluations }) => sum + evaluations, 0),
      milliseconds: driven.milliseconds,
    },
  };
  return withMethods(body, fitted, () =>
    restarts.map((restart) => ({
      index: restart.index,
      start: [...restart.start],
      numbers: restart.save(),
    })),
  );
}

/** Indices of the parameters that have not run into a bound. */
function insideBounds(free: readonly Free[], { best, u }: Restart): number[] {
  const inside: number[] = [];
  for (let j = 0; j < free.length; j++)
    if (!isAtBound(free[j] as Free, best[j] as number, u[j] as number)) inside.push(j);
  return inside;
}

/** Whether more than the loss must be known of the best point. */
const needsResiduals = ({ table, settings }: Finished): boolean =>
  table !== undefined &&
  (settings.isFull || settings.lossName !== "squares" || table.targets.length > 1);

function batchAt({ makeBatch }: Finished, best: Float64Array): ResidualBatch {
  const batch = makeBatch(1) as ResidualBatch;
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
  if (residuals !== undefined) return describeTargets(table, residuals, sigma, settings.isFull);
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
  { program, source, parameters, table, options, settings, latestBatch }: Finished,
  winner: Finished["restarts"][number],
  spread: Spread | undefined,
  sigma: number,
  freedom: number,
): Fitted {
  return {
    program,
    source,
    parameters,
    best: winner.best.slice(),
    batch: latestBatch(),
    limits: limited(options),
    columns: table === undefined ? [] : readColumns(table),
    targets: table?.targets ?? [],
    groups: table?.groups ?? [],
    groupsBy: options.groups?.by,
    covariance: spread?.covariance,
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

type Body = Omit<FitResult, "predict" | "toJSON" | "export">;

/**
 * Adds the methods to a body, which becomes the result: a copy would cost as much as all else.
 *
 * They have names before they become properties. V8 puts a function that is written where it is
 * assigned to a property among its old objects, and with it all that the function holds: the whole
 * fit would be kept until the next full collection.
 */
export function withMethods(body: Body, fitted: Fitted, states: () => unknown): FitResult {
  const result = body as { -readonly [K in keyof FitResult]: FitResult[K] };
  const predict: FitResult["predict"] = (data, how = {}) => predictWith(fitted, data, how.level);
  const exportAs: FitResult["export"] = (format, options = {}) =>
    exportModel(sourceOf(body, fitted, options.group), format, options);
  const toJSON = (): FitJson => {
    const { predict: _predict, export: _export, toJSON: _toJSON, ...known } = result;
    const { program: _program, source: _source, batch: _batch, ...stored } = fitted;
    const { parameters, limits: _limits, ...model } = stored;
    const specs = parameters.free.map(({ transform: _transform, ...spec }) => spec);
    const plain = toPlain({ ...known, states: states(), model: { ...model, free: specs } });
    return { version: 1, ...(plain as object) } as FitJson;
  };
  result.predict = predict;
  result.export = exportAs;
  result.toJSON = toJSON;
  return result;
}

function bestOf(restarts: Finished["restarts"]): Finished["restarts"][number] {
  let best = restarts[0] as Finished["restarts"][number];
  for (const restart of restarts)
    if (restart.loss < best.loss || !Number.isFinite(best.loss)) best = restart;
  return best;
}

function countPoints(table: Table | undefined): number {
  if (table === undefined) return 0;
  return table.rootWeights?.reduce((sum, root) => sum + (root > 0 ? 1 : 0), 0) ?? table.points;
}

/** The noise of one point, and the variance that scales (JᵀJ)⁻¹. */
function noiseOf({ table, settings }: Finished, loss: number, freedom: number) {
  if (table === undefined || settings.lossName !== "squares")
    return { sigma: Number.NaN, forCovariance: 1 };
  const variance = freedom > 0 ? loss / freedom : Number.NaN;
  return { sigma: Math.sqrt(variance), forCovariance: table.hasSigma ? 1 : variance };
}

function spreadOf(
  finished: Finished,
  winner: Finished["restarts"][number],
  used: readonly number[],
  batch: ResidualBatch | undefined,
  variance: number,
): Spread | undefined {
  const { settings, options, parameters } = finished;
  const size = parameters.free.length;
  if (settings.lossName === "squares" && batch !== undefined) {
    const factor = new Factor(size);
    batch.factorInto(0, new Float64Array(size).fill(1), factor);
    const tolerance = batch.isSingle ? RANK_TOLERANCE.f32 : RANK_TOLERANCE.f64;
    return spreadOfFactor(factor, used, variance, tolerance);
  }
  const isLikelihood = ["poisson", "binomial"].includes(settings.lossName);
  if (!isLikelihood && options.isNegativeLogLikelihood !== true) return undefined;
  const { hessian, isSingle } = hessianAt(finished, winner.best);
  const tolerance = isSingle ? 1e-3 : 1e-8;
  return spreadOfHessian(hessian, used, size, tolerance);
}

function named(labels: readonly string[], values: Float64Array): Record<string, number> {
  const record: Record<string, number> = {};
  for (let j = 0; j < labels.length; j++)
    setNumber(record, labels[j] as string, values[j] as number);
  return record;
}

function setNumber(record: Record<string, number>, name: string, value: number): void {
  if (name !== "__proto__") record[name] = value;
  else {
    // A property like the others.
    const like = { enumerable: true, writable: true, configurable: true };
    Object.defineProperty(record, name, { value, ...like });
  }
}

function outcomeOf(
  restart: Finished["restarts"][number],
  labels: readonly string[],
): RestartOutcome {
  const reason = restart.reason ?? "steps";
  return {
    index: restart.index,
    start: named(labels, restart.start),
    params: named(labels, restart.best),
    loss: restart.loss,
    steps: restart.steps,
    evaluations: restart.evaluations,
    reason,
    hasConverged: CONVERGED.includes(reason),
  };
}

function bestFit(
  { parameters, table, settings, options }: Finished,
  winner: Finished["restarts"][number],
  labels: readonly string[],
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
  const params = named(labels, winner.best);
  for (const name of Object.keys(fixed)) setNumber(params, name, fixed[name] as number);
  return {
    params,
    loss: winner.loss,
    r2: explained(table, settings.lossName, winner.loss, residuals),
    logLikelihood,
    aic: 2 * count - 2 * logLikelihood,
    bic: table === undefined ? Number.NaN : count * log(points) - 2 * logLikelihood,
    restart: winner.index,
  };
}

/** R²; of least squares the loss itself is what is left. */
function explained(
  table: Table | undefined,
  lossName: Settings["lossName"],
  loss: number,
  residuals: Float64Array | undefined,
): number {
  if (table === undefined) return Number.NaN;
  if (lossName === "squares") return 1 - loss / squaresAround(table);
  return residuals === undefined ? Number.NaN : rSquared(table, residuals);
}

function standardErrors(free: readonly Free[], spread: Spread | undefined): Record<string, number> {
  const errors: Record<string, number> = {};
  for (let j = 0; j < free.length; j++) {
    const isUsed = spread?.used.includes(j) ?? false;
    const variance = isUsed ? spread?.covariance[j * free.length + j] : Number.NaN;
    setNumber(errors, (free[j] as Free).label, Math.sqrt(variance ?? Number.NaN));
  }
  return errors;
}

function intervalsOf(
  { parameters, hasKnownVariance, level, freedom }: Fitted,
  winner: Finished["restarts"][number],
  errors: Readonly<Record<string, number>>,
): Record<string, [number, number]> {
  const { free } = parameters;
  const hasErrors = free.some(({ label }) => !Number.isNaN(errors[label] as number));
  const wanted = hasKnownVariance ? normalReach : (share: number) => studentReach(share, freedom);
  const reach = hasErrors ? wanted(level) : Number.NaN;
  const intervals: Record<string, [number, number]> = {};
  for (let j = 0; j < free.length; j++) {
    const one = free[j] as Free;
    const x = winner.best[j] as number;
    const u = winner.u[j] as number;
    intervals[one.label] = intervalOf(one, x, u, errors[one.label] as number, reach);
  }
  return intervals;
}

function identify(
  finished: Finished,
  winner: Finished["restarts"][number],
  spread: Spread | undefined,
  labels: readonly string[],
  used: readonly number[],
): Identifiability | undefined {
  if (spread === undefined) return undefined;
  const { table } = finished;
  const size = labels.length;
  const correlated: [string, string, number][] = [];
  for (const i of used)
    for (const j of used) {
      if (j <= i) continue;
      const at = (a: number, b: number) => spread.covariance[a * size + b] as number;
      const correlation = at(i, j) / Math.sqrt(at(i, i) * at(j, j));
      if (Math.abs(correlation) > 0.99)
        correlated.push([labels[i] as string, labels[j] as string, correlation]);
    }
  return {
    parameters: used.length,
    rank: spread.rank,
    condition: spread.condition,
    undetermined: describeUndetermined(
      spread,
      labels,
      winner.best,
      predictorOf(finished),
      table === undefined ? "loss" : "predictions",
    ),
    atBounds: labels.filter((_, j) => !used.includes(j)),
    correlated,
  };
}

/** The predictions of every point, or the loss where the program's value is one. */
function predictorOf({ makeBatch, table, parameters }: Finished): Predictor {
  const batch = makeBatch(1);
  const gradient = new Float64Array(parameters.free.length);
  return (x) => {
    batch.x.set(x);
    batch.run();
    if (table === undefined) return Float64Array.of(batch.gradientInto(0, gradient));
    const { points } = table;
    return Float64Array.from({ length: points }, (_, row) =>
      (batch as ResidualBatch).prediction(0, row),
    );
  };
}
