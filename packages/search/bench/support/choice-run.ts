/**
 * One table of `choice.bench.ts` in a process of its own: searches, judges, answers.
 */

import { Machine } from "@ndvm/core";
import { type Budget, evolve, type FrontMember, type SearchDone, search } from "../../src/index.js";
import { isLaw, rules } from "./choice-judge.js";
import { TARGET, type Table } from "./choice-tables.js";

export interface TableTask {
  readonly table: Table;
  readonly budget: Budget;
  readonly workers: number;
  readonly seed: number;
  /** Whether the law is among the first programs, with its numbers to be fitted. */
  readonly isGiven: boolean;
}

export interface TableResult {
  readonly name: string;
  readonly kind: string;
  readonly rows: number;
  readonly inputs: number;
  readonly noise: number;
  readonly law: string;
  readonly candidates: number;
  readonly seconds: number;
  /** Members of the front, and the law among them; undefined where it is not there. */
  readonly members: number;
  readonly found: string | undefined;
  readonly chosen: string;
  /** By rule: whether it chooses the law. */
  readonly right: Readonly<Record<string, boolean>>;
  readonly front: readonly string[];
}

async function run({ table, budget, workers, seed, isGiven }: TableTask): Promise<TableResult> {
  let done: SearchDone | undefined;
  const proposers = [evolve({ seeds: isGiven ? [skeletonFor(table.law)] : [] })];
  const options = { target: TARGET, inputs: table.inputs, budget, workers, seed, proposers };
  for await (const event of search({ data: table.data, ...options }))
    if (event.type === "done") done = event;
  if (done === undefined) throw new Error("a search ends with an event that says so");
  const machine = await Machine.create();
  try {
    const { front } = done;
    const laws = new Set(front.filter((member) => isLaw(member, table, machine)));
    const right: Record<string, boolean> = {};
    for (const [name, rule] of Object.entries(rules)) {
      const member = rule(front, table.rows);
      right[name] = member !== undefined && laws.has(member);
    }
    const { name, kind, rows, noise, law } = table;
    const [found] = [...laws];
    return {
      name,
      kind,
      rows,
      inputs: table.inputs.length,
      noise,
      law,
      candidates: done.counts.candidates,
      seconds: done.seconds,
      members: front.length,
      found: found === undefined ? undefined : textOf(found),
      chosen: done.choice === undefined ? "" : textOf(done.choice),
      right,
      front: front.map((member) => `${laws.has(member) ? "*" : " "}${textOf(member)}`),
    };
  } finally {
    machine.dispose();
  }
}

/** A law whose numbers that are not whole are to be fitted; those of tests stay. */
function skeletonFor(law: string): string {
  let count = 0;
  return law.replace(
    /(?<=[\s(]|^)-?\d+(\d{3}|\.\d+(e[-+]?\d+)?|e[-+]?\d+)(?=[\s)]|$)/g,
    (text, ...rest) => {
      const at = rest.at(-2) as number;
      if (/\(< \S+ $/.test(law.slice(0, at))) return text;
      count += 1;
      return `c${count}`;
    },
  );
}

function textOf({
  source,
  params,
  length,
  parts,
  complexity,
  r2,
  trainR2,
  isWeighed,
}: FrontMember) {
  const numbers = Object.entries(params).map(([name, value]) => `${name}=${value.toPrecision(5)}`);
  const { data, constants, symbols, gaps } = parts;
  const bits = [data, constants, symbols, gaps].map((value) => value.toFixed(1)).join("+");
  const r2s = `${trainR2.toFixed(6)}/${r2.toFixed(6)}`;
  return `${complexity} ${isWeighed ? "" : "~"}${length.toFixed(1)}=${bits} ${r2s} ${source} ${numbers.join(" ")}`;
}

process.on("message", (task: TableTask) => {
  run(task).then(
    (result) => process.send?.(result, () => process.exit(0)),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});
