/**
 * A budget of bytes for results, which lie outside of the machine's memory: what a run keeps of
 * its result, what reading it makes, and what is told about it stay within the machine's `memoryMax`
 * as well.
 */

import { makeError } from "../../words.js";

type Holds = "result" | "report";

const TOO_LARGE: Readonly<Record<Holds, (limit: number) => string>> = {
  result: (limit) =>
    `the result takes more than the memory budget of ${limit} bytes when it is read`,
  report: (limit) => `what there is to tell takes more than the memory budget of ${limit} bytes`,
};

export class ByteBudget {
  readonly #limit: number;
  readonly #holds: Holds;
  #left: number;

  constructor(limit: number, holds: Holds = "result", left = limit) {
    this.#limit = limit;
    this.#holds = holds;
    this.#left = left;
  }

  /** Bytes that are left. @internal */
  get left(): number {
    return this.#left;
  }

  /** A budget of what is left here, to be used up anew each time. @internal */
  rest(): ByteBudget {
    return new ByteBudget(this.#limit, this.#holds, this.#left);
  }

  /** Throws E-MEMORY where less than this is left. @internal */
  take(bytes: number): void {
    this.#left -= bytes;
    if (this.#left >= 0) return;
    throw makeError(
      "E-MEMORY",
      { reason: this.#holds, option: "memoryMax", limit: this.#limit },
      { message: TOO_LARGE[this.#holds](this.#limit) },
    );
  }

  /** JSON of a report leaves its budget out. @internal */
  toJSON(): undefined {
    return undefined;
  }

  /** Takes back what nobody holds any more. @internal */
  free(bytes: number): void {
    this.#left += bytes;
  }
}
