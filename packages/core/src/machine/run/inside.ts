/**
 * The trace that work inside the machine goes on: an optimiser's rounds want one trace that takes all
 * lanes of a session, so that nothing has to come out between two rounds.
 */

import { TAG_REAL } from "../../program/layout.js";
import type { Job } from "./job.js";
import { UNINTERRUPTED_STEPS } from "./steps.js";
import type { Trace } from "./traces.js";
import type { Walker } from "./walker.js";
import { CACHES_INSIDE, LANES_INSIDE, WIDTH_MAX } from "./widths.js";

/** Walks that it may take in all: as many paths as the machine can go on. */
const WALKS_MAX = 8;

export class InsideTraces {
  readonly #job: Job;
  readonly #walker: Walker;
  #walksLeft = WALKS_MAX;

  constructor(job: Job, walker: Walker) {
    this.#job = job;
    this.#walker = walker;
  }

  /** Walks so far, those of the walker's other work among them. */
  get walks(): number {
    return this.#walker.totals.walks;
  }

  /**
   * A kept trace that takes all lanes, as the machine's current one. Walks them as one chunk where there
   * is none yet; undefined where one trace does not do.
   */
  enter(): Trace | undefined {
    const { program, signature, lanes, options } = this.#job;
    const isPlain = options.timeMax === undefined && options.chunk === undefined;
    if (!isPlain || !this.#walker.replays || lanes > LANES_INSIDE) return undefined;
    const known = program.traces.group(signature)?.likely();
    const isWide = known !== undefined && known.taken >= lanes;
    const trace = isWide ? known : this.#walk();
    if (trace?.result.tag !== TAG_REAL || !this.#walker.allows(trace)) return undefined;
    program.traces.use(trace);
    return trace;
  }

  /**
   * A walk of all lanes at once: the first one, or one after lanes have left the trace of another. One that
   * comes to nothing is not tried again.
   */
  #walk(): Trace | undefined {
    if (this.#walksLeft === 0) return undefined;
    const { lanes, machine, program, signature } = this.#job;
    const bytes = lanes > WIDTH_MAX ? CACHES_INSIDE * machine.cache.bytes : machine.cache.bytes;
    const trace = this.#walker.walkAllLanes(UNINTERRUPTED_STEPS, bytes);
    this.#walksLeft = trace === undefined ? 0 : this.#walksLeft - 1;
    if (trace !== undefined) program.traces.group(signature)?.follow(trace);
    return trace;
  }
}
