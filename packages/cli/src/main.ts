/**
 * The `ndvm` command: its subcommands, their help, and the exit code.
 *
 *   0  done        1  the user's error: a program, a file, a lane that failed; or an error of ours
 *   2  usage       3  a fit that has not converged       130  interrupted with Ctrl-C
 */

import { type ErrorCode, inOneLine, NdvmError } from "@ndvm/core/machine";
import { Command, CommanderError } from "commander";
import { examples, type Finish } from "./commands/help.js";
import { addRunCommands } from "./commands/run-commands.js";
import { commandVersion } from "./commands/versions.js";
import { UsageError } from "./inputs.js";
import { slipIn } from "./slips.js";
import { codeOfBrokenOutput, complain, endOnBrokenOutput, reportError, write } from "./terminal.js";
import { rememberCommand } from "./typed-command.js";

/** Codes of the user's errors that are not 1. */
const EXIT_CODES: Partial<Record<ErrorCode, number>> = {
  "E-OPTION": 2,
  "E-CLUSTER": 2,
  "E-ABORTED": 130,
};

/** Commands that can be run without the code of the others. */
const LIGHT: ReadonlySet<string | undefined> = new Set(["eval", "grad"]);

async function buildCommands(args: readonly string[], finish: Finish): Promise<Command> {
  const root = new Command("ndvm")
    .description(
      "Evaluates, differentiates and fits models that are small programs, and searches for them.",
    )
    .version(commandVersion(), "-V, --version")
    .showHelpAfterError("(add --help for all options)")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => write(process.stdout, text),
      writeErr: complain,
    })
    .addHelpText(
      "after",
      examples(
        "ndvm eval -e '(* a (exp (* k t)))' --set a=2 --set k=-0.5 --set t=0:10:1",
        "ndvm grad model.scm --set a=2 --set k=-0.5 --set t=@data.csv:time --wrt a,k",
        "ndvm explain -e '(if (> x 0) (* x y) y)' --set x=1 --set y=2",
        "ndvm fit model.scm --data data.csv --target y --param k=0.01..10 --restarts 32",
        "ndvm search --data data.csv --target y --budget 1m --report study.html",
        "ndvm repl",
      ),
    );
  addRunCommands(root, args[0], finish);
  if (!LIGHT.has(args[0])) {
    const { addOtherCommands } = await import("./commands/other-commands.js");
    addOtherCommands(root, finish);
  }
  return root;
}

/** Runs the command line and returns the exit code. */
export async function run(args: readonly string[]): Promise<number> {
  endOnBrokenOutput();
  rememberCommand(args);
  let code = 0;
  const root = await buildCommands(args, (result) => {
    code = result;
  });
  if (args.length === 0) {
    root.outputHelp({ error: true });
    return 2;
  }
  try {
    const slip = slipIn(root, args);
    if (slip !== undefined) throw new UsageError(slip);
    await root.parseAsync(args, { from: "user" });
    return codeOfBrokenOutput() ?? code;
  } catch (error) {
    return reportFailure(error);
  }
}

function reportFailure(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof UsageError) {
    complain(`error: ${inOneLine(error.message)}\n(add --help for all options)\n`);
    return 2;
  }
  if (error instanceof NdvmError) {
    reportError(error);
    return EXIT_CODES[error.code] ?? 1;
  }
  throw error;
}

/** Runs the command line of this process, and ends it at once where something failed that nobody foresaw. */
export async function runProcess(args: readonly string[]): Promise<void> {
  const endAtOnce = (error: unknown): never => process.exit(reportInternalError(error));
  // Errors that nobody waits for would be written by Node as they are.
  process.on("uncaughtException", endAtOnce);
  try {
    process.exitCode = await run(args);
  } catch (error) {
    endAtOnce(error);
  }
}

/** An error of ours, cleaned like everything else that is written: it may quote a stranger's words. */
export function reportInternalError(error: unknown): number {
  const text = error instanceof Error ? (error.stack ?? String(error)) : String(error);
  write(process.stderr, `internal error: ${text}\n`);
  return 1;
}
