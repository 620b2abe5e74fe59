/**
 * One line of `scaling.bench.ts` in a process of its own: a population on a pool, then a search on as
 * many workers.
 */

import { performance } from "node:perf_hooks";
import { Machine } from "@ndvm/core";
import { inputsOf, kalman } from "../../../core/bench/support/programs.js";
import { amount } from "../../../core/bench/support/settings.js";
import type { PackedEpoch } from "../../src/epoch/pack.js";
import type { SearchOptions } from "../../src/index.js";
import { Pool } from "../../src/pool/pool.js";
import { type SearchHooks, search } from "../../src/search.js";
import { ThreadTime } from "./replayed.js";

/**
 * Candidates of one worker before the measurement: each worker's engine optimises its own copy of the
 * code meanwhile, which takes it about a second of computing.
 */
const WARM = amount(1500, 64);
const SECONDS = amount(6, 0.5);
const LANES = amount(40_000, 1024);
const ROUNDS = amount(14, 2);

/** A search without its number of workers, which `workers` says. */
export interface ScalingTask {
  readonly workers: number;
  readonly options: SearchOptions;
}

export interface ScalingResult {
  readonly workers: number;
  /** Lanes of the pool's population a second. */
  readonly lanes: number;
  /** Candidates a second before the workers were warm. */
  readonly cold: number;
  readonly candidates: number;
  readonly seconds: number;
  readonly epochs: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
  readonly engine: number;
  /** As `engine`, for a candidate before the workers were warm. */
  readonly engineCold: number;
  readonly busy: number;
  readonly breeding: number;
  readonly reading: number;
  readonly fitting: number;
  /** Bytes that the process holds more than before its first worker. */
  readonly memory: number;
}

const bytesOf = ({ numbers, texts }: PackedEpoch): number =>
  numbers.byteLength + texts.reduce((sum, text) => sum + text.length, 0);

type Searched = Omit<ScalingResult, "lanes" | "memory">;

async function searchOn({ workers, options }: ScalingTask): Promise<Searched> {
  const stop = new AbortController();
  const sums = { epochs: 0, bytesIn: 0, bytesOut: 0, breeding: 0, reading: 0 };
  let isWarm = false;
  let candidates = 0;
  let began = performance.now();
  let cold = 0;
  let engineCold = 0;
  let thread = new ThreadTime();
  let measured: Searched | undefined;
  const hooks: SearchHooks = {
    startRunner: async (setting, wanted, events) =>
      Pool.start(setting, wanted, {
        ...events,
        updates(from, to) {
          const updates = events.updates(from, to);
          for (const { text, digests } of updates)
            sums.bytesOut += text.length + digests.byteLength;
          return updates;
        },
        done(packed, job, worker) {
          sums.epochs += 1;
          sums.bytesIn += bytesOf(packed);
          sums.breeding += packed.breeding;
          sums.reading += packed.reading;
          events.done(packed, job, worker);
        },
      }),
  };
  for await (const event of search({ ...options, workers, signal: stop.signal }, hooks)) {
    if (event.type !== "candidate" || measured !== undefined) continue;
    candidates += 1;
    const now = performance.now();
    if (!isWarm && candidates === 1) thread = new ThreadTime();
    if (!isWarm && candidates >= WARM * workers) {
      isWarm = true;
      cold = (1000 * candidates) / (now - began);
      engineCold = thread.ran / 1000 / candidates;
      candidates = 0;
      began = now;
      thread = new ThreadTime();
      Object.assign(sums, { epochs: 0, bytesIn: 0, bytesOut: 0, breeding: 0, reading: 0 });
    }
    const seconds = (now - began) / 1000;
    if (!isWarm || seconds < SECONDS) continue;
    const engine = thread.ran / 1000;
    const busy = thread.busy / 1000;
    const fitting = seconds * workers - sums.breeding - sums.reading;
    const rates = { workers, cold, candidates, seconds, engine, engineCold, busy };
    measured = { ...rates, ...sums, fitting };
    stop.abort();
  }
  if (measured === undefined) throw new Error("the search ended before its time");
  return measured;
}

/** Lanes of one population a second on a pool, the most of some. */
async function lanesOn(workers: number): Promise<number> {
  const machine = await Machine.create({ precision: "f32" });
  const program = machine.load(kalman.source, { domain: "clamp" });
  const pool = await machine.pool({ workers });
  const inputs = inputsOf(kalman, LANES, 0);
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round <= ROUNDS; round++) {
    const began = performance.now();
    await pool.gradient(program, inputs, { wrt: Object.keys(kalman.parameters) });
    if (round > 0) least = Math.min(least, (performance.now() - began) / 1000);
  }
  await pool.dispose();
  machine.dispose();
  return LANES / least;
}

async function run(task: ScalingTask): Promise<ScalingResult> {
  const idle = process.memoryUsage.rss();
  const lanes = await lanesOn(task.workers);
  const searched = await searchOn(task);
  return { ...searched, lanes, memory: process.memoryUsage.rss() - idle };
}

process.once("message", (task) => {
  run(task as ScalingTask).then(
    (result) => process.send?.(result, () => process.disconnect()),
    (error) => {
      console.error(error);
      process.exit(1);
    },
  );
});
