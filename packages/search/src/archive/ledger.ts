/**
 * The ledger: how many rows each table has, in the second row of `state`. A checksum tells that a row
 * was changed; the ledger tells that one is gone, which a flipped bit in the head of a page can do.
 */

import { recordOf } from "@ndvm/core";
import type { Database, Value } from "./driver.js";
import { TABLE_NAMES, type Table } from "./schema.js";

/** The keys of the rows of `state`. */
export const STATE_ROW = 1;
export const LEDGER_ROW = 2;

export interface Ledger {
  readonly rows: Readonly<Partial<Record<Table, number>>>;
  /** Present: what was salvaged, and why the study cannot be resumed. */
  readonly salvaged?: { readonly canResume: boolean };
}

/** Counts rows as they are written. */
export class LedgerWriter {
  readonly #counts = new Map<Table, number>();

  constructor(database: Database) {
    for (const table of TABLE_NAMES) this.recount(database, table);
  }

  add(table: Table, rows: number): void {
    this.#counts.set(table, (this.#counts.get(table) ?? 0) + rows);
  }

  /** Looks how many there are, where rows were replaced or deleted. */
  recount(database: Database, table: Table): void {
    const count = database.all(`SELECT count(*) FROM ${table}`)[0]?.[0];
    this.#counts.set(table, Number(count));
  }

  /** The values of the ledger's row. `state` has both of its rows, or this one alone. */
  row(stateRows: number, more: Omit<Ledger, "rows"> = {}): readonly Value[] {
    this.#counts.set("state", stateRows);
    return [LEDGER_ROW, JSON.stringify({ rows: recordOf(this.#counts), ...more })];
  }
}
