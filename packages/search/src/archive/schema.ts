/**
 * The tables of an archive, declared once: their columns in the order in which rows are written and
 * checked, the kinds of these columns, and the keys.
 *
 * Rows are added and never changed, but for the tables that say where the study stands (`state`,
 * `proposers`, `pending`). Parameters are JSON text, so that their bits survive; numbers that are not
 * finite are null. Every row ends with a checksum (checksum.ts).
 *
 * `visit` numbers proposals, `id` and `candidate` are the visit at which a program was first seen.
 * `revisits` has the later visits whose proposal is not word for word the first one.
 *
 * A short fit takes some ten microseconds, and a row takes one or two: so a visit has one row for
 * each of its rungs and no more. The row of the best rung says in `visit_rung` and `visit_fits` which
 * rung the visit reached and how many fits it took. What the seconds of a fit were spent on is summed
 * over an epoch. Seeds of fits follow from the study's (seeds.ts).
 */

import { recordOf } from "@ndvm/core";

export const SCHEMA_VERSION = 3;

/** An integer, a number or words; with a question mark it may be null. */
type Kind = "integer" | "integer?" | "real" | "real?" | "text" | "text?";

interface Shape {
  readonly key: readonly string[];
  readonly columns: Readonly<Record<string, Kind>>;
}

export const TABLES = {
  study: { key: ["key"], columns: { key: "text", value: "text" } },
  runs: {
    key: ["run"],
    columns: {
      run: "integer",
      started: "text",
      resumed_from: "integer",
      workers: "integer",
      budget: "text",
      command: "text",
    },
  },
  versions: { key: ["run", "name"], columns: { run: "integer", name: "text", version: "text" } },
  seeds: { key: ["name"], columns: { name: "text", seed: "integer" } },
  prompts: { key: ["prompt"], columns: { prompt: "integer", text: "text" } },
  epochs: {
    key: ["round", "slot"],
    columns: {
      round: "integer",
      slot: "integer",
      proposer: "text",
      first_visit: "integer",
      visits: "integer",
      candidates: "text?",
      front: "text",
      fits_most: "integer",
      counts: "text",
      digests: "text",
    },
  },
  candidates: {
    key: ["id"],
    columns: {
      id: "integer",
      round: "integer",
      slot: "integer",
      proposer: "text",
      origin: "text",
      source: "text",
      skeleton: "text",
      complexity: "integer",
      parents: "text",
      params: "text?",
      prompt: "integer?",
      duplicate_of: "integer?",
      is_revisit: "integer",
    },
  },
  revisits: {
    key: ["visit"],
    columns: {
      visit: "integer",
      candidate: "integer",
      origin: "text",
      source: "text",
      skeleton: "text?",
      complexity: "integer?",
      parents: "text",
      params: "text?",
      prompt: "integer?",
    },
  },
  fits: {
    key: ["visit", "rung"],
    columns: {
      visit: "integer",
      rung: "integer",
      candidate: "integer",
      restarts: "integer",
      loss: "real?",
      train_r2: "real?",
      r2: "real?",
      bic: "real?",
      params: "text?",
      seconds: "real",
      visit_rung: "integer?",
      visit_fits: "integer?",
    },
  },
  failures: {
    key: ["visit"],
    columns: {
      visit: "integer",
      candidate: "integer",
      fits: "integer",
      stage: "text",
      code: "text",
      message: "text",
      facts: "text?",
    },
  },
  members: {
    key: ["visit"],
    columns: {
      visit: "integer",
      length: "real?",
      parts: "text?",
      params: "text?",
      intervals: "text?",
      undetermined: "text?",
      simple: "text?",
      hidden: "real?",
      source: "text?",
      complexity: "integer?",
      scores: "text?",
      twin_of: "integer?",
    },
  },
  timings: {
    key: ["round", "slot", "rung", "worker"],
    columns: {
      round: "integer",
      slot: "integer",
      rung: "integer",
      worker: "integer",
      visits: "integer",
      screen: "real",
      walk: "real",
      replay: "real",
      fit: "real",
      score: "real",
      at: "real",
    },
  },
  events: {
    key: ["event"],
    columns: { event: "integer", run: "integer", at: "real", type: "text", body: "text" },
  },
  state: { key: ["one"], columns: { one: "integer", state: "text" } },
  proposers: { key: ["place"], columns: { place: "integer", name: "text", state: "text" } },
  pending: { key: ["round", "slot"], columns: { round: "integer", slot: "integer", body: "text" } },
} as const satisfies Readonly<Record<string, Shape>>;

export type Table = keyof typeof TABLES;
export const TABLE_NAMES = Object.keys(TABLES) as readonly Table[];

interface ValueOf {
  integer: number;
  "integer?": number | null;
  real: number;
  "real?": number | null;
  text: string;
  "text?": string | null;
}

/** A row of a table, as a reader gives it. */
export type Row<T extends Table> = {
  readonly [C in keyof (typeof TABLES)[T]["columns"]]: (typeof TABLES)[T]["columns"][C] extends Kind
    ? ValueOf[(typeof TABLES)[T]["columns"][C]]
    : never;
};

export interface Column {
  readonly name: string;
  readonly isText: boolean;
  readonly isInteger: boolean;
  readonly mayBeNull: boolean;
}

/** The columns of each table in their order, without the checksum. */
export const COLUMNS = recordOf(
  TABLE_NAMES.map((table) => [
    table,
    Object.entries(TABLES[table].columns).map(([name, kind]: [string, Kind]) => ({
      name,
      isText: kind.startsWith("text"),
      isInteger: kind.startsWith("integer"),
      mayBeNull: kind.endsWith("?"),
    })),
  ]),
) as unknown as Readonly<Record<Table, readonly Column[]>>;

/** Tables that grow with the study: rows come in bulk (rows.ts). */
export const BULK_TABLES = [
  "candidates",
  "revisits",
  "epochs",
  "fits",
  "failures",
  "timings",
] as const satisfies readonly Table[];
export type BulkTable = (typeof BULK_TABLES)[number];

/** Statements that make the tables, letter for letter as SQLite keeps them. */
export const STATEMENTS: readonly string[] = TABLE_NAMES.map(statementOf);

function statementOf(table: Table): string {
  const { key } = TABLES[table];
  const columns = COLUMNS[table];
  const [first] = columns.filter(({ name }) => name === key[0]);
  const isRowId = key.length === 1 && first?.isInteger === true;
  const parts = columns.map(({ name, isText, isInteger, mayBeNull }) => {
    const type = isText ? "TEXT" : isInteger ? "INTEGER" : "REAL";
    const isKey = isRowId && name === key[0];
    return `${name} ${type}${isKey ? " PRIMARY KEY" : mayBeNull ? "" : " NOT NULL"}`;
  });
  parts.push("checksum INTEGER NOT NULL");
  if (isRowId) return `CREATE TABLE ${table} (${parts.join(", ")})`;
  parts.push(`PRIMARY KEY (${key.join(", ")})`);
  return `CREATE TABLE ${table} (${parts.join(", ")}) WITHOUT ROWID`;
}
