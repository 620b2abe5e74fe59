/**
 * From a command line to a problem for `fit`: the program, the rows of the data as columns, and the
 * options, with everything checked that only the command line knows about.
 */

import {
  type Column,
  type Data,
  type FitJson,
  type FitOptions,
  Machine,
  type ParameterOptions,
  type Program,
} from "@ndvm/core";
import { fileError } from "../delimited.js";
import { readInputs, splitAssignment, UsageError } from "../inputs.js";
import { loadProgram, readSource, type Source } from "../session.js";
import { readTextFile } from "../text-file.js";
import { type FitCommandOptions, parameterOptions, parseGroups, parseLoss } from "./options.js";
import { chooseRows, type Rows, textColumns } from "./rows.js";
import { type DataTable, readDataTable } from "./table.js";

export interface FitProblem {
  readonly machine: Machine;
  readonly program: Program;
  readonly source: Source;
  readonly table: DataTable | undefined;
  readonly rows: Rows | undefined;
  readonly targets: readonly string[];
  /** Columns that the program reads. */
  readonly columns: readonly string[];
  /** Data of the rows to fit to, and of those held out. */
  readonly data: Data;
  readonly heldOut: Data | undefined;
  /** What `fit` is called with, less what watches it. */
  readonly options: FitOptions;
  /** Milliseconds that reading the data took. */
  readonly readMilliseconds: number;
}

export async function openProblem(
  file: string | undefined,
  options: FitCommandOptions,
): Promise<FitProblem> {
  const params = parameterOptions(options);
  const groups = parseGroups(options.group);
  checkTogether(file, options);
  const source = await readSource(file, options);
  const began = performance.now();
  const table = await readData(options, groups?.by);
  const readMilliseconds = performance.now() - began;
  const machine = await Machine.create({
    precision: options.precision,
    ...(options.memory === undefined ? {} : { memoryMax: options.memory }),
  });
  const inputs = await readInputs(options.set, options.int);
  const names = [...(table?.names ?? []), ...Object.keys(params), ...Object.keys(inputs)];
  const program = loadProgram(machine, source, options, names);
  const targets = options.target ?? [];
  const columns = program.inputs.filter((name) => table?.has(name) === true);
  const sides = sideColumns(options, table);
  for (const target of targets) table?.numbers(target, ", which is to be the target");
  const rows =
    table === undefined
      ? undefined
      : await chooseRows(table, {
          numbers: [...new Set([...columns, ...targets, ...sides])],
          groups: groups?.by,
          where: options.where ?? [],
          holdOut: options.holdOut,
          missing: options.missing,
          seed: options.seed,
        });
  if (rows !== undefined) requireRows(rows, table as DataTable);
  const gather = (taken: Int32Array): Data =>
    table === undefined
      ? {}
      : gatherColumns(table, taken, [...columns, ...targets, ...sides], groups?.by);
  const data: Data = { ...gather(rows?.taken ?? new Int32Array(0)), ...constants(inputs, params) };
  const points = rows?.taken.length ?? 0;
  return {
    machine,
    program,
    source,
    table,
    rows,
    targets,
    columns,
    data,
    heldOut: rows !== undefined && rows.heldOut.length > 0 ? gather(rows.heldOut) : undefined,
    options: {
      data,
      params,
      ...(targets[0] === undefined ? {} : { target: targets[0] }),
      ...(groups === undefined ? {} : { groups }),
      ...lossOptions(machine, options, table, targets),
      ...sideOptions(options, table, points),
      ...plainOptions(options),
      ...(options.resume === undefined ? {} : { resume: await readResume(options.resume) }),
    },
    readMilliseconds,
  };
}

/** Options that make sense only with others. */
function checkTogether(file: string | undefined, options: FitCommandOptions): void {
  const needs = (key: keyof FitCommandOptions, other: keyof FitCommandOptions): void => {
    if (options[key] === undefined || options[other] !== undefined) return;
    throw new UsageError(`${optionText(key)} needs ${optionText(other)}`);
  };
  const withData = [
    "target",
    "where",
    "holdOut",
    "sigma",
    "weights",
    "group",
    "column",
    "na",
  ] as const;
  for (const key of withData) needs(key, "data");
  for (const key of ["holdOut", "loss", "sigma", "weights", "trials", "group", "x"] as const) {
    needs(key, "target");
  }
  if (options.sigma !== undefined && options.weights !== undefined) {
    throw new UsageError("--sigma and --weights both say how much rows count; give one of them");
  }
  if (options.data === "-" && options.eval === undefined && (file === undefined || file === "-")) {
    throw new UsageError("program and data both come from standard input; name a file for one");
  }
}

const optionText = (key: string): string =>
  `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

async function readData(
  options: FitCommandOptions,
  groups: string | undefined,
): Promise<DataTable | undefined> {
  if (options.data === undefined) return undefined;
  const renamed = (options.column ?? []).map((text) => splitAssignment(text, "--column"));
  return readDataTable(options.data, {
    texts: textColumns(options.where ?? [], options.holdOut, groups),
    missing: options.na ?? [],
    renamed: new Map(renamed),
  });
}

/** Columns that weigh or count; a plain number stands for itself. */
function sideColumns(options: FitCommandOptions, table: DataTable | undefined): string[] {
  return (["sigma", "weights", "trials"] as const).flatMap((key) => {
    const given = options[key];
    if (given === undefined || isPlainNumber(given, table)) return [];
    table?.numbers(given, `, which is to hold the ${key}`);
    return [given];
  });
}

const isPlainNumber = (text: string, table: DataTable | undefined): boolean =>
  table?.has(text) !== true && text.trim() !== "" && Number.isFinite(Number(text));

function sideOptions(
  options: FitCommandOptions,
  table: DataTable | undefined,
  points: number,
): Pick<FitOptions, "sigma" | "weights" | "trials"> {
  const side = (key: "sigma" | "weights" | "trials") => {
    const given = options[key];
    if (given === undefined) return {};
    const isNumber = isPlainNumber(given, table);
    return { [key]: isNumber ? new Float64Array(points).fill(Number(given)) : given };
  };
  return { ...side("sigma"), ...side("weights"), ...side("trials") };
}

function requireRows(rows: Rows, table: DataTable): void {
  if (rows.taken.length > 0) return;
  const reasons = [
    ...(rows.filtered > 0 ? [`${rows.filtered} do not pass --where`] : []),
    ...(rows.missing > 0 ? [`${rows.missing} have missing values`] : []),
  ];
  throw fileError(
    table.file,
    `no row is left of ${table.rowCount}${reasons.length > 0 ? `: ${reasons.join(", ")}` : ""}`,
    "check --where and --na",
  );
}

/**
 * The columns at some rows. Columns that nobody reads are there by name only, because `fit` compares
 * misspelt names with them.
 */
function gatherColumns(
  table: DataTable,
  rows: Int32Array,
  read: readonly string[],
  groups: string | undefined,
): Record<string, Column> {
  const unread = new Float64Array(rows.length);
  const isAll = rows.length === table.rowCount;
  const data: Record<string, Column> = {};
  for (const name of table.names) {
    if (name === groups) {
      const texts = table.texts(name);
      data[name] = Array.from(rows, (row) => texts[row] ?? "");
    } else if (read.includes(name)) {
      const numbers = table.numbers(name);
      data[name] = isAll ? numbers : Float64Array.from(rows, (row) => numbers[row] as number);
    } else data[name] = unread;
  }
  return data;
}

/** What --set and --int give. */
function constants(
  inputs: Awaited<ReturnType<typeof readInputs>>,
  params: Readonly<Record<string, ParameterOptions>>,
): Data {
  const data: Record<string, Data[string]> = {};
  for (const [name, value] of Object.entries(inputs)) {
    if (name in params) throw new UsageError(`${name} is both set and a parameter`);
    if (typeof value === "number" || ("kind" in value && value.kind !== "over")) data[name] = value;
    else {
      throw new UsageError(
        `--set ${name} spreads over lanes; give a number, '[1, 2]' for a vector, or a whole file`,
      );
    }
  }
  return data;
}

function lossOptions(
  machine: Machine,
  options: FitCommandOptions,
  table: DataTable | undefined,
  targets: readonly string[],
): Pick<FitOptions, "loss" | "huberWidth" | "isNegativeLogLikelihood"> {
  const loss = parseLoss(options.loss);
  const likelihood = options.likelihood === true ? { isNegativeLogLikelihood: true } : {};
  if (targets.length === 0) return likelihood;
  const width = options.huberWidth === undefined ? {} : { huberWidth: options.huberWidth };
  if (typeof loss === "string") return { loss, ...width, ...likelihood };
  const names = ["pred", ...(table?.names ?? [])];
  const program = loadProgram(machine, { text: loss.text, file: "--loss" }, options, names);
  return { loss: program, ...likelihood };
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
