/**
 * The port of a session: its own arrays in, its own arrays out. A chunk on a kept trace is one call
 * into WebAssembly, from and to places that a layout knows; all else goes the way of a run.
 */

import { NdvmError } from "../../errors.js";
import { SINGLE_DONE, TAG_REAL } from "../../program/layout.js";
import { own } from "../../records.js";
import { type ResultArrays, Results } from "../results/results.js";
import { gradientChunk } from "./backward.js";
import { type LaneSet, laneCount, writeChunk } from "./chunk.js";
import type { Job } from "./job.js";
import { Port, type Walked } from "./port.js";
import { Layout, type SessionBuffers } from "./session-layout.js";
import { type SingleLimits, SingleWalk } from "./single-walk.js";
import type { Trace } from "./traces.js";

/** Layouts of traces that are gone are forgotten when there are so many. */
const LAYOUTS_MAX = 64;

export class SessionPort extends Port {
  readonly #buffers: SessionBuffers;
  /** Made when there is a second trace: most sessions have one. */
  #layouts: Map<Trace, Layout> | undefined;
  /** The layout that was used last, and whether the latest chunk went by it. */
  #layout: Layout | undefined;
  #isByLayout = false;
  /** Inputs that the results of the run under way depend on. */
  readonly #reached: Set<string>;
  /** Whether vectors or matrices differ by lane, so that they are written with each chunk. */
  readonly #isSplit: boolean;
  readonly #single: SingleWalk | undefined;
  /** Whether the run under way was a single walk. */
  #isSingle = false;

  constructor(job: Job, buffers: SessionBuffers) {
    const { machine, program, wrt } = job;
    const reached = new Set<string>();
    super(
      job,
      () => resultsFor(job, buffers),
      wrt.length === 0
        ? undefined
        : (chunk) => gradientChunk(machine, program, wrt, chunk, undefined, reached),
    );
    this.#reached = reached;
    this.#buffers = buffers;
    this.#isSplit = job.numbers.some(({ input }) => input.tensors !== undefined);
    this.#single = SingleWalk.of(job, buffers);
  }

  override begin(): void {
    super.begin();
    this.#isSingle = false;
    if (this.#reached.size > 0) this.#reached.clear();
  }

  override replay(trace: Trace, set: LaneSet): number {
    this.#isByLayout = false;
    if (this.#isSplit || trace.result.tag !== TAG_REAL) return super.replay(trace, set);
    const layout = this.#layout?.trace === trace ? this.#layout : this.#layoutOf(trace);
    if (trace.owner !== this) writeTensors(this.job, trace, this);
    const chunk = layout.chunkOf(set);
    if (chunk < 0) layout.writeLanes(set);
    else layout.writeChunk(chunk);
    const { data } = trace.result;
    const passed = this.job.machine.exports.replayGradient(
      laneCount(set),
      data,
      this.backward === undefined ? -1 : data,
      trace.hasMerges ? 1 : 0,
    );
    if (passed <= 0) return passed;
    this.#isByLayout = true;
    if (chunk < 0) layout.readLanes(set);
    else layout.readChunk(chunk);
    return passed;
  }

  #layoutOf(trace: Trace): Layout {
    const known = this.#layouts?.get(trace);
    const layout = known ?? new Layout(this.job.machine, trace, this.#buffers);
    if (known === undefined && this.#layout !== undefined) {
      this.#layouts ??= new Map([[this.#layout.trace, this.#layout]]);
      if (this.#layouts.size >= LAYOUTS_MAX)
        for (const other of this.#layouts.keys()) if (!other.isKept) this.#layouts.delete(other);
      this.#layouts.set(trace, layout);
    }
    this.#layout = layout;
    return layout;
  }

  override walkSingle(level: number, limits: SingleLimits, steps: number): number | undefined {
    const outcome = this.#single?.run(level, limits, steps);
    this.#isSingle = outcome === SINGLE_DONE;
    return outcome;
  }

  override get singleSteps(): number {
    return this.#single?.steps ?? 0;
  }

  /** Of a run of one chunk: the inputs asked for that its results do not depend on. */
  inactive(): readonly string[] {
    if (this.#isSingle) return (this.#single as SingleWalk).inactive();
    const { wrt } = this.job;
    const layout = this.#isByLayout ? this.#layout : undefined;
    if (layout !== undefined) return layout.inactive(wrt);
    return wrt.filter(({ name }) => !this.#reached.has(name)).map(({ name }) => name);
  }

  override take(walked: Walked): void {
    this.#isByLayout = false;
    super.take(walked);
    const { results } = this;
    // Structure has no values: asking for them says so.
    if (!results.isNumeric) void results.values;
    if (results.shape !== undefined && results.shape.length > 0)
      throw new NdvmError("E-RESULT", "a session takes programs whose value is one number", {
        help: "use program.run or program.jacobian for vectors and matrices",
      });
  }

  /** Lanes that failed have no numbers. */
  clearFailed(): void {
    const { values, gradients, wrt } = this.#buffers;
    const { failed } = this.results;
    for (const lane of failed?.pack().lanes ?? []) {
      values[lane] = Number.NaN;
      for (const { name, count } of wrt)
        own(gradients, name)?.fill(Number.NaN, lane * count, (lane + 1) * count);
    }
  }
}

/** Writes vectors and matrices into the current trace; they stay while its owner is the same. */
export function writeTensors({ machine, numbers, lanes }: Job, trace: Trace, owner: object): void {
  const { exports, reals } = machine;
  const set = { from: 0, to: Math.min(trace.width, lanes) };
  for (const { input, payload } of numbers)
    if (input.rank > 0)
      writeChunk(reals, input, exports.primalAddress(payload), exports.runBytes(), set);
  trace.owner = owner;
}

function resultsFor({ program, lanes, wrt, machine }: Job, buffers: SessionBuffers): Results {
  // Results only write to these, and numbers of either precision can be written to.
  const { values, gradients } = buffers;
  const into = { count: 1, values, gradients } as unknown as ResultArrays;
  return new Results(program, lanes, wrt, undefined, machine.memoryMax, into);
}
