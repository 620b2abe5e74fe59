/**
 * A single walk: a run of one lane whose inputs are plain numbers, by one call into the machine.
 *
 * Beginning a walk, binding each input, passing back and reading each gradient are calls of their
 * own elsewhere, and cost a small program more than its arithmetic. Here numbers go in and come out
 * through one block of doubles (`SINGLE_*`).
 */

import {
  SINGLE_DONE,
  SINGLE_GRADIENTS,
  SINGLE_INPUTS,
  SINGLE_INPUTS_MAX,
  SINGLE_REACHED,
  SINGLE_STEPS,
  SINGLE_VALUE,
} from "../../program/layout.js";
import { own } from "../../records.js";
import type { Job } from "./job.js";
import type { Numbers, SessionBuffers, Slot } from "./session-layout.js";

/** What a walk may take. */
export interface SingleLimits {
  readonly tapeBytesMax: number;
  readonly isOptional: boolean;
  readonly stepsMax: number;
}

/** A gradient that is asked for: the input's index, and where it goes. */
interface Wanted {
  readonly index: number;
  readonly name: string;
  readonly into: Numbers;
}

export class SingleWalk {
  readonly #job: Job;
  readonly #slots: readonly Slot[];
  readonly #values: Numbers;
  readonly #wanted: readonly Wanted[];
  readonly #wantedBits: number;
  readonly #sharedBits: number;
  /** Index of the first double that is exchanged. */
  readonly #at: number;
  #steps = 0;

  /** Undefined where the job is anything else than one lane of plain numbers. */
  static of(job: Job, buffers: SessionBuffers): SingleWalk | undefined {
    const { lanes, integers, numbers } = job;
    const isPlain =
      lanes === 1 &&
      integers.length === 0 &&
      numbers.length <= SINGLE_INPUTS_MAX &&
      numbers.every(({ input }) => input.rank === 0 && input.stride === undefined);
    return isPlain ? new SingleWalk(job, buffers) : undefined;
  }

  private constructor(job: Job, { slots, values, gradients, wrt }: SessionBuffers) {
    this.#job = job;
    this.#slots = slots;
    this.#values = values;
    this.#at = job.machine.singleAt;
    const first = job.program.firstInputPayload;
    this.#wanted = wrt.map(({ name, payload }) => ({
      index: payload - first,
      name,
      into: own(gradients, name) as Numbers,
    }));
    this.#wantedBits = this.#wanted.reduce((bits, { index }) => bits | (1 << index), 0);
    this.#sharedBits = slots.reduce((bits, slot, k) => (slot.isShared ? bits | (1 << k) : bits), 0);
  }

  /** Steps of the latest walk that came to its end. */
  get steps(): number {
    return this.#steps;
  }

  /** Runs the lane, by at most so many `steps`; its numbers are there where it returns SINGLE_DONE. */
  run(level: number, { tapeBytesMax, isOptional, stepsMax }: SingleLimits, steps: number): number {
    const { machine, program } = this.#job;
    const { exports, traceSlots, views } = machine;
    traceSlots.useWalk();
    const slots = this.#slots;
    const given = views.doubles;
    const from = this.#at + SINGLE_INPUTS;
    for (let k = 0; k < slots.length; k++)
      given[from + k] = (slots[k] as Slot).numbers[0] as number;
    const outcome = exports.walkSingle(
      program.address,
      level,
      Math.floor(tapeBytesMax),
      isOptional ? 1 : 0,
      stepsMax,
      steps,
      slots.length,
      this.#wantedBits,
      this.#sharedBits,
      0,
    );
    if (outcome === SINGLE_DONE) this.#read(views.doubles);
    return outcome;
  }

  #read(found: Float64Array): void {
    const wanted = this.#wanted;
    this.#steps = found[this.#at + SINGLE_STEPS] as number;
    this.#values[0] = found[this.#at + SINGLE_VALUE] as number;
    const from = this.#at + SINGLE_GRADIENTS;
    for (let k = 0; k < wanted.length; k++) {
      const { index, into } = wanted[k] as Wanted;
      into[0] = found[from + index] as number;
    }
  }

  /** Of the names asked for, those that the latest value does not depend on. */
  inactive(): readonly string[] {
    const reached = this.#job.machine.views.doubles[this.#at + SINGLE_REACHED] as number;
    return this.#wanted.filter(({ index }) => ((reached >>> index) & 1) === 0).map(nameOf);
  }
}

const nameOf = ({ name }: Wanted): string => name;
