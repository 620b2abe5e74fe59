/**
 * Errors in the words of the command line: options as they are typed, rows as the file counts them.
 * The machine speaks of `stepsMax`, `vec(…)` and rows of arrays; everything that is said otherwise
 * here is made from an error's facts.
 */

import { type ErrorFacts, NdvmError, type Reason, type Speech, wordsFor } from "@ndvm/core/machine";
import { nearNumber } from "@ndvm/tables/text";

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
          : `give it one: --set ${names[0]}=1; the program's inputs are ${expected}`,
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
      help: `did you mean ${expected}? If ${names[0]} is a parameter, declare it: --param ${names[0]}`,
    }),
    bounds: ({ names = [], value, limit }) =>
      value !== undefined && value === limit
        ? { help: `to keep it there: --fix ${names[0]}=${value}` }
        : {},
    shape: (_, { hasTarget, unusedColumn, rowCount }) =>
      hasTarget === true || rowCount === undefined
        ? {}
        : {
            help:
              "without --target the program's value is the loss, one number; for predictions of a " +
              `column give --target${unusedColumn === undefined ? "" : ` ${unusedColumn}`}`,
          },
    points: (_, { rowsLeftOut = 0, rowCount }, help) =>
      rowsLeftOut > 0 ? { help: `${rowsLeftOut} of ${rowCount} rows are left out; ${help}` } : {},
    sheet: ({ names = [] }, { command }) =>
      command === "fit" || command === "search"
        ? { help: `its sheets are ${names.join(", ")}: --sheet ${quoted(names[0] ?? "1")}` }
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
  const word = quoted(text);
  return isAllWords
    ? `the column holds words: --where ${column}=${word} takes rows by them, ` +
        `--group ${column}:… makes groups of them`
    : `correct it, leave the row out with --where, or count it as missing: --na ${word}`;
}

const quoted = (text: string): string => (/^\w+$/.test(text) ? text : `'${text}'`);

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
    declaring: (name) => (context.command === "fit" ? `--param ${name}` : `--set ${name}=1`),
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
