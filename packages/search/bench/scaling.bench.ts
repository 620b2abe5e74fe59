/**
 * Search on more and more workers: candidates a second beside the ideal line, which is the rate of one
 * worker pinned to a core times the scaling of a pool of as many workers on one population, in the same
 * run. Pinned, because one worker on a computer of many cores has other cores for its compiler and its
 * collector, which sixteen on sixteen cores have not. Each line is a process of its own.
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

import { fork, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { printEnvironment } from "../../core/bench/support/environment.js";
import { amount } from "../../core/bench/support/settings.js";
import { count, note, section, short, table } from "../../core/bench/support/table.js";
import { type Recorded, record, replay } from "./support/replayed.js";
import type { ScalingResult, ScalingTask } from "./support/scaling-run.js";

const runner = fileURLToPath(new URL("support/scaling-run.ts", import.meta.url));
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
/** Candidates of the search that is replayed, and how often it is: the least counts. */
const REPLAYED = amount(16_000, 800);
const REPLAYS = amount(3, 1);

const x = Array.from({ length: 200 }, (_, i) => 0.1 + i / 40);
const z = x.map((_, i) => 2 + 2 * Math.sin(1.7 * i));
const y = x.map((t, i) => 2 * Math.exp(-0.3 * t) * Math.cos(1.7 * t + 0.4) + 0.3 * (z[i] ?? 0));
const studied = { data: { x, z, y }, target: "y", seed: 1, ...ORDER };

/**
 * Measures in a process of its own, which keeps to `core` where one is named: its engine, its compiler
 * and its collector then share that core with the worker.
 */
function measure(workers: number, core?: string): Promise<ScalingResult> {
  const node = [process.execPath, ...process.execArgv];
  const how = core === undefined ? {} : { execPath: "taskset", execArgv: ["-c", core, ...node] };
  return new Promise((resolve, reject) => {
    const child = fork(runner, process.argv.slice(2), { ...how, serialization: "advanced" });
    child.once("message", (result) => resolve(result as ScalingResult));
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`${workers} workers: ended with ${code}`)));
    child.send({ workers, options: studied } satisfies ScalingTask);
  });
}

/** A core that this process may use and can keep another to; undefined where it can not. */
function coreToKeepTo(): string | undefined {
  if (process.platform !== "linux" || spawnSync("taskset", ["-V"]).status !== 0) return undefined;
  const allowed = readFileSync("/proc/self/status", "utf8").match(/^Cpus_allowed_list:\s*(\d+)/m);
  return allowed?.[1];
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
    '<text x="60" y="24">candidates a second; dashed: one pinned worker × the pool\u2019s scaling</text>',
    `<polyline points="${line(2)}" fill="none" stroke="#888" stroke-dasharray="5 4"/>`,
    `<polyline points="${line(1)}" fill="none" stroke="#0060c0" stroke-width="2"/>`,
    ...labels,
    "</svg>\n",
  ].join("\n");
}

const rateOf = ({ candidates, seconds }: ScalingResult): number => candidates / seconds;
const idealOf = ({ lanes }: ScalingResult): number => (rateOf(pinned) * lanes) / pinned.lanes;

function rowOf(name: string, m: ScalingResult): string[] {
  const each = (seconds: number): string => short((1e6 * seconds) / m.candidates);
  return [
    name,
    count(rateOf(m)),
    count(idealOf(m)),
    `${short((100 * rateOf(m)) / idealOf(m))} %`,
    count(m.cold),
    count(m.lanes),
    each(m.engine),
    short(1e6 * m.engineCold),
    each(m.busy),
    each(m.breeding),
    each(m.reading),
    each(m.fitting),
    count(m.epochs / m.seconds),
    count(m.bytesIn / m.epochs),
    count(m.bytesOut / m.epochs),
    count(m.memory / m.workers / 2 ** 20),
  ];
}

printEnvironment();
section(`Search on 1 to ${WORKERS.at(-1)} workers: 200 rows, two inputs, default operators`);
const rows: string[][] = [];
const points: [number, number, number][] = [];
const core = coreToKeepTo();
const pinned = await measure(1, core);
if (core !== undefined) rows.push(rowOf("1, pinned", pinned));
for (const workers of WORKERS) {
  const measured = await measure(workers);
  rows.push(rowOf(`${workers}`, measured));
  points.push([workers, rateOf(measured), idealOf(measured)]);
}
const parts = ["engine µs", "cold µs", "busy µs", "breed µs", "read µs", "fit + idle µs"];
const traffic = ["epochs/s", "bytes back", "bytes there", "MiB/worker"];
table(["workers", "cand./s", "ideal", "", "cold", "lanes/s", ...parts, ...traffic], rows);
note("ideal: one pinned worker's rate × the scaling of a pool; bytes are those of an epoch");
if (core === undefined)
  note("taskset is missing: the worker that the ideal starts from is not pinned");
const svg = process.env["SCALING_SVG"];
if (svg !== undefined) writeFileSync(svg, svgOf(points));

/** Milliseconds of an epoch, as one worker had them. */
const pause = (1000 * 16) / rateOf(pinned);

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
const recorded = await record({ ...studied, workers, budget: { candidates: REPLAYED } });
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
