/** Options that several commands share, and how their texts become values. */

import type { Domain, Precision } from "@ndvm/core";
import { own } from "@ndvm/core/machine";
import { type Command, InvalidArgumentError, Option } from "commander";
import { MEMORY_DEFAULT, STEPS_DEFAULT } from "./limits.js";

export type Format = "table" | "json" | "csv";

/** What commander hands to the commands that load and run a program. */
export interface ProgramOptions {
  readonly eval?: string;
  readonly set?: readonly string[];
  readonly int?: readonly string[];
  readonly precision: Precision;
  readonly domain: Domain;
  readonly steps?: number;
  readonly memory?: number;
  readonly timeout?: number;
}

export interface EvalOptions extends ProgramOptions {
  readonly format: Format;
  readonly plot?: boolean;
  readonly stats?: boolean;
}

export interface GradOptions extends EvalOptions {
  readonly wrt?: readonly string[];
  readonly seedAdjoint?: number | readonly number[];
}

export interface ExplainOptions extends ProgramOptions {
  readonly wrt?: readonly string[];
  /** Values to go to from those set, to log branch flips on the way. */
  readonly to?: readonly string[];
  /** Points on the way. */
  readonly points?: number;
  readonly format: "table" | "json";
}

export const collect = (value: string, previous: readonly string[] = []): readonly string[] => [
  ...previous,
  value,
];

export function parseCount(text: string): number {
  const value = Number(text);
  if (text.trim() === "" || !Number.isInteger(value) || value < 1) {
    throw new InvalidArgumentError("It must be a whole number, 1 or more, such as 32 or 1e6.");
  }
  return value;
}

const SIZE_UNITS: Readonly<Record<string, number>> = { "": 1, k: 2 ** 10, m: 2 ** 20, g: 2 ** 30 };

/** What a machine of 32-bit addresses can be given. */
const MEMORY_LEAST = 4 * 2 ** 20;
const MEMORY_MOST = 2 ** 32 - 2 ** 16;

/** 64M, 1.5G, 8388608: bytes. 4G means all that can be addressed. */
export function parseSize(text: string): number {
  const match = /^(\d+(?:\.\d+)?)\s*([kmg]?)(?:i?b)?$/i.exec(text.trim());
  const unit = own(SIZE_UNITS, match?.[2]?.toLowerCase() ?? "");
  const bytes = Math.floor(Number(match?.[1]) * (unit ?? Number.NaN));
  if (!(bytes >= MEMORY_LEAST && bytes <= 2 ** 32)) {
    throw new InvalidArgumentError("It must be a size from 4M to 4G, such as 512M.");
  }
  return Math.min(bytes, MEMORY_MOST);
}

const TIME_UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** 5s, 250ms, 2m: milliseconds. A bare number counts seconds. */
export function parseDuration(text: string): number {
  const match = /^(\d+(?:\.\d+)?)\s*(ms|s|m|h)?$/i.exec(text.trim());
  const milliseconds =
    Number(match?.[1]) * (own(TIME_UNITS, match?.[2]?.toLowerCase() ?? "s") ?? 1);
  if (!(milliseconds > 0)) throw new InvalidArgumentError("It must be a time such as 5s or 250ms.");
  return milliseconds;
}

export function parseNames(text: string): readonly string[] {
  const names = text.split(",").map((name) => name.trim());
  if (names.some((name) => name === "")) {
    throw new InvalidArgumentError("It must be names separated by commas.");
  }
  return names;
}

export function parseSeed(text: string): number | readonly number[] {
  const numbers = text.split(",").map((part) => (part.trim() === "" ? Number.NaN : Number(part)));
  if (numbers.some(Number.isNaN)) {
    throw new InvalidArgumentError("It must be a number, or numbers separated by commas.");
  }
  return text.includes(",") ? numbers : (numbers[0] ?? 1);
}

/** Where the program comes from, and how to run it. */
export function addProgramOptions(command: Command): Command {
  return addRunOptions(
    command
      .argument("[file]", "file with the program; - or nothing reads standard input")
      .option("-e, --eval <text>", "the program itself"),
  );
}

export function addRunOptions(command: Command): Command {
  return command
    .option("--set <name=value>", "an input; see Inputs below", collect)
    .option("--int <name=n>", "a structural integer: a step count or size", collect)
    .addOption(
      new Option("--precision <type>", "number type").choices(["f32", "f64"]).default("f64"),
    )
    .addOption(
      new Option("--domain <rule>", "sqrt and log outside their domain: NaN, or clamp to 1e-8")
        .choices(["ieee", "clamp"])
        .default("ieee"),
    )
    .addOption(
      new Option("--steps <n>", "limit on evaluation steps")
        .argParser(parseCount)
        .default(STEPS_DEFAULT, "2e8"),
    )
    .addOption(
      new Option("--memory <size>", "most memory, such as 512M; as much again for a result")
        .argParser(parseSize)
        .default(MEMORY_DEFAULT, "192M"),
    )
    .option(
      "--timeout <time>",
      "most wall-clock time, such as 1m or 250ms (default: 5s of processor time)",
      parseDuration,
    );
}

export function addFormatOption(command: Command, formats: readonly Format[]): Command {
  const option = new Option("--format <format>", "what to print");
  return command.addOption(option.choices(formats).default("table"));
}

export function addOutputOptions(command: Command): Command {
  return addFormatOption(command, ["table", "json", "csv"])
    .option("--plot", "add a plot over the first input that has one value per lane")
    .option("--stats", "counters of the run (on stderr; inside the object for json)");
}
