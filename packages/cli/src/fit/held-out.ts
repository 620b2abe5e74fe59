/** How well a fit predicts the rows it did not see. */

import {
  type Data,
  emptyRecord,
  type FitResult,
  type LossName,
  own,
  type Program,
  responses,
  scoreRows,
} from "@ndvm/core";
import { type HeldOutScore, trialsOf } from "@ndvm/report";
import type { FitProblem } from "./problem.js";

/** A score for each target; empty where nothing was held out. */
export function scoreHeldOut(result: FitResult, problem: FitProblem): HeldOutScore[] {
  const { heldOut, targets } = problem;
  if (heldOut === undefined) return [];
  const predictions = result.predict(heldOut).targets;
  return targets.map((target) => {
    const observed = own(heldOut, target) as Float64Array;
    const values = own(predictions, target)?.values ?? new Float64Array(0);
    return scoreOf(problem, target, observed, repeated(values, observed.length), heldOut);
  });
}

/** A program that reads no column predicts one number for all rows. */
export function repeated(values: Float64Array, count: number): Float64Array {
  return values.length === count ? values : new Float64Array(count).fill(values[0] ?? Number.NaN);
}

function scoreOf(
  { options }: FitProblem,
  target: string,
  observed: Float64Array,
  predicted: Float64Array,
  data: Data,
): HeldOutScore {
  const { loss = "squares", huberWidth } = options;
  const name = typeof loss === "string" ? (loss as LossName) : "program";
  const trials = trialsOf(options, data, observed.length);
  const score = scoreRows(name, observed, predicted, { trials, huberWidth });
  return {
    ...score,
    target,
    loss:
      typeof loss === "string"
        ? score.loss
        : meanOfProgram(loss, data, predicted, observed, target),
    observed: responses(name, observed, trials),
  };
}

function meanOfProgram(
  loss: Program,
  data: Data,
  predicted: Float64Array,
  observed: Float64Array,
  target: string,
): number {
  const inputs: Record<string, Float64Array> = emptyRecord();
  for (const name of loss.inputs) {
    if (name === "pred") inputs[name] = predicted;
    else if (name === target || name === "target") inputs[name] = observed;
    else inputs[name] = own(data, name) as Float64Array;
  }
  const { values } = loss.evaluate(inputs);
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
