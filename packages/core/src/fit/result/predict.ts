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
import { ownField, setField } from "../data/fields.js";
import { SQUARES } from "../loss/losses.js";
import { normalReach, studentReach } from "../math/elementary.js";
import { ResidualBatch, type RunLimits } from "../optimise/batch.js";
import { type Parameters, refuse } from "../parameters/parameters.js";
import type { OpenCovariance } from "../quality/covariance.js";
import type { Data, Prediction } from "../types.js";
import { columnIn, type Deviations, deviationsOf, markOf, type RowNoise } from "./noise.js";

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
  /** Undefined where the data determine all parameters. */
  readonly open?: OpenCovariance | undefined;
  /** The deviation of an observation of weight 1, in units of its target's scale. */
  readonly sigma: number;
  /** What was told of the noise of rows, target after target; undefined where nothing was. */
  readonly noise?: readonly RowNoise[] | undefined;
  /** What the fit's rows are recognised by (`markOf`); undefined where nothing depends on it. */
  readonly mark?: string | undefined;
  readonly freedom: number;
  readonly hasKnownVariance: boolean;
  readonly level: number;
  /** What may be expected of counts: bands of the mean end there. Undefined where nothing limits it. */
  readonly range?: readonly [number, number] | undefined;
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
    told: undefined,
    trials: undefined,
    groups,
    rowGroups: repeatedGroups(rowGroups, count),
  };
}

/** Rows of the columns that tell rows apart; a model without any predicts one number. */
function rowsOf({ columns, groupsBy, noise }: Fitted, data: Data): number {
  const sides = columns.map((name) => ({ name, column: columnOf(data, name, "") }));
  if (groupsBy !== undefined)
    sides.push({
      name: groupsBy,
      column: columnOf(data, groupsBy, ", which is to name the groups"),
    });
  const [first] = sides;
  if (first === undefined) return 1;
  for (const { column: name } of noise ?? []) {
    const column = name === undefined ? undefined : columnIn(data, name);
    if (name !== undefined && column !== undefined) sides.push({ name, column });
  }
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
  const [least, most] = fitted.range ?? [-Infinity, Infinity];
  const gradient = new Float64Array(fitted.best.length);
  const deviations = deviationsOfTargets(fitted, table, data);
  for (let point = 0; point < points; point++) {
    for (let j = 0; j < gradient.length; j++) gradient[j] = batch.derivative(0, point, j);
    const value = batch.prediction(0, point);
    const error = errorAlong(gradient, fitted);
    const sigma = (deviations[Math.floor(point / table.rows)] as Deviations).at(point % table.rows);
    const noise = reach * Math.sqrt(error * error + sigma * sigma);
    values[point] = value;
    standardErrors[point] = error;
    // A prediction beyond what may be expected is inside its own band.
    lower[point] = Math.max(value - reach * error, Math.min(value, least));
    upper[point] = Math.min(value + reach * error, Math.max(value, most));
    observationLower[point] = value - noise;
    observationUpper[point] = value + noise;
  }
  const all = { values, standardErrors, lower, upper, observationLower, observationUpper };
  return toldOf(all, table, notesOf(fitted, standardErrors, table, deviations));
}

/** What is to be said of the bands of each target. */
function notesOf(
  { open }: Fitted,
  errors: Float64Array,
  { targets, rows }: Table,
  deviations: readonly Deviations[],
): string[][] {
  return targets.map((_, t) => {
    const own = errors.subarray(t * rows, (t + 1) * rows);
    const unknown = open === undefined ? 0 : own.filter((error) => Number.isNaN(error)).length;
    const note = deviations[t]?.note;
    return [
      ...(unknown === 0
        ? []
        : [
            `no bands for ${unknown} of ${rows} rows: the data of the fit do not determine their predictions`,
          ]),
      ...(note === undefined ? [] : [note]),
    ];
  });
}

/** How noisy observations of the predicted rows are, target after target. */
function deviationsOfTargets(fitted: Fitted, table: Table, data: Data): Deviations[] {
  const { noise, sigma, mark } = fitted;
  const isOwn = mark !== undefined && mark === markOf(table);
  return table.targets.map(({ scale }, target) =>
    deviationsOf(noise?.[target], data, table.rows, isOwn, sigma * scale),
  );
}

/** A prediction with what there is to say of its bands: of each target, and by its name of several. */
function toldOf(all: Bands, table: Table, notes: readonly string[][]): Prediction {
  const targets = partsOf(all, table);
  if (notes.every(({ length }) => length === 0)) return { ...all, targets };
  const told = table.targets.map(({ name }, t) => {
    const own = notes[t] as string[];
    return [
      name,
      { ...(ownField(targets, name) as object), ...(own.length > 0 ? { notes: own } : {}) },
    ];
  });
  const isOne = table.targets.length === 1;
  return {
    ...all,
    notes: isOne
      ? (notes[0] as string[])
      : notes.flatMap((own, t) => own.map((note) => `${table.targets[t]?.name}: ${note}`)),
    targets: recordOf(told as [string, Prediction["targets"][string]][]),
  };
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

type Bands = Omit<Prediction, "targets" | "notes">;

/** Each target's part, by its name. */
function partsOf(all: Bands, { targets, rows }: Table) {
  const [only] = targets;
  if (targets.length === 1 && only !== undefined) return recordOf([[only.name, all]]);
  const parts = targets.map(({ name }, t) => {
    const part = recordOf(
      Object.entries(all).map(([key, numbers]: [string, Float64Array]) => [
        key,
        numbers.subarray(t * rows, (t + 1) * rows),
      ]),
    ) as unknown as Bands;
    return [name, part] as const;
  });
  return recordOf(parts);
}

/** Share of what its parts add up to that a sum of them may have if it is 0 but for rounding. */
const CANCELLED = { f64: 1e-6, f32: 1e-3 } as const;

/** √(gᵀ C g); what the data leave open does not count where the prediction does not depend on it. */
function errorAlong(gradient: Float64Array, { covariance, open, program }: Fitted): number {
  const share = CANCELLED[program.precision];
  const isOpen = open?.directions.some((direction) => !isAcross(gradient, direction, share));
  const matrix = (isOpen === false ? open?.matrix : covariance) ?? [];
  const size = gradient.length;
  let sum = 0;
  for (let i = 0; i < size; i++)
    for (let j = 0; j < size; j++) {
      const weight = (gradient[i] as number) * (gradient[j] as number);
      if (weight !== 0) sum += weight * (matrix[i * size + j] as number);
    }
  return Math.sqrt(Math.max(0, sum));
}

/** Whether a prediction stays the same along a direction. */
function isAcross(gradient: Float64Array, direction: ArrayLike<number>, share: number): boolean {
  let sum = 0;
  let parts = 0;
  for (let j = 0; j < gradient.length; j++) {
    const part = (gradient[j] as number) * (direction[j] as number);
    sum += part;
    parts += Math.abs(part);
  }
  return Math.abs(sum) <= share * parts;
}
