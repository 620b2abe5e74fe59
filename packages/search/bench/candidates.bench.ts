/**
 * Candidates a second of the default search, at 200 and 500 rows, on one and two workers.
 *
 *   npm run bench -- candidates
 *
 * Three tables: a damped wave with two inputs, one with noise, and a fraction of three inputs. Beside
 * the rate of the fastest second stand candidates for each second of processor time, all threads
 * together: on a computer that does other work, too, only these can be compared. Both are means over
 * the tables. The same candidates are run in every run, since budgets count them.
 */

import { Random } from "@ndvm/core";
import { printEnvironment } from "../../core/bench/support/environment.js";
import { amount } from "../../core/bench/support/settings.js";
import { count, note, section, table } from "../../core/bench/support/table.js";
import type { SearchData } from "../src/types.js";
import { time } from "./support/timed-search.js";

const CANDIDATES = amount(4000, 200);
const ROWS = amount([200, 500], [200]);
const WORKERS = [1, 2];

function tables(rows: number): readonly SearchData[] {
  const random = new Random(1);
  const even = Array.from({ length: rows }, (_, i) => 0.1 + (5 * i) / rows);
  const other = even.map((_, i) => 2 + 2 * Math.sin(1.7 * i));
  const drawn = () => even.map(() => 1 + 4 * random.uniform());
  const [a, b, c] = [drawn(), drawn(), drawn()];
  return [
    {
      x: even,
      z: other,
      y: even.map(
        (t, i) => 2 * Math.exp(-0.3 * t) * Math.cos(1.7 * t + 0.4) + 0.3 * (other[i] as number),
      ),
    },
    {
      x: even,
      y: even.map((t) => 3 * Math.exp(-0.5 * t) * Math.cos(3 * t) + 0.05 * random.normal()),
    },
    {
      ...{ a, b, c },
      y: a.map(
        (v, i) => (v * (b[i] as number)) / ((c[i] as number) ** 2 + 1) + 0.02 * random.normal(),
      ),
    },
  ];
}

async function rateOf(data: SearchData, workers: number) {
  const used = process.cpuUsage();
  const budget = { candidates: CANDIDATES };
  const { done, fastest, seconds } = await time(
    { data, target: "y", workers, seed: 1, budget },
    false,
  );
  const { user, system } = process.cpuUsage(used);
  const { candidates } = done.counts;
  return {
    fastest: Number.isNaN(fastest) ? candidates / seconds : fastest,
    perProcessor: (1e6 * candidates) / (user + system),
  };
}

const mean = (numbers: readonly number[]): number =>
  numbers.reduce((sum, each) => sum + each, 0) / numbers.length;

printEnvironment();
section(`Candidates a second: three tables, ${CANDIDATES} candidates each, no archive`);
const lines: string[][] = [];
for (const rows of ROWS)
  for (const workers of WORKERS) {
    const rates = [];
    for (const data of tables(rows)) rates.push(await rateOf(data, workers));
    lines.push([
      `${rows}`,
      `${workers}`,
      count(mean(rates.map(({ fastest }) => fastest))),
      count(mean(rates.map(({ perProcessor }) => perProcessor))),
    ]);
  }
table(["rows", "workers", "cand./s, fastest", "cand./s of processor"], lines);
note("the start of workers and the weighing of the front are part of the processor's time");
