/**
 * `ndvm report`: one page about a study: the front, the chosen model beside the data, how the best
 * was found and where it came from, what failed, where the time went, and how to make it again.
 */

import { own, recordOf } from "@ndvm/core";
import { drawChart, type Layer, type XY } from "../chart.js";
import {
  type Content,
  cards,
  figure,
  type Html,
  html,
  list,
  page,
  section,
  seriesColor,
  table,
  verbatim,
} from "../html.js";
import { countText, shortText } from "../numbers.js";
import { ModelCurves } from "./curves.js";
import { memberFormula } from "./formula.js";
import type { StudyAncestor, StudyMember, StudyStory } from "./story.js";

type Columns = Readonly<Record<string, Float64Array>>;

export async function studyReport(study: StudyStory): Promise<string> {
  const { front, chosen } = study;
  const rows = rowCount(study.train) + rowCount(study.heldOut);
  const body: Content[] = [
    cards(headline(study)),
    warningSection(study),
    chosen && (await modelSection(chosen, study)),
    front.length > 0 && (await frontSection(front, chosen)),
    await discoverySection(study),
    await throughputSection(study),
    failureSection(study),
    chosen && lineageSection(study),
    makingSection(study),
  ].map((part) => part || undefined);
  return page({
    title: `Search for ${study.target} from ${study.inputs.join(", ")}`,
    subtitle: `${countText(rows)} rows, ${countText(rowCount(study.heldOut))} of them held out`,
    body,
    footer: `ndvm; made from ${study.file}`,
  });
}

function warningSection({ warnings }: StudyStory): Html | undefined {
  if (warnings.length === 0) return undefined;
  return html`<section class="warnings"><h2>To be wary of</h2>${list(warnings.map((text) => `${text}.`))}</section>`;
}

const rowCount = (columns: Columns): number => Object.values(columns)[0]?.length ?? 0;

function headline({ counts, best }: StudyStory): [string, Content][] {
  const { visits, fits, seconds, duplicates, failed } = counts;
  return [
    ["held-out R² of the most accurate", best === undefined ? "none" : best.r2.toFixed(5)],
    ["candidates", countText(visits)],
    ["fits", countText(fits)],
    ["fits per second", countText(Math.round(fits / Math.max(seconds, 1e-3)))],
    ["duplicates", countText(duplicates)],
    ["failed", countText(failed)],
    ["seconds", shortText(seconds, 4)],
  ];
}

async function modelSection(member: StudyMember, study: StudyStory): Promise<Html> {
  const { target, inputs, train, heldOut, domain, why } = study;
  const plotter = await ModelCurves.create(
    { data: joined(train, heldOut), inputs },
    target,
    domain,
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
    return section(
      "The model",
      html`<p class="formula">${target} = ${memberFormula(member)}</p>`,
      why === undefined ? undefined : html`<p>Chosen because ${why}.</p>`,
      html`<p></p>`,
      figure({
        svg,
        caption: `Held-out R² ${member.r2.toFixed(6)}, size ${member.complexity}, ${member.length.toFixed(1)} bits.`,
        legend: [
          { label: "fitted rows", color: "var(--ink)", mark: "dot" },
          { label: "held-out rows", color: seriesColor(1), mark: "ring" },
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
      }),
      constantsTable(member),
      html`<p></p>`,
      verbatim(member.source),
    );
  } finally {
    plotter.dispose();
  }
}

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

function constantsTable({
  params,
  intervals,
  simple,
  undetermined,
}: StudyMember): Html | undefined {
  const names = Object.keys(params);
  if (names.length === 0) return undefined;
  const end = (name: string, side: 0 | 1): string => {
    const value = own(intervals, name)?.[side];
    return value === undefined || Number.isNaN(value) ? "" : shortText(value, 6);
  };
  return table(
    [
      { title: "constant", cell: (name: string) => name },
      {
        title: "value",
        isNumber: true,
        cell: (name) => shortText(own(params, name) ?? Number.NaN, 7),
      },
      { title: "from", isNumber: true, cell: (name) => end(name, 0) },
      { title: "to (95 %)", isNumber: true, cell: (name) => end(name, 1) },
      {
        title: "",
        cell: (name) =>
          simple.includes(name)
            ? "taken as exact"
            : undetermined.includes(name)
              ? "not determined"
              : "",
      },
    ],
    names,
  );
}

/** Errors below this are drawn as this, so that a perfect model has a place on a log axis. */
const ERROR_LEAST = 1e-12;

async function frontSection(
  front: readonly StudyMember[],
  chosen: StudyMember | undefined,
): Promise<Html> {
  const point = (member: StudyMember): XY => [
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
      titles: (index) => memberFormula(front[index] as StudyMember),
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
    x: { label: "size of the program", isWhole: true },
    y: { label: "1 − R² of the training rows", isLog: true },
    layers,
  });
  return section(
    "The front",
    figure({
      svg,
      caption:
        "Nothing that is no larger is both more accurate and shorter. The ring is the choice: the one that takes the fewest bits.",
    }),
    table(
      [
        { title: "size", isNumber: true, cell: (member: StudyMember) => member.complexity },
        { title: "held-out R²", isNumber: true, cell: ({ r2 }) => r2.toFixed(6) },
        { title: "bits", isNumber: true, cell: ({ length }) => length.toFixed(1) },
        { title: "data", isNumber: true, cell: ({ parts }) => parts.data.toFixed(1) },
        { title: "constants", isNumber: true, cell: ({ parts }) => parts.constants.toFixed(1) },
        { title: "symbols", isNumber: true, cell: ({ parts }) => parts.symbols.toFixed(1) },
        { title: "gaps", isNumber: true, cell: ({ parts }) => parts.gaps.toFixed(1) },
        { title: "score", isNumber: true, cell: ({ score }) => score.toFixed(3) },
        { title: "BIC", isNumber: true, cell: ({ bic }) => shortText(bic, 6) },
        { title: "model", cell: (member) => memberFormula(member) },
      ],
      front,
    ),
  );
}

async function discoverySection({
  discoveries: found,
  counts,
}: StudyStory): Promise<Html | undefined> {
  const last = found.at(-1);
  if (last === undefined) return undefined;
  const { seconds } = counts;
  const points = found.map(({ seconds: at, r2 }): XY => [at, Math.max(1 - r2, ERROR_LEAST)]);
  points.push([Math.max(seconds, last.seconds), Math.max(1 - last.r2, ERROR_LEAST)]);
  const svg = await drawChart({
    description: "best held-out R² so far over time",
    x: { label: "seconds", domain: [0, Math.max(seconds, last.seconds)] },
    y: { label: "1 − best held-out R²", isLog: true },
    layers: [
      { kind: "line", points, color: seriesColor(2), isStep: true },
      { kind: "dots", points: points.slice(0, -1), color: seriesColor(2) },
    ],
    height: 300,
  });
  const caption =
    `The best held-out R², ${last.r2.toFixed(6)}, came after ${shortText(last.seconds, 3)} s and ` +
    `${countText(last.fits)} fits.`;
  return section("Discovery", figure({ svg, caption }));
}

async function throughputSection({
  throughput,
  timings,
  counts,
}: StudyStory): Promise<Html | undefined> {
  if (counts.visits === 0) return undefined;
  const bins = throughput.map(({ second, visits: count }) => ({
    from: second,
    to: second + 1,
    count,
  }));
  const svg = await drawChart({
    description: "candidates in each second",
    x: { label: "seconds" },
    y: { label: "candidates per second" },
    layers: [{ kind: "bars", bins, color: seriesColor(5) }],
    height: 260,
  });
  const { screen, walk, replay, fit, score, fitShare } = timings;
  const spent: [string, number][] = [
    ["screening", screen],
    ["fits", fit],
    ["of these, walking", walk],
    ["of these, replaying", replay],
    ["scoring", score],
  ];
  return section(
    "Throughput",
    figure({
      svg,
      caption: `Fits take ${shortText(fitShare * 100, 3)} % of the workers' time.`,
    }),
    table(
      [
        { title: "spent on", cell: ([what]: [string, number]) => what },
        {
          title: "seconds of all workers",
          isNumber: true,
          cell: ([, value]) => shortText(value, 4),
        },
      ],
      spent,
    ),
  );
}

/** Letters of a failed program that the page shows. */
const EXCERPT = 160;

function failureSection({ failures }: StudyStory): Html | undefined {
  if (failures.length === 0) return undefined;
  return section(
    "Failures",
    table(
      [
        { title: "code", cell: ({ code }: StudyStory["failures"][number]) => code },
        { title: "candidates", isNumber: true, cell: ({ count }) => countText(count) },
        { title: "one of them", cell: ({ source }) => source.slice(0, EXCERPT) },
        { title: "because", cell: ({ message }) => message },
      ],
      failures,
    ),
  );
}

/** Ancestors that the page shows. */
const ANCESTORS = 40;

function lineageSection({ lineage }: StudyStory): Html {
  const shown = lineage.slice(0, ANCESTORS);
  const more = lineage.length - shown.length;
  return section(
    "Where it comes from",
    table(
      [
        { title: "candidate", isNumber: true, cell: (outcome: StudyAncestor) => outcome.id },
        { title: "made by", cell: ({ proposer, origin }) => `${proposer}: ${origin}` },
        { title: "from", cell: ({ parents }) => parents.join(", ") },
        {
          title: "held-out R²",
          isNumber: true,
          cell: ({ r2 }) => (Number.isNaN(r2) ? "" : r2.toFixed(5)),
        },
        { title: "program", cell: ({ source }) => source.slice(0, EXCERPT) },
      ],
      shown,
    ),
    more > 0 ? html`<p></p><p>… and ${countText(more)} more ancestors.</p>` : undefined,
  );
}

function makingSection({ options, runs }: StudyStory): Html {
  const commands = runs.flatMap(({ command }) => (command === "" ? [] : [command]));
  const told = Object.entries(options).filter(([, value]) => value !== null && value !== "");
  return section(
    "How it was made",
    commands.length > 0 ? [html`<p>The command:</p>`, verbatim(commands.join("\n"))] : undefined,
    list(
      runs.map(({ run, started, workers, versions, resumedFrom }) => {
        const after =
          resumedFrom > 0 ? `, going on after ${countText(resumedFrom)} candidates` : "";
        const parts = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
        return `Run ${run}: ${started}, ${workers} workers${after}; ${parts.join(", ")}.`;
      }),
    ),
    html`<p></p>`,
    table(
      [
        { title: "option", cell: ([name]: [string, unknown]) => name },
        {
          title: "value",
          cell: ([, value]) => (typeof value === "string" ? value : JSON.stringify(value)),
        },
      ],
      told,
    ),
  );
}
