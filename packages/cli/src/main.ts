/**
 * The `ndvm` command: its subcommands, their help, and the exit code.
 *
 *   0  done        1  the user's error: a program, a file, a lane that failed
 *   2  usage       130  interrupted with Ctrl-C
 */

import { type ErrorCode, NdvmError } from "@ndvm/core";
import { Command, CommanderError } from "commander";
import { addClusterCommands } from "./commands/cluster-commands.js";
import { differentiate, evaluate } from "./commands/evaluate.js";
import { explain } from "./commands/explain.js";
import { repl } from "./commands/repl.js";
import { addSearchCommands } from "./commands/search-commands.js";
import { addFitOptions, type FitCommandOptions } from "./fit/options.js";
import { UsageError } from "./inputs.js";
import {
  addFormatOption,
  addOutputOptions,
  addProgramOptions,
  addRunOptions,
  collect,
  type EvalOptions,
  type ExplainOptions,
  type GradOptions,
  type ProgramOptions,
  parseCount,
  parseNames,
  parseSeed,
} from "./options.js";
import { slipIn } from "./slips.js";
import { endQuietlyOnBrokenPipe, pipeIsBroken, reportError, write } from "./terminal.js";
import { rememberCommand } from "./typed-command.js";
import { commandVersion } from "./versions.js";

/** Codes of the user's errors that are not 1. */
const EXIT_CODES: Partial<Record<ErrorCode, number>> = {
  "E-OPTION": 2,
  "E-CLUSTER": 2,
  "E-ABORTED": 130,
};

const INPUTS_HELP = `
Inputs:
  The free names of a program are its inputs. A value is shared by all lanes or spread over them:
    --set a=1.5                  a number, shared
    --set t=0:10:0.1             start:stop:step, ends included: one lane per value
    --set t=0,1,5                one lane per value
    --set x=@data.csv:height     a column of a CSV, TSV or JSON table: one lane per row
    --set v='[1, 2, 3]'          a vector, shared
    --set A='[[1, 0], [0, 1]]'   a matrix, shared
    --set A=@matrix.csv          a whole CSV or JSON file: one vector or matrix, shared
    --int n=80                   a structural integer (a step count or size), shared
  Lists, ranges and columns spread over lanes; brackets and whole files are one vector or matrix.
  All inputs that spread must have the same number of values.`;

const FIT_HELP = `
How it works:
  Free names of the program that are columns of the data are bound row by row, and its value is the
  prediction of --target in that row. All other free names are parameters, and the fit finds them.
  Without --target the program's value is the loss itself, and columns are vectors.
  Ctrl-C ends the fit: the best so far is printed, and the exit code is 130.`;

const examples = (...lines: readonly string[]): string =>
  `\nExamples:\n${lines.map((line) => `  ${line}`).join("\n")}`;

/** Receives the exit code of the command that ran. */
type Finish = (code: number) => void;

function buildCommands(finish: Finish): Command {
  const root = new Command("ndvm")
    .description("Runs Scheme models as data and returns exact gradients.")
    .version(commandVersion(), "-V, --version")
    .showHelpAfterError("(add --help for all options)")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => write(process.stdout, text),
      writeErr: (text) => write(process.stderr, text),
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
  addEval(root, finish);
  addGrad(root, finish);
  addExplain(root, finish);
  addFit(root, finish);
  addSearchCommands(root, finish);
  addClusterCommands(root, finish);
  addRepl(root, finish);
  addServe(root, finish);
  return root;
}

function addEval(root: Command, finish: Finish): void {
  addOutputOptions(addProgramOptions(root.command("eval")))
    .description("evaluate a program")
    .addHelpText("after", INPUTS_HELP)
    .addHelpText(
      "after",
      examples(
        "ndvm eval -e '(+ 1 2)'",
        "ndvm eval model.scm --set a=2 --set t=0:10:0.1 --plot",
        "echo '(matmul A A)' | ndvm eval --set A=@matrix.csv --format json",
      ),
    )
    .action(async (file: string | undefined, options: EvalOptions) =>
      finish(await evaluate(file, options)),
    );
}

function addGrad(root: Command, finish: Finish): void {
  addOutputOptions(addProgramOptions(root.command("grad")))
    .description("evaluate a program and differentiate it")
    .option("--wrt <names>", "inputs to differentiate by (default: all)", parseNames)
    .option(
      "--seed-adjoint <numbers>",
      "output adjoint: one number, or one per lane and element, separated by commas",
      parseSeed,
    )
    .addHelpText("after", INPUTS_HELP)
    .addHelpText(
      "after",
      examples(
        "ndvm grad -e '(* a (sin t))' --set a=2 --set t=0:3:0.5",
        "ndvm grad -e '(matvec A v)' --set A='[[1,2],[3,4]]' --set v='[1,1]' --seed-adjoint 1,0",
        "ndvm grad model.scm --set a=2 --set t=@data.csv:t --format csv > gradients.csv",
      ),
    )
    .action(async (file: string | undefined, options: GradOptions) =>
      finish(await differentiate(file, options)),
    );
}

function addExplain(root: Command, finish: Finish): void {
  addFormatOption(addProgramOptions(root.command("explain")), ["table", "json"])
    .description("show core forms, the tape, active inputs, and branch flips")
    .option("--wrt <names>", "inputs to differentiate by (default: all)", parseNames)
    .option("--to <name=value>", "go there from the value set, logging branch flips", collect)
    .option("--points <n>", "points on the way (default: 20)", parseCount)
    .addHelpText("after", INPUTS_HELP)
    .addHelpText(
      "after",
      examples(
        "ndvm explain model.scm",
        "ndvm explain -e '(* a (exp (* k t)))' --set a=2 --set k=-1 --set t=3 --wrt k",
        "ndvm explain -e '(if (> x 1) (* x x) x)' --set x=0 --to x=2",
      ),
    )
    .action(async (file: string | undefined, options: ExplainOptions) =>
      finish(await explain(file, options)),
    );
}

function addFit(root: Command, finish: Finish): void {
  addFitOptions(root.command("fit"))
    .description("fit a program's constants to data")
    .addHelpText("after", FIT_HELP)
    .addHelpText(
      "after",
      examples(
        "ndvm fit model.scm --data data.csv --target y",
        "ndvm fit model.scm --data data.csv --target y --param k=0.01..10 --bound k=0.. --restarts 32",
        "ndvm fit -e '(* a (exp (- (* k t))))' --data d.tsv --target y --group cell:a --hold-out 0.2",
        "ndvm fit model.scm --data d.csv --target y --report fit.html --export js=model.js",
        "ndvm fit likelihood.scm --data returns.csv --likelihood --log omega --json > fit.json",
      ),
    )
    .action(async (file: string | undefined, options: FitCommandOptions) => {
      const { fit } = await import("./commands/fit.js");
      finish(await fit(file, options));
    });
}

function addRepl(root: Command, finish: Finish): void {
  addRunOptions(root.command("repl"))
    .argument("[file]", "definitions and expressions to run first")
    .description("evaluate expressions as you type them")
    .addHelpText("after", INPUTS_HELP)
    .addHelpText(
      "after",
      examples("ndvm repl", "ndvm repl model.scm --set a=2", "ndvm repl < session.txt"),
    )
    .action(async (file: string | undefined, options: ProgramOptions) =>
      finish(await repl(file, options)),
    );
}

function addServe(root: Command, finish: Finish): void {
  root
    .command("serve")
    .description("answer calls of another program over standard input and output")
    .addHelpText(
      "after",
      "\nThe Python package starts it by itself; docs/protocol.md describes calls.",
    )
    .action(async () => {
      const { serve } = await import("./commands/serve.js");
      finish(await serve());
    });
}

/** Runs the command line and returns the exit code. */
export async function run(args: readonly string[]): Promise<number> {
  endQuietlyOnBrokenPipe();
  rememberCommand(args);
  let code = 0;
  const root = buildCommands((result) => {
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
    return pipeIsBroken() ? 0 : code;
  } catch (error) {
    return reportFailure(error);
  }
}

function reportFailure(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof UsageError) {
    write(process.stderr, `error: ${error.message}\n(add --help for all options)\n`);
    return 2;
  }
  if (error instanceof NdvmError) {
    reportError(error);
    return EXIT_CODES[error.code] ?? 1;
  }
  throw error;
}
