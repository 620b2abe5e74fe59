/**
 * The frontier under a wall-clock budget: streams of proposed programs, each fitted from its text
 * by every backend for the same time and from the same starts, with five seeds.
 *
 * The paper's checkpoints, 1 to 900 s, are scaled to the budget of the run.
 */

import { machines } from "../baselines/backends.js";
import { eagerStream, hasTorch, NO_TORCH, type StreamEvent } from "../baselines/external.js";
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
export const STREAM_BACKENDS = [
  "ndvm",
  "staged JavaScript",
  "staged WebAssembly",
  "tuned PyTorch",
  "tagged PyTorch",
] as const;
export const STREAM_PARTS = [
  "fits",
  "first success",
  "successes",
  "best R²",
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
  for (let cycle = 0; ; cycle++)
    for (const [index, candidate] of candidates.entries()) {
      const normal = normals(seedOf(seed, cycle, index));
      const starts = candidate.params.map(() => 0.3 * normal());
      const score = await fitter(candidate, starts, columns);
      const now = (performance.now() - started) / 1000;
      if (now > seconds) return events;
      events.push([now, index, Number.isFinite(score) ? (score as number) : null]);
    }
}

export interface Summary {
  readonly fits: number;
  readonly first: number | undefined;
  readonly successes: number;
  readonly best: number | undefined;
  /** Best R² at each checkpoint; undefined before the first score. */
  readonly curve: readonly (number | undefined)[];
}

export function summarise(events: readonly StreamEvent[], seconds: number): Summary {
  const good = new Set<number>();
  let best: number | undefined;
  let first: number | undefined;
  const curve: (number | undefined)[] = [];
  let at = 0;
  for (const checkpoint of CHECKPOINTS) {
    const until = (checkpoint * seconds) / PAPER_BUDGET;
    for (; at < events.length && (events[at] as StreamEvent)[0] <= until; at++) {
      const [when, index, score] = events[at] as StreamEvent;
      if (score === null) continue;
      if (best === undefined || score > best) best = score;
      if (score <= SUCCESS) continue;
      first ??= when;
      good.add(index);
    }
    curve.push(best);
  }
  return { fits: events.length, first, successes: good.size, best, curve };
}

function record(context: Context, backend: string, all: readonly Summary[], seconds: number): void {
  const { recorder } = context;
  const put = (
    part: string,
    unit: string,
    numbers: readonly (number | undefined)[],
    none: string,
  ) => {
    const found = numbers.filter((each) => each !== undefined);
    if (found.length === 0) recorder.missing(`${backend}/${part}`, none);
    else
      recorder.samples(`${backend}/${part}`, unit, found, `${found.length} of ${all.length} seeds`);
  };
  put(
    "fits",
    "fits",
    all.map(({ fits }) => fits),
    "",
  );
  put(
    "first success",
    "s",
    all.map(({ first }) => first),
    "no fit above R² 0.9 in the budget",
  );
  put(
    "successes",
    "structures",
    all.map(({ successes }) => successes),
    "",
  );
  put(
    "best R²",
    "R²",
    all.map(({ best }) => best),
    "no finite score in the budget",
  );
  put(
    "core-seconds",
    "s",
    all.map(({ fits }) => seconds / fits),
    "",
  );
  CHECKPOINTS.forEach((checkpoint, i) => {
    put(
      `R² at ${checkpoint}`,
      "R²",
      all.map(({ curve }) => curve[i]),
      "no score yet",
    );
  });
}

async function run(context: Context, name: "flat" | "rec"): Promise<void> {
  const { recorder } = context;
  const stream = readStream(name);
  if (stream === undefined) {
    for (const backend of STREAM_BACKENDS)
      for (const part of STREAM_PARTS) recorder.missing(`${backend}/${part}`, NO_CORPUS);
    return;
  }
  const seeds = context.amount(5, 1);
  const seconds = context.milliseconds / 1000 / (STREAM_BACKENDS.length * seeds);
  recorder.condition("budget", `${seconds.toPrecision(3)} s for each backend and seed`);
  recorder.condition("fit", "50 Adam steps over 44 points from the text, scored on 20");
  recorder.count("seconds", seconds, "s");
  recorder.count("programs", stream.candidates.length);
  const fitters = [machineFitter(machines.single), javaScriptFitter, wasmFitter];
  await check(context, stream, fitters);
  for (const [i, backend] of STREAM_BACKENDS.entries()) {
    const encoding = backend.split(" ")[0] as string;
    if (i > 2 && !hasTorch()) {
      for (const part of STREAM_PARTS) recorder.missing(`${backend}/${part}`, NO_TORCH);
      continue;
    }
    const all: Summary[] = [];
    for (let seed = 0; seed < seeds; seed++) {
      const job = { ...stream, encoding, steps: STEPS_OF_FIT, seconds, seed };
      const events =
        i > 2 ? eagerStream(job) : await replay(stream, fitters[i] as Fitter, seed, seconds);
      all.push(summarise(events, seconds));
    }
    record(context, backend, all, seconds);
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
