/**
 * Reads the external cases that NDVM_CORPUS names, in place. Sections that need them say so where
 * they are missing, and go on.
 */

import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { repositoryRoot } from "./environment.js";
import { note } from "./table.js";

/** The text of a case, or undefined after saying that it is missing. */
export function readCase(path: string): string | undefined {
  const named = process.env["NDVM_CORPUS"];
  const folders = named ? [resolve(named), resolve(repositoryRoot, named)] : [];
  const file = folders.map((folder) => join(folder, path)).find((each) => existsSync(each));
  if (file !== undefined) return readFileSync(file, "utf8");
  note(`not measured: NDVM_CORPUS does not name a folder with ${path}`);
  return undefined;
}

export function readJsonCase<T>(path: string): T | undefined {
  const text = readCase(path);
  if (text === undefined) return undefined;
  return JSON.parse(text.replace(/([:[,]\s*)(-?Infinity|NaN)\b/g, '$1"$2"')) as T;
}
