/**
 * One run of a program: a job, the scheduler that takes its lanes through the machine, and the
 * results that come of it.
 */

import { Results } from "../results/results.js";
import type { Axis, RunStats } from "../types.js";
import { readReport } from "./chunk-walk.js";
import type { Job, Manner } from "./job.js";
import { type Chunk, Port } from "./port.js";
import { Scheduler } from "./schedule.js";

/** Lanes whose result is not finite that are told why. */
const EXPLAINED_LANES = 64;

export class Execution {
  readonly results: Results;
  readonly #job: Job;
  readonly #scheduler: Scheduler;
  readonly #guardsFailed: number;

  constructor(job: Job, manner: Manner, backward: ((chunk: Chunk) => void) | undefined) {
    const { program, lanes, machine } = job;
    const wrt = backward === undefined ? [] : job.wrt;
    const explains = manner.explains ?? EXPLAINED_LANES;
    this.#job = job;
    this.results = new Results(program, lanes, wrt, explains, machine.memoryMax, manner.into);
    this.#scheduler = new Scheduler(job, new Port(job, () => this.results, backward), manner);
    this.#guardsFailed = machine.exports.guardsFailed.value as number;
  }

  get axes(): readonly Axis[] {
    return this.#job.axes;
  }

  /** Runs all lanes. */
  run(): void {
    if (this.#scheduler.begin()) return;
    for (const _pause of this.#scheduler.finish());
  }

  /** As `run`. Yields where a walk pauses. */
  *runInSlices(): Generator<void, void> {
    if (!this.#scheduler.begin(true)) yield* this.#scheduler.finish(true);
  }

  stats(): RunStats {
    const { machine, lanes, program } = this.#job;
    const { exports } = machine;
    const { latest, counters, walker } = this.#scheduler;
    const walked = latest ?? readReport(machine, exports.endWalk(0, 0)).counters;
    return {
      lanes,
      ...walker.totals,
      ...counters,
      guardFailures: (exports.guardsFailed.value as number) - this.#guardsFailed,
      traces: program.traces.count,
      smallShapeCalls: exports.smallShapeCalls.value as number,
      integerPoolHits: exports.integerPoolHits.value as number,
      ...walked,
      memoryBytes: exports.memoryBytes(),
    };
  }
}
