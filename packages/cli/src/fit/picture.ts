/**
 * What plots of a fit show: the data over one column, and the prediction as a line with its bands
 * where the program reads that column only, or at the rows where it reads more.
 */

import { type Data, type FitResult, NdvmError, type Prediction } from "@ndvm/core";
import type { HeldOutScore } from "./held-out.js";
import type { FitProblem } from "./problem.js";

/** Most points of a plot: more are thinned evenly. */
const POINTS_MOST = 2000;
/** Places along a line. */
const LINE_POINTS = 200;

export interface Curve {
  /** The group, or "" where there is one curve for all rows. */
  readonly group: string;
  readonly x: Float64Array;
  readonly prediction: Prediction;
}

export interface Picture {
  readonly target: string;
  readonly x: { readonly name: string; readonly values: Float64Array };
  readonly observed: Float64Array;
  readonly predicted: Float64Array;
  /** The group of each point; undefined without groups. */
  readonly groups: readonly string[] | undefined;
  /** Lines over x; empty where the prediction depends on other columns too. */
  readonly curves: readonly Curve[];
  readonly heldOut: { readonly x: Float64Array; readonly y: Float64Array } | undefined;
  /** How many rows the points stand for. */
  readonly rows: number;
}

export function pictureOf(
  result: FitResult,
  problem: FitProblem,
  score: HeldOutScore | undefined,
  xWanted: string | undefined,
): Picture | undefined {
  const [target] = problem.targets;
  if (target === undefined) return undefined;
  const observed = problem.data[target] as Float64Array;
  const rows = thin(observed.length);
  const name = chooseX(problem, xWanted);
  const at = (data: Data, row: number): number =>
    name === undefined ? row + 1 : Number((data[name] as Float64Array)[row]);
  const by = problem.options.groups?.by;
  const words = by === undefined ? undefined : (problem.data[by] as readonly string[]);
  const residuals = result.residuals?.residuals;
  const predicted = residuals
    ? Float64Array.from(rows, (row) => (observed[row] as number) - (residuals[row] as number))
    : predictRows(result, problem.data, rows);
  return {
    target,
    x: { name: name ?? "row", values: Float64Array.from(rows, (row) => at(problem.data, row)) },
    observed: Float64Array.from(rows, (row) => observed[row] as number),
    predicted,
    groups: words === undefined ? undefined : Array.from(rows, (row) => words[row] as string),
    curves: curvesOf(result, problem, name),
    heldOut: score && name !== undefined ? heldPoints(problem, score, at) : undefined,
    rows: observed.length,
  };
}

/** Row numbers, at most POINTS_MOST, evenly spread. */
function thin(count: number): Int32Array {
  const step = Math.max(1, count / POINTS_MOST);
  const shown = Math.min(count, POINTS_MOST);
  return Int32Array.from({ length: shown }, (_, index) => Math.floor(index * step));
}

function heldPoints(
  { heldOut = {} }: FitProblem,
  { observed }: HeldOutScore,
  at: (data: Data, row: number) => number,
): { x: Float64Array; y: Float64Array } {
  const rows = thin(observed.length);
  return {
    x: Float64Array.from(rows, (row) => at(heldOut, row)),
    y: Float64Array.from(rows, (row) => observed[row] as number),
  };
}

function predictRows(result: FitResult, data: Data, rows: Int32Array): Float64Array {
  const some: Record<string, Data[string]> = {};
  for (const [name, column] of Object.entries(data)) {
    some[name] =
      typeof column === "number" || "kind" in column
        ? column
        : (Array.from(rows, (row) => column[row] as number) as number[]);
  }
  const { values } = result.predict(some);
  return values.length === rows.length
    ? values
    : new Float64Array(rows.length).fill(values[0] ?? 0);
}

/** The wanted column, else the one the program reads that has most different values. */
function chooseX(
  { columns, data, table }: FitProblem,
  wanted: string | undefined,
): string | undefined {
  if (wanted !== undefined) {
    table?.numbers(wanted, ", which is to be the axis (--x)");
    return wanted;
  }
  let best: string | undefined;
  let most = 1;
  for (const name of columns) {
    const different = new Set(data[name] as Float64Array).size;
    if (different > most) [best, most] = [name, different];
  }
  return best;
}

function curvesOf(result: FitResult, problem: FitProblem, x: string | undefined): Curve[] {
  const { columns, data, options } = problem;
  if (x === undefined || columns.length !== 1 || columns[0] !== x) return [];
  const by = options.groups?.by;
  const words = by === undefined ? [] : [...new Set(data[by] as readonly string[])];
  const curve = (group: string): Curve => {
    const own = rangeOfGroup(problem, x, group);
    const places = alongOf(own);
    const predict = (at: Float64Array): Prediction =>
      result.predict({
        [x]: at,
        ...(by === undefined ? {} : { [by]: Array.from(at, () => group) }),
      });
    try {
      const prediction = predict(places);
      if (prediction.values.every(Number.isFinite)) return { group, x: places, prediction };
    } catch (error) {
      if (!(error instanceof NdvmError)) throw error;
    }
    // A program may be defined at the data only (an index, say).
    const there = Float64Array.from(new Set(own)).sort();
    return { group, x: there, prediction: predict(there) };
  };
  return by === undefined ? [curve("")] : words.map(curve);
}

/** The values of x, held-out rows too, of one group or of all. */
function rangeOfGroup(
  { data, heldOut, options }: FitProblem,
  x: string,
  group: string,
): Float64Array {
  const by = options.groups?.by;
  const parts = [data, ...(heldOut === undefined ? [] : [heldOut])].map((part) => {
    const values = part[x] as Float64Array;
    return by === undefined
      ? values
      : values.filter((_, row) => (part[by] as readonly string[])[row] === group);
  });
  const [first = new Float64Array(0), second] = parts;
  if (second === undefined) return first;
  const both = new Float64Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}

function alongOf(values: Float64Array): Float64Array {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  if (!(high > low)) return Float64Array.of(low);
  return Float64Array.from(
    { length: LINE_POINTS },
    (_, index) => low + ((high - low) * index) / (LINE_POINTS - 1),
  );
}
