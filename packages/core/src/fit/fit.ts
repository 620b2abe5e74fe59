/**
 * `fit`: the constants of a program from data.
 *
 * With a target, the program's value predicts it row by row; without, the program's value is the
 * loss. Options are checked, parameters found among the program's free names, restarts advanced
 * together, and the best of them described.
 */

import { NdvmError } from "../errors.js";
import { vec } from "../machine/inputs/inputs.js";
import { badOption } from "../machine/options.js";
import { Program } from "../machine/program.js";
import type { Input } from "../machine/types.js";
import { recordOf } from "../records.js";
import {
  checkedInput,
  countPoints,
  numbersOf,
  readTable,
  SELECTOR,
  type Table,
} from "./data/columns.js";
import { setField } from "./data/fields.js";
import { checkScales } from "./data/scale.js";
import { rowInputs } from "./diagnosis/diagnosis.js";
import { checkShape, explainStart } from "./diagnosis/start-failure.js";
import { loadLoss, lossColumns } from "./loss/loss-program.js";
import { makeLoss } from "./loss/losses.js";
import { AdamRestart } from "./optimise/adam.js";
import { arrive } from "./optimise/arrival.js";
import { type Batch, limited, ObjectiveBatch, ResidualBatch } from "./optimise/batch.js";
import { type Driven, drive } from "./optimise/drive.js";
import { LbfgsRestart } from "./optimise/lbfgs.js";
import { LevenbergRestart } from "./optimise/levenberg.js";
import { bestOf, type Restart } from "./optimise/restart.js";
import { settle } from "./optimise/settle.js";
import { slotsFor } from "./optimise/slots.js";
import { type Parameters, refuse, resolveParameters, startOf } from "./parameters/parameters.js";
import { describeFit, type Finished } from "./result/result.js";
import { resumeRestarts } from "./resume.js";
import { checkSettings, type Settings } from "./settings.js";
import type { FitOptions, FitResult, LossName } from "./types.js";

/** Fits the free names of a program that are not data. */
export async function fit(program: Program, options: FitOptions): Promise<FitResult> {
  const settings = checkSettings(options);
  if (!(program instanceof Program)) throw badOption("program", "a loaded program", program);
  const problem =
    settings.mode === "residual"
      ? residualProblem(program, options, settings)
      : objectiveProblem(program, options);
  try {
    const restarts = beginRestarts(problem, settings);
    let driven: Driven;
    try {
      const under = driveAll(problem, settings, restarts);
      // Where nobody had to be waited for, the caller does not wait either.
      driven = under instanceof Promise ? await under : under;
    } catch (error) {
      // What a program's value is instead of a number, its rows tell best; all else is as it was thrown.
      if (error instanceof NdvmError && error.code === "E-RESULT")
        explainStart(problem, restarts[0] as Restart);
      throw error;
    }
    if (!hasFiniteLoss(restarts)) {
      if (driven.failure !== undefined && problem.program === problem.source) throw driven.failure;
      if (settings.isAttempt && driven.isComplete) throw notFinite();
      explainStart(problem, restarts[0] as Restart);
    }
    const isDone = driven.stopped === "done";
    const left = settings.timeMax - driven.milliseconds;
    const winner = bestOf(restarts);
    const goBack = winner.remember();
    const isToSettle = isDone && !settings.isAttempt && canHaveCorners(settings);
    const settling = isToSettle ? await settle(problem, settings, winner, left) : undefined;
    const isSettled = settling !== undefined;
    const arrival = isDone && !isSettled ? arrive(problem, settings, winner, left) : undefined;
    const ended = endedBy(settling ?? arrival?.verdict, driven, winner);
    if (ended === driven)
      return describeFit(finish(problem, settings, restarts, driven, { arrival, settling }));
    // A last look that was cut is as if nobody had looked, so that a resumed fit has it in one piece.
    goBack();
    const nothing = { arrival: undefined, settling: undefined };
    return describeFit(finish(problem, settings, restarts, ended, nothing));
  } finally {
    // A loss that was given as text is ours to free.
    if (problem.lossProgram !== options.loss) problem.lossProgram?.dispose();
  }
}

/** Whether the loss may be straight but for corners. Those of the other names are smooth. */
const canHaveCorners = ({ mode, lossName }: Settings): boolean =>
  mode === "residual" && (lossName === "absolute" || lossName === "program");

/** How the fit ended, where its time or its signal cut the last look at the best restart. */
function endedBy(verdict: string | undefined, driven: Driven, winner: Restart): Driven {
  if (verdict !== "time" && verdict !== "aborted") return driven;
  winner.ended = winner.reason;
  winner.reason = verdict;
  return { ...driven, stopped: verdict };
}

function beginRestarts(problem: Problem, settings: Settings): Finished["restarts"] {
  const { resume } = problem.options;
  const restarts = makeRestarts(problem, settings);
  if (resume !== undefined)
    resumeRestarts(problem, settings, restarts, () => makeRestarts(problem, settings));
  if ((problem.table?.targets.length ?? 1) > 1) checkOutputs(problem, restarts[0] as Restart);
  return restarts;
}

function driveAll(problem: Problem, settings: Settings, restarts: Finished["restarts"]) {
  const { together, signal, onProgress } = problem.options;
  const points = problem.table?.points ?? 1;
  return drive({
    restarts,
    slotsMax: together ?? slotsFor(points, restarts.length),
    batches: problem.batches,
    timeMax: settings.timeMax,
    signal,
    onProgress,
  });
}

/** What an attempt tells of a start where every row has a number, and the loss has none. */
const notFinite = (): NdvmError =>
  new NdvmError("E-INPUT", "the program is not finite at the start", {
    facts: { reason: "prediction" },
  });

function hasFiniteLoss(restarts: Finished["restarts"]): boolean {
  for (const { loss } of restarts) if (Number.isFinite(loss)) return true;
  return false;
}

/** All fields by name: spreading objects costs more than the rest of a small fit's description. */
const finish = (
  problem: Problem,
  settings: Settings,
  restarts: Finished["restarts"],
  driven: Driven,
  { arrival, settling }: Pick<Finished, "arrival" | "settling">,
): Finished => ({
  program: problem.program,
  source: problem.source,
  lossProgram: problem.lossProgram,
  options: problem.options,
  parameters: problem.parameters,
  table: problem.table,
  data: problem.data,
  batches: problem.batches,
  settings,
  restarts,
  driven,
  arrival,
  settling,
});

/** Whether the program's value has an element for each target, by the first row. */
function checkOutputs(problem: Problem, { start }: Restart): void {
  const { source, table, options } = problem;
  const inputs = Object.entries(rowInputs(problem, start)).map(([name, value]) => {
    const isColumn = ArrayBuffer.isView(value);
    return [name, isColumn ? (value as Float64Array)[0] : value] as [string, Input];
  });
  try {
    const { shape } = source.evaluate(recordOf(inputs), limited(options));
    checkShape({ shape }, table?.targets.length ?? 1);
  } catch (error) {
    // Other failures of a row are told when the whole data fail.
    if (error instanceof NdvmError && error.code === "E-RESULT") throw error;
  }
}

export interface Problem {
  /** The program that runs: with several targets it predicts one of them, else the user's. */
  readonly program: Program;
  /** The user's program. */
  readonly source: Program;
  /** The user's own loss of a point. */
  readonly lossProgram: Program | undefined;
  readonly options: FitOptions;
  readonly parameters: Parameters;
  /** Residual mode only. */
  readonly table: Table | undefined;
  /** Inputs of objective mode. */
  readonly data: Readonly<Record<string, Input>>;
  /** Of residuals where there is a table. */
  readonly batches: Batches;
}

/** Makes batches; keeps that of one slot, which the last restart and the description share. */
export class Batches<B extends Batch = Batch> {
  readonly #make: (slots: number) => B;
  #narrow: B | undefined;
  /** The batch that was made last. */
  latest: B | undefined;

  constructor(make: (slots: number) => B) {
    this.#make = make;
  }

  of(slots: number): B {
    if (slots === 1) this.#narrow ??= this.#make(1);
    this.latest = slots === 1 ? (this.#narrow as B) : this.#make(slots);
    return this.latest;
  }
}

const NO_DATA: Problem["data"] = {};

function residualProblem(source: Program, options: FitOptions, settings: Settings): Problem {
  const { loss, targets } = settings;
  const given = Object.keys(options.data ?? NO_DATA);
  const read = readTable(source.inputs, given, targets, options, settings.lossName);
  checkScales(read, source.precision, settings.lossName);
  const parameters = resolveParameters(source.parsed, given, options, read.groups);
  const points = countPoints(read);
  if (points < parameters.free.length)
    throw refuse(
      `there ${points === 1 ? "is 1 point" : `are ${points} points`} for ` +
        `${parameters.free.length} parameters`,
      "give more rows, or fix some parameters",
      { reason: "points", value: points, limit: parameters.free.length },
    );
  const program = targets.length > 1 ? source.elementBy(SELECTOR) : source;
  const lossProgram = loadLoss(source, loss);
  const table = withColumnsOf(lossProgram, read, targets, options);
  const pointLoss = lossProgram ?? makeLoss(loss as LossName, table, options);
  const target = targets.length > 1 ? "target" : (targets[0] as string);
  const limits = limited(options);
  const batches = new Batches(
    (slots) => new ResidualBatch(program, table, parameters, slots, pointLoss, target, limits),
  );
  return {
    program,
    source,
    lossProgram,
    options,
    parameters,
    table,
    data: NO_DATA,
    batches,
  };
}

/** The table with the columns that a loss of the user's own reads. A text that is refused is ours to free. */
function withColumnsOf(
  loss: Program | undefined,
  table: Table,
  targets: readonly string[],
  options: FitOptions,
): Table {
  if (loss === undefined) return table;
  try {
    return { ...table, others: lossColumns(loss, table, targets, options) };
  } catch (error) {
    if (loss !== options.loss) loss.dispose();
    throw error;
  }
}

function objectiveProblem(program: Program, options: FitOptions): Problem {
  const data: Record<string, Input> = {};
  for (const [name, value] of Object.entries(options.data ?? {})) {
    if (!program.inputs.includes(name)) continue;
    const isObject = typeof value === "object" && value !== null;
    const isTensor = typeof value === "number" || (isObject && "kind" in value);
    const input = isTensor ? checkedInput(name, value as Input) : vec(numbersOf(name, value));
    setField(data, name, input);
  }
  const parameters = resolveParameters(
    program.parsed,
    Object.keys(options.data ?? NO_DATA),
    options,
    [],
  );
  const batches = new Batches(
    (slots) => new ObjectiveBatch(program, data, parameters, slots, limited(options)),
  );
  return {
    program,
    source: program,
    lossProgram: undefined,
    options,
    parameters,
    table: undefined,
    data,
    batches,
  };
}

function makeRestarts({ parameters, table }: Problem, settings: Settings): Finished["restarts"] {
  const { free } = parameters;
  const { optimiser, limits, adam, seed } = settings;
  const points = table?.points ?? 1;
  const restarts: Restart[] = [];
  for (let index = 0; index < settings.restarts; index++) {
    const start = startOf(free, index, seed);
    if (optimiser === "lm") restarts.push(new LevenbergRestart(index, start, free, limits));
    else if (optimiser === "lbfgs") restarts.push(new LbfgsRestart(index, start, free, limits));
    else restarts.push(new AdamRestart(index, start, free, limits, adam, points));
  }
  return restarts;
}
