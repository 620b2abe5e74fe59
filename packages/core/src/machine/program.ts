/**
 * A loaded program: what a user evaluates and differentiates.
 */

import { NdvmError } from "../errors.js";
import { checkNames } from "../option-names.js";
import type { Image, ParsedProgram, ProcedureInfo } from "../program/parsed-program.js";
import { ImageHeader } from "../program/structures.js";
import {
  type BoundInput,
  type BoundInputs,
  bindInputs,
  copyNumbers,
  ownNumber,
  selectLanes,
} from "./inputs/inputs.js";
import type { Machine } from "./machine.js";
import {
  ASYNC_NAMES,
  checkLoadNames,
  checkRunOptions,
  checkSeedKind,
  checkWrt,
  REPORT_NAMES,
  RUN_NAMES,
} from "./options.js";
import { newReportBudget, reportOf } from "./reports/budget.js";
import { type Diagnostics, DiagnosticsCollector, isPlainTrace } from "./reports/diagnose.js";
import { type Explanation, explainRun } from "./reports/explain.js";
import { runningSpan } from "./reports/sites.js";
import type { ResultArrays } from "./results/results.js";
import { gradientChunk } from "./run/backward.js";
import { Execution } from "./run/execute.js";
import { firstCall } from "./run/first-call.js";
import { Jacobian } from "./run/jacobian.js";
import { Job, type Manner } from "./run/job.js";
import { isPlainCall, isPlainJob, OneCall, type OneResult } from "./run/one-call.js";
import { Outcome } from "./run/outcome.js";
import type { Chunk } from "./run/port.js";
import { Session } from "./run/session.js";
import { Traces } from "./run/traces.js";
import type {
  AsyncGradientOptions,
  AsyncRunOptions,
  Evaluation,
  GradientOptions,
  GradientResult,
  Inputs,
  JacobianResult,
  LoadOptions,
  Precision,
  ReportBudget,
  ReportOptions,
  RunOptions,
  Seed,
} from "./types.js";

/** A run that can be differentiated for any number of seeds. */
export interface Run extends Evaluation {
  /** Gradients of Σ seed · result, per lane: a vector-Jacobian product. */
  backward(seed?: Seed): Readonly<Record<string, Float64Array>>;
}

type OnChunk = (chunk: Chunk) => void;

/** What each way to run a program knows of options. */
const NAMES = {
  evaluate: RUN_NAMES,
  gradient: RUN_NAMES,
  run: RUN_NAMES,
  session: RUN_NAMES,
  jacobian: RUN_NAMES,
  evaluateAsync: ASYNC_NAMES,
  gradientAsync: ASYNC_NAMES,
  diagnose: REPORT_NAMES,
  explain: REPORT_NAMES,
} as const;
type Way = keyof typeof NAMES;

const NO_NAMES: readonly string[] = [];
const NO_CALLS: readonly OneCall[] = [];
/** Runs of a program from which a call is expected to come again, and kinds of calls it keeps. */
const CALLS_FROM = 3;
/** Runs of a program that is called for the first time, and of one whose trace is kept. */
const FIRST_CALLS = 2;
const CALLS_MAX = 4;
/** Milliseconds an asynchronous run keeps the event loop waiting. */
const BREATH = 8;
/** A walk of more steps is not repeated to tell where a number that is not finite comes from. */
const EXPLAIN_STEPS_MAX = 2e6;

export class Program {
  /** The free names of the program, in order of appearance, and the declared ones. */
  readonly inputs: readonly string[];
  readonly source: string;
  readonly file: string | undefined;
  /** How it was loaded, to load it once more elsewhere. */
  readonly loadOptions: LoadOptions;
  /** What is known of its text. @internal */
  readonly parsed: ParsedProgram;
  /** Its index among the machine's programs, which the machine keeps. @internal */
  place = 0;
  readonly #machine: Machine;
  readonly #constants: number;
  readonly #symbols: readonly string[];
  #address: number;
  #runs = 0;
  /** Made when a run looks for traces: many programs run once. */
  #traces: Traces | undefined;
  /** Calls with plain numbers that come again. */
  #calls: readonly OneCall[] = NO_CALLS;
  /** The program of one element, by the name of the input that chooses it. */
  #element: { readonly index: string; readonly program: Program } | undefined;

  /** Made by `machine.load`. @internal */
  constructor(
    machine: Machine,
    parsed: ParsedProgram,
    image: Image,
    address: number,
    source: string,
    options: LoadOptions,
  ) {
    this.#machine = machine;
    this.parsed = parsed;
    this.#address = address;
    this.#constants = new ImageHeader(image, 0).constants;
    this.#symbols = image.symbols;
    this.inputs = parsed.inputs;
    this.source = source;
    this.file = options.file;
    this.loadOptions = options;
    machine.register(this);
  }

  /** Where the image lies in the machine's memory; throws after dispose. @internal */
  get address(): number {
    if (this.#address === 0)
      throw new NdvmError("E-DISPOSED", "this program has been disposed", {
        help: "load it again with machine.load(source)",
      });
    this.#machine.check();
    return this.#address;
  }

  /** Kept traces, for replay. @internal */
  get traces(): Traces {
    this.#traces ??= new Traces(this.#machine.traceSlots);
    return this.#traces;
  }

  /** How many traces are kept. @internal */
  get traceCount(): number {
    return this.#traces === undefined ? 0 : this.#traces.count;
  }

  /** Frees all kept traces. @internal */
  clearTraces(): void {
    this.#traces?.clear();
  }

  /** Of the machine that it was loaded into. */
  get precision(): Precision {
    return this.#machine.precision;
  }

  /** @internal */
  get symbols(): readonly string[] {
    return this.#symbols;
  }

  /** Payload id of the first input; constants come before. @internal */
  get firstInputPayload(): number {
    return this.#constants;
  }

  /** How often the program has run. */
  get runs(): number {
    return this.#runs;
  }

  /** @internal */
  countRun(): void {
    this.#runs += 1;
  }

  /** The program as the machine reads it: made anew, since only messages and moves ask for it. */
  #image(): Image {
    return this.#machine.encode(this.parsed, this.loadOptions);
  }

  /** The procedure at a place, given by its word index in the image. @internal */
  procedureAt(place: number): ProcedureInfo {
    return this.parsed.procedureAt(this.#image().words[place + 1] as number);
  }

  /** Traces that all programs of the machine keep. @internal */
  machineTraces(): number {
    return this.#machine.traceCount();
  }

  /** Writes the image to another place in the machine's memory. @internal */
  moveTo(allocate: (image: Image) => number): void {
    const image = this.#image();
    this.#address = allocate(image);
    this.#machine.writeImage(image, this.#address);
  }

  /** Evaluates the program once for every lane. */
  evaluate(inputs: Inputs = {}, options: RunOptions = {}): Evaluation {
    checkNames("evaluate", options, RUN_NAMES);
    const known = this.#callAgain(inputs, options, NO_NAMES);
    if (known !== undefined) return known;
    const job = this.#prepare("evaluate", inputs, options, NO_NAMES);
    const outcome = this.#explained(job, this.#finish(job));
    this.#noteCall(job, NO_NAMES, outcome);
    return outcome;
  }

  /**
   * As `evaluate` where a number is expected not to be finite: records at once where it comes from,
   * and tells it of the first such lane only.
   * @internal
   */
  evaluateTraced(inputs: Inputs, options: RunOptions): Evaluation {
    const job = this.#prepare("evaluate", inputs, options, NO_NAMES);
    return this.#finish(job, undefined, { isTraced: true, explains: 1 });
  }

  /** As `evaluate`, yielding to the event loop, so that a signal can end it. */
  async evaluateAsync(inputs: Inputs = {}, options: AsyncRunOptions = {}): Promise<Evaluation> {
    const job = this.#prepare("evaluateAsync", inputs, options, NO_NAMES);
    return this.#explained(job, await this.#finishAsync(job, options.signal));
  }

  /** Value and gradients, per lane. */
  gradient<Name extends string = string>(
    inputs: Inputs = {},
    options: GradientOptions<Name> = {},
  ): GradientResult<Name> {
    const known = this.#callAgain(inputs, options);
    if (known !== undefined) return known as GradientResult<Name>;
    // Calls that come again are spared it: going through the names takes 5 % of one.
    checkNames("gradient", options, RUN_NAMES);
    const isFirst = this.#runs < FIRST_CALLS && this.traceCount === 0;
    if (isFirst && isPlainCall(options) && this.address !== 0) {
      const isKept = this.#runs > 0 && options.replay !== false;
      const first = firstCall(this.#machine, this, inputs, options.wrt, isKept);
      if (first !== undefined) return first as GradientResult<Name>;
    }
    const job = this.#prepare("gradient", inputs, options);
    const reached = new Set<string>();
    const finished = this.#finish(job, this.#gradients(job, options.seed, reached));
    const outcome = this.#explained(job, finished);
    this.#noteCall(job, options.wrt, outcome);
    return outcome.withGradients(job, reached, options.reduce) as GradientResult<Name>;
  }

  async gradientAsync<Name extends string = string>(
    inputs: Inputs = {},
    options: AsyncGradientOptions<Name> = {},
  ): Promise<GradientResult<Name>> {
    const job = this.#prepare("gradientAsync", inputs, options);
    const reached = new Set<string>();
    const onChunk = this.#gradients(job, options.seed, reached);
    const outcome = this.#explained(job, await this.#finishAsync(job, options.signal, onChunk));
    return outcome.withGradients(job, reached, options.reduce) as GradientResult<Name>;
  }

  /** Evaluates, and gives a vector-Jacobian product for each call of `backward`. */
  run(inputs: Inputs = {}, options: Omit<GradientOptions, "seed"> = {}): Run {
    const given = this.#prepare("run", inputs, options);
    // The pass comes later: what the caller does to their arrays by then must not matter.
    const job = given.with(given.inputs.map(copyNumbers));
    const evaluation = this.#explained(
      job,
      this.#finish(job, () => {}),
    );
    const backward = (seed?: Seed) => {
      checkSeedKind(seed);
      return this.#finish(job, this.#gradients(job, seed, new Set())).results.gradients;
    };
    return Object.assign(evaluation, { backward });
  }

  /** Binds shapes and lanes once, to run again and again with new numbers. */
  session(inputs: Inputs, options: Omit<GradientOptions, "seed"> = {}): Session {
    checkNames("session", options, RUN_NAMES);
    const given = this.#prepare("session", inputs, options, options.wrt ?? NO_NAMES);
    // What the caller does to their arrays between two runs must not matter.
    const job = given.with(given.inputs.map(copyNumbers));
    // A number that all lanes share is written for a whole vector of them: a single lane needs one.
    return new Session(job.lanes === 1 ? job.with(job.inputs.map(ownNumber)) : job);
  }

  /**
   * As `session`, for inputs that are bound already, in the program's order, and known to fit.
   * @internal
   */
  openSession(
    bound: BoundInputs,
    wanted: readonly boolean[],
    options: Omit<GradientOptions, "seed" | "wrt">,
  ): Session {
    return new Session(new Job(this.#machine, this, bound, wanted, options));
  }

  /** Every output element by every element of the asked-for inputs, per lane. */
  jacobian<Name extends string = string>(
    inputs: Inputs = {},
    options: Omit<GradientOptions<Name>, "seed"> = {},
  ): JacobianResult<Name> {
    const job = this.#prepare("jacobian", inputs, options);
    const jacobian = new Jacobian(job);
    const finished = this.#finish(job, (chunk) => jacobian.take(chunk));
    const evaluation = this.#explained(job, finished);
    const jacobians = jacobian.slopes;
    const result: JacobianResult = Object.assign(evaluation, { jacobians });
    return result;
  }

  /** Memory as large as the machine's, which the reports that are given it share. */
  reportBudget(): ReportBudget {
    return newReportBudget(this.#machine);
  }

  /** Which way each lane goes, and what to be wary of there. Walks the program anew. */
  diagnose(inputs: Inputs = {}, options: ReportOptions = {}): Diagnostics {
    const job = this.#prepare("diagnose", inputs, options);
    const report = reportOf(this.#machine, options);
    const reached = new Set<string>();
    const collector = new DiagnosticsCollector(this.#machine, this, job.lanes, report);
    const gradients = this.#gradients(job, options.seed ?? 1, reached);
    const onChunk = (chunk: Chunk) => {
      collector.take(chunk);
      gradients(chunk);
    };
    const outcome = this.#explained(job, this.#finish(job, onChunk, { notesBranches: true }));
    return collector.finish(outcome.nonFinite, reached);
  }

  /**
   * Whether `diagnose` would find nothing but numbers that are not finite: the program has no branch,
   * and earlier runs came to no test and no clamp.
   * @internal
   */
  get isPlain(): boolean {
    this.#machine.beginRun();
    return !this.parsed.hasBranches && this.traces.every(() => isPlainTrace(this.#machine));
  }

  /** Core forms, tape and activity of one run, of one chunk of lanes. */
  explain(inputs: Inputs = {}, options: ReportOptions = {}): Explanation {
    const job = this.#prepare("explain", inputs, options);
    const report = reportOf(this.#machine, options);
    const reached = new Set<string>();
    this.clearTraces();
    const outcome = this.#finish(job, this.#gradients(job, options.seed ?? 1, reached));
    return explainRun(this.#machine, this, outcome, job.wrt, reached, report);
  }

  /**
   * A part of a larger batch, for a pool or a cluster: returns also where every lane of it failed.
   * Results go `into` arrays that the pool made, where there are some.
   * @internal
   */
  runPart(
    inputs: Inputs,
    options: GradientOptions,
    isGradient: boolean,
    into?: ResultArrays,
  ): { readonly outcome: Outcome; readonly inactive: readonly string[] } {
    const job = this.#prepare("gradient", inputs, options, isGradient ? undefined : NO_NAMES);
    const reached = new Set<string>();
    const onChunk = isGradient ? this.#gradients(job, options.seed, reached) : undefined;
    const outcome = this.#finish(job, onChunk, { isPart: true, into });
    const inactive = job.wrt.map(({ name }) => name).filter((name) => !reached.has(name));
    this.#explained(job, outcome);
    return { outcome, inactive };
  }

  /** Another program on the same machine, with the same domain. */
  loadBeside(source: string, options: LoadOptions = {}): Program {
    checkLoadNames(options);
    const { domain } = this.loadOptions;
    return this.#machine.load(source, domain === undefined ? options : { domain, ...options });
  }

  /**
   * A program whose value is one element of this one's vector; the input `index` says which. It is
   * made once, and disposed together with this program.
   * @internal
   */
  elementBy(index: string): Program {
    void this.address;
    if (this.#element?.index === index) return this.#element.program;
    this.#element?.program.dispose();
    const element = this.parsed.elementBy(index);
    const program = this.#machine.place(element, this.source, this.loadOptions);
    this.#element = { index, program };
    return program;
  }

  /** The program in core forms, which the machine evaluates. */
  printCore(): string {
    return this.parsed.print();
  }

  /** Frees the program's memory. The machine stays usable. */
  dispose(): void {
    if (this.#address === 0) return;
    this.#machine.checkIdle(this);
    this.#element?.program.dispose();
    this.#machine.release(this);
    this.#address = 0;
  }

  /** The result of a plain call whose like has come before; undefined for all others. */
  #callAgain(
    inputs: Inputs,
    options: GradientOptions,
    given?: readonly string[],
  ): OneResult | undefined {
    if (this.#calls.length === 0 || !isPlainCall(options)) return undefined;
    void this.address;
    const wrt = given ?? options.wrt;
    for (const call of this.#calls) if (call.isBy(wrt, options.replay)) return call.run(inputs);
    return undefined;
  }

  /** Makes ready for calls like this one, once a program has run often enough to expect them. */
  #noteCall(job: Job, wrt: readonly string[] | undefined, { results }: Outcome): void {
    if (this.#runs < CALLS_FROM || this.#calls.length === CALLS_MAX) return;
    const isPlain = isPlainCall(job.options) && isPlainJob(job) && results.shape?.length === 0;
    if (
      !isPlain ||
      results.notFinite !== undefined ||
      this.#calls.some((call) => call.isBy(wrt, job.options.replay))
    )
      return;
    this.#calls = [...this.#calls, new OneCall(job, wrt)];
  }

  /** `given` goes before the names to differentiate by of the options. */
  #prepare(way: Way, inputs: Inputs, options: GradientOptions, given?: readonly string[]): Job {
    void this.address;
    checkNames(way, options, NAMES[way]);
    const wrt = given ?? options.wrt;
    checkRunOptions(options);
    checkWrt(wrt);
    try {
      const bound = bindInputs(this.parsed, inputs, options.lanes);
      const wanted = wantedInputs(this.inputs, bound.inputs, wrt);
      return new Job(this.#machine, this, bound, wanted, options);
    } catch (error) {
      throw error instanceof NdvmError ? error.in(this.source, this.file) : error;
    }
  }

  /** Tells where numbers that are not finite come from, if another short walk is needed for it. */
  #explained(job: Job, outcome: Outcome): Outcome {
    const lanes = outcome.results.unexplained;
    if (lanes.length === 0 || outcome.stats.steps > EXPLAIN_STEPS_MAX) return outcome;
    const inputs = job.inputs.map((input) => selectLanes(input, lanes));
    const { chunk: _chunk, timeMax: _timeMax, lanes: _lanes, ...budgets } = job.options;
    const again = job.onlyValues(inputs, lanes.length, budgets);
    const { nonFinite } = this.#finish(again, undefined, { isTraced: true });
    outcome.results.explain(lanes, nonFinite);
    return outcome;
  }

  #gradients({ wrt }: Job, seed: Seed | undefined, reached: Set<string>): OnChunk {
    return (chunk) => gradientChunk(this.#machine, this, wrt, chunk, seed, reached);
  }

  #finish(job: Job, backward?: OnChunk, manner: Manner = {}): Outcome {
    this.#machine.beginRun();
    const execution = new Execution(job, manner, backward);
    execution.run();
    return new Outcome(execution.results, execution.end(), execution.axes);
  }

  async #finishAsync(
    job: Job,
    signal: AbortSignal | undefined,
    backward?: OnChunk,
  ): Promise<Outcome> {
    this.#machine.beginRun();
    const execution = new Execution(job, {}, backward);
    const release = this.#machine.occupy(this);
    try {
      const running = execution.runInSlices();
      if (signal?.aborted) throw this.#aborted(false);
      let since = performance.now();
      while (!running.next().done) {
        if (performance.now() - since < BREATH) continue;
        await new Promise((resolve) => setTimeout(resolve));
        if (signal?.aborted) throw this.#aborted(true);
        since = performance.now();
      }
      return new Outcome(execution.results, execution.end(), execution.axes);
    } finally {
      release();
    }
  }

  #aborted(isRunning: boolean): NdvmError {
    const { source, file } = this;
    return new NdvmError("E-ABORTED", "the evaluation was aborted by the caller", {
      facts: { reason: "aborted" },
      span: isRunning ? runningSpan(this.#machine, this) : undefined,
      help: "the signal passed to it fired; the machine can be used again",
      source,
      file,
    });
  }
}

function allNumbers(bound: readonly BoundInput[]): readonly boolean[] {
  const wanted: boolean[] = [];
  for (const { kind } of bound) wanted.push(kind === "numbers");
  return wanted;
}

/** Of each input, whether gradients are taken by it. */
function wantedInputs(
  names: readonly string[],
  bound: readonly BoundInput[],
  wrt: readonly string[] | undefined,
): readonly boolean[] {
  if (wrt === undefined) return allNumbers(bound);
  for (const name of wrt) {
    const input = bound.find((candidate) => candidate.name === name);
    if (input?.kind === "numbers") continue;
    const why = input === undefined ? "is not an input of the program" : "is an integer";
    throw new NdvmError("E-INPUT", `cannot differentiate by ${name}: it ${why}`, {
      help: `its inputs are ${names.join(", ") || "none"}`,
    });
  }
  const asked = new Set(wrt);
  return bound.map(({ name }) => asked.has(name));
}
