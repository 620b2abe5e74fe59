/**
 * Builds the machine twice from one source: build/ndvm-f32.wasm and build/ndvm-f64.wasm.
 *
 *   node scripts/build-wasm.mjs            builds what is older than its sources
 *   node scripts/build-wasm.mjs --force    builds both
 *   node scripts/build-wasm.mjs --entry wasm/kernels.ts --name kernels   another entry, for experiments
 */
import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const args = process.argv.slice(2);
const option = (name, fallback) => (args.includes(name) ? args[args.indexOf(name) + 1] : fallback);
const entry = option("--entry", "wasm/index.ts");
const name = option("--name", "ndvm");
const asc = join(
  dirname(createRequire(import.meta.url).resolve("assemblyscript/package.json")),
  "bin/asc.js",
);

/** Constants that both sides of the boundary read. */
const LAYOUTS = ["src/program/layout.ts", "src/program/cells.ts", "src/bytecode/codes.ts"];

const newestOf = (folder) =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((file) => file.isFile())
    .reduce(
      (newest, file) => Math.max(newest, statSync(join(file.parentPath, file.name)).mtimeMs),
      0,
    );

function isFresh(output) {
  const built = statSync(output, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const layouts = LAYOUTS.map((file) => statSync(join(root, file)).mtimeMs);
  return !args.includes("--force") && built > Math.max(newestOf(join(root, "wasm")), ...layouts);
}

function build(real) {
  const output = join(root, "build", `${name}-${real}.wasm`);
  if (isFresh(output)) return Promise.resolve(0);
  const flags = [
    "-O3",
    "--noAssert",
    "--enable",
    "simd",
    "--runtime",
    "stub",
    "--disableWarning",
    "112",
  ];
  const child = spawn(
    process.execPath,
    [asc, entry, "--use", `real=${real}`, ...flags, "--initialMemory", "16", "-o", output],
    { cwd: root, stdio: "inherit" },
  );
  return new Promise((resolve) => child.on("exit", (code) => resolve(code ?? 1)));
}

mkdirSync(join(root, "build"), { recursive: true });
const codes = await Promise.all(["f32", "f64"].map(build));
process.exit(Math.max(...codes));
