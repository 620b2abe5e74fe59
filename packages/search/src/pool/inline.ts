/**
 * The runner that needs no workers: epochs run on this thread, one after the other. Between
 * candidates the event loop gets its turn often enough for clocks and signals.
 */

import { Cancelled, EpochRunner, type EpochSetting } from "../epoch/epoch.js";
import type { EpochJob } from "../epoch/job.js";
import { packEpoch } from "../epoch/pack.js";
import type { Runner, RunnerEvents } from "./runner.js";

/** Milliseconds that the event loop waits at most. */
const BREATH = 8;

export class InlineRunner implements Runner {
  readonly workers = 0;
  readonly #epochs: EpochRunner;
  readonly #events: RunnerEvents;
  readonly #stopping: AbortController;
  readonly #waiting: EpochJob[] = [];
  #isRunning = false;
  #breath = performance.now();

  static async create(setting: EpochSetting, events: RunnerEvents): Promise<InlineRunner> {
    const stopping = new AbortController();
    const epochs = await EpochRunner.create(setting, { signal: stopping.signal });
    return new InlineRunner(epochs, events, stopping);
  }

  private constructor(epochs: EpochRunner, events: RunnerEvents, stopping: AbortController) {
    this.#epochs = epochs;
    this.#events = events;
    this.#stopping = stopping;
  }

  run(jobs: readonly EpochJob[]): void {
    this.#waiting.push(...jobs);
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#work().catch((error: Error) => this.#events.broken(error));
  }

  async stop(): Promise<void> {
    this.#waiting.length = 0;
    this.#stopping.abort();
    if (!this.#isRunning) this.#epochs.dispose();
  }

  async #work(): Promise<void> {
    const { signal } = this.#stopping;
    await breathe();
    try {
      for (let job = this.#waiting.shift(); job !== undefined; job = this.#waiting.shift()) {
        for (const update of this.#events.updates(this.#epochs.version, job.version))
          this.#epochs.take(update);
        const result = await this.#epochs.run(job, { signal, rest: () => this.#rest() });
        this.#events.done(packEpoch(result, job), job, 0);
        await this.#rest();
      }
    } catch (error) {
      if (!(error instanceof Cancelled)) throw error;
    } finally {
      this.#isRunning = false;
      if (signal.aborted) this.#epochs.dispose();
    }
  }

  #rest(): Promise<void> | undefined {
    if (performance.now() - this.#breath < BREATH) return undefined;
    return breathe().then(() => {
      this.#breath = performance.now();
    });
  }
}

const breathe = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
