/**
 * A candidate runner: one machine and the way of a candidate through it.
 *
 *   load → screen (a few rows) → fit → score on held-out rows
 *
 * Workers have one each; with no workers this thread has it. What a runner answers depends on the
 * study and the task only. Whatever a program does wrong is an answer, never an exception; limits
 * count steps and bytes.
 *
 * A fit may take some ten microseconds, so what is the same for all fits is made once, and objects
 * that are made again and again always have the same fields in the same order.
 */

import {
  bic,
  type Evaluation,
  emptyRecord,
  type FitOptions,
  type FitResult,
  fit,
  type LoadOptions,
  Machine,
  NdvmError,
  normalLogLikelihood,
  own,
  type ParameterOptions,
  type ParameterSpec,
  type Program,
  Random,
  type Reason,
  recordOf,
  seedFor,
  shareExplained,
  squaresAbout,
  squaresLeft,
  type Tolerances,
} from "@ndvm/core";
import { type Columns, rowsOf, SEED_SCREEN, type Study } from "../study.js";
import type { Failure, Rung, Stage } from "../types.js";
import { emptyResult, failedResult, type Task, type TaskResult } from "./task.js";

/** Rows that a program must survive before it is fitted. */
const SCREEN_ROWS = 4;
/** Bytes that the walk over these rows may take. */
const SCREEN_BYTES = 2 ** 24;
/** Starts that are tried where a program is not finite at the first. */
const STARTS_MAX = 4;
/**
 * Where a fit by lm may end if another rung follows: it has to be good enough to be compared. The
 * last rung fits to the last digit.
 */
const COARSE: Tolerances = { gradient: 1e-8, step: 1e-8, loss: 1e-8 };
const FINE: Tolerances = {};

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** What a task has come to so far. */
type Made = ReturnType<typeof emptyResult>;

/**
 * Who watches the fits of a runner. `signal` ends one under way: then its result is worth nothing.
 * `onProgress` is told now and then that a fit gets on.
 */
export type FitWatch = Pick<FitOptions, "signal" | "onProgress">;

/** Thrown inside a runner: why a candidate's way ends. */
class Ending extends Error {
  readonly failure: Failure;
  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}

export class CandidateRunner {
  #machine: Machine;
  readonly #study: Study;
  readonly #screenColumns: Columns;
  readonly #heldTarget: Float64Array;
  readonly #heldSquares: number;
  readonly #columnNames: ReadonlySet<string>;
  /** Where parameters start of which nothing is said. */
  readonly #startRange: readonly [number, number];
  readonly #loading: LoadOptions;
  /** Options of a fit: those that differ from task to task are set before each. */
  readonly #fitting: Mutable<FitOptions>;

  static async create(study: Study, watch: FitWatch = {}): Promise<CandidateRunner> {
    return new CandidateRunner(await machineFor(study), study, watch);
  }

  private constructor(machine: Machine, study: Study, watch: FitWatch) {
    this.#machine = machine;
    this.#study = study;
    this.#screenColumns = someRows(study.train, study.inputs);
    this.#heldTarget = own(study.heldOut, study.target) as Float64Array;
    this.#heldSquares = squaresAbout(this.#heldTarget);
    this.#columnNames = new Set(study.inputs);
    this.#startRange = reach({}, study.recipe.startDeviation);
    const { inputs, domain, train, target, recipe, limits } = study;
    this.#loading = { inputs, domain };
    this.#fitting = {
      data: train,
      target,
      optimiser: recipe.optimiser,
      stepsMax: limits.fitSteps,
      seed: 0,
      params: {},
      restarts: 1,
      steps: 1,
      tolerances: FINE,
      detail: "scores",
    };
    if (recipe.adam !== undefined) this.#fitting.adam = recipe.adam;
    Object.assign(this.#fitting, watch);
  }

  dispose(): void {
    this.#machine.dispose();
  }

  /**
   * Runs a task to its result. A mistake of ours costs the machine, which may be in any state, and
   * the candidate's score.
   */
  async run(task: Task): Promise<TaskResult> {
    try {
      return await this.#run(task);
    } catch (error) {
      this.#machine = await machineFor(this.#study);
      const { message } = error as Error;
      return failedResult(task, { stage: "fit", code: "E-INTERNAL", message });
    }
  }

  async #run(task: Task): Promise<TaskResult> {
    let made = emptyResult(task);
    const { timing } = made;
    let stage: Stage = "parse";
    let program: Program | undefined;
    const began = performance.now();
    let screened = began;
    let fitted = began;
    try {
      program = this.#machine.load(task.source, this.#loading);
      stage = "screen";
      const names = this.#parametersOf(program);
      if (!task.isScreened) this.#screen(program, names, task, timing);
      screened = performance.now();
      stage = "fit";
      const predict = await this.#fit(program, names, task, made);
      fitted = performance.now();
      stage = "score";
      made.r2 = this.#score(program, made.params, predict);
    } catch (error) {
      const failure = this.#failureOf(error, stage, task, program, timing);
      made = {
        ...emptyResult(task),
        timing,
        fits: failure.stage === "screen" ? 0 : made.fits,
        failure,
      };
    } finally {
      program?.dispose();
    }
    const ended = performance.now();
    if (screened === began) screened = ended;
    if (fitted === began) fitted = ended;
    timing.screen = (screened - began) / 1000;
    timing.fit = (fitted - screened) / 1000;
    timing.score = (ended - fitted) / 1000;
    return made;
  }

  /**
   * Why a candidate's way ends. Where the walk over a few rows was left out, it has its say before
   * the fit, as it would have had.
   */
  #failureOf(
    error: unknown,
    stage: Stage,
    task: Task,
    program: Program | undefined,
    timing: Made["timing"],
  ): Failure {
    if (stage === "fit" && task.isScreened && program !== undefined && !isNotFinite(error)) {
      try {
        this.#screen(program, this.#parametersOf(program), task, timing);
      } catch (earlier) {
        return failureOf(earlier, "screen");
      }
    }
    return failureOf(error, stage);
  }

  /** Names to be fitted. */
  #parametersOf(program: Program): readonly string[] {
    const names: string[] = [];
    for (const name of program.inputs) if (!this.#columnNames.has(name)) names.push(name);
    return names;
  }

  /** A walk over a few rows: errors and endless loops show here, before they cost a fit. */
  #screen(program: Program, names: readonly string[], task: Task, timing: Made["timing"]): void {
    const { seed, recipe, limits } = this.#study;
    // The same for all visits to a candidate: who has passed once would pass again.
    const starts = this.#starts(names, task, seedFor(seed, SEED_SCREEN, task.id), true);
    const inputs = recordOf<number | Float64Array>(Object.entries(this.#screenColumns));
    for (const name of names) inputs[name] = startOf(own(starts, name), recipe.startDeviation);
    const began = performance.now();
    let outcome: Evaluation;
    try {
      outcome = program.evaluate(inputs, {
        stepsMax: limits.screenSteps,
        tapeBytesMax: SCREEN_BYTES,
      });
    } finally {
      timing.walk = (performance.now() - began) / 1000;
    }
    const [failure] = outcome.failures;
    if (failure !== undefined) throw failure.error;
    if (outcome.shape?.length === 0) return;
    const kind =
      outcome.shape === undefined
        ? "no number"
        : outcome.shape.length === 1
          ? "a vector"
          : "a matrix";
    throw ended("screen", "E-RESULT", `the program's value is ${kind}`);
  }

  /** Where the parameters of a task start: normal around 0 where nobody says anything else. */
  #starts(
    names: readonly string[],
    task: Task,
    seed: number,
    isFirst: boolean,
  ): Readonly<Record<string, ParameterSpec>> {
    const draws = new Random(seed);
    const deviation = this.#study.recipe.startDeviation;
    const specs: Record<string, ParameterSpec> = emptyRecord();
    for (const name of names) {
      const drawn = deviation * draws.normal();
      const given = own(task.params, name);
      const from = own(task.from, name);
      if (given === undefined && from === undefined) {
        specs[name] = { start: drawn, range: this.#startRange };
        continue;
      }
      const options = optionsOf(given);
      const range = reach(options, deviation);
      const isLimited = options.bounds !== undefined || options.scale !== undefined;
      if (options.fixed !== undefined) specs[name] = options;
      else if (from !== undefined) specs[name] = { ...options, start: from, range };
      else if (given !== undefined && isFirst) specs[name] = given;
      else if (isLimited) specs[name] = { ...options, range };
      else specs[name] = { start: drawn, range };
    }
    return specs;
  }

  /** Fits what is free in a program. How the fit predicts; undefined where nothing was fitted. */
  async #fit(
    program: Program,
    names: readonly string[],
    task: Task,
    made: Made,
  ): Promise<FitResult["predict"] | undefined> {
    const fixed = fixedOf(names, task);
    if (fixed !== undefined) {
      this.#asItIs(program, fixed, made);
      return undefined;
    }
    const study = this.#study;
    const fitting = this.#fitting;
    const rung = study.recipe.rungs[task.rung] as Rung;
    fitting.restarts = rung.restarts;
    fitting.steps = rung.steps;
    fitting.tolerances = this.#tolerancesOf(task.rung);
    made.fits = rung.restarts;
    for (let attempt = 0; ; attempt++) {
      const isLast = attempt + 1 >= STARTS_MAX || rung.restarts > 1;
      // On which rows a start is not finite is told of the last one only. Where rows go several
      // ways, looking for them changes what the machine knows of the ways.
      fitting.detail = isLast || !task.hasOneWay ? "scores" : "attempt";
      fitting.seed = seedFor(task.seed, task.rung, attempt);
      fitting.params = this.#starts(names, task, fitting.seed, attempt === 0);
      try {
        const { best, counters, predict } = await fit(program, fitting);
        made.timing.replay = counters.milliseconds / 1000;
        made.params = best.params;
        made.loss = best.loss;
        made.trainR2 = best.r2;
        made.bic = best.bic;
        return predict;
      } catch (error) {
        if (isLast || !isNotFinite(error)) throw error;
      }
    }
  }

  #tolerancesOf(rung: number): Tolerances {
    const { optimiser, rungs } = this.#study.recipe;
    return optimiser === "lm" && rung + 1 < rungs.length ? COARSE : FINE;
  }

  /** A program without free parameters has nothing to fit: its loss is what it is. */
  #asItIs(program: Program, params: Readonly<Record<string, number>>, made: Made): void {
    const target = own(this.#study.train, this.#study.target) as Float64Array;
    const points = target.length;
    const loss = this.#squares(program, params, this.#study.train, target);
    made.params = params;
    made.loss = loss;
    made.trainR2 = shareExplained(loss, squaresAbout(target));
    // The deviation of the noise is the one parameter.
    made.bic = bic(normalLogLikelihood(loss, points), 1, points);
  }

  /** R² over the held-out rows. */
  #score(
    program: Program,
    params: TaskResult["params"],
    predict: FitResult["predict"] | undefined,
  ): number {
    const { heldOut } = this.#study;
    let squares = Number.NaN;
    if (predict !== undefined) squares = squaresLeft(this.#heldTarget, predict(heldOut).values);
    // Where a row has no finite prediction, an evaluation tells why.
    if (!Number.isFinite(squares))
      squares = this.#squares(program, params, heldOut, this.#heldTarget);
    return shareExplained(squares, this.#heldSquares);
  }

  /** Sum of squares between a target and a program's values. */
  #squares(
    program: Program,
    params: Readonly<Record<string, number>>,
    columns: Columns,
    target: Float64Array,
  ): number {
    const { inputs, limits } = this.#study;
    const given = recordOf<number | Float64Array>(Object.entries(params));
    for (const name of inputs) given[name] = own(columns, name) as Float64Array;
    const { values, failures } = program.evaluate(given, { stepsMax: limits.fitSteps });
    const [failure] = failures;
    if (failure !== undefined) throw failure.error;
    const squares = squaresLeft(target, values);
    if (Number.isFinite(squares)) return squares;
    const which = columns === this.#study.heldOut ? "held-out rows" : "training rows";
    throw ended("score", "E-NOT-FINITE", `the prediction of ${which} is not finite`);
  }
}

const machineFor = ({ precision, limits }: Study): Promise<Machine> =>
  Machine.create({ precision, memoryMax: limits.memory });

const ended = (stage: Stage, code: string, message: string): Ending =>
  new Ending({ stage, code, message });

/** Reasons that other starts may not have. */
const NOT_FINITE: ReadonlySet<Reason | undefined> = new Set<Reason>([
  "prediction",
  "objective",
  "gradient",
]);

const isNotFinite = (error: unknown): boolean =>
  error instanceof NdvmError && NOT_FINITE.has(error.facts.reason);

function failureOf(error: unknown, stage: Stage): Failure {
  if (error instanceof Ending) return error.failure;
  if (isNotFinite(error))
    return { stage, code: "E-NOT-FINITE", message: (error as NdvmError).message };
  if (error instanceof NdvmError) return { stage, code: error.code, message: error.message };
  throw error;
}

/** The first number a parameter gets: of what nothing is said, the deviation or the bound next to it. */
function startOf(spec: ParameterSpec | undefined, deviation: number): number {
  if (typeof spec === "number") return spec;
  const given = spec?.fixed ?? spec?.start ?? spec?.range?.[0];
  if (given !== undefined) return given;
  const [low, high] = reach(optionsOf(spec), deviation);
  return Math.min(Math.max(deviation, low), high);
}

const optionsOf = (spec: ParameterSpec | undefined): ParameterOptions =>
  typeof spec === "number" || spec === undefined ? {} : spec;

/** All parameters, where none of them is to be fitted; undefined where one is. */
function fixedOf(
  names: readonly string[],
  { params }: Task,
): Readonly<Record<string, number>> | undefined {
  const fixed: Record<string, number> = emptyRecord();
  for (const name of names) {
    const value = optionsOf(own(params, name)).fixed;
    if (value === undefined) return undefined;
    fixed[name] = value;
  }
  return fixed;
}

/** Where the other restarts begin: what the bounds leave of the usual range, or the side of them next to it. */
function reach(options: ParameterOptions, deviation: number): readonly [number, number] {
  const { range, bounds, scale } = options;
  if (range !== undefined) return range;
  const lower = bounds?.[0] ?? Number.NEGATIVE_INFINITY;
  const upper = bounds?.[1] ?? Number.POSITIVE_INFINITY;
  const least = scale === "log" ? deviation / 10 : -3 * deviation;
  const most = 3 * deviation;
  const low = Math.max(least, lower);
  const high = Math.min(most, upper);
  if (low < high) return [low, high];
  if (upper > least) return [lower, Math.min(upper, lower + widthAt(lower, deviation))];
  // On a logarithmic scale as many times less as the usual range spans.
  const below = scale === "log" ? upper / (most / least) : upper - widthAt(upper, deviation);
  return [Math.max(lower, below), upper];
}

/** One deviation; beside numbers so large that it does not show, their own size. */
function widthAt(place: number, deviation: number): number {
  const size = Math.abs(place);
  return size + deviation > size ? deviation : size;
}

function someRows(columns: Columns, names: readonly string[]): Columns {
  const rows = rowsOf(columns);
  const count = Math.min(SCREEN_ROWS, rows);
  const at = Array.from({ length: count }, (_, i) => Math.floor((i * (rows - 1)) / (count - 1)));
  return recordOf(
    names.map((name) => [
      name,
      Float64Array.from(at, (row) => own(columns, name)?.[row] as number),
    ]),
  );
}
