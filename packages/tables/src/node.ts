/** Tables from files and standard input. For Node only; the rest of the package runs anywhere. */

import { createReadStream } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { checkReadOptions, readTable } from "./read.js";
import type { Table } from "./table.js";
import type { ByteSource, ReadOptions } from "./types.js";
import { unreadable } from "./unreadable.js";

export { systemReason, unreadable } from "./unreadable.js";

/** Reads a table from a file, or from standard input for "-". */
export async function readTableFile(file: string, options: ReadOptions = {}): Promise<Table> {
  checkReadOptions(options);
  if (file === "-") {
    const name = options.name ?? "standard input";
    return readTable(readable(process.stdin, name), { ...options, name });
  }
  let handle: FileHandle;
  try {
    handle = await open(file);
  } catch (cause) {
    throw unreadable(file, cause);
  }
  try {
    const stat = await handle.stat();
    if (stat.isDirectory()) throw unreadable(file, { code: "EISDIR" });
    const source = stat.isFile() ? fromFile(file, handle, stat.size) : fromPipe(file);
    return await readTable(source, { ...options, name: options.name ?? file });
  } finally {
    await handle.close();
  }
}

async function* readable(
  stream: AsyncIterable<string | Buffer>,
  name: string,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const piece of stream) yield typeof piece === "string" ? Buffer.from(piece) : piece;
  } catch (cause) {
    throw unreadable(name, cause);
  }
}

/** Bytes of a stream's pieces: large enough that pieces cost little, small beside a table. */
const PIECE_BYTES = 2 ** 18;

function fromFile(file: string, handle: FileHandle, size: number): ByteSource {
  return {
    size,
    stream: () => fromPipe(file),
    async slice(start, end) {
      const bytes = new Uint8Array(Math.max(0, Math.min(end, size) - start));
      const { bytesRead } = await handle.read(bytes, 0, bytes.length, start);
      return bytes.subarray(0, bytesRead);
    },
  };
}

const fromPipe = (file: string): AsyncGenerator<Uint8Array> =>
  readable(createReadStream(file, { highWaterMark: PIECE_BYTES }), file);
