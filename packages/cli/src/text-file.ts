/** Reads text: files and standard input, as UTF-8 or not at all. */

import { createReadStream, statSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { TextDecoder } from "node:util";
import { NdvmError, own } from "@ndvm/core";

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  EISDIR: "it is a folder",
  EACCES: "permission denied",
};

export async function readTextFile(file: string): Promise<string> {
  let bytes: Uint8Array;
  try {
    bytes = await readFile(file);
  } catch (cause) {
    throw unreadable(file, cause);
  }
  return decodeText(bytes, file);
}

export function unreadable(file: string, cause: unknown): NdvmError {
  const code = (cause as NodeJS.ErrnoException).code ?? "unknown reason";
  return new NdvmError("E-FILE", `cannot read ${file}: ${own(REASONS, code) ?? code}`, {
    help: `the path is taken relative to ${process.cwd()}`,
  });
}

/**
 * The text of a file, or of standard input for "-", in pieces. A file that begins with UTF-16's
 * byte order mark is read as that; every other must be UTF-8.
 */
export async function* streamText(file: string): AsyncGenerator<string> {
  const name = file === "-" ? "standard input" : file;
  const stream = file === "-" ? process.stdin : createReadStream(file, { highWaterMark: 2 ** 18 });
  let decoder: TextDecoder | undefined;
  const decode = (bytes: Uint8Array | undefined): string => {
    try {
      return bytes === undefined
        ? (decoder?.decode() ?? "")
        : (decoder as TextDecoder).decode(bytes, { stream: true });
    } catch {
      throw notText(name);
    }
  };
  const chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  for (;;) {
    const next = await chunks.next().catch((cause: unknown) => {
      throw unreadable(name, cause);
    });
    if (next.done === true) break;
    decoder ??= decoderFor(next.value, name);
    yield decode(next.value);
  }
  yield decode(undefined);
}

function decoderFor(bytes: Uint8Array, name: string): TextDecoder {
  if (bytes[0] === 0x50 && bytes[1] === 0x4b && bytes[2] === 3) {
    throw new NdvmError("E-FILE", `${name} is a workbook or an archive, not a table of text`, {
      help: "save the sheet as CSV",
    });
  }
  const isWide = bytes[0] === 0xff && bytes[1] === 0xfe;
  return new TextDecoder(isWide ? "utf-16le" : "utf-8", { fatal: true });
}

export async function writeTextFile(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text);
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? "unknown reason";
    throw unwritable(file, own(REASONS, code) ?? code);
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
