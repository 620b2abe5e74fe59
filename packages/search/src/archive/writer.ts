/**
 * The writer of an archive: a thread of its own, so that no fit waits for a disk.
 *
 * It opens the file once, holds its lock, and turns each entry of the journal into one transaction.
 * The answer goes out after the commit, in the order of the entries.
 */

import { existsSync, statSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import { fileWord, NdvmError, recordOf } from "@ndvm/core";
import { readLedger, readRows, tableDamage } from "./checked-rows.js";
import { type Database, openDatabase, type Statement, type Value } from "./driver.js";
import { checkHead, otherFormat, requireOrdinary } from "./head.js";
import { LedgerWriter, STATE_ROW } from "./ledger.js";
import { leftoverOf, requireNoLog } from "./leftovers.js";
import { type Lock, takeLock } from "./lock.js";
import type { FromWriter, ToWriter, WriterStart } from "./messages.js";
import { isBreedingOption } from "./options.js";
import { checkSchema, formatOf, openForReading } from "./reader.js";
import { type PackedRows, unpackRows } from "./rows.js";
import { BULK_TABLES, type BulkTable, COLUMNS, SCHEMA_VERSION, TABLE_NAMES } from "./schema.js";
import { readState } from "./state.js";
import { makeTables, RowWriter, setPageSize } from "./tables.js";

/** Rows that one statement inserts: fewer calls of the driver. */
const ROWS_AT_ONCE = 32;

class Inserter {
  readonly #table: BulkTable;
  readonly #one: Statement;
  readonly #many: Statement;

  constructor(database: Database, table: BulkTable) {
    this.#table = table;
    const columns = [...COLUMNS[table].map(({ name }) => name), "checksum"];
    const row = `(${columns.map(() => "?").join(", ")})`;
    const into = `INSERT INTO ${table} (${columns.join(", ")}) VALUES `;
    this.#one = database.prepare(into + row);
    this.#many = database.prepare(into + Array(ROWS_AT_ONCE).fill(row).join(", "));
  }

  /** Gives back how many they were. */
  insert(rows: PackedRows): number {
    return unpackRows(this.#table, rows, ROWS_AT_ONCE, (values, count) => {
      if (count === ROWS_AT_ONCE) this.#many.run(values);
      else this.#each(values, values.length / count);
    });
  }

  #each(values: readonly Value[], width: number): void {
    for (let at = 0; at < values.length; at += width) this.#one.run(values.slice(at, at + width));
  }
}

/** What a run has once it writes: its number, and how many rows there are. */
interface Run {
  readonly run: number;
  readonly ledger: LedgerWriter;
}

class Writer {
  readonly #start: WriterStart;
  readonly #started = new Date().toISOString();
  readonly #lock: Lock;
  readonly #database: Database;
  readonly #inserters: Readonly<Record<BulkTable, Inserter>>;
  readonly #rows: RowWriter;
  readonly #drop: Statement;
  /** In a file that has a study already, begun by the first commit: until then it may be refused. */
  #begun: Run | undefined;
  #event: number;
  #isClosed = false;

  constructor(start: WriterStart) {
    this.#start = start;
    if (existsSync(start.file)) {
      if (!start.mayResume) throw taken(start.file);
      // Before anything is opened, and so before anything is changed.
      requireOrdinary(start.file);
      if (statSync(start.file).size > 0) requireOwnLeftovers(start.file);
    }
    this.#lock = takeLock(start.file);
    let database: Database | undefined;
    try {
      database = openDatabase(start.file);
      this.#database = database;
      this.#rows = new RowWriter(database);
      // A search that was killed at once leaves a file without tables.
      const isEmpty = numberOf(database, "SELECT count(*) FROM sqlite_schema") === 0;
      if (isEmpty) this.#make();
      else {
        checkIntact(database);
        this.#compare(start.file, start.study);
      }
    } catch (error) {
      database?.close();
      this.#lock.release();
      throw error;
    }
    this.#inserters = recordOf(
      BULK_TABLES.map((table) => [table, new Inserter(database, table)]),
    ) as Record<BulkTable, Inserter>;
    this.#drop = database.prepare("DELETE FROM pending WHERE round = ? AND slot = ?");
    this.#event = numberOf(database, "SELECT max(event) FROM events");
  }

  /** Makes the tables and the study in them, in one transaction. */
  #make(): void {
    const database = this.#database;
    const { study, seeds } = this.#start;
    setPageSize(database);
    database.exec(LOGGED);
    database.exec("BEGIN IMMEDIATE");
    makeTables(database);
    for (const [key, value] of Object.entries(study)) this.#rows.insert("study", [key, value]);
    for (const [name, value] of Object.entries(seeds)) this.#rows.insert("seeds", [name, value]);
    this.#begun = this.#begin();
    database.exec("COMMIT");
  }

  /** Adds this run, inside a transaction. */
  #begin(): Run {
    const { versions, workers, budget, command } = this.#start;
    const database = this.#database;
    const rows = this.#rows;
    const run = numberOf(database, "SELECT max(run) FROM runs") + 1;
    const state = readState({ database, format: SCHEMA_VERSION });
    rows.insert("runs", [run, this.#started, state?.nextVisit ?? 0, workers, budget, command]);
    for (const [name, value] of Object.entries(versions))
      rows.insert("versions", [run, name, value]);
    const ledger = new LedgerWriter(database);
    rows.replace("state", ledger.row(state === undefined ? 1 : 2));
    return { run, ledger };
  }

  #compare(file: string, study: Readonly<Record<string, string>>): void {
    const source = { database: this.#database, format: SCHEMA_VERSION };
    const kept = new Map([...readRows(source, "study")].map(({ key, value }) => [key, value]));
    for (const [key, value] of Object.entries(study)) {
      const before = kept.get(key);
      if (before === undefined && isBreedingOption(key)) continue;
      if (before !== value) throw otherStudy(file, key, before, value);
    }
  }

  commit(message: Extract<ToWriter, { readonly type: "commit" }>): void {
    const database = this.#database;
    const rows = this.#rows;
    if (this.#begun === undefined) database.exec(LOGGED);
    database.exec("BEGIN IMMEDIATE");
    this.#begun ??= this.#begin();
    const { run, ledger } = this.#begun;
    for (const prompt of message.prompts) rows.insertOnce("prompts", prompt);
    for (const table of BULK_TABLES)
      ledger.add(table, this.#inserters[table].insert(message.rows[table]));
    for (const [at, type, body] of message.events) {
      this.#event += 1;
      rows.insert("events", [this.#event, run, at, type, body]);
      ledger.add("events", 1);
    }
    for (const member of message.members) rows.replace("members", member);
    for (const key of message.dropped) this.#drop.run(key);
    for (const pending of message.pending) rows.replace("pending", pending);
    rows.replace("state", [STATE_ROW, message.state]);
    for (const [place, [name, state]] of message.proposers.entries())
      rows.replace("proposers", [place, name, state]);
    if (message.prompts.length > 0) ledger.recount(database, "prompts");
    if (message.members.length > 0) ledger.recount(database, "members");
    for (const table of ["pending", "proposers"] as const) ledger.recount(database, table);
    rows.replace("state", ledger.row(2));
    database.exec("COMMIT");
  }

  /** At rest an archive is one file: without readers it leaves its write-ahead log. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    try {
      this.#database.exec("PRAGMA busy_timeout = 0; PRAGMA journal_mode = DELETE");
    } catch {
      // Someone reads, or the disk is full: the log stays, and is as good.
    }
    this.#database.close();
    this.#lock.release();
  }
}

/** How an archive is written: transactions go to a log first. */
const LOGGED = "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL";

/**
 * Goes through a file that is to be written to. New rows on damaged pages would spoil more, and a new
 * count of the rows would hide that some are gone.
 */
function checkIntact(database: Database): void {
  const format = formatOf(database);
  checkSchema({ database, format });
  if (format !== SCHEMA_VERSION) throw otherFormat(database.file, format);
  checkPages(database);
  const { rows } = readLedger({ database, format });
  for (const table of TABLE_NAMES) {
    const count = numberOf(database, `SELECT count(*) FROM ${table}`);
    if (count !== rows[table])
      throw tableDamage(database.file, table, `it had ${rows[table]} rows and has ${count}`);
  }
}

/** What SQLite would apply to the file must leave it intact: it is tried on a copy. */
function requireOwnLeftovers(file: string): void {
  requireNoLog(file);
  if (leftoverOf(file) === undefined) {
    checkHead(file);
    return;
  }
  const { database } = openForReading(file);
  try {
    checkIntact(database);
  } finally {
    database.close();
  }
}

function checkPages(database: Database): void {
  const [first] = database.all("SELECT CAST(quick_check AS BLOB) FROM pragma_quick_check(1)");
  if (String(first?.[0]) === "ok") return;
  throw new NdvmError("E-ARCHIVE", `${database.file} is damaged and cannot be gone on with`, {
    help: `ndvm archive check ${fileWord(database.file)} says what is intact, ndvm archive salvage keeps it`,
    facts: { reason: "page", actual: String(first?.[0]) },
  });
}

/** A number of a query's only cell; 0 where it is null. */
function numberOf(database: Database, sql: string): number {
  const cell = database.all(sql)[0]?.[0];
  return typeof cell === "number" ? cell : 0;
}

const taken = (file: string): NdvmError =>
  new NdvmError("E-ARCHIVE", `${file} exists`, {
    help: "resume the study in it (resume: true, --resume), or write to another file",
    facts: { reason: "exists" },
  });

function otherStudy(file: string, key: string, before = "nothing", now = ""): NdvmError {
  const shown = (text: string) => (text.length > 60 ? `${text.slice(0, 60)} …` : text);
  return new NdvmError(
    "E-ARCHIVE",
    `${file} holds another study: its ${key} is ${shown(before)}, not ${shown(now)}`,
    {
      help: "resume with the same data, options and seed, or write to another file",
      facts: { reason: "study", option: key },
    },
  );
}

/** An error as a message can carry it. */
function plain(error: unknown): FromWriter {
  const { message } = error as Error;
  if (!(error instanceof NdvmError)) return { type: "failed", code: "E-ARCHIVE", message };
  const { code, help, facts } = error;
  return { type: "failed", code, message, facts, ...(help === undefined ? {} : { help }) };
}

const port = parentPort;
if (port === null) throw new Error("a writer is started by an archive");
const answer = (message: FromWriter): void => port.postMessage(message);
const start = workerData as WriterStart;

/** Nothing is written any more: tells whoever waits for it, asleep or not. */
function end(message: FromWriter): void {
  Atomics.store(start.closed, 0, 1);
  Atomics.notify(start.closed, 0);
  answer(message);
  port?.close();
}

try {
  const writer = new Writer(start);
  port.on("message", (message: ToWriter) => {
    try {
      if (message.type === "commit") {
        writer.commit(message);
        answer({ type: "committed", serial: message.serial });
      } else {
        writer.close();
        end({ type: "closed" });
      }
    } catch (error) {
      // What was begun and not committed goes with the connection.
      writer.close();
      end(plain(error));
    }
  });
  answer({ type: "open" });
} catch (error) {
  end(plain(error));
}
