/** Reads text: files and standard input, as UTF-8 or not at all. */

import { readFile } from "node:fs/promises";
import { NdvmError } from "@ndvm/core";

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
    const code = (cause as NodeJS.ErrnoException).code ?? "unknown reason";
    throw new NdvmError("E-FILE", `cannot read ${file}: ${REASONS[code] ?? code}`, {
      help: `the path is taken relative to ${process.cwd()}`,
    });
  }
  return decodeText(bytes, file);
}

/** `name` is how the message calls the text: a file name or "standard input". */
export function decodeText(bytes: Uint8Array, name: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new NdvmError("E-FILE", `${name} is not UTF-8 text`, {
      help: "save it as UTF-8, or check that it is the file you meant",
    });
  }
}

export async function readStandardInput(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return decodeText(Buffer.concat(chunks), "standard input");
}
