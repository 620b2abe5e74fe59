/** How well a fit predicts the rows it did not see. */

import type { Data, FitResult, LossName, Program } from "@ndvm/core";
import { emptyRecord, own } from "@ndvm/core";
import type { HeldOutScore } from "@ndvm/report";
import type { FitProblem } from "./problem.js";

/** A score for each target; empty where nothing was held out. */
export function scoreHeldOut(result: FitResult, problem: FitProblem): HeldOutScore[] {
  const { heldOut, targets } = problem;
  if (heldOut === undefined) return [];
  const predictions = result.predict(heldOut).targets;
  return targets.map((target) => {
    const observed = own(heldOut, target) as Float64Array;
    const values = own(predictions, target)?.values ?? new Float64Array(0);
    return scoreOf(problem, target, observed, spread(values, observed.length), heldOut);
  });
}

/** A program that reads no column predicts one number for all rows. */
export function spread(values: Float64Array, count: number): Float64Array {
  return values.length === count ? values : new Float64Array(count).fill(values[0] ?? Number.NaN);
}

function scoreOf(
  problem: FitProblem,
  target: string,
  observed: Float64Array,
  predicted: Float64Array,
  data: Data,
): HeldOutScore {
  const mean = observed.reduce((sum, value) => sum + value, 0) / observed.length;
  let squares = 0;
  let absolute = 0;
  let about = 0;
  for (const [row, value] of observed.entries()) {
    const error = value - (predicted[row] as number);
    squares += error * error;
    absolute += Math.abs(error);
    about += (value - mean) ** 2;
  }
  return {
    target,
    rows: observed.length,
    rmse: Math.sqrt(squares / observed.length),
    mae: absolute / observed.length,
    r2: about > 0 ? 1 - squares / about : Number.NaN,
    loss: meanLoss(problem, target, data, predicted, observed),
    observed,
  };
}

function meanLoss(
  { options }: FitProblem,
  target: string,
  data: Data,
  predicted: Float64Array,
  observed: Float64Array,
): number {
  const { loss = "squares", huberWidth = 1, trials } = options;
  if (typeof loss !== "string") return meanOfProgram(loss, data, predicted, observed, target);
  const trialsOf = (row: number): number => {
    if (trials === undefined) return 1;
    const column = typeof trials === "string" ? (own(data, trials) as Float64Array) : trials;
    return Number(column[typeof trials === "string" ? row : 0]);
  };
  const of: Record<LossName, (f: number, y: number, row: number) => number> = {
    squares: (f, y) => (f - y) ** 2,
    absolute: (f, y) => Math.abs(f - y),
    huber: (f, y) => {
      const size = Math.abs(f - y);
      return size <= huberWidth ? size ** 2 / 2 : huberWidth * size - huberWidth ** 2 / 2;
    },
    poisson: (f, y) => f - (y === 0 ? 0 : y * Math.log(f)),
    binomial: (f, y, row) => {
      const missed = trialsOf(row) - y;
      return -(y === 0 ? 0 : y * Math.log(f)) - (missed === 0 ? 0 : missed * Math.log(1 - f));
    },
  };
  const deviation = of[loss as LossName];
  let sum = 0;
  for (const [row, y] of observed.entries()) sum += deviation(predicted[row] as number, y, row);
  return sum / observed.length;
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
