/**
 * A budget of bytes for results, which lie outside of the machine's memory: what a run keeps of
 * its result, and what reading it makes, stay within the machine's `memoryMax` as well.
 */

import { makeError } from "../../words.js";

export class ByteBudget {
  readonly #limit: number;
  #left: number;

  constructor(limit: number, left = limit) {
    this.#limit = limit;
    this.#left = left;
  }

  /** A budget of what is left here, to be used up anew each time. */
  rest(): ByteBudget {
    return new ByteBudget(this.#limit, this.#left);
  }

  /** Throws E-MEMORY where less than this is left. */
  take(bytes: number): void {
    this.#left -= bytes;
    if (this.#left >= 0) return;
    throw makeError(
      "E-MEMORY",
      { reason: "result", option: "memoryMax", limit: this.#limit },
      {
        message: `the result takes more than the memory budget of ${this.#limit} bytes when it is read`,
      },
    );
  }
}
