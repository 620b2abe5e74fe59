/**
 * Tables with known laws for `choice.bench.ts`, drawn by a seed.
 *
 * Laws come from the corpus that NDVM_CORPUS names (feynman, srsd, classic, strogatz) and from
 * generators here (waves, curves, units, branches, loops, none). Every law of the corpus belongs to
 * one of the two sets, tuning or final, by the hash of its name; generators draw other constants for
 * each. Rows, noise and the placing of rows are drawn, too.
 */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Machine, type Program, Random, seedFor } from "@ndvm/core";
import { complexityOf } from "../../src/complexity.js";
import { hashText } from "../../src/digest.js";
import { OPERATORS } from "../../src/study.js";

export type TableSet = "tuning" | "final";

export interface Table {
  readonly name: string;
  readonly kind: string;
  readonly law: string;
  readonly inputs: readonly string[];
  readonly size: number;
  readonly rows: number;
  /** Deviation of the noise, as a share of the target's and in its units. */
  readonly noise: number;
  readonly sigma: number;
  /** Numbers of the law, and one more: what a fit of it would find. */
  readonly constants: number;
  readonly data: Readonly<Record<string, Float64Array>>;
  /** Rows without noise on which models are compared with the law, and the law's values there. */
  readonly grid: Readonly<Record<string, Float64Array>>;
  readonly truth: Float64Array;
}

interface Range {
  readonly name: string;
  readonly low: number;
  readonly high: number;
  readonly isLog?: boolean;
  readonly hasSign?: boolean;
}

interface Law {
  readonly name: string;
  readonly kind: string;
  readonly law: string;
  readonly vars: readonly Range[];
  /** Rows at least and at most, and noises, where the kind does not decide. */
  readonly rows?: readonly [number, number];
  readonly noises?: readonly number[];
  /** 1: evenly spaced rows. */
  readonly isEven?: boolean;
}

/** The column to explain; laws have inputs called y. */
export const TARGET = "explained";

const GRID = 400;
const NOISES = [0, 0, 0.01, 0.03, 0.1, 0.2, 0.3];
const ROWS_LEAST = 8;
const ROWS_MOST = 20_000;
/** Laws that are larger than what `evolve` breeds by default are left out. */
const SIZE_MOST = 30;
/** Tables of each kind in a set. */
const COUNTS: Readonly<Record<string, number>> = {
  feynman: 7,
  srsd: 5,
  classic: 7,
  strogatz: 3,
  waves: 6,
  curves: 6,
  branches: 3,
  loops: 2,
  none: 4,
};

export async function makeTables(set: TableSet, seed: number): Promise<readonly Table[]> {
  const machine = await Machine.create();
  const tables: Table[] = [];
  try {
    for (const [kind, count] of Object.entries(COUNTS)) {
      const draws = new Random(seedFor(seed, set === "final" ? 2 : 1, hashText(kind)));
      const laws = lawsOf(kind, set, draws, 4 * count);
      for (const law of laws) {
        if (tables.filter((table) => table.kind === kind).length >= count) break;
        const table = tableOf(law, draws, machine);
        if (table !== undefined) tables.push(table);
      }
    }
  } finally {
    machine.dispose();
  }
  return tables;
}

function lawsOf(kind: string, set: TableSet, draws: Random, count: number): readonly Law[] {
  const generate = generators.get(kind);
  if (generate !== undefined) return Array.from({ length: count }, (_, i) => generate(draws, i));
  const laws = corpusLaws(kind).filter(
    ({ name }) => (hashText(name) % 2 === 0) === (set === "tuning"),
  );
  return draws.shuffled(laws.length).map((i) => laws[i] as Law);
}

function tableOf(law: Law, draws: Random, machine: Machine): Table | undefined {
  const inputs = law.vars.map(({ name }) => name);
  const size = complexityOf(law.law, inputs);
  if (size > SIZE_MOST) return undefined;
  const program = machine.load(law.law, { inputs });
  try {
    const [least, most] = law.rows ?? [Math.max(ROWS_LEAST, 6 * inputs.length), ROWS_MOST];
    const rows = Math.round(least * (most / least) ** (draws.uniform() ** 1.5));
    const noise = pick(law.noises ?? NOISES, draws);
    const isEven = law.isEven ?? (inputs.length === 1 && draws.uniform() < 0.5);
    const clean = columnsOf(law.vars, rows, isEven, draws);
    const y = valuesOf(program, clean, rows);
    const grid = columnsOf(law.vars, GRID, inputs.length === 1, draws);
    const truth = valuesOf(program, grid, GRID);
    const spread = deviation(y);
    const isConstant = law.kind === "none";
    if (![...y, ...truth].every(Number.isFinite) || !(spread > 0 || isConstant)) return undefined;
    if (new Set(y).size < 4 && !isConstant) return undefined;
    const sigma = isConstant ? Math.abs(y[0] as number) * 0.3 + 0.1 : noise * spread;
    const noisy = y.map((value) => value + (sigma === 0 ? 0 : sigma * draws.normal()));
    const { name, kind } = law;
    const constants = 1 + (law.law.match(/(?<=[\s(])-?\d+(\.\d+)?(e-?\d+)?/g)?.length ?? 0);
    const shared = { name, kind, law: law.law, inputs, size, rows, noise, sigma, constants };
    return { ...shared, data: { ...clean, [TARGET]: noisy }, grid, truth };
  } finally {
    program.dispose();
  }
}

const pick = <T>(of: readonly T[], draws: Random): T =>
  of[Math.floor(draws.uniform() * of.length)] as T;

function columnsOf(
  vars: readonly Range[],
  rows: number,
  isEven: boolean,
  draws: Random,
): Record<string, Float64Array> {
  const columns: Record<string, Float64Array> = {};
  for (const { name, low, high, isLog, hasSign } of vars) {
    columns[name] = Float64Array.from({ length: rows }, (_, i) => {
      const t = isEven ? i / (rows - 1) : draws.uniform();
      const value = isLog ? low * (high / low) ** t : low + (high - low) * t;
      return hasSign && draws.uniform() < 0.5 ? -value : value;
    });
  }
  return columns;
}

function valuesOf(
  program: Program,
  columns: Readonly<Record<string, Float64Array>>,
  rows: number,
): Float64Array {
  const { values } = program.evaluate(columns);
  return values.length === rows ? values : new Float64Array(rows).fill(values[0] as number);
}

export function deviation(values: Float64Array): number {
  const mean = values.reduce((sum, y) => sum + y, 0) / values.length;
  return Math.sqrt(values.reduce((sum, y) => sum + (y - mean) ** 2, 0) / values.length);
}

// Generators of our own.

const between = (draws: Random, low: number, high: number): number =>
  Number((low + (high - low) * draws.uniform()).toPrecision(3));

const t = (low: number, high: number): readonly Range[] => [{ name: "t", low, high }];

function wave(draws: Random, i: number): Law {
  const rate = between(draws, 1.5, 6);
  const size = between(draws, 0.5, 8);
  const decay = between(draws, 0.1, 0.5);
  const phase = between(draws, 0.2, 1.4);
  const laws = [
    `(* ${size} (exp (* -${decay} t)) (cos (* ${rate} t)))`,
    `(* ${size} (sin (+ ${phase} (* ${rate} t))))`,
    `(+ ${size} (* ${phase} (cos (* ${rate} t))))`,
  ];
  const rows = (
    [
      [24, 60],
      [30, 200],
      [60, 400],
    ] as const
  )[i % 3] as readonly [number, number];
  return {
    name: `wave ${i}`,
    kind: "waves",
    law: laws[i % 3] as string,
    vars: t(0, 10),
    rows,
    noises: [0, 0.02, 0.1, 0.2],
    isEven: i % 2 === 0,
  };
}

/** Curves in units from 1e-18 to 1e12. */
function curve(draws: Random, i: number): Law {
  const unit = ["1", "1e-18", "1e12", "1000", "1e-6", "1"][i % 6] as string;
  const x = Number(["1", "1e6", "1e-9", "1", "1e3", "1"][i % 6]);
  const a = Number((Number(unit) * between(draws, 1, 9)).toPrecision(3));
  const k = Number((between(draws, 0.5, 2) / x).toPrecision(3));
  const middle = Number((x * between(draws, 3, 6)).toPrecision(3));
  const laws = [
    `(/ ${a} (+ 1 (exp (* -${k} (- t ${middle})))))`,
    `(* ${a} (exp (* -${k} t)))`,
    `(/ (* ${a} t) (+ ${middle} t))`,
    `(* ${a} (sqrt t))`,
    `(+ ${a} (* ${Number((a * k).toPrecision(3))} t))`,
    `(* ${a} (log (+ 1 (* ${k} t))))`,
  ];
  return {
    name: `curve ${i}`,
    kind: "curves",
    law: laws[i % 6] as string,
    vars: [{ name: "t", low: 0.05 * x, high: 10 * x }],
    rows: i % 2 === 0 ? [8, 24] : [20, 2000],
    noises: [0, 0.01, 0.05, 0.1],
  };
}

function branch(draws: Random, i: number): Law {
  const at = between(draws, 3, 7);
  const [a, b] = [between(draws, 1, 4), between(draws, 0.3, 2)];
  const laws = [
    `(if (< t ${at}) (* ${b} t) ${a})`,
    `(if (< t ${at}) ${a} (+ ${a} (* ${b} (- t ${at}))))`,
    `(if (< t ${at}) (square t) (* ${b} t))`,
  ];
  return {
    name: `branch ${i}`,
    kind: "branches",
    law: laws[i % 3] as string,
    vars: t(0, 10),
    rows: [40, 400],
    noises: [0, 0.02, 0.05],
  };
}

function turning(draws: Random, i: number): Law {
  const r = between(draws, 1.6, 2.4);
  const turns = 3 + (i % 2);
  return {
    name: `loop ${i}`,
    kind: "loops",
    law: `(loop ((s t) (k 0)) (if (= k ${turns}) s (recur (* ${r} s (- 1 s)) (+ k 1))))`,
    vars: t(0.05, 0.95),
    rows: [60, 300],
    noises: [0, 0.02],
  };
}

function nothing(draws: Random, i: number): Law {
  const inputs = 1 + (i % 3);
  return {
    name: `no law ${i}`,
    kind: "none",
    law: `${between(draws, -5, 5)}`,
    vars: Array.from({ length: inputs }, (_, at) => ({ name: `x${at}`, low: 0, high: 10 })),
    rows: (
      [
        [8, 20],
        [40, 120],
        [300, 2000],
        [20, 60],
      ] as const
    )[i % 4] as readonly [number, number],
  };
}

const generators: ReadonlyMap<string, (draws: Random, i: number) => Law> = new Map([
  ["waves", wave],
  ["curves", curve],
  ["branches", branch],
  ["loops", turning],
  ["none", nothing],
]);

// Laws of the corpus.

interface CorpusLaw {
  readonly id: string;
  readonly scheme?: string;
  readonly scheme_rhs?: readonly string[];
  readonly vars?: readonly (string | (Range & { readonly sampling?: string; sign?: string }))[];
  readonly n_vars?: number;
  readonly constraints?: readonly unknown[];
  readonly train_spec?: Readonly<Record<string, Readonly<Record<string, readonly number[]>>>>;
}

const FILES: Readonly<Record<string, string>> = {
  feynman: "feynman.json",
  srsd: "srsd_feynman.json",
  classic: "classic_sr.json",
  strogatz: "strogatz.json",
};

export const hasCorpus = (): boolean => existsSync(fileOf("feynman"));

const fileOf = (kind: string): string =>
  join(process.env["NDVM_CORPUS"] ?? "", "sr_benchmarks", FILES[kind] ?? "");

function corpusLaws(kind: string): readonly Law[] {
  if (!hasCorpus()) return [];
  const read = JSON.parse(readFileSync(fileOf(kind), "utf8")) as
    | readonly CorpusLaw[]
    | { readonly problems: readonly CorpusLaw[] };
  const laws = "problems" in read ? read.problems : read;
  return laws.flatMap((law) => lawsOfEntry(law, kind)).filter(({ law }) => canBreed(law));
}

function lawsOfEntry(law: CorpusLaw, kind: string): readonly Law[] {
  if (kind === "strogatz")
    return (law.scheme_rhs ?? []).map((scheme, i) => ({
      name: `${law.id} ${i + 1}`,
      kind,
      law: scheme,
      vars: (law.vars ?? []).map((name) => ({ name: name as string, low: 0.5, high: 5 })),
    }));
  if ((law.constraints ?? []).length > 0 || law.scheme === undefined) return [];
  const vars =
    kind === "classic" ? classicVars(law) : ((law.vars ?? []) as readonly Range[]).map(rangeOf);
  const isGood = vars.length >= 1 && vars.length <= 8;
  return isGood ? [{ name: `${kind} ${law.id}`, kind, law: law.scheme, vars }] : [];
}

function rangeOf(range: Range & { readonly sampling?: string; readonly sign?: string }): Range {
  const { name, low, high, sampling = "", sign = "" } = range;
  return { name, low, high, isLog: sampling.startsWith("log"), hasSign: sign.includes("prob") };
}

function classicVars({ train_spec: spec = {}, n_vars = 0 }: CorpusLaw): readonly Range[] {
  return Array.from({ length: n_vars }, (_, i) => {
    const name = `x${i + 1}`;
    const [low = 0, high = 1] = Object.values(spec[name] ?? spec["all"] ?? {})[0] ?? [];
    return { name, low, high };
  });
}

/** Whether a law is made of what `evolve` breeds by default, and of powers that products stand for. */
function canBreed(law: string): boolean {
  const names = law.match(/(?<=\()[^\s()]+/g) ?? [];
  return names.every((name) => OPERATORS.includes(name) || name === "expt");
}
