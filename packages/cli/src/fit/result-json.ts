/**
 * The result of a fit as JSON: what `toJSON` gives, so that `--resume` and `fitFromJSON` can read
 * it, with what only the command knows beside it.
 */

import type { FitResult } from "@ndvm/core";
import { recordOf } from "@ndvm/core";
import { type HeldOutScore, warningsOf } from "@ndvm/report";
import { commandVersion } from "../commands/versions.js";
import { jsonNumber } from "../results.js";
import type { ExportedModel } from "./export.js";
import type { FitProblem } from "./problem.js";

export function resultJson(
  result: FitResult,
  problem: FitProblem,
  scores: readonly HeldOutScore[],
  exports: readonly ExportedModel[],
): Record<string, unknown> {
  const { table, rows, readMilliseconds } = problem;
  const printed = exports.filter(({ file, text }) => file === undefined && text !== "");
  return {
    ...result.toJSON(),
    warnings: warningsOf(result, problem),
    ...(table === undefined || rows === undefined
      ? {}
      : {
          rows: {
            file: table.name,
            all: table.rowCount,
            fitted: rows.taken.length,
            heldOut: rows.heldOut.length,
            leftOutByWhere: rows.filtered,
            leftOutAsMissing: rows.missing,
            readMilliseconds: Math.round(readMilliseconds),
          },
        }),
    ...(scores[0] === undefined ? {} : { heldOut: scores.map((score) => scoreJson(score)) }),
    ...(printed.length === 0
      ? {}
      : { exports: recordOf(printed.map(({ format, text }) => [format, text])) }),
    ndvm: commandVersion(),
  };
}

function scoreJson({
  target,
  rows,
  rmse,
  mae,
  r2,
  loss,
  deviance,
  unpredicted,
}: HeldOutScore): Record<string, unknown> {
  const number = (value: number): number | string => jsonNumber(value, "f64");
  const scores = { rmse: number(rmse), mae: number(mae), r2: number(r2) };
  return { target, rows, unpredicted, ...scores, loss: number(loss), deviance: number(deviance) };
}
