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
import { loadLoss } from "../loss/loss-program.js";
import { losses } from "../loss/loss-table.js";
import { normalReach, studentReach } from "../math/elementary.js";
import { Factor } from "../math/linear.js";
import type { SettlingVerdict } from "../optimise/absolute.js";
import type { Arrival } from "../optimise/arrival.js";
import { limited, type ResidualBatch } from "../optimise/batch.js";
import type { Driven } from "../optimise/drive.js";
import { bestOf, isConverged, type Restart } from "../optimise/restart.js";
import type { Free } from "../parameters/parameters.js";
import { insideBounds, putAtBounds } from "../quality/bounds.js";
import {
  besideFixed,
  type CovarianceEstimate,
  covarianceOfFactor,
  covarianceOfHessian,
  intervalOf,
  RANK_TOLERANCE,
} from "../quality/covariance.js";
import { commonOfAll, deviationOfTarget } from "../quality/deviations.js";
import { type Curvature, hessianAt } from "../quality/hessian.js";
import { identify, withoutFalse, withPlateaus } from "../quality/identify.js";
import { openLoss, sameLossWithin } from "../quality/loss-at.js";
import { isOfCounts } from "../quality/scores.js";
import { describeOwnLoss, type OwnLoss } from "../quality/target-scale.js";
import { chiOfCounts, describeTargets, residualsOf } from "../quality/targets.js";
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
  TargetFit,
} from "../types.js";
import { bestFit, counted } from "./best.js";
import { digestsOf, type ProblemDigests } from "./digests.js";
import { sourceOf } from "./fitted-model.js";
import { toPlain } from "./json.js";
import { markOf, noiseTold } from "./noise.js";
import { type Fitted, predictWith } from "./predict.js";

/** A fit whose restarts have ended. */
export interface Finished extends Problem {
  readonly settings: Settings;
  readonly restarts: readonly Restart[];
  readonly driven: Driven;
  /** What second derivatives say of the best restart; undefined where they were not asked. */
  readonly arrival: Arrival | undefined;
  /** How the best restart by absolute deviations was settled; undefined where it was not. */
  readonly settling: SettlingVerdict | undefined;
}

/**
 * The result of a fit. That of a full one is a plain object, every field its own; of scores alone
 * nobody may want more than the best, so that the rest is told when it is asked for.
 */
export function describeFit(finished: Finished): FitResult {
  const described = new Description(finished);
  if (!finished.settings.isFull) return described;
  // Columns were copied, but inputs of an objective may be other numbers by the time they are asked for.
  if (finished.table === undefined) void described.digests;
  return withMethods(bodyOf(described), described.fitted, () => described.left());
}

/** All that a fit found; what needs the machine is found at once. */
class Description implements FitResult {
  readonly best: BestFit;
  readonly freedom: number;
  readonly sigma: number;
  readonly reducedChi: number | undefined;
  readonly identifiability: Identifiability | undefined;
  readonly parameters: readonly string[];
  readonly #finished: Finished;
  readonly #winner: Restart;
  readonly #point: Float64Array;
  readonly #estimate: CovarianceEstimate | undefined;
  readonly #residuals: Float64Array | undefined;
  readonly #closer: Found | undefined;
  /** How much of the loss the parameters' last digits leave open. */
  readonly #open: number;
  #runaways: readonly Runaway[] = [];
  /** Parameters whose values mean nothing. */
  #gone: readonly number[] = [];
  #atBounds: readonly string[] = [];
  #slack: readonly string[] = [];
  #kinked: readonly string[] = [];
  #isEndless = false;
  // Made when they are asked for.
  #ownLoss: OwnLoss | undefined;
  #fitted: Fitted | undefined;
  #targets: readonly TargetFit[] | undefined;
  #errors: Readonly<Record<string, number>> | undefined;
  #restarts: readonly RestartOutcome[] | undefined;
  #diagnostics: FitDiagnostics | undefined;
  #digests: ProblemDigests | undefined;

  constructor(finished: Finished) {
    const { settings, restarts, parameters, table } = finished;
    const { free } = parameters;
    const winner = bestOf(restarts);
    const used = insideBounds(finished, winner);
    putAtBounds(finished, winner, used);
    const point = winner.best;
    const points = table === undefined ? 0 : countPoints(table);
    this.#finished = finished;
    this.#winner = winner;
    this.#point = point;
    this.parameters = free.map(({ label }) => label);
    this.freedom = table === undefined ? 0 : points - used.length;
    const batch = needsResiduals(finished) ? batchAt(finished, point) : undefined;
    const variance = noiseOf(finished, winner.loss, this.freedom);
    const hasDeviations = table?.hasSigma === true && settings.lossName === "squares";
    this.sigma = hasDeviations ? commonOfAll(table) : Math.sqrt(variance);
    this.#residuals =
      table === undefined || batch === undefined || !this.predictsTarget
        ? undefined
        : residualsOf(table, batch, settings.lossName);
    this.reducedChi = hasDeviations
      ? Math.sqrt(variance)
      : chiOf(finished, this.#residuals, points, used.length);
    this.best = bestFit(finished, winner, named(this.parameters, point), this.#residuals, points);
    this.#slack = arrivalWords(finished);
    const isCompared = restarts.length > 1 && finished.driven.stopped === "done";
    this.#open = isCompared ? openLoss(finished, winner) : 0;
    if (!settings.isFull) return;
    const estimateOf = (some: readonly number[]) =>
      covarianceEstimateOf(finished, winner, some, batch, variance);
    const { estimate, kinked } = estimateOf(used);
    const found = identify(finished, winner, estimate, this.parameters, used);
    this.#atBounds = this.parameters.filter((_, j) => !used.includes(j));
    const undetermined = found?.undetermined ?? [];
    const names = undetermined.map(({ direction }) => Object.keys(direction));
    const open = new Map(names.flatMap((some) => some.map((name) => [name, some.length === 1])));
    const isKnown = found !== undefined && kinked.length === 0;
    const known = isKnown ? open : undefined;
    const slack = findSlack(finished, winner, used);
    if (slack.length > 0) this.#slack = slack;
    const hasArrived = isConverged(winner.reason) && this.#slack.length === 0;
    const runaways = findRunaways(finished, winner, used, known, estimate, hasArrived);
    const { told, gone } = runaways;
    this.#runaways = told;
    this.#gone = gone;
    const ranOff = told.flatMap(({ kind, name }) => (kind === "ran off" ? [name] : []));
    this.#isEndless = runaways.isEndless;
    // Where a loss has all but vanished, what is left of it looks like a kink of those that ran off.
    const kinkedNames = kinked.map((j) => this.parameters[j] as string);
    this.#kinked = kinkedNames.filter((name) => !ranOff.includes(name));
    if (slack.length === 0) this.#slack = arrivalWords(finished, ranOff);
    const rest =
      gone.length > 0 ? estimateOf(used.filter((j) => !gone.includes(j))).estimate : undefined;
    this.#estimate = estimate && rest ? besideFixed(estimate, rest, gone) : estimate;
    const left = found && rest ? withoutFalse(found, this.parameters, rest, gone) : found;
    this.identifiability = left && withPlateaus(left, told);
    this.#closer = lookCloser(finished, restarts, winner);
  }

  get mode() {
    return this.#finished.settings.mode;
  }

  get predictsTarget(): boolean {
    return this.ownLoss?.isOnTargetScale ?? this.#finished.table !== undefined;
  }

  /** What is known of a loss of the user's own, which takes some evaluations; undefined of one with a name. */
  get ownLoss(): OwnLoss | undefined {
    this.#ownLoss ??= ownLossOf(this.#finished);
    return this.#ownLoss;
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
    this.#errors ??= standardErrors(
      this.#finished.parameters.free,
      this.#estimate?.used.filter((j) => !this.#gone.includes(j)) ?? NONE,
      this.#estimate?.covariance,
    );
    return this.#errors;
  }

  get intervals(): Intervals {
    return intervalsOf(this.fitted, this.standardErrors);
  }

  get residuals(): ResidualChecks | undefined {
    return this.targets.length === 1 ? this.targets[0]?.residuals : undefined;
  }

  get targets(): readonly TargetFit[] {
    this.#targets ??= targetsOf(this.#finished, this.best, this.#residuals, this.sigma);
    return this.#targets;
  }

  get restarts(): readonly RestartOutcome[] {
    this.#restarts ??= this.#describeRestarts();
    return this.#restarts;
  }

  #describeRestarts(): RestartOutcome[] {
    const winner = this.#winner;
    const within = sameLossWithin(this.#finished, winner.loss, this.#open);
    return this.#finished.restarts.map((one) =>
      outcomeOf(one, this.parameters, {
        hasBetter: one === winner && (this.#slack.length > 0 || this.#isEndless),
        hasBestLoss: one === winner || Math.abs(one.loss - winner.loss) <= within,
      }),
    );
  }

  get stopped() {
    return this.#finished.driven.stopped;
  }

  get diagnostics(): FitDiagnostics {
    this.#diagnostics ??= diagnose(this.#finished, this.#winner, this.#closer, {
      identifiability: this.identifiability,
      targets: this.targets,
      lossOfConstants: this.ownLoss?.ofConstants,
      hasConverged: isConverged(this.#winner.reason) && this.#slack.length === 0,
      slack: this.#slack,
      runaways: this.#runaways,
      atBounds: this.#atBounds,
      kinked: this.#kinked,
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
    return () => jsonOf(bodyOf(this), this.fitted, this.left());
  }

  /** Of what the fit was, for those who go on from it. */
  get digests(): ProblemDigests {
    this.#digests ??= digestsOf(this.#finished, this.#finished.settings);
    return this.#digests;
  }

  left(): Left {
    const states = this.#finished.restarts.map((restart) => restart.toState());
    return { states, digests: this.digests };
  }
}

type Body = Omit<FitResult, "predict" | "toJSON" | "export">;

/** What another fit goes on from: the states of restarts, and digests of what was fitted. */
interface Left {
  readonly states: unknown;
  readonly digests: unknown;
}

/** What a result tells, without its methods. */
const bodyOf = (told: Body): Body => ({
  mode: told.mode,
  predictsTarget: told.predictsTarget,
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
  reducedChi: told.reducedChi,
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
export function withMethods(body: Body, fitted: Fitted, left: () => Left): FitResult {
  const toJSON = () => jsonOf(bodyOf(body), fitted, left());
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

function jsonOf(body: Body, fitted: Fitted, left: Left): FitJson {
  const { program: _program, source: _source, batch: _batch, ...stored } = fitted;
  const { parameters, limits: _limits, ...model } = stored;
  const specs = parameters.free.map(({ transform: _transform, ...spec }) => spec);
  const plain = toPlain({ ...body, ...left, model: { ...model, free: specs } });
  return { version: 1, ...(plain as object) } as FitJson;
}

/** Whether more than the loss must be known of the best point. */
function needsResiduals({ table, settings }: Finished): boolean {
  if (table === undefined || settings.isFull) return table !== undefined;
  const { lossName } = settings;
  return lossName !== "program" && (lossName !== "squares" || table.targets.length > 1);
}

/** Undefined of a loss with a name. One that was given as text may be gone by the time that this is asked for. */
function ownLossOf({ table, source, settings, options }: Finished): OwnLoss | undefined {
  if (table === undefined) return undefined;
  const loss = loadLoss(source, settings.loss);
  if (loss === undefined) return undefined;
  try {
    const [first, second] = settings.targets;
    const name = second === undefined ? (first as string) : "target";
    return describeOwnLoss(loss, table, name, limited(options));
  } finally {
    if (loss !== settings.loss) loss.dispose();
  }
}

function batchAt({ batches }: Finished, best: Float64Array): ResidualBatch {
  const batch = batches.of(1) as ResidualBatch;
  batch.x.set(best);
  batch.run();
  return batch;
}

function targetsOf(
  { table, settings, options, source }: Finished,
  { r2 }: BestFit,
  residuals: Float64Array | undefined,
  sigma: number,
): TargetFit[] {
  if (table === undefined) return [];
  if (residuals !== undefined) {
    const { lossName, isFull } = settings;
    const { precision } = source;
    const { huberWidth } = options;
    return describeTargets(table, residuals, { lossName, huberWidth, sigma, precision, isFull });
  }
  return table.targets.map(({ name, scale }, t) => ({
    name,
    r2,
    sigma: deviationOfTarget(table, t, settings.lossName, sigma),
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
  const noise = settings.lossName === "squares" ? noiseTold(options, table) : undefined;
  const isTold = noise?.some(({ told }) => told !== undefined) === true;
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
    open: estimate?.open,
    sigma,
    noise,
    // Without errors there are no bands.
    mark: isTold && estimate !== undefined && table !== undefined ? markOf(table) : undefined,
    freedom,
    hasKnownVariance: table === undefined || table.hasSigma || settings.lossName !== "squares",
    level: settings.level,
    range: isOfCounts(settings.lossName) ? losses[settings.lossName].counts?.range : undefined,
  };
}

/** Columns that the user's program reads. */
function readColumns({ columns }: Table): string[] {
  const names = Object.keys(columns);
  return names.includes(SELECTOR) ? names.filter((name) => name !== SELECTOR) : names;
}

/** The variance of one point, as least squares tell it; of known deviations χ² per degree of freedom. */
function noiseOf({ table, settings }: Finished, loss: number, freedom: number): number {
  const isKnown = table !== undefined && settings.lossName === "squares" && freedom > 0;
  return isKnown ? loss / freedom : Number.NaN;
}

/** The root of χ² per degree of freedom, where the loss says how much counts vary. */
function chiOf(
  { table, settings, options }: Finished,
  residuals: Float64Array | undefined,
  points: number,
  parameters: number,
): number | undefined {
  if (table === undefined) return undefined;
  const freedom = counted(table, points, settings, options) - parameters;
  return chiOfCounts(table, residuals, settings.lossName, freedom);
}

/** How sure the parameters are, if the loss tells; `kinked` are those of which a kink of it hides that. */
function covarianceEstimateOf(
  finished: Finished,
  winner: Restart,
  used: readonly number[],
  batch: ResidualBatch | undefined,
  variance: number,
): { readonly estimate: CovarianceEstimate | undefined; readonly kinked: readonly number[] } {
  const { settings, options, parameters, table } = finished;
  const size = parameters.free.length;
  if (settings.lossName === "squares" && batch !== undefined) {
    const factor = new Factor(size);
    batch.factorInto(factor);
    const tolerance = batch.isSingle ? RANK_TOLERANCE.f32 : RANK_TOLERANCE.f64;
    const own = table?.hasSigma ? 1 : variance;
    return { estimate: covarianceOfFactor(factor, used, own, tolerance), kinked: NONE };
  }
  if (!isOfCounts(settings.lossName) && options.isNegativeLogLikelihood !== true)
    return { estimate: undefined, kinked: NONE };
  const curvature = curvatureAt(finished, winner);
  // A sum of kinks that was settled has no second derivatives anywhere.
  const isAllKinks = finished.settling !== undefined;
  const kinked = used.filter((j) => isAllKinks || curvature.kinked.includes(j));
  const smooth = used.filter((j) => !kinked.includes(j));
  const tolerance = curvature.isSingle ? 1e-3 : 1e-8;
  const estimate = covarianceOfHessian(curvature.hessian, smooth, size, tolerance);
  for (const j of kinked)
    for (let i = 0; i < size; i++)
      estimate.covariance[i * size + j] = estimate.covariance[j * size + i] = Number.NaN;
  return { estimate, kinked };
}

/** Second derivatives of which those by a parameter that ran off spoil none of the others. */
function curvatureAt(finished: Finished, winner: Restart): Curvature {
  const curvature = finished.arrival?.curvature ?? hessianAt(finished, winner);
  if (!curvature.hasExploded) return curvature;
  return { ...hessianAt(finished, winner, true), kinked: curvature.kinked };
}

const NONE: readonly number[] = [];

function named(labels: readonly string[], values: Float64Array): Record<string, number> {
  const record: Record<string, number> = {};
  for (let j = 0; j < labels.length; j++)
    setField(record, labels[j] as string, values[j] as number);
  return record;
}

function outcomeOf(
  restart: Restart,
  labels: readonly string[],
  { hasBetter, hasBestLoss }: { readonly hasBetter: boolean; readonly hasBestLoss: boolean },
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
    hasConverged: isConverged(reason) && !hasBetter,
    hasBestLoss,
  };
}

function standardErrors(
  free: readonly Free[],
  used: readonly number[],
  covariance: ArrayLike<number> | undefined,
): Record<string, number> {
  const errors: Record<string, number> = {};
  for (let j = 0; j < free.length; j++) {
    const variance = used.includes(j) ? covariance?.[j * free.length + j] : Number.NaN;
    setField(errors, (free[j] as Free).label, Math.sqrt(variance ?? Number.NaN));
  }
  return errors;
}

function intervalsOf(
  { parameters, best, hasKnownVariance, level, freedom }: Fitted,
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
    setField(intervals, one.label, intervalOf(one, x, error, reach));
  }
  return intervals;
}
