/**
 * The head of an archive's file, looked at before the driver opens it: what SQLite keeps in the first
 * hundred bytes must be what it writes for an archive.
 *
 *   byte  0     "SQLite format 3\0"
 *        16     bytes of a page, two bytes, big-endian; 1 is 65,536
 *        18     2, 2 while it is written (write-ahead log), 1, 1 at rest
 *        20     0, 64, 32, 32
 *        44     4, in four bytes: the format of SQLite's own tables
 *        56     1, in four bytes: texts are UTF-8
 */

import { closeSync, fstatSync, openSync, readSync, statSync } from "node:fs";
import { fileWord, NdvmError } from "@ndvm/core";
import { EARLIER_FORMATS } from "./earlier-formats.js";
import { SCHEMA_VERSION } from "./schema.js";

const HEAD_BYTES = 100;
const MAGIC = "SQLite format 3\0";
const PAGE_LEAST = 512;
const PAGE_MOST = 65_536;

const KIND = "an archive is a file that ndvm search writes";

/** Throws where a name leads to something else than a file: opening a pipe would wait for ever. */
export function requireOrdinary(file: string): void {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined || found.isFile() || found.isDirectory()) return;
  throw new NdvmError("E-ARCHIVE", `${file} is not an archive: it is not an ordinary file`, {
    help: KIND,
    facts: { reason: "foreign" },
  });
}

/** Throws where there is no file, or one that cannot be read. */
export function requireReadable(file: string): void {
  readHead(file);
}

/**
 * Throws what a user should hear of a file that is no archive, or whose head is damaged. `file` is what
 * the user calls it.
 */
export function checkHead(path: string, file = path): void {
  const { head, size } = readHead(path);
  if (head.length === 0 || head.toString("latin1", 0, MAGIC.length) !== MAGIC)
    throw new NdvmError("E-ARCHIVE", `${file} is not an archive`, {
      help: KIND,
      facts: { reason: "foreign" },
    });
  const problem = problemOf(head, size);
  if (problem !== undefined)
    throw new NdvmError("E-ARCHIVE", `${file} is damaged: ${problem}`, {
      help: `ndvm archive salvage ${fileWord(file)} OUT keeps what is intact`,
      facts: { reason: "header" },
    });
}

/** What is wrong with the head of a file that was a database; undefined where nothing is. */
function problemOf(head: Buffer, size: number): string | undefined {
  if (head.length < HEAD_BYTES) return "its head is cut off";
  const page = pageBytesOf(head);
  if (page < PAGE_LEAST || (page & (page - 1)) !== 0) return "the size of its pages is none";
  const mode = head.readUInt16BE(18);
  if (mode !== 0x0101 && mode !== 0x0202) return "its head does not say how it is written";
  if (head.readUInt32BE(20) !== 0x00402020) return "its head is not one that SQLite writes";
  // While it is written, the newest pages and the newest head may be in the log beside it.
  if (mode === 0x0202) return undefined;
  if (head.readUInt32BE(44) !== 4 || head.readUInt32BE(56) !== 1)
    return "its head does not say that its texts are UTF-8";
  if (size !== page * head.readUInt32BE(28))
    return `it has ${size} bytes, and its head says ${page * head.readUInt32BE(28)}`;
  return undefined;
}

const pageBytesOf = (head: Buffer): number => {
  const stored = head.readUInt16BE(16);
  return stored === 1 ? PAGE_MOST : stored;
};

/**
 * Descriptors of files that are being written, by device and inode: they stay open.
 *
 * Where a process closes any descriptor of a file, the system drops all locks that the process has on it,
 * those of its connections, too. The next reader of another process would then take itself for the last
 * one and remove the log that this process still writes to. A file at rest has no locks.
 */
const kept = new Map<string, number>();

const isAtRest = (head: Buffer): boolean =>
  head.length < HEAD_BYTES || head.readUInt16BE(18) !== 0x0202;

/** Whether a file says that nobody writes to it. */
export const isFileAtRest = (file: string): boolean => isAtRest(readHead(file).head);

function readHead(file: string): { readonly head: Buffer; readonly size: number } {
  let key: string;
  let descriptor: number;
  try {
    requireOrdinary(file);
    const { dev, ino } = statSync(file, { bigint: true });
    key = `${dev}:${ino}`;
    descriptor = kept.get(key) ?? openSync(file, "r");
  } catch (error) {
    throw unreadable(file, error);
  }
  let mayClose = !kept.has(key);
  try {
    const head = Buffer.alloc(HEAD_BYTES);
    const count = readSync(descriptor, head, 0, HEAD_BYTES, 0);
    mayClose = isAtRest(head.subarray(0, count));
    return { head: head.subarray(0, count), size: fstatSync(descriptor).size };
  } catch (error) {
    throw unreadable(file, error);
  } finally {
    if (mayClose) {
      kept.delete(key);
      closeSync(descriptor);
    } else kept.set(key, descriptor);
  }
}

function unreadable(file: string, error: unknown): NdvmError {
  if (error instanceof NdvmError) return error;
  const { code = "", message } = error as NodeJS.ErrnoException;
  const isAbsent = code === "ENOENT";
  return new NdvmError(
    "E-ARCHIVE",
    isAbsent ? `there is no archive ${file}` : `${file} cannot be read: ${message}`,
    {
      help: isAbsent ? "ndvm search --out FILE writes one" : KIND,
      facts: isAbsent ? { reason: "absent" } : { actual: code },
    },
  );
}

/** An archive of a format that this version does not read, or cannot go on with. */
export function otherFormat(file: string, format: number): NdvmError {
  const isEarlier = EARLIER_FORMATS.includes(format);
  return new NdvmError(
    "E-ARCHIVE",
    isEarlier
      ? `${file} was written by an earlier version of this program: it can be read, not resumed`
      : `${file} was written by another version of this program`,
    {
      help: isEarlier
        ? `its format is ${format}; studies of format ${SCHEMA_VERSION} can be resumed, so begin a new one`
        : `its format is ${format}; this version reads ${[...EARLIER_FORMATS, SCHEMA_VERSION].join(" and ")}`,
      facts: { reason: "format", value: format, limit: SCHEMA_VERSION },
    },
  );
}
