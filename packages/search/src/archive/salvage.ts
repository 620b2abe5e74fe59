/**
 * `ndvm archive salvage`: what is intact in a damaged archive, in a new one.
 *
 * The damaged file is copied and never written. Of every table the rows that can be read and pass
 * their checksums are taken; of an epoch, the visits that have all their rows. What is lost is counted
 * in the epoch's `counts`, and an epoch whose own row is lost leaves one that says so. Where all that
 * a search needs to go on is intact, the new archive can be resumed.
 */

import { copyFileSync, existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { NdvmError, own } from "@ndvm/core";
import type { Outcome } from "../types.js";
import { checkSource } from "./check.js";
import {
  isIntactRow,
  parse,
  readRow,
  readRows,
  type Selection,
  type Source,
} from "./checked-rows.js";
import { type Database, openDatabase, type Value } from "./driver.js";
import { requireReadable } from "./head.js";
import { intactVisits } from "./intact-visits.js";
import { LEDGER_ROW, LedgerWriter, STATE_ROW } from "./ledger.js";
import { leftoverOf } from "./leftovers.js";
import { mendFirstPage } from "./mend.js";
import { STUDY_OPTIONS } from "./options.js";
import { checkSchema, formatOf, resumptionOf } from "./reader.js";
import { type EpochCounts, isLedger, noCounts } from "./row-shapes.js";
import { COLUMNS, type Row, SCHEMA_VERSION, TABLES, type Table } from "./schema.js";
import { readState } from "./state.js";
import type { KeptState } from "./state-shapes.js";
import { makeTables, RowWriter, setPageSize } from "./tables.js";
import { countsOf, readEpochs, type Visit } from "./visits.js";

export interface Salvage {
  readonly file: string;
  /** Visits that were kept, and those that are lost. */
  readonly visits: number;
  readonly visitsLost: number;
  /** Rows of other tables that are lost, as far as anybody knows. */
  readonly rowsLost: number;
  /** Options of the study that are lost. */
  readonly optionsLost: readonly string[];
  readonly canResume: boolean;
}

/** Keeps what is intact of `file` in `out`, which must not exist. */
export function salvageArchive(file: string, out: string): Salvage {
  if (existsSync(out))
    throw new NdvmError("E-ARCHIVE", `${out} exists`, {
      help: "name a file that does not exist",
      facts: { reason: "exists" },
    });
  requireReadable(file);
  const room = makeRoom(out);
  const copy = join(room, "copy.db");
  try {
    copyInto(file, copy, out);
    if (isOrdinary(`${file}-wal`) && leftoverOf(file) !== "log")
      copyInto(`${file}-wal`, `${copy}-wal`, out);
    mendFirstPage(copy, file);
    return salvage(openCopy(copy, file), out);
  } catch (error) {
    for (const name of [out, `${out}-journal`]) rmSync(name, { force: true });
    throw error;
  } finally {
    rmSync(room, { recursive: true, force: true });
  }
}

const isOrdinary = (name: string): boolean =>
  statSync(name, { throwIfNoEntry: false })?.isFile() === true;

/** A folder of its own beside the new archive, where there should be space for the copy, too. */
function makeRoom(out: string): string {
  try {
    return mkdtempSync(`${out}-salvage-`);
  } catch (error) {
    throw unwritable(out, error);
  }
}

function copyInto(from: string, to: string, out: string): void {
  try {
    copyFileSync(from, to);
  } catch (error) {
    throw unwritable(out, error);
  }
}

function unwritable(out: string, error: unknown): NdvmError {
  const { code = "", message } = error as NodeJS.ErrnoException;
  return new NdvmError("E-ARCHIVE", `${out} cannot be written: ${message}`, {
    help: "name a file in a folder that can be written, on a disk with room for two copies",
    facts: { actual: code },
  });
}

function openCopy(copy: string, file: string): Source {
  const database = openDatabase(copy, { copyOf: file });
  try {
    database.exec("PRAGMA trusted_schema = 0; PRAGMA cell_size_check = 1");
    const source = { database, format: formatOf(database) };
    checkSchema(source);
    if (source.format === SCHEMA_VERSION) return source;
    throw new NdvmError(
      "E-ARCHIVE",
      `${file} was written by an earlier version of this program: it can be read, not salvaged`,
      {
        help: `its format is ${source.format}; only rows of format ${SCHEMA_VERSION} have checksums`,
        facts: { reason: "format", value: source.format, limit: SCHEMA_VERSION },
      },
    );
  } catch (error) {
    database.close();
    throw error;
  }
}

function salvage(source: Source, out: string): Salvage {
  try {
    const to = openDatabase(out);
    try {
      setPageSize(to);
      to.exec("BEGIN IMMEDIATE");
      makeTables(to);
      const salvaged = new Salvager(source, to).run(out);
      if (salvaged.visits === 0 && salvaged.optionsLost.length > 0) throw nothingIntact(source);
      requireIntact(source, to);
      to.exec("COMMIT");
      return salvaged;
    } finally {
      to.close();
    }
  } finally {
    source.database.close();
  }
}

/** What was kept must pass the checks that any archive must: rows can contradict each other. */
function requireIntact({ database: { file } }: Source, to: Database): void {
  const [problem] = checkSource({ database: to, format: SCHEMA_VERSION }).problems;
  if (problem === undefined) return;
  throw new NdvmError(
    "E-ARCHIVE",
    `${file} cannot be salvaged: its rows do not belong together; of what would be left, ${problem.message}`,
    { help: "begin a new study", facts: problem.facts },
  );
}

const nothingIntact = ({ database: { file } }: Source): NdvmError =>
  new NdvmError(
    "E-ARCHIVE",
    `there is nothing to keep in ${file}: no visit is intact, and the study's options are not either`,
    { help: "begin a new study", facts: { reason: "rows" } },
  );

/** Tables that are taken row by row: nothing else says how many rows they have. */
const SINGLE = [
  "study",
  "runs",
  "versions",
  "seeds",
  "prompts",
  "members",
  "timings",
  "events",
  "proposers",
  "pending",
] as const satisfies readonly Table[];

/** What a study must have to be gone on with. */
const NEEDED: readonly Table[] = ["study", "proposers", "pending", "prompts", "seeds", "runs"];

class Salvager {
  readonly #from: Source;
  readonly #to: Source;
  readonly #rows: RowWriter;
  readonly #lost = new Map<Table, number>();
  readonly #candidates = new Set<number>();
  readonly #prompts = new Set<number>();
  #visits = 0;
  #visitsLost = 0;

  constructor(from: Source, to: Database) {
    this.#from = from;
    this.#to = { database: to, format: SCHEMA_VERSION };
    this.#rows = new RowWriter(to);
  }

  run(file: string): Salvage {
    const ledger = attempt(() => readLedgerRows(this.#from)) ?? {};
    for (const table of SINGLE) this.#copy(table, ledger[table]);
    for (const { prompt } of readRows(this.#to, "prompts", { damaged() {} }))
      this.#prompts.add(prompt);
    const state = attempt(() => readState(this.#from));
    const end = this.#epochs(state);
    const isIntact =
      state?.counts.candidates === end &&
      this.#visitsLost === 0 &&
      NEEDED.every((table) => this.#lost.get(table) === 0);
    const kept = this.#state(state, isIntact, end);
    this.#rows.insert("state", [STATE_ROW, JSON.stringify(kept)]);
    this.#writeLedger(isIntact);
    const canResume = isIntact && attempt(() => resumptionOf(this.#to)) !== undefined;
    if (isIntact && !canResume) this.#writeLedger(false);
    return {
      file,
      visits: this.#visits,
      visitsLost: this.#visitsLost,
      rowsLost: [...this.#lost.values()].reduce((sum, count) => sum + count, 0),
      optionsLost: this.#optionsLost(),
      canResume,
    };
  }

  #writeLedger(canResume: boolean): void {
    const ledger = new LedgerWriter(this.#to.database);
    this.#rows.replace("state", ledger.row(2, { salvaged: { canResume } }));
  }

  #copy<T extends Table>(table: T, expected: number | undefined): void {
    const rows = readIntact(this.#from, table);
    for (const row of rows) this.#insert(table, row);
    this.#lost.set(table, Math.max(0, (expected ?? rows.length + 1) - rows.length));
  }

  #insert<T extends Table>(table: T, row: Row<T>): void {
    const cells = row as Readonly<Record<string, Value>>;
    this.#rows.insertOnce(
      table,
      COLUMNS[table].map(({ name }) => own(cells, name) as Value),
    );
  }

  /** Copies epochs with their intact visits. Gives back the first visit after the last of them. */
  #epochs(state: KeptState | undefined): number {
    let next = 0;
    let before: Row<"epochs"> | undefined;
    for (const row of readIntact(this.#from, "epochs")) {
      const counts = attempt(() => countsOf(this.#from, row));
      if (counts === undefined || row.first_visit < next) continue;
      if (row.first_visit > next) this.#filler(before, next, row.first_visit - next);
      this.#epoch(row, counts);
      next = row.first_visit + row.visits;
      before = row;
    }
    const end = state?.counts.candidates ?? next;
    if (end <= next) return next;
    this.#filler(before, next, end - next);
    return end;
  }

  #epoch(row: Row<"epochs">, counts: EpochCounts): void {
    const { kept, lost } = intactVisits(this.#from, row, counts, this.#candidates);
    const rows = { candidates: 0, revisits: 0, fits: 0, failures: 0 };
    for (const { candidate, revisit, fits, failure } of kept) {
      if (candidate !== undefined) this.#insert("candidates", this.#withPrompt(candidate));
      if (revisit !== undefined) this.#insert("revisits", this.#withPrompt(revisit));
      for (const fit of fits) this.#insert("fits", fit);
      if (failure !== undefined) this.#insert("failures", failure);
      rows.candidates += candidate === undefined ? 0 : 1;
      rows.revisits += revisit === undefined ? 0 : 1;
      rows.fits += fits.length;
      rows.failures += failure === undefined ? 0 : 1;
    }
    this.#visits += row.visits - lost;
    this.#visitsLost += lost;
    const told = lost === 0 ? counts : { ...counts, rows, lost };
    this.#insert("epochs", { ...row, counts: JSON.stringify(told) });
  }

  /** A row without the prompt that it names, where that is lost. */
  #withPrompt<R extends { readonly prompt: number | null }>(row: R): R {
    const isLost = row.prompt !== null && !this.#prompts.has(row.prompt);
    return isLost ? { ...row, prompt: null } : row;
  }

  /** An epoch for visits whose own one is lost. */
  #filler(before: Row<"epochs"> | undefined, first: number, visits: number): void {
    const rows = { candidates: 0, revisits: 0, fits: 0, failures: 0 };
    const nothing = { scored: 0, failed: {}, duplicates: 0, revisits: 0, fits: 0, rows };
    this.#visitsLost += visits;
    this.#insert("epochs", {
      round: before?.round ?? 0,
      slot: before === undefined ? 0 : before.slot + 1,
      proposer: "",
      first_visit: first,
      visits,
      candidates: null,
      front: "[]",
      fits_most: 0,
      counts: JSON.stringify({ ...nothing, lost: visits }),
      digests: "",
    });
  }

  /** Where the study stands: as it was, or with the front of what is left. */
  #state(state: KeptState | undefined, isIntact: boolean, end: number) {
    if (isIntact) return state;
    const counts = { ...noCounts(end), ...state?.counts, candidates: end };
    const left = [...this.#intactSoFar(end)].map(({ outcome }) => outcome);
    const scored = left.filter(({ status }) => status === "scored");
    const isLeft = new Set(scored.map(({ visit }) => visit));
    const visits = state?.front.filter((visit) => isLeft.has(visit)) ?? frontOf(left);
    const seconds = state?.seconds ?? this.#lastSecond();
    return { ...state, seconds, counts, front: visits, versions: [], rounds: [] };
  }

  /** Visits of the new archive. They cannot be read before it says how many there are. */
  *#intactSoFar(end: number): Generator<Visit> {
    const draft = { seconds: 0, counts: noCounts(end), front: [] };
    this.#rows.replace("state", [STATE_ROW, JSON.stringify(draft)]);
    this.#writeLedger(false);
    for (const { kept } of readEpochs(this.#to)) yield* kept;
    this.#to.database.exec(`DELETE FROM state WHERE one = ${STATE_ROW}`);
  }

  #lastSecond(): number {
    let last = 0;
    for (const { at } of readRows(this.#to, "timings")) last = Math.max(last, at);
    return last;
  }

  #optionsLost(): readonly string[] {
    if (this.#lost.get("study") === 0) return [];
    const kept = new Set([...readRows(this.#to, "study")].map(({ key }) => key));
    return STUDY_OPTIONS.filter((key) => !kept.has(key));
  }
}

/** Visits that nothing simpler matches, on the rows that they explain less. */
function frontOf(outcomes: readonly Outcome[]): readonly number[] {
  const accuracy = ({ r2, trainR2 }: Outcome): number => Math.min(r2, trainR2);
  const members: Outcome[] = [];
  const scored = outcomes.filter((outcome) => Number.isFinite(accuracy(outcome)));
  for (const outcome of scored.sort(
    (a, b) => a.complexity - b.complexity || accuracy(b) - accuracy(a) || a.visit - b.visit,
  )) {
    const last = members.at(-1);
    if (last === undefined || accuracy(outcome) > accuracy(last)) members.push(outcome);
  }
  return members.map(({ visit }) => visit);
}

function readLedgerRows(source: Source): Readonly<Partial<Record<Table, number>>> {
  const row = readRow(source, "state", { where: "one = ?", values: [LEDGER_ROW] });
  if (row === undefined) return {};
  return parse(source, "state", row, "state", isLedger).rows;
}

/** Undefined where the archive does not have it. */
function attempt<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch (error) {
    if (error instanceof NdvmError) return undefined;
    throw error;
  }
}

/** Most tries to find the next row behind a page that cannot be read. */
const TRIES = 4096;

/** So many keys are tried one after the other before larger steps: more than a page has rows. */
const STEPS_OF_ONE = 256;
/** Rows that the driver fetches at once: where a page cannot be read, those before it are lost with it. */
const BUNDLE = 100;

/**
 * All rows of a table that can be read and are intact, in the order of the key: at once up to a page that
 * cannot be read, then one by one up to that page, and at once again behind it.
 */
function readIntact<T extends Table>(source: Source, table: T): readonly Row<T>[] {
  const rows: Row<T>[] = [];
  const keys: readonly string[] = TABLES[table].key;
  const [first] = keys as [string];
  const isNumbered = COLUMNS[table].find(({ name }) => name === first)?.isInteger === true;
  const behind = `(${keys.join(", ")}) > (${keys.map(() => "?").join(", ")})`;
  let place: Pick<Selection, "where" | "values"> = {};
  const isTaken = (count: Pick<Selection, "limit">): boolean => {
    try {
      for (const row of readRows(source, table, { ...place, ...count, damaged: () => {} })) {
        if (isIntactRow(source, table, row)) rows.push(row);
        place = { where: behind, values: keys.map((key) => own(row, key) as Value) };
      }
      return true;
    } catch (error) {
      if (error instanceof NdvmError) return false;
      throw error;
    }
  };
  for (let tries = 0, from = 0; tries < TRIES; tries++) {
    if (isTaken({}) || !isNumbered) break;
    for (let i = 0; i < BUNDLE && isTaken({ limit: 1 }); i++);
    const last = rows.at(-1);
    const reached = last === undefined ? 0 : Number(own(last as Record<string, Value>, first));
    from = Math.max(from, reached) + Math.max(1, tries - STEPS_OF_ONE);
    place = { where: `${first} >= ?`, values: [from] };
  }
  return rows;
}
