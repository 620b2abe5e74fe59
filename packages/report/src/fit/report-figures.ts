/** The pictures in the report of a fit. */

import type { FitResult } from "@ndvm/core";
import { agreement } from "../agreement.js";
import { binsOf, drawChart, type Layer, type XY } from "../chart.js";
import { type Content, figure, type Html, type LegendEntry, seriesColor } from "../html.js";
import { tickText } from "../numbers.js";
import type { Curve, Picture } from "./picture.js";
import { percentText } from "./summary.js";

const INK = "var(--ink)";
const HELD = seriesColor(1);
/** Points up to this many tell their numbers to a pointer. */
const TITLES_MOST = 600;
/** Groups that get a colour and a line in the legend of their own. */
const GROUPS_MOST = 8;

const pairs = (x: ArrayLike<number>, y: ArrayLike<number>): XY[] =>
  Array.from(x, (value, index) => [value, y[index] as number]);

/** Smaller dots where there are many. */
const radiusFor = (count: number): number => (count > 800 ? 1.5 : count > 200 ? 2.2 : 3);

/** What a title tells apart: a thousandth of how far the points reach. */
function finestOf(points: readonly XY[], side: 0 | 1): number {
  const numbers = points.map((point) => point[side]).filter(Number.isFinite);
  return (Math.max(...numbers) - Math.min(...numbers)) / 1000;
}

function titlesFor(points: readonly XY[], x: string, y: string) {
  if (points.length > TITLES_MOST) return {};
  const [across, up] = [finestOf(points, 0), finestOf(points, 1)];
  return {
    titles: (index: number): string => {
      const [at, value] = points[index] as XY;
      return `${x} ${tickText(at, across, 6)}, ${y} ${tickText(value, up, 6)}`;
    },
  };
}

const thinned = ({ rows, observed }: Picture): string =>
  rows > observed.length ? ` ${observed.length} of ${rows} rows are shown.` : "";

export async function dataFigure(picture: Picture, result: FitResult): Promise<Html> {
  const { label, x, observed, predicted, curves, heldOut } = picture;
  const points = pairs(x.values, observed);
  const groups = picture.groups ? [...new Set(picture.groups)] : [];
  const isColoured = groups.length > 1 && groups.length <= GROUPS_MOST;
  const colorOf = (group: string): string =>
    isColoured ? seriesColor(groups.indexOf(group)) : seriesColor(0);
  const layers: Layer[] = curves.flatMap((curve) => bandLayers(curve, colorOf(curve.group)));
  const dots = isColoured ? groups : [""];
  for (const group of dots) {
    const own = isColoured ? points.filter((_, row) => picture.groups?.[row] === group) : points;
    layers.push({
      kind: "dots",
      points: own,
      color: isColoured ? colorOf(group) : INK,
      radius: radiusFor(points.length),
      ...titlesFor(own, x.name, label),
    });
  }
  if (heldOut !== undefined) {
    const own = pairs(heldOut.x, heldOut.y);
    layers.push({ kind: "dots", points: own, color: isColoured ? INK : HELD, isRing: true });
  }
  for (const curve of curves) {
    const line = pairs(curve.x, curve.prediction.values);
    layers.push({ kind: "line", points: line, color: colorOf(curve.group) });
  }
  if (curves.length === 0) {
    layers.push({
      kind: "dots",
      points: pairs(x.values, predicted),
      color: seriesColor(0),
      isRing: true,
      radius: radiusFor(points.length) + 1,
    });
  }
  const hasBands = curves.some(({ prediction }) => prediction.lower.some(Number.isFinite));
  const svg = await drawChart({
    description: `${label} over ${x.name}: data and fit`,
    x: { label: x.name },
    y: { label },
    layers,
  });
  return figure({
    svg,
    legend: legendOf(picture, groups, isColoured, colorOf, hasBands),
    caption: captionOf(picture, result, hasBands),
  });
}

function bandLayers({ x, prediction }: Curve, color: string): Layer[] {
  const band = (low: Float64Array, high: Float64Array, opacity: number): Layer[] =>
    low.some(Number.isFinite)
      ? [
          {
            kind: "band",
            points: Array.from(
              x,
              (at, index) => [at, low[index] as number, high[index] as number] as const,
            ),
            color,
            opacity,
          },
        ]
      : [];
  return [
    ...band(prediction.observationLower, prediction.observationUpper, 0.1),
    ...band(prediction.lower, prediction.upper, 0.28),
  ];
}

function legendOf(
  { heldOut, curves }: Picture,
  groups: readonly string[],
  isColoured: boolean,
  colorOf: (group: string) => string,
  hasBands: boolean,
): LegendEntry[] {
  const fit: LegendEntry["mark"] = curves.length > 0 ? "line" : "ring";
  const entries: LegendEntry[] = isColoured
    ? groups.map((group) => ({
        label: group,
        color: colorOf(group),
        mark: curves.length > 0 ? fit : "dot",
      }))
    : [
        { label: "data", color: INK, mark: "dot" },
        { label: "fit", color: seriesColor(0), mark: fit },
      ];
  if (hasBands && !isColoured) {
    entries.push({ label: "bands", color: seriesColor(0), mark: "band" });
  }
  if (heldOut !== undefined) {
    entries.push({ label: "held out", color: isColoured ? INK : HELD, mark: "ring" });
  }
  return entries;
}

function captionOf(picture: Picture, { level, loss }: FitResult, hasBands: boolean): Content {
  const { curves } = picture;
  if (curves.length === 0) {
    const others = picture.readsOthers ? ", which depend on other columns too" : "";
    return `Dots are data, rings the predictions${others}.${thinned(picture)}`;
  }
  const hasWide = curves.some(({ prediction }) =>
    prediction.observationLower.some(Number.isFinite),
  );
  const wide = hasWide ? "; light band: where a new observation lies." : ".";
  const mean = `${hasWide ? "Dark band" : "Band"}: where the mean lies, at ${percentText(level)}`;
  return `${hasBands ? mean + wide : ""}${bandWords(curves, loss, hasWide)}${thinned(picture)}`;
}

/**
 * What is to be said of the bands, once for all curves. Their points are not the table's rows, so that what a
 * prediction says of its rows would be taken for these.
 */
function bandWords(curves: readonly Curve[], loss: string, hasWide: boolean): string {
  if (curves.every(({ prediction }) => prediction.notes === undefined)) return "";
  const isOpen = curves.some(({ prediction }) => prediction.lower.some(Number.isNaN));
  const open = isOpen ? " No band where the data do not determine the prediction." : "";
  // Other losses have no bands for new observations at all.
  if (loss !== "squares") return open;
  const hasGaps = curves.some(({ prediction: { lower, observationLower } }) =>
    observationLower.some((value, at) => Number.isNaN(value) && !Number.isNaN(lower[at])),
  );
  const where = hasWide ? " everywhere" : "";
  if (hasGaps)
    return `${open} No band for new observations${where}: the table tells the deviations of its own rows only.`;
  if (isOpen) return open;
  return " The band for new observations is that of weight 1: the table tells the weights of its own rows only.";
}

export async function residualFigures(picture: Picture): Promise<Html[]> {
  const { label, x, observed, predicted, scaling } = picture;
  const residuals = observed.map((value, index) => value - (predicted[index] as number));
  const isCounted = (_: unknown, row: number): boolean => scaling?.roots[row] !== 0;
  const scaled = residuals.map((value, row) => value * (scaling?.roots[row] ?? 1));
  const evened = scaling === undefined ? residuals : scaled.filter(isCounted);
  const name = scaling === undefined ? "residual" : "scaled residual";
  const histogram = await drawChart({
    description: `Histogram of the ${name}s`,
    x: { label: name },
    y: { label: "rows", isInteger: true },
    ...HALF,
    layers: [
      { kind: "bars", bins: binsOf(evened), color: seriesColor(0) },
      { kind: "level", y: 0 },
    ],
  });
  return [
    await overFigure(
      x.name,
      "residual",
      pairs(x.values, residuals),
      `${label} minus its prediction, over ${x.name}.${thinned(picture)}`,
    ),
    await overFigure(
      "prediction",
      name,
      pairs(scaling === undefined ? predicted : predicted.filter(isCounted), evened),
      scaling === undefined
        ? "The same over the prediction: a funnel means uneven noise."
        : `Residuals ${scaling.words}, over the prediction: a funnel means ${scaling.doubt}.`,
    ),
    figure({ svg: histogram, caption: `How the ${name}s are spread.` }),
    await agreementFigure(picture),
  ];
}

/** Figures that stand two beside each other. */
const HALF = { width: 460, height: 280 };

async function overFigure(
  axis: string,
  name: string,
  points: readonly XY[],
  caption: string,
): Promise<Html> {
  const svg = await drawChart({
    description: `${name === "residual" ? "Residuals" : "Scaled residuals"} over ${axis}`,
    x: { label: axis },
    y: { label: name },
    ...HALF,
    layers: [
      { kind: "level", y: 0 },
      {
        kind: "dots",
        points,
        color: seriesColor(0),
        radius: radiusFor(points.length),
        ...titlesFor(points, axis, name),
      },
    ],
  });
  return figure({ svg, caption });
}

async function agreementFigure({ label, observed, predicted }: Picture): Promise<Html> {
  const points = pairs(predicted, observed);
  const svg = await drawChart({
    description: `${label} against its prediction`,
    x: { label: "prediction" },
    y: { label },
    ...HALF,
    layers: [
      { kind: "line", points: agreement(observed, predicted), color: INK, isDashed: true },
      {
        kind: "dots",
        points,
        color: seriesColor(0),
        radius: radiusFor(points.length),
        ...titlesFor(points, "prediction", label),
      },
    ],
  });
  return figure({ svg, caption: "Data against prediction: on the dashed line they agree." });
}

/** A ratio of losses beyond which only a logarithmic axis shows the small ones. */
const LOG_RATIO = 50;

/** A range that shows one number in its middle. */
function aroundOf(value: number): [number, number] {
  const reach = value === 0 ? 1 : Math.abs(value);
  return value > 0 ? [0, 2 * value] : [value - reach, value + reach];
}

export async function restartsFigure({ restarts }: FitResult): Promise<Html | undefined> {
  const sorted = restarts
    .filter(({ loss }) => Number.isFinite(loss))
    .sort((a, b) => a.loss - b.loss);
  const [first] = sorted;
  const last = sorted.at(-1);
  if (restarts.length < 2 || first === undefined || last === undefined) return undefined;
  const areEqual = sorted.every(({ hasBestLoss }) => hasBestLoss);
  const isLog = !areEqual && first.loss > 0 && last.loss > LOG_RATIO * first.loss;
  const points = sorted.map(({ loss }, rank) => [rank + 1, loss] as const);
  const svg = await drawChart({
    description: "Losses of the restarts, sorted",
    x: { label: "restart, by loss", isInteger: true },
    y: { label: "loss", isLog, ...(areEqual ? { domain: aroundOf(last.loss) } : {}) },
    height: 260,
    layers: [
      { kind: "line", points, color: "var(--rule)" },
      {
        kind: "dots",
        points: points.filter((_, rank) => sorted[rank]?.hasConverged),
        color: seriesColor(0),
        radius: radiusFor(points.length),
      },
      {
        kind: "dots",
        points: points.filter((_, rank) => sorted[rank]?.hasConverged === false),
        color: HELD,
        isRing: true,
      },
    ],
  });
  const lost = restarts.length - sorted.length;
  return figure({
    svg,
    legend: [
      { label: "converged", color: seriesColor(0), mark: "dot" },
      ...(sorted.every(({ hasConverged }) => hasConverged)
        ? []
        : [{ label: "did not converge", color: HELD, mark: "ring" as const }]),
    ],
    caption:
      (areEqual
        ? "All restarts came to the same loss."
        : "Steps in the losses are local optima; a flat start means many restarts agree.") +
      (lost > 0 ? ` ${lost} ${lost === 1 ? "restart" : "restarts"} never had a finite loss.` : ""),
  });
}
