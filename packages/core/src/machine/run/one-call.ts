/**
 * One call: `gradient` and `evaluate` at one lane, with plain numbers and no options but `wrt`.
 *
 * Such calls come again and again with other numbers. What does not depend on the numbers is made
 * once, as a session does: arrays for them, places in the traces, the names that gradients are
 * taken by. A call then checks that its inputs are numbers, runs, and copies a few numbers out. What
 * is not so plain, such as a value that is not finite, goes the general way.
 */

import { NdvmError } from "../../errors.js";
import { own, smallRecord } from "../../records.js";
import { print } from "../../syntax/print.js";
import { laneOf } from "../inputs/axes.js";
import { numericDatum } from "../results/result-text.js";
import type {
  Axis,
  AxisIndices,
  DatumValue,
  GradientOptions,
  GradientResult,
  Inputs,
  LaneFailure,
  NonFinite,
  RunStats,
} from "../types.js";
import type { Job } from "./job.js";
import { Scheduler } from "./schedule.js";
import { jobOf, makeBuffers, type SessionBuffers, type Slot } from "./session-layout.js";
import { SessionPort } from "./session-port.js";
import type { WalkCounters } from "./traces.js";

/** Whether a call has no options but the names to differentiate by, and whether to replay. */
export function isPlainCall(options: GradientOptions): boolean {
  return (
    typeof options === "object" &&
    options !== null &&
    options.stepsMax === undefined &&
    options.tapeBytesMax === undefined &&
    options.timeMax === undefined &&
    options.chunk === undefined &&
    (options.replay === undefined || typeof options.replay === "boolean") &&
    options.lanes === undefined &&
    options.seed === undefined &&
    options.reduce === undefined
  );
}

/** Whether all inputs of a job are single numbers, so that it can be one call. */
export function isPlainJob({ lanes, axes, integers, numbers }: Job): boolean {
  return (
    lanes === 1 &&
    axes.length === 0 &&
    integers.length === 0 &&
    numbers.every(({ input }) => input.rank === 0 && input.perLane === undefined)
  );
}

export class OneCall {
  readonly #job: Job;
  readonly #wrt: readonly string[] | undefined;
  readonly #buffers: SessionBuffers;
  readonly #port: SessionPort;
  readonly #scheduler: Scheduler;

  constructor(job: Job, wrt: readonly string[] | undefined) {
    const buffers = makeBuffers(job);
    const bound = jobOf(job, buffers);
    this.#job = job;
    this.#wrt = wrt && [...wrt];
    this.#buffers = buffers;
    this.#port = new SessionPort(bound, buffers);
    this.#scheduler = new Scheduler(bound, this.#port, { isRepeated: true });
  }

  /** Whether these are the names that it takes gradients by, and it replays as asked for. */
  isBy(wrt: readonly string[] | undefined, replay: boolean | undefined): boolean {
    const mine = this.#wrt;
    if (this.#job.options.replay !== replay) return false;
    if (mine === undefined || wrt === undefined) return mine === wrt;
    if (!Array.isArray(wrt) || wrt.length !== mine.length) return false;
    for (let i = 0; i < mine.length; i++) if (wrt[i] !== mine[i]) return false;
    return true;
  }

  /** The result for these inputs; undefined where the general way must tell it. */
  run(inputs: Inputs): OneResult | undefined {
    if (!this.#take(inputs)) return undefined;
    this.#job.machine.beginRun();
    const walks = this.#scheduler.walker.totals.walks;
    const replays = this.#scheduler.replays;
    this.#port.begin();
    try {
      if (!this.#scheduler.begin()) for (const _pause of this.#scheduler.finish());
    } catch (error) {
      // Vectors and structure are results of a call, though not of this one.
      if (error instanceof NdvmError && error.code === "E-RESULT") return undefined;
      throw error;
    }
    const value = this.#buffers.values[0] as number;
    if (!Number.isFinite(value)) return undefined;
    const { machine, program } = this.#job;
    return new OneResult(value, this.#gradients(), this.#port.inactive(), {
      walks: this.#scheduler.walker.totals.walks - walks,
      replays: this.#scheduler.replays - replays,
      traces: program.traceCount,
      smallShapeCalls: machine.exports.switchCount(0),
      integerPoolHits: machine.exports.switchCount(1),
      fusedCalls: machine.exports.switchCount(2),
      memoryBytes: machine.exports.memoryBytes(),
      steps: this.#scheduler.walker.latestSteps,
      walked: this.#scheduler.latest,
    });
  }

  /** Takes the caller's numbers; false where they are anything else. */
  #take(inputs: Inputs): boolean {
    if (typeof inputs !== "object" || inputs === null) return false;
    const { slots } = this.#buffers;
    let count = 0;
    for (const _name in inputs) count += 1;
    if (count !== slots.length) return false;
    for (let k = 0; k < slots.length; k++) {
      const { name, numbers } = slots[k] as Slot;
      const value = own(inputs, name);
      if (typeof value !== "number") return false;
      numbers[0] = value;
    }
    return true;
  }

  #gradients(): Record<string, Float64Array> {
    const { wrt, gradients } = this.#buffers;
    const copied = smallRecord<Float64Array>();
    for (let k = 0; k < wrt.length; k++) {
      const { name } = wrt[k] as (typeof wrt)[number];
      const number = new Float64Array(1);
      number[0] = own(gradients, name)?.[0] as number;
      copied[name] = number;
    }
    return copied;
  }
}

/** What is known of the call when it ends, to tell its counters from. */
interface Ended
  extends Pick<
    RunStats,
    | "walks"
    | "replays"
    | "traces"
    | "smallShapeCalls"
    | "integerPoolHits"
    | "fusedCalls"
    | "memoryBytes"
    | "steps"
  > {
  readonly walked: WalkCounters;
}

const NO_AXES: readonly Axis[] = [];
const NO_FAILURES: readonly LaneFailure[] = [];
const ALL_FINITE: readonly NonFinite[] = [];
const NUMBER: readonly number[] = [];

/** The result of one call: one lane, one number. */
export class OneResult implements GradientResult {
  readonly values: Float64Array;
  readonly gradients: Readonly<Record<string, Float64Array>>;
  readonly inactive: readonly string[];
  readonly #ended: Ended;

  constructor(
    value: number,
    gradients: Readonly<Record<string, Float64Array>>,
    inactive: readonly string[],
    ended: Ended,
  ) {
    const values = new Float64Array(1);
    values[0] = value;
    this.values = values;
    this.gradients = gradients;
    this.inactive = inactive;
    this.#ended = ended;
  }

  get lanes(): number {
    return 1;
  }

  get axes(): readonly Axis[] {
    return NO_AXES;
  }

  get shape(): readonly number[] {
    return NUMBER;
  }

  get failures(): readonly LaneFailure[] {
    return NO_FAILURES;
  }

  get nonFinite(): readonly NonFinite[] {
    return ALL_FINITE;
  }

  get reduced(): undefined {
    return undefined;
  }

  get stats(): RunStats {
    const { walked, walks, replays, ...known } = this.#ended;
    return {
      lanes: 1,
      ...walked,
      ...known,
      walks,
      replays,
      // Each trace but the last refused the lane at one guard.
      guardFailures: walks > 0 ? replays : replays - 1,
      steps: walks > 0 ? known.steps : 0,
      divergentBranches: 0,
      merges: 0,
      buckets: 0,
      sortings: 0,
      chunkWidth: walks > 0 ? 1 : 0,
    };
  }

  lane(place: AxisIndices): number {
    return laneOf(this.axes, place);
  }

  at(place: AxisIndices): DatumValue {
    return this.datum(this.lane(place));
  }

  datum(lane = 0): DatumValue {
    checkLane(lane, 1);
    return this.values[0] as number;
  }

  print(lane = 0): string {
    checkLane(lane, 1);
    return print(numericDatum(this.values, NUMBER));
  }
}

/** Throws where a run has no such lane. */
export function checkLane(lane: number, lanes: number): void {
  if (!Number.isInteger(lane) || lane < 0 || lane >= lanes)
    throw new NdvmError("E-OPTION", `there is no lane ${lane}: the run has ${lanes}`, {
      help: "lanes are counted from 0",
    });
}
