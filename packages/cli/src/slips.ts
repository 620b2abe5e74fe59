/**
 * Slips in how a command was typed that the parser of options can only call "too many arguments":
 * a value without its own --set, a blank inside a value, a file where an option names it. They are
 * looked for before the options are read, and answered with what was meant.
 */

import { existsSync } from "node:fs";
import { fileWord, nearest, shellWord } from "@ndvm/core/machine";
import type { Command, Option } from "commander";

/** A word that belongs to no option, and what stands before it. */
interface Loose {
  readonly word: string;
  /** The option before it, with the words that followed: --set, r, =. */
  readonly before: readonly string[];
}

const ASSIGNMENT = /^[^\s=()'"[\]]+=\S/;
const UNIT = /^(ms|s|m|h|min|sec|[kmg]i?b?|%)$/i;

/** What was probably meant; undefined where nothing looks like a slip. */
export function slipIn(root: Command, args: readonly string[]): string | undefined {
  const command = root.commands.find((one) => one.name() === args[0]);
  if (command === undefined || command.commands.length > 0) return undefined;
  return optionSlip(command, args) ?? looseSlip(command, args);
}

const optionFor = (command: Command, word: string): Option | undefined =>
  command.options.find(({ long, short }) => word === short || word.split("=", 1)[0] === long);

const takesValue = (option: Option | undefined): boolean =>
  option?.required === true || option?.optional === true;

const hasOption = (command: Command, long: string): boolean =>
  command.options.some((option) => option.long === long);

/** -set x=1 and --x=1 for --set x=1. */
function optionSlip(command: Command, args: readonly string[]): string | undefined {
  for (const [at, word] of args.entries()) {
    if (takesValue(optionFor(command, args[at - 1] ?? ""))) continue;
    const [, dashes = "", name = "", value] = /^(--?)([A-Za-z][\w-]*)(?:=(.+))?$/.exec(word) ?? [];
    if (name === "" || optionFor(command, word) !== undefined) continue;
    if (dashes === "-" && hasOption(command, `--${name}`)) return `write --${name}, not -${name}`;
    const long = command.options.map((option) => option.long?.slice(2) ?? "");
    const near = nearest(name, long);
    if (value === undefined || (near === undefined && !hasOption(command, "--set"))) continue;
    const meant =
      near === undefined
        ? `an input is set by --set ${shellWord(`${name}=${value}`)}`
        : `did you mean --${near}?`;
    return `there is no option ${dashes}${name}: ${meant}`;
  }
  return undefined;
}

function looseSlip(command: Command, args: readonly string[]): string | undefined {
  for (const loose of looseWords(command, args)) {
    const slip = meaningOf(command, loose, args);
    if (slip !== undefined) return slip;
  }
  return undefined;
}

function looseWords(command: Command, args: readonly string[]): Loose[] {
  const loose: Loose[] = [];
  let before: string[] = [];
  for (let at = 1; at < args.length; at++) {
    const word = args[at] as string;
    if (!/^-\D/.test(word)) {
      loose.push({ word, before });
      before = [...before, word];
      continue;
    }
    const option = optionFor(command, word);
    const equals = word.indexOf("=");
    before = equals < 0 ? [word] : [word.slice(0, equals), word.slice(equals + 1)];
    // What follows an unknown option may be its value; the option itself will be complained about.
    if (equals >= 0 || !(option === undefined || takesValue(option))) continue;
    at += 1;
    before.push(args[at] ?? "");
  }
  return loose;
}

function meaningOf(
  command: Command,
  { word, before }: Loose,
  args: readonly string[],
): string | undefined {
  const [option = "", value = ""] = before;
  const last = before.at(-1) ?? "";
  if (UNIT.test(word) && /^\d+(\.\d+)?$/.test(last))
    return `"${word}" stands alone: leave out the blank, ${option} ${last}${word}`;
  if (option === "--resume" && !takesValue(optionFor(command, option)))
    return `--resume takes no file: name the study by --out ${fileWord(word)} --resume`;
  const assigns = optionFor(command, option)?.flags.includes("<name=") ?? false;
  if (assigns && !/=./.test(value) && word !== "=") {
    const [name, given] = [value.replace(/=$/, ""), word.replace(/^=/, "")];
    return `${option} needs name=value without blanks: ${option} ${shellWord(`${name}=${given}`)}`;
  }
  if (ASSIGNMENT.test(word) && !existsSync(word)) {
    const own = assigns ? option : hasOption(command, "--param") ? "--param" : "--set";
    if (hasOption(command, own))
      return `"${word}" belongs to no option: every value needs its own, ${own} ${shellWord(word)}`;
  }
  const needsData = hasOption(command, "--data") && command.registeredArguments.length === 0;
  if (needsData && !args.some((one) => /^--data(=|$)/.test(one)))
    return `"${word}" belongs to no option: the table is named by --data ${fileWord(word)}`;
  return undefined;
}
