/**
 * The engine: asks proposers in turn, sends candidates through the ladder of fits, and tells what
 * became of them.
 *
 * Batches are proposed in order, settled in order, and shown to proposers in order: before batch b
 * is proposed, exactly the batches up to b − lag have been observed, unless there is nothing to
 * propose without more. Whatever decides anything (promotions, budgets, the stop criterion) looks
 * at observed batches only, so no clock and no number of workers has a say. A limit of wall-clock
 * only says when to leave.
 *
 * Events with candidates are told after the journal has them.
 */

import { performance } from "node:perf_hooks";
import { own } from "@ndvm/core";
import { bestOf, choiceOf, choiceWarnings, heldOutWarning, whyChosen } from "../choice/choose.js";
import { weighFront } from "../choice/weigh-front.js";
import { type Yardstick, yardstickOf } from "../choice/yardstick.js";
import type { Task, TaskResult } from "../pipeline/task.js";
import type { Runner, RunnerEvents } from "../pool/runner.js";
import { addSpending, NO_SPENDING } from "../spending.js";
import { briefFor, rowsOf, type Study, squaresAround } from "../study.js";
import type {
  Budget,
  FrontMember,
  ProposalBatch,
  Proposer,
  SearchEvent,
  StopCause,
  Weighing,
} from "../types.js";
import { Batch, fitsAtMost, type Slot } from "./batch.js";
import { describeFront } from "./front.js";
import { Intake } from "./intake.js";
import type { EngineState, Journal, Resumption, Unobserved } from "./journal.js";
import { EventQueue } from "./queue.js";
import { restoreSlots } from "./resume.js";
import { countsOf, Tally } from "./tally.js";

/** Milliseconds between two entries of the journal, at least. */
const COMMIT_EVERY = 100;
/** Outcomes that may wait for the journal, and events for a listener, before proposing waits. */
const UNWRITTEN_MAX = 20_000;
const UNHEARD_MAX = 20_000;
/** Candidates that are known to have passed the screen, at most: it saves time and decides nothing. */
const SCREENED_MAX = 100_000;
/** Milliseconds between two reports of progress. */
const PROGRESS_EVERY = 250;
/** Milliseconds to wait where no proposer has anything yet. */
const IDLE = 10;

export interface EngineParts {
  readonly study: Study;
  readonly budget: Budget;
  readonly proposers: readonly Proposer[];
  readonly journal: Journal | undefined;
  readonly resumption: Resumption | undefined;
  readonly signal: AbortSignal | undefined;
  startRunner(events: RunnerEvents): Promise<Runner>;
}

export class Engine {
  readonly queue = new EventQueue<SearchEvent>();
  readonly #parts: EngineParts;
  readonly #study: Study;
  readonly #intake: Intake;
  /** All settled batches, and those that may decide something. */
  readonly #tally: Tally;
  readonly #observedTally: Tally;
  readonly #yardstick: Yardstick;
  readonly #batches = new Map<number, Batch>();
  /** Batches that are settled and not observed. */
  readonly #unobserved = new Map<number, Unobserved>();
  readonly #screened = new Set<number>();
  #weighings: ReadonlyMap<number, Weighing> = new Map();
  readonly #ending = new AbortController();
  readonly #began = performance.now();
  readonly #exhausted: boolean[];
  #runner: Runner | undefined;
  #stopped: StopCause | undefined;
  #error: unknown;
  /** Seconds of the runs before this one. */
  #secondsBefore = 0;
  #nextBatch = 0;
  #nextVisit = 0;
  #turn = 0;
  #settled = 0;
  #observed = 0;
  #workersReplaced = 0;
  #spending = NO_SPENDING;
  #wake: (() => void) | undefined;
  #eventsUntold: SearchEvent[] = [];
  #outcomesUnwritten = 0;
  #commit: Promise<void> | undefined;
  #committedAt = Number.NEGATIVE_INFINITY;
  #commitTimer: NodeJS.Timeout | undefined;
  #reportedAt = 0;

  constructor(parts: EngineParts) {
    this.#parts = parts;
    this.#study = parts.study;
    this.#intake = new Intake(parts.study);
    this.#yardstick = yardstickOf(parts.study);
    this.#tally = new Tally(this.#yardstick);
    this.#observedTally = new Tally(this.#yardstick);
    this.#exhausted = parts.proposers.map(() => false);
  }

  /** Seconds of this run. */
  get #seconds(): number {
    return (performance.now() - this.#began) / 1000;
  }

  /** Ends the search; what is done is kept. */
  end(cause: StopCause): void {
    if (this.#ending.signal.aborted) return;
    this.#stopped = cause;
    this.#ending.abort();
    this.queue.release();
    this.#wakeUp();
  }

  /** Runs to the end. Errors of ours and of the archive come out of the queue. */
  async run(): Promise<void> {
    const { signal, budget, journal } = this.#parts;
    const abort = () => this.end("aborted");
    let timer: NodeJS.Timeout | undefined;
    try {
      if (signal?.aborted) abort();
      signal?.addEventListener("abort", abort);
      if (budget.seconds !== undefined)
        timer = setTimeout(() => this.end("seconds"), budget.seconds * 1000);
      await this.#begin();
      await this.#loop();
      await this.#finish();
    } catch (error) {
      this.#error = error;
    } finally {
      clearTimeout(timer);
      clearTimeout(this.#commitTimer);
      signal?.removeEventListener("abort", abort);
      await this.#runner?.stop();
      try {
        await this.#commit;
        await journal?.close();
      } catch (error) {
        this.#error ??= error;
      }
      this.queue.close(this.#error);
    }
  }

  async #begin(): Promise<void> {
    const { proposers, resumption } = this.#parts;
    for (const [place, proposer] of proposers.entries())
      proposer.begin(briefFor(this.#study, place));
    if (resumption !== undefined) this.#resume(resumption);
    this.#runner = await this.#parts.startRunner({
      results: (results) => this.#take(results),
      replaced: (worker, message) => {
        this.#workersReplaced += 1;
        this.#tell({ type: "worker", worker, message });
      },
      broken: (error) => this.#break(error),
    });
    this.#tell({
      type: "started",
      seed: this.#study.seed,
      workers: this.#runner.workers,
      rows: { train: rowsOf(this.#study.train), heldOut: rowsOf(this.#study.heldOut) },
      resumedFrom: this.#nextVisit,
    });
    for (const message of this.#warnings()) this.#tell({ type: "warning", message });
    for (const batch of [...this.#batches.values()]) this.#send(batch, batch.begin());
  }

  #resume(resumption: Resumption): void {
    const { state, pending } = resumption;
    const { proposers } = this.#parts;
    for (const candidate of resumption.seen()) this.#intake.remember(candidate);
    this.#secondsBefore = state.seconds;
    this.#nextBatch = state.nextBatch;
    this.#nextVisit = state.nextVisit;
    this.#turn = state.turn;
    this.#settled = state.settled;
    this.#observed = state.observed;
    this.#spending = state.spending;
    for (const [i, is] of state.exhausted.entries()) this.#exhausted[i] = is;
    this.#tally.restore(state.counts, { members: resumption.outcomes(state.front) });
    this.#observedTally.restore(state.countsObserved, {
      members: resumption.outcomes(state.frontObserved),
    });
    for (const [i, proposer] of proposers.entries()) proposer.restore(state.proposers[i] ?? null);
    for (let index = state.observed; index < state.settled; index++)
      this.#unobserved.set(index, resumption.settledBatch(index));
    for (const { index, proposer, visits, front } of pending) {
      const slots = restoreSlots(visits, this.#study.inputs);
      const { recipe } = this.#study;
      this.#batches.set(index, new Batch(index, proposer, slots, recipe, { members: front }));
    }
    this.#parts.journal?.restore([...this.#unobserved.keys(), ...this.#batches.keys()]);
  }

  // The schedule.

  async #loop(): Promise<void> {
    const { signal } = this.#ending;
    let empty = 0;
    while (!signal.aborted) {
      await this.#observeThrough(this.#nextBatch - this.#study.lag);
      await this.#makeRoom();
      if (signal.aborted) break;
      const live = this.#exhausted.filter((is) => !is).length;
      const cause = live === 0 ? "exhausted" : this.#reachedLimit();
      if (cause !== undefined) {
        this.#stopped ??= cause;
        break;
      }
      const count = this.#roomInBatch();
      if (count > 0) {
        const isEmpty = !(await this.#proposeNext(count));
        empty = isEmpty ? empty + 1 : 0;
        if (!isEmpty || empty < live) continue;
      }
      empty = 0;
      // Nothing to propose without hearing more: the oldest batch under way, or time, helps.
      if (this.#observed < this.#nextBatch) await this.#observeThrough(this.#observed);
      else if (count === 0) {
        this.#stopped ??= "fits";
        break;
      } else await this.#pause(IDLE);
    }
    await this.#settleThrough(this.#nextBatch - 1);
  }

  /** A limit that observed batches and proposals have reached. */
  #reachedLimit(): StopCause | undefined {
    const { candidates, fits, tokens, r2 } = this.#parts.budget;
    const { inputTokens, outputTokens } = this.#spending;
    if (candidates !== undefined && this.#nextVisit >= candidates) return "candidates";
    if (fits !== undefined && this.#observedTally.fits >= fits) return "fits";
    if (tokens !== undefined && inputTokens + outputTokens >= tokens) return "tokens";
    if (r2 !== undefined && this.#observedTally.r2 >= r2) return "r2";
    return undefined;
  }

  /** How many candidates the next batch may have. */
  #roomInBatch(): number {
    const { candidates, fits } = this.#parts.budget;
    let room = this.#study.batch;
    if (candidates !== undefined) room = Math.min(room, candidates - this.#nextVisit);
    if (fits === undefined) return room;
    let left = fits - this.#observedTally.fits;
    for (let index = this.#observed; index < this.#nextBatch; index++)
      left -= this.#plannedFits(index);
    while (room > 0 && fitsAtMost(this.#study.recipe, room) > left) room -= 1;
    return room;
  }

  /** The most fits a batch could make: settled or not, while it is not observed. */
  #plannedFits(index: number): number {
    return (this.#batches.get(index) ?? this.#unobserved.get(index))?.fitsMost ?? 0;
  }

  /** Gives the next proposer its turn. False: it had nothing. */
  async #proposeNext(count: number): Promise<boolean> {
    const { proposers } = this.#parts;
    while (this.#exhausted[this.#turn % proposers.length]) this.#turn += 1;
    const place = this.#turn % proposers.length;
    const proposer = proposers[place] as Proposer;
    const answer = await this.#ask(proposer, count);
    if (answer === undefined) return false;
    this.#turn += 1;
    this.#spending = addSpending(this.#spending, answer.spending);
    if (answer.isExhausted) this.#exhausted[place] = true;
    for (const problem of answer.problems ?? [])
      this.#tell({ type: "problem", proposer: proposer.name, problem });
    if (answer.proposals.length === 0) return false;
    const isScreened = (id: number) => this.#screened.has(id);
    const slots = answer.proposals
      .slice(0, count)
      .map((proposal, i) => this.#intake.take(proposal, this.#nextVisit + i, isScreened));
    const { recipe } = this.#study;
    const front = this.#observedTally.front;
    const batch = new Batch(this.#nextBatch, proposer.name, slots, recipe, front);
    this.#nextBatch += 1;
    this.#nextVisit += slots.length;
    this.#batches.set(batch.index, batch);
    this.#parts.journal?.propose(batch);
    this.#send(batch, batch.begin());
    return true;
  }

  /** Undefined: the search ended before the answer came. */
  async #ask(proposer: Proposer, count: number): Promise<ProposalBatch | undefined> {
    const { signal } = this.#ending;
    const asked = proposer.propose(count, signal);
    let leave: (() => void) | undefined;
    const ended = new Promise<undefined>((resolve) => {
      leave = () => resolve(undefined);
      signal.addEventListener("abort", leave);
    });
    try {
      return await Promise.race([asked, ended]);
    } finally {
      if (leave !== undefined) signal.removeEventListener("abort", leave);
      // Whoever is asked too late may fail unheard.
      asked.catch(() => {});
    }
  }

  #send(batch: Batch, tasks: readonly Task[]): void {
    if (tasks.length > 0) this.#runner?.run(tasks);
    else if (batch.isDone) this.#settle();
  }

  #take(results: readonly TaskResult[]): void {
    if (this.#ending.signal.aborted) return;
    let batch: Batch | undefined;
    for (const result of results) {
      const { visit } = result;
      // Results that come together are mostly of one batch.
      if (!batch?.has(visit)) batch = this.#batchOf(visit);
      if (batch?.take(result)) this.#send(batch, batch.climb());
    }
  }

  /** The batch under way that a visit belongs to. There are as many as the lag, or one more. */
  #batchOf(visit: number): Batch | undefined {
    for (const batch of this.#batches.values()) if (batch.has(visit)) return batch;
    return undefined;
  }

  /** Settles batches that are done, in order. */
  #settle(): void {
    for (;;) {
      const batch = this.#batches.get(this.#settled);
      if (batch === undefined || !batch.isDone) break;
      this.#settled += 1;
      const outcomes = batch.outcomes();
      this.#unobserved.set(batch.index, { outcomes, fitsMost: batch.fitsMost });
      this.#batches.delete(batch.index);
      for (const slot of batch.slots) this.#noteSlot(slot);
      const before = this.#tally.front;
      this.#tally.add(outcomes);
      const { journal } = this.#parts;
      if (journal !== undefined) {
        const seconds = this.#secondsBefore + this.#seconds;
        journal.settle({ batch, outcomes, front: this.#tally.front, seconds });
        this.#outcomesUnwritten += outcomes.length;
      }
      for (const outcome of outcomes) this.#tell({ type: "candidate", outcome });
      if (this.#tally.front !== before) this.#tell({ type: "front", front: this.#front() });
    }
    this.#report();
    this.#wakeUp();
  }

  #noteSlot({ id, proposal, results, isScreened }: Slot): void {
    if (isScreened || !proposal.isRevisit || results[0]?.failure !== undefined) return;
    if (this.#screened.size >= SCREENED_MAX) this.#screened.clear();
    this.#screened.add(id);
  }

  /** Waits for batches up to one to be settled and shows them to the proposers, in order. */
  async #observeThrough(index: number): Promise<void> {
    while (this.#observed <= index) {
      if (this.#ending.signal.aborted) return;
      const next = this.#unobserved.get(this.#observed);
      if (next === undefined) await this.#sleep();
      else {
        const { outcomes } = next;
        this.#unobserved.delete(this.#observed);
        this.#observed += 1;
        this.#observedTally.add(outcomes);
        for (const proposer of this.#parts.proposers) proposer.observe(outcomes);
      }
    }
  }

  /**
   * Waits for batches up to one to be settled. Proposers do not hear of them: a study that goes on
   * with a larger budget must find them where they would have been without the end.
   */
  async #settleThrough(index: number): Promise<void> {
    while (this.#settled <= index && !this.#ending.signal.aborted) await this.#sleep();
  }

  /** Waits while the journal or the listener is behind. */
  async #makeRoom(): Promise<void> {
    while (this.#outcomesUnwritten > UNWRITTEN_MAX && !this.#ending.signal.aborted)
      await this.#sleep();
    await this.queue.room(UNHEARD_MAX);
  }

  #sleep(): Promise<void> {
    if (this.#error !== undefined) throw this.#error;
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  #wakeUp(): void {
    this.#wake?.();
    this.#wake = undefined;
  }

  async #pause(milliseconds: number): Promise<void> {
    const timer = setTimeout(() => this.#wakeUp(), milliseconds);
    await this.#sleep();
    clearTimeout(timer);
  }

  #break(error: unknown): void {
    this.#error ??= error;
    this.end("aborted");
  }

  // Telling and keeping.

  #front() {
    return describeFront(this.#tally.front, this.#weighings, this.#yardstick);
  }

  #counts() {
    return countsOf(this.#tally.counts(), this.#workersReplaced, this.#spending);
  }

  #warnings(): readonly string[] {
    const warning = heldOutWarning(rowsOf(this.#study.heldOut));
    return warning === undefined ? [] : [warning];
  }

  #choiceWarnings(choice: FrontMember | undefined): readonly string[] {
    const held = own(this.#study.heldOut, this.#study.target) as Float64Array;
    const rows = { rows: held.length, squares: squaresAround(held) };
    return choiceWarnings(choice, rows, this.#yardstick);
  }

  #tell(event: SearchEvent): void {
    if (this.#parts.journal === undefined) this.queue.push(event);
    else {
      this.#eventsUntold.push(event);
      this.#scheduleCommit();
    }
  }

  #report(): void {
    const now = performance.now();
    if (now - this.#reportedAt < PROGRESS_EVERY) return;
    this.#reportedAt = now;
    this.#tell({ type: "progress", counts: this.#counts(), seconds: this.#seconds });
  }

  #scheduleCommit(): void {
    if (this.#commit !== undefined || this.#commitTimer !== undefined) return;
    const wait = Math.max(0, this.#committedAt + COMMIT_EVERY - performance.now());
    this.#commitTimer = setTimeout(() => {
      this.#commitTimer = undefined;
      this.#startCommit();
    }, wait);
  }

  #startCommit(): void {
    const { journal } = this.#parts;
    if (journal === undefined) return;
    const events = this.#eventsUntold;
    const entry = { events, members: this.#weighings, state: this.#state() };
    this.#eventsUntold = [];
    this.#outcomesUnwritten = 0;
    this.#committedAt = performance.now();
    this.#commit = journal.commit(entry).then(
      () => {
        this.#commit = undefined;
        for (const event of events) this.queue.push(event);
        if (this.#eventsUntold.length > 0) this.#scheduleCommit();
        this.#wakeUp();
      },
      (error) => {
        this.#commit = undefined;
        this.#break(error);
      },
    );
  }

  #state(): EngineState {
    const visitsOf = (tally: Tally) => tally.front.members.map(({ visit }) => visit);
    return {
      seconds: this.#secondsBefore + this.#seconds,
      nextBatch: this.#nextBatch,
      nextVisit: this.#nextVisit,
      turn: this.#turn,
      settled: this.#settled,
      observed: this.#observed,
      exhausted: [...this.#exhausted],
      spending: this.#spending,
      counts: this.#tally.counts(),
      countsObserved: this.#observedTally.counts(),
      front: visitsOf(this.#tally),
      frontObserved: visitsOf(this.#observedTally),
      proposers: this.#parts.proposers.map((proposer) => proposer.save()),
    };
  }

  async #finish(): Promise<void> {
    if (this.#error !== undefined) throw this.#error;
    await this.#runner?.stop();
    this.#weighings = await weighFront(this.#study, this.#tally.front.members);
    const front = this.#front();
    const best = bestOf(front);
    const choice = choiceOf(front);
    const why = whyChosen(front);
    const done: SearchEvent = {
      type: "done",
      stopped: this.#stopped ?? "exhausted",
      ...(best === undefined ? {} : { best }),
      ...(choice === undefined ? {} : { choice }),
      ...(why === undefined ? {} : { why }),
      front,
      counts: this.#counts(),
      seconds: this.#seconds,
      warnings: [...this.#warnings(), ...this.#choiceWarnings(choice)],
    };
    if (this.#parts.journal === undefined) {
      this.queue.push(done);
      return;
    }
    clearTimeout(this.#commitTimer);
    this.#commitTimer = undefined;
    while (this.#commit !== undefined) await this.#commit;
    this.#eventsUntold.push(done);
    this.#startCommit();
    await this.#commit;
    if (this.#error !== undefined) throw this.#error;
  }
}
