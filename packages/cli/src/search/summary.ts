/** What a search says at its end. */

import { inOneLine, own } from "@ndvm/core";
import {
  constantNote,
  countOf,
  countText,
  memberFormula,
  type StudyLoad,
  shortText,
  type TextColumn,
} from "@ndvm/report";
import { type FrontMember, type SearchDone, whyChosen } from "@ndvm/search";
import { formatTable } from "../tables.js";
import { out, widthOf } from "../terminal.js";
import { failuresText, rateText, spendingText, stopText } from "./display.js";
import { frontTable } from "./front-table.js";

export interface SummaryOptions {
  readonly target: string;
  /** How the programs are loaded. */
  readonly study: StudyLoad;
  readonly plot: (member: FrontMember) => string;
}

export function searchSummary(done: SearchDone, options: SummaryOptions): string {
  const member = done.choice ?? done.best;
  const counts = countsText(done);
  if (member === undefined) return `${counts}\n${emptyText(done)}`;
  const { target, study } = options;
  const table = frontTable(done.front, widthOf(process.stdout), study);
  return [
    counts,
    "",
    table,
    "",
    out.bold(inOneLine(`${target} = ${memberFormula(member, study)}`)),
    `held-out R² ${member.r2.toFixed(6)}, size ${member.complexity}; as a program: ${member.source}`,
    ...whyText(done, study),
    ...done.warnings.map((warning) => inOneLine(`To be wary of: ${warning}.`)),
    ...constantsText(member),
    ...(done.best !== undefined && done.best.id !== member.id ? [bestText(done.best, study)] : []),
    "",
    options.plot(member),
  ].join("\n");
}

function whyText({ front }: SearchDone, study: StudyLoad): string[] {
  const why = whyChosen(front, (member) => memberFormula(member, study));
  return why === undefined ? [] : [`Chosen because ${why}.`];
}

/** Why there is nothing to show. */
function emptyText({ counts, stopped }: SearchDone): string {
  if (counts.failed > 0) return "No candidate could be scored: see the failures above.";
  if (counts.candidates > 0) return "No candidate could be scored.";
  if (stopped === "seconds") return "No candidate was done by then: give it more time by --budget.";
  return "No candidate was proposed.";
}

/** Of a study that was resumed, also how much of it this run has done. */
function countsText(done: SearchDone): string {
  const { counts, inThisRun, seconds } = done;
  const isResumed = inThisRun.candidates < counts.candidates;
  const now = (count: number) => (isResumed ? `, ${countText(count)} of them in this run` : "");
  const failures = failuresText(counts);
  const spending = spendingText(counts);
  return [
    `${countOf(counts.candidates, "candidate")}${now(inThisRun.candidates)}` +
      `${isResumed ? " of" : " in"} ${seconds.toFixed(1)} s ` +
      `(${countOf(counts.fits, "fit")}${now(inThisRun.fits)}, ${rateText(inThisRun.fits, seconds)}; ` +
      `${countOf(counts.duplicates, "duplicate")}, ` +
      `${countText(counts.failed)} failed${failures === "" ? "" : `: ${failures}`}): ${stopText(done)}.`,
    ...(spending === "" ? [] : [spending]),
  ].join("\n");
}

function bestText(best: FrontMember, study: StudyLoad): string {
  const { trainR2, r2, complexity } = best;
  return (
    `closest to the training rows: ${memberFormula(best, study)} ` +
    `(R² ${trainR2.toFixed(6)}, held-out R² ${r2.toFixed(6)}, size ${complexity})`
  );
}

function constantsText(member: FrontMember): string[] {
  const { params, intervals } = member;
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
    column("", (name) => constantNote(member, name)),
  ];
  return ["", formatTable(columns, names.length, "constants", true)];
}
