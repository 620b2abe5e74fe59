/** What `readTable` takes. */

import type { DateUnit } from "./dates.js";

export type TableFormat = "delimited" | "json" | "json-lines" | "parquet" | "arrow" | "xlsx";

/** Bytes that can be read from the start, and perhaps in parts. */
export interface ByteSource {
  stream(): AsyncIterable<Uint8Array>;
  /** How many bytes there are, and some of them: given where any part can be read. */
  readonly size?: number;
  slice?(start: number, end: number): Promise<Uint8Array>;
}

/** Text, bytes, a file that a user chose (a Blob), or a stream of bytes. */
export type TableSource =
  | string
  | ArrayBuffer
  | Uint8Array
  | Blob
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array>
  | ByteSource;

export interface ReadOptions {
  /** What messages call the table, and where its format may show: a file's name. */
  readonly name?: string;
  /** Default: by the first bytes, then by the ending of `name`, then delimited text. */
  readonly format?: TableFormat;
  /**
   * Columns whose text is kept, word for word. Default "all": every column of words is kept, and
   * what was read as a number before its first word is written anew ("01" may become "1").
   */
  readonly texts?: ReadonlySet<string> | "all";
  /** Further cells that mean a missing value; one that is a number means every way to write it. */
  readonly missing?: readonly string[];
  /** New names of columns: name → what the file calls it. */
  readonly renamed?: ReadonlyMap<string, string>;
  /** What the numbers of dates count since 1970-01-01; "words": dates are words. Default "days". */
  readonly dates?: DateUnit | "words";
  /** The character between cells of delimited text. Default: found out from its first row. */
  readonly delimiter?: string;
  /** Default: 1,5 is a number where semicolons part the cells. */
  readonly decimal?: "." | ",";
  /**
   * Whether the first row names the columns. Default "required": a first row of numbers is an error;
   * "optional": such columns are called column1, column2 …
   */
  readonly head?: "required" | "optional";
  /** The encoding of text. Default: UTF-16 where its byte order mark says so, else UTF-8. */
  readonly encoding?: string;
  /** The sheet of a workbook, by name or from 1. Default: the first one. */
  readonly sheet?: string | number;
  /** Most bytes that the columns may take, and that a packed file may unpack to. Default 4 GiB. */
  readonly bytesMax?: number;
}
