/**
 * One writer for an archive: an exclusive lock on a file beside it, held as long as the writer
 * lives. The operating system drops it with the process, however that ends.
 *
 * The file is removed by whoever holds the lock. A newcomer may have opened it just before, and
 * would then hold the lock of a file that is gone; so whoever gets a lock looks whether the name
 * still leads to it: another connection must be refused.
 */

import { rmSync } from "node:fs";
import { NdvmError } from "@ndvm/core";
import { type Database, isBusy, openDatabase } from "./driver.js";

export interface Lock {
  release(): void;
}

const ATTEMPTS = 10;

export function takeLock(archive: string): Lock {
  const file = `${archive}-lock`;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const held = tryLock(file);
    if (held === undefined) throw refusal(archive);
    const second = tryLock(file);
    if (second === undefined) return { release: () => release(file, held) };
    second.close();
    held.close();
  }
  throw refusal(archive);
}

function refusal(archive: string): NdvmError {
  return new NdvmError("E-ARCHIVE", `another search is writing ${archive}`, {
    help: "wait for it to end, or write to another file; reading is possible meanwhile",
    facts: { reason: "busy" },
  });
}

/** Undefined: someone else has it. */
function tryLock(file: string): Database | undefined {
  const database = openDatabase(file, { timeout: 0 });
  try {
    database.exec("BEGIN EXCLUSIVE");
    return database;
  } catch (error) {
    database.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
}

function release(file: string, held: Database): void {
  try {
    rmSync(file);
  } catch {
    // It is gone already, or an open file cannot be removed: one without a lock on it stops nobody.
  }
  held.close();
}
