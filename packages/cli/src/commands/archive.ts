/** `ndvm archive ls|show|export|check|salvage`: what a study holds, and whether it is intact. */

import { type ExportFormat, exportModel, fileWord, inOneLine, NdvmError } from "@ndvm/core";
import { constantNote, countOf, countText, type StudyLoad, shortText } from "@ndvm/report";
import {
  type Archive,
  type ArchiveCheck,
  checkArchive,
  type FrontMember,
  type Outcome,
  salvageArchive,
} from "@ndvm/search";
import { requireOutputs } from "../output-files.js";
import { type CandidateModel, frontOf, modelOf } from "../search/candidate-model.js";
import { frontTable } from "../search/front-table.js";
import { loadOf, lostLoad, openStudy, requireFile } from "../search/open-study.js";
import { formatTable } from "../tables.js";
import { note, out, print, warn, widthOf } from "../terminal.js";

export interface ArchiveListOptions {
  readonly all?: boolean;
  readonly best?: number;
  readonly json?: boolean;
}

export interface ArchiveShowOptions {
  readonly json?: boolean;
  readonly export?: ExportFormat;
}

function withArchive(file: string, work: (archive: Archive) => void): number {
  const archive = openStudy(file);
  try {
    work(archive);
  } finally {
    archive.close();
  }
  return 0;
}

/** The study in a few lines: its front, or its candidates with --all or --best. */
export function archiveList(file: string, options: ArchiveListOptions): number {
  return withArchive(file, (archive) => {
    if (options.all || options.best !== undefined) listOutcomes(archive, options);
    else if (options.json) print(JSON.stringify({ ...archive.summary(), front: archive.front() }));
    else listFront(archive);
  });
}

function listFront(archive: Archive): void {
  const { visits, fits, duplicates, failed, seconds } = archive.summary();
  print(
    `${countOf(visits, "candidate")}, ${countOf(fits, "fit")} in ${shortText(seconds, 4)} s; ` +
      `${countOf(duplicates, "duplicate")}, ${countText(failed)} failed`,
  );
  const front = archive.front();
  if (front.length === 0) print("Nothing has been scored.");
  else print(frontTable(front, widthOf(process.stdout), knownLoad(archive)));
}

/** How the study's programs are loaded; what is not known of it is told. */
function knownLoad(archive: Archive): StudyLoad {
  const study = archive.study();
  for (const message of lostLoad(study)) warn(message);
  return loadOf(study);
}

function listOutcomes(archive: Archive, { best, json }: ArchiveListOptions): void {
  const outcomes = best === undefined ? archive.outcomes() : bestOutcomes(archive, best);
  if (json) {
    for (const outcome of outcomes) print(JSON.stringify(outcome));
    return;
  }
  const rows = [...outcomes];
  const of = (read: (outcome: Outcome) => string) => (row: number) => read(rows[row] as Outcome);
  const verdict = ({ status, failure, r2 }: Outcome): string =>
    status === "scored" ? r2.toFixed(6) : (failure?.code ?? status);
  const columns = [
    { title: "visit", align: "right" as const, cell: of(({ visit }) => String(visit)) },
    { title: "candidate", align: "right" as const, cell: of(({ id }) => String(id)) },
    { title: "size", align: "right" as const, cell: of(({ complexity }) => String(complexity)) },
    { title: "held-out R²", align: "right" as const, cell: of(verdict) },
    { title: "made by", align: "left" as const, cell: of((o) => `${o.proposer}: ${o.origin}`) },
    { title: "program", align: "left" as const, cell: of(({ source }) => oneLine(source)) },
  ];
  print(formatTable(columns, rows.length, "candidates", true));
}

/** The best visit of each candidate, best first. */
function bestOutcomes(archive: Archive, count: number): Outcome[] {
  const best = new Map<number, Outcome>();
  for (const outcome of archive.outcomes()) {
    if (outcome.status !== "scored" || !Number.isFinite(outcome.r2)) continue;
    const known = best.get(outcome.id);
    if (known === undefined || outcome.r2 > known.r2) best.set(outcome.id, outcome);
  }
  return [...best.values()].sort((a, b) => b.r2 - a.r2 || a.id - b.id).slice(0, count);
}

const oneLine = (text: string): string => {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > 100 ? `${line.slice(0, 99)}…` : line;
};

/** One candidate: its program, its visits, its ancestors; or its model in another language. */
export function archiveShow(file: string, id: number, options: ArchiveShowOptions): number {
  return withArchive(file, (archive) => {
    const visits = archive.visitsOf(id);
    const first = archive.outcome(id) ?? visits[0];
    if (first === undefined) {
      throw new NdvmError("E-OPTION", `${file} has no candidate ${id}`, {
        help: `ndvm archive ls ${fileWord(file)} --all lists them`,
      });
    }
    const front = frontOf(archive);
    const model = modelOf(visits, front);
    const shown = model?.visit ?? first;
    if (options.export !== undefined)
      print(modelText(id, model, options.export, knownLoad(archive)).trimEnd());
    else if (options.json)
      print(
        JSON.stringify({
          ...shown,
          visits,
          members: membersOf(archive, visits),
          prompt: archive.prompt(id),
        }),
      );
    else showOutcome(archive, shown, visits, front);
  });
}

/** What is known of those visits that are members of the front. */
function membersOf(archive: Archive, visits: readonly Outcome[]) {
  const members = archive.members();
  return visits.flatMap(({ visit }) => {
    const facts = members.get(visit);
    return facts === undefined ? [] : [{ visit, ...facts }];
  });
}

function modelText(
  id: number,
  model: CandidateModel | undefined,
  format: ExportFormat,
  load: StudyLoad,
): string {
  if (model === undefined) {
    throw new NdvmError("E-RESULT", `candidate ${id} has no fit to export`);
  }
  const { source, params, origin } = model;
  const text = exportModel({ program: source, params, load }, format);
  if (origin !== undefined) note(origin);
  return text;
}

function showOutcome(
  archive: Archive,
  best: Outcome,
  visits: readonly Outcome[],
  front: readonly FrontMember[],
): void {
  print(out.cyan(best.source));
  print(`candidate ${best.id}, size ${best.complexity}, made by ${best.proposer}: ${best.origin}`);
  if (best.duplicateOf !== undefined) print(`the same model as candidate ${best.duplicateOf}`);
  if (best.failure !== undefined) {
    const { stage, code, message } = best.failure;
    print(inOneLine(`failed (${stage}) with ${code}: ${message}`));
  }
  if (best.status === "scored") {
    const params = Object.entries(best.params).map(([n, v]) => `${n} = ${shortText(v, 6)}`);
    const scores = `held-out R² ${best.r2.toFixed(6)}, BIC ${shortText(best.bic, 6)}`;
    print(inOneLine(`${scores}; ${params.join(", ")}`));
  }
  showMember(archive, visits, front);
  if (visits.length > 1) print(`${visits.length} visits, ${visits.map((v) => v.visit).join(", ")}`);
  const ancestors = archive.lineage(best.id).slice(1);
  for (const { id, proposer, origin, source } of ancestors) {
    print(out.dim(`  from ${id} (${proposer}: ${origin}) ${oneLine(source)}`));
  }
  const prompt = archive.prompt(best.id);
  if (prompt !== undefined) print(`\n${out.dim(prompt)}`);
}

/** What the end of a search made of a candidate that is on the front, or was on it when a run ended. */
function showMember(
  archive: Archive,
  visits: readonly Outcome[],
  front: readonly FrontMember[],
): void {
  const members = archive.members();
  for (const { visit, source } of visits) {
    const facts = members.get(visit);
    if (facts?.length === undefined) continue;
    const { length, params = {}, simple = [], undetermined = [], intervals = {}, twinOf } = facts;
    const constants = Object.entries(params).map(([name, value]) => {
      const kind = constantNote({ simple, undetermined, intervals }, name);
      return `${inOneLine(name)} = ${shortText(value, 6)}${kind === "" ? "" : ` (${kind})`}`;
    });
    const model = [facts.source ?? source, ...constants].join(", ");
    const where = front.some((member) => member.visit === visit) ? "on the front" : "weighed";
    print(`${where}, fitted to all rows: ${model}; ${length.toFixed(1)} bits`);
    if (twinOf !== undefined) print(`the same function as visit ${twinOf}, which is shorter`);
  }
}

/** The canonical export: JSON lines that are the same however the study was run. */
export function archiveExport(file: string): number {
  return withArchive(file, (archive) => {
    for (const line of archive.export()) print(line);
  });
}

/** Exit code of a file that is damaged. */
const DAMAGED = 1;

/** Goes through all of an archive and says what is intact. */
export function archiveCheck(file: string, { json }: { readonly json?: boolean }): number {
  requireFile(file);
  const check = checkArchive(file);
  const { isIntact, canResume, problems, problemsMore } = check;
  if (json) {
    print(JSON.stringify(check));
    return isIntact ? 0 : DAMAGED;
  }
  for (const { message } of problems) print(message);
  if (problemsMore > 0) print(`and ${countText(problemsMore)} more`);
  if (check.format !== undefined) print(intactText(check));
  if (isIntact) print(canResume ? "intact: it can be read and resumed" : "intact: it can be read");
  else note(wayOut(check));
  return isIntact ? 0 : DAMAGED;
}

/** How much of an archive is intact, in one line. */
function intactText({ format, tables, epochs }: ArchiveCheck): string {
  const counts = Object.values(tables);
  const rows = counts.reduce((sum, { intact }) => sum + intact, 0);
  const damaged = counts.reduce((sum, table) => sum + table.damaged, 0);
  return (
    `format ${format}; rows: ${countText(rows)} intact, ${countText(damaged)} damaged; ` +
    `epochs: ${countText(epochs.intact)} intact, ${countText(epochs.damaged)} damaged; ` +
    `visits of intact epochs: ${countText(epochs.visits)}`
  );
}

/** A file of something else is not to be salvaged; but one flipped bit can make an archive look so. */
function wayOut({ file, problems }: ArchiveCheck): string {
  const salvage = `ndvm archive salvage ${fileWord(file)} OUT keeps what is intact`;
  const isOther = problems.some(({ facts }) => ["foreign", "format"].includes(facts.reason ?? ""));
  return isOther ? `if it is an archive of this version that was damaged, ${salvage}` : salvage;
}

/** Keeps what is intact of a damaged archive in a new one. */
export function archiveSalvage(file: string, target: string): number {
  requireFile(file);
  requireOutputs(
    [{ as: "the new archive", file: target, isArchive: true }],
    [{ as: "the study", file, isArchive: true }],
  );
  const { visits, visitsLost, rowsLost, optionsLost, canResume } = salvageArchive(file, target);
  print(
    `${target}: visits kept: ${countText(visits)}; visits lost: ${countText(visitsLost)}; ` +
      `other rows lost: ${countText(rowsLost)}`,
  );
  if (optionsLost.length > 0) print(`options of the study lost: ${optionsLost.join(", ")}`);
  print(canResume ? "it can be read and resumed" : "it can be read; a search cannot go on with it");
  return 0;
}
