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

import { type ErrorFacts, NdvmError, unpackError } from "../../errors.js";
import { checkNames, namesOf } from "../../option-names.js";
import { own, recordOf } from "../../records.js";
import { Crew, type Death } from "../../workers/crew.js";
import {
  coreCount,
  hostStarter,
  type StartHost,
  sharesMemory,
  type WorkerCode,
} from "../../workers/host.js";
import { type BoundInput, bindInputs, copyNumbers } from "../inputs/inputs.js";
import { readProgram } from "../languages.js";
import { ASYNC_NAMES, badOption, checkLoadNames, checkRunOptions, checkWrt } from "../options.js";
import type { Program } from "../program.js";
import { reduceGradients } from "../results/sums.js";
import type {
  AsyncGradientOptions,
  AsyncRunOptions,
  Axis,
  Evaluation,
  GradientResult,
  Inputs,
  LoadOptions,
  Seed,
} from "../types.js";
import { commonInactive, joinArrays, PoolOutcome, type Text } from "./outcome.js";
import type { FromWorker, Start, ToWorker } from "./parts.js";
import { InputRoom } from "./shared.js";
import { SharedWork } from "./shared-work.js";
import { CopiedWork, type Order, sentOptions, type Work } from "./work.js";

export interface PoolOptions {
  /** How many workers. Default: the number of cores. */
  readonly workers?: number;
  /** Where the worker's code is, for pages whose bundler does not find it by itself. */
  readonly workerUrl?: URL | string;
  /** Most milliseconds that a worker may take to start. Default 60,000. */
  readonly startTimeMax?: number;
  /**
   * Whether numbers lie in memory that all workers share, or are copied to workers and moved back.
   * Default: they are shared in Node, and on pages that are cross-origin isolated.
   */
  readonly sharedMemory?: boolean;
}

/** Options of a run in a pool; `load` is for programs given as text. */
export type PoolRunOptions = AsyncRunOptions & { readonly load?: LoadOptions };
export type PoolGradientOptions<Name extends string = string> = AsyncGradientOptions<Name> & {
  readonly load?: LoadOptions;
};

const POOL_NAMES = namesOf<PoolOptions>({
  workers: 1,
  workerUrl: 1,
  startTimeMax: 1,
  sharedMemory: 1,
});
const CALL_NAMES = new Set([...ASYNC_NAMES, "load"]);

const WORKERS_MAX = 1024;
/** Programs that a worker keeps; the one that was not used for longest goes first. */
const PROGRAMS_KEPT = 32;
const START_TIME_MAX = 60_000;

/** What workers must know of a program, and its input names. */
interface Described {
  readonly program: number;
  readonly isText: boolean;
  readonly load: { readonly source: string; readonly options: LoadOptions };
  readonly text: Text;
  readonly taker: Parameters<typeof bindInputs>[0];
  /** Numbers of a lane's value when the program ran last; 1 for a program that has not. */
  readonly count: number;
}

/** One call of evaluate or gradient. */
interface Call extends Omit<Described, "taker"> {
  readonly inputs: readonly BoundInput[];
  readonly lanes: number;
  readonly axes: readonly Axis[];
  readonly work: Work;
  isOver: boolean;
  /** Takes the listener off the caller's signal. */
  unlisten: () => void;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** What a place's worker does and knows. */
interface Member {
  call: Call | undefined;
  /** Programs that the worker has loaded, least recently used first. */
  readonly loaded: Set<number>;
  whenReady: { readonly resolve: () => void; readonly reject: (error: Error) => void } | undefined;
}

export class Pool {
  /** How many workers the pool has. */
  readonly workers: number;
  /** Whether numbers lie in memory that all workers share. */
  readonly sharedMemory: boolean;
  readonly #crew: Crew<ToWorker, FromWorker>;
  readonly #members: readonly Member[];
  /** In the order in which they came. */
  readonly #calls = new Set<Call>();
  readonly #known = new WeakMap<Program, { readonly id: number; count: number }>();
  readonly #room = new InputRoom();
  /** Of each machine, and of what is read of results. */
  readonly #memoryMax: number;
  #lastId = 0;
  #isDisposed = false;

  /** Made by `machine.pool`; resolves once all workers are ready. */
  static async create(
    start: Pick<Start, "module" | "options">,
    options: PoolOptions = {},
  ): Promise<Pool> {
    checkNames("pool", options, POOL_NAMES);
    const workers = options.workers ?? (await coreCount());
    if (!Number.isInteger(workers) || workers < 1 || workers > WORKERS_MAX)
      throw badOption("workers", `a whole number from 1 to ${WORKERS_MAX}`, workers);
    const { startTimeMax = START_TIME_MAX, sharedMemory = sharesMemory() } = options;
    if (!(typeof startTimeMax === "number" && startTimeMax > 0))
      throw badOption("startTimeMax", "a number of milliseconds above 0", startTimeMax);
    if (typeof sharedMemory !== "boolean" || (sharedMemory && !sharesMemory()))
      throw badOption("sharedMemory", sharedMemoryWanted(), sharedMemory);
    const startHost = await hostStarter(workerCode(options.workerUrl));
    const settings = { workers, startTimeMax, sharedMemory };
    const pool = new Pool(settings, startHost, {
      kind: "start",
      ...start,
      hasOthers: workers > 1,
    });
    try {
      await Promise.all(pool.#members.map((_, place) => pool.#ready(place)));
    } catch (error) {
      await pool.dispose();
      throw error;
    }
    return pool;
  }

  private constructor(
    settings: { workers: number; startTimeMax: number; sharedMemory: boolean },
    startHost: StartHost,
    start: Start,
  ) {
    const { workers, startTimeMax, sharedMemory } = settings;
    this.workers = workers;
    this.sharedMemory = sharedMemory;
    this.#memoryMax = start.options.memoryMax ?? Infinity;
    this.#members = Array.from({ length: workers }, () => ({
      call: undefined,
      loaded: new Set<number>(),
      whenReady: undefined,
    }));
    this.#crew = new Crew<ToWorker, FromWorker>({
      workers,
      startHost,
      startTimeMax,
      first: () => start,
      ready: (place) => this.#welcome(place),
      message: (place, message) => this.#take(place, message),
      death: (place, death) => this.#bury(place, death),
    });
  }

  /** As `program.evaluate`, on all workers. A program given as text is loaded for this call. */
  async evaluate(
    program: Program | string,
    inputs: Inputs = {},
    options: PoolRunOptions = {},
  ): Promise<Evaluation> {
    return this.#outcome(await this.#run(program, inputs, options, false));
  }

  /** As `program.gradient`, on all workers. */
  async gradient<Name extends string = string>(
    program: Program | string,
    inputs: Inputs = {},
    options: PoolGradientOptions<Name> = {},
  ): Promise<GradientResult<Name>> {
    const call = await this.#run(program, inputs, options, true);
    const outcome = this.#outcome(call);
    const { parts, allLanes } = call.work;
    const { reduce = false } = options;
    const wrt: readonly string[] | undefined = options.wrt;
    const counted = call.inputs.filter(
      ({ kind, name }) => kind === "numbers" && (wrt === undefined || wrt.includes(name)),
    );
    const joined = ({ name, rows, cols }: BoundInput): Float64Array =>
      joinArrays(parts, rows * cols, ({ gradients }) => own(gradients, name));
    const perLane =
      allLanes?.gradients ?? recordOf(counted.map((input) => [input.name, joined(input)]));
    const reduced =
      reduce === false ? undefined : reduceGradients(perLane, call.axes, call.inputs, reduce);
    const gradients = (reduced?.gradients ?? perLane) as GradientResult<Name>["gradients"];
    return Object.assign(outcome, { gradients, reduced, inactive: commonInactive(parts) });
  }

  /** Ends all workers. Calls under way are refused. */
  async dispose(): Promise<void> {
    this.#isDisposed = true;
    for (const call of this.#calls) {
      this.#close(call);
      call.reject(disposedError());
    }
    for (const member of this.#members) {
      member.whenReady?.reject(disposedError());
      member.whenReady = undefined;
    }
    await this.#crew.dispose();
  }

  #outcome({ work, lanes, axes, text }: Call): PoolOutcome {
    return new PoolOutcome(work.parts, lanes, axes, text, work.allLanes, this.#memoryMax);
  }

  async #run(
    program: Program | string,
    inputs: Inputs,
    options: PoolGradientOptions,
    isGradient: boolean,
  ): Promise<Call> {
    if (this.#isDisposed) throw disposedError();
    checkNames(isGradient ? "gradient" : "evaluate", options, CALL_NAMES);
    checkRunOptions(options);
    checkWrt(options.wrt);
    const { taker, ...described } = this.#describe(program, options.load ?? {});
    const bound = bindFor(taker, described.text, inputs, options.lanes);
    checkSeed(options.seed, bound.lanes);
    const { signal } = options;
    if (signal?.aborted) throw abortedError(described.text);
    const order: Order = {
      program: described.program,
      inputs: bound.inputs,
      lanes: bound.lanes,
      options: sentOptions({ ...options }),
      isGradient,
    };
    const work = this.#workOf(order, described.count);
    let call: Call | undefined;
    await new Promise<void>((resolve, reject) => {
      call = { ...described, ...bound, work, isOver: false, unlisten: () => {}, resolve, reject };
      this.#begin(call, signal);
    });
    const done = call as unknown as Call;
    if (typeof program !== "string") this.#remember(program, done);
    return done;
  }

  #workOf(order: Order, count: number): Work {
    if (this.sharedMemory) return new SharedWork(order, this.workers, count, this.#room);
    const { seed } = order.options;
    const options =
      typeof seed === "object" ? { ...order.options, seed: seed.slice() } : order.options;
    const copied = { ...order, options, inputs: order.inputs.map(copyNumbers) };
    return new CopiedWork(copied, this.workers);
  }

  #describe(program: Program | string, options: LoadOptions): Described {
    if (typeof program !== "string") {
      void program.address;
      const { source, file, loadOptions, parsed } = program;
      const known = this.#known.get(program) ?? { id: this.#nextId(), count: 1 };
      this.#known.set(program, known);
      const { id, count } = known;
      const load = { source, options: loadOptions };
      return { program: id, isText: false, load, text: { source, file }, taker: parsed, count };
    }
    checkLoadNames(options);
    const text = { source: program, file: options.file };
    try {
      const taker = readProgram(program, options, this.#memoryMax);
      const load = { source: program, options };
      return { program: this.#nextId(), isText: true, load, text, taker, count: 1 };
    } catch (error) {
      throw error instanceof NdvmError ? error.in(text.source, text.file) : error;
    }
  }

  /** Results of the next call go straight to where they are read. */
  #remember(program: Program, { work }: Call): void {
    const known = this.#known.get(program);
    const shape = work.parts.find((part) => part.shape !== undefined)?.shape;
    if (known !== undefined && shape !== undefined) known.count = shape.reduce((a, b) => a * b, 1);
  }

  #nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  #begin(call: Call, signal: AbortSignal | undefined): void {
    const abort = () => this.#end(call, abortedError(call.text), true);
    signal?.addEventListener("abort", abort);
    call.unlisten = () => signal?.removeEventListener("abort", abort);
    this.#calls.add(call);
    this.#pump();
  }

  /** Gives idle workers something to do: of the first call that has something for them. */
  #pump(): void {
    for (const [place, member] of this.#members.entries()) {
      if (member.call !== undefined) continue;
      if (![...this.#calls].some((call) => this.#give(place, member, call))) return;
    }
  }

  #give(place: number, member: Member, call: Call): boolean {
    const request = call.work.request(place);
    if (request === undefined) return false;
    if (!this.#crew.has(place)) this.#startWorker(place);
    member.call = call;
    this.#crew.hold(place, true);
    const isLoaded = member.loaded.delete(call.program);
    member.loaded.add(call.program);
    for (const old of member.loaded) {
      if (member.loaded.size <= PROGRAMS_KEPT) break;
      this.#drop(place, old);
    }
    const load = isLoaded ? undefined : call.load;
    this.#crew.post(place, { ...request.message, load }, request.transfer);
    return true;
  }

  #drop(place: number, program: number): void {
    if (this.#members[place]?.loaded.delete(program))
      this.#crew.post(place, { kind: "drop", program });
  }

  #ready(place: number): Promise<void> {
    return new Promise((resolve, reject) => {
      (this.#members[place] as Member).whenReady = { resolve, reject };
      this.#startWorker(place);
    });
  }

  #startWorker(place: number): void {
    this.#members[place]?.loaded.clear();
    this.#crew.start(place);
  }

  #welcome(place: number): void {
    const member = this.#members[place] as Member;
    member.whenReady?.resolve();
    member.whenReady = undefined;
    if (member.call === undefined) this.#crew.hold(place, false);
  }

  #take(place: number, message: FromWorker): void {
    const member = this.#members[place] as Member;
    const { call } = member;
    if (call === undefined) return;
    member.call = undefined;
    this.#crew.hold(place, false);
    if (call.isOver) this.#forget(call);
    else if (message.kind === "refused")
      this.#end(call, unpackError(message.error, call.text.source, call.text.file), false);
    else {
      call.work.take(place, message);
      this.#settle(call);
    }
    // A program that could not be loaded is not there for the next part.
    if (message.kind === "refused") this.#drop(place, call.program);
    this.#pump();
  }

  /** A worker has died. Another is started when there is work for it. */
  #bury(place: number, { message, facts, wasReady }: Death): void {
    const member = this.#members[place] as Member;
    const { call } = member;
    member.call = undefined;
    member.whenReady?.reject(workerError(message, facts));
    member.whenReady = undefined;
    if (call !== undefined && !call.isOver) {
      call.work.bury(place, wasReady);
      this.#settle(call);
    }
    this.#pump();
  }

  /** Ends a call whose work is done. */
  #settle(call: Call): void {
    if (!call.work.isDone) return;
    this.#close(call);
    call.resolve();
  }

  /** Ends a call before its time, and, if wanted, the workers that still run parts of it. */
  #end(call: Call, error: NdvmError, endsWorkers: boolean): void {
    this.#close(call);
    for (const [place, member] of this.#members.entries()) {
      if (!endsWorkers || member.call !== call) continue;
      member.call = undefined;
      void this.#crew.end(place);
    }
    call.reject(error);
    this.#pump();
  }

  #close(call: Call): void {
    call.isOver = true;
    call.unlisten();
    call.work.close();
    this.#calls.delete(call);
    this.#forget(call);
  }

  /** Frees a text's program: nothing that is keyed by text outlives its call. */
  #forget(call: Call): void {
    if (!call.isText) return;
    for (const [place, member] of this.#members.entries())
      if (member.call !== call) this.#drop(place, call.program);
  }
}

/** Where the worker's code is. Sources that run as TypeScript use the built one. */
function workerCode(given: URL | string | undefined): WorkerCode {
  if (given !== undefined) return { url: new URL(given, import.meta.url) };
  const isSource = import.meta.url.split("?")[0]?.endsWith(".ts") ?? false;
  const path = isSource ? "../../../dist/machine/pool-worker.js" : "../pool-worker.js";
  const url = new URL(/* @vite-ignore */ path, import.meta.url);
  if (isSource) return { url };
  // Bundlers look for exactly this expression.
  const web = () => new Worker(new URL("../pool-worker.js", import.meta.url), { type: "module" });
  return { url, web };
}

const sharedMemoryWanted = (): string =>
  sharesMemory() ? "true or false" : "false: this page is not cross-origin isolated";

function bindFor(taker: Described["taker"], text: Text, inputs: Inputs, lanes: number | undefined) {
  try {
    return bindInputs(taker, inputs, lanes);
  } catch (error) {
    throw error instanceof NdvmError ? error.in(text.source, text.file) : error;
  }
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

const workerError = (reason: string, facts: ErrorFacts): NdvmError =>
  new NdvmError("E-WORKER", `a worker could not be started: ${reason}`, {
    facts,
    help: "its code is pool-worker.js of @ndvm/core; workerUrl says where it is",
  });
