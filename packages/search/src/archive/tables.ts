/**
 * Making an archive's tables, and writing single rows with their checksums.
 */

import { checksumOf } from "./checksum.js";
import type { Database, Statement, Value } from "./driver.js";
import { storable } from "./rows.js";
import { COLUMNS, SCHEMA_VERSION, STATEMENTS, type Table } from "./schema.js";

/** Bytes of a page: all statements that make tables fit into the first one (mend.ts relies on it). */
export const PAGE_BYTES = 8192;

/** Of a file that is empty, before anything is written to it. */
export function setPageSize(database: Database): void {
  database.exec(`PRAGMA page_size = ${PAGE_BYTES}`);
}

export function makeTables(database: Database): void {
  for (const statement of STATEMENTS) database.exec(statement);
  database.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`);
}

type Verb = "INSERT" | "INSERT OR IGNORE" | "INSERT OR REPLACE";

export class RowWriter {
  readonly #database: Database;
  readonly #statements = new Map<string, Statement>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** Values are in the order of the columns. */
  insert(table: Table, values: readonly Value[]): void {
    this.#write("INSERT", table, values);
  }

  insertOnce(table: Table, values: readonly Value[]): void {
    this.#write("INSERT OR IGNORE", table, values);
  }

  replace(table: Table, values: readonly Value[]): void {
    this.#write("INSERT OR REPLACE", table, values);
  }

  #write(verb: Verb, table: Table, values: readonly Value[]): void {
    const sql = `${verb} INTO ${table} VALUES (${COLUMNS[table].map(() => "?").join(", ")}, ?)`;
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare(sql);
      this.#statements.set(sql, statement);
    }
    const row = values.map((value) => (typeof value === "number" ? storable(value) : value));
    statement.run([...row, checksumOf(table, row)]);
  }
}
