/**
 * Charts as SVG text, drawn by Observable Plot: on the page's own document in a browser, on one by
 * linkedom elsewhere. Both are loaded when the first chart is drawn. Colours are names of the page's style (`var(--series-1)`), so one
 * picture serves light and dark.
 */

import { checkNames, namesOf, visible } from "@ndvm/core";
import { Html } from "./html.js";
import { tickText } from "./numbers.js";

type Plot = typeof import("@observablehq/plot");
type Mark = import("@observablehq/plot").Markish;

export type XY = readonly [x: number, y: number];

/** What a chart is made of, drawn in the order given. */
export type Layer =
  | {
      readonly kind: "dots";
      readonly points: readonly XY[];
      readonly color: string;
      /** Filled, or a ring. Default filled. */
      readonly isRing?: boolean;
      readonly radius?: number;
      /** What a pointer that rests on a point is told. */
      titles?(index: number): string;
    }
  | {
      readonly kind: "line";
      readonly points: readonly XY[];
      readonly color: string;
      readonly isDashed?: boolean;
      /** Steps from point to point, for a front or a best so far. */
      readonly isStep?: boolean;
    }
  | {
      readonly kind: "band";
      readonly points: readonly (readonly [x: number, low: number, high: number])[];
      readonly color: string;
      readonly opacity: number;
    }
  | { readonly kind: "bars"; readonly bins: readonly Bin[]; readonly color: string }
  | { readonly kind: "level"; readonly y: number };

export interface Bin {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

export interface AxisOptions {
  readonly label: string;
  readonly isLog?: boolean;
  /** Ticks at whole numbers only. */
  readonly isInteger?: boolean;
  /** From where to where; as far as the layers reach if left out. */
  readonly domain?: readonly [number, number];
}

export interface ChartOptions {
  /** What the picture shows, for those who cannot see it. */
  readonly description: string;
  readonly x: AxisOptions;
  readonly y: AxisOptions;
  readonly layers: readonly Layer[];
  readonly width?: number;
  readonly height?: number;
}

interface Tools {
  readonly plot: Plot;
  readonly document: unknown;
}

let tools: Promise<Tools> | undefined;

function loadTools(): Promise<Tools> {
  tools ??= (async () => {
    const plot = await import("@observablehq/plot");
    if (globalThis.document !== undefined) return { plot, document: globalThis.document };
    const { parseHTML } = await import("linkedom");
    const { document } = parseHTML("<!doctype html><html><body></body></html>");
    return { plot, document };
  })();
  return tools;
}

/** Room beside the axes: more where labels are long. */
const MARGINS = { left: 62, right: 16 };
/** Pixels of one character of a label, and of the tick beside it. */
const CHARACTER = 7;
const TICK = 14;

const NAMES = namesOf<ChartOptions>({
  description: 1,
  x: 1,
  y: 1,
  layers: 1,
  width: 1,
  height: 1,
});

export async function drawChart(options: ChartOptions): Promise<Html> {
  checkNames("drawChart", options, NAMES);
  const { plot, document } = await loadTools();
  const { x, y, layers, width = 940, height = 380 } = options;
  const hasBars = layers.some(({ kind }) => kind === "bars");
  const across = scaleOf(x, layers, 0, width / 90);
  const up = scaleOf(y, layers, 1, height / 50);
  const svg = plot.plot({
    document,
    width,
    height,
    marginLeft: Math.max(MARGINS.left, TICK + CHARACTER * up.length),
    marginBottom: 42,
    // The last label of the x axis stands half beyond its tick.
    marginRight: Math.max(MARGINS.right, (CHARACTER * across.length) / 2),
    ariaLabel: options.description,
    className: "chart",
    x: { ...across.scale, labelAnchor: "center", inset: 8 },
    y: {
      ...up.scale,
      grid: true,
      ...(hasBars ? {} : { inset: 8 }),
    },
    marks: layers.map((layer) => markOf(plot, layer)),
  } as import("@observablehq/plot").PlotOptions);
  return new Html(visible(svg.outerHTML));
}

/** From the least to the largest number of the layers along an axis; bars stand on 0. */
function rangeOf(layers: readonly Layer[], side: 0 | 1): readonly [low: number, high: number] {
  let [low, high] = [Infinity, -Infinity];
  const reach = (value: number): void => {
    if (!Number.isFinite(value)) return;
    low = Math.min(low, value);
    high = Math.max(high, value);
  };
  for (const layer of layers) {
    if ("points" in layer) for (const point of layer.points) reach(point[side]);
    if ("bins" in layer)
      for (const { from, to, count } of layer.bins)
        for (const end of side === 0 ? [from, to] : [0, count]) reach(end);
  }
  return [low, high];
}

/** The scale of an axis, and how many characters its longest label may have. */
function scaleOf(axis: AxisOptions, layers: readonly Layer[], side: 0 | 1, room: number) {
  const { label, domain, isLog = false, isInteger = false } = axis;
  const [low, high] = domain ?? rangeOf(layers, side);
  // On an axis of whole numbers no more ticks than it has.
  const most = isInteger ? Math.floor(high - low) : Infinity;
  const ticks = Math.max(1, Math.min(Math.floor(room), most));
  const spacing = isLog ? 0 : (high - low) / ticks;
  const format = (value: number): string =>
    isInteger && !Number.isInteger(value) ? "" : tickText(value, spacing, 6);
  const scale = {
    label,
    labelArrow: "none",
    ticks,
    tickFormat: format,
    ...(isLog ? { type: "log" } : {}),
    ...(domain === undefined ? {} : { domain }),
  };
  return { scale, length: lengthOf(low, high, spacing) };
}

/** Ticks are round numbers: one of the ends, cut to the spacing's first digit, is as long as any. */
function lengthOf(low: number, high: number, spacing: number): number {
  if (!(spacing > 0)) return 0;
  const unit = 10 ** Math.floor(Math.log10(spacing));
  const longest = [low, high].map(
    (end) => tickText(Math.round(end / unit) * unit, spacing, 6).length,
  );
  return Math.max(...longest);
}

const isFinitePoint = (point: readonly number[]): boolean => point.every(Number.isFinite);

function markOf(plot: Plot, layer: Layer): Mark {
  switch (layer.kind) {
    case "dots": {
      const { isRing = false, radius = 3, color, titles } = layer;
      const shown = layer.points.map((point, index) => ({ point, index }));
      const points = shown.filter(({ point }) => isFinitePoint(point));
      return plot.dot(points, {
        x: ({ point }: { point: XY }) => point[0],
        y: ({ point }: { point: XY }) => point[1],
        r: radius,
        ...(isRing ? { stroke: color, strokeWidth: 1.6, fill: "none" } : { fill: color }),
        ...(titles ? { title: ({ index }: { index: number }) => titles(index) } : {}),
      });
    }
    case "line":
      return plot.line(layer.points.filter(isFinitePoint), {
        x: "0",
        y: "1",
        stroke: layer.color,
        strokeWidth: 2,
        ...(layer.isDashed ? { strokeDasharray: "5 4" } : {}),
        ...(layer.isStep ? { curve: "step-after" as const } : {}),
      });
    case "band":
      return plot.areaY(layer.points.filter(isFinitePoint), {
        x: "0",
        y1: "1",
        y2: "2",
        fill: layer.color,
        fillOpacity: layer.opacity,
      });
    case "bars":
      return plot.rectY(layer.bins, {
        x1: "from",
        x2: "to",
        y: "count",
        fill: layer.color,
        fillOpacity: 0.75,
        inset: 0.5,
      });
    case "level":
      return plot.ruleY([layer.y], { stroke: "currentColor", strokeOpacity: 0.5 });
  }
}

/** Counts of values in equal bins, as many as Sturges and the spread of the values suggest. */
export function binsOf(values: ArrayLike<number>): Bin[] {
  const finite = Float64Array.from(values).filter(Number.isFinite).sort();
  const [low, high] = [finite[0] ?? 0, finite.at(-1) ?? 0];
  if (!(high > low))
    return finite.length > 0 ? [{ from: low - 0.5, to: low + 0.5, count: finite.length }] : [];
  const quartile = (share: number): number => finite[Math.floor(share * (finite.length - 1))] ?? 0;
  const width = (2 * (quartile(0.75) - quartile(0.25))) / Math.cbrt(finite.length);
  const sturges = Math.ceil(Math.log2(finite.length)) + 1;
  const wanted = width > 0 ? Math.ceil((high - low) / width) : sturges;
  const count = Math.max(Math.min(wanted, 60), Math.min(sturges, 60));
  const edge = (index: number): number => low + ((high - low) * index) / count;
  const counts = new Float64Array(count);
  // Both go up, so that rounding puts no value into another bin than the one whose edges are around it.
  let at = 0;
  for (const value of finite) {
    while (at < count - 1 && value >= edge(at + 1)) at += 1;
    counts[at] = (counts[at] as number) + 1;
  }
  return Array.from(counts, (of, index) => ({ from: edge(index), to: edge(index + 1), count: of }));
}
