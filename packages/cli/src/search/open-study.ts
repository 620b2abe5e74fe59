/** Opens the archive that a command names, and says in plain words where there is none. */

import { closeSync, openSync, statSync } from "node:fs";
import { type Archive, openArchive } from "@ndvm/search";
import { unreadable } from "@ndvm/tables/node";

export function openStudy(file: string): Archive {
  requireFile(file);
  return openArchive(file);
}

/** A file that cannot be read is told as other files are; one that is not there, by the archive. */
export function requireFile(file: string): void {
  try {
    closeSync(openSync(file, "r"));
    // A folder can be opened, though not be read.
    if (statSync(file).isDirectory()) throw Object.assign(new Error(), { code: "EISDIR" });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ENOENT") throw unreadable(file, cause);
  }
}
