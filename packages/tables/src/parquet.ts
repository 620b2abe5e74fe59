/** Parquet, by hyparquet: row group after row group, column after column. */

import { recordOf } from "@ndvm/core";
import { type Compressors, type DecodedArray, parquetScan, parquetSchema } from "hyparquet";
import type { TableBuilder } from "./builder.js";
import type { ColumnBuilder } from "./column.js";
import { tableError } from "./errors.js";
import { allBytes, type OpenSource, requireSize } from "./source.js";
import type { Table } from "./table.js";

/** Dates with parts of a millisecond, which JavaScript's own dates do not have. */
class Moment {
  readonly milliseconds: number;
  constructor(milliseconds: number) {
    this.milliseconds = milliseconds;
  }
}

const parsers = {
  timestampFromMilliseconds: (value: bigint) => new Moment(Number(value)),
  timestampFromMicroseconds: (value: bigint) => new Moment(Number(value) / 1e3),
  timestampFromNanoseconds: (value: bigint) => new Moment(Number(value) / 1e6),
  dateFromDays: (value: number) => new Moment(value * 86_400_000),
};

/** Unpackers that give no more than is allowed, whatever a page's head says. */
async function limitedUnpackers(name: string, bytesMax: number): Promise<Compressors> {
  const { compressors } = await import("hyparquet-compressors");
  const limited = Object.entries(compressors).map(([codec, unpack]) => {
    const unpackSome = (input: Uint8Array, length: number): Uint8Array => {
      requireSize(name, length, bytesMax);
      return unpack(input, length);
    };
    return [codec, unpackSome] as const;
  });
  return recordOf(limited) as Compressors;
}

export async function readParquet(
  builder: TableBuilder,
  source: OpenSource,
  bytesMax: number,
): Promise<Table> {
  const { parts } = source;
  const bytes = parts === undefined ? await allBytes(builder.name, source, bytesMax) : undefined;
  const slice = async (start: number, end?: number): Promise<ArrayBuffer> => {
    const part = bytes?.subarray(start, end) ?? (await parts?.slice(start, end ?? parts.size));
    // A copy with memory of its own: the slice of a Node buffer would share that of others.
    return new Uint8Array(part as Uint8Array).buffer;
  };
  const file = { byteLength: parts?.size ?? (bytes as Uint8Array).length, slice };
  const compressors = await limitedUnpackers(builder.name, bytesMax);
  const scan = await parquetScan({ file, compressors, parsers, geoparquet: false });
  const fields = parquetSchema(scan.metadata).children;
  builder.requireRoom(Number(scan.metadata.num_rows), fields.length);
  const columns = fields.map(({ element }) => builder.make(element.name));
  for (const { rowStart, rowEnd } of scan.ranges) {
    for (const [index, { element }] of fields.entries()) {
      const values = await scan.readColumn({ column: element.name, rowStart, rowEnd });
      if (values.length !== rowEnd - rowStart) throw cutOff(builder.name, element.name, rowStart);
      const decimals = element.converted_type === "DECIMAL" ? (element.scale ?? 0) : undefined;
      addAll(builder, columns[index] as ColumnBuilder, values, decimals);
    }
    builder.endRows(rowEnd - rowStart);
  }
  return builder.finish("row");
}

function addAll(
  builder: TableBuilder,
  column: ColumnBuilder,
  values: DecodedArray,
  decimals: number | undefined,
): void {
  for (let i = 0; i < values.length; i++) {
    const value: unknown = values[i];
    if (value instanceof Moment) column.addDate(value.milliseconds);
    else if (decimals !== undefined && typeof value === "number") {
      // The library multiplies by a power of ten, which may miss the decimal by a bit.
      column.addNumber(Number(value.toFixed(Math.min(decimals, 100))));
    } else builder.addValue(column, value);
  }
}

const cutOff = (name: string, column: string, row: number): Error =>
  tableError(name, `column ${column} is cut off in the group of rows from row ${row + 1}`, {
    reason: "foreign",
    expected: "parquet",
    column,
    rows: [row],
  });
