/**
 * A port: how the numbers of a run's lanes get into the machine, and how its results get out. The
 * scheduler decides which lanes run where and when; it moves no number itself.
 *
 * This one is that of a run: numbers come from the bound inputs, results go into `Results`, and a
 * backward pass of the caller's follows each chunk. A session's moves its own arrays.
 */

import { type MachineValue, payloadOf } from "../results/payloads.js";
import type { Results } from "../results/results.js";
import { type LaneSet, laneCount, writeChunk } from "./chunk.js";
import { failLanes, liveLanes } from "./chunk-walk.js";
import type { Job } from "./job.js";
import type { SingleLimits } from "./single-walk.js";
import type { Trace } from "./traces.js";

/** Lanes whose values have just been computed, while the machine still holds their trace. */
export interface Chunk {
  readonly set: LaneSet;
  readonly live: Uint8Array;
  readonly resultPayload: number;
  readonly hasMerges: boolean;
  readonly results: Results;
}

/** What a walk came to in the lanes that live. */
export interface Walked {
  readonly set: LaneSet;
  readonly live: Uint8Array;
  readonly value: MachineValue;
  readonly hasMerges: boolean;
}

export class Port {
  /** Runs a backward pass for the lanes of a chunk once they have their values. */
  readonly backward: ((chunk: Chunk) => void) | undefined;
  protected readonly job: Job;
  readonly #make: () => Results;
  #results: Results | undefined;

  /** `make` is called when there is something to hold. */
  constructor(job: Job, make: () => Results, backward: ((chunk: Chunk) => void) | undefined) {
    this.job = job;
    this.backward = backward;
    this.#make = make;
  }

  get results(): Results {
    this.#results ??= this.#make();
    return this.#results;
  }

  /** A run begins: what the one before came to is over. */
  begin(): void {
    this.#results = undefined;
  }

  /**
   * Runs lanes on the machine's current trace and takes their results; returns how many passed all
   * guards. Below 1 the results of none of them mean anything.
   */
  replay(trace: Trace, set: LaneSet): number {
    const { machine } = this.job;
    const { exports, reals } = machine;
    const count = laneCount(set);
    const run = exports.runBytes();
    trace.owner = undefined;
    for (const { input, payload } of this.job.numbers)
      writeChunk(reals, input, exports.primalAddress(payload), run, set);
    const passed = exports.replay(count);
    if (passed > 0) {
      const live = passed === count ? machine.allLanes(count) : liveLanes(machine, count);
      this.take({ set, live, value: trace.result, hasMerges: trace.hasMerges });
    }
    return passed;
  }

  /** Runs the one lane there is by a single walk; undefined where it takes the general way. */
  walkSingle(_level: number, _limits: SingleLimits, _steps: number): number | undefined {
    return undefined;
  }

  /** Steps of the latest single walk that came to its end. */
  get singleSteps(): number {
    return 0;
  }

  /** Takes the results of live lanes from the machine's current trace or its latest walk. */
  take({ set, live, value, hasMerges }: Walked): void {
    const { results } = this;
    results.take(this.job.machine, value, { set, live });
    this.backward?.({ set, live, resultPayload: payloadOf(value), hasMerges, results });
  }

  /** Reports the machine's fault in these lanes. */
  fail(set: LaneSet, lanes: Uint8Array): void {
    failLanes(this.job, this.results, set, lanes);
  }
}
