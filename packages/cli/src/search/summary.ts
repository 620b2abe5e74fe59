/** What a search says at its end. */

import { own } from "@ndvm/core";
import { countOf, countText, memberFormula, shortText, type TextColumn } from "@ndvm/report";
import { type FrontMember, type SearchDone, whyChosen } from "@ndvm/search";
import { formatTable } from "../tables.js";
import { out, widthOf } from "../terminal.js";
import { failuresText, spendingText, stopText } from "./display.js";
import { frontTable } from "./front-table.js";

export interface SummaryOptions {
  readonly target: string;
  readonly plot: (member: FrontMember) => string;
}

export function searchSummary(done: SearchDone, options: SummaryOptions): string {
  const member = done.choice ?? done.best;
  const counts = countsText(done);
  if (member === undefined) return `${counts}\n${emptyText(done)}`;
  const { target } = options;
  const table = frontTable(done.front, widthOf(process.stdout));
  return [
    counts,
    "",
    table,
    "",
    out.bold(`${target} = ${memberFormula(member)}`),
    `held-out R² ${member.r2.toFixed(6)}, size ${member.complexity}; as a program: ${member.source}`,
    ...whyText(done),
    ...done.warnings.map((warning) => `To be wary of: ${warning}.`),
    ...constantsText(member),
    ...(done.best !== undefined && done.best.id !== member.id ? [bestText(done.best)] : []),
    "",
    options.plot(member),
  ].join("\n");
}

function whyText({ front }: SearchDone): string[] {
  const why = whyChosen(front, memberFormula);
  return why === undefined ? [] : [`Chosen because ${why}.`];
}

/** Why there is nothing to show. */
function emptyText({ counts, stopped }: SearchDone): string {
  if (counts.failed > 0) return "No candidate could be scored: see the failures above.";
  if (counts.candidates > 0) return "No candidate could be scored.";
  if (stopped === "seconds") return "No candidate was done by then: give it more time by --budget.";
  return "No candidate was proposed.";
}

function countsText(done: SearchDone): string {
  const { counts, seconds } = done;
  const rate = countText(Math.round(counts.fits / Math.max(seconds, 1e-3)));
  const failures = failuresText(counts);
  const spending = spendingText(counts);
  return [
    `${countOf(counts.candidates, "candidate")} in ${seconds.toFixed(1)} s ` +
      `(${countOf(counts.fits, "fit")}, ${rate}/s; ${countOf(counts.duplicates, "duplicate")}, ` +
      `${countText(counts.failed)} failed${failures === "" ? "" : `: ${failures}`}): ${stopText(done)}.`,
    ...(spending === "" ? [] : [spending]),
  ].join("\n");
}

function bestText(best: FrontMember): string {
  const { trainR2, r2, complexity } = best;
  return (
    `closest to the training rows: ${memberFormula(best)} ` +
    `(R² ${trainR2.toFixed(6)}, held-out R² ${r2.toFixed(6)}, size ${complexity})`
  );
}

function constantsText(member: FrontMember): string[] {
  const { params, intervals, simple, undetermined } = member;
  const names = Object.keys(params);
  if (names.length === 0) return [];
  const end = (name: string, side: 0 | 1): string => {
    const value = own(intervals, name)?.[side];
    return value === undefined || Number.isNaN(value) ? "–" : shortText(value, 5);
  };
  const column = (title: string, cell: (name: string) => string): TextColumn => ({
    title,
    align: title === "constant" ? "left" : "right",
    cell: (row) => cell(names[row] ?? ""),
  });
  const columns = [
    column("constant", (name) => name),
    column("value", (name) => shortText(own(params, name) ?? Number.NaN, 6)),
    column("from", (name) => end(name, 0)),
    column("to (95 %)", (name) => end(name, 1)),
    column("", (name) =>
      simple.includes(name)
        ? "taken as exact"
        : undetermined.includes(name)
          ? "not determined"
          : "",
    ),
  ];
  return ["", formatTable(columns, names.length, "constants", true)];
}
