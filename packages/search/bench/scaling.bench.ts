/**
 * Search on more and more workers: candidates a second beside the ideal line, which is one worker's
 * rate times the scaling of a pool of as many workers on one population, in the same run.
 *
 *   npm run bench -- scaling
 *   SCALING_WORKERS=1,8,16 npm run bench -- scaling        other numbers of workers
 *   SCALING_SVG=scaling.svg npm run bench -- scaling       the picture, too
 *   SCALING_EPOCH=8 SCALING_SLOTS=32 npm run bench -- scaling   another order of candidates (also
 *                                                          SCALING_LAG): more epochs under way
 *
 * 200 rows, two inputs, default operators, no archive. The engine's time is the processor time of its
 * thread, the starts of workers and the weighing of the front left out; "busy" is the time in which its
 * event loop did not wait, the time included in which other threads had its core. Rates are those of
 * workers that are warm; "cold" is the rate from the start until then, and "cold µs" the engine's time
 * for a candidate from the first one until then.
 *
 * Then the engine by itself: a search whose epochs were computed before, which come back from this
 * thread, or from workers that sleep for as long as an epoch takes. That hardly depends on the number of
 * cores or on other work.
 */

import { writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { performance } from "node:perf_hooks";
import { Machine } from "@ndvm/core";
import { printEnvironment } from "../../core/bench/support/environment.js";
import { inputsOf, kalman } from "../../core/bench/support/programs.js";
import { amount } from "../../core/bench/support/settings.js";
import { count, note, section, short, table } from "../../core/bench/support/table.js";
import type { PackedEpoch } from "../src/epoch/pack.js";
import { Pool } from "../src/pool/pool.js";
import { type SearchHooks, search } from "../src/search.js";
import { type Recorded, record, replay, ThreadTime } from "./support/replayed.js";

const CORES = availableParallelism();
const WORKERS = (process.env["SCALING_WORKERS"] ?? "1,2,4,8,16,32,64")
  .split(",")
  .map(Number)
  .filter((workers) => workers <= Math.max(2, CORES));
const given = (name: string): number | undefined =>
  process.env[name] === undefined ? undefined : Number(process.env[name]);
/** How candidates are put in order; the study's defaults where nothing is said. */
const ORDER = Object.fromEntries(
  (["epoch", "slots", "lag"] as const)
    .map((option) => [option, given(`SCALING_${option.toUpperCase()}`)] as const)
    .filter(([, value]) => value !== undefined),
);
/**
 * Candidates of one worker before the measurement: each worker's engine optimises its own copy of the
 * code meanwhile, which takes it about a second of computing.
 */
const WARM = amount(1500, 64);
const SECONDS = amount(6, 0.5);
const LANES = amount(20_000, 1024);
const ROUNDS = amount(8, 2);
/** Candidates of the search that is replayed, and how often it is: the least counts. */
const REPLAYED = amount(16_000, 800);
const REPLAYS = amount(3, 1);

const x = Array.from({ length: 200 }, (_, i) => 0.1 + i / 40);
const z = x.map((_, i) => 2 + 2 * Math.sin(1.7 * i));
const y = x.map((t, i) => 2 * Math.exp(-0.3 * t) * Math.cos(1.7 * t + 0.4) + 0.3 * (z[i] ?? 0));

interface Measured {
  readonly workers: number;
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
  readonly memory: number;
}

const bytesOf = ({ numbers, texts }: PackedEpoch): number =>
  numbers.byteLength + texts.reduce((sum, text) => sum + text.length, 0);

async function searchOn(workers: number): Promise<Measured> {
  const stop = new AbortController();
  const sums = { epochs: 0, bytesIn: 0, bytesOut: 0, breeding: 0, reading: 0 };
  let isWarm = false;
  let candidates = 0;
  let began = performance.now();
  let cold = 0;
  let engineCold = 0;
  let thread = new ThreadTime();
  let measured: Measured | undefined;
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
  const basic = { data: { x, z, y }, target: "y", workers, seed: 1, signal: stop.signal };
  const options = { ...basic, ...ORDER };
  for await (const event of search(options, hooks)) {
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
    const memory = process.memoryUsage.rss();
    const fitting = seconds * workers - sums.breeding - sums.reading;
    const rates = { workers, cold, candidates, seconds, engine, engineCold, busy };
    measured = { ...rates, ...sums, fitting, memory };
    stop.abort();
  }
  if (measured === undefined) throw new Error("the search ended before its time");
  return measured;
}

/** Seconds of one population on a pool, the least of some. */
async function poolSeconds(workers: number): Promise<number> {
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
  return least;
}

/** Candidates a second by workers, and the ideal line. */
function svgOf(
  points: readonly (readonly [workers: number, rate: number, ideal: number])[],
): string {
  const most = Math.max(...points.flatMap(([, rate, ideal]) => [rate, ideal]));
  const last = Math.max(...points.map(([workers]) => workers));
  const at = (workers: number, rate: number): string =>
    `${(60 + (520 * workers) / last).toFixed(1)},${(340 - (300 * rate) / most).toFixed(1)}`;
  const line = (place: 1 | 2): string =>
    points.map((point) => at(point[0], point[place])).join(" ");
  const labels = points.map(([workers]) => {
    const [left] = at(workers, 0).split(",");
    return `<text x="${left}" y="358" text-anchor="middle">${workers}</text>`;
  });
  return [
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 600 380" font-family="sans-serif" font-size="12">',
    '<path d="M60 340H580M60 340V40" stroke="#888" fill="none"/>',
    `<text x="56" y="44" text-anchor="end">${count(most)}</text>`,
    '<text x="320" y="376" text-anchor="middle">workers</text>',
    '<text x="60" y="24">candidates a second; dashed: one worker × the pool\u2019s scaling</text>',
    `<polyline points="${line(2)}" fill="none" stroke="#888" stroke-dasharray="5 4"/>`,
    `<polyline points="${line(1)}" fill="none" stroke="#0060c0" stroke-width="2"/>`,
    ...labels,
    "</svg>\n",
  ].join("\n");
}

printEnvironment();
section(`Search on 1 to ${WORKERS.at(-1)} workers: 200 rows, two inputs, default operators`);
const rows: string[][] = [];
const points: [number, number, number][] = [];
const idle = process.memoryUsage.rss();
let first: { readonly rate: number; readonly pool: number } | undefined;
for (const workers of WORKERS) {
  const pool = await poolSeconds(workers);
  const m = await searchOn(workers);
  const rate = m.candidates / m.seconds;
  first ??= { rate, pool };
  const ideal = (first.rate * first.pool) / pool;
  points.push([workers, rate, ideal]);
  const each = (seconds: number): string => short((1e6 * seconds) / m.candidates);
  rows.push([
    `${workers}`,
    count(rate),
    count(ideal),
    `${short((100 * rate) / ideal)} %`,
    count(m.cold),
    count(LANES / pool),
    each(m.engine),
    short(1e6 * m.engineCold),
    each(m.busy),
    each(m.breeding),
    each(m.reading),
    each(m.fitting),
    count(m.epochs / m.seconds),
    count(m.bytesIn / m.epochs),
    count(m.bytesOut / m.epochs),
    count((m.memory - idle) / workers / 2 ** 20),
  ]);
}
const parts = ["engine µs", "cold µs", "busy µs", "breed µs", "read µs", "fit + idle µs"];
const traffic = ["epochs/s", "bytes back", "bytes there", "MiB/worker"];
table(["workers", "cand./s", "ideal", "", "cold", "lanes/s", ...parts, ...traffic], rows);
note("ideal: one worker's rate × the scaling of a pool; bytes are those of an epoch");
const svg = process.env["SCALING_SVG"];
if (svg !== undefined) writeFileSync(svg, svgOf(points));

/** Milliseconds of an epoch, as one worker had them. */
const pause = (1000 * 16) / (first?.rate ?? 1000);

/** One line of the engine by itself, the least of some replays. */
async function replays(
  name: string,
  recorded: Recorded,
  workers: number,
  isKept: boolean,
): Promise<string[]> {
  const least = { ran: Number.POSITIVE_INFINITY, busy: Number.POSITIVE_INFINITY };
  for (let i = 0; i < REPLAYS; i++) {
    const { ran, busy } = await replay(recorded, { workers, pause, isKept, warm: REPLAYED / 4 });
    least.ran = Math.min(least.ran, ran);
    least.busy = Math.min(least.busy, busy);
  }
  return [name, short(least.ran), short(least.busy)];
}

section(`The engine by itself: ${count(REPLAYED)} candidates, epochs computed before`);
const workers = Math.min(CORES, 16);
const studied = { data: { x, z, y }, target: "y", workers, seed: 1, ...ORDER };
const recorded = await record({ ...studied, budget: { candidates: REPLAYED } });
table(
  ["epochs come back from", "engine µs", "busy µs"],
  [
    await replays("this thread", recorded, 0, false),
    await replays("this thread, with an archive", recorded, 0, true),
    await replays("16 workers that sleep", recorded, 16, false),
    await replays("16 workers that sleep, with an archive", recorded, 16, true),
  ],
);
note("microseconds of a candidate; engine: processor time of the thread, NaN where nobody counts");
