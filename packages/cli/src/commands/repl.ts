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
import { isComplete } from "../repl/complete.js";
import { Dialogue } from "../repl/dialogue.js";
import { LINES_MAX, loadHistory, saveHistory } from "../repl/history.js";
import { note, out, print, reportError, warn } from "../terminal.js";
import { readTextFile } from "../text-file.js";

const PROMPT = "ndvm> ";
const MORE = "  ... ";

export async function repl(file: string | undefined, options: ProgramOptions): Promise<number> {
  const inputs = await readInputs(options.set, options.int);
  const machine = await openMachine(options);
  const dialogue = new Dialogue(machine, options, inputs, readTextFile);
  const terminal = new Terminal(dialogue);
  if (file !== undefined) await terminal.execute(await readTextFile(file));
  const code = await terminal.loop();
  machine.dispose();
  return code;
}

class Terminal {
  readonly #dialogue: Dialogue;
  readonly #isInteractive = process.stdin.isTTY === true;
  readonly #lines: Interface;
  #buffer = "";
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
    const isEmpty = this.#buffer === "" && this.#lines.line === "";
    this.#buffer = "";
    process.stdout.write("\n");
    if (isEmpty) note("(Ctrl-D or :quit leaves)");
    this.#lines.write(null, { ctrl: true, name: "e" });
    this.#lines.write(null, { ctrl: true, name: "u" });
    this.#prompt();
  }

  #prompt(): void {
    if (!this.#isInteractive) return;
    this.#lines.setPrompt(this.#buffer === "" ? PROMPT : MORE);
    this.#lines.prompt();
  }

  async loop(): Promise<number> {
    const onSignal = (): void => this.#interrupt();
    process.on("SIGINT", onSignal);
    if (this.#isInteractive) print(out.dim("NDVM. Type an expression, :help, or :quit."));
    this.#prompt();
    for await (const line of this.#lines) {
      this.#buffer = this.#buffer === "" ? line : `${this.#buffer}\n${line}`;
      if (this.#buffer.trimStart().startsWith(":") || isComplete(this.#buffer)) {
        const input = this.#buffer;
        this.#buffer = "";
        await this.execute(input);
        if (this.#dialogue.isOver) break;
      }
      this.#prompt();
    }
    if (this.#buffer !== "" && !this.#dialogue.isOver) await this.execute(this.#buffer);
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
