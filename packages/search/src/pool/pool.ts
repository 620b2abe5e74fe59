/**
 * A pool of workers, each with a machine of its own.
 *
 * Tasks travel in parcels: a message costs more than a short fit, so a parcel is as large as a few
 * milliseconds of work, and a worker has the next one waiting. A shared word tells which visit a
 * worker is at. When it dies, that candidate is tried once more, alone in a parcel, and fails with
 * E-WORKER if its worker dies again; the others of its parcels go back to the queue.
 */

import { Worker } from "node:worker_threads";
import { NdvmError } from "@ndvm/core";
import { failedResult, type Task, type TaskResult } from "../pipeline/task.js";
import type { Study } from "../study.js";
import { type Runner, type RunnerEvents, WORKER_FAILURE } from "./runner.js";

/** What a worker is started with. */
export interface WorkerStart {
  readonly study: Study;
  /** The visit that the worker is at, plus 1; 0 between parcels. */
  readonly progress: Int32Array;
}

export type ToWorker = readonly Task[];
export type FromWorker = "ready" | readonly TaskResult[];

/** Milliseconds of work in a parcel. */
const PARCEL_MS = 4;
const PARCEL_MAX = 64;
/** Parcels a worker has: the one it works on, and the next. */
const PARCELS_AHEAD = 2;
/** Workers that may die in a row before they get to any work. */
const STILLBORN_MAX = 3;

/** Tasks that were dealt and are still held, at most. */
const DEALT_MAX = 4096;

interface Member {
  readonly index: number;
  readonly worker: Worker;
  readonly progress: Int32Array;
  readonly parcels: (readonly Task[])[];
  isReady: boolean;
}

export class Pool implements Runner {
  readonly workers: number;
  readonly #study: Study;
  readonly #events: RunnerEvents;
  readonly #code: URL;
  readonly #members: (Member | undefined)[] = [];
  readonly #blamed = new Set<number>();
  #waiting: Task[] = [];
  #at = 0;
  #alone: Task[] = [];
  #stillborn = 0;
  #isStopped = false;
  /** Milliseconds a task takes, as lately seen. */
  #pace = 1;

  /** `code` is where the workers' code is; tests have workers of their own. */
  constructor(study: Study, workers: number, events: RunnerEvents, code: URL = workerUrl()) {
    this.workers = workers;
    this.#code = code;
    this.#study = study;
    this.#events = events;
    for (let index = 0; index < workers; index++) this.#start(index);
  }

  run(tasks: readonly Task[]): void {
    for (const task of tasks) this.#waiting.push(task);
    this.#deal();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
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
    const progress = new Int32Array(new SharedArrayBuffer(4));
    const workerData: WorkerStart = { study: this.#study, progress };
    const worker = new Worker(this.#code, { workerData, execArgv: [] });
    const member: Member = { index, worker, progress, parcels: [], isReady: false };
    let reason = "it ended";
    worker.on("message", (message: FromWorker) => this.#hear(member, message));
    worker.on("error", (error) => {
      reason = error.message;
    });
    worker.on("exit", () => this.#bury(member, reason));
    this.#members[index] = member;
  }

  #hear(member: Member, message: FromWorker): void {
    if (this.#isStopped) return;
    if (message === "ready") member.isReady = true;
    else {
      this.#stillborn = 0;
      member.parcels.shift();
      this.#note(message);
      for (const result of message) (result as { worker: number }).worker = member.index;
      this.#events.results(message);
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
    member.worker.postMessage(parcel satisfies ToWorker);
  }

  #nextParcel(): readonly Task[] {
    const left = this.#waiting.length - this.#at;
    const fair = Math.ceil(left / (this.workers * PARCELS_AHEAD));
    const size = Math.min(PARCEL_MAX, fair, Math.max(1, Math.round(PARCEL_MS / this.#pace)));
    const parcel = this.#waiting.slice(this.#at, this.#at + size);
    this.#at += parcel.length;
    if (this.#at === this.#waiting.length || this.#at >= DEALT_MAX) {
      this.#waiting = this.#waiting.slice(this.#at);
      this.#at = 0;
    }
    return parcel;
  }

  /** A worker is gone. Its work goes elsewhere, and another takes its place. */
  #bury(member: Member, reason: string): void {
    if (this.#isStopped) return;
    this.#members[member.index] = undefined;
    if (!member.isReady) {
      this.#stillborn += 1;
      if (this.#stillborn >= STILLBORN_MAX * this.workers) {
        this.#isStopped = true;
        this.#events.broken(
          new NdvmError("E-WORKER", `workers cannot be started: ${reason}`, {
            help: "try workers: 0, which runs everything in this thread",
          }),
        );
        return;
      }
    }
    const culprit = (member.progress[0] as number) - 1;
    const failed: TaskResult[] = [];
    for (const task of member.parcels.flat()) {
      if (task.visit !== culprit) this.#waiting.push(task);
      else if (this.#blamed.has(culprit)) failed.push(failedResult(task, WORKER_FAILURE));
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
}

/** Where the worker's code is. Sources that run as TypeScript use the built one. */
function workerUrl(): URL {
  const isSource = import.meta.url.split("?")[0]?.endsWith(".ts") ?? false;
  return new URL(isSource ? "../../dist/worker.js" : "../worker.js", import.meta.url);
}
