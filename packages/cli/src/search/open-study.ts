/** Opens the archive that a command names, and says in plain words where there is none. */

import { closeSync, openSync, statSync } from "node:fs";
import type { StudyLoad } from "@ndvm/report";
import { type Archive, openArchive } from "@ndvm/search";
import { unreadable } from "@ndvm/tables/node";

export function openStudy(file: string): Archive {
  requireFile(file);
  return openArchive(file);
}

/** How a study's programs are loaded. One that was salvaged may have lost it: see `lostLoad`. */
export const loadOf = (study: ReturnType<Archive["study"]>): StudyLoad => ({
  inputs: (study["inputs"] ?? []) as StudyLoad["inputs"],
  domain: (study["domain"] ?? "ieee") as StudyLoad["domain"],
});

/** What a salvaged study no longer knows of how its programs are loaded, and what is taken instead. */
export function lostLoad(study: ReturnType<Archive["study"]>): string[] {
  const lost: string[] = [];
  if (study["inputs"] === undefined)
    lost.push(
      "the study's inputs are lost: a column called as a word of the language is not known",
    );
  if (study["domain"] === undefined)
    lost.push('the study\'s domain is lost: sqrt and log are written as in the domain "ieee"');
  return lost;
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
