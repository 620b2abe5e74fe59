/**
 * A pool: one large population on all cores, one machine per worker.
 *
 * Lanes are cut into parts of neighbours; each worker takes the next part as it becomes free. A
 * lane's bits do not depend on who runs beside it, so neither the number of workers nor the cuts
 * show in the results.
 *
 * A worker that dies is replaced, and its part tried once more; then its lanes are failures
 * (E-WORKER) and the pool goes on. Ending a run under way ends the workers that run its parts.
 */

import { NdvmError } from "../../errors.js";
import { recordOf } from "../../records.js";
import { type Bound, bindInputs, copyNumbers } from "../inputs/inputs.js";
import { readProgram } from "../languages.js";
import { badOption, checkRunOptions, checkWrt } from "../options.js";
import type { Program } from "../program.js";
import { reduceGradients } from "../results/sums.js";
import type {
  AsyncGradientOptions,
  AsyncRunOptions,
  Axis,
  Evaluation,
  GradientOptions,
  GradientResult,
  Inputs,
  LoadOptions,
  Seed,
} from "../types.js";
import { coreCount, type Host, hostStarter, type StartHost } from "./host.js";
import { commonInactive, joinArrays, PoolOutcome, type Text } from "./outcome.js";
import {
  deadPart,
  type FromWorker,
  type Part,
  partInputs,
  type Start,
  unpackError,
} from "./parts.js";

export interface PoolOptions {
  /** How many workers. Default: the number of cores. */
  readonly workers?: number;
  /** Where the worker's code is, for pages whose bundler does not find it by itself. */
  readonly workerUrl?: URL | string;
  /** Most milliseconds that a worker may take to start. Default 60,000. */
  readonly startTimeMax?: number;
}

/** Options of a run in a pool; `load` is for programs given as text. */
export type PoolRunOptions = AsyncRunOptions & { readonly load?: LoadOptions };
export type PoolGradientOptions<Name extends string = string> = AsyncGradientOptions<Name> & {
  readonly load?: LoadOptions;
};

const WORKERS_MAX = 1024;
/** Parts a worker gets of a population that is large enough, so that none waits long at the end. */
const PARTS_PER_WORKER = 4;
/** Lanes that a part should have before a worker is given several. */
const PART_LANES = 1024;
/** Parts start at whole vectors of lanes, in either precision. */
const PART_STEP = 8;
/** Programs that a worker keeps; the one that was not used for longest goes first. */
const PROGRAMS_KEPT = 32;
const START_TIME_MAX = 60_000;
/** The longest time that timers can wait. */
const TIMER_MAX = 2 ** 31 - 1;
/** How often a part is started before its lanes fail. */
const TRIES = 2;

/** One call of evaluate or gradient. */
interface Call {
  readonly program: number;
  readonly isText: boolean;
  readonly load: { readonly source: string; readonly options: LoadOptions };
  readonly text: Text;
  readonly inputs: readonly Bound[];
  readonly lanes: number;
  readonly axes: readonly Axis[];
  readonly options: PoolGradientOptions;
  readonly isGradient: boolean;
  readonly parts: (Part | undefined)[];
  partsLeft: number;
  isOver: boolean;
  /** Takes the listener off the caller's signal. */
  unlisten: () => void;
  readonly resolve: (parts: readonly Part[]) => void;
  readonly reject: (error: unknown) => void;
}

/** A part of a call that waits or runs. */
interface Task {
  readonly call: Call;
  readonly index: number;
  readonly from: number;
  readonly to: number;
  tries: number;
}

/** A place for a worker. The worker is started when it is needed. */
interface Member {
  host: Host | undefined;
  task: Task | undefined;
  /** Programs that the worker has loaded, least recently used first. */
  readonly loaded: Set<number>;
  whenReady: { readonly resolve: () => void; readonly reject: (error: Error) => void } | undefined;
  /** Ends a worker that does not say it is ready; undefined once it has. */
  startTimer: ReturnType<typeof setTimeout> | undefined;
}

export class Pool {
  /** How many workers the pool has. */
  readonly workers: number;
  readonly #startHost: StartHost;
  readonly #start: Start;
  readonly #startTimeMax: number;
  readonly #members: readonly Member[];
  readonly #queue: Task[] = [];
  readonly #calls = new Set<Call>();
  readonly #ids = new WeakMap<Program, number>();
  #lastId = 0;
  #isDisposed = false;

  /** Made by `machine.pool`; resolves once all workers are ready. */
  static async create(start: Omit<Start, "kind">, options: PoolOptions = {}): Promise<Pool> {
    const workers = options.workers ?? (await coreCount());
    if (!Number.isInteger(workers) || workers < 1 || workers > WORKERS_MAX)
      throw badOption("workers", `a whole number from 1 to ${WORKERS_MAX}`, workers);
    const { startTimeMax = START_TIME_MAX } = options;
    if (!(typeof startTimeMax === "number" && startTimeMax > 0))
      throw badOption("startTimeMax", "a number of milliseconds above 0", startTimeMax);
    const startHost = await hostStarter(options.workerUrl);
    const pool = new Pool(workers, startHost, { kind: "start", ...start }, startTimeMax);
    try {
      await Promise.all(pool.#members.map((member) => pool.#ready(member)));
    } catch (error) {
      await pool.dispose();
      throw error;
    }
    return pool;
  }

  private constructor(workers: number, startHost: StartHost, start: Start, startTimeMax: number) {
    this.workers = workers;
    this.#startHost = startHost;
    this.#start = start;
    this.#startTimeMax = startTimeMax;
    this.#members = Array.from({ length: workers }, () => ({
      host: undefined,
      task: undefined,
      loaded: new Set<number>(),
      whenReady: undefined,
      startTimer: undefined,
    }));
  }

  /** As `program.evaluate`, on all workers. A program given as text is loaded for this call. */
  async evaluate(
    program: Program | string,
    inputs: Inputs = {},
    options: PoolRunOptions = {},
  ): Promise<Evaluation> {
    const { parts, call } = await this.#run(program, inputs, options, false);
    return new PoolOutcome(parts, call.lanes, call.axes, call.text);
  }

  /** As `program.gradient`, on all workers. */
  async gradient<Name extends string = string>(
    program: Program | string,
    inputs: Inputs = {},
    options: PoolGradientOptions<Name> = {},
  ): Promise<GradientResult<Name>> {
    const { parts, call } = await this.#run(program, inputs, options, true);
    const outcome = new PoolOutcome(parts, call.lanes, call.axes, call.text);
    const { reduce = false } = options;
    const wrt: readonly string[] | undefined = options.wrt;
    const counted = call.inputs.filter(
      ({ kind, name }) => kind === "numbers" && (wrt === undefined || wrt.includes(name)),
    );
    const perLane = recordOf(
      counted.map(({ name, rows, cols }) => [
        name,
        joinArrays(parts, rows * cols, ({ gradients }) =>
          Object.hasOwn(gradients, name) ? gradients[name] : undefined,
        ),
      ]),
    );
    const reduced =
      reduce === false ? undefined : reduceGradients(perLane, call.axes, call.inputs, reduce);
    const gradients = (reduced?.gradients ?? perLane) as GradientResult<Name>["gradients"];
    return Object.assign(outcome, { gradients, reduced, inactive: commonInactive(parts) });
  }

  /** Ends all workers. Calls under way are refused. */
  async dispose(): Promise<void> {
    this.#isDisposed = true;
    for (const call of [...this.#calls]) this.#end(call, disposedError(), true);
    await Promise.all(this.#members.map((member) => this.#endWorker(member)));
  }

  async #run(
    program: Program | string,
    inputs: Inputs,
    options: PoolGradientOptions,
    isGradient: boolean,
  ): Promise<{ readonly parts: readonly Part[]; readonly call: Call }> {
    if (this.#isDisposed) throw disposedError();
    checkRunOptions(options);
    checkWrt(options.wrt);
    const loaded = this.#describe(program, options.load ?? {});
    const bound = bindFor(loaded, inputs, options.lanes);
    checkSeed(options.seed, bound.lanes);
    const { signal } = options;
    if (signal?.aborted) throw abortedError(loaded.text);
    let call: Call | undefined;
    const parts = await new Promise<readonly Part[]>((resolve, reject) => {
      call = {
        ...loaded,
        inputs: bound.inputs.map(copyNumbers),
        lanes: bound.lanes,
        axes: bound.axes,
        options,
        isGradient,
        parts: [],
        partsLeft: 0,
        isOver: false,
        unlisten: () => {},
        resolve,
        reject,
      };
      this.#enqueue(call);
    });
    return { parts, call: call as unknown as Call };
  }

  /** What workers must know of a program, and its input names. */
  #describe(program: Program | string, options: LoadOptions) {
    if (typeof program !== "string") {
      void program.address;
      const { source, file, loadOptions, listing } = program;
      const id = this.#ids.get(program) ?? this.#nextId();
      this.#ids.set(program, id);
      const load = { source, options: loadOptions };
      return { program: id, isText: false, load, text: { source, file }, taker: listing };
    }
    const text = { source: program, file: options.file };
    try {
      const taker = readProgram(program, options);
      const load = { source: program, options };
      return { program: this.#nextId(), isText: true, load, text, taker };
    } catch (error) {
      throw error instanceof NdvmError ? error.in(text.source, text.file) : error;
    }
  }

  #nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  #enqueue(call: Call): void {
    const { signal } = call.options;
    const abort = () => this.#end(call, abortedError(call.text), true);
    signal?.addEventListener("abort", abort);
    call.unlisten = () => signal?.removeEventListener("abort", abort);
    this.#calls.add(call);
    const step = partLanes(call.lanes, this.workers);
    for (let from = 0; from < call.lanes; from += step) {
      const to = Math.min(from + step, call.lanes);
      this.#queue.push({ call, index: call.parts.length, from, to, tries: 0 });
      call.parts.push(undefined);
    }
    call.partsLeft = call.parts.length;
    this.#pump();
  }

  /** Gives waiting parts to idle workers. */
  #pump(): void {
    for (const member of this.#members) {
      if (member.task !== undefined) continue;
      const task = this.#queue.shift();
      if (task === undefined) return;
      this.#give(member, task);
    }
  }

  #give(member: Member, task: Task): void {
    const { call, from, to } = task;
    const host = member.host ?? this.#startWorker(member);
    member.task = task;
    task.tries += 1;
    host.hold(true);
    const isLoaded = member.loaded.delete(call.program);
    member.loaded.add(call.program);
    for (const old of member.loaded) {
      if (member.loaded.size <= PROGRAMS_KEPT) break;
      this.#drop(member, old);
    }
    const { inputs, transfer } = partInputs(call.inputs, from, to);
    const load = isLoaded ? undefined : call.load;
    const options = partOptions(call, from, to);
    const { program, isGradient } = call;
    host.post({ kind: "part", program, load, inputs, options, isGradient }, transfer);
  }

  #drop(member: Member, program: number): void {
    if (member.loaded.delete(program)) member.host?.post({ kind: "drop", program }, []);
  }

  #ready(member: Member): Promise<void> {
    return new Promise((resolve, reject) => {
      member.whenReady = { resolve, reject };
      this.#startWorker(member);
    });
  }

  #startWorker(member: Member): Host {
    const host = this.#startHost({
      message: (message) => {
        if (member.host === host) this.#take(member, message);
      },
      death: (reason) => {
        if (member.host === host) this.#bury(member, reason);
      },
    });
    member.host = host;
    member.loaded.clear();
    const giveUp = () => this.#dismiss(member, `not ready after ${this.#startTimeMax} ms`);
    member.startTimer = setTimeout(giveUp, Math.min(this.#startTimeMax, TIMER_MAX));
    host.post(this.#start, []);
    return host;
  }

  /** Ends a worker that is of no use. What it was given is treated as if it had died. */
  #dismiss(member: Member, reason: string): void {
    void member.host?.end();
    this.#bury(member, reason);
  }

  #take(member: Member, message: FromWorker): void {
    if (message?.kind !== "ready" && member.startTimer !== undefined) {
      this.#dismiss(member, "its code is not that of a pool's worker");
      return;
    }
    if (message.kind === "ready") {
      stopTimer(member);
      member.whenReady?.resolve();
      member.whenReady = undefined;
      if (member.task === undefined) member.host?.hold(false);
      return;
    }
    const { task } = member;
    if (task === undefined) return;
    member.task = undefined;
    member.host?.hold(false);
    const { call } = task;
    if (call.isOver) this.#forget(call);
    else if (message.kind === "done") this.#note(task, message.part);
    else this.#end(call, unpackError(message.error, call.text.source, call.text.file), false);
    // A program that could not be loaded is not there for the next part.
    if (message.kind === "refused") this.#drop(member, call.program);
    this.#pump();
  }

  /** A worker has died. */
  #bury(member: Member, reason: string): void {
    const { task } = member;
    stopTimer(member);
    member.host = undefined;
    member.task = undefined;
    member.whenReady?.reject(workerError(reason));
    member.whenReady = undefined;
    if (task !== undefined && !task.call.isOver) {
      if (task.tries < TRIES) this.#queue.unshift(task);
      else this.#note(task, deadPart(task.to - task.from));
    }
    this.#pump();
  }

  /** Takes a finished part; the last one ends its call. */
  #note({ call, index }: Task, part: Part): void {
    call.parts[index] = part;
    call.partsLeft -= 1;
    if (call.partsLeft > 0) return;
    this.#close(call);
    call.resolve(call.parts as Part[]);
  }

  /** Ends a call before its time, and, if wanted, the workers that still run parts of it. */
  #end(call: Call, error: NdvmError, endsWorkers: boolean): void {
    if (call.isOver) return;
    this.#close(call);
    for (let i = this.#queue.length - 1; i >= 0; i--)
      if (this.#queue[i]?.call === call) this.#queue.splice(i, 1);
    for (const member of this.#members)
      if (endsWorkers && member.task?.call === call) void this.#endWorker(member);
    call.reject(error);
    if (!this.#isDisposed) this.#pump();
  }

  #close(call: Call): void {
    call.isOver = true;
    call.unlisten();
    this.#calls.delete(call);
    this.#forget(call);
  }

  /** Frees a text's program: nothing that is keyed by text outlives its call. */
  #forget(call: Call): void {
    if (!call.isText) return;
    for (const member of this.#members)
      if (member.task?.call !== call) this.#drop(member, call.program);
  }

  async #endWorker(member: Member): Promise<void> {
    const { host } = member;
    stopTimer(member);
    member.host = undefined;
    member.task = undefined;
    member.loaded.clear();
    await host?.end();
  }
}

function stopTimer(member: Member): void {
  clearTimeout(member.startTimer);
  member.startTimer = undefined;
}

function bindFor(
  { taker, text }: { taker: Parameters<typeof bindInputs>[0]; text: Text },
  inputs: Inputs,
  lanes: number | undefined,
) {
  try {
    return bindInputs(taker, inputs, lanes);
  } catch (error) {
    throw error instanceof NdvmError ? error.in(text.source, text.file) : error;
  }
}

/** Lanes of a part: equal shares, cut finer where each is large. */
function partLanes(lanes: number, workers: number): number {
  const isLarge = lanes >= workers * PARTS_PER_WORKER * PART_LANES;
  const share = Math.ceil(lanes / (workers * (isLarge ? PARTS_PER_WORKER : 1)));
  return Math.ceil(share / PART_STEP) * PART_STEP;
}

/** The options of a run for one of its parts. */
function partOptions({ options, lanes }: Call, from: number, to: number): GradientOptions {
  const { signal: _signal, reduce: _reduce, load: _load, seed, ...rest } = options;
  // Functions cannot travel, and no option is one.
  const sent = Object.entries(rest).filter(([, value]) => typeof value !== "function");
  const own: GradientOptions = { ...recordOf(sent), lanes: to - from };
  return seed === undefined ? own : { ...own, seed: partSeed(seed, lanes, from, to) };
}

function partSeed(seed: Seed, lanes: number, from: number, to: number): Seed {
  if (typeof seed === "number") return seed;
  const count = seed.length / lanes;
  return seed.slice(from * count, to * count);
}

function checkSeed(seed: Seed | undefined, lanes: number): void {
  if (seed === undefined || typeof seed === "number" || seed.length % lanes === 0) return;
  throw new NdvmError("E-INPUT", `the seed has ${seed.length} numbers for ${lanes} lanes`, {
    help: "one number per lane and element, lane after lane",
  });
}

const disposedError = (): NdvmError =>
  new NdvmError("E-DISPOSED", "this pool has been disposed", {
    help: "make another one with machine.pool()",
  });

const abortedError = (text: Text): NdvmError =>
  new NdvmError("E-ABORTED", "the evaluation was aborted by the caller", {
    facts: { reason: "aborted" },
    help: "the signal passed to it fired; the pool can be used again",
    ...text,
  });

const workerError = (reason: string): NdvmError =>
  new NdvmError("E-WORKER", `a worker could not be started: ${reason}`, {
    help: "its code is pool-worker.js of @ndvm/core; workerUrl says where it is",
  });
