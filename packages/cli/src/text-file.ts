/** Reads text: files and standard input, as UTF-8 or not at all. */

import { closeSync, openSync, readSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { NdvmError } from "@ndvm/core/machine";
import { systemReason, unreadable } from "@ndvm/tables/text";

/** Most bytes of a program; how much of it is read is up to the machine's memory. */
export const PROGRAM_BYTES_MOST = 2 ** 26;
/** Most bytes of other texts: results, lists of programs, matrices. */
const TEXT_BYTES_MOST = 2 ** 28;
const PIECE_BYTES = 2 ** 16;

/** A file, a pipe or a device that holds no more than that: others may never end. */
export async function readTextFile(file: string, bytesMost = TEXT_BYTES_MOST): Promise<string> {
  const bytes = new BytesRead(file, bytesMost);
  try {
    const descriptor = openSync(file, "r");
    try {
      for (;;) {
        const piece = Buffer.allocUnsafe(PIECE_BYTES);
        const count = readSync(descriptor, piece);
        if (count === 0) break;
        bytes.add(piece.subarray(0, count));
      }
    } finally {
      closeSync(descriptor);
    }
  } catch (cause) {
    throw cause instanceof NdvmError ? cause : unreadable(file, cause);
  }
  return bytes.text();
}

/** What has been read of a text. `name` is how messages call it. */
class BytesRead {
  readonly #name: string;
  readonly #most: number;
  readonly #pieces: Uint8Array[] = [];
  #count = 0;

  constructor(name: string, most: number) {
    this.#name = name;
    this.#most = most;
  }

  add(piece: Uint8Array): void {
    this.#pieces.push(piece);
    this.#count += piece.length;
    if (this.#count > this.#most)
      throw fileError(
        this.#name,
        `it has more than ${this.#most} bytes, which is too long for this kind of text`,
        "check that it is the file you meant",
      );
  }

  text(): string {
    return decodeText(Buffer.concat(this.#pieces), this.#name);
  }
}

export function fileError(file: string, message: string, help?: string): NdvmError {
  return new NdvmError("E-FILE", `${file}: ${message}`, { help });
}

/** What could not be written as a whole is not left behind, unless the file was there before. */
export async function writeTextFile(file: string, text: string): Promise<void> {
  requireNoDatabase(file);
  const isNew = statSync(file, { throwIfNoEntry: false }) === undefined;
  try {
    writeFileSync(file, text);
  } catch (cause) {
    if (isNew) rmSync(file, { force: true });
    throw unwritable(file, systemReason(cause));
  }
}

const DATABASE = "SQLite format 3\0";

/** A page or a result never takes the place of an archive. */
export function requireNoDatabase(file: string): void {
  if (headOf(file) !== DATABASE) return;
  throw fileError(
    file,
    "it is an archive or another database, which a text would overwrite",
    "name another file",
  );
}

/** The first bytes of an ordinary file; "" where there is none that can be read. */
function headOf(file: string): string {
  try {
    if (!statSync(file).isFile()) return "";
    const descriptor = openSync(file, "r");
    try {
      const head = Buffer.alloc(DATABASE.length);
      return head.toString("latin1", 0, readSync(descriptor, head, 0, head.length, 0));
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return "";
  }
}

/** Fails before long work where its result could not be written. */
export function requireWritable(file: string): void {
  const folder = statSync(dirname(file), { throwIfNoEntry: false });
  if (folder?.isDirectory() !== true) throw unwritable(file, "there is no such folder");
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory()) {
    throw unwritable(file, "it is a folder");
  }
}

function unwritable(file: string, reason: string): NdvmError {
  return new NdvmError("E-FILE", `cannot write ${file}: ${reason}`, {
    help: `the path is taken relative to ${process.cwd()}`,
  });
}

const notText = (name: string): NdvmError =>
  new NdvmError("E-FILE", `${name} is not UTF-8 text`, {
    help: "save it as UTF-8, or check that it is the file you meant",
  });

/** `name` is how the message calls the text: a file name or "standard input". */
export function decodeText(bytes: Uint8Array, name: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw notText(name);
  }
}

/** A program from a pipe. */
export async function readStandardInput(): Promise<string> {
  const bytes = new BytesRead("standard input", PROGRAM_BYTES_MOST);
  for await (const piece of process.stdin) bytes.add(piece as Buffer);
  return bytes.text();
}
