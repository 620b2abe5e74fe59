/**
 * The public types of calibration: what `fit` takes and what it gives.
 */

import type { ExportFormat } from "../export/formats.js";
import type { ExportOptions } from "../export/model.js";
import type { Program } from "../machine/program.js";
import type { IntInput, TensorInput } from "../machine/types.js";

/** A column of numbers; the column that names groups may hold words. */
export type Column = readonly number[] | Float64Array | Float32Array | readonly string[];
export type Data = Readonly<Record<string, Column | TensorInput | IntInput | number>>;

export interface ParameterOptions {
  /** Where the first restart begins. */
  readonly start?: number;
  /** Restarts begin at numbers drawn from here; the first one too where there is no start. */
  readonly range?: readonly [number, number];
  /** The parameter stays inside; null or an infinity where there is no bound. */
  readonly bounds?: readonly [number | null, number | null];
  /** The parameter keeps this value. */
  readonly fixed?: number;
  /** "log": the parameter is positive and moves by factors. Default "linear". */
  readonly scale?: "linear" | "log";
}

/** A number is a start. */
export type ParameterSpec = number | ParameterOptions;

/** Known losses, added up over the points with their weights. */
export type LossName = "squares" | "absolute" | "huber" | "poisson" | "binomial";

export type Optimiser = "lm" | "lbfgs" | "adam";

export interface FitProgress {
  /** Steps of the optimiser so far, all restarts together advancing by one. */
  readonly rounds: number;
  readonly bestLoss: number;
  readonly restartsRunning: number;
  readonly restartsDone: number;
  readonly restarts: number;
  readonly milliseconds: number;
}

export interface FitOptions {
  /** Columns of one length. In objective mode they are vectors of the program. */
  readonly data?: Data;
  /**
   * The column that the program's value predicts; several, where its value is a vector of as many.
   * Without it the program's value is the loss.
   */
  readonly target?: string | readonly string[];
  readonly params?: Readonly<Record<string, ParameterSpec>>;
  /**
   * Default "squares". A loaded program or an expression as text, as "(abs (- pred y))", is the loss
   * of one point, over `pred`, the target (also as `target`) and the columns.
   */
  readonly loss?: LossName | Program | (string & {});
  /** Where Huber's loss turns from squares to lines. Default 1. */
  readonly huberWidth?: number;
  /** Weight of each row, or the column that holds it; for several targets also by their names. */
  readonly weights?: string | Column | Readonly<Record<string, string | Column>>;
  /** Standard deviation of each row, as `weights`: stands for weights of 1/sigma². */
  readonly sigma?: string | Column | Readonly<Record<string, string | Column>>;
  /** Number of trials of each point, for the binomial loss. Default 1. */
  readonly trials?: string | Column;
  /** The listed parameters have one value for each word or number in the column `by`. */
  readonly groups?: { readonly by: string; readonly params: readonly string[] };
  /**
   * The loss is a negative log-likelihood: gives standard errors. For a program whose value is the loss, for a loss
   * of the user's own and for "huber"; "squares", "poisson" and "binomial" have them anyway, "absolute" has none.
   */
  readonly isNegativeLogLikelihood?: boolean;
  /** Default "auto": lm for squares, else lbfgs. */
  readonly optimiser?: Optimiser | "auto";
  /** Default 1. */
  readonly restarts?: number;
  /** Default 0. */
  readonly seed?: number;
  /** Most optimiser steps of one restart. Default 2000 for lm, 1000 for lbfgs, 500 for adam. */
  readonly steps?: number;
  /**
   * Most evaluation steps of one walk of the program (default 1e9). Parameters that need more count
   * as not finite. The limit depends on no clock, so results do not either.
   */
  readonly stepsMax?: number;
  /** Lanes the machine works on at once. Default: what fits the cache. Results do not change. */
  readonly chunk?: number;
  /** Most milliseconds of the search, even inside a step; the best so far is the result. */
  readonly timeMax?: number;
  /** Ends the search, even inside a step; the best so far is the result. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: FitProgress) => void;
  readonly tolerances?: Tolerances;
  readonly adam?: AdamOptions;
  /** Level of the confidence intervals. Default 0.95. */
  readonly level?: number;
  /**
   * "scores" leaves out what takes a search's time: errors, identifiability, checks of residuals
   * and the machine's diagnosis; its result's fields are getters. "attempt" also leaves out on which
   * rows a start is not finite: for those who then begin elsewhere. Default "full".
   */
  readonly detail?: "full" | "scores" | "attempt";
  /** Restarts that run together. Default: what suits the number of points. Results do not change. */
  readonly together?: number;
  /**
   * The JSON of a result of the same program, data and loss: its unfinished restarts go on from where they were,
   * and so do those that ended by `steps`, if there are more of them now.
   */
  readonly resume?: FitJson;
}

export interface Tolerances {
  /** Largest cosine between the residuals and a column of the Jacobian; lbfgs: |gradient|. */
  readonly gradient?: number;
  /** Largest relative change of a parameter in a step. */
  readonly step?: number;
  /** Relative fall of the loss in a step. */
  readonly loss?: number;
}

export interface AdamOptions {
  /** Default 0.05. */
  readonly rate?: number;
  /** Default 0.9 and 0.999. */
  readonly beta1?: number;
  readonly beta2?: number;
  /** Default 1e-8. */
  readonly epsilon?: number;
}

/**
 * Why a restart ended. "gradient", "step", "loss": it converged, by that tolerance. "damping": no
 * step however small helps. "not finite": the loss is not a finite number at the start.
 */
export type StopReason =
  | "gradient"
  | "step"
  | "loss"
  | "damping"
  | "steps"
  | "time"
  | "aborted"
  | "not finite";

export interface RestartOutcome {
  readonly index: number;
  readonly start: Readonly<Record<string, number>>;
  readonly params: Readonly<Record<string, number>>;
  readonly loss: number;
  readonly steps: number;
  readonly evaluations: number;
  readonly reason: StopReason;
  readonly hasConverged: boolean;
  /** Whether it came to the best loss: to a millionth of it, to 1e-5 of a log-likelihood, or to rounding. */
  readonly hasBestLoss: boolean;
}

export interface BestFit {
  /** Fitted and fixed parameters, in the user's units. */
  readonly params: Readonly<Record<string, number>>;
  /** The loss added up over the points. */
  readonly loss: number;
  /**
   * Share that is explained: R², for counts (poisson, binomial) the share of the deviance, for absolute and huber
   * that of the loss. NaN where the target is constant, and where the loss is a program.
   */
  readonly r2: number;
  /** Of counts; of least squares it is the loss. NaN for other losses. */
  readonly deviance: number;
  readonly logLikelihood: number;
  readonly aic: number;
  readonly bic: number;
  /** Which restart it is. */
  readonly restart: number;
}

/** A direction in which the parameters can move without changing the predictions. */
export interface Undetermined {
  /** Change of each parameter, the largest being 1; parameters that do not move are left out. */
  readonly direction: Readonly<Record<string, number>>;
  readonly words: string;
}

export interface Identifiability {
  /** Fitted parameters, and how many directions of them the data determine. */
  readonly parameters: number;
  readonly rank: number;
  /** Condition of the Jacobian with columns of unit length: 1 is best. */
  readonly condition: number;
  readonly undetermined: readonly Undetermined[];
  /** Parameters that ended at a bound: they count as fixed in the covariance. */
  readonly atBounds: readonly string[];
  /** Pairs whose estimates go together: |correlation| > 0.99. */
  readonly correlated: readonly (readonly [string, string, number])[];
}

export interface ResidualChecks {
  /** Target minus prediction, in the order of the rows; for binomials the target's share of trials. */
  readonly residuals: Float64Array;
  /** Of these and all below: residuals over their deviations, where weights or counts tell them. */
  readonly mean: number;
  /** Near 2 where neighbours are independent; near 0 where they go together. */
  readonly durbinWatson: number;
  /** Runs of one sign, how many noise would have, and the difference in standard deviations. */
  readonly runs: number;
  readonly runsExpected: number;
  readonly runsScore: number;
  readonly words: readonly string[];
}

export interface Covariance {
  readonly names: readonly string[];
  /** Row-major; NaN for parameters that the data do not determine. */
  readonly matrix: Float64Array;
}

export interface Prediction {
  /** Of each row; with several targets all rows of the first, then of the next. */
  readonly values: Float64Array;
  /** Standard error of the predicted mean, and its confidence band. */
  readonly standardErrors: Float64Array;
  readonly lower: Float64Array;
  readonly upper: Float64Array;
  /**
   * Band for a new observation: the noise of one point is added, by the row's weight or known deviation. NaN
   * where that deviation is not known.
   */
  readonly observationLower: Float64Array;
  readonly observationUpper: Float64Array;
  /** What is to be said of the bands, in sentences; undefined where nothing is. */
  readonly notes?: readonly string[];
  /** The same for each target by name. */
  readonly targets: Readonly<Record<string, Omit<Prediction, "targets">>>;
}

/** How well one target is predicted. */
export interface TargetFit {
  readonly name: string;
  /** As in `best`. */
  readonly r2: number;
  /** Standard deviation of one point of this target, as the fit's. */
  readonly sigma: number;
  /** What residuals are divided by, so that targets of different units count alike. */
  readonly scale: number;
  readonly residuals: ResidualChecks | undefined;
}

export interface FitCounters {
  readonly rounds: number;
  readonly evaluations: number;
  readonly milliseconds: number;
}

/** A branch that rows take another way at a restart's end than at its start. */
export interface FitFlip {
  readonly restart: number;
  readonly text: string;
  /** Counted from 1. */
  readonly rows: readonly number[];
  readonly from: Named;
  readonly to: Named;
}

/** What the machine noticed at the best parameters. */
export interface FitDiagnostics {
  /** Parameters that reach tests only: they have no gradient and cannot be fitted so. */
  readonly predicateOnly: readonly string[];
  /** Branches at which rows went both ways, with the text of the form. */
  readonly branches: readonly {
    readonly text: string;
    readonly taken: number;
    readonly notTaken: number;
  }[];
  /** Primitives whose input was clamped, and on how many rows. */
  readonly clamped: readonly { readonly text: string; readonly rows: number }[];
  /** Branches at which rows go another way at the best parameters than at their start. */
  readonly flips: readonly { readonly text: string; readonly rows: number }[];
  /** The same for every restart that was looked at: which branch, which rows, between which values. */
  readonly flipLog: readonly FitFlip[];
  /** Share of the rows of those restarts that go another way at its end than at its start. */
  readonly instability: number;
  /**
   * Restarts whose start gives no finite loss, and where the first number that is not finite comes
   * from, or what failed. Rows are counted from 1.
   */
  readonly nonFinite: readonly {
    readonly restart: number;
    readonly row: number;
    readonly text: string;
    readonly message: string;
  }[];
  /**
   * Parameters without a best value: the loss stays the same however far they go on, or they ran to
   * the edge of where the program is defined.
   */
  readonly runaways: readonly {
    readonly name: string;
    readonly value: number;
    /** Whether it ran off, or any value will do. */
    readonly kind: "ran off" | "not determined";
    readonly words: string;
  }[];
  /** Remarks in sentences. */
  readonly notes: readonly string[];
}

export type Named = Readonly<Record<string, number>>;
export type Intervals = Readonly<Record<string, readonly [number, number]>>;

/** The state of a restart that can go on. */
export interface RestartState {
  readonly index: number;
  readonly start: readonly number[];
  /** Of the optimiser, as it left them. */
  readonly numbers: readonly number[];
  /** How the optimiser ended, where time or a signal then cut the last look at its end. */
  readonly ended?: StopReason;
  /** Where the optimiser left the restart, if the last look at its end changed that. */
  readonly left?: RestartLeft;
}

/** How an optimiser left a restart. */
export interface RestartLeft {
  readonly params: readonly number[];
  readonly loss: number;
  readonly evaluations: number;
  readonly reason: StopReason;
}

/** A result as plain JSON. Numbers that are not finite are written as words. */
export interface FitJson {
  readonly version: 1;
  readonly [key: string]: unknown;
}

export interface FitResult {
  readonly mode: "residual" | "objective";
  /**
   * Whether what the program predicts is on the target's scale (of binomials its share of the trials), so that
   * there are residuals. A loss that is a program may take it for something else, as a logit.
   */
  readonly predictsTarget: boolean;
  readonly optimiser: Optimiser;
  readonly loss: string;
  readonly seed: number;
  /** Rows of the data; 0 in objective mode. */
  readonly points: number;
  /** Points less fitted parameters. */
  readonly freedom: number;
  /** Names of the fitted parameters; those of groups are written k[group]. */
  readonly parameters: readonly string[];
  /** Free names of the program that were taken as parameters without being declared. */
  readonly assumed: readonly string[];
  readonly fixed: Named;
  readonly best: BestFit;
  /**
   * Standard deviation of one point, or of one of weight 1, from the residuals. Of a fit with known deviations
   * the one that all rows have; NaN where they differ.
   */
  readonly sigma: number;
  /**
   * Root of χ² per degree of freedom of a fit with known deviations, or of counts, whose loss tells them: near 1
   * where these are right.
   */
  readonly reducedChi?: number | undefined;
  readonly level: number;
  /** Parameters that ran off keep the variances that predictions need, and no covariance with the others. */
  readonly covariance: Covariance | undefined;
  /** NaN where there is none: at a bound, at a kink, undetermined, or run off to where the loss stays the same. */
  readonly standardErrors: Named;
  readonly intervals: Intervals;
  readonly identifiability: Identifiability | undefined;
  /** Of a fit with one target; those of several are in `targets`. Undefined without `predictsTarget`. */
  readonly residuals: ResidualChecks | undefined;
  readonly targets: readonly TargetFit[];
  readonly restarts: readonly RestartOutcome[];
  /** Why the fit as a whole ended: as its restarts did, or before them. */
  readonly stopped: "done" | "time" | "aborted";
  readonly diagnostics: FitDiagnostics;
  readonly counters: FitCounters;
  predict(data: Data, options?: { readonly level?: number }): Prediction;
  /** The fitted model as text: Scheme, JSON, JavaScript, NumPy, SymPy, LaTeX, mathematics. */
  export(format: ExportFormat, options?: ExportOptions): string;
  toJSON(): FitJson;
}
