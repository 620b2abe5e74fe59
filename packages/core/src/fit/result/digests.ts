/**
 * What a fit was of, as digests of its parts: a result is resumed only by a fit whose loss has the same parts.
 *
 * Everything that decides the loss counts, and nothing else does: not the order of columns, nor whether a
 * column is a typed array, nor columns that nothing reads.
 */

import type { Program } from "../../machine/program.js";
import type { Input } from "../../machine/types.js";
import { own } from "../../records.js";
import { SELECTOR, type Table } from "../data/columns.js";
import type { Problem } from "../fit.js";
import { Digest } from "../math/digest.js";
import type { Settings } from "../settings.js";

/** The parts, and how a fit with another one is called. */
const PARTS = {
  program: "another program",
  precision: "another precision",
  loss: "another loss",
  target: "another target",
  data: "other data",
  weights: "other weights",
  sigma: "other deviations (sigma)",
  trials: "other trials",
  groups: "other groups",
  parameters: "other bounds, scales or fixed values",
} as const;

export type ProblemDigests = Readonly<Record<keyof typeof PARTS, string>>;

const NONE = new Float64Array(0);
const names = Object.keys(PARTS) as readonly (keyof typeof PARTS)[];

/** The digests of a fit that is about to run, or has run. */
export function digestsOf(problem: Problem, settings: Settings): ProblemDigests {
  const { source, lossProgram, options, table } = problem;
  const told = (isAsked: boolean) => (d: Digest) => {
    for (const numbers of (isAsked ? table?.told : undefined) ?? []) d.addAll(numbers);
  };
  return {
    program: digest((d) => addProgram(d, source)),
    precision: digest((d) => d.addText(source.precision)),
    loss: digest((d) => {
      d.addText(settings.lossName);
      if (lossProgram !== undefined) addProgram(d, lossProgram);
      if (settings.lossName === "huber") d.add(options.huberWidth ?? 1);
      d.addText(options.isNegativeLogLikelihood === true ? "likelihood" : "");
    }),
    target: digest((d) => {
      for (const name of settings.targets) d.addText(name);
    }),
    data: digest((d) => {
      if (table === undefined) addInputs(d, problem);
      else addTable(d, problem, table);
    }),
    weights: digest(told(table?.hasSigma === false)),
    sigma: digest(told(table?.hasSigma === true)),
    // A trial a row is the default.
    trials: digest((d) => {
      const { trials = NONE } = table ?? {};
      d.addAll(trials.some((count) => count !== 1) ? trials : NONE);
    }),
    groups: digest((d) => {
      for (const group of table?.groups ?? []) d.addText(group);
      d.addAll(table?.rowGroups ?? []);
    }),
    parameters: digest((d) => addParameters(d, problem)),
  };
}

/** What one fit has other than a stored one; undefined where nothing is stored. */
export function differencesOf(now: ProblemDigests, stored: unknown): string[] | undefined {
  if (typeof stored !== "object" || stored === null) return undefined;
  return names
    .filter((name) => now[name] !== (stored as Partial<ProblemDigests>)[name])
    .map((name) => PARTS[name]);
}

function digest(write: (into: Digest) => void): string {
  const into = new Digest();
  write(into);
  return into.text;
}

function addProgram(into: Digest, program: Program): void {
  const { source, loadOptions } = program;
  into.addText(source);
  into.addText(loadOptions.domain ?? "ieee");
  into.addText(loadOptions.language ?? "scheme");
  for (const name of [...(loadOptions.inputs ?? [])].sort())
    if (isWord(program, name) && isUsed(program, name)) into.addText(name);
}

/** Whether a name has a meaning in the language, which only a declaration takes from it. */
const isWord = ({ parsed }: Program, name: string): boolean => parsed.builtins.includes(name);

/** Whether the text of a program has an input that may only have been declared. */
const isUsed = ({ loadOptions, parsed }: Program, name: string): boolean =>
  loadOptions.inputs?.includes(name) !== true || parsed.inputSpan(name) !== undefined;

function addTable(into: Digest, { source, lossProgram }: Problem, table: Table): void {
  const { rows, columns, others, target } = table;
  into.addAll(target);
  for (const [program, read] of [[source, columns] as const, [lossProgram, others] as const])
    for (const name of Object.keys(read).sort()) {
      if (name === SELECTOR || (program !== undefined && !isUsed(program, name))) continue;
      into.addText(name);
      into.addAll(own(read, name) as Float64Array, rows);
    }
}

function addInputs(into: Digest, { data, source }: Problem): void {
  for (const name of Object.keys(data).sort()) {
    if (!isUsed(source, name)) continue;
    into.addText(name);
    addInput(into, own(data, name) as Input);
  }
}

function addInput(into: Digest, input: Input): void {
  if (typeof input === "number") into.add(input);
  else if (!("kind" in input) || input.kind === "over") into.addText(JSON.stringify(input));
  else if (input.kind === "int") {
    into.addText("int");
    into.add(input.value);
  } else {
    into.addAll([input.rank, input.rows, input.cols]);
    into.addAll(input.data);
  }
}

function addParameters(into: Digest, { parameters }: Problem): void {
  for (const { label, input, lower, upper, isLog } of parameters.free) {
    into.addText(label);
    into.addText(input);
    into.addAll([lower, upper, isLog ? 1 : 0]);
  }
  for (const name of Object.keys(parameters.fixed).sort()) {
    into.addText(name);
    into.add(own(parameters.fixed, name) as number);
  }
}
