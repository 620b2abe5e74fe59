/** The options of `ndvm fit`, and how those that describe parameters become what `fit` takes. */

import {
  type Domain,
  nearest,
  type Optimiser,
  type ParameterOptions,
  type Precision,
  recordOf,
  shellWord,
} from "@ndvm/core";
import { type DateUnit, parseNumber } from "@ndvm/tables";
import { type Command, InvalidArgumentError, Option } from "commander";
import { splitAssignment, UsageError } from "../inputs.js";
import { collect, parseCount, parseDuration, parseNames, parseSize } from "../options.js";
import { DATA_HELP, datesOption } from "../table-options.js";

export interface FitCommandOptions {
  readonly eval?: string;
  readonly data?: string;
  readonly target?: readonly string[];
  readonly likelihood?: boolean;
  readonly param?: readonly string[];
  readonly bound?: readonly string[];
  readonly fix?: readonly string[];
  readonly log?: readonly string[];
  readonly group?: string;
  readonly loss?: string;
  readonly huberWidth?: number;
  readonly sigma?: string;
  readonly weights?: string;
  readonly trials?: string;
  readonly where?: readonly string[];
  readonly holdOut?: string;
  readonly missing: "omit" | "error";
  readonly na?: readonly string[];
  readonly sheet?: string;
  readonly dates?: DateUnit | "words";
  readonly column?: readonly string[];
  readonly set?: readonly string[];
  readonly int?: readonly string[];
  readonly optimiser: Optimiser | "auto";
  readonly rate?: number;
  readonly steps?: number;
  readonly restarts: number;
  readonly seed: number;
  readonly time?: number;
  readonly together?: number;
  readonly level?: number;
  readonly precision: Precision;
  readonly domain: Domain;
  readonly memory?: number;
  readonly resume?: string;
  readonly json?: boolean;
  readonly out?: string;
  readonly report?: string;
  readonly export?: readonly string[];
  readonly exportGroup?: string;
  readonly x?: string;
  readonly plot?: boolean;
  readonly quiet?: boolean;
}

const collectNames = (text: string, previous: readonly string[] = []): readonly string[] => [
  ...previous,
  ...parseNames(text),
];

function parseFinite(text: string): number {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  if (!Number.isFinite(value)) throw new InvalidArgumentError("It must be a number.");
  return value;
}

function parseInteger(text: string): number {
  const value = parseFinite(text);
  if (!Number.isInteger(value)) throw new InvalidArgumentError("It must be a whole number.");
  return value;
}

function parseLevel(text: string): number {
  const value = text.trim().endsWith("%")
    ? parseFinite(text.trim().slice(0, -1)) / 100
    : parseFinite(text);
  if (!(value > 0 && value < 1)) {
    throw new InvalidArgumentError("It must lie between 0 and 1, such as 0.95, or be 95%.");
  }
  return value;
}

export function addFitOptions(command: Command): Command {
  addDataOptions(command);
  addParameterOptions(command);
  addOptimiserOptions(command);
  return addResultOptions(command);
}

function addDataOptions(command: Command): void {
  command
    .argument("[file]", "file with the program; - or nothing reads standard input")
    .option("-e, --eval <text>", "the program itself")
    .optionsGroup("Data:")
    .option("--data <file>", DATA_HELP)
    .option(
      "--target <column>",
      "what the program's value predicts; none: its value is the loss",
      collectNames,
    )
    .option("--likelihood", "the loss is a negative log-likelihood: gives standard errors")
    .option("--where <test>", "rows to take: '(> t 2)' over the columns, or cell=word", collect)
    .option(
      "--hold-out <rows>",
      "rows to score but not to fit: 0.2, 20%, 91..100, '(> t 8)' or a column",
    )
    .addOption(
      new Option("--missing <rule>", "rows with missing values")
        .choices(["omit", "error"])
        .default("omit"),
    )
    .option("--na <words>", "further cells that mean a missing value, such as -999", collectNames)
    .option("--sheet <name>", "the sheet of a workbook, by name or number (default: the first)")
    .addOption(datesOption())
    .option("--column <name=header>", "another name for a column: t='Time (s)'", collect)
    .option(
      "--set <name=value>",
      "a constant: a number, '[1, 2]', '[[1, 0], [0, 1]]', @matrix.csv",
      collect,
    )
    .option("--int <name=n>", "a structural integer: a step count or size", collect);
}

function addParameterOptions(command: Command): void {
  command
    .optionsGroup("Parameters (free names of the program that are not columns):")
    .option("--param <name=value>", "start k=0.5, or range for the restarts k=0.01..10", collect)
    .option("--bound <name=range>", "limits: k=0..1, k=0.., k=..5", collect)
    .option("--fix <name=value>", "a value to keep", collect)
    .option("--log <names>", "positive parameters that move by factors", collectNames)
    .option(
      "--group <column:names>",
      "parameters with one value for every group of rows: cell:a,b",
    );
}

function addOptimiserOptions(command: Command): void {
  command
    .optionsGroup("Loss and optimiser:")
    .option(
      "--loss <loss>",
      "squares, absolute, huber, poisson, binomial, or '(expression of pred)'",
    )
    .option("--huber-width <w>", "where Huber's loss turns from squares to lines", parseFinite)
    .option("--sigma <column>", "standard deviation of each row: a column or a number")
    .option("--weights <column>", "weight of each row")
    .option("--trials <column>", "trials of each row, for binomial: a column or a number")
    .addOption(
      new Option("--optimiser <name>", "method")
        .choices(["auto", "lm", "lbfgs", "adam"])
        .default("auto"),
    )
    .option("--rate <r>", "rate of adam", parseFinite)
    .option("--steps <n>", "limit on optimiser steps of each restart", parseCount)
    .option("--restarts <n>", "starts, the first from --param, others drawn", parseCount, 1)
    .option("--seed <n>", "seed of the draws", parseInteger, 0)
    .option(
      "--time <time>",
      "most wall-clock time, such as 30s; the best so far is the result",
      parseDuration,
    )
    .option(
      "--together <n>",
      "restarts that run together (default: what suits the rows)",
      parseCount,
    )
    .option("--level <p>", "level of the intervals (default: 0.95)", parseLevel)
    .addOption(
      new Option("--precision <type>", "number type").choices(["f32", "f64"]).default("f64"),
    )
    .addOption(
      new Option("--domain <rule>", "sqrt and log outside their domain: NaN, or clamp to 1e-8")
        .choices(["ieee", "clamp"])
        .default("ieee"),
    )
    .option("--memory <size>", "most memory, such as 2G", parseSize)
    .option("--resume <file>", "go on with an interrupted fit that --out wrote");
}

function addResultOptions(command: Command): Command {
  return command
    .optionsGroup("Results:")
    .option("--json", "print the result as JSON and nothing else")
    .option("--out <file>", "write the result as JSON")
    .option("--report <file>", "write a page (HTML) with plots, tables and diagnostics")
    .option(
      "--export <format[=file]>",
      "the fitted model: scheme, json, js, latex, sympy, numpy, math",
      collect,
    )
    .option("--export-group <group>", "the group to export, for a fit with groups")
    .option("--x <column>", "column for the horizontal axis of plots")
    .option("--plot", "plot even if the output is not a terminal")
    .option("--no-plot", "no plot")
    .option("--quiet", "the result only: no progress, no plot, no warnings")
    .optionsGroup("Help:");
}

// ---- parameters -------------------------------------------------------------------------------

type Ends = readonly [number | undefined, number | undefined];

/** `a..b`, `a..`, `..b`; undefined where the text is no such thing. */
export function parseEnds(text: string): Ends | undefined {
  const at = text.search(/\.\.(?!\.)/);
  if (at < 0) return undefined;
  const sides = [text.slice(0, at), text.slice(at + 2)].map((side) => side.trim());
  const numbers = sides.map((side) => (side === "" ? undefined : parseNumber(side)));
  const isBad = numbers.some((value, index) => value === undefined && sides[index] !== "");
  if (isBad || numbers.some(Number.isNaN) || sides.every((side) => side === "")) return undefined;
  return [numbers[0], numbers[1]];
}

const finite = (text: string): number | undefined => {
  const value = parseNumber(text);
  return value !== undefined && Number.isFinite(value) ? value : undefined;
};

/** What `--param`, `--bound`, `--fix` and `--log` say, by parameter. */
export function parameterOptions(options: FitCommandOptions): Record<string, ParameterOptions> {
  const specs = new Map<string, Record<string, unknown>>();
  type Key = "start" | "range" | "bounds" | "fixed" | "scale";
  const put = (name: string, key: Key, value: unknown, option: string): void => {
    const spec = specs.get(name) ?? {};
    if (Object.hasOwn(spec, key)) throw new UsageError(`${option} gives ${name} a ${key} twice`);
    specs.set(name, { ...spec, [key]: value });
  };
  for (const text of options.param ?? []) {
    if (!text.includes("=")) {
      specs.set(text.trim(), specs.get(text.trim()) ?? {});
      continue;
    }
    const [name, value] = splitAssignment(text, "--param");
    const [key, one] = parseStart(name, value);
    put(name, key, one, "--param");
  }
  for (const text of options.bound ?? []) {
    const [name, value] = splitAssignment(text, "--bound");
    const ends = parseEnds(value);
    if (ends === undefined) {
      throw new UsageError(`--bound needs ${name}=0..1, ${name}=0.. or ${name}=..5, got "${text}"`);
    }
    put(name, "bounds", [ends[0] ?? null, ends[1] ?? null], "--bound");
  }
  for (const text of options.fix ?? []) {
    const [name, value] = splitAssignment(text, "--fix");
    const number = finite(value);
    if (number === undefined) throw new UsageError(`--fix needs ${name}=number, got "${text}"`);
    put(name, "fixed", number, "--fix");
  }
  for (const name of options.log ?? []) put(name, "scale", "log", "--log");
  return recordOf(specs);
}

function parseStart(name: string, value: string): ["start", number] | ["range", [number, number]] {
  const start = finite(value);
  if (start !== undefined) return ["start", start];
  const ends = parseEnds(value);
  if (ends?.[0] !== undefined && ends[1] !== undefined) return ["range", [ends[0], ends[1]]];
  if (ends !== undefined) {
    throw new UsageError(
      `--param ${name}=${value} has one end only; for a limit write --bound ${shellWord(`${name}=${value}`)}`,
    );
  }
  throw new UsageError(
    `--param needs a start (${name}=0.5) or a range (${name}=0.01..10), got "${name}=${value}"`,
  );
}

/** `cell:a,b`: the column that names the groups, and their parameters. */
export function parseGroups(
  text: string | undefined,
): { readonly by: string; readonly params: readonly string[] } | undefined {
  if (text === undefined) return undefined;
  const at = text.lastIndexOf(":");
  const names = text
    .slice(at + 1)
    .split(",")
    .map((name) => name.trim());
  if (at <= 0 || names.includes("")) {
    throw new UsageError(`--group needs column:parameters such as cell:a,b, got "${text}"`);
  }
  return { by: text.slice(0, at).trim(), params: names };
}

const LOSSES = ["squares", "absolute", "huber", "poisson", "binomial"] as const;
export type LossWord = (typeof LOSSES)[number];

/** A known loss, or program text. */
export function parseLoss(text: string | undefined): LossWord | { readonly text: string } {
  if (text === undefined) return "squares";
  const known = LOSSES.find((name) => name === text.trim());
  if (known !== undefined) return known;
  if (/[()]/.test(text)) return { text };
  const near = nearest(text, LOSSES);
  throw new UsageError(
    `there is no loss ${text}${near === undefined ? "." : `; did you mean ${near}?`} ` +
      `The losses are ${LOSSES.join(", ")}, or an expression such as '(abs (- pred y))'`,
  );
}
