/**
 * Feynman's laws of up to three inputs, from the corpus that NDVM_CORPUS names: 100 training rows and
 * 200 test rows, drawn uniformly from the ranges that the corpus gives.
 */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Machine } from "@ndvm/core";
import { complexityOf } from "../../src/complexity.js";
import type { SearchData } from "../../src/types.js";
import { generator, type Problem } from "./problems.js";

interface Law {
  readonly id: string;
  readonly scheme: string;
  readonly n_vars: number;
  readonly vars: readonly { readonly name: string; readonly low: number; readonly high: number }[];
}

const TRAIN = 100;
const TEST = 200;
const INPUTS_MOST = 3;

/** Undefined where there is no corpus. */
export async function feynmanProblems(): Promise<readonly Problem[] | undefined> {
  const corpus = process.env["NDVM_CORPUS"];
  const file = corpus === undefined ? "" : join(corpus, "sr_benchmarks", "feynman.json");
  if (!existsSync(file)) return undefined;
  const laws = JSON.parse(readFileSync(file, "utf8")) as readonly Law[];
  const machine = await Machine.create();
  const made = laws
    .filter(({ n_vars }) => n_vars <= INPUTS_MOST)
    .map((law) => problemOf(law, machine));
  machine.dispose();
  return made;
}

function problemOf({ id, scheme, vars }: Law, machine: Machine): Problem {
  const inputs = vars.map(({ name }) => name);
  const program = machine.load(scheme, { inputs });
  const random = generator([...id].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7));
  const rows = (count: number): SearchData => {
    const data: Record<string, number[]> = {};
    for (const { name, low, high } of vars) {
      data[name] = Array.from({ length: count }, () => low + (high - low) * random());
    }
    const y = [...program.evaluate(data).values];
    return { ...data, y };
  };
  const problem: Problem = {
    name: id,
    truth: scheme,
    needs: "",
    complexity: complexityOf(scheme, inputs),
    train: rows(TRAIN),
    test: rows(TEST),
    inputs,
  };
  program.dispose();
  return problem;
}
