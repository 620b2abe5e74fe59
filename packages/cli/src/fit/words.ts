/**
 * What `fit` says in the words of JavaScript, said in those of the command line: rows as the file
 * counts them, and options as they are typed.
 */

import { NdvmError } from "@ndvm/core";
import type { FitProblem } from "./problem.js";

/** Options of `fit` whose names on the command line are not made by hyphens alone. */
const OPTION_NAMES: Readonly<Record<string, string>> = {
  timeMax: "--time",
  groups: "--group",
  isNegativeLogLikelihood: "--likelihood",
  "adam.rate": "--rate",
};

const optionName = (name: string): string =>
  OPTION_NAMES[name] ?? `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** The error as a user of the command line can act on it. */
export function inCommandWords(error: unknown, problem: FitProblem): unknown {
  if (!(error instanceof NdvmError)) return error;
  const help =
    helpFor(error, problem) ??
    error.help
      ?.replace(/params: \{ (\S+): \{\} \}/, "--param $1")
      .replace(/\{ fixed: (\S+) \}/, "--fix $1")
      .replace("timeMax", "--time")
      .replace("leave out target where", "leave out --target where");
  const message = withFileRows(error.message, problem)
    .replace(/the option ([\w.]+)/, (_, name: string) => optionName(name))
    .replace(/^huberWidth is/, "--huber-width is")
    .replace(/: (?:lane \d+ is )?(\S+): first made so by/, ": it is $1, made so by");
  const { span, source, file } = error;
  return new NdvmError(error.code, message, { span, source, file, help });
}

/** Rows of the fit are counted without those left out; the file's own numbers help more. */
function withFileRows(message: string, { table, rows }: FitProblem): string {
  if (table === undefined || rows === undefined) return message;
  return message.replace(
    /\brows? (\d+(?:, \d+)*)( and \d+ more)?/g,
    (_, list: string, more: string | undefined) => {
      const shown = list.split(", ").map((text) => rows.taken[Number(text) - 1] ?? 0);
      return `${table.rowsInWords(shown)}${more ?? ""}`;
    },
  );
}

function helpFor(
  error: NdvmError,
  { table, targets, rows, columns }: FitProblem,
): string | undefined {
  const fixed = /parameter (\S+) contradict.*: (\S+) is not below \2$/.exec(error.message);
  if (fixed) return `to keep it there: --fix ${fixed[1]}=${fixed[2]}`;
  if (error.code === "E-RESULT" && targets.length === 0 && table !== undefined) {
    const unused = table.names.filter((name) => !columns.includes(name));
    const guess = unused[0] === undefined ? "--target" : `--target ${unused[0]}`;
    return (
      "without --target the program's value is the loss, one number; " +
      `for predictions of a column give ${guess}`
    );
  }
  if (/is not finite on row/.test(error.message)) {
    return `${error.help}, or leave these rows out with --where`;
  }
  const left = (rows?.filtered ?? 0) + (rows?.missing ?? 0) + (rows?.heldOut.length ?? 0);
  if (/^there are \d+ points for/.test(error.message) && left > 0) {
    return `${left} of ${table?.rowCount} rows are left out; ${error.help}`;
  }
  return undefined;
}
