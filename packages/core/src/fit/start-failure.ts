/**
 * Why a fit could not even begin: evaluates the program at the first start and says on which rows
 * it fails or is not finite.
 */

import { NdvmError } from "../errors.js";
import type { Evaluation, Input } from "../machine/types.js";
import { limited } from "./batch.js";
import { causeOf, rowInputs } from "./diagnosis.js";
import type { Problem } from "./fit.js";
import type { Restart } from "./restart.js";

/** Throws what can be told; returns where the program itself is well there. */
export function explainStart(problem: Problem, restart: Restart): void {
  const { source: program, table, parameters, options } = problem;
  const inputs = rowInputs(problem, restart.start);
  const outcome = program.evaluateTraced(inputs, limited(options));
  const starts = parameters.free.map(({ label }, j) => `${label} = ${restart.start[j]}`);
  const at = `at ${starts.join(", ")}`;
  checkShape(outcome, table?.targets.length ?? 1);
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
  const bad = outcome.nonFinite.map(({ lane }) => lane);
  const where = table === undefined || outcome.lanes === 1 ? "" : ` on ${rowsInWords(bad)}`;
  const reason = outcome.nonFinite[0];
  const details = {
    span: reason?.span,
    source: program.source,
    file: program.file,
    help: "start elsewhere, draw starts from a range, or bound the parameters",
  };
  if (bad.length > 0) {
    const told = reason === undefined ? "" : `: ${causeOf(reason)}`;
    throw new NdvmError(
      "E-INPUT",
      `the ${table === undefined ? "loss" : "prediction"} is not finite${where} ${at}${told}`,
      details,
    );
  }
  explainLoss(problem, outcome, at);
  throw new NdvmError("E-INPUT", `the loss or its gradient is not finite ${at}`, details);
}

/** The same for the user's own loss, at predictions that are well. */
function explainLoss(
  { lossProgram, table, options }: Problem,
  { values, lanes }: Evaluation,
  at: string,
): void {
  if (lossProgram === undefined || table === undefined) return;
  const { target, columns, others, rows, targets } = table;
  const predictions = target.map((_, point) => {
    const row = lanes === 1 ? 0 : point % rows;
    return values[row * targets.length + Math.floor(point / rows)] as number;
  });
  const known: Readonly<Record<string, Input>> = {
    ...columns,
    ...others,
    ...Object.fromEntries(targets.map(({ name }) => [name, target])),
    target,
    pred: predictions,
  };
  const read = lossProgram.inputs.map((name) => [name, known[name]]);
  const outcome = lossProgram.evaluate(Object.fromEntries(read), limited(options));
  const details = { source: lossProgram.source, file: lossProgram.file };
  if (outcome.shape?.length !== 0)
    throw new NdvmError("E-RESULT", "the loss of a point is no number", {
      ...details,
      help: "a loss is an expression over pred, the target and columns, as (abs (- pred y))",
    });
  const reason = outcome.nonFinite[0] ?? outcome.failures[0];
  if (reason === undefined) return;
  const told = "error" in reason ? reason.error.message : causeOf(reason);
  const span = "error" in reason ? reason.error.span : reason.span;
  const bad = [...outcome.nonFinite, ...outcome.failures].map(({ lane }) => lane % rows);
  throw new NdvmError("E-INPUT", `the loss fails on ${rowsInWords(bad)} ${at}: ${told}`, {
    ...details,
    span,
    help: "start elsewhere, or write a loss that is finite there",
  });
}

/** The program's value must be a number, or a vector with an element for each target. */
export function checkShape({ shape }: Pick<Evaluation, "shape">, targets: number): void {
  const wanted = targets === 1 ? 0 : 1;
  if (shape?.length === wanted && (wanted === 0 || shape[0] === targets)) return;
  const kind =
    shape === undefined
      ? "not a number"
      : ["a number", `a vector of ${shape[0]}`, "a matrix"][shape.length];
  throw new NdvmError("E-RESULT", `the program's value is ${kind}`, {
    help:
      targets === 1
        ? "a fit needs one number: the prediction of the target, or the loss"
        : `there are ${targets} targets: its value must be a vector of ${targets}`,
  });
}

/** Rows are counted from 1. */
function rowsInWords(lanes: readonly number[]): string {
  const shown = lanes.slice(0, 8).map((lane) => lane + 1);
  const more = lanes.length > shown.length ? ` and ${lanes.length - shown.length} more` : "";
  return `${lanes.length === 1 ? "row" : "rows"} ${shown.join(", ")}${more}`;
}
