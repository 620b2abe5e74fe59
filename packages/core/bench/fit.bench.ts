/**
 * Calibration beside others: Levenberg–Marquardt and Adam to the same loss, with
 * ml-levenberg-marquardt and a loop of TensorFlow.js on the same curves; and the paper's Kalman fit.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type FitOptions, type FitResult, fit, Machine } from "../src/index.js";
import { type AsyncSubject, measureAsync } from "./support/async-timing.js";
import { Checksum } from "./support/checksum.js";
import { printEnvironment, repositoryRoot } from "./support/environment.js";
import {
  type Curve,
  curves,
  fitByMl,
  fitByTensors,
  kalmanByTensors,
  squares,
} from "./support/rivals.js";
import { amount } from "./support/settings.js";
import {
  count,
  note,
  ratio,
  SPREAD_HEADINGS,
  section,
  short,
  spreadCells,
  table,
} from "./support/table.js";
import type { Spread } from "./support/timing.js";

const RATE = 0.05;
/** All end within a thousandth of the least sum of squares. */
const NEAR = 1.001;

printEnvironment();
const machines = {
  f32: await Machine.create({ precision: "f32" }),
  f64: await Machine.create({ precision: "f64" }),
};

/** From text to the fitted constants, as a search does it. */
async function fitText(machine: Machine, source: string, options: FitOptions): Promise<FitResult> {
  const program = machine.load(source);
  try {
    return await fit(program, { detail: "scores", ...options });
  } finally {
    program.dispose();
  }
}

function optionsOf({ x, y, start }: Curve): FitOptions {
  return { data: { x, y }, target: "y", params: start };
}

const adam = (steps: number): FitOptions => ({ optimiser: "adam", adam: { rate: RATE }, steps });

/** Fewest steps with which a sum of squares is at most the target, if 8192 are enough. */
async function fewest(
  curve: Curve,
  target: number,
  way: (steps: number) => Promise<number[]> | number[],
): Promise<number> {
  const reaches = async (steps: number) => squares(curve, await way(steps)) <= target;
  let high = 1;
  while (high < 8192 && !(await reaches(high))) high *= 2;
  let low = Math.floor(high / 2);
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (await reaches(middle)) high = middle;
    else low = middle;
  }
  return high;
}

section("Fit: LM versus Adam to the same loss, from text to constants");
const rows: string[][] = [];
for (const curve of curves) rows.push(...(await compare(curve)));
table(
  ["fit", ...SPREAD_HEADINGS, "processor", "over LM", "steps", "loss over least", "checksum"],
  rows,
);
note("");
note("Each takes the fewest steps with which it comes within a thousandth of the least sum of");
note("squares; TensorFlow.js takes as many as our Adam (0.05 a step on the mean of the squares).");
note("ml-levenberg-marquardt gets a JavaScript function instead of text, and differences of 1e-6.");
note("TensorFlow.js gets its graph as a function: CPU backend, f32, its own gradients and Adam.");

async function compare(curve: Curve): Promise<string[][]> {
  const names = Object.keys(curve.start);
  const { source } = curve;
  const options = optionsOf(curve);
  const run = async (machine: Machine, more: FitOptions) => {
    const { best } = await fitText(machine, source, { ...options, ...more });
    return names.map((name) => best.params[name] as number);
  };
  const least = squares(curve, await run(machines.f64, {}));
  const target = least * NEAR;
  const byLm = (steps: number) => run(machines.f64, { steps });
  const byAdam = (steps: number) => run(machines.f32, adam(steps));
  const byMl = (steps: number) => fitByMl(curve, steps);
  const lm = await fewest(curve, target, byLm);
  const steps = await fewest(curve, target, byAdam);
  const ml = await fewest(curve, target, byMl);
  const ways: readonly [string, string, () => Promise<number[]> | number[]][] = [
    ["LM, f64", count(lm), () => byLm(lm)],
    ["LM, f64, to its own end", "", () => run(machines.f64, {})],
    ["Adam, f32", count(steps), () => byAdam(steps)],
    ["ml-levenberg-marquardt", count(ml), () => byMl(ml)],
    ["TensorFlow.js, Adam", count(steps), () => fitByTensors(curve, RATE, steps)],
  ];
  const found: number[][] = [];
  const subjects: AsyncSubject[] = ways.map(([name, , way], i) => ({
    name,
    async call() {
      found[i] = await way();
    },
  }));
  const spreads = await measureAsync(subjects);
  const base = (spreads[0] as Spread).processor;
  return ways.map(([name, stepText], i) => {
    const p = found[i] as number[];
    const spread = spreads[i] as Spread;
    const loss = short(squares(curve, p) / least);
    const { processor } = spread;
    const cells = [short(processor), ratio(processor, base), stepText, loss];
    return [
      `${curve.name}: ${name}`,
      ...spreadCells(spread),
      ...cells,
      new Checksum().add(p).toString(),
    ];
  });
}

section("Fit: the paper's Kalman calibration, 30 Adam steps, f32");
await printKalman();
for (const machine of Object.values(machines)) machine.dispose();

async function printKalman(): Promise<void> {
  const folder = join(repositoryRoot, "examples/kalman-fit");
  const source = readFileSync(join(folder, "model.scm"), "utf8");
  const positions = readFileSync(join(folder, "data.csv"), "utf8")
    .trimEnd()
    .split("\n")
    .slice(1)
    .map((line) => line.split(",").map(Number));
  const data = {
    east: positions.map(([east]) => east as number),
    north: positions.map(([, north]) => north as number),
  };
  const steps = amount(30, 3);
  const range = { start: 0.3, range: [0.1, 1] } as const;
  const options = (restarts: number): FitOptions => ({
    data,
    params: { step: range, noise: range },
    optimiser: "adam",
    adam: { rate: 0.08 },
    steps,
    restarts,
  });
  const found: number[][] = [];
  const widths = [1, 16, 256];
  const subjects: AsyncSubject[] = widths.map((restarts, i) => ({
    name: restarts === 1 ? "one start" : `${restarts} restarts as lanes, each`,
    async call() {
      const { best } = await fitText(machines.f32, source, options(restarts));
      found[i] = [best.params["step"] as number, best.params["noise"] as number];
    },
  }));
  const ours = await measureAsync(subjects);
  const tensors: AsyncSubject = {
    name: "TensorFlow.js, one start",
    call() {
      found[widths.length] = kalmanByTensors(positions, 0.08, steps);
    },
  };
  const [theirs] = (await measureAsync([tensors])) as [Spread];
  const perHour = (microseconds: number) => count(3.6e9 / microseconds);
  const row = (
    name: string,
    { minimum, median, processor }: Spread,
    fits: number,
    p: readonly number[],
  ) => [
    name,
    short(minimum / 1000 / fits),
    short(median / 1000 / fits),
    perHour(processor / fits),
    new Checksum().add(p).toString(),
  ];
  const rows = widths.map((fits, i) =>
    row(subjects[i]?.name as string, ours[i] as Spread, fits, found[i] as number[]),
  );
  rows.push(row(tensors.name, theirs, 1, found[widths.length] as number[]));
  rows.push(["the paper's C++ runtime, on its machine", "25.9", "", "138,769"]);
  table(["fit", "min ms", "median", "a CPU-hour", "checksum"], rows);
  const [first = [], other = []] = [found[0], found[widths.length]];
  const apart = Math.max(...first.map((value, j) => Math.abs(value / (other[j] as number) - 1)));
  note("");
  note(
    `TensorFlow.js ends within ${apart.toExponential(1)} of ours. From text to constants; a CPU-hour`,
  );
  note("counts processor time. ml-levenberg-marquardt fits sums of squares, not likelihoods.");
  if (!(apart < 1e-2)) throw new Error("TensorFlow.js computes something else");
}
