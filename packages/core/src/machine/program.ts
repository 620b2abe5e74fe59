/**
 * A loaded program: what a user evaluates and differentiates.
 *
 * The machine has one set of arenas, so a run's tape lives until the next run of any program on
 * the same machine; results are copied out before that.
 */

import { NdvmError } from "../errors.js";
import type { Image } from "../program/encode.js";
import { IMAGE_CONSTANTS } from "../program/layout.js";
import type { Core, Expansion } from "../syntax/core.js";
import { type Explanation, explainRun } from "./explain.js";
import type { Machine } from "./machine.js";
import { finishAsync, finishSync, type Recorded, startRun } from "./run.js";
import { readAdjoint, writeSeed } from "./seed.js";
import type {
  AsyncGradientOptions,
  AsyncRunOptions,
  Evaluation,
  GradientOptions,
  GradientResult,
  Inputs,
  JacobianResult,
  RunOptions,
  Seed,
} from "./types.js";

/** A run whose tape can be replayed backward, any number of times, until the next run. */
export interface Run extends Evaluation {
  /** Gradients of Σ seed · result, per lane. */
  backward(seed?: Seed): Readonly<Record<string, Float64Array>>;
}

export class Program {
  /** The free names of the program, in order of appearance, and the declared ones. */
  readonly inputs: readonly string[];
  readonly source: string;
  readonly file: string | undefined;
  readonly #machine: Machine;
  readonly #expansion: Expansion;
  readonly #image: Image;
  readonly #constants: number;
  #address: number;

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

  /** Evaluates the program once for every lane. */
  evaluate(inputs: Inputs = {}, options: RunOptions = {}): Evaluation {
    const run = startRun(this.#machine, this, inputs, [], options);
    return finishSync(run, options);
  }

  /** As `evaluate`, yielding to the event loop, so that a signal can end it. */
  async evaluateAsync(inputs: Inputs = {}, options: AsyncRunOptions = {}): Promise<Evaluation> {
    const run = startRun(this.#machine, this, inputs, [], options);
    return finishAsync(run, options);
  }

  /** Value and gradients, per lane. */
  gradient(inputs: Inputs = {}, options: GradientOptions = {}): GradientResult {
    const run = startRun(this.#machine, this, inputs, options.wrt, options);
    const recorded = finishSync(run, options);
    return withGradients(recorded, options.seed);
  }

  async gradientAsync(
    inputs: Inputs = {},
    options: AsyncGradientOptions = {},
  ): Promise<GradientResult> {
    const run = startRun(this.#machine, this, inputs, options.wrt, options);
    const recorded = await finishAsync(run, options);
    return withGradients(recorded, options.seed);
  }

  /** Evaluates and keeps the tape: a vector-Jacobian product for each call of `backward`. */
  run(inputs: Inputs = {}, options: Omit<GradientOptions, "seed"> = {}): Run {
    const recorded = finishSync(
      startRun(this.#machine, this, inputs, options.wrt, options),
      options,
    );
    return Object.assign(recorded, {
      backward: (seed?: Seed) => gradientsOf(recorded, seed),
    });
  }

  /** Every output element by every element of the asked-for inputs, per lane. */
  jacobian(inputs: Inputs = {}, options: Omit<GradientOptions, "seed"> = {}): JacobianResult {
    const recorded = finishSync(
      startRun(this.#machine, this, inputs, options.wrt, options),
      options,
    );
    return Object.assign(recorded, { jacobians: jacobiansOf(recorded) });
  }

  /** Core forms, tape and activity of one run. */
  explain(inputs: Inputs = {}, options: GradientOptions = {}): Explanation {
    const recorded = finishSync(
      startRun(this.#machine, this, inputs, options.wrt, options),
      options,
    );
    return explainRun(this.#machine, this, recorded);
  }

  /** Frees the program's memory. The machine stays usable. */
  dispose(): void {
    if (this.#address === 0) return;
    this.#machine.release(this.#address);
    this.#address = 0;
  }
}

function gradientsOf(recorded: Recorded, seed: Seed | undefined): Record<string, Float64Array> {
  writeSeed(recorded, seed);
  recorded.backwardPass();
  return readAll(recorded);
}

function readAll(recorded: Recorded): Record<string, Float64Array> {
  const gradients: Record<string, Float64Array> = {};
  for (const input of recorded.wrt) gradients[input.name] = readAdjoint(recorded, input);
  return gradients;
}

function withGradients(recorded: Recorded, seed: Seed | undefined): GradientResult {
  const gradients = gradientsOf(recorded, seed);
  const inactive = recorded.inactiveInputs(gradients);
  return Object.assign(recorded, { gradients, inactive });
}

function jacobiansOf(recorded: Recorded): Record<string, Float64Array> {
  const { lanes } = recorded;
  const outputs = recorded.values.length / lanes;
  const jacobians: Record<string, Float64Array> = {};
  for (const { name, count } of recorded.wrt)
    jacobians[name] = new Float64Array(lanes * outputs * count);
  for (let e = 0; e < outputs; e++) {
    const seed = new Float64Array(lanes * outputs);
    for (let lane = 0; lane < lanes; lane++) seed[lane * outputs + e] = 1;
    const gradients = gradientsOf(recorded, seed);
    for (const { name, count } of recorded.wrt) {
      const from = gradients[name] as Float64Array;
      const into = jacobians[name] as Float64Array;
      for (let lane = 0; lane < lanes; lane++)
        into.set(from.subarray(lane * count, (lane + 1) * count), (lane * outputs + e) * count);
    }
  }
  return jacobians;
}
