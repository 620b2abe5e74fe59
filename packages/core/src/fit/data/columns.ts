/**
 * The data of a fit: columns of one length, checked, and the weights of the points.
 *
 * A point is one number to predict. With several targets the points lie target after target, each
 * with all rows; the column SELECTOR says which element of the program's value predicts a point.
 */

import { NdvmError } from "../../errors.js";
import { isTypedArray, jsonText } from "../../machine/options.js";
import type { Input } from "../../machine/types.js";
import { own } from "../../records.js";
import { nearest } from "../../syntax/suggest.js";
import { makeError } from "../../words.js";
import { refuse } from "../parameters/parameters.js";
import type { Column, Data, FitOptions } from "../types.js";
import { ownField, setField } from "./fields.js";

/** The input that chooses an element of the program's value: no name that a text can hold. */
export const SELECTOR = "\u0000output";

export interface Target {
  readonly name: string;
  /** The noise of this target in units of the fit's sigma. */
  readonly scale: number;
}

export interface Table {
  readonly points: number;
  /** Rows of the data: the points of one target. */
  readonly rows: number;
  readonly targets: readonly Target[];
  /** Of each point, as all below. */
  readonly target: Float64Array;
  /** Columns that the program reads, and the selector. */
  readonly columns: Readonly<Record<string, Float64Array>>;
  /** Further columns that the loss reads. */
  readonly others: Readonly<Record<string, Float64Array>>;
  /** Square roots of the weights; undefined where all are 1. */
  readonly rootWeights: Float64Array | undefined;
  /** Whether the weights came from known standard deviations. */
  readonly hasSigma: boolean;
  /** The weights or deviations of each target's rows as they were given; undefined where none were. */
  readonly told: readonly Float64Array[] | undefined;
  readonly trials: Float64Array | undefined;
  /** Names of the groups, and each row's; empty without groups. */
  readonly groups: readonly string[];
  readonly rowGroups: Int32Array;
}

const isFiniteArray = (numbers: Float64Array): boolean => {
  for (let j = 0; j < numbers.length; j++) if (!Number.isFinite(numbers[j] as number)) return false;
  return true;
};

export const isColumn = (value: unknown): value is Column =>
  Array.isArray(value) || isTypedArray(value);

/**
 * Copies of columns that were given before: many fits of the same data need no more than one. What
 * a column holds may change between two fits, so its numbers are compared. Nobody writes into them.
 */
const copies = new WeakMap<Column, Copy>();

interface Copy {
  readonly numbers: Float64Array;
  /** Whether 0 or −0 is among them. */
  readonly hasZero: boolean;
}
/** Longer columns are copied each time. */
const KEPT_MOST = 4096;

/** A column as numbers; rows are counted from 1, as people count them. */
export function numbersOf(name: string, column: unknown): Float64Array {
  if (!isColumn(column))
    throw refuse(`column ${name} is not a list of numbers`, "give an array or a typed array");
  const known = copies.get(column);
  if (known !== undefined && isSame(known, column)) return known.numbers;
  const numbers = copyOf(name, column);
  if (numbers.length <= KEPT_MOST) copies.set(column, { numbers, hasZero: numbers.includes(0) });
  return numbers;
}

function copyOf(name: string, column: Column): Float64Array {
  if (column instanceof Float64Array && isFiniteArray(column)) return column.slice();
  const numbers = new Float64Array(column.length);
  for (let row = 0; row < column.length; row++) {
    const value = column[row];
    if (typeof value !== "number")
      throw makeError(
        "E-INPUT",
        {
          reason: "cell",
          column: name,
          rows: [row],
          actual: jsonText(value),
        },
        { help: "leave out the row, or turn the column into numbers" },
      );
    if (!Number.isFinite(value)) throw notFinite(name, value, row);
    numbers[row] = value;
  }
  return numbers;
}

/** The refusal of a number that is NaN or infinite. */
const notFinite = (column: string, value: number, row: number): NdvmError =>
  Number.isNaN(value)
    ? makeError(
        "E-INPUT",
        { reason: "missing", column, rows: [row] },
        { help: "leave out rows with missing values" },
      )
    : makeError(
        "E-INPUT",
        { reason: "infinite", column, rows: [row], actual: String(value) },
        { help: "a fit needs finite numbers: leave out the row, or correct it" },
      );

/** A number, vector or matrix of a program whose value is the loss; refuses what is not finite. */
export function checkedInput(name: string, input: Input): Input {
  if (typeof input !== "object" || !("kind" in input) || input.kind !== "tensor") return input;
  const { data, rows, rank } = input;
  const bad = data.findIndex((value: number) => !Number.isFinite(value));
  if (bad < 0) return input;
  // Matrices lie row by row.
  const row = rank === 2 ? Math.floor(bad / (data.length / rows)) : bad;
  throw notFinite(name, data[bad] as number, row);
}

/** Whether a column still holds the numbers of its copy. */
function isSame({ numbers, hasZero }: Copy, column: Column): boolean {
  if (numbers.length !== column.length) return false;
  // Loops over one kind of array are the fast ones.
  const isEqual =
    column instanceof Float64Array
      ? isEqualTo(numbers, column)
      : numbers.every((number, i) => number === column[i]);
  return isEqual && (!hasZero || numbers.every((number, i) => Object.is(number, column[i])));
}

function isEqualTo(numbers: Float64Array, others: Float64Array): boolean {
  const { length } = numbers;
  for (let i = 0; i < length; i++) if (numbers[i] !== others[i]) return false;
  return true;
}

/** As `numbersOf`, for numbers that are needed only until the caller goes on. */
export const numbersNow = (name: string, column: unknown): Float64Array =>
  column instanceof Float64Array && isFiniteArray(column) ? column : numbersOf(name, column);

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
    { reason: "column", column: name },
  );
}

/**
 * Reads and checks what residual mode needs. `inputs` are the program's free names, `given` those of
 * the data, `names` the targets'.
 */
export function readTable(
  inputs: readonly string[],
  given: readonly string[],
  names: readonly string[],
  options: FitOptions,
  lossName: string,
): Table {
  const data = options.data ?? NO_DATA;
  const targets = names.map((name) => readTarget(data, name, inputs));
  const rows = targets[0]?.length ?? 0;
  if (rows === 0) throw refuse("the data have no rows", "give at least as many rows as parameters");
  const columns: Record<string, Float64Array> = {};
  for (const name of inputs)
    if (given.includes(name) && isColumn(own(data, name)))
      setField(columns, name, repeated(numbersOf(name, own(data, name)), names.length));
  for (const name of given) {
    const column = own(data, name);
    if (isColumn(column) && column.length !== rows)
      throw refuse(
        `column ${name} has ${column.length} rows, but the target ${names[0]} has ${rows}`,
        "columns of one table have one length",
      );
  }
  if (names.length > 1) columns[SELECTOR] = selectorOf(rows, names.length);
  const { groups, rowGroups } = readGroups(data, options.groups, rows);
  const { trials } = options;
  const counts = trials === undefined ? undefined : side(data, trials, "trials", rows);
  const weights = readWeights(data, options, names, targets, lossName);
  return {
    points: rows * names.length,
    rows,
    target: joined(targets),
    columns,
    others: NO_COLUMNS,
    rootWeights:
      lossName === "binomial"
        ? withoutEmpty(weights.rootWeights, counts, names.length)
        : weights.rootWeights,
    hasSigma: weights.hasSigma,
    told: weights.told,
    targets: weights.targets,
    trials: counts && repeated(counts, names.length),
    groups,
    rowGroups: repeatedGroups(rowGroups, names.length),
  };
}

/** Points that count. */
export function countPoints({ points, rootWeights }: Table): number {
  if (rootWeights === undefined) return points;
  let count = 0;
  for (const root of rootWeights) if (root > 0) count += 1;
  return count;
}

function readTarget(data: Data, name: string, inputs: readonly string[]): Float64Array {
  const column = numbersOf(name, columnOf(data, name, ", which is to be the target"));
  if (!inputs.includes(name)) return column;
  throw refuse(
    `the program reads the target ${name} itself`,
    "a prediction is made without it; leave out target where the program's value is the loss",
    { reason: "target", names: [name] },
  );
}

/** Which element predicts a point. */
export const selectorOf = (rows: number, count: number): Float64Array =>
  Float64Array.from({ length: rows * count }, (_, point) => Math.floor(point / rows));

export function joined(columns: readonly Float64Array[]): Float64Array {
  const [first] = columns;
  if (first !== undefined && columns.length === 1) return first;
  const rows = first?.length ?? 0;
  const all = new Float64Array(rows * columns.length);
  for (const [i, column] of columns.entries()) all.set(column, i * rows);
  return all;
}

export const repeated = (column: Float64Array, count: number): Float64Array =>
  count === 1 ? column : joined(Array<Float64Array>(count).fill(column));

export const repeatedGroups = (groups: Int32Array, count: number): Int32Array =>
  count === 1
    ? groups
    : Int32Array.from(
        { length: groups.length * count },
        (_, i) => groups[i % groups.length] as number,
      );

function side(data: Data, given: string | Column, what: string, points: number): Float64Array {
  const isName = typeof given === "string";
  const numbers = isName
    ? numbersOf(given, columnOf(data, given, `, which is to hold the ${what}`))
    : numbersOf(what, given);
  if (numbers.length !== points)
    throw refuse(`there are ${numbers.length} ${what} for ${points} points`, "give one per row");
  return numbers;
}

type Weighing = FitOptions["weights"];

/** What an option says about one target: the same for all, or by the targets' names. */
function ofTarget(
  given: Weighing,
  what: string,
  name: string,
  names: readonly string[],
): string | Column | undefined {
  if (given === undefined || typeof given === "string" || isColumn(given)) return given;
  if (ArrayBuffer.isView(given) || typeof given !== "object" || given === null)
    throw refuse(`${what} is not a list of numbers`, "give an array or a typed array");
  const odd = Object.keys(given).find((key) => !names.includes(key));
  if (odd === undefined) return ownField(given as Readonly<Record<string, string | Column>>, name);
  throw refuse(
    `${what} names ${odd}, which is not a target`,
    `the targets are ${names.join(", ")}`,
  );
}

type Weighed = Pick<Table, "rootWeights" | "hasSigma" | "told" | "targets">;

/** Roots of the weights, and how noisy each target is beside the others. */
function readWeights(
  data: Data,
  options: FitOptions,
  names: readonly string[],
  targets: readonly Float64Array[],
  lossName: string,
): Weighed {
  const { weights, sigma } = options;
  const rows = targets[0]?.length ?? 0;
  const plain = names.map((name): Target => ({ name, scale: 1 }));
  if (weights !== undefined && sigma !== undefined)
    throw new NdvmError("E-OPTION", "weights and sigma are both given", {
      help: "sigma stands for weights of 1/sigma²; give one of them",
    });
  if (weights === undefined && sigma === undefined) {
    if (names.length === 1)
      return { rootWeights: undefined, hasSigma: false, told: undefined, targets: plain };
    return balanced(names, targets, lossName);
  }
  const told = names.map((name) => {
    const given = ofTarget(sigma ?? weights, sigma ? "sigma" : "weights", name, names);
    if (given !== undefined) return weightsOf(data, given, sigma !== undefined, rows);
    if (sigma === undefined) return new Float64Array(rows).fill(1);
    throw refuse(`sigma does not say how noisy ${name} is`, "give it for every target, or weights");
  });
  const rootOf = (each: number): number => (sigma === undefined ? Math.sqrt(each) : 1 / each);
  const rootWeights = joined(told.map((numbers) => numbers.map(rootOf)));
  if (rootWeights.every((value) => value === 0))
    throw refuse("all weights are 0", "weigh some point");
  return { rootWeights, hasSigma: sigma !== undefined, told, targets: plain };
}

/** Roots of weights that are 0 where there are no trials: such rows show nothing and do not count. */
function withoutEmpty(
  roots: Float64Array | undefined,
  trials: Float64Array | undefined,
  copies: number,
): Float64Array | undefined {
  if (trials === undefined || !trials.includes(0)) return roots;
  const counting = repeated(trials, copies).map((count, point) =>
    count === 0 ? 0 : (roots?.[point] ?? 1),
  );
  if (counting.some((root) => root > 0)) return counting;
  throw refuse("no row that counts has trials", "give rows with trials above 0");
}

function weightsOf(
  data: Data,
  given: string | Column,
  isSigma: boolean,
  rows: number,
): Float64Array {
  const numbers = side(data, given, isSigma ? "sigma" : "weights", rows);
  const bad = numbers.findIndex((value) => (isSigma ? value <= 0 : value < 0));
  if (bad < 0) return numbers;
  throw makeError(
    "E-INPUT",
    { reason: isSigma ? "deviation" : "weight", value: numbers[bad] as number, rows: [bad] },
    { help: isSigma ? "deviations are positive" : "weights are 0 or more" },
  );
}

/**
 * Targets count alike though their units differ: residuals are taken in units of the target's own
 * standard deviation, for losses that have a unit.
 */
function balanced(
  names: readonly string[],
  targets: readonly Float64Array[],
  lossName: string,
): Weighed {
  const power = lossName === "squares" ? 1 : lossName === "absolute" ? 0.5 : 0;
  const deviations = targets.map((column) => deviationOf(column));
  return {
    rootWeights:
      power === 0
        ? undefined
        : joined(
            targets.map((column, t) => {
              const deviation = deviations[t] as number;
              return column.map(() => 1 / (power === 1 ? deviation : Math.sqrt(deviation)));
            }),
          ),
    hasSigma: false,
    told: undefined,
    targets: names.map((name, t) => ({ name, scale: power === 1 ? (deviations[t] as number) : 1 })),
  };
}

/** 1 for a constant column. */
function deviationOf(column: Float64Array): number {
  const mean = column.reduce((sum, value) => sum + value, 0) / column.length;
  const squares = column.reduce((sum, value) => sum + (value - mean) * (value - mean), 0);
  return column.every((value) => value === column[0]) ? 1 : Math.sqrt(squares / column.length);
}

const NO_DATA: Data = {};
export const NO_COLUMNS: Table["columns"] = {};
export const NO_GROUPS: Pick<Table, "groups" | "rowGroups"> = {
  groups: [],
  rowGroups: new Int32Array(0),
};

/** The groups in order of appearance. */
function readGroups(
  data: Data,
  asked: FitOptions["groups"],
  points: number,
): Pick<Table, "groups" | "rowGroups"> {
  if (asked === undefined) return NO_GROUPS;
  const column = columnOf(data, asked.by, ", which is to name the groups");
  const rowGroups = new Int32Array(points);
  const index = new Map<string, number>();
  for (let row = 0; row < points; row++) {
    const word = wordOf(asked.by, column[row], row);
    if (!index.has(word)) index.set(word, index.size);
    rowGroups[row] = index.get(word) as number;
  }
  return { groups: [...index.keys()], rowGroups };
}

/** The name of a row's group; refuses what is no word and no finite number. */
function wordOf(name: string, cell: unknown, row: number): string {
  if (typeof cell === "number" && !Number.isFinite(cell)) throw notFinite(name, cell, row);
  if (cell === null || cell === undefined) throw notFinite(name, Number.NaN, row);
  return String(cell);
}

/** Each row's group among known ones, for predictions. */
export function groupsOfRows(data: Data, by: string, groups: readonly string[]): Int32Array {
  const column = columnOf(data, by, ", which is to name the groups");
  return Int32Array.from(column as readonly (string | number)[], (word, row) => {
    const found = groups.indexOf(String(word));
    if (found >= 0) return found;
    throw makeError(
      "E-INPUT",
      { reason: "group", rows: [row], actual: String(word), names: groups },
      { help: `its groups are ${groups.join(", ")}` },
    );
  });
}
