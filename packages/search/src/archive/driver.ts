/**
 * The SQLite driver, behind the few calls that archives make. Changing the driver changes this file.
 *
 * The driver ends the process where a column holds text that is no UTF-8, and any column of a damaged
 * file can. So no query that reads a user's file may give text back: `checked-rows.ts` asks for bytes.
 */

import { resolve } from "node:path";
import { fileWord, NdvmError } from "@ndvm/core";
import Sqlite from "libsql";

export type Value = number | string | null;

/** What a cell of a result is; texts come as bytes where the query says so. */
export type Cell = Value | Uint8Array;

export interface Statement {
  run(values: readonly Value[]): void;
}

export interface Database {
  readonly file: string;
  exec(sql: string): void;
  prepare(sql: string): Statement;
  /** Rows, each as its cells in order. */
  all(sql: string, ...values: readonly Value[]): readonly (readonly Cell[])[];
  iterate(sql: string, ...values: readonly Value[]): Generator<readonly Cell[]>;
  close(): void;
}

/** Milliseconds that a reader waits for another process to finish with the file. */
const PATIENCE = 5000;

export interface OpenOptions {
  readonly timeout?: number;
  /** The user's file that this one is a copy of: errors name it. */
  readonly copyOf?: string;
}

export function openDatabase(path: string, options: OpenOptions = {}): Database {
  const { timeout = PATIENCE, copyOf: file = path } = options;
  // A name alone may mean something else to the driver: memory, or an address in a network.
  const database = connect(resolve(path), file, timeout);
  function* rowsOf(sql: string, values: readonly Value[]): Generator<readonly Cell[]> {
    const rows = guard(file, () =>
      database
        .prepare(sql)
        .raw()
        .iterate(values as unknown[]),
    );
    for (;;) {
      const { value, done } = guard(file, () => rows.next());
      if (done) return;
      yield value as readonly Cell[];
    }
  }
  return {
    file,
    exec: (sql) => guard(file, () => void database.exec(sql)),
    prepare: (sql) => {
      const statement = guard(file, () => database.prepare(sql));
      return { run: (values) => guard(file, () => void statement.run(values as unknown[])) };
    },
    all: (sql, ...values) => [...rowsOf(sql, values)],
    iterate: (sql, ...values) => rowsOf(sql, values),
    close: () => void database.close(),
  };
}

/** The driver says no more than that it cannot: the file or its folder must be looked at. */
function connect(path: string, file: string, timeout: number) {
  try {
    return new Sqlite(path, { timeout });
  } catch (error) {
    const { code = "" } = error as { code?: string };
    throw new NdvmError("E-ARCHIVE", `${file} cannot be opened, or made`, {
      help: "it must be a file, in a folder that you may write to, on a disk with room for it",
      facts: { actual: code },
    });
  }
}

/** Whether an error of the driver says that another connection has the file. */
export const isBusy = (error: unknown): boolean =>
  error instanceof NdvmError && error.facts.reason === "busy";

/** What SQLite says of a file that is not what it should be. */
const DAMAGE = /^SQLITE_(?:CORRUPT|NOTADB|FORMAT|ERROR)/;

function guard<T>(file: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    const { code = "no code", message } = error as { code?: string; message: string };
    const reason = code.startsWith("SQLITE_BUSY") ? "busy" : DAMAGE.test(code) ? "page" : undefined;
    throw new NdvmError("E-ARCHIVE", `${file}: ${message} (${code})`, {
      help: helpFor(reason, file),
      facts: { ...(reason === undefined ? {} : { reason }), actual: code },
    });
  }
}

function helpFor(reason: "busy" | "page" | undefined, file: string): string {
  if (reason === "page")
    return `ndvm archive check ${fileWord(file)} says what is intact, ndvm archive salvage keeps it`;
  if (reason === "busy") return "another process has it: wait until that one is done";
  return "an archive is a file that ndvm search has written, on a disk with room for it";
}
