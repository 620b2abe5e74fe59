/**
 * Plays a study with a runner, a journal and proposers of the test's own: epochs come back when the test
 * says so and with what it says.
 */

import { performance as perfHooks } from "node:perf_hooks";
import { afterEach, beforeEach, vi } from "vitest";
import { Engine } from "../../src/engine/engine.js";
import type { SeenCandidate } from "../../src/engine/fold.js";
import type { EngineState, Journal, JournalEntry, Resumption } from "../../src/engine/journal.js";
import type { EpochCandidate, EpochJob } from "../../src/epoch/job.js";
import { packEpoch } from "../../src/epoch/pack.js";
import type {
  Budget,
  Json,
  Outcome,
  Proposal,
  Proposals,
  Proposer,
  SearchDone,
  SearchEvent,
  SearchOptions,
} from "../../src/index.js";
import { emptyResult } from "../../src/pipeline/task.js";
import type { RunnerEvents } from "../../src/pool/runner.js";
import { makeStudy } from "../../src/study.js";
import { line } from "./data.js";

/** A program of a number, which decides what becomes of it. */
export const sourceOf = (n: number): string => `(+ (* a x) ${n})`;
export const numberOf = (source: string): number => Number(/(\d+)\)$/.exec(source)?.[1]);

/** Every fifth fails, every seventh is one that was there before; losses fall slowly. */
export function candidateOf(proposal: Proposal, fits: number): EpochCandidate {
  const n = numberOf(proposal.source);
  const failure =
    n % 5 === 4 ? ({ stage: "fit", code: "E-STEPS", message: "long" } as const) : undefined;
  const digest = n % 7 === 6 ? n - 1 : n;
  return {
    proposal,
    skeleton: proposal.source,
    ...{ high: 1, low: digest, complexity: 3 + (n % 3), failure: undefined, isDuplicate: false },
    results: [
      {
        ...emptyResult({ visit: 0, rung: 0 }),
        ...{ fits, failure, params: { a: 3 }, loss: 10 / (1 + n), trainR2: 0.5, bic: 1 },
        r2: 1 - 1 / (2 + n),
      },
    ],
  };
}

/** Says numbers in a row, as many at a time as its script says. */
export class Counting implements Proposer {
  readonly asked: number[] = [];
  readonly heard: number[][] = [];
  #at: number;
  #turn = 0;

  constructor(
    readonly name: string,
    readonly script: readonly number[],
    readonly first = 0,
    readonly more: Partial<Proposals> = {},
  ) {
    this.#at = first;
  }

  begin(): void {}

  async propose(count: number): Promise<Proposals> {
    this.asked.push(count);
    const want = this.script[this.#turn] ?? 0;
    this.#turn += 1;
    // A proposer may say more than it was asked for: the rest is not taken.
    const proposals = Array.from({ length: want }, (_, i): Proposal => {
      return { source: sourceOf(this.#at + i), parents: [], origin: "given" };
    });
    this.#at += Math.min(want, count);
    return { proposals, isExhausted: this.#turn >= this.script.length, ...this.more };
  }

  observe(outcomes: readonly Outcome[]): void {
    this.heard.push(outcomes.map(({ visit }) => visit));
  }

  save(): Json {
    return [this.#at, this.#turn];
  }

  restore(state: Json): void {
    [this.#at, this.#turn] = state as [number, number];
  }
}

/** A journal that keeps everything in memory. */
export class MemoryJournal implements Journal {
  readonly entries: { readonly kept: EngineState; readonly copy: EngineState }[] = [];
  readonly events: SearchEvent[] = [];
  readonly said = new Map<string, readonly Proposal[]>();
  readonly outcomes: Outcome[] = [];
  readonly seen: SeenCandidate[] = [];
  readonly settled: string[] = [];
  isClosed = false;
  refusal: Error | undefined;

  restore(): void {}
  propose({ round, slot, proposals = [] }: EpochJob): void {
    this.said.set(`${round} ${slot}`, proposals);
  }
  settle({
    round,
    slot,
    proposer,
    firstVisit,
    visits,
    outcomes,
    fitsMost,
  }: Parameters<Journal["settle"]>[0]) {
    this.settled.push(`${round} ${slot} ${proposer} from ${firstVisit}, at most ${fitsMost}`);
    this.outcomes.push(...outcomes);
    for (const { visit, id, duplicateOf, arrival } of visits)
      if (visit === id && duplicateOf === undefined)
        this.seen.push({ id, high: arrival.high, low: arrival.low, plain: arrival.source });
  }
  async commit({ state, events }: JournalEntry): Promise<void> {
    if (this.refusal !== undefined) throw this.refusal;
    this.entries.push({ kept: state, copy: structuredClone(state) });
    this.events.push(...events);
  }
  async close(): Promise<void> {
    this.isClosed = true;
  }

  /** What an archive would give back that holds the entries up to one. */
  resumption(index: number): Resumption {
    const state = this.entries[index]?.copy as EngineState;
    return {
      state: {
        ...state,
        rounds: state.rounds.map((round) => ({
          ...round,
          epochs: round.epochs.map((epoch) => ({
            ...epoch,
            proposals: epoch.isGiven ? this.said.get(`${round.round} ${epoch.slot}`) : undefined,
          })),
        })),
      },
      seen: () => this.seen.filter(({ id }) => id < state.nextVisit),
      outcomes: (visits) => visits.map((visit) => this.outcomes[visit] as Outcome),
      round: (round) =>
        this.outcomes.filter((each) => each.round === round && each.visit < state.nextVisit),
      pending: [],
      restore: (place, _isBred, take) => take(state.proposers[place] ?? null),
    };
  }
}

export interface Play {
  readonly proposers: readonly Proposer[];
  readonly budget?: Budget;
  readonly options?: Partial<SearchOptions>;
  readonly journal?: MemoryJournal;
  readonly resumption?: Resumption;
  /** Which of the epochs under way comes back next. */
  readonly order?: (count: number) => number;
  readonly fitsOf?: (job: EpochJob) => number;
  /** How many candidates an epoch comes to; default: all that were proposed. */
  readonly keptOf?: (job: EpochJob) => number;
  readonly signal?: AbortSignal;
  /** Nobody listens before it; default: from the beginning on. */
  readonly heard?: Promise<void>;
  onStop?(): void;
  onStart?(events: RunnerEvents): void;
  onJobs?(jobs: readonly EpochJob[], events: RunnerEvents): void;
}

/** Sixty milliseconds go by from one turn of the event loop to the next. */
export const clock = { now: 0 };

/** Time stands still but for the turns of the event loop, in every test of a file. */
export function useClock(): void {
  beforeEach(() => {
    clock.now = 1000;
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    vi.spyOn(perfHooks, "now").mockImplementation(() => clock.now);
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });
}

/** Plays a study to its end. */
export async function play({
  proposers,
  budget = {},
  options = {},
  journal,
  order = () => 0,
  ...more
}: Play) {
  const study = makeStudy({
    ...{ data: line, target: "y", seed: 3, epoch: 4, slots: 2, lag: 2 },
    ...options,
  });
  const open: EpochJob[] = [];
  const jobs: EpochJob[] = [];
  const story: string[] = [];
  let events: RunnerEvents | undefined;
  let isOver = false;
  const engine = new Engine({
    ...{ study, budget, proposers, journal, signal: more.signal, resumption: more.resumption },
    startRunner: async (_setting, given) => {
      events = given;
      more.onStart?.(given);
      return {
        workers: 3,
        run: (all) => {
          jobs.push(...all);
          open.push(...all);
          more.onJobs?.(all, given);
        },
        stop: async () => {
          story.push("stop");
          more.onStop?.();
        },
      };
    },
  });
  const running = engine.run().finally(() => {
    isOver = true;
  });
  const told: SearchEvent[] = [];
  let error: unknown;
  const listening = (async () => {
    await more.heard;
    for (
      let event = await engine.queue.next();
      event !== undefined;
      event = await engine.queue.next()
    )
      told.push(event);
  })().catch((caught) => {
    error = caught;
  });
  while (!isOver) {
    await new Promise((resolve) => setImmediate(resolve));
    clock.now += 60;
    vi.advanceTimersByTime(60);
    const [job] = open.splice(order(open.length), 1);
    if (job === undefined) continue;
    const fits = more.fitsOf?.(job) ?? 1;
    const candidates = (job.proposals ?? [])
      .slice(0, more.keptOf?.(job))
      .map((proposal) => candidateOf(proposal, fits));
    const { round, slot } = job;
    events?.done(packEpoch({ round, slot, candidates, breeding: 0, reading: 0 }, job), job, 0);
  }
  await running;
  await listening;
  const outcomes = told.flatMap((event) => (event.type === "candidate" ? [event.outcome] : []));
  const done = told.findLast((event): event is SearchDone => event.type === "done");
  return { told, outcomes, done, error, jobs, story, study };
}
