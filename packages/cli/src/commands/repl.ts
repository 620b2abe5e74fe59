/**
 * `ndvm repl`: the terminal around a dialogue. Reads lines until parentheses balance, keeps a
 * history, and gives Ctrl-C to the running evaluation if there is one. With a pipe instead of a
 * terminal it reads the same language without prompts.
 */

import { createInterface, type Interface } from "node:readline";
import { NdvmError } from "@ndvm/core";
import { readInputs, UsageError } from "../inputs.js";
import { openMachine } from "../loaded.js";
import type { ProgramOptions } from "../options.js";
import { Dialogue } from "../repl/dialogue.js";
import { LINES_MAX, loadHistory, saveHistory } from "../repl/history.js";
import { PendingInput } from "../repl/pending.js";
import { note, out, print, reportError, warn } from "../terminal.js";
import { PROGRAM_BYTES_MOST, readTextFile } from "../text-file.js";

const PROMPT = "ndvm> ";
const MORE = "  ... ";

export async function repl(file: string | undefined, options: ProgramOptions): Promise<number> {
  const inputs = await readInputs(options.set, options.int);
  const machine = await openMachine(options);
  const readProgram = (name: string) => readTextFile(name, PROGRAM_BYTES_MOST);
  const dialogue = new Dialogue(machine, options, inputs, readProgram);
  const terminal = new Terminal(dialogue);
  if (file !== undefined) await terminal.execute(await readProgram(file));
  const code = await terminal.loop();
  machine.dispose();
  return code;
}

class Terminal {
  readonly #dialogue: Dialogue;
  readonly #isInteractive = process.stdin.isTTY === true;
  readonly #lines: Interface;
  readonly #pending = new PendingInput();
  #running: AbortController | undefined;
  #hasFailed = false;

  constructor(dialogue: Dialogue) {
    this.#dialogue = dialogue;
    this.#lines = createInterface({
      input: process.stdin,
      ...(this.#isInteractive ? { output: process.stdout } : {}),
      history: this.#isInteractive ? loadHistory() : [],
      historySize: LINES_MAX,
      removeHistoryDuplicates: true,
      completer: (line: string) => [this.#completions(line), line],
    });
    this.#lines.on("history", (history: string[]) => saveHistory(history));
    this.#lines.on("SIGINT", () => this.#interrupt());
  }

  #completions(line: string): string[] {
    if (!line.startsWith(":")) return [];
    return this.#dialogue.commandNames
      .map((name) => `:${name}`)
      .filter((name) => name.startsWith(line));
  }

  /** Ctrl-C: stops the evaluation, or clears what was typed. */
  #interrupt(): void {
    if (this.#running) {
      this.#running.abort();
      return;
    }
    if (!this.#isInteractive) process.exit(130);
    const isEmpty = this.#pending.isEmpty && this.#lines.line === "";
    this.#pending.take();
    process.stdout.write("\n");
    if (isEmpty) note("(Ctrl-D or :quit leaves)");
    this.#lines.write(null, { ctrl: true, name: "e" });
    this.#lines.write(null, { ctrl: true, name: "u" });
    this.#prompt();
  }

  #prompt(): void {
    if (!this.#isInteractive) return;
    this.#lines.setPrompt(this.#pending.isEmpty ? PROMPT : MORE);
    this.#lines.prompt();
  }

  async loop(): Promise<number> {
    const onSignal = (): void => this.#interrupt();
    process.on("SIGINT", onSignal);
    if (this.#isInteractive) print(out.dim("NDVM. Type an expression, :help, or :quit."));
    this.#prompt();
    for await (const line of this.#lines) {
      const isCommand = this.#pending.isEmpty && line.trimStart().startsWith(":");
      this.#pending.add(line);
      if (isCommand || this.#pending.isComplete) {
        await this.execute(this.#pending.take());
        if (this.#dialogue.isOver) break;
      }
      this.#prompt();
    }
    if (!this.#pending.isEmpty && !this.#dialogue.isOver) await this.execute(this.#pending.take());
    this.#lines.close();
    process.off("SIGINT", onSignal);
    return this.#hasFailed && !this.#isInteractive ? 1 : 0;
  }

  /** Runs one input; errors are shown and end nothing. */
  async execute(input: string): Promise<void> {
    this.#running = new AbortController();
    try {
      await this.#dialogue.run(input, this.#running.signal);
    } catch (error) {
      this.#hasFailed = true;
      if (error instanceof NdvmError) reportError(error);
      else if (error instanceof UsageError) warn(error.message);
      else throw error;
    } finally {
      this.#running = undefined;
    }
  }
}
