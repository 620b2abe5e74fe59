/**
 * Evaluation for the optimisers: several restarts at once, one slot each, as lanes of one session.
 *
 * Residual mode has the axes restart × data, the data changing fastest: lane = slot · points + row.
 * Objective mode has a lane per slot. Optimisers write parameters in the user's units into `x`
 * (slot after slot), call `run`, and read each slot. Nothing is allocated per run.
 */

import { NdvmError } from "../errors.js";
import { over } from "../machine/axes.js";
import type { Program } from "../machine/program.js";
import type { Numbers, Session } from "../machine/session.js";
import type { Input } from "../machine/types.js";
import type { Table } from "./columns.js";
import type { Factor } from "./linear.js";
import type { PointLoss } from "./losses.js";
import type { Free, Parameters } from "./parameters.js";
import type { FitOptions } from "./types.js";

export interface Batch {
  readonly slots: number;
  readonly x: Float64Array;
  /** Whether the machine works in f32. */
  readonly isSingle: boolean;
  run(): void;
  /** Whether an evaluation elsewhere has the machine, so that no run can begin. */
  readonly isBlocked: boolean;
  /** Begins a run; true where it is done, else `finish` does the rest. */
  begin(isLong: boolean): boolean;
  /** The rest of a run that has begun; yields where it can be ended. */
  finish(): Generator<void>;
  /** The loss in a slot; overwrites `gradient` by its derivatives in the user's units. */
  gradientInto(slot: number, gradient: Float64Array): number;
}

/** A batch of least squares, which can tell its Jacobian. */
export interface SquaresBatch extends Batch {
  /**
   * The sum of squares in a slot; makes the factor of its Jacobian, the columns times `slopes`.
   * The sum is NaN where a residual or derivative is not finite.
   */
  factorInto(slot: number, slopes: Float64Array, factor: Factor): number;
}

/** Rows that are reflected at once. */
const BLOCK = 4096;

/** Failures that no other parameters would mend. */
const FATAL = ["E-ABORTED", "E-DISPOSED", "E-INPUT", "E-OPTION", "E-RESULT"];

/** Runs; whether any lane gave a result. Where all lanes fail, the parameters are to blame. */
function attempt(session: Session): boolean {
  try {
    session.run();
    return true;
  } catch (error) {
    if (error instanceof NdvmError && !FATAL.includes(error.code)) return false;
    throw error;
  }
}

/** As `attempt`, for the rest of a run that has begun. */
function* attemptRest(session: Session): Generator<void, boolean> {
  try {
    yield* session.finish();
    return true;
  } catch (error) {
    if (error instanceof NdvmError && !FATAL.includes(error.code)) return false;
    throw error;
  }
}

/** Options of a fit that its runs have too, where they were given. */
export type RunLimits = { readonly stepsMax?: number; readonly chunk?: number };

export const limited = ({ stepsMax, chunk }: Partial<FitOptions>): RunLimits => ({
  ...(stepsMax === undefined ? {} : { stepsMax }),
  ...(chunk === undefined ? {} : { chunk }),
});

export class ResidualBatch implements SquaresBatch {
  readonly slots: number;
  readonly x: Float64Array;
  readonly #table: Table;
  readonly #free: readonly Free[];
  readonly #session: Session;
  readonly #gradients: readonly Numbers[];
  readonly #inputs: readonly Numbers[];
  readonly #loss: PointLoss;
  readonly #lossSession: Session | undefined;
  readonly #rowStep: number;
  readonly #slotStep: number;
  readonly #block: Float64Array;
  readonly #blockRows: number;
  readonly #rowSlopes: Float64Array;
  #isAlive = false;

  constructor(
    program: Program,
    table: Table,
    parameters: Parameters,
    slots: number,
    loss: PointLoss | Program,
    target: string,
    limits: RunLimits = {},
  ) {
    const { free } = parameters;
    this.slots = slots;
    this.x = new Float64Array(slots * free.length);
    this.#table = table;
    this.#free = free;
    const inputs = bindResidual(table, parameters, slots);
    this.#session = program.session(inputs, {
      wrt: [...new Set(free.map(({ input }) => input))],
      ...limits,
    });
    this.#gradients = free.map(({ input }) => this.#session.gradients[input] as Numbers);
    this.#inputs = free.map(({ input }) => this.#session.inputs[input] as Numbers);
    const hasData = this.#session.lanes === slots * table.points;
    this.#rowStep = hasData ? 1 : 0;
    this.#slotStep = hasData ? table.points : 1;
    this.#blockRows = Math.min(BLOCK, table.points);
    this.#block = new Float64Array((free.length + 1) * this.#blockRows);
    this.#rowSlopes = new Float64Array(table.points);
    const isProgram = "session" in loss;
    this.#lossSession = isProgram ? lossSession(loss, table, slots, target) : undefined;
    this.#loss = isProgram ? lossOfSession(this.#lossSession as Session) : loss;
  }

  get isSingle(): boolean {
    return this.#session.values instanceof Float32Array;
  }

  get isBlocked(): boolean {
    return this.#session.isBlocked;
  }

  run(): void {
    this.#writeParameters();
    this.#isAlive = attempt(this.#session);
    if (this.#lossSession !== undefined && this.#isAlive) this.#runLoss(this.#lossSession);
  }

  begin(isLong: boolean): boolean {
    this.#writeParameters();
    this.#isAlive = this.#session.begin(isLong);
    if (!this.#isAlive) return false;
    if (this.#lossSession !== undefined) this.#runLoss(this.#lossSession);
    return true;
  }

  *finish(): Generator<void> {
    this.#isAlive = yield* attemptRest(this.#session);
    if (this.#lossSession !== undefined && this.#isAlive) this.#runLoss(this.#lossSession);
  }

  #writeParameters(): void {
    const { points, rowGroups } = this.#table;
    const size = this.#free.length;
    for (let j = 0; j < size; j++) {
      const { group } = this.#free[j] as Free;
      const into = this.#inputs[j] as Numbers;
      for (let slot = 0; slot < this.slots; slot++) {
        const value = this.x[slot * size + j] as number;
        if (group < 0) into[slot] = value;
        else
          for (let row = 0; row < points; row++)
            if (rowGroups[row] === group) into[slot * points + row] = value;
      }
    }
  }

  #runLoss(session: Session): void {
    const into = session.inputs["pred"] as Numbers;
    for (let slot = 0; slot < this.slots; slot++)
      for (let row = 0; row < this.#table.points; row++)
        into[slot * this.#table.points + row] = this.prediction(slot, row);
    this.#isAlive = attempt(session);
  }

  prediction(slot: number, row: number): number {
    if (!this.#isAlive) return Number.NaN;
    return this.#session.values[slot * this.#slotStep + row * this.#rowStep] as number;
  }

  /** Derivative of a prediction by a parameter, in the user's units. */
  derivative(slot: number, row: number, j: number): number {
    const { group } = this.#free[j] as Free;
    if (group >= 0 && this.#table.rowGroups[row] !== group) return 0;
    const lane = slot * this.#slotStep + row * this.#rowStep;
    return (this.#gradients[j] as Numbers)[lane] as number;
  }

  gradientInto(slot: number, gradient: Float64Array): number {
    gradient.fill(0);
    if (!this.#isAlive) return Number.NaN;
    const { points, rowGroups } = this.#table;
    const rowSlopes = this.#rowSlopes;
    const loss = this.#slopesOfRows(slot);
    const from = slot * this.#slotStep;
    for (let j = 0; j < gradient.length; j++) {
      const { group } = this.#free[j] as Free;
      const own = this.#gradients[j] as Numbers;
      let sum = 0;
      for (let row = 0; row < points; row++) {
        const slope = rowSlopes[row] as number;
        // A row that does not count may have a derivative that is not finite.
        if (slope === 0 || (group >= 0 && rowGroups[row] !== group)) continue;
        sum += slope * (own[from + row * this.#rowStep] as number);
      }
      gradient[j] = sum;
    }
    return loss;
  }

  /** The weighted loss of a slot; leaves its derivative by every row's prediction. */
  #slopesOfRows(slot: number): number {
    const { points, rootWeights } = this.#table;
    const lossFrom = this.#lossSession === undefined ? 0 : slot * points;
    let loss = 0;
    for (let row = 0; row < points; row++) {
      const root = rootWeights === undefined ? 1 : (rootWeights[row] as number);
      this.#rowSlopes[row] = 0;
      if (root === 0) continue;
      const prediction = this.prediction(slot, row);
      loss += root * root * this.#loss.value(prediction, lossFrom + row);
      this.#rowSlopes[row] = root * root * this.#loss.slope(prediction, lossFrom + row);
    }
    return loss;
  }

  factorInto(slot: number, slopes: Float64Array, factor: Factor): number {
    factor.clear();
    if (!this.#isAlive) return Number.NaN;
    const { points } = this.#table;
    let loss = 0;
    for (let from = 0; from < points; from += this.#blockRows) {
      const count = Math.min(this.#blockRows, points - from);
      loss += this.#fillBlock(slot, from, count, slopes);
      factor.addRows(this.#block, this.#blockRows, count);
    }
    for (let k = 0; k < factor.r.length; k++)
      if (!Number.isFinite(factor.r[k] as number)) return Number.NaN;
    return Number.isFinite(loss) ? loss : Number.NaN;
  }

  /** Weighted rows of the Jacobian and residuals; their sum of squares. */
  #fillBlock(slot: number, from: number, count: number, slopes: Float64Array): number {
    const { target, rootWeights } = this.#table;
    const block = this.#block;
    const rows = this.#blockRows;
    const size = this.#free.length;
    let loss = 0;
    for (let i = 0; i < count; i++) {
      const row = from + i;
      const root = rootWeights === undefined ? 1 : (rootWeights[row] as number);
      const residual = root * (this.prediction(slot, row) - (target[row] as number));
      const counts = root !== 0;
      block[size * rows + i] = counts ? residual : 0;
      if (counts) loss += residual * residual;
      for (let j = 0; j < size; j++)
        block[j * rows + i] = counts
          ? root * (slopes[j] as number) * this.derivative(slot, row, j)
          : 0;
    }
    return loss;
  }
}

function bindResidual(table: Table, { free, fixed }: Parameters, slots: number) {
  const inputs: Record<string, Input> = {};
  for (const { input, group } of free)
    inputs[input] =
      group < 0
        ? over("restart", new Float64Array(slots))
        : over(["restart", "data"], new Float64Array(slots * table.points), {
            sizes: { restart: slots, data: table.points },
          });
  Object.assign(inputs, fixed);
  for (const [name, column] of Object.entries(table.columns)) inputs[name] = over("data", column);
  return inputs;
}

/** The user's own loss: a program over `pred`, the target and columns, a lane for every point. */
function lossSession(program: Program, table: Table, slots: number, target: string): Session {
  const inputs: Record<string, Input> = {
    pred: over(["restart", "data"], new Float64Array(slots * table.points), {
      sizes: { restart: slots, data: table.points },
    }),
  };
  for (const name of program.inputs) {
    if (name === "pred") continue;
    const own = table.columns[name] ?? table.others[name];
    const column =
      name === target ? table.target : (own ?? (name === "target" ? table.target : undefined));
    if (column === undefined)
      throw new NdvmError("E-INPUT", `the loss uses ${name}, which it cannot know`, {
        help: `it may use pred, the target ${target} and the columns the program reads`,
      });
    inputs[name] = over("data", column);
  }
  return program.session(inputs, { wrt: ["pred"] });
}

function lossOfSession(session: Session): PointLoss {
  return {
    value: (_prediction, lane) => session.values[lane] as number,
    slope: (_prediction, lane) => session.gradients["pred"]?.[lane] as number,
  };
}

/** Objective mode: the program's value is the loss. */
export class ObjectiveBatch implements Batch {
  readonly slots: number;
  readonly x: Float64Array;
  readonly #session: Session;
  readonly #inputs: readonly Numbers[];
  readonly #gradients: readonly Numbers[];
  #isAlive = false;

  constructor(
    program: Program,
    data: Readonly<Record<string, Input>>,
    { free, fixed }: Parameters,
    slots: number,
    limits: RunLimits = {},
  ) {
    this.slots = slots;
    this.x = new Float64Array(slots * free.length);
    const inputs: Record<string, Input> = {};
    for (const { input } of free) inputs[input] = over("restart", new Float64Array(slots));
    Object.assign(inputs, fixed, data);
    this.#session = program.session(inputs, {
      wrt: free.map(({ input }) => input),
      ...limits,
    });
    this.#inputs = free.map(({ input }) => this.#session.inputs[input] as Numbers);
    this.#gradients = free.map(({ input }) => this.#session.gradients[input] as Numbers);
  }

  get isSingle(): boolean {
    return this.#session.values instanceof Float32Array;
  }

  get isBlocked(): boolean {
    return this.#session.isBlocked;
  }

  run(): void {
    this.#writeParameters();
    this.#isAlive = attempt(this.#session);
  }

  begin(isLong: boolean): boolean {
    this.#writeParameters();
    this.#isAlive = this.#session.begin(isLong);
    return this.#isAlive;
  }

  *finish(): Generator<void> {
    this.#isAlive = yield* attemptRest(this.#session);
  }

  #writeParameters(): void {
    const size = this.#inputs.length;
    for (let j = 0; j < size; j++)
      for (let slot = 0; slot < this.slots; slot++)
        (this.#inputs[j] as Numbers)[slot] = this.x[slot * size + j] as number;
  }

  gradientInto(slot: number, gradient: Float64Array): number {
    gradient.fill(0);
    if (!this.#isAlive) return Number.NaN;
    for (let j = 0; j < gradient.length; j++)
      gradient[j] = (this.#gradients[j] as Numbers)[slot] as number;
    return this.#session.values[slot] as number;
  }
}
