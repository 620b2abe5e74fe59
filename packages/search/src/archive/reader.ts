/**
 * Reading an archive: rows back into outcomes and proposals. Any number of readers may look while
 * one process writes; each statement sees whole transactions only.
 */

import { existsSync } from "node:fs";
import { NdvmError } from "@ndvm/core";
import { PLAIN_ORIGIN } from "../engine/intake.js";
import type {
  EngineState,
  PendingBatch,
  PendingVisit,
  Resumption,
  Unobserved,
} from "../engine/journal.js";
import type { Failure, Json, Outcome } from "../types.js";
import { type Database, openDatabase } from "./driver.js";
import { SCHEMA_VERSION } from "./schema.js";

/** A visit with everything known of its candidate and of what became of it. */
export interface VisitRow {
  readonly visit: number;
  readonly id: number;
  readonly batch: number;
  readonly proposer: string;
  readonly origin: string;
  readonly source: string;
  readonly skeleton: string;
  readonly complexity: number;
  readonly parents: string;
  readonly duplicate_of: number | null;
  readonly rung: number | null;
  readonly fits: number | null;
  readonly loss: number | null;
  readonly train_r2: number | null;
  readonly r2: number | null;
  readonly bic: number | null;
  readonly params: string | null;
  readonly stage: Failure["stage"] | null;
  readonly code: string | null;
  readonly message: string | null;
}

export interface BatchRow {
  readonly batch: number;
  readonly proposer: string;
  readonly first_visit: number;
  readonly candidates: string;
  readonly front: string;
  readonly fits_most: number;
}

/** Visits of batches, in order, with what became of them. */
export const VISITS = `
  SELECT v.visit, v.id, v.batch, v.proposer, coalesce(r.origin, c.origin) AS origin,
    coalesce(r.source, c.source) AS source, c.skeleton, c.complexity,
    coalesce(r.parents, c.parents) AS parents, CASE WHEN v.id = v.visit THEN c.duplicate_of END AS duplicate_of,
    s.visit_rung AS rung, coalesce(s.visit_fits, f.fits) AS fits, s.loss, s.train_r2, s.r2, s.bic,
    s.params, f.stage, f.code, f.message
  FROM (SELECT b.first_visit + j.key AS visit, j.value AS id, b.batch, b.proposer
        FROM batches b, json_each(b.candidates) j WHERE b.batch BETWEEN ? AND ?) v
  JOIN candidates c ON c.id = v.id
  LEFT JOIN revisits r ON r.visit = v.visit
  LEFT JOIN fits s ON s.visit = v.visit AND s.visit_fits IS NOT NULL
  LEFT JOIN failures f ON f.visit = v.visit
  ORDER BY v.visit`;

interface SeenRow {
  readonly id: number;
  readonly skeleton: string;
  readonly source: string;
  readonly plain: number;
}

/** Candidates in the order in which they were met. */
const SEEN = `
  SELECT id, skeleton, source, is_revisit AND origin = '${PLAIN_ORIGIN}' AND parents = '[]'
    AND params IS NULL AND prompt IS NULL AS plain
  FROM candidates WHERE duplicate_of IS NULL ORDER BY id`;

export function openForReading(file: string): Database {
  if (!existsSync(file))
    throw new NdvmError("E-ARCHIVE", `there is no archive ${file}`, {
      help: "ndvm search --out FILE writes one",
    });
  const database = openDatabase(file);
  try {
    database.exec("PRAGMA query_only = 1");
    const [version] = database.all<{ user_version: number }>("PRAGMA user_version");
    const tables = database.all("SELECT name FROM sqlite_schema WHERE name = 'candidates'");
    if (tables.length === 0)
      throw new NdvmError("E-ARCHIVE", `${file} is a database of something else`, {
        help: "an archive is a file that ndvm search writes",
      });
    if (version?.user_version !== SCHEMA_VERSION) throw otherFormat(file, version?.user_version);
    return database;
  } catch (error) {
    database.close();
    if (error instanceof NdvmError) throw error;
    throw new NdvmError("E-ARCHIVE", `${file} is not an archive: ${(error as Error).message}`, {
      help: "an archive is a file that ndvm search writes",
    });
  }
}

/** An archive of an earlier or a later format. */
export const otherFormat = (file: string, format: number | undefined): NdvmError =>
  new NdvmError("E-ARCHIVE", `${file} was written by another version of this program`, {
    help: `its format is ${format}, this version reads and writes ${SCHEMA_VERSION}`,
  });

/** What an earlier run left, or undefined where it left nothing to go on from. */
export function readResumption(file: string): Resumption | undefined {
  const database = openForReading(file);
  try {
    const [kept] = database.all<{ state: string }>("SELECT state FROM state");
    if (kept === undefined) return undefined;
    const proposers = database
      .all<{ state: string }>("SELECT state FROM proposers ORDER BY place")
      .map(({ state }) => JSON.parse(state) as Json);
    const state = { ...(JSON.parse(kept.state) as EngineState), proposers };
    const settled = new Map<number, Unobserved>();
    for (let index = state.observed; index < state.settled; index++)
      settled.set(index, settledBatch(database, index));
    const seen = database.all<SeenRow>(SEEN);
    const visits = new Map(
      [...state.front, ...state.frontObserved].map((visit) => [visit, outcomeAt(database, visit)]),
    );
    return {
      state,
      seen: () => seen.map(({ plain, ...row }) => ({ ...row, isPlain: plain === 1 })),
      outcomes: (wanted) => wanted.map((visit) => visits.get(visit) as Outcome),
      settledBatch: (index) => settled.get(index) as Unobserved,
      pending: pendingBatches(database, state.settled),
    };
  } finally {
    database.close();
  }
}

export function outcomeOfRow(row: VisitRow): Outcome {
  const number = (x: number | null) => x ?? Number.NaN;
  const isScored = row.rung !== null;
  const { stage, code, message } = row;
  const isDuplicate = row.duplicate_of !== null;
  return {
    id: row.id,
    visit: row.visit,
    batch: row.batch,
    proposer: row.proposer,
    origin: row.origin,
    source: row.source,
    parents: JSON.parse(row.parents) as number[],
    skeleton: row.skeleton,
    complexity: row.complexity,
    status: isScored ? "scored" : isDuplicate ? "duplicate" : "failed",
    ...(stage !== null && code !== null
      ? { failure: { stage, code, message: message ?? "" } }
      : {}),
    ...(row.duplicate_of !== null ? { duplicateOf: row.duplicate_of } : {}),
    rung: row.rung ?? 0,
    fits: row.fits ?? 0,
    params: JSON.parse(row.params ?? "{}") as Record<string, number>,
    loss: number(row.loss),
    trainR2: number(row.train_r2),
    r2: number(row.r2),
    bic: number(row.bic),
  };
}

export function batchOfVisit(database: Database, visit: number): BatchRow | undefined {
  return database.all<BatchRow>(
    "SELECT * FROM batches WHERE first_visit <= ? ORDER BY batch DESC LIMIT 1",
    visit,
  )[0];
}

export function outcomeAt(database: Database, visit: number): Outcome | undefined {
  const batch = batchOfVisit(database, visit)?.batch;
  if (batch === undefined) return undefined;
  const row = database.all<VisitRow>(VISITS, batch, batch).find((each) => each.visit === visit);
  return row === undefined ? undefined : outcomeOfRow(row);
}

function settledBatch(database: Database, index: number): Unobserved {
  const [row] = database.all<BatchRow>("SELECT * FROM batches WHERE batch = ?", index);
  return {
    outcomes: database.all<VisitRow>(VISITS, index, index).map(outcomeOfRow),
    fitsMost: row?.fits_most ?? 0,
  };
}

interface CandidateRow {
  readonly id: number;
  readonly origin: string;
  readonly source: string;
  readonly skeleton: string;
  readonly complexity: number;
  readonly parents: string;
  readonly params: string | null;
  readonly prompt: string | null;
  readonly duplicate_of: number | null;
  readonly failure: string | null;
  readonly is_revisit: number;
}

function pendingBatches(database: Database, from: number): readonly PendingBatch[] {
  const rows = database.all<BatchRow>(
    "SELECT * FROM batches WHERE batch >= ? ORDER BY batch",
    from,
  );
  return rows.map(({ batch, proposer, first_visit, candidates, front }) => ({
    index: batch,
    proposer,
    visits: (JSON.parse(candidates) as number[]).map((id, i) =>
      pendingVisit(database, first_visit + i, id),
    ),
    front: (JSON.parse(front) as number[]).map((visit) => outcomeAt(database, visit) as Outcome),
  }));
}

const PENDING = `
  SELECT c.id, coalesce(r.origin, c.origin) AS origin, coalesce(r.source, c.source) AS source,
    c.skeleton, c.complexity, coalesce(r.parents, c.parents) AS parents,
    CASE WHEN r.visit IS NULL THEN c.params ELSE r.params END AS params, p.text AS prompt,
    c.duplicate_of, c.failure, c.is_revisit
  FROM candidates c LEFT JOIN revisits r ON r.visit = ?1
  LEFT JOIN prompts p ON p.prompt = CASE WHEN r.visit IS NULL THEN c.prompt ELSE r.prompt END
  WHERE c.id = ?2`;

function pendingVisit(database: Database, visit: number, id: number): PendingVisit {
  const [row] = database.all<CandidateRow>(PENDING, visit, id);
  if (row === undefined) throw new Error(`the archive has no candidate ${id}`);
  const isFirst = visit === id;
  return {
    visit,
    id,
    source: row.source,
    origin: row.origin,
    parents: JSON.parse(row.parents) as number[],
    prompt: row.prompt ?? undefined,
    params: row.params ?? undefined,
    isRevisit: !isFirst || row.is_revisit === 1,
    skeleton: row.skeleton,
    complexity: row.complexity,
    duplicateOf: isFirst ? (row.duplicate_of ?? undefined) : undefined,
    failure: row.failure === null ? undefined : (JSON.parse(row.failure) as Failure),
  };
}
