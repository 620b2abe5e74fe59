/**
 * The visits of an epoch that have all their rows, where the epoch may have lost some.
 *
 * A visit's rows say what else belongs to it: a score says how many rungs and fits there were, a
 * failure how many fits, a revisit which candidate it is one to. A duplicate does not say what was spent
 * on it, and a failure without fits not whether it came to a rung; where no row of fits is there, they are
 * intact only if their epoch has all rows of fits. What cannot be read comes to no rung.
 */

import { NdvmError } from "@ndvm/core";
import { isCounts } from "../shapes.js";
import { isIntactRow, parse, readRows, type Source } from "./checked-rows.js";
import type { EpochCounts } from "./row-shapes.js";
import type { Row, Table } from "./schema.js";

export interface VisitRows {
  readonly candidate: Row<"candidates"> | undefined;
  readonly revisit: Row<"revisits"> | undefined;
  readonly fits: readonly Row<"fits">[];
  readonly failure: Row<"failures"> | undefined;
}

export interface IntactVisits {
  readonly kept: readonly VisitRows[];
  /** Visits that were kept by the study and are not whole. */
  readonly lost: number;
}

/** `candidates` are those that are kept; the epoch's are added. */
export function intactVisits(
  source: Source,
  epoch: Row<"epochs">,
  counts: EpochCounts,
  candidates: Set<number>,
): IntactVisits {
  const idOf = idsOf(source, epoch);
  if (idOf === undefined) return { kept: [], lost: epoch.visits };
  const found = new EpochTables(source, epoch);
  const kept: VisitRows[] = [];
  const isMissing = (table: keyof EpochCounts["rows"]) => found.count(table) < counts.rows[table];
  const isAnyMissing = (Object.keys(counts.rows) as (keyof EpochCounts["rows"])[]).some(isMissing);
  const visits = found.visits();
  for (const visit of visits) {
    const rows = found.of(visit);
    const id = idOf(visit);
    if (!isIntact(rows, id === visit, candidates.has(id), isMissing)) continue;
    kept.push(rows);
    if (id === visit) candidates.add(id);
  }
  // In a study that keeps some visits only, one without rows was not kept, or is lost.
  return { kept, lost: (isAnyMissing ? epoch.visits : visits.length) - kept.length };
}

/** Which candidate a visit of the epoch is one to; undefined where the epoch does not say it. */
function idsOf(source: Source, epoch: Row<"epochs">): ((visit: number) => number) | undefined {
  if (epoch.candidates === null) return (visit) => visit;
  try {
    const ids = parse(source, "epochs", epoch, "candidates", isCounts);
    if (ids.length !== epoch.visits) return undefined;
    return (visit) => ids[visit - epoch.first_visit] as number;
  } catch (error) {
    if (error instanceof NdvmError) return undefined;
    throw error;
  }
}

function isIntact(
  { candidate, revisit, fits, failure }: VisitRows,
  isFirst: boolean,
  hasCandidate: boolean,
  isMissing: (table: keyof EpochCounts["rows"]) => boolean,
): boolean {
  if (isFirst) {
    if (candidate === undefined) return false;
    if (candidate.duplicate_of !== null) return !isMissing("fits");
  } else if (revisit === undefined) {
    if (isMissing("revisits") || !hasCandidate) return false;
  } else if (revisit.skeleton === null && !hasCandidate) return false;
  const restarts = fits.reduce((sum, row) => sum + row.restarts, 0);
  if (failure !== undefined) {
    const isUnread = (candidate ?? revisit)?.skeleton === "";
    return restarts === failure.fits && (fits.length > 0 || isUnread || !isMissing("fits"));
  }
  const best = fits.find(({ visit_fits }) => visit_fits !== null);
  if (best === undefined) return false;
  return best.visit_fits === restarts && fits.length === (best.visit_rung ?? 0) + 1;
}

/** Rows of an epoch's visits that can be read. */
class EpochTables {
  readonly #candidates: ReadonlyMap<number, readonly Row<"candidates">[]>;
  readonly #revisits: ReadonlyMap<number, readonly Row<"revisits">[]>;
  readonly #fits: ReadonlyMap<number, readonly Row<"fits">[]>;
  readonly #failures: ReadonlyMap<number, readonly Row<"failures">[]>;

  constructor(source: Source, epoch: Row<"epochs">) {
    this.#candidates = group(read(source, "candidates", "id", epoch), ({ id }) => id);
    this.#revisits = group(read(source, "revisits", "visit", epoch), ({ visit }) => visit);
    this.#fits = group(read(source, "fits", "visit", epoch), ({ visit }) => visit);
    this.#failures = group(read(source, "failures", "visit", epoch), ({ visit }) => visit);
  }

  /** Those that have a row of any table, in order. */
  visits(): readonly number[] {
    const tables = [this.#candidates, this.#revisits, this.#fits, this.#failures];
    const visits = new Set(tables.flatMap((table) => [...table.keys()]));
    return [...visits].sort((a, b) => a - b);
  }

  of(visit: number): VisitRows {
    return {
      candidate: this.#candidates.get(visit)?.[0],
      revisit: this.#revisits.get(visit)?.[0],
      fits: this.#fits.get(visit) ?? [],
      failure: this.#failures.get(visit)?.[0],
    };
  }

  count(table: keyof EpochCounts["rows"]): number {
    const rows = {
      candidates: this.#candidates,
      revisits: this.#revisits,
      fits: this.#fits,
      failures: this.#failures,
    }[table];
    return [...rows.values()].reduce((sum, { length }) => sum + length, 0);
  }
}

/**
 * Rows in the order of their visits: all at once, or visit by visit where a page cannot be read, since the
 * driver fetches rows in bundles and loses those of the bundle that come before the page.
 */
function read<T extends Table>(
  source: Source,
  table: T,
  key: string & keyof Row<T>,
  { first_visit, visits }: Row<"epochs">,
): readonly Row<T>[] {
  const select = (where: string, values: readonly number[]) => {
    try {
      const rows = [...readRows(source, table, { where, values, damaged: () => {} })];
      return rows.filter((row) => isIntactRow(source, table, row));
    } catch (error) {
      if (error instanceof NdvmError) return undefined;
      throw error;
    }
  };
  const all = select(`${key} BETWEEN ? AND ?`, [first_visit, first_visit + visits - 1]);
  if (all !== undefined) return all;
  const rows: Row<T>[] = [];
  const end = first_visit + Math.min(visits, rowsMost(source));
  for (let visit = first_visit; visit < end; visit++)
    rows.push(...(select(`${key} = ?`, [visit]) ?? []));
  return rows;
}

/** Bytes of the smallest row: its head, its key and its checksum. */
const ROW_BYTES_LEAST = 8;

/** No file has more rows than these. */
function rowsMost({ database }: Source): number {
  const numberOf = (pragma: string) => Number(database.all(`PRAGMA ${pragma}`)[0]?.[0]);
  return Math.ceil((numberOf("page_count") * numberOf("page_size")) / ROW_BYTES_LEAST);
}

function group<R>(rows: readonly R[], visitOf: (row: R) => number): Map<number, R[]> {
  const groups = new Map<number, R[]>();
  for (const row of rows) {
    const known = groups.get(visitOf(row));
    if (known === undefined) groups.set(visitOf(row), [row]);
    else known.push(row);
  }
  return groups;
}
