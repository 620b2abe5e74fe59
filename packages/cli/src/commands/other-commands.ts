/** All commands but eval and grad. A process that runs one of those two does not load this file. */

import type { Command } from "commander";
import { addFitOptions, type FitCommandOptions } from "../fit/options.js";
import {
  addFormatOption,
  addProgramOptions,
  addRunOptions,
  collect,
  type ExplainOptions,
  type ProgramOptions,
  parseCount,
  parseNames,
} from "../options.js";
import { addClusterCommands } from "./cluster-commands.js";
import { explain } from "./explain.js";
import { examples, type Finish, INPUTS_HELP } from "./help.js";
import { repl } from "./repl.js";
import { addSearchCommands } from "./search-commands.js";

const FIT_HELP = `
How it works:
  Free names of the program that are columns of the data are bound row by row, and its value is the
  prediction of --target in that row. All other free names are parameters, and the fit finds them.
  Without --target the program's value is the loss itself, and columns are vectors.
  Ctrl-C ends the fit: the best so far is printed, and the exit code is 130.`;

export function addOtherCommands(root: Command, finish: Finish): void {
  addExplain(root, finish);
  addFit(root, finish);
  addSearchCommands(root, finish);
  addClusterCommands(root, finish);
  addRepl(root, finish);
  addServe(root, finish);
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
      const { fit } = await import("./fit.js");
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
      const { serve } = await import("./serve.js");
      finish(await serve());
    });
}
