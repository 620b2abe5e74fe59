/** The options of `ndvm search`. */

import type { Domain, Precision } from "@ndvm/core";
import type { Budget, Keep } from "@ndvm/search";
import type { DateUnit } from "@ndvm/tables";
import { type Command, InvalidArgumentError, Option } from "commander";
import { addClusterOptions, type ClusterCommandOptions } from "../commands/cluster-options.js";
import { collect, parseCount, parseDuration, parseNames } from "../options.js";
import { DATA_HELP, datesOption } from "../table-options.js";

export interface SearchCommandOptions extends ClusterCommandOptions {
  readonly data: string;
  readonly sheet?: string;
  readonly dates?: DateUnit | "words";
  readonly target: string;
  readonly inputs?: readonly string[];
  readonly where?: readonly string[];
  readonly holdOut?: string;
  readonly describe?: string;
  readonly proposer: string;
  readonly start?: readonly string[];
  readonly cycles: number;
  readonly ops?: readonly string[];
  readonly maxComplexity?: number;
  readonly model?: string;
  readonly baseUrl?: string;
  readonly price?: readonly [number, number];
  readonly maxCost?: number;
  readonly requestsPerSecond?: number;
  readonly requestsPerMinute?: number;
  readonly budget?: number;
  readonly candidates?: number;
  readonly fits?: number;
  readonly tokens?: number;
  readonly r2?: number;
  readonly optimiser?: "lm" | "lbfgs" | "adam";
  readonly steps?: number;
  readonly restarts?: number;
  readonly seed?: number;
  readonly workers?: number;
  readonly epoch?: number;
  readonly slots?: number;
  readonly islands?: number;
  readonly precision?: Precision;
  readonly domain?: Domain;
  readonly out?: string;
  readonly keep?: Keep;
  readonly resume?: boolean;
  readonly report?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

function parseInteger(text: string): number {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  if (!Number.isSafeInteger(value) || value < 0) {
    throw new InvalidArgumentError("It must be a whole number, 0 or more.");
  }
  return value;
}

function parsePositive(text: string): number {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  if (!(value > 0 && Number.isFinite(value))) {
    throw new InvalidArgumentError("It must be a positive number.");
  }
  return value;
}

function parsePrice(text: string): readonly [number, number] {
  const [input, output, ...more] = text
    .split(",")
    .map((price) => (price.trim() === "" ? Number.NaN : Number(price)));
  const isPair = input !== undefined && output !== undefined && more.length === 0;
  if (!isPair || !(input >= 0 && output >= 0)) {
    throw new InvalidArgumentError("It must be two prices per million tokens, such as 0.5,1.5.");
  }
  return [input, output];
}

export function addSearchOptions(command: Command): Command {
  addDataOptions(command);
  addProposerOptions(command);
  addBudgetOptions(command);
  addFitOptions(command);
  addScaleOptions(command);
  return addResultOptions(command);
}

function addScaleOptions(command: Command): void {
  addClusterOptions(command.optionsGroup("Many computers:"));
}

function addDataOptions(command: Command): void {
  command
    .optionsGroup("Data:")
    .requiredOption("--data <file>", DATA_HELP)
    .option("--sheet <name>", "the sheet of a workbook, by name or number (default: the first)")
    .addOption(datesOption())
    .requiredOption("--target <column>", "what the programs predict")
    .option("--inputs <columns>", "columns they may read (default: all others)", parseNames)
    .option("--where <test>", "rows to take: '(> t 2)' over the columns, or cell=word", collect)
    .option("--hold-out <rows>", "rows to score by: 0.25, 20%, 91..100, '(> t 8)' or a column")
    .option("--describe <text>", "what the data are, for language models");
}

function addProposerOptions(command: Command): void {
  command
    .optionsGroup("Proposers:")
    .option("--proposer <list>", "evolve, llm, replay:FILE, separated by commas", "evolve")
    .option(
      "--start <file>",
      "programs, or a template with holes, that evolve starts from",
      collect,
    )
    .option("--cycles <n>", "how often replay goes through its file", parseCount, 1)
    .option("--ops <names>", "what programs may be made of: +,*,sin,if,loop …", parseNames)
    .option("--max-complexity <n>", "most operators, names and numbers of a program", parseCount)
    .option("--model <name>", "language model (default: NDVM_LLM_MODEL)")
    .option("--base-url <address>", "OpenAI-compatible endpoint (default: NDVM_LLM_BASE_URL)")
    .option("--price <in,out>", "prices per million tokens, for the ledger", parsePrice)
    .option("--max-cost <cost>", "most that the model may cost, at --price", parsePositive)
    .option("--requests-per-second <n>", "most requests to the model (default: 5)", parsePositive)
    .option("--requests-per-minute <n>", "most requests to the model", parsePositive);
}

function addBudgetOptions(command: Command): void {
  command
    .optionsGroup("Budget (whichever comes first; 1 minute if you give none):")
    .option("--budget <time>", "wall-clock, such as 10m", parseDuration)
    .option("--candidates <n>", "programs", parseCount)
    .option("--fits <n>", "fits", parseCount)
    .option("--tokens <n>", "tokens of language models", parseCount)
    .option("--r2 <share>", "stop when a model of the front has this held-out R²", Number);
}

function addFitOptions(command: Command): void {
  command
    .optionsGroup("Fits:")
    .addOption(new Option("--optimiser <name>", "method").choices(["lm", "lbfgs", "adam"]))
    .option("--steps <n>", "optimiser steps of a short fit", parseCount)
    .option("--restarts <n>", "starts of a short fit", parseCount)
    .option("--seed <n>", "seed of all chance (default: 0)", parseInteger)
    .option("--workers <n>", "worker threads (default: one for each core)", parseInteger)
    .option(
      "--epoch <n>",
      "candidates in an epoch (default: 16, fewer for large tables)",
      parseCount,
    )
    .option("--slots <n>", "epochs of each proposer in a round (default: 16)", parseCount)
    .option("--islands <n>", "islands of evolve (default: 4)", parseCount)
    .addOption(new Option("--precision <type>", "number type").choices(["f32", "f64"]))
    .addOption(new Option("--domain <rule>", "sqrt and log outside").choices(["ieee", "clamp"]));
}

function addResultOptions(command: Command): Command {
  return command
    .optionsGroup("Results:")
    .option("--out <file>", "the study's archive (default: study-DATE-TIME.db)")
    .addOption(
      new Option("--keep <visits>", "what the archive keeps (default: all)").choices([
        "all",
        "scored",
        "front",
      ]),
    )
    .option("--resume", "go on with the study in --out")
    .option("--report <file>", "write a page (HTML) about the study at the end")
    .option("--json", "events as JSON lines, the result last")
    .option("--quiet", "the result only")
    .optionsGroup("Help:");
}

/** Seconds of a search that was given no budget. */
const SECONDS_DEFAULT = 60;

export function budgetOf(options: SearchCommandOptions): Budget {
  const { candidates, fits, tokens, r2 } = options;
  const isOpen = [options.budget, candidates, fits, tokens].every((limit) => limit === undefined);
  const seconds = isOpen ? SECONDS_DEFAULT : options.budget && options.budget / 1000;
  return {
    ...(seconds === undefined ? {} : { seconds }),
    ...(candidates === undefined ? {} : { candidates }),
    ...(fits === undefined ? {} : { fits }),
    ...(tokens === undefined ? {} : { tokens }),
    ...(r2 === undefined ? {} : { r2 }),
  };
}
