/**
 * What plots of a fit show: the data over one column, and the prediction as a line with its bands
 * where the program reads that column only, or at the rows where it reads more.
 */

import {
  type Data,
  type FitResult,
  isOfCounts,
  type LossName,
  NdvmError,
  own,
  type Prediction,
  type RowSides,
  recordOf,
  residualRoots,
  responses,
} from "@ndvm/core";
import {
  type FittedProblem,
  type HeldOutScore,
  shareLabel,
  trialsOf,
  weightsOf,
} from "./problem.js";

/** Most points of a plot: more are thinned evenly. */
const POINTS_MOST = 2000;
/** Places along a line. */
const LINE_POINTS = 200;

export type TargetPrediction = Prediction["targets"][string];

export interface Curve {
  /** The group, or "" where there is one curve for all rows. */
  readonly group: string;
  readonly x: Float64Array;
  readonly prediction: TargetPrediction;
}

/** What residuals are multiplied by, and what that is in words. */
export interface Scaling {
  /** 0 of rows that do not count. */
  readonly roots: Float64Array;
  readonly words: string;
  /** What is wrong where the products are more uneven than noise. */
  readonly doubt: string;
}

export interface Picture {
  readonly target: string;
  /** What is observed: the target, or its share of the trials. */
  readonly label: string;
  readonly x: { readonly name: string; readonly values: Float64Array };
  readonly observed: Float64Array;
  readonly predicted: Float64Array;
  /** How residuals are made equally noisy; undefined where nothing tells them apart. */
  readonly scaling: Scaling | undefined;
  /** The group of each point; undefined without groups. */
  readonly groups: readonly string[] | undefined;
  /** Lines over x; empty where the prediction depends on other columns, or on none. */
  readonly curves: readonly Curve[];
  /** Whether the prediction depends on columns other than x. */
  readonly readsOthers: boolean;
  readonly heldOut: { readonly x: Float64Array; readonly y: Float64Array } | undefined;
  /** How many rows the points stand for. */
  readonly rows: number;
}

/** A picture for each target; none in objective mode, and where the prediction is not on the target's scale. */
export function picturesOf(
  result: FitResult,
  problem: FittedProblem,
  scores: readonly HeldOutScore[],
  xWanted: string | undefined,
): Picture[] {
  const { targets, data, options, columns } = problem;
  if (targets.length === 0 || !result.predictsTarget) return [];
  const name = xWanted ?? widestColumn(problem);
  const curves = curvesOf(result, problem, name);
  const rows = thin((own(data, targets[0] ?? "") as Float64Array).length);
  const by = problem.options.groups?.by;
  const words = by === undefined ? undefined : (own(data, by) as readonly string[]);
  const at = (from: Data, row: number): number =>
    name === undefined ? row + 1 : Number((own(from, name) as Float64Array)[row]);
  return targets.map((target) => {
    const counts = own(data, target) as Float64Array;
    const trials = trialsOf(options, data, counts.length);
    const isShare = result.loss === "binomial";
    const observed = isShare ? responses("binomial", counts, trials) : counts;
    const score = scores.find((one) => one.target === target);
    const predicted = predictedOf(result, target, observed);
    const scaling = scalingOf(result, options, predicted, {
      weights: weightsOf(options, target, data),
      trials,
    });
    const shown = (numbers: Float64Array): Float64Array =>
      Float64Array.from(rows, (row) => numbers[row] as number);
    return {
      target,
      label: isShare ? shareLabel(target, options.trials) : target,
      x: { name: name ?? "row", values: Float64Array.from(rows, (row) => at(data, row)) },
      observed: shown(observed),
      predicted: shown(predicted),
      scaling: scaling && { ...scaling, roots: shown(scaling.roots) },
      groups: words === undefined ? undefined : Array.from(rows, (row) => words[row] as string),
      curves: curves.map(({ group, x, prediction }) => ({
        group,
        x,
        prediction: own(prediction.targets, target) as TargetPrediction,
      })),
      readsOthers: columns.some((column) => column !== name),
      heldOut: score && name !== undefined ? heldPoints(problem, score, at) : undefined,
      rows: observed.length,
    };
  });
}

function scalingOf(
  { loss }: FitResult,
  { sigma }: FittedProblem["options"],
  predicted: Float64Array,
  sides: RowSides,
): Scaling | undefined {
  const roots = residualRoots(loss as LossName | "program", predicted, sides);
  if (roots === undefined) return undefined;
  if (isOfCounts(loss))
    return {
      roots,
      words: "over the deviations that the loss expects",
      doubt: "other noise than it expects",
    };
  return sigma === undefined
    ? { roots, words: "times the roots of their weights", doubt: "that the weights are not right" }
    : { roots, words: "over their deviations", doubt: "that the deviations are not right" };
}

/** What the fit predicted, from its residuals. */
function predictedOf(result: FitResult, target: string, observed: Float64Array): Float64Array {
  const { residuals } = result.targets.find(({ name }) => name === target) ?? result;
  return observed.map((value, row) => value - (residuals?.residuals[row] ?? Number.NaN));
}

/** Row numbers, at most POINTS_MOST, evenly spread. */
function thin(count: number): Int32Array {
  const step = Math.max(1, count / POINTS_MOST);
  const shown = Math.min(count, POINTS_MOST);
  return Int32Array.from({ length: shown }, (_, index) => Math.floor(index * step));
}

function heldPoints(
  { heldOut = {} }: FittedProblem,
  { observed }: HeldOutScore,
  at: (data: Data, row: number) => number,
): { x: Float64Array; y: Float64Array } {
  const rows = thin(observed.length);
  return {
    x: Float64Array.from(rows, (row) => at(heldOut, row)),
    y: Float64Array.from(rows, (row) => observed[row] as number),
  };
}

/** The column the program reads that has most different values. */
function widestColumn({ columns, data }: FittedProblem): string | undefined {
  let best: string | undefined;
  let most = 1;
  for (const name of columns) {
    const different = new Set(own(data, name) as Float64Array).size;
    if (different > most) [best, most] = [name, different];
  }
  return best;
}

interface FittedCurve {
  readonly group: string;
  readonly x: Float64Array;
  readonly prediction: Prediction;
}

function curvesOf(result: FitResult, problem: FittedProblem, x: string | undefined): FittedCurve[] {
  const { columns, data, options } = problem;
  if (x === undefined || columns.length !== 1 || columns[0] !== x) return [];
  const by = options.groups?.by;
  const words = by === undefined ? [] : [...new Set(own(data, by) as readonly string[])];
  const curve = (group: string): FittedCurve => {
    const range = rangeOfGroup(problem, x, group);
    const places = alongOf(range);
    const predict = (at: Float64Array): Prediction =>
      result.predict(
        recordOf<Float64Array | string[]>([
          [x, at],
          ...(by === undefined ? [] : [[by, Array.from(at, () => group)] as const]),
        ]),
      );
    try {
      const prediction = predict(places);
      if (prediction.values.every(Number.isFinite)) return { group, x: places, prediction };
    } catch (error) {
      if (!(error instanceof NdvmError)) throw error;
    }
    // A program may be defined at the data only (an index, say).
    const there = Float64Array.from(new Set(range)).sort();
    return { group, x: there, prediction: predict(there) };
  };
  return by === undefined ? [curve("")] : words.map(curve);
}

/** The values of x, held-out rows too, of one group or of all. */
function rangeOfGroup(
  { data, heldOut, options }: FittedProblem,
  x: string,
  group: string,
): Float64Array {
  const by = options.groups?.by;
  const parts = [data, ...(heldOut === undefined ? [] : [heldOut])].map((part) => {
    const values = own(part, x) as Float64Array;
    return by === undefined
      ? values
      : values.filter((_, row) => (own(part, by) as readonly string[])[row] === group);
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
