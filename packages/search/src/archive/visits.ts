/**
 * Visits of an archive, read epoch after epoch: the rows of all tables that belong to an epoch, put
 * together and counted. An epoch says how many rows of each table it has, so that a row that is gone
 * is noticed, not only one that is changed.
 */

import type { NdvmError } from "@ndvm/core";
import { isCounts, isNumberMap } from "../shapes.js";
import type { Failure, Outcome } from "../types.js";
import { damage, parse, readRow, readRows, type Source } from "./checked-rows.js";
import { type EpochCounts, isEpochCounts, isFacts } from "./row-shapes.js";
import { type Row, SCHEMA_VERSION, type Table } from "./schema.js";
import { readState } from "./state.js";

export interface Epoch {
  readonly round: number;
  readonly slot: number;
  readonly firstVisit: number;
  readonly visits: number;
  /** Undefined in formats that did not count. */
  readonly counts: EpochCounts | undefined;
  /** What is kept of its visits, in order. */
  readonly kept: readonly Visit[];
}

export interface Visit {
  readonly outcome: Outcome;
  readonly rungs: readonly Row<"fits">[];
  /** Of the prompt that it answers. */
  readonly prompt: number | null;
}

/** Candidates of other epochs that are remembered while epochs are read. */
const REMEMBERED = 10_000;

/** All epochs, in order. */
export function* readEpochs(source: Source): Generator<Epoch> {
  const reader = new EpochReader(source, 0, Number.MAX_SAFE_INTEGER);
  const last = readState(source)?.counts.candidates ?? 0;
  let next = 0;
  for (const row of readRows(source, "epochs")) {
    if (row.first_visit !== next) throw gap(source, row, next, row.first_visit);
    next += row.visits;
    yield reader.read(row);
  }
  if (next !== last) throw gap(source, undefined, next, last);
  reader.finish();
}

const gap = (source: Source, row: Row<"epochs"> | undefined, from: number, to: number) =>
  damage(
    source.database.file,
    "rows",
    "epochs",
    row === undefined ? ["the last"] : [row.round, row.slot],
    `visits ${from} to ${to - 1} belong to no epoch`,
  );

/** The epoch that has a visit. */
function readEpochOf(source: Source, visit: number): Epoch | undefined {
  const where = "first_visit <= ? AND first_visit + visits > ?";
  const row = readRow(source, "epochs", { where, values: [visit, visit] });
  if (row === undefined) {
    const last = readState(source)?.counts.candidates ?? 0;
    if (visit >= 0 && visit < last) throw gap(source, undefined, visit, visit + 1);
    return undefined;
  }
  return readEpoch(source, row);
}

/** One epoch by its row. */
export function readEpoch(source: Source, row: Row<"epochs">): Epoch {
  const reader = new EpochReader(source, row.first_visit, row.first_visit + row.visits - 1);
  const epoch = reader.read(row);
  reader.finish();
  return epoch;
}

/** What is kept of one visit. */
export function readVisit(source: Source, visit: number): Visit | undefined {
  return readEpochOf(source, visit)?.kept.find(({ outcome }) => outcome.visit === visit);
}

/** Rows of a table by visit, from one on: they come in the order in which visits are asked for. */
class Column<T extends Table> {
  readonly #rows: Generator<Row<T>>;
  readonly #visitOf: (row: Row<T>) => number;
  #next: IteratorResult<Row<T>, unknown>;
  /** Rows that were given. */
  count = 0;

  constructor(rows: Generator<Row<T>>, visitOf: (row: Row<T>) => number) {
    this.#rows = rows;
    this.#visitOf = visitOf;
    this.#next = rows.next();
  }

  /** Of the next row; infinite behind the last. */
  get visit(): number {
    return this.#next.done ? Number.POSITIVE_INFINITY : this.#visitOf(this.#next.value);
  }

  /** A row of a visit that is not after this one. */
  take(visit: number): Row<T> | undefined {
    if (this.#next.done || this.#visitOf(this.#next.value) > visit) return undefined;
    const row = this.#next.value;
    this.#next = this.#rows.next();
    this.count += 1;
    return row;
  }
}

class EpochReader {
  readonly #source: Source;
  readonly #candidates: Column<"candidates">;
  readonly #revisits: Column<"revisits">;
  readonly #fits: Column<"fits">;
  readonly #failures: Column<"failures">;
  readonly #known = new Map<number, Row<"candidates">>();
  #visit = 0;

  constructor(source: Source, first: number, last: number) {
    this.#source = source;
    const select = (key: string) => ({ where: `${key} BETWEEN ? AND ?`, values: [first, last] });
    this.#candidates = new Column(readRows(source, "candidates", select("id")), ({ id }) => id);
    this.#revisits = new Column(
      readRows(source, "revisits", select("visit")),
      ({ visit }) => visit,
    );
    this.#fits = new Column(readRows(source, "fits", select("visit")), ({ visit }) => visit);
    this.#failures = new Column(
      readRows(source, "failures", select("visit")),
      ({ visit }) => visit,
    );
  }

  read(row: Row<"epochs">): Epoch {
    const { round, slot, first_visit: firstVisit, visits } = row;
    const counts = countsOf(this.#source, row);
    const ids =
      row.candidates === null
        ? undefined
        : parse(this.#source, "epochs", row, "candidates", isCounts);
    if (ids !== undefined && ids.length !== visits)
      throw this.#damage("epochs", [round, slot], "it does not have an id for each visit");
    const before = this.#counts();
    const kept: Visit[] = [];
    // From row to row: an epoch may say that it has more visits than anybody could count.
    for (let at = this.#next(firstVisit); at < firstVisit + visits; at = this.#next(at + 1)) {
      this.#visit = at;
      const visit = this.#read(at, ids === undefined ? at : (ids[at - firstVisit] as number), row);
      if (visit !== undefined) kept.push(visit);
    }
    if (counts !== undefined) this.#compare(row, counts, before);
    return { round, slot, firstVisit, visits, counts, kept };
  }

  /** The next visit that has a row, from one on; rows of earlier visits are found with it. */
  #next(from: number): number {
    const next = Math.min(
      this.#candidates.visit,
      this.#revisits.visit,
      this.#fits.visit,
      this.#failures.visit,
    );
    return Math.max(from, next);
  }

  /** All rows must have been asked for. */
  finish(): void {
    const end = Number.MAX_SAFE_INTEGER;
    this.#hold(this.#candidates.take(end)?.id, -1, "candidates");
    this.#hold(this.#revisits.take(end)?.visit, -1, "revisits");
    this.#hold(this.#fits.take(end)?.visit, -1, "fits");
    this.#hold(this.#failures.take(end)?.visit, -1, "failures");
  }

  #counts(): EpochCounts["rows"] {
    return {
      candidates: this.#candidates.count,
      revisits: this.#revisits.count,
      fits: this.#fits.count,
      failures: this.#failures.count,
    };
  }

  #compare(row: Row<"epochs">, counts: EpochCounts, before: EpochCounts["rows"]): void {
    const now = this.#counts();
    for (const table of ["candidates", "revisits", "fits", "failures"] as const) {
      const found = now[table] - before[table];
      if (found === counts.rows[table]) continue;
      const what = `it has ${counts.rows[table]} rows of ${table}, and ${found} are there`;
      throw this.#damage("epochs", [row.round, row.slot], what);
    }
  }

  #damage(table: Table, key: readonly number[], what: string): NdvmError {
    return damage(this.#source.database.file, "rows", table, key, what);
  }

  /** Undefined: it is not kept. */
  #read(visit: number, id: number, epoch: Row<"epochs">): Visit | undefined {
    const own = this.#candidates.take(visit);
    const revisit = this.#revisits.take(visit);
    const failure = this.#failures.take(visit);
    const rungs: Row<"fits">[] = [];
    for (let fit = this.#fits.take(visit); fit !== undefined; fit = this.#fits.take(visit))
      rungs.push(fit);
    this.#hold(own?.id, visit, "candidates");
    this.#hold(revisit?.visit, visit, "revisits");
    this.#hold(failure?.visit, visit, "failures");
    for (const fit of rungs) this.#hold(fit.visit, visit, "fits");
    const best = rungs.find(({ visit_fits }) => visit_fits !== null);
    const isKept = best !== undefined || failure !== undefined || own?.duplicate_of != null;
    if (!isKept) return undefined;
    const proposed = this.#proposed(visit, id, own, revisit);
    const prompt = (own ?? revisit)?.prompt ?? null;
    const outcome = this.#outcome(visit, id, epoch, proposed, best, failure);
    if (outcome.status !== "duplicate") return { outcome, rungs, prompt };
    // What an epoch spent on a twin of a candidate that came before it.
    const fits = rungs.reduce((sum, { restarts }) => sum + restarts, 0);
    return { outcome: { ...outcome, fits }, rungs, prompt };
  }

  /** A row must be of the visit that is read: one of an earlier visit belongs to nobody. */
  #hold(found: number | undefined, visit: number, table: Table): void {
    if (found !== undefined && found !== visit)
      throw this.#damage(table, [found], "no epoch has this visit");
  }

  /** What was proposed: of the visit itself, or of the first one of its candidate. */
  #proposed(
    visit: number,
    id: number,
    own: Row<"candidates"> | undefined,
    revisit: Row<"revisits"> | undefined,
  ): Proposed {
    if (id === visit) {
      if (own === undefined) throw this.#damage("candidates", [id], "it is missing");
      this.#remember(own);
      const { duplicate_of: duplicateOf } = own;
      const parents = parse(this.#source, "candidates", own, "parents", isCounts);
      return { ...own, parents, duplicateOf };
    }
    const first =
      revisit?.skeleton == null || revisit.complexity === null ? this.#candidate(id) : revisit;
    const { skeleton, complexity } = first;
    const texts = revisit ?? this.#candidate(id);
    const parents =
      revisit === undefined
        ? parse(this.#source, "candidates", this.#candidate(id), "parents", isCounts)
        : parse(this.#source, "revisits", revisit, "parents", isCounts);
    return {
      origin: texts.origin,
      source: texts.source,
      parents,
      skeleton: skeleton ?? "",
      complexity: complexity ?? 0,
      duplicateOf: null,
    };
  }

  #candidate(id: number): Row<"candidates"> {
    const row =
      this.#known.get(id) ?? readRow(this.#source, "candidates", { where: "id = ?", values: [id] });
    if (row === undefined)
      throw this.#damage(
        "candidates",
        [id],
        `it is missing, and visit ${this.#visit} is one to it`,
      );
    this.#remember(row);
    return row;
  }

  #remember(row: Row<"candidates">): void {
    if (this.#known.size >= REMEMBERED) this.#known.clear();
    this.#known.set(row.id, row);
  }

  #outcome(
    visit: number,
    id: number,
    { round, slot, proposer }: Row<"epochs">,
    { origin, source, parents, skeleton, complexity, duplicateOf }: Proposed,
    best: Row<"fits"> | undefined,
    failure: Row<"failures"> | undefined,
  ): Outcome {
    const number = (x: number | null | undefined) => x ?? Number.NaN;
    return {
      id,
      visit,
      round,
      slot,
      proposer,
      origin,
      source,
      parents,
      skeleton,
      complexity,
      status: best !== undefined ? "scored" : duplicateOf !== null ? "duplicate" : "failed",
      ...(failure === undefined ? {} : { failure: failureOf(this.#source, failure) }),
      ...(duplicateOf !== null ? { duplicateOf } : {}),
      rung: best?.visit_rung ?? 0,
      fits: best?.visit_fits ?? failure?.fits ?? 0,
      params: paramsOf(this.#source, best),
      loss: number(best?.loss),
      trainR2: number(best?.train_r2),
      r2: number(best?.r2),
      // Without a number it is that of a model that leaves nothing to explain.
      bic: best === undefined ? Number.NaN : (best.bic ?? Number.NEGATIVE_INFINITY),
    };
  }
}

interface Proposed {
  readonly origin: string;
  readonly source: string;
  readonly parents: readonly number[];
  readonly skeleton: string;
  readonly complexity: number;
  readonly duplicateOf: number | null;
}

function failureOf(source: Source, row: Row<"failures">): Failure {
  const { stage, code, message, facts } = row;
  return {
    stage: stage as Failure["stage"],
    code,
    message,
    ...(facts === null ? {} : { facts: parse(source, "failures", row, "facts", isFacts) }),
  };
}

/** Fitted parameters of a rung; none where there is no rung. */
export function paramsOf(
  source: Source,
  row: Row<"fits"> | undefined,
): Readonly<Record<string, number>> {
  if (row === undefined || row.params === null) return {};
  return parse(source, "fits", row, "params", isNumberMap);
}

/** What an epoch's row says of its visits; undefined in formats that did not count. */
export const countsOf = (source: Source, row: Row<"epochs">): EpochCounts | undefined =>
  source.format < SCHEMA_VERSION
    ? undefined
    : parse(source, "epochs", row, "counts", isEpochCounts);
