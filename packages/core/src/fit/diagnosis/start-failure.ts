/**
 * Why a fit could not even begin: evaluates the program at the first start and says on which rows
 * it fails or is not finite.
 */

import { type ErrorFacts, NdvmError } from "../../errors.js";
import type { Evaluation, Input } from "../../machine/types.js";
import { own, recordOf } from "../../records.js";
import { causeOf, makeError, rowFacts } from "../../words.js";
import type { Problem } from "../fit.js";
import { limited } from "../optimise/batch.js";
import type { Restart } from "../optimise/restart.js";
import { originOf, rowInputs } from "./diagnosis.js";

/** Throws what can be told; returns where the program itself is well there. */
export function explainStart(problem: Problem, restart: Restart): void {
  const { source: program, table, parameters, options } = problem;
  const inputs = rowInputs(problem, restart.start);
  const outcome = program.evaluateTraced(inputs, limited(options));
  const start: ErrorFacts = {
    names: parameters.free.map(({ label }) => label),
    values: [...restart.start],
  };
  checkShape(outcome, table?.targets.length ?? 1);
  const [failure] = outcome.failures;
  const { source, file } = program;
  if (failure !== undefined) {
    const { error } = failure;
    const rows = rowFacts(outcome.failures.map(({ lane }) => lane));
    const facts: ErrorFacts = { reason: "failure", ...rows, ...start, cause: causeOf(error) };
    throw makeError(error.code, facts, { span: error.span, source, file });
  }
  const [bad] = outcome.nonFinite;
  const details = { span: bad?.span, source, file };
  if (bad !== undefined) {
    const rows = outcome.lanes === 1 ? {} : rowFacts(outcome.nonFinite.map(({ lane }) => lane));
    const reason = table === undefined ? "objective" : "prediction";
    throw makeError("E-INPUT", { reason, ...rows, ...start, actual: originOf(bad) }, details);
  }
  explainLoss(problem, outcome, start);
  throw makeError("E-INPUT", { reason: "gradient", ...start }, details);
}

/** The same for the user's own loss, at predictions that are well. */
function explainLoss(
  { lossProgram, table, options }: Problem,
  { values, lanes }: Evaluation,
  start: ErrorFacts,
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
    ...recordOf(targets.map(({ name }) => [name, target])),
    target,
    pred: predictions,
  };
  const read = lossProgram.inputs.map((name) => [name, own(known, name) as Input] as const);
  const outcome = lossProgram.evaluate(recordOf(read), limited(options));
  const details = { source: lossProgram.source, file: lossProgram.file };
  if (outcome.shape?.length !== 0)
    throw new NdvmError("E-RESULT", "the loss of a point is not a number", {
      ...details,
      help: "a loss is an expression over pred, the target and columns, as (abs (- pred y))",
    });
  const reason = outcome.nonFinite[0] ?? outcome.failures[0];
  if (reason === undefined) return;
  const actual = "error" in reason ? reason.error.message : originOf(reason);
  const span = "error" in reason ? reason.error.span : reason.span;
  const bad = [...outcome.nonFinite, ...outcome.failures].map(({ lane }) => lane % rows);
  const facts: ErrorFacts = { reason: "loss", ...rowFacts(bad), ...start, actual };
  throw makeError("E-INPUT", facts, { ...details, span });
}

/** The program's value must be a number, or a vector with an element for each target. */
export function checkShape({ shape }: Pick<Evaluation, "shape">, targets: number): void {
  const wanted = targets === 1 ? 0 : 1;
  if (shape?.length === wanted && (wanted === 0 || shape[0] === targets)) return;
  const kind =
    shape === undefined
      ? "not a number"
      : (["a number", `a vector of ${shape[0]}`, "a matrix"][shape.length] ?? "not a number");
  throw new NdvmError("E-RESULT", `the program's value is ${kind}`, {
    facts: { reason: "shape", actual: kind, value: shape?.[0] ?? 1, limit: targets },
    help:
      targets === 1
        ? "a fit needs one number: the prediction of the target, or the loss"
        : `there are ${targets} targets: its value must be a vector of ${targets}`,
  });
}
