/**
 * A study: what a search is about, checked and complete, as plain data that any thread can have.
 *
 * Everything that decides what a study's candidates, fits and scores are is in here; budgets,
 * workers and files are not.
 */

import {
  type AdamOptions,
  type Column,
  checkLoadOptions,
  checkMachineOptions,
  checkNames,
  checkSettings,
  expand,
  inputScaleProblem,
  makeError,
  NdvmError,
  namesOf,
  nearest,
  own,
  Random,
  read,
  recordOf,
  seedFor,
  targetScaleProblem,
} from "@ndvm/core";
import { latticeOf } from "./choice/yardstick.js";
import { DIGESTS_MAX } from "./digest.js";
import type {
  CandidateLimits,
  ColumnSummary,
  Keep,
  Recipe,
  Rung,
  SearchOptions,
  StudyBrief,
} from "./types.js";

/** Columns by name, all rows or some. */
export type Columns = Readonly<Record<string, Float64Array>>;

export interface Study {
  readonly target: string;
  readonly inputs: readonly string[];
  readonly train: Columns;
  readonly heldOut: Columns;
  readonly seed: number;
  readonly recipe: Recipe;
  readonly limits: Required<CandidateLimits>;
  /** Undefined: no limit was asked for. */
  readonly complexityMax: number | undefined;
  readonly operators: readonly string[];
  readonly precision: "f32" | "f64";
  readonly domain: "ieee" | "clamp";
  readonly description: string;
  /** Candidates in an epoch, epochs of each proposer in a round, and rounds under way at once. */
  readonly epoch: number;
  readonly slots: number;
  readonly lag: number;
  readonly keep: Keep;
  /** Islands of a proposer that breeds, where it does not say another number. */
  readonly islands: number;
}

/** What the chance of a place in a study is for. */
export const SEED_SPLIT = 1;
export const SEED_PROPOSER = 2;
export const SEED_FIT = 3;
export const SEED_SCREEN = 4;
export const SEED_EPOCH = 5;
export const SEED_FOLD = 6;

const COMPLEXITY_DEFAULT = 30;
const SAMPLE_ROWS = 12;

export const LIMITS: Required<CandidateLimits> = {
  screenSteps: 5_000,
  fitSteps: 50_000,
  sourceLength: 10_000,
  nesting: 1_000,
  parameters: 32,
  memory: 256 * 2 ** 20,
};

/** Arithmetic, a few curves, and the forms that branch and loop. */
export const OPERATORS: readonly string[] =
  "+ - * / square sqrt exp log sin cos tanh if let loop".split(" ");

/** Candidates in an epoch: fewer where fits take longer, since an epoch comes back as a whole. */
function epochFor(rows: number): number {
  return Math.max(4, Math.min(16, Math.round(32_000 / rows)));
}

/** Epochs of a proposer in a round, rounds under way, and islands: the same on every computer. */
const SLOTS = 16;
const LAG = 2;
const ISLANDS = 4;

/**
 * Many starts for a few steps, then the best of them to the end: most starts that win converge
 * soon, and those that take two hundred steps crawl along a valley and seldom win.
 */
const RUNGS: readonly Rung[] = [
  { restarts: 1, steps: 12, share: 1 },
  { restarts: 4, steps: 20, share: 0.25 },
  { restarts: 8, steps: 30, share: 0.25 },
  { restarts: 1, steps: 150, share: 0.5 },
];

/** The paper's recipe for its streams: 50 steps of Adam from one start near 0. */
export const paperRecipe: Recipe = {
  optimiser: "adam",
  adam: { rate: 0.05, beta1: 0.9, beta2: 0.999, epsilon: 1e-8 },
  rungs: [{ restarts: 1, steps: 50, share: 1 }],
  startDeviation: 0.3,
};

const SEARCH_NAMES = namesOf<SearchOptions>({
  data: 1,
  target: 1,
  inputs: 1,
  holdOut: 1,
  proposers: 1,
  budget: 1,
  workers: 1,
  archive: 1,
  keep: 1,
  resume: 1,
  seed: 1,
  recipe: 1,
  operators: 1,
  complexityMax: 1,
  precision: 1,
  domain: 1,
  description: 1,
  command: 1,
  signal: 1,
  epoch: 1,
  slots: 1,
  lag: 1,
  islands: 1,
  limits: 1,
});
const RECIPE_NAMES = namesOf<Recipe>({ optimiser: 1, adam: 1, rungs: 1, startDeviation: 1 });
const ADAM_NAMES = namesOf<AdamOptions>({ rate: 1, beta1: 1, beta2: 1, epsilon: 1 });
const RUNG_NAMES = namesOf<Rung>({ restarts: 1, steps: 1, share: 1 });
const LIMIT_NAMES = new Set(Object.keys(LIMITS));

export function makeStudy(options: SearchOptions): Study {
  checkNames("search", options, SEARCH_NAMES);
  const columns = readColumns(options);
  const { target } = options;
  const inputs = inputsOf(options, columns);
  const domain = options.domain ?? "ieee";
  const precision = options.precision ?? "f64";
  checkLoadOptions({ inputs, domain });
  checkMachineOptions({ precision });
  const description = options.description ?? "";
  if (typeof description !== "string")
    throw refuseOption("description", description, "it is a text");
  const rows = (own(columns, target) as Float64Array).length;
  const seed = checkInteger("seed", options.seed ?? 0, 0, Number.MAX_SAFE_INTEGER);
  const held = heldOutRows(options.holdOut ?? 0.25, rows, seed);
  const isHeld = new Uint8Array(rows);
  for (const row of held) isHeld[row] = 1;
  const trained = Array.from({ length: rows }, (_, row) => row).filter((row) => isHeld[row] === 0);
  const used = [...inputs, target];
  if (trained.length < 2 || held.length < 2)
    throw refuse(
      `${trained.length} ${trained.length === 1 ? "row is" : "rows are"} left to train on and ` +
        `${held.length} ${held.length === 1 ? "is" : "are"} held out`,
      "give more rows, or hold out another share of them; both parts need 2 at least",
    );
  const targets = own(columns, target) as Float64Array;
  if (targets.every((x) => x === targets[0]))
    throw refuse(
      `${target} is ${targets[0]} in every row: there is nothing to explain`,
      "choose another target",
    );
  const problem =
    targetScaleProblem(target, targets, precision, true) ??
    inputs
      .map((name) => inputScaleProblem(name, own(columns, name) as Float64Array, precision))
      .find((found) => found !== undefined);
  if (problem !== undefined) throw refuse(problem.message, problem.help ?? "");
  for (const [part, rowsOfPart] of [
    ["trained on", trained],
    ["held out", held],
  ] as const) {
    const numbers = rowsOfPart.map((row) => own(columns, target)?.[row]);
    if (numbers.every((x) => x === numbers[0]))
      throw refuse(
        `${target} is ${numbers[0]} in all rows that are ${part}`,
        "hold out other rows",
      );
  }
  return {
    target,
    inputs,
    train: pick(columns, used, trained),
    heldOut: pick(columns, used, held),
    seed,
    recipe: recipeOf(options.recipe === undefined ? {} : options.recipe, target),
    limits: limitsOf(options.limits),
    complexityMax:
      options.complexityMax === undefined
        ? undefined
        : checkInteger("complexityMax", options.complexityMax, 1, 1e6),
    operators: operatorsOf(options.operators),
    precision,
    domain,
    description,
    keep: keepOf(options.keep),
    ...orderOf(options, trained.length),
  };
}

/** How candidates are put in order: see docs/design/0019. */
function orderOf(
  options: SearchOptions,
  rows: number,
): Pick<Study, "epoch" | "slots" | "lag" | "islands"> {
  const order = {
    epoch: checkInteger("epoch", options.epoch ?? epochFor(rows), 1, 1e6),
    slots: checkInteger("slots", options.slots ?? SLOTS, 1, 1e6),
    lag: checkInteger("lag", options.lag ?? LAG, 1, 1000),
    islands: checkInteger("islands", options.islands ?? ISLANDS, 1, 1e4),
  };
  const underWay = order.epoch * order.slots * order.lag;
  if (underWay > DIGESTS_MAX / 2)
    throw refuse(
      `epoch × slots × lag is ${underWay}`,
      `so many candidates would be under way at once; it may be ${DIGESTS_MAX / 2}`,
    );
  return order;
}

/** What a proposer is told. */
export function briefFor(study: Study, place: number): StudyBrief {
  const rows = rowsOf(study.train);
  const step = Math.max(1, Math.floor(rows / SAMPLE_ROWS));
  const names = [...study.inputs, study.target];
  const sample = Array.from({ length: Math.min(SAMPLE_ROWS, rows) }, (_, i) =>
    recordOf(names.map((name) => [name, own(study.train, name)?.[i * step] as number])),
  );
  return {
    target: summarise(study.target, study.train),
    inputs: study.inputs.map((name) => withLattice(summarise(name, study.train), study)),
    rows,
    operators: operatorsBeside(study),
    islands: study.islands,
    complexityMax: study.complexityMax ?? COMPLEXITY_DEFAULT,
    seed: seedFor(study.seed, SEED_PROPOSER, place),
    sample,
    description: study.description,
  };
}

/** Words that forms are written with besides their own names. */
const WORDS: ReadonlyMap<string, readonly string[]> = new Map([
  ["if", ["<"]],
  ["loop", ["recur", "if", "=", "+"]],
]);

/** Without those whose words are names of inputs: an input cannot be called. */
function operatorsBeside({ operators, inputs }: Study): readonly string[] {
  const isFree = (name: string): boolean => !inputs.includes(name);
  return operators.filter((name) => [name, ...(WORDS.get(name) ?? [])].every(isFree));
}

export function rowsOf(columns: Columns): number {
  return Object.values(columns)[0]?.length ?? 0;
}

export const refuse = (message: string, help: string): NdvmError =>
  new NdvmError("E-OPTION", message, { help });

export const refuseOption = (option: string, value: unknown, expected: string): NdvmError =>
  makeError("E-OPTION", { reason: "option", option, actual: shown(value), expected });

/** A value in words; nothing of an object is called, so that none can fail in it. */
function shown(value: unknown): string {
  if (typeof value !== "object" || value === null) return String(value);
  return Array.isArray(value) ? "a list" : "an object";
}

export function checkInteger(name: string, value: unknown, least: number, most: number): number {
  const isGood = Number.isInteger(value) && (value as number) >= least && (value as number) <= most;
  if (isGood) return value as number;
  throw refuseOption(name, value, `it must be a whole number from ${least} to ${most}`);
}

export function positive(name: string, value: unknown): number {
  if (typeof value === "number" && value > 0) return value;
  throw refuseOption(name, value, "it must be a number above 0");
}

function readColumns(options: SearchOptions): Columns {
  const { data, target } = options;
  if (typeof data !== "object" || data === null)
    throw refuse("a search needs data", "give columns by name: data: { x: [1, 2], y: [3, 4] }");
  const names = Object.keys(data);
  if (typeof target !== "string" || !Object.hasOwn(data, target))
    throw refuse(
      `the data have no column ${String(target)} to predict`,
      `the columns are ${names.join(", ")}`,
    );
  const rows = own(data, target)?.length ?? 0;
  // A text would be taken for its letters.
  if (options.inputs !== undefined && !Array.isArray(options.inputs))
    throw refuseOption("inputs", options.inputs, "it must be a list of columns");
  const wanted = options.inputs === undefined ? names : [...options.inputs, target];
  const columnOf = (name: string): Float64Array => {
    if (Object.hasOwn(data, name)) return numbersOf(name, own(data, name) as Column, rows);
    throw refuse(`the data have no column ${name}`, `the columns are ${names.join(", ")}`);
  };
  return recordOf(wanted.map((name) => [name, columnOf(name)]));
}

function numbersOf(name: string, column: Column, rows: number): Float64Array {
  if (column.length !== rows)
    throw refuse(
      `column ${name} has ${column.length} rows, the target has ${rows}`,
      "columns must be of one length",
    );
  const bad = Array.prototype.findIndex.call(column, (x) => !Number.isFinite(x)) as number;
  if (bad >= 0)
    throw makeError(
      "E-OPTION",
      { reason: "infinite", column: name, rows: [bad], actual: String(column[bad]) },
      { help: "columns hold finite numbers; leave out rows without, or choose other inputs" },
    );
  return Float64Array.from(column as ArrayLike<number>);
}

function inputsOf(options: SearchOptions, columns: Columns): readonly string[] {
  const inputs = options.inputs ?? Object.keys(columns).filter((name) => name !== options.target);
  if (inputs.includes(options.target))
    throw refuse(`${options.target} is both target and input`, "leave it out of the inputs");
  if (inputs.length === 0)
    throw refuse("a search needs an input", "give a column besides the target");
  return [...new Set(inputs)];
}

function heldOutRows(
  holdOut: number | readonly number[],
  rows: number,
  seed: number,
): readonly number[] {
  if (typeof holdOut !== "number") {
    const held = [...new Set(holdOut)].sort((a, b) => a - b);
    for (const row of held) checkInteger("holdOut", row, 0, rows - 1);
    return held;
  }
  if (!(holdOut > 0 && holdOut < 1))
    throw refuseOption("holdOut", holdOut, "it is a share between 0 and 1, or rows");
  const count = Math.max(2, Math.round(rows * holdOut));
  const order = new Random(seedFor(seed, SEED_SPLIT)).shuffled(rows);
  return order.slice(0, count).sort((a, b) => a - b);
}

function pick(columns: Columns, names: readonly string[], rows: readonly number[]): Columns {
  return recordOf(
    names.map((name) => [
      name,
      Float64Array.from(rows, (row) => own(columns, name)?.[row] as number),
    ]),
  );
}

/** Forms of the language that a study may allow, besides procedures. */
const FORMS: ReadonlySet<string> = new Set(["if", "let", "loop"]);

function operatorsOf(given: readonly string[] = OPERATORS): readonly string[] {
  if (!Array.isArray(given))
    throw refuseOption("operators", given, "it is a list of procedures, if, let and loop");
  for (const name of given) {
    if (FORMS.has(name) || isProcedure(name)) continue;
    const near = nearest(name, OPERATORS);
    throw refuse(
      `there is no operator ${name}`,
      near === undefined
        ? "name procedures of the language, if, let or loop"
        : `did you mean ${near}?`,
    );
  }
  return [...new Set(given)];
}

/** A name that the language knows in operator position, with however many operands. */
function isProcedure(name: string): boolean {
  try {
    expand(read(`(${name} x)`));
    return true;
  } catch (error) {
    return error instanceof NdvmError && error.code === "E-ARITY";
  }
}

const KEEPS: readonly Keep[] = ["all", "scored", "front"];

function keepOf(given: Keep = "all"): Keep {
  if (KEEPS.includes(given)) return given;
  throw refuse(`the option keep is ${String(given)}`, `it is one of ${KEEPS.join(", ")}`);
}

function recipeOf(given: Partial<Recipe>, target: string): Recipe {
  checkNames("recipe", given, RECIPE_NAMES);
  const rungs = given.rungs ?? RUNGS;
  if (!Array.isArray(rungs)) throw refuseOption("recipe.rungs", rungs, "it is a list of rungs");
  if (rungs.length === 0) throw refuse("the recipe has no rungs", "give one rung at least");
  for (const [i, rung] of rungs.entries()) {
    checkNames(`recipe.rungs[${i}]`, rung, RUNG_NAMES);
    const { restarts, steps, share } = rung;
    checkInteger(`recipe.rungs[${i}].restarts`, restarts, 1, 1e6);
    checkInteger(`recipe.rungs[${i}].steps`, steps, 1, 1e9);
    if (!(share > 0 && share <= 1))
      throw refuseOption(`recipe.rungs[${i}].share`, share, "it is above 0 and at most 1");
  }
  const optimiser = given.optimiser ?? "lm";
  if (given.adam !== undefined && optimiser !== "adam")
    throw refuse("recipe.adam needs a fit by adam", 'give it: recipe: { optimiser: "adam", … }');
  checkFitting(given, target);
  return {
    optimiser,
    ...(given.adam === undefined ? {} : { adam: given.adam }),
    rungs,
    startDeviation: positive("recipe.startDeviation", given.startDeviation ?? 1),
  };
}

/** What every fit would refuse, one candidate after the other. */
function checkFitting({ optimiser, adam }: Partial<Recipe>, target: string): void {
  if (adam !== undefined) checkNames("recipe.adam", adam, ADAM_NAMES);
  const fitting = {
    target,
    ...(optimiser === undefined ? {} : { optimiser }),
    ...(adam === undefined ? {} : { adam }),
  };
  inWordsOfSearch(
    () => checkSettings(fitting),
    (option) => `recipe.${option}`,
  );
}

/** Runs a check of the library, whose errors then name an option as a search does. */
function inWordsOfSearch(check: () => void, nameOf: (option: string) => string): void {
  try {
    check();
  } catch (error) {
    const { facts, code } = error as NdvmError;
    if (code !== "E-OPTION" || facts.option === undefined) throw error;
    throw makeError(code, { ...facts, option: nameOf(facts.option) });
  }
}

function limitsOf(given: CandidateLimits = {}): Required<CandidateLimits> {
  checkNames("limits", given, LIMIT_NAMES);
  const limits = { ...LIMITS, ...given };
  for (const [name, value] of Object.entries(limits))
    checkInteger(`limits.${name}`, value, 1, 2 ** 32);
  inWordsOfSearch(
    () => checkMachineOptions({ memoryMax: limits.memory }),
    () => "limits.memory",
  );
  return limits;
}

function withLattice(summary: ColumnSummary, { train, heldOut }: Study): ColumnSummary {
  const { name } = summary;
  const lattice = latticeOf([own(train, name) as Float64Array, own(heldOut, name) as Float64Array]);
  return lattice === undefined ? summary : { ...summary, lattice };
}

function summarise(name: string, columns: Columns): ColumnSummary {
  const column = own(columns, name) as Float64Array;
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  let sum = 0;
  for (const x of column) {
    min = Math.min(min, x);
    max = Math.max(max, x);
    sum += x;
  }
  const mean = sum / column.length;
  let squares = 0;
  for (const x of column) squares += (x - mean) * (x - mean);
  return { name, min, max, mean, deviation: Math.sqrt(squares / column.length) };
}
