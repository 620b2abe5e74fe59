/**
 * Runs the benchmarks: every `packages/<name>/bench/*.bench.ts` (or .mjs), one after the other.
 *
 *   npm run bench                 all of them
 *   npm run bench -- kalman       those whose file name contains "kalman"
 */
import { existsSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const packages = fileURLToPath(new URL("../packages", import.meta.url));
const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith("-"));

const files = readdirSync(packages)
  .map((name) => join(packages, name, "bench"))
  .filter((folder) => existsSync(folder))
  .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
  .filter((file) => /\.bench\.(ts|mjs)$/.test(file))
  .filter((file) => wanted.length === 0 || wanted.some((part) => basename(file).includes(part)))
  .sort();

if (files.length === 0) {
  console.error(`no benchmark matches ${wanted.join(" ") || "packages/*/bench/*.bench.ts"}`);
  process.exit(1);
}
for (const file of files) await import(pathToFileURL(file).href);
