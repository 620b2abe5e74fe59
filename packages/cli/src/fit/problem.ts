/**
 * From a command line to a problem for `fit`: the program, the rows of the data as columns, and the
 * options, with everything checked that only the command line knows about.
 */

import {
  type Column,
  type Data,
  emptyRecord,
  type FitJson,
  type FitOptions,
  Machine,
  type ParameterOptions,
  type Program,
  recordOf,
} from "@ndvm/core";
import type { Table } from "@ndvm/tables";
import { readTableFile } from "@ndvm/tables/node";
import { readInputs, type SetInputs, splitAssignment, UsageError } from "../inputs.js";
import { loadProgram, readSource, type Source } from "../loaded.js";
import { tableOptions } from "../table-options.js";
import { fileError, readTextFile } from "../text-file.js";
import { type FitCommandOptions, parameterOptions, parseGroups, parseLoss } from "./options.js";
import { chooseRows, type Rows, textColumns } from "./rows.js";
import { sideColumns, sideOptions } from "./sides.js";

export interface FitProblem {
  readonly machine: Machine;
  readonly program: Program;
  readonly source: Source;
  readonly table: Table | undefined;
  readonly rows: Rows | undefined;
  readonly targets: readonly string[];
  /** Columns that the program reads. */
  readonly columns: readonly string[];
  /** Data of the rows to fit to, and of those held out. */
  readonly data: Data;
  readonly heldOut: Data | undefined;
  /** What `fit` is called with, less what watches it. */
  readonly options: FitOptions;
  /** The same with the rows that are held out; undefined where none are. */
  readonly heldOutOptions: FitOptions | undefined;
  /** Milliseconds that reading the data took. */
  readonly readMilliseconds: number;
}

export async function openProblem(
  file: string | undefined,
  options: FitCommandOptions,
): Promise<FitProblem> {
  parameterOptions(options);
  parseLoss(options.loss);
  checkTogether(file, options);
  const source = await readSource(file, options);
  const began = performance.now();
  const table = await readData(options);
  const readMilliseconds = performance.now() - began;
  const machine = await Machine.create({
    precision: options.precision,
    ...(options.memory === undefined ? {} : { memoryMax: options.memory }),
  });
  try {
    return { ...(await assemble(machine, source, table, options)), readMilliseconds };
  } catch (error) {
    machine.dispose();
    throw error;
  }
}

async function assemble(
  machine: Machine,
  source: Source,
  table: Table | undefined,
  options: FitCommandOptions,
): Promise<Omit<FitProblem, "readMilliseconds">> {
  const inputs = await readInputs(options.set, options.int);
  const targets = options.target ?? [];
  const params = { ...parameterOptions(options), ...fixedNumbers(inputs, targets, options) };
  const names = [...Object.keys(params), ...Object.keys(inputs)];
  const program = loadProgram(machine, source, options, names, table?.names);
  const columns = program.inputs.filter((name) => table?.has(name) === true);
  const loss = lossOptions(machine, options, table, targets);
  const chosen = table && (await chooseData(table, options, targets, columns, loss.loss));
  const groups = parseGroups(options.group);
  const data: Data = { ...chosen?.data, ...tensors(inputs, targets) };
  const common: FitOptions = {
    params,
    ...(targets[0] === undefined ? {} : { target: targets.length > 1 ? targets : targets[0] }),
    ...(groups === undefined ? {} : { groups }),
    ...loss,
    ...plainOptions(options),
  };
  const { rows, heldOut } = chosen ?? { rows: undefined, heldOut: undefined };
  const sidesOf = (some: Int32Array | undefined) =>
    table && some ? sideOptions(options, table, some.length) : {};
  const fitOptions: FitOptions = {
    ...common,
    data,
    ...sidesOf(rows?.taken),
    ...(options.resume === undefined ? {} : { resume: await readResume(options.resume) }),
  };
  const heldOutOptions = heldOut && { ...common, data: heldOut, ...sidesOf(rows?.heldOut) };
  const given = { machine, program, source, table, targets, columns };
  return { ...given, rows, data, heldOut, options: fitOptions, heldOutOptions };
}

/** The rows and columns that the fit needs. */
async function chooseData(
  table: Table,
  options: FitCommandOptions,
  targets: readonly string[],
  columns: readonly string[],
  loss: FitOptions["loss"],
): Promise<{ rows: Rows; data: Record<string, Column>; heldOut: Data | undefined }> {
  for (const target of targets) table.numbers(target, ", which is to be the target");
  if (options.x !== undefined) table.numbers(options.x, ", which is to be the axis (--x)");
  const sides = [...sideColumns(options, table), ...lossColumns(loss, table)];
  const groups = parseGroups(options.group)?.by;
  const rows = await chooseRows(table, {
    numbers: [...new Set([...columns, ...targets, ...sides])],
    groups,
    where: options.where ?? [],
    holdOut: options.holdOut,
    missing: options.missing,
    seed: options.seed,
  });
  requireRows(rows, table);
  if (groups !== undefined) requireSeenGroups(table.texts(groups), rows);
  const read = [...columns, ...targets, ...sides, options.x ?? ""];
  const gather = (some: Int32Array): Record<string, Column> =>
    gatherColumns(table, some, read, groups);
  return {
    rows,
    data: gather(rows.taken),
    heldOut: rows.heldOut.length > 0 ? gather(rows.heldOut) : undefined,
  };
}

const WITH_DATA = [
  "target",
  "where",
  "holdOut",
  "sigma",
  "weights",
  "group",
  "column",
  "na",
] as const;
const WITH_TARGET = ["holdOut", "loss", "sigma", "weights", "trials", "group", "x"] as const;

/** Options that make sense only with others. */
function checkTogether(file: string | undefined, options: FitCommandOptions): void {
  const needs = (key: keyof FitCommandOptions, other: keyof FitCommandOptions): void => {
    if (options[key] === undefined || options[other] !== undefined) return;
    throw new UsageError(`${optionText(key)} needs ${optionText(other)}`);
  };
  for (const key of WITH_DATA) needs(key, "data");
  for (const key of WITH_TARGET) needs(key, "target");
  needs("exportGroup", "group");
  const loss = parseLoss(options.loss);
  const unless = (has: boolean, key: keyof FitCommandOptions, other: string): void => {
    if (options[key] !== undefined && !has)
      throw new UsageError(`${optionText(key)} needs ${other}`);
  };
  unless(loss === "binomial", "trials", "--loss binomial");
  unless(loss === "huber", "huberWidth", "--loss huber");
  unless(loss !== "absolute", "likelihood", "a loss other than absolute, which has no errors");
  unless(options.optimiser === "adam", "rate", "--optimiser adam");
  if (options.sigma !== undefined && options.weights !== undefined) {
    throw new UsageError("--sigma and --weights both say how much rows count; give one of them");
  }
  if (options.data === "-" && options.eval === undefined && (file === undefined || file === "-")) {
    throw new UsageError("program and data both come from standard input; name a file for one");
  }
}

const optionText = (key: string): string =>
  `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

async function readData(options: FitCommandOptions): Promise<Table | undefined> {
  if (options.data === undefined) return undefined;
  const renamed = (options.column ?? []).map((text) => splitAssignment(text, "--column"));
  return readTableFile(options.data, {
    texts: textColumns(options.where ?? [], options.holdOut, parseGroups(options.group)?.by),
    missing: options.na ?? [],
    renamed: new Map(renamed),
    ...tableOptions(options),
  });
}

function requireRows(rows: Rows, table: Table): void {
  if (rows.taken.length > 0) return;
  const reasons = [
    ...(rows.filtered > 0 ? [`${rows.filtered} do not pass --where`] : []),
    ...(rows.missing > 0 ? [`${rows.missing} have missing values`] : []),
  ];
  throw fileError(
    table.name,
    `no row is left of ${table.rowCount}${reasons.length > 0 ? `: ${reasons.join(", ")}` : ""}`,
    "check --where and --na",
  );
}

/** A group that is held out as a whole has no parameters to be predicted with. */
function requireSeenGroups(groups: readonly string[], rows: Rows): void {
  const seen = new Set(Array.from(rows.taken, (row) => groups[row]));
  const odd = rows.heldOut.find((row) => !seen.has(groups[row]));
  if (odd === undefined) return;
  throw new UsageError(`--hold-out leaves no row of the group ${groups[odd]} to fit to`);
}

/**
 * The columns at some rows. Columns that nobody reads are there by name only, because `fit`
 * compares misspelt names with them.
 */
function gatherColumns(
  table: Table,
  rows: Int32Array,
  read: readonly string[],
  groups: string | undefined,
): Record<string, Column> {
  const unread = new Float64Array(rows.length);
  const isAll = rows.length === table.rowCount;
  const columnOf = (name: string): Column => {
    if (name === groups) {
      const texts = table.texts(name);
      return Array.from(rows, (row) => texts[row] ?? "");
    }
    if (!read.includes(name)) return unread;
    const numbers = table.numbers(name);
    return isAll ? numbers : Float64Array.from(rows, (row) => numbers[row] as number);
  };
  // A column may be called __proto__, too.
  return recordOf(table.names.map((name) => [name, columnOf(name)]));
}

/** Numbers that --set gives: parameters that are not fitted. */
function fixedNumbers(
  inputs: SetInputs,
  targets: readonly string[],
  options: FitCommandOptions,
): Record<string, ParameterOptions> {
  const params = parameterOptions(options);
  const fixed: Record<string, ParameterOptions> = emptyRecord();
  for (const [name, value] of Object.entries(inputs)) {
    if (Object.hasOwn(params, name)) throw new UsageError(`${name} is both set and a parameter`);
    if (typeof value === "number") fixed[name] = { fixed: value };
    else if (!("kind" in value) || value.kind === "over") {
      throw new UsageError(
        `--set ${name} has a value for each lane; give a number, '[1, 2]' for a vector, or a whole file`,
      );
    } else if (targets.length > 0) {
      throw new UsageError(
        `${name} is ${value.kind === "int" ? "a structural integer" : "a vector or matrix"}, ` +
          "which a fit with --target does not take; write it into the program",
      );
    }
  }
  return fixed;
}

/** Vectors, matrices and structural integers, for a program whose value is the loss. */
function tensors(inputs: SetInputs, targets: readonly string[]): Data {
  const data: Record<string, Data[string]> = emptyRecord();
  if (targets.length > 0) return data;
  for (const [name, value] of Object.entries(inputs)) {
    if (typeof value === "object" && "kind" in value && value.kind !== "over") data[name] = value;
  }
  return data;
}

function lossOptions(
  machine: Machine,
  options: FitCommandOptions,
  table: Table | undefined,
  targets: readonly string[],
): Pick<FitOptions, "loss" | "huberWidth" | "isNegativeLogLikelihood"> {
  const loss = parseLoss(options.loss);
  const likelihood = options.likelihood === true ? { isNegativeLogLikelihood: true } : {};
  if (targets.length === 0) return likelihood;
  const width = options.huberWidth === undefined ? {} : { huberWidth: options.huberWidth };
  if (typeof loss === "string") return { loss, ...width, ...likelihood };
  const text = { text: loss.text, file: "--loss" };
  const program = loadProgram(machine, text, options, [], table?.names);
  return { loss: program, ...likelihood };
}

/** Columns that a loss of the user's own reads. */
function lossColumns(loss: FitOptions["loss"], table: Table): string[] {
  if (loss === undefined || typeof loss === "string") return [];
  return loss.inputs.filter((name) => name !== "pred" && table.has(name));
}

function plainOptions(options: FitCommandOptions): FitOptions {
  return {
    optimiser: options.optimiser,
    restarts: options.restarts,
    seed: options.seed,
    ...(options.steps === undefined ? {} : { steps: options.steps }),
    ...(options.time === undefined ? {} : { timeMax: options.time }),
    ...(options.together === undefined ? {} : { together: options.together }),
    ...(options.level === undefined ? {} : { level: options.level }),
    ...(options.rate === undefined ? {} : { adam: { rate: options.rate } }),
  };
}

async function readResume(file: string): Promise<FitJson> {
  const text = await readTextFile(file);
  try {
    const json = JSON.parse(text) as FitJson;
    if (json.version === 1) return json;
  } catch {
    // The error below says it.
  }
  throw fileError(file, "this is not the result of a fit", "give a file that --out wrote");
}
