/**
 * What islands gain by hearing of each other: the same searches, on the same seeds, with migration,
 * with parents from the best of all islands, with both and with neither.
 *
 *   npm run bench -- migration                          the default against no migration
 *   npm run bench -- migration --set=held-out           other laws: to check what the first suggest
 *   npm run bench -- migration --set=hard --candidates=60000   as many as 15 seconds on two cores
 *   npm run bench -- migration --arms=both,alone        any of: both, parents, migrants, alone
 *   npm run bench -- migration --every=1000             another pace of migration
 *   npm run bench -- migration --seeds=12 --workers=16
 *
 * Results do not depend on the number of workers. 12,000 candidates are 3 seconds on two cores,
 * 60,000 are 15. A law is found when a program leaves a millionth of the training variance; a search
 * ends there. Shares have Wilson's intervals of 95 %. Searches on one law and seed are a pair. p is
 * that of a two-sided sign test over pairs in which one search found the law sooner; "needs" is how
 * many times as many candidates a search needs as the first arm's (geometric mean and 95 %).
 */

import { printEnvironment } from "../../core/bench/support/environment.js";
import { amount } from "../../core/bench/support/settings.js";
import { count, note, section, short, table } from "../../core/bench/support/table.js";
import { type EvolveOptions, evolve, search } from "../src/index.js";
import { signTest, wilson } from "./support/choice-judge.js";
import {
  type MigrationSet,
  type MigrationTable,
  migrationTables,
} from "./support/migration-tables.js";

const option = (name: string, otherwise: string): string =>
  process.argv.find((text) => text.startsWith(`--${name}=`))?.slice(name.length + 3) ?? otherwise;

const CANDIDATES = Number(option("candidates", amount("12000", "300")));
const WORKERS = Number(option("workers", "2"));
const SEEDS = Number(option("seeds", amount("6", "1")));
const SET = option("set", "chosen") as MigrationSet;
const every = option("every", "");
const migrates: EvolveOptions = every === "" ? {} : { migrateEvery: Number(every) };

const FOUND = 1e-6;

/** In which ways islands hear of each other. */
const ways: Readonly<Record<string, EvolveOptions>> = {
  both: migrates,
  parents: { migrateEvery: 0 },
  migrants: { ...migrates, bestShare: 0 },
  alone: { migrateEvery: 0, bestShare: 0 },
};
const arms = option("arms", "both,parents").split(",");
for (const arm of arms)
  if (!Object.hasOwn(ways, arm)) throw new Error(`--arms: ${arm} is none of ${Object.keys(ways)}`);

/** Candidates until the law was found; Infinity where it was not. */
async function run({ data }: MigrationTable, seed: number, arm: string): Promise<number> {
  const proposers = [evolve(ways[arm])];
  const budget = { candidates: CANDIDATES };
  let candidates = 0;
  const options = { data, target: "y", seed, proposers, budget, workers: WORKERS };
  for await (const event of search(options)) {
    if (event.type !== "candidate") continue;
    candidates += 1;
    const { status, trainR2 } = event.outcome;
    if (status === "scored" && 1 - trainR2 <= FOUND) return candidates;
  }
  return Number.POSITIVE_INFINITY;
}

const at = (found: number): string => (Number.isFinite(found) ? count(found) : "–");

/** What a search is taken to have needed. */
const counted = (found: number): number => Math.min(found, 1.5 * CANDIDATES);

/** How many times as many candidates as the first arm's searches, and from where to where. */
function needs(found: readonly number[], first: readonly number[]): string {
  const logs = found.map((each, i) => Math.log(counted(each) / counted(first[i] as number)));
  const mean = logs.reduce((sum, each) => sum + each, 0) / logs.length;
  const squares = logs.reduce((sum, each) => sum + (each - mean) ** 2, 0);
  const half = 1.96 * Math.sqrt(squares / Math.max(1, logs.length - 1) / logs.length);
  const [low, middle, high] = [mean - half, mean, mean + half].map((each) => short(Math.exp(each)));
  return `${middle} (${low}–${high})`;
}

function summaryOf(arm: string, found: readonly number[], first: readonly number[]): string[] {
  const hits = found.filter(Number.isFinite).length;
  const [low, high] = wilson(hits, found.length).map((share) => Math.round(100 * share));
  const share = `${hits}/${found.length} (${low}–${high} %)`;
  if (arm === arms[0]) return [arm, share];
  const sooner = found.filter((each, i) => each < (first[i] as number)).length;
  const later = found.filter((each, i) => each > (first[i] as number)).length;
  const p = short(signTest(sooner, later));
  return [arm, share, needs(found, first), `${sooner}`, `${later}`, p];
}

printEnvironment();
const tables = migrationTables(SET).slice(0, amount(undefined, 2));
section(
  `Migration: ${count(CANDIDATES)} candidates, ${tables.length} laws (${SET}), ${SEEDS} seeds each`,
);
console.log(`${"law".padEnd(26)} seed  ${arms.map((arm) => arm.padStart(8)).join("  ")}`);
const found = new Map<string, number[]>(arms.map((arm) => [arm, []]));
for (let seed = 1; seed <= SEEDS; seed++)
  for (const each of tables) {
    const cells: string[] = [];
    for (const arm of arms) {
      const candidates = await run(each, seed, arm);
      found.get(arm)?.push(candidates);
      cells.push(at(candidates).padStart(8));
    }
    console.log(`${each.name.padEnd(26)} ${String(seed).padStart(4)}  ${cells.join("  ")}`);
  }
section(`Islands hear of each other by ${arms.join(", ")}`);
const first = found.get(arms[0] as string) as readonly number[];
table(
  ["by", "found", "needs", `sooner than ${arms[0]}`, "later", "p"],
  [...found].map(([arm, each]) => summaryOf(arm, each, first)),
);
note("a search that finds nothing counts as one that needs 1.5 times its candidates");
