/**
 * The engine: sends epochs to where machines are, folds in what comes back, and tells of it.
 *
 * Round r begins after exactly the rounds up to r − lag have been folded in and shown to proposers,
 * unless there is nothing to begin without more. Its epochs know of these rounds and of nothing after
 * them. Whatever decides anything (promotions, budgets, the stop criterion) looks at those rounds
 * only, so no clock and no number of workers has a say. A limit of wall-clock only says when to leave.
 *
 * A proposer that travels has all its epochs bred by whoever fits them. Any other is asked once in
 * every round, here; what it says is cut into its epochs, and is in the journal with the state that
 * says it was asked, before or together with anything that follows from it. Events with candidates
 * are told after the journal has them.
 */

import { performance } from "node:perf_hooks";
import { own, squaresAbout } from "@ndvm/core";
import { bestOf, choiceOf, choiceWarnings, heldOutWarning, whyChosen } from "../choice/choose.js";
import { weighFront } from "../choice/weigh-front.js";
import type { EpochSetting } from "../epoch/epoch.js";
import type { EpochJob } from "../epoch/job.js";
import { fitsAtMost } from "../epoch/ladder.js";
import { type PackedEpoch, unpackEpoch } from "../epoch/pack.js";
import type { PopulationState } from "../evolve/population.js";
import type { Runner, RunnerEvents } from "../pool/runner.js";
import { addSpending, NO_SPENDING } from "../spending.js";
import { briefFor, rowsOf, type Study } from "../study.js";
import { startTimer } from "../timer.js";
import type {
  Budget,
  FrontMember,
  Json,
  Proposal,
  Proposer,
  SearchEvent,
  StopCause,
  Weighing,
} from "../types.js";
import { ask } from "./ask.js";
import { reachedLimit } from "./budget.js";
import { Fold } from "./fold.js";
import { describeFront } from "./front.js";
import { HeldEpochs, heldWarning } from "./held.js";
import type { EngineState, Journal, Resumption, SavedEpoch } from "./journal.js";
import { countsOf } from "./progress.js";
import { EventQueue } from "./queue.js";
import { Room } from "./room.js";
import { Round, savedDone, savedEpochs } from "./rounds.js";
import { Telling } from "./telling.js";
import { Unheard } from "./unheard.js";

/** Outcomes that may wait for the journal, and events for a listener, before a round waits. */
const UNWRITTEN_MAX = 20_000;
const UNHEARD_MAX = 20_000;
/** Milliseconds to wait where no proposer has anything yet. */
const IDLE = 10;
/** Rounds in a row whose epochs all came back empty, after which nothing more will come. */
const EMPTY_ROUNDS_MAX = 100;

export interface EngineParts {
  readonly study: Study;
  readonly budget: Budget;
  readonly proposers: readonly Proposer[];
  readonly journal: Journal | undefined;
  readonly resumption: Resumption | undefined;
  readonly signal: AbortSignal | undefined;
  startRunner(setting: EpochSetting, events: RunnerEvents): Promise<Runner>;
}

export class Engine {
  readonly queue = new EventQueue<SearchEvent>();
  readonly #parts: EngineParts;
  readonly #study: Study;
  readonly #setting: EpochSetting;
  readonly #fold: Fold;
  readonly #telling: Telling;
  readonly #room: Room;
  /** Rounds that are begun and not folded in as a whole, in order. */
  readonly #rounds: Round[] = [];
  /** Of these rounds, epochs that an earlier run has begun and this one has no room for yet. */
  #held: HeldEpochs | undefined;
  /** The round that proposers are being asked for; it has no epoch while they have said nothing. */
  #asking: Round | undefined;
  /** Epochs of rounds that are folded in and not observed, by round. */
  readonly #done = new Map<number, readonly SavedEpoch[]>();
  /** What proposers that are asked here have not heard of. */
  readonly #unheard = new Unheard();
  readonly #hasListeners: boolean;
  #weighings: ReadonlyMap<number, Weighing> = new Map();
  readonly #ending = new AbortController();
  readonly #began = performance.now();
  readonly #exhausted: boolean[];
  readonly #runnerProblems = new Set<string>();
  #runner: Runner | undefined;
  #stopped: StopCause | undefined;
  #error: unknown;
  /** Seconds of the runs before this one, and what they came to. */
  #secondsBefore = 0;
  #countsBefore = { candidates: 0, fits: 0 };
  #nextRound = 0;
  #observed = 0;
  #emptyRounds = 0;
  #workersReplaced = 0;
  #spending = NO_SPENDING;
  #wake: (() => void) | undefined;

  constructor(parts: EngineParts) {
    const { study, proposers, journal } = parts;
    this.#parts = parts;
    this.#study = study;
    this.#setting = { study, breedings: proposers.map(({ breeding }) => breeding ?? null) };
    this.#fold = new Fold(
      this.#setting,
      proposers.map(({ name }) => name),
    );
    this.#hasListeners = proposers.some(({ breeding }) => breeding === undefined);
    this.#exhausted = proposers.map(() => false);
    this.#room = new Room({
      ...{ study, budget: parts.budget, history: this.#fold.history },
      epochsAt: (index) => this.#epochsAt(index),
    });
    this.#telling = new Telling(this.queue, journal, {
      entry: () => ({ members: this.#weighings, state: this.#state() }),
      wake: () => this.#wakeUp(),
      fail: (error) => this.#break(error),
    });
  }

  /** Seconds of this run. */
  get #seconds(): number {
    return (performance.now() - this.#began) / 1000;
  }

  /** Rounds that are folded in as a whole. */
  get #settled(): number {
    return this.#rounds[0]?.index ?? this.#nextRound;
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
    let stopTimer: (() => void) | undefined;
    try {
      if (signal?.aborted) abort();
      signal?.addEventListener("abort", abort);
      if (budget.seconds !== undefined)
        stopTimer = startTimer(budget.seconds * 1000, () => this.end("seconds"));
      await this.#begin();
      await this.#loop();
      await this.#finish();
    } catch (error) {
      this.#error = error;
    } finally {
      stopTimer?.();
      signal?.removeEventListener("abort", abort);
      await this.#runner?.stop();
      try {
        await this.#telling.close();
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
    else this.#fold.endRound(0);
    this.#runner = await this.#parts.startRunner(this.#setting, {
      updates: (from, to) => this.#fold.history.updates(from, to),
      done: (packed, job, worker) => this.#take(packed, job, worker),
      replaced: (worker, message) => {
        this.#workersReplaced += 1;
        this.#telling.tell({ type: "worker", worker, message });
      },
      problem: (message) => this.#warn(message),
      broken: (error) => this.#break(error),
    });
    this.#telling.tell({
      type: "started",
      seed: this.#study.seed,
      workers: this.#runner.workers,
      rows: { train: rowsOf(this.#study.train), heldOut: rowsOf(this.#study.heldOut) },
      resumedFrom: this.#fold.nextVisit,
    });
    // What the runner has warned of by now was told at once: it may be what the start waited for.
    if (this.#scarcity !== undefined)
      this.#telling.tell({ type: "warning", message: this.#scarcity });
    this.#held = new HeldEpochs(this.#study, this.#parts.budget, this.#rounds);
    this.#sendHeld();
  }

  #resume({ state, ...resumption }: Resumption): void {
    const { proposers } = this.#parts;
    const frontOf = (visits: readonly number[]) => ({ members: resumption.outcomes(visits) });
    for (const candidate of resumption.seen()) this.#fold.remember(candidate);
    this.#fold.nextVisit = state.nextVisit;
    this.#fold.progress.restore(state.counts, frontOf(state.front));
    this.#fold.history.restore(state.versions, frontOf);
    this.#secondsBefore = state.seconds;
    this.#countsBefore = state.counts;
    this.#nextRound = state.nextRound;
    this.#observed = state.observed;
    this.#emptyRounds = state.emptyRounds;
    this.#spending = state.spending;
    for (const [i, is] of state.exhausted.entries()) this.#exhausted[i] = is;
    for (const [place, proposer] of proposers.entries()) {
      const population = this.#fold.populationAt(place);
      resumption.restore(place, population !== undefined, (saved) => {
        if (population === undefined) proposer.restore(saved);
        else population.restore(saved as unknown as PopulationState);
      });
    }
    for (const saved of state.rounds) {
      const round = Round.restore(saved);
      if (round.isDone) this.#done.set(round.index, saved.epochs);
      else if (round.jobs.length === 0) this.#asking = round;
      else this.#rounds.push(round);
    }
    this.#parts.journal?.restore(resumption.pending);
    if (!this.#hasListeners) return;
    for (let round = state.observed; round < state.nextRound; round++)
      this.#unheard.add(round, resumption.round(round));
  }

  // The schedule.

  async #loop(): Promise<void> {
    const { signal } = this.#ending;
    if (!(await this.#catchUp())) return;
    while (!signal.aborted) {
      const open = this.#asking ?? this.#rounds.at(-1);
      const isOpen = open !== undefined && !open.isLaunched;
      if (!isOpen) await this.#observeThrough(this.#nextRound - this.#study.lag);
      await this.#makeRoom();
      if (signal.aborted) break;
      // A round that an earlier run has half begun stays as it is where there is no room for the rest.
      const cause = isOpen ? this.#room.limitOf(open) : this.#reachedLimit();
      if (cause !== undefined) {
        this.#stopped = cause;
        break;
      }
      const round = isOpen ? open : new Round(this.#nextRound, this.#observed);
      this.#asking = round;
      const hadRoom = await this.#launch(round);
      if (signal.aborted) break;
      const isInVain = round.jobs.length === 0 && !this.#exhausted.every((is) => is);
      // Who was asked in vain hears more before the next question: the state must say so until then.
      // Without room nobody was asked.
      const isWaiting = isInVain && (hadRoom || isOpen);
      if (!isWaiting) this.#asking = undefined;
      if (!isInVain) continue;
      if (await this.#hasAllCandidates()) break;
      // Nothing to begin without hearing more: the oldest round under way, or time, helps.
      const heard = this.#observed;
      if (heard < this.#nextRound) {
        await this.#observeThrough(heard);
        // The study ended first: whoever goes on with it is still to hear more.
        if (this.#observed === heard) break;
      } else if (hadRoom) await this.#pause(IDLE);
      else {
        this.#stopped ??= "fits";
        break;
      }
      this.#asking = undefined;
    }
    await this.#settleAll();
  }

  /** Sends what an earlier run has begun, as far as the budget has room for it. */
  #sendHeld(): void {
    const jobs = this.#held?.take(this.#fold.progress.counts()) ?? [];
    if (jobs.length > 0) this.#runner?.run(jobs);
  }

  /** Waits until all that an earlier run has begun is under way. False: there is no room for it. */
  async #catchUp(): Promise<boolean> {
    const held = this.#held;
    while (held !== undefined && !held.isEmpty && !this.#ending.signal.aborted) {
      if (held.isWaiting) await this.#sleep();
      else {
        this.#stopped = held.limit(this.#fold.progress.counts());
        this.#telling.tell({ type: "warning", message: heldWarning(held.size) });
        return false;
      }
    }
    return true;
  }

  /**
   * Waits for all epochs under way. Proposers do not hear of them: a study that goes on with a larger
   * budget must find them where they would have been without the end.
   */
  async #settleAll(): Promise<void> {
    const isUnderWay = ({ folded, jobs }: Round) => folded < jobs.length;
    while (this.#rounds.some(isUnderWay) && !this.#ending.signal.aborted) await this.#sleep();
  }

  /** Where nothing was begun: whether that is because there are as many candidates as are wanted. */
  async #hasAllCandidates(): Promise<boolean> {
    const { candidates } = this.#parts.budget;
    if (candidates === undefined) return false;
    const underWay = this.#rounds.reduce((sum, { size }) => sum + size, 0);
    if (this.#fold.nextVisit + underWay < candidates) return false;
    await this.#settleAll();
    if (this.#fold.nextVisit < candidates) return false;
    this.#stopped ??= "candidates";
    return true;
  }

  /** A limit that observed rounds have reached. */
  #reachedLimit(): StopCause | undefined {
    if (this.#exhausted.every((is) => is)) return "exhausted";
    if (this.#emptyRounds >= EMPTY_ROUNDS_MAX) return "exhausted";
    const { counts, front } = this.#fold.history.at(this.#observed);
    return reachedLimit(this.#parts.budget, counts, this.#spending, front.members);
  }

  #epochsAt(index: number): readonly { readonly size: number }[] {
    return this.#done.get(index) ?? this.#rounds.find((each) => each.index === index)?.jobs ?? [];
  }

  /** Gives every proposer its turn. Whether there was room for any candidate. */
  async #launch(round: Round): Promise<boolean> {
    const { proposers } = this.#parts;
    let hadRoom = false;
    for (; round.places < proposers.length; round.places++) {
      const place = round.places;
      if (this.#exhausted[place] === true) continue;
      if (this.#room.in(round) === 0) continue;
      hadRoom = true;
      if (this.#setting.breedings[place] !== null) this.#breed(round, place);
      else if (!(await this.#ask(round, place))) return hadRoom;
    }
    if (round.jobs.length === 0) return hadRoom;
    round.isLaunched = true;
    this.#settle();
    return hadRoom;
  }

  /** Notes the round as begun: it has an epoch. */
  #open(round: Round): void {
    if (round.index !== this.#nextRound) return;
    this.#rounds.push(round);
    this.#nextRound += 1;
  }

  #breed(round: Round, place: number): void {
    const { slots } = this.#study;
    const jobs: EpochJob[] = [];
    for (let k = 0; k < slots; k++) {
      const size = this.#room.in(round);
      if (size === 0) break;
      jobs.push(round.add(place * slots + k, place, size, undefined));
    }
    this.#send(round, jobs);
  }

  #send(round: Round, jobs: readonly EpochJob[]): void {
    if (jobs.length === 0) return;
    this.#open(round);
    this.#runner?.run(jobs);
  }

  /** Asks a proposer that does not travel. False: the search ended before the answer came. */
  async #ask(round: Round, place: number): Promise<boolean> {
    const proposer = this.#parts.proposers[place] as Proposer;
    const most = this.#room.ofSlots(round);
    const answer = await ask(proposer, most, this.#ending.signal);
    if (answer === undefined) return false;
    this.#spending = addSpending(this.#spending, answer.spending);
    if (answer.isExhausted) this.#exhausted[place] = true;
    for (const problem of answer.problems ?? [])
      this.#telling.tell({ type: "problem", proposer: proposer.name, problem });
    this.#cut(round, place, answer.proposals.slice(0, most));
    return true;
  }

  #cut(round: Round, place: number, proposals: readonly Proposal[]): void {
    const { slots, epoch } = this.#study;
    const jobs: EpochJob[] = [];
    for (let at = 0; at < proposals.length; at += epoch) {
      const some = proposals.slice(at, at + epoch);
      const job = round.add(place * slots + jobs.length, place, some.length, some);
      this.#parts.journal?.propose(job);
      jobs.push(job);
    }
    this.#send(round, jobs);
  }

  #take(packed: PackedEpoch, job: EpochJob, worker: number): void {
    if (this.#ending.signal.aborted) return;
    const round = this.#rounds.find(({ index }) => index === packed.round);
    round?.arrive(packed.slot, unpackEpoch(packed, job, worker));
    this.#settle();
  }

  /** Folds in what has come back, in order. */
  #settle(): void {
    const before = this.#fold.progress.front;
    for (let round = this.#rounds[0]; round !== undefined; round = this.#rounds[0]) {
      for (let next = round.takeNext(); next !== undefined; next = round.takeNext())
        this.#settleEpoch(next.job, next.arrivals);
      if (!round.isDone) break;
      this.#rounds.shift();
      this.#done.set(round.index, savedEpochs(round.jobs));
      this.#fold.endRound(round.index + 1);
    }
    this.#sendHeld();
    if (this.#fold.progress.front !== before)
      this.#telling.tell({ type: "front", front: this.#front() });
    this.#telling.report(() => ({ type: "progress", ...this.#amounts() }));
    this.#wakeUp();
  }

  #settleEpoch(job: EpochJob, arrivals: Parameters<Fold["take"]>[1]): void {
    const { journal, proposers } = this.#parts;
    const firstVisit = this.#fold.nextVisit;
    const { visits, outcomes } = this.#fold.take(job, arrivals);
    if (this.#hasListeners) this.#unheard.add(job.round, outcomes);
    journal?.settle({
      round: job.round,
      slot: job.slot,
      proposer: (proposers[job.place] as Proposer).name,
      firstVisit,
      visits,
      outcomes,
      front: this.#fold.progress.front,
      frontBefore: this.#fold.history.at(job.version).front.members.map(({ visit }) => visit),
      fitsMost: fitsAtMost(this.#study.recipe, job.size),
      seconds: this.#secondsBefore + this.#seconds,
    });
    for (const outcome of outcomes) this.#telling.tell({ type: "candidate", outcome });
  }

  /** Waits for rounds up to one to be folded in and shows them to the proposers, in order. */
  async #observeThrough(index: number): Promise<void> {
    while (this.#observed <= index) {
      if (this.#ending.signal.aborted) return;
      if (this.#observed >= this.#settled) await this.#sleep();
      else this.#observe();
    }
  }

  #observe(): void {
    const { history } = this.#fold;
    const outcomes = this.#unheard.take(this.#observed);
    this.#done.delete(this.#observed);
    const before = history.at(this.#observed).counts.candidates;
    this.#observed += 1;
    const isEmpty = history.at(this.#observed).counts.candidates === before;
    this.#emptyRounds = isEmpty ? this.#emptyRounds + 1 : 0;
    history.forgetBefore(Math.min(this.#observed, this.#rounds[0]?.version ?? this.#observed));
    for (const proposer of this.#parts.proposers)
      if (proposer.breeding === undefined) proposer.observe(outcomes);
  }

  /** Waits while the journal or the listener is behind. */
  async #makeRoom(): Promise<void> {
    while (this.#telling.unwritten > UNWRITTEN_MAX && !this.#ending.signal.aborted)
      await this.#sleep();
    await this.queue.room(UNHEARD_MAX);
  }

  #sleep(): Promise<void> {
    if (this.#error !== undefined) throw this.#error;
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  /** Whoever is awake already does not notice. */
  #wakeUp(): void {
    this.#wake?.();
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

  // What is known.

  #front() {
    return describeFront(this.#fold.progress.front, this.#weighings, this.#fold.yardstick);
  }

  /** What the study has come to, and how much of it this run has done, in how many seconds. */
  #amounts() {
    const counts = this.#fold.progress.counts();
    return {
      counts: countsOf(counts, this.#workersReplaced, this.#spending),
      inThisRun: {
        candidates: counts.candidates - this.#countsBefore.candidates,
        fits: counts.fits - this.#countsBefore.fits,
      },
      seconds: this.#seconds,
    };
  }

  #warn(message: string): void {
    this.#runnerProblems.add(message);
    this.#telling.tell({ type: "warning", message });
  }

  /** That few rows are held out, where they are. */
  get #scarcity(): string | undefined {
    return heldOutWarning(rowsOf(this.#study.heldOut));
  }

  #warnings(): readonly string[] {
    const scarcity = this.#scarcity;
    return [...(scarcity === undefined ? [] : [scarcity]), ...this.#runnerProblems];
  }

  #choiceWarnings(choice: FrontMember | undefined): readonly string[] {
    const held = own(this.#study.heldOut, this.#study.target) as Float64Array;
    const rows = { rows: held.length, squares: squaresAbout(held) };
    return choiceWarnings(choice, rows, this.#fold.yardstick);
  }

  #state(): EngineState {
    const { progress, history, nextVisit } = this.#fold;
    return {
      seconds: this.#secondsBefore + this.#seconds,
      nextVisit,
      observed: this.#observed,
      nextRound: this.#nextRound,
      emptyRounds: this.#emptyRounds,
      exhausted: [...this.#exhausted],
      hasListeners: this.#hasListeners,
      spending: this.#spending,
      counts: progress.counts(),
      front: progress.front.members.map(({ visit }) => visit),
      versions: history.save(),
      rounds: this.#savedRounds(),
      proposers: this.#parts.proposers.map((proposer, place) => {
        const population = this.#fold.populationAt(place);
        return population === undefined ? proposer.save() : (population.save() as unknown as Json);
      }),
    };
  }

  /** Rounds that are not observed, those under way, and one that goes on though all were asked in vain. */
  #savedRounds(): EngineState["rounds"] {
    const { length } = this.#parts.proposers;
    const { places = 0, jobs = [] } = this.#asking ?? {};
    // Where nobody is left to be asked and nothing to be heard of, the next round asks anew.
    const goesOn = places < length || this.#observed < this.#nextRound;
    const underWay =
      places > 0 && jobs.length === 0 && goesOn
        ? [...this.#rounds, this.#asking as Round]
        : this.#rounds;
    return [...savedDone(this.#done, length), ...underWay.map((round) => round.save())];
  }

  async #finish(): Promise<void> {
    if (this.#error !== undefined) throw this.#error;
    await this.#runner?.stop();
    this.#weighings = await weighFront(this.#study, this.#fold.progress.front.members);
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
      ...this.#amounts(),
      warnings: [...this.#warnings(), ...this.#choiceWarnings(choice)],
    };
    await this.#telling.finish(done);
    if (this.#error !== undefined) throw this.#error;
  }
}
