/**
 * Fails on a name that was replaced because it puzzled readers, so that it does not come back.
 *
 * A name is split into its words (`openMix`: open, mix), and each is looked up below. Only names that
 * the code declares count: variables, functions, classes, types, members and parameters. Comments
 * and texts for people are free to use the words in their ordinary meaning. The sources and tests of
 * all packages are read, and the experiments in evidence/.
 *
 *   node scripts/check-words.mjs [root]
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const root = resolve(process.argv[2] ?? join(dirname(fileURLToPath(import.meta.url)), ".."));

/** A word that is not used any more, and what is said instead. */
const RETIRED = new Map([
  ["course", "driver"],
  ["holdings", "buffers"],
  ["intake", "queue"],
  ["judge", "decide, or verdict"],
  ["leap", "advanceMany"],
  ["mix", "divergence"],
  ["overcome", "resolveHalt"],
  ["parcel", "bundle"],
  ["parcels", "bundle"],
  ["parking", "traceSlots"],
  ["said", "decision"],
  ["spread", "repeated, deviation, apply, or the covariance"],
  ["station", "candidate runner"],
  ["tally", "progress"],
  ["whole", "integer, intact, all, or complete"],
]);

/** Names as a whole: their words are in use. */
const RETIRED_NAMES = new Map([
  ["Bound", "BoundInput"],
  ["Listing", "ParsedProgram"],
]);

/**
 * Words that tests and experiments may use in their ordinary meaning: a run that was not interrupted is
 * whole, a process said something, values are spread over a range. In the product they named other things.
 */
const ORDINARY = new Set(["said", "spread", "whole"]);

/** Names that other people gave. */
const NOT_OURS = new Set(["isSpreadElement"]);

const sourcesOf = (folder) =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true })
        .map((file) => join(folder, String(file)))
        .filter((file) => file.endsWith(".ts") && !file.endsWith(".d.ts"))
    : [];

const packages = join(root, "packages");
const inPackages = (...folders) =>
  (existsSync(packages) ? readdirSync(packages) : []).flatMap((name) =>
    folders.flatMap((folder) => sourcesOf(join(packages, name, folder))),
  );
const trials = new Set([...inPackages("test"), ...sourcesOf(join(root, "evidence"))]);
const files = [...inPackages("src", "wasm"), ...trials];

/** The words of a name: `openMix`, `MIX_BYTES` and `mix-walk` have the word mix. */
const wordsOf = (name) =>
  name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z]+/);

function adviceFor(name, isTrial) {
  if (NOT_OURS.has(name)) return undefined;
  const isRetired = (word) => RETIRED.has(word) && !(isTrial && ORDINARY.has(word));
  const retired = wordsOf(name).find(isRetired);
  return RETIRED_NAMES.get(name) ?? (retired && RETIRED.get(retired));
}

let count = 0;
const problems = [];
for (const file of files) {
  const place = relative(root, file).split(sep).join("/");
  const title = place.slice(place.lastIndexOf("/") + 1, -3);
  const isTrial = trials.has(file);
  const forTitle = adviceFor(title, isTrial);
  if (forTitle !== undefined) problems.push(`${place}: ${title}: say ${forTitle}`);
  const source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest);
  const seen = new Set();
  const visit = (node) => {
    if (ts.isIdentifier(node) || ts.isPrivateIdentifier(node)) {
      count += 1;
      const advice = seen.has(node.text) ? undefined : adviceFor(node.text, isTrial);
      seen.add(node.text);
      if (advice !== undefined) {
        const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
        problems.push(`${place}:${line + 1}: ${node.text}: say ${advice}`);
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
}

for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);
console.log(`${count} names in ${relative(process.cwd(), root) || "."}, none of a retired word`);
