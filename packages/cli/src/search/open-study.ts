/** Opens the archive that a command names, and says in plain words where it is none. */

import { closeSync, openSync, readSync } from "node:fs";
import { NdvmError } from "@ndvm/core";
import { type Archive, openArchive } from "@ndvm/search";
import { unreadable } from "@ndvm/tables/node";

/** How every SQLite file begins. */
const MAGIC = "SQLite format 3\0";

export function openStudy(file: string): Archive {
  const start = firstBytes(file);
  if (start !== "" && start !== MAGIC) {
    throw new NdvmError("E-ARCHIVE", `${file} is not an archive`, {
      help: "an archive is a file that ndvm search writes",
    });
  }
  return openArchive(file);
}

/** Nothing of a file that is empty or not there: `openArchive` tells that. */
function firstBytes(file: string): string {
  try {
    const descriptor = openSync(file, "r");
    try {
      const bytes = Buffer.alloc(MAGIC.length);
      return bytes.toString("latin1", 0, readSync(descriptor, bytes));
    } finally {
      closeSync(descriptor);
    }
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw unreadable(file, cause);
  }
}
