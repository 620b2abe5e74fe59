/** Arrow files, streams and Feather (version 2), by flechette. */

import {
  type Column,
  CompressionType,
  type DataType,
  setCompressionCodec,
  Type,
  tableFromIPC,
} from "@uwdata/flechette";
import type { TableBuilder } from "./builder.js";
import type { ColumnBuilder } from "./column.js";
import { unpackLz4 } from "./lz4.js";
import { allBytes, type OpenSource, requireSize } from "./source.js";
import type { Table } from "./table.js";
import { unpackZstd } from "./zstd.js";

/** Flechette knows one unpacker of each kind for everybody, so the limit is one that all share. */
function useUnpackers(name: string, bytesMax: number): void {
  const encode = (bytes: Uint8Array): Uint8Array => bytes;
  const limited =
    (unpack: (input: Uint8Array, length: number) => Uint8Array) =>
    (input: Uint8Array, length: number): Uint8Array => {
      requireSize(name, length, bytesMax);
      return unpack(input, length);
    };
  setCompressionCodec(CompressionType.LZ4_FRAME, { encode, decode: limited(unpackLz4) });
  setCompressionCodec(CompressionType.ZSTD, { encode, decode: limited(unpackZstd) });
}

export async function readArrow(
  builder: TableBuilder,
  source: OpenSource,
  bytesMax: number,
): Promise<Table> {
  const bytes = await allBytes(builder.name, source, bytesMax);
  useUnpackers(builder.name, bytesMax);
  const table = tableFromIPC(bytes, { useBigInt: true });
  builder.requireRoom(table.numRows, table.numCols);
  for (const [index, { name, type }] of table.schema.fields.entries()) {
    addAll(builder, builder.make(name), table.getChildAt(index), valueType(type));
  }
  builder.endRows(table.numRows);
  return builder.finish("row");
}

/** The type of the values, also where they stand in a dictionary. */
function valueType(type: DataType): number {
  return "dictionary" in type ? valueType(type.dictionary as DataType) : type.typeId;
}

function addAll(
  builder: TableBuilder,
  column: ColumnBuilder,
  values: Column<unknown>,
  typeId: number,
): void {
  const isDate = typeId === Type.Date || typeId === Type.Timestamp;
  for (const value of values) {
    if (isDate && typeof value === "number") column.addDate(value);
    else builder.addValue(column, value);
  }
}
