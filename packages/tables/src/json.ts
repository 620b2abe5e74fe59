/** Tables in JSON: an array of objects, an object of arrays, or an object a line. */

import { own } from "@ndvm/core";
import type { TableBuilder } from "./builder.js";
import type { ColumnBuilder } from "./column.js";
import { tableError } from "./errors.js";
import type { Table } from "./table.js";
import { UnfinishedRow } from "./unfinished-row.js";

const FORM_HELP = "a table in JSON is an object of arrays or an array of objects";

/** Most characters that V8 has in one text, and so in a table that is one value of JSON. */
const TEXT_MOST = 2 ** 29 - 24;

const tooLong = (name: string): Error =>
  tableError(
    name,
    `the file has more than ${TEXT_MOST} characters, which is too long for one value of JSON`,
    { reason: "size", limit: TEXT_MOST },
    "write an object a line, in a file that ends in .jsonl",
  );

type JsonObject = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export async function readJson(
  builder: TableBuilder,
  pieces: AsyncIterable<string>,
): Promise<Table> {
  const texts: string[] = [];
  let length = 0;
  for await (const piece of pieces) {
    texts.push(piece);
    length += piece.length;
    if (length > TEXT_MOST) throw tooLong(builder.name);
  }
  const value = parse(builder.name, texts.join(""));
  if (Array.isArray(value) && value.length > 0) {
    for (const [index, row] of value.entries()) {
      if (!isObject(row)) throw notObject(builder, `row ${index + 1}`, row);
      takeObject(builder, row);
      builder.endRow(index + 1);
    }
    return builder.finish("row");
  }
  if (isObject(value) && Object.values(value).some(Array.isArray)) {
    return takeColumns(builder, value);
  }
  throw tableError(builder.name, "not a table", { reason: "foreign", expected: "json" }, FORM_HELP);
}

export async function readJsonLines(
  builder: TableBuilder,
  pieces: AsyncIterable<string>,
): Promise<Table> {
  const unfinished = new UnfinishedRow(builder.name);
  let line = 0;
  const take = (text: string): void => {
    line += 1;
    if (text.trim() === "") return;
    const row = parse(builder.name, text, line);
    if (!isObject(row)) throw notObject(builder, `line ${line}`, row);
    takeObject(builder, row);
    builder.endRow(line);
  };
  for await (const piece of pieces) {
    const text = unfinished.add(piece);
    if (text === undefined) continue;
    const lines = text.split("\n");
    const rest = lines.pop() ?? "";
    for (const one of lines) take(one);
    unfinished.keep(rest, line + 1);
  }
  for (const one of unfinished.take().split("\n")) take(one);
  return builder.finish("line");
}

function parse(name: string, text: string, line?: number): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const where = line === undefined ? "" : `line ${line}: `;
    throw tableError(name, `${where}not JSON: ${(cause as Error).message}`, {
      reason: "foreign",
      expected: "json",
      ...(line === undefined ? {} : { value: line }),
    });
  }
}

function notObject(builder: TableBuilder, where: string, value: unknown): Error {
  return tableError(
    builder.name,
    `not a table: ${where} is not an object`,
    { reason: "foreign", rows: [builder.rowCount], actual: JSON.stringify(value) },
    FORM_HELP,
  );
}

/** A row; a key that was not met before makes a column. */
function takeObject(builder: TableBuilder, row: JsonObject): void {
  for (const key of Object.keys(row)) if (builder.find(key) === undefined) builder.make(key);
  for (const [key, column] of builder.columns()) {
    builder.addValue(column, own(row, key));
  }
}

function takeColumns(builder: TableBuilder, value: JsonObject): Table {
  const [first = "", ...others] = Object.keys(value);
  const lengthOf = (key: string): number => {
    const cells = own(value, key);
    if (Array.isArray(cells)) return cells.length;
    const message = `not a table: ${key} is not an array`;
    throw tableError(builder.name, message, { reason: "foreign", column: key });
  };
  const length = lengthOf(first);
  for (const key of others) {
    if (lengthOf(key) === length) continue;
    throw tableError(
      builder.name,
      `not a table: ${first} has ${length} rows, ${key} has ${lengthOf(key)}`,
      { reason: "ragged", column: key, limit: length, value: lengthOf(key) },
    );
  }
  for (const key of [first, ...others]) {
    const column: ColumnBuilder = builder.make(key);
    for (const cell of own(value, key) as readonly unknown[]) builder.addValue(column, cell);
  }
  builder.endRows(length);
  return builder.finish("row");
}
