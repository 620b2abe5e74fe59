/**
 * The choice of a search: is the model that it chooses the law?
 *
 *   npm run bench -- choice                          the tuning set, 15 s a table on two cores
 *   npm run bench -- choice --set=final              tables that were not looked at while tuning
 *   npm run bench -- choice --seconds=5 --jobs=8     less time a table, so many tables at once
 *   npm run bench -- choice --only=waves --front     tables whose kind or name has this; whole fronts
 *   npm run bench -- choice --candidates=5000        so many candidates instead of seconds
 *   npm run bench -- choice --given                  the law is among the first programs: tests the
 *                                                    choice alone, in much less time
 *   npm run bench -- choice --json                   results as JSON, nothing else
 *
 * Tables are drawn by `--seed=1` from the corpus that NDVM_CORPUS names and from generators
 * (support/choice-tables.ts). A law of the corpus belongs to one of the sets by its name. While the
 * criterion was made, only tables of the tuning set were looked at.
 *
 * Found: a member of the front is the law, that is, it predicts rows without noise within the error
 * of a fit and is at most 1.5 times as large. Chosen: of those found, the choice is one. Beside it is
 * what other rules would have chosen from the same fronts. Shares have Wilson's intervals of 95 %.
 */

import { fork } from "node:child_process";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { printEnvironment } from "../../core/bench/support/environment.js";
import { amount, isQuick } from "../../core/bench/support/settings.js";
import { note, table as printTable, section } from "../../core/bench/support/table.js";
import { rules, wilson } from "./support/choice-judge.js";
import type { TableResult, TableTask } from "./support/choice-run.js";
import { hasCorpus, makeTables, type Table, type TableSet } from "./support/choice-tables.js";

const option = (name: string, otherwise: string): string =>
  process.argv.find((text) => text.startsWith(`--${name}=`))?.slice(name.length + 3) ?? otherwise;

const isJson = process.argv.includes("--json");
const showsFronts = process.argv.includes("--front");
const set = option("set", "tuning") as TableSet;
const seed = Number(option("seed", "1"));
const seconds = Number(option("seconds", amount("15", "1")));
const jobs = Number(option("jobs", `${Math.max(1, Math.floor(availableParallelism() / 2))}`));
const candidates = Number(option("candidates", "0"));
const isGiven = process.argv.includes("--given");
const workers = Number(option("workers", "2"));
const only = option("only", "");

const runner = fileURLToPath(new URL("support/choice-run.ts", import.meta.url));

function runTable(table: Table): Promise<TableResult> {
  const budget = candidates > 0 ? { candidates } : { seconds };
  const task: TableTask = { table, budget, workers, seed, isGiven };
  return new Promise((resolve, reject) => {
    const child = fork(runner, { serialization: "advanced" });
    child.once("message", (result) => resolve(result as TableResult));
    child.once("error", reject);
    child.once("exit", (code) =>
      reject(new Error(`${table.name}: its process ended with ${code}`)),
    );
    child.send(task);
  });
}

async function runAll(tables: readonly Table[]): Promise<readonly TableResult[]> {
  const results: TableResult[] = [];
  const waiting = [...tables];
  const work = async (): Promise<void> => {
    for (let table = waiting.shift(); table !== undefined; table = waiting.shift()) {
      const result = await runTable(table);
      results.push(result);
      if (!isJson) printResult(result);
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  return results;
}

function printResult(result: TableResult): void {
  const { name, kind, rows, inputs, noise, found, chosen, right, members } = result;
  const verdict = found === undefined ? "not found" : right["length"] ? "chosen" : "NOT CHOSEN";
  console.log(
    `${verdict.padEnd(10)} ${kind}: ${name} (${rows} rows, ${inputs} inputs, noise ${noise}; ` +
      `${result.candidates} candidates, ${members} members)`,
  );
  if (verdict !== "chosen") console.log(`  law     ${result.law}\n  chosen  ${chosen}`);
  if (verdict === "NOT CHOSEN") console.log(`  found   ${found}`);
  if (showsFronts) for (const member of result.front) console.log(`    ${member}`);
}

const share = (hits: number, of: number): string => {
  const [low, high] = wilson(hits, of);
  const percent = (value: number): string => `${Math.round(100 * value)}`;
  return of === 0 ? "–" : `${hits}/${of} (${percent(low)}–${percent(high)} %)`;
};

function rowOf(kind: string, results: readonly TableResult[]): readonly string[] {
  const found = results.filter((result) => result.found !== undefined);
  const chosen = (rule: string) => found.filter(({ right }) => right[rule]).length;
  return [
    kind,
    share(found.length, results.length),
    ...Object.keys(rules).map((rule) =>
      rule === "length" ? share(chosen(rule), found.length) : `${chosen(rule)}`,
    ),
  ];
}

const drawn = await makeTables(set, seed);
const wanted = drawn.filter(({ name, kind }) => `${kind}: ${name}`.includes(only));
const tables = isQuick ? wanted.filter(({ kind }) => kind === "waves").slice(0, 2) : wanted;
if (!isJson) {
  printEnvironment();
  section(
    `The choice of a search: ${tables.length} tables of the ${set} set, ${candidates > 0 ? `${candidates} candidates` : `${seconds} s`} each`,
  );
  if (!hasCorpus()) note("NDVM_CORPUS is not set: laws of generators only");
}
const results = await runAll(tables);
if (isJson)
  console.log(
    JSON.stringify({ set, seed, seconds, candidates, isGiven, workers, results }, null, 1),
  );
else {
  const kinds = [...new Set(results.map(({ kind }) => kind))].sort();
  printTable(
    ["kind", "found", "chosen of those", ...Object.keys(rules).slice(1)],
    [
      ...kinds.map((kind) =>
        rowOf(
          kind,
          results.filter((result) => result.kind === kind),
        ),
      ),
      rowOf("all", results),
    ],
  );
}
