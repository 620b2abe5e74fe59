/**
 * Strong scaling: one large population on one machine, then on pools of 1, 2, … workers.
 *
 * Every row prints the checksum of its values and gradients; they must all be the same.
 */

import { availableParallelism } from "node:os";
import { type Inputs, Machine } from "../src/index.js";
import { Checksum } from "./support/checksum.js";
import { printEnvironment } from "./support/environment.js";
import { inputsOf, kalman, type Model, oscillator, variantCount } from "./support/programs.js";
import { amount } from "./support/settings.js";
import {
  count,
  note,
  ratio,
  SPREAD_HEADINGS,
  section,
  spreadCells,
  table,
} from "./support/table.js";
import { type Spread, spreadOf } from "./support/timing.js";

printEnvironment();
const CORES = availableParallelism();
const REPEATS = amount(7, 2);
/** 1, 2, 4, … and the number of cores. */
const WORKERS = [
  ...new Set([...Array.from({ length: 10 }, (_, i) => 2 ** i).filter((n) => n < CORES), CORES]),
];
const machine = await Machine.create({ precision: "f32" });

interface Gradients {
  readonly values: Float64Array;
  readonly gradients: Readonly<Record<string, Float64Array>>;
}

interface Timed {
  readonly spread: Spread;
  readonly checksum: string;
}

/** Microseconds of a run, over several, after one that loads the program and walks it. */
async function time(run: (turn: number) => Promise<Gradients>): Promise<Timed> {
  const { values, gradients } = await run(0);
  const checksum = new Checksum();
  checksum.add(values);
  for (const gradient of Object.values(gradients)) checksum.add(gradient);
  const samples: number[] = [];
  for (let i = 0; i < REPEATS; i++) {
    const from = performance.now();
    await run(i + 1);
    samples.push((performance.now() - from) * 1000);
  }
  return { spread: spreadOf(samples), checksum: String(checksum) };
}

async function scale(model: Model, lanes: number): Promise<void> {
  section(`Pool, ${model.name}: ${count(lanes)} lanes, forward+gradient, ${CORES} cores`);
  const program = machine.load(model.source);
  const variants = Array.from({ length: variantCount(lanes) }, (_, i) => inputsOf(model, lanes, i));
  const inputs = (turn: number) => variants[turn % variants.length] as Inputs;
  const options = { wrt: Object.keys(model.parameters) };
  const alone = await time(async (turn) => program.gradient(inputs(turn), options));
  const row = (name: string, { spread, checksum }: Timed) => [
    name,
    ...spreadCells(spread),
    ratio(alone.spread.minimum, spread.minimum),
    checksum,
  ];
  const rows = [row("one machine", alone)];
  for (const workers of WORKERS) {
    const pool = await machine.pool({ workers });
    const timed = await time((turn) => pool.gradient(program, inputs(turn), options));
    rows.push(row(`pool of ${workers}`, timed));
    await pool.dispose();
  }
  table(["", ...SPREAD_HEADINGS, "speed-up", "checksum"], rows);
  const isSame = rows.every((cells) => cells.at(-1) === alone.checksum);
  note(isSame ? "All checksums are the same." : "CHECKSUMS DIFFER.");
  if (!isSame) process.exitCode = 1;
  program.dispose();
}

await scale(kalman, amount(20_000, 2000));
await scale(oscillator, amount(1_000_000, 20_000));
machine.dispose();
