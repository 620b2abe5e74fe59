/**
 * Opening an archive to read it, and what a search needs to go on with one. Any number of readers may
 * look while one process writes; what must fit together is read inside `snapshot`.
 */

import { NdvmError } from "@ndvm/core";
import { identityHash, PLAIN_ORIGIN, type SeenCandidate } from "../engine/intake.js";
import type { PendingBatch, PendingVisit, Resumption, Unobserved } from "../engine/journal.js";
import type { Json, Outcome } from "../types.js";
import {
  damage,
  isAnything,
  isNumbers,
  isRecord,
  parse,
  readLedger,
  readRows,
  type Source,
} from "./checked-rows.js";
import { unpackDigests } from "./digests.js";
import { type Database, openDatabase } from "./driver.js";
import { EARLIER_FORMATS } from "./earlier-formats.js";
import { checkHead, otherFormat } from "./head.js";
import { outcomeFromJson } from "./outcome-json.js";
import { type Row, SCHEMA_VERSION, STATEMENTS } from "./schema.js";
import { readState } from "./state.js";
import { readVisit } from "./visits.js";

export function openForReading(file: string): Source {
  checkHead(file);
  const database = openDatabase(file);
  try {
    database.exec("PRAGMA query_only = 1; PRAGMA trusted_schema = 0; PRAGMA cell_size_check = 1");
    const source = { database, format: formatOf(database) };
    checkSchema(source);
    return source;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** While a file is written, its head may be in the log beside it: so the driver is asked. */
export function formatOf(database: Database): number {
  const format = database.all("PRAGMA user_version")[0]?.[0];
  return typeof format === "number" ? format : 0;
}

/** The tables must be those of the format, letter for letter where it is today's. */
export function checkSchema({ database, format }: Source): void {
  const { file } = database;
  const statements = database
    .all("SELECT CAST(sql AS BLOB) FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid")
    .map(([sql]) => String(sql));
  const isArchive = statements.some((sql) => sql.startsWith("CREATE TABLE candidates "));
  if (format !== SCHEMA_VERSION) {
    if (isArchive && EARLIER_FORMATS.includes(format)) return;
    throw isArchive ? otherFormat(file, format) : foreign(file);
  }
  if (statements.length === STATEMENTS.length && statements.every((s, i) => s === STATEMENTS[i]))
    return;
  if (!isArchive && !statements.includes(STATEMENTS[0] as string)) throw foreign(file);
  throw new NdvmError("E-ARCHIVE", `${file} is damaged: its tables are not those of an archive`, {
    help: `ndvm archive salvage ${file} OUT keeps what is whole`,
    facts: { reason: "schema" },
  });
}

const foreign = (file: string): NdvmError =>
  new NdvmError("E-ARCHIVE", `${file} is a database of something else`, {
    help: "an archive is a file that ndvm search writes; name another file",
    facts: { reason: "foreign" },
  });

/** Reads inside one transaction: what comes of several tables belongs together. */
export function snapshot<T>({ database }: Source, read: () => T): T {
  database.exec("BEGIN");
  try {
    return read();
  } finally {
    database.exec("COMMIT");
  }
}

/** What an earlier run left, or undefined where it left nothing to go on from. */
export function readResumption(file: string): Resumption | undefined {
  const source = openForReading(file);
  try {
    if (source.format !== SCHEMA_VERSION) throw otherFormat(file, source.format);
    if (readLedger(source).salvaged?.canResume === false) throw onlyReadable(file);
    return snapshot(source, () => resumptionOf(source));
  } finally {
    source.database.close();
  }
}

const onlyReadable = (file: string): NdvmError =>
  new NdvmError("E-ARCHIVE", `${file} was salvaged: it can be read, not resumed`, {
    help: "what the search needs to go on was damaged; begin a new study",
    facts: { reason: "salvaged" },
  });

export function resumptionOf(source: Source): Resumption | undefined {
  const kept = readState(source);
  if (kept === undefined) return undefined;
  const proposers = [...readRows(source, "proposers")].map(
    (row) => parse(source, "proposers", row, "state", isAnything) as Json,
  );
  const state = { ...kept, proposers };
  const outcomes = new Map<number, Outcome>();
  const outcomeOf = (visit: number): Outcome => {
    const outcome = outcomes.get(visit) ?? requireVisit(source, visit);
    outcomes.set(visit, outcome);
    return outcome;
  };
  for (const visit of [...state.front, ...state.frontObserved]) outcomeOf(visit);
  const settled = new Map<number, Unobserved>();
  const pending: PendingBatch[] = [];
  for (const row of readRows(source, "pending")) {
    const body = parse(source, "pending", row, "body", isPendingBody);
    if (body.kind === "settled")
      settled.set(row.round, {
        outcomes: body.outcomes.map(outcomeFromJson),
        fitsMost: body.fitsMost,
      });
    else
      pending.push({
        index: row.round,
        proposer: body.proposer,
        visits: body.visits,
        front: body.front.map(outcomeOf),
      });
  }
  for (let index = state.observed; index < state.settled; index++)
    if (!settled.has(index))
      throw damage(source.database.file, "rows", "pending", [index, 0], "it is missing");
  const seen = [...readSeen(source, pending)];
  return {
    state,
    seen: () => seen,
    outcomes: (wanted) => wanted.map(outcomeOf),
    settledBatch: (index) => settled.get(index) as Unobserved,
    pending,
  };
}

function requireVisit(source: Source, visit: number): Outcome {
  const found = readVisit(source, visit)?.outcome;
  if (found !== undefined) return found;
  throw damage(source.database.file, "rows", "state", [1], `its visit ${visit} is missing`);
}

/** What the table `pending` says of an epoch that is under way, or not observed by proposers. */
export type PendingBody =
  | {
      readonly kind: "proposed";
      readonly proposer: string;
      readonly visits: readonly PendingVisit[];
      readonly front: readonly number[];
    }
  | {
      readonly kind: "settled";
      readonly outcomes: readonly Json[];
      readonly fitsMost: number;
    };

const isPendingBody = (value: unknown): value is PendingBody =>
  isRecord(value) &&
  (value["kind"] === "proposed"
    ? Array.isArray(value["visits"]) && isNumbers(value["front"])
    : value["kind"] === "settled" && Array.isArray(value["outcomes"]));

/** Candidates that were met and are no duplicates, in order, those under way last. */
function* readSeen(source: Source, pending: readonly PendingBatch[]): Generator<SeenCandidate> {
  const plain = new Map<number, string>();
  const where =
    "is_revisit = 1 AND origin = ? AND parents = '[]' AND params IS NULL AND prompt IS NULL";
  const isPlain = { where, values: [PLAIN_ORIGIN] };
  for (const { id, source: text } of readRows(source, "candidates", isPlain)) plain.set(id, text);
  for (const row of readRows(source, "epochs"))
    for (const { id, hash } of digestsOf(source, row)) yield { id, hash, plain: plain.get(id) };
  for (const { visits } of pending)
    for (const visit of visits) {
      if (visit.id !== visit.visit || visit.duplicateOf !== undefined) continue;
      const { id, skeleton, source: text } = visit;
      yield {
        id,
        hash: identityHash(skeleton, text),
        plain: isPlainVisit(visit) ? text : undefined,
      };
    }
}

const isPlainVisit = ({ isRevisit, origin, parents, params, prompt }: PendingVisit): boolean =>
  isRevisit &&
  origin === PLAIN_ORIGIN &&
  parents.length === 0 &&
  params === undefined &&
  prompt === undefined;

function digestsOf(source: Source, row: Row<"epochs">) {
  const digests = unpackDigests(row.digests, row.first_visit, row.visits);
  if (digests !== undefined) return digests;
  const { file } = source.database;
  throw damage(file, "json", "epochs", [row.round, row.slot], "its digests are none");
}
