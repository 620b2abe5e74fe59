/**
 * The frontier under a wall-clock budget: streams of proposed programs, each fitted from its text
 * by every backend for the same time and from the same starts, with five seeds. Wall-clock ends a
 * run; core-seconds, of all threads of a process, are told beside it.
 *
 * The paper's checkpoints, 1 to 900 s, are scaled to the budget of the run.
 */

import { machines } from "../baselines/backends.js";
import {
  type Eager,
  eagerName,
  eagerStream,
  type StreamEvent,
  whyNot,
} from "../baselines/external.js";
import {
  columnsOf,
  type Fitter,
  javaScriptFitter,
  machineFitter,
  normals,
  STEPS_OF_FIT,
  wasmFitter,
} from "../baselines/fits.js";
import { NO_CORPUS, readStream, type Stream } from "../corpus.js";
import type { Context, Definition } from "../harness/context.js";

export const CHECKPOINTS = [1, 2, 5, 10, 20, 30, 60, 120, 180, 240, 300, 420, 600, 900] as const;
const PAPER_BUDGET = 900;
const SUCCESS = 0.9;
/** How each backend fits: in this process, or in Python. */
const FITTERS: Readonly<Record<string, Fitter | Eager>> = {
  ndvm: machineFitter(machines.single),
  "staged JavaScript": javaScriptFitter,
  "staged WebAssembly": wasmFitter,
  [eagerName("tuned")]: "tuned",
  [eagerName("tagged")]: "tagged",
  [eagerName("DMCI")]: "DMCI",
};
export const STREAM_PARTS = [
  "fits",
  "first success",
  "core-seconds to it",
  "successes",
  "best R²",
  "seconds",
  "core-seconds",
] as const;

/** The seed of a start, as eager.py makes it. */
export const seedOf = (seed: number, cycle: number, index: number): number =>
  1 + seed * 1_000_003 + cycle * 1009 + index;

async function replay(
  { task, candidates }: Stream,
  fitter: Fitter,
  seed: number,
  seconds: number,
): Promise<StreamEvent[]> {
  const columns = columnsOf(task);
  const events: StreamEvent[] = [];
  const started = performance.now();
  const busy = process.cpuUsage();
  for (let cycle = 0; ; cycle++)
    for (const [index, candidate] of candidates.entries()) {
      const normal = normals(seedOf(seed, cycle, index));
      const starts = candidate.params.map(() => 0.3 * normal());
      const score = await fitter(candidate, starts, columns);
      const now = (performance.now() - started) / 1000;
      const { user, system } = process.cpuUsage(busy);
      const held = Number.isFinite(score) ? (score as number) : null;
      events.push([now, index, held, (user + system) / 1e6]);
      if (now > seconds) return events;
    }
}

export interface Summary {
  /** Fits that were done in time. */
  readonly fits: number;
  readonly first: number | undefined;
  /** Core-seconds up to the first success. */
  readonly firstBusy: number | undefined;
  readonly successes: number;
  readonly best: number | undefined;
  /** Wall-clock and core-seconds of a fit, the last one, which ran out of time, included. */
  readonly seconds: number;
  readonly busy: number;
  /** Best R² at each checkpoint; undefined before the first score. */
  readonly curve: readonly (number | undefined)[];
}

export function summarise(events: readonly StreamEvent[], budget: number): Summary {
  const good = new Set<number>();
  let best: number | undefined;
  let first: StreamEvent | undefined;
  const curve: (number | undefined)[] = [];
  let at = 0;
  for (const checkpoint of CHECKPOINTS) {
    const until = (checkpoint * budget) / PAPER_BUDGET;
    for (; at < events.length && (events[at] as StreamEvent)[0] <= until; at++) {
      const event = events[at] as StreamEvent;
      const [, index, score] = event;
      if (score === null) continue;
      if (best === undefined || score > best) best = score;
      if (score <= SUCCESS) continue;
      first ??= event;
      good.add(index);
    }
    curve.push(best);
  }
  const last = events.at(-1);
  return {
    fits: at,
    first: first?.[0],
    firstBusy: first?.[3],
    successes: good.size,
    best,
    seconds: (last?.[0] ?? Number.NaN) / events.length,
    busy: (last?.[3] ?? Number.NaN) / events.length,
    curve,
  };
}

function record(context: Context, backend: string, all: readonly Summary[]): void {
  const put = (part: string, unit: string, of: (one: Summary) => number | undefined) => {
    const found = all.map(of).filter((each) => each !== undefined);
    const how = `${found.length} of ${all.length} seeds`;
    if (found.length > 0) context.recorder.samples(`${backend}/${part}`, unit, found, how);
    else context.recorder.missing(`${backend}/${part}`, "none in the budget");
  };
  put("fits", "fits", ({ fits }) => fits);
  put("first success", "s", ({ first }) => first);
  put("core-seconds to it", "s", ({ firstBusy }) => firstBusy);
  put("successes", "structures", ({ successes }) => successes);
  put("best R²", "R²", ({ best }) => best);
  put("seconds", "s", ({ seconds }) => seconds);
  put("core-seconds", "s", ({ busy }) => busy);
  CHECKPOINTS.forEach((checkpoint, i) => {
    put(`R² at ${checkpoint}`, "R²", ({ curve }) => curve[i]);
  });
}

/** A fit of a recurrence takes the author's interpreter longer than the budget. */
const SEEDS_OF_SLOWEST = 2;

async function run(context: Context, name: "flat" | "rec"): Promise<void> {
  const { recorder } = context;
  const stream = readStream(name);
  const backends = Object.keys(FITTERS);
  const gap = (backend: string, reason: string) => {
    for (const part of STREAM_PARTS) recorder.missing(`${backend}/${part}`, reason);
  };
  if (stream === undefined) {
    for (const backend of backends) gap(backend, NO_CORPUS);
    return;
  }
  const seeds = context.amount(5, 1);
  const seconds = context.milliseconds / 1000 / (backends.length * seeds);
  recorder.condition("budget", `${seconds.toPrecision(3)} s for each backend and seed`);
  recorder.condition("fit", "50 Adam steps over 44 points from the text, scored on 20");
  recorder.condition("seeds", `${seeds}; DMCI on recurrences ${Math.min(seeds, SEEDS_OF_SLOWEST)}`);
  recorder.count("seconds", seconds, "s");
  recorder.count("programs", stream.candidates.length);
  const inProcess = Object.values(FITTERS).filter((each) => typeof each === "function");
  await check(context, stream, inProcess);
  for (const [backend, fitter] of Object.entries(FITTERS)) {
    const isSlowest = fitter === "DMCI" && name === "rec";
    const reason = typeof fitter === "function" ? undefined : whyNot(fitter);
    if (reason !== undefined || (isSlowest && context.isQuick)) {
      gap(backend, reason ?? "left out of a quick run: one fit takes seconds");
      continue;
    }
    const all: Summary[] = [];
    for (let seed = 0; seed < (isSlowest ? SEEDS_OF_SLOWEST : seeds); seed++) {
      const events =
        typeof fitter === "function"
          ? await replay(stream, fitter, seed, seconds)
          : eagerStream({ ...stream, encoding: fitter, steps: STEPS_OF_FIT, seconds, seed });
      all.push(summarise(events, seconds));
    }
    record(context, backend, all);
  }
}

/** The same candidates from the same starts must come to the same scores on every fitter. */
async function check(context: Context, stream: Stream, fitters: readonly Fitter[]): Promise<void> {
  const columns = columnsOf(stream.task);
  const used = stream.candidates.slice(0, context.amount(40, 10));
  let [agreed, compared] = [0, 0];
  for (const [index, candidate] of used.entries()) {
    const normal = normals(seedOf(0, 0, index));
    const starts = candidate.params.map(() => 0.3 * normal());
    const scores: (number | undefined)[] = [];
    for (const fitter of fitters) scores.push(await fitter(candidate, starts, columns));
    const finite = scores.filter((each) => each !== undefined && Number.isFinite(each)) as number[];
    if (finite.length < 2) continue;
    compared += 1;
    const apart = Math.max(...finite) - Math.min(...finite);
    if (apart <= 1e-2 * (1 + Math.abs(finite[0] as number))) agreed += 1;
  }
  context.recorder.count("scores that agree", agreed, "count", `of ${compared} candidates`);
  context.recorder.count("scores compared", compared);
  // Chaotic loops may part in the last bits of f32.
  if (agreed < 0.8 * compared) throw new Error(`${agreed} of ${compared} scores agree`);
}

export const flat: Definition = { name: "cosearch-flat", weight: 8, run: (c) => run(c, "flat") };
export const recurrences: Definition = {
  name: "cosearch-rec",
  weight: 8,
  run: (context) => run(context, "rec"),
};
