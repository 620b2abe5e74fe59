/**
 * Mends the first page of a copy that is to be salvaged. Archives are made of pages of one size and
 * their tables in one go, so that what stands there is known but for a few counters.
 */

import {
  closeSync,
  ftruncateSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { NdvmError } from "@ndvm/core";
import { openDatabase } from "./driver.js";
import { checkHead } from "./head.js";
import { checkSchema, formatOf } from "./reader.js";
import { STATEMENTS } from "./schema.js";
import { makeTables, PAGE_BYTES, setPageSize } from "./tables.js";

/** Leaves a copy alone that opens as an archive. Throws where `file` is too short to be one. */
export function mendFirstPage(copy: string, file: string): void {
  if (opens(copy)) return;
  const pages = Math.floor(statSync(copy).size / PAGE_BYTES);
  if (pages < 2)
    throw new NdvmError(
      "E-ARCHIVE",
      `there is nothing to keep in ${file}: it is shorter than the smallest archive`,
      { help: "an archive is a file that ndvm search writes", facts: { reason: "header" } },
    );
  // Every table needs its first page, be it empty.
  const needed = Math.max(pages, STATEMENTS.length + 1);
  const page = emptyFirstPage(`${copy}-empty`);
  page.writeUInt32BE(needed, SIZE_AT);
  const descriptor = openSync(copy, "r+");
  try {
    writeSync(descriptor, page, 0, page.length, 0);
    ftruncateSync(descriptor, needed * PAGE_BYTES);
  } finally {
    closeSync(descriptor);
  }
}

/** Where the head says how many pages there are. */
const SIZE_AT = 28;

function opens(copy: string): boolean {
  try {
    checkHead(copy);
    const database = openDatabase(copy);
    try {
      checkSchema({ database, format: formatOf(database) });
      return true;
    } finally {
      database.close();
    }
  } catch (error) {
    if (!(error instanceof NdvmError)) throw error;
    // One flipped bit can make an archive look like a file of something else.
    const reasons = ["header", "schema", "page", "foreign", "format"];
    if (reasons.includes(error.facts.reason ?? "")) return false;
    throw error;
  }
}

/** The first page of an archive without rows. */
function emptyFirstPage(file: string): Buffer {
  try {
    const database = openDatabase(file);
    setPageSize(database);
    makeTables(database);
    database.close();
    return readFileSync(file).subarray(0, PAGE_BYTES);
  } finally {
    rmSync(file, { force: true });
  }
}
