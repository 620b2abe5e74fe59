/**
 * `ndvm report`: one page about a study: the front, the chosen model beside the data, how the best
 * was found and where it came from, what failed, where the time went, and how to make it again.
 */

import { own } from "@ndvm/core";
import { drawChart, type XY } from "../chart.js";
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
import { countOf, countText, shortText } from "../numbers.js";
import { constantNote } from "./constants.js";
import { ERROR_LEAST, frontFigure, modelFigure } from "./figures.js";
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
    front.length > 0 && (await frontSection(study)),
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

function headline({ counts, chosen }: StudyStory): [string, Content][] {
  const { visits, fits, seconds, duplicates, failed } = counts;
  return [
    ["held-out R² of the choice", chosen === undefined ? "none" : chosen.r2.toFixed(5)],
    ["candidates", countText(visits)],
    ["fits", countText(fits)],
    ["fits per second", countText(Math.round(fits / Math.max(seconds, 1e-3)))],
    ["duplicates", countText(duplicates)],
    ["failed", countText(failed)],
    ["seconds", shortText(seconds, 4)],
  ];
}

async function modelSection(member: StudyMember, study: StudyStory): Promise<Html> {
  const { target, why } = study;
  return section(
    "The model",
    html`<p class="formula">${target} = ${memberFormula(member, study)}</p>`,
    why === undefined ? undefined : html`<p>Chosen because ${why}.</p>`,
    html`<p></p>`,
    await modelFigure(member, study),
    constantsTable(member),
    html`<p></p>`,
    verbatim(member.source),
  );
}

function constantsTable(member: StudyMember): Html | undefined {
  const { params, intervals } = member;
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
      { title: "", cell: (name) => constantNote(member, name) },
    ],
    names,
  );
}

async function frontSection(study: StudyStory): Promise<Html> {
  const { front, chosen } = study;
  return section(
    "The front",
    await frontFigure(front, chosen, study),
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
        { title: "model", cell: (member) => memberFormula(member, study) },
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
    `${countOf(last.fits, "fit")}.`;
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
    more > 0
      ? html`<p></p><p>… and ${countText(more)} more ${more === 1 ? "ancestor" : "ancestors"}.</p>`
      : undefined,
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
          resumedFrom > 0 ? `, going on after ${countOf(resumedFrom, "candidate")}` : "";
        const parts = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
        return `Run ${run}: ${started}, ${countOf(workers, "worker")}${after}; ${parts.join(", ")}.`;
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
