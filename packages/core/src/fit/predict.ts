/**
 * Predictions of a fitted program for new data, with bands.
 */

import { NdvmError } from "../errors.js";
import type { Program } from "../machine/program.js";
import { ResidualBatch } from "./batch.js";
import { columnOf, groupsOfRows, numbersOf, type Table } from "./columns.js";
import { normalReach, studentReach } from "./elementary.js";
import { type Parameters, refuse } from "./parameters.js";
import type { Data, Prediction } from "./types.js";

/** What a prediction needs to know about a fit. */
export interface Fitted {
  readonly program: Program;
  readonly parameters: Parameters;
  readonly best: Float64Array;
  /** Columns that the program reads. */
  readonly columns: readonly string[];
  readonly groups: readonly string[];
  readonly groupsBy: string | undefined;
  readonly covariance: Float64Array | undefined;
  readonly sigma: number;
  readonly freedom: number;
  readonly hasKnownVariance: boolean;
  readonly level: number;
}

const anyLoss = { value: () => 0, slope: () => 0 };

export function tableOf(fitted: Fitted, data: Data): Table {
  const columns: Record<string, Float64Array> = {};
  for (const name of fitted.columns) columns[name] = numbersOf(name, columnOf(data, name, ""));
  const lengths = Object.entries(columns).map(([name, { length }]) => ({ name, length }));
  const points = lengths[0]?.length ?? 1;
  const odd = lengths.find(({ length }) => length !== points);
  if (odd !== undefined)
    throw refuse(
      `column ${odd.name} has ${odd.length} rows, but ${lengths[0]?.name} has ${points}`,
      "columns of one table have one length",
    );
  if (points === 0) throw refuse("the data have no rows", "give at least one row");
  const { groupsBy, groups } = fitted;
  return {
    points,
    target: new Float64Array(points),
    columns,
    rootWeights: undefined,
    hasSigma: false,
    trials: undefined,
    groups,
    rowGroups: groupsBy === undefined ? new Int32Array(0) : groupsOfRows(data, groupsBy, groups),
  };
}

export function predictWith(fitted: Fitted, data: Data, level = fitted.level): Prediction {
  if (!(level > 0 && level < 1))
    throw new NdvmError("E-OPTION", `the level is ${level}`, { help: "it lies between 0 and 1" });
  const table = tableOf(fitted, data);
  const batch = new ResidualBatch(fitted.program, table, fitted.parameters, 1, anyLoss, "");
  batch.x.set(fitted.best);
  batch.run();
  const { points } = table;
  const reach = fitted.hasKnownVariance ? normalReach(level) : studentReach(level, fitted.freedom);
  const make = () => new Float64Array(points);
  const [values, standardErrors, lower, upper] = [make(), make(), make(), make()];
  const [observationLower, observationUpper] = [make(), make()];
  const gradient = new Float64Array(fitted.best.length);
  for (let row = 0; row < points; row++) {
    for (let j = 0; j < gradient.length; j++) gradient[j] = batch.derivative(0, row, j);
    const value = batch.prediction(0, row);
    const error = errorAlong(gradient, fitted.covariance);
    const noise = reach * Math.sqrt(error * error + fitted.sigma * fitted.sigma);
    values[row] = value;
    standardErrors[row] = error;
    lower[row] = value - reach * error;
    upper[row] = value + reach * error;
    observationLower[row] = value - noise;
    observationUpper[row] = value + noise;
  }
  return { values, standardErrors, lower, upper, observationLower, observationUpper };
}

/** √(gᵀ C g); parameters without influence do not count, determined or not. */
function errorAlong(gradient: Float64Array, covariance: Float64Array | undefined): number {
  if (covariance === undefined) return Number.NaN;
  const size = gradient.length;
  let sum = 0;
  for (let i = 0; i < size; i++)
    for (let j = 0; j < size; j++) {
      const weight = (gradient[i] as number) * (gradient[j] as number);
      if (weight !== 0) sum += weight * (covariance[i * size + j] as number);
    }
  return Math.sqrt(Math.max(0, sum));
}
