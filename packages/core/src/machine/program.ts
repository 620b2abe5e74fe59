/**
 * A loaded program: what a user evaluates and differentiates.
 */

import { NdvmError } from "../errors.js";
import type { Image } from "../program/encode.js";
import { IMAGE_CONSTANTS } from "../program/layout.js";
import type { Core, Expansion, LambdaNode } from "../syntax/core.js";
import { backwardChunk, gradientChunk, readGradient } from "./backward.js";
import { type Chunk, Execution } from "./execute.js";
import { type Explanation, explainRun } from "./explain.js";
import { type Bound, bindInputs } from "./inputs.js";
import type { Machine } from "./machine.js";
import type { RecordedInput, Results } from "./results.js";
import { Session } from "./session.js";
import { Traces } from "./traces.js";
import type {
  AsyncGradientOptions,
  AsyncRunOptions,
  DatumValue,
  Evaluation,
  GradientOptions,
  GradientResult,
  Inputs,
  JacobianResult,
  RunOptions,
  RunStats,
  Seed,
} from "./types.js";

/** A run that can be differentiated for any number of seeds. */
export interface Run extends Evaluation {
  /** Gradients of Σ seed · result, per lane: a vector-Jacobian product. */
  backward(seed?: Seed): Readonly<Record<string, Float64Array>>;
}

/** What a run needs besides the numbers. */
interface Prepared {
  readonly inputs: readonly Bound[];
  readonly lanes: number;
  readonly wanted: ReadonlySet<string>;
  readonly wrt: readonly RecordedInput[];
}

type OnChunk = (chunk: Chunk) => void;

export class Program {
  /** The free names of the program, in order of appearance, and the declared ones. */
  readonly inputs: readonly string[];
  readonly source: string;
  readonly file: string | undefined;
  /** Kept traces, for replay. */
  readonly traces: Traces;
  readonly #machine: Machine;
  readonly #expansion: Expansion;
  readonly #image: Image;
  readonly #constants: number;
  #address: number;
  #runs = 0;

  /** Made by `machine.load`. */
  constructor(
    machine: Machine,
    expansion: Expansion,
    image: Image,
    address: number,
    text: { readonly source: string; readonly file: string | undefined },
  ) {
    this.#machine = machine;
    this.#expansion = expansion;
    this.#image = image;
    this.#address = address;
    this.#constants = image.words[IMAGE_CONSTANTS] as number;
    this.inputs = expansion.inputs;
    this.source = text.source;
    this.file = text.file;
    this.traces = new Traces(machine.exports, machine.parking);
    machine.register(this.traces);
  }

  /** Where the image lies in the machine's memory; throws after dispose. */
  get address(): number {
    if (this.#address === 0)
      throw new NdvmError("E-DISPOSED", "this program has been disposed", {
        help: "load it again with machine.load(source)",
      });
    this.#machine.check();
    return this.#address;
  }

  get nodes(): readonly Core[] {
    return this.#expansion.nodes;
  }

  get expansion(): Expansion {
    return this.#expansion;
  }

  get symbols(): readonly string[] {
    return this.#image.symbols;
  }

  /** Payload id of the first input; constants come before. */
  get firstInputPayload(): number {
    return this.#constants;
  }

  /** How often the program has run. */
  get runs(): number {
    return this.#runs;
  }

  countRun(): void {
    this.#runs += 1;
  }

  /** The lambda whose cell has the given word index in the image. */
  lambdaAt(cell: number): LambdaNode {
    return this.nodes[this.#image.words[cell + 1] as number] as LambdaNode;
  }

  /** Traces that all programs of the machine keep. */
  machineTraces(): number {
    return this.#machine.traceCount();
  }

  /** Frees the traces of all programs of the machine: memory is short. */
  dropAllTraces(): void {
    this.#machine.dropTraces();
  }

  /** Evaluates the program once for every lane. */
  evaluate(inputs: Inputs = {}, options: RunOptions = {}): Evaluation {
    const prepared = this.#prepare(inputs, [], options);
    return this.#finish(this.#start(prepared, options, undefined));
  }

  /** As `evaluate`, yielding to the event loop, so that a signal can end it. */
  async evaluateAsync(inputs: Inputs = {}, options: AsyncRunOptions = {}): Promise<Evaluation> {
    const prepared = this.#prepare(inputs, [], options);
    return this.#finishAsync(this.#start(prepared, options, undefined), options.signal);
  }

  /** Value and gradients, per lane. */
  gradient(inputs: Inputs = {}, options: GradientOptions = {}): GradientResult {
    const prepared = this.#prepare(inputs, options.wrt, options);
    const reached = new Set<string>();
    const onChunk = this.#gradients(prepared, options.seed, reached);
    const evaluation = this.#finish(this.#start(prepared, options, onChunk));
    return withGradients(evaluation, prepared, reached);
  }

  async gradientAsync(
    inputs: Inputs = {},
    options: AsyncGradientOptions = {},
  ): Promise<GradientResult> {
    const prepared = this.#prepare(inputs, options.wrt, options);
    const reached = new Set<string>();
    const onChunk = this.#gradients(prepared, options.seed, reached);
    const execution = this.#start(prepared, options, onChunk);
    return withGradients(await this.#finishAsync(execution, options.signal), prepared, reached);
  }

  /** Evaluates, and gives a vector-Jacobian product for each call of `backward`. */
  run(inputs: Inputs = {}, options: Omit<GradientOptions, "seed"> = {}): Run {
    const prepared = this.#prepare(inputs, options.wrt, options);
    const evaluation = this.#finish(this.#start(prepared, options, () => {}));
    const backward = (seed?: Seed) => {
      const onChunk = this.#gradients(prepared, seed, new Set());
      return this.#finish(this.#start(prepared, options, onChunk)).results.gradients;
    };
    return Object.assign(evaluation, { backward });
  }

  /** Binds shapes and lanes once, to run again and again with new numbers. */
  session(inputs: Inputs, options: Omit<GradientOptions, "seed"> = {}): Session {
    const prepared = this.#prepare(inputs, options.wrt ?? [], options);
    return new Session({
      machine: this.#machine,
      program: this,
      ...prepared,
      options: { ...options, wrt: options.wrt ?? [] },
      given: inputs,
    });
  }

  /** Every output element by every element of the asked-for inputs, per lane. */
  jacobian(inputs: Inputs = {}, options: Omit<GradientOptions, "seed"> = {}): JacobianResult {
    const prepared = this.#prepare(inputs, options.wrt, options);
    const jacobians: Record<string, Float64Array> = {};
    const onChunk = (chunk: Chunk) => this.#jacobianChunk(prepared, chunk, jacobians);
    const evaluation = this.#finish(this.#start(prepared, options, onChunk));
    return Object.assign(evaluation, { jacobians });
  }

  /** Core forms, tape and activity of one run, of one chunk of lanes. */
  explain(inputs: Inputs = {}, options: GradientOptions = {}): Explanation {
    const prepared = this.#prepare(inputs, options.wrt, options);
    const reached = new Set<string>();
    this.traces.clear();
    const onChunk = (chunk: Chunk) =>
      gradientChunk(this.#machine, this, prepared.wrt, chunk, options.seed ?? 1, reached);
    const evaluation = this.#finish(this.#start(prepared, options, onChunk));
    return explainRun(this.#machine, this, evaluation, prepared.wrt, reached);
  }

  /** Frees the program's memory. The machine stays usable. */
  dispose(): void {
    if (this.#address === 0) return;
    this.#machine.release(this.#address, this.traces);
    this.#address = 0;
  }

  #prepare(inputs: Inputs, wrt: readonly string[] | undefined, options: RunOptions): Prepared {
    void this.address;
    checkOptions(options);
    try {
      const { inputs: bound, lanes } = bindInputs(this.inputs, inputs, options.lanes);
      const wanted = wantedInputs(this.inputs, bound, wrt);
      return { inputs: bound, lanes, wanted, wrt: this.#recordedInputs(bound, wanted) };
    } catch (error) {
      throw error instanceof NdvmError ? error.in(this.source, this.file) : error;
    }
  }

  #recordedInputs(bound: readonly Bound[], wanted: ReadonlySet<string>): RecordedInput[] {
    const recorded: RecordedInput[] = [];
    let payload = this.#constants;
    for (const { kind, name, rows, cols } of bound) {
      if (kind === "int") continue;
      if (wanted.has(name)) recorded.push({ name, payload, count: rows * cols });
      payload += 1;
    }
    return recorded;
  }

  #start(prepared: Prepared, options: RunOptions, backward: OnChunk | undefined): Execution {
    const machine = this.#machine;
    machine.beginRun();
    return new Execution({ machine, program: this, ...prepared, options, backward });
  }

  #gradients(prepared: Prepared, seed: Seed | undefined, reached: Set<string>): OnChunk {
    return (chunk) => gradientChunk(this.#machine, this, prepared.wrt, chunk, seed, reached);
  }

  #jacobianChunk(prepared: Prepared, chunk: Chunk, into: Record<string, Float64Array>): void {
    const { results } = chunk;
    const outputs = results.values.length / results.lanes;
    for (const { name, count } of prepared.wrt)
      into[name] ??= new Float64Array(results.lanes * outputs * count).fill(Number.NaN);
    for (let e = 0; e < outputs; e++) {
      backwardChunk(this.#machine, this, chunk, (_lane, element) => (element === e ? 1 : 0));
      for (const input of prepared.wrt) {
        const target = into[input.name] as Float64Array;
        const { count } = input;
        readGradient(this.#machine, chunk, input, target, outputs * count, e * count);
      }
    }
  }

  #finish(execution: Execution): Outcome {
    for (const _pause of execution.run());
    return new Outcome(execution.results, execution.stats());
  }

  async #finishAsync(execution: Execution, signal: AbortSignal | undefined): Promise<Outcome> {
    const release = this.#machine.occupy();
    try {
      const running = execution.run();
      while (true) {
        if (signal?.aborted) throw this.#aborted();
        if (running.next().done) return new Outcome(execution.results, execution.stats());
        await new Promise((resolve) => setTimeout(resolve));
      }
    } finally {
      release();
    }
  }

  #aborted(): NdvmError {
    const { source, file } = this;
    return new NdvmError("E-ABORTED", "the evaluation was aborted by the caller", { source, file });
  }
}

/** A finished run as the caller sees it. */
export class Outcome implements Evaluation {
  readonly results: Results;
  readonly stats: RunStats;

  constructor(results: Results, stats: RunStats) {
    this.results = results;
    this.stats = stats;
  }

  get lanes(): number {
    return this.results.lanes;
  }

  get shape(): readonly number[] | undefined {
    return this.results.shape;
  }

  get values(): Float64Array {
    return this.results.values;
  }

  get failures() {
    return this.results.failures;
  }

  get nonFinite() {
    return this.results.nonFinite;
  }

  datum(lane = 0): DatumValue {
    this.#checkLane(lane);
    return this.results.datum(lane);
  }

  print(lane = 0): string {
    this.#checkLane(lane);
    return this.results.print(lane);
  }

  #checkLane(lane: number): void {
    if (!Number.isInteger(lane) || lane < 0 || lane >= this.lanes)
      throw new NdvmError("E-OPTION", `there is no lane ${lane}: the run has ${this.lanes}`);
  }
}

function withGradients(
  outcome: Outcome,
  { wrt }: Prepared,
  reached: ReadonlySet<string>,
): GradientResult {
  const inactive = wrt.map(({ name }) => name).filter((name) => !reached.has(name));
  return Object.assign(outcome, { gradients: outcome.results.gradients, inactive });
}

function checkOptions(options: RunOptions): void {
  for (const name of ["stepsMax", "tapeBytesMax", "timeMax", "chunk"] as const) {
    const value = options[name];
    if (value !== undefined && !(value > 0))
      throw new NdvmError("E-OPTION", `${name} must be a number above 0, got ${value}`);
  }
}

function wantedInputs(
  names: readonly string[],
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
      help: `its inputs are ${names.join(", ") || "none"}`,
    });
  }
  return new Set(wrt);
}
