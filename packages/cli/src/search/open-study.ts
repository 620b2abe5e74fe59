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
    const found = statSync(file);
    if (found.isDirectory()) throw Object.assign(new Error(), { code: "EISDIR" });
    // What else there is, the archive refuses: opening a pipe would wait for whoever writes to it.
    if (found.isFile()) closeSync(openSync(file, "r"));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ENOENT") throw unreadable(file, cause);
  }
}
