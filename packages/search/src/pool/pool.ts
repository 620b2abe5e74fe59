/**
 * A pool of workers, each with a machine of its own.
 *
 * Epochs travel in parcels: a message costs more than a short fit, so a parcel is a few milliseconds of
 * work. A worker has a second parcel waiting while there is plenty, so that it is not idle until the
 * engine has time for it. Before an epoch a worker hears of what became of earlier rounds.
 *
 * Shared words tell which candidate of which epoch a worker is at. When it dies, its epochs go back to
 * the queue and that one is tried again by itself; the second time its candidate fails with E-WORKER,
 * and the others of the epoch are computed again. A third word beats while a fit gets on. Budgets of
 * steps end every program, so a worker that has work and gives no sign of life for minutes is stuck by
 * a mistake of ours, or of what we stand on: it is ended, and its candidate fails without another try.
 */

import { Worker } from "node:worker_threads";
import { NdvmError } from "@ndvm/core";
import type { EpochSetting } from "../epoch/epoch.js";
import type { EpochJob, Update } from "../epoch/job.js";
import type { PackedEpoch } from "../epoch/pack.js";
import type { Failure } from "../types.js";
import { type Runner, type RunnerEvents, STUCK_FAILURE, WORKER_FAILURE } from "./runner.js";

/** What a worker is started with. */
export interface WorkerStart {
  readonly setting: EpochSetting;
  /** PROGRESS_*: where the worker is. */
  readonly progress: Int32Array;
}

/** The epoch of its parcels that a worker is at, from 0, counted since it began. */
export const PROGRESS_EPOCH = 0;
/** The candidate of that epoch it is at, plus 1; 0 while it breeds or has nothing to do. */
export const PROGRESS_CANDIDATE = 1;
/** How often its fits got on. */
export const PROGRESS_BEAT = 2;

export interface ToWorker {
  readonly updates: readonly (readonly Update[])[];
  readonly jobs: readonly EpochJob[];
}
export type FromWorker = "ready" | readonly PackedEpoch[];

/** Milliseconds of work in a parcel, and epochs in it at most. */
const PARCEL_MS = 4;
const PARCEL_MAX = 32;
/** Parcels a worker has: the one it works on, and the next. */
const PARCELS_AHEAD = 2;
/** Workers that may die in a row before they get to any work. */
const STILLBORN_MAX = 3;
/** How often an epoch may cost a worker its life before any candidate is at fault. */
const TRIES_MAX = 8;

/** Milliseconds between two looks at the workers, and looks without a sign of life: two minutes. */
const LOOK_EVERY = 1000;
const LOOKS_MAX = 120;

/**
 * Megabytes of the part of a worker's heap where objects are made: a fit leaves nothing behind, so
 * the rarer this part is swept, the less there is to sweep.
 */
const YOUNG_MB = 64;

interface Member {
  readonly index: number;
  readonly worker: Worker;
  readonly progress: Int32Array;
  readonly parcels: (readonly EpochJob[])[];
  /** The version that the worker will know when it has done what it was given. */
  version: number;
  /** Epochs that have come back from it. */
  done: number;
  isReady: boolean;
  /** When it was given something to do while it had nothing. */
  since: number;
  /** Looks since the last sign of life, and what the worker's words were then. */
  looks: number;
  signs: string;
}

export interface PoolOptions {
  /** Where the workers' code is; tests have workers of their own. */
  readonly code?: URL;
  /** Milliseconds between two looks at the workers. */
  readonly lookEvery?: number;
}

export class Pool implements Runner {
  readonly workers: number;
  readonly #setting: EpochSetting;
  readonly #events: RunnerEvents;
  readonly #code: URL;
  readonly #members: (Member | undefined)[] = [];
  /** Candidates that have cost a worker its life, and how often an epoch has. */
  readonly #blamed = new Set<string>();
  readonly #tries = new Map<string, number>();
  readonly #looking: NodeJS.Timeout;
  /** In the order of rounds and slots, but for those that are tried again: they come first. */
  readonly #waiting: EpochJob[] = [];
  readonly #alone: EpochJob[] = [];
  #stillborn = 0;
  #isStopped = false;
  /** Milliseconds an epoch takes, as lately seen. */
  #pace = PARCEL_MS;

  constructor(
    setting: EpochSetting,
    workers: number,
    events: RunnerEvents,
    options: PoolOptions = {},
  ) {
    this.workers = workers;
    this.#code = options.code ?? workerUrl();
    this.#setting = setting;
    this.#events = events;
    this.#looking = setInterval(() => this.#look(), options.lookEvery ?? LOOK_EVERY);
    this.#looking.unref();
    for (let index = 0; index < workers; index++) this.#start(index);
  }

  run(jobs: readonly EpochJob[]): void {
    for (const job of jobs) this.#waiting.push(job);
    this.#deal();
  }

  async stop(): Promise<void> {
    this.#close();
    await Promise.all(this.#members.map((member) => member?.worker.terminate()));
  }

  /**
   * Ends a worker as if it had died by itself, unless its candidate has cost a worker before. For
   * tests. Whether it did.
   */
  kill(index: number): boolean {
    const member = this.#members[index];
    if (member === undefined || this.#blamed.has(culpritOf(member)?.key ?? "")) return false;
    void member.worker.terminate();
    return true;
  }

  #start(index: number): void {
    const progress = new Int32Array(new SharedArrayBuffer(12));
    const workerData: WorkerStart = { setting: this.#setting, progress };
    const resourceLimits = { maxYoungGenerationSizeMb: YOUNG_MB };
    const worker = new Worker(this.#code, { workerData, execArgv: [], resourceLimits });
    const life = { version: -1, done: 0, isReady: false, since: 0, looks: 0, signs: "" };
    const member: Member = { index, worker, progress, parcels: [], ...life };
    let reason = "it ended";
    worker.on("message", (message: FromWorker) => this.#hear(member, message));
    worker.on("error", (error) => {
      reason = error.message;
    });
    worker.on("exit", () => {
      if (this.#members[index] === member) this.#bury(member, reason, WORKER_FAILURE);
    });
    this.#members[index] = member;
  }

  #hear(member: Member, message: FromWorker): void {
    if (this.#isStopped || this.#members[member.index] !== member) return;
    member.looks = 0;
    if (message === "ready") {
      member.isReady = true;
      this.#deal();
      return;
    }
    this.#stillborn = 0;
    const jobs = member.parcels.shift() ?? [];
    member.done += jobs.length;
    const now = performance.now();
    const pace = Math.max(0.01, (now - member.since) / Math.max(1, jobs.length));
    this.#pace += 0.2 * (pace - this.#pace);
    member.since = now;
    // First of all it gets something to do.
    this.#deal();
    for (const [i, packed] of message.entries())
      this.#events.done(packed, jobs[i] as EpochJob, member.index);
  }

  /** Gives parcels to workers that have room: first those who have nothing at all. */
  #deal(): void {
    for (let ahead = 0; ahead < PARCELS_AHEAD; ahead++) {
      // A parcel that waits behind another is for later: there must be enough for the others now.
      if (ahead > 0 && this.#waiting.length < this.workers) return;
      for (const member of this.#members)
        if (member?.isReady && member.parcels.length === ahead && !this.#isStopped)
          this.#give(member);
    }
  }

  #give(member: Member): void {
    const alone = member.parcels.length === 0 ? this.#alone.shift() : undefined;
    const jobs = alone === undefined ? this.#nextParcel() : [alone];
    if (jobs.length === 0) return;
    const updates = jobs.map((job) => {
      const needed = this.#events.updates(member.version, job.version);
      member.version = job.version;
      return needed;
    });
    if (member.parcels.length === 0) member.since = performance.now();
    member.parcels.push(jobs);
    member.worker.postMessage({ updates, jobs } satisfies ToWorker);
  }

  #nextParcel(): readonly EpochJob[] {
    // A worker that is alone has nobody to leave anything to.
    const left = this.#waiting.length;
    const fair = this.workers === 1 ? left : Math.ceil(left / (this.workers * PARCELS_AHEAD));
    const size = Math.min(PARCEL_MAX, fair, Math.max(1, Math.round(PARCEL_MS / this.#pace)));
    return this.#waiting.splice(0, size);
  }

  /** Ends workers that have work and give no sign of life. */
  #look(): void {
    for (const member of this.#members) {
      if (member === undefined || member.parcels.length === 0) continue;
      const signs = member.progress.join();
      const isAlive = signs !== member.signs;
      member.signs = signs;
      member.looks = isAlive ? 0 : member.looks + 1;
      if (member.looks < LOOKS_MAX) continue;
      void member.worker.terminate();
      this.#bury(member, STUCK_FAILURE.message, STUCK_FAILURE);
    }
  }

  /**
   * A worker is gone. Its work goes elsewhere, and another takes its place. `failure` is what becomes
   * of the candidate it was at: at once where the worker was stuck, else the second time.
   */
  #bury(member: Member, reason: string, failure: Failure): void {
    if (this.#isStopped) return;
    this.#members[member.index] = undefined;
    if (!member.isReady && !this.#mayTryAgain(reason)) return;
    const culprit = culpritOf(member);
    const jobs = member.parcels.flat();
    const others = jobs.filter((job) => job !== culprit?.job);
    if (culprit !== undefined && !this.#retry(culprit, failure, reason)) return;
    this.#waiting.unshift(...others);
    this.#events.replaced(member.index, reason);
    this.#start(member.index);
    this.#deal();
  }

  /** Tries an epoch again that has cost a worker its life. False: that was the end. */
  #retry({ job, index, key }: Culprit, failure: Failure, reason: string): boolean {
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
    this.#close();
    this.#events.broken(
      new NdvmError("E-WORKER", `workers died over one epoch again and again: ${reason}`, {
        help: "give them more memory (limits.memory), or use fewer workers",
      }),
    );
    return false;
  }

  /** Counts workers that never got to any work. False: there were too many, and that is the end. */
  #mayTryAgain(reason: string): boolean {
    this.#stillborn += 1;
    if (this.#stillborn < STILLBORN_MAX * this.workers) return true;
    this.#close();
    this.#events.broken(
      new NdvmError("E-WORKER", `workers cannot be started: ${reason}`, {
        help: "try workers: 0, which runs everything in this thread",
      }),
    );
    return false;
  }

  #close(): void {
    this.#isStopped = true;
    clearInterval(this.#looking);
  }
}

interface Culprit {
  readonly job: EpochJob;
  /** −1: it was at no candidate. */
  readonly index: number;
  readonly key: string;
}

/** The epoch that a worker is at, and the candidate; undefined where it has nothing to do. */
function culpritOf({ progress, parcels, done }: Member): Culprit | undefined {
  const jobs = parcels.flat();
  const at = Math.max(0, Atomics.load(progress, PROGRESS_EPOCH) - done);
  const job = jobs[at];
  if (job === undefined) return undefined;
  const index = Atomics.load(progress, PROGRESS_CANDIDATE) - 1;
  return { job, index, key: `${job.round} ${job.slot} ${index}` };
}

/** Where the worker's code is. Sources that run as TypeScript use the built one. */
function workerUrl(): URL {
  const isSource = import.meta.url.split("?")[0]?.endsWith(".ts") ?? false;
  return new URL(isSource ? "../../dist/worker.js" : "../worker.js", import.meta.url);
}
