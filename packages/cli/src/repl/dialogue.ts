/**
 * A repl dialogue without its terminal: definitions, inputs, the last expression, and what each
 * line does to them. A failing line leaves the dialogue as it was.
 */

import {
  type Evaluation,
  emptyRecord,
  type GradientResult,
  inOneLine,
  type Machine,
  NdvmError,
  nearest,
  own,
  type Program,
  recordOf,
  requireReadable,
} from "@ndvm/core";
import { bytesText, countText, timeText } from "@ndvm/report";
import { inCommandWords } from "../command-words.js";
import { InputReader, type SetInputs, splitAssignment, UsageError } from "../inputs.js";
import { withinLimits, withinTime } from "../limits.js";
import { budgetsOf, loadProgram } from "../loaded.js";
import type { ProgramOptions } from "../options.js";
import { tableText, warnAbout } from "../results.js";
import { inputsText, section, tapeText } from "../tape-listing.js";
import { print, printPieces } from "../terminal.js";
import { type Definition, DialogueProgram, splitForms, withDefinitions } from "./definitions.js";

/** How long :time measures, in milliseconds. */
const TIMING_MS = 300;

export const HELP = `An expression is evaluated, a definition is kept; free names are inputs.

  :set a=1.5        set an input (same values as --set: 0:10:0.1, 1,2,3, [1, 2], @file.csv:column)
  :unset a          forget an input
  :inputs           the inputs that are set
  :defs             the definitions so far
  :grad [a b]       gradients of the last expression, by all inputs or by these
  :tape             tape of the last expression
  :core             core forms of the last expression
  :time             time of the last expression, value and gradient
  :load file        read definitions and expressions from a file
  :reset            forget definitions and inputs
  :help             this text
  :quit             leave (also Ctrl-D); Ctrl-C stops an evaluation or clears the line`;

type Command = (argument: string, signal: AbortSignal) => Promise<void> | void;

export class Dialogue {
  readonly #machine: Machine;
  readonly #options: ProgramOptions;
  readonly #reader = new InputReader();
  readonly #readFile: (file: string) => Promise<string>;
  #definitions: readonly Definition[] = [];
  #inputs: SetInputs = emptyRecord();
  #last: string | undefined;
  isOver = false;

  constructor(
    machine: Machine,
    options: ProgramOptions,
    inputs: SetInputs,
    readFile: (file: string) => Promise<string>,
  ) {
    this.#machine = machine;
    this.#options = options;
    this.#inputs = inputs;
    this.#readFile = readFile;
  }

  readonly #commands: Readonly<Record<string, Command>> = {
    set: (argument) => this.#set(argument),
    unset: (argument) => {
      if (!Object.hasOwn(this.#inputs, argument)) throw new UsageError(`${argument} is not set`);
      const others = Object.entries(this.#inputs).filter(([name]) => name !== argument);
      this.#inputs = recordOf(others);
    },
    inputs: () => print(this.#describeInputs()),
    defs: () => print(this.#definitions.map(({ text }) => text).join("\n") || "(none)"),
    grad: (argument, signal) => this.#gradient(argument, signal),
    tape: () => this.#explain("tape"),
    core: () => this.#explain("core"),
    time: (_, signal) => this.#time(signal),
    load: async (argument, signal) => this.run(await this.#readFile(argument), signal),
    reset: () => {
      this.#definitions = [];
      this.#inputs = emptyRecord();
      this.#last = undefined;
    },
    help: () => print(HELP),
    quit: () => {
      this.isOver = true;
    },
  };

  /** Names of the commands, for completion. */
  get commandNames(): readonly string[] {
    return Object.keys(this.#commands);
  }

  /** Evaluates an input or obeys a `:command`. */
  async run(input: string, signal: AbortSignal): Promise<void> {
    const text = input.trim();
    if (text === "") return;
    if (!text.startsWith(":")) return this.#evaluate(input, signal);
    const [word = "", ...rest] = text.slice(1).split(/\s+/);
    const name = word === "q" || word === "exit" ? "quit" : word;
    const command = Object.hasOwn(this.#commands, name) ? this.#commands[name] : undefined;
    if (command === undefined) {
      const near = nearest(name, this.commandNames);
      throw new UsageError(
        `there is no command :${name}${near === undefined ? "; :help lists them" : `; did you mean :${near}?`}`,
      );
    }
    await command(text.slice(1 + word.length).trim() || rest.join(" "), signal);
  }

  async #evaluate(input: string, signal: AbortSignal): Promise<void> {
    requireReadable(input, this.#machine.memoryMax);
    const { definitions, expressions, hasExpression } = splitForms(input);
    const all = withDefinitions(this.#definitions, definitions);
    if (hasExpression) {
      await this.#withProgram(expressions, all, async (program) => {
        const inputs = this.#used(program);
        const result = await this.#limited(program, inputs, signal);
        await printPieces(tableText({ result, inputs, precision: this.#options.precision }));
        warnAbout(result);
      });
      this.#last = expressions;
    } else if (definitions.length > 0) {
      await this.#checkDefinitions(all, signal);
      print(definitions.map(({ name }) => `; ${name}`).join("\n"));
    }
    this.#definitions = all;
  }

  /** Runs the definitions alone, so that a bad one is refused when it is made. */
  async #checkDefinitions(all: readonly Definition[], signal: AbortSignal): Promise<void> {
    await this.#withProgram("0", all, async (program) => {
      const inputs = this.#used(program);
      if (program.inputs.some((name) => !Object.hasOwn(inputs, name))) return;
      await this.#limited(program, inputs, signal);
    });
  }

  #limited(program: Program, inputs: SetInputs, interrupt: AbortSignal): Promise<Evaluation> {
    return withinLimits(this.#options, interrupt, (signal) =>
      program.evaluateAsync(inputs, { ...this.#budgets(), signal }),
    );
  }

  #limitedGradient(
    program: Program,
    inputs: SetInputs,
    interrupt: AbortSignal,
    wrt: { readonly wrt?: readonly string[] } = {},
  ): Promise<GradientResult> {
    return withinLimits(this.#options, interrupt, (signal) =>
      program.gradientAsync(inputs, { ...this.#budgets(), ...wrt, signal }),
    );
  }

  async #withProgram<T>(
    expression: string,
    definitions: readonly Definition[],
    work: (program: Program) => Promise<T> | T,
  ): Promise<T> {
    const dialogue = new DialogueProgram(definitions, expression);
    let program: Program | undefined;
    try {
      const source = { text: dialogue.text, file: undefined };
      program = loadProgram(this.#machine, source, this.#options, Object.keys(this.#inputs));
      return await work(program);
    } catch (error) {
      throw error instanceof NdvmError
        ? inCommandWords(dialogue.locate(error), { command: "repl" })
        : error;
    } finally {
      program?.dispose();
    }
  }

  #budgets(): ReturnType<typeof budgetsOf> {
    return budgetsOf(this.#options);
  }

  /** The inputs that this program asks for; the dialogue may hold others. */
  #used(program: Program): SetInputs {
    return recordOf(Object.entries(this.#inputs).filter(([name]) => program.inputs.includes(name)));
  }

  #lastExpression(): string {
    if (this.#last === undefined) throw new UsageError("evaluate an expression first");
    return this.#last;
  }

  async #set(argument: string): Promise<void> {
    const [name, value] = splitAssignment(argument, ":set");
    const given = [name, await this.#reader.parse(name, value)] as const;
    this.#inputs = recordOf([...Object.entries(this.#inputs), given]);
  }

  #describeInputs(): string {
    const names = Object.keys(this.#inputs);
    return names.length === 0
      ? "(none)"
      : names.map((name) => inOneLine(this.#describeInput(name))).join("\n");
  }

  #describeInput(name: string): string {
    const input = own(this.#inputs, name);
    if (typeof input === "number") return `${name} = ${input}`;
    if (input === undefined || !("kind" in input)) return `${name}: ${input?.length} lanes`;
    if (input.kind === "int") return `${name} = ${input.value} (integer)`;
    if (input.kind === "over") return `${name}: over ${input.axes.join(" × ")}`;
    return `${name}: ${input.rank === 1 ? "vector" : "matrix"} ${input.rows}×${input.cols}`;
  }

  #gradient(argument: string, interrupt: AbortSignal): Promise<void> {
    const names = argument.split(/[\s,]+/).filter(Boolean);
    const wrt = names.length === 0 ? {} : { wrt: names };
    return this.#withProgram(this.#lastExpression(), this.#definitions, async (program) => {
      const inputs = this.#used(program);
      const result = await this.#limitedGradient(program, inputs, interrupt, wrt);
      await printPieces(tableText({ result, inputs, precision: this.#options.precision }));
      warnAbout(result);
    });
  }

  #explain(what: "tape" | "core"): Promise<void> {
    return this.#withProgram(this.#lastExpression(), this.#definitions, (program) => {
      if (what === "core") return print(program.printCore());
      const explanation = withinTime(this.#options, (timeLeft) =>
        program.explain(this.#used(program), { ...this.#budgets(), timeMax: timeLeft() }),
      );
      print(tapeText(explanation, false));
      print(section("inputs", inputsText(explanation)));
    });
  }

  #time(signal: AbortSignal): Promise<void> {
    return this.#withProgram(this.#lastExpression(), this.#definitions, async (program) => {
      const inputs = this.#used(program);
      const { stats } = await this.#limited(program, inputs, signal);
      const value = repeat(() => program.evaluate(inputs, this.#budgets()));
      print(`value      ${timeText(value)} (${countText(stats.steps)} steps)`);
      try {
        // What is timed has no limit, so that it goes the way of a plain call.
        await this.#limitedGradient(program, inputs, signal);
        const gradient = repeat(() => program.gradient(inputs, this.#budgets()));
        const { stats: counted } = program.gradient(inputs, this.#budgets());
        print(
          `gradient   ${timeText(gradient)} (${countText(counted.tapeRecords)} tape records, ` +
            `${bytesText(counted.tapeBytes + counted.primalBytes + counted.adjointBytes)})`,
        );
      } catch (error) {
        if (!(error instanceof NdvmError)) throw error;
        print(`gradient   none (${error.code}: ${error.message})`);
      }
      if (stats.lanes > 1) print(`lanes      ${stats.lanes}`);
    });
  }
}

/** Milliseconds of the fastest of the runs that fit into TIMING_MS (at least one). */
function repeat(work: () => unknown): number {
  let best = Number.POSITIVE_INFINITY;
  const end = performance.now() + TIMING_MS;
  do {
    const start = performance.now();
    work();
    best = Math.min(best, performance.now() - start);
  } while (performance.now() < end);
  return best;
}
