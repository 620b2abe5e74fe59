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
  type Fitted,
  type Fitter,
  javaScriptFitter,
  machineFitter,
  normals,
  STEPS_OF_FIT,
  wasmFitter,
} from "../baselines/fits.js";
import { AUTHOR, referenceStream, whyNoReference } from "../baselines/native/reference.js";
import { NO_CORPUS, readStream, type Stream } from "../corpus.js";
import type { Context, Definition } from "../harness/context.js";

export const CHECKPOINTS = [1, 2, 5, 10, 20, 30, 60, 120, 180, 240, 300, 420, 600, 900] as const;
const PAPER_BUDGET = 900;
const SUCCESS = 0.9;
const REFERENCE = "reference";
type Way = Fitter | Eager | typeof REFERENCE;
/** How each backend fits: in this process, in C++ by a process of its own, or in Python. */
const FITTERS: Readonly<Record<string, Way>> = {
  ndvm: machineFitter(machines.single),
  "staged JavaScript": javaScriptFitter,
  "staged WebAssembly": wasmFitter,
  [AUTHOR]: REFERENCE,
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
      const score = (await fitter(candidate, starts, columns))?.score;
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
  const wanted = await check(context, stream);
  for (const [backend, fitter] of Object.entries(FITTERS)) {
    const isSlowest = fitter === "DMCI" && name === "rec";
    const reason = missingOf(fitter);
    if (reason !== undefined || (isSlowest && context.isQuick)) {
      gap(backend, reason ?? "left out of a quick run: one fit takes seconds");
      continue;
    }
    const all: Summary[] = [];
    for (let seed = 0; seed < (isSlowest ? SEEDS_OF_SLOWEST : seeds); seed++) {
      const events = await eventsOf(stream, fitter, seed, seconds);
      if (seed === 0) sameScores(context, backend, events, wanted);
      all.push(summarise(events, seconds));
    }
    record(context, backend, all);
  }
}

function missingOf(fitter: Way): string | undefined {
  if (typeof fitter === "function") return undefined;
  return fitter === REFERENCE ? whyNoReference() : whyNot(fitter);
}

async function eventsOf(
  stream: Stream,
  fitter: Way,
  seed: number,
  seconds: number,
): Promise<readonly StreamEvent[]> {
  if (typeof fitter === "function") return replay(stream, fitter, seed, seconds);
  const job = { ...stream, steps: STEPS_OF_FIT, seconds, seed };
  if (fitter === REFERENCE) return referenceStream(job).map(({ event }) => event);
  return eagerStream({ ...job, encoding: fitter });
}

/** Losses and scores are compared as |a − b| / (1 + |b|). */
const apart = (a: number, b: number): number => Math.abs(a - b) / (1 + Math.abs(b));
/** A candidate is steady if the machine's f32 and f64 come to losses and scores this near. */
const STEADY = 1e-4;
const LOSSES_APART = 1e-3;
const SCORES_APART = 1e-2;

/**
 * Before anything is timed, the first candidates from the same starts must come to the same loss on
 * every fitter of this process and on the author's runtime. Candidates on which the machine itself
 * comes to another loss in f64 decide nothing: chaotic loops part in the last bits of f32. Returns the
 * machine's fits of the steady candidates.
 */
async function check(context: Context, stream: Stream): Promise<ReadonlyMap<number, Fitted>> {
  const { recorder } = context;
  const used = stream.candidates.slice(0, context.amount(40, 10));
  const fitAll = async (fitter: Fitter) => {
    const columns = columnsOf(stream.task);
    const found: (Fitted | undefined)[] = [];
    for (const [index, candidate] of used.entries()) {
      const normal = normals(seedOf(0, 0, index));
      const starts = candidate.params.map(() => 0.3 * normal());
      found.push(await fitter(candidate, starts, columns));
    }
    return found;
  };
  const [single, double] = [
    await fitAll(machineFitter(machines.single)),
    await fitAll(machineFitter(machines.double)),
  ];
  const steady = new Map<number, Fitted>();
  single.forEach((one, index) => {
    const other = double[index];
    if (one === undefined || other === undefined) return;
    const worst = Math.max(apart(one.loss, other.loss), apart(one.score, other.score));
    if (worst <= STEADY) steady.set(index, one);
  });
  recorder.count("candidates compared", used.length);
  recorder.count("steady candidates", steady.size, "count", `f32 and f64 within ${STEADY}`);
  if (2 * steady.size < used.length) throw new Error(`only ${steady.size} candidates are steady`);
  for (const [backend, fitter] of Object.entries(FITTERS)) {
    const losses = await lossesOf(stream, fitter, used.length, fitAll);
    if (losses === undefined) continue;
    const distances = [...steady].map(([index, { loss }]) =>
      apart(losses[index] ?? Number.NaN, loss),
    );
    const worst = Math.max(...distances);
    const how = `at most ${LOSSES_APART}, ${steady.size} candidates`;
    recorder.count(`${backend}/losses apart`, worst, "relative", how);
    if (!(worst <= LOSSES_APART)) throw new Error(`${backend}: other losses, off by ${worst}`);
  }
  return steady;
}

/** Losses of the first candidates; undefined for a way that fits in Python or is missing. */
async function lossesOf(
  stream: Stream,
  fitter: Way,
  count: number,
  fitAll: (fitter: Fitter) => Promise<(Fitted | undefined)[]>,
): Promise<(number | undefined)[] | undefined> {
  if (typeof fitter === "function") return (await fitAll(fitter)).map((one) => one?.loss);
  if (fitter !== REFERENCE || missingOf(fitter) !== undefined) return undefined;
  const job = { ...stream, steps: STEPS_OF_FIT, seconds: 600, fitsMost: count, seed: 0 };
  return referenceStream(job).map(({ loss }) => loss);
}

/** What a backend did in its first run must have the machine's scores, as far as it came. */
function sameScores(
  { recorder }: Context,
  backend: string,
  events: readonly StreamEvent[],
  wanted: ReadonlyMap<number, Fitted>,
): void {
  const seen = new Map<number, number | null>();
  for (const [, index, score] of events) if (!seen.has(index)) seen.set(index, score);
  const distances = [...wanted].flatMap(([index, { score }]) =>
    seen.has(index) ? [apart(seen.get(index) ?? Number.NaN, score)] : [],
  );
  if (distances.length === 0) return;
  const worst = Math.max(...distances);
  const how = `at most ${SCORES_APART}, ${distances.length} candidates`;
  recorder.count(`${backend}/scores apart`, worst, "relative", how);
  if (!(worst <= SCORES_APART)) throw new Error(`${backend}: other scores, off by ${worst}`);
}

export const flat: Definition = { name: "cosearch-flat", weight: 8, run: (c) => run(c, "flat") };
export const recurrences: Definition = {
  name: "cosearch-rec",
  weight: 8,
  run: (context) => run(context, "rec"),
};
