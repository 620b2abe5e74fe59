/**
 * Recovery by `evolve`: the truth from data alone, three seeds each, and Feynman's laws of up to
 * three inputs where NDVM_CORPUS names them.
 *
 *   npm run bench -- recovery
 *   RECOVERY="Nguyen-6" npm run bench -- recovery        problems whose name contains this
 *   RECOVERY_FEYNMAN=0 npm run bench -- recovery         without Feynman's laws
 *   RECOVERY_WORKERS=0 npm run bench -- recovery         in one thread; results are the same
 *
 * A run may take 120 seconds of core time, which is a minute on two cores; on a computer that does
 * other work, too, the clock on the wall shows more. A law of Feynman's may take 20. With --quick one
 * problem and one law are run.
 */

import { printEnvironment } from "../../core/bench/support/environment.js";
import { amount } from "../../core/bench/support/settings.js";
import { note, section } from "../../core/bench/support/table.js";
import { feynmanProblems } from "../test/evolve/feynman.js";
import { type Problem, problems } from "../test/evolve/problems.js";
import { type Recovery, recover } from "../test/evolve/recover.js";

const CORE_SECONDS = 120;
const FEYNMAN_SECONDS = 20;
const SEEDS = amount([1, 2, 3], [1]);
const WORKERS = Number(process.env["RECOVERY_WORKERS"] ?? 2);
const wanted = process.env["RECOVERY"] ?? "";
const hasFeynman = process.env["RECOVERY_FEYNMAN"] !== "0";

interface Run extends Recovery {
  readonly seed: number;
  readonly seconds: number;
  readonly coreSeconds: number;
}

async function run(problem: Problem, seed: number, coreSeconds: number): Promise<Run> {
  const used = process.cpuUsage();
  const began = performance.now();
  const cores = (): number => {
    const { user, system } = process.cpuUsage(used);
    return (user + system) / 1e6;
  };
  const isOver = () => cores() > coreSeconds;
  const recovery = await recover(problem, { seed, workers: WORKERS, budget: {}, isOver });
  return { ...recovery, seed, seconds: (performance.now() - began) / 1000, coreSeconds: cores() };
}

const titles = [
  "problem",
  "seed",
  "",
  "R²",
  "size",
  "most",
  "candidates",
  "s",
  "core s",
  "program",
];

const widths = [21, 4, 3, 8, 4, 4, 10, 6, 6, 0];

/** Runs take long, so each line is printed when its run ends. */
function printLine(cells: readonly string[]): void {
  const line = cells.map((cell, i) => {
    const width = widths[i] ?? 0;
    return i === 0 || width === 0 ? cell.padEnd(width) : cell.padStart(width);
  });
  console.log(line.join("  ").trimEnd());
}

function rowOf(problem: Problem, made: Run): string[] {
  const { found, best, seed, candidates, seconds, coreSeconds } = made;
  return [
    problem.name,
    `${seed}`,
    found === undefined ? "no" : "yes",
    (best?.r2 ?? Number.NaN).toFixed(6),
    `${best?.complexity ?? ""}`,
    `${2 * problem.complexity}`,
    `${candidates}`,
    seconds.toFixed(1),
    coreSeconds.toFixed(1),
    best?.source ?? "",
  ];
}

async function runAll(list: readonly Problem[], seeds: readonly number[], limit: number) {
  let [runs, recovered] = [0, 0];
  printLine(titles);
  for (const problem of list.filter(({ name }) => name.includes(wanted))) {
    for (const seed of seeds) {
      const made = await run(problem, seed, limit);
      runs += 1;
      if (made.found !== undefined) recovered += 1;
      printLine(rowOf(problem, made));
    }
  }
  note(`recovered: ${recovered} of ${runs} runs`);
}

printEnvironment();
section(
  "Recovery by evolve: held-out R² > 0.999 of the truth without noise, at most twice its size",
);
await runAll(amount(problems, problems.slice(-1)), SEEDS, CORE_SECONDS);

const laws = hasFeynman ? await feynmanProblems() : undefined;
if (laws !== undefined) {
  section("Feynman's laws of up to three inputs, one seed each");
  await runAll(amount(laws, laws.slice(0, 1)), [1], FEYNMAN_SECONDS);
}
