/** The figures of a search: the chosen model beside the data, and the front. */

import { own, recordOf } from "@ndvm/core";
import { drawChart, type Layer, type XY } from "../chart.js";
import { figure, type Html, seriesColor } from "../html.js";
import { ModelCurves } from "./curves.js";
import { memberFormula } from "./formula.js";
import type { StudyLoad, StudyMember, StudyStory } from "./story.js";

type Columns = Readonly<Record<string, Float64Array>>;

/** The rows of a search, and what they mean. */
export type StudyRows = Pick<StudyStory, "target" | "inputs" | "domain" | "train" | "heldOut"> &
  Partial<Pick<StudyStory, "limits">>;

/** A model beside the rows that it was fitted to, and those held out. */
export async function modelFigure(
  member: Pick<StudyMember, "source" | "params" | "r2" | "complexity" | "length">,
  { target, inputs, train, heldOut, domain, limits }: StudyRows,
): Promise<Html> {
  const plotter = await ModelCurves.create(
    { data: joined(train, heldOut), inputs },
    target,
    domain,
    limits,
  );
  try {
    const { x, points, line } = plotter.curve(member, DRAWN_PLACES, BEYOND);
    const trained = points.slice(0, rowCount(train));
    const held = points.slice(rowCount(train));
    const { inside, outside, domain: heights } = partsOfLine(points, line);
    const svg = await drawChart({
      description: `${target} over ${x}: data and model`,
      x: { label: x },
      y: { label: target, domain: heights },
      layers: [
        ...inside.map((part) => ({ kind: "line", points: part, color: seriesColor(0) }) as const),
        ...outside.map(
          (part) =>
            ({ kind: "line", points: part, color: seriesColor(2), isDashed: true }) as const,
        ),
        { kind: "dots", points: trained, color: "var(--ink)" },
        { kind: "dots", points: held, color: seriesColor(1), isRing: true },
      ],
    });
    return figure({
      svg,
      caption: `Held-out R² ${member.r2.toFixed(6)}, size ${member.complexity}, ${member.length.toFixed(1)} bits.`,
      legend: [
        ...(held.length === 0
          ? [{ label: "data", color: "var(--ink)", mark: "dot" } as const]
          : [
              { label: "fitted rows", color: "var(--ink)", mark: "dot" } as const,
              { label: "held-out rows", color: seriesColor(1), mark: "ring" } as const,
            ]),
        {
          label: inputs.length > 1 ? "where they agree" : "model",
          color: seriesColor(0),
          mark: "line",
        },
        ...(outside.length === 0
          ? []
          : [
              {
                label: "model where there are no data",
                color: seriesColor(2),
                mark: "line",
              } as const,
            ]),
      ],
    });
  } finally {
    plotter.dispose();
  }
}

const rowCount = (columns: Columns): number => Object.values(columns)[0]?.length ?? 0;

/** Places at which the page draws a model of one input. */
const DRAWN_PLACES = 2000;
/** Share of the data's width that is drawn on either side of them. */
const BEYOND = 0.08;
/** A model that leaves the data's range is drawn this share of it further, and then cut. */
const ROOM = 0.25;

interface LineParts {
  readonly inside: readonly (readonly XY[])[];
  /** Where there are no data: beside the first and last row, and above or below all of them. */
  readonly outside: readonly (readonly XY[])[];
  readonly domain: readonly [number, number];
}

/** A model's line, cut where it leaves the range of the data. */
function partsOfLine(points: readonly XY[], line: readonly XY[]): LineParts {
  const ends = (side: 0 | 1): [number, number] => {
    let [low, high] = [Infinity, -Infinity];
    for (const point of points) {
      low = Math.min(low, point[side]);
      high = Math.max(high, point[side]);
    }
    return [low, high];
  };
  const [left, right] = ends(0);
  const [bottom, top] = ends(1);
  const room = ROOM * (top - bottom || Math.abs(top) || 1);
  const domain: [number, number] = [bottom - room, top + room];
  const slack = 1e-9 * (right - left);
  const inside: XY[][] = [];
  const outside: XY[][] = [];
  let wasInside: boolean | undefined;
  let last: XY | undefined;
  for (const [x, y] of line) {
    if (!Number.isFinite(y)) {
      wasInside = undefined;
      last = undefined;
      continue;
    }
    const isInside =
      x >= left - slack && x <= right + slack && y >= bottom - room / 2 && y <= top + room / 2;
    const drawn: XY = [x, Math.max(domain[0], Math.min(domain[1], y))];
    const parts = isInside ? inside : outside;
    if (isInside !== wasInside) parts.push(last === undefined ? [] : [last]);
    parts.at(-1)?.push(drawn);
    wasInside = isInside;
    last = drawn;
  }
  return { inside, outside, domain };
}

function joined(train: Columns, heldOut: Columns): Columns {
  return recordOf(
    Object.entries(train).map(([name, numbers]) => [
      name,
      Float64Array.from([...numbers, ...(own(heldOut, name) ?? [])]),
    ]),
  );
}

/** Errors below this are drawn as this, so that a perfect model has a place on a log axis. */
export const ERROR_LEAST = 1e-12;

type FrontPoint = Pick<StudyMember, "source" | "params" | "complexity" | "loss" | "trainR2">;

/** The members of a front: how much each leaves unexplained, over its size. */
export async function frontFigure(
  front: readonly FrontPoint[],
  chosen: FrontPoint | undefined,
  study: StudyLoad,
): Promise<Html> {
  const point = (member: FrontPoint): XY => [
    member.complexity,
    Math.max(1 - member.trainR2, ERROR_LEAST),
  ];
  const accurate = front.filter((member) =>
    front.every(({ complexity, loss }) => complexity > member.complexity || loss >= member.loss),
  );
  const layers: Layer[] = [
    { kind: "line", points: accurate.map(point), color: seriesColor(0), isStep: true },
    {
      kind: "dots",
      points: front.map(point),
      color: seriesColor(0),
      radius: 4,
      titles: (index) => memberFormula(front[index] as FrontPoint, study),
    },
    ...(chosen === undefined
      ? []
      : [
          {
            kind: "dots",
            points: [point(chosen)],
            color: seriesColor(1),
            isRing: true,
            radius: 8,
          } as const,
        ]),
  ];
  const svg = await drawChart({
    description: "unexplained share of the training variance over the size of the program",
    x: { label: "size of the program", isInteger: true },
    y: { label: "1 − R² of the training rows", isLog: true },
    layers,
  });
  return figure({
    svg,
    caption:
      "Nothing that is no larger is both more accurate and shorter. The ring is the choice: the one that takes the fewest bits.",
  });
}
