/**
 * One run of a program: a job, the scheduler that takes its lanes through the machine, and the
 * results that come of it.
 */

import { Results } from "../results/results.js";
import type { Axis, RunStats } from "../types.js";
import type { Job, Manner } from "./job.js";
import { type Chunk, Port } from "./port.js";
import { Scheduler } from "./schedule.js";
import type { WalkCounters } from "./traces.js";
import type { WalkTotals } from "./walker.js";

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
    this.#guardsFailed = machine.exports.guardFailures();
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

  /** What the run came to, to tell its counters from. The machine must not have run since. */
  end(): RunEnd {
    const { machine, lanes, program } = this.#job;
    const { exports } = machine;
    const { latest, replays, sortings, walker } = this.#scheduler;
    return {
      lanes,
      replays,
      sortings,
      totals: walker.totals,
      guardFailures: exports.guardFailures() - this.#guardsFailed,
      traces: program.traceCount,
      smallShapeCalls: exports.switchCount(0),
      integerPoolHits: exports.switchCount(1),
      fusedCalls: exports.switchCount(2),
      walked: latest,
      memoryBytes: exports.memoryBytes(),
    };
  }
}

/** What is known of a run when it ends. */
export interface RunEnd
  extends Pick<
    RunStats,
    | "lanes"
    | "replays"
    | "sortings"
    | "guardFailures"
    | "traces"
    | "smallShapeCalls"
    | "integerPoolHits"
    | "fusedCalls"
    | "memoryBytes"
  > {
  readonly totals: WalkTotals;
  readonly walked: WalkCounters;
}

export function statsOf({ totals, walked, ...known }: RunEnd): RunStats {
  return { ...totals, ...walked, ...known };
}
