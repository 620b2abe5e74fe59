/** Reads text: files and standard input, as UTF-8 or not at all. */

import {
  closeSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { NdvmError } from "@ndvm/core/machine";
import { systemReason, unreadable } from "@ndvm/tables/text";

export async function readTextFile(file: string): Promise<string> {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(file);
  } catch (cause) {
    throw unreadable(file, cause);
  }
  return decodeText(bytes, file);
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

export async function readStandardInput(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return decodeText(Buffer.concat(chunks), "standard input");
}
