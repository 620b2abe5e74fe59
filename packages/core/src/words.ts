/**
 * Sentences for facts that readers call by different names: options are `stepsMax` in JavaScript and
 * `--steps` on a command line, rows are those of an array or of a file. Whoever throws such an error
 * gives its facts, and the sentence is made here; a reader with other names has it made again.
 *
 * Errors whose words are the same for everybody have no entry.
 */

import {
  type ErrorCause,
  type ErrorCode,
  type ErrorDetails,
  type ErrorFacts,
  NdvmError,
} from "./errors.js";

/** How a reader calls things. */
export interface Speech {
  /** An option as the reader types it; undefined where they cannot give it. */
  option(name: string): string | undefined;
  /** Rows, counted from 0, of which `more` are not named. */
  rows(rows: readonly number[], more: number): string;
  /** How a name is declared that would mean something in the language. */
  declaring(name: string): string | undefined;
}

/** A sentence and what to do about it. What is left out stays as it was. */
export interface Words {
  readonly message?: string;
  readonly help?: string;
}

type Wording = (facts: ErrorFacts, speech: Speech) => Words;

/** The names of JavaScript; rows count from 1, as people count. */
const JAVASCRIPT: Speech = {
  option: (name) => name,
  rows: (rows, more) => {
    const shown = rows.map((row) => row + 1).join(", ");
    const rest = more > 0 ? ` and ${more} more` : "";
    return `${rows.length + more === 1 ? "row" : "rows"} ${shown}${rest}`;
  },
  declaring: (name) => `load the program with inputs: ["${name}"]`,
};

const START_HELP = "start elsewhere, draw starts from a range, or bound the parameters";

const wordings = {
  budget: ({ option = "" }, speech) => {
    const isOfTime = option === "stepsMax" || option === "timeMax";
    const advice = `check that ${isOfTime ? "every loop" : "the program"} ends`;
    return { help: orRaise(advice, option, speech) };
  },
  recursion: (_, speech) => ({
    help: orRaise(
      "check that it ends; a call in tail position needs no memory",
      "memoryMax",
      speech,
    ),
  }),
  room: (_, speech) => ({
    help: orRaise("dispose programs that are no longer needed", "memoryMax", speech),
  }),
  result: (_, speech) => ({
    help: orRaise(
      "return less of it, since shared structure is written out once for every use",
      "memoryMax",
      speech,
    ),
  }),
  long: (_, speech) => ({
    help: orRaise("keep what is data out of the program's text", "memoryMax", speech),
  }),
  report: (_, speech) => ({
    help: orRaise("explain fewer lanes, or a shorter run", "memoryMax", speech),
  }),
  together: (_, speech) => ({
    help: orRaise("fit fewer restarts together", "memoryMax", speech),
  }),
  first: ({ option = "" }, speech) => ({
    message: `the first evaluation took longer than ${speech.option(option) ?? "the time allows"}`,
    help: orLimitSteps("give more time", speech),
  }),
  occupied: ({ option = "" }, speech) => ({
    message:
      "the machine was busy with another evaluation until the fit had used up " +
      (speech.option(option) ?? "its time"),
  }),
  option: ({ option = "", actual = "", expected = "" }, speech) => ({
    message: `${subject(option, speech)} is ${actual}`,
    help: expected,
  }),
  setting: ({ option = "", actual = "", expected = "" }, speech) => {
    const name = speech.option(option) ?? option;
    return {
      message: `${name} must be ${expected}, got ${actual}`,
      help: `leave ${name} out for its default`,
    };
  },
  needs: ({ option = "", names = [] }, speech) => ({
    message: `${subject(option, speech)} needs a ${names[0]}`,
  }),
  cell: ({ column, actual, ...facts }, speech) => ({
    message: `column ${column} holds ${actual} in ${rowsOf(facts, speech)}, which is not a number`,
  }),
  missing: ({ column, ...facts }, speech) => ({
    message: `column ${column} has no value in ${rowsOf(facts, speech)}`,
  }),
  infinite: ({ column, actual, ...facts }, speech) => ({
    message: `column ${column} holds ${actual} in ${rowsOf(facts, speech)}`,
  }),
  count: ({ column, value, ...facts }, speech) => ({
    message: `${targetOf(column)} is ${value} in ${rowsOf(facts, speech)}`,
  }),
  trials: ({ column, value, limit, ...facts }, speech) => ({
    message: `${targetOf(column)} is ${value} in ${rowsOf(facts, speech)}, of ${limit} trials`,
  }),
  deviation: ({ value, ...facts }, speech) => ({
    message: `sigma is ${value} in ${rowsOf(facts, speech)}`,
  }),
  weight: ({ value, ...facts }, speech) => ({
    message: `the weight of ${rowsOf(facts, speech)} is ${value}`,
  }),
  group: ({ actual, ...facts }, speech) => ({
    message: `${rowsOf(facts, speech)} is of the group ${actual}, which the fit did not see`,
  }),
  builtin: ({ names = [] }, speech) => {
    const declaring = speech.declaring(names[0] ?? "");
    return {
      help: declaring === undefined ? "rename it" : `rename it, or declare it: ${declaring}`,
    };
  },
  failure: (facts, speech) => {
    const { message, help } = wordsOfCause(facts.cause, speech);
    return {
      message: `the program fails on ${rowsOf(facts, speech)} ${startOf(facts)}: ${message}`,
      help: help ?? "start elsewhere, or leave out these rows",
    };
  },
  prediction: (facts, speech) => {
    const where = facts.rows === undefined ? "" : ` on ${rowsOf(facts, speech)}`;
    return {
      message: `the prediction is not finite${where} ${startOf(facts)}${becauseOf(facts)}`,
      help: START_HELP,
    };
  },
  objective: (facts) => ({
    message: `the loss is not finite ${startOf(facts)}${becauseOf(facts)}`,
    help: START_HELP,
  }),
  gradient: (facts) => ({
    message: `the loss or its gradient is not finite ${startOf(facts)}`,
    help: START_HELP,
  }),
  loss: (facts, speech) => ({
    message: `the loss fails on ${rowsOf(facts, speech)} ${startOf(facts)}${becauseOf(facts)}`,
    help: "start elsewhere, or write a loss that is finite there",
  }),
  within: ({ actual, cause }, speech) => {
    const { message, help } = wordsOfCause(cause, speech);
    return { message: `${actual}: ${message}`, ...(help === undefined ? {} : { help }) };
  },
} satisfies Partial<Record<NonNullable<ErrorFacts["reason"]>, Wording>>;

const wordingOf: ReadonlyMap<string, Wording> = new Map(Object.entries(wordings));

/** An error made of its facts; `message` and `help` are needed where no wording gives them. */
export function makeError(
  code: ErrorCode,
  facts: ErrorFacts,
  details: Omit<ErrorDetails, "facts"> & { readonly message?: string } = {},
): NdvmError {
  const { message, ...rest } = details;
  const words = wordsFor(facts, JAVASCRIPT);
  const help = words.help ?? rest.help;
  return new NdvmError(code, words.message ?? message ?? code, { ...rest, help, facts });
}

/** What `speech` makes of facts; empty where everybody uses the same words. */
export function wordsFor(facts: ErrorFacts, speech: Speech): Words {
  return wordingOf.get(facts.reason ?? "")?.(facts, speech) ?? {};
}

/** An error as another one carries it. */
export const causeOf = ({ message, help, facts }: NdvmError): ErrorCause => ({
  message,
  facts,
  ...(help === undefined ? {} : { help }),
});

function wordsOfCause(cause: ErrorCause | undefined, speech: Speech): Words & { message: string } {
  if (cause === undefined) return { message: "" };
  const { message, help } = wordsFor(cause.facts, speech);
  const kept = help ?? cause.help;
  return { message: message ?? cause.message, ...(kept === undefined ? {} : { help: kept }) };
}

function subject(option: string, speech: Speech): string {
  const name = speech.option(option);
  return name === undefined || name === option ? `the option ${option}` : name;
}

function orRaise(advice: string, option: string, speech: Speech): string {
  const name = speech.option(option);
  return name === undefined ? advice : `${advice}, or raise ${name}`;
}

function orLimitSteps(advice: string, speech: Speech): string {
  const name = speech.option("stepsMax");
  return name === undefined
    ? advice
    : `${advice}, or a limit on evaluation steps (${name}) that ends slow programs`;
}

const rowsOf = ({ rows = [], rowsMore = 0 }: ErrorFacts, speech: Speech): string =>
  speech.rows(rows, rowsMore);

/** Of several targets, which. */
const targetOf = (column: string | undefined): string =>
  column === undefined ? "the target" : `the target ${column}`;

/** "at a = 1, b = 2" */
const startOf = ({ names = [], values = [] }: ErrorFacts): string =>
  `at ${names.map((name, i) => `${name} = ${values[i]}`).join(", ")}`;

const becauseOf = ({ actual }: ErrorFacts): string => (actual === undefined ? "" : `: ${actual}`);

const ROWS_SHOWN = 8;

/** ErrorFacts about rows: the first few of them, and how many more. */
export const rowFacts = (rows: readonly number[]): Pick<ErrorFacts, "rows" | "rowsMore"> => ({
  rows: rows.slice(0, ROWS_SHOWN),
  ...(rows.length > ROWS_SHOWN ? { rowsMore: rows.length - ROWS_SHOWN } : {}),
});
