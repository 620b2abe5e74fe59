/**
 * Builds the machine twice from one source: build/ndvm-f32.wasm and build/ndvm-f64.wasm.
 *
 *   node scripts/build-wasm.mjs            builds what is older than its sources
 *   node scripts/build-wasm.mjs --force    builds both
 *   node scripts/build-wasm.mjs --entry wasm/kernels/door.ts --name kernels   another entry, for experiments
 */
import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const args = process.argv.slice(2);
const option = (name, fallback) => (args.includes(name) ? args[args.indexOf(name) + 1] : fallback);
const entry = option("--entry", "wasm/index.ts");
const name = option("--name", "ndvm");
const compiler = createRequire(import.meta.url).resolve("assemblyscript/package.json");
const asc = join(dirname(compiler), "bin/asc.js");
/** The optimiser that the compiler itself is built on. */
const wasmOpt = join(dirname(createRequire(compiler).resolve("binaryen")), "bin/wasm-opt");

/** Constants that both sides of the boundary read, and how things are built. */
const OTHERS = [
  "src/program/layout.ts",
  "src/program/cells.ts",
  "src/bytecode/codes.ts",
  "src/fit/layout.ts",
  "src/fit/maps.ts",
  "scripts/build-wasm.mjs",
];

const newestOf = (folder) =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((file) => file.isFile())
    .reduce(
      (newest, file) => Math.max(newest, statSync(join(file.parentPath, file.name)).mtimeMs),
      0,
    );

function isFresh(output) {
  const built = statSync(output, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const others = OTHERS.map((file) => statSync(join(root, file)).mtimeMs);
  return !args.includes("--force") && built > Math.max(newestOf(join(root, "wasm")), ...others);
}

const COMPILING = [
  "-O3",
  "--noAssert",
  "--enable",
  "simd",
  "--runtime",
  "stub",
  "--disableWarning",
  "112",
  "--initialMemory",
  "16",
  // Names, for the optimiser, which leaves them out.
  "--debug",
];

/**
 * Kernels of ops that few programs have stay in functions of their own: V8 compiles a function when
 * it is first called, so that nobody else waits for them.
 */
const APART = ["--no-inline=*/generated/others/*", "--no-inline=*/elementwise/forwardOther"];

/**
 * The compiler inlines small functions only, and none with loops. A round of a fit is many short
 * loops that call each other: with them inlined it takes a tenth less time. Nothing lies in the
 * first 1,024 bytes, so constants may move from addresses into offsets.
 */
const INLINING = [
  "-O3",
  "--flexible-inline-max-function-size=200",
  "--inline-functions-with-loops",
  "--low-memory-unused",
  "--enable-simd",
  "--enable-bulk-memory",
  "--enable-mutable-globals",
  "--enable-nontrapping-float-to-int",
  "--enable-sign-ext",
];

function run(args) {
  const child = spawn(process.execPath, args, { cwd: root, stdio: "inherit" });
  return new Promise((resolve) => child.on("exit", (code) => resolve(code ?? 1)));
}

async function build(real) {
  const output = join(root, "build", `${name}-${real}.wasm`);
  if (isFresh(output)) return 0;
  const compiled = `${output}.compiled`;
  const failed =
    (await run([asc, entry, "--use", `real=${real}`, ...COMPILING, "-o", compiled])) ||
    (await run([wasmOpt, ...APART, ...INLINING, compiled, "-o", output]));
  rmSync(compiled, { force: true });
  return failed;
}

mkdirSync(join(root, "build"), { recursive: true });
const codes = await Promise.all(["f32", "f64"].map(build));
process.exit(Math.max(...codes));
