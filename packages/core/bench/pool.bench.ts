/**
 * Strong scaling: one population on pools of more and more workers, beside one machine alone. The
 * largest pool also runs without shared memory, and with chunks of several widths: two threads of one
 * core share its caches, so that narrower chunks than those of one machine may be faster there.
 */

import { availableParallelism } from "node:os";
import { Machine } from "../src/index.js";
import { Checksum } from "./support/checksum.js";
import { loadText, printEnvironment } from "./support/environment.js";
import { inputsOf, kalman, variantCount } from "./support/programs.js";
import { amount } from "./support/settings.js";
import {
  count,
  note,
  SPREAD_HEADINGS,
  section,
  short,
  spreadCells,
  table,
} from "./support/table.js";
import { per, spreadOf } from "./support/timing.js";

const LANES = amount(40_000, 2048);
const ROUNDS = amount(12, 2);
const CORES = availableParallelism();
const WORKERS = [1, 2, 4, 8, 16, 32, 64].filter((workers) => workers <= Math.max(2, CORES));

/** Widths of chunks that are tried on the largest pool. */
const CHUNKS = [32, 48, 64, 96, 128];

interface Result {
  readonly values: Float64Array;
  readonly gradients: Readonly<Record<string, Float64Array>>;
}

printEnvironment();
section(`Strong scaling, Kalman T=80: ${count(LANES)} lanes on ${CORES} cores`);
const machine = await Machine.create({ precision: "f32" });
const program = machine.load(kalman.source, { domain: "clamp" });
const pools = await Promise.all(WORKERS.map((workers) => machine.pool({ workers })));
const programs = new Map(
  CHUNKS.map((chunk) => [chunk, machine.load(kalman.source, { domain: "clamp" })]),
);
const largest = pools.at(-1);
const copying = await machine.pool({ workers: largest?.workers ?? 1, sharedMemory: false });
const wrt = Object.keys(kalman.parameters);
const tables = Array.from({ length: variantCount(LANES) }, (_, i) => inputsOf(kalman, LANES, i));
const inputsAt = (turn: number) => tables[turn % tables.length] ?? {};

type Run = (turn: number) => Promise<Result>;
const runs: [string, Run][] = [
  ["no workers", async (turn) => program.gradient(inputsAt(turn), { wrt })],
  ...pools.map((pool): [string, Run] => [
    pool.workers === 1 ? "1 worker" : `${pool.workers} workers`,
    (turn) => pool.gradient(program, inputsAt(turn), { wrt }),
  ]),
];
const most = `${copying.workers} workers`;
const variants: readonly [string, Run][] = [
  [`${most}, copies`, (turn) => copying.gradient(program, inputsAt(turn), { wrt })],
  ...CHUNKS.map((chunk): [string, Run] => [
    `${most}, chunks of ${chunk}`,
    async (turn) =>
      (largest ?? copying).gradient(programs.get(chunk) ?? program, inputsAt(turn), { wrt, chunk }),
  ]),
];
runs.push(...variants);
const samples: number[][] = runs.map(() => []);
for (let round = 0; round <= ROUNDS; round++)
  for (const [i, [, run]] of runs.entries()) {
    const started = performance.now();
    await run(round);
    // The first round loads the program everywhere.
    if (round > 0) samples[i]?.push((performance.now() - started) * 1000);
  }
const spreads = samples.map((each) => per(spreadOf(each), LANES));
const alone = spreads[1]?.minimum ?? Number.NaN;
const rows: string[][] = [];
for (const [i, [name, run]] of runs.entries()) {
  const { values, gradients } = await run(0);
  const sum = new Checksum().add(values);
  for (const each of wrt) sum.add(gradients[each] ?? []);
  const spread = spreads[i];
  if (spread === undefined) continue;
  const speedUp = `${short(alone / spread.minimum)}×`;
  const rate = count(1e6 / spread.minimum);
  rows.push([name, ...spreadCells(spread), rate, speedUp, sum.toString()]);
}
const headings = [...SPREAD_HEADINGS, "lanes/s", "over 1 worker", "checksum"];
table(["forward+gradient, per lane", ...headings], rows);
const isSame = new Set(rows.map((row) => row.at(-1))).size === 1;
note(isSame ? "checksums are the same for any number of workers" : "checksums DIFFER");
note(`load ${loadText()} on ${CORES} cores: what others take is missing from the speed-up`);
await Promise.all([...pools, copying].map((pool) => pool.dispose()));
machine.dispose();
