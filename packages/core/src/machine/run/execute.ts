/**
 * Execution: takes a run's lanes through the machine, chunk by chunk.
 *
 * Lanes stream through kept traces first; lanes that fail a guard, or whose structure parts from
 * their neighbours', stay pending and are walked in batches of their own. What a lane gets does
 * not depend on who runs beside it, so neither order nor grouping shows in the results.
 *
 * Execution is a generator that yields wherever a walk pauses: a synchronous caller runs it to its
 * end, an asynchronous one lets the event loop in between.
 */

import {
  FAULT_MEMORY,
  FAULT_RECURSION,
  FAULT_STEPS,
  FAULT_TAPE,
  LINK_DONE,
  LINK_REFUSED,
  LINK_SPOILED,
  RECORD_ACTIVE_ONLY,
  RECORD_BRANCHES,
  RECORD_NOTHING,
  RECORD_VARYING,
  WALK_DONE,
  WALK_FAULT,
} from "../../program/layout.js";
import type { Bound } from "../inputs/inputs.js";
import type { Machine } from "../machine.js";
import type { Program } from "../program.js";
import { limitError, machineFault, settleShortage } from "../reports/sites.js";
import { type MachineValue, payloadOf } from "../results/payloads.js";
import { type RecordedInput, type ResultArrays, Results } from "../results/results.js";
import type { Axis, RunOptions, RunStats } from "../types.js";
import { joined, type LaneSet, laneAt, laneCount, listOf, splitLanes } from "./chunk.js";
import {
  beginWalk,
  contextLanes,
  countWalk,
  failLanes,
  liveLanes,
  writeInputs,
} from "./chunk-walk.js";
import {
  delaySorting,
  isMiss,
  isSurveyDue,
  isThin,
  isWidthFitting,
  MISSES_MAX,
  signatureOf,
  straysAllowed,
  type Trace,
  type WalkCounters,
  wantsSorting,
} from "./traces.js";

/** Steps between two looks at the clock: below a millisecond, a few on a busy machine. */
const SLICE = 20_000;
const STEPS_MAX = 1e9;
/** Lanes of the first walk of a program whose working set is not known yet. */
const FIRST_WIDTH = 128;
const WIDTH_MAX = 1024;
/** Primals and adjoints of a chunk should stay in a core's second-level cache. */
const CACHE_BYTES = 1536 * 1024;
/** A trace that is only there to evaluate again is given up beyond this. */
const OPTIONAL_TRACE_BYTES = 2 ** 26;
/** Milliseconds of replay between two looks at the clock and the caller's signal. */
const REPLAY_SLICE_MS = 5;
/** Lanes that are left over are replayed on a fresh trace where they are at least so many. */
const REPLAY_LEAST = 2;
/** Lanes whose result is not finite that are told why. */
const EXPLAINED_LANES = 64;
/** Chunks to come that make up for the walk which sorts them. */
const SORT_CHUNKS = 4;

export interface Job {
  readonly machine: Machine;
  readonly program: Program;
  readonly inputs: readonly Bound[];
  readonly lanes: number;
  readonly axes: readonly Axis[];
  readonly wrt: readonly RecordedInput[];
  /** Of each input, whether gradients are taken by it. */
  readonly wanted: readonly boolean[];
  readonly options: RunOptions;
  /** Whether the event loop is let in while the walk runs. */
  readonly isAsync?: boolean;
  /** Whether these are lanes of a larger run, which says what it means if all of them fail. */
  readonly isPart?: boolean;
  /** Where the results go; undefined: into arrays of their own. */
  readonly into?: ResultArrays | undefined;
  /** Whether everything is recorded, to tell where numbers come from. */
  readonly isTraced?: boolean;
  /** Of how many lanes that are not finite the cause is looked for. */
  readonly explains?: number;
  /** Runs a backward pass for the lanes of a chunk once they have their values. */
  readonly backward: ((chunk: Chunk) => void) | undefined;
  /** Whether branches leave notes on the tape; such a run is walked and keeps no trace. */
  readonly notesBranches?: boolean;
  /** Whether these are lanes of a session's run, which will come again. */
  readonly isRepeated?: boolean;
}

/** Lanes whose values have just been computed, while the machine still holds their trace. */
export interface Chunk {
  readonly set: LaneSet;
  readonly live: Uint8Array;
  readonly resultPayload: number;
  readonly isMixed: boolean;
  readonly results: Results;
}

/** Counters over all chunks of a run. */
interface Counters {
  steps: number;
  walks: number;
  replays: number;
  guardFailures: number;
  mixedBranches: number;
  merges: number;
  buckets: number;
  sortings: number;
  chunkWidth: number;
}

export class Execution {
  readonly results: Results;
  readonly #job: Job;
  readonly #signature: string;
  readonly #deadline: number;
  readonly #stepsMax: number;
  readonly #replays: boolean;
  readonly #counters: Counters = {
    steps: 0,
    walks: 0,
    replays: 0,
    guardFailures: 0,
    mixedBranches: 0,
    merges: 0,
    buckets: 0,
    sortings: 0,
    chunkWidth: 0,
  };
  /** Of the latest chunk: counters of its walk, or of the walk that made its trace. */
  #walked: WalkCounters | undefined;
  /** Memory or tape ran out while more was recorded than the run itself needs. */
  #recordsLeast = false;
  /** Widest chunk that memory allowed so far. */
  #widthLimit = Number.POSITIVE_INFINITY;
  /** Widest chunk that memory was short for, and lanes that memory is short for alone. */
  #widthShort = 0;
  #lanesShort = 0;

  constructor(job: Job) {
    this.#job = job;
    const wrt = job.backward === undefined ? [] : job.wrt;
    // A session tells nobody which lanes are not finite, and looking for the cause takes long.
    const explains = job.isRepeated ? undefined : (job.explains ?? EXPLAINED_LANES);
    this.results = new Results(
      job.program,
      job.lanes,
      wrt,
      explains,
      job.machine.memoryMax,
      job.into,
    );
    this.#signature = signatureOf(job.inputs, job.wanted);
    const { timeMax, stepsMax } = job.options;
    this.#deadline = timeMax === undefined ? Number.POSITIVE_INFINITY : performance.now() + timeMax;
    this.#stepsMax = Math.min(stepsMax ?? STEPS_MAX, Number.MAX_SAFE_INTEGER);
    this.#replays =
      !job.notesBranches && (job.options.replay ?? job.machine.mechanisms.replay ?? true);
    if (!job.isRepeated) job.program.traces.beginRun();
  }

  get axes(): readonly Axis[] {
    return this.#job.axes;
  }

  /** Runs all lanes. Yields where a walk pauses. */
  *run(): Generator<void, void> {
    const { program, lanes } = this.#job;
    let pending: LaneSet = { from: 0, to: lanes };
    if (this.#replays) pending = yield* this.#replayKept(pending);
    while (laneCount(pending) > 0) pending = yield* this.#walkAndReplay(pending);
    program.countRun();
    this.#throwIfAllFailed();
  }

  /** Runs lanes on the kept traces that suit them; returns those that none took. */
  *#replayKept(lanes: LaneSet): Generator<void, LaneSet> {
    const { program } = this.#job;
    let pending = lanes;
    let misses = 0;
    for (const trace of program.traces.matching(this.#signature)) {
      if (misses === MISSES_MAX || laneCount(pending) === 0) break;
      if (this.#isWorthwhile(trace, laneCount(pending)) && this.#wantsSorting(trace)) {
        delaySorting(trace);
        pending = yield* this.#walkAtWidth(pending, trace.width, true);
      }
      const tried = laneCount(pending);
      if (!trace.isKept || !this.#isWorthwhile(trace, tried)) continue;
      pending = yield* this.#replayAll(trace, pending);
      if (isMiss(tried, tried - laneCount(pending))) misses += 1;
    }
    return pending;
  }

  /** Whether lanes of a trace that few others go with should run by themselves. */
  #wantsSorting(trace: Trace): boolean {
    return this.#job.machine.mechanisms.sorting !== false && wantsSorting(trace);
  }

  #throwIfAllFailed(): void {
    const { failures, lanes } = this.results;
    if (failures.length === 0) return;
    failures.sort((a, b) => a.lane - b.lane);
    if (failures.length === lanes && !this.#job.isPart) throw failures[0]?.error;
  }

  /** Whether replaying at the trace's width beats walking. */
  #isWorthwhile(trace: Trace, lanes: number): boolean {
    if (lanes === 0 || !this.#isWithinBudgets(trace)) return false;
    return isWidthFitting(trace, Math.min(lanes, this.#widthFor(trace.bytesPerLane)));
  }

  /**
   * Whether a walk for any lanes of the trace would stay within the budgets: the steps of the walk
   * that made it, of both sides of its branches, are at least those of any lane's own path.
   */
  #isWithinBudgets(trace: Trace): boolean {
    const isWithinTape = this.#isOptional() || trace.recordedBytes <= this.#tapeBytesMax();
    return isWithinTape && trace.steps <= this.#stepsMax;
  }

  /** Whether recording is for replay only, so that a run can do without. */
  #isOptional(): boolean {
    return this.#job.backward === undefined && !this.#job.wanted.includes(true);
  }

  #tapeBytesMax(): number {
    const { options, machine } = this.#job;
    const budget = Math.min(options.tapeBytesMax ?? machine.memoryMax, machine.memoryMax);
    return this.#isOptional()
      ? Math.min(OPTIONAL_TRACE_BYTES, machine.memoryMax / 8, budget)
      : budget;
  }

  /** The width the caller wants, undefined where the working set decides. */
  #chunkWanted(): number | undefined {
    const { options, machine, lanes } = this.#job;
    return options.chunk ?? (machine.mechanisms.chunks === false ? lanes : undefined);
  }

  #widthFor(bytesPerLane: number): number {
    const chunk = this.#chunkWanted();
    if (chunk !== undefined) return Math.min(chunk, this.#widthLimit);
    const fitting = Math.floor(CACHE_BYTES / Math.max(bytesPerLane, 1));
    return Math.min(WIDTH_MAX, this.#widthLimit, Math.max(8, fitting - (fitting % 8)));
  }

  /** Streams lanes through a trace; returns those that failed a guard. Yields now and then. */
  *#replayAll(trace: Trace, lanes: LaneSet): Generator<void, LaneSet> {
    const { machine, program } = this.#job;
    program.traces.use(trace);
    trace.owner = undefined;
    this.#walked = trace.counters;
    const refused: number[] = [];
    const isSurvey = isSurveyDue(trace);
    let strays = 0;
    let rest = lanes;
    let pauseAt = performance.now() + REPLAY_SLICE_MS;
    while (laneCount(rest) > 0) {
      if (performance.now() >= pauseAt) {
        this.#checkTime();
        yield;
        program.traces.use(trace);
        pauseAt = performance.now() + REPLAY_SLICE_MS;
      }
      const [set, others] = splitLanes(rest, trace.width);
      rest = others;
      writeInputs(this.#job, set);
      const before = machine.exports.guardsFailed.value as number;
      if (isSurvey) machine.exports.beginSurvey();
      machine.exports.replay(laneCount(set));
      if (isSurvey) strays += machine.exports.endSurvey();
      this.#counters.replays += 1;
      this.#counters.guardFailures += (machine.exports.guardsFailed.value as number) - before;
      const live = liveLanes(machine, laneCount(set));
      this.#collectRefused(set, live, refused);
      this.#takeResult(set, live, trace.result, trace.isMixed);
    }
    const taken = laneCount(lanes) - refused.length;
    if (isSurvey) trace.isThin = isThin(strays, taken);
    program.traces.took(trace, taken);
    // Where no lane was taken they are as they were: neighbours, not a list.
    return taken === 0 ? lanes : { list: refused };
  }

  #checkTime(): void {
    const { machine, program } = this.#job;
    if (performance.now() >= this.#deadline)
      throw limitError(
        machine,
        program,
        "E-TIME",
        `ran longer than ${this.#job.options.timeMax} ms`,
        "timeMax",
        this.#job.options.timeMax ?? 0,
      );
  }

  #collectRefused(set: LaneSet, live: Uint8Array, into: number[]): void {
    for (let i = 0; i < live.length; i++) if (live[i] === 0) into.push(laneAt(set, i));
  }

  #takeResult(set: LaneSet, live: Uint8Array, value: MachineValue, isMixed: boolean): void {
    if (!live.includes(1)) return;
    const { results } = this;
    results.take(this.#job.machine, value, { set, live });
    this.#job.backward?.({ set, live, resultPayload: payloadOf(value), isMixed, results });
  }

  /** Walks the first lanes of a set, then replays the others on the trace that came of it. */
  *#walkAndReplay(pending: LaneSet): Generator<void, LaneSet> {
    const { program } = this.#job;
    const total = laneCount(pending);
    const first = Math.min(this.#chunkWanted() ?? FIRST_WIDTH, this.#widthLimit, total);
    const [set, others] = splitLanes(pending, first);
    const level = this.#recordingLevel(laneCount(others) > 0);
    const walked = yield* this.#walk(set, level);
    if (walked === undefined) return pending;
    const left = laneCount(others) === 0 ? walked.pending : [...walked.pending, ...listOf(others)];
    const trace = walked.trace;
    const canReplay = trace !== undefined && this.#isWithinBudgets(trace);
    if (!canReplay || laneCount(others) < REPLAY_LEAST)
      return laneCount(others) === 0 ? { list: walked.pending } : joined(walked.pending, others);
    const width = this.#widthFor(trace.bytesPerLane);
    const isFar =
      laneCount(others) > width && (width * 2 <= trace.width || width >= trace.width * 2);
    const wantsSorting = this.#wantsSorting(trace);
    if (isFar && this.#chunkWanted() === undefined && walked.pending.length === 0) {
      // A second walk at the width that suits the working set costs little beside many chunks.
      program.traces.drop(trace);
      return yield* this.#walkAtWidth(others, width, wantsSorting);
    }
    if (wantsSorting && laneCount(others) >= SORT_CHUNKS * trace.width) {
      delaySorting(trace);
      return joined(walked.pending, yield* this.#walkAtWidth(others, trace.width, true));
    }
    const refused = yield* this.#replayAll(trace, others);
    return left.length === 0 ? refused : { list: [...walked.pending, ...listOf(refused)] };
  }

  /**
   * Walks lanes of a set and replays the others on the trace that came of it. Where they are
   * sorted, lanes that few others go with leave the walk, and its trace refuses their like.
   */
  *#walkAtWidth(lanes: LaneSet, width: number, isSorting: boolean): Generator<void, LaneSet> {
    const [set, others] = splitLanes(lanes, width);
    const strays = isSorting ? straysAllowed(laneCount(set)) : 0;
    if (isSorting) this.#counters.sortings += 1;
    const walked = yield* this.#walk(set, this.#recordingLevel(true), strays);
    if (walked === undefined) return lanes;
    if (isSorting && walked.trace !== undefined) delaySorting(walked.trace);
    if (walked.trace === undefined || !this.#isWithinBudgets(walked.trace))
      return joined(walked.pending, others);
    const refused = yield* this.#replayAll(walked.trace, others);
    return { list: [...walked.pending, ...listOf(refused)] };
  }

  #recordingLevel(hasMoreLanes: boolean): number {
    const { wrt, program, backward, isTraced } = this.#job;
    const isGradient = wrt.length > 0 || backward !== undefined;
    if (this.#recordsLeast) return isGradient ? RECORD_ACTIVE_ONLY : RECORD_NOTHING;
    if (isTraced) return RECORD_VARYING;
    if (this.#job.notesBranches) return RECORD_BRANCHES;
    if (!this.#replays) return isGradient ? RECORD_ACTIVE_ONLY : RECORD_NOTHING;
    if (isGradient) return RECORD_VARYING;
    const comesAgain = hasMoreLanes || program.runs > 0 || this.#job.isRepeated;
    return comesAgain ? RECORD_VARYING : RECORD_NOTHING;
  }

  /**
   * Walks one chunk. So many `strays` may leave it for being with few others at some branch.
   * Undefined: memory was short and the chunk must be narrower.
   */
  *#walk(set: LaneSet, level: number, strays = 0): Generator<void, Walked | undefined> {
    const { machine, program, wrt } = this.#job;
    const count = laneCount(set);
    this.#counters.walks += 1;
    this.#counters.chunkWidth = Math.max(this.#counters.chunkWidth, count);
    machine.parking.useWalk();
    const failed = new Uint8Array(count);
    const outcome = yield* this.#walkLanes(set, level, failed, strays);
    this.#addCounters();
    if (outcome === "again") return undefined;
    if (outcome === "narrow") return this.#narrow(count);
    const live = liveLanes(machine, count);
    const pending: number[] = [];
    for (let i = 0; i < count; i++)
      if (live[i] === 0 && failed[i] === 0) pending.push(laneAt(set, i));
    const { exports } = machine;
    // Each walk decides a lane, or the next one is narrower: otherwise a run would never end.
    if (pending.length === count && this.#widthLimit >= count)
      throw new Error("a walk decided no lane");
    if (!live.includes(1)) return { pending, trace: undefined };
    const result = { tag: exports.resultTag(), data: exports.resultData() };
    const steps = exports.stepsTaken();
    const tapeRecords = exports.activeRecords.value as number;
    const recordedBytes = exports.bytesUsed(0) + exports.bytesUsed(1) + exports.bytesUsed(2);
    const canReplay =
      level === RECORD_VARYING && exports.recordingLevel() === level && outcome === "done";
    const differentiated = wrt.length > 0 ? payloadOf(result) : -1;
    const linked = canReplay ? exports.link(differentiated) : LINK_REFUSED;
    if (!this.#hasAdjoints(linked)) {
      const next = this.#narrowOr(set, failed);
      if (next === "narrow") return this.#narrow(count);
      return next === "again" ? undefined : { pending, trace: undefined };
    }
    this.#walked = countWalk(exports, tapeRecords);
    const taken = live.reduce((sum, one) => sum + one, 0);
    const isFew = isThin(exports.strayLanes(), taken);
    const isMixed = exports.isMixed() !== 0;
    const known = {
      signature: this.#signature,
      width: count,
      result,
      isMixed,
      steps,
      recordedBytes,
      counters: this.#walked,
      isThin: isFew,
    };
    const trace = linked === LINK_DONE ? program.traces.keep(known) : undefined;
    if (trace !== undefined) program.traces.took(trace, taken);
    this.#takeResult(set, live, result, isMixed);
    return { pending, trace };
  }

  /** Memory was short: what is walked next is half as wide. */
  #narrow(count: number): undefined {
    this.#widthLimit = Math.max(1, Math.floor(count / 2));
    this.#widthShort = Math.max(this.#widthShort, count);
    this.#job.program.traces.clear();
  }

  /** Whether there is room for a backward pass, where one is wanted. */
  #hasAdjoints(linked: number): boolean {
    const { backward, machine } = this.#job;
    const { exports } = machine;
    if (linked === LINK_SPOILED || backward === undefined) return linked !== LINK_SPOILED;
    if (linked === LINK_REFUSED && exports.beginBackward() === 0) return false;
    return exports.reserveBackward(exports.isMixed() !== 0) !== 0;
  }

  /** Binds and walks until no lane of the chunk is left undecided. */
  *#walkLanes(
    set: LaneSet,
    level: number,
    failed: Uint8Array,
    strays: number,
  ): Generator<void, "done" | "partial" | "narrow" | "again"> {
    const { exports } = this.#job.machine;
    const count = laneCount(set);
    const limits = {
      level,
      strays,
      tapeBytesMax: this.#tapeBytesMax(),
      isOptional: this.#isOptional(),
      stepsMax: this.#stepsMax,
    };
    if (!beginWalk(this.#job, set, limits)) return this.#narrowOr(set, failed);
    let outcome: "done" | "partial" = "done";
    const isTimed = this.#job.isAsync === true || this.#deadline !== Number.POSITIVE_INFINITY;
    const limit = isTimed ? SLICE : this.#stepsMax;
    while (true) {
      exports.beginSlice(Math.min(limit, this.#stepsMax));
      const state = exports.walk();
      if (state === WALK_DONE) return outcome;
      if (state === WALK_FAULT) {
        const ended = this.#fault(set, failed);
        if (ended === "narrow") return this.#narrowOr(set, failed);
        if (ended === "defer") outcome = "partial";
        continue;
      }
      if (this.#exhaust(set, failed, count)) outcome = "partial";
      this.#checkTime();
      yield;
    }
  }

  /** Memory was short: with less to record, or narrower, it may do; a single lane reports it. */
  #narrowOr(set: LaneSet, failed: Uint8Array): "narrow" | "again" | "done" {
    const { program } = this.#job;
    const { exports } = this.#job.machine;
    const isAlone = laneCount(set) === 1;
    if (this.#replays && !this.#recordsLeast && (isAlone || this.#isOptional())) {
      this.#recordsLeast = true;
      return "again";
    }
    if (!isAlone) return "narrow";
    // What ran before must not matter: try again with nothing of it left in memory.
    const isTape = (exports.faultCode.value as number) === FAULT_TAPE;
    if (!isTape && (program.machineTraces() > 0 || exports.beganFresh.value === 0)) {
      this.#job.machine.clearMemory();
      return "narrow";
    }
    failed.fill(1);
    this.#widenAgain();
    settleShortage(this.#job.machine);
    this.results.fail(set, failed, machineFault(this.#job.machine, program));
    this.#job.machine.exports.abandon();
    return "done";
  }

  /** The lane that took all the memory is found: others may do in wider chunks, if it was not many. */
  #widenAgain(): void {
    this.#lanesShort = Math.min(this.#lanesShort + 1, 31);
    this.#widthLimit = Math.max(1, this.#widthShort >> this.#lanesShort);
  }

  /** The lanes of the context failed: reports them, or sets them aside to be walked alone. */
  #fault(set: LaneSet, failed: Uint8Array): "failed" | "defer" | "narrow" {
    const { machine } = this.#job;
    const { exports } = machine;
    const code = exports.faultCode.value as number;
    const isMemory = code === FAULT_MEMORY || code === FAULT_TAPE || code === FAULT_RECURSION;
    if (isMemory) return "narrow";
    const lanes = contextLanes(machine, laneCount(set));
    const isShared = lanes.reduce((sum, one) => sum + one, 0) > 1;
    if (code === FAULT_STEPS && isShared && exports.allPassedBudget() === 0) {
      exports.abandon();
      this.#widthLimit = 1;
      return "defer";
    }
    failLanes(this.#job, this.results, set, lanes);
    lanes.forEach((one, i) => {
      if (one === 1) failed[i] = 1;
    });
    exports.abandon();
    return "failed";
  }

  /** Reports lanes that have used up their steps. */
  #exhaust(set: LaneSet, failed: Uint8Array, count: number): boolean {
    const { machine, program } = this.#job;
    const { exports } = machine;
    const at = machine.laneBuffer(count);
    const over = exports.exhaustedLanes(at);
    if (over === 0) return false;
    const lanes = new Uint8Array(exports.memory.buffer, at, count).slice();
    const error = limitError(
      machine,
      program,
      "E-STEPS",
      `took more than ${this.#stepsMax} steps`,
      "stepsMax",
      this.#stepsMax,
    );
    this.results.fail(set, lanes, error);
    lanes.forEach((one, i) => {
      if (one === 1) failed[i] = 1;
    });
    if (exports.countingLanes() === 0) exports.skipDead();
    return true;
  }

  #addCounters(): void {
    const { exports } = this.#job.machine;
    this.#counters.steps += exports.stepsTaken();
    this.#counters.mixedBranches += exports.branchesMixed.value as number;
    this.#counters.merges += exports.mergesMade.value as number;
    this.#counters.buckets += exports.bucketsMade.value as number;
  }

  stats(): RunStats {
    const { machine, lanes, program } = this.#job;
    const { exports } = machine;
    return {
      lanes,
      ...this.#counters,
      traces: program.traces.count,
      smallShapeCalls: exports.smallShapeCalls.value as number,
      integerPoolHits: exports.integerPoolHits.value as number,
      ...(this.#walked ?? countWalk(exports, 0)),
      memoryBytes: exports.memoryBytes(),
    };
  }
}

interface Walked {
  readonly pending: readonly number[];
  readonly trace: Trace | undefined;
}
