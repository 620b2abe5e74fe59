/**
 * A pool of workers, each with a machine of its own.
 *
 * Epochs travel in bundles: a message costs more than a short fit, so a bundle is a few milliseconds of
 * work. A worker has a second bundle waiting while there is plenty and epochs are short, so that it is
 * not idle until the engine has time for it. Before an epoch a worker hears of what became of earlier
 * rounds.
 *
 * Workers are started, watched, replaced and ended as those of core's pools are.
 *
 * Shared words tell which candidate of which epoch a worker is at. When it dies, its epochs go back to
 * the queue and that one is tried again by itself; the second time its candidate fails with E-WORKER,
 * and the others of the epoch are computed again. A third word beats while a fit gets on. Budgets of
 * steps end every program, so a worker that has work and gives no sign of life for minutes is stuck by
 * a mistake of ours, or of what we stand on: it is ended, and its candidate fails without another try.
 * Where memory cannot be shared (a page that is not cross-origin isolated) nobody knows where a worker
 * is: then a bundle is one epoch, and an epoch that costs too many workers ends the search.
 */

import { NdvmError } from "@ndvm/core";
import {
  Crew,
  type Death,
  hostStarter,
  type StartHost,
  sharesMemory,
  type WorkerCode,
} from "@ndvm/core/workers";
import type { EpochSetting } from "../epoch/epoch.js";
import type { EpochJob, Update } from "../epoch/job.js";
import type { PackedEpoch } from "../epoch/pack.js";
import type { Failure } from "../types.js";
import { type Runner, type RunnerEvents, STUCK_FAILURE, WORKER_FAILURE } from "./runner.js";

/** The first message to a worker. */
export interface WorkerStart {
  readonly setting: EpochSetting;
  /** PROGRESS_*: where the worker is. */
  readonly progress: Int32Array;
}

/** The epoch of its bundles that a worker is at, from 0, counted since it began. */
export const PROGRESS_EPOCH = 0;
/** The candidate of that epoch it is at, plus 1; 0 while it breeds or has nothing to do. */
export const PROGRESS_CANDIDATE = 1;
/** How often its fits got on. */
export const PROGRESS_BEAT = 2;
const PROGRESS_WORDS = 3;

export interface Bundle {
  readonly updates: readonly (readonly Update[])[];
  readonly jobs: readonly EpochJob[];
}
export type ToWorker = WorkerStart | Bundle;
export type FromWorker = readonly PackedEpoch[];

/** Milliseconds of work in a bundle, and epochs in it at most. */
const BUNDLE_MS = 4;
const BUNDLE_MAX = 32;
/** Milliseconds of an epoch beside which the time until the next one comes does not matter. */
const LONG_MS = 8;
/** Bundles a worker has: the one it works on, and the next, where epochs are short. */
const BUNDLES_AHEAD = 2;
/** Workers that may die in a row before they get to any work. */
const STILLBORN_MAX = 3;
/** How often an epoch may cost a worker its life before any candidate is at fault. */
const TRIES_MAX = 8;

/** Milliseconds between two looks at the workers, and looks without a sign of life: two minutes. */
const LOOK_EVERY = 1000;
const LOOKS_MAX = 120;

/**
 * Megabytes of the part of a worker's heap where objects are made. A fit leaves nothing behind, so
 * that sweeping takes about 5 % of the time with any size from 6 to 190.
 */
const YOUNG_MEGABYTES = 24;

/** What the worker of a place has and where it is. */
interface Member {
  readonly progress: Int32Array;
  readonly bundles: (readonly EpochJob[])[];
  /** The version that the worker will know when it has done what it was given. */
  version: number;
  /** Epochs that have come back from it. */
  done: number;
  /** When it was given something to do while it had nothing. */
  since: number;
}

export interface PoolOptions {
  /** Where the workers' code is; tests have workers of their own. */
  readonly code?: WorkerCode;
  /** Milliseconds between two looks at the workers. */
  readonly lookEvery?: number;
}

export class Pool implements Runner {
  readonly workers: number;
  readonly #setting: EpochSetting;
  readonly #events: RunnerEvents;
  readonly #crew: Crew<ToWorker, FromWorker>;
  readonly #members: Member[];
  readonly #isShared = sharesMemory();
  /** Candidates that have cost a worker its life, and how often an epoch has. */
  readonly #blamed = new Set<string>();
  readonly #tries = new Map<string, number>();
  /** In the order of rounds and slots, but for those that are tried again: they come first. */
  readonly #waiting: EpochJob[] = [];
  readonly #alone: EpochJob[] = [];
  /** Milliseconds an epoch takes, as lately seen. */
  #pace = BUNDLE_MS;

  static async start(
    setting: EpochSetting,
    workers: number,
    events: RunnerEvents,
    options: PoolOptions = {},
  ): Promise<Pool> {
    const startHost = await hostStarter(options.code ?? workerCode());
    return new Pool(setting, workers, events, startHost, options.lookEvery ?? LOOK_EVERY);
  }

  private constructor(
    setting: EpochSetting,
    workers: number,
    events: RunnerEvents,
    startHost: StartHost,
    lookEvery: number,
  ) {
    this.workers = workers;
    this.#setting = setting;
    this.#events = events;
    this.#members = Array.from({ length: workers }, () => this.#newMember());
    const signs = (place: number): string | undefined => {
      const { progress, bundles } = this.#members[place] as Member;
      return bundles.length === 0 ? undefined : progress.join();
    };
    this.#crew = new Crew<ToWorker, FromWorker>({
      workers,
      startHost,
      watch: this.#isShared ? { every: lookEvery, looksMax: LOOKS_MAX, signs } : undefined,
      first: (place) => ({
        setting: this.#setting,
        progress: (this.#members[place] as Member).progress,
      }),
      ready: () => this.#deal(),
      message: (place, message) => this.#hear(place, message),
      death: (place, death) => this.#bury(place, death),
    });
    for (let place = 0; place < workers; place++) this.#crew.start(place);
  }

  run(jobs: readonly EpochJob[]): void {
    for (const job of jobs) this.#waiting.push(job);
    this.#deal();
  }

  /** Ends all workers. Nothing is heard of them from then on, and nobody gets anything to do. */
  async stop(): Promise<void> {
    await this.#crew.dispose();
  }

  /**
   * Ends a worker as if it had died by itself, unless its candidate has cost a worker before. For
   * tests. Whether it did.
   */
  kill(place: number): boolean {
    const culprit = this.#culpritOf(this.#members[place] as Member);
    if (!this.#crew.has(place) || this.#blamed.has(culprit?.key ?? "")) return false;
    this.#crew.kill(place, "it was killed", { reason: "crash" });
    return true;
  }

  #newMember(): Member {
    const bytes = PROGRESS_WORDS * Int32Array.BYTES_PER_ELEMENT;
    const progress = new Int32Array(
      this.#isShared ? new SharedArrayBuffer(bytes) : new ArrayBuffer(bytes),
    );
    return { progress, bundles: [], version: -1, done: 0, since: 0 };
  }

  #hear(place: number, message: FromWorker): void {
    const member = this.#members[place] as Member;
    const jobs = member.bundles.shift() ?? [];
    member.done += jobs.length;
    const now = performance.now();
    const pace = Math.max(0.01, (now - member.since) / Math.max(1, jobs.length));
    this.#pace += 0.2 * (pace - this.#pace);
    member.since = now;
    // First of all it gets something to do.
    this.#deal();
    for (const [i, packed] of message.entries())
      this.#events.done(packed, jobs[i] as EpochJob, place);
  }

  /** Gives bundles to workers that have room: first those who have nothing at all. */
  #deal(): void {
    for (let ahead = 0; ahead < BUNDLES_AHEAD; ahead++) {
      // A bundle that waits behind another is for later: there must be enough for the others now, and
      // it must not wait for long while others become idle.
      const isLong = this.workers > 1 && this.#pace > LONG_MS;
      if (ahead > 0 && (this.#waiting.length < this.workers || isLong)) return;
      for (const [place, member] of this.#members.entries())
        if (this.#crew.isReady(place) && member.bundles.length === ahead) this.#give(place, member);
    }
  }

  #give(place: number, member: Member): void {
    const alone = member.bundles.length === 0 ? this.#alone.shift() : undefined;
    const jobs = alone === undefined ? this.#nextBundle() : [alone];
    if (jobs.length === 0) return;
    const updates = jobs.map((job) => {
      const needed = this.#events.updates(member.version, job.version);
      member.version = job.version;
      return needed;
    });
    if (member.bundles.length === 0) member.since = performance.now();
    member.bundles.push(jobs);
    this.#crew.post(place, { updates, jobs });
  }

  #nextBundle(): readonly EpochJob[] {
    // A worker that is alone has nobody to leave anything to.
    const left = this.#waiting.length;
    const fair = this.workers === 1 ? left : Math.ceil(left / (this.workers * BUNDLES_AHEAD));
    const size = Math.min(BUNDLE_MAX, fair, Math.max(1, Math.round(BUNDLE_MS / this.#pace)));
    return this.#waiting.splice(0, this.#isShared ? size : 1);
  }

  /**
   * A worker is gone. Its work goes elsewhere, and another takes its place. The candidate it was at
   * fails at once where the worker was stuck, else the second time.
   */
  #bury(place: number, death: Death): void {
    const member = this.#members[place] as Member;
    this.#members[place] = this.#newMember();
    const { message, facts, stillborn } = death;
    if (stillborn >= STILLBORN_MAX * this.workers) {
      this.#break(`workers cannot be started: ${message}`, death, NO_WORKERS_HELP);
      return;
    }
    const failure = facts.reason === "stuck" ? STUCK_FAILURE : WORKER_FAILURE;
    const culprit = this.#culpritOf(member);
    const others = member.bundles.flat().filter((job) => job !== culprit?.job);
    if (culprit !== undefined && !this.#retry(culprit, failure, death)) return;
    this.#waiting.unshift(...others);
    this.#events.replaced(place, failure === STUCK_FAILURE ? failure.message : message);
    this.#crew.start(place);
    this.#deal();
  }

  /** Tries an epoch again that has cost a worker its life. False: that was the end. */
  #retry({ job, index, key }: Culprit, failure: Failure, death: Death): boolean {
    const epoch = `${job.round} ${job.slot}`;
    const tries = (this.#tries.get(epoch) ?? 0) + 1;
    this.#tries.set(epoch, tries);
    if (index >= 0 && (failure === STUCK_FAILURE || this.#blamed.has(key))) {
      this.#tries.delete(epoch);
      this.#alone.push({ ...job, lost: [...job.lost, [index, failure]] });
      return true;
    }
    if (index >= 0) this.#blamed.add(key);
    this.#alone.push(job);
    if (index >= 0 || tries < TRIES_MAX) return true;
    const message = `workers died over one epoch again and again: ${death.message}`;
    this.#break(message, death, "give them more memory (limits.memory), or use fewer workers");
    return false;
  }

  #break(message: string, { facts }: Death, help: string): void {
    void this.stop();
    this.#events.broken(new NdvmError("E-WORKER", message, { facts, help }));
  }

  /** The epoch that a worker is at, and the candidate; undefined where it has nothing to do. */
  #culpritOf({ progress, bundles, done }: Member): Culprit | undefined {
    const at = Math.max(0, Atomics.load(progress, PROGRESS_EPOCH) - done);
    const job = bundles.flat()[this.#isShared ? at : 0];
    if (job === undefined) return undefined;
    const index = Atomics.load(progress, PROGRESS_CANDIDATE) - 1;
    return { job, index, key: `${job.round} ${job.slot} ${index}` };
  }
}

const NO_WORKERS_HELP = "try workers: 0, which runs everything in this thread";

interface Culprit {
  readonly job: EpochJob;
  /** −1: it was at no candidate. */
  readonly index: number;
  readonly key: string;
}

/** Where the worker's code is. Sources that run as TypeScript use the built one. */
function workerCode(): WorkerCode {
  const isSource = /\.ts(\?|$)/.test(import.meta.url);
  const path = isSource ? "../../dist/worker.js" : "../worker.js";
  return {
    url: new URL(/* @vite-ignore */ path, import.meta.url),
    youngMegabytes: YOUNG_MEGABYTES,
  };
}
