/**
 * The writer of an archive: a thread of its own, so that no fit waits for a disk.
 *
 * It opens the file once, holds its lock, and turns each entry of the journal into one transaction.
 * The answer goes out after the commit, in the order of the entries.
 */

import { existsSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import { NdvmError } from "@ndvm/core";
import { type Database, openDatabase, type Statement, type Value } from "./driver.js";
import { type Lock, takeLock } from "./lock.js";
import type { FromWriter, ToWriter, WriterStart } from "./messages.js";
import { otherFormat } from "./reader.js";
import { type PackedRows, unpackRows } from "./rows.js";
import { BULK, BULK_TABLES, type BulkTable, SCHEMA, SCHEMA_VERSION } from "./schema.js";

/** Rows that one statement inserts: fewer calls of the driver. */
const ROWS_AT_ONCE = 32;

class Inserter {
  readonly #table: BulkTable;
  readonly #one: Statement;
  readonly #many: Statement;

  constructor(database: Database, table: BulkTable) {
    this.#table = table;
    const columns = BULK[table];
    const row = `(${columns.map(() => "?").join(", ")})`;
    const into = `INSERT INTO ${table} (${columns.join(", ")}) VALUES `;
    this.#one = database.prepare(into + row);
    this.#many = database.prepare(into + Array(ROWS_AT_ONCE).fill(row).join(", "));
  }

  insert(rows: PackedRows): void {
    unpackRows(this.#table, rows, ROWS_AT_ONCE, (values, count) => {
      if (count === ROWS_AT_ONCE) this.#many.run(values);
      else this.#each(values, values.length / count);
    });
  }

  #each(values: readonly Value[], width: number): void {
    for (let at = 0; at < values.length; at += width) this.#one.run(values.slice(at, at + width));
  }
}

class Writer {
  readonly #lock: Lock;
  readonly #database: Database;
  readonly #inserters: Readonly<Record<BulkTable, Inserter>>;
  readonly #run: number;
  readonly #event: Statement;
  readonly #state: Statement;
  readonly #proposer: Statement;
  readonly #interval: Statement;

  constructor(start: WriterStart) {
    this.#lock = takeLock(start.file);
    let database: Database | undefined;
    try {
      if (existsSync(start.file) && !start.mayResume) throw taken(start.file);
      database = openDatabase(start.file);
      database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
      this.#database = database;
      this.#run = this.#prepare(start);
    } catch (error) {
      database?.close();
      this.#lock.release();
      throw error;
    }
    this.#inserters = Object.fromEntries(
      BULK_TABLES.map((table) => [table, new Inserter(database, table)]),
    ) as Record<BulkTable, Inserter>;
    this.#event = database.prepare("INSERT INTO events (run, at, type, body) VALUES (?, ?, ?, ?)");
    this.#state = database.prepare("INSERT OR REPLACE INTO state (one, state) VALUES (1, ?)");
    this.#proposer = database.prepare("INSERT OR REPLACE INTO proposers VALUES (?, ?, ?)");
    this.#interval = database.prepare("INSERT OR REPLACE INTO intervals VALUES (?, ?)");
  }

  /** Makes the tables, or finds the study that is wanted in them. The number of this run. */
  #prepare({ file, study, seeds, versions, workers, budget, command }: WriterStart): number {
    const database = this.#database;
    database.exec("BEGIN IMMEDIATE");
    const tables = database.all("SELECT name FROM sqlite_schema WHERE name = 'study'");
    if (tables.length === 0) {
      if (database.all("SELECT name FROM sqlite_schema").length > 0) throw foreign(file);
      database.exec(SCHEMA);
      database.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`);
      const put = database.prepare("INSERT INTO study VALUES (?, ?)");
      for (const [key, value] of Object.entries(study)) put.run([key, value]);
      const seed = database.prepare("INSERT INTO seeds VALUES (?, ?)");
      for (const [name, value] of Object.entries(seeds)) seed.run([name, value]);
    } else this.#compare(file, study);
    const [last] = database.all<{ run: number | null }>("SELECT max(run) AS run FROM runs");
    const [from] = database.all<{ n: number | null }>(
      "SELECT state ->> 'nextVisit' AS n FROM state",
    );
    const run = (last?.run ?? 0) + 1;
    const started = new Date().toISOString();
    database
      .prepare("INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?)")
      .run([run, started, from?.n ?? 0, workers, budget, command]);
    const version = database.prepare("INSERT INTO versions VALUES (?, ?, ?)");
    for (const [name, value] of Object.entries(versions)) version.run([run, name, value]);
    database.exec("COMMIT");
    return run;
  }

  #compare(file: string, study: Readonly<Record<string, string>>): void {
    const [version] = this.#database.all<{ user_version: number }>("PRAGMA user_version");
    if (version?.user_version !== SCHEMA_VERSION) throw otherFormat(file, version?.user_version);
    const kept = this.#database.all<{ key: string; value: string }>("SELECT * FROM study");
    for (const [key, value] of Object.entries(study)) {
      const before = kept.find((row) => row.key === key)?.value;
      if (before !== value) throw otherStudy(file, key, before, value);
    }
  }

  commit(message: Extract<ToWriter, { readonly type: "commit" }>): void {
    const database = this.#database;
    database.exec("BEGIN IMMEDIATE");
    for (const [prompt, text] of message.prompts)
      database.prepare("INSERT OR IGNORE INTO prompts VALUES (?, ?)").run([prompt, text]);
    for (const table of BULK_TABLES) this.#inserters[table].insert(message.rows[table]);
    for (const [at, type, body] of message.events) this.#event.run([this.#run, at, type, body]);
    for (const [visit, text] of message.intervals) this.#interval.run([visit, text]);
    this.#state.run([message.state]);
    for (const [place, [name, state]] of message.proposers.entries())
      this.#proposer.run([place, name, state]);
    database.exec("COMMIT");
  }

  /** At rest an archive is one file: without readers it leaves its write-ahead log. */
  close(): void {
    try {
      this.#database.exec("PRAGMA busy_timeout = 0; PRAGMA journal_mode = DELETE");
    } catch {
      // Someone reads: the log stays, and is as good.
    }
    this.#database.close();
    this.#lock.release();
  }
}

const taken = (file: string): NdvmError =>
  new NdvmError("E-ARCHIVE", `${file} exists`, {
    help: "resume the study in it (resume: true, --resume), or write to another file",
  });

const foreign = (file: string): NdvmError =>
  new NdvmError("E-ARCHIVE", `${file} is a database of something else`, {
    help: "write to another file",
  });

function otherStudy(file: string, key: string, before = "nothing", now = ""): NdvmError {
  const shown = (text: string) => (text.length > 60 ? `${text.slice(0, 60)} …` : text);
  return new NdvmError(
    "E-ARCHIVE",
    `${file} holds another study: its ${key} is ${shown(before)}, not ${shown(now)}`,
    { help: "resume with the same data, options and seed, or write to another file" },
  );
}

/** An error as a message can carry it. */
function plain(error: unknown): FromWriter {
  const { message } = error as Error;
  if (!(error instanceof NdvmError)) return { type: "failed", code: "E-ARCHIVE", message };
  const { code, help } = error;
  return { type: "failed", code, message, ...(help === undefined ? {} : { help }) };
}

const port = parentPort;
if (port === null) throw new Error("a writer is started by an archive");
const answer = (message: FromWriter): void => port.postMessage(message);

try {
  const writer = new Writer(workerData as WriterStart);
  port.on("message", (message: ToWriter) => {
    try {
      if (message.type === "commit") {
        writer.commit(message);
        answer({ type: "committed", serial: message.serial });
      } else {
        writer.close();
        answer({ type: "closed" });
        port.close();
      }
    } catch (error) {
      answer(plain(error));
    }
  });
  answer({ type: "open" });
} catch (error) {
  answer(plain(error));
  port.close();
}
