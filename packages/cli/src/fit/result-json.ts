/**
 * The result of a fit as JSON: what `toJSON` gives, so that `--resume` and `fitFromJSON` can read
 * it, with what only the command knows beside it.
 */

import type { FitResult } from "@ndvm/core";
import { jsonNumber } from "../results.js";
import { commandVersion } from "../versions.js";
import type { ExportedModel } from "./export.js";
import type { HeldOutScore } from "./held-out.js";
import type { FitProblem } from "./problem.js";
import { warningsOf } from "./summary.js";

export function resultJson(
  result: FitResult,
  { table, rows, readMilliseconds }: FitProblem,
  score: HeldOutScore | undefined,
  exports: readonly ExportedModel[],
): Record<string, unknown> {
  const number = (value: number): number | string => jsonNumber(value, "f64");
  const printed = exports.filter(({ file, text }) => file === undefined && text !== "");
  return {
    ...result.toJSON(),
    warnings: warningsOf(result),
    ...(table === undefined || rows === undefined
      ? {}
      : {
          rows: {
            file: table.file,
            all: table.rowCount,
            fitted: rows.taken.length,
            heldOut: rows.heldOut.length,
            leftOutByWhere: rows.filtered,
            leftOutAsMissing: rows.missing,
            readMilliseconds: Math.round(readMilliseconds),
          },
        }),
    ...(score === undefined
      ? {}
      : {
          heldOut: {
            rows: score.rows,
            rmse: number(score.rmse),
            mae: number(score.mae),
            r2: number(score.r2),
            loss: number(score.loss),
          },
        }),
    ...(printed.length === 0
      ? {}
      : { exports: Object.fromEntries(printed.map(({ format, text }) => [format, text])) }),
    ndvm: commandVersion(),
  };
}
