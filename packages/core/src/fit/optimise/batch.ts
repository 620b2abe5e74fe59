/**
 * Evaluation for the optimisers: several restarts at once, one slot each, as lanes of one session.
 *
 * Residual mode has the axes restart × data, the data changing fastest: lane = slot · points + row.
 * Objective mode has a lane per slot. Optimisers write parameters in the user's units into `x`
 * (slot after slot), call `run`, and read each slot. Nothing is allocated per run.
 */

import { NdvmError } from "../../errors.js";
import { over } from "../../machine/inputs/axes.js";
import {
  type BoundInput,
  type BoundInputs,
  bindOver,
  bindShared,
} from "../../machine/inputs/inputs.js";
import type { Program } from "../../machine/program.js";
import type { Numbers, Session } from "../../machine/run/session.js";
import type { Axis, Input } from "../../machine/types.js";
import { own } from "../../records.js";
import type { Table } from "../data/columns.js";
import { setField } from "../data/fields.js";
import { residualUnit } from "../data/unit.js";
import { FIT_OBJECTIVE, FIT_PROGRAM } from "../layout.js";
import { columnsOfLoss } from "../loss/loss-program.js";
import type { PointLoss } from "../loss/losses.js";
import type { Factor } from "../math/linear.js";
import type { Free, Parameters } from "../parameters/parameters.js";
import type { FitOptions } from "../types.js";
import { MachineRounds, type Slots } from "./rounds.js";

export interface Batch {
  readonly slots: number;
  readonly x: Float64Array;
  /** Whether the machine works in f32. */
  readonly isSingle: boolean;
  /**
   * Lets the machine take up to `most` rounds by itself, until fewer than `runningLeast` restarts go
   * on; how many it took. 0: the next round is to be run and taken.
   */
  advance(slots: Slots, runningLeast: number, most: number): number;
  run(): void;
  /** Whether an evaluation elsewhere has the machine, so that no run can begin. */
  readonly isBlocked: boolean;
  /** Begins a run; true where it is done, else `finish` does the rest. */
  begin(isLong: boolean): boolean;
  /** The rest of a run that has begun; yields where it can be ended. */
  finish(): Generator<void>;
  /** Hands what the latest run came to to the restarts. */
  take(slots: Slots): void;
  /** Why every lane of the latest run failed; undefined where not all did. */
  readonly failure: NdvmError | undefined;
  /** What the latest run came to: gradients of the loss in the user's units, slot after slot. */
  gradients(): Float64Array;
  /** The value that the program had in a slot, for one row. */
  prediction(slot: number, row: number): number;
}

/** Failures that no other parameters would mend. */
const FATAL = ["E-ABORTED", "E-DISPOSED", "E-INPUT", "E-OPTION", "E-RESULT"];

/** Runs; why all lanes failed, where they did: then the parameters are to blame. */
function attempt(session: Session): NdvmError | undefined {
  try {
    session.run();
    return undefined;
  } catch (error) {
    return mendable(error);
  }
}

function mendable(error: unknown): NdvmError {
  if (error instanceof NdvmError && !FATAL.includes(error.code)) return error;
  throw error;
}

const NO_NUMBERS = new Float64Array(0);

/** As `attempt`, for the rest of a run that has begun. */
function* attemptRest(session: Session): Generator<void, NdvmError | undefined> {
  try {
    yield* session.finish();
    return undefined;
  } catch (error) {
    return mendable(error);
  }
}

/** Options of a fit that its runs have too, where they were given. */
export type RunLimits = { readonly stepsMax?: number; readonly chunk?: number };

const NO_LIMITS: RunLimits = {};

export function limited({ stepsMax, chunk }: Partial<FitOptions>): RunLimits {
  if (stepsMax === undefined && chunk === undefined) return NO_LIMITS;
  return {
    ...(stepsMax === undefined ? {} : { stepsMax }),
    ...(chunk === undefined ? {} : { chunk }),
  };
}

export class ResidualBatch implements Batch {
  readonly slots: number;
  readonly x: Float64Array;
  readonly #program: Program;
  readonly #table: Table;
  readonly #parameters: Parameters;
  readonly #free: readonly Free[];
  /** The parameters' inputs. */
  readonly #names: readonly string[];
  /** Undefined where the loss is a program. */
  readonly #loss: PointLoss | undefined;
  readonly #lossSession: Session | undefined;
  readonly #limits: RunLimits;
  /** Whether rows are lanes of their own: the program reads a column, or parameters have groups. */
  readonly #hasRows: boolean;
  readonly #rowStep: number;
  readonly #slotStep: number;
  #sessionMade: Session | undefined;
  #rounds: MachineRounds | undefined;
  // What JavaScript needs, made by the first run: rounds inside the machine do without.
  #inputs: readonly Numbers[] = [];
  #gradients: readonly Numbers[] = [];
  #values: Numbers = NO_NUMBERS;
  #isAlive = false;
  failure: NdvmError | undefined;

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
    this.#program = program;
    this.#table = table;
    this.#parameters = parameters;
    this.#free = free;
    this.#names = free.map(({ input }) => input);
    this.#limits = limits;
    this.#hasRows = table.groups.length > 0 || hasAny(table.columns);
    this.#rowStep = this.#hasRows ? 1 : 0;
    this.#slotStep = this.#hasRows ? table.points : 1;
    const isProgram = "session" in loss;
    this.#lossSession = isProgram ? lossSession(loss, table, slots, target, limits) : undefined;
    this.#loss = isProgram ? undefined : loss;
  }

  /**
   * Made when first needed, with the numbers in `x`: it begins by walking with them. A method, since
   * V8 calls out for every getter of a private name.
   */
  #openSession(): Session {
    if (this.#sessionMade !== undefined) return this.#sessionMade;
    const bound = bindResidual(this.#program, this.#table, this.#parameters, this.x, this.#hasRows);
    this.#sessionMade = this.#program.openSession(bound, bound.wanted, this.#limits);
    return this.#sessionMade;
  }

  get isSingle(): boolean {
    return this.#openSession().isSingle;
  }

  #machineRounds(): MachineRounds {
    if (this.#rounds !== undefined) return this.#rounds;
    const { points, target, rootWeights, trials, groups, rowGroups, columns } = this.#table;
    this.#rounds = new MachineRounds({
      session: this.#openSession(),
      lossSession: this.#lossSession,
      slots: this.slots,
      points,
      free: this.#free,
      loss: this.#loss?.code ?? FIT_PROGRAM,
      lossWidth: this.#loss?.width ?? 0,
      target,
      rootWeights,
      unit: () => residualUnit(this.#table, this.#free),
      trials,
      rowGroups: groups.length > 0 ? rowGroups : undefined,
      columns,
    });
    return this.#rounds;
  }

  advance(slots: Slots, runningLeast: number, most: number): number {
    return this.#machineRounds().advance(slots, runningLeast, most);
  }

  take(slots: Slots): void {
    this.#machineRounds().take(slots, this.#isAlive);
  }

  gradients(): Float64Array {
    return this.#machineRounds().gradients(this.#isAlive);
  }

  /** Of the Jacobian in the first slot, in the user's units. */
  factorInto(factor: Factor): void {
    this.#machineRounds().factorInto(factor, this.#isAlive);
  }

  #prepare(): void {
    const { inputs, gradients, values } = this.#openSession();
    this.#values = values;
    this.#inputs = this.#free.map(({ input }) => own(inputs, input) as Numbers);
    this.#gradients = this.#free.map(({ input }) => own(gradients, input) as Numbers);
  }

  get isBlocked(): boolean {
    return this.#openSession().isBlocked;
  }

  run(): void {
    this.#writeParameters();
    this.#endRun(attempt(this.#openSession()));
  }

  begin(isLong: boolean): boolean {
    this.#writeParameters();
    const isDone = this.#openSession().begin(isLong);
    if (isDone) this.#endRun(undefined);
    return isDone;
  }

  *finish(): Generator<void> {
    this.#endRun(yield* attemptRest(this.#openSession()));
  }

  #endRun(failure: NdvmError | undefined): void {
    this.failure = failure;
    this.#isAlive = failure === undefined;
    if (this.#lossSession !== undefined && this.#isAlive) this.#runLoss(this.#lossSession);
  }

  #writeParameters(): void {
    const { points, rowGroups } = this.#table;
    const size = this.#free.length;
    if (this.#inputs.length === 0) this.#prepare();
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

  /**
   * Predictions for other rows at one point, on the trace that the latest run ended on. Undefined
   * where that does not take them.
   */
  predictOn({ columns, points }: Table, x: Float64Array): Float64Array | undefined {
    if (this.#sessionMade === undefined || this.#table.groups.length > 0) return undefined;
    return this.#sessionMade.evaluateOther(columns, this.#names, x, points);
  }

  #runLoss(session: Session): void {
    const into = session.inputs["pred"] as Numbers;
    for (let slot = 0; slot < this.slots; slot++)
      for (let row = 0; row < this.#table.points; row++)
        into[slot * this.#table.points + row] = this.prediction(slot, row);
    this.#isAlive = attempt(session) === undefined;
  }

  prediction(slot: number, row: number): number {
    if (!this.#isAlive) return Number.NaN;
    return this.#values[slot * this.#slotStep + row * this.#rowStep] as number;
  }

  /** Derivative of a prediction by a parameter, in the user's units. */
  derivative(slot: number, row: number, j: number): number {
    const { group } = this.#free[j] as Free;
    if (group >= 0 && this.#table.rowGroups[row] !== group) return 0;
    const lane = slot * this.#slotStep + row * this.#rowStep;
    return (this.#gradients[j] as Numbers)[lane] as number;
  }
}

function hasAny(record: Readonly<Record<string, unknown>>): boolean {
  for (const _name in record) return true;
  return false;
}

/** The program's inputs: a number for every slot, or every row of it, for each parameter. */
function bindResidual(
  program: Program,
  table: Table,
  { free, fixed }: Parameters,
  x: Float64Array,
  hasRows: boolean,
): BoundInputs & { readonly wanted: readonly boolean[] } {
  const { columns, points } = table;
  const slots = x.length / free.length;
  const restarts: Axis = { name: "restart", size: slots };
  const axes = hasRows ? [restarts, { name: "data", size: points }] : [restarts];
  const wanted = program.inputs.map((name) => indexOfInput(free, name) >= 0);
  const inputs = program.inputs.map((name, index) => {
    if (wanted[index]) return bindParameter(free, indexOfInput(free, name), table, x, axes);
    if (Object.hasOwn(columns, name))
      return bindOver(name, own(columns, name) as Float64Array, axes, DATA);
    return bindShared(name, own(fixed, name) as number);
  });
  return { inputs, lanes: slots * (hasRows ? points : 1), axes, wanted };
}

const RESTART = ["restart"];
const DATA = ["data"];
const RESTART_DATA = ["restart", "data"];

/** The first parameter that is bound to an input, −1 where none is. */
function indexOfInput(free: readonly Free[], name: string): number {
  for (let j = 0; j < free.length; j++) if ((free[j] as Free).input === name) return j;
  return -1;
}

function bindParameter(
  free: readonly Free[],
  first: number,
  { points, rowGroups }: Table,
  x: Float64Array,
  axes: readonly Axis[],
): BoundInput {
  const { group, input } = free[first] as Free;
  const slots = x.length / free.length;
  // One slot alone shares its number with all lanes, which costs less.
  if (group < 0 && slots === 1) return bindShared(input, x[first] as number);
  const own = new Float64Array(group < 0 ? slots : slots * points);
  if (group < 0) {
    for (let slot = 0; slot < slots; slot++) own[slot] = x[slot * free.length + first] as number;
    return bindOver(input, own, axes, RESTART);
  }
  for (let lane = 0; lane < own.length; lane++) {
    const slot = Math.floor(lane / points);
    const index = first + (rowGroups[lane % points] as number);
    own[lane] = x[slot * free.length + index] as number;
  }
  return bindOver(input, own, axes, RESTART_DATA);
}

/** The user's own loss: a program over `pred`, the target and columns, a lane for every point. */
export function lossSession(
  program: Program,
  table: Table,
  slots: number,
  target: string,
  limits: RunLimits,
): Session {
  const inputs: Record<string, Input> = {
    pred: over(["restart", "data"], new Float64Array(slots * table.points), {
      sizes: { restart: slots, data: table.points },
    }),
  };
  for (const [name, column] of Object.entries(columnsOfLoss(program, table, target)))
    setField(inputs, name, over("data", column));
  return program.session(inputs, { wrt: ["pred"], ...limits });
}

/** Objective mode: the program's value is the loss. */
export class ObjectiveBatch implements Batch {
  readonly slots: number;
  readonly x: Float64Array;
  readonly #session: Session;
  readonly #inputs: readonly Numbers[];
  readonly #free: readonly Free[];
  failure: NdvmError | undefined;
  #isAlive = false;
  #rounds: MachineRounds | undefined;

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
    for (const { input } of free) setField(inputs, input, over("restart", new Float64Array(slots)));
    this.#free = free;
    this.#session = program.session(
      { ...inputs, ...fixed, ...data },
      { wrt: free.map(({ input }) => input), ...limits },
    );
    this.#inputs = free.map(({ input }) => own(this.#session.inputs, input) as Numbers);
  }

  get isSingle(): boolean {
    return this.#session.isSingle;
  }

  #machineRounds(): MachineRounds {
    this.#rounds ??= new MachineRounds({
      session: this.#session,
      lossSession: undefined,
      slots: this.slots,
      points: 1,
      free: this.#free,
      loss: FIT_OBJECTIVE,
      lossWidth: 0,
      target: NO_NUMBERS,
      rootWeights: undefined,
      unit: () => 1,
      trials: undefined,
      rowGroups: undefined,
      columns: {},
    });
    return this.#rounds;
  }

  advance(slots: Slots, runningLeast: number, most: number): number {
    return this.#machineRounds().advance(slots, runningLeast, most);
  }

  take(slots: Slots): void {
    this.#machineRounds().take(slots, this.#isAlive);
  }

  gradients(): Float64Array {
    return this.#machineRounds().gradients(this.#isAlive);
  }

  prediction(slot: number): number {
    return this.#isAlive ? (this.#session.values[slot] as number) : Number.NaN;
  }

  get isBlocked(): boolean {
    return this.#session.isBlocked;
  }

  run(): void {
    this.#writeParameters();
    this.failure = attempt(this.#session);
    this.#isAlive = this.failure === undefined;
  }

  begin(isLong: boolean): boolean {
    this.#writeParameters();
    this.failure = undefined;
    this.#isAlive = this.#session.begin(isLong);
    return this.#isAlive;
  }

  *finish(): Generator<void> {
    this.failure = yield* attemptRest(this.#session);
    this.#isAlive = this.failure === undefined;
  }

  #writeParameters(): void {
    const size = this.#inputs.length;
    for (let j = 0; j < size; j++)
      for (let slot = 0; slot < this.slots; slot++)
        (this.#inputs[j] as Numbers)[slot] = this.x[slot * size + j] as number;
  }
}
