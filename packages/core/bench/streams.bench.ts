/**
 * Calibration streams, by the package as it is built: every program of the two co-search tasks from
 * its text to its held-out score, by `fit` as a search calls it: load, 50 Adam steps over 44 points
 * (or Levenberg–Marquardt), the prediction of the held-out rows, dispose.
 *
 * A stream is timed program by program; the figure is the sum of each program's minimum.
 */

import { type FitOptions, fit, Machine, NdvmError } from "@ndvm/core";
import { Checksum } from "./support/checksum.js";
import { readJsonCase } from "./support/corpus.js";
import { printEnvironment } from "./support/environment.js";
import { fitByHand, type HandModel, loopByHand, waveByHand } from "./support/hand-fits.js";
import { normals, type Points } from "./support/normals.js";
import { amount } from "./support/settings.js";
import { count, note, section, short, table } from "./support/table.js";
import { reach, type TargetName } from "./support/targets.js";

interface Task {
  readonly task: {
    readonly xtr: number[];
    readonly ytr: number[];
    readonly xho: number[];
    readonly yho: number[];
  };
  readonly candidates: readonly { readonly src: string; readonly params: readonly string[] }[];
}

interface Stream {
  readonly name: string;
  readonly path: "flat" | "rec";
  readonly restarts: number;
  readonly optimiser: "adam" | "lm";
  readonly target?: TargetName;
}

type Specs = NonNullable<FitOptions["params"]>;

interface Score {
  readonly params: readonly number[];
  readonly r2: number;
}

const STEPS = 50;
const PASSES = amount(400, 1);

printEnvironment();
section("Calibration streams, text → held-out score by fit, 50 steps × 44 points, f32, clamp");
const machine = await Machine.create({ precision: "f32" });
const adam = { optimiser: "adam", path: "flat" } as const;
const streams: readonly Stream[] = [
  { ...adam, name: "flat", restarts: 1, target: "streamFlat" },
  { ...adam, name: "flat, 16 restarts", restarts: 16, target: "streamRestarts" },
  { ...adam, name: "recurrences", path: "rec", restarts: 1, target: "streamLoops" },
  { ...adam, name: "recurrences, 16 restarts", path: "rec", restarts: 16 },
  { name: "flat, LM", path: "flat", restarts: 1, optimiser: "lm" },
  { name: "flat, LM, 16 restarts", path: "flat", restarts: 16, optimiser: "lm" },
];
const rows: string[][] = [];
for (const stream of streams) {
  const task = readJsonCase<Task>(`reference/cosearch_${stream.path}.json`);
  if (task !== undefined) rows.push(await runStream(stream, task));
}
if (rows.length > 0) {
  const speeds = ["fits/s", "best pass", "median pass", "µs a program"];
  table(
    ["stream", "programs", ...speeds, "JavaScript by hand", "failed", "R² > 0.9", "checksum"],
    rows,
  );
  note("");
  note(
    "fits/s: sum of the programs' minima; a restart counts as a fit. By hand: the first program",
  );
  note(
    "of the stream as a JavaScript function with its gradient, Adam steps alone. Failed: programs",
  );
  note("that cannot be loaded, or whose starts are all not finite.");
}
machine.dispose();

async function runStream(stream: Stream, { task, candidates }: Task): Promise<string[]> {
  const points = { x: Float64Array.from(task.xtr), y: Float64Array.from(task.ytr) };
  const held = { x: Float64Array.from(task.xho), y: Float64Array.from(task.yho) };
  const { restarts } = stream;
  const used = amount(candidates, candidates.slice(0, restarts > 1 ? 8 : 40));
  const fastest = new Float64Array(used.length).fill(Number.POSITIVE_INFINITY);
  const passes: number[] = [];
  const failed = new Set<number>();
  const sum = new Checksum();
  let good = 0;
  for (let pass = 0; pass < passCount(restarts); pass++) {
    let total = 0;
    for (const [index, candidate] of used.entries()) {
      const specs = startsOf(candidate, index);
      const started = performance.now();
      const score = await scoreText(candidate.src, specs, index, stream, points, held);
      const took = performance.now() - started;
      fastest[index] = Math.min(fastest[index] as number, took);
      total += took;
      if (pass > 0) continue;
      if (score === undefined) failed.add(index);
      else sum.add(score.params);
      if (score !== undefined && score.r2 > 0.9) good += 1;
    }
    passes.push(total);
  }
  const all = fastest.reduce((so, each) => so + each, 0);
  const fits = used.length * restarts;
  const perSecond = (milliseconds: number) => (fits / milliseconds) * 1000;
  const byHand = fitByHand(handOf(stream), points, STEPS, amount(200, 5));
  if (stream.target !== undefined)
    reach(stream.target, perSecond(all), `JavaScript by hand ${count(1e6 / byHand)} fits/s`);
  const sorted = [...passes].sort((a, b) => a - b);
  return [
    stream.name,
    count(used.length),
    count(perSecond(all)),
    count(perSecond(sorted[0] as number)),
    count(perSecond(sorted[Math.floor(sorted.length / 2)] as number)),
    short((all / used.length) * 1000),
    count(1e6 / byHand),
    [...failed].join(" ") || "none",
    count(good),
    sum.toString(),
  ];
}

function handOf({ path }: Stream): HandModel {
  return path === "flat" ? waveByHand : loopByHand;
}

function passCount(restarts: number): number {
  return restarts === 1 ? PASSES : Math.max(1, Math.ceil(PASSES / 4));
}

/** Where the parameters of a program start. */
function startsOf({ params }: Task["candidates"][number], index: number): Specs {
  const normal = normals(index + 1);
  const starts = params.map((name) => [name, { start: 0.3 * normal(), range: [-0.6, 0.6] }]);
  return Object.fromEntries(starts) as Specs;
}

/** From the text to the score on the held-out rows; undefined for a program that cannot be fitted. */
async function scoreText(
  src: string,
  specs: Specs,
  index: number,
  { restarts, optimiser }: Stream,
  points: Points,
  held: Points,
): Promise<Score | undefined> {
  try {
    const program = machine.load(src, { domain: "clamp" });
    try {
      const declared: Record<string, Specs[string]> = {};
      for (const name in specs)
        if (program.inputs.includes(name)) declared[name] = specs[name] as Specs[string];
      const { best, predict } = await fit(program, {
        data: points as unknown as Record<string, Float64Array>,
        target: "y",
        params: declared,
        optimiser,
        steps: STEPS,
        restarts,
        seed: index,
        detail: "scores",
      });
      const { values } = predict({ x: held.x });
      return { params: Object.values(best.params), r2: explained(values, held.y) };
    } finally {
      program.dispose();
    }
  } catch (error) {
    if (!(error instanceof NdvmError)) throw error;
    return undefined;
  }
}

function explained(values: Float64Array, y: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < y.length; i++) sum += y[i] as number;
  const mean = sum / y.length;
  let [rest, all] = [0, 0];
  for (let i = 0; i < y.length; i++) {
    const each = y[i] as number;
    rest += (each - (values[i] as number)) ** 2;
    all += (each - mean) ** 2;
  }
  return 1 - rest / all;
}
