/**
 * Predictions of a fitted program for new data, with bands.
 */

import { NdvmError } from "../../errors.js";
import type { Program } from "../../machine/program.js";
import { recordOf } from "../../records.js";
import {
  columnOf,
  groupsOfRows,
  NO_COLUMNS,
  NO_GROUPS,
  numbersNow,
  repeated,
  repeatedGroups,
  SELECTOR,
  selectorOf,
  type Table,
  type Target,
} from "../data/columns.js";
import { setField } from "../data/fields.js";
import { SQUARES } from "../loss/losses.js";
import { normalReach, studentReach } from "../math/elementary.js";
import { ResidualBatch, type RunLimits } from "../optimise/batch.js";
import { type Parameters, refuse } from "../parameters/parameters.js";
import type { Data, Prediction } from "../types.js";

/** What a prediction needs to know about a fit. */
export interface Fitted {
  /** The program that runs: with several targets it predicts one of them, else the user's. */
  readonly program: Program;
  /** The user's program. */
  readonly source: Program;
  readonly parameters: Parameters;
  readonly best: Float64Array;
  /** What the fit ran on; undefined where the fit was brought back from JSON. */
  readonly batch: ResidualBatch | undefined;
  /** The fit's own, for rows that need another walk. */
  readonly limits: RunLimits;
  /** Columns that the program reads. */
  readonly columns: readonly string[];
  readonly targets: readonly Target[];
  readonly groups: readonly string[];
  readonly groupsBy: string | undefined;
  readonly covariance: Float64Array | undefined;
  readonly sigma: number;
  readonly freedom: number;
  readonly hasKnownVariance: boolean;
  readonly level: number;
}

const NO_NUMBERS = new Float64Array(0);

/** The rows to predict; their targets are not known. */
export function tableOf(fitted: Fitted, data: Data): Table {
  const { groupsBy, groups, targets, columns: names } = fitted;
  const count = targets.length;
  const columns: Record<string, Float64Array> = {};
  const rows = rowsOf(fitted, data);
  for (const name of names)
    setField(columns, name, repeated(numbersNow(name, columnOf(data, name, "")), count));
  const rowGroups =
    groupsBy === undefined ? NO_GROUPS.rowGroups : groupsOfRows(data, groupsBy, groups);
  if (count > 1) columns[SELECTOR] = selectorOf(rows, count);
  return {
    points: rows * count,
    rows,
    targets,
    target: NO_NUMBERS,
    columns,
    others: NO_COLUMNS,
    rootWeights: undefined,
    hasSigma: false,
    trials: undefined,
    groups,
    rowGroups: repeatedGroups(rowGroups, count),
  };
}

/** Rows of the columns that tell rows apart; a model without any predicts one number. */
function rowsOf({ columns, groupsBy }: Fitted, data: Data): number {
  const sides = columns.map((name) => ({ name, column: columnOf(data, name, "") }));
  if (groupsBy !== undefined)
    sides.push({
      name: groupsBy,
      column: columnOf(data, groupsBy, ", which is to name the groups"),
    });
  const [first] = sides;
  if (first === undefined) return 1;
  const rows = first.column.length;
  for (const { name, column } of sides)
    if (column.length !== rows)
      throw refuse(
        `column ${name} has ${column.length} rows, but ${first.name} has ${rows}`,
        "columns of one table have one length",
      );
  if (rows === 0) throw refuse("the data have no rows", "give at least one row");
  return rows;
}

export function predictWith(fitted: Fitted, data: Data, level = fitted.level): Prediction {
  if (fitted.targets.length === 0)
    throw new NdvmError("E-OPTION", "a fit without a target predicts nothing", {
      help: "its program's value is the loss",
    });
  if (!(level > 0 && level < 1))
    throw new NdvmError("E-OPTION", `the level is ${level}`, { help: "it lies between 0 and 1" });
  const table = tableOf(fitted, data);
  if (fitted.covariance === undefined) return predictPlainly(fitted, table);
  const batch = batchOver(fitted, table);
  const { points } = table;
  const reach = fitted.hasKnownVariance ? normalReach(level) : studentReach(level, fitted.freedom);
  const make = () => new Float64Array(points);
  const [values, standardErrors, lower, upper] = [make(), make(), make(), make()];
  const [observationLower, observationUpper] = [make(), make()];
  const gradient = new Float64Array(fitted.best.length);
  for (let point = 0; point < points; point++) {
    for (let j = 0; j < gradient.length; j++) gradient[j] = batch.derivative(0, point, j);
    const value = batch.prediction(0, point);
    const error = errorAlong(gradient, fitted.covariance);
    const sigma = fitted.sigma * (table.targets[Math.floor(point / table.rows)]?.scale ?? 1);
    const noise = reach * Math.sqrt(error * error + sigma * sigma);
    values[point] = value;
    standardErrors[point] = error;
    lower[point] = value - reach * error;
    upper[point] = value + reach * error;
    observationLower[point] = value - noise;
    observationUpper[point] = value + noise;
  }
  const all = { values, standardErrors, lower, upper, observationLower, observationUpper };
  return { ...all, targets: partsOf(all, table) };
}

/** Other rows, evaluated at the best point. */
function batchOver({ program, parameters, best, limits }: Fitted, table: Table): ResidualBatch {
  const batch = new ResidualBatch(program, table, parameters, 1, SQUARES, "", limits);
  batch.x.set(best);
  batch.run();
  return batch;
}

/** Predictions of a fit that knows no errors: on the fit's own trace where that takes the rows. */
function predictPlainly(fitted: Fitted, table: Table): Prediction {
  let values = fitted.batch?.predictOn(table, fitted.best);
  if (values === undefined) {
    const own = batchOver(fitted, table);
    values = new Float64Array(table.points);
    for (let point = 0; point < table.points; point++) values[point] = own.prediction(0, point);
  }
  return new PlainPrediction(values, table);
}

/** Values alone. Memory for what is not known is taken when somebody asks for it. */
class PlainPrediction implements Prediction {
  readonly values: Float64Array;
  readonly #table: Table;
  #unknown: Float64Array | undefined;

  constructor(values: Float64Array, table: Table) {
    this.values = values;
    this.#table = table;
  }

  get standardErrors(): Float64Array {
    this.#unknown ??= new Float64Array(this.values.length).fill(Number.NaN);
    return this.#unknown;
  }

  get lower(): Float64Array {
    return this.standardErrors;
  }

  get upper(): Float64Array {
    return this.standardErrors;
  }

  get observationLower(): Float64Array {
    return this.standardErrors;
  }

  get observationUpper(): Float64Array {
    return this.standardErrors;
  }

  get targets(): Prediction["targets"] {
    const { values, standardErrors, lower, upper, observationLower, observationUpper } = this;
    const all = { values, standardErrors, lower, upper, observationLower, observationUpper };
    return partsOf(all, this.#table);
  }
}

/** Each target's part, by its name. */
function partsOf(all: Omit<Prediction, "targets">, { targets, rows }: Table) {
  const [only] = targets;
  if (targets.length === 1 && only !== undefined) return recordOf([[only.name, all]]);
  const parts = targets.map(({ name }, t) => {
    const part = recordOf(
      Object.entries(all).map(([key, numbers]: [string, Float64Array]) => [
        key,
        numbers.subarray(t * rows, (t + 1) * rows),
      ]),
    ) as unknown as Omit<Prediction, "targets">;
    return [name, part] as const;
  });
  return recordOf(parts);
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
