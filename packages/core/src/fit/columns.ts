/**
 * The data of a fit: columns of one length, checked, and the weights of the points.
 */

import { NdvmError } from "../errors.js";
import { nearest } from "../syntax/suggest.js";
import { refuse } from "./parameters.js";
import type { Column, Data, FitOptions } from "./types.js";

export interface Table {
  readonly points: number;
  readonly target: Float64Array;
  /** Columns that the program reads. */
  readonly columns: Readonly<Record<string, Float64Array>>;
  /** Square roots of the weights; undefined where all are 1. */
  readonly rootWeights: Float64Array | undefined;
  /** Whether the weights came from known standard deviations. */
  readonly hasSigma: boolean;
  readonly trials: Float64Array | undefined;
  /** Names of the groups, and each row's; empty without groups. */
  readonly groups: readonly string[];
  readonly rowGroups: Int32Array;
}

const isColumn = (value: unknown): value is Column =>
  Array.isArray(value) || ArrayBuffer.isView(value);

/** A column as numbers; rows are counted from 1, as people count them. */
export function numbersOf(name: string, column: unknown): Float64Array {
  if (!isColumn(column))
    throw refuse(`column ${name} is no list of numbers`, "give an array or a typed array");
  const numbers = new Float64Array(column.length);
  for (let row = 0; row < column.length; row++) {
    const value = column[row];
    if (typeof value !== "number")
      throw refuse(
        `column ${name} holds ${JSON.stringify(value) ?? String(value)} in row ${row + 1}, ` +
          "which is no number",
        "leave out the row, or turn the column into numbers",
      );
    if (!Number.isFinite(value))
      throw refuse(
        `column ${name} holds ${value} in row ${row + 1}`,
        "leave out rows with missing values",
      );
    numbers[row] = value;
  }
  return numbers;
}

export function columnOf(data: Data, name: string, role: string): Column {
  const column = Object.hasOwn(data, name) ? data[name] : undefined;
  if (column !== undefined && isColumn(column)) return column;
  const names = Object.keys(data);
  const near = nearest(name, names);
  throw refuse(
    `the data have no column ${name}${role}`,
    near === undefined
      ? `the columns are ${names.join(", ") || "none"}`
      : `did you mean ${near}? The columns are ${names.join(", ")}`,
  );
}

/** Reads and checks what residual mode needs. `inputs` are the program's free names. */
export function readTable(inputs: readonly string[], target: string, options: FitOptions): Table {
  const data = options.data ?? {};
  const targets = numbersOf(target, columnOf(data, target, ", which is to be the target"));
  const points = targets.length;
  if (points === 0)
    throw refuse("the data have no rows", "give at least as many rows as parameters");
  if (inputs.includes(target))
    throw refuse(
      `the program reads the target ${target} itself`,
      "a prediction is made without it; leave out target where the program's value is the loss",
    );
  const columns: Record<string, Float64Array> = {};
  for (const name of inputs)
    if (Object.hasOwn(data, name) && isColumn(data[name]))
      columns[name] = numbersOf(name, data[name]);
  for (const [name, column] of Object.entries(data))
    if (isColumn(column) && column.length !== points)
      throw refuse(
        `column ${name} has ${column.length} rows, but the target ${target} has ${points}`,
        "columns of one table have one length",
      );
  const { groups, rowGroups } = readGroups(data, options, points);
  const trials =
    options.trials === undefined ? undefined : side(data, options.trials, "trials", points);
  return {
    points,
    target: targets,
    columns,
    ...readWeights(data, options, points),
    trials,
    groups,
    rowGroups,
  };
}

function side(data: Data, given: string | Column, what: string, points: number): Float64Array {
  const isName = typeof given === "string";
  const numbers = isName
    ? numbersOf(given, columnOf(data, given, `, which is to hold the ${what}`))
    : numbersOf(what, given);
  if (numbers.length !== points)
    throw refuse(`there are ${numbers.length} ${what} for ${points} points`, "give one per row");
  return numbers;
}

function readWeights(data: Data, options: FitOptions, points: number) {
  const { weights, sigma } = options;
  if (weights !== undefined && sigma !== undefined)
    throw new NdvmError("E-OPTION", "weights and sigma are both given", {
      help: "sigma stands for weights of 1/sigma²; give one of them",
    });
  if (sigma !== undefined) {
    const deviations = side(data, sigma, "sigma", points);
    const bad = deviations.findIndex((value) => value <= 0);
    if (bad >= 0)
      throw refuse(`sigma is ${deviations[bad]} in row ${bad + 1}`, "deviations are positive");
    return { rootWeights: deviations.map((value) => 1 / value), hasSigma: true };
  }
  if (weights === undefined) return { rootWeights: undefined, hasSigma: false };
  const given = side(data, weights, "weights", points);
  const bad = given.findIndex((value) => value < 0);
  if (bad >= 0)
    throw refuse(`the weight of row ${bad + 1} is ${given[bad]}`, "weights are 0 or more");
  if (given.every((value) => value === 0)) throw refuse("all weights are 0", "weigh some point");
  return { rootWeights: given.map((value) => Math.sqrt(value)), hasSigma: false };
}

/** The groups in order of appearance. */
function readGroups(data: Data, options: FitOptions, points: number) {
  const rowGroups = new Int32Array(options.groups === undefined ? 0 : points);
  if (options.groups === undefined) return { groups: [], rowGroups };
  const column = columnOf(data, options.groups.by, ", which is to name the groups");
  const index = new Map<string, number>();
  for (let row = 0; row < points; row++) {
    const word = String(column[row]);
    if (!index.has(word)) index.set(word, index.size);
    rowGroups[row] = index.get(word) as number;
  }
  return { groups: [...index.keys()], rowGroups };
}

/** Each row's group among known ones, for predictions. */
export function groupsOfRows(data: Data, by: string, groups: readonly string[]): Int32Array {
  const column = columnOf(data, by, ", which is to name the groups");
  return Int32Array.from(column as readonly (string | number)[], (word, row) => {
    const found = groups.indexOf(String(word));
    if (found >= 0) return found;
    throw refuse(
      `row ${row + 1} is of the group ${word}, which the fit did not see`,
      `its groups are ${groups.join(", ")}`,
    );
  });
}
