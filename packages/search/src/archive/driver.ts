/**
 * The SQLite driver, behind the few calls that archives make. Changing the driver changes this file.
 */

import { NdvmError } from "@ndvm/core";
import Sqlite from "libsql";

export type Value = number | string | null;

export interface Statement {
  run(values: readonly Value[]): void;
}

export interface Database {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  /** Rows as objects. */
  all<Row>(sql: string, ...values: readonly Value[]): readonly Row[];
  iterate<Row>(sql: string, ...values: readonly Value[]): Iterable<Row>;
  close(): void;
}

/** Milliseconds that a reader waits for another process to finish with the file. */
const PATIENCE = 5000;

export function openDatabase(file: string, options: { readonly timeout?: number } = {}): Database {
  const database = guard(file, () => new Sqlite(file, { timeout: options.timeout ?? PATIENCE }));
  function* rowsOf(sql: string, values: readonly Value[]): Generator<unknown> {
    const rows = guard(file, () => database.prepare(sql).iterate([...values]));
    for (;;) {
      const { value, done } = guard(file, () => rows.next());
      if (done) return;
      yield value;
    }
  }
  return {
    exec: (sql) => guard(file, () => void database.exec(sql)),
    prepare: (sql) => {
      const statement = guard(file, () => database.prepare(sql));
      return { run: (values) => guard(file, () => void statement.run(values as unknown[])) };
    },
    all: <Row>(sql: string, ...values: readonly Value[]) => [
      ...(rowsOf(sql, values) as Iterable<Row>),
    ],
    iterate: <Row>(sql: string, ...values: readonly Value[]) =>
      rowsOf(sql, values) as Iterable<Row>,
    close: () => void database.close(),
  };
}

/** Whether an error of the driver says that another connection has the file. */
export const isBusy = (error: unknown): boolean =>
  error instanceof NdvmError && error.message.includes("SQLITE_BUSY");

function guard<T>(file: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    throw new NdvmError("E-ARCHIVE", `${file}: ${message} (${code ?? "no code"})`, {
      help: "an archive is a file that ndvm search has written, on a disk with room for it",
    });
  }
}
