/**
 * `fit`: the constants of a program from data.
 *
 * With a target, the program's value predicts it row by row; without, the program's value is the
 * loss. Options are checked, parameters found among the program's free names, restarts advanced
 * together, and the best of them described.
 */

import { NdvmError } from "../errors.js";
import { vec } from "../machine/inputs.js";
import type { Program } from "../machine/program.js";
import type { Input } from "../machine/types.js";
import { AdamRestart } from "./adam.js";
import { ObjectiveBatch, ResidualBatch } from "./batch.js";
import { numbersOf, readTable, type Table } from "./columns.js";
import { type Driven, drive } from "./drive.js";
import { fromPlain } from "./json.js";
import { LbfgsRestart } from "./lbfgs.js";
import { LevenbergRestart } from "./levenberg.js";
import { makeLoss } from "./losses.js";
import { type Parameters, refuse, resolveParameters, startOf } from "./parameters.js";
import type { Restart } from "./restart.js";
import { describeFit, type Finished } from "./result.js";
import { checkSettings, type Settings } from "./settings.js";
import { explainStart } from "./start-failure.js";
import type { FitOptions, FitResult, RestartOutcome, RestartState } from "./types.js";

/** Lanes that a batch of restarts fills at most, unless one restart alone has more. */
const LANES_MOST = 16384;
const SLOTS_MOST = 64;

/** Fits the free names of a program that are no data. */
export async function fit(program: Program, options: FitOptions): Promise<FitResult> {
  const settings = checkSettings(options);
  const problem =
    settings.mode === "residual"
      ? residualProblem(program, options, settings)
      : objectiveProblem(program, options);
  const restarts = makeRestarts(problem, settings);
  if (options.resume !== undefined) resumeRestarts(restarts, options.resume);
  const points = problem.table?.points ?? 1;
  const slotsMax =
    options.together ?? Math.max(1, Math.min(SLOTS_MOST, Math.floor(LANES_MOST / points)));
  let driven: Driven;
  try {
    driven = await drive({
      restarts,
      slotsMax,
      makeBatch: problem.makeBatch,
      timeMax: settings.timeMax,
      signal: options.signal,
      onProgress: options.onProgress,
    });
  } catch (error) {
    const isTold = error instanceof NdvmError && error.code !== "E-RESULT";
    if (!isTold) explainStart(program, problem, restarts[0] as Restart);
    throw error;
  }
  if (!restarts.some(({ loss }) => Number.isFinite(loss)))
    explainStart(program, problem, restarts[0] as Restart);
  return describeFit({ ...problem, settings, restarts, driven });
}

export interface Problem {
  readonly program: Program;
  readonly options: FitOptions;
  readonly parameters: Parameters;
  /** Residual mode only. */
  readonly table: Table | undefined;
  /** Inputs of objective mode. */
  readonly data: Readonly<Record<string, Input>>;
  makeBatch(slots: number): ResidualBatch | ObjectiveBatch;
}

/** Keeps the batch of one slot, which the last restart and the description share. */
function keepNarrow<B>(make: (slots: number) => B): (slots: number) => B {
  let narrow: B | undefined;
  return (slots) => {
    if (slots !== 1) return make(slots);
    narrow ??= make(1);
    return narrow;
  };
}

function residualProblem(program: Program, options: FitOptions, settings: Settings): Problem {
  const target = options.target as string;
  const table = readTable(program.inputs, target, options);
  const columns = Object.keys(options.data ?? {});
  const parameters = resolveParameters(program.listing, columns, options, table.groups);
  const counted = table.rootWeights?.reduce((sum, root) => sum + (root > 0 ? 1 : 0), 0);
  const points = counted ?? table.points;
  if (points < parameters.free.length)
    throw refuse(
      `there are ${points} points for ${parameters.free.length} parameters`,
      "give more rows, or fix some parameters",
    );
  const { loss } = settings;
  const pointLoss = typeof loss === "string" ? makeLoss(loss, table, options) : loss;
  const makeBatch = keepNarrow(
    (slots) =>
      new ResidualBatch(program, table, parameters, slots, pointLoss, target, options.stepsMax),
  );
  return { program, options, parameters, table, data: {}, makeBatch };
}

function objectiveProblem(program: Program, options: FitOptions): Problem {
  const data: Record<string, Input> = {};
  for (const [name, value] of Object.entries(options.data ?? {})) {
    if (!program.inputs.includes(name)) continue;
    const isTensor = typeof value === "number" || "kind" in value;
    data[name] = isTensor ? (value as Input) : vec(numbersOf(name, value));
  }
  const parameters = resolveParameters(
    program.listing,
    Object.keys(options.data ?? {}),
    options,
    [],
  );
  const makeBatch = keepNarrow(
    (slots) => new ObjectiveBatch(program, data, parameters, slots, options.stepsMax),
  );
  return { program, options, parameters, table: undefined, data, makeBatch };
}

function makeRestarts({ parameters, table }: Problem, settings: Settings): Finished["restarts"] {
  const { free } = parameters;
  const { optimiser, limits, adam, seed } = settings;
  return Array.from({ length: settings.restarts }, (_, index) => {
    const start = startOf(free, index, seed);
    if (optimiser === "lm") return new LevenbergRestart(index, start, free, limits);
    if (optimiser === "lbfgs") return new LbfgsRestart(index, start, free, limits);
    return new AdamRestart(index, start, free, limits, adam, table?.points ?? 1);
  });
}

/** Takes over finished restarts and lets the others go on. */
function resumeRestarts(
  restarts: Finished["restarts"],
  json: NonNullable<FitOptions["resume"]>,
): void {
  const before = fromPlain(json) as {
    readonly restarts: readonly RestartOutcome[];
    readonly states: readonly RestartState[];
  };
  const first = before.states?.[0];
  if (
    !Array.isArray(before.states) ||
    before.states.length !== restarts.length ||
    first === undefined
  )
    throw new NdvmError("E-OPTION", "the result to resume is of another fit", {
      help: "resume with the same program, data and options",
    });
  for (const [index, restart] of restarts.entries()) {
    const { start, numbers } = before.states[index] as RestartState;
    const outcome = before.restarts[index] as RestartOutcome;
    if (start.length !== restart.start.length || start.some((x, j) => x !== restart.start[j]))
      throw new NdvmError("E-OPTION", `restart ${index} of the result to resume began elsewhere`, {
        help: "resume with the same program, data, options and seed",
      });
    restart.load(numbers);
    if (outcome.reason === "time" || outcome.reason === "aborted") continue;
    restart.restore(outcome);
  }
}
