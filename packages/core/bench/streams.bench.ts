/**
 * Calibration streams: every program of the two co-search tasks is loaded from its text, fitted by
 * 50 Adam steps over 44 points and disposed, as a search does it.
 *
 * A stream is timed in short slices of programs; the figure is the sum of each slice's minimum.
 */

import { Machine, NdvmError } from "../src/index.js";
import { fit, normals, type Points } from "./support/adam.js";
import { Checksum } from "./support/checksum.js";
import { readJsonCase } from "./support/corpus.js";
import { printEnvironment } from "./support/environment.js";
import { fitByHand, type HandModel, loopByHand, waveByHand } from "./support/hand-fits.js";
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
  readonly path: string;
  readonly restarts: number;
  readonly target: TargetName;
  readonly hand: HandModel;
}

const STEPS = 50;
const PASSES = amount(25, 1);

printEnvironment();
section("Calibration streams, 50 Adam steps × 44 points a fit, f32, domain clamp");
const machine = await Machine.create({ precision: "f32" });
const streams: readonly Stream[] = [
  { name: "flat", path: "flat", restarts: 1, target: "streamFlat", hand: waveByHand },
  {
    name: "flat, 16 restarts",
    path: "flat",
    restarts: 16,
    target: "streamRestarts",
    hand: waveByHand,
  },
  { name: "recurrences", path: "rec", restarts: 1, target: "streamLoops", hand: loopByHand },
  {
    name: "recurrences, 16 restarts",
    path: "rec",
    restarts: 16,
    target: "streamLoops",
    hand: loopByHand,
  },
];
const rows = streams.flatMap((stream) => {
  const task = readJsonCase<Task>(`reference/cosearch_${stream.path}.json`);
  return task === undefined ? [] : [runStream(stream, task)];
});
if (rows.length > 0) {
  const speeds = ["fits/s", "best pass", "median pass"];
  const hand = ["JavaScript by hand", "µs a step"];
  table(["stream", "programs", ...speeds, ...hand, "failed", "R² > 0.9", "checksum"], rows);
  note("");
  note(
    "fits/s: sum of the minima of slices of a few programs; a start counts as a fit. By hand: the",
  );
  note("first program of the stream as a JavaScript function with its gradient, same loop.");
}
machine.dispose();

function runStream(stream: Stream, { task, candidates }: Task): string[] {
  const points = { x: Float64Array.from(task.xtr), y: Float64Array.from(task.ytr) };
  const held = { x: Float64Array.from(task.xho), y: Float64Array.from(task.yho) };
  const used = amount(candidates, candidates.slice(0, stream.restarts > 1 ? 8 : 40));
  const { restarts } = stream;
  // A slice should be shorter than a scheduler's.
  const size = restarts === 1 ? 8 : 1;
  const slices = Math.ceil(used.length / size);
  const fastest = new Float64Array(slices).fill(Number.POSITIVE_INFINITY);
  const passes: number[] = [];
  const failed = new Set<number>();
  const fitOne = (index: number, seed: number) => {
    const { src, params } = used[index] as Task["candidates"][number];
    const normal = normals(seed * 1000 + index + 1);
    const start = () => 0.3 * normal();
    try {
      return fit(machine, {
        source: src,
        parameters: params,
        points,
        restarts,
        steps: STEPS,
        start,
      });
    } catch (error) {
      if (!(error instanceof NdvmError)) throw error;
      failed.add(index);
      return undefined;
    }
  };
  for (let pass = 0; pass < passCount(restarts); pass++) {
    let total = 0;
    for (let slice = 0; slice < slices; slice++) {
      const to = Math.min(used.length, (slice + 1) * size);
      const started = performance.now();
      for (let index = slice * size; index < to; index++) fitOne(index, pass);
      const took = performance.now() - started;
      fastest[slice] = Math.min(fastest[slice] as number, took);
      total += took;
    }
    passes.push(total);
  }
  const quality = judge(used, fitOne, held);
  const byHand = fitByHand(stream.hand, points, STEPS, amount(200, 5));
  const fits = used.length * restarts;
  const rate = (fits / fastest.reduce((sum, each) => sum + each, 0)) * 1000;
  const sorted = [...passes].sort((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)] as number;
  const isTarget = restarts === 1 || stream.target !== "streamLoops";
  if (isTarget) reach(stream.target, rate, `JavaScript by hand ${count(1e6 / byHand)} fits/s`);
  return [
    stream.name,
    count(used.length),
    count(rate),
    count((fits / (sorted[0] as number)) * 1000),
    count((fits / median) * 1000),
    count(1e6 / byHand),
    short(1e6 / rate / STEPS),
    [...failed].join(" ") || "none",
    count(quality.good),
    quality.sum,
  ];
}

function passCount(restarts: number): number {
  return restarts === 1 ? PASSES : Math.max(1, Math.ceil(PASSES / 3));
}

type Fit = (index: number, seed: number) => ReturnType<typeof fit> | undefined;

/** Fits once more from seed 0: how many explain the held-out points, and a checksum of them all. */
function judge(used: Task["candidates"], fitOne: Fit, held: Points) {
  const sum = new Checksum();
  let good = 0;
  used.forEach(({ src, params }, index) => {
    const fitted = fitOne(index, 0);
    if (fitted === undefined) return;
    sum.add(fitted.parameters);
    const best = fitted.losses.reduce((b, loss, i, all) => (loss < (all[b] as number) ? i : b), 0);
    const program = machine.load(src, { domain: "clamp" });
    const names = params.filter((name) => program.inputs.includes(name));
    const numbers = names.map((name, i) => [
      name,
      fitted.parameters[best * names.length + i] as number,
    ]);
    const inputs = Object.fromEntries(numbers) as Record<string, number>;
    const given = program.inputs.includes("x") ? { x: held.x, ...inputs } : inputs;
    const { values } = program.evaluate(given, { lanes: held.x.length });
    if (explained(values, held.y) > 0.9) good += 1;
    program.dispose();
  });
  return { good, sum: sum.toString() };
}

function explained(values: Float64Array, y: Float64Array): number {
  const mean = y.reduce((sum, each) => sum + each, 0) / y.length;
  const rest = y.reduce((sum, each, i) => sum + (each - (values[i] as number)) ** 2, 0);
  return 1 - rest / y.reduce((sum, each) => sum + (each - mean) ** 2, 0);
}
