/**
 * Keeping a run of another computer: its results take the place of those that are kept.
 */

import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { MANIFEST, readResults } from "./store.js";
import { buildFolder } from "./tools.js";

/**
 * Copies the results of a run, a folder that `--out` made or an archive of it, into `folder`.
 * Whatever was kept there is removed first. Throws where the run is not whole.
 */
export function keepRun(from: string, folder: string, experiments: readonly string[]): void {
  const results = resultsIn(statSync(from).isDirectory() ? from : unpack(from));
  if (results === undefined) throw new Error(`${from} holds no results/${MANIFEST}`);
  const found = readResults(results);
  const missing = experiments.filter((name) => !found.experiments.has(name));
  if (missing.length > 0) throw new Error(`the run has no ${missing.join(", ")}: it is not whole`);
  if (found.manifest["mode"] !== "full")
    throw new Error("only a full run is kept, not a quick one");
  for (const name of ["results", "figures"])
    rmSync(join(folder, name), { recursive: true, force: true });
  cpSync(results, join(folder, "results"), { recursive: true });
}

function unpack(archive: string): string {
  const folder = mkdtempSync(join(buildFolder(), "kept-"));
  execFileSync("tar", ["-xf", archive, "-C", folder]);
  return folder;
}

/** The folder of results, at the top or in a folder of the archive. */
function resultsIn(folder: string): string | undefined {
  const inside = readdirSync(folder).map((name) => join(folder, name, "results"));
  return [join(folder, "results"), ...inside].find((each) => existsSync(join(each, MANIFEST)));
}
