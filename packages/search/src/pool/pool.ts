/**
 * A pool of workers, each with a machine of its own.
 *
 * Tasks travel in parcels: a message costs more than a short fit, so a parcel is as large as a few
 * milliseconds of work, and a worker has the next one waiting. A shared word tells which visit a
 * worker is at. When it dies, that candidate is tried once more, alone in a parcel, and fails with
 * E-WORKER if its worker dies again; the others of its parcels go back to the queue.
 *
 * A second shared word beats while a fit gets on. Budgets of steps end every program, so a worker
 * that has work and gives no sign of life for minutes is stuck by a mistake of ours, or of what we
 * stand on: it is ended, and its candidate fails without another try.
 */

import { Worker } from "node:worker_threads";
import { NdvmError } from "@ndvm/core";
import { failedResult, type Task, type TaskResult } from "../pipeline/task.js";
import type { Study } from "../study.js";
import type { Failure } from "../types.js";
import { packTasks, type ResultParcel, type TaskParcel, unpackResults } from "./parcel.js";
import { type Runner, type RunnerEvents, STUCK_FAILURE, WORKER_FAILURE } from "./runner.js";

/** What a worker is started with. */
export interface WorkerStart {
  readonly study: Study;
  /** The visit that the worker is at, plus 1 (0 between parcels), and how often its fits got on. */
  readonly progress: Int32Array;
}

export type ToWorker = TaskParcel;
export type FromWorker = "ready" | ResultParcel;

/** Milliseconds of work in a parcel. */
const PARCEL_MS = 4;
const PARCEL_MAX = 64;
/** Parcels a worker has: the one it works on, and the next. */
const PARCELS_AHEAD = 2;
/** Workers that may die in a row before they get to any work. */
const STILLBORN_MAX = 3;

/** Milliseconds between two looks at the workers, and looks without a sign of life: two minutes. */
const LOOK_EVERY = 1000;
const LOOKS_MAX = 120;

/**
 * Megabytes of the part of a worker's heap where objects are made: a fit leaves nothing behind, so
 * the rarer this part is swept, the less there is to sweep.
 */
const YOUNG_MB = 64;

/** Tasks that were dealt and are still held, at most. */
const DEALT_MAX = 4096;

interface Member {
  readonly index: number;
  readonly worker: Worker;
  readonly progress: Int32Array;
  readonly parcels: (readonly Task[])[];
  isReady: boolean;
  /** Looks since the last sign of life, and what the worker's words were then. */
  looks: number;
  visit: number;
  beat: number;
}

export interface PoolOptions {
  /** Where the workers' code is; tests have workers of their own. */
  readonly code?: URL;
  /** Milliseconds between two looks at the workers. */
  readonly lookEvery?: number;
}

export class Pool implements Runner {
  readonly workers: number;
  readonly #study: Study;
  readonly #events: RunnerEvents;
  readonly #code: URL;
  readonly #members: (Member | undefined)[] = [];
  readonly #blamed = new Set<number>();
  readonly #looking: NodeJS.Timeout;
  #waiting: Task[] = [];
  #at = 0;
  #alone: Task[] = [];
  #stillborn = 0;
  #isStopped = false;
  /** Milliseconds a task takes, as lately seen. */
  #pace = 1;

  constructor(study: Study, workers: number, events: RunnerEvents, options: PoolOptions = {}) {
    this.workers = workers;
    this.#code = options.code ?? workerUrl();
    this.#study = study;
    this.#events = events;
    this.#looking = setInterval(() => this.#look(), options.lookEvery ?? LOOK_EVERY);
    this.#looking.unref();
    for (let index = 0; index < workers; index++) this.#start(index);
  }

  run(tasks: readonly Task[]): void {
    for (const task of tasks) this.#waiting.push(task);
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
    if (member === undefined || this.#blamed.has((member.progress[0] as number) - 1)) return false;
    void member.worker.terminate();
    return true;
  }

  #start(index: number): void {
    const progress = new Int32Array(new SharedArrayBuffer(8));
    const workerData: WorkerStart = { study: this.#study, progress };
    const resourceLimits = { maxYoungGenerationSizeMb: YOUNG_MB };
    const worker = new Worker(this.#code, { workerData, execArgv: [], resourceLimits });
    const life = { looks: 0, visit: 0, beat: 0 };
    const member: Member = { index, worker, progress, parcels: [], isReady: false, ...life };
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
    if (message === "ready") member.isReady = true;
    else {
      this.#stillborn = 0;
      member.parcels.shift();
      const results = unpackResults(message, member.index);
      this.#note(results);
      this.#events.results(results);
    }
    this.#deal();
  }

  #note(results: readonly TaskResult[]): void {
    let seconds = 0;
    for (const { timing } of results) seconds += timing.screen + timing.fit + timing.score;
    const pace = Math.max(0.01, (1000 * seconds) / results.length);
    this.#pace += 0.2 * (pace - this.#pace);
  }

  /** Gives parcels to workers that have room: first those who have nothing at all. */
  #deal(): void {
    for (let ahead = 0; ahead < PARCELS_AHEAD; ahead++)
      for (const member of this.#members)
        if (member?.isReady && member.parcels.length === ahead && !this.#isStopped)
          this.#give(member);
  }

  #give(member: Member): void {
    const alone = member.parcels.length === 0 ? this.#alone.shift() : undefined;
    const parcel = alone === undefined ? this.#nextParcel() : [alone];
    if (parcel.length === 0) return;
    member.parcels.push(parcel);
    member.worker.postMessage(packTasks(parcel) satisfies ToWorker);
  }

  #nextParcel(): readonly Task[] {
    const left = this.#waiting.length - this.#at;
    // A worker that is alone has nobody to leave anything to.
    const fair = this.workers === 1 ? left : Math.ceil(left / (this.workers * PARCELS_AHEAD));
    const size = Math.min(PARCEL_MAX, fair, Math.max(1, Math.round(PARCEL_MS / this.#pace)));
    const parcel = this.#waiting.slice(this.#at, this.#at + size);
    this.#at += parcel.length;
    if (this.#at === this.#waiting.length || this.#at >= DEALT_MAX) {
      this.#waiting = this.#waiting.slice(this.#at);
      this.#at = 0;
    }
    return parcel;
  }

  /** Ends workers that have work and give no sign of life. */
  #look(): void {
    for (const member of this.#members) {
      if (member === undefined || member.parcels.length === 0) continue;
      const [visit = 0, beat = 0] = member.progress;
      const isAlive = visit !== member.visit || beat !== member.beat;
      member.visit = visit;
      member.beat = beat;
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
    const culprit = (member.progress[0] as number) - 1;
    const failed: TaskResult[] = [];
    for (const task of member.parcels.flat()) {
      if (task.visit !== culprit) this.#waiting.push(task);
      else if (failure === STUCK_FAILURE || this.#blamed.has(culprit))
        failed.push(failedResult(task, failure));
      else {
        this.#blamed.add(culprit);
        this.#alone.push(task);
      }
    }
    this.#events.replaced(member.index, reason);
    this.#start(member.index);
    if (failed.length > 0) this.#events.results(failed);
    this.#deal();
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

/** Where the worker's code is. Sources that run as TypeScript use the built one. */
function workerUrl(): URL {
  const isSource = import.meta.url.split("?")[0]?.endsWith(".ts") ?? false;
  return new URL(isSource ? "../../dist/worker.js" : "../worker.js", import.meta.url);
}
