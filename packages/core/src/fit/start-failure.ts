/**
 * Why a fit could not even begin: evaluates the program at the first start and says on which rows
 * it fails or is not finite.
 */

import { NdvmError } from "../errors.js";
import type { Program } from "../machine/program.js";
import type { Evaluation, Input } from "../machine/types.js";
import { limited } from "./batch.js";
import type { Problem } from "./fit.js";
import type { Restart } from "./restart.js";

/** Throws what can be told; returns where the program itself is well there. */
export function explainStart(program: Program, problem: Problem, restart: Restart): void {
  const { table, parameters, data, options } = problem;
  const inputs: Record<string, Input> = { ...data, ...parameters.fixed, ...table?.columns };
  for (const [j, { input, group }] of parameters.free.entries())
    if (group <= 0) inputs[input] = restart.start[j] as number;
  const outcome = program.evaluate(inputs, limited(options.stepsMax));
  const starts = parameters.free.map(({ label }, j) => `${label} = ${restart.start[j]}`);
  const at = `at ${starts.join(", ")}`;
  checkShape(outcome);
  const [failure] = outcome.failures;
  if (failure !== undefined) {
    const rows = rowsInWords(outcome.failures.map(({ lane }) => lane));
    const { error } = failure;
    throw new NdvmError(error.code, `the program fails on ${rows} ${at}: ${error.message}`, {
      span: error.span,
      source: program.source,
      file: program.file,
      help: error.help ?? "start elsewhere, or leave out these rows",
    });
  }
  const bad = [...outcome.values.keys()].filter((lane) => !Number.isFinite(outcome.values[lane]));
  const where = table === undefined || outcome.lanes === 1 ? "" : ` on ${rowsInWords(bad)}`;
  const reason = outcome.nonFinite[0];
  const details = {
    span: reason?.span,
    source: program.source,
    file: program.file,
    help: "start elsewhere, draw starts from a range, or bound the parameters",
  };
  if (bad.length > 0) {
    const told = reason === undefined ? "" : `: ${reason.message}`;
    throw new NdvmError(
      "E-INPUT",
      `the ${table === undefined ? "loss" : "prediction"} is not finite${where} ${at}${told}`,
      details,
    );
  }
  throw new NdvmError("E-INPUT", `the loss or its gradient is not finite ${at}`, details);
}

function checkShape({ shape }: Evaluation): void {
  if (shape !== undefined && shape.length === 0) return;
  const kind = shape === undefined ? "not a number" : shape.length === 1 ? "a vector" : "a matrix";
  throw new NdvmError("E-RESULT", `the program's value is ${kind}`, {
    help: "a fit needs one number: the prediction of the target, or the loss",
  });
}

/** Rows are counted from 1. */
function rowsInWords(lanes: readonly number[]): string {
  const shown = lanes.slice(0, 8).map((lane) => lane + 1);
  const more = lanes.length > shown.length ? ` and ${lanes.length - shown.length} more` : "";
  return `${lanes.length === 1 ? "row" : "rows"} ${shown.join(", ")}${more}`;
}
