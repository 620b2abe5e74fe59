/**
 * Charts as SVG text, drawn by Observable Plot: on the page's own document in a browser, on one by
 * linkedom elsewhere. Both are loaded when the first chart is drawn. Colours are names of the page's style (`var(--series-1)`), so one
 * picture serves light and dark.
 */

import { Html } from "./html.js";
import { shortText } from "./numbers.js";

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

/** Room for the labels of the y axis. */
const MARGIN_LEFT = 62;

export async function drawChart(options: ChartOptions): Promise<Html> {
  const { plot, document } = await loadTools();
  const { x, y, layers, width = 940, height = 380 } = options;
  const hasBars = layers.some(({ kind }) => kind === "bars");
  const svg = plot.plot({
    document,
    width,
    height,
    marginLeft: MARGIN_LEFT,
    marginBottom: 42,
    marginRight: 16,
    ariaLabel: options.description,
    className: "chart",
    x: { ...scaleOf(x, ticksOf(x, layers, 0, width / 90)), labelAnchor: "center", inset: 8 },
    y: {
      ...scaleOf(y, ticksOf(y, layers, 1, height / 50)),
      grid: true,
      ...(hasBars ? {} : { inset: 8 }),
    },
    marks: layers.map((layer) => markOf(plot, layer)),
  } as import("@observablehq/plot").PlotOptions);
  return new Html(svg.outerHTML);
}

/** How many ticks there is room for; on an axis of whole numbers no more than it has. */
function ticksOf(axis: AxisOptions, layers: readonly Layer[], side: 0 | 1, room: number): number {
  if (!axis.isInteger) return Math.floor(room);
  let [low, high] = [Infinity, -Infinity];
  for (const layer of layers) {
    const points = "points" in layer ? layer.points : [];
    const bars = "bins" in layer ? layer.bins.map(({ to, count }) => [to, count]) : [];
    for (const point of [...points, ...bars]) {
      low = Math.min(low, bars.length > 0 ? 0 : (point[side] ?? 0));
      high = Math.max(high, point[side] ?? 0);
    }
  }
  return Math.max(1, Math.min(Math.floor(room), Math.floor(high - low)));
}

function scaleOf(axis: AxisOptions, ticks: number) {
  const { label, domain, isLog = false, isInteger = false } = axis;
  const format = (value: number): string =>
    isInteger && !Number.isInteger(value) ? "" : shortText(value, 6);
  return {
    label,
    labelArrow: "none",
    ticks,
    tickFormat: format,
    ...(isLog ? { type: "log" } : {}),
    ...(domain === undefined ? {} : { domain }),
  };
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
