/**
 * Writes what is generated: from src/primitives wasm/generated/*.ts and docs/primitives.md, from
 * src/layouts the files that src/layouts/generate.ts lists.
 *
 *   node scripts/gen.mjs            writes the files
 *   node scripts/gen.mjs --check    writes nothing; exits 1 and names the files that are stale
 *
 * Reads the compiled declarations, so `tsc -b packages/core` comes first (`npm run gen` does both).
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { layoutFiles } from "../dist/layouts/generate.js";
import { generatedFiles } from "../dist/primitives/generate.js";

const root = join(dirname(fileURLToPath(import.meta.url)), "../../..");

const readOr = (path, fallback) => {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return fallback;
  }
};

const read = (path) => readFileSync(join(root, path), "utf8");
const generated = [...Object.entries(generatedFiles()), ...layoutFiles(read)];
const files = generated.map(([name, text]) => [join(root, name), text]);
const stale = files.filter(([path, text]) => readOr(path, undefined) !== text);

if (process.argv.includes("--check")) {
  for (const [path] of stale) console.error(`stale: ${relative(root, path)}`);
  if (stale.length > 0) console.error("run `npm run gen` and commit the result");
  process.exitCode = stale.length > 0 ? 1 : 0;
} else {
  for (const [path, text] of stale) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    console.log(`wrote ${relative(root, path)}`);
  }
}
