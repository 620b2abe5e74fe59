/**
 * Files beside an archive that SQLite would apply to it when it is opened, whoever opens it:
 *
 *   FILE-journal   a transaction that was not finished. It is the archive's own where a process was killed
 *                  as it began or closed the file, and another file's where somebody copied it there.
 *   FILE-wal       a log. An archive at rest has none, so one beside it is another file's.
 *
 * A reader must not change the file. It reads a copy, to which the journal is applied and the log is not.
 */

import {
  closeSync,
  copyFileSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NdvmError } from "@ndvm/core";
import { isFileAtRest } from "./head.js";

export type Leftover = "journal" | "log";

/** Milliseconds that a journal may be there while another process begins or closes the file. */
const PATIENCE = 1000;
const PAUSE = 50;

/** What lies beside an archive and would be applied to it; undefined where nothing does. */
export function leftoverOf(file: string): Leftover | undefined {
  for (let waited = 0; hasJournal(file); waited += PAUSE) {
    if (waited >= PATIENCE) return "journal";
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE);
  }
  return sizeOf(`${file}-wal`) > 0 && isFileAtRest(file) ? "log" : undefined;
}

/** A journal counts for SQLite where its first byte is not 0. */
function hasJournal(file: string): boolean {
  const name = `${file}-journal`;
  if (sizeOf(name) === 0) return false;
  try {
    const descriptor = openSync(name, "r");
    try {
      const first = Buffer.alloc(1);
      return readSync(descriptor, first, 0, 1, 0) === 1 && first[0] !== 0;
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return false;
  }
}

function sizeOf(name: string): number {
  const found = statSync(name, { throwIfNoEntry: false });
  return found?.isFile() === true ? found.size : 0;
}

/** Opens a copy of an archive by `open`, and removes its name: it lives as long as it is open. */
export function openCopyOf<T>(file: string, leftover: Leftover, open: (copy: string) => T): T {
  const room = mkdtempSync(join(tmpdir(), "ndvm-archive-"));
  const copy = join(room, "copy.db");
  const endings = leftover === "journal" ? ["", "-journal", "-wal"] : [""];
  try {
    for (const ending of endings)
      if (sizeOf(file + ending) > 0) copyFileSync(file + ending, copy + ending);
    return open(copy);
  } finally {
    rmSync(room, { recursive: true, force: true });
  }
}

/** Throws where a search would apply another file's log to an archive. */
export function requireNoLog(file: string): void {
  if (leftoverOf(file) !== "log") return;
  throw new NdvmError("E-ARCHIVE", `${file}-wal is the log of another file`, {
    help: `${file} was closed without one: move ${file}-wal away`,
    facts: { reason: "page" },
  });
}
