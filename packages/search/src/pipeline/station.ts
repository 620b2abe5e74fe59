/**
 * A station: one machine and the way of a candidate through it.
 *
 *   load → screen (static checks, a few rows) → fit → score on held-out rows
 *
 * Workers have one each; with no workers this thread has it. What a station answers depends on the
 * study and the task only. Whatever a program does wrong is an answer, never an exception; limits
 * count steps and bytes.
 */

import {
  type BestFit,
  type FitResult,
  fit,
  Machine,
  NdvmError,
  type ParameterOptions,
  type ParameterSpec,
  type Program,
} from "@ndvm/core";
import { Draws, seedFor } from "../seeds.js";
import { type Columns, rowsOf, SEED_FIT, SEED_SCREEN, type Study } from "../study.js";
import type { Failure, Rung, Stage } from "../types.js";
import { failedResult, NO_TIME, type Task, type TaskResult, type Timing } from "./task.js";

/** Rows that a program must survive before it is fitted. */
const SCREEN_ROWS = 4;
/** Bytes that the walk over these rows may take. */
const SCREEN_BYTES = 2 ** 24;
/** Starts that are tried where a program is not finite at the first. */
const STARTS_MAX = 4;
/** Steps of the fit that finds intervals: it begins where it should end. */
const INTERVAL_STEPS = 1;

/** What a fit comes to. */
type Fitted = Pick<BestFit, "params" | "loss" | "r2" | "bic"> & Partial<Pick<FitResult, "predict">>;

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Thrown inside a station: why a candidate's way ends. */
class Ending extends Error {
  readonly failure: Failure;
  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}

export class Station {
  #machine: Machine;
  readonly #study: Study;
  readonly #screenColumns: Columns;
  readonly #heldTarget: Float64Array;
  readonly #heldSquares: number;
  readonly #columnNames: ReadonlySet<string>;

  static async create(study: Study): Promise<Station> {
    return new Station(await machineFor(study), study);
  }

  private constructor(machine: Machine, study: Study) {
    this.#machine = machine;
    this.#study = study;
    this.#screenColumns = someRows(study.train, study.inputs);
    this.#heldTarget = study.heldOut[study.target] as Float64Array;
    this.#heldSquares = squaresAround(this.#heldTarget);
    this.#columnNames = new Set(study.inputs);
  }

  dispose(): void {
    this.#machine.dispose();
  }

  /**
   * Runs a task to its result. `signal` ends a fit under way: then the result is worth nothing.
   * A mistake of ours costs the machine, which may be in any state, and the candidate's score.
   */
  async run(task: Task, signal?: AbortSignal): Promise<TaskResult> {
    try {
      return await this.#run(task, signal);
    } catch (error) {
      this.#machine = await machineFor(this.#study);
      const { message } = error as Error;
      return failedResult(task, { stage: "fit", code: "E-INTERNAL", message });
    }
  }

  async #run(task: Task, signal: AbortSignal | undefined): Promise<TaskResult> {
    const timing = { ...NO_TIME };
    const made = { fits: 0 };
    let stage: Stage = "parse";
    let program: Program | undefined;
    const began = performance.now();
    try {
      program = this.#load(task.source);
      stage = "screen";
      const names = this.#parametersOf(program);
      if (!task.isScreened) timing.walk = this.#screen(program, names, task);
      const screened = performance.now();
      timing.screen = (screened - began) / 1000;
      stage = "fit";
      if (task.kind === "intervals") return await this.#intervals(program, task, timing, signal);
      const fixed = fixedOf(names, task);
      const fitted =
        Object.keys(fixed).length === names.length
          ? this.#asItIs(program, fixed)
          : await this.#fit(program, names, task, made, timing, signal);
      const ended = performance.now();
      timing.fit = (ended - screened) / 1000;
      stage = "score";
      const r2 = this.#score(program, fitted);
      timing.score = (performance.now() - ended) / 1000;
      const { params, loss, r2: trainR2, bic } = fitted;
      const { visit, rung } = task;
      const { fits } = made;
      return { visit, rung, worker: 0, timing, fits, params, loss, trainR2, r2, bic };
    } catch (error) {
      const spent = (performance.now() - began) / 1000 - timing.screen - timing.fit;
      timing[stage === "parse" ? "screen" : stage] = spent;
      return failedResult(task, failureOf(error, stage), made.fits, timing);
    } finally {
      program?.dispose();
    }
  }

  #load(source: string): Program {
    const { inputs, domain } = this.#study;
    return this.#machine.load(source, { inputs, domain });
  }

  /** Names to be fitted. What a program may not be is refused here. */
  #parametersOf(program: Program): readonly string[] {
    const { target, limits } = this.#study;
    const names = program.inputs.filter((name) => !this.#columnNames.has(name));
    if (names.includes(target))
      throw ended("screen", "E-TARGET", `the program reads ${target}, which it is to predict`);
    if (names.length > limits.parameters)
      throw ended(
        "screen",
        "E-PARAMETERS",
        `the program has ${names.length} parameters, more than ${limits.parameters}`,
      );
    return names;
  }

  /**
   * A walk over a few rows: errors and endless loops show here, before they cost a fit. Seconds of
   * the walk.
   */
  #screen(program: Program, names: readonly string[], task: Task): number {
    const { seed, recipe, limits } = this.#study;
    // The same for all visits to a candidate: who has passed once would pass again.
    const starts = this.#starts(names, task, seedFor(seed, SEED_SCREEN, task.id), true);
    const inputs: Record<string, number | Float64Array> = { ...this.#screenColumns };
    for (const name of names) inputs[name] = startOf(starts[name], recipe.startDeviation);
    const began = performance.now();
    const outcome = program.evaluate(inputs, {
      stepsMax: limits.screenSteps,
      tapeBytesMax: SCREEN_BYTES,
    });
    const [failure] = outcome.failures;
    if (failure !== undefined) throw failure.error;
    if (outcome.shape?.length === 0) return (performance.now() - began) / 1000;
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
    const draws = new Draws(seed);
    const deviation = this.#study.recipe.startDeviation;
    const specs: Record<string, ParameterSpec> = {};
    for (const name of names) {
      const drawn = deviation * draws.normal();
      const given = task.params?.[name];
      const from = task.from?.[name];
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

  async #fit(
    program: Program,
    names: readonly string[],
    task: Task,
    made: { fits: number },
    timing: Mutable<Timing>,
    signal: AbortSignal | undefined,
  ): Promise<Fitted> {
    const rung = this.#study.recipe.rungs[task.rung] as Rung;
    for (let attempt = 0; ; attempt++) {
      const seed = seedFor(this.#study.seed, SEED_FIT, task.visit, task.rung, attempt);
      made.fits += rung.restarts;
      try {
        const { best, counters, predict } = await fit(program, {
          ...this.#common(signal),
          seed,
          params: this.#starts(names, task, seed, attempt === 0),
          restarts: rung.restarts,
          steps: rung.steps,
          detail: "scores",
        });
        timing.replay = counters.milliseconds / 1000;
        const { params, loss, r2, bic } = best;
        return { params, loss, r2, bic, predict };
      } catch (error) {
        const isLast = attempt + 1 >= STARTS_MAX || names.length === 0 || rung.restarts > 1;
        if (isLast || !isNotFinite(error)) throw error;
        made.fits -= rung.restarts;
      }
    }
  }

  #common(signal: AbortSignal | undefined) {
    const { train, target, recipe, limits } = this.#study;
    return {
      data: train,
      target,
      optimiser: recipe.optimiser,
      ...(recipe.adam === undefined ? {} : { adam: recipe.adam }),
      stepsMax: limits.fitSteps,
      ...(signal === undefined ? {} : { signal }),
    };
  }

  /** A program without free parameters has nothing to fit: its loss is what it is. */
  #asItIs(program: Program, params: Readonly<Record<string, number>>): Fitted {
    const target = this.#study.train[this.#study.target] as Float64Array;
    const points = target.length;
    const loss = this.#squares(program, params, this.#study.train, target);
    const logLikelihood = (-points / 2) * (Math.log((2 * Math.PI * loss) / points) + 1);
    const bic = Math.log(points) - 2 * logLikelihood;
    return { params, loss, r2: 1 - loss / squaresAround(target), bic };
  }

  /** R² over the held-out rows. */
  #score(program: Program, { params, predict }: Fitted): number {
    const { heldOut } = this.#study;
    let squares = Number.NaN;
    if (predict !== undefined) squares = squaresTo(this.#heldTarget, predict(heldOut).values);
    // Where a row has no finite prediction, an evaluation tells why.
    if (!Number.isFinite(squares))
      squares = this.#squares(program, params, heldOut, this.#heldTarget);
    return 1 - squares / this.#heldSquares;
  }

  /** Sum of squares between a target and a program's values. */
  #squares(
    program: Program,
    params: Readonly<Record<string, number>>,
    columns: Columns,
    target: Float64Array,
  ): number {
    const { inputs, limits } = this.#study;
    const given: Record<string, number | Float64Array> = { ...params };
    for (const name of inputs) given[name] = columns[name] as Float64Array;
    const { values, failures } = program.evaluate(given, { stepsMax: limits.fitSteps });
    const [failure] = failures;
    if (failure !== undefined) throw failure.error;
    const squares = squaresTo(target, values);
    if (Number.isFinite(squares)) return squares;
    const which = columns === this.#study.heldOut ? "held-out rows" : "training rows";
    throw ended("score", "E-NOT-FINITE", `the prediction of ${which} is not finite`);
  }

  /** Intervals of the parameters a fit has found, from the Jacobian where they are. */
  async #intervals(
    program: Program,
    task: Task,
    timing: Mutable<Timing>,
    signal: AbortSignal | undefined,
  ): Promise<TaskResult> {
    const began = performance.now();
    const from = task.from ?? {};
    const detailed = await fit(program, {
      ...this.#common(signal),
      optimiser: "lm",
      params: Object.fromEntries(
        Object.entries(from).map(([name, start]) => [
          name,
          { ...optionsOf(task.params?.[name]), start },
        ]),
      ),
      steps: INTERVAL_STEPS,
    });
    timing.fit = (performance.now() - began) / 1000;
    const { params, loss, r2: trainR2, bic } = detailed.best;
    const intervals: Record<string, readonly [number, number]> = {};
    for (const [name, [low, high]] of Object.entries(detailed.intervals)) {
      const shift = (from[name] as number) - (params[name] as number);
      intervals[name] = [low + shift, high + shift];
    }
    const { visit, rung } = task;
    const r2 = Number.NaN;
    return { visit, rung, worker: 0, timing, fits: 0, params, loss, trainR2, r2, bic, intervals };
  }
}

function squaresTo(target: Float64Array, values: Float64Array): number {
  let squares = 0;
  for (let i = 0; i < target.length; i++)
    squares += ((target[i] as number) - (values[i] as number)) ** 2;
  return squares;
}

const machineFor = ({ precision, limits }: Study): Promise<Machine> =>
  Machine.create({ precision, memoryMax: limits.memory });

const ended = (stage: Stage, code: string, message: string): Ending =>
  new Ending({ stage, code, message });

const isNotFinite = (error: unknown): boolean =>
  error instanceof NdvmError && error.code === "E-INPUT" && error.message.includes("not finite");

function failureOf(error: unknown, stage: Stage): Failure {
  if (error instanceof Ending) return error.failure;
  if (isNotFinite(error))
    return { stage, code: "E-NOT-FINITE", message: (error as NdvmError).message };
  if (error instanceof NdvmError) return { stage, code: error.code, message: error.message };
  throw error;
}

/** The first number a parameter gets. */
function startOf(spec: ParameterSpec | undefined, otherwise: number): number {
  if (typeof spec === "number") return spec;
  return spec?.fixed ?? spec?.start ?? spec?.range?.[0] ?? otherwise;
}

const optionsOf = (spec: ParameterSpec | undefined): ParameterOptions =>
  typeof spec === "number" || spec === undefined ? {} : spec;

/** Parameters that are not to be fitted. */
function fixedOf(names: readonly string[], task: Task): Readonly<Record<string, number>> {
  const fixed: Record<string, number> = {};
  for (const name of names) {
    const value = optionsOf(task.params?.[name]).fixed;
    if (value !== undefined) fixed[name] = value;
  }
  return fixed;
}

/** Where the other restarts begin. */
function reach(options: ParameterOptions, deviation: number): readonly [number, number] {
  const { range, bounds, scale } = options;
  if (range !== undefined) return range;
  const least = scale === "log" ? deviation / 10 : -3 * deviation;
  const low = Math.max(least, bounds?.[0] ?? Number.NEGATIVE_INFINITY);
  const high = Math.min(3 * deviation, bounds?.[1] ?? Number.POSITIVE_INFINITY);
  return low < high ? [low, high] : [low, low + deviation];
}

function someRows(columns: Columns, names: readonly string[]): Columns {
  const rows = rowsOf(columns);
  const count = Math.min(SCREEN_ROWS, rows);
  const at = Array.from({ length: count }, (_, i) => Math.floor((i * (rows - 1)) / (count - 1)));
  return Object.fromEntries(
    names.map((name) => [name, Float64Array.from(at, (row) => columns[name]?.[row] as number)]),
  );
}

/** Sum of squares around the mean. */
function squaresAround(numbers: Float64Array): number {
  let sum = 0;
  for (const x of numbers) sum += x;
  const mean = sum / numbers.length;
  let squares = 0;
  for (const x of numbers) squares += (x - mean) ** 2;
  return squares;
}
