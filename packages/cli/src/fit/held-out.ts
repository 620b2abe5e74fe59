/** How well a fit predicts the rows it did not see. */

import type { Data, FitResult, Program } from "@ndvm/core";
import type { FitProblem } from "./problem.js";

export interface HeldOutScore {
  readonly rows: number;
  /** Root of the mean squared error, and the mean absolute one. */
  readonly rmse: number;
  readonly mae: number;
  readonly r2: number;
  /** The loss that was minimised, a row's mean, without weights. */
  readonly loss: number;
  readonly predictions: Float64Array;
  readonly observed: Float64Array;
}

export function scoreHeldOut(result: FitResult, problem: FitProblem): HeldOutScore | undefined {
  const { heldOut, targets } = problem;
  const [target] = targets;
  if (heldOut === undefined || target === undefined) return undefined;
  const observed = heldOut[target] as Float64Array;
  const { values } = result.predict(heldOut);
  const predictions = spread(values, observed.length);
  const mean = observed.reduce((sum, value) => sum + value, 0) / observed.length;
  let squares = 0;
  let absolute = 0;
  let about = 0;
  for (const [row, value] of observed.entries()) {
    const error = value - (predictions[row] as number);
    squares += error * error;
    absolute += Math.abs(error);
    about += (value - mean) ** 2;
  }
  return {
    rows: observed.length,
    rmse: Math.sqrt(squares / observed.length),
    mae: absolute / observed.length,
    r2: about > 0 ? 1 - squares / about : Number.NaN,
    loss: meanLoss(problem, heldOut, predictions, observed),
    predictions,
    observed,
  };
}

/** A program that reads no column predicts one number for all rows. */
function spread(values: Float64Array, count: number): Float64Array {
  return values.length === count ? values : new Float64Array(count).fill(values[0] ?? Number.NaN);
}

function meanLoss(
  { options, targets }: FitProblem,
  data: Data,
  predictions: Float64Array,
  observed: Float64Array,
): number {
  const { loss = "squares", huberWidth = 1, trials } = options;
  if (typeof loss !== "string") return meanOfProgram(loss, data, predictions, targets[0] ?? "");
  const trialsOf = (row: number): number => {
    if (trials === undefined) return 1;
    const column = typeof trials === "string" ? (data[trials] as Float64Array) : trials;
    return Number(column[typeof trials === "string" ? row : 0]);
  };
  const of: Record<typeof loss, (f: number, y: number, row: number) => number> = {
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
  let sum = 0;
  for (const [row, y] of observed.entries()) sum += of[loss](predictions[row] as number, y, row);
  return sum / observed.length;
}

function meanOfProgram(
  loss: Program,
  data: Data,
  predictions: Float64Array,
  target: string,
): number {
  const inputs: Record<string, Float64Array> = {};
  for (const name of loss.inputs) inputs[name] = data[name] as Float64Array;
  if (loss.inputs.includes("pred")) inputs["pred"] = predictions;
  if (loss.inputs.includes(target)) inputs[target] = data[target] as Float64Array;
  const { values } = loss.evaluate(inputs);
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
