/**
 * The derivative of every output by every element of the wanted inputs: a backward pass for each output of
 * a chunk. They are many where outputs are, so their bytes count as part of the result, and the clock is
 * looked at between two passes.
 */

import { own } from "../../records.js";
import { namedArrays, type Results } from "../results/results.js";
import { backwardChunk, readGradient } from "./backward.js";
import { Deadline } from "./deadline.js";
import type { Job } from "./job.js";
import type { Chunk } from "./port.js";

export class Jacobian {
  readonly #job: Job;
  readonly #deadline: Deadline;
  #slopes: Record<string, Float64Array> | undefined;

  constructor(job: Job) {
    this.#job = job;
    this.#deadline = new Deadline(job);
    this.#deadline.begin();
  }

  /** By input: lane after lane, output after output, element after element. */
  get slopes(): Record<string, Float64Array> {
    return this.#slopes ?? {};
  }

  /** Adds the lanes of a chunk that has its values. */
  take(chunk: Chunk): void {
    const { results } = chunk;
    const { machine, program, wrt } = this.#job;
    const slopes = this.#slopes ?? this.#makeRoom(results);
    const outputs = results.values.length / results.lanes;
    for (let output = 0; output < outputs; output++) {
      this.#deadline.check();
      backwardChunk(machine, program, chunk, (_lane, element) => (element === output ? 1 : 0));
      for (const input of wrt) {
        const target = own(slopes, input.name) as Float64Array;
        const { count } = input;
        readGradient(machine, chunk, input, target, outputs * count, output * count);
      }
    }
  }

  #makeRoom(results: Results): Record<string, Float64Array> {
    const { wrt } = this.#job;
    const { length } = results.values;
    for (const { count } of wrt) results.claim(length * count);
    this.#slopes = namedArrays(wrt, length);
    return this.#slopes;
  }
}
