/**
 * The walker: takes one chunk of a run's lanes through the evaluator, whatever happens on the way.
 *
 * Most chunks are plain: one slice of steps, of which no lane fails or leaves. That is one call into
 * the machine, and what it came to is handed over as it is. From where it is not so plain the walker
 * goes on slice by slice: lanes that fail are reported, lanes that use up their steps as well, and
 * where memory is short the next walk records less or is narrower.
 */

import type { Span } from "../../errors.js";
import {
  FAULT_MEMORY,
  FAULT_RECURSION,
  FAULT_STEPS,
  FAULT_TAPE,
  LINK_DONE,
  LINK_REFUSED,
  LINK_SPOILED,
  RECORD_VARYING,
  SINGLE_DONE,
  SINGLE_OPEN,
  SINGLE_SHORT,
  STEPS_OF_PRIMITIVE,
  STEPS_OF_WIDTH,
  WALK_DONE,
  WALK_FAULT,
} from "../../program/layout.js";
import { limitError, machineFault, settleShortage } from "../reports/sites.js";
import { type LaneSet, laneAt, laneCount } from "./chunk.js";
import {
  beginWalk,
  contextLanes,
  liveLanes,
  readReport,
  type WalkLimits,
  type WalkReport,
} from "./chunk-walk.js";
import { Deadline } from "./deadline.js";
import type { Job } from "./job.js";
import type { Port } from "./port.js";
import { STEPS_MAX } from "./steps.js";
import { isThin, type Trace, type WalkCounters } from "./traces.js";
import { FIRST_WIDTH, fittingWidth, WIDTH_MAX } from "./widths.js";

/** Steps between two looks at the clock: below a millisecond, a few on a busy machine. */
const SLICE = 20_000;
/** Elements of payloads, times vectors of lanes, between two looks: a third of a second at most. */
const SLICE_ELEMENTS = 2 ** 22;
/** As the machine charges them, those of matrix operations that run without a look: as long. */
const TOGETHER_ELEMENTS = 2 ** 30;
/** Steps, times vectors of lanes, of a trace that runs without a look: a second or two. */
const TRACE_STEPS = 2 ** 28;
/** Too wide a walk is at least so many times narrower when it is tried again. */
const NARROWING = 4;
/** A trace that is only there to evaluate again is given up beyond this. */
const OPTIONAL_TRACE_BYTES = 2 ** 26;

/** What became of a chunk that was walked. */
export interface WalkedChunk {
  /** Lanes that left the walk and are to be walked again. */
  readonly pending: readonly number[];
  /** The trace that is kept of it. */
  readonly trace: Trace | undefined;
  readonly counters: WalkCounters | undefined;
  /** Bytes of primals and adjoints that one lane took. */
  readonly bytesPerLane: number;
}

/** Counters of all walks. */
export interface WalkTotals {
  walks: number;
  steps: number;
  divergentBranches: number;
  merges: number;
  buckets: number;
  chunkWidth: number;
}

/** A walk that was not over after its first slice. */
interface OpenWalk {
  readonly set: LaneSet;
  readonly level: number;
  /** Lanes that have failed, one byte each. */
  readonly failed: Uint8Array;
}

const NO_PENDING: readonly number[] = [];
const DONE: WalkedChunk = {
  pending: NO_PENDING,
  trace: undefined,
  counters: undefined,
  bytesPerLane: 0,
};

export class Walker {
  readonly totals: WalkTotals = {
    walks: 0,
    steps: 0,
    divergentBranches: 0,
    merges: 0,
    buckets: 0,
    chunkWidth: 0,
  };
  readonly stepsMax: number;
  readonly tapeBytesMax: number;
  /** The width the caller wants, undefined where the working set decides. */
  readonly chunkWanted: number | undefined;
  /** Whether traces are kept, to run again. */
  readonly replays: boolean;
  /** Whether recording is for replay only, so that a run can do without. */
  readonly isOptional: boolean;
  /** Whether the event loop is let in while a walk is under way. */
  isAsync = false;
  readonly #job: Job;
  readonly #port: Port;
  readonly #deadline: Deadline;
  /** Memory or tape ran out while more was recorded than the run itself needs. */
  #recordsLeast = false;
  /** The lane that memory ran out for while it was all there was and recorded all it may. */
  #shortAlone = -1;
  /** Widest chunk that memory allowed so far. */
  #widthLimit = Number.POSITIVE_INFINITY;
  /** Widest chunk that memory was short for, and lanes that memory is short for alone. */
  #widthShort = 0;
  #lanesShort = 0;
  #open: OpenWalk | undefined;
  #walksBefore = 0;
  #latestSteps = 0;

  constructor(job: Job, port: Port, replays: boolean) {
    this.#job = job;
    this.#port = port;
    this.#deadline = new Deadline(job);
    this.replays = replays;
    const { options, machine, wanted, lanes } = job;
    this.chunkWanted = options.chunk ?? (machine.mechanisms.chunks === false ? lanes : undefined);
    this.stepsMax = Math.min(options.stepsMax ?? STEPS_MAX, Number.MAX_SAFE_INTEGER);
    this.isOptional = port.backward === undefined && !wanted.includes(true);
    const budget = Math.min(options.tapeBytesMax ?? machine.memoryMax, machine.memoryMax);
    const optional = Math.min(OPTIONAL_TRACE_BYTES, machine.memoryMax / 8);
    this.tapeBytesMax = this.isOptional ? Math.min(optional, budget) : budget;
  }

  /** A run begins: what was known of time and memory was that of the run before. */
  begin(): void {
    this.#deadline.begin();
    this.isAsync = false;
    this.#walksBefore = this.totals.walks;
    this.#open = undefined;
    this.#recordsLeast = false;
    this.#shortAlone = -1;
    this.#widthLimit = Number.POSITIVE_INFINITY;
    this.#widthShort = 0;
    this.#lanesShort = 0;
  }

  /** Whether anything was walked in the run under way. */
  get hasWalked(): boolean {
    return this.totals.walks > this.#walksBefore;
  }

  /** Steps of the latest walk. */
  get latestSteps(): number {
    return this.#latestSteps;
  }

  get widthLimit(): number {
    return this.#widthLimit;
  }

  /** Lanes of a chunk that takes so many bytes for each. */
  widthFor(bytesPerLane: number): number {
    const suiting = this.chunkWanted ?? fittingWidth(this.#job.machine.cache, bytesPerLane);
    return Math.min(suiting, this.#widthLimit);
  }

  /** Whether no more is recorded than a gradient needs. */
  get recordsLeast(): boolean {
    return this.#recordsLeast;
  }

  /** Throws where the run has taken longer than it may. */
  checkTime(): void {
    this.#deadline.check();
  }

  /** Whether the walk that has begun must go on. */
  get isOpen(): boolean {
    return this.#open !== undefined;
  }

  /**
   * Begins to walk one chunk. So many `strays` may leave it for being with few others at some branch.
   * Undefined: the walk must go on, where it `isOpen`; else memory was short, and the lanes are to be
   * walked anew. It stops after so many `steps`, to look at the clock.
   */
  start(
    set: LaneSet,
    level: number,
    strays = 0,
    steps = this.#sliceSteps(),
  ): WalkedChunk | undefined {
    if (!this.#begin(set, level, strays)) return this.#shortage(set);
    const report = this.#slice(Math.min(steps, this.stepsMax), level);
    if (report !== undefined)
      return this.#end(set, NO_PENDING, this.#job.machine.allLanes(laneCount(set)), report);
    this.#open = { set, level, failed: new Uint8Array(laneCount(set)) };
    return undefined;
  }

  /**
   * As `start` for the one lane there is, of which nothing is kept, by a single walk; "done" where
   * its numbers are with the port already.
   */
  startSingle(set: LaneSet, level: number, most: number): WalkedChunk | "done" | undefined {
    const steps = Math.min(most, this.stepsMax);
    const outcome = this.#port.walkSingle(level, this, steps);
    if (outcome === undefined) return this.start(set, level, 0, most);
    const { totals } = this;
    totals.walks += 1;
    if (totals.chunkWidth === 0) totals.chunkWidth = 1;
    if (outcome === SINGLE_SHORT) return this.#shortage(set);
    if (outcome === SINGLE_OPEN) {
      this.#open = { set, level, failed: new Uint8Array(1) };
      return undefined;
    }
    if (outcome === SINGLE_DONE) {
      this.#latestSteps = this.#port.singleSteps;
      totals.steps += this.#latestSteps;
      return "done";
    }
    this.#addTotals();
    const { machine, wrt } = this.#job;
    const report = readReport(machine, machine.exports.endWalk(wrt.length > 0 ? 1 : 0, 0));
    return this.#end(set, NO_PENDING, machine.allLanes(1), report);
  }

  /** Steps of a walk between two looks at the clock, where there is a reason to look. */
  #sliceSteps(): number {
    return this.#isTimed ? Math.min(SLICE, this.stepsMax) : this.stepsMax;
  }

  get #isTimed(): boolean {
    return this.isAsync || this.#deadline.isSet;
  }

  #vectors(lanes: number): number {
    return Math.ceil((lanes * this.#job.machine.reals.bytes) / 16);
  }

  /** Whether a chunk may run on a trace of so many steps, which is not interrupted. */
  #isShort(steps: number, width: number): boolean {
    return !this.#isTimed || width === 1 || steps * this.#vectors(width) <= TRACE_STEPS;
  }

  /**
   * Whether a walk for any lanes of a trace would stay within the budgets: the steps of the walk
   * that made it, of both sides of its branches, are at least those of any lane's own path.
   */
  allows({ recordedBytes, steps, width }: Trace): boolean {
    if (!this.isOptional && recordedBytes > this.tapeBytesMax) return false;
    return steps <= this.stepsMax && this.#isShort(steps, width);
  }

  /** Goes on with a walk that is open. Undefined: the lanes are to be walked anew. */
  *goOn(): Generator<void, WalkedChunk | undefined> {
    const open = this.#open as OpenWalk;
    this.#open = undefined;
    const outcome = yield* this.#walkSlices(open);
    const { set, level, failed } = open;
    this.#addTotals();
    if (outcome === "short") return this.#shortage(set, failed);
    if (outcome === "wide") return this.#narrowForTime(laneCount(set));
    const { machine, wrt } = this.#job;
    const live = liveLanes(machine, laneCount(set));
    const pending = this.#pending(set, failed, live);
    if (!live.includes(1)) return { ...DONE, pending };
    const isKept = level === RECORD_VARYING && outcome === "done" ? 1 : 0;
    const at = machine.exports.endWalk(wrt.length > 0 ? 1 : 0, isKept);
    return this.#end(set, pending, live, readReport(machine, at), failed);
  }

  /** Walks one chunk, whatever happens on the way. */
  *walk(set: LaneSet, level: number, strays = 0): Generator<void, WalkedChunk | undefined> {
    const walked = this.start(set, level, strays);
    return this.isOpen ? yield* this.goOn() : walked;
  }

  /**
   * Walks all lanes in one slice, for work inside the machine: nobody takes their results. Undefined
   * where that is not all, or where they take more than `bytesMax`. Before very many lanes are walked,
   * a few of them tell what one takes.
   */
  walkAllLanes(steps: number, bytesMax: number): Trace | undefined {
    const { lanes } = this.#job;
    if (lanes > WIDTH_MAX && !this.#fits(FIRST_WIDTH, steps, (bytesMax * FIRST_WIDTH) / lanes))
      return undefined;
    const report = this.#fits(lanes, steps, lanes > 1 ? bytesMax : Number.POSITIVE_INFINITY);
    return report === undefined ? undefined : this.#keep(report, lanes, lanes);
  }

  /** The report of one slice of the first lanes, where it was all and took no more than `bytesMax`. */
  #fits(lanes: number, steps: number, bytesMax: number): WalkReport | undefined {
    if (!this.#begin({ from: 0, to: lanes }, RECORD_VARYING, 0)) return undefined;
    const report = this.#slice(Math.min(steps, this.stepsMax), RECORD_VARYING);
    if (report === undefined || report.linked !== LINK_DONE) return undefined;
    const { primalBytes, adjointBytes } = report.counters;
    return primalBytes + adjointBytes > bytesMax ? undefined : report;
  }

  #begin(set: LaneSet, level: number, strays: number): boolean {
    const { totals } = this;
    totals.walks += 1;
    totals.chunkWidth = Math.max(totals.chunkWidth, laneCount(set));
    this.#job.machine.traceSlots.useWalk();
    const { tapeBytesMax, isOptional, stepsMax } = this;
    const limits: WalkLimits = { level, strays, tapeBytesMax, isOptional, stepsMax };
    if (!beginWalk(this.#job, set, limits)) return false;
    if (this.#isTimed) this.#job.machine.exports.watchClock(SLICE_ELEMENTS, TOGETHER_ELEMENTS);
    return true;
  }

  /** The first slice of a walk; its report where that was all and no lane left it. */
  #slice(steps: number, level: number): WalkReport | undefined {
    const { machine, wrt } = this.#job;
    const isKept = level === RECORD_VARYING ? 1 : 0;
    const at = machine.exports.walkSlice(steps, wrt.length > 0 ? 1 : 0, isKept);
    if (at === 0) return undefined;
    this.#addTotals();
    return readReport(machine, at);
  }

  /** Walks slice by slice until no lane of the chunk is undecided. */
  *#walkSlices({ set, failed }: OpenWalk): Generator<void, "done" | "partial" | "short" | "wide"> {
    const { exports } = this.#job.machine;
    const slice = this.#sliceSteps();
    let outcome: "done" | "partial" = "done";
    let state = exports.walkState.value as number;
    while (state !== WALK_DONE) {
      if (state === WALK_FAULT) {
        const ended = this.#fault(set, failed);
        if (ended === "short" || ended === "wide") return ended;
        if (ended === "defer") outcome = "partial";
      } else {
        if (this.#exhaust(set, failed)) outcome = "partial";
        this.checkTime();
        yield;
      }
      exports.beginSlice(slice);
      state = exports.walk();
    }
    return outcome;
  }

  /** Takes what a walk came to in its live lanes, and keeps its trace. */
  #end(
    set: LaneSet,
    pending: readonly number[],
    live: Uint8Array,
    report: WalkReport,
    failed?: Uint8Array,
  ): WalkedChunk | undefined {
    const count = laneCount(set);
    if (!this.#hasAdjoints(report)) {
      const again = this.#shortage(set, failed);
      return again === undefined ? undefined : { ...again, pending };
    }
    const { value, hasMerges, counters } = report;
    const taken = failed === undefined ? count : live.reduce((sum, one) => sum + one, 0);
    const trace = report.linked === LINK_DONE ? this.#keep(report, count, taken) : undefined;
    this.#port.take({ set, live, value, hasMerges });
    const bytesPerLane = (counters.primalBytes + counters.adjointBytes) / count;
    return { pending, trace, counters, bytesPerLane };
  }

  /** Lanes that have neither a result nor a failure. */
  #pending(set: LaneSet, failed: Uint8Array, live: Uint8Array): readonly number[] {
    const pending: number[] = [];
    const count = live.length;
    for (let i = 0; i < count; i++)
      if (live[i] === 0 && failed[i] === 0) pending.push(laneAt(set, i));
    // Each walk decides a lane, or the next one is narrower: otherwise a run would never end.
    if (pending.length === count && this.#widthLimit >= count)
      throw new Error("a walk decided no lane");
    return pending;
  }

  #keep(report: WalkReport, width: number, taken: number): Trace | undefined {
    const { program, signature } = this.#job;
    const { traces } = program;
    const trace = traces.keep(report, signature, width, isThin(report.strays, taken));
    if (trace !== undefined) traces.took(trace, taken);
    return trace;
  }

  /** Whether there is room for a backward pass, where one is wanted. */
  #hasAdjoints({ linked, hasMerges }: WalkReport): boolean {
    const { exports } = this.#job.machine;
    if (linked === LINK_SPOILED || this.#port.backward === undefined)
      return linked !== LINK_SPOILED;
    if (linked === LINK_REFUSED && exports.beginBackward() === 0) return false;
    return exports.reserveBackward(hasMerges) !== 0;
  }

  /**
   * Memory was short: with less to record, or narrower, it may do, and the lanes are walked anew. A
   * single lane that nothing helps reports it.
   */
  #shortage(set: LaneSet, known?: Uint8Array): WalkedChunk | undefined {
    const { machine, program } = this.#job;
    const { exports } = machine;
    const isAlone = laneCount(set) === 1;
    if (this.replays && !this.#recordsLeast && (isAlone || this.isOptional)) {
      this.#recordsLeast = true;
      if (isAlone && (this.#isTapeShort || this.#isAfresh)) this.#shortAlone = laneAt(set, 0);
      return undefined;
    }
    if (!isAlone) return this.#narrow(laneCount(set));
    if (this.#isHindered(laneAt(set, 0))) return this.#narrow(1);
    const failed = known ?? new Uint8Array(1);
    failed.fill(1);
    this.#widenAgain();
    settleShortage(machine);
    this.#port.results.fail(set, failed, machineFault(machine, program));
    exports.abandon();
    return DONE;
  }

  /**
   * Whether what ran before, or who runs beside it, may be why memory is short for a lane that is
   * alone: then it is to be walked anew, with nothing of that left.
   */
  #isHindered(lane: number): boolean {
    // It may do where it records more: only then do its adjoints share their places.
    const mayRecordMore = this.#recordsLeast && this.#shortAlone !== lane;
    if (mayRecordMore) this.#recordsLeast = false;
    if (this.#isTapeShort) return mayRecordMore;
    if (this.#isAfresh && !mayRecordMore) return false;
    this.#job.machine.clearMemory();
    return true;
  }

  /** Whether it is the tape's own limit that was passed, which nothing else counts for. */
  get #isTapeShort(): boolean {
    return (this.#job.machine.exports.faultCode.value as number) === FAULT_TAPE;
  }

  /** Whether the latest walk had all memory that a run may have. */
  get #isAfresh(): boolean {
    const { machine, program } = this.#job;
    const hasBegunFresh = machine.exports.beganFresh.value !== 0;
    return hasBegunFresh && !machine.hasFitBuffer && program.machineTraces() === 0;
  }

  /** What is walked next is half as wide. */
  #narrow(count: number): undefined {
    this.#widthLimit = Math.max(1, Math.floor(count / 2));
    this.#widthShort = Math.max(this.#widthShort, count);
    this.#job.program.traces.clear();
  }

  /** What is walked next is so narrow that its matrix operations end within the time of a look. */
  #narrowForTime(count: number): undefined {
    const times = Math.max(this.#job.machine.exports.timesTooWide(), NARROWING);
    const perVector = 16 / this.#job.machine.reals.bytes;
    const vectors = Math.max(1, Math.floor(this.#vectors(count) / times));
    this.#widthLimit = vectors * perVector;
  }

  /** The lane that took all the memory is found: others may do in wider chunks, if it was not many. */
  #widenAgain(): void {
    this.#lanesShort = Math.min(this.#lanesShort + 1, 31);
    this.#widthLimit = Math.max(1, this.#widthShort >> this.#lanesShort);
  }

  /** The lanes of the context failed: reports them, or sets them aside to be walked alone. */
  #fault(set: LaneSet, failed: Uint8Array): "failed" | "defer" | "short" | "wide" {
    const { machine } = this.#job;
    const { exports } = machine;
    const code = exports.faultCode.value as number;
    if (code === FAULT_MEMORY || code === FAULT_TAPE || code === FAULT_RECURSION) return "short";
    if (code === FAULT_STEPS && (exports.faultDetail.value as number) === STEPS_OF_WIDTH)
      return "wide";
    const lanes = contextLanes(machine, laneCount(set));
    const isShared = lanes.reduce((sum, one) => sum + one, 0) > 1;
    if (code === FAULT_STEPS && isShared && exports.allPassedBudget() === 0) {
      exports.abandon();
      this.#widthLimit = 1;
      return "defer";
    }
    const isExhausted =
      code === FAULT_STEPS && (exports.faultDetail.value as number) !== STEPS_OF_PRIMITIVE;
    if (isExhausted) this.#tooManySteps(set, lanes, machineFault(machine, this.#job.program).span);
    else this.#port.fail(set, lanes);
    mark(failed, lanes);
    exports.abandon();
    return "failed";
  }

  /** Lanes have taken all the steps they may: between two cells, or inside a primitive at `span`. */
  #tooManySteps(set: LaneSet, lanes: Uint8Array, span?: Span): void {
    const { machine, program } = this.#job;
    const { stepsMax } = this;
    const what = `took more than ${stepsMax} steps`;
    const error = limitError(machine, program, "E-STEPS", what, "stepsMax", stepsMax, span);
    this.#port.results.fail(set, lanes, error);
  }

  /** Reports lanes that have used up their steps. */
  #exhaust(set: LaneSet, failed: Uint8Array): boolean {
    const { machine } = this.#job;
    const { exports } = machine;
    const count = laneCount(set);
    const at = machine.laneBuffer;
    if (exports.exhaustedLanes(at) === 0) return false;
    const lanes = new Uint8Array(exports.memory.buffer, at, count).slice();
    this.#tooManySteps(set, lanes);
    mark(failed, lanes);
    if (exports.countingLanes() === 0) exports.skipDead();
    return true;
  }

  #addTotals(): void {
    const { exports } = this.#job.machine;
    const { totals } = this;
    this.#latestSteps = exports.stepsTaken();
    totals.steps += this.#latestSteps;
    totals.divergentBranches += exports.laneCount(0);
    totals.merges += exports.laneCount(1);
    totals.buckets += exports.laneCount(2);
  }
}

function mark(failed: Uint8Array, lanes: Uint8Array): void {
  for (let i = 0; i < lanes.length; i++) if (lanes[i] === 1) failed[i] = 1;
}
