/** When a run must be over: `timeMax` after its beginning, by the machine's clock. */

import { limitError } from "../reports/sites.js";
import type { Job } from "./job.js";

export class Deadline {
  readonly #job: Job;
  #at: number | undefined;

  constructor(job: Job) {
    this.#job = job;
  }

  /** A run begins. */
  begin(): void {
    const { machine, options } = this.#job;
    if (options.timeMax !== undefined) this.#at = machine.clock() + options.timeMax;
  }

  /** Whether the run under way has one. */
  get isSet(): boolean {
    return this.#at !== undefined;
  }

  /** Throws where the run has taken longer than it may. */
  check(): void {
    const { machine, program, options } = this.#job;
    if (this.#at === undefined || machine.clock() < this.#at) return;
    const limit = options.timeMax ?? 0;
    throw limitError(machine, program, "E-TIME", `ran longer than ${limit} ms`, "timeMax", limit);
  }
}
