/**
 * Access to the external cases: the folder that NDVM_CORPUS names, read in place and never copied.
 *
 * With NDVM_CORPUS set every suite runs and a missing file is a failure. Without it each suite is
 * reported as skipped under a name that says why.
 */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, test } from "vitest";

const repositoryRoot = resolve(dirname(fileURLToPath(import.meta.url)), "../../../..");

/** The corpus folder; a relative NDVM_CORPUS is tried from here first, then from the repository. */
function findCorpus(): string | undefined {
  const named = process.env["NDVM_CORPUS"];
  if (named === undefined || named === "") return undefined;
  const here = resolve(named);
  return existsSync(here) ? here : resolve(repositoryRoot, named);
}

const corpus = findCorpus();

/** A suite over the corpus. The body is not even called where there is no corpus to read. */
export function describeCorpus(name: string, body: () => void): void {
  if (corpus !== undefined) {
    describe(name, body);
    return;
  }
  describe.skipIf(true)(`${name} [not run: NDVM_CORPUS does not name the external cases]`, () => {
    test("needs the external cases", () => {});
  });
}

/** One JSON file of the corpus. The files write NaN and infinities as Python does. */
export function readCorpus<T>(path: string): T {
  if (corpus === undefined) throw new Error("NDVM_CORPUS is not set");
  const text = readFileSync(join(corpus, path), "utf8");
  const finite = text.replace(/([:[,]\s*)(-?Infinity|NaN)\b/g, '$1"$2"');
  return JSON.parse(finite) as T;
}

/** Names of the JSON files in a folder of the corpus, without their ending. */
export function listCorpus(path: string): string[] {
  if (corpus === undefined) throw new Error("NDVM_CORPUS is not set");
  const names = readdirSync(join(corpus, path)).filter((name) => name.endsWith(".json"));
  return names.map((name) => name.slice(0, -".json".length)).sort();
}

/** A number that the corpus may spell as a word: "inf", "Infinity", "NaN". */
export function asNumber(value: number | string): number {
  if (typeof value === "number") return value;
  if (/^-?inf/i.test(value)) return value.startsWith("-") ? -Infinity : Infinity;
  return Number(value);
}

/** The text of one program under examples/. */
export function readExample(name: string): string {
  return readFileSync(join(repositoryRoot, "examples", name), "utf8");
}
