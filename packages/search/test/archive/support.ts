/** What the tests of archives share: a ladder of short fits, and ways to look into a file. */

import { copyFileSync } from "node:fs";
import { openDatabase } from "../../src/archive/driver.js";
import { type Archive, openArchive } from "../../src/index.js";
import { freshFile } from "../engine/support.js";

/** Two rungs of fits that end soon. */
export const rungs = [
  { restarts: 1, steps: 6, share: 1 },
  { restarts: 2, steps: 10, share: 0.25 },
];

/** What a query gives, past all checks. */
export function sql(file: string, query: string): readonly (readonly unknown[])[] {
  const database = openDatabase(file);
  try {
    return database.all(query);
  } finally {
    database.close();
  }
}

/** What is read from an archive that is closed again. */
export function reading<T>(file: string, read: (archive: Archive) => T): T {
  const archive = openArchive(file);
  try {
    return read(archive);
  } finally {
    archive.close();
  }
}

export function copyOf(file: string): string {
  const copy = freshFile();
  copyFileSync(file, copy);
  return copy;
}
