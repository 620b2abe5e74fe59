/**
 * The runner that needs no workers: tasks run on this thread, one after the other. Between them the
 * event loop gets its turn often enough for clocks and signals.
 */

import { Station } from "../pipeline/station.js";
import type { Task } from "../pipeline/task.js";
import type { Study } from "../study.js";
import type { Runner, RunnerEvents } from "./runner.js";

/** Milliseconds that the event loop waits at most. */
const BREATH = 8;

export class InlineRunner implements Runner {
  readonly workers = 0;
  readonly #station: Station;
  readonly #events: RunnerEvents;
  readonly #stopping: AbortController;
  #waiting: Task[] = [];
  #isRunning = false;

  static async create(study: Study, events: RunnerEvents): Promise<InlineRunner> {
    const stopping = new AbortController();
    return new InlineRunner(
      await Station.create(study, { signal: stopping.signal }),
      events,
      stopping,
    );
  }

  private constructor(station: Station, events: RunnerEvents, stopping: AbortController) {
    this.#station = station;
    this.#events = events;
    this.#stopping = stopping;
  }

  run(tasks: readonly Task[]): void {
    for (const task of tasks) this.#waiting.push(task);
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#work().catch((error: Error) => this.#events.broken(error));
  }

  async stop(): Promise<void> {
    this.#waiting = [];
    this.#stopping.abort();
    if (!this.#isRunning) this.#station.dispose();
  }

  async #work(): Promise<void> {
    const { signal } = this.#stopping;
    await breathe();
    while (this.#waiting.length > 0 && !signal.aborted) {
      const tasks = this.#waiting;
      this.#waiting = [];
      let breath = performance.now();
      for (const task of tasks) {
        const result = await this.#station.run(task);
        if (signal.aborted) break;
        this.#events.results([result]);
        if (performance.now() - breath < BREATH) continue;
        await breathe();
        breath = performance.now();
      }
    }
    this.#isRunning = false;
    if (signal.aborted) this.#station.dispose();
  }
}

const breathe = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
