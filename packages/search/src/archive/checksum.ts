/**
 * Checksums of rows: CRC-32 of the table's name and of the row's values in the order of its columns.
 *
 *   a number   1, then eight bytes, little-endian
 *   a text     2, its length in bytes as four bytes, little-endian, then its bytes as UTF-8
 *   null       0
 *
 * Writers and readers share one buffer, which grows to the largest row that it has seen.
 */

import * as zlib from "node:zlib";
import { recordOf } from "@ndvm/core";
import { TABLE_NAMES, type Table } from "./schema.js";

/** A value as it is written, or as it is read: texts as the bytes that the file holds. */
type Value = number | string | Uint8Array | null;

const NULL = 0;
const NUMBER = 1;
const TEXT = 2;

/** Bytes that a letter can take. */
const LETTER_MOST = 3;

let buffer = Buffer.alloc(2 ** 16);

function makeRoom(bytes: number): void {
  if (bytes <= buffer.length) return;
  const larger = Buffer.alloc(2 * bytes);
  buffer.copy(larger);
  buffer = larger;
}

const CRC_OF_NAME = recordOf(
  TABLE_NAMES.map((table) => [table, crc(Buffer.from(`${table}\0`), table.length + 1, 0)]),
) as Readonly<Record<Table, number>>;

/** The checksum of `width` values of a row, which begin at `from`. */
export function checksumOf(
  table: Table,
  values: readonly Value[],
  from = 0,
  width = values.length,
): number {
  let at = 0;
  for (let i = from; i < from + width; i++) {
    const value = values[i] as Value;
    if (typeof value === "number") {
      makeRoom(at + 9);
      buffer[at] = NUMBER;
      buffer.writeDoubleLE(value, at + 1);
      at += 9;
    } else if (value === null) {
      makeRoom(at + 1);
      buffer[at] = NULL;
      at += 1;
    } else at = addText(value, at);
  }
  return crc(buffer, at, CRC_OF_NAME[table]);
}

function addText(value: string | Uint8Array, at: number): number {
  const start = at + 5;
  let bytes: number;
  if (typeof value === "string") {
    makeRoom(start + LETTER_MOST * value.length);
    bytes = buffer.write(value, start, "utf8");
  } else {
    makeRoom(start + value.length);
    buffer.set(value, start);
    bytes = value.length;
  }
  buffer[at] = TEXT;
  buffer.writeUInt32LE(bytes, at + 1);
  return start + bytes;
}

/** CRC-32 (the polynomial of zip files) of the first bytes, going on from another. */
function crc(bytes: Buffer, length: number, before: number): number {
  const native = (zlib as { crc32?: (data: Uint8Array, value: number) => number }).crc32;
  const part = bytes.subarray(0, length);
  return native === undefined ? crcByTable(part, before) : native(part, before);
}

let table: Int32Array | undefined;

/** The same for versions of Node without it. */
export function crcByTable(bytes: Uint8Array, before: number): number {
  table ??= Int32Array.from({ length: 256 }, (_, byte) => {
    let word = byte;
    for (let bit = 0; bit < 8; bit++) word = word & 1 ? (word >>> 1) ^ 0xedb88320 : word >>> 1;
    return word;
  });
  let sum = ~before;
  for (const byte of bytes) sum = (sum >>> 8) ^ (table[(sum ^ byte) & 0xff] as number);
  return ~sum >>> 0;
}
