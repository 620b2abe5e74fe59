/**
 * A fit as a model that can be exported: the program, its parameters' values and what is known about
 * them.
 */

import { NdvmError } from "../../errors.js";
import type { ModelSource } from "../../export/model.js";
import { setField } from "../data/fields.js";
import type { FitResult } from "../types.js";
import { digitsNeeded } from "./digits.js";
import type { Fitted } from "./predict.js";

type Known = Pick<
  FitResult,
  "mode" | "loss" | "optimiser" | "points" | "best" | "sigma" | "level" | "standardErrors"
> &
  Pick<FitResult, "intervals" | "covariance" | "seed">;

/** The model of a fit; of one with groups, for the group that is named. */
export function sourceOf(
  known: Known,
  fitted: Fitted,
  group: string | number | undefined,
): ModelSource {
  const { source, parameters, best, columns } = fitted;
  const chosen = groupIndex(fitted, group);
  const params: Record<string, number> = { ...parameters.fixed };
  const digits: Record<string, number> = {};
  const needed = digitsNeeded(best, known.covariance?.matrix, known.best.r2);
  for (const [j, one] of parameters.free.entries()) {
    if (one.group >= 0 && one.group !== chosen) continue;
    setField(params, one.input, best[j] as number);
    const count = needed[j];
    if (count !== undefined) setField(digits, one.input, count);
  }
  const { mode, loss, optimiser, points, sigma, level, standardErrors, intervals, seed } = known;
  const { loss: lossValue, r2, logLikelihood, aic, bic } = known.best;
  return {
    program: source,
    params,
    digits,
    numbers: columns,
    about: {
      fit: {
        mode,
        loss,
        optimiser,
        seed,
        points,
        targets: fitted.targets.map(({ name }) => name),
        lossValue,
        r2,
        logLikelihood,
        aic,
        bic,
        sigma,
        params: known.best.params,
        standardErrors,
        level,
        intervals,
        covariance: known.covariance,
      },
    },
  };
}

function groupIndex({ groups }: Fitted, group: string | number | undefined): number {
  if (groups.length === 0) return -1;
  const index = group === undefined ? -1 : groups.indexOf(String(group));
  if (index >= 0) return index;
  const what = group === undefined ? "which group to export" : `there is no group ${group}`;
  throw new NdvmError("E-OPTION", group === undefined ? `it does not say ${what}` : what, {
    help: `set group to one of ${groups.join(", ")}`,
  });
}
