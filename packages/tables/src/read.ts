/**
 * One reader for all tables: looks at the first bytes and the name, and hands over to the format's.
 */

import { checkNames, NdvmError, namesOf } from "@ndvm/core";
import { TABLE_BYTES_MAX, TableBuilder } from "./builder.js";
import { requireDelimiter, tableError } from "./errors.js";
import { readJson, readJsonLines } from "./json.js";
import { readDelimited } from "./read-delimited.js";
import { decodedText, type OpenSource, openSource } from "./source.js";
import type { Table } from "./table.js";
import type { ReadOptions, TableFormat, TableSource } from "./types.js";

const NAMES: Readonly<Record<TableFormat, string>> = {
  delimited: "delimited text",
  json: "JSON",
  "json-lines": "JSON lines",
  parquet: "Parquet",
  arrow: "Arrow",
  xlsx: "XLSX",
};

/** Files that begin like this are tables, but none that is read. */
const REFUSED: readonly (readonly [string, string, string])[] = [
  ["\u00d0\u00cf\u0011\u00e0", "an old workbook (.xls)", "save the sheet as .xlsx or CSV"],
  ["FEA1", "Feather of version 1", "write it again as Feather 2, which is Arrow"],
  ["\u001f\u008b", "packed (gzip)", "unpack it first: gunzip"],
  ["PARE", "an encrypted Parquet file", "write it again without encryption"],
];
const MAGIC: readonly (readonly [string, TableFormat])[] = [
  ["PAR1", "parquet"],
  ["ARROW1", "arrow"],
  ["\u00ff\u00ff\u00ff\u00ff", "arrow"],
  ["PK\u0003\u0004", "xlsx"],
];

const OPTION_NAMES = namesOf<ReadOptions>({
  name: 1,
  format: 1,
  texts: 1,
  missing: 1,
  renamed: 1,
  dates: 1,
  delimiter: 1,
  decimal: 1,
  head: 1,
  encoding: 1,
  sheet: 1,
  bytesMax: 1,
});

/** Refuses options that would be ignored, before anything is opened. */
export function checkReadOptions(options: ReadOptions): void {
  checkNames("readTable", options, OPTION_NAMES);
  requireDelimiter(options.delimiter);
}

/** Reads a table into columns. */
export async function readTable(source: TableSource, options: ReadOptions = {}): Promise<Table> {
  checkReadOptions(options);
  const opened = await openSource(source);
  try {
    return await readOpened(opened, options);
  } finally {
    await opened.close();
  }
}

async function readOpened(opened: OpenSource, options: ReadOptions): Promise<Table> {
  const name = options.name ?? "the table";
  const format = options.format ?? formatOf(name, opened.head);
  const builder = new TableBuilder(name, options);
  try {
    return await readFormat(format, builder, opened, options);
  } catch (cause) {
    if (cause instanceof NdvmError) throw cause;
    throw tableError(
      name,
      `not a readable ${NAMES[format]} file: ${cause instanceof Error ? cause.message : cause}`,
      { reason: "foreign", expected: format },
      "the file may be damaged or cut off; write it again",
    );
  }
}

async function readFormat(
  format: TableFormat,
  builder: TableBuilder,
  opened: OpenSource,
  options: ReadOptions,
): Promise<Table> {
  const bytesMax = options.bytesMax ?? TABLE_BYTES_MAX;
  switch (format) {
    case "parquet":
      return (await import("./parquet.js")).readParquet(builder, opened, bytesMax);
    case "arrow":
      return (await import("./arrow.js")).readArrow(builder, opened, bytesMax);
    case "xlsx":
      return (await import("./workbook.js")).readWorkbook(builder, opened, options, bytesMax);
  }
  const text = decodedText(builder.name, opened, options.encoding);
  if (format === "json") return readJson(builder, text);
  return format === "json-lines"
    ? readJsonLines(builder, text)
    : readDelimited(builder, text, options);
}

/** The format that the first bytes or the ending of the name tell. */
export function formatOf(name: string, head: Uint8Array): TableFormat {
  const start = String.fromCharCode(...head.subarray(0, 8));
  for (const [magic, what, help] of REFUSED) {
    if (!start.startsWith(magic)) continue;
    const facts = { reason: "foreign", actual: what } as const;
    throw tableError(name, `the file is ${what}, which is not read`, facts, help);
  }
  const known = MAGIC.find(([magic]) => start.startsWith(magic));
  if (known !== undefined) return known[1];
  const ending = /\.([^./\\]+)$/.exec(name)?.[1]?.toLowerCase();
  if (ending === "json") return "json";
  if (ending === "jsonl" || ending === "ndjson") return "json-lines";
  if (ending !== undefined) return "delimited";
  return jsonOf(new TextDecoder().decode(head)) ?? "delimited";
}

/** Text without a name: JSON begins with a bracket, and JSON lines with two objects on two lines. */
function jsonOf(text: string): "json" | "json-lines" | undefined {
  const start = text.trimStart();
  if (!/^[{[]\s*["{[\]}]/.test(start)) return undefined;
  return /^\{[^\n]*\}\s*\n\s*\{/.test(start) ? "json-lines" : "json";
}
