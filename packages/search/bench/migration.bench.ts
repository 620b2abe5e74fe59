/**
 * Does migration between islands matter in a search of 15 seconds? The same searches with and without,
 * on the same seeds, for as many candidates as 15 seconds on two cores come to.
 *
 *   npm run bench -- migration
 *   MIGRATION_CANDIDATES=40000 MIGRATION_WORKERS=16 npm run bench -- migration
 *
 * Results do not depend on the number of workers.
 */

import { printEnvironment } from "../../core/bench/support/environment.js";
import { amount } from "../../core/bench/support/settings.js";
import { count, note, section, table } from "../../core/bench/support/table.js";
import { evolve, search } from "../src/index.js";

const CANDIDATES = Number(process.env["MIGRATION_CANDIDATES"] ?? amount(12_000, 300));
const WORKERS = Number(process.env["MIGRATION_WORKERS"] ?? 2);
const SEEDS = amount([1, 2, 3, 4, 5], [1]);
/** A model is found when it leaves this share of the variance. */
const FOUND = 1e-4;

const x = Array.from({ length: 200 }, (_, i) => 0.1 + i / 40);
const z = x.map((_, i) => 2 + 2 * Math.sin(1.7 * i));
const tables = {
  "damped wave and a line": x.map(
    (t, i) => 2 * Math.exp(-0.3 * t) * Math.cos(1.7 * t + 0.4) + 0.3 * (z[i] ?? 0),
  ),
  "ratio and a wave": x.map(
    (t, i) => (t * t + 0.5 * (z[i] ?? 0)) / (1 + 0.7 * t) + 0.2 * Math.sin(3 * t),
  ),
};

interface Ran {
  /** Share of the variance that is left. */
  readonly left: number;
  /** Candidates until a model was found; Infinity where none was. */
  readonly found: number;
}

async function run(y: readonly number[], seed: number, migrates: boolean): Promise<Ran> {
  const proposers = [evolve(migrates ? {} : { migrateEvery: 0 })];
  const budget = { candidates: CANDIDATES };
  let left = 1;
  let found = Number.POSITIVE_INFINITY;
  let candidates = 0;
  const data = { x, z, y };
  for await (const event of search({
    data,
    target: "y",
    seed,
    proposers,
    budget,
    workers: WORKERS,
  })) {
    if (event.type !== "candidate") continue;
    candidates += 1;
    const { status, trainR2 } = event.outcome;
    if (status === "scored") left = Math.min(left, Math.max(1e-16, 1 - trainR2));
    if (left <= FOUND) found = Math.min(found, candidates);
  }
  return { left, found };
}

printEnvironment();
section(`Migration: ${count(CANDIDATES)} candidates, ${SEEDS.length} seeds a table`);
const rows: string[][] = [];
const sums = { better: 0, worse: 0, foundWith: 0, foundWithout: 0 };
const exponent = (share: number): string => share.toExponential(1);
for (const [name, y] of Object.entries(tables))
  for (const seed of SEEDS) {
    const [used, unused] = [await run(y, seed, true), await run(y, seed, false)];
    rows.push([
      name,
      `${seed}`,
      exponent(used.left),
      exponent(unused.left),
      Number.isFinite(used.found) ? count(used.found) : "–",
      Number.isFinite(unused.found) ? count(unused.found) : "–",
    ]);
    if (used.left < 0.99 * unused.left) sums.better += 1;
    if (unused.left < 0.99 * used.left) sums.worse += 1;
    if (Number.isFinite(used.found)) sums.foundWith += 1;
    if (Number.isFinite(unused.found)) sums.foundWithout += 1;
  }
const headings = ["with: left", "without: left", "with: found at", "without: found at"];
table(["table", "seed", ...headings], rows);
note(`left: share of the training variance; found: ${FOUND} of it is left`);
note(
  `with migration the rest is smaller in ${sums.better} of ${rows.length} searches and larger in ` +
    `${sums.worse}; a model is found in ${sums.foundWith}, without in ${sums.foundWithout}`,
);
