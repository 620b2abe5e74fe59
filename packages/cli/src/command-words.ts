/**
 * Errors in the words of the command line: options as they are typed, rows as the file counts them.
 * The machine speaks of `stepsMax`, `vec(…)` and rows of arrays; everything that is said otherwise
 * here is made from an error's facts.
 */

import {
  type ErrorFacts,
  NdvmError,
  type Reason,
  type Speech,
  shellWord,
  wordsFor,
} from "@ndvm/core/machine";
import { nearNumber } from "@ndvm/tables/text";
import { isWordTest } from "./fit/word-test.js";

/** The commands that have options of their own for the same thing. */
export type Command = "run" | "repl" | "fit" | "search";

/** What a command knows that facts do not say. */
export interface Context {
  readonly command: Command;
  /** How its file calls rows that the machine counts from 0. */
  rows?(rows: readonly number[], more: number): string;
  /** A column that the program does not read: perhaps the target. */
  readonly unusedColumn?: string | undefined;
  readonly hasTarget?: boolean;
  readonly rowCount?: number;
  readonly rowsLeftOut?: number;
}

/** Options that have another name on the command line, by command. Those without a name cannot be typed there. */
const OPTIONS: ReadonlyMap<string, Partial<Record<Command, string>>> = new Map<
  string,
  Partial<Record<Command, string>>
>([
  ["memoryMax", { run: "--memory", repl: "--memory", fit: "--memory" }],
  ["stepsMax", { run: "--steps", repl: "--steps" }],
  ["tapeBytesMax", { run: "--memory", repl: "--memory" }],
  ["timeMax", { run: "--timeout", repl: "--timeout", fit: "--time", search: "--budget" }],
  ["groups", { fit: "--group" }],
  ["isNegativeLogLikelihood", { fit: "--likelihood" }],
  ["adam.rate", { fit: "--rate" }],
  ["complexityMax", { search: "--max-complexity" }],
  ["operators", { search: "--ops" }],
  ["budget.candidates", { search: "--candidates" }],
  ["budget.fits", { search: "--fits" }],
  ["budget.seconds", { search: "--budget" }],
  ["budget.tokens", { search: "--tokens" }],
  ["budget.cost", { search: "--max-cost" }],
  ["budget.r2", { search: "--r2" }],
]);

/** Options of JavaScript alone. */
const NOT_TYPED: ReadonlySet<string> = new Set(["lag", "chunk", "detail", "tolerances"]);

/** The option as it is typed; others than those above differ by hyphens alone. */
export function optionName(name: string, command: Command): string | undefined {
  const known = OPTIONS.get(name);
  if (known !== undefined) return known[command];
  if (command !== "fit" && command !== "search") return undefined;
  if (name.includes(".") || NOT_TYPED.has(name)) return undefined;
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

interface Words {
  readonly message?: string | undefined;
  readonly help?: string | undefined;
}

const SET_HELP = "set an input with :set name=value; :inputs lists those that are set";
const LANES_HELP =
  "lists, ranges and columns have one value per lane; --set v='[1, 2, 3]' is one vector, shared";

/** What the command line says in other words than JavaScript does, by the reason of the error. */
const WORDS: Partial<Record<Reason, (facts: ErrorFacts, context: Context, help: string) => Words>> =
  {
    aborted: () => ({
      message: "the evaluation was interrupted",
      help: "it was Ctrl-C; --timeout 5s and --steps 1e6 end a program by themselves",
    }),
    room: (_, { command }) => ({
      help: `raise ${optionName("memoryMax", command) ?? "the memory"}`,
    }),
    input: ({ names = [], expected }, { command }) => ({
      help:
        command === "repl"
          ? SET_HELP
          : `${giving(names[0] ?? "")}; the program's inputs are ${expected}`,
    }),
    lanes: (_, { command }) => ({
      help: command === "repl" ? SET_HELP : LANES_HELP,
    }),
    structure: () => ({ help: "only numbers, vectors and matrices have values" }),
    seed: () => ({ help: "give one: --seed-adjoint 1,0" }),
    needs: (_, { command }) =>
      command === "fit" ? { help: "without --target the program's value is the loss" } : {},
    infinite: (_, { command }) =>
      command === "fit"
        ? {
            help:
              "a fit needs finite numbers: count the cell as missing by --na inf, " +
              "or leave the row out by --where",
          }
        : {},
    target: () => ({
      help: "a prediction is made without it; leave out --target where the program's value is the loss",
    }),
    slip: ({ names = [], expected }) => ({
      help: canBeSet(names[0] ?? "")
        ? `did you mean ${expected}? If ${names[0]} is a parameter, declare it: --param ${shellWord(names[0] ?? "")}`
        : `did you mean ${expected}?`,
    }),
    bounds: ({ names = [], value, limit }) =>
      value !== undefined && value === limit && canBeSet(names[0] ?? "")
        ? { help: `to keep it there: --fix ${shellWord(names[0] ?? "")}=${value}` }
        : {},
    shape: (_, { hasTarget, unusedColumn, rowCount }) =>
      hasTarget === true || rowCount === undefined
        ? {}
        : {
            help:
              "without --target the program's value is the loss, one number; for predictions of a " +
              `column give --target${canBeListed(unusedColumn) ? ` ${shellWord(unusedColumn)}` : ""}`,
          },
    points: (_, { rowsLeftOut = 0, rowCount }, help) =>
      rowsLeftOut > 0 ? { help: `${rowsLeftOut} of ${rowCount} rows are left out; ${help}` } : {},
    sheet: ({ names = [] }, { command }) =>
      command === "fit" || command === "search"
        ? { help: `its sheets are ${names.join(", ")}: --sheet ${shellWord(names[0] ?? "1")}` }
        : {},
    word: ({ column = "", actual = "" }, { command }) => ({
      help: nearNumber(actual) ?? wordHelp(command, column, actual, false),
    }),
    words: ({ column = "", actual = "" }, { command }) => ({
      help: nearNumber(actual) ?? wordHelp(command, column, actual, true),
    }),
    prediction: ({ rows }, _, help) =>
      rows === undefined ? {} : { help: `${help}, or leave these rows out with --where` },
  };

/** What to do about a word in a column of numbers; undefined where no option does anything. */
function wordHelp(
  command: Command,
  column: string,
  text: string,
  isAllWords: boolean,
): string | undefined {
  if (command === "search") return "correct it, or leave the row out with --where";
  if (command !== "fit") return undefined;
  if (isAllWords) {
    const groups = `--group ${shellWord(column)}:… makes groups of them`;
    if (!isWordTest(column, text)) return `the column holds words: ${groups}`;
    const test = `--where ${shellWord(column)}=${shellWord(text)}`;
    return `the column holds words: ${test} takes rows by them, ${groups}`;
  }
  return canBeListed(text)
    ? `correct it, leave the row out with --where, or count it as missing: --na ${shellWord(text)}`
    : "correct it, or leave the row out with --where";
}

/** Options that take lists split them at commas, and take blanks at the ends off. */
const canBeListed = (text: string | undefined): text is string =>
  text !== undefined && text !== "" && !text.includes(",") && text.trim() === text;

/** `name=value` is split at its first `=`. */
const canBeSet = (name: string): boolean => !name.includes("=");

const giving = (name: string): string =>
  canBeSet(name)
    ? `give it one: --set ${shellWord(name)}=1`
    : "rename it: --set takes what is before the first = for the name";

/** An error that has been said in the words of the command line: nobody says it again in others. */
class CommandError extends NdvmError {}

const PLAIN: Context = { command: "run" };

/** The error as a user of the command line can act on it. */
export function inCommandWords(error: NdvmError, context: Context = PLAIN): NdvmError {
  const { facts } = error;
  if (facts.reason === undefined || error instanceof CommandError) return error;
  const speech: Speech = {
    option: (name) => optionName(name, context.command),
    rows: context.rows ?? countedRows,
    declaring: (name) => {
      if (!canBeSet(name)) return undefined;
      return context.command === "fit"
        ? `--param ${shellWord(name)}`
        : `--set ${shellWord(name)}=1`;
    },
  };
  const words = wordsFor(facts, speech);
  const help = words.help ?? error.help;
  const typed = WORDS[facts.reason]?.(facts, context, help ?? "");
  const message = typed?.message ?? words.message ?? error.message;
  return new CommandError(error.code, message, { ...error, help: typed?.help ?? help });
}

function countedRows(rows: readonly number[], more: number): string {
  const shown = rows.map((row) => row + 1).join(", ");
  const rest = more > 0 ? ` and ${more} more` : "";
  return `${rows.length + more === 1 ? "row" : "rows"} ${shown}${rest}`;
}
