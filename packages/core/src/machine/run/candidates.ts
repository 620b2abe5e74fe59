/**
 * Which kept traces a run tries for its lanes, one after the other: the likely one, then the others as they
 * took lanes in runs before, until too many of them took few.
 */

import type { Job } from "./job.js";
import { rootOf } from "./paths.js";
import { isMiss, isWidthFitting, MISSES_MAX, type Trace, type TraceGroup } from "./traces.js";
import type { Walker } from "./walker.js";
import { WIDTH_LEAST } from "./widths.js";

export class Candidates {
  readonly #job: Job;
  readonly #walker: Walker;
  /** Whether traces are found by the decisions of the one lane there is. */
  readonly #isPath: boolean;
  /** The traces that suit the run under way. */
  #group: TraceGroup | undefined;
  /** The likely trace, once it was tried; the others, once it did not take all; the next of them. */
  #tried: Trace | undefined;
  #order: readonly Trace[] | undefined;
  #next = 0;
  /** Traces that took few of many lanes. */
  #misses = 0;

  constructor(job: Job, walker: Walker, isPath: boolean) {
    this.#job = job;
    this.#walker = walker;
    this.#isPath = isPath;
  }

  /** A run begins whose traces are these; undefined where none is tried. */
  begin(group: TraceGroup | undefined): void {
    this.#group = group;
    this.#tried = undefined;
    this.#order = undefined;
    this.#misses = 0;
  }

  /** No more of them are tried in this run. */
  end(): void {
    this.#group = undefined;
  }

  get group(): TraceGroup | undefined {
    return this.#group;
  }

  /** Whether the likely one is the latest that was tried, or none was. */
  get isFirst(): boolean {
    return this.#order === undefined;
  }

  /** The next trace to try for so many lanes. */
  next(lanes: number): Trace | undefined {
    const group = this.#group;
    if (group === undefined || lanes === 0 || this.#misses === MISSES_MAX) return undefined;
    if (this.#order === undefined) {
      const likely = group.likely();
      if (likely !== undefined && likely !== this.#tried && this.#isWorthwhile(likely, lanes))
        return likely;
      this.#order = this.#job.program.traces.matching(this.#job.signature);
      this.#next = 0;
    }
    for (; this.#next < this.#order.length; this.#next++) {
      const trace = this.#order[this.#next] as Trace;
      if (trace === this.#tried || !trace.isKept || this.#isOnPath(trace)) continue;
      if (this.#isWorthwhile(trace, lanes)) return trace;
    }
    return undefined;
  }

  /** One was tried for so many lanes and left so many: there is another one. */
  passOn(trace: Trace, tried: number, left: number): void {
    if (isMiss(tried, tried - left)) this.#misses += 1;
    if (this.#order === undefined) this.#tried = trace;
    else this.#next += 1;
  }

  /** Whether the lane would have found this trace on its way. */
  #isOnPath(trace: Trace): boolean {
    const tried = this.#tried;
    if (!this.#isPath || trace.width !== 1 || tried?.width !== 1) return false;
    return rootOf(trace) === rootOf(tried);
  }

  /** Whether replaying at the trace's width beats walking. */
  #isWorthwhile(trace: Trace, lanes: number): boolean {
    if (lanes === 0 || !this.#walker.allows(trace)) return false;
    if (lanes === trace.width && lanes <= WIDTH_LEAST) return true;
    return isWidthFitting(trace, Math.min(lanes, this.#walker.widthFor(trace.bytesPerLane)));
  }
}
