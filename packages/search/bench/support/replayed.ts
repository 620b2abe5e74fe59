/**
 * The engine's thread by itself: a search whose epochs were computed before. They come back from this
 * thread, or from workers that sleep for as long as an epoch takes and then send what was recorded. So
 * nothing but the engine needs a core, and what its thread spends does not depend on how many there are.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { performance } from "node:perf_hooks";
import { serialize } from "node:v8";
import type { EpochJob } from "../../src/epoch/job.js";
import type { PackedEpoch } from "../../src/epoch/pack.js";
import type { SearchOptions } from "../../src/index.js";
import { Pool } from "../../src/pool/pool.js";
import type { Runner, RunnerEvents } from "../../src/pool/runner.js";
import { type SearchHooks, search } from "../../src/search.js";
import { fileIn, time } from "./timed-search.js";

export interface Recorded {
  readonly options: SearchOptions;
  readonly epochs: ReadonlyMap<string, PackedEpoch>;
  readonly file: string;
}

const keyOf = ({ round, slot }: Pick<EpochJob, "round" | "slot">): string => `${round} ${slot}`;

/** Searches once, on real workers, and keeps what they sent. */
export async function record(options: SearchOptions): Promise<Recorded> {
  const epochs = new Map<string, PackedEpoch>();
  const hooks: SearchHooks = {
    startRunner: (setting, workers, events) =>
      Pool.start(setting, workers, {
        ...events,
        done(packed, job, worker) {
          epochs.set(keyOf(packed), packed);
          events.done(packed, job, worker);
        },
      }),
  };
  for await (const _ of search(options, hooks));
  const file = fileIn("recorded");
  writeFileSync(file, serialize([...epochs]));
  return { options, epochs, file };
}

/** Answers on this thread, a bundle of a few epochs in each turn of the event loop. */
class ReplayingRunner implements Runner {
  readonly workers = 0;
  readonly #waiting: EpochJob[] = [];
  #version = -1;

  constructor(
    private readonly epochs: Recorded["epochs"],
    private readonly events: RunnerEvents,
  ) {}

  run(jobs: readonly EpochJob[]): void {
    if (this.#waiting.length === 0) setImmediate(() => this.#answer());
    this.#waiting.push(...jobs);
  }

  async stop(): Promise<void> {
    this.#waiting.length = 0;
  }

  #answer(): void {
    const job = this.#waiting.shift();
    if (job === undefined) return;
    this.events.updates(this.#version, job.version);
    this.#version = job.version;
    if (this.#waiting.length > 0) setImmediate(() => this.#answer());
    this.events.done(this.epochs.get(keyOf(job)) as PackedEpoch, job, 0);
  }
}

/** Milliseconds of processor time that this thread has had; undefined where nobody counts. */
export function threadMilliseconds(): number | undefined {
  try {
    const [ran] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, "utf8").split(" ");
    return Number(ran) / 1e6;
  } catch {
    return undefined;
  }
}

/** A stretch of time of this thread: milliseconds that it was busy, and that a processor ran it. */
export class ThreadTime {
  readonly #busy = performance.eventLoopUtilization();
  readonly #ran = threadMilliseconds();

  /** Milliseconds since then in which the event loop did not wait for anything. */
  get busy(): number {
    return performance.eventLoopUtilization(this.#busy).active;
  }

  /** Milliseconds of processor time since then; NaN where nobody counts. */
  get ran(): number {
    const now = threadMilliseconds();
    return now === undefined || this.#ran === undefined ? Number.NaN : now - this.#ran;
  }
}

export interface Replayed {
  readonly workers: number;
  /** Microseconds of a candidate: processor time of the thread, and time in which it was busy. */
  readonly ran: number;
  readonly busy: number;
  readonly messages: number;
}

export interface ReplayOptions {
  /** 0: epochs come back from this thread, without messages. */
  readonly workers: number;
  /** Milliseconds that an epoch takes. */
  readonly pause: number;
  /** With an archive. */
  readonly isKept: boolean;
  /** Candidates before the measurement. */
  readonly warm: number;
}

/** The same search again, with nothing to compute. */
export async function replay(
  { options, epochs, file }: Recorded,
  { workers, pause, isKept, warm }: ReplayOptions,
): Promise<Replayed> {
  const code = { url: new URL("./replaying-worker.mjs", import.meta.url) };
  let seen = 0;
  let began = new ThreadTime();
  let measured: Replayed | undefined;
  const total = options.budget?.candidates ?? 0;
  let messages = 0;
  const hooks: SearchHooks = {
    startRunner: async (setting, _, events) => {
      const counting: RunnerEvents = {
        ...events,
        done(packed, job, worker) {
          if (seen < warm && seen + job.size >= warm) {
            began = new ThreadTime();
            messages = 0;
          }
          seen += job.size;
          events.done(packed, job, worker);
          messages += 1;
          if (seen >= total && measured === undefined) {
            const each = (ms: number): number => (1000 * ms) / (total - warm);
            measured = { workers, ran: each(began.ran), busy: each(began.busy), messages };
          }
        },
      };
      if (workers === 0) return new ReplayingRunner(epochs, counting);
      const replaying = { ...setting, recorded: file, pause };
      return Pool.start(replaying, workers, counting, { code });
    },
  };
  await time(options, isKept, hooks);
  if (measured === undefined) throw new Error("the search ended before its time");
  return measured;
}
