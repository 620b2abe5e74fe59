/** Line plots in the terminal. */

import { inOneLine } from "@ndvm/core/machine";
import { tickText } from "@ndvm/report/text";
import chart from "simple-ascii-chart";
import { out, widthOf } from "./terminal.js";

export interface PlotOptions {
  readonly title: string;
  readonly x: ArrayLike<number>;
  readonly y: ArrayLike<number>;
  readonly height?: number;
}

/** Room for the labels of the y axis. */
const MARGIN = 14;

/** Values at `count` places along the line, so that a plot of many lanes stays one column a point. */
function thin(x: ArrayLike<number>, y: ArrayLike<number>, count: number): [number, number][] {
  const step = Math.max(1, (x.length - 1) / Math.max(1, count - 1));
  const points: [number, number][] = [];
  for (let at = 0; at < x.length; at += step) {
    const index = Math.min(x.length - 1, Math.round(at));
    const point: [number, number] = [x[index] ?? Number.NaN, y[index] ?? Number.NaN];
    if (point.every(Number.isFinite)) points.push(point);
  }
  return points.sort((a, b) => a[0] - b[0]);
}

/** Round numbers (1, 2 or 5 times a power of ten apart) between two ends, `count` or fewer. */
function ticksBetween(low: number, high: number, count: number): number[] {
  const rough = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10);
  const ticks: number[] = [];
  for (let index = Math.ceil(low / step); index * step <= high; index++) ticks.push(index * step);
  return ticks;
}

/** The least and the largest of any number of numbers: a call takes some hundred thousand at most. */
function rangeOf(numbers: readonly number[]): readonly [low: number, high: number] {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const number of numbers) [low, high] = [Math.min(low, number), Math.max(high, number)];
  return [low, high];
}

function ticksOf(points: readonly [number, number][], axis: 0 | 1, count: number): number[] {
  const numbers = points.map((point) => point[axis]);
  const [low, high] = rangeOf(numbers);
  return high > low ? ticksBetween(low, high, count) : [low];
}

/** Ticks of both axes, and how they are written: so that no two of one axis read alike. */
function axesOf(points: readonly [number, number][], acrossMost: number, upMost: number) {
  const [across, up] = [ticksOf(points, 0, acrossMost), ticksOf(points, 1, upMost)];
  const spacingOf = ([first = 0, second = first]: readonly number[]): number => second - first;
  const spacing = { x: spacingOf(across), y: spacingOf(up) };
  return {
    customXAxisTicks: across,
    customYAxisTicks: up,
    formatter: (value: number, { axis }: { readonly axis: "x" | "y" }): string =>
      tickText(value, spacing[axis], 4),
  };
}

export function plotText({ title, x, y, height = 10 }: PlotOptions): string {
  const width = Math.min(72, widthOf(process.stdout) - MARGIN);
  const points = thin(x, y, width);
  if (points.length < 2)
    return `${out.bold(inOneLine(title))}\n(fewer than two finite points to plot)`;
  const text = chart(points, {
    width,
    height,
    ...axesOf(points, Math.floor(width / 10), Math.floor(height / 2)),
  });
  return `${out.bold(inOneLine(title))}\n${text.replace(/^\n+|\s+$/g, "")}`;
}

export type Points = readonly (readonly [number, number])[];

export interface FitPlotOptions {
  readonly title: string;
  /** What was measured. */
  readonly points: Points;
  /** What the program predicts; a line goes through its points in order of x. */
  readonly lines: readonly Points[];
  readonly height?: number;
}

const POINT = "●";

const finitePoints = (points: Points): [number, number][] =>
  points.filter((point) => point.every(Number.isFinite)).map(([x, y]) => [x, y]);

/** Data as dots over the lines of a prediction. */
export function fitPlotText({ title, points, lines, height = 14 }: FitPlotOptions): string {
  const width = Math.min(76, widthOf(process.stdout) - MARGIN);
  const dots = finitePoints(points);
  const curves = lines.map(finitePoints).filter(({ length }) => length > 1);
  const all = [...dots, ...curves.flat()];
  const ys = all.map(([, y]) => y);
  const [low, high] = rangeOf(ys);
  if (curves.length === 0 || !(high > low)) {
    return `${out.bold(inOneLine(title))}\n(no plot: the numbers do not vary)`;
  }
  const text = chart(curves, {
    width,
    height,
    yRange: [low, high],
    points: dots.map(([x, y]) => ({ x, y })),
    symbols: { point: POINT },
    ...axesOf(all, Math.floor(width / 12), Math.floor(height / 2)),
  });
  return `${out.bold(inOneLine(title))}\n${text.replace(/^\n+|\s+$/g, "")}`;
}
