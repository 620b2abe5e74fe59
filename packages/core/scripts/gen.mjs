/**
 * Writes what is generated from src/primitives: wasm/generated/*.ts and docs/primitives.md.
 *
 *   node scripts/gen.mjs            writes the files
 *   node scripts/gen.mjs --check    writes nothing; exits 1 and names the files that are stale
 *
 * The declarations are transpiled into build/gen first, so the result depends on the sources alone.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import ts from "typescript";

const core = join(dirname(fileURLToPath(import.meta.url)), "..");
const root = join(core, "../..");
const staging = join(core, "build/gen");

/** Transpiles src/primitives, which imports nothing from outside, and imports its generator. */
async function importGenerator() {
  const sources = join(core, "src/primitives");
  rmSync(staging, { recursive: true, force: true });
  mkdirSync(staging, { recursive: true });
  const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 };
  for (const file of readdirSync(sources).filter((name) => name.endsWith(".ts"))) {
    const text = readFileSync(join(sources, file), "utf8");
    const { outputText } = ts.transpileModule(text, { compilerOptions, fileName: file });
    writeFileSync(join(staging, file.replace(/\.ts$/, ".js")), outputText);
  }
  return import(pathToFileURL(join(staging, "generate.js")).href);
}

const readOr = (path, fallback) => {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return fallback;
  }
};

const { generatedFiles } = await importGenerator();
const files = Object.entries(generatedFiles()).map(([name, text]) => [join(root, name), text]);
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
