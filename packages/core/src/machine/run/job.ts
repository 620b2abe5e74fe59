/**
 * A job: a program with its inputs bound, and the limits it runs under. Runs, sessions, walks and
 * replays all take this one shape.
 *
 * It also says which inputs are numbers and where they lie: integers become values of the program,
 * all others payloads, numbered from the program's first input payload in the order of the inputs.
 */

import type { BoundInput, BoundInputs } from "../inputs/inputs.js";
import type { Machine } from "../machine.js";
import type { Program } from "../program.js";
import type { RecordedInput, ResultArrays } from "../results/results.js";
import type { Axis, RunOptions } from "../types.js";
import { extend, mark, NO_INPUTS } from "./signature.js";

/** An input that is not an integer, its place among all inputs, and its payload. */
export interface NumberInput {
  readonly input: BoundInput;
  readonly index: number;
  readonly payload: number;
}

/** An integer input and its place among all inputs. */
interface IntegerInput {
  readonly value: number;
  readonly index: number;
}

/** Ways of running that the caller's options do not choose. */
export interface Manner {
  /** Whether these are lanes of a larger run, which says what it means if all of them fail. */
  readonly isPart?: boolean;
  /** Where the results go; undefined: into arrays of their own. */
  readonly into?: ResultArrays | undefined;
  /** Whether everything is recorded, to tell where numbers come from. */
  readonly isTraced?: boolean;
  /** Of how many lanes that are not finite the cause is looked for. */
  readonly explains?: number;
  /** Whether branches leave notes on the tape; such a run is walked and keeps no trace. */
  readonly notesBranches?: boolean;
  /** Whether the same lanes will run again: a session's do. */
  readonly isRepeated?: boolean;
}

const NOTHING_WANTED: readonly boolean[] = [];
const NO_INTEGERS: readonly IntegerInput[] = [];

export class Job {
  readonly machine: Machine;
  readonly program: Program;
  readonly inputs: readonly BoundInput[];
  readonly lanes: number;
  readonly axes: readonly Axis[];
  /** Of each input, whether gradients are taken by it. */
  readonly wanted: readonly boolean[];
  readonly options: RunOptions;
  #numbers: readonly NumberInput[] | undefined;
  #integers: readonly IntegerInput[] = NO_INTEGERS;
  #wrt: readonly RecordedInput[] | undefined;
  #signature: string | undefined;

  constructor(
    machine: Machine,
    program: Program,
    { inputs, lanes, axes }: BoundInputs,
    wanted: readonly boolean[],
    options: RunOptions,
  ) {
    this.machine = machine;
    this.program = program;
    this.inputs = inputs;
    this.lanes = lanes;
    this.axes = axes;
    this.wanted = wanted;
    this.options = options;
  }

  /** The same job for other inputs of the same kinds. */
  with(inputs: readonly BoundInput[], lanes = this.lanes, options = this.options): Job {
    const { machine, program, axes, wanted } = this;
    return new Job(machine, program, { inputs, lanes, axes }, wanted, options);
  }

  /** The same job for some lanes of it, without gradients. */
  onlyValues(inputs: readonly BoundInput[], lanes: number, options: RunOptions): Job {
    const { machine, program, axes } = this;
    return new Job(machine, program, { inputs, lanes, axes }, NOTHING_WANTED, options);
  }

  /** The inputs that are numbers, and where they lie. */
  get numbers(): readonly NumberInput[] {
    return this.#numbers ?? this.#split();
  }

  get integers(): readonly IntegerInput[] {
    if (this.#numbers === undefined) this.#split();
    return this.#integers;
  }

  #split(): readonly NumberInput[] {
    const numbers: NumberInput[] = [];
    let integers: IntegerInput[] | undefined;
    let payload = this.program.firstInputPayload;
    for (let index = 0; index < this.inputs.length; index++) {
      const input = this.inputs[index] as BoundInput;
      if (input.kind === "numbers") numbers.push({ input, index, payload: payload++ });
      else {
        integers ??= [];
        integers.push({ value: input.value, index });
      }
    }
    if (integers !== undefined) this.#integers = integers;
    this.#numbers = numbers;
    return numbers;
  }

  /** The inputs that gradients are taken by. */
  get wrt(): readonly RecordedInput[] {
    this.#wrt ??= this.#recorded();
    return this.#wrt;
  }

  #recorded(): readonly RecordedInput[] {
    const recorded: RecordedInput[] = [];
    for (const { input, index, payload } of this.numbers)
      if (this.wanted[index])
        recorded.push({ name: input.name, payload, count: input.rows * input.cols });
    return recorded;
  }

  /** Everything about the inputs but their numbers: what must be the same for a trace to fit. */
  get signature(): string {
    this.#signature ??= this.#sign();
    return this.#signature;
  }

  #sign(): string {
    let scalars = NO_INPUTS;
    let others = "";
    for (const { input, index } of this.numbers) {
      const isShared = input.perLane === undefined && input.tensors === undefined;
      const isWanted = this.wanted[index] === true;
      if (input.rank === 0) scalars = extend(scalars, isShared, isWanted);
      else {
        const { rank, rows, cols } = input;
        others += `${index}:${rank}x${rows}x${cols}${mark(isShared, isWanted)}`;
      }
    }
    for (const { value, index } of this.#integers) others += `${index}i${value};`;
    return scalars.text + others;
  }
}

/** Whether runs keep traces and go on those they find. */
export const isReplaying = ({ options, machine }: Job): boolean =>
  options.replay ?? machine.mechanisms.replay ?? true;
