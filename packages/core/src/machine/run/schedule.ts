/**
 * The scheduler: decides which lanes of a run go on which trace, in which chunks, and which of them
 * are walked. Runs and sessions alike are scheduled here; they differ by the port that moves their
 * numbers.
 *
 * Lanes stream through kept traces first; lanes that fail a guard, or whose structure parts from
 * their neighbours', stay pending and are walked in batches of their own. What a lane gets does
 * not depend on who runs beside it, so neither order nor grouping shows in the results.
 *
 * `begin` does what needs no pause: all lanes as one chunk of the trace that they will probably go
 * on. `finish` does the rest. It is a generator that yields wherever a walk pauses: a synchronous
 * caller runs it to its end, an asynchronous one lets the event loop in between.
 */

import {
  RECORD_ACTIVE_ONLY,
  RECORD_ALL,
  RECORD_BRANCHES,
  RECORD_NOTHING,
  RECORD_VARYING,
} from "../../program/layout.js";
import { Candidates } from "./candidates.js";
import { joined, type LaneSet, laneCount, listOf, splitLanes } from "./chunk.js";
import { addRefused, readCounters } from "./chunk-walk.js";
import { isReplaying, type Job, type Manner } from "./job.js";
import { addFork, forkAt } from "./paths.js";
import type { Port } from "./port.js";
import { UNINTERRUPTED_STEPS } from "./steps.js";
import {
  delaySorting,
  isSurveyDue,
  isThin,
  straysAllowed,
  type Trace,
  type WalkCounters,
  wantsSorting,
} from "./traces.js";
import { type WalkedChunk, Walker } from "./walker.js";
import { evenWidth, FIRST_WIDTH, ROOMY, WIDTH_LEAST, WIDTH_MAX } from "./widths.js";

/** Milliseconds of replays or whole walks between two looks at the clock and the caller's signal. */
const REPLAY_SLICE_MS = 5;
/** Lanes that are left over are replayed on a fresh trace where they are at least so many. */
const REPLAY_LEAST = 2;
/** Chunks to come that make up for the walk which sorts them. */
const SORT_CHUNKS = 4;
const NO_LANES: LaneSet = { from: 0, to: 0 };

/** Counters over all runs of a scheduler. */
export interface Counters {
  readonly walks: number;
  readonly replays: number;
  readonly sortings: number;
}

export class Scheduler {
  readonly walker: Walker;
  readonly #job: Job;
  readonly #port: Port;
  readonly #manner: Manner;
  readonly #all: LaneSet;
  readonly #replays: boolean;
  readonly #sorts: boolean;
  /** Whether traces are found by the decisions of the one lane there is. */
  readonly #isPath: boolean;
  /** Whether the one lane there is is walked in every run: nothing is replayed, noted or timed. */
  readonly #isAlwaysWalked: boolean;
  /** Whether the run under way is walked without looking for a trace. */
  #isResting = false;
  readonly #candidates: Candidates;
  /** The trace that refused the lane last, and the record of the guard. */
  #refusedBy: Trace | undefined;
  #refusedAt = -1;
  #replayed = 0;
  #sorted = 0;
  /** Lanes that the run under way has not done. */
  #rest: LaneSet = NO_LANES;
  #latest: WalkCounters | undefined;
  /** The trace that took all lanes of the run before as one chunk, and had no branch both ways. */
  #usual: Trace | undefined;
  /** Bytes of primals and adjoints that a lane took in the latest walk of a run that comes again. */
  #bytesPerLane: number | undefined;

  constructor(job: Job, port: Port, manner: Manner) {
    const { mechanisms } = job.machine;
    this.#job = job;
    this.#port = port;
    this.#manner = manner;
    this.#all = { from: 0, to: job.lanes };
    this.#replays = !manner.notesBranches && !manner.isTraced && isReplaying(job);
    this.#sorts = mechanisms.sorting !== false;
    this.#isPath = job.lanes === 1 && mechanisms.paths !== false && this.#replays;
    const isPlain = !manner.isTraced && !manner.notesBranches && job.options.timeMax === undefined;
    this.#isAlwaysWalked = job.lanes === 1 && !this.#replays && isPlain;
    this.walker = new Walker(job, port, this.#replays);
    this.#candidates = new Candidates(job, this.walker, this.#isPath);
  }

  get counters(): Counters {
    return {
      walks: this.walker.totals.walks,
      replays: this.#replayed,
      sortings: this.#sorted,
    };
  }

  /** Walks that sorted lanes by path. */
  get sortings(): number {
    return this.#sorted;
  }

  /** Chunks that ran on kept traces. */
  get replays(): number {
    return this.#replayed;
  }

  /**
   * Of the latest chunk: counters of its walk, or of the walk that made its trace. The machine must
   * not have run since.
   */
  get latest(): WalkCounters {
    if (this.#latest !== undefined) return this.#latest;
    const { machine } = this.#job;
    return readCounters(machine, machine.exports.endWalk(0, 0));
  }

  /**
   * Begins a run and does what needs no pause, where all lanes make one chunk; true where that was
   * all. `isLong` leaves even that to `finish`, which pauses.
   */
  begin(isLong = false): boolean {
    if (this.#isAlwaysWalked && !isLong) {
      this.walker.begin();
      this.#rest = this.#all;
      return this.#walkSingle();
    }
    const { program, signature, lanes } = this.#job;
    program.traces.beginRun();
    let passed = -1;
    const usual =
      isLong || this.#candidates.group?.expects(this.#usual) !== true ? undefined : this.#usual;
    if (usual !== undefined) {
      passed = this.#replayUsual(usual);
      if (passed === lanes) return true;
    }
    this.walker.begin();
    this.#rest = this.#all;
    const group = this.#replays ? program.traces.group(signature) : undefined;
    this.#isResting = this.#isPath && group?.habit.rests() === true;
    this.#candidates.begin(this.#isResting ? undefined : group);
    this.#refusedAt = -1;
    if (isLong || lanes > WIDTH_MAX) return false;
    if (lanes === 1 && this.#keepsNothing) return this.#walkSingle();
    return this.#replayOne(usual, passed) || this.#walkOne();
  }

  /** Whether the run under way neither looks for a trace nor leaves one. */
  get #keepsNothing(): boolean {
    const { isTraced, notesBranches } = this.#manner;
    return (!this.#replays || this.#isResting) && isTraced !== true && notesBranches !== true;
  }

  /** Walks the one lane there is, as far as that needs no pause; whether it is over. */
  #walkSingle(): boolean {
    const level = this.#recordingLevel(false);
    const walked = this.walker.startSingle(this.#rest, level, UNINTERRUPTED_STEPS);
    if (walked !== "done") return this.#endWalk(walked);
    this.#latest = undefined;
    this.#rest = NO_LANES;
    this.#job.program.countRun();
    return true;
  }

  /** Runs all lanes on the trace that took them in the run before; how many passed its guards. */
  #replayUsual(trace: Trace): number {
    const { program, lanes } = this.#job;
    program.traces.use(trace);
    this.#latest = trace.counters;
    trace.tries += 1;
    const passed = this.#port.replay(trace, this.#all);
    this.#replayed += 1;
    if (passed !== lanes) return passed;
    program.traces.took(trace, lanes);
    this.#candidates.group?.follow(trace);
    this.#candidates.group?.habit.found();
    program.countRun();
    return passed;
  }

  /** Runs the lanes that `begin` has left. `isAsync`: walks pause, to let the event loop in. */
  *finish(isAsync = false): Generator<void, void> {
    const { walker } = this;
    walker.isAsync = isAsync;
    let pending = this.#rest;
    if (walker.isOpen) pending = yield* this.#walkOn();
    else pending = yield* this.#replayKept(pending);
    let pauseAt = performance.now() + REPLAY_SLICE_MS;
    while (laneCount(pending) > 0) {
      pending = yield* this.#walkAndReplay(pending);
      // A walk that ends within its first slice has not looked at the clock.
      if (laneCount(pending) === 0 || performance.now() < pauseAt) continue;
      walker.checkTime();
      yield;
      pauseAt = performance.now() + REPLAY_SLICE_MS;
    }
    this.#settle();
    this.#throwIfAllFailed();
  }

  #settle(): void {
    const { program, signature } = this.#job;
    this.#rest = NO_LANES;
    // A run that did not look for a trace tells nothing about them.
    if (this.#isResting) {
      program.countRun();
      return;
    }
    const group = program.traces.group(signature);
    group?.settle(this.walker.hasWalked);
    if (this.#isPath && this.walker.hasWalked) group?.habit.missed();
    program.countRun();
  }

  #throwIfAllFailed(): void {
    const { failed, lanes } = this.#port.results;
    if (failed?.count === lanes && !this.#manner.isPart) throw failed.first;
  }

  // ─── Kept traces ──────────────────────────────────────────────────────────

  /**
   * Runs all lanes as one chunk on kept traces, one after the other; whether one took them all. So
   * many lanes `passed` the guards of a trace that was the first to run already.
   */
  #replayOne(first: Trace | undefined, passed: number): boolean {
    for (let trace = this.#likelyOne(); trace !== undefined; trace = this.#likelyOne()) {
      const tried = laneCount(this.#rest);
      const hasRun = trace === first && this.#candidates.isFirst;
      const isSurvey = !hasRun && this.#enter(trace);
      const refused = hasRun
        ? this.#refusedOf(this.#rest, passed, undefined)
        : this.#replayChunk(trace, this.#rest, undefined);
      this.#rest = this.#leave(trace, this.#rest, refused, isSurvey);
      if (refused === undefined) return this.#endOn(trace, tried);
      if (this.#isPath && trace.width === 1) {
        const found = this.#goPath(trace);
        if (found !== undefined) return this.#endOn(found, tried);
      }
      this.#candidates.passOn(trace, tried, refused.length);
    }
    return false;
  }

  /** The lanes that were left went on a trace. */
  #endOn(trace: Trace, lanes: number): boolean {
    if (lanes < this.#job.lanes) this.#settle();
    else {
      this.#usual = trace.hasMerges ? undefined : trace;
      this.#candidates.group?.follow(trace);
      this.#candidates.group?.habit.found();
      this.#job.program.countRun();
    }
    return true;
  }

  /**
   * Takes one lane, which a trace has refused, along the forks of its path. Returns the trace that
   * took it; undefined where none does, and remembers where the last of them refused it.
   */
  #goPath(first: Trace): Trace | undefined {
    const { exports } = this.#job.machine;
    let from = first;
    let record = exports.forsakenAt.value as number;
    let fork = forkAt(from, record);
    let index = 0;
    while (fork !== undefined && index < fork.traces.length) {
      const trace = fork.traces[index++] as Trace;
      if (trace === from || !this.walker.allows(trace)) continue;
      this.#enter(trace);
      if (fork.bytes > 0) exports.resumeAt(record, fork.bytes);
      if (this.#port.replay(trace, this.#rest) === 1) {
        this.#replayed += 1;
        this.#rest = this.#leave(trace, this.#rest, undefined, false);
        return trace;
      }
      this.#replayed += 1;
      const at = exports.forsakenAt.value as number;
      from = trace;
      if (at === record) continue;
      record = at;
      fork = forkAt(from, record);
      index = 0;
    }
    this.#refusedBy = from;
    this.#refusedAt = record;
    return undefined;
  }

  /** A trace of one lane was kept: it parts from the one that refused the lane last. */
  #addPath(trace: Trace): void {
    const other = this.#refusedBy;
    const record = this.#refusedAt;
    if (other === undefined || record < 0 || !other.isKept) return;
    const bytes = this.#job.machine.exports.sharedPrimals(other.handle, record);
    if (bytes >= 0) addFork(trace, other, record, bytes);
  }

  /** The next candidate, where the lanes that are left make one chunk of it. */
  #likelyOne(): Trace | undefined {
    const left = laneCount(this.#rest);
    const trace = this.#candidates.next(left);
    const isOne = trace !== undefined && left <= trace.width && !this.#wantsSorting(trace);
    return isOne ? trace : undefined;
  }

  /** Runs lanes on the kept traces that suit them; returns those that none took. */
  *#replayKept(lanes: LaneSet): Generator<void, LaneSet> {
    let pending = lanes;
    for (;;) {
      const trace = this.#candidates.next(laneCount(pending));
      if (trace === undefined) return pending;
      if (this.#wantsSorting(trace)) {
        delaySorting(trace);
        pending = yield* this.#walkAtWidth(pending, trace.width, true);
        continue;
      }
      const tried = laneCount(pending);
      pending = yield* this.#stream(trace, pending);
      this.#candidates.passOn(trace, tried, laneCount(pending));
    }
  }

  /** Whether lanes of a trace that few others go with should run by themselves. */
  #wantsSorting(trace: Trace): boolean {
    return this.#sorts && wantsSorting(trace);
  }

  /** Makes a trace the current one for some chunks; whether its branches are surveyed meanwhile. */
  #enter(trace: Trace): boolean {
    const { machine, program } = this.#job;
    program.traces.use(trace);
    this.#latest = trace.counters;
    const isSurvey = isSurveyDue(trace);
    if (isSurvey) machine.exports.beginSurvey();
    return isSurvey;
  }

  /** Ends what `enter` began; returns the lanes that the trace refused. */
  #leave(
    trace: Trace,
    lanes: LaneSet,
    refused: readonly number[] | undefined,
    isSurvey: boolean,
  ): LaneSet {
    const { machine, program } = this.#job;
    const taken = laneCount(lanes) - (refused?.length ?? 0);
    if (isSurvey) trace.isThin = isThin(machine.exports.endSurvey(), taken);
    program.traces.took(trace, taken);
    if (refused === undefined) return NO_LANES;
    // Where no lane was taken they are as they were: neighbours, not a list.
    return taken === 0 ? lanes : { list: refused };
  }

  /** Runs one chunk on the current trace; returns the lanes that were refused so far. */
  #replayChunk(trace: Trace, set: LaneSet, refused: number[] | undefined): number[] | undefined {
    const passed = this.#port.replay(trace, set);
    this.#replayed += 1;
    return this.#refusedOf(set, passed, refused);
  }

  /** Adds the lanes of the chunk that has just run to those that were refused. */
  #refusedOf(set: LaneSet, passed: number, refused: number[] | undefined): number[] | undefined {
    if (passed === laneCount(set)) return refused;
    const all = refused ?? [];
    addRefused(this.#job.machine, set, passed, all);
    return all;
  }

  /** Streams lanes through a trace; returns those that failed a guard. Yields now and then. */
  *#stream(trace: Trace, lanes: LaneSet): Generator<void, LaneSet> {
    const isSurvey = this.#enter(trace);
    let refused: number[] | undefined;
    let rest = lanes;
    let pauseAt = performance.now() + REPLAY_SLICE_MS;
    while (laneCount(rest) > 0) {
      if (performance.now() >= pauseAt) {
        this.walker.checkTime();
        yield;
        this.#job.program.traces.use(trace);
        pauseAt = performance.now() + REPLAY_SLICE_MS;
      }
      const [set, others] = splitLanes(rest, trace.width);
      rest = others;
      refused = this.#replayChunk(trace, set, refused);
    }
    return this.#leave(trace, lanes, refused, isSurvey);
  }

  // ─── Walks ────────────────────────────────────────────────────────────────

  /** Lanes of a walk that not much is known about. */
  #firstWidth(total: number): number {
    const known = this.#bytesPerLane;
    const suiting =
      known === undefined ? FIRST_WIDTH : evenWidth(total, this.walker.widthFor(known));
    return Math.min(this.walker.chunkWanted ?? suiting, this.walker.widthLimit, total);
  }

  /** Lanes that are walked at once although nothing is known about them: others come again. */
  #isOneWalk(lanes: number): boolean {
    if (lanes !== this.#job.lanes || this.#bytesPerLane !== undefined)
      return lanes <= this.#firstWidth(lanes);
    return (
      lanes <= (this.walker.chunkWanted ?? (this.#manner.isRepeated ? WIDTH_MAX : FIRST_WIDTH))
    );
  }

  /** Walks the lanes that are left as one chunk, as far as that needs no pause; whether it is over. */
  #walkOne(): boolean {
    const lanes = laneCount(this.#rest);
    // Where a trace is to be sorted or streamed through, that comes first.
    if (this.#candidates.next(lanes) !== undefined || !this.#isOneWalk(lanes)) return false;
    const walked = this.walker.start(
      this.#rest,
      this.#recordingLevel(false),
      0,
      UNINTERRUPTED_STEPS,
    );
    return this.#endWalk(walked);
  }

  /** Ends the run where a walk decided all lanes that were left; whether it is over. */
  #endWalk(walked: WalkedChunk | undefined): boolean {
    if (walked === undefined) {
      // Kept traces have been tried.
      this.#candidates.end();
      return false;
    }
    this.#note(walked);
    this.#rest = { list: walked.pending };
    if (walked.pending.length > 0) return false;
    this.#settle();
    this.#throwIfAllFailed();
    return true;
  }

  /** Goes on with the walk that `begin` has begun. */
  *#walkOn(): Generator<void, LaneSet> {
    const walked = yield* this.walker.goOn();
    if (walked === undefined) return this.#rest;
    this.#note(walked);
    return { list: walked.pending };
  }

  #note({ counters, bytesPerLane, trace }: WalkedChunk): void {
    if (counters === undefined) return;
    this.#latest = counters;
    if (this.#isPath && trace !== undefined) this.#addPath(trace);
    if (!this.#manner.isRepeated) return;
    this.#bytesPerLane = bytesPerLane;
    // One that takes more than the cache would slow every run to come.
    if (trace === undefined || trace.width <= WIDTH_LEAST || this.walker.chunkWanted !== undefined)
      return;
    if (bytesPerLane * trace.width > ROOMY * this.#job.machine.cache.bytes)
      this.#job.program.traces.drop(trace);
  }

  /** Walks the first lanes of a set, then replays the others on the trace that came of it. */
  *#walkAndReplay(pending: LaneSet): Generator<void, LaneSet> {
    const { program } = this.#job;
    const [set, others] = splitLanes(pending, this.#firstWidth(laneCount(pending)));
    const level = this.#recordingLevel(laneCount(others) > 0);
    const walked = yield* this.walker.walk(set, level);
    if (walked === undefined) return pending;
    this.#note(walked);
    const { trace } = walked;
    if (!trace?.isKept || !this.walker.allows(trace) || laneCount(others) < REPLAY_LEAST)
      return joined(walked.pending, others);
    const width = this.walker.widthFor(trace.bytesPerLane);
    const isFar =
      laneCount(others) > width && (width * 2 <= trace.width || width >= trace.width * 2);
    const isSorting = this.#wantsSorting(trace);
    if (isFar && this.walker.chunkWanted === undefined && walked.pending.length === 0) {
      // A second walk at the width that suits the working set costs little beside many chunks.
      program.traces.drop(trace);
      return yield* this.#walkAtWidth(others, width, isSorting);
    }
    if (isSorting && laneCount(others) >= SORT_CHUNKS * trace.width) {
      delaySorting(trace);
      return joined(walked.pending, yield* this.#walkAtWidth(others, trace.width, true));
    }
    return joined(walked.pending, yield* this.#stream(trace, others));
  }

  /**
   * Walks lanes of a set and replays the others on the trace that came of it. Where they are
   * sorted, lanes that few others go with leave the walk, and its trace refuses their like.
   */
  *#walkAtWidth(lanes: LaneSet, width: number, isSorting: boolean): Generator<void, LaneSet> {
    const [set, others] = splitLanes(lanes, width);
    const strays = isSorting ? straysAllowed(laneCount(set)) : 0;
    if (isSorting) this.#sorted += 1;
    const walked = yield* this.walker.walk(set, this.#recordingLevel(true), strays);
    if (walked === undefined) return lanes;
    if (walked.counters !== undefined) this.#latest = walked.counters;
    if (isSorting && walked.trace !== undefined) delaySorting(walked.trace);
    if (walked.trace === undefined || !this.walker.allows(walked.trace))
      return joined(walked.pending, others);
    const refused = yield* this.#stream(walked.trace, others);
    return { list: [...walked.pending, ...listOf(refused)] };
  }

  #recordingLevel(hasMoreLanes: boolean): number {
    const { wrt, program } = this.#job;
    const { isTraced, notesBranches, isRepeated } = this.#manner;
    const isGradient = wrt.length > 0 || this.#port.backward !== undefined;
    const least = isGradient ? RECORD_ACTIVE_ONLY : RECORD_NOTHING;
    if (this.walker.recordsLeast) return least;
    if (isTraced) return RECORD_ALL;
    if (notesBranches) return RECORD_BRANCHES;
    if (!this.#replays || this.#isResting) return least;
    if (isGradient) return RECORD_VARYING;
    const comesAgain = hasMoreLanes || program.runs > 0 || isRepeated;
    return comesAgain ? RECORD_VARYING : RECORD_NOTHING;
  }
}
