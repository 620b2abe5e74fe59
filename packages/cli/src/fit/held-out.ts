/** How well a fit predicts the rows it did not see. */

import {
  checkRows,
  type Data,
  emptyRecord,
  type FitResult,
  type LossName,
  own,
  type Program,
  responses,
  scoreRows,
} from "@ndvm/core";
import { type HeldOutScore, trialsOf, weightsOf } from "@ndvm/report";
import type { FitProblem } from "./problem.js";

/** Refuses held-out rows that a fit would refuse among its own. */
export function checkHeldOut({ program, heldOutOptions }: FitProblem): void {
  if (heldOutOptions !== undefined) checkRows(program, heldOutOptions);
}

/** A score for each target; empty where nothing was held out. */
export function scoreHeldOut(result: FitResult, problem: FitProblem): HeldOutScore[] {
  const { heldOut, targets } = problem;
  if (heldOut === undefined) return [];
  const predictions = result.predict(heldOut).targets;
  return targets.map((target) => {
    const observed = own(heldOut, target) as Float64Array;
    const values = own(predictions, target)?.values ?? new Float64Array(0);
    const score = scoreOf(problem, target, observed, repeated(values, observed.length), heldOut);
    // Where the prediction is no number of the target's, nothing is missed by a difference.
    return result.predictsTarget ? score : { ...score, rmse: Number.NaN, mae: Number.NaN };
  });
}

/** A program that reads no column predicts one number for all rows. */
export function repeated(values: Float64Array, count: number): Float64Array {
  return values.length === count ? values : new Float64Array(count).fill(values[0] ?? Number.NaN);
}

function scoreOf(
  { heldOutOptions = {} }: FitProblem,
  target: string,
  observed: Float64Array,
  predicted: Float64Array,
  data: Data,
): HeldOutScore {
  const { loss = "squares", huberWidth } = heldOutOptions;
  const name = typeof loss === "string" ? (loss as LossName) : "program";
  const trials = trialsOf(heldOutOptions, data, observed.length);
  const weights = weightsOf(heldOutOptions, target, data);
  const score = scoreRows(name, observed, predicted, { weights, trials, huberWidth });
  return {
    ...score,
    target,
    loss:
      typeof loss === "string"
        ? score.loss
        : meanOfProgram(loss, data, predicted, observed, target, weights),
    observed: responses(name, observed, trials),
    unpredicted: predicted.filter(
      (one, row) => !Number.isFinite(one) && weights?.[row] !== 0 && trials?.[row] !== 0,
    ).length,
  };
}

function meanOfProgram(
  loss: Program,
  data: Data,
  predicted: Float64Array,
  observed: Float64Array,
  target: string,
  weights: Float64Array | undefined,
): number {
  const inputs: Record<string, Float64Array> = emptyRecord();
  for (const name of loss.inputs) {
    if (name === "pred") inputs[name] = predicted;
    else if (name === target || name === "target") inputs[name] = observed;
    else inputs[name] = own(data, name) as Float64Array;
  }
  const { values } = loss.evaluate(inputs);
  let [sum, total] = [0, 0];
  for (let row = 0; row < observed.length; row++) {
    const weight = weights?.[row] ?? 1;
    total += weight;
    // A loss that reads no column but the prediction of one number is the same in every row.
    if (weight > 0) sum += weight * (values[values.length === 1 ? 0 : row] as number);
  }
  return sum / total;
}
