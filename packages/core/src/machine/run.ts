/**
 * One run of a program: bind, walk until done, read the result.
 *
 * The walk runs in slices of steps; between slices the budgets, the clock and the caller's signal
 * are looked at, so that nothing a program does can hold the process for ever.
 */

import { NdvmError } from "../errors.js";
import {
  FAULT_NONE,
  PAYLOAD_ORIGIN,
  RECORD_BYTES,
  RECORD_IN0,
  RECORD_IN1,
  RECORD_OUT,
  TAG_PRIMITIVE,
  TAG_REAL,
  TAG_TENSOR,
  WALK_DONE,
  WALK_PAUSED,
} from "../program/layout.js";
import type { LambdaNode } from "../syntax/core.js";
import { print } from "../syntax/print.js";
import { faultError, primitiveName } from "./faults.js";
import { type Bound, bindInputs, writeNumbers } from "./inputs.js";
import type { Machine } from "./machine.js";
import type { Program } from "./program.js";
import { type NameTable, Snapshot } from "./snapshot.js";
import type {
  AsyncRunOptions,
  DatumValue,
  Evaluation,
  Inputs,
  LaneFailure,
  NonFinite,
  RunOptions,
  RunStats,
} from "./types.js";

const STEPS_MAX = 1e9;
/** Steps between two looks at the clock: a few milliseconds. */
const SLICE = 200_000;
const SLICE_WITHOUT_CLOCK = 1e9;
const FRAME_BYTES = 16;
const FRAME_RETURN = 7;

/** An input that gradients are wanted for. */
export interface RecordedInput {
  readonly name: string;
  readonly payload: number;
  /** Elements: 1 for a number. */
  readonly count: number;
}

/** A run that has been bound and not yet finished. */
export interface Started {
  readonly machine: Machine;
  readonly program: Program;
  readonly lanes: number;
  readonly wrt: readonly RecordedInput[];
  readonly inputs: readonly Bound[];
  readonly serial: number;
}

/** Binds the inputs. `wrt` undefined: every numeric input; an empty list records nothing. */
export function startRun(
  machine: Machine,
  program: Program,
  inputs: Inputs,
  wrt: readonly string[] | undefined,
  options: RunOptions,
): Started {
  const address = program.address;
  const { inputs: bound, lanes } = inContext(program, () =>
    bindInputs(program.inputs, inputs, options.lanes),
  );
  checkOptions(options);
  const wanted = wantedInputs(program, bound, wrt);
  const { exports, reals } = machine;
  const serial = machine.nextSerial();
  const tapeMax = Math.min(options.tapeBytesMax ?? machine.memoryMax, machine.memoryMax);
  if (exports.begin(address, lanes, wanted.size > 0, tapeMax) !== FAULT_NONE)
    throw machineFault(machine, program);
  const recorded: RecordedInput[] = [];
  let payload = program.firstInputPayload;
  bound.forEach((input, index) => {
    if (input.kind === "int") {
      exports.bindInteger(index, input.value);
      return;
    }
    const isShared = input.perLane === undefined && input.tensors === undefined;
    const active = wanted.has(input.name);
    const { rank, rows, cols } = input;
    const at = exports.bindNumbers(index, rank, rows, cols, isShared, active);
    if (at === 0) throw machineFault(machine, program);
    writeNumbers(reals, input, at, exports.runBytes(), lanes);
    if (active) recorded.push({ name: input.name, payload, count: rows * cols });
    payload += 1;
  });
  exports.bound();
  return { machine, program, lanes, wrt: recorded, inputs: bound, serial };
}

function checkOptions(options: RunOptions): void {
  for (const name of ["stepsMax", "tapeBytesMax", "timeMax"] as const) {
    const value = options[name];
    if (value !== undefined && !(value > 0))
      throw new NdvmError("E-OPTION", `${name} must be a number above 0, got ${value}`);
  }
}

function wantedInputs(
  program: Program,
  bound: readonly Bound[],
  wrt: readonly string[] | undefined,
): ReadonlySet<string> {
  if (wrt === undefined)
    return new Set(bound.filter(({ kind }) => kind === "numbers").map(({ name }) => name));
  for (const name of wrt) {
    const input = bound.find((candidate) => candidate.name === name);
    if (input?.kind === "numbers") continue;
    const why = input === undefined ? "is no input of the program" : "is an integer";
    throw new NdvmError("E-INPUT", `cannot differentiate by ${name}: it ${why}`, {
      help: `its inputs are ${program.inputs.join(", ") || "none"}`,
    });
  }
  return new Set(wrt);
}

/** Adds the program's text to an error that was thrown without it. */
function inContext<T>(program: Program, action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw error instanceof NdvmError ? error.in(program.source, program.file) : error;
  }
}

interface Budget {
  stepsLeft: number;
  readonly stepsMax: number;
  readonly deadline: number;
  readonly timeMax: number | undefined;
  steps: number;
}

function budgetOf(options: RunOptions): Budget {
  const stepsMax = options.stepsMax ?? STEPS_MAX;
  const { timeMax } = options;
  const deadline = timeMax === undefined ? Number.POSITIVE_INFINITY : performance.now() + timeMax;
  return { stepsLeft: stepsMax, stepsMax, deadline, timeMax, steps: 0 };
}

/** Walks one slice; true when the program is done. */
function walkSlice(run: Started, budget: Budget, slice: number): boolean {
  const { machine, program } = run;
  const { exports } = machine;
  exports.beginSlice(Math.min(slice, budget.stepsLeft), budget.stepsLeft);
  const state = exports.walk();
  const taken = exports.stepsTaken();
  budget.steps += taken;
  budget.stepsLeft -= taken;
  if (state === WALK_DONE) return true;
  if (state !== WALK_PAUSED) throw machineFault(machine, program);
  if (budget.stepsLeft <= 0)
    throw limit(run, "E-STEPS", `the program took more than ${budget.stepsMax} steps`, "stepsMax");
  if (performance.now() >= budget.deadline)
    throw limit(run, "E-TIME", `the program ran longer than ${budget.timeMax} ms`, "timeMax");
  return false;
}

function limit(run: Started, code: "E-STEPS" | "E-TIME", message: string, option: string) {
  return new NdvmError(code, message, {
    help: `check that every loop ends, or raise ${option}`,
    source: run.program.source,
    file: run.program.file,
  });
}

export function finishSync(run: Started, options: RunOptions): Recorded {
  const budget = budgetOf(options);
  const slice = options.timeMax === undefined ? SLICE_WITHOUT_CLOCK : SLICE;
  while (!walkSlice(run, budget, slice));
  return new Recorded(run, budget.steps);
}

export async function finishAsync(run: Started, options: AsyncRunOptions): Promise<Recorded> {
  const budget = budgetOf(options);
  const { signal } = options;
  const release = run.machine.occupy();
  try {
    while (true) {
      if (signal?.aborted) throw aborted(run);
      if (walkSlice(run, budget, SLICE)) return new Recorded(run, budget.steps);
      await new Promise((resolve) => setTimeout(resolve));
    }
  } finally {
    release();
  }
}

function aborted(run: Started): NdvmError {
  const { source, file } = run.program;
  return new NdvmError("E-ABORTED", "the evaluation was aborted by the caller", { source, file });
}

/** The fault of the run under way, as an error with the program's text. */
function machineFault(machine: Machine, program: Program): NdvmError {
  const { exports, reals } = machine;
  const { nodes, symbols } = program;
  return faultError(exports, {
    nodes,
    symbols,
    numberOf: (payload) => reals.view()[exports.primalAddress(payload) / reals.bytes] as number,
    lambdaOf: (closure) => {
      const heap = ((exports.heapBase.value as number) >>> 0) + closure * 8;
      const cell = new DataView(exports.memory.buffer).getInt32(heap + 4, true);
      return lambdaNode(machine, program, cell);
    },
    callers: () => callersOf(machine),
  }).in(program.source, program.file);
}

/** The lambda whose cell has the given word index in the program's image. */
function lambdaNode(machine: Machine, program: Program, cell: number): LambdaNode {
  const words = new Int32Array(machine.exports.memory.buffer, program.address);
  return program.nodes[words[cell + 1] as number] as LambdaNode;
}

/** Nodes of the calls under way, innermost first, at most a few thousand. */
function callersOf(machine: Machine): number[] {
  const { exports } = machine;
  const base = (exports.controlBase.value as number) >>> 0;
  const words = new DataView(exports.memory.buffer);
  const callers: number[] = [];
  for (let at = exports.controlEnd() - FRAME_BYTES; at >= base; at -= FRAME_BYTES) {
    if (words.getInt32(at, true) !== FRAME_RETURN) continue;
    callers.push(words.getInt32(words.getUint32(at + 4, true) + 4, true));
    if (callers.length > 4096) break;
  }
  return callers;
}

/** How many lanes get a cell in the report of non-finite results. */
const NON_FINITE_DETAILS = 64;

/** A finished run: its result, and while it is the machine's latest run, its tape. */
export class Recorded implements Evaluation {
  readonly machine: Machine;
  readonly lanes: number;
  readonly wrt: readonly RecordedInput[];
  readonly failures: readonly LaneFailure[] = [];
  readonly nonFinite: readonly NonFinite[];
  readonly stats: RunStats;
  readonly #program: Program;
  readonly #serial: number;
  readonly #snapshot: Snapshot;
  readonly #resultPayload: number;

  constructor(run: Started, steps: number) {
    this.machine = run.machine;
    this.lanes = run.lanes;
    this.wrt = run.wrt;
    this.#program = run.program;
    this.#serial = run.serial;
    const { exports, reals } = run.machine;
    this.#snapshot = new Snapshot(exports, reals, run.lanes, namesOf(run.machine, run.program));
    const { tag, data } = this.#snapshot;
    this.#resultPayload = tag === TAG_REAL || tag === TAG_TENSOR ? data : -1;
    this.nonFinite = this.#findNonFinite();
    this.stats = statsOf(run.machine, run.lanes, steps);
  }

  get shape(): readonly number[] | undefined {
    return this.#snapshot.shape;
  }

  get values(): Float64Array {
    const { values } = this.#snapshot;
    if (values !== undefined) return values;
    throw new NdvmError("E-RESULT", `the program returned ${this.#snapshot.kind}, not numbers`, {
      help: "use datum(lane) to read it; only numbers, vectors and matrices have values",
    }).in(this.#program.source, this.#program.file);
  }

  datum(lane = 0): DatumValue {
    this.#checkLane(lane);
    return this.#snapshot.value(lane);
  }

  print(lane = 0): string {
    this.#checkLane(lane);
    // Things without a reading, such as procedures, are printed bare.
    return print(this.#snapshot.datum(lane)).replaceAll(/\|(#<[^|]*>)\|/g, "$1");
  }

  #checkLane(lane: number): void {
    if (!Number.isInteger(lane) || lane < 0 || lane >= this.lanes)
      throw new NdvmError("E-OPTION", `there is no lane ${lane}: the run has ${this.lanes}`);
  }

  /** Throws where a later run has taken the machine's arenas. */
  checkAlive(): void {
    this.machine.check();
    if (this.machine.serial !== this.#serial)
      throw new NdvmError("E-DISPOSED", "a later run has replaced this run's tape", {
        help: "call backward before the next run on the same machine",
      });
  }

  /** Address of the result's adjoint, 0 where no differentiated input reaches it. */
  resultAdjoint(): number {
    return this.#resultPayload < 0 ? 0 : this.machine.exports.adjointAddress(this.#resultPayload);
  }

  backwardPass(): void {
    if (this.machine.exports.backward() !== FAULT_NONE) throw this.fault();
  }

  fault(): NdvmError {
    return machineFault(this.machine, this.#program);
  }

  /** Asked-for inputs that no record connects with the result. */
  inactiveInputs(gradients: Readonly<Record<string, Float64Array>>): string[] {
    const silent = this.wrt.filter(({ name }) => gradients[name]?.every((value) => value === 0));
    if (silent.length === 0) return [];
    const reached = this.#reachedPayloads();
    return silent.filter(({ payload }) => !reached.has(payload)).map(({ name }) => name);
  }

  /** Payloads from which the tape leads to the result. */
  #reachedPayloads(): Set<number> {
    const { exports } = this.machine;
    const words = new DataView(exports.memory.buffer);
    const base = (exports.tapeBase.value as number) >>> 0;
    const reached = new Set([this.#resultPayload]);
    for (let at = base + exports.tapeEnd() - RECORD_BYTES; at >= base; at -= RECORD_BYTES) {
      if (!reached.has(words.getInt32(at + RECORD_OUT, true))) continue;
      reached.add(words.getInt32(at + RECORD_IN0, true));
      reached.add(words.getInt32(at + RECORD_IN1, true));
    }
    return reached;
  }

  #findNonFinite(): NonFinite[] {
    const { values } = this.#snapshot;
    if (values === undefined) return [];
    const count = values.length / this.lanes;
    const found: NonFinite[] = [];
    for (let i = 0; i < values.length; i++) {
      const value = values[i] as number;
      if (Number.isFinite(value)) continue;
      const lane = Math.floor(i / count);
      if (found.at(-1)?.lane === lane) continue;
      found.push(this.#nonFiniteLane(lane, value, found.length < NON_FINITE_DETAILS));
    }
    return found;
  }

  #nonFiniteLane(lane: number, value: number, detailed: boolean): NonFinite {
    const { exports } = this.machine;
    const payload = detailed ? exports.firstNonFinite(lane) : -1;
    const what = `lane ${lane} is ${value}`;
    if (payload < 0) return { lane, value, span: undefined, message: what };
    const entry = new DataView(exports.memory.buffer, exports.entryAddress(payload));
    const origin = entry.getInt32(PAYLOAD_ORIGIN, true);
    if (origin < 0) {
      const name = this.#program.inputs[-1 - origin];
      return { lane, value, span: undefined, message: `${what}: input ${name} is not finite` };
    }
    const node = this.#program.nodes[origin];
    const span = node !== undefined && node.span.start >= 0 ? node.span : undefined;
    const text = span === undefined ? "" : this.#program.source.slice(span.start, span.end);
    const message = text === "" ? what : `${what}: first made so by ${shorten(text)}`;
    return { lane, value, span, message };
  }
}

const shorten = (text: string): string => {
  const line = text.replaceAll(/\s+/g, " ");
  return line.length > 60 ? `${line.slice(0, 57)}…` : line;
};

function namesOf(machine: Machine, program: Program): NameTable {
  return {
    symbols: program.symbols,
    procedureName: (tag, data, heap) => {
      if (tag === TAG_PRIMITIVE) return primitiveName(data);
      const cell = heap[data * 2 + 1] as number;
      return lambdaNode(machine, program, cell).name ?? "(lambda …)";
    },
  };
}

function statsOf({ exports }: Machine, lanes: number, steps: number): RunStats {
  return {
    lanes,
    steps,
    payloads: exports.payloadsMade.value as number,
    uniformPayloads: exports.uniformMade.value as number,
    activePayloads: exports.activeMade.value as number,
    tapeRecords: exports.tapeEnd() / RECORD_BYTES,
    heapObjects: exports.objectsMade.value as number,
    primalBytes: exports.bytesUsed(0),
    adjointBytes: exports.bytesUsed(1),
    tapeBytes: exports.bytesUsed(2),
    heapBytes: exports.bytesUsed(3),
    compactions: exports.compactions.value as number,
    memoryBytes: exports.memoryBytes(),
  };
}
