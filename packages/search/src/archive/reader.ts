/**
 * Opening an archive to read it, and what a search needs to go on with one. Any number of readers may
 * look while one process writes; what must fit together is read inside `snapshot`.
 */

import { fileWord, NdvmError } from "@ndvm/core";
import { PLAIN_ORIGIN, type SeenCandidate } from "../engine/fold.js";
import type { EngineState, Resumption, SavedRound } from "../engine/journal.js";
import { isJson } from "../shapes.js";
import type { Json, Outcome, Proposal } from "../types.js";
import { damage, parse, readLedger, readRows, type Source } from "./checked-rows.js";
import { unpackDigests } from "./digests.js";
import { type Database, openDatabase } from "./driver.js";
import { EARLIER_FORMATS } from "./earlier-formats.js";
import { checkHead, otherFormat, requireReadable } from "./head.js";
import { leftoverOf, openCopyOf } from "./leftovers.js";
import type { EpochKey } from "./messages.js";
import { outcomeFromJson } from "./outcome-json.js";
import { proposalsOf } from "./proposals-json.js";
import { isPendingBody } from "./row-shapes.js";
import { type Row, SCHEMA_VERSION, STATEMENTS } from "./schema.js";
import { requireStanding, wrongState } from "./standing.js";
import { readEngineState, visitsNamed } from "./state.js";
import { readVisit } from "./visits.js";

export function openForReading(file: string): Source {
  requireReadable(file);
  const leftover = leftoverOf(file);
  if (leftover !== undefined)
    return openCopyOf(file, leftover, (copy) => {
      const source = openSource(copy, file);
      checkHead(copy, file);
      return source;
    });
  checkHead(file);
  return openSource(file, file);
}

/** `file` is what the user calls it. */
function openSource(path: string, file: string): Source {
  const database = openDatabase(path, { copyOf: file });
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
  const isToday =
    statements.length === STATEMENTS.length && statements.every((s, i) => s === STATEMENTS[i]);
  // The tables of earlier formats are others: where they are today's, the head's number is wrong.
  if (format !== SCHEMA_VERSION && !(isToday && EARLIER_FORMATS.includes(format))) {
    if (isArchive && EARLIER_FORMATS.includes(format)) return;
    if (statements.length === 0 && format === 0) throw bare(file);
    throw isArchive ? otherFormat(file, format) : foreign(file);
  }
  if (isToday && format === SCHEMA_VERSION) return;
  if (!isArchive && !statements.includes(STATEMENTS[0] as string)) throw foreign(file);
  throw new NdvmError("E-ARCHIVE", `${file} is damaged: its tables are not those of an archive`, {
    help: `ndvm archive salvage ${fileWord(file)} OUT keeps what is intact`,
    facts: { reason: "schema" },
  });
}

const foreign = (file: string): NdvmError =>
  new NdvmError("E-ARCHIVE", `${file} is a database of something else`, {
    help: "an archive is a file that ndvm search writes; name another file",
    facts: { reason: "foreign" },
  });

/** What SQLite makes before it makes the first table. */
const bare = (file: string): NdvmError =>
  new NdvmError("E-ARCHIVE", `${file} holds no study: it is a database without tables`, {
    help: "a search that was ended as it began leaves one; resumed, it begins the study there",
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
  const kept = readEngineState(source);
  if (kept === undefined) return undefined;
  const proposers = [...readRows(source, "proposers")].map((row) =>
    parse(source, "proposers", row, "state", isJson),
  );
  const outcomes = new Map<number, Outcome>();
  const outcomeOf = (visit: number): Outcome => {
    const outcome = outcomes.get(visit) ?? requireMember(source, visit);
    outcomes.set(visit, outcome);
    return outcome;
  };
  for (const visit of visitsNamed(kept)) outcomeOf(visit);
  const { proposed, settled, keys } = readPending(source);
  requirePending(source, kept, keys);
  const { epochs, digests, seen } = readSeen(source);
  const isBred = requireStanding(source, { state: kept, epochs, digests, proposers, proposed });
  return {
    state: {
      ...kept,
      rounds: kept.rounds.map((round) => withProposals(round, proposed)),
      proposers,
    },
    seen: () => seen,
    outcomes: (wanted) => wanted.map(outcomeOf),
    round: (round) => settled.get(round) ?? [],
    pending: keys,
    restore: (place, breeds, take) => {
      if (isBred[place] !== breeds) throw wrongState(source, place);
      try {
        take(proposers[place] as Json);
      } catch (error) {
        throw error instanceof NdvmError ? error : wrongState(source, place);
      }
    },
  };
}

/** What proposers have said, by round and slot, and outcomes that they have not heard of, by round. */
function readPending(source: Source) {
  const proposed = new Map<string, readonly Proposal[]>();
  const settled = new Map<number, Outcome[]>();
  const keys: EpochKey[] = [];
  const { file } = source.database;
  for (const row of readRows(source, "pending")) {
    const { round, slot } = row;
    const body = parse(source, "pending", row, "body", isPendingBody);
    keys.push([round, slot]);
    if (body.kind === "proposed") {
      const proposals = proposalsOf(body.proposals);
      if (proposals === undefined)
        throw damage(file, "json", "pending", [round, slot], "its body holds no proposals");
      proposed.set(`${round}/${slot}`, proposals);
    } else {
      const outcomes = settled.get(round) ?? [];
      for (const outcome of body.outcomes) outcomes.push(outcomeFromJson(outcome as object));
      settled.set(round, outcomes);
    }
  }
  return { proposed, settled, keys };
}

/**
 * What has been said for an epoch under way, and what nobody has heard of, must be there. A state names no
 * round that everybody has heard of.
 */
function requirePending(
  { database }: Source,
  { rounds, hasListeners }: Omit<EngineState, "proposers">,
  keys: readonly EpochKey[],
): void {
  const there = new Set(keys.map(([round, slot]) => `${round}/${slot}`));
  for (const { round, folded, epochs } of rounds)
    for (const [i, { slot, isGiven }] of epochs.entries()) {
      const isNeeded = i < folded ? hasListeners : isGiven;
      if (isNeeded && !there.has(`${round}/${slot}`))
        throw damage(database.file, "rows", "pending", [round, slot], "it is missing");
    }
}

function withProposals(
  round: SavedRound,
  proposed: ReadonlyMap<string, readonly Proposal[]>,
): SavedRound {
  const epochs = round.epochs.map((epoch) => {
    const proposals = proposed.get(`${round.round}/${epoch.slot}`);
    return proposals === undefined ? epoch : { ...epoch, proposals };
  });
  return { ...round, epochs };
}

/** A visit that a front names. */
function requireMember(source: Source, visit: number): Outcome {
  const found = readVisit(source, visit)?.outcome;
  if (found?.status === "scored") return found;
  throw damage(source.database.file, "rows", "state", [1], `its visit ${visit} is missing`);
}

/**
 * Candidates that were met and are no duplicates, in order. All rows are looked at, since a damaged one
 * would not be among those that a condition selects.
 */
function readSeen(source: Source) {
  const plain = new Map<number, string>();
  for (const row of readRows(source, "candidates")) if (isPlain(row)) plain.set(row.id, row.source);
  const epochs: Pick<Row<"epochs">, "round" | "slot" | "first_visit" | "visits">[] = [];
  const digests: number[] = [];
  const seen: SeenCandidate[] = [];
  for (const row of readRows(source, "epochs")) {
    const { round, slot, first_visit, visits } = row;
    const found = digestsOf(source, row);
    epochs.push({ round, slot, first_visit, visits });
    digests.push(found.length);
    for (const digest of found) seen.push({ ...digest, plain: plain.get(digest.id) });
  }
  return { epochs, digests, seen };
}

/** Whether a later proposal of the same text, with nothing said of it, leaves no row of its own. */
const isPlain = ({ is_revisit, origin, parents, params, prompt }: Row<"candidates">): boolean =>
  is_revisit === 1 &&
  origin === PLAIN_ORIGIN &&
  parents === "[]" &&
  params === null &&
  prompt === null;

function digestsOf(source: Source, row: Row<"epochs">) {
  const digests = unpackDigests(row.digests, row.first_visit, row.visits);
  if (digests !== undefined) return digests;
  const { file } = source.database;
  throw damage(file, "json", "epochs", [row.round, row.slot], "its digests are none");
}
