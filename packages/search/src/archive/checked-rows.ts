/**
 * Reading rows that may be damaged: every cell's kind, every text's bytes and every row's checksum is
 * looked at before anybody sees the row.
 *
 * Text is read as bytes and made a string here: the driver ends the process over text that is no
 * UTF-8. Formats before 3 have no checksums; their tables are given the shape of today's
 * (earlier-formats.ts), so that nobody else knows of them.
 */

import { isUtf8 } from "node:buffer";
import { emptyRecord, fileWord, NdvmError } from "@ndvm/core";
import { isCount, type Shape } from "../shapes.js";
import { checksumOf } from "./checksum.js";
import type { Cell, Database, Value } from "./driver.js";
import { earlierTable } from "./earlier-formats.js";
import { LEDGER_ROW, type Ledger } from "./ledger.js";
import { isLedger, shapeOf } from "./row-shapes.js";
import { COLUMNS, type Row, SCHEMA_VERSION, TABLES, type Table } from "./schema.js";

/** What can be wrong with a row: `rows` are rows that are missing or too many. */
type DamageReason = "checksum" | "kind" | "text" | "json" | "rows";

/** A file that is open for reading, and the format that it has. */
export interface Source {
  readonly database: Database;
  readonly format: number;
}

export interface Selection {
  /** A condition over the table's columns, with values for its question marks. */
  readonly where?: string;
  readonly values?: readonly Value[];
  /** Default: the order of the key. */
  readonly order?: string;
  readonly limit?: number;
  /** Hears of rows that are damaged; they are left out. Without it they end the reading. */
  damaged?(error: NdvmError): void;
}

/**
 * Rows of a table, in the order of its key. Where all of them are asked for they are counted, too: a
 * reader of a file that is being written does that inside a transaction.
 */
export function* readRows<T extends Table>(
  source: Source,
  table: T,
  selection: Selection = {},
): Generator<Row<T>> {
  const { where, values = [], order, limit, damaged } = selection;
  const { sql, hasChecksum } = selectOf(source.format, table);
  const query =
    sql +
    (where === undefined ? "" : ` WHERE ${where}`) +
    ` ORDER BY ${order ?? TABLES[table].key.join(", ")}` +
    (limit === undefined ? "" : ` LIMIT ${limit}`);
  const isAll = where === undefined && limit === undefined && damaged === undefined;
  const expected = isAll && hasChecksum ? readLedger(source).rows[table] : undefined;
  let count = 0;
  for (const cells of source.database.iterate(query, ...values)) {
    count += 1;
    const row = rowOf(source.database.file, table, cells, hasChecksum);
    if (!(row instanceof NdvmError)) yield row as Row<T>;
    else if (damaged === undefined) throw row;
    else damaged(row);
  }
  if (expected !== undefined && expected !== count)
    throw tableDamage(source.database.file, table, `it had ${expected} rows and has ${count}`);
}

/** How many rows the tables have. */
export function readLedger(source: Source): Ledger {
  const row = readRow(source, "state", { where: "one = ?", values: [LEDGER_ROW] });
  if (row !== undefined) return parse(source, "state", row, "state", isLedger);
  throw damage(source.database.file, "rows", "state", [LEDGER_ROW], "it is missing");
}

/** The only row, or the first. */
export function readRow<T extends Table>(
  source: Source,
  table: T,
  selection: Selection = {},
): Row<T> | undefined {
  return [...readRows(source, table, { ...selection, limit: 1 })][0];
}

interface Select {
  readonly sql: string;
  readonly hasChecksum: boolean;
}

function selectOf(format: number, table: Table): Select {
  const hasChecksum = format >= SCHEMA_VERSION;
  const columns = COLUMNS[table].map(({ name, isText }) =>
    isText ? `CAST(${name} AS BLOB)` : `CASE typeof(${name}) WHEN 'text' THEN x'' ELSE ${name} END`,
  );
  if (hasChecksum) columns.push("CASE typeof(checksum) WHEN 'integer' THEN checksum ELSE -1 END");
  const from = hasChecksum ? table : earlierTable(format, table);
  return { sql: `SELECT ${columns.join(", ")} FROM ${from}`, hasChecksum };
}

/** A row whose cells are all right, or what is wrong with it. */
function rowOf(
  file: string,
  table: Table,
  cells: readonly Cell[],
  hasChecksum: boolean,
): Record<string, Value> | NdvmError {
  const columns = COLUMNS[table];
  const width = columns.length;
  const key = keyOf(table, cells);
  if (hasChecksum && cells[width] !== checksumOf(table, cells, 0, width))
    return damage(file, "checksum", table, key, "its checksum is not that of its values");
  const row: Record<string, Value> = emptyRecord();
  for (let i = 0; i < width; i++) {
    const { name, isText, isInteger, mayBeNull } = columns[i] as (typeof columns)[number];
    const cell = cells[i] as Cell;
    if (cell === null ? mayBeNull : isText ? isBytes(cell) : typeof cell === "number") {
      if (isInteger && cell !== null && !isCount(cell))
        return damage(file, "kind", table, key, `its ${name} is not a whole number from 0`);
      if (!isInteger && typeof cell === "number" && !Number.isFinite(cell))
        return damage(file, "kind", table, key, `its ${name} is not finite`);
      if (isBytes(cell) && !isUtf8(cell))
        return damage(file, "text", table, key, `its ${name} is not UTF-8 text`);
      row[name] = isBytes(cell) ? utf8(cell) : cell;
    } else return damage(file, "kind", table, key, `its ${name} is ${kindOf(cell)}`);
  }
  return row;
}

const isBytes = (cell: Cell): cell is Uint8Array => cell instanceof Uint8Array;

const utf8 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");

const kindOf = (cell: Cell): string =>
  cell === null ? "missing" : isBytes(cell) ? "no number" : "no text";

type Key = readonly (number | string)[];

function keyOf(table: Table, cells: readonly Cell[]): Key {
  const columns = COLUMNS[table];
  return TABLES[table].key.map((name) => {
    const cell = cells[columns.findIndex((column) => column.name === name)] ?? null;
    return cell === null ? "?" : isBytes(cell) ? utf8(cell) : cell;
  });
}

/** The key of a row that was read. */
export const keyOfRow = <T extends Table>(table: T, row: Row<T>): Key =>
  TABLES[table].key.map((name) => (row as Record<string, number | string>)[name] ?? "?");

/** An error that names the row, and says where to hear what is intact. */
export function damage(
  file: string,
  reason: DamageReason,
  table: Table,
  key: Key,
  what: string,
): NdvmError {
  const rows = key.filter((part): part is number => typeof part === "number");
  const names = key.filter((part): part is string => typeof part === "string");
  return new NdvmError(
    "E-ARCHIVE",
    `${file} is damaged: in the table ${table}, row ${key.join("/")}: ${what}`,
    {
      help: `ndvm archive check ${fileWord(file)} says what is intact, ndvm archive salvage keeps it`,
      facts: {
        reason,
        column: table,
        ...(rows.length === 0 ? {} : { rows }),
        ...(names.length === 0 ? {} : { names }),
      },
    },
  );
}

/** A table that has lost rows, or has too many. */
export function tableDamage(file: string, table: Table, what: string): NdvmError {
  return new NdvmError("E-ARCHIVE", `${file} is damaged: the table ${table}: ${what}`, {
    help: `ndvm archive check ${fileWord(file)} says what is intact, ndvm archive salvage keeps it`,
    facts: { reason: "rows", column: table },
  });
}

/** What a text of a row says in JSON. `isGood` looks whether it is what belongs there: see row-shapes.ts. */
export function parse<T extends Table, V>(
  source: Source,
  table: T,
  row: Row<T>,
  column: string & keyof Row<T>,
  isGood: Shape<V>,
): V {
  try {
    const value: unknown = JSON.parse(row[column] as string);
    if (isGood(value)) return value;
  } catch {
    // Told below, with the row.
  }
  const what = `its ${column} is not the JSON that belongs there`;
  throw damage(source.database.file, "json", table, keyOfRow(table, row), what);
}

/** Whether all JSON of a row is what belongs there. */
export function isIntactRow<T extends Table>(source: Source, table: T, row: Row<T>): boolean {
  try {
    checkJson(source, table, row);
    return true;
  } catch (error) {
    if (error instanceof NdvmError) return false;
    throw error;
  }
}

/** Throws where some JSON of a row is not what belongs there. */
export function checkJson<T extends Table>(source: Source, table: T, row: Row<T>): void {
  for (const { name } of COLUMNS[table]) {
    const isGood = shapeOf(table, name, row);
    const column = name as string & keyof Row<T>;
    if (isGood !== undefined && row[column] !== null) parse(source, table, row, column, isGood);
  }
}
