/** The commands that run a program once. They are there in every process, so they load little. */

import type { Command } from "commander";
import {
  addOutputOptions,
  addProgramOptions,
  type EvalOptions,
  type GradOptions,
  parseNames,
  parseSeed,
} from "../options.js";
import { differentiate, evaluate } from "./evaluate.js";
import { examples, type Finish, INPUTS_HELP } from "./help.js";

/** Adds the one of them that is named, or both. */
export function addRunCommands(root: Command, name: string | undefined, finish: Finish): void {
  if (name !== "grad") addEval(root, finish);
  if (name !== "eval") addGrad(root, finish);
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
