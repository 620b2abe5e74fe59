/** Arrow files, streams and Feather (version 2), by flechette. */

import {
  type Column,
  CompressionType,
  type DataType,
  setCompressionCodec,
  Type,
  tableFromIPC,
} from "@uwdata/flechette";
import { Decompress } from "fzstd";
import type { TableBuilder } from "./builder.js";
import type { ColumnBuilder } from "./column.js";
import { unpackLz4 } from "./lz4.js";
import { allBytes, type OpenSource, requireSize } from "./source.js";
import type { Table } from "./table.js";

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

/** Bytes that an unpacker may have to look back: zstd itself takes no more unless it is told to. */
const WINDOW_MAX = 2 ** 27;

/**
 * Unpacks into exactly so many bytes, or fails: part by part, since an unpacker that is given the output
 * does not say how much of it there was.
 */
function unpackZstd(input: Uint8Array, length: number): Uint8Array {
  // The head of a frame: magic 4 | flags 1 | window 1, where the flags do not say that there is none.
  const [, , , , flags = 0, window = 0] = input;
  const largest =
    (flags & 0x20) === 0 ? 2 ** (10 + (window >> 3)) * (1 + (window & 7) / 8) : length;
  if (largest > WINDOW_MAX) throw new Error(`zstd looks back ${largest} bytes`);
  const output = new Uint8Array(length);
  let filled = 0;
  const unpacker = new Decompress((part) => {
    if (filled + part.length > length) throw new Error(`zstd gave more than ${length} bytes`);
    output.set(part, filled);
    filled += part.length;
  });
  unpacker.push(input, true);
  if (filled !== length) throw new Error(`zstd gave ${filled} bytes instead of ${length}`);
  return output;
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
