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

/** A whole number, a number or words; with a question mark it may be null. */
type Kind = "whole" | "whole?" | "real" | "real?" | "text" | "text?";

interface Shape {
  readonly key: readonly string[];
  readonly columns: Readonly<Record<string, Kind>>;
}

export const TABLES = {
  study: { key: ["key"], columns: { key: "text", value: "text" } },
  runs: {
    key: ["run"],
    columns: {
      run: "whole",
      started: "text",
      resumed_from: "whole",
      workers: "whole",
      budget: "text",
      command: "text",
    },
  },
  versions: { key: ["run", "name"], columns: { run: "whole", name: "text", version: "text" } },
  seeds: { key: ["name"], columns: { name: "text", seed: "whole" } },
  prompts: { key: ["prompt"], columns: { prompt: "whole", text: "text" } },
  epochs: {
    key: ["round", "slot"],
    columns: {
      round: "whole",
      slot: "whole",
      proposer: "text",
      first_visit: "whole",
      visits: "whole",
      candidates: "text?",
      front: "text",
      fits_most: "whole",
      counts: "text",
      digests: "text",
    },
  },
  candidates: {
    key: ["id"],
    columns: {
      id: "whole",
      round: "whole",
      slot: "whole",
      proposer: "text",
      origin: "text",
      source: "text",
      skeleton: "text",
      complexity: "whole",
      parents: "text",
      params: "text?",
      prompt: "whole?",
      duplicate_of: "whole?",
      is_revisit: "whole",
    },
  },
  revisits: {
    key: ["visit"],
    columns: {
      visit: "whole",
      candidate: "whole",
      origin: "text",
      source: "text",
      skeleton: "text?",
      complexity: "whole?",
      parents: "text",
      params: "text?",
      prompt: "whole?",
    },
  },
  fits: {
    key: ["visit", "rung"],
    columns: {
      visit: "whole",
      rung: "whole",
      candidate: "whole",
      restarts: "whole",
      loss: "real?",
      train_r2: "real?",
      r2: "real?",
      bic: "real?",
      params: "text?",
      seconds: "real",
      visit_rung: "whole?",
      visit_fits: "whole?",
    },
  },
  failures: {
    key: ["visit"],
    columns: {
      visit: "whole",
      candidate: "whole",
      fits: "whole",
      stage: "text",
      code: "text",
      message: "text",
      facts: "text?",
    },
  },
  members: {
    key: ["visit"],
    columns: {
      visit: "whole",
      length: "real?",
      parts: "text?",
      params: "text?",
      intervals: "text?",
      undetermined: "text?",
      simple: "text?",
      hidden: "real?",
      source: "text?",
      complexity: "whole?",
      scores: "text?",
      twin_of: "whole?",
    },
  },
  timings: {
    key: ["round", "slot", "rung", "worker"],
    columns: {
      round: "whole",
      slot: "whole",
      rung: "whole",
      worker: "whole",
      visits: "whole",
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
    columns: { event: "whole", run: "whole", at: "real", type: "text", body: "text" },
  },
  state: { key: ["one"], columns: { one: "whole", state: "text" } },
  proposers: { key: ["place"], columns: { place: "whole", name: "text", state: "text" } },
  pending: { key: ["round", "slot"], columns: { round: "whole", slot: "whole", body: "text" } },
} as const satisfies Readonly<Record<string, Shape>>;

export type Table = keyof typeof TABLES;
export const TABLE_NAMES = Object.keys(TABLES) as readonly Table[];

interface ValueOf {
  whole: number;
  "whole?": number | null;
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
  readonly isWhole: boolean;
  readonly mayBeNull: boolean;
}

/** The columns of each table in their order, without the checksum. */
export const COLUMNS = recordOf(
  TABLE_NAMES.map((table) => [
    table,
    Object.entries(TABLES[table].columns).map(([name, kind]: [string, Kind]) => ({
      name,
      isText: kind.startsWith("text"),
      isWhole: kind.startsWith("whole"),
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
  const isRowId = key.length === 1 && first?.isWhole === true;
  const parts = columns.map(({ name, isText, isWhole, mayBeNull }) => {
    const type = isText ? "TEXT" : isWhole ? "INTEGER" : "REAL";
    const isKey = isRowId && name === key[0];
    return `${name} ${type}${isKey ? " PRIMARY KEY" : mayBeNull ? "" : " NOT NULL"}`;
  });
  parts.push("checksum INTEGER NOT NULL");
  if (isRowId) return `CREATE TABLE ${table} (${parts.join(", ")})`;
  parts.push(`PRIMARY KEY (${key.join(", ")})`);
  return `CREATE TABLE ${table} (${parts.join(", ")}) WITHOUT ROWID`;
}
