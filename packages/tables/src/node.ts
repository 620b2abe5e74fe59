/** Tables from files and standard input. For Node only; the rest of the package runs anywhere. */

import { createReadStream } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { NdvmError } from "@ndvm/core";
import { readTable } from "./read.js";
import type { Table } from "./table.js";
import type { ByteSource, ReadOptions } from "./types.js";

const REASONS: ReadonlyMap<string, string> = new Map([
  ["ENOENT", "there is no such file"],
  ["EISDIR", "it is a folder"],
  ["ENOTDIR", "there is no such folder"],
  ["EACCES", "permission denied"],
]);

/** What the system's code of an error says. */
export function systemReason(cause: unknown): string {
  const code = (cause as { readonly code?: string }).code ?? "unknown reason";
  return REASONS.get(code) ?? code;
}

/** The error for a file that cannot be read. */
export function unreadable(file: string, cause: unknown): NdvmError {
  return new NdvmError("E-FILE", `cannot read ${file}: ${systemReason(cause)}`, {
    help: `the path is taken relative to ${process.cwd()}`,
    facts: { reason: "absent", actual: systemReason(cause) },
  });
}

/** Reads a table from a file, or from standard input for "-". */
export async function readTableFile(file: string, options: ReadOptions = {}): Promise<Table> {
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
