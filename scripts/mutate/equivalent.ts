/**
 * Mutants that change nothing anyone could see, with the reason: `equivalent.json`. A run leaves them out.
 * An entry that fits no mutant of the sources is stale, and an error.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { identityOf, type Mutant } from "./mutant.js";
import { mutantsOf } from "./plant.js";

export interface Equivalent extends Omit<Mutant, "start" | "end" | "line"> {
  readonly reason: string;
}

export function readEquivalents(root: string): readonly Equivalent[] {
  return JSON.parse(readFileSync(join(root, "scripts/mutate/equivalent.json"), "utf8"));
}

/** Entries that no mutant of the sources fits any more. */
export function staleAmong(root: string, entries: readonly Equivalent[]): Equivalent[] {
  const files = new Set(entries.map(({ file }) => file));
  const known = new Set(
    [...files].flatMap((file) => mutantsOf(file, readIfThere(join(root, file))).map(identityOf)),
  );
  return entries.filter((entry) => !known.has(identityOf(entry)));
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
